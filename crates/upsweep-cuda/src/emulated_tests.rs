//! Tests of the kernels' own text under random schedules, without a GPU. The host's C++ compiler compiles the text, and
//! each CUDA thread is a fiber. See `tests/emulator/threads.h`.
//!
//! Files of `tests/emulator` replace the code that consists of PTX instructions. Blocks are smaller than on a GPU, so
//! that a case has many tiles and groups of tiles.

#[path = "emulated_tests/automata.rs"]
mod automata;
#[path = "emulated_tests/axes.rs"]
mod axes;
#[path = "emulated_tests/by_keys.rs"]
mod by_keys;
#[path = "emulated_tests/compiler.rs"]
mod compiler;
#[path = "emulated_tests/gathered.rs"]
mod gathered;
#[path = "emulated_tests/histograms.rs"]
mod histograms;
#[path = "emulated_tests/columns.rs"]
mod interleaved;
#[path = "emulated_tests/list_scan.rs"]
mod list_scan;
#[path = "emulated_tests/moving_sums.rs"]
mod moving_sums;
#[path = "emulated_tests/parts.rs"]
mod parts;
#[path = "emulated_tests/pyramids.rs"]
mod pyramids;
#[path = "emulated_tests/rankings.rs"]
mod rankings;
#[path = "emulated_tests/recurrences.rs"]
mod recurrences;
#[path = "emulated_tests/rows.rs"]
mod rows;
#[path = "emulated_tests/selections.rs"]
mod selections;
#[path = "emulated_tests/sorts.rs"]
mod sorts;
#[path = "emulated_tests/transforms.rs"]
mod transforms;
#[path = "emulated_tests/trees.rs"]
mod trees;
#[path = "emulated_tests/up_sweeps.rs"]
mod up_sweeps;

use super::*;
use crate::features::{Features, Heads, Pass};
use crate::job::{Functions, text_of};
use crate::variants::{AddMasked, Weighed};
use crate::{code, reduce, reduce::ReduceParams, scan, scan::ScanParams};
use compiler::{Folder, printed, run};
use half::{bf16, f16};
use std::process::Command;
use upsweep_core::halves::InF32;
use upsweep_core::inputs::Read;
use upsweep_core::operator::builtin::{Max, Product, Sum};
use upsweep_core::operator::{Element, Form, Map, MapWith, Operator, Same, Source, Widen};
use upsweep_core::outputs::Write;
use upsweep_core::segments::{Equal, Keys, Offsets, Segmentation, Whole};
use upsweep_core::steps::{Held, JobSteps, Parts};
use upsweep_plan::{constants::Constants, scan::ScanPlan, scan::Sizes};

/// Composition of maps `x -> m x + c`, as an operator that does not commute. The upper half of a u32 is `m`, the lower
/// one `c`.
#[derive(Clone, Copy)]
struct Then;
impl Operator<u32> for Then {
    const FORM: Form = Form::Other;
    fn combine(&self, f: u32, g: u32) -> u32 {
        let (m, c) = ((f >> 16).wrapping_mul(g >> 16), (f & 0xffff).wrapping_mul(g >> 16).wrapping_add(g));
        m << 16 | (c & 0xffff)
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        source.define("then", "then", |_, name| {
            format!(
                "__device__ __forceinline__ u32 {name}(u32 f, u32 g) {{\n  \
                 return (f >> 16) * (g >> 16) << 16 | (((f & 0xffff) * (g >> 16) + g) & 0xffff);\n}}"
            )
        })
    }
}

/// Map of an element `x` to `x + 77 index`, where `index` is the element's position in the array.
#[derive(Clone, Copy)]
struct Placed;
impl Map<u32> for Placed {
    type Output = u32;
    fn apply(&self, x: u32, index: u64) -> u32 {
        x.wrapping_add((index as u32).wrapping_mul(77))
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        source.define("placed", "placed", |_, name| {
            format!("__device__ __forceinline__ u32 {name}(u32 x, u64 index) {{ return x + (u32)index * 77; }}")
        })
    }
}

