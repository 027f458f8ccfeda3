//! What was done in Practice, to be taken back and made again. The game's own log is kept once, however far back one can go.

use std::collections::VecDeque;

use bellmino_engine::guideline::{Aftermath, Moment, Timed};

/// Positions that can be taken back.
const MAX_UNDO: usize = 500;

/// The moments at which the pieces of a game entered.
pub struct History {
    /// As the current piece entered.
    fresh: Moment,
    past: VecDeque<Moment>,
    /// What was taken back, and what happened until then.
    future: Vec<(Moment, Aftermath)>,
}

impl History {
    /// The history of a game that begins.
    pub fn new(timed: &Timed) -> History {
        History { fresh: timed.moment(), past: VecDeque::new(), future: Vec::new() }
    }

    /// How many placements can be taken back.
    pub fn undos(&self) -> usize {
        self.past.len()
    }

    /// How many can be made again.
    pub fn redos(&self) -> usize {
        self.future.len()
    }

    /// A placement was made, and the next piece is there.
    pub fn remember(&mut self, timed: &Timed) {
        self.future.clear();
        if self.past.len() == MAX_UNDO {
            self.past.pop_front();
        }
        self.past.push_back(std::mem::replace(&mut self.fresh, timed.moment()));
    }

    /// What was taken back is not made again.
    pub fn forget_future(&mut self) {
        self.future.clear();
    }

    /// Takes a placement back: the game is as its piece entered. Whether there was one.
    pub fn undo(&mut self, timed: &mut Timed) -> bool {
        let Some(before) = self.past.pop_back() else { return false };
        timed.back_to(&self.fresh);
        let aftermath = timed.back_to(&before);
        self.future.push((std::mem::replace(&mut self.fresh, before), aftermath));
        true
    }

    /// Makes a placement again. Whether there was one.
    pub fn redo(&mut self, timed: &mut Timed) -> bool {
        let Some((after, aftermath)) = self.future.pop() else { return false };
        timed.back_to(&self.fresh);
        timed.on_to(&after, aftermath);
        self.past.push_back(std::mem::replace(&mut self.fresh, after));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::guideline::{Handling, Key, Match, Rules};

    fn dropped(timed: &mut Timed, history: &mut History, time: &mut u64) {
        *time += 20;
        timed.press(Key::HardDrop, *time);
        timed.release(Key::HardDrop, *time + 1);
        history.remember(timed);
    }

    #[test]
    fn placements_are_taken_back_and_made_again() {
        let mut timed = Timed::new(Match::new(Rules::PRACTICE, 4), Handling::DEFAULT);
        let (mut history, mut time) = (History::new(&timed), 0);
        let mut frames = vec![timed.frame()];
        for _ in 0..5 {
            dropped(&mut timed, &mut history, &mut time);
            frames.push(timed.frame());
        }
        // Something that leads nowhere is forgotten.
        timed.press(Key::Left, time + 5);
        for frame in frames[..5].iter().rev() {
            assert!(history.undo(&mut timed));
            assert_eq!(timed.frame(), *frame);
        }
        assert!(!history.undo(&mut timed));
        for frame in &frames[1..4] {
            assert!(history.redo(&mut timed));
            assert_eq!(timed.frame(), *frame);
        }
        assert_eq!((history.undos(), history.redos(), timed.placements().len()), (3, 2, 3));
        dropped(&mut timed, &mut history, &mut time);
        assert_eq!((history.undos(), history.redos(), timed.placements().len()), (4, 0, 4));
        assert!(!history.redo(&mut timed));
    }

    /// A long game has no more than one log: 500 moments of it stay small.
    #[test]
    fn the_log_is_kept_once() {
        let rules = Rules { goal: Rules::PRACTICE.goal, ..Rules::PRACTICE };
        let mut timed = Timed::new(Match::new(rules, 4), Handling::DEFAULT);
        let (mut history, mut time) = (History::new(&timed), 0);
        for event in 0..20_000 {
            time += 1;
            if event % 2 == 0 {
                timed.press(Key::Clockwise, time);
            } else {
                timed.release(Key::Clockwise, time);
            }
            if event % 40 == 39 {
                history.remember(&timed);
            }
        }
        assert_eq!((history.undos(), timed.log().len()), (MAX_UNDO, 20_000));
        for _ in 0..MAX_UNDO {
            assert!(history.undo(&mut timed));
        }
        assert_eq!(timed.log().len(), 0);
        let kept: usize = history.future.iter().map(|(_, aftermath)| aftermath.len()).sum();
        assert_eq!(kept, 20_000, "each event once");
    }
}
