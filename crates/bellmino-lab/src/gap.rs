//! Where a player loses what the best one makes: how often it comes to each state, and what its choice gives away there.

use std::collections::HashMap;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Board, DealerKind, Grid, PackedBoard, Placement};
use bellmino_exact::{InHand, Objective, PlacementValue, Policy, Table};
use thiserror::Error;

/// What a player loses against the best one, state by state.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// What the best player makes.
    pub optimum: f64,
    /// What the player loses of it, all states together: the optimum less its value.
    pub lost: f64,
    /// Boards that the player comes to.
    pub boards: usize,
    /// The states in which it is expected to lose most, from the worst on.
    pub states: Vec<StateLoss>,
}

/// A state in which a player loses something.
#[derive(Clone, Debug, PartialEq)]
pub struct StateLoss {
    /// The board.
    pub board: Board,
    /// What the player places.
    pub played: Placement,
    /// The best placement.
    pub best: Placement,
    /// How much more that is worth.
    pub loss: f64,
    /// How often the player is expected to be here in a game.
    pub visits: f64,
}

impl StateLoss {
    /// What is expected to be lost here in a game.
    pub fn expected(&self) -> f64 {
        self.loss * self.visits
    }
}

/// Why losses cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GapError {
    /// The question is another one.
    #[error(
        "losses by state are told of the total, with pieces that do not depend on each other, no preview and no hold"
    )]
    Unsupported,
    /// A board that the table does not have.
    #[error("the player comes to a board that is not in the table")]
    Unknown,
    /// Somebody said no in between.
    #[error("interrupted")]
    Interrupted,
}

/// A board that the player comes to: for each deal of positive probability what follows.
type Follows = Vec<Option<u32>>;

/// Time goes on until less than this is left of a game.
const LEFT: f64 = 1e-12;

