//! Pairs of results on the same pieces: by how much the first is ahead, and whether that is more than chance.
//!
//! If two players are equally good, every difference might as well have had the other sign. Of all ways to choose some of the games,
//! the means of the chosen differences then lie around the true one, as many below it as above: 95 of 100 such means bound it. So
//! interval and p value are one test, and no interval leaves what the games show to be possible.

use bellmino_data::numbers::grouped;
use bellmino_engine::{Purpose, Rng, stream};
use schemars::JsonSchema;
use serde::Serialize;

/// The most units of which every choice is tried.
const MOST_TRIED: usize = 16;

/// Choices that are drawn where there are more.
const DRAWN: usize = 9_999;

/// More games than this are taken together, as many neighbours as it needs.
const MOST_UNITS: usize = 4_096;

/// A figure of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PairedFigure {
    /// The figure.
    pub estimate: f64,
    /// Its 95 % interval; an end is absent where the games do not bound it.
    pub ci95: [Option<f64>; 2],
    /// How the interval was found.
    pub method: String,
}

/// What pairs of results say.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedTest {
    /// The mean of the first minus that of the second.
    pub difference: PairedFigure,
    /// The mean of the first divided by that of the second, where both are positive.
    pub ratio: Option<PairedFigure>,
    /// How often chance alone makes a difference at least as large, in either direction.
    pub p_value: f64,
    /// Games that a difference as large as this needs to be told from chance in eight comparisons of ten.
    pub games_needed: Option<u64>,
    /// Whether every game came out the same for both.
    pub is_equal: bool,
}

/// Results of some games, taken together.
#[derive(Clone, Copy, Default)]
struct PairedUnit {
    first: f64,
    second: f64,
    games: f64,
}

impl PairedTest {
    /// Compares pairs; `None` if there are none.
    ///
    /// ```
    /// use bellmino_lab::PairedTest;
    ///
    /// let test = PairedTest::of(&[(3.0, 1.0), (4.0, 2.0), (5.0, 2.0)], 0).unwrap();
    /// // Of eight ways to choose signs, this one and its mirror image are as extreme.
    /// assert_eq!((test.p_value, test.ratio.unwrap().estimate), (0.25, 2.4));
    /// assert_eq!(test.difference.ci95, [None, None], "three games bound nothing");
    /// ```
    pub fn of(pairs: &[(f64, f64)], seed: u64) -> Option<PairedTest> {
        if pairs.is_empty() {
            return None;
        }
        let units: Vec<PairedUnit> =
            pairs.chunks(pairs.len().div_ceil(MOST_UNITS)).map(PairedUnit::of).collect();
        let all = PairedUnit::of(pairs);
        let size: f64 = pairs.iter().map(|(first, second)| (first - second).abs()).sum();
        let chosen = choices(&units, seed);
        let counted = |is: &dyn Fn(f64) -> bool| chosen.iter().filter(|one| is(one.difference())).count();
        // Sums of the same numbers in another order may differ in their last digits.
        let close = 1e-9 * size / all.games;
        let fewer = counted(&|mean| mean <= close).min(counted(&|mean| mean >= -close));
        let p_value = (2.0 * (fewer + 1) as f64 / (chosen.len() + 1) as f64).min(1.0);
        let method = match units.len() <= MOST_TRIED {
            true => format!("sign flips, all {}", grouped((chosen.len() + 1) as f64, 0)),
            false => format!("sign flips, {} drawn with seed {seed}", grouped(DRAWN as f64, 0)),
        };
        // Where all games are alike nothing is known of others.
        let varies = |value: fn(&PairedUnit) -> f64| {
            size > 0.0 && units.iter().any(|unit| value(unit) != value(&units[0]))
        };
        let figure = |value: fn(&PairedUnit) -> f64| PairedFigure {
            estimate: value(&all),
            ci95: if varies(value) { ends(chosen.iter().map(value).collect()) } else { [None; 2] },
            method: method.clone(),
        };
        let is_positive =
            all.second > 0.0 && pairs.iter().all(|(first, second)| *first >= 0.0 && *second >= 0.0);
        Some(PairedTest {
            difference: figure(PairedUnit::difference),
            ratio: is_positive.then(|| figure(PairedUnit::ratio)),
            p_value,
            games_needed: games_needed(pairs),
            is_equal: size == 0.0,
        })
    }
}

impl PairedUnit {
    fn of(pairs: &[(f64, f64)]) -> PairedUnit {
        pairs.iter().fold(PairedUnit::default(), |sum, (first, second)| {
            sum.and(&PairedUnit { first: *first, second: *second, games: 1.0 })
        })
    }

    fn and(self, other: &PairedUnit) -> PairedUnit {
        PairedUnit {
            first: self.first + other.first,
            second: self.second + other.second,
            games: self.games + other.games,
        }
    }

    fn difference(&self) -> f64 {
        (self.first - self.second) / self.games
    }

    fn ratio(&self) -> f64 {
        self.first / self.second
    }
}

/// Some of the units taken together: every way to choose some, or many ways drawn at random.
fn choices(units: &[PairedUnit], seed: u64) -> Vec<PairedUnit> {
    let chosen = |is_in: &mut dyn FnMut(usize) -> bool| {
        let all = units.iter().enumerate();
        all.fold(PairedUnit::default(), |sum, (place, unit)| if is_in(place) { sum.and(unit) } else { sum })
    };
    if units.len() <= MOST_TRIED {
        return (1..1usize << units.len()).map(|way| chosen(&mut |place| way >> place & 1 == 1)).collect();
    }
    let mut chance = stream(seed ^ 0x7369_676e_2066_6c69, Purpose::Player, 0);
    let mut drawn = Vec::with_capacity(DRAWN);
    while drawn.len() < DRAWN {
        let mut bits = 0;
        let one = chosen(&mut |place| {
            bits = if place % 64 == 0 { chance.next_u64() } else { bits >> 1 };
            bits & 1 == 1
        });
        if one.games > 0.0 {
            drawn.push(one);
        }
    }
    drawn
}

/// The values between which the true one lies with 95 %: as many of the choices are below the first as above the last.
fn ends(mut values: Vec<f64>) -> [Option<f64>; 2] {
    values.sort_by(f64::total_cmp);
    let outside = (0.025 * (values.len() + 1) as f64) as usize;
    let end = |place: usize| values.get(place).copied().filter(|value| value.is_finite());
    match outside {
        0 => [None; 2],
        outside => [end(outside - 1), end(values.len() - outside)],
    }
}

/// By the spread of the differences: a two-sided test at 5 % with a power of 80 %.
fn games_needed(pairs: &[(f64, f64)]) -> Option<u64> {
    /// The squared sum of the quantiles of the normal distribution for 97.5 % and 80 %.
    const POWER: f64 = 7.848_879_734;
    /// Fewer have too few signs.
    const FEWEST: f64 = 6.0;
    let count = pairs.len() as f64;
    let mean = pairs.iter().map(|(first, second)| first - second).sum::<f64>() / count;
    let squares: f64 = pairs.iter().map(|(first, second)| (first - second - mean).powi(2)).sum();
    let needed = (POWER * squares / (count - 1.0) / (mean * mean)).ceil().max(FEWEST);
    (count > 1.0 && mean != 0.0 && needed.is_finite()).then_some(needed as u64)
}
