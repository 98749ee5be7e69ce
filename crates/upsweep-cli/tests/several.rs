//! Tests of several files as one: the results are those of a file that has the values of all.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;
use support::{Folder, bytes_of, npy};

/// Bytes of a chunk: see `chunks/mod.rs`.
const CHUNK: usize = 960 << 10;

fn f32s(range: std::ops::Range<usize>, bytes: fn(f32) -> [u8; 4]) -> Vec<u8> {
    let value = |k: usize| (k.wrapping_mul(2_654_435_761) >> 7 & 0xffff) as f32 / 1000.0 - 30.0;
    range.flat_map(|k| bytes(value(k))).collect()
}

#[test]
fn arrays_in_several_files_are_one() {
    let f = Folder::new();
    let chunk = CHUNK / 4;
    // Lengths around that of a chunk, and nothing at all.
    for lengths in
        [&[5, 7][..], &[1, 0, 3], &[chunk - 1, 1, 1, chunk + 1], &[3, 2 * chunk + 5, 1, 1, 1, chunk], &[0, 0]]
    {
        let all: usize = lengths.iter().sum();
        f.file("all.npy", npy("'<f4'", &format!("({all},)"), &f32s(0..all, f32::to_le_bytes)));
        let (mut names, mut raw, mut start) = (vec![], vec![], 0);
        for (k, len) in lengths.iter().enumerate() {
            let range = start..start + len;
            start += len;
            let (npy_name, raw_name) = (format!("part-{k}.npy"), format!("part-{k}.f32"));
            // Every other one has the other order of bytes.
            let (descr, bytes): (_, fn(f32) -> [u8; 4]) =
                if k % 2 == 0 { ("'<f4'", f32::to_le_bytes) } else { ("'>f4'", f32::to_be_bytes) };
            f.file(&npy_name, npy(descr, &format!("({len},)"), &f32s(range.clone(), bytes)));
            f.file(&raw_name, f32s(range, f32::to_le_bytes));
            names.push(npy_name);
            raw.push(raw_name);
        }
        for names in [names, raw] {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            for options in [&[][..], &["--reverse", "--exclusive"], &["--init", "5", "--op", "min"]] {
                f.prints(&[&["scan", "all.npy", "-o", "expected.f32"], options].concat());
                f.prints(&[&["scan"], &names[..], options, &["-o", "out.f32"]].concat());
                assert!(f.read("out.f32") == f.read("expected.f32"), "{lengths:?} {options:?}");
                // What is not read in chunks.
                let printed = f.run(&[&["scan"], &names[..], options, &["-o", "-"]].concat()).good_bytes();
                assert!(printed.ends_with(&f.read("expected.f32")), "{lengths:?} {options:?}");
            }
            for options in [&[][..], &["--op", "max"], &["--axis", "0"], &["--op", "count"], &["--sum-type", "f64"]] {
                let expected = f.prints(&[&["reduce", "all.npy"], options].concat());
                assert_eq!(f.prints(&[&["reduce"], &names[..], options].concat()), expected, "{lengths:?} {options:?}");
            }
        }
    }
}

#[test]
fn axes_text_and_tables_of_several_files() {
    let f = Folder::new();
    f.file("a.npy", npy("'<i4'", "(1, 3)", &bytes_of!(i32: 1, 2, 3)));
    f.file("b.npy", npy("'<i4'", "(2, 3)", &bytes_of!(i32: 4, 5, 6, 7, 8, 9)));
    f.file("c.npy", npy("'<i4'", "(3, 2)", &bytes_of!(i32: 4, 5, 6, 7, 8, 9)));
    f.file("d.npy", npy("'<i8'", "(1, 3)", &bytes_of!(i64: 1, 2, 3))).file("e.npy", npy("'<i4'", "()", &[1, 0, 0, 0]));
    assert_eq!(f.prints(&["reduce", "a.npy", "b.npy", "--axis", "0"]), "12\n15\n18\n");
    assert_eq!(f.prints(&["reduce", "a.npy", "b.npy", "--axis", "1", "--op", "max"]), "3\n6\n9\n");
    f.prints(&["scan", "a.npy", "b.npy", "--op", "max", "--axis", "0", "-o", "out.npy"]);
    assert_eq!(f.prints(&["reduce", "out.npy", "--axis", "1", "--op", "max"]), "3\n6\n9\n");
    f.fails(&["reduce", "a.npy", "c.npy"], b"", 2, &["c.npy: has the shape [3, 2]", "[1, 3] along the first axis"]);
    f.fails(&["reduce", "e.npy", "e.npy"], b"", 2, &["e.npy: has the shape []"]);
    f.fails(&["reduce", "a.npy", "d.npy"], b"", 2, &["d.npy: has values of i64", "i32: give --type"]);
    assert_eq!(f.prints(&["reduce", "a.npy", "d.npy", "--type", "i64"]), "12\n");
    f.fails(&["reduce", "a.npy", "none.npy"], b"", 2, &["none.npy: no such file"]);
    f.fails(
        &["scan", "a.npy", "b.npy", "--op", "sum", "--sum-type", "u8", "--init", "250", "-o", "x.npy"],
        b"",
        2,
        &["a.npy and 1 more file"],
    );

    f.file("x.csv", "k,v\na,1\nb,2\n").file("y.csv", "v,k\n5,a\n").file("z.csv", "k,v\na,1.5\n");
    assert_eq!(f.prints(&["reduce", "x.csv", "y.csv", "--column", "v"]), "8\n");
    assert_eq!(f.prints(&["reduce", "x.csv", "y.csv", "x.csv", "--op", "count"]), "5\n");
    assert_eq!(f.prints(&["reduce", "x.csv", "z.csv", "--column", "v", "--type", "f64"]), "4.5\n");
    // One column, of which a part is fractions.
    assert_eq!(f.prints(&["reduce", "x.csv", "z.csv", "--column", "v"]), "4.5\n");
    assert_eq!(f.prints(&["reduce", "z.csv", "x.csv", "--column", "v"]), "4.5\n");
    f.prints(&["scan", "x.csv", "y.csv", "--column", "v", "-o", "out.npy"]);
    assert_eq!(f.prints(&["reduce", "out.npy", "--op", "max"]), "8\n");
    let tables = ["x.csv", "y.csv", "--column", "v"];
    f.fails(&[&["scan"], &tables[..]].concat(), b"", 2, &["x.csv and 1 more file", "give -o with .npy"]);
    f.fails(&[&["reduce"], &tables[..], &["--by-key", "k"]].concat(), b"", 2, &["--by-key is for one table"]);
    f.fails(
        &[&["reduce"], &tables[..], &["--group-by", "k"]].concat(),
        b"",
        2,
        &["--group-by and several results: are of one table"],
    );
    // Numbers on standard input, with a file of the same type; once.
    f.file("n.i64", bytes_of!(i64: 10, 20));
    assert_eq!(f.run_with(&["reduce", "-", "n.i64"], b"1 2").good(), "33\n");
    f.fails(&["reduce", "-", "-"], b"1 2", 2, &["are both standard input"]);
}

