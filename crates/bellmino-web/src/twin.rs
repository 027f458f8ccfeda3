//! One conversation with the lab on a server and with a page's own lab, at the same times: the page hears the same.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::ws::Message;
use bellmino_page::{MemoryArchive, locked};
use bellmino_wasm::{PageWorker, WorkerHome};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::Lab;
use crate::clock::LabClock;
use crate::keeper::Keeper;
use crate::outgoing::Playing;
use crate::store::GameStore;
use crate::visitor::Visitor;

/// What differs between two machines, or two runs on one.
const OF_THE_MACHINE: [&str; 6] =
    ["started", "store", "folder", "seconds", "states_per_second", "peak_bytes"];

/// Whatever is heard before a message that is waited for, and is compared too.
const PROGRESS: [&str; 3] = ["verdict", "comparison", "frontier"];

/// A message that is waited for.
enum Wanted {
    /// The answer to a request.
    Answer(u64),
    /// An event of this name.
    Event(&'static str),
    /// A picture of which this holds.
    Picture(Box<dyn Fn(&Value) -> bool>),
}

impl Wanted {
    fn is(&self, message: &Value) -> bool {
        match self {
            Wanted::Answer(id) => message["re"] == *id,
            Wanted::Event(name) => message["on"] == *name,
            Wanted::Picture(holds) => message["on"] == "play" && holds(message),
        }
    }
}

/// A lab to talk with.
trait Twin {
    /// Sets the clock.
    fn set_time(&mut self, time: f64);

    /// The page says something.
    async fn say(&mut self, message: &Value);

    /// The next message that the page hears.
    async fn next(&mut self) -> Value;
}

/// The lab on a server, but for its sockets.
struct ServerTwin {
    visitor: Visitor,
    inbox: mpsc::Receiver<Message>,
    time: Arc<AtomicU64>,
    _folder: tempfile::TempDir,
}

impl ServerTwin {
    fn new() -> ServerTwin {
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::new(GameStore::open(folder.path()).unwrap()).unwrap();
        let mut lab = Lab::new("127.0.0.1:1".parse().unwrap(), None, keeper).unwrap();
        let time = Arc::new(AtomicU64::new(0));
        lab.clock = LabClock::Handed(Arc::clone(&time));
        let (out, inbox) = mpsc::channel(256);
        ServerTwin {
            visitor: Visitor::new(&Arc::new(lab), out, Playing::default()),
            inbox,
            time,
            _folder: folder,
        }
    }
}

impl Twin for ServerTwin {
    fn set_time(&mut self, time: f64) {
        self.time.store(time.to_bits(), Ordering::SeqCst);
    }

    async fn say(&mut self, message: &Value) {
        self.visitor.hear(&message.to_string()).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        loop {
            tokio::select! {
                Some(returned) = self.visitor.returned() => self.visitor.take(returned).await.unwrap(),
                Some(Message::Text(text)) = self.inbox.recv() => return serde_json::from_str(&text).unwrap(),
            }
        }
    }
}

/// A page's own lab, with what it says.
struct WorkerTwin {
    worker: PageWorker,
    home: Arc<TestHome>,
}

#[derive(Default)]
struct TestHome {
    time: AtomicU64,
    said: Mutex<VecDeque<String>>,
}

impl WorkerHome for TestHome {
    fn now(&self) -> f64 {
        f64::from_bits(self.time.load(Ordering::SeqCst))
    }

    fn say(&self, text: &str) {
        locked(&self.said).push_back(text.to_owned());
    }
}

impl WorkerTwin {
    fn new() -> WorkerTwin {
        let home = Arc::new(TestHome::default());
        let worker = PageWorker::new(Arc::<TestHome>::clone(&home), MemoryArchive::default());
        WorkerTwin { worker, home }
    }
}

impl Twin for WorkerTwin {
    fn set_time(&mut self, time: f64) {
        self.home.time.store(time.to_bits(), Ordering::SeqCst);
    }

    async fn say(&mut self, message: &Value) {
        self.worker.hear(&message.to_string());
        assert_eq!(self.worker.closed(), None);
    }

