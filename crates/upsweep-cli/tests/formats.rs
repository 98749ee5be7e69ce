//! Tests of every format as input and output, with every option.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;
use support::{Folder, bytes_of, npy, npy_data, npy_dictionary};

const WEATHER: &str = "day,rain,wind,word\n1,0.5,3,dry\n2,2.5,1,wet\n3,1.0,4,wet\n4,0.0,2,dry\n";

#[test]
fn a_column_of_a_table() {
    let f = Folder::new();
    f.file("w.csv", WEATHER).file("w.tsv", WEATHER.replace(',', "\t"));
    let expected = "day,rain,wind,word,rain_sum\n1,0.5,3,dry,0.5\n2,2.5,1,wet,3.0\n3,1.0,4,wet,4.0\n4,0.0,2,dry,4.0\n";
    for column in ["rain", "2"] {
        assert_eq!(f.prints(&["scan", "w.csv", "--column", column]), expected);
        assert_eq!(f.prints(&["scan", "w.tsv", "--column", column]), expected.replace(',', "\t"));
    }
    f.prints(&["scan", "w.tsv", "--column", "rain", "-o", "out.csv"]);
    assert_eq!(f.read("out.csv"), expected.as_bytes());
    f.prints(&["scan", "w.csv", "--column", "rain", "-o", "out.tsv"]);
    assert_eq!(f.read("out.tsv"), expected.replace(',', "\t").as_bytes());
    f.prints(&["scan", "w.csv", "--column", "wind", "-o", "out.npy"]);
    assert_eq!(f.read("out.npy"), npy_like("'<i8'", "(4,)", &bytes_of!(i64: 3, 4, 8, 10)));
    f.prints(&["scan", "w.csv", "--column", "wind", "--type", "u8", "-o", "out.u8"]);
    assert_eq!(f.read("out.u8"), [3, 4, 8, 10]);
    assert_eq!(f.prints(&["reduce", "w.csv", "--column", "rain"]), "4.0\n");
    assert_eq!(f.prints(&["reduce", "w.csv", "--column", "wind", "--op", "product"]), "24\n");
}

#[test]
fn headers_quotes_and_line_ends() {
    let f = Folder::new();
    let scans = |text: &str, args: &[&str]| {
        f.file("t.csv", text);
        f.prints(&[&["scan", "t.csv"], args].concat())
    };
    assert_eq!(scans("1\n2\n", &[]), "1,1\n2,3\n");
    assert_eq!(scans("a\n1\n2", &[]), "a,a_sum\n1,1\n2,3\n");
    assert_eq!(scans("2020\n1\n2\n", &["--header", "yes"]), "2020,2020_sum\n1,1\n2,3\n");
    assert_eq!(scans("x,1\ny,2\n", &[]), "x,1,1\ny,2,3\n");
    assert_eq!(scans("a,b\nx,1\n", &["--op", "max"]), "a,b,b_max\nx,1,1\n");
    assert_eq!(scans("a,b\r\nx, 1 \r\ny,2\r\n\r\n", &[]), "a,b,b_sum\nx, 1 ,1\ny,2,3\n");
    assert_eq!(scans("\u{feff}a\n1\n", &[]), "a,a_sum\n1,1\n");
    assert_eq!(scans("\"a,\"\"b\",c\n\"x\ny\",\"7\"\n", &[]), "\"a,\"\"b\",c,c_sum\n\"x\ny\",\"7\",7\n");
    // Line ends may be mixed, and blanks may follow quoted cells.
    assert_eq!(scans("a\r\n1\r2\r\n3\n4\r", &[]), "a,a_sum\n1,1\n2,3\n3,6\n4,10\n");
    assert_eq!(scans("a,b\n\"x\" ,1\n5\" pipe,2\n", &[]), "a,b,b_sum\n\"x\" ,1,1\n5\" pipe,2,3\n");
    // A name that is taken gets a number.
    assert_eq!(scans("x,x_sum\n1,2\n", &["--column", "x"]), "x,x_sum,x_sum_2\n1,2,1\n");
    assert_eq!(scans("x,x_sum_2,x_sum\n1,2,3\n", &["--column", "x"]), "x,x_sum_2,x_sum,x_sum_3\n1,2,3,1\n");
    assert_eq!(scans("", &[]), "");
    assert_eq!(scans("a\n", &[]), "a,a_sum\n");
    assert_eq!(scans("a,b\n", &["--column", "b"]), "a,b,b_sum\n");
    // Integers as long as they fit; one value with a point makes all of them floats.
    assert_eq!(scans("9007199254740993\n1\n", &[]), "9007199254740993,9007199254740993\n1,9007199254740994\n");
    assert_eq!(scans("1\n-2\n0.5\n", &[]), "1,1.0\n-2,-1.0\n0.5,-0.5\n");
    assert_eq!(scans("1\nnan\n2\n", &[]), "1,1.0\nnan,NaN\n2,NaN\n");
    assert_eq!(scans("1e3\n3\n", &["--type", "i64"]), "1e3,1000\n3,1003\n");
    assert_eq!(scans("18446744073709551615\n", &["--type", "u64"]), "18446744073709551615,18446744073709551615\n");
    assert_eq!(scans("true\n0\n", &["--header", "no", "--type", "bool", "--op", "and"]), "true,true\n0,false\n");
}

