//! Tests of memory: big files need no second copy in memory.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(target_os = "linux")]

mod support;
use nix::sys::resource::{UsageWho, getrusage};
use std::fs::File;
use std::io::{BufWriter, Write};
use support::{Folder, npy};

/// Peak memory, in bytes, over all programs that this test has run so far.
fn peak() -> f64 {
    getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() as f64 * 1024.0
}

/// Creates a file of `header` and `len` zeros. This process stays small: its own memory at the start of a program
/// counts as the program's.
fn zeros(f: &Folder, name: &str, header: &[u8], len: usize) {
    f.file(name, header);
    File::options().write(true).open(f.path(name)).unwrap().set_len((header.len() + len) as u64).unwrap();
}

/// One test with growing inputs, because the peak is that of all runs before.
#[test]
fn one_copy_and_a_little() {
    const LEN: usize = 8 << 20;
    const MIB: f64 = 1048576.0;
    let f = Folder::new();
    f.file("small.npy", npy("'|u1'", "(1,)", &[1]));
    f.prints(&["scan", "small.npy", "--device", "cpu", "-o", "out.npy"]);
    // Code, stacks and buffers, whatever the data.
    let fixed = peak();
    assert!(fixed < 40.0 * MIB, "{fixed}");

    // A table: some rows, never the whole column.
    let mut table = BufWriter::new(File::create(f.path("big.csv")).unwrap());
    (0..LEN / 4).for_each(|k| writeln!(table, "{k}.25,some text that is as long as this").unwrap());
    table.into_inner().unwrap();
    f.prints(&["scan", "big.csv", "--device", "cpu", "-o", "out.csv"]);
    let column = (LEN / 4 * 8) as f64;
    assert!(f.path("big.csv").metadata().unwrap().len() as f64 > 4.0 * column);
    assert!(peak() - fixed < 0.5 * column, "{} for a column of {column}", peak() - fixed);

    // Order statistics of bytes: one copy, and a few values.
    zeros(&f, "bytes.npy", &npy("'|u1'", &format!("({LEN},)"), &[]), LEN);
    f.prints(&["quantile", "bytes.npy", "--device", "cpu"]);
    f.prints(&["median", "bytes.npy", "--device", "cpu"]);
    f.prints(&["top", "bytes.npy", "--device", "cpu"]);
    assert!(peak() - fixed < 1.6 * LEN as f64, "{} for {LEN} bytes", peak() - fixed);

    // Sums of bytes in 8 bytes each: converted block by block.
    f.prints(&["reduce", "bytes.npy", "--device", "cpu"]);
    assert!(peak() - fixed < 2.0 * LEN as f64, "{} for {LEN}", peak() - fixed);

    // Scans of bytes in 8 bytes each: the widened array alone.
    f.prints(&["scan", "bytes.npy", "--type", "u64", "--device", "cpu", "-o", "out.npy"]);
    f.prints(&["scan", "bytes.npy", "--device", "cpu", "-o", "out.npy"]);
    let data = (8 * LEN) as f64;
    assert!(peak() - fixed < 1.2 * data, "{} for {data}", peak() - fixed);

    // An array of doubles: one copy, also raw.
    zeros(&f, "doubles.npy", &npy("'<f8'", &format!("({LEN},)"), &[]), 8 * LEN);
    zeros(&f, "doubles.raw", &[], 8 * LEN);
    f.prints(&["scan", "doubles.npy", "--device", "cpu", "-o", "out.npy"]);
    f.prints(&["scan", "doubles.raw", "--type", "f64", "--device", "cpu", "-o", "out.raw"]);
    f.prints(&["reduce", "doubles.npy", "--device", "cpu"]);
    assert!(peak() - fixed < 1.2 * data, "{} for {data}", peak() - fixed);
}
