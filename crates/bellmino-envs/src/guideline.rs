//! Guideline games as environments: every placement that keys can reach.

use bellmino_engine::guideline::{
    Bag, Board, HEIGHT, Match, Piece, Placement, Position, Rules, Start, View, WIDTH,
};
use bellmino_engine::placement::Placement as PlainPlacement;
use bellmino_engine::{AnyMatch, Outcome, Totals};
use bellmino_learn::guideline::{Pilot, Prospect, equivalent, plain};
use bellmino_learn::{Afterstate, Feature};

use crate::arrays::LaneArrays;
use crate::decoded::Decoded;
use crate::error::EnvError;
use crate::lanes::{Beginning, Lane, Unknown};

/// Placements with the same piece, orientation and column that have their own numbers.
const RANKS: usize = 8;
/// Numbers of one piece.
const SINGLE: usize = 4 * WIDTH * RANKS;

/// What all games of an environment have in common.
pub struct GuidelineRules {
    pub rules: Rules,
    pub features: Vec<Feature>,
    /// What counts features of the board after each action.
    pub pilot: Option<Pilot>,
}

impl GuidelineRules {
    /// How many actions there are: with hold the other piece at hand has its own.
    pub fn count(&self) -> usize {
        SINGLE * if self.rules.hold { 2 } else { 1 }
    }
}

/// A guideline game.
pub struct GuidelineLane {
    game: Match,
    /// Every legal action with its placement.
    legal: Vec<(u16, Placement)>,
    /// What was placed last, and whether that has changed more than its own cells.
    placed: Option<Placement>,
    cleared: bool,
}

/// A game of this seed, or from another beginning.
pub fn begin(rules: Rules, seed: u64, index: u64, beginning: Option<&Beginning>) -> Result<Match, EnvError> {
    let bag = Bag::numbered(seed, index);
    let Some(beginning) = beginning else {
        return Ok(Match::from_position(rules, Position::default(), bag));
    };
    let piece = |name: &String| {
        let mut letters = name.chars();
        let piece = letters.next().and_then(Piece::from_letter).filter(|_| letters.next().is_none());
        piece.ok_or_else(|| EnvError::Hold(name.clone()))
    };
    let hold = beginning.hold.as_ref().map(piece).transpose()?;
    let board = beginning.board.split(['/', '\n']).map(|row| row.trim().to_owned()).collect();
    let queue = beginning.queue.clone().unwrap_or_default();
    Ok(Start { board, hold, queue, ..Start::default() }.game(rules, bag)?.0)
}

/// Writes the filled cells, the top row first.
pub fn write_board(board: &Board, cells: &mut [u8]) {
    for (x, column) in board.columns().iter().enumerate() {
        for y in 0..HEIGHT {
            cells[(HEIGHT - 1 - y) * WIDTH + x] = u8::from(column.contains(y));
        }
    }
}

/// Sets the cells of a piece.
pub fn write_cells(at: &Placement, value: u8, cells: &mut [u8]) {
    for (x, y) in at.cells() {
        if let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y))
            && x < WIDTH
            && y < HEIGHT
        {
            cells[(HEIGHT - 1 - y) * WIDTH + x] = value;
        }
    }
}

/// The number of a piece and its cells on the board.
pub fn piece_and_cells(at: &Placement) -> (usize, Vec<[usize; 2]>) {
    let on_board = |(x, y): (i8, i8)| Some([usize::try_from(x).ok()?, usize::try_from(y).ok()?]);
    (at.piece as usize, at.cells().into_iter().filter_map(on_board).collect())
}

/// Writes the pieces in hand and in sight.
pub fn write_pieces(game: &Match, out: &mut LaneArrays<'_>) {
    out.piece[0] = game.current() as i64;
    out.hold[0] = game.position().hold.map_or(0, |held| held as i64 + 1);
    for (entry, piece) in out.queue.iter_mut().zip(game.queue()) {
        *entry = *piece as i64;
    }
}

impl GuidelineLane {
    /// What its player sees.
    pub fn view(&self) -> View {
        self.game.view()
    }

    /// The action of a placement.
    pub fn action_of(&self, placement: &Placement) -> Option<i64> {
        let wanted = placement.canonical();
        self.legal.iter().find(|(_, at)| *at == wanted).map(|(action, _)| i64::from(*action))
    }