#[test]
fn a_header_that_is_not_utf8_keeps_its_bytes() {
    let f = Folder::new();
    f.file("t.csv", b"h\xe9,k\n1,2\n");
    assert_eq!(f.run(&["scan", "t.csv", "--column", "1"]).good_bytes(), b"h\xe9,k,h\xe9_sum\n1,2,1\n");
    f.prints(&["reduce", "t.csv", "--column", "1", "--by-key", "k", "-o", "out.csv"]);
    assert_eq!(f.read("out.csv"), b"k,h\xe9_sum\n2,1\n");
    f.fails(&["scan", "t.csv", "--column", "x"], b"", 2, &["the columns are h\u{fffd}, k"]);
}

/// The system makes these files up as they are read, and reports a size of 0 bytes.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_says_it_is_empty() {
    let f = Folder::new();
    let text = std::fs::read("/proc/version").unwrap();
    assert_eq!(std::fs::metadata("/proc/version").unwrap().len(), 0);
    let total: u64 = text.iter().map(|&byte| u64::from(byte)).sum();
    let scanned = f.run(&["scan", "/proc/version", "--type", "u8", "--op", "max"]).good_bytes();
    assert_eq!((scanned.len(), scanned.last()), (text.len(), text.iter().max()));
    assert_eq!(f.prints(&["reduce", "/proc/version", "--type", "u8"]), format!("{total}\n"));
    f.file("empty.bin", "");
    assert_eq!(f.prints(&["reduce", "empty.bin", "--type", "u8"]), "0\n");
}

