//! Compiles every kernel variant that the library ships, for every architecture given, with the library's own
//! stitching and options, and prints what each takes. No GPU is needed, only NVRTC: `cargo xtask kernels` brings it.

mod cubin;

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use upsweep::cuda::{KernelSource, compile_for, variants};

const ARCHITECTURES: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];

/// One variant on one architecture.
struct Attempt {
    variant: usize,
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
    let variants = variants();
    let start = Instant::now();
    let attempts = compile_all(&variants, &architectures);
    let mut failed = 0;
    print!("{:width$}", "variant", width = name_width(&variants));
    architectures.iter().for_each(|architecture| print!("  {architecture:>24}"));
    println!(
        "\n{:width$}  each: cubin bytes, registers and local bytes a thread, shared bytes a block",
        "",
        width = name_width(&variants)
    );
    for (index, (name, _)) in variants.iter().enumerate() {
        print!("{name:width$}", width = name_width(&variants));
        let mut messages = Vec::new();
        for (column, architecture) in architectures.iter().enumerate() {
            let attempt = attempts.iter().find(|a| a.variant == index && a.architecture == column);
            let (cell, message) = cell(attempt.map(|attempt| &attempt.result));
            print!("  {cell:>24}");
            messages.extend(message.map(|message| format!("  {architecture}: {message}")));
        }
        println!();
        failed += messages.len();
        messages.iter().for_each(|message| println!("{message}"));
    }
    let compiled = attempts.len() - failed;
    println!("kernels: {} s, {compiled} compiled, {failed} failed", start.elapsed().as_secs());
    if failed == 0 && compiled > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn architectures(args: &[String]) -> Result<Vec<&str>, String> {
    let mut found = Vec::new();
    let mut rest = args.iter().map(String::as_str);
    while let Some(arg) = rest.next() {
        match (arg, rest.next()) {
            ("--arch", Some(architecture)) if architecture.starts_with("sm_") => found.push(architecture),
            _ => return Err(format!("usage: kernels [--arch sm_90]...; not {}", args.join(" "))),
        }
    }
    Ok(if found.is_empty() { ARCHITECTURES.to_vec() } else { found })
}

fn name_width(variants: &[(String, KernelSource)]) -> usize {
    variants.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(24)
}

/// Compiles on every core; NVRTC may be called from several threads at once.
fn compile_all(variants: &[(String, KernelSource)], architectures: &[&str]) -> Vec<Attempt> {
    let (next, attempts) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let total = variants.len() * architectures.len();
    let work = || {
        // The counter only hands out indices; the results are ordered by the mutex.
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && index < total
        {
            let (variant, architecture) = (index / architectures.len(), index % architectures.len());
            let result = compile_for(&variants[variant].1, architectures[architecture]);
            let result = result.map_err(|error| error.to_string());
            let attempt = Attempt { variant, architecture, result };
            attempts.lock().unwrap_or_else(PoisonError::into_inner).push(attempt);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    attempts.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// What to print for an attempt, and what went wrong.
fn cell(result: Option<&Result<Vec<u8>, String>>) -> (String, Option<String>) {
    let failed = |message: &str| ("FAILED".to_owned(), Some(message.to_owned()));
    match result {
        None => failed("was not compiled: a thread died"),
        Some(Err(error)) => failed(error),
        Some(Ok(cubin)) => {
            let kernels = cubin::kernels(cubin);
            let Some(most) = kernels.iter().map(|kernel| kernel.registers).max() else {
                return failed("the cubin has no kernel");
            };
            let stack = kernels.iter().map(|kernel| kernel.stack).max().unwrap_or(0);
            let shared = kernels.iter().map(|kernel| kernel.shared).max().unwrap_or(0);
            (format!("{} {most}r {stack}l {shared}s", cubin.len()), None)
        }
    }
}
