//! Tests of arrays in files that are read, computed and written in chunks: the results are those of a scan that reads the
//! whole file first, which a scan to a pipe does.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![cfg(target_os = "linux")]

mod support;
use std::process::Command;
use support::{Folder, Random, TYPES, bytes_of, data, npy, npy_data, npy_dictionary};

/// Bytes of a chunk: see `chunks/mod.rs`.
const CHUNK: usize = 960 << 10;

/// Every operator and type, with options that change what is computed, around the ends of chunks.
#[test]
fn chunks_have_the_bytes_of_a_whole_scan() {
    let (f, mut random) = (Folder::new(), Random(11));
    let mut codes = [0; 3];
    for &(element, descr, size) in TYPES {
        let is_float = element.starts_with('f');
        for op in ["sum", "product", "min", "max", "and", "or", "xor"] {
            for _ in 0..random.of(&[1, 1, 2]) {
                let sum = matches!(op, "sum" | "product");
                let chunk = CHUNK / if sum && !is_float { 8 } else { size };
                let n = random.of(&[1, chunk - 1, chunk, chunk + 1, chunk + 1, 2 * chunk + 77]);
                let x = data(&mut random, element, size, n);
                let mut options = vec!["--op", op, "--device", "cpu"];
                options.extend(random.of(&[None, Some("--exclusive")]));
                if random.below(3) == 0 {
                    options.extend(["--init", "1"]);
                }
                if sum && !is_float && random.below(4) > 0 {
                    options.extend([&["--wrap"][..], &["--sum-type", "i32"], &["--sum-type", "f64"]][random.below(3)]);
                }
                if random.below(4) == 0 {
                    options.extend(["--axis", "-1"]);
                }
                let (name, out) = if random.below(2) == 0 {
                    f.file("x.npy", npy(&format!("'{descr}'"), &format!("({n},)"), &x));
                    ("x.npy", "out.npy")
                } else {
                    f.file("x.bin", x);
                    options.extend(["--type", element]);
                    options.retain(|option| *option != "--axis" && *option != "-1");
                    ("x.bin", "out.bin")
                };
                let whole = f.run(&[&["scan", name], &options[..]].concat());
                let to_file = [&["scan", name, "-o", out], &options[..]].concat();
                let chunked = f.run_on(random.of(&[1, 2, 3, 8]), &to_file);
                assert_eq!(
                    (chunked.code, &chunked.stderr),
                    (whole.code, &whole.stderr),
                    "{options:?} of {n} {element}"
                );
                codes[whole.code.unwrap() as usize] += 1;
                let written = if whole.code == Some(0) { f.read(out) } else { vec![] };
                assert!(written == whole.stdout, "{options:?} of {n} {element}");
                let _ = std::fs::remove_file(f.path(out));
                // A reduction of standard input reads the whole array first.
                if name == "x.npy" {
                    options.retain(|option| *option != "--exclusive");
                    let whole = f.run_with(&[&["reduce", "-"], &options[..]].concat(), &f.read("x.npy"));
                    let args = [&["reduce", "x.npy"], &options[..]].concat();
                    let chunked = f.run_on(random.of(&[1, 2, 3, 8]), &args);
                    let said = whole.stderr.replace("standard input", "x.npy").replace("number ", "at ");
                    assert_eq!((chunked.code, &chunked.stderr), (whole.code, &said), "{options:?} of {n} {element}");
                    assert_eq!(chunked.stdout, whole.stdout, "reduce {options:?} of {n} {element}");
                }
            }
        }
    }
    assert!(codes[0] > 50 && codes[2] > 15 && codes[1] == 0, "{codes:?}");
}

/// The first result that does not fit is told, with its place in the file, whichever chunk it is in.
#[test]
fn overflow_in_any_chunk() {
    let f = Folder::new();
    let n = 3 * CHUNK / 8;
    for at in [0, 1, CHUNK / 8 - 1, CHUNK / 8, CHUNK / 8 + 1, n - 1] {
        let mut x = vec![0i64; n];
        (x[0], x[at]) = (i64::MAX, if at == 0 { i64::MAX } else { 1 });
        let x: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
        f.file("x.npy", npy("'<i8'", &format!("(3, {})", CHUNK / 8), &x));
        let done = f.run(&["scan", "x.npy", "-o", "out.npy", "--device", "cpu"]);
        if at == 0 {
            done.good();
            std::fs::remove_file(f.path("out.npy")).unwrap();
            continue;
        }
        let place = format!("x.npy: at [{}, {}]: the sum is 9223372036854775808", at / (CHUNK / 8), at % (CHUNK / 8));
        assert!(done.code == Some(2) && done.stderr.contains(&place), "{place}: {}", done.stderr);
        // The last total is no result of an exclusive scan, but a carry would hand it on.
        let exclusive = ["scan", "x.npy", "-o", "out.npy", "--exclusive", "--device", "cpu"];
        if at == n - 1 {
            f.fails(&[&exclusive[..], &["--carry-out", "c"]].concat(), b"", 2, &[&place]);
            f.run(&exclusive).good();
            std::fs::remove_file(f.path("out.npy")).unwrap();
        } else {
            f.fails(&exclusive, b"", 2, &["the sum is 9223372036854775808"]);
        }
        assert_eq!(f.names(), ["x.npy"]);
    }
}

