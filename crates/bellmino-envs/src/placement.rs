//! Placement games as environments.

use std::sync::Arc;

use bellmino_engine::placement::{
    Allowance, Board, Column, Columns, DealerState, DealtBy, Grid, Match, Overflow, Path, Placement,
};
use bellmino_engine::{AnyMatch, Outcome, PlacementGame, Purpose, Totals, stream};
use bellmino_exact::{InHand, Look, Objective, Table, packed};
use bellmino_learn::{Afterstate, Feature};

use crate::actions::Actions;
use crate::arrays::LaneArrays;
use crate::decoded::Decoded;
use crate::error::EnvError;
use crate::lanes::{Beginning, Lane, Unknown};

/// What all games of an environment have in common.
pub struct PlacementRules {
    pub game: Arc<PlacementGame>,
    pub actions: Actions,
    pub allowance: Allowance,
    pub features: Vec<Feature>,
    /// Features of the board after each action, not of the board as it is.
    pub afterstates: bool,
    pub oracle: Option<Arc<Table>>,
    /// The legal actions by piece, where the board does not matter.
    masks: Vec<Vec<i8>>,
}

impl PlacementRules {
    pub fn new(game: Arc<PlacementGame>, allowance: Allowance) -> PlacementRules {
        let actions = Actions::new(&game);
        let mut masks = vec![];
        // Whatever falls straight down may stay above the top for a moment: every drop is legal, on every board.
        let landing = game.landing();
        if landing.path == Path::Drop && landing.overflow == Overflow::ClearFirst && !allowance.hold {
            let empty = Board::new(game.width(), game.height());
            masks = vec![vec![0; actions.count()]; game.pieces().len()];
            for (piece, mask) in masks.iter_mut().enumerate() {
                empty.placements(&game, piece).iter().for_each(|at| mask[actions.number(at)] = 1);
            }
        }
        PlacementRules { game, actions, allowance, features: vec![], afterstates: false, oracle: None, masks }
    }

    /// How many actions there are: with hold the held piece has its own, and the last one puts the current piece aside.
    pub fn count(&self) -> usize {
        if self.allowance.hold { 2 * self.actions.count() + 1 } else { self.actions.count() }
    }

    /// The action that puts the current piece aside.
    #[inline]
    fn put_aside(&self) -> Option<usize> {
        self.allowance.hold.then_some(2 * self.actions.count())
    }
}

/// A placement game.
pub struct PlacementLane<C, const W: usize> {
    game: Match<Columns<C, W>>,
    /// What was placed last; `None` if the last action placed nothing.
    placed: Option<Placement>,
    /// Whether that has changed more than its own cells.
    cleared: bool,
}

impl<C: Column, const W: usize> PlacementLane<C, W> {
    /// The piece of a half of the actions: the current one, then the held one, if it may be placed and is another.
    #[inline]
    fn piece(&self, half: usize) -> Option<u8> {
        let current = self.game.current();
        match half {
            0 => current,
            1 => self.game.held().filter(|&held| self.game.may_hold() && Some(held) != current),
            _ => None,
        }
    }

    /// The pieces that may be placed, each with its half of the actions.
    #[inline]
    fn at_hand(&self) -> impl Iterator<Item = (usize, u8)> + use<C, W> {
        [(0, self.piece(0)), (1, self.piece(1))].into_iter().filter_map(|(half, piece)| Some((half, piece?)))
    }

    /// Whether this action puts the current piece aside: while nothing is held, and once per piece.
    #[inline]
    fn puts_aside(&self, rules: &PlacementRules, action: i64) -> bool {
        let aside = rules.put_aside().is_some_and(|aside| usize::try_from(action) == Ok(aside));
        aside && self.game.outcome().is_none() && self.game.held().is_none() && self.game.may_hold()
    }

    /// The placement of an action, if it is legal.
    #[inline]
    fn placement(&self, rules: &PlacementRules, action: i64) -> Option<Placement> {
        let action = usize::try_from(action).ok().filter(|action| *action < rules.count())?;
        if self.game.outcome().is_some() {
            return None;
        }
        let piece = self.piece(action / rules.actions.count())?;
        rules.actions.placement(&rules.game, self.game.board(), piece, action % rules.actions.count())
    }

    fn write_board(&self, game: &PlacementGame, cells: &mut [u8]) {
        let (width, height) = (game.width(), game.height());
        let columns = &self.game.board().columns()[..width];
        for (y, row) in (0..height).rev().zip(cells.chunks_exact_mut(width)) {
            for (cell, column) in row.iter_mut().zip(columns) {
                *cell = ((*column >> y as u32).to_bits() & 1) as u8;
            }
        }
    }

