//! The solver against a slow one that shares no code with it: cells in sets, plain recursion.

use std::collections::HashMap;

use bellmino_engine::placement::DealerState;
use bellmino_engine::placement::reference::{self, Cells};
use bellmino_engine::{Game, Override, PlacementGame};
use bellmino_exact::{Dealing, Objective, Placing, Silent, SolveSettings, solve};
use proptest::prelude::*;

type Key = (Vec<(i32, i32)>, DealerState, Vec<u8>, Option<u8>, u32);

struct Slow<'a> {
    game: &'a PlacementGame,
    settings: &'a SolveSettings,
    discount: f64,
    known: HashMap<Key, f64>,
}

impl Slow<'_> {
    fn combine(&self, values: &[(f64, f64)]) -> f64 {
        let mean: f64 = values.iter().map(|(probability, value)| probability * value).sum();
        let least = values.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
        match self.settings.dealing {
            Dealing::Random => mean,
            Dealing::Worst | Dealing::WorstBefore => least,
            Dealing::Mixed(share) => share * least + (1.0 - share) * mean,
        }
    }

    /// The value with `left` pieces to place, before the next piece is dealt.
    fn after(&mut self, board: &Cells, state: DealerState, queue: &[u8], held: Option<u8>, left: u32) -> f64 {
        if left == 0 {
            return 0.0;
        }
        let mut cells: Vec<_> = board.iter().copied().collect();
        cells.sort_unstable();
        let key = (cells, state, queue.to_vec(), held, left);
        if let Some(value) = self.known.get(&key) {
            return *value;
        }
        let queue_length = self.settings.preview + usize::from(self.settings.dealing == Dealing::WorstBefore);
        let mut values = Vec::new();
        for deal in self.game.dealer().deals(state).to_vec() {
            let mut longer = queue.to_vec();
            longer.push(deal.piece);
            let value = if queue.len() < queue_length {
                self.after(board, deal.next, &longer, held, left)
            } else {
                self.hand(board, deal.next, &longer, held, left)
            };
            values.push((deal.probability, value));
        }
        let value = self.combine(&values);
        self.known.insert(key, value);
        value
    }

    fn hand(&mut self, board: &Cells, state: DealerState, queue: &[u8], held: Option<u8>, left: u32) -> f64 {
        let mut options = vec![self.place(board, queue[0], state, &queue[1..], held, left)];
        if self.settings.hold {
            if let Some(piece) = held {
                options.push(self.place(board, piece, state, &queue[1..], Some(queue[0]), left));
            } else {
                let mut values = Vec::new();
                let mut alive = false;
                for deal in self.game.dealer().deals(state).to_vec() {
                    let mut rest = queue[1..].to_vec();
                    rest.push(deal.piece);
                    let value = self.place(board, rest[0], deal.next, &rest[1..], Some(queue[0]), left);
                    alive |= value.is_some();
                    values.push((deal.probability, value.unwrap_or(0.0)));
                }
                options.push(alive.then(|| self.combine(&values)));
            }
        }
        options
            .into_iter()
            .flatten()
            .fold(None, |best: Option<f64>, v| Some(best.map_or(v, |b| b.max(v))))
            .unwrap_or(0.0)
    }

    fn place(
        &mut self,
        board: &Cells,
        piece: u8,
        state: DealerState,
        queue: &[u8],
        held: Option<u8>,
        left: u32,
    ) -> Option<f64> {
        let placements = reference::placements(self.game, board, piece as usize);
        let mut values = Vec::new();
        for (_, after) in &placements {
            if let Some((after, rows)) = after {
                let later = self.after(after, state, queue, held, left - 1);
                values.push(self.game.score().points(*rows) + self.discount * later);
            }
        }
        if values.is_empty() {
            return None;
        }
        Some(match self.settings.placing {
            Placing::Best => values.into_iter().fold(f64::MIN, f64::max),
            Placing::Average => values.iter().sum::<f64>() / placements.len() as f64,
        })
    }
}

fn slow_value(game: &PlacementGame, settings: &SolveSettings, discount: f64, left: u32) -> f64 {
    let mut slow = Slow { game, settings, discount, known: HashMap::new() };
    slow.after(&Cells::new(), game.dealer().start(), &[], None, left)
}

