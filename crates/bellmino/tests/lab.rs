//! The lab's command line: what it prints, whom it lets in, and what it refuses. The page itself is tested in `web/tests`.

#[path = "common/lab.rs"]
mod client;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use bellmino_engine::guideline::{Handling, Key, Match, Record, Rules, Timed};
use client::{Lab, PATIENCE, Page};
use serde_json::json;
use tungstenite::Message;

#[test]
fn the_lab_listens_on_loopback_and_serves_its_page_to_its_own_host_only() {
    let data = tempfile::tempdir().unwrap();
    let lab = Lab::start(data.path());
    assert!(lab.url.starts_with("http://127.0.0.1:"), "{}", lab.url);
    let known = format!("Host: HERE\r\nCookie: {}", lab.cookie());
    let page = get(&lab, "/", &known);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<title>Bellmino</title>"), "{page}");
    let headers = page.to_ascii_lowercase();
    assert!(headers.contains("content-security-policy: default-src 'self'"));
    assert!(headers.contains("x-frame-options: deny"));
    assert!(get(&lab, "/src/app.js", &known).contains("text/javascript"));
    assert!(get(&lab, "/../Cargo.toml", &known).starts_with("HTTP/1.1 404"));
    let foreign = known.replace("HERE", "evil.example");
    assert!(get(&lab, "/", &foreign).starts_with("HTTP/1.1 403"));
    assert!(get(&lab, "/", &format!("{known}\r\nOrigin: http://evil.example")).starts_with("HTTP/1.1 403"));
    assert!(data.path().join("lab.sqlite").is_file());
    // Whatever else names a host names this one.
    let absolute = |host: &str| get(&lab, &format!("http://{host}/"), &known);
    assert!(absolute(lab.address()).starts_with("HTTP/1.1 200"));
    let other = lab.address().replace("127.0.0.1", "localhost");
    for host in ["evil.example", &lab.address().replace("127.0.0.1", "evil.example"), &other] {
        assert!(absolute(host).starts_with("HTTP/1.1 403"), "{host}");
    }
    for second in ["evil.example", "HERE", &other] {
        let twice = format!("{known}\r\nHost: {second}");
        assert!(get(&lab, "/", &twice).starts_with("HTTP/1.1 403"), "{second}");
    }
}

