//! A page's conversation with a host that does everything at once, or when it is told to.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::*;
use crate::archive::Archive;
use crate::built_in::BuiltInCollection;
use crate::collection::Collection;
use crate::desk::{JobKind, QuietDesk};
use crate::memory::MemoryArchive;
use crate::premises::{NoRuns, TrainingRuns};

/// A host with what is built in.
struct Plain;

impl Premises for Plain {
    fn collection(&self) -> &dyn Collection {
        &BuiltInCollection
    }

    fn runs(&self) -> &dyn TrainingRuns {
        &NoRuns
    }

    fn places(&self) -> (String, String) {
        ("memory".to_owned(), "none".to_owned())
    }

    fn shown(&self) -> Vec<(u32, Value)> {
        vec![(3, json!("Three"))]
    }

    fn shown_board(&self, number: u32) -> Option<Value> {
        (number == 3).then(|| json!({ "title": "Three" }))
    }
}

/// A page and what is to be done for it.
struct TalkingPage {
    session: PageSession,
    archive: MemoryArchive,
    /// What was asked of the host, in words, and what the page has heard.
    log: Vec<String>,
    heard: Vec<Value>,
    work: VecDeque<PageWork>,
    looks: VecDeque<ArchiveWork>,
}

impl TalkingPage {
    fn new(page: u64, commons: &Commons) -> TalkingPage {
        TalkingPage {
            session: PageSession::new(page, Arc::new(Plain), commons.clone()),
            archive: MemoryArchive::default(),
            log: vec![],
            heard: vec![],
            work: VecDeque::new(),
            looks: VecDeque::new(),
        }
    }

    fn hear(&mut self, message: &Value) {
        let effects = self.session.hear(&message.to_string(), 7.0);
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<PageEffect>) {
        for effect in effects {
            let word = match effect {
                PageEffect::Say(text) | PageEffect::Mention(text) => {
                    let message: Value = serde_json::from_str(&text).unwrap();
                    let word = format!("say {}", message["re"]);
                    self.heard.push(message);
                    word
                }
                PageEffect::Close(fault) => format!("close {}", fault.reason),
                PageEffect::Work(work) | PageEffect::Aside(work) => {
                    let word = format!("work {} {:?}", work.task, work.kind);
                    self.work.push_back(work);
                    word
                }
                PageEffect::Stop(task) => format!("stop {task}"),
                PageEffect::Look(work) | PageEffect::Write(work) => {
                    let word = format!("archive {}", work.task);
                    self.looks.push_back(work);
                    word
                }
                PageEffect::Open(room, _) => format!("open {room}"),
                PageEffect::Command(room, RoomCommand::Wait) => format!("wait {room}"),
                PageEffect::Command(room, _) => format!("command {room}"),
                PageEffect::Shut(room) => format!("shut {room}"),
                PageEffect::Play(room) => format!("play {room:?}"),
                PageEffect::LookOn(view) => format!("look on {view:?}"),
                PageEffect::Quit => "quit".to_owned(),
            };
            self.log.push(word);
        }
    }

    /// Does all that was asked for.
    fn settle(&mut self) {
        while !self.looks.is_empty() || !self.work.is_empty() {
            let done = match self.looks.pop_front() {
                Some(look) => look.run(&self.archive, &|_| {}),
                None => self.work.pop_front().unwrap().run(&QuietDesk),
            };
            let effects = self.session.take(done, 8.0);
            self.perform(effects);
        }
    }

    fn log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }

    fn answer(&self, id: u32) -> &Value {
        self.heard.iter().find(|message| message["re"] == id).unwrap()
    }
}

fn sprint(id: u32, seat: Option<&str>) -> Value {
    let hands = json!({ "das": 150, "arr": 75, "soft": 35, "cut": 100, "advanced": false });
    json!({ "id": id, "do": "play-open", "mode": "sprint", "seed": 5, "hands": hands, "seat": seat })
}

fn key(number: u32) -> Value {
    json!({ "do": "key", "key": "hard-drop", "down": true, "at": 7.0, "number": number })
}

/// What a page says of its room before it is there waits for it, and no picture comes before the page knows its room.
#[test]
fn a_page_that_sits_down_is_answered_before_it_sees_the_room() {
    let mut page = TalkingPage::new(1, &Commons::default());
    page.hear(&sprint(4, None));
    page.hear(&key(1));
    page.hear(&json!({ "do": "pause", "paused": true }));
    page.hear(&json!({ "id": 5, "do": "clock", "t": 1.5 }));
    assert_eq!(page.log(), ["archive 1", "say 5"]);
    page.settle();
    let order = ["open 1", "wait 1", "say 4", "play Some(1)", "command 1", "command 1"];
    assert_eq!(page.log(), order);
    assert_eq!(page.answer(4)["ok"], json!({ "room": 1, "resumed": false, "waiting": null }));
    page.hear(&sprint(6, None));
    page.hear(&sprint(7, None));
    page.hear(&json!({ "do": "play-close" }));
    page.settle();
    let first = ["play None", "shut 1", "archive 5", "open 2", "wait 2", "say 6", "play Some(2)"];
    let second = ["play None", "shut 2", "archive 6", "open 3", "wait 3", "say 7", "play Some(3)"];
    let words = page.log();
    assert_eq!((&words[..7], &words[7..14]), (&first.map(String::from)[..], &second.map(String::from)[..]));
    assert_eq!(words[14..], ["play None", "shut 3"]);
}

