//! Table files and the games they serve.

use bellmino_engine::{Game, PlacementGame};
use bellmino_exact::{Objective, Silent, SolveSettings, solve};
use bellmino_host::load_table;
use bellmino_lab::LoadTableError;

fn baby(overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<_> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in("baby", &overrides).unwrap().unwrap().placement().unwrap().clone()
}

/// Every rule counts: a dealer of as many states, or other points, make another game. The name does not.
#[test]
fn a_table_serves_games_of_the_same_rules_only() {
    let solved = solve(&baby(&[]), &SolveSettings::new(Objective::Horizon(2)), &Silent).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    solved.table.write(&mut file.as_file()).unwrap();
    let check = |overrides: &[&str], expected: Option<&str>| {
        let loaded = load_table(file.path(), &baby(overrides));
        let rule = match loaded {
            Ok(_) => None,
            Err(LoadTableError::OtherGame { rule, .. }) => Some(rule),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(rule, expected, "{overrides:?}");
    };
    check(&[], None);
    check(&["name=toddler", "title=\"Another name\""], None);
    check(&["dealer.weights=[1,3]"], Some("dealer"));
    check(&["dealer.kind=sequence", "dealer.order=[\"L3\"]"], Some("dealer"));
    check(&["score.lines=[0,1,3,10]"], Some("score table"));
    check(&["landing.path=slide"], Some("landing"));
    check(&["board.height=3"], Some("board"));
    check(&["pieces.set=[\"L3\",\"I3\"]"], Some("set of pieces"));
}

/// A table is read once: what becomes of its file afterwards does not matter.
#[test]
fn a_table_outlives_its_file() {
    let game = baby(&[]);
    let solved = solve(&game, &SolveSettings::new(Objective::Discounted(0.9)), &Silent).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    solved.table.write(&mut file.as_file()).unwrap();
    let table = load_table(file.path(), &game).unwrap();
    file.as_file().set_len(0).unwrap();
    let mut bytes = [Vec::new(), Vec::new()];
    solved.table.write(&mut bytes[0]).unwrap();
    table.write(&mut bytes[1]).unwrap();
    assert_eq!(bytes[0], bytes[1]);
}
