//! How much memory a solution takes, and refusing what does not fit.

use std::sync::atomic::{AtomicU64, Ordering};

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Grid, PackedBoard};

use crate::settings::{Objective, SolveMethod, SolveSettings};
use crate::solve::SolveError;
use crate::space::{Space, Within};
use crate::supply::Supply;
use crate::watch::{SolveProgress, Watch};

/// Of the boards without a full row about a quarter can be reached (from 0.22 to 0.26 on boards from 4x4 to 5x6).
pub(crate) fn estimate(game: &PlacementGame) -> (u64, u64) {
    let per_row = 2f64.powi(game.width() as i32) - 1.0;
    let boards = 0.25 * per_row.powi(game.height() as i32);
    ((boards * 36.0) as u64, boards as u64)
}

/// Refuses what cannot fit, before any work is done. Games whose boards are few for their size pass a trial first.
pub(crate) fn check_memory(
    game: &PlacementGame,
    supply: &Supply,
    settings: &SolveSettings,
    resumed: bool,
) -> Result<(), SolveError> {
    let Some(limit) = settings.memory.filter(|_| !resumed) else { return Ok(()) };
    let (_, boards) = estimate(game);
    let canonical = if supply.mirror.is_some() { boards / 2 } else { boards };
    let bytes = bytes_needed(canonical, supply, settings).saturating_add(canonical.saturating_mul(12));
    let is_few = |game: &PlacementGame| {
        // A hundred thousand nodes are explored in no time.
        let start = settings.from.map_or(PackedBoard::empty(game), |board| PackedBoard::from_board(&board));
        let watch = ShortTrial(AtomicU64::new(0));
        game.width() * game.height() > 24
            && Space::explore(game, supply.clone(), start, Within::default(), Some(limit), &watch).is_ok()
    };
    if bytes > limit && !is_few(game) {
        return Err(SolveError::TooBig { bytes, limit, boards: Some(boards) });
    }
    Ok(())
}

/// Ends an exploration that goes on for long.
struct ShortTrial(AtomicU64);

impl Watch for ShortTrial {
    fn go_on(&self) -> bool {
        self.0.load(Ordering::Relaxed) < 100_000
    }

    fn progress(&self, progress: &SolveProgress) {
        self.0.store(progress.boards, Ordering::Relaxed);
    }
}

/// Bytes of values and policies for this many canonical boards.
pub(crate) fn bytes_needed(boards: u64, supply: &Supply, settings: &SolveSettings) -> u64 {
    let nodes = boards.saturating_mul(supply.contexts.len() as u64);
    let stages = match settings.objective {
        Objective::Horizon(pieces) if settings.keep_stages => u64::from(pieces),
        _ => 0,
    };
    let states = match settings.method {
        SolveMethod::Plain => boards.saturating_mul(8 * supply.hands.len() as u64),
        _ => 0,
    };
    nodes
        .saturating_mul(8 * (stages + 2))
        .saturating_add(states)
        .saturating_add(boards.saturating_mul(4 * supply.moves.len() as u64))
}

/// A number of boards in words.
pub(crate) fn counted(boards: Option<u64>) -> String {
    match boards {
        None => "the game needs about".to_owned(),
        Some(u64::MAX) => "more than 10^19 boards need about".to_owned(),
        Some(boards) => {
            let digits = boards.to_string();
            let mut grouped = String::new();
            for (place, digit) in digits.chars().enumerate() {
                if place > 0 && (digits.len() - place).is_multiple_of(3) {
                    grouped.push(',');
                }
                grouped.push(digit);
            }
            format!("about {grouped} boards need about")
        }
    }
}

/// A number of bytes in words.
pub(crate) fn human(bytes: u64) -> String {
    let bytes = bytes as f64;
    match () {
        () if bytes >= 1e15 => format!("{:.1e} GiB", bytes / f64::from(1 << 30)),
        () if bytes >= f64::from(1 << 30) => format!("{:.1} GiB", bytes / f64::from(1 << 30)),
        () => format!("{:.0} MiB", (bytes / f64::from(1 << 20)).max(1.0)),
    }
}
