//! What the store keeps, refuses and notices.

use super::*;
use serde_json::json;

fn progress(pieces: i64, milliseconds: i64, score: i64) -> GameEntry {
    GameEntry { pieces, milliseconds, score, record: "record".into(), ..GameEntry::default() }
}

#[test]
fn settings_and_games_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = GameStore::open(folder.path()).unwrap();
    assert_eq!(store.setting("keys").unwrap(), None);
    store.set("keys", &json!({"left": "KeyA"})).unwrap();
    store.set("keys", &json!({"left": "KeyJ"})).unwrap();
    let id = store.begin("sprint", "you").unwrap();
    store.update(id, "goal", &progress(100, 60_000, 5000)).unwrap();
    drop(store);
    let store = GameStore::open(folder.path()).unwrap();
    assert_eq!(store.setting("keys").unwrap(), Some(json!({"left": "KeyJ"})));
    let (game, record) = store.game(id).unwrap().unwrap();
    assert_eq!((game.pieces, game.state.as_str(), record.as_str()), (100, "goal", "record"));
}

#[test]
fn parts_of_a_setting_leave_the_others_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = GameStore::open(folder.path()).unwrap();
    store.merge("keys", &json!({"left": ["KeyA"], "right": ["KeyD"]})).unwrap();
    let whole = store.merge("keys", &json!({"right": ["KeyL"]})).unwrap();
    assert_eq!(whole, json!({"left": ["KeyA"], "right": ["KeyL"]}));
    assert_eq!(store.setting("keys").unwrap(), Some(whole));
}

/// What was cut off goes on at its own seat, once; what was stopped on purpose does not.
#[test]
fn unfinished_games_are_found_by_their_seat() {
    let folder = tempfile::tempdir().unwrap();
    let store = GameStore::open(folder.path()).unwrap();
    let with = |seat: Option<&str>| GameEntry { summary: json!({ "seat": seat }), ..progress(7, 5000, 100) };
    for (state, seat) in [("open", Some("a")), ("open", Some("b")), ("stopped", None), ("goal", Some("c"))] {
        let id = store.begin("sprint", "you").unwrap();
        store.update(id, state, &with(seat)).unwrap();
    }
    let found = |mode: &str, seat| store.unfinished(mode, seat).unwrap().map(|(game, _)| game.id);
    assert_eq!(found("sprint", Seat::Of("a")), None, "in play");
    store.close_cut_off().unwrap();
    assert_eq!((found("sprint", Seat::Of("a")), found("sprint", Seat::Of("b"))), (Some(1), Some(2)));
    assert_eq!((found("sprint", Seat::Of("c")), found("blitz", Seat::Of("a"))), (None, None));
    assert_eq!((found("sprint", Seat::Other("b")), found("sprint", Seat::Other("x"))), (Some(1), Some(2)));
}

#[test]
fn bests_are_the_quickest_sprints_and_the_highest_scores() {
    let folder = tempfile::tempdir().unwrap();
    let store = GameStore::open(folder.path()).unwrap();
    for (mode, state, milliseconds, score) in [
        ("sprint", "goal", 50_000, 1),
        ("sprint", "goal", 40_000, 0),
        ("sprint", "topped-out", 10_000, 9),
        ("blitz", "goal", 180_000, 10),
        ("blitz", "goal", 180_000, 30),
    ] {
        let id = store.begin(mode, "you").unwrap();
        store.update(id, state, &progress(1, milliseconds, score)).unwrap();
    }
    let times: Vec<i64> =
        store.bests("sprint", "you", 5).unwrap().iter().map(|game| game.milliseconds).collect();
    assert_eq!(times, [40_000, 50_000]);
    let scores: Vec<i64> = store.bests("blitz", "you", 1).unwrap().iter().map(|game| game.score).collect();
    assert_eq!(scores, [30]);
}

