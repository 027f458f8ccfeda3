//! Where a page sits: the room of its timed game, which waits for it when it leaves in the middle.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bellmino_page::{Mode, Opening, RoomCommand, Seat, StoredGame, Unfinished, best_splits, duels};
use serde_json::{Value, json};

use super::{Fault, PlayerSeat, Visitor};
use crate::answer::AnswerError;
use crate::room::OpenRoom;

/// Timed games at once.
const MAX_ROOMS: usize = 32;

/// The longest name of a seat.
const MAX_SEAT: usize = 64;

impl Visitor {
    /// Sits down to a game; pictures follow.
    pub(super) async fn play(&mut self, id: u32, mut opening: Opening) {
        opening.seat = opening.seat.filter(|seat| seat.len() <= MAX_SEAT);
        let answer = self.open_room(opening).await;
        self.answer(id, answer).await;
    }

    /// The duels so far, as a table.
    pub(super) fn duels(&mut self, id: u32) -> Result<(), Fault> {
        let duels = self.lab.keeper.read(|store| Ok(duels(store)?));
        self.later(id, async move { Ok(json!(duels.await?)) })
    }

    /// Sits down to a game: the one that is under way at the seat, one that was cut off there, or a new one.
    async fn open_room(&mut self, mut opening: Opening) -> Result<Value, AnswerError> {
        self.leave_room();
        let mode = opening.mode;
        let known = opening.seat.clone().and_then(|seat| {
            let rooms = self.lab.rooms();
            let is_it = |room: &OpenRoom| room.seat.as_ref() == Some(&seat) && room.mode == mode;
            rooms.iter().find(|(_, room)| is_it(room)).map(|(number, room)| (*number, room.clone()))
        });
        if let Some((number, room)) = known {
            self.sit_down(number, room).await;
            return Ok(json!({ "room": number, "resumed": true, "waiting": null }));
        }
        let (seat, keeper) = (opening.seat.clone().unwrap_or_default(), self.lab.keeper.clone());
        let found = keeper.read(move |store| {
            let own = if seat.is_empty() { None } else { store.unfinished(mode.name(), Seat::Of(&seat))? };
            let other =
                if seat.is_empty() { None } else { store.unfinished(mode.name(), Seat::Other(&seat))? };
            Ok((best_splits(store, mode)?, own, other))
        });
        let (best, own, other) = found.await?;
        opening.best = best;
        if let Some((game, _)) = &own {
            opening.rival = serde_json::from_value(game.summary["duel"].clone()).ok();
        }
        // What cannot be read any more stays in the list as it is.
        opening.unfinished = own.and_then(|(game, text)| Unfinished::read(&game, &text));
        let resumed = opening.unfinished.is_some();
        self.make_room()?;
        let number = self.lab.next_room.fetch_add(1, Ordering::Relaxed);
        opening.number = number;
        let room = OpenRoom::open(opening, &self.lab.keeper, self.lab.begin)?;
        self.lab.rooms().insert(number, room.clone());
        self.sit_down(number, room).await;
        let waiting = if resumed { None } else { self.waiting(mode, other) };
        Ok(json!({ "room": number, "resumed": resumed, "waiting": waiting }))
    }

    /// Takes the seat of a room; whoever had it hears so.
    async fn sit_down(&mut self, number: u32, room: OpenRoom) {
        room.sit_down(self.number);
        let _ = room.commands.send(RoomCommand::Wait).await;
        let pictures = self.forward(room.frames.clone(), Duration::ZERO, Some(room.clone()));
        self.seat = Some(PlayerSeat { number, room, _pictures: pictures });
    }

    /// A game of a mode that waits at another seat, or was cut off there: which, and how far it is.
    fn waiting(&self, mode: Mode, cut_off: Option<(StoredGame, String)>) -> Option<Value> {
        let rooms = self.lab.rooms();
        let left =
            rooms.values().rev().find(|room| room.mode == mode && room.waits() && room.is_played_by(0));
        if let Some(room) = left {
            let picture: Value = serde_json::from_str(&room.frames.borrow()).ok()?;
            let stats = &picture["view"]["stats"];
            return Some(json!({
                "seat": room.seat, "pieces": stats["pieces"], "lines": stats["lines"],
                "milliseconds": picture["view"]["time"],
            }));
        }
        let (game, _) = cut_off?;
        Some(json!({
            "seat": game.summary["seat"], "pieces": game.pieces, "lines": game.lines,
            "milliseconds": game.milliseconds,
        }))
    }

    /// Makes room for one more game: the one that has waited longest is ended, and kept as it stands.
    fn make_room(&self) -> Result<(), AnswerError> {
        let mut rooms = self.lab.rooms();
        if rooms.len() >= MAX_ROOMS {
            let left = rooms.iter().find(|(_, room)| room.is_played_by(0)).map(|(number, _)| *number);
            let number = left.ok_or(AnswerError::ManyPlayed)?;
            rooms.remove(&number);
        }
        Ok(())
    }

    /// A game that is under way at a seat waits there; any other ends with its last sender of commands.
    pub(super) fn leave_room(&mut self) {
        let Some(PlayerSeat { number, room, .. }) = self.seat.take() else { return };
        if !room.stand_up(self.number) {
            return;
        }
        if room.waits() {
            let _ = room.commands.try_send(RoomCommand::Wait);
        } else {
            self.lab.rooms().remove(&number);
        }
    }

    pub(super) async fn command(&self, command: RoomCommand) {
        if let Some(seat) = &self.seat
            && seat.room.is_played_by(self.number)
        {
            let _ = seat.room.commands.send(command).await;
        }
    }
}