    /// Numbers the placements: piece, orientation, leftmost column and rank; those that go straight down first, as they
    /// are listed. What finds no number of its own takes a free one from the end.
    fn list(&mut self) {
        self.legal.clear();
        if self.game.outcome().is_some() {
            return;
        }
        let current = self.game.current();
        let mut ranks = [0; 2 * 4 * WIDTH];
        let mut late = vec![];
        for at in self.game.placements() {
            let other = usize::from(at.piece != current);
            let left = at.cells().iter().map(|cell| cell.0).min().unwrap_or(0);
            let place = (other * 4 + at.orientation as usize) * WIDTH + usize::try_from(left).unwrap_or(0);
            if ranks[place] < RANKS {
                self.legal.push(((place * RANKS + ranks[place]) as u16, at));
                ranks[place] += 1;
            } else {
                late.push((other, at));
            }
        }
        for (other, at) in late {
            let all = (other * SINGLE..(other + 1) * SINGLE).rev();
            let mut free = all.filter(|&number| ranks[number / RANKS] <= number % RANKS);
            let taken = |number: usize| self.legal.iter().any(|(known, _)| *known as usize == number);
            if let Some(number) = free.find(|&number| !taken(number)) {
                self.legal.push((number as u16, at));
            }
        }
    }

    fn find(&self, action: i64) -> Option<Placement> {
        let action = u16::try_from(action).ok()?;
        self.legal.iter().find(|(known, _)| *known == action).map(|(_, at)| *at)
    }

    fn write_features(&self, rules: &GuidelineRules, out: &mut [f32]) {
        let game = equivalent();
        let Some(pilot) = &rules.pilot else {
            let board = plain(&self.game.position().board);
            let placement = PlainPlacement { piece: 0, rotation: 0, column: 0, row: 0 };
            let state = Afterstate { game: &game, before: &board, after: &board, placement, cleared: 0 };
            for (value, feature) in out.iter_mut().zip(&rules.features) {
                *value = feature.value(&state) as f32;
            }
            return;
        };
        out.fill(0.0);
        for (action, placement) in &self.legal {
            let mut after = self.game.clone();
            let Ok(clear) = after.play_unchecked(placement) else { continue };
            let prospect = Prospect {
                before: self.game.position(),
                placement: *placement,
                held: placement.piece != self.game.current(),
                after: after.position().board,
                clear,
                fatal: after.outcome() == Some(Outcome::ToppedOut),
            };
            let out = &mut out[*action as usize * rules.features.len()..];
            for (value, feature) in out.iter_mut().zip(&rules.features) {
                let count = pilot.count(*feature, &prospect, rules.rules.kicks);
                *value = (count as f64 * feature.unit(&game)) as f32;
            }
        }
    }
}

impl Lane for GuidelineLane {
    type Rules = GuidelineRules;

    fn begin(
        rules: &GuidelineRules,
        seed: u64,
        index: u64,
        beginning: Option<&Beginning>,
    ) -> Result<Self, EnvError> {
        let game = begin(rules.rules, seed, index, beginning)?;
        let mut lane = GuidelineLane { game, legal: vec![], placed: None, cleared: false };
        lane.list();
        Ok(lane)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn is_legal(&self, _rules: &GuidelineRules, action: i64) -> bool {
        self.find(action).is_some()
    }

    fn play(&mut self, _rules: &GuidelineRules, action: i64) -> f64 {
        let Some(placement) = self.find(action) else { return 0.0 };
        let Ok(clear) = self.game.play_unchecked(&placement) else { return 0.0 };
        self.placed = Some(placement);
        self.cleared = clear.lines > 0;
        self.list();
        f64::from(clear.points)
    }

    fn totals(&self) -> Totals {
        AnyMatch::totals(&self.game)
    }

    fn show(&mut self, rules: &GuidelineRules, out: &mut LaneArrays<'_>, all: bool) -> Result<(), Unknown> {
        match &self.placed {
            Some(at) if !all && !self.cleared => write_cells(at, 1, out.board),
            _ => write_board(&self.game.position().board, out.board),
        }
        write_pieces(&self.game, out);
        out.mask.fill(0);
        for (action, _) in &self.legal {
            out.mask[*action as usize] = 1;
        }
        if !out.features.is_empty() {
            self.write_features(rules, out.features);
        }
        Ok(())
    }

    fn decode(&self, rules: &GuidelineRules, action: i64) -> Option<Decoded> {
        let number = usize::try_from(action).ok().filter(|number| *number < rules.count())?;
        Some(Decoded::Guideline { placement: self.find(action), held: number >= SINGLE })
    }

    fn encode(&self, _rules: &GuidelineRules, action: &Decoded) -> Option<i64> {
        match action {
            Decoded::Guideline { placement: Some(placement), .. } => self.action_of(placement),
            _ => None,
        }
    }

    fn placed(&self, _rules: &GuidelineRules) -> Option<(usize, Vec<[usize; 2]>)> {
        self.placed.as_ref().map(piece_and_cells)
    }
}
