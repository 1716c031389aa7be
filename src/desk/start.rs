//! The first start, and every start: key file, identity of the log, operator's token, and the checks before any act.

use super::{Desk, Relays, hex};
use crate::{
    bulletin::Bulletin,
    clock::Clock,
    domain::{derivation::Hash32, fault::Fault, log::LogSigner, seal::SealKey},
    entropy::{Entropy, EntropyUnavailable},
    ledger::{BadLog, Ledger, Missing},
    store::{ServerRow, Store, StoreError},
};
use ed25519_dalek::SigningKey;
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};
use zeroize::Zeroizing;

/// Why the server does not start; the sentence says what to do.
#[derive(Debug)]
pub struct StartError(pub String);

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StartError {}

impl From<StoreError> for StartError {
    fn from(error: StoreError) -> Self {
        Self(error.to_string())
    }
}

impl From<BadLog> for StartError {
    fn from(why: BadLog) -> Self {
        Self(why.0)
    }
}

impl From<Fault> for StartError {
    fn from(fault: Fault) -> Self {
        Self(fault.told())
    }
}

impl From<EntropyUnavailable> for StartError {
    fn from(error: EntropyUnavailable) -> Self {
        Self(error.to_string())
    }
}

/// The file with the key that seals secrets at rest: beside the database, never in it.
#[derive(Clone, Debug)]
pub struct KeyFile(pub PathBuf);

impl KeyFile {
    /// The key in the file.
    ///
    /// # Errors
    /// When the file cannot be read or does not hold 64 hexadecimal digits.
    pub fn read(&self) -> Result<SealKey, StartError> {
        self.bytes().map(|bytes| SealKey::new(*bytes))
    }

    /// The 32 secret bytes in the file.
    ///
    /// # Errors
    /// As [`KeyFile::read`].
    pub fn bytes(&self) -> Result<Zeroizing<[u8; 32]>, StartError> {
        let text = fs::read_to_string(&self.0)
            .map_err(|why| StartError(format!("the key file {} cannot be read: {why}", self.0.display())))?;
        let text = Zeroizing::new(text);
        let key: Result<Hash32, _> = text.trim().parse();
        let bad = |_| StartError(format!("the key file {} does not hold 64 hexadecimal digits", self.0.display()));
        key.map(|key| Zeroizing::new(*key.as_bytes())).map_err(bad)
    }

    /// The 32 secret bytes in the file, which is made with fresh ones if it is missing.
    ///
    /// # Errors
    /// When it cannot be read or made.
    pub fn seed(&self, entropy: &dyn Entropy) -> Result<Zeroizing<[u8; 32]>, StartError> {
        if !self.0.exists() {
            self.create(entropy)?;
        }
        self.bytes()
    }

    /// Makes the file with a fresh key, readable by its owner only, durable before anything is sealed with it.
    fn create(&self, entropy: &dyn Entropy) -> Result<SealKey, StartError> {
        let bytes = Zeroizing::new(entropy.bytes::<32>()?);
        self.write(&bytes).map(|()| SealKey::new(*bytes))
    }

    /// Makes the file with a key that there was before, as a first start makes it.
    ///
    /// # Errors
    /// When it exists or cannot be made.
    pub fn write(&self, bytes: &[u8; 32]) -> Result<(), StartError> {
        let text = Zeroizing::new(format!("{}\n", hex(bytes)));
        write_private(&self.0, text.as_bytes())
            .map_err(|why| StartError(format!("the key file {} cannot be made: {why}", self.0.display())))
    }
}

