//! The best placements of a position, by any player.

use bellmino_engine::guideline::{Position, View};
use bellmino_engine::placement::{AnyColumns, Grid, Placement};
use bellmino_engine::{Game, GuidelineGame, PlacementGame, Purpose, stream};
use bellmino_exact::{InHand, Look, PlacementValue, Table, find_states, packed};
use bellmino_search::{Budget, Choice, analyse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::exact::{drawn_board, parse_pieces};
use super::position::{guideline_board, guideline_piece, guideline_pieces};
use super::{Chance, Context, GameChoice, Request, RequestError, Thinking, VERSION, named};
use crate::player::Player;
use crate::verdict::forecast_json;

/// Find the best placements of a position, by any player
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BestRequest {
    /// The game.
    #[serde(flatten)]
    pub game: GameChoice,

    /// The current piece and the next ones: letters such as TIO, in placement games names apart by commas
    #[schemars(extend("x-value" = "PIECES"))]
    pub queue: String,

    /// The board: rows from the top apart by /, in guideline games also a fumen or a file
    #[serde(default = "empty")]
    #[schemars(extend("x-value" = "BOARD"))]
    pub board: String,

    /// The held piece
    #[serde(default)]
    #[schemars(extend("x-value" = "PIECE"))]
    pub held: Option<String>,

    /// Who chooses [default: bot in guideline games; placement games need one, such as table:FILE or weights:NAME]
    #[serde(default)]
    #[schemars(extend("x-value" = "P"))]
    pub player: Option<String>,

    /// How many to show.
    #[serde(flatten)]
    pub shown: TopChoice,

    /// The pieces dealt before, apart by commas, where a table of a placement game needs them: a bag, an order
    #[serde(default)]
    #[schemars(extend("x-value" = "PIECES"))]
    pub dealt: Option<String>,

    /// What a guideline game has been so far.
    #[serde(flatten)]
    pub so_far: SoFar,

    /// How long the bot thinks.
    #[serde(flatten)]
    pub thinking: Thinking,

    /// The seed.
    #[serde(flatten)]
    pub chance: Chance,
}

/// What a guideline game has been so far, where the board does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SoFar {
    /// The pieces left in the bag after the queue (guideline games) [default: unknown]
    #[serde(default)]
    #[schemars(extend("x-value" = "PIECES"))]
    pub bag: Option<String>,

    /// The last clear keeps back-to-back alive (guideline games)
    #[serde(default)]
    pub back_to_back: bool,

    /// Clears in a row so far (guideline games)
    #[serde(default)]
    #[schemars(extend("x-value" = "N"))]
    pub combo: u32,

    /// Pieces placed so far (guideline games)
    #[serde(default)]
    #[schemars(extend("x-value" = "N"))]
    pub pieces: u32,

    /// Rows cleared so far (guideline games)
    #[serde(default)]
    #[schemars(extend("x-value" = "N"))]
    pub lines: u32,

    /// Points made so far (guideline games); the expected result counts them
    #[serde(default)]
    #[schemars(extend("x-value" = "N"))]
    pub score: Option<u64>,
}

/// How many placements are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TopChoice {
    /// How many placements to show
    #[schemars(range(min = 1, max = 1000), extend("x-value" = "N"))]
    pub top: u64,
}

impl Default for TopChoice {
    fn default() -> TopChoice {
        TopChoice { top: 5 }
    }
}

fn empty() -> String {
    "empty".to_owned()
}

/// The best placements.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BestAnswer {
    /// The game.
    pub game: String,
    /// The version of the program.
    pub version: &'static str,
    /// Who chose.
    pub player: String,
    /// What values and losses are counted in, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// What the game is expected to come to if the bot plays on.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub expected: Value,
    /// Placements that were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The best first. Empty if nothing can be placed.
    pub candidates: Vec<BestCandidate>,
    /// What it is worth to put the piece aside, if a table knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put_aside: Option<f64>,
}

