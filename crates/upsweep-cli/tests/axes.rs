//! Tests of arrays in files that are scanned and reduced along an axis, or from the end, in chunks: the results are those of a
//! call that reads the whole array first, which a scan to a pipe and a reduction of standard input do.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(unix)]

mod support;
use support::{Folder, Random, TYPES, bytes_of, data, npy};

fn remove(f: &Folder, name: &str) {
    let _ = std::fs::remove_file(f.path(name));
}

/// Shapes of some megabytes with the axis, for values of `size` bytes in the computation: slabs of which a chunk has many, or
/// one; slabs longer than a chunk, of few columns and of many; lines longer than a chunk.
fn shape(random: &mut Random, size: usize) -> (Vec<usize>, usize) {
    let k = (1 << 20) / size;
    match random.below(11) {
        0 => (vec![k / 6 + 3, 3, 5], 1),
        1 => (vec![2, k / 9, 11], 1),
        2 => (vec![k / 100 + 7, 2, 61], 2),
        3 => (vec![2, k + 1 + random.below(k)], 1),
        4 => (vec![k / 4 + random.below(k / 8), 6], 0),
        5 => (vec![3, k + 3], 0),
        6 => (vec![70, k / 40 + random.below(100)], 0),
        // Strips of columns, the last of which would have a single one.
        7 => (vec![2, 40, 2 * (k / 64) + 1], 1),
        // As many slabs as make floats chains, each longer than the blocks of fewer slabs.
        8 if size > 2 => (vec![67, 131_072 / size / 8 + 30, 9], 1),
        9 => (vec![1, random.below(2 * k) + 1, 1], 1),
        _ => (vec![random.below(3) + 1, random.below(4) + 1, k / 4, 1], 2),
    }
}

/// Every operator and type, with options that change what is computed, along an axis.
#[test]
fn lines_have_the_bytes_of_a_whole_call() {
    let (f, mut random) = (Folder::new(), Random(12));
    let mut codes = [0; 3];
    for &(element, descr, size) in TYPES {
        let is_float = element.starts_with('f');
        for op in ["sum", "product", "min", "max", "and", "or", "xor"] {
            let sum = matches!(op, "sum" | "product");
            for _ in 0..if sum && is_float { 8 } else { random.of(&[1, 1, 2]) } {
                let computed = if sum && !is_float { 8 } else { size };
                let (shape, axis) = shape(&mut random, computed);
                let x = data(&mut random, element, size, shape.iter().product());
                let (axis, minus) = (axis.to_string(), (axis as i64 - shape.len() as i64).to_string());
                let mut options = vec!["--op", op, "--device", "cpu", "--axis", random.of(&[&axis, &minus])];
                if random.below(3) == 0 {
                    options.extend(["--init", "1"]);
                }
                if sum && !is_float && random.below(4) > 0 {
                    options.extend([&["--wrap"][..], &["--sum-type", "i32"], &["--sum-type", "f64"]][random.below(3)]);
                }
                let axes = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
                f.file("x.npy", npy(&format!("'{descr}'"), &format!("({axes})"), &x));
                let what = format!("{options:?} of {element} {shape:?}");
                let threads = random.of(&[1, 2, 3, 8]);
                // Standard input of up to 4 MiB is read as a whole.
                if x.len() < 1 << 22 {
                    let out = random.of(&[None, Some("out.npy"), Some("out.bin"), Some("out.npy.gz")]);
                    let to: &[&str] = if let Some(out) = &out { &["-o", out] } else { &[] };
                    let written = || out.map(|out| (f.path(out).exists().then(|| f.read(out)), remove(&f, out)));
                    let whole = f.run_with(&[&["reduce", "-"], &options[..], to].concat(), &f.read("x.npy"));
                    let expected = written();
                    let chunked = f.run_on(threads, &[&["reduce", "x.npy"], &options[..], to].concat());
                    let said = whole.stderr.replace("standard input", "x.npy");
                    assert_eq!((chunked.code, &chunked.stderr), (whole.code, &said), "reduce {what}");
                    assert!((chunked.stdout, written()) == (whole.stdout, expected), "reduce {what}");
                    codes[whole.code.unwrap() as usize] += 1;
                }
                options.extend(random.of(&[None, Some("--exclusive")]));
                options.extend(random.of(&[None, Some("--reverse")]));
                let whole = f.run(&[&["scan", "x.npy"], &options[..]].concat());
                let to_file = [&["scan", "x.npy", "-o", "out.npy"], &options[..]].concat();
                let chunked = f.run_on(threads, &to_file);
                assert_eq!((chunked.code, &chunked.stderr), (whole.code, &whole.stderr), "scan {what} {options:?}");
                codes[whole.code.unwrap() as usize] += 1;
                let written = if whole.code == Some(0) { f.read("out.npy") } else { vec![] };
                assert!(written == whole.stdout, "scan {what} {options:?}");
                remove(&f, "out.npy");
            }
        }
    }
    assert!(codes[0] > 150 && codes[2] > 10 && codes[1] == 0, "{codes:?}");
}