/// Parts of a series, as separate processes, have the bytes of one call: files in chunks, numbers on standard input, and
/// tables.
#[test]
fn carries_of_processes() {
    let (f, mut random) = (Folder::new(), Random(5));
    for (element, op, options) in [
        ("f32", "sum", &[][..]),
        ("f64", "product", &[]),
        ("i64", "sum", &["--wrap"]),
        ("u8", "sum", &["--sum-type", "u16", "--wrap"]),
        ("u8", "sum", &[]),
        ("f16", "sum", &["--exclusive"]),
        ("i16", "max", &["--exclusive"]),
        ("u32", "xor", &[]),
    ] {
        let &(_, _, size) = TYPES.iter().find(|(name, _, _)| *name == element).unwrap();
        let n = CHUNK / 4 + 1000;
        let x = data(&mut random, element, size, n);
        f.file("all.bin", &x);
        let common = [&["--type", element, "--op", op, "--device", "cpu"], options].concat();
        f.run(&[&["scan", "all.bin", "-o", "all.out.bin"], &common[..]].concat());
        let (whole, mut parts) = (f.read("all.out.bin"), vec![]);
        let mut cuts = [0, 0, random.below(n), random.below(n), n];
        cuts.sort_unstable();
        for (k, cut) in cuts.windows(2).enumerate() {
            f.file("part.bin", &x[cut[0] * size..cut[1] * size]);
            let from: &[&str] = if k == 0 { &[] } else { &["--carry-in", "state"] };
            // To a pipe every other time: the whole part is read first.
            let to: &[&str] = if k % 2 == 0 { &["-o", "part.out.bin"] } else { &["-o", "-"] };
            let args = [&["scan", "part.bin", "--carry-out", "state"], to, from, &common[..]].concat();
            let done = f.run(&args);
            assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
            if k % 2 == 0 { parts.extend(f.read("part.out.bin")) } else { parts.extend(done.stdout) }
        }
        assert!(parts == whole, "{op} of {element} {options:?}");
    }
    // Totals, too.
    for (element, op, options) in
        [("f32", "sum", &["--init", "0.5"][..]), ("f16", "sum", &[]), ("u16", "sum", &[]), ("i32", "min", &[])]
    {
        let &(_, _, size) = TYPES.iter().find(|(name, _, _)| *name == element).unwrap();
        let n = CHUNK / 2 + 1000;
        let x = data(&mut random, element, size, n);
        f.file("all.bin", &x);
        let common = ["--type", element, "--op", op, "--device", "cpu"];
        let whole = f.prints(&[&["reduce", "all.bin"], &common[..], options].concat());
        let first = random.below(n / 2) + 1;
        let (mut last, cuts) = (String::new(), [0, first, first, n / 2 + random.below(n / 2), n]);
        for (k, cut) in cuts.windows(2).enumerate() {
            f.file("part.bin", &x[cut[0] * size..cut[1] * size]);
            let begin: &[&str] = if k == 0 { &[] } else { &["--carry-in", "state"] };
            let end = if k == 3 { options } else { &["--carry-out", "state"] };
            let args = [&["reduce", "part.bin"], begin, end, &common].concat();
            last = f.prints(&args);
        }
        assert_eq!(last, whole, "{op} of {element} {options:?}");
    }
    let f = Folder::new();
    assert_eq!(
        f.run_with(&["reduce", "-", "--carry-out", "c"], b"9223372036854775807").good(),
        "9223372036854775807\n"
    );
    f.fails(&["reduce", "-", "--carry-in", "c"], b"1", 2, &["number 1: from here on the sum does not fit i64"]);
    assert_eq!(f.run_with(&["reduce", "-", "--carry-in", "c"], b"1 -3").good(), "9223372036854775805\n");
    let last = ["reduce", "-", "--carry-in", "c", "--init"];
    assert_eq!(f.run_with(&[&last[..], &["-1"]].concat(), b"1").good(), "9223372036854775807\n");
    f.fails(&[&last[..], &["1"]].concat(), b"0", 2, &["does not fit i64"]);
    assert_eq!(f.run_with(&["scan", "-", "--carry-out", "c", "--init", "10"], b"1 2").good(), "11\n13\n");
    f.file("t.csv", "n\n3\n4\n");
    assert_eq!(f.prints(&["scan", "t.csv", "--carry-in", "c", "--carry-out", "c"]), "n,n_sum\n3,16\n4,20\n");
    assert_eq!(f.run_with(&["scan", "-", "--carry-in", "c", "--exclusive"], b"7 7").good(), "20\n27\n");
    let refused = ["scan", "-", "--carry-in", "c"];
    f.fails(&refused, b"9223372036854775800", 2, &["number 1: the sum is 9223372036854775820, which does not fit i64"]);
    f.fails(&["scan", "-", "--carry-out", "c", "--init", "1"], b"", 2, &["would lose --init"]);
}