#[test]
fn options() {
    let f = Folder::new();
    let run = |args: &[&str], input: &str| f.run_with(&[&["scan", "-"], args].concat(), input.as_bytes()).good();
    assert_eq!(run(&[], "3 1\n7\t0\n"), "3\n4\n11\n11\n");
    assert_eq!(run(&[], ""), "");
    assert_eq!(run(&["--exclusive"], "3 1 7"), "0\n3\n4\n");
    assert_eq!(run(&["--exclusive", "--init", "100"], "3 1 7"), "100\n103\n104\n");
    assert_eq!(run(&["--init", "-5"], "3 1 7"), "-2\n-1\n6\n");
    assert_eq!(run(&["--reverse"], "3 1 7"), "11\n8\n7\n");
    assert_eq!(run(&["--reverse", "--exclusive"], "3 1 7"), "8\n7\n0\n");
    assert_eq!(run(&["--type", "u8"], "200 100"), "200\n300\n");
    assert_eq!(run(&["--type", "i8", "--op", "product"], "100 100"), "100\n10000\n");
    assert_eq!(run(&["--op", "min"], "3 1 2"), "3\n1\n1\n");
    assert_eq!(run(&["--op", "xor"], "3 1 2"), "3\n2\n0\n");
    assert_eq!(run(&["--op", "and"], "7 6 12"), "7\n6\n4\n");
    assert_eq!(run(&["--op", "or"], "1 2 8"), "1\n3\n11\n");
    assert_eq!(run(&["--op", "max", "--type", "f32"], "0.1 nan 2"), "0.1\nNaN\nNaN\n");
    assert_eq!(run(&["--type", "f16"], "0.5 2048"), "0.5\n2048.0\n");
    assert_eq!(run(&["--type", "f64"], "1e300 1"), "1e300\n1e300\n");
    f.file("offsets.txt", "0 2\n2 3\n");
    assert_eq!(run(&["--segments", "offsets.txt"], "3 1 7"), "3\n4\n7\n");
    f.file("flags.npy", npy("'|b1'", "(3,)", &[0, 1, 0]));
    assert_eq!(run(&["--segments", "flags.npy"], "3 1 7"), "3\n1\n8\n");
    f.file("flags.txt", "false\ntrue\nfalse\n");
    assert_eq!(run(&["--segments", "flags.txt", "--init", "10"], "3 1 7"), "13\n11\n18\n");
    assert_eq!(run(&["-o", "out.u16", "--type", "u16"], "1 2"), "");
    assert_eq!(f.read("out.u16"), [1, 0, 3, 0]);
    assert_eq!(run(&["-o", "-"], "1 2"), "1\n3\n");
    // A word longer than the rest of the buffer, across its end.
    let many: String = (0..100_000).map(|k| format!("{k} ")).collect();
    let out = run(&[], &many);
    assert_eq!(out.lines().count(), 100_000);
    assert!(out.ends_with("\n4999950000\n"));
}

#[test]
fn keys() {
    let f = Folder::new();
    f.file("w.csv", WEATHER);
    let out = f.prints(&["scan", "w.csv", "--column", "wind", "--by-key", "word"]);
    let column: Vec<&str> = out.lines().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(column, ["wind_sum", "3", "1", "5", "2"]);
    // A key that comes back has another result, with one note.
    let reduces = |args: &[&str]| {
        let done = f.run(&[&["reduce", "w.csv", "--column", "wind", "--by-key"], args].concat());
        let note = "upsweep: note: w.csv: the key `dry` comes back after another";
        assert!(done.code == Some(0) && done.stderr.starts_with(note), "{}", done.stderr);
        assert!(
            done.stderr.ends_with("or sort the rows by column word\n") && done.stderr.contains("--group-by"),
            "{}",
            done.stderr
        );
        assert_eq!(done.stderr.lines().count(), 1);
        String::from_utf8(done.stdout).unwrap()
    };
    assert_eq!(reduces(&["word"]), "dry\t3\nwet\t5\ndry\t2\n");
    reduces(&["4", "-o", "out.csv"]);
    assert_eq!(f.read("out.csv"), b"word,wind_sum\ndry,3\nwet,5\ndry,2\n");
    reduces(&["4", "-o", "out.npy"]);
    f.file("sorted.csv", "k,a\nb,1\nb,2\na,4\n");
    assert_eq!(f.prints(&["reduce", "sorted.csv", "--by-key", "k"]), "b\t3\na\t4\n");
    assert_eq!(npy_data(&f.read("out.npy")), bytes_of!(i64: 3, 5, 2));
    f.file("v.csv", "a_sum,a\nx,1\n");
    f.prints(&["reduce", "v.csv", "--column", "a", "--by-key", "a_sum", "-o", "out.tsv"]);
    assert_eq!(f.read("out.tsv"), b"a_sum\ta_sum_2\nx\t1\n");
    f.file("e.csv", "k,a\n");
    assert_eq!(f.prints(&["reduce", "e.csv", "--column", "a", "--by-key", "k"]), "");
    assert_eq!(f.prints(&["scan", "e.csv", "--column", "a", "--by-key", "k"]), "k,a,a_sum\n");
}