    fn write_mask(&self, rules: &PlacementRules, mask: &mut [i8]) {
        if self.game.outcome().is_some() {
            mask.fill(0);
            return;
        }
        if let Some(known) = self.game.current().and_then(|piece| rules.masks.get(piece as usize)) {
            mask.copy_from_slice(known);
            return;
        }
        mask.fill(0);
        for (half, piece) in self.at_hand() {
            let mask = &mut mask[half * rules.actions.count()..];
            self.game
                .board()
                .placements(&rules.game, piece as usize, |at| mask[rules.actions.number(&at)] = 1);
        }
        if let Some(aside) = rules.put_aside()
            && self.puts_aside(rules, aside as i64)
        {
            mask[aside] = 1;
        }
    }

    /// Every legal action with its placement.
    fn legal(&self, rules: &PlacementRules, mut visit: impl FnMut(usize, Placement)) {
        if self.game.outcome().is_none() {
            for (half, piece) in self.at_hand() {
                let first = half * rules.actions.count();
                self.game.board().placements(&rules.game, piece as usize, |at| {
                    visit(first + rules.actions.number(&at), at);
                });
            }
        }
    }

    fn write_features(&self, rules: &PlacementRules, out: &mut [f32]) {
        let game = &*rules.game;
        let before = self.game.board().to_board(game);
        if !rules.afterstates {
            let none = Placement { piece: 0, rotation: 0, column: 0, row: 0 };
            let state = Afterstate { game, before: &before, after: &before, placement: none, cleared: 0 };
            for (value, feature) in out.iter_mut().zip(&rules.features) {
                *value = feature.value(&state) as f32;
            }
            return;
        }
        out.fill(0.0);
        self.legal(rules, |action, placement| {
            let landed = self.game.board().place_unchecked(game, placement);
            let after = if landed.fatal { before } else { landed.board.to_board(game) };
            let state =
                Afterstate { game, before: &before, after: &after, placement, cleared: landed.cleared };
            let out = &mut out[action * rules.features.len()..];
            for (value, feature) in out.iter_mut().zip(&rules.features) {
                *value = feature.value(&state) as f32;
            }
        });
    }

    /// The pieces left under a horizon.
    fn left(&self, table: &Table) -> Option<u32> {
        match table.settings().objective {
            Objective::Horizon(pieces) => {
                Some(pieces.saturating_sub(u32::try_from(self.game.stats().pieces).unwrap_or(u32::MAX)))
            }
            _ => None,
        }
    }

    /// What the oracle says of this board and hand; `None` if it does not know them.
    fn look(&self, rules: &PlacementRules, table: &Table) -> Option<Look> {
        let queue: Vec<u8> = self.game.queue().iter().map(|dealt| dealt.piece).collect();
        let states: Vec<DealerState> = self.game.queue().iter().map(|dealt| dealt.state).collect();
        let hand = InHand { queue: &queue, states: &states, held: self.game.held(), left: self.left(table) };
        let board = packed(&rules.game, &self.game.board().to_board(&rules.game))?;
        if rules.allowance.hold && !self.game.may_hold() {
            table.look_after_aside(board, &hand)
        } else {
            table.look(board, &hand)
        }
    }

    fn write_values(
        &self,
        rules: &PlacementRules,
        table: &Table,
        out: &mut LaneArrays<'_>,
    ) -> Result<(), Unknown> {
        out.values.fill(f64::NAN);
        out.optimal[0] = 0.0;
        if self.game.outcome().is_some() {
            return Ok(());
        }
        let aside = rules.put_aside().filter(|aside| self.puts_aside(rules, *aside as i64));
        if self.left(table) == Some(0) {
            self.legal(rules, |action, _| out.values[action] = 0.0);
            aside.into_iter().for_each(|aside| out.values[aside] = 0.0);
            return Ok(());
        }
        let look = self.look(rules, table).ok_or(Unknown)?;
        let average = table.settings().objective == Objective::Average;
        // What ends the game gives nothing, and in the long run takes all.
        let fatal = if average { f64::NEG_INFINITY } else { 0.0 };
        let mut best: Option<f64> = None;
        let mut enter = |action: usize, value: f64| {
            out.values[action] = value;
            best = Some(best.map_or(value, |best| best.max(value)));
        };
        for one in &look.placements {
            let half = if one.held { rules.actions.count() } else { 0 };
            enter(half + rules.actions.number(&one.placement), if one.fatal { fatal } else { one.value });
        }
        aside.into_iter().for_each(|aside| enter(aside, look.put_aside.unwrap_or(fatal)));
        out.optimal[0] = best.unwrap_or(0.0);
        Ok(())
    }
}

impl<C: Column, const W: usize> Lane for PlacementLane<C, W> {
    type Rules = PlacementRules;

