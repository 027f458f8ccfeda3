//! Sixteen lanes in one AVX-512 register.

use std::arch::x86_64::*;

use crate::{Lanes, Word, part, part_mut};

/// Methods that are one instruction.
macro_rules! instructions {
    ($($name:ident($($argument:ident),*) = $instruction:ident($($operand:expr),*);)*) => {
        $(
            #[inline(always)]
            fn $name(self $(, $argument: Self)*) -> Self {
                // SAFETY: whoever uses these lanes has asked for the instructions.
                Avx512(unsafe { $instruction(self.0 $(, $operand)*) })
            }
        )*
    };
}

/// Sixteen lanes.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(__m512i);

impl Lanes for Avx512 {
    const COUNT: usize = 16;
    const IN_REGISTERS: bool = true;
    type Set = __mmask16;

    instructions! {
        add(other) = _mm512_add_epi32(other.0);
        sub(other) = _mm512_sub_epi32(other.0);
        mul(other) = _mm512_mullo_epi32(other.0);
        max(other) = _mm512_max_epi32(other.0);
        min(other) = _mm512_min_epi32(other.0);
        abs() = _mm512_abs_epi32();
        and(other) = _mm512_and_si512(other.0);
        or(other) = _mm512_or_si512(other.0);
        xor(other) = _mm512_xor_si512(other.0);
        shl_each(counts) = _mm512_sllv_epi32(counts.0);
        count_ones() = _mm512_popcnt_epi32();
    }

    #[inline(always)]
    fn is_there() -> bool {
        is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq")
    }
    #[inline(always)]
    fn splat(value: impl Word) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx512(unsafe { _mm512_set1_epi32(value.bits() as i32) })
    }
    #[inline(always)]
    fn load<W: Word, const N: usize>(from: &[W; N], first: usize) -> Self {
        let from = part::<W, N, 16>(from, first);
        // SAFETY: the array has the 64 bytes that are read; the instructions as above.
        Avx512(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store<W: Word, const N: usize>(self, to: &mut [W; N], first: usize) {
        let to = part_mut::<W, N, 16>(to, first);
        // SAFETY: the array has the 64 bytes that are written; the instructions as above.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx512(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }
    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx512(unsafe { _mm512_slli_epi32::<N>(self.0) })
    }
    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx512(unsafe { _mm512_srli_epi32::<N>(self.0) })
    }
    #[inline(always)]
    fn to_float(self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx512(unsafe { _mm512_castps_si512(_mm512_cvtepi32_ps(self.0)) })
    }
    #[inline(always)]
    fn add_float(self, other: Self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx512(unsafe {
            _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(self.0), _mm512_castsi512_ps(other.0)))
        })
    }
    #[inline(always)]
    fn mul_float(self, other: Self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx512(unsafe {
            _mm512_castps_si512(_mm512_mul_ps(_mm512_castsi512_ps(self.0), _mm512_castsi512_ps(other.0)))
        })
    }
    #[inline(always)]
    fn is_any(self) -> __mmask16 {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        unsafe { _mm512_test_epi32_mask(self.0, self.0) }
    }
    #[inline(always)]
    fn is_equal(self, other: Self) -> __mmask16 {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        unsafe { _mm512_cmpeq_epi32_mask(self.0, other.0) }
    }
    #[inline(always)]
    fn select(set: __mmask16, this: Self, other: Self) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx512(unsafe { _mm512_mask_blend_epi32(set, other.0, this.0) })
    }
    #[inline(always)]
    fn none() -> __mmask16 {
        0
    }
    #[inline(always)]
    fn both(one: __mmask16, other: __mmask16) -> __mmask16 {
        one & other
    }
    #[inline(always)]
    fn either(one: __mmask16, other: __mmask16) -> __mmask16 {
        one | other
    }
    #[inline(always)]
    fn except(one: __mmask16, other: __mmask16) -> __mmask16 {
        one & !other
    }
    #[inline(always)]
    fn is_empty(set: __mmask16) -> bool {
        set == 0
    }
}
