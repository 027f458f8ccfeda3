//! Guideline games under random rules.

use std::collections::BTreeSet;

use bellmino_engine::guideline::{
    Bag, Goal, Handling, Input, Key, Keys, Kicks, Match, Piece, Placement, Position, Record, Rules, Timed,
    Timing, moves, reference,
};
use bellmino_engine::{AnyRecord, Outcome, Purpose, stream};
use bellmino_lab::{ArenaSettings, Player};
use bellmino_search::{Bot, Budget};

use super::arena::{PlayedGame, compare};
use crate::dice::Dice;
use crate::pair::{Asked, Compared, same, words};

/// One of the placements; most of the time one of the lowest, so that games last.
fn any(list: &[Placement], dice: &mut Dice) -> Option<Placement> {
    let few = if dice.once_in(3) { list.len() } else { list.len().min(5) };
    let mut sorted = list.to_vec();
    sorted.sort_by_key(|placement| placement.y);
    (!list.is_empty()).then(|| sorted[dice.below(few)])
}

/// On every board of a random game, for every piece and every kick table.
pub(super) fn moves_and_reference(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.guideline() else { return Ok(Compared::default()) };
    let mut dice = Dice::new(asked.seed, 14 << 32);
    let mut all = Compared { games: 1, moves: 0 };
    let mut played = Match::new(*game.rules(), asked.seed);
    for _ in 0..30 {
        let board = played.position().board;
        for piece in Piece::ALL {
            for kicks in Kicks::ALL {
                let list = moves::placements(&board, piece, kicks);
                let fast: BTreeSet<Placement> = list.iter().copied().collect();
                same("placements listed twice", &(list.len() - fast.len()), &0)?;
                let slow = reference::placements(&board, piece, kicks);
                same("placements", &fast, &slow)
                    .map_err(|why| format!("{why}: {piece} with {kicks:?} on {board:?}"))?;
                all.moves += slow.len() as u64;
            }
        }
        // The match offers the current piece, and the other one where it may be held.
        let hand: BTreeSet<Piece> = at_hand(&played).into_iter().collect();
        let offered = played.placements();
        let kicks = played.rules().kicks;
        let expected: BTreeSet<Placement> =
            hand.iter().flat_map(|piece| reference::placements(&board, *piece, kicks)).collect();
        let expected = if played.outcome().is_some() { BTreeSet::new() } else { expected };
        same("placements of the match", &offered.iter().copied().collect(), &expected)?;
        let Some(placement) = any(&offered, &mut dice) else { break };
        played.play(&placement).map_err(words)?;
    }
    Ok(all)
}

/// The pieces that can be placed: the current one, and the one that hold would bring if it is known.
fn at_hand(played: &Match) -> Vec<Piece> {
    let mut hand = vec![played.current()];
    if played.may_hold() {
        hand.extend(played.position().hold.or(played.queue().get(1).copied()));
    }
    hand
}

/// Placements with holds, and timed play with random keys: each written, read and replayed.
pub(super) fn match_and_record(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.guideline() else { return Ok(Compared::default()) };
    let rules = *game.rules();
    let mut dice = Dice::new(asked.seed, 15 << 32);
    let mut all = Compared::default();

    let index = dice.below(3) as u64;
    let mut played = Match::from_position(rules, Position::default(), Bag::numbered(asked.seed, index));
    let (mut line, mut seen) = (Vec::new(), Vec::new());
    while line.len() < 60 {
        let Some(placement) = any(&played.placements(), &mut dice) else { break };
        played.play(&placement).map_err(words)?;
        line.push(placement);
        seen.push((*played.position(), *played.stats(), played.queue().to_vec(), played.outcome()));
    }
    let record = Record::of_placements(game.name(), rules, asked.seed, index, line.clone()).map_err(words)?;
    replayed(&record, &line, |step, again| {
        let now = (*again.position(), *again.stats(), again.queue().to_vec(), again.outcome());
        same("match after a placement", &now, &seen[step])
    })?;
    all += Compared { games: 1, moves: line.len() as u64 };

    let timed = random_keys(&mut dice, rules, asked.seed, 300);
    let record = Record::of_timed(game.name(), rules, asked.seed, 0, &timed).map_err(words)?;
    replayed(&record, timed.placements(), |_, _| Ok(()))?;
    let end = record.replay(|_, _| {}).map_err(words)?;
    same(
        "end of timed play",
        &(end.position(), end.stats()),
        &(timed.game().position(), timed.game().stats()),
    )?;
    let locks: Vec<_> = record.locks().map_err(words)?.0.into_iter().map(|(_, lock)| lock).collect();
    same("locks", &locks, &timed.locks().to_vec())?;
    all += Compared { games: 1, moves: timed.placements().len() as u64 };
    Ok(all)
}

