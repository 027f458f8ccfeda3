//! `bellmino solve`: the exact solution of a small game.

mod losses;
mod policy;
mod show;
mod watcher;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use bellmino_engine::PlacementGame;
use bellmino_exact::{
    Abstraction, FindStatesError, InHand, Objective, Placing, Policy, Reward, Sides, Solution, SolveError,
    SolveReport, SolveSettings, evaluate_reached, find_states, solve_between,
};
use bellmino_host::files::{check_writable, remove_whole, write_whole};
use bellmino_host::{Files, read_table};
use bellmino_lab::{Gap, INFINITE_TOTAL, SolvePlan, SolvePlanError};
use serde_json::{Value, json};

use self::show::StateLook;
use self::watcher::Watcher;

use crate::cli::Common;
use crate::failure::Failure;
use crate::output::number;
use crate::question::{Question, board};
use crate::{output, session};

/// Arguments of `solve`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    question: Question,

    /// Who deals: random, worst (answers the placement), worst-before (names the next piece before it), mixed:E, or
    /// table:FILE
    #[arg(long, value_name = "D", default_value = "random")]
    dealer: String,

    /// Who places: best, or average over all placements
    #[arg(long, value_name = "WHO", default_value = "best", value_parser = Placing::from_str)]
    placer: Placing,

    /// Evaluate this player exactly instead of the best: random, lowest, fewest-holes, weights:NAME, tuples:FILE, table:FILE
    /// (random-rotation and lowest-bottom draw lots: `evaluate` plays them)
    #[arg(long, value_name = "P", conflicts_with = "placer")]
    player: Option<String>,

    /// Also say where --player loses what the best one makes: the N states with the largest expected loss, drawn
    #[arg(long, value_name = "N", requires = "player", conflicts_with_all = ["hold", "view", "reward", "resume"])]
    losses: Option<usize>,

    /// Explore only the boards that --player reaches: its value from the start, the same, often with far fewer boards; the
    /// counts and the mean are those of these boards
    #[arg(long, requires = "player", conflicts_with_all = ["losses", "hold", "view", "reward", "state", "output", "resume"])]
    reached: bool,

    /// The player can put one piece aside
    #[arg(long)]
    hold: bool,

    /// What the player sees of a board: grid, heights or contour
    #[arg(long, value_name = "V", default_value = "grid", value_parser = Abstraction::from_str)]
    view: Abstraction,

    /// Maximise this instead of the score, such as lines=1,height=0.5,score=1,gaps=2
    #[arg(long, value_name = "WEIGHTS", value_parser = Reward::from_str)]
    reward: Option<Reward>,

    /// The wanted proven bound on the value [default: 1e-9 times max(1, |value|)]
    #[arg(long, value_name = "E", value_parser = epsilon)]
    epsilon: Option<f64>,

    /// How: auto, value, modified or policy (iteration)
    #[arg(long, value_name = "M", default_value = "auto", value_parser = bellmino_exact::SolveMethod::from_str)]
    method: bellmino_exact::SolveMethod,

    /// Show every placement on this board with its exact value, the best drawn and first; needs --piece. `empty` is the
    /// empty board
    #[arg(long, value_name = "BOARD", requires = "piece")]
    state: Option<String>,

    /// The piece to place in --state; with a preview, or a dealer who names the next one, those after it, apart by
    /// commas
    #[arg(long, value_name = "P", requires = "state")]
    piece: Option<String>,

    /// The pieces dealt before it, apart by commas, where they matter: a bag, an order
    #[arg(long, value_name = "P", requires = "state")]
    dealt: Option<String>,

    /// The piece put aside in --state
    #[arg(long, value_name = "P", requires_all = ["state", "hold"])]
    held: Option<String>,

    /// Write the solution as a table, to be used as table:FILE
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write what to do in every state as CSV: board, piece, the best placement (rotation, column, row) and the value;
    /// under a horizon for every number of pieces left
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["player", "never_clear"])]
    policy: Option<PathBuf>,

    /// Go on with the unfinished FILE.part of an interrupted run; needs --output
    #[arg(long, requires = "output")]
    resume: bool,

    /// Save FILE.part every so many minutes while solving
    #[arg(long, value_name = "MINUTES", default_value_t = 5.0, value_parser = minutes)]
    save_every: f64,

    /// Also list the largest change of each improving sweep
    #[arg(long)]
    changes: bool,

    /// Full rows score but never leave, over all boards of the grid: the model of seed 000's first runs; with --output
    /// its values are written, to play the game as it is by them (table:FILE)
    #[arg(long, conflicts_with_all = ["player", "resume", "state", "from", "hold", "reward"])]
    never_clear: bool,
}

