//! A room is sat down in, played in, left and found again.

use std::time::Duration;

use super::*;
use bellmino_engine::Outcome;
use bellmino_engine::guideline::{Key, Piece, Record};
use bellmino_page::{Change, Hands, Mode, Opening, RivalOrder, Setup, Unfinished, duels};
use serde_json::{Value, json};

/// Hands of the default.
const HANDS: Hands = Hands {
    das: 150,
    arr: 75,
    soft: 35,
    cut: 100,
    advanced: false,
    half: false,
    initial: false,
    gravity: true,
};

/// A new game for hands of the default.
fn new_game(number: u32, mode: Mode) -> Opening {
    Opening {
        number,
        mode,
        seed: 0,
        hands: HANDS,
        setup: None,
        seat: None,
        best: vec![],
        unfinished: None,
        rival: None,
    }
}

/// A room that is hosted.
fn open(opening: Opening, keeper: &Keeper, clock: &LabClock) -> OpenRoom {
    OpenRoom::open(Room::open(opening, clock.now()).unwrap(), keeper, clock.clone())
}

/// A room and a way to wait until its picture is as wanted.
struct RoomPlayer(OpenRoom, LabClock, tempfile::TempDir);

impl RoomPlayer {
    fn sit_down(mode: Mode, setup: Option<&Setup>) -> RoomPlayer {
        let folder = tempfile::tempdir().unwrap();
        let begin = LabClock::start();
        let keeper = Keeper::new(GameStore::open(folder.path()).unwrap()).unwrap();
        let opening = Opening { seed: 7, hands: HANDS, setup: setup.cloned(), ..new_game(1, mode) };
        RoomPlayer(open(opening, &keeper, &begin), begin.clone(), folder)
    }

    async fn tap(&self, key: Key) {
        for down in [true, false] {
            let at = self.1.now();
            self.0.commands.send(RoomCommand::Key { key, down, at, number: 1 }).await.unwrap();
        }
    }

    async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let look = async {
            loop {
                let picture: Value = serde_json::from_str(&self.0.frames.borrow_and_update()).unwrap();
                if wanted(&picture) {
                    return picture;
                }
                self.0.frames.changed().await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(20), look).await.expect("the picture came")
    }
}

#[tokio::test]
async fn the_first_key_starts_the_clock_and_undo_takes_a_placement_back() {
    let mut player = RoomPlayer::sit_down(Mode::Practice, None);
    let first = player.until(|picture| picture["phase"] == "ready").await["view"]["active"]["piece"].clone();
    player.tap(Key::HardDrop).await;
    player.until(|picture| picture["phase"] == "playing" && picture["view"]["stats"]["pieces"] == 1).await;
    player.0.commands.send(RoomCommand::Undo).await.unwrap();
    let back = player.until(|picture| picture["view"]["stats"]["pieces"] == 0).await;
    assert_eq!((&back["view"]["active"]["piece"], &back["redo"]), (&first, &json!(1)));
    player.0.commands.send(RoomCommand::Redo).await.unwrap();
    player.until(|picture| picture["view"]["stats"]["pieces"] == 1).await;
}

#[tokio::test]
async fn a_pause_stops_the_clock_and_the_end_is_stored() {
    let mut player = RoomPlayer::sit_down(Mode::Sprint, None);
    player.tap(Key::HardDrop).await;
    player.0.commands.send(RoomCommand::Pause(true)).await.unwrap();
    let paused = player.until(|picture| picture["phase"] == "paused").await["view"]["time"].as_u64().unwrap();
    tokio::time::sleep(Duration::from_millis(400)).await;
    player.0.commands.send(RoomCommand::Pause(false)).await.unwrap();
    let again = player.until(|picture| picture["phase"] == "playing").await["view"]["time"].as_u64().unwrap();
    assert!(again < paused + 390, "{paused} {again}");
    for _ in 0..30 {
        player.tap(Key::HardDrop).await;
    }
    let over = player.until(|picture| picture["phase"] == "over" && picture["end"]["saved"] == true).await;
    assert_eq!(over["view"]["outcome"], "topped-out");
    let store = GameStore::open(player.2.path()).unwrap();
    let (game, record) = store.game(over["end"]["game"].as_i64().unwrap()).unwrap().unwrap();
    assert_eq!((game.state.as_str(), game.mode.as_str()), ("topped-out", "sprint"));
    let replayed = Record::from_text(&record).unwrap().replay(|_, _| {}).unwrap();
    assert_eq!(i64::from(replayed.stats().pieces), game.pieces);
    assert_eq!(replayed.outcome(), Some(Outcome::ToppedOut));
}