fn tiny_game() -> impl Strategy<Value = PlacementGame> {
    let dealers = [
        vec!["dealer.kind=weighted"],
        vec!["dealer.kind=bag"],
        vec!["dealer.kind=markov"],
        vec!["dealer.kind=sequence", "dealer.order=[\"L3\",\"I2\",\"L3\"]"],
    ];
    let path = prop::sample::select(vec!["drop", "slide", "anywhere"]);
    let overflow = prop::sample::select(vec!["forbidden", "clear-first"]);
    let sets =
        prop::sample::select(vec!["[\"L3\",\"I2\"]", "[\"I2\",\"L3\",\"O1\"]", "[\"L3\",\"I2\",\"S\"]"]);
    (2..=3i32, 2..=3i32, prop::sample::select(dealers.to_vec()), path, overflow, sets).prop_filter_map(
        "a piece does not fit",
        |(width, height, dealer, path, overflow, set)| {
            let mut overrides = vec![
                format!("board.width={width}"),
                format!("board.height={height}"),
                format!("landing.path={path}"),
                format!("landing.overflow={overflow}"),
                format!("pieces.set={set}"),
            ];
            overrides.extend(dealer.iter().map(|&text| text.to_owned()));
            let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
            Some(Game::built_in("baby", &overrides).unwrap().ok()?.placement().unwrap().clone())
        },
    )
}

fn any_settings() -> impl Strategy<Value = SolveSettings> {
    let dealing = prop::sample::select(vec![
        Dealing::Random,
        Dealing::Worst,
        Dealing::WorstBefore,
        Dealing::Mixed(0.4),
    ]);
    let placing = prop::sample::select(vec![Placing::Best, Placing::Average]);
    (dealing, placing, 0..=1usize, any::<bool>()).prop_map(|(dealing, placing, preview, hold)| {
        SolveSettings { dealing, placing, preview, hold, ..SolveSettings::new(Objective::Total) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn horizons_agree(game in tiny_game(), settings in any_settings(), left in 1..=5u32) {
        let settings = SolveSettings { objective: Objective::Horizon(left), ..settings };
        let found = solve(&game, &settings, &Silent).unwrap().report;
        let slow = slow_value(&game, &settings, 1.0, left);
        prop_assert!((found.value.unwrap() - slow).abs() <= 1e-9, "{} instead of {slow}", found.value.unwrap());
        prop_assert!(found.error_bound < 1e-9);
    }

    #[test]
    fn discounted_values_agree(game in tiny_game(), settings in any_settings()) {
        let settings = SolveSettings { objective: Objective::Discounted(0.4), ..settings };
        let found = solve(&game, &settings, &Silent).unwrap().report;
        // After 12 pieces of at most 6 points nothing above 6 * 0.4^12 / 0.6 < 2e-4 is left.
        let slow = slow_value(&game, &settings, 0.4, 12);
        let value = found.value.unwrap();
        prop_assert!(slow <= value + found.error_bound + 1e-9 && value <= slow + 2e-4 + found.error_bound);
    }

    #[test]
    fn totals_lie_between_horizons_and_their_bounds(game in tiny_game(), settings in any_settings()) {
        let Ok(solution) = solve(&game, &settings, &Silent) else { return Ok(()) };
        let found = solution.report;
        let slow = slow_value(&game, &settings, 1.0, 6);
        if let Some(value) = found.value {
            prop_assert!(slow <= value + found.error_bound);
            let within = |pieces| {
                let settings = SolveSettings { objective: Objective::Horizon(pieces), ..settings.clone() };
                solve(&game, &settings, &Silent).unwrap().report.value.unwrap()
            };
            let long = within(3000);
            prop_assert!(long <= value + found.error_bound + 1e-9, "{long} {value}");
            // What is left shrinks by the same factor with every 3000 pieces: a game of some hundred pieces on average
            // has a few thousandths left after 3000, and nothing worth mentioning after 30,000.
            let is_near = |long: f64| value <= long + 1e-3 + found.error_bound;
            prop_assert!(is_near(long) || is_near(within(30_000)), "{long} {value}");
        } else {
            let long = SolveSettings { objective: Objective::Horizon(3000), ..settings.clone() };
            let longer = SolveSettings { objective: Objective::Horizon(6000), ..settings };
            let [long, longer] = [long, longer].map(|s| solve(&game, &s, &Silent).unwrap().report.value.unwrap());
            prop_assert!(longer > long + 1.0, "{long} {longer}");
        }
    }
}
