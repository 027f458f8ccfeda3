//! The page's sessions as state machines: messages and time go in, messages and work come out.
//!
//! Nothing here opens a socket or a file, reads a clock, or starts a thread: a server, a worker in a page, a test and a notebook
//! are hosts of the same sessions.
//!
//! # Files
//! - `session`: one page's whole conversation
//! - `message`: what a page may ask
//! - `answer`: why it gets no answer
//! - `premises`: what a host has
//! - `welcome`: what a page is told first
//! - `roster`: who can play a game, with names that explain themselves
//! - `hall`: all timed games, and who sits there
//! - `memory`: an archive in memory
//! - `locked`: locks that outlive a panic
//! - `desk`: where work is done
//! - `collection`: games, players and tables that a page may name
//! - `built_in`: those without any file
//! - `archive`: what the host keeps, so far as sessions look at it
//! - `kept`: games as they are kept
//! - `catalogue`: what a page is told of games and players
//! - `shelf`: memory of solved games
//! - `seed`: seeds as pages give them
//! - `room`: one timed game
//! - `telling`: what its page is told
//! - `scene` and `history`: what can be taken back in it
//! - `progress`: finesse, pace and cleared rows
//! - `standing`: how it is kept
//! - `ending`: its end
//! - `setup`: what it begins with
//! - `clock`: its time
//! - `rival`: a machine that plays beside
//! - `duel`: duels as a table
//! - `contestant`: people against machines
//! - `watch`: players at play
//! - `replay`: recorded games played again
//! - `explore`: small games solved, looked at, mapped and played
//! - `analyse`: recorded games judged
//! - `best`: what is best in a position
//! - `picture`: boards as the page draws them

mod analyse;
mod answer;
mod archive;
mod best;
mod built_in;
mod catalogue;
mod clock;
mod collection;
mod contestant;
mod desk;
mod duel;
mod ending;
mod explore;
mod hall;
mod history;
mod kept;
mod locked;
mod memory;
mod message;
mod picture;
mod premises;
mod progress;
mod replay;
mod rival;
mod room;
mod roster;
mod scene;
pub mod seed;
mod session;
mod setup;
mod shelf;
mod standing;
mod telling;
mod watch;
mod welcome;

pub use analyse::{import, judge, read_fumen, write_fumen};
pub use answer::AnswerError;
pub use archive::{Archive, ArchiveError, Seat, keep};
pub use best::{BestError, BestOrder};
pub use built_in::{BuiltInCollection, no_player, no_weights};
pub use catalogue::{BOTS, EXACT, describe, guideline_board, placement_board};
pub use collection::{Collection, LibraryError};
pub use contestant::{CONTESTANT, DEALT, PLACED, TAKING_TURNS, contest_game, contest_series};
pub use desk::{CANCELLED, Desk, Impatience, JobKind, Patience, QuietDesk};
pub use duel::duels;
pub use ending::{best_splits, ranking};
pub use explore::{
    ExploreError, ExplorePosition, ExploreRequest, FrontierFamily, GameOrder, MAX_TIME, MapOrder, SolveOrder,
    SolvedGame, frontier,
};
pub use hall::{Hall, RoomPlace};
pub use kept::{GameEntry, KeptGame, PLAYER, RecordToKeep, SAME_PIECES, StoredGame, state_of};
pub use locked::locked;
pub use memory::{MemoryArchive, MemoryError};
pub use message::{Envelope, Request, Unreadable};
pub use picture::{Picture, colours};
pub use premises::{HostError, NoRuns, NoTraining, Premises, TrainOrder, TrainingRuns};
pub use replay::{Replay, ReplayError};
pub use rival::{RivalError, RivalOrder, Thoughts};
pub use room::{
    GameKey, Keeping, Opening, Room, RoomCommand, RoomEffect, RoomError, RoomPhase, Saving, Unfinished,
};
pub use scene::SceneError;
pub use session::{
    ArchiveWork, Commons, MAX_MESSAGE, PageEffect, PageFault, PageSession, PageView, PageWork, WorkDone,
};
pub use setup::{Change, Hands, Mode, Setup, SetupError};
pub use shelf::{MAX_BYTES, Shelf, ShelfError, Shelved};
pub use watch::{Meeting, Source, WatchError, WatchSession, WatchedMove};
