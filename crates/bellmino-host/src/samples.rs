//! Samples for the forecasts of the bot, kept in a folder.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use bellmino_lab::calibration::{CalibrationError, Sample, SamplePlan, Source};

use crate::files::{read_regular, write_whole};

/// The longest file of samples that is read.
const MAX_SAMPLES: u64 = 1 << 28;

/// The samples of a player, from its file in the folder as far as they are there; each game that is played is added to
/// it. They are the same on any number of threads. `go_on` is called before and after every game with whether one is done.
pub fn samples_in(
    folder: &Path,
    plan: &SamplePlan,
    source: &Source,
    go_on: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Vec<Sample>, CalibrationError> {
    let path = folder.join(plan.file_name(source));
    let refuse = |error| CalibrationError::File { path: path.clone(), error };
    fs::create_dir_all(folder).map_err(refuse)?;
    let keep =
        &mut |samples: &[Sample]| write_whole(&path, |out| write_samples(out, samples)).map_err(refuse);
    plan.samples(source, known(&path).map_err(refuse)?, go_on, keep)
}

fn write_samples(out: &mut dyn Write, samples: &[Sample]) -> io::Result<()> {
    for sample in samples {
        serde_json::to_writer(&mut *out, sample)?;
        writeln!(out)?;
    }
    Ok(())
}

/// The samples of a file; none if it is not there.
fn known(path: &Path) -> io::Result<Vec<Sample>> {
    match read_regular(path, MAX_SAMPLES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(vec![]),
        Err(error) => Err(error),
        Ok(bytes) => serde_json::Deserializer::from_slice(&bytes)
            .into_iter()
            .collect::<Result<_, serde_json::Error>>()
            .map_err(io::Error::from),
    }
}