#[tokio::test]
async fn a_game_from_a_painted_board_is_recorded_with_its_beginning() {
    let board = vec!["TTT.JJJJGG".to_owned(), "L".to_owned()];
    let setup = Setup { board, queue: "IOTLJSZ".to_owned(), hold: Some("S".to_owned()) };
    let mut player = RoomPlayer::sit_down(Mode::Practice, Some(&setup));
    let shown = player.until(|picture| picture["phase"] == "ready").await;
    assert_eq!(shown["view"]["rows"], json!(["TTT.JJJJGG", "L........."]));
    for _ in 0..40 {
        player.tap(Key::HardDrop).await;
    }
    let over = player.until(|picture| picture["phase"] == "over" && picture["end"]["saved"] == true).await;
    assert_eq!((&over["end"]["bests"], &over["end"]["is_best"]), (&json!([]), &json!(false)));
    let store = GameStore::open(player.2.path()).unwrap();
    let (game, record) = store.game(over["end"]["game"].as_i64().unwrap()).unwrap().unwrap();
    let record = Record::from_text(&record).unwrap();
    let (begin, colours) = record.opening().unwrap();
    assert_eq!(
        (colours.row_text(0), colours.row_text(1)),
        ("TTT.JJJJGG".to_owned(), "L.........".to_owned())
    );
    assert_eq!((begin.position().hold, begin.queue()[0]), (Some(Piece::S), Piece::I));
    assert_eq!(i64::from(record.replay(|_, _| {}).unwrap().stats().pieces), game.pieces);
}

#[tokio::test]
async fn changes_of_the_position_are_taken_back_with_everything_else() {
    let mut player = RoomPlayer::sit_down(Mode::Practice, None);
    player.tap(Key::HardDrop).await;
    let placed = player.until(|picture| picture["view"]["stats"]["pieces"] == 1).await;
    let board = Some(vec!["TTT.GGGGGG".to_owned()]);
    let edit = |change: Change| RoomCommand::Edit(Box::new(change));
    player.0.commands.send(edit(Change { board, ..Change::default() })).await.unwrap();
    let painted = player.until(|picture| picture["view"]["rows"] == json!(["TTT.GGGGGG"])).await;
    assert_eq!(painted["view"]["queue"], placed["view"]["queue"], "the pieces stay");
    assert_eq!((&painted["undo"], &painted["redo"]), (&json!(2), &json!(0)));
    let change = Change { queue: Some("IIO".to_owned()), garbage: Some((2, 4)), ..Change::default() };
    player.0.commands.send(edit(change)).await.unwrap();
    let raised = player.until(|picture| picture["undo"] == 3).await;
    assert_eq!(raised["view"]["rows"], json!(["GGGG.GGGGG", "GGGG.GGGGG", "TTT.GGGGGG"]));
    assert_eq!(raised["view"]["active"]["piece"], "I");
    player.tap(Key::HardDrop).await;
    player.until(|picture| picture["undo"] == 4).await;
    for left in (0..4).rev() {
        player.0.commands.send(RoomCommand::Undo).await.unwrap();
        player.until(|picture| picture["undo"] == left && picture["redo"] == 4 - left).await;
    }
    for made in 1..=4 {
        player.0.commands.send(RoomCommand::Redo).await.unwrap();
        player.until(|picture| picture["undo"] == made).await;
    }
    // What is refused changes nothing.
    let full = Change { board: Some(vec!["GGGGGGGGGG".to_owned()]), ..Change::default() };
    player.0.commands.send(edit(full)).await.unwrap();
    player
        .until(|picture| picture["notice"].as_str().unwrap().contains("full") && picture["undo"] == 4)
        .await;
}

