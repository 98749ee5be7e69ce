//! List of kernels that together cover every kind of job, to be compiled where there is no GPU.

mod automata;
mod axes;
mod gathered;
mod histograms;
mod inputs;
mod list_scan;
mod merges;
mod moving_sums;
mod parts;
mod powers;
mod pyramids;
mod recurrences;
mod rows;
mod selections;
mod sorts;
mod topk;
mod up_sweeps;
mod varying;

use super::KernelSource;
use super::code::Kernel;
use super::columns::ColumnsParams;
use super::features::{Features, Heads, Pass};
use super::job::{Functions, text_of};
use super::params::Fixed;
use super::reduce::ReduceParams;
use super::scan::ScanParams;
use super::transform::TransformParams;
use super::{columns, reduce, scan, transform};
use half::{bf16, f16};
use upsweep_core::halves::{InF32, sums_in_f32};
use upsweep_core::inputs::Read;
use upsweep_core::operator::builtin::{And, ArgMax, CompensatedSum, First, Max, Sum};
use upsweep_core::operator::builtin::{Compensate, Compensated, Rounded};
use upsweep_core::operator::{
    Element, Enumerate, Function, Map, MapWith, Operator, Same, Source, Widen, Zip, function, operator,
};
use upsweep_core::outputs::Write;
use upsweep_core::segments::{Equal, Keys, Segmentation, Whole};
use upsweep_core::steps::{Held, JobSteps, Parts};
use upsweep_plan::scan::ScanPlan;

/// Operator that captures a number. Functions follow; the last one reads a captured array at a computed index.
#[operator]
pub(super) fn add_masked(#[param] mask: u32, a: u32, b: u32) -> u32 {
    (a + b) & mask
}
#[function]
pub(super) fn times(a: f32, b: f32) -> f32 {
    a * b
}
#[function]
pub(super) fn mixed(a: f32, near: [f32; 3], set: bool, b: u8) -> f32 {
    if set { a + near[0] + near[2] } else { f32::from(b) }
}
#[function]
pub(super) fn weighed(#[param] weights: [u16; 5], x: u32) -> u32 {
    x * u32::from(weights[(x % 5) as usize])
}

/// Predicate on elements of any type: the lowest bit of the first byte. The next predicate captures a value.
#[derive(Clone, Copy)]
pub(super) struct FirstBit;
impl<I: Element> Function<(I,)> for FirstBit {
    type Output = bool;
    fn call(&self, (x,): (I,)) -> bool {
        // SAFETY: an element has a first byte, which is no padding.
        unsafe { (&raw const x).cast::<u8>().read() & 1 == 1 }
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        let ty = I::cuda_type(source);
        source.define(&format!("first bit {ty}"), "first_bit", |_, name| {
            format!("__device__ __forceinline__ bool {name}({ty} x) {{ u8 b; memcpy(&b, &x, 1); return b & 1; }}")
        })
    }
}
#[function]
pub(super) fn at_most(#[param] bound: u32, x: u32) -> bool {
    x <= bound
}
/// Predicate on two inputs side by side.
#[function]
pub(super) fn either_odd(a: u32, b: u32) -> bool {
    a % 2 == 1 || b % 2 == 1
}

