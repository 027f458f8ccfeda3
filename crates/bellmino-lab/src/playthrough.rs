//! One game, move by move.

use bellmino_engine::placement::{AnyColumns, Board, Grid, Placement};
use bellmino_engine::{Generator, PlacementGame, Purpose, stream};
use bellmino_exact::Choice;

use crate::deck::{Deck, Opponent};
use crate::player::Player;

/// A game being played: an iterator over its moves. It is game number `index` of an evaluation with the same seed.
pub struct Playthrough<'game> {
    game: &'game PlacementGame,
    player: &'game Player,
    dealing: Generator,
    choosing: Generator,
    deck: Deck<'game>,
    limit: Option<u64>,
    board: AnyColumns,
    score: f64,
    lines: u64,
    pieces: u64,
    end: Option<Option<usize>>,
}

/// One move: a piece dealt, where it was put and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// Index of the piece dealt.
    pub piece: usize,
    /// Where it was put.
    pub placement: Placement,
    /// The board before.
    pub before: Board,
    /// The board after the clear; the one before if the move was fatal.
    pub after: Board,
    /// Rows cleared.
    pub lines: u32,
    /// Points for this move.
    pub points: f64,
    /// The move ended the game.
    pub fatal: bool,
    /// Pieces placed so far.
    pub total_pieces: u64,
    /// Points so far.
    pub total_score: f64,
    /// Rows so far.
    pub total_lines: u64,
}

impl<'game> Playthrough<'game> {
    /// Starts a game.
    pub fn new(game: &'game PlacementGame, player: &'game Player, seed: u64, index: u64) -> Self {
        Playthrough::against(game, player, &Opponent::Random, seed, index, None)
    }

    /// Starts a game against a dealer; `limit` is how many pieces the player may count on, for tables that depend on it.
    pub fn against(
        game: &'game PlacementGame,
        player: &'game Player,
        dealer: &'game Opponent,
        seed: u64,
        index: u64,
        limit: Option<u64>,
    ) -> Self {
        Playthrough {
            game,
            player,
            dealing: stream(seed, Purpose::Dealer, index),
            choosing: stream(seed, Purpose::Player, index),
            deck: Deck::new(game, player, dealer),
            limit,
            board: AnyColumns::empty(game),
            score: 0.0,
            lines: 0,
            pieces: 0,
            end: None,
        }
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// The piece that could not be placed, if that is how the game ended.
    pub fn stuck_on(&self) -> Option<usize> {
        self.end.flatten()
    }
}

impl Iterator for Playthrough<'_> {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        if self.is_over() {
            return None;
        }
        self.deck.deal(&self.board, &mut self.dealing);
        let left = self.limit.and_then(|limit| u32::try_from(limit.saturating_sub(self.pieces)).ok());
        let mut choice = self.deck.decide(self.player, &self.board, left, &mut self.choosing);
        if choice == Some(Choice::PutAside) {
            self.deck.put_aside();
            self.deck.deal(&self.board, &mut self.dealing);
            choice = self.deck.decide_after_hold(self.player, &self.board, left, &mut self.choosing);
        }
        let placement = match choice {
            Some(Choice::Place(placement)) => {
                self.deck.placed();
                placement
            }
            Some(Choice::PlaceHeld(placement)) => {
                self.deck.put_aside();
                placement
            }
            Some(Choice::PutAside) | None => {
                self.end = Some(Some(self.deck.current() as usize));
                return None;
            }
        };
        let piece = placement.piece as usize;
        let before = self.board.to_board(self.game);
        let outcome = self.board.place_unchecked(self.game, placement);
        let points = if outcome.fatal { 0.0 } else { self.game.score().points(outcome.lines()) };
        self.pieces += 1;
        self.score += points;
        self.lines += u64::from(outcome.lines());
        if outcome.fatal {
            self.end = Some(None);
        } else {
            self.board = outcome.board;
        }
        Some(Move {
            piece,
            placement,
            before,
            after: self.board.to_board(self.game),
            lines: outcome.lines(),
            points,
            fatal: outcome.fatal,
            total_pieces: self.pieces,
            total_score: self.score,
            total_lines: self.lines,
        })
    }
}
