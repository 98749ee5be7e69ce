//! `cargo xtask kernels`: fetches NVRTC, then runs the program in `bin/kernels` with it.
//!
//! NVRTC is a library that is loaded at its first use, and the loader reads its search path when a process starts: so
//! the kernels are compiled in a process of their own.

use crate::command::{self, Outcome, target};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Oldest NVRTC that upsweep is tested with; sm_100 needs 12.8.
const PACKAGE: &str = "nvidia-cuda-nvrtc==13.0.*";

pub(crate) fn run(root: &Path, args: &[&str]) -> Outcome {
    let folder = nvrtc(&target(root))?;
    let mut search = OsString::from(&folder);
    if let Some(before) = std::env::var_os("LD_LIBRARY_PATH") {
        search.push(":");
        search.push(before);
    }
    // The whole workspace with the tests' loops is built, so that the library is not compiled again after its tests.
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args([
        "build",
        "--quiet",
        "--workspace",
        "--features",
        "xtask/kernels,upsweep/small-loops",
        "--bin",
        "kernels",
    ]);
    command::run(build.current_dir(root))?;
    command::run(Command::new(target(root).join("debug/kernels")).args(args).env("LD_LIBRARY_PATH", search))
}

/// Folder with `libnvrtc.so`: `target/nvrtc`, filled from PyPI if it is not there yet.
fn nvrtc(target: &Path) -> Outcome<PathBuf> {
    let folder = target.join("nvrtc");
    if let Some(found) = find_library(&folder) {
        return Ok(found);
    }
    println!("fetching {PACKAGE} from PyPI into {}", folder.display());
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"]);
    command::run(pip.args(["--no-deps", "--upgrade", "--target"]).arg(&folder).arg(PACKAGE))?;
    find_library(&folder).ok_or_else(|| format!("{PACKAGE} brought no libnvrtc.so into {}", folder.display()).into())
}

/// Folder that contains a file `libnvrtc.so.*`: `folder` or one below it, as packages differ in where they put it.
fn find_library(folder: &Path) -> Option<PathBuf> {
    let entries: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let is_library =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libnvrtc.so"));
    if entries.iter().any(is_library) {
        return Some(folder.to_owned());
    }
    entries.iter().filter(|path| path.is_dir()).find_map(|path| find_library(path))
}
