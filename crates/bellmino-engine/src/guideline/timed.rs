//! Timed play: keys go down and up at given milliseconds, and the pieces follow.
//!
//! There is no clock inside. Time comes in with the events, so a replay is exact to the
//! millisecond, and a browser, a test and a bot drive the same code. Who holds the clock may
//! stop it: a pause is time that does not come in.

use super::colours::ColourBoard;
use super::handling::{Handling, Key, KeyEvent};
use super::keys::{dropped, shifted};
use super::r#match::{Match, Stats};
use super::piece::Turn;
use super::placement::Placement;
use super::position::PlayError;
use super::score::Clear;
use crate::outcome::Outcome;

/// The last millisecond there is: the largest whole number that JSON carries safely.
const LAST: u64 = (1 << 53) - 1;

/// A timed game.
///
/// ```
/// use bellmino_engine::guideline::{Match, Handling, Key, Rules, Timed};
/// let mut timed = Timed::new(Match::new(Rules::SPRINT, 1), Handling::default());
/// timed.press(Key::HardDrop, 100);
/// timed.release(Key::HardDrop, 130);
/// timed.advance_to(500);
/// assert_eq!(timed.game().stats().pieces, 1);
/// ```
#[derive(Clone, Debug)]
pub struct Timed {
    game: Match,
    handling: Handling,
    now: u64,
    colours: ColourBoard,
    active: Option<ActivePiece>,
    /// When the next piece enters, if it is on its way.
    entry: Option<u64>,
    down: [bool; 8],
    /// The side that repeats, and when next.
    side: Option<(i8, u64)>,
    /// When soft drop repeats next; the key is down.
    soft: Option<u64>,
    last_clear: Option<Clear>,
    presses: u32,
    /// Key events before the piece in play entered.
    entered: usize,
    log: Vec<KeyEvent>,
    placements: Vec<Placement>,
    locks: Vec<AfterLock>,
}

/// How a game stood just after a piece had locked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AfterLock {
    /// Milliseconds of game time.
    pub at: u64,
    /// Keys pressed so far.
    pub presses: u32,
    /// Pieces put into hold so far.
    pub holds: u32,
    /// Points for drops so far.
    pub drop_points: u64,
    /// Key events before the piece entered: from there on they were meant for it. A swap with hold is an entry.
    pub entered: usize,
}

/// The piece in play.
#[derive(Clone, Copy, Debug)]
struct ActivePiece {
    at: Placement,
    /// When gravity pulls it down, if nothing is below.
    fall: u64,
    /// Since when it has lain still on the ground.
    still: Option<u64>,
    /// How long it has lain on the ground before.
    spent: u64,
    drop_points: u32,
}

/// A timed game as it was at some moment, without what had happened until then: see [`Timed::moment`].
#[derive(Clone, Debug)]
pub struct Moment {
    /// Its log and its placements are left out.
    timed: Timed,
    events: usize,
    placed: usize,
}

/// What happened in a timed game after some moment: see [`Timed::back_to`].
#[derive(Clone, Debug, Default)]
pub struct Aftermath {
    log: Vec<KeyEvent>,
    placements: Vec<Placement>,
    locks: Vec<AfterLock>,
}

impl Aftermath {
    /// How many key events there were.
    pub fn len(&self) -> usize {
        self.log.len()
    }

    /// Whether no key was touched.
    pub fn is_empty(&self) -> bool {
        self.log.is_empty()
    }
}

/// Something that happens by itself.
#[derive(Clone, Copy)]
enum Tick {
    Enter,
    Side(i8),
    Soft,
    Fall,
    Lock,
    TimeUp,
}

impl Timed {
    /// Timed play of a game that has just begun; cells already filled count as garbage. If the
    /// goal has seconds, its pieces do not count.
    pub fn new(game: Match, handling: Handling) -> Timed {
        let colours = ColourBoard::from(&game.position().board);
        let mut timed = Timed {
            game: game.for_timed_play(),
            handling,
            now: 0,
            colours,
            active: None,
            entry: None,
            down: [false; 8],
            side: None,
            soft: None,
            last_clear: None,
            presses: 0,
            entered: 0,
            log: vec![],
            placements: vec![],
            locks: vec![],
        };
        timed.enter();
        timed
    }

