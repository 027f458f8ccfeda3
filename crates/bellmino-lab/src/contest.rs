//! Contests: games of a person beside those of a machine, ten at a time, and whether the difference is more than chance.

use std::collections::{BTreeMap, BTreeSet};

use bellmino_data::MeanTest;
use bellmino_engine::guideline::Rules;
use bellmino_engine::{AnyRecord, Outcome};
use schemars::JsonSchema;
use serde::Serialize;

/// The games of one contest.
pub const CONTEST_GAMES: usize = 10;

/// A game of a person or of a machine, so far as contests look at it.
#[derive(Clone, Debug, PartialEq)]
pub struct ContestGame {
    /// Its number where it is kept; the first game on some pieces has the lowest.
    pub id: i64,
    /// Who played.
    pub contestant: Contestant,
    name: String,
    /// All that makes it the same game.
    rules: String,
    /// Seed and index of the pieces, where chance dealt them.
    deal: Option<DealId>,
    measure: Measure,
    result: Option<f64>,
}

/// Seed and index: the same pieces.
type DealId = (u64, u64);

/// Who played a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contestant {
    /// A person, against this machine if it is known; else against any that played on the same pieces.
    Person(Option<String>),
    /// A machine of this name.
    Machine(String),
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// The points: more is better.
    Score,
    /// The pieces that the goal took: fewer is better, and a game that missed it has no result.
    Pieces,
}

/// All games of a person against one machine in one game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContestSeries {
    /// The game's name.
    pub game: String,
    /// The machine.
    pub machine: String,
    /// What is compared.
    pub measure: Measure,
    /// Whether both had the same pieces, game by game.
    pub same_pieces: bool,
    /// Ten games each, the last one perhaps fewer.
    pub contests: Vec<Contest>,
    /// Over all contests.
    pub all: ContestTally,
    /// Games on pieces that the person had played before; they count for nothing.
    pub repeated: usize,
}

/// Ten games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contest {
    /// The results, game by game.
    pub games: Vec<ContestPair>,
    /// What they come to.
    #[serde(flatten)]
    pub tally: ContestTally,
}

/// The two results of one game; absent where one was not played to its end or missed the goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ContestPair {
    /// The person's.
    pub person: Option<f64>,
    /// The machine's.
    pub machine: Option<f64>,
}

/// What games come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContestTally {
    /// The person's mean.
    pub person_mean: Option<f64>,
    /// The machine's mean.
    pub machine_mean: Option<f64>,
    /// Games in which the person was better; counted where both have a result on the same pieces.
    pub won: usize,
    /// Games in which both were equally good.
    pub drawn: usize,
    /// Games in which the machine was better.
    pub lost: usize,
    /// The person minus the machine: paired where the pieces are the same, else by Welch's t test.
    pub difference: Option<MeanTest>,
}

impl ContestGame {
    /// A recorded game; `None` if its record does not say what came of it, or it did not begin with an empty board.
    pub fn of(record: &AnyRecord, id: i64, contestant: Contestant) -> Option<ContestGame> {
        let (rules, deal, measure, result) = match record {
            AnyRecord::Placement(record) => {
                let deal = record.dealt.is_none().then_some((record.seed, record.index));
                let rules = format!("{} {} {}", record.rules, record.previews, record.hold);
                (rules, deal, Measure::Score, Some(record.summary.as_ref()?.score))
            }
            AnyRecord::Guideline(record) => {
                if record.start.is_some() {
                    return None;
                }
                let summary = record.summary.as_ref()?;
                let measure = Measure::of(&record.rules);
                let result = match measure {
                    Measure::Score => Some(summary.stats.score as f64),
                    Measure::Pieces => {
                        (summary.outcome == Some(Outcome::Goal)).then_some(f64::from(summary.stats.pieces))
                    }
                };
                let rules = serde_json::to_string(&record.rules).ok()?;
                (rules, Some((record.seed, record.index)), measure, result)
            }
        };
        Some(ContestGame { id, contestant, name: record.game().to_owned(), rules, deal, measure, result })
    }
}

impl ContestGame {
    fn machine(&self) -> Option<&str> {
        match &self.contestant {
            Contestant::Machine(name) => Some(name),
            Contestant::Person(_) => None,
        }
    }
}

