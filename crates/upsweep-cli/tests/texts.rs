//! Tests of texts and tables in files: blanks, quotes, byte order marks, columns by number, columns of numbers and
//! texts.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use support::{Folder, bytes_of, npy};

const BLANKS: &str = "k,v\n x,3\nx ,4\n\"x\",5\n\" x\",6\nx,1\n";

#[test]
fn blanks_are_a_part_of_texts() {
    let f = Folder::new();
    f.file("g.csv", BLANKS);
    let of_groups = ["reduce", "g.csv", "--column", "v", "--group-by", "k"];
    assert_eq!(f.prints(&of_groups), "\" x\"\t9\nx\t6\n\"x \"\t4\n");
    f.prints(&[&of_groups[..], &["-o", "groups.csv"]].concat());
    assert_eq!(f.read("groups.csv"), b"k,v_sum\n\" x\",9\nx,6\n\"x \",4\n");
    let by_key = f.run(&["reduce", "g.csv", "--column", "v", "--by-key", "k"]);
    assert_eq!(by_key.stdout, b"\" x\"\t3\n\"x \"\t4\nx\t5\n\" x\"\t6\nx\t1\n");
    let select = |condition: &str| f.prints(&["select", "g.csv", "--where", condition]);
    assert_eq!(select("k == 'x'"), "k,v\n\"x\",5\nx,1\n");
    assert_eq!(select("k == ' x'"), "k,v\n x,3\n\" x\",6\n");
    // Blanks around a number are no part of it, and a cell of blanks is empty.
    assert_eq!(f.prints(&["sort", "g.csv", "--column", "k"]), "k,v\n x,3\n\" x\",6\n\"x\",5\nx,1\nx ,4\n");
    f.file("n.csv", "k,v\n 10,1\n9 ,2\n  ,3\n");
    assert_eq!(f.prints(&["sort", "n.csv", "--column", "k"]), "k,v\n9 ,2\n 10,1\n  ,3\n");
    assert_eq!(f.prints(&["select", "n.csv", "--where", "v < 3 and k > 9"]), "k,v\n 10,1\n");
}

#[test]
fn rows_are_written_as_they_are_read() {
    let f = Folder::new();
    f.file("q.csv", "\"a b\",\"n\"\r\n\"x y\",\"2\"\r\n\" z\" ,1\r\n\"p\n\"\"q\"\"\",3");
    assert_eq!(
        f.prints(&["select", "q.csv", "--where", "n > 1"]),
        "\"a b\",\"n\"\n\"x y\",\"2\"\n\"p\n\"\"q\"\"\",3\n"
    );
    assert_eq!(f.prints(&["sort", "q.csv"]), "\"a b\",\"n\"\n\" z\" ,1\n\"x y\",\"2\"\n\"p\n\"\"q\"\"\",3\n");
    assert_eq!(
        f.prints(&["scan", "q.csv"]),
        "\"a b\",\"n\",n_sum\n\"x y\",\"2\",2\n\" z\" ,1,3\n\"p\n\"\"q\"\"\",3,6\n"
    );
    // With another delimiter, cells that a reader could misread are quoted.
    let tsv = |args: &[&str]| {
        f.prints(&[args, &["-o", "q.tsv"]].concat());
        String::from_utf8(f.read("q.tsv")).unwrap()
    };
    f.file("q.csv", "k,n,m\n\"x y\", 2,\"\"\n x,1,\"a\tb\"\n");
    assert_eq!(tsv(&["select", "q.csv", "--where", "n > 1"]), "k\tn\tm\nx y\t 2\t\n");
    assert_eq!(tsv(&["sort", "q.csv", "--column", "n"]), "k\tn\tm\n\" x\"\t1\t\"a\tb\"\nx y\t 2\t\n");
    assert_eq!(tsv(&["scan", "q.csv", "--column", "n"]), "k\tn\tm\tn_sum\nx y\t 2\t\t2\n\" x\"\t1\t\"a\tb\"\t3\n");
    // The name of a new column is quoted if necessary.
    f.file("q.csv", "\"a,b\"\n1\n");
    assert_eq!(f.prints(&["scan", "q.csv"]), "\"a,b\",\"a,b_sum\"\n1,1\n");
}

