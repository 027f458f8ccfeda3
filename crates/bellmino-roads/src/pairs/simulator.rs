//! The fast simulator and the plain controller.

use std::sync::Arc;

use bellmino_engine::placement::{Grid, Match};
use bellmino_engine::{PlacementGame, Purpose, stream};
use bellmino_learn::{BUILT_IN_CONTROLLERS, Caution, Controller, Feature, Simulator, Trial};

use crate::dice::Dice;
use crate::pair::{Asked, Compared, same, same_bits};

/// Board for board, and what trials give for the whole game.
pub(super) fn simulator_and_match(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.placement() else { return Ok(Compared::default()) };
    let mut dice = Dice::new(asked.seed, 3 << 32);
    let controller = random_controller(game, &mut dice);
    let Some(fast) = Simulator::new(game, &controller) else { return Ok(Compared::default()) };
    let most = if controller.caution().is_some() || game.previews() > 0 { 25 } else { 100 };
    let mut roads = [fast.clone(), fast.portable()];
    let mut all = Compared::default();
    for index in 0..2 {
        let mut played: Match = Match::new(game.clone(), asked.seed, index);
        roads.iter_mut().for_each(|road| road.start(stream(asked.seed, Purpose::Dealer, index)));
        all.games += 1;
        let mut lost = false;
        while played.stats().pieces < most && !lost {
            let pieces: Vec<u8> = played.queue().iter().map(|dealt| dealt.piece).collect();
            let placement = match played.outcome() {
                None => controller.choose_in_sight(game, played.board(), &pieces),
                Some(_) => None,
            };
            lost = match placement {
                None => true,
                Some(placement) => played.play(&placement).map_err(|error| error.to_string())?.fatal,
            };
            all.moves += 1;
            let number = played.stats().pieces;
            for (road, name) in roads.iter_mut().zip(["fast", "portable"]) {
                road.play(1);
                let what = |what: &str| format!("{what} after piece {number}, {name}, game {index}");
                let stats = played.stats();
                same(&what("lost"), &road.lost(), &lost)?;
                let tally = road.tally();
                same(&what("totals"), &(tally.pieces, tally.lines()), &(stats.pieces, stats.lines))?;
                if !lost {
                    same(&what("board"), &road.board(game), &played.board().to_board(game))?;
                }
            }
        }
        let chance = stream(asked.seed, Purpose::Dealer, index);
        let result = Trial::new(&Arc::new(game.clone()), &controller).play(chance, most);
        let stats = played.stats();
        same("totals of a trial", &(result.pieces, result.lines), &(stats.pieces, stats.lines))?;
        same("lost in a trial", &result.is_lost(), &lost)?;
        same_bits("score of a trial", result.score, stats.score)?;
    }
    Ok(all)
}

/// A built-in controller, or some of the features the simulator knows with random weights; cautious now and then.
pub(super) fn random_controller(game: &PlacementGame, dice: &mut Dice) -> Controller {
    const KNOWN: [&str; 22] = [
        "landing-height",
        "eroded-cells",
        "lines",
        "row-transitions",
        "column-transitions",
        "holes",
        "cumulative-wells",
        "hole-depth",
        "rows-with-holes",
        "pattern-diversity",
        "aggregate-height",
        "mean-height",
        "max-height",
        "bumpiness",
        "steps-0",
        "steps-1",
        "steps-2",
        "steps-3",
        "steps-4",
        "steps-5",
        "steps-6",
        "steps-7",
    ];
    let built_in = BUILT_IN_CONTROLLERS.iter().filter_map(|(name, _)| Controller::built_in(name));
    let fitting: Vec<Controller> = built_in.filter(|controller| controller.check(game).is_ok()).collect();
    let controller = if !fitting.is_empty() && dice.once_in(2) {
        fitting[dice.below(fitting.len())].clone()
    } else {
        let often = dice.between(1, 4);
        let mut features: Vec<Feature> =
            KNOWN.iter().filter(|_| dice.once_in(often)).filter_map(|name| name.parse().ok()).collect();
        features.retain(|feature| feature.check(game).is_ok());
        if features.is_empty() {
            features.push(Feature::Holes);
        }
        // Few different weights make ties.
        let steps = dice.pick(&[2, 2001]);
        let weight = |_: &Feature| dice.below(steps) as f64 * 2.0 / (steps - 1) as f64 - 1.001;
        let weights: Vec<f64> = features.iter().map(weight).collect();
        Controller::new("random", &features, &weights).expect("features with weights")
    };
    if controller.caution().is_none() && dice.once_in(4) {
        let caution = Caution::new(dice.below(game.height() + 1), dice.between(1, 12));
        return controller.with_caution(caution);
    }
    controller
}