macro_rules! emulator {
    ($($path:literal => $file:literal),* $(,)?) => {
        /// Files of the emulator, with the paths under which they are included: some replace files under `kernels/`,
        /// others are the emulator's own.
        const EMULATOR: &[(&str, &str)] = &[$(($path, include_str!(concat!("../tests/emulator/", $file)))),*];
    };
}
emulator! {
    "block/barrier.cuh" => "barrier.h",
    "block/cluster.cuh" => "cluster.h",
    "memory/instructions.cuh" => "memory_instructions.h",
    "memory/parameters.cuh" => "parameters.h",
    "word/instructions.cuh" => "lane_instructions.h",
    "emulator/threads.h" => "threads.h",
    "emulator/races.h" => "races.h",
    "emulator/cuda.h" => "cuda.h",
    "emulator/memory.h" => "memory.h",
    "emulator/workspace.h" => "workspace.h",
    "emulator/tiles.h" => "tiles.h", "emulator/tree.h" => "tree.h", "emulator/lanes.h" => "lanes.h", "emulator/columns_oracle.h" => "columns_oracle.h", "emulator/offsets.h" => "offsets.h",
    "emulator/reduce/gathered.h" => "reduce/gathered.h", "emulator/reduce/gathered_starts.h" => "reduce/gathered_starts.h",
    "emulator/automaton/automaton.h" => "automaton/automaton.h", "emulator/machine.h" => "machine.h", "emulator/automaton/ways.h" => "automaton/ways.h", "emulator/automaton/entries.h" => "automaton/entries.h",
    "emulator/recurrence/recurrence.h" => "recurrence/recurrence.h", "emulator/reduce/reduce.h" => "reduce/reduce.h", "emulator/reduce/rows.h" => "reduce/rows.h", "emulator/reduce/row_totals.h" => "reduce/row_totals.h", "emulator/reduce/join_totals.h" => "reduce/join_totals.h",
    "emulator/reduce/columns_case.h" => "reduce/columns_case.h", "emulator/reduce/column_totals.h" => "reduce/column_totals.h", "emulator/reduce/narrow_columns.h" => "reduce/narrow_columns.h", "emulator/reduce/short_rows.h" => "reduce/short_rows.h", "emulator/reduce/join_columns.h" => "reduce/join_columns.h",
    "emulator/list_scan/list_scan.h" => "list_scan/list_scan.h", "emulator/columns/columns.h" => "columns/columns.h",
    "emulator/expand/expand.cuh" => "expand/expand.cuh", "emulator/expand/expand.h" => "expand/expand.h",
    "emulator/histogram/histogram.h" => "histogram/histogram.h", "emulator/search/search.h" => "search/search.h",
    "emulator/merge/merge.h" => "merge/merge.h", "emulator/merge/four.h" => "merge/four.h", "emulator/select/select.h" => "select/select.h", "emulator/select/partition.h" => "select/partition.h", "emulator/sort_by/sort_by.h" => "sort_by/sort_by.h",
    "emulator/topk/store.h" => "topk/store.h", "emulator/topk/collect.h" => "topk/collect.h", "emulator/topk/count.h" => "topk/count.h",
    "emulator/up_sweep/up_sweep.h" => "up_sweep/up_sweep.h", "emulator/pyramid/pyramid.h" => "pyramid/pyramid.h", "emulator/moving_sum/moving_sum.h" => "moving_sum/moving_sum.h", "emulator/transform/transform.h" => "transform/transform.h",
    "emulator/scan/open.h" => "scan/open.h", "emulator/reduce/subtrees.h" => "reduce/subtrees.h",
    "emulator/scan_axes/scan_axes.h" => "scan_axes/scan_axes.h", "emulator/sort/scatter.h" => "sort/scatter.h",
    "emulator/sort/cluster.h" => "sort/cluster.h", "emulator/sort/cuts.h" => "sort/cuts.h",
    "emulator/sort/pass.h" => "sort/pass.h", "emulator/sort/count.h" => "sort/count.h", "emulator/sort/counting.h" => "sort/counting.h",
    "emulator/sort/local.h" => "sort/local.h", "emulator/sort/short.h" => "sort/short.h", "emulator/sort/split.h" => "sort/split.h",
    "sketches/select.cuh" => "sketches/select.cuh",
    "sketches/select.h" => "sketches/select.h",
    "sketches/digits.cuh" => "sketches/digits.cuh",
    "sketches/digits.h" => "sketches/digits.h",
}

