//! Linear recurrences (IIR filters) on a CUDA device: see `recurrence/recurrence.cuh`, and `recurrence/lines.cuh` for
//! lines along any axis but the last.
//!
//! The kernel is a pipeline whose state is the recurrence's memory: as many numbers as its order
//! (`recurrence/states.cuh`).
//!
//! **Powers.** The transition between two positions depends only on the number of elements between them. So tiles
//! exchange states alone, and the parameters have the powers of the transition that carry states over a thread, a warp,
//! a tile and a group (`recurrence/linear.cuh`). The host computes them with twice the digits of f64
//! (`upsweep-core/src/call/recurrence/`).
//!
//! **Basis.** The powers are computed in a basis in which the length of a state is the energy of the results that it
//! leads to (`basis.rs` there). In the states themselves, the powers of a filter with poles close together are small
//! differences of large terms, and f32 results would be hundreds of times less exact than the loop's. Each section of a
//! cascade has such a basis of its own. A basis for the results of the last section would not distinguish states that
//! lead to the same results, as those of the sections of a Butterworth filter do.
//!
//! **Two passes over a thread's elements.** The first pass computes the final state of the elements from states of
//! zero, which is a weighted sum of them; the host computes the weights. The second pass goes over the elements again
//! from the right states. So inside a thread the results are those of the sequential loop. Multiplications and
//! additions are fused here; those of operators never are.
//!
//! **High orders.** From five states on, a lane would take longer for the products of matrices and states than memory
//! takes for the elements. There the lanes share the products (`recurrence/teams.cuh`).

use super::borrow::Extent;
use super::code::Kernel;
use super::features::{Features, Heads};
use super::job::{Functions, text_of, write};
use super::params::{WithNumbers, params};
use super::runtime::Grid;
use super::scan::ScanParams;
use super::{Cuda, Loan, Workspace};
use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::Elements;
use upsweep_core::call::recurrence::{Call, Coefficient, ComputesOn, System, Transition};
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::{Element, Source};
use upsweep_core::segments::Whole;
use upsweep_core::steps::{Held, Parts};
use upsweep_plan::constants::{Constants, constants};
use upsweep_plan::recurrence::{Form, RecurrencePlan};
use upsweep_plan::tile::Sizes;

params! {
    /// Parameters of the kernel for strided lines, in which each thread follows a line from end to end.
    struct RecurrenceLinesParams {
        input: "const In*",
        output: "Out*",
        lines: "u64",
        len: "u64",
        /// Stride from an element to the next one of its line, in elements.
        inner: "u64",
        init_from: "const Given*",
        carry: "Given*",
        /// Workspace, which this kernel does not use: its threads do not communicate, and it reports no fault.
        workspace: "Workspace",
    }
}

/// `LINES_THREADS`: number of threads of a block of the kernel for strided lines. The next constant is its largest
/// number of blocks.
const LINES_THREADS: usize = 128;
const MOST_BLOCKS: usize = 1 << 20;

/// Steps of a recurrence. The map converts elements `I` to the numbers `C` that it computes in, and finish converts
/// them back.
type StepsOf<C, I> = Parts<I, I, <C as ComputesOn<I>>::Sum, <C as ComputesOn<I>>::Map, <C as ComputesOn<I>>::Finish>;

