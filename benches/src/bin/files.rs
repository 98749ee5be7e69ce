//! Work on .npy files by the command line, beside copies and reads of the same files by as many threads, beside `cp`, and
//! beside NumPy if Python has it. Files are in the page cache before and after.
//!
//! ```text
//! cargo build --release -p upsweep-cli
//! TMPDIR=/dev/shm cargo run --release -p upsweep-bench --bin files -- --sizes 29,31 --out FILE
//! ```
//!
//! A row has the median of five runs, in which the contestants take turns. The files are in the folder for temporary
//! files: of 4 bytes times 2^size, of f32, of i64, and of u32 in no order. A share is that of the parallel copy for what
//! writes a file, of the parallel read for reductions. Times of programs include their start. `_cuda`: with `--device cuda`,
//! where there is a GPU.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use upsweep_bench::{Options, Outcome, Record, Row, exit_code, machine, median};

/// Number of turns, and with `--quick`.
const TURNS: usize = 5;
const FEW_TURNS: usize = 2;
/// Bytes that a thread copies or reads at once: few enough for its core's cache.
const CHUNK: usize = 1 << 20;

/// Scan and reduction in NumPy, by the names of the input and the output.
const NUMPY_SCAN: &str = "import sys, numpy as np; x = np.load(sys.argv[1], mmap_mode='r'); \
    o = np.lib.format.open_memmap(sys.argv[2], 'w+', x.dtype, x.shape); np.cumsum(x, out=o)";
const NUMPY_SORT: &str = "import sys, numpy as np; x = np.load(sys.argv[1]); x.sort(); np.save(sys.argv[2], x)";
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
        for (ty, descr, bytes) in [("f32", "<f4", 4), ("i64", "<i8", 8), ("u32", "<u4", 4)] {
            let input = Input { ty, descr, len: (4 << log2n) / bytes };
            measure(&options, &mut record, (&folder, &program), &input)?;
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

/// File of numbers: their type, its name in the file, and their number.
struct Input {
    ty: &'static str,
    descr: &'static str,
    len: usize,
}

/// Contestant: its library and work, whether it writes a file, and the run.
type Contestant<'a> = (&'a str, &'a str, bool, Box<dyn Fn() -> Outcome + 'a>);

fn measure(options: &Options, record: &mut Record, (folder, program): (&Folder, &Path), input: &Input) -> Outcome {
    let (ty, log2n) = (input.ty, input.len.ilog2());
    let (x, y) = (&folder.path("x.npy"), &folder.path("y.npy"));
    let threads = rayon::current_num_threads();
    let ours = |work: &str, device: &str, writes: bool| {
        let mut command = Command::new(program);
        command.arg(work).arg(x).args(["--device", device]);
        if writes {
            command.arg("-o").arg(y);
        }
        run_to_end(&mut command)
    };
    let python = |text: &str| run_to_end(Command::new("python3").args(["-c", text]).args([x, y]));
    let mut contestants: Vec<Contestant<'_>> = vec![
        ("copy", "parallel_copy", true, Box::new(|| each_chunk(x, Some(y), threads))),
        ("copy", "cp", true, Box::new(|| run_to_end(Command::new("cp").args(["--reflink=never"]).args([x, y])))),
        ("copy", "parallel_read", false, Box::new(|| each_chunk(x, None, threads))),
        ("upsweep", "scan_file", true, Box::new(|| ours("scan", "cpu", true))),
        ("upsweep", "reduce_file", false, Box::new(|| ours("reduce", "cpu", false))),
        ("upsweep", "sort_file", true, Box::new(|| ours("sort", "cpu", true))),
    ];
    if Path::new("/dev/nvidiactl").exists() {
        contestants.push(("upsweep", "scan_file_cuda", true, Box::new(|| ours("scan", "cuda", true))));
        contestants.push(("upsweep", "sort_file_cuda", true, Box::new(|| ours("sort", "cuda", true))));
    }
    if run_to_end(Command::new("python3").args(["-c", "import numpy"]).stderr(Stdio::null())).is_ok() {
        contestants.push(("numpy", "scan_file", true, Box::new(|| python(NUMPY_SCAN))));
        contestants.push(("numpy", "reduce_file", false, Box::new(|| python(NUMPY_REDUCE))));
        contestants.push(("numpy", "sort_file", true, Box::new(|| python(NUMPY_SORT))));
    }
    let asked = |lib: &str, algo: &str| lib == "copy" || (of_type(algo, ty) && options.wants(algo, ty));
    contestants.retain(|(lib, algo, ..)| asked(lib, algo));
    if contestants.iter().all(|(lib, ..)| *lib == "copy") {
        return Ok(());
    }
    input.write(x)?;
    let mut times = vec![Vec::new(); contestants.len()];
    // The first turn, which is not counted, brings the file and the programs into memory.
    for turn in 0..=if options.quick { FEW_TURNS } else { TURNS } {
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
        let (bytes, copy) = if *writes { (2.0 * size, medians[0]) } else { (size, medians[2]) };
        let copy_gbps = bytes / copy / 1e3;
        record.row(&Row { lib, algo, ty, log2n, micros, bytes, copy_gbps, enqueue_micros: None })?;
    }
    Ok(())
}

/// Whether the work is measured on files of this type: sorts on keys in no order.
fn of_type(algo: &str, ty: &str) -> bool {
    algo.starts_with("sort") == (ty == "u32")
}

fn run_to_end(command: &mut Command) -> Outcome {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

impl Input {
    /// Writes a .npy file of small numbers, which sums of i64 hold, or of u32 in no order.
    fn write(&self, path: &Path) -> Outcome {
        let Self { ty, descr, len } = *self;
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len},), }}");
        header.extend(std::iter::repeat_n(' ', 117 - header.len()));
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        out.write_all(b"\x93NUMPY\x01\x00\x76\x00")?;
        writeln!(out, "{header}")?;
        for i in 0..len as u64 {
            let small = i * 40_503 % 65_536;
            match ty {
                "f32" => out.write_all(&(small as f32 / 65_536.0).to_le_bytes())?,
                "u32" => out.write_all(&(mixed(i) as u32).to_le_bytes())?,
                _ => out.write_all(&small.to_le_bytes())?,
            }
        }
        out.flush()?;
        Ok(())
    }
}

/// Returns the bits of a number in another order, far from that of its neighbours (SplitMix64, Steele, Lea and Flood).
fn mixed(i: u64) -> u64 {
    let once = (i ^ i >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (once ^ once >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32
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
