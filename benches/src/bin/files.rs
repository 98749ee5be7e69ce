//! Scans and reductions of .npy files by the command line, beside copies and reads of the same files by as many threads,
//! beside `cp`, and beside NumPy if Python has it. Files are in the page cache before and after.
//!
//! ```text
//! cargo build --release -p upsweep-cli
//! TMPDIR=/dev/shm cargo run --release -p upsweep-bench --bin files -- --sizes 29,31 --out FILE
//! ```
//!
//! A row has the median of five runs, in which the contestants take turns. The files are in the folder for temporary
//! files: two of 4 bytes times 2^size, of f32 and then of i64. A share is that of the parallel copy for what writes a file, of the
//! parallel read for reductions. Times of programs include their start.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use upsweep_bench::{Options, Outcome, Record, Row, exit_code, machine, median};

/// Number of turns.
const TURNS: usize = 5;
/// Bytes that a thread copies or reads at once: few enough for its core's cache.
const CHUNK: usize = 1 << 20;

/// Scan and reduction in NumPy, by the names of the input and the output.
const NUMPY_SCAN: &str = "import sys, numpy as np; x = np.load(sys.argv[1], mmap_mode='r'); \
    o = np.lib.format.open_memmap(sys.argv[2], 'w+', x.dtype, x.shape); np.cumsum(x, out=o)";
const NUMPY_REDUCE: &str = "import sys, numpy as np; print(np.load(sys.argv[1], mmap_mode='r').sum())";

fn main() -> ExitCode {
    exit_code(run())
}

fn run() -> Outcome {
    let options = Options::parse(std::env::args().skip(1))?;
    let program = std::env::current_exe()?.with_file_name("upsweep");
    if !program.exists() {
        return Err(format!("{}: build it first: cargo build --release -p upsweep-cli", program.display()).into());
    }
    let mut record = Record::create(&options, &machine(), "")?;
    let folder = Folder::new()?;
    for log2n in options.sizes(&[29, 31], &[26]) {
        for (ty, descr, bytes) in [("f32", "<f4", 4), ("i64", "<i8", 8)] {
            let len = (4 << log2n) / bytes;
            write_input(&folder.path("x.npy"), descr, bytes, len)?;
            measure(&options, &mut record, (&folder, &program), (ty, len.ilog2()))?;
        }
    }
    Ok(())
}

/// Folder for the files, which is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Outcome<Self> {
        let path = std::env::temp_dir().join(format!("upsweep-files-{}", std::process::id()));
        fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(path))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Contestant: its library and work, whether it writes a file, and the run.
type Contestant<'a> = (&'a str, &'a str, bool, Box<dyn Fn() -> Outcome + 'a>);

fn measure(
    options: &Options,
    record: &mut Record,
    (folder, program): (&Folder, &Path),
    (ty, log2n): (&str, u32),
) -> Outcome {
    let (x, y) = (&folder.path("x.npy"), &folder.path("y.npy"));
    let threads = rayon::current_num_threads();
    let ours = |args: &[&str]| {
        let mut command = Command::new(program);
        command.arg(args[0]).arg(x).args(["--device", "cpu"]).args(&args[1..]);
        command
    };
    let python = |text: &str| {
        let mut command = Command::new("python3");
        command.args(["-c", text]).args([x, y]);
        command
    };
    let scan = || run_to_end(ours(&["scan"]).arg("-o").arg(y));
    let mut contestants: Vec<Contestant<'_>> = vec![
        ("copy", "parallel_copy", true, Box::new(|| each_chunk(x, Some(y), threads))),
        ("copy", "cp", true, Box::new(|| run_to_end(Command::new("cp").args(["--reflink=never"]).args([x, y])))),
        ("upsweep", "scan_file", true, Box::new(scan)),
        ("copy", "parallel_read", false, Box::new(|| each_chunk(x, None, threads))),
        ("upsweep", "reduce_file", false, Box::new(|| run_to_end(&mut ours(&["reduce"])))),
    ];
    if run_to_end(Command::new("python3").args(["-c", "import numpy"]).stderr(Stdio::null())).is_ok() {
        contestants.push(("numpy", "scan_file", true, Box::new(|| run_to_end(&mut python(NUMPY_SCAN)))));
        contestants.push(("numpy", "reduce_file", false, Box::new(|| run_to_end(&mut python(NUMPY_REDUCE)))));
    }
    let mut times = vec![Vec::new(); contestants.len()];
    // The first turn, which is not counted, brings the file and the programs into memory.
    for turn in 0..=TURNS {
        for ((_, _, _, work), times) in contestants.iter().zip(&mut times) {
            let _ = fs::remove_file(y);
            let begin = Instant::now();
            work()?;
            if turn > 0 {
                times.push(begin.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
    let _ = fs::remove_file(y);
    let size = fs::metadata(x)?.len() as f64;
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    for ((lib, algo, writes, _), &micros) in contestants.iter().zip(&medians) {
        let (bytes, copy) = if *writes { (2.0 * size, medians[0]) } else { (size, medians[3]) };
        let copy_gbps = bytes / copy / 1e3;
        if options.wants(algo, ty) {
            record.row(&Row { lib, algo, ty, log2n, micros, bytes, copy_gbps, enqueue_micros: None })?;
        }
    }
    Ok(())
}

fn run_to_end(command: &mut Command) -> Outcome {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

/// Writes a .npy file of small numbers, which sums of i64 hold.
fn write_input(path: &Path, descr: &str, bytes: usize, len: usize) -> Outcome {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len},), }}");
    header.extend(std::iter::repeat_n(' ', 117 - header.len()));
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(b"\x93NUMPY\x01\x00\x76\x00")?;
    writeln!(out, "{header}")?;
    let numbers = (0..1u64 << 16).map(|k| k * 40_503 % 65_536);
    let block: Vec<u8> = match bytes {
        4 => numbers.flat_map(|k| (k as f32 / 65_536.0).to_le_bytes()).collect(),
        _ => numbers.flat_map(u64::to_le_bytes).collect(),
    };
    let mut rest = bytes * len;
    while rest > 0 {
        let part = rest.min(block.len());
        out.write_all(&block[..part])?;
        rest -= part;
    }
    out.flush()?;
    Ok(())
}

/// Reads a file in chunks by several threads, and writes them to `to`, if there is one.
#[cfg(unix)]
fn each_chunk(from: &Path, to: Option<&Path>, threads: usize) -> Outcome {
    use std::os::unix::fs::FileExt;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let from = File::open(from)?;
    let (len, to) = (from.metadata()?.len() as usize, to.map(File::create).transpose()?);
    let next = AtomicUsize::new(0);
    let work = || -> std::io::Result<()> {
        let mut bytes = vec![0; CHUNK];
        loop {
            let at = next.fetch_add(CHUNK, Ordering::Relaxed);
            if at >= len {
                return Ok(());
            }
            let bytes = &mut bytes[..CHUNK.min(len - at)];
            from.read_exact_at(bytes, at as u64)?;
            if let Some(to) = &to {
                to.write_all_at(bytes, at as u64)?;
            }
        }
    };
    let done: Vec<_> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        started.into_iter().map(|thread| thread.join().unwrap_or(Ok(()))).collect()
    });
    done.into_iter().collect::<std::io::Result<()>>()?;
    Ok(())
}

#[cfg(not(unix))]
fn each_chunk(_: &Path, _: Option<&Path>, _: usize) -> Outcome {
    Err("files are measured on Unix alone".into())
}
