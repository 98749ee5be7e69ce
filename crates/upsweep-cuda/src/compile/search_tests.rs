//! Tests of the search for NVRTC, in folders that look like usual installations.

use super::*;
use std::collections::HashMap;
use std::fs;

/// Folder of one test in which it makes files; removed when this is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("upsweep-nvrtc-{}-{test}", std::process::id()));
        let _from_an_earlier_run = fs::remove_dir_all(&path);
        Self(path)
    }

    /// Creates `file` in the folder, with the folders that it is in.
    fn has(&self, file: &str) -> PathBuf {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, b"").unwrap();
        path
    }

    /// Returns the libraries, by file or name, that the search tries in the places whose names begin with `place`.
    fn tried(&self, variables: &[(&str, &str)], place: &str) -> Vec<String> {
        let variables: HashMap<&str, PathBuf> =
            variables.iter().map(|&(name, folder)| (name, self.0.join(folder))).collect();
        let environment = Environment {
            variable: &|name| variables.get(name).cloned(),
            program: Some(self.0.join("tools/bin/upsweep")),
            root: &self.0,
        };
        let places = environment.places();
        let found = places.iter().filter(|found| found.name.starts_with(place)).flat_map(|found| &found.candidates);
        found
            .map(|candidate| match candidate {
                Candidate::Loaded(name) => name.clone(),
                Candidate::File(file) => file.strip_prefix(&self.0).unwrap_or(file).display().to_string(),
            })
            .collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn everywhere_where_people_have_it() {
    let folder = Folder::new("places");
    let files = [
        "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
        "venv/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
        "conda/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
        "conda/lib/libnvrtc.so.12",
        "tools/lib/python3.13/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
        "toolkit/lib64/libnvrtc.so",
        "home/targets/x86_64-linux/lib/libnvrtc.so.12",
        "usr/local/cuda/lib64/libnvrtc.so.12",
        "usr/local/cuda-12.8/lib64/libnvrtc.so.12",
        "usr/local/cuda-13.0/targets/sbsa-linux/lib/libnvrtc.so.13",
        "opt/cuda/lib64/libnvrtc.so.13",
    ];
    files.iter().for_each(|file| drop(folder.has(file)));
    // These files lie in NVRTC's folder, but are not NVRTC's library.
    for file in ["libnvrtc-builtins.so.13.0", "libnvrtc.alt.so.13", "libnvrtc_static.a", "libnvrtc.so.txt"] {
        folder.has(&format!("venv/lib/python3.12/site-packages/nvidia/cu13/lib/{file}"));
    }
    folder.has("usr/local/cuda-samples/lib64/libnvrtc.so.13");
    let variables =
        [("VIRTUAL_ENV", "venv"), ("CONDA_PREFIX", "conda"), ("CUDA_PATH", "toolkit"), ("CUDA_HOME", "home")];
    let tried = |place| folder.tried(&variables, place);
    assert_eq!(tried("the process"), ["libnvrtc.so.13", "libnvrtc.so.12"]);
    assert_eq!(tried("$VIRTUAL_ENV"), files[..2]);
    assert_eq!(tried("$CONDA_PREFIX"), files[2..4]);
    assert_eq!(tried("the program"), files[4..5]);
    assert_eq!(tried("the system"), ["libnvrtc.so.13", "libnvrtc.so.12"]);
    assert_eq!(tried("$CUDA_PATH"), files[5..6]);
    assert_eq!(tried("$CUDA_HOME"), files[6..7]);
    // In `usr/local` the newest toolkit comes first, and the one without a version in its name comes last.
    let local = folder.tried(&variables, &folder.0.join("usr/local").display().to_string());
    assert_eq!(local, [files[9], files[8], files[7], files[10]]);
    let names: Vec<String> =
        ["the process", "$VIRTUAL_ENV", "$CONDA_PREFIX", "the program", "the system", "$CUDA_PATH"]
            .map(|place| tried(place).join(" "))
            .to_vec();
    assert_eq!(folder.tried(&variables, "").join(" ").find(&names.join(" ")), Some(0), "the order of the places");
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_else_than_what_is_named() {
    let folder = Folder::new("named");
    folder.has("usr/local/cuda/lib64/libnvrtc.so.12");
    assert_eq!(folder.tried(&[("UPSWEEP_NVRTC", "my/libnvrtc.so"), ("CUDA_PATH", "x")], ""), ["my/libnvrtc.so"]);
    let environment =
        Environment { variable: &|_| Some(PathBuf::new()), program: None, root: &folder.0.join("nothing") };
    assert_eq!(environment.chosen(), None, "set to nothing");
    let names: Vec<String> = environment.places().into_iter().map(|place| place.name).collect();
    assert!(names.contains(&"$VIRTUAL_ENV (not set)".to_owned()), "{names:?}");
}

#[test]
fn the_first_that_opens_is_taken_and_all_before_it_are_told() {
    let file = |name: &str| Candidate::File(name.into());
    let place = |name: &str, candidates| Place { name: name.to_owned(), candidates };
    let places = [
        place("A", vec![Candidate::Loaded("gone".to_owned()), file("gone")]),
        place("B", vec![]),
        place("C", vec![file("broken"), file("good"), file("better")]),
        place("D", vec![file("good")]),
    ];
    let open = |candidate: &Candidate| match candidate {
        Candidate::File(file) if file.ends_with("good") => Ok(7),
        Candidate::File(file) if file.ends_with("broken") => Err(Some("is no library".to_owned())),
        _ => Err(None),
    };
    let searched = search(&places, open);
    assert_eq!(searched.found, Some(7));
    assert_eq!(searched.tried, ["A: none", "B: none", "C: broken: is no library; good, taken"]);
    let searched = search(&places[..2], open);
    assert_eq!((searched.found, searched.tried.len()), (None, 2));
}

#[test]
fn versions_are_numbers() {
    assert_eq!(version("-13.0"), Some(vec![13, 0]));
    assert_eq!(version("3.12"), Some(vec![3, 12]));
    assert_eq!(version(".13"), Some(vec![13]));
    assert_eq!(version(""), Some(vec![]));
    assert_eq!(version("-samples"), None);
    assert!(version("3.12") > version("3.9") && version("") < version("-1"));
}
