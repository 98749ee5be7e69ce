//! Tests of `upsweep text`, `tree`, `graph`, `poly` and `sample`.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use support::{Folder, bytes_of, npy, npy_data};

/// Exit code, output and error text of a run.
fn run(f: &Folder, args: &[&str], input: &str) -> (i32, String, String) {
    let done = f.run_with(args, input.as_bytes());
    (done.code.unwrap(), String::from_utf8(done.stdout).unwrap(), done.stderr)
}

fn yes(f: &Folder, args: &[&str], input: &str) -> String {
    let (code, printed, said) = run(f, args, input);
    assert_eq!((code, said.as_str()), (0, ""), "{args:?}");
    printed
}

/// Error line of a run with bad input.
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

/// Patterns whose automata took minutes or gigabytes before they were refused.
#[test]
fn hostile_patterns() {
    let f = Folder::new();
    for pattern in ["((a{20}){20}){20}", "(a|b)*a(a|b){17}", "a{3000}"] {
        let said = wrong(&f, &["text", "grep", pattern, "-"], "aaaaaaaa");
        assert!(said.contains("automaton"), "{said}");
        f.file("rules", format!("word = {pattern}\n"));
        assert!(wrong(&f, &["text", "lex", "-", "--rules", "rules"], "aaaaaaaa").contains("rules: "));
    }
    let said = wrong(&f, &["text", "grep", &"[".repeat(30_000), "-"], "");
    assert!(said.len() < 300, "{said}");
    let said = wrong(&f, &["text", "grep", &"(".repeat(3000), "-"], "");
    assert!(said.len() < 300, "{said}");
}

/// The shell's limit on the main thread's stack does not limit commands.
#[test]
#[cfg(target_os = "linux")]
fn a_small_stack() {
    let f = Folder::new();
    f.file("x.csv", "a\n1\n");
    let deep = format!("{}a == 1{}", "(".repeat(99), ")".repeat(99));
    let run = |args: &[&str]| {
        let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
        let script = format!("ulimit -s 64; exec {} {}", env!("CARGO_BIN_EXE_upsweep"), quoted.join(" "));
        let done = std::process::Command::new("sh").args(["-c", &script]).current_dir(f.path("")).output().unwrap();
        (done.status.code(), String::from_utf8(done.stdout).unwrap())
    };
    assert_eq!(run(&["select", "x.csv", "--where", &deep]), (Some(0), "a\n1\n".to_owned()));
    assert_eq!(run(&["select", "x.csv", "--where", &"(".repeat(3000)]).0, Some(2));
    assert_eq!(
        run(&["text", "grep", &format!("{}1{}", "(".repeat(200), ")".repeat(200)), "x.csv"]),
        (Some(0), "1\n".to_owned())
    );
    assert_eq!(run(&["text", "grep", &"(".repeat(3000), "x.csv"]).0, Some(2));
    assert_eq!(run(&["nothing"]).0, Some(2));
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
    assert_eq!(compare("a.txt", "b.txt", &[]).1, "byte 5, line 2: 'w' in a.txt, 'o' in b.txt\n");
    assert_eq!(
        compare("a.txt", "c.txt", &[]),
        (1, "byte 4, line 2: 't' in a.txt, its end in c.txt\n".to_owned(), String::new())
    );
    // Printable characters are shown as such, others as bytes.
    for (a, b, says) in [
        (&b"parallax"[..], &b"parallel"[..], "byte 6, line 1: 'a' in A, 'e' in B"),
        (b"a b", b"a\tb", "byte 1, line 1: ' ' in A, '\\t' in B"),
        (b"a\r\n", b"a\n", "byte 1, line 1: '\\r' in A, '\\n' in B"),
        (b"it's", b"it\"s", "byte 2, line 1: '\\'' in A, '\"' in B"),
        ("\u{e9}t\u{e9}".as_bytes(), "\u{e9}t\u{e8}".as_bytes(), "byte 4, line 1: '\u{e9}' in A, '\u{e8}' in B"),
        ("\u{20ac}1".as_bytes(), "\u{20ad}1".as_bytes(), "byte 2, line 1: '\u{20ac}' in A, '\u{20ad}' in B"),
        ("\u{20ac}".as_bytes(), b"\xe2\x82", "byte 2, line 1: '\u{20ac}' in A, its end in B"),
        ("\u{20ac}".as_bytes(), b"\xe2\x82a", "byte 2, line 1: '\u{20ac}' in A, 'a' in B"),
        ("\u{1f600}".as_bytes(), b"\xf0\x9f\x98\xff", "byte 3, line 1: '\u{1f600}' in A, 0xff in B"),
        (b"\x00", b"\x1b", "byte 0, line 1: 0x00 in A, 0x1b in B"),
        (b"a\x80", b"a\xbf", "byte 1, line 1: 0x80 in A, 0xbf in B"),
        (b"\x80\x80\x80\x80\x80", b"\x80\x80\x80\x80\xbf", "byte 4, line 1: 0x80 in A, 0xbf in B"),
        // A combining mark alone shows on no letter: U+0301.
        (b"x", "\u{301}".as_bytes(), "byte 0, line 1: 'x' in A, 0xcc in B"),
    ] {
        f.file("A", a).file("B", b);
        assert_eq!(compare("A", "B", &[]), (1, format!("{says}\n"), String::new()));
    }
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
    // All vertices link to 1, and 1 to 0.
    f.file("links.csv", "from,to\n0,1\n2,1\n3,1\n1,0\n");
    let ranks = yes(&f, &["graph", "pagerank", "links.csv", "--top", "2"], "");
    let order: Vec<&str> = ranks.lines().map(|line| line.rsplit('\t').next().unwrap()).collect();
    assert_eq!(order, ["1", "0"], "{ranks}");
    assert!(wrong(&f, &["graph", "pagerank", "links.csv", "--damping", "1"], "").contains("--damping"));
    f.file("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n3 1 4\n");
    assert!(wrong(&f, &["graph", "csr", "bad.mtx"], "").contains("line 3"));
}

