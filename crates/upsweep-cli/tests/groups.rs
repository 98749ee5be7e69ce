//! Tests of groups whose values come in several batches: results are those of the values of each group alone.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;
use std::fmt::Write;
use support::{Folder, Random};
use upsweep_dynamic::{Op, Reduce, Type, Values, View};

/// Number of values of a batch: see `groups/column.rs`.
const BATCH: usize = 1 << 20;

/// Group of the next row: one has half of the rows, 40 a hundredth each, and there are many with few.
fn group(random: &mut Random, row: usize) -> usize {
    match random.below(10) {
        0..5 => 0,
        5..9 => 1 + random.below(40),
        // New ones come up to the end.
        _ => 41 + random.below(row / 40 + 1),
    }
}

/// Total of floats by the library.
fn total(op: Op, x: &[f64]) -> f64 {
    let total = Reduce::new(op).accumulate(Type::F64).run(&upsweep::Device::cpu(), View::F64(x)).unwrap();
    if let Values::F64(total) = total { total[0] } else { f64::NAN }
}

#[test]
fn floats_have_the_bits_of_their_group_alone() {
    let (f, mut random) = (Folder::new(), Random(3));
    let (mut table, mut groups) = ("g,x\n".to_owned(), Vec::<Vec<f64>>::new());
    for row in 0..2 * BATCH + BATCH / 2 {
        let (k, x) = (group(&mut random, row), random.next() % 1_000_003);
        let x = if x % 7 == 0 { x as f64 * 1e6 } else { x as f64 / 1e4 };
        writeln!(table, "{k},{x:?}").unwrap();
        groups.resize(groups.len().max(k + 1), Vec::new());
        groups[k].push(x);
    }
    f.file("t.csv", table);
    let found =
        f.prints(&["reduce", "t.csv", "--group-by", "g", "--column", "x", "--op", "sum,mean,max,count,first,last"]);
    let mut expected = String::new();
    for (k, x) in groups.iter().enumerate().filter(|(_, x)| !x.is_empty()) {
        let (sum, max, n) = (total(Op::Sum, x), total(Op::Max, x), x.len());
        writeln!(expected, "{k}\t{sum:?}\t{:?}\t{max:?}\t{n}\t{:?}\t{:?}", sum / n as f64, x[0], x[n - 1]).unwrap();
    }
    let differ = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(differ.is_none() && found.len() == expected.len(), "{differ:?}");
    // Without groups all values are one.
    let all = f.prints(&["reduce", "t.csv", "--column", "x", "--op", "sum,count"]);
    let sum = f.prints(&["reduce", "t.csv", "--column", "x"]);
    assert_eq!(all, format!("{}\t{}\n", sum.trim_end(), 2 * BATCH + BATCH / 2));
}

/// A column of integers up to a batch is one of floats if a fraction comes later.
#[test]
fn fractions_behind_a_batch() {
    let f = Folder::new();
    let rows = BATCH + 1000;
    let mut table = "g,a,b\n".to_owned();
    (0..rows).for_each(|row| writeln!(table, "{},{row},{}", row % 2, row % 3).unwrap());
    let call = ["reduce", "t.csv", "--group-by", "g", "--column", "a,b", "--op", "sum,min,last"];
    let sum = |begin: usize, step: usize| (begin..rows).step_by(step).sum::<usize>();
    let odd = |of: usize| (0..rows).filter(|row| row % 2 == of).map(|row| row % 3).sum::<usize>();
    let last = |of: usize| (rows - 2 + of) % 3;
    f.file("t.csv", &table);
    let line = |k: usize| format!("{k}\t{}\t{k}\t{}\t{}\t0\t{}\n", sum(k, 2), rows - 2 + k, odd(k), last(k));
    assert_eq!(f.prints(&call), line(0) + &line(1));
    f.file("t.csv", table + "0,0.5,7\n");
    let first = format!("0\t{}.5\t0.0\t0.5\t{}\t0\t7\n", sum(0, 2), odd(0) + 7);
    let second = format!("1\t{}.0\t1.0\t{}.0\t{}\t0\t{}\n", sum(1, 2), rows - 1, odd(1), last(1));
    assert_eq!(f.prints(&call), first + &second);
    // An integer that is no float is told where it is.
    let table = format!("g,a\n0,9007199254740993\n{}0,0.5\n", "0,1\n".repeat(BATCH));
    f.file("t.csv", table);
    f.fails(&["reduce", "t.csv", "--group-by", "g", "--column", "a"], b"", 2, &["9007199254740993"]);
}

/// Totals are exact over all batches: one that does not fit is told, with its group.
#[test]
fn overflow_of_a_group_in_batches() {
    let f = Folder::new();
    let table = |last: &str| {
        let zeros = "0,0\n".repeat(BATCH);
        f.file("t.csv", format!("g,a\n1,9223372036854775807\n{zeros}2,1\n1,{last}\n"));
    };
    let call = ["reduce", "t.csv", "--group-by", "g", "--column", "a"];
    table("1");
    f.fails(&call, b"", 2, &["group `1`: the sum does not fit i64, it is 9223372036854775808"]);
    assert_eq!(f.prints(&[&call[..], &["--wrap"]].concat()), "0\t0\n1\t-9223372036854775808\n2\t1\n");
    table("-1");
    assert_eq!(f.prints(&call), "0\t0\n1\t9223372036854775806\n2\t1\n");
    assert_eq!(f.prints(&[&call[..], &["--op", "mean"]].concat()), "0\t0.0\n1\t4.611686018427388e18\n2\t1.0\n");
}

/// Texts after a batch of numbers, and values that are left out, so that columns have other batches.
#[test]
fn texts_and_missing_values_behind_a_batch() {
    let f = Folder::new();
    let rows: String =
        (0..BATCH + 10).map(|row| format!("{},{},1\n", row % 2, if row % 4 == 0 { "NA" } else { "3" })).collect();
    f.file("t.csv", format!("g,a,b\n{rows}"));
    let call = ["reduce", "t.csv", "--group-by", "g", "--missing", "skip", "--na", "NA"];
    let found = f.prints(&[&call[..], &["--column", "a,b", "--op", "sum,count"]].concat());
    let (half, quarter) = (BATCH / 2 + 5, BATCH / 4 + 2);
    assert_eq!(
        found,
        format!("0\t{}\t{quarter}\t{half}\t{half}\n1\t{}\t{half}\t{half}\t{half}\n", 3 * quarter, 3 * half)
    );
    f.file("t.csv", format!("g,a,b\n{rows}0,z,1\n1,y,1\n"));
    let found = f.prints(&[&call[..], &["--column", "a", "--op", "max,last,count"]].concat());
    assert_eq!(found, format!("0\tz\tz\t{}\n1\ty\ty\t{}\n", quarter + 1, half + 1));
}
