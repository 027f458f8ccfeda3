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

use std::fmt::Display;
use std::io::{self, Write};

use bellmino_engine::guideline::Rules;
use bellmino_engine::{Purpose, below, stream};
use rayon::prelude::*;
use thiserror::Error;

use crate::checksum::{sealed_json_lines, unsealed};
use crate::player::PlayerError;
use crate::request::Outputs;
use crate::resources::{ResourceError, ResourceKind, Resources};

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
    /// What was kept cannot be read or written.
    #[error("{name}: {why}")]
    Kept {
        /// Its name.
        name: String,
        /// Why.
        why: String,
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

    /// The samples of a player, from where they are kept as far as they are there; each game that is played is added. They are the
    /// same on any number of threads. `go_on` is called before and after every game with whether one is done.
    pub fn kept_samples(
        &self,
        folder: &str,
        source: &Source,
        resources: &dyn Resources,
        outputs: &dyn Outputs,
        go_on: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<Vec<Sample>, CalibrationError> {
        let name = outputs.within(folder, &self.file_name(source));
        let refuse = |why: &dyn Display| CalibrationError::Kept { name: name.clone(), why: why.to_string() };
        outputs.folder(folder).map_err(|why| refuse(&why))?;
        let known = match resources.read(ResourceKind::Samples, &name) {
            Err(ResourceError::Missing(_)) => vec![],
            Err(why) => return Err(refuse(&why)),
            Ok(bytes) => read_samples(bytes).map_err(|why| refuse(&why))?,
        };
        let mut keep = |samples: &[Sample]| {
            outputs.write_by(&name, &mut |out| write_samples(out, samples)).map_err(|why| refuse(&why))
        };
        self.samples(source, known, go_on, &mut keep)
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

/// A line for each, and their checksum.
fn write_samples(out: &mut dyn Write, samples: &[Sample]) -> io::Result<()> {
    let mut text = String::new();
    for sample in samples {
        text += &serde_json::to_string(sample)?;
        text.push('\n');
    }
    out.write_all(sealed_json_lines(&text).as_bytes())
}

/// The same read again.
fn read_samples(bytes: Vec<u8>) -> io::Result<Vec<Sample>> {
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    let text = unsealed(&text).map_err(io::Error::other)?;
    let samples = serde_json::Deserializer::from_str(&text).into_iter();
    samples.collect::<Result<_, serde_json::Error>>().map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every bit counts; what was kept before, without a checksum, is read.
    #[test]
    fn what_is_damaged_is_refused() {
        let one = r#"{"game":3,"score":100,"board":"GGGG......","hold":"S","queue":"IOT","bag":"LJ","back_to_back":true,"combo":0,"pieces":4,"lines":1,"result":{"pieces":90,"points":9000,"empty":false,"lost":true}}"#;
        let samples = read_samples(format!("{one}\n{one}\n").into_bytes()).unwrap();
        assert_eq!(samples.len(), 2);
        let mut whole = vec![];
        write_samples(&mut whole, &samples).unwrap();
        assert_eq!(read_samples(whole.clone()).unwrap(), samples);
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // Other space at the end is no other content.
            let is_end = bit / 8 + 1 == whole.len();
            match read_samples(bytes) {
                Err(_) => {}
                Ok(read) => assert!(is_end && read == samples, "bit {bit}"),
            }
        }
        assert_eq!(read_samples(vec![]).unwrap(), []);
    }
}
