//! The CUDA C++ that a job contributes to its kernel: types, functions and what is asked of them.

use crate::job::Job;
use crate::operator::{Element, Form, Function, Map, Operator, Same, Source, Widen};
use crate::plan::scan::{Marks, Sizes};
use crate::segments::Segmentation;
use std::any::TypeId;
use std::hash::{Hash, Hasher};

/// What one scan or reduction computes, as kernels see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Features {
    pub(super) heads: Heads,
    pub(super) exclusive: bool,
    pub(super) reverse: bool,
    pub(super) has_init: bool,
    /// A reduction by segment: only the last result of each segment is stored.
    pub(super) by_segment: bool,
    /// How many interleaved lines are scanned as one, whose elements are arrays: 1, or up to 16.
    pub(super) interleaved: usize,
}

/// How a kernel finds the segment heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heads {
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

impl Features {
    /// The forward inclusive scan of a whole array, and its reduction.
    pub(super) const PLAIN: Self = Self {
        heads: Heads::None,
        exclusive: false,
        reverse: false,
        has_init: false,
        by_segment: false,
        interleaved: 1,
    };

    /// The features as bits, for a kernel's key.
    pub(super) fn bits(self) -> u64 {
        let Self { heads, exclusive, reverse, has_init, by_segment, interleaved } = self;
        let flag = |on: bool, bit: u32| u64::from(on) << bit;
        let options = flag(exclusive, 8) | flag(reverse, 9) | flag(has_init, 10) | flag(by_segment, 11);
        heads as u64 | options | (interleaved as u64 - 1) << 12
    }

    /// Whether it is a reduction whose results' places are known before anything is reduced: `device/segments.cuh`.
    pub(super) fn in_one_pass(self) -> bool {
        self.by_segment && matches!(self.heads, Heads::Rows | Heads::Offsets)
    }

    /// What a single-pass scan from `In` by way of `Acc` to `Out` has to plan with.
    pub(super) fn sizes<In, Acc, Out>(self) -> Sizes {
        let (input, acc, output) = (size_of::<In>(), size_of::<Acc>(), size_of::<Out>());
        let [input, acc, output] = [input, acc, output].map(|size| size * self.interleaved);
        // A reduction by rows or offsets leaves sums in the places of elements.
        let place = if self.in_one_pass() { input.max(acc) } else { input };
        let marks = match self.heads {
            Heads::None | Heads::Rows => Marks::None,
            Heads::Flags | Heads::Keys => Marks::Vectors,
            Heads::Offsets => Marks::Offsets,
        };
        let kept = if self.heads != Heads::None && acc <= 4 { acc } else { 0 };
        Sizes { input, state: self.state_bytes::<Acc>(), output, place, kept, marks }
    }

    /// Bytes of what one tile tells another, as `tile/state.cuh` lays it out.
    fn state_bytes<T>(self) -> usize {
        let (size, align) = (size_of::<T>() * self.interleaved, align_of::<T>());
        let with = |heads: usize| (size.next_multiple_of(heads) + heads).next_multiple_of(align.max(heads));
        match self.heads {
            Heads::None => size,
            Heads::Flags | Heads::Keys if self.by_segment => with(8),
            _ => with(4),
        }
    }

    fn text(self) -> String {
        let heads: String = Heads::ALL.iter().map(|(_, name)| format!("{name}, ")).collect();
        let name = Heads::ALL.iter().find(|(heads, _)| *heads == self.heads).map_or("NONE", |(_, name)| name);
        let Self { exclusive, reverse, has_init, by_segment, .. } = self;
        format!(
            "enum class Heads {{ {heads}}};\n\
             constexpr Heads HEADS = Heads::{name};\n\
             constexpr bool EXCLUSIVE = {exclusive}, REVERSE = {reverse}, HAS_INIT = {has_init}, BY_SEGMENT = {by_segment};\n"
        )
    }
}

/// The types of one job behind one type parameter, so that the families need not spell out their bounds.
pub(crate) trait Types {
    /// The elements.
    type In: Element;
    /// What the operator combines.
    type Acc: Element;
    /// The results.
    type Out: Element;
    type Op: Operator<Self::Acc>;
    type Map: Map<Self::In, Output = Self::Acc>;
    type Finish: Function<(Self::Acc,), Output = Self::Out>;
    type Segments: Segmentation;
}

impl<I, O, Op, M, F, S> Types for (I, O, Op, M, F, S)
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    type In = I;
    type Acc = M::Output;
    type Out = O;
    type Op = Op;
    type Map = M;
    type Finish = F;
    type Segments = S;
}

/// The job that has these types.
pub(crate) type JobOf<'a, J> = Job<
    'a,
    <J as Types>::In,
    <J as Types>::Acc,
    <J as Types>::Out,
    <J as Types>::Op,
    <J as Types>::Map,
    <J as Types>::Finish,
    <J as Types>::Segments,