#[test]
fn a_game_cut_off_keeps_what_was_written_and_is_there_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = GameStore::open(folder.path()).unwrap();
    let played = store.begin("sprint", "you").unwrap();
    store.update(played, "open", &progress(7, 5000, 100)).unwrap();
    let begun = store.begin("sprint", "you").unwrap();
    store.update(begun, "open", &progress(0, 80, 0)).unwrap();
    let empty = store.begin("sprint", "you").unwrap();
    // Somebody else who opens the store leaves games in play alone.
    let other = GameStore::open(folder.path()).unwrap();
    assert_eq!(other.game(played).unwrap().unwrap().0.state, "open");
    drop((store, other));
    let store = GameStore::open(folder.path()).unwrap();
    store.close_cut_off().unwrap();
    assert_eq!(store.games(9).unwrap()[0].state, "stopped");
    assert_eq!(store.game(played).unwrap().unwrap().0.pieces, 7);
    // One that was killed before its first piece, too; of the last one nothing was written.
    assert_eq!(store.game(begun).unwrap().unwrap().0.milliseconds, 80);
    assert_eq!(store.game(empty).unwrap(), None);
}

#[test]
fn a_write_that_changes_nothing_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let store = GameStore::open(folder.path()).unwrap();
    assert!(matches!(store.update(5, "goal", &progress(1, 1, 1)), Err(StoreError::NoGame(5))));
    assert!(matches!(store.remove(5), Err(StoreError::NoGame(5))));
    let id = store.begin("sprint", "you").unwrap();
    store.remove(id).unwrap();
    assert!(store.remove(id).is_err());
}

/// A layout without checksums gets them.
#[test]
fn an_older_file_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::open(folder.path().join(FILE)).unwrap();
    let first = TABLES
        .replace(", checksum INTEGER NOT NULL DEFAULT 0)", ")")
        .replace(",\n        record_checksum INTEGER NOT NULL DEFAULT 0", "")
        .replace(",\n        checksum INTEGER NOT NULL DEFAULT 0", "");
    assert!(!first.contains("checksum"));
    connection
        .execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 1; {first}
             CREATE INDEX games_by_mode ON games (mode, state);
             INSERT INTO settings VALUES ('keys', '{{\"left\":\"KeyA\"}}');
             INSERT INTO games (mode, player, state, started, updated, pieces, record)
             VALUES ('sprint', 'you', 'goal', 1, 2, 90, 'record');"
        ))
        .unwrap();
    drop(connection);
    for _ in 0..2 {
        let store = GameStore::open(folder.path()).unwrap();
        let (game, record) = store.game(1).unwrap().unwrap();
        assert_eq!((game.state.as_str(), game.pieces, record.as_str()), ("goal", 90, "record"));
        assert_eq!(store.setting("keys").unwrap(), Some(json!({"left": "KeyA"})));
    }
}

