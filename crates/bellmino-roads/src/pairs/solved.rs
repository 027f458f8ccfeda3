//! Solved games: values against plain recursion, against play, and tables against themselves.

use std::ops::ControlFlow;
use std::sync::Arc;

use bellmino_engine::placement::{Allowance, AnyColumns, DealtBy, Match};
use bellmino_engine::{Game, Generator, PlacementGame, Purpose, stream};
use bellmino_exact::{Dealing, Objective, Sides, Silent, SolveSettings, Table, solve, solve_between};
use bellmino_host::Files;
use bellmino_lab::{ArenaSettings, AtWork, Opponent, Player, Plays, SolvePlan, evaluate};
use bellmino_learn::{BUILT_IN_CONTROLLERS, Controller};

use crate::dice::Dice;
use crate::pair::{Asked, Compared, near, same, words};
use crate::plain::{PlainDealer, PlainDealing, PlainValue};

/// Games that are solved: larger ones take too long for a random one.
fn small(asked: &Asked) -> Option<&PlacementGame> {
    asked.placement().filter(|game| game.width() * game.height() <= 12 && game.pieces().len() <= 3)
}

/// Every dealer, preview and hold, for few pieces and for a discount that soon leaves nothing.
pub(super) fn solver_and_recursion(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = small(asked) else { return Ok(Compared::default()) };
    let mut dice = Dice::new(asked.seed, 8 << 32);
    let dealer = PlainDealer::read(&asked.text);
    let mut all = Compared::default();
    for _ in 0..3 {
        let dealing = dice.pick(&[
            Dealing::Random,
            Dealing::Random,
            Dealing::Worst,
            Dealing::WorstBefore,
            Dealing::Mixed(0.25),
        ]);
        let (preview, hold) = (dice.below(2), dice.once_in(3));
        // Who names the next piece before the placement shows it.
        let (plain, shown) = match dealing {
            Dealing::Random => (PlainDealing::Chance, preview),
            Dealing::Worst => (PlainDealing::Worst, preview),
            Dealing::WorstBefore => (PlainDealing::Worst, preview + 1),
            Dealing::Mixed(share) => (PlainDealing::Mixed(share), preview),
        };
        let left = if shown + usize::from(hold) > 0 { dice.between(1, 2) } else { dice.between(1, 3) } as u32;
        let discount = dice.pick(&[1.0, 1.0, 0.05]);
        let objective =
            if discount < 1.0 { Objective::Discounted(discount) } else { Objective::Horizon(left) };
        let settings = SolveSettings { dealing, preview, hold, ..SolveSettings::new(objective) };
        let report = solve(game, &settings, &Silent).map_err(words)?.report;
        let value = report.value.ok_or("an infinite value")?;
        let slow = PlainValue::new(game, &dealer, plain, (shown, hold), discount).of_game(left);
        let most = game.score().entries().iter().copied().fold(0.0, f64::max);
        // What is left after these pieces, and rounding.
        let rest = if discount < 1.0 { most * discount.powi(left as i32) / (1.0 - discount) } else { 0.0 };
        let around = report.error_bound + 1e-12 * most * f64::from(left);
        if !(slow <= value + around && value <= slow + rest + around) {
            return Err(format!(
                "{objective}, {dealing}, preview {preview}, hold {hold}: solved {value:?}, by recursion {slow:?} and at most {rest:?} more"
            ));
        }
        all += Compared { games: 1, moves: report.states };
    }
    Ok(all)
}