>;

/// The functions of a job.
pub(super) struct Functions<'a, J: Types> {
    pub(super) operator: J::Op,
    pub(super) map: J::Map,
    pub(super) finish: J::Finish,
    /// The equality of keys, if there are keys.
    pub(super) same: Option<&'a SameKey<J>>,
}

type SameKey<J> = <<J as Types>::Segments as Segmentation>::Same;

impl<J: Types> Functions<'_, J> {
    /// The text before a kernel's root: the types `In`, `Acc`, `Out`, `Key`, `Offset` and the functions `map_acc`,
    /// `combine_acc`, `finish_acc` and `same_key`, with their definitions. `Single` is what the host calls the operator's
    /// type: where several lines are scanned as one, the types are arrays, and the functions work on each line's value.
    pub(super) fn prelude(&self, features: Features) -> String {
        let mut source = Source::new();
        let types = [
            ("In", J::In::cuda_type(&mut source)),
            ("Acc", J::Acc::cuda_type(&mut source)),
            ("Out", J::Out::cuda_type(&mut source)),
            ("Key", <J::Segments as Segmentation>::Key::cuda_type(&mut source)),
            ("Offset", <J::Segments as Segmentation>::Offset::cuda_type(&mut source)),
        ];
        let combine = self.operator.cuda_function(&mut source);
        let map = self.map.cuda_function(&mut source);
        let finish = self.finish.cuda_function(&mut source);
        let same = self.same.map(|same| same.cuda_function(&mut source));
        let same = same.map_or("false".to_owned(), |same| format!("{same}(a, b)"));
        let lines = features.interleaved;
        let using = |(name, ty): &(&str, String)| match *name {
            "In" | "Acc" | "Out" if lines > 1 => format!("using {name} = Array<{ty}, {lines}>;\n"),
            _ => format!("using {name} = {ty};\n"),
        };
        let usings: String = types.iter().map(using).collect();
        // The body of a function that returns `ty`, of an expression with its arguments' places for `[]`.
        let body = |ty: &str, value: &str| {
            if lines == 1 {
                return format!("return {};", value.replace("[]", ""));
            }
            let value = value.replace("[]", ".at[i]");
            format!("{ty} r;\n#pragma unroll\n  for (u32 i = 0; i < {lines}; i++) r.at[i] = {value};\n  return r;")
        };
        format!(
            "{}{usings}using Single = {};\n\
             __device__ __forceinline__ Acc combine_acc(const Acc& a, const Acc& b) {{ {} }}\n\
             __device__ __forceinline__ Acc map_acc(const In& x, u64 index) {{ {} }}\n\
             __device__ __forceinline__ Out finish_acc(const Acc& x) {{ {} }}\n\
             __device__ __forceinline__ Acc each_acc(const Single& x) {{ {} }}\n\
             __device__ __forceinline__ bool same_key(const Key& a, const Key& b) {{ return {same}; }}\n{}{}",
            source.text(),
            types[1].1,
            body("Acc", &format!("{combine}(a[], b[])")),
            body("Acc", &format!("{map}(x[], index)")),
            body("Out", &format!("{finish}(x[])")),
            body("Acc", "x"),
            self.known(lines > 1),
            features.text()
        )
    }

    /// What is known of the functions: the operator's form, whether elements are mapped and results finished, and whether
    /// elements are only widened. Nothing is of arrays.
    fn known(&self, arrays: bool) -> String {
        let forms: String = Form::ALL.iter().map(|(_, name)| format!("{name}, ")).collect();
        let form = Form::ALL.iter().find(|(form, _)| *form == J::Op::FORM && !arrays).map_or("OTHER", |(_, name)| name);
        let plain = !arrays && TypeId::of::<(J::Map, J::Finish)>() == TypeId::of::<(Same, Same)>();
        let widens = !arrays && TypeId::of::<J::Map>() == TypeId::of::<Widen<J::Acc>>();
        format!(
            "enum class Form {{ {forms}}};\n\
             constexpr Form FORM = Form::{form};\n\
             constexpr bool PLAIN = {plain}, WIDENS = {widens};\n"
        )
    }

    /// What else a kernel's source depends on beside the types and the features, for its key: the values of operators
    /// and functions that hold data. Those that macros define hold none.
    pub(super) fn data_bits(&self, features: Features) -> u64 {
        if size_of::<(J::Op, J::Map, J::Finish, SameKey<J>)>() == 0 {
            return 0;
        }
        let mut hasher = std::hash::DefaultHasher::new();
        self.prelude(features).hash(&mut hasher);
        hasher.finish() << 16
    }
}

/// What the host believes of the kernel's structs, for the kernel to assert.
pub(super) fn host_sizes(params: usize, state: usize) -> String {
    format!("constexpr u32 HOST_PARAMS_BYTES = {params}, HOST_STATE_BYTES = {state};\n")
}
