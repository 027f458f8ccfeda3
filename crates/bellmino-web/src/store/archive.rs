//! The store as sessions see it.

use bellmino_page::{Archive, ArchiveError, GameEntry, KeptGame, Seat, StoredGame};
use serde_json::Value;

use super::{GameStore, StoreError};

impl From<StoreError> for ArchiveError {
    fn from(error: StoreError) -> ArchiveError {
        match error {
            StoreError::Archive(error) => error,
            StoreError::DamagedSetting(key) => ArchiveError::DamagedSetting(key),
            error => ArchiveError::Host(Box::new(error)),
        }
    }
}

impl Archive for GameStore {
    fn games(&self, limit: u32) -> Result<Vec<StoredGame>, ArchiveError> {
        Ok(GameStore::games(self, limit)?)
    }

    fn game(&self, id: i64) -> Result<Option<(StoredGame, String)>, ArchiveError> {
        Ok(GameStore::game(self, id)?)
    }

    fn begin(&self, mode: &str, player: &str) -> Result<i64, ArchiveError> {
        Ok(GameStore::begin(self, mode, player)?)
    }

    fn update(&self, id: i64, state: &str, entry: &GameEntry) -> Result<(), ArchiveError> {
        Ok(GameStore::update(self, id, state, entry)?)
    }

    fn find(&self, record: &str, player: &str) -> Result<Option<i64>, ArchiveError> {
        Ok(GameStore::find(self, record, player)?)
    }

    fn remove(&self, id: i64) -> Result<(), ArchiveError> {
        Ok(GameStore::remove(self, id)?)
    }

    fn bests(&self, mode: &str, player: &str, limit: u32) -> Result<Vec<StoredGame>, ArchiveError> {
        Ok(GameStore::bests(self, mode, player, limit)?)
    }

    fn unfinished(&self, mode: &str, seat: Seat<'_>) -> Result<Option<(StoredGame, String)>, ArchiveError> {
        Ok(GameStore::unfinished(self, mode, seat)?)
    }

    fn duels(&self) -> Result<Vec<StoredGame>, ArchiveError> {
        Ok(GameStore::duels(self)?)
    }

    fn visit(&self, visit: &mut dyn FnMut(KeptGame) -> bool) -> Result<(), ArchiveError> {
        Ok(GameStore::visit(self, visit)?)
    }

    fn verdicts(&self, game: i64, judge: &str) -> Result<Option<Value>, ArchiveError> {
        Ok(GameStore::verdicts(self, game, judge)?)
    }

    fn keep_verdicts(&self, game: i64, judge: &str, verdicts: &Value) -> Result<(), ArchiveError> {
        Ok(GameStore::keep_verdicts(self, game, judge, verdicts)?)
    }

    fn setting(&self, key: &str) -> Result<Option<Value>, ArchiveError> {
        Ok(GameStore::setting(self, key)?)
    }

    fn merge(&self, key: &str, parts: &Value) -> Result<Value, ArchiveError> {
        Ok(GameStore::merge(self, key, parts)?)
    }
}
