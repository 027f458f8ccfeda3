//! What a player gives up against chance to be safe from the worst dealer.

use bellmino_engine::PlacementGame;

use crate::settings::{Dealing, Objective, SolveSettings};
use crate::sides::Sides;
use crate::solve::{SolveError, solve, solve_between};
use crate::watch::Watch;

/// What one player is worth, in points: its place between chance and the worst dealer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Robustness {
    /// Against the game's own dealer; absent if infinite.
    pub chance: Option<f64>,
    /// Against the worst dealer; absent if infinite.
    pub worst: Option<f64>,
}

/// Finds the best player for these settings, whatever its dealer and reward, and what it is worth against both dealers.
///
/// ```
/// use bellmino_engine::Game;
/// use bellmino_exact::{Dealing, Objective, Silent, SolveSettings, robustness};
///
/// let game = Game::built_in("baby", &[]).unwrap().unwrap();
/// let settings = SolveSettings { dealing: Dealing::Worst, ..SolveSettings::new(Objective::Discounted(0.9)) };
/// let robust = robustness(game.placement().unwrap(), &settings, &Silent)?;
/// assert!((robust.worst.unwrap() - 7.9704266413).abs() < 1e-9);
/// assert!((robust.chance.unwrap() - 8.8714321717).abs() < 1e-9);
/// # Ok::<(), bellmino_exact::SolveError>(())
/// ```
pub fn robustness(
    game: &PlacementGame,
    settings: &SolveSettings,
    watch: &dyn Watch,
) -> Result<Robustness, SolveError> {
    // A player of a horizon plays by the pieces left.
    let keep_stages = matches!(settings.objective, Objective::Horizon(_));
    let best = solve(game, &SolveSettings { keep_stages, ..settings.clone() }, watch)?;
    if let (Some(chance), Some(worst)) = (best.report.true_value, best.report.true_worst_value) {
        return Ok(Robustness { chance, worst });
    }
    let against = |dealing: Dealing| {
        if dealing == settings.dealing && settings.reward.is_none() {
            return Ok(best.report.value);
        }
        let plain = SolveSettings { dealing, reward: None, ..settings.clone() };
        let sides = Sides { player: Some(&best.table), dealer: None };
        Ok(solve_between(game, &plain, sides, None, watch)?.report.value)
    };
    Ok(Robustness { chance: against(Dealing::Random)?, worst: against(Dealing::Worst)? })
}
