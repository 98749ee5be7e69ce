//! Samples of every element type: random values, the poison of memory that no call has written, and equality to the
//! bit.

use crate::random::Rng;
use half::{bf16, f16};
use std::fmt::Debug;
use upsweep::Element;

/// An element type that the suite can fill buffers with and compare.
pub trait Sample: Element + Debug {
    /// Returns any value of the type; extremes, and floats that are no numbers, are frequent.
    fn random(rng: &mut Rng) -> Self;
    /// Poison: the value of outputs before a call, and of guard elements before and after it.
    fn poison() -> Self;
    /// Whether both values have the same bits, where all NaN count as one value.
    fn same(&self, other: &Self) -> bool;
}

macro_rules! integers {
    ($($t:ty)*) => { $(impl Sample for $t {
        fn random(rng: &mut Rng) -> Self {
            match rng.below(16) {
                0 => <$t>::MIN,
                1 => <$t>::MAX,
                2 => 0,
                _ => ((u128::from(rng.next()) << 64) | u128::from(rng.next())) as $t,
            }
        }
        fn poison() -> Self {
            0xABAB_ABAB_ABAB_ABAB_ABAB_ABAB_ABAB_ABAB_u128 as $t
        }
        #[inline(always)]
        fn same(&self, other: &Self) -> bool {
            self == other
        }
    })* };
}
integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

impl Sample for char {
    fn random(rng: &mut Rng) -> Self {
        char::from_u32(rng.below(0x11_0000) as u32).unwrap_or('\u{10ffff}')
    }
    fn poison() -> Self {
        '\u{ABAB}'
    }
    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl Sample for bool {
    fn random(rng: &mut Rng) -> Self {
        rng.once_in(2)
    }
    fn poison() -> Self {
        true
    }
    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

macro_rules! floats {
    ($($t:ty, $bits:ty, $from:expr;)*) => { $(impl Sample for $t {
        fn random(rng: &mut Rng) -> Self {
            let special = [<$t>::NAN, <$t>::INFINITY, <$t>::NEG_INFINITY, <$t>::from_bits(0), -<$t>::from_bits(0),
                <$t>::MIN, <$t>::MAX, <$t>::MIN_POSITIVE, <$t>::from_bits(1), -<$t>::from_bits(3)];
            if rng.once_in(16) { special[rng.below(special.len())] } else { $from((rng.below(4097) as f32 - 2048.0) / 16.0) }
        }
        fn poison() -> Self {
            <$t>::from_bits(0xABAB_ABAB_ABAB_ABAB_u64 as $bits)
        }
        #[inline(always)]
        fn same(&self, other: &Self) -> bool {
            self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
        }
    })* };
}
floats! {
    f16, u16, f16::from_f32;
    bf16, u16, bf16::from_f32;
    f32, u32, f32::from;
    f64, u64, f64::from;
}

macro_rules! tuples {
    ($($($name:ident $index:tt),*;)*) => { $(impl<$($name: Sample),*> Sample for ($($name,)*)
    where
        ($($name,)*): Element,
    {
        fn random(rng: &mut Rng) -> Self {
            ($($name::random(rng),)*)
        }
        fn poison() -> Self {
            ($($name::poison(),)*)
        }
        #[inline(always)]
        fn same(&self, other: &Self) -> bool {
            $(self.$index.same(&other.$index))&&*
        }
    })* };
}
tuples! {
    A 0, B 1;
    A 0, B 1, C 2;
}

impl<T: Sample, const N: usize> Sample for [T; N]
where
    [T; N]: Element,
{
    fn random(rng: &mut Rng) -> Self {
        std::array::from_fn(|_| T::random(rng))
    }
    fn poison() -> Self {
        [T::poison(); N]
    }
    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same(b))
    }
}

/// Returns `len` random values. The seed follows from the length and the size of `T`, so that no chosen seed can make
/// them all equal.
pub fn random_values<T: Sample>(len: usize) -> Vec<T> {
    let mut rng = Rng::new(len as u64 ^ (size_of::<T>() as u64) << 56);
    (0..len).map(|_| T::random(&mut rng)).collect()
}

/// Returns small whole numbers of both signs whose running sums stay small: exact in every float type, for every
/// grouping.
pub fn small_steps<T>(len: usize, from: impl Fn(i8) -> T) -> Vec<T> {
    let mut rng = Rng::new(len as u64);
    let mut height = 0i32;
    let step = |_| {
        // Pulled back to 0, so that no part of the random walk leaves -48 ..= 48: any partial sum is at most 96.
        let pull = if height.unsigned_abs() < 48 { 0 } else { -height.signum() };
        let step = if pull == 0 { rng.below(3) as i32 - 1 } else { pull };
        height += step;
        from(step as i8)
    };
    (0..len).map(step).collect()
}

/// Returns powers of two of both signs whose running products stay between 1/2 and 2: exact in every float type.
pub fn small_factors<T>(len: usize, from: impl Fn(f32) -> T) -> Vec<T> {
    let mut rng = Rng::new(len as u64);
    let mut doubled = false;
    let factor = |_| {
        let sign = if rng.once_in(2) { -1.0 } else { 1.0 };
        let size = match (rng.once_in(3), doubled) {
            (false, _) => 1.0,
            (true, false) => 2.0,
            (true, true) => 0.5,
        };
        doubled ^= size != 1.0;
        from(sign * size)
    };
    (0..len).map(factor).collect()
}
