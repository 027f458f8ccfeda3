//! Perft: counting every way a game can go, move by move.

use super::board_dealer::SeenBoards;
use super::columns::{AnyColumns, TenColumns};
use super::dealer::DealerState;
use super::landing::{Grid, Overflow};
use super::packed::PackedBoard;
use crate::game::PlacementGame;

/// Leaves after exactly `depth` placements over all pieces of positive probability, fatal placements left out.
///
/// `go_on` is asked now and then; when it says no, the count ends early with `None`.
///
/// ```
/// let game = bellmino_engine::Game::built_in("baby", &[]).unwrap().unwrap();
/// assert_eq!(bellmino_engine::placement::perft(game.placement().unwrap(), 2, || true), Some(284));
/// ```
pub fn perft(game: &PlacementGame, depth: u32, go_on: impl Fn() -> bool) -> Option<u64> {
    count_on_best(game, depth, &go_on)
}

/// Counts on the fastest board that fits the game.
fn count_on_best(game: &PlacementGame, depth: u32, go_on: &dyn Fn() -> bool) -> Option<u64> {
    if game.dealer().sees_board().is_some() {
        return count::<_, true>(
            game,
            &AnyColumns::empty(game),
            game.dealer().start(),
            &SeenBoards::default(),
            depth,
            go_on,
        );
    }
    if PackedBoard::fits(game) {
        count_unseen(game, &PackedBoard::empty(game), depth, go_on)
    } else if TenColumns::fits(game) {
        count_unseen(game, &TenColumns::empty(game), depth, go_on)
    } else {
        count_unseen(game, &AnyColumns::empty(game), depth, go_on)
    }
}

/// Counts where the dealer does not look at the board.
fn count_unseen<G: Grid>(
    game: &PlacementGame,
    board: &G,
    depth: u32,
    go_on: &dyn Fn() -> bool,
) -> Option<u64> {
    count::<G, false>(game, board, game.dealer().start(), &SeenBoards::default(), depth, go_on)
}

/// Counts from here on. Only a dealer that sees the board has something to remember.
fn count<G: Grid, const SEES: bool>(
    game: &PlacementGame,
    board: &G,
    state: DealerState,
    memory: &SeenBoards,
    depth: u32,
    go_on: &dyn Fn() -> bool,
) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    let seen = game.dealer().sees_board().filter(|_| SEES).map(|dealer| {
        let mut memory = memory.clone();
        (dealer.deal(game, board, &mut memory), memory)
    });
    let memory = seen.as_ref().map_or(memory, |(_, memory)| memory);
    let mut leaves = 0;
    for deal in game.dealer().deals(state) {
        if seen.as_ref().is_some_and(|(piece, _)| *piece != deal.piece) {
            continue;
        }
        let piece = deal.piece as usize;
        if depth == 1 && game.landing().overflow == Overflow::Forbidden {
            board.placements(game, piece, |_| leaves += 1);
        } else if depth == 1 {
            board.outcomes(game, piece, |_, _| leaves += 1);
        } else {
            let mut sum = Some(0u64);
            board.outcomes(game, piece, |_, outcome| {
                if depth >= 3 && !go_on() {
                    sum = None;
                }
                let below = sum.and_then(|_| {
                    count::<G, SEES>(game, &outcome.board, deal.next, memory, depth - 1, go_on)
                });
                sum = sum.zip(below).and_then(|(sum, below)| sum.checked_add(below));
            });
            leaves += sum?;
        }
    }
    Some(leaves)
}
