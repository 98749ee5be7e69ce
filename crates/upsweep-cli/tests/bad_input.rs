//! Tests of bad input: one line with the reason, the right exit code, and no file left.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;
use support::{Folder, bytes_of, npy, npy_dictionary};

const TABLE: &str = "name,a,b\nx,1,2.5\ny,3,4.5\n";

#[test]
fn usage() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    f.fails(&["scan"], b"", 2, &["required", "<FILE>; - is standard input (see upsweep scan --help)"]);
    f.fails(&["lab", "show"], b"", 2, &["required", "<ALGORITHM> (see upsweep lab show --help)"]);
    f.fails(&["frobnicate"], b"", 2, &["unrecognized", "frobnicate"]);
    f.fails(&["scan", "t.csv", "--column", "a", "--op", "summ"], b"", 2, &["summ", "sum, product", "'sum'"]);
    f.fails(&["scan", "t.csv", "--type", "int"], b"", 2, &["int", "i64"]);
    f.fails(&["scan", "t.csv", "--device", "gpu"], b"", 2, &["gpu", "cuda:N"]);
    f.fails(&["scan", "t.csv", "--frob"], b"", 2, &["--frob"]);
    f.fails(&["scan", "t.csv", "--axis", "one"], b"", 2, &["one", "--axis"]);
    f.fails(&["scan", "t.csv", "--axis", "0", "--by-key", "a"], b"", 2, &["--axis", "--by-key", "cannot"]);
    f.fails(&["scan", "t.csv", "--segments", "s", "--by-key", "a"], b"", 2, &["--segments", "--by-key"]);
    f.fails(
        &["reduce", "t.csv", "--exclusive"],
        b"",
        2,
        &["unexpected argument '--exclusive' found (see upsweep reduce"],
    );
    for n in ["", "-1", "1.5", "1e400", "2^99", "2^", "x", "nan"] {
        f.fails(&["explain", "scan", &format!("--n={n}")], b"", 2, &["--n"]);
        f.fails(&["bench", &format!("--n={n}")], b"", 2, &["--n"]);
    }
    f.fails(&["bench", "--n", "1023"], b"", 2, &["--n 1023", "1024"]);
    f.fails(&["bench", "--type", "bool", "--device", "cpu"], b"", 2, &["bool values have no sum"]);
    f.fails(&["bench", "--type", "f32", "--op", "xor", "--device", "cpu"], b"", 2, &["f32 values have no xor"]);
    // More bytes than any machine has, and more than an address can count.
    f.fails(&["bench", "--n", "2^59", "--type", "u64", "--device", "cpu"], b"", 1, &["not enough memory"]);
    f.fails(&["bench", "--n", "2^63", "--type", "u64", "--device", "cpu"], b"", 1, &["not enough memory"]);
    let done = f.run(&[]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("Usage:") && done.stdout.is_empty());
}

#[test]
fn files_that_cannot_be_read() {
    let f = Folder::new();
    f.file("thing.dat", [0; 8]);
    f.fails(&["scan", "missing.csv"], b"", 2, &["missing.csv: no such file"]);
    f.fails(&["reduce", "missing.npy"], b"", 2, &["missing.npy: no such file"]);
    f.fails(&["scan", "."], b"", 2, &[".: is a directory"]);
    f.fails(&["scan", "thing.dat"], b"", 2, &["thing.dat", "--type"]);
    f.fails(&["scan", "missing/x.csv"], b"", 2, &["missing/x.csv: no such file"]);
    f.fails(&["scan", "thing.dat/x.csv"], b"", 2, &["thing.dat/x.csv: not a directory"]);
    f.file("odd.bin", [0; 10]);
    f.fails(&["scan", "odd.bin", "--type", "f32"], b"", 2, &["odd.bin", "10 bytes", "4", "f32"]);
}

#[cfg(unix)]
#[test]
fn a_file_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let f = Folder::new();
    f.file("secret.csv", TABLE);
    std::fs::set_permissions(f.path("secret.csv"), std::fs::Permissions::from_mode(0o0)).unwrap();
    // Root may read everything.
    if std::fs::File::open(f.path("secret.csv")).is_err() {
        f.fails(&["scan", "secret.csv"], b"", 2, &["secret.csv: permission denied"]);
    }
}

