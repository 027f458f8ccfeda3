//! Games on the real board that say what a controller is worth.

use bellmino_learn::Controller;
use bellmino_learn::guideline::Pilot;
use serde_json::json;

use super::Training;
use super::error::TrainingError;
use super::ground::Ground;
use crate::arena::{PlayerReport, Settings, evaluate};
use crate::guideline;
use crate::player::Player;

impl Training {
    /// Plays on the real board, with other pieces than those learned from, until `count` games are lost (guideline games:
    /// so many games), and notes the result in the controller. `progress` is as in [`evaluate`].
    pub fn confirm(
        &self,
        controller: Controller,
        count: u64,
        progress: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<(Controller, PlayerReport), TrainingError> {
        let seed = self.config().seed.wrapping_add(1 << 32);
        let settings = Settings { seed, ..Settings::default() };
        let mut report = match self.ground() {
            Ground::Placement { real, .. } => {
                let player = Player::controller(controller.name(), controller.clone(), real);
                evaluate(real, &[player], &Settings { losses: Some(count), ..settings }, progress)
            }
            Ground::Guideline { game, .. } => {
                let pilot = Pilot::new(controller.clone());
                let pilot = pilot.map_err(|error| TrainingError::Refused(error.to_string()))?;
                let player = guideline::Player::of_pilot(controller.name(), pilot);
                guideline::evaluate(game.rules(), &[player], &Settings { games: count, ..settings }, progress)
            }
        };
        let result = report.players.swap_remove(0);
        let measured = match self.ground() {
            Ground::Placement { real, .. } => json!([{
                "game": real.name(),
                "board": format!("{}x{}", real.width(), real.height()),
                "seed": seed,
                "lines_per_loss": result.lines_per_loss,
            }]),
            Ground::Guideline { game, .. } => json!([{
                "game": game.name(),
                "games": count,
                "seed": seed,
                "score": result.score,
                "pieces": result.pieces,
                "cleared_goal": result.guideline.as_ref().map_or(0, |counts| counts.cleared_goal),
            }]),
        };
        Ok((controller.with_note("measured", measured), result))
    }
}
