//! Tests of long and deep input: long text is not repeated in full, and deep nesting is refused with a message,
//! whatever the stack.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![cfg(unix)]

mod support;

use std::process::{Command, Stdio};
use support::{Done, Folder, bytes_of, npy};

/// Calls that repeat their arguments: LONG stands for 30,000 letters.
const CALLS: &[&str] = &[
    "LONG",
    "devices LONG",
    "scan",
    "scan t.csv LONG",
    "scan t.csv --LONG",
    "scan t.csv --LONG=1",
    "scan LONG",
    "scan LONG.npy",
    "scan folder/LONG/x.csv",
    "scan t.csv --column LONG",
    "scan t.csv --column `LONG`",
    "scan t.csv --column a --by-key LONG",
    "scan t.csv --column a --op LONG",
    "scan t.csv --column a --type LONG",
    "scan t.csv --column a --sum-type=LONG",
    "scan t.csv --column a --axis LONG",
    "scan t.csv --column a --init LONG",
    "scan t.csv --column a --segments LONG",
    "scan t.csv --column a --segments long.txt",
    "scan t.csv --column a --device LONG",
    "scan t.csv --column a --header LONG",
    "scan t.csv --delimiter LONG",
    "scan t.csv --format LONG",
    "scan t.csv --column a -o LONG",
    "scan t.csv --column a -o LONG.csv",
    "scan t.csv --column a -o LONG/out.csv",
    "scan x.npy --column LONG",
    "scan long.txt",
    "scan long.csv",
    "scan cells.csv",
    "scan header.npy",
    "reduce t.csv --column a --group-by LONG",
    "reduce long.csv --op mean --group-by 1 --column 1",
    "select t.csv --where LONG",
    "select t.csv --where 'LONG",
    "select t.csv --where $LONG",
    "select x.npy --where LONG",
    "select cells.csv --where $1>0",
    "sort t.csv --column LONG",
    "top x.npy -k LONG",
    "quantile x.npy --q LONG",
    "quantile x.npy --q 0,LONG",
    "histogram x.npy --bins LONG",
    "histogram x.npy --range 0 LONG",
    "histogram x.npy --edges 1,LONG",
    "histogram x.npy --svg LONG/x.svg",
    "unique x.npy --counts LONG",
    "runs x.npy --lengths LONG",
    "expand x.npy --values LONG",
    "sample x.npy -n LONG",
    "sample x.npy --seed LONG",
    "text lex t.csv --grammar LONG",
    "text lex t.csv --rules LONG",
    "text lex t.csv --rules long.txt",
    "text lex t.csv --rules rules.txt",
    "text lex t.csv --rules names.txt",
    "text grep [LONG t.csv",
    "text grep (?LONG) t.csv",
    "text grep LONG LONG",
    "text compare LONG t.csv",
    "tree sum long.txt --path",
    "tree depth LONG",
    "tree sum x.npy --values LONG",
    "graph csr LONG",
    "graph csr long.csv --header no",
    "graph csr cells.csv --header no",
    "graph csr long.mtx",
    "graph csr kind.mtx",
    "graph csr entry.mtx",
    "graph pagerank cells.csv --damping LONG",
    "poly eval long.txt --at 1",
    "poly eval x.npy --at LONG",
    "poly fit LONG.csv",
    "signal filter x.npy --b LONG",
    "signal filter x.npy --sos LONG.csv",
    "signal filter x.npy --sos long.csv",
    "signal filter LONG.wav --b 1",
    "image blur LONG.png --radius 1 -o out.png",
    "image blur x.npy --radius LONG -o out.png",
    "image blur x.npy --radius 1 -o LONG",
    "terrain sight x.npy --from LONG --to 1,1",
    "terrain shade long.asc -o out.png",
    "terrain shade key.asc -o out.png",
    "terrain shade cell.asc -o out.png",
    "explain scan --n LONG",
    "explain LONG --n 1",
    "bench --n LONG",
    "lab LONG",
    "lab show LONG",
    "lab show blelloch --values LONG",
    "lab show blelloch --svg LONG/x.svg",
    "lab count blelloch --n LONG",
    "lab page --out LONG",
    "lab page --out LONG/x",
];

#[test]
fn what_is_long_is_not_repeated() {
    let f = Folder::new();
    for (kind, long) in
        [("one word", "x".repeat(30_000)), ("words", "x y ".repeat(7_500)), ("wide", "ä".repeat(15_000))]
    {
        f.file("t.csv", "name,a\nx,1\ny,3\n").file("x.npy", npy("'<f8'", "(2,)", &bytes_of!(f64: 1.0, 2.0)));
        f.file("long.txt", &long)
            .file("long.csv", format!("a\n{long}\n"))
            .file("cells.csv", format!("{long},1\n1,{long}\n"));
        f.file("rules.txt", format!("A = [{long}\n")).file("names.txt", format!("{long} = [\n"));
        f.file("header.npy", npy(&format!("'{}'", &long[..30_000]), "(2,)", &[]));
        f.file("long.mtx", &long).file("kind.mtx", format!("%%MatrixMarket matrix coordinate {long} general\n"));
        f.file("entry.mtx", format!("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 {long}\n"));
        f.file("long.asc", &long).file("key.asc", format!("ncols {long}\n"));
        f.file("cell.asc", format!("ncols 1\nnrows 1\ncellsize 1\n{long}\n"));
        let most = "x".repeat(201);
        for call in CALLS {
            let args: Vec<String> = call.split(' ').map(|word| word.replace("LONG", &long)).collect();
            let done = f.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
            let said = &done.stderr;
            // A pattern may match, and then nothing is printed.
            assert!(matches!(done.code, Some(1 | 2)), "{call} ({kind}): {:?} {said}", done.code);
            assert!(
                said.chars().count() < 1600 && !said.contains(&most),
                "{call} ({kind}): {} letters: {said}",
                said.len()
            );
            assert!(said.lines().count() <= 1, "{call} ({kind}): {said}");
        }
    }
}