/// Returns names and sources of kernels that together cover every family, element size, kind of segments and option, as
/// a device of the compute capability `capability` would compile them.
#[must_use]
pub fn variants(capability: (u32, u32)) -> Vec<(String, KernelSource)> {
    let mut list = List { capability, kernels: Vec::new() };
    macro_rules! sums {
        ($($ty:ty)*) => { $(list.scan::<$ty, _, _, _, _>(stringify!($ty), Sum, Same, Same);)* };
    }
    sums! { i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 f16 bf16 f32 f64 }
    macro_rules! maxima {
        ($($ty:ty)*) => { $(list.scan::<$ty, _, _, _, _>(concat!(stringify!($ty), " max"), Max, Same, Same);)* };
    }
    maxima! { i8 u16 f16 f32 f64 }
    list.scan::<u8, _, _, _, _>("u8 and", And, Same, Same);
    list.scan::<(u8, u8, u8), _, _, _, _>("3 bytes", First, Same, Same);
    list.scan::<u8, u64, _, _, _>("u8 as u64", Sum, Widen::<u64>::new(), Same);
    list.scan::<f64, (f64, u64), _, _, _>("f64 argmax", ArgMax, Enumerate, Same);
    list.scan::<f32, f32, _, _, _>("f32 compensated", CompensatedSum, MapWith(Compensate), Rounded);
    list.scan::<u32, u32, _, _, _>("u32 values", AddMasked { mask: 0xff }, MapWith(Weighed { weights: [1; 5] }), Same);
    list.scan::<Compensated<f64>, _, _, _, _>("compensated f64", CompensatedSum, Same, Same);

    list.inputs();
    list.apart();
    list.rows();
    list.portable_lines();
    list.varying();
    list.by_keys();
    for heads in [Heads::None, Heads::Rows, Heads::Flags, Heads::Keys, Heads::Offsets] {
        for (exclusive, reverse, has_init) in [(false, false, true), (true, false, false), (true, true, true)] {
            list.variant(Features { heads, exclusive, reverse, has_init, ..Features::PLAIN });
        }
        if matches!(heads, Heads::None | Heads::Flags | Heads::Keys) {
            list.variant(Features { heads, carries: true, continues: true, ..Features::PLAIN });
        }
        if heads == Heads::None {
            list.variant(Features { carries: true, ..Features::PLAIN });
            list.columns_of_i32(Features { by_segment: true, ..Features::PLAIN });
            list.columns_of_i32(Features { by_segment: true, has_init: true, ..Features::PLAIN });
        } else {
            list.variant(Features { heads, by_segment: true, ..Features::PLAIN });
            list.variant(Features { heads, by_segment: true, has_init: true, ..Features::PLAIN });
        }
    }
    for heads in [Heads::None, Heads::Rows] {
        for interleaved in [2, 3, 8] {
            list.interleaved(Features { heads, interleaved, ..Features::PLAIN });
        }
    }
    list.interleaved(Features { heads: Heads::Rows, by_segment: true, interleaved: 3, ..Features::PLAIN });
    list.halves();
    list.selections();
    list.histograms();
    list.kernels.extend(sorts::variants(capability));
    list.merges();
    list.along();
    list.up_sweeps();
    list.moving_sums();
    list.powers();
    list.pyramids();
    list.rankings();
    list.recurrences();
    list.parts();
    list.automata();
    list.axes();
    list.kernels
}

struct List {
    capability: (u32, u32),
    kernels: Vec<(String, KernelSource)>,
}

impl List {
    /// Adds the kernels of a scan, of a scan of interleaved lines and of a reduction, of elements `I` with results `O`.
    fn scan<I, O, Op, M, F>(&mut self, name: &str, operator: Op, map: M, finish: F)
    where
        I: Element,
        O: Element,
        M: Map<I>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
    {
        let steps = Parts::<I, O, Op, M, F>::new(operator, map, finish);
        if const { sums_in_f32::<M::Output, Op>() } {
            self.families::<_, Whole>(name, &InF32(steps), None, Features::PLAIN);
        } else {
            self.families::<_, Whole>(name, &steps, None, Features::PLAIN);
        }
    }

    /// Adds the kernels of scans of any length and of interleaved lines, of the reduction, and of some transforms.
    fn families<S: JobSteps<In: Read<Functions: Default>, Out: Write<Functions: Default>>, G: Segmentation>(
        &mut self,
        name: &str,
        steps: &S,
        same: Option<&G::Same>,
        features: Features,
    ) {
        self.with_functions::<S, G>(steps, same, |list, functions| {
            list.scans(name, features, functions);
            list.columns(name, features, functions);
            let kernel =
                reduce::kernel(&reduce::plan(1 << 20, functions.layouts, functions.known.form), features, functions);
            list.add::<ReduceParams>("reduce", name, kernel);
            if name == "f32" || !functions.layouts.plain() {
                let kernel = transform::kernel(&transform::plan(1 << 20, functions.layouts), functions);
                list.add::<TransformParams>("transform", name, kernel);
            }
        });
    }

