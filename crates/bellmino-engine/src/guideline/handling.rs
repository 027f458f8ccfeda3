//! The keys of timed play, when they go down and up, and how they repeat.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::keys::Input;
use super::piece::Turn;

/// A key of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Key {
    /// Shift left.
    Left,
    /// Shift right.
    Right,
    /// Fall faster while held.
    SoftDrop,
    /// Fall and lock at once.
    HardDrop,
    /// Turn clockwise.
    Clockwise,
    /// Turn counter-clockwise.
    Counter,
    /// Half a turn.
    Half,
    /// Swap with the held piece.
    Hold,
}

/// How keys repeat, in milliseconds: the player's own settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handling {
    /// How long left or right is held before it repeats.
    pub das: u32,
    /// Time between repeats; 0 goes to the wall at once.
    pub arr: u32,
    /// How long soft drop is held before it repeats.
    pub soft_drop_first: u32,
    /// Time between rows of soft drop; 0 goes to the ground at once.
    pub soft_drop: u32,
    /// How long after a piece enters a key held over from the piece before stays without effect.
    pub das_cut: u32,
    /// Whether hold and turn keys that are down when a piece enters act on it at once.
    pub initial: bool,
}

/// A key that went down or up; written `120 +left`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct KeyEvent {
    /// Milliseconds of game time.
    pub at: u64,
    /// Which key.
    pub key: Key,
    /// Whether it went down.
    pub down: bool,
}

impl Key {
    /// Every key.
    pub const ALL: [Key; 8] = [
        Key::Left,
        Key::Right,
        Key::SoftDrop,
        Key::HardDrop,
        Key::Clockwise,
        Key::Counter,
        Key::Half,
        Key::Hold,
    ];

    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Key::Left => "left",
            Key::Right => "right",
            Key::SoftDrop => "soft-drop",
            Key::HardDrop => "hard-drop",
            Key::Clockwise => "clockwise",
            Key::Counter => "counter",
            Key::Half => "half",
            Key::Hold => "hold",
        }
    }

    /// The key of a name.
    pub fn from_name(name: &str) -> Option<Key> {
        Key::ALL.into_iter().find(|key| key.name() == name)
    }
}

impl From<KeyEvent> for String {
    fn from(event: KeyEvent) -> String {
        event.to_string()
    }
}

impl TryFrom<String> for KeyEvent {
    type Error = String;

    fn try_from(text: String) -> Result<KeyEvent, String> {
        let parse = || {
            let (at, key) = text.split_once(' ')?;
            let (down, key) = match key.split_at_checked(1)? {
                ("+", key) => (true, key),
                ("-", key) => (false, key),
                _ => return None,
            };
            Some(KeyEvent { at: at.parse().ok()?, key: Key::from_name(key)?, down })
        };
        parse().ok_or_else(|| format!("`{text}` is not a key event such as `120 +left` or `140 -left`"))
    }
}

impl fmt::Display for KeyEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.at, if self.down { '+' } else { '-' }, self.key.name())
    }
}

impl Handling {
    /// The defaults, which suit beginners.
    pub const DEFAULT: Handling =
        Handling { das: 150, arr: 75, soft_drop_first: 75, soft_drop: 35, das_cut: 100, initial: false };

    /// Repeats without delay.
    pub const ADVANCED: Handling = Handling { arr: 0, ..Handling::DEFAULT };
}

impl Default for Handling {
    fn default() -> Self {
        Handling::DEFAULT
    }
}

impl Input {
    /// The key events of quick single taps from this millisecond on; each tap takes two. Rows of
    /// soft drop are tapped one by one, which needs a soft drop that is not instant.
    pub fn taps(inputs: &[Input], mut at: u64) -> Vec<KeyEvent> {
        let mut events = vec![];
        for input in inputs {
            let (key, times) = match *input {
                Input::Left => (Key::Left, 1),
                Input::Right => (Key::Right, 1),
                Input::FarLeft(columns) => (Key::Left, columns),
                Input::FarRight(columns) => (Key::Right, columns),
                Input::Turn(Turn::Clockwise) => (Key::Clockwise, 1),
                Input::Turn(Turn::Counter) => (Key::Counter, 1),
                Input::Turn(Turn::Half) => (Key::Half, 1),
                Input::SoftDrop(rows) => (Key::SoftDrop, rows),
                Input::Hold => (Key::Hold, 1),
                Input::HardDrop => (Key::HardDrop, 1),
            };
            for _ in 0..times {
                events.push(KeyEvent { at, key, down: true });
                events.push(KeyEvent { at: at + 1, key, down: false });
                at += 2;
            }
        }
        events
    }
}
