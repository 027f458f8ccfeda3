//! Where work of sessions is done: with the lab's clock, ended with its page, heard by it.

use axum::extract::ws::Message;
use bellmino_page::Desk;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::clock::LabClock;
use crate::jobs::Leave;

/// A desk on a thread of its own.
pub struct Bench {
    /// Whether somebody still waits.
    pub leave: Leave,
    /// The lab's clock.
    pub clock: LabClock,
    /// Who hears of the work.
    pub out: Option<mpsc::Sender<Message>>,
}

impl Desk for Bench {
    fn go_on(&self) -> bool {
        self.leave.go_on()
    }

    fn now(&self) -> f64 {
        self.clock.now()
    }

    fn tell(&self, event: &Value) {
        if let Some(out) = &self.out {
            let _ = out.blocking_send(Message::Text(event.to_string().into()));
        }
    }
}
