//! Contests of people against machines, as the store has them.

use std::path::Path;

use bellmino_lab::{ContestSeries, contests};
use bellmino_page::contest_game;

use crate::store::{StoreError, kept_games};

/// The contests of a folder's games. Nothing is written, and a lab may be running. Without a folder it is the user's own.
pub fn kept_contests(folder: Option<&Path>) -> Result<Vec<ContestSeries>, StoreError> {
    let mut games = Vec::new();
    kept_games(folder, |game| {
        games.extend(contest_game(&game));
        true
    })?;
    Ok(contests(games))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::GameStore;
    use bellmino_engine::AnyRecord;
    use bellmino_engine::placement::{Action, Allowance, DealtBy, Match, Record};
    use bellmino_engine::{Game, Purpose, stream};
    use bellmino_lab::Measure;
    use bellmino_page::{CONTESTANT, DEALT, PLACED, RecordToKeep, TAKING_TURNS, contest_series, keep};

    /// A game of `mini` in which a placement of this number is always chosen.
    fn played(seed: u64, number: usize, by_hand: bool) -> (Record, f64) {
        let game = Game::built_in("mini", &[]).unwrap().unwrap();
        let game = game.placement().unwrap().clone();
        let mut played: Match = if by_hand {
            Match::with(game, Allowance::default(), DealtBy::ByHand, stream(seed, Purpose::Dealer, 0))
        } else {
            Match::new(game, seed, 0)
        };
        let mut done = vec![];
        for piece in (0..3).cycle() {
            if by_hand {
                played.deal(piece).unwrap();
            }
            let choices = played.placements();
            let chosen = choices[number % choices.len()];
            played.play(&chosen).unwrap();
            done.push(Action::Place(chosen));
            if played.outcome().is_some() {
                break;
            }
        }
        let score = played.stats().score;
        (Record::of(&played, seed, 0, done).unwrap(), score)
    }

    #[test]
    fn kept_games_become_contests() {
        let folder = tempfile::tempdir().unwrap();
        let store = GameStore::open(folder.path()).unwrap();
        let mut expected = vec![];
        for seed in 0..12 {
            let ((mine, score), (its, other)) = (played(seed, 0, false), played(seed, 1, false));
            expected.push((Some(score), Some(other)));
            let record = |record| AnyRecord::Placement(record);
            // The lab of before did not keep against whom a game was played.
            let machine = (seed >= 3).then_some("exact");
            let mine = RecordToKeep::new(&record(mine), CONTESTANT).unwrap().against(machine);
            keep(&store, &mine).unwrap();
            keep(&store, &RecordToKeep::new(&record(its), "exact").unwrap()).unwrap();
        }
        for (player, number) in [(PLACED, 0), (DEALT, 1), (PLACED, 1)] {
            let (record, _) = played(5, number, true);
            let record = RecordToKeep::new(&AnyRecord::Placement(record), player).unwrap();
            keep(&store, &record).unwrap();
        }
        let series = contest_series(&store).unwrap();
        assert_eq!(series, kept_contests(Some(folder.path())).unwrap());
        let [exact, turns] = &series[..] else { panic!("{series:?}") };
        assert_eq!((exact.game.as_str(), exact.machine.as_str()), ("mini", "exact"));
        assert_eq!((exact.measure, exact.same_pieces, exact.contests.len()), (Measure::Score, true, 2));
        let games = exact.contests.iter().flat_map(|contest| &contest.games);
        assert_eq!(games.map(|pair| (pair.person, pair.machine)).collect::<Vec<_>>(), expected);
        assert_eq!((turns.machine.as_str(), turns.same_pieces), (TAKING_TURNS, false));
        assert_eq!(turns.contests[0].games.len(), 2);
        assert!(turns.contests[0].games[1].machine.is_none());
    }
}
