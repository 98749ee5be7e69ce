//! Even bins on CUDA by one directed rounding.
//!
//! The quick look is unsure about elements on an edge. Random numbers of 24 bits hit edges where there are many bins;
//! whole numbers often all lie on edges. Where `step` is a power of two and `low` a multiple of it, `(x - low) / step`
//! is one fused multiply-add. Rounded down to the 24 bits of a number from 2^23 on, it is the bin. An element at the
//! end of the last bin gets the number of bins, and an element outside gets more. The CPU has no directed rounding for
//! a single operation.

#![allow(unreachable_pub, reason = "the trait `Even` is public and names the rule")]

use crate::operator::{Source, Values};

/// Magnitude from which all `f32` are whole numbers.
const WHOLE: f64 = 8_388_608.0; // 2^23
const WHOLE_BITS: u32 = 0x4b00_0000;

/// CUDA's rule of even bins (of equal width) by a single rounding, for the element types that have one.
pub trait Floor: Copy + Send + Sync + 'static {
    /// Creates the rule for bins of width `step` from `low` on.
    fn of(low: f64, step: f64) -> Self;
    /// Adds the numbers that the rule's device function reads to `values`, as
    /// [`Operator::values`](crate::operator::Operator::values) does.
    fn values(&self, values: &mut Values);
    /// Adds the rule as a device function to `source`. The kernel finds it by the name of a macro.
    fn define(source: &mut Source);
}

impl Floor for () {
    fn of(_low: f64, _step: f64) -> Self {}
    fn values(&self, _values: &mut Values) {}
    fn define(_source: &mut Source) {}
}

/// Rule of even bins of `f32` on CUDA: a fused multiply-add that rounds down.
#[derive(Clone, Copy, Debug)]
pub struct FloorSingle {
    /// Number of bins per unit of `x`, or 0 if one rounding does not find the bin.
    scale: f32,
    addend: f32,
}

impl Floor for FloorSingle {
    fn of(low: f64, step: f64) -> Self {
        let power_of_two = step.to_bits().trailing_zeros() >= f64::MANTISSA_DIGITS - 1;
        let offset = low / step;
        let exact = power_of_two
            && (2f64.powi(-100)..2f64.powi(100)).contains(&step)
            && offset.fract() == 0.0
            && offset.abs() <= 2f64.powi(22);
        if exact {
            Self { scale: step.recip() as f32, addend: (WHOLE - offset) as f32 }
        } else {
            Self { scale: 0.0, addend: 0.0 }
        }
    }

    fn values(&self, values: &mut Values) {
        values.push(self.scale);
        values.push(self.addend);
    }

    fn define(source: &mut Source) {
        source.define("floor of single", "floor_single", |source, name| {
            let (scale, addend) = (source.value::<f32>(), source.value::<f32>());
            format!(
                "__device__ __forceinline__ u32 {name}(f32 x) {{ return arith::raw_bits(__fmaf_rd(x, {scale}, {addend})) - {WHOLE_BITS}u; }}\n\
                 #define FLOOR_BIN {name}\n#define FLOOR_GIVEN ({scale} != 0)"
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bins::OUTSIDE;
    use crate::bins::even::Even;
    use crate::operator::Map;

    /// Computes the kernel's result for `x` before its conversion to an integer. The product and the sum are exact in
    /// `f64`.
    fn bin(floor: FloorSingle, x: f32) -> f64 {
        (f64::from(x) * f64::from(floor.scale)).floor() + f64::from(floor.addend) - WHOLE
    }

    #[test]
    fn rounding_down_finds_the_bin_where_edges_are_exact() {
        let ranges = [
            (0.0, 1.0, 65_536),
            (-1.0, 1.0, 4096),
            (0.0, 256.0, 256),
            (-3.0, 5.0, 16),
            (0.0, 1.0, 1 << 20),
            (1024.0, 2048.0, 4),
        ];
        for (low, high, bins) in ranges {
            let step = (high - low) / bins as f64;
            let floor = FloorSingle::of(low, step);
            assert!(floor.scale > 0.0);
            let rule = f32::rule(low, high, bins).unwrap();
            let edges = (0..=bins).map(|k| (low + k as f64 * step) as f32);
            let others = [-0.0, 1e-30, -1e-30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN];
            for x in edges.flat_map(|x| [x.next_down(), x, x.next_up()]).chain(others) {
                let (found, exact) = (bin(floor, x), rule.apply(x, 0));
                if (0.0..bins as f64).contains(&found) {
                    assert_eq!(found, f64::from(exact), "{x:?}");
                } else if found != bins as f64 {
                    assert_eq!(exact, OUTSIDE, "{x:?}");
                }
            }
        }
    }

    #[test]
    fn other_edges_are_left_to_the_quick_look() {
        for (low, step) in [(0.0, 10.0 / 256.0), (0.0, 1e-3), (0.1, 0.25), (1e6, 0.0625), (0.0, 2f64.powi(-120))] {
            assert_eq!(FloorSingle::of(low, step).scale, 0.0);
        }
    }
}
