//! CUDA C++ that a job contributes to its kernel: what stands in place of `config.cuh`, a sample of it in `kernels/`.

use super::KernelSource;
use super::features::{Features, Heads};
use super::job::{Functions, StoringText};
use super::params::{Fixed, Params};
use std::any::TypeId;
use std::hash::{DefaultHasher, Hash, Hasher};
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::{Form, Source};
use upsweep_core::steps::Code;
use upsweep_plan::constants::Constants;

/// Key that identifies a compiled kernel among those of its CUDA context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KernelKey {
    types: TypeId,
    /// Hash of the functions' C++ text if the text contains values that the functions capture; else 0.
    text: u64,
    entry: &'static str,
    features: Features,
    constants: Constants,
}

impl Hash for KernelKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Only the fields that differ most between keys are hashed; equality compares the others, too.
        let Self { types, features, constants, .. } = self;
        let Features { heads, exclusive, reverse, has_init, .. } = *features;
        let features = heads as u64 | u64::from(exclusive) << 8 | u64::from(reverse) << 9 | u64::from(has_init) << 10;
        (types, features, constants).hash(state);
    }
}

/// Kernel of a job: its functions, its root file and name, its features, and the constants it is compiled with.
#[derive(Clone, Copy)]
pub(crate) struct Kernel<'a> {
    pub functions: &'a Functions<'a>,
    pub kernel: (&'static str, &'static str),
    pub features: Features,
    pub constants: Constants,
}

impl Kernel<'_> {
    pub(crate) fn key(&self) -> KernelKey {
        let text = if self.functions.held.in_text {
            let mut hasher = DefaultHasher::new();
            functions_text(self.functions, self.features).0.hash(&mut hasher);
            hasher.finish()
        } else {
            0
        };
        let Self { functions, kernel: (_, entry), features, constants } = *self;
        KernelKey { types: functions.types, text, entry, features, constants }
    }

    /// Returns the source text of the kernel. `F` is the struct of the kernel's fixed parameters.
    ///
    /// # Errors
    /// [`Error::Compile`] when the functions' text reads other values than the functions add; [`Error::Options`] for a
    /// function without a text.
    pub(crate) fn source<F: Fixed>(&self) -> Result<KernelSource> {
        let Self { functions, kernel: (root, entry), features, constants } = *self;
        let (acc, lines, values) = (functions.layouts.acc, features.interleaved, functions.held.values.len());
        let given = if values > 0 {
            let files = if functions.layouts.plain() { "memory/given.cuh" } else { "memory/sources.cuh" };
            parameters_text::<F>(entry, Params::values_at::<F>(acc, lines)) + &format!("#include \"{files}\"\n")
        } else {
            String::new()
        };
        let params = F::text(Params::bytes::<F>(acc, lines, values), values);
        let (text, source) = functions_text(functions, features);
        source.check()?;
        let asked = source.value_bytes();
        if asked != values {
            let log = format!(
                "the text of the functions asks for {asked} bytes of values, and they add {values}: `values` must add what \
                 `cuda_function` asks for, in the same order"
            );
            return Err(Error::Compile { options: Vec::new(), log });
        }
        Ok(KernelSource { root, prelude: format!("{given}{text}{constants}{params}"), entry })
    }

    /// Returns the source text of a kernel whose parameters end with `bytes` bytes of numbers, in place of the values
    /// that functions capture. `F` is the struct of its fixed parameters.
    ///
    /// # Errors
    /// [`Error::Options`] for a function without a text.
    pub(crate) fn source_with_numbers<F: Fixed>(&self, bytes: usize) -> Result<KernelSource> {
        let Self { functions, kernel: (root, entry), features, constants } = *self;
        let acc = functions.layouts.acc;
        let given = parameters_text::<F>(entry, Params::values_at::<F>(acc, 1));
        let params = F::text(Params::bytes::<F>(acc, 1, bytes), bytes);
        let (text, source) = functions_text(functions, features);
        source.check()?;
        Ok(KernelSource { root, prelude: format!("{given}{text}{constants}{params}"), entry })
    }
}

