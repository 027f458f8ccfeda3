//! What is answered about a solved game.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Board, Placement};
use bellmino_exact::{Abstraction, HandChoice, Look, Objective, PlacementValue, SolveReport, SolveSettings};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::SolveRequest;
use super::distribution::DistributionAnswer;
use super::then::ThenAnswer;
use crate::drawing::placed_rows;
use crate::gap::{Gap, StateLoss};
use crate::request::{Context, RequestError, VERSION, named};

/// A solution, or that of the model whose full rows never leave.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SolveAnswer {
    /// Of the game.
    Solved(Box<SolvedAnswer>),
    /// Of the model.
    NeverClear(NeverClearAnswer),
}

/// The solution of a game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SolvedAnswer {
    /// The game.
    pub game: String,
    /// The version of the program.
    pub version: &'static str,
    /// What was maximised.
    pub objective: String,
    /// Who deals.
    pub dealer: String,
    /// Who was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// Who places, where nobody was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placer: Option<String>,
    /// Whether only boards that the player reaches were explored; absent if not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<bool>,
    /// How many pieces beyond the current one the player knows.
    pub preview: u64,
    /// Whether one piece can be put aside.
    pub hold: bool,
    /// What the player sees, if not every cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
    /// The reward, if it is not the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward: Option<String>,
    /// How it was solved.
    pub method: String,
    /// Different boards that can be reached, the start included.
    pub boards: u64,
    /// Boards with a hand.
    pub states: u64,
    /// States with no placement that does not end the game.
    pub dead_states: u64,
    /// Passes over all boards.
    pub sweeps: u64,
    /// The value at the start; null if it is infinite.
    pub value: Option<f64>,
    /// `model` if the value is that of a model and not of the game: `true_value` is what the player makes there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_of: Option<&'static str>,
    /// Whether the value is infinite; absent if not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub infinite: Option<bool>,
    /// The value by the first piece; null where it is infinite.
    pub value_by_first_piece: Map<String, Value>,
    /// The mean over all states, dead ones as 0; null where not all of them were looked for.
    pub mean_value: Option<f64>,
    /// How far the value can be from the truth: proven; null where few sweeps prove nothing.
    pub error_bound: f64,
    /// The bound that was wanted.
    pub wanted_bound: f64,
    /// Boards from which the player survives whatever the dealer does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe_boards: Option<u64>,
    /// With a view: classes of boards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<u64>,
    /// With a view or a reward: the exact value, in points, of the greedy policy in the game; null if infinite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub true_value: Option<Option<f64>>,
    /// The proven bound on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub true_error_bound: Option<Option<f64>>,
    /// With a reward: the same against the worst dealer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub true_worst_value: Option<Option<f64>>,
    /// The largest change of each improving sweep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<f64>>,
    /// Which sweeps these were, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_sweeps: Option<Vec<u64>>,
    /// The largest change of a state in each sweep, with the plain method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deltas: Option<Vec<f64>>,
    /// Every placement of the state that was asked about, the best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placements: Option<Vec<LookedPlacement>>,
    /// What it is worth there to put the piece aside; null where that brings no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put_aside: Option<Option<f64>>,
    /// Wall-clock time.
    pub seconds: SolveSeconds,
    /// States by all seconds.
    pub states_per_second: f64,
    /// The most memory the process has used, where the system tells.
    pub peak_bytes: Option<u64>,
    /// The same by states.
    pub bytes_per_state: Option<f64>,
    /// The file with what to do in every state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyAnswer>,
    /// Where the player loses what the best one makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub losses: Option<GapAnswer>,
    /// How likely each result is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<DistributionAnswer>,
    /// What a second question comes to over all players that are as good as the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<ThenAnswer>,
    /// What is best in the state that was asked about.
    #[serde(skip)]
    pub best: Option<ShownBest>,
    /// Why the value is not proven as well as was wanted, if it is not.
    #[serde(skip)]
    pub shortfall: Option<RequestError>,
}

/// What is best in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownBest {
    /// To place a piece: the rows with it drawn as `@`.
    Place(Vec<String>),
    /// To put it aside.
    PutAside,
    /// Nothing: the game ends here.
    Nothing,
}

/// A placement and its value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LookedPlacement {
    /// The piece.
    pub piece: String,
    /// Whether it is the held one.
    pub held: bool,
    /// Its rotation.
    pub rotation: u8,
    /// Its leftmost column.
    pub column: u8,
    /// Its lowest row.
    pub row: u8,
    /// Rows cleared.
    pub lines: u32,
    /// Points scored.
    pub points: f64,
    /// Whether it ends the game.
    pub fatal: bool,
    /// The value; null where it is infinite, one way or the other.
    pub value: f64,
    /// Whether it is the best.
    pub best: bool,
}

