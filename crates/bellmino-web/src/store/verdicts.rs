//! Verdicts on games: a game that was judged once is kept judged, until somebody else judges.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::{GameStore, StoreError, bytes, hash, must_be_one, whole};

/// Made when there is something to keep. Older programs do not know it and leave it alone.
const TABLE: &str = "
    CREATE TABLE IF NOT EXISTS verdicts (
        game INTEGER PRIMARY KEY,
        judge TEXT NOT NULL,
        list TEXT NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT;
";

/// Forgets the verdicts on a game.
pub(super) fn forget(connection: &Connection, game: i64) -> Result<(), StoreError> {
    if is_there(connection)? {
        connection.execute("DELETE FROM verdicts WHERE game = ?1", [game])?;
    }
    Ok(())
}

/// Whether there is a table of verdicts.
fn is_there(connection: &Connection) -> Result<bool, StoreError> {
    let query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'verdicts'";
    Ok(connection.query_row(query, [], |row| row.get::<_, i64>(0))? > 0)
}

impl GameStore {
    /// The verdicts of this judge on a game; `None` if there are none, or damaged ones, which can be found again.
    pub fn verdicts(&self, game: i64, judge: &str) -> Result<Option<Value>, StoreError> {
        if !is_there(&self.connection)? {
            return Ok(None);
        }
        let query = "SELECT list, checksum FROM verdicts WHERE game = ?1 AND judge = ?2";
        let found = self.connection.query_row(query, params![game, judge], |row| {
            Ok((bytes(row, "list")?.to_vec(), whole(row, "checksum")?))
        });
        let sound = |(list, checksum): (Vec<u8>, i64)| {
            let is_sound = signed(game, judge, &list) == checksum;
            serde_json::from_slice(&list).ok().filter(|_| is_sound)
        };
        Ok(found.optional()?.and_then(sound))
    }

    /// Keeps the verdicts of a judge on a game that is there, in place of others.
    pub fn keep_verdicts(&self, game: i64, judge: &str, list: &Value) -> Result<(), StoreError> {
        let statement = "INSERT OR REPLACE INTO verdicts (game, judge, list, checksum)
            SELECT id, ?2, ?3, ?4 FROM games WHERE id = ?1";
        self.connection.execute_batch(TABLE)?;
        let list = list.to_string();
        let sum = signed(game, judge, list.as_bytes());
        must_be_one(self.connection.execute(statement, params![game, judge, list, sum])?)
    }
}

fn signed(game: i64, judge: &str, list: &[u8]) -> i64 {
    hash([&game.to_le_bytes(), judge.as_bytes(), list])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::GameEntry;
    use serde_json::json;

    #[test]
    fn a_game_is_kept_judged_until_another_judges_it_or_it_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let store = GameStore::open(folder.path()).unwrap();
        let id = store.begin("sprint", "you").unwrap();
        store.update(id, "goal", &GameEntry::default()).unwrap();
        assert_eq!(store.verdicts(id, "first").unwrap(), None);
        store.keep_verdicts(id, "first", &json!([{ "step": 0 }])).unwrap();
        drop(store);
        let store = GameStore::open(folder.path()).unwrap();
        assert_eq!(store.verdicts(id, "first").unwrap(), Some(json!([{ "step": 0 }])));
        assert_eq!(store.verdicts(id, "second").unwrap(), None);
        store.keep_verdicts(id, "second", &json!([])).unwrap();
        assert_eq!(store.verdicts(id, "first").unwrap(), None);
        store.connection.execute("UPDATE verdicts SET list = '[1]'", []).unwrap();
        assert_eq!(store.verdicts(id, "second").unwrap(), None, "damaged");
        store.remove(id).unwrap();
        let left: i64 =
            store.connection.query_row("SELECT count(*) FROM verdicts", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0);
        assert!(store.keep_verdicts(id, "first", &json!([])).is_err(), "there is no such game");
    }
}
