//! Tests of inputs: files and streams that a command reads, and their conversion.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use support::{Folder, bytes_of, npy, npy_data};

#[test]
fn standard_input_is_one_file() {
    let f = Folder::new();
    for args in [
        &["scan", "-", "--segments", "-"][..],
        &["reduce", "-", "--segments", "-"],
        &["reduce", "-", "--segments", "-", "--format", "csv"],
        &["expand", "-", "--values", "-"],
        &["text", "lex", "-", "--rules", "-"],
        &["text", "compare", "-", "-"],
        &["tree", "sum", "-", "--values", "-"],
        &["graph", "spmv", "-", "-"],
        &["graph", "spmv", "-", "-", "--format", "csv"],
        &["signal", "filter", "-", "--sos", "-"],
    ] {
        f.fails(args, b"1 2 3", 2, &["are both standard input, which is read once: save one of them in a file"]);
        for other in ["/dev/stdin", "/dev/fd/0"] {
            let last = args.iter().rposition(|arg| *arg == "-").unwrap();
            let args: Vec<&str> = args.iter().enumerate().map(|(k, arg)| if k == last { other } else { arg }).collect();
            f.fails(&args, b"1 2 3", 2, &["are both standard input"]);
        }
    }
    // One of two files may be standard input, either of them.
    f.file("p.npy", npy("'<i8'", "(2,)", &bytes_of!(i64: -1, 0)));
    assert_eq!(f.run_with(&["tree", "sum", "p.npy", "--values", "-"], b"1 2").good(), "3\n2\n");
    assert_eq!(f.run_with(&["tree", "sum", "p.npy", "--values", "-"], b"0.5 2").good(), "2.5\n2.0\n");
    assert_eq!(f.run_with(&["expand", "-", "--values", "p.npy"], b"1 2").good(), "-1\n0\n0\n");
    f.fails(&["tree", "sum", "p.npy", "--values", "v.u64"], b"", 2, &["v.u64"]);
    f.file("v.u64", bytes_of!(u64: 1, u64::MAX));
    f.fails(&["tree", "sum", "p.npy", "--values", "v.u64"], b"", 2, &["value 1 is 18446744073709551615", "i64"]);
}

#[test]
fn arrays_of_other_shapes_differ() {
    let f = Folder::new();
    let data = bytes_of!(i32: 1, 2, 3, 4, 5, 6);
    for (name, shape) in [("a.npy", "(2, 3)"), ("b.npy", "(3, 2)"), ("c.npy", "(6,)"), ("d.npy", "(2, 3)")] {
        f.file(name, npy("'<i4'", shape, &data));
    }
    f.file("e.csv", "1\n2\n3\n4\n5\n6\n")
        .file("f.npy", npy("'<f8'", "(0, 3)", b""))
        .file("g.npy", npy("'<f8'", "(0,)", b""));
    let compare = |a: &str, b: &str, more: &[&str]| {
        let done = f.run(&[&["text", "compare", a, b], more].concat());
        assert_eq!(done.stderr, "");
        (done.code, String::from_utf8(done.stdout).unwrap())
    };
    let equal = (Some(0), String::new());
    assert_eq!(compare("a.npy", "d.npy", &[]), equal);
    assert_eq!(
        compare("a.npy", "b.npy", &[]),
        (Some(1), "the shape [2, 3] in a.npy, the shape [3, 2] in b.npy\n".to_owned())
    );
    for (a, b) in [("a.npy", "c.npy"), ("c.npy", "b.npy"), ("f.npy", "g.npy")] {
        assert_eq!(compare(a, b, &[]).0, Some(1), "{a} {b}");
        assert_eq!(compare(a, b, &["--tolerance", "9"]).0, Some(1), "{a} {b}");
    }
    // A column of a table has no shape.
    assert_eq!(compare("c.npy", "e.csv", &[]), equal);
    assert_eq!(compare("a.npy", "d.npy", &["--tolerance", "0"]), equal);
    assert_eq!(compare("a.npy", "d.npy", &["--tolerance", "inf"]), equal);
    for tolerance in ["NaN", "-1", "-inf", "-1e-300"] {
        let args = ["text", "compare", "a.npy", "d.npy", "--tolerance", tolerance];
        f.fails(&args, b"", 2, &["--tolerance ", "it is a number from 0 on"]);
    }
}

