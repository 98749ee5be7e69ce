//! Fuzzing campaign against the command line: mutated files, and little memory. Every run must end in time, with exit
//! code 0, 1 or 2, without a panic, and with a whole output or none.
//!
//! `fuzz/calls.txt` has the commands, `fuzz/corpus` the valid files. Run `k` is the same for the same seed.

mod mutate;

use crate::command::{Outcome, target};
use mutate::{Random, mutated, mutated_call};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time after which a run that has not ended is a failure. A matrix of a few entries may have 10^8 rows: its product with
/// a vector prints as many lines.
const LONGEST: Duration = Duration::from_secs(60);
/// Address space of a run in KiB, unless the run tests a lack of memory.
const PLENTY: u64 = 6 << 20;
/// One of this many runs tests a lack of memory.
const LITTLE: usize = 10;

struct Call {
    kind: String,
    file: String,
    words: Vec<String>,
}

struct Campaign {
    binary: PathBuf,
    calls: Vec<Call>,
    corpus: BTreeMap<String, Vec<Vec<u8>>>,
    seed: u64,
    /// Smallest address space in KiB with which the program starts.
    least: u64,
    end: Instant,
    next: AtomicU64,
    last: u64,
    found: PathBuf,
    tally: Mutex<BTreeMap<String, Tally>>,
}

#[derive(Default)]
struct Tally {
    runs: u64,
    little: u64,
    codes: [u64; 3],
    found: u64,
}

/// What a run of the program ended with: its exit code, and what it printed.
struct Ended {
    code: Option<i32>,
    said: Vec<u8>,
    error: String,
}

pub(crate) fn run(root: &Path, args: &[&str]) -> Outcome {
    let mut options = (1.0, 1, None, None);
    let mut args = args.iter();
    while let Some(option) = args.next() {
        let value = args.next().ok_or_else(|| format!("{option} needs a value"))?;
        match *option {
            "--minutes" => options.0 = value.parse::<f64>().map_err(|e| format!("--minutes {value}: {e}"))?,
            "--seed" => options.1 = value.parse().map_err(|e| format!("--seed {value}: {e}"))?,
            "--binary" => options.2 = Some(PathBuf::from(value)),
            "--run" => options.3 = Some(value.parse::<u64>().map_err(|e| format!("--run {value}: {e}"))?),
            _ => return Err(format!("torture: no such option: {option}").into()),
        }
    }
    let (minutes, seed, binary, one) = options;
    let built = ["release", "debug"].map(|profile| target(root).join(profile).join("upsweep"));
    let binary = binary.or_else(|| built.into_iter().find(|binary| binary.exists()));
    let binary =
        binary.ok_or("there is no upsweep: cargo build --workspace --bin upsweep, or --binary PATH")?.canonicalize()?;
    let place = target(root).join("torture");
    let campaign = Campaign {
        calls: calls(&fs::read_to_string(root.join("fuzz/calls.txt"))?)?,
        corpus: corpus(&root.join("fuzz/corpus"))?,
        seed,
        least: least(&binary)?,
        end: Instant::now() + Duration::from_secs_f64(60.0 * minutes),
        next: AtomicU64::new(one.unwrap_or(0)),
        last: one.unwrap_or(u64::MAX),
        found: place.join("found"),
        tally: Mutex::default(),
        binary,
    };
    println!(
        "torture: {} for {minutes} minutes, seed {seed}, from {} KiB on",
        campaign.binary.display(),
        campaign.least
    );
    let threads = if one.is_some() { 1 } else { std::thread::available_parallelism()?.get() };
    let folders: Vec<PathBuf> = (0..threads).map(|thread| place.join(thread.to_string())).collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = folders.iter().map(|folder| scope.spawn(|| campaign.go_on(folder))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("a thread of the campaign failed".into())))
    })
    .map_err(|error: String| error)?;
    campaign.report()
}

