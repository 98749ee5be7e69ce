//! Stitching of a kernel's CUDA C++: the embedded files and a prelude become one text for NVRTC.

use std::collections::HashSet;
use std::fmt::Write;

/// Source of one kernel.
#[derive(Clone, Debug)]
pub struct KernelSource {
    /// Path of the file with the entry point, in the folder of its family: `"scan/scan.cuh"`.
    pub root: &'static str,
    /// C++ text placed before the root: constants, element types, operators.
    pub prelude: String,
    /// Name of the `extern "C"` kernel.
    pub entry: &'static str,
}

impl KernelSource {
    /// Returns the source of a kernel whose whole text is `text`, after the file that comes before every prelude.
    #[must_use]
    pub fn whole(text: String, entry: &'static str) -> Self {
        // The root is set to the first file, which is included already and so adds nothing.
        Self { root: FIRST, prelude: text, entry }
    }
}

/// File that comes before the prelude in every kernel: the arithmetic that preludes are written in.
const FIRST: &str = "arith.cuh";
/// File with a sample of a prelude, for readers and editors of kernel files. A kernel that runs has its own prelude in
/// place of the sample.
const CONFIG: &str = "config.cuh";

macro_rules! kernel_files {
    (vocabulary: $($shared:literal),* ; families: $($own:literal),* $(;)?) => {
        /// Kernel files: the path of each under `kernels/`, or under `src/` for a file of one family, and its text.
        const FILES: &[(&str, &str)] = &[
            $(($shared, include_str!(concat!("../../kernels/", $shared))),)*
            $(($own, include_str!(concat!("../", $own))),)*
        ];
    };
}
kernel_files! {
    vocabulary:
    "arith.cuh",
    "block/barrier.cuh",
    "block/cluster.cuh",
    "config.cuh",
    "memory/access.cuh",
    "memory/count.cuh",
    "memory/given.cuh",
    "memory/instructions.cuh",
    "memory/layout.cuh",
    "memory/parameters.cuh",
    "memory/results.cuh",
    "memory/sources.cuh",
    "memory/status.cuh",
    "memory/streams.cuh",
    "memory/vectors.cuh",
    "memory/workspace.cuh",
    "tile/blockwise.cuh",
    "tile/compact.cuh",
    "tile/digits.cuh",
    "tile/geometry.cuh",
    "tile/heads.cuh",
    "tile/places.cuh",
    "tile/items.cuh",
    "tile/job.cuh",
    "tile/keyed.cuh",
    "tile/lookback.cuh",
    "tile/offsets.cuh",
    "tile/packed.cuh",
    "tile/pipeline.cuh",
    "tile/relay.cuh",
    "tile/scan.cuh",
    "tile/stage.cuh",
    "tile/state.cuh",
    "tile/store.cuh",
    "tile/tree.cuh",
    "warp/accumulator.cuh",
    "warp/ballots.cuh",
    "warp/counter.cuh",
    "warp/index.cuh",
    "warp/scan.cuh",
    "warp/shuffle.cuh",
    "warp/store.cuh",
    "warp/stretch.cuh",
    "warp/sum.cuh",
    "word/instructions.cuh",
    "word/key.cuh",
    "word/lanes.cuh",
    "word/network.cuh",
    "word/number.cuh",
    "word/tally.cuh",
    "word/value.cuh",
    "word/words.cuh";
    families:
    "automaton/automaton.cuh",
    "automaton/entries.cuh",
    "automaton/tile.cuh",
    "automaton/ways.cuh",
    "columns/columns.cuh",
    "expand/expand.cuh",
    "expand/large.cuh",
    "expand/tile.cuh",
    "histogram/halves.cuh",
    "histogram/histogram.cuh",
    "histogram/range.cuh",
    "histogram/tally.cuh",
    "list_scan/list_scan.cuh",
    "merge/four.cuh",
    "merge/lines.cuh",
    "merge/merge.cuh",
    "merge/tile.cuh",
    "moving_sum/moving_sum.cuh",
    "pyramid/pyramid.cuh",
    "recurrence/linear.cuh",
    "recurrence/lines.cuh",
    "recurrence/matrices.cuh",
    "recurrence/powers.cuh",
    "recurrence/recurrence.cuh",
    "recurrence/states.cuh",
    "recurrence/teams.cuh",
    "reduce/column_parts.cuh",
    "reduce/column_totals.cuh",
    "reduce/gathered.cuh",
    "reduce/gathered_starts.cuh",
    "reduce/gathered_tile.cuh",
    "reduce/join_columns.cuh",
    "reduce/join_totals.cuh",
    "reduce/lanes.cuh",
    "reduce/narrow_columns.cuh",
    "reduce/parts.cuh",
    "reduce/reduce.cuh",
    "reduce/row_totals.cuh",
    "reduce/rows.cuh",
    "reduce/short_rows.cuh",
    "reduce/staged.cuh",
    "reduce/runs.cuh",
    "reduce/subtrees.cuh",
    "scan/scan.cuh",
    "scan/open.cuh",
    "scan/segments.cuh",
    "scan/wave.cuh",
    "scan_axes/scan_axes.cuh",
    "scan_axes/strips.cuh",
    "search/search.cuh",
    "select/choose.cuh",
    "select/partition.cuh",
    "select/select.cuh",
    "sort/cluster.cuh",
    "sort/count.cuh",
    "sort/drain.cuh",
    "sort/few.cuh",
    "sort/fine.cuh",
    "sort/lines.cuh",
    "sort/local.cuh",
    "sort/local_tile.cuh",
    "sort/octave_pass.cuh",
    "sort/octaves.cuh",
    "sort/pass.cuh",
    "sort/passes.cuh",
    "sort/radix.cuh",
    "sort/rank.cuh",
    "sort/scatter.cuh",
    "sort/segments.cuh",
    "sort/short.cuh",
    "sort/split.cuh",
    "sort/values.cuh",
    "sort/visit.cuh",
    "sort/counting.cuh",
    "sort/cuts.cuh",
    "sort_by/sort_by.cuh",
    "topk/collect.cuh",
    "topk/count.cuh",
    "topk/guess.cuh",
    "topk/order.cuh",
    "topk/ranked.cuh",
    "topk/rows.cuh",
    "topk/take.cuh",
    "topk/store.cuh",
    "transform/transform.cuh",
    "up_sweep/up_sweep.cuh";
}

