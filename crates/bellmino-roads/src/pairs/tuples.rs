//! Tuple values: the loop that learns, the choice that plays, and what they should do.

use bellmino_engine::placement::{Allowance, DealtBy, Grid, Match, Placement};
use bellmino_engine::{PlacementGame, Purpose, below, stream};
use bellmino_learn::{TuplePlan, TupleTables, TupleTd, TupleValue, Window};

use crate::dice::Dice;
use crate::pair::{Asked, Compared, same, same_bits, words};
use crate::plain::PlainDealer;

/// A step that learns nothing plays greedily by the values it has, ties by lot.
pub(super) fn learner_and_match(asked: &Asked) -> Result<Compared, String> {
    let Some((game, plan, tables)) = values(asked) else { return Ok(Compared::default()) };
    let value = value(&game, &plan, &tables)?;
    let lesson = plan.step(&game, &tables, 0, &|| true).ok_or("the step was given up")?;
    same("what is known after learning nothing", &numbers(&lesson.tables)?, &numbers(&tables)?)?;
    let dealer = PlainDealer::read(&asked.text);
    let mut chance = stream(plan.seed, Purpose::Training, 0);
    let mut memory = PlainDealer::START;
    let start = || {
        let unused = stream(0, Purpose::Dealer, 0);
        Match::with(game.clone(), Allowance::default(), DealtBy::ByHand, unused)
    };
    let mut played: Match = start();
    let (mut games, mut score, mut lines) = (0u64, 0.0, 0.0);
    for _ in 0..plan.moves {
        let (piece, next) = dealer.deal(memory, &mut chance);
        memory = next;
        played.deal(piece as u8).map_err(words)?;
        let mut best: Option<(Option<f64>, Placement)> = None;
        let mut equal = 0;
        for (placement, worth) in worths(&game, &value, &played)? {
            match &best {
                Some((most, _)) if worth == *most => {
                    equal += 1;
                    if below(&mut chance, equal) == 0 {
                        best = Some((worth, placement));
                    }
                }
                Some((most, _)) if worth < *most => {}
                _ => (best, equal) = (Some((worth, placement)), 1),
            }
        }
        match best {
            Some((Some(_), placement)) => {
                played.play(&placement).map_err(words)?;
            }
            _ => {
                games += 1;
                score += played.stats().score;
                lines += played.stats().lines as f64;
                (played, memory) = (start(), PlainDealer::START);
            }
        }
    }
    let ended = games.max(1) as f64;
    same("games that ended", &lesson.step.games, &games)?;
    same_bits("their mean score", lesson.step.score, score / ended)?;
    same_bits("their mean lines", lesson.step.lines, lines / ended)?;
    Ok(Compared { games: games + 1, moves: plan.moves })
}

/// The choice is the first of the largest points plus value; one that ends the game if there is no other.
pub(super) fn choice_and_worth(asked: &Asked) -> Result<Compared, String> {
    let Some((game, plan, tables)) = values(asked) else { return Ok(Compared::default()) };
    let value = value(&game, &plan, &tables)?;
    let again = TupleValue::read_bytes(&value.to_bytes()).map_err(words)?;
    let mut all = Compared::default();
    for index in 0..2 {
        let mut played: Match = Match::with(
            game.clone(),
            Allowance::default(),
            DealtBy::Chance,
            stream(asked.seed, Purpose::Dealer, index),
        );
        all.games += 1;
        while played.outcome().is_none() && played.stats().pieces < 60 {
            let mut best: Option<(Option<f64>, Placement)> = None;
            for (placement, worth) in worths(&game, &value, &played)? {
                if best.as_ref().is_none_or(|(most, _)| worth > *most) {
                    best = Some((worth, placement));
                }
            }
            let piece = usize::from(played.current().ok_or("no piece")?);
            let best = best.map(|(_, placement)| placement);
            same("choice", &value.choose(&game, played.board(), piece), &best)?;
            same("choice of what was written and read", &again.choose(&game, played.board(), piece), &best)?;
            played.play(&best.ok_or("no placement")?).map_err(words)?;
            all.moves += 1;
        }
    }
    Ok(all)
}

