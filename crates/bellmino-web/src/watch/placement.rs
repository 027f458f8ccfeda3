//! One player of a placement game.

use std::path::PathBuf;

use bellmino_engine::placement::{AnyColumns, DealerState, Grid, Placement};
use bellmino_engine::{Generator, PlacementGame, Purpose, stream};
use bellmino_exact::{self as exact, Choice, InHand, Objective, Silent, Table};
use bellmino_lab::Player;
use bellmino_learn::{Afterstate, Controller};
use serde_json::{Value, json};

use super::{MAX_CANDIDATES, ShownCandidate, ShownMove};
use crate::catalogue::{EXACT, MAX_EXACT};
use crate::picture::{Picture, cells, colours};

/// One player of a placement game.
pub struct PlacementSide {
    game: PlacementGame,
    /// None for a human.
    player: Option<Player>,
    /// The weights, if it has some: to show what it thinks of its candidates.
    controller: Option<Controller>,
    colours: Vec<u8>,
    dealing: Generator,
    choosing: Generator,
    state: DealerState,
    /// The piece at hand, once dealt.
    piece: Option<usize>,
    board: AnyColumns,
    picture: Picture,
    score: f64,
    lines: u64,
    pieces: u64,
    end: Option<String>,
}

impl PlacementSide {
    pub fn new(
        game: &PlacementGame,
        player: &str,
        seed: u64,
        trained: &dyn Fn(&str) -> Option<PathBuf>,
    ) -> Result<PlacementSide, String> {
        let controller = player.strip_prefix("weights:").and_then(Controller::built_in);
        let player = match player {
            "human" => None,
            EXACT => Some(Player::of_table(EXACT, table(game)?)),
            name if name.starts_with("run:") => {
                let path = trained(&name["run:".len()..]).ok_or_else(|| format!("there is no `{name}`"))?;
                let text = format!("weights:{}", path.display());
                Some(Player::parse(&text, game).map_err(|error| error.to_string())?)
            }
            // Players from files are for the command line: a page names only what the lab lists.
            name if name.contains(['/', '\\']) => return Err(format!("there is no player `{name}`")),
            name => Some(Player::parse(name, game).map_err(|error| error.to_string())?),
        };
        Ok(PlacementSide {
            player,
            controller,
            colours: colours(game),
            dealing: stream(seed, Purpose::Dealer, 0),
            choosing: stream(seed, Purpose::Player, 0),
            state: game.dealer().start(),
            piece: None,
            board: AnyColumns::empty(game),
            picture: Picture::new(game.width()),
            score: 0.0,
            lines: 0,
            pieces: 0,
            end: None,
            game: game.clone(),
        })
    }

    /// The piece to place.
    fn dealt(&mut self) -> usize {
        *self.piece.get_or_insert_with(|| {
            let deal = self.game.dealer().deal(self.state, &mut self.dealing);
            self.state = deal.next;
            usize::from(deal.piece)
        })
    }

    /// The machine places a piece.
    pub fn step(&mut self) -> Result<Option<ShownMove>, String> {
        if self.end.is_some() {
            return Ok(None);
        }
        let piece = self.dealt();
        let player = self.player.as_ref().ok_or("it is the person's turn")?;
        let hand = InHand { queue: &[piece as u8], states: &[self.state], held: None, left: None };
        match player.choose_from_hand(&self.game, &self.board, &hand, &mut self.choosing) {
            Some(Choice::Place(placement)) => {
                let candidates = self.candidates(piece);
                Ok(Some(ShownMove { candidates, ..self.put(placement) }))
            }
            _ => {
                self.end = Some(self.stuck(piece));
                Ok(None)
            }
        }
    }