/// A solved game.
#[derive(Debug)]
pub struct Solved {
    /// The game and its overrides as one text.
    pub name: String,
    /// The game.
    pub game: PlacementGame,
    /// Its figures and its values.
    pub solution: Solution,
    /// What was asked about one state.
    pub look: Option<StateLook>,
    /// What `--json` prints.
    pub answer: Value,
    /// Where the player loses, if that was asked.
    pub gap: Option<Gap>,
    /// Why the value is not proven as well as was wanted, if it is not.
    pub shortfall: Option<String>,
}

/// Solves a game and shows the solution.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    if args.never_clear {
        let (name, game) = args.question.load(common)?;
        return never_clear(&name, args, common, &game);
    }
    if args.reached {
        return reached(args, common);
    }
    let Solved { name, game, solution, look, answer, gap, shortfall } = find(args, common, None)?;
    let objective = solution.table.settings().objective;
    if common.json {
        output::json(&answer)?;
    } else {
        show::print(&name, args, objective, &solution.report, look.as_ref(), &game)?;
        if let Some(gap) = &gap {
            losses::print(&game, gap)?;
        }
    }
    if solution.report.is_infinite() && !common.quiet {
        eprintln!(
            "bellmino: the total is infinite: a careful player never loses. --objective average gives the points per piece"
        );
    }
    shortfall.map_or(Ok(()), |why| Err(Failure::run(anyhow::anyhow!(why))))
}

/// What a player is worth, from the boards that it reaches.
fn reached(args: &Args, common: &Common) -> Result<(), Failure> {
    let (name, game) = args.question.load(common)?;
    let objective = args.question.objective().unwrap_or(Objective::Total);
    let asked = SolveSettings {
        epsilon: args.epsilon,
        method: args.method,
        ..args.question.settings(&game, objective)?
    };
    let plan = plan(args, &game, asked)?;
    let watch = Watcher::new(common.quiet, None, args.save_every);
    let report = evaluate_reached(&game, &plan.settings, plan.sides(), &watch);
    watch.bar.finish_and_clear();
    let report = report.map_err(|error| match error {
        SolveError::Interrupted => Failure::run(anyhow::anyhow!("interrupted")),
        error => Failure::input(error),
    })?;
    if common.json {
        output::json(&show::as_json(&name, args, objective, &report, None, &game))?;
    } else {
        show::print(&name, args, objective, &report, None, &game)?;
    }
    told_shortfall(&report, objective).map_or(Ok(()), |why| Err(Failure::run(anyhow::anyhow!(why))))
}

/// Settings completed by the dealer and the player that are named.
fn plan<'a>(args: &Args, game: &'a PlacementGame, asked: SolveSettings) -> Result<SolvePlan<'a>, Failure> {
    let plan = SolvePlan::new(game, asked, &args.dealer, args.player.as_deref(), &Files);
    plan.map_err(|error| match error {
        SolvePlanError::Dealer(_) | SolvePlanError::CannotDeal(_) => {
            Failure::input(format!("--dealer: {error}"))
        }
        SolvePlanError::Policy(_) => Failure::input(format!("--player: {error}")),
        SolvePlanError::DealerTable(_) | SolvePlanError::Player(_) => Failure::input(error),
    })
}

/// Solves a game. A player that is given is evaluated instead of the one that `--player` names. Without an objective it is
/// the total, or the average where the total is infinite.
pub fn find(args: &Args, common: &Common, instead: Option<&dyn Policy>) -> Result<Solved, Failure> {
    let (name, game) = args.question.load(common)?;
    let objectives = match args.question.objective().or_else(|| begun_objective(args)) {
        Some(objective) => vec![objective],
        None => vec![Objective::Total, Objective::Average],
    };
    let is_chosen = objectives.len() > 1;
    for objective in objectives {
        let is_first_try = is_chosen && objective == Objective::Total;
        let Some(solved) = find_for(args, common, instead, &name, &game, objective, is_first_try)? else {
            continue;
        };
        if is_chosen && !common.quiet {
            let why = match objective {
                Objective::Total => "total, the points until the game is lost",
                _ => "average, the points per piece, since the total is infinite",
            };
            eprintln!("bellmino: no --objective was given; this is {why}");
        }
        return Ok(solved);
    }
    Err(Failure::input("the total is infinite; give an --objective"))
}

