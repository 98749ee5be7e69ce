//! Moving sums on a CUDA device: see `moving_sum/moving_sum.cuh`.
//!
//! A block goes down a strip of an image. Each column keeps the sum over the rows of the window. Along a row, a window
//! is a suffix of a chunk of eight columns, some whole chunks, and a prefix, all of which lie in shared memory. So only
//! rows are subtracted, and a sum that is not finite is added up anew. The partition of rows depends on the shape alone
//! (`upsweep-plan/src/moving_sum.rs`), and the CPU (`upsweep-cpu/src/moving_sum.rs`) adds in the same order.

use super::borrow::Lender;
use super::code::Kernel;
use super::features::{Features, Layout, Layouts};
use super::job::{Begin, Functions, Text};
use super::params::{Params, params};
use super::runtime::Grid;
use super::{Cuda, Workspace};
use std::any::TypeId;
use upsweep_core::buffer::View;
use upsweep_core::error::Result;
use upsweep_core::inputs::Lend;
use upsweep_core::operator::builtin::Sum;
use upsweep_core::operator::{Element, Function, Map, Number, Operator, Source};
use upsweep_core::outputs::{LendMut, Target};
use upsweep_core::steps::{Code, Held, Known};
use upsweep_plan::moving_sum::{MovingSumPlan, Windows};

params! {
    /// Parameters of the kernel of moving sums.
    struct MovingSumParams {
        input: "const In*",
        output: "Out*",
        height: "u64",
        width: "u64",
        channels: "u64",
        /// Number of rows of a window above and below its own value's row, and number of columns to the left and to the
        /// right of its own value's column.
        above: "u64",
        below: "u64",
        left: "u64",
        right: "u64",
        /// `part`: number of rows of a part of an image plane, which one block goes down. `parts`: number of parts of a
        /// plane.
        part: "u64",
        parts: "u64",
        /// `strip`: number of chunks (8 neighbouring columns) of a strip. `strips`: number of strips side by side.
        strip: "u64",
        strips: "u64",
        /// Number of blocks of earlier launches of this call: a call with very many blocks takes several launches.
        first_block: "u64",
        /// Workspace, which this kernel does not use: its blocks do not communicate, and it reports no fault.
        workspace: "Workspace",
    }
}

/// Returns the kernel of moving sums for a plan.
pub(super) fn kernel<'a>(plan: &MovingSumPlan, functions: &'a Functions<'a>) -> Kernel<'a> {
    let kernel = ("moving_sum/moving_sum.cuh", "upsweep_moving_sum");
    Kernel { functions, kernel, features: Features::PLAIN, constants: plan.constants() }
}

/// Sum of the values in a window, and their number: the arguments of `finish`.
#[repr(C)]
struct OfWindow<A> {
    sum: A,
    values: u64,
}

