//! Watching: one or two players on the same pieces, placement by placement; a person may be one of them.

mod guideline;
mod meeting;
mod placement;

pub use meeting::{MAX_GAMES, Meeting};

use bellmino_engine::{AnyRecord, Game, RecordError, guideline as modern, placement as small};
use bellmino_lab::{NoAnswer, PlayerError};
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use self::guideline::GuidelineSide;
use self::placement::PlacementSide;
use crate::catalogue::{EXACT, describe};
use crate::collection::{Collection, LibraryError};
use crate::contestant::CONTESTANT;
use crate::desk::{Desk, Impatience, JobKind};
use crate::kept::RecordToKeep;
use crate::shelf::{Shelf, ShelfError};

/// The most placements in one answer.
const MAX_MOVES: u32 = 200;

/// How long one answer may take, in milliseconds.
const PATIENCE: f64 = 80.0;

/// How many of a player's candidates are shown.
const MAX_CANDIDATES: usize = 5;

/// The players of one game.
pub struct WatchSession {
    sides: Vec<Side>,
}

/// One placement and what came of it, as the page shows it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct WatchedMove {
    /// The piece's name.
    pub piece: String,
    /// Its colour.
    pub colour: String,
    /// Its cells, `[column, row]`.
    pub cells: Vec<[usize; 2]>,
    /// The rows that were full, from the bottom.
    pub cleared: Vec<usize>,
    /// Whether it ended the game.
    pub fatal: bool,
    /// The board after, rows from the bottom.
    pub board: Vec<String>,
    /// Points of this placement.
    pub points: f64,
    /// Points so far.
    pub score: f64,
    /// Rows so far.
    pub lines: u64,
    /// Pieces so far.
    pub pieces: u64,
    /// How the game ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// The finished game, to be kept.
    #[serde(skip)]
    pub to_keep: Option<KeepIt>,
    /// The number under which the finished game was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<i64>,
    /// Why it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_kept: Option<String>,
    /// What was considered, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<WatchedCandidate>,
    /// The held piece after it (guideline games).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<String>,
    /// The piece to place after it and the next ones (guideline games).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub queue: String,
    /// What was cleared, in words (guideline games).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub clear: String,
}

/// The record of a finished game and who played it, or why there is none.
pub type KeepIt = Box<Result<RecordToKeep, RecordError>>;