#[test]
fn carries_that_are_none() {
    let f = Folder::new();
    f.file("x.i64", bytes_of!(i64: 1, 2)).file("x.u64", bytes_of!(u64: 1, 2)).file("x.bool", [1, 0]);
    f.run(&["scan", "x.i64", "-o", "y.bin", "--carry-out", "c"]).good();
    let c = f.read("c");
    f.file("short", &c[..c.len() - 1]).file("empty", "").file("other", "hello");
    let mut version = c.clone();
    let at = version.iter().position(|&byte| byte == 0).unwrap() + 1;
    version[at] += 1;
    f.file("version", &version);
    for (input, carry, words) in [
        ("x.u64", "c", "c: the carry is of a scan with sum in i64, and this is a scan with sum in u64"),
        ("x.i64", "short", "short: the carry has "),
        ("x.i64", "empty", "empty: the carry does not begin as one of a scan or reduction"),
        ("x.i64", "other", "other: the carry does not begin as one of a scan or reduction"),
        ("x.i64", "version", "version: the carry has version "),
        ("x.i64", "missing", "missing: "),
    ] {
        for to in ["z.npy", "-"] {
            f.fails(&["scan", input, "-o", to, "--carry-in", carry, "--carry-out", "d"], b"", 2, &[words]);
        }
    }
    let max = ["scan", "x.i64", "--op", "max", "-o", "z.npy", "--carry-in", "c"];
    f.fails(&max, b"", 2, &["c: the carry is of a scan with sum in i64, and this is a scan with max in i64"]);
    let both = ["scan", "x.i64", "-o", "z.bin", "--carry-out", "z.bin"];
    f.fails(&both, b"", 2, &["--carry-out and the result cannot both go to z.bin"]);
    f.fails(&["scan", "x.bool", "--op", "or", "-o", "z.bool", "--carry-out", "d"], b"", 2, &["--type u8"]);
    let reduce = ["reduce", "x.i64", "--carry-in", "c"];
    f.fails(&reduce, b"", 2, &["c: the carry is of a scan with sum in i64, and this is a reduction with sum in i64"]);
    f.fails(&["reduce", "x.i64", "--op", "count", "--carry-in", "c"], b"", 2, &["--carry-in is for others"]);
    f.fails(&["scan", "x.i64", "--carry-in", "c", "--init", "1"], b"", 2, &["--init: comes before"]);
    f.fails(&["reduce", "x.i64", "--carry-out", "d", "--init", "1"], b"", 2, &["--init: is in no carry"]);
    f.fails(&["scan", "x.i64", "--carry-in", "c", "--reverse"], b"", 2, &["cannot be used with"]);
    f.fails(&["scan", "-", "--carry-in", "-"], b"", 2, &["both standard input"]);
    // The result and the carry that is replaced stay as they are when the scan fails.
    f.file("big.i64", bytes_of!(i64: i64::MAX));
    f.fails(&["scan", "big.i64", "-o", "y.bin", "--carry-in", "c", "--carry-out", "c"], b"", 2, &["does not fit"]);
    assert!(f.read("c") == c && f.read("y.bin") == bytes_of!(i64: 1, 3));
}