#[test]
fn npy_arrays() {
    let f = Folder::new();
    let data = bytes_of!(i32: 1, 2, 3, 4, 5, 6);
    f.file("x.npy", npy("'<i4'", "(2, 3)", &data));
    let scan = |args: &[&str]| f.run(&[&["scan", "x.npy"], args].concat()).good_bytes();
    assert_eq!(scan(&[]), npy_like("'<i8'", "(2, 3)", &bytes_of!(i64: 1, 3, 6, 10, 15, 21)));
    assert_eq!(scan(&["--axis", "0"]), npy_like("'<i8'", "(2, 3)", &bytes_of!(i64: 1, 2, 3, 5, 7, 9)));
    assert_eq!(scan(&["--axis", "-1"]), npy_like("'<i8'", "(2, 3)", &bytes_of!(i64: 1, 3, 6, 4, 9, 15)));
    assert_eq!(npy_data(&scan(&["--type", "f64", "--axis=1"])), bytes_of!(f64: 1.0, 3.0, 6.0, 4.0, 9.0, 15.0));
    f.prints(&["scan", "x.npy", "--axis", "1", "-o", "out.csv"]);
    assert_eq!(f.read("out.csv"), b"1,3,6\n4,9,15\n");
    f.prints(&["scan", "x.npy", "-o", "out.i32"]);
    assert_eq!(f.read("out.i32"), bytes_of!(i32: 1, 3, 6, 10, 15, 21));
    assert_eq!(f.prints(&["reduce", "x.npy"]), "21\n");
    assert_eq!(f.prints(&["reduce", "x.npy", "--axis", "0"]), "5\n7\n9\n");
    assert_eq!(f.prints(&["reduce", "x.npy", "--axis=-1", "--op", "max", "--init", "4"]), "4\n6\n");
    f.prints(&["reduce", "x.npy", "--axis", "0", "-o", "out.npy"]);
    assert_eq!(f.read("out.npy"), npy_like("'<i8'", "(3,)", &bytes_of!(i64: 5, 7, 9)));

    // A .npy on standard input stays one.
    let piped = f.run_with(&["scan", "-"], &f.read("x.npy")).good_bytes();
    assert_eq!(piped, npy_like("'<i8'", "(2, 3)", &bytes_of!(i64: 1, 3, 6, 10, 15, 21)));

    // Three axes, none, and no elements.
    f.file("x.npy", npy("'|u1'", "(2, 2, 2)", &[1, 2, 3, 4, 5, 6, 7, 8]));
    assert_eq!(npy_data(&scan(&["--axis", "1"])), bytes_of!(u64: 1, 2, 4, 6, 5, 6, 12, 14));
    assert_eq!(f.prints(&["reduce", "x.npy", "--axis", "1"]), "4 6\n12 14\n");
    f.fails(&["scan", "x.npy", "-o", "out3.csv"], b"", 2, &["out3.csv", "3 axes", ".npy"]);
    f.file("x.npy", npy("'|u1'", "()", &[7]));
    assert_eq!(scan(&[]), npy_like("'<u8'", "()", &bytes_of!(u64: 7)));
    for (shape, axis) in [("(0,)", "0"), ("(0, 5)", "0"), ("(0, 5)", "1"), ("(5, 0)", "0"), ("(5, 0)", "1")] {
        f.file("x.npy", npy("'<f4'", shape, &[]));
        for command in ["scan", "reduce"] {
            let done = f.run(&[command, "x.npy", "--axis", axis]);
            assert_eq!((done.code, &*done.stderr), (Some(0), ""), "{command} {shape} {axis}");
        }
        assert_eq!(scan(&["--axis", axis]), npy_like("'<f4'", shape, &[]));
        assert_eq!(scan(&[]), npy_like("'<f4'", shape, &[]));
    }
    assert_eq!(f.prints(&["reduce", "x.npy"]), "0.0\n");
    assert_eq!(f.prints(&["reduce", "x.npy", "--axis", "1"]), "0.0\n".repeat(5));
    assert_eq!(f.prints(&["reduce", "x.npy", "--axis", "0"]), "");
}

