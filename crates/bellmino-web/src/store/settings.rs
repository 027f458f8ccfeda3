//! Settings: a value for each key, with its checksum.

use rusqlite::{OptionalExtension, params};
use serde_json::{Map, Value};

use super::{GameStore, StoreError, bytes, hash, must_be_one, whole};

impl GameStore {
    /// A setting; `None` if it was never kept.
    pub fn setting(&self, key: &str) -> Result<Option<Value>, StoreError> {
        let query = "SELECT value, checksum FROM settings WHERE key = ?1";
        let found = self
            .connection
            .query_row(query, [key], |row| Ok((bytes(row, "value")?.to_vec(), whole(row, "checksum")?)));
        let Some((value, known)) = found.optional()? else { return Ok(None) };
        let sound = serde_json::from_slice(&value).ok();
        sound
            .filter(|_| checksum(key, &value) == known)
            .map(Some)
            .ok_or_else(|| StoreError::DamagedSetting(key.to_owned()))
    }

    /// Keeps a setting.
    pub fn set(&self, key: &str, value: &Value) -> Result<(), StoreError> {
        let statement = "INSERT INTO settings (key, value, checksum) VALUES (?1, ?2, ?3)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value, checksum = excluded.checksum";
        let value = value.to_string();
        let changed =
            self.connection.execute(statement, params![key, value, checksum(key, value.as_bytes())])?;
        must_be_one(changed)
    }

    /// Puts parts of a setting over those that are kept, so that others stay as they are; gives the whole.
    pub fn merge(&self, key: &str, parts: &Value) -> Result<Value, StoreError> {
        let transaction = self.connection.unchecked_transaction()?;
        let mut whole = match self.setting(key) {
            Ok(Some(Value::Object(kept))) => kept,
            // What is damaged is made anew.
            Ok(_) | Err(StoreError::DamagedSetting(_)) => Map::new(),
            Err(error) => return Err(error),
        };
        whole.extend(parts.as_object().cloned().unwrap_or_default());
        let whole = Value::Object(whole);
        self.set(key, &whole)?;
        transaction.commit()?;
        Ok(whole)
    }
}

/// The checksum of a setting, which fits its own key only.
pub(super) fn checksum(key: &str, value: &[u8]) -> i64 {
    hash([key.as_bytes(), value])
}
