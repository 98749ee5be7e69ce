//! Tests of `upsweep runs` and `unique` of files in chunks, and of parts of a series of `runs`, `select` and `histogram`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;
use support::{Folder, Random, bytes_of, npy, npy_data};

/// Values of a chunk: see `chunks/run_lengths.rs`.
const CHUNK: usize = 1 << 16;

const TYPES: &[(&str, &str, usize)] = &[
    ("bool", "|b1", 1),
    ("i8", "|i1", 1),
    ("u16", "<u2", 2),
    ("f16", "<f2", 2),
    ("f32", "<f4", 4),
    ("i32", "<i4", 4),
    ("i64", "<i8", 8),
    ("u64", "<u8", 8),
    ("f64", "<f8", 8),
];

/// Bytes of one of few values, among them zeros of both signs, NaN and the extremes.
fn value(element: &str, size: usize, k: usize) -> Vec<u8> {
    let float = [0.0f64, -0.0, 1.5, f64::NAN, f64::INFINITY, -2.0][k % 6];
    match element {
        "bool" => vec![(k % 2) as u8],
        "f16" => [0x0000u16, 0x8000, 0x3e00, 0x7e00, 0x7c00, 0xc000][k % 6].to_le_bytes().to_vec(),
        "f32" => (float as f32).to_le_bytes().to_vec(),
        "f64" => float.to_le_bytes().to_vec(),
        _ => [0i64, -1, 1, i64::MIN, 7, 1 << 60][k % 6].to_le_bytes()[..size].to_vec(),
    }
}

/// Runs over the edges of chunks, and all on one side of them; the whole array on standard input has no chunks.
#[test]
fn chunks_have_the_bytes_of_a_whole() {
    let (f, mut random) = (Folder::new(), Random(3));
    for &(element, descr, size) in TYPES {
        for n in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 77] {
            // All equal; runs of about so many values; runs that begin and end at edges.
            let means = [usize::MAX, 1, 3, CHUNK / 2, 0];
            for mean in [means[random.below(5)], means[random.below(5)]] {
                let (mut x, mut k) = (Vec::with_capacity(n * size), 0);
                for at in 0..n {
                    let begins = match mean {
                        0 => at % CHUNK == 0 || at % CHUNK == CHUNK - 1,
                        usize::MAX => false,
                        mean => random.below(mean) == 0,
                    };
                    k += usize::from(begins) * (1 + random.below(5));
                    x.extend(value(element, size, k));
                }
                let array = npy(&format!("'{descr}'"), &format!("({n},)"), &x);
                f.file("x.npy", &array).file("x.bin", &x);
                let threads = 1 + random.below(4);
                for args in [&["runs"][..], &["unique"]] {
                    let whole = f.run_with(&[args, &["-"]].concat(), &array).good_bytes();
                    let chunked = f.run_on(threads, &[args, &["x.npy"]].concat()).good_bytes();
                    assert!(chunked == whole, "{args:?} of {n} {element} by {mean}");
                }
                let beside = [("runs", "--lengths"), ("unique", "--counts")];
                let (command, option) = beside[random.below(2)];
                f.run_with(&[command, "-", option, "n.npy", "-o", "y.npy"], &array).good();
                let (values, numbers) = (f.read("y.npy"), f.read("n.npy"));
                let npy_too = [command, "x.npy", option, "m.npy", "-o", "z.npy"];
                f.run_on(threads, &npy_too).good();
                assert!(
                    (f.read("z.npy"), f.read("m.npy")) == (values.clone(), numbers.clone()),
                    "{npy_too:?} {n} {element}"
                );
                let raw = [command, "x.bin", "--type", element, option, "m.u64", "-o", "z.bin"];
                f.run_on(threads, &raw).good();
                assert!(f.read("z.bin") == npy_data(&values) && f.read("m.u64") == npy_data(&numbers));
                // Both to one pipe come one after the other, and a .npy to a pipe has its number.
                let piped = f.run_on(threads, &[command, "x.npy", option, "m.npy.gz", "-o", "-"]);
                assert!(piped.good_bytes() == f.run_with(&[command, "-", option, "m.u64"], &array).good_bytes());
                assert_eq!(f.run(&["reduce", "m.npy.gz"]).good(), f.run(&["reduce", "m.npy"]).good());
                let both = f.run_on(threads, &[command, "x.npy", option, "-"]).good_bytes();
                assert!(both == f.run_with(&[command, "-", option, "-"], &array).good_bytes());
            }
        }
    }
}

