//! `bellmino analyse`: the best placements of a position, or the mistakes of a game.

mod placement;

use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use bellmino_engine::guideline::{Piece, Position, Record, View};
use bellmino_engine::{AnyRecord, Game};
use bellmino_exact::Objective;
use bellmino_lab::verdict::{
    analysis_json, choice_words, forecast_words, held, judgement_json, judgement_words, loss_words,
};
use bellmino_search::{Analysis, Budget, Judgement, Verdict, analyse, judge, review, steps};
use serde_json::{Value, json};

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::{self, ThinkArgs};
use crate::{interrupt, output};

/// Arguments of `analyse`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A record of a game, or a board: a fumen, a file, or rows from the top such as "##........ / ####.#####"
    input: String,

    /// The current piece and the next ones (of a board)
    #[arg(long, value_name = "PIECES", value_parser = load::pieces)]
    queue: Option<load::Pieces>,

    /// The held piece (of a board)
    #[arg(long, value_name = "PIECE", value_parser = load::piece)]
    hold: Option<Piece>,

    /// The pieces left in the bag after the queue (of a board) [default: unknown]
    #[arg(long, value_name = "PIECES", value_parser = load::pieces)]
    bag: Option<load::Pieces>,

    /// What the game is about (of a board)
    #[arg(long, value_name = "GOAL", default_value = "blitz", value_parser = ["sprint", "blitz", "practice"])]
    goal: String,

    /// The last clear keeps back-to-back alive (of a board)
    #[arg(long)]
    back_to_back: bool,

    /// Clears in a row so far (of a board)
    #[arg(long, value_name = "N", default_value_t = 0)]
    combo: u32,

    /// Pieces placed so far (of a board)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pieces: u32,

    /// Rows cleared so far (of a board)
    #[arg(long, value_name = "N", default_value_t = 0)]
    lines: u32,

    /// Points made so far (of a board); the expected result counts them
    #[arg(long, value_name = "N")]
    score: Option<u64>,

    /// Only this move of the record, counted from 1
    #[arg(long = "move", value_name = "N")]
    number: Option<usize>,

    /// How many placements to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,

    /// What the exact losses in a placement game are of: discounted:L, horizon:N (pieces), total, average or survive
    /// [default: total if it is finite, else average]
    #[arg(long, value_name = "O", value_parser = Objective::from_str)]
    objective: Option<Objective>,

    #[command(flatten)]
    think: ThinkArgs,
}

/// Analyses a position or a record.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let budget = args.think.budget_of_one(Budget::REVIEW, common);
    let path = Path::new(&args.input);
    if path.is_file() {
        let text = load::read_text(path)?;
        if text.contains("version = ") {
            let record = AnyRecord::from_text(&text)
                .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
            return match record {
                AnyRecord::Placement(record) => placement::run(args, common, &record),
                AnyRecord::Guideline(record) => {
                    refuse_objective(args)?;
                    analyse_record(args, common, &record, budget)
                }
            };
        }
    }
    refuse_objective(args)?;
    let board = load::board(&args.input)?;
    let Some(queue) = &args.queue else {
        return Err(Failure::input("a board needs --queue: the current piece and the next ones"));
    };
    let game = Game::built_in(&args.goal, &[]).and_then(Result::ok);
    let game =
        game.as_ref().and_then(Game::guideline).ok_or_else(|| Failure::input(Game::unknown(&args.goal)))?;
    let view = View {
        rules: *game.rules(),
        position: Position { board, hold: args.hold, back_to_back: args.back_to_back, combo: args.combo },
        queue: queue.0.clone(),
        bag: args.bag.clone().map_or_else(Vec::new, |bag| bag.0),
        pieces: args.pieces,
        lines: args.lines,
    };
    let analysis = analyse(&view, args.top, budget);
    if common.json {
        let nothing = json!({ "candidates": [] });
        return output::json(&analysis.map_or(nothing, |analysis| analysis_json(&analysis, args.score)));
    }
    let mut out = io::stdout().lock();
    write!(out, "{board}")?;
    match analysis {
        Some(analysis) => write_analysis(&mut out, &analysis, args.score)?,
        None => writeln!(out, "no placement is possible")?,
    }
    Ok(())
}

fn refuse_objective(args: &Args) -> Result<(), Failure> {
    let why = "--objective is for records of placement games, whose moves have exact losses";
    if args.objective.is_some() { Err(Failure::input(why)) } else { Ok(()) }
}

fn analyse_record(args: &Args, common: &Common, record: &Record, budget: Budget) -> Result<(), Failure> {
    let moves = steps(record).map_err(Failure::input)?;
    if let Some(number) = args.number {
        let found = number.checked_sub(1).and_then(|index| moves.get(index));
        let judged = found.and_then(|step| judge(step, args.top, budget));
        let judgement = judged.ok_or_else(|| {
            Failure::input(format!("the record has moves 1 to {}, not {number}", moves.len()))
        })?;
        if common.json {
            return output::json(&judgement_json(&judgement));
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{}", judgement_words(&judgement))?;
        return Ok(write_analysis(&mut out, &judgement.analysis, Some(judgement.score))?);
    }
    let moves = moves.len();
    let bar = output::progress(common.quiet, moves as u64, "moves");
    let mut judgements = vec![];
    review(record, budget, |judgement| {
        judgements.push(judgement);
        bar.inc(1);
        interrupt::go_on()
    })
    .map_err(Failure::input)?;
    bar.finish_and_clear();
    let count = |verdict: Verdict| judgements.iter().filter(|one| one.verdict == verdict).count();
    let lost: f64 = judgements.iter().map(|one| one.played().loss).sum();
    let coin = judgements.first().map(|one| one.analysis.coin);
    if common.json {
        let list: Vec<Value> = judgements.iter().map(judgement_json).collect();
        return output::json(&json!({
            "game": record.game,
            "moves": moves,
            "judged": judgements.len(),
            "coin": coin.map(bellmino_search::Coin::name),
            "loss": lost,
            "inaccuracies": count(Verdict::Inaccuracy),
            "mistakes": count(Verdict::Mistake),
            "blunders": count(Verdict::Blunder),
            "judgements": list,
        }));
    }
    let mut out = io::stdout().lock();
    for judgement in judgements.iter().filter(|one| one.verdict != Verdict::Good) {
        writeln!(out, "{}", judgement_words(judgement))?;
    }
    writeln!(
        out,
        "{} of {moves} moves judged: {} inaccuracies, {} mistakes, {} blunders; lost in all: {}",
        judgements.len(),
        count(Verdict::Inaccuracy),
        count(Verdict::Mistake),
        count(Verdict::Blunder),
        coin.and_then(|coin| loss_words(lost, coin)).unwrap_or_else(|| "nothing".to_owned()),
    )?;
    if let Some(Judgement { analysis, score, .. }) = judgements.first()
        && let Some(forecast) = &analysis.forecast
    {
        writeln!(out, "expected at the beginning: {}", forecast_words(forecast, Some(*score)))?;
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
