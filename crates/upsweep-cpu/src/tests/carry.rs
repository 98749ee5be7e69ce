//! Carry of a scan: the initial value for a scan of the elements that follow.

use super::*;
use std::fmt::Debug;
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::Direction;
use upsweep_core::operator::Same;
use upsweep_core::operator::builtin::Sum;
use upsweep_core::segments::Whole;
use upsweep_core::steps::Parts;

const DIRECTIONS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// Scans `x` to `out`, or in place without `x`, and returns the carry.
fn scan<T: Element, Op: Operator<T>>(
    (operator, direction, init): (Op, Direction, Option<T>),
    x: Option<&[T]>,
    out: &mut [T],
    untouched: T,
    limits: Limits,
) -> T {
    let mut carry = [untouched; 2];
    let steps = Parts::<T, T, _, _, _>::new(operator, Same, Same);
    let results = (out.as_mut_ptr(), out.len());
    let job = job::<_, _, _, Whole>(steps, x, results, shape_of(out.len()), SegmentKind::Whole, init);
    crate::scan::run_within(job, direction, Some(ViewMut::Host(&mut carry)), limits).unwrap();
    carry[0]
}

/// Checks the carry, and that a scan that stores one has the results of one that does not.
fn check<T, Op>(operator: Op, value: impl Fn(u64) -> T + Sync, untouched: T)
where
    T: Element + PartialEq + Debug,
    Op: Operator<T>,
{
    for threads in [1, 2, 8] {
        with_threads(threads, || {
            let random = &mut Random(21);
            for block in BLOCKS {
                for n in sizes(block) {
                    for (exclusive, reverse) in DIRECTIONS {
                        let needs_init = operator.identity().is_none() && (exclusive || n == 0);
                        let init = (needs_init || random.coin()).then(|| value(random.next()));
                        let x: Vec<T> = (0..n).map(|_| value(random.next())).collect();
                        let limits = limits(block, random.coin());
                        let at = |k: usize| x[if reverse { n - 1 - k } else { k }];
                        let (mut state, mut expected) = (init, x.clone());
                        for k in 0..n {
                            let next = state.map_or(at(k), |state| operator.combine(state, at(k)));
                            expected[if reverse { n - 1 - k } else { k }] =
                                if exclusive { state.or(operator.identity()).unwrap() } else { next };
                            state = Some(next);
                        }
                        let state = state.or(operator.identity()).unwrap();

                        let mut found = x.clone();
                        let from = random.coin().then_some(&x[..]);
                        let direction = Direction { exclusive, reverse, total: false };
                        let carry = scan((operator, direction, init), from, &mut found, untouched, limits);
                        let what = || format!("{n} elements, blocks of {block}, {direction:?}, {init:?}");
                        assert_eq!(carry, state, "{}", what());
                        assert!(found == expected, "{}", what());
                    }
                }
            }
        });
    }
}

#[test]
fn the_state_after_the_last_element() {
    check(Then, |x| Affine(x as u32 | 1, (x >> 9) as u32), Affine(0, 0));
    check(Concat, Word::letter, Word(0, 0));
    check(Sum, |x| x as i8, 0);
}

#[test]
fn chunks_are_the_whole_scan() {
    for threads in [1, 2, 8] {
        with_threads(threads, || {
            let random = &mut Random(22);
            for block in BLOCKS {
                for n in [0, 1, 65, 300, 2049, 9000] {
                    for (exclusive, reverse) in DIRECTIONS {
                        let direction = Direction { exclusive, reverse, total: false };
                        let x: Vec<Affine> = (0..n).map(|_| Affine(random.next() as u32 | 1, 7)).collect();
                        let run = |init, x: &[Affine], out: &mut [Affine]| {
                            scan((Then, direction, init), Some(x), out, Affine(0, 0), limits(block, false))
                        };
                        let mut expected = x.clone();
                        let whole = run(None, &x, &mut expected);
                        let mut cuts = random_offsets(random, n);
                        if reverse {
                            cuts.reverse();
                        }
                        let (mut found, mut carry) = (x.clone(), None);
                        for pair in cuts.windows(2) {
                            let chunk = pair[0].min(pair[1])..pair[0].max(pair[1]);
                            carry = Some(run(carry, &x[chunk.clone()], &mut found[chunk]));
                        }
                        assert_eq!(carry, Some(whole), "{n} elements, blocks of {block}, {direction:?}, {cuts:?}");
                        assert!(found == expected, "{n} elements, blocks of {block}, {direction:?}, {cuts:?}");
                    }
                }
            }
        });
    }
}

/// Checks that the carry is a reduction: the same bits with any number of threads, in place, and as `reduce` has them.
#[test]
fn floats_have_the_same_bits() {
    let random = &mut Random(23);
    let direction = Direction::default();
    for n in [1, 63, 200, 2048, 5001, 12345] {
        let x: Vec<f32> = (0..n).map(|_| (random.next() as f32).sqrt() - 1e3).collect();
        for block in [7, 200, 2500] {
            let limits = limits(block, false);
            let mut all = Vec::new();
            for threads in [1, 2, 8] {
                let (mut out, mut place) = (x.clone(), x.clone());
                with_threads(threads, || {
                    all.push(scan((Sum, direction, None), Some(&x), &mut out, 0.0, limits).to_bits());
                    all.push(scan((Sum, direction, None), None, &mut place, 0.0, limits).to_bits());
                });
            }
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{n} elements, blocks of {block}: {all:?}");
        }
    }
}
