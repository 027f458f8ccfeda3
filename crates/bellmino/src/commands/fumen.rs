//! `bellmino fumen`: diagrams of the community in and out.

use std::io::{self, Read, Write};

use bellmino_lab::load::MAX_TEXT;
use bellmino_lab::request::FumenRequest;

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;

/// Turns a fumen into text, or text or a record into a fumen.
pub fn run(Flags(request): &Flags<FumenRequest>, common: &Common) -> Result<(), Failure> {
    let mut request = request.clone();
    if request.input == "-" {
        let mut text = String::new();
        let read = io::stdin().lock().take(MAX_TEXT).read_to_string(&mut text);
        read.map_err(|error| Failure::input(format!("-: {error}")))?;
        request.text = Some(text);
    }
    let diagram = answer(&request, common)?;
    if common.json {
        return output::json(&diagram);
    }
    let mut out = io::stdout().lock();
    match &diagram.text {
        Some(text) => write!(out, "{text}")?,
        None => writeln!(out, "{}", diagram.fumen)?,
    }
    Ok(())
}
