//! Type-erased steps: the functions of a job are called by pointer, and the loops around them compiled once for many
//! jobs.
//!
//! ```text
//! operand, result     its bits: those of an unsigned integer for a number
//! element             its position: `load` reads the element there and maps it
//! ```
//!
//! Usually the functions of a job are inlined into its loops, and the loops are compiled for each job. Such loops are
//! fast, and take long to compile. Tests that are built with the feature `small-loops` are compiled often, for many
//! jobs, and run briefly. In these builds [`call`] runs a job whose output is a plain buffer in the few loops of
//! [`Erased`] steps. Without the feature a job has only its own loops; tests of the CPU's loops are run in a release
//! build, too.
//!
//! **Grouping.** The grouping of elements is chosen by their sizes and by the kind of the operator, which the erased
//! types keep. So the results have the same bits.

use super::body::{Body, bits};
use super::run::Memory;
use upsweep_core::inputs::{Counting, Read};
use upsweep_core::operator::Element;
use upsweep_core::outputs::Write;
use upsweep_core::steps::{Out, Steps};

/// Kinds of operators, each with loops of its own, by how its elements are combined: see [`kind_of`].
const EXACT: u8 = 0;
const ROWS: u8 = 1;
const VECTORS: u8 = 2;
const SWEEPS: u8 = 3;
const TREE: u8 = 4;

const fn kind_of<S: Steps>() -> u8 {
    match (S::LANES, S::EXACT) {
        _ if S::TREE => TREE,
        (true, true) => EXACT,
        (true, false) => ROWS,
        (false, _) if S::VECTORS => VECTORS,
        (false, _) => SWEEPS,
    }
}

/// Whether a job runs in the loops of [`Erased`] steps: if its output is a plain buffer.
const fn applies<S: Steps>() -> bool {
    <S::Out as Write>::PLAIN
}

/// Type that carries the bits of a `T`.
type BitsOf<T> = <T as Element>::Carrier;

/// Functions of a job, to which a [`Table`] points, and the input that `load` reads.
struct Functions<S: Steps> {
    steps: S,
    input: <S::In as Read>::Place,
}

/// Table of a job's functions. Operands are passed as bits of an `A`, and results as bits of an `O`. The first argument
/// of each function points to the job's [`Functions`].
struct Table<A, O> {
    load: unsafe fn(*const (), usize, usize) -> A,
    combine: unsafe fn(*const (), A, A) -> A,
    combine_encoded: unsafe fn(*const (), A, A) -> A,
    encode: unsafe fn(*const (), A) -> A,
    decode: unsafe fn(*const (), A) -> A,
    neutral: unsafe fn(*const (), A) -> A,
    tree: unsafe fn(*const ()) -> (usize, A),
    lanes: unsafe fn(*const ()) -> usize,
    store: unsafe fn(*const (), A) -> O,
    store_encoded: unsafe fn(*const (), A) -> O,
}

/// Defines functions of a [`Table`] by methods of the steps.
macro_rules! functions {
    ($($name:ident($($x:ident),*);)*) => { $(
        /// # Safety
        /// `functions` points to the [`Functions`] of `S`, and the arguments are bits of its values.
        unsafe fn $name<S: Steps, A: Copy, R: Copy>(functions: *const (), $($x: A),*) -> R {
            // SAFETY: `functions` points to those of `S`, and the arguments are bits of its values.
            unsafe { bits((*functions.cast::<Functions<S>>()).steps.$name($(bits($x)),*)) }
        }
    )* };
}
functions! {
    combine(a, b);
    combine_encoded(a, b);
    encode(a);
    decode(a);
    neutral(a);
    store(a);
    store_encoded(a);
}

/// Returns the number of elements of a row, and the neutral value.
///
/// # Safety
/// `functions` points to the [`Functions`] of `S`, and `A` has the bits of its operands.
unsafe fn tree<S: Steps, A: Copy>(functions: *const ()) -> (usize, A) {
    // SAFETY: `functions` points to those of `S`, and `A` has the bits of its operands.
    unsafe {
        let (row, neutral) = (*functions.cast::<Functions<S>>()).steps.tree();
        (row, bits(neutral))
    }
}