/// A record as text and back gives these placements.
fn replayed(
    record: &Record,
    line: &[Placement],
    mut look: impl FnMut(usize, &Match) -> Result<(), String>,
) -> Result<(), String> {
    let text = record.to_text();
    let read = Record::from_text(&text).map_err(words)?;
    same("record written and read", &read, record)?;
    same(
        "record of any family",
        &AnyRecord::from_text(&text).map_err(words)?,
        &AnyRecord::Guideline(read.clone()),
    )?;
    let (mut again, mut differs) = (Vec::new(), Ok(()));
    read.replay(|placement, game| {
        if differs.is_ok() {
            differs = look(again.len(), game);
        }
        again.push(*placement);
    })
    .map_err(words)?;
    differs?;
    same("placements replayed", &again, &line.to_vec())?;
    let listed = read.moves().map_err(|error| format!("moves: {error}"))?;
    same("placements of the moves", &listed.iter().map(|(_, at)| *at).collect(), &line.to_vec())?;
    for (view, placement) in listed {
        view.clone()
            .play(&placement)
            .map_err(|error| format!("what was seen before {placement}: {error}"))?;
    }
    Ok(())
}

/// Timed play with random keys and handling.
fn random_keys(dice: &mut Dice, rules: Rules, seed: u64, count: usize) -> Timed {
    let handling = Handling {
        das: dice.below(200) as u32,
        arr: dice.below(90) as u32,
        soft_drop_first: dice.below(100) as u32,
        soft_drop: dice.below(60) as u32,
        das_cut: dice.below(100) as u32,
        initial: dice.once_in(2),
    };
    let mut timed = Timed::new(Match::new(rules, seed), handling);
    let mut time = 0;
    for _ in 0..count {
        time += dice.below(90) as u64;
        let key = dice.pick(&Key::ALL);
        if dice.once_in(2) { timed.press(key, time) } else { timed.release(key, time) }
    }
    timed
}

/// Every placement has keys that lead there, and whatever random keys do is a placement of the match.
pub(super) fn keys_and_placements(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.guideline() else { return Ok(Compared::default()) };
    let mut dice = Dice::new(asked.seed, 16 << 32);
    let mut all = Compared::default();

    // Slow enough that keys are in time; a goal in seconds would change the goal in pieces.
    let timing = dice.pick(&[Timing::DEFAULT, Timing::STILL]);
    let goal = Goal { seconds: None, ..game.rules().goal };
    let rules = Rules { timing, goal, ..*game.rules() };
    let mut played = Match::new(rules, asked.seed);
    all.games += 1;
    while played.outcome().is_none() && played.stats().pieces < 25 {
        let board = played.position().board;
        let keys = Keys::search(&board, played.current(), rules.kicks);
        let list = moves::placements(&board, played.current(), rules.kicks);
        for placement in &list {
            by_keys(&played, placement, &keys).map_err(|why| format!("{why}: {placement} on {board:?}"))?;
            all.moves += 1;
        }
        let Some(placement) = any(&played.placements(), &mut dice) else { break };
        played.play(&placement).map_err(words)?;
    }

    let timed = random_keys(&mut dice, *game.rules(), asked.seed, 300);
    let rules = *timed.game().rules();
    let mut shadow = Match::new(rules, asked.seed);
    for placement in timed.placements() {
        // Without previews hold brings a piece that was not in sight: it is at hand only then.
        if !at_hand(&shadow).contains(&placement.piece) {
            shadow.hold().map_err(words)?;
        }
        if !shadow.placements().contains(&placement.canonical()) {
            return Err(format!(
                "keys led to {placement}, which is not listed on {:?}",
                shadow.position().board
            ));
        }
        shadow.play(placement).map_err(words)?;
        all.moves += 1;
    }
    let (one, other) = (timed.game().stats(), shadow.stats());
    same("board by random keys", &timed.game().position().board, &shadow.position().board)?;
    same(
        "totals by random keys",
        &(one.pieces, one.lines, one.score, one.clears),
        &(other.pieces, other.lines, other.score, other.clears),
    )?;
    all.games += 1;
    Ok(all)
}

