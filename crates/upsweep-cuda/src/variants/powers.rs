//! Part of the list of kernels that are compiled where there is no GPU: sums of powers of rows. Their map (before the
//! sum) and finish (after it) compute mathematical functions.

use super::super::features::{Features, Heads};
use super::List;
use upsweep_core::operator::MapWith;
use upsweep_core::operator::builtin::{Logarithm, Power, SumOfPowers};
use upsweep_core::segments::Whole;
use upsweep_core::steps::Parts;

impl List {
    pub(super) fn powers(&mut self) {
        let by_rows = Features { heads: Heads::Rows, by_segment: true, ..Features::PLAIN };
        macro_rules! sums {
            ($($ty:ty)*) => { $(
                let steps = Parts::<$ty, $ty, _, _, _>::new(SumOfPowers, MapWith(Power), Logarithm);
                self.with_functions::<_, Whole>(&steps, None, |list, functions| {
                    list.scans(concat!(stringify!($ty), " powers by rows"), by_rows, functions);
                });
            )* };
        }
        sums! { f32 f64 }
    }
}
