//! How a timed game stands, as the store keeps it.

use bellmino_engine::guideline::{ClearKind, Play, Record};
use serde_json::{Map, Value, json};

use crate::kept::GameEntry;
use crate::progress::Progress;
use crate::scene::Scene;
use crate::setup::Mode;

/// How a game stands.
pub fn standing(scene: &Scene, mode: Mode, seed: u64, player: &str, progress: &Progress) -> GameEntry {
    let timed = &scene.timed;
    let stats = timed.game().stats();
    let seconds = (timed.time() as f64 / 1000.0).max(0.001);
    let presses = timed.presses();
    let clears: Map<String, Value> = ClearKind::ALL
        .iter()
        .filter(|kind| stats.clears_of(**kind) > 0)
        .map(|kind| (kind.name().to_owned(), json!(stats.clears_of(*kind))))
        .collect();
    GameEntry {
        milliseconds: timed.time() as i64,
        score: stats.score as i64,
        lines: i64::from(stats.lines),
        pieces: i64::from(stats.pieces),
        summary: json!({
            "drop_points": stats.drop_points,
            "holds": stats.holds,
            "perfect_clears": stats.perfect_clears,
            "back_to_backs": stats.back_to_backs,
            "max_combo": stats.max_combo,
            "clears": clears,
            "presses": presses,
            "pieces_per_second": f64::from(stats.pieces) / seconds,
            "keys_per_second": f64::from(presses) / seconds,
            "keys_per_piece": f64::from(presses) / f64::from(stats.pieces.max(1)),
            "finesse_faults": progress.finesse.faults,
            "splits": progress.splits,
        }),
        record: record(scene, mode, seed, player).to_text(),
    }
}

/// The game as a record.
pub fn record(scene: &Scene, mode: Mode, seed: u64, player: &str) -> Record {
    let timed = &scene.timed;
    let play = match mode {
        // After undo only the placements tell how the game went.
        Mode::Practice => Play::Placements { placements: timed.placements().to_vec() },
        Mode::Sprint | Mode::Blitz => Play::of_timed(timed),
    };
    Record {
        player: Some(player.to_owned()),
        start: scene.start.clone(),
        ..Record::new(mode.name(), *timed.game().rules(), seed, 0, play)
    }
}
