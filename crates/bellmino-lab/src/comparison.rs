//! Two players, game by game on the same pieces: who is better, by how much, and how sure that is.

use bellmino_engine::{AnyMatch, Game, Outcome, Totals, guideline, placement};
use serde::Serialize;

use crate::contest::Measure;
use crate::opponent::Opponent;
use crate::player::{AtWork, Mind, Player, PlayerError};
use crate::playthrough::{NoAnswer, Plays, Playthrough};
use crate::statistics::Summary;
use crate::terms::Terms;

/// A meeting of two players that goes on for as long as one likes. Its games are those of an evaluation with the same seed.
///
/// ```
/// use bellmino_engine::Game;
/// use bellmino_lab::{Comparison, Player};
///
/// let game = Game::built_in("baby", &[]).unwrap()?;
/// let players = ["fewest-holes", "random"].map(|name| Player::parse(name, &game, None).unwrap());
/// let mut comparison = Comparison::new(game, players, 1, None);
/// while comparison.standing().games < 50 {
///     comparison.play_on(&|| true)?;
/// }
/// assert_eq!(comparison.standing().better, Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Comparison {
    game: Game,
    players: [Player; 2],
    seed: u64,
    most_pieces: Option<u64>,
    results: Vec<[Option<f64>; 2]>,
    /// The game of the first player, where the second is still at it.
    first: Option<Option<f64>>,
    under_way: Option<UnderWay>,
}

/// How two players stand to each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairStanding {
    /// Games of each.
    pub games: usize,
    /// Games that each has won.
    pub wins: [usize; 2],
    /// Games in which neither did better.
    pub draws: usize,
    /// Games in which each has no result: a race that was not finished.
    pub unfinished: [usize; 2],
    /// What is counted: in a race the pieces until the goal, else points.
    pub measure: Measure,
    /// The mean result of each, over the games that have one.
    pub means: [Option<f64>; 2],
    /// The result of the first minus that of the second, over the games in which both have one.
    pub difference: Option<Summary>,
    /// Who is better, if that is beyond chance: with two equal players, one in twenty such meetings says so.
    pub better: Option<usize>,
}

/// How unlikely a lead must be between equal players to be more than chance.
const CHANCE: f64 = 0.05;

enum UnderWay {
    Placement(Box<Playthrough<placement::Match, AtWork>>),
    Guideline(Box<Playthrough<guideline::Match, Box<dyn Mind>>>),
}

impl Comparison {
    /// A meeting before its first game. A game is stopped after `most_pieces`, or after as many as a table was solved for if
    /// these are fewer.
    pub fn new(game: Game, players: [Player; 2], seed: u64, most_pieces: Option<u64>) -> Comparison {
        let most_pieces =
            Terms::most_pieces(&players, &Opponent::Random).into_iter().chain(most_pieces).min();
        Comparison { game, players, seed, most_pieces, results: vec![], first: None, under_way: None }
    }

    /// Plays on until one more game of each is done, and says `true`; or until `go_on` says `false`, and so does this.
    pub fn play_on(&mut self, go_on: &dyn Fn() -> bool) -> Result<bool, PlayerError> {
        loop {
            let mut game = match self.under_way.take() {
                Some(game) => game,
                None => self.begin()?,
            };
            let most = self.most_pieces;
            if !game.play(most, go_on)? {
                self.under_way = Some(game);
                return Ok(false);
            }
            let result = self.result_of(&game);
            match self.first.take() {
                None => self.first = Some(result),
                Some(first) => {
                    self.results.push([first, result]);
                    return Ok(true);
                }
            }
        }
    }

