//! Minds of placement games: linear controllers, tuples, solved tables and the simple players.

use std::sync::Arc;

use bellmino_engine::placement::{DealerState, Grid, Match, PackedBoard, Placement};
use bellmino_engine::{Generator, PlacementGame};
use bellmino_exact::{HandChoice, InHand, Look, NeverClearValues, Table};
use bellmino_learn::{Controller, Simulator, TupleValue};

use super::baseline::Baseline;
use super::{PlayerError, tuples, weights};
use crate::playthrough::{Move, Plays};
use crate::resources::Resources;
use crate::tables::{LoadTableError, SolvedPlayer, find_solved};

/// Who chooses placements.
#[derive(Clone, Debug)]
pub enum Chooser {
    /// A simple player.
    Baseline(Baseline),
    /// A controller, and the fast way to play it where there is one.
    Controller(Box<Controller>, Option<Box<Simulator>>),
    /// A value over windows of the board.
    Tuples(Arc<TupleValue>),
    /// A solved table.
    Table(Arc<Table>),
    /// The values of a game whose full rows never leave: seed 000's first model.
    NeverClear(Arc<NeverClearValues>),
}

/// A chooser at work on one match.
#[derive(Clone, Debug)]
pub struct AtWork {
    chooser: Arc<Chooser>,
    /// How many pieces it may count on, for tables that depend on it.
    limit: Option<u64>,
}

impl Chooser {
    /// How choosers are written, besides the simple players.
    pub const FORMS: [&'static str; 3] = ["weights:NAME-OR-FILE", "tuples:FILE", "table:FILE"];

    pub(super) fn parse(
        text: &str,
        game: &PlacementGame,
        resources: &dyn Resources,
    ) -> Result<Option<Chooser>, PlayerError> {
        Ok(Some(match text.split_once(':') {
            Some(("weights", name)) => {
                let controller = weights(name, resources)?;
                let bad = |why: String| PlayerError::BadWeights { name: name.to_owned(), why };
                controller.check(game).map_err(|error| bad(error.to_string()))?;
                Chooser::of_controller(controller, game)
            }
            Some(("tuples", file)) => Chooser::Tuples(Arc::new(tuples(file, game, resources)?)),
            Some(("table", file)) => {
                let bad = |error: LoadTableError| PlayerError::BadTable(error.to_string());
                match find_solved(file, game, resources).map_err(bad)? {
                    SolvedPlayer::Table(table) => Chooser::Table(table),
                    SolvedPlayer::NeverClear(values) => Chooser::NeverClear(values),
                }
            }
            _ => match Baseline::named(text) {
                Some(baseline) => Chooser::Baseline(baseline),
                None => return Ok(None),
            },
        }))
    }

    /// A controller whose features fit the game.
    pub fn of_controller(controller: Controller, game: &PlacementGame) -> Chooser {
        let simulator = Simulator::new(game, &controller).map(Box::new);
        Chooser::Controller(Box::new(controller), simulator)
    }

    /// The table, if that is what decides.
    pub fn table(&self) -> Option<&Table> {
        if let Chooser::Table(table) = self { Some(table) } else { None }
    }

    /// Whether every placement is as likely as every other.
    pub fn is_random(&self) -> bool {
        matches!(self, Chooser::Baseline(Baseline::Random))
    }

    /// Whether the choice in a position is always the same.
    pub fn is_certain(&self) -> bool {
        if let Chooser::Baseline(baseline) = self { baseline.is_certain() } else { true }
    }

    /// A way to play whole games at full speed, move for move the same.
    pub fn simulator(&self) -> Option<Simulator> {
        if let Chooser::Controller(_, Some(simulator)) = self { Some((**simulator).clone()) } else { None }
    }

    /// Chooses a placement of this piece, or `None` if none is legal.
    ///
    /// All players but the random ones avoid placements that end the game while there is another. Ties go to the first in
    /// the order rotation, column, row, unless a player draws lots.
    #[inline]
    pub fn choose<G: Grid>(
        &self,
        game: &PlacementGame,
        board: &G,
        piece: usize,
        chance: &mut Generator,
    ) -> Option<Placement> {
        match self {
            Chooser::Baseline(baseline) => baseline.choose(game, board, piece, chance),
            Chooser::Controller(controller, _) => controller.choose(game, board, piece),
            Chooser::Tuples(value) => value.choose(game, board, piece),
            // The piece is all that is known; whoever knows more asks with the whole hand.
            Chooser::Table(table) => {
                let board = PackedBoard::from_board(&board.to_board(game));
                table.best_of(&table.values_of_pieces(board, &[piece as u8])?)
            }
            Chooser::NeverClear(values) => {
                values.choose(PackedBoard::from_board(&board.to_board(game)), piece)
            }
        }
    }
}

impl Chooser {
    /// The same with all pieces in sight, the current one first: controllers look at the next one too, if the game shows it.
    pub fn choose_in_sight<G: Grid>(
        &self,
        game: &PlacementGame,
        board: &G,
        pieces: &[u8],
        chance: &mut Generator,
    ) -> Option<Placement> {
        match self {
            Chooser::Controller(controller, _) if game.previews() > 0 => {
                let shown = pieces.len().min(game.previews() + 1);
                controller.choose_in_sight(game, board, &pieces[..shown])
            }
            _ => self.choose(game, board, *pieces.first()? as usize, chance),
        }
    }
}

impl AtWork {
    /// A chooser that may count on so many pieces.
    pub fn new(chooser: Arc<Chooser>, limit: Option<u64>) -> AtWork {
        AtWork { chooser, limit }
    }

