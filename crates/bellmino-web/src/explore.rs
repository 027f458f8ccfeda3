//! Exploring small games: solved exactly while one looks, every placement with its value.

use std::time::{Duration, Instant};

use bellmino_engine::placement::{self, Action, Allowance, Board, DealerState, Match, PlayError, Record};
use bellmino_engine::{Game, PlacementGame, Purpose, stream};
use bellmino_exact::{
    Dealing, FindStatesError, InHand, Look, Objective, SolveError, SolveSettings, Table, Watch, find_states,
    packed, solve,
};
use bellmino_lab::read_finished_table;
use serde_json::{Value, json};

use crate::analyse::MAX_STEPS;
use crate::catalogue::describe;
use crate::jobs::{CANCELLED, Leave};
use crate::library::Library;
use crate::picture::cells;

/// Memory of one solution while it is found; one is found at a time.
pub const MAX_MEMORY: u64 = 128 << 20;

/// How long one solution may take.
pub const MAX_TIME: Duration = Duration::from_secs(60);

/// A solved game.
pub struct SolvedGame {
    table: Table,
    bytes: u64,
}

/// What is to be solved.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct SolveOrder {
    /// A game of the library.
    game: String,
    /// Changes to it, `key=value`.
    #[serde(default)]
    set: Vec<String>,
    /// What a step is worth less than the one before it.
    discount: f64,
    /// How often the worst dealer deals instead of the game's own.
    #[serde(default)]
    mixed: f64,
    /// A board to start from, rows from the bottom; the empty one when absent.
    from: Option<Vec<String>>,
}

/// A piece that was dealt in a contest, and where it was placed.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct ContestMove {
    /// Number of the piece in the game's list.
    piece: u8,
    /// The cells of its placement, as they were offered; none if it had no place.
    cells: Vec<[usize; 2]>,
}

/// Ends the work when nobody waits for it, or when it takes too long.
pub struct Patience<'a> {
    leave: &'a Leave,
    begin: Instant,
    limit: Duration,
}

impl<'a> Patience<'a> {
    /// Patience for so long.
    pub fn new(leave: &'a Leave, limit: Duration) -> Patience<'a> {
        Patience { leave, begin: Instant::now(), limit }
    }

    /// Whether the time was too short.
    pub fn is_over(&self) -> bool {
        self.begin.elapsed() >= self.limit
    }

    /// Why a game was not solved, in words.
    pub fn explain(&self, error: &SolveError) -> String {
        match error {
            SolveError::Interrupted if self.leave.go_on() => {
                format!("this takes more than {} seconds; choose a smaller board", self.limit.as_secs())
            }
            SolveError::Interrupted => CANCELLED.to_owned(),
            error => error.to_string(),
        }
    }
}

impl Watch for Patience<'_> {
    fn go_on(&self) -> bool {
        self.leave.go_on() && !self.is_over()
    }
}

impl SolvedGame {
    /// Solves a game; also its figures.
    pub fn solve(
        question: &SolveOrder,
        library: &Library,
        leave: &Leave,
    ) -> Result<(SolvedGame, Value), String> {
        let Game::Placement(game) = library.game(&question.game, &question.set)? else {
            return Err("this game cannot be solved exactly".to_owned());
        };
        if !(0.0..=0.999).contains(&question.discount) {
            return Err("the discount is a number from 0 to 0.999".to_owned());
        }
        let dealing = match question.mixed {
            0.0 => Dealing::Random,
            1.0 => Dealing::Worst,
            share if (0.0..1.0).contains(&share) => Dealing::Mixed(share),
            _ => return Err("the share of the worst dealer is a number from 0 to 1".to_owned()),
        };
        let from = question.from.as_ref().map(|rows| board(&game, rows)).transpose()?;
        let settings = SolveSettings {
            dealing,
            from,
            memory: Some(MAX_MEMORY),
            ..SolveSettings::new(Objective::Discounted(question.discount))
        };
        let patience = Patience::new(leave, MAX_TIME);
        let solution = solve(&game, &settings, &patience).map_err(|error| patience.explain(&error))?;
        let report = &solution.report;
        let figures = json!({
            "boards": report.boards,
            "states": report.states,
            "value": report.value,
            "error_bound": report.error_bound,
            "value_by_first_piece": report.value_by_first_piece,
            "mean_value": report.mean_value,
            "sweeps": report.sweeps,
            "changes": report.changes,
            "seconds": report.explore_seconds + report.solve_seconds,
        });
        Ok((SolvedGame::new(solution.table), figures))
    }

