//! Games and their moves on the way into tables: pages, and who binds them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bellmino_data::{ByHand, GameRow, Made, MoveRow, Noted, Notes};
use bellmino_engine::guideline::{self, Kicks};
use serde::{Deserialize, Serialize};

/// A game as it is written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrittenGame {
    /// What there is to say of all of it.
    pub row: GameRow,
    /// Its moves, or those that are not written yet.
    pub moves: Vec<MoveRow>,
    /// The names of its pieces, in the order of [`MoveRow::piece`].
    pub names: Vec<String>,
}

/// Who takes the pages of games. They may come in any order and from any thread.
pub trait Binder: Sync {
    /// Games that are whole so far; the next one has this number.
    fn games(&self) -> u64;

    /// Whether something went wrong: there is no use in playing on.
    fn has_failed(&self) -> bool;

    /// Takes moves of a game that is not over.
    fn part(&self, number: u64, rows: Vec<MoveRow>, names: &[String]);

    /// Takes a game that is over.
    fn take(&self, number: u64, game: WrittenGame);

    /// A game will never be over.
    fn give_up(&self);
}

/// Pages that are kept loose, to be put into a ledger later or elsewhere.
#[derive(Debug, Default)]
pub(crate) struct LoosePages(Mutex<BTreeMap<u64, LoosePage>>);

#[derive(Debug, Default)]
struct LoosePage {
    /// Moves of a game that is not over.
    moves: Vec<MoveRow>,
    game: Option<WrittenGame>,
}

impl LoosePages {
    /// All games that are over, in the order of their numbers.
    pub fn games(self) -> Vec<WrittenGame> {
        let pages = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        pages.into_values().filter_map(|page| page.game).collect()
    }
}

impl Binder for LoosePages {
    fn part(&self, number: u64, mut rows: Vec<MoveRow>, _: &[String]) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.entry(number).or_default().moves.append(&mut rows);
    }

    fn take(&self, number: u64, mut game: WrittenGame) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let page = pages.entry(number).or_default();
        page.moves.append(&mut game.moves);
        page.game = Some(WrittenGame { moves: std::mem::take(&mut page.moves), ..game });
    }

    fn games(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len() as u64
    }

    fn has_failed(&self) -> bool {
        false
    }

    fn give_up(&self) {}
}

/// Rows of one game that are kept before they are handed over.
const PART: usize = 1 << 14;

/// One game of a table, while it is played.
pub struct Page<'a> {
    binder: &'a dyn Binder,
    number: u64,
    notes: Notes,
    names: Vec<String>,
    is_done: bool,
}

impl<'a> Page<'a> {
    /// A page for the game of this number. Every number must come, each once, and none long before those below it.
    pub fn new(binder: &'a dyn Binder, number: u64) -> Page<'a> {
        Page { binder, number, notes: Notes::default(), names: Vec::new(), is_done: false }
    }

    /// Notes a move that was just made in a match.
    pub fn note<M: Noted>(&mut self, game: &M, made: &Made<'_, M>) {
        if self.names.is_empty() {
            self.names = game.piece_names();
        }
        game.note(&mut self.notes, made);
        self.hand_over();
    }

    /// Notes a placement of a guideline game without its match: `drop_points` are those of the game so far, and `by_hand`
    /// what a person did for it.
    pub fn note_by_hand(
        &mut self,
        kicks: Kicks,
        made: &Made<'_, guideline::Match>,
        after: &guideline::Board,
        drop_points: u64,
        by_hand: Option<ByHand>,
    ) {
        if self.names.is_empty() {
            self.names = guideline::Piece::ALL.iter().map(ToString::to_string).collect();
        }
        self.notes.guideline(kicks, made, after, drop_points, by_hand);
        self.hand_over();
    }

    /// The time a person's game went on after its last placement.
    pub fn end_by_hand(&mut self, milliseconds: u64) {
        self.notes.end_by_hand(milliseconds);
    }

    fn hand_over(&mut self) {
        if self.notes.rows().len() >= PART {
            let rows = self.notes.take_rows();
            self.binder.part(self.number, rows, &self.names);
        }
    }

    /// The notes so far.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// The game is over.
    pub fn finish(mut self, row: GameRow) {
        self.is_done = true;
        let moves = self.notes.take_rows();
        let names = std::mem::take(&mut self.names);
        self.binder.take(self.number, WrittenGame { row, moves, names });
    }
}

impl Drop for Page<'_> {
    /// A game may be given up, be it by a panic.
    fn drop(&mut self) {
        if !self.is_done {
            self.binder.give_up();
        }
    }
}
