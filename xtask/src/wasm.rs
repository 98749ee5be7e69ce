//! `cargo xtask wasm`: builds the laboratory's model as WebAssembly, which its pages carry.
//!
//! The module is kept in the repository, so that a plain `cargo` builds everything, without a second target. The same
//! sources and the same compiler give the same bytes, wherever the repository lies; `--check` compares.

use crate::command::{self, Outcome, first_line, target};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGET: &str = "wasm32-unknown-unknown";
const ASSETS: &str = "crates/upsweep-lab/assets";

pub(crate) fn run(root: &Path, args: &[&str]) -> Outcome {
    let (module, version) = (root.join(ASSETS).join("model.wasm.gz"), root.join(ASSETS).join("model.rustc"));
    let compiler = first_line(Command::new(program("RUSTC", "rustc")).arg("-V"), "an unknown compiler");
    match args {
        [] if !is_installed() => Err(format!("the target is not there: rustup target add {TARGET}").into()),
        [] => {
            let built = build(root)?;
            std::fs::write(&module, packed(&built)?)?;
            std::fs::write(&version, format!("{compiler}\n"))?;
            println!("{}: {} bytes", module.display(), std::fs::metadata(&module)?.len());
            Ok(())
        }
        ["--check"] => {
            let kept = std::fs::read_to_string(&version).unwrap_or_default();
            if kept.trim() != compiler || !is_installed() {
                println!(
                    "not compared: it was made by {}, here is {compiler}, {TARGET} {}",
                    kept.trim(),
                    if is_installed() { "too" } else { "is not there" }
                );
                return Ok(());
            }
            let (built, unpacked) = (std::fs::read(build(root)?)?, unpacked(&module)?);
            match built == unpacked {
                true => Ok(()),
                false => {
                    Err(format!("{}: is not of these sources; `cargo xtask wasm` makes it anew", module.display())
                        .into())
                }
            }
        }
        _ => Err("wasm takes --check or nothing".into()),
    }
}

/// Program that the environment variable `variable` names, or `usual` if it is not set.
fn program(variable: &str, usual: &str) -> std::ffi::OsString {
    std::env::var_os(variable).unwrap_or_else(|| usual.into())
}

/// Whether the compiler has the standard library of the target `wasm32-unknown-unknown`.
fn is_installed() -> bool {
    let folder =
        first_line(Command::new(program("RUSTC", "rustc")).args(["--print", "target-libdir", "--target", TARGET]), "");
    !folder.is_empty() && Path::new(&folder).is_dir()
}

/// Compiles the laboratory's model to a WebAssembly module, and returns the module's path.
fn build(root: &Path) -> Outcome<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))).unwrap_or_default();
    // Panic messages name files, and must do so by the same names on every machine. The sources have to be there before
    // their paths are remapped.
    command::run(Command::new(program("CARGO", "cargo")).args(["fetch", "--quiet", "--locked"]).current_dir(root))?;
    let sources = std::fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten();
    let renamed = sources.map(|folder| format!("--remap-path-prefix={}=", folder.path().display()));
    let mut cargo = Command::new(program("CARGO", "cargo"));
    cargo.args(["build", "--quiet", "--locked", "-p", "upsweep-lab-live", "--profile", "wasm", "--target", TARGET]);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", renamed.collect::<Vec<_>>().join("\u{1f}")).current_dir(root);
    // Incremental builds cut the code into other units, which changes the module's bytes.
    cargo.env("CARGO_INCREMENTAL", "0");
    command::run(&mut cargo)?;
    Ok(target(root).join(TARGET).join("wasm/upsweep_lab_live.wasm"))
}

fn packed(module: &Path) -> Outcome<Vec<u8>> {
    output(Command::new("gzip").args(["-9", "--no-name", "--stdout"]).arg(module))
}

fn unpacked(module: &Path) -> Outcome<Vec<u8>> {
    output(Command::new("gzip").args(["--decompress", "--stdout"]).arg(module))
}

fn output(command: &mut Command) -> Outcome<Vec<u8>> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("gzip: {error}"))?;
    if output.status.success() { Ok(output.stdout) } else { Err(format!("gzip: {}", output.status).into()) }
}
