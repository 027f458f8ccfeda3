//! Game files: what is accepted, what is refused and with which words, and that nothing makes the parser panic.

use bellmino_engine::placement::Board;
use bellmino_engine::{BUILT_IN, Game, NAMED_DEALERS, Override};
use proptest::prelude::*;

const BABY: &str = include_str!("../../../games/baby.toml");

fn read(text: &str, overrides: &[&str]) -> Result<Game, String> {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::read("test.toml", text, &overrides).map_err(|error| error.to_string())
}

/// Refused, with exactly these lines.
fn refused(overrides: &[&str], expected: &[&str]) {
    let error = read(BABY, overrides).expect_err(&format!("{overrides:?} was accepted"));
    let found: Vec<&str> = error.lines().collect();
    let expected: Vec<String> = expected.iter().map(|line| format!("test.toml: {line}")).collect();
    assert_eq!(found, expected, "{overrides:?}");
}

/// The dealers of one list can be asked for, and the documents have them.
#[test]
fn every_named_dealer_is_there_and_told_of() {
    let rules = include_str!("../../../docs/RULES.md");
    let formats = include_str!("../../../docs/FORMATS.md");
    for name in NAMED_DEALERS {
        let classic: Override = format!("dealer.kind={name}").parse().unwrap();
        assert!(Game::built_in("classic", &[classic]).unwrap().is_ok(), "{name} is listed and not made");
        assert!(rules.contains(&format!("`{name}`")), "docs/RULES.md does not say how `{name}` deals");
        assert!(formats.contains(&format!("| {name}")), "docs/FORMATS.md lacks `{name}`");
    }
}

#[test]
fn bad_values_are_named_with_what_would_be_right() {
    refused(&["board.widht=5"], &["board.widht: unknown key; did you mean `width`?"]);
    refused(&["bord.width=5"], &["bord: unknown key; did you mean `board`?"]);
    refused(&["board.height=-3"], &["board.height: found -3; it must be a whole number from 1 to 48"]);
    refused(
        &["board.height=1000000"],
        &["board.height: found 1000000; it must be a whole number from 1 to 48"],
    );
    refused(&["board.width=2.5"], &["board.width: found 2.5; it must be a whole number from 1 to 16"]);
    refused(
        &["board.width=2", "pieces.set=[\"X5\"]"],
        &["pieces.set: `X5` is wider than the board (2 columns) in every rotation"],
    );
    refused(
        &["board.height=1", "board.width=2"],
        &[
            "pieces.set: `I3` does not fit into the 2x1 board in any rotation",
            "pieces.set: `L3` does not fit into the 2x1 board in any rotation",
        ],
    );
    refused(&["dealer.weights=[]"], &["dealer.weights: has 0 entries; one per piece makes 2"]);
    refused(&["dealer.weights=[1]"], &["dealer.weights: has 1 entries; one per piece makes 2"]);
    refused(
        &["dealer.weights=[1,-1]"],
        &[
            "dealer.weights: found [1, -1]; it must be a list of numbers, finite and not negative, or fractions such as \"1/3\"",
        ],
    );
    refused(
        &["dealer.weights=[nan,1]"],
        &[
            "dealer.weights: found [nan, 1]; it must be a list of numbers, finite and not negative, or fractions such as \"1/3\"",
        ],
    );
    refused(
        &["dealer.weights=[0,0]"],
        &["dealer.weights: needs at least one positive entry and a finite sum"],
    );
    refused(
        &["dealer.kind=markov", "dealer.matrix=[[0.5,0.4],[1,0]]"],
        &["dealer.matrix: row 1 sums to 0.9; every row must sum to 1"],
    );
    refused(
        &["dealer.kind=markov", "dealer.matrix=[[1]]"],
        &["dealer.matrix: must have 2 rows of 2 entries, one per piece"],
    );
    refused(&["dealer.kind=bags"], &["dealer.kind: `bags` is unknown; did you mean `bag`?"]);
    refused(&["dealer.kind=bag", "dealer.weights=[1,1]"], &["dealer.weights: unknown key; valid: `kind`"]);
    refused(
        &["dealer.kind=sequence"],
        &["dealer.order: missing; give a list of piece names; it repeats for ever"],
    );
    refused(
        &["dealer.kind=sequence", "dealer.order=[\"I3\", \"L4\"]"],
        &["dealer.order: `L4` is not a piece of this game; did you mean `L3`?"],
    );
    refused(
        &["pieces.set=[\"I3\", \"Q\"]"],
        &["pieces.set: `Q` is neither in the catalogue nor drawn; did you mean `Q5`?"],
    );
    refused(&["pieces.set=[]"], &["pieces.set: has 0 pieces; a game has 1 to 64"]);
    refused(
        &["pieces.set=[\"I3\", \"I3\"]"],
        &["pieces.set: `I3` stands twice; use dealer.weights to deal it more often"],
    );
    refused(&["pieces.draw.T=[\"#\"]"], &["pieces.draw.T: is a catalogue name; choose another"]);
    refused(
        &["pieces.draw.K=[\"#.\",\".#\"]", "pieces.set=[\"K\"]"],
        &["pieces.draw.K: the drawing is not connected edge to edge"],
    );
    refused(&["landing.path=dorp"], &["landing.path: `dorp` is unknown; did you mean `drop`?"]);
    let points =
        "score.lines: must be points for 0, 1, 2, ... rows at once, at least one number and none above 1e100";
    refused(&["score.lines=[]"], &[points]);
    refused(&["score.lines=[0,1e101]"], &[points]);
    refused(
        &["score.lines=[0,inf]"],
        &[
            "score.lines: found [0, inf]; it must be a list of numbers, finite and not negative, or fractions such as \"1/3\"",
        ],
    );
    refused(
        &["board=7"],
        &[
            "board: found 7; it must be a table",
            "board.width: missing; give a whole number from 1 to 16",
            "board.height: missing; give a whole number from 1 to 48",
        ],
    );
    refused(&["board.width.x=7"], &["board.width.x: cannot be set: `board.width` is not a table"]);
}

