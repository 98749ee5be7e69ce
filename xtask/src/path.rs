//! `cargo xtask path cpu|cuda`: the files that one must know to read a scan's call, `Scan::run`, from its first line down to the
//! instruction, in order, with their lines, and how many of these are code that the call can come to. Of scans alone: other builders'
//! calls go through macros and closures, which a walk over names does not see.

use crate::code::walk::{Step, kernels, walk};
use crate::command::Outcome;
use crate::tree::Tree;
use std::path::Path;

const LIBRARY: &str = "crates/upsweep/";
const ENTRY: &str = "upsweep::scan::Scan::run";

/// Where the reading of each backend's code goes on in a kernel, and what it leaves out: the other backend.
const BACKENDS: [(&str, Option<&str>, &str); 2] =
    [("cpu", None, "src/cuda/"), ("cuda", Some("kernels/device/scan.cuh"), "src/cpu/")];

/// What a reader takes on trust: a file or a folder of the library, and why it need not be read.
const LEAVES: &[(&str, &str)] = &[
    ("src/operator/", "elements, operators and maps: a reader knows what they compute"),
    ("src/error.rs", "errors: they end a path"),
    ("src/lib.rs", "names only"),
    ("src/device.rs", "a device and its buffers: where something lies"),
    ("src/buffer.rs", "buffers: slices with the place where they lie"),
    ("src/init.rs", "an initial value: nothing, a value or a buffer"),
    ("src/segments.rs", "segments are options: the path is that of a whole array"),
    ("src/halves.rs", "sums of f16 and bf16: steps like all others"),
    ("src/planned.rs", "what would run, without running it"),
    ("src/reduce.rs", "another family"),
    ("src/inputs/range.rs", "another input than a buffer"),
    ("src/linear", "another family"),
    ("src/plan/reduce_runs.rs", "another family"),
    ("src/plan/columns.rs", "another axis than the last"),
    ("src/cpu/columns.rs", "another axis than the last"),
    ("src/cpu/tile/columns.rs", "another axis than the last"),
    ("src/cpu/tile/erased.rs", "how builds with `small-loops` call a job's functions"),
    ("src/cpu/engine/segment_heads.rs", "segments are options: the path is that of a whole array"),
    ("src/cpu/tile/x86", "the functions of lanes.rs in other instructions"),
    ("src/cpu/tile/numbers.rs", "rows.rs for elements of several numbers"),
    ("src/cpu/tile/states.rs", "elements of several numbers"),
    ("src/cuda/columns.rs", "another axis than the last"),
    ("src/cuda/reduce.rs", "another family"),
    ("src/cuda/mod.rs", "names only"),
    ("src/cuda/compile/", "from a kernel's text to its machine code"),
    ("src/cuda/runtime/", "the device's memory, streams and kernels: what the driver has under other names"),
    ("kernels/arith.cuh", "operators: a reader knows what they compute"),
    ("kernels/config.cuh", "a sample of what the host gives"),
    ("kernels/tile/heads.cuh", "segments are options: the path is that of a whole array"),
    ("kernels/tile/offsets.cuh", "segments are options: the path is that of a whole array"),
    ("kernels/tile/compact.cuh", "segments are options: the path is that of a whole array"),
    ("kernels/tile/packed.cuh", "a faster way for short elements"),
    ("kernels/tile/keyed.cuh", "a faster way for extremes"),
    ("kernels/word/lanes.cuh", "a faster way for short elements"),
];

pub(crate) fn run(root: &Path, args: &[&str]) -> Outcome {
    let [backend] = args else { return Err("usage: cargo xtask path cpu|cuda".into()) };
    let tree = Tree::read(root)?;
    let steps = path(&tree, backend)?;
    let (mut sum, mut sum_read) = (0, 0);
    println!("lines and, of these, code on the way");
    for step in &steps {
        let lines = lines(&tree, step.path);
        // Of a kernel's file all code is.
        let read = if step.path.ends_with(".rs") { step.lines.len() } else { code(&tree, step.path) };
        let short = |path: &'_ str| path.strip_prefix(LIBRARY).unwrap_or(path).to_owned();
        let from = step.from.map_or_else(String::new, |from| format!("  <- {}", short(from)));
        println!("{lines:6}{read:6}  {:28}{:20}{from}", short(step.path), step.item);
        sum += lines;
        sum_read += read;
    }
    println!("{sum:6}{sum_read:6}  in {} files, for {backend}", steps.len());
    Ok(())
}

/// The files that one must know to read a scan on `backend`.
fn path<'a>(tree: &'a Tree, backend: &str) -> Result<Vec<Step<'a>>, String> {
    let Some((_, kernel, other)) = BACKENDS.iter().find(|(name, ..)| *name == backend) else {
        return Err(format!("there is no backend {backend}: cpu or cuda"));
    };
    for (leaf, _) in LEAVES {
        let leaf_path = format!("{LIBRARY}{leaf}");
        if !tree.0.keys().any(|path| path.starts_with(&leaf_path)) {
            return Err(format!("there is no {LIBRARY}{leaf}, which xtask/src/path.rs names: correct it there"));
        }
    }
    let stops = |path: &str| {
        let path = path.strip_prefix(LIBRARY).unwrap_or(path);
        path.starts_with(other) || LEAVES.iter().any(|(leaf, _)| path.starts_with(leaf))
    };
    let mut steps = walk(tree, ENTRY, &stops)?;
    if let Some(kernel) = kernel {
        steps.extend(kernels(tree, &format!("{LIBRARY}{kernel}"), &stops)?);
    }
    Ok(steps)
}

/// The lines of a kernel's file that are no comment and not empty.
fn code(tree: &Tree, path: &str) -> usize {
    let text = tree.0.get(path).and_then(|text| text.as_deref()).unwrap_or_default();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// The lines of a file, without what only its tests see.
fn lines(tree: &Tree, path: &str) -> usize {
    let text = tree.0.get(path).and_then(|text| text.as_deref()).unwrap_or_default();
    let mut count = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]" {
            // To the end of the item, as rustfmt writes it.
            lines.by_ref().find(|line| *line == "}" || line.ends_with(';') && !line.starts_with(' '));
        } else {
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn items_of_tests_do_not_count() {
        let text = "fn a() {\n}\n#[cfg(test)]\nfn b() {\n    c();\n}\n\nfn d() {}\n#[cfg(test)]\n#[path = \"e.rs\"]\n\
                    mod e;\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n";
        assert_eq!(lines(&tree(&[("a.rs", text)]), "a.rs"), 4);
    }

    #[test]
    fn the_scan_is_read_from_the_builder_to_the_shuffle() {
        let tree = Tree::read(&crate::command::root()).unwrap();
        for (backend, last) in [("cpu", "/lanes.rs"), ("cuda", "/warp/shuffle.cuh")] {
            let steps = path(&tree, backend).unwrap();
            let files: Vec<&str> = steps.iter().filter_map(|step| step.path.strip_prefix(LIBRARY)).collect();
            assert_eq!(files[0], "src/scan.rs");
            assert!(files.iter().any(|file| file.ends_with(last)), "{backend}: {files:?}");
            let other = if backend == "cpu" { "/cuda/" } else { "/cpu/" };
            assert!(!files.iter().any(|file| file.contains(other)), "{backend}: {files:?}");
        }
        assert!(path(&tree, "gpu").is_err());
    }
}
