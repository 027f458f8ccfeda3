//! Numbers of 32 bits side by side: sixteen with AVX-512, eight with AVX2.

use std::arch::x86_64::*;

/// Lanes of 32 bits. They must only be used on a processor that has the instructions, which `is_there` says.
pub(crate) trait Lanes: Copy {
    /// How many there are.
    const COUNT: usize;
    /// A set of lanes.
    type Set: Copy;

    /// Whether the processor has the instructions.
    fn is_there() -> bool;
    fn splat(value: u32) -> Self;
    /// The lanes from `first` on; these and all after them must be there.
    fn load(from: &[u32; 16], first: usize) -> Self;
    fn store(self, to: &mut [u32; 16], first: usize);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// The larger one, signed.
    fn max(self, other: Self) -> Self;
    /// The smaller one, signed.
    fn min(self, other: Self) -> Self;
    fn abs(self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `self` without the bits of `other`.
    fn without(self, other: Self) -> Self;
    fn shl<const N: u32>(self) -> Self;
    fn shr<const N: u32>(self) -> Self;
    /// Each lane shifted left by the count in the same lane; by 32 or more gives 0.
    fn shl_each(self, counts: Self) -> Self;
    /// Set bits of each lane.
    fn count_ones(self) -> Self;
    /// Whole numbers as floating-point numbers, kept as their bits.
    fn to_float(self) -> Self;
    fn add_float(self, other: Self) -> Self;
    fn mul_float(self, other: Self) -> Self;
    /// Where not 0.
    fn is_any(self) -> Self::Set;
    fn is_equal(self, other: Self) -> Self::Set;
    /// `this` in the lanes of the set, `other` elsewhere.
    fn select(set: Self::Set, this: Self, other: Self) -> Self;
    fn none() -> Self::Set;
    fn both(one: Self::Set, other: Self::Set) -> Self::Set;
    fn either(one: Self::Set, other: Self::Set) -> Self::Set;
    /// `one` without the lanes of `other`.
    fn except(one: Self::Set, other: Self::Set) -> Self::Set;
    fn is_empty(set: Self::Set) -> bool;

    #[inline(always)]
    fn negated(self) -> Self {
        Self::splat(0).sub(self)
    }
}

/// Methods that are one instruction.
macro_rules! instructions {
    ($type:ident: $($name:ident($($argument:ident),*) = $instruction:ident($($operand:expr),*);)*) => {
        $(
            #[inline(always)]
            fn $name(self $(, $argument: Self)*) -> Self {
                // SAFETY: whoever uses these lanes has asked for the instructions.
                $type(unsafe { $instruction(self.0 $(, $operand)*) })
            }
        )*
    };
}

/// Sixteen lanes.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512i);

impl Lanes for Avx512 {
    const COUNT: usize = 16;
    type Set = __mmask16;

    instructions! { Avx512:
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
    fn splat(value: u32) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx512(unsafe { _mm512_set1_epi32(value as i32) })
    }
    #[inline(always)]
    fn load(from: &[u32; 16], _: usize) -> Self {
        // SAFETY: the array has the 64 bytes that are read; the instructions as above.
        Avx512(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, to: &mut [u32; 16], _: usize) {
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

/// Eight lanes.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256i);

impl Lanes for Avx2 {
    const COUNT: usize = 8;
    type Set = Self;

    instructions! { Avx2:
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
    fn splat(value: u32) -> Self {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx2(unsafe { _mm256_set1_epi32(value as i32) })
    }
    #[inline(always)]
    fn load(from: &[u32; 16], first: usize) -> Self {
        let from = &from[first..first + Self::COUNT];
        // SAFETY: the slice has the 32 bytes that are read; the instructions as above.
        Avx2(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, to: &mut [u32; 16], first: usize) {
        let to = &mut to[first..first + Self::COUNT];
        // SAFETY: the slice has the 32 bytes that are written; the instructions as above.
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
        // SAFETY: whoever uses these lanes has asked for the instructions.
        Avx2(unsafe {
            let ones = _mm256_setr_epi8(
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3,
                4,
            );
            let low = _mm256_set1_epi8(15);
            let lower = _mm256_shuffle_epi8(ones, _mm256_and_si256(self.0, low));
            let upper = _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi32::<4>(self.0), low));
            let pairs = _mm256_maddubs_epi16(_mm256_add_epi8(lower, upper), _mm256_set1_epi8(1));
            _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))
        })
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
    #[inline(always)]
    fn is_empty(set: Self) -> bool {
        // SAFETY: whoever uses these lanes has asked for the instructions.
        unsafe { _mm256_testz_si256(set.0, set.0) != 0 }
    }
}
