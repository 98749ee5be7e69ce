//! Tests of tables whose rows have fewer cells than the first one: `--ragged`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;
use support::{Folder, npy};

const TABLE: &str = "a,b,c\n1,w,3\n4\n5,\"x,y\"\n6,v,8\n";
const FULL: &str = "a,b,c\n1,w,3\n4,,\n5,\"x,y\",\n6,v,8\n";

#[test]
fn missing_cells_are_empty() {
    let f = Folder::new();
    f.file("t.csv", TABLE).file("full.csv", FULL);
    let commands: [&[&str]; 10] = [
        &["scan", "T", "--column", "a"],
        &["scan", "T", "--column", "c", "--missing", "skip"],
        &["scan", "T", "--column", "a", "-o", "out.tsv"],
        &["reduce", "T", "--column", "c", "--missing", "zero"],
        &["reduce", "T", "--column", "a", "--group-by", "b"],
        &["sort", "T", "--column", "c", "--desc"],
        &["sort", "T", "--column", "-a", "-o", "out.csv"],
        &["select", "T", "--where", "c is null"],
        &["select", "T", "--where", "a > 3", "--keep", "c,a"],
        &["unique", "T", "--column", "b"],
    ];
    for command in commands {
        let of = |name: &'static str, more: &[&str]| {
            let args: Vec<&str> =
                command.iter().map(|&arg| if arg == "T" { name } else { arg }).chain(more.iter().copied()).collect();
            let printed = f.prints(&args);
            let written = command.iter().find(|arg| arg.starts_with("out.")).map(|name| f.read(name));
            (printed, written)
        };
        assert_eq!(of("t.csv", &["--ragged"]), of("full.csv", &[]), "{command:?}");
        // Where no row is shorter, nothing is changed.
        assert_eq!(of("full.csv", &["--ragged"]), of("full.csv", &[]), "{command:?}");
    }
    let crlf = TABLE.replace('\n', "\r\n");
    let scan = ["scan", "-", "--format", "csv", "--column", "a", "--ragged"];
    assert_eq!(f.run_with(&scan, crlf.as_bytes()).good(), f.run_with(&scan, TABLE.as_bytes()).good());
    assert_eq!(f.run_with(&scan, b"a,b\n1").good(), "a,b,a_sum\n1,,1\n");
}

#[test]
fn longer_rows_and_missing_numbers_are_errors() {
    let f = Folder::new();
    f.file("t.csv", TABLE).file("long.csv", "a,b\n1,2,3\n").file("x.npy", npy("'|u1'", "(1,)", &[1]));
    f.fails(&["scan", "t.csv", "--column", "a"], b"", 2, &["t.csv: row 3: has 1 cell where the first row has 3"]);
    f.fails(
        &["scan", "long.csv", "--column", "a", "--ragged"],
        b"",
        2,
        &["row 2: has 3 cells where the first row has 2"],
    );
    f.fails(&["scan", "t.csv", "--column", "c", "--ragged"], b"", 2, &["t.csv: row 3: column c: the cell is empty"]);
    f.fails(&["scan", "x.npy", "--ragged"], b"", 2, &["--ragged"]);
}