/// Every placement with points plus value; `None` for those that end the game.
fn worths(
    game: &PlacementGame,
    value: &TupleValue,
    played: &Match,
) -> Result<Vec<(Placement, Option<f64>)>, String> {
    let worth = |placement: Placement| {
        let mut after = played.clone();
        let clear = after.play(&placement).map_err(words)?;
        let worth = (!clear.fatal).then(|| value.worth(&after.board().to_board(game), clear.points));
        Ok((placement, worth))
    };
    played.placements().into_iter().map(worth).collect()
}

/// A value of random quarters over some windows; `None` if the game has no room for them.
pub(super) fn random_value(game: &PlacementGame, dice: &mut Dice) -> Option<TupleValue> {
    if game.width() * game.height() > 300 {
        return None;
    }
    let (width, height) = (dice.between(1, 3).min(game.width()), dice.between(1, 3).min(game.height()));
    let windows = vec![Window { width: width as u8, height: height as u8 }];
    let count = TupleValue::new(game, &windows, 1.0).ok()?.numbers().0;
    let numbers: Vec<f32> = (0..count).map(|_| dice.below(41) as f32 / 4.0).collect();
    let plan = TuplePlan { windows, discount: 1.0, ..TuplePlan::default() };
    value(game, &plan, &tables_of(&numbers)?).ok()
}

fn tables_of(numbers: &[f32]) -> Option<TupleTables> {
    let text = serde_json::json!({ "numbers": packed(numbers), "sums": "0:", "sizes": "0:", "means": "0:" });
    serde_json::from_value(text).ok()
}

/// The game with points in quarters, a plan that learns nothing, and tables of quarters: no sum of them is rounded, so that
/// equal is equal on every road.
fn values(asked: &Asked) -> Option<(PlacementGame, TuplePlan, TupleTables)> {
    let original = asked.placement()?;
    if original.width() * original.height() > 300 {
        return None;
    }
    let mut dice = Dice::new(asked.seed, 4 << 32);
    let points: Vec<f64> =
        original.score().entries().iter().map(|points| (points * 4.0).round() / 4.0).collect();
    let change = format!("score.lines={points:?}").parse().ok()?;
    let game = bellmino_engine::Game::read("quarters", &asked.text, &[change]).ok()?.placement()?.clone();
    let cut = |width: usize, height: usize| Window {
        width: width.min(game.width()) as u8,
        height: height.min(game.height()) as u8,
    };
    let mut windows = vec![cut(dice.between(1, 3), dice.between(1, 3))];
    let other = cut(dice.between(1, 2), dice.between(1, 4));
    if other != windows[0] {
        windows.push(other);
    }
    let plan = TuplePlan {
        windows,
        steps: 1,
        moves: 300,
        rate: 0.0,
        discount: dice.pick(&[1.0, 0.5]),
        curiosity: 0.0,
        seed: asked.seed,
        ..TuplePlan::default()
    };
    let count = TupleValue::new(&game, &plan.windows, 1.0).ok()?.numbers().0;
    // Few different numbers make ties.
    let spread = dice.pick(&[2, 3, 41]);
    let numbers: Vec<f32> = (0..count).map(|_| dice.below(spread) as f32 / 4.0).collect();
    Some((game, plan, tables_of(&numbers)?))
}

fn value(game: &PlacementGame, plan: &TuplePlan, tables: &TupleTables) -> Result<TupleValue, String> {
    TupleTd { plan: plan.clone(), tables: tables.clone(), history: Vec::new() }.value(game).map_err(words)
}

/// Numbers as checkpoints keep them: how many, then in blocks of 64 which are not 0, and those.
fn packed(numbers: &[f32]) -> String {
    let mut bytes = Vec::new();
    for block in numbers.chunks(64) {
        let mask = (0..block.len()).filter(|&bit| block[bit] != 0.0).fold(0u64, |mask, bit| mask | 1 << bit);
        bytes.extend(mask.to_le_bytes());
        block.iter().filter(|number| **number != 0.0).for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}:{digits}", numbers.len())
}

/// The numbers of tables as text.
fn numbers(tables: &TupleTables) -> Result<String, String> {
    Ok(serde_json::to_value(tables).map_err(words)?["numbers"].to_string())
}