    /// What its table says of a match; `None` if it has none.
    pub fn look<G: Grid>(&self, game: &Match<G>) -> Option<Look> {
        let table = self.chooser.table()?;
        let board = PackedBoard::from_board(&game.board().to_board(game.game()));
        self.ask(table, game, |hand| table.look(board, hand))
    }

    /// Who chooses.
    pub fn chooser(&self) -> &Chooser {
        &self.chooser
    }

    /// Decides what to place, and holds in the match if that comes first.
    #[inline]
    fn decide<G: Grid>(&self, game: &mut Match<G>, chance: &mut Generator) -> Option<Placement> {
        match &*self.chooser {
            Chooser::Table(table) => self.decide_by_table(table, game),
            chooser if game.game().previews() > 0 => {
                let pieces: Vec<u8> = game.queue().iter().map(|dealt| dealt.piece).collect();
                chooser.choose_in_sight(game.game(), game.board(), &pieces, chance)
            }
            chooser => chooser.choose(game.game(), game.board(), game.current()? as usize, chance),
        }
    }

    fn decide_by_table<G: Grid>(&self, table: &Table, game: &mut Match<G>) -> Option<Placement> {
        let board = PackedBoard::from_board(&game.board().to_board(game.game()));
        let choice = self.ask(table, game, |hand| table.choose(board, hand))?;
        match choice {
            HandChoice::Place(placement) | HandChoice::PlaceHeld(placement) => Some(placement),
            HandChoice::PutAside => {
                game.hold().ok()?;
                self.ask(table, game, |hand| table.choose_placement(board, hand))
            }
        }
    }