/// Every operator and type from the end, of a whole array: of one file, or of several.
#[test]
fn scans_from_the_end_have_the_bytes_of_a_whole_scan() {
    let (f, mut random) = (Folder::new(), Random(13));
    for &(element, descr, size) in TYPES {
        let is_float = element.starts_with('f');
        for op in ["sum", "product", "min", "max", "and", "or", "xor"] {
            let chunk = (1 << 20) / if matches!(op, "sum" | "product") && !is_float { 8 } else { size };
            let n = random.of(&[0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk + 77]);
            let x = data(&mut random, element, size, n);
            let mut options = vec!["--op", op, "--device", "cpu", "--reverse"];
            options.extend(random.of(&[None, Some("--exclusive")]));
            if random.below(3) == 0 {
                options.extend(["--init", "1"]);
            }
            let cut = random.below(n + 1);
            for (name, part) in [("x.npy", 0..cut), ("y.npy", cut..n)] {
                f.file(
                    name,
                    npy(&format!("'{descr}'"), &format!("({},)", part.len()), &x[part.start * size..part.end * size]),
                );
            }
            let whole = f.run(&[&["scan", "x.npy", "y.npy"], &options[..]].concat());
            let to_file = [&["scan", "x.npy", "y.npy", "-o", "out.npy"], &options[..]].concat();
            let chunked = f.run_on(random.of(&[1, 2, 3, 8]), &to_file);
            assert_eq!((chunked.code, &chunked.stderr), (whole.code, &whole.stderr), "{options:?} of {n} {element}");
            let written = if whole.code == Some(0) { f.read("out.npy") } else { vec![] };
            assert!(written == whole.stdout, "{options:?} of {n} {element}");
            remove(&f, "out.npy");
        }
    }
}

