//! The instructions do what the plain code does.

use rand::Rng;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{Avx2, Avx512, Eight, Lanes, Portable};

/// Lanes as an array: those of sixteen eight at a time.
type Words = [u32; 8];

/// What must stay as it is beside what is stored.
const BESIDE: u32 = 0x5a5a_5a5a;

/// Everything lanes can do, on these inputs; of each result the first eight lanes.
#[inline(always)]
fn everything<L: Lanes>(one: &[u32; 16], other: &[u32; 16], third: &[u32; 16]) -> Vec<Words> {
    let (a, b, c) = (L::load(one, 0), L::load(other, 0), L::load(third, 0));
    let (some, equal) = (b.is_any(), a.is_equal(b));
    let zero = L::splat(0);
    let shown = |set| L::select(set, a, zero);
    let lanes = [
        a.add(b),
        a.sub(b),
        a.mul(b),
        a.max(b),
        a.min(b),
        a.abs(),
        a.negated(),
        a.and(b),
        a.or(b),
        a.xor(b),
        a.without(b),
        a.shl::<8>(),
        a.shl::<31>(),
        a.shr::<4>(),
        a.shr::<31>(),
        a.shl_each(c),
        a.count_ones(),
        a.to_float(),
        a.to_float().add_float(b.to_float()),
        a.to_float().mul_float(b.to_float()),
        shown(some),
        shown(equal),
        shown(L::both(some, equal)),
        shown(L::either(some, equal)),
        shown(L::except(some, equal)),
        shown(L::none()),
        L::splat(u32::from(L::is_empty(L::none()))),
        L::splat(-1_i32),
    ];
    lanes.into_iter().map(first_eight).collect()
}

/// The same for what only eight can do.
#[inline(always)]
fn everything_of_eight<L: Eight>(one: &[u32; 16], other: &[u32; 16], third: &[u32; 16]) -> Vec<Words> {
    let (a, b, c) = (L::load(one, 8), L::load(other, 8), L::load(third, 8));
    let nibbles = a.and(L::splat(0x0f0f_0f0f));
    let table: [i8; 16] = std::array::from_fn(|at| (one[at] >> (at % 8)) as i8);
    let lanes = [
        a.shr_each(c),
        a.is_greater(b),
        a.is_equal(b),
        nibbles.look_up_bytes(&table),
        a.sum_bytes(),
        a.and(L::splat(7)).look_up(b),
    ];
    let joined = [a.signs(), a.largest() as u32, a.smallest() as u32, a.total() as u32, a.union() as u32];
    let empty = [u32::from(L::is_empty(a.is_greater(a))), u32::from(L::is_empty(a.is_any())), 0];
    let mut all = vec![[joined.as_slice(), &empty].concat().try_into().expect("eight")];
    all.extend(lanes.into_iter().map(first_eight));
    all
}

/// Stored between others, which must stay as they are, and as signed numbers.
#[inline(always)]
fn first_eight<L: Lanes>(lanes: L) -> Words {
    let mut wide = [BESIDE; 40];
    lanes.store(&mut wide, 12);
    let beside = wide[..12].iter().chain(&wide[12 + L::COUNT..]);
    assert!(beside.into_iter().all(|&word| word == BESIDE));
    let mut signed = [0_i32; 16];
    lanes.store(&mut signed, 0);
    std::array::from_fn(|lane| {
        assert_eq!(signed[lane] as u32, wide[12 + lane]);
        wide[12 + lane]
    })
}

#[target_feature(enable = "avx2")]
fn on_avx2(one: &[u32; 16], other: &[u32; 16], third: &[u32; 16]) -> [Vec<Words>; 2] {
    [everything::<Avx2>(one, other, third), everything_of_eight::<Avx2>(one, other, third)]
}

#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn on_avx512(one: &[u32; 16], other: &[u32; 16], third: &[u32; 16]) -> Vec<Words> {
    everything::<Avx512>(one, other, third)
}

#[test]
fn instructions_do_what_the_plain_code_does() {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..20_000 {
        let mut random = || chance.next_u32();
        let one: [u32; 16] = std::array::from_fn(|_| random());
        // Some lanes alike or empty; counts of shifts within a lane, beyond it and below 0.
        let other = std::array::from_fn(|lane| [one[lane], 0, random(), random()][lane % 4]);
        let third = std::array::from_fn(|_| (random() & 63).wrapping_sub(8));
        let plain = everything::<Portable>(&one, &other, &third);
        if Avx2::is_there() {
            // SAFETY: the processor has AVX2.
            let [fast, eight] = unsafe { on_avx2(&one, &other, &third) };
            assert_eq!(fast, plain);
            assert_eq!(eight, everything_of_eight::<Portable>(&one, &other, &third));
        }
        if Avx512::is_there() {
            // SAFETY: the processor has AVX-512.
            assert_eq!(unsafe { on_avx512(&one, &other, &third) }, plain);
            let turned = |words: &[u32; 16]| std::array::from_fn(|lane| words[(lane + 8) % 16]);
            let (one, other, third) = (turned(&one), turned(&other), turned(&third));
            // SAFETY: as above.
            let fast = unsafe { on_avx512(&one, &other, &third) };
            assert_eq!(fast, everything::<Portable>(&one, &other, &third));
        }
    }
}
