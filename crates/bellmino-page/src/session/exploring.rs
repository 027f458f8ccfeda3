//! The explorer's part of a page: the game that it has solved, and what it asks about it.

use std::sync::Arc;

use bellmino_engine::AnyRecord;
use serde_json::{Value, json};

use super::step::{PageReply, PageStage, PageStep};
use super::{PageSession, latest};
use crate::answer::AnswerError;
use crate::desk::{Desk, JobKind, Patience};
use crate::explore::{ExploreRequest, FrontierFamily, MAX_TIME, SolveOrder, SolvedGame, frontier};
use crate::kept::RecordToKeep;
use crate::premises::Premises;

impl PageSession {
    /// Answers a request of the explorer.
    pub(super) fn explore(&mut self, task: u32, request: ExploreRequest) -> PageReply {
        let premises = Arc::clone(&self.premises);
        let stage =
            match request {
                ExploreRequest::Game { game } => {
                    Ok(PageStep::short(move || Ok(game.describe(premises.collection())?)))
                }
                ExploreRequest::Solve { question } => Ok(self
                    .solve(task, move |desk| Ok(SolvedGame::solve(&question, premises.collection(), desk)?))),
                ExploreRequest::Open { table } => {
                    Ok(self.solve(task, move |_| Ok(SolvedGame::open(&table, premises.collection())?)))
                }
                ExploreRequest::Read { name, data } => {
                    Ok(self.solve(task, move |_| Ok(SolvedGame::read(&name, &data)?)))
                }
                ExploreRequest::Look { position } => {
                    self.ask_solved(JobKind::Short, move |solved| Ok(solved.look(&position)?))
                }
                ExploreRequest::Deals { position, seed } => {
                    self.ask_solved(JobKind::Short, move |solved| Ok(solved.deals(&position, seed)?))
                }
                ExploreRequest::Map { order } => {
                    self.ask_solved(JobKind::Judge, move |solved| Ok(solved.map(&order)))
                }
                ExploreRequest::Frontier { question, family, run } => {
                    self.supersede(|page| &mut page.frontier, Some(task));
                    Ok(search_frontier(premises, question, family, run))
                }
                ExploreRequest::FrontierEnd => {
                    self.supersede(|page| &mut page.frontier, None);
                    return PageReply::Silent;
                }
                ExploreRequest::Keep { placed, dealt, moves } => self.solution().map(|solved| {
                    self.keep_record(move || {
                        let mut record = solved.contest(&dealt, &moves)?;
                        let player = solved.contestant(placed);
                        record.player = Some(player.clone());
                        Ok(RecordToKeep::new(&AnyRecord::Placement(record), &player)?)
                    })
                }),
            };
        stage.into()
    }

    /// Gets a solved game to look at; the one before is ended and forgotten.
    fn solve(
        &mut self,
        task: u32,
        get: impl FnOnce(&dyn Desk) -> Result<(SolvedGame, Value), AnswerError> + Send + 'static,
    ) -> PageStep {
        self.supersede(|page| &mut page.solving, Some(task));
        PageStep::queued(JobKind::Solve, get, move |page, (solved, figures)| {
            // Ended in the meantime: the next question has its place.
            latest(page.solving == Some(task))?;
            page.solved = None;
            page.solved = Some(page.commons.shelf.put(solved)?);
            Ok(PageStep::Answer(figures))
        })
    }

    /// What the solved game of this page says.
    fn ask_solved(
        &self,
        kind: JobKind,
        ask: impl FnOnce(&SolvedGame) -> Result<Value, AnswerError> + Send + 'static,
    ) -> PageStage {
        let solved = self.solution()?;
        Ok(PageStep::queued(kind, move |_| ask(&solved), |_, told| Ok(PageStep::Answer(told))))
    }

    /// The solved game that this page looks at.
    fn solution(&self) -> Result<Arc<SolvedGame>, AnswerError> {
        let solved = self.solved.as_ref().ok_or(AnswerError::NothingSolved)?;
        solved.get().ok_or(AnswerError::Forgotten)
    }
}

fn search_frontier(
    premises: Arc<dyn Premises>,
    question: SolveOrder,
    family: FrontierFamily,
    run: u32,
) -> PageStep {
    let search = move |desk: &dyn Desk| {
        let patience = Patience::new(desk, MAX_TIME);
        let found = frontier(&question, family, premises.collection(), &patience, |point| {
            desk.tell(&json!({ "on": "frontier", "run": run, "point": point }));
        });
        Ok(found?)
    };
    PageStep::queued(JobKind::Solve, search, |_, found| Ok(PageStep::Answer(found)))
}
