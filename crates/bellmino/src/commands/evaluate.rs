//! `bellmino evaluate`.

mod forecast;

use std::io::{self, Write};

use bellmino_engine::guideline::ClearKind;
use bellmino_lab::PlayerReport;
use bellmino_lab::request::{EvaluateAnswer, EvaluateRequest};
use bellmino_lab::statistics::Summary;

use self::forecast::WaitForecast;
use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::Flags;
use crate::output;
use crate::output::number;
use crate::terminal::Terminal;

/// Plays many games.
pub fn run(Flags(request): &Flags<EvaluateRequest>, common: &Common) -> Result<(), Failure> {
    let forecast = WaitForecast::new(request);
    let remark = |games| forecast.words(games);
    let answer = Terminal::new(common).remarking(&remark).ask(request)?;
    if common.json { output::json(&answer) } else { print(&answer) }
}

fn print(answer: &EvaluateAnswer) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let game = &answer.game;
    for player in answer.players() {
        writeln!(
            out,
            "{game}: {} ({} games, seed {})",
            player.player,
            number(player.games as f64),
            player.seed
        )?;
        for (name, summary) in rows(player) {
            write_row(&mut out, name, summary)?;
        }
        if let Some(guideline) = &player.guideline {
            let kinds = ClearKind::ALL.iter().map(|kind| kind.name()).zip(guideline.clears);
            let given = kinds.chain([("perfect", guideline.perfect_clears)]).filter(|(_, count)| *count > 0);
            let list: Vec<String> =
                given.map(|(kind, count)| format!("{kind} {}", number(count as f64))).collect();
            writeln!(out, "  clears     {}", list.join(", "))?;
            writeln!(out, "  goal reached in {} games", number(guideline.cleared_goal as f64))?;
            let columns = |counts: &[u64]| {
                counts.iter().map(|&count| number(count as f64)).collect::<Vec<_>>().join(" ")
            };
            writeln!(out, "  rows by the column of their last gap  {}", columns(&guideline.wells))?;
            writeln!(out, "  tetrises by column  {}", columns(&guideline.tetris_wells))?;
            if let Some(keys) = guideline.keys_per_piece {
                writeln!(out, "  key presses per piece  {keys:.3}")?;
            }
        }
        let losses = &player.lines_per_loss;
        if let (Some(mean), [Some(low), Some(high)]) = (losses.mean, losses.ci95) {
            let (mean, low, high) = (number(mean), number(low), number(high));
            writeln!(out, "  lines per loss {mean} [{low}, {high}] from {} losses", losses.losses)?;
        }
        if player.unfinished > 0 {
            writeln!(out, "  unfinished games: {}", player.unfinished)?;
        }
        if player.interrupted {
            writeln!(out, "  interrupted: this is what was known by then")?;
        }
        writeln!(out, "  {} pieces per second", number(player.pieces_per_second.round()))?;
    }
    for difference in answer.differences() {
        writeln!(out, "{} minus {}, game by game", difference.player, difference.minus)?;
        for (name, summary) in
            [("score", &difference.score), ("lines", &difference.lines), ("pieces", &difference.pieces)]
        {
            write_row(&mut out, name, summary)?;
        }
    }
    Ok(())
}

fn rows(player: &PlayerReport) -> Vec<(&'static str, &Summary)> {
    let mut rows = vec![("score", &player.score), ("lines", &player.lines), ("pieces", &player.pieces)];
    if let Some(counts) = &player.guideline {
        rows.extend([("drops", &counts.drop_points), ("with drops", &counts.score_with_drops)]);
    }
    rows.extend(player.guideline.as_ref().and_then(|counts| Some(("keys", counts.keys.as_ref()?))));
    rows.extend(player.discounted.as_ref().map(|summary| ("discounted", summary)));
    rows
}

fn write_row(out: &mut impl Write, name: &str, summary: &Summary) -> io::Result<()> {
    let Summary { mean, sd, ci95: [low, high], min, median, max } = summary;
    let interval = match low.is_finite() && high.is_finite() {
        true => format!("[{}, {}]", number(*low), number(*high)),
        false => "[unknown]".to_owned(),
    };
    writeln!(
        out,
        "  {name:10} {} {interval}, sd {}, min {}, median {}, max {}",
        number(*mean),
        number(*sd),
        number(*min),
        number(*median),
        number(*max)
    )
}