#[test]
fn failures_leave_nothing() {
    let f = Folder::new();
    f.file("x.npy", npy("'<f4'", "(2,)", &bytes_of!(f32: 1.0, 2.0)));
    f.fails(&["unique", "x.npy", "-o", "y.f64"], b"", 2, &["the values are f32, not f64"]);
    f.fails(&["runs", "x.npy", "--lengths", "n.u64", "-o", "y.f64"], b"", 2, &["the values are f32, not f64"]);
    f.fails(&["runs", "x.npy", "--lengths", "n.f32", "-o", "y.npy"], b"", 2, &["the values are u64, not f32"]);
}

/// Parts of an array, cut anywhere, have the runs of one call.
#[test]
fn runs_of_parts() {
    let (f, mut random) = (Folder::new(), Random(9));
    for &(element, _, size) in TYPES {
        for n in [0, 1, 5, CHUNK + 9] {
            let mut k = 0;
            let mut x = Vec::new();
            for _ in 0..n {
                k += usize::from(random.below(3) == 0);
                x.extend(value(element, size, k));
            }
            f.file("x.bin", &x);
            let whole = f.prints(&["runs", "x.bin", "--type", element]);
            let mut cuts = [0, 0, random.below(n + 1), random.below(n + 1), n];
            cuts.sort_unstable();
            let mut all = String::new();
            for (part, cut) in cuts.windows(2).enumerate() {
                let x = &x[cut[0] * size..cut[1] * size];
                // A raw file without bytes may be one that the system makes up.
                let array = npy(
                    &format!("'{}'", TYPES.iter().find(|of| of.0 == element).unwrap().1),
                    &format!("({},)", x.len() / size),
                    x,
                );
                f.file("part.npy", &array);
                let begin = if part == 0 { &[][..] } else { &["--carry-in", "c"] };
                let end = if part == 3 { &[][..] } else { &["--carry-out", "c"] };
                // In chunks, and as a whole.
                let done = match part % 2 {
                    0 => f.run(&[&["runs", "part.npy"], begin, end].concat()),
                    _ => f.run_with(&[&["runs", "-"], begin, end].concat(), &array),
                };
                all += &done.good();
            }
            assert_eq!(all, whole, "{n} {element} {cuts:?}");
        }
    }
    f.file("t.csv", "s,n\na,1\na,1\n").file("x.i32", bytes_of!(i32: 4, 4));
    f.prints(&["runs", "t.csv", "--column", "n", "--carry-out", "c"]);
    assert_eq!(f.run_with(&["runs", "-", "--carry-in", "c"], b"1 2").good(), "1\t3\n2\t1\n");
    f.fails(&["runs", "t.csv", "--column", "s", "--carry-in", "c"], b"", 2, &["--carry-in: ", "these are of texts"]);
    f.fails(&["runs", "x.i32", "--carry-in", "c"], b"", 2, &["c: the carry is of runs i64, and this is runs i32"]);
    let mut c = f.read("c");
    c[20] ^= 1;
    f.file("d", &c).file("e", "hello").file("g", &c[..c.len() - 3]).file("empty", "");
    f.fails(&["runs", "-", "--carry-in", "d"], b"1", 2, &["d: the carry is cut off, or damaged"]);
    f.fails(&["runs", "-", "--carry-in", "g"], b"1", 2, &["g: the carry is cut off, or damaged"]);
    for none in ["e", "empty"] {
        f.fails(&["runs", "-", "--carry-in", none], b"1", 2, &["the carry does not begin as one of a command"]);
    }
    f.fails(&["scan", "-", "--carry-in", "c"], b"1", 2, &["does not begin as one of a scan or reduction"]);
    f.fails(&["runs", "-", "--carry-in", "-"], b"1", 2, &["both standard input"]);
    f.fails(&["runs", "x.i32", "-o", "r.csv", "--carry-out", "r.csv"], b"", 2, &["cannot both go to r.csv"]);
    let lengths = ["runs", "x.i32", "-o", "r.csv", "--lengths", "n.u64", "--carry-out", "n.u64"];
    f.fails(&lengths, b"", 2, &["cannot both go to n.u64"]);
}