#[test]
fn every_type_and_byte_order_of_npy() {
    let f = Folder::new();
    let cases: &[(&str, &[u8], &[u8])] = &[
        ("'|b1'", &[1, 0], &[1, 1]),
        ("'?'", &[1, 0], &[1, 1]),
        ("'|i1'", &[1, 255], &[1, 255]),
        ("'|u1'", &[1, 2], &[1, 3]),
        ("'<i2'", &bytes_of!(i16: 256, 2), &bytes_of!(i16: 256, 258)),
        ("'<u2'", &bytes_of!(u16: 256, 2), &bytes_of!(u16: 256, 258)),
        ("'<i4'", &bytes_of!(i32: -256, 2), &bytes_of!(i32: -256, -254)),
        ("'<u4'", &bytes_of!(u32: 256, 2), &bytes_of!(u32: 256, 258)),
        ("'<i8'", &bytes_of!(i64: 256, 2), &bytes_of!(i64: 256, 258)),
        ("'<u8'", &bytes_of!(u64: 256, 2), &bytes_of!(u64: 256, 258)),
        ("'<f2'", &[0x00, 0x3c, 0x00, 0x40], &[0x00, 0x3c, 0x00, 0x42]),
        ("'<f4'", &bytes_of!(f32: 1.5, 2.0), &bytes_of!(f32: 1.5, 3.5)),
        ("'<f8'", &bytes_of!(f64: 1.5, 2.0), &bytes_of!(f64: 1.5, 3.5)),
    ];
    for &(descr, input, expected) in cases {
        // Results of the values' own type: sums of floats, and `or` of integers and bool.
        let op = if descr.starts_with("'<f") { "sum" } else { "or" };
        let expected = npy_like(if descr == "'?'" { "'|b1'" } else { descr }, "(2,)", expected);
        for version in 1..=3 {
            let dictionary = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2,), }}");
            f.file("x.npy", npy_dictionary(version, &dictionary, input));
            assert_eq!(f.run(&["scan", "x.npy", "--op", op]).good_bytes(), expected, "{descr} {version}");
        }
        let size = input.len() / 2;
        let swapped: Vec<u8> = input.chunks(size).flat_map(|x| x.iter().rev().copied()).collect();
        let one_axis = format!("{{'descr': {}, 'fortran_order': True, 'shape': (2,), }}", descr.replace('<', ">"));
        f.file("x.npy", npy_dictionary(1, &one_axis, &swapped));
        assert_eq!(f.run(&["scan", "x.npy", "--op", op]).good_bytes(), expected, "big-endian {descr}");
        // Raw input of this type.
        let name = match descr.trim_matches(['\'', '|', '<']) {
            "b1" | "?" => "bool",
            "i1" => "i8",
            "u1" => "u8",
            "i2" => "i16",
            "u2" => "u16",
            "i4" => "i32",
            "u4" => "u32",
            "i8" => "i64",
            "u8" => "u64",
            "f2" => "f16",
            "f4" => "f32",
            _ => "f64",
        };
        f.file("x.raw", input);
        assert_eq!(
            f.run(&["scan", "x.raw", "--type", name, "--op", op]).good_bytes(),
            npy_data(&expected),
            "raw {name}"
        );
    }
}

