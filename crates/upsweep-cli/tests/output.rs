//! Where results go: whole files or none, device files, pipes, terminals.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]
#![cfg(unix)]

mod support;
use std::process::Stdio;
#[cfg(target_os = "linux")]
use support::on_terminal;
use support::{Folder, bytes_of, npy, npy_data};

fn numbers(n: usize) -> String {
    (0..n).map(|k| format!("{k}\n")).collect()
}

#[test]
fn output_goes_where_it_can() {
    let f = Folder::new();
    let x = npy("'<i4'", "(3,)", &bytes_of!(i32: 1, 2, 3));
    f.file("x.npy", &x);
    std::fs::create_dir(f.path("folder")).unwrap();
    f.fails(&["scan", "x.npy", "-o", "missing/out.npy"], b"", 2, &["-o missing/out.npy", "no folder missing"]);
    f.fails(&["scan", "x.npy", "-o", "folder"], b"", 2, &["-o folder: is a directory", "name a file"]);
    f.fails(&["scan", "x.npy", "-o", "x.npy/out.npy"], b"", 2, &["-o x.npy/out.npy", "x.npy is no folder"]);
    f.fails(&["scan", "x.npy", "-o", ""], b"", 2, &["-o"]);
    f.fails(&["scan", "x.npy", "-o", ".."], b"", 2, &["is a directory"]);
    assert_eq!(f.prints(&["scan", "x.npy", "-o", "/dev/null"]), "");
    // A file may be replaced by its own scan, and through a link.
    std::os::unix::fs::symlink("x.npy", f.path("link.npy")).unwrap();
    assert_eq!(f.prints(&["scan", "x.npy", "-o", "link.npy"]), "");
    assert_eq!(npy_data(&f.read("x.npy")), bytes_of!(i32: 1, 3, 6));
    assert!(f.path("link.npy").is_symlink());
    assert_eq!(f.names(), ["folder", "link.npy", "x.npy"]);
}

#[test]
fn a_new_file_has_the_permissions_of_any_other_and_an_old_one_keeps_its_own() {
    use std::os::unix::fs::PermissionsExt;
    let f = Folder::new();
    f.file("x.npy", npy("'<i4'", "(1,)", &bytes_of!(i32: 1))).file("usual", "").file("old.npy", "");
    let mode = |name: &str| std::fs::metadata(f.path(name)).unwrap().permissions().mode() & 0o777;
    f.prints(&["scan", "x.npy", "-o", "new.npy"]);
    assert_eq!(mode("new.npy"), mode("usual"));
    std::fs::set_permissions(f.path("old.npy"), std::fs::Permissions::from_mode(0o640)).unwrap();
    f.prints(&["scan", "x.npy", "-o", "old.npy"]);
    assert_eq!(mode("old.npy"), 0o640);
    std::fs::set_permissions(f.path("old.npy"), std::fs::Permissions::from_mode(0o440)).unwrap();
    f.fails(&["scan", "x.npy", "-o", "old.npy"], b"", 2, &["-o ", "old.npy: is read-only"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let f = Folder::new();
    f.file("x.npy", npy("'<i4'", "(3,)", &bytes_of!(i32: 1, 2, 3)));
    f.file("t.csv", format!("a\n{}", numbers(100_000)));
    for file in ["x.npy", "t.csv"] {
        f.fails(&["scan", file, "-o", "/dev/full"], b"", 1, &["/dev/full: writing failed: no space left on device"]);
        f.fails(&["reduce", file, "-o", "/dev/full"], b"", 1, &["/dev/full: writing failed: no space left"]);
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = f.command(&["scan", file]).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "upsweep: standard output: writing failed: no space left on device\n"
        );
    }
}

#[test]
fn a_closed_pipe_is_quiet() {
    let f = Folder::new();
    f.file("t.csv", format!("a\n{}", numbers(300_000)));
    f.file("big.npy", npy("'|u1'", "(1000000,)", &[1; 1_000_000]));
    for args in [&["scan", "t.csv"][..], &["scan", "big.npy"], &["reduce", "t.csv", "--by-key", "a"], &["--help"]] {
        let mut child = f.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{args:?}");
    }
    // The same with a reader that takes the first line.
    let mut child = f.command(&["scan", "t.csv"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let head = std::process::Command::new("head").arg("-1").stdin(child.stdout.take().unwrap()).output().unwrap();
    assert_eq!(head.stdout, b"a,a_sum\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

#[test]
fn an_interrupt_leaves_nothing() {
    let f = Folder::new();
    f.file("t.csv", format!("a\n{}", numbers(2_000_000))).file("out.csv", "as it was");
    let mut child = f.command(&["scan", "t.csv", "-o", "out.csv"]).spawn().unwrap();
    while f.names().len() == 2 && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let code = child.wait().unwrap().code();
    assert_eq!(f.names(), ["out.csv", "t.csv"]);
    // Where the program was done before it could be interrupted, there is nothing to see.
    if code != Some(0) {
        assert_eq!((code, f.read("out.csv")), (Some(130), b"as it was".to_vec()));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_head_tail_and_summary() {
    let f = Folder::new();
    f.file("t.csv", format!("day,rain\n{}", (1..=1000).map(|k| format!("d,{k}.5\n")).collect::<String>()));
    let Some(text) = on_terminal(&f, "scan t.csv --device cpu") else { return };
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["row", "rain", "sum"]);
    assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["3", "2.5", "4"]);
    assert_eq!(lines[11].trim(), "...");
    assert_eq!(lines[16].split_whitespace().collect::<Vec<_>>(), ["1001", "1000.5", "501000"]);
    assert!(lines[17].starts_with("1000 values of f64: inclusive sum scan, on cpu, "), "{text}");
    assert!(lines[17].contains("GB/s") && lines.len() == 18, "{text}");

    let Some(text) = on_terminal(&f, "scan t.csv --device cpu -o out.npy") else { return };
    assert_eq!(text.lines().count(), 1);
    assert!(text.starts_with("1000 values of f64"), "{text}");
    let Some(text) = on_terminal(&f, "reduce t.csv --op max") else { return };
    assert_eq!(text, "1000.5\n");
    // Rows are counted as errors count them: from 1, the names too. Numbers that are no rows are counted from 1.
    f.file("plain.csv", "5\n7\n");
    let Some(text) = on_terminal(&f, "scan plain.csv") else { return };
    assert_eq!(text.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>(), ["1", "5", "5"]);
    f.file("red.csv", "\u{1b}[31m\n1\n");
    let Some(text) = on_terminal(&f, "scan red.csv") else { return };
    assert!(text.starts_with("row  \\u{1b}[31m  sum\n"), "{text}");
    // Values of several axes have an index along each.
    f.file("matrix.npy", npy("'|u1'", "(3, 100)", &[1; 300]));
    let Some(text) = on_terminal(&f, "scan matrix.npy --axis 0") else { return };
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].trim_start().starts_with("[0, 0]") && lines[16].trim_start().starts_with("[2, 99]"), "{text}");
    f.file("empty.csv", "rain\n");
    let Some(text) = on_terminal(&f, "scan empty.csv") else { return };
    assert!(text.contains("0 values of i64"), "{text}");
}
