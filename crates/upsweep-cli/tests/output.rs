//! Tests of outputs: whole files or none, device files, pipes, terminals.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]
#![cfg(unix)]

mod support;
use std::process::Stdio;
#[cfg(target_os = "linux")]
use support::on_terminal;
use support::{Folder, bytes_of, npy, npy_data, numbers};

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
    assert_eq!(npy_data(&f.read("x.npy")), bytes_of!(i64: 1, 3, 6));
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
/// A replaced file keeps its owner where the process may set it, and new content never gets a set-user-ID bit.
#[test]
fn a_replaced_file_keeps_its_owner_and_loses_set_user_id() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let f = Folder::new();
    f.file("t.csv", "a\n1\n2\n").file("old.csv", "").file("own", "");
    let own = f.path("own").metadata().unwrap();
    // Only root may give files to other users.
    let (user, group) = if own.uid() == 0 { (65534, 65533) } else { (own.uid(), own.gid()) };
    chown(f.path("old.csv"), Some(user), Some(group)).unwrap();
    std::fs::set_permissions(f.path("old.csv"), std::fs::Permissions::from_mode(0o6755)).unwrap();
    f.prints(&["scan", "t.csv", "--column", "a", "-o", "old.csv"]);
    let new = f.path("old.csv").metadata().unwrap();
    assert_eq!((new.uid(), new.gid(), new.mode() & 0o7777), (user, group, 0o755));
    assert_eq!(f.read("old.csv"), b"a,a_sum\n1,1\n2,3\n");
}

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
    // A reader that takes only the first line.
    let mut child = f.command(&["scan", "t.csv"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let head = std::process::Command::new("head").arg("-1").stdin(child.stdout.take().unwrap()).output().unwrap();
    assert_eq!(head.stdout, b"a,a_sum\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_head_tail_and_summary() {
    let f = Folder::new();
    f.file("t.csv", format!("day,rain\n{}", (1..=1000).map(|k| format!("d,{k}.5\n")).collect::<String>()));
    let text = on_terminal(&f, &["scan", "t.csv", "--device", "cpu"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["row", "rain", "sum"]);
    assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["3", "2.5", "4"]);
    assert_eq!(lines[11].trim(), "...");
    assert_eq!(lines[16].split_whitespace().collect::<Vec<_>>(), ["1001", "1000.5", "501000"]);
    assert!(lines[17].starts_with("1000 values of f64: inclusive sum scan, on cpu, "), "{text}");
    assert!(
        lines[17].contains("GB/s") && lines[17].contains("; with all input and output in ") && lines.len() == 18,
        "{text}"
    );

    let text = on_terminal(&f, &["scan", "t.csv", "--device", "cpu", "-o", "out.npy"]);
    assert_eq!(text.lines().count(), 1);
    assert!(text.starts_with("1000 values of f64"), "{text}");
    let text = on_terminal(&f, &["reduce", "t.csv", "--op", "max"]);
    assert_eq!(text, "1000.5\n");
    // Rows are counted as in error messages: from 1, names included. Numbers outside of tables are counted from 1.
    f.file("plain.csv", "5\n7\n");
    let text = on_terminal(&f, &["scan", "plain.csv"]);
    assert_eq!(text.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>(), ["1", "5", "5"]);
    f.file("red.csv", "\u{1b}[31m\n1\n");
    let text = on_terminal(&f, &["scan", "red.csv"]);
    assert!(text.starts_with("row  \\u{1b}[31m  sum\n"), "{text}");
    // Values of several axes have an index along each.
    f.file("matrix.npy", npy("'|u1'", "(3, 100)", &[1; 300]));
    let text = on_terminal(&f, &["scan", "matrix.npy", "--axis", "0"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].trim_start().starts_with("[0, 0]") && lines[16].trim_start().starts_with("[2, 99]"), "{text}");
    f.file("empty.csv", "rain\n");
    let text = on_terminal(&f, &["scan", "empty.csv"]);
    assert!(text.contains("0 values of i64"), "{text}");
}

/// Runs `script` in `sh`, which has the program as $0.
fn sh(f: &Folder, script: &str) -> std::process::Output {
    let program = env!("CARGO_BIN_EXE_upsweep");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, program]).current_dir(f.path("")).output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_that_is_open_is_written_to_and_not_replaced() {
    let f = Folder::new();
    f.file("t.csv", "a\n1\n2\n").file("x.npy", npy("'|u1'", "(2,)", &[1, 2]));
    std::os::unix::fs::symlink("/dev/stdout", f.path("link.npy")).unwrap();
    let table = "a,a_sum\n1,1\n2,3\n";
    for to in [
        "-o /dev/stdout >> out",
        "-o /dev/stderr 2>> out",
        "-o /dev/fd/1 >> out",
        "-o /proc/self/fd/1 >> out",
        "-o /proc/thread-self/fd/1 >> out",
        "-o link.npy >> out",
        "-o /dev/fd/3 3>> out",
        "-o /proc/self/fd/9 9>> out",
        "-o /proc/$$/fd/1 >> out",
    ] {
        let output = sh(&f, &format!("exec >> out; echo before; $0 scan t.csv {to}; echo after"));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{to}");
        assert_eq!(String::from_utf8(f.read("out")).unwrap(), format!("before\n{table}after\n"), "{to}");
        std::fs::remove_file(f.path("out")).unwrap();
    }
    // A descriptor has a position, which processes share.
    for number in [1, 2, 3] {
        let script = format!(
            "exec {number}> out; echo before >&{number}; $0 scan t.csv -o /dev/fd/{number}; \
             $0 reduce x.npy -o /proc/self/fd/{number}; echo after >&{number}"
        );
        sh(&f, &script);
        assert_eq!(String::from_utf8(f.read("out")).unwrap(), format!("before\n{table}3\nafter\n"), "{number}");
    }
    // The format is that of standard output, also into a pipe that a shell has a name for.
    sh(&f, "$0 scan x.npy -o /dev/stdout > out.csv; $0 scan x.npy -o /dev/fd/5 5>&1 | cat > piped.csv");
    let sums = bytes_of!(u64: 1, 3);
    assert_eq!((npy_data(&f.read("out.csv")), npy_data(&f.read("piped.csv"))), (&sums[..], &sums[..]));
    // The laboratory's outputs go the same way, without its text.
    for (args, begins) in [
        ("show blelloch --n 4 --svg /dev/stdout", "<?xml"),
        ("show blelloch --n 4 --html /dev/fd/1", "<!DOCTYPE html>"),
        ("count blelloch --n 4 --csv /dev/stdout", "algorithm,n,"),
        ("count blelloch --n 4 --svg /proc/self/fd/1", "<?xml"),
    ] {
        f.file("out", "before\n");
        let output = sh(&f, &format!("$0 lab {args} >> out"));
        assert!(output.status.success());
        let text = String::from_utf8(f.read("out")).unwrap();
        assert!(text.starts_with(&format!("before\n{begins}")), "{args}: {text}");
        assert!(!text.contains("as it should be") && !text.contains("operations  "), "{args}: {text}");
    }
    f.fails(&["scan", "t.csv", "-o", "/dev/fd/77"], b"", 2, &["-o /dev/fd/77: descriptor 77 is not open"]);
    let lab = ["lab", "show", "blelloch", "--n", "4"];
    f.fails(&[&lab[..], &["--svg", "-", "--html", "/dev/stdout"]].concat(), b"", 2, &["both go to standard output"]);
}

#[test]
fn one_file_for_two_outputs() {
    let f = Folder::new();
    std::os::unix::fs::symlink("x", f.path("link")).unwrap();
    std::fs::create_dir(f.path("folder")).unwrap();
    for other in ["x", "./x", "folder/../x", "link"] {
        let reason = format!("--svg and --html cannot both go to {other}");
        f.fails(&["lab", "show", "blelloch", "--svg", "x", "--html", other], b"", 2, &[&reason]);
        f.fails(&["lab", "count", "blelloch", "--csv", "x", "--svg", other], b"", 2, &["--csv and --svg cannot both"]);
    }
    f.prints(&["lab", "count", "blelloch", "--n", "4", "--csv", "/dev/null", "--svg", "/dev/null"]);
}

#[test]
fn a_link_is_followed_also_to_nothing() {
    use std::os::unix::fs::symlink;
    let f = Folder::new();
    f.file("x.npy", npy("'|u1'", "(2,)", &[1, 2]));
    std::fs::create_dir(f.path("folder")).unwrap();
    symlink("folder/second.npy", f.path("first.npy")).unwrap();
    symlink("third.npy", f.path("folder/second.npy")).unwrap();
    f.prints(&["scan", "x.npy", "-o", "first.npy"]);
    assert_eq!(npy_data(&f.read("folder/third.npy")), bytes_of!(u64: 1, 3));
    assert!(f.path("first.npy").is_symlink() && f.path("folder/second.npy").is_symlink());
    symlink("loop.npy", f.path("back.npy")).unwrap();
    symlink("back.npy", f.path("loop.npy")).unwrap();
    symlink("none/x.npy", f.path("far.npy")).unwrap();
    f.fails(&["scan", "x.npy", "-o", "loop.npy"], b"", 2, &["-o loop.npy: is a link that leads back to itself"]);
    f.fails(&["scan", "x.npy", "-o", "far.npy"], b"", 2, &["-o far.npy: there is no folder", "none: make it first"]);
}

/// In a folder that takes no new files, a file is overwritten, as `>` would. Its input may be that file.
#[test]
fn a_folder_that_takes_no_new_file() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let f = Folder::new();
    let set = |name: &str, mode| std::fs::set_permissions(f.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    std::fs::create_dir(f.path("locked")).unwrap();
    f.file("locked/t.csv", format!("a\n{}", numbers(1000))).file("locked/shut.csv", "as it was");
    for (name, mode) in [("", 0o755), ("locked", 0o555), ("locked/t.csv", 0o666), ("locked/shut.csv", 0o444)] {
        set(name, mode);
    }
    let run = |to: &str| {
        let mut command = f.command(&["scan", "locked/t.csv", "--column", "1", "-o", to]);
        // Root may create files anywhere: it takes the identity of nobody.
        if std::fs::File::create(f.path("locked/probe")).is_ok() {
            std::fs::remove_file(f.path("locked/probe")).unwrap();
            command.uid(65534).gid(65534);
        }
        let output = command.output().ok()?;
        Some((output.status.code(), String::from_utf8(output.stderr).unwrap()))
    };
    // Only the owner may be allowed to reach the program.
    let Some(done) = run("locked/new.csv") else { return };
    let reason = format!(
        "the folder {} takes no new file: permission denied",
        f.path("locked").canonicalize().unwrap().display()
    );
    assert_eq!(done, (Some(2), format!("upsweep: locked/new.csv: {reason}\n")));
    assert_eq!(run("locked/shut.csv").unwrap().1, "upsweep: -o locked/shut.csv: is read-only\n");
    set("locked/shut.csv", 0o644);
    assert!(
        matches!(run("locked/shut.csv").unwrap(), (Some(2), e) if e == "upsweep: -o locked/shut.csv: permission denied\n")
    );
    assert_eq!(run("locked/t.csv").unwrap(), (Some(0), String::new()));
    let text = String::from_utf8(f.read("locked/t.csv")).unwrap();
    assert!(text.ends_with("\n999,499500\n") && text.lines().count() == 1001, "{text}");
    set("locked", 0o755);
    assert_eq!(std::fs::read_dir(f.path("locked")).unwrap().count(), 2);
}