pub fn run<C: ComputesOn<I>, I: Element>(cuda: &Cuda, call: Call<'_, '_, '_, C, I>) -> Result<()> {
    with_functions::<C, I, _>(|functions| {
        let Call { system, shape, reverse, input, mut output, first, mut last } = call;
        let n = shape.lines() * shape.len;
        let (output, _, _output) = write(cuda, "output", Some(&mut output))?;
        let (source, _input) = match &input {
            Elements::Given(view) => cuda.read("input", view)?,
            Elements::OfOutput => (output, Loan::default()),
        };
        let (first, _first) =
            first.as_ref().map_or(Ok(Default::default()), |view| cuda.read("initial states", view))?;
        let (last, _last) = match last.as_mut() {
            None => Default::default(),
            Some(ViewMut::Cuda(view)) => cuda.write("final states", view)?,
            Some(ViewMut::Host(_)) => {
                return Err(Error::Place { what: "final states", found: "host", expected: "CUDA" });
            }
        };
        let (elements, results) = (Extent::new::<I>(source, n), Extent::new::<I>(output, n));
        let of_states =
            |address: u64| Extent::new::<C>(address, if address == 0 { 0 } else { shape.lines() * system.states });
        if source != output {
            results.must_not_meet(elements)?;
        }
        for (states, other) in [
            (first, results),
            (last, results),
            (last, elements),
            (last, of_states(if first == last { 0 } else { first })),
        ] {
            of_states(states).must_not_meet(other)?;
        }
        // If the recurrence has no states, there is nothing to read or to store at these addresses.
        let [first, last] = [first, last].map(|address| if system.states == 0 { 0 } else { address });
        let (has_init, carries) = (first != 0, last != 0);
        let features = Features { reverse, has_init, carries, ..Features::PLAIN };
        let buffers = Buffers { input: source, output, first, last };
        if n == 0 {
            return if last == 0 { Ok(()) } else { keep_states::<C>(cuda, buffers, shape.lines() * system.states) };
        }
        if shape.inner > 1 {
            let (kernel, form) = lines_kernel(&system, features, functions);
            let loaded = cuda.kernel(kernel.key(), || {
                kernel.source_with_numbers::<RecurrenceLinesParams>(form.coefficients() * size_of::<C>())
            })?;
            let fixed = RecurrenceLinesParams {
                input: source,
                output,
                lines: shape.lines() as u64,
                len: shape.len as u64,
                inner: shape.inner as u64,
                init_from: first,
                carry: last,
                workspace: Workspace::NONE,
            };
            let params = WithNumbers::new(fixed, functions, &[&system.coefficients]);
            let grid = shape.lines().div_ceil(LINES_THREADS).min(MOST_BLOCKS) as u32;
            // SAFETY: the parameters begin with the kernel's layout (its text asserts it), and the loans keep its
            // pointers good for the shape's elements and states until the kernel is enqueued in the stream's order.
            return unsafe { cuda.launch(&loaded, Grid::new(grid, LINES_THREADS as u32, 0), &params) };
        }
        let heads = if shape.outer > 1 { Heads::Rows } else { Heads::None };
        launch(cuda, &system, (shape.len, n), Features { heads, ..features }, functions, buffers)
    })
}

/// Addresses of a call's input, output, initial states (`first`) and final states (`last`); 0 for states that the call
/// does not have.
#[derive(Clone, Copy)]
struct Buffers {
    input: u64,
    output: u64,
    first: u64,
    last: u64,
}

/// Stores the final states of lines that have no elements: copies of the initial states, or zeros. `states` is their
/// number in all lines.
fn keep_states<C>(cuda: &Cuda, buffers: Buffers, states: usize) -> Result<()> {
    let bytes = states * size_of::<C>();
    if buffers.first == 0 { cuda.clear(buffers.last, bytes) } else { cuda.copy(buffers.last, buffers.first, bytes) }
}

