//! Tests of every algorithm against the oracle on the machine model: lengths around every boundary, three operators,
//! both bank layouts. The model's own checks (races, words outside an array, words never written) are part of it.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use support::{LENGTHS, MILLION, affine, random};
use upsweep_lab::algorithm::{Algorithm, Element, Error, Input, Setup};
use upsweep_lab::algorithms::{ALGORITHMS, by_name};
use upsweep_lab::machine::{Banks, Fault};
use upsweep_lab::operator::Operator;

/// Lengths for algorithms that take any: the last group, wave or level is not full, or is.
const LONGER: [usize; 5] = [2049, 16_384, 65_536, 70_001, 100_352];

/// Whether the algorithm is meant to be right.
fn is_right(algorithm: &&Algorithm) -> bool {
    !algorithm.is_faulty()
}

fn check<T: Element>(algorithm: &Algorithm, operator: Operator<T>, value: impl Fn(usize) -> T, n: usize) {
    if !algorithm.suits(&operator) {
        return;
    }
    let values: Vec<_> = (0..n).map(value).collect();
    let heads: Vec<_> = (0..n).map(|index| random(index + 7) % 5 == 0).collect();
    let input = Input { values: &values, heads: &heads };
    let banks = [Banks::Sixteen, Banks::ThirtyTwo];
    // A million elements run with one bank layout only.
    for &banks in if n < MILLION { &banks[..] } else { &banks[1..] } {
        let setup = Setup { operator, shape: banks.into(), records: false };
        let what = format!("{} of {n} elements, {}", algorithm.name, operator.name);
        let outcome = algorithm.run(setup, &input).map(|outcome| outcome.results);
        assert_eq!(outcome.as_ref().err(), None, "{what}");
        let results = outcome.unwrap_or_default();
        let expected = algorithm.computes.oracle(&operator, &input);
        let first_wrong = results.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert_eq!((results.len(), first_wrong), (expected.len(), None), "{what}");
    }
}

fn check_all(algorithm: &Algorithm, n: usize) {
    check(algorithm, Operator::<i64>::sum(), random, n);
    check(algorithm, Operator::<i64>::max(), random, n);
    check(algorithm, Operator::affine(), affine, n);
}

#[test]
fn algorithms_agree_with_the_oracle() {
    for algorithm in ALGORITHMS.iter().filter(is_right) {
        for n in LENGTHS.into_iter().filter(|&n| n <= algorithm.limit) {
            check_all(algorithm, n);
        }
    }
}

