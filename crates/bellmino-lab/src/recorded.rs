//! Recorded games in tables.

use bellmino_data::{ByHand, GameHead, Made};
use bellmino_engine::guideline::{self, Play};
use bellmino_engine::placement::{self, Action};
use bellmino_engine::{AnyRecord, RecordError};

use crate::page::{Binder, Page};

/// Puts a recorded game into tables as the next one. `head` says where it comes from; the record tells the rest. A record that
/// cannot be played again is refused, and nothing of it is written.
pub fn bind_record(binder: &dyn Binder, record: &AnyRecord, head: GameHead) -> Result<(), RecordError> {
    let (seed, index) = match record {
        AnyRecord::Placement(record) => (record.seed, record.index),
        AnyRecord::Guideline(record) => (record.seed, record.index),
    };
    let player = record.player().map_or(head.player.clone(), Into::into);
    let (game, seed) = (record.game().into(), seed.to_string().into());
    let head = GameHead { game, player, seed, index, ..head };
    match record {
        AnyRecord::Placement(record) => placement_record(binder, record, head),
        AnyRecord::Guideline(record) => guideline_record(binder, record, head),
    }
}

fn placement_record(
    binder: &dyn Binder,
    record: &placement::Record,
    head: GameHead,
) -> Result<(), RecordError> {
    // Once to see that it can be played to its end.
    record.replay(|_, _| {})?;
    let mut page = Page::new(binder, binder.games());
    let mut holds = 0;
    let game = record.replay(|game, action| {
        let Action::Place(placement) = action else { return };
        let mut after = game.clone();
        let clear = after.play_unchecked(&placement);
        let held = after.stats().holds > holds;
        holds = after.stats().holds;
        page.note(&after, &Made { placement: &placement, held, clear: &clear, before: game.board() });
    })?;
    let row = page.notes().finish(head, &game, game.outcome());
    page.finish(row);
    Ok(())
}

fn guideline_record(
    binder: &dyn Binder,
    record: &guideline::Record,
    head: GameHead,
) -> Result<(), RecordError> {
    let (placements, game) = record.locks()?;
    let mut position = *record.opening()?.0.position();
    let end = match record.play {
        Play::Timed { end, .. } => Some(end),
        Play::Placements { .. } => None,
    };
    let mut page = Page::new(binder, binder.games());
    let mut last = guideline::AfterLock::default();
    for (placement, lock) in &placements {
        let before = position.board;
        let clear = position.place_unchecked(placement, &record.rules.score);
        let made = Made { placement, held: lock.holds > last.holds, clear: &clear, before: &before };
        let by_hand =
            end.map(|_| ByHand { keys: lock.presses - last.presses, milliseconds: lock.at - last.at });
        page.note_by_hand(record.rules.kicks, &made, &position.board, lock.drop_points, by_hand);
        last = *lock;
    }
    if let Some(end) = end {
        page.end_by_hand(end.saturating_sub(last.at));
    }
    let row = page.notes().finish(head, &game, game.outcome());
    page.finish(row);
    Ok(())
}
