//! Environments: what their lanes show and do, and the match of the same seed.

use std::collections::BTreeSet;

use bellmino_engine::guideline::{self, Bag, HEIGHT, Position, WIDTH};
use bellmino_engine::placement::{self, Allowance, DealtBy, Grid};
use bellmino_engine::{AnyMatch, Game, Outcome, Purpose, Totals, stream};
use bellmino_envs::{Buffers, Decoded, Env, EnvOptions};

use crate::dice::Dice;
use crate::pair::{Asked, Compared, same, same_bits, words};

/// Lanes side by side.
const LANES: usize = 3;

/// Steps of each.
const STEPS: usize = 40;

/// A match of either family as a lane should show it.
trait LaneTwin: AnyMatch + Sized {
    /// The filled cells, the top row first.
    fn cells(&self) -> Vec<u8>;
    /// The held piece counted from 1, and the current one with those in sight.
    fn hand(&self) -> (i64, Vec<i64>);
    /// Every action that may be taken, in the words of the environment.
    fn actions(&self) -> BTreeSet<String>;
    /// Takes one of them.
    fn take(&mut self, action: &Decoded) -> Result<(), String>;
}

/// Random play with any previews, hold and limit: whatever a lane shows is what the match says, step after step and game
/// after game, on one thread and with the work shared out.
pub(super) fn lanes_and_matches(asked: &Asked) -> Result<Compared, String> {
    let mut dice = Dice::new(asked.seed, 14 << 32);
    let limit = dice.once_in(3).then(|| dice.between(1, 12) as u64);
    let options = EnvOptions { lanes: LANES, limit, autoreset: true, ..EnvOptions::default() };
    match &asked.game {
        Game::Placement(game) => {
            if game.width() * game.height() > 300 {
                return Ok(Compared::default());
            }
            let previews = dice.once_in(2).then(|| dice.below(4));
            let hold = dice.once_in(2).then(|| dice.once_in(2));
            let options = EnvOptions { previews, hold, ..options };
            let allowance =
                Allowance { previews: previews.unwrap_or(game.previews()), hold: hold.unwrap_or(false) };
            let begin = |seed, index| {
                let chance = stream(seed, Purpose::Dealer, index);
                placement::Match::with(game.clone(), allowance, DealtBy::Chance, chance)
            };
            beside(asked, &options, &mut dice, begin)
        }
        Game::Guideline(game) => beside(asked, &options, &mut dice, |seed, index| {
            guideline::Match::from_position(*game.rules(), Position::default(), Bag::numbered(seed, index))
        }),
    }
}

/// One lane's match: which game of its seed it is, what it has scored, and whether it is over.
struct Twin<M> {
    game: M,
    index: u64,
    over: bool,
}

fn beside<M: LaneTwin>(
    asked: &Asked,
    options: &EnvOptions,
    dice: &mut Dice,
    begin: impl Fn(u64, u64) -> M,
) -> Result<Compared, String> {
    let start = |lane: usize, index: u64| {
        let game = begin(asked.seed + lane as u64, index);
        let over = game.outcome().is_some();
        Twin { game, index, over }
    };
    let mut env = Env::new(&asked.game, options).map_err(words)?;
    let mut seen = env.buffers();
    env.reset_all(asked.seed, seen.slices()).map_err(words)?;
    let mut twins: Vec<Twin<M>> = (0..LANES).map(|lane| start(lane, 0)).collect();
    let mut all = Compared { games: LANES as u64, moves: 0 };
    for step in 0..STEPS {
        let mut chosen = Vec::new();
        for (lane, twin) in twins.iter().enumerate() {
            shows(&env, &seen, lane, twin).map_err(|why| format!("lane {lane}, step {step}: {why}"))?;
            let legal = legal(&env, &seen, lane)?;
            chosen.push(if legal.is_empty() {
                (0, None)
            } else {
                let (number, action) = legal[dice.below(legal.len())].clone();
                (number, Some(action))
            });
        }
        let numbers: Vec<i64> = chosen.iter().map(|(number, _)| *number).collect();
        let stepped = if step % 2 == 0 {
            env.step(&numbers, seen.slices())
        } else {
            env.step_shared(&numbers, seen.slices())
        };
        stepped.map_err(words)?;
        for (lane, (twin, (_, action))) in twins.iter_mut().zip(&chosen).enumerate() {
            let what = |what: &str| format!("{what} of lane {lane}, step {step}");
            if twin.over {
                *twin = start(lane, twin.index + 1);
                all.games += 1;
                same_bits(&what("reward of a beginning"), seen.reward(lane)[0], 0.0)?;
                continue;
            }
            let before = twin.game.totals().score;
            twin.game.take(action.as_ref().ok_or("a match goes on, and its lane has no action")?)?;
            all.moves += 1;
            let Totals { pieces, score, .. } = twin.game.totals();
            // A reward is the points of one move; a sum of scores may be rounded.
            let reward = seen.reward(lane)[0];
            same(
                &what("reward"),
                &(before + reward == score || (score - before - reward).abs() < 1e-9 * score.abs().max(1.0)),
                &true,
            )?;
            let ended = twin.game.outcome().is_some();
            let stopped = options.limit.is_some_and(|limit| pieces >= limit) && !ended;
            same(&what("terminated"), &seen.terminated(lane)[0], &ended)?;
            same(&what("truncated"), &seen.truncated(lane)[0], &stopped)?;
            twin.over = ended || stopped;
        }
    }
    Ok(all)
}

