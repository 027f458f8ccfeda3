//! Games that are another game in disguise: mirror images, and dealers whose weights are scaled.

use bellmino_engine::placement::{Path, perft};
use bellmino_engine::{Game, PlacementGame};
use bellmino_exact::{Dealing, Objective, Silent, SolveSettings, solve};
use bellmino_lab::{ArenaSettings, Player, evaluate};
use toml::{Table, Value};

use super::simulator::random_controller;
use crate::dice::Dice;
use crate::pair::{Asked, Compared, near, same, words};
use crate::plain::number;

/// Counts and values of a game and of its mirror image.
pub(super) fn mirror(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.placement().filter(|game| game.width() * game.height() <= 12) else {
        return Ok(Compared::default());
    };
    let image = Game::read("mirror", &mirrored(asked, game), &[]).map_err(words)?;
    let image = image.placement().ok_or("the image is another kind of game")?;
    let mut dice = Dice::new(asked.seed, 12 << 32);
    let mut all = Compared::default();
    for depth in 1..=2 {
        let [one, other] = [game, image].map(|game| perft(game, depth, || true));
        same("leaves", &one, &other)?;
    }
    for _ in 0..2 {
        let objective = dice.pick(&[
            Objective::Discounted(0.7),
            Objective::Horizon(6),
            Objective::Survive,
            Objective::Discounted(0.95),
        ]);
        let dealing = dice.pick(&[Dealing::Random, Dealing::Random, Dealing::Worst, Dealing::Mixed(0.3)]);
        let (preview, hold) = (dice.below(2), dice.once_in(3));
        let settings = SolveSettings { dealing, preview, hold, ..SolveSettings::new(objective) };
        let solved = [game, image].map(|game| solve(game, &settings, &Silent).map(|found| found.report));
        let [one, other] = solved;
        let (one, other) = (one.map_err(words)?, other.map_err(words)?);
        let what = |what: &str| format!("{what}, {objective}, {dealing}, preview {preview}, hold {hold}");
        same(
            &what("boards"),
            &(one.boards, one.states, one.dead_states),
            &(other.boards, other.states, other.dead_states),
        )?;
        let around = one.error_bound + other.error_bound + 1e-12;
        same(&what("infinite"), &one.is_infinite(), &other.is_infinite())?;
        if let (Some(one), Some(other)) = (one.value, other.value) {
            near(&what("value"), one, other, around)?;
        }
        for ((name, one), (_, other)) in one.value_by_first_piece.iter().zip(&other.value_by_first_piece) {
            if let (Some(one), Some(other)) = (one, other) {
                near(&what(&format!("value with {name} first")), *one, *other, around)?;
            }
        }
        all += Compared { games: 1, moves: one.states };
    }
    Ok(all)
}

/// The file of the mirror image: every piece drawn the other way round, in the same order.
fn mirrored(asked: &Asked, game: &PlacementGame) -> String {
    let mut file: Table = asked.text.parse().expect("a game file");
    let new_name = |name: &str| format!("mirror-{name}");
    let mut drawn = Table::new();
    for piece in game.pieces() {
        let rows = piece.rotations()[0].draw().into_iter().map(|row| row.chars().rev().collect::<String>());
        drawn.insert(new_name(piece.name()), Value::Array(rows.map(Value::from).collect()));
    }
    let set = game.pieces().iter().map(|piece| Value::from(new_name(piece.name()))).collect();
    let pieces = Table::from_iter([("set".into(), Value::Array(set)), ("draw".into(), drawn.into())]);
    file.insert("pieces".into(), pieces.into());
    let order =
        file.get_mut("dealer").and_then(|dealer| dealer.get_mut("order")).and_then(Value::as_array_mut);
    for name in order.into_iter().flatten() {
        *name = new_name(name.as_str().unwrap_or_default()).into();
    }
    file.to_string()
}

/// Games and values with all weights multiplied by the same factor.
pub(super) fn scaled(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.placement() else { return Ok(Compared::default()) };
    let mut dice = Dice::new(asked.seed, 13 << 32);
    let factor = dice.pick(&[2.0, 0.125, 3.0, 0.1, 1000.0]);
    let Some(text) = with_weights(asked, game, factor) else { return Ok(Compared::default()) };
    let other = Game::read("scaled", &text, &[]).map_err(words)?;
    let controller = random_controller(game, &mut dice);
    let settings = ArenaSettings { games: 4, seed: asked.seed, pieces: Some(60), ..ArenaSettings::default() };
    let mut all = Compared::default();
    let results = |game: &Game| -> Result<Vec<String>, String> {
        let placement = game.placement().ok_or("another kind of game")?;
        let players = [
            Player::of_placement("lowest", placement).map_err(words)?,
            Player::of_controller("random weights", controller.clone(), placement),
        ];
        let report = evaluate(game, &players, &settings, &|_| true).map_err(words)?;
        Ok(report.players.iter().map(|player| format!("{:?} {:?}", player.results, player.pieces)).collect())
    };
    same(&format!("games, weights times {factor}"), &results(&asked.game)?, &results(&other)?)?;
    all.games += 8;
    all.moves += 8 * 60;
    if game.width() * game.height() <= 12 && game.landing().path != Path::Slide {
        let settings = SolveSettings::new(Objective::Discounted(0.8));
        let placement = other.placement().ok_or("another kind of game")?;
        let [one, two] =
            [game, placement].map(|game| solve(game, &settings, &Silent).map(|found| found.report));
        let (one, two) = (one.map_err(words)?, two.map_err(words)?);
        let (value, again) = (one.value.ok_or("infinite")?, two.value.ok_or("infinite")?);
        let around = one.error_bound + two.error_bound + 1e-9 * value.abs().max(1.0);
        near(&format!("value, weights times {factor}"), value, again, around)?;
        all += Compared { games: 1, moves: one.states };
    }
    Ok(all)
}

/// The file with its weights multiplied; `None` if its dealer has none.
fn with_weights(asked: &Asked, game: &PlacementGame, factor: f64) -> Option<String> {
    let mut file: Table = asked.text.parse().ok()?;
    let dealer = file.entry("dealer").or_insert_with(|| Table::new().into()).as_table_mut()?;
    let key = match dealer.get("kind").map_or(Some("weighted"), Value::as_str)? {
        "weighted" => "weights",
        "markov" => "first",
        _ => return None,
    };
    let ones = Value::Array(vec![Value::from(1); game.pieces().len()]);
    for weight in dealer.entry(key).or_insert(ones).as_array_mut()? {
        *weight = Value::from(number(weight) * factor);
    }
    Some(file.to_string())
}
