//! The keeper of games: the store on threads of its own, so that no game waits for the disk.
//!
//! All writing goes through one bounded queue in the order it comes, so that what is written last about a game stays; reading
//! has its own, so that nobody who asks waits for a writer. A game that has ended and could not be written is tried again
//! until it can.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, TrySendError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use bellmino_page::{ArchiveError, GameEntry, Saving, locked};
use thiserror::Error;
use tokio::sync::{oneshot, watch};

use crate::store::{GameStore, StoreError};

/// Chores that may wait.
const MAX_CHORES: usize = 512;

/// How soon ended games that could not be written are tried again, however many there are.
const AGAIN: Duration = Duration::from_secs(2);

/// How long they may keep the others waiting: a store that is locked takes its time to say so, each time.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Something that is tried until it says that it is done.
type Insisted = Box<dyn FnMut(&GameStore) -> bool + Send>;

enum Chore {
    Once(Box<dyn FnOnce(&GameStore) + Send>),
    Insist(Insisted),
    /// Tells how many are not done.
    Flush(mpsc::Sender<usize>),
}

/// A handle on the store; clones share it.
#[derive(Clone)]
pub struct Keeper {
    path: PathBuf,
    writes: mpsc::SyncSender<Chore>,
    reads: mpsc::SyncSender<Chore>,
}

/// A game and its row in the store, which is made when the game is first written down.
pub struct KeptGame {
    keeper: Keeper,
    mode: &'static str,
    player: &'static str,
    row: Arc<Mutex<Option<i64>>>,
    /// How it stands, where that is to be written.
    waiting: Arc<Mutex<Option<GameEntry>>>,
}

/// Why nothing is kept or looked up.
#[derive(Debug, Error)]
pub enum KeeperError {
    /// The thread of the store is gone.
    #[error("the store failed; this is a defect of the lab")]
    Lost,
    /// Too much is to be done already.
    #[error("the store is busy; try again in a moment")]
    Busy,
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Keeper {
    /// Starts the threads, which end with the last handle.
    pub fn new(store: GameStore) -> Result<Keeper, StoreError> {
        let (path, reader) = (store.path().to_owned(), store.reader()?);
        let (writes, inbox) = mpsc::sync_channel(MAX_CHORES);
        thread::spawn(move || work(&store, &inbox));
        let (reads, inbox) = mpsc::sync_channel(MAX_CHORES);
        thread::spawn(move || work(&reader, &inbox));
        Ok(Keeper { path, writes, reads })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Changes something in the store, even if nobody waits for the answer.
    pub fn write<T: Send + 'static, W>(
        &self,
        work: W,
    ) -> impl Future<Output = Result<T, KeeperError>> + use<T, W>
    where
        W: FnOnce(&GameStore) -> Result<T, StoreError> + Send + 'static,
    {
        let asked = put(&self.writes, work);
        async move { asked?.await.map_err(|_| KeeperError::Lost)? }
    }

    /// Looks something up in the store; no writer keeps it waiting.
    pub fn read<T: Send + 'static, W>(
        &self,
        work: W,
    ) -> impl Future<Output = Result<T, KeeperError>> + use<T, W>
    where
        W: FnOnce(&GameStore) -> Result<T, StoreError> + Send + 'static,
    {
        let asked = put(&self.reads, work);
        async move { asked?.await.map_err(|_| KeeperError::Lost)? }
    }

    /// Waits until all that was asked for so far is done, but not longer than this; how many ended games could not be
    /// written, or `None` if that is not known.
    pub fn flush(&self, patience: Duration) -> Option<usize> {
        let (done, wait) = mpsc::channel();
        let _ = self.writes.send(Chore::Flush(done));
        wait.recv_timeout(patience).ok()
    }
}

