//! Reasons: what a placement does worse than the best one, in words.

use std::fmt;

use bellmino_engine::guideline::{Board, Clear, HEIGHT, Piece, Placement, Spin, View, WIDTH};

/// What a placement does that the best one does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The game is over after it.
    EndsTheGame,
    /// The best placement makes this clear, and it makes none or a smaller one.
    Misses(Clear),
    /// An easy clear while back-to-back is alive.
    BreaksBackToBack,
    /// It fills or covers the only gap of at least two rows.
    ClosesWell,
    /// It makes so many holes more: empty cells below filled ones.
    MakesHoles(u32),
    /// These holes were there for long.
    HolesStay,
    /// It puts so many cells more on top of holes.
    BuriesHoles(u32),
    /// A T is placed without a spin where points count.
    WastesT,
    /// It leaves a gap that only an I fills, three rows deep or more.
    NeedsI,
    /// The highest column is so much higher.
    BuildsHigh(u32),
    /// The surface is less even.
    Uneven,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::EndsTheGame => f.write_str("ends the game"),
            Reason::Misses(clear) if clear.perfect => f.write_str("misses a perfect clear"),
            Reason::Misses(clear) => {
                f.write_str("misses a ")?;
                clear.kind().map_or(Ok(()), |kind| kind.fmt(f))
            }
            Reason::BreaksBackToBack => f.write_str("breaks back-to-back"),
            Reason::ClosesWell => f.write_str("closes the well"),
            Reason::MakesHoles(1) => f.write_str("makes a hole"),
            Reason::MakesHoles(holes) => write!(f, "makes {holes} holes"),
            Reason::HolesStay => f.write_str("not mended for long"),
            Reason::BuriesHoles(_) => f.write_str("covers a hole"),
            Reason::WastesT => f.write_str("wastes a T"),
            Reason::NeedsI => f.write_str("leaves a gap only an I fills"),
            Reason::BuildsHigh(_) => f.write_str("builds high"),
            Reason::Uneven => f.write_str("leaves an uneven surface"),
        }
    }
}

impl Reason {
    /// What a placement does worse than the best one, the weightiest first; nothing if it is none of these.
    ///
    /// ```
    /// use bellmino_engine::guideline::{Match, Piece, Position, Rules, View};
    /// use bellmino_search::Reason;
    ///
    /// let board = "#########.\n#########.".parse().unwrap();
    /// let position = Position { board, ..Position::default() };
    /// let view = View { position, queue: vec![Piece::O], ..Match::new(Rules::SPRINT, 1).view() };
    /// let over = "O north 8,2".parse().unwrap();
    /// let beside = "O north 0,2".parse().unwrap();
    /// assert_eq!(Reason::of(&view, &over, &beside)[..2], [Reason::ClosesWell, Reason::MakesHoles(2)]);
    /// ```
    pub fn of(view: &View, played: &Placement, best: &Placement) -> Vec<Reason> {
        let (Some(one), Some(other)) = (Effect::of(view, played), Effect::of(view, best)) else {
            return vec![];
        };
        let mut reasons = vec![];
        let points = view.rules.goal.lines.is_none();
        if other.clear.points > one.clear.points && (points || other.clear.perfect) && is_big(&other.clear) {
            reasons.push(Reason::Misses(other.clear));
        }
        if points && view.position.back_to_back && one.breaks && !other.breaks {
            reasons.push(Reason::BreaksBackToBack);
        }
        if one.closes_well && !other.closes_well {
            reasons.push(Reason::ClosesWell);
        }
        let (holes, covers) = (one.holes - other.holes, one.covers - other.covers);
        if holes > 0 && one.holes > one.holes_before {
            reasons.push(Reason::MakesHoles(holes as u32));
        } else if covers > 0 && one.covers > one.covers_before {
            reasons.push(Reason::BuriesHoles(covers as u32));
        }
        if points && one.wastes_t && !other.wastes_t {
            reasons.push(Reason::WastesT);
        }
        if one.gaps > other.gaps && one.gaps > one.gaps_before {
            reasons.push(Reason::NeedsI);
        }
        if reasons.is_empty() && one.height >= other.height + 3 {
            reasons.push(Reason::BuildsHigh((one.height - other.height) as u32));
        }
        if reasons.is_empty() && one.bumps >= other.bumps + 3 {
            reasons.push(Reason::Uneven);
        }
        reasons
    }
}

