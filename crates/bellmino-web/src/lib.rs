//! The lab in the browser: a server that owns every game; the page is a thin view over one WebSocket.
//!
//! See `docs/PROTOCOL.md` for the messages.
//!
//! ```no_run
//! use std::net::Ipv4Addr;
//!
//! let options = bellmino_web::LabOptions { bind: Ipv4Addr::LOCALHOST.into(), port: None, data: None };
//! let server = bellmino_web::Server::open(&options)?;
//! println!("{}", server.url());
//! server.serve(|| true)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analyse;
mod assets;
mod catalogue;
mod clock;
mod connection;
mod explore;
mod guard;
mod jobs;
mod keeper;
mod message;
mod picture;
mod replay;
mod room;
mod server;
mod setup;
mod store;
mod train;
mod watch;

pub use server::{LabOptions, OpenError, Server};
pub use store::{KeptGame, StoreError, kept_games};

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::Notify;

use keeper::Keeper;
use room::Room;

/// The largest message a page may send.
const MAX_MESSAGE: usize = 256 << 10;

/// Connections at once; more are refused.
const MAX_CONNECTIONS: usize = 512;

/// Everything the connections share.
struct Lab {
    address: SocketAddr,
    keeper: Keeper,
    jobs: jobs::Jobs,
    trainer: train::Trainer,
    connections: AtomicUsize,
    /// Timed games under way.
    rooms: Mutex<BTreeMap<u32, Room>>,
    next_room: AtomicU32,
    begin: Instant,
    quit: Notify,
}

impl Lab {
    /// A lab that answers at `address`.
    fn new(address: SocketAddr, keeper: Keeper) -> Lab {
        Lab {
            address,
            trainer: train::Trainer::new(keeper.path().parent().unwrap_or(Path::new("."))),
            keeper,
            jobs: jobs::Jobs::new(),
            connections: AtomicUsize::new(0),
            rooms: Mutex::new(BTreeMap::new()),
            next_room: AtomicU32::new(1),
            begin: Instant::now(),
            quit: Notify::new(),
        }
    }

    fn rooms(&self) -> MutexGuard<'_, BTreeMap<u32, Room>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Milliseconds on the server's clock, which starts with the lab.
    fn now(&self) -> f64 {
        self.begin.elapsed().as_secs_f64() * 1000.0
    }
}

/// Serves until `stop` is done or a page asks to quit.
async fn serve(
    listener: TcpListener,
    lab: Arc<Lab>,
    stop: impl Future<Output = ()> + Send,
) -> std::io::Result<()> {
    let router = Router::new()
        .route("/socket", get(socket))
        .fallback(get(assets::serve))
        .layer(middleware::from_fn_with_state(Arc::clone(&lab), check))
        .with_state(Arc::clone(&lab));
    // Small messages must not wait for each other. A socket that refuses is only slower.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    // Pages hold their connections open, so the end does not wait for them.
    tokio::select! {
        result = async { axum::serve(listener, router).await } => result,
        () = stop => Ok(()),
        () = lab.quit.notified() => Ok(()),
    }
}

/// Lets through what a page of this lab asks for, and nothing that a foreign page could.
async fn check(State(lab): State<Arc<Lab>>, request: Request, next: Next) -> Response {
    if let Err(refusal) = guard::check(request.headers(), lab.address) {
        return (StatusCode::FORBIDDEN, refusal.to_string()).into_response();
    }
    let mut response = next.run(request).await;
    guard::protect(response.headers_mut());
    response
}

/// A place among the open connections, given back when dropped.
struct Seat(Arc<Lab>);

impl Seat {
    fn take(lab: &Arc<Lab>) -> Option<Seat> {
        let seats = &lab.connections;
        seats
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |taken| {
                (taken < MAX_CONNECTIONS).then_some(taken + 1)
            })
            .ok()?;
        Some(Seat(Arc::clone(lab)))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn socket(State(lab): State<Arc<Lab>>, upgrade: WebSocketUpgrade) -> Response {
    let Some(seat) = Seat::take(&lab) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many connections; close a page").into_response();
    };
    upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE).on_upgrade(move |socket| async move {
        connection::run(socket, &lab).await;
        drop(seat);
    })
}
