//! `bellmino analyse`: the best placements of a position, or the mistakes of a game.

mod placement;

use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use bellmino_engine::guideline::{Piece, Position, Record, View};
use bellmino_engine::{AnyRecord, Game};
use bellmino_exact::Objective;
use bellmino_search::{Bot, Budget, Candidate, Judgement, Thought, Unit, Verdict, judge, review};
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
    let thought = Bot::for_rules(&view.rules).think(&view, budget, None);
    if common.json {
        return output::json(&thought_json(&thought, args.top));
    }
    let mut out = io::stdout().lock();
    write!(out, "{board}")?;
    write_thought(&mut out, &thought, args.top)?;
    Ok(())
}

fn refuse_objective(args: &Args) -> Result<(), Failure> {
    let why = "--objective is for records of placement games, whose moves have exact losses";
    if args.objective.is_some() { Err(Failure::input(why)) } else { Ok(()) }
}

fn analyse_record(args: &Args, common: &Common, record: &Record, budget: Budget) -> Result<(), Failure> {
    let moves = record.moves().map_err(Failure::input)?;
    if let Some(number) = args.number {
        let found = number.checked_sub(1).and_then(|index| moves.get(index));
        let judged = found.and_then(|(view, placement)| judge(view, placement, number, budget));
        let judgement = judged.ok_or_else(|| {
            Failure::input(format!("the record has moves 1 to {}, not {number}", moves.len()))
        })?;
        if common.json {
            return output::json(&judgement_json(&judgement, args.top));
        }
        let mut out = io::stdout().lock();
        write_judgement(&mut out, &judgement)?;
        return Ok(write_thought(&mut out, &judgement.thought, args.top)?);
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
    if common.json {
        let list: Vec<Value> = judgements.iter().map(|one| judgement_json(one, 1)).collect();
        return output::json(&json!({
            "game": record.game,
            "moves": moves,
            "judged": judgements.len(),
            "inaccuracies": count(Verdict::Inaccuracy),
            "mistakes": count(Verdict::Mistake),
            "blunders": count(Verdict::Blunder),
            "judgements": list,
        }));
    }
    let mut out = io::stdout().lock();
    for judgement in judgements.iter().filter(|one| one.verdict != Verdict::Good) {
        write_judgement(&mut out, judgement)?;
    }
    writeln!(
        out,
        "{} of {moves} moves judged: {} inaccuracies, {} mistakes, {} blunders",
        judgements.len(),
        count(Verdict::Inaccuracy),
        count(Verdict::Mistake),
        count(Verdict::Blunder)
    )?;
    Ok(())
}

fn write_thought(out: &mut impl Write, thought: &Thought, top: usize) -> io::Result<()> {
    for (index, candidate) in thought.candidates.iter().take(top).enumerate() {
        let line: Vec<String> = candidate.line[1..].iter().map(ToString::to_string).collect();
        let value = worth(candidate.value, thought.unit);
        write!(out, "{}. {}  {value}", index + 1, candidate.placement)?;
        if line.is_empty() { writeln!(out)? } else { writeln!(out, "  then {}", line.join("; "))? }
    }
    if thought.candidates.is_empty() {
        writeln!(out, "no placement is possible")?;
    }
    Ok(())
}

fn write_judgement(out: &mut impl Write, judgement: &Judgement) -> io::Result<()> {
    let Judgement { number, played, loss, verdict, thought } = judgement;
    write!(out, "{number}. {played}: {}", verdict.name())?;
    match thought.candidates.first() {
        Some(best) if *loss > 0.0 => {
            writeln!(out, ", loses {}; better {}", worth(*loss, thought.unit), best.placement)
        }
        _ => writeln!(out),
    }
}

fn worth(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Points => format!("{value:.0} points"),
        Unit::Stack => format!("{value:.0} for the stack"),
        Unit::Chance => format!("{:.0} % chance of an exact end", 100.0 * value),
        Unit::Own => format!("{value:.0}"),
    }
}

/// What the bot thinks of a position, with so many placements, as `--json` prints it.
pub fn thought_json(thought: &Thought, top: usize) -> Value {
    let candidate = |candidate: &Candidate| {
        json!({
            "placement": candidate.placement.to_string(),
            "value": candidate.value,
            "line": candidate.line.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    };
    json!({
        "unit": thought.unit.name(),
        "nodes": thought.nodes,
        "depth": thought.depth,
        "candidates": thought.candidates.iter().take(top).map(candidate).collect::<Vec<_>>(),
    })
}

fn judgement_json(judgement: &Judgement, top: usize) -> Value {
    let loss = if judgement.loss.is_finite() { json!(judgement.loss) } else { Value::Null };
    json!({
        "move": judgement.number,
        "played": judgement.played.to_string(),
        "verdict": judgement.verdict.name(),
        "loss": loss,
        "thought": thought_json(&judgement.thought, top),
    })
}
