//! `bellmino analyse`: the best placements of a position, or the mistakes of a game.

use std::io::{self, Write};

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::Placement;
use bellmino_lab::request::{AnalyseRequest, Analysed, RecordReport};
use bellmino_lab::verdict::{choice_words, forecast_words, held, judgement_words, loss_words};
use bellmino_lab::{LossReport, MoveLoss};
use bellmino_search::{Analysis, Judgement, Verdict};

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, refuse};
use crate::output;
use crate::terminal::Terminal;

/// Analyses a position or a record.
pub fn run(Flags(request): &Flags<AnalyseRequest>, common: &Common) -> Result<(), Failure> {
    let found = request.analyse(&Terminal::new(common).context());
    let found = found.map_err(|error| refuse::<AnalyseRequest>(&error))?;
    if common.json {
        return output::json(&found.to_answer());
    }
    let mut out = io::stdout().lock();
    match &found {
        Analysed::Position { board, analysis, score } => {
            write!(out, "{board}")?;
            match analysis {
                Some(analysis) => write_analysis(&mut out, analysis, *score)?,
                None => writeln!(out, "no placement is possible")?,
            }
        }
        Analysed::Move(judgement) => {
            writeln!(out, "{}", judgement_words(judgement))?;
            write_analysis(&mut out, &judgement.analysis, Some(judgement.score))?;
        }
        Analysed::Record { game, moves, judgements } => write_record(&mut out, game, *moves, judgements)?,
        Analysed::Losses { game, losses, shown, .. } => write_losses(&mut out, game, losses, shown.clone())?,
    }
    Ok(())
}

/// What is expected of the game, and the choices, those that lose least first.
fn write_analysis(out: &mut impl Write, analysis: &Analysis, score: Option<u64>) -> io::Result<()> {
    if let Some(forecast) = &analysis.forecast {
        writeln!(out, "expected if the bot plays on: {}", forecast_words(forecast, score))?;
    }
    for (index, choice) in analysis.choices.iter().enumerate() {
        let line: Vec<String> = choice.line.iter().skip(1).map(ToString::to_string).collect();
        let worth = if index == 0 { "best".to_owned() } else { choice_words(choice, analysis.coin) };
        write!(out, "{}. {}{}  {worth}", index + 1, choice.placement, held(choice))?;
        if line.is_empty() { writeln!(out)? } else { writeln!(out, "  then {}", line.join("; "))? }
    }
    Ok(())
}

/// The moves that were not good, and what they come to.
fn write_record(out: &mut impl Write, game: &str, moves: usize, judgements: &[Judgement]) -> io::Result<()> {
    for judgement in judgements.iter().filter(|one| one.verdict != Verdict::Good) {
        writeln!(out, "{}", judgement_words(judgement))?;
    }
    let first = judgements.first();
    let RecordReport { judged, inaccuracies, mistakes, blunders, loss, .. } =
        RecordReport::of(game, moves, judgements);
    let lost = first.and_then(|one| loss_words(loss, one.analysis.coin));
    writeln!(
        out,
        "{judged} of {moves} moves judged: {inaccuracies} inaccuracies, {mistakes} mistakes, {blunders} blunders; lost in all: {}",
        lost.unwrap_or_else(|| "nothing".to_owned()),
    )?;
    if let Some(Judgement { analysis, score, .. }) = first
        && let Some(forecast) = &analysis.forecast
    {
        writeln!(out, "expected at the beginning: {}", forecast_words(forecast, Some(*score)))?;
    }
    Ok(())
}

/// What each of these moves gave away, and all of them.
fn write_losses(
    out: &mut impl Write,
    game: &PlacementGame,
    losses: &LossReport,
    shown: std::ops::Range<usize>,
) -> io::Result<()> {
    for index in shown {
        let MoveLoss { played, value, best, best_value, loss, .. } = losses.moves[index];
        write!(out, "{}. {}: value {}", index + 1, words(game, played), worth(value))?;
        match loss {
            0.0 => writeln!(out, ", the best")?,
            loss => {
                let (loss, best, value) = (worth(loss), words(game, best), worth(best_value));
                writeln!(out, ", loses {loss}; better {best}: value {value}")?;
            }
        }
    }
    let (count, good) = (losses.moves.len(), losses.moves.iter().filter(|one| one.loss == 0.0).count());
    writeln!(out, "{count} moves, {good} of them the best; {} given away in all", worth(losses.total()))
}

fn words(game: &PlacementGame, placement: Placement) -> String {
    let Placement { piece, rotation, column, row } = placement;
    format!("{} rotation {rotation} column {column} row {row}", game.pieces()[piece as usize].name())
}

fn worth(value: f64) -> String {
    match value {
        f64::INFINITY => "everything to come".to_owned(),
        f64::NEG_INFINITY => "the end".to_owned(),
        value => format!("{value:.6}"),
    }
}