/// What a table says of every state, and the games it plays, before and after it was written and read.
pub(super) fn reopened(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = small(asked) else { return Ok(Compared::default()) };
    let mut dice = Dice::new(asked.seed, 9 << 32);
    let objective = dice.pick(&[Objective::Discounted(0.8), Objective::Horizon(4), Objective::Average]);
    let dealing = dice.pick(&[Dealing::Random, Dealing::Random, Dealing::Worst, Dealing::Mixed(0.5)]);
    let settings = SolveSettings {
        dealing,
        preview: dice.below(2),
        hold: dice.once_in(3),
        keep_stages: true,
        epsilon: Some(1e-3),
        ..SolveSettings::new(objective)
    };
    let solution = solve(game, &settings, &Silent).map_err(words)?;
    let mut bytes = Vec::new();
    solution.table.write(&mut bytes).map_err(words)?;
    let read = Table::read(bytes.clone()).map_err(words)?;
    let mut again = Vec::new();
    read.write(&mut again).map_err(words)?;
    same("bytes", &(again == bytes), &true)?;
    same("how it ended", &format!("{:?}", read.finished()), &format!("{:?}", solution.table.finished()))?;
    // What it is about is kept; how it was found is not.
    let about = |table: &Table| {
        let SolveSettings { objective, dealing, placing, preview, hold, view, reward, .. } =
            table.settings().clone();
        format!("{objective} {dealing} {placing} {preview} {hold} {view} {reward:?}")
    };
    same("settings", &about(&read), &about(&solution.table))?;
    let mut states = 0;
    for left in [None, Some(1), Some(3)] {
        let (before, after) = (answers(&solution.table, left), answers(&read, left));
        states += before.len() as u64;
        same("number of states", &after.len(), &before.len())?;
        for (after, before) in after.iter().zip(&before) {
            same("state", after, before)?;
        }
    }
    let arena = ArenaSettings { games: 5, seed: asked.seed, pieces: Some(4), ..ArenaSettings::default() };
    let [before, after] = [solution.table, read].map(|table| {
        let player = Player::of_table("table", table);
        evaluate(&asked.game, &[player], &arena, &|_| true).map(|report| report.players[0].results.clone())
    });
    same("games played", &before.map_err(words)?, &after.map_err(words)?)?;
    Ok(Compared { games: 6, moves: states })
}

/// What to do in every state, as text.
fn answers(table: &Table, left: Option<u32>) -> Vec<String> {
    let mut list = Vec::new();
    let _ = table.each_state(left, |state| {
        list.push(format!("{:?} {:?} {:?} {:?}", state.board, state.hand, state.choice, state.value));
        ControlFlow::Continue(())
    });
    list
}

/// Every check by chance fails wrongly once in this many times at most (10^11). `./test --long` makes fewer than 10^4 of them, so that a
/// whole run fails wrongly with a probability below 10^-7.
const SURE: f64 = 1e11;

/// Games in each evaluation by chance.
const GAMES: u64 = 1500;

