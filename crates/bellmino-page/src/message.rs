//! What a page may ask for. Every message is one JSON object; see `docs/PROTOCOL.md`.

use std::borrow::Cow;

use bellmino_engine::guideline::Key;
use serde::Deserialize;
use serde_json::Value;

use crate::best::BestOrder;
use crate::explore::ExploreRequest;
use crate::premises::TrainOrder;
use crate::rival::RivalOrder;
use crate::setup::{Change, Hands, Mode, Setup};

/// A request with its number; the answer carries the same number, and 0 wants no answer.
#[derive(Debug, Deserialize)]
pub struct Envelope {
    /// The number.
    #[serde(default)]
    pub id: u32,
    /// The request.
    #[serde(flatten)]
    pub request: Request,
}

/// Why a message is not answered as it wants.
#[derive(Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is no message, or wants no answer: its connection ends.
    Malformed,
    /// It is one, and something in it is wrong: its page is told what.
    Refused {
        /// The number of the request.
        id: u32,
        /// What is wrong, in words.
        why: String,
    },
}

impl Envelope {
    /// Reads a message. What it asks for is named by a text, and by nothing else.
    pub fn read(text: &str) -> Result<Envelope, Unreadable> {
        // The names of a tagged enum could also be given as numbers.
        let Named { id, name } = serde_json::from_str(text).map_err(|_| Unreadable::Malformed)?;
        let read = if name.starts_with("explore-") {
            serde_json::from_str(text).map(|request| Envelope { id, request: Request::Explore(request) })
        } else {
            serde_json::from_str(text)
        };
        read.map_err(|error| match id {
            0 => Unreadable::Malformed,
            id => Unreadable::Refused { id, why: format!("the lab cannot do `{name}`: {error}") },
        })
    }
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(default)]
    id: u32,
    #[serde(rename = "do", borrow)]
    name: Cow<'a, str>,
}

