//! The end of a timed game: what its screen says, and how the game compares.

use bellmino_engine::Outcome;
use bellmino_engine::guideline::{ClearKind, Play, Record, Timed};
use serde_json::{Value, json};

use crate::archive::{Archive, ArchiveError};
use crate::kept::{PLAYER, StoredGame};
use crate::progress::Progress;
use crate::room::Saving;
use crate::setup::Mode;

/// The end of a game, and how it stands with writing it down: it is told to be saved when it is.
pub fn ending(timed: &Timed, saving: &Saving) -> Value {
    let stats = timed.game().stats();
    let clears: Vec<_> = ClearKind::ALL
        .iter()
        .filter(|kind| stats.clears_of(**kind) > 0)
        .map(|kind| (kind.to_string(), stats.clears_of(*kind)))
        .collect();
    let mut end = match saving {
        Saving::Done(ranking) => ranking.clone(),
        _ => json!({ "game": null, "rank": null, "is_best": false, "bests": [] }),
    };
    end["saved"] = json!(matches!(saving, Saving::Done(_)));
    end["trouble"] = match saving {
        Saving::Failed(why) => json!(why),
        _ => Value::Null,
    };
    end["title"] = json!(title(timed));
    end["clears"] = json!(clears);
    end["longest_combo"] = json!(stats.max_combo.saturating_sub(1));
    end
}

/// How a finished game compares with the best ones of its mode.
pub fn ranking(archive: &dyn Archive, id: i64, mode: Mode, player: &str) -> Result<Value, ArchiveError> {
    if mode == Mode::Practice || player != PLAYER {
        return Ok(json!({ "game": id, "rank": null, "is_best": false, "bests": [] }));
    }
    let is_better = |game: &StoredGame, other: &StoredGame| match mode {
        Mode::Sprint => game.milliseconds < other.milliseconds,
        Mode::Blitz | Mode::Practice => game.score > other.score,
    };
    let bests = archive.bests(mode.name(), PLAYER, 5)?;
    let rank = bests.iter().position(|best| best.id == id);
    let previous = bests.iter().find(|best| best.id != id);
    let is_best = rank == Some(0) && previous.is_none_or(|other| is_better(&bests[0], other));
    Ok(json!({ "game": id, "rank": rank, "is_best": is_best, "bests": bests }))
}

/// How the game ended, in words.
fn title(timed: &Timed) -> String {
    match (timed.outcome(), timed.game().rules().goal.lines) {
        (Some(Outcome::Goal), Some(lines)) => format!("{lines} lines cleared"),
        (Some(Outcome::Goal), None) => "Time is up".to_owned(),
        _ => "Topped out".to_owned(),
    }
}

/// The splits of the best game of a mode; those of a game that was kept without them are found out by playing it again.
pub fn best_splits(archive: &dyn Archive, mode: Mode) -> Result<Vec<u64>, ArchiveError> {
    let Some(best) = archive.bests(mode.name(), PLAYER, 1)?.pop() else { return Ok(vec![]) };
    if let Ok(splits) = serde_json::from_value(best.summary["splits"].clone()) {
        return Ok(splits);
    }
    let Some((_, record)) = archive.game(best.id)? else { return Ok(vec![]) };
    Ok(Record::from_text(&record).ok().and_then(|record| splits_of(&record)).unwrap_or_default())
}

fn splits_of(record: &Record) -> Option<Vec<u64>> {
    let Play::Timed { events, end, handling } = &record.play else { return None };
    let mut timed = Timed::new(record.opening().ok()?.0, *handling);
    let mut progress = Progress::new(&timed);
    for event in events {
        timed.play(event);
        progress.notice(&timed);
    }
    timed.advance_to(*end);
    progress.notice(&timed);
    progress.finish(&timed);
    Some(progress.splits)
}
