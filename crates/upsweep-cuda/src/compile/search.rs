//! Search for NVRTC: the places where it is usually installed, in the order in which they are tried.
//!
//! | place | why there |
//! |---|---|
//! | `UPSWEEP_NVRTC` | only the file that it names: an explicit choice |
//! | the process | another library has loaded it, as PyTorch does: two of them take twice the memory |
//! | `VIRTUAL_ENV`, `CONDA_PREFIX`, the program's own environment | PyPI: `site-packages/nvidia`; conda: `lib` |
//! | the system's loader | `LD_LIBRARY_PATH`, and folders that the system's packages have registered |
//! | `CUDA_PATH`, `CUDA_HOME`, `/usr/local/cuda*`, and `cuda` in `opt` | the toolkit; the last is Arch Linux's |
//!
//! The order is that of NVIDIA's own cuda-pathfinder. Files are opened by their absolute paths. So is the library of
//! built-in functions, which lies beside NVRTC and which NVRTC itself asks the loader for by name.

use std::path::{Path, PathBuf};

/// Major versions of NVRTC that have all the functions upsweep calls, the newest first. The file name of a library
/// contains one of them.
const MAJORS: [u32; 2] = [13, 12];

/// Library that may be NVRTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// File name of a library, which is used only if the process has loaded it already.
    Loaded(String),
    /// Library file, by its path or by a name that the system's loader finds.
    File(PathBuf),
}

/// Place in the search order where NVRTC may be installed, and the libraries there that may be NVRTC.
#[derive(Debug)]
pub(super) struct Place {
    /// Name of the place in messages.
    pub(super) name: String,
    pub(super) candidates: Vec<Candidate>,
}

/// Environment that decides which places are searched.
pub(super) struct Environment<'a> {
    /// Function that returns the value of an environment variable.
    pub(super) variable: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// Path of the running program.
    pub(super) program: Option<PathBuf>,
    /// Root folder of the file system; another folder in tests.
    pub(super) root: &'a Path,
}

/// Environment variable by which the user names NVRTC's file.
pub(super) const CHOSEN: &str = "UPSWEEP_NVRTC";

impl Environment<'_> {
    /// Returns the value of a variable that is set and not empty.
    fn set(&self, name: &str) -> Option<PathBuf> {
        (self.variable)(name).filter(|value| !value.as_os_str().is_empty())
    }

    /// Returns the path of NVRTC's file if the user names it by `UPSWEEP_NVRTC`.
    pub(super) fn chosen(&self) -> Option<PathBuf> {
        self.set(CHOSEN)
    }

    /// Returns the places to search for NVRTC, in the order in which they are tried.
    pub(super) fn places(&self) -> Vec<Place> {
        if let Some(file) = self.chosen() {
            return vec![Place { name: format!("${CHOSEN}"), candidates: vec![Candidate::File(file)] }];
        }
        let names = || MAJORS.iter().map(|&major| name_of(major));
        let place = |name: String, candidates| Place { name, candidates };
        let mut places = vec![place("the process".to_owned(), names().map(Candidate::Loaded).collect())];
        let mut in_folders = |name: &str, prefix: Option<PathBuf>, folders: &dyn Fn(&Path) -> Vec<PathBuf>| {
            let (name, found) = match prefix {
                Some(prefix) => (format!("{name} ({})", prefix.display()), folders(&prefix)),
                None => (format!("{name} (not set)"), Vec::new()),
            };
            places.push(place(name, found.iter().flat_map(|folder| files_in(folder)).collect()));
        };
        in_folders("$VIRTUAL_ENV", self.set("VIRTUAL_ENV"), &packages);
        in_folders("$CONDA_PREFIX", self.set("CONDA_PREFIX"), &|prefix| {
            [packages(prefix), vec![prefix.join("lib"), prefix.join("Library/bin")]].concat()
        });
        // A program that a Python package installs lies in `bin`, next to the environment's `lib`.
        let beside = self.program.as_ref().and_then(|program| Some(program.parent()?.parent()?.to_owned()));
        in_folders("the program's environment", beside, &packages);
        places.push(place(
            format!("the system's loader and ${}", if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" }),
            names().map(|name| Candidate::File(name.into())).collect(),
        ));
        let mut in_folders = |name: &str, prefix: Option<PathBuf>| {
            let (name, found) = match prefix {
                Some(prefix) => (format!("{name} ({})", prefix.display()), toolkit(&prefix)),
                None => (format!("{name} (not set)"), Vec::new()),
            };
            places.push(place(name, found.iter().flat_map(|folder| files_in(folder)).collect()));
        };
        in_folders("$CUDA_PATH", self.set("CUDA_PATH"));
        in_folders("$CUDA_HOME", self.set("CUDA_HOME"));
        if cfg!(unix) {
            let local = self.root.join("usr/local");
            let toolkits: Vec<PathBuf> =
                with_versions(&local, "cuda").into_iter().chain([self.root.join("opt/cuda")]).collect();
            let folders = toolkits.iter().flat_map(|prefix| toolkit(prefix));
            let candidates = folders.flat_map(|folder| files_in(&folder)).collect();
            places.push(place(
                format!("{}/cuda*, {}", local.display(), self.root.join("opt/cuda").display()),
                candidates,
            ));
        }
        places
    }
}