/// A placement of the current piece by its keys and as a placement.
fn by_keys(played: &Match, placement: &Placement, keys: &Keys) -> Result<(), String> {
    let mut timed = Timed::new(played.clone(), Handling::default());
    let inputs = keys.to(placement).ok_or("no keys lead there")?;
    for event in Input::taps(&inputs, 0) {
        timed.play(&event);
    }
    let reached = timed.placements().first().map(Placement::canonical);
    same("where the keys lead", &reached, &Some(placement.canonical()))?;
    let mut game = played.clone();
    game.play(placement).map_err(words)?;
    same("position", timed.game().position(), game.position())?;
    same("outcome", &timed.outcome(), &game.outcome())?;
    let (mut one, mut other) = (*timed.game().stats(), *game.stats());
    // A way by keys may drop softly where a placement counts a hard drop.
    (one.drop_points, other.drop_points) = (0, 0);
    same("totals", &one, &other)
}

/// The same thoughts, nodes and moves.
pub(super) fn bot_on_threads(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.guideline() else { return Ok(Compared::default()) };
    let rules = *game.rules();
    let mut dice = Dice::new(asked.seed, 17 << 32);
    let nodes = dice.pick(&[300, 1500, 4000]);
    let mut bots = [Bot::for_rules(&rules), Bot::for_rules(&rules)];
    let mut played = Match::new(rules, asked.seed);
    let mut all = Compared { games: 1, moves: 0 };
    while played.outcome().is_none() && all.moves < 12 {
        let view = played.view();
        let [alone, together] = [1, 3].map(|threads| {
            let mut thought =
                bots[usize::from(threads > 1)].think(&view, Budget::nodes(nodes).on(threads), None);
            thought.time = std::time::Duration::ZERO;
            thought
        });
        same("thought", &format!("{alone:?}"), &format!("{together:?}"))?;
        let Some(best) = alone.best() else {
            same("placements where the bot has none", &played.placements(), &Vec::new())?;
            break;
        };
        played.play(&best.placement).map_err(|error| format!("{}: {error}", best.placement))?;
        all.moves += 1;
    }
    Ok(all)
}

/// Simple players and a controller.
pub(super) fn arena(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.guideline() else { return Ok(Compared::default()) };
    let rules = game.rules();
    let mut dice = Dice::new(asked.seed, 18 << 32);
    let mut all = Compared::default();
    for name in ["random", "lowest", "fewest-holes", "weights:lee4"] {
        let player = Player::of_guideline(name, None).map_err(words)?;
        let most = dice.between(1, 40) as u64;
        let settings =
            ArenaSettings { games: 2, seed: asked.seed, pieces: Some(most), ..ArenaSettings::default() };
        let mut games = Vec::new();
        for index in 0..2 {
            let mut played =
                Match::from_position(*rules, Position::default(), Bag::numbered(asked.seed, index));
            let mut chance = stream(asked.seed, Purpose::Player, index);
            let mut mind = player.mind(rules).map_err(words)?;
            let mut one = PlayedGame::default();
            while played.outcome().is_none() && one.pieces < most {
                let Some(best) = mind.think(&played.view(), &mut chance).best().map(|best| best.placement)
                else {
                    break;
                };
                let clear = played.play(&best).map_err(words)?;
                let cells = best.cells();
                let column = cells.iter().map(|cell| cell.0).min().unwrap_or(0);
                let row = cells.iter().map(|cell| cell.1).min().unwrap_or(0);
                one.moves.push([
                    f64::from(column),
                    f64::from(row),
                    f64::from(clear.lines),
                    f64::from(clear.points),
                ]);
                one.pieces += 1;
            }
            let stats = played.stats();
            (one.lines, one.score) = (u64::from(stats.lines), stats.score as f64);
            one.lost = played.outcome() == Some(Outcome::ToppedOut);
            one.goal = played.outcome() == Some(Outcome::Goal);
            games.push(one);
        }
        compare(&asked.game, &player, &settings, &games).map_err(|why| format!("{name}: {why}"))?;
        all.games += 2;
        all.moves += games.iter().map(|one| one.moves.len() as u64).sum::<u64>();
    }
    Ok(all)
}