/// Does chores as they come.
fn work(store: &GameStore, inbox: &mpsc::Receiver<Chore>) {
    let mut unsaved: VecDeque<Insisted> = VecDeque::new();
    let mut tried = Instant::now();
    loop {
        let chore = match unsaved.is_empty() {
            true => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => inbox.recv_timeout(AGAIN.saturating_sub(tried.elapsed())),
        };
        let is_over = matches!(chore, Err(RecvTimeoutError::Disconnected));
        let flushed = match chore {
            Ok(Chore::Once(work)) => {
                work(store);
                None
            }
            Ok(Chore::Insist(mut work)) => {
                if !work(store) {
                    unsaved.push_back(work);
                    tried = Instant::now();
                }
                None
            }
            Ok(Chore::Flush(done)) => Some(done),
            Err(_) => None,
        };
        // However much else there is to do.
        if is_over || flushed.is_some() {
            unsaved.retain_mut(|work| !work(store));
        } else if tried.elapsed() >= AGAIN {
            try_again(store, &mut unsaved);
            tried = Instant::now();
        }
        if let Some(done) = flushed {
            let _ = done.send(unsaved.len());
        }
        if is_over {
            return;
        }
    }
}

/// Tries what was not done, for a while; whatever it does not come to is first the next time.
fn try_again(store: &GameStore, unsaved: &mut VecDeque<Insisted>) {
    let begin = Instant::now();
    for _ in 0..unsaved.len() {
        let Some(mut work) = unsaved.pop_front() else { return };
        if !work(store) {
            unsaved.push_back(work);
        }
        if begin.elapsed() >= AT_ONCE {
            return;
        }
    }
}

fn put<T: Send + 'static>(
    queue: &mpsc::SyncSender<Chore>,
    work: impl FnOnce(&GameStore) -> Result<T, StoreError> + Send + 'static,
) -> Result<oneshot::Receiver<Result<T, KeeperError>>, KeeperError> {
    let (answer, wait) = oneshot::channel();
    let chore = Chore::Once(Box::new(move |store| {
        let _ = answer.send(work(store).map_err(KeeperError::Store));
    }));
    match queue.try_send(chore) {
        Err(TrySendError::Full(_)) => Err(KeeperError::Busy),
        // If the thread is gone, so is the answer, and whoever waits hears of it.
        _ => Ok(wait),
    }
}

impl KeptGame {
    /// A game that has not been written down yet.
    pub fn new(keeper: Keeper, mode: &'static str, player: &'static str) -> KeptGame {
        KeptGame { keeper, mode, player, row: Arc::default(), waiting: Arc::default() }
    }

    /// A game that has this row already and goes on.
    pub fn of_row(keeper: Keeper, mode: &'static str, player: &'static str, id: i64) -> KeptGame {
        KeptGame { row: Arc::new(Mutex::new(Some(id))), ..KeptGame::new(keeper, mode, player) }
    }

    /// Writes down how the game stands. What still waits to be written gives way to what is newer.
    pub fn save(&self, standing: GameEntry) {
        let is_asked = locked(&self.waiting).replace(standing).is_some();
        if is_asked {
            return;
        }
        let (row, waiting) = (self.row(), Arc::clone(&self.waiting));
        // A full disk does not stop the game; the end screen says whether it was kept.
        let asked = put(&self.keeper.writes, move |store| {
            let newest = locked(&waiting).take();
            newest.map(|standing| row.update(store, "open", &standing)).transpose()
        });
        if asked.is_err() {
            locked(&self.waiting).take();
        }
    }

