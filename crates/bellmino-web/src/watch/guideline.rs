//! One player of a guideline game.

use bellmino_engine::{AnyRecord, Generator, GuidelineGame, Outcome, Purpose, guideline, stream};
use bellmino_lab::{Mind, Player, PlayerError};
use bellmino_search::{Bot, Budget};
use serde_json::{Value, json};

use super::{CONTESTANT, KeepIt, MAX_CANDIDATES, Source, WatchedCandidate, WatchedMove, keep_it};
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
    placements: Vec<guideline::Placement>,
}

/// Who plays a guideline game.
enum Who {
    Human,
    Bot(Box<Bot>, Budget),
    Other(Box<dyn Mind>, Generator),
}

impl GuidelineSide {
    pub fn new(
        game: &GuidelineGame,
        player: &str,
        against: Option<String>,
        seed: u64,
        source: &Source<'_>,
    ) -> Result<GuidelineSide, String> {
        let (name, named) = (game.name().to_owned(), player.to_owned());
        let rules = *game.rules();
        // A run is the player that it makes.
        let run = player.strip_prefix("run:").map(source.trained);
        let run = run.map(|run| run.ok_or_else(|| format!("there is no `{player}`"))).transpose()?;
        let own = player.strip_prefix("weights:").filter(|_| !OTHERS.contains(&player));
        let own = own.map(|name| source.library.weights(name)).transpose()?;
        let run = run.or(own);
        let who = match (player, BOTS.iter().find(|(name, _)| *name == player)) {
            ("human", _) => Who::Human,
            (_, Some((_, nodes))) => Who::Bot(Box::new(Bot::for_rules(&rules)), Budget::nodes(*nodes)),
            _ if run.is_some() || OTHERS.contains(&player) => {
                let refuse = |error: PlayerError| error.to_string();
                let player = run.as_deref().unwrap_or(player);
                let mind = Player::of_guideline(player, None).and_then(|player| player.mind(&rules));
                Who::Other(mind.map_err(refuse)?, stream(seed, Purpose::Player, 0))
            }
            _ => return Err(format!("`{player}` does not play guideline games; `bot` does")),
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

    pub fn step(&mut self) -> Result<Option<WatchedMove>, String> {
        if self.game.outcome().is_some() {
            return Ok(None);
        }
        let view = self.game.view();
        let (placement, candidates) = match &mut self.who {
            Who::Human => return Err("it is the person's turn".to_owned()),
            Who::Other(mind, choosing) => {
                let thought = mind.think(&view, choosing);
                let Some(best) = thought.best() else { return Ok(None) };
                (best.placement, Vec::new())
            }
            Who::Bot(bot, budget) => {
                let thought = bot.think(&view, *budget, None);
                let Some(best) = thought.candidates.first() else { return Ok(None) };
                let shown = thought.candidates.iter().take(MAX_CANDIDATES);
                let shown = shown
                    .map(|one| WatchedCandidate { cells: guideline_cells(&one.placement), value: one.value })
                    .collect();
                (best.placement, shown)
            }
        };
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

    pub fn choose(&mut self, option: usize) -> Result<WatchedMove, String> {
        if !matches!(self.who, Who::Human) {
            return Err("this player places its own pieces".to_owned());
        }
        let placement = self.game.placements().get(option).copied().ok_or("there is no such placement")?;
        self.put(&placement)
    }

    fn put(&mut self, placement: &guideline::Placement) -> Result<WatchedMove, String> {
        let clear = self.game.play(placement).map_err(|error| error.to_string())?;
        let cells = guideline_cells(placement);
        self.picture.put(cells.iter().map(|&[x, y]| (x, y)), placement.piece.letter() as u8);
        let cleared = self.picture.clear();
        self.placements.push(*placement);
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
        let placements = self.placements.clone();
        let rules = *self.game.rules();
        let record = guideline::Record::of_placements(&self.name, rules, self.seed, 0, placements);
        let record = record.map_err(|error| error.to_string()).map(|mut record| {
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
        match &self.who {
            Who::Bot(..) => self.player != QUICK,
            Who::Other(..) => self.player.starts_with("run:"),
            Who::Human => false,
        }
    }

    fn end(&self) -> Option<String> {
        let stats = self.game.stats();
        self.game.outcome().map(|outcome| match outcome {
            Outcome::Goal => format!("goal reached with {} pieces", stats.pieces),
            Outcome::ToppedOut => "topped out".to_owned(),
        })
    }
}