/// Returns the number of lanes of the tree of a reduction.
///
/// # Safety
/// `functions` points to the [`Functions`] of `S`.
unsafe fn lanes<S: Steps>(functions: *const ()) -> usize {
    // SAFETY: `functions` points to those of `S`.
    unsafe { (*functions.cast::<Functions<S>>()).steps.lanes() }
}

/// Reads the element at `at` and maps it.
///
/// # Safety
/// `functions` points to the [`Functions`] of `S`. The element at `at` is in the input, and nothing writes it
/// meanwhile.
unsafe fn load<S: Steps, A: Copy>(functions: *const (), at: usize, index: usize) -> A {
    // SAFETY: `functions` points to those of `S`; the element at `at` is in the input, and nothing writes it meanwhile.
    unsafe {
        let Functions { steps, input } = &*functions.cast::<Functions<S>>();
        bits(steps.load(S::In::read(input, at), index))
    }
}

impl<A: Copy + 'static, O: Copy + 'static> Table<A, O> {
    const fn of<S: Steps>() -> &'static Self {
        &const {
            Self {
                load: load::<S, A>,
                combine: combine::<S, A, A>,
                combine_encoded: combine_encoded::<S, A, A>,
                encode: encode::<S, A, A>,
                decode: decode::<S, A, A>,
                neutral: neutral::<S, A, A>,
                tree: tree::<S, A>,
                lanes: lanes::<S>,
                store: store::<S, A, O>,
                store_encoded: store_encoded::<S, A, O>,
            }
        }
    }
}

/// Type-erased steps of a job: see the [module](self).
pub(crate) struct Erased<A: 'static, O: 'static, const KIND: u8> {
    functions: *const (),
    table: &'static Table<A, O>,
}

impl<A, O, const KIND: u8> Clone for Erased<A, O, KIND> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A, O, const KIND: u8> Copy for Erased<A, O, KIND> {}

// SAFETY: `functions` points to steps, which are `Send` and `Sync`, and to the place of an input, which all threads
// only read.
unsafe impl<A, O, const KIND: u8> Send for Erased<A, O, KIND> {}
// SAFETY: what `functions` points to is `Sync` and only read, so sharing the pointer is no more than sending copies of
// it.
unsafe impl<A, O, const KIND: u8> Sync for Erased<A, O, KIND> {}

impl<A: Element, O: Element, const KIND: u8> Steps for Erased<A, O, KIND> {
    type In = Counting<u64>;
    type Acc = A;
    type Out = O;

    const LANES: bool = matches!(KIND, EXACT | ROWS | TREE);
    const NUMBERS: [usize; 3] = [0, A::NUMBERS, O::NUMBERS];
    const VECTORS: bool = KIND == VECTORS;
    const EXACT: bool = KIND == EXACT;
    const QUICK: bool = KIND == EXACT;
    const TREE: bool = KIND == TREE;

    fn same_map() -> bool {
        false
    }

    fn same_finish() -> bool {
        false
    }

    #[inline(always)]
    fn tree(&self) -> (usize, A) {
        // SAFETY: `by_pointer` made the table for the steps that `functions` points to.
        unsafe { (self.table.tree)(self.functions) }
    }

    #[inline(always)]
    fn lanes(&self) -> usize {
        // SAFETY: `by_pointer` made the table for the steps that `functions` points to.
        unsafe { (self.table.lanes)(self.functions) }
    }

    #[inline(always)]
    fn neutral(&self, x: A) -> A {
        // SAFETY: `by_pointer` made the table for the steps that `functions` points to.
        unsafe { (self.table.neutral)(self.functions, x) }
    }

    #[inline(always)]
    fn encode(&self, value: A) -> A {
        // SAFETY: `by_pointer` made the table for the steps that `functions` points to.
        unsafe { (self.table.encode)(self.functions, value) }
    }

    #[inline(always)]
    fn decode(&self, value: A) -> A {
        // SAFETY: `by_pointer` made the table for the steps that `functions` points to.
        unsafe { (self.table.decode)(self.functions, value) }
    }

