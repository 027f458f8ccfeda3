//! The arena: with and without tables, on one thread and several, and matches played one by one.

use bellmino_data::Format;
use bellmino_engine::placement::{Match, Placement};
use bellmino_engine::{Game, PlacementGame, Purpose, stream};
use bellmino_exact::{Objective, Silent, SolveSettings, solve};
use bellmino_host::{Ledger, open_tables};
use bellmino_lab::statistics::{PerLoss, Summary};
use bellmino_lab::{ArenaReport, ArenaSettings, Baseline, Player, evaluate, evaluate_into};

use super::simulator::random_controller;
use crate::dice::Dice;
use crate::pair::{Asked, Compared, same, same_bits, words};
use crate::plain::{PlainDealer, PlainMatch, first_best, holes};

/// Games in each evaluation.
const GAMES: u64 = 3;

/// One game as it was played.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PlayedGame {
    pub moves: Vec<[f64; 4]>,
    pub pieces: u64,
    pub lines: u64,
    pub score: f64,
    pub lost: bool,
    pub goal: bool,
}

/// Every player: the report without tables, that with tables, the tables, and each game by itself are the same.
pub(super) fn with_and_without_tables(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.placement() else { return Ok(Compared::default()) };
    let mut dice = Dice::new(asked.seed, 5 << 32);
    let mut all = Compared::default();
    for player in players(game, &mut dice) {
        let most = dice.between(1, 60) as u64;
        let settings =
            ArenaSettings { games: GAMES, seed: asked.seed, pieces: Some(most), ..ArenaSettings::default() };
        let mut games = Vec::new();
        for index in 0..GAMES {
            games.push(one_by_one(game, &player, asked.seed, index, most)?);
        }
        compare(&asked.game, &player, &settings, &games)
            .map_err(|why| format!("{}: {why}", player.name()))?;
        if let "lowest" | "fewest-holes" = player.name() {
            for (index, played) in (0..).zip(&games) {
                same("plainly played", played, &plainly(asked, game, player.name(), index, most))?;
            }
        }
        all.games += GAMES;
        all.moves += games.iter().map(|played| played.moves.len() as u64).sum::<u64>();
    }
    Ok(all)
}

/// Compares an evaluation with these games: without tables, with them, and what stands in them.
pub(super) fn compare(
    game: &Game,
    player: &Player,
    settings: &ArenaSettings,
    games: &[PlayedGame],
) -> Result<(), String> {
    let players = std::slice::from_ref(player);
    let without = evaluate(game, players, settings, &|_| true).map_err(words)?;
    let folder = tempfile::tempdir().map_err(words)?;
    let ledger = Ledger::create(folder.path(), Format::Parquet).map_err(words)?;
    let with = evaluate_into(&ledger, "random", game, players, settings, &|_| true).map_err(words)?;
    ledger.finish().map_err(words)?;
    check_report("arena without tables and matches", &without, games)?;
    check_report("arena with tables and matches", &with, games)?;
    same("arena without and with tables", &timeless(&without), &timeless(&with))?;

    let (table, moves) = open_tables(folder.path()).map_err(words)?;
    let mut rows = Vec::new();
    let columns = ["index", "pieces", "lines", "score"];
    let read = table.read(&columns, |batch| {
        let row = |row| [0, 1, 2, 3].map(|column| batch.number(column, row).unwrap_or(f64::NAN));
        rows.extend((0..batch.rows()).map(row));
    });
    read.map_err(words)?;
    let expected: Vec<[f64; 4]> = (0..)
        .zip(games)
        .map(|(index, played)| [f64::from(index), played.pieces as f64, played.lines as f64, played.score])
        .collect();
    same("table of games", &rows, &expected)?;
    let mut rows = Vec::new();
    let columns = ["game_id", "column", "row", "lines", "points"];
    let read = moves.ok_or("no table of moves")?.read(&columns, |batch| {
        let row = |row| [0, 1, 2, 3, 4].map(|column| batch.number(column, row).unwrap_or(f64::NAN));
        rows.extend((0..batch.rows()).map(row));
    });
    read.map_err(words)?;
    let expected: Vec<[f64; 5]> = (0..)
        .zip(games)
        .flat_map(|(index, played)| {
            played.moves.iter().map(move |[a, b, c, d]| [f64::from(index), *a, *b, *c, *d])
        })
        .collect();
    same("table of moves", &rows, &expected)
}

/// A report against the games it is about.
fn check_report(what: &str, report: &ArenaReport, games: &[PlayedGame]) -> Result<(), String> {
    let player = &report.players[0];
    let of = |value: fn(&PlayedGame) -> f64| games.iter().map(value).collect::<Vec<f64>>();
    for (name, found, value) in [
        ("score", &player.score, (|played| played.score) as fn(&PlayedGame) -> f64),
        ("lines", &player.lines, |played| played.lines as f64),
        ("pieces", &player.pieces, |played| played.pieces as f64),
    ] {
        let expected = Summary::of(&of(value));
        same(&format!("{what}: {name}"), &format!("{found:?}"), &format!("{expected:?}"))?;
    }
    let losses = games.iter().filter(|played| played.lost).count() as u64;
    let goals = games.iter().filter(|played| played.goal).count() as u64;
    same(&format!("{what}: unfinished"), &player.unfinished, &(games.len() as u64 - losses - goals))?;
    let lines = games.iter().map(|played| played.lines as f64).sum();
    let per_loss = PerLoss::new(lines, losses);
    same(
        &format!("{what}: lines per loss"),
        &format!("{:?}", player.lines_per_loss),
        &format!("{per_loss:?}"),
    )
}

