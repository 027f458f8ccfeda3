//! Numbers of 32 bits side by side, in the registers of the processor: sixteen with AVX-512, eight with AVX2 and in
//! WebAssembly, or eight one by one anywhere. All of them give the same bits.
//!
//! A type of lanes must only be used on a processor that has its instructions, which [`Lanes::is_there`] says, and
//! within code that is compiled for them (`#[target_feature]`), else it is slow. Whether a lane is signed is a matter of
//! who looks at it: [`Word`] is either.
//!
//! ```
//! use bellmino_lanes::{Eight, Lanes, Portable};
//! let lanes = Portable::load(&[3, 1, 4, 1, 5, 9, 2, 6], 0).add(Portable::splat(1));
//! assert_eq!((lanes.largest(), lanes.total()), (10, 39));
//! ```
//!
//! # Files
//! - `portable`: one by one, the oracle of the others
//! - `avx2`, `avx512` and `simd128`: in registers, the last in WebAssembly
//! - `tests`: holds them against it

/// The sets of lanes whose bits say it: all of them where a lane is in the set, none elsewhere.
macro_rules! sets_are_lanes {
    () => {
        #[inline(always)]
        fn none() -> Self {
            Self::splat(0)
        }
        #[inline(always)]
        fn both(one: Self, other: Self) -> Self {
            one.and(other)
        }
        #[inline(always)]
        fn either(one: Self, other: Self) -> Self {
            one.or(other)
        }
        #[inline(always)]
        fn except(one: Self, other: Self) -> Self {
            one.without(other)
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
pub use portable::Portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub use simd128::Simd128;

/// The lanes that need no question, since all code is compiled for them.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type Here = Simd128;
/// The lanes that need no question, since all code is compiled for them.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub type Here = Portable;

/// What a lane holds: 32 bits, signed or not.
pub trait Word: Copy + sealed::Sealed {
    /// Its bits.
    fn bits(self) -> u32;
    /// The word of these bits.
    fn from_bits(bits: u32) -> Self;
}

/// Nothing else is a word: registers are filled from its memory.
mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
}

impl Word for u32 {
    #[inline(always)]
    fn bits(self) -> u32 {
        self
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> u32 {
        bits
    }
}

impl Word for i32 {
    #[inline(always)]
    fn bits(self) -> u32 {
        self as u32
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> i32 {
        bits as i32
    }
}

/// Lanes of 32 bits.
pub trait Lanes: Copy {
    /// How many there are.
    const COUNT: usize;
    /// Whether several are worked on by one instruction.
    const IN_REGISTERS: bool;
    /// A set of lanes.
    type Set: Copy;

    /// Whether the processor has the instructions.
    fn is_there() -> bool;
    /// The same in every lane.
    fn splat(value: impl Word) -> Self;
    /// The lanes from `first` on; there must be as many. Of an array that is as long as the lanes, all.
    fn load<W: Word, const N: usize>(from: &[W; N], first: usize) -> Self;
    /// Writes the lanes from `first` on; there must be as many places. Of an array that is as long as the lanes, all.
    fn store<W: Word, const N: usize>(self, to: &mut [W; N], first: usize);

    /// The sum, modulo 2^32.
    fn add(self, other: Self) -> Self;
    /// The difference, modulo 2^32.
    fn sub(self, other: Self) -> Self;
    /// The product, modulo 2^32.
    fn mul(self, other: Self) -> Self;
    /// The larger one, signed.
    fn max(self, other: Self) -> Self;
    /// The smaller one, signed.
    fn min(self, other: Self) -> Self;
    /// Without its sign; the smallest number stays as it is.
    fn abs(self) -> Self;
    /// The bits of both.
    fn and(self, other: Self) -> Self;
    /// The bits of either.
    fn or(self, other: Self) -> Self;
    /// The bits of one of them.
    fn xor(self, other: Self) -> Self;
    /// `self` without the bits of `other`.
    fn without(self, other: Self) -> Self;
    /// Shifted left.
    fn shl<const N: u32>(self) -> Self;
    /// Shifted right, zeros coming in.
    fn shr<const N: u32>(self) -> Self;
    /// Each lane shifted left by the count in the same lane; by 32 or more gives 0.
    fn shl_each(self, counts: Self) -> Self;
    /// Set bits of each lane.
    fn count_ones(self) -> Self;

    /// Whole numbers as floating-point numbers, kept as their bits.
    fn to_float(self) -> Self;
    /// The sum of floating-point numbers.
    fn add_float(self, other: Self) -> Self;
    /// The product of floating-point numbers.
    fn mul_float(self, other: Self) -> Self;

    /// Where not 0.
    fn is_any(self) -> Self::Set;
    /// Where equal.
    fn is_equal(self, other: Self) -> Self::Set;
    /// `this` in the lanes of the set, `other` elsewhere.
    fn select(set: Self::Set, this: Self, other: Self) -> Self;
    /// The set of no lane.
    fn none() -> Self::Set;
    /// The lanes in both.
    fn both(one: Self::Set, other: Self::Set) -> Self::Set;
    /// The lanes in either.
    fn either(one: Self::Set, other: Self::Set) -> Self::Set;
    /// `one` without the lanes of `other`.
    fn except(one: Self::Set, other: Self::Set) -> Self::Set;
    /// Whether no lane is in it.
    fn is_empty(set: Self::Set) -> bool;

    /// 0 minus each lane.
    #[inline(always)]
    fn negated(self) -> Self {
        Self::splat(0).sub(self)
    }
}

/// Eight lanes, whose sets are lanes with all bits or none, and which can be joined.
pub trait Eight: Lanes<Set = Self> {
    /// Each lane shifted right by the count in the same lane, zeros coming in; by 32 or more gives 0.
    fn shr_each(self, counts: Self) -> Self;
    /// Where `self > other`, signed.
    fn is_greater(self, other: Self) -> Self;
    /// One bit per lane: its sign.
    fn signs(self) -> u32;
    /// Replaces every byte, which must be below 16, by that entry of the table.
    fn look_up_bytes(self, table: &[i8; 16]) -> Self;
    /// The sum of the four unsigned bytes of each lane.
    fn sum_bytes(self) -> Self;
    /// For each lane, which must be in 0..8, that entry of the table.
    fn look_up(self, table: Self) -> Self;
    /// The largest lane, signed.
    fn largest(self) -> i32;
    /// The smallest lane, signed.
    fn smallest(self) -> i32;
    /// The sum of the lanes.
    fn total(self) -> i32;
    /// The lanes joined by `or`.
    fn union(self) -> i32;
}

/// The lanes of an array from `first` on, which the compiler need not check where there is only one place to begin.
#[inline(always)]
fn part<W, const N: usize, const COUNT: usize>(from: &[W; N], first: usize) -> &[W; COUNT] {
    let first = if N == COUNT { 0 } else { first };
    from[first..].first_chunk().expect("as many as there are lanes")
}

/// The same to write to.
#[inline(always)]
fn part_mut<W, const N: usize, const COUNT: usize>(to: &mut [W; N], first: usize) -> &mut [W; COUNT] {
    let first = if N == COUNT { 0 } else { first };
    to[first..].first_chunk_mut().expect("as many as there are lanes")
}
