//! Records: a whole game as rules, seed and what was done.

use serde::{Deserialize, Serialize};
use toml::Table;

use super::columns::AnyColumns;
use super::landing::{Grid, Placement};
use super::r#match::{Allowance, DealtBy, Match};
use crate::game::{Game, PlacementGame};
use crate::outcome::Outcome;
use crate::record::{RecordError, VERSION};
use crate::rng::{Purpose, stream};

/// A game that can be played again, exactly. Its text form is TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The format of the record: 1.
    pub version: u32,
    /// The family of games: `placement`.
    pub kind: String,
    /// The name of the game.
    pub game: String,
    /// The seed of the pieces.
    #[serde(with = "crate::record::seed")]
    pub seed: u64,
    /// Which game of the seed.
    #[serde(default)]
    pub index: u64,
    /// Who played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// Pieces in sight after the current one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub previews: usize,
    /// Whether a piece might be held.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hold: bool,
    /// The names of the pieces in the order they were dealt, if it was not chance and the seed that dealt them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dealt: Option<Vec<String>>,
    /// What was done: `hold`, or a placement as piece, rotation, column and row, such as `L3 1 2,0`.
    pub moves: Vec<String>,
    /// What came of it; a replay must give the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<RecordSummary>,
    /// The game's file, every default written out.
    pub rules: Table,
}

/// What came of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordSummary {
    /// The board, top row first, empty rows left out.
    pub board: Vec<String>,
    /// Pieces placed, a fatal one included.
    pub pieces: u64,
    /// Rows cleared.
    pub lines: u64,
    /// Points.
    pub score: f64,
    /// How it ended, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// Something a player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Puts the current piece into hold.
    Hold,
    /// Places a piece.
    Place(Placement),
}

impl Record {
    /// The record of a match in which this was done. It is played again to be sure that it can be.
    pub fn of<G: Grid>(
        played: &Match<G>,
        seed: u64,
        index: u64,
        moves: impl IntoIterator<Item = Action>,
    ) -> Result<Record, RecordError> {
        let game = played.game();
        let name = |piece: u8| game.pieces()[piece as usize].name().to_owned();
        let write = |action: Action| match action {
            Action::Hold => HOLD.to_owned(),
            Action::Place(at) => format!("{} {} {},{}", name(at.piece), at.rotation, at.column, at.row),
        };
        let Allowance { previews, hold } = played.allowance();
        let mut record = Record {
            version: VERSION,
            kind: KIND.to_owned(),
            game: game.name().to_owned(),
            seed,
            index,
            player: None,
            previews,
            hold,
            dealt: played.dealt().map(|dealt| dealt.iter().map(|&piece| name(piece)).collect()),
            moves: moves.into_iter().map(write).collect(),
            summary: None,
            rules: game.to_toml().parse().map_err(|error| RecordError::text(&error))?,
        };
        let again = record.replay(|_, _| {})?;
        record.summary = Some(RecordSummary::of(&again));
        if RecordSummary::of(played) == RecordSummary::of(&again) {
            Ok(record)
        } else {
            Err(RecordError::Differs)
        }
    }

    /// Reads the text form. The game is not played; see [`Record::replay`].
    pub fn from_text(text: &str) -> Result<Record, RecordError> {
        let record: Record = toml::from_str(text).map_err(|error| RecordError::text(&error))?;
        RecordError::check_version(record.version)?;
        record.rules()?;
        Ok(record)
    }

    /// The text form.
    pub fn to_text(&self) -> String {
        // Nothing in a record is beyond TOML: the seed is text, the rest fits.
        toml::to_string_pretty(self).unwrap_or_default()
    }

    /// The game that was played.
    pub fn rules(&self) -> Result<PlacementGame, RecordError> {
        let game = Game::read(&self.game, &self.rules.to_string(), &[])
            .map_err(|error| RecordError::Rules(error.to_string()))?;
        match game {
            Game::Placement(game) => Ok(game),
            Game::Guideline(_) => {
                Err(RecordError::Rules("the rules are those of a guideline game".to_owned()))
            }
        }
    }

