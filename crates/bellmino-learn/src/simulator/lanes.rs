//! Eight numbers of 32 bits at once: with AVX2 where the processor has it, else one by one. Both give the same bits.

/// Eight lanes of 32 bits.
///
/// Shifts by 32 or more give 0. The methods of [`Avx2`] must only run on a processor that has AVX2.
pub(super) trait Lanes: Copy {
    fn splat(value: i32) -> Self;
    fn load(from: &[i32; 8]) -> Self;
    fn store(self, to: &mut [i32; 8]);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn abs(self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `self` without the bits of `other`.
    fn without(self, other: Self) -> Self;
    /// Each lane shifted left by the count in the same lane.
    fn shl(self, counts: Self) -> Self;
    /// Each lane shifted right by the count in the same lane, zeros coming in.
    fn shr(self, counts: Self) -> Self;
    fn shl_by<const N: i32>(self) -> Self;
    fn shr_by<const N: i32>(self) -> Self;
    /// All ones where `self > other`, signed.
    fn greater(self, other: Self) -> Self;
    /// All ones where equal.
    fn equal(self, other: Self) -> Self;
    /// `self` where the mask is all ones, `other` where it is zero.
    fn select(mask: Self, this: Self, other: Self) -> Self;
    /// One bit per lane: its sign.
    fn signs(self) -> u32;
    /// Replaces every byte, which must be below 16, by that entry of the table.
    fn look_up_bytes(self, table: &[i8; 16]) -> Self;
    /// The sum of the four unsigned bytes of each lane.
    fn sum_bytes(self) -> Self;
    /// For each lane, which must be in 0..8, that entry of the table.
    fn look_up(self, table: Self) -> Self;

    /// The largest lane.
    fn largest(self) -> i32;
    /// The smallest lane.
    fn smallest(self) -> i32;
    /// The sum of the lanes.
    fn total(self) -> i32;
    /// The lanes joined by `or`.
    fn union(self) -> i32;

    /// Set bits of each lane.
    #[inline(always)]
    fn count_ones(self) -> Self {
        const ONES: [i8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];
        let low = Self::splat(0x0f0f_0f0f);
        let halves = self.and(low).look_up_bytes(&ONES);
        halves.add(self.shr_by::<4>().and(low).look_up_bytes(&ONES)).sum_bytes()
    }
}

/// The lanes one by one. What no plain processor does on eight lanes at once is kept out of line, so that the code
/// stays small.
#[derive(Clone, Copy)]
pub(super) struct Portable([i32; 8]);

impl Portable {
    #[inline(always)]
    fn map(self, f: impl Fn(i32) -> i32) -> Self {
        Portable(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(i32, i32) -> i32) -> Self {
        Portable(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

impl Lanes for Portable {
    #[inline(always)]
    fn splat(value: i32) -> Self {
        Portable([value; 8])
    }
    #[inline(always)]
    fn load(from: &[i32; 8]) -> Self {
        Portable(*from)
    }
    #[inline(always)]
    fn store(self, to: &mut [i32; 8]) {
        *to = self.0;
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
    #[inline(never)]
    fn shl(self, counts: Self) -> Self {
        self.zip(counts, |a, n| if n as u32 > 31 { 0 } else { a << n })
    }
    #[inline(never)]
    fn shr(self, counts: Self) -> Self {
        self.zip(counts, |a, n| if n as u32 > 31 { 0 } else { (a as u32 >> n) as i32 })
    }
    #[inline(always)]
    fn shl_by<const N: i32>(self) -> Self {
        self.map(|a| a << N)
    }
    #[inline(always)]
    fn shr_by<const N: i32>(self) -> Self {
        self.map(|a| (a as u32 >> N) as i32)
    }
    #[inline(never)]
    fn greater(self, other: Self) -> Self {
        self.zip(other, |a, b| -i32::from(a > b))
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        self.zip(other, |a, b| -i32::from(a == b))
    }
    #[inline(never)]
    fn select(mask: Self, this: Self, other: Self) -> Self {
        this.and(mask).or(other.without(mask))
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
    #[inline(never)]
    fn count_ones(self) -> Self {
        self.map(|a| a.count_ones() as i32)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::Lanes;

    /// The lanes in one AVX2 register.
    #[derive(Clone, Copy)]
    pub(in crate::simulator) struct Avx2(__m256i);

    /// Methods that are one instruction.
    macro_rules! instructions {
        ($($name:ident($($argument:ident),*) = $instruction:ident($($operand:expr),*);)*) => {
            $(
                #[inline(always)]
                fn $name(self $(, $argument: Self)*) -> Self {
                    // SAFETY: callers of `Avx2` have checked that the processor has AVX2.
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
                    // SAFETY: callers of `Avx2` have checked that the processor has AVX2.
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

    impl Lanes for Avx2 {
        reductions! {
            largest = _mm_max_epi32;
            smallest = _mm_min_epi32;
            total = _mm_add_epi32;
            union = _mm_or_si128;
        }

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
            shl(counts) = _mm256_sllv_epi32(counts.0);
            shr(counts) = _mm256_srlv_epi32(counts.0);
            greater(other) = _mm256_cmpgt_epi32(other.0);
            equal(other) = _mm256_cmpeq_epi32(other.0);
        }

        #[inline(always)]
        fn splat(value: i32) -> Self {
            // SAFETY: callers of `Avx2` have checked that the processor has AVX2.
            Avx2(unsafe { _mm256_set1_epi32(value) })
        }
        #[inline(always)]
        fn load(from: &[i32; 8]) -> Self {
            // SAFETY: the array has the 32 bytes that are read; AVX2 as above.
            Avx2(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
        }
        #[inline(always)]
        fn store(self, to: &mut [i32; 8]) {
            // SAFETY: the array has the 32 bytes that are written; AVX2 as above.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn without(self, other: Self) -> Self {
            // SAFETY: callers of `Avx2` have checked that the processor has AVX2.
            Avx2(unsafe { _mm256_andnot_si256(other.0, self.0) })
        }
        #[inline(always)]
        fn shl_by<const N: i32>(self) -> Self {
            // SAFETY: callers of `Avx2` have checked that the processor has AVX2.
            Avx2(unsafe { _mm256_slli_epi32(self.0, N) })
        }
        #[inline(always)]
        fn shr_by<const N: i32>(self) -> Self {
            // SAFETY: callers of `Avx2` have checked that the processor has AVX2.
            Avx2(unsafe { _mm256_srli_epi32(self.0, N) })
        }
        #[inline(always)]
        fn select(mask: Self, this: Self, other: Self) -> Self {
            // SAFETY: callers of `Avx2` have checked that the processor has AVX2.
            Avx2(unsafe { _mm256_blendv_epi8(other.0, this.0, mask.0) })
        }
        #[inline(always)]
        fn signs(self) -> u32 {
            // SAFETY: callers of `Avx2` have checked that the processor has AVX2.
            unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(self.0)) as u32 }
        }
        #[inline(always)]
        fn look_up_bytes(self, table: &[i8; 16]) -> Self {
            // SAFETY: the table has the 16 bytes that are read; AVX2 as above.
            unsafe {
                let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
                Avx2(_mm256_shuffle_epi8(table, self.0))
            }
        }
        #[inline(always)]
        fn sum_bytes(self) -> Self {
            // SAFETY: callers of `Avx2` have checked that the processor has AVX2.
            unsafe {
                let pairs = _mm256_maddubs_epi16(self.0, _mm256_set1_epi8(1));
                Avx2(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
            }
        }
        #[inline(always)]
        fn look_up(self, table: Self) -> Self {
            // SAFETY: callers of `Avx2` have checked that the processor has AVX2.
            Avx2(unsafe { _mm256_permutevar8x32_epi32(table.0, self.0) })
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use bellmino_engine::{Purpose, below, stream};

    use super::*;

    /// Everything lanes can do, on these inputs.
    #[inline(always)]
    fn everything<L: Lanes>(one: &[i32; 8], other: &[i32; 8], third: &[i32; 8]) -> Vec<[i32; 8]> {
        let (a, b, c) = (L::load(one), L::load(other), L::load(third));
        let nibbles = a.and(L::splat(0x0f0f_0f0f));
        let mask = a.greater(b);
        let table: [i8; 16] = std::array::from_fn(|at| (one[at % 8] >> at) as i8);
        let lanes = [
            a.add(b),
            a.sub(b),
            a.mul(b),
            a.max(b),
            a.min(b),
            a.abs(),
            a.and(b),
            a.or(b),
            a.xor(b),
            a.without(b),
            a.shl(c),
            a.shr(c),
            a.shl_by::<8>(),
            a.shl_by::<31>(),
            a.shr_by::<4>(),
            a.shr_by::<31>(),
            mask,
            a.equal(b),
            L::select(mask, a, b),
            nibbles.look_up_bytes(&table),
            a.sum_bytes(),
            a.and(L::splat(7)).look_up(b),
            a.count_ones(),
        ];
        let one = [a.signs() as i32, a.largest(), a.smallest(), a.total(), a.union(), 0, 0, 0];
        let mut all = vec![one];
        for lanes in lanes {
            // Stored beside others, which must stay as they are.
            let mut wide = [[0x5a5a_5a5a; 8]; 3];
            lanes.store(&mut wide[1]);
            all.extend(wide);
        }
        all
    }

    #[target_feature(enable = "avx2")]
    fn on_avx2(one: &[i32; 8], other: &[i32; 8], third: &[i32; 8]) -> Vec<[i32; 8]> {
        everything::<Avx2>(one, other, third)
    }

    /// The instructions do what the plain code does, and write no more than they should.
    #[test]
    fn instructions_do_what_the_plain_code_does() {
        if !is_x86_feature_detected!("avx2") {
            return;
        }
        let mut chance = stream(1, Purpose::Player, 0);
        for _ in 0..20_000 {
            let mut random = || below(&mut chance, 1 << 32) as u32 as i32;
            let one: [i32; 8] = std::array::from_fn(|_| random());
            // Some lanes alike, so that being equal comes up; counts of shifts within and beyond a lane.
            let other: [i32; 8] = std::array::from_fn(|lane| if lane < 2 { one[lane] } else { random() });
            let third: [i32; 8] = std::array::from_fn(|_| (random() & 63) - 8);
            // SAFETY: the processor has AVX2.
            let fast = unsafe { on_avx2(&one, &other, &third) };
            assert_eq!(fast, everything::<Portable>(&one, &other, &third));
        }
    }
}
