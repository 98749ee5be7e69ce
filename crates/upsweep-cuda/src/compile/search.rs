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

/// Major versions that have all functions that are called, the newest first. A package's name contains one of them.
const MAJORS: [u32; 2] = [13, 12];

/// Library that can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// Library of this name, if the process has loaded it already.
    Loaded(String),
    /// File, by its path or by a name that the system's loader finds.
    File(PathBuf),
}

/// Place, and the libraries there that may be NVRTC.
#[derive(Debug)]
pub(super) struct Place {
    /// Name in messages.
    pub(super) name: String,
    pub(super) candidates: Vec<Candidate>,
}

/// Environment that decides which places are searched.
pub(super) struct Environment<'a> {
    /// Returns the value of an environment variable.
    pub(super) variable: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// Path of the running program.
    pub(super) program: Option<PathBuf>,
    /// Root of the file system.
    pub(super) root: &'a Path,
}

/// Variable that names NVRTC's file.
pub(super) const CHOSEN: &str = "UPSWEEP_NVRTC";

impl Environment<'_> {
    /// Returns the value of a variable that is set and not empty.
    fn set(&self, name: &str) -> Option<PathBuf> {
        (self.variable)(name).filter(|value| !value.as_os_str().is_empty())
    }

    /// Returns the file that the user has chosen.
    pub(super) fn chosen(&self) -> Option<PathBuf> {
        self.set(CHOSEN)
    }

    /// Returns the places in their order.
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
        // A program of a Python package lies in `bin`, next to `lib`.
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

/// Returns the name under which a library of this version is loaded.
fn name_of(major: u32) -> String {
    if cfg!(windows) { format!("nvrtc64_{major}0_0.dll") } else { format!("libnvrtc.so.{major}") }
}

/// Returns the folders of NVIDIA's packages in the Python environment at `prefix`. CUDA 13 has one for all its
/// libraries; earlier versions have one for NVRTC.
fn packages(prefix: &Path) -> Vec<PathBuf> {
    let mut sites: Vec<PathBuf> =
        with_versions(&prefix.join("lib"), "python").into_iter().map(|lib| lib.join("site-packages")).collect();
    sites.push(prefix.join("Lib/site-packages"));
    let folders = ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", "nvidia/cu13/bin/x86_64", "nvidia/cuda_nvrtc/bin"];
    sites.iter().flat_map(|site| folders.map(|folder| site.join(folder))).collect()
}

/// Returns the folders of libraries in a toolkit.
fn toolkit(prefix: &Path) -> Vec<PathBuf> {
    let targets = entries(&prefix.join("targets")).into_iter().map(|(_, target)| target.join("lib"));
    ["lib64", "lib", "bin/x64", "bin"].iter().map(|folder| prefix.join(folder)).chain(targets).collect()
}

/// Returns the entries of a folder with their names; none if it cannot be read.
fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<_> =
        entries.flatten().map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())).collect();
    entries.sort();
    entries
}

/// Returns the entries of a folder whose names are `stem` with a version or without one, the newest first.
fn with_versions(folder: &Path, stem: &str) -> Vec<PathBuf> {
    let mut found: Vec<(Vec<u32>, PathBuf)> = entries(folder)
        .into_iter()
        .filter_map(|(name, path)| Some((version(name.strip_prefix(stem)?)?, path)))
        .collect();
    found.sort_by(|(a, _), (b, _)| b.cmp(a));
    found.into_iter().map(|(_, path)| path).collect()
}

/// Returns the files in a folder that are NVRTC by their names, the newest first.
fn files_in(folder: &Path) -> Vec<Candidate> {
    let found = if cfg!(windows) {
        let of_nvrtc = |name: &str| name.starts_with("nvrtc64_") && name.ends_with("_0.dll");
        entries(folder).into_iter().rev().filter(|(name, _)| of_nvrtc(name)).map(|(_, path)| path).collect()
    } else {
        with_versions(folder, "libnvrtc.so")
    };
    found.into_iter().map(Candidate::File).collect()
}

/// Returns the numbers of `-13.0`, `3.12` or `.13`, and an empty list for an empty text.
fn version(text: &str) -> Option<Vec<u32>> {
    let numbers = text.strip_prefix(['-', '.']).unwrap_or(text);
    if numbers.is_empty() { Some(Vec::new()) } else { numbers.split('.').map(|number| number.parse().ok()).collect() }
}

/// Result of a search, and a line for each place that was tried; if NVRTC was found, the last line names it.
#[derive(Debug)]
pub(super) struct Searched<T> {
    pub(super) found: Option<T>,
    pub(super) tried: Vec<String>,
}

/// Opens the first candidate that can be opened. `open` fails with no reason where there is nothing, else with the
/// reason why it cannot be opened.
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
