//! The dealer's states, found from the pieces it has dealt.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Dealer, DealerState};
use thiserror::Error;

use crate::settings::SolveSettings;

/// The dealer's state after each piece on the table (the current one and the known ones after it), from the pieces dealt
/// before them: all from the start of the game or of the last full bag. Where those do not matter they need not be given.
///
/// ```
/// use bellmino_engine::Game;
/// use bellmino_engine::placement::DealerState;
/// use bellmino_exact::{FindStatesError, Objective, SolveSettings, find_states};
///
/// let game = Game::built_in("mini", &["dealer.kind=bag".parse().unwrap()]).unwrap().unwrap();
/// let (game, settings) = (game.placement().unwrap(), SolveSettings::new(Objective::Total));
/// // The first of three pieces leaves the other two in the bag.
/// assert_eq!(find_states(game, &settings, &[0], Some(&[])), Ok(vec![DealerState(0b110)]));
/// assert_eq!(find_states(game, &settings, &[0], None), Err(FindStatesError::Ambiguous));
/// ```
pub fn find_states(
    game: &PlacementGame,
    settings: &SolveSettings,
    pieces: &[u8],
    dealt: Option<&[u8]>,
) -> Result<Vec<DealerState>, FindStatesError> {
    let (given, wanted) = (pieces.len(), settings.queue() + 1);
    if given != wanted {
        return Err(FindStatesError::Count { given, wanted });
    }
    let dealer = game.dealer();
    if let Some(dealt) = dealt {
        let start = dealer_state(game, dealt)?;
        return follow(dealer, start, pieces).ok_or(FindStatesError::Order);
    }
    let all = (0..dealer.states()).map(|state| DealerState(state as u32));
    let mut ways: Vec<_> = all.filter_map(|state| follow(dealer, state, pieces)).collect();
    ways.sort_unstable();
    ways.dedup();
    match ways.len() {
        0 => Err(FindStatesError::NeverInARow),
        1 => Ok(ways.swap_remove(0)),
        _ => Err(FindStatesError::Ambiguous),
    }
}

/// The dealer's state after these pieces, all from the start of the game or of the last full bag.
pub fn dealer_state(game: &PlacementGame, dealt: &[u8]) -> Result<DealerState, FindStatesError> {
    let dealer = game.dealer();
    let states = follow(dealer, dealer.start(), dealt).ok_or(FindStatesError::Order)?;
    Ok(states.last().copied().unwrap_or(dealer.start()))
}

/// Why pieces do not tell the dealer's states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FindStatesError {
    /// Too few or too many pieces on the table.
    #[error("{given} given; with this preview and dealer there are {wanted} on the table")]
    Count {
        /// Pieces given.
        given: usize,
        /// Pieces on the table.
        wanted: usize,
    },
    /// Not from the start, with the pieces said to be dealt before.
    #[error("the dealer of this game does not deal this order")]
    Order,
    /// Not from any state.
    #[error("the dealer of this game does not deal these pieces in a row")]
    NeverInARow,
    /// From several states, with different ones after them.
    #[error(
        "with this dealer it matters what was dealt before; give all pieces from the start of the game or of the last full \
         bag"
    )]
    Ambiguous,
}

/// The states after each of the pieces, if the dealer can deal them from this state.
fn follow(dealer: &Dealer, mut state: DealerState, pieces: &[u8]) -> Option<Vec<DealerState>> {
    let mut next = |piece: &u8| {
        state = dealer.deals(state).iter().find(|deal| deal.piece == *piece)?.next;
        Some(state)
    };
    pieces.iter().map(&mut next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Dealing, Objective};
    use bellmino_engine::Game;

    fn states(
        overrides: &[&str],
        dealing: Dealing,
        pieces: &[u8],
        dealt: Option<&[u8]>,
    ) -> Result<Vec<u32>, FindStatesError> {
        let overrides: Vec<_> = overrides.iter().map(|text| text.parse().unwrap()).collect();
        let game = Game::built_in("mini", &overrides).unwrap().unwrap();
        let settings = SolveSettings { dealing, ..SolveSettings::new(Objective::Total) };
        let found = find_states(game.placement().unwrap(), &settings, pieces, dealt)?;
        Ok(found.into_iter().map(|state| state.0).collect())
    }

    #[test]
    fn pieces_tell_states() {
        let (random, bag) = (Dealing::Random, &["dealer.kind=bag"][..]);
        let order = &["dealer.kind=sequence", "dealer.order=[\"S\",\"I2\",\"S\",\"L3\"]"][..];
        // A markov dealer remembers the piece itself.
        assert_eq!(states(&[], random, &[1], None), Ok(vec![2]));
        assert_eq!(states(&[], Dealing::WorstBefore, &[1, 0], None), Ok(vec![2, 1]));
        assert_eq!(
            states(&[], Dealing::WorstBefore, &[1], None),
            Err(FindStatesError::Count { given: 1, wanted: 2 })
        );
        // A bag: full again after its last piece.
        assert_eq!(states(bag, random, &[1], None), Err(FindStatesError::Ambiguous));
        assert_eq!(states(bag, random, &[1], Some(&[0])), Ok(vec![0b100]));
        assert_eq!(states(bag, random, &[1], Some(&[0, 2])), Ok(vec![0b111]));
        assert_eq!(states(bag, random, &[1], Some(&[1])), Err(FindStatesError::Order));
        assert_eq!(states(bag, random, &[1], Some(&[1, 1])), Err(FindStatesError::Order));
        assert_eq!(states(order, Dealing::WorstBefore, &[0, 0], None), Err(FindStatesError::NeverInARow));
    }
}