#[test]
fn npy_files() {
    let f = Folder::new();
    let data = bytes_of!(f64: 1.0, 2.0, 3.0);
    let good = npy("'<f8'", "(3,)", &data);
    for len in 0..good.len() {
        f.file("cut.npy", &good[..len]);
        let reason = if (6..good.len()).contains(&len) { "is truncated" } else { "cut.npy: is" };
        f.fails(&["scan", "cut.npy", "-o", "out.npy"], b"", 2, &["cut.npy", reason]);
    }
    let mut longer = good.clone();
    longer.push(0);
    f.fails(&["scan", "-"], &longer, 2, &["standard input", "more bytes after its array"]);
    f.file("longer.npy", longer).fails(&["scan", "longer.npy"], b"", 2, &["longer.npy", "1 bytes after"]);
    let two = [&*good, &good].concat();
    f.fails(&["reduce", "-"], &two, 2, &["standard input: holds several arrays"]);
    f.file("two.npy", two).fails(&["reduce", "two.npy"], b"", 2, &["two.npy: holds several arrays", "its own"]);
    f.file("not.npy", "date,rain\n1,2\n").fails(&["scan", "not.npy"], b"", 2, &["not.npy", "is no .npy file"]);

    let cases: &[(&str, &str, &[&str])] = &[
        ("'|O'", "(3,)", &["Python objects"]),
        ("[('a', '<i4'), ('b', '<f8')]", "(3,)", &["records", "one field"]),
        ("'<c16'", "(3,)", &["`<c16`", "not supported", "f64"]),
        ("'<U5'", "(3,)", &["`<U5`"]),
        ("'<M8[ns]'", "(3,)", &["`<M8[ns]`"]),
        ("'<f16'", "(3,)", &["`<f16`"]),
        ("'<f8'", "(1000000000000,)", &["promises 8000000000000 bytes", "24 follow"]),
        ("'<f8'", "(4294967296, 4294967296, 4)", &["header that lies"]),
        ("'<f8'", "(9223372036854775807,)", &["header that lies"]),
        ("'<f8'", "(99999999999999999999999,)", &["unreadable .npy header", "no shape"]),
        ("'<f8'", "(-3,)", &["unreadable .npy header", "no shape"]),
        ("'<f8'", "(3.0,)", &["unreadable .npy header", "no shape"]),
        ("'<f8'", "3", &["unreadable .npy header", "no shape"]),
        ("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "(3,)", &["unreadable .npy header"]),
        ("", "(3,)", &["unreadable .npy header", "no plain dtype"]),
        (r"'\x3cf8'", "(3,)", &["unreadable .npy header: `'\\x3cf8'` is no plain dtype", "'<f8'"]),
        ("'''<f8'''", "(3,)", &["no plain dtype"]),
        ("'<f8' # eight bytes", "(3,)", &["no plain dtype"]),
        ("[('a', '<i4')]", "(3,)", &["holds records (dtype `[('a', '<i4')]`)"]),
        ("'<f8'", "(3)", &["`(3)` is no shape: of one axis it is `(3,)`"]),
        ("'<f8'", "(0, 18446744073709551615, 18446744073709551615)", &["header that lies"]),
        ("'<f8'", &format!("({})", "0,".repeat(5001)), &["5001 axes", "64 at most"]),
    ];
    for (descr, shape, words) in cases {
        f.file("x.npy", npy(descr, shape, &data));
        f.fails(&["scan", "x.npy", "-o", "out.npy"], b"", 2, &[&["x.npy: "], *words].concat());
    }
    let fortran = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 1), }";
    f.file("x.npy", npy_dictionary(7, fortran, &data));
    f.fails(&["scan", "x.npy"], b"", 2, &["x.npy", "version 7.0"]);
    let mut huge_header = npy_dictionary(2, fortran, &data);
    huge_header[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    f.file("x.npy", huge_header).fails(&["scan", "x.npy"], b"", 2, &["claims 4294967295 bytes"]);
    // On standard input the size is unknown beforehand: a false header must not take the memory it claims.
    let lie = npy("'<f8'", "(1000000000000,)", &data);
    f.fails(&["scan", "-"], &lie, 2, &["standard input", "promises 8000000000000 bytes", "0 follow"]);
}