    async fn next(&mut self) -> Value {
        loop {
            if let Some(text) = locked(&self.home.said).pop_front() {
                return serde_json::from_str(&text).unwrap();
            }
            let (goes, works) = (self.worker.tick(), self.worker.work());
            let changes = self.worker.has_changed();
            if changes {
                self.worker.changed();
                self.worker.stored(None);
            }
            let is_silent = locked(&self.home.said).is_empty();
            assert!(!is_silent || works || changes, "nothing more is said, rooms going: {goes}");
        }
    }
}

/// A conversation, and what was heard of it.
struct Talk<T> {
    twin: T,
    heard: Vec<Value>,
    time: f64,
    asked: u64,
}

impl<T: Twin> Talk<T> {
    /// Says something a little later, and waits for what is wanted.
    async fn tell(&mut self, message: &Value, wanted: Vec<Wanted>) -> Vec<Value> {
        self.time += 40.0;
        self.twin.set_time(self.time);
        self.twin.say(message).await;
        let mut found: Vec<Option<Value>> = wanted.iter().map(|_| None).collect();
        let mut progress = Vec::new();
        while found.iter().any(Option::is_none) {
            let next = tokio::time::timeout(Duration::from_secs(60), self.twin.next()).await;
            let next = next.unwrap_or_else(|_| panic!("{message}: no answer"));
            match wanted.iter().zip(&mut found).find(|(wanted, found)| found.is_none() && wanted.is(&next)) {
                Some((_, place)) => *place = Some(next),
                None if PROGRESS.contains(&next["on"].as_str().unwrap_or_default()) => progress.push(next),
                None => {}
            }
        }
        let found: Vec<Value> = found.into_iter().flatten().collect();
        self.heard.extend(progress);
        self.heard.extend(found.iter().cloned());
        found
    }

    /// Asks for something and gives the answer.
    async fn ask(&mut self, what: &str, mut values: Value) -> Value {
        self.asked += 1;
        values["id"] = json!(self.asked);
        values["do"] = json!(what);
        let answers = self.tell(&values, vec![Wanted::Answer(self.asked)]).await;
        answers[0]["ok"].clone()
    }

    /// Sits down and waits for the picture.
    async fn sit_down(&mut self, mode: &str, phase: &'static str) {
        self.asked += 1;
        let hands = json!({ "das": 150, "arr": 75, "soft": 35, "cut": 100, "advanced": false, "gravity": mode == "sprint" });
        let open = json!({ "id": self.asked, "do": "play-open", "mode": mode, "seed": "7", "hands": hands, "seat": "s" });
        let is_there = Wanted::Picture(Box::new(move |picture| picture["phase"] == phase));
        self.tell(&open, vec![Wanted::Answer(self.asked), is_there]).await;
    }

    /// A key goes down or up; waits for the picture, and at the end of a game for the one that says that it is kept.
    async fn key(&mut self, key: &str, down: bool, number: u64) -> Value {
        let at = self.time + 40.0;
        let event = json!({ "do": "key", "key": key, "down": down, "at": at, "number": number });
        let is_heard = Wanted::Picture(Box::new(move |picture| {
            picture["heard"] == number && (picture["phase"] != "over" || picture["end"]["saved"] == true)
        }));
        self.tell(&event, vec![is_heard]).await.remove(0)
    }

    async fn play(&mut self) {
        self.sit_down("practice", "ready").await;
        let mut numbers = 1..;
        for key in ["left", "hard-drop", "clockwise", "right", "hard-drop", "hold", "hard-drop"] {
            for down in [true, false] {
                self.key(key, down, numbers.next().unwrap()).await;
            }
        }
        for (what, undo) in [("undo", 2), ("undo", 1), ("redo", 2)] {
            let is_done = Wanted::Picture(Box::new(move |picture| picture["undo"] == undo));
            self.tell(&json!({ "do": what }), vec![is_done]).await;
        }
        let change = json!({ "do": "edit", "change": { "garbage": [2, 4], "queue": "TIOSZ" } });
        let is_changed = Wanted::Picture(Box::new(|picture| picture["undo"] == 3));
        self.tell(&change, vec![is_changed]).await;
        self.tell(&json!({ "do": "play-close" }), vec![]).await;
        self.sit_down("sprint", "ready").await;
        let mut phase = json!("ready");
        while phase != "over" {
            phase = self.key("hard-drop", true, numbers.next().unwrap()).await["phase"].clone();
            if phase != "over" {
                self.key("hard-drop", false, numbers.next().unwrap()).await;
            }
        }
        self.ask("rooms", json!({})).await;
        self.tell(&json!({ "do": "play-close" }), vec![]).await;
    }

    async fn look_at_games(&mut self) {
        let games = self.ask("games", json!({})).await;
        let game = games[0]["id"].clone();
        assert!(games[0]["pieces"].as_u64() > Some(5), "{games}");
        self.ask("game-open", json!({ "game": game })).await;
        let verdicts = self.ask("game-judge", json!({ "game": game })).await;
        assert_eq!(self.ask("game-judge", json!({ "game": game })).await, verdicts);
        let look = self.ask("game-look", json!({ "game": game, "step": 3 })).await;
        assert!(look["choices"].as_array().is_some_and(|choices| !choices.is_empty()), "{look}");
        self.ask("game-open", json!({ "game": 99 })).await;
        self.ask("game-remove", json!({ "game": 99 })).await;
        for what in ["duels", "contests", "runs", "shown"] {
            self.ask(what, json!({})).await;
        }
    }