/// A report's matrix, and the same with the decimals that a calculator shows.
#[test]
fn fractions_are_texts_and_rows_may_be_rounded() {
    let matrix = |rows: &str| {
        let change: Override = format!("dealer.matrix={rows}").parse().unwrap();
        let text = Game::built_in("mini", &[]).unwrap().unwrap().to_toml();
        Game::read_noticing("test.toml", &text, &[change])
    };
    let (exact, notices) = matrix("[[1/2,1/2,0],[\"1/3\",\"1 / 3\",1/3],[1,0,0]]").unwrap();
    assert_eq!(notices, []);
    let (rounded, notices) = matrix("[[0.5,0.5,0],[0.333,0.333,0.333],[1,0,0]]").unwrap();
    let said = "row 2 sums to 0.999, as rounded numbers do; it is divided by that";
    assert_eq!(notices.len(), 1);
    assert_eq!((notices[0].key.as_str(), notices[0].message.as_str()), ("dealer.matrix", said));
    for (game, next) in [(&exact, 1.0 / 3.0), (&rounded, 1.0 / 3.0)] {
        let dealer = game.placement().unwrap().dealer();
        let deals = dealer.deals(bellmino_engine::placement::DealerState(2));
        assert!(deals.iter().all(|deal| (deal.probability - next).abs() < 1e-15), "{deals:?}");
        assert_eq!(read(&game.to_toml(), &[]).unwrap(), *game);
    }
    assert!(matrix("[[0.67,0.33,0],[0.33,0.33,0.33],[1,0,0]]").is_ok());
    // Too far to be rounding: by the decimals, and in any case.
    for row in ["[0.333,0.333,0.331]", "[0.3,0.3,0.3]", "[0.5,0.4,0]", "[1,0,0.02]"] {
        let rows = format!("[{row},[1,0,0],[1,0,0]]");
        let why = matrix(&rows).unwrap_err().to_string();
        assert!(why.contains("row 1 sums to"), "{row}: {why}");
    }
    for weights in ["[1/0,1]", "[\"1/-2\",1]", "[\"a/b\",1]", "[\"1\",1]", "[\"1/2/3\",1]", "[\"inf/2\",1]"] {
        let change = format!("dealer.weights={weights}");
        assert!(read(BABY, &[&change]).unwrap_err().contains("fractions such as"), "{weights}");
    }
    let game = read(BABY, &["dealer.weights=[1/3,2/3]"]).unwrap();
    let deals = game.placement().unwrap().dealer().deals(bellmino_engine::placement::DealerState(0));
    assert!((deals[1].probability - 2.0 / 3.0).abs() < 1e-15);
    let bare = BABY.replace("kind = \"weighted\"", "kind = \"weighted\"\nweights = [1/3, 2/3]");
    assert!(read(&bare, &[]).unwrap_err().contains("write fractions as text"));
}

