//! Integers and `bool`: two's complement, wrapping, without panics.

use super::{Integer, Logic, Number, Signed, Unsigned};

macro_rules! integers {
    ($($t:ident / $unsigned:ident),*) => { $(
        impl Number for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const LOWEST: Self = <$t>::MIN;
            const HIGHEST: Self = <$t>::MAX;
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self { a.wrapping_add(b) }
            #[inline(always)]
            fn sub(a: Self, b: Self) -> Self { a.wrapping_sub(b) }
            #[inline(always)]
            fn mul(a: Self, b: Self) -> Self { a.wrapping_mul(b) }
            #[inline(always)]
            fn div(a: Self, b: Self) -> Self { if b == 0 { 0 } else { a.wrapping_div(b) } }
            #[inline(always)]
            fn rem(a: Self, b: Self) -> Self { if b == 0 { a } else { a.wrapping_rem(b) } }
            #[inline(always)]
            fn lt(a: Self, b: Self) -> bool { a < b }
            #[inline(always)]
            fn le(a: Self, b: Self) -> bool { a <= b }
            #[inline(always)]
            fn gt(a: Self, b: Self) -> bool { a > b }
            #[inline(always)]
            fn ge(a: Self, b: Self) -> bool { a >= b }
            #[inline(always)]
            fn min(a: Self, b: Self) -> Self { if b < a { b } else { a } }
            #[inline(always)]
            fn max(a: Self, b: Self) -> Self { if b > a { b } else { a } }
            #[inline(always)]
            fn minimum(a: Self, b: Self) -> Self { <Self as Number>::min(a, b) }
            #[inline(always)]
            fn maximum(a: Self, b: Self) -> Self { <Self as Number>::max(a, b) }
            #[inline(always)]
            fn div_euclid(a: Self, b: Self) -> Self { if b == 0 { 0 } else { a.wrapping_div_euclid(b) } }
            #[inline(always)]
            fn rem_euclid(a: Self, b: Self) -> Self { if b == 0 { a } else { a.wrapping_rem_euclid(b) } }
        }

        impl Logic for $t {
            const NONE: Self = 0;
            const ALL: Self = !0;
            #[inline(always)]
            fn bit_and(a: Self, b: Self) -> Self { a & b }
            #[inline(always)]
            fn bit_or(a: Self, b: Self) -> Self { a | b }
            #[inline(always)]
            fn bit_xor(a: Self, b: Self) -> Self { a ^ b }
            #[inline(always)]
            fn bit_not(x: Self) -> Self { !x }
        }

        impl Integer for $t {
            type Unsigned = $unsigned;
            #[inline(always)]
            fn wrapping_neg(x: Self) -> Self { x.wrapping_neg() }
            #[inline(always)]
            fn shl(x: Self, n: u32) -> Self { x.wrapping_shl(n) }
            #[inline(always)]
            fn shr(x: Self, n: u32) -> Self { x.wrapping_shr(n) }
            #[inline(always)]
            fn pow(x: Self, n: u32) -> Self { x.wrapping_pow(n) }
            #[inline(always)]
            fn rotate_left(x: Self, n: u32) -> Self { x.rotate_left(n) }
            #[inline(always)]
            fn rotate_right(x: Self, n: u32) -> Self { x.rotate_right(n) }
            #[inline(always)]
            fn saturating_add(a: Self, b: Self) -> Self { a.saturating_add(b) }
            #[inline(always)]
            fn saturating_sub(a: Self, b: Self) -> Self { a.saturating_sub(b) }
            #[inline(always)]
            fn abs_diff(a: Self, b: Self) -> $unsigned { a.abs_diff(b) }
            #[inline(always)]
            fn count_ones(x: Self) -> u32 { x.count_ones() }
            #[inline(always)]
            fn count_zeros(x: Self) -> u32 { x.count_zeros() }
            #[inline(always)]
            fn leading_zeros(x: Self) -> u32 { x.leading_zeros() }
            #[inline(always)]
            fn trailing_zeros(x: Self) -> u32 { x.trailing_zeros() }
            #[inline(always)]
            fn leading_ones(x: Self) -> u32 { x.leading_ones() }
            #[inline(always)]
            fn trailing_ones(x: Self) -> u32 { x.trailing_ones() }
            #[inline(always)]
            fn swap_bytes(x: Self) -> Self { x.swap_bytes() }
            #[inline(always)]
            fn reverse_bits(x: Self) -> Self { x.reverse_bits() }
            #[inline(always)]
            fn low_u32(self) -> u32 { self as u32 }
        }
    )* };
}
integers! {
    i8 / u8, i16 / u16, i32 / u32, i64 / u64, i128 / u128, isize / usize,
    u8 / u8, u16 / u16, u32 / u32, u64 / u64, u128 / u128, usize / usize
}

macro_rules! signed {
    ($($t:ident)*) => { $(impl Signed for $t {
        #[inline(always)]
        fn neg(x: Self) -> Self { x.wrapping_neg() }
        #[inline(always)]
        fn abs(x: Self) -> Self { x.wrapping_abs() }
        #[inline(always)]
        fn signum(x: Self) -> Self { x.signum() }
    })* };
}
signed! { i8 i16 i32 i64 i128 isize }

macro_rules! unsigned {
    ($($t:ident)*) => { $(impl Unsigned for $t {
        #[inline(always)]
        fn is_power_of_two(x: Self) -> bool { x.is_power_of_two() }
    })* };
}
unsigned! { u8 u16 u32 u64 u128 usize }

impl Logic for bool {
    const NONE: Self = false;
    const ALL: Self = true;
    #[inline(always)]
    fn bit_and(a: Self, b: Self) -> Self {
        a & b
    }
    #[inline(always)]
    fn bit_or(a: Self, b: Self) -> Self {
        a | b
    }
    #[inline(always)]
    fn bit_xor(a: Self, b: Self) -> Self {
        a ^ b
    }
    #[inline(always)]
    fn bit_not(x: Self) -> Self {
        !x
    }
}
