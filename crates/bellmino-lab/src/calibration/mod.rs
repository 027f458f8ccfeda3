//! Forecasts of the bot that mean what they say: fitted to what came of playing on from positions of strong and weak
//! players, and held against what came of others.
//!
//! # Files
//! - `source`: whose positions
//! - `sample`: a position and what came of playing on
//! - `fit`: the numbers
//! - `reliability`: how well they hold

mod fit;
mod reliability;
mod sample;
mod source;

use std::io;
use std::path::PathBuf;

use bellmino_engine::guideline::Rules;
use bellmino_engine::{Purpose, below, stream};
use rayon::prelude::*;
use thiserror::Error;

use crate::player::PlayerError;

pub use fit::fit;
pub use reliability::{Bin, Reliability, diagram};
pub use sample::{PLAYING_ON, Sample, SampleResult};
pub use source::Source;

/// Positions taken of each game.
const POSITIONS: usize = 20;

/// Which samples to make.
#[derive(Clone, Copy, Debug)]
pub struct SamplePlan {
    /// The rules of the game.
    pub rules: Rules,
    /// Seed of everything random.
    pub seed: u64,
    /// Positions from games of each player; rounded up to whole games.
    pub positions: usize,
    /// How often each of them is played on, every time with other pieces.
    pub times: usize,
}

/// Why there are no samples.
#[derive(Debug, Error)]
pub enum CalibrationError {
    /// No such player.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A file cannot be read or written.
    #[error("{path}: {error}", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Stopped before all was done.
    #[error("interrupted; the samples so far are kept, and the same command goes on")]
    Interrupted,
    /// The samples do not determine the numbers of the forecast.
    #[error("{0} samples are too few for a forecast")]
    TooFew(usize),
}

impl SamplePlan {
    /// Games of each player.
    fn games(&self) -> u64 {
        self.positions.div_ceil(POSITIONS) as u64
    }

    /// How many games of so many players are to be played in all.
    pub fn work(&self, sources: &[Source]) -> u64 {
        self.games() * sources.len() as u64
    }

    /// The name of the file for samples of a player.
    pub fn file_name(&self, source: &Source) -> String {
        let goal = if self.rules.goal.lines.is_some() { "sprint" } else { "blitz" };
        let name = source.name.replace(", ", "-").replace(' ', "-");
        let times = if self.times == 1 { String::new() } else { format!("-{}-times", self.times) };
        format!("{goal}-{name}-{}{times}.jsonl", self.seed)
    }

    /// The samples of a player, after those that are known from earlier; `keep` is handed all of them whenever there are more. They
    /// are the same on any number of threads. `go_on` is called before and after every game with whether one is done.
    pub fn samples(
        &self,
        source: &Source,
        mut samples: Vec<Sample>,
        go_on: &(dyn Fn(u64) -> bool + Sync),
        keep: &mut dyn FnMut(&[Sample]) -> Result<(), CalibrationError>,
    ) -> Result<Vec<Sample>, CalibrationError> {
        samples.retain(|sample| sample.game < self.games());
        let mut next = samples.last().map_or(0, |last: &Sample| last.game + 1);
        go_on(next);
        while next < self.games() {
            // Some at a time, so that little is lost.
            let batch = next..self.games().min(next + 2 * rayon::current_num_threads() as u64);
            let played: Vec<_> = batch
                .clone()
                .into_par_iter()
                .map(|index| {
                    let samples = if go_on(0) { Some(self.game(source, index)?) } else { None };
                    go_on(u64::from(samples.is_some()));
                    Ok::<_, PlayerError>(samples)
                })
                .collect::<Result<_, _>>()?;
            let whole = played.into_iter().collect::<Option<Vec<_>>>();
            samples.extend(whole.ok_or(CalibrationError::Interrupted)?.into_iter().flatten());
            next = batch.end;
            keep(&samples)?;
        }
        Ok(samples)
    }

    /// Positions of one game, each played on by itself; those of one position lie together.
    fn game(&self, source: &Source, index: u64) -> Result<Vec<Sample>, PlayerError> {
        let mut positions = source.game(&self.rules, self.seed, index)?;
        let mut chance = stream(self.seed, Purpose::Training, index);
        let mut taken = vec![];
        while taken.len() < POSITIONS && !positions.is_empty() {
            taken.push(positions.swap_remove(below(&mut chance, positions.len())));
        }
        taken.sort_by_key(|(view, _)| view.pieces);
        let dealt = |number: usize, time: usize| {
            let number = (index * POSITIONS as u64) + number as u64;
            stream(self.seed ^ 0x706c_6179_206f_6e21, Purpose::Dealer, number | (time as u64) << 40)
        };
        let mut samples = vec![];
        for (number, (view, score)) in taken.iter().enumerate() {
            for time in 0..self.times {
                samples.push(Sample::play_on(index, view, *score, dealt(number, time)));
            }
        }
        Ok(samples)
    }
}
