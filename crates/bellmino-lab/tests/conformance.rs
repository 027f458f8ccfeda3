//! What every game, dealer and player must keep: a new one is tested by being listed here.

use std::fmt::Debug;
use std::sync::Arc;

use bellmino_engine::placement::{self, AnyColumns, Grid, PackedBoard};
use bellmino_engine::{AnyMatch, BUILT_IN, Game, Override, Totals};
use bellmino_exact::{Dealing, Objective, Silent, SolveSettings, solve};
use bellmino_lab::{ArenaSettings, Baseline, Opponent, Player, Plays, Playthrough, evaluate};
use bellmino_learn::{TuplePlan, TupleTd, Window};
use bellmino_search::Budget;

/// The players of a game: the simple ones, some controllers, a table where the game is small, the bot where it plays.
fn players(game: &Game) -> Vec<Player> {
    let mut names: Vec<&str> = Baseline::ALL.iter().map(|(name, _)| *name).collect();
    names.extend([
        "weights:lee4",
        "weights:dellacherie",
        "weights:bcts",
        "weights:sprint4",
        "weights:snes-blitz",
    ]);
    names.extend(["bot", "bot:1", "bot:keys"].iter().filter(|_| game.guideline().is_some()));
    // Some controllers have features that some games do not have.
    let parse = |name: &str| Player::parse(name, game, Some(Budget::nodes(300))).ok();
    let mut players: Vec<Player> = names.into_iter().filter_map(parse).collect();
    assert!(players.len() >= 4, "{}", game.to_toml());
    players.extend(table(game, Dealing::Random, 0, false).map(|table| Player::of_table("table", table)));
    players.extend(tuples(game));
    players
}

/// A player that has learned a little.
fn tuples(game: &Game) -> Option<Player> {
    let game = game.placement()?;
    let plan =
        TuplePlan { windows: vec![Window { width: 2, height: 2 }], moves: 200, ..TuplePlan::default() };
    let mut td = TupleTd::new(plan);
    td.take(td.plan.step(game, &td.tables, 0, &|| true)?);
    Some(Player::of_tuples("tuples", td.value(game).ok()?))
}

/// A table of a small game.
fn table(game: &Game, dealing: Dealing, preview: usize, hold: bool) -> Option<bellmino_exact::Table> {
    let game = game.placement().filter(|game| game.width() * game.height() <= 16)?;
    if game.dealer().sees_board().is_some() {
        return None;
    }
    let settings = SolveSettings { dealing, preview, hold, ..SolveSettings::new(Objective::Discounted(0.9)) };
    Some(solve(game, &settings, &Silent).unwrap().table)
}

/// Each dealer as overrides, for a game whose first piece is named.
fn dealers(first: &str) -> Vec<Vec<String>> {
    vec![
        vec![],
        vec!["dealer.kind=weighted".into()],
        vec!["dealer.kind=markov".into()],
        vec!["dealer.kind=bag".into()],
        vec!["dealer.kind=sequence".into(), format!("dealer.order=[\"{first}\"]")],
        vec!["dealer.kind=mild".into()],
        vec!["dealer.kind=hatetris".into()],
    ]
}

/// Every built-in game; placement games with every dealer and every landing, and with pieces in sight; guideline games with and without hold.
fn games() -> Vec<Game> {
    let mut games = Vec::new();
    for (name, _) in BUILT_IN {
        let with = |overrides: &[String]| {
            let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
            Game::built_in(name, &overrides).unwrap().unwrap()
        };
        match with(&[]) {
            Game::Guideline(_) => {
                games.extend([with(&[]), with(&["hold=false".into(), "previews=0".into()])]);
                games.push(with(&["kicks=none".into(), "previews=2".into()]));
            }
            Game::Placement(base) => {
                games.push(with(&[]));
                // Who sees the board deals nothing ahead.
                let ahead = ["previews=1".into(), "dealer.kind=weighted".into()];
                games.push(with(&ahead[..if base.dealer().sees_board().is_some() { 2 } else { 1 }]));
                games.push(with(&["previews=2".into(), "dealer.kind=bag".into()]));
                for dealer in dealers(base.pieces()[0].name()) {
                    for path in ["drop", "slide", "anywhere"] {
                        for overflow in ["forbidden", "clear-first", "end-first"] {
                            let mut overrides = dealer.clone();
                            overrides.push(format!("landing.path={path}"));
                            overrides.push(format!("landing.overflow={overflow}"));
                            games.push(with(&overrides));
                        }
                    }
                }
            }
        }
    }
    games
}