#[test]
fn an_ending_that_is_a_type_tells_it() {
    let f = Folder::new();
    f.file("q.f32", bytes_of!(f32: 1.5, 2.5, -1.0)).file("n.u8", [2u8, 0, 1]).file("o.u64", bytes_of!(u64: 0, 2, 3));
    f.file("p.u8", [0u8, 0, 1]);
    for (args, printed) in [
        (&["reduce", "q.f32"][..], "3.0\n"),
        (&["reduce", "q.f32", "--segments", "o.u64"], "4.0\n-1.0\n"),
        (&["quantile", "q.f32", "--q", "0.5"], "1.5\n"),
        (&["median", "q.f32"], "1.5\n"),
        (&["top", "q.f32", "-k", "1"], "2.5\t1\n"),
        (&["unique", "q.f32"], "-1.0\n1.5\n2.5\n"),
        (&["runs", "n.u8"], "2\t1\n0\t1\n1\t1\n"),
        (&["expand", "n.u8", "--values", "q.f32", "-o", "-"], ""),
        (&["histogram", "n.u8", "--edges", "0,1,3"], "0.0\t1.0\t1\n1.0\t3.0\t2\n"),
        (&["poly", "eval", "q.f32", "--at", "2"], "2.5\n"),
        (&["tree", "depth", "p.u8"], "0\n1\n2\n"),
    ] {
        let done = f.run(args);
        assert_eq!((done.code, &*done.stderr), (Some(0), ""), "{args:?}");
        if !printed.is_empty() {
            assert_eq!(String::from_utf8_lossy(&done.stdout), printed, "{args:?}");
        }
    }
    for (args, written) in [
        (&["sort", "q.f32"][..], bytes_of!(f32: -1.0, 1.5, 2.5)),
        (&["select", "q.f32", "--where", "x > 0"], bytes_of!(f32: 1.5, 2.5)),
        (&["scan", "q.f32"], bytes_of!(f32: 1.5, 4.0, 3.0)),
        (&["signal", "smooth", "q.f32", "--span", "1"], bytes_of!(f32: 1.5, 2.5, -1.0)),
    ] {
        assert_eq!(f.run(args).good_bytes(), written, "{args:?}");
    }
    // With a typed ending, --type is the type to convert to, as for a .npy.
    f.prints(&["scan", "q.f32", "--type", "f64", "-o", "r.f64"]);
    assert_eq!(f.read("r.f64"), bytes_of!(f64: 1.5, 4.0, 3.0));
    f.fails(&["scan", "q.f32", "--type", "i32", "-o", "r.i32"], b"", 2, &["q.f32: element 0 is 1.5", "i32"]);
    f.fails(&["reduce", "q.dat"], b"", 2, &["q.dat"]);
    f.file("q.dat", b"1234").file("odd.f32", b"12345").file("Q.F32", bytes_of!(f32: 7.0));
    f.fails(
        &["reduce", "q.dat"],
        b"",
        2,
        &["q.dat: what is in it?", "--type for raw binary, or name it by its type (.f32)"],
    );
    f.fails(&["reduce", "odd.f32"], b"", 2, &["odd.f32: has 5 bytes, no multiple of the 4 of f32"]);
    assert_eq!(f.prints(&["reduce", "Q.F32"]), "7.0\n");
    // Raw values whose type differs from that of the computation.
    f.file("c.bin", bytes_of!(f32: 1.0, 2.0)).file("p.bin", bytes_of!(i32: -1, 0));
    assert_eq!(f.prints(&["poly", "eval", "c.bin", "--type", "f32", "--at", "3"]), "7.0\n");
    assert_eq!(f.prints(&["tree", "depth", "p.bin", "--type", "i32"]), "0\n1\n");
    f.file("m.mtx", "%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 2 3\n")
        .file("x.i16", bytes_of!(i16: 5, 6));
    assert_eq!(f.prints(&["graph", "spmv", "m.mtx", "x.i16"]), "18\n");
    f.prints(&["expand", "n.u8", "--values", "q.f32", "-o", "v.npy"]);
    assert_eq!(npy_data(&f.read("v.npy")), bytes_of!(f32: 1.5, 1.5, -1.0));
}

#[test]
fn underscores_stand_between_digits() {
    let f = Folder::new();
    let explain = |n: &str| f.run(&["explain", "scan", "--device", "cpu", "--n", n]);
    let of = |n: &str| explain(n).good();
    assert_eq!(of("1_000_000"), of("1000000"));
    assert_eq!(of("1_0e1_0"), of("1e11"));
    assert_eq!(of("2^1_0"), of("1024"));
    for n in ["_1", "1_", "1__0", "_", "1_e6", "1e_6", "2_^10", "2^_10", "1_.0"] {
        f.fails(&["explain", "scan", "--n", n], b"", 2, &["1000000, 1_000_000, 1e6 or 2^20"]);
    }
    f.fails(&["top", "-", "-k", "1_"], b"1", 2, &["looks like 1000000"]);
    f.fails(&["histogram", "-", "--bins", "_3"], b"1", 2, &["looks like 1000000"]);
    f.fails(&["lab", "count", "blelloch", "--n", "16..3_2_"], b"", 2, &["looks like 1000000"]);
}

