//! The shelf: solved games that pages look at, within one bound for all of them. What nobody has looked at for longest makes
//! room; its page solves it again when it needs it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use thiserror::Error;

use crate::explore::SolvedGame;
use crate::locked::locked;

/// Memory of all solved games together.
pub const MAX_BYTES: u64 = 96 << 20;

/// The shelf; clones share it.
#[derive(Clone, Default)]
pub struct Shelf(Arc<Mutex<ShelfState>>);

#[derive(Default)]
struct ShelfState {
    /// The one that was looked at last is last.
    games: Vec<(u64, Arc<SolvedGame>)>,
    /// Taken for as long as they are needed.
    reserved: u64,
}

/// A solved game on the shelf, taken away when dropped.
pub struct Shelved {
    shelf: Shelf,
    number: u64,
}

/// Memory that is taken, given back when dropped.
pub struct Reserved {
    shelf: Shelf,
    bytes: u64,
}

/// No room is left, whoever makes place.
#[derive(Debug, Error)]
#[error(
    "the lab is busy: this solution takes {} MiB, and {} of {} MiB are in use; close a game that is watched",
    .bytes >> 20, .reserved >> 20, MAX_BYTES >> 20
)]
pub struct ShelfError {
    bytes: u64,
    reserved: u64,
}

impl Shelf {
    /// Puts a solved game on the shelf; others may have to go.
    pub fn put(&self, game: SolvedGame) -> Result<Shelved, ShelfError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut held = self.held();
        held.make_room(game.bytes())?;
        held.games.push((number, Arc::new(game)));
        Ok(Shelved { shelf: self.clone(), number })
    }

    /// Takes memory that is needed for as long as a machine plays by a solved game.
    pub fn reserve(&self, bytes: u64) -> Result<Reserved, ShelfError> {
        let mut held = self.held();
        held.make_room(bytes)?;
        held.reserved += bytes;
        Ok(Reserved { shelf: self.clone(), bytes })
    }

    fn held(&self) -> MutexGuard<'_, ShelfState> {
        locked(&self.0)
    }
}

impl ShelfState {
    fn make_room(&mut self, bytes: u64) -> Result<(), ShelfError> {
        if self.reserved + bytes > MAX_BYTES {
            return Err(ShelfError { bytes, reserved: self.reserved });
        }
        let taken = |held: &ShelfState| held.games.iter().map(|(_, game)| game.bytes()).sum::<u64>();
        while self.reserved + bytes + taken(self) > MAX_BYTES {
            self.games.remove(0);
        }
        Ok(())
    }
}

impl Shelved {
    /// The solved game, if it is still there.
    pub fn get(&self) -> Option<Arc<SolvedGame>> {
        let mut held = self.shelf.held();
        let place = held.games.iter().position(|(number, _)| *number == self.number)?;
        let game = held.games.remove(place);
        let found = Arc::clone(&game.1);
        held.games.push(game);
        Some(found)
    }
}

impl Drop for Shelved {
    fn drop(&mut self) {
        self.shelf.held().games.retain(|(number, _)| *number != self.number);
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.shelf.held().reserved -= self.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_looked_at_least_recently_makes_room() {
        let shelf = Shelf::default();
        let third = || SolvedGame::of_bytes(MAX_BYTES / 3);
        let [first, second, last] = [(); 3].map(|()| shelf.put(third()).unwrap());
        assert!(first.get().is_some());
        let fourth = shelf.put(third()).unwrap();
        assert!(second.get().is_none() && first.get().is_some() && last.get().is_some());
        drop(first);
        let reserved = shelf.reserve(MAX_BYTES / 2).unwrap();
        assert!(fourth.get().is_none() && last.get().is_some());
        assert!(
            shelf.put(SolvedGame::of_bytes(MAX_BYTES)).map(|_| ()).unwrap_err().to_string().contains("busy")
        );
        drop(reserved);
        assert!(shelf.put(SolvedGame::of_bytes(MAX_BYTES)).is_ok());
    }
}
