//! Tests of every way in which a file is written: 200 runs that are killed at random times, and a full disk. An output is what it was,
//! or the whole result, and nothing else is left.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![cfg(target_os = "linux")]

mod support;
use nix::sys::signal::Signal::{self, SIGINT, SIGKILL, SIGTERM};
use std::collections::BTreeMap;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Folder, Random, npy};

/// Number of runs that are killed.
const RUNS: usize = 200;
/// What is in each output before a run.
const OLD: &[u8] = b"as it was";

/// Commands, each with its outputs. `ulimit` makes a sort one of runs on the disk.
const COMMANDS: &[(&str, &[&str])] = &[
    ("$0 scan x.npy -o y.npy", &["y.npy"]),
    ("$0 scan x.npy -o y.npy --carry-out c", &["y.npy", "c"]),
    ("$0 scan t.csv --column n -o y.csv", &["y.csv"]),
    ("$0 scan x.npy -o y.npy.gz", &["y.npy.gz"]),
    ("$0 scan x.npy -o y.npy.zst", &["y.npy.zst"]),
    ("$0 select x.npy --where 'x % 3 == 0' -o y.npy", &["y.npy"]),
    ("$0 select t.csv --where 'n % 7 > 1' -o y.csv", &["y.csv"]),
    ("$0 sort x.npy --device cpu -o y.npy", &["y.npy"]),
    ("ulimit -v 140000; $0 sort x.npy --device cpu -o y.npy 2>/dev/null", &["y.npy"]),
    ("$0 sort t.csv --column n --desc --device cpu -o y.csv", &["y.csv"]),
    ("$0 unique x.npy --counts n.npy -o y.npy", &["y.npy", "n.npy"]),
    ("$0 runs x.npy --lengths n.npy -o y.npy", &["y.npy", "n.npy"]),
    ("$0 signal filter x.npy --b 1,1 -o y.npy", &["y.npy"]),
    ("$0 image integral i.npy -o y.npy", &["y.npy"]),
];

fn with_files() -> Folder {
    let f = Folder::new();
    let x: Vec<u8> = (0..400_000u32).flat_map(|k| (k.wrapping_mul(2_654_435_761) >> 12).to_le_bytes()).collect();
    f.file("x.npy", npy("'<u4'", "(400000,)", &x)).file("i.npy", npy("'|u1'", "(500, 500)", &x[..250_000]));
    let rows: String = (0..20_000u32).map(|k| format!("{},{k}\n", k.wrapping_mul(2_654_435_761) >> 9)).collect();
    f.file("t.csv", format!("n,m\n{rows}"));
    f
}

fn start(f: &Folder, before: &str, script: &str) -> Child {
    let mut command = Command::new("sh");
    // One process, so that a signal meets the program.
    let script = format!("{before} {}", script.replace("$0", "exec $0"));
    command.args(["-c", &script, env!("CARGO_BIN_EXE_upsweep")]).current_dir(f.path(""));
    command.env("RAYON_NUM_THREADS", "2").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    // SAFETY: `signal` may be called between fork and exec, and the default action runs no handler.
    unsafe {
        command.pre_exec(|| {
            for signal in [SIGINT, SIGTERM] {
                nix::sys::signal::signal(signal, nix::sys::signal::SigHandler::SigDfl)?;
            }
            Ok(())
        });
    }
    command.spawn().unwrap()
}

/// Files of the folder, with their contents.
fn contents(f: &Folder) -> BTreeMap<String, Vec<u8>> {
    f.names().into_iter().map(|name| (name.clone(), f.read(&name))).collect()
}

/// Puts old outputs in their places.
fn renew(f: &Folder, outputs: &[&str]) {
    outputs.iter().for_each(|output| _ = f.file(output, OLD));
}

#[test]
fn killed_at_any_time() {
    let kills = |thread: usize| {
        let (f, mut random, mut counts) = (with_files(), Random(thread as u64), [0usize; 2]);
        for (script, outputs) in COMMANDS.iter().skip(thread % 2).step_by(2) {
            renew(&f, outputs);
            let before = contents(&f);
            let begun = Instant::now();
            assert!(start(&f, "", script).wait().unwrap().success(), "{script}");
            let (time, whole) = (begun.elapsed(), contents(&f));
            assert!(before.keys().eq(whole.keys()) && outputs.iter().all(|output| whole[*output] != OLD), "{script}");
            for _ in 0..RUNS / COMMANDS.len() + 1 {
                renew(&f, outputs);
                let signal = [SIGKILL, SIGKILL, SIGINT, SIGTERM][random.below(4)];
                let mut child = start(&f, "", script);
                std::thread::sleep(time.mul_f64(random.below(1100) as f64 / 1000.0));
                send(&child, signal);
                let status = child.wait().unwrap();
                let mut after = contents(&f);
                if status.signal() == Some(SIGKILL as i32) {
                    // Killed between the two steps that put a whole file in its place.
                    let left: Vec<_> = after.keys().filter(|name| name.ends_with(".part")).cloned().collect();
                    for name in left {
                        let content = after.remove(&name).unwrap();
                        let target = |output: &&&str| name.starts_with(&format!(".{output}.upsweep-"));
                        let target = outputs.iter().find(target).unwrap_or_else(|| panic!("{script}: {name}"));
                        assert!(content == whole[*target], "{script}: {name}");
                        std::fs::remove_file(f.path(&name)).unwrap();
                    }
                }
                assert!(after.keys().eq(before.keys()), "{script}: {:?}", after.keys());
                for (name, content) in &after {
                    let is_whole = *content == whole[name];
                    assert!(is_whole || status.code() != Some(0) && *content == before[name], "{script}: {name}");
                }
                assert!(matches!((status.code(), status.signal()), (Some(0), _) | (_, Some(_))), "{script}: {status}");
                counts[usize::from(status.signal().is_some())] += 1;
            }
            outputs.iter().for_each(|output| std::fs::remove_file(f.path(output)).unwrap());
        }
        counts
    };
    let [done, killed] = std::thread::scope(|scope| {
        let other = scope.spawn(|| kills(1));
        let (one, other) = (kills(0), other.join().unwrap());
        [one[0] + other[0], one[1] + other[1]]
    });
    println!("{} runs, {killed} of them killed before they were done", done + killed);
    assert!(done + killed >= RUNS && killed > RUNS / 4, "{done} {killed}");
}

/// Sends a signal; a program that has ended does not mind.
fn send(child: &Child, signal: Signal) {
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.id() as i32), signal);
}

/// The limit of a file's size stands for a full disk.
#[test]
fn a_full_disk() {
    let f = with_files();
    for (script, outputs) in COMMANDS {
        renew(&f, outputs);
        let before = contents(&f);
        let begun = Instant::now();
        let output = start(&f, "trap '' XFSZ; ulimit -f 40;", script).wait_with_output().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(60));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{script}: {said}");
        // The script of the limited sort drops notes about threads.
        let is_told = said.starts_with("upsweep: ") && said.ends_with(": writing failed: file too large\n");
        assert!(is_told || script.contains("2>"), "{script}: {said}");
        assert!(contents(&f) == before, "{script}");
        outputs.iter().for_each(|output| std::fs::remove_file(f.path(output)).unwrap());
    }
}
