//! Step of a recurrence of the first order.

use upsweep::prelude::*;
use upsweep_bench::{Value, hash};

/// Map `x -> m * x + c`. Its operator, the composition of maps, is the caller's own and does not commute.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub(crate) struct Affine {
    pub(crate) m: f32,
    pub(crate) c: f32,
}

#[operator(identity = Affine { m: 1.0, c: 0.0 })]
pub(crate) fn then(f: Affine, g: Affine) -> Affine {
    Affine { m: g.m * f.m, c: g.m * f.c + g.c }
}

impl Value for Affine {
    const NAME: &'static str = "2xf32";

    /// Returns a map whose slope is 1 or -1 and whose constant is a small whole number: compositions are exact, however
    /// they are grouped.
    fn random(index: usize) -> Self {
        let x = hash(index);
        Self { m: if x & 1 == 1 { 1.0 } else { -1.0 }, c: f32::from((x >> 60) as i8 - 8) }
    }
}

#[function]
pub(crate) fn offset(f: Affine) -> f32 {
    f.c
}
