//! What to do in every state: a table written out.

use std::ops::ControlFlow;

use bellmino_engine::placement::PackedBoard;

use super::queries::chosen;
use super::{HandChoice, Table};
use crate::bellman::Boards;
use crate::run::UNSAFE;
use crate::settings::Objective;
use crate::sides::InHand;

/// A state: a board and what is in hand on it. What to do, and what the state is worth then.
#[derive(Clone, Copy, Debug)]
pub struct PolicyState<'a> {
    /// The board.
    pub board: PackedBoard,
    /// The pieces on the table, the dealer's states, the held piece, and how many pieces are left to place.
    pub hand: InHand<'a>,
    /// The best, ties to the first; `None` if the game ends here whatever is done.
    pub choice: Option<HandChoice>,
    /// The state's value; 0 where the game ends. Under `average` in points in the long run, beside other states; negative
    /// infinity where the game can end.
    pub value: f64,
}

impl Table {
    /// Shows what to do in every state, board after board, until `visit` breaks off; under a horizon with so many pieces
    /// left. Boards come in ascending order, each followed by its mirror image where that is not kept by itself.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use bellmino_engine::Game;
    /// use bellmino_exact::{Objective, Silent, SolveSettings, solve};
    ///
    /// let game = Game::built_in("mini", &[]).unwrap().unwrap();
    /// let settings = SolveSettings { keep_stages: true, ..SolveSettings::new(Objective::Horizon(3)) };
    /// let solution = solve(game.placement().unwrap(), &settings, &Silent)?;
    /// let mut first = vec![];
    /// solution.table.each_state(Some(3), |state| {
    ///     first.push(state.value);
    ///     if first.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    /// });
    /// assert!((solution.report.value.unwrap() - first.iter().sum::<f64>() / 3.0).abs() < 1e-12);
    /// # Ok::<(), bellmino_exact::SolveError>(())
    /// ```
    pub fn each_state(
        &self,
        left: Option<u32>,
        mut visit: impl FnMut(&PolicyState<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let supply = self.store.supply();
        for kept in self.store.ascending() {
            let image = kept.mirrored(self.game());
            let image = (supply.mirror.is_some() && image != kept).then_some(image);
            for board in [kept].into_iter().chain(image) {
                let Some(backup) = self.on(board, left) else { continue };
                for (hand, number) in supply.hands.iter().zip(0..) {
                    if !backup.comes_up(number) {
                        continue;
                    }
                    let (values, aside) = (backup.placements(hand), backup.put_aside(hand));
                    let all = values.iter().filter(|one| !one.fatal).map(|one| one.value).chain(aside);
                    let best = all.reduce(f64::max);
                    let can_end = self.settings.objective == Objective::Average
                        && best.is_none_or(|best| best < 0.5 * UNSAFE);
                    visit(&PolicyState {
                        board,
                        hand: InHand { queue: &hand.queue, states: &hand.states, held: hand.held, left },
                        choice: best.and_then(|_| chosen(&values, aside)),
                        value: if can_end { f64::NEG_INFINITY } else { best.unwrap_or(0.0) },
                    })?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
