//! Whole random games as game files: text, so that one that shows something can be kept as it is.

use bellmino_engine::Game;
use bellmino_engine::guideline::{Kicks, ScoreTable};
use bellmino_engine::placement::CATALOGUE;
use toml::{Table, Value};

use crate::dice::Dice;

/// What kind of game is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameSort {
    /// A placement game of at most twelve cells, small enough to be solved.
    Tiny,
    /// A placement game ten wide with small pieces that fall straight down, fit for the fast simulator.
    Ten,
    /// A placement game of any size with any pieces.
    Any,
    /// A guideline game.
    Guideline,
}

/// The game file of this seed. Every file is accepted by [`Game::read`]: what the rules refuse is drawn again.
///
/// ```
/// use bellmino_engine::Game;
/// use bellmino_roads::{GameSort, random_game};
///
/// let text = random_game(GameSort::Tiny, 7);
/// assert_eq!(text, random_game(GameSort::Tiny, 7));
/// assert!(Game::read("random", &text, &[]).unwrap().placement().unwrap().width() <= 6);
/// ```
pub fn random_game(sort: GameSort, seed: u64) -> String {
    let draft = |attempt| {
        let mut dice = Dice::new(seed, attempt);
        let mut file = Table::new();
        file.insert("name".into(), format!("random-{seed}").into());
        match sort {
            GameSort::Guideline => guideline(&mut file, &mut dice),
            _ => placement(&mut file, sort, &mut dice),
        }
        let text = file.to_string();
        Game::read("random", &text, &[]).is_ok().then_some(text)
    };
    (0..10_000).find_map(draft).expect("some draft is a game")
}

fn placement(file: &mut Table, sort: GameSort, dice: &mut Dice) {
    let (width, height) = match sort {
        GameSort::Tiny => {
            let width = dice.between(1, 6);
            (width, dice.between(1, 12 / width).min(6))
        }
        GameSort::Ten => {
            let most = dice.pick(&[12, 12, 12, 27]);
            (10, dice.between(4, most))
        }
        _ => {
            let most = dice.pick(&[10, 48]);
            (dice.between(1, 16), dice.between(1, most))
        }
    };
    let previews = match dice.below(10) {
        0..=5 => 0,
        6..=7 => 1,
        8 => 2,
        _ if sort == GameSort::Any => dice.between(3, 9),
        _ => 1,
    };
    if previews > 0 || dice.once_in(5) {
        file.insert("previews".into(), integer(previews));
    }
    if dice.once_in(4) {
        file.insert("title".into(), "A random game".into());
    }
    let board = Table::from_iter([("width".into(), integer(width)), ("height".into(), integer(height))]);
    file.insert("board".into(), board.into());
    let (pieces, names) = pieces(sort, dice);
    file.insert("pieces".into(), pieces.into());
    file.insert("dealer".into(), dealer(&names, dice).into());
    let path = if sort == GameSort::Ten { "drop" } else { dice.pick(&["drop", "slide", "anywhere"]) };
    let overflow = dice.pick(&["forbidden", "clear-first"]);
    let landing = Table::from_iter([("path".into(), path.into()), ("overflow".into(), overflow.into())]);
    file.insert("landing".into(), landing.into());
    if !dice.once_in(6) {
        let count = dice.between(1, 6);
        let lines = (0..count).map(|lines| points(lines, dice)).collect();
        file.insert("score".into(), Table::from_iter([("lines".into(), Value::Array(lines))]).into());
    }
}