/// A player's value by the solver, over every order of pieces, and by the mean of many games.
pub(super) fn value_and_play(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = small(asked) else { return Ok(Compared::default()) };
    let mut dice = Dice::new(asked.seed, 10 << 32);
    let left = dice.between(1, 4) as u32;
    let asks = SolveSettings { keep_stages: true, ..SolveSettings::new(Objective::Horizon(left)) };
    let mut all = Compared::default();

    let fits =
        |name: &&str| Controller::built_in(name).is_some_and(|controller| controller.check(game).is_ok());
    let controllers: Vec<&str> = BUILT_IN_CONTROLLERS.iter().map(|(name, _)| *name).filter(fits).collect();
    let mut names = vec!["random".to_owned(), dice.pick(&["lowest", "fewest-holes"]).to_owned()];
    if !controllers.is_empty() {
        names.push(format!("weights:{}", dice.pick(&controllers)));
    }
    for name in names {
        let plan = SolvePlan::new(game, asks.clone(), "random", Some(&name), &Files).map_err(words)?;
        let report = solve_between(game, &plan.settings, plan.sides(), None, &Silent).map_err(words)?.report;
        let value = report.value.ok_or("an infinite value")?;
        let player = Player::of_placement(&name, game).map_err(words)?;
        let context = |why: String| format!("{name}, {left} pieces: {why}");
        all += played(asked, game, &player, (left, game.previews()), value).map_err(context)?;
    }

    // The best player, which knows what the game shows, and more now and then.
    let preview = game.previews().max(dice.below(2));
    let settings = SolveSettings { preview, ..asks.clone() };
    let solution = solve(game, &settings, &Silent).map_err(words)?;
    let value = solution.report.value.ok_or("an infinite value")?;
    let sides = Sides { player: Some(&solution.table), dealer: None };
    let own = solve_between(game, &settings, sides, None, &Silent).map_err(words)?.report;
    let own = own.value.ok_or("an infinite value")?;
    near("the best value and that of the table that plays it", value, own, rounding(value))?;
    let player = Player::of_table("table", solution.table);
    let context = |why: String| format!("table, {left} pieces, preview {preview}: {why}");
    all += played(asked, game, &player, (left, preview), value).map_err(context)?;

    // And the best one that holds, by chance alone.
    let settings = SolveSettings { hold: true, ..settings };
    let solution = solve(game, &settings, &Silent).map_err(words)?;
    let value = solution.report.value.ok_or("an infinite value")?;
    let player = Player::of_table("table", solution.table);
    let most = f64::from(left) * game.score().entries().iter().copied().fold(0.0, f64::max);
    let context = |why: String| format!("table that holds, {left} pieces, preview {preview}: {why}");
    mean_of_games(asked, &player, &Opponent::Random, left, (0.0, most), value).map_err(context)?;
    all += Compared { games: GAMES, moves: GAMES * u64::from(left) };
    Ok(all)
}

/// What rounding may make of a value of few pieces.
fn rounding(value: f64) -> f64 {
    1e-11 * value.abs().max(1.0)
}

/// A player over every order of pieces, if it draws no lots, and in many games.
fn played(
    asked: &Asked,
    game: &PlacementGame,
    player: &Player,
    (left, previews): (u32, usize),
    value: f64,
) -> Result<Compared, String> {
    let most = f64::from(left) * game.score().entries().iter().copied().fold(0.0, f64::max);
    let (mut range, mut all) = ((0.0, most), Compared::default());
    let chooser = player.chooser().map_err(words)?;
    if chooser.is_certain() {
        let dealer = PlainDealer::read(&asked.text);
        let unused = stream(0, Purpose::Dealer, 0);
        let allowance = Allowance { previews, hold: false };
        let begun: Match<AnyColumns> = Match::with(game.clone(), allowance, DealtBy::ByHand, unused);
        let mut orders = Orders {
            dealer: &dealer,
            worker: AtWork::new(chooser.clone(), Some(u64::from(left))),
            chance: stream(0, Purpose::Player, 0),
            left,
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            count: Compared::default(),
        };
        let mean = orders.mean(&begun, PlainDealer::START)?;
        near("solved, and the mean over every order of pieces", value, mean, rounding(value))?;
        range = (orders.least, orders.most);
        all += orders.count;
    }
    mean_of_games(asked, player, &Opponent::Random, left, range, value)?;
    all += Compared { games: GAMES, moves: GAMES * u64::from(left) };
    Ok(all)
}

/// A player in matches with every order of pieces.
struct Orders<'a> {
    dealer: &'a PlainDealer,
    worker: AtWork,
    chance: Generator,
    left: u32,
    least: f64,
    most: f64,
    count: Compared,
}

impl Orders<'_> {
    /// The mean score at the end.
    fn mean(&mut self, played: &Match<AnyColumns>, memory: usize) -> Result<f64, String> {
        if played.outcome().is_some() || played.stats().pieces >= u64::from(self.left) {
            let score = played.stats().score;
            (self.least, self.most) = (self.least.min(score), self.most.max(score));
            self.count.games += 1;
            return Ok(score);
        }
        if played.wants_piece() {
            let mut mean = 0.0;
            for (probability, piece, next) in self.dealer.deals(memory) {
                let mut one = played.clone();
                one.deal(piece as u8).map_err(words)?;
                mean += probability * self.mean(&one, next)?;
            }
            return Ok(mean);
        }
        let mut one = played.clone();
        self.count.moves += 1;
        match self.worker.turn(&mut one, &mut self.chance) {
            Some(_) => self.mean(&one, memory),
            None => Err(format!("the player has no answer after {} pieces", played.stats().pieces)),
        }
    }
}

