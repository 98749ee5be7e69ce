//! Tests of `upsweep histogram` and `upsweep quantile`: output, files and errors. `numpy_histograms.py` compares the
//! numbers with NumPy.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use support::{Folder, bytes_of, npy, npy_data};

#[test]
fn bins_are_printed_and_written() {
    let f = Folder::new();
    f.file("x.npy", npy("'<f4'", "(6,)", &bytes_of!(f32: 0.5, 2.5, 9.0, 2.0, 10.0, 11.0)));
    let lines = "0.0\t2.0\t1\n2.0\t4.0\t2\n4.0\t6.0\t0\n6.0\t8.0\t0\n8.0\t10.0\t2\n";
    let asked = ["histogram", "x.npy", "--bins", "5", "--range", "0", "10", "--device", "cpu"];
    assert_eq!(f.prints(&asked), lines);
    f.prints(&[&asked[..], &["-o", "counts.csv"]].concat());
    let table = format!("low,high,count\n{}", lines.replace('\t', ","));
    assert_eq!(String::from_utf8(f.read("counts.csv")).unwrap(), table);
    f.prints(&[&asked[..], &["-o", "counts.npy"]].concat());
    let counts = bytes_of!(u64: 1, 2, 0, 0, 2);
    assert!(f.read("counts.npy").windows(5).any(|name| name == b"'<u8'"));
    assert_eq!(npy_data(&f.read("counts.npy")), counts);
    f.prints(&[&asked[..], &["-o", "counts.u64"]].concat());
    assert_eq!(f.read("counts.u64"), counts);
    assert_eq!(f.prints(&[&asked[..], &["-o", "-"]].concat()), lines);
}

#[test]
fn edges_and_ranges_come_from_the_values_or_the_options() {
    let f = Folder::new();
    f.file("x.csv", "day,mm\n1,-2\n2,0\n3,4\n4,8\n");
    let printed = f.prints(&["histogram", "x.csv", "--column", "mm", "--bins", "2"]);
    assert_eq!(printed, "-2.0\t3.0\t2\n3.0\t8.0\t2\n");
    let printed = f.prints(&["histogram", "x.csv", "--column", "mm", "--edges", "-2,-1.5,0,0,7.5"]);
    assert_eq!(printed, "-2.0\t-1.5\t1\n-1.5\t0.0\t0\n0.0\t0.0\t0\n0.0\t7.5\t2\n");
    let printed = f.run_with(&["histogram", "-", "--bins", "2"], b"3 3 3").good();
    assert_eq!(printed, "2.5\t3.0\t0\n3.0\t3.5\t3\n");
    let printed = f.run_with(&["histogram", "-", "--bins", "2"], b"").good();
    assert_eq!(printed, "0.0\t0.5\t0\n0.5\t1.0\t0\n");
    // The ten default bins of NumPy.
    let printed = f.run_with(&["histogram", "-"], b"0 10").good();
    assert_eq!(printed.lines().count(), 10);
    f.file("flags.npy", npy("'|b1'", "(3,)", &[1, 0, 1]));
    assert_eq!(f.prints(&["histogram", "flags.npy", "--bins", "2"]), "0.0\t0.5\t1\n0.5\t1.0\t2\n");
}