    /// Writes down the end of the game, which is then looked at in the store. It is written even if nobody waits for it, and
    /// tried again until it is.
    pub fn finish<T: Clone + Send + Sync + 'static>(
        &self,
        state: &'static str,
        standing: GameEntry,
        look: impl Fn(&GameStore, i64) -> Result<T, ArchiveError> + Send + 'static,
    ) -> watch::Receiver<Saving<T>> {
        let (say, saving) = watch::channel(Saving::UnderWay);
        let row = self.row();
        let chore = Chore::Insist(Box::new(move |store| {
            let done = row
                .update(store, state, &standing)
                .map_err(ArchiveError::from)
                .and_then(|id| look(store, id));
            let is_done = done.is_ok();
            say.send_replace(match done {
                Ok(seen) => Saving::Done(seen),
                Err(why) => Saving::Failed(why.to_string()),
            });
            is_done
        }));
        // Nobody waits in the queue for long; a game that has ended is never left out.
        if let Err(TrySendError::Full(chore)) = self.keeper.writes.try_send(chore) {
            let writes = self.keeper.writes.clone();
            thread::spawn(move || writes.send(chore));
        }
        saving
    }

    /// Forgets what was written of the game.
    pub fn forget(&self) {
        let row = Arc::clone(&self.row);
        let _ =
            put(&self.keeper.writes, move |store| locked(&row).take().map_or(Ok(()), |id| store.remove(id)));
    }

    fn row(&self) -> StoreRow {
        StoreRow { mode: self.mode, player: self.player, row: Arc::clone(&self.row) }
    }
}

/// Where a game is written to.
struct StoreRow {
    mode: &'static str,
    player: &'static str,
    row: Arc<Mutex<Option<i64>>>,
}