/// Rows longer than one read, and many shorter ones.
#[test]
fn long_tables_keep_their_text() {
    let f = Folder::new();
    let row = |k: usize| match k % 5000 {
        4999 => format!("{k},\"{}\"\n", "l, \n".repeat(100_000)),
        r if r % 7 == 0 => format!("{k},\" text {r}\" \n"),
        r => format!("{k},text {r}\n"),
    };
    let rows: Vec<String> = (0..20_000).map(row).collect();
    f.file("long.csv", format!("n,t\n{}", rows.concat()));
    f.prints(&["select", "long.csv", "--where", "n % 3 != 0", "-o", "third.csv"]);
    let kept: String = rows.iter().enumerate().filter(|(k, _)| k % 3 != 0).map(|(_, row)| &**row).collect();
    assert!(f.read("third.csv") == format!("n,t\n{kept}").as_bytes());
    f.prints(&["sort", "long.csv", "--column", "n", "--desc", "-o", "back.csv"]);
    let back: String = rows.iter().rev().map(|row| &**row).collect();
    assert!(f.read("back.csv") == format!("n,t\n{back}").as_bytes());
    f.prints(&["scan", "long.csv", "--column", "n", "--op", "max", "-o", "max.csv"]);
    let with_max = |(k, row): (usize, &String)| format!("{},{k}\n", row.trim_end_matches('\n'));
    assert!(
        f.read("max.csv")
            == format!("n,t,n_max\n{}", rows.iter().enumerate().map(with_max).collect::<String>()).as_bytes()
    );
}

/// Every command that parses a text: the name of the file, its content, and the call, in which `-` may be the file.
const TEXTS: &[(&str, &str, &[&str])] = &[
    ("t.csv", "a,b\n1,2\n3,x\n", &["scan", "t.csv", "--column", "a"]),
    ("t.csv", "a,b\n1,2\n3,4\n", &["scan", "t.csv", "--column", "b", "--by-key", "a"]),
    ("t.tsv", "\"a\"\tb\n1\tx\n3\ty\n", &["reduce", "t.tsv", "--column", "a", "--group-by", "b"]),
    ("t.csv", "a,b\n1,2\n3,4\n", &["sort", "t.csv", "--column", "a", "--desc"]),
    ("t.csv", "a,b\n1,2\n3,4\n", &["select", "t.csv", "--where", "a > 1"]),
    ("t.csv", "a\n1\n", &["unique", "t.csv", "--column", "a"]),
    ("t.csv", "a\n1\n", &["quantile", "t.csv", "--column", "a"]),
    ("-", "1 2\n3\n", &["scan", "-"]),
    ("-", "1", &["scan", "-"]),
    ("-", "a,b\n1,2\n", &["reduce", "-", "--format", "csv", "--column", "a"]),
    ("s.txt", "0 1 3\n", &["reduce", "x.npy", "--segments", "s.txt"]),
    ("s.txt", "true false false\n", &["reduce", "x.npy", "--segments", "s.txt"]),
    ("text.txt", "ab\ncab\n", &["text", "grep", "^ab", "text.txt", "-n"]),
    ("-", "ab\ncab\n", &["text", "grep", "^ab", "-", "--count"]),
    ("text.txt", "1+2\n", &["text", "lex", "text.txt", "--grammar", "arithmetic", "--count"]),
    ("text.txt", "1+2\n", &["text", "lex", "text.txt", "--grammar", "arithmetic", "--color"]),
    ("rules.txt", "A = a+\nB = b\n", &["text", "lex", "ab.txt", "--rules", "rules.txt"]),
    ("a.csv", "1\n2\n", &["text", "compare", "a.csv", "b.csv"]),
    ("-", "a,1\na/b,2\n", &["tree", "sum", "-", "--path"]),
    ("e.csv", "a,b\nb,a\n", &["graph", "pagerank", "e.csv", "--header", "no"]),
    ("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n", &["graph", "csr", "m.mtx"]),
    ("-", "%%MatrixMarket matrix coordinate real general\n1 3 1\n1 2 2\n", &["graph", "spmv", "-", "x.npy"]),
    ("p.csv", "1,2\n2,3\n", &["poly", "fit", "p.csv"]),
    ("sos.csv", "1,1,0,1,0,0\n", &["signal", "filter", "x.npy", "--sos", "sos.csv", "-o", "-"]),
    (
        "d.asc",
        "ncols 2\nnrows 2\ncellsize 1\n1 2\n3 4\n",
        &["terrain", "sight", "d.asc", "--from", "0,0", "--to", "1,1"],
    ),
];

