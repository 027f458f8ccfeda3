//! Caution: looking at what may come next, where the board is high.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::DealerKind;
use serde_json::{Value, json};

/// From some height on a controller looks at every piece that may come next. High boards are rare, so this costs little,
/// and games are lost nowhere else.
///
/// ```
/// use bellmino_learn::Caution;
///
/// let caution = Caution::new(8, 6).unwrap();
/// assert_eq!((caution.height(), caution.candidates()), (8, 6));
/// assert!(Caution::new(8, 0).is_none(), "at least one placement must be looked at");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caution {
    height: usize,
    candidates: usize,
}

impl Caution {
    /// What a `caution` in a weight file must be.
    pub(crate) const WANTED: &str =
        "an object with `height` (a whole number) and `candidates` (a whole number from 1 on)";

    /// From this height of the highest column on, the so many best placements are looked at; `None` if these are none.
    pub fn new(height: usize, candidates: usize) -> Option<Caution> {
        (candidates > 0).then_some(Caution { height, candidates })
    }

    /// The height of the highest column from which on it is cautious.
    pub fn height(self) -> usize {
        self.height
    }

    /// How many placements are looked at, the best ones by themselves.
    pub fn candidates(self) -> usize {
        self.candidates
    }

    /// What stands in a weight file, or `None` if it makes no sense.
    pub(crate) fn read(value: &Value) -> Option<Caution> {
        let object = value.as_object().filter(|object| object.len() == 2)?;
        let number = |key: &str| usize::try_from(object.get(key)?.as_u64()?).ok();
        Caution::new(number("height")?, number("candidates")?)
    }

    pub(crate) fn to_json(self) -> Value {
        json!({ "height": self.height, "candidates": self.candidates })
    }

    /// How often each piece of a game comes, as integers: by its probability, and all equally often where a dealer has a memory,
    /// which is not looked at.
    pub(crate) fn frequencies(game: &PlacementGame) -> Vec<i64> {
        const MOST: f64 = (1 << 20) as f64;
        let (dealer, count) = (game.dealer(), game.pieces().len());
        if dealer.kind() != DealerKind::Weighted {
            return vec![1; count];
        }
        let deals = dealer.deals(dealer.start());
        let largest = deals.iter().map(|deal| deal.probability).fold(0.0, f64::max);
        let mut frequencies = vec![0; count];
        for deal in deals {
            frequencies[usize::from(deal.piece)] = (deal.probability / largest * MOST).round() as i64;
        }
        frequencies
    }
}

/// What a placement promises: the fewer next pieces are without a place the better, then the more the others are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CautiousProspect {
    /// Minus the frequency of the pieces without a place.
    safety: i64,
    /// The sum over the others of what follows, each by its frequency.
    worth: i64,
}

impl CautiousProspect {
    /// Worse than any other.
    pub const NONE: CautiousProspect = CautiousProspect { safety: i64::MIN, worth: i64::MIN };

    /// Adds a piece that may come, with what the best placement of it is worth if it has a place.
    pub fn add(&mut self, frequency: i64, worth: Option<i64>) {
        match worth {
            Some(worth) => self.worth += frequency * worth,
            None => self.safety -= frequency,
        }
    }
}
