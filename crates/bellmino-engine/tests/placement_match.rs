//! Matches of placement games against the slow oracle, and their records.

use std::collections::HashSet;
use std::sync::Arc;

use bellmino_engine::placement::{
    Action, Allowance, AnyColumns, DealAnswer, Deals, DealtBy, Grid, Match, PackedBoard, Path, PlayError,
    Record, Undealt, reference,
};
use bellmino_engine::{
    AnyRecord, Game, Generator, Outcome, PlacementGame, Purpose, RecordError, below, stream,
};

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<_> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

fn games() -> Vec<PlacementGame> {
    let mut games = vec![];
    for name in ["baby", "mini", "small"] {
        for path in ["drop", "slide", "anywhere"] {
            for overflow in ["forbidden", "clear-first"] {
                let (path, overflow) =
                    (format!("landing.path={path}"), format!("landing.overflow={overflow}"));
                games.push(game(name, &[&path, &overflow]));
                games.push(game(name, &[&path, &overflow, "dealer.kind=bag"]));
            }
        }
    }
    games.push(game("baby", &["board.width=2"]));
    games
}

/// Plays at random and tells what was done.
fn play_at_random<G: Grid>(game: &mut Match<G>, chance: &mut Generator, most: usize) -> Vec<Action> {
    let mut done = vec![];
    while game.outcome().is_none() && done.len() < most {
        if game.may_hold() && below(chance, 3) == 0 {
            game.hold().unwrap();
            done.push(Action::Hold);
            continue;
        }
        let placements = game.placements();
        if placements.is_empty() {
            // Only a hold goes on from here.
            game.hold().unwrap();
            done.push(Action::Hold);
            continue;
        }
        let placement = placements[below(chance, placements.len())];
        // A piece that is not the current one goes by way of hold: say so.
        if game.current() != Some(placement.piece) {
            game.hold().unwrap();
            done.push(Action::Hold);
        }
        game.play(&placement).unwrap();
        done.push(Action::Place(placement));
    }
    done
}

#[test]
fn a_match_goes_as_the_oracle_says() {
    let mut ends = HashSet::new();
    for game in games() {
        for seed in 0..6 {
            let mut dealing = stream(seed, Purpose::Dealer, 0);
            let mut chance = stream(seed, Purpose::Player, 0);
            let mut played: Match = Match::new(game.clone(), seed, 0);
            let mut packed: Match<PackedBoard> = Match::new(game.clone(), seed, 0);
            let mut cells = HashSet::new();
            let mut state = game.dealer().start();
            let (mut pieces, mut lines, mut score) = (0, 0, 0.0);
            for _ in 0..80 {
                let deal = game.dealer().deal(state, &mut dealing);
                state = deal.next;
                let expected = reference::placements(&game, &cells, deal.piece as usize);
                assert_eq!(played.current(), Some(deal.piece));
                assert_eq!(played.placements().len(), expected.len(), "{}", game.to_toml());
                if expected.is_empty() {
                    assert_eq!(played.stuck_on(), Some(deal.piece));
                    assert_eq!(played.outcome(), Some(Outcome::ToppedOut));
                    ends.insert("stuck");
                    break;
                }
                let choice = below(&mut chance, expected.len());
                let placement = played.placements()[choice];
                let clear = played.play(&placement).unwrap();
                assert_eq!(packed.play(&placement).unwrap(), clear);
                pieces += 1;
                let Some((after, cleared)) = &expected[choice].1 else {
                    assert!(clear.fatal && clear.lines == 0 && clear.points == 0.0);
                    assert_eq!((played.outcome(), played.stuck_on()), (Some(Outcome::ToppedOut), None));
                    ends.insert("fatal");
                    break;
                };
                lines += u64::from(*cleared);
                score += game.score().points(*cleared);
                cells.clone_from(after);
                let board = played.board().to_board(&game);
                assert_eq!(board.len() as usize, cells.len());
                assert!(cells.iter().all(|&(x, y)| board.contains(x as usize, y as usize)));
                assert_eq!(packed.board().to_board(&game), board);
            }
            let stats = played.stats();
            assert_eq!((stats.pieces, stats.lines, stats.score), (pieces, lines, score));
            assert_eq!(played.outcome(), packed.outcome());
            if played.outcome().is_some() {
                assert!(played.placements().is_empty());
                assert_eq!(played.hold(), Err(PlayError::Over));
            }
        }
    }
    assert_eq!(ends.len(), 2, "games end both ways: {ends:?}");
}

