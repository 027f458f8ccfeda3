//! The kept games that a page looks at: opened, judged, and looked at move by move.

use serde_json::json;

use super::step::{PageReply, PageStage, PageStep};
use super::{PageSession, latest};
use crate::analyse::{judge, write_fumen};
use crate::answer::AnswerError;
use crate::archive::{Archive, keep};
use crate::best::BestOrder;
use crate::contestant::contest_series;
use crate::desk::{Desk, JobKind};
use crate::duel::duels;
use crate::kept::{RecordToKeep, StoredGame};
use crate::replay::Replay;

/// Games in a list.
const MAX_GAMES: u32 = 200;

/// A game that there is, and its record.
fn found(archive: &dyn Archive, game: i64) -> Result<(StoredGame, String), AnswerError> {
    archive.game(game)?.ok_or(AnswerError::NoGame(game))
}

impl PageSession {
    /// The games that have ended.
    pub(super) fn games(&self) -> PageStep {
        PageStep::told(|archive| Ok(json!(archive.games(MAX_GAMES)?)))
    }

    /// Forgets a game.
    pub(super) fn remove_game(&self, game: i64) -> PageStep {
        PageStep::write(move |archive, _| Ok(json!(archive.remove(game)?)))
    }

    /// The contests of the person against machines.
    pub(super) fn contests(&self) -> PageStep {
        PageStep::told(|archive| Ok(json!(contest_series(archive)?)))
    }

    /// The duels so far, as a table.
    pub(super) fn duels(&self) -> PageStep {
        PageStep::told(|archive| Ok(json!(duels(archive)?)))
    }

    /// What is best in a position.
    pub(super) fn best(&self, order: BestOrder) -> PageStep {
        PageStep::queued(JobKind::Think, move |_| Ok(order.answer()?), |_, best| Ok(PageStep::Answer(best)))
    }

    /// A position as a fumen.
    pub(super) fn fumen(&self, board: Vec<String>, queue: String, hold: Option<String>) -> PageStep {
        PageStep::short(move || {
            let text = write_fumen(&board, &queue, hold.as_deref().unwrap_or(""))?;
            Ok(json!({ "text": text }))
        })
    }

    /// A game, placement by placement.
    pub(super) fn open_game(&self, game: i64) -> PageStep {
        let take_apart = |(entry, record): (StoredGame, String)| {
            let played = Replay::read(&record)?;
            Ok(json!({
                "game": entry,
                "rules": played.board(),
                "record": record,
                "steps": played.shown(),
                "fumen": played.fumen(),
            }))
        };
        PageStep::look(
            move |archive| found(archive, game),
            move |_, found| {
                let work = move |_: &dyn Desk| take_apart(found);
                Ok(PageStep::quiet(JobKind::Short, work, |_, shown| Ok(PageStep::Answer(shown))))
            },
        )
    }

    /// One placement beside the best ones.
    pub(super) fn look_at_game(&self, game: i64, step: usize) -> PageStep {
        PageStep::look(
            move |archive| found(archive, game),
            move |_, (_, record)| {
                let work = move |_: &dyn Desk| Ok(Replay::read(&record)?.look(step)?);
                Ok(PageStep::queued(JobKind::Think, work, |_, shown| Ok(PageStep::Answer(shown))))
            },
        )
    }

    /// Judges every placement of a kept game, unless that was done before. One at a time: the one before ends.
    pub(super) fn judge(&mut self, task: u32, game: i64) -> PageStep {
        self.supersede(|page| &mut page.judging, Some(task));
        let find = move |archive: &dyn Archive| Ok((archive.game(game)?, archive.verdicts(game, judge())?));
        PageStep::look(find, move |_, (found, known)| {
            if let Some(verdicts) = known {
                return Ok(PageStep::Answer(json!({ "verdicts": verdicts })));
            }
            let (_, record) = found.ok_or(AnswerError::NoGame(game))?;
            let read = move |_: &dyn Desk| Ok(Replay::read(&record)?);
            Ok(PageStep::quiet(JobKind::Short, read, move |page, played| page.judge_on(task, game, played)))
        })
    }

    fn judge_on(&self, task: u32, game: i64, played: Replay) -> PageStage {
        latest(self.judging == Some(task))?;
        let kind = played.judging();
        let work = move |desk: &dyn Desk| {
            let mut verdicts = Vec::new();
            played.judge(desk, |verdict| {
                let verdict = json!(verdict);
                desk.tell(&json!({ "on": "verdict", "game": game, "verdict": verdict }));
                verdicts.push(verdict);
            })?;
            Ok((verdicts.len() == played.moves(), json!(verdicts)))
        };
        Ok(PageStep::queued(kind, work, move |_, (is_whole, verdicts)| {
            let answer = json!({ "verdicts": verdicts });
            if !is_whole {
                return Ok(PageStep::Answer(answer));
            }
            // What cannot be kept is judged again the next time.
            let known = answer.clone();
            let write = move |archive: &dyn Archive| {
                let _ = archive.keep_verdicts(game, judge(), &verdicts);
                answer
            };
            Ok(PageStep::write_or(write, |_| known))
        }))
    }

    /// Nobody waits for verdicts any more.
    pub(super) fn end_judging(&mut self) -> PageReply {
        self.supersede(|page| &mut page.judging, None);
        PageReply::Silent
    }

    /// Keeps a recorded game; its number is the answer.
    pub(super) fn keep_record(
        &self,
        work: impl FnOnce() -> Result<RecordToKeep, AnswerError> + Send + 'static,
    ) -> PageStep {
        PageStep::queued(
            JobKind::Short,
            |_| work(),
            |_, record| Ok(PageStep::write(move |archive, _| Ok(json!({ "game": keep(archive, &record)? })))),
        )
    }
}
