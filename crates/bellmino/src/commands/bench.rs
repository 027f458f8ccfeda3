//! `bellmino bench`.

use std::io::{self, Write};

use bellmino_engine::suggestion;
use bellmino_host::bench::{ALL, Benchmark, checksum};
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::output::number;
use crate::{interrupt, output};

/// Arguments of `bench`.
#[derive(clap::Args, Debug)]
pub struct BenchArgs {
    /// Names of benchmarks; all when absent
    names: Vec<String>,

    /// Run every benchmark, as without names
    #[arg(long, conflicts_with = "names")]
    all: bool,
}

/// Times the benchmarks; a wrong answer is a failure, once all answers and their checksum are printed.
pub fn run(args: &BenchArgs, common: &Common) -> Result<(), Failure> {
    let chosen = if args.all { ALL.iter().collect() } else { choose(&args.names)? };
    let mut results = Vec::new();
    let mut out = io::stdout().lock();
    for benchmark in chosen.into_iter().take_while(|_| interrupt::go_on()) {
        let measured = benchmark.run();
        if !common.json {
            writeln!(
                out,
                "{:16} {:>14} {} per second ({}; {:.3} s; answer {})",
                measured.name,
                number(measured.per_second.round()),
                measured.unit,
                benchmark.what,
                measured.seconds,
                measured.answer
            )?;
        }
        results.push(measured);
    }
    let sum = checksum(results.iter().map(|measured| measured.answer.as_str()));
    if common.json {
        output::json(&json!({ "benchmarks": results, "checksum": sum }))?;
    } else {
        writeln!(out, "checksum {sum}")?;
    }
    results.iter().try_for_each(|measured| measured.check().map_err(Failure::run))
}

fn choose(names: &[String]) -> Result<Vec<&'static Benchmark>, Failure> {
    if names.is_empty() {
        return Ok(ALL.iter().collect());
    }
    let find = |name: &String| {
        ALL.iter().find(|benchmark| benchmark.name == name).ok_or_else(|| {
            let hint = suggestion(name, ALL.iter().map(|benchmark| benchmark.name));
            Failure::input(format!("there is no benchmark `{name}`; {hint}"))
        })
    };
    names.iter().map(find).collect()
}
