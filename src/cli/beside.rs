//! Working beside a server that may be running on the same folder.

use crate::{
    clock::SystemClock,
    config::Config,
    desk::{Desk, KeyFile},
    entropy::OsEntropy,
    store::Store,
};
use std::{error::Error, sync::Arc};

/// A desk on the folder's database, which signs nothing: the high-water file is the server's.
pub async fn open(config: &Config, store: Store) -> Result<Desk, Box<dyn Error>> {
    if store.read().await?.server().await?.is_none() {
        return Err("the database was never served: start the server first".into());
    }
    let (clock, entropy) = (Arc::new(SystemClock), Arc::new(OsEntropy));
    let key_file = KeyFile(config.key_file());
    let (desk, _) = Desk::open(store, clock, entropy, &key_file, &config.log_name, None).await?;
    Ok(desk)
}
