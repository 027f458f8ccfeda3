//! One player of a placement game.

use std::time::Duration;

use bellmino_engine::placement::{Action, DealtBy, Grid, Placement};
use bellmino_engine::{AnyRecord, Game, Generator, PlacementGame, Purpose, placement, stream};
use bellmino_exact::{self as exact, Objective, Table};
use bellmino_lab::{AtWork, Chooser, Opponent, Player, Terms, take_turn};
use bellmino_learn::Afterstate;
use serde_json::{Value, json};

use super::{CONTESTANT, KeepIt, MAX_CANDIDATES, Source, WatchError, WatchedCandidate, WatchedMove, keep_it};
use crate::analyse::MAX_STEPS;
use crate::catalogue::{EXACT, MAX_EXACT};
use crate::desk::Patience;
use crate::explore::MAX_MEMORY;
use crate::picture::{Picture, cells, colours};
use crate::shelf::Reserved;

/// How long a solution may take for somebody who wants to watch.
const MAX_TIME: Duration = Duration::from_secs(10);

/// One player of a placement game.
pub struct PlacementSide {
    game: placement::Match,
    /// None for a human.
    player: Option<AtWork>,
    colours: Vec<u8>,
    choosing: Generator,
    picture: Picture,
    /// After how many pieces the game ends, if its table was solved for so many.
    pieces: Option<u64>,
    /// Who plays and with which pieces: for the record.
    name: String,
    against: Option<String>,
    seed: u64,
    /// What was done, while it is short enough to be kept.
    actions: Vec<Action>,
    /// Of its table.
    _memory: Option<Reserved>,
}

/// A machine that plays a placement game, by the name that pages have for it, and the memory of its table. A page names only what the
/// lab has.
pub fn machine(
    game: &PlacementGame,
    name: &str,
    source: &Source<'_>,
) -> Result<(Player, Option<Reserved>), WatchError> {
    Ok(match name.split_once(':') {
        None if name == EXACT => {
            let (table, memory) = solved(game, source)?;
            (Player::of_table(EXACT, table), Some(memory))
        }
        Some(("table", table)) => {
            let table = source.library.table_of(table, game)?;
            let memory = source.shelf.reserve(table.bytes())?;
            (Player::of_table(name, table), Some(memory))
        }
        _ => (source.library.player(name, &Game::Placement(game.clone()))?, None),
    })
}

impl PlacementSide {
    pub fn new(
        game: &PlacementGame,
        player: &str,
        against: Option<String>,
        seed: u64,
        source: &Source<'_>,
    ) -> Result<PlacementSide, WatchError> {
        let name = player.to_owned();
        let (player, memory) = match player {
            "human" => (None, None),
            _ => {
                let (player, memory) = machine(game, player, source)?;
                (Some(player), memory)
            }
        };
        let terms = Terms::new(game, player.as_ref(), &Opponent::Random, None);
        let Terms { allowance, pieces } = terms?;
        let player = match player {
            Some(player) => {
                let chooser = player.chooser()?;
                Some(AtWork::new(chooser.clone(), pieces))
            }
            None => None,
        };
        let chance = stream(seed, Purpose::Dealer, 0);
        Ok(PlacementSide {
            game: placement::Match::with(game.clone(), allowance, DealtBy::Chance, chance),
            pieces,
            player,
            colours: colours(game),
            choosing: stream(seed, Purpose::Player, 0),
            picture: Picture::new(game.width()),
            name,
            against,
            seed,
            actions: Vec::new(),
            _memory: memory,
        })
    }

    /// The machine places a piece.
    pub fn step(&mut self) -> Result<Option<WatchedMove>, WatchError> {
        if self.end().is_some() {
            return Ok(None);
        }
        let candidates = self.candidates();
        let player = self.player.as_mut().ok_or(WatchError::PersonsTurn)?;
        let turn = take_turn(player, &mut self.game, &mut self.choosing)?;
        Ok(turn.map(|turn| {
            let shown = self.shown(turn.placement, turn.held, &turn.clear);
            WatchedMove { candidates, ..shown }
        }))
    }