impl Measure {
    pub(crate) fn of(rules: &Rules) -> Measure {
        if rules.goal.lines.is_some() { Measure::Pieces } else { Measure::Score }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Score => "score",
            Measure::Pieces => "pieces",
        }
    }
}

/// Collects contests from games, in the order of their numbers.
///
/// A person's game stands beside the machine's game on the same pieces. Of several attempts at the same pieces the first
/// counts. Where a person dealt, no two games have the same pieces: they stand beside each other in the order of play.
pub fn contests(games: impl IntoIterator<Item = ContestGame>) -> Vec<ContestSeries> {
    let mut games: Vec<ContestGame> = games.into_iter().collect();
    games.sort_by_key(|game| game.id);
    let mut machines: BTreeMap<(&str, Option<DealId>), Vec<&ContestGame>> = BTreeMap::new();
    for game in &games {
        if game.machine().is_some() {
            machines.entry((&game.rules, game.deal)).or_default().push(game);
        }
    }
    let mut all: Vec<Gathered<'_>> = Vec::new();
    for game in &games {
        let Contestant::Person(against) = &game.contestant else { continue };
        let others = machines.get(&(game.rules.as_str(), game.deal)).map_or(&[][..], Vec::as_slice);
        let names: BTreeSet<&str> = match against {
            Some(machine) => [machine.as_str()].into(),
            None => others.iter().filter_map(|game| game.machine()).collect(),
        };
        for name in names {
            let known = all.iter().position(|series| {
                (series.machine, series.first.rules.as_str()) == (name, game.rules.as_str())
                    && series.first.deal.is_some() == game.deal.is_some()
            });
            let place = known.unwrap_or_else(|| {
                all.push(Gathered {
                    machine: name,
                    first: game,
                    seen: BTreeSet::new(),
                    pairs: vec![],
                    repeated: 0,
                });
                all.len() - 1
            });
            let series = &mut all[place];
            if game.deal.is_some_and(|deal| !series.seen.insert(deal)) {
                series.repeated += 1;
                continue;
            }
            let mut its = others.iter().filter(|game| game.machine() == Some(name));
            // Where a person dealt, the next one of the machine's that is left.
            let its = if game.deal.is_some() { its.next() } else { its.nth(series.pairs.len()) };
            let machine = its.and_then(|game| game.result);
            series.pairs.push(ContestPair { person: game.result, machine });
        }
    }
    all.into_iter().map(Gathered::finish).collect()
}

/// A series as it is collected.
struct Gathered<'a> {
    machine: &'a str,
    first: &'a ContestGame,
    seen: BTreeSet<DealId>,
    pairs: Vec<ContestPair>,
    repeated: usize,
}

impl Gathered<'_> {
    fn finish(self) -> ContestSeries {
        let (measure, same_pieces) = (self.first.measure, self.first.deal.is_some());
        let tally = |games: &[ContestPair]| ContestTally::of(games, measure, same_pieces);
        let contests = self.pairs.chunks(CONTEST_GAMES);
        ContestSeries {
            game: self.first.name.clone(),
            machine: self.machine.to_owned(),
            measure,
            same_pieces,
            contests: contests.map(|games| Contest { games: games.to_vec(), tally: tally(games) }).collect(),
            all: tally(&self.pairs),
            repeated: self.repeated,
        }
    }
}

impl ContestTally {
    fn of(games: &[ContestPair], measure: Measure, same_pieces: bool) -> ContestTally {
        let persons: Vec<f64> = games.iter().filter_map(|pair| pair.person).collect();
        let machines: Vec<f64> = games.iter().filter_map(|pair| pair.machine).collect();
        let both: Vec<(f64, f64)> = games.iter().filter_map(|pair| pair.person.zip(pair.machine)).collect();
        let compared: &[(f64, f64)] = if same_pieces { &both } else { &[] };
        let better = |a: f64, b: f64| if measure == Measure::Score { a > b } else { a < b };
        ContestTally {
            person_mean: mean(&persons),
            machine_mean: mean(&machines),
            won: compared.iter().filter(|(person, machine)| better(*person, *machine)).count(),
            drawn: compared.iter().filter(|(person, machine)| person == machine).count(),
            lost: compared.iter().filter(|(person, machine)| better(*machine, *person)).count(),
            difference: if same_pieces {
                MeanTest::paired(&both)
            } else {
                MeanTest::welch(&persons, &machines)
            },
        }
    }
}