/// A placement of a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct BestCandidate {
    /// The placement, as records write it.
    pub placement: String,
    /// Whether it is of the held piece, or of the next one after hold.
    pub held: bool,
    /// Whether it ends the game.
    pub fatal: bool,
    /// What it clears, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clear: Option<String>,
    /// Its value to the player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// What it gives away beside the best one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// The line of play that it begins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
}

impl Request for BestRequest {
    const NAME: &'static str = "best";
    type Answer = BestAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<BestAnswer, RequestError> {
        let game = self.game.load(context)?;
        let answer = BestAnswer {
            game: self.game.describe(game.name()),
            version: VERSION,
            player: self.player.clone().unwrap_or_else(|| BOT.to_owned()),
            unit: None,
            expected: Value::Null,
            nodes: None,
            candidates: Vec::new(),
            put_aside: None,
        };
        match &game {
            Game::Guideline(game) => self.in_guideline(answer, game, context),
            Game::Placement(game) => self.in_placement(answer, game, context),
        }
    }
}

/// Who chooses in guideline games.
const BOT: &str = "bot";

impl BestRequest {
    fn in_guideline(
        &self,
        answer: BestAnswer,
        game: &GuidelineGame,
        context: &Context<'_>,
    ) -> Result<BestAnswer, RequestError> {
        if self.dealt.is_some() {
            let why = format!("is for placement games; say with {} what is left", named("bag"));
            return Err(RequestError::field("dealt", why));
        }
        let view = self.view(game, context)?;
        let budget = self.thinking.budget()?;
        let top = self.shown.top as usize;
        if answer.player == BOT {
            let Some(analysis) = analyse(&view, top, budget.unwrap_or(Budget::REVIEW)) else {
                return Ok(answer);
            };
            return Ok(BestAnswer {
                unit: Some(analysis.coin.name().to_owned()),
                expected: forecast_json(analysis.forecast.as_ref(), self.so_far.score),
                nodes: Some(analysis.thought.nodes),
                candidates: analysis.choices.iter().map(judged).collect(),
                ..answer
            });
        }
        let player = Player::load_guideline(&answer.player, budget, context.resources);
        let player = player.map_err(RequestError::input)?;
        let mut mind = player.mind(&view.rules).map_err(RequestError::input)?;
        let thought = mind.think(&view, &mut stream(self.chance.seed, Purpose::Player, 0));
        let candidate = |candidate: &bellmino_search::Candidate| {
            let held = Some(candidate.placement.piece) != view.queue.first().copied();
            BestCandidate {
                placement: candidate.placement.to_string(),
                held,
                value: Some(candidate.value),
                line: candidate.line.iter().map(ToString::to_string).collect(),
                ..BestCandidate::default()
            }
        };
        Ok(BestAnswer {
            unit: Some(thought.unit.name().to_owned()),
            nodes: Some(thought.nodes),
            candidates: thought.candidates.iter().take(top).map(candidate).collect(),
            ..answer
        })
    }

    /// The position of a guideline game.
    fn view(&self, game: &GuidelineGame, context: &Context<'_>) -> Result<View, RequestError> {
        let SoFar { bag, back_to_back, combo, pieces, lines, .. } = &self.so_far;
        let hold = self.held.as_deref().map(|held| guideline_piece("held", held)).transpose()?;
        let board = guideline_board(&self.board, context)?;
        let view = View {
            rules: *game.rules(),
            position: Position { board, hold, back_to_back: *back_to_back, combo: *combo },
            queue: guideline_pieces("queue", &self.queue)?,
            bag: bag.as_deref().map_or(Ok(vec![]), |bag| guideline_pieces("bag", bag))?,
            pieces: *pieces,
            lines: *lines,
        };
        if view.queue.is_empty() {
            let why = "say which piece is in play and which come next, such as TIOSZ";
            return Err(RequestError::field("queue", why));
        }
        if view.is_done() {
            return Err(RequestError::input("the game is over after so many pieces and lines"));
        }
        Ok(view)
    }

