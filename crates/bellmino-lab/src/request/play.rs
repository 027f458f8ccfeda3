//! One game, move by move.

use bellmino_engine::guideline::{ClearKind, Orientation, Piece, Position, Record as GuidelineRecord, Stats};
use bellmino_engine::placement::{self, Action, Board, Grid, Record};
use bellmino_engine::{AnyMatch, Game, GuidelineGame, Outcome, PlacementGame, Totals, guideline};
use bellmino_search::Budget;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::evaluate::{parse_opponent, refuse_dealer};
use super::{Chance, Context, GameChoice, Request, RequestError, Thinking, VERSION, named};
use crate::checksum::sealed_lines;
use crate::drawing::rows;
use crate::player::{AtWork, BOT_NODES, Player};
use crate::playthrough::{Move, Playthrough};
use crate::terms::Terms;
use crate::verdict::forecast_json;

/// Play one game and show it move by move
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlayRequest {
    /// The game.
    #[serde(flatten)]
    pub game: GameChoice,

    /// Who plays: random, random-rotation, lowest, lowest-bottom, fewest-holes, weights:NAME-OR-FILE (see
    /// `bellmino weights`), tuples:FILE, table:FILE; in guideline games also bot, bot:DEPTH (looks DEPTH pieces ahead), bot:keys or bot:FILE. People play in the lab: `bellmino lab`
    #[serde(default)]
    #[schemars(extend("x-value" = "P", "x-by-place" = true))]
    pub player: Option<String>,

    /// Who deals in placement games: random, or table:FILE for a dealer solved before [default: random]
    #[serde(default)]
    #[schemars(extend("x-value" = "D"))]
    pub dealer: Option<String>,

    /// Which game of the seed: game number I of `evaluate` with the same seed, from 0
    #[serde(default)]
    #[schemars(extend("x-value" = "I"))]
    pub index: u64,

    /// Stop after this many pieces [default: 1000, or as many as a table was solved for]
    #[serde(default)]
    #[schemars(range(min = 1), extend("x-value" = "MAX"))]
    pub pieces: Option<u64>,

    /// Write a record of the game into this file
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE"))]
    pub record: Option<String>,

    /// How long the bot thinks.
    #[serde(flatten)]
    pub thinking: Thinking,

    /// The seed.
    #[serde(flatten)]
    pub chance: Chance,
}

/// What came of the game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlayAnswer {
    /// The game.
    pub game: String,
    /// Who played.
    pub player: String,
    /// The seed.
    pub seed: u64,
    /// Which game of it.
    pub index: u64,
    /// The version of the program.
    pub version: &'static str,
    /// Pieces placed.
    pub pieces: u64,
    /// Rows cleared.
    pub lines: u64,
    /// What only games of this family have.
    #[serde(flatten)]
    pub rest: PlayRest,
}

/// What only games of one family have.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PlayRest {
    /// A placement game.
    Placement {
        /// Points.
        score: f64,
        /// Whether it was stopped before its end.
        unfinished: bool,
        /// The piece that had no place, if that ended the game.
        stuck_on: Option<String>,
        /// The moves, in order.
        moves: Vec<PlacedMove>,
    },
    /// A guideline game.
    Guideline {
        /// Points, without those for drops.
        score: u64,
        /// Points for drops.
        drop_points: u64,
        /// Pieces put into hold.
        holds: u32,
        /// Clears that emptied the board.
        perfect_clears: u32,
        /// Whether the goal was reached.
        cleared_goal: bool,
        /// Whether it was stopped before its end.
        unfinished: bool,
        /// The moves, in order.
        moves: Vec<DroppedMove>,
    },
}

/// A move of a placement game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlacedMove {
    /// The piece.
    pub piece: String,
    /// Its rotation.
    pub rotation: u8,
    /// The column of its leftmost cell.
    pub column: u8,
    /// The row of its lowest cell.
    pub row: u8,
    /// Rows cleared.
    pub lines: u32,
    /// Points for it.
    pub points: f64,
    /// Whether it ended the game.
    pub fatal: bool,
    /// The board after it: rows from the top, `/` between them.
    pub board: String,
}

/// A move of a guideline game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DroppedMove {
    /// The piece.
    #[schemars(with = "String")]
    pub piece: Piece,
    /// The way it faces.
    #[schemars(with = "String")]
    pub orientation: Orientation,
    /// The column of its centre.
    pub x: i8,
    /// The row of its centre.
    pub y: i8,
    /// Its spin.
    #[schemars(with = "String")]
    pub spin: guideline::Spin,
    /// Whether another piece went into hold for it.
    pub held: bool,
    /// Rows cleared.
    pub lines: u8,
    /// Points for it, without those for drops.
    pub points: u32,
    /// The kind of the clear, if it was one.
    #[schemars(with = "Option<String>")]
    pub clear: Option<ClearKind>,
    /// Whether its points were raised for back-to-back.
    pub back_to_back: bool,
    /// Whether it emptied the board.
    pub perfect: bool,
    /// Clears in a row, this one included.
    pub combo: u32,
    /// What the bot expected of the game before it, where the bot plays and the game has an end.
    pub expected: Value,
    /// The board after it: rows from the top, `/` between them.
    pub board: String,
}

