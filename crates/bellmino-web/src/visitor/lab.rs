//! What a page asks of the lab itself: the greeting, settings, and its end.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::close_code;
use bellmino_page::Desk;
use serde_json::{Value, json};

use super::{Fault, Visitor};
use crate::welcome::{SETTINGS, welcome};

/// The longest setting that a page may keep.
const MAX_SETTING: usize = 4096;

impl Visitor {
    /// Answers later with everything a page needs first.
    pub(super) fn hello(&mut self, id: u32) -> Result<(), Fault> {
        let lab = Arc::clone(&self.lab);
        let bench = self.bench();
        let known = self.lab.keeper.read(crate::welcome::known);
        self.later(id, async move {
            let known = known.await?;
            bench.short(move |_: &dyn Desk| Ok(welcome(&lab, known))).await
        })
    }

    /// Keeps a setting; every page hears of it.
    pub(super) fn set(&mut self, id: u32, key: String, value: Value) -> Result<(), Fault> {
        if !SETTINGS.contains(&key.as_str()) || value.to_string().len() > MAX_SETTING {
            return Err(Fault(close_code::POLICY, "there is no such setting"));
        }
        let news = self.lab.news.clone();
        self.written(id, move |store| {
            let whole = store.merge(&key, &value)?;
            let text = json!({ "on": "settings", "key": key, "value": whole }).to_string();
            let _ = news.send(text.into());
            Ok(Value::Null)
        })
    }

    /// Ends the lab.
    pub(super) async fn quit(&self, id: u32) {
        self.answer(id, Ok(Value::Null)).await;
        // Time for the answer to leave.
        let lab = Arc::clone(&self.lab);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(200)).await;
            lab.quit.notify_one();
        });
    }
}
