//! Records: a whole game as rules, seed and what was done.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::bag::Bag;
use super::board::{HEIGHT, WIDTH};
use super::colours::ColourBoard;
use super::handling::{Handling, KeyEvent};
use super::r#match::{Match, Stats};
use super::piece::Piece;
use super::placement::Placement;
use super::position::Position;
use super::rules::Rules;
use super::timed::{AfterLock, Timed};
use super::view::View;
use crate::outcome::Outcome;
use crate::record::{RecordError, VERSION};

/// A game that can be played again, exactly. Its text form is TOML; JSON holds the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The format of the record: 1.
    pub version: u32,
    /// The name of the game.
    pub game: String,
    /// The seed of the pieces.
    #[serde(with = "crate::record::seed")]
    pub seed: u64,
    /// Which game of the seed.
    #[serde(default)]
    pub index: u64,
    /// What was done.
    #[serde(flatten)]
    pub play: Play,
    /// Who played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// The rules.
    pub rules: Rules,
    /// Where it began, if not with an empty board and the first pieces of the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// What came of it; a replay must give the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<RecordSummary>,
}

/// Where a game began that was set up by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Start {
    /// The board in colours, top row first; empty rows above may be left out.
    pub board: Vec<String>,
    /// The held piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<Piece>,
    /// The letters of the current piece and those that follow; then come the pieces of the seed.
    pub queue: String,
    /// How many pieces of the seed are left out, since they were dealt before.
    #[serde(skip_serializing_if = "is_zero")]
    pub dealt: usize,
}

/// What was done in a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Play {
    /// Keys at times.
    Timed {
        /// Every key that went down or up.
        events: Vec<KeyEvent>,
        /// The last millisecond of the game.
        end: u64,
        /// The player's settings.
        handling: Handling,
    },
    /// Placements.
    Placements {
        /// One after the other.
        #[serde(serialize_with = "write_placements", deserialize_with = "read_placements")]
        placements: Vec<Placement>,
    },
}

/// What came of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordSummary {
    /// The board, top row first, empty rows left out.
    pub board: Vec<String>,
    /// How it ended, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Counts.
    pub stats: Stats,
}

impl Record {
    /// A game as far as it was played, without a summary.
    pub fn new(name: &str, rules: Rules, seed: u64, index: u64, play: Play) -> Record {
        Record {
            version: VERSION,
            game: name.to_owned(),
            seed,
            index,
            play,
            player: None,
            rules,
            start: None,
            summary: None,
        }
    }

    /// The record of a game of placements.
    pub fn of_placements(
        name: &str,
        rules: Rules,
        seed: u64,
        index: u64,
        placements: Vec<Placement>,
    ) -> Result<Record, RecordError> {
        Record::new(name, rules, seed, index, Play::Placements { placements }).summarised()
    }

    /// The record of a timed game that began with an empty board and the pieces of this seed.
    pub fn of_timed(
        name: &str,
        rules: Rules,
        seed: u64,
        index: u64,
        timed: &Timed,
    ) -> Result<Record, RecordError> {
        Record::new(name, rules, seed, index, Play::of_timed(timed)).summarised()
    }

    /// Reads the text form. The game is not played; see [`Record::replay`].
    pub fn from_text(text: &str) -> Result<Record, RecordError> {
        let record: Record = toml::from_str(text).map_err(|error| RecordError::text(&error))?;
        record.check()?;
        Ok(record)
    }

    /// The text form.
    pub fn to_text(&self) -> String {
        // Nothing in a record is beyond TOML: the seed is text, the rest fits.
        toml::to_string_pretty(self).unwrap_or_default()
    }

    /// Plays the game again to its end and compares the outcome with the summary, if there is one.
    /// `step` sees the game after every placement.
    pub fn replay(&self, mut step: impl FnMut(&Placement, &Match)) -> Result<Match, RecordError> {
        let (start, _) = self.opening()?;
        let game = match &self.play {
            Play::Placements { placements } => {
                let mut game = start;
                for (index, placement) in placements.iter().enumerate() {
                    game.play(placement).map_err(|error| RecordError::placement(index + 1, &error))?;
                    step(placement, &game);
                }
                game
            }
            Play::Timed { events, end, handling } => {
                let mut timed = Timed::new(start, *handling);
                let mut seen = 0;
                let mut look = |timed: &Timed| {
                    for placement in &timed.placements()[seen..] {
                        step(placement, timed.game());
                    }
                    seen = timed.placements().len();
                };
                for event in events {
                    timed.play(event);
                    look(&timed);
                }
                timed.advance_to(*end);
                look(&timed);
                timed.game().clone()
            }
        };
        match &self.summary {
            Some(summary) if *summary != RecordSummary::of(&game) => Err(RecordError::Differs),
            _ => Ok(game),
        }
    }

