//! Units: work that was done elsewhere, and the same work done here.

use std::sync::Arc;

use bellmino_engine::PlacementGame;
use bellmino_lab::training::{Approach, Recipe, Training};
use bellmino_lab::{ArenaSettings, Crew, CrewError, Heap, Player, Unit, Workbench, evaluate, evaluate_by};
use bellmino_learn::{TuplePlan, Window};

use super::simulator::random_controller;
use super::tuples::random_value;
use crate::dice::Dice;
use crate::pair::{Asked, Compared, same, words};

/// Takes all units there are, of these sizes in turn, and does the last first; each travels there and back as bytes.
#[derive(Debug)]
struct Elsewhere(Vec<u64>);

impl Crew for Elsewhere {
    fn work(&self, heap: &Arc<Heap>, look: &mut dyn FnMut()) -> Result<(), CrewError> {
        let refuse = |error: &dyn std::fmt::Display| CrewError(error.to_string());
        while !heap.is_done() && !heap.is_stopped() {
            let mut sizes = self.0.iter().cycle();
            let units: Vec<Unit> = std::iter::from_fn(|| heap.next(*sizes.next()?)).collect();
            // Somebody who knows nothing of what was done before.
            let bench = Workbench::default();
            for unit in units.iter().rev() {
                let sent = unit.to_bytes().map_err(|error| refuse(&error))?;
                let arrived = Unit::from_bytes(&sent).map_err(|error| refuse(&error))?;
                let done = bench.work(&arrived).map_err(|error| refuse(&error))?;
                let twice = bench.work(&arrived).map_err(|error| refuse(&error))?;
                let [done, twice] = [done, twice].map(|result| result.to_bytes());
                let done = done.map_err(|error| refuse(&error))?;
                if twice.map_err(|error| refuse(&error))? != done {
                    return Err(CrewError(format!("{}: other bytes when it is done again", unit.name())));
                }
                heap.put(unit, &done).map_err(|error| refuse(&error))?;
            }
            look();
        }
        Ok(())
    }
}

/// Tuples learned here and by units: the same file and the same curve.
pub(super) fn training(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.placement().filter(|game| game.width() * game.height() <= 60) else {
        return Ok(Compared::default());
    };
    let mut dice = Dice::new(asked.seed, 15 << 32);
    let cut = |most: usize, size: usize| size.min(most) as u8;
    let (wide, high) = (dice.between(1, 3), dice.between(1, 3));
    let window = Window { width: cut(game.width(), wide), height: cut(game.height(), high) };
    let (steps, moves) = (2, dice.between(1, 300) as u64);
    let plan = TuplePlan {
        windows: vec![window],
        steps,
        moves,
        rate: dice.pick(&[0.1, 1.0]),
        discount: dice.pick(&[0.5, 1.0]),
        trace: dice.pick(&[0.0, 0.5]),
        every_piece: dice.once_in(3),
        curiosity: dice.pick(&[0.0, 0.1]),
        seed: asked.seed,
        ..TuplePlan::default()
    };
    let recipe = Recipe {
        game: asked.game.clone(),
        seed: asked.seed,
        features: None,
        low: None,
        approach: Approach::Tuples(plan),
    };
    let crew = Elsewhere(vec![dice.between(1, 3) as u64, 1]);
    let learn = |crew: Option<&dyn Crew>| {
        let mut training = Training::new(&recipe).map_err(words)?;
        training.run_by(crew, &|| true, &mut |_| Ok(())).map_err(words)?;
        let file = training.learned().ok_or("nothing was learned")?.file();
        Ok::<_, String>((file, training.course().rows()))
    };
    let ((here, rows), (there, other_rows)) = (learn(None)?, learn(Some(&crew))?);
    same("curve", &format!("{rows:?}"), &format!("{other_rows:?}"))?;
    same("bytes of the file", &(here == there), &true)?;
    Ok(Compared { games: 2, moves: 2 * steps * moves })
}

/// Games of an evaluation played here and by units.
pub(super) fn games(asked: &Asked) -> Result<Compared, String> {
    let mut dice = Dice::new(asked.seed, 16 << 32);
    let players = match asked.placement() {
        Some(game) => of_placements(game, &mut dice)?,
        None => vec![Player::of_guideline("weights:lee4", None).map_err(words)?],
    };
    let crew = Elsewhere(vec![dice.between(1, 4) as u64, 2]);
    let discount = dice.once_in(3).then_some(0.9);
    let settings =
        ArenaSettings { games: 5, seed: asked.seed, pieces: Some(30), discount, ..ArenaSettings::default() };
    let here = evaluate(&asked.game, &players, &settings, &|_| true).map_err(words)?;
    let there = evaluate_by(Some(&crew), None, &asked.game, &players, &settings, &|_| true).map_err(words)?;
    same("report", &super::arena::timeless(&here), &super::arena::timeless(&there))?;
    let pieces = here.players.iter().map(|player| player.pieces.mean * player.games as f64).sum::<f64>();
    Ok(Compared { games: 5 * players.len() as u64, moves: pieces.round() as u64 })
}

fn of_placements(game: &PlacementGame, dice: &mut Dice) -> Result<Vec<Player>, String> {
    let mut players = vec![
        Player::of_placement("random", game).map_err(words)?,
        Player::of_controller("random weights", random_controller(game, dice), game),
    ];
    players.extend(random_value(game, dice).map(|value| Player::of_tuples("random tuples", value)));
    Ok(players)
}
