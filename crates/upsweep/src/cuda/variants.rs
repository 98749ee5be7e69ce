//! A list of kernels that covers what jobs ask for, to be compiled where there is no GPU.

use super::text::{Features, Functions, Heads, Types};
use super::{KernelSource, columns, reduce, scan};
use crate::operator::builtin::{And, ArgMax, CompensatedSum, First, Max, Sum};
use crate::operator::builtin::{Compensate, Compensated, Rounded};
use crate::operator::{Element, Enumerate, Function, Map, MapWith, Operator, Same, Widen};
use crate::plan::columns::ColumnsPlan;
use crate::plan::reduce::ReducePlan;
use crate::plan::scan::ScanPlan;
use crate::segments::{Equal, Keys, Whole};
use half::{bf16, f16};

/// Kernels that together cover every family, element size, kind of segments and option, by name, as a device of this
/// compute capability would compile them.
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
    list.scan::<Compensated<f64>, _, _, _, _>("compensated f64", CompensatedSum, Same, Same);

    for heads in [Heads::None, Heads::Rows, Heads::Flags, Heads::Keys, Heads::Offsets] {
        for (exclusive, reverse, has_init) in [(false, false, true), (true, false, false), (true, true, true)] {
            list.variant(Features { heads, exclusive, reverse, has_init, ..Features::PLAIN });
        }
        if heads == Heads::None {
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
    list.kernels
}

struct List {
    capability: (u32, u32),
    kernels: Vec<(String, KernelSource)>,
}

impl List {
    /// The plain scan, the scan of columns and the reduction of a type.
    fn scan<I, O, Op, M, F>(&mut self, name: &str, operator: Op, map: M, finish: F)
    where
        I: Element,
        O: Element,
        M: Map<I>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
    {
        let functions = Functions::<(I, O, Op, M, F, Whole)> { operator, map, finish, same: None };
        let features = Features::PLAIN;
        for (family, plan) in self.plans::<I, M::Output, O>(features) {
            self.add(family, name, scan::source(features, &plan, &functions));
        }
        self.columns(name, features, &functions);
        let plan = ReducePlan::new(1 << 20, size_of::<I>(), size_of::<M::Output>());
        self.add("reduce", name, reduce::source(features, &plan, &functions));
    }

    /// The scan of the columns of `i32` with these features, or their reduction.
    fn columns_of_i32(&mut self, features: Features) {
        let functions =
            Functions::<(i32, i32, Sum, Same, Same, Whole)> { operator: Sum, map: Same, finish: Same, same: None };
        self.columns(&format!("i32 {features:?}"), features, &functions);
    }

    /// The scan of a few interleaved lines of `f32` as one, or their reduction, with an initial value, plain and
    /// with a map.
    fn interleaved(&mut self, features: Features) {
        let features = Features { has_init: true, ..features };
        let plain =
            Functions::<(f32, f32, Sum, Same, Same, Whole)> { operator: Sum, map: Same, finish: Same, same: None };
        let (map, finish) = (MapWith(Compensate), Rounded);
        let functions =
            Functions::<(f32, f32, CompensatedSum, _, _, Whole)> { operator: CompensatedSum, map, finish, same: None };
        for (family, plan) in self.plans::<f32, f32, f32>(features) {
            self.add(family, &format!("f32 {features:?}"), scan::source(features, &plan, &plain));
        }
        for (family, plan) in self.plans::<f32, Compensated<f32>, f32>(features) {
            self.add(family, &format!("f32 compensated {features:?}"), scan::source(features, &plan, &functions));
        }
    }

    /// The scan of `i32` with these features, and its column form.
    fn variant(&mut self, features: Features) {
        type SumBy<S> = (i32, i32, Sum, Same, Same, S);
        let name = format!("i32 {features:?}");
        let whole = Functions::<SumBy<Whole>> { operator: Sum, map: Same, finish: Same, same: None };
        for (family, plan) in self.plans::<i32, i32, i32>(features) {
            let kernel = if features.heads == Heads::Keys {
                let by_key = Functions::<SumBy<Keys<'_, [i32], Equal>>> {
                    operator: Sum,
                    map: Same,
                    finish: Same,
                    same: Some(&Equal),
                };
                scan::source(features, &plan, &by_key)
            } else {
                scan::source(features, &plan, &whole)
            };
            self.add(family, &name, kernel);
        }
        if features.heads == Heads::None {
            self.columns_of_i32(features);
        }
    }

    /// The forms for so many lines a lane each.
    fn columns<J: Types>(&mut self, name: &str, features: Features, functions: &Functions<'_, J>) {
        let plan = ColumnsPlan::new(size_of::<J::In>(), size_of::<J::Acc>(), size_of::<J::Out>());
        for vector in plan.vectors() {
            self.add(plan.family(vector), name, columns::source(features, &plan, vector, functions));
        }
    }

    fn add(&mut self, family: &str, name: &str, kernel: KernelSource) {
        self.kernels.push((format!("{family} {name}"), kernel));
    }

    /// The waves and the pipeline.
    fn plans<I: Element, T, O>(&self, features: Features) -> Vec<(&'static str, ScanPlan)> {
        let sizes = features.sizes::<I, T, O>();
        let plans = if features.in_one_pass() {
            vec![ScanPlan::of_segments(1 << 20, sizes, self.capability)]
        } else {
            let lengths = [1 << 10, 1 << 23, 1 << 32].map(|bytes| bytes / size_of::<I>());
            lengths.map(|len| ScanPlan::new(len, sizes, self.capability)).to_vec()
        };
        plans.into_iter().map(|plan| (plan.family(), plan)).collect()
    }
}
