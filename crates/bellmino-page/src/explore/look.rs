//! Looking at positions of a solved game: what each placement and each piece that may be dealt is worth.

use bellmino_engine::placement::{Board, DealerState, PackedBoard};
use bellmino_engine::{PlacementGame, Purpose, stream};
use bellmino_exact::{
    DealerPolicy, FindStatesError, InHand, Look, OnTable, PlacementValue, dealer_state, find_states, packed,
};
use serde_json::{Value, json};

use super::request::ExplorePosition;
use super::{ExploreError, SolvedGame, board, rows_of, worth};
use crate::picture::cells;

/// The most points of a plot over the pieces left.
const MAX_POINTS: u32 = 100;

impl SolvedGame {
    /// Everything that can be done with a hand on a board; `None` in `placements` if it cannot come up in the solved game.
    pub fn look(&self, position: &ExplorePosition) -> Result<Value, ExploreError> {
        let game = self.table.game();
        self.check(position)?;
        let board = board(game, &position.board)?;
        let states = self.states(&position.queue, position.dealt.as_deref())?;
        let hand = InHand {
            queue: &position.queue,
            states: &states,
            held: position.held,
            left: position.left.map(|left| left.max(1)),
        };
        let look = packed(game, &board).and_then(|board| self.seen(board, &hand, position.spent));
        let Some(look) = look else { return Ok(json!({ "placements": null })) };
        let Look { placements, put_aside } = &look;
        let best = self.table.best_of(placements).filter(|_| placements.iter().any(|one| !one.fatal));
        let best = best.and_then(|best| placements.iter().position(|one| one.placement == best));
        let shown: Vec<Value> =
            placements.iter().map(|one| self.placement(&board, one, &hand, position.left)).collect();
        Ok(json!({
            "placements": shown,
            "put_aside": put_aside.map(worth),
            "best": best,
            "value": value_of(&look).map_or(json!(0.0), worth),
            "over_time": self.over_time(&board, &hand, position.spent),
        }))
    }

    /// What each piece that may be dealt now is worth to the player, and the piece that the dealer of the solution deals.
    pub fn deals(&self, position: &ExplorePosition, seed: u64) -> Result<Value, ExploreError> {
        let game = self.table.game();
        self.check(position)?;
        let board = board(game, &position.board)?;
        let before = position.dealt.as_deref().unwrap_or(&[]);
        let dealt: Vec<u8> = before.iter().chain(&position.queue).copied().collect();
        let state = dealer_state(game, &dealt)?;
        let ExplorePosition { held, spent, left, .. } = *position;
        let on_table = OnTable { state, queue: &position.queue, held, spent, left };
        let Some(deals) = self.deal_values(&board, &on_table) else { return Ok(json!({ "deals": null })) };
        let mut chance = stream(seed, Purpose::Dealer, dealt.len() as u64);
        let by_chance = game.dealer().deal(state, &mut chance).piece;
        let dealer = self.dealer.as_ref().unwrap_or(&self.table);
        let chooses = match dealer.share() {
            0.0 => false,
            1.0 => true,
            share => bellmino_engine::unit(&mut chance) < share,
        };
        let piece = if chooses {
            let chosen = packed(game, &board).and_then(|board| dealer.deal(board, &on_table));
            chosen.ok_or(ExploreError::NoDeal)?
        } else {
            by_chance
        };
        Ok(json!({ "deals": self.told(&deals, state), "piece": piece }))
    }

    /// What can be done with a hand; whoever has just put a piece aside has to place the current one.
    fn seen(&self, board: PackedBoard, hand: &InHand<'_>, spent: bool) -> Option<Look> {
        if spent { self.table.look_after_aside(board, hand) } else { self.table.look(board, hand) }
    }