/// Whatever bit is turned over: what is shown is what was written, or it is said to be damaged.
#[test]
fn no_turned_bit_shows_other_data() {
    let folder = tempfile::tempdir().unwrap();
    let store = GameStore::open(folder.path()).unwrap();
    store.set("keys", &json!({"left": "KeyJ", "right": "KeyL"})).unwrap();
    for number in 1..=8 {
        let id = store.begin("sprint", "you").unwrap();
        let record = format!("record of game {number}: {}", "x".repeat(600));
        let summary = json!({ "holds": number });
        store.update(id, "goal", &GameEntry { summary, record, ..progress(number, 60_000, 9) }).unwrap();
    }
    let sound = (store.games(99).unwrap(), store.setting("keys").unwrap());
    let records: Vec<_> = (1..=8).map(|id| store.game(id).unwrap()).collect();
    store.connection.pragma_update(None, "journal_mode", "DELETE").unwrap();
    drop(store);
    let bytes = fs::read(folder.path().join(FILE)).unwrap();
    let (mut noticed, mut untouched) = (0, 0);
    for flip in 0..400 {
        let mut bytes = bytes.clone();
        // Spread over the file by a step that has no divisor in common with its length.
        let bit = (flip * 8 * bytes.len() / 400 + flip * 13) % (8 * bytes.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join(FILE), bytes).unwrap();
        let Ok(store) = GameStore::open(other.path()) else {
            noticed += 1;
            continue;
        };
        let mut is_noticed = store.setting("keys").is_err();
        if let Ok(keys) = store.setting("keys") {
            assert_eq!(keys, sound.1, "bit {bit}");
        }
        match store.games(99) {
            Err(_) => is_noticed = true,
            Ok(games) => {
                assert_eq!(games.len(), sound.0.len(), "bit {bit}");
                for (game, sound) in games.iter().zip(&sound.0) {
                    is_noticed |= game.state == DAMAGED;
                    assert!(game == sound || game.state == DAMAGED, "bit {bit}: {game:?}");
                }
            }
        }
        for (id, sound) in (1..).zip(&records) {
            match store.game(id) {
                Err(_) => is_noticed = true,
                Ok(game) => assert_eq!(game, *sound, "bit {bit}"),
            }
        }
        if is_noticed { noticed += 1 } else { untouched += 1 }
    }
    assert!(noticed > 50, "{noticed} noticed, {untouched} in places that hold nothing");
}

#[test]
fn files_that_are_not_ours_are_refused_and_left_alone() {
    let check = |make: &dyn Fn(&Path), expected: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        make(&path);
        let before = fs::read(&path).unwrap();
        let message = GameStore::open(folder.path()).err().expect("refused").to_string();
        assert!(message.contains(expected), "{message}");
        assert_eq!(fs::read(&path).unwrap(), before, "the file was changed");
    };
    check(&|path| fs::write(path, "not a database, but long enough to look at").unwrap(), "damaged");
    check(
        &|path| {
            let connection = Connection::open(path).unwrap();
            connection.execute_batch("CREATE TABLE other (x)").unwrap();
        },
        "another program",
    );
    check(
        &|path| {
            drop(GameStore::open(path.parent().unwrap()).unwrap());
            let connection = Connection::open(path).unwrap();
            connection.pragma_update(None, "user_version", SCHEMA + 1).unwrap();
            connection.pragma_update(None, "journal_mode", "DELETE").unwrap();
        },
        "newer",
    );
    check(
        &|path| {
            drop(GameStore::open(path.parent().unwrap()).unwrap());
            let mut bytes = fs::read(path).unwrap();
            let half = bytes.len() / 2;
            bytes[100..half].fill(0x5a);
            fs::write(path, bytes).unwrap();
        },
        "damaged",
    );
}

#[test]
fn ended_games_are_shown_to_others() {
    let folder = tempfile::tempdir().unwrap();
    assert!(kept_games(Some(folder.path()), |_| true).unwrap_err().to_string().contains("data folder"));
    let store = GameStore::open(folder.path()).unwrap();
    for (state, pieces) in [("goal", 100), ("open", 7), ("topped-out", 9)] {
        let id = store.begin("sprint", "you").unwrap();
        store.update(id, state, &progress(pieces, 5000, 100)).unwrap();
    }
    let seen = |most: usize| {
        let mut seen = vec![];
        let visit = |game: KeptGame| {
            seen.push((game.id, game.player, game.record));
            seen.len() < most
        };
        kept_games(Some(folder.path()), visit).unwrap();
        seen
    };
    let game = |id| (id, "you".to_owned(), Some("record".to_owned()));
    assert_eq!(seen(9), [game(1), game(3)]);
    assert_eq!(seen(1), [game(1)]);
    // As if a bit had flipped.
    let flip = "UPDATE games SET record = 'recorc' WHERE id = 3";
    Connection::open(store.path()).unwrap().execute(flip, []).unwrap();
    assert_eq!(seen(9)[1], (3, "you".to_owned(), None));
}