/// Page ranks by networkx's definition: a step goes along an edge by its share of the weights, and from a vertex
/// without weight to all vertices alike. `edges` are from, to, weight.
fn ranks(vertices: usize, edges: &[(usize, usize, f64)], damping: f64) -> Vec<f64> {
    let sums = |v: usize| edges.iter().filter(|e| e.0 == v).map(|e| e.2).sum::<f64>();
    let mut ranks = vec![1.0 / vertices as f64; vertices];
    for _ in 0..1000 {
        let stuck: f64 = (0..vertices).filter(|&v| sums(v) == 0.0).map(|v| ranks[v]).sum();
        let mut next = vec![(1.0 - damping + damping * stuck) / vertices as f64; vertices];
        for &(from, to, weight) in edges.iter().filter(|e| e.2 > 0.0) {
            next[to] += damping * ranks[from] * (weight / sums(from));
        }
        ranks = next;
    }
    ranks
}

/// Ranks printed by pagerank, by the names of vertices.
fn ranked(printed: &str) -> std::collections::BTreeMap<String, f64> {
    let line = |line: &str| line.split_once('\t').map(|(rank, name)| (name.to_owned(), rank.parse().unwrap()));
    printed.lines().map(|l| line(l).unwrap()).collect()
}

#[track_caller]
fn agree(printed: &str, names: &[&str], expected: &[f64]) {
    let found = ranked(printed);
    assert_eq!(found.len(), names.len(), "{printed}");
    for (name, rank) in names.iter().zip(expected) {
        assert!((found[*name] - rank).abs() < 2e-10, "{name}: {rank} and {printed}");
    }
}

