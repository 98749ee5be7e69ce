//! Tests of `upsweep select`, `unique`, `runs` and `expand`, and of tables on standard input. `numpy_conditions.py` and
//! `numpy_selections.py` compare random conditions and the rest with NumPy and SQLite.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use support::{Folder, bytes_of, npy, npy_data};

const SALES: &str =
    "region,price,unit price,sold\nN,12,1.5,true\nS,30,2,false\n\"N, E\",9,3.25,true\nN,8.5,4,false\nN,11,5,true\n";

#[test]
fn rows_are_selected() {
    let f = Folder::new();
    f.file("sales.csv", SALES);
    let select = |condition: &str| f.prints(&["select", "sales.csv", "--where", condition]);
    let names = "region,price,unit price,sold\n";
    assert_eq!(select("price > 10 and region == \"N\""), format!("{names}N,12,1.5,true\nN,11,5,true\n"));
    assert_eq!(select("`unit price` * 2 == 6.5"), format!("{names}\"N, E\",9,3.25,true\n"));
    assert_eq!(select("not sold and $3 < 4"), format!("{names}S,30,2,false\n"));
    assert_eq!(select("price < `unit price`"), names);
    assert_eq!(select("true"), SALES);
    let asked = ["select", "sales.csv", "--where", "sold == false"];
    assert_eq!(f.prints(&[&asked[..], &["--indices"]].concat()), "1\n3\n");
    f.prints(&[&asked[..], &["--indices", "-o", "at.npy"]].concat());
    assert_eq!(npy_data(&f.read("at.npy")), bytes_of!(u64: 1, 3));
    f.prints(&[&asked[..], &["-o", "unsold.tsv"]].concat());
    assert_eq!(f.read("unsold.tsv"), b"region\tprice\tunit price\tsold\nS\t30\t2\tfalse\nN\t8.5\t4\tfalse\n");
    // A table without names, with other delimiters, and empty ones.
    f.file("t.csv", "1;a\n2;b\n30;c\n");
    assert_eq!(f.prints(&["select", "t.csv", "--delimiter", ";", "--where", "$1 >= 2 and $2 != 'b'"]), "30;c\n");
    f.file("none.csv", "a,b\n");
    assert_eq!(f.prints(&["select", "none.csv", "--where", "a > 1"]), "a,b\n");
    assert_eq!(f.prints(&["select", "none.csv", "--header", "no", "--where", "$2 == 'b'"]), "a,b\n");
}

#[test]
fn values_are_selected() {
    let f = Folder::new();
    f.file("x.npy", npy("'<i4'", "(2, 3)", &bytes_of!(i32: 3, -1, 7, 0, 4, -16)));
    f.prints(&["select", "x.npy", "--where", "x < 0 or x % 7 == 0", "-o", "y.npy"]);
    assert_eq!(npy_data(&f.read("y.npy")), bytes_of!(i32: -1, 7, 0, -16));
    f.prints(&["select", "x.npy", "--where", "abs(x) > 3", "--indices", "-o", "at.u64"]);
    assert_eq!(f.read("at.u64"), bytes_of!(u64: 2, 4, 5));
    assert_eq!(f.run_with(&["select", "-", "--where", "x * x > 10"], b"1 2.5 -4 5").good(), "-4.0\n5.0\n");
    assert_eq!(f.run_with(&["select", "-", "--where", "x >= 0"], b"").good(), "");
    // No rounding: 2^53 + 1 is no f64.
    let large = b"9007199254740992 9007199254740993";
    assert_eq!(f.run_with(&["select", "-", "--where", "x > 9007199254740992.0"], large).good(), "9007199254740993\n");
    f.file("flags.npy", npy("'|b1'", "(4,)", &[1, 0, 1, 1]));
    let at = f.run(&["select", "flags.npy", "--where", "not x", "--indices", "-o", "-"]).good_bytes();
    assert_eq!(npy_data(&at), bytes_of!(u64: 1));
    for (name, element, data) in
        [("f", "'<f4'", bytes_of!(f32: 1.5, f32::NAN, -0.0)), ("h", "'<f2'", vec![0, 60, 0, 64, 0, 0x80])]
    {
        f.file(&format!("{name}.npy"), npy(element, "(3,)", &data));
        f.prints(&["select", &format!("{name}.npy"), "--where", "x != 2", "-o", "kept.npy"]);
        let size = data.len() / 3;
        let expected = if name == "f" { data.clone() } else { [&data[..size], &data[2 * size..]].concat() };
        assert_eq!(npy_data(&f.read("kept.npy")), expected, "{name}");
    }
}