#[test]
fn tables() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    f.fails(&["scan", "t.csv"], b"", 2, &["t.csv: has 2 numeric columns", "--column", "a, b"]);
    f.fails(&["scan", "t.csv", "--column", "rain"], b"", 2, &["`rain`", "the columns are name, a, b"]);
    f.fails(&["scan", "t.csv", "--column", "4"], b"", 2, &["no column 4", "name, a, b"]);
    f.fails(&["scan", "t.csv", "--column", "0"], b"", 2, &["no column 0"]);
    f.fails(&["scan", "t.csv", "--column", "a", "--by-key", "z"], b"", 2, &["`z`", "name, a, b"]);
    f.fails(&["scan", "t.csv", "--column", "name"], b"", 2, &["t.csv: row 2: column name: `x` is not a number"]);
    f.fails(
        &["scan", "t.csv", "--column", "b", "--type", "i32"],
        b"",
        2,
        &["row 2", "column b", "2.5", "not an integer"],
    );
    f.fails(&["scan", "t.csv", "--column", "a", "--axis", "1"], b"", 2, &["no axis 1", "one axis"]);
    f.file("plain.csv", "1,2\n3,4\n");
    f.fails(&["scan", "plain.csv", "--column", "a"], b"", 2, &["names no columns", "1 to 2", "--header yes"]);
    f.file("twice.csv", "a,a\n1,2\n").fails(
        &["scan", "twice.csv", "--column", "a"],
        b"",
        2,
        &["2 columns are named `a`", "number"],
    );

    let rows = |cell: &str| format!("name,a\n{}q,{cell}\nr,7\n", "p,1\n".repeat(15));
    let cases = [
        ("abc", "row 17: column a: `abc` is not a number"),
        ("", "row 17: column a: the cell is empty"),
        ("  ", "row 17: column a: the cell is empty"),
        ("1,2", "row 17: has 3 cells where the first row has 2"),
        ("1\n\nq,1", "row 18: is blank"),
        (
            "10000000000000000000",
            "row 17: column a: 10000000000000000000 does not fit i64: give --type u64 or --type f64",
        ),
        ("10000000000000000000000", "row 17: column a: 10000000000000000000000 does not fit i64: give --type f64"),
        ("18446744073709551615", "row 17: column a: 18446744073709551615 does not fit i64: give --type u64, or write"),
        (
            "99999999999999999999",
            "99999999999999999999 does not fit i64, nor exactly f64: write 99999999999999999999.0 to",
        ),
        ("\"1,5\"", "row 17: column a: `1,5` is not a number"),
        ("\"1", "row 17"),
        ("\u{1b}[31m", "row 17: column a: `\\u{1b}[31m` is not a number"),
    ];
    for (cell, reason) in cases {
        for text in [rows(cell), rows(cell).replace('\n', "\r\n")] {
            f.file("bad.csv", &text).file("bad.tsv", text.replace(',', "\t"));
            f.fails(&["scan", "bad.csv", "--column", "a", "-o", "out.csv"], b"", 2, &["bad.csv: ", reason]);
            if !cell.contains(',') {
                f.fails(&["reduce", "bad.tsv", "--column", "a", "-o", "out.tsv"], b"", 2, &["bad.tsv: ", reason]);
            }
        }
    }
    f.file("bad.csv", rows("q").replace("q,q", "q")).fails(&["scan", "bad.csv"], b"", 2, &["row 17: has 1 cell"]);
    f.file("bad.csv", b"a\n1\n\xff\xfe\n").fails(&["scan", "bad.csv"], b"", 2, &["row 3", "not a number"]);
    let typed = [
        ("u8", "256", "256 does not fit u8 (0 to 255)"),
        ("u64", "-1", "-1 does not fit u64"),
        ("i32", "nan", "nan is not finite"),
        ("i8", "1e3", "1e3 does not fit i8"),
        ("i64", "1e30", "1e30 does not fit i64"),
        ("f32", "1e39", "1e39 does not fit f32"),
        ("f16", "70000", "70000 does not fit f16"),
        ("bool", "2", "`2` is not a bool"),
    ];
    for (element, cell, reason) in typed {
        f.file("bad.csv", format!("a\n1\n{cell}\n"));
        f.fails(&["scan", "bad.csv", "--type", element], b"", 2, &["bad.csv: row 3: column a: ", reason]);
    }
    // Names and cells neither act on a terminal nor fill it.
    let long = "n".repeat(1_000_000);
    for (table, args) in [
        (format!("\u{1b}]0;t\u{7},{long}\n1,2\n"), &["--column", "a"][..]),
        (format!("a\n{}\n", "9".repeat(1_000_000)), &[]),
        (format!("a\n{}\n", "9".repeat(1_000_000)), &["--type", "i8"]),
        (format!("{long},{long}\n1,2\n"), &["--column", &long[..100_000]]),
        (format!("{long}\n\u{1b}[31m\n"), &[]),
    ] {
        let done = f.file("bad.csv", table).run(&[&["scan", "bad.csv"], args].concat());
        assert!(done.code == Some(2) && done.stderr.len() < 400, "{}", &done.stderr[..400.min(done.stderr.len())]);
        assert!(!done.stderr.trim_end().contains(char::is_control), "{:?}", done.stderr);
    }
    f.fails(&["scan", "\u{1b}[31m.csv"], b"", 2, &["\\u{1b}[31m.csv: no such file"]);
    // A quote that is not closed, or that text follows, names the row where it opens.
    for (text, reason) in [
        ("x\tk\n1\t\"unclosed\n2\tb\n3\tc\n", "row 2: a quote begins a cell and nothing closes it"),
        ("x\tk\n1\ta\n2\t\"unclosed\n3\t\"b\"\n4\tc\n", "row 3: text follows the quote that ends a cell"),
        ("x\tk\n1\t\"said\" he\n", "row 2: text follows the quote"),
        ("\"x\tk\n1\ta\n", "row 1: a quote begins a cell and nothing closes it"),
    ] {
        f.file("bad.tsv", text).file("bad.csv", text.replace('\t', ","));
        for file in ["bad.tsv", "bad.csv"] {
            f.fails(&["reduce", file, "--column", "1"], b"", 2, &[&format!("{file}: {reason}"), "twice"]);
            f.fails(&["scan", file, "--column", "1", "-o", "out.csv"], b"", 2, &[reason]);
        }
    }
    f.file("return.csv", "a\n1\n\r2\n").fails(&["scan", "return.csv"], b"", 2, &["row 3: begins with a lone carriage"]);
    f.file("words.csv", "a\nx\n").fails(&["scan", "words.csv"], b"", 2, &["row 2: column a: `x` is not a number"]);
    f.file("header.csv", "a,b\n").fails(&["scan", "header.csv"], b"", 2, &["no rows", "a, b"]);
}

