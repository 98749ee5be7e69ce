//! Tests of `scan` over windows, and of the value before.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;
use support::{Folder, bytes_of, npy, npy_data};

const TABLE: &str = "k,v\na,1\na,3\na,2\nb,10\nb,NA\nb,20\nb,40\n";

/// Last cells of the rows that `scan` prints, in a line.
fn last(f: &Folder, args: &[&str]) -> String {
    let printed = f.prints(&[&["scan", "t.csv", "--column", "v", "--missing", "skip", "--na", "NA"], args].concat());
    printed.lines().map(|line| line.rsplit(',').next().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn windows_of_a_table() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    assert_eq!(last(&f, &["--window", "2"]), "v_sum_2  4 5 12  30 60");
    assert_eq!(last(&f, &["--window", "2", "--op", "mean"]), "v_mean_2  2.0 2.5 6.0  15.0 30.0");
    assert_eq!(last(&f, &["--window", "3", "--op", "max"]), "v_max_3   3 10  20 40");
    assert_eq!(last(&f, &["--window", "3", "--op", "min", "--by-key", "k"]), "v_min_3   1    10");
    assert_eq!(last(&f, &["--window", "1"]), "v_sum_1 1 3 2 10  20 40");
    assert_eq!(last(&f, &["--window", "9999999999"]), "v_sum_9999999999       ");
    assert_eq!(last(&f, &["--op", "lag"]), "v_lag  1 3 2  10 20");
    assert_eq!(last(&f, &["--op", "diff", "--by-key", "k"]), "v_diff  2 -1   10 20");
    // Values that are missing stand for 0.
    let zero =
        f.prints(&["scan", "t.csv", "--column", "v", "--missing", "zero", "--na", "NA", "--op", "diff", "-o", "-"]);
    assert!(zero.ends_with("b,NA,-10\nb,20,20\nb,40,20\n"), "{zero}");
    f.file("e.csv", "v\n");
    assert_eq!(f.prints(&["scan", "e.csv", "--op", "lag"]), "v,v_lag\n");
}

#[test]
fn windows_of_arrays() {
    let f = Folder::new();
    f.file("x.npy", npy("'<u1'", "(5,)", &[200, 100, 0, 255, 7]));
    f.file("y.npy", npy("'<f4'", "(4,)", &bytes_of!(f32: 1.5, f32::NAN, 2.0, 4.0)));
    f.prints(&["scan", "x.npy", "--window", "2", "-o", "o.npy"]);
    assert_eq!(npy_data(&f.read("o.npy")), bytes_of!(u64: 300, 100, 255, 262));
    f.prints(&["scan", "x.npy", "--op", "diff", "-o", "o.i64"]);
    assert_eq!(f.read("o.i64"), bytes_of!(i64: -100, -100, 255, -248));
    f.prints(&["scan", "x.npy", "--op", "lag", "-o", "o.u8"]);
    assert_eq!(f.read("o.u8"), [200, 100, 0, 255]);
    f.prints(&["scan", "y.npy", "--op", "max", "--window", "2", "-o", "o.f32"]);
    assert_eq!(f.read("o.f32")[8..], bytes_of!(f32: 4.0));
    assert_eq!(
        f.run_with(&["scan", "-", "--window", "3", "--op", "mean"], b"1 2 3 5").good(),
        "2.0\n3.3333333333333335\n"
    );
    assert_eq!(f.run_with(&["scan", "-", "--window", "3"], b"1 2").good(), "");
    // Sums do not keep what is gone.
    assert_eq!(f.run_with(&["scan", "-", "--window", "2"], b"1e300 1 1.5 2.5").good(), "1e300\n2.5\n4.0\n");
    let wrapped = f.run_with(&["scan", "-", "--window", "2", "--wrap"], b"9223372036854775807 1 1").good();
    assert_eq!(wrapped, "-9223372036854775808\n2\n");
    f.prints(&["scan", "x.npy", "--window", "2", "--sum-type", "f32", "-o", "o.f32"]);
    assert_eq!(f.read("o.f32"), bytes_of!(f32: 300.0, 100.0, 255.0, 262.0));
}

#[test]
fn what_is_wrong_with_windows() {
    let f = Folder::new();
    f.file("t.csv", TABLE).file("x.npy", npy("'<u1'", "(2,)", &[1, 2]));
    f.file("o.csv", "v\n9223372036854775807\n1\n").file("o.u64", bytes_of!(u64: u64::MAX, 0));
    let fails = |args: &[&str], words: &[&str]| f.fails(&[&["scan"], args].concat(), b"", 2, words);
    fails(&["x.npy", "--window", "0"], &["--window 0: a window has a value at least"]);
    fails(&["x.npy", "--op", "mean"], &["--op mean: is of windows: give --window 7"]);
    fails(
        &["x.npy", "--op", "product", "--window", "2"],
        &["--window: is for sum, mean, min and max, and --op is product"],
    );
    fails(&["x.npy", "--op", "lag", "--window", "2"], &["and --op is lag"]);
    for option in ["--exclusive", "--reverse", "--init=1", "--axis=0", "--carry-out=c"] {
        fails(
            &["x.npy", "--window", "2", option],
            &[option.split('=').next().unwrap(), "is for results of all values"],
        );
    }
    fails(
        &["o.csv", "--window", "2"],
        &["o.csv: row 3: the sum is 9223372036854775808, which does not fit i64", "--sum-type f64"],
    );
    fails(
        &["o.u64", "--op", "diff"],
        &["o.u64: at 1: the difference is -18446744073709551615, which does not fit i64"],
    );
    fails(&["x.npy", "--op", "max", "--window", "2", "--wrap"], &["--wrap"]);
    fails(&["x.npy", "--op", "mean", "--window", "2", "-o", "o.i32"], &["o.i32"]);
}
