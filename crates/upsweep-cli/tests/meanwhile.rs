//! Tests of events during a run: signals, and changes of files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]
#![cfg(target_os = "linux")]

mod support;
use nix::sys::signal::Signal::{self, SIGCONT, SIGHUP, SIGINT, SIGKILL, SIGSTOP, SIGTERM};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use support::{Done, Folder, npy, numbers};

/// Sends a signal; a program that has ended does not mind.
fn send(child: &Child, signal: Signal) {
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.id() as i32), signal);
}

/// Exit status of the program, which must end soon.
fn end_of(child: &mut Child) -> ExitStatus {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(60) {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    panic!("the program did not end");
}

/// Open files of the program: descriptors and their targets.
fn open_files(child: &Child) -> Vec<(PathBuf, PathBuf)> {
    let open = std::fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().flatten();
    open.filter_map(|entry| Some((entry.path(), std::fs::read_link(entry.path()).ok()?))).collect()
}

/// Runs `script` in `sh`, which has the program as $0.
fn sh(f: &Folder, script: &str) -> Child {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // The parent of the tests may ignore these signals, and children inherit that.
        // SAFETY: the default action runs no handler in this process.
        unsafe { nix::sys::signal::signal(signal, nix::sys::signal::SigHandler::SigDfl) }.unwrap();
    }
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_upsweep")]).current_dir(f.path("")).stdout(Stdio::null());
    command.spawn().unwrap()
}

/// Starts a run that writes `out.csv` for some time, and waits until it writes.
fn writing(f: &Folder, script: &str) -> Child {
    f.file("t.csv", format!("a\n{}", numbers(300_000))).file("out.csv", "as it was");
    let folder = f.path("").canonicalize().unwrap();
    let mut child = sh(f, script);
    let is_unfinished = |to: PathBuf| {
        let name = to.file_name().unwrap_or_default().to_string_lossy();
        to.starts_with(&folder) && (name.ends_with(" (deleted)") || name.ends_with(".part"))
    };
    while child.try_wait().unwrap().is_none() {
        if open_files(&child).into_iter().any(|(_, to)| is_unfinished(to)) {
            break;
        }
    }
    child
}

#[test]
fn a_signal_ends_the_program_and_leaves_nothing() {
    let f = Folder::new();
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGKILL] {
        let mut child = writing(&f, "exec $0 scan t.csv -o out.csv");
        send(&child, signal);
        let status = child.wait().unwrap();
        assert_eq!((status.signal(), f.read("out.csv")), (Some(signal as i32), b"as it was".to_vec()), "{signal}");
        assert_eq!(f.names(), ["out.csv", "t.csv"], "{signal}");
    }
    // Threads that write at places of their own end as one does.
    f.file("x.npy", npy("'<f8'", "(4000000,)", &vec![0; 32_000_000]));
    // The limit of addresses makes the sort one of runs.
    let sort = "ulimit -v 131072; exec $0 sort x.npy --device cpu -o out.npy";
    let commands = ["exec $0 scan x.npy --device cpu -o out.npy", sort];
    for (signal, command) in
        [SIGINT, SIGTERM, SIGHUP, SIGKILL].into_iter().flat_map(|signal| commands.map(|of| (signal, of)))
    {
        let mut child = writing(&f, command);
        send(&child, signal);
        let status = child.wait().unwrap();
        let is_there = f.path("out.npy").exists();
        let ended = (status.signal(), status.code());
        assert_eq!(ended, if is_there { (None, Some(0)) } else { (Some(signal as i32), None) }, "{signal}");
        let _ = std::fs::remove_file(f.path("out.npy"));
        assert_eq!(f.names(), ["out.csv", "t.csv", "x.npy"], "{signal}");
    }
    // Signals that were ignored when the program began stay ignored, also while it puts the file in its place.
    let mut child = writing(&f, "trap '' INT TERM HUP; exec $0 scan t.csv -o out.csv");
    for _ in 0..100 {
        [SIGINT, SIGTERM, SIGHUP].iter().for_each(|&signal| send(&child, signal));
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(f.read("out.csv").ends_with(b"\n299999,44999850000\n"));
}

/// Once the first of two files is in its place, signals have handlers, which must act like the default.
#[test]
fn signals_after_the_first_of_two_files() {
    let f = Folder::new();
    assert!(Command::new("mkfifo").arg(f.path("pipe")).status().unwrap().success());
    let blocked = |traps: &str| {
        let script = format!("{traps} exec $0 lab show blelloch --n 4 --svg a.svg --html pipe");
        let child = sh(&f, &script);
        // The program waits for a reader of the pipe.
        while !f.path("a.svg").exists() {
            std::thread::yield_now();
        }
        child
    };
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let mut child = blocked("");
        send(&child, signal);
        assert_eq!(end_of(&mut child).signal(), Some(signal as i32), "{signal}");
        assert_eq!(f.names(), ["a.svg", "pipe"]);
        std::fs::remove_file(f.path("a.svg")).unwrap();
    }
    let mut child = blocked("trap '' HUP TERM;");
    std::thread::sleep(Duration::from_millis(20));
    [SIGHUP, SIGTERM].iter().for_each(|&signal| send(&child, signal));
    assert!(std::fs::read(f.path("pipe")).unwrap().starts_with(b"<!DOCTYPE html>"));
    assert_eq!(end_of(&mut child).code(), Some(0));
}