/// What a lane shows, and its match.
fn shows<M: LaneTwin>(env: &Env, seen: &Buffers, lane: usize, twin: &Twin<M>) -> Result<(), String> {
    let game = &twin.game;
    same("board", &seen.board(lane), &&game.cells()[..])?;
    let (held, queue) = game.hand();
    same("held piece", &seen.hold(lane)[0], &held)?;
    same("queue", &seen.queue(lane), &&queue[..])?;
    same("piece", &seen.piece(lane)[0], &queue[0])?;
    let Totals { pieces, lines, score } = game.totals();
    same("pieces and lines", &(seen.pieces(lane)[0], seen.lines(lane)[0]), &(pieces as i64, lines as i64))?;
    same_bits("score", seen.score(lane)[0], score)?;
    let outcome = game.outcome().map_or(0, |end| if end == Outcome::Goal { 1 } else { 2 });
    same("outcome", &seen.outcome(lane)[0], &outcome)?;
    same("which game", &env.origin(lane).map_err(words)?.1, &twin.index)?;
    let shown: Vec<(i64, Decoded)> = legal(env, seen, lane)?;
    let told: BTreeSet<String> = shown.iter().map(|(_, action)| format!("{action:?}")).collect();
    same("number of actions", &shown.len(), &told.len())?;
    same("actions", &told, &game.actions())?;
    for (number, action) in &shown {
        same("number of an action", &env.encode(lane, action).map_err(words)?, &Some(*number))?;
    }
    Ok(())
}

/// The actions of a lane by its mask.
fn legal(env: &Env, seen: &Buffers, lane: usize) -> Result<Vec<(i64, Decoded)>, String> {
    let mask = seen.mask(lane).iter().enumerate().filter(|(_, legal)| **legal == 1);
    let decoded = |(number, _): (usize, &i8)| {
        let action = env.decode(lane, number as i64).map_err(words)?.ok_or("a legal action that is none")?;
        Ok((number as i64, action))
    };
    mask.map(decoded).collect()
}

impl LaneTwin for placement::Match {
    fn cells(&self) -> Vec<u8> {
        let (board, rules) = (self.board().to_board(self.game()), self.game());
        let row = |y| (0..rules.width()).map(move |x| (x, y));
        (0..rules.height()).rev().flat_map(row).map(|(x, y)| u8::from(board.contains(x, y))).collect()
    }

    fn hand(&self) -> (i64, Vec<i64>) {
        let queue = self.queue().iter().map(|dealt| i64::from(dealt.piece)).collect();
        (self.held().map_or(0, |held| i64::from(held) + 1), queue)
    }

    fn actions(&self) -> BTreeSet<String> {
        if self.outcome().is_some() {
            return BTreeSet::new();
        }
        let (rules, board) = (self.game(), self.board().to_board(self.game()));
        let (current, held) = (self.current(), self.held().filter(|_| self.may_hold()));
        let held = held.filter(|held| Some(*held) != current).map(|piece| (piece, true));
        let pieces = current.map(|piece| (piece, false)).into_iter().chain(held);
        let action = |at: &placement::Placement, held| Decoded::Placement {
            piece: Some(at.piece),
            rotation: at.rotation.into(),
            column: at.column.into(),
            row: Some(at.row.into()),
            held,
            legal: true,
        };
        let places = pieces.flat_map(|(piece, held)| {
            let list = board.placements(rules, piece.into());
            list.into_iter().map(move |at| format!("{:?}", action(&at, held))).collect::<Vec<_>>()
        });
        let aside = Decoded::PutAside { piece: current, legal: true };
        let may_put_aside = self.may_hold() && self.held().is_none();
        places.chain(may_put_aside.then(|| format!("{aside:?}"))).collect()
    }

    fn take(&mut self, action: &Decoded) -> Result<(), String> {
        match *action {
            Decoded::PutAside { .. } => self.hold().map_err(words),
            Decoded::Placement { piece: Some(piece), rotation, column, row: Some(row), .. } => {
                let (rotation, column, row) = (rotation as u8, column as u8, row as u8);
                self.play(&placement::Placement { piece, rotation, column, row }).map(drop).map_err(words)
            }
            _ => Err(format!("{action:?} is no action of a placement game")),
        }
    }
}

impl LaneTwin for guideline::Match {
    fn cells(&self) -> Vec<u8> {
        let board = self.position().board;
        let row = |y| (0..WIDTH).map(move |x| (x, y));
        (0..HEIGHT).rev().flat_map(row).map(|(x, y)| u8::from(board.column(x).contains(y))).collect()
    }

    fn hand(&self) -> (i64, Vec<i64>) {
        let queue = self.queue().iter().map(|piece| *piece as i64).collect();
        (self.position().hold.map_or(0, |held| held as i64 + 1), queue)
    }

    fn actions(&self) -> BTreeSet<String> {
        let current = self.current();
        let action =
            |at: guideline::Placement| Decoded::Guideline { placement: Some(at), held: at.piece != current };
        self.placements().into_iter().map(|at| format!("{:?}", action(at))).collect()
    }

    fn take(&mut self, action: &Decoded) -> Result<(), String> {
        match action {
            Decoded::Guideline { placement: Some(at), .. } => self.play(at).map(drop).map_err(words),
            _ => Err(format!("{action:?} is no action of a guideline game")),
        }
    }
}