#[test]
fn tables_come_on_standard_input() {
    let f = Folder::new();
    let table = b"day\tmm\n1\t2\n2\t3\n2\t4\n";
    assert_eq!(
        f.run_with(&["select", "-", "--format", "tsv", "--where", "mm > 2"], table).good(),
        "day\tmm\n2\t3\n2\t4\n"
    );
    assert_eq!(f.run_with(&["reduce", "-", "--format", "tsv", "--column", "mm"], table).good(), "9\n");
    let scanned = f.run_with(&["scan", "-", "--format", "tsv", "--column", "mm", "--by-key", "day"], table).good();
    assert_eq!(scanned, "day\tmm\tmm_sum\n1\t2\t2\n2\t3\t3\n2\t4\t7\n");
    let printed =
        f.run_with(&["quantile", "-", "--delimiter", "|", "--column", "2", "--q", "1"], b"a|b\n1|2\n1|5\n").good();
    assert_eq!(printed, "5.0\n");
    f.file("log.txt", "a b\n1 2\n");
    assert_eq!(f.prints(&["reduce", "log.txt", "--delimiter", " ", "--column", "b"]), "2\n");
}

#[test]
fn distinct_values_and_runs() {
    let f = Folder::new();
    let x = b"3 1 1 -7 1 1 1 3";
    assert_eq!(f.run_with(&["unique", "-"], x).good(), "-7\n1\n3\n");
    f.run_with(&["unique", "-", "--counts", "n.u64"], x).good();
    let inverse = f.run_with(&["unique", "-", "--inverse", "-", "-o", "u.npy"], b"3 1 3 -7 nan 1").good();
    assert_eq!(inverse, "2\n1\n2\n0\n3\n1\n");
    assert_eq!(f.read("n.u64"), bytes_of!(u64: 1, 5, 2));
    assert_eq!(f.run_with(&["unique", "-"], b"0.5 nan -0.0 nan 0 -inf").good(), "-inf\n-0.0\n0.5\nNaN\n");
    assert_eq!(f.run_with(&["runs", "-"], x).good(), "3\t1\n1\t2\n-7\t1\n1\t3\n3\t1\n");
    f.run_with(&["runs", "-", "-o", "r.csv"], b"2 2").good();
    assert_eq!(f.read("r.csv"), b"value,length\n2,2\n");
    f.run_with(&["runs", "-", "-o", "v.npy", "--lengths", "n.npy"], x).good();
    assert_eq!(npy_data(&f.read("v.npy")), bytes_of!(i64: 3, 1, -7, 1, 3));
    assert_eq!(npy_data(&f.read("n.npy")), bytes_of!(u64: 1, 2, 1, 3, 1));
    // Expanding the counts gives the array back.
    f.prints(&["expand", "n.npy", "--values", "v.npy", "-o", "x.npy"]);
    assert_eq!(npy_data(&f.read("x.npy")), bytes_of!(i64: 3, 1, 1, -7, 1, 1, 1, 3));
    for (element, data) in [("'|i1'", vec![255u8, 1, 255, 128]), ("'<u2'", bytes_of!(u16: 9, 1, 9, 65535))] {
        f.file("e.npy", npy(element, "(4,)", &data));
        f.prints(&["unique", "e.npy", "-o", "u.npy"]);
        let expected = if element == "'|i1'" { vec![128, 255, 1] } else { bytes_of!(u16: 1, 9, 65535) };
        assert_eq!(npy_data(&f.read("u.npy")), expected);
    }
}

#[test]
fn counts_are_expanded() {
    let f = Folder::new();
    assert_eq!(f.run_with(&["expand", "-"], b"2 0 3").good(), "0\n0\n2\n2\n2\n");
    assert_eq!(f.run_with(&["expand", "-", "--ranks"], b"2 0 3").good(), "0\n1\n0\n1\n2\n");
    f.file("c.csv", "n\n1\n2\n");
    assert_eq!(f.prints(&["expand", "c.csv", "-o", "-"]), "0\n1\n1\n");
    f.file("v.npy", npy("'<f8'", "(2,)", &bytes_of!(f64: 0.5, -1.0)));
    assert_eq!(f.prints(&["expand", "c.csv", "--values", "v.npy"]), "0.5\n-1.0\n-1.0\n");
}

