//! The CUDA C++ that a job contributes to its kernel: `config.cuh`, whose sample is in `kernels/`.

use super::KernelSource;
use super::job::{Functions, Layout};
use super::params::{Fixed, Params};
use crate::operator::{Form, Source};
use crate::plan::constants::Constants;
use crate::plan::tile::{Marks, Sizes};
use crate::steps::Code;
use std::any::TypeId;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What one scan or reduction computes, as kernels see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Features {
    pub(crate) heads: Heads,
    pub(crate) exclusive: bool,
    pub(crate) reverse: bool,
    pub(crate) has_init: bool,
    /// A reduction by segment: only the last result of each segment is stored.
    pub(crate) by_segment: bool,
    /// How many interleaved lines are scanned as one, whose elements are arrays: 1, or up to 16.
    pub(crate) interleaved: usize,
    pub(crate) pass: Pass,
}

/// How a kernel finds the segment heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Heads {
    None,
    Rows,
    Flags,
    Keys,
    Offsets,
}

impl Heads {
    const ALL: [(Self, &'static str); 5] = [
        (Self::None, "NONE"),
        (Self::Rows, "ROWS"),
        (Self::Flags, "FLAGS"),
        (Self::Keys, "KEYS"),
        (Self::Offsets, "OFFSETS"),
    ];
}

/// Which part of a job a launch does, where it takes several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    /// All of it: from elements to results.
    Whole,
    /// From elements to what is combined.
    ToSums,
    /// From what is combined to the same.
    OfSums,
    /// From what is combined to results.
    FromSums,
}

impl Pass {
    pub(crate) fn reads_elements(self) -> bool {
        matches!(self, Self::Whole | Self::ToSums)
    }

    pub(crate) fn writes_results(self) -> bool {
        matches!(self, Self::Whole | Self::FromSums)
    }
}

impl Features {
    /// The forward inclusive scan of a whole array, and its reduction.
    pub(crate) const PLAIN: Self = Self {
        heads: Heads::None,
        exclusive: false,
        reverse: false,
        has_init: false,
        by_segment: false,
        interleaved: 1,
        pass: Pass::Whole,
    };

    /// Whether it is a reduction whose results' places are known before anything is reduced: `device/segments.cuh`.
    pub(crate) fn in_one_pass(self) -> bool {
        self.by_segment && matches!(self.heads, Heads::Rows | Heads::Offsets)
    }

    /// What a single-pass scan has to plan with.
    pub(crate) fn sizes(self, functions: &Functions<'_>) -> Sizes {
        let [input, acc, output] =
            [functions.input, functions.acc, functions.output].map(|layout| layout.size * self.interleaved);
        // A reduction by rows or offsets leaves sums in the places of elements.
        let place = if self.in_one_pass() { input.max(acc) } else { input };
        let marks = match self.heads {
            Heads::None | Heads::Rows => Marks::None,
            Heads::Flags | Heads::Keys => Marks::Vectors,
            Heads::Offsets => Marks::Offsets,
        };
        let kept = if self.heads != Heads::None && acc <= 4 { acc } else { 0 };
        Sizes { input, state: self.state_bytes(functions.acc), output, place, kept, marks }
    }

    /// Bytes of what one tile tells another, as `tile/state.cuh` lays it out.
    fn state_bytes(self, acc: Layout) -> usize {
        let (size, align) = (acc.size * self.interleaved, acc.align);
        let with = |heads: usize| (size.next_multiple_of(heads) + heads).next_multiple_of(align.max(heads));
        match self.heads {
            Heads::None => size,
            Heads::Flags | Heads::Keys if self.by_segment => with(8),
            _ => with(4),
        }
    }
}

/// What tells a kernel from every other one of its context.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KernelKey {
    types: TypeId,
    /// A hash of the values that functions hold; 0 where they hold none.
    values: u64,
    entry: &'static str,
    features: Features,
    constants: Constants,
}

/// A kernel of a job: its file under `kernels/` and its name, what it computes, and what it is compiled with.
#[derive(Clone, Copy)]
pub(crate) struct Kernel<'a> {
    pub(crate) functions: &'a Functions<'a>,
    pub(crate) kernel: (&'static str, &'static str),
    pub(crate) features: Features,
    pub(crate) constants: Constants,
}

impl Kernel<'_> {
    pub(crate) fn key(&self) -> KernelKey {
        let values = if self.functions.holds_values {
            let mut hasher = DefaultHasher::new();
            functions_text(self.functions, self.features).hash(&mut hasher);
            hasher.finish()
        } else {
            0
        };
        let Self { functions, kernel: (_, entry), features, constants } = *self;
        KernelKey { types: functions.types, values, entry, features, constants }
    }

    /// The text; `F` are the kernel's parameters.
    pub(crate) fn source<F: Fixed>(&self) -> KernelSource {
        let Self { functions, kernel: (root, entry), features, constants } = *self;
        let bytes = Params::bytes::<F>(functions.acc, features.interleaved);
        let prelude = format!(
            "{}{constants}{}constexpr u32 HOST_PARAMS_BYTES = {bytes};\n",
            functions_text(functions, features),
            F::text(),
        );
        KernelSource { root, prelude, entry }
    }
}