/// Seconds of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SolveSeconds {
    /// Finding the boards.
    pub explore: f64,
    /// Finding their values.
    pub solve: f64,
}

/// A file of what to do in every state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PolicyAnswer {
    /// The file.
    pub file: String,
    /// Its rows.
    pub rows: u64,
}

/// What was found over all boards when full rows never leave.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NeverClearAnswer {
    /// The game.
    pub game: String,
    /// The version of the program.
    pub version: &'static str,
    /// What was maximised.
    pub objective: String,
    /// True.
    pub never_clear: bool,
    /// All boards of the grid.
    pub boards: u64,
    /// Passes over them.
    pub sweeps: usize,
    /// The mean value over all boards and pieces.
    pub mean_value: f64,
    /// The largest change of each sweep.
    pub changes: Vec<f64>,
}

/// What a player loses against the best one.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GapAnswer {
    /// What the best player makes.
    pub optimum: f64,
    /// What the player loses of it.
    pub lost: f64,
    /// The part that it makes.
    pub part_of_optimum: f64,
    /// Boards that the player comes to.
    pub boards: usize,
    /// The states in which it is expected to lose most, from the worst on.
    pub states: Vec<LossyState>,
}

/// A state in which a player loses something.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LossyState {
    /// The board, rows from the top.
    pub board: String,
    /// What the player places.
    pub played: NamedPlacement,
    /// The best placement.
    pub best: NamedPlacement,
    /// How much more that is worth.
    pub loss: f64,
    /// How often the player is expected to be here in a game.
    pub visits: f64,
    /// What is expected to be lost here in a game.
    pub expected_loss: f64,
    /// The part of all that is lost.
    pub part: f64,
    /// Both placements, drawn in one line.
    pub drawn: String,
    /// Both of them, row by row.
    #[serde(skip)]
    pub rows: [Vec<String>; 2],
}

/// A placement with the name of its piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NamedPlacement {
    /// The piece.
    pub piece: String,
    /// Its rotation.
    pub rotation: u8,
    /// Its leftmost column.
    pub column: u8,
    /// Its lowest row.
    pub row: u8,
}

impl SolvedAnswer {
    /// The figures of a solution.
    pub(super) fn new(
        game: String,
        request: &SolveRequest,
        settings: &SolveSettings,
        report: &SolveReport,
        context: &Context<'_>,
    ) -> SolvedAnswer {
        let terms = &request.terms;
        let sweeps = || report.changes.iter().map(|one| one.sweep).collect();
        let changes = || report.changes.iter().map(|one| one.change).collect();
        let by_piece = report.value_by_first_piece.iter();
        let peak = (context.memory.peak)();
        SolvedAnswer {
            game,
            version: VERSION,
            objective: settings.objective.to_string(),
            dealer: terms.dealer.clone(),
            player: terms.player.clone(),
            placer: terms.player.is_none().then(|| terms.placer.clone()),
            reached: request.reached.then_some(true),
            preview: request.question.preview,
            hold: terms.hold,
            view: (settings.view != Abstraction::Grid).then(|| settings.view.to_string()),
            reward: settings.reward.map(|reward| reward.to_string()),
            method: settings.method.to_string(),
            boards: report.boards,
            states: report.states,
            dead_states: report.dead_states,
            sweeps: report.sweeps,
            value: report.value,
            value_of: report.is_of_model().then_some("model"),
            infinite: report.is_infinite().then_some(true),
            value_by_first_piece: by_piece.map(|(piece, value)| (piece.clone(), json!(value))).collect(),
            mean_value: report.mean_value,
            error_bound: report.error_bound,
            wanted_bound: report.wanted_bound,
            safe_boards: report.safe_boards,
            classes: report.classes,
            true_value: report.true_value,
            true_error_bound: report.true_value.map(|_| report.true_error_bound),
            true_worst_value: report.true_worst_value,
            changes: request.changes.then(changes),
            change_sweeps: request.changes.then(sweeps),
            deltas: request.deltas.then(changes),
            placements: None,
            put_aside: None,
            seconds: SolveSeconds { explore: report.explore_seconds, solve: report.solve_seconds },
            states_per_second: report.states as f64 / (report.explore_seconds + report.solve_seconds),
            peak_bytes: peak,
            bytes_per_state: peak.map(|bytes| bytes as f64 / report.states as f64),
            policy: None,
            losses: None,
            distribution: None,
            then: None,
            best: None,
            shortfall: shortfall(report, settings.objective),
        }
    }

