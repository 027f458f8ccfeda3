//! A match: a game in progress, placement by placement.

use std::fmt::Debug;
use std::sync::Arc;

use thiserror::Error;

use super::board::Board;
use super::board_dealer::{BoardDealer, SeenBoards};
use super::columns::AnyColumns;
use super::dealer::{Deal, DealerState};
use super::landing::{Grid, Overflow, Placement};
use super::piece::Piece;
use crate::any_match::{AnyMatch, Totals, delegate_to_match};
use crate::game::PlacementGame;
use crate::outcome::Outcome;
use crate::rng::{Generator, Purpose, stream};

/// A game in progress: the board, the pieces in hand and in sight, the dealer and what has happened so far. Cheap to
/// clone.
///
/// ```
/// use bellmino_engine::{Game, placement::Match};
///
/// let game = Game::built_in("baby", &[]).unwrap().unwrap().placement().unwrap().clone();
/// let mut game: Match = Match::new(game, 1, 0);
/// let placement = game.placements()[0];
/// game.play(&placement).unwrap();
/// assert_eq!(game.stats().pieces, 1);
/// ```
#[derive(Clone, Debug)]
pub struct Match<G = AnyColumns> {
    game: Arc<PlacementGame>,
    allowance: Allowance,
    dealing: DealtBy,
    /// The dealer that sees the board and what it has seen, if one deals.
    watching: Option<(BoardDealer, Arc<SeenBoards>)>,
    chance: Generator,
    /// The dealer's state after the last piece of the queue.
    state: DealerState,
    /// Whether every piece always has a place, be it above the top.
    never_stuck: bool,
    board: G,
    /// The current piece and those in sight.
    queue: Vec<Dealt>,
    /// Every piece dealt so far, unless by chance.
    dealt: Vec<u8>,
    held: Option<u8>,
    hold_spent: bool,
    stats: Stats,
    end: Option<End>,
}

/// What a player may know and do beyond the current piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Pieces in sight after the current one.
    pub previews: usize,
    /// Whether a piece may be held, once per piece.
    pub hold: bool,
}

/// Who deals.
#[derive(Clone, Debug, Default)]
pub enum DealtBy {
    /// The game's own dealer: by chance, or by the board if it sees that.
    #[default]
    Chance,
    /// Somebody who looks at the board. Where it has no answer the match waits for a piece, see [`Match::wants_piece`].
    By(Arc<dyn Deals>),
    /// Whoever calls [`Match::deal`].
    ByHand,
}

/// Somebody who deals with an eye on the board.
pub trait Deals: Debug + Send + Sync {
    /// What to deal now. `chance` is the match's own: whoever draws lots draws them there.
    fn answer(&self, asked: &Undealt<'_>, chance: &mut Generator) -> DealAnswer;
}

/// What a dealer finds when a piece is to be dealt.
#[derive(Clone, Copy, Debug)]
pub struct Undealt<'a> {
    /// The board.
    pub board: &'a Board,
    /// The state of the game's dealer.
    pub state: DealerState,
    /// The pieces that are dealt and not yet placed.
    pub queue: &'a [u8],
    /// The held piece.
    pub held: Option<u8>,
    /// Whether a piece was put into hold since the last placement.
    pub hold_spent: bool,
    /// How many pieces are placed.
    pub pieces: u64,
}

/// What a dealer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DealAnswer {
    /// This piece, if it can be dealt.
    Piece(u8),
    /// The game's own dealer deals, by chance.
    Chance,
    /// It does not know.
    Unknown,
}

/// A piece in hand or in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dealt {
    /// Index of the piece in the game's list.
    pub piece: u8,
    /// The dealer's state after it.
    pub state: DealerState,
}

/// What has happened in a match so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Pieces placed, a fatal one included.
    pub pieces: u64,
    /// Rows cleared.
    pub lines: u64,
    /// Points.
    pub score: f64,
    /// Pieces put into hold.
    pub holds: u64,
}

/// What a placement cleared and scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clear {
    /// Rows cleared.
    pub lines: u32,
    /// Bit `i` is set when the row `i` above the placement's lowest row was cleared.
    pub rows: u8,
    /// Points.
    pub points: f64,
    /// Something stayed above the top: the game is over and the move scored nothing.
    pub fatal: bool,
}