impl StoreRow {
    /// Writes how the game stands; gives its number. A row that is gone is made anew: what was played is kept.
    fn update(&self, store: &GameStore, state: &str, standing: &GameEntry) -> Result<i64, StoreError> {
        let mut row = locked(&self.row);
        let id = match *row {
            Some(id) => id,
            None => *row.insert(store.begin(self.mode, self.player)?),
        };
        match store.update(id, state, standing) {
            Ok(()) => Ok(id),
            Err(StoreError::NoGame(_)) if state != "open" => {
                let id = *row.insert(store.begin(self.mode, self.player)?);
                store.update(id, state, standing)?;
                Ok(id)
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    fn standing(pieces: i64) -> GameEntry {
        GameEntry { pieces, ..GameEntry::default() }
    }

    fn keeper() -> (tempfile::TempDir, Keeper) {
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::new(GameStore::open(folder.path()).unwrap()).unwrap();
        (folder, keeper)
    }

    /// The number under which a game was kept.
    async fn kept(mut saving: watch::Receiver<Saving<i64>>) -> i64 {
        let done = saving.wait_for(|saving| matches!(saving, Saving::Done(_))).await.unwrap().clone();
        let Saving::Done(id) = done else { unreachable!() };
        id
    }

    #[tokio::test]
    async fn the_end_is_what_stays_however_many_times_it_was_saved() {
        let (_folder, keeper) = keeper();
        for pieces in [20, 30] {
            let game = KeptGame::new(keeper.clone(), "sprint", "you");
            for saved in 0..pieces {
                game.save(standing(saved));
            }
            let id = kept(game.finish("stopped", standing(pieces), |_, id| Ok(id))).await;
            let (game, _) = keeper.read(move |store| store.game(id)).await.unwrap().unwrap();
            assert_eq!((game.pieces, game.state.as_str()), (pieces, "stopped"));
        }
        let forgotten = KeptGame::new(keeper.clone(), "sprint", "you");
        forgotten.save(standing(3));
        forgotten.forget();
        KeptGame::new(keeper.clone(), "sprint", "you").forget();
        assert_eq!(keeper.write(|store| store.games(9)).await.unwrap().len(), 2);
    }

    #[test]
    fn what_was_asked_for_is_written_before_the_end() {
        let (folder, keeper) = keeper();
        for pieces in 0..20 {
            let game = KeptGame::new(keeper.clone(), "sprint", "you");
            // Nobody waits for the answer, as when the lab ends.
            drop(game.finish("goal", standing(pieces), |_, id| Ok(id)));
            KeptGame::new(keeper.clone(), "sprint", "you").save(standing(1));
        }
        assert_eq!(keeper.flush(Duration::from_secs(20)), Some(0));
        assert_eq!(GameStore::open(folder.path()).unwrap().games(99).unwrap().len(), 20);
    }

    /// Another program has the file: nobody who asks waits, and the game is there when the file is free again.
    #[tokio::test]
    async fn a_locked_store_keeps_nobody_waiting_and_loses_nothing() {
        let (folder, keeper) = keeper();
        let other = Connection::open(folder.path().join(crate::store::FILE)).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let game = KeptGame::new(keeper.clone(), "sprint", "you");
        let begin = Instant::now();
        for saved in 0..100 {
            game.save(standing(saved));
        }
        let saving = game.finish("goal", standing(100), |_, id| Ok(id));
        assert_eq!(keeper.read(|store| store.games(9)).await.unwrap(), []);
        assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
        assert_eq!(*saving.borrow(), Saving::UnderWay);
        tokio::time::sleep(Duration::from_millis(300)).await;
        other.execute_batch("COMMIT").unwrap();
        let id = kept(saving).await;
        assert_eq!(keeper.read(move |store| store.game(id)).await.unwrap().unwrap().0.pieces, 100);
    }

    /// The disk is full when the game ends: it says so, and keeps the game as soon as there is room.
    #[tokio::test]
    async fn a_full_disk_is_told_and_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = GameStore::open(folder.path()).unwrap();
        store.limit_pages(Some(12)).unwrap();
        let keeper = Keeper::new(store).unwrap();
        let (entry, writer) = (GameEntry { record: "x".repeat(100_000), ..standing(7) }, keeper.clone());
        let mut saving = KeptGame::new(keeper.clone(), "sprint", "you").finish("goal", entry, |_, id| Ok(id));
        let said = saving.wait_for(|saving| *saving != Saving::UnderWay).await.unwrap().clone();
        assert!(matches!(&said, Saving::Failed(why) if why.contains("full")), "{said:?}");
        assert_eq!(keeper.read(|store| store.games(9)).await.unwrap().len(), 0);
        keeper.write(|store| store.limit_pages(None)).await.unwrap();
        // Others go on writing meanwhile: they do not push it back.
        let others = tokio::spawn(async move {
            let game = KeptGame::new(writer, "blitz", "you");
            loop {
                game.save(standing(1));
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        });
        let id = tokio::time::timeout(Duration::from_secs(15), kept(saving)).await.expect("tried again");
        others.abort();
        assert_eq!(keeper.read(move |store| store.game(id)).await.unwrap().unwrap().1.len(), 100_000);
    }

    /// However many games end while nothing can be written: each of them is told to be tried again, and is.
    #[tokio::test]
    async fn no_unsaved_game_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let store = GameStore::open(folder.path()).unwrap();
        store.limit_pages(Some(12)).unwrap();
        let keeper = Keeper::new(store).unwrap();
        let mut savings = Vec::new();
        for pieces in 0..100 {
            let entry = GameEntry { record: "x".repeat(50_000), ..standing(pieces) };
            let game = KeptGame::new(keeper.clone(), "sprint", "you");
            let mut saving = game.finish("goal", entry, |_, id| Ok(id));
            let said = saving.wait_for(|saving| *saving != Saving::UnderWay).await.unwrap().clone();
            assert!(matches!(said, Saving::Failed(_)), "{said:?}");
            savings.push(saving);
        }
        keeper.write(|store| store.limit_pages(None)).await.unwrap();
        for saving in savings {
            tokio::time::timeout(Duration::from_secs(30), kept(saving)).await.expect("tried again");
        }
        assert_eq!(keeper.read(|store| store.games(200)).await.unwrap().len(), 100);
    }

    /// Whoever takes the row of a game in play away does not take the game.
    #[tokio::test]
    async fn a_row_that_is_gone_is_made_anew_at_the_end() {
        let (folder, keeper) = keeper();
        let game = KeptGame::new(keeper.clone(), "sprint", "you");
        game.save(standing(1));
        assert_eq!(keeper.flush(Duration::from_secs(9)), Some(0));
        let other = Connection::open(folder.path().join(crate::store::FILE)).unwrap();
        assert_eq!(other.execute("DELETE FROM games", []).unwrap(), 1);
        let id = kept(game.finish("goal", standing(50), |_, id| Ok(id))).await;
        assert_eq!(keeper.read(move |store| store.game(id)).await.unwrap().unwrap().0.pieces, 50);
    }
}
