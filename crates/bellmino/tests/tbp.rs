//! The bot protocol over pipes, as a front end uses it.

use std::fs::{self, DirEntry};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use bellmino_engine::guideline::{Bag, Match, Placement, Position, Rules};
use bellmino_lab::statistics::Summary;
use bellmino_lab::tbp::{move_object, read_move, start_message};
use bellmino_lab::{Player, Playthrough};
use bellmino_search::Budget;
use serde_json::{Value, json};

/// A bot in a process of its own. It is killed if a test fails.
struct Bot {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Bot {
    fn new(options: &[&str]) -> Bot {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bellmino"))
            .arg("tbp")
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut bot = Bot { child, input, output };
        assert_eq!(bot.read()["type"], "info");
        bot.send(r#"{"type":"rules","randomizer":"seven_bag"}"#);
        assert_eq!(bot.read()["type"], "ready");
        bot
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn suggest(&mut self) -> Value {
        self.send(r#"{"type":"suggest"}"#);
        let suggestion = self.read();
        assert_eq!(suggestion["type"], "suggestion");
        suggestion
    }

    /// Lets it think on until it has used so much processor time since `begin`. It may have thought its fill before.
    fn let_think(&self, begin: Duration, time: Duration) {
        let started = Instant::now();
        while self.processor_time() < begin + time && started.elapsed() < 20 * time {
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// Processor time of all its threads so far.
    fn processor_time(&self) -> Duration {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let of_task = |task: DirEntry| {
            let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        };
        Duration::from_nanos(tasks.flatten().filter_map(of_task).sum())
    }

    /// Plays a game and gives its placements; the front end deals and referees.
    fn play(&mut self, rules: Rules, seed: u64, index: u64, pieces: usize) -> Vec<Placement> {
        self.play_paced(rules, Bag::numbered(seed, index), pieces, None)
    }

    /// The same; before each question it is given so much processor time.
    fn play_paced(
        &mut self,
        rules: Rules,
        deal: Bag,
        pieces: usize,
        pace: Option<Duration>,
    ) -> Vec<Placement> {
        let mut game = Match::from_position(rules, Position::default(), deal);
        let queue = game.queue().to_vec();
        let mut begin = self.processor_time();
        self.send(&start_message(game.position(), &queue, game.bag()));
        let mut placements = vec![];
        while game.outcome().is_none() && placements.len() < pieces {
            if let Some(time) = pace {
                self.let_think(begin, time);
            }
            let suggestion = self.suggest();
            let placement = read_move(&suggestion["moves"][0]).unwrap_or_else(|| {
                panic!("after {} placements on {:?}: {suggestion}", placements.len(), game.position())
            });
            let twice = game.position().hold.is_none() && placement.piece != game.current();
            game.play(&placement).expect("a legal move");
            placements.push(placement);
            begin = self.processor_time();
            self.send(&json!({ "type": "play", "move": move_object(&placement) }).to_string());
            let queue = game.queue().to_vec();
            for piece in &queue[queue.len() - if twice { 2 } else { 1 }..] {
                self.send(&json!({ "type": "new_piece", "piece": piece.to_string() }).to_string());
            }
        }
        self.send(r#"{"type":"stop"}"#);
        placements
    }

    /// Waits for the end of the process, which must come soon and be a good one.
    fn ends(mut self) {
        let begin = Instant::now();
        loop {
            match self.child.try_wait().unwrap() {
                Some(status) => return assert!(status.success(), "{status}"),
                None if begin.elapsed() > Duration::from_secs(20) => panic!("still there"),
                None => thread::sleep(Duration::from_millis(5)),
            }
        }
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // Nothing to kill if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start() -> String {
    let game = Match::new(Rules::BLITZ, 3);
    let queue = game.queue().to_vec();
    start_message(game.position(), &queue, game.bag())
}

/// The same nodes, the same game: over the wire and in the arena, whatever the timing.
#[test]
fn a_number_of_nodes_gives_the_games_of_the_arena() {
    for (goal, rules, pieces) in [("sprint", Rules::SPRINT, 200), ("blitz", Rules::BLITZ, 120)] {
        let nodes = "1500";
        let player = Player::of_guideline("bot", Some(Budget::nodes(1500))).unwrap();
        let mut bot = Bot::new(&["--goal", goal, "--nodes", nodes]);
        for index in 0..2 {
            let theirs = bot.play(rules, 11, index, pieces);
            let ours = Playthrough::guideline(&rules, &player, 11, index).unwrap();
            let ours: Vec<Placement> = ours.take(pieces).map(|turn| turn.unwrap().placement).collect();
            assert!(ours.len() > 99);
            assert_eq!(theirs, ours, "{goal} game {index}");
        }
        bot.send(r#"{"type":"quit"}"#);
        bot.ends();
    }
}

/// The same time for each move, games as good: their intervals overlap.
#[test]
#[ignore = "long: ./test --long"]
fn a_thinking_time_gives_games_as_good_as_the_arena() {
    const GAMES: u64 = 20;
    let rules = Rules::BLITZ;
    let player = Player::of_guideline("bot", Some(Budget::millis(5))).unwrap();
    let mut bot = Bot::new(&["--goal", "blitz", "--think-ms", "5"]);
    let mut scores = [vec![], vec![]];
    for index in 0..GAMES {
        let mut game = Match::from_position(rules, Position::default(), Bag::numbered(5, index));
        for placement in bot.play(rules, 5, index, 360) {
            game.play(&placement).unwrap();
        }
        scores[0].push(game.stats().score as f64);
        let points =
            Playthrough::guideline(&rules, &player, 5, index).unwrap().map(|turn| turn.unwrap().points);
        scores[1].push(points.sum::<f64>());
    }
    let [theirs, ours] = scores.map(|scores| Summary::of(&scores));
    println!("over the protocol {:.0} {:?}", theirs.mean, theirs.ci95);
    println!("in the arena      {:.0} {:?}", ours.mean, ours.ci95);
    assert!(theirs.ci95[0] <= ours.ci95[1] && ours.ci95[0] <= theirs.ci95[1]);
}

/// A front end that lets it think on and then asks gets games as good as with the same time as a budget: within 1 % on the same
/// pieces, and none is lost. `BELLMINO_PACE` is the time in milliseconds, `BELLMINO_GAMES` how many games.
#[test]
#[ignore = "long: ./test --long"]
#[cfg(target_os = "linux")]
fn thinking_between_messages_is_as_good_as_a_budget() {
    let number = |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (millis, games) = (number("BELLMINO_PACE", 10), number("BELLMINO_GAMES", 40));
    let rules = Rules::BLITZ;
    let player = Player::of_guideline("bot", Some(Budget::millis(millis))).unwrap();
    let mut bot = Bot::new(&["--goal", "blitz"]);
    let (mut scores, mut lost) = ([vec![], vec![]], 0);
    for index in 0..games {
        let deal = || Bag::numbered(8, index);
        let mut game = Match::from_position(rules, Position::default(), deal());
        for placement in bot.play_paced(rules, deal(), 360, Some(Duration::from_millis(millis))) {
            game.play(&placement).unwrap();
        }
        lost += u32::from(game.stats().pieces < 360);
        scores[0].push(game.stats().score as f64);
        let points =
            Playthrough::guideline(&rules, &player, 8, index).unwrap().map(|turn| turn.unwrap().points);
        scores[1].push(points.sum::<f64>());
    }
    let [theirs, ours] = scores.map(|scores| Summary::of(&scores));
    println!("{millis} ms between messages {:.0} {:?}, {lost} lost", theirs.mean, theirs.ci95);
    println!("{millis} ms as a budget      {:.0} {:?}", ours.mean, ours.ci95);
    assert_eq!(lost, 0);
    assert!(theirs.mean >= 0.99 * ours.mean, "{} of {}", theirs.mean, ours.mean);
}

#[test]
fn it_thinks_while_it_waits_and_says_what_it_did() {
    let mut bot = Bot::new(&["--goal", "blitz"]);
    bot.send(&start());
    let info = |suggestion: &Value, key: &str| suggestion["move_info"][key].as_f64().unwrap();
    let first = bot.suggest();
    assert!(info(&first, "depth") >= 1.0 && info(&first, "nps") > 0.0, "{first}");
    let begin = Instant::now();
    loop {
        thread::sleep(Duration::from_millis(20));
        let later = bot.suggest();
        assert!(!later["moves"].as_array().unwrap().is_empty());
        if info(&later, "nodes") > 4.0 * info(&first, "nodes") {
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{later}");
    }
    // The end of the input ends it in the middle of a thought.
    bot.send(&start());
    bot.input = None;
    bot.ends();
}

#[test]
fn a_thinking_time_is_kept_even_if_the_question_comes_at_once() {
    let mut bot = Bot::new(&["--goal", "blitz", "--think-ms", "60"]);
    let begin = Instant::now();
    bot.send(&start());
    let suggestion = bot.suggest();
    assert!(begin.elapsed() >= Duration::from_millis(50), "{:?} {suggestion}", begin.elapsed());
    bot.send(r#"{"type":"quit"}"#);
    bot.ends();
}

/// `stop`, `start` and `quit` in the middle of thoughts that would take minutes.
#[test]
fn long_thoughts_are_given_up() {
    let (done, wait) = mpsc::channel();
    thread::spawn(move || {
        let mut bot = Bot::new(&["--goal", "sprint", "--nodes", "1000000000"]);
        for _ in 0..3 {
            bot.send(&start());
            thread::sleep(Duration::from_millis(30));
            bot.send(r#"{"type":"stop"}"#);
        }
        // Without a position there is an answer at once: it says that the stops are over.
        assert!(bot.suggest()["moves"].as_array().unwrap().is_empty());
        bot.send(&start());
        bot.send(&start());
        bot.send(r#"{"type":"quit"}"#);
        bot.ends();
        done.send(()).unwrap();
    });
    wait.recv_timeout(Duration::from_secs(60)).expect("given up within a minute");
}