fn with_texts() -> Folder {
    let f = Folder::new();
    f.file("x.npy", npy("'<f8'", "(3,)", &bytes_of!(f64: 1.0, 2.0, 4.0))).file("ab.txt", "aab").file("b.csv", "1\n2\n");
    f
}

#[test]
fn the_mark_of_utf_8_is_skipped() {
    let f = with_texts();
    for (name, text, args) in TEXTS {
        let run = |text: &str| {
            if *name != "-" {
                f.file(name, text);
            }
            let done = f.run_with(args, text.as_bytes());
            assert!(matches!(done.code, Some(0 | 1)) && done.stderr.is_empty(), "{args:?}: {}", done.stderr);
            (done.code, done.stdout)
        };
        let plain = run(text);
        assert_eq!(run(&format!("\u{feff}{text}")), plain, "{args:?}");
    }
    // Places count the mark, and a comparison of bytes sees its three bytes.
    f.file("text.txt", "\u{feff}1+2");
    assert_eq!(
        f.prints(&["text", "lex", "text.txt", "--grammar", "arithmetic"]),
        f.run_with(&["text", "lex", "-", "--grammar", "arithmetic"], b"   1+2").good().replacen("0\t3\tspace\n", "", 1)
    );
    f.file("a.txt", "\u{feff}a").file("b.txt", "a");
    assert_eq!(f.run(&["text", "compare", "a.txt", "b.txt"]).code, Some(1));
    // A file with only the mark is empty.
    f.file("t.csv", "\u{feff}");
    assert_eq!(f.prints(&["scan", "t.csv"]), "");
    assert_eq!(f.run_with(&["scan", "-"], b"\xef\xbb\xbf").good(), "");
    assert_eq!(f.run_with(&["text", "grep", "x", "-"], b"\xef\xbb\xbf").code, Some(1));
    // A part of the mark is no mark.
    f.fails(&["scan", "-"], b"\xef\xbb", 2, &["standard input: row 1: ", "is not a number"]);
    f.fails(&["scan", "-"], "1 \u{feff}2".as_bytes(), 2, &["is not a number"]);
}

#[test]
fn utf_16_is_turned_into_utf_8() {
    let f = with_texts();
    for (name, text, args) in TEXTS {
        if *name != "-" {
            f.file(name, text);
        }
        let expected = f.run_with(args, text.as_bytes()).good_bytes();
        for (mark, order) in [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)]
        {
            let bytes = [&mark[..], &text.encode_utf16().flat_map(order).collect::<Vec<u8>>()].concat();
            if *name != "-" {
                f.file(name, &bytes);
            }
            assert_eq!(f.run_with(args, &bytes).good_bytes(), expected, "{args:?}");
            // It ends within a letter.
            let (called, cut) = (if *name == "-" { "standard input" } else { name }, &bytes[..bytes.len() - 1]);
            if *name != "-" {
                f.file(name, cut);
            }
            f.fails(args, cut, 2, &[called, "is UTF-16 by its mark, but ends within a letter"]);
        }
    }
}