/// Returns the C++ definitions of PARAMETERS, the name of a kernel's parameters in PTX, and of the offsets in bytes of
/// the captured values and of the workspace in these parameters.
pub(super) fn parameters_text<F: Fixed>(entry: &str, values_at: usize) -> String {
    let workspace_at = F::WORKSPACE_AT;
    format!(
        "#define PARAMETERS \"{entry}_param_0\"\nconstexpr u32 VALUES_AT = {values_at}, WORKSPACE_AT = {workspace_at};\n"
    )
}

/// Returns the C++ types `In`, `Acc`, `Out`, `Given`, `Key`, `Offset`, the functions on them, and the constants that
/// describe them; and the source that knows which values the functions read. If several interleaved lines are
/// scanned as one, `In`, `Acc` and `Out` are arrays with an element of each line, and the functions are applied to each
/// element.
pub(super) fn functions_text(functions: &Functions<'_>, features: Features) -> (String, Source) {
    let mut source = Source::new();
    let text = (functions.text)(&mut source);
    let Code { types: [input, acc, output, given], load, combine, store, given: from_given, carried } = text.code;
    let (lines, pass) = (features.interleaved, features.pass);
    let plain_input = functions.layouts.streams.is_none() || !pass.reads_elements();
    let storing = text.storing.as_ref().filter(|_| pass.writes_results());
    let of_lines = |ty: &str| if lines > 1 { format!("Array<{ty}, {lines}>") } else { ty.to_owned() };
    let input = if !plain_input {
        streams_text(&text.streams)
    } else {
        format!("using In = {};\n{PLAIN_STREAM}", of_lines(if pass.reads_elements() { &input } else { &acc }))
    };
    let load = if !plain_input {
        format!("return {load}({}, index);", text.element)
    } else if pass.reads_elements() {
        body("Acc", lines, &format!("{load}(x[], index)"))
    } else {
        body("Acc", lines, "x[]")
    };
    let (output, store) =
        if pass.writes_results() { (output, format!("{store}(x[])")) } else { (acc.clone(), "x[]".to_owned()) };
    let first_line = if lines > 1 { "x.at[0]" } else { "x" };
    let same = text.same.map_or("false".to_owned(), |same| format!("{same}(a, b)"));
    let text = format!(
        "{}{input}using Acc = {};\nusing Out = {};\nusing Given = {given};\nusing Key = {};\nusing Offset = {};\n\
         __device__ __forceinline__ Acc combine_acc(const Acc& a, const Acc& b) {{ {} }}\n\
         __device__ __forceinline__ Acc load_acc(const In& x, u64 index, u64 at) {{ {load} }}\n\
         __device__ __forceinline__ Out store_acc(const Acc& x) {{ {} }}\n\
         __device__ __forceinline__ Acc given_acc(const Given& x) {{ {} }}\n\
         __device__ __forceinline__ Given carried_acc(const Acc& x) {{ return {carried}({first_line}); }}\n\
         __device__ __forceinline__ bool same_key(const Key& a, const Key& b) {{ return {same}; }}\n{}constexpr bool PLAIN_INPUT = {plain_input}, PLAIN_OUTPUT = {};\n{}{}",
        source.text(),
        of_lines(&acc),
        of_lines(&output),
        text.key,
        text.offset,
        body("Acc", lines, &format!("{combine}(a[], b[])")),
        body("Out", lines, &store),
        body("Acc", lines, &format!("{from_given}(x)")),
        storing_text(storing),
        storing.is_none(),
        known_text(functions, features),
        features_text(features),
    ) + &length_text(text.length.as_deref().filter(|_| pass.reads_elements()))
        + &indices_text(
            text.right.filter(|_| pass.reads_elements()).unwrap_or_default(),
            functions.layouts.apart && pass.reads_elements(),
        );
    (text, source)
}