/// Why there is nothing to watch.
#[derive(Debug, Error)]
pub enum WatchError {
    /// There is no such game, player or table.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// Nobody plays, or too many.
    #[error("one or two players can be watched")]
    Players,
    /// There is nobody at this place.
    #[error("there is no such player")]
    NoSide,
    /// A machine is asked to play for a person.
    #[error("it is the person's turn")]
    PersonsTurn,
    /// A person is asked to play for a machine.
    #[error("this player places its own pieces")]
    Machine,
    /// The game has ended.
    #[error("the game is over")]
    Over,
    /// A number of no placement.
    #[error("there is no such placement")]
    NoPlacement,
    /// A player of other games.
    #[error("`{0}` does not play guideline games; `bot` does")]
    NotGuideline(String),
    /// Too large for the player `exact`.
    #[error("this board is too large to be solved at once")]
    TooLarge,
    /// It was not solved.
    #[error(transparent)]
    Solve(#[from] Impatience),
    /// There is no memory for its table.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// A player that cannot play this.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A player that says nothing.
    #[error(transparent)]
    NoAnswer(#[from] NoAnswer),
    /// A placement that the rules refuse.
    #[error(transparent)]
    Placement(#[from] small::PlayError),
    /// The same in a guideline game.
    #[error(transparent)]
    Guideline(#[from] modern::PlayError),
    /// One is not compared with anybody, nor are three.
    #[error("two players can be compared")]
    Two,
    /// So many games are not compared.
    #[error("a comparison has 2 to {MAX_GAMES} games, and not {0}")]
    Games(usize),
    /// People are not compared.
    #[error("machines are compared; you play against one")]
    Person,
}

/// What the players of a session come from.
pub struct Source<'a> {
    /// Games, weights and tables.
    pub library: &'a dyn Collection,
    /// Memory of solved games.
    pub shelf: &'a Shelf,
    /// Where they are looked up.
    pub desk: &'a dyn Desk,
}

/// A placement that was considered.
#[derive(Clone, Debug, Serialize)]
pub struct WatchedCandidate {
    /// Its cells.
    pub cells: Vec<[usize; 2]>,
    /// What the player thinks it is worth.
    pub value: f64,
}

impl WatchSession {
    /// What kind of work it is to open a game with these players.
    pub fn opening(players: &[String]) -> JobKind {
        let is_large = |player: &String| player == EXACT || player.starts_with("table:");
        if players.iter().any(is_large) { JobKind::Solve } else { JobKind::Short }
    }

    /// Opens a game; also what the page needs to draw it.
    pub fn open(
        name: &str,
        set: &[String],
        players: &[String],
        seed: u64,
        source: &Source<'_>,
    ) -> Result<(WatchSession, Value), WatchError> {
        if !(1..=2).contains(&players.len()) {
            return Err(WatchError::Players);
        }
        let game = source.library.game(name, set)?;
        let side = |(place, player): (usize, &String)| {
            let against = players.get(1 - place).map(String::as_str);
            Side::new(&game, player, against, seed, source)
        };
        let sides = players.iter().enumerate().map(side).collect::<Result<_, _>>()?;
        let shown = describe(&game);
        Ok((WatchSession { sides }, shown))
    }

    /// What kind of work the moves of a player are.
    pub fn moving(&self, side: usize) -> JobKind {
        match self.sides.get(side) {
            Some(Side::Guideline(side)) if side.thinks() => JobKind::Think,
            _ => JobKind::Short,
        }
    }

    /// Plays up to `count` placements of a machine; an empty list means that the game is over.
    pub fn moves(
        &mut self,
        side: usize,
        count: u32,
        desk: &dyn Desk,
    ) -> Result<Vec<WatchedMove>, WatchError> {
        let begin = desk.now();
        let side = self.side(side)?;
        let mut moves = Vec::new();
        while moves.len() < count.min(MAX_MOVES) as usize && desk.now() - begin < PATIENCE {
            let step = match side {
                Side::Placement(side) => side.step()?,
                Side::Guideline(side) => side.step()?,
            };
            let Some(step) = step else { break };
            moves.push(step);
        }
        Ok(moves)
    }

    /// The piece of a human and where it may be placed.
    pub fn options(&mut self, side: usize) -> Result<Value, WatchError> {
        Ok(match self.side(side)? {
            Side::Placement(side) => side.options(),
            Side::Guideline(side) => side.options(),
        })
    }

    /// Places a human's piece.
    pub fn place(&mut self, side: usize, option: usize) -> Result<WatchedMove, WatchError> {
        match self.side(side)? {
            Side::Placement(side) => side.choose(option),
            Side::Guideline(side) => side.choose(option),
        }
    }

    fn side(&mut self, index: usize) -> Result<&mut Side, WatchError> {
        self.sides.get_mut(index).ok_or(WatchError::NoSide)
    }
}

enum Side {
    Placement(Box<PlacementSide>),
    Guideline(Box<GuidelineSide>),
}

impl Side {
    fn new(
        game: &Game,
        player: &str,
        against: Option<&str>,
        seed: u64,
        source: &Source<'_>,
    ) -> Result<Side, WatchError> {
        // A person's game is kept with the name of the machine beside it.
        let against = against.filter(|_| player == "human").map(str::to_owned);
        Ok(match game {
            Game::Placement(game) => {
                Side::Placement(Box::new(PlacementSide::new(game, player, against, seed, source)?))
            }
            Game::Guideline(game) => {
                Side::Guideline(Box::new(GuidelineSide::new(game, player, against, seed, source)?))
            }
        })
    }
}

/// A finished game, to be kept; a person's with the machine that it was played against.
fn keep_it(record: Result<AnyRecord, RecordError>, player: &str, against: Option<&str>) -> KeepIt {
    Box::new(record.and_then(|record| Ok(RecordToKeep::new(&record, player)?.against(against))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::BuiltInCollection;
    use crate::desk::QuietDesk;
    use crate::picture::cells;
    use crate::replay::Replay;
    use bellmino_engine::placement::{self, Grid};
    use bellmino_lab::load::built_in_game;
    use bellmino_lab::{Opponent, Player, Playthrough};
    fn open(game: &str, set: &[&str], players: &[&str], seed: u64) -> Result<(WatchSession, Value), String> {
        let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let shelf = Shelf::default();
        let source = Source { library: &BuiltInCollection, shelf: &shelf, desk: &QuietDesk };
        let opened = WatchSession::open(game, &owned(set), &owned(players), seed, &source);
        opened.map_err(|error| error.to_string())
    }

    /// The finished game as it is to be kept.
    fn kept(last: &WatchedMove) -> RecordToKeep {
        last.to_keep.clone().unwrap().unwrap()
    }

    #[test]
    fn a_watched_game_is_the_one_of_the_command_line() {
        let game = built_in_game("small", &[]).unwrap();
        let game = game.placement().unwrap();
        let player = Player::of_placement("weights:lee4", game).unwrap();
        let (mut watch, _) = open("small", &[], &["weights:lee4"], 5).unwrap();
        let mut playthrough = Playthrough::<placement::Match, _>::placement(
            game.clone(),
            &player,
            &Opponent::Random,
            (5, 0),
            None,
        )
        .unwrap();
        let mut expected = Vec::new();
        while let Some(turn) = playthrough.next()
            && expected.len() < 50
        {
            let turn = turn.unwrap();
            let after = playthrough.game().board().to_board(game).to_string();
            expected.push((turn.placement, playthrough.game().stats().score, after));
        }
        let mut shown = Vec::new();
        while shown.len() < expected.len() {
            let moves = watch.moves(0, (expected.len() - shown.len()) as u32, &QuietDesk).unwrap();
            if moves.is_empty() {
                break;
            }
            shown.extend(moves);
        }
        assert_eq!(shown.len(), expected.len());
        for (shown, expected) in shown.iter().zip(&expected) {
            let (placement, score, rows) = expected;
            assert_eq!(shown.score, *score);
            assert_eq!(shown.cells, cells(game, *placement));
            let drawn: Vec<String> = rows.lines().rev().map(str::to_owned).collect();
            for (y, row) in drawn.iter().enumerate() {
                let colours = shown.board.get(y).map_or("", String::as_str);
                let filled: String =
                    colours.chars().map(|cell| if cell == '.' { '.' } else { '#' }).collect();
                assert_eq!(format!("{filled:.<0$}", game.width()), *row);
            }
        }
    }

    #[test]
    fn a_person_and_a_machine_get_the_same_pieces() {
        let (mut watch, _) = open("mini", &[], &["human", "lowest"], 3).unwrap();
        assert!(watch.moves(0, 1, &QuietDesk).is_err(), "the person is not played for");
        assert!(watch.place(1, 0).is_err(), "the machine plays itself");
        for _ in 0..3 {
            let options = watch.options(0).unwrap();
            let machine = watch.moves(1, 1, &QuietDesk).unwrap();
            let Some(machine) = machine.first() else { break };
            assert_eq!(options["piece"], machine.piece.as_str());
            assert!(watch.place(0, 99).is_err());
            if watch.place(0, 0).unwrap().fatal {
                break;
            }
        }
    }

    #[test]
    fn a_game_on_a_small_board_is_kept_and_can_be_looked_at_again() {
        let (mut watch, _) = open("baby", &[], &["human"], 4).unwrap();
        let mut boards = vec![Vec::new()];
        let last = loop {
            let step = watch.place(0, 0).unwrap();
            boards.push(step.board.clone());
            if step.end.is_some() {
                break step;
            }
        };
        let kept = kept(&last);
        assert_eq!((kept.mode.as_str(), kept.player.as_str()), ("baby", CONTESTANT));
        assert_eq!((kept.state, kept.standing.pieces as u64), ("topped-out", last.pieces));
        let replay = Replay::read(&kept.standing.record).unwrap();
        let steps = replay.shown();
        assert_eq!(steps.len() as u64, last.pieces);
        for (step, board) in steps.iter().zip(&boards) {
            assert_eq!(step["before"], serde_json::json!(board));
        }
        // The first placement there is, every time: some of them give something away.
        let mut losses = Vec::new();
        replay.judge(&QuietDesk, |said| losses.push(said.loss)).unwrap();
        assert_eq!(losses.len(), steps.len());
        assert!(
            losses.iter().all(|loss| *loss >= 0.0) && losses.iter().any(|loss| *loss > 0.0),
            "{losses:?}"
        );
    }

    #[test]
    fn the_bot_finishes_a_sprint() {
        let (mut watch, shown) = open("sprint", &[], &["bot:quick"], 1).unwrap();
        assert_eq!(shown["kind"], "guideline");
        let mut last = WatchedMove::default();
        loop {
            let moves = watch.moves(0, 50, &QuietDesk).unwrap();
            let Some(end) = moves.last() else { break };
            assert!(moves.iter().all(|step| step.cells.len() == 4 && !step.candidates.is_empty()));
            last = end.clone();
        }
        let kept = kept(&last);
        assert_eq!((kept.player.as_str(), kept.state), ("bot:quick", "goal"));
        assert_eq!(kept.standing.pieces as u64, last.pieces);
        assert!(Replay::read(&kept.standing.record).is_ok());
        assert!(last.lines >= 40 && last.end.as_deref().is_some_and(|end| end.contains("goal")), "{last:?}");
    }

    #[test]
    fn two_machines_meet_and_the_better_one_is_told() {
        let shelf = Shelf::default();
        let source = Source { library: &BuiltInCollection, shelf: &shelf, desk: &QuietDesk };
        let open = |game: &str, players: &[&str], games: usize| {
            let players: Vec<String> = players.iter().map(|&name| name.to_owned()).collect();
            Meeting::open(game, &players, 1, games, &source)
        };
        let mut meeting = open("mini", &["exact", "random"], 30).unwrap();
        while !meeting.is_over(0.0) {
            meeting.play_on(&QuietDesk).unwrap();
        }
        let shown = meeting.shown();
        assert_eq!(
            (&shown["standing"]["better"], &shown["standing"]["games"]),
            (&Value::from(0), &Value::from(30))
        );
        assert_eq!(shown["standing"]["measure"], "score");
        for (game, players, games, expected) in [
            ("mini", &["lowest"][..], 10, "two players"),
            ("mini", &["lowest", "human"], 10, "machines are compared"),
            ("mini", &["lowest", "random"], 1, "2 to 400"),
            ("mini", &["lowest", "run:none"], 10, "no `run:none`"),
            ("sprint", &["bot", "exact"], 10, "`bot` does"),
        ] {
            let why = open(game, players, games).map(|_| ()).unwrap_err().to_string();
            assert!(why.contains(expected), "{why}");
        }
        assert_eq!(open("sprint", &["bot", "lowest"], 5).unwrap().kind(), JobKind::Think);
        assert_eq!(open("sprint", &["bot:quick", "lowest"], 5).unwrap().kind(), JobKind::Short);
    }

    #[test]
    fn bad_requests_are_refused() {
        let open =
            |game: &str, set: &[&str], players: &[&str]| open(game, set, players, 0).map(|_| ()).unwrap_err();
        assert!(open("bab", &[], &["lowest"]).contains("baby"));
        assert!(open("baby", &["board.height=99"], &["lowest"]).contains("height"));
        assert!(open("baby", &[], &["weights:/etc/passwd"]).contains("no weights"));
        assert!(open("baby", &[], &[]).contains("one or two"));
        assert!(open("sprint", &[], &["exact"]).contains("`bot` does"));
        assert!(open("classic", &[], &["exact"]).contains("too large"));
        assert!(open("classic", &[], &["run:none"]).contains("no `run:none`"));
        // A file of the folder that the lab happens to be started in is no business of a page.
        for player in ["weights:Cargo.toml", "table:Cargo.toml", "bot:Cargo.toml", "table:/dev/zero"] {
            let why = open("baby", &[], &[player]);
            assert!(
                why.contains("in the lab") || why.contains("no player") || why.contains("no table"),
                "{why}"
            );
            let name = player.split_once(':').unwrap().1;
            assert!(open("sprint", &[], &[player]).contains(name), "{player}");
        }
        assert!(open("/etc/passwd", &[], &["lowest"]).contains("/etc/passwd"));
        // Nor is a page told which files there are.
        for game in ["baby", "sprint"] {
            let why = |player: &str| open(game, &[], &[player]).replace(player, "");
            assert_eq!(why("Cargo.toml"), why("Cargo.none"));
            assert_eq!(why("tuples:Cargo.toml"), why("tuples:Cargo.none"));
        }
    }

    /// Eleven pieces in a bag: 2,048 states of the dealer on each board. Twice this stopped the lab.
    #[test]
    fn what_takes_too_much_memory_is_refused_at_once() {
        let set = [
            "pieces.set=[\"I3\",\"L3\",\"I2\",\"O1\",\"I\",\"O\",\"T\",\"S\",\"Z\",\"J\",\"L\"]",
            "dealer.kind=bag",
        ];
        let why = open("baby", &set, &["exact"], 1).map(|_| ()).unwrap_err();
        assert!(why.contains("too big") && why.contains("MiB"), "{why}");
    }
}