    /// Asks the table about a match, with as many pieces left as may be counted on.
    fn ask<G: Grid, T>(
        &self,
        table: &Table,
        game: &Match<G>,
        question: impl FnOnce(&InHand<'_>) -> Option<T>,
    ) -> Option<T> {
        let left = self.limit.and_then(|limit| u32::try_from(limit.saturating_sub(game.stats().pieces)).ok());
        with_hand(table, game, left, question)
    }
}

/// Asks about a match with the hand that the table knows of it; `None` if that is not dealt yet.
pub(crate) fn with_hand<G: Grid, T>(
    table: &Table,
    game: &Match<G>,
    left: Option<u32>,
    question: impl FnOnce(&InHand<'_>) -> Option<T>,
) -> Option<T> {
    let in_sight = game.queue().get(..=table.queue())?;
    let (queue, states): (Vec<u8>, Vec<DealerState>) =
        in_sight.iter().map(|dealt| (dealt.piece, dealt.state)).unzip();
    question(&InHand { queue: &queue, states: &states, held: game.held(), left })
}

impl<G: Grid> Plays<Match<G>> for AtWork {
    #[inline]
    fn turn(&mut self, game: &mut Match<G>, chance: &mut Generator) -> Option<Move<Match<G>>> {
        let before = *game.board();
        let holds = game.stats().holds;
        let placement = self.decide(game, chance)?;
        let clear = game.play_unchecked(&placement);
        let held = game.stats().holds > holds;
        Some(Move { placement, held, points: clear.points, clear, before, forecast: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::BuiltIn;
    use bellmino_engine::placement::{AnyColumns, Board};
    use bellmino_engine::{Game, Purpose, stream};

    fn chosen(name: &str, game: &str, text: &str, piece: &str) -> Placement {
        let game = Game::built_in(game, &[]).unwrap().unwrap().placement().unwrap().clone();
        let board = Board::parse(game.width(), game.height(), text).unwrap();
        let chooser = Chooser::parse(name, &game, &BuiltIn).unwrap().unwrap();
        let piece = game.piece_index(piece).unwrap();
        let mut chance = stream(0, Purpose::Player, 0);
        chooser.choose(&game, &AnyColumns::from_board(&board), piece, &mut chance).unwrap()
    }

    #[test]
    fn lowest_looks_at_the_top_cell() {
        // Flat at height 1 beats standing in the well up to height 3.
        let placement = chosen("lowest", "baby", "....", "I3");
        assert_eq!((placement.rotation, placement.column), (0, 0));
        let placement = chosen("lowest", "baby", "##.. / ##..", "I3");
        assert_eq!((placement.rotation, placement.column), (0, 0), "a tie goes to the first");
    }

    #[test]
    fn seed_002s_players_draw_lots() {
        let game = Game::built_in("classic", &[]).unwrap().unwrap().placement().unwrap().clone();
        let board = Board::parse(10, 20, "..######## / #.########").unwrap();
        let grid = AnyColumns::from_board(&board);
        let piece = game.piece_index("I").unwrap();
        let mut chance = stream(1, Purpose::Player, 0);
        let mut draw = |name: &str| {
            let chooser = Chooser::parse(name, &game, &BuiltIn).unwrap().unwrap();
            let mut seen: Vec<(u8, u8, u8)> = (0..400)
                .map(|_| chooser.choose(&game, &grid, piece, &mut chance).unwrap())
                .map(|at| (at.rotation, at.column, at.row))
                .collect();
            seen.sort_unstable();
            seen
        };
        // By the bottom cell, standing in the well is lowest.
        let well = draw("lowest-bottom");
        assert!(well.iter().all(|at| *at == (1, 1, 0)), "{well:?}");
        // Lying has seven columns, standing ten: half and half, not 7 to 10. 160 or fewer of 400 come once in 30,000.
        let lying = draw("random-rotation").iter().filter(|(rotation, ..)| *rotation == 0).count();
        assert!((161..240).contains(&lying), "{lying}");
        let flat = Board::parse(10, 20, "..........").unwrap();
        let grid = AnyColumns::from_board(&flat);
        let chooser = Chooser::parse("lowest-bottom", &game, &BuiltIn).unwrap().unwrap();
        let mut all: Vec<_> =
            (0..400).map(|_| chooser.choose(&game, &grid, piece, &mut chance).unwrap()).collect();
        all.sort_unstable_by_key(|at| (at.rotation, at.column));
        all.dedup();
        assert_eq!(all.len(), 17, "every placement on the floor is as low as every other");
    }

    #[test]
    fn fewest_holes_counts_after_the_clear() {
        let placement = chosen("fewest-holes", "baby", "###.", "I3");
        assert_eq!((placement.rotation, placement.column, placement.row), (0, 0, 1));
        let placement = chosen("fewest-holes", "baby", ".###", "I3");
        assert_eq!((placement.rotation, placement.column), (0, 1));
    }

    #[test]
    fn nobody_but_random_dies_without_need() {
        // The domino may lie in the gap or stand above the top.
        for name in ["lowest", "fewest-holes", "weights:lee4"] {
            let placement = chosen(name, "mini", "#.. / #.. / ##.", "I2");
            assert!(placement.column >= 1, "{name}: {placement:?}");
        }
    }
}
