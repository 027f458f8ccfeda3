//! The keeper of games: the store on a thread of its own, so that no game waits for the disk.
//!
//! All work goes through one queue in the order it comes, so that what is written last about a game stays.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use bellmino_engine::guideline::Play;
use bellmino_engine::{AnyMatch, AnyRecord, Outcome, RecordError, Totals};
use serde_json::json;
use tokio::sync::oneshot;

use crate::store::{GameEntry, GameStore, StoreError};

type Chore = Box<dyn FnOnce(&GameStore) + Send>;

/// A handle on the store; clones share it.
#[derive(Clone)]
pub struct Keeper {
    path: PathBuf,
    queue: mpsc::Sender<Chore>,
}

/// A game under way and its row in the store, which is made when the game is first written down.
pub struct KeptGame {
    keeper: Keeper,
    mode: &'static str,
    player: &'static str,
    row: Arc<OnceLock<i64>>,
    is_saving: Arc<AtomicBool>,
}

impl Keeper {
    /// Starts the thread, which ends with the last handle.
    pub fn new(store: GameStore) -> Keeper {
        let path = store.path().to_owned();
        let (queue, inbox) = mpsc::channel::<Chore>();
        thread::spawn(move || {
            for work in inbox {
                work(&store);
            }
        });
        Keeper { path, queue }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Asks the store from a task.
    pub async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&GameStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, String> {
        self.put(work).await.map_err(|_| LOST.to_owned())?
    }

    /// Asks the store from a thread that may wait.
    pub fn ask_and_wait<T: Send + 'static>(
        &self,
        work: impl FnOnce(&GameStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, String> {
        self.put(work).blocking_recv().map_err(|_| LOST.to_owned())?
    }

    /// Waits until all that was asked for so far is done, but not longer than this; whether it is.
    pub fn flush(&self, patience: Duration) -> bool {
        let (done, wait) = mpsc::channel();
        let _ = self.queue.send(Box::new(move |_| {
            let _ = done.send(());
        }));
        wait.recv_timeout(patience) != Err(RecvTimeoutError::Timeout)
    }

    /// Keeps a recorded game under the name of its player, who is not the person at the keyboard: it never counts among
    /// the bests. Gives its number, or that of the same game if it is there already.
    pub fn keep_record(&self, record: &AnyRecord, player: &str) -> Result<i64, String> {
        let (totals, outcome, milliseconds) = played_again(record).map_err(|error| error.to_string())?;
        let standing = GameEntry {
            milliseconds,
            score: totals.score.round() as i64,
            lines: totals.lines as i64,
            pieces: totals.pieces as i64,
            summary: json!({}),
            record: record.to_text(),
        };
        let state = state_of(outcome);
        let (mode, player) = (record.game().to_owned(), player.to_owned());
        self.ask_and_wait(move |store| {
            if let Some(id) = store.find(&standing.record, &player)? {
                return Ok(id);
            }
            let id = store.begin(&mode, &player)?;
            store.update(id, state, &standing)?;
            Ok(id)
        })
    }

    fn put<T: Send + 'static>(
        &self,
        work: impl FnOnce(&GameStore) -> Result<T, StoreError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, String>> {
        let (answer, wait) = oneshot::channel();
        // If the thread is gone, so is the answer, and whoever waits hears of it.
        let _ = self.queue.send(Box::new(move |store| {
            let _ = answer.send(work(store).map_err(|error| error.to_string()));
        }));
        wait
    }
}

const LOST: &str = "the store failed; this is a defect of the lab";

impl KeptGame {
    /// A game that has not been written down yet.
    pub fn new(keeper: Keeper, mode: &'static str, player: &'static str) -> KeptGame {
        KeptGame { keeper, mode, player, row: Arc::default(), is_saving: Arc::default() }
    }

    /// Writes down how the game stands, unless the last time is not done yet.
    pub fn save(&self, standing: impl FnOnce() -> GameEntry) {
        if self.is_saving.swap(true, Ordering::AcqRel) {
            return;
        }
        let (is_saving, standing) = (Arc::clone(&self.is_saving), standing());
        // A full disk does not stop the game; the end screen says whether it was kept.
        self.write(move |store, id| {
            let result = store.update(id, "open", &standing);
            is_saving.store(false, Ordering::Release);
            result
        });
    }

    /// Writes down the end of the game, which is then looked at in the store. `None` if it could not be kept.
    ///
    /// It is written even if nobody waits for the answer.
    pub fn finish<T: Send + 'static, L>(
        self,
        state: &'static str,
        standing: GameEntry,
        look: L,
    ) -> impl Future<Output = Option<T>> + use<T, L>
    where
        L: FnOnce(&GameStore, i64) -> Result<T, StoreError> + Send + 'static,
    {
        let kept = self.write(move |store, id| {
            store.update(id, state, &standing)?;
            look(store, id)
        });
        async move { kept.await.ok()?.ok() }
    }

    /// Forgets the game.
    pub fn forget(self) {
        let row = self.row;
        self.keeper.put(move |store| row.get().map_or(Ok(()), |id| store.remove(*id)));
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&GameStore, i64) -> Result<T, StoreError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, String>> {
        let (row, mode, player) = (Arc::clone(&self.row), self.mode, self.player);
        self.keeper.put(move |store| {
            let id = match row.get() {
                Some(id) => *id,
                None => {
                    let id = store.begin(mode, player)?;
                    *row.get_or_init(|| id)
                }
            };
            work(store, id)
        })
    }
}

/// What came of a recorded game: its sums, how it ended, and how long it took.
fn played_again(record: &AnyRecord) -> Result<(Totals, Option<Outcome>, i64), RecordError> {
    Ok(match record {
        AnyRecord::Placement(record) => {
            let game = record.replay(|_, _| {})?;
            (game.totals(), game.outcome(), 0)
        }
        AnyRecord::Guideline(record) => {
            let game = record.replay(|_, _| {})?;
            let milliseconds = match &record.play {
                Play::Timed { end, .. } => *end as i64,
                Play::Placements { .. } => 0,
            };
            (game.totals(), game.outcome(), milliseconds)
        }
    })
}

/// How a game ended, as the store says it.
pub fn state_of(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Goal) => "goal",
        Some(Outcome::ToppedOut) => "topped-out",
        None => "stopped",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(pieces: i64) -> GameEntry {
        GameEntry { pieces, ..GameEntry::default() }
    }