    fn new(table: Table) -> SolvedGame {
        let bytes = table.bytes();
        SolvedGame { table, bytes }
    }

    /// As if it took so much memory.
    #[cfg(test)]
    pub fn of_bytes(bytes: u64) -> SolvedGame {
        let game = bellmino_lab::load::built_in_game("mini", &[]).unwrap();
        let settings = SolveSettings::new(Objective::Discounted(0.5));
        let solution = solve(game.placement().unwrap(), &settings, &bellmino_exact::Silent).unwrap();
        SolvedGame { table: solution.table, bytes }
    }

    /// The memory it takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Opens a table of the library, written by `solve -o`; also its game and its figures.
    pub fn open(name: &str, library: &Library) -> Result<(SolvedGame, Value), String> {
        let table = read_finished_table(&library.table(name)?).map_err(|error| error.to_string())?;
        let settings = table.settings();
        if table.queue() > 0 || settings.hold {
            return Err(format!(
                "{name} was solved with a preview or hold; the explorer shows the piece alone"
            ));
        }
        let finished = table.finished();
        let told = json!({
            "game": describe(&Game::Placement(table.game().clone())),
            "objective": settings.objective.to_string(),
            "dealer": settings.dealing.to_string(),
            "value": finished.value,
            "error_bound": finished.error_bound,
            "sweeps": finished.sweeps,
        });
        Ok((SolvedGame::new(table), told))
    }

    /// Every placement of a piece on a board; `None` in `placements` if the board with this piece is not among the solved
    /// ones. `dealt` are the pieces before it, for dealers that remember them.
    pub fn look(&self, rows: &[String], piece: usize, dealt: Option<&[u8]>) -> Result<Value, String> {
        let game = self.table.game();
        let board = board(game, rows)?;
        if piece >= game.pieces().len() {
            return Err("there is no such piece".to_owned());
        }
        let queue = [piece as u8];
        let find = |dealt| find_states(game, self.table.settings(), &queue, dealt);
        let states = match find(None) {
            Err(FindStatesError::Ambiguous) if dealt.is_some() => find(dealt),
            found => found,
        };
        let states = states.map_err(|error| error.to_string())?;
        let hand = InHand { queue: &queue, states: &states, held: None, left: None };
        let look = packed(game, &board).and_then(|board| self.table.look(board, &hand));
        let Some(Look { placements: values, .. }) = look else {
            return Ok(json!({ "placements": null }));
        };
        let best = values.iter().filter(|one| !one.fatal).map(|one| one.value).reduce(f64::max);
        let placements: Vec<Value> = values
            .iter()
            .map(|one| {
                let outcome = board.place(game, one.placement);
                let after = outcome.filter(|outcome| !outcome.fatal).map(|outcome| outcome.board);
                let deals = after.and_then(|after| self.deals(&after, states[0]));
                json!({
                    "rotation": one.placement.rotation,
                    "cells": cells(game, one.placement),
                    "value": one.value,
                    "lines": one.lines,
                    "points": one.points,
                    "fatal": one.fatal,
                    "after": after.map(|board| rows_of(&board)),
                    "deals": deals,
                })
            })
            .collect();
        Ok(json!({ "placements": placements, "value": best.unwrap_or(0.0) }))
    }

