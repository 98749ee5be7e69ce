//! Tests of the system's limits: without memory or threads, the program says so and ends in order.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![cfg(target_os = "linux")]

mod support;
use std::process::{Command, Stdio};
use support::{Done, Folder, npy};

/// Runs with `kib` KiB of address space and this `RAYON_NUM_THREADS`; each thread takes a GiB.
fn limited(f: &Folder, kib: u32, threads: &str, args: &[&str], input: &str) -> Done {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {kib}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_upsweep")]);
    let stdin = std::fs::File::open(f.file("stdin", input).path("stdin")).unwrap();
    command.args(args).args(["--device", "cpu"]).current_dir(f.path("")).env("RAYON_NUM_THREADS", threads);
    // Stack size of a thread in bytes, which the limit of addresses leaves no room for.
    command.env("RUST_MIN_STACK", (1 << 30).to_string());
    let output = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    Done { code: output.status.code(), stdout: output.stdout, stderr: String::from_utf8(output.stderr).unwrap() }
}

#[test]
fn no_memory_for_text() {
    let f = Folder::new();
    // Twice 48 MiB of values.
    let many = "1\n".repeat(6 << 20);
    f.file("t.csv", format!("a\n{many}")).file("keys.csv", "k,1\n".repeat(6 << 20));
    for args in [
        &["scan", "-", "-o", "out.npy"][..],
        &["scan", "-", "--type", "f64", "-o", "out.npy"],
        &["scan", "t.csv", "--reverse", "-o", "out.csv"],
    ] {
        let input = if args[1] == "-" { &many } else { "" };
        // The program, 64 MiB that the C library sets aside for a thread's small allocations, and some values.
        let done = limited(&f, 140_000 + (1 << 20), "1", args, input);
        assert_eq!(done.code, Some(1), "{args:?}: {}", done.stderr);
        assert!(
            done.stderr.starts_with("upsweep: ") && done.stderr.contains(": not enough memory for its "),
            "{}",
            done.stderr
        );
        assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
        assert_eq!(f.names(), ["keys.csv", "stdin", "t.csv"]);
    }
    // What is answered as it comes needs no memory for all of it, nor do the rows of a table.
    for (args, lines) in [
        (&["scan", "-"][..], 6 << 20),
        (&["select", "-", "--where", "x > 0"], 6 << 20),
        (&["scan", "-", "--format", "csv", "--header", "no"], 6 << 20),
        (&["scan", "t.csv"], (6 << 20) + 1),
        (&["scan", "keys.csv", "--by-key", "1"], 6 << 20),
        (&["reduce", "keys.csv", "--by-key", "1"], 1),
        (&["reduce", "-"], 1),
    ] {
        let done = limited(&f, 140_000 + (1 << 20), "1", args, &many);
        assert_eq!((done.code, &*done.stderr), (Some(0), ""), "{args:?}");
        assert_eq!(done.stdout.iter().filter(|&&byte| byte == b'\n').count(), lines, "{args:?}");
    }
}

/// Threads allocate before their code runs, and end the program if there is no memory: so they are not started. The
/// limits go from those with which the program starts to those with which all threads do.
#[test]
fn no_memory_for_threads() {
    let f = Folder::new();
    f.file("x.npy", npy("'<u4'", "(4,)", &[0; 16]));
    let run = |kib: u32| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {kib}; exec \"$0\" sort x.npy"), env!("CARGO_BIN_EXE_upsweep")]);
        command.current_dir(f.path("")).env("RAYON_NUM_THREADS", "4");
        let output = command.stdin(Stdio::null()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let starts = |said: &str| said.starts_with("upsweep: not enough memory: to start takes ");
    let least = (10_000..).step_by(1000).find(|&kib| starts(&run(kib).1)).unwrap();
    let mut codes = vec![];
    for kib in (least..least + 40_000).step_by(96) {
        let (code, said) = run(kib);
        let known = said.is_empty() || said.lines().all(|line| line.starts_with("upsweep: "));
        assert!(matches!(code, Some(0 | 1)) && known, "{kib} KiB: {code:?}: {said}");
        codes.push(code);
    }
    assert!(codes[0] == Some(1) && codes.ends_with(&[Some(0)]), "{codes:?}");
}

