//! Finesse: whether a piece was brought to its place with the fewest key presses.

use super::board::Board;
use super::handling::Key;
use super::keys::{Input, Keys};
use super::kicks::Kicks;
use super::piece::Turn;
use super::placement::Placement;

/// A piece that took more key presses than it needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinesseFault {
    /// The presses that count: all but those of soft drop and hold.
    pub presses: usize,
    /// A shortest way, hard drop included.
    pub shortest: Vec<Input>,
}

/// The fault of a placement, if there is one; `pressed` are the keys that went down from the entry of the piece until it locked.
///
/// Only pieces that could have been dropped straight from above are judged: for tucks and spins the way down is a matter of
/// taste. Soft drop on the way is one too and counts for nothing, as does hold; a piece that locks by itself is taken for
/// dropped. A key held over from the piece before was pressed then, so that nobody is blamed for knowing it.
///
/// ```
/// use bellmino_engine::guideline::{Board, Input, Key, Kicks, fault};
/// let corner = "O north 8,0".parse()?;
/// assert_eq!(fault(&Board::EMPTY, &corner, Kicks::Srs, &[Key::Right, Key::HardDrop]), None);
/// let taps = [Key::Right, Key::Right, Key::Right, Key::Right, Key::HardDrop];
/// let fault = fault(&Board::EMPTY, &corner, Kicks::Srs, &taps).unwrap();
/// assert_eq!((fault.presses, fault.shortest), (5, vec![Input::FarRight(4), Input::HardDrop]));
/// # Ok::<(), String>(())
/// ```
pub fn fault(board: &Board, placement: &Placement, kicks: Kicks, pressed: &[Key]) -> Option<FinesseFault> {
    let counts = |key: &&Key| match key {
        Key::SoftDrop | Key::Hold | Key::HardDrop => false,
        Key::Half => kicks.turns().contains(&Turn::Half),
        Key::Left | Key::Right | Key::Clockwise | Key::Counter => true,
    };
    let presses = pressed.iter().filter(counts).count() + 1;
    // Nothing is shorter than the drop alone.
    if presses == 1 {
        return None;
    }
    let shortest = Keys::search_above(board, placement.piece, kicks).to(placement)?;
    (presses > shortest.len()).then_some(FinesseFault { presses, shortest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guideline::{Bag, Handling, KeyEvent, Match, Position, Rules, Timed};
    use crate::{Purpose, below, stream};

    /// Whoever plays the shortest keys is never blamed, whatever the board; one press too many is always found.
    #[test]
    fn the_shortest_way_is_no_fault_and_one_press_more_is_one() {
        let mut generator = stream(5, Purpose::Player, 0);
        let (mut judged, mut tucks) = (0, 0);
        for (index, kicks) in Kicks::ALL.into_iter().cycle().take(18).enumerate() {
            let rules = Rules { kicks, ..Rules::PRACTICE };
            let bag = Bag::numbered(5, index as u64);
            let mut game = Match::from_position(rules, Position::default(), bag);
            while game.outcome().is_none() && game.stats().pieces < 60 {
                let list = game.placements();
                let at = list[below(&mut generator, list.len())];
                let board = game.position().board;
                let Some(inputs) = Keys::search(&board, at.piece, kicks).to(&at) else { continue };
                // A far move is one press that is held.
                let key = |input: &Input| Input::taps(&[*input], 0)[0].key;
                let mut pressed: Vec<Key> = inputs.iter().map(key).collect();
                let is_straight = !inputs.iter().any(|input| matches!(input, Input::SoftDrop(_)));
                if is_straight {
                    judged += 1;
                    assert_eq!(fault(&board, &at, kicks, &pressed), None, "{at} {inputs:?}");
                    pressed.insert(0, Key::SoftDrop);
                    assert_eq!(fault(&board, &at, kicks, &pressed), None, "soft drop counts for nothing");
                    pressed.splice(0..0, [Key::Left, Key::Right]);
                    let found = fault(&board, &at, kicks, &pressed).unwrap();
                    assert!(found.presses > found.shortest.len() && found.shortest.len() == inputs.len());
                } else {
                    tucks += 1;
                }
                game.play(&at).unwrap();
            }
        }
        assert!(judged > 300 && tucks > 30, "{judged} {tucks}");
    }

    /// Presses belong to the piece that was in play; what was pressed before a hold is not held against the piece after it.
    #[test]
    fn the_keys_of_a_piece_are_those_since_it_entered() {
        let mut timed = Timed::new(Match::new(Rules::PRACTICE, 3), Handling::DEFAULT);
        let keys =
            [Key::Left, Key::Left, Key::Hold, Key::Clockwise, Key::HardDrop, Key::Right, Key::HardDrop];
        for (at, key) in (0..).step_by(20).zip(keys) {
            timed.press(key, at);
            timed.release(key, at + 5);
        }
        let pressed = |index: usize| -> Vec<Key> {
            let until = timed.locks().get(index + 1).map_or(timed.log().len(), |lock| lock.entered);
            let events = &timed.log()[timed.locks()[index].entered..until];
            events.iter().filter(|event| event.down).map(|event: &KeyEvent| event.key).collect()
        };
        assert_eq!(pressed(0), [Key::Clockwise, Key::HardDrop]);
        assert_eq!(pressed(1), [Key::Right, Key::HardDrop]);
    }
}
