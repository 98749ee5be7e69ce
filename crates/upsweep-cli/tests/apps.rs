//! `upsweep text`, `tree`, `graph` and `poly`.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use support::{Folder, bytes_of, npy_data};

/// What a run prints and its exit code; a run that says why it failed says it on standard error.
fn run(f: &Folder, args: &[&str], input: &str) -> (i32, String, String) {
    let done = f.run_with(args, input.as_bytes());
    (done.code.unwrap(), String::from_utf8(done.stdout).unwrap(), done.stderr)
}

fn yes(f: &Folder, args: &[&str], input: &str) -> String {
    let (code, printed, said) = run(f, args, input);
    assert_eq!((code, said.as_str()), (0, ""), "{args:?}");
    printed
}

/// The one line of a bad input.
fn wrong(f: &Folder, args: &[&str], input: &str) -> String {
    let (code, printed, said) = run(f, args, input);
    assert_eq!((code, printed.as_str(), said.lines().count()), (2, "", 1), "{args:?}: {said}");
    said
}

#[test]
fn text() {
    let f = Folder::new();
    f.file("a.json", "{\"k\": [1, -2.5e3, true]} ?");
    let counts = yes(&f, &["text", "lex", "a.json", "--grammar", "json", "--count"], "");
    assert_eq!(counts, "4\tspace\n1\tstring\n2\tnumber\n1\tword\n7\tpunctuation\n1\terror\n");
    f.file("rules", "# numbers\nnumber = [0-9]+(\\.[0-9]+)?\n dots = \\.+\n");
    let tokens = yes(&f, &["text", "lex", "-", "--rules", "rules"], "1..2x");
    assert_eq!(tokens, "0\t1\tnumber\n1\t3\tdots\n3\t4\tnumber\n4\t5\terror\n");
    f.file("b.json", "{\"<k>\":\n 1} \u{1b}[2J");
    let coloured = yes(&f, &["text", "lex", "b.json", "--grammar", "json", "--color"], "");
    let pieces = coloured.split('\u{1b}').map(|piece| piece.split_once('m').map_or(piece, |(_, text)| text));
    assert_eq!(pieces.collect::<String>(), "{\"<k>\":\n 1} \u{fffd}[2J");
    assert!(coloured.contains("\u{1b}[41;97m\u{fffd}\u{1b}[0m"), "{coloured:?}");
    yes(&f, &["text", "lex", "b.json", "--grammar", "json", "--html", "b.html"], "");
    let page = String::from_utf8(f.read("b.html")).unwrap();
    assert!(page.contains("<span class=\"k1\" title=\"string\">&quot;&lt;k&gt;&quot;</span>"), "{page}");
    assert!(page.contains("<span class=\"error\" title=\"error\">\u{fffd}</span>"), "{page}");
    assert!(wrong(&f, &["text", "lex", "a.json", "--grammar", "xml"], "").contains("arithmetic"));
    f.file("bad", "open = (\n");
    assert!(wrong(&f, &["text", "lex", "-", "--rules", "bad"], "").contains("open"));
    f.file("none", "what is this\n");
    assert!(wrong(&f, &["text", "lex", "-", "--rules", "none"], "").contains("line 1"));
    assert!(wrong(&f, &["text", "lex", "nothing.rs", "--grammar", "rust"], "").contains("nothing.rs"));

    let lines = "Row 21st\nrow 22nd\nMile 1000\n";
    assert_eq!(yes(&f, &["text", "grep", "[A-Z][a-z]+ [0-9]+", "-", "-n"], lines), "1:Row 21st\n3:Mile 1000\n");
    assert_eq!(yes(&f, &["text", "grep", "^row", "-", "--count"], lines), "1\n");
    assert_eq!(run(&f, &["text", "grep", "none", "-"], lines), (1, String::new(), String::new()));
    assert!(wrong(&f, &["text", "grep", "(", "-"], lines).contains("PATTERN"));
}

#[test]
fn comparisons() {
    let f = Folder::new();
    f.file("a.txt", "one\ntwo\n").file("b.txt", "one\ntoo\n").file("c.txt", "one\n");
    f.file("a.csv", "1.0\n2.0\n3.5\n")
        .file("b.csv", "1.0\n2.25\n3.5\n")
        .file("c.csv", "1\n2\n")
        .file("d.csv", "1\n18446744073709551615\n");
    let compare = |a: &str, b: &str, more: &[&str]| run(&f, &[&["text", "compare", a, b], more].concat(), "");
    assert_eq!(compare("a.txt", "a.txt", &[]), (0, String::new(), String::new()));
    assert_eq!(compare("a.txt", "b.txt", &[]).1, "byte 5, line 2: 0x77 in a.txt, 0x6f in b.txt\n");
    assert_eq!(
        compare("a.txt", "c.txt", &[]),
        (1, "byte 4, line 2: 0x74 in a.txt, its end in c.txt\n".to_owned(), String::new())
    );
    assert_eq!(compare("a.csv", "b.csv", &[]), (1, "value 1: 2.0 in a.csv, 2.25 in b.csv\n".to_owned(), String::new()));
    assert_eq!(compare("a.csv", "b.csv", &["--tolerance", "0.25"]).0, 0);
    assert_eq!(compare("a.csv", "c.csv", &[]).1, "value 2: 3.5 in a.csv, its end in c.csv\n");
    assert_eq!(compare("a.txt", "b.txt", &["--tolerance", "1"]).0, 2);
}