#[test]
fn indices_of_parts() {
    let f = Folder::new();
    let x: Vec<u8> = (0..300_000u32).flat_map(|k| (k.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()).collect();
    let select = ["select", "part.u32", "--where", "x % 3 == 0", "--indices"];
    f.file("part.u32", &x);
    // The indices of raw values are raw.
    let whole = f.run(&select).good_bytes();
    let mut all = Vec::new();
    let cuts = [(0, 1), (1, 1), (1, 140_000), (140_000, 140_007), (140_007, 300_000)];
    for (part, (begin, end)) in cuts.into_iter().enumerate() {
        f.file("part.u32", &x[4 * begin..4 * end]);
        let from = if part == 0 { &[][..] } else { &["--carry-in", "c"] };
        let args = [&select[..], from, &["--carry-out", "c"]].concat();
        if part % 2 == 0 {
            f.prints(&[&args[..], &["-o", "y.u64"]].concat());
            all.extend(f.read("y.u64"));
        } else {
            all.extend(f.run(&args).good_bytes());
        }
    }
    assert!(all == whole && whole.len() > 700_000);
    // Numbers, and rows of a table.
    assert_eq!(
        f.run_with(&["select", "-", "--where", "x > 1", "--indices", "--carry-out", "c"], b"1 2 3").good(),
        "1\n2\n"
    );
    f.file("t.csv", "n\n5\n0\n7\n");
    let rows = ["select", "t.csv", "--where", "n > 1", "--indices", "--carry-in", "c", "--carry-out", "c"];
    assert_eq!(f.prints(&rows), "3\n5\n");
    assert_eq!(f.prints(&rows), "6\n8\n");
    let values = ["select", "t.csv", "--where", "n > 1", "--carry-out", "d"];
    f.fails(&values, b"", 2, &["--carry-out: no value or row is selected by what came before it"]);
    f.fails(&["select", "-", "--where", "x > 1", "--carry-in", "c"], b"", 2, &["--carry-in: no value"]);
}

#[test]
fn histograms_of_parts() {
    let f = Folder::new();
    let x: Vec<u8> =
        (0..100_000u32).flat_map(|k| ((k.wrapping_mul(2_654_435_761) >> 9) as f32 / 1e6).to_le_bytes()).collect();
    f.file("x.f32", &x).file("a.f32", &x[..4 * 33_333]).file("b.f32", &x[4 * 33_333..]);
    for bins in [&["--range", "0", "7", "--bins", "5"][..], &["--edges", "0,0.5,1,8"]] {
        let run = |file: &str, more: &[&str]| f.prints(&[&["histogram", file], bins, more].concat());
        let whole = run("x.f32", &[]);
        run("a.f32", &["--carry-out", "c"]);
        assert_eq!(run("b.f32", &["--carry-in", "c", "--carry-out", "c"]), whole);
        assert_eq!(
            f.run_with(&[&["histogram", "-", "--type", "f32"], bins, &["--carry-in", "c"]].concat(), b"").good(),
            whole
        );
    }
    let other = ["histogram", "b.f32", "--range", "0", "7", "--carry-in", "c"];
    f.fails(&other, b"", 2, &["--carry-in: the values before were counted in other bins"]);
    f.fails(&["histogram", "b.f32", "--carry-out", "d"], b"", 2, &["the bins of parts are the same"]);
    let svg = ["histogram", "b.f32", "--range", "0", "7", "--svg", "h.svg", "--carry-out", "h.svg"];
    f.fails(&svg, b"", 2, &["cannot both go to h.svg"]);
}

/// A carry of these numbers, whose checksum is right.
fn carry(kind: &str, numbers: &[u64]) -> Vec<u8> {
    let mut bytes = format!("upsweep {kind}\n").into_bytes();
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(xxhash_rust::xxh3::xxh3_64(&bytes).to_le_bytes());
    bytes
}

#[test]
fn carries_that_lie() {
    let f = Folder::new();
    let none = "--carry-in: has no run of these values";
    for numbers in [&[5, u64::MAX][..], &[5, 0], &[5], &[5, 1, 1]] {
        f.file("c", carry("runs i64", numbers));
        f.fails(&["runs", "-", "--carry-in", "c"], b"5", 2, &[none]);
    }
    f.file("c", carry("runs bool", &[2, 1])).file("x.bool", [1]);
    f.fails(&["runs", "x.bool", "--carry-in", "c"], b"", 2, &[none]);
    f.file("c", carry("runs i64", &[5, u64::MAX / 2]));
    assert_eq!(f.run_with(&["runs", "-", "--carry-in", "c"], b"5 5").good(), format!("5\t{}\n", (1u64 << 63) + 1));
    for numbers in [&[u64::MAX][..], &[], &[1, 2]] {
        f.file("c", carry("select", numbers));
        let select = ["select", "-", "--where", "x > 1", "--indices", "--carry-in", "c"];
        f.fails(&select, b"5", 2, &["--carry-in: does not say how many values came before"]);
    }
    let edges = [0.0f64.to_bits(), 1.0f64.to_bits(), 2.0f64.to_bits()];
    let histogram = ["histogram", "-", "--edges", "0,1,2", "--carry-in", "c"];
    for counts in [[1, 1, 1], [u64::MAX, 1, u64::MAX], [0, 0, u64::MAX]] {
        f.file("c", carry("histogram", &[&[2][..], &edges, &counts].concat()));
        f.fails(&histogram, b"0.5", 2, &["--carry-in: has counts that no values have"]);
    }
    for numbers in [&[][..], &[2], &[u64::MAX]] {
        f.file("c", carry("histogram", numbers));
        f.fails(&histogram, b"0.5", 2, &["--carry-in: the values before were counted in other bins"]);
    }
    f.file("c", carry("histogram", &[&[2][..], &edges, &[3, 0, 4]].concat()));
    assert_eq!(f.run_with(&histogram, b"0.5 7").good(), "0.0\t1.0\t4\n1.0\t2.0\t0\n");
}

/// A column of more numbers than stay in memory (see `column.rs`) has the results of an array of them.
#[test]
fn columns_are_as_arrays() {
    let (f, mut random) = (Folder::new(), Random(12));
    let n = (1 << 19) + (1 << 17) + 12_345;
    // Integers; floats; integers of which only the last one is a fraction.
    for kind in ["integers", "floats", "last"] {
        let (mut k, mut x, mut text) = (0, Vec::with_capacity(8 * n), "s,x\n".to_owned());
        for at in 0..n {
            k += i64::from(random.below(3) == 0) * (random.below(7) as i64 - 3);
            match kind {
                "integers" => x.extend(k.to_le_bytes()),
                "floats" => x.extend((k as f64 / 4.0).to_le_bytes()),
                _ if at + 1 == n => x.extend(0.5f64.to_le_bytes()),
                _ => x.extend((k as f64).to_le_bytes()),
            }
            text += &match kind {
                "floats" => format!("a,{}\n", k as f64 / 4.0),
                "last" if at + 1 == n => "a,0.5\n".to_owned(),
                _ => format!("a,{k}\n"),
            };
        }
        let descr = if kind == "integers" { "'<i8'" } else { "'<f8'" };
        f.file("x.npy", npy(descr, &format!("({n},)"), &x)).file("t.csv", &text);
        for args in [
            &["runs"][..],
            &["unique"],
            &["unique", "--counts", "-"],
            &["unique", "--inverse", "-"],
            &["histogram", "--bins", "7"],
            &["histogram", "--range", "-9", "11.5"],
        ] {
            let whole = f.run(&[&args[..1], &["x.npy"], &args[1..]].concat()).good();
            let column = [&args[..1], &["t.csv", "--column", "x"], &args[1..]].concat();
            assert!(f.run(&column).good() == whole, "{kind} {args:?}");
            if kind == "floats" {
                continue;
            }
            let piped = [&args[..1], &["-", "--format", "csv", "--column", "x"], &args[1..]].concat();
            assert!(f.run_with(&piped, text.as_bytes()).good() == whole, "{kind} {args:?} from a pipe");
        }
        for (command, option) in [("runs", "--lengths"), ("unique", "--counts")] {
            f.prints(&[command, "x.npy", option, "n.npy", "-o", "y.npy"]);
            f.prints(&[command, "t.csv", "--column", "x", option, "m.u64", "-o", "z.npy"]);
            assert!(f.read("z.npy") == f.read("y.npy") && f.read("m.u64") == npy_data(&f.read("n.npy")), "{kind}");
        }
    }
    assert_eq!(f.names(), ["m.u64", "n.npy", "t.csv", "x.npy", "y.npy", "z.npy"]);
    // What is wrong far behind is told, and leaves nothing.
    f.file("t.csv", format!("x\n{}nothing 1\n2,3\n", "7\n".repeat(n)));
    let place = format!("t.csv: row {}: has 2 cells where the first row has 1", n + 3);
    f.fails(&["runs", "t.csv", "--column", "x"], b"", 2, &[&place]);
    f.fails(&["histogram", "t.csv"], b"", 2, &[&format!("row {}: column x: `nothing 1` is not a number", n + 2)]);
}

#[test]
fn runs_of_texts() {
    let (f, mut random) = (Folder::new(), Random(4));
    let n = 20_000;
    let rows: Vec<(&str, &str)> = (0..n)
        .map(|_| {
            let s = ["", "a", "a", "a", "b,c", "NA", " a", "12"][random.below(8)];
            (s, ["x", "y"][usize::from(random.below(5) == 0)])
        })
        .collect();
    let quoted = |s: &str| if s.contains(',') || s.starts_with(' ') { format!("\"{s}\"") } else { s.to_owned() };
    let text: String = rows.iter().map(|(s, t)| format!("{},{t}\n", quoted(s))).collect();
    f.file("t.csv", format!("s,t\n{text}"));
    let lines = |cells: &dyn Fn(&(&str, &str)) -> Vec<String>, skips: bool, delimiter: &str| {
        let mut runs: Vec<(Vec<String>, u64)> = Vec::new();
        for row in rows.iter().filter(|row| !skips || !["", "NA"].contains(&row.0)) {
            match runs.last_mut() {
                Some((last, length)) if *last == cells(row) => *length += 1,
                _ => runs.push((cells(row), 1)),
            }
        }
        runs.iter().map(|(row, n)| format!("{}{delimiter}{n}\n", row.join(delimiter))).collect::<String>()
    };
    let in_csv = |s: &str| quoted(s);
    let of_s = |row: &(&str, &str)| vec![in_csv(row.0)];
    let of_both = |row: &(&str, &str)| vec![in_csv(row.0), row.1.to_owned()];
    for (column, cells, names) in
        [("s", &of_s as &dyn Fn(&(&str, &str)) -> Vec<String>, "value"), ("s,t", &of_both, "s,t")]
    {
        for skips in [false, true] {
            let missing: &[&str] = if skips { &["--missing", "skip", "--na", "NA"] } else { &[] };
            let runs = ["runs", "t.csv", "--column", column];
            f.prints(&[&runs[..], missing, &["-o", "y.csv"]].concat());
            let expected = format!("{names},length\n{}", lines(cells, skips, ","));
            assert!(f.read("y.csv") == expected.as_bytes(), "{column} {skips}");
            // The lengths in a file of their own, and after the texts.
            f.prints(&[&runs[..], missing, &["-o", "y.csv", "--lengths", "n.csv"]].concat());
            let both = f.prints(&[&runs[..], missing, &["--lengths", "-"]].concat());
            let (texts, lengths) = (f.read("y.csv").len(), String::from_utf8(f.read("n.csv")).unwrap());
            assert!(both.ends_with(&lengths) && both.len() >= texts, "{column} {skips}");
            let sum: u64 = lengths.lines().map(|length| length.parse::<u64>().unwrap()).sum();
            let kept = rows.iter().filter(|row| !skips || !["", "NA"].contains(&row.0)).count();
            assert_eq!(sum, kept as u64);
        }
    }
}