    fn in_placement(
        &self,
        answer: BestAnswer,
        game: &PlacementGame,
        context: &Context<'_>,
    ) -> Result<BestAnswer, RequestError> {
        self.thinking.refuse(game.name())?;
        if self.so_far != SoFar::default() {
            let why = format!("`{}` is a placement game: board and pieces are all that counts", game.name());
            return Err(RequestError::input(why));
        }
        if self.player.is_none() {
            return Err(RequestError::field(
                "player",
                "say who chooses, such as table:FILE, weights:NAME or lowest",
            ));
        }
        let board = drawn_board(game, "board", &self.board)?;
        let queue = parse_pieces(game, "queue", &self.queue)?;
        if queue.is_empty() {
            return Err(RequestError::field("queue", "say which piece is to be placed"));
        }
        let held = self.held.as_deref().map(|held| parse_pieces(game, "held", held)).transpose()?;
        let held = held.and_then(|held| held.first().copied());
        let player = Player::load_placement(&answer.player, game, context.resources);
        let player = player.map_err(RequestError::input)?;
        let chooser = player.chooser().map_err(RequestError::input)?;
        if let Some(table) = chooser.table() {
            let dealt = self.dealt.as_deref().map(|dealt| parse_pieces(game, "dealt", dealt)).transpose()?;
            let states = find_states(game, table.settings(), &queue, dealt.as_deref());
            let states = states.map_err(|error| RequestError::field("queue", error))?;
            let hand = InHand { queue: &queue, states: &states, held, left: None };
            let look = packed(game, &board).and_then(|board| table.look(board, &hand)).ok_or_else(|| {
                RequestError::field("board", "this board with these pieces cannot be reached from the start")
            })?;
            return Ok(self.of_table(answer, game, table, look));
        }
        if held.is_some() {
            return Err(RequestError::field(
                "held",
                "only tables that were solved with hold put pieces aside",
            ));
        }
        let columns = AnyColumns::from_board(&board);
        let mut chance = stream(self.chance.seed, Purpose::Player, 0);
        let chosen = chooser.choose_in_sight(game, &columns, &queue, &mut chance);
        let candidate = |placement: Placement| {
            let landed = columns.place_unchecked(game, placement);
            BestCandidate {
                placement: written(game, placement),
                fatal: landed.fatal,
                clear: Some(lines(landed.cleared.count_ones())),
                ..BestCandidate::default()
            }
        };
        Ok(BestAnswer { candidates: chosen.into_iter().map(candidate).collect(), ..answer })
    }

    /// Every placement with its exact value.
    fn of_table(&self, answer: BestAnswer, game: &PlacementGame, table: &Table, look: Look) -> BestAnswer {
        let Look { mut placements, put_aside } = look;
        let best = placements.iter().map(|one| one.value).chain(put_aside).fold(f64::NEG_INFINITY, f64::max);
        placements.sort_by(|a, b| a.fatal.cmp(&b.fatal).then(b.value.total_cmp(&a.value)));
        let candidate = |one: &PlacementValue| BestCandidate {
            placement: written(game, one.placement),
            held: one.held,
            fatal: one.fatal,
            clear: Some(lines(one.lines)),
            value: Some(one.value),
            loss: Some(if one.value < best { best - one.value } else { 0.0 }),
            ..BestCandidate::default()
        };
        BestAnswer {
            unit: Some(table.settings().objective.to_string()),
            candidates: placements.iter().take(self.shown.top as usize).map(candidate).collect(),
            put_aside,
            ..answer
        }
    }
}

/// A choice of the bot, with its loss and the reasons.
fn judged(choice: &Choice) -> BestCandidate {
    BestCandidate {
        placement: choice.placement.to_string(),
        held: choice.held,
        fatal: choice.fatal,
        clear: Some(choice.clear.to_string()),
        value: None,
        loss: Some(choice.loss),
        reasons: choice.reasons.iter().map(ToString::to_string).collect(),
        line: choice.line.iter().map(ToString::to_string).collect(),
    }
}

/// A placement as records write it.
fn written(game: &PlacementGame, placement: Placement) -> String {
    let Placement { piece, rotation, column, row } = placement;
    format!("{} {rotation} {column},{row}", game.pieces()[usize::from(piece)].name())
}

fn lines(count: u32) -> String {
    match count {
        0 => "nothing".to_owned(),
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    }
}