#[test]
fn what_is_no_table_by_its_name_or_bytes() {
    let f = Folder::new();
    f.file("s.csv", "a;b\n1;2\n").file("s.tsv", "a,b\n1,2\n").file("t.txt", TABLE).file("t.csv", "a;b\n");
    for args in [&["--column", "a"][..], &[], &["--header", "no"]] {
        f.fails(
            &[&["scan", "s.csv"], args].concat(),
            b"",
            2,
            &["s.csv: ", "separated by `;`", "commas", "--delimiter ';'"],
        );
        f.fails(
            &[&["scan", "s.tsv"], args].concat(),
            b"",
            2,
            &["s.tsv: ", "separated by `,`", "tabs", "--delimiter ','"],
        );
    }
    f.fails(&["scan", "t.csv", "--column", "a"], b"", 2, &["has no column `a`: the columns are a;b", "by `;`"]);
    let advice =
        "--column is for tables: a table's name ends in .csv (commas) or .tsv (tabs), or --format or --delimiter says";
    f.fails(&["scan", "t.txt", "--column", "a"], b"", 2, &["t.txt: is no table", advice]);
    f.fails(&["scan", "-", "--column", "a"], TABLE.as_bytes(), 2, &["standard input: is no table", advice]);
    let utf16 = |mark: &[u8], order: fn(u16) -> [u8; 2]| {
        [mark.to_vec(), TABLE.encode_utf16().flat_map(order).collect::<Vec<u8>>()].concat()
    };
    for bytes in [utf16(&[], u16::to_le_bytes), utf16(&[], u16::to_be_bytes)] {
        let words = ["is UTF-16 without the mark", "iconv -f UTF-16LE -t UTF-8"];
        f.fails(&["scan", "-"], &bytes, 2, &[&["standard input: "], &words[..]].concat());
        f.file("w.csv", bytes);
        f.fails(&["scan", "w.csv", "--column", "a"], b"", 2, &[&["w.csv: "], &words[..]].concat());
    }
    f.file("w.csv", b"\xff\xfe\0\0a\0\0\0").fails(&["scan", "w.csv"], b"", 2, &["is UTF-32", "iconv"]);
}

