//! Eight lanes in one AVX2 register.

use std::arch::x86_64::*;

use crate::{Eight, Lanes, Word, part, part_mut};

/// Methods that are one instruction.
macro_rules! instructions {
    ($($name:ident($($argument:ident),*) = $instruction:ident($($operand:expr),*);)*) => {
        $(
            #[inline(always)]
            fn $name(self $(, $argument: Self)*) -> Self {
                // SAFETY: whoever uses these lanes has asked for the instructions.
                Avx2(unsafe { $instruction(self.0 $(, $operand)*) })
            }
        )*
    };
}

/// Methods that join the eight lanes with one instruction three times.
macro_rules! reductions {
    ($($name:ident = $instruction:ident;)*) => {
        $(
            #[inline(always)]
            fn $name(self) -> i32 {
                // SAFETY: whoever uses these lanes has asked for the instructions.
                unsafe {
                    let four = $instruction(
                        _mm256_castsi256_si128(self.0),
                        _mm256_extracti128_si256::<1>(self.0),
                    );
                    let two = $instruction(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
                    _mm_cvtsi128_si32($instruction(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
                }
            }
        )*
    };
}

/// Eight lanes.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(__m256i);

impl Lanes for Avx2 {
    const COUNT: usize = 8;
    const IN_REGISTERS: bool = true;
    type Set = Self;

    instructions! {
        add(other) = _mm256_add_epi32(other.0);
        sub(other) = _mm256_sub_epi32(other.0);
        mul(other) = _mm256_mullo_epi32(other.0);
        max(other) = _mm256_max_epi32(other.0);
        min(other) = _mm256_min_epi32(other.0);
        abs() = _mm256_abs_epi32();
        and(other) = _mm256_and_si256(other.0);
        or(other) = _mm256_or_si256(other.0);
        xor(other) = _mm256_xor_si256(other.0);
        shl_each(counts) = _mm256_sllv_epi32(counts.0);
        is_equal(other) = _mm256_cmpeq_epi32(other.0);
    }

    #[inline(always)]
    fn is_there() -> bool {
        is_x86_feature_detected!("avx2")
    }
    #[inline(always)]
    fn splat(value: impl Word) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx2(unsafe { _mm256_set1_epi32(value.bits() as i32) })
    }
    #[inline(always)]
    fn load<W: Word, const N: usize>(from: &[W; N], first: usize) -> Self {
        let from = part::<W, N, 8>(from, first);
        // SAFETY: the array has the 32 bytes that are read; the instructions as above.
        Avx2(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store<W: Word, const N: usize>(self, to: &mut [W; N], first: usize) {
        let to = part_mut::<W, N, 8>(to, first);
        // SAFETY: the array has the 32 bytes that are written; the instructions as above.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx2(unsafe { _mm256_andnot_si256(other.0, self.0) })
    }
    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx2(unsafe { _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(N as i32)) })
    }
    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx2(unsafe { _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(N as i32)) })
    }
    #[inline(always)]
    fn count_ones(self) -> Self {
        const ONES: [i8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];
        let low = Self::splat(0x0f0f_0f0f);
        let halves = self.and(low).look_up_bytes(&ONES);
        halves.add(self.shr::<4>().and(low).look_up_bytes(&ONES)).sum_bytes()
    }
    #[inline(always)]
    fn to_float(self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx2(unsafe { _mm256_castps_si256(_mm256_cvtepi32_ps(self.0)) })
    }
    #[inline(always)]
    fn add_float(self, other: Self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx2(unsafe {
            _mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(self.0), _mm256_castsi256_ps(other.0)))
        })
    }
    #[inline(always)]
    fn mul_float(self, other: Self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx2(unsafe {
            _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(self.0), _mm256_castsi256_ps(other.0)))
        })
    }
    #[inline(always)]
    fn is_any(self) -> Self {
        self.is_equal(Self::splat(0)).xor(Self::splat(u32::MAX))
    }
    #[inline(always)]
    fn select(set: Self, this: Self, other: Self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx2(unsafe { _mm256_blendv_epi8(other.0, this.0, set.0) })
    }
    sets_are_lanes! {}
    #[inline(always)]
    fn is_empty(set: Self) -> bool {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        unsafe { _mm256_testz_si256(set.0, set.0) != 0 }
    }
}

impl Eight for Avx2 {
    reductions! {
        largest = _mm_max_epi32;
        smallest = _mm_min_epi32;
        total = _mm_add_epi32;
        union = _mm_or_si128;
    }

    instructions! {
        shr_each(counts) = _mm256_srlv_epi32(counts.0);
        is_greater(other) = _mm256_cmpgt_epi32(other.0);
    }

    #[inline(always)]
    fn signs(self) -> u32 {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(self.0)) as u32 }
    }
    #[inline(always)]
    fn look_up_bytes(self, table: &[i8; 16]) -> Self {
        // SAFETY: the table has the 16 bytes that are read; the instructions as above.
        unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            Avx2(_mm256_shuffle_epi8(table, self.0))
        }
    }
    #[inline(always)]
    fn sum_bytes(self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        unsafe {
            let pairs = _mm256_maddubs_epi16(self.0, _mm256_set1_epi8(1));
            Avx2(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
        }
    }
    #[inline(always)]
    fn look_up(self, table: Self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx2(unsafe { _mm256_permutevar8x32_epi32(table.0, self.0) })
    }
}