    /// With other colours for the cells that were filled before; a board of another shape changes nothing.
    pub fn with_colours(mut self, colours: ColourBoard) -> Timed {
        if colours.board() == self.game.position().board {
            self.colours = colours;
        }
        self
    }

    /// The game behind it.
    pub fn game(&self) -> &Match {
        &self.game
    }

    /// The player's settings.
    pub fn handling(&self) -> &Handling {
        &self.handling
    }

    /// Milliseconds of game time so far; it stops when the game ends.
    pub fn time(&self) -> u64 {
        self.now
    }

    /// The piece in play, with the spin it would have if it locked now.
    pub fn active(&self) -> Option<Placement> {
        self.active.map(|active| active.at)
    }

    /// The board in colours.
    pub fn colours(&self) -> &ColourBoard {
        &self.colours
    }

    /// Every key event that had an effect on the keys, in game time.
    pub fn log(&self) -> &[KeyEvent] {
        &self.log
    }

    /// Every placement so far.
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }

    /// How the game stood after every placement so far.
    pub fn locks(&self) -> &[AfterLock] {
        &self.locks
    }

    /// How the game ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    /// A key goes down at this millisecond. Time never goes back: an earlier one counts as now.
    /// A key that is down already, and any key after the end, is ignored.
    pub fn press(&mut self, key: Key, at: u64) {
        self.key(key, true, at);
    }

    /// A key goes up.
    pub fn release(&mut self, key: Key, at: u64) {
        self.key(key, false, at);
    }

    /// Lets time pass.
    pub fn advance_to(&mut self, at: u64) {
        self.run_to(at.min(LAST));
    }

    /// Lets every key go up, as for a pause.
    pub fn release_all(&mut self, at: u64) {
        for key in Key::ALL {
            self.key(key, false, at);
        }
    }

    /// The game as it is now, to come back to. What has happened is not copied: moments are small, however long the game.
    ///
    /// ```
    /// use bellmino_engine::guideline::{Handling, Key, Match, Rules, Timed};
    /// let mut timed = Timed::new(Match::new(Rules::PRACTICE, 1), Handling::default());
    /// let before = timed.moment();
    /// timed.press(Key::HardDrop, 100);
    /// let after = timed.moment();
    /// let aftermath = timed.back_to(&before);
    /// assert_eq!(timed.placements().len(), 0);
    /// timed.on_to(&after, aftermath);
    /// assert_eq!(timed.placements().len(), 1);
    /// ```
    pub fn moment(&self) -> Moment {
        let timed = Timed {
            game: self.game.clone(),
            handling: self.handling,
            now: self.now,
            colours: self.colours.clone(),
            active: self.active,
            entry: self.entry,
            down: self.down,
            side: self.side,
            soft: self.soft,
            last_clear: self.last_clear,
            presses: self.presses,
            entered: self.entered,
            log: vec![],
            placements: vec![],
            locks: vec![],
        };
        Moment { timed, events: self.log.len(), placed: self.placements.len() }
    }

    /// Goes back to an earlier moment of this game; gives what happened after it.
    pub fn back_to(&mut self, moment: &Moment) -> Aftermath {
        let (mut log, mut placements) = (std::mem::take(&mut self.log), std::mem::take(&mut self.placements));
        let mut locks = std::mem::take(&mut self.locks);
        let placed = moment.placed.min(placements.len());
        let aftermath = Aftermath {
            log: log.split_off(moment.events.min(log.len())),
            placements: placements.split_off(placed),
            locks: locks.split_off(placed),
        };
        *self = Timed { log, placements, locks, ..moment.timed.clone() };
        aftermath
    }

    /// Goes on to a later moment of this game, with what happens until then.
    pub fn on_to(&mut self, moment: &Moment, aftermath: Aftermath) {
        let (mut log, mut placements) = (std::mem::take(&mut self.log), std::mem::take(&mut self.placements));
        let mut locks = std::mem::take(&mut self.locks);
        log.extend(aftermath.log);
        placements.extend(aftermath.placements);
        locks.extend(aftermath.locks);
        *self = Timed { log, placements, locks, ..moment.timed.clone() };
    }

    /// Keys pressed so far.
    pub fn presses(&self) -> u32 {
        self.presses
    }

    /// The last clear or spin.
    pub fn last_clear(&self) -> Option<Clear> {
        self.last_clear
    }

    /// Puts a piece at hand where it rests, with no key and in no time. For a game that is kept as placements and goes on: its
    /// log of keys does not tell of it. Nothing changes after an error.
    pub fn place(&mut self, placement: &Placement) -> Result<(), PlayError> {
        self.game.clone().play(placement)?;
        if placement.piece != self.game.current() {
            self.game.hold()?;
            self.enter();
        }
        if let Some(active) = &mut self.active {
            active.at = *placement;
            self.lock();
        }
        Ok(())
    }

    /// Plays one event of a log.
    pub fn play(&mut self, event: &KeyEvent) {
        self.key(event.key, event.down, event.at);
    }

    fn key(&mut self, key: Key, down: bool, at: u64) {
        self.advance_to(at);
        if self.outcome().is_some() || self.down[key as usize] == down {
            return;
        }
        self.down[key as usize] = down;
        self.log.push(KeyEvent { at: self.now, key, down });
        if down {
            self.presses += 1;
            self.pressed(key);
        } else {
            self.released(key);
        }
        self.run_to(self.now);
    }

    fn pressed(&mut self, key: Key) {
        match key {
            Key::Left | Key::Right => {
                let dx = if key == Key::Left { -1 } else { 1 };
                self.side = Some((dx, self.now + u64::from(self.handling.das)));
                self.shift(dx);
            }
            Key::SoftDrop if self.handling.soft_drop == 0 => self.soft = Some(self.now),
            Key::SoftDrop => {
                self.soft = Some(self.now + u64::from(self.handling.soft_drop_first));
                self.soft_drop();
            }
            Key::HardDrop => {
                if let Some(active) = &mut self.active {
                    let to = dropped(&self.game.position().board, &active.at);
                    let rows = u32::try_from(active.at.y - to.y).unwrap_or(0);
                    active.drop_points += rows * self.game.rules().score.hard_drop;
                    active.at = to;
                    self.lock();
                }
            }
            Key::Clockwise => self.turn(Turn::Clockwise),
            Key::Counter => self.turn(Turn::Counter),
            Key::Half => self.turn(Turn::Half),
            Key::Hold => {
                if self.active.is_some() && self.game.hold().is_ok() {
                    self.enter();
                }
            }
        }
    }

    fn released(&mut self, key: Key) {
        let fresh = self.now + u64::from(self.handling.das);
        match key {
            Key::Left if self.side.is_some_and(|(dx, _)| dx < 0) => {
                self.side = self.down[Key::Right as usize].then_some((1, fresh));
            }
            Key::Right if self.side.is_some_and(|(dx, _)| dx > 0) => {
                self.side = self.down[Key::Left as usize].then_some((-1, fresh));
            }
            Key::SoftDrop => self.soft = None,
            _ => {}
        }
    }

    /// Lets everything happen that is due up to this game time.
    fn run_to(&mut self, until: u64) {
        while let Some((at, tick)) = self.next_tick() {
            if at > until {
                break;
            }
            self.now = self.now.max(at);
            self.happen(tick);
        }
        // The clock stops with the game.
        if self.outcome().is_none() {
            self.now = self.now.max(until);
        }
    }

    /// What happens next by itself, and when; of two things at once the first in this list. A
    /// repeat that cannot move the piece waits until it can.
    fn next_tick(&self) -> Option<(u64, Tick)> {
        if self.outcome().is_some() {
            return None;
        }
        let mut next: Option<(u64, Tick)> = None;
        let mut offer = |at: u64, tick: Tick| {
            if next.is_none_or(|(known, _)| at.max(self.now) < known) {
                next = Some((at.max(self.now), tick));
            }
        };
        if let Some(at) = self.entry {
            offer(at, Tick::Enter);
        }
        if let Some(active) = &self.active {
            let board = &self.game.position().board;
            if let Some((dx, at)) = self.side
                && shifted(board, &active.at, dx, 0).is_some()
            {
                offer(at, Tick::Side(dx));
            }
            match active.still {
                None => {
                    if let Some(at) = self.soft {
                        offer(at, Tick::Soft);
                    }
                    offer(active.fall, Tick::Fall);
                }
                Some(since) => {
                    let timing = &self.game.rules().timing;
                    let left = u64::from(timing.lock_limit).saturating_sub(active.spent);
                    offer(since + left.min(u64::from(timing.lock_delay)), Tick::Lock);
                }
            }
        }
        if let Some(seconds) = self.game.rules().goal.seconds {
            offer(u64::from(seconds) * 1000, Tick::TimeUp);
        }
        next
    }

    fn happen(&mut self, tick: Tick) {
        match tick {
            Tick::Enter => self.enter(),
            Tick::Side(dx) => {
                self.side = Some((dx, self.now + u64::from(self.handling.arr)));
                self.shift(dx);
            }
            Tick::Soft => {
                self.soft = Some(self.now + u64::from(self.handling.soft_drop));
                self.soft_drop();
            }
            Tick::Fall => {
                self.fall();
            }
            Tick::Lock => self.lock(),
            Tick::TimeUp => {
                self.active = None;
                self.game.end(Outcome::Goal);
            }
        }
    }

    /// Brings the current piece onto the board.
    fn enter(&mut self) {
        self.entry = None;
        self.active = None;
        self.entered = self.log.len();
        if self.outcome().is_some() {
            return;
        }
        let initial = |timed: &Timed, key: Key| timed.handling.initial && timed.down[key as usize];
        if initial(self, Key::Hold) && self.game.may_hold() && self.game.hold().is_ok() {
            return self.enter();
        }
        let at = Placement::spawn(self.game.current());
        self.active = Some(ActivePiece { at, fall: self.now, still: None, spent: 0, drop_points: 0 });
        self.moved(at);
        if let Some(active) = &mut self.active {
            active.fall = self.now + u64::from(self.game.rules().timing.gravity);
        }
        let cut = self.now + u64::from(self.handling.das_cut);
        self.side = self.side.map(|(dx, at)| (dx, at.max(cut)));
        self.soft = self.soft.map(|at| at.max(cut));
        for (key, turn) in
            [(Key::Clockwise, Turn::Clockwise), (Key::Counter, Turn::Counter), (Key::Half, Turn::Half)]
        {
            if initial(self, key) {
                self.turn(turn);
            }
        }
    }

    fn shift(&mut self, dx: i8) {
        if let Some(to) = self.active.and_then(|active| self.shifted(&active.at, dx, 0)) {
            self.moved(to);
        }
    }

    fn turn(&mut self, turn: Turn) {
        let kicks = self.game.rules().kicks;
        let board = &self.game.position().board;
        if let Some(to) = self.active.and_then(|active| kicks.turned(board, &active.at, turn)) {
            self.moved(to);
        }
    }

    fn soft_drop(&mut self) {
        if self.fall()
            && let Some(active) = &mut self.active
        {
            active.drop_points += self.game.rules().score.soft_drop;
        }
    }

    /// Falls one row, if nothing is below.
    fn fall(&mut self) -> bool {
        let Some(to) = self.active.and_then(|active| self.shifted(&active.at, 0, -1)) else { return false };
        let gravity = u64::from(self.game.rules().timing.gravity);
        self.moved(to);
        if let Some(active) = &mut self.active {
            active.fall = self.now + gravity;
        }
        true
    }

    /// Puts the piece somewhere else. The wait on the ground begins anew, but not the sum of all
    /// waits.
    fn moved(&mut self, to: Placement) {
        let grounded = self.shifted(&to, 0, -1).is_none();
        let gravity = u64::from(self.game.rules().timing.gravity);
        let now = self.now;
        let Some(active) = &mut self.active else { return };
        active.at = to;
        if let Some(since) = active.still.take() {
            active.spent += now - since;
            active.fall = now + gravity;
        }
        active.still = grounded.then_some(now);
    }

    fn lock(&mut self) {
        let Some(active) = self.active.take() else { return };
        self.colours.place(&active.at);
        let clear = self.game.lock(&active.at, active.drop_points);
        self.placements.push(active.at);
        let Stats { holds, drop_points, .. } = *self.game.stats();
        let (at, presses, entered) = (self.now, self.presses, self.entered);
        self.locks.push(AfterLock { at, presses, holds, drop_points, entered });
        if clear.kind().is_some() {
            self.last_clear = Some(clear);
        }
        match self.game.rules().timing.entry_delay {
            0 => self.enter(),
            delay => self.entry = Some(self.now + u64::from(delay)),
        }
    }

    fn shifted(&self, at: &Placement, dx: i8, dy: i8) -> Option<Placement> {
        shifted(&self.game.position().board, at, dx, dy)
    }
}