#[test]
fn what_is_wrong_is_named() {
    let f = Folder::new();
    f.file("sales.csv", SALES).file("odd.csv", "a,b\n1,2\n3\n").file("x.npy", npy("'<i4'", "(1,)", &bytes_of!(i32: 3)));
    let select =
        |file: &str, condition: &str, words: &[&str]| f.fails(&["select", file, "--where", condition], b"", 2, words);
    select("sales.csv", "price >> 10", &["--where at character 8, `>`: a value must stand here"]);
    select(
        "sales.csv",
        "prize > 10",
        &["--where at character 1, `prize`", "has no column `prize`", "the columns are region, price"],
    );
    select("sales.csv", "$9 > 1", &["--where at character 1, `$9`", "has no column 9"]);
    select("sales.csv", "region > 10", &["sales.csv: row 2: column region: `N` is not a number"]);
    select("sales.csv", "price and sold", &["sales.csv: row 2: column price: `12` is not a bool"]);
    select("odd.csv", "a > 0", &["odd.csv: row 3: has 1 cell where the first row has 2"]);
    select("x.npy", "y > 0", &["--where at character 1, `y`: an array has no columns: its values are x"]);
    select("x.npy", "x", &["--where at character 1, `x`: is a number, where a condition must stand"]);
    select("x.npy", "x * 99999999999999999999999999999999999999 * 9 > 0", &["x.npy: at 0: a result has more digits"]);
    f.fails(
        &["select", "sales.csv", "--where", "sold", "-o", "y.npy"],
        b"",
        2,
        &["-o y.npy: rows are written as a table"],
    );
    f.fails(&["select", "sales.csv", "--where", "sold", "--type", "f64"], b"", 2, &["--type is for arrays"]);
    f.fails(&["select", "sales.csv"], b"", 2, &["--where"]);
    f.fails(&["reduce", "sales.csv", "--delimiter", "ab"], b"", 2, &["a delimiter is one character"]);
    f.fails(&["expand", "-"], b"1 -2", 2, &["standard input: count 1 is -2"]);
    f.fails(&["expand", "-"], b"1 2.5", 2, &["standard input: count 1 is 2.5"]);
    f.fails(&["expand", "-", "--values", "x.npy"], b"1 2", 2, &["x.npy: has 1 values, and there are 2 counts"]);
    f.fails(&["runs", "-", "-o", "r.npy"], b"1 2", 2, &["-o r.npy: values and lengths are a table"]);
    f.fails(
        &["runs", "-", "-o", "r.csv", "--lengths", "r.csv"],
        b"1",
        2,
        &["-o and --lengths cannot both go to r.csv"],
    );
    f.fails(&["unique", "-", "--counts", "n.f32"], b"1", 2, &["the values are u64, not f32"]);
    f.fails(&["unique", "-", "--inverse", "n.f32"], b"1", 2, &["the values are u64, not f32"]);
    f.fails(
        &["unique", "-", "--counts", "n.u64", "--inverse", "n.u64"],
        b"1",
        2,
        &["--counts and --inverse cannot both go to"],
    );
    // An old output file stays as it is.
    f.file("y.csv", "old");
    f.fails(&["select", "sales.csv", "--where", "region > 10", "-o", "y.csv"], b"", 2, &["row 2"]);
    assert_eq!(f.read("y.csv"), b"old");
}

