//! Tests of what comes through a pipe that stays open: it is answered before more is waited for.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![cfg(target_os = "linux")]

mod support;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use support::Folder;

/// Time after which an answer is one that does not come.
const LONG: Duration = Duration::from_secs(60);

/// Run of the program, whose standard input is open.
struct Open {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Open {
    fn new(f: &Folder, args: &[&str]) -> Self {
        let mut command = f.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        let (to, lines) = channel();
        std::thread::spawn(move || {
            BufReader::new(stdout).lines().for_each(|line| drop(to.send(line.unwrap())));
        });
        Self { child, stdin, lines }
    }

    /// Writes `text`, and checks that these lines are the answer, while the pipe stays open.
    #[track_caller]
    fn says(&mut self, text: &str, answer: &[&str]) {
        self.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
        for expected in answer {
            assert_eq!(self.lines.recv_timeout(LONG).as_deref(), Ok(*expected), "after {text:?}");
        }
    }

    /// Ends the input, and checks the rest of the lines and the end of the program.
    #[track_caller]
    fn ends(mut self, code: i32, rest: &[&str], error: &str) {
        drop(self.stdin.take());
        assert_eq!(self.lines.iter().collect::<Vec<_>>(), rest);
        let output = self.child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(code) && said.contains(error), "{said}");
        assert!(code != 0 || said.is_empty(), "{said}");
    }
}

#[test]
fn numbers_are_scanned_line_by_line() {
    let f = Folder::new();
    let mut run = Open::new(&f, &["scan", "-"]);
    run.says("3\n", &["3"]);
    run.says("-1\n", &["2"]);
    run.says("\n", &[]);
    run.says("4 1\n2", &["6", "7"]);
    run.says("0\n", &["27"]);
    // From the first fraction on results are floats.
    run.says("0.5\n", &["27.5"]);
    run.says("2\n", &["29.5"]);
    run.says("1", &[]);
    run.ends(0, &["30.5"], "");

    let mut run = Open::new(&f, &["scan", "-", "--op", "max", "--type", "f32", "--exclusive", "--init=-1"]);
    run.says("0.5\n", &["-1.0"]);
    run.says("2\n1\n", &["0.5", "2.0"]);
    run.ends(0, &[], "");

    // A first number of one digit is told from the beginning of other contents.
    for first in ["(", "P", "_"] {
        Open::new(&f, &["scan", "-"]).ends(0, &[], "");
        let mut run = Open::new(&f, &["scan", "-"]);
        run.says(&format!("{first}\n"), &[]);
        run.ends(2, &[], &format!("row 1: `{first}` is not a number"));
    }
    let mut run = Open::new(&f, &["scan", "-", "--op", "xor"]);
    run.says("6\n", &["6"]);
    run.says("3\n", &["5"]);
    run.says("0.5\n", &[]);
    run.ends(2, &[], "xor");
    // Without fractions nothing is wrong with it.
    let mut run = Open::new(&f, &["scan", "-", "--wrap"]);
    run.says("9223372036854775807\n", &["9223372036854775807"]);
    run.says("1\n", &["-9223372036854775808"]);
    run.ends(0, &[], "");
    let mut run = Open::new(&f, &["scan", "-"]);
    run.says("9223372036854775807\n", &["9223372036854775807"]);
    run.says("1\n", &[]);
    run.ends(2, &[], "number 2: the sum is 9223372036854775808, which does not fit i64");
}

#[test]
fn numbers_are_selected_line_by_line() {
    let f = Folder::new();
    let mut run = Open::new(&f, &["select", "-", "--where", "x % 2 == 1"]);
    run.says("3\n", &["3"]);
    run.says("4\n5\n", &["5"]);
    run.says("7.0\n1.5\n", &["7.0"]);
    run.ends(0, &[], "");
    let mut run = Open::new(&f, &["select", "-", "--where", "x > 2", "--indices"]);
    run.says("3\n", &["0"]);
    run.says("1\n5 6\n", &["2", "3"]);
    run.ends(0, &[], "");
}

#[test]
fn signals_are_filtered_line_by_line() {
    let f = Folder::new();
    let mut run = Open::new(&f, &["signal", "filter", "-", "--b", "1,1", "--carry-out", "c"]);
    run.says("3\n", &["3.0"]);
    run.says("4\n0.5 1\n", &["7.0", "4.5", "1.5"]);
    run.ends(0, &[], "");
    let mut run = Open::new(&f, &["signal", "smooth", "-", "--span", "3"]);
    run.says("3\n", &["3.0"]);
    run.says("4\n", &["3.5"]);
    run.ends(0, &[], "");
    let rest = f.run_with(&["signal", "filter", "-", "--b", "1,1", "--carry-in", "c"], b"5");
    assert_eq!(rest.good(), "6.0\n");
}

