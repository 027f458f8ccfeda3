//! The kept games that a page looks at: opened, judged, and looked at move by move.

use bellmino_page::{BestOrder, Desk, JobKind, Replay, judge, write_fumen};
use serde_json::json;

use super::{Fault, Visitor, tell_place};
use crate::answer::AnswerError;
use crate::jobs::{Hold, Leave};

/// Games in a list.
const MAX_GAMES: u32 = 200;

impl Visitor {
    /// Answers later with the games that have ended.
    pub(super) fn games(&mut self, id: u32) -> Result<(), Fault> {
        let games = self.lab.keeper.read(|store| store.games(MAX_GAMES));
        self.later(id, async move { Ok(json!(games.await?)) })
    }

    /// Forgets a game.
    pub(super) fn remove_game(&mut self, id: u32, game: i64) -> Result<(), Fault> {
        self.written(id, move |store| Ok(json!(store.remove(game)?)))
    }

    /// Answers later with the contests of the person against machines.
    pub(super) fn contests(&mut self, id: u32) -> Result<(), Fault> {
        let contests = self.lab.keeper.read(|store| Ok(json!(store.contests()?)));
        self.later(id, async move { Ok(contests.await?) })
    }

    /// Answers later with what is best in a position.
    pub(super) fn best(&mut self, id: u32, order: BestOrder) -> Result<(), Fault> {
        self.queued(id, JobKind::Think, Leave::default(), move |_| Ok(order.answer()?))
    }

    /// Answers later with a position as a fumen.
    pub(super) fn write_fumen(
        &mut self,
        id: u32,
        board: Vec<String>,
        queue: String,
        hold: Option<String>,
    ) -> Result<(), Fault> {
        self.short(id, move || {
            let text = write_fumen(&board, &queue, hold.as_deref().unwrap_or(""))?;
            Ok(json!({ "text": text }))
        })
    }

    /// Answers later with a game, placement by placement.
    pub(super) fn open_game(&mut self, id: u32, game: i64) -> Result<(), Fault> {
        let bench = self.bench();
        let found = self.lab.keeper.read(move |store| store.game(game));
        self.later(id, async move {
            let (entry, record) = found.await?.ok_or(AnswerError::NoGame(game))?;
            let work = move |_: &dyn Desk| {
                let played = Replay::read(&record)?;
                Ok(json!({
                    "game": entry,
                    "rules": played.board(),
                    "record": record,
                    "steps": played.shown(),
                    "fumen": played.fumen(),
                }))
            };
            bench.short(work).await
        })
    }

    /// Answers later with one placement beside the best ones.
    pub(super) fn look_at_game(&mut self, id: u32, game: i64, step: usize) -> Result<(), Fault> {
        let bench = self.bench();
        let found = self.lab.keeper.read(move |store| store.game(game));
        let tell = tell_place(&self.out, id);
        self.later(id, async move {
            let (_, record) = found.await?.ok_or(AnswerError::NoGame(game))?;
            let work = move |_: &dyn Desk| Ok(Replay::read(&record)?.look(step)?);
            bench.run(JobKind::Think, Leave::default(), tell, work).await
        })
    }

    /// Judges every placement of a stored game, unless that was done before.
    pub(super) fn judge(&mut self, id: u32, game: i64) -> Result<(), Fault> {
        let hold = Hold::default();
        let leave = hold.leave();
        // One at a time for each page: the one before ends here.
        self.judging = Some(hold);
        let found =
            self.lab.keeper.read(move |store| Ok((store.game(game)?, store.verdicts(game, judge())?)));
        let bench = self.bench();
        let (keeper, tell) = (self.lab.keeper.clone(), tell_place(&self.out, id));
        self.later(id, async move {
            let (found, known) = found.await?;
            if let Some(verdicts) = known {
                return Ok(json!({ "verdicts": verdicts }));
            }
            let (_, record) = found.ok_or(AnswerError::NoGame(game))?;
            let played = bench.short(move |_: &dyn Desk| Ok(Replay::read(&record)?)).await?;
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
            let (is_whole, verdicts) = bench.run(kind, leave, tell, work).await?;
            if is_whole {
                let kept = verdicts.clone();
                // What cannot be kept is judged again the next time.
                let _ = keeper.write(move |store| store.keep_verdicts(game, judge(), &kept)).await;
            }
            Ok(json!({ "verdicts": verdicts }))
        })
    }
}