    /// The placements, each with how the game stood after it, and the game at its end. In a game of placements there is
    /// neither time nor key. Plays the game again as [`Record::replay`] does.
    pub fn locks(&self) -> Result<(Vec<(Placement, AfterLock)>, Match), RecordError> {
        let mut placements = vec![];
        let game = self.replay(|placement, game| {
            let Stats { holds, drop_points, .. } = *game.stats();
            placements.push((*placement, AfterLock { holds, drop_points, ..AfterLock::default() }));
        })?;
        if let Play::Timed { events, end, handling } = &self.play {
            // Between two events several pieces may lock: only the timed game knows when.
            let mut timed = Timed::new(self.opening()?.0, *handling);
            events.iter().for_each(|event| timed.play(event));
            timed.advance_to(*end);
            placements.iter_mut().zip(timed.locks()).for_each(|(placement, lock)| placement.1 = *lock);
        }
        Ok((placements, game))
    }

    /// What the player saw before each placement, and the placement. Plays the game again as [`Record::replay`] does.
    pub fn moves(&self) -> Result<Vec<(View, Placement)>, RecordError> {
        let mut placements = vec![];
        self.replay(|placement, _| placements.push(*placement))?;
        let (mut game, _) = self.opening()?;
        let play = |(index, placement): (usize, Placement)| {
            // Without previews hold brings a piece that was not in sight: it was chosen for once it was.
            let mut at_hand = game.position().at_hand(game.queue(), game.may_hold());
            if !at_hand.any(|piece| piece == placement.piece) && game.may_hold() {
                game.hold().map_err(|error| RecordError::placement(index + 1, &error))?;
            }
            let view = game.view();
            game.play_unchecked(&placement).map_err(|error| RecordError::placement(index + 1, &error))?;
            Ok((view, placement))
        };
        placements.into_iter().enumerate().map(play).collect()
    }

    /// The game before its first placement, and what fills its board.
    pub fn opening(&self) -> Result<(Match, ColourBoard), RecordError> {
        self.check()?;
        let bag = Bag::numbered(self.seed, self.index);
        let (game, colours) = match &self.start {
            Some(start) => start.game(self.rules, bag)?,
            None => (Match::from_position(self.rules, Position::default(), bag), ColourBoard::EMPTY),
        };
        Ok(match self.play {
            Play::Timed { .. } => (game.for_timed_play(), colours),
            Play::Placements { .. } => (game, colours),
        })
    }

    /// With the summary of a replay.
    fn summarised(mut self) -> Result<Record, RecordError> {
        self.summary = Some(RecordSummary::of(&self.replay(|_, _| {})?));
        Ok(self)
    }

    fn check(&self) -> Result<(), RecordError> {
        RecordError::check_version(self.version)?;
        self.rules.check().map_err(RecordError::Rules)
    }
}

impl Start {
    /// The game that begins here, and what fills its board.
    pub fn game(&self, rules: Rules, bag: Bag) -> Result<(Match, ColourBoard), RecordError> {
        let refuse = |why: String| RecordError::Start(why);
        let colours: ColourBoard =
            self.board.join("\n").parse().map_err(|error| refuse(format!("{error}")))?;
        let board = colours.board();
        if let Some(y) = (0..HEIGHT).find(|&y| (0..WIDTH).all(|x| board.contains(x, y))) {
            return Err(refuse(format!("row {} from the bottom is full; leave a gap", y + 1)));
        }
        let mut queue = vec![];
        for letter in self.queue.chars().filter(|letter| !letter.is_whitespace()) {
            let piece = Piece::from_letter(letter);
            queue.push(piece.ok_or_else(|| refuse(format!("{letter:?} is no piece; use I O T L J S Z")))?);
        }
        let position = Position { board, hold: self.hold, ..Position::default() };
        let game =
            Match::from_position(rules, position, bag.skipping(self.dealt.min(MAX_DEALT)).after(queue));
        if game.outcome().is_some() {
            return Err(refuse("no piece can enter this board".to_owned()));
        }
        Ok((game, colours))
    }
}

impl Play {
    /// What was done so far in timed play.
    pub fn of_timed(timed: &Timed) -> Play {
        Play::Timed { events: timed.log().to_vec(), end: timed.time(), handling: *timed.handling() }
    }
}

impl RecordSummary {
    /// What has come of a game so far.
    pub fn of(game: &Match) -> RecordSummary {
        RecordSummary {
            board: game.position().board.to_text().lines().map(str::to_owned).collect(),
            outcome: game.outcome(),
            stats: *game.stats(),
        }
    }
}

/// The most pieces that are left out; nobody places more by hand.
const MAX_DEALT: usize = 1_000_000;

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn write_placements<S: Serializer>(placements: &[Placement], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(placements.iter().map(ToString::to_string))
}

fn read_placements<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Placement>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| text.parse().map_err(serde::de::Error::custom)).collect()
}
