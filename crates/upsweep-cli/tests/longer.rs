//! Tests of arrays longer than memory: each command whose state is bounded, and a sort, within a limit of addresses, against
//! closed formulas. The short test is within the least in which the program computes, the long one in a quarter of the file.
//!
//! `cargo test --release -p upsweep-cli --test longer -- --ignored --nocapture` takes files of 4 GiB and tells the peaks.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![cfg(target_os = "linux")]

mod support;
use nix::sys::resource::{UsageWho, getrusage};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::{Command, Output};
use support::{Folder, npy, npy_dictionary};

/// Odd, so that its multiples modulo a power of two are all numbers below that, in no order.
const FACTOR: u64 = 2_654_435_761;
/// Number of values that are written or compared at once.
const BLOCK: usize = 1 << 16;

/// Runs the program on two threads with `kib` KiB of address space, after the shell's commands `before`.
fn limited(f: &Folder, kib: usize, before: &str, args: &str) -> Output {
    let mut command = Command::new("sh");
    let script = format!("{before} ulimit -v {kib}; exec \"$0\" {args} --device cpu");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_upsweep")]).current_dir(f.path(""));
    // The C library sets addresses aside for each arena, of which it makes more when threads are in each other's way.
    command.env("RAYON_NUM_THREADS", "2").env("MALLOC_ARENA_MAX", "1").output().unwrap()
}

/// Header of `x.npy`, of the same length for each shape.
fn header(shape: &str) -> Vec<u8> {
    npy_dictionary(
        1,
        &format!("{:<100}", format!("{{'descr': '<u4', 'fortran_order': False, 'shape': {shape}, }}")),
        &[],
    )
}

/// Writes the numbers below `n`, a power of two, in no order, to `x.npy`.
fn mixed(f: &Folder, n: u64) {
    let mut out = File::create(f.path("x.npy")).unwrap();
    out.write_all(&header(&format!("({n},)"))).unwrap();
    for start in (0..n).step_by(BLOCK) {
        let block: Vec<[u8; 4]> =
            (start..n.min(start + BLOCK as u64)).map(|i| ((i.wrapping_mul(FACTOR) % n) as u32).to_le_bytes()).collect();
        out.write_all(block.as_flattened()).unwrap();
    }
}

/// Checks that the file has these numbers of `size` bytes each behind its header, and nothing more.
#[track_caller]
fn has(f: &Folder, name: &str, size: usize, expected: impl Iterator<Item = u64>) {
    let mut file = BufReader::with_capacity(1 << 20, File::open(f.path(name)).unwrap());
    let mut start = [0; 10];
    file.read_exact(&mut start).unwrap();
    let mut header = vec![0; usize::from(u16::from_le_bytes([start[8], start[9]]))];
    file.read_exact(&mut header).unwrap();
    let (mut expected, mut begin) = (expected.peekable(), 0);
    while expected.peek().is_some() {
        // Whole blocks are compared: this program is not optimised, and has many numbers to check.
        let mut block = Vec::with_capacity(BLOCK * size);
        expected.by_ref().take(BLOCK).for_each(|number| block.extend_from_slice(&number.to_le_bytes()[..size]));
        let mut found = vec![0; block.len()];
        file.read_exact(&mut found).unwrap();
        if found != block {
            let at = found.iter().zip(&block).take_while(|(found, expected)| found == expected).count() / size;
            let number = |bytes: &[u8]| bytes[at * size..][..size].iter().rfold(0, |n, &byte| n << 8 | u64::from(byte));
            panic!("{name}: {} at {}, not {}", number(&found), begin + at, number(&block));
        }
        begin += BLOCK;
    }
    assert_eq!(file.read(&mut start).unwrap(), 0);
    std::fs::remove_file(f.path(name)).unwrap();
}