#[test]
fn years_in_the_first_row() {
    let f = Folder::new();
    f.file("p.csv", "country,2019,2020\nDE,5,6\nFR,7,8\n");
    // Named by a year, the first row is a header; a number does not decide it.
    let expected = "country,2019,2020,2020_sum\nDE,5,6,6\nFR,7,8,14\n";
    assert_eq!(f.prints(&["scan", "p.csv", "--column", "2020"]), expected);
    assert_eq!(f.prints(&["scan", "p.csv", "--column", "3", "--header", "yes"]), expected);
    assert_eq!(f.prints(&["reduce", "p.csv", "--column", "2020", "--by-key", "country"]), "DE\t6\nFR\t8\n");
    let done = f.run(&["reduce", "p.csv", "--column", "3"]);
    assert_eq!((done.code, &*done.stdout), (Some(0), &b"2034\n"[..]));
    assert!(done.stderr.starts_with("upsweep: note: p.csv: the first row"), "{}", done.stderr);
    assert!(done.stderr.contains("--header yes") && done.stderr.lines().count() == 1, "{}", done.stderr);
    assert_eq!(f.prints(&["reduce", "p.csv", "--column", "3", "--header", "no"]), "2034\n");
    f.fails(&["scan", "p.csv", "--column", "2021"], b"", 2, &["has no column 2021: columns are numbered from 1 to 3"]);
    for args in [&["sort", "p.csv", "--column", "3"][..], &["select", "p.csv", "--where", "$3 > 6"]] {
        let done = f.run(args);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        assert!(done.stderr.starts_with("upsweep: note: p.csv: the first row"), "{args:?}: {}", done.stderr);
    }
    // Rows of data stay data, without a note.
    for (text, total) in [
        ("a,1990,3\nb,1985,4\n", "7\n"),
        ("a,150,2019\nb,1,1\n", "2020\n"),
        ("x,1999,1999\ny,1,2\n", "2001\n"),
        ("1,2019.5,2020\n1,2,3\n", "2023\n"),
    ] {
        f.file("d.csv", text);
        assert_eq!(f.prints(&["reduce", "d.csv", "--column", "3"]), total, "{text}");
    }
    f.fails(
        &["scan", "d.csv", "--column", "2020"],
        b"",
        2,
        &["no column 2020: its first row has numbers", "--header yes"],
    );
}

