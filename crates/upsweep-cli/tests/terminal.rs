//! Tests of terminal output: names and data do not control the terminal. Files and pipes hold the bytes unchanged.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![cfg(target_os = "linux")]

mod support;

use support::{Folder, on_terminal};

#[test]
fn data_controls_no_terminal() {
    let f = Folder::new();
    let odd = "\u{1b}]0;title\u{7}\u{202e}gnp";
    f.file("t.csv", format!("k,v\n{odd},2\nplain,1\n")).file("t.txt", format!("line {odd}\nother\n"));
    f.file("p.txt", format!("{odd},1\n")).file("e.csv", format!("{odd},b\nb,{odd}\n"));
    for args in [
        &["sort", "t.csv", "--column", "v"][..],
        &["select", "t.csv", "--where", "v > 1"],
        &["reduce", "t.csv", "--column", "v", "--by-key", "k"],
        &["reduce", "t.csv", "--column", "v", "--group-by", "k"],
        &["scan", "t.csv", "--column", "v", "-o", "-"],
        &["scan", "t.csv", "--column", "v", "-o", "/dev/stdout"],
        &["text", "grep", "line", "t.txt"],
        &["tree", "sum", "p.txt", "--path"],
        &["graph", "pagerank", "e.csv", "--header", "no"],
    ] {
        let shown = on_terminal(&f, args);
        assert!(shown.contains("\\u{1b}]0;title\\u{7}\\u{202e}gnp"), "{args:?}: {shown:?}");
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{args:?}: {shown:?}");
        let piped = f.run(args);
        assert!(String::from_utf8(piped.stdout).unwrap().contains(odd), "{args:?}");
    }
}

#[test]
fn names_control_no_terminal() {
    let f = Folder::new();
    let name = "\u{202e}gnp\u{1b}[2J.csv";
    f.file(name, "a\n1\n");
    // Also in a pipe: messages for people may go to a terminal later.
    let done = f.run(&["scan", name, "--column", "b"]);
    assert!(!done.stderr.contains(['\u{1b}', '\u{202e}']), "{:?}", done.stderr);
    assert!(done.stderr.contains("\\u{202e}gnp\\u{1b}[2J.csv"), "{:?}", done.stderr);
}

/// The program's own colours are no data.
#[test]
fn drawings_have_their_colours() {
    let f = Folder::new();
    f.file("a.c", "int a = \"\u{202e}\";\n");
    let shown = on_terminal(&f, &["text", "lex", "a.c", "--grammar", "rust", "--color"]);
    assert!(shown.contains("\u{1b}[38;5;") && !shown.contains('\u{202e}'), "{shown:?}");
    assert!(on_terminal(&f, &["lab", "show", "blelloch"]).contains('\u{1b}'));
}
