//! The explorer's part of a page: the game that it has solved, and what it asks about it.

use std::sync::Arc;

use bellmino_engine::AnyRecord;
use bellmino_page::{Desk, ExploreRequest, JobKind, MAX_TIME, Patience, RecordToKeep, SolvedGame, frontier};
use serde_json::{Value, json};

use super::{Fault, Visitor};
use crate::answer::AnswerError;
use crate::jobs::{Hold, Leave};
use crate::locked::locked;

impl Visitor {
    /// Answers a request of the explorer.
    pub(super) async fn explore(&mut self, id: u32, request: ExploreRequest) -> Result<(), Fault> {
        let lab = Arc::clone(&self.lab);
        match request {
            ExploreRequest::Game { game } => self.short(id, move || Ok(game.describe(&lab.library)?)),
            ExploreRequest::Solve { question } => {
                self.solve(id, move |desk| Ok(SolvedGame::solve(&question, &lab.library, desk)?))
            }
            ExploreRequest::Open { table } => {
                self.solve(id, move |_| Ok(SolvedGame::open(&table, &lab.library)?))
            }
            ExploreRequest::Read { name, data } => {
                self.solve(id, move |_| Ok(SolvedGame::read(&name, &data)?))
            }
            ExploreRequest::Look { position } => {
                self.solved(id, JobKind::Short, move |solved| Ok(solved.look(&position)?)).await
            }
            ExploreRequest::Deals { position, seed } => {
                self.solved(id, JobKind::Short, move |solved| Ok(solved.deals(&position, seed)?)).await
            }
            ExploreRequest::Map { order } => {
                self.solved(id, JobKind::Judge, move |solved| Ok(solved.map(&order))).await
            }
            ExploreRequest::Frontier { question, family, run } => {
                let hold = Hold::default();
                let leave = hold.leave();
                self.frontier = Some(hold);
                self.queued(id, JobKind::Solve, leave, move |desk| {
                    let patience = Patience::new(desk, MAX_TIME);
                    let found = frontier(&question, family, &lab.library, &patience, |point| {
                        desk.tell(&json!({ "on": "frontier", "run": run, "point": point }));
                    });
                    Ok(found?)
                })
            }
            ExploreRequest::FrontierEnd => {
                self.frontier = None;
                Ok(())
            }
            ExploreRequest::Keep { placed, dealt, moves } => match self.solution() {
                Ok(solved) => self.kept(id, move || {
                    let mut record = solved.contest(&dealt, &moves)?;
                    let player = solved.contestant(placed);
                    record.player = Some(player.clone());
                    Ok(RecordToKeep::new(&AnyRecord::Placement(record), &player)?)
                }),
                Err(why) => {
                    self.answer(id, Err(why)).await;
                    Ok(())
                }
            },
        }
    }

    /// Gets a solved game to look at; the one before is ended and forgotten.
    fn solve(
        &mut self,
        id: u32,
        get: impl FnOnce(&dyn Desk) -> Result<(SolvedGame, Value), AnswerError> + Send + 'static,
    ) -> Result<(), Fault> {
        let hold = Hold::default();
        let leave = hold.leave();
        self.solving = Some(hold);
        let (place, shelf) = (Arc::clone(&self.solved), self.lab.shelf.clone());
        self.queued(id, JobKind::Solve, leave, move |desk| {
            let (solved, figures) = get(desk)?;
            // Ended in the meantime: the next question has its place.
            if !desk.go_on() {
                return Err(AnswerError::Cancelled);
            }
            let mut place = locked(&place);
            *place = None;
            *place = Some(shelf.put(solved)?);
            Ok(figures)
        })
    }

    /// Answers later with what the solved game of this page says.
    async fn solved(
        &mut self,
        id: u32,
        kind: JobKind,
        ask: impl FnOnce(&SolvedGame) -> Result<Value, AnswerError> + Send + 'static,
    ) -> Result<(), Fault> {
        match self.solution() {
            Ok(solved) => self.queued(id, kind, Leave::default(), move |_| ask(&solved)),
            Err(why) => {
                self.answer(id, Err(why)).await;
                Ok(())
            }
        }
    }

    /// The solved game that this page looks at.
    fn solution(&self) -> Result<Arc<SolvedGame>, AnswerError> {
        let solved = locked(&self.solved);
        let solved = solved.as_ref().ok_or(AnswerError::NothingSolved)?;
        solved.get().ok_or(AnswerError::Forgotten)
    }
}
