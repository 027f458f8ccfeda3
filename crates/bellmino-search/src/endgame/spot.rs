//! A position near the end, and all that can follow it.

use bellmino_engine::guideline::{LowBoard, Piece};

use super::EndgameSearch;
use super::futures::Set;
use crate::hashing::mix;

/// A board and the piece set aside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub board: LowBoard,
    pub reserve: Option<Piece>,
}

impl Spot {
    /// Low for positions that promise well.
    pub(super) fn rank(&self) -> u32 {
        let reserve = match self.reserve {
            Some(Piece::T) => 0,
            Some(Piece::I | Piece::L | Piece::J) => 1,
            _ => 3,
        };
        2 * self.board.roughness() + 2 * reserve
    }

    #[inline(always)]
    pub(super) fn key(&self, extra: u64) -> u64 {
        let bits = self.board.bits();
        let reserve = self.reserve.map_or(7, |piece| piece as u64);
        mix(mix(extra << 3 | reserve, bits as u64), (bits >> 64) as u64)
    }
}

/// A position after a placement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    pub spot: Spot,
    /// Low for boards that are easy to fill.
    pub rank: u16,
    /// The piece that has come: the position is for the futures with it.
    pub came: u8,
}

impl EndgameSearch<'_, '_> {
    /// All positions after one more placement that are not hopeless, the best first.
    pub(super) fn children(&mut self, spot: &Spot, needed: usize, wanted: Set, children: &mut Vec<Branch>) {
        #[cfg(target_arch = "x86_64")]
        {
            // Counting bits is most of the work, and one instruction where the processor has it.
            #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]
            fn fast(
                search: &mut EndgameSearch<'_, '_>,
                spot: &Spot,
                needed: usize,
                wanted: Set,
                children: &mut Vec<Branch>,
            ) {
                search.children_anywhere(spot, needed, wanted, children);
            }
            if std::arch::is_x86_feature_detected!("popcnt")
                && std::arch::is_x86_feature_detected!("bmi1")
                && std::arch::is_x86_feature_detected!("bmi2")
                && std::arch::is_x86_feature_detected!("lzcnt")
            {
                // SAFETY: the processor has all the features the function is compiled for.
                return unsafe { fast(self, spot, needed, wanted, children) };
            }
        }
        self.children_anywhere(spot, needed, wanted, children);
    }

    #[inline(always)]
    pub(super) fn children_anywhere(
        &mut self,
        spot: &Spot,
        needed: usize,
        wanted: Set,
        children: &mut Vec<Branch>,
    ) {
        children.clear();
        let coming = &self.endgame.coming[self.place(needed)];
        let kicks = self.endgame.kicks;
        let comes = |piece: &Piece| !wanted.and(coming[*piece as usize]).is_empty();
        let mut came = [Piece::I; 7];
        let mut count = 0;
        for piece in Piece::ALL.into_iter().filter(comes) {
            came[count] = piece;
            count += 1;
        }
        let came = &came[..count];
        let held = spot.reserve.filter(|&held| came.iter().any(|&piece| piece != held));
        for (index, piece) in came.iter().copied().chain(held).enumerate() {
            self.boards.clear();
            spot.board.after(piece, kicks, &mut self.boards);
            self.meter.nodes += self.boards.len() as u64;
            for &board in &self.boards {
                if board.is_hopeless() || needed == 2 && board.last_piece().is_none() {
                    continue;
                }
                let rank = board.roughness() as u16;
                if index < came.len() {
                    let spot = Spot { board, reserve: spot.reserve };
                    children.push(Branch { spot, rank, came: piece as u8 });
                    continue;
                }
                for &came in came.iter().filter(|&&came| came != piece) {
                    let spot = Spot { board, reserve: Some(came) };
                    children.push(Branch { spot, rank, came: came as u8 });
                }
            }
        }
        children.sort_by_key(|child| child.rank);
    }
}
