//! Compiles every kernel variant that the library and the laboratory ship, with the library's own sources and options,
//! and prints the resources of each. It needs no GPU, only NVRTC, which `cargo xtask kernels` fetches.
//!
//! With `--arch`, every variant is compiled for every architecture given. Without it, a variant is compiled for the
//! oldest architecture that has it, and for one of the later ones in turn. A variant of a kernel with many variants is
//! compiled for one architecture in turn. This takes a third of the time.
//!
//! With `--sample`, only a third of the variants of such kernels is compiled, drawn by their names. The kernels' text
//! and tuning depend on the architecture in few shared places, which every kernel meets in several variants.

mod cubin;

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use upsweep::cuda::{KernelSource, compile_for};
use upsweep_cuda::variants;

const ARCHITECTURES: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];

/// Architecture: its name in NVRTC (`sm_90`), and its compute capability.
type Architecture<'a> = (&'a str, (u32, u32));

/// Task: to compile one variant for one architecture.
struct Work {
    variant: usize,
    architecture: usize,
    source: KernelSource,
}

/// Result of a task: the machine code, or the compiler's log; `None` if the variant is not compiled for the
/// architecture.
type Attempt = Option<Result<Vec<u8>, String>>;

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let is_sample = args == ["--sample"];
    if is_sample {
        args.clear();
    }
    let architectures = match architectures(&args) {
        Ok(architectures) => architectures,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let (names, mut work) = shipped(&architectures);
    if args.is_empty() {
        let chosen = |variant: usize| !is_sample || names.get(variant).is_some_and(|name| is_drawn(name));
        work = in_turn(work, names.len(), chosen);
    }
    let rows = compile_all(&work, &architectures, names.len());
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(8);
    let titles: String = architectures.iter().map(|(architecture, _)| format!("  {architecture:<24}")).collect();
    println!("cubin bytes, registers and local bytes a thread, shared bytes a block\n{:width$}{titles}", "variant");
    let (mut compiled, mut failed) = (0, 0);
    for (name, row) in names.iter().zip(&rows) {
        let mut line = format!("{name:width$}");
        let mut first_message = None;
        for ((architecture, _), attempt) in architectures.iter().zip(row) {
            let result =
                attempt.as_ref().map(|attempt| attempt.as_ref().map_err(String::clone).and_then(|cubin| takes(cubin)));
            let cell = match result {
                None => "-".to_owned(),
                Some(Ok(takes)) => {
                    compiled += 1;
                    takes
                }
                Some(Err(message)) => {
                    failed += 1;
                    // Only the first message is printed, as compilations for other architectures usually fail in the
                    // same way.
                    first_message.get_or_insert(format!("  {architecture}: {}", beginning(&message)));
                    "FAILED".to_owned()
                }
            };
            line += &format!("  {cell:<24}");
        }
        println!("{}", line.trim_end());
        first_message.iter().for_each(|message| println!("{message}"));
    }
    println!("kernels: {} s, {compiled} compiled, {failed} failed", start.elapsed().as_secs());
    if failed == 0 && compiled > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn architectures(args: &[String]) -> Result<Vec<Architecture<'_>>, String> {
    let mut names = Vec::new();
    for pair in args.chunks(2) {
        match pair {
            [option, name] if option == "--arch" => names.push(name.as_str()),
            _ => return Err(format!("usage: kernels [--sample | --arch sm_90 ...]; not {}", args.join(" "))),
        }
    }
    let names = if names.is_empty() { ARCHITECTURES.to_vec() } else { names };
    let capability = |name: &str| {
        let number: u32 = name.strip_prefix("sm_")?.trim_end_matches(['a', 'f']).parse().ok()?;
        Some((number / 10, number % 10))
    };
    let known =
        |name| Ok((name, capability(name).ok_or_else(|| format!("{name} is not the name of an architecture"))?));
    names.into_iter().map(known).collect()
}

