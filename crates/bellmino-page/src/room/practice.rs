//! Practice: positions are changed by hand, taken back and made again.

use bellmino_engine::guideline::{Cell, ColourBoard, Handling, Record, Start, WIDTH};

use super::{Room, RoomPhase};
use crate::picture::letters;
use crate::progress::Progress;
use crate::scene::Scene;
use crate::setup::{Change, Setup, SetupError, timed, with_gravity};

/// Rows of garbage at once.
const MAX_GARBAGE: usize = 10;

impl Room {
    /// Lets these scenes of a game that was cut off be gone back to, the oldest first.
    pub(super) fn go_back_to(&mut self, before: &[Record], handling: Handling) {
        let mut again = |record: &Record| Scene::again(record, handling, self.unwritten()).ok();
        // What cannot be played again cannot be gone back to, nor what was before it.
        let mut past: Vec<Scene> = before.iter().rev().map_while(&mut again).collect();
        past.reverse();
        self.scenes.put_before(past);
    }

    /// Changes the position: a scene begins, which waits for its first key.
    pub(super) fn change(&mut self, change: &Change) -> Result<(), SetupError> {
        let scene = self.scenes.now();
        let game = scene.timed.game();
        let mut colours = scene.timed.colours().clone();
        let setup = Setup {
            board: change.board.clone().unwrap_or_default(),
            queue: change.queue.clone().unwrap_or_else(|| letters(game.queue())),
            hold: match &change.hold {
                Some(hold) => Some(hold.clone()),
                None => game.position().hold.map(|piece| piece.letter().to_string()),
            },
        };
        let mut start = Start { dealt: scene.dealt(), ..setup.start()? };
        if let Some((rows, hole)) = change.garbage {
            let row = std::array::from_fn::<_, WIDTH, _>(|x| (x != hole).then_some(Cell::Garbage));
            (0..rows.min(MAX_GARBAGE)).for_each(|_| colours.rise(row));
        }
        if change.board.is_none() {
            start.board = rows_of(&colours);
        }
        let rules = change.gravity.map_or(self.deal.rules, |gravity| with_gravity(self.deal.rules, gravity));
        let begun = timed(rules, self.deal.seed, Some(&start), *scene.timed.handling())?;
        self.deal.rules = rules;
        self.leave_scene();
        let key = self.unwritten();
        self.scenes.change(Scene::new(Some(start), begun, key));
        self.begin();
        Ok(())
    }

    /// After undo or redo: nothing is pressed, and the clock goes on.
    pub(super) fn resume_here(&mut self) {
        let time = self.scenes.now().timed.time();
        self.scenes.timed().release_all(time);
        self.deal.rules = *self.scenes.now().timed.game().rules();
        self.progress = self.progress_so_far();
        self.time.clock.set(time as f64);
        let is_over = self.scenes.now().timed.outcome().is_some();
        self.time.phase = if is_over { RoomPhase::Over } else { RoomPhase::Playing };
        if !is_over {
            self.time.clock.go(self.time.now);
        }
        self.forget_end();
    }

    /// What is told of the scene as it stands: what was taken back does not count, nor do its faults.
    fn progress_so_far(&self) -> Progress {
        let scene = self.scenes.now();
        let begun = timed(self.deal.rules, self.deal.seed, scene.start.as_ref(), *scene.timed.handling());
        let mut progress = Progress::new(begun.as_ref().unwrap_or(&scene.timed));
        progress.notice(&scene.timed);
        progress
    }
}

/// The rows of a board as records keep them, from the top.
fn rows_of(colours: &ColourBoard) -> Vec<String> {
    (0..colours.height()).rev().map(|y| colours.row_text(y)).collect()
}
