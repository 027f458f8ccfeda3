//! The map of all boards of a solved game: by filled cells and by value.

use bellmino_engine::placement::{Grid, PackedBoard};
use bellmino_exact::Objective;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{SolvedGame, rows_of, worth};

/// Boards in one answer.
const MAX_LISTED: usize = 60;

/// Bands of values, where they are numbers of any size.
const BANDS: usize = 6;

/// Which boards are listed.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct MapOrder {
    /// With so many filled cells; with any number when absent.
    cells: Option<u32>,
    /// In this band; in any when absent.
    band: Option<usize>,
    /// From this place on.
    #[serde(default)]
    first: usize,
}

/// Values from `low` to `high`, the last one included.
struct Band {
    label: String,
    low: f64,
    high: f64,
}

impl SolvedGame {
    /// How many boards there are of each number of cells and band of values, and those that are asked for, the best first.
    pub fn map(&self, order: &MapOrder) -> Value {
        let game = self.table.game();
        let mut boards = self.table.board_values();
        let is_survival = self.table.settings().objective == Objective::Survive;
        let bands = if is_survival { survival() } else { equal_bands(&boards) };
        let band_of =
            |value: f64| bands.iter().position(|band| value <= band.high).unwrap_or(bands.len() - 1);
        let mut counts = vec![vec![0u32; bands.len()]; game.width() * game.height() + 1];
        for (board, value) in &boards {
            counts[board.0.count_ones() as usize][band_of(*value)] += 1;
        }
        let of = boards.len();
        boards.retain(|(board, value)| {
            order.cells.is_none_or(|cells| board.0.count_ones() == cells)
                && order.band.is_none_or(|band| band_of(*value) == band)
        });
        boards.sort_by(|(one, a), (other, b)| {
            b.total_cmp(a).then(one.0.count_ones().cmp(&other.0.count_ones())).then(one.0.cmp(&other.0))
        });
        let listed = boards.iter().skip(order.first).take(MAX_LISTED);
        let listed: Vec<Value> = listed
            .map(|(board, value)| {
                json!({ "board": rows_of(&board.to_board(game)), "value": worth(*value), "band": band_of(*value) })
            })
            .collect();
        let shown = bands
            .iter()
            .map(|band| json!({ "label": band.label, "low": worth(band.low), "high": worth(band.high) }));
        json!({
            "boards": of,
            "bands": shown.collect::<Vec<_>>(),
            "counts": counts,
            "listed": listed,
            "found": boards.len(),
            "first": order.first,
        })
    }
}

/// Lost for certain, in doubt, and safe whatever is dealt.
fn survival() -> Vec<Band> {
    let band = |label: &str, low, high| Band { label: label.to_owned(), low, high };
    // A chance that differs from 1 by rounding alone is no doubt.
    vec![band("lost", 0.0, 0.0), band("in doubt", 0.0, 1.0 - 1e-9), band("safe for ever", 1.0, 1.0)]
}

/// Bands of the same width between the least and the greatest number; those that are none have their own.
fn equal_bands(boards: &[(PackedBoard, f64)]) -> Vec<Band> {
    let finite = || boards.iter().map(|(_, value)| *value).filter(|value| value.is_finite());
    let (low, high) = finite()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let mut bands = Vec::new();
    if boards.iter().any(|(_, value)| *value == f64::NEG_INFINITY) {
        bands.push(Band { label: "can end".to_owned(), low: f64::NEG_INFINITY, high: f64::NEG_INFINITY });
    }
    if low <= high {
        let count = if high > low { BANDS } else { 1 };
        let at = |place: usize| {
            if place == count { high } else { low + (high - low) * place as f64 / count as f64 }
        };
        let label = |place: usize| format!("{:.3} to {:.3}", at(place), at(place + 1));
        bands.extend((0..count).map(|place| Band {
            label: label(place),
            low: at(place),
            high: at(place + 1),
        }));
    }
    if boards.iter().any(|(_, value)| *value == f64::INFINITY) {
        bands.push(Band { label: "infinite".to_owned(), low: f64::INFINITY, high: f64::INFINITY });
    }
    bands
}