    #[tokio::test]
    async fn the_end_is_what_stays_however_many_times_it_was_saved() {
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::new(GameStore::open(folder.path()).unwrap());
        for pieces in [20, 30] {
            let game = KeptGame::new(keeper.clone(), "sprint", "you");
            for saved in 0..pieces {
                game.save(|| standing(saved));
            }
            let id = game.finish("stopped", standing(pieces), |_, id| Ok(id)).await.unwrap();
            let (game, _) = keeper.ask(move |store| store.game(id)).await.unwrap().unwrap();
            assert_eq!((game.pieces, game.state.as_str()), (pieces, "stopped"));
        }
        let forgotten = KeptGame::new(keeper.clone(), "sprint", "you");
        forgotten.save(|| standing(3));
        forgotten.forget();
        KeptGame::new(keeper.clone(), "sprint", "you").forget();
        assert_eq!(keeper.ask(|store| store.games(9)).await.unwrap().len(), 2);
    }

    #[test]
    fn what_was_asked_for_is_written_before_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::new(GameStore::open(folder.path()).unwrap());
        for pieces in 0..20 {
            let game = KeptGame::new(keeper.clone(), "sprint", "you");
            // Nobody waits for the answer, as when the lab ends.
            drop(game.finish("goal", standing(pieces), |_, id| Ok(id)));
            KeptGame::new(keeper.clone(), "sprint", "you").save(|| standing(1));
        }
        assert!(keeper.flush(Duration::from_secs(20)));
        assert_eq!(GameStore::open(folder.path()).unwrap().games(99).unwrap().len(), 20);
    }
}