/// Why something cannot be done in a match.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayError {
    /// Neither the current nor the other piece at hand.
    #[error("piece {0} is not at hand")]
    NotAtHand(String),
    /// The rules do not allow it on this board.
    #[error("rotation {} in column {}, row {} is not legal here", .0.rotation, .0.column, .0.row)]
    NotLegal(Placement),
    /// A piece has been held since the last one was placed, or there is no hold.
    #[error("hold cannot be used now")]
    HoldSpent,
    /// The dealer may not deal this piece now.
    #[error("piece {0} cannot be dealt now")]
    NotDealt(String),
    /// A piece has to be dealt first.
    #[error("no piece is dealt yet")]
    NoPiece,
    /// The game has ended.
    #[error("the game is over")]
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// No piece at hand has a place.
    Stuck,
    /// Something stayed above the top.
    Fatal,
}

impl<G: Grid> Match<G> {
    /// Game number `index` of a seed from the empty board, dealt by chance: as many pieces in sight as the game shows.
    pub fn new(game: impl Into<Arc<PlacementGame>>, seed: u64, index: u64) -> Match<G> {
        let (game, chance) = (game.into(), stream(seed, Purpose::Dealer, index));
        let allowance = Allowance { previews: game.previews(), hold: false };
        Match::with(game, allowance, DealtBy::Chance, chance)
    }

    /// A game from the empty board. The grid must fit the game, see [`Grid::fits`].
    pub fn with(
        game: impl Into<Arc<PlacementGame>>,
        allowance: Allowance,
        dealing: DealtBy,
        chance: Generator,
    ) -> Match<G> {
        let game = game.into();
        let board = G::empty(&game);
        Match::from_board(game, board, allowance, dealing, chance)
    }

    /// A game from another board.
    pub fn from_board(
        game: impl Into<Arc<PlacementGame>>,
        board: G,
        allowance: Allowance,
        dealing: DealtBy,
        chance: Generator,
    ) -> Match<G> {
        let game = game.into();
        let state = game.dealer().start();
        // Whatever is not too wide may come to rest on top of everything.
        let narrow = |piece: &Piece| piece.rotations().iter().any(|shape| shape.width() <= game.width());
        let never_stuck = game.landing().overflow != Overflow::Forbidden && game.pieces().iter().all(narrow);
        let watching = match dealing {
            DealtBy::Chance => game.dealer().sees_board(),
            DealtBy::By(_) | DealtBy::ByHand => None,
        };
        let mut begun = Match {
            game,
            allowance,
            dealing,
            watching: watching.map(|dealer| (dealer, Arc::default())),
            chance,
            state,
            never_stuck,
            board,
            queue: Vec::with_capacity(allowance.previews + 1),
            dealt: Vec::new(),
            held: None,
            hold_spent: false,
            stats: Stats::default(),
            end: None,
        };
        begun.fill();
        begun
    }

