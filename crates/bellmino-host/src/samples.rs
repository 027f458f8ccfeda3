//! Samples for the forecasts of the bot, kept in a folder.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use bellmino_lab::calibration::{CalibrationError, Sample, SamplePlan, Source};
use bellmino_lab::checksum::{sealed_json_lines, unsealed};

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
    let mut text = String::new();
    for sample in samples {
        text += &serde_json::to_string(sample)?;
        text.push('\n');
    }
    out.write_all(sealed_json_lines(&text).as_bytes())
}

/// The samples of a file; none if it is not there.
fn known(path: &Path) -> io::Result<Vec<Sample>> {
    let text = match read_regular(path, MAX_SAMPLES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        read => String::from_utf8(read?).map_err(io::Error::other)?,
    };
    let text = unsealed(&text).map_err(io::Error::other)?;
    let samples = serde_json::Deserializer::from_str(&text).into_iter();
    samples.collect::<Result<_, serde_json::Error>>().map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every bit counts; a file of before, without a checksum, is read.
    #[test]
    fn what_is_damaged_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("samples");
        let one = r#"{"game":3,"score":100,"board":"GGGG......","hold":"S","queue":"IOT","bag":"LJ","back_to_back":true,"combo":0,"pieces":4,"lines":1,"result":{"pieces":90,"points":9000,"empty":false,"lost":true}}"#;
        fs::write(&file, format!("{one}\n{one}\n")).unwrap();
        let samples = known(&file).unwrap();
        assert_eq!(samples.len(), 2);
        write_whole(&file, |out| write_samples(out, &samples)).unwrap();
        let whole = fs::read(&file).unwrap();
        assert_eq!(known(&file).unwrap(), samples);
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&file, bytes).unwrap();
            // Other space at the end is no other content.
            let is_end = bit / 8 + 1 == whole.len();
            match known(&file) {
                Err(_) => {}
                Ok(read) => assert!(is_end && read == samples, "bit {bit}"),
            }
        }
        fs::write(&file, "").unwrap();
        assert_eq!(known(&file).unwrap(), []);
        assert_eq!(known(&folder.path().join("none")).unwrap(), []);
    }
}