#[test]
fn encodings_and_lines_that_are_no_data() {
    let f = Folder::new();
    f.file("l.csv", b"caf\xe9;price\nM\xfcnchen;2\nK\xf6ln;3\n");
    let semicolon = ["--delimiter", ";", "--encoding", "latin1"];
    let of = |args: &[&str]| f.prints(&[args, &semicolon[..]].concat());
    assert_eq!(of(&["select", "l.csv", "--where", "café == \"München\""]), "café;price\nMünchen;2\n");
    assert_eq!(of(&["sort", "l.csv", "--column", "café"]), "café;price\nKöln;3\nMünchen;2\n");
    assert_eq!(of(&["scan", "l.csv"]), "café;price;price_sum\nMünchen;2;2\nKöln;3;5\n");
    assert_eq!(of(&["reduce", "l.csv", "--group-by", "café"]), "Köln\t3\nMünchen\t2\n");
    assert_eq!(of(&["reduce", "l.csv", "--op", "count"]), "2\n");
    assert_eq!(f.prints(&["text", "grep", "ü", "l.csv", "--encoding", "latin1"]), "München;2\n");
    assert_eq!(
        f.prints(&["text", "lex", "l.csv", "--grammar", "csv", "--count", "--encoding", "latin1"]).lines().count(),
        2
    );

    f.file("c.csv", "a title\n\n# comment, with \"a quote\n#\nk,v\nx,1\n# x,100\n\"#y\n#z\",2\n#end");
    let lines = ["--skip", "2", "--comment", "#"];
    let of = |args: &[&str]| f.prints(&[args, &lines[..]].concat());
    assert_eq!(of(&["scan", "c.csv"]), "k,v,v_sum\nx,1,1\n\"#y\n#z\",2,3\n");
    assert_eq!(of(&["reduce", "c.csv"]), "3\n");
    assert_eq!(of(&["reduce", "c.csv", "--op", "count"]), "2\n");
    assert_eq!(of(&["reduce", "c.csv", "--group-by", "k", "--op", "count"]), "\"#y\n#z\"\t1\nx\t1\n");
    assert_eq!(of(&["select", "c.csv", "--where", "v > 1"]), "k,v\n\"#y\n#z\",2\n");
    assert_eq!(of(&["sort", "c.csv", "--desc"]), "k,v\n\"#y\n#z\",2\nx,1\n");
    assert_eq!(of(&["histogram", "c.csv", "--bins", "1"]), "1.0\t2.0\t2\n");
    // Numbers on standard input, too.
    assert_eq!(
        f.run_with(&["reduce", "-", "--skip", "1", "--comment", "%"], b"some numbers\n1 2\n% 7\n3\n").good(),
        "6\n"
    );
    f.file("x.npy", npy("'<i4'", "(2,)", &bytes_of!(i32: 1, 2)));
    for option in [["--skip", "1"], ["--comment", "#"], ["--encoding", "latin1"]] {
        for call in [["scan", "x.npy", "-o", "out.npy"], ["reduce", "x.npy", "--op", "max"]] {
            let words = ["x.npy: is no text", option[0], "is for tables and text"];
            f.fails(&[&call[..], &option].concat(), b"", 2, &words);
        }
    }
    f.fails(&["reduce", "c.csv", "--comment", "1"], b"", 2, &["begins no number"]);
}

#[test]
fn a_number_is_the_number_of_a_column() {
    let f = Folder::new();
    f.file("f.csv", "2,1\n10,20\n30,40\n");
    let select = |condition: &str| f.prints(&["select", "f.csv", "--header", "yes", "--where", condition]);
    assert_eq!(select("$1 > 15"), "2,1\n30,40\n");
    assert_eq!(select("`1` > 15"), "2,1\n10,20\n30,40\n");
    assert_eq!(select("`2` > 15"), select("$1 > 15"));
    // Options, with a note where the name may have been meant.
    let (by_number, by_name) = ("1", "`1`");
    let note = "upsweep: note: f.csv: column 1 is the one with this number, `2`: that of the name 1 is '`1`', in back quotes\n";
    for (args, of_number, of_name) in [
        (&["reduce", "f.csv", "--column"][..], "40\n", "60\n"),
        (&["scan", "f.csv", "--column"], "2,1,2_sum\n10,20,10\n30,40,40\n", "2,1,1_sum\n10,20,20\n30,40,60\n"),
        (&["quantile", "f.csv", "--q", "1", "--column"], "30.0\n", "40.0\n"),
        (&["reduce", "f.csv", "--column", "`2`", "--by-key"], "10\t10\n30\t30\n", "20\t10\n40\t30\n"),
        (&["reduce", "f.csv", "--column", "`2`", "--group-by"], "10\t10\n30\t30\n", "20\t10\n40\t30\n"),
        (&["sort", "f.csv", "--desc", "--column"], "2,1\n30,40\n10,20\n", "2,1\n30,40\n10,20\n"),
    ] {
        let run = |column: &str| f.run(&[args, &[column, "--header", "yes"]].concat());
        let done = run(by_number);
        assert_eq!((&*done.stdout, &*done.stderr), (of_number.as_bytes(), note), "{args:?}");
        assert_eq!(run(by_name).good(), of_name, "{args:?}");
    }
    // A column named by its own number needs no note; a number of no column is a name.
    f.file("f.csv", "1,2,7\n5,6,8\n");
    for (column, printed) in [("2", "6\n"), ("7", "8\n"), ("`7`", "8\n")] {
        assert_eq!(f.prints(&["reduce", "f.csv", "--header", "yes", "--column", column]), printed);
    }
    f.fails(
        &["select", "f.csv", "--header", "yes", "--where", "$7 > 0"],
        b"",
        2,
        &["has no column 7: the columns are 1, 2, 7"],
    );
    f.fails(
        &["reduce", "f.csv", "--header", "yes", "--column", "`3`"],
        b"",
        2,
        &["has no column 3: the columns are 1, 2, 7"],
    );
    // A back quote in a name is written twice, as in a condition.
    f.file("f.csv", "a`b,c\n1,2\n");
    assert_eq!(f.prints(&["reduce", "f.csv", "--column", "`a``b`"]), "1\n");
    assert_eq!(f.prints(&["reduce", "f.csv", "--column", "a`b"]), "1\n");
    // Years name the columns, in back quotes too.
    f.file("f.csv", "country,2019,2020\nDE,5,6\nFR,7,8\n");
    assert_eq!(f.prints(&["reduce", "f.csv", "--column", "`2020`"]), "14\n");
}

