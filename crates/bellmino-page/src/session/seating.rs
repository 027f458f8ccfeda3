//! Where a page sits: the room of its timed game, which waits for it when it leaves in the middle.

use std::sync::Arc;

use serde_json::json;

use super::PageSession;
use super::step::{PageEffect, PageStage, PageStep};
use crate::answer::AnswerError;
use crate::archive::{Archive, Seat};
use crate::ending::best_splits;
use crate::hall::Parting;
use crate::kept::StoredGame;
use crate::message::Request;
use crate::room::{Opening, Room, RoomCommand, Unfinished};
use crate::setup::Mode;

/// The longest name of a seat.
const MAX_SEAT: usize = 64;

/// What the archive knows before a page sits down.
struct Before {
    /// The splits of the best game.
    best: Vec<u64>,
    /// The game that was cut off at this seat.
    own: Option<(StoredGame, String)>,
    /// The one that was cut off at another.
    other: Option<(StoredGame, String)>,
}

impl Request {
    /// Whether it is about the room in which the page plays, so that it waits until the page has sat down.
    pub(super) fn is_of_room(&self) -> bool {
        matches!(
            self,
            Request::PlayOpen { .. }
                | Request::PlayClose
                | Request::Key { .. }
                | Request::Pause { .. }
                | Request::Restart { .. }
                | Request::Undo
                | Request::Redo
                | Request::Edit { .. }
        )
    }
}

impl PageSession {
    /// Sits down to a game: the one that is under way at the seat, one that was cut off there, or a new one. Pictures follow the
    /// answer.
    pub(super) fn sit_down(&mut self, task: u32, mut opening: Opening) -> PageStage {
        self.leave_room();
        self.sitting = Some(task);
        opening.seat = opening.seat.filter(|seat| seat.len() <= MAX_SEAT);
        let mode = opening.mode;
        if let Some(room) = opening.seat.as_deref().and_then(|seat| self.commons.hall.at(seat, mode)) {
            self.take_seat(room);
            return Ok(PageStep::Answer(json!({ "room": room, "resumed": true, "waiting": null })));
        }
        let seat = opening.seat.clone();
        Ok(PageStep::look(
            move |archive| look_before(archive, mode, seat.as_deref()),
            move |page, before| page.open_room(opening, before),
        ))
    }

    fn open_room(&mut self, mut opening: Opening, before: Before) -> PageStage {
        let Before { best, own, other } = before;
        let mode = opening.mode;
        opening.best = best;
        if let Some((game, _)) = &own {
            opening.rival = serde_json::from_value(game.summary["duel"].clone()).ok();
        }
        // What cannot be read any more stays in the list as it is.
        opening.unfinished = own.and_then(|(game, text)| Unfinished::read(&game, &text));
        let resumed = opening.unfinished.is_some();
        let hall = self.commons.hall.clone();
        if let Some(gone) = hall.make_room()? {
            self.effects.push(PageEffect::Shut(gone));
        }
        let number = hall.number();
        opening.number = number;
        let room = Room::open(opening, self.now)?;
        hall.open(number, Arc::clone(room.place()));
        self.effects.push(PageEffect::Open(number, Box::new(room)));
        self.take_seat(number);
        let cut_off = |(game, _): (StoredGame, String)| {
            json!({
                "seat": game.summary["seat"], "pieces": game.pieces, "lines": game.lines,
                "milliseconds": game.milliseconds,
            })
        };
        let waiting = if resumed { None } else { hall.waiting(mode).or_else(|| other.map(cut_off)) };
        Ok(PageStep::Answer(json!({ "room": number, "resumed": resumed, "waiting": waiting })))
    }

    /// Takes the seat of a room; whoever had it hears so.
    fn take_seat(&mut self, room: u32) {
        self.commons.hall.sit_down(room, self.page);
        self.effects.push(PageEffect::Command(room, RoomCommand::Wait));
        self.seat = Some(room);
    }

    /// The page that has been told its room sees it.
    pub(super) fn show_seat(&mut self) {
        if let Some(room) = self.seat {
            self.effects.push(PageEffect::Play(Some(room)));
        }
    }

    /// A game that is under way at a seat waits there; any other ends.
    pub(super) fn leave_room(&mut self) {
        let Some(room) = self.seat.take() else { return };
        self.effects.push(PageEffect::Play(None));
        match self.commons.hall.stand_up(room, self.page) {
            Parting::Taken => {}
            Parting::Waits => self.effects.push(PageEffect::Command(room, RoomCommand::Wait)),
            Parting::Gone => self.effects.push(PageEffect::Shut(room)),
        }
    }

    pub(super) fn command(&mut self, command: RoomCommand) {
        if let Some(room) = self.seat
            && self.commons.hall.is_played_by(room, self.page)
        {
            self.effects.push(PageEffect::Command(room, command));
        }
    }
}

fn look_before(archive: &dyn Archive, mode: Mode, seat: Option<&str>) -> Result<Before, AnswerError> {
    let cut_off = |of| archive.unfinished(mode.name(), of);
    let seat = seat.filter(|seat| !seat.is_empty());
    let own = seat.map(|seat| cut_off(Seat::Of(seat))).transpose()?.flatten();
    let other = seat.map(|seat| cut_off(Seat::Other(seat))).transpose()?.flatten();
    Ok(Before { best: best_splits(archive, mode)?, own, other })
}
