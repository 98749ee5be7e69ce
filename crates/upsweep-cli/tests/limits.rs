//! Where the system gives no more memory or threads, the program says so and ends in order.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(target_os = "linux")]

mod support;
use std::process::{Command, Stdio};
use support::{Done, Folder};

/// A run with so many KiB of addresses and this `RAYON_NUM_THREADS`, of which each takes a GiB.
fn limited(f: &Folder, kib: u32, threads: &str, args: &[&str], input: &str) -> Done {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {kib}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_upsweep")]);
    let stdin = std::fs::File::open(f.file("stdin", input).path("stdin")).unwrap();
    command.args(args).args(["--device", "cpu"]).current_dir(f.path("")).env("RAYON_NUM_THREADS", threads);
    // A thread's stack in bytes: what a limit of addresses leaves no room for.
    command.env("RUST_MIN_STACK", (1 << 30).to_string());
    let output = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    Done { code: output.status.code(), stdout: output.stdout, stderr: String::from_utf8(output.stderr).unwrap() }
}

#[test]
fn no_memory_for_text() {
    let f = Folder::new();
    // Twice 64 MiB of values.
    let many = "1\n".repeat(8 << 20);
    f.file("t.csv", format!("a\n{many}")).file("keys.csv", "k,1\n".repeat(8 << 20));
    for args in [
        &["scan", "-"][..],
        &["scan", "-", "--type", "f64"],
        &["scan", "t.csv", "-o", "out.csv"],
        &["reduce", "keys.csv", "--by-key", "1", "-o", "out.csv"],
    ] {
        let input = if args[1] == "-" { &many } else { "" };
        let done = limited(&f, 80_000 + (1 << 20), "1", args, input);
        assert_eq!(done.code, Some(1), "{args:?}: {}", done.stderr);
        assert!(
            done.stderr.starts_with("upsweep: ") && done.stderr.contains(": not enough memory for its "),
            "{}",
            done.stderr
        );
        assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
        assert_eq!(f.names(), ["keys.csv", "stdin", "t.csv"]);
    }
}

#[test]
fn no_more_threads() {
    let f = Folder::new();
    let done = limited(&f, 1_500_000, "2", &["reduce", "-"], "1 2 3");
    assert_eq!((done.code, &*done.stdout), (Some(0), &b"6\n"[..]), "{}", done.stderr);
    assert!(done.stderr.starts_with("upsweep: note: the CPU's threads do not start ("), "{}", done.stderr);
    assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
    // Long enough for several threads, if there were any.
    let many = "1\n".repeat(1 << 20);
    let done = limited(&f, 1_500_000, "2", &["scan", "-"], &many);
    assert!(done.code == Some(0) && done.stdout.ends_with(b"\n1048576\n"), "{}", done.stderr);
}

#[test]
fn a_number_of_threads_that_is_none() {
    let f = Folder::new();
    for (threads, note) in [
        ("abc", "RAYON_NUM_THREADS is `abc`, which is no number of threads"),
        ("-1", "RAYON_NUM_THREADS is `-1`"),
        ("1.5", "RAYON_NUM_THREADS is `1.5`"),
        ("", ""),
        ("0", ""),
        ("2", ""),
    ] {
        let output = f.command(&["devices"]).env("RAYON_NUM_THREADS", threads).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && output.stdout.starts_with(b"cpu "), "{said}");
        assert!(said.contains(note) && said.lines().count() == usize::from(!note.is_empty()), "{threads}: {said}");
    }
}