/// Several tables have the results of one, however many rows each has: in their own order of columns, and with rows that are left out.
#[test]
fn tables_are_one_column() {
    let f = Folder::new();
    let row = |k: usize| if k % 1000 == 7 { String::new() } else { format!("{}.5e{}", k % 977, k % 13) };
    let rows = |range: std::ops::Range<usize>| range.map(|k| format!("k,{}\n", row(k))).collect::<String>();
    let n = 300_000;
    f.file("all.csv", format!("a,v\n{}", rows(0..n))).file("1.csv", format!("a,v\n{}", rows(0..140_000)));
    f.file("2.csv", "a,v\n").file("3.tsv", format!("v\ta\n{}\tk\n", row(140_000)));
    f.file("4.csv", format!("a,v\n{}", rows(140_001..n)));
    let (one, several) = (&["all.csv"][..], &["1.csv", "2.csv", "3.tsv", "4.csv"][..]);
    let options = ["--column", "v", "--missing", "skip"];
    let run = |command: &str, files: &[&str], more: &[&str]| f.prints(&[&[command], files, &options, more].concat());
    for more in [&[][..], &["--op", "max"], &["--init", "0.1"]] {
        assert_eq!(run("reduce", several, more), run("reduce", one, more), "{more:?}");
    }
    for more in [&[][..], &["--exclusive"], &["--op", "min"], &["--window", "5", "--op", "mean"], &["--reverse"]] {
        let scan = |files| {
            run("scan", files, &[more, &["-o", "y.npy"]].concat());
            f.read("y.npy")
        };
        assert!(scan(several) == scan(one), "{more:?}");
    }
    run("reduce", &several[..2], &["--carry-out", "c"]);
    assert_eq!(run("reduce", &several[2..], &["--carry-in", "c"]), run("reduce", one, &[]));
    // A cell is told with its table, and a sum that does not fit with its row among all.
    f.file("wrong.csv", "a,v\nk,1\nk,x\n").file("large.csv", "a,v\nk,1\nk,9223372036854775807\n");
    f.file("few.csv", "a,v\nk,\nk,2\n");
    let fails = |files: &[&str], words: &[&str]| f.fails(&[&["reduce"], files, &options].concat(), b"", 2, words);
    fails(&["few.csv", "wrong.csv"], &["wrong.csv: row 3: column v: `x` is not a number"]);
    fails(&["few.csv", "large.csv"], &["few.csv and 1 more file: row 5: from here on the sum does not fit i64"]);
    fails(&["few.csv", "none.csv"], &["none.csv: no such file"]);
    fails(&["few.csv", "2.csv", "x.f32"], &["x.f32"]);
}

/// A carry after several files is that after one.
#[test]
fn carries_after_several_files() {
    let f = Folder::new();
    f.file("all.f32", f32s(0..600_000, f32::to_le_bytes)).file("a.f32", f32s(0..300_001, f32::to_le_bytes));
    f.file("b.f32", f32s(300_001..450_000, f32::to_le_bytes)).file("c.f32", f32s(450_000..600_000, f32::to_le_bytes));
    f.prints(&["scan", "all.f32", "-o", "all.out.f32"]);
    f.prints(&["scan", "a.f32", "b.f32", "--carry-out", "carry", "-o", "ab.out.f32"]);
    f.prints(&["scan", "c.f32", "--carry-in", "carry", "-o", "c.out.f32"]);
    assert!([f.read("ab.out.f32"), f.read("c.out.f32")].concat() == f.read("all.out.f32"));
    f.prints(&["reduce", "a.f32", "--carry-out", "carry"]);
    let total = f.prints(&["reduce", "b.f32", "c.f32", "--carry-in", "carry"]);
    assert_eq!(total, f.prints(&["reduce", "a.f32", "b.f32", "c.f32"]));
    assert_eq!(total, f.prints(&["reduce", "all.f32"]));
}
