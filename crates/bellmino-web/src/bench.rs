//! Where work of sessions is done: with the lab's clock, ended with its page, heard by it.

use std::time::Instant;

use axum::extract::ws::Message;
use bellmino_page::Desk;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::jobs::Leave;

/// A desk on a thread of its own.
pub struct Bench {
    /// Whether somebody still waits.
    pub leave: Leave,
    /// When the lab's clock was 0.
    pub begin: Instant,
    /// Who hears of the work.
    pub out: Option<mpsc::Sender<Message>>,
}

impl Desk for Bench {
    fn go_on(&self) -> bool {
        self.leave.go_on()
    }

    fn now(&self) -> f64 {
        milliseconds(self.begin)
    }

    fn tell(&self, event: &Value) {
        if let Some(out) = &self.out {
            let _ = out.blocking_send(Message::Text(event.to_string().into()));
        }
    }
}

/// Milliseconds since the lab's clock was 0.
pub fn milliseconds(begin: Instant) -> f64 {
    begin.elapsed().as_secs_f64() * 1000.0
}
