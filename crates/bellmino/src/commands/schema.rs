//! `bellmino schema`.

mod python;

use std::io::{self, Write};

use bellmino_lab::request::RequestKind;
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::output;

/// Arguments of `schema`.
#[derive(clap::Args, Debug)]
pub struct SchemaArgs {
    /// A request, such as evaluate; all of them are listed when absent
    request: Option<String>,

    /// Print all requests as functions: the module `_requests` of the Python package
    #[arg(long, conflicts_with = "request")]
    python: bool,
}

/// Prints the JSON Schema of a request and its answer, or the list of all requests.
pub fn run(args: &SchemaArgs, common: &Common) -> Result<(), Failure> {
    if let Some(name) = &args.request {
        return output::json(&RequestKind::named(name).map_err(Failure::input)?.schema());
    }
    if args.python {
        return Ok(write!(io::stdout().lock(), "{}", python::module())?);
    }
    if common.json {
        let names: Vec<&str> = RequestKind::ALL.iter().map(|kind| kind.name).collect();
        return output::json(&json!({ "requests": names }));
    }
    let mut out = io::stdout().lock();
    for kind in RequestKind::ALL {
        let fields = kind.fields();
        writeln!(out, "{:12} {}", kind.name, fields["description"].as_str().unwrap_or_default())?;
    }
    Ok(())
}