/// Parses `fuzz/calls.txt`: a kind of file, a file name, and the words of the command on each line.
///
/// # Errors
/// A line has fewer than two words.
fn calls(text: &str) -> Outcome<Vec<Call>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let call = |line: &str| {
        let mut words = line.split(' ').map(str::to_owned);
        let (kind, file) = words.next().zip(words.next()).ok_or_else(|| format!("fuzz/calls.txt: {line}"))?;
        Ok(Call { kind, file, words: words.collect() })
    };
    lines.map(call).collect()
}

fn corpus(folder: &Path) -> Outcome<BTreeMap<String, Vec<Vec<u8>>>> {
    let mut corpus = BTreeMap::new();
    for kind in fs::read_dir(folder)? {
        let kind = kind?;
        let mut files: Vec<PathBuf> =
            fs::read_dir(kind.path())?.map(|file| file.map(|file| file.path())).collect::<Result<_, _>>()?;
        files.sort();
        let files = files.iter().map(fs::read).collect::<Result<_, _>>()?;
        corpus.insert(kind.file_name().to_string_lossy().into_owned(), files);
    }
    Ok(corpus)
}

/// Smallest address space in KiB with which the program prints its version: with less the system cannot start it.
fn least(binary: &Path) -> Outcome<u64> {
    let starts = |kib: &u64| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {kib}; exec \"$0\" --version")]).arg(binary);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    (10_000..2_000_000).step_by(2000).find(starts).ok_or_else(|| format!("{} does not start", binary.display()).into())
}

impl Campaign {
    fn go_on(&self, folder: &Path) -> Result<(), String> {
        while Instant::now() < self.end {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number > self.last {
                break;
            }
            self.once(number, folder).map_err(|error| format!("run {number}: {error}"))?;
        }
        Ok(())
    }

    fn once(&self, number: u64, folder: &Path) -> Result<(), std::io::Error> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
        let mut random = Random(self.seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ number);
        let random = &mut random;
        let Some(call) = random.of(&self.calls) else { return Ok(()) };
        let files = |kind: &str| self.corpus.get(kind).map_or(&[][..], Vec::as_slice);
        let one = |kind: &str, random: &mut Random| random.of(files(kind)).cloned().unwrap_or_default();
        let (seed, other) = (one(&call.kind, random), one(&call.kind, random));
        let mut file = mutated(&seed, &other, random);
        if call.kind == "raw" {
            file.truncate(file.len() / 8 * 8);
        }
        for (name, kind) in [("t.csv", "table"), ("x.npy", "npy"), ("text.txt", "grammar")] {
            fs::write(folder.join(name), files(kind).first().map_or(&[][..], Vec::as_slice))?;
        }
        fs::write(folder.join(&call.file), &file)?;
        let text = String::from_utf8_lossy(&file).replace('\0', "");
        let mut words = call.words.clone();
        mutated_call(&mut words, random);
        words.iter_mut().filter(|word| *word == "@").for_each(|word| word.clone_from(&text));
        let little = random.below(LITTLE) == 0;
        let kib = if little { self.least + random.next() % 100_000 } else { PLENTY };
        let ended = self.run_call(folder, call, &words, kib)?;
        let wrong = judge(call, &words, &file, folder, ended.as_ref());
        if let Some(wrong) = &wrong {
            let kept = self.found.join(format!("{}-{number}", self.seed));
            fs::create_dir_all(&kept)?;
            fs::copy(folder.join(&call.file), kept.join(&call.file))?;
            let error = ended.as_ref().map_or("", |ended| &ended.error);
            fs::write(kept.join("report.txt"), format!("{wrong}\nulimit -v {kib}; upsweep {words:?}\n{error}\n"))?;
            println!("{}: {wrong}: {}", kept.display(), words.join(" ").chars().take(120).collect::<String>());
        }
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let tally = tally.entry(call.kind.clone()).or_default();
        tally.runs += 1;
        tally.little += u64::from(little);
        tally.found += u64::from(wrong.is_some());
        let code = ended.and_then(|ended| usize::try_from(ended.code?).ok());
        code.and_then(|code| tally.codes.get_mut(code)).into_iter().for_each(|count| *count += 1);
        Ok(())
    }

    /// Runs the program once with an address space of `kib` KiB. The result is `None` if it does not end in time.
    fn run_call(
        &self,
        folder: &Path,
        call: &Call,
        words: &[String],
        kib: u64,
    ) -> Result<Option<Ended>, std::io::Error> {
        let (said, error) = (folder.join("said"), folder.join("error"));
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {kib}; exec \"$0\" \"$@\"")]).arg(&self.binary).args(words);
        command.current_dir(folder).env("RAYON_NUM_THREADS", "2").env_remove("RUST_BACKTRACE");
        if words.iter().any(|word| word == "-") {
            command.stdin(File::open(folder.join(&call.file))?);
        } else {
            command.stdin(Stdio::null());
        }
        let mut child = command.stdout(File::create(&said)?).stderr(File::create(&error)?).spawn()?;
        let begun = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                let error = String::from_utf8_lossy(&fs::read(&error)?).into_owned();
                return Ok(Some(Ended { code: status.code(), said: fs::read(&said)?, error }));
            }
            if begun.elapsed() > LONGEST {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn report(&self) -> Outcome {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        println!(
            "{:12} {:>8} {:>10} {:>8} {:>8} {:>8} {:>6}",
            "kind", "runs", "low memory", "code 0", "code 1", "code 2", "found"
        );
        let mut all = Tally::default();
        for (kind, of) in tally.iter() {
            line(kind, of);
            all.runs += of.runs;
            all.little += of.little;
            all.found += of.found;
            all.codes.iter_mut().zip(of.codes).for_each(|(all, of)| *all += of);
        }
        line("all", &all);
        match all.found {
            0 => Ok(()),
            found => Err(format!("{found} runs ended as none may: see {}", self.found.display()).into()),
        }
    }
}