/// What is asked for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Request {
    /// What the lab is, its games, players and settings.
    Hello,
    /// The page's clock, to be set against the server's.
    Clock {
        /// Milliseconds on the page's clock.
        t: f64,
    },
    /// Changes a setting; every page hears of it.
    Set {
        /// Its name.
        key: String,
        /// The parts that change.
        value: Value,
    },
    /// Ends the lab.
    Quit,
    /// Opens a board or two with players on the same pieces.
    WatchOpen {
        /// A game of the library.
        game: String,
        /// Changes to it, `key=value`.
        #[serde(default)]
        set: Vec<String>,
        /// One or two players; `human` waits for placements.
        players: Vec<String>,
        /// Seed of everything random.
        #[serde(deserialize_with = "crate::seed::read")]
        seed: u64,
    },
    /// Plays on.
    WatchMoves {
        /// The session.
        session: u32,
        /// Which player.
        side: usize,
        /// At most so many placements.
        count: u32,
    },
    /// The piece of a human and where it may be placed.
    WatchOptions {
        /// The session.
        session: u32,
        /// Which player.
        side: usize,
    },
    /// Places a human's piece.
    WatchPlace {
        /// The session.
        session: u32,
        /// Which player.
        side: usize,
        /// Number of the placement among the options.
        option: usize,
    },
    /// Who can play a game, with names that explain themselves.
    Players {
        /// A game of the library.
        game: String,
    },
    /// Lets two machines meet in many games; how it stands follows as `comparison` events. The one before ends.
    WatchCompare {
        /// A game of the library.
        game: String,
        /// The two.
        players: Vec<String>,
        /// Seed of everything random.
        #[serde(deserialize_with = "crate::seed::read")]
        seed: u64,
        /// Games of each.
        games: usize,
    },
    /// Ends the comparison; it is answered with how it stands.
    WatchCompareEnd,
    /// Forgets a session.
    WatchClose {
        /// The session.
        session: u32,
    },
    /// Opens a timed game in a room of its own; pictures follow as `play` events.
    PlayOpen {
        /// What is played.
        mode: Mode,
        /// Seed of the pieces.
        #[serde(deserialize_with = "crate::seed::read")]
        seed: u64,
        /// How keys repeat.
        hands: Hands,
        /// A position to practise from.
        setup: Option<Setup>,
        /// The page's own name for its seat: a game that is under way there goes on.
        seat: Option<String>,
        /// A machine to play against.
        rival: Option<RivalOrder>,
    },
    /// A key goes down or up.
    Key {
        /// Which one.
        key: Key,
        /// Whether it goes down.
        down: bool,
        /// When, on the server's clock.
        at: f64,
        /// The page's number of the event.
        number: u32,
    },
    /// Stops the clock or lets it go on.
    Pause {
        /// Whether it stops.
        paused: bool,
    },
    /// Begins again with new pieces.
    Restart {
        /// Their seed.
        #[serde(deserialize_with = "crate::seed::read")]
        seed: u64,
        /// How keys repeat.
        hands: Hands,
        /// Whether the pieces are those of the game before, whatever the seed.
        #[serde(default)]
        again: bool,
        /// A machine to play against.
        rival: Option<RivalOrder>,
    },
    /// The duels so far, as a table.
    Duels,
    /// Takes a placement back.
    Undo,
    /// Makes it again.
    Redo,
    /// Changes the position.
    Edit {
        /// What changes.
        change: Change,
    },
    /// Leaves the room; a game that is under way at a seat waits there.
    PlayClose,
    /// The rooms in which somebody plays.
    Rooms,
    /// Looks on; pictures follow as `play` events.
    Spectate {
        /// The room.
        room: u32,
    },
    /// Looks away.
    SpectateEnd,
    /// The games that the program itself shows.
    Shown,
    /// Looks at one of them; pictures follow as `shown` events, until `spectate-end`.
    ShownOpen {
        /// Its number.
        number: u32,
    },
    /// A position from a fumen.
    FumenRead {
        /// The fumen.
        text: String,
    },
    /// A position as a fumen.
    FumenWrite {
        /// Rows from the bottom.
        board: Vec<String>,
        /// The piece in play and the next ones.
        queue: String,
        /// The held piece.
        hold: Option<String>,
    },
    /// The games that have ended, newest first.
    Games,
    /// A game and all its placements.
    GameOpen {
        /// Its number.
        game: i64,
    },
    /// Judges every placement; verdicts follow as `verdict` events.
    GameJudge {
        /// Its number.
        game: i64,
    },
    /// One placement of a game beside the best ones, with the boards that follow each.
    GameLook {
        /// Its number.
        game: i64,
        /// Which placement, from 0.
        step: usize,
    },
    /// What is best in a position.
    Best(BestOrder),
    /// Ends the judging.
    GameJudgeEnd,
    /// Keeps a game from a record file.
    GameImport {
        /// The record.
        text: String,
    },
    /// Forgets a game.
    GameRemove {
        /// Its number.
        game: i64,
    },
    /// The contests of the person against machines, ten games each.
    Contests,
    /// The training runs.
    Runs,
    /// The learning curve of a run.
    RunCurve {
        /// Its name.
        name: String,
    },
    /// Starts a training run.
    TrainStart {
        /// What to train.
        order: TrainOrder,
    },
    /// Ends a training run of the lab that is under way; without a name, whichever it is.
    TrainStop {
        /// Its name.
        name: Option<String>,
    },
    /// Forgets a training run of the lab and all its files.
    TrainRemove {
        /// Its name.
        name: String,
    },
    /// Goes on with a training run.
    TrainResume {
        /// Its name.
        name: String,
    },
    /// Something of the explorer, whose names begin alike.
    #[serde(skip)]
    Explore(Box<ExploreRequest>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_named_by_text_only() {
        let read = |text: &str| Envelope::read(text).map(|envelope| (envelope.id, envelope.request));
        assert!(matches!(read(r#"{"id":7,"do":"quit"}"#), Ok((7, Request::Quit))));
        assert!(matches!(read(r#"{"do":"\u0071uit"}"#), Ok((0, Request::Quit))));
        assert!(matches!(read(r#"{"id":8,"do":"explore-open","table":"x"}"#), Ok((8, Request::Explore(_)))));
        assert!(read(r#"{"id":8,"do":"explore-nothing"}"#).is_err());
        for text in [
            r#"{"do":3}"#,
            r#"{"do":3.0}"#,
            r#"{"do":["quit"]}"#,
            r#"{"do":{"quit":{}}}"#,
            r#"{"do":null}"#,
            r#"{"id":1}"#,
            r#"{"do":"quit","do":3}"#,
            r#"{"do":3,"do":"quit"}"#,
            r#"{"do":"Quit"}"#,
            r#"{"id":-1,"do":"quit"}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    /// What has a number is answered, so that its page can say what is wrong instead of losing its connection.
    #[test]
    fn a_wrong_value_is_refused_in_words_and_what_is_no_message_is_not() {
        let refused = |text: &str| match Envelope::read(text) {
            Err(Unreadable::Refused { id: 4, why }) => why,
            other => panic!("{text}: {other:?}"),
        };
        let seed =
            r#"{"id":4,"do":"watch-open","game":"mini","players":["lowest"],"seed":100000000000000000000}"#;
        assert!(refused(seed).contains("a whole number from 0 to"), "{}", refused(seed));
        assert!(refused(r#"{"id":4,"do":"game-open","game":null}"#).contains("game-open"));
        assert!(refused(r#"{"id":4,"do":"spectate"}"#).contains("room"));
        assert!(refused(r#"{"id":4,"do":"nothing"}"#).contains("nothing"));
        for text in ["{", "", "[]", r#"{"do":"nothing"}"#, r#"{"do":"game-open","game":null}"#, r#"{"id":4}"#]
        {
            assert_eq!(Envelope::read(text).err(), Some(Unreadable::Malformed), "{text}");
        }
    }
}
