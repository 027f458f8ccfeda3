//! `bellmino man`.

use std::io::{self, Write};

use clap::CommandFactory;

use crate::cli::Cli;
use crate::failure::Failure;

/// Arguments of `man`.
#[derive(clap::Args, Debug)]
pub struct ManArgs {}

/// Prints the manual page: the command, then each of its subcommands.
pub fn run(_args: &ManArgs) -> Result<(), Failure> {
    let mut text = Vec::new();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for subcommand in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let page = clap_mangen::Man::new(subcommand.clone());
        writeln!(text, ".SH \"BELLMINO {}\"", subcommand.get_name().to_uppercase())?;
        page.render_description_section(&mut text)?;
        page.render_synopsis_section(&mut text)?;
        page.render_options_section(&mut text)?;
    }
    Ok(io::stdout().lock().write_all(&text)?)
}