    #[inline(always)]
    fn combine_encoded(&self, a: A, b: A) -> A {
        // SAFETY: `by_pointer` made the table for the steps that `functions` points to.
        unsafe { (self.table.combine_encoded)(self.functions, a, b) }
    }

    #[inline(always)]
    fn load(&self, at: u64, index: usize) -> A {
        // SAFETY: `by_pointer` made the table for the steps that `functions` points to. The caller may read its input
        // at this position, and so the element.
        unsafe { (self.table.load)(self.functions, at as usize, index) }
    }

    #[inline(always)]
    fn combine(&self, a: A, b: A) -> A {
        // SAFETY: `by_pointer` made the table for the steps that `functions` points to.
        unsafe { (self.table.combine)(self.functions, a, b) }
    }

    #[inline(always)]
    fn store(&self, value: A) -> O {
        // SAFETY: `by_pointer` made the table for the steps that `functions` points to.
        unsafe { (self.table.store)(self.functions, value) }
    }

    #[inline(always)]
    fn store_encoded(&self, value: A) -> O {
        // SAFETY: `by_pointer` made the table for the steps that `functions` points to.
        unsafe { (self.table.store_encoded)(self.functions, value) }
    }
}

/// Runs `body` with a job's steps: as they are, or type-erased if that [applies].
///
/// # Safety
/// The conditions of the type of `body` hold.
#[inline(always)]
pub(crate) unsafe fn call<S: Steps, B: Body<S>>(steps: S, memory: Memory<S::In, S::Out>, body: B) -> B::Result {
    // SAFETY: the caller guarantees the conditions of the body's type.
    unsafe { (const { way::<S, B>() })(steps, memory, body) }
}

/// Function that runs a body (a job's work) with the steps and the memory of the job.
type Way<S, B> = unsafe fn(S, Memory<<S as Steps>::In, <S as Steps>::Out>, B) -> <B as Body<S>>::Result;

/// Returns the function that runs the body of a job. It is chosen in a constant: the compiler would still analyse a
/// branch that is never taken, for each job.
const fn way<S: Steps, B: Body<S>>() -> Way<S, B> {
    match kind_of::<S>() {
        _ if !applies::<S>() => as_they_are::<S, B>,
        EXACT => by_pointer::<S, B, EXACT>,
        ROWS => by_pointer::<S, B, ROWS>,
        VECTORS => by_pointer::<S, B, VECTORS>,
        TREE => by_pointer::<S, B, TREE>,
        _ => by_pointer::<S, B, SWEEPS>,
    }
}

/// Runs `body` with the steps of the job.
///
/// # Safety
/// The conditions of the type of `body` hold.
#[inline(always)]
unsafe fn as_they_are<S: Steps, B: Body<S>>(steps: S, memory: Memory<S::In, S::Out>, body: B) -> B::Result {
    // SAFETY: the caller guarantees the conditions of the body's type, and the steps are the job's.
    unsafe { body.run::<S>(steps, memory) }
}

/// Runs `body` with type-erased steps.
///
/// # Safety
/// The conditions of the type of `body` hold; type erasure [applies]; `KIND` is the kind of the steps.
unsafe fn by_pointer<S: Steps, B: Body<S>, const KIND: u8>(
    steps: S,
    memory: Memory<S::In, S::Out>,
    body: B,
) -> B::Result {
    let functions = Functions { steps, input: memory.input };
    type Of<S, const KIND: u8> = Erased<BitsOf<<S as Steps>::Acc>, BitsOf<Out<S>>, KIND>;
    let steps = Of::<S, KIND> { functions: (&raw const functions).cast(), table: Table::of::<S>() };
    let Memory { output, len, reverse, .. } = memory;
    let output = output.cast();
    let memory = Memory { input: 0, sink: output, output, len, reverse };
    // SAFETY: the conditions of the body hold, and `KIND` is the kind of the steps. `functions` lives until the body
    // has run, and no copy of the pointer outlives the run.
    unsafe { body.run::<Of<S, KIND>>(steps, memory) }
}
