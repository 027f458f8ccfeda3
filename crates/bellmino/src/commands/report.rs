//! `bellmino report`: one page from tables of games and moves.

use std::path::PathBuf;

use bellmino_data::report::Report;
use bellmino_host::open_tables;
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::output;
use crate::output::number;

/// Arguments of `report`.
#[derive(clap::Args, Debug)]
pub struct ReportArgs {
    /// Folders with tables, as `evaluate --tables` and `tables` write them; players of all of them are compared
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// The page
    #[arg(long, short, value_name = "FILE.html", default_value = "report.html")]
    output: PathBuf,
}

/// Makes a page of tables.
pub fn run(args: &ReportArgs, common: &Common) -> Result<(), Failure> {
    let mut report = Report::new();
    for folder in &args.folders {
        let (games, moves) = open_tables(folder).map_err(Failure::input)?;
        let read = report.add(&folder.display().to_string(), games, moves);
        read.map_err(|error| Failure::input(format!("{}: {error}", folder.display())))?;
    }
    if report.games() == 0 {
        return Err(Failure::input("the tables have no games: there is nothing to report"));
    }
    let page = report.page().map_err(Failure::run)?;
    output::text_file(&args.output, &page)?;
    if common.json {
        let (file, games) = (&args.output, report.games());
        return output::json(&json!({ "file": file, "games": games, "bytes": page.len() }));
    }
    if !common.quiet {
        eprintln!("{}: {} games", args.output.display(), number(report.games() as f64));
    }
    Ok(())
}