    /// What was asked for beside the solution, line by line, for people.
    pub fn more_lines(&self) -> Vec<String> {
        let sweeps = self.change_sweeps.iter().flatten().zip(self.changes.iter().flatten());
        let changes = sweeps.map(|(sweep, change)| format!("  sweep {sweep}: change {change:.6e}"));
        let deltas = (1..).zip(self.deltas.iter().flatten());
        let deltas =
            deltas.map(|(sweep, delta)| format!("  sweep {sweep}: largest change of a state {delta:.6e}"));
        let then = self.then.iter().flat_map(ThenAnswer::lines);
        let likely = self.distribution.iter().flat_map(DistributionAnswer::lines);
        changes.chain(deltas).chain(then).chain(likely).collect()
    }

    /// Adds what can be done in a state.
    pub(super) fn show(&mut self, state: &StateLook, game: &PlacementGame, hold: bool) {
        let one = |value: &PlacementValue| {
            let NamedPlacement { piece, rotation, column, row } = NamedPlacement::new(game, value.placement);
            let PlacementValue { held, lines, points, fatal, value: worth, .. } = *value;
            let best = is_best(state.best, value);
            LookedPlacement { piece, held, rotation, column, row, lines, points, fatal, value: worth, best }
        };
        self.placements = Some(state.look.placements.iter().map(one).collect());
        self.put_aside = hold.then_some(state.look.put_aside);
        self.best = Some(match state.best {
            Some(HandChoice::Place(placement) | HandChoice::PlaceHeld(placement)) => {
                ShownBest::Place(placed_rows(game, &state.board, placement))
            }
            Some(HandChoice::PutAside) => ShownBest::PutAside,
            None => ShownBest::Nothing,
        });
    }
}

/// A state that was asked about, and all that can be done there.
pub(super) struct StateLook {
    board: Board,
    /// The best placement first; those that end the game last.
    look: Look,
    /// What to do; nothing if the game ends here whatever is done.
    best: Option<HandChoice>,
}

impl StateLook {
    /// Sorts what can be done.
    pub(super) fn new(board: Board, mut look: Look) -> StateLook {
        let can_go_on = look.put_aside.is_some() || look.placements.iter().any(|one| !one.fatal);
        let best = look.choice().filter(|_| can_go_on);
        // Ties stay in the order rotation, column, row, after the first of the best.
        look.placements.sort_by(|a, b| {
            let key = |one: &PlacementValue| (one.fatal, !is_best(best, one));
            key(a).cmp(&key(b)).then(b.value.total_cmp(&a.value))
        });
        StateLook { board, look, best }
    }
}

fn is_best(best: Option<HandChoice>, value: &PlacementValue) -> bool {
    let choice = if value.held { HandChoice::PlaceHeld } else { HandChoice::Place };
    best == Some(choice(value.placement))
}

impl NamedPlacement {
    pub(in crate::request) fn new(game: &PlacementGame, placement: Placement) -> NamedPlacement {
        let Placement { piece, rotation, column, row } = placement;
        NamedPlacement { piece: game.pieces()[usize::from(piece)].name().to_owned(), rotation, column, row }
    }
}

impl GapAnswer {
    /// What was found, with both placements drawn.
    pub(super) fn new(game: &PlacementGame, gap: &Gap) -> GapAnswer {
        let state = |state: &StateLoss| {
            let rows = [state.played, state.best].map(|place| placed_rows(game, &state.board, place));
            let [played, best] = [&rows[0], &rows[1]].map(|rows| in_one_line(rows));
            LossyState {
                board: state.board.to_string().replace('\n', " / "),
                played: NamedPlacement::new(game, state.played),
                best: NamedPlacement::new(game, state.best),
                loss: state.loss,
                visits: state.visits,
                expected_loss: state.expected(),
                part: state.expected() / gap.lost,
                drawn: format!("{played}, best {best}"),
                rows,
            }
        };
        GapAnswer {
            optimum: gap.optimum,
            lost: gap.lost,
            part_of_optimum: 1.0 - gap.lost / gap.optimum,
            boards: gap.boards,
            states: gap.states.iter().map(state).collect(),
        }
    }
}

/// The rows from the lowest up to the highest that is not empty, top first.
fn in_one_line(rows: &[String]) -> String {
    let filled = rows.iter().skip_while(|row| row.chars().all(|cell| cell == '.'));
    filled.map(String::as_str).collect::<Vec<_>>().join("/")
}

/// Why a value is not proven as well as was wanted, if it is not.
fn shortfall(report: &SolveReport, objective: Objective) -> Option<RequestError> {
    let epsilon = named("epsilon");
    let why = match objective {
        Objective::Average => format!(
            "the gain per piece did not settle (parts of the game may gain differently under this dealer, or with hold); \
             ask for discounted:L, or give a larger {epsilon}"
        ),
        _ => format!("rounding allows no better; give a larger {epsilon}"),
    };
    (!report.is_as_wanted() && !report.is_capped()).then(|| {
        RequestError::run(format!(
            "the value is proven within {:.1e} only, not within the wanted {:.1e}: {why}",
            report.error_bound, report.wanted_bound,
        ))
    })
}
