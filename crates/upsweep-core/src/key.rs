//! Sort keys: numbers in a total order.

use crate::operator::Element;
use crate::sealed::Sealed;
use half::{bf16, f16};
use std::ops::{BitOr, BitXor};

/// A sort key: every integer, `bool`, `char`, `f16`, `bf16`, `f32`, `f64`.
///
/// Floats are in the order of their values, as by `partial_cmp`: `-0` and `+0` are equal, so that a sort leaves them in
/// the order that they have. Every NaN is at the end, ascending and descending, whatever its sign. Among themselves NaN
/// are in the order of `total_cmp`: ascending, those without a sign come first; descending, the order is reversed. A
/// sorted key keeps its bits.
///
/// # Safety
/// A value has the bits of a [`Bits`](Key::Bits), and every value in a buffer may be moved as `Bits`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key that upsweep can sort by",
    label = "not a key",
    note = "keys are integers, bool, char, f16, bf16, f32 and f64; a struct is sorted by its fields with `Sort::by_fields`"
)]
pub unsafe trait Key: Element {
    /// Unsigned integer type of the key's size, as which keys are sorted.
    #[doc(hidden)]
    type Bits: KeyBits;
    /// Rule by which the bits of keys are ordered.
    #[doc(hidden)]
    const ORDER: KeyOrder;
}

/// Rule by which the bits of keys are ordered, as unsigned integers.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyOrder {
    /// Whether the highest bit is a sign.
    pub signed: bool,
    /// Number of bits of a float's mantissa; 0 for integers.
    pub mantissa: u32,
}

impl KeyOrder {
    /// Returns the [ordered](KeyBits::ordered) numbers of both zeros, for floats of `bits` bits; integers have one
    /// zero. The two numbers are neighbours in both directions, and differ in their lowest bit alone.
    pub fn zeros(self, bits: u32) -> Option<[u128; 2]> {
        let first = (1u128 << (bits - 1)).wrapping_sub(1 << self.mantissa);
        (self.mantissa > 0).then_some([first, first | 1])
    }
}

/// An unsigned integer type that keys are sorted as.
#[doc(hidden)]
pub trait KeyBits: Element + Ord + Default + BitOr<Output = Self> + BitXor<Output = Self> {
    /// Number of bits of the type.
    const BITS: u32;
    /// Returns the number that stands for a key with these bits in the order of keys: its order as an integer is
    /// theirs. The function is a permutation of all numbers, so that sorted keys get their own bits back.
    #[must_use]
    fn ordered(self, order: KeyOrder, descending: bool) -> Self;
    /// Returns the number by which keys with these bits are compared: as [`ordered`](Self::ordered), but one number for
    /// both zeros.
    #[must_use]
    fn compared(self, order: KeyOrder, descending: bool) -> Self;
    /// Returns the bits of the key whose [`ordered`](Self::ordered) number is this one.
    #[must_use]
    fn restored(self, order: KeyOrder, descending: bool) -> Self;
    /// Returns a radix digit: the eight bits from `shift` on.
    #[must_use]
    fn digit(self, shift: u32) -> usize;
    /// Returns the bits from `shift` on, moved to the low end, of which only those in `mask` are kept.
    #[must_use]
    fn bits(self, shift: u32, mask: u32) -> usize;
    /// Returns the bits from `shift` on, moved to the low end; `shift` is less than the number of bits.
    #[must_use]
    fn above(self, shift: u32) -> Self;
    /// Returns the bits below bit `shift`, which is less than the number of bits.
    #[must_use]
    fn below(self, shift: u32) -> Self;
    /// Returns the number of zeros below the lowest bit that is set.
    #[must_use]
    fn trailing_zeros(self) -> u32;
    /// Returns the number of bits up to the highest bit that is set.
    #[must_use]
    fn length(self) -> u32;
    /// Truncates `wide` to its lowest bits.
    #[must_use]
    fn of(wide: u128) -> Self;
    /// Extends the number with zeros.
    #[must_use]
    fn wide(self) -> u128;
    /// Packs this number, which fits, into the higher half, and `low` into the lower half.
    #[must_use]
    fn beside(self, low: u64) -> Self;
    /// Returns the lower half of the bits.
    #[must_use]
    fn lower_half(self) -> u64;
}