/// From one file to another values are selected in chunks, with the bytes of a selection of the whole array, which one to a
/// pipe is.
#[test]
#[cfg(target_os = "linux")]
fn chunks_have_the_bytes_of_a_whole_selection() {
    // Values of a chunk: see `chunks/select.rs`.
    const CHUNK: usize = 1 << 17;
    let f = Folder::new();
    let same = |options: &[&str], file: &str, out: &str| {
        let args = [&["select", file, "--device", "cpu"], options].concat();
        let whole = f.run(&args);
        let chunked = f.run(&[&args[..], &["-o", out]].concat());
        assert_eq!((chunked.code, &chunked.stderr), (whole.code, &whole.stderr), "{options:?} of {file}");
        assert_eq!(f.path(out).exists(), whole.code == Some(0));
        assert!(whole.code != Some(0) || f.read(out) == whole.stdout, "{options:?} of {file}");
        let _ = std::fs::remove_file(f.path(out));
        whole.code
    };
    for (descr, element, size) in
        [("|b1", "bool", 1), ("|i1", "i8", 1), ("<u2", "u16", 2), ("<f4", "f32", 4), ("<i8", "i64", 8)]
    {
        for n in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 77] {
            let mut x: Vec<u8> = (0..n * size).map(|k| ((k * 2_654_435_761) >> 7) as u8).collect();
            if element == "bool" {
                x.iter_mut().for_each(|x| *x &= 1);
            }
            f.file("x.npy", npy(&format!("'{descr}'"), &format!("({n},)"), &x));
            let conditions =
                if element == "bool" { ["x", "not x", "x and not x"] } else { ["x > 20", "x == x", "x < 1 and x > 1"] };
            for condition in conditions {
                assert_eq!(same(&["--where", condition], "x.npy", "y.npy"), Some(0));
                assert_eq!(same(&["--where", condition, "--indices"], "x.npy", "y.npy"), Some(0));
            }
            f.file("x.bin", &x);
            // A raw file without bytes may be one that the system makes up.
            assert_eq!(same(&["--where", conditions[0], "--type", element], "x.bin", "y.bin"), Some(0));
        }
    }
    let mut x = vec![0u8; 2 * CHUNK + 5];
    for at in [0, CHUNK - 1, CHUNK, 2 * CHUNK + 4] {
        x[at] = 2;
        f.file("x.npy", npy("'|u1'", &format!("({},)", x.len()), &x));
        let wrong = ["--where", "x * 170141183460469231731687303715884105727 > 0"];
        assert_eq!(same(&wrong, "x.npy", "y.npy"), Some(2));
        f.fails(&[&["select", "x.npy", "-o", "y.npy"], &wrong[..]].concat(), b"", 2, &[&format!("at {at}: ")]);
        x[at] = 0;
    }
    f.fails(&["select", "x.npy", "--where", "x >", "-o", "y.npy"], b"", 2, &["--where"]);
    f.fails(&["select", "x.npy", "--where", "x > 1", "-o", "y.f32"], b"", 2, &["the values are u8, not f32"]);
    f.fails(
        &["select", "x.npy", "--where", "x > 1", "--indices", "-o", "y.f32"],
        b"",
        2,
        &["the values are u64, not f32"],
    );
}

#[test]
fn tests_of_cells() {
    let f = Folder::new();
    f.file("t.csv", b"k,name,v\n1,Ann,\n2,b\xe9b,NA\n3,joe ann,7\n4,,-1\n5,\"x,Ann\",2.5\n");
    let keys = |condition: &str, options: &[&str]| {
        let done = f.run(&[&["select", "t.csv", "--where", condition], options].concat());
        assert_eq!((done.code, &*done.stderr), (Some(0), ""), "{condition}");
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        text.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect::<Vec<u32>>()
    };
    for (condition, expected) in [
        ("name contains 'Ann'", &[1, 5][..]),
        ("name not contains 'Ann'", &[2, 3, 4]),
        ("name matches '(?i)ann$'", &[1, 3, 5]),
        ("name matches '^.{3}$'", &[1]),
        ("name matches '(?-u)^b.b$'", &[2]),
        ("name matches ''", &[1, 2, 3, 4, 5]),
        ("name is null", &[4]),
        ("v is null", &[1]),
        ("name is not null and k < 3", &[1, 2]),
        ("k in (5, 1, 9)", &[1, 5]),
        ("k not in (5, 1.0)", &[2, 3, 4]),
        ("name in ('Ann', 'x,Ann', 'no')", &[1, 5]),
        ("k between 2 and 4", &[2, 3, 4]),
        ("k not between 2 and 4 and name != ''", &[1, 5]),
        ("name between 'a' and 'c'", &[2]),
    ] {
        assert_eq!(keys(condition, &[]), expected, "{condition}");
    }
    assert_eq!(keys("v is null", &["--na", "NA,-"]), [1, 2]);
    assert_eq!(keys("v is not null and v > 0", &["--na", "NA,-"]), [3, 5]);
    // A column may have the name of a test.
    f.file("in.csv", "in,is\n1,2\n3,4\n");
    assert_eq!(f.prints(&["select", "in.csv", "--where", "in in (3) and is is not null"]), "in,is\n3,4\n");
    f.file("x.npy", npy("'<f8'", "(3,)", &bytes_of!(f64: 1.0, f64::NAN, 3.0)));
    f.prints(&["select", "x.npy", "--where", "x is null", "--indices", "-o", "out.u64"]);
    assert_eq!(f.read("out.u64"), bytes_of!(u64: 1));
    f.prints(&["select", "x.npy", "--where", "x is not null and x not in (3)", "-o", "out.f64"]);
    assert_eq!(f.read("out.f64"), bytes_of!(f64: 1.0));
    f.fails(
        &["select", "x.npy", "--where", "x > 1", "--na", "NA"],
        b"",
        2,
        &["x.npy: is no table, and --na is for tables"],
    );
    f.fails(
        &["select", "t.csv", "--where", "name matches '['"],
        b"",
        2,
        &["--where at character 14", "no regular expression"],
    );
}