fn mean(sample: &[f64]) -> Option<f64> {
    (!sample.is_empty()).then(|| sample.iter().sum::<f64>() / sample.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_data::TestMethod;

    /// The ten games of a person in the report on the 3x3 board, and ten of a machine.
    const PERSON: [f64; 10] = [17.0, 14.0, 7.0, 4.0, 3.0, 3.0, 15.0, 21.0, 6.0, 2.0];
    const MACHINE: [f64; 10] = [20.0, 14.0, 9.0, 4.0, 12.0, 8.0, 14.0, 30.0, 6.0, 14.0];

    fn game(id: i64, contestant: Contestant, seed: Option<u64>, result: f64) -> ContestGame {
        ContestGame {
            id,
            contestant,
            name: "mini".to_owned(),
            rules: "mini".to_owned(),
            deal: seed.map(|seed| (seed, 0)),
            measure: Measure::Score,
            result: Some(result),
        }
    }

    fn person(against: Option<&str>) -> Contestant {
        Contestant::Person(against.map(str::to_owned))
    }

    fn machine(name: &str) -> Contestant {
        Contestant::Machine(name.to_owned())
    }

    #[test]
    fn ten_games_on_the_same_pieces() {
        let mut games = vec![];
        for (seed, (one, other)) in (0..).zip(PERSON.into_iter().zip(MACHINE)) {
            games.push(game(2 * seed + 1, machine("exact"), Some(seed as u64), other));
            games.push(game(2 * seed, person(Some("exact")), Some(seed as u64), one));
        }
        // Once more on the pieces of the first game, and one against another machine that gave up.
        games.push(game(90, person(Some("exact")), Some(0), 99.0));
        games.push(game(91, person(Some("lowest")), Some(77), 5.0));
        let series = contests(games);
        let [exact, lowest] = &series[..] else { panic!("{series:?}") };
        assert_eq!((exact.game.as_str(), exact.machine.as_str(), exact.repeated), ("mini", "exact", 1));
        let [contest] = &exact.contests[..] else { panic!("{exact:?}") };
        assert_eq!(contest.games.iter().map(|pair| pair.person).collect::<Vec<_>>(), PERSON.map(Some));
        let tally = &contest.tally;
        assert_eq!((tally.person_mean, tally.machine_mean), (Some(9.2), Some(13.1)));
        assert_eq!((tally.won, tally.drawn, tally.lost), (1, 3, 6));
        let test = tally.difference.as_ref().unwrap();
        assert_eq!(test.method, TestMethod::PairedSwaps);
        assert!((test.mean + 3.9).abs() < 1e-12);
        assert_eq!(exact.all, *tally);
        assert_eq!((lowest.all.person_mean, &lowest.all.difference), (Some(5.0), &None));
    }

    #[test]
    fn the_eleventh_game_begins_another_contest() {
        let pairs = (0..11).flat_map(|seed| {
            let (id, deal) = (2 * seed as i64, Some(seed));
            [game(id, person(None), deal, 1.0), game(id + 1, machine("lowest"), deal, 2.0)]
        });
        let series = contests(pairs);
        let lengths: Vec<usize> = series[0].contests.iter().map(|contest| contest.games.len()).collect();
        assert_eq!((series.len(), lengths, series[0].all.lost), (1, vec![10, 1], 11));
    }

    #[test]
    fn where_people_deal_samples_are_compared() {
        let games = (0..10).flat_map(|place| {
            let id = 2 * place as i64;
            [
                game(id, person(Some("exact")), None, PERSON[place]),
                game(id + 1, machine("exact"), None, MACHINE[place]),
            ]
        });
        let series = contests(games);
        let all = &series[0].all;
        assert_eq!((series[0].same_pieces, all.won + all.drawn + all.lost), (false, 0));
        assert_eq!(all.difference.as_ref().unwrap().method, TestMethod::Welch);
        assert_eq!((all.person_mean, all.machine_mean), (Some(9.2), Some(13.1)));
    }

    #[test]
    fn a_game_without_a_machine_is_no_contest() {
        assert_eq!(contests([game(1, person(None), Some(1), 3.0)]), []);
        assert_eq!(contests([game(1, machine("exact"), Some(1), 3.0)]), []);
    }
}