    /// Refuses what the page can ask of no position.
    fn check(&self, position: &ExplorePosition) -> Result<(), ExploreError> {
        if self.table.finished().value.is_none() {
            return Err(ExploreError::Infinite);
        }
        let dealt = position.dealt.iter().flatten();
        let pieces = position.queue.iter().chain(dealt).chain(&position.held);
        match pieces.copied().find(|piece| usize::from(*piece) >= self.table.game().pieces().len()) {
            Some(_) => Err(ExploreError::NoPiece),
            None => Ok(()),
        }
    }

    /// The dealer's state after each piece of the queue. What was dealt before is looked at where it matters.
    fn states(&self, queue: &[u8], dealt: Option<&[u8]>) -> Result<Vec<DealerState>, ExploreError> {
        let find = |dealt| find_states(self.table.game(), self.table.settings(), queue, dealt);
        let states = match find(None) {
            Err(FindStatesError::Ambiguous) if dealt.is_some() => find(dealt),
            found => found,
        };
        Ok(states?)
    }

    /// A placement with what follows it.
    fn placement(&self, board: &Board, one: &PlacementValue, hand: &InHand<'_>, left: Option<u32>) -> Value {
        let game = self.table.game();
        let outcome = board.place(game, one.placement);
        let after = outcome.filter(|outcome| !outcome.fatal).map(|outcome| outcome.board);
        let on_table = OnTable {
            state: *hand.states.last().unwrap_or(&game.dealer().start()),
            queue: hand.queue.get(1..).unwrap_or(&[]),
            held: if one.held { hand.queue.first().copied() } else { hand.held },
            spent: false,
            left: left.map(|left| left.saturating_sub(1)),
        };
        let goes_on = on_table.left != Some(0);
        let deals = after.filter(|_| goes_on).and_then(|after| self.deal_values(&after, &on_table));
        let deals = deals.map(|deals| self.told(&deals, on_table.state));
        json!({
            "piece": one.placement.piece,
            "held": one.held,
            "rotation": one.placement.rotation,
            "column": one.placement.column,
            "row": one.placement.row,
            "cells": cells(game, one.placement),
            "value": worth(one.value),
            "lines": one.lines,
            "points": one.points,
            "fatal": one.fatal,
            "after": after.map(|board| rows_of(&board)),
            "deals": deals,
        })
    }

    /// What each piece is worth to the player, in the order of the game.
    fn deal_values(&self, board: &Board, on_table: &OnTable<'_>) -> Option<Vec<(u8, f64)>> {
        self.table.deal_values(packed(self.table.game(), board)?, on_table)
    }

    /// The same for the page, with how likely each piece is.
    fn told(&self, deals: &[(u8, f64)], state: DealerState) -> Vec<Value> {
        let chance = |piece: u8| probability(self.table.game(), state, piece);
        let deal = |(piece, value): &(u8, f64)| json!({ "piece": piece, "value": worth(*value), "probability": chance(*piece) });
        deals.iter().map(deal).collect()
    }

    /// The value of a hand by the pieces left, where their number is limited.
    fn over_time(&self, board: &Board, hand: &InHand<'_>, spent: bool) -> Option<Vec<Value>> {
        let bellmino_exact::Objective::Horizon(pieces) = self.table.settings().objective else { return None };
        let board = packed(self.table.game(), board)?;
        let step = pieces.div_ceil(MAX_POINTS).max(1);
        let lefts = (1..pieces).step_by(step as usize).chain((pieces > 0).then_some(pieces));
        let value = |left: u32| value_of(&self.seen(board, &InHand { left: Some(left), ..*hand }, spent)?);
        Some(lefts.map(|left| json!([left, value(left).map_or(json!(0.0), worth)])).collect())
    }
}

/// The value of the best that can be done, if anything can.
fn value_of(look: &Look) -> Option<f64> {
    let alive = look.placements.iter().filter(|one| !one.fatal).map(|one| one.value);
    alive.chain(look.put_aside).reduce(f64::max)
}

fn probability(game: &PlacementGame, state: DealerState, piece: u8) -> f64 {
    game.dealer().deals(state).iter().find(|deal| deal.piece == piece).map_or(0.0, |deal| deal.probability)
}
