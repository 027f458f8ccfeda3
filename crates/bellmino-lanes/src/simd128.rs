//! Eight lanes in two registers of WebAssembly.

use std::arch::wasm32::*;

use crate::{Eight, Lanes, Word, part, part_mut};

/// Eight lanes.
#[derive(Clone, Copy, Debug)]
pub struct Simd128([v128; 2]);

impl Simd128 {
    #[inline(always)]
    fn map(self, f: impl Fn(v128) -> v128) -> Self {
        Simd128([f(self.0[0]), f(self.0[1])])
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(v128, v128) -> v128) -> Self {
        Simd128([f(self.0[0], other.0[0]), f(self.0[1], other.0[1])])
    }

    #[inline(always)]
    fn words(self) -> [u32; 8] {
        let mut words = [0; 8];
        self.store(&mut words, 0);
        words
    }

    /// The lanes joined by something that does not mind their order.
    #[inline(always)]
    fn joined(self, f: impl Fn(v128, v128) -> v128) -> i32 {
        let four = f(self.0[0], self.0[1]);
        let two = f(four, i32x4_shuffle::<2, 3, 0, 1>(four, four));
        i32x4_extract_lane::<0>(f(two, i32x4_shuffle::<1, 0, 3, 2>(two, two)))
    }
}

/// Methods that are one instruction on each register.
macro_rules! instructions {
    ($($name:ident = $instruction:ident;)*) => {
        $(
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                self.zip(other, |a, b| $instruction(a, b))
            }
        )*
    };
}

/// Methods that join the eight lanes.
macro_rules! reductions {
    ($($name:ident = $instruction:ident;)*) => {
        $(
            #[inline(always)]
            fn $name(self) -> i32 {
                self.joined(|a, b| $instruction(a, b))
            }
        )*
    };
}

impl Lanes for Simd128 {
    const COUNT: usize = 8;
    const IN_REGISTERS: bool = true;
    type Set = Self;

    instructions! {
        add = i32x4_add;
        sub = i32x4_sub;
        mul = i32x4_mul;
        max = i32x4_max;
        min = i32x4_min;
        and = v128_and;
        or = v128_or;
        xor = v128_xor;
        without = v128_andnot;
        add_float = f32x4_add;
        mul_float = f32x4_mul;
        is_equal = i32x4_eq;
    }

    #[inline(always)]
    fn is_there() -> bool {
        true
    }
    #[inline(always)]
    fn splat(value: impl Word) -> Self {
        Simd128([u32x4_splat(value.bits()); 2])
    }
    #[inline(always)]
    fn load<W: Word, const N: usize>(from: &[W; N], first: usize) -> Self {
        let [a, b, c, d, e, f, g, h] = part::<W, N, 8>(from, first).map(W::bits);
        Simd128([u32x4(a, b, c, d), u32x4(e, f, g, h)])
    }
    #[inline(always)]
    fn store<W: Word, const N: usize>(self, to: &mut [W; N], first: usize) {
        let [low, high] = self.0;
        let words = [
            u32x4_extract_lane::<0>(low),
            u32x4_extract_lane::<1>(low),
            u32x4_extract_lane::<2>(low),
            u32x4_extract_lane::<3>(low),
            u32x4_extract_lane::<0>(high),
            u32x4_extract_lane::<1>(high),
            u32x4_extract_lane::<2>(high),
            u32x4_extract_lane::<3>(high),
        ];
        *part_mut(to, first) = words.map(W::from_bits);
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(|lanes| i32x4_abs(lanes))
    }
    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        self.map(|lanes| i32x4_shl(lanes, N))
    }
    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        self.map(|lanes| u32x4_shr(lanes, N))
    }
    /// There is no such instruction: each lane is multiplied by a power of two, which is a floating-point number of the
    /// count as its exponent.
    #[inline(always)]
    fn shl_each(self, counts: Self) -> Self {
        self.zip(counts, |lanes, counts| {
            let power = u32x4_trunc_sat_f32x4(i32x4_shl(i32x4_add(counts, i32x4_splat(127)), 23));
            v128_and(i32x4_mul(lanes, power), u32x4_lt(counts, u32x4_splat(32)))
        })
    }
    #[inline(always)]
    fn count_ones(self) -> Self {
        self.map(|lanes| u8x16_popcnt(lanes)).sum_bytes()
    }
    #[inline(always)]
    fn to_float(self) -> Self {
        self.map(|lanes| f32x4_convert_i32x4(lanes))
    }
    #[inline(always)]
    fn is_any(self) -> Self {
        self.map(|lanes| i32x4_ne(lanes, i32x4_splat(0)))
    }
    #[inline(always)]
    fn select(set: Self, this: Self, other: Self) -> Self {
        Simd128([
            v128_bitselect(this.0[0], other.0[0], set.0[0]),
            v128_bitselect(this.0[1], other.0[1], set.0[1]),
        ])
    }
    sets_are_lanes! {}
    #[inline(always)]
    fn is_empty(set: Self) -> bool {
        !v128_any_true(v128_or(set.0[0], set.0[1]))
    }
}

impl Eight for Simd128 {
    reductions! {
        largest = i32x4_max;
        smallest = i32x4_min;
        total = i32x4_add;
        union = v128_or;
    }

    instructions! {
        is_greater = i32x4_gt;
    }

    #[inline(always)]
    fn shr_each(self, counts: Self) -> Self {
        let (words, counts) = (self.words(), counts.words());
        let shifted: [u32; 8] =
            std::array::from_fn(|lane| words[lane].checked_shr(counts[lane]).unwrap_or(0));
        Self::load(&shifted, 0)
    }
    #[inline(always)]
    fn signs(self) -> u32 {
        u32::from(i32x4_bitmask(self.0[0]) | i32x4_bitmask(self.0[1]) << 4)
    }
    #[inline(always)]
    fn look_up_bytes(self, table: &[i8; 16]) -> Self {
        let bytes = |first: usize| i32::from_le_bytes(std::array::from_fn(|byte| table[first + byte] as u8));
        let table = i32x4(bytes(0), bytes(4), bytes(8), bytes(12));
        self.map(|lanes| u8x16_swizzle(table, lanes))
    }
    #[inline(always)]
    fn sum_bytes(self) -> Self {
        self.map(|lanes| u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(lanes)))
    }
    /// The four bytes of an entry are looked up in either half of the table; beyond its end there is 0.
    #[inline(always)]
    fn look_up(self, table: Self) -> Self {
        self.map(|index| {
            let bytes = i32x4_add(i32x4_mul(index, i32x4_splat(0x0404_0404)), i32x4_splat(0x0302_0100));
            let upper = u8x16_sub(bytes, u8x16_splat(16));
            v128_or(u8x16_swizzle(table.0[0], bytes), u8x16_swizzle(table.0[1], upper))
        })
    }
}