    /// The best placements in the eyes of the table, the tuples or the controller.
    fn candidates(&self) -> Vec<WatchedCandidate> {
        let (game, Some(piece)) = (self.game.game(), self.game.current()) else { return Vec::new() };
        let piece = usize::from(piece);
        let before = self.game.board().to_board(game);
        let mut list = Vec::new();
        let chooser = self.player.as_ref().map(AtWork::chooser);
        if let Some(look) = self.player.as_ref().and_then(|player| player.look(&self.game)) {
            let values = look.placements.iter().filter(|one| !one.fatal);
            list.extend(
                values.map(|one| WatchedCandidate { cells: cells(game, one.placement), value: one.value }),
            );
        }
        if let Some(Chooser::Controller(controller, _)) = chooser {
            self.game.board().outcomes(game, piece, |placement, landed| {
                let after = landed.board.to_board(game);
                let (before, cleared) = (&before, landed.cleared);
                let state = Afterstate { game, before, after: &after, placement, cleared };
                let terms = controller.features().iter().zip(controller.weights());
                let value = terms.map(|(feature, weight)| weight * feature.value(&state)).sum();
                list.push(WatchedCandidate { cells: cells(game, placement), value });
            });
        }
        if let Some(Chooser::Tuples(value)) = chooser {
            self.game.board().outcomes(game, piece, |placement, landed| {
                let value = value.worth(&landed.board.to_board(game), game.score().points(landed.lines()));
                list.push(WatchedCandidate { cells: cells(game, placement), value });
            });
        }
        list.sort_by(|a, b| b.value.total_cmp(&a.value));
        list.truncate(MAX_CANDIDATES);
        list
    }

    pub fn options(&mut self) -> Value {
        let game = self.game.game();
        let option = |placement: &Placement| json!({ "rotation": placement.rotation, "cells": cells(game, *placement) });
        let options: Vec<Value> = self.game.placements().iter().map(option).collect();
        let piece = self.game.current().map_or(0, usize::from);
        json!({
            "piece": game.pieces()[piece].name(),
            "colour": char::from(self.colours[piece]),
            "options": options,
            "end": self.end(),
        })
    }

    pub fn choose(&mut self, option: usize) -> Result<WatchedMove, WatchError> {
        if self.player.is_some() {
            return Err(WatchError::Machine);
        }
        if self.game.outcome().is_some() {
            return Err(WatchError::Over);
        }
        let placement = self.game.placements().get(option).copied().ok_or(WatchError::NoPlacement)?;
        let clear = self.game.play(&placement)?;
        Ok(self.shown(placement, false, &clear))
    }

    /// A move that was just made.
    fn shown(&mut self, placement: Placement, held: bool, clear: &placement::Clear) -> WatchedMove {
        let game = self.game.game();
        let piece = usize::from(placement.piece);
        let cells = cells(game, placement);
        if self.actions.len() <= MAX_STEPS {
            self.actions.extend(held.then_some(Action::Hold));
            self.actions.push(Action::Place(placement));
        }
        let mut picture = self.picture.clone();
        picture.put(cells.iter().map(|&[x, y]| (x, y)), self.colours[piece]);
        let mut cleared = Vec::new();
        if !clear.fatal {
            cleared = picture.clear();
            self.picture = picture;
        }
        let stats = self.game.stats();
        WatchedMove {
            piece: game.pieces()[piece].name().to_owned(),
            colour: char::from(self.colours[piece]).to_string(),
            cells,
            cleared,
            board: self.picture.rows(),
            points: clear.points,
            score: stats.score,
            lines: stats.lines,
            pieces: stats.pieces,
            fatal: clear.fatal,
            end: self.end(),
            to_keep: self.to_keep(),
            ..WatchedMove::default()
        }
    }

    /// The finished game, so that it can be looked at again.
    fn to_keep(&self) -> Option<KeepIt> {
        self.end()?;
        if self.actions.len() > MAX_STEPS {
            return None;
        }
        let record = placement::Record::of(&self.game, self.seed, 0, self.actions.iter().copied());
        let record = record.map(|mut record| {
            record.player = Some(self.name.clone());
            AnyRecord::Placement(record)
        });
        let player = if self.player.is_none() { CONTESTANT } else { &self.name };
        Some(keep_it(record, player, self.against.as_deref()))
    }

    fn end(&self) -> Option<String> {
        if self.game.outcome().is_none() {
            let pieces = self.pieces.filter(|pieces| self.game.stats().pieces >= *pieces)?;
            return Some(format!("the table was solved for {pieces} pieces"));
        }
        Some(match self.game.stuck_on() {
            Some(piece) => format!("no place for {}", self.game.game().pieces()[usize::from(piece)].name()),
            None => "something stayed above the top".to_owned(),
        })
    }
}

/// The best play for points, each worth 1 % less than the one before; within bounds of memory and time.
fn solved(game: &PlacementGame, source: &Source<'_>) -> Result<(Table, Reserved), WatchError> {
    if game.width() * game.height() > MAX_EXACT {
        return Err(WatchError::TooLarge);
    }
    let settings = exact::SolveSettings {
        memory: Some(MAX_MEMORY / 2),
        ..exact::SolveSettings::new(Objective::Discounted(0.99))
    };
    let patience = Patience::new(source.desk, MAX_TIME);
    let solution = exact::solve(game, &settings, &patience).map_err(|error| patience.explain(error))?;
    let reserved = source.shelf.reserve(solution.table.bytes())?;
    Ok((solution.table, reserved))
}
