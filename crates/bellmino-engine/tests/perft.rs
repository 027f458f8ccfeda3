//! Perft counts from data, and the fast count against the slow one for every built-in placement game.

use bellmino_engine::placement::perft;
use bellmino_engine::placement::reference::{self, Cells};
use bellmino_engine::{BUILT_IN, Game, Override, PlacementGame};

/// Game, overrides, then leaves at depth 1, 2, ...
const COUNTS: &str = include_str!("data/perft.txt");

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

fn data() -> Vec<(PlacementGame, Vec<u64>)> {
    let lines = COUNTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let overrides: Vec<&str> = words[1..].iter().copied().filter(|word| word.contains('=')).collect();
            let counts = words[1..].iter().filter_map(|word| word.parse().ok()).collect();
            (game(words[0], &overrides), counts)
        })
        .collect()
}

#[test]
fn counts_from_the_data_file() {
    let data = data();
    assert!(data.iter().map(|(_, counts)| counts.len()).sum::<usize>() >= 16);
    for (game, counts) in data {
        for (index, expected) in counts.iter().enumerate() {
            let found = perft(&game, index as u32 + 1, || true);
            assert_eq!(found, Some(*expected), "{}, depth {}", game.to_toml(), index + 1);
        }
    }
}

#[test]
fn every_built_in_placement_game_agrees_with_the_reference() {
    for (name, _) in BUILT_IN {
        let loaded = Game::built_in(name, &[]).unwrap().unwrap();
        let Some(game) = loaded.placement() else { continue };
        let depth = if game.width() * game.height() <= 64 { 3 } else { 2 };
        for depth in 0..=depth {
            let slow = reference::perft(game, &Cells::new(), game.dealer().start(), depth);
            assert_eq!(perft(game, depth, || true), Some(slow), "{name}, depth {depth}");
        }
    }
}

#[test]
fn dealers_limit_what_is_counted() {
    let base = game("baby", &[]);
    assert_eq!(perft(&base, 1, || true), Some(18));
    // I3 has 6 placements on the empty board, L3 has 12.
    assert_eq!(perft(&game("baby", &["dealer.weights=[1,0]"]), 1, || true), Some(6));
    assert_eq!(
        perft(&game("baby", &["dealer.kind=sequence", "dealer.order=[\"L3\"]"]), 1, || true),
        Some(12)
    );
    let bag = game("baby", &["dealer.kind=bag"]);
    assert!(perft(&bag, 2, || true).unwrap() < perft(&base, 2, || true).unwrap());
}

#[test]
fn perft_stops_when_told() {
    assert_eq!(perft(&game("baby", &[]), 4, || false), None);
}

/// Every line of the data file is recounted by the slow reference, to the depth it can bear.
#[test]
fn the_data_file_agrees_with_the_reference() {
    for (game, counts) in data() {
        for (index, expected) in counts.iter().enumerate().filter(|(_, count)| **count <= 30_000) {
            let slow = reference::perft(&game, &Cells::new(), game.dealer().start(), index as u32 + 1);
            assert_eq!(slow, *expected, "{}, depth {}", game.to_toml(), index + 1);
        }
    }
}