#[test]
fn ranks_of_names_and_of_weights() {
    let f = Folder::new();
    let rank = |more: &[&str], input: &str| yes(&f, &[&["graph", "pagerank"], more].concat(), input);
    // Only vertices that edges name exist: neither 0 nor gaps do, and the largest number costs nothing.
    f.file("from-1.csv", "1,2\n2,3\n3,1\n2,2\n").file("far.csv", "0,4000000000\n4000000000,0\n");
    let expected = ranks(3, &[(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (1, 1, 1.0)], 0.85);
    assert!((expected[1] - 0.480_056).abs() < 1e-6, "networkx 3.6");
    agree(&rank(&["from-1.csv"], ""), &["1", "2", "3"], &expected);
    assert_eq!(rank(&["far.csv"], ""), "0.5000000000\t0\n0.5000000000\t4000000000\n");
    // Names of any kind. Blanks around a number are no part of it, those around a text are.
    let airports = "KEF,LHR\nLHR,New York\n\"New York\",KEF\nLHR,KEF\nLHR, KEF\n";
    let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (1, 0, 1.0), (1, 3, 1.0)];
    agree(&rank(&["-", "--format", "csv"], airports), &["KEF", "LHR", "New York", "\" KEF\""], &ranks(4, &edges, 0.85));
    agree(&rank(&["-", "--format", "csv"], "1, 2\n2 ,1\n"), &["1", "2"], &[0.5, 0.5]);
    // Weights, also from a .mtx, which counts from 1. A vertex whose edges all weigh 0 has no outgoing weight.
    let weighted = [(0, 1, 10.0), (0, 2, 1.0), (1, 0, 1.0), (2, 0, 0.0)];
    let expected = ranks(3, &weighted, 0.85);
    f.file("w.tsv", "src\tdst\tw\na\tb\t10\na\tc\t1\nb\ta\t1.0\nc\ta\t0\n");
    agree(&rank(&["w.tsv"], ""), &["a", "b", "c"], &expected);
    f.file("w.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 2 10\n1 3 1\n2 1 1\n3 1 0\n");
    agree(&rank(&["w.mtx"], ""), &["1", "2", "3"], &expected);
    let alike = ranks(3, &weighted.map(|(from, to, _)| (from, to, 1.0)), 0.85);
    agree(&rank(&["w.tsv", "--unweighted"], ""), &["a", "b", "c"], &alike);
    agree(&rank(&["w.mtx", "--unweighted"], ""), &["1", "2", "3"], &alike);
    // Weights far from 1, whose sums overflow, or vanish beside others.
    let wide = "a,b,1e308\na,c,1e308\nb,a,3e-320\nb,c,3e-320\nc,a,1\n";
    let edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 0, 1.0), (1, 2, 1.0), (2, 0, 1.0)];
    agree(&rank(&["-", "--format", "csv", "--header", "no"], wide), &["a", "b", "c"], &ranks(3, &edges, 0.85));

    let wrong = |args: &[&str], input: &str| wrong(&f, &[&["graph", "pagerank"], args].concat(), input);
    f.file("wide.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 3\n");
    f.file("wide-real.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 3 1\n");
    for file in ["wide.mtx", "wide-real.mtx"] {
        assert!(wrong(&[file], "").contains("2 rows and 3 columns: the matrix of a graph"), "{file}");
    }
    assert!(wrong(&["-", "--format", "csv"], "a,b,-1\n").contains("from `a` to `b` weighs -1"));
    assert!(wrong(&["-", "--format", "csv"], "a,b,inf\n").contains("weighs inf"));
    assert!(
        wrong(&["-", "--format", "csv"], "a,b,1\nb,a,x\n").contains("row 2: `x` is not a number; column 3 is weights")
    );
    assert!(wrong(&["-", "--format", "csv"], "1,b\n,a\n").contains("row 2: an end of the edge is empty"));
    assert!(wrong(&["-", "--format", "csv"], "a b\nb a\n").contains("--delimiter"));
    assert!(wrong(&["-"], "1,2\n").contains("--format"), "a table on standard input says that it is one");
}

#[test]
fn the_first_row_of_a_graph() {
    let f = Folder::new();
    let rank =
        |header: &str, input: &str| run(&f, &["graph", "pagerank", "-", "--format", "csv", "--header", header], input);
    let names = |(code, printed, said): (i32, String, String)| {
        assert_eq!(code, 0, "{said}");
        (ranked(&printed).into_keys().collect::<Vec<_>>(), said)
    };
    // Names of columns, as numbers are under them.
    assert_eq!(names(rank("auto", "from,to\n1,2\n")), (vec!["1".into(), "2".into()], String::new()));
    assert_eq!(names(rank("auto", "from,to,w\na,b,3\n")), (vec!["a".into(), "b".into()], String::new()));
    // An edge, as another edge has an end of it.
    assert_eq!(names(rank("auto", "a,b\nb,c\n")), (["a", "b", "c"].map(String::from).to_vec(), String::new()));
    // Ambiguous: a note reports the choice.
    let (found, said) = names(rank("auto", "from,to\na,b\nb,a\n"));
    assert_eq!(found, ["a", "b"]);
    assert!(said.contains("the first row, `from`, `to`") && said.contains("--header no"), "{said}");
    assert_eq!(
        names(rank("no", "from,to\na,b\n")),
        (["a", "b", "from", "to"].map(String::from).to_vec(), String::new())
    );
    assert_eq!(names(rank("yes", "1,2\na,b\n")), (vec!["a".into(), "b".into()], String::new()));
}

