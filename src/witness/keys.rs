//! The witness's own key: made at its first start, kept in its folder.

use crate::{
    desk::{KeyFile, StartError},
    domain::{derivation::Hash32, log::WitnessSigner},
    entropy::Entropy,
};
use ed25519_dalek::SigningKey;
use std::path::Path;

/// The signer of a folder, named `<name>/<first 8 hex digits of the hash of its public key>`, as logs are.
///
/// # Errors
/// When the key file cannot be read or made, or the name is not good.
pub fn signer(folder: &Path, name: &str, entropy: &dyn Entropy) -> Result<WitnessSigner, StartError> {
    let seed = KeyFile(folder.join("witness.key")).seed(entropy)?;
    let public = SigningKey::from_bytes(&seed).verifying_key().to_bytes();
    let name = format!("{name}/{}", &Hash32::of([&public[..]]).to_string()[..8]);
    WitnessSigner::from_seed(&name, &seed).map_err(|why| StartError(why.to_string()))
}