    /// The best placements in the eyes of the controller.
    fn candidates(&self, piece: usize) -> Vec<ShownCandidate> {
        let mut list = Vec::new();
        if let Some(table) = self.player.as_ref().and_then(Player::table)
            && let Some(values) = table.placement_values(&self.board.to_board(&self.game), piece)
        {
            let values = values.iter().filter(|one| !one.fatal);
            list.extend(
                values
                    .map(|one| ShownCandidate { cells: cells(&self.game, one.placement), value: one.value }),
            );
            list.sort_by(|a, b| b.value.total_cmp(&a.value));
            list.truncate(MAX_CANDIDATES);
        }
        let Some(controller) = &self.controller else { return list };
        let before = self.board.to_board(&self.game);
        self.board.outcomes(&self.game, piece, |placement, outcome| {
            let after = outcome.board.to_board(&self.game);
            let state = Afterstate {
                game: &self.game,
                before: &before,
                after: &after,
                placement,
                cleared: outcome.cleared,
            };
            let terms = controller.features().iter().zip(controller.weights());
            let value = terms.map(|(feature, weight)| weight * feature.value(&state)).sum();
            list.push(ShownCandidate { cells: cells(&self.game, placement), value });
        });
        list.sort_by(|a, b| b.value.total_cmp(&a.value));
        list.truncate(MAX_CANDIDATES);
        list
    }

    fn placements(&mut self) -> Vec<Placement> {
        let piece = self.dealt();
        let mut list = Vec::new();
        self.board.placements(&self.game, piece, |placement| list.push(placement));
        list
    }

    pub fn options(&mut self) -> Value {
        let piece = self.dealt();
        let list = if self.end.is_some() { Vec::new() } else { self.placements() };
        if list.is_empty() && self.end.is_none() {
            self.end = Some(self.stuck(piece));
        }
        let options: Vec<Value> = list
            .iter()
            .map(
                |placement| json!({ "rotation": placement.rotation, "cells": cells(&self.game, *placement) }),
            )
            .collect();
        let name = self.game.pieces()[piece].name();
        json!({ "piece": name, "colour": char::from(self.colours[piece]), "options": options, "end": self.end })
    }

    pub fn choose(&mut self, option: usize) -> Result<ShownMove, String> {
        if self.player.is_some() {
            return Err("this player places its own pieces".to_owned());
        }
        if self.end.is_some() {
            return Err("the game is over".to_owned());
        }
        let placement = self.placements().get(option).copied().ok_or("there is no such placement")?;
        Ok(self.put(placement))
    }

    fn put(&mut self, placement: Placement) -> ShownMove {
        self.piece = None;
        let piece = usize::from(placement.piece);
        let cells = cells(&self.game, placement);
        let outcome = self.board.place_unchecked(&self.game, placement);
        let points = if outcome.fatal { 0.0 } else { self.game.score().points(outcome.lines()) };
        self.pieces += 1;
        self.score += points;
        self.lines += u64::from(outcome.lines());
        let mut picture = self.picture.clone();
        picture.put(cells.iter().map(|&[x, y]| (x, y)), self.colours[piece]);
        let mut cleared = Vec::new();
        if outcome.fatal {
            self.end = Some("something stayed above the top".to_owned());
        } else {
            self.board = outcome.board;
            cleared = picture.clear();
            self.picture = picture;
        }
        ShownMove {
            piece: self.game.pieces()[piece].name().to_owned(),
            colour: char::from(self.colours[piece]).to_string(),
            cells,
            cleared,
            board: self.picture.rows(),
            points,
            score: self.score,
            lines: self.lines,
            pieces: self.pieces,
            fatal: outcome.fatal,
            end: self.end.clone(),
            ..ShownMove::default()
        }
    }

    fn stuck(&self, piece: usize) -> String {
        format!("no place for {}", self.game.pieces()[piece].name())
    }
}

/// The best play for points, each worth 1 % less than the one before.
fn table(game: &PlacementGame) -> Result<Table, String> {
    if game.width() * game.height() > MAX_EXACT {
        return Err("this board is too large to be solved at once".to_owned());
    }
    let settings = exact::SolveSettings::new(Objective::Discounted(0.99));
    exact::solve(game, &settings, &Silent).map(|solution| solution.table).map_err(|error| error.to_string())
}