#[test]
fn values_keep_their_value_in_a_wider_type() {
    let f = Folder::new();
    f.file("x.npy", npy("'|u1'", "(3,)", &[255, 255, 255]));
    assert_eq!(npy_data(&f.run(&["scan", "x.npy", "--sum-type", "u8", "--wrap"]).good_bytes()), [255, 254, 253]);
    let wide = f.run(&["scan", "x.npy", "--type", "u32", "--sum-type", "u32"]).good_bytes();
    assert_eq!(wide, npy_like("'<u4'", "(3,)", &bytes_of!(u32: 255, 510, 765)));
    assert_eq!(f.prints(&["reduce", "x.npy", "--type", "f16"]), "765.0\n");
    f.file("flags.npy", npy("'|b1'", "(3,)", &[1, 0, 1]));
    assert_eq!(f.prints(&["reduce", "flags.npy", "--type", "u64"]), "2\n");
    f.file("real.npy", npy("'>f8'", "(2,)", &[0x40, 8, 0, 0, 0, 0, 0, 0, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0]));
    assert_eq!(npy_data(&f.run(&["scan", "real.npy", "--type", "f32"]).good_bytes())[..4], 3f32.to_le_bytes());
}

#[test]
fn the_example_data() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/seattle-weather.csv");
    let f = Folder::new();
    let out = f.prints(&["scan", path, "--column", "precipitation"]);
    assert_eq!(out.lines().count(), 1462);
    assert_eq!(out.lines().next().unwrap(), "date,precipitation,temp_max,temp_min,wind,weather,precipitation_sum");
    assert!(out.lines().nth(3).unwrap().starts_with("2012/01/03,0.8,11.7,7.2,2.3,rain,11.7"));
    let total: f64 = f.prints(&["reduce", path, "--column", "precipitation"]).trim().parse().unwrap();
    assert!((total - 4426.0).abs() < 1e-6);
    assert_eq!(f.prints(&["reduce", path, "--column", "temp_max", "--op", "max"]), "35.6\n");
}

/// `explain` of the operations besides scans and reductions: no elements, one, and many.
#[test]
fn every_family_is_explained() {
    let f = Folder::new();
    for what in ["select", "partition", "sort", "merge", "top", "histogram", "expand", "filter"] {
        for n in ["0", "1", "1000", "2^40"] {
            let text = f.prints(&["explain", what, "--n", n, "--device", "cpu"]);
            assert!(text.contains("plan      ") && text.contains("threads"), "{what} {n}: {text}");
        }
    }
    let pairs = f.prints(&["explain", "sort", "--n", "10", "--type", "u16", "--values", "f64", "--device", "cpu"]);
    assert!(pairs.contains("10 keys of 2 bytes, with values of 8"), "{pairs}");
    let image = f.prints(&["explain", "integral", "--shape", "3,40,50", "--device", "cpu"]);
    assert!(image.contains("3 arrays of 40 x 50"), "{image}");
}