/// Returns the text of a kernel file.
fn embedded(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}

/// Returns the whole text of a kernel for NVRTC.
///
/// # Errors
/// Message with the `#include` that names no kernel file, and the file that contains it.
pub(crate) fn stitch(source: &KernelSource) -> Result<String, String> {
    stitch_from(source, &embedded)
}

/// Returns the file `FIRST`, the prelude and the root file, in this order. Each line `#include "path"` is replaced by
/// the file it names, at its first occurrence, and removed later. Paths are relative to `kernels/`, or to `src/`. Lines
/// `#include <header>` stay. The prelude stands for `config.cuh`, so its lines `#include` are removed.
fn stitch_from<'f>(source: &KernelSource, file: &dyn Fn(&str) -> Option<&'f str>) -> Result<String, String> {
    let mut stitch = Stitch { file, seen: HashSet::from([CONFIG.to_owned()]), text: String::new() };
    stitch.include(FIRST, "the first file of every kernel")?;
    stitch.append("prelude", &source.prelude)?;
    stitch.include(source.root, "the root of a kernel")?;
    Ok(stitch.text)
}

struct Stitch<'s, 'f> {
    file: &'s dyn Fn(&str) -> Option<&'f str>,
    seen: HashSet<String>,
    text: String,
}

impl Stitch<'_, '_> {
    fn include(&mut self, path: &str, wanted_by: &str) -> Result<(), String> {
        if !self.seen.insert(path.to_owned()) {
            return Ok(());
        }
        let text =
            (self.file)(path).ok_or_else(|| format!("{wanted_by} includes \"{path}\", which is no kernel file"))?;
        self.append(path, text)
    }

    fn append(&mut self, path: &str, text: &str) -> Result<(), String> {
        self.line(1, path);
        for (number, line) in text.lines().enumerate() {
            if let Some(included) = included_path(line) {
                self.include(included, &format!("line {} of {path}", number + 1))?;
                self.line(number + 2, path);
            } else {
                // The stitched text is not a header: compilers warn about the pragma in it. Comments would be half of
                // the text, and every first use of a kernel would hash them.
                let line = if line.trim() == "#pragma once" || line.trim_start().starts_with("//") { "" } else { line };
                self.text.push_str(line);
                self.text.push('\n');
            }
        }
        Ok(())
    }