/// Runs each command on `n` numbers of four bytes, with `bytes` bytes of address space.
fn each_command(n: u64, bytes: usize) {
    let f = Folder::new();
    mixed(&f, n);
    let x = |i: u64| i.wrapping_mul(FACTOR) % n;
    let running = || (0..n).scan(0, |sum, i| Some(std::mem::replace(sum, *sum + x(i)) + x(i)));
    let run = |args: &str| {
        let done = limited(&f, bytes >> 10, "", args);
        assert!(done.status.success(), "{args}: {}", String::from_utf8_lossy(&done.stderr));
        let peak = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() >> 10;
        println!("{args}: {} MiB of values, at most {peak} MiB so far", n >> 18);
        String::from_utf8(done.stdout).unwrap()
    };
    assert_eq!(run("reduce x.npy"), format!("{}\n", n * (n - 1) / 2));
    assert_eq!(run("median x.npy"), format!("{}.5\n", n / 2 - 1));
    let place = |value| (0..n).find(|&i| x(i) == value).unwrap();
    assert_eq!(run("top x.npy -k 1"), format!("{}\t{}\n", n - 1, place(n - 1)));
    run("scan x.npy -o y.npy");
    has(&f, "y.npy", 8, running());
    run("scan x.npy --reverse -o y.npy");
    let total = n * (n - 1) / 2;
    has(&f, "y.npy", 8, std::iter::once(0).chain(running()).take(n as usize).map(|before| total - before));
    // Two long lines, or many columns.
    for [outer, len, inner] in [[2, n / 2, 1], [1, 4, n / 4]] {
        let mut file = File::options().write(true).open(f.path("x.npy")).unwrap();
        file.write_all(&header(&format!("({outer}, {len}, {inner})"))).unwrap();
        run("scan x.npy --axis 1 --op xor -o y.npy");
        let mut so_far = 0;
        has(
            &f,
            "y.npy",
            4,
            (0..n).map(|i| {
                let (row, line) = (i / inner % len, i / inner / len * len * inner + i % inner);
                so_far = if inner == 1 && row > 0 {
                    so_far ^ x(i)
                } else {
                    (0..row + 1).fold(0, |all, k| all ^ x(line + k * inner))
                };
                so_far
            }),
        );
        run("reduce x.npy --axis 1 --op max -o y.npy");
        has(
            &f,
            "y.npy",
            4,
            (0..outer * inner).map(|line| {
                let first = line / inner * len * inner + line % inner;
                (0..len).map(|k| x(first + k * inner)).max().unwrap()
            }),
        );
    }
    let mut file = File::options().write(true).open(f.path("x.npy")).unwrap();
    file.write_all(&header(&format!("({n},)"))).unwrap();
    run("select x.npy --where 'x % 4 == 1' -o y.npy");
    has(&f, "y.npy", 4, (0..n).map(x).filter(|x| x % 4 == 1));
    run("select x.npy --where 'x < 1000' --indices -o y.npy");
    has(&f, "y.npy", 8, (0..n).filter(|&i| x(i) < 1000));
    let bins = run("histogram x.npy --bins 64");
    assert!(bins.lines().count() == 64 && bins.lines().all(|line| line.ends_with(&format!("\t{}", n / 64))), "{bins}");
    // Integers below 2^53 are exact in f64, and so are their differences.
    run("signal filter x.npy --b 1,-1 -o y.npy");
    has(&f, "y.npy", 8, (0..n).map(|i| (x(i) as f64 - if i > 0 { x(i - 1) as f64 } else { 0.0 }).to_bits()));
    // No neighbours are equal, and no values.
    run("runs x.npy --lengths n.npy -o y.npy");
    has(&f, "y.npy", 4, (0..n).map(x));
    has(&f, "n.npy", 8, (0..n).map(|_| 1));
    run("unique x.npy --counts n.npy -o y.npy");
    has(&f, "y.npy", 4, 0..n);
    has(&f, "n.npy", 8, (0..n).map(|_| 1));
    run("sort x.npy -o y.npy");
    has(&f, "y.npy", 4, 0..n);
    run("sort x.npy --desc -o y.npy");
    has(&f, "y.npy", 4, (0..n).rev());
    // The same from a pipe.
    assert_eq!(run("reduce - < x.npy"), format!("{}\n", n * (n - 1) / 2));
    run("scan - -o y.npy < x.npy");
    has(&f, "y.npy", 8, running());
    run("select - --where 'x % 4 == 1' -o y.npy < x.npy");
    has(&f, "y.npy", 4, (0..n).map(x).filter(|x| x % 4 == 1));
    run("unique - -o y.npy < x.npy");
    has(&f, "y.npy", 4, 0..n);
    run("sort - -o y.npy < x.npy");
    has(&f, "y.npy", 4, 0..n);
}

#[test]
fn files_longer_than_memory() {
    each_command(1 << 24, 5 << 25);
}

#[test]
#[ignore = "takes minutes, and 20 GB on the disk of the folder for temporary files"]
fn long_files() {
    each_command(1 << 30, 1 << 30);
}

/// Checks that the file has these lines, and nothing more.
#[track_caller]
fn has_lines(f: &Folder, name: &str, expected: impl Iterator<Item = String>) {
    let mut lines = BufReader::with_capacity(1 << 20, File::open(f.path(name)).unwrap()).lines();
    for (k, expected) in expected.enumerate() {
        let found = lines.next().unwrap_or_else(|| panic!("{name} ends before line {k}")).unwrap();
        assert!(found == expected, "{name}: {found} in line {k}, not {expected}");
    }
    assert!(lines.next().is_none());
    std::fs::remove_file(f.path(name)).unwrap();
}

