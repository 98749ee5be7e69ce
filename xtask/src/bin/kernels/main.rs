//! Compiles every kernel variant that the library and the laboratory ship, with the library's own stitching and options, and
//! prints what each takes. No GPU is needed, only NVRTC: `cargo xtask kernels` brings it.
//!
//! With `--arch`, every variant is compiled for every architecture given. Without, a variant is compiled for the oldest
//! architecture that has it, and for one of the later ones in turn: that is half of the time. The kernels' text and their
//! tuning know an architecture in few shared places, which every family meets in several variants.
//!
//! NVRTC compiles one kernel at a time in a process, so there is a process for each core, which is this program with `--share`.

mod cubin;

use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use upsweep::cuda::{KernelSource, compile_for, variants};

const ARCHITECTURES: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];

/// An architecture, as NVRTC names it and as a compute capability.
type Architecture<'a> = (&'a str, (u32, u32));

/// One variant on one architecture.
struct Work {
    variant: usize,
    architecture: usize,
    source: KernelSource,
}

/// What a kernel takes, or the compiler's log; `None` where the variant was not compiled for the architecture.
type Attempt = Option<Result<String, String>>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (asked, share) = match args.split_last_chunk() {
        Some((asked, [option, share])) if option == "--share" => (asked, Some(share)),
        _ => (args.as_slice(), None),
    };
    let architectures = match architectures(asked) {
        Ok(architectures) => architectures,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let (names, mut work) = shipped(&architectures);
    if asked.is_empty() {
        work = in_turn(work, names.len());
    }
    if let Some(share) = share {
        return compile_share(&work, &architectures, share);
    }
    let rows = compile_all(&work, &architectures, names.len(), asked);
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(8);
    let titles: String = architectures.iter().map(|(architecture, _)| format!("  {architecture:<24}")).collect();
    println!("cubin bytes, registers and local bytes a thread, shared bytes a block\n{:width$}{titles}", "variant");
    let (mut compiled, mut failed) = (0, 0);
    for (name, row) in names.iter().zip(&rows) {
        let mut line = format!("{name:width$}");
        let mut first_message = None;
        for ((architecture, _), attempt) in architectures.iter().zip(row) {
            let cell = match attempt {
                None => "-",
                Some(Ok(takes)) => {
                    compiled += 1;
                    takes
                }
                Some(Err(message)) => {
                    failed += 1;
                    // The other architectures usually say the same.
                    first_message.get_or_insert(format!("  {architecture}: {}", beginning(message)));
                    "FAILED"
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

/// The names of the variants that any of the architectures has, and each variant on each architecture that has it: some kernels
/// need more shared memory than the oldest have.
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

/// Of every variant the work on the first architecture that has it, and on one of the others, which take turns.
fn in_turn(work: Vec<Work>, variants: usize) -> Vec<Work> {
    let mut on: Vec<Vec<usize>> = vec![Vec::new(); variants];
    work.iter().for_each(|work| on[work.variant].push(work.architecture));
    let keeps = |work: &Work| match on[work.variant].split_first() {
        Some((first, others)) => {
            work.architecture == *first || others.get(work.variant % others.len().max(1)) == Some(&work.architecture)
        }
        None => false,
    };
    work.into_iter().filter(|work| keeps(work)).collect()
}

/// Compiles in a process for each core. Returns a row for each variant, with a column for each architecture.
fn compile_all(
    work: &[Work],
    architectures: &[Architecture<'_>],
    variants: usize,
    asked: &[String],
) -> Vec<Vec<Attempt>> {
    let mut rows = vec![vec![None; architectures.len()]; variants];
    let processes = std::thread::available_parallelism().map_or(1, usize::from);
    let of_share = |share: usize| {
        let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
        command.args(asked).args(["--share", &format!("{share}/{processes}")]).stderr(Stdio::inherit());
        let output = command.output().map_err(|error| error.to_string())?;
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), output.status))
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..processes).map(|share| scope.spawn(move || of_share(share))).collect();
        for (share, running) in running.into_iter().enumerate() {
            let outcome = running.join().unwrap_or_else(|_| Err("a thread panicked".to_owned()));
            let (said, end) = match outcome {
                Ok((said, status)) => (said, status.to_string()),
                Err(error) => (String::new(), error),
            };
            let mut said = said.split_terminator('\0');
            // What a process did not come to, it did not compile.
            for work in work.iter().skip(share).step_by(processes) {
                rows[work.variant][work.architecture] = Some(match (said.next(), said.next()) {
                    (Some("compiled"), Some(takes)) => Ok(takes.to_owned()),
                    (Some(_), Some(log)) => Err(log.to_owned()),
                    _ => Err(format!("the process that compiles it ended before: {end}")),
                });
            }
        }
    });
    rows
}

/// Compiles what is in a share, `2/4`: of each four, the third. Says of each whether it was compiled, and what it takes or the log.
fn compile_share(work: &[Work], architectures: &[Architecture<'_>], share: &str) -> ExitCode {
    let Some((first, step)) = share.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?))) else {
        eprintln!("a share is 0/2, say; not {share}");
        return ExitCode::from(2);
    };
    for work in work.iter().skip(first).step_by(usize::max(step, 1)) {
        let compiled = compile_for(&work.source, architectures[work.architecture].0);
        let said = match compiled.map_err(|error| error.to_string()).and_then(|cubin| takes(&cubin)) {
            Ok(takes) => format!("compiled\0{takes}\0"),
            Err(log) => format!("failed\0{log}\0"),
        };
        if std::io::stdout().write_all(said.as_bytes()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// What the kernels of a compiled variant take.
fn takes(cubin: &[u8]) -> Result<String, String> {
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
