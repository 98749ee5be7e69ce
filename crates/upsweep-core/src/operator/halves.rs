//! Conversions of f16 and bf16 to f32 and back, without branches: LLVM vectorises loops over them.
//!
//! `half` gives the same results. It tests for the processor's own instructions in each call, which prevents
//! vectorisation.
//!
//! ```text
//!          sign  exponent  mantissa
//! f16         1         5        10     exponent 0: subnormal or 0; all ones: infinity or NaN
//! bf16        1         8         7     the upper half of an f32
//! f32         1         8        23
//! ```

use half::{bf16, f16};

const F32_MANTISSA: u32 = 23;
/// Number of mantissa bits of f32 that f16 lacks.
const SHIFT: u32 = F32_MANTISSA - 10;
/// Difference of the exponent biases of f32 and f16, in the exponent field of an f32.
const REBIAS: u32 = (127 - 15) << F32_MANTISSA;
/// The least normal f16, 2^-14, as f32.
const LEAST_NORMAL: u32 = REBIAS + (1 << F32_MANTISSA);
/// 2^16, from which on no f32 rounds to a finite f16.
const TOO_LARGE: u32 = (127 + 16) << F32_MANTISSA;
const F32_INFINITY: u32 = 255 << F32_MANTISSA;
const SIGN: u32 = 1 << 31;

/// Converts `x` to f32, exactly. NaN stays NaN.
#[inline(always)]
pub(super) fn widen_f16(x: f16) -> f32 {
    let bits = u32::from(x.to_bits());
    let (sign, magnitude) = ((bits << 16) & SIGN, (bits << SHIFT) & !(SIGN >> 3));
    let normal = magnitude + REBIAS;
    // The mantissa follows the leading 1 of 2^-14, which the subtraction removes: f32 normalises the rest.
    let subnormal = f32::from_bits(magnitude + LEAST_NORMAL) - f32::from_bits(LEAST_NORMAL);
    let result = if magnitude < 1 << F32_MANTISSA { subnormal.to_bits() } else { normal };
    let result = if magnitude >= 31 << F32_MANTISSA { magnitude | F32_INFINITY } else { result };
    f32::from_bits(result | sign)
}

/// Rounds `x` to the nearest f16, ties to even. NaN stays NaN.
#[inline(always)]
pub(super) fn narrow_f16(x: f32) -> f16 {
    // Rounding constant: its last bit has the weight of the last bit of a subnormal f16, so that adding it rounds to
    // that bit.
    const ROUNDS: u32 = (127 - 14 + SHIFT) << F32_MANTISSA;
    let bits = x.to_bits();
    let (sign, magnitude) = ((bits & SIGN) >> 16, bits & !SIGN);
    // Rounds by adding half of the last kept bit's weight, less one unless that bit is odd: ties go to even. A carry
    // goes into the exponent, as it should.
    let odd = (magnitude >> SHIFT) & 1;
    let normal = magnitude.wrapping_sub(REBIAS).wrapping_add((1 << (SHIFT - 1)) - 1 + odd) >> SHIFT;
    let subnormal = (f32::from_bits(magnitude) + f32::from_bits(ROUNDS)).to_bits().wrapping_sub(ROUNDS);
    let special = if magnitude > F32_INFINITY { 0x7e00 } else { 0x7c00 };
    let result = if magnitude < LEAST_NORMAL { subnormal } else { normal };
    let result = if magnitude >= TOO_LARGE { special } else { result };
    f16::from_bits((result | sign) as u16)
}

/// Converts `x` to f32, exactly. NaN stays NaN.
#[inline(always)]
pub(super) fn widen_bf16(x: bf16) -> f32 {
    f32::from_bits(u32::from(x.to_bits()) << 16)
}

/// Rounds `x` to the nearest bf16, ties to even. NaN stays NaN.
#[inline(always)]
pub(super) fn narrow_bf16(x: f32) -> bf16 {
    let bits = x.to_bits();
    let odd = (bits >> 16) & 1;
    let rounded = bits.wrapping_add(0x7fff + odd) >> 16;
    // A NaN's payload may be among the dropped bits, so a bit of the mantissa is set.
    let quiet = (bits >> 16) | 0x40;
    bf16::from_bits(if bits & !SIGN > F32_INFINITY { quiet } else { rounded } as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns every f32 at which a conversion to a 16-bit float could go wrong: each 16-bit float (of any bits,
    /// converted by `widen`), the middle to the next one, the neighbours of both, and values out of range.
    fn boundaries(widen: impl Fn(u16) -> f32) -> impl Iterator<Item = f32> {
        let around = |bits: u32| [bits.wrapping_sub(1), bits, bits.wrapping_add(1)];
        let halves = (0..=u16::MAX).flat_map(move |x| {
            let (low, high) = (widen(x).to_bits(), widen(x.wrapping_add(1)).to_bits());
            around(low).into_iter().chain(around(low.wrapping_add(high.wrapping_sub(low) / 2)))
        });
        let others =
            [0, 1, 0x1000, TOO_LARGE, f32::MAX.to_bits(), F32_INFINITY, F32_INFINITY + 1, SIGN, 65520f32.to_bits()];
        halves.chain(others.into_iter().flat_map(around)).flat_map(|bits| [bits, bits ^ SIGN]).map(f32::from_bits)
    }

    #[test]
    fn all_halves_widen_as_half_does() {
        for bits in 0..=u16::MAX {
            let (found, expected) = (widen_f16(f16::from_bits(bits)), f16::from_bits(bits).to_f32());
            assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(), "f16 {bits:#x}");
            let (found, expected) = (widen_bf16(bf16::from_bits(bits)), bf16::from_bits(bits).to_f32());
            assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(), "bf16 {bits:#x}");
        }
    }

    #[test]
    fn boundaries_narrow_as_half_does() {
        for x in boundaries(|bits| f16::from_bits(bits).to_f32()) {
            let (found, expected) = (narrow_f16(x), f16::from_f32(x));
            assert!(
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "{x:e}, {:#x}: f16 {found:e}, not {expected:e}",
                x.to_bits()
            );
        }
        for x in boundaries(|bits| bf16::from_bits(bits).to_f32()) {
            let (found, expected) = (narrow_bf16(x), bf16::from_f32(x));
            assert!(
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "{x:e}, {:#x}: bf16 {found:e}, not {expected:e}",
                x.to_bits()
            );
        }
    }
}
