//! A search as bytes, to go on with it later.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::Placement;
use thiserror::Error;

use super::hunt::{BestGame, Found, Hunt};
use super::moves::WellError;
use super::past::{Footstep, Past};
use super::position::WellBits;
use super::tables::take_word;

/// How the bytes begin.
const MARK: &[u8] = b"bellmino hunt 1\n";

/// Why a search does not go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// The game has no such searches.
    #[error(transparent)]
    Well(#[from] WellError),
    /// Something else altogether.
    #[error("this is no checkpoint of a hunt")]
    Foreign,
    /// Not whole.
    #[error("the checkpoint ends in the middle, or contradicts itself")]
    Cut,
    /// Another game.
    #[error("the checkpoint is of another game, dealer, judge or width; ask as it was begun")]
    Other,
}

impl Hunt {
    /// The search as it is. `question` is a number for all that was asked.
    pub fn to_bytes(&self, question: u64) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        let mut words = Words(&mut bytes);
        words.long(question);
        for number in [self.width, self.kept, self.layer.len(), self.past.steps.len()] {
            words.word(number as u32);
        }
        words.word(self.pieces);
        words.long(self.seen);
        let best = self.best();
        words.word(best.rows);
        words.word(best.placements.len() as u32);
        best.placements.iter().for_each(|placement| words.placement(*placement));
        for found in &self.layer {
            found.well.words().iter().for_each(|word| words.long(*word));
            for number in [found.rows, found.phase.into(), found.since, found.turns, found.parent, found.past]
            {
                words.word(number);
            }
        }
        for step in &self.past.steps {
            words.word(step.parent);
            words.word(step.layer);
            words.placement(step.placement);
            words.long(step.hash);
        }
        bytes
    }

    /// Goes on with a search of the same question.
    pub fn from_bytes(game: &PlacementGame, question: u64, bytes: &[u8]) -> Result<Hunt, CheckpointError> {
        let bytes = bytes.strip_prefix(MARK).ok_or(CheckpointError::Foreign)?;
        let mut reader = Reader(bytes);
        if reader.long()? != question {
            return Err(CheckpointError::Other);
        }
        let width = reader.word()? as usize;
        let mut hunt = Hunt::new(game, width)?;
        hunt.kept = reader.word()? as usize;
        let (wells, steps) = (reader.word()?, reader.word()?);
        hunt.pieces = reader.word()?;
        hunt.seen = reader.long()?;
        let rows = reader.word()?;
        let placements = (0..reader.word()?).map(|_| reader.placement()).collect::<Result<_, _>>()?;
        hunt.best = BestGame { rows, placements };
        hunt.layer.clear();
        for _ in 0..wells {
            hunt.layer.push(reader.found(steps)?);
        }
        let mut past = Past::new(hunt.remembers());
        for place in 0..steps {
            let (parent, layer) = (reader.word()?, reader.word()?);
            if parent != super::past::ROOT && parent >= place {
                return Err(CheckpointError::Cut);
            }
            past.push(Footstep { parent, layer, placement: reader.placement()?, hash: reader.long()? });
        }
        past.share();
        hunt.past = past;
        let phases = hunt.dealer.phases();
        let is_right = |found: &Found| usize::from(found.phase) < phases && found.well.top() <= game.height();
        if reader.0.is_empty() && hunt.layer.iter().all(is_right) {
            Ok(hunt)
        } else {
            Err(CheckpointError::Cut)
        }
    }
}

/// Writes words.
struct Words<'a>(&'a mut Vec<u8>);

impl Words<'_> {
    fn word(&mut self, word: u32) {
        self.0.extend(word.to_le_bytes());
    }

    fn long(&mut self, long: u64) {
        self.0.extend(long.to_le_bytes());
    }

    fn placement(&mut self, at: Placement) {
        self.0.extend([at.piece, at.rotation, at.column, at.row]);
    }
}

/// Reads them again.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn word(&mut self) -> Result<u32, CheckpointError> {
        take_word(&mut self.0).ok_or(CheckpointError::Cut)
    }

    fn long(&mut self) -> Result<u64, CheckpointError> {
        let low = self.word()?;
        Ok(u64::from(low) | u64::from(self.word()?) << 32)
    }

    fn placement(&mut self) -> Result<Placement, CheckpointError> {
        let [piece, rotation, column, row] = self.word()?.to_le_bytes();
        Ok(Placement { piece, rotation, column, row })
    }

    fn found(&mut self, steps: u32) -> Result<Found, CheckpointError> {
        let words = [self.long()?, self.long()?, self.long()?, self.long()?];
        let well = WellBits::from_words(words);
        let (rows, phase, since, turns, parent, past) =
            (self.word()?, self.word()?, self.word()?, self.word()?, self.word()?, self.word()?);
        let phase = u8::try_from(phase).map_err(|_| CheckpointError::Cut)?;
        if past != super::past::ROOT && past >= steps {
            return Err(CheckpointError::Cut);
        }
        Ok(Found { well, rows, phase, since, turns, parent, past })
    }
}