/// Returns the file name of NVRTC's library of the major version `major`.
fn name_of(major: u32) -> String {
    if cfg!(windows) { format!("nvrtc64_{major}0_0.dll") } else { format!("libnvrtc.so.{major}") }
}

/// Returns the folders in which NVIDIA's packages put NVRTC, in the Python environment at `prefix`. CUDA 13 has one
/// folder for all its libraries; earlier versions have one for NVRTC alone.
fn packages(prefix: &Path) -> Vec<PathBuf> {
    let mut sites: Vec<PathBuf> =
        with_versions(&prefix.join("lib"), "python").into_iter().map(|lib| lib.join("site-packages")).collect();
    sites.push(prefix.join("Lib/site-packages"));
    let folders = ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", "nvidia/cu13/bin/x86_64", "nvidia/cuda_nvrtc/bin"];
    sites.iter().flat_map(|site| folders.map(|folder| site.join(folder))).collect()
}

/// Returns the folders in which a CUDA toolkit at `prefix` may have libraries.
fn toolkit(prefix: &Path) -> Vec<PathBuf> {
    let targets = entries(&prefix.join("targets")).into_iter().map(|(_, target)| target.join("lib"));
    ["lib64", "lib", "bin/x64", "bin"].iter().map(|folder| prefix.join(folder)).chain(targets).collect()
}

/// Returns the names and paths of the entries of a folder, sorted by name; none if the folder cannot be read.
fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<_> =
        entries.flatten().map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())).collect();
    entries.sort();
    entries
}

/// Returns the paths of a folder's entries whose names are `stem`, alone or followed by a version, the newest version
/// first.
fn with_versions(folder: &Path, stem: &str) -> Vec<PathBuf> {
    let mut found: Vec<(Vec<u32>, PathBuf)> = entries(folder)
        .into_iter()
        .filter_map(|(name, path)| Some((version(name.strip_prefix(stem)?)?, path)))
        .collect();
    found.sort_by(|(a, _), (b, _)| b.cmp(a));
    found.into_iter().map(|(_, path)| path).collect()
}

/// Returns the files of a folder that are named like NVRTC's library, the newest version first.
fn files_in(folder: &Path) -> Vec<Candidate> {
    let found = if cfg!(windows) {
        let of_nvrtc = |name: &str| name.starts_with("nvrtc64_") && name.ends_with("_0.dll");
        entries(folder).into_iter().rev().filter(|(name, _)| of_nvrtc(name)).map(|(_, path)| path).collect()
    } else {
        with_versions(folder, "libnvrtc.so")
    };
    found.into_iter().map(Candidate::File).collect()
}

/// Returns the numbers of a version: [13, 0] for `-13.0`, [3, 12] for `3.12`, [13] for `.13`, none for an empty text.
/// `None` if the text is no version.
fn version(text: &str) -> Option<Vec<u32>> {
    let numbers = text.strip_prefix(['-', '.']).unwrap_or(text);
    if numbers.is_empty() { Some(Vec::new()) } else { numbers.split('.').map(|number| number.parse().ok()).collect() }
}

/// Opened library, if one was found; and a line for each place that was tried, of which the last one names the library.
#[derive(Debug)]
pub(super) struct Searched<T> {
    pub(super) found: Option<T>,
    pub(super) tried: Vec<String>,
}

/// Opens the first candidate of `places` that can be opened. If `open` fails without a reason, there is no such
/// library; else the reason says why the library cannot be used.
pub(super) fn search<T>(
    places: &[Place],
    mut open: impl FnMut(&Candidate) -> std::result::Result<T, Option<String>>,
) -> Searched<T> {
    let mut tried = Vec::new();
    for Place { name, candidates } in places {
        let mut wrong = Vec::new();
        for candidate in candidates {
            let what = match candidate {
                Candidate::Loaded(library) => library.clone(),
                Candidate::File(file) => file.display().to_string(),
            };
            match open(candidate) {
                Ok(found) => {
                    wrong.push(format!("{what}, taken"));
                    tried.push(format!("{name}: {}", wrong.join("; ")));
                    return Searched { found: Some(found), tried };
                }
                Err(Some(reason)) => wrong.push(format!("{what}: {reason}")),
                Err(None) => {}
            }
        }
        tried.push(format!("{name}: {}", if wrong.is_empty() { "none".to_owned() } else { wrong.join("; ") }));
    }
    Searched { found: None, tried }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
