//! `cargo xtask bench`: builds the benches, runs those that this machine can run, and keeps their output as
//! `benches/record/MACHINE/DATE.csv`. `--smoke` runs every bench once at a small size and keeps nothing. A machine
//! without Rust runs what `--build` built elsewhere; `--keep` then makes a record of the programs' output.

mod peers;

use crate::command::{self, Outcome, first_line, target, words};
use std::path::Path;
use std::process::{Command, Stdio};

#[derive(Default)]
struct Options<'a> {
    smoke: bool,
    cpu: bool,
    gpu: bool,
    peers: bool,
    build: bool,
    /// Arguments after `--`, which are passed on to the benches.
    passed_on: &'a [&'a str],
}

impl<'a> Options<'a> {
    fn parse(args: &'a [&'a str]) -> Outcome<Self> {
        let mut options = Self::default();
        for (index, &arg) in args.iter().enumerate() {
            match arg {
                "--smoke" => options.smoke = true,
                "--cpu" => options.cpu = true,
                "--gpu" => options.gpu = true,
                "--peers" => options.peers = true,
                "--build" => options.build = true,
                "--" => {
                    options.passed_on = &args[index + 1..];
                    break;
                }
                _ => return Err(format!("bench has no option {arg}; see cargo xtask help").into()),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(root: &Path, args: &[&str]) -> Outcome {
    if let ["--keep", files @ ..] = args {
        let texts = files.iter().map(|file| std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}")));
        return keep(root, &texts.collect::<Result<String, _>>()?, false);
    }
    let options = Options::parse(args)?;
    let either = options.cpu || options.gpu;
    if options.cpu || !either {
        bench(root, "cpu", &options)?;
    }
    if options.gpu || (!either && (options.build || gpu_answers())) {
        bench(root, "gpu", &options)?;
    } else if !either {
        println!("bench: no GPU answers here; the GPU's benches are left out");
    }
    Ok(())
}

/// Builds one bench, runs it and its peers, and keeps their output. With `--build` lists the programs instead of
/// running them.
fn bench(root: &Path, name: &str, options: &Options<'_>) -> Outcome {
    build(root, name, options)?;
    let profile = if options.smoke { "debug" } else { "release" };
    let mut bench = Command::new(target(root).join(profile).join(name));
    bench.args(options.passed_on).args(options.smoke.then_some("--smoke"));
    let mut commands = vec![bench];
    if options.peers {
        commands.extend(if name == "cpu" { peers::cpu(root)? } else { peers::gpu(root)? });
    }
    if options.build {
        commands.iter().for_each(|command| println!("bench: built {}", words(command)));
        return Ok(());
    }
    let texts: Outcome<Vec<String>> = commands.iter_mut().map(capture).collect();
    keep(root, &texts?.concat(), options.smoke)
}

/// Builds one bench: optimised for a record, or as the tests are built for a smoke run. It builds the whole workspace,
/// as `.ci/run` does, so that the tests' build is reused.
fn build(root: &Path, name: &str, options: &Options<'_>) -> Outcome {
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--workspace", "--bin", name]).current_dir(root);
    build.args([if options.smoke { "--features=upsweep/small-loops" } else { "--release" }]);
    command::run(build.args(options.peers.then_some("--features=upsweep-bench/peers")))
}

/// Whether the driver finds a GPU. The library could say this as well, but xtask does not depend on it.
fn gpu_answers() -> bool {
    first_line(Command::new("nvidia-smi").arg("-L").stderr(Stdio::null()), "").starts_with("GPU")
}

/// Standard output of a program that succeeds. The program's progress and errors go to standard error.
fn capture(command: &mut Command) -> Outcome<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("{}: {error}", words(command)))?;
    if !output.status.success() {
        return Err(format!("{}: {}", words(command), output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Writes the record `text` to the path that follows from its header; in a smoke run prints it instead.
fn keep(root: &Path, text: &str, smoke: bool) -> Outcome {
    let rows = text.lines().filter(|line| !line.starts_with('#')).count().saturating_sub(1);
    if rows == 0 {
        return Err("a bench printed no rows".into());
    }
    if smoke {
        print!("{text}");
        println!("bench: {rows} rows, not kept");
        return Ok(());
    }
    let value = |key: &str| {
        let prefix = format!("# {key}: ");
        text.lines().find_map(|line| line.strip_prefix(&prefix)).ok_or(format!("the record has no line `{prefix}...`"))
    };
    let folder = root.join("benches/record").join(folder_name(value("machine")?));
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}.csv", value("date")?));
    std::fs::write(&path, text)?;
    println!("bench: {rows} rows in {}", path.display());
    Ok(())
}

/// Name of the folder for a machine's records: the machine's name up to the first comma, in small letters and hyphens.
fn folder_name(machine: &str) -> String {
    let name = machine.split(',').next().unwrap_or(machine).to_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_end_where_the_benches_begin() {
        let options = Options::parse(&["--smoke", "--", "--only", "sum"]).unwrap();
        assert!(options.smoke && !options.cpu && !options.gpu && !options.peers);
        assert_eq!(options.passed_on, ["--only", "sum"]);
        assert!(Options::parse(&["--smok"]).is_err());
    }

    #[test]
    fn machines_have_folders() {
        assert_eq!(folder_name("NVIDIA H200, 132 SMs"), "nvidia-h200");
        assert_eq!(folder_name("Intel(R) Xeon(R) Platinum 8468, 2 threads"), "intel-r-xeon-r-platinum-8468");
    }
}
