//! The exact solution of a small game.

mod answer;
mod distribution;
mod policy;
mod then;
mod watcher;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Board, DealerState};
use bellmino_exact::{
    FindStatesError, InHand, Objective, Placing, Policy, SecondQuestion, Sides, Solution, SolveError,
    SolveMethod, SolveSettings, Table, evaluate_reached, find_states, range_over_ties, solve, solve_between,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::answer::{PolicyAnswer, StateLook};
use self::then::ThenAnswer;
use self::watcher::Watcher;
use super::exact::{drawn_board, parse_pieces, parsed, solver_error};
use super::{Context, Event, ExactQuestion, Request, RequestError, SolveTerms, VERSION, check, named};
use crate::gap::Gap;
use crate::resources::ResourceKind;
use crate::solve_plan::INFINITE_TOTAL;
use crate::tables::table_of;

pub use self::answer::{GapAnswer, NamedPlacement, NeverClearAnswer, ShownBest, SolveAnswer, SolvedAnswer};

/// Solve a small game exactly, with a proven error bound
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SolveRequest {
    /// The game, the objective, and what the player knows.
    #[serde(flatten)]
    pub question: ExactQuestion,

    /// Who deals and who places.
    #[serde(flatten)]
    pub terms: SolveTerms,

    /// Also say where the player loses what the best one makes: the N states with the largest expected loss, drawn
    #[serde(default)]
    #[schemars(range(min = 0), extend("x-value" = "N", "x-needs" = ["player"], "x-excludes" = ["hold", "view", "reward", "resume"]))]
    pub losses: Option<u64>,

    /// Explore only the boards that the player reaches: its value from the start, the same, often with far fewer boards;
    /// the counts and the mean are those of these boards
    #[serde(default)]
    #[schemars(extend("x-needs" = ["player"], "x-excludes" = ["losses", "hold", "view", "reward", "state", "output", "resume"]))]
    pub reached: bool,

    /// Show every placement on this board with its exact value, the best drawn and first; needs a piece. `empty` is the
    /// empty board
    #[serde(default)]
    #[schemars(extend("x-value" = "BOARD", "x-needs" = ["piece"]))]
    pub state: Option<String>,

    /// The piece to place in that state; with a preview, or a dealer who names the next one, those after it, apart by
    /// commas
    #[serde(default)]
    #[schemars(extend("x-value" = "P", "x-needs" = ["state"]))]
    pub piece: Option<String>,

    /// The pieces dealt before it, apart by commas, where they matter: a bag, an order
    #[serde(default)]
    #[schemars(extend("x-value" = "P", "x-needs" = ["state"]))]
    pub dealt: Option<String>,

    /// The piece put aside in that state
    #[serde(default)]
    #[schemars(extend("x-value" = "P", "x-needs" = ["state", "hold"]))]
    pub held: Option<String>,

    /// A second question about all players that are as good as the best: the best and the worst that they can make of it. An
    /// objective (discounted:L, horizon:N, total, pieces, variance), and after a comma its dealer if that is another
    #[serde(default)]
    #[schemars(extend("x-value" = "O[,D]", "x-excludes" = ["player", "hold", "never_clear", "reached"]))]
    pub then: Option<String>,

    /// The whole distribution of what is made: of total until the game ends, of horizon:N over N pieces; of the best player with
    /// its ties to the first, or of the player that is given
    #[serde(default)]
    #[schemars(extend("x-excludes" = ["hold", "never_clear", "reached", "reward"]))]
    pub distribution: bool,

    /// What is counted in the distribution: score, lines or pieces [default: score]
    #[serde(default)]
    #[schemars(extend("x-value" = "UNIT", "x-needs" = ["distribution"]))]
    pub unit: Option<String>,

    /// Write the solution as a table, to be used as table:FILE
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE", "x-short" = "o"))]
    pub output: Option<String>,

    /// Write what to do in every state as CSV: board, piece, the best placement (rotation, column, row) and the value;
    /// under a horizon for every number of pieces left
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE.csv", "x-excludes" = ["player", "never_clear"]))]
    pub policy: Option<String>,

    /// Go on with the unfinished FILE.part of an interrupted run; needs an output
    #[serde(default)]
    #[schemars(extend("x-needs" = ["output"]))]
    pub resume: bool,

    /// Save FILE.part every so many minutes while solving
    #[serde(default = "five_minutes")]
    #[schemars(range(min = 0, max = 100_000), extend("x-value" = "MINUTES"))]
    pub save_every: f64,

    /// Also list the largest change of each improving sweep
    #[serde(default)]
    pub changes: bool,

    /// List the largest change of a state in each sweep, as a textbook does; needs the method plain
    #[serde(default)]
    pub deltas: bool,

    /// Full rows score but never leave, over all boards of the grid: the model of seed 000's first runs; with an output
    /// its values are written, to play the game as it is by them (table:FILE)
    #[serde(default)]
    #[schemars(extend("x-excludes" = ["player", "resume", "state", "from", "hold", "reward"]))]
    pub never_clear: bool,
}

fn five_minutes() -> f64 {
    5.0
}

/// A solved game.
#[derive(Debug)]
pub struct Solved {
    /// What is answered.
    pub answer: SolvedAnswer,
    /// The values of all states.
    pub table: Table,
}

impl Request for SolveRequest {
    const NAME: &'static str = "solve";
    type Answer = SolveAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<SolveAnswer, RequestError> {
        check(self)?;
        if self.never_clear {
            return self.solve_never_clear(context).map(SolveAnswer::NeverClear);
        }
        let answer = match self.reached {
            true => self.solve_reached(context)?,
            false => self.find(context, None, false)?.answer,
        };
        Ok(SolveAnswer::Solved(Box::new(answer)))
    }
}

impl SolveRequest {
    /// The answer with its table, which keeps every stage of a horizon. A player that is given is evaluated instead of the
    /// one that is named.
    pub fn solve(&self, context: &Context<'_>, instead: Option<&dyn Policy>) -> Result<Solved, RequestError> {
        check(self)?;
        if self.reached {
            return Err(RequestError::field("reached", "what only a player reaches makes no table"));
        }
        if self.never_clear {
            return Err(RequestError::field("never_clear", "such a model makes no table of the game"));
        }
        self.find(context, instead, true)
    }

    /// Without an objective it is the total, or the average where the total is infinite.
    fn find(
        &self,
        context: &Context<'_>,
        instead: Option<&dyn Policy>,
        keep_stages: bool,
    ) -> Result<Solved, RequestError> {
        let (name, game) = self.question.load(context)?;
        let wanted = self.question.objective()?;
        let begun = self.begun(context)?;
        let run = SolveRun { request: self, context, name, game: &game, begun: begun.as_ref(), keep_stages };
        if let Some(objective) = wanted.or(begun.as_ref().map(|table| table.settings().objective)) {
            return run.solve(objective, instead, false)?.ok_or_else(|| RequestError::input(INFINITE_TOTAL));
        }
        for (objective, why) in [
            (Objective::Total, "total, the points until the game is lost"),
            (Objective::Average, "average, the points per piece, since the total is infinite"),
        ] {
            if let Some(solved) = run.solve(objective, instead, objective == Objective::Total)? {
                let said = format!("no {} was given; this is {why}", named("objective"));
                context.tell(Event::Notice(said));
                return Ok(solved);
            }
        }
        Err(RequestError::input(format!("the total is infinite; give an {}", named("objective"))))
    }

    /// The unfinished file of the output.
    fn part(&self) -> Option<String> {
        self.output.as_ref().map(|output| format!("{output}.part"))
    }

    /// The unfinished table to go on with.
    fn begun(&self, context: &Context<'_>) -> Result<Option<Table>, RequestError> {
        let Some(part) = self.part().filter(|_| self.resume) else { return Ok(None) };
        if !context.resources.has(&part) {
            context.tell(Event::Notice(format!("there is no {part}; starting afresh")));
            return Ok(None);
        }
        let bytes = context.resources.read(ResourceKind::Table, &part);
        let bytes = bytes.map_err(|error| RequestError::input(format!("{part}: {error}")))?;
        let table = table_of(&part, bytes).map_err(RequestError::input)?;
        context.tell(Event::Notice(format!(
            "goes on after {} sweeps; the bound is proven anew, the last digits may differ from those of a run in one go",
            table.finished().sweeps
        )));
        Ok(Some(table))
    }

    /// What a player is worth, from the boards that it reaches.
    fn solve_reached(&self, context: &Context<'_>) -> Result<SolvedAnswer, RequestError> {
        let (name, game) = self.question.load(context)?;
        let objective = self.question.objective()?.unwrap_or(Objective::Total);
        let asked = self.terms.settings(self.question.settings(&game, objective, context)?)?;
        let plan = self.terms.plan(&game, asked, context.resources)?;
        let watch = Watcher::new(context, None, self.save_every);
        let report = evaluate_reached(&game, &plan.settings, plan.sides(), &watch);
        context.tell(Event::End);
        let report = report.map_err(solver_error)?;
        Ok(SolvedAnswer::new(name, self, &plan.settings, &report, context))
    }

    fn solve_never_clear(&self, context: &Context<'_>) -> Result<NeverClearAnswer, RequestError> {
        let (name, game) = self.question.load(context)?;
        let Some(objective @ Objective::Discounted(discount)) = self.question.objective()? else {
            return Err(RequestError::input(format!(
                "{} needs {} discounted:L",
                named("never_clear"),
                named("objective")
            )));
        };
        context.outputs.check_field("output", self.output.as_ref())?;
        let found = bellmino_exact::never_clear(&game, discount).map_err(RequestError::input)?;
        if let Some(path) = &self.output {
            let written = context.outputs.write_by(path, &mut |out| found.values.write(out));
            written.map_err(|error| RequestError::run(format!("{path}: {error}")))?;
        }
        Ok(NeverClearAnswer {
            game: name,
            version: VERSION,
            objective: objective.to_string(),
            never_clear: true,
            boards: 1u64 << (game.width() * game.height()),
            sweeps: found.changes.len(),
            mean_value: found.mean_value,
            changes: found.changes,
        })
    }
}

/// A state that is asked about.
struct AskedState {
    board: Board,
    queue: Vec<u8>,
    states: Vec<DealerState>,
    held: Option<u8>,
}

/// One request at work.
struct SolveRun<'a> {
    request: &'a SolveRequest,
    context: &'a Context<'a>,
    name: String,
    game: &'a PlacementGame,
    begun: Option<&'a Table>,
    keep_stages: bool,
}