#[cfg(target_os = "linux")]
mod closed {
    use super::*;
    use std::fs::OpenOptions;
    use std::process::Command;

    /// Exit code, output and error text of a run with these redirections of the shell.
    fn run(f: &Folder, streams: &str, args: &[&str]) -> (Option<i32>, String, String) {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec \"$0\" \"$@\" {streams}")).arg(env!("CARGO_BIN_EXE_upsweep"));
        let done = shell.args(args).current_dir(f.path("")).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    }

    fn with_table() -> Folder {
        let f = Folder::new();
        f.file("t.csv", "a\n1\n2\n");
        f
    }

    #[test]
    fn a_closed_standard_output_loses_no_result_in_silence() {
        let f = with_table();
        let scan = ["scan", "t.csv", "--column", "a"];
        for args in [
            &scan[..],
            &["scan", "t.csv", "-o", "-"],
            &["reduce", "t.csv"],
            &["select", "t.csv", "--where", "a > 1"],
            &["text", "grep", "1", "t.csv"],
            &["lab", "list"],
            &["--help"],
        ] {
            let (code, printed, said) = run(&f, ">&-", args);
            assert_eq!((code, &*printed), (Some(1), ""), "{args:?}: {said}");
            assert_eq!(said, "upsweep: standard output: is closed, and the result is lost: give -o FILE\n", "{args:?}");
        }
        for name in ["/dev/stdout", "/dev/fd/1"] {
            let said = format!("upsweep: -o {name}: descriptor 1 is not open\n");
            assert_eq!(run(&f, ">&-", &["scan", "t.csv", "-o", name]), (Some(2), String::new(), said));
        }
        // A run that writes to a file, or prints nothing, needs no standard output.
        assert_eq!(run(&f, ">&-", &[&scan[..], &["-o", "out.csv"]].concat()), (Some(0), String::new(), String::new()));
        assert_eq!(f.read("out.csv"), b"a,a_sum\n1,1\n2,3\n");
        assert_eq!(run(&f, ">&-", &["text", "compare", "t.csv", "t.csv"]).0, Some(0));
        // A missing descriptor, with standard error closed.
        assert_eq!(run(&f, "2>&-", &[&scan[..], &["-o", "/dev/stderr"]].concat()).0, Some(2));
        assert_eq!(run(&f, "2>&-", &scan), (Some(0), "a,a_sum\n1,1\n2,3\n".to_owned(), String::new()));
        assert_eq!(run(&f, "<&- >&- 2>&-", &scan).0, Some(1));
    }

    #[test]
    fn a_closed_standard_input_is_no_empty_one() {
        let f = with_table();
        for args in [
            &["scan", "-"][..],
            &["select", "-", "--format", "csv", "--where", "a > 1"],
            &["sort", "-", "--format", "csv"],
            &["text", "grep", "a", "-"],
            &["tree", "sum", "-", "--path"],
            &["graph", "csr", "-"],
        ] {
            let (code, printed, said) = run(&f, "<&-", args);
            assert_eq!((code, &*printed), (Some(1), ""), "{args:?}: {said}");
            assert_eq!(said, "upsweep: standard input: is closed, so there is nothing to read\n", "{args:?}");
        }
        assert_eq!(run(&f, "<&-", &["reduce", "/dev/stdin", "--type", "u8"]).0, Some(1));
        assert_eq!(run(&f, "<&-", &["reduce", "t.csv"]), (Some(0), "3\n".to_owned(), String::new()));
    }

    /// Some programs open /dev/null for reading and writing, as Python's subprocess does.
    #[test]
    fn a_result_may_be_dropped_on_purpose() {
        let f = with_table();
        for (read, write) in [(true, true), (false, true)] {
            let null = || OpenOptions::new().read(read).write(write).open("/dev/null").unwrap();
            let mut command = f.command(&["scan", "t.csv"]);
            assert!(command.stdout(null()).status().unwrap().success());
            let mut command = f.command(&["scan", "-"]);
            let input = OpenOptions::new().read(true).write(write && read).open("/dev/null").unwrap();
            assert!(command.stdin(input).stdout(null()).status().unwrap().success());
        }
        assert_eq!(run(&f, ">/dev/null </dev/null", &["scan", "-"]), (Some(0), String::new(), String::new()));
    }
}