    /// The record of a contest on the empty board.
    pub fn contest(&self, moves: &[ContestMove]) -> Result<Record, String> {
        let game = self.table.game();
        let refuse = |error: PlayError| error.to_string();
        let chance = stream(0, Purpose::Dealer, 0);
        let mut played: Match =
            Match::with(game.clone(), Allowance::default(), placement::DealtBy::ByHand, chance);
        let mut done = Vec::new();
        for one in moves.iter().take(MAX_STEPS) {
            played.deal(one.piece).map_err(refuse)?;
            if one.cells.is_empty() {
                break;
            }
            let chosen = played.placements().into_iter().find(|known| cells(game, *known) == one.cells);
            let chosen = chosen.ok_or("there is no such placement")?;
            played.play(&chosen).map_err(refuse)?;
            done.push(Action::Place(chosen));
        }
        Record::of(&played, 0, 0, done).map_err(|error| error.to_string())
    }

    /// What each piece is worth to the player on a board, in the order of the game.
    fn deals(&self, board: &Board, state: DealerState) -> Option<Vec<Value>> {
        let game = self.table.game();
        let values = self.table.deal_values(packed(game, board)?, state, &[], None, None)?;
        Some(values.iter().map(|(piece, value)| json!({ "piece": piece, "value": value })).collect())
    }
}

/// A board from rows, bottom first.
fn board(game: &PlacementGame, rows: &[String]) -> Result<Board, String> {
    let mut drawing: Vec<String> = rows
        .iter()
        .map(|row| row.chars().map(|cell| if cell == '.' { '.' } else { '#' }).collect())
        .collect();
    drawing.reverse();
    Board::parse(game.width(), game.height(), &drawing.join("\n")).map_err(|error| error.to_string())
}