#[test]
fn distinct_texts_and_their_runs() {
    let f = Folder::new();
    f.file("t.csv", "s,n\nup,1\nup,2\ndown,2\n\"a,b\",7\n,NA\nup,1\nNA,1.0\n");
    let run = |args: &[&str]| f.prints(args);
    assert_eq!(run(&["unique", "t.csv", "--column", "s"]), "\"\"\nNA\na,b\ndown\nup\n");
    run(&["unique", "t.csv", "--column", "s", "--counts", "c.u64", "--inverse", "i.u64", "-o", "u.csv"]);
    assert_eq!(f.read("u.csv"), b"value\n\"\"\nNA\n\"a,b\"\ndown\nup\n");
    assert_eq!(f.read("c.u64"), bytes_of!(u64: 1, 1, 1, 1, 3));
    assert_eq!(f.read("i.u64"), bytes_of!(u64: 4, 4, 3, 2, 0, 4, 1));
    let skip = ["--na", "NA", "--missing", "skip"];
    assert_eq!(run(&[&["unique", "t.csv", "--column", "s"], &skip[..]].concat()), "a,b\ndown\nup\n");
    assert_eq!(run(&["runs", "t.csv", "--column", "s"]), "up\t2\ndown\t1\na,b\t1\n\t1\nup\t1\nNA\t1\n");
    run(&["runs", "t.csv", "--column", "s", "-o", "r.csv"]);
    assert_eq!(f.read("r.csv"), b"value,length\nup,2\ndown,1\n\"a,b\",1\n,1\nup,1\nNA,1\n");
    run(&["runs", "t.csv", "--column", "s", "--lengths", "l.u64", "-o", "v.tsv"]);
    assert_eq!(
        (f.read("v.tsv"), f.read("l.u64")),
        (b"up\ndown\na,b\n\"\"\nup\nNA\n".to_vec(), bytes_of!(u64: 2, 1, 1, 1, 1, 1))
    );
    // Numbers are numbers, and what is missing among them is none.
    let numbers = ["--column", "n", "--na", "NA", "--missing", "skip"];
    assert_eq!(run(&[&["unique", "t.csv"], &numbers[..]].concat()), "1.0\n2.0\n7.0\n");
    assert_eq!(run(&[&["runs", "t.csv"], &numbers[..]].concat()), "1.0\t1\n2.0\t2\n7.0\t1\n1.0\t2\n");
    f.fails(&["unique", "t.csv", "--column", "n", "--na", "NA"], b"", 2, &["row 6", "has no value, as --na says"]);
    // A number among texts is a text, with a note.
    let mixed = f.run(&["unique", "t.csv", "--column", "n"]);
    assert_eq!((mixed.code, &*mixed.stdout), (Some(0), &b"1\n1.0\n2\n7\nNA\n"[..]));
    assert!(
        mixed.stderr.contains("note: t.csv: column n is ordered as text: in row 6 it has `NA`"),
        "{}",
        mixed.stderr
    );
    f.fails(&["unique", "t.csv", "--column", "s", "-o", "u.npy"], b"", 2, &["-o u.npy: the values are texts"]);
    f.fails(&["unique", "t.csv", "--column", "s", "--type", "i64"], b"", 2, &["`up` is not a number"]);
    f.file("large.csv", "v\n99999999999999999999\n");
    f.fails(&["unique", "large.csv", "--column", "v"], b"", 2, &["large.csv: row 2: column v"]);
    let table = f.run_with(&["runs", "-", "--format", "csv", "--column", "s"], b"s\nx\nx\ny\n");
    assert_eq!(table.good(), "x\t2\ny\t1\n");
}
