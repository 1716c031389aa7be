//! Settings: built-in defaults, then a file, then the environment; the command line's flags win.

use crate::desk::DEFAULT_RELAYS;
use figment::{
    Figment,
    providers::{Env, Format, Toml},
};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

/// Every setting with its default and a comment.
pub const DEFAULTS: &str = include_str!("../config/default.toml");

/// Variables of our prefix that are not settings: they are read by the command line.
const NOT_SETTINGS: [&str; 3] = ["config", "operator_token", "passphrase"];

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For collectors: one JSON object a line.
    Json,
}

/// From which level on lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// What needs the operator.
    Error,
    /// What may need the operator.
    Warn,
    /// Also every request and release.
    Info,
    /// Also why requests were refused.
    Debug,
    /// Everything.
    Trace,
}

impl LogLevel {
    /// The level's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

/// The settings in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Folder of the database and its key file.
    pub data: PathBuf,
    /// Address and port to serve on.
    pub listen: SocketAddr,
    /// Name of the log, taken at the first start.
    pub log_name: String,
    /// Connections served at the same time.
    pub max_connections: usize,
    /// Connections of one address at the same time; 0 for no limit.
    pub max_connections_per_address: usize,
    /// Where rounds of the drand beacon are fetched.
    pub drand_relays: Vec<String>,
    /// Witnesses that are asked to cosign the log: URL, and after a blank the witness's key.
    pub witnesses: Vec<String>,
    /// Where a copy for another machine goes after every change; empty for nowhere.
    pub custody_folder: PathBuf,
    /// File with the passphrase of these copies; empty for none.
    pub custody_passphrase_file: PathBuf,
    /// How log lines look.
    pub log_format: LogFormat,
    /// From which level on they are written.
    pub log_level: LogLevel,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data: "data".into(),
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 9600)),
            log_name: "draw960.local".into(),
            max_connections: 4096,
            max_connections_per_address: 2048,
            drand_relays: DEFAULT_RELAYS.map(str::to_owned).into(),
            witnesses: Vec::new(),
            custody_folder: PathBuf::new(),
            custody_passphrase_file: PathBuf::new(),
            log_format: LogFormat::Text,
            log_level: LogLevel::Info,
        }
    }
}

/// Flags of the command line that win over everything.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// A settings file.
    pub config: Option<PathBuf>,
    /// Folder of the database.
    pub data: Option<PathBuf>,
    /// Address and port.
    pub listen: Option<SocketAddr>,
}

/// Why the settings cannot be used; the sentence names the place.
#[derive(Debug)]
pub struct ConfigError(String);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// The settings in force for these flags and this process's environment.
    ///
    /// # Errors
    /// An unknown key, a value of the wrong kind, or a file that cannot be read.
    pub fn load(flags: &Flags) -> Result<Self, ConfigError> {
        let mut layers = Figment::from(Toml::string(DEFAULTS));
        if let Some(file) = &flags.config {
            layers = layers.merge(Toml::string(&read(file)?));
        }
        let mut config: Self = layers
            .merge(Env::prefixed("DRAW960_").ignore(&NOT_SETTINGS))
            .extract()
            .map_err(|why| ConfigError(format!("settings: {why}")))?;
        config.data = flags.data.clone().unwrap_or(config.data);
        config.listen = flags.listen.unwrap_or(config.listen);
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ConfigError> {
        let good = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        if self.log_name.is_empty() || self.log_name.len() > 253 || !self.log_name.chars().all(good) {
            let why = "log_name is 1 to 253 letters, digits, dots and hyphens, such as draws.example.org";
            return Err(ConfigError(format!("settings: {why}")));
        }
        for setting in &self.witnesses {
            crate::cosign::Asked::new(setting).map_err(|why| ConfigError(format!("settings: witnesses: {why}")))?;
        }
        if self.max_connections == 0 {
            return Err(ConfigError("settings: max_connections is at least 1".into()));
        }
        if self.drand_relays.iter().any(|host| !is_web_address(host)) {
            return Err(ConfigError("settings: drand_relays are web addresses such as https://api.drand.sh".into()));
        }
        if self.custody_folder().is_none() && self.custody_passphrase_file().is_some() {
            return Err(ConfigError("settings: custody_passphrase_file has no use without custody_folder".into()));
        }
        Ok(())
    }

    /// Where a copy for another machine goes after every change, if anywhere.
    pub fn custody_folder(&self) -> Option<&Path> {
        Some(self.custody_folder.as_path()).filter(|path| !path.as_os_str().is_empty())
    }

    /// The file with the passphrase of these copies, if any.
    pub fn custody_passphrase_file(&self) -> Option<&Path> {
        Some(self.custody_passphrase_file.as_path()).filter(|path| !path.as_os_str().is_empty())
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.data.join("draw960.db")
    }

    /// The file with the key that seals secrets at rest.
    pub fn key_file(&self) -> PathBuf {
        self.data.join("draw960.key")
    }
}

