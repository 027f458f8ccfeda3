//! Points: what a placement is worth, as data.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::board::Cleared;
use super::placement::Spin;

/// Points for everything that scores. Rows beyond the end of a list score like its last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreTable {
    /// By rows cleared, 0 to 4, without a spin.
    pub lines: [u32; 5],
    /// By rows cleared, 0 to 3, with a mini T-spin.
    pub mini: [u32; 4],
    /// By rows cleared, 0 to 3, with a full T-spin.
    pub full: [u32; 4],
    /// Percent of the points of a clear when it is back-to-back.
    pub back_to_back_percent: u32,
    /// Points per clear in a row after the first.
    pub combo: u32,
    /// Added by rows cleared, 0 to 4, when the board is empty afterwards.
    pub perfect: [u32; 5],
    /// The same for a back-to-back clear of four rows.
    pub perfect_back_to_back: u32,
    /// Drop points per row of soft drop; never part of the score.
    pub soft_drop: u32,
    /// Drop points per row of hard drop; never part of the score.
    pub hard_drop: u32,
}

/// What a placement cleared and scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Clear {
    /// Rows cleared, 0 to 4.
    pub lines: u8,
    /// Kind of spin.
    pub spin: Spin,
    /// Whether the points were raised for back-to-back.
    pub back_to_back: bool,
    /// Whether the board was emptied.
    pub perfect: bool,
    /// Clears in a row, this one included; 0 if nothing was cleared.
    pub combo: u32,
    /// Points without drop points.
    pub points: u32,
}

/// The kind of a clear, by which statistics count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClearKind {
    /// One row.
    Single,
    /// Two rows.
    Double,
    /// Three rows.
    Triple,
    /// Four rows.
    Tetris,
    /// A mini T-spin without rows.
    Mini,
    /// A mini T-spin with one row.
    MiniSingle,
    /// A mini T-spin with two rows or more.
    MiniDouble,
    /// A T-spin without rows.
    Spin,
    /// A T-spin with one row.
    SpinSingle,
    /// A T-spin with two rows.
    SpinDouble,
    /// A T-spin with three rows.
    SpinTriple,
}

impl ScoreTable {
    /// The default: a perfect clear of three rows adds 1200.
    pub const SEED: ScoreTable = ScoreTable {
        lines: [0, 100, 300, 500, 800],
        mini: [100, 200, 400, 400],
        full: [400, 800, 1200, 1600],
        back_to_back_percent: 150,
        combo: 50,
        perfect: [0, 800, 1200, 1200, 2000],
        perfect_back_to_back: 3200,
        soft_drop: 1,
        hard_drop: 2,
    };

    /// The common guideline variant: a perfect clear of three rows adds 1800.
    pub const GUIDELINE: ScoreTable = ScoreTable { perfect: [0, 800, 1200, 1800, 2000], ..ScoreTable::SEED };

    /// The named tables.
    pub const NAMED: [(&'static str, ScoreTable); 2] =
        [("seed", ScoreTable::SEED), ("guideline", ScoreTable::GUIDELINE)];

    /// The table of a name.
    pub fn from_name(name: &str) -> Option<ScoreTable> {
        ScoreTable::NAMED.into_iter().find(|(known, _)| *known == name).map(|(_, table)| table)
    }

    /// The name of the table, if it has one.
    pub fn name(&self) -> Option<&'static str> {
        ScoreTable::NAMED.into_iter().find(|(_, table)| table == self).map(|(name, _)| name)
    }

    /// Scores a placement; `back_to_back` and `combo` are the running state and move on.
    ///
    /// ```
    /// use bellmino_engine::guideline::{Cleared, ScoreTable, Spin};
    /// let (mut back_to_back, mut combo) = (true, 0);
    /// let tetris = Cleared { lines: 4, perfect: true };
    /// let clear = ScoreTable::SEED.clear(tetris, Spin::None, &mut back_to_back, &mut combo);
    /// assert_eq!(clear.points, 1200 + 3200);
    /// ```
    #[inline]
    pub fn clear(&self, cleared: Cleared, spin: Spin, back_to_back: &mut bool, combo: &mut u32) -> Clear {
        let lines = usize::from(cleared.lines);
        let base = match spin {
            Spin::None => self.lines[lines.min(4)],
            Spin::Mini => self.mini[lines.min(3)],
            Spin::Full => self.full[lines.min(3)],
        };
        if lines == 0 {
            *combo = 0;
            return Clear { spin, points: base, ..Clear::default() };
        }
        let difficult = is_difficult(cleared.lines, spin);
        let raised = difficult && *back_to_back;
        let percent = if raised { self.back_to_back_percent } else { 100 };
        let mut points = (u64::from(base) * u64::from(percent) / 100) as u32;
        // Saturating, since a running combo may come from outside.
        points = points.saturating_add(self.combo.saturating_mul(*combo));
        if cleared.perfect {
            points = points.saturating_add(match lines {
                4.. if raised => self.perfect_back_to_back,
                _ => self.perfect[lines.min(4)],
            });
        }
        *combo = combo.saturating_add(1);
        *back_to_back = difficult;
        Clear {
            lines: cleared.lines,
            spin,
            back_to_back: raised,
            perfect: cleared.perfect,
            combo: *combo,
            points,
        }
    }
}

impl Default for ScoreTable {
    fn default() -> Self {
        ScoreTable::SEED
    }
}

/// Whether cleared rows keep back-to-back alive: a tetris and every spin do, what is easy ends it.
#[inline]
const fn is_difficult(lines: u8, spin: Spin) -> bool {
    lines >= 4 || !matches!(spin, Spin::None)
}

impl Clear {
    /// Whether it clears rows and keeps back-to-back alive, or begins it.
    #[inline]
    pub const fn is_difficult(&self) -> bool {
        self.lines > 0 && is_difficult(self.lines, self.spin)
    }