macro_rules! key_bits {
    ($($bits:ty as $signed:ty),*) => { $(
        impl KeyBits for $bits {
            const BITS: u32 = <$bits>::BITS;
            // Free of branches, so that a loop over keys of an order known at run time is as fast as one of an order
            // known at compile time.
            #[inline(always)]
            fn ordered(self, KeyOrder { signed, mantissa }: KeyOrder, descending: bool) -> Self {
                let sign = <$bits>::from(signed) << (<$bits>::BITS - 1);
                let float = <$bits>::from(mantissa == 0).wrapping_sub(1);
                let flip = <$bits>::from(!descending).wrapping_sub(1);
                // In negative floats all bits are flipped, so that more negative floats become lesser integers.
                let negative = (self as $signed >> (<$bits>::BITS - 1)) as $bits & float;
                // The subtraction wraps NaN that would be first to the end.
                (self ^ (negative | sign) ^ flip).wrapping_sub((1 << mantissa) - 1)
            }
            #[inline(always)]
            fn compared(self, order: KeyOrder, descending: bool) -> Self {
                // The bits of -0 for floats. For integers it is 0, with which the next line changes nothing.
                let negative_zero = <$bits>::from(order.mantissa != 0) << (<$bits>::BITS - 1);
                (self ^ (<$bits>::from(self == negative_zero) * negative_zero)).ordered(order, descending)
            }
            #[inline(always)]
            fn restored(self, KeyOrder { signed, mantissa }: KeyOrder, descending: bool) -> Self {
                let sign = <$bits>::from(signed) << (<$bits>::BITS - 1);
                let float = <$bits>::from(mantissa == 0).wrapping_sub(1);
                let flip = <$bits>::from(!descending).wrapping_sub(1);
                let ascending = self.wrapping_add((1 << mantissa) - 1) ^ flip;
                let positive = (ascending as $signed >> (<$bits>::BITS - 1)) as $bits;
                ascending ^ (!positive & float | sign)
            }
            #[inline(always)]
            fn digit(self, shift: u32) -> usize {
                (self >> shift) as u8 as usize
            }
            #[inline(always)]
            fn bits(self, shift: u32, mask: u32) -> usize {
                ((self >> shift) as u32 & mask) as usize
            }
            #[inline(always)]
            fn above(self, shift: u32) -> Self {
                self >> shift
            }
            #[inline(always)]
            fn below(self, shift: u32) -> Self {
                self & ((1 << shift) - 1)
            }
            #[inline(always)]
            fn trailing_zeros(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn length(self) -> u32 {
                <$bits>::BITS - self.leading_zeros()
            }
            #[inline(always)]
            fn of(wide: u128) -> Self {
                wide as $bits
            }
            #[inline(always)]
            fn wide(self) -> u128 {
                u128::from(self)
            }
            #[inline(always)]
            fn beside(self, low: u64) -> Self {
                self << (<$bits>::BITS / 2) | low as $bits
            }
            #[inline(always)]
            fn lower_half(self) -> u64 {
                (self & (<$bits>::MAX >> (<$bits>::BITS / 2))) as u64
            }
        }
    )* };
}
key_bits! { u8 as i8, u16 as i16, u32 as i32, u64 as i64, u128 as i128 }

macro_rules! keys {
    ($($key:ty as $bits:ty, $signed:literal, $mantissa:literal;)*) => { $(
        // SAFETY: both types have the same size and no padding, and sorting only moves values.
        unsafe impl Key for $key {
            type Bits = $bits;
            const ORDER: KeyOrder = KeyOrder { signed: $signed, mantissa: $mantissa };
        }
        const _: () = assert!(size_of::<$key>() == size_of::<$bits>() && align_of::<$key>() == align_of::<$bits>());
    )* };
}
keys! {
    u8 as u8, false, 0;
    u16 as u16, false, 0;
    u32 as u32, false, 0;
    u64 as u64, false, 0;
    u128 as u128, false, 0;
    i8 as u8, true, 0;
    i16 as u16, true, 0;
    i32 as u32, true, 0;
    i64 as u64, true, 0;
    i128 as u128, true, 0;
    bool as u8, false, 0;
    char as u32, false, 0;
    f16 as u16, true, 10;
    bf16 as u16, true, 7;
    f32 as u32, true, 23;
    f64 as u64, true, 52;
}
#[cfg(target_pointer_width = "64")]
keys! { usize as u64, false, 0; isize as u64, true, 0; }
#[cfg(target_pointer_width = "32")]
keys! { usize as u32, false, 0; isize as u32, true, 0; }

/// An integer type of positions that a sort stores: `u32`, `u64` or `usize`. It is implemented for these types alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a position that a sort stores",
    note = "positions are u32, u64 and usize"
)]
pub trait Index: Element + Sealed {
    /// Largest number of elements whose positions the type holds.
    #[doc(hidden)]
    const MOST: u64;
    /// Converts the position `i`, which the type holds.
    #[doc(hidden)]
    fn at(i: usize) -> Self;
}
macro_rules! indices {
    ($($t:ty)*) => { $(impl Index for $t {
        const MOST: u64 = <$t>::MAX as u64;
        #[inline(always)]
        fn at(i: usize) -> Self {
            i as $t
        }
    })* };
}
indices! { u32 u64 usize }

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests every pattern of 16 bits: the inverse, and the order of values with NaN at the end.
    #[test]
    fn every_half_is_in_its_order() {
        for descending in [false, true] {
            let mut sorted: Vec<u16> = (0..=u16::MAX).collect();
            sorted.sort_by_key(|bits| bits.ordered(f16::ORDER, descending));
            for bits in 0..=u16::MAX {
                assert_eq!(bits.ordered(f16::ORDER, descending).restored(f16::ORDER, descending), bits);
            }
            let values: Vec<f16> = sorted.into_iter().map(f16::from_bits).collect();
            let first_nan = values.iter().position(|x| x.is_nan()).unwrap();
            assert_eq!(values.len() - first_nan, 2 * 1023);
            assert!(values[first_nan..].iter().all(|x| x.is_nan()));
            let later = |a: f16, b: f16| if descending { b.total_cmp(&a) } else { a.total_cmp(&b) };
            assert!(values[..first_nan].is_sorted_by(|a, b| later(*a, *b).is_lt()));
        }
    }

    /// Tests that both zeros, and nothing else, are neighbours that compare as one number.
    #[test]
    fn zeros_are_neighbours() {
        fn check<K: Key>(plus: K::Bits, minus: K::Bits) {
            for descending in [false, true] {
                let numbers = [plus, minus].map(|zero| zero.ordered(K::ORDER, descending).wide());
                let [first, second] = K::ORDER.zeros(K::Bits::BITS).unwrap();
                assert_eq!(numbers, if descending { [first, second] } else { [second, first] });
                let compared = [plus, minus].map(|zero| zero.compared(K::ORDER, descending).wide());
                assert_eq!(compared, [numbers[0]; 2]);
            }
        }
        check::<f16>(0, 1 << 15);
        check::<bf16>(0, 1 << 15);
        check::<f32>(0, 1 << 31);
        check::<f64>(0, 1 << 63);
        for descending in [false, true] {
            let mut all = (0..=u8::MAX).chain([0]);
            assert!(all.all(|x| x.compared(i8::ORDER, descending) == x.ordered(i8::ORDER, descending)));
            let apart =
                (0..=u16::MAX).filter(|x| x.compared(f16::ORDER, descending) != x.ordered(f16::ORDER, descending));
            assert!(apart.eq([1 << 15]));
        }
        assert_eq!(u32::ORDER.zeros(32), None);
    }
}