/// The mean of many games is near the value, by the empirical Bernstein bound: it holds for every distribution on a range.
fn mean_of_games(
    asked: &Asked,
    player: &Player,
    dealer: &Opponent,
    left: u32,
    (least, most): (f64, f64),
    value: f64,
) -> Result<(), String> {
    let settings = ArenaSettings {
        games: GAMES,
        seed: asked.seed,
        pieces: Some(u64::from(left)),
        dealer: dealer.clone(),
        ..ArenaSettings::default()
    };
    let report = evaluate(&asked.game, std::slice::from_ref(player), &settings, &|_| true).map_err(words)?;
    let score = &report.players[0].score;
    let games = GAMES as f64;
    let doubt = (3.0 * SURE).ln();
    let within = (2.0 * score.sd * score.sd * doubt / games).sqrt() + 3.0 * (most - least) * doubt / games;
    let around = rounding(value);
    if score.min < least - around || score.max > most + around {
        return Err(format!(
            "games of {} to {}, and no order of pieces is beyond {least} to {most}",
            score.min, score.max
        ));
    }
    near("solved, and the mean of the arena", value, score.mean, within + around)
}

/// A player and a dealer by tables that were solved for each other.
pub(super) fn worst_and_play(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = small(asked) else { return Ok(Compared::default()) };
    let mut dice = Dice::new(asked.seed, 11 << 32);
    let dealing = dice.pick(&[Dealing::Worst, Dealing::WorstBefore, Dealing::Mixed(0.4)]);
    let left = dice.between(1, 8) as u32;
    let objective = dice.pick(&[Objective::Horizon(left), Objective::Discounted(0.5)]);
    let settings = SolveSettings {
        dealing,
        preview: game.previews(),
        keep_stages: true,
        ..SolveSettings::new(objective)
    };
    let solved = || solve(game, &settings, &Silent).map_err(words);
    let value = solved()?.report.value.ok_or("an infinite value")?;
    let player = Player::of_table("player", solved()?.table);
    let dealer = Opponent::Table(Arc::new(solved()?.table));
    let most = game.score().entries().iter().copied().fold(0.0, f64::max);
    let context = |why: String| format!("{objective}, {dealing}: {why}");
    if let (Dealing::Mixed(_), Objective::Horizon(_)) = (dealing, objective) {
        let range = (0.0, f64::from(left) * most);
        mean_of_games(asked, &player, &dealer, left, range, value).map_err(context)?;
        return Ok(Compared { games: GAMES, moves: GAMES * u64::from(left) });
    }
    if let Dealing::Mixed(_) = dealing {
        return Ok(Compared::default());
    }
    // Nothing is left to chance: one game is the value.
    let (pieces, discount) = match objective {
        Objective::Horizon(left) => (left, None),
        _ => (60, Some(0.5)),
    };
    let arena = ArenaSettings {
        games: 1,
        seed: asked.seed,
        pieces: Some(u64::from(pieces)),
        discount,
        dealer,
        ..ArenaSettings::default()
    };
    let report = evaluate(&Game::Placement(game.clone()), &[player], &arena, &|_| true).map_err(words)?;
    let report = &report.players[0];
    let found = report.discounted.as_ref().unwrap_or(&report.score).mean;
    // What is left of 60 pieces at 0.5 is nothing.
    near("solved and played", value, found, 1e-9 * value.abs().max(most).max(1.0)).map_err(context)?;
    Ok(Compared { games: 1, moves: report.pieces.mean as u64 })
}