#[test]
fn whole_numbers_of_a_matrix_stay() {
    let f = Folder::new();
    let mtx = |entries: &str| format!("%%MatrixMarket matrix coordinate integer general\n1 2 2\n{entries}\n");
    f.file("m.mtx", mtx("1 1 9007199254740993\n1 2 1"));
    assert_eq!(yes(&f, &["graph", "csr", "m.mtx", "--offsets", "o.csv", "--values", "-"], ""), "9007199254740993\n1\n");
    f.file("ones.csv", "1\n1\n").file("halves.csv", "0.5\n0.5\n").file("large.csv", "1000000\n1\n");
    assert_eq!(yes(&f, &["graph", "spmv", "m.mtx", "ones.csv"], ""), "9007199254740994\n");
    let said = wrong(&f, &["graph", "spmv", "m.mtx", "halves.csv"], "");
    assert!(said.contains("row 0, column 0") && said.contains("9007199254740993, which is not exactly"), "{said}");
    // The product may leave 64 bits, and may come back.
    let said = wrong(&f, &["graph", "spmv", "m.mtx", "large.csv"], "");
    assert!(said.contains("row 0") && said.contains("does not fit i64"), "{said}");
    f.file("back.mtx", mtx("1 1 9000000000000000000\n1 2 -9000000000000000000")).file("twos.csv", "2\n2\n");
    assert_eq!(yes(&f, &["graph", "spmv", "back.mtx", "twos.csv"], ""), "0\n");
    // The advice of this error, followed: the vector as f64, with exact entries.
    f.file("even.mtx", mtx("1 1 9007199254740992\n1 2 1")).file("floats.csv", "1000000.0\n1.0\n");
    assert!(wrong(&f, &["graph", "spmv", "even.mtx", "large.csv"], "").contains("give large.csv as f64"));
    assert_eq!(yes(&f, &["graph", "spmv", "even.mtx", "floats.csv"], ""), "9.007199254740992e21\n");
    // u64, and entries of one place whose sum leaves i64.
    f.file("u64.mtx", mtx("1 1 18446744073709551615\n1 2 0"));
    assert_eq!(yes(&f, &["graph", "spmv", "u64.mtx", "ones.csv"], ""), "18446744073709551615\n");
    f.file("twice.mtx", mtx("1 1 9223372036854775807\n1 1 1"));
    let said = wrong(&f, &["graph", "csr", "twice.mtx", "--values", "v.npy"], "");
    assert!(said.contains("row 0, column 0 add up to 9223372036854775808"), "{said}");
    // A vector beside fractions.
    f.file("real.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0.5\n")
        .file("x.csv", "9007199254740993\n");
    assert!(wrong(&f, &["graph", "spmv", "real.mtx", "x.csv"], "").contains("x.csv: value 0 is 9007199254740993"));
}

#[test]
fn matrices_from_tables() {
    let f = Folder::new();
    f.file("links.csv", "a,b,2\nc,a,0.5\n").file("numbers.csv", "0,1,2\n2,0,3\n").file("x.csv", "10\n20\n30\n");
    assert!(wrong(&f, &["graph", "csr", "links.csv"], "").contains("row 1: `a` is no vertex"));
    let csr = ["graph", "csr", "links.csv", "--names", "names.txt", "--columns", "c.csv", "--values", "v.csv"];
    assert_eq!(yes(&f, &csr, ""), "0\n1\n1\n2\n");
    assert_eq!((f.read("names.txt"), f.read("c.csv")), (b"a\nb\nc\n".to_vec(), b"1\n0\n".to_vec()));
    assert_eq!(f.read("v.csv"), b"2.0\n0.5\n");
    assert_eq!(yes(&f, &["graph", "spmv", "links.csv", "x.csv", "--names", "n.csv"], ""), "40.0\n0.0\n5.0\n");
    assert_eq!(yes(&f, &["graph", "spmv", "numbers.csv", "x.csv"], ""), "40\n0\n30\n");
    assert_eq!(yes(&f, &["graph", "spmv", "numbers.csv", "x.csv", "--unweighted"], ""), "20\n0\n10\n");
    // Names that are numbers are in numeric order.
    f.file("gaps.csv", "10,9\n");
    yes(&f, &["graph", "csr", "gaps.csv", "--names", "names.txt", "--offsets", "o.csv"], "");
    assert_eq!(f.read("names.txt"), b"9\n10\n");
    f.file("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n");
    assert!(wrong(&f, &["graph", "csr", "a.mtx", "--names", "names.txt"], "").contains("--names is for tables"));
}