/// Whether one would be sorry to miss it.
fn is_big(clear: &Clear) -> bool {
    clear.perfect || clear.lines >= 4 || (clear.spin == Spin::Full && clear.lines > 0)
}

/// What a placement does to a board.
struct Effect {
    clear: Clear,
    breaks: bool,
    wastes_t: bool,
    closes_well: bool,
    holes: i32,
    holes_before: i32,
    /// Filled cells above holes.
    covers: i32,
    covers_before: i32,
    gaps: i32,
    gaps_before: i32,
    height: i32,
    bumps: i32,
}

impl Effect {
    fn of(view: &View, placement: &Placement) -> Option<Effect> {
        let mut after = view.clone();
        let clear = after.play(placement).ok()?;
        let before = &view.position.board;
        let board = &after.position.board;
        let (holes, holes_before) = (holes(board), holes(before));
        let (covers, covers_before) = (covers(board), covers(before));
        Some(Effect {
            clear,
            breaks: clear.is_easy(),
            wastes_t: placement.piece == Piece::T && (clear.spin == Spin::None || clear.lines == 0),
            closes_well: closes_well(before, placement, &clear),
            holes,
            holes_before,
            covers,
            covers_before,
            gaps: gaps(board),
            gaps_before: gaps(before),
            height: board.height() as i32,
            bumps: bumps(board),
        })
    }
}

/// Empty cells below filled ones.
pub(crate) fn holes(board: &Board) -> i32 {
    (0..WIDTH).map(|x| below(board, x).count() as i32).sum()
}

/// Filled cells above such holes.
fn covers(board: &Board) -> i32 {
    let covers = |x: usize| below(board, x).max().map_or(0, |hole| board.column(x).height() - hole - 1);
    (0..WIDTH).map(|x| covers(x) as i32).sum()
}

/// The holes of a column.
fn below(board: &Board, x: usize) -> impl Iterator<Item = usize> + '_ {
    (0..board.column(x).height()).filter(move |&y| !board.contains(x, y))
}

/// Whether it fills or covers the one column that at least two rows lack, without clearing them.
fn closes_well(before: &Board, placement: &Placement, clear: &Clear) -> bool {
    let well = |x: usize| (0..HEIGHT).filter(|&y| before.row(y) == 0x3ff & !(1 << x)).collect::<Vec<usize>>();
    let open = |x: usize, rows: &[usize]| rows.iter().all(|&y| before.column(x).height() <= y);
    (0..WIDTH).any(|x| {
        let rows = well(x);
        let cells = placement.cells();
        let touched = cells
            .iter()
            .any(|&(column, y)| column as usize == x && rows.iter().any(|&row| y as usize >= row));
        rows.len() >= 2 && open(x, &rows) && touched && usize::from(clear.lines) < rows.len().min(4)
    })
}

/// Columns at least three cells lower than both neighbours, walls being high, but for the deepest.
fn gaps(board: &Board) -> i32 {
    let height = |x: usize| board.column(x).height() as i32;
    let wall = HEIGHT as i32;
    let deep = (0..WIDTH).filter(|&x| {
        let left = if x == 0 { wall } else { height(x - 1) };
        let right = if x + 1 == WIDTH { wall } else { height(x + 1) };
        left.min(right) - height(x) >= 3
    });
    (deep.count() as i32 - 1).max(0)
}

/// Height differences of neighbours, the lowest column left out.
fn bumps(board: &Board) -> i32 {
    let heights: Vec<i32> = (0..WIDTH).map(|x| board.column(x).height() as i32).collect();
    let lowest = (0..WIDTH).min_by_key(|&x| heights[x]).unwrap_or(0);
    let rest: Vec<i32> = (0..WIDTH).filter(|&x| x != lowest).map(|x| heights[x]).collect();
    rest.windows(2).map(|pair| (pair[0] - pair[1]).abs()).sum()
}
