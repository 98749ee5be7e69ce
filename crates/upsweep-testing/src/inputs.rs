//! Inputs of sorts: keys of every type, in every arrangement that an implementation may special-case.

use crate::place::Place;
use crate::random::Rng;
use crate::sample::Sample;
use crate::sizes::reduced;
use half::{bf16, f16};
use std::cmp::Ordering;
use upsweep::Key;

/// Key type that the tests can make from random bits. Its order is defined here, independently of the library's, as the
/// reference for sorts.
pub trait SortKey: Sample + Key {
    fn of_bits(bits: u128) -> Self;
    fn bits(self) -> u128;
    /// Compares two keys in ascending order. The order of NaN relative to other keys does not matter here: `compare`
    /// decides it.
    fn order(self, other: Self) -> Ordering;
    /// Whether the sign bit of a NaN is set; `None` for values that are no NaN.
    fn nan(self) -> Option<bool> {
        None
    }

    /// Compares two keys in the documented order: zeros of both signs are equal, and NaN is at the end in both
    /// directions. In ascending order, NaN without a sign precede NaN with one.
    fn compare(self, other: Self, descending: bool) -> Ordering {
        let in_direction = |order: Ordering| if descending { order.reverse() } else { order };
        match (self.nan(), other.nan()) {
            (None, None) => in_direction(self.order(other)),
            (Some(a), Some(b)) => in_direction(a.cmp(&b).then(self.order(other))),
            (a, b) => a.is_some().cmp(&b.is_some()),
        }
    }
}

macro_rules! integers {
    ($($t:ty as $bits:ty),*) => { $(impl SortKey for $t {
        fn of_bits(bits: u128) -> Self {
            bits as $t
        }
        fn bits(self) -> u128 {
            u128::from(self as $bits)
        }
        fn order(self, other: Self) -> Ordering {
            self.cmp(&other)
        }
    })* };
}
integers! { u8 as u8, u16 as u16, u32 as u32, u64 as u64, u128 as u128, i8 as u8, i16 as u16, i32 as u32, i64 as u64, i128 as u128 }

impl SortKey for usize {
    fn of_bits(bits: u128) -> Self {
        bits as Self
    }
    fn bits(self) -> u128 {
        self as u128
    }
    fn order(self, other: Self) -> Ordering {
        self.cmp(&other)
    }
}

impl SortKey for char {
    fn of_bits(bits: u128) -> Self {
        char::from_u32((bits % 0x11_0000) as u32).unwrap_or(char::MAX)
    }
    fn bits(self) -> u128 {
        u32::from(self).into()
    }
    fn order(self, other: Self) -> Ordering {
        self.cmp(&other)
    }
}

impl SortKey for bool {
    fn of_bits(bits: u128) -> Self {
        bits & 1 == 1
    }
    fn bits(self) -> u128 {
        self.into()
    }
    fn order(self, other: Self) -> Ordering {
        self.cmp(&other)
    }
}

macro_rules! floats {
    ($($t:ty as $bits:ty),*) => { $(impl SortKey for $t {
        fn of_bits(bits: u128) -> Self {
            Self::from_bits(bits as $bits)
        }
        fn bits(self) -> u128 {
            self.to_bits().into()
        }
        fn order(self, other: Self) -> Ordering {
            // Only NaN have no partial order.
            self.partial_cmp(&other).unwrap_or_else(|| self.total_cmp(&other))
        }
        fn nan(self) -> Option<bool> {
            self.is_nan().then(|| self.is_sign_negative())
        }
    })* };
}
floats! { f16 as u16, bf16 as u16, f32 as u32, f64 as u64 }

/// Arrangement of the keys of an input.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Random bits.
    Random,
    /// Random keys, among them many special values of the type.
    Special,
    Sorted,
    Reversed,
    AllEqual,
    TwoValues,
    /// Keys that ascend to the middle of the input and then descend.
    OrganPipe,
    /// Few different values: powers of two below 2^20, taken as the bits of keys. A fifth of them are 1.
    Zipf,
    /// Numbers of up to 20 bits, each with a frequency proportional to its reciprocal.
    Skewed,
    /// Random bits, except that the second lowest digit (byte) of all keys is the same.
    OneDigitConstant,
    /// Random lowest digit (byte); all other digits are the same in all keys.
    LowDigit,
    /// Sorted keys, of which two are swapped.
    NearlySorted,
    /// Key `i` is the parent of node `i` in a complete binary tree, and `len` for the root.
    Halves,
    /// Key `i` is the parent of node `i` in a random tree, and `len` for the root.
    Parents,
    /// Key `i` is the node at which arc `i` of a tree begins: first the arcs from each node to its parent, then those
    /// back.
    Arcs,
    /// The key `len` at about half of the indices, random smaller keys at the others.
    Hanging,
    /// Mostly zeros of floats, of both signs, with some neighbours of zeros and some random keys.
    Zeros,
    /// Random bits with few zeros of floats, of both signs: 5 of 1000 keys, so few that an implementation may miss
    /// them.
    FewZeros,
}

