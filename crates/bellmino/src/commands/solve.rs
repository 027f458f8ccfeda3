//! `bellmino solve`: the exact solution of a small game.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::Placement;
use bellmino_exact::{
    Abstraction, FindStatesError, InHand, Look, Objective, PlacementValue, Placing, Policy, Progress, Reward,
    Sides, Snapshot, Solution, SolveError, SolvePhase, SolveReport, SolveSettings, SweepChange, Watch,
    find_states, solve_between,
};
use bellmino_lab::files::{check_writable, remove_whole, write_whole};
use bellmino_lab::{INFINITE_TOTAL, SolvePlan, SolvePlanError, read_table};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, Value, json};

use crate::cli::Common;
use crate::failure::Failure;
use crate::output::number;
use crate::question::{Question, board, status_bytes};
use crate::{interrupt, output, session};

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

    /// Evaluate this player exactly instead of the best: random, lowest, fewest-holes, weights:NAME, table:FILE
    #[arg(long, value_name = "P", conflicts_with = "placer")]
    player: Option<String>,

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

    /// Show every placement on this board with its exact value; needs --piece
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

    /// Go on with the unfinished FILE.part of an interrupted run; needs --output
    #[arg(long, requires = "output")]
    resume: bool,

    /// Save FILE.part every so many minutes while solving
    #[arg(long, value_name = "MINUTES", default_value_t = 5.0, value_parser = minutes)]
    save_every: f64,

    /// Also list the largest change of each improving sweep
    #[arg(long)]
    changes: bool,

    /// Full rows score but never leave, over all boards of the grid: the model of seed 000's first runs
    #[arg(long, conflicts_with_all = ["player", "output", "state", "from", "hold", "reward"])]
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
    pub look: Option<Look>,
    /// What `--json` prints.
    pub answer: Value,
    /// Why the value is not proven as well as was wanted, if it is not.
    pub shortfall: Option<String>,
}

/// Solves a game and shows the solution.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    if args.never_clear {
        let (name, game) = args.question.load()?;
        return never_clear(&name, args, common, &game);
    }
    let Solved { name, game, solution, look, answer, shortfall } = find(args, common, None)?;
    if common.json {
        output::json(&answer)?;
    } else {
        print(&name, args, &solution.report, look.as_ref(), &game)?;
    }
    shortfall.map_or(Ok(()), |why| Err(Failure::run(anyhow::anyhow!(why))))
}