    fn with_functions<S: JobSteps<In: Read<Functions: Default>, Out: Write<Functions: Default>>, G: Segmentation>(
        &mut self,
        steps: &S,
        same: Option<&G::Same>,
        add: impl FnOnce(&mut Self, &Functions<'_>),
    ) {
        let text = |source: &mut Source| text_of::<S, G>(source, steps, same, &Default::default());
        // Functions that capture more values than a kernel's parameters have room for have no kernel.
        let mut held = Held::nothing();
        if held.add_all::<S, G>(steps, same).is_ok() {
            // Inputs and outputs add their buffers' addresses as values; without buffers, as many bytes stand for them.
            let mut source = Source::new();
            text(&mut source);
            held.values.fill(source.value_bytes());
            add(self, &Functions::of::<S, G>(&text, &held));
        }
    }

    /// Adds the kernels of scans of lines whose float sums have trees of their own.
    fn portable_lines(&mut self) {
        let features = Features { heads: Heads::Lines, ..Features::PLAIN };
        self.with_functions::<_, Whole>(&sum::<f32>(), None, |list, functions| {
            list.scans("f32 lines", Features { exclusive: true, reverse: true, ..features }, functions);
        });
        self.with_functions::<_, Whole>(
            &InF32(Parts::<f16, f16, _, _, _>::new(Sum, Same, Same)),
            None,
            |list, functions| {
                list.scans("f16 lines", Features { has_init: true, ..features }, functions);
            },
        );
    }

    /// Adds the kernels of the passes over interleaved lines of f16 that are cut into chunks; sums of chunks are f32.
    fn halves(&mut self) {
        let steps = InF32(Parts::<f16, f16, _, _, _>::new(Sum, Same, Same));
        self.with_functions::<_, Whole>(&steps, None, |list, functions| {
            for (pass, by_segment) in [(Pass::ToSums, true), (Pass::OfSums, false), (Pass::FromSums, true)] {
                let features = Features { pass, by_segment, ..Features::PLAIN };
                list.columns(&format!("f16 {pass:?}"), features, functions);
            }
        });
    }

    /// Adds the kernels of the scan of interleaved lines of `i32` with these features, or of their reduction.
    fn columns_of_i32(&mut self, features: Features) {
        self.with_functions::<_, Whole>(&sum::<i32>(), None, |list, functions| {
            list.columns(&format!("i32 {features:?}"), features, functions);
        });
    }

    /// Adds the kernels that scan a few interleaved lines of `f32` as one line, or reduce them, with an initial value:
    /// without a map and with one.
    fn interleaved(&mut self, features: Features) {
        let features = Features { has_init: true, ..features };
        let compensated = Parts::<f32, f32, _, _, _>::new(CompensatedSum, MapWith(Compensate), Rounded);
        self.with_functions::<_, Whole>(&sum::<f32>(), None, |list, functions| {
            list.scans(&format!("f32 {features:?}"), features, functions);
        });
        self.with_functions::<_, Whole>(&compensated, None, |list, functions| {
            list.scans(&format!("f32 compensated {features:?}"), features, functions);
        });
    }

    /// Adds the kernels of the scan of `i32` with these features; without segments and carry also of interleaved lines.
    fn variant(&mut self, features: Features) {
        let name = format!("i32 {features:?}");
        if features.heads == Heads::Keys {
            type ByKey = Keys<'static, [i32], Equal>;
            self.with_functions::<_, ByKey>(&sum::<i32>(), Some(&Equal), |list, functions| {
                list.scans(&name, features, functions);
            });
        } else {
            self.with_functions::<_, Whole>(&sum::<i32>(), None, |list, functions| {
                list.scans(&name, features, functions);
            });
        }
        if features.heads == Heads::None && !features.carries {
            self.columns_of_i32(features);
        }
    }

    /// Adds the kernels of reductions by keys of other types than those of [`variant`](Self::variant).
    fn by_keys(&mut self) {
        fn add<K: Element, S: JobSteps<In: Read<Functions: Default>, Out: Write<Functions: Default>>>(
            list: &mut List,
            name: &str,
            steps: &S,
        ) where
            Equal: Function<(K, K), Output = bool>,
        {
            let features = Features { heads: Heads::Keys, by_segment: true, ..Features::PLAIN };
            list.with_functions::<_, Keys<'static, [K], Equal>>(steps, Some(&Equal), |list, functions| {
                list.scans(&format!("{name} by keys of {}", std::any::type_name::<K>()), features, functions);
            });
        }
        add::<u64, _>(self, "u32", &sum::<u32>());
        add::<u8, _>(self, "u128", &sum::<u128>());
        add::<(u8, u8, u8), _>(self, "f16", &InF32(Parts::<f16, f16, _, _, _>::new(Sum, Same, Same)));
        add::<u16, _>(self, "f64 max", &Parts::<f64, f64, _, _, _>::new(Max, Same, Same));
        add::<u32, _>(self, "u8 as u64", &Parts::<u8, u64, _, _, _>::new(Sum, Widen::<u64>::new(), Same));
        add::<i64, _>(self, "f64 argmax", &Parts::<f64, (f64, u64), _, _, _>::new(ArgMax, Enumerate, Same));
    }

    /// Adds the kernels of a scan with these features, for short and long arrays; or of a reduction by segment.
    fn scans(&mut self, name: &str, features: Features, functions: &Functions<'_>) {
        let sizes = features.sizes(functions.layouts);
        let plans = if features.in_one_pass() {
            vec![("segments", ScanPlan::of_segments(1 << 20, sizes, self.capability))]
        } else {
            let plan =
                |bytes: usize| ScanPlan::new(bytes / functions.layouts.input.size.max(1), sizes, self.capability);
            vec![("wave of small tiles", plan(1 << 10)), ("wave", plan(1 << 23)), ("pipeline", plan(1 << 32))]
        };
        let runs = |(name, n): (&'static str, usize)| {
            let runs = features.runs(n, functions.layouts, Some(functions.key))?;
            Some((name, ScanPlan::of_runs(n, sizes, runs, self.capability, usize::MAX)?))
        };
        let of_runs = [("runs", 1 << 28), ("runs of many", 1 << 33)].into_iter().filter_map(runs);
        let plans: Vec<_> = plans.into_iter().chain(of_runs).collect();
        for (family, plan) in plans {
            self.add::<ScanParams>(family, name, scan::kernel(&plan, features, functions));
        }
    }

    /// Adds the kernels of interleaved lines, one for each number of lines that a lane can have.
    fn columns(&mut self, name: &str, features: Features, functions: &Functions<'_>) {
        let plan = columns::plan(functions.layouts, features.pass);
        for vector in plan.vectors() {
            let family = if vector == 1 { "columns".to_owned() } else { format!("columns by {vector}") };
            self.add::<ColumnsParams>(&family, name, columns::kernel(&plan, vector, features, functions));
        }
    }

    fn add<F: Fixed>(&mut self, family: &str, name: &str, kernel: Kernel<'_>) {
        // Never fails: upsweep's own functions read exactly the values that they add.
        self.kernels.extend(kernel.source::<F>().ok().map(|source| (format!("{family} {name}"), source)));
    }
}

