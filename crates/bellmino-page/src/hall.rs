//! The hall: all timed games of a host, and who sits there. A game that is under way at a seat waits for whoever leaves it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use crate::answer::AnswerError;
use crate::locked::locked;
use crate::setup::Mode;

/// Timed games at once.
pub const MAX_ROOMS: usize = 32;

/// The hall; clones share it.
#[derive(Clone, Default)]
pub struct Hall(Arc<Mutex<OpenRooms>>);

#[derive(Default)]
struct OpenRooms {
    rooms: BTreeMap<u32, Arc<RoomPlace>>,
    /// The number of the latest one.
    last: u32,
}

/// What is known of a room without asking it; the room keeps it up to date.
#[derive(Debug)]
pub struct RoomPlace {
    mode: Mode,
    /// The name of its seat, if its game waits for whoever leaves it.
    seat: Option<String>,
    /// The page that plays; 0 if nobody does.
    player: AtomicU64,
    /// Whether a game is under way.
    under_way: AtomicBool,
    pieces: AtomicU64,
    lines: AtomicU64,
    milliseconds: AtomicU64,
}

/// What becomes of a room whose player leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parting {
    /// Somebody else plays there.
    Taken,
    /// It waits.
    Waits,
    /// It is gone, and its game ends as it stands.
    Gone,
}

impl RoomPlace {
    /// The place of a room in which nobody plays yet.
    pub fn new(mode: Mode, seat: Option<String>) -> RoomPlace {
        RoomPlace {
            mode,
            seat,
            player: AtomicU64::new(0),
            under_way: AtomicBool::new(false),
            pieces: AtomicU64::new(0),
            lines: AtomicU64::new(0),
            milliseconds: AtomicU64::new(0),
        }
    }

    /// What is played.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The name of the seat.
    pub fn seat(&self) -> Option<&str> {
        self.seat.as_deref()
    }

    /// Whether this page plays here.
    pub fn is_played_by(&self, page: u64) -> bool {
        self.player.load(Ordering::SeqCst) == page
    }

    /// Whether a game is under way at a seat, so that it waits for whoever leaves it.
    pub fn waits(&self) -> bool {
        self.seat.is_some() && self.under_way.load(Ordering::SeqCst)
    }

    /// Writes down how the game stands.
    pub fn note(&self, under_way: bool, pieces: u32, lines: u32, milliseconds: u64) {
        self.under_way.store(under_way, Ordering::SeqCst);
        self.pieces.store(u64::from(pieces), Ordering::Relaxed);
        self.lines.store(u64::from(lines), Ordering::Relaxed);
        self.milliseconds.store(milliseconds, Ordering::Relaxed);
    }

    /// How far a game is that waits here.
    fn told(&self) -> Value {
        let number = |value: &AtomicU64| value.load(Ordering::Relaxed);
        json!({
            "seat": self.seat, "pieces": number(&self.pieces), "lines": number(&self.lines),
            "milliseconds": number(&self.milliseconds),
        })
    }
}

impl Hall {
    /// The rooms, each with what is played there.
    pub fn rooms(&self) -> Vec<(u32, Mode)> {
        self.held().rooms.iter().map(|(number, place)| (*number, place.mode)).collect()
    }

    /// Whether there is such a room.
    pub fn has(&self, room: u32) -> bool {
        self.held().rooms.contains_key(&room)
    }

    /// The room of a seat.
    pub fn at(&self, seat: &str, mode: Mode) -> Option<u32> {
        let is_it = |place: &RoomPlace| place.seat() == Some(seat) && place.mode == mode;
        self.held().rooms.iter().find(|(_, place)| is_it(place)).map(|(number, _)| *number)
    }

    /// A number for a new room.
    pub fn number(&self) -> u32 {
        let mut held = self.held();
        held.last += 1;
        held.last
    }

    /// A room is there.
    pub fn open(&self, room: u32, place: Arc<RoomPlace>) {
        self.held().rooms.insert(room, place);
    }

