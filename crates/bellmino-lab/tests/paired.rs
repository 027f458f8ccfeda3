//! The test by sign flips: against another count, and how often it is wrong.

use bellmino_data::MeanTest;
use bellmino_engine::{Generator, Purpose, stream, unit};
use bellmino_lab::PairedTest;

/// Lengths of games that end by a rare accident: skewed, as scores are.
fn sample(chance: &mut Generator) -> f64 {
    (-100.0 * (1.0 - unit(chance)).ln()).round()
}

/// Few pairs have the p value of every way to swap the two of a pair, which another file counts otherwise.
#[test]
fn few_pairs_are_tried_in_every_way() {
    for seed in 0..50 {
        let mut chance = stream(seed, Purpose::Dealer, 0);
        let pairs: Vec<(f64, f64)> =
            (0..4 + seed % 9).map(|_| (sample(&mut chance), sample(&mut chance))).collect();
        let (found, known) = (PairedTest::of(&pairs, 0).unwrap(), MeanTest::paired(&pairs).unwrap());
        assert!((found.p_value - known.p.unwrap()).abs() < 1e-12, "{pairs:?}");
        assert!((found.difference.estimate - known.mean).abs() < 1e-9);
    }
}

/// Of 1,000 comparisons of equals at most 5 % find a difference. With fair signs more than 76 do so once in 10,000 seeds (the
/// binomial distribution has a standard deviation of 6.9), and this seed is fixed.
#[test]
fn equals_are_rarely_told_apart() {
    for (games, most) in [(8, 76), (40, 76)] {
        let mut alarms = 0;
        for number in 0..1000 {
            let mut chance = stream(17, Purpose::Dealer, number);
            let pairs: Vec<(f64, f64)> =
                (0..games).map(|_| (sample(&mut chance), sample(&mut chance))).collect();
            let test = PairedTest::of(&pairs, number).unwrap();
            alarms += usize::from(test.p_value <= 0.05);
            // The interval says what the p value says.
            if let [Some(low), Some(high)] = test.difference.ci95 {
                assert_eq!(test.p_value <= 0.05, low > 0.0 || high < 0.0, "{pairs:?}");
            }
        }
        assert!(alarms <= most && alarms > 10, "{alarms} of 1,000 with {games} games");
    }
}

/// The true difference is 20 and the true ratio 1.2; each is missed at most 5 times in 100. More than 41 of 500 is what a right
/// interval does once in 1,000 seeds, and this seed is fixed.
#[test]
fn intervals_hold_what_they_promise() {
    let mut missed = [0, 0];
    for number in 0..500 {
        let mut chance = stream(5, Purpose::Dealer, number);
        let pairs: Vec<(f64, f64)> = (0..60)
            .map(|_| (120.0 * -(1.0 - unit(&mut chance)).ln(), 100.0 * -(1.0 - unit(&mut chance)).ln()))
            .collect();
        let test = PairedTest::of(&pairs, number).unwrap();
        let ratio = test.ratio.unwrap();
        for (place, (figure, truth)) in [(test.difference, 20.0), (ratio, 1.2)].into_iter().enumerate() {
            let [Some(low), Some(high)] = figure.ci95 else { panic!("{figure:?}") };
            missed[place] += usize::from(low > truth || high < truth);
        }
    }
    assert!(missed.iter().all(|missed| *missed <= 41), "{missed:?}");
}

/// No interval reaches beyond the games, and a ratio of points is never negative.
#[test]
fn intervals_stay_within_the_possible() {
    let pairs: Vec<(f64, f64)> = (0..30).map(|game| (f64::from(game % 7 / 6), f64::from(game % 3))).collect();
    let test = PairedTest::of(&pairs, 3).unwrap();
    let [Some(low), Some(high)] = test.ratio.clone().unwrap().ci95 else { panic!("{test:?}") };
    assert!(0.0 <= low && low < high, "{test:?}");
    let [Some(low), Some(high)] = test.difference.ci95 else { panic!("{test:?}") };
    assert!(-2.0 <= low && high <= 1.0, "{test:?}");
    let negative = PairedTest::of(&[(1.0, -2.0), (3.0, 4.0)], 0).unwrap();
    assert_eq!((negative.ratio, negative.games_needed.is_some()), (None, true));
}

#[test]
fn what_is_alike_says_nothing_of_other_games() {
    let same = PairedTest::of(&[(5.0, 5.0); 30], 0).unwrap();
    assert_eq!((same.is_equal, same.p_value, same.games_needed), (true, 1.0, None));
    assert_eq!(same.difference.ci95, [None, None]);
    let ahead = PairedTest::of(&[(5.0, 2.0); 30], 0).unwrap();
    assert_eq!((ahead.difference.estimate, ahead.games_needed), (3.0, Some(6)));
    assert!(ahead.p_value < 0.001 && ahead.difference.ci95 == [None, None]);
    assert!(PairedTest::of(&[], 0).is_none());
    // Many games are taken together, and none is lost.
    let many: Vec<(f64, f64)> = (0..10_000).map(|game| (f64::from(game), f64::from(game % 100))).collect();
    let test = PairedTest::of(&many, 0).unwrap();
    assert!((test.difference.estimate - (4999.5 - 49.5)).abs() < 1e-6);
}