    /// The match before anything was done.
    pub fn opening(&self) -> Result<Match, RecordError> {
        RecordError::check_version(self.version)?;
        let allowance = Allowance { previews: self.previews, hold: self.hold };
        if self.previews > MAX_PREVIEWS {
            return Err(RecordError::Rules(format!(
                "{} previews are more than {MAX_PREVIEWS}",
                self.previews
            )));
        }
        let dealing = if self.dealt.is_some() { DealtBy::ByHand } else { DealtBy::Chance };
        let chance = stream(self.seed, Purpose::Dealer, self.index);
        Ok(Match::<AnyColumns>::with(self.rules()?, allowance, dealing, chance))
    }

    /// Plays the game again to its end and compares the outcome with the summary, if there is one. `step` sees the match
    /// before each action, with all its pieces dealt.
    pub fn replay(&self, mut step: impl FnMut(&Match, Action)) -> Result<Match, RecordError> {
        let mut game = self.opening()?;
        let mut dealt = self.dealt.iter().flatten();
        let mut deal = |game: &mut Match| {
            while game.wants_piece()
                && let Some(name) = dealt.next()
            {
                let piece = game.game().piece_index(name);
                let piece =
                    piece.ok_or_else(|| RecordError::Rules(format!("`{name}` is no piece of the game")))?;
                game.deal(piece as u8).map_err(|error| RecordError::Rules(error.to_string()))?;
            }
            Ok(())
        };
        deal(&mut game)?;
        for (index, text) in self.moves.iter().enumerate() {
            let refuse = |why: &dyn std::fmt::Display| RecordError::placement(index + 1, why);
            let action = read_action(game.game(), text).map_err(|why| refuse(&why))?;
            step(&game, action);
            match action {
                Action::Hold => game.hold(),
                Action::Place(placement) => game.play(&placement).map(|_| ()),
            }
            .map_err(|error| refuse(&error))?;
            deal(&mut game)?;
        }
        match &self.summary {
            Some(summary) if *summary != RecordSummary::of(&game) => Err(RecordError::Differs),
            _ => Ok(game),
        }
    }
}

impl RecordSummary {
    /// What has come of a match so far.
    pub fn of<G: Grid>(game: &Match<G>) -> RecordSummary {
        let board = game.board().to_board(game.game()).to_string();
        let stats = game.stats();
        RecordSummary {
            board: board.lines().skip_while(|row| !row.contains('#')).map(str::to_owned).collect(),
            outcome: game.outcome(),
            pieces: stats.pieces,
            lines: stats.lines,
            score: stats.score,
        }
    }
}

const KIND: &str = "placement";
const HOLD: &str = "hold";
/// The most pieces in sight of a recorded game.
pub(crate) const MAX_PREVIEWS: usize = 64;

fn read_action(game: &PlacementGame, text: &str) -> Result<Action, String> {
    if text == HOLD {
        return Ok(Action::Hold);
    }
    let parse = || {
        let (rest, place) = text.rsplit_once(' ')?;
        let (name, rotation) = rest.rsplit_once(' ')?;
        let (column, row) = place.split_once(',')?;
        let piece = u8::try_from(game.piece_index(name)?).ok()?;
        let rotation: u8 = rotation.parse().ok()?;
        Some(Placement { piece, rotation, column: column.parse().ok()?, row: row.parse().ok()? })
    };
    let names: Vec<&str> = game.pieces().iter().map(super::Piece::name).collect();
    let placement = parse().ok_or_else(|| {
        format!(
            "`{text}` is not `hold` or a placement such as `{} 0 2,0`; pieces: {}",
            names[0],
            names.join(", ")
        )
    })?;
    Ok(Action::Place(placement))
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