#[test]
fn formats_that_are_not_written_or_read() {
    let f = Folder::new();
    f.file("x.npy", npy("'<i4'", "(2,)", &bytes_of!(i32: 1, 2))).file("t.csv", TABLE);
    for name in ["t.dat.gz", "t.txt", "t.json", "t.PARQUET", "t.npz", "t.zst", "t.dat", "t.i128", "t.f", "t", ".npy"] {
        for args in [&["scan", "t.csv", "--column", "a"][..], &["reduce", "x.npy"], &["scan", "missing.npy"]] {
            f.fails(
                &[args, &["-o", name]].concat(),
                b"",
                2,
                &[&format!("-o {name}: "), ".npy, .csv or .tsv", "`-o -`"],
            );
        }
    }
    f.fails(&["scan", "x.npy", "-o", "y.f32"], b"", 2, &["-o y.f32: the values are i64, not f32", "--sum-type f32"]);
    for (name, raw) in [("y.f32", bytes_of!(f32: 1.0, 3.0)), ("y.BIN", bytes_of!(f32: 1.0, 3.0))] {
        f.prints(&["scan", "x.npy", "--type", "f32", "-o", name]);
        assert_eq!(f.read(name), raw);
    }
    for (name, words) in [
        ("x.tar.gz", "is compressed or an archive: unpack it"),
        ("x.csv.xz", "is compressed"),
        ("x.txt", "is text: give numbers on standard input (`-` with `< x.txt`)"),
        ("x.orc", "is a format that is not read (.orc): turn it into .npy or .csv"),
        #[cfg(not(feature = "parquet"))]
        ("x.parquet", "is a format that is not read (.parquet): turn it into .npy or .csv"),
        ("x.npz", "is no .npz that can be read"),
    ] {
        f.file(name, [0; 8]);
        for args in [&["--type", "u8"][..], &[]] {
            f.fails(&[&["reduce", name], args].concat(), b"", 2, &[name, words]);
        }
    }
    f.file("x.dat", [1; 8]);
    assert_eq!(f.prints(&["reduce", "x.dat", "--type", "u8"]), "8\n");
}

#[test]
fn numbers_on_standard_input() {
    let f = Folder::new();
    f.fails(&["scan", "-"], b"1\n2\nx\n", 2, &["standard input: row 3: `x` is not a number"]);
    f.fails(&["scan", "-"], b"1\n2 3 4y 5\n", 2, &["row 2, number 3: `4y` is not a number"]);
    f.fails(&["scan", "-", "--type", "u8"], b"1 2\n256", 2, &["row 2: 256 does not fit u8"]);
    f.fails(&["scan", "-"], &[b'1'; 100_000], 2, &["row 1: ", "is not a number"]);
    f.fails(&["scan", "-"], &[0xff; 9], 2, &["row 1: ", "is not a number"]);
    f.fails(&["scan", "-", "--column", "a"], b"1", 2, &["is no table", "--column"]);
}

#[test]
fn options_that_do_not_fit_the_data() {
    let f = Folder::new();
    let small = npy("'<i2'", "(2, 3)", &bytes_of!(i16: 1, -2, 300, 4, 5, 6));
    let real = npy("'<f8'", "(2,)", &bytes_of!(f64: 1.5, f64::NAN));
    f.file("small.npy", small).file("real.npy", real);
    for (init, reason) in [
        ("40000", "40000 does not fit i16 (-32768 to 32767)"),
        ("nan", "nan is not finite"),
        ("inf", "inf is not finite"),
        ("1.5", "1.5 is not an integer"),
        ("many", "`many` is not a number"),
        ("", "`` is not a number"),
    ] {
        for command in ["scan", "reduce"] {
            f.fails(
                &[command, "small.npy", "--op", "max", "--init", init, "-o", "out.npy"],
                b"",
                2,
                &["--init", reason, "i16"],
            );
        }
    }
    f.fails(&["scan", "real.npy", "--init", "1e999"], b"", 2, &["--init", "1e999 does not fit f64"]);
    for axis in ["2", "-3", "9223372036854775807", "-9223372036854775808"] {
        let axis = format!("--axis={axis}");
        f.fails(
            &["scan", "small.npy", &axis, "-o", "out.npy"],
            b"",
            2,
            &["small.npy: has no axis", "[2, 3]", "0 to 1"],
        );
        f.fails(&["reduce", "small.npy", &axis], b"", 2, &["small.npy: has no axis"]);
    }
    f.file("one.npy", npy("'<i2'", "()", &bytes_of!(i16: 7)));
    f.fails(&["scan", "one.npy", "--axis", "0"], b"", 2, &["no axis 0", "single value"]);
    f.fails(&["scan", "real.npy", "--op", "xor"], b"", 2, &["f64 values have no xor"]);
    f.fails(&["scan", "small.npy", "--column", "a"], b"", 2, &["small.npy: is no table", "--column"]);
    f.fails(&["scan", "small.npy", "--type", "u16"], b"", 2, &["small.npy: element [0, 1] is -2", "u16"]);
    f.fails(&["scan", "small.npy", "--type", "i8"], b"", 2, &["small.npy: element [0, 2] is 300", "i8"]);
    f.fails(&["scan", "real.npy", "--type", "i64"], b"", 2, &["real.npy: element 0 is 1.5", "i64"]);
    f.file("tenth.npy", npy("'<f8'", "(1,)", &bytes_of!(f64: 0.1)));
    f.fails(&["scan", "tenth.npy", "--type", "f32"], b"", 2, &["element 0 is 0.1", "not exactly", "f32"]);
    f.file("long.npy", npy("'<i8'", "(1,)", &bytes_of!(i64: (1 << 53) + 1)));
    f.fails(&["scan", "long.npy", "--type", "f64"], b"", 2, &["element 0 is 9007199254740993", "f64"]);
    f.file("flag.npy", npy("'|b1'", "(1,)", &[1]));
    f.fails(&["scan", "flag.npy", "--op", "max"], b"", 2, &["bool values have no max", "--type u8"]);
    f.fails(&["scan", "small.npy", "--axis", "0", "-o", "x.npy/y.npy"], b"", 2, &["-o", "no folder x.npy"]);
}

