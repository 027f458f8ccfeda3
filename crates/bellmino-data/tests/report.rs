//! The report: figures that can be worked out by hand, sections that are left out, and names that mean ill.

use bellmino_data::TableReader;
use bellmino_data::report::Report;

fn page(folders: &[(&str, &str, Option<&str>)]) -> String {
    let mut report = Report::new();
    for (name, games, moves) in folders {
        let table = |text: &'static str| TableReader::csv(text.as_bytes()).unwrap();
        let leak = |text: &str| -> &'static str { String::from(text).leak() };
        report.add(name, table(leak(games)), moves.map(|moves| table(leak(moves)))).unwrap();
    }
    report.page().unwrap()
}

/// The text of a page without its tags, every cell and paragraph in a line of its own.
fn words(page: &str) -> String {
    let body = page.split_once("<main>").unwrap().1;
    let mut text = String::new();
    for part in body.split('<').skip(1) {
        let (tag, words) = part.split_once('>').unwrap();
        let is_end = ["/td", "/th", "/p", "/h2", "/h3", "/tr"].iter().any(|end| tag.starts_with(end));
        text += if is_end { "\n" } else { "" };
        text += words.trim();
    }
    text.replace('\u{a0}', " ")
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect()
}

const GAMES: &str = "game_id,game,player,seed,index,pieces,lines,score,outcome\n";

#[test]
fn results_and_differences_are_right() {
    let games = format!(
        "{GAMES}0,mini,first,7,0,10,4,10,lost\n1,mini,first,7,1,20,8,20,lost\n2,mini,first,7,2,30,12,30,lost\n\
         3,mini,second,7,2,31,12,35,lost\n4,mini,second,7,0,10,4,13,lost\n5,mini,second,7,1,22,8,22,lost\n\
         6,mini,second,8,0,99,40,999,unfinished\n"
    );
    let text = words(&page(&[("results", &games, None)]));
    // The mean of 10, 20, 30; sd 10, t = 4.303, half width 24.84.
    assert!(text.contains("first\n3\n20 [-5, 45]\n"), "{text}");
    // Pairs by seed and index: 3, 2 and 5 more points; 10/3 with sd 1.528, half width 3.79. The game of seed 8 has no partner.
    assert!(text.contains("second minus first\n3\n3.3 [-0.5, 7.1]\n0\n"), "{text}");
    assert!(text.contains("3 / 0 / 0\n"), "{text}");
    // 24 rows in three losses: 8 per loss; the exact interval is 24 / 8.767 to 24 / 0.6187.
    assert!(text.contains("first\n3 of 3\n8 [3, 39]\n20\n"), "{text}");
    assert!(text.contains("Kinds of clears are counted in guideline games only."));
    assert!(text.contains("There is no table of moves.") && text.contains("Key presses were not counted."));
}

#[test]
fn players_of_one_name_are_told_apart() {
    let one = format!("{GAMES}0,mini,random,7,0,10,4,10,lost\n");
    let two = format!("{GAMES}0,mini,random,7,0,12,5,12,lost\n1,baby,random,7,0,9,9,9,lost\n");
    let text = words(&page(&[("first", &one, None), ("other", &two, None)]));
    assert!(text.contains("random in first\n") && text.contains("random in other\n"), "{text}");
    assert!(text.contains("random in other minus random in first\n1\n2\n"), "{text}");
    assert!(text.contains("\nmini\n") && text.contains("\nbaby\n"), "{text}");
}

#[test]
fn a_person_sees_progress_pace_and_mistakes() {
    let mut games =
        "game_id,game,player,seed,index,pieces,lines,score,outcome,keys,extra_keys,milliseconds,started_at\n"
            .to_owned();
    for game in 0..12 {
        let milliseconds = 100_000 - 1000 * game;
        games += &format!(
            "{game},sprint,human,{game},0,100,40,5000,goal,350,20,{milliseconds},2026-01-02T03:04:{game:02}.000Z\n"
        );
    }
    let moves = "game_id,move,piece,max_height,holes,extra_keys,milliseconds\n0,1,T,2,0,2,900\n0,2,S,3,1,0,700\n0,3,T,4,1,0,800\n";
    let page = page(&[("lab", &games, Some(moves))]);
    let text = words(&page);
    assert!(text.contains("human: progress, pace and mistakes\n"), "{text}");
    assert!(text.contains("Best time: 89 seconds, of 12 games that reached the goal."), "{text}");
    assert!(text.contains("T\n2\n50 %\n1\n") && text.contains("all\n3\n33 %\n0.67\n"), "{text}");
    assert!(page.contains("mean of the last 10"));
}

#[test]
fn no_name_breaks_the_page() {
    let name = "\"</style></svg></table><script>alert(1)</script><img src=x onerror=alert(2)>\"\" onload=\"\"x'&\u{202e}\"";
    let games =
        format!("{GAMES}0,{name},{name},{name},0,10,4,10,lost\n1,{name},other,{name},0,11,4,11,goal\n");
    let moves = format!(
        "game_id,move,piece,pattern,t_use,max_height,holes,well_column\n0,1,{name},{name},{name},3,1,2\n"
    );
    let page = page(&[("</title><script>", &games, Some(&moves))]);
    for bad in ["<script", "<img", "</style></svg>", "\u{202e}"] {
        assert!(!page.contains(bad), "{bad}");
    }
    // Only what the page itself is made of.
    let tags = page.split('<').skip(1).map(|part| part.split([' ', '>', '\n', '/']).next().unwrap());
    let allowed = "!doctype html head meta title style body header h1 nav ul li a main p div table caption thead tbody tr th td h2 h3 \
                   figure svg desc rect line text polyline polygon circle footer";
    for tag in tags.filter(|tag| !tag.is_empty()) {
        assert!(allowed.split_whitespace().any(|known| known == tag), "<{tag}>");
    }
}

#[test]
fn tables_that_are_none_are_refused() {
    let mut report = Report::new();
    let table = TableReader::csv(&b"game_id,score\n0,1\n"[..]).unwrap();
    assert!(report.add("x", table, None).unwrap_err().to_string().contains("`game`"));
}
