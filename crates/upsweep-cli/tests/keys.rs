//! Tests of several columns as keys and groups, and of statistics of groups.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;
use std::collections::BTreeMap;
use std::fmt::Write;
use support::{Folder, Random};

/// Cells of which "a" and "bc" differ from "ab" and "c", rows that come back, and an empty cell.
const TABLE: &str = "k,l,v\nab,c,1\na,bc,2\nab,c,3\na,,4\n\"a,b\",p,5\n\"a,b\",o,6\na,bc,7\n";

#[test]
fn groups_of_several_columns() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    let of = |args: &[&str]| f.prints(&[&["reduce", "t.csv"], args].concat());
    let sums = "a\tbc\t9\t2\na\t\t4\t1\na,b\to\t6\t1\na,b\tp\t5\t1\nab\tc\t4\t2\n";
    assert_eq!(of(&["--column", "v", "--group-by", "k,l", "--op", "sum,count"]), sums);
    // The one column of numbers that is no key is the one that is meant.
    assert_eq!(of(&["--group-by", "1,2", "--op", "sum,count"]), sums);
    assert_eq!(of(&["--group-by", "k, l", "--op", "count"]).lines().count(), 5);
    f.prints(&["reduce", "t.csv", "--column", "v", "--group-by", "l,k", "--op", "max", "-o", "o.csv"]);
    let written = "l,k,v_max\nbc,a,7\nc,ab,3\no,\"a,b\",6\np,\"a,b\",5\n,a,4\n";
    assert_eq!(String::from_utf8(f.read("o.csv")).unwrap(), written);
    f.fails(&["reduce", "t.csv", "--column", "v", "--group-by", "k,m"], b"", 2, &["has no column `m`"]);
    f.file("o.csv", "k,l,v\na,b,9223372036854775807\na,b,1\n");
    let over = ["reduce", "o.csv", "--column", "v", "--group-by", "k,l"];
    f.fails(&over, b"", 2, &["group `a`, `b`: the sum does not fit"]);
    // A column whose name has a comma comes first.
    f.file("c.csv", "\"k,l\",k,l,v\nx,1,1,5\ny,1,1,6\n");
    assert_eq!(f.prints(&["reduce", "c.csv", "--column", "v", "--group-by", "k,l"]), "x\t5\ny\t6\n");
    assert_eq!(f.prints(&["reduce", "c.csv", "--column", "v", "--group-by", "`k,l`,k"]), "x\t1\t5\ny\t1\t6\n");
}

#[test]
fn numeric_keys_are_in_numeric_order() {
    let f = Folder::new();
    let (mut table, mut sums) = (String::from("a,b,v\n"), BTreeMap::new());
    for row in 0..3000u64 {
        let mixed = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let (a, b) = (mixed % 13, mixed / 13 % 17);
        table.push_str(&format!("{a},{b},{row}\n"));
        *sums.entry((a, b)).or_insert(0) += row;
    }
    f.file("t.csv", table);
    let expected: String = sums.iter().map(|((a, b), sum)| format!("{a}\t{b}\t{sum}\n")).collect();
    assert_eq!(f.prints(&["reduce", "t.csv", "--column", "v", "--group-by", "a,b"]), expected);
    let keys: String = sums.keys().map(|(a, b)| format!("{a}\t{b}\n")).collect();
    assert_eq!(f.prints(&["unique", "t.csv", "--column", "a,b"]), keys);
}

#[test]
fn segments_of_several_keys() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    let scan = "k,l,v,v_sum\nab,c,1,1\na,bc,2,2\nab,c,3,3\na,,4,4\n\"a,b\",p,5,5\n\"a,b\",o,6,6\na,bc,7,7\n";
    assert_eq!(f.prints(&["scan", "t.csv", "--column", "v", "--by-key", "k,l"]), scan);
    f.file("s.csv", "k,l,v\na,bc,1\na,bc,2\nab,c,3\nab,c,4\nab,d,5\n");
    let by = ["s.csv", "--column", "v", "--by-key", "k,l"];
    let scan = "k,l,v,v_sum\na,bc,1,1\na,bc,2,3\nab,c,3,3\nab,c,4,7\nab,d,5,5\n";
    assert_eq!(f.prints(&[&["scan"], &by[..]].concat()), scan);
    assert_eq!(f.prints(&[&["reduce"], &by[..]].concat()), "a\tbc\t3\nab\tc\t7\nab\td\t5\n");
    f.prints(&[&["reduce"], &by[..], &["-o", "o.csv"]].concat());
    assert_eq!(String::from_utf8(f.read("o.csv")).unwrap(), "k,l,v_sum\na,bc,3\nab,c,7\nab,d,5\n");
    // A key that comes back is told.
    let told = f.run(&["reduce", "t.csv", "--column", "v", "--by-key", "k,l"]);
    assert!(told.stderr.contains("the key `ab`, `c` comes back after another"), "{}", told.stderr);
    assert!(
        told.stderr.contains("sort the rows by column `k`, `l`") || told.stderr.contains("by column k, l"),
        "{}",
        told.stderr
    );
}

