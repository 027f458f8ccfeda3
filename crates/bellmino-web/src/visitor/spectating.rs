//! The games of others that a page looks at: what people play, and what the program itself shows.

use std::time::Duration;

use serde_json::{Value, json};

use super::Visitor;
use crate::answer::AnswerError;

/// Spectators get so many pictures a second at most; the player gets them all.
const SPECTATOR_PAUSE: Duration = Duration::from_millis(30);

impl Visitor {
    /// The rooms in which somebody plays.
    pub(super) async fn rooms(&self, id: u32) {
        let rooms: Vec<Value> = self
            .lab
            .rooms()
            .iter()
            .map(|(number, room)| json!({ "room": number, "mode": room.mode }))
            .collect();
        self.answer(id, Ok(json!(rooms))).await;
    }

    /// Looks on; pictures follow.
    pub(super) async fn spectate(&mut self, id: u32, room: u32) {
        let frames = self.lab.rooms().get(&room).map(|room| room.frames.clone());
        let answer = match frames {
            Some(frames) => {
                self.looking_on = Some(self.forward(frames, SPECTATOR_PAUSE, None));
                Ok(Value::Null)
            }
            None => Err(AnswerError::NoRoom),
        };
        self.answer(id, answer).await;
    }

    /// The games that the program itself shows.
    pub(super) async fn shown(&self, id: u32) {
        let shown: Vec<Value> = self
            .lab
            .shown()
            .iter()
            .map(|(number, shown)| json!({ "number": number, "title": shown.board["title"] }))
            .collect();
        self.answer(id, Ok(json!(shown))).await;
    }

    /// Looks at one of them; pictures follow.
    pub(super) async fn open_shown(&mut self, id: u32, number: u32) {
        let found = self.lab.shown().get(&number).map(|one| (one.board.clone(), one.latest.clone()));
        let answer = match found {
            Some((board, pictures)) => {
                self.looking_on = Some(self.forward(pictures, SPECTATOR_PAUSE, None));
                Ok(board)
            }
            None => Err(AnswerError::NotShown),
        };
        self.answer(id, answer).await;
    }
}
