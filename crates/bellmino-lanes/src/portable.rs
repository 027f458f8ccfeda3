//! The lanes one by one: the plain form of all others, and their oracle.

use crate::{Eight, Lanes, Word, part, part_mut};

/// Eight lanes one by one. What no plain processor does on eight lanes at once is kept out of line, so that the code
/// stays small.
#[derive(Clone, Copy, Debug)]
pub struct Portable([i32; 8]);

impl Portable {
    #[inline(always)]
    fn map(self, f: impl Fn(i32) -> i32) -> Self {
        Portable(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(i32, i32) -> i32) -> Self {
        Portable(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }

    #[inline(always)]
    fn zip_float(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        self.zip(other, |a, b| f(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits() as i32)
    }
}

impl Lanes for Portable {
    const COUNT: usize = 8;
    const IN_REGISTERS: bool = false;
    type Set = Self;

    #[inline(always)]
    fn is_there() -> bool {
        true
    }
    #[inline(always)]
    fn splat(value: impl Word) -> Self {
        Portable([value.bits() as i32; 8])
    }
    #[inline(always)]
    fn load<W: Word, const N: usize>(from: &[W; N], first: usize) -> Self {
        Portable(part::<W, N, 8>(from, first).map(|word| word.bits() as i32))
    }
    #[inline(always)]
    fn store<W: Word, const N: usize>(self, to: &mut [W; N], first: usize) {
        *part_mut(to, first) = self.0.map(|lane| W::from_bits(lane as u32));
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, i32::wrapping_add)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, i32::wrapping_sub)
    }
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, i32::wrapping_mul)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, i32::max)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, i32::min)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(i32::wrapping_abs)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }
    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        self.map(|a| a << N)
    }
    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        self.map(|a| (a as u32 >> N) as i32)
    }
    #[inline(never)]
    fn shl_each(self, counts: Self) -> Self {
        self.zip(counts, |a, n| (a as u32).checked_shl(n as u32).unwrap_or(0) as i32)
    }
    #[inline(never)]
    fn count_ones(self) -> Self {
        self.map(|a| a.count_ones() as i32)
    }
    #[inline(always)]
    fn to_float(self) -> Self {
        self.map(|a| (a as f32).to_bits() as i32)
    }
    #[inline(always)]
    fn add_float(self, other: Self) -> Self {
        self.zip_float(other, |a, b| a + b)
    }
    #[inline(always)]
    fn mul_float(self, other: Self) -> Self {
        self.zip_float(other, |a, b| a * b)
    }
    #[inline(always)]
    fn is_any(self) -> Self {
        self.map(|a| -i32::from(a != 0))
    }
    #[inline(always)]
    fn is_equal(self, other: Self) -> Self {
        self.zip(other, |a, b| -i32::from(a == b))
    }
    #[inline(never)]
    fn select(set: Self, this: Self, other: Self) -> Self {
        this.and(set).or(other.without(set))
    }
    sets_are_lanes! {}
    #[inline(always)]
    fn is_empty(set: Self) -> bool {
        set.union() == 0
    }
}

impl Eight for Portable {
    #[inline(never)]
    fn shr_each(self, counts: Self) -> Self {
        self.zip(counts, |a, n| (a as u32).checked_shr(n as u32).unwrap_or(0) as i32)
    }
    #[inline(never)]
    fn is_greater(self, other: Self) -> Self {
        self.zip(other, |a, b| -i32::from(a > b))
    }
    #[inline(always)]
    fn signs(self) -> u32 {
        (0..8).map(|lane| (self.0[lane] as u32 >> 31) << lane).sum()
    }
    #[inline(never)]
    fn look_up_bytes(self, table: &[i8; 16]) -> Self {
        self.map(|a| {
            i32::from_le_bytes(a.to_le_bytes().map(|byte| {
                debug_assert!(byte < 16);
                table[(byte & 15) as usize] as u8
            }))
        })
    }
    #[inline(never)]
    fn sum_bytes(self) -> Self {
        self.map(|a| a.to_le_bytes().into_iter().map(i32::from).sum())
    }
    #[inline(never)]
    fn look_up(self, table: Self) -> Self {
        self.map(|index| table.0[(index & 7) as usize])
    }
    #[inline(always)]
    fn largest(self) -> i32 {
        self.0.into_iter().fold(i32::MIN, i32::max)
    }
    #[inline(always)]
    fn smallest(self) -> i32 {
        self.0.into_iter().fold(i32::MAX, i32::min)
    }
    #[inline(always)]
    fn total(self) -> i32 {
        self.0.into_iter().fold(0, i32::wrapping_add)
    }
    #[inline(always)]
    fn union(self) -> i32 {
        self.0.into_iter().fold(0, |union, lane| union | lane)
    }
}
