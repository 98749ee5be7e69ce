//! Compiles every kernel variant that the library and the laboratory ship, for every architecture given, with the library's own
//! stitching and options, and prints what each takes. No GPU is needed, only NVRTC: `cargo xtask kernels` brings it.

mod cubin;

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use upsweep::cuda::{KernelSource, compile_for, variants};

const ARCHITECTURES: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];

/// An architecture, as NVRTC names it and as a compute capability.
type Architecture<'a> = (&'a str, (u32, u32));

/// One variant on one architecture: what was compiled, or the compiler's log.
struct Attempt {
    variant: String,
    architecture: usize,
    result: Result<Vec<u8>, String>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let architectures = match architectures(&args) {
        Ok(architectures) => architectures,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let attempts = compile_all(&architectures);
    let mut names: Vec<&str> = Vec::new();
    for attempt in &attempts {
        if !names.contains(&attempt.variant.as_str()) {
            names.push(&attempt.variant);
        }
    }
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(8);
    let titles: String = architectures.iter().map(|(architecture, _)| format!("  {architecture:<24}")).collect();
    println!("cubin bytes, registers and local bytes a thread, shared bytes a block\n{:width$}{titles}", "variant");
    let (mut compiled, mut failed) = (0, 0);
    for name in names {
        let mut line = format!("{name:width$}");
        let mut first_message = None;
        for (column, (architecture, _)) in architectures.iter().enumerate() {
            let attempt = attempts.iter().find(|a| a.variant == name && a.architecture == column);
            match takes(attempt) {
                Ok(takes) => {
                    line += &format!("  {takes:<24}");
                    compiled += 1;
                }
                Err(message) => {
                    line += &format!("  {:<24}", "FAILED");
                    failed += 1;
                    // The other architectures usually say the same.
                    first_message.get_or_insert(format!("  {architecture}: {}", beginning(&message)));
                }
            }
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
            _ => return Err(format!("usage: kernels [--arch sm_90]...; not {}", args.join(" "))),
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

/// Compiles on every core; NVRTC may be called from several threads at once. In the order of the variants.
fn compile_all(architectures: &[Architecture<'_>]) -> Vec<Attempt> {
    let mut work: Vec<(usize, usize, String, KernelSource)> = Vec::new();
    for (architecture, (_, capability)) in architectures.iter().enumerate() {
        let all = variants(*capability).into_iter().chain(upsweep_lab::gpu::variants()).enumerate();
        work.extend(all.map(|(index, (name, source))| (index, architecture, name, source)));
    }
    work.sort_by_key(|&(index, architecture, ..)| (index, architecture));
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let compile = || {
        // The counter only hands out indices; what is done is ordered by the mutex.
        while let Some((at, (_, architecture, name, source))) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, work.get(at)?)))
        {
            let result = compile_for(source, architectures[*architecture].0).map_err(|error| error.to_string());
            let attempt = Attempt { variant: name.clone(), architecture: *architecture, result };
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, attempt));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(compile))));
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|&(at, _)| at);
    done.into_iter().map(|(_, attempt)| attempt).collect()
}

/// What the kernels of a compiled variant take.
fn takes(attempt: Option<&Attempt>) -> Result<String, String> {
    let attempt = attempt.ok_or("the architecture has no such variant")?;
    let cubin = attempt.result.as_ref().map_err(String::clone)?;
    let kernels = cubin::kernels(cubin);
    let most = |of: fn(&cubin::Kernel) -> u64| kernels.iter().map(of).max();
    let registers = most(|kernel| kernel.registers.into()).ok_or("the cubin has no kernel")?;
    let local = most(|kernel| kernel.stack.into()).unwrap_or(0);
    let shared = most(|kernel| kernel.shared).unwrap_or(0);
    Ok(format!("{} {registers}r {local}l {shared}s", cubin.len()))
}

/// As much of a compiler's log as tells what is wrong.
fn beginning(log: &str) -> String {
    const LINES: usize = 30;
    let mut lines: Vec<&str> = log.lines().take(LINES).collect();
    if log.lines().nth(LINES).is_some() {
        lines.push("...");
    }
    lines.join("\n    ")
}