/// What a person did with the keys is in the tables: time, presses, and those beyond the fewest.
#[test]
fn games_of_the_lab_become_tables() {
    let mut timed = Timed::new(Match::new(Rules::SPRINT, 5), Handling::default());
    let mut tap = |key, at| {
        timed.press(key, at);
        timed.release(key, at + 5);
    };
    for piece in 0..6 {
        let at = 100 + piece * 100;
        if piece % 2 == 1 {
            tap(Key::Left, at - 20);
            tap(Key::Right, at - 10);
        }
        tap(Key::HardDrop, at);
    }
    timed.advance_to(700);
    let record = Record::of_timed("sprint", Rules::SPRINT, 5, 0, &timed).unwrap();
    let data = tempfile::tempdir().unwrap();
    let tables = tempfile::tempdir().unwrap();
    let lab = Lab::start(data.path());
    let mut page = Page::open(&lab);
    page.request("game-import", json!({ "text": record.to_text() })).unwrap();
    // While the lab is running.
    let made = Command::new(cargo_bin("bellmino"))
        .args(["tables", "--lab", "--quiet", "--data"])
        .arg(data.path())
        .arg("-o")
        .arg(tables.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let (games, moves) = bellmino_host::open_tables(tables.path()).unwrap();
    let mut rows = vec![];
    let columns = ["keys", "fewest_keys", "extra_keys", "milliseconds"];
    moves
        .unwrap()
        .read(&columns, |batch| {
            let row = |row| (0..4).map(|column| batch.number(column, row).unwrap()).collect::<Vec<_>>();
            rows.extend((0..batch.rows()).map(row));
        })
        .unwrap();
    let (plain, faulty) = (vec![1.0, 1.0, 0.0, 100.0], vec![3.0, 1.0, 2.0, 100.0]);
    assert_eq!(rows, [&plain, &faulty, &plain, &faulty, &plain, &faulty].map(Clone::clone));
    let mut game = vec![];
    let columns = ["milliseconds", "keys", "extra_keys", "pieces", "started_at"];
    games.read(&columns, |batch| game.extend((0..5).map(|column| batch.number(column, 0).unwrap()))).unwrap();
    assert_eq!(game[..4], [700.0, 12.0, 6.0, 6.0]);
    assert!(game[4] > 1.6e12, "{}", game[4]);
}

/// Duels in the lab become contests: the person's games beside the machine's on the same pieces.
#[test]
fn duels_of_the_lab_become_contests() {
    let data = tempfile::tempdir().unwrap();
    let contests = |more: &[&str]| {
        let words = ["contests", "--data", data.path().to_str().unwrap()];
        let made = Command::new(cargo_bin("bellmino")).args(words).args(more).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        (String::from_utf8(made.stdout).unwrap(), String::from_utf8(made.stderr).unwrap())
    };
    let lab = Lab::start(data.path());
    assert!(contests(&[]).1.contains("no contest yet"));
    let mut page = Page::open(&lab);
    let mut scores = vec![];
    for seed in 1..=12 {
        let duel = json!({ "game": "mini", "players": ["human", "lowest"], "seed": seed });
        let session = page.request("watch-open", duel).unwrap()["session"].clone();
        let mut score = [0.0; 2];
        loop {
            let place = json!({ "session": session, "side": 0, "option": 0 });
            let step = page.request("watch-place", place).unwrap();
            if step["end"].is_string() {
                score[0] = step["score"].as_f64().unwrap();
                break;
            }
        }
        loop {
            let moves = json!({ "session": session, "side": 1, "count": 50 });
            let moves = page.request("watch-moves", moves).unwrap();
            let Some(last) = moves.as_array().unwrap().last() else { break };
            score[1] = last["score"].as_f64().unwrap();
        }
        page.request("watch-close", json!({ "session": session })).unwrap();
        scores.push(score);
    }
    let told = page.request("contests", json!({})).unwrap();
    let printed: serde_json::Value = serde_json::from_str(&contests(&["--json"]).0).unwrap();
    assert_eq!(printed["series"], told);
    let series = &told[0];
    assert_eq!((&series["game"], &series["machine"]), (&json!("mini"), &json!("lowest")));
    let games =
        series["contests"].as_array().unwrap().iter().flat_map(|one| one["games"].as_array().unwrap());
    let found: Vec<[f64; 2]> =
        games.map(|pair| ["person", "machine"].map(|who| pair[who].as_f64().unwrap())).collect();
    assert_eq!(found, scores);
    let mean = |side: usize| scores.iter().map(|score| score[side]).sum::<f64>() / 12.0;
    assert!((series["all"]["difference"]["mean"].as_f64().unwrap() - (mean(0) - mean(1))).abs() < 1e-9);
    assert_eq!(series["all"]["difference"]["method"], "paired-swaps");
    let (text, _) = contests(&[]);
    for part in
        ["mini: you against lowest, on the same pieces", "contest 2", "average", "all 12 games: won", "p = "]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// Other users of this machine reach the address, but do not know the token.
#[test]
fn nobody_comes_in_without_the_token() {
    let data = tempfile::tempdir().unwrap();
    let lab = Lab::start(data.path());
    assert_eq!(lab.token().len(), 48, "{}", lab.url);
    for path in ["/", "/src/app.js", "/socket", "/?token=", "/?token=0123", "/socket?token=TOKEN"] {
        let path = path.replace("TOKEN", lab.token());
        let answer = get(&lab, &path, "Host: HERE");
        assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("bellmino lab"), "{path}: {answer}");
    }
    let port = lab.address().rsplit(':').next().unwrap();
    for cookie in [format!("bellmino-{port}={}", "0".repeat(48)), format!("bellmino-1={}", lab.token())] {
        assert!(get(&lab, "/", &format!("Host: HERE\r\nCookie: {cookie}")).starts_with("HTTP/1.1 403"));
    }
    let entered = get(&lab, &format!("/?token={}", lab.token()), "Host: HERE").to_ascii_lowercase();
    assert!(entered.starts_with("http/1.1 303") && entered.contains("location: /\r\n"), "{entered}");
    assert!(entered.contains("httponly; samesite=strict"), "{entered}");
    assert!(Page::open(&lab).request("hello", json!({})).unwrap()["version"].is_string());
    drop(lab);
    let open = Lab::start_with(data.path(), &["--no-token"]);
    assert!(!open.url.contains("token"), "{}", open.url);
    assert!(get(&open, "/", "Host: HERE").starts_with("HTTP/1.1 200"));
}

#[test]
#[cfg(unix)]
fn the_data_folder_is_this_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let data = parent.path().join("data");
    let lab = Lab::start(&data);
    Page::open(&lab).request("set", json!({ "key": "look", "value": {} })).unwrap();
    let mode = |name: &str| fs::metadata(data.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(""), 0o700);
    for name in ["lab.sqlite", "lab.sqlite-wal", "lab.sqlite-shm", "lab.owner"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
}

/// The second lab on a folder says where the first one is, and takes nothing from it: a game in play is kept at its end.
#[test]
fn a_second_lab_leads_to_the_first_and_does_no_harm() {
    let data = tempfile::tempdir().unwrap();
    let lab = Lab::start(data.path());
    let mut page = Page::open(&lab);
    page.play("sprint", 1);
    // Its row is there, without a piece.
    page.tap("left", 1);
    thread::sleep(Duration::from_millis(1500));
    let second = Command::new(cargo_bin("bellmino"))
        .args(["lab", "--no-open", "--data"])
        .arg(data.path())
        .output()
        .unwrap();
    assert!(second.status.success());
    assert_eq!(String::from_utf8_lossy(&second.stdout).trim(), lab.url);
    assert!(String::from_utf8_lossy(&second.stderr).contains("was running already"));
    page.top_out();
    let over = page.until(|message| message["end"]["saved"] == true);
    let games = page.request("games", json!({})).unwrap();
    assert_eq!((&games[0]["id"], &games[0]["state"]), (&over["end"]["game"], &json!("topped-out")));
}

/// A game waits for its page, and for the lab itself; it is kept once.
#[test]
fn a_game_waits_at_its_seat_and_outlives_the_lab() {
    let data = tempfile::tempdir().unwrap();
    let lab = Lab::start(data.path());
    let sit_down = |page: &mut Page, seed: u64| {
        let hands = json!({ "das": 150, "arr": 75, "soft": 35, "cut": 100 });
        let order = json!({ "mode": "sprint", "seed": seed, "hands": hands, "seat": "here" });
        page.request("play-open", order).unwrap()["resumed"].clone()
    };
    let mut page = Page::open(&lab);
    assert_eq!(sit_down(&mut page, 1), false);
    for (pieces, number) in (1..=3).zip([1, 3, 5]) {
        page.tap("hard-drop", number);
        page.until(|message| message["view"]["stats"]["pieces"] == pieces);
    }
    // Another tab takes the game over.
    let mut other = Page::open(&lab);
    assert_eq!(sit_down(&mut other, 2), true);
    page.until(|message| message["on"] == "play-taken");
    other.until(|message| message["phase"] == "paused" && message["view"]["stats"]["pieces"] == 3);
    drop((page, other));
    let mut page = Page::open(&lab);
    assert_eq!(sit_down(&mut page, 3), true);
    thread::sleep(Duration::from_millis(500));
    lab.kill();

    let lab = Lab::start(data.path());
    let mut page = Page::open(&lab);
    assert_eq!(sit_down(&mut page, 4), true);
    let back = page.until(|message| message["phase"] == "paused");
    assert_eq!((&back["view"]["stats"]["pieces"], &back["seed"]), (&json!(3), &json!("1")));
    assert!(back["notice"].as_str().unwrap().contains("goes on from its last saved moment"), "{back}");
    page.tell(&json!({ "do": "pause", "paused": false }));
    page.until(|message| message["phase"] == "playing");
    page.top_out();
    page.until(|message| message["end"]["saved"] == true);
    let games = page.request("games", json!({})).unwrap();
    assert_eq!((games.as_array().unwrap().len(), &games[0]["state"]), (1, &json!("topped-out")));
}

/// A game is written down when it begins: killed within a tenth of a second it is in the list, and goes on at its seat.
#[test]
fn a_game_killed_at_its_start_is_there() {
    let data = tempfile::tempdir().unwrap();
    let hands = json!({ "das": 150, "arr": 75, "soft": 35, "cut": 100 });
    for (kills, (key, pause)) in (1..).zip([("left", 40), ("hard-drop", 60), ("hard-drop", 90)]) {
        let order =
            json!({ "mode": "sprint", "seed": kills, "hands": hands, "seat": format!("seat {kills}") });
        let lab = Lab::start(data.path());
        let mut page = Page::open(&lab);
        page.request("play-open", order.clone()).unwrap();
        page.tap(key, 1);
        page.until(|message| message["phase"] == "playing");
        thread::sleep(Duration::from_millis(pause));
        lab.kill();
        let lab = Lab::start(data.path());
        let mut page = Page::open(&lab);
        let games = page.request("games", json!({})).unwrap();
        assert_eq!(games.as_array().unwrap().len(), kills, "{games}");
        let pieces = i64::from(key == "hard-drop");
        assert_eq!((&games[0]["state"], &games[0]["pieces"]), (&json!("stopped"), &json!(pieces)), "{games}");
        assert_eq!(page.request("play-open", order).unwrap()["resumed"], true);
        let back = page.until(|message| message["phase"] == "paused");
        assert_eq!(back["view"]["stats"]["pieces"], pieces);
        lab.kill();
    }
}

#[test]
fn a_damaged_store_is_refused_and_left_alone() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("lab.sqlite");
    fs::write(&file, "this is not a database at all").unwrap();
    let output = Command::new(cargo_bin("bellmino"))
        .args(["lab", "--no-open", "--port", "0", "--data"])
        .arg(data.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("lab.sqlite is damaged") && message.contains("--data DIR"), "{message}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "this is not a database at all");
}

/// Four starts at once make one run. It outlives a lab that is killed; the next one finds, shows and stops it.
#[test]
fn training_is_started_once_and_found_again() {
    let data = tempfile::tempdir().unwrap();
    let lab = Lab::start(data.path());
    let mut pages: Vec<Page> = (0..4).map(|_| Page::open(&lab)).collect();
    let order = |name: String| {
        json!({ "order": { "name": name, "method": "snes", "game": "small", "features": "lee", "generations": 1_000_000,
            "games": 1, "seed": 1 } })
    };
    let asked: Vec<u32> = pages
        .iter_mut()
        .enumerate()
        .map(|(number, page)| page.ask("train-start", order(format!("run{number}"))))
        .collect();
    let answers: Vec<_> =
        pages.iter_mut().zip(asked).map(|(page, id)| page.until(|message| message["re"] == id)).collect();
    let started: Vec<_> = answers.iter().filter_map(|answer| answer["ok"]["name"].as_str()).collect();
    assert_eq!(started.len(), 1, "{answers:?}");
    for method in ["--help", "-V"] {
        let mut bad = order("bad".to_owned());
        bad["order"]["method"] = json!(method);
        let id = pages[0].ask("train-start", bad);
        let answer = pages[0].until(|message| message["re"] == id);
        assert!(
            answer["error"].as_str().unwrap().contains(&format!(
                "give `cem`, `cma-es`, `snes`, `td`, `cbmpi` or `tuples`, not \"{method}\""
            )),
            "{answer}"
        );
    }
    let name = started[0];
    lab.kill();

    let lab = Lab::start(data.path());
    let mut page = Page::open(&lab);
    let state = |page: &mut Page| {
        let runs = page.request("runs", json!({})).unwrap();
        assert_eq!(runs.as_array().unwrap().len(), 1, "{runs}");
        runs[0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(&mut page), "running");
    assert!(page.request("train-start", order("more".to_owned())).unwrap_err().contains("is being trained"));
    let run = data.path().join("runs").join(name);
    // Training gives way to everything else, so that its first step may take a while.
    let end = Instant::now() + Duration::from_secs(60);
    while !run.join("checkpoint.json").exists() && Instant::now() < end {
        thread::sleep(Duration::from_millis(20));
    }
    let twice = Command::new(cargo_bin("bellmino"))
        .args([
            "train",
            "snes",
            "small",
            "--features",
            "lee",
            "--generations",
            "1000000",
            "--games",
            "1",
            "--seed",
            "1",
        ])
        .args(["--resume", "--run"])
        .arg(&run)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&twice.stderr).into_owned();
    assert!(twice.status.code() == Some(2) && said.contains("is in use by process"), "{said}");
    page.request("train-stop", json!({ "name": name })).unwrap();
    assert_eq!(state(&mut page), "stopped");
}

/// A connection that says nothing is closed, and keeps nobody out meanwhile.
#[test]
fn silence_is_not_waited_for() {
    let data = tempfile::tempdir().unwrap();
    let lab = Lab::start(data.path());
    let mut silent: Vec<TcpStream> = (0..600).map(|_| TcpStream::connect(lab.address()).unwrap()).collect();
    let begin = Instant::now();
    assert!(Page::open(&lab).request("hello", json!({})).is_ok());
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
    let last = silent.last_mut().unwrap();
    // Half a request is no better than none.
    last.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    last.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
    let ended = last.read(&mut [0; 9]);
    assert!(matches!(ended, Ok(0)) || begin.elapsed() < Duration::from_secs(12), "{ended:?}");
    assert!(begin.elapsed() < Duration::from_secs(12), "{:?}", begin.elapsed());
}

/// A page that does not take what it is sent is closed after ten seconds, not left dumb; pings count as messages.
#[test]
fn pages_that_stall_or_flood_are_closed() {
    let data = tempfile::tempdir().unwrap();
    let lab = Lab::start(data.path());
    let mut flood = Page::open(&lab);
    let closed = (0..3000).any(|_| flood.socket.send(Message::Ping(vec![1].into())).is_err());
    assert!(closed || (0..3000).any(|_| flood.hear().is_err()), "pings count against the rate");

    // It asks for long games and reads nothing.
    let file = data.path().join("long.toml");
    let mut play = Command::new(cargo_bin("bellmino"));
    play.args([
        "play",
        "classic",
        "--player",
        "weights:dellacherie",
        "--pieces",
        "1000",
        "--json",
        "--record",
    ])
    .arg(&file);
    assert!(play.output().unwrap().status.success());
    let mut stalled = Page::open(&lab);
    let text = fs::read_to_string(&file).unwrap();
    let game = stalled.request("game-import", json!({ "text": text })).unwrap()["game"].clone();
    for _ in 0..25 {
        stalled.ask("game-open", json!({ "game": game }));
    }
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(30)
        && stalled.socket.send(Message::Ping(vec![1].into())).is_ok()
    {
        thread::sleep(Duration::from_millis(100));
    }
    let closed = begin.elapsed();
    assert!(closed > Duration::from_secs(8) && closed < Duration::from_secs(25), "{closed:?}");
    assert!(Page::open(&lab).request("hello", json!({})).is_ok());
}

/// The answer to a request with these headers, of which `HERE` is the address.
fn get(lab: &Lab, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(lab.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let headers = headers.replace("HERE", lab.address());
    write!(stream, "GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}
