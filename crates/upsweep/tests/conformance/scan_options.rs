//! Scan: every option with every other, for an operator that commutes, one that does not, and one without identity.

use upsweep::operator::Same;
use upsweep::operator::builtin::Sum;
use upsweep::{Operator, Scan};
use upsweep_testing::check::{Case, Cuts, Reach, Start};
use upsweep_testing::cuts::one_of_each;
use upsweep_testing::operators::{Affine, Concat, Then, concat, then};
use upsweep_testing::oracle::Rule;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(scan_options_sum, scan_options_not_commutative, scan_options_no_identity);

fn scan_options_sum(place: &Place) {
    let rule = Rule::new(|a: u32, b: u32| a.wrapping_add(b), Some(0));
    every_option(place, Scan::new(Sum), &rule);
}

fn scan_options_not_commutative(place: &Place) {
    every_option(place, Scan::new(Then), &Rule::new(then, Some(Affine { m: 1, c: 0 })));
}

fn scan_options_no_identity(place: &Place) {
    every_option(place, Scan::new(Concat), &Rule::new(concat, None));
}

fn every_option<T: Sample, Op: Operator<T>>(place: &Place, scan: Scan<'_, Op, Same, Same>, rule: &Rule<T, T, T>) {
    // The last length is one that the CPU shares among its threads.
    let long = if sizes::reduced() { vec![8256] } else { vec![192, 8256, 40_000, 270_336] };
    for len in [sizes::few(), long].concat() {
        let x = random_values::<T>(len);
        let init = T::random(&mut Rng::new(77));
        for cut in one_of_each(len) {
            for start in [Start::Nothing, Start::Value(init), Start::Buffer(init)] {
                let case = Case::new().cut(cut.clone()).start(start).offsets(len % 3, len % 5);
                for case in case.directions(rule.identity.is_some()) {
                    Cuts.scan_both(place, scan, rule, &x, &case);
                }
            }
        }
    }
}
