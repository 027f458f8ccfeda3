//! The games of others that a page looks at: what people play, and what the program itself shows.

use serde_json::{Value, json};

use super::PageSession;
use super::step::{PageEffect, PageReply, PageStage, PageStep};
use crate::answer::AnswerError;

/// A game of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageView {
    /// The room in which somebody plays.
    Room(u32),
    /// A game that the program itself shows.
    Shown(u32),
}

impl PageSession {
    /// The rooms in which somebody plays.
    pub(super) fn rooms(&self) -> PageStep {
        let rooms = self.commons.hall.rooms().into_iter();
        PageStep::Answer(rooms.map(|(room, mode)| json!({ "room": room, "mode": mode })).collect())
    }

    /// Looks on; pictures follow.
    pub(super) fn spectate(&mut self, room: u32) -> PageStage {
        if !self.commons.hall.has(room) {
            return Err(AnswerError::NoRoom);
        }
        self.effects.push(PageEffect::LookOn(Some(PageView::Room(room))));
        Ok(PageStep::Answer(Value::Null))
    }

    /// Looks away.
    pub(super) fn look_away(&mut self) -> PageReply {
        self.effects.push(PageEffect::LookOn(None));
        PageReply::Silent
    }

    /// The games that the program itself shows.
    pub(super) fn shown(&self) -> PageStep {
        let shown = self.premises.shown().into_iter();
        PageStep::Answer(shown.map(|(number, title)| json!({ "number": number, "title": title })).collect())
    }

    /// Looks at one of them; pictures follow.
    pub(super) fn open_shown(&mut self, number: u32) -> PageStage {
        let board = self.premises.shown_board(number).ok_or(AnswerError::NotShown)?;
        self.effects.push(PageEffect::LookOn(Some(PageView::Shown(number))));
        Ok(PageStep::Answer(board))
    }
}