    /// How it stands.
    pub fn standing(&self) -> PairStanding {
        let measure = self.measure();
        let lead = |pair: &[Option<f64>; 2]| lead_of(measure, *pair);
        let wins = [1.0, -1.0].map(|side| self.results.iter().filter(|pair| lead(pair) == side).count());
        let sample =
            |side: usize| -> Vec<f64> { self.results.iter().filter_map(|pair| pair[side]).collect() };
        let unfinished = [0, 1].map(|side| self.results.len() - sample(side).len());
        let both: Vec<f64> = self.results.iter().filter_map(|[a, b]| Some((*a)? - (*b)?)).collect();
        let difference = (!both.is_empty()).then(|| Summary::of(&both));
        let better = match &difference {
            // Results can be compared in full: by how much counts, not only how often.
            Some(difference) if unfinished == [0, 0] && both.len() > 1 => {
                let [low, high] = difference.ci95;
                let side = if low > 0.0 { 1.0 } else { -1.0 };
                (low > 0.0 || high < 0.0).then(|| usize::from(sign(measure) * side < 0.0))
            }
            _ => (chance_of_lead(wins) < CHANCE).then(|| usize::from(wins[1] > wins[0])),
        };
        PairStanding {
            games: self.results.len(),
            wins,
            draws: self.results.len() - wins[0] - wins[1],
            unfinished,
            measure,
            means: [0, 1]
                .map(|side| Some(Summary::of(&sample(side)).mean).filter(|_| !sample(side).is_empty())),
            difference,
            better,
        }
    }

    /// The game of whoever's turn it is.
    fn begin(&self) -> Result<UnderWay, PlayerError> {
        let player = &self.players[usize::from(self.first.is_some())];
        let index = self.results.len() as u64;
        Ok(match &self.game {
            Game::Placement(game) => UnderWay::Placement(Box::new(Playthrough::placement(
                game.clone(),
                player,
                &Opponent::Random,
                (self.seed, index),
                self.most_pieces,
            )?)),
            Game::Guideline(game) => {
                UnderWay::Guideline(Box::new(Playthrough::guideline(game.rules(), player, self.seed, index)?))
            }
        })
    }

    fn measure(&self) -> Measure {
        match &self.game {
            Game::Guideline(game) if game.rules().goal.lines.is_some() => Measure::Pieces,
            _ => Measure::Score,
        }
    }

    fn result_of(&self, game: &UnderWay) -> Option<f64> {
        let (totals, outcome) = game.state();
        match self.measure() {
            Measure::Pieces => (outcome == Some(Outcome::Goal)).then_some(totals.pieces as f64),
            Measure::Score => Some(totals.score),
        }
    }
}

/// Whether more is better, as a sign.
const fn sign(measure: Measure) -> f64 {
    match measure {
        Measure::Pieces => -1.0,
        Measure::Score => 1.0,
    }
}

/// 1 if the first of two results is the better one, -1 if the second is; any result is better than none.
fn lead_of(measure: Measure, pair: [Option<f64>; 2]) -> f64 {
    match pair {
        [Some(a), Some(b)] if a == b => 0.0,
        [Some(a), Some(b)] => (sign(measure) * (a - b)).signum(),
        [Some(_), None] => 1.0,
        [None, Some(_)] => -1.0,
        [None, None] => 0.0,
    }
}

impl UnderWay {
    /// Plays to the end, or says `false`.
    fn play(&mut self, most_pieces: Option<u64>, go_on: &dyn Fn() -> bool) -> Result<bool, NoAnswer> {
        match self {
            UnderWay::Placement(game) => play(game, most_pieces, go_on),
            UnderWay::Guideline(game) => play(game, most_pieces, go_on),
        }
    }

    fn state(&self) -> (Totals, Option<Outcome>) {
        match self {
            UnderWay::Placement(game) => (game.game().totals(), game.outcome()),
            UnderWay::Guideline(game) => (AnyMatch::totals(game.game()), game.outcome()),
        }
    }
}

fn play<M: AnyMatch, P: Plays<M>>(
    game: &mut Playthrough<M, P>,
    most_pieces: Option<u64>,
    go_on: &dyn Fn() -> bool,
) -> Result<bool, NoAnswer> {
    while most_pieces.is_none_or(|most| game.game().totals().pieces < most) {
        if !go_on() {
            return Ok(false);
        }
        if game.next().transpose()?.is_none() {
            break;
        }
    }
    Ok(true)
}