#[test]
fn every_problem_is_reported_at_once() {
    let error = read("title = 3\n[board]\nwidth = 0\n[score]\nlines = 4\nextra = 1", &[]).unwrap_err();
    let keys: Vec<&str> = error.lines().filter_map(|line| line.split(": ").nth(1)).collect();
    assert_eq!(
        keys,
        ["name", "title", "board.width", "board.height", "pieces.set", "score.extra", "score.lines"]
    );
}

#[test]
fn not_toml_names_the_line() {
    let error = read("name = \"x\"\n[board\n", &[]).unwrap_err();
    assert!(error.starts_with("test.toml: not valid TOML (line 2): "), "{error}");
}

#[test]
fn setting_the_dealer_drops_the_old_keys_in_any_order() {
    let weighted = BABY.replace("kind = \"weighted\"", "kind = \"weighted\"\nweights = [1, 3]");
    let game = read(&weighted, &["dealer.kind=bag"]).unwrap();
    assert!(game.to_toml().contains("kind = \"bag\""));
    for order in [
        ["dealer.matrix=[[0,1],[1,0]]", "dealer.kind=markov"],
        ["dealer.kind=markov", "dealer.matrix=[[0,1],[1,0]]"],
    ] {
        let game = read(&weighted, &order).unwrap();
        assert!(game.to_toml().contains("matrix = [[0, 1], [1, 0]]"), "{}", game.to_toml());
    }
}

#[test]
fn defaults_and_drawn_pieces() {
    let text = "name = \"own\"\n[board]\nwidth = 6\nheight = 9\n[pieces]\nset = [\"O\", \"P\"]\ndraw.P = [\"##\", \"#.\"]\n";
    let game = read(text, &[]).unwrap();
    let own = game.placement().unwrap();
    assert_eq!((own.title(), own.pieces().len(), own.dealer().states()), ("own", 2, 1));
    assert_eq!(own.score().points(4), 4.0);
    assert_eq!(Board::new(6, 9).placements(own, 1).len(), 4 * 5);
}

#[test]
fn overrides_are_checked() {
    let check = |text: &str, expected: &str| {
        assert_eq!(text.parse::<Override>().unwrap_err().to_string(), expected);
    };
    check("height", "`height` has no `=`; write key=value, such as board.height=5");
    check("a..b=1", "`a..b` is not a key; write dotted names, such as board.height");
    check("a=[1", "`[1` is not a TOML value; write a number, true, \"text\", a word or a [list]");
    check("a=1\nb=2", "`1\nb=2` is not a TOML value; write a number, true, \"text\", a word or a [list]");
}

#[test]
fn the_resolved_file_reads_back_as_the_same_game() {
    for (name, text) in BUILT_IN {
        let game = Game::built_in(name, &[]).unwrap().unwrap();
        assert_eq!(game.name(), name);
        assert_eq!(read(&game.to_toml(), &[]).unwrap(), game, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Game::read("random", &String::from_utf8_lossy(&bytes), &[]);
    }

    #[test]
    fn mutations_never_panic(index in 0..BUILT_IN.len(), edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<char>()), 1..6)) {
        let mut text: Vec<char> = BUILT_IN[index].1.chars().collect();
        for (place, kind, character) in edits {
            let place = place.index(text.len().max(1)).min(text.len().saturating_sub(1));
            match kind {
                0 => text.insert(place, character),
                1 if !text.is_empty() => { text.remove(place); }
                2 if !text.is_empty() => text[place] = character,
                _ => { let tail = text.split_off(place); text.splice(0..0, tail); }
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(game) = Game::read("mutated", &text, &[]) {
            // What is accepted must be playable.
            if let Some(game) = game.placement() {
                let board = Board::new(game.width(), game.height());
                for piece in 0..game.pieces().len() {
                    board.placements(game, piece);
                }
            }
        }
    }

    #[test]
    fn random_overrides_never_panic(index in 0..BUILT_IN.len(), key in "(board|pieces|dealer|landing|score)\\.(width|height|set|draw|kind|weights|matrix|first|order|path|overflow|lines)", value in "-?[0-9]{1,20}|[a-z]{0,8}|\\[[0-9.,\" -]{0,12}\\]|\"[A-Z0-9]{0,3}\"|nan|inf") {
        if let Ok(change) = format!("{key}={value}").parse::<Override>() {
            let _ = Game::built_in(BUILT_IN[index].0, &[change]).unwrap();
        }
    }
}
