//! Random values with special ones mixed in.

use half::{bf16, f16};
use std::num::Wrapping;
use upsweep::operator::Element;
use upsweep::operator::builtin::{Compensated, Powers};

/// Random number generator (xorshift64*), the same in every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }
}

/// Element with random values.
pub(crate) trait Sample: Element + std::fmt::Debug {
    fn sample(random: &mut Random) -> Self;
    /// Whether both have the same bits.
    fn identical(&self, other: &Self) -> bool;
}

/// Returns `count` random values.
#[inline(never)]
pub(crate) fn samples<T: Sample>(seed: u64, count: usize) -> Vec<T> {
    let mut random = Random::new(seed);
    (0..count).map(|_| T::sample(&mut random)).collect()
}

macro_rules! integers {
    ($($t:ty)*) => { $(impl Sample for $t {
        #[inline(never)]
        fn sample(random: &mut Random) -> Self {
            let bits = (random.next() as u128) << 64 | random.next() as u128;
            match random.below(8) {
                0 => [0, 1, !0, <$t>::MIN, <$t>::MAX, <$t>::MAX - 1, <$t>::MIN + 1, 2][random.below(8)],
                1 | 2 => (bits as $t) & 15,
                3 => !((bits as $t) & 15),
                4 => ((1 as $t) << random.below(<$t>::BITS as usize)).wrapping_sub((bits & 1) as $t),
                5 => (bits as $t) >> random.below(<$t>::BITS as usize),
                _ => bits as $t,
            }
        }
        fn identical(&self, other: &Self) -> bool { self == other }
    })* };
}
integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

impl<T: Sample + upsweep::operator::Integer> Sample for Wrapping<T> {
    fn sample(random: &mut Random) -> Self {
        Wrapping(T::sample(random))
    }
    fn identical(&self, other: &Self) -> bool {
        self.0.identical(&other.0)
    }
}

#[cfg(feature = "num-complex")]
impl<T: Sample + upsweep::operator::Number> Sample for upsweep::num_complex::Complex<T> {
    fn sample(random: &mut Random) -> Self {
        Self { re: T::sample(random), im: T::sample(random) }
    }
    fn identical(&self, other: &Self) -> bool {
        self.re.identical(&other.re) && self.im.identical(&other.im)
    }
}

impl Sample for bool {
    fn sample(random: &mut Random) -> Self {
        random.below(2) == 1
    }
    fn identical(&self, other: &Self) -> bool {
        self == other
    }
}

macro_rules! floats {
    ($($t:ty, $bits:ty, $from:expr;)*) => { $(impl Sample for $t {
        #[inline(never)]
        fn sample(random: &mut Random) -> Self {
            let bits = random.next() as $bits;
            let sign = !(<$bits>::MAX >> 1) & random.next() as $bits;
            let from = $from;
            match random.below(10) {
                0 => <$t>::from_bits([
                    0, <$t>::INFINITY.to_bits(), <$t>::NAN.to_bits(), <$t>::NAN.to_bits() | 1, 1, <$t>::MAX.to_bits(),
                    <$t>::MIN_POSITIVE.to_bits(), <$t>::MIN_POSITIVE.to_bits() - 1,
                ][random.below(8)] | sign),
                1 => <$t>::from_bits(<$t>::INFINITY.to_bits() | sign | bits & <$bits>::MAX >> random.below(10)),
                2 => <$t>::from_bits(bits >> 9 | sign),
                3 => from((random.below(33) as f64 - 16.0) / 2.0),
                4 | 5 => from((random.next() as i64 >> 44) as f64 / [1.0, 2.0, 7.0, 1024.0][random.below(4)]),
                6 => from(random.next() as f64 / [1.0, 1.0e9, 1.0e-18, 4294967296.0][random.below(4)]),
                _ => <$t>::from_bits(bits),
            }
        }
        fn identical(&self, other: &Self) -> bool { self.to_bits() == other.to_bits() }
    })* };
}
floats! {
    f32, u32, |x: f64| x as f32;
    f64, u64, |x: f64| x;
    f16, u16, |x: f64| f16::from_f64(x);
    bf16, u16, |x: f64| bf16::from_f64(x);
}

impl<T: Sample, const N: usize> Sample for [T; N] {
    #[inline(never)]
    fn sample(random: &mut Random) -> Self {
        std::array::from_fn(|_| T::sample(random))
    }
    fn identical(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.identical(b))
    }
}
macro_rules! tuples {
    ($($($t:ident $i:tt)*;)*) => { $(impl<$($t: Sample),*> Sample for ($($t,)*) {
        #[inline(never)]
        fn sample(random: &mut Random) -> Self { ($($t::sample(random),)*) }
        fn identical(&self, other: &Self) -> bool { $(self.$i.identical(&other.$i))&&* }
    })* };
}
tuples! {
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}

/// Implements `Sample` for a struct of samples.
macro_rules! struct_sample {
    ($name:ident $(<$($p:ident),*>)? { $($field:tt),* }) => {
        impl $(<$($p: $crate::cases::Sample),*>)? $crate::cases::Sample for $name $(<$($p),*>)? {
            fn sample(random: &mut $crate::cases::Random) -> Self {
                Self { $($field: $crate::cases::Sample::sample(random)),* }
            }
            fn identical(&self, other: &Self) -> bool {
                $($crate::cases::Sample::identical(&self.$field, &other.$field))&&*
            }
        }
    };
}
pub(crate) use struct_sample;
struct_sample! { Compensated<F> { sum, error } }
struct_sample! { Powers<F> { exponent, sum } }
