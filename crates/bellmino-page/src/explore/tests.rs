use super::*;
use crate::built_in::BuiltInCollection;
use crate::desk::QuietDesk;
use bellmino_engine::placement::Grid;

fn question(game: &str, objective: &str, dealer: &str) -> SolveOrder {
    let game = GameOrder { name: game.to_owned(), ..GameOrder::default() };
    let dealer = Some(dealer.to_owned());
    SolveOrder { game, objective: objective.to_owned(), dealer, ..SolveOrder::default() }
}

fn set(mut question: SolveOrder, changes: &[&str]) -> SolveOrder {
    question.game.set = changes.iter().map(|&change| change.to_owned()).collect();
    question
}

fn solve_now(question: &SolveOrder) -> Result<(SolvedGame, Value), ExploreError> {
    SolvedGame::solve(question, &BuiltInCollection, &QuietDesk)
}

/// Why a question is refused.
fn refused(question: &SolveOrder) -> String {
    solve_now(question).map(|_| ()).unwrap_err().to_string()
}

fn at(rows: &[&str], queue: &[u8]) -> ExplorePosition {
    let board = rows.iter().map(|&row| row.to_owned()).collect();
    ExplorePosition { board, queue: queue.to_vec(), ..ExplorePosition::default() }
}

#[track_caller]
fn close(found: &Value, expected: f64) {
    let number = found.as_f64().unwrap_or(f64::NAN);
    assert!((number - expected).abs() < 1e-8, "{found} is not {expected}");
}

#[test]
fn the_empty_board_with_the_long_tromino() {
    let (solved, figures) = solve_now(&question("baby", "discounted:0.9", "random")).unwrap();
    assert_eq!((&figures["boards"], &figures["known"]), (&json!(12978), &json!(1)));
    let look = solved.look(&at(&[], &[0])).unwrap();
    close(&look["value"], 9.0889857829);
    assert_eq!(look["placements"].as_array().unwrap().len(), 6);
    let best = &look["placements"][look["best"].as_u64().unwrap() as usize];
    close(&best["value"], 9.0889857829);
    // The last improving sweep is the last of all, so that plot and number agree.
    let last = figures["changes"].as_array().unwrap().last().unwrap();
    assert_eq!(last[0], figures["sweeps"]);
    let worst = solve_now(&question("baby", "discounted:0.9", "worst")).unwrap();
    close(&worst.1["value"], 7.9704266413);
}

/// Every objective and every dealer of `bellmino solve`, with the values that the tutorial has.
#[test]
fn what_the_command_can_be_asked_the_page_can_be_asked() {
    for (game, objective, dealer, value) in [
        ("mini", "total", "random", 13.1574182469),
        ("mini", "horizon:99", "random", 13.145673313),
        ("baby", "average", "random", 1.1303084918),
        ("baby", "survive", "worst", 1.0),
    ] {
        let (_, figures) = solve_now(&question(game, objective, dealer)).unwrap();
        close(&figures["value"], value);
    }
    let total = question("mini", "total", "random");
    close(
        &solve_now(&SolveOrder { preview: Some(1.into()), ..total.clone() }).unwrap().1["value"],
        17.5734698188,
    );
    close(&solve_now(&SolveOrder { hold: true, ..total.clone() }).unwrap().1["value"], 46.0758171580);
    let lowest = SolveOrder { player: Some("lowest".to_owned()), ..total.clone() };
    close(&solve_now(&lowest).unwrap().1["value"], 4.5671792879);
    let average = SolveOrder { placer: Some("average".to_owned()), ..total };
    assert!(solve_now(&average).unwrap().1["value"].as_f64().unwrap() < 4.6);
    let mut careful = question("baby", "discounted:0.9", "random");
    careful.reward = Some("score=1,gaps=0.5".to_owned());
    let (_, figures) = solve_now(&careful).unwrap();
    close(&figures["true_value"], 9.0682485254);
    close(&figures["true_worst_value"], 7.8804266402);
    let mut short = question("baby", "discounted:0.9", "worst-before");
    short.view = Some("heights".to_owned());
    assert!(refused(&short).contains("a view needs the random dealer"));
}