/// Deals the last piece of the game's list whenever it may.
#[derive(Debug)]
struct LastOfAll(PlacementGame);

impl Deals for LastOfAll {
    fn answer(&self, asked: &Undealt<'_>, _: &mut Generator) -> DealAnswer {
        let last = self.0.pieces().len() as u8 - 1;
        let may = self.0.dealer().deals(asked.state).iter().any(|deal| deal.piece == last);
        if may { DealAnswer::Piece(last) } else { DealAnswer::Chance }
    }
}

/// Knows what to deal for so many pieces, and no longer.
#[derive(Debug)]
struct Forgetful(u64);

impl Deals for Forgetful {
    fn answer(&self, asked: &Undealt<'_>, _: &mut Generator) -> DealAnswer {
        if asked.pieces < self.0 { DealAnswer::Chance } else { DealAnswer::Unknown }
    }
}

/// A dealer with no answer does not end the game, and nothing is dealt in its place.
#[test]
fn a_match_waits_for_a_dealer_that_has_no_answer() {
    for previews in [0, 2] {
        let game = Game::built_in("baby", &[]).unwrap().unwrap().placement().unwrap().clone();
        let (allowance, chance) = (Allowance { previews, hold: false }, stream(1, Purpose::Dealer, 0));
        let mut played: Match = Match::with(game, allowance, DealtBy::By(Arc::new(Forgetful(2))), chance);
        for pieces in 1..=2 {
            assert!(!played.wants_piece());
            let placement = played.placements()[0];
            played.play(&placement).unwrap();
            assert_eq!(played.stats().pieces, pieces);
        }
        assert!(played.wants_piece() && played.outcome().is_none());
        assert_eq!(played.queue().len(), previews);
    }
}

#[test]
fn records_play_again_exactly() {
    for (number, game) in games().into_iter().enumerate() {
        for dealing in [DealtBy::Chance, DealtBy::By(Arc::new(LastOfAll(game.clone())))] {
            for (previews, hold) in [(0, false), (0, true), (2, true), (3, false)] {
                let allowance = Allowance { previews, hold };
                let (seed, index) = (number as u64, 7);
                let chance = stream(seed, Purpose::Dealer, index);
                let mut played: Match = Match::with(game.clone(), allowance, dealing.clone(), chance);
                let done = play_at_random(&mut played, &mut stream(seed, Purpose::Player, 0), 40);
                let record = Record::of(&played, seed, index, done.clone()).unwrap();
                let text = record.to_text();
                let again = AnyRecord::from_text(&text).unwrap();
                assert_eq!(again, AnyRecord::Placement(record.clone()), "{text}");
                assert_eq!(again.to_text(), text);
                let mut seen = vec![];
                let end = record.replay(|_, action| seen.push(action)).unwrap();
                assert_eq!((seen, end.stats(), end.outcome()), (done, played.stats(), played.outcome()));
            }
        }
    }
}

