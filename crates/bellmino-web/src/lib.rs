//! The lab in the browser: a server that hosts the sessions of `bellmino-page`; the page is a thin view over one WebSocket.
//!
//! See `docs/PROTOCOL.md` for the messages.
//!
//! ```no_run
//! use std::net::Ipv4Addr;
//!
//! let options = bellmino_web::LabOptions { bind: Ipv4Addr::LOCALHOST.into(), port: None, data: None, token: true };
//! let server = bellmino_web::Server::open(&options)?;
//! println!("{}", server.url());
//! server.serve(|| true)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files
//! - `server`: address, lock, store, runtime
//! - `doors`: connections that are no pages yet
//! - `guard`: who may talk, and the token
//! - `connection`: one page's messages
//! - `allocator`: memory that goes back to the system
//! - `outgoing`: what is sent to pages, to those who play first
//! - `visitor`: its session, and what that wants done
//! - `clock`: the lab's time
//! - `twin`: its test beside a page's own lab
//! - `library`: games, weights and tables by name
//! - `jobs`: the one queue of work
//! - `bench`: where it is done
//! - `priority`: how urgent a thread is
//! - `room`: the task of a timed game
//! - `shown`: games that the program itself plays
//! - `keeper`: the store on threads of its own
//! - `store`: SQLite
//! - `contest`: people against machines, as it has them
//! - `private`: files for one user alone
//! - `train`: training runs
//! - `assets`: the page's files

// Tests look at files as they please.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod allocator;
mod assets;
mod bench;
mod clock;
mod connection;
mod contest;
mod doors;
mod guard;
mod jobs;
mod keeper;
mod library;
mod outgoing;
mod priority;
mod private;
mod room;
mod server;
mod shown;
mod store;
mod train;
#[cfg(test)]
mod twin;
mod visitor;

pub use bellmino_page::KeptGame;
pub use contest::kept_contests;
pub use server::{LabOptions, OpenError, Server};
pub use shown::{Showing, ShownPiece, Stage, Standing};
pub use store::{StoreError, kept_games};

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::extract::ws::{Utf8Bytes, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use bellmino_page::{Collection, Commons, MAX_MESSAGE, Premises, TrainingRuns, locked, seed};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{Notify, broadcast};

use clock::LabClock;
use guard::Token;
use jobs::Jobs;
use keeper::Keeper;
use library::Library;
use room::OpenRoom;
use shown::Shown;
use train::Trainer;

/// Pages at once; more are refused.
const MAX_CONNECTIONS: usize = 512;

/// Everything the connections share.
struct Lab {
    address: SocketAddr,
    /// What pages must know, unless everybody may come in.
    token: Option<Token>,
    keeper: Keeper,
    library: Library,
    jobs: Jobs,
    /// What pages have in common.
    commons: Commons,
    trainer: Trainer,
    connections: AtomicUsize,
    /// Timed games under way.
    rooms: Mutex<BTreeMap<u32, OpenRoom>>,
    /// Games that the program itself plays.
    shown: Mutex<BTreeMap<u32, Shown>>,
    clock: LabClock,
    /// What every page hears.
    news: broadcast::Sender<Utf8Bytes>,
    quit: Notify,
}

impl Lab {
    /// A lab that answers at `address`.
    fn new(address: SocketAddr, token: Option<Token>, keeper: Keeper) -> std::io::Result<Lab> {
        let library = Library::new(keeper.path().parent().unwrap_or(Path::new(".")));
        Ok(Lab {
            address,
            token,
            trainer: Trainer::new(&library),
            library,
            keeper,
            jobs: Jobs::new()?,
            commons: Commons::default(),
            connections: AtomicUsize::new(0),
            rooms: Mutex::new(BTreeMap::new()),
            shown: Mutex::new(BTreeMap::new()),
            clock: LabClock::start(),
            news: broadcast::Sender::new(64),
            quit: Notify::new(),
        })
    }

    fn rooms(&self) -> MutexGuard<'_, BTreeMap<u32, OpenRoom>> {
        locked(&self.rooms)
    }
}

impl Premises for Lab {
    fn collection(&self) -> &dyn Collection {
        &self.library
    }

    fn runs(&self) -> &dyn TrainingRuns {
        &self.trainer
    }

    fn places(&self) -> (String, String) {
        let shown = |path: &Path| path.display().to_string();
        (shown(self.keeper.path()), shown(self.library.folder()))
    }

    fn shown(&self) -> Vec<(u32, Value)> {
        Lab::shown(self).iter().map(|(number, shown)| (*number, shown.board["title"].clone())).collect()
    }

    fn shown_board(&self, number: u32) -> Option<Value> {
        Lab::shown(self).get(&number).map(|shown| shown.board.clone())
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
    // Pages hold their connections open, so the end does not wait for them.
    tokio::select! {
        result = doors::serve(listener, router) => result,
        () = stop => Ok(()),
        () = lab.quit.notified() => Ok(()),
    }
}

/// Lets through what a page of this lab asks for, and nothing that a foreign page or another user could.
async fn check(State(lab): State<Arc<Lab>>, request: Request, next: Next) -> Response {
    let mut response = match admit(&lab, &request) {
        Ok(None) => next.run(request).await,
        Ok(Some(cookie)) => {
            (StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie.as_str()), (header::LOCATION, "/")])
                .into_response()
        }
        Err(guard::Refusal::Token) => (StatusCode::FORBIDDEN, Html(guard::NO_TOKEN)).into_response(),
        Err(refusal) => (StatusCode::FORBIDDEN, refusal.to_string()).into_response(),
    };
    guard::protect(response.headers_mut());
    response
}

/// Whether a request is let in; a cookie, if it comes with the token in its address.
fn admit(lab: &Lab, request: &Request) -> Result<Option<String>, guard::Refusal> {
    guard::check(request.uri(), request.headers(), lab.address)?;
    let Some(token) = &lab.token else { return Ok(None) };
    let port = lab.address.port();
    match guard::token_of(request.uri().query()) {
        Some(told) if request.uri().path() == "/" && token.is(told) => Ok(Some(token.cookie(port))),
        None if token.is_in(request.headers(), port) => Ok(None),
        _ => Err(guard::Refusal::Token),
    }
}

/// A place among the pages, given back when dropped.
struct PagePlace(Arc<Lab>);

impl PagePlace {
    fn take(lab: &Arc<Lab>) -> Option<PagePlace> {
        let more = |taken| (taken < MAX_CONNECTIONS).then_some(taken + 1);
        lab.connections.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).ok()?;
        Some(PagePlace(Arc::clone(lab)))
    }
}

impl Drop for PagePlace {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn socket(State(lab): State<Arc<Lab>>, upgrade: WebSocketUpgrade) -> Response {
    let Some(place) = PagePlace::take(&lab) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open; close one").into_response();
    };
    upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE).on_upgrade(move |socket| async move {
        connection::run(socket, &lab).await;
        drop(place);
    })
}
