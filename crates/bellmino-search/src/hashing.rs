//! Positions as numbers, and hash tables that use them as they are.

use std::hash::Hasher;

use bellmino_engine::guideline::Board;

use crate::evaluation::EvaluationState;

/// A number for the position that a hash set can use as it is.
#[inline]
pub(crate) fn hash(board: &Board, standing: &EvaluationState) -> u64 {
    let extra = standing.reserve.map_or(7, |piece| piece as u64)
        | u64::from(standing.back_to_back) << 3
        | u64::from(standing.combo) << 4;
    hash_with(board, extra ^ 0x9e37_79b9_7f4a_7c15)
}

/// A number for a board and what else there is to a position.
#[inline]
pub(crate) fn hash_with(board: &Board, extra: u64) -> u64 {
    let mut low = extra;
    let mut high = 0x2545_f491_4f6c_dd1d;
    for pair in board.columns().chunks_exact(2) {
        low = mix(low, pair[0].bits() >> 24);
        high = mix(high, pair[1].bits() >> 24);
    }
    mix(low, high)
}

/// A number and one more word as a new number.
#[inline]
pub(crate) fn mix(state: u64, word: u64) -> u64 {
    let product = u128::from(state ^ word) * 0xf39c_c060_5ced_c835;
    (product as u64 ^ (product >> 64) as u64).wrapping_add(word.rotate_left(32))
}

/// Passes on numbers that are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