/// What an unfinished run that is to go on was about.
fn begun_objective(args: &Args) -> Option<Objective> {
    let part = with_ending(args.output.as_ref().filter(|_| args.resume)?, "part");
    Some(read_table(&part).ok()?.settings().objective)
}

/// Solves a game for one objective; `None` if this is a first try and the value is infinite.
fn find_for(
    args: &Args,
    common: &Common,
    instead: Option<&dyn Policy>,
    name: &str,
    game: &PlacementGame,
    objective: Objective,
    is_first_try: bool,
) -> Result<Option<Solved>, Failure> {
    let state = args.state.as_ref().map(|text| board(game, "--state", text)).transpose()?;
    let pieces =
        |flag, text: &Option<String>| text.as_ref().map(|text| parse_pieces(game, flag, text)).transpose();
    let (queue, dealt) = (pieces("--piece", &args.piece)?, pieces("--dealt", &args.dealt)?);
    let held = pieces("--held", &args.held)?.and_then(|held| held.first().copied());
    let asked = SolveSettings {
        placing: args.placer,
        hold: args.hold,
        view: args.view,
        reward: args.reward,
        epsilon: args.epsilon,
        method: args.method,
        // Whoever asks from within a program may ask the table about any number of pieces left.
        keep_stages: args.output.is_some() || args.policy.is_some() || session::current().is_some(),
        ..args.question.settings(game, objective)?
    };
    if args.reached {
        return Err(Failure::input("--reached: what only a player reaches makes no table"));
    }
    let plan = plan(args, game, asked)?;
    let settings = &plan.settings;
    let hand = match &queue {
        Some(queue) => Some(find_states(game, settings, queue, dealt.as_deref()).map_err(|error| {
            let flag = if error == FindStatesError::Order { "--dealt" } else { "--piece" };
            let hint = match error {
                FindStatesError::Ambiguous => " with --dealt (--dealt '' for none)",
                _ => "",
            };
            Failure::input(format!("{flag}: {error}{hint}"))
        })?),
        None => None,
    };
    let given = plan.sides();
    let sides = Sides { player: instead.or(given.player), ..given };
    for (flag, path) in [("-o", &args.output), ("--policy", &args.policy)] {
        if let Some(path) = path {
            check_writable(path)
                .map_err(|error| Failure::input(format!("{flag} {}: {error}", path.display())))?;
        }
    }
    if args.policy.is_some() && (settings.placing == Placing::Average || sides.player.is_some()) {
        return Err(Failure::input(
            "--policy is for the best player: it goes with neither --player nor --placer average",
        ));
    }
    let part = args.output.as_ref().map(|path| with_ending(path, "part"));
    let resume = match &part {
        Some(part) if args.resume && part.exists() => Some(read_table(part).map_err(Failure::input)?),
        Some(part) if args.resume => {
            if !common.quiet {
                eprintln!("bellmino: there is no {}; starting afresh", part.display());
            }
            None
        }
        _ => None,
    };
    if let Some(table) = resume.as_ref().filter(|_| !common.quiet) {
        eprintln!(
            "bellmino: goes on after {} sweeps; the bound is proven anew, the last digits may differ from those of a run in one go",
            table.finished().sweeps
        );
    }
    let watch = Watcher::new(common.quiet, part.clone(), args.save_every);
    let result = solve_between(game, settings, sides, resume.as_ref(), &watch);
    watch.bar.finish_and_clear();
    let solution = match result {
        Ok(solution) => solution,
        Err(SolveError::Interrupted) => {
            let kept = part.filter(|part| part.exists());
            let hint = kept.map(|part| format!("; kept as {}, go on with --resume", part.display()));
            return Err(Failure::run(anyhow::anyhow!("interrupted{}", hint.unwrap_or_default())));
        }
        Err(error) => return Err(Failure::input(error)),
    };
    if solution.report.is_infinite() {
        if is_first_try {
            return Ok(None);
        }
        if args.output.is_some() || args.state.is_some() || args.policy.is_some() {
            return Err(Failure::input(format!(
                "{INFINITE_TOTAL}, so there is nothing for -o, --policy or --state; ask for average, survive or discounted:L"
            )));
        }
    }
    if let Some(path) = &args.output {
        write_whole(path, |out| solution.table.write(out))
            .map_err(|error| Failure::run(anyhow::anyhow!("{}: {error}", path.display())))?;
        if let Some(part) = &part {
            remove_whole(part)?;
        }
    }
    let look = match (state, &queue, &hand) {
        (Some(board), Some(queue), Some(states)) => {
            let hand = InHand { queue, states, held, left: None };
            let packed = bellmino_exact::packed(game, &board);
            let look = packed.and_then(|board| solution.table.look(board, &hand)).ok_or_else(|| {
                Failure::input("--state: this board with these pieces cannot be reached from the start")
            })?;
            Some(StateLook::new(board, look))
        }
        _ => None,
    };
    let rows = match &args.policy {
        Some(path) => Some(policy::write(path, &solution.table, common)?),
        None => None,
    };
    let mut answer = show::as_json(name, args, objective, &solution.report, look.as_ref(), game);
    if let (Some(path), Some(rows)) = (&args.policy, rows) {
        answer["policy"] = json!({ "file": path, "rows": rows });
    }
    let gap = match (args.losses, sides.player) {
        (Some(most), Some(player)) => {
            let settings = SolveSettings { placing: Placing::Best, ..settings.clone() };
            Some(losses::find(game, &settings, player, most, common)?)
        }
        (Some(_), None) => {
            return Err(Failure::input(
                "--losses: `random` has no choices of its own; give another --player",
            ));
        }
        _ => None,
    };
    if let Some(gap) = &gap {
        answer["losses"] = losses::as_json(game, gap);
    }
    let shortfall = told_shortfall(&solution.report, settings.objective);
    let (name, game) = (name.to_owned(), game.clone());
    Ok(Some(Solved { name, game, solution, look, answer, gap, shortfall }))
}

