//! Recorded games of both families, taken apart for the page.

use bellmino_engine::guideline::{BoardError, FumenError};
use bellmino_engine::placement::{Action, Record};
use bellmino_engine::{AnyRecord, PlacementGame, RecordError};
use bellmino_lab::verdict::exact_words;
use bellmino_lab::{LossError, LossReport};
use serde_json::{Value, json};
use thiserror::Error;

use crate::analyse::{GuidelineReplay, Judged, MAX_STEPS};
use crate::catalogue::{guideline_board, is_small, placement_board};
use crate::desk::{Desk, Impatience, JobKind, Patience};
use crate::explore::{MAX_MEMORY, MAX_TIME};
use crate::picture::{Picture, cells, colours};

/// A recorded game, move by move.
pub enum Replay {
    /// Of a placement game.
    Placement(Box<PlacementReplay>),
    /// Of a guideline game.
    Guideline(Box<GuidelineReplay>),
}

/// Why a recorded game is not shown or judged.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// It is no record, or cannot be played again.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Judging took too long.
    #[error("{judged} of {of} placements are judged; after {seconds} seconds the lab stops")]
    Slow {
        /// Placements that were judged.
        judged: usize,
        /// All of them.
        of: usize,
        /// How long it took.
        seconds: u64,
    },
    /// There is no such placement.
    #[error("the game has moves 1 to {of}, not {number}")]
    NoMove {
        /// How many there are.
        of: usize,
        /// The one that was asked for, from 1.
        number: usize,
    },
    /// A small board has values and no lines of play.
    #[error("the verdict of a small board has no line of play")]
    NoLine,
    /// A board that is not solved while one looks.
    #[error("this board is too large to be solved exactly")]
    TooLarge,
    /// It was not solved.
    #[error(transparent)]
    Solve(#[from] Impatience),
    /// Its losses are not known.
    #[error(transparent)]
    Losses(LossError),
    /// A fumen that cannot be read or written.
    #[error(transparent)]
    Fumen(#[from] FumenError),
    /// A fumen with nothing in it.
    #[error("the fumen has no page")]
    NoPage,
    /// A board that is none.
    #[error(transparent)]
    Board(#[from] BoardError),
}

impl Replay {
    /// Takes a record apart by playing it again.
    pub fn read(text: &str) -> Result<Replay, ReplayError> {
        match AnyRecord::from_text(text)? {
            AnyRecord::Placement(record) => {
                PlacementReplay::new(record).map(|replay| Replay::Placement(Box::new(replay)))
            }
            AnyRecord::Guideline(record) => {
                GuidelineReplay::new(record).map(|replay| Replay::Guideline(Box::new(replay)))
            }
        }
    }

    /// What kind of work it is to judge it.
    pub fn judging(&self) -> JobKind {
        match self {
            Replay::Placement(_) => JobKind::Solve,
            Replay::Guideline(_) => JobKind::Judge,
        }
    }

    /// How many placements there are.
    pub fn moves(&self) -> usize {
        match self {
            Replay::Placement(replay) => replay.steps.len(),
            Replay::Guideline(replay) => replay.len(),
        }
    }

    /// The board and the pieces.
    pub fn board(&self) -> Value {
        match self {
            Replay::Placement(replay) => replay.board.clone(),
            Replay::Guideline(_) => guideline_board(),
        }
    }

    /// Every placement as the page shows it.
    pub fn shown(&self) -> Vec<Value> {
        match self {
            Replay::Placement(replay) => replay.steps.clone(),
            Replay::Guideline(replay) => replay.shown(),
        }
    }

    /// Looks at every placement; `tell` hears each verdict.
    pub fn judge(&self, desk: &dyn Desk, tell: impl FnMut(Judged)) -> Result<(), ReplayError> {
        match self {
            Replay::Placement(replay) => replay.judge(desk, tell),
            Replay::Guideline(replay) => replay.judge(desk, tell),
        }
    }

    /// One placement beside the best ones, with the boards that follow each.
    pub fn look(&self, step: usize) -> Result<Value, ReplayError> {
        match self {
            Replay::Placement(_) => Err(ReplayError::NoLine),
            Replay::Guideline(replay) => replay.look(step),
        }
    }

    /// The game as a fumen, if it can be drawn as one.
    pub fn fumen(&self) -> Option<String> {
        match self {
            Replay::Placement(_) => None,
            Replay::Guideline(replay) => replay.fumen().ok(),
        }
    }
}

/// A recorded placement game as the page shows it.
pub struct PlacementReplay {
    record: Record,
    game: PlacementGame,
    board: Value,
    steps: Vec<Value>,
}

impl PlacementReplay {
    fn new(record: Record) -> Result<PlacementReplay, ReplayError> {
        let game = record.rules()?;
        let colours = colours(&game);
        let letter = |piece: u8| char::from(colours[usize::from(piece)]);
        let mut picture = Picture::new(game.width());
        let mut steps = Vec::new();
        let show = |before: &bellmino_engine::placement::Match, action: Action| {
            let Action::Place(placement) = action else { return };
            if steps.len() >= MAX_STEPS {
                return;
            }
            let mut after = before.clone();
            // What cannot be played is refused by the replay itself.
            let Ok(clear) = after.play(&placement) else { return };
            let rows = picture.rows();
            let cells = cells(&game, placement);
            picture.put(cells.iter().map(|&[x, y]| (x, y)), colours[usize::from(placement.piece)]);
            let cleared = if clear.fatal { Vec::new() } else { picture.clear() };
            steps.push(json!({
                "piece": letter(placement.piece),
                "cells": cells,
                "before": rows,
                "cleared": cleared,
                "hold": before.held().map(letter),
                "queue": before.queue().iter().map(|dealt| letter(dealt.piece)).collect::<String>(),
                "score": after.stats().score,
                "lines": after.stats().lines,
                "clear": match clear.lines {
                    0 => String::new(),
                    1 => "1 line".to_owned(),
                    lines => format!("{lines} lines"),
                },
            }));
        };
        record.replay(show)?;
        Ok(PlacementReplay { board: placement_board(&game), steps, record, game })
    }

    /// The exact loss of every placement, in the coin of the objective that suits the game.
    fn judge(&self, desk: &dyn Desk, mut tell: impl FnMut(Judged)) -> Result<(), ReplayError> {
        if !is_small(&self.game) {
            return Err(ReplayError::TooLarge);
        }
        let patience = Patience::new(desk, MAX_TIME);
        let losses = LossReport::new(&self.record, None, Some(MAX_MEMORY), &patience);
        let losses = losses.map_err(|error| match error {
            LossError::Solve(error) => ReplayError::Solve(patience.explain(error)),
            error => ReplayError::Losses(error),
        })?;
        let colours = colours(&self.game);
        let line = self.game.score().points(1);
        for (step, one) in losses.moves.iter().take(MAX_STEPS).enumerate() {
            let is_endless = !one.loss.is_finite();
            tell(Judged {
                step,
                coin: losses.objective.to_string(),
                before: Some(one.best_value).filter(|value| value.is_finite()),
                after: Some(one.value).filter(|value| value.is_finite()),
                expected: None,
                loss: if is_endless { f64::MAX } else { one.loss },
                loss_words: exact_words(one.loss),
                fatal: is_endless,
                grade: grade(one.loss, line),
                reasons: vec![],
                cells: cells(&self.game, one.best),
                piece: Some(char::from(colours[usize::from(one.best.piece)])),
            });
        }
        Ok(())
    }
}

/// The word for an exact loss, measured by what one row is worth.
fn grade(loss: f64, line: f64) -> &'static str {
    match loss / line.max(f64::MIN_POSITIVE) {
        share if share < 1e-9 => "best",
        share if share < 0.1 => "inaccuracy",
        share if share < 0.5 => "mistake",
        _ => "blunder",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::Game;
    use bellmino_engine::placement::Match;
    use bellmino_lab::{Opponent, Player, Playthrough};

    /// Also where a placement without a clear scores, and where the last one fills a row and stays above the top.
    #[test]
    fn the_page_shows_the_points_and_rows_of_the_engine() {
        let overrides = ["score.lines=[1,2,4]".parse().unwrap()];
        let game = Game::built_in("mini", &overrides).unwrap().unwrap().placement().unwrap().clone();
        let player = Player::of_placement("random", &game).unwrap();
        let mut fatal_rows = 0;
        for index in 0..200 {
            let playthrough = Playthrough::<Match, _>::placement(
                game.clone(),
                &player,
                &Opponent::Random,
                (1, index),
                None,
            );
            let mut playthrough = playthrough.unwrap();
            let moves: Vec<Action> =
                playthrough.by_ref().map(|one| Action::Place(one.unwrap().placement)).collect();
            let record = Record::of(playthrough.game(), 1, index, moves).unwrap();
            let shown = Replay::read(&record.to_text()).unwrap().shown();
            let (last, summary) = (shown.last().unwrap(), record.summary.unwrap());
            assert_eq!(
                (last["score"].as_f64(), last["lines"].as_u64()),
                (Some(summary.score), Some(summary.lines))
            );
            let rows = |step: &Value| step["before"].as_array().unwrap().to_vec();
            let filled = |row: &Value, y: usize| {
                let cells = last["cells"].as_array().unwrap().iter().filter(|cell| cell[1] == y).count();
                row.as_str().unwrap().chars().filter(|cell| *cell != '.').count() + cells == game.width()
            };
            fatal_rows += usize::from(rows(last).iter().enumerate().any(|(y, row)| filled(row, y)));
        }
        assert!(fatal_rows > 0, "some games end with a row that is full and does not count");
    }
}