/// Every move can be made by anyone, every total is the sum of its moves, and after the end nothing is possible.
fn check<M, P>(mut playthrough: Playthrough<M, P>, most: usize, context: &dyn Fn() -> String)
where
    M: AnyMatch<Clear: PartialEq + Debug>,
    P: Plays<M>,
{
    let mut sum = Totals::default();
    for _ in 0..most {
        let mut again = playthrough.game().clone();
        let Some(turn) = playthrough.next() else { break };
        let turn = turn.unwrap_or_else(|error| panic!("{error}: {}", context()));
        if turn.held {
            again.hold().unwrap_or_else(|error| panic!("{error}: {}", context()));
        }
        let clear = again.play(&turn.placement).unwrap_or_else(|error| panic!("{error}: {}", context()));
        assert_eq!(clear, turn.clear, "{}", context());
        sum.pieces += 1;
        sum.score += turn.points;
        let totals = playthrough.game().totals();
        assert_eq!(again.totals(), totals, "{}", context());
        assert_eq!(again.outcome(), playthrough.game().outcome(), "{}", context());
        assert_eq!((sum.pieces, sum.score), (totals.pieces, totals.score), "{}", context());
    }
    if playthrough.game().outcome().is_some() {
        assert!(playthrough.next().is_none() && playthrough.game().placements().is_empty(), "{}", context());
    }
}

fn check_placement<G: Grid>(game: &Game, player: &Player, opponent: &Opponent, most: usize) {
    let playing = game.placement().unwrap().clone();
    let playthrough =
        Playthrough::<placement::Match<G>, _>::placement(playing, player, opponent, (11, 0), None);
    check(playthrough.unwrap(), most, &|| format!("{}\n{}", player.name(), game.to_toml()));
}

#[test]
fn every_move_is_legal_and_every_total_is_the_sum_of_its_moves() {
    for game in games() {
        for player in players(&game) {
            match &game {
                Game::Placement(_) => check_placement::<AnyColumns>(&game, &player, &Opponent::Random, 60),
                Game::Guideline(rules) => {
                    let most = if player.name().starts_with("bot") { 20 } else { 60 };
                    let playthrough = Playthrough::guideline(rules.rules(), &player, 11, 0).unwrap();
                    check(playthrough, most, &|| format!("{}\n{}", player.name(), game.to_toml()));
                }
            }
        }
    }
}

#[test]
fn tables_that_see_ahead_and_hold_play_and_deal() {
    for name in ["baby", "mini"] {
        let game = Game::built_in(name, &["dealer.kind=bag".parse().unwrap()]).unwrap().unwrap();
        for (preview, hold) in [(0, true), (1, false), (1, true)] {
            let dealer = table(&game, Dealing::Worst, preview, hold).unwrap();
            let dealer = Opponent::Table(Arc::new(dealer));
            let player = Player::of_table("table", table(&game, Dealing::Random, preview, hold).unwrap());
            check_placement::<PackedBoard>(&game, &player, &Opponent::Random, 60);
            check_placement::<AnyColumns>(&game, &player, &dealer, 60);
        }
    }
}

#[test]
fn a_playthrough_is_the_evaluated_game_of_its_number() {
    for game in games().into_iter().step_by(7) {
        for player in players(&game) {
            let most = if player.name().starts_with("bot") { 12 } else { 40 };
            let settings =
                ArenaSettings { games: 3, seed: 5, pieces: Some(most), ..ArenaSettings::default() };
            let report = evaluate(&game, std::slice::from_ref(&player), &settings, &|_| true).unwrap();
            let count = |index| match &game {
                Game::Placement(game) => Playthrough::<placement::Match, _>::placement(
                    game.clone(),
                    &player,
                    &Opponent::Random,
                    (5, index),
                    Some(most),
                )
                .unwrap()
                .take(most as usize)
                .map(|turn| (1, turn.unwrap().points))
                .fold((0, 0.0), |(pieces, score), (piece, points)| (pieces + piece, score + points)),
                Game::Guideline(rules) => Playthrough::guideline(rules.rules(), &player, 5, index)
                    .unwrap()
                    .take(most as usize)
                    .map(|turn| (1, turn.unwrap().points))
                    .fold((0, 0.0), |(pieces, score), (piece, points)| (pieces + piece, score + points)),
            };
            let (pieces, score) =
                (0..3).map(count).fold((0, 0.0), |(pieces, score), one| (pieces + one.0, score + one.1));
            let found = &report.players[0];
            assert!((found.pieces.mean * 3.0 - f64::from(pieces)).abs() < 1e-9, "{}", player.name());
            assert!((found.score.mean * 3.0 - score).abs() < 1e-6, "{} {}", player.name(), game.to_toml());
        }
    }
}

#[test]
fn an_evaluation_that_is_told_to_stop_says_so() {
    for game in ["baby", "sprint"] {
        let game = Game::built_in(game, &[]).unwrap().unwrap();
        let player = Player::parse("random", &game, None).unwrap();
        let settings = ArenaSettings { games: 1000, seed: 0, ..ArenaSettings::default() };
        let report = evaluate(&game, &[player], &settings, &|_| false).unwrap();
        assert_eq!(report.players[0].games, 0);
        assert!(report.players[0].interrupted);
    }
}

#[test]
fn a_player_of_the_other_family_is_refused() {
    let [baby, sprint] = ["baby", "sprint"].map(|name| Game::built_in(name, &[]).unwrap().unwrap());
    let player = Player::parse("lowest", &baby, None).unwrap();
    assert!(evaluate(&sprint, &[player], &ArenaSettings::default(), &|_| true).is_err());
}