/// Names of the variants that any of the architectures has, and each variant on each architecture that has it: some
/// kernels need more shared memory than the oldest have.
fn shipped(architectures: &[Architecture<'_>]) -> (Vec<String>, Vec<Work>) {
    let mut places: HashMap<String, usize> = HashMap::new();
    let (mut names, mut work) = (Vec::new(), Vec::new());
    for (architecture, (_, capability)) in architectures.iter().enumerate() {
        for (name, source) in variants(*capability).into_iter().chain(upsweep_lab::gpu::variants()) {
            let variant = *places.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            });
            work.push(Work { variant, architecture, source });
        }
    }
    (names, work)
}

/// Number of variants that make a kernel one of many variants. Together these meet every architecture, though each of
/// them meets one.
const MANY: usize = 8;

/// Inverse of the fraction of the variants that a sample draws: one in this many.
const DRAWN: u32 = 3;

/// Whether a sample has the variant `name` of a kernel with many variants. A hash of the name decides, because
/// neighbours in the list have types and features in turn.
fn is_drawn(name: &str) -> bool {
    let fnv = name.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (fnv >> 16).is_multiple_of(DRAWN)
}

/// Selects the tasks that are done. A variant is compiled for the first architecture that has it, and for one of the
/// others in turn. A variant of a kernel with many variants is compiled for one of all architectures in turn, if it is
/// `chosen`.
fn in_turn(work: Vec<Work>, variants: usize, chosen: impl Fn(usize) -> bool) -> Vec<Work> {
    let mut on: Vec<Vec<usize>> = vec![Vec::new(); variants];
    let mut variants_of: HashMap<&str, usize> = HashMap::new();
    for work in &work {
        if on[work.variant].is_empty() {
            *variants_of.entry(work.source.entry).or_default() += 1;
        }
        on[work.variant].push(work.architecture);
    }
    // Neighbours in the list often differ in one feature with two or four values. The turn is shifted every few
    // variants, so that no value of a feature always meets the same architecture.
    let turn = |variant: usize, of: &[usize]| {
        let turns = of.len().max(1);
        of.get((variant + variant / turns) % turns).copied()
    };
    let many = |work: &Work| variants_of.get(work.source.entry).is_some_and(|&variants| variants >= MANY);
    let keeps = |work: &Work| match (many(work), &on[work.variant][..]) {
        (true, all) => chosen(work.variant) && turn(work.variant, all) == Some(work.architecture),
        (false, [first, others @ ..]) => {
            work.architecture == *first || turn(work.variant, others) == Some(work.architecture)
        }
        (false, []) => false,
    };
    work.into_iter().filter(|work| keeps(work)).collect()
}

/// Does all tasks, on every core; NVRTC may be called from several threads at once. Returns a row for each variant,
/// with a column for each architecture.
fn compile_all(work: &[Work], architectures: &[Architecture<'_>], variants: usize) -> Vec<Vec<Attempt>> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![vec![None; architectures.len()]; variants]));
    let compile = || {
        // The counter only hands out indices; the mutex orders the results.
        while let Some(work) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let architecture = architectures[work.architecture].0;
            let result = compile_for(&work.source, architecture).map_err(|error| error.to_string());
            done.lock().unwrap_or_else(PoisonError::into_inner)[work.variant][work.architecture] = Some(result);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(compile))));
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Text for the table: size of the cubin in bytes, and the largest numbers of registers and of bytes of local and of
/// shared memory that one of its kernels takes.
fn takes(cubin: &[u8]) -> Result<String, String> {
    let kernels = cubin::kernels(cubin);
    let most = |of: fn(&cubin::Kernel) -> u64| kernels.iter().map(of).max();
    let registers = most(|kernel| kernel.registers.into()).ok_or("the cubin has no kernel")?;
    let local = most(|kernel| kernel.stack.into()).unwrap_or(0);
    let shared = most(|kernel| kernel.shared).unwrap_or(0);
    Ok(format!("{} {registers}r {local}l {shared}s", cubin.len()))
}

/// First lines of a compiler's log, which show the error.
fn beginning(log: &str) -> String {
    const LINES: usize = 30;
    let mut lines: Vec<&str> = log.lines().take(LINES).collect();
    if log.lines().nth(LINES).is_some() {
        lines.push("...");
    }
    lines.join("\n    ")
}