/// Calls `use_them` with the kernel's functions, which are made from `map` and `finish`.
pub(super) fn with_functions<T, A, O, M, F, R>(
    map: &M,
    finish: &F,
    use_them: impl FnOnce(&Functions<'_>) -> Result<R>,
) -> Result<R>
where
    T: Element,
    A: Number,
    O: Element,
    M: Map<T, (T,), Output = A>,
    F: Function<(A, u64), Output = O>,
{
    let text = |source: &mut Source| {
        let (input, sum, output) = (T::cuda_type(source), A::cuda_type(source), O::cuda_type(source));
        let window = source.define_type(&format!("window of {sum}"), "OfWindow", |_, name| {
            format!("struct {name} {{ {sum} sum; u64 values; }};")
        });
        let add = Operator::<A>::cuda_function(&Sum, source);
        let combine = source.define(&format!("windows of {sum}"), "both_windows", |_, name| {
            format!(
                "__device__ __forceinline__ {window} {name}(const {window}& a, const {window}& b) {{ return {{{add}(a.sum, b.sum), \
                 a.values + b.values}}; }}"
            )
        });
        // The text reads captured values in the order in which `held` has them.
        let (map, finish) = (map.cuda_function(source), finish.cuda_function(source));
        let load = source.define(&format!("window of one by {map}"), "window_of", |_, name| {
            format!(
                "__device__ __forceinline__ {window} {name}(const {input}& x, u64) {{ return {{{map}(x, 0), 1}}; }}"
            )
        });
        let store = source.define(&format!("of window by {finish}"), "of_window", |_, name| {
            format!(
                "__device__ __forceinline__ {output} {name}(const {window}& x) {{ return {finish}(x.sum, x.values); }}"
            )
        });
        let given = source.define(&format!("window of a {sum}"), "given_window", |_, name| {
            format!("__device__ __forceinline__ {window} {name}({sum} x) {{ return {{x, 1}}; }}")
        });
        let carried = source.define(&format!("sum of a window of {sum}"), "carried_sum", |_, name| {
            format!("__device__ __forceinline__ {sum} {name}(const {window}& x) {{ return x.sum; }}")
        });
        let code = Code { types: [input, window, output, sum], load, combine, store, given, carried };
        let (key, offset) = ("u32".to_owned(), "u64".to_owned());
        let (streams, element) = (Vec::new(), "x".to_owned());
        Text { code, streams, length: None, right: None, element, storing: None, key, offset, same: None }
    };
    let mut held = Held::nothing();
    held.add_function::<M>(|values| map.values(values))?;
    held.add_function::<F>(|values| finish.values(values))?;
    let window = Layout { size: size_of::<OfWindow<A>>(), align: align_of::<OfWindow<A>>() };
    let layouts = Layouts::of_buffers(Layout::of::<T>(), window, Layout::of::<O>());
    let known = Known::default();
    let types = TypeId::of::<(T, M, F)>();
    use_them(&Functions { layouts, known, key: Layout::of::<()>(), may_fault: false, types, held: &held, text: &text })
}

pub fn run<T, A, O, M, F>(
    cuda: &Cuda,
    map: M,
    finish: F,
    input: &View<'_, T>,
    output: &mut Target<'_, O>,
    windows: &Windows,
) -> Result<()>
where
    T: Element,
    A: Number,
    O: Element,
    M: Map<T, (T,), Output = A>,
    F: Function<(A, u64), Output = O>,
{
    let values = input.len();
    let mut lender = Lender::new(cuda);
    let output = lender.lend_mut("output", output)?;
    let input = lender.lend("input", input)?;
    lender.check(false)?;
    let _loans = lender.into_loans();
    let plan = MovingSumPlan::new(windows, size_of::<A>())?;
    with_functions::<T, A, O, _, _, _>(&map, &finish, |functions| {
        if values == 0 {
            return Ok(());
        }
        let kernel = kernel(&plan, functions);
        let loaded = cuda.kernel(kernel.key(), || kernel.source::<MovingSumParams>())?;
        let [planes, height, width, channels] = windows.shape;
        let ([above, below], [left, right]) = (windows.rows, windows.columns);
        let part = windows.part(size_of::<A>());
        let (parts, strips) = (height.div_ceil(part), plan.strips(width));
        let blocks = (planes * parts * strips * channels.div_ceil(plan.channels)) as u64;
        for first_block in (0..blocks).step_by(MOST_BLOCKS as usize) {
            let fixed = MovingSumParams {
                input,
                output,
                height: height as u64,
                width: width as u64,
                channels: channels as u64,
                above: above as u64,
                below: below as u64,
                left: left as u64,
                right: right as u64,
                part: part as u64,
                parts: parts as u64,
                strip: plan.strip as u64,
                strips: strips as u64,
                first_block,
                workspace: Workspace::NONE,
            };
            let params = Params::new(fixed, &Begin::nothing(functions.layouts.acc), 1, &functions.held.values);
            let of_launch = (blocks - first_block).min(u64::from(MOST_BLOCKS)) as u32;
            let (threads, shared) = (plan.launched() as u32, plan.shared_bytes() as u32);
            // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers
            // good for all values until the kernel is enqueued in the stream's order.
            unsafe { cuda.launch(&loaded, Grid::new(of_launch, threads, shared), &params) }?;
        }
        Ok(())
    })
}

/// Largest number of blocks of one launch.
const MOST_BLOCKS: u32 = 1 << 30;