#[test]
fn devices_and_plans() {
    let f = Folder::new();
    assert!(f.prints(&["devices"]).starts_with("cpu "));
    for n in ["1000000000", "1_000_000_000", "1e9"] {
        let text = f.prints(&["explain", "scan", "--n", n, "--device", "cpu", "--type", "u64", "--op", "max"]);
        assert!(text.contains("1000000000 values of u64") && text.contains("max"), "{text}");
    }
    assert!(f.prints(&["explain", "reduce", "--n", "2^30", "--device", "cpu"]).contains("1073741824 values of f32"));
    let explains = |args: &[&str], words: &[&str]| {
        let text = f.prints(&[&["explain"], args, &["--device", "cpu"]].concat());
        words.iter().for_each(|word| assert!(text.contains(word), "{args:?}: no {word:?} in {text}"));
        // A user does not have our sources.
        assert!(!text.contains(".rs") && !text.contains(".cuh"), "{text}");
    };
    let shape = ["--shape", "5,3e2,7", "--axis"];
    explains(
        &[&["scan"], &shape[..], &["1"]].concat(),
        &["10500 values of f32 along axis 1 of [5, 300, 7]", "35 line(s) of 300 values, 7 apart", "writes 42000 bytes"],
    );
    explains(
        &[&["reduce"], &shape[..], &["-1", "--type", "u8"]].concat(),
        &[
            "10500 values of u8 in u64 along",
            "1500 line(s) of 7 values, 1 apart",
            "reads 10500 bytes, writes 12000 bytes",
        ],
    );
    explains(&["reduce", "--n", "9", "--type", "bool"], &["9 values of bool in i64", "reads 9 bytes, writes 8 bytes"]);
    explains(
        &["scan", "--n", "9", "--type", "u8", "--op", "max"],
        &["9 values of u8\n", "reads 9 bytes, writes 9 bytes"],
    );
    explains(
        &["reduce", "--n", "9", "--segments", "offsets"],
        &["reduction of 9 values of f32, by offsets", "writes 4 bytes a segment"],
    );
    explains(&["scan", "--n", "9", "--by-key"], &["of 9 values of f32, by keys", "writes 36 bytes"]);
    // A call that would be refused is refused here, too.
    f.fails(&["explain", "scan", "--n", "9", "--op", "and", "--type", "f32"], b"", 2, &["f32 values have no and"]);
    f.fails(&["explain", "reduce", "--n", "9", "--op", "min", "--type", "bool"], b"", 2, &["bool values have no min"]);
    f.fails(&["explain", "scan", "--shape", "2,3", "--axis", "2"], b"", 2, &["has no axis 2", "0 to 1"]);
    f.fails(&["explain", "scan", "--shape", "2,3", "--axis", "0", "--by-key"], b"", 2, &["--axis", "--by-key"]);
    f.fails(&["explain", "scan", "--shape", "2,x"], b"", 2, &["--shape", "x"]);
    f.fails(&["explain", "scan", "--shape", "2^40,2^40"], b"", 2, &["fit no memory", "1099511627776"]);
    f.fails(&["explain", "scan"], b"", 2, &["--n", "(see upsweep explain --help)"]);
    assert!(f.prints(&["--version"]).starts_with("upsweep "));
    assert_eq!(f.prints(&["help", "scan"]), f.prints(&["scan", "--help"]));
    assert_eq!(f.prints(&["lab", "help", "show"]), f.prints(&["lab", "show", "--help"]));
    for args in [
        &["--help"][..],
        &["help"],
        &["scan", "--help"],
        &["reduce", "-h"],
        &["explain", "--help"],
        &["bench", "--help"],
    ] {
        assert!(f.prints(args).contains("Examples:"));
    }
}

#[test]
fn bench() {
    let f = Folder::new();
    for what in ["scan", "reduce"] {
        let text = f.prints(&["bench", what, "--n", "5000", "--type", "i16", "--op", "max", "--device", "cpu"]);
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert!(rows[0].starts_with(&["max"]) && text.contains(" of i16, on cpu, "), "{text}");
        assert_eq!(rows[3][..4], ["elements", "upsweep", "copy", "plain"], "{text}");
        assert_eq!((rows[4][0], rows[5][0], rows.len()), ("1024", "4096", 6), "{text}");
        for row in &rows[4..] {
            let times: Vec<f64> = row[1..6].iter().map(|cell| cell.parse().unwrap()).collect();
            assert!(times[0] >= 0.0 && times[2] > 0.0 && row[6].starts_with(['=', '|']), "{text}");
        }
    }
}

/// A .npy file as the program writes it.
fn npy_like(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut dictionary = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + dictionary.len() + 1) % 64 != 0 {
        dictionary.push(' ');
    }
    dictionary.push('\n');
    npy_dictionary(1, &dictionary, data)
}
