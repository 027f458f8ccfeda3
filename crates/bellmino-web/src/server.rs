//! The server: opened at an address with its store, served until it is told to end.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};

use crate::Lab;
use crate::keeper::Keeper;
use crate::store::{GameStore, StoreError, default_folder};

/// The port tried first when none is given.
const PORT: u16 = 7737;

/// Where a lab listens and keeps its games.
#[derive(Clone, Debug)]
pub struct LabOptions {
    /// The address to listen on; anything but a loopback address lets others on the network in.
    pub bind: IpAddr,
    /// The port, 0 for a free one; without a port 7737 is tried first.
    pub port: Option<u16>,
    /// The folder for games and settings; the user's data folder when absent.
    pub data: Option<PathBuf>,
}

/// Why a lab cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Its games cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot listen there.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, io::Error),
    /// The system refused something else.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// An open lab that is not served yet.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    keeper: Keeper,
    url: String,
}

impl Server {
    /// Opens the store and listens.
    pub fn open(options: &LabOptions) -> Result<Server, OpenError> {
        let folder = match &options.data {
            Some(folder) => folder.clone(),
            None => default_folder()?,
        };
        let keeper = Keeper::new(GameStore::open(&folder)?);
        let runtime = runtime::Builder::new_multi_thread().enable_all().build()?;
        let listener = runtime.block_on(listen(options))?;
        let address = listener.local_addr()?;
        let shown = if options.bind.is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { options.bind };
        let url = format!("http://{}/", SocketAddr::new(shown, address.port()));
        Ok(Server { runtime, listener, address, keeper, url })
    }

    /// Where the page is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The file of games and settings.
    pub fn store(&self) -> &Path {
        self.keeper.path()
    }

    /// Serves until a page asks to quit or `go_on` says no.
    pub fn serve(self, go_on: impl Fn() -> bool + Send) -> io::Result<()> {
        let stop = async move {
            while go_on() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let lab = Arc::new(Lab::new(self.address, self.keeper.clone()));
        let result = self.runtime.block_on(crate::serve(self.listener, lab, stop));
        // Long work is not waited for; what is to be written about games is.
        self.runtime.shutdown_timeout(Duration::from_secs(2));
        self.keeper.flush(Duration::from_secs(10));
        result
    }
}

async fn listen(options: &LabOptions) -> Result<TcpListener, OpenError> {
    let wanted = SocketAddr::new(options.bind, options.port.unwrap_or(PORT));
    match TcpListener::bind(wanted).await {
        Err(error) if options.port.is_none() && error.kind() == io::ErrorKind::AddrInUse => {
            let free = SocketAddr::new(options.bind, 0);
            TcpListener::bind(free).await.map_err(|error| OpenError::Listen(free, error))
        }
        Err(error) => Err(OpenError::Listen(wanted, error)),
        Ok(listener) => Ok(listener),
    }
}
