//! Why a request has no answer.

use bellmino_engine::RecordError;
use thiserror::Error;

use crate::archive::ArchiveError;
use crate::best::BestError;
use crate::collection::LibraryError;
use crate::desk::CANCELLED;
use crate::explore::ExploreError;
use crate::premises::HostError;
use crate::replay::ReplayError;
use crate::room::RoomError;
use crate::shelf::ShelfError;
use crate::watch::WatchError;

/// Why a request has no answer, in words for its page.
#[derive(Debug, Error)]
pub enum AnswerError {
    /// The host says why: its queue of work is full, its store is gone, it trains nobody.
    #[error("{0}")]
    Host(HostError),
    /// What is kept.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Games, players and tables by name.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The explorer.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// Players at play.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// A recorded game.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// What is best in a position.
    #[error(transparent)]
    Best(#[from] BestError),
    /// A record from a file.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A timed game.
    #[error(transparent)]
    Room(#[from] RoomError),
    /// Memory of solved games.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// Another question has taken its place.
    #[error("{CANCELLED}")]
    Cancelled,
    /// There is no such game in the store.
    #[error("there is no game {0}")]
    NoGame(i64),
    /// The watch session is gone.
    #[error("this game is no longer open")]
    NoSession,
    /// A page watches enough.
    #[error("too many games are open; close one")]
    ManyOpen,
    /// All pages together do.
    #[error("the lab is busy: too many games are watched; try again in a moment")]
    ManyWatched,
    /// No room is free.
    #[error("too many games are being played; close one")]
    ManyPlayed,
    /// The room is gone.
    #[error("nobody plays there any more")]
    NoRoom,
    /// The shown game is gone.
    #[error("this game is no longer shown")]
    NotShown,
    /// The explorer has nothing to look at.
    #[error("nothing is solved yet")]
    NothingSolved,
    /// A page looks at a game which others have pushed from the shelf; it then solves it again.
    #[error("this solution is no longer in memory")]
    Forgotten,
}

impl From<HostError> for AnswerError {
    fn from(error: HostError) -> AnswerError {
        AnswerError::Host(error)
    }
}