/// Pieces of the catalogue and drawn ones, and the names in the order of the set.
fn pieces(sort: GameSort, dice: &mut Dice) -> (Table, Vec<String>) {
    let (most, cells) = match sort {
        GameSort::Tiny => (3, 4),
        GameSort::Ten => (9, 4),
        _ => (7, 5),
    };
    let count = dice.between(1, most);
    let mut names: Vec<String> = Vec::new();
    let mut drawn = Table::new();
    while names.len() < count {
        if dice.once_in(3) {
            let name = format!("my-{}", names.len());
            drawn.insert(name.clone(), drawing(dice, cells));
            names.push(name);
        } else {
            let (name, rows) = dice.pick(&CATALOGUE);
            let size: usize = rows.iter().map(|row| row.matches('#').count()).sum();
            // Small boards have room for small pieces; most drafts would be refused otherwise.
            if size <= cells && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    let set = names.iter().map(|name| name.as_str().into()).collect();
    let mut pieces = Table::from_iter([("set".into(), Value::Array(set))]);
    if !drawn.is_empty() {
        pieces.insert("draw".into(), drawn.into());
    }
    (pieces, names)
}

/// A polyomino that grows cell by cell, with empty rows and columns around it now and then.
fn drawing(dice: &mut Dice, most: usize) -> Value {
    let size = dice.between(1, most);
    let mut cells = vec![(5i32, 5i32)];
    while cells.len() < size {
        let (x, y) = dice.pick(&cells);
        let (dx, dy) = dice.pick(&[(1, 0), (-1, 0), (0, 1), (0, -1)]);
        if !cells.contains(&(x + dx, y + dy)) {
            cells.push((x + dx, y + dy));
        }
    }
    let edge = i32::from(dice.once_in(4));
    let least = |of: fn(&(i32, i32)) -> i32| cells.iter().map(of).min().unwrap_or(0) - edge;
    let most = |of: fn(&(i32, i32)) -> i32| cells.iter().map(of).max().unwrap_or(0);
    let columns = least(|cell| cell.0)..=most(|cell| cell.0);
    let rows = least(|cell| cell.1)..=most(|cell| cell.1);
    let row = |y: i32| -> Value {
        let cell = |x: i32| if cells.contains(&(x, y)) { '#' } else { '.' };
        columns.clone().map(cell).collect::<String>().into()
    };
    Value::Array(rows.map(row).collect())
}

fn dealer(names: &[String], dice: &mut Dice) -> Table {
    let kind = dice.pick(&["weighted", "weighted", "weighted", "markov", "markov", "bag", "sequence"]);
    let mut dealer = Table::from_iter([("kind".into(), kind.into())]);
    match kind {
        "weighted" if !dice.once_in(6) => {
            dealer.insert("weights".into(), weights(names.len(), dice));
        }
        "markov" => {
            if !dice.once_in(5) {
                let rows = names.iter().map(|_| probabilities(names.len(), dice)).collect();
                dealer.insert("matrix".into(), Value::Array(rows));
            }
            if !dice.once_in(3) {
                dealer.insert("first".into(), weights(names.len(), dice));
            }
        }
        "sequence" => {
            let order = (0..dice.between(1, 8)).map(|_| Value::from(names[dice.below(names.len())].as_str()));
            dealer.insert("order".into(), Value::Array(order.collect()));
        }
        _ => {}
    }
    dealer
}

/// Weights as people write them: equal ones of any size, whole numbers, fractions, decimals; some of them 0, not all.
fn weights(count: usize, dice: &mut Dice) -> Value {
    let style = dice.below(6);
    let same = dice.pick(&[0.1, 0.5, 1.0, 3.0, 0.001, 1e6]);
    let scale = dice.pick(&[0.01, 1.0, 7.0, 1e4]);
    let sure = dice.below(count);
    let weight = |place: usize| {
        let is_sure = place == sure;
        match style {
            0 => Value::from(same),
            1 => integer(dice.below(5).max(usize::from(is_sure))),
            2 => Value::from(format!("{}/{}", dice.below(4) + usize::from(is_sure), dice.between(1, 7))),
            3 => Value::from(if is_sure { 0.5 } else { 1.0 }),
            _ if !is_sure && dice.once_in(4) => integer(0),
            _ => Value::from((dice.unit() + 0.001) * scale),
        }
    };
    Value::Array((0..count).map(weight).collect())
}

/// A row of fractions that sum to 1.
fn probabilities(count: usize, dice: &mut Dice) -> Value {
    let mut parts: Vec<usize> = (0..count).map(|_| dice.below(4)).collect();
    parts[dice.below(count)] += 1;
    let sum: usize = parts.iter().sum();
    Value::Array(parts.iter().map(|part| format!("{part}/{sum}").into()).collect())
}

/// Points for so many rows at once: whole, with a fraction that has no end in binary, or large.
fn points(lines: usize, dice: &mut Dice) -> Value {
    match dice.below(6) {
        0 | 1 => integer(lines * lines),
        2 => Value::from(lines as f64 * 0.1 + dice.below(3) as f64 * 0.7),
        3 => Value::from(dice.unit() * 10.0),
        4 => format!("{}/3", dice.below(20)).into(),
        _ => integer(dice.below(2) * 100 * lines + dice.below(2)),
    }
}

fn guideline(file: &mut Table, dice: &mut Dice) {
    file.insert("kind".into(), "guideline".into());
    if !dice.once_in(4) {
        let previews = if dice.once_in(8) { dice.between(7, 64) } else { dice.between(0, 6) };
        file.insert("previews".into(), integer(previews));
    }
    file.insert("hold".into(), (!dice.once_in(3)).into());
    file.insert("kicks".into(), dice.pick(&Kicks::ALL).name().into());
    let mut goal = Table::new();
    for (key, most) in [("lines", 20), ("pieces", 60), ("seconds", 30)] {
        if dice.once_in(3) {
            goal.insert(key.into(), integer(dice.between(1, most)));
        }
    }
    let mut score = Table::from_iter([("table".into(), dice.pick(&ScoreTable::NAMED).0.into())]);
    let table = ScoreTable::SEED;
    let lists = [
        ("lines", table.lines.len()),
        ("mini", table.mini.len()),
        ("full", table.full.len()),
        ("perfect", table.perfect.len()),
    ];
    for (key, count) in lists {
        if dice.once_in(3) {
            let list = (0..count).map(|_| integer(dice.below(3000))).collect();
            score.insert(key.into(), Value::Array(list));
        }
    }
    for (key, most) in [
        ("back_to_back_percent", 1000),
        ("combo", 300),
        ("perfect_back_to_back", 5000),
        ("soft_drop", 5),
        ("hard_drop", 5),
    ] {
        if dice.once_in(3) {
            score.insert(key.into(), integer(dice.below(most + 1)));
        }
    }
    let mut timing = Table::new();
    for (key, most) in [("gravity", 1500), ("lock_delay", 600), ("lock_limit", 3000), ("entry_delay", 200)] {
        if dice.once_in(2) {
            timing.insert(key.into(), integer(if dice.once_in(4) { 0 } else { dice.below(most) }));
        }
    }
    for (key, section) in [("goal", goal), ("score", score), ("timing", timing)] {
        file.insert(key.into(), section.into());
    }
}

fn integer(number: usize) -> Value {
    Value::from(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::placement::{Overflow, Path};
    use std::collections::BTreeSet;

    /// Two hundred games of each sort have everything the rules know.
    #[test]
    fn every_rule_is_drawn() {
        for sort in [GameSort::Tiny, GameSort::Ten, GameSort::Any] {
            let mut seen = BTreeSet::new();
            for seed in 0..200 {
                let text = random_game(sort, seed);
                let game = Game::read("random", &text, &[]).unwrap();
                let game = game.placement().unwrap();
                let file: Table = text.parse().unwrap();
                seen.insert(match file["dealer"]["kind"].as_str().unwrap() {
                    "weighted" => "weighted",
                    "markov" => "markov",
                    "bag" => "bag",
                    _ => "sequence",
                });
                seen.insert(match game.landing().path {
                    Path::Drop => "drop",
                    Path::Slide => "slide",
                    Path::Anywhere => "anywhere",
                    Path::Keys => "keys",
                });
                seen.insert(match game.landing().overflow {
                    Overflow::Forbidden => "forbidden",
                    Overflow::ClearFirst => "clear-first",
                    Overflow::EndFirst => "end-first",
                });
                if game.previews() > 0 {
                    seen.insert("previews");
                }
                if text.contains("my-") {
                    seen.insert("drawn");
                }
                if game.score().entries().iter().any(|points| points.fract() != 0.0) {
                    seen.insert("fractions");
                }
            }
            let wanted = if sort == GameSort::Ten { 10 } else { 12 };
            assert_eq!(seen.len(), wanted, "{sort:?} {seen:?}");
        }
    }
}