fn line(kind: &str, Tally { runs, little, codes: [good, failed, refused], found }: &Tally) {
    println!("{kind:12} {runs:>8} {little:>10} {good:>8} {failed:>8} {refused:>8} {found:>6}");
}

/// What is wrong with the end of a run, if anything: `None` if the run ended as it may.
fn judge(call: &Call, words: &[String], file: &[u8], folder: &Path, ended: Option<&Ended>) -> Option<String> {
    let Some(Ended { code, said, error }) = ended else { return Some(format!("no end within {LONGEST:?}")) };
    let wrong = |what: &str| Some(format!("{what} (exit code {code:?})"));
    let (Some(0..=2), false) = (code, error.contains("panicked at")) else { return wrong("a crash") };
    if *code == Some(2) && !error.starts_with("upsweep: ") {
        return wrong("an error without a word");
    }
    let output = words.iter().position(|word| word == "-o").and_then(|at| words.get(at + 1));
    if let Some(output) = output.filter(|output| output.starts_with("out.")) {
        match (code, folder.join(output).exists()) {
            (Some(0), false) => return wrong("no output"),
            (Some(1 | 2), true) => return wrong("an output of a run that failed"),
            _ => {}
        }
    }
    let left =
        fs::read_dir(folder).ok()?.flatten().find(|entry| entry.file_name().to_string_lossy().ends_with(".part"));
    if let Some(left) = left {
        return wrong(&format!("{} is left", left.path().display()));
    }
    // The right result is known for an exclusive or of raw bytes.
    if call.kind == "raw" && call.words == words && words.iter().any(|word| word == "xor") && *code == Some(0) {
        let expected = file.iter().fold(0, |all, byte| all ^ byte).to_string();
        if String::from_utf8_lossy(said).trim() != expected {
            return wrong(&format!("an exclusive or that is not {expected}"));
        }
    }
    None
}