/// The types `In`, `Acc`, `Out`, `Given`, `Key`, `Offset`, the functions on them, and what is known of them. Where several lines
/// are scanned as one, the first three are arrays, and the functions work on each line's value.
fn functions_text(functions: &Functions<'_>, features: Features) -> String {
    let mut source = Source::new();
    let text = (functions.text)(&mut source);
    let Code { types: [input, acc, output, given], load, combine, store, given: from_given, carried } = text.code;
    let (lines, pass) = (features.interleaved, features.pass);
    let (input, load) =
        if pass.reads_elements() { (input, format!("{load}(x[], index)")) } else { (acc.clone(), "x[]".to_owned()) };
    let (output, store) =
        if pass.writes_results() { (output, format!("{store}(x[])")) } else { (acc.clone(), "x[]".to_owned()) };
    let of_lines = |ty: &str| if lines > 1 { format!("Array<{ty}, {lines}>") } else { ty.to_owned() };
    // The body of a function that returns `ty`, of an expression with its arguments' places for `[]`.
    let body = |ty: &str, value: &str| {
        if lines == 1 {
            return format!("return {};", value.replace("[]", ""));
        }
        let value = value.replace("[]", ".at[i]");
        format!("{ty} r;\n#pragma unroll\n  for (u32 i = 0; i < {lines}; i++) r.at[i] = {value};\n  return r;")
    };
    let first_line = if lines > 1 { "x.at[0]" } else { "x" };
    let same = text.same.map_or("false".to_owned(), |same| format!("{same}(a, b)"));
    format!(
        "{}using In = {};\nusing Acc = {};\nusing Out = {};\nusing Given = {given};\nusing Key = {};\nusing Offset = {};\n\
         __device__ __forceinline__ Acc combine_acc(const Acc& a, const Acc& b) {{ {} }}\n\
         __device__ __forceinline__ Acc load_acc(const In& x, u64 index) {{ {} }}\n\
         __device__ __forceinline__ Out store_acc(const Acc& x) {{ {} }}\n\
         __device__ __forceinline__ Acc given_acc(const Given& x) {{ {} }}\n\
         __device__ __forceinline__ Given carried_acc(const Acc& x) {{ return {carried}({first_line}); }}\n\
         __device__ __forceinline__ bool same_key(const Key& a, const Key& b) {{ return {same}; }}\n{}{}",
        source.text(),
        of_lines(&input),
        of_lines(&acc),
        of_lines(&output),
        text.key,
        text.offset,
        body("Acc", &format!("{combine}(a[], b[])")),
        body("Acc", &load),
        body("Out", &store),
        body("Acc", &format!("{from_given}(x)")),
        known_text(functions, features),
        features_text(features),
    )
}

/// What is known of the functions: the operator's form, whether elements are mapped and results finished, whether elements
/// are only widened, and whether the functions take any bits. Nothing is of arrays.
fn known_text(functions: &Functions<'_>, features: Features) -> String {
    let (known, pass) = (functions.known, features.pass);
    let single = features.interleaved == 1;
    let forms: String = Form::ALL.iter().map(|(_, name)| format!("{name}, ")).collect();
    let form = Form::ALL.iter().find(|(form, _)| *form == known.form && single).map_or("OTHER", |(_, name)| name);
    let same_map = known.same_map || !pass.reads_elements();
    let plain = single && same_map && (known.same_finish || !pass.writes_results());
    let (widens, any_bits) = (single && known.widens && pass.reads_elements(), single && known.any_bits);
    format!(
        "enum class Form {{ {forms}}};\n\
         constexpr Form FORM = Form::{form};\n\
         constexpr bool PLAIN = {plain}, WIDENS = {widens}, ANY_BITS = {any_bits};\n"
    )
}

fn features_text(features: Features) -> String {
    let heads: String = Heads::ALL.iter().map(|(_, name)| format!("{name}, ")).collect();
    let name = Heads::ALL.iter().find(|(heads, _)| *heads == features.heads).map_or("NONE", |(_, name)| name);
    let Features { exclusive, reverse, has_init, by_segment, .. } = features;
    format!(
        "enum class Heads {{ {heads}}};\n\
         constexpr Heads HEADS = Heads::{name};\n\
         constexpr bool EXCLUSIVE = {exclusive}, REVERSE = {reverse}, HAS_INIT = {has_init}, BY_SEGMENT = {by_segment};\n"
    )
}