/// Runs with a stack of `kib` KiB.
fn with_stack(f: &Folder, kib: u32, args: &[&str]) -> Done {
    let mut command = Command::new("sh");
    let script = format!("ulimit -s {kib}; exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_upsweep")]).args(args).env_clear();
    let output = command.current_dir(f.path("")).stdin(Stdio::null()).output().unwrap();
    Done { code: output.status.code(), stdout: output.stdout, stderr: String::from_utf8(output.stderr).unwrap() }
}

const DEEP: usize = 60_000;

/// Puts pairs of `open` and `close` around `inner`, as many as fit into `most` bytes, and [`DEEP`] at most.
fn around(most: usize, open: &str, inner: &str, close: &str) -> String {
    let deep = DEEP.min(most / (open.len() + close.len()));
    [&open.repeat(deep), inner, &close.repeat(deep)].concat()
}

#[test]
fn what_is_deep_is_refused_with_words() {
    let f = Folder::new();
    f.file("t.csv", "name,a\nx,1\ny,3\n").file("x.npy", npy("'<f8'", "(2,)", &bytes_of!(f64: 1.0, 2.0)));
    // An argument has 128 KiB at most, and all arguments lie on the stack.
    for (kib, most) in [(64, 40_000), (8192, 110_000)] {
        let around = |open: &str, inner: &str, close: &str| around(most, open, inner, close);
        let conditions = [
            around("(", "a > 1", ")"),
            around("(", "", ""),
            around("not ", "true", ""),
            around("-", "1 < a", ""),
            around("abs(", "a", ")") + " > 1",
            around("a > 1 or ", "a > 1", ""),
            around("a + ", "a > 1", ""),
        ];
        let deep = ["there are more than 2000 words", "there are too many brackets and signs in each other"];
        for condition in &conditions {
            let of_array = condition.replace('a', "x").replace("xbs", "abs");
            for args in [["select", "t.csv", "--where", condition], ["select", "x.npy", "--where", &of_array]] {
                let done = with_stack(&f, kib, &args);
                let is_said = deep.iter().any(|deep| done.stderr.contains(deep));
                assert!(done.code == Some(2) && is_said, "{}, {kib} KiB: {done:?}", &condition[..20]);
            }
        }
        for pattern in [
            around("(", "a", ")"),
            around("(", "", ""),
            around("[", "", ""),
            around("(a|", "b", ")"),
            around("(?:", "a", ")*"),
        ] {
            f.file("rules.txt", format!("A = {pattern}\n"));
            for args in [&["text", "grep", &pattern, "t.csv"][..], &["text", "lex", "t.csv", "--rules", "rules.txt"]] {
                let done = with_stack(&f, kib, args);
                let is_said = done.stderr.starts_with("upsweep: ");
                assert!(done.code == Some(2) && is_said, "{}, {kib} KiB: {done:?}", &pattern[..10]);
            }
        }
        let (op, column) = (around("mean(", "a", ")"), around("(", "a", ")"));
        for args in [["--column", "a", "--op", &op], ["--column", &column, "--op", "sum"]] {
            assert_eq!(with_stack(&f, kib, &[&["reduce", "t.csv"][..], &args].concat()).code, Some(2));
        }
        f.file("deep.npy", npy(&around("[", "", "")[..most.min(DEEP)], "(2,)", &[0; 16]));
        let done = with_stack(&f, kib, &["scan", "deep.npy"]);
        assert!(done.code == Some(2) && done.stderr.contains("unreadable .npy header"), "{done:?}");
    }
}

/// Scanned data may be nested arbitrarily deep.
#[test]
fn what_is_scanned_may_be_deep() {
    let f = Folder::new();
    f.file("deep.json", around(2 * DEEP, "[", "1", "]"));
    let tokens = with_stack(&f, 64, &["text", "lex", "deep.json", "--grammar", "json", "--count"]);
    assert!(tokens.code == Some(0) && tokens.stderr.is_empty(), "{tokens:?}");
    let chain = (-1..DEEP as i64 - 1).flat_map(|parent| parent.to_le_bytes()).collect::<Vec<u8>>();
    f.file("chain.npy", npy("'<i8'", &format!("({DEEP},)"), &chain));
    let depths = with_stack(&f, 64, &["tree", "depth", "chain.npy"]);
    assert!(depths.code == Some(0) && depths.stdout.ends_with(b"\n59999\n"), "{:?} {}", depths.code, depths.stderr);
    // Nested folders, as deep as a path may be.
    f.file("paths.txt", format!("{}file,1\n", "a/".repeat(2000)));
    let drawn = with_stack(&f, 64, &["tree", "sum", "paths.txt", "--path", "--svg", "out.svg"]);
    assert!(drawn.code == Some(0) && drawn.stderr.is_empty(), "{:?} {}", drawn.code, drawn.stderr);
}
