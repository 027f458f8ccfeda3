//! `bellmino fumen`: diagrams of the community in and out.

use std::io::{self, Read, Write};
use std::path::Path;

use bellmino_engine::guideline::{Fumen, Page, Placement, Record, Spin};
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::{load, output};

/// Arguments of `fumen`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A fumen (`v115@...`, or an address that contains one) to read, or a file to write as a fumen: pages of text or a
    /// record of a game; `-` is stdin
    input: String,
}

/// Turns a fumen into text, or text or a record into a fumen.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let refuse = |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", shown(&args.input)));
    let text = if is_fumen(&args.input) {
        args.input.clone()
    } else if args.input == "-" {
        let mut text = String::new();
        io::stdin().lock().take(MAX_INPUT).read_to_string(&mut text).map_err(|error| refuse(&error))?;
        text
    } else if Path::new(&args.input).exists() {
        load::read_text(Path::new(&args.input))?
    } else {
        return Err(refuse(&"is neither a fumen (`v115@...`) nor a file"));
    };
    let decoding = is_fumen(&text);
    let fumen = if decoding {
        Fumen::decode(&text).map_err(|error| refuse(&error))?
    } else if text.contains("version = ") {
        from_record(&Record::from_text(&text).map_err(|error| refuse(&error))?)
            .map_err(|error| refuse(&error))?
    } else {
        Fumen::from_text(&text).map_err(|error| refuse(&error))?
    };
    if common.json {
        let page = |page: &Page| {
            json!({
                "board": page.cells.to_string().lines().collect::<Vec<_>>(),
                "piece": page.piece.map(|piece| piece.to_string()),
                "comment": page.comment,
                "lock": page.lock,
                "rise": page.rise,
                "mirror": page.mirror,
            })
        };
        let encoded = fumen.encode().map_err(|error| refuse(&error))?;
        return output::json(
            &json!({ "fumen": encoded, "pages": fumen.pages.iter().map(page).collect::<Vec<_>>() }),
        );
    }
    let mut out = io::stdout().lock();
    match decoding {
        true => write!(out, "{}", fumen.to_text())?,
        false => writeln!(out, "{}", fumen.encode().map_err(|error| refuse(&error))?)?,
    }
    Ok(())
}

/// The most that is read from stdin.
const MAX_INPUT: u64 = 1 << 20;

fn is_fumen(text: &str) -> bool {
    ["v115@", "m115@", "d115@", "v110@"].iter().any(|mark| text.contains(mark))
}

/// The input for a message, cut to a reasonable length.
fn shown(input: &str) -> String {
    if input.chars().count() > 40 {
        input.chars().take(37).chain("...".chars()).collect()
    } else {
        input.to_owned()
    }
}

/// A page for every placement of a game, with what it scored.
fn from_record(record: &Record) -> Result<Fumen, bellmino_engine::RecordError> {
    let mut fumen = Fumen::default();
    let (_, mut cells) = record.opening()?;
    let mut score = 0;
    record.replay(|placement, game| {
        let points = game.stats().score - score;
        score = game.stats().score;
        let comment = (points > 0).then(|| format!("+{points} = {score}"));
        let piece = Some(Placement { spin: Spin::None, ..*placement });
        fumen.pages.push(Page { cells: cells.clone(), piece, comment, ..Page::default() });
        cells.place(placement);
    })?;
    fumen.pages.push(Page { cells, ..Page::default() });
    Ok(fumen)
}