/// Launches the single-pass kernel on `n` elements, in contiguous lines of `row` elements each.
fn launch<C: Coefficient>(
    cuda: &Cuda,
    system: &System<C>,
    (row, n): (usize, usize),
    features: Features,
    functions: &Functions<'_>,
    buffers: Buffers,
) -> Result<()> {
    let sizes = features.sizes(functions.layouts);
    let capability = cuda.compute_capability();
    let prepared = Prepared::of(system, sizes, capability);
    let plan = RecurrencePlan::new(n, prepared.form, sizes, size_of::<C>(), capability);
    let kernel = kernel(&plan, features, functions);
    let loaded =
        cuda.kernel(kernel.key(), || kernel.source_with_numbers::<ScanParams>(plan.numbers() * size_of::<C>()))?;
    let (threads, shared) = (plan.pipeline.threads() as u32, plan.shared_bytes() as u32);
    let resident = loaded.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
    let grid = plan.pipeline.tiles.min(resident as usize) as u32;
    let words = plan.pipeline.words;
    let workspace =
        if plan.pipeline.tiles > 1 { cuda.workspace(words.words8, words.words16)? } else { Workspace::NONE };
    let fixed = ScanParams {
        carry: buffers.last,
        init_from: buffers.first,
        ..ScanParams::of_rows([buffers.input, buffers.output], n, row as u64, workspace)
    };
    let params = WithNumbers::new(fixed, functions, &[&system.coefficients, &prepared.matrices]);
    // SAFETY: the parameters begin with the kernel's layout (its text asserts it), and the loans keep its pointers good
    // for `n` elements, and the states of their lines, until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&loaded, Grid::new(grid, threads, shared), &params) }
}

/// Data that a kernel takes of a system (the coefficients of a recurrence) besides the coefficients: the form that it
/// is compiled for, and matrices. It depends neither on the elements nor on their number.
struct Prepared<C> {
    form: Form,
    /// Matrices into the basis and back, if there is a basis; the powers of the transition from one state to the next;
    /// and the weights of a thread's elements in each state. See the head of this file.
    matrices: Vec<C>,
}

/// Key by which a [`Prepared`] is found: the type and the bytes of the coefficients, and what the plan depends on
/// besides.
#[derive(PartialEq)]
struct Key {
    numbers: TypeId,
    bytes: Vec<u8>,
    form: Form,
    sizes: Sizes,
    capability: (u32, u32),
}

/// Returns the form of a system for kernels that need no powers of its transition, such as the kernel for strided
/// lines.
fn form_of<C: Coefficient>(system: &System<C>) -> Form {
    let System { order, sections, feedback, .. } = *system;
    Form { order, sections, feedback, careful: false, basis: false }
}

/// Recently prepared systems, the newest first. Preparing a system of order 8 takes as long as filtering 2^27 elements
/// on an H200, so it is done once.
static RECENT: Mutex<VecDeque<(Key, Arc<dyn Any + Send + Sync>)>> = Mutex::new(VecDeque::new());
const MOST_RECENT: usize = 32;

impl<C: Coefficient> Prepared<C> {
    fn of(system: &System<C>, sizes: Sizes, capability: (u32, u32)) -> Arc<Self> {
        let coefficients = &system.coefficients;
        let bytes = size_of_val(&coefficients[..]);
        // SAFETY: `coefficients` has `bytes` bytes, and numbers have no padding.
        let bytes = unsafe { std::slice::from_raw_parts(coefficients.as_ptr().cast::<u8>(), bytes) }.to_vec();
        let key = Key { numbers: TypeId::of::<C>(), bytes, form: form_of(system), sizes, capability };
        let recent = || RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        let found = recent().iter().find(|(other, _)| *other == key).map(|(_, prepared)| Arc::clone(prepared));
        if let Some(Ok(prepared)) = found.map(Arc::downcast::<Self>) {
            return prepared;
        }
        let prepared = Arc::new(Self::new(system, sizes, capability));
        let mut recent = recent();
        recent.truncate(MOST_RECENT - 1);
        recent.push_front((key, Arc::clone(&prepared) as Arc<dyn Any + Send + Sync>));
        prepared
    }

    fn new(system: &System<C>, sizes: Sizes, capability: (u32, u32)) -> Self {
        let transition = Transition::of(system);
        let form = Form { careful: !system.feedback, basis: transition.basis.is_some(), ..form_of(system) };
        let plan = RecurrencePlan::new(1, form, sizes, size_of::<C>(), capability);
        let powers = transition.powers(plan.items(), plan.levels);
        let weights = transition.weights(plan.weights());
        let careful = form.careful || !powers.iter().chain(&weights).all(|number| number.finite());
        let mut matrices = transition.basis.map_or_else(Vec::new, |matrices| matrices.concat());
        matrices.extend(powers);
        if !careful {
            matrices.extend(weights);
        }
        Self { form: Form { careful, ..form }, matrices }
    }
}

