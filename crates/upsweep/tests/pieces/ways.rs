//! Checks of scans and reductions of an input: with each cut, direction and start, against the oracle over the mapped
//! values.

use upsweep::Inputs;
use upsweep::operator::{Map, MapWith};
use upsweep::prelude::*;
use upsweep_testing::check::Start;
use upsweep_testing::cuts::one_of_each;
use upsweep_testing::operators::{Affine, Then};
use upsweep_testing::oracle::{self, Cut, Rule};
use upsweep_testing::place::Place;
use upsweep_testing::sizes;

pub(crate) fn rule() -> Rule<Affine, Affine, Affine> {
    let combine =
        |f: Affine, g: Affine| Affine { m: g.m.wrapping_mul(f.m), c: g.m.wrapping_mul(f.c).wrapping_add(g.c) };
    Rule::new(combine, Some(Affine { m: 1, c: 0 }))
}

/// Expands to a call with a cut: `$run!(options, arguments..)`.
macro_rules! with_cut {
    ($place:expr, $cut:expr, |$make:ident| $run:expr) => {
        match $cut {
            Cut::Whole => {
                macro_rules! $make {
                    ($builder:expr) => {
                        $builder
                    };
                }
                $run
            }
            Cut::Axis(shape, axis) => {
                macro_rules! $make {
                    ($builder:expr) => {
                        $builder.axis(shape, *axis)
                    };
                }
                $run
            }
            Cut::HeadFlags(flags) => {
                let flags = $place.upload(flags, 1);
                macro_rules! $make {
                    ($builder:expr) => {
                        $builder.segments(Segments::HeadFlags(&flags))
                    };
                }
                $run
            }
            Cut::Keys(keys) => {
                let keys = $place.upload(keys, 1);
                macro_rules! $make {
                    ($builder:expr) => {
                        $builder.segments(Segments::Keys(&keys))
                    };
                }
                $run
            }
            Cut::Offsets(offsets) => {
                let offsets = $place.upload(offsets, 0);
                macro_rules! $make {
                    ($builder:expr) => {
                        $builder.segments(Segments::Offsets(&offsets))
                    };
                }
                $run
            }
        }
    };
}

pub(crate) use with_cut;

/// Scans and reduces `input`, whose map computes `mapped`, with every cut, direction and start.
pub(crate) fn every_way<'x, X, F>(place: &Place, mapped: &[Affine], map: F, input: impl Fn() -> X)
where
    X: Inputs<'x>,
    F: Copy,
    MapWith<F>: Map<X::Value, X::Args, Output = Affine>,
{
    let (len, device, init) = (mapped.len(), &place.device, Affine { m: 5, c: 6 });
    let starts = [Start::Nothing, Start::Value(init), Start::Buffer(init)];
    for (number, cut) in one_of_each(len).into_iter().enumerate() {
        let lines = cut.lines(len);
        let start = starts[(number + len) % 3];
        let first = place.upload(&[init], 0);
        let begins = (!matches!(start, Start::Nothing)).then_some(init);
        for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut scan = Scan::new(Then).map(map);
            if exclusive {
                scan = scan.exclusive();
            }
            if reverse {
                scan = scan.reverse();
            }
            let expected = oracle::scan(mapped, &lines, &rule(), begins, exclusive, reverse);
            let mut output = place.poisoned::<Affine>(len, len % 3);
            with_cut!(place, &cut, |cut| match start {
                Start::Nothing => cut!(scan).run(device, input(), &mut output),
                Start::Value(init) => cut!(scan).init(init).run(device, input(), &mut output),
                Start::Buffer(_) => cut!(scan).init_from(&first).run(device, input(), &mut output),
            })
            .unwrap();
            assert_eq!(output.check_guards(), expected, "{cut:?}, {start:?}, {exclusive}, {reverse}, {len} elements");
        }
        let expected = oracle::reduce(mapped, &lines, &rule(), begins);
        let reduce = Reduce::new(Then).map(map);
        let mut output = place.poisoned::<Affine>(expected.len(), len % 3);
        with_cut!(place, &cut, |cut| match start {
            Start::Nothing => cut!(reduce).run(device, input(), &mut output),
            Start::Value(init) => cut!(reduce).init(init).run(device, input(), &mut output),
            Start::Buffer(_) => cut!(reduce).init_from(&first).run(device, input(), &mut output),
        })
        .unwrap();
        assert_eq!(output.check_guards(), expected, "reduced by {cut:?}, {start:?}, {len} elements");
    }
}

pub(crate) fn lens() -> Vec<usize> {
    [sizes::few(), if sizes::reduced() { vec![9000] } else { vec![33_000, 200_003] }].concat()
}