/// Solves a game. A player that is given is evaluated instead of the one that `--player` names.
pub fn find(args: &Args, common: &Common, instead: Option<&dyn Policy>) -> Result<Solved, Failure> {
    let (name, game) = args.question.load()?;
    let state = args.state.as_ref().map(|text| board(&game, "--state", text)).transpose()?;
    let pieces =
        |flag, text: &Option<String>| text.as_ref().map(|text| parse_pieces(&game, flag, text)).transpose();
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
        keep_stages: args.output.is_some() || session::current().is_some(),
        ..args.question.settings(&game)?
    };
    let plan = SolvePlan::new(&game, asked, &args.dealer, args.player.as_deref());
    let plan = plan.map_err(|error| match error {
        SolvePlanError::Dealer(_) => Failure::input(format!("--dealer: {error}")),
        SolvePlanError::KnowsMore(_) => Failure::input(format!("--player: {error}")),
        SolvePlanError::DealerTable(_) | SolvePlanError::Player(_) => Failure::input(error),
    })?;
    let settings = &plan.settings;
    let hand = match &queue {
        Some(queue) => Some(find_states(&game, settings, queue, dealt.as_deref()).map_err(|error| {
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
    if let Some(path) = &args.output {
        check_writable(path).map_err(|error| Failure::input(format!("-o {}: {error}", path.display())))?;
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
    let result = solve_between(&game, settings, sides, resume.as_ref(), &watch);
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
    if solution.report.is_infinite() && (args.output.is_some() || args.state.is_some()) {
        return Err(Failure::input(format!(
            "{INFINITE_TOTAL}, so there is nothing for -o or --state; ask for average, survive or discounted:L"
        )));
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
            let board = bellmino_exact::packed(&game, &board);
            let hand = InHand { queue, states, held, left: None };
            let look = board.and_then(|board| solution.table.look(board, &hand));
            Some(look.ok_or_else(|| {
                Failure::input("--state: this board with these pieces cannot be reached from the start")
            })?)
        }
        _ => None,
    };
    let answer = as_json(&name, args, &solution.report, look.as_ref(), &game);
    let report = &solution.report;
    let shortfall = (!report.is_as_wanted()).then(|| {
        format!(
            "the value is proven within {:.1e} only, not within the wanted {:.1e}: {}",
            report.error_bound,
            report.wanted_bound,
            shortfall(settings.objective),
        )
    });
    Ok(Solved { name, game, solution, look, answer, shortfall })
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
    let objective = args.question.objective();
    let Objective::Discounted(discount) = objective else {
        return Err(Failure::input("--never-clear needs --objective discounted:L"));
    };
    let found = bellmino_exact::never_clear(game, discount).map_err(Failure::input)?;
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

/// Shows progress, saves now and then, and stops when asked to.
struct Watcher {
    bar: ProgressBar,
    part: Option<PathBuf>,
    every: Duration,
    begin: Instant,
    state: Mutex<WatcherState>,
}

struct WatcherState {
    saved: Instant,
    /// When the bound was first known, and what it was.
    first: Option<(Instant, f64)>,
}

impl Watcher {
    fn new(quiet: bool, part: Option<PathBuf>, minutes: f64) -> Watcher {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
        let bar = ProgressBar::with_draw_target(None, target)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        let bar = output::shown(bar);
        let now = Instant::now();
        let state = Mutex::new(WatcherState { saved: now, first: None });
        Watcher { bar, part, every: Duration::from_secs_f64(60.0 * minutes), begin: now, state }
    }
}

impl Watch for Watcher {
    fn go_on(&self) -> bool {
        interrupt::go_on()
    }

    fn progress(&self, progress: &Progress) {
        let boards = number(progress.boards as f64);
        let text = match (progress.phase, progress.value, progress.bound) {
            (SolvePhase::Explore, _, _) => format!("exploring: {boards} boards"),
            (SolvePhase::Solve, Some(value), Some(bound)) if bound.is_finite() => {
                let left = self.state.lock().ok().and_then(|mut state| {
                    let (since, first) = *state.first.get_or_insert((Instant::now(), bound));
                    let gained = (first / bound).ln();
                    let missing = (bound / progress.wanted).ln().max(0.0);
                    (gained > 0.0).then(|| since.elapsed().mul_f64((missing / gained).min(1e6)))
                });
                let left = left.map_or(String::new(), |left| format!(", about {} left", HumanDuration(left)));
                format!("solving: sweep {}, value {value} within {bound:.1e}{left}", progress.sweeps)
            }
            (SolvePhase::Solve, _, _) => format!("solving {boards} boards: sweep {}", progress.sweeps),
        };
        if self.bar.is_hidden() && std::env::var_os("BELLMINO_LOG").is_some() {
            eprintln!("{:.1} s {text}", self.begin.elapsed().as_secs_f64());
        }
        self.bar.set_message(text);
        self.bar.tick();
    }

    fn wants_snapshot(&self) -> bool {
        let due = || self.state.lock().is_ok_and(|state| state.saved.elapsed() >= self.every);
        self.part.is_some() && (!interrupt::go_on() || due())
    }

    fn snapshot(&self, snapshot: &Snapshot<'_>) {
        let Some(part) = &self.part else { return };
        if let Err(error) = write_whole(part, |out| snapshot.write(out)) {
            self.bar.suspend(|| eprintln!("bellmino: {} could not be saved: {error}", part.display()));
        }
        if let Ok(mut state) = self.state.lock() {
            state.saved = Instant::now();
        }
    }
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

fn as_json(
    name: &str,
    args: &Args,
    report: &SolveReport,
    look: Option<&Look>,
    game: &PlacementGame,
) -> Value {
    let mut object = Map::new();
    let mut add = |key: &str, value: Value| object.insert(key.to_owned(), value);
    add("game", name.into());
    add("version", env!("CARGO_PKG_VERSION").into());
    add("objective", args.question.objective().to_string().into());
    add("dealer", args.dealer.clone().into());
    match &args.player {
        Some(player) => add("player", player.clone().into()),
        None => add("placer", args.placer.to_string().into()),
    };
    add("preview", args.question.preview().into());
    add("hold", args.hold.into());
    if args.view != Abstraction::Grid {
        add("view", args.view.to_string().into());
    }
    if let Some(reward) = args.reward {
        add("reward", reward.to_string().into());
    }
    add("method", args.method.to_string().into());
    add("boards", report.boards.into());
    add("states", report.states.into());
    add("dead_states", report.dead_states.into());
    add("sweeps", report.sweeps.into());
    add("value", json!(report.value));
    if report.is_infinite() {
        add("infinite", true.into());
    }
    let by_piece = report.value_by_first_piece.iter().map(|(piece, value)| (piece.clone(), json!(value)));
    add("value_by_first_piece", Value::Object(by_piece.collect()));
    add("mean_value", json!(report.mean_value));
    add("error_bound", json!(report.error_bound));
    add("wanted_bound", json!(report.wanted_bound));
    if let Some(boards) = report.safe_boards {
        add("safe_boards", boards.into());
    }
    if let Some(classes) = report.classes {
        add("classes", classes.into());
    }
    if let Some(value) = report.true_value {
        add("true_value", json!(value));
        add("true_error_bound", json!(report.true_error_bound));
    }
    if let Some(value) = report.true_worst_value {
        add("true_worst_value", json!(value));
    }
    if args.changes {
        let (sweeps, changes): (Vec<u64>, Vec<f64>) =
            report.changes.iter().map(|one| (one.sweep, one.change)).unzip();
        add("changes", json!(changes));
        add("change_sweeps", json!(sweeps));
    }
    if let Some(look) = look {
        let one = |value: &PlacementValue| {
            let Placement { piece, rotation, column, row } = value.placement;
            json!({
                "piece": game.pieces()[piece as usize].name(), "held": value.held, "rotation": rotation,
                "column": column, "row": row, "lines": value.lines, "points": value.points,
                "fatal": value.fatal, "value": value.value,
            })
        };
        add("placements", look.placements.iter().map(one).collect());
        if args.hold {
            add("put_aside", json!(look.put_aside));
        }
    }
    add("seconds", json!({ "explore": report.explore_seconds, "solve": report.solve_seconds }));
    let seconds = report.explore_seconds + report.solve_seconds;
    add("states_per_second", json!(report.states as f64 / seconds));
    let peak = peak_bytes();
    add("peak_bytes", json!(peak));
    add("bytes_per_state", json!(peak.map(|bytes| bytes as f64 / report.states as f64)));
    Value::Object(object)
}

fn print(
    name: &str,
    args: &Args,
    report: &SolveReport,
    look: Option<&Look>,
    game: &PlacementGame,
) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let exact = |value: Option<f64>| value.map_or("infinite".to_owned(), |value| format!("{value:.10}"));
    let who = args.player.as_ref().map_or(format!("{} placer", args.placer), Clone::clone);
    writeln!(out, "{name}: {}, {who}, {} dealer", args.question.objective(), args.dealer)?;
    match report.value {
        Some(_) => {
            writeln!(out, "  value        {} within {:.1e}", exact(report.value), report.error_bound)?;
        }
        None => writeln!(out, "  value        infinite")?,
    }
    for (piece, value) in &report.value_by_first_piece {
        writeln!(out, "    first {piece:<6} {}", exact(*value))?;
    }
    if let Some(mean) = report.mean_value {
        writeln!(out, "  mean value   {mean:.10} over all states")?;
    }
    if let Some(safe) = report.safe_boards {
        writeln!(out, "  safe boards  {}", number(safe as f64))?;
    }
    if let Some(classes) = report.classes {
        writeln!(out, "  classes      {}", number(classes as f64))?;
    }
    if let Some(value) = report.true_value {
        writeln!(out, "  true value   {} in points", exact(value))?;
    }
    if let Some(value) = report.true_worst_value {
        writeln!(out, "  at the worst {} in points", exact(value))?;
    }
    let [boards, states, dead] = [report.boards, report.states, report.dead_states].map(|n| number(n as f64));
    writeln!(out, "  boards {boards}, states {states} ({dead} dead), sweeps {}", report.sweeps)?;
    writeln!(out, "  explored in {:.3} s, solved in {:.3} s", report.explore_seconds, report.solve_seconds)?;
    if args.changes {
        for SweepChange { sweep, change } in &report.changes {
            writeln!(out, "  sweep {sweep}: change {change:.6e}")?;
        }
    }
    let Some(look) = look else { return Ok(()) };
    let worth = |value: f64| match value {
        f64::INFINITY => "infinite".to_owned(),
        f64::NEG_INFINITY => "can end the game".to_owned(),
        value => format!("{value:.10}"),
    };
    if args.question.objective() == Objective::Average {
        writeln!(out, "  each placement beside the best one, in points in the long run:")?;
    }
    for value in &look.placements {
        let Placement { piece, rotation, column, row } = value.placement;
        let piece = game.pieces()[piece as usize].name();
        let lines = value.lines;
        let how = if value.fatal { ", fatal" } else { "" };
        writeln!(
            out,
            "  {piece} rotation {rotation} column {column} row {row}: lines {lines}, value {}{how}",
            worth(value.value)
        )?;
    }
    if let Some(value) = look.put_aside {
        writeln!(out, "  put aside: value {}", worth(value))?;
    }
    Ok(())
}

/// The most memory this process has used so far, where the system tells.
fn peak_bytes() -> Option<u64> {
    status_bytes("/proc/self/status", "VmHWM:")
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
