//! The explorer with tables and players of the lab's own folders.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bellmino_page::{
    ExploreError, ExplorePosition, FrontierFamily, GameOrder, MAX_TIME, MapOrder, Patience, QuietDesk,
    SolveOrder, SolvedGame, frontier,
};
use serde_json::{Value, json};

use super::Library;

fn question(game: &str, objective: &str, dealer: &str) -> SolveOrder {
    let game = GameOrder { name: game.to_owned(), ..GameOrder::default() };
    let dealer = Some(dealer.to_owned());
    SolveOrder { game, objective: objective.to_owned(), dealer, ..SolveOrder::default() }
}

fn library() -> Library {
    Library::new(std::path::Path::new("none"))
}

fn solve_now(question: &SolveOrder) -> Result<(SolvedGame, Value), ExploreError> {
    SolvedGame::solve(question, &library(), &QuietDesk)
}

/// Why a question is refused.
fn refused(question: &SolveOrder) -> String {
    solve_now(question).map(|_| ()).unwrap_err().to_string()
}

fn at(rows: &[&str], queue: &[u8]) -> ExplorePosition {
    let board = rows.iter().map(|&row| row.to_owned()).collect();
    ExplorePosition { board, queue: queue.to_vec(), ..ExplorePosition::default() }
}

#[test]
fn a_table_file_is_opened_looked_at_and_deals() {
    let (solved, figures) = solve_now(&question("baby", "discounted:0.9", "worst")).unwrap();
    let data = tempfile::tempdir().unwrap();
    let (library, path) = (Library::new(data.path()), data.path().join("tables/baby.table"));
    std::fs::create_dir(data.path().join("tables")).unwrap();
    solved.table().write(&mut std::fs::File::create(&path).unwrap()).unwrap();
    let (opened, told) = SolvedGame::open("baby.table", &library).unwrap();
    assert_eq!((&told["game"]["name"], &told["value"]), (&json!("baby"), &figures["value"]));
    assert_eq!((&told["dealer"], &told["known"]), (&json!("worst"), &json!(1)));
    assert_eq!(opened.look(&at(&[], &[0])).unwrap(), solved.look(&at(&[], &[0])).unwrap());
    assert_eq!(opened.map(&MapOrder::default())["boards"], 12978);
    let sent = |bytes: &[u8]| {
        SolvedGame::read("mine", &STANDARD.encode(bytes))
            .map(|(_, told)| told)
            .map_err(|error| error.to_string())
    };
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() < 180 << 10, "as large as a page may send: {}", bytes.len());
    assert_eq!(sent(&bytes).unwrap(), told);
    assert!(sent(&bytes[..1000]).unwrap_err().starts_with("mine "));
    assert!(SolvedGame::read("mine", "no bytes").map(|_| ()).unwrap_err().to_string().contains("whole"));
    // As a dealer it deals as the worst one does.
    let by_table =
        SolvedGame::solve(&question("baby", "discounted:0.9", "table:baby.table"), &library, &QuietDesk);
    let (by_table, against) = by_table.unwrap();
    assert!(against["value"].as_f64() >= figures["value"].as_f64());
    let position = ExplorePosition { dealt: Some(vec![1]), ..at(&["GG..", "G..."], &[]) };
    let piece = |solved: &SolvedGame| solved.deals(&position, 5).unwrap()["piece"].clone();
    assert_eq!(piece(&by_table), piece(&solved));
    drop(opened);
    std::fs::write(&path, "no table").unwrap();
    let error = |name: &str| SolvedGame::open(name, &library).map(|_| ()).unwrap_err().to_string();
    assert!(error("baby.table").contains("no table of Bellmino"));
    assert!(error(path.to_str().unwrap()).contains("there is no table"));
}

/// Whoever asks names what the lab has. A path opens no file, and does not even tell whether there is one.
#[test]
fn a_question_names_players_and_never_paths() {
    let elsewhere = tempfile::tempdir().unwrap();
    let (there, gone) = (elsewhere.path().join("there.json"), elsewhere.path().join("gone.json"));
    std::fs::write(&there, "not to be read").unwrap();
    let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let told = |player: String| {
        let order = SolveOrder { player: Some(player), ..question("mini", "total", "random") };
        let patience = Patience::new(&QuietDesk, MAX_TIME);
        let asked = SolveOrder { objective: "discounted:0.5".to_owned(), ..order.clone() };
        let frontier = frontier(&asked, FrontierFamily::Mixed, &library(), &patience, |_| {});
        assert_eq!(frontier.unwrap_err().to_string(), refused(&order));
        refused(&order)
    };
    for kind in ["tuples:", "table:", "weights:", "bot:", "run:", "human:", ""] {
        let why = told(format!("{kind}{}", text(&there)));
        assert!(why.contains("there is no") || why.contains("there are no"), "{why}");
        assert_eq!(why.replace("there.json", "gone.json"), told(format!("{kind}{}", text(&gone))));
    }
    let dealer = refused(&question("mini", "total", &format!("table:{}", text(&there))));
    assert!(dealer.contains("there is no table"), "{dealer}");
}
