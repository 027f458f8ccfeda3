//! Looking at positions of a solved game: what each placement and each piece that may be dealt is worth.

use std::sync::Arc;

use bellmino_engine::placement::{Board, DealerState, PackedBoard};
use bellmino_engine::{PlacementGame, Purpose, stream};
use bellmino_exact::{
    DealerPolicy, FindStatesError, InHand, Look, Objective, OnTable, PlacementValue, Placing, Policy,
    dealer_state, find_states, packed,
};
use bellmino_lab::{Chooser, ChooserPolicy};
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
        let who = self.who();
        let chosen = match who {
            Placer::Best => best,
            Placer::Given(_) => self.chosen(&board, &hand, placements),
            Placer::Average => None,
        };
        let shown: Vec<Value> =
            placements.iter().map(|one| self.placement(&board, one, &hand, position.left)).collect();
        Ok(json!({
            "placements": shown,
            "put_aside": put_aside.map(worth),
            "best": best,
            "who": who.name(),
            "chosen": chosen,
            "value": self.value_of(&board, &hand, &look).map_or(json!(0.0), worth),
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
        let after = |pieces: usize| dealer_state(game, &dealt[..before.len() + pieces]);
        let states: Vec<DealerState> = (1..=position.queue.len()).map(after).collect::<Result<_, _>>()?;
        let Some(deals) = self.deal_values(&board, &on_table, &states) else {
            return Ok(json!({ "deals": null }));
        };
        let mut chance = stream(seed, Purpose::Dealer, dealt.len() as u64);
        let by_chance = game.dealer().deal(state, &mut chance).piece;
        let dealer = self.dealer.as_ref().unwrap_or(&self.table);
        let chooses = match dealer.share() {
            0.0 => false,
            1.0 => true,
            share => bellmino_engine::unit(&mut chance) < share,
        };
        let piece =
            if chooses { self.dealt(&board, &on_table).ok_or(ExploreError::NoDeal)? } else { by_chance };
        Ok(json!({ "deals": self.told(&deals, &board, &on_table), "piece": piece }))
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
        let deals = after.filter(|_| goes_on).and_then(|after| {
            let deals = self.deal_values(&after, &on_table, hand.states.get(1..).unwrap_or(&[]))?;
            Some(self.told(&deals, &after, &on_table))
        });
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

    /// What each piece is worth to who plays, in the order of the game; `states` are the dealer's after each piece on the table.
    fn deal_values(
        &self,
        board: &Board,
        on_table: &OnTable<'_>,
        states: &[DealerState],
    ) -> Option<Vec<(u8, f64)>> {
        let mut values = self.table.deal_values(packed(self.table.game(), board)?, on_table)?;
        // The table takes the best placement of each piece; a player who is evaluated makes its own.
        if matches!(self.who(), Placer::Given(_)) && on_table.queue.len() == self.table.queue() {
            for (piece, value) in &mut values {
                *value = self.played(board, on_table, states, *piece, *value)?;
            }
            if self.table.settings().objective == Objective::Average {
                let most = values.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
                let alive = values.iter_mut().filter(|(_, value)| value.is_finite());
                alive.for_each(|(_, value)| *value -= most);
            }
        }
        Some(values)
    }

    /// What a piece is worth to the player who is evaluated; `best` is what it is worth if its best placement is made.
    fn played(
        &self,
        board: &Board,
        on_table: &OnTable<'_>,
        states: &[DealerState],
        piece: u8,
        best: f64,
    ) -> Option<f64> {
        let game = self.table.game();
        let deals = game.dealer().deals(on_table.state);
        let next = deals.iter().find(|deal| deal.piece == piece)?.next;
        let queue: Vec<u8> = on_table.queue.iter().copied().chain([piece]).collect();
        let states: Vec<DealerState> = states.iter().copied().chain([next]).collect();
        let hand = InHand { queue: &queue, states: &states, held: on_table.held, left: on_table.left };
        let Some(look) = self.table.look(packed(game, board)?, &hand) else { return Some(best) };
        let value = self.value_of(board, &hand, &look).unwrap_or(0.0);
        // Relative values are those beside the best placement of the same piece.
        Some(if self.table.settings().objective == Objective::Average { best + value } else { value })
    }

    /// The piece that a dealer who chooses deals here.
    fn dealt(&self, board: &Board, on_table: &OnTable<'_>) -> Option<u8> {
        let dealer = self.dealer.as_ref().unwrap_or(&self.table);
        dealer.deal(packed(self.table.game(), board)?, on_table)
    }

    /// The pieces that may be dealt for the page, with how likely the dealer of the solution deals each.
    fn told(&self, deals: &[(u8, f64)], board: &Board, on_table: &OnTable<'_>) -> Vec<Value> {
        let share = self.dealer.as_ref().unwrap_or(&self.table).share();
        let chosen = if share > 0.0 { self.dealt(board, on_table) } else { None };
        let chance = |piece: u8| {
            let chooses = if chosen == Some(piece) { share } else { 0.0 };
            chooses + (1.0 - share) * probability(self.table.game(), on_table.state, piece)
        };
        let deal = |(piece, value): &(u8, f64)| json!({ "piece": piece, "value": worth(*value), "probability": chance(*piece) });
        deals.iter().map(deal).collect()
    }

    /// Who places.
    fn who(&self) -> Placer<'_> {
        match &self.player {
            Some(player) => Placer::Given(player),
            None if self.table.settings().placing == Placing::Average => Placer::Average,
            None => Placer::Best,
        }
    }

    /// Which of these placements the player who is evaluated makes.
    fn chosen(&self, board: &Board, hand: &InHand<'_>, placements: &[PlacementValue]) -> Option<usize> {
        let Placer::Given(player) = self.who() else { return None };
        let game = self.table.game();
        let policy = ChooserPolicy::new(game, Arc::clone(player), self.table.settings()).ok()?;
        let placement = policy.place(packed(game, board)?, hand)?;
        placements.iter().position(|one| one.placement == placement)
    }

    /// What a hand is worth to who plays, if anything can be done with it.
    fn value_of(&self, board: &Board, hand: &InHand<'_>, look: &Look) -> Option<f64> {
        let placements = &look.placements;
        let alive = || placements.iter().filter(|one| !one.fatal);
        match self.who() {
            Placer::Best => alive().map(|one| one.value).chain(look.put_aside).reduce(f64::max),
            Placer::Given(_) => {
                let chosen = &placements[self.chosen(board, hand, placements)?];
                Some(if chosen.fatal { 0.0 } else { chosen.value })
            }
            Placer::Average => {
                let mean = |held: bool| {
                    let count = placements.iter().filter(|one| one.held == held).count();
                    let sum =
                        alive().filter(|one| one.held == held).map(|one| one.value).reduce(|a, b| a + b)?;
                    Some(sum / count as f64)
                };
                [mean(false), mean(true), look.put_aside].into_iter().flatten().reduce(f64::max)
            }
        }
    }

    /// The value of a hand by the pieces left, where their number is limited.
    fn over_time(&self, board: &Board, hand: &InHand<'_>, spent: bool) -> Option<Vec<Value>> {
        let Objective::Horizon(pieces) = self.table.settings().objective else { return None };
        let on = packed(self.table.game(), board)?;
        let step = pieces.div_ceil(MAX_POINTS).max(1);
        let lefts = (1..pieces).step_by(step as usize).chain((pieces > 0).then_some(pieces));
        let value = |left: u32| {
            let hand = InHand { left: Some(left), ..*hand };
            self.value_of(board, &hand, &self.seen(on, &hand, spent)?)
        };
        Some(lefts.map(|left| json!([left, value(left).map_or(json!(0.0), worth)])).collect())
    }
}

/// Who places in a solved game.
enum Placer<'a> {
    /// The best there is.
    Best,
    /// A player who is evaluated.
    Given(&'a Arc<Chooser>),
    /// Every placement, as likely as the others.
    Average,
}

impl Placer<'_> {
    fn name(&self) -> &'static str {
        match self {
            Placer::Best => "best",
            Placer::Given(_) => "player",
            Placer::Average => "average",
        }
    }
}

fn probability(game: &PlacementGame, state: DealerState, piece: u8) -> f64 {
    game.dealer().deals(state).iter().find(|deal| deal.piece == piece).map_or(0.0, |deal| deal.probability)
}