#[test]
fn trees() {
    let f = Folder::new();
    assert_eq!(yes(&f, &["tree", "depth", "-"], "-1 0 0 1 1 2"), "0\n1\n1\n2\n2\n2\n");
    f.file("values.csv", "1\n10\n20\n300\n400\n500\n").file("floats.csv", "0.5\n0.25\n");
    let sums = yes(&f, &["tree", "sum", "-", "--values", "values.csv", "-o", "sums.npy"], "0 0 0 1 1 2");
    assert_eq!(sums, "");
    assert_eq!(npy_data(&f.read("sums.npy")), bytes_of!(i64: 1231, 710, 520, 300, 400, 500));
    assert_eq!(yes(&f, &["tree", "sum", "-", "--values", "floats.csv"], "1 1"), "0.5\n0.75\n");
    assert!(
        wrong(&f, &["tree", "size", "-"], "1 2 1").contains("vertex 1")
            || wrong(&f, &["tree", "size", "-"], "1 2 1").contains("vertex 2")
    );
    assert!(wrong(&f, &["tree", "size", "-"], "0 -2").contains("the parent of vertex 1 is -2"));
    assert!(wrong(&f, &["tree", "size", "-"], "0 7").contains("the parent of vertex 1 is 7"));
    assert!(wrong(&f, &["tree", "sum", "-"], "0 0").contains("--values"));
    assert!(wrong(&f, &["tree", "sum", "-", "--values", "values.csv"], "0 0").contains("values of vertices"));

    let listing = ".,4\n./src,0\n./src/main.rs,1000\n./src/a, b.rs,200\n./README.md,50\n";
    let args = ["tree", "sum", "-", "--path", "--top", "3", "--svg", "tree.svg"];
    assert_eq!(yes(&f, &args, listing), "1254\t.\n1200\t./src\n1000\t./src/main.rs\n");
    let svg = String::from_utf8(f.read("tree.svg")).unwrap();
    assert_eq!(svg.matches("<title>").count(), 5);
    assert_eq!(yes(&f, &["tree", "size", "-", "--path", "--top", "1"], listing), "5\t.\n");
    assert!(wrong(&f, &["tree", "sum", "-", "--path"], ".,4\nx\n").contains("line 2"));
}

#[test]
fn graphs() {
    let f = Folder::new();
    f.file("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n2 1 4\n1 3 0.5\n1 1 2\n")
        .file("x.csv", "10\n20\n30\n");
    assert_eq!(yes(&f, &["graph", "spmv", "a.mtx", "x.csv"], ""), "35.0\n40.0\n");
    assert_eq!(yes(&f, &["graph", "csr", "a.mtx", "--columns", "c.npy", "--values", "v.npy"], ""), "0\n2\n3\n");
    assert_eq!(npy_data(&f.read("c.npy")), bytes_of!(u32: 0, 2, 0));
    assert_eq!(npy_data(&f.read("v.npy")), bytes_of!(f64: 2.0, 0.5, 4.0));
    f.file("y.csv", "1\n2\n");
    assert!(wrong(&f, &["graph", "spmv", "a.mtx", "y.csv"], "").contains("3 columns"));
    // Everybody names 1, who names 0.
    f.file("links.csv", "from,to\n0,1\n2,1\n3,1\n1,0\n");
    let ranks = yes(&f, &["graph", "pagerank", "links.csv", "--top", "2"], "");
    let order: Vec<&str> = ranks.lines().map(|line| line.rsplit('\t').next().unwrap()).collect();
    assert_eq!(order, ["1", "0"], "{ranks}");
    assert!(wrong(&f, &["graph", "pagerank", "links.csv", "--damping", "1"], "").contains("--damping"));
    f.file("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n3 1 4\n");
    assert!(wrong(&f, &["graph", "csr", "bad.mtx"], "").contains("line 3"));
}

#[test]
fn polynomials() {
    let f = Folder::new();
    assert_eq!(yes(&f, &["poly", "eval", "-", "--at", "2,-1,0.5"], "2 3 1"), "12.0\n0.0\n3.75\n");
    assert_eq!(yes(&f, &["poly", "eval", "-", "--at", "2", "--compensated"], "2 3 1"), "12.0\n");
    f.file("points.csv", "x,y\n0,1\n1,3\n2,7\n").file("twice.csv", "2,1\n5,3\n2,7\n");
    assert_eq!(yes(&f, &["poly", "fit", "points.csv"], ""), "1.0\n2.0\n1.0\n");
    assert_eq!(yes(&f, &["poly", "fit", "points.csv", "--at", "3,-1"], ""), "13.0\n1.0\n");
    for at in [&["--at", "1"][..], &[]] {
        assert!(wrong(&f, &[&["poly", "fit", "twice.csv"], at].concat(), "").contains("positions 0 and 2"));
    }
}