pub const KINDS: [Kind; 18] = [
    Kind::Random,
    Kind::Special,
    Kind::Sorted,
    Kind::Reversed,
    Kind::AllEqual,
    Kind::TwoValues,
    Kind::OrganPipe,
    Kind::Zipf,
    Kind::Skewed,
    Kind::OneDigitConstant,
    Kind::LowDigit,
    Kind::NearlySorted,
    Kind::Halves,
    Kind::Parents,
    Kind::Arcs,
    Kind::Hanging,
    Kind::Zeros,
    Kind::FewZeros,
];

/// Returns `len` keys in the arrangement `kind`.
pub fn keys<K: SortKey>(kind: Kind, len: usize) -> Vec<K> {
    let mut rng = Rng::new(len as u64 ^ 0x5eed << 40);
    let mut bits = || u128::from(rng.next()) << 64 | u128::from(rng.next());
    let mut sorted = || {
        let mut keys: Vec<K> = (0..len).map(|_| K::of_bits(bits())).collect();
        keys.sort_by(|a, b| a.compare(*b, false));
        keys
    };
    match kind {
        Kind::Random => (0..len).map(|_| K::of_bits(bits())).collect(),
        Kind::Special => (0..len).map(|_| K::random(&mut rng)).collect(),
        Kind::Sorted => sorted(),
        Kind::Reversed => sorted().into_iter().rev().collect(),
        Kind::AllEqual => vec![K::of_bits(0x4042_4344_4546_4748_4142_4344_4546_4748); len],
        Kind::TwoValues => {
            (0..len).map(|_| K::of_bits(if bits() & 64 == 0 { 3 } else { 0x3141_5926 << 90 | 0x4041 })).collect()
        }
        Kind::OrganPipe => (0..len).map(|i| K::of_bits(i.min(len - 1 - i) as u128)).collect(),
        Kind::Zipf => (0..len).map(|_| K::of_bits((1 << (bits() % 64 * (bits() % 64) % 20)) as u128)).collect(),
        Kind::Skewed => (0..len).map(|_| K::of_bits((bits() & 0xf_ffff) >> (bits() % 20))).collect(),
        Kind::OneDigitConstant => (0..len).map(|_| K::of_bits(bits() & !0xff00 | 0x1200)).collect(),
        Kind::Halves => (0..len).map(|i| K::of_bits(if i == 0 { len as u128 } else { (i as u128 - 1) / 2 })).collect(),
        Kind::Parents => (0..len as u128).map(|i| K::of_bits(if i == 0 { len as u128 } else { bits() % i })).collect(),
        Kind::Arcs => {
            let edges = len as u128 / 2;
            (0..len as u128).map(|i| K::of_bits(if i < edges { i + 1 } else { (i - edges + 1) / 3 })).collect()
        }
        Kind::Hanging => (0..len as u128).map(|_| K::of_bits((bits() % (2 * len as u128)).min(len as u128))).collect(),
        Kind::Zeros | Kind::FewZeros => {
            let (sign, zeros) = (1 << (8 * size_of::<K>() - 1), if matches!(kind, Kind::Zeros) { 900 } else { 5 });
            let mut key = || match bits() % 1000 {
                of if of < zeros => bits() & sign,
                900..950 => bits() & (sign | 3),
                _ => bits(),
            };
            (0..len).map(|_| K::of_bits(key())).collect()
        }
        Kind::LowDigit => (0..len).map(|_| K::of_bits(bits() & 0xff | 0x4142_4300)).collect(),
        Kind::NearlySorted => {
            let mut keys = sorted();
            if len > 1 {
                keys.swap(len / 2, len - 1);
            }
            keys
        }
    }
}

/// Returns lengths around the limits of short sorts and of warps; also, on a GPU (`on_cuda`), around tiles, and on the
/// CPU around the limit of comparison sorts.
pub fn lengths(on_cuda: bool) -> Vec<usize> {
    let short = [0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4099];
    let tiles: &[usize] = if on_cuda { &[20_479, 20_480, 20_481, 61_441, 100_003] } else { &[20_481] };
    if reduced() { vec![0, 1, 2, 33, 513, 2047, 2049, 20_481] } else { [&short[..], tiles].concat() }
}

/// Returns the length of an array that is several tiles on a GPU: `on_cuda` there, and at most 5003 on the CPU, which
/// sorts so few keys by the same steps.
pub fn some(place: &Place, on_cuda: usize) -> usize {
    if place.is_cuda() { on_cuda } else { on_cuda.min(5003) }
}

/// Lengths of many tiles on a GPU; on the CPU, lengths with cache lines for each digit (see `sorts_of_many_keys` in
/// `upsweep-cpu/src/tests/sort.rs` for threads and stores past the cache).
pub fn long_lengths(on_cuda: bool) -> Vec<usize> {
    match (reduced(), on_cuda) {
        (true, _) => vec![50_001],
        (_, true) => vec![270_335, 270_337, 1_000_003],
        _ => vec![66_001],
    }
}

/// Lengths of many tiles per block on a GPU.
pub fn longest_lengths(on_cuda: bool) -> Vec<usize> {
    if reduced() || !on_cuda { vec![] } else { vec![6_000_011] }
}
