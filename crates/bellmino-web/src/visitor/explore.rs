//! The explorer's part of a page: the game that it has solved, and what it asks about it.

use std::sync::Arc;

use axum::extract::ws::Message;
use bellmino_engine::AnyRecord;
use serde_json::{Value, json};

use super::{Fault, Visitor};
use crate::explore::{ExploreRequest, MAX_TIME, Patience, SolvedGame, frontier};
use crate::jobs::{CANCELLED, Hold, JobKind, Leave};
use crate::keeper::RecordToKeep;
use crate::locked::locked;

/// What a page hears that looks at a game which others have pushed from the shelf; it then solves it again.
const FORGOTTEN: &str = "this solution is no longer in memory";

impl Visitor {
    /// Answers a request of the explorer.
    pub(super) async fn explore(&mut self, id: u32, request: ExploreRequest) -> Result<(), Fault> {
        let lab = Arc::clone(&self.lab);
        match request {
            ExploreRequest::Game { game } => self.short(id, move || game.describe(&lab.library)),
            ExploreRequest::Solve { question } => {
                self.solve(id, move |leave| SolvedGame::solve(&question, &lab.library, leave))
            }
            ExploreRequest::Open { table } => self.solve(id, move |_| SolvedGame::open(&table, &lab.library)),
            ExploreRequest::Read { name, data } => self.solve(id, move |_| SolvedGame::read(&name, &data)),
            ExploreRequest::Look { position } => {
                self.solved(id, JobKind::Short, move |solved| solved.look(&position)).await
            }
            ExploreRequest::Deals { position, seed } => {
                self.solved(id, JobKind::Short, move |solved| solved.deals(&position, seed)).await
            }
            ExploreRequest::Map { order } => {
                self.solved(id, JobKind::Judge, move |solved| Ok(solved.map(&order))).await
            }
            ExploreRequest::Frontier { question, family, run } => {
                let (hold, out) = (Hold::default(), self.out.clone());
                let leave = hold.leave();
                self.frontier = Some(hold);
                self.queued(id, JobKind::Solve, leave, move |leave| {
                    let patience = Patience::new(leave, MAX_TIME);
                    frontier(&question, family, &lab.library, &patience, |point| {
                        let text = json!({ "on": "frontier", "run": run, "point": point });
                        let _ = out.blocking_send(Message::Text(text.to_string().into()));
                    })
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
                    RecordToKeep::new(&AnyRecord::Placement(record), &player)
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
        get: impl FnOnce(&Leave) -> Result<(SolvedGame, Value), String> + Send + 'static,
    ) -> Result<(), Fault> {
        let hold = Hold::default();
        let leave = hold.leave();
        self.solving = Some(hold);
        let (place, shelf) = (Arc::clone(&self.solved), self.lab.shelf.clone());
        self.queued(id, JobKind::Solve, leave, move |leave| {
            let (solved, figures) = get(leave)?;
            // Ended in the meantime: the next question has its place.
            if !leave.go_on() {
                return Err(CANCELLED.to_owned());
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
        ask: impl FnOnce(&SolvedGame) -> Result<Value, String> + Send + 'static,
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
    fn solution(&self) -> Result<Arc<SolvedGame>, String> {
        let solved = locked(&self.solved);
        let solved = solved.as_ref().ok_or("nothing is solved yet")?;
        solved.get().ok_or_else(|| FORGOTTEN.to_owned())
    }
}
