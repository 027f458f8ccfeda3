//! Verdicts on games of players of several strengths: what they lose orders them as their results do.

use bellmino_engine::Outcome;
use bellmino_engine::guideline::{Goal, Record, Rules};
use bellmino_lab::{Player, Playthrough};
use bellmino_search::{Budget, Judgement, Verdict, review};

/// A game as it was played and judged: how it ended, its pieces and points, and the verdict on each move.
struct Reviewed {
    outcome: Option<Outcome>,
    pieces: u32,
    points: u64,
    judgements: Vec<Judgement>,
}

impl Reviewed {
    fn of(rules: Rules, player: &str, nodes: u64, judge: u64) -> Reviewed {
        let player = Player::of_guideline(player, Some(Budget::nodes(nodes))).unwrap();
        let mut playthrough = Playthrough::guideline(&rules, &player, 11, 0).unwrap();
        let placements = playthrough.by_ref().map(|turn| turn.unwrap().placement).collect();
        let stats = *playthrough.game().stats();
        let record = Record::of_placements("own", rules, 11, 0, placements).unwrap();
        let mut judgements = vec![];
        review(&record, Budget::nodes(judge), |judgement| {
            judgements.push(judgement);
            true
        })
        .unwrap();
        assert_eq!(judgements.len(), stats.pieces as usize);
        Reviewed { outcome: playthrough.outcome(), pieces: stats.pieces, points: stats.score, judgements }
    }

    fn lost(&self) -> f64 {
        self.judgements.iter().map(|judgement| judgement.played().loss).sum()
    }

    fn worst(&self) -> Verdict {
        self.judgements.iter().map(|judgement| judgement.verdict).max().unwrap()
    }
}

#[test]
fn sprints_are_ordered_as_their_pieces() {
    let games = [("bot", 4000), ("weights:lee4", 1), ("weights:sprint4", 1)]
        .map(|(player, nodes)| Reviewed::of(Rules::SPRINT, player, nodes, 4000));
    for game in &games {
        assert_eq!(game.outcome, Some(Outcome::Goal));
        let last = game.judgements.last().unwrap();
        assert_eq!(
            (last.verdict, last.played().loss),
            (Verdict::Good, 0.0),
            "the move that wins is no mistake"
        );
    }
    let pieces: Vec<u32> = games.iter().map(|game| game.pieces).collect();
    let lost: Vec<f64> = games.iter().map(Reviewed::lost).collect();
    assert!(pieces.is_sorted() && pieces[0] < pieces[2], "{pieces:?}");
    assert!(lost.is_sorted(), "{lost:?} for {pieces:?}");
    assert!(games[0].worst() <= Verdict::Inaccuracy, "the bot agrees with itself");
}

#[test]
fn blitzes_are_ordered_as_their_points() {
    let rules = Rules { goal: Goal { pieces: Some(70), ..Goal::default() }, ..Rules::BLITZ };
    let games = [("bot", 4000), ("bot", 100), ("weights:snes-blitz", 1)]
        .map(|(player, nodes)| Reviewed::of(rules, player, nodes, 4000));
    let points: Vec<u64> = games.iter().map(|game| game.points).collect();
    let lost: Vec<f64> = games.iter().map(Reviewed::lost).collect();
    assert!(points.windows(2).all(|pair| pair[0] > pair[1]), "{points:?}");
    assert!(lost.is_sorted(), "{lost:?} for {points:?}");
}