/// A file four times as long as the address space that the program may use.
#[test]
fn a_file_longer_than_memory() {
    let f = Folder::new();
    let len = 512usize << 20;
    let header = npy("'<f4'", &format!("({},)", len / 4), &[]);
    f.file("x.npy", &header);
    std::fs::File::options().write(true).open(f.path("x.npy")).unwrap().set_len((header.len() + len) as u64).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 131072; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_upsweep")]);
    command.args(["scan", "x.npy", "--init", "1.5", "-o", "out.npy", "--device", "cpu"]).current_dir(f.path(""));
    let output = command.env("RAYON_NUM_THREADS", "2").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let out = std::fs::File::open(f.path("out.npy")).unwrap();
    assert_eq!(out.metadata().unwrap().len(), (len + 128) as u64);
    let mut end = [0; 4];
    std::os::unix::fs::FileExt::read_exact_at(&out, &mut end, (len + 124) as u64).unwrap();
    assert_eq!(f32::from_le_bytes(end), 1.5);
}

/// A result that the system does not let be written whole leaves nothing: the limit of a file's size stands for a full disk.
#[test]
fn no_room_for_the_result() {
    let f = Folder::new();
    f.file("x.npy", npy("'<f4'", &format!("({},)", CHUNK), &vec![0; 4 * CHUNK])).file("out.npy", "as it was");
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 3000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_upsweep")]);
    command.args(["scan", "x.npy", "-o", "out.npy", "--carry-out", "c", "--device", "cpu"]).current_dir(f.path(""));
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*said), (Some(1), "upsweep: out.npy: writing failed: file too large\n"));
    assert_eq!((f.names(), f.read("out.npy")), (vec!["out.npy".into(), "x.npy".into()], b"as it was".to_vec()));
}

#[test]
fn shapes_stay() {
    let f = Folder::new();
    f.file("x.npy", npy("'<i4'", "(1, 2, 3)", &bytes_of!(i32: 1, 2, 3, 4, 5, 6)));
    f.run(&["scan", "x.npy", "-o", "out.npy", "--sum-type", "i32"]).good();
    let out = f.read("out.npy");
    assert!(out.windows(9).any(|text| text == b"(1, 2, 3)"));
    assert_eq!(npy_data(&out), bytes_of!(i32: 1, 3, 6, 10, 15, 21));
    f.file("scalar.npy", npy("'<f8'", "()", &bytes_of!(f64: 2.5)));
    f.run(&["scan", "scalar.npy", "-o", "out.npy"]).good();
    assert_eq!(npy_data(&f.read("out.npy")), bytes_of!(f64: 2.5));
    // In place: the old file is read until the new one takes its name.
    f.run(&["scan", "x.npy", "-o", "x.npy", "--sum-type", "i32"]).good();
    assert_eq!(npy_data(&f.read("x.npy")), bytes_of!(i32: 1, 3, 6, 10, 15, 21));
}

/// A long array on standard input has the results of one in a file.
#[test]
fn arrays_from_a_pipe() {
    let f = Folder::new();
    // More than stays in memory: see `chunks/piped.rs`.
    let n = (1 << 22) + 100;
    for (descr, size) in [("'>i4'", 4), ("'<f8'", 8), ("'|b1'", 1)] {
        let len = n / size;
        let x: Vec<u8> = match size {
            8 => (0..len).flat_map(|k| ((k % 1000) as f64 / 7.0).to_le_bytes()).collect(),
            1 => (0..len).map(|k| u8::from(k % 5 < 2)).collect(),
            _ => (0..len).flat_map(|k| (k as i32 / 3 % 100_000).to_be_bytes()).collect(),
        };
        let array = npy(descr, &format!("({}, 2)", len / 2), &x[..len / 2 * 2 * size]);
        f.file("x.npy", &array);
        for args in [
            &["scan", "FILE", "-o", "y.npy"][..],
            &["scan", "FILE", "--op", "max", "--exclusive", "-o", "y.bin"],
            &["scan", "FILE", "--axis", "0", "-o", "y.npy"],
            &["scan", "FILE", "--type", "f64", "-o", "y.npy"],
            &["scan", "FILE", "--exclusive", "-o", "y.npy"],
            &["scan", "FILE", "--reverse", "-o", "y.npy"],
            &["scan", "FILE"],
            &["reduce", "FILE"],
            &["reduce", "FILE", "--axis", "1"],
            &["select", "FILE", "--where", "x > 0", "-o", "y.npy"],
            &["select", "FILE", "--where", "x > 0", "--indices", "-o", "y.u64"],
            &["runs", "FILE", "-o", "y.tsv"],
            &["unique", "FILE", "--counts", "y.npy"],
            &["histogram", "FILE", "--bins", "3"],
            &["sort", "FILE", "--desc", "-o", "y.npy"],
            &["sort", "FILE", "--argsort", "-o", "y.npy"],
        ] {
            // Of the other types what they have, and what does not take long.
            if size != 4 && args.len() > 4 || size == 1 && args[0] == "select" {
                continue;
            }
            let out = args.iter().find(|arg| arg.starts_with("y."));
            let of =
                |file: &'static str| args.iter().map(|&arg| if arg == "FILE" { file } else { arg }).collect::<Vec<_>>();
            let written = || out.map(|out| f.read(out));
            let (whole, expected) = (f.run(&of("x.npy")).good_bytes(), written());
            let (piped, found) = (f.run_with(&of("-"), &array).good_bytes(), written());
            assert!((piped, found) == (whole, expected), "{descr} {args:?}");
            out.into_iter().for_each(|out| std::fs::remove_file(f.path(out)).unwrap());
        }
    }
    let array = f.read("x.npy");
    let cut = "standard input: is truncated";
    for args in [&["scan", "-", "-o", "y.npy"][..], &["reduce", "-"], &["runs", "-"], &["sort", "-", "-o", "y.npy"]] {
        f.fails(args, &array[..array.len() - 1], 2, &[cut]);
        f.fails(args, &[&array[..], b"x"].concat(), 2, &["standard input: has more bytes after its array"]);
        f.fails(args, &[&array[..], &array].concat(), 2, &["standard input: holds several arrays"]);
    }
}