#[test]
fn a_seat_is_taken_over_and_its_game_found_again() {
    let commons = Commons::default();
    let (mut first, mut second) = (TalkingPage::new(1, &commons), TalkingPage::new(2, &commons));
    first.hear(&sprint(1, Some("here")));
    first.settle();
    commons.hall.waiting(crate::setup::Mode::Sprint);
    second.hear(&sprint(1, Some("here")));
    assert_eq!(second.answer(1)["ok"], json!({ "room": 1, "resumed": true, "waiting": null }));
    assert_eq!(second.log(), ["wait 1", "say 1", "play Some(1)"]);
    first.log();
    first.hear(&key(1));
    assert_eq!(first.log(), Vec::<String>::new(), "it plays there no more");
    assert!(first.session.leave().iter().all(|effect| matches!(effect, PageEffect::Play(None))));
    second.hear(&json!({ "id": 2, "do": "rooms" }));
    assert_eq!(second.answer(2)["ok"], json!([{ "room": 1, "mode": "sprint" }]));
    second.hear(&json!({ "id": 3, "do": "spectate", "room": 9 }));
    assert_eq!(second.answer(3)["error"], "nobody plays there any more");
}

#[test]
fn so_many_requests_are_under_way_and_no_more() {
    let mut page = TalkingPage::new(1, &Commons::default());
    for id in 1..=32 {
        page.hear(&json!({ "id": id, "do": "games" }));
    }
    page.hear(&sprint(40, None));
    assert!(page.log().iter().all(|word| word.starts_with("archive")));
    page.hear(&json!({ "id": 33, "do": "games" }));
    assert_eq!(page.log(), ["close too many requests at once"]);
    page.settle();
    assert_eq!(page.answer(32)["ok"], json!([]));
    page.log();
    page.hear(&json!({ "id": 34, "do": "games" }));
    assert_eq!(page.log().len(), 1);
    page.hear(&json!("nothing"));
    assert_eq!(page.log(), ["close malformed message"]);
}

/// A new question ends the one before, whether that is under way, waits or was just done.
#[test]
fn a_question_takes_the_place_of_the_one_before() {
    let mut page = TalkingPage::new(1, &Commons::default());
    let solve = |id: u32| {
        json!({ "id": id, "do": "explore-solve", "question": {
            "game": { "name": "baby" }, "objective": "discounted:0.5" } })
    };
    let look = |id: u32| json!({ "id": id, "do": "explore-look", "board": [], "queue": [0] });
    page.hear(&look(1));
    assert_eq!(page.answer(1)["error"], "nothing is solved yet");
    page.hear(&solve(2));
    page.hear(&solve(3));
    assert_eq!(page.log()[1..], ["work 2 Solve", "stop 2", "work 3 Solve"]);
    page.settle();
    assert_eq!(page.answer(2)["error"], "cancelled");
    assert!(page.answer(3)["ok"]["value"].is_number());
    page.hear(&look(4));
    page.settle();
    assert!(page.answer(4)["ok"]["best"].is_number() || page.answer(4)["ok"]["placements"].is_array());
    page.hear(&json!({ "do": "explore-frontier-end" }));
    page.hear(&solve(5));
    let words = page.log();
    assert!(!words.contains(&"stop 5".to_owned()) && words.contains(&"stop 3".to_owned()), "{words:?}");
}

#[test]
fn what_the_host_cannot_do_is_told_and_gone() {
    let mut page = TalkingPage::new(1, &Commons::default());
    page.hear(&json!({ "id": 1, "do": "games" }));
    page.hear(&json!({ "id": 2, "do": "best", "mode": "sprint", "board": [], "queue": "T" }));
    for (task, why) in [(1, "the disk is gone"), (2, "too many wait")] {
        let effects = page.session.failed(task, why.into(), 9.0);
        page.perform(effects);
        assert_eq!(page.answer(task)["error"], why);
    }
    // What comes back late changes nothing.
    page.log();
    page.settle();
    assert_eq!(page.log(), Vec::<String>::new());
    page.hear(&json!({ "id": 3, "do": "train-start", "order": { "name": "a", "game": "baby" } }));
    page.hear(&json!({ "id": 4, "do": "set", "key": "nothing", "value": {} }));
    assert_eq!(page.log(), ["work 3 Short", "close there is no such setting"]);
    page.settle();
    assert!(page.answer(3)["error"].as_str().unwrap().contains("bellmino lab"));
}