/// Algorithms without a limit at long lengths, with the operator that needs the order if the algorithm keeps it. One
/// operator is enough: a length does not depend on it.
#[test]
fn any_length_is_any_length() {
    let algorithms: Vec<_> =
        ALGORITHMS.iter().filter(is_right).filter(|algorithm| algorithm.limit == usize::MAX).collect();
    let next = AtomicUsize::new(0);
    let check_some = || {
        while let Some(algorithm) = algorithms.get(next.fetch_add(1, Ordering::Relaxed)) {
            for n in LONGER.into_iter().chain([MILLION]) {
                if algorithm.suits(&Operator::affine()) {
                    check(algorithm, Operator::affine(), affine, n);
                } else {
                    check(algorithm, Operator::<i64>::sum(), random, n);
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(check_some))));
}

/// Quicksort against the sort of the standard library: the seeds' keys, keys in order and in reverse, few distinct
/// keys.
#[test]
fn quicksort_sorts() {
    let quicksort = by_name("quicksort").expect("it is listed");
    let sorted = |values: &[i64]| {
        let setup = Setup { operator: Operator::<i64>::sum(), shape: Banks::ThirtyTwo.into(), records: false };
        let outcome = quicksort.run(setup, &Input { values, heads: &vec![false; values.len()] }).expect("no fault");
        let mut expected = values.to_vec();
        expected.sort_unstable();
        assert_eq!(outcome.results, expected, "{values:?}");
        (outcome.run.steps.iter().filter(|step| step.label == "mark").count(), outcome.run.total().operations)
    };
    // Two rounds: [3 1 7 0 4 1 6 3] by 3, then [1 0 1], [3 3] and [7 4 6] by 1, 3 and 7. Two comparisons a thread a
    // round, the last thread one, and two additions for each word that has one of its segment to its left: 7 + 6 + 4 of
    // all eight, in segments of 3, 2 and 3 (2 + 1) + 1 + (2 + 1).
    assert_eq!(sorted(&[3, 1, 7, 0, 4, 1, 6, 3]), (2, 2 * 15 + 2 * 17 + 2 * 7));
    // Every order of four keys, two of them the same.
    for code in 0..4_i64.pow(4) {
        sorted(&[code % 4, code / 4 % 4, code / 16 % 4, code / 64].map(|key| key.min(2)));
    }
    assert_eq!(sorted(&(0..100).collect::<Vec<_>>()).0, 1);
    assert_eq!(sorted(&(0..100).rev().collect::<Vec<_>>()).0, 99);
    assert_eq!(sorted(&[i64::MAX, i64::MIN, 0]).0, 1);
    for n in [1, 2, 31, 32, 33, 257, 1024] {
        let (rounds, _) = sorted(&(0..n).map(random).collect::<Vec<_>>());
        assert!(rounds as f64 <= 1.0 + 4.0 * (n as f64).ln(), "{n}: {rounds} rounds");
        sorted(&(0..n).map(|index| random(index) % 3).collect::<Vec<_>>());
    }
}

#[test]
fn a_single_buffer_races() {
    let racing = by_name("kogge-stone-race").expect("it is listed");
    check_all(racing, 32);
    let values = [1; 33];
    let setup = Setup { operator: Operator::<i64>::sum(), shape: Banks::ThirtyTwo.into(), records: false };
    match racing.run(setup, &Input { values: &values, heads: &[false; 33] }) {
        // Thread 31 writes the word that thread 32, of the next warp, reads.
        Err(Error::Fault(Fault::Race { at, first, second })) => {
            assert_eq!((at.array, at.index), ("s", 31));
            assert_eq!((first.thread, first.write, second.thread, second.write), (32, false, 31, true));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn operators_that_do_not_commute_need_the_order() {
    let values: Vec<_> = (0..8).map(affine).collect();
    let input = Input { values: &values, heads: &[false; 8] };
    let setup = Setup { operator: Operator::affine(), shape: Banks::ThirtyTwo.into(), records: false };
    for name in ["reduce-sequential", "reduce-unrolled"] {
        let algorithm = by_name(name).expect("it is listed");
        let error = algorithm.run(setup, &input).expect_err("affine does not commute");
        assert_eq!(error, Error::Order { algorithm: name, operator: "affine" });
        // The algorithm that the error names exists, and keeps the order.
        let ordered = error.to_string().split_whitespace().find(|word| word.ends_with("-ordered")).and_then(by_name);
        let found = ordered.expect("it is listed").run(setup, &input).map(|outcome| outcome.results);
        assert_eq!(found, Ok(algorithm.computes.oracle(&Operator::affine(), &input)));
    }
    // As on the slide: the lower half gets the upper one.
    let input = Input { values: &[3, 1, 7, 0, 4, 1, 6, 3], heads: &[false; 8] };
    let setup = Setup { operator: Operator::<i64>::sum(), shape: Banks::ThirtyTwo.into(), records: true };
    let run = by_name("reduce-sequential").expect("it is listed").run(setup, &input).expect("it runs").run;
    let s = run.arrays.iter().position(|array| array.name == "s").expect("it has one");
    let words = |steps| run.memory_after(steps)[s].iter().flatten().take(4).cloned().collect::<Vec<_>>();
    assert_eq!(
        (words(1), words(2)),
        (["3", "1", "7", "0"].map(str::to_owned).to_vec(), ["7", "2", "13", "3"].map(str::to_owned).to_vec())
    );
}