#[test]
fn distinct_rows_and_their_runs() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    let unique = ["unique", "t.csv", "--column", "k,l", "--counts", "n.u64", "--inverse", "i.u64"];
    assert_eq!(f.prints(&unique), "a\tbc\na\t\na,b\to\na,b\tp\nab\tc\n");
    let u64s = |name: &str| f.read(name).chunks(8).map(|n| u64::from(n[0])).collect::<Vec<_>>();
    assert_eq!((u64s("n.u64"), u64s("i.u64")), (vec![2, 1, 1, 1, 2], vec![4, 0, 4, 1, 3, 2, 0]));
    assert_eq!(f.prints(&["unique", "t.csv", "--column", "k,l", "--missing", "skip"]).lines().count(), 4);
    f.file("r.csv", "k,l\na,1\na,1\na,2\nb,2\n");
    assert_eq!(f.prints(&["runs", "r.csv", "--column", "k,l"]), "a\t1\t2\na\t2\t1\nb\t2\t1\n");
    f.prints(&["runs", "r.csv", "--column", "l,k", "-o", "o.csv"]);
    assert_eq!(String::from_utf8(f.read("o.csv")).unwrap(), "l,k,length\n1,a,2\n2,a,1\n2,b,1\n");
    f.file("n.csv", "1,2\n1,2\n3,2\n");
    f.prints(&["runs", "n.csv", "--column", "1,2", "-o", "o.csv"]);
    assert_eq!(String::from_utf8(f.read("o.csv")).unwrap(), "1,2,2\n3,2,1\n");
    f.file("e.csv", "k,l\n");
    assert_eq!(f.prints(&["unique", "e.csv", "--column", "k,l"]), "");
}

#[test]
fn shares_and_distinct_values_of_groups() {
    let f = Folder::new();
    f.file("t.csv", "g,v,t\na,1,x\na,2,y\na,4,x\na,2,x\nb,5,z\nc,,z\n");
    let of = |op: &str, column: &str| {
        f.prints(&["reduce", "t.csv", "--column", column, "--group-by", "g", "--missing", "skip", "--op", op])
    };
    assert_eq!(of("q0.9,q0,q1", "v"), "a\t3.4000000000000004\t1.0\t4.0\nb\t5.0\t5.0\t5.0\nc\t\t\t\n");
    assert_eq!(of("distinct,median,q0.5", "v"), "a\t3\t2.0\t2.0\nb\t1\t5.0\t5.0\nc\t0\t\t\n");
    assert_eq!(of("distinct", "t"), "a\t2\nb\t1\nc\t1\n");
    assert_eq!(of("distinct,count,mode", "t"), "a\t2\t4\tx\nb\t1\t1\tz\nc\t1\t1\tz\n");
    f.prints(&["reduce", "t.csv", "--column", "v", "--missing", "skip", "--op", "q0.99,distinct", "-o", "o.csv"]);
    assert_eq!(String::from_utf8(f.read("o.csv")).unwrap(), "v_q0.99,v_distinct\n4.96,4\n");
    for wrong in ["q2", "q-1", "q", "qx", "q1e9"] {
        f.fails(&["reduce", "t.csv", "--column", "v", "--op", wrong], b"", 2, &[&format!("'{wrong}'"), "q0.9"]);
    }
}

/// Lengths of runs: short ones, those about a chunk, and some that go on over several parts of 2^17 rows.
fn runs(random: &mut Random) -> Vec<usize> {
    let mut lens: Vec<usize> = (0..30_000).map(|_| 1 + random.below(5)).collect();
    lens.extend([1023, 1024, 1025, 1, 300_000, 2, 131_071, 1, 1, 2048, 1]);
    lens.extend((0..300).map(|_| 1 + random.below(300)));
    lens
}

