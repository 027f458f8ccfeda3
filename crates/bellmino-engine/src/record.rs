//! Records: a whole game as rules, seed and what was done, for games of both families.

use thiserror::Error;

use crate::{guideline, placement};

/// A game that can be played again, exactly, of either family.
///
/// ```
/// use bellmino_engine::{AnyRecord, Game, placement::{Action, Match, Record}};
///
/// let game = Game::built_in("baby", &[]).unwrap().unwrap().placement().unwrap().clone();
/// let mut game: Match = Match::new(game, 1, 0);
/// let placement = game.placements()[0];
/// game.play(&placement).unwrap();
/// let record = Record::of(&game, 1, 0, vec![Action::Place(placement)])?;
/// assert_eq!(AnyRecord::from_text(&record.to_text())?, AnyRecord::Placement(record));
/// # Ok::<(), bellmino_engine::RecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum AnyRecord {
    /// Of a placement game.
    Placement(placement::Record),
    /// Of a guideline game.
    Guideline(guideline::Record),
}

/// Why a record cannot be read or played again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// Not the text form of a record.
    #[error("not a record: {0}")]
    Text(String),
    /// A format this version does not know.
    #[error("records of version {0} are not known; this reads version {VERSION}")]
    Version(u32),
    /// A placement that is against the rules.
    #[error("placement {number} cannot be played: {why}")]
    Placement {
        /// Counted from 1.
        number: usize,
        /// What is wrong with it.
        why: String,
    },
    /// Rules that no game has.
    #[error("{0}")]
    Rules(String),
    /// A beginning that no game can have.
    #[error("cannot start here: {0}")]
    Start(String),
    /// The replay differs from the record's own summary.
    #[error("the replay ends differently from the record's summary")]
    Differs,
}

/// The format this code reads and writes.
pub(crate) const VERSION: u32 = 1;

impl AnyRecord {
    /// Reads the text form of a record of either family. The game is not played.
    pub fn from_text(text: &str) -> Result<AnyRecord, RecordError> {
        #[derive(serde::Deserialize)]
        struct RecordHead {
            kind: Option<String>,
        }
        let head: RecordHead = toml::from_str(text).map_err(|error| RecordError::text(&error))?;
        match head.kind.as_deref() {
            Some("placement") => placement::Record::from_text(text).map(AnyRecord::Placement),
            None => guideline::Record::from_text(text).map(AnyRecord::Guideline),
            Some(other) => Err(RecordError::Text(format!("kind `{other}` is not known; `placement` is"))),
        }
    }

    /// The text form.
    pub fn to_text(&self) -> String {
        match self {
            AnyRecord::Placement(record) => record.to_text(),
            AnyRecord::Guideline(record) => record.to_text(),
        }
    }

    /// The name of the game.
    pub fn game(&self) -> &str {
        match self {
            AnyRecord::Placement(record) => &record.game,
            AnyRecord::Guideline(record) => &record.game,
        }
    }

    /// Who played, if it is known.
    pub fn player(&self) -> Option<&str> {
        match self {
            AnyRecord::Placement(record) => record.player.as_deref(),
            AnyRecord::Guideline(record) => record.player.as_deref(),
        }
    }
}

impl RecordError {
    pub(crate) fn text(error: &toml::de::Error) -> RecordError {
        RecordError::Text(error.message().to_owned())
    }

    /// Placement `number`, counted from 1, is against the rules.
    pub fn placement(number: usize, why: &dyn std::fmt::Display) -> RecordError {
        RecordError::Placement { number, why: why.to_string() }
    }

    pub(crate) fn check_version(version: u32) -> Result<(), RecordError> {
        if version == VERSION { Ok(()) } else { Err(RecordError::Version(version)) }
    }
}

/// Seeds as text, since neither TOML nor JavaScript holds every 64-bit number.
pub(crate) mod seed {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(seed: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&seed.to_string())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Seed {
            Number(u64),
            Text(String),
        }
        match Seed::deserialize(deserializer)? {
            Seed::Number(seed) => Ok(seed),
            Seed::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}