/// Returns the text of the file at `path`: the emulator's if it has one, else the kernel file.
fn emulated(path: &str) -> Option<&'static str> {
    EMULATOR.iter().find(|(name, _)| *name == path).map(|(_, text)| *text).or_else(|| embedded(path))
}

/// Returns the host's version of the file that every kernel begins with: its arithmetic without PTX, and CUDA's names.
fn first_file() -> String {
    let (before, after) = embedded(FIRST).unwrap().split_once("// PTX: begin").unwrap();
    let (_, after) = after.split_once("// PTX: end").unwrap();
    let (names, ptx) = include_str!("../../upsweep/tests/operators/host_cxx.h").split_once("// PTX").unwrap();
    let includes = ["threads", "races", "cuda"].map(|stem| format!("#include \"emulator/{stem}.h\"\n")).concat();
    format!("{names}\n{before}\n{ptx}\n{after}\n{includes}")
}

/// Returns a kernel's text for the host in two parts: the one before the prelude, which is the same for all kernels,
/// and the rest.
fn around_prelude(source: &KernelSource) -> (String, String) {
    let first = first_file();
    let text = stitch_from(source, &|path| if path == FIRST { Some(first.as_str()) } else { emulated(path) }).unwrap();
    let (before, after) = text.split_at(text.find("#line 1 \"prelude\"").unwrap());
    (before.to_owned(), after.to_owned())
}

/// Replaces the declarations of variables in shared memory in `text`, so that each emulated block has its own
/// variables.
fn with_shared_variables(text: &str) -> String {
    let mut variables = 0;
    let line = |line: &str| {
        if line.trim_start().starts_with("extern __shared__") {
            return "#define dynamic_shared emulator::dynamic_shared()\n".to_owned();
        }
        let Some((indent, variable)) = line.split_once("__shared__ ") else { return format!("{line}\n") };
        let (ty, name) = variable.trim_end_matches(';').split_once(' ').unwrap();
        let (name, dimensions) = name.split_at(name.find('[').unwrap_or(name.len()));
        variables += 1;
        format!("{indent}auto& {name} = emulator::shared_variable<{ty}{dimensions}, {variables}>();\n")
    };
    text.lines().map(line).collect()
}

/// Steps of a job whose inputs and outputs capture no values.
trait Buffers: JobSteps<In: Read<Functions: Default>, Out: Write<Functions: Default>> {}
impl<S: JobSteps<In: Read<Functions: Default>, Out: Write<Functions: Default>>> Buffers for S {}

/// Returns the C++ program that runs a kernel on random inputs, without the text before the prelude. `constants` are
/// those of the kernel's constants that differ from a GPU's, with their values.
fn program(source: &KernelSource, constants: &[(&str, usize)]) -> String {
    let mut source = source.clone();
    for (name, value) in constants {
        let (before, after) = source.prelude.split_once(&format!("{name} = ")).unwrap();
        let after = &after[after.find([',', ';']).unwrap()..];
        source.prelude = format!("{before}{name} = {value}{after}");
    }
    // Removes the assertions of the fields' offsets: the host's compiler does not take the offsets for constants.
    source.prelude = source
        .prelude
        .lines()
        .filter(|line| !line.contains("__INTADDR__"))
        .fold(String::new(), |text, line| text + line + "\n");
    let (_, text) = around_prelude(&source);
    // The file that runs the kernel knows its types. It lies beside the kernel if the kernel is one of the tests, and
    // under `emulator/` if the kernel is of a family.
    let own = source.root.replace(".cuh", ".h");
    let is_own = |path: &&str| *path == own || path.strip_prefix("emulator/") == Some(&own);
    let cases = EMULATOR.iter().map(|(path, _)| *path).find(is_own).unwrap_or("emulator/tiles.h");
    let cases = KernelSource { root: cases, prelude: String::new(), ..source };
    let cases = stitch_from(&cases, &|path| if path == FIRST { Some("") } else { emulated(path) }).unwrap();
    let wave = u8::from(source.root == "scan/wave.cuh");
    let runs = u8::from(source.root == "reduce/runs.cuh");
    let task = if source.root == "scan/segments.cuh" { "SegmentsTask" } else { "ScanTask" };
    let text = with_shared_variables(&text);
    format!(
        "{text}#define KERNEL {}\n#define IN_WAVE {wave}\n#define BY_RUNS {runs}\n#define TASK {task}\n{cases}",
        source.entry
    )
}

