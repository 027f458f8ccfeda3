//! Distributions against an enumeration that goes forward through everything that can be dealt, against games that are
//! played, and against the values of the solver.

use std::collections::HashMap;

use bellmino_engine::placement::{DealerState, Grid, Overflow, PackedBoard};
use bellmino_engine::{Game, Override, PlacementGame};
use bellmino_exact::{
    Dealing, Distribution, InHand, Objective, Placing, Policy, ResultUnit, Sides, Silent, SolveSettings,
    Table, distribution, range_over_ties, solve, solve_between,
};

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

fn settings(objective: &str) -> SolveSettings {
    let keep_stages = objective.starts_with("horizon");
    SolveSettings { keep_stages, ..SolveSettings::new(objective.parse().unwrap()) }
}

fn best(game: &PlacementGame, settings: &SolveSettings) -> Table {
    solve(game, settings, &Silent).unwrap().table
}

/// One placement of a player: what it gains of each unit, and the board that follows if the game goes on.
fn placed(
    game: &PlacementGame,
    player: &dyn Policy,
    board: PackedBoard,
    (piece, state): (u8, DealerState),
    left: Option<u32>,
) -> ([f64; 3], Option<PackedBoard>) {
    let hand = InHand { queue: &[piece], states: &[state], held: None, left };
    let lands = game.landing().overflow == Overflow::ClearFirst;
    let over = ([0.0, 0.0, f64::from(u8::from(lands))], None);
    let Some(placement) = player.place(board, &hand) else { return over };
    let landed = board.place_unchecked(game, placement);
    if landed.fatal {
        return over;
    }
    let lines = landed.lines();
    ([game.score().points(lines), f64::from(lines), 1.0], Some(landed.board))
}

fn index(unit: ResultUnit) -> usize {
    [ResultUnit::Score, ResultUnit::Lines, ResultUnit::Pieces].iter().position(|one| *one == unit).unwrap()
}