/// A machine's finished game is kept, and its page told under which number, before the moves are shown.
#[test]
fn a_watched_game_is_kept_and_judged_once() {
    let mut page = TalkingPage::new(1, &Commons::default());
    let open = json!({ "id": 1, "do": "watch-open", "game": "baby", "players": ["lowest"], "seed": 3 });
    page.hear(&open);
    page.settle();
    let session = page.answer(1)["ok"]["session"].clone();
    page.hear(&json!({ "id": 2, "do": "watch-moves", "session": session, "side": 0, "count": 200 }));
    page.settle();
    let last = page.answer(2)["ok"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["kept"], last["end"].is_string()), (&json!(1), true));
    for (id, looks) in [(3, true), (4, false)] {
        page.log();
        page.hear(&json!({ "id": id, "do": "game-judge", "game": 1 }));
        page.settle();
        let worked = page.log().iter().any(|word| word.ends_with("Solve"));
        assert_eq!((page.answer(id)["ok"]["verdicts"].is_array(), worked), (true, looks));
    }
    page.hear(&json!({ "id": 5, "do": "game-judge", "game": 9 }));
    page.settle();
    assert_eq!(page.answer(5)["error"], "there is no game 9");
    for game in 0..9 {
        page.hear(
            &json!({ "id": 10 + game, "do": "watch-open", "game": "baby", "players": ["lowest"], "seed": 3 }),
        );
    }
    page.settle();
    assert_eq!(page.answer(17)["error"], "too many games are open; close one");
    assert!(page.work.is_empty() && page.answer(16)["ok"]["session"].is_number());
    let kinds = [JobKind::Short, JobKind::Solve];
    assert_eq!(crate::WatchSession::opening(&["exact".to_owned()]), kinds[1]);
}

#[test]
fn a_comparison_ends_with_how_it_stands_when_nobody_wants_more() {
    let mut page = TalkingPage::new(1, &Commons::default());
    let players = ["lowest", "random"];
    let compare = json!({ "id": 1, "do": "watch-compare", "game": "baby", "players": players, "seed": 1, "games": 400 });
    page.hear(&compare);
    for _ in 0..3 {
        let done = page.work.pop_front().unwrap().run(&QuietDesk);
        let effects = page.session.take(done, 8.0);
        page.perform(effects);
    }
    page.hear(&json!({ "id": 2, "do": "watch-compare-end" }));
    page.settle();
    let last = page.heard.last().unwrap().clone();
    assert_eq!((&last["re"], &last["ok"]["wanted"]), (&json!(1), &json!(400)));
}

/// What a page has kept is there again after it was taken out as bytes; a game that was cut off can go on.
#[test]
fn an_archive_in_memory_is_taken_out_and_put_in_again() {
    let archive = MemoryArchive::default();
    archive.set_time(1000);
    let entry = crate::kept::GameEntry { pieces: 3, record: "r".into(), ..Default::default() };
    let kept = archive.begin("sprint", "you").unwrap();
    archive.update(kept, "goal", &entry).unwrap();
    let open = archive.begin("sprint", "you").unwrap();
    let seat =
        crate::kept::GameEntry { summary: json!({ "seat": "a" }), record: "s".into(), ..entry.clone() };
    archive.update(open, "open", &seat).unwrap();
    archive.begin("blitz", "you").unwrap();
    archive.merge("look", &json!({ "theme": "dark" })).unwrap();
    archive.merge("look", &json!({ "size": 2 })).unwrap();
    assert_eq!((archive.games(9).unwrap().len(), archive.has_changed()), (1, true));
    let parts = archive.take_changed();
    let keys: Vec<&str> = parts.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["game/1", "game/2", "game/3", "setting/look"]);
    assert!(!archive.has_changed() && archive.take_changed().is_empty());
    let by_parts = MemoryArchive::default();
    for (key, content) in &parts {
        by_parts.put(key, content.as_ref().unwrap()).unwrap();
    }
    let bytes = archive.export();
    let again = MemoryArchive::import(&bytes).unwrap();
    assert_eq!(by_parts.games(9).unwrap(), again.games(9).unwrap());
    again.remove(kept).unwrap();
    assert_eq!(again.take_changed(), [("game/1".to_owned(), None)]);
    let again = MemoryArchive::import(&bytes).unwrap();
    assert!(by_parts.put("game/7", "{}").is_err() && by_parts.put("other/7", "{}").is_err());
    assert_eq!(again.setting("look").unwrap(), Some(json!({ "theme": "dark", "size": 2 })));
    let ids: Vec<i64> = again.games(9).unwrap().iter().map(|game| game.id).collect();
    assert_eq!(ids, [open, kept]);
    let found = again.unfinished("sprint", crate::Seat::Of("a")).unwrap().unwrap();
    assert_eq!((found.0.id, found.1.as_str()), (open, "s"));
    assert_eq!(again.find("r", "you").unwrap(), Some(kept));
    assert_eq!(again.begin("sprint", "you").unwrap(), 4, "no number is given twice");
    for place in 0..bytes.len() {
        let mut wrong = bytes.clone();
        wrong[place] ^= 0x10;
        assert!(MemoryArchive::import(&wrong).is_err(), "byte {place}");
        assert!(MemoryArchive::import(&bytes[..place]).is_err(), "{place} bytes");
    }
}