#[test]
fn a_picture_is_drawn_beside_the_numbers() {
    let f = Folder::new();
    f.file("a&b.npy", npy("'<i4'", "(4,)", &bytes_of!(i32: 1, 2, 2, 3)));
    let printed = f.prints(&["histogram", "a&b.npy", "--bins", "3", "--range", "0.5", "3.5", "--svg", "a.svg"]);
    assert_eq!(printed, "0.5\t1.5\t1\n1.5\t2.5\t2\n2.5\t3.5\t1\n");
    let svg = String::from_utf8(f.read("a.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("4 values of a&amp;b.npy") && svg.ends_with("</svg>\n"), "{svg}");
    // Three bars, the middle one of full height.
    let document = roxmltree::Document::parse(&svg).unwrap();
    let bars = document.descendants().filter(|node| node.attribute("class") == Some("l1"));
    let heights: Vec<f64> = bars.map(|bar| bar.attribute("height").unwrap().parse().unwrap()).collect();
    assert!(heights[0] > 100.0 && heights == [heights[0], 2.0 * heights[0], heights[0]], "{svg}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_bars() {
    let f = Folder::new();
    f.file("x.npy", npy("'<i4'", "(5,)", &bytes_of!(i32: 0, 1, 1, 9, 20)));
    let draw = |bins| {
        support::on_terminal(&f, &["histogram", "x.npy", "--bins", bins, "--range", "0", "10", "--device", "cpu"])
    };
    let shown = draw("2");
    let full = "█".repeat(48);
    let third = "█".repeat(16);
    assert_eq!(shown, format!(" 0  3  {full}\n 5  1  {third}\n10\n4 values in 2 bins, 1 in none\n"));
    let shown = draw("1000");
    assert!(shown.contains("4 values in 1000 bins, 21 a line") && shown.lines().count() == 50, "{shown}");
}

#[test]
fn quantiles_are_printed_and_written() {
    let f = Folder::new();
    let x = b"3 1 7 0 4 1 6 3";
    assert_eq!(f.run_with(&["quantile", "-", "--q", "0,0.5,0.9,1"], x).good(), "0.0\n3.0\n6.3\n7.0\n");
    assert_eq!(f.run_with(&["quantile", "-"], x).good(), "0.0\n1.0\n3.0\n4.5\n7.0\n");
    f.run_with(&["quantile", "-", "--q", "0.5", "-o", "median.f64"], x).good();
    assert_eq!(f.read("median.f64"), 3f64.to_le_bytes());
    assert_eq!(f.run_with(&["quantile", "-", "--q", "0.5"], b"1 NaN 2").good(), "NaN\n");
}

/// Inputs for which numpy.quantile has NaN, infinities or wrapped integers.
#[test]
fn quantiles_of_extremes_are_right() {
    let f = Folder::new();
    let quantile = |x: &str, q: &str| f.run_with(&["quantile", "-", "--q", q], x.as_bytes()).good();
    assert_eq!(f.run_with(&["median", "-"], b"inf 5 4").good(), "5.0\n");
    assert_eq!(quantile("0 inf", "0.4,0.6,0"), "inf\ninf\n0.0\n");
    assert_eq!(quantile("-inf 0", "0.4,0.6,1"), "-inf\n-inf\n0.0\n");
    assert_eq!(quantile("-inf inf", "0,0.5,1"), "-inf\nNaN\ninf\n");
    assert_eq!(quantile("inf inf -inf", "0.5,0.75"), "inf\ninf\n");
    assert_eq!(quantile("-1e308 1e308", "0.5,0.75"), "0.0\n5e307\n");
    assert_eq!(quantile("5e-324 0", "0.5,0.75"), "0.0\n5e-324\n");
    let of_101: String = (0..101).map(|k| if k < 70 { "0 ".to_owned() } else { "1000 ".to_owned() }).collect();
    assert_eq!(quantile(&of_101, "0.7,0.69"), "1000.0\n0.0\n");
}

#[test]
fn quantiles_of_large_integers_have_all_digits() {
    let f = Folder::new();
    let x = b"9223372036854775807 -9223372036854775808";
    assert_eq!(f.run_with(&["median", "-"], x).good(), "-0.5\n");
    let ends = "-9223372036854775808\n9223372036854775807\n";
    assert_eq!(f.run_with(&["quantile", "-", "--q", "0,1"], x).good(), ends);
    let x = b"9007199254740993 9007199254740994 9007199254740992";
    assert_eq!(f.run_with(&["quantile", "-", "--q", "0.75"], x).good(), "9007199254740993.5\n");
    assert_eq!(f.run_with(&["median", "-"], x).good(), "9007199254740993\n");
    f.run_with(&["median", "-", "-o", "m.csv"], x).good();
    assert_eq!(f.read("m.csv"), b"9007199254740993\n");
    let done = f.run_with(&["quantile", "-", "--q", "0.5,0.75", "-o", "m.f64"], x);
    assert!(done.stderr.contains("note: m.f64: 2 results are rounded to the nearest f64"), "{}", done.stderr);
    assert_eq!(f.read("m.f64"), bytes_of!(f64: 9007199254740992.0, 9007199254740994.0));
    let done = f.run_with(&["median", "-", "-o", "m.npy"], b"9007199254740994 1 9007199254740994");
    assert_eq!(done.stderr, "", "a value of f64");
    f.file("u.u64", bytes_of!(u64: u64::MAX, u64::MAX - 1));
    assert_eq!(f.prints(&["median", "u.u64", "--type", "u64"]), "18446744073709551614.5\n");
}

#[test]
fn wrong_options_are_named() {
    let f = Folder::new();
    f.file("x.npy", npy("'<f8'", "(3,)", &bytes_of!(f64: 1.0, 2.0, 3.0)));
    f.file("nan.npy", npy("'<f8'", "(2,)", &bytes_of!(f64: 1.0, f64::NAN)));
    f.file("inf.npy", npy("'<f8'", "(2,)", &bytes_of!(f64: 1.0, f64::INFINITY)));
    f.file("half.npy", npy("'<f2'", "(2,)", &[0, 60, 0, 64]));
    let fails = |args: &[&str], words: &[&str]| f.fails(args, b"", 2, words);
    fails(&["histogram", "x.npy", "--bins", "0"], &["--bins: 0 bins: a histogram has 1 to 1048576"]);
    let most = ["histogram", "x.npy", "--bins", "9223372036854775808"];
    fails(&most, &["--bins: 9223372036854775808 bins: a histogram has 1 to 1048576"]);
    fails(&["histogram", "x.npy", "--bins", "1048577"], &["--bins: 1048577 bins"]);
    fails(&["histogram", "x.npy", "--range", "2", "1"], &["--range: the range from 2.0 to 1.0", "before it begins"]);
    fails(&["histogram", "x.npy", "--range", "0", "inf"], &["--range", "must be finite"]);
    fails(
        &["histogram", "x.npy", "--range", "1", "1.0000000000000004", "--bins", "9"],
        &["--range", "edges fall together"],
    );
    fails(&["histogram", "half.npy", "--range", "1", "1.001"], &["too narrow for so many bins of f16"]);
    fails(&["histogram", "half.npy", "--range", "2", "1"], &["--range: the range from 2.0 to 1.0"]);
    fails(&["histogram", "half.npy", "--bins", "1e15"], &["--bins: 1000000000000000 bins"]);
    fails(&["histogram", "x.npy", "--edges", "1"], &["--edges: 1 of them: a bin has two"]);
    fails(&["histogram", "x.npy", "--edges", "1,3,2.5"], &["--edges: 2.5 follows 3: edges ascend"]);
    fails(&["histogram", "x.npy", "--edges", "1,2", "--bins", "3"], &["--edges", "--bins"]);
    fails(&["histogram", "nan.npy"], &["nan.npy: has NaN", "give --range LOW HIGH"]);
    fails(&["histogram", "inf.npy"], &["inf.npy: has values from 1 to inf", "give --range LOW HIGH"]);
    fails(&["histogram", "x.npy", "-o", "x.f32"], &["-o x.f32: the values are u64, not f32"]);
    fails(&["histogram", "x.npy", "-o", "y.csv", "--svg", "y.csv"], &["-o and --svg cannot both go to y.csv"]);
    fails(&["quantile", "x.npy", "--q", "0.5,1.5"], &["--q 1.5: a share is from 0 to 1"]);
    fails(&["quantile", "x.npy", "--q", "nan"], &["--q NaN: a share is from 0 to 1"]);
    fails(&["quantile", "x.npy", "--q", "half"], &["--q", "half"]);
    fails(&["quantile", "-"], &["standard input: has no values"]);
    fails(&["histogram", "missing.npy"], &["missing.npy: no such file"]);
}

/// A file is counted in chunks, with the counts of the whole array, which standard input is.
#[test]
#[cfg(target_os = "linux")]
fn chunks_have_the_counts_of_a_whole_array() {
    // Bytes of a chunk: see `chunks/histogram.rs`.
    const CHUNK: usize = 1 << 20;
    let f = Folder::new();
    let same = |options: &[&str]| {
        let args = |file| [&["histogram", file, "--device", "cpu"], options].concat();
        let whole = f.run_with(&args("-"), &f.read("x.npy"));
        let chunked = f.run(&args("x.npy"));
        let said = whole.stderr.replace("standard input", "x.npy");
        assert_eq!((chunked.code, &chunked.stderr), (whole.code, &said), "{options:?}");
        assert!(chunked.stdout == whole.stdout, "{options:?}");
        whole.code.unwrap()
    };
    let mut codes = [0; 3];
    for (descr, size) in [("|b1", 1), ("|i1", 1), ("<f2", 2), ("<f4", 4), ("<i8", 8)] {
        for n in [0, CHUNK / size, CHUNK / size + 1, 3 * CHUNK / size + 77] {
            let kind = &descr[1..2];
            let mut x: Vec<u8> = (0..n * size).map(|k| ((k * 2_654_435_761) >> 7) as u8).collect();
            match kind {
                "b" => x.iter_mut().for_each(|x| *x &= 1),
                // Neither NaN nor infinite.
                "f" => x.chunks_mut(size).for_each(|x| x[size - 1] &= 0x3b),
                _ => {}
            }
            f.file("x.npy", npy(&format!("'{descr}'"), &format!("({n},)"), &x));
            let options = [
                &[][..],
                &["--bins", "7"],
                &["--range", "-3", "100"],
                &["--edges", "-1,0,0.5,77"],
                &["--edges", "3,1"],
                &["--bins", "0"],
            ];
            for options in options {
                codes[same(options) as usize] += 1;
            }
        }
    }
    assert!(codes[0] > 70 && codes[2] > 30 && codes[1] == 0, "{codes:?}");
    let mut x = vec![0.5f32; CHUNK];
    for (at, special) in [(0, f32::NAN), (CHUNK - 1, f32::INFINITY)] {
        x[at] = special;
        let bytes: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
        f.file("x.npy", npy("'<f4'", &format!("({CHUNK},)"), &bytes));
        // Chunks are longer with so many bins.
        assert_eq!((same(&[]), same(&["--range", "0", "1", "--bins", "300000"])), (2, 0));
        x[at] = 0.5;
    }
}