    /// Makes the compiler's messages name `path`, from line `number` on, for the lines that follow.
    fn line(&mut self, number: usize, path: &str) {
        let _infallible = writeln!(self.text, "#line {number} \"{path}\"");
    }
}

/// Returns the path in a line `#include "path"`.
fn included_path(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    let (path, _comment) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    Some(path)
}

#[cfg(test)]
#[path = "../emulated_tests.rs"]
mod emulated_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    fn stitched(files: &[(&'static str, &'static str)], prelude: &str) -> Result<String, String> {
        let source = KernelSource { root: "root.cuh", prelude: prelude.to_owned(), entry: "kernel" };
        stitch_from(&source, &|path| files.iter().find(|(name, _)| *name == path).map(|(_, text)| *text))
    }

    #[test]
    fn arithmetic_then_prelude_then_root() {
        let files = [("arith.cuh", "arith"), ("root.cuh", "root")];
        let expected = "#line 1 \"arith.cuh\"\narith\n#line 1 \"prelude\"\none\ntwo\n#line 1 \"root.cuh\"\nroot\n";
        assert_eq!(stitched(&files, "one\ntwo").as_deref(), Ok(expected));
    }

    #[test]
    fn an_include_is_replaced_once_and_lines_keep_their_numbers() {
        let files = [
            ("arith.cuh", ""),
            ("a/b.cuh", "#pragma once\n  # include \"c.cuh\" // why\nb"),
            ("c.cuh", "c"),
            ("root.cuh", "#include \"c.cuh\"\n#include <header>\n#include \"a/b.cuh\"\n  // words\nroot"),
        ];
        let expected = "#line 1 \"arith.cuh\"\n#line 1 \"prelude\"\n#line 1 \"root.cuh\"\n\
                        #line 1 \"c.cuh\"\nc\n#line 2 \"root.cuh\"\n#include <header>\n\
                        #line 1 \"a/b.cuh\"\n\n#line 3 \"a/b.cuh\"\nb\n#line 4 \"root.cuh\"\n\nroot\n";
        assert_eq!(stitched(&files, "").as_deref(), Ok(expected));
    }

    #[test]
    fn files_that_include_each_other_end() {
        let files =
            [("arith.cuh", ""), ("a.cuh", "#include \"root.cuh\"\na"), ("root.cuh", "#include \"a.cuh\"\nroot")];
        let text = stitched(&files, "").unwrap_or_default();
        assert_eq!(text.matches("\na\n").count(), 1);
        assert_eq!(text.matches("\nroot\n").count(), 1);
    }

    #[test]
    fn a_missing_include_is_named_with_its_place() {
        let files = [("arith.cuh", ""), ("root.cuh", "\n#include \"warp/missing.cuh\"")];
        let error = stitched(&files, "").expect_err("the include is missing");
        assert!(error.contains("line 2 of root.cuh") && error.contains("\"warp/missing.cuh\""), "{error}");
        let error = stitched(&[("arith.cuh", "")], "").expect_err("the root is missing");
        assert!(error.contains("root.cuh"), "{error}");
    }

    #[test]
    fn every_kernel_file_is_embedded() {
        fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
            let Ok(entries) = std::fs::read_dir(folder) else { return };
            for path in entries.flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    walk(&path, files);
                } else if path.extension().is_some_and(|extension| extension == "cuh") {
                    files.push(path);
                }
            }
        }
        for root in ["kernels", "src"].map(|root| Path::new(env!("CARGO_MANIFEST_DIR")).join(root)) {
            let mut files = Vec::new();
            walk(&root, &mut files);
            for file in files {
                let path = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
                assert!(embedded(&path).is_some(), "{path} is not in the table of compile/stitch.rs");
            }
        }
    }

    #[test]
    fn config_is_a_sample_of_what_the_host_gives() {
        let expected = crate::variants::sample();
        if std::env::var_os("UPSWEEP_WRITE").is_some() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(CONFIG);
            std::fs::write(path, &expected).unwrap();
            return;
        }
        assert_eq!(embedded(CONFIG), Some(expected.as_str()), "UPSWEEP_WRITE=1 writes it");
    }

    #[test]
    fn every_include_of_an_embedded_file_exists() {
        for (path, text) in FILES {
            for included in text.lines().filter_map(included_path) {
                assert!(embedded(included).is_some(), "{path} includes \"{included}\", which does not exist");
            }
        }
    }
}
