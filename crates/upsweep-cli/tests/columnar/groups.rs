//! Groups of Parquet and Arrow: they have the results of the same table as text.

use super::support::Folder;
use super::{arrow_file, parquet_file, rows};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Float64Array, RecordBatch};
use parquet::basic::Compression;
use std::fmt::Write;
use std::sync::Arc;

/// The columns `a`, `x` and `t` as a table of text, in which a null is an empty cell.
fn text_of(rows: &RecordBatch) -> String {
    let (a, x) = (rows.column(0).as_primitive::<Int32Type>(), rows.column(1).as_primitive::<Float64Type>());
    let mut text = "a,x,t\n".to_owned();
    for ((a, x), t) in a.values().iter().zip(x).zip(rows.column(2).as_string::<i32>()) {
        let x = x.map_or_else(String::new, |x| format!("{x:?}"));
        writeln!(text, "{a},{x},{}", t.unwrap_or_default()).unwrap();
    }
    text
}

#[test]
fn groups_are_those_of_a_text() {
    let f = Folder::new();
    for (n, group) in [(0, 10), (1, 10), (2500, 300), (20_000, 20_000)] {
        let input = rows(n);
        f.file("x.csv", text_of(&input))
            .file("x.parquet", parquet_file(&input, group, Compression::SNAPPY))
            .file("x.arrow", arrow_file(&input, group));
        for call in [
            "--column a --group-by t",
            "--column a --group-by t --op sum,count,mean,max,first,last",
            "--column a,x --group-by t,a --op sum,count,min",
            "--column a,x --group-by 3",
            "--op count --group-by t",
            "--op count --group-by t,a",
            "--column x --group-by t --op median,std,q0.9,distinct,mode",
            "--column a,x --op sum,mean,count,last",
            "--column x --op mean",
            "--column a --op count",
            "--column t --group-by a --op max,min,mode,distinct,first,count --missing skip",
            "--column t --op min,max --missing skip",
            "--column a --group-by t --op sum --sum-type i32",
        ] {
            let call: Vec<&str> = call.split(' ').collect();
            let of = |file: &str| f.run(&[&["reduce", file], &call[..]].concat());
            let expected = of("x.csv");
            for file in ["x.parquet", "x.arrow"] {
                let found = of(file);
                // Where there is no text, the type of a text's column shows nowhere.
                let same = found.code == expected.code && (n <= 1 || found.stdout == expected.stdout);
                assert!(same, "{file} of {n}, {call:?}: {found:?}, {expected:?}");
            }
        }
        let written = |file| {
            f.prints(&["reduce", file, "--column", "a", "--group-by", "t,a", "--op", "sum,count", "-o", "y.csv"]);
            f.read("y.csv")
        };
        assert_eq!(written("x.parquet"), written("x.csv"));
    }
    let rows_of = f.run_with(&["reduce", "-", "--from", "parquet", "--op", "count"], &f.read("x.parquet")).good();
    assert_eq!(rows_of, "20000\n");
}

/// Numbers that are null are missing ones, as empty cells are.
#[test]
fn nulls_of_groups() {
    let (f, input) = (Folder::new(), rows(30_000));
    let x = input.column(1).as_primitive::<Float64Type>().values().iter();
    let x: Float64Array = x.enumerate().map(|(k, &x)| (k % 7 > 1 && k % 11 > 0).then_some(x)).collect();
    let mut columns = input.columns().to_vec();
    columns[1] = Arc::new(x);
    let input = RecordBatch::try_new(input.schema(), columns).unwrap();
    f.file("x.csv", text_of(&input)).file("x.parquet", parquet_file(&input, 7000, Compression::SNAPPY));
    for missing in ["skip", "zero", "propagate"] {
        for call in ["x --group-by t --op sum,count,mean,last", "x,a --group-by a --op sum,max", "x --op median,sum"] {
            let call: Vec<&str> = call.split(' ').collect();
            let of = |file: &str| f.prints(&[&["reduce", file, "--missing", missing, "--column"], &call[..]].concat());
            assert_eq!(of("x.parquet"), of("x.csv"), "{missing} {call:?}");
        }
    }
    f.fails(&["reduce", "x.parquet", "--column", "x", "--group-by", "a"], b"", 2, &["x.parquet: row 1: column x: "]);
}

/// More rows than a batch has.
#[test]
fn groups_in_batches() {
    let (f, input) = (Folder::new(), rows((1 << 20) + 70_000));
    f.file("x.csv", text_of(&input)).file("x.parquet", parquet_file(&input, 1 << 20, Compression::UNCOMPRESSED));
    let of = |file| f.prints(&["reduce", file, "--column", "a,x", "--group-by", "t", "--op", "sum,mean,last"]);
    assert_eq!(of("x.parquet"), of("x.csv"));
}

#[test]
fn wrong_groups_are_told() {
    let f = Folder::new();
    f.file("x.parquet", parquet_file(&rows(10), 5, Compression::SNAPPY));
    let fails = |args: &[&str], words: &[&str]| f.fails(&[&["reduce", "x.parquet"], args].concat(), b"", 2, words);
    fails(&["--column", "a", "--group-by", "d"], &["x.parquet: column d is of the type Date32: groups are of texts"]);
    fails(&["--column", "t", "--group-by", "a"], &["x.parquet: column t is of the type Utf8: numbers and bool"]);
    fails(&["--column", "t", "--group-by", "a", "--op", "max"], &["row 1: column t: the cell is empty"]);
    fails(&["--column", "z", "--group-by", "a"], &["has no column `z`: the columns are a, x, t, d"]);
    fails(&["--group-by", "t"], &["x.parquet", "--column"]);
    fails(&["--column", "a", "--group-by", "t", "--type", "i64"], &["there is no --type"]);
    fails(&["x.parquet", "--column", "a", "--group-by", "t"], &["are of one table: put them together first"]);
}