/// How likely between equals such a lead is, or a greater one, of either: the sign test.
fn chance_of_lead([a, b]: [usize; 2]) -> f64 {
    let games = a + b;
    let mut term = 0.5_f64.powi(games as i32);
    let mut sum = 0.0;
    for lost in 0..=a.min(b) {
        sum += term;
        term *= (games - lost) as f64 / (lost + 1) as f64;
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArenaSettings, evaluate};

    fn compare(game: &str, players: [&str; 2], seed: u64, games: usize, most: Option<u64>) -> PairStanding {
        let game = Game::built_in(game, &[]).unwrap().unwrap();
        let players = players.map(|name| Player::parse(name, &game, None).unwrap());
        let mut comparison = Comparison::new(game, players, seed, most);
        for _ in 0..games {
            assert!(comparison.play_on(&|| true).unwrap());
        }
        comparison.standing()
    }

    /// The sums of Pascal's triangle: 1 of 32 twice, 7 of 64 twice, and never more than certain.
    #[test]
    fn a_lead_between_equals_is_as_likely_as_the_coins_say() {
        for (wins, expected) in [([5, 0], 2.0 / 32.0), ([1, 5], 14.0 / 64.0), ([0, 0], 1.0), ([3, 3], 1.0)] {
            assert!((chance_of_lead(wins) - expected).abs() < 1e-12, "{wins:?}");
        }
        assert!(chance_of_lead([0, 6]) < CHANCE && chance_of_lead([0, 5]) > CHANCE);
        assert!(chance_of_lead([400, 600]) < 1e-9);
    }

    /// The games are those of the arena, however they are cut into pieces.
    #[test]
    fn it_says_what_the_arena_says_of_the_same_games() {
        let game = Game::built_in("baby", &[]).unwrap().unwrap();
        let players = ["fewest-holes", "lowest"].map(|name| Player::parse(name, &game, None).unwrap());
        let settings = ArenaSettings { games: 60, seed: 7, ..ArenaSettings::default() };
        let report = evaluate(&game, &players, &settings, &|_| true).unwrap();
        let mut comparison = Comparison::new(game, players, 7, None);
        let moves = std::cell::Cell::new(0);
        while comparison.standing().games < 60 {
            // Every third move it is told to stop.
            comparison
                .play_on(&|| {
                    moves.set(moves.get() + 1);
                    moves.get() % 3 != 0
                })
                .unwrap();
        }
        let standing = comparison.standing();
        let means = report.players.iter().map(|player| Some(player.score.mean)).collect::<Vec<_>>();
        assert_eq!(standing.means[..], means);
        let difference = standing.difference.unwrap();
        assert!((difference.mean + report.differences[0].score.mean).abs() < 1e-9);
        assert_eq!(standing.measure, Measure::Score);
    }

    #[test]
    fn a_race_is_won_by_few_pieces_and_by_whoever_gets_there() {
        let race = compare("sprint", ["weights:lee4", "weights:dellacherie"], 1, 8, None);
        assert_eq!((race.measure, race.wins.iter().sum::<usize>() + race.draws), (Measure::Pieces, 8));
        let difference = race.difference.as_ref().unwrap();
        assert!(difference.mean.abs() < 60.0, "{race:?}");
        let hopeless = compare("sprint", ["random", "weights:lee4"], 1, 8, None);
        assert_eq!((hopeless.wins, hopeless.better), ([0, 8], Some(1)));
        assert_eq!((hopeless.unfinished[0], hopeless.means[0]), (8, None));
        let same = compare("sprint", ["weights:lee4", "weights:lee4"], 1, 4, None);
        assert_eq!((same.draws, same.better), (4, None));
    }

    #[test]
    fn games_without_end_are_stopped() {
        let standing = compare("classic", ["weights:dellacherie", "weights:bcts"], 1, 2, Some(50));
        assert_eq!((standing.games, standing.unfinished), (2, [0, 0]));
    }
}
