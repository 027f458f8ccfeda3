//! The server: opened at an address with its store, served until it is told to end.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bellmino_host::lock::{Lock, LockError};
use serde_json::{Value, json};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};

use crate::Lab;
use crate::allocator::return_large_blocks;
use crate::guard::Token;
use crate::keeper::Keeper;
use crate::private::make_private;
use crate::shown::Stage;
use crate::store::{FILE, GameStore, StoreError, default_folder};

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
    /// Whether pages must know a token, which is part of the lab's address.
    pub token: bool,
}

/// The name of the lock of a data folder.
const LOCK: &str = "lab";

/// How long another lab that starts may take until it says where it is.
const PATIENCE: Duration = Duration::from_secs(3);

/// Why a lab cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Its games cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another lab has the folder.
    #[error("a lab is running on {} already: {url}", .store.display())]
    Running {
        /// Where its page is.
        url: String,
        /// Its file of games and settings.
        store: PathBuf,
    },
    /// Another program has the folder, and does not say what it is.
    #[error("{0}; end that one, or give another folder")]
    Locked(LockError),
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
    lab: Arc<Lab>,
    url: String,
    /// Nobody else has the folder meanwhile.
    lock: Lock,
}

impl Server {
    /// Opens the store and listens.
    pub fn open(options: &LabOptions) -> Result<Server, OpenError> {
        return_large_blocks();
        let folder = match &options.data {
            Some(folder) => folder.clone(),
            None => default_folder()?,
        };
        make_private(&folder).map_err(|why| StoreError::Folder(folder.clone(), why))?;
        let lock = take_lock(&folder)?;
        let store = GameStore::open(&folder)?;
        store.close_cut_off()?;
        let keeper = Keeper::new(store)?;
        let runtime = runtime::Builder::new_multi_thread().enable_all().build()?;
        let listener = runtime.block_on(listen(options))?;
        let address = listener.local_addr()?;
        let shown = if options.bind.is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { options.bind };
        let token = options.token.then(Token::new).transpose()?;
        let asked = token.as_ref().map_or(String::new(), |token| format!("?token={}", token.as_str()));
        let url = format!("http://{}/{asked}", SocketAddr::new(shown, address.port()));
        lock.say(&json!({ "pid": std::process::id(), "url": url }))?;
        let lab = Arc::new(Lab::new(address, token, keeper)?);
        Ok(Server { runtime, listener, lab, url, lock })
    }

    /// Where the page is, with the token that it needs.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The file of games and settings.
    pub fn store(&self) -> &Path {
        self.lab.keeper.path()
    }

    /// Where the program shows its own games.
    pub fn stage(&self) -> Stage {
        Stage { lab: Arc::clone(&self.lab) }
    }

    /// Serves until a page asks to quit or `go_on` says no. Gives how many ended games could not be written down.
    pub fn serve(self, go_on: impl Fn() -> bool + Send) -> io::Result<usize> {
        let stop = async move {
            while go_on() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let keeper = self.lab.keeper.clone();
        let result = self.runtime.block_on(crate::serve(self.listener, self.lab, stop));
        // Long work is not waited for; what is to be written about games is.
        self.runtime.shutdown_timeout(Duration::from_secs(2));
        let lost = keeper.flush(Duration::from_secs(10)).unwrap_or(1);
        drop(self.lock);
        result.map(|()| lost)
    }
}

/// Takes the lock of a folder, or finds out where the lab is that has it.
fn take_lock(folder: &Path) -> Result<Lock, OpenError> {
    let begin = Instant::now();
    loop {
        match Lock::take(folder, LOCK, json!({})) {
            Ok(lock) => return Ok(lock),
            Err(LockError::System { error, .. }) => {
                return Err(StoreError::Folder(folder.to_owned(), error).into());
            }
            Err(error @ LockError::Held { .. }) => {
                let LockError::Held { owner, .. } = &error else { continue };
                if let Some(url) = reached(owner) {
                    return Err(OpenError::Running { url, store: folder.join(FILE) });
                }
                if begin.elapsed() > PATIENCE {
                    return Err(OpenError::Locked(error));
                }
            }
        }
    }
}

/// The address of a lab, if it answers there.
fn reached(owner: &Value) -> Option<String> {
    let url = owner["url"].as_str()?;
    let address: SocketAddr = url.strip_prefix("http://")?.split('/').next()?.parse().ok()?;
    TcpStream::connect_timeout(&address, Duration::from_millis(500)).ok()?;
    Some(url.to_owned())
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