/// A report without its seconds, as text: what is no number is the same as itself there.
pub(super) fn timeless(report: &ArenaReport) -> String {
    let mut report = report.clone();
    for player in &mut report.players {
        (player.seconds, player.pieces_per_second) = (0.0, 0.0);
    }
    format!("{report:?}")
}

/// A simple player, and a controller.
fn players(game: &PlacementGame, dice: &mut Dice) -> Vec<Player> {
    let name = dice.pick(&Baseline::ALL).0;
    let simple = Player::of_placement(name, game).expect("a simple player");
    vec![simple, Player::of_controller("random weights", random_controller(game, dice), game)]
}

/// A match by itself: the same pieces, the player's own chance, placement by placement.
fn one_by_one(
    game: &PlacementGame,
    player: &Player,
    seed: u64,
    index: u64,
    most: u64,
) -> Result<PlayedGame, String> {
    let mut played: Match = Match::new(game.clone(), seed, index);
    let mut chance = stream(seed, Purpose::Player, index);
    let chooser = player.chooser().map_err(words)?;
    let mut result = PlayedGame::default();
    while played.stats().pieces < most && !result.lost {
        let pieces: Vec<u8> = played.queue().iter().map(|dealt| dealt.piece).collect();
        let chosen = match played.outcome() {
            None => chooser.choose_in_sight(game, played.board(), &pieces, &mut chance),
            Some(_) => None,
        };
        let Some(placement) = chosen else { break };
        let clear = played.play(&placement).map_err(words)?;
        result.moves.push(row(&placement, clear.lines, clear.points));
    }
    let stats = played.stats();
    (result.pieces, result.lines, result.score) = (stats.pieces, stats.lines, stats.score);
    result.lost = played.outcome().is_some();
    Ok(result)
}

fn row(placement: &Placement, lines: u32, points: f64) -> [f64; 4] {
    [f64::from(placement.column), f64::from(placement.row), f64::from(lines), points]
}

/// The same by the rules as they are told, for the players that are told in a line.
fn plainly(asked: &Asked, game: &PlacementGame, player: &str, index: u64, most: u64) -> PlayedGame {
    let dealer = PlainDealer::read(&asked.text);
    let chance = stream(asked.seed, Purpose::Dealer, index);
    let mut plain = PlainMatch::new(game, &dealer, (game.previews(), false), chance);
    let mut result = PlayedGame::default();
    while plain.pieces < most && !plain.is_over {
        let list = plain.placements();
        let best = match player {
            "lowest" => first_best(&list, |placement, _, _| -(placement.top(game) as i64)),
            _ => first_best(&list, |_, after, _| -(holes(game, after) as i64)),
        };
        let (placement, after) = &list[best.expect("a match that goes on has placements")];
        let lines = after.as_ref().map_or(0, |(_, rows)| *rows);
        let points = if after.is_some() { game.score().points(lines) } else { 0.0 };
        result.moves.push(row(placement, lines, points));
        plain.play(*placement, after);
    }
    PlayedGame { pieces: plain.pieces, lines: plain.lines, score: plain.score, lost: plain.is_over, ..result }
}

/// Reports of arena and solver on one thread and on three.
pub(super) fn one_thread_and_several(asked: &Asked) -> Result<Compared, String> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(words);
    let (one, three) = (pool(1)?, pool(3)?);
    let mut dice = Dice::new(asked.seed, 6 << 32);
    let players = match &asked.game {
        Game::Placement(game) => players(game, &mut dice),
        Game::Guideline(_) => ["random", "weights:lee4"]
            .map(|name| Player::of_guideline(name, None).expect("a player of every guideline game"))
            .into(),
    };
    let settings =
        ArenaSettings { games: 12, seed: asked.seed, pieces: Some(40), ..ArenaSettings::default() };
    let run = || evaluate(&asked.game, &players, &settings, &|_| true).map_err(words);
    let (alone, together) = (one.install(run)?, three.install(run)?);
    same("report of the arena", &timeless(&alone), &timeless(&together))?;
    let pieces = alone.players.iter().map(|player| player.pieces.mean * player.games as f64).sum::<f64>();
    let mut all = Compared { games: 24, moves: pieces.round() as u64 };
    if let Some(game) = asked.placement().filter(|game| game.width() * game.height() <= 12) {
        let objective = dice.pick(&[Objective::Discounted(0.7), Objective::Horizon(5)]);
        let settings = SolveSettings { preview: game.previews(), ..SolveSettings::new(objective) };
        let run = || solve(game, &settings, &Silent).map_err(words);
        let (alone, together) = (one.install(run)?.report, three.install(run)?.report);
        same("boards", &(alone.boards, alone.states), &(together.boards, together.states))?;
        same_bits("value", alone.value.unwrap_or(f64::NAN), together.value.unwrap_or(f64::NAN))?;
        same("value by first piece", &alone.value_by_first_piece, &together.value_by_first_piece)?;
        all += Compared { games: 1, moves: alone.states };
    }
    Ok(all)
}