/// Each run has the bits of a group, which has those of its values alone, wherever the parts end that are read.
#[test]
fn runs_have_the_bits_of_groups() {
    let (f, mut random) = (Folder::new(), Random(11));
    let (mut table, mut row) = ("k,a,x\n".to_owned(), 0);
    for (k, len) in runs(&mut random).into_iter().enumerate() {
        for _ in 0..len {
            row += 1;
            let x = if row % 1013 == 0 {
                "NA".to_owned()
            } else {
                format!("{}.{}e{}", random.below(900), random.below(999), random.below(16) as i32 - 8)
            };
            writeln!(table, "{k},{},{x}", random.below(1000)).unwrap();
        }
    }
    f.file("t.csv", &table);
    let of = |args: &[&str]| f.run(&[&["reduce", "t.csv", "--missing", "skip", "--na", "NA"], args].concat());
    for (column, op) in [("a", "sum"), ("x", "sum"), ("x", "product"), ("a", "max")] {
        let of = |by: &str| of(&["--column", column, "--op", op, by, "k"]);
        // A group whose values are all missing has a line; there is no such run.
        let groups: String = of("--group-by")
            .good()
            .lines()
            .filter(|line| !line.ends_with('\t'))
            .fold(String::new(), |all, line| all + line + "\n");
        let found = of("--by-key");
        assert_eq!(found.stderr, "");
        assert!(found.good() == groups && groups.lines().count() > 30_000, "{column} {op}");
    }
    // As a table, as an array, from standard input, and with a beginning.
    let (by, x) = (["--column", "x", "--by-key", "k"], f.path("x.f64"));
    of(&[&by[..], &["-o", "o.csv"]].concat()).good();
    of(&[&by[..], &["-o", "x.f64"]].concat()).good();
    let (written, printed) = (String::from_utf8(f.read("o.csv")).unwrap(), of(&by).good());
    assert_eq!(written, format!("k,x_sum\n{}", printed.replace('\t', ",")));
    let sums: Vec<f64> =
        std::fs::read(x).unwrap().chunks(8).map(|x| f64::from_le_bytes(x.try_into().unwrap())).collect();
    let shown: Vec<f64> = printed.lines().map(|line| line.split('\t').nth(1).unwrap().parse().unwrap()).collect();
    assert_eq!(sums, shown);
    let piped = ["reduce", "-", "--format", "csv", "--missing", "skip", "--na", "NA"];
    assert!(f.run_with(&[&piped[..], &by].concat(), table.as_bytes()).good() == printed);
    let begun = of(&[&by[..], &["--init", "0.1"]].concat()).good();
    assert!(begun.lines().zip(&sums).all(|(line, sum)| line.ends_with(&format!("\t{:?}", 0.1 + sum))));
}

/// A run over several parts, before which rows are left out: the row is told from which on its total does not fit.
#[test]
fn overflow_of_a_run_in_parts() {
    let f = Folder::new();
    let table = |last: &str| {
        let (left_out, ones) = ("a,\n".repeat(3), "b,\nb,1\n".repeat(100_000));
        f.file("t.csv", format!("k,v\n{left_out}a,5\nb,9223372036854675807\n{ones}b,{last}\nc,1\n"));
    };
    let call = ["reduce", "t.csv", "--column", "v", "--by-key", "k", "--missing", "skip"];
    table("0");
    assert_eq!(f.prints(&call), "a\t5\nb\t9223372036854775807\nc\t1\n");
    table("1");
    let told = "t.csv: row 200007: from here on the sum does not fit i64, in the end it is 9223372036854775808";
    f.fails(&call, b"", 2, &[told]);
    f.fails(&[&call[..], &["-o", "o.csv"]].concat(), b"", 2, &[told]);
    assert!(!f.path("o.csv").exists());
    table("0");
    // It left its type on its way, and came back.
    let begun = [&call[..], &["--init", "3"]].concat();
    f.fails(&begun, b"", 2, &["t.csv: row 200002: from here on the sum does not fit i64"]);
    table("-3");
    assert_eq!(f.prints(&begun), "a\t8\nb\t9223372036854775807\nc\t4\n");
}