/// Returns the body of a C++ function that returns the type `ty`, computed by the expression `value`. For several
/// `lines` the body is a loop over the elements of an array, and `[]` in `value` becomes the access to an element; for
/// one line `[]` is removed.
fn body(ty: &str, lines: usize, value: &str) -> String {
    if lines == 1 {
        return format!("return {};", value.replace("[]", ""));
    }
    let value = value.replace("[]", ".at[i]");
    format!("{ty} r;\n#pragma unroll\n  for (u32 i = 0; i < {lines}; i++) r.at[i] = {value};\n  return r;")
}

/// C++ text about the streams of an input that is one buffer: there is one stream, whose elements are those of the
/// input.
const PLAIN_STREAM: &str = "constexpr u32 STREAMS = 1;\n\
    template <u32 S> struct StreamOf;\n\
    template <> struct StreamOf<0> {\n    \
    using type = In;\n    \
    static __device__ __forceinline__ In& of(In& x) { return x; }\n    \
    static __device__ __forceinline__ const In* base() { return nullptr; }\n};\n";

/// Returns the C++ struct `In`, which has an element of each stream, and the address of each stream. `streams` has the
/// C++ types of the elements, and the expressions for the addresses.
fn streams_text(streams: &[(String, String)]) -> String {
    let number = streams.len();
    let fields: String = streams.iter().enumerate().map(|(i, (ty, _))| format!(" {ty} s{i};")).collect();
    let mut text =
        format!("struct In {{{fields} }};\nconstexpr u32 STREAMS = {number};\ntemplate <u32 S> struct StreamOf;\n");
    for (i, (ty, address)) in streams.iter().enumerate() {
        let address = if address.is_empty() { "nullptr".to_owned() } else { format!("(const {ty}*){address}") };
        text += &format!(
            "template <> struct StreamOf<{i}> {{\n    using type = {ty};\n    \
             static __device__ __forceinline__ {ty}& of(In& x) {{ return x.s{i}; }}\n    \
             static __device__ __forceinline__ const {ty}* base() {{ return {address}; }}\n}};\n"
        );
    }
    text
}

/// Returns three parts of the C++ text: the bounds check of the indices of an element into the tables that they select
/// from, the function that reports indices out of bounds, and whether the map gathers (reads memory that is not
/// streamed).
fn indices_text(right: Vec<(String, String)>, apart: bool) -> String {
    let all: String = right.iter().map(|(right, _)| format!(" & {right}")).collect();
    let reports: String = right.iter().map(|(right, report)| format!("    if (!{right}) {report}\n")).collect();
    format!(
        "constexpr bool READS_APART = {apart}, INDEXED = {};\n\
         __device__ __forceinline__ bool indices_right([[maybe_unused]] const In& x, [[maybe_unused]] u64 at) {{ return true{all}; }}\n\
         __device__ __forceinline__ void report_indices([[maybe_unused]] const In& x, [[maybe_unused]] u64 at) {{\n{reports}}}\n",
        !right.is_empty(),
    )
}

/// Returns the C++ function that returns the address of the number of elements; null unless this number lies in device
/// memory.
fn length_text(length: Option<&str>) -> String {
    format!(
        "constexpr bool COUNTED_INPUT = {};\n\
         __device__ __forceinline__ const u64* counted_length() {{ return (const u64*){}; }}\n",
        length.is_some(),
        length.unwrap_or("nullptr"),
    )
}