    /// Whether it clears rows and ends back-to-back.
    #[inline]
    pub const fn is_easy(&self) -> bool {
        self.lines > 0 && !is_difficult(self.lines, self.spin)
    }

    /// The kind; `None` if nothing was cleared and nothing spun.
    pub const fn kind(&self) -> Option<ClearKind> {
        Some(match (self.spin, self.lines) {
            (Spin::None, 0) => return None,
            (Spin::None, 1) => ClearKind::Single,
            (Spin::None, 2) => ClearKind::Double,
            (Spin::None, 3) => ClearKind::Triple,
            (Spin::None, _) => ClearKind::Tetris,
            (Spin::Mini, 0) => ClearKind::Mini,
            (Spin::Mini, 1) => ClearKind::MiniSingle,
            (Spin::Mini, _) => ClearKind::MiniDouble,
            (Spin::Full, 0) => ClearKind::Spin,
            (Spin::Full, 1) => ClearKind::SpinSingle,
            (Spin::Full, 2) => ClearKind::SpinDouble,
            (Spin::Full, _) => ClearKind::SpinTriple,
        })
    }
}

impl ClearKind {
    /// All kinds, in the order of the enumeration.
    pub const ALL: [ClearKind; 11] = [
        ClearKind::Single,
        ClearKind::Double,
        ClearKind::Triple,
        ClearKind::Tetris,
        ClearKind::Mini,
        ClearKind::MiniSingle,
        ClearKind::MiniDouble,
        ClearKind::Spin,
        ClearKind::SpinSingle,
        ClearKind::SpinDouble,
        ClearKind::SpinTriple,
    ];

    /// The name in statistics.
    pub const fn name(self) -> &'static str {
        match self {
            ClearKind::Single => "single",
            ClearKind::Double => "double",
            ClearKind::Triple => "triple",
            ClearKind::Tetris => "tetris",
            ClearKind::Mini => "mini",
            ClearKind::MiniSingle => "mini_single",
            ClearKind::MiniDouble => "mini_double",
            ClearKind::Spin => "spin",
            ClearKind::SpinSingle => "spin_single",
            ClearKind::SpinDouble => "spin_double",
            ClearKind::SpinTriple => "spin_triple",
        }
    }
}

impl fmt::Display for ClearKind {
    /// As shown to people: `mini T-spin single`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClearKind::Single => "single",
            ClearKind::Double => "double",
            ClearKind::Triple => "triple",
            ClearKind::Tetris => "tetris",
            ClearKind::Mini => "mini T-spin",
            ClearKind::MiniSingle => "mini T-spin single",
            ClearKind::MiniDouble => "mini T-spin double",
            ClearKind::Spin => "T-spin",
            ClearKind::SpinSingle => "T-spin single",
            ClearKind::SpinDouble => "T-spin double",
            ClearKind::SpinTriple => "T-spin triple",
        })
    }
}

impl fmt::Display for Clear {
    /// As shown to people: `back-to-back T-spin double, perfect clear, combo 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(kind) = self.kind() else { return Ok(()) };
        if self.back_to_back {
            f.write_str("back-to-back ")?;
        }
        write!(f, "{kind}")?;
        if self.perfect {
            f.write_str(", perfect clear")?;
        }
        if self.combo > 1 {
            write!(f, ", combo {}", self.combo - 1)?;
        }
        Ok(())
    }
}
