//! Step of a recurrence of the first order.

use upsweep::prelude::*;
use upsweep_bench::{Value, hash};

/// Map `x -> m * x + c`, with composition as an operator of the caller's own, which does not commute.
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

    /// Returns slopes of 1 and -1 and small whole constants: every composition is exact, however it is grouped.
    fn random(index: usize) -> Self {
        let x = hash(index);
        Self { m: if x & 1 == 1 { 1.0 } else { -1.0 }, c: f32::from((x >> 60) as i8 - 8) }
    }
}

#[function]
pub(crate) fn offset(f: Affine) -> f32 {
    f.c
}
