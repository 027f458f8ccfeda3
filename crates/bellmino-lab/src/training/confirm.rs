//! Games on the real board that say what a controller is worth.

use bellmino_engine::Game;
use bellmino_learn::guideline::Pilot;
use serde_json::json;

use super::Training;
use super::error::TrainingError;
use super::ground::TrainingGround;
use super::learned::Learned;
use crate::arena::{ArenaSettings, PlayerReport, evaluate_by};
use crate::clock::Clock;
use crate::crew::Crew;
use crate::player::{Player, PlayerError};

impl Training {
    /// Plays on the real board, with other pieces than those learned from, until `count` games are lost (guideline games:
    /// so many games), and notes the result in what was learned. A crew plays if there is one; `progress` is as in
    /// [`evaluate`](crate::evaluate).
    pub fn confirm(
        &self,
        learned: Learned,
        count: u64,
        crew: Option<&dyn Crew>,
        clock: Clock,
        progress: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<(Learned, PlayerReport), TrainingError> {
        let seed = self.config().seed.wrapping_add(1 << 32);
        let settings = ArenaSettings { seed, clock, ..ArenaSettings::default() };
        let refuse = |why: &dyn std::fmt::Display| TrainingError::Refused(why.to_string());
        let (losing, playing) = (
            ArenaSettings { losses: Some(count), ..settings.clone() },
            ArenaSettings { games: count, ..settings },
        );
        let (player, settings) = match (self.ground(), &learned) {
            (TrainingGround::Placement { real, .. }, Learned::Controller(controller)) => {
                (Player::of_controller(controller.name(), (**controller).clone(), real), losing)
            }
            (TrainingGround::Placement { .. }, Learned::Tuples(value)) => {
                (Player::of_tuples("tuples", (**value).clone()), losing)
            }
            (TrainingGround::Guideline { .. }, Learned::Controller(controller)) => {
                let pilot = Pilot::new((**controller).clone()).map_err(|error| refuse(&error))?;
                (Player::of_pilot(controller.name(), pilot), playing)
            }
            _ => return Err(refuse(&"weights of the look-ahead bot are not confirmed")),
        };
        let game = match self.ground() {
            TrainingGround::Placement { real, .. } => Game::Placement((**real).clone()),
            TrainingGround::Guideline { game, .. } => Game::Guideline((**game).clone()),
        };
        let report = evaluate_by(crew, None, &game, &[player], &settings, progress);
        let mut report = report.map_err(|error| match error {
            PlayerError::Crew(error) => error.into(),
            error => refuse(&error),
        })?;
        let result = report.players.swap_remove(0);
        let measured = match self.ground() {
            TrainingGround::Placement { real, .. } => json!([{
                "game": real.name(),
                "board": format!("{}x{}", real.width(), real.height()),
                "seed": seed,
                "lines_per_loss": result.lines_per_loss,
            }]),
            TrainingGround::Guideline { game, .. } => json!([{
                "game": game.name(),
                "games": count,
                "seed": seed,
                "score": result.score,
                "pieces": result.pieces,
                "cleared_goal": result.guideline.as_ref().map_or(0, |counts| counts.cleared_goal),
            }]),
        };
        Ok((learned.with_note("measured", measured), result))
    }
}