/// The result that is told is the first of the first line that has one, wherever it is, and has its place in the array.
#[test]
fn overflow_in_any_line() {
    let f = Folder::new();
    let tell = |shape: [usize; 2], places: &[[usize; 2]], args: &[&str], expected: Option<[usize; 2]>| {
        let mut x = vec![0i64; shape[0] * shape[1]];
        for [row, column] in places {
            x[row * shape[1] + column] = i64::MAX;
        }
        let x: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
        f.file("x.npy", npy("'<i8'", &format!("({}, {})", shape[0], shape[1]), &x));
        let args = [args, &["-o", "out.npy", "--device", "cpu"]].concat();
        match expected {
            None => drop(f.run(&args).good()),
            Some([row, column]) => f.fails(&args, b"", 2, &[&format!("x.npy: at [{row}, {column}]: ")]),
        }
        remove(&f, "out.npy");
    };
    let (scan, reduce) = (["scan", "x.npy", "--axis"], ["reduce", "x.npy", "--axis"]);
    // Rows longer than a chunk.
    let n = (1 << 17) + 9;
    for call in [scan, reduce] {
        tell([2, n], &[[0, 5], [1, 7]], &[&call[..], &["1"]].concat(), None);
        tell([2, n], &[[0, 5], [1, 7], [1, n - 2]], &[&call[..], &["1"]].concat(), Some([1, n - 2]));
        tell([2, n], &[[0, 5], [0, 9], [1, 7], [1, 8]], &[&call[..], &["1"]].concat(), Some([0, 9]));
        // Columns: the first is told, though the third one overflows further up. The last strip has other columns.
        tell([n, 2], &[[5, 0], [7, 1]], &[&call[..], &["0"]].concat(), None);
        tell([n, 3], &[[5, 0], [n - 1, 0], [6, 2], [7, 2]], &[&call[..], &["0"]].concat(), Some([n - 1, 0]));
        tell([70, 5000], &[[1, 4999], [69, 4999], [3, 4000]], &[&call[..], &["0"]].concat(), Some([69, 4999]));
        // Slabs of which a chunk has many.
        tell(
            [n, 3],
            &[[n - 7, 1], [n - 7, 2], [n - 8, 1], [n - 8, 0]],
            &[&call[..], &["1"]].concat(),
            Some([n - 8, 1]),
        );
    }
    let reverse = ["scan", "x.npy", "--reverse"];
    tell([2, n], &[[0, 5], [1, 7]], &reverse, Some([0, 5]));
    tell([2, n], &[[0, 5], [0, 9], [1, 7], [1, 8]], &[&reverse[..], &["--axis", "1"]].concat(), Some([0, 5]));
    tell([n, 3], &[[0, 0], [n - 1, 0], [6, 2], [7, 2]], &[&reverse[..], &["--axis", "0"]].concat(), Some([0, 0]));
    // A total may come back into the range of its type, which no scan does.
    let mut x = vec![0i64; 2 * n];
    (x[1], x[3], x[2 * n - 1]) = (i64::MAX, 3, -3);
    let x: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
    f.file("x.npy", npy("'<i8'", &format!("({n}, 2)"), &x));
    assert_eq!(f.prints(&["reduce", "x.npy", "--axis", "0"]), format!("0\n{}\n", i64::MAX));
    f.fails(
        &["scan", "x.npy", "--axis", "0", "-o", "out.npy"],
        b"",
        2,
        &["x.npy: at [1, 1]: the sum is 9223372036854775810"],
    );
}

/// Arrays without values, and of one.
#[test]
fn few_values() {
    let f = Folder::new();
    for (shape, axis, len, total) in [
        ("(3, 0)", "1", 0, "0\n0\n0\n"),
        ("(3, 0)", "0", 0, ""),
        ("(0, 2)", "0", 0, "0\n0\n"),
        ("(1, 1)", "1", 1, "7\n"),
        ("(1, 1, 1)", "0", 1, "7\n"),
    ] {
        f.file("x.npy", npy("'<i8'", shape, &bytes_of!(i64: 7)[..8 * len]));
        for options in [&["--axis", axis][..], &["--axis", axis, "--reverse"]] {
            f.run(&[&["scan", "x.npy", "-o", "out.npy"], options].concat()).good();
            let whole = f.run(&[&["scan", "x.npy"], options].concat());
            assert!(f.read("out.npy") == whole.stdout, "{shape} {options:?}");
        }
        assert_eq!(f.prints(&["reduce", "x.npy", "--axis", axis]), total, "{shape} {axis}");
    }
    f.file("one.npy", npy("'<f8'", "()", &bytes_of!(f64: 2.5)));
    for command in ["scan", "reduce"] {
        f.fails(&[command, "one.npy", "--axis", "0", "-o", "out.npy"], b"", 2, &["a single value has no axes"]);
    }
}
