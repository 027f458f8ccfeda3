//! Records of placement games.

use bellmino_engine::placement::{Action, Allowance, AnyColumns, DealtBy, Grid, Match, Record};
use bellmino_engine::{AnyRecord, Purpose, stream};

use crate::dice::Dice;
use crate::pair::{Asked, Compared, same, same_bits, words};

/// Random play with previews and hold, dealt by chance or by hand: written, read and replayed, the same match before every
/// move and at the end.
pub(super) fn placement(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.placement() else { return Ok(Compared::default()) };
    let mut dice = Dice::new(asked.seed, 7 << 32);
    let mut all = Compared::default();
    for index in 0..2 {
        let allowance = Allowance { previews: game.previews().max(dice.below(3)), hold: dice.once_in(2) };
        let by_hand = dice.once_in(2);
        let dealing = if by_hand { DealtBy::ByHand } else { DealtBy::Chance };
        let chance = stream(asked.seed, Purpose::Dealer, index);
        let mut played: Match<AnyColumns> = Match::with(game.clone(), allowance, dealing, chance);
        let (mut actions, mut seen) = (Vec::new(), Vec::new());
        while actions.len() < 80 {
            while by_hand && played.wants_piece() {
                let deals = played.deals();
                let piece = deals[dice.below(deals.len())].piece;
                played.deal(piece).map_err(words)?;
            }
            if played.outcome().is_some() {
                break;
            }
            seen.push(standing(&played));
            let list = played.placements();
            let action = if list.is_empty() || (played.may_hold() && dice.once_in(4)) {
                Action::Hold
            } else {
                Action::Place(list[dice.below(list.len())])
            };
            match action {
                Action::Hold => played.hold().map_err(words)?,
                Action::Place(placement) => drop(played.play(&placement).map_err(words)?),
            }
            actions.push(action);
        }
        let record = Record::of(&played, asked.seed, index, actions.clone()).map_err(words)?;
        let text = record.to_text();
        let read = Record::from_text(&text).map_err(words)?;
        same("record written and read", &read, &record)?;
        same(
            "record of any family",
            &AnyRecord::from_text(&text).map_err(words)?,
            &AnyRecord::Placement(record),
        )?;
        let (mut again, mut done) = (Vec::new(), Vec::new());
        let end = read.replay(|game, action| {
            again.push(standing(game));
            done.push(action);
        });
        let end = end.map_err(words)?;
        same("moves", &done, &actions)?;
        same("matches before each move", &again, &seen)?;
        same("end", &standing(&end), &standing(&played))?;
        same_bits("score", end.stats().score, played.stats().score)?;
        same("outcome", &end.outcome(), &played.outcome())?;
        all += Compared { games: 1, moves: actions.len() as u64 };
    }
    Ok(all)
}

/// All that can be seen of a match.
fn standing(game: &Match) -> String {
    let queue: Vec<u8> = game.queue().iter().map(|dealt| dealt.piece).collect();
    format!("{queue:?} {:?} {:?}\n{}", game.held(), game.stats(), game.board().to_board(game.game()))
}
