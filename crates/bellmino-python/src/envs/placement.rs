//! Placement games as environments.

use std::sync::Arc;

use bellmino_engine::placement::{
    Allowance, Board, Column, Columns, DealerState, DealtBy, Grid, Match, Overflow, Path, Placement,
};
use bellmino_engine::{AnyMatch, Outcome, PlacementGame, Purpose, Totals, stream};
use bellmino_exact::{InHand, Objective, Table, packed};
use bellmino_learn::{Afterstate, Feature};
use serde_json::{Value, json};

use super::actions::Actions;
use super::arrays::Row;
use super::lanes::{Lane, Start};

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
            masks = vec![vec![0; actions.single]; game.pieces().len()];
            for (piece, mask) in masks.iter_mut().enumerate() {
                empty.placements(&game, piece).iter().for_each(|at| mask[actions.id(at)] = 1);
            }
        }
        PlacementRules { game, actions, allowance, features: vec![], afterstates: false, oracle: None, masks }
    }

    /// How many actions there are: with hold the held piece has its own, and the last one puts the current piece aside.
    pub fn count(&self) -> usize {
        if self.allowance.hold { 2 * self.actions.single + 1 } else { self.actions.single }
    }

    /// The action that puts the current piece aside.
    #[inline]
    fn put_aside(&self) -> Option<usize> {
        self.allowance.hold.then_some(2 * self.actions.single)
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
        let piece = self.piece(action / rules.actions.single)?;
        rules.actions.placement(&rules.game, self.game.board(), piece, action % rules.actions.single)
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
            let mask = &mut mask[half * rules.actions.single..];
            self.game.board().placements(&rules.game, piece as usize, |at| mask[rules.actions.id(&at)] = 1);
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
                let first = half * rules.actions.single;
                self.game.board().placements(&rules.game, piece as usize, |at| {
                    visit(first + rules.actions.id(&at), at);
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

    fn write_values(&self, rules: &PlacementRules, table: &Table, row: &mut Row<'_>) -> Result<(), String> {
        row.values.fill(f64::NAN);
        row.optimal[0] = 0.0;
        if self.game.outcome().is_some() {
            return Ok(());
        }
        let left = match table.settings().objective {
            Objective::Horizon(pieces) => {
                Some(pieces.saturating_sub(u32::try_from(self.game.stats().pieces).unwrap_or(u32::MAX)))
            }
            _ => None,
        };
        let aside = rules.put_aside().filter(|aside| self.puts_aside(rules, *aside as i64));
        if left == Some(0) {
            self.legal(rules, |action, _| row.values[action] = 0.0);
            aside.into_iter().for_each(|aside| row.values[aside] = 0.0);
            return Ok(());
        }
        let queue: Vec<u8> = self.game.queue().iter().map(|dealt| dealt.piece).collect();
        let states: Vec<DealerState> = self.game.queue().iter().map(|dealt| dealt.state).collect();
        let hand = InHand { queue: &queue, states: &states, held: self.game.held(), left };
        let board = packed(&rules.game, &self.game.board().to_board(&rules.game));
        let brought = rules.allowance.hold && !self.game.may_hold();
        let look = board.and_then(|board| match brought {
            true => table.look_after_aside(board, &hand),
            false => table.look(board, &hand),
        });
        let look =
            look.ok_or("the oracle does not know this board: it cannot be reached from the empty one")?;
        let average = table.settings().objective == Objective::Average;
        // What ends the game gives nothing, and in the long run takes all.
        let fatal = if average { f64::NEG_INFINITY } else { 0.0 };
        let mut best: Option<f64> = None;
        let mut enter = |action: usize, value: f64| {
            row.values[action] = value;
            best = Some(best.map_or(value, |best| best.max(value)));
        };
        for one in &look.placements {
            let half = if one.held { rules.actions.single } else { 0 };
            enter(half + rules.actions.id(&one.placement), if one.fatal { fatal } else { one.value });
        }
        aside.into_iter().for_each(|aside| enter(aside, look.put_aside.unwrap_or(fatal)));
        row.optimal[0] = best.unwrap_or(0.0);
        Ok(())
    }
}

impl<C: Column, const W: usize> Lane for PlacementLane<C, W> {
    type Rules = PlacementRules;

    fn begin(rules: &PlacementRules, seed: u64, index: u64, start: Option<&Start>) -> Result<Self, String> {
        let game = &rules.game;
        let board =
            match start {
                Some(Start { hold: Some(_), .. } | Start { queue: Some(_), .. }) => {
                    return Err("only `board` can be given in placement games: the dealer deals the pieces"
                        .to_owned());
                }
                Some(start) => Board::parse(game.width(), game.height(), &start.board)
                    .map_err(|error| error.to_string())?,
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

    #[inline]
    fn show(&mut self, rules: &PlacementRules, row: &mut Row<'_>, all: bool) -> Result<(), String> {
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
                            row.board[(height - 1 - y) * width + x] = 1;
                            cells &= cells - 1;
                        }
                    }
                }
            }
            _ => self.write_board(game, row.board),
        }
        row.piece[0] = i64::from(self.game.current().unwrap_or(0));
        row.hold[0] = self.game.held().map_or(0, |held| i64::from(held) + 1);
        for (entry, dealt) in row.queue.iter_mut().zip(self.game.queue()) {
            *entry = i64::from(dealt.piece);
        }
        self.write_mask(rules, row.mask);
        if !row.features.is_empty() {
            self.write_features(rules, row.features);
        }
        match &rules.oracle {
            Some(table) => self.write_values(rules, table, row),
            None => Ok(()),
        }
    }

    fn describe(&self, rules: &PlacementRules, action: i64) -> Option<Value> {
        let number = usize::try_from(action).ok().filter(|number| *number < rules.count())?;
        let name = |piece: u8| rules.game.pieces()[piece as usize].name();
        if rules.put_aside() == Some(number) {
            let legal = self.puts_aside(rules, action);
            return Some(
                json!({ "piece": self.game.current().map(name), "put_aside": true, "legal": legal }),
            );
        }
        let half = number / rules.actions.single;
        let (rotation, column, row) = rules.actions.parts(number % rules.actions.single);
        let name = self.piece(half).map(name);
        let at = self.placement(rules, action);
        let row = at.map(|at| at.row as usize).or(row);
        Some(json!({
            "piece": name, "rotation": rotation, "column": column, "row": row, "held": half > 0,
            "legal": at.is_some(),
        }))
    }

    fn placed(&self, rules: &PlacementRules) -> Option<(usize, Vec<[usize; 2]>)> {
        let at = self.placed?;
        let cells = at.shape(&rules.game).cells();
        let cells = cells.map(|(x, y)| [at.column as usize + x, at.row as usize + y]).collect();
        Some((at.piece as usize, cells))
    }
}