/// Calls `use_them` with the functions of the kernels, for elements `I` and a recurrence that is computed in numbers
/// `C`.
pub(super) fn with_functions<C: ComputesOn<I>, I: Element, R>(
    use_them: impl FnOnce(&Functions<'_>) -> Result<R>,
) -> Result<R> {
    let (sum, map, finish) = C::functions();
    let steps = StepsOf::<C, I>::new(sum, map, finish);
    let text = |source: &mut Source| text_of::<_, Whole>(source, &steps, None, &((), ()));
    let held = Held::nothing();
    use_them(&Functions::of::<StepsOf<C, I>, Whole>(&text, &held))
}

/// Returns the single-pass kernel that a plan for contiguous lines describes.
pub(super) fn kernel<'a>(plan: &RecurrencePlan, features: Features, functions: &'a Functions<'a>) -> Kernel<'a> {
    let kernel = ("recurrence/recurrence.cuh", "upsweep_recurrence");
    Kernel { functions, kernel, features, constants: plan.constants() }
}

/// Returns the kernel for strided lines, and the form that it is compiled for.
pub(super) fn lines_kernel<'a, C: Coefficient>(
    system: &System<C>,
    features: Features,
    functions: &'a Functions<'a>,
) -> (Kernel<'a>, Form) {
    let (form, kernel) = (form_of(system), ("recurrence/lines.cuh", "upsweep_recurrence_lines"));
    (Kernel { functions, kernel, features, constants: lines_constants(system.states, form) }, form)
}

/// Returns the constants that the kernel for strided lines is compiled with.
pub(super) fn lines_constants(states: usize, form: Form) -> Constants {
    let mut constants = Constants::default();
    constants!(constants; "THREADS" = LINES_THREADS, "STATES" = states);
    form.add_to(&mut constants);
    constants
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    #[test]
    fn a_system_is_prepared_once() {
        let system = |a: f32| System::new(&[1.0, 0.5, 0.25], &[1.0, a, 0.125]).unwrap();
        let prepared = |a| Prepared::of(&system(a), Sizes::plain(4, 4, 4), (9, 0));
        let first = prepared(0.5);
        assert!(Arc::ptr_eq(&first, &prepared(0.5)));
        // Systems are equal if their coefficients have the same bits, so 0 and -0 differ. Other sizes need another
        // plan.
        assert!(!Arc::ptr_eq(&prepared(0.0), &prepared(-0.0)));
        assert!(!Arc::ptr_eq(&first, &Prepared::of(&system(0.5), Sizes::plain(4, 8, 4), (9, 0))));
        assert_ne!(first.matrices, prepared(0.25).matrices);
        // A system that was evicted is prepared again.
        (0..MOST_RECENT).for_each(|i| drop(prepared(i as f32 / 64.0)));
        let again = prepared(0.5);
        assert_eq!(again.matrices, first.matrices);
        assert_eq!(again.form, first.form);
    }

    #[test]
    fn numbers_lie_where_kernels_read_them() {
        with_functions::<f32, f32, _>(|functions| {
            let fixed = RecurrenceLinesParams {
                input: 0,
                output: 0,
                lines: 0,
                len: 0,
                inner: 0,
                init_from: 0,
                carry: 0,
                workspace: Workspace::NONE,
            };
            let params = WithNumbers::new(fixed, functions, &[&[1.0f32, 2.0, 3.0, 4.0, 5.0], &[], &[6.0]]);
            let at = Params::values_at::<RecurrenceLinesParams>(functions.layouts.acc, 1);
            // SAFETY: the parameters have six numbers of four bytes from offset `at` on.
            let found = unsafe { params.bytes().as_ptr().add(at).cast::<[f32; 6]>().read_unaligned() };
            assert_eq!(found, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
            Ok(())
        })
        .unwrap();
    }
}