/// `http` for a relay in the hall: what it answers proves itself.
fn is_web_address(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
    !host.is_empty() && host.bytes().all(|b| b.is_ascii_graphic() && !b"\"<>?#".contains(&b))
}

/// A missing settings file is a mistake, not a wish for defaults.
fn read(file: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(file)
        .map_err(|why| ConfigError(format!("the settings file {} cannot be read: {why}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_toml(text: &str) -> Result<Config, figment::Error> {
        Figment::from(Toml::string(DEFAULTS)).merge(Toml::string(text)).extract()
    }

    #[test]
    fn the_file_of_defaults_says_the_defaults() {
        assert_eq!(from_toml("").unwrap(), Config::default());
        let keys = serde_json::to_value(Config::default()).unwrap();
        for key in keys.as_object().unwrap().keys() {
            assert!(DEFAULTS.contains(&format!("\n{key} = ")), "{key}");
        }
    }

    #[test]
    fn the_example_for_production_is_good() {
        let config = from_toml(include_str!("../config/production.example.toml")).unwrap();
        assert_eq!((config.log_format, config.check().is_ok()), (LogFormat::Json, true));
    }

    #[test]
    fn unknown_keys_and_wrong_kinds_are_refused_by_name() {
        for (text, named) in [
            ("max_conections = 5", "max_conections"),
            ("listen = \"localhost\"", "listen"),
            ("log_level = \"loud\"", "log_level"),
            ("max_connections = -1", "max_connections"),
        ] {
            let why = from_toml(text).unwrap_err().to_string();
            assert!(why.contains(named), "{why}");
        }
    }

    #[test]
    fn relays_are_web_addresses() {
        for (hosts, good) in [
            ("[]", true),
            ("[\"http://10.0.0.1:8080\"]", true),
            ("[\"api.drand.sh\"]", false),
            ("[\"https://\"]", false),
        ] {
            let config = from_toml(&format!("drand_relays = {hosts}")).unwrap();
            assert_eq!(config.check().is_ok(), good, "{hosts}");
        }
    }

    #[test]
    fn a_passphrase_without_a_folder_is_a_slip() {
        for (text, good) in [
            ("custody_folder = \"/media/stick\"\ncustody_passphrase_file = \"p\"", true),
            ("custody_folder = \"/media/stick\"", true),
            ("custody_passphrase_file = \"p\"", false),
        ] {
            assert_eq!(from_toml(text).unwrap().check().is_ok(), good, "{text}");
        }
    }

    #[test]
    fn a_file_beats_defaults_and_flags_beat_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("d.toml");
        std::fs::write(&file, "data = \"a\"\nlisten = \"127.0.0.1:1\"").unwrap();
        let flags = Flags { config: Some(file), data: Some("b".into()), listen: None };
        let config = Config::load(&flags).unwrap();
        assert_eq!((config.data, config.listen.port()), ("b".into(), 1));
    }

    #[test]
    fn a_missing_file_and_an_impossible_name_are_refused() {
        let flags = Flags { config: Some("no/such/file".into()), ..Flags::default() };
        assert!(Config::load(&flags).unwrap_err().to_string().contains("no/such/file"));
        for name in ["", "a b", "a+b", "a/b"] {
            assert!(Config { log_name: name.into(), ..Config::default() }.check().is_err(), "{name}");
        }
    }
}
