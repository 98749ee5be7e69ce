//! Kernels of an algorithm, and the text that is compiled for them.

use super::element::GpuElement;
use crate::algorithm::{Algorithm, Computes};
use crate::algorithms::{ALGORITHMS, with_second_forms};
use crate::operator::Operator;
use crate::variant::{Loads, Mapping, Order, Padding, Variant, Writing};
use std::fmt::Write;
use upsweep::cuda::KernelSource;

/// Form in which an algorithm's kernels work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Each block reduces a part of the array, `elements` a thread; the blocks' results are reduced in the same way.
    Reduction {
        elements: usize,
    },
    /// Each block scans a part, and prefixes are added as in `recursive`; `words`: shared words that an element takes.
    Scan {
        elements: usize,
        words: usize,
    },
    /// One block scans all segments, by head flags. An element takes `words` words and `flags` flags of shared memory.
    Segmented {
        elements: usize,
        words: usize,
        flags: usize,
    },
    Sequential,
    HillisSteele,
    ThreeKernel,
    Fenwick,
    Chained,
    LookBack,
    /// The library's own scan.
    Production,
}

/// CUDA kernels of an algorithm: how they work together, and the text of the main one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernels {
    pub(super) form: Form,
    /// Name of the main kernel's function in the text.
    pub(super) entry: &'static str,
    text: &'static str,
    variant: Variant,
    exclusive: bool,
}

macro_rules! kernel {
    ($file:literal) => {
        include_str!(concat!("../../kernels/", $file, ".cuh"))
    };
}

pub(super) const ADD_BEFORE: (&str, &str) = (kernel!("recursive"), "add_before");
pub(super) const SCAN_SUMS: (&str, &str) = (kernel!("three_kernel"), "scan_sums");

impl Kernels {
    /// Returns the CUDA kernels of an algorithm, if it has any.
    pub(super) fn of(algorithm: &Algorithm) -> Option<Self> {
        if !algorithm.has_kernel() {
            return None;
        }
        let variant = algorithm.variant;
        let (form, entry, text) = match algorithm.file {
            "reduce_interleaved" => {
                (Form::Reduction { elements: 1 }, "reduce_interleaved", kernel!("reduce_interleaved"))
            }
            "reduce_strided" => (Form::Reduction { elements: 2 }, "reduce_strided", kernel!("reduce_strided")),
            "reduce_sequential" => (Form::Reduction { elements: 1 }, "reduce_sequential", kernel!("reduce_sequential")),
            "reduce_unrolled" => (Form::Reduction { elements: 1 }, "reduce_unrolled", kernel!("reduce_unrolled")),
            "reduce_shuffle" => (Form::Reduction { elements: 1 }, "reduce_shuffle", kernel!("reduce_shuffle")),
            "sequential" => (Form::Sequential, "sequential", kernel!("sequential")),
            "hillis_steele" => (Form::HillisSteele, "hillis_steele", kernel!("hillis_steele")),
            "kogge_stone" => (Form::Scan { elements: 1, words: 1 }, "kogge_stone", kernel!("kogge_stone")),
            "double_buffered" => (Form::Scan { elements: 1, words: 2 }, "double_buffered", kernel!("double_buffered")),
            "brent_kung" if variant.mapping == Mapping::Modulo => {
                (Form::Scan { elements: 1, words: 1 }, "brent_kung", kernel!("brent_kung"))
            }
            "brent_kung" => (Form::Scan { elements: 2, words: 1 }, "brent_kung", kernel!("brent_kung")),
            "inverse" => (Form::Scan { elements: 2, words: 1 }, "inverse", kernel!("inverse")),
            // The lecture's recursive form, `recursive`, has Blelloch's kernel as its block scan.
            "blelloch" | "blelloch_dividing" | "recursive" => {
                (Form::Scan { elements: 2, words: 1 }, "blelloch", kernel!("blelloch"))
            }
            "three_kernel" => (Form::ThreeKernel, "brent_kung", kernel!("brent_kung")),
            "segmented_pairs" => {
                (Form::Segmented { elements: 2, words: 1, flags: 1 }, "segmented_pairs", kernel!("segmented_pairs"))
            }
            "segmented_sweep" => {
                (Form::Segmented { elements: 2, words: 1, flags: 2 }, "segmented_sweep", kernel!("segmented_sweep"))
            }
            "fenwick" => (Form::Fenwick, "fenwick_build", kernel!("fenwick")),
            "chained" => (Form::Chained, "chained", kernel!("chained")),
            "look_back" => (Form::LookBack, "decoupled_look_back", kernel!("look_back")),
            "production" => (Form::Production, "", ""),
            _ => return None,
        };
        Some(Self { form, entry, text, variant, exclusive: algorithm.computes == Computes::ExclusiveScan })
    }

    /// Whether arrays in shared memory have padding words against bank conflicts.
    pub(super) fn padded(&self) -> bool {
        self.variant.padding == Padding::Padded
    }

    /// Whether the kernels are a second form: the same steps in other instructions.
    pub(super) fn is_second(&self) -> bool {
        self.variant.writing == Writing::Second
    }

    /// Returns the CUDA C++ text of the main kernel, for elements of T and this operator.
    pub(super) fn text<T: GpuElement>(&self, operator: &Operator<T>) -> String {
        self.text_of(self.text, operator)
    }

    /// Returns the CUDA C++ text of the kernels in `file`, with the type, the operator and the constants they need.
    pub(super) fn text_of<T: GpuElement>(&self, file: &str, operator: &Operator<T>) -> String {
        let (element, operators) = T::CUDA;
        let found = operators.iter().find(|(name, ..)| *name == operator.name);
        let (_, identity, body) = found.copied().unwrap_or(("", "T{}", "a"));
        let Variant { loads, mapping, order, writing, .. } = self.variant;
        let (padded, exclusive) = (self.padded(), self.exclusive);
        let (second, dividing) = (self.is_second(), writing == Writing::Dividing);
        let (halves, modulo, ordered) = (loads == Loads::Halves, mapping == Mapping::Modulo, order == Order::Elements);
        let mut text = element.to_owned();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "__device__ __forceinline__ T identity() {{ return {identity}; }}\n\
             __device__ __forceinline__ T combine(T a, T b) {{ return {body}; }}\n\
             constexpr bool PADDED = {padded}, HALVES = {halves}, EXCLUSIVE = {exclusive}, MODULO = {modulo}, \
             ORDERED = {ordered}, SECOND = {second}, DIVIDING = {dividing};\n"
        );
        text + kernel!("lab") + file
    }
}

/// Returns all CUDA kernels of the laboratory, named after their algorithm and entry, for `cargo xtask kernels`.
#[doc(hidden)]
#[must_use]
pub fn variants() -> Vec<(String, KernelSource)> {
    let operator = Operator::affine();
    let mut variants = Vec::new();
    let kernels = |algorithm: &'static Algorithm| Some((algorithm, Kernels::of(algorithm)?));
    for (algorithm, kernels) in with_second_forms(ALGORITHMS).into_iter().filter_map(kernels) {
        let others: &[_] = match kernels.form {
            Form::Production => continue, // the library's
            Form::Scan { .. } => &[ADD_BEFORE],
            Form::ThreeKernel => &[SCAN_SUMS, ADD_BEFORE],
            _ => &[],
        };
        for &(file, entry) in std::iter::once(&(kernels.text, kernels.entry)).chain(others) {
            let name = format!("lab {} {entry}", algorithm.name);
            variants.push((name, KernelSource::whole(kernels.text_of(file, &operator), entry)));
        }
    }
    variants
}