#[test]
fn polynomials() {
    let f = Folder::new();
    assert_eq!(yes(&f, &["poly", "eval", "-", "--at", "2,-1,0.5"], "2 3 1"), "12.0\n0.0\n3.75\n");
    assert_eq!(yes(&f, &["poly", "eval", "-", "--at", "2", "--compensated"], "2 3 1"), "12.0\n");
    f.file("points.csv", "x,y\n0,1\n1,3\n2,7\n").file("twice.csv", "2,1\n5,3\n2,7\n");
    assert_eq!(yes(&f, &["poly", "fit", "points.csv"], ""), "1.0\n2.0\n1.0\n");
    assert_eq!(yes(&f, &["poly", "fit", "points.csv", "--at", "3,-1"], ""), "13.0\n1.0\n");
    // Powers of 1e200 overflow, but the values do not.
    assert_eq!(yes(&f, &["poly", "eval", "-", "--at", "1e200"], "0 0 1e-300"), "1e100\n");
    assert_eq!(yes(&f, &["poly", "eval", "-", "--at", "1e150", "--compensated"], "0 0 0 1e-300"), "1e150\n");
    assert_eq!(yes(&f, &["poly", "eval", "-", "--at", "1e308", "--compensated"], "0 2"), "inf\n");
    for at in [&["--at", "1"][..], &[]] {
        assert!(wrong(&f, &[&["poly", "fit", "twice.csv"], at].concat(), "").contains("positions 0 and 2"));
    }
}

#[test]
fn sample() {
    let f = Folder::new();
    let shares = "0\n0\n2\n2\n2\n2\n2\n2\n";
    let systematic = ["sample", "-", "-n", "8", "--systematic"];
    assert_eq!(yes(&f, &systematic, "1 0 3"), shares);
    assert_eq!(yes(&f, &[&systematic[..], &["--seed", "5"]].concat(), "0.25 0 0.75"), shares);
    let draw = |more: &[&str]| yes(&f, &[&["sample", "-"], more].concat(), "1 0 3 0");
    assert_eq!(draw(&[]).lines().count(), 1);
    assert_eq!(draw(&["--count", "0"]), "");
    let many = draw(&["-n", "1000", "--seed", "7"]);
    assert_eq!(many, draw(&["-n", "1e3", "--seed", "7"]));
    assert!(many.starts_with(&draw(&["-n", "100", "--seed", "7"])));
    assert_ne!(many, draw(&["-n", "1000"]));
    assert_eq!(draw(&["-n", "1000"]), draw(&["-n", "1000", "--seed", "0"]));
    let of_0 = many.lines().filter(|&line| line == "0").count();
    assert!((200..300).contains(&of_0) && many.lines().all(|line| line == "0" || line == "2"), "{of_0} of 0");

    // Every type, and tables.
    for (element, one) in [
        ("'|b1'", vec![1u8]),
        ("'|u1'", vec![9]),
        ("'<i2'", vec![9, 0]),
        ("'<u8'", bytes_of!(u64: u64::MAX - 1)),
        ("'<f2'", vec![0, 0x3c]),
        ("'<f4'", bytes_of!(f32: f32::MAX)),
        ("'<f8'", bytes_of!(f64: f64::MIN_POSITIVE)),
    ] {
        f.file("w.npy", npy(element, "(2, 2)", &[vec![0; 3 * one.len()], one].concat()));
        assert_eq!(yes(&f, &["sample", "w.npy", "-n", "3"], ""), "3\n3\n3\n", "{element}");
    }
    f.file("t.csv", "name,w\na,0\nb,2\n");
    assert_eq!(yes(&f, &["sample", "t.csv", "--column", "w", "-n", "2"], ""), "1\n1\n");
    yes(&f, &["sample", "t.csv", "--column", "w", "-n", "2", "-o", "at.npy"], "");
    assert_eq!(npy_data(&f.read("at.npy")), bytes_of!(u64: 1, 1));

    for (input, said) in [
        ("1 2.5 -0.5", "standard input: the weight at position 2 is -0.5: weights are finite numbers from 0 on"),
        ("3 -4", "standard input: the weight at position 1 is -4: weights are finite numbers from 0 on"),
        ("1 nan", "the weight at position 1 is NaN"),
        ("inf 1", "the weight at position 0 is inf"),
        ("0 0 0", "nothing can be drawn, as every weight is 0 (there are 3)"),
        ("", "there are no weights, so nothing can be drawn"),
        ("1e308 1e308", "the sum of the 2 weights is too large for f64"),
        ("9223372036854775807 9223372036854775807 1", "the sum of the 3 weights is too large for u64"),
    ] {
        assert!(wrong(&f, &["sample", "-"], input).contains(said), "{input}");
    }
    assert!(wrong(&f, &["sample", "-", "-o", "at.f64"], "1").contains("the values are u64, not f64"));
    assert!(wrong(&f, &["sample", "-", "--seed", "-1"], "1").contains("--seed"));
    let (code, _, said) = run(&f, &["sample", "-", "-n", "2^60"], "1");
    assert!(code == 1 && said.contains("not enough memory"), "{said}");
}
