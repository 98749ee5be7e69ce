//! List of the kernels of scans whose elements are steps of recurrences with coefficients that vary from element to
//! element. They have several inputs, and partial results wider than an element of an input.

use super::{Features, List};
use upsweep_core::operator::{MapWith, Zip};
use upsweep_core::segments::Whole;
use upsweep_core::steps::Parts;
use upsweep_core::varying::{
    ComposeAffine, ComposeAffinePair, ComposeMoebius, FirstOrderStep, MoebiusStep, OfZero, OfZeros, QuotientOf,
    SecondOrderStep,
};

impl List {
    pub(super) fn varying(&mut self) {
        let reversed = Features { reverse: true, ..Features::PLAIN };
        macro_rules! scans {
            ($name:literal, $in:ty => $out:ty, $compose:expr, $step:expr, $finish:expr) => {
                let parts = Parts::<Zip<$in>, $out, _, _, _>::new($compose, MapWith($step), $finish);
                self.with_functions::<_, Whole>(&parts, None, |list, functions| {
                    list.scans(concat!("varying ", $name), Features::PLAIN, functions);
                    list.scans(concat!("varying reversed ", $name), reversed, functions);
                });
            };
        }
        scans! { "first order f32", (f32, f32) => f32, ComposeAffine, FirstOrderStep, OfZero }
        scans! { "second order f64", (f64, f64, f64) => f64, ComposeAffinePair, SecondOrderStep, OfZeros }
        let quotient = QuotientOf { before: 1.0 };
        scans! { "quotients f64", (f64, f64, f64, f64) => f64, ComposeMoebius, MoebiusStep, quotient }
    }
}