#[test]
fn segments() {
    let f = Folder::new();
    f.file("x.npy", npy("'<i4'", "(4,)", &bytes_of!(i32: 1, 2, 3, 4)));
    let cases: &[(&str, Vec<u8>, &[&str])] = &[
        ("flags.npy", npy("'|b1'", "(3,)", &[1, 0, 1]), &["has 3 flags", "x.npy has 4 values"]),
        ("flags.npy", npy("'|b1'", "(5,)", &[1; 5]), &["has 5 flags", "x.npy has 4 values"]),
        ("flags.txt", b"true false".to_vec(), &["has 2 flags", "x.npy has 4 values"]),
        ("flags.txt", b"true\n0".to_vec(), &["row 2", "`0`", "true or false"]),
        ("offsets.npy", npy("'<i8'", "(3,)", &bytes_of!(i64: 0, -1, 4)), &["offset 1 is -1"]),
        ("offsets.npy", npy("'<f4'", "(2,)", &bytes_of!(f32: 0.0, 4.0)), &["elements of f32", "integers", "bool"]),
        ("offsets.txt", b"0 3 2 4".to_vec(), &["offset 2 is 2 after 3", "ascend from 0 to 4"]),
        ("offsets.txt", b"0 3".to_vec(), &["last offset is 3", "4 values"]),
        ("offsets.txt", b"0 3 5".to_vec(), &["last offset is 5", "4 values"]),
        ("offsets.txt", b"1 4".to_vec(), &["first offset is 1"]),
        ("offsets.txt", b"0 1.5 4".to_vec(), &["row 1, number 2", "1.5"]),
        ("offsets.txt", b"0 x".to_vec(), &["row 1, number 2", "`x` is not a number"]),
        ("offsets.txt", b"".to_vec(), &["there are no offsets"]),
    ];
    for (name, bytes, words) in cases {
        f.file(name, bytes);
        for command in ["scan", "reduce"] {
            let args = [command, "x.npy", "--segments", name, "-o", "out.npy"];
            f.fails(&args, b"", 2, &[&[&*format!("upsweep: {name}: ")], *words].concat());
        }
    }
    f.fails(&["scan", "x.npy", "--segments", "none.npy"], b"", 2, &["none.npy: no such file"]);
    f.fails(&["scan", "x.npy", "--segments", "."], b"", 2, &[".: is a directory"]);
    f.fails(&["scan", "x.npy", "--by-key", "a"], b"", 2, &["x.npy: is no table", "--by-key"]);
}

#[test]
fn no_cuda_driver() {
    let f = Folder::new();
    f.file("x.npy", npy("'<i4'", "(1,)", &bytes_of!(i32: 1)));
    let done = f.run(&["devices"]);
    let devices = done.good();
    assert!(devices.starts_with("cpu "));
    if devices.contains("cuda     none") {
        f.fails(&["scan", "x.npy", "--device", "cuda", "-o", "out.npy"], b"", 1, &["--device cuda", "driver"]);
        f.fails(&["reduce", "x.npy", "--device", "cuda:7"], b"", 1, &["--device cuda:7", "driver"]);
    }
}
