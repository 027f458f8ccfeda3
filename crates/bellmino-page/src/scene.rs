//! Scenes of Practice: each change of the position begins a new one. Placements and changes are taken back and made again
//! alike. A game that is not changed by hand is one scene.

use std::cell::OnceCell;

use bellmino_engine::guideline::{Handling, Play, Record, Start, Timed};

use bellmino_engine::RecordError;
use bellmino_engine::guideline::PlayError;
use thiserror::Error;

use crate::history::History;
use crate::room::GameKey;
use crate::setup::{SetupError, timed};

/// Scenes that can be gone back to.
const MAX_SCENES: usize = 200;

/// A game between two changes of its position.
pub struct Scene {
    /// Where it began, if it was set up by hand.
    pub start: Option<Start>,
    /// The game.
    pub timed: Timed,
    /// Which game of the room it is.
    pub key: GameKey,
    history: History,
    /// As it is written down, once it is past.
    written: OnceCell<String>,
}

/// The present scene, those before and those that were taken back.
pub struct Scenes {
    past: Vec<Scene>,
    now: Scene,
    future: Vec<Scene>,
}

/// Why a game that was cut off does not go on.
#[derive(Debug, Error)]
pub enum SceneError {
    /// It begins with no position.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// It is no record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Its placements are not those of its rules.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// It has no placements.
    #[error("a scene of Practice has placements")]
    NoPlacements,
    /// It is over.
    #[error("this game has ended")]
    Over,
}

impl Scene {
    /// A scene that begins.
    pub fn new(start: Option<Start>, timed: Timed, key: GameKey) -> Scene {
        Scene { history: History::new(&timed), start, timed, key, written: OnceCell::new() }
    }

    /// A scene of Practice as it was written down: what was placed in it can be taken back.
    pub fn again(record: &Record, handling: Handling, key: GameKey) -> Result<Scene, SceneError> {
        let begun = timed(record.rules, record.seed, record.start.as_ref(), handling)?;
        let mut scene = Scene::new(record.start.clone(), begun, key);
        let Play::Placements { placements } = &record.play else {
            return Err(SceneError::NoPlacements);
        };
        for placement in placements {
            scene.timed.place(placement)?;
            scene.history.remember(&scene.timed);
        }
        Ok(scene)
    }

    /// The scene as it is written down, made once for as long as it is past.
    pub fn written(&self, write: impl FnOnce(&Scene) -> String) -> &str {
        self.written.get_or_init(|| write(self))
    }

    /// How many pieces of the seed have been dealt so far, those in sight included.
    pub fn dealt(&self) -> usize {
        let begin = self.start.clone().unwrap_or_default();
        let game = self.timed.game();
        let is_held = game.position().hold.is_some() && begin.hold.is_none();
        let drawn = game.queue().len() + game.stats().pieces as usize + usize::from(is_held);
        begin.dealt
            + drawn.saturating_sub(begin.queue.chars().filter(|letter| !letter.is_whitespace()).count())
    }
}

impl Scenes {
    /// One scene, with nothing to take back.
    pub fn new(now: Scene) -> Scenes {
        Scenes { past: Vec::new(), now, future: Vec::new() }
    }

    /// Puts scenes before all others, the oldest first.
    pub fn put_before(&mut self, mut past: Vec<Scene>) {
        past.append(&mut self.past);
        self.past = past;
    }

    /// The scenes before the present one, the oldest first.
    pub fn past(&self) -> &[Scene] {
        &self.past
    }

    /// The present one.
    pub fn now(&self) -> &Scene {
        &self.now
    }

    /// Its game.
    pub fn timed(&mut self) -> &mut Timed {
        &mut self.now.timed
    }

    /// How much can be taken back: placements and changes.
    pub fn undos(&self) -> usize {
        self.past.iter().map(|scene| scene.history.undos() + 1).sum::<usize>() + self.now.history.undos()
    }

    /// How much can be made again.
    pub fn redos(&self) -> usize {
        self.future.iter().map(|scene| scene.history.redos() + 1).sum::<usize>() + self.now.history.redos()
    }

    /// A placement was made.
    pub fn remember(&mut self) {
        self.future.clear();
        self.now.history.remember(&self.now.timed);
    }

    /// The position was changed: a scene begins.
    pub fn change(&mut self, next: Scene) {
        self.future.clear();
        self.now.history.forget_future();
        if self.past.len() == MAX_SCENES {
            self.past.remove(0);
        }
        self.past.push(std::mem::replace(&mut self.now, next));
    }

    /// Takes a placement or a change back; whether there was one. `leave` sees a scene that is left.
    pub fn undo(&mut self, leave: impl FnOnce(&Scene)) -> bool {
        if self.now.history.undo(&mut self.now.timed) {
            return true;
        }
        let Some(before) = self.past.pop() else { return false };
        leave(&self.now);
        self.future.push(std::mem::replace(&mut self.now, before));
        self.now.written.take();
        true
    }

    /// Makes a placement or a change again; whether there was one.
    pub fn redo(&mut self, leave: impl FnOnce(&Scene)) -> bool {
        if self.now.history.redo(&mut self.now.timed) {
            return true;
        }
        let Some(after) = self.future.pop() else { return false };
        leave(&self.now);
        self.past.push(std::mem::replace(&mut self.now, after));
        true
    }
}