#[tokio::test]
async fn a_pause_ends_with_a_countdown() {
    let mut player = RoomPlayer::sit_down(Mode::Sprint, None);
    player.tap(Key::HardDrop).await;
    player.until(|picture| picture["phase"] == "playing").await;
    player.0.commands.send(RoomCommand::Pause(true)).await.unwrap();
    let time = player.until(|picture| picture["phase"] == "paused").await["view"]["time"].clone();
    player.0.commands.send(RoomCommand::Pause(false)).await.unwrap();
    let counting = player.until(|picture| picture["phase"] == "countdown").await;
    assert!(counting["countdown"].as_f64().unwrap() > 1000.0, "{}", counting["countdown"]);
    assert_eq!(counting["view"]["time"], time);
    player.tap(Key::HardDrop).await;
    let going = player.until(|picture| picture["phase"] == "playing").await;
    assert_eq!(going["view"]["stats"]["pieces"], 1, "keys before it goes on do nothing");
}

/// What was written down of a game that was cut off is where it goes on, in the same row.
#[tokio::test]
async fn a_game_that_was_cut_off_goes_on_in_its_row() {
    for mode in [Mode::Sprint, Mode::Practice] {
        let folder = tempfile::tempdir().unwrap();
        let begin = LabClock::start();
        let keeper = Keeper::new(GameStore::open(folder.path()).unwrap()).unwrap();
        let opening = Opening { seed: 7, seat: Some("here".to_owned()), ..new_game(1, mode) };
        let mut player = RoomPlayer(open(opening, &keeper, &begin), begin.clone(), folder);
        for pieces in 1..=3 {
            player.tap(Key::Left).await;
            player.tap(Key::HardDrop).await;
            player.until(|picture| picture["view"]["stats"]["pieces"] == pieces).await;
        }
        player.0.commands.send(RoomCommand::Wait).await.unwrap();
        let before = player.until(|picture| picture["phase"] == "paused").await;
        assert!(player.0.place.waits());
        assert_eq!(keeper.flush(Duration::from_secs(9)), Some(0));
        // As after a crash: the row is open, and the next lab closes it.
        let store = GameStore::open(player.2.path()).unwrap();
        store.close_cut_off().unwrap();
        let (game, record) = store.unfinished(mode.name(), bellmino_page::Seat::Of("here")).unwrap().unwrap();
        let unfinished = Unfinished::read(&game, &record);
        let opening = Opening { seat: Some("here".to_owned()), unfinished, ..new_game(2, mode) };
        let room = open(opening, &keeper, &begin);
        // The room before stays as it is, as a dead lab leaves it.
        let before_it =
            std::mem::replace(&mut player, RoomPlayer(room, begin.clone(), tempfile::tempdir().unwrap()));
        let after = player.until(|picture| picture["phase"] == "paused").await;
        for part in ["rows", "hold", "queue", "stats", "active"] {
            if mode == Mode::Sprint || part != "stats" {
                assert_eq!(after["view"][part], before["view"][part], "{part}");
            }
        }
        assert!(after["notice"].as_str().unwrap().contains("goes on"));
        player.0.commands.send(RoomCommand::Pause(false)).await.unwrap();
        player.until(|picture| picture["phase"] == "playing").await;
        for _ in 0..30 {
            player.tap(Key::HardDrop).await;
        }
        player.until(|picture| picture["end"]["saved"] == true).await;
        let store = GameStore::open(before_it.2.path()).unwrap();
        let games = store.games(9).unwrap();
        assert_eq!(games.len(), 1, "one game, once");
        let (_, record) = store.game(games[0].id).unwrap().unwrap();
        let replayed = Record::from_text(&record).unwrap().replay(|_, _| {}).unwrap();
        assert_eq!(i64::from(replayed.stats().pieces), games[0].pieces);
    }
}