#[test]
fn numbers_among_texts() {
    let f = Folder::new();
    f.file("p.csv", "price\nN/A\n100\n20\n3\n").file("q.csv", "price,id\nb,1\n9,2\n,3\na,4\n1e1,5\nnan,6\n");
    let said = |args: &[&str], printed: &str, words: &[&str]| {
        let done = f.run(args);
        assert_eq!((done.code, &*done.stdout), (Some(0), printed.as_bytes()), "{args:?}: {}", done.stderr);
        assert!(words.iter().all(|word| done.stderr.contains(word)), "{args:?}: {}", done.stderr);
        assert_eq!(done.stderr.lines().count(), words.len().min(1), "{args:?}: {}", done.stderr);
    };
    let note = ["note: p.csv: column price is ordered as text: in row 2 it has `N/A`, which is no number", "--numeric"];
    let sort = ["sort", "p.csv", "--column", "price"];
    said(&[&sort[..], &["--desc"]].concat(), "price\nN/A\n3\n20\n100\n", &note);
    said(&sort, "price\n100\n20\n3\nN/A\n", &note);
    said(&[&sort[..], &["--numeric"]].concat(), "price\n3\n20\n100\nN/A\n", &[]);
    said(&[&sort[..], &["--numeric", "--desc"]].concat(), "price\n100\n20\n3\nN/A\n", &[]);
    // Rows without a number keep their order, empty cells included.
    let sort = ["sort", "q.csv", "--column", "price", "--numeric"];
    said(&sort, "price,id\n9,2\n1e1,5\nnan,6\nb,1\n,3\na,4\n", &[]);
    said(&[&sort[..], &["--desc", "--argsort"]].concat(), "4\n1\n5\n0\n2\n3\n", &[]);
    let groups = ["reduce", "q.csv", "--column", "id", "--group-by", "price", "--op", "max"];
    said(
        &groups,
        "1e1\t5\n9\t2\na\t4\nb\t1\nnan\t6\n\t3\n",
        &["note: q.csv: column price is ordered as text: in row 2 it has `b`"],
    );
    f.fails(&["sort", "-", "--numeric"], b"1", 2, &["is no table, and --numeric is for tables"]);
}

#[test]
fn texts_need_not_be_utf_8() {
    let f = Folder::new();
    f.file("l.csv", b"a,b\n1,\xe9\n2,x\n");
    let select = |condition: &str| f.run(&["select", "l.csv", "--where", condition]).good_bytes();
    assert_eq!(select("a < 2"), b"a,b\n1,\xe9\n");
    assert_eq!(select("b == 'x'"), b"a,b\n2,x\n");
    assert_eq!(select("a == 1 or b == 'y'"), b"a,b\n1,\xe9\n");
    f.fails(&["select", "l.csv", "--where", "b > 1"], b"", 2, &["row 2: column b: `\u{fffd}` is not a number"]);
    f.fails(&["select", "l.csv", "--where", "b"], b"", 2, &["row 2: column b: `\u{fffd}` is not a bool"]);
}