    /// Makes room for one more game: gives the room that has waited longest and is gone now, if one has to go.
    /// Refused if every one is played.
    pub fn make_room(&self) -> Result<Option<u32>, AnswerError> {
        let mut held = self.held();
        if held.rooms.len() < MAX_ROOMS {
            return Ok(None);
        }
        let left = held.rooms.iter().find(|(_, place)| place.is_played_by(0)).map(|(number, _)| *number);
        let room = left.ok_or(AnswerError::ManyPlayed)?;
        held.rooms.remove(&room);
        Ok(Some(room))
    }

    /// A page sits down; whoever sat there before no longer plays.
    pub fn sit_down(&self, room: u32, page: u64) {
        if let Some(place) = self.held().rooms.get(&room) {
            place.player.store(page, Ordering::SeqCst);
        }
    }

    /// Whether this page plays there.
    pub fn is_played_by(&self, room: u32, page: u64) -> bool {
        self.held().rooms.get(&room).is_some_and(|place| place.is_played_by(page))
    }

    /// A page leaves.
    pub fn stand_up(&self, room: u32, page: u64) -> Parting {
        let mut held = self.held();
        let Some(place) = held.rooms.get(&room) else { return Parting::Taken };
        if place.player.compare_exchange(page, 0, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return Parting::Taken;
        }
        if place.waits() {
            return Parting::Waits;
        }
        held.rooms.remove(&room);
        Parting::Gone
    }

    /// The game of a mode that waits and was begun last: at which seat, and how far it is.
    pub fn waiting(&self, mode: Mode) -> Option<Value> {
        let held = self.held();
        let is_it = |place: &&Arc<RoomPlace>| place.mode == mode && place.waits() && place.is_played_by(0);
        held.rooms.values().rev().find(is_it).map(|place| place.told())
    }

    fn held(&self) -> MutexGuard<'_, OpenRooms> {
        locked(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(hall: &Hall, seat: &str, under_way: bool) -> u32 {
        let place = RoomPlace::new(Mode::Sprint, Some(seat.to_owned()));
        place.note(under_way, 5, 2, 900);
        let number = hall.number();
        hall.open(number, Arc::new(place));
        number
    }

    #[test]
    fn a_game_under_way_waits_and_another_is_gone() {
        let hall = Hall::default();
        let (waits, fresh) = (open(&hall, "a", true), open(&hall, "b", false));
        for room in [waits, fresh] {
            hall.sit_down(room, 7);
            assert!(hall.is_played_by(room, 7) && !hall.is_played_by(room, 0));
        }
        assert_eq!(hall.waiting(Mode::Sprint), None, "it is being played");
        assert_eq!(hall.stand_up(waits, 8), Parting::Taken, "it is not theirs");
        assert_eq!((hall.stand_up(waits, 7), hall.stand_up(fresh, 7)), (Parting::Waits, Parting::Gone));
        let told = json!({ "seat": "a", "pieces": 5, "lines": 2, "milliseconds": 900 });
        assert_eq!(hall.waiting(Mode::Sprint), Some(told));
        assert_eq!((hall.waiting(Mode::Blitz), hall.rooms()), (None, vec![(waits, Mode::Sprint)]));
        assert_eq!((hall.at("a", Mode::Sprint), hall.at("a", Mode::Blitz)), (Some(waits), None));
    }

    #[test]
    fn the_one_that_waits_longest_makes_room_and_one_that_is_played_never() {
        let hall = Hall::default();
        for number in 0..MAX_ROOMS {
            assert_eq!(hall.make_room().unwrap(), None);
            let room = open(&hall, &number.to_string(), true);
            hall.sit_down(room, 9);
        }
        assert!(matches!(hall.make_room(), Err(AnswerError::ManyPlayed)));
        for room in [5, 3] {
            assert_eq!(hall.stand_up(room, 9), Parting::Waits);
        }
        assert_eq!((hall.make_room().unwrap(), hall.has(3), hall.has(5)), (Some(3), false, true));
    }
}