#[test]
fn rows_are_selected_line_by_line() {
    let f = Folder::new();
    let mut run = Open::new(&f, &["select", "-", "--format", "csv", "--where", "n > 1", "--set", "d = n * 2"]);
    run.says("n,s\n", &[]);
    run.says("2,\"a\n", &[]);
    run.says("b\"\n", &["n,s,d", "2,\"a", "b\",4"]);
    run.says("1,c\n5,d\n", &["5,d,10"]);
    run.says("x,e\n", &[]);
    run.ends(2, &[], "standard input: row 5: column n: `x` is not a number");
    let mut run =
        Open::new(&f, &["select", "-", "--format", "tsv", "--comment", "#", "--where", "$1 == 'b'", "-o", "-"]);
    run.says("#x\nk\tv\n", &[]);
    run.says("b\t1\n", &["k\tv", "b\t1"]);
    run.says("#y\nb\t2\n", &["b\t2"]);
    run.ends(0, &[], "");
}

#[test]
fn rows_are_scanned_line_by_line() {
    let f = Folder::new();
    let mut run = Open::new(&f, &["scan", "-", "--format", "csv", "--column", "n"]);
    run.says("s,n\n", &[]);
    run.says("a,3\n", &["s,n,n_sum", "a,3,3"]);
    run.says("\"b\nc\",4\nd", &["\"b", "c\",4,7"]);
    run.says(",0.5\n", &["d,0.5,7.5"]);
    run.says("e, 1 \n", &["e, 1 ,8.5"]);
    run.says("f,\n", &[]);
    run.ends(2, &[], "standard input: row 6: column n: the cell is empty");
    let args = ["scan", "-", "--delimiter", ";", "--header", "no", "--op", "max", "--type", "i16"];
    let mut run = Open::new(&f, &args);
    run.says("2\n3\n", &["2;2", "3;3"]);
    run.says("1\n", &["1;3"]);
    run.ends(0, &[], "");
    let mut run = Open::new(&f, &["scan", "-", "--format", "csv", "--carry-out", "c"]);
    run.says("n\n9223372036854775807\n", &["n,n_sum", "9223372036854775807,9223372036854775807"]);
    run.says("1\n", &[]);
    run.ends(2, &[], "standard input: row 3: the sum is 9223372036854775808, which does not fit i64");
    assert!(!f.path("c").exists());
    assert_eq!(f.run_with(&["scan", "-", "--format", "csv", "--carry-out", "c"], b"n\n4\n").good(), "n,n_sum\n4,4\n");
    assert_eq!(f.run_with(&["scan", "-", "--format", "csv", "--carry-in", "c"], b"n\n0.5\n1\n").code, Some(2));
    assert_eq!(f.run_with(&["scan", "-", "--format", "csv", "--carry-in", "c"], b"n\n1\n").good(), "n,n_sum\n1,5\n");
    let empty = f.run_with(&["scan", "-", "--format", "csv", "--column", "n"], b"n,m\n").good();
    assert_eq!(empty, "n,m,n_sum\n");
}

/// A reader that goes ends the program with the next answer.
#[test]
fn a_reader_that_goes() {
    let f = Folder::new();
    for (args, first, line) in [
        (&["scan", "-"][..], "", "1\n"),
        (&["select", "-", "--format", "csv", "--where", "n > 0"], "n\n", "1\n"),
        (&["scan", "-", "--format", "csv"], "n\n", "1\n"),
    ] {
        let mut command = f.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        stdin.write_all(format!("{first}{line}").as_bytes()).unwrap();
        let mut said = String::new();
        stdout.read_line(&mut said).unwrap();
        drop(stdout);
        let begun = Instant::now();
        let status = loop {
            // The program may have ended already.
            let _ = stdin.write_all(line.as_bytes());
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < LONG, "{args:?} does not end");
            std::thread::sleep(Duration::from_millis(1));
        };
        assert_eq!(status.code(), Some(0), "{args:?}");
    }
}