/// The chances of each result, by going through everything that can be dealt.
fn enumerated(
    game: &PlacementGame,
    player: &dyn Policy,
    unit: ResultUnit,
    pieces: Option<u32>,
) -> Vec<(f64, f64)> {
    let mut alive = HashMap::from([((0u64, game.dealer().start(), 0u64), 1.0)]);
    let mut ended: HashMap<u64, f64> = HashMap::new();
    for made in 0.. {
        let left = pieces.map(|pieces| pieces - made);
        if left == Some(0) || alive.values().sum::<f64>() < 1e-13 {
            break;
        }
        let mut next = HashMap::new();
        for ((board, state, sum), chance) in alive {
            for deal in game.dealer().deals(state) {
                let chance = chance * deal.probability;
                let (gains, after) = placed(game, player, PackedBoard(board), (deal.piece, deal.next), left);
                let sum = (f64::from_bits(sum) + gains[index(unit)]).to_bits();
                match after {
                    Some(after) => *next.entry((after.0, deal.next, sum)).or_insert(0.0) += chance,
                    None => *ended.entry(sum).or_insert(0.0) += chance,
                }
            }
        }
        alive = next;
    }
    for ((_, _, sum), chance) in alive {
        *ended.entry(sum).or_insert(0.0) += chance;
    }
    let mut all: Vec<(f64, f64)> = ended.into_iter().map(|(sum, p)| (f64::from_bits(sum), p)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

/// The chance of at least so much.
fn at_least(found: &Distribution, result: f64) -> f64 {
    found.at_least.iter().find(|(at, _)| *at >= result - 1e-9).map_or(0.0, |(_, chance)| *chance)
}

const UNITS: [ResultUnit; 3] = [ResultUnit::Score, ResultUnit::Lines, ResultUnit::Pieces];

#[test]
fn every_chance_is_that_of_the_enumeration() {
    for (name, overrides, objective) in [
        ("mini", vec![], "total"),
        ("mini", vec!["dealer.kind=bag"], "total"),
        ("mini", vec!["landing.overflow=forbidden", "score.lines=[0,1.5,4,9]"], "total"),
        ("mini", vec![], "horizon:9"),
        ("baby", vec!["board.width=3", "board.height=3"], "horizon:8"),
        ("baby", vec!["board.width=2", "board.height=4", "score.lines=[0.5,1]"], "horizon:6"),
        ("mini", vec!["dealer.kind=sequence", "dealer.order=[\"S\",\"I2\",\"S\",\"L3\"]"], "horizon:7"),
    ] {
        let game = game(name, &overrides);
        let asked = settings(objective);
        let table = best(&game, &asked);
        let pieces = match asked.objective {
            Objective::Horizon(pieces) => Some(pieces),
            _ => None,
        };
        let sides = Sides { player: Some(&table), dealer: None };
        for unit in UNITS {
            let found = distribution(&game, &asked, sides, unit, &Silent).unwrap();
            let slow = enumerated(&game, &table, unit, pieces);
            let mut above = 1.0;
            for (result, chance) in &slow {
                let told = at_least(&found, *result);
                assert!(
                    (told - above).abs() <= found.error_bound + 1e-12,
                    "{name} {objective} {unit:?}: {result} {told} {above}"
                );
                above -= chance;
            }
            let mean: f64 = slow.iter().map(|(result, chance)| result * chance).sum();
            let variance: f64 = slow.iter().map(|(result, chance)| chance * (result - mean).powi(2)).sum();
            assert!((found.mean - mean).abs() < 1e-9 && (found.variance - variance).abs() < 1e-8);
            assert!(found.at_least.is_sorted_by(|a, b| a.0 < b.0 && a.1 >= b.1));
            for share in [0.01, 0.25, 0.5, 0.99] {
                let quantile = found.quantile(share);
                assert!(1.0 - at_least(&found, quantile + 1e-6) >= share - 1e-12);
                assert!(1.0 - at_least(&found, quantile) < share);
            }
            assert!((found.mean_of_worst(1.0) - mean).abs() < 1e-9);
            assert!(found.mean_of_worst(0.1) <= found.quantile(0.1) + 1e-9);
        }
    }
}

/// The mean of the points is the value, whoever plays and deals; the variance is that which is asked of optimal players.
#[test]
fn means_are_values() {
    for (name, overrides, objective) in [
        ("mini", vec![], "total"),
        ("small", vec!["board.height=3"], "total"),
        ("mini", vec!["dealer.kind=bag"], "total"),
        ("baby", vec![], "horizon:30"),
        ("baby", vec!["dealer.weights=[1,4]"], "horizon:12"),
        ("small", vec!["board.height=3"], "horizon:9"),
    ] {
        let game = game(name, &overrides);
        let asked = settings(objective);
        let solved = solve(&game, &asked, &Silent).unwrap();
        let sides = Sides { player: Some(&solved.table), dealer: None };
        let found = distribution(&game, &asked, sides, ResultUnit::Score, &Silent).unwrap();
        let value = solved.report.value.unwrap();
        assert!((found.mean - value).abs() < 1e-7 * value.max(1.0), "{name}: {} {value}", found.mean);
        let range = range_over_ties(&game, &asked, &"variance".parse().unwrap(), &Silent).unwrap();
        let allowed = 1e-6 * found.variance.max(1.0);
        assert!(
            range.low - allowed <= found.variance && found.variance <= range.high + allowed,
            "{name}: {} {range:?}",
            found.variance
        );
        let random = SolveSettings { placing: Placing::Average, keep_stages: false, ..asked };
        let value = solve(&game, &random, &Silent).unwrap().report.value.unwrap();
        let found = distribution(&game, &random, Sides::default(), ResultUnit::Score, &Silent).unwrap();
        assert!((found.mean - value).abs() < 1e-7 * value.max(1.0), "{name}: {} {value}", found.mean);
    }
    // A table that deals.
    let mini = game("mini", &[]);
    let mixed = SolveSettings { dealing: Dealing::Mixed(0.4), ..settings("total") };
    let table = best(&mini, &mixed);
    let sides = Sides { player: Some(&table), dealer: Some(&table) };
    let value = solve_between(&mini, &settings("total"), sides, None, &Silent).unwrap().report.value.unwrap();
    let found = distribution(&mini, &settings("total"), sides, ResultUnit::Score, &Silent).unwrap();
    assert!((found.mean - value).abs() < 1e-7);
}

/// Numbers that look like chance, always the same ones.
struct Lots(u64);

impl Lots {
    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) as f64 / u64::MAX as f64
    }
}