/// Makes a file that must not exist, readable by its owner only.
///
/// # Errors
/// Of the operating system.
pub fn create_private(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write;
    let mut file = create_private(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => fs::File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// What a first start made, to be shown once.
#[derive(Clone, Debug)]
pub struct FirstStart {
    /// The operator's token.
    pub operator_token: String,
}

impl Desk {
    /// Opens the desk: on the first start makes key file, identity and operator's token; on every start re-hashes the log.
    ///
    /// # Errors
    /// When something is missing, damaged or not ours.
    pub async fn open(
        store: Store,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        key_file: &KeyFile,
        log_name: &str,
        operator_token: Option<&str>,
    ) -> Result<(Self, Option<FirstStart>), StartError> {
        let known = store.read().await?.server().await?;
        let key = match (&known, key_file.0.exists()) {
            (None, false) => key_file.create(&*entropy)?,
            (_, true) => key_file.read()?,
            (Some(_), false) => {
                return Err(StartError(format!(
                    "the key file {} is missing: without it no sealed draw can be released. Restore it from your backup",
                    key_file.0.display()
                )));
            }
        };
        let server =
            known.as_ref().map_or_else(|| new_server(&*clock, &*entropy, &key, log_name), |s| Ok(s.clone()))?;
        let ledger = Arc::new(Ledger::load(&store, log_signer(&key, &server)?).await?);
        let bulletin = Bulletin::new(Arc::clone(&ledger));
        let desk = Self {
            store,
            clock,
            entropy,
            key,
            origin: server.origin.clone(),
            ledger,
            bulletin,
            relays: Relays::default(),
            in_custody: false,
        };
        let first = match known {
            Some(_) => None,
            None => Some(desk.first_start(&server, operator_token).await?),
        };
        desk.check_rows().await?;
        desk.bulletin.load(&desk.store).await?;
        Ok((desk, first))
    }

    async fn first_start(&self, server: &ServerRow, operator: Option<&str>) -> Result<FirstStart, StartError> {
        let mut tx = self.store.write().await?;
        tx.insert_server(server).await?;
        let operator_token = self.insert_operator(&mut tx, operator).await?;
        tx.commit().await?;
        Ok(FirstStart { operator_token })
    }

    /// Begins to sign the log and to serve from the data folder, once its high-water file agrees with the database. If it
    /// does not, everything can be read and nothing be changed.
    ///
    /// # Errors
    /// When the folder cannot be read or written.
    pub async fn begin(&self, folder: &Path, missing: Missing) -> Result<(), StartError> {
        self.ledger.begin(&self.store, folder, missing).await?;
        Ok(self.bulletin.load(&self.store).await?)
    }

    /// Accepts the operator token of the environment besides those in the database.
    ///
    /// # Errors
    /// Of the database.
    pub async fn accept_operator(&self, token: &str) -> Result<(), StartError> {
        let mut tx = self.store.write().await?;
        if tx.token_by_hash(&super::tokens::token_hash(token)).await?.is_none() {
            self.insert_operator(&mut tx, Some(token)).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// Takes all operator tokens back and makes a new one.
    ///
    /// # Errors
    /// Of the database.
    pub async fn new_operator_token(&self) -> Result<String, StartError> {
        let mut tx = self.store.write().await?;
        for token in tx.tokens(None).await? {
            tx.revoke_token(token.id, self.clock.now()).await?;
        }
        let text = self.insert_operator(&mut tx, None).await?;
        tx.commit().await?;
        Ok(text)
    }
}

/// The log key, opened from its seal; it is wiped when the server ends.
fn log_signer(key: &SealKey, server: &ServerRow) -> Result<LogSigner, StartError> {
    let opened = key.open(&log_key_purpose(&server.origin), &server.log_key_sealed);
    let seed = opened.map_err(|_| StartError("the key file is not the one of this database".into()))?;
    let signer = LogSigner::from_seed(&server.origin, &seed).map_err(|why| StartError(why.to_string()))?;
    if *signer.verifier().as_bytes() != server.log_public_key {
        return Err(StartError("the log key in the database was exchanged: restore a backup".into()));
    }
    Ok(signer)
}

/// A new identity: the log's key, sealed, and the name that follows from it.
fn new_server(clock: &dyn Clock, entropy: &dyn Entropy, key: &SealKey, name: &str) -> Result<ServerRow, StartError> {
    let seed = Zeroizing::new(entropy.bytes::<32>()?);
    let public = SigningKey::from_bytes(&seed).verifying_key().to_bytes();
    let origin = origin(name, &public);
    let log_key_sealed = key.seal(entropy.bytes()?, &log_key_purpose(&origin), &seed);
    Ok(ServerRow { origin, log_public_key: public, log_key_sealed, created_at: clock.now() })
}

/// `<name>/<first 8 hex digits of SHA-256 of the log's public key>`: a re-installed laptop never takes an old log's name.
pub(super) fn origin(name: &str, public: &[u8; 32]) -> String {
    let hash = Hash32::of([&public[..]]).to_string();
    format!("{name}/{}", &hash[..8])
}

pub(super) fn log_key_purpose(origin: &str) -> String {
    format!("draw960 log key of {origin}")
}