    async fn watch(&mut self) {
        let players = json!({ "game": "baby", "players": ["exact", "lowest"], "seed": 5 });
        let session = self.ask("watch-open", players).await["session"].clone();
        for side in [0, 1] {
            let moves = json!({ "session": session, "side": side, "count": 200 });
            let moves = self.ask("watch-moves", moves).await;
            assert!(moves[0]["cells"].is_array(), "{moves}");
        }
        self.ask("watch-moves", json!({ "session": session, "side": 2, "count": 1 })).await;
        self.ask("watch-close", json!({ "session": session })).await;
        let person = json!({ "game": "mini", "players": ["human", "weights:lee4"], "seed": "9" });
        let session = self.ask("watch-open", person).await["session"].clone();
        self.ask("watch-options", json!({ "session": session, "side": 0 })).await;
        self.ask("watch-place", json!({ "session": session, "side": 0, "option": 1 })).await;
        let bot = json!({ "game": "sprint", "players": ["bot:quick"], "seed": 3 });
        let session = self.ask("watch-open", bot).await["session"].clone();
        self.ask("watch-moves", json!({ "session": session, "side": 0, "count": 12 })).await;
        let compare = json!({ "game": "baby", "players": ["lowest", "random"], "seed": 2, "games": 6 });
        let standing = self.ask("watch-compare", compare).await;
        assert_eq!(standing["standing"]["games"], 6);
        self.ask("players", json!({ "game": "mini" })).await;
    }

    async fn explore(&mut self) {
        self.ask("explore-look", json!({ "board": [], "queue": [0] })).await;
        self.ask("explore-game", json!({ "game": { "name": "baby" } })).await;
        let question =
            json!({ "game": { "name": "baby" }, "objective": "discounted:0.9", "dealer": "worst" });
        let figures = self.ask("explore-solve", json!({ "question": question })).await;
        assert!(figures["value"].is_number(), "{figures}");
        let look = self.ask("explore-look", json!({ "board": ["GG..", "G..."], "queue": [1] })).await;
        assert!(look["placements"].is_array(), "{look}");
        self.ask("explore-deals", json!({ "board": ["GG.."], "queue": [], "dealt": [1], "seed": 5 })).await;
        self.ask("explore-map", json!({})).await;
        let mut question = question;
        question["objective"] = json!("nothing");
        self.ask("explore-solve", json!({ "question": question })).await;
    }

    async fn whole(mut self) -> Vec<Value> {
        self.ask("hello", json!({})).await;
        self.asked += 1;
        let set = json!({ "id": self.asked, "do": "set", "key": "look", "value": { "theme": "dark" } });
        self.tell(&set, vec![Wanted::Answer(self.asked), Wanted::Event("settings")]).await;
        self.ask("clock", json!({ "t": 1.5 })).await;
        self.ask("spectate", json!({})).await;
        self.play().await;
        self.look_at_games().await;
        self.watch().await;
        self.explore().await;
        let position = json!({ "mode": "sprint", "board": ["GGGGGGGG.G"], "queue": "TIOSZ", "hold": "L" });
        self.ask("best", position.clone()).await;
        let fumen = self.ask("fumen-write", position).await;
        self.ask("fumen-read", fumen).await;
        self.ask("hello", json!({})).await;
        // It waits as it was left, to be played on from the changed position.
        self.sit_down("practice", "ready").await;
        self.heard
    }
}

/// The same without what a machine puts into it.
fn timeless(value: &mut Value) {
    match value {
        Value::Object(parts) => {
            parts.retain(|key, _| !OF_THE_MACHINE.contains(&key.as_str()));
            // The processor time of the bot, beside what it found.
            if parts.contains_key("choices") {
                parts.remove("milliseconds");
            }
            parts.values_mut().for_each(timeless);
        }
        Value::Array(parts) => parts.iter_mut().for_each(timeless),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_hears_the_same_of_a_server_and_of_its_own_lab() {
    let (heard, time, asked) = (vec![], 1000.0, 0);
    let mut server = Talk { twin: ServerTwin::new(), heard, time, asked }.whole().await;
    let mut own = Talk { twin: WorkerTwin::new(), heard: vec![], time, asked }.whole().await;
    server.iter_mut().chain(&mut own).for_each(timeless);
    for (number, (server, own)) in server.iter().zip(&own).enumerate() {
        assert_eq!(server, own, "message {number}");
    }
    assert_eq!(server.len(), own.len());
    assert!(server.len() > 100, "{} messages", server.len());
}