/// Quantiles and the first values of a file in chunks are those of one in Fortran order, which is read whole.
#[test]
fn order_statistics_of_a_file() {
    let (f, mut random) = (Folder::new(), Random(8));
    for &(element, descr, size) in TYPES {
        // Chunks are of 8 MiB.
        let chunk = (8 << 20) / size;
        for n in [1, 1000, chunk + random.below(1000) + 1] {
            let few = random.below(2) == 0;
            let x: Vec<u8> = (0..n)
                .flat_map(|_| {
                    let x = random.next();
                    let special = [-0.0, 0.0, f64::NAN, f64::INFINITY, 1.5][(x % if few { 5 } else { 2 }) as usize];
                    match element {
                        "bool" => (x % 2).to_le_bytes(),
                        "f64" if x % 8 < 3 => special.to_le_bytes(),
                        "f64" => (x as f64 / 3.0).to_le_bytes(),
                        "f32" if x % 8 < 3 => u64::from((special as f32).to_bits()).to_le_bytes(),
                        "f32" => u64::from((x as f32 / 3.0).to_bits()).to_le_bytes(),
                        _ if few && element != "f16" => (x % 3).to_le_bytes(),
                        _ => (x << 16 ^ x).to_le_bytes(),
                    }
                    .into_iter()
                    .take(size)
                })
                .collect();
            f.file("x.npy", npy(&format!("'{descr}'"), &format!("({n},)"), &x));
            let fortran = format!("{{'descr': '{descr}', 'fortran_order': True, 'shape': ({n}, 1), }}");
            f.file("whole.npy", npy_dictionary(1, &fortran, &x));
            let [few_values, many] = [37, 100_000].map(|k| k.min(n).to_string());
            let k = random.of(&["1", &few_values, &many]);
            for args in [
                &["quantile", "FILE", "--q", "0,0.25,0.5,0.77,1"][..],
                &["median", "FILE"],
                &["top", "FILE"],
                &["top", "FILE", "-k", k, "--least"],
                &["top", "FILE", "-k", k, "--indices", "-o", "y.npy"],
                &["top", "FILE", "-k", k, "-o", "y.npy"],
            ] {
                let of = |file: &'static str| {
                    let args: Vec<_> = args.iter().map(|&arg| if arg == "FILE" { file } else { arg }).collect();
                    let done = f.run(&[&args[..], &["--device", "cpu"]].concat());
                    let written = f.path("y.npy").exists().then(|| f.read("y.npy"));
                    let _ = std::fs::remove_file(f.path("y.npy"));
                    (done.good_bytes(), written)
                };
                assert!(of("x.npy") == of("whole.npy"), "{args:?} of {n} {element}, {few}");
            }
        }
    }
    f.file("x.npy", npy("'<f4'", "(0,)", &[]));
    for (args, words) in [
        (&["quantile", "x.npy"][..], "x.npy: has no values, so it has no quantiles"),
        (&["median", "x.npy"], "x.npy: has no values, so it has no quantiles"),
        (&["top", "x.npy", "-k", "2"], "-k 2: x.npy has no values"),
    ] {
        f.fails(args, b"", 2, &[words]);
    }
    f.file("x.npy", npy("'<f4'", "(2,)", &bytes_of!(f32: 1.0, 2.0)));
    f.fails(&["top", "x.npy", "-k", "3"], b"", 2, &["-k 3: x.npy has 2 values"]);
    f.fails(&["top", "x.npy", "--rows"], b"", 2, &["--rows"]);
}