/// Why a value is not proven as well as was wanted, if it is not.
fn told_shortfall(report: &SolveReport, objective: Objective) -> Option<String> {
    (!report.is_as_wanted()).then(|| {
        format!(
            "the value is proven within {:.1e} only, not within the wanted {:.1e}: {}",
            report.error_bound,
            report.wanted_bound,
            shortfall(objective),
        )
    })
}

/// Why a bound can stop short of what was wanted, and what to do.
fn shortfall(objective: Objective) -> &'static str {
    match objective {
        Objective::Average => {
            "the gain per piece did not settle (parts of the game may gain differently under this dealer, or with hold); \
             ask for discounted:L, or give a larger --epsilon"
        }
        _ => "rounding allows no better; give a larger --epsilon",
    }
}

fn never_clear(name: &str, args: &Args, common: &Common, game: &PlacementGame) -> Result<(), Failure> {
    let Some(objective @ Objective::Discounted(discount)) = args.question.objective() else {
        return Err(Failure::input("--never-clear needs --objective discounted:L"));
    };
    if let Some(path) = &args.output {
        check_writable(path).map_err(|error| Failure::input(format!("-o {}: {error}", path.display())))?;
    }
    let found = bellmino_exact::never_clear(game, discount).map_err(Failure::input)?;
    if let Some(path) = &args.output {
        write_whole(path, |out| found.values.write(out))
            .map_err(|error| Failure::run(anyhow::anyhow!("{}: {error}", path.display())))?;
    }
    let boards = 1u64 << (game.width() * game.height());
    if common.json {
        return output::json(&json!({
            "game": name, "version": env!("CARGO_PKG_VERSION"), "objective": objective.to_string(),
            "never_clear": true, "boards": boards, "sweeps": found.changes.len(), "mean_value": found.mean_value,
            "changes": found.changes,
        }));
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{name}: {}, full rows never leave, all {} boards", objective, number(boards as f64))?;
    writeln!(out, "  mean value   {:.10} over all boards and pieces", found.mean_value)?;
    for (sweep, change) in found.changes.iter().enumerate() {
        writeln!(out, "  sweep {sweep}: change {change}")?;
    }
    Ok(())
}

/// The file's name with one more ending.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

fn parse_pieces(game: &PlacementGame, flag: &str, text: &str) -> Result<Vec<u8>, Failure> {
    let known = |name: &str| {
        game.piece_index(name).map(|piece| piece as u8).ok_or_else(|| {
            let hint = bellmino_engine::suggestion(
                name,
                game.pieces().iter().map(bellmino_engine::placement::Piece::name),
            );
            Failure::input(format!("{flag}: `{name}` is not a piece of this game; {hint}"))
        })
    };
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(known).collect()
}

fn epsilon(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(epsilon) if epsilon > 0.0 && f64::is_finite(epsilon) => Ok(epsilon),
        _ => Err("give a positive number".to_owned()),
    }
}

fn minutes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if (0.0..=100_000.0).contains(&minutes) => Ok(minutes),
        _ => Err("give a number of minutes".to_owned()),
    }
}
