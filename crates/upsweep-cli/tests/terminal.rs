//! What a terminal is shown: nothing of names and data controls it. Files and pipes hold the bytes as they are.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![cfg(target_os = "linux")]

mod support;

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use support::Folder;

/// Standard output and error of a run in a terminal.
fn in_terminal(f: &Folder, args: &[&str]) -> String {
    let pty = nix::pty::openpty(None, None).unwrap();
    let (mut shown, to) = (File::from(pty.master), File::from(pty.slave));
    let mut command = Command::new(env!("CARGO_BIN_EXE_upsweep"));
    command.args(args).current_dir(f.path("")).stdin(Stdio::null()).stderr(to.try_clone().unwrap()).stdout(to);
    let mut child = command.spawn().unwrap();
    // Its copies of the terminal.
    drop(command);
    let reader = thread::spawn(move || {
        let mut all = vec![];
        // The end of a terminal is an error.
        let _ = shown.read_to_end(&mut all);
        all
    });
    child.wait().unwrap();
    String::from_utf8(reader.join().unwrap()).unwrap()
}

#[test]
fn data_controls_no_terminal() {
    let f = Folder::new();
    let odd = "\u{1b}]0;title\u{7}\u{202e}gnp";
    f.file("t.csv", format!("k,v\n{odd},2\nplain,1\n")).file("t.txt", format!("line {odd}\nother\n"));
    for args in [
        &["sort", "t.csv", "--column", "v"][..],
        &["select", "t.csv", "--where", "v > 1"],
        &["reduce", "t.csv", "--column", "v", "--by-key", "k"],
        &["reduce", "t.csv", "--column", "v", "--group-by", "k"],
        &["scan", "t.csv", "--column", "v", "-o", "-"],
        &["scan", "t.csv", "--column", "v", "-o", "/dev/stdout"],
        &["text", "grep", "line", "t.txt"],
    ] {
        let shown = in_terminal(&f, args);
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
    // Also in a pipe: what is said to people goes to terminals later.
    let done = f.run(&["scan", name, "--column", "b"]);
    assert!(!done.stderr.contains(['\u{1b}', '\u{202e}']), "{:?}", done.stderr);
    assert!(done.stderr.contains("\\u{202e}gnp\\u{1b}[2J.csv"), "{:?}", done.stderr);
}

/// The program's own colours are no data.
#[test]
fn drawings_have_their_colours() {
    let f = Folder::new();
    f.file("a.c", "int a = \"\u{202e}\";\n");
    let shown = in_terminal(&f, &["text", "lex", "a.c", "--grammar", "rust", "--color"]);
    assert!(shown.contains("\u{1b}[38;5;") && !shown.contains('\u{202e}'), "{shown:?}");
    assert!(in_terminal(&f, &["lab", "show", "blelloch"]).contains('\u{1b}'));
}
