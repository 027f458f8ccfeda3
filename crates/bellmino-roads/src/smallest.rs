//! A game that shows something, made small.

use bellmino_engine::Game;
use toml::{Table, Value};

/// The smallest game found, change by change, that still `shows` what this one does. Changes that the rules refuse are not
/// made.
pub fn smallest(text: &str, shows: impl Fn(&str) -> bool) -> String {
    let mut small = text.to_owned();
    // Each round makes the game smaller; this many rounds are more than any game needs.
    for _ in 0..200 {
        let Ok(file) = small.parse::<Table>() else { break };
        let tries = changes(&file).into_iter().map(|file| file.to_string());
        let next = tries
            .filter(|text| *text != small && Game::read("small", text, &[]).is_ok())
            .find(|text| shows(text));
        match next {
            Some(next) => small = next,
            None => break,
        }
    }
    small
}

/// The file with one thing less, the largest cuts first.
fn changes(file: &Table) -> Vec<Table> {
    let mut all = Vec::new();
    let mut without = |path: &[&str]| {
        let mut copy = file.clone();
        let (last, parents) = path.split_last().expect("a path");
        let mut place = Some(&mut copy);
        for part in parents {
            place = place.and_then(|table| table.get_mut(*part)?.as_table_mut());
        }
        if place.and_then(|table| table.remove(*last)).is_some() {
            all.push(copy);
        }
    };
    for key in ["title", "previews", "score", "goal", "timing", "landing"] {
        without(&[key]);
    }
    without(&["pieces", "draw"]);
    for path in [["landing", "path"], ["landing", "overflow"], ["dealer", "matrix"], ["dealer", "first"]] {
        without(&path);
    }
    let set = file.get("pieces").and_then(|pieces| pieces.get("set")).and_then(Value::as_array);
    for index in 0..set.map_or(0, Vec::len) {
        all.extend(without_piece(file, index));
    }
    if let Some(pieces) = set {
        let mut copy = file.clone();
        copy.insert("dealer".into(), Table::from_iter([("kind".into(), "weighted".into())]).into());
        all.push(copy);
        let weights = file.get("dealer").and_then(|dealer| dealer.get("weights")).and_then(Value::as_array);
        for index in 0..weights.map_or(0, |_| pieces.len()) {
            let mut copy = file.clone();
            if let Some(weight) = list(&mut copy, "dealer", "weights").and_then(|list| list.get_mut(index)) {
                *weight = Value::from(1);
                all.push(copy);
            }
        }
    }
    for key in ["height", "width"] {
        let mut copy = file.clone();
        let size = copy.get_mut("board").and_then(|board| board.get_mut(key));
        if let Some(Value::Integer(size)) = size {
            *size -= 1;
            all.push(copy);
        }
    }
    for (section, key) in [("score", "lines"), ("dealer", "order")] {
        let mut copy = file.clone();
        if list(&mut copy, section, key).and_then(Vec::pop).is_some() {
            all.push(copy);
        }
    }
    all
}

/// The file without a piece, in the set and for the dealer.
fn without_piece(file: &Table, index: usize) -> Option<Table> {
    let mut copy = file.clone();
    let name = list(&mut copy, "pieces", "set")?.remove(index);
    if let Some(drawn) = copy.get_mut("pieces").and_then(|pieces| pieces.get_mut("draw"))
        && let (Some(drawn), Some(name)) = (drawn.as_table_mut(), name.as_str())
    {
        drawn.remove(name);
    }
    for key in ["weights", "first", "matrix"] {
        let Some(entries) = list(&mut copy, "dealer", key) else { continue };
        entries.remove(index);
        for row in entries.iter_mut().filter_map(Value::as_array_mut) {
            row.remove(index);
        }
    }
    if let Some(order) = list(&mut copy, "dealer", "order") {
        order.retain(|other| *other != name);
    }
    Some(copy)
}

fn list<'a>(file: &'a mut Table, section: &str, key: &str) -> Option<&'a mut Vec<Value>> {
    file.get_mut(section)?.get_mut(key)?.as_array_mut()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_game::{GameSort, random_game};

    /// What does not matter goes, what matters stays.
    #[test]
    fn what_does_not_matter_goes() {
        let text =
            (0..).map(|seed| random_game(GameSort::Any, seed)).find(|text| text.contains("slide")).unwrap();
        let small = smallest(&text, |text| text.contains("slide"));
        let game = Game::read("small", &small, &[]).unwrap();
        let game = game.placement().unwrap();
        assert!(small.contains("slide") && game.pieces().len() == 1 && game.previews() == 0, "{small}");
        assert!(game.width() * game.height() <= 10, "{small}");
    }
}