/// Results are those of all numbers at once, whenever these come and however they are cut.
#[test]
fn times_do_not_show() {
    let f = Folder::new();
    let mut state = 7u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for fraction in [0, 3000, usize::MAX] {
        let number = |k: usize, n: usize| match k < fraction {
            true => format!("{}\n", n as i64 - 500),
            false => format!("{}\n", n as f64 / 7.0 - 70.0),
        };
        let text: String = (0..6000).map(|k| number(k, random(1000))).collect();
        let table = format!("n\n{text}");
        for (args, text) in [
            (&["scan", "-"][..], &text),
            (&["scan", "-", "--op", "min", "--exclusive"], &text),
            (&["scan", "-", "--sum-type", "f64"], &text),
            (&["select", "-", "--where", "x % 3 < 1"], &text),
            (&["select", "-", "--format", "csv", "--where", "n > 10"], &table),
            (&["scan", "-", "--format", "csv"], &table),
            (&["signal", "filter", "-", "--b", "0.1,0.3,0.2", "--a", "1,-1.2,0.7"], &text),
            (&["signal", "smooth", "-", "--half-life", "70", "--type", "f32"], &text),
        ] {
            f.file("x", text);
            let mut command = f.command(args);
            let whole = command.stdin(std::fs::File::open(f.path("x")).unwrap()).output().unwrap();
            assert!(whole.status.success() && !whole.stdout.is_empty());
            let mut run = Open::new(&f, args);
            let mut rest = text.as_bytes();
            while !rest.is_empty() {
                let (now, later) = rest.split_at(rest.len().min(1 + random(9000)));
                run.stdin.as_mut().unwrap().write_all(now).unwrap();
                std::thread::sleep(Duration::from_millis(2));
                rest = later;
            }
            drop(run.stdin.take());
            let lines: Vec<String> = run.lines.iter().collect();
            assert!(lines.iter().map(String::as_str).eq(String::from_utf8(whole.stdout).unwrap().lines()), "{args:?}");
            assert!(run.child.wait().unwrap().success());
        }
        // Floats have the bits of a scan of an array of floats.
        if fraction == 0 {
            f.file("t.csv", &table);
            f.prints(&["scan", "t.csv", "-o", "y.csv"]);
            let written = String::from_utf8(f.read("y.csv")).unwrap();
            let expected: String =
                written.lines().skip(1).map(|row| format!("{}\n", row.split(',').nth(1).unwrap())).collect();
            assert_eq!(f.run_with(&["scan", "-"], text.as_bytes()).good(), expected);
        }
    }
}

/// Totals of what comes, which is not kept, are those of a column of a table.
#[test]
fn totals_are_those_of_the_whole() {
    let f = Folder::new();
    let many = |first: &str, count: usize| format!("{first}\n{}", "7\n-3\n".repeat(count / 2));
    let texts = ["", "5\n", "-0.0\n", "1\n2.5\n-4\n", "9223372036854775807\n1\n", "9223372036854775807\n-1\n5\n"];
    let long = [many("1", 300_000), many("0.1", 300_000), format!("{}0.25\n3\n", many("1", 200_000)), many("nan", 9)];
    let large = "4611686018427387904\n4611686018427387904\n0.5\n".to_owned();
    for text in texts.into_iter().map(str::to_owned).chain(long).chain([large]) {
        f.file("t.csv", format!("n\n{text}"));
        for options in [
            &[][..],
            &["--op", "max"],
            &["--op", "product", "--wrap"],
            &["--op", "xor"],
            &["--init", "0.5"],
            &["--init=-3"],
            &["--type", "f32"],
            &["--type", "i8", "--sum-type", "i16"],
            &["--sum-type", "f64"],
        ] {
            let whole = f.run(&[&["reduce", "t.csv", "--column", "n"], options].concat());
            let found = f.run_with(&[&["reduce", "-"], options].concat(), text.as_bytes());
            let cut = &text[..text.len().min(60)];
            assert_eq!((found.code, found.stdout), (whole.code, whole.stdout), "{options:?} {cut}: {}", found.stderr);
        }
    }
}

/// Parts of a series may be integers and floats.
#[test]
fn carries_of_numbers() {
    let f = Folder::new();
    let scan = |args: &[&str], text: &str| f.run_with(&[&["scan", "-"], args].concat(), text.as_bytes()).good();
    assert_eq!(scan(&["--carry-out", "c"], "1 0.5"), "1\n1.5\n");
    assert_eq!(scan(&["--carry-in", "c", "--carry-out", "c"], "2 3"), "3.5\n6.5\n");
    assert_eq!(scan(&["--carry-in", "c"], "0.25"), "6.75\n");
    assert_eq!(scan(&["--carry-out", "c"], "1"), "1\n");
    f.fails(&["scan", "-", "--carry-in", "c"], b"1 0.5", 2, &["c: the carry is of a scan with sum in i64"]);
}