/// A signal either ends the program before its file is there, or comes too late.
#[test]
fn a_signal_never_comes_between_the_file_and_success() {
    let f = Folder::new();
    f.file("x.npy", npy("'|u1'", "(2,)", &[1, 2]));
    for _ in 0..150 {
        let mut child = f.command(&["scan", "x.npy", "--device", "cpu", "-o", "out.npy"]).spawn().unwrap();
        // As early as a file can be seen.
        while !f.path("out.npy").exists() && child.try_wait().unwrap().is_none() {}
        send(&child, SIGINT);
        let status = child.wait().unwrap();
        let is_there = f.path("out.npy").exists();
        assert_eq!((status.signal(), status.code()), if is_there { (None, Some(0)) } else { (Some(2), None) });
        let _ = std::fs::remove_file(f.path("out.npy"));
    }
}

/// Runs the program and stops it after it has read a part of `name`. `change` then changes the end of that file.
fn change_while_it_reads(f: &Folder, args: &[&str], name: &str, change: impl Fn(&std::fs::File)) -> Option<Done> {
    let size = f.path(name).metadata().unwrap().len();
    let mut child = f.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Bytes that all reads have returned so far. Some thousand are of other files. The position in the file itself stays
    // where it is when threads read at places of their own.
    let read = |child: &Child| -> Option<u64> {
        let told = std::fs::read_to_string(format!("/proc/{}/io", child.id())).ok()?;
        told.lines().find_map(|line| line.strip_prefix("rchar:"))?.trim().parse().ok()
    };
    while child.try_wait().unwrap().is_none() {
        if read(&child).is_some_and(|read| read > 200_000 && read < size / 2) {
            send(&child, SIGSTOP);
            let reads = read(&child).is_some_and(|read| read < size / 4 * 3);
            if reads {
                change(&std::fs::File::options().write(true).open(f.path(name)).unwrap());
            }
            send(&child, SIGCONT);
            let output = child.wait_with_output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            return reads.then_some(Done { code: output.status.code(), stdout: output.stdout, stderr });
        }
    }
    None
}

#[test]
fn a_file_that_changes_while_it_is_read() {
    use std::io::{Seek, SeekFrom, Write};
    let f = Folder::new();
    let cut = |file: &std::fs::File| file.set_len(file.metadata().unwrap().len() - 4).unwrap();
    let append = |mut file: &std::fs::File| {
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"12345678").unwrap();
    };
    let overwrite = |mut file: &std::fs::File| file.write_all(b"9").unwrap();
    let changes: [(&str, &dyn Fn(&std::fs::File)); 3] = [("cut", &cut), ("append", &append), ("overwrite", &overwrite)];
    let (table, data) = (["123456"; 500_000].join("\n"), vec![0; 1 << 25]);
    let array = npy("'|u1'", &format!("({},)", data.len()), &data);
    let matrix = npy("'|u1'", &format!("({}, 4096)", data.len() / 4096), &data);
    for (what, change) in changes {
        for (name, bytes, args) in [
            ("t.csv", table.as_bytes(), &["reduce", "t.csv"][..]),
            ("t.csv", table.as_bytes(), &["scan", "t.csv", "-o", "out.csv"]),
            ("x.npy", &array, &["reduce", "x.npy"]),
            ("x.bin", &data, &["reduce", "x.bin", "--type", "u8"]),
            ("x.npy", &array, &["scan", "x.npy", "--op", "max", "--device", "cpu", "-o", "out.npy"]),
            ("x.npy", &array, &["scan", "x.npy", "--reverse", "--op", "max", "--device", "cpu", "-o", "out.npy"]),
            ("x.npy", &matrix, &["scan", "x.npy", "--axis", "1", "--op", "max", "--device", "cpu", "-o", "out.npy"]),
            ("x.npy", &matrix, &["reduce", "x.npy", "--axis", "0", "--device", "cpu", "-o", "out.npy"]),
            ("x.npy", &array, &["sort", "x.npy", "--device", "cpu", "-o", "out.npy"]),
            ("x.npy", &array, &["select", "x.npy", "--where", "x < 9", "--device", "cpu", "-o", "out.npy"]),
            ("x.npy", &array, &["runs", "x.npy"]),
            ("x.npy", &array, &["unique", "x.npy", "-o", "out.npy"]),
            ("x.npy", &array, &["histogram", "x.npy", "--range", "0", "9"]),
        ] {
            // A machine under load may let the program read everything before it is stopped. Then it has an output.
            let done = (0..20).find_map(|_| {
                ["out.csv", "out.npy"].iter().for_each(|out| drop(std::fs::remove_file(f.path(out))));
                change_while_it_reads(f.file(name, bytes), args, name, change)
            });
            let Some(done) = done else { panic!("{args:?} always was too fast") };
            assert_eq!((done.code, &*done.stdout), (Some(1), &b""[..]), "{what} {args:?}: {}", done.stderr);
            assert_eq!(done.stderr, format!("upsweep: {name}: the file changed while it was read\n"), "{what}");
            assert!(!f.path("out.csv").exists() && !f.path("out.npy").exists());
        }
    }
}