/// A move of a placement game as it is made.
pub struct PlacedTurn<'a> {
    /// The game.
    pub game: &'a PlacementGame,
    /// What was done.
    pub turn: &'a Move<placement::Match>,
    /// The board before it.
    pub before: Board,
    /// The board after it.
    pub after: Board,
    /// What the game has come to.
    pub totals: Totals,
}

/// A move of a guideline game as it is made.
pub struct DroppedTurn<'a> {
    /// What was done.
    pub turn: &'a Move<guideline::Match>,
    /// Where it led to.
    pub after: Position,
    /// What the game has come to.
    pub stats: Stats,
}

/// Somebody who looks on while a game is played, and says after each move whether to go on.
pub trait Onlooker {
    /// It begins; `head` says what is played.
    fn begins(&mut self, head: &str) -> bool;

    /// A move of a placement game.
    fn placed(&mut self, turn: &PlacedTurn<'_>) -> bool;

    /// A move of a guideline game.
    fn dropped(&mut self, turn: &DroppedTurn<'_>) -> bool;
}

/// Keeps all moves.
#[derive(Default)]
struct AllMoves {
    placed: Vec<PlacedMove>,
    dropped: Vec<DroppedMove>,
}

impl Request for PlayRequest {
    const NAME: &'static str = "play";
    type Answer = PlayAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<PlayAnswer, RequestError> {
        let mut all = AllMoves::default();
        let mut answer = self.play(context, &mut all)?;
        match &mut answer.rest {
            PlayRest::Placement { moves, .. } => *moves = all.placed,
            PlayRest::Guideline { moves, .. } => *moves = all.dropped,
        }
        Ok(answer)
    }
}

/// After how many pieces a game is stopped, where nothing else is said.
const MOST_PIECES: u64 = 1000;

impl PlayRequest {
    /// Plays the game before somebody who looks on. The answer has no moves: the onlooker has seen them.
    pub fn play(
        &self,
        context: &Context<'_>,
        onlooker: &mut dyn Onlooker,
    ) -> Result<PlayAnswer, RequestError> {
        let game = self.game.load(context)?;
        let Some(name) = self.player.as_deref().filter(|name| !name.is_empty()) else {
            return Err(RequestError::input(who_plays(&game)));
        };
        let budget = self.thinking.budget()?.unwrap_or(Budget::nodes(BOT_NODES)).on(context.threads);
        let load = |budget| Player::load(name, &game, budget, context.resources).map_err(RequestError::input);
        match &game {
            Game::Placement(placement) => {
                self.thinking.refuse(game.name())?;
                self.play_placement(placement, &load(None)?, context, onlooker)
            }
            Game::Guideline(guideline) => {
                refuse_dealer(self.dealer.as_deref(), game.name())?;
                self.play_guideline(guideline, &load(Some(budget))?, context, onlooker)
            }
        }
    }

    fn play_placement(
        &self,
        game: &PlacementGame,
        player: &Player,
        context: &Context<'_>,
        onlooker: &mut dyn Onlooker,
    ) -> Result<PlayAnswer, RequestError> {
        let dealer = parse_opponent(self.dealer.as_deref(), game, context)?;
        let most = Terms::most_pieces([player], &dealer);
        let limit = self.pieces.unwrap_or_else(|| MOST_PIECES.min(most.unwrap_or(MOST_PIECES)));
        let number = (self.chance.seed, self.index);
        let mut playthrough: Playthrough<placement::Match, AtWork> =
            Playthrough::placement(game.clone(), player, &dealer, number, Some(limit))
                .map_err(RequestError::input)?;
        let mut done = vec![];
        let mut goes_on = onlooker.begins(&self.head(game.name()));
        while goes_on && context.go_on() {
            let Some(turn) = playthrough.next().transpose().map_err(RequestError::input)? else { break };
            done.extend(turn.held.then_some(Action::Hold));
            done.push(Action::Place(turn.placement));
            let (before, after) = (turn.before.to_board(game), playthrough.game().board().to_board(game));
            let totals = playthrough.game().totals();
            goes_on = onlooker.placed(&PlacedTurn { game, turn: &turn, before, after, totals });
        }
        let played = playthrough.game();
        if let Some(name) = &self.record {
            let record = Record::of(played, self.chance.seed, self.index, done).map_err(RequestError::run)?;
            let text = Record { player: self.player.clone(), ..record }.to_text();
            context.outputs.write(name, sealed_lines(&text).as_bytes())?;
        }
        let Totals { pieces, lines, score } = played.totals();
        let stuck_on = played.stuck_on().map(|piece| game.pieces()[piece as usize].name().to_owned());
        let unfinished = playthrough.outcome().is_none();
        let rest = PlayRest::Placement { score, unfinished, stuck_on, moves: vec![] };
        Ok(self.answered(game.name(), pieces, lines, rest))
    }

    fn play_guideline(
        &self,
        game: &GuidelineGame,
        player: &Player,
        context: &Context<'_>,
        onlooker: &mut dyn Onlooker,
    ) -> Result<PlayAnswer, RequestError> {
        let playthrough = Playthrough::guideline(game.rules(), player, self.chance.seed, self.index);
        let mut playthrough = playthrough.map_err(RequestError::input)?;
        let mut placements = vec![];
        let mut goes_on = onlooker.begins(&self.head(game.name()));
        while goes_on && (placements.len() as u64) < self.pieces.unwrap_or(MOST_PIECES) && context.go_on() {
            let Some(turn) = playthrough.next().transpose().map_err(RequestError::run)? else { break };
            placements.push(turn.placement);
            let (after, stats) = (*playthrough.game().position(), *playthrough.game().stats());
            goes_on = onlooker.dropped(&DroppedTurn { turn: &turn, after, stats });
        }
        if let Some(name) = &self.record {
            let (seed, index) = (self.chance.seed, self.index);
            let record = GuidelineRecord::of_placements(game.name(), *game.rules(), seed, index, placements);
            let mut record = record.map_err(RequestError::run)?;
            record.player = self.player.clone();
            context.outputs.write(name, sealed_lines(&record.to_text()).as_bytes())?;
        }
        let stats = playthrough.game().stats();
        let outcome = playthrough.outcome();
        let rest = PlayRest::Guideline {
            score: stats.score,
            drop_points: stats.drop_points,
            holds: stats.holds,
            perfect_clears: stats.perfect_clears,
            cleared_goal: outcome == Some(Outcome::Goal),
            unfinished: outcome.is_none(),
            moves: vec![],
        };
        Ok(self.answered(game.name(), stats.pieces.into(), stats.lines.into(), rest))
    }

    fn answered(&self, name: &str, pieces: u64, lines: u64, rest: PlayRest) -> PlayAnswer {
        PlayAnswer {
            game: self.game.describe(name),
            player: self.player.clone().unwrap_or_default(),
            seed: self.chance.seed,
            index: self.index,
            version: VERSION,
            pieces,
            lines,
            rest,
        }
    }

    /// What is played, for people.
    fn head(&self, name: &str) -> String {
        let index = if self.index == 0 { String::new() } else { format!(", game {}", self.index) };
        let player = self.player.as_deref().unwrap_or_default();
        format!("{}: {player}, seed {}{index}", self.game.describe(name), self.chance.seed)
    }
}

/// What to say if nobody is named.
fn who_plays(game: &Game) -> String {
    let machine = match game {
        Game::Placement(_) => "lowest",
        Game::Guideline(_) => "bot",
    };
    format!(
        "who plays? Give {}, such as {machine}, which shows a machine; to play yourself, run `bellmino lab`: Play has Sprint, \
         Blitz and Practice, and Watch lets you play every game, also against a machine",
        named("player")
    )
}

impl Onlooker for AllMoves {
    fn begins(&mut self, _: &str) -> bool {
        true
    }

    fn placed(&mut self, turn: &PlacedTurn<'_>) -> bool {
        self.placed.push(turn.to_move());
        true
    }

    fn dropped(&mut self, turn: &DroppedTurn<'_>) -> bool {
        self.dropped.push(turn.to_move());
        true
    }
}

impl PlacedTurn<'_> {
    /// The name of the piece.
    pub fn piece(&self) -> &str {
        self.game.pieces()[self.turn.placement.piece as usize].name()
    }

    fn to_move(&self) -> PlacedMove {
        let placement::Placement { rotation, column, row, .. } = self.turn.placement;
        let placement::Clear { lines, points, fatal, .. } = self.turn.clear;
        PlacedMove {
            piece: self.piece().to_owned(),
            rotation,
            column,
            row,
            lines,
            points,
            fatal,
            board: rows(&self.after).join("/"),
        }
    }
}

impl DroppedTurn<'_> {
    fn to_move(&self) -> DroppedMove {
        let Move { placement, held, clear, forecast, .. } = self.turn;
        let before = self.stats.score - u64::from(clear.points);
        DroppedMove {
            piece: placement.piece,
            orientation: placement.orientation,
            x: placement.x,
            y: placement.y,
            spin: placement.spin,
            held: *held,
            lines: clear.lines,
            points: clear.points,
            clear: clear.kind(),
            back_to_back: clear.back_to_back,
            perfect: clear.perfect,
            combo: clear.combo,
            expected: forecast_json(forecast.as_ref(), Some(before)),
            board: self.after.board.to_text().trim_end().replace('\n', "/"),
        }
    }
}
