//! The doors: connections that are not pages yet. Silence is not waited for, and however many are silent, the next one gets in.

use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use bellmino_page::locked;

/// Connections that are no pages. The one that has been there for longest makes room for a new one.
const MAX_CALLERS: usize = 256;

/// How long a request may take to say what it wants.
const HEADERS: Duration = Duration::from_secs(5);

/// How long a connection lasts that does not become a page.
const LIFETIME: Duration = Duration::from_secs(30);

/// The pause after a connection could not be taken: the system is short of something.
const SHORT: Duration = Duration::from_millis(50);

/// Takes connections and answers them, for ever.
pub async fn serve(listener: TcpListener, router: Router) -> io::Result<()> {
    let callers: Mutex<VecDeque<AbortHandle>> = Mutex::default();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(SHORT).await;
            continue;
        };
        let task = tokio::spawn(answer(stream, router.clone()));
        let mut callers = locked(&callers);
        callers.retain(|caller| !caller.is_finished());
        while callers.len() >= MAX_CALLERS {
            if let Some(oldest) = callers.pop_front() {
                oldest.abort();
            }
        }
        callers.push_back(task.abort_handle());
    }
}

/// Answers what one connection asks for; done when it is closed or has become a page.
async fn answer(stream: TcpStream, router: Router) {
    // Small messages must not wait for each other. A socket that refuses is only slower.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADERS);
    let service = TowerToHyperService::new(router);
    let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
    // Whatever goes wrong is the caller's business.
    let _ = timeout(LIFETIME, connection).await;
}