/// A player who is evaluated makes its own placement, and its value is the headline, on every road to it.
#[test]
fn a_player_who_is_evaluated_is_worth_what_it_does() {
    let lowest =
        SolveOrder { player: Some("lowest".to_owned()), ..question("baby", "discounted:0.9", "random") };
    let (solved, figures) = solve_now(&lowest).unwrap();
    let mut mean = 0.0;
    for piece in [0, 1] {
        let look = solved.look(&at(&[], &[piece])).unwrap();
        let chosen = &look["placements"][look["chosen"].as_u64().unwrap() as usize];
        assert_eq!((&look["who"], &chosen["value"]), (&json!("player"), &look["value"]));
        // The pieces after it are worth what the player makes of them: their mean is what follows the placement.
        let deals = chosen["deals"].as_array().unwrap().iter();
        let then: f64 = deals.map(|deal| deal["value"].as_f64().unwrap() / 2.0).sum();
        close(&chosen["value"], chosen["points"].as_f64().unwrap() + 0.9 * then);
        mean += look["value"].as_f64().unwrap() / 2.0;
    }
    close(&figures["value"], mean);
    let best = solved.look(&at(&[], &[0])).unwrap();
    let most = &best["placements"][best["best"].as_u64().unwrap() as usize]["value"];
    assert!(most.as_f64().unwrap() > best["value"].as_f64().unwrap() + 0.01, "the best placement is another");

    let every =
        SolveOrder { placer: Some("average".to_owned()), ..question("baby", "discounted:0.9", "random") };
    let (solved, figures) = solve_now(&every).unwrap();
    let look = |piece| solved.look(&at(&[], &[piece])).unwrap();
    assert_eq!((&look(0)["who"], &look(0)["chosen"]), (&json!("average"), &Value::Null));
    let mean = [0, 1].map(|piece| look(piece)["value"].as_f64().unwrap() / 2.0).iter().sum();
    close(&figures["value"], mean);

    let timed = SolveOrder { player: Some("lowest".to_owned()), ..question("mini", "horizon:9", "worst") };
    let (solved, figures) = solve_now(&timed).unwrap();
    let looks = [0, 1, 2].map(|piece| solved.look(&at(&[], &[piece])).unwrap());
    let least = looks.iter().map(|look| look["value"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    close(&figures["value"], least);
    assert_eq!(looks[0]["over_time"].as_array().unwrap().last().unwrap()[1], looks[0]["value"]);
}

#[test]
fn an_adversary_leaves_less_than_chance() {
    let (solved, _) = solve_now(&question("mini", "discounted:0.9", "worst")).unwrap();
    let look = solved.look(&at(&[], &[0])).unwrap();
    for placement in look["placements"].as_array().unwrap() {
        let Some(deals) = placement["deals"].as_array() else { continue };
        assert_eq!(deals.len(), 3);
        let least = deals.iter().map(|deal| deal["value"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
        close(&placement["value"], placement["points"].as_f64().unwrap() + 0.9 * least);
    }
    // It deals one piece for certain, whatever chance would do; a mixed dealer shares.
    let chances = |solved: &SolvedGame| -> Vec<f64> {
        let look = solved.look(&at(&[], &[0])).unwrap();
        let deals = look["placements"][0]["deals"].as_array().unwrap();
        deals.iter().map(|deal| deal["probability"].as_f64().unwrap()).collect()
    };
    let mut worst = chances(&solved);
    worst.sort_by(f64::total_cmp);
    assert_eq!(worst, [0.0, 0.0, 1.0]);
    let (mixed, _) = solve_now(&question("mini", "discounted:0.9", "mixed:0.5")).unwrap();
    let mut mixed = chances(&mixed);
    mixed.sort_by(f64::total_cmp);
    assert!(
        mixed
            .iter()
            .zip([1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0])
            .all(|(found, wanted)| (found - wanted).abs() < 1e-12)
    );
    // The dealer deals just that.
    let first = &look["placements"][0];
    let after: Vec<String> = serde_json::from_value(first["after"].clone()).unwrap();
    let position = ExplorePosition { board: after, dealt: Some(vec![0]), ..ExplorePosition::default() };
    let dealt = solved.deals(&position, 1).unwrap();
    assert_eq!(dealt["deals"], first["deals"]);
    let worth = |piece: u64| {
        let deals = dealt["deals"].as_array().unwrap();
        deals.iter().find(|deal| deal["piece"] == piece).unwrap()["value"].as_f64().unwrap()
    };
    let piece = dealt["piece"].as_u64().unwrap();
    assert!((0..3).all(|other| worth(piece) <= worth(other) + 1e-9));
}

/// Dealt by chance, each piece comes as often as the matrix says: 300 deals of probability 0.8 lie between 214 and 263
/// but for three chances in ten thousand.
#[test]
fn chance_deals_by_the_matrix_and_a_mixed_dealer_by_both() {
    let changes = ["dealer.matrix=[[0.8,0.1,0.1],[0,1,0],[0,0,1]]", "dealer.kind=markov"];
    let (solved, _) = solve_now(&set(question("mini", "discounted:0.5", "random"), &changes)).unwrap();
    let position = ExplorePosition { dealt: Some(vec![0]), ..at(&["##.", "#.."], &[]) };
    let count = |solved: &SolvedGame| {
        (0..300).filter(|seed| solved.deals(&position, *seed).unwrap()["piece"] == 0).count()
    };
    let often = count(&solved);
    assert!((214..=263).contains(&often), "{often}");
    let deals = solved.deals(&position, 0).unwrap();
    assert_eq!(deals["deals"][0]["probability"], 0.8);
    let (mixed, _) = solve_now(&set(question("mini", "discounted:0.5", "mixed:0.5"), &changes)).unwrap();
    let deals = mixed.deals(&position, 0).unwrap()["deals"].clone();
    let worth = |piece: usize| deals[piece]["value"].as_f64().unwrap();
    if worth(0) > worth(1).min(worth(2)) {
        assert!(count(&mixed) < often);
    } else {
        assert!(count(&mixed) > often);
    }
}

/// A bag of two: after its first piece the other one is dealt for certain, after its second either.
#[test]
fn a_bag_deals_what_is_left_in_it() {
    let bag = set(question("baby", "discounted:0.9", "random"), &["dealer.kind=bag"]);
    let (solved, _) = solve_now(&bag).unwrap();
    let dealt_after = |rows: &[&str], piece: u8, dealt: &[u8]| -> Vec<u64> {
        let position = ExplorePosition { dealt: Some(dealt.to_vec()), ..at(rows, &[piece]) };
        let look = solved.look(&position).unwrap();
        let deals = look["placements"][0]["deals"].as_array().unwrap();
        deals.iter().map(|deal| deal["piece"].as_u64().unwrap()).collect()
    };
    assert_eq!(dealt_after(&[], 0, &[]), [1]);
    assert_eq!(dealt_after(&[], 1, &[]), [0]);
    assert_eq!(dealt_after(&["GGG."], 1, &[0]), [0, 1]);
    assert!(solved.look(&at(&[], &[1])).unwrap_err().to_string().contains("what was dealt before"));
    let wrong = ExplorePosition { dealt: Some(vec![1]), ..at(&[], &[1]) };
    assert!(solved.look(&wrong).unwrap_err().to_string().contains("this order"));
}

#[test]
fn with_hold_and_preview_the_whole_hand_is_looked_at() {
    let order = SolveOrder { hold: true, ..question("mini", "total", "random") };
    let (solved, _) = solve_now(&order).unwrap();
    let look = solved.look(&at(&[], &[1])).unwrap();
    close(&look["put_aside"], 37.4105395815);
    assert_eq!(look["placements"].as_array().unwrap().iter().filter(|one| one["held"] == true).count(), 0);
    let held = solved.look(&ExplorePosition { held: Some(0), ..at(&["#.."], &[1]) }).unwrap();
    assert!(
        held["placements"].as_array().unwrap().iter().any(|one| one["held"] == true && one["piece"] == 0)
    );
    assert_eq!(held["put_aside"], Value::Null);
    let order = SolveOrder { preview: Some(1.into()), ..question("mini", "total", "random") };
    let (solved, figures) = solve_now(&order).unwrap();
    assert_eq!(figures["known"], 2);
    assert!(solved.look(&at(&[], &[1])).unwrap_err().to_string().contains("2 on the table"));
    let look = solved.look(&at(&[], &[1, 2])).unwrap();
    assert!(look["value"].as_f64().unwrap() > 10.0);
    // While the first pieces are dealt, too.
    let deals = solved.deals(&at(&[], &[1]), 3).unwrap();
    assert_eq!(deals["deals"].as_array().unwrap().len(), 3);
    let mean: f64 =
        deals["deals"].as_array().unwrap().iter().map(|one| one["value"].as_f64().unwrap() / 3.0).sum();
    close(&figures["by_first_piece"][1][1], mean);
}

#[test]
fn a_horizon_is_told_over_the_pieces_left() {
    let (solved, figures) = solve_now(&question("mini", "horizon:99", "random")).unwrap();
    assert_eq!(figures["pieces"], 99);
    let look = solved.look(&at(&[], &[0])).unwrap();
    close(&look["value"], 14.909518891);
    let over_time = look["over_time"].as_array().unwrap();
    assert_eq!((over_time.len(), &over_time[98][0]), (99, &json!(99)));
    close(&over_time[98][1], 14.909518891);
    let values: Vec<f64> = over_time.iter().map(|point| point[1].as_f64().unwrap()).collect();
    assert!(values.is_sorted(), "more pieces are never worth less");
    let last = solved.look(&ExplorePosition { left: Some(1), ..at(&["GG."], &[2]) }).unwrap();
    assert_eq!((&last["value"], &last["placements"][0]["deals"]), (&json!(1.0), &Value::Null));
    let long = solve_now(&question("mini", "horizon:1000", "random")).unwrap().0;
    let points = long.look(&at(&[], &[0])).unwrap()["over_time"].as_array().unwrap().len();
    assert!((50..=102).contains(&points), "{points}");
}

/// Where values are no numbers, words stand in their place.
#[test]
fn endless_and_lost_games_are_told_in_words() {
    let (solved, figures) = solve_now(&question("baby", "total", "random")).unwrap();
    assert_eq!(figures["value"], "infinite");
    assert!(solved.look(&at(&[], &[0])).unwrap_err().to_string().contains("the total is infinite"));
    let (solved, figures) = solve_now(&question("baby", "average", "random")).unwrap();
    assert_eq!(figures["relative"], true);
    let look = solved.look(&at(&["G.G.", "G.G.", "G.G."], &[0])).unwrap();
    let placements = look["placements"].as_array().unwrap();
    assert!(placements.iter().any(|one| one["value"] == "ends"), "{placements:?}");
    let look = solved.look(&at(&[], &[0])).unwrap();
    let deals = look["placements"][0]["deals"].as_array().unwrap();
    assert!(deals.iter().any(|deal| deal["value"] == 0.0), "relative to the best piece: {deals:?}");
}

#[test]
fn the_region_of_survival_is_a_map() {
    let (solved, figures) = solve_now(&question("baby", "survive", "worst")).unwrap();
    assert_eq!(figures["safe_boards"], 1143);
    let order = |text: &str| -> MapOrder { serde_json::from_str(text).unwrap() };
    let map = solved.map(&order("{}"));
    let count = |band: usize| -> u64 {
        map["counts"].as_array().unwrap().iter().map(|row| row[band].as_u64().unwrap()).sum()
    };
    assert_eq!((count(0), count(1), count(2), &map["boards"]), (12978 - 1143, 0, 1143, &json!(12978)));
    assert_eq!(map["bands"][2]["label"], "safe for ever");
    // The empty board is safe; it is the only one without a cell.
    let empty = solved.map(&order(r#"{"cells":0}"#));
    assert_eq!((&empty["found"], &empty["listed"][0]["band"]), (&json!(1), &json!(2)));
    let page = solved.map(&order(r#"{"band":2,"first":1140}"#));
    assert_eq!((&page["found"], page["listed"].as_array().unwrap().len()), (&json!(1143), 3));
    // One step from a safe board to a safe board, whatever piece comes.
    let board: Vec<String> = serde_json::from_value(page["listed"][0]["board"].clone()).unwrap();
    for piece in [0, 1] {
        let look = solved.look(&ExplorePosition {
            board: board.clone(),
            queue: vec![piece],
            ..ExplorePosition::default()
        });
        close(&look.unwrap()["value"], 1.0);
    }
    let values = solve_now(&question("mini", "average", "random")).unwrap().0.map(&order("{}"));
    assert!(!values["bands"].as_array().unwrap().is_empty());
}

/// The frontier of report 000: the robust player gives up against chance what gaps as a reward need not.
#[test]
fn the_frontier_goes_from_chance_to_the_worst() {
    let asked = question("baby", "discounted:0.9", "random");
    let find = |asked: &SolveOrder, family: FrontierFamily| {
        let mut points = Vec::new();
        let patience = Patience::new(&QuietDesk, Duration::from_secs(3600));
        let told = frontier(asked, family, &BuiltInCollection, &patience, |point| points.push(point));
        told.map(|told| (told, points))
    };
    let (told, mixed) = find(&asked, FrontierFamily::Mixed).unwrap();
    assert_eq!((&told["points"], mixed.len()), (&json!(11), 11));
    close(&mixed[0]["chance"], 9.1186070058);
    close(&mixed[10]["worst"], 7.9704266413);
    let value = |point: &Value, key: &str| point[key].as_f64().unwrap();
    assert!(value(&mixed[0], "worst") < value(&mixed[10], "worst"));
    let (_, gaps) = find(&asked, FrontierFamily::GapsWorst).unwrap();
    let half = gaps.iter().find(|point| point["label"] == "score=1,gaps=0.5").unwrap();
    assert!((value(half, "chance") - 8.904).abs() < 5e-4 && (value(half, "worst") - 7.970).abs() < 5e-4);
    assert!(value(half, "chance") > value(&mixed[10], "chance"));
    let endless = question("baby", "survive", "random");
    assert!(find(&endless, FrontierFamily::Mixed).unwrap_err().to_string().contains("needs a discount"));
}

#[test]
fn a_game_of_ones_own_is_read_with_all_its_problems() {
    let own = |text: &str, set: &[&str]| GameOrder {
        text: Some(text.to_owned()),
        set: set.iter().map(|&change| change.to_owned()).collect(),
        ..GameOrder::default()
    };
    let text = "name = \"own\"\n[board]\nwidth = 3\nheight = 4\n[pieces]\nset = [\"I2\", \"hook\"]\n\
                draw.hook = [\"##\", \"#.\"]\n[landing]\noverflow = \"clear-first\"\n";
    let told = own(text, &["dealer.kind=markov"]).describe(&BuiltInCollection).unwrap();
    assert_eq!((&told["height"], &told["above"]), (&json!(4), &json!(2)));
    assert_eq!(told["dealer"]["matrix"], json!([[0.5, 0.5], [0.5, 0.5]]));
    assert_eq!(told["landing"], json!({ "path": "drop", "overflow": "clear-first" }));
    // Its file is the game again.
    let file = told["file"].as_str().unwrap();
    assert_eq!(own(file, &[]).describe(&BuiltInCollection).unwrap(), told);
    let order =
        SolveOrder { game: own(file, &[]), objective: "discounted:0.9".to_owned(), ..SolveOrder::default() };
    assert!(solve_now(&order).unwrap().1["value"].as_f64().unwrap() > 0.0);
    let wrong = own(text, &["board.width=0", "pieces.draw.hook=[\"#.\",\".#\"]", "dealer.kind=none"]);
    let problems = wrong.describe(&BuiltInCollection).unwrap_err().to_string();
    for key in ["board.width", "pieces.draw.hook", "dealer.kind"] {
        assert!(problems.contains(key), "{problems}");
    }
    assert_eq!(problems.lines().count(), 3, "{problems}");
    assert!(
        own("no game", &[]).describe(&BuiltInCollection).unwrap_err().to_string().contains("not valid TOML")
    );
    let sprint = GameOrder { name: "sprint".to_owned(), ..GameOrder::default() };
    assert!(sprint.describe(&BuiltInCollection).unwrap_err().to_string().contains("cannot be solved"));
}

#[test]
fn a_contest_becomes_a_record() {
    let (solved, _) = solve_now(&question("baby", "discounted:0.9", "random")).unwrap();
    let (mut rows, mut moves, dealt) = (Vec::new(), Vec::new(), [0, 1, 1, 0]);
    for piece in dealt {
        let position = ExplorePosition { board: rows, queue: vec![piece], ..ExplorePosition::default() };
        let look = solved.look(&position).unwrap();
        let first = &look["placements"][0];
        moves.push(Some(serde_json::from_value(first["cells"].clone()).unwrap()));
        rows = serde_json::from_value(first["after"].clone()).unwrap();
    }
    let record = solved.contest(&dealt, &moves).unwrap();
    assert_eq!(rows_of(&record.replay(|_, _| {}).unwrap().board().to_board(solved.table.game())), rows);
    assert_eq!(record.dealt.map(|dealt| dealt.len()), Some(moves.len()));
    assert!(
        solved.contest(&[0], &[Some(vec![[9, 9]])]).unwrap_err().to_string().contains("no such placement")
    );
    let ahead = SolveOrder { preview: Some(1.into()), ..question("baby", "discounted:0.9", "random") };
    let (ahead, _) = solve_now(&ahead).unwrap();
    let record = ahead.contest(&[0, 1, 1, 0, 0], &moves).unwrap();
    assert_eq!(record.replay(|_, _| {}).unwrap().stats().pieces, 4);
}

/// With hold: a piece is put aside, the next one has to be placed, and the one aside may come back later.
#[test]
fn a_contest_may_have_hold() {
    let order = SolveOrder { hold: true, ..question("baby", "discounted:0.9", "worst") };
    let (solved, _) = solve_now(&order).unwrap();
    let first = solved.look(&ExplorePosition { queue: vec![1], ..ExplorePosition::default() }).unwrap();
    let aside = first["put_aside"].as_f64().unwrap();
    let after =
        ExplorePosition { held: Some(1), spent: true, dealt: Some(vec![1]), ..ExplorePosition::default() };
    let deals = solved.deals(&after, 1).unwrap();
    let values: Vec<f64> =
        deals["deals"].as_array().unwrap().iter().map(|deal| deal["value"].as_f64().unwrap()).collect();
    let worst = values.iter().copied().fold(f64::MAX, f64::min);
    assert!(
        (aside - worst).abs() < 1e-9,
        "putting aside is worth what the worst dealer leaves: {aside} {worst}"
    );
    let piece = deals["piece"].as_u64().unwrap() as u8;
    let now = ExplorePosition { queue: vec![piece], ..after };
    let look = solved.look(&now).unwrap();
    assert!(look["value"].as_f64().is_some_and(|value| (value - worst).abs() < 1e-9));
    assert_eq!(look["put_aside"], Value::Null);
    let placements = look["placements"].as_array().unwrap();
    assert!(placements.iter().all(|one| one["held"] == false), "the piece aside stays there");
    let cells = |look: &Value| Some(serde_json::from_value(look["cells"].clone()).unwrap());
    let rows: Vec<String> = serde_json::from_value(placements[0]["after"].clone()).unwrap();
    let then = ExplorePosition { board: rows, queue: vec![0], spent: false, ..now.clone() };
    let look = solved.look(&then).unwrap();
    let held = look["placements"].as_array().unwrap().iter().find(|one| one["held"] == true).unwrap();
    let moves = [None, cells(&placements[0]), cells(held)];
    let record = solved.contest(&[1, piece, 0], &moves).unwrap();
    let played = record.replay(|_, _| {}).unwrap();
    assert_eq!((played.stats().pieces, played.held()), (2, Some(0)));
    let twice = solved.contest(&[1, piece, 0], &[None, None]).unwrap_err().to_string();
    assert!(twice.contains("hold"), "{twice}");
}

/// Under `average` what is told after a hold is relative to the best of the position as it is, and the pieces that may be dealt
/// are on one scale: that of many pieces, where the same differences are found.
#[test]
fn after_a_hold_values_are_relative_to_the_best_there_is() {
    let solved = |objective: &str, dealer: &str| {
        let order = SolveOrder { hold: true, ..question("baby", objective, dealer) };
        solve_now(&order).unwrap().0
    };
    let number = |value: &Value| value.as_f64().unwrap();
    for dealer in ["random", "worst"] {
        let (average, long) = (solved("average", dealer), solved("horizon:300", dealer));
        for (rows, held) in
            [(&[][..], 0), (&["GG.."], 1), (&["G.GG", "G..."], 0), (&["GGG.", ".GG.", ".G.."], 1)]
        {
            let after =
                ExplorePosition { held: Some(held), spent: true, dealt: Some(vec![held]), ..at(rows, &[]) };
            let told = average.deals(&after, 1).unwrap();
            let values: Vec<f64> =
                told["deals"].as_array().unwrap().iter().map(|deal| number(&deal["value"])).collect();
            // Against a dealer who leaves nothing to chance the differences are periodic: their mean counts.
            let mut then = vec![0.0; values.len()];
            for left in 181..=300 {
                let told = long.deals(&ExplorePosition { left: Some(left), ..after.clone() }, 1).unwrap();
                let deals = told["deals"].as_array().unwrap().iter();
                then.iter_mut().zip(deals).for_each(|(sum, deal)| *sum += number(&deal["value"]) / 120.0);
            }
            let most = then.iter().copied().fold(f64::MIN, f64::max);
            for (value, then) in values.iter().zip(&then) {
                assert!(
                    (value - (then - most)).abs() < 1e-3,
                    "{dealer} {rows:?}: {values:?}, {then} of {most}"
                );
            }
            if dealer == "worst" {
                let dealt = told["piece"].as_u64().unwrap() as usize;
                assert!(
                    values.iter().all(|value| *value >= values[dealt] - 1e-9),
                    "{values:?}, dealt {dealt}"
                );
            }
            for piece in 0..2 {
                let look = average.look(&ExplorePosition { queue: vec![piece], ..after.clone() }).unwrap();
                assert_eq!((number(&look["value"]), &look["put_aside"]), (0.0, &Value::Null));
                let best = look["best"].as_u64().unwrap() as usize;
                close(&look["placements"][best]["value"], 0.0);
            }
        }
    }
}

#[test]
fn bad_questions_are_refused_and_cancelled_ones_end() {
    let good = question("baby", "discounted:0.9", "random");
    assert!(refused(&question("baby", "discounted:1.5", "random")).contains("objective"));
    assert!(refused(&question("baby", "discounted:0.9", "mixed:2")).contains("a dealer: random, worst"));
    assert!(refused(&question("baby", "discounted:0.9", "table:../x")).contains("there is no table"));
    assert!(refused(&question("sprint", "total", "random")).contains("cannot be solved"));
    for preview in ["9", "-1", "1.5"] {
        let why = refused(&SolveOrder { preview: Some(preview.parse().unwrap()), ..good.clone() });
        assert_eq!(why, format!("pieces known ahead: {preview} is not a whole number from 0 to 8"));
    }
    assert!(refused(&SolveOrder { epsilon: Some(-1.0), ..good.clone() }).contains("positive"));
    assert!(refused(&SolveOrder { player: Some("nobody".to_owned()), ..good.clone() }).contains("no player"));
    assert!(refused(&SolveOrder { reward: Some("points=1".to_owned()), ..good.clone() }).contains("reward"));
    let full = SolveOrder { from: Some(vec!["GGGG".to_owned()]), ..good.clone() };
    assert!(refused(&full).contains("full"));
    let large = set(good.clone(), &["board.width=8", "board.height=8"]);
    assert!(refused(&large).contains("too big"));
    let (solved, _) = solve_now(&good).unwrap();
    assert!(solved.look(&at(&[], &[9])).unwrap_err().to_string().contains("no such piece"));
    assert!(solved.look(&at(&["far too wide"], &[0])).is_err());
    assert!(solved.look(&at(&["ab.d"], &[0])).unwrap_err().to_string().contains("`a` is no cell"));
    assert_eq!(solved.look(&at(&["....", "G..."], &[0])).unwrap()["placements"], Value::Null);
}
