//! All features in words, for lists.

/// The features and what they are; `X`, `N` and `I` stand for numbers. Those from `single` on are of guideline games only.
pub const FEATURES: [(&str, &str); 46] = [
    ("landing-height", "lowest row of the piece + (its height - 1) / 2, before the clear"),
    ("eroded-cells", "rows cleared x cells of the placed piece in them"),
    ("row-transitions", "filled/empty changes along each row, walls filled"),
    ("column-transitions", "filled/empty changes along each column, floor filled, above empty"),
    ("holes", "empty cells with a filled cell somewhere above in the column"),
    ("cumulative-wells", "over all well cells: 1 + the consecutive empty cells right below"),
    ("hole-depth", "filled cells in the unbroken run right above each hole"),
    ("rows-with-holes", "rows with at least one hole"),
    ("pattern-diversity", "how many of the values -2..2 occur among the differences of neighbouring heights"),
    ("aggregate-height", "sum of the column heights"),
    ("lines", "rows cleared by the placement"),
    ("points", "points of the placement"),
    ("bumpiness", "sum of the absolute differences of neighbouring heights"),
    ("max-height", "height of the highest column"),
    ("min-height", "height of the lowest column"),
    ("mean-height", "mean of the column heights"),
    ("constant", "always 1"),
    ("height-X", "height of column X, from 0"),
    ("difference-X", "absolute difference of the heights of columns X and X + 1"),
    ("contour-X", "height of column X + 1 minus height of column X"),
    ("radial-I", "radial function of the mean height, I from 0 to 4"),
    ("steps-N", "how many neighbouring heights differ by N; 7 counts seven and more"),
    ("well-X", "how far column X lies below its lower neighbour; walls are high"),
    ("report-landing", "seed 004: height, after the move, of the leftmost column of the piece"),
    ("report-contribution", "seed 004: that column's height before + height of the piece - its height after"),
    ("report-row-transitions", "seed 004: row transitions over rows that are not empty"),
    ("report-column-transitions", "seed 004: column transitions over columns that are not empty"),
    ("report-wells", "seed 004: over all columns 1 + 2 + ... + d, d the depth below the lower neighbour"),
    ("single", "1 for one row at once"),
    ("double", "1 for two rows at once"),
    ("triple", "1 for three rows at once"),
    ("tetris", "1 for four rows at once"),
    ("mini", "1 for a mini T-spin without rows"),
    ("mini-single", "1 for a mini T-spin with one row"),
    ("mini-double", "1 for a mini T-spin with two rows"),
    ("spin", "1 for a T-spin without rows"),
    ("spin-single", "1 for a T-spin with one row"),
    ("spin-double", "1 for a T-spin with two rows"),
    ("spin-triple", "1 for a T-spin with three rows"),
    ("perfect-clear", "1 if the clear empties the board"),
    ("back-to-back", "1 if the clear is raised for back-to-back"),
    ("back-to-back-lost", "1 if an easy clear ends back-to-back"),
    ("combo", "clears in a row before this one, if it clears"),
    ("wasted-t", "1 if a T is placed without a T-spin that clears rows"),
    ("t-slots", "places where a T can be turned in under an overhang, facing down"),
    ("keys", "key presses to the placement, hold and hard drop included"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::{INDEXED, PLAIN};
    use std::collections::BTreeSet;

    #[test]
    fn every_feature_is_listed_and_no_other() {
        let plain = PLAIN.iter().map(|(name, _)| *name);
        let known: BTreeSet<&str> = plain.chain(INDEXED.iter().map(|(prefix, _)| *prefix)).collect();
        let without_number = |name: &'static str| name.trim_end_matches(['X', 'N', 'I']);
        let listed: BTreeSet<&str> = FEATURES.iter().map(|(name, _)| without_number(name)).collect();
        assert_eq!(listed, known);
        assert_eq!(FEATURES.len(), known.len(), "none stands twice");
    }
}