/// Kernel that scans an array tile by tile, or reduces it by segment.
#[derive(Clone, Copy, Debug)]
enum Family {
    SmallWave,
    Wave,
    Pipeline,
    /// A pipeline where a block has no room for a third tile.
    TwoTiles,
    Segments,
    Runs,
}
use Family::{Pipeline, Runs, Segments, SmallWave, TwoTiles, Wave};

/// Returns the features of a scan, or of a reduction by segment. Each letter in `options` is one: `x` exclusive, `r`
/// reverse, `i` with an initial value, `s` reduction by segment, `c` with the state after it, `p` after another part.
fn features(heads: Heads, options: &str) -> Features {
    let [exclusive, reverse, has_init, by_segment, carries, continues] =
        ['x', 'r', 'i', 's', 'c', 'p'].map(|option| options.contains(option));
    let (interleaved, pass) = (1, Pass::Whole);
    Features { heads, exclusive, reverse, has_init, by_segment, carries, continues, interleaved, pass }
}

/// Returns `features` with `interleaved` neighbouring lines that are scanned as one line, whose elements are arrays.
fn lines(interleaved: usize, features: Features) -> Features {
    Features { interleaved, ..features }
}

/// Runs a kernel that scans tiles of `I`, or reduces them by segment, on `cases` random inputs.
fn tiles<G: Segmentation<Same: Default>, I: Element, Op: Operator<I>>(
    family: Family,
    operator: Op,
    features: Features,
    cases: u32,
) {
    tiles_of::<G, _>(family, Parts::<I, I, Op, Same, Same>::new(operator, Same, Same), features, cases);
}

fn tiles_of<G: Segmentation<Same: Default>, S: Buffers>(family: Family, steps: S, features: Features, cases: u32) {
    let same = G::Same::default();
    let text = |source: &mut Source| text_of::<S, G>(source, &steps, Some(&same), &Default::default());
    let mut held = Held::nothing();
    held.add_all::<S, G>(&steps, Some(&same)).unwrap();
    let functions = Functions::of::<S, G>(&text, &held);
    let sizes = features.sizes(functions.layouts);
    let (plan, constants): (_, &[_]) = match family {
        SmallWave => (ScanPlan::new(1 << 10, sizes, CAPABILITY), &[("MOST_PARTS", 8), ("MOST_TILES", 1)]),
        Wave => (ScanPlan::new(1 << 20, sizes, CAPABILITY), &[("MOST_PARTS", 5), ("MOST_TILES", 3)]),
        Pipeline => (ScanPlan::with_waves(1 << 21, sizes, CAPABILITY, 0), &[("GROUPS", 2)]),
        TwoTiles => (
            ScanPlan::with_waves(1 << 21, sizes, CAPABILITY, 0),
            &[("GROUPS", 2), ("AHEAD", 0), ("LAG", 1), ("STAGES", 2), ("RING", 2), ("LOOK_BACK_WARPS", 1)],
        ),
        Segments => (ScanPlan::of_segments(1 << 21, sizes, CAPABILITY), &[("GROUPS", 2)]),
        // The ring is the shared memory in which results wait. If all elements are heads, a tile waits for an earlier
        // tile's room.
        Runs => {
            let runs = features.runs(1 << 21, functions.layouts, Some(functions.key)).unwrap();
            (
                ScanPlan::of_runs(1 << 21, sizes, runs, CAPABILITY, 0).unwrap(),
                &[("GROUPS", 2), ("RING_BYTES", 32 << 10)],
            )
        }
    };
    let mut source = scan::kernel(&plan, features, &functions).source::<ScanParams>().unwrap();
    // SAFETY: no value that a test's functions capture has padding, so all bytes are initialised.
    let values: Vec<u8> = held.values.bytes().iter().map(|byte| unsafe { byte.assume_init() }).collect();
    source.prelude.insert_str(0, &format!("#define VALUES {{ {values:?} }}\n").replace(['[', ']'], ""));
    run(&format!("{family:?} {}", name::<(S, G)>(features)), &source, &[constants, THREADS].concat(), cases);
}