/// Returns the C++ functions that store results in an output of several buffers, or in computed places; they are empty
/// if the output is one buffer.
fn storing_text(storing: Option<&StoringText>) -> String {
    let none = StoringText { element: String::new(), vector: String::new(), aligned: "true".to_owned() };
    let StoringText { element, vector, aligned } = storing.unwrap_or(&none);
    format!(
        "__device__ __forceinline__ void store_item([[maybe_unused]] const Out& value, [[maybe_unused]] u64 at) {{\n{element}}}\n\
         template <class Store>\n\
         __device__ __forceinline__ void store_items([[maybe_unused]] const Out* from, [[maybe_unused]] u64 at, \
         [[maybe_unused]] const Store& store) {{\n{vector}}}\n\
         template <class Aligned>\n\
         __device__ __forceinline__ bool items_aligned([[maybe_unused]] const Aligned& aligned) {{ return {aligned}; }}\n"
    )
}

/// Returns C++ constants about the functions: the operator's form; PLAIN, neither map nor finish changes a value;
/// WIDENS, the map only widens numbers; ANY_BITS, the functions compute on any bits; PRODUCT, an operator of the form
/// OTHER is a product; SAME_NAN, a result is NaN if and only if what is combined is. If elements are arrays of several
/// lines' elements, the form is OTHER and the others are false.
fn known_text(functions: &Functions<'_>, features: Features) -> String {
    let (known, pass) = (functions.known, features.pass);
    let single = features.interleaved == 1;
    let forms: String = Form::ALL.iter().map(|(_, name)| format!("{name}, ")).collect();
    let form = Form::ALL.iter().find(|(form, _)| *form == known.form && single).map_or("OTHER", |(_, name)| name);
    let same_map = known.same_map || !pass.reads_elements();
    let plain = single && same_map && (known.same_finish || !pass.writes_results());
    let (product, same_nan) = (single && known.product, single && known.same_nan);
    let (widens, any_bits) = (single && known.widens && pass.reads_elements(), single && known.any_bits);
    format!(
        "enum class Form {{ {forms}}};\n\
         constexpr Form FORM = Form::{form};\n\
         constexpr bool PLAIN = {plain}, WIDENS = {widens}, ANY_BITS = {any_bits}, PRODUCT = {product}, SAME_NAN = {same_nan};\n"
    )
}

fn features_text(features: Features) -> String {
    let heads: String = Heads::ALL.iter().map(|(_, name)| format!("{name}, ")).collect();
    let name = Heads::ALL.iter().find(|(heads, _)| *heads == features.heads).map_or("NONE", |(_, name)| name);
    let Features { exclusive, reverse, has_init, by_segment, carries, continues, .. } = features;
    format!(
        "enum class Heads {{ {heads}}};\n\
         constexpr Heads HEADS = Heads::{name};\n\
         constexpr bool EXCLUSIVE = {exclusive}, REVERSE = {reverse}, HAS_INIT = {has_init}, BY_SEGMENT = {by_segment}, CARRIES = {carries}, CONTINUES = {continues};\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::text_of;
    use crate::reduce::{self, ReduceParams};
    use upsweep_core::operator::builtin::Sum;
    use upsweep_core::operator::{MapWith, Same, host};
    use upsweep_core::segments::Whole;
    use upsweep_core::steps::{Held, JobSteps, Parts};

    fn source_of<S: JobSteps<In = u32, Out = u32>>(steps: &S) -> Result<KernelSource> {
        let text = |source: &mut Source| text_of::<S, Whole>(source, steps, None, &((), ()));
        let held = Held::nothing();
        let functions = Functions::of::<S, Whole>(&text, &held);
        let plan = reduce::plan(1 << 20, functions.layouts, functions.known.form);
        reduce::kernel(&plan, Features::PLAIN, &functions).source::<ReduceParams>()
    }

    #[test]
    fn a_closure_has_no_text() {
        let map = MapWith(host(|x: u32| x + 1));
        let found = source_of(&Parts::<u32, u32, Sum, _, Same>::new(Sum, map, Same)).map(|_| ());
        assert!(matches!(found, Err(Error::Options { options: "a closure (`host`) on CUDA", .. })), "{found:?}");
        assert!(source_of(&Parts::<u32, u32, Sum, Same, Same>::new(Sum, Same, Same)).is_ok());
    }
}