fn rows_of(board: &Board) -> Vec<String> {
    let text = board.to_string().replace('#', "G");
    let mut rows: Vec<String> = text.lines().rev().map(str::to_owned).collect();
    while rows.last().is_some_and(|row| row.bytes().all(|cell| cell == b'.')) {
        rows.pop();
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::placement::Grid;
    use std::path::Path;

    fn question(game: &str, mixed: f64) -> SolveOrder {
        SolveOrder { game: game.to_owned(), set: vec![], discount: 0.9, mixed, from: None }
    }

    fn solve_now(question: &SolveOrder) -> Result<(SolvedGame, Value), String> {
        SolvedGame::solve(question, &Library::new(Path::new("none")), &Leave::default())
    }

    #[test]
    fn the_empty_board_with_the_long_tromino() {
        let (solved, figures) = solve_now(&question("baby", 0.0)).unwrap();
        assert_eq!(figures["boards"], 12978);
        let look = solved.look(&[], 0, None).unwrap();
        assert!((look["value"].as_f64().unwrap() - 9.0889857829).abs() < 1e-8, "{}", look["value"]);
        assert_eq!(look["placements"].as_array().unwrap().len(), 6);
        let worst = solve_now(&question("baby", 1.0)).unwrap();
        assert!(worst.1["value"].as_f64().unwrap() < figures["value"].as_f64().unwrap());
    }

    #[test]
    fn an_adversary_leaves_less_than_chance() {
        let (solved, _) = solve_now(&question("mini", 1.0)).unwrap();
        let look = solved.look(&[], 0, None).unwrap();
        for placement in look["placements"].as_array().unwrap() {
            let Some(deals) = placement["deals"].as_array() else { continue };
            assert_eq!(deals.len(), 3);
            let least =
                deals.iter().map(|deal| deal["value"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
            let value = placement["points"].as_f64().unwrap() + 0.9 * least;
            assert!((value - placement["value"].as_f64().unwrap()).abs() < 1e-6);
        }
    }

    /// A bag of two: after its first piece the other one is dealt for certain, after its second either.
    #[test]
    fn a_bag_deals_what_is_left_in_it() {
        let bag = SolveOrder { set: vec!["dealer.kind=bag".to_owned()], ..question("baby", 0.0) };
        let (solved, _) = solve_now(&bag).unwrap();
        let dealt_after = |rows: &[&str], piece: usize, dealt: &[u8]| -> Vec<u64> {
            let rows: Vec<String> = rows.iter().map(|&row| row.to_owned()).collect();
            let look = solved.look(&rows, piece, Some(dealt)).unwrap();
            let deals = look["placements"][0]["deals"].as_array().unwrap();
            deals.iter().map(|deal| deal["piece"].as_u64().unwrap()).collect()
        };
        assert_eq!(dealt_after(&[], 0, &[]), [1]);
        assert_eq!(dealt_after(&[], 1, &[]), [0]);
        assert_eq!(dealt_after(&["GGG."], 1, &[0]), [0, 1]);
        assert!(solved.look(&[], 1, None).unwrap_err().contains("what was dealt before"));
        assert!(solved.look(&[], 1, Some(&[1])).unwrap_err().contains("this order"));
    }

    #[test]
    fn a_table_file_is_opened_and_looked_at() {
        let (solved, figures) = solve_now(&question("baby", 0.0)).unwrap();
        let data = tempfile::tempdir().unwrap();
        let (library, path) = (Library::new(data.path()), data.path().join("tables/baby.table"));
        std::fs::create_dir(data.path().join("tables")).unwrap();
        solved.table.write(&mut std::fs::File::create(&path).unwrap()).unwrap();
        let (opened, told) = SolvedGame::open("baby.table", &library).unwrap();
        assert_eq!((&told["game"]["name"], &told["value"]), (&json!("baby"), &figures["value"]));
        assert_eq!(opened.look(&[], 0, None).unwrap(), solved.look(&[], 0, None).unwrap());
        drop(opened);
        std::fs::write(&path, "no table").unwrap();
        let error = |name: &str| SolvedGame::open(name, &library).map(|_| ()).unwrap_err();
        assert!(error("baby.table").contains("no table of Bellmino"));
        assert!(error(path.to_str().unwrap()).contains("there is no table"));
    }

    #[test]
    fn a_contest_becomes_a_record() {
        let (solved, _) = solve_now(&question("baby", 0.0)).unwrap();
        let (mut rows, mut moves) = (Vec::new(), Vec::new());
        for piece in [0, 1, 1, 0] {
            let look = solved.look(&rows, usize::from(piece), None).unwrap();
            let first = &look["placements"][0];
            moves.push(ContestMove { piece, cells: serde_json::from_value(first["cells"].clone()).unwrap() });
            rows = serde_json::from_value(first["after"].clone()).unwrap();
        }
        let record = solved.contest(&moves).unwrap();
        assert_eq!(rows_of(&record.replay(|_, _| {}).unwrap().board().to_board(solved.table.game())), rows);
        assert_eq!(record.dealt.map(|dealt| dealt.len()), Some(moves.len()));
        let foreign = [ContestMove { piece: 0, cells: vec![[9, 9]] }];
        assert!(solved.contest(&foreign).unwrap_err().contains("no such placement"));
    }

    #[test]
    fn bad_questions_are_refused_and_cancelled_ones_end() {
        let error = |question: &SolveOrder| solve_now(question).map(|_| ()).unwrap_err();
        assert!(error(&SolveOrder { discount: 1.5, ..question("baby", 0.0) }).contains("discount"));
        assert!(error(&question("baby", 2.0)).contains("worst dealer"));
        assert!(error(&question("sprint", 0.0)).contains("cannot be solved"));
        let full = SolveOrder { from: Some(vec!["GGGG".to_owned()]), ..question("baby", 0.0) };
        assert!(error(&full).contains("full"));
        let (solved, _) = solve_now(&question("baby", 0.0)).unwrap();
        assert!(solved.look(&[], 9, None).is_err());
        assert!(solved.look(&["far too wide".to_owned()], 0, None).is_err());
        assert_eq!(
            solved.look(&["....".to_owned(), "G...".to_owned()], 0, None).unwrap()["placements"],
            Value::Null
        );
    }
}