/// Runs the reduction of a whole array on `cases` random inputs.
fn reduction<I: Element, M: Map<I>, Op: Operator<M::Output>>(map: M, operator: Op, features: Features, cases: u32) {
    reduction_of(Parts::<I, M::Output, Op, M, Same>::new(operator, map, Same), features, cases);
}

fn reduction_of<S: Buffers>(steps: S, features: Features, cases: u32) {
    let text = |source: &mut Source| text_of::<S, Whole>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<S, Whole>(&text, &held);
    let source = reduce::kernel(&reduce::plan(1 << 20, functions.layouts, functions.known.form), features, &functions)
        .source::<ReduceParams>()
        .unwrap();
    run(&format!("reduction {}", name::<S>(features)), &source, THREADS, cases);
}

/// Runs a kernel of the tests, which the library does not have, on `cases` random inputs: an example of what the
/// kernels' shared files suffice for.
fn sketch(root: &'static str, entry: &'static str, numbers: Constants, constants: &[(&str, usize)], cases: u32) {
    let steps = Parts::<u32, u32, Sum, Same, Same>::new(Sum, Same, Same);
    let text = |source: &mut Source| text_of::<_, Whole>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<Parts<u32, u32, Sum, Same, Same>, Whole>(&text, &held);
    let prelude = code::functions_text(&functions, Features::PLAIN).0 + &numbers.to_string();
    run(entry, &KernelSource { root, prelude, entry }, constants, cases);
}

fn name<Types>(features: Features) -> String {
    format!("{} {features:?}", std::any::type_name::<Types>())
}

/// Compute capability of the device that the emulated kernels are planned for.
const CAPABILITY: (u32, u32) = (9, 0);
/// Number of threads of an emulated block: the fewest warps that kernels allow.
const THREADS: &[(&str, usize)] = &[("THREADS", 128)];

/// Returns the steps of a sum of 16-bit floats, which is computed in f32.
fn in_f32<T: Element>() -> InF32<T, T, Sum, Same, Same>
where
    Sum: Operator<T>,
{
    InF32(Parts::new(Sum, Same, Same))
}

/// Returns the steps of a sum of bytes in u32.
fn widened() -> Parts<u8, u32, Sum, Widen<u32>, Same> {
    Parts::new(Sum, Widen::new(), Same)
}

