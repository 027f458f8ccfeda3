//! `bellmino compare`: two players on the same pieces.

use std::io::{self, Write};

use bellmino_lab::request::{CompareAnswer, CompareRequest};
use bellmino_lab::{Measure, PairedFigure};

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;
use crate::output::number;

/// Compares two players.
pub fn run(Flags(request): &Flags<CompareRequest>, common: &Common) -> Result<(), Failure> {
    let found = answer(request, common)?;
    if common.json { output::json(&found) } else { Ok(print(&mut io::stdout().lock(), &found)?) }
}

fn print(out: &mut impl Write, found: &CompareAnswer) -> io::Result<()> {
    let CompareAnswer { game, players: [a, b], seed, games, measure, means, wins, draws, .. } = found;
    let games = number(*games as f64);
    writeln!(out, "{game}: {a} against {b} ({games} games on the same pieces, seed {seed})")?;
    let what = match measure {
        Measure::Score => "score",
        Measure::Pieces => "pieces to the goal, fewer are better",
    };
    let [mine, its] = means.map(|mean| mean.map_or("-".to_owned(), number));
    writeln!(out, "  {what}: {mine} and {its}")?;
    writeln!(out, "  games won {}, lost {}, drawn {draws}", wins[0], wins[1])?;
    for (name, figure) in [("difference", &found.difference), ("ratio", &found.ratio)] {
        let Some(PairedFigure { estimate, ci95, method }) = figure else { continue };
        let [low, high] = ci95.map(|end| end.map_or("unknown".to_owned(), number));
        writeln!(out, "  {name:10} {} [{low}, {high}] ({method})", number(*estimate))?;
    }
    writeln!(out, "  p {:.4}", found.p_value)?;
    if let Some(needed) = found.games_needed {
        writeln!(out, "  games needed to tell such a difference: {}", number(needed as f64))?;
    }
    if found.interrupted {
        writeln!(out, "  interrupted: this is what was known by then")?;
    }
    writeln!(out, "  {a} against {b}: {}", found.verdict.words())
}