/// Runs each command on the columns of a table of `n` rows, with `bytes` bytes of address space.
fn each_column(n: u64, bytes: usize) {
    let f = Folder::new();
    let (x, k) = (|i: u64| i % 10, |i: u64| i / 7);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(f.path("t.csv")).unwrap());
    out.write_all(b"x,k\n").unwrap();
    (0..n).for_each(|i| writeln!(out, "{},{}", x(i), k(i)).unwrap());
    out.into_inner().unwrap();
    let run = |args: &str| {
        let done = limited(&f, bytes >> 10, "", args);
        assert!(done.status.success(), "{args}: {}", String::from_utf8_lossy(&done.stderr));
        let peak = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() >> 10;
        println!("{args}: {} MiB of values, at most {peak} MiB so far", n >> 17);
        String::from_utf8(done.stdout).unwrap()
    };
    assert_eq!(run("reduce t.csv --column x"), format!("{}\n", (0..n).map(x).sum::<u64>()));
    assert_eq!(run("reduce t.csv t.csv --column x"), format!("{}\n", 2 * (0..n).map(x).sum::<u64>()));
    let row = |i: u64, result: u64| format!("{},{},{result}", x(i), k(i));
    let names = |name: &str| std::iter::once(format!("x,k,{name}"));
    run("scan t.csv --column x -o y.csv");
    let mut sum = 0;
    has_lines(
        &f,
        "y.csv",
        names("x_sum").chain((0..n).map(|i| {
            sum += x(i);
            row(i, sum)
        })),
    );
    run("scan t.csv --column x --by-key k -o y.csv");
    has_lines(&f, "y.csv", names("x_sum").chain((0..n).map(|i| row(i, (k(i) * 7..=i).map(x).sum()))));
    run("reduce t.csv --column x --by-key k -o y.csv");
    let sums = (0..n.div_ceil(7)).map(|k| format!("{k},{}", (k * 7..n.min(k * 7 + 7)).map(x).sum::<u64>()));
    has_lines(&f, "y.csv", std::iter::once("k,x_sum".to_owned()).chain(sums));
    run("scan t.csv --column x --window 20 --op sum -o y.npy");
    has(&f, "y.npy", 8, (19..n).map(|_| 90));
    let groups = run("reduce t.csv --column k --group-by x --op sum,mean,count,min,last");
    for (x, line) in (0..10).zip(groups.lines()) {
        let (sum, count) = ((x..n).step_by(10).map(k).sum::<u64>(), (n - x).div_ceil(10));
        let (mean, last) = (sum as f64 / count as f64, k(x + (count - 1) * 10));
        assert_eq!(line, format!("{x}\t{sum}\t{mean:?}\t{count}\t{}\t{last}", k(x)));
    }
    run("runs t.csv --column k -o y.tsv");
    let runs = (0..n.div_ceil(7)).map(|k| format!("{k}\t{}", 7.min(n - 7 * k)));
    has_lines(&f, "y.tsv", std::iter::once("value\tlength".to_owned()).chain(runs));
    run("unique t.csv --column k -o y.npy");
    has(&f, "y.npy", 8, 0..n.div_ceil(7));
    let bins = run("histogram t.csv --column x --bins 10");
    let count = |i: u64| (n + 9 - i) / 10;
    assert!(bins.lines().zip(0..10).all(|(line, i)| line.ends_with(&format!("\t{}", count(i)))), "{bins}");
}

#[test]
fn tables_longer_than_memory() {
    each_column(1 << 22, 1 << 27);
}

#[test]
#[ignore = "takes minutes, and 3 GB on the disk of the folder for temporary files"]
fn long_tables() {
    each_column(1 << 27, 1 << 28);
}

/// Runs that the system does not let be written leave nothing: the limit of a file's size stands for a full disk.
#[test]
fn no_room_for_runs() {
    let f = Folder::new();
    let len = 512 << 20;
    f.file("x.npy", npy("'|u1'", &format!("({len},)"), &[])).file("y.npy", "as it was");
    let x = File::options().write(true).open(f.path("x.npy")).unwrap();
    x.set_len(x.metadata().unwrap().len() + len).unwrap();
    let done = limited(&f, 3 << 16, "trap '' XFSZ; ulimit -f 200000;", "sort x.npy -o y.npy");
    let said = String::from_utf8(done.stderr).unwrap();
    let place = f.path("").canonicalize().unwrap();
    let expected = format!("upsweep: sorted runs in {}: writing failed: file too large\n", place.display());
    // There may be no memory for a second thread, which a note says.
    assert!(done.status.code() == Some(1) && said.ends_with(&expected), "{said}");
    assert_eq!((f.names(), f.read("y.npy")), (vec!["x.npy".into(), "y.npy".into()], b"as it was".to_vec()));
}