    fn begin(
        rules: &PlacementRules,
        seed: u64,
        index: u64,
        beginning: Option<&Beginning>,
    ) -> Result<Self, EnvError> {
        let game = &rules.game;
        let board = match beginning {
            Some(Beginning { hold: Some(_), .. } | Beginning { queue: Some(_), .. }) => {
                return Err(EnvError::OnlyBoard);
            }
            Some(beginning) => Board::parse(game.width(), game.height(), &beginning.board)?,
            None => Board::new(game.width(), game.height()),
        };
        let chance = stream(seed, Purpose::Dealer, index);
        let board = Columns::from_board(&board);
        let game = Match::from_board(game.clone(), board, rules.allowance, DealtBy::Chance, chance);
        Ok(PlacementLane { game, placed: None, cleared: false })
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    #[inline]
    fn is_legal(&self, rules: &PlacementRules, action: i64) -> bool {
        self.placement(rules, action).is_some() || self.puts_aside(rules, action)
    }

    #[inline]
    fn play(&mut self, rules: &PlacementRules, action: i64) -> f64 {
        let Some(placement) = self.placement(rules, action) else {
            if self.puts_aside(rules, action) {
                self.placed = None;
                // Just seen to be legal.
                let _ = self.game.hold();
            }
            return 0.0;
        };
        let clear = self.game.play_unchecked(&placement);
        self.placed = Some(placement);
        self.cleared = clear.lines > 0;
        clear.points
    }

    #[inline]
    fn totals(&self) -> Totals {
        AnyMatch::totals(&self.game)
    }

    fn is_known(&self, rules: &PlacementRules) -> bool {
        let Some(table) = &rules.oracle else { return true };
        let asked = self.game.outcome().is_none() && self.left(table) != Some(0);
        !asked || self.look(rules, table).is_some()
    }

    #[inline]
    fn show(&mut self, rules: &PlacementRules, out: &mut LaneArrays<'_>, all: bool) -> Result<(), Unknown> {
        let game = &*rules.game;
        match self.placed {
            Some(at) if !all && !self.cleared => {
                // A fatal piece stays outside: the board is as it was.
                if self.game.outcome().is_none() || self.game.stuck_on().is_some() {
                    let (width, height) = (game.width(), game.height());
                    for (dx, &cells) in at.shape(game).columns().iter().enumerate() {
                        let x = at.column as usize + dx;
                        let mut cells = cells;
                        while cells != 0 {
                            let y = at.row as usize + cells.trailing_zeros() as usize;
                            out.board[(height - 1 - y) * width + x] = 1;
                            cells &= cells - 1;
                        }
                    }
                }
            }
            _ => self.write_board(game, out.board),
        }
        out.piece[0] = i64::from(self.game.current().unwrap_or(0));
        out.hold[0] = self.game.held().map_or(0, |held| i64::from(held) + 1);
        for (entry, dealt) in out.queue.iter_mut().zip(self.game.queue()) {
            *entry = i64::from(dealt.piece);
        }
        self.write_mask(rules, out.mask);
        if !out.features.is_empty() {
            self.write_features(rules, out.features);
        }
        match &rules.oracle {
            Some(table) => self.write_values(rules, table, out),
            None => Ok(()),
        }
    }

    fn decode(&self, rules: &PlacementRules, action: i64) -> Option<Decoded> {
        let number = usize::try_from(action).ok().filter(|number| *number < rules.count())?;
        if rules.put_aside() == Some(number) {
            return Some(Decoded::PutAside {
                piece: self.game.current(),
                legal: self.puts_aside(rules, action),
            });
        }
        let half = number / rules.actions.count();
        let (rotation, column, row) = rules.actions.parts(number % rules.actions.count());
        let at = self.placement(rules, action);
        let row = at.map(|at| at.row as usize).or(row);
        let legal = at.is_some();
        Some(Decoded::Placement { piece: self.piece(half), rotation, column, row, held: half > 0, legal })
    }

    fn encode(&self, rules: &PlacementRules, action: &Decoded) -> Option<i64> {
        let (piece, number) = match *action {
            Decoded::PutAside { piece, .. } => (piece, rules.put_aside()?),
            Decoded::Placement { piece, rotation, column, row, held, .. } => {
                let at = Placement {
                    piece: piece?,
                    rotation: u8::try_from(rotation).ok()?,
                    column: u8::try_from(column).ok().filter(|_| column < rules.game.width())?,
                    row: u8::try_from(row?).ok().filter(|row| *row as usize <= rules.game.height())?,
                };
                let half = usize::from(held) * rules.actions.count();
                (piece, half + rules.actions.number(&at))
            }
            _ => return None,
        };
        let number = number as i64;
        let told = self.decode(rules, number)?;
        let same = match (&told, action) {
            (Decoded::Placement { piece: known, row: lowest, .. }, Decoded::Placement { row, .. }) => {
                *known == piece && lowest == row
            }
            (Decoded::PutAside { piece: known, .. }, Decoded::PutAside { .. }) => *known == piece,
            _ => false,
        };
        (same && told.is_legal()).then_some(number)
    }

    fn placed(&self, rules: &PlacementRules) -> Option<(usize, Vec<[usize; 2]>)> {
        let at = self.placed?;
        let cells = at.shape(&rules.game).cells();
        let cells = cells.map(|(x, y)| [at.column as usize + x, at.row as usize + y]).collect();
        Some((at.piece as usize, cells))
    }
}
