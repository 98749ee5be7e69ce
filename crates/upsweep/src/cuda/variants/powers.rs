//! Sums of powers of rows, whose map and finish compute.

use super::super::features::{Features, Heads};
use super::List;
use crate::operator::MapWith;
use crate::operator::builtin::{Logarithm, Power, SumOfPowers};
use crate::segments::Whole;
use crate::steps::Parts;

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