impl Gap {
    /// What this player loses against the table of the best one; the `most` worst states are kept. `go_on` is asked in
    /// between.
    pub fn new(
        table: &Table,
        player: &dyn Policy,
        most: usize,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Gap, GapError> {
        let (game, settings) = (table.game(), table.settings());
        let is_plain = game.dealer().kind() == DealerKind::Weighted
            && settings.objective == Objective::Total
            && settings.preview == 0
            && !settings.hold;
        let optimum = table.finished().value.filter(|_| is_plain).ok_or(GapError::Unsupported)?;
        let start = settings.from.map_or(PackedBoard::empty(game), |board| PackedBoard::from_board(&board));
        let (boards, follows, mut states) = explore(table, player, start, go_on)?;
        let visits = visits(game, &follows, go_on)?;
        for (number, deal, state) in &mut states {
            let probability = game.dealer().deals(game.dealer().start())[*deal].probability;
            state.visits = visits[*number as usize] * probability;
        }
        let lost = states.iter().map(|(_, _, state)| state.expected()).sum();
        let mut states: Vec<StateLoss> = states.into_iter().map(|(_, _, state)| state).collect();
        states.sort_by(|a, b| b.expected().total_cmp(&a.expected()));
        states.truncate(most);
        Ok(Gap { optimum, lost, boards: boards.len(), states })
    }
}

/// The boards that a player comes to, what follows on each, and the states in which it loses something, with the numbers of
/// their board and their deal.
#[expect(clippy::type_complexity, reason = "three lists, told apart where they are taken")]
fn explore(
    table: &Table,
    player: &dyn Policy,
    start: PackedBoard,
    go_on: &dyn Fn() -> bool,
) -> Result<(Vec<PackedBoard>, Vec<Follows>, Vec<(u32, usize, StateLoss)>), GapError> {
    let game = table.game();
    let state = game.dealer().start();
    let mut numbers: HashMap<u64, u32> = HashMap::from([(start.0, 0)]);
    let (mut boards, mut follows, mut states) = (vec![start], Vec::new(), Vec::new());
    while let Some(&packed) = boards.get(follows.len()) {
        if follows.len() % 1024 == 0 && !go_on() {
            return Err(GapError::Interrupted);
        }
        let number = follows.len() as u32;
        let board = packed.to_board(game);
        let mut next = Follows::new();
        for (index, deal) in game.dealer().deals(state).iter().enumerate() {
            let hand = InHand { queue: &[deal.piece], states: &[deal.next], held: None, left: None };
            let Some(played) = player.place(packed, &hand) else {
                next.push(None);
                continue;
            };
            let values = table.placement_values(&board, deal.piece.into()).ok_or(GapError::Unknown)?;
            let worth = |placement: Placement| {
                let is_it = |one: &&PlacementValue| one.placement == placement;
                values.iter().find(is_it).map(|one| one.value).ok_or(GapError::Unknown)
            };
            let best = table.best_of(&values).ok_or(GapError::Unknown)?;
            let loss = worth(best)? - worth(played)?;
            if loss > 0.0 {
                states.push((number, index, StateLoss { board, played, best, loss, visits: 0.0 }));
            }
            let landed = packed.place_unchecked(game, played);
            next.push((!landed.fatal).then(|| {
                *numbers.entry(landed.board.0).or_insert_with(|| {
                    boards.push(landed.board);
                    boards.len() as u32 - 1
                })
            }));
        }
        follows.push(next);
    }
    Ok((boards, follows, states))
}

/// How often each board is expected in a game that begins on the first.
fn visits(game: &PlacementGame, follows: &[Follows], go_on: &dyn Fn() -> bool) -> Result<Vec<f64>, GapError> {
    let deals = game.dealer().deals(game.dealer().start());
    let mut now = vec![0.0; follows.len()];
    now[0] = 1.0;
    let mut all = vec![0.0; follows.len()];
    let mut left = 1.0;
    while left > LEFT {
        if !go_on() {
            return Err(GapError::Interrupted);
        }
        let mut next = vec![0.0; follows.len()];
        for (number, follows) in follows.iter().enumerate().filter(|(number, _)| now[*number] > 0.0) {
            all[number] += now[number];
            for (follow, deal) in follows.iter().zip(deals) {
                if let Some(follow) = follow {
                    next[*follow as usize] += now[number] * deal.probability;
                }
            }
        }
        now = next;
        left = now.iter().sum();
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SolvePlan;
    use bellmino_engine::{Game, Override};
    use bellmino_exact::{Silent, SolveSettings, solve, solve_between};

    /// What is lost in all states together is what the player is worth less than the best.
    #[test]
    fn losses_add_up_to_the_gap() {
        for (name, overrides, player) in [
            ("mini", vec!["dealer.kind=weighted"], "lowest"),
            ("small", vec!["board.height=3"], "weights:lee4"),
            (
                "classic",
                vec!["board.width=4", "board.height=4", "landing.overflow=forbidden"],
                "weights:bcts",
            ),
            ("sz", vec!["board.width=4", "board.height=5"], "fewest-holes"),
        ] {
            let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
            let game = Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone();
            let asked = SolveSettings::new(Objective::Total);
            let best = solve(&game, &asked, &Silent).unwrap();
            let plan =
                SolvePlan::new(&game, asked, "random", Some(player), &crate::resources::BuiltIn).unwrap();
            let sides = plan.sides();
            let value =
                solve_between(&game, &plan.settings, sides, None, &Silent).unwrap().report.value.unwrap();
            let gap = Gap::new(&best.table, sides.player.unwrap(), 5, &|| true).unwrap();
            let optimum = best.report.value.unwrap();
            assert!((gap.optimum - optimum).abs() < 1e-9 && gap.lost > 0.0);
            assert!((optimum - gap.lost - value).abs() < 1e-6, "{name}: {gap:?} {value}");
            assert_eq!(gap.states.len(), 5);
            assert!(gap.states.is_sorted_by(|a, b| a.expected() >= b.expected()));
            // The best player loses nothing.
            assert_eq!(Gap::new(&best.table, &best.table, 5, &|| true).unwrap().lost, 0.0);
            let stopped = Gap::new(&best.table, sides.player.unwrap(), 5, &|| false);
            assert_eq!(stopped, Err(GapError::Interrupted));
        }
    }

    #[test]
    fn what_is_not_told() {
        let game = |name: &str| Game::built_in(name, &[]).unwrap().unwrap().placement().unwrap().clone();
        for (game, settings) in [
            (game("mini"), SolveSettings::new(Objective::Total)),
            (game("baby"), SolveSettings::new(Objective::Discounted(0.9))),
        ] {
            let table = solve(&game, &settings, &Silent).unwrap().table;
            assert_eq!(Gap::new(&table, &table, 5, &|| true), Err(GapError::Unsupported));
        }
    }
}