    /// The game played.
    #[inline]
    pub fn game(&self) -> &PlacementGame {
        &self.game
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> &G {
        &self.board
    }

    /// What the player may know and do beyond the current piece.
    pub fn allowance(&self) -> Allowance {
        self.allowance
    }

    /// The same game with other chance: the pieces in sight stay, those after them are dealt anew.
    pub fn with_chance(mut self, chance: Generator) -> Match<G> {
        self.chance = chance;
        self
    }

    /// The current piece; `None` until it is dealt.
    #[inline]
    pub fn current(&self) -> Option<u8> {
        self.queue.first().map(|dealt| dealt.piece)
    }

    /// The current piece and those in sight.
    #[inline]
    pub fn queue(&self) -> &[Dealt] {
        &self.queue
    }

    /// Every piece dealt so far; `None` if chance deals them, so that the seed tells.
    pub fn dealt(&self) -> Option<&[u8]> {
        (!matches!(self.dealing, DealtBy::Chance)).then_some(&self.dealt)
    }

    /// The held piece.
    pub fn held(&self) -> Option<u8> {
        self.held
    }

    /// What has happened so far.
    #[inline]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// How the game ended, if it has.
    #[inline]
    pub fn outcome(&self) -> Option<Outcome> {
        self.end.map(|_| Outcome::ToppedOut)
    }

    /// The piece that had no place, if that ended the game.
    pub fn stuck_on(&self) -> Option<u8> {
        self.current().filter(|_| self.end == Some(End::Stuck))
    }

    /// Whether the current piece may be put into hold.
    pub fn may_hold(&self) -> bool {
        self.allowance.hold && !self.hold_spent
    }

    /// Every placement of the current piece, then of the other piece at hand; none if the game is over.
    pub fn placements(&self) -> Vec<Placement> {
        let mut list = Vec::new();
        if self.end.is_none() {
            for piece in self.at_hand() {
                self.board.placements(&self.game, piece as usize, |placement| list.push(placement));
            }
        }
        list
    }

    /// Plays a placement, holding if need be. Nothing changes after an error.
    pub fn play(&mut self, placement: &Placement) -> Result<Clear, PlayError> {
        if self.end.is_some() {
            return Err(PlayError::Over);
        }
        if self.queue.is_empty() {
            return Err(PlayError::NoPiece);
        }
        if !self.at_hand().any(|piece| piece == placement.piece) {
            return Err(PlayError::NotAtHand(self.name(placement.piece)));
        }
        let mut legal = false;
        self.board.placements(&self.game, placement.piece as usize, |known| legal |= known == *placement);
        if legal { Ok(self.play_unchecked(placement)) } else { Err(PlayError::NotLegal(*placement)) }
    }

    /// Plays one of [`Match::placements`]. Anything else gives a meaningless match or a panic.
    #[inline]
    pub fn play_unchecked(&mut self, placement: &Placement) -> Clear {
        if self.current() != Some(placement.piece) {
            self.swap();
        }
        let landed = self.board.place_unchecked(&self.game, *placement);
        let lines = landed.lines();
        let points = if landed.fatal { 0.0 } else { self.game.score().points(lines) };
        self.stats.pieces += 1;
        if landed.fatal {
            self.end = Some(End::Fatal);
        } else {
            self.stats.lines += u64::from(lines);
            self.stats.score += points;
            self.board = landed.board;
            self.hold_spent = false;
            self.next_piece();
        }
        Clear { lines, rows: landed.cleared, points, fatal: landed.fatal }
    }

    /// Puts the current piece into hold; the held one, or the next, becomes the current one.
    pub fn hold(&mut self) -> Result<(), PlayError> {
        if self.end.is_some() {
            return Err(PlayError::Over);
        }
        if self.queue.is_empty() {
            return Err(PlayError::NoPiece);
        }
        if !self.may_hold() {
            return Err(PlayError::HoldSpent);
        }
        self.swap();
        self.fill();
        Ok(())
    }

    /// Whether a piece has to be dealt before play goes on: by hand, or because the dealer has no answer.
    pub fn wants_piece(&self) -> bool {
        self.end.is_none() && self.queue.len() <= self.allowance.previews
    }

    /// What the game's dealer may deal next.
    pub fn deals(&self) -> &[Deal] {
        self.game.dealer().deals(self.state)
    }

    /// Deals a piece by hand: one of [`Match::deals`].
    pub fn deal(&mut self, piece: u8) -> Result<(), PlayError> {
        if self.end.is_some() {
            return Err(PlayError::Over);
        }
        let deal = self.deals().iter().find(|deal| deal.piece == piece).copied();
        match deal.filter(|_| self.wants_piece()) {
            Some(deal) => self.take(deal),
            None => return Err(PlayError::NotDealt(self.name(piece))),
        }
        self.check_room();
        Ok(())
    }

    /// The pieces that may be placed now, each once: the current one, and with hold the other one that is known.
    pub fn at_hand(&self) -> impl Iterator<Item = u8> + use<G> {
        let current = self.current();
        let next = self.queue.get(1).map(|dealt| dealt.piece);
        let other = if self.may_hold() { self.held.or(next) } else { None };
        current.into_iter().chain(other.filter(|_| current.is_some()).filter(|&piece| Some(piece) != current))
    }

    /// The current piece goes into hold, and what was there, or else the next, becomes the current one.
    fn swap(&mut self) {
        let Some(current) = self.current() else { return };
        match self.held.replace(current) {
            Some(held) => self.queue[0].piece = held,
            None => {
                self.queue.remove(0);
            }
        }
        self.hold_spent = true;
        self.stats.holds += 1;
    }

    /// The current piece is placed; the next one takes its place.
    #[inline]
    fn next_piece(&mut self) {
        if let (DealtBy::Chance, [only], None) = (&self.dealing, &mut self.queue[..], &self.watching)
            && self.allowance.previews == 0
        {
            let deal = self.game.dealer().deal(self.state, &mut self.chance);
            self.state = deal.next;
            *only = Dealt { piece: deal.piece, state: deal.next };
            self.check_room();
        } else {
            self.queue.remove(0);
            self.fill();
        }
    }

    /// Deals until as many pieces are in sight as there should be.
    #[inline]
    fn fill(&mut self) {
        while self.wants_piece() {
            if let Some((dealer, memory)) = &mut self.watching {
                let piece = dealer.deal(&self.game, &self.board, Arc::make_mut(memory));
                let deal = self.deals().iter().find(|deal| deal.piece == piece).copied();
                let Some(deal) = deal else { break };
                self.take(deal);
                continue;
            }
            let deal = match &self.dealing {
                DealtBy::Chance => self.game.dealer().deal(self.state, &mut self.chance),
                DealtBy::By(dealer) => {
                    let queue: Vec<u8> = self.queue.iter().map(|dealt| dealt.piece).collect();
                    let asked = Undealt {
                        board: &self.board.to_board(&self.game),
                        state: self.state,
                        queue: &queue,
                        held: self.held,
                        hold_spent: self.hold_spent,
                        pieces: self.stats.pieces,
                    };
                    let found = match dealer.answer(&asked, &mut self.chance) {
                        DealAnswer::Piece(piece) => {
                            self.deals().iter().find(|deal| deal.piece == piece).copied()
                        }
                        DealAnswer::Chance => Some(self.game.dealer().deal(self.state, &mut self.chance)),
                        DealAnswer::Unknown => None,
                    };
                    let Some(deal) = found else { break };
                    deal
                }
                DealtBy::ByHand => break,
            };
            self.take(deal);
        }
        self.check_room();
    }

    fn take(&mut self, deal: Deal) {
        self.state = deal.next;
        self.queue.push(Dealt { piece: deal.piece, state: deal.next });
        if !matches!(self.dealing, DealtBy::Chance) {
            self.dealt.push(deal.piece);
        }
    }

    /// Ends the game if no piece at hand has a place.
    #[inline]
    fn check_room(&mut self) {
        if self.never_stuck {
            return;
        }
        let Some(current) = self.current() else { return };
        if self.has_room(current) {
            return;
        }
        // A piece put into the empty slot brings another one, whatever it is.
        let other = self.may_hold() && self.held.is_none_or(|held| self.has_room(held));
        if !other {
            self.end = Some(End::Stuck);
        }
    }

    #[inline]
    fn has_room(&self, piece: u8) -> bool {
        let game = &*self.game;
        let rotations = game.pieces()[piece as usize].rotations();
        let tallest = (0..game.width()).map(|x| self.board.height(game, x)).max().unwrap_or(0);
        let room = game.height() - tallest.min(game.height());
        if rotations.iter().any(|shape| shape.width() <= game.width() && shape.height() <= room) {
            return true;
        }
        let mut any = false;
        self.board.placements(game, piece as usize, |_| any = true);
        any
    }

    fn name(&self, piece: u8) -> String {
        self.game
            .pieces()
            .get(piece as usize)
            .map_or_else(|| piece.to_string(), |piece| piece.name().to_owned())
    }
}

impl<G: Grid> AnyMatch for Match<G> {
    type Placement = Placement;
    type Board = G;
    type Clear = Clear;
    type Error = PlayError;

    fn board(&self) -> &G {
        Match::board(self)
    }

    delegate_to_match!();

    fn wants_piece(&self) -> bool {
        Match::wants_piece(self)
    }

    fn totals(&self) -> Totals {
        let Stats { pieces, lines, score, .. } = self.stats;
        Totals { pieces, lines, score }
    }
}