type By<Offset> = Offsets<'static, [Offset]>;
type ByKey = Keys<'static, [u32], Equal>;

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_waves() {
    tiles::<Whole, u32, _>(SmallWave, Then, features(Heads::None, "xic"), 60);
    tiles::<Whole, u8, _>(Wave, Sum, features(Heads::None, "rc"), 60);
    tiles::<Whole, i64, _>(Wave, Sum, features(Heads::Rows, "i"), 60);
    tiles::<By<u64>, u32, _>(Wave, Then, features(Heads::Offsets, "xr"), 60);
    tiles::<Whole, u32, _>(Wave, Then, lines(2, features(Heads::None, "xi")), 60);
    tiles_of::<Whole, _>(Wave, in_f32::<f16>(), features(Heads::None, "i"), 60);
    tiles_of::<Whole, _>(Wave, widened(), features(Heads::None, "xr"), 60);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_pipelines() {
    tiles::<Whole, u8, _>(Pipeline, Sum, features(Heads::None, "x"), 60);
    tiles_of::<Whole, _>(Pipeline, widened(), features(Heads::None, "i"), 60);
    tiles::<Whole, f64, _>(Pipeline, Max, features(Heads::None, "ic"), 60);
    tiles::<Whole, u32, _>(Pipeline, Then, features(Heads::None, "xrc"), 60);
    tiles::<Whole, u32, _>(Pipeline, Then, features(Heads::Rows, "xi"), 60);
    let (operator, map) = (AddMasked { mask: 0xffff }, MapWith(Weighed { weights: [3, 1, 4, 1, 5] }));
    tiles_of::<Whole, _>(
        Pipeline,
        Parts::<u32, u32, _, _, _>::new(operator, map, Same),
        features(Heads::None, "x"),
        60,
    );
    tiles::<Whole, u32, _>(Pipeline, Then, lines(3, features(Heads::Rows, "ri")), 60);
    tiles::<Whole, u8, _>(Pipeline, Sum, lines(5, features(Heads::None, "r")), 60);
    tiles::<Whole, u32, _>(Pipeline, Then, features(Heads::Flags, "xr"), 60);
    tiles::<ByKey, u32, _>(Pipeline, Then, features(Heads::Keys, "s"), 60);
    tiles::<By<u32>, u32, _>(Pipeline, Then, features(Heads::Offsets, "r"), 60);
    tiles::<By<u64>, u8, _>(Pipeline, Sum, features(Heads::Offsets, "xi"), 60);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_segments() {
    tiles::<Whole, u32, _>(Segments, Then, features(Heads::Rows, "si"), 60);
    tiles::<Whole, u32, _>(Segments, Then, lines(2, features(Heads::Rows, "s")), 60);
    tiles::<By<u32>, u32, _>(Segments, Then, features(Heads::Offsets, "s"), 60);
    tiles::<By<u64>, i64, _>(Segments, Sum, features(Heads::Offsets, "si"), 60);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_reductions() {
    reduction::<u32, _, _>(Same, Then, features(Heads::None, "i"), 60);
    reduction::<i8, _, _>(Same, Max, features(Heads::None, ""), 60);
    reduction::<u8, _, _>(Widen::<u64>::new(), Sum, features(Heads::None, ""), 60);
    reduction_of(in_f32::<bf16>(), features(Heads::None, "i"), 60);
    reduction::<f32, _, _>(Same, Sum, features(Heads::None, ""), 60);
    reduction::<f64, _, _>(Same, Product, features(Heads::None, "i"), 60);
    reduction::<u8, _, _>(Widen::<f64>::new(), Sum, features(Heads::None, ""), 60);
    reduction::<u16, _, _>(Widen::<f32>::new(), Sum, features(Heads::None, ""), 60);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_sketches() {
    let tiles_of = |bytes: usize, state: usize| {
        ScanPlan::with_waves(1 << 21, Sizes::plain(bytes, state, bytes), CAPABILITY, 0).constants()
    };
    let few = &[("GROUPS", 2), ("THREADS", 128)];
    sketch("sketches/select.cuh", "sketch_select", tiles_of(12, 8), few, 60);
    let large = &[("THREADS", 512), ("ROWS", 17), ("AHEAD", 0)];
    sketch("sketches/digits.cuh", "sketch_digits", tiles_of(4, 4), large, 12);
}

/// Checks that every kernel file compiles by itself: it includes what it uses, and `config.cuh` declares the rest.
#[test]
#[ignore = "needs Linux and a C++20 compiler: g++ 12 or later, or $CXX"]
fn emulated_files_stand_alone() {
    let folder = Folder::new();
    let compile = |arguments: &[&str], path: &str, name: &str, text: &str| {
        let from = folder.0.join(name);
        std::fs::write(&from, text).unwrap();
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
        let output = Command::new(compiler).args(["-std=gnu++20", "-w"]).args(arguments).arg(&from).output().unwrap();
        assert!(output.status.success(), "{path}: {}", printed(&output));
    };
    let sample = crate::variants::sample();
    let mut compiled = false;
    for (path, _) in FILES.iter().filter(|(path, _)| *path != FIRST && *path != CONFIG) {
        let source = KernelSource { root: path, prelude: sample.clone(), entry: "" };
        let (before, text) = around_prelude(&source);
        if !compiled {
            compile(&["-x", "c++-header"], FIRST, "first.h", &before);
            compiled = true;
        }
        let text = with_shared_variables(&text);
        compile(&["-fsyntax-only"], path, "file.cpp", &format!("#include \"first.h\"\n{text}"));
    }
}