impl SolveRun<'_> {
    /// Solves the game for one objective; `None` if this is a first try and the value is infinite.
    fn solve(
        &self,
        objective: Objective,
        instead: Option<&dyn Policy>,
        is_first_try: bool,
    ) -> Result<Option<Solved>, RequestError> {
        let SolveRun { request, context, game, .. } = self;
        let asked = SolveSettings {
            keep_stages: self.keep_stages
                || request.output.is_some()
                || request.policy.is_some()
                || request.state.is_some()
                || request.distribution,
            ..request.terms.settings(request.question.settings(game, objective, context)?)?
        };
        let plan = request.terms.plan(game, asked, context.resources)?;
        let settings = &plan.settings;
        let state = self.state(settings)?;
        let second: Option<SecondQuestion> =
            request.then.as_deref().map(|text| parsed("then", text)).transpose()?;
        let given = plan.sides();
        let sides = Sides { player: instead.or(given.player), ..given };
        self.check(settings, sides)?;
        let solution = self.solution(settings, sides)?;
        if solution.report.is_infinite() {
            if is_first_try {
                return Ok(None);
            }
            if request.distribution {
                let why = format!("{INFINITE_TOTAL}, so there is no distribution; ask for horizon:N");
                return Err(RequestError::field("distribution", why));
            }
            if request.output.is_some() || request.state.is_some() || request.policy.is_some() {
                return Err(RequestError::input(format!(
                    "{INFINITE_TOTAL}, so there is nothing for {}, {} or {}; ask for average, survive or discounted:L",
                    named("output"),
                    named("policy"),
                    named("state")
                )));
            }
            context.tell(Event::Notice(format!(
                "the total is infinite: a careful player never loses. {} average gives the points per piece",
                named("objective")
            )));
        }
        self.keep(&solution.table)?;
        let mut answer = SolvedAnswer::new(self.name.clone(), request, settings, &solution.report, context);
        if let Some(state) = state {
            answer.show(&self.look(&solution.table, &state)?, game, request.terms.hold);
        }
        if let Some(file) = &request.policy {
            let rows = policy::write(file, &solution.table, context)?;
            answer.policy = Some(PolicyAnswer { file: file.clone(), rows });
        }
        answer.losses = self.losses(settings, sides.player)?;
        answer.distribution = self.distribution(settings, sides, &solution.table)?;
        answer.then = second.map(|second| self.then(settings, &second)).transpose()?;
        Ok(Some(Solved { answer, table: solution.table }))
    }

    /// The state that is asked about, if one is.
    fn state(&self, settings: &SolveSettings) -> Result<Option<AskedState>, RequestError> {
        let SolveRun { request, game, .. } = self;
        let (Some(state), Some(piece)) = (&request.state, &request.piece) else { return Ok(None) };
        let board = drawn_board(game, "state", state)?;
        let pieces = |field: &str, text: &Option<String>| {
            text.as_ref().map(|text| parse_pieces(game, field, text)).transpose()
        };
        let queue = parse_pieces(game, "piece", piece)?;
        let dealt = pieces("dealt", &request.dealt)?;
        let held = pieces("held", &request.held)?.and_then(|held| held.first().copied());
        let states = find_states(game, settings, &queue, dealt.as_deref()).map_err(|error| {
            let field = if error == FindStatesError::Order { "dealt" } else { "piece" };
            let dealt = named("dealt");
            let hint = match error {
                FindStatesError::Ambiguous => format!(" with {dealt} ({dealt} '' for none)"),
                _ => String::new(),
            };
            RequestError::field(field, format!("{error}{hint}"))
        })?;
        Ok(Some(AskedState { board, queue, states, held }))
    }

    /// Refuses, before the work, what cannot be made of it.
    fn check(&self, settings: &SolveSettings, sides: Sides<'_>) -> Result<(), RequestError> {
        let SolveRun { request, context, .. } = self;
        context.outputs.check_field("output", request.output.as_ref())?;
        context.outputs.check_field("policy", request.policy.as_ref())?;
        if request.deltas && settings.method != SolveMethod::Plain {
            let plain = format!("needs {} plain, which sweeps as a textbook does", named("method"));
            return Err(RequestError::field("deltas", plain));
        }
        if request.policy.is_some() && (settings.placing == Placing::Average || sides.player.is_some()) {
            return Err(RequestError::input(format!(
                "{} is for the best player: it goes with neither {} nor {} average",
                named("policy"),
                named("player"),
                named("placer")
            )));
        }
        self.check_distribution(settings)?;
        if request.then.is_some() && (sides.player.is_some() || sides.dealer.is_some()) {
            let why = "is asked of the best player against a dealer that is no table";
            return Err(RequestError::field("then", why));
        }
        if request.losses.is_some() && sides.player.is_none() {
            let why = format!("`random` has no choices of its own; give another {}", named("player"));
            return Err(RequestError::field("losses", why));
        }
        Ok(())
    }

    fn solution(&self, settings: &SolveSettings, sides: Sides<'_>) -> Result<Solution, RequestError> {
        let SolveRun { request, context, game, begun, .. } = self;
        let part = request.part();
        let watch = Watcher::new(context, part.as_deref(), request.save_every);
        let result = solve_between(game, settings, sides, *begun, &watch);
        context.tell(Event::End);
        result.map_err(|error| match error {
            SolveError::Interrupted => {
                let kept = part.filter(|part| context.resources.has(part));
                let hint = kept.map(|part| format!("; kept as {part}, go on with {}", named("resume")));
                RequestError::run(format!("interrupted{}", hint.unwrap_or_default()))
            }
            error => RequestError::input(error),
        })
    }

    /// Writes the table; what was unfinished is not needed any more.
    fn keep(&self, table: &Table) -> Result<(), RequestError> {
        let Some(path) = &self.request.output else { return Ok(()) };
        let outputs = self.context.outputs;
        let failed = |error| RequestError::run(format!("{path}: {error}"));
        outputs.write_by(path, &mut |out| table.write(out)).map_err(failed)?;
        self.request.part().map_or(Ok(()), |part| outputs.remove(&part)).map_err(failed)
    }

    fn look(&self, table: &Table, state: &AskedState) -> Result<StateLook, RequestError> {
        let AskedState { board, queue, states, held } = state;
        let hand = InHand { queue, states, held: *held, left: None };
        let packed = bellmino_exact::packed(self.game, board);
        let look = packed.and_then(|board| table.look(board, &hand)).ok_or_else(|| {
            RequestError::field("state", "this board with these pieces cannot be reached from the start")
        })?;
        Ok(StateLook::new(*board, look))
    }

    /// What a second question comes to over all optimal players.
    fn then(&self, settings: &SolveSettings, second: &SecondQuestion) -> Result<ThenAnswer, RequestError> {
        let watch = Watcher::new(self.context, None, 0.0);
        let range = range_over_ties(self.game, settings, second, &watch);
        self.context.tell(Event::End);
        let range = range.map_err(|error| match error {
            SolveError::Interrupted => RequestError::run("interrupted"),
            error => RequestError::field("then", error),
        })?;
        Ok(ThenAnswer::new(settings, second, &range))
    }

    /// Where the player loses what the best one makes.
    fn losses(
        &self,
        settings: &SolveSettings,
        player: Option<&dyn Policy>,
    ) -> Result<Option<GapAnswer>, RequestError> {
        let (Some(most), Some(player)) = (self.request.losses, player) else { return Ok(None) };
        let settings = SolveSettings { placing: Placing::Best, ..settings.clone() };
        let watch = Watcher::new(self.context, None, 0.0);
        let best = solve(self.game, &settings, &watch);
        self.context.tell(Event::End);
        let best = best.map_err(solver_error)?;
        let gap = Gap::new(&best.table, player, most as usize, &|| self.context.go_on());
        let gap = gap.map_err(|error| RequestError::field("losses", error))?;
        Ok(Some(GapAnswer::new(self.game, &gap)))
    }
}