#[test]
fn pieces_dealt_by_hand() {
    let mut played: Match = Match::with(
        game("baby", &["dealer.kind=bag"]),
        Allowance { previews: 1, hold: false },
        DealtBy::ByHand,
        stream(0, Purpose::Dealer, 0),
    );
    assert!(played.wants_piece());
    assert_eq!(played.current(), None);
    assert!(played.placements().is_empty());
    played.deal(1).unwrap();
    assert_eq!(played.deal(1), Err(PlayError::NotDealt("L3".into())), "it is no longer in the bag");
    played.deal(0).unwrap();
    assert!(!played.wants_piece());
    assert_eq!(played.deal(1), Err(PlayError::NotDealt("L3".into())), "nothing is wanted");
    let placement = played.placements()[0];
    played.play(&placement).unwrap();
    assert_eq!((played.current(), played.queue().len()), (Some(0), 1));
    assert_eq!(played.dealt(), Some(&[1, 0][..]));
}

#[test]
fn what_is_not_legal_changes_nothing() {
    let mut played: Match<AnyColumns> = Match::new(game("baby", &[]), 1, 0);
    let mut placement = played.placements()[0];
    placement.row += 1;
    assert_eq!(played.play(&placement), Err(PlayError::NotLegal(placement)));
    placement.piece = 1 - placement.piece;
    assert!(matches!(played.play(&placement), Err(PlayError::NotAtHand(_))));
    placement.piece = 9;
    assert_eq!(played.play(&placement), Err(PlayError::NotAtHand("9".into())));
    assert_eq!(played.hold(), Err(PlayError::HoldSpent));
    assert_eq!(played.stats().pieces, 0);
}

#[test]
fn bad_records_are_refused() {
    let mut played: Match = Match::new(game("baby", &[]), 3, 0);
    let done = play_at_random(&mut played, &mut stream(3, Purpose::Player, 0), 12);
    let text = Record::of(&played, 3, 0, done.clone()).unwrap().to_text();
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        let record = AnyRecord::from_text(&text.replacen(from, to, 1))?;
        let AnyRecord::Placement(record) = record else { panic!("another family") };
        record.replay(|_, _| {})
    };
    let why = |from: &str, to: &str| changed(from, to).unwrap_err();
    assert_eq!(why("version = 1", "version = 2"), RecordError::Version(2));
    assert!(matches!(why("kind = \"placement\"", "kind = \"other\""), RecordError::Text(_)));
    assert!(matches!(why("width = 4", "width = 99"), RecordError::Rules(_)));
    assert!(matches!(
        why("seed = \"3\"", "seed = \"4\""),
        RecordError::Placement { .. } | RecordError::Differs
    ));
    assert!(matches!(why("pieces = ", "pieces = 1"), RecordError::Differs));
    assert!(matches!(why("game = ", "gaem = "), RecordError::Text(_)));
    let Action::Place(first) = done[0] else { panic!("no hold here") };
    let first = format!(
        "{} {} {},{}",
        game("baby", &[]).pieces()[first.piece as usize].name(),
        first.rotation,
        first.column,
        first.row
    );
    let error = why(&first, "L3 sideways").to_string();
    assert!(
        error.contains("placement 1") && error.contains("`L3 sideways`") && error.contains("I3, L3"),
        "{error}"
    );
}

/// Asked one by one, straight drops are the same placements as listed; what is no rotation or column is none.
#[test]
fn drops_one_by_one_are_the_listed_placements() {
    let mut chance = stream(9, Purpose::Player, 0);
    for game in games().into_iter().filter(|game| game.landing().path == Path::Drop) {
        let mut played = Match::<AnyColumns>::new(game.clone(), 3, 0);
        while let Some(piece) = played.current().filter(|_| played.outcome().is_none()) {
            let mut listed = vec![];
            played.board().placements(&game, piece as usize, |placement| listed.push(placement));
            let all = (0..5).flat_map(|rotation| (0..game.width() + 2).map(move |column| (rotation, column)));
            let drop = |(rotation, column)| played.board().dropped(&game, piece as usize, rotation, column);
            assert_eq!(all.filter_map(drop).collect::<Vec<_>>(), listed);
            let placement = listed[below(&mut chance, listed.len())];
            played.play(&placement).unwrap();
        }
        assert_eq!(played.board().dropped(&game, 99, 0, 0), None);
    }
}