/// Games that are played lie everywhere as near to the distribution as the inequality of Dvoretzky, Kiefer and Wolfowitz
/// asks. For each of fifteen comparisons the chance of a false alarm is at most 1e-6; the lots are always the same.
#[test]
fn played_games_are_distributed_like_this() {
    const GAMES: usize = 200_000;
    let near = ((2.0f64 / 1e-6).ln() / (2.0 * GAMES as f64)).sqrt();
    for (name, overrides, objective) in [
        ("mini", vec![], "total"),
        ("mini", vec!["dealer.kind=bag", "landing.overflow=forbidden"], "total"),
        ("small", vec!["board.height=3"], "total"),
        ("baby", vec![], "horizon:15"),
        ("baby", vec!["board.height=3", "dealer.weights=[1,3]"], "horizon:10"),
    ] {
        let game = game(name, &overrides);
        let asked = settings(objective);
        let table = best(&game, &asked);
        let sides = Sides { player: Some(&table), dealer: None };
        let pieces = table.horizon();
        let mut known = HashMap::new();
        let mut lots = Lots(7);
        let mut results = [const { Vec::new() }; 3];
        for _ in 0..GAMES {
            let (mut board, mut state, mut left) = (PackedBoard::empty(&game), game.dealer().start(), pieces);
            let mut sums = [0.0; 3];
            while left != Some(0) {
                let mut lot = lots.draw();
                let deals = game.dealer().deals(state);
                let dealt = deals.iter().find(|deal| {
                    lot -= deal.probability;
                    lot < 0.0
                });
                let deal = dealt.unwrap_or(&deals[deals.len() - 1]);
                let key = (board.0, deal.piece, deal.next, left);
                let (gains, after) = *known
                    .entry(key)
                    .or_insert_with(|| placed(&game, &table, board, (deal.piece, deal.next), left));
                sums.iter_mut().zip(gains).for_each(|(sum, gain)| *sum += gain);
                let Some(after) = after else { break };
                (board, state, left) = (after, deal.next, left.map(|left| left - 1));
            }
            results.iter_mut().zip(sums).for_each(|(results, sum)| results.push(sum));
        }
        for unit in UNITS {
            let found = distribution(&game, &asked, sides, unit, &Silent).unwrap();
            let results = &mut results[index(unit)];
            results.sort_by(f64::total_cmp);
            for (result, chance) in &found.at_least {
                let below = results.partition_point(|one| one < &(result - 1e-9));
                let played = 1.0 - below as f64 / GAMES as f64;
                assert!((played - chance).abs() <= near, "{name} {unit:?}: {result}: {played} {chance}");
            }
        }
    }
}

#[test]
fn what_has_no_distribution() {
    let refused = |name: &str, overrides: &[&str], asked: &SolveSettings, unit| {
        let game = game(name, overrides);
        let table = best(&game, &SolveSettings { placing: Placing::Best, ..asked.clone() });
        let sides = Sides { player: Some(&table), dealer: None };
        distribution(&game, asked, sides, unit, &Silent).unwrap_err().to_string()
    };
    let score = ResultUnit::Score;
    assert!(refused("baby", &[], &settings("discounted:0.9"), score).contains("total or horizon:N"));
    let paid = ["score.lines=[0,0,1,3]"];
    assert!(refused("mini", &paid, &settings("total"), score).contains("cleared for nothing"));
    let odd = ["score.lines=[0,1,1.41421356237,3]"];
    assert!(refused("mini", &odd, &settings("horizon:3"), score).contains("no common unit"));
    let worst = SolveSettings { dealing: Dealing::Worst, ..settings("total") };
    assert!(refused("mini", &[], &worst, score).contains("random dealer"));
    let baby = game("baby", &[]);
    let careful = best(&baby, &SolveSettings { dealing: Dealing::Worst, ..settings("survive") });
    let sides = Sides { player: Some(&careful), dealer: None };
    let endless = distribution(&baby, &settings("total"), sides, score, &Silent);
    assert!(endless.unwrap_err().to_string().contains("may never end"));
    let mini = game("mini", &[]);
    let nobody = distribution(&mini, &settings("total"), Sides::default(), score, &Silent);
    assert!(nobody.unwrap_err().to_string().contains("given player"));
}