/// Practice after a crash: what was taken back stays taken back, a board that was only painted is there, and everything before it
/// can be gone back to.
#[tokio::test]
async fn what_was_done_in_practice_outlives_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let begin = LabClock::start();
    let keeper = Keeper::new(GameStore::open(folder.path()).unwrap()).unwrap();
    let seat = || Some("here".to_owned());
    let opening = Opening { seed: 7, seat: seat(), ..new_game(1, Mode::Practice) };
    let mut player = RoomPlayer(open(opening, &keeper, &begin), begin.clone(), folder);
    for pieces in 1..=3 {
        player.tap(Key::HardDrop).await;
        player.until(|picture| picture["view"]["stats"]["pieces"] == pieces).await;
    }
    player.0.commands.send(RoomCommand::Undo).await.unwrap();
    let undone = player.until(|picture| picture["view"]["stats"]["pieces"] == 2).await;
    let crash = |keeper: &Keeper, folder: &std::path::Path| {
        assert_eq!(keeper.flush(Duration::from_secs(9)), Some(0));
        let store = GameStore::open(folder).unwrap();
        store.close_cut_off().unwrap();
        let (game, record) = store.unfinished("practice", bellmino_page::Seat::Of("here")).unwrap().unwrap();
        (Unfinished::read(&game, &record).unwrap(), store.games(9).unwrap().len())
    };
    let (unfinished, listed) = crash(&keeper, player.2.path());
    assert_eq!((unfinished.before.len(), listed), (0, 1));
    let opening = Opening { seat: seat(), unfinished: Some(unfinished), ..new_game(2, Mode::Practice) };
    let second = open(opening, &keeper, &begin);
    let first =
        std::mem::replace(&mut player, RoomPlayer(second, begin.clone(), tempfile::tempdir().unwrap()));
    let back = player.until(|picture| picture["phase"] == "paused").await;
    assert_eq!((&back["view"]["rows"], &back["undo"]), (&undone["view"]["rows"], &json!(2)));
    // The board is painted, twice, and nothing is placed on it.
    for row in ["TTT.GGGGGG", "TTT.GGGGG."] {
        let change = Change { board: Some(vec![row.to_owned()]), ..Change::default() };
        player.0.commands.send(RoomCommand::Edit(Box::new(change))).await.unwrap();
        player.until(|picture| picture["view"]["rows"] == json!([row])).await;
    }
    let (unfinished, listed) = crash(&keeper, first.2.path());
    assert_eq!((unfinished.before.len(), listed), (2, 0), "a position is no game in the list");
    let opening = Opening { seat: seat(), unfinished: Some(unfinished), ..new_game(3, Mode::Practice) };
    let third = open(opening, &keeper, &begin);
    let _second =
        std::mem::replace(&mut player, RoomPlayer(third, begin.clone(), tempfile::tempdir().unwrap()));
    let again = player.until(|picture| picture["phase"] == "paused").await;
    assert_eq!((&again["view"]["rows"], &again["undo"]), (&json!(["TTT.GGGGG."]), &json!(4)));
    for left in (0..4).rev() {
        player.0.commands.send(RoomCommand::Undo).await.unwrap();
        let now = player.until(|picture| picture["undo"] == left).await;
        if left == 2 {
            assert_eq!(now["view"]["rows"], undone["view"]["rows"]);
        }
    }
    for made in 1..=4 {
        player.0.commands.send(RoomCommand::Redo).await.unwrap();
        player.until(|picture| picture["undo"] == made).await;
    }
}

/// You and a machine on the same pieces: topping out is lost, and the duel is in the table.
#[tokio::test]
async fn a_duel_ends_with_a_verdict_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let begin = LabClock::start();
    let keeper = Keeper::new(GameStore::open(folder.path()).unwrap()).unwrap();
    let rival = Some(RivalOrder { player: "weights:sprint4".to_owned(), pace: 5.0 });
    let opening = Opening { seed: 7, rival, ..new_game(1, Mode::Sprint) };
    let mut player = RoomPlayer(open(opening, &keeper, &begin), begin.clone(), folder);
    player.tap(Key::HardDrop).await;
    let beside = player.until(|picture| picture["rival"]["pieces"].as_u64() >= Some(2)).await;
    assert_eq!((&beside["verdict"], &beside["rival"]["player"]), (&Value::Null, &json!("weights:sprint4")));
    for _ in 0..30 {
        player.tap(Key::HardDrop).await;
    }
    let over = player.until(|picture| picture["verdict"] == "lost" && picture["end"]["saved"] == true).await;
    assert_eq!(over["rival"]["outcome"], "goal", "it plays to its end");
    let store = GameStore::open(player.2.path()).unwrap();
    let table = duels(&store).unwrap();
    assert_eq!(
        (&table[0]["lost"], &table[0]["won"], &table[0]["mode"]),
        (&json!(1), &json!(0), &json!("sprint"))
    );
}
