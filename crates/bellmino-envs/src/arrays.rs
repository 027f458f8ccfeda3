//! The arrays that all games of an environment write into.

use crate::error::EnvError;

/// Calls a macro with the list of all arrays, as `/// what it is`, `name: type`, apart by commas. The list stands here and
/// nowhere else: whoever keeps the arrays elsewhere, as the Python module does, makes them from it.
#[macro_export]
macro_rules! each_array {
    ($callback:ident) => {
        $callback! {
            /// The filled cells, the top row first.
            board: u8,
            /// The cells of the piece in play, of games with keys.
            active: u8,
            /// The current piece.
            piece: i64,
            /// The held piece counted from 1, or 0.
            hold: i64,
            /// The current piece and those in sight.
            queue: i64,
            /// 1 for each legal action.
            mask: i8,
            /// Features of the board, or of the board after each action.
            features: f32,
            /// The exact value of each action; not a number where it is not legal.
            values: f64,
            /// The greatest of them.
            optimal: f64,
            /// What the last action gave away.
            regret: f64,
            /// The points of the last action.
            reward: f64,
            /// The game has ended.
            terminated: bool,
            /// It was stopped.
            truncated: bool,
            /// Pieces placed so far.
            pieces: i64,
            /// Rows cleared so far.
            lines: i64,
            /// Points so far.
            score: f64,
            /// 0 while it goes on, 1 at its goal, 2 if it is lost.
            outcome: i8,
        }
    };
}

macro_rules! define {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty),+ $(,)?) => {
        /// How many entries each game has in each array.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Widths { $($(#[doc = $doc])+ pub $name: usize),+ }

        /// The arrays of one game, or whole arrays, game after game.
        pub struct LaneArrays<'a> { $($(#[doc = $doc])+ pub $name: &'a mut [$type]),+ }

        /// The arrays of some games in a row, of the right lengths.
        pub struct Slices<'a> { widths: &'a Widths, lanes: usize, $($name: &'a mut [$type]),+ }

        /// Arrays of one's own, for those who do not have them elsewhere; one method for each gives the part of a game.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Buffers { widths: Widths, lanes: usize, $($name: Vec<$type>),+ }

        impl Widths {
            /// The bytes of one game.
            pub fn bytes(&self) -> u64 {
                0 $(+ self.$name as u64 * size_of::<$type>() as u64)+
            }
        }

        impl<'a> Slices<'a> {
            /// The arrays of so many games. Refused if one has another length.
            pub fn new(widths: &'a Widths, lanes: usize, arrays: LaneArrays<'a>) -> Result<Slices<'a>, EnvError> {
                $(let (entries, wanted) = (arrays.$name.len(), lanes.saturating_mul(widths.$name));
                if entries != wanted {
                    return Err(EnvError::Array { name: stringify!($name), entries, wanted });
                })+
                Ok(Slices { widths, lanes, $($name: arrays.$name),+ })
            }

            /// The part of one game.
            #[inline]
            pub(crate) fn lane(&mut self, number: usize) -> LaneArrays<'_> {
                let widths = self.widths;
                LaneArrays { $($name: &mut self.$name[number * widths.$name..][..widths.$name]),+ }
            }

            /// The first games and the others.
            pub(crate) fn split_at(self, lanes: usize) -> (Slices<'a>, Slices<'a>) {
                $(let $name = self.$name.split_at_mut(lanes * self.widths.$name);)+
                let (widths, others) = (self.widths, self.lanes - lanes);
                (
                    Slices { widths, lanes, $($name: $name.0),+ },
                    Slices { widths, lanes: others, $($name: $name.1),+ },
                )
            }
        }

        impl Buffers {
            /// Empty arrays for so many games.
            pub fn new(widths: Widths, lanes: usize) -> Buffers {
                Buffers { widths, lanes, $($name: vec![Default::default(); lanes * widths.$name]),+ }
            }

            /// The arrays to be written into.
            pub fn slices(&mut self) -> Slices<'_> {
                Slices { widths: &self.widths, lanes: self.lanes, $($name: &mut self.$name),+ }
            }

            $($(#[doc = $doc])+
            pub fn $name(&self, lane: usize) -> &[$type] {
                let width = self.widths.$name;
                self.$name.get(lane.saturating_mul(width)..).and_then(|rest| rest.get(..width)).unwrap_or_default()
            })+
        }
    };
}

each_array!(define);

impl Slices<'_> {
    /// Refuses the arrays of another environment.
    pub(crate) fn check(&self, widths: &Widths, lanes: usize) -> Result<(), EnvError> {
        if self.widths == widths && self.lanes == lanes { Ok(()) } else { Err(EnvError::OtherArrays) }
    }
}