fn sum<T: Element>() -> Parts<T, T, Sum, Same, Same>
where
    Sum: Operator<T>,
{
    Parts::new(Sum, Same, Same)
}

/// Returns `kernels/config.cuh`: the prelude of a kernel for one sample job, and the constants and parameters of the
/// kernels of all families.
#[cfg(test)]
pub(super) fn sample() -> String {
    use super::automaton::AutomatonParams;
    use super::expand::ExpandParams;
    use super::histogram::HistogramParams;
    use super::histogram::range::{self, RangeHistogramParams};
    use super::merge::MergeParams;
    use super::merge::four::MergeFourParams;
    use super::recurrence::RecurrenceLinesParams;
    use super::scan_axes::ScanAxesParams;
    use super::search::SearchParams;
    use super::select::SelectParams;
    use super::sort_by::SortByParams;
    use super::{code, params::Params, topk::TopKParams};
    use upsweep_core::call::expand::Expanded;
    use upsweep_core::key::Key;
    use upsweep_plan::automaton::{AutomatonPlan, AutomatonSizes};
    use upsweep_plan::constants::Constants;
    use upsweep_plan::expand::{ExpandPlan, ExpandSizes};
    use upsweep_plan::histogram::{HistogramJob, HistogramPlan};
    use upsweep_plan::merge::{MergePlan, MergeStep, MergeTypes};
    use upsweep_plan::moving_sum::{MovingSumPlan, Windows};
    use upsweep_plan::recurrence::{Form, RecurrencePlan};
    use upsweep_plan::scan::{RunSizes, Sizes};
    use upsweep_plan::scan_axes::AxesPlan;
    use upsweep_plan::select::{SelectPlan, SelectSizes};
    use upsweep_plan::topk::{RankTypes, TopKPlan};
    let steps = sum::<f32>();
    type ByKey = Keys<'static, [u32], Equal>;
    let text = |source: &mut Source| text_of::<_, ByKey>(source, &steps, Some(&Equal), &((), ()));
    let held = Held::nothing();
    let functions = Functions::of::<Parts<f32, f32, Sum, Same, Same>, ByKey>(&text, &held);
    // The tiles of an operator without the tree of float scans: most kernels have such tiles.
    let (features, sizes) = (Features::PLAIN, Sizes { row: 0, ..Features::PLAIN.sizes(functions.layouts) });
    let columns = columns::plan(functions.layouts, Pass::Whole);
    let histogram_plan = HistogramPlan::new(HistogramJob::plain::<f32>(1 << 28, 256), (9, 0), 132);
    let select = SelectSizes {
        input: 4,
        index: 0,
        flags: false,
        neighbours: false,
        last: false,
        others: false,
        run: 0,
        lengths: false,
    };
    let (sorts, totals) = (sorts::constants(), rows::constants_of_totals(&functions));
    let types = RankTypes { key: 4, order: <f32 as Key>::ORDER, descending: true, place: 4 };
    let ranked = TopKPlan::new(1 << 28, 16, types, true, (9, 0));
    let merges = MergePlan::new(1 << 28, MergeTypes { key: 4, value: 4, align: 4 });
    let recurrence = Form { order: 2, sections: 0, feedback: true, careful: false, basis: true };
    let axes = AxesPlan::new((1, 1 << 14, 1 << 14), (4, 4, 4), (9, 0));
    let moving = Windows::new([1, 1 << 14, 1 << 14, 1], 1 << 28, [50; 2], [50; 2])
        .and_then(|windows| MovingSumPlan::new(&windows, 8));
    let runs = ScanPlan::of_runs(1 << 28, sizes, RunSizes { key: 4, acc: 4, head: 8, state: 8 }, (9, 0), usize::MAX);
    let walk = AutomatonSizes { states: 30, classes: 20, listed: 0, index: 8 };
    let of_families: [Constants; 45] = [
        ScanPlan::new(1 << 30, sizes, (9, 0)).constants(),
        ScanPlan::new(1 << 10, sizes, (9, 0)).constants(),
        reduce::plan(1 << 20, functions.layouts, functions.known.form).constants(),
        rows::constants(&functions),
        totals[0],
        totals[1],
        totals[2],
        totals[3],
        totals[4],
        super::reduce::gathered::plan(1 << 20, 1 << 16, functions.layouts, (9, 0)).constants(),
        transform::plan(1 << 20, functions.layouts).constants(),
        columns.constants(columns.widest),
        SelectPlan::new(1 << 30, select, (9, 0)).constants(),
        SelectPlan::new(1 << 30, SelectSizes { others: true, ..select }, (9, 0)).constants(),
        ExpandPlan::new(1 << 20, ExpandSizes { expanded: Expanded::Owner, count: 4, result: 4 }, (9, 0)).constants(),
        histogram_plan.constants(),
        range::numbers(true),
        sorts[0],
        sorts[1],
        sorts[2],
        sorts[3],
        sorts[4],
        sorts[5],
        sorts[6],
        sorts[7],
        sorts[8],
        sorts[9],
        sorts[10],
        upsweep_plan::search::constants(true, 4),
        ranked.pass_constants(),
        ranked.constants(512),
        merges.constants(MergeStep::Merge),
        merges.four_constants(MergeStep::Merge),
        merges.sort_constants(false),
        RecurrencePlan::new(1 << 30, recurrence, sizes, 4, (9, 0)).constants(),
        super::recurrence::lines_constants(2, recurrence),
        axes.map(|plan| plan.constants()).unwrap_or_default(),
        AutomatonPlan::new(1 << 30, walk, (9, 0)).constants(),
        upsweep_plan::scan::open_constants(16),
        upsweep_plan::reduce::part_constants(128),
        upsweep_plan::list_scan::constants(true, true, false),
        upsweep_plan::up_sweep::constants(4),
        upsweep_plan::pyramid::PyramidPlan::new(4, 1).constants(4, true),
        moving.map(|plan| plan.constants()).unwrap_or_default(),
        runs.map(|plan| plan.constants()).unwrap_or_default(),
    ];
    let mut seen = Vec::new();
    let mut numbers = String::new();
    for (name, value) in of_families.iter().flat_map(Constants::iter) {
        if !seen.contains(&name) {
            seen.push(name);
            numbers += &format!("constexpr u32 {name} = {value};\n");
        }
    }
    let params: String = [
        ScanParams::text(0, 0),
        scan::part::OpenParams::text(0, 0),
        ReduceParams::text(0, 0),
        reduce::part::PartParams::text(0, 0),
        super::reduce::rows::RowsParams::text(0, 0),
        super::reduce::row_totals::RowTotalsParams::text(0, 0),
        super::reduce::column_totals::ColumnTotalsParams::text(0, 0),
        super::reduce::gathered::GatheredParams::text(0, 0),
        TransformParams::text(0, 0),
        ColumnsParams::text(0, 0),
        SelectParams::text(0, 0),
        ExpandParams::text(0, 0),
        HistogramParams::text(0, 0),
        RangeHistogramParams::text(0, 0),
        super::sort::kernels::params_text(),
        super::sort::split::params_text(),
        super::sort::cluster::params_text(),
        super::sort::cuts::params_text(),
        super::sort::segments::params_text(),
        super::sort::lines::params_text(),
        SearchParams::text(0, 0),
        TopKParams::text(0, 0),
        MergeParams::text(0, 0),
        MergeFourParams::text(0, 0),
        SortByParams::text(0, 0),
        RecurrenceLinesParams::text(0, 0),
        ScanAxesParams::text(0, 0),
        AutomatonParams::text(0, 0),
        super::list_scan::ListScanParams::text(0, 0),
        super::up_sweep::UpSweepParams::text(0, 0),
        super::pyramid::PyramidParams::text(0, 0),
        super::moving_sum::MovingSumParams::text(0, 0),
    ]
    .iter()
    .flat_map(|text| text.lines())
    .filter(|line| !line.starts_with("static_assert") && !line.starts_with("#include"))
    .fold(String::new(), |text, line| text + line + "\n");
    format!(
        "// What the host puts before a kernel, of one job: the sum of f32, by the numbers of an H200, but with the tiles of\n\
         // other operators. It stands here so that editors and readers find every name that is declared in no other file; a\n\
         // kernel that runs has a prelude of its own in its place (src/code.rs, params.rs, upsweep-plan).\n\
         // `UPSWEEP_WRITE=1 cargo test -p upsweep-cuda --lib config` writes it.\n\n\
         #pragma once\n\n#include \"arith.cuh\"\n\n\
         // Where functions find the values that they hold.\n{}\n\
         // Types and functions of the job.\n{}\n// Numbers of the plan.\n{numbers}\n\
         // Parameters of the families.\n#include \"memory/layout.cuh\"\n{params}",
        code::parameters_text::<ScanParams>("upsweep_scan", Params::values_at::<ScanParams>(functions.layouts.acc, 1)),
        code::functions_text(&functions, features).0,
    )
}