/// Calls whose memory grows with the input, of all kinds of commands and files.
const HUNGRY: &[&str] = &[
    "sort lines.npy --argsort -o out.npy",
    "signal smooth lines.npy --axis 1 --span 3 -o out.npy",
    "signal filter lines.npy --axis 0 --b 1,1 --a 1,-0.5 --both-ways -o out.npy",
    "top lines.npy -k 100000 --indices -o out.npy",
    "histogram bytes.npy --bins 1000000 -o out.npy",
    "sort table.csv --column b -o out.csv",
    "reduce table.csv --column a --group-by a -o out.csv",
    "reduce lines.npy --op sum,mean -o out.csv",
    "tree depth parents.npy -o out.npy",
    "tree sum parents.npy --values parents.npy -o out.npy",
    "graph csr edges.csv --offsets out.npy",
    "graph pagerank edges.csv",
    "image blur image.npy --sigma 3 -o out.npy",
    "image threshold image.npy --radius 4 -o out.npy",
    "image mipmap image.npy --level 1 -o out.npy",
    "terrain shade image.npy -o out.npy",
    "terrain viewshed image.npy --from 3,3 -o out.npy",
    "text lex table.csv --grammar csv --count",
    "lab book --out out",
];

#[test]
fn little_memory() {
    let f = Folder::new();
    f.file(
        "table.csv",
        "a,b\n".to_owned() + &(0..200_000).map(|k| format!("{k},key {}\n", k % 1000)).collect::<String>(),
    );
    f.file("edges.csv", (0..200_000).map(|k| format!("{k},{}\n", k / 2)).collect::<String>());
    for (name, descr, shape, bytes) in [
        ("lines.npy", "'<f8'", "(200000, 10)", 16_000_000),
        ("bytes.npy", "'|u1'", "(8000000,)", 8_000_000),
        ("parents.npy", "'<u4'", "(1000000,)", 4_000_000),
        ("image.npy", "'<f4'", "(1000, 1000)", 4_000_000),
    ] {
        f.file(name, npy(descr, shape, &vec![0; bytes]));
    }
    let before = f.names();
    let run = |kib: u32, args: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {kib}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_upsweep")]);
        command.args(args).current_dir(f.path("")).env("RAYON_NUM_THREADS", "2");
        let output = command.stdin(Stdio::null()).output().unwrap();
        Done { code: output.status.code(), stdout: output.stdout, stderr: String::from_utf8(output.stderr).unwrap() }
    };
    // With less than this the system cannot start the program at all.
    let least = (10_000..).step_by(2000).find(|&kib| run(kib, &["--version"]).code == Some(0)).unwrap();
    for command in HUNGRY {
        let args: Vec<&str> = command.split(' ').collect();
        let mut codes = vec![];
        for kib in (least..).step_by(16_000) {
            let done = run(kib, &args);
            let words =
                done.stderr.lines().filter(|line| !line.starts_with("upsweep: note: the CPU's threads do not start ("));
            let words = words.collect::<Vec<_>>();
            match done.code {
                Some(0) => assert!(words.is_empty(), "{command} with {kib} KiB: {}", done.stderr),
                Some(1) => {
                    let said = matches!(&words[..], [one] if one.starts_with("upsweep: ") && one.contains("not enough memory"));
                    assert!(said, "{command} with {kib} KiB: {}", done.stderr);
                }
                _ => panic!("{command} with {kib} KiB: {done:?}"),
            }
            let made = f.names().iter().filter(|&name| !before.contains(name)).cloned().collect::<Vec<_>>();
            assert!(done.code == Some(0) || made.is_empty(), "{command} with {kib} KiB left {made:?}");
            made.iter().map(|name| f.path(name)).for_each(|made| {
                if made.is_dir() { std::fs::remove_dir_all(made) } else { std::fs::remove_file(made) }.unwrap()
            });
            codes.push(done.code);
            if done.code == Some(0) {
                break;
            }
        }
        assert!(codes.len() > 1, "{command} needs no memory");
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
