//! One player of a guideline game.

use bellmino_engine::{AnyRecord, Game, Generator, GuidelineGame, Outcome, Purpose, guideline, stream};
use bellmino_lab::{Mind, Player};
use bellmino_search::Budget;
use serde_json::{Value, json};

use super::{CONTESTANT, KeepIt, MAX_CANDIDATES, Source, WatchError, WatchedCandidate, WatchedMove, keep_it};
use crate::analyse::MAX_STEPS;
use crate::catalogue::{BOTS, OTHERS, QUICK};
use crate::picture::{Picture, guideline_cells, letters};

/// One player of a guideline game.
pub struct GuidelineSide {
    game: guideline::Match,
    who: Who,
    picture: Picture,
    /// What the game is called, who plays and with which pieces: for its record.
    name: String,
    player: String,
    against: Option<String>,
    seed: u64,
    /// What was done, while it is short enough to be kept.
    placements: Vec<guideline::Placement>,
}

/// Who plays a guideline game.
enum Who {
    Human,
    Machine(Box<dyn Mind>, Generator),
}

/// A machine that plays guideline games, by the name that pages have for it.
pub fn machine(game: &GuidelineGame, name: &str, source: &Source<'_>) -> Result<Player, WatchError> {
    if let Some((_, nodes)) = BOTS.iter().find(|(bot, _)| *bot == name) {
        return Ok(Player::of_guideline("bot", Some(Budget::nodes(*nodes)))?);
    }
    match name.split_once(':') {
        Some(("run" | "weights", _)) => Ok(source.library.player(name, &Game::Guideline(game.clone()))?),
        _ => Player::of_guideline(name, None)
            .ok()
            .filter(|_| OTHERS.contains(&name))
            .ok_or_else(|| WatchError::NotGuideline(name.to_owned())),
    }
}

impl GuidelineSide {
    pub fn new(
        game: &GuidelineGame,
        player: &str,
        against: Option<String>,
        seed: u64,
        source: &Source<'_>,
    ) -> Result<GuidelineSide, WatchError> {
        let (name, named) = (game.name().to_owned(), player.to_owned());
        let rules = *game.rules();
        let who = match player {
            "human" => Who::Human,
            _ => {
                let mind = machine(game, player, source)?.mind(&rules)?;
                Who::Machine(mind, stream(seed, Purpose::Player, 0))
            }
        };
        let game = guideline::Match::new(rules, seed);
        Ok(GuidelineSide {
            game,
            who,
            picture: Picture::new(guideline::WIDTH),
            name,
            player: named,
            against,
            seed,
            placements: vec![],
        })
    }

    pub fn step(&mut self) -> Result<Option<WatchedMove>, WatchError> {
        if self.game.outcome().is_some() {
            return Ok(None);
        }
        let view = self.game.view();
        let Who::Machine(mind, choosing) = &mut self.who else {
            return Err(WatchError::PersonsTurn);
        };
        let thought = mind.think(&view, choosing);
        let Some(best) = thought.best() else { return Ok(None) };
        let placement = best.placement;
        let shown = thought.candidates.iter().take(MAX_CANDIDATES);
        let candidates = shown
            .map(|one| WatchedCandidate { cells: guideline_cells(&one.placement), value: one.value })
            .collect();
        Ok(Some(WatchedMove { candidates, ..self.put(&placement)? }))
    }

    pub fn options(&mut self) -> Value {
        let current = self.game.current();
        let options: Vec<Value> = self
            .game
            .placements()
            .iter()
            .map(|placement| {
                // The other piece at hand comes after the turns of the current one.
                let held = if placement.piece == current { 0 } else { 4 };
                json!({
                    "rotation": placement.orientation as u8 + held,
                    "cells": guideline_cells(placement),
                    "colour": placement.piece.letter(),
                    "spin": placement.spin,
                })
            })
            .collect();
        let end = self.end();
        json!({
            "piece": current.letter(),
            "colour": current.letter(),
            "options": options,
            "end": end,
            "hold": self.game.position().hold.map(guideline::Piece::letter),
            "queue": letters(self.game.queue()),
        })
    }

    pub fn choose(&mut self, option: usize) -> Result<WatchedMove, WatchError> {
        if !matches!(self.who, Who::Human) {
            return Err(WatchError::Machine);
        }
        let placement = self.game.placements().get(option).copied().ok_or(WatchError::NoPlacement)?;
        self.put(&placement)
    }

    fn put(&mut self, placement: &guideline::Placement) -> Result<WatchedMove, WatchError> {
        let clear = self.game.play(placement)?;
        let cells = guideline_cells(placement);
        self.picture.put(cells.iter().map(|&[x, y]| (x, y)), placement.piece.letter() as u8);
        let cleared = self.picture.clear();
        if self.placements.len() <= MAX_STEPS {
            self.placements.push(*placement);
        }
        let stats = *self.game.stats();
        Ok(WatchedMove {
            piece: placement.piece.letter().to_string(),
            colour: placement.piece.letter().to_string(),
            cells,
            cleared,
            board: self.picture.rows(),
            points: f64::from(clear.points),
            score: stats.score as f64,
            lines: u64::from(stats.lines),
            pieces: u64::from(stats.pieces),
            fatal: false,
            end: self.end(),
            to_keep: self.to_keep(),
            kept: None,
            not_kept: None,
            candidates: Vec::new(),
            hold: self.game.position().hold.map(|piece| piece.letter().to_string()),
            queue: letters(self.game.queue()),
            clear: clear.to_string(),
        })
    }

    /// The finished game, so that it can be analysed.
    fn to_keep(&self) -> Option<KeepIt> {
        self.game.outcome()?;
        if self.placements.len() > MAX_STEPS {
            return None;
        }
        let placements = self.placements.clone();
        let rules = *self.game.rules();
        let record = guideline::Record::of_placements(&self.name, rules, self.seed, 0, placements);
        let record = record.map(|mut record| {
            record.player = Some(self.player.clone());
            AnyRecord::Guideline(record)
        });
        let player = match self.who {
            Who::Human => CONTESTANT,
            _ => &self.player,
        };
        Some(keep_it(record, player, self.against.as_deref()))
    }

    /// Whether its moves take a while.
    pub fn thinks(&self) -> bool {
        thinks(&self.player)
    }

    fn end(&self) -> Option<String> {
        let stats = self.game.stats();
        self.game.outcome().map(|outcome| match outcome {
            Outcome::Goal => format!("goal reached with {} pieces", stats.pieces),
            Outcome::ToppedOut => "topped out".to_owned(),
        })
    }
}

/// Whether the moves of this player take a while.
pub fn thinks(player: &str) -> bool {
    player != QUICK && (player.starts_with("run:") || BOTS.iter().any(|(bot, _)| *bot == player))
}
