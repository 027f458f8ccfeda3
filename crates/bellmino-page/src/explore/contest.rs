//! Contests on a solved game: a person places and the dealer deals, or the other way round.

use bellmino_engine::placement::{self, Action, Allowance, Match, Record};
use bellmino_engine::{Purpose, stream};
use bellmino_exact::Dealing;

use super::{ExploreError, SolvedGame};
use crate::analyse::MAX_STEPS;
use crate::contestant::{DEALT, PLACED, PLACED_OTHERWISE};
use crate::picture::cells;

impl SolvedGame {
    /// The name under which a contest is kept.
    pub fn contestant(&self, placed: bool) -> String {
        match self.table.settings().dealing {
            _ if !placed => DEALT.to_owned(),
            _ if self.dealer.is_some() => format!("{PLACED_OTHERWISE}table"),
            Dealing::Worst => PLACED.to_owned(),
            dealing => format!("{PLACED_OTHERWISE}{dealing}"),
        }
    }

    /// The record of a contest on the empty board: every piece that was dealt, and the cells of each placement, or nothing where
    /// a piece was put aside.
    pub fn contest(&self, dealt: &[u8], moves: &[Option<Vec<[usize; 2]>>]) -> Result<Record, ExploreError> {
        let game = self.table.game();
        let chance = stream(0, Purpose::Dealer, 0);
        let allowance = Allowance { previews: self.table.queue(), hold: self.table.settings().hold };
        let mut played: Match = Match::with(game.clone(), allowance, placement::DealtBy::ByHand, chance);
        let (mut done, mut dealt) = (Vec::new(), dealt.iter());
        let mut moves = moves.iter().take(MAX_STEPS);
        loop {
            while played.wants_piece()
                && let Some(piece) = dealt.next()
            {
                played.deal(*piece)?;
            }
            let Some(wanted) = moves.next() else { break };
            let Some(wanted) = wanted else {
                played.hold()?;
                done.push(Action::Hold);
                continue;
            };
            let chosen = played.placements().into_iter().find(|known| cells(game, *known) == *wanted);
            let chosen = chosen.ok_or(ExploreError::NoPlacement)?;
            played.play(&chosen)?;
            done.push(Action::Place(chosen));
        }
        Ok(Record::of(&played, 0, 0, done)?)
    }
}
