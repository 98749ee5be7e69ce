//! Steps whose functions are called by pointer, so that the loops around them are compiled once for many jobs.
//!
//! ```text
//! what is combined, and a result     bits: of numbers those of an unsigned integer
//! an element                         its position: `load` reads it and maps it
//! ```
//!
//! A job's functions are inlined into the loops, and the loops are compiled for each job. That is what makes them fast, and
//! what takes long to compile. Tests that are built with the feature `small-loops` are compiled often, for many jobs, and run short: there a job whose results
//! go to a buffer of their own goes through [`call`] to the loops of [`Erased`] steps, of which there are few. Release builds have no other
//! loops than those of the job, and tests of the CPU's loops are run in such a build, too.
//!
//! **Grouping.** What chooses how elements are grouped, the sizes and the kind of operator, is part of the types: the bits are
//! the same.

use super::body::{Body, bits};
use super::run::Memory;
use upsweep_core::inputs::{Counting, Read};
use upsweep_core::operator::Element;
use upsweep_core::outputs::Write;
use upsweep_core::steps::{Out, Steps};

/// Which loops an operator goes through.
const EXACT: u8 = 0;
const ROWS: u8 = 1;
const VECTORS: u8 = 2;
const SWEEPS: u8 = 3;

const fn kind_of<S: Steps>() -> u8 {
    match (S::LANES, S::EXACT) {
        (true, true) => EXACT,
        (true, false) => ROWS,
        (false, _) if S::VECTORS => VECTORS,
        (false, _) => SWEEPS,
    }
}

/// Whether a job's loops are those of [`Erased`] steps.
const fn applies<S: Steps>() -> bool {
    <S::Out as Write>::PLAIN
}

/// What carries the values of a job.
type BitsOf<T> = <T as Element>::Carrier;

/// The functions of a job, and where its elements are.
struct Functions<S: Steps> {
    steps: S,
    input: <S::In as Read>::Place,
}

/// The functions of some job, whose values are the bits of `A` and of `O`. Each is given the job's [`Functions`].
struct Table<A, O> {
    load: unsafe fn(*const (), usize, usize) -> A,
    combine: unsafe fn(*const (), A, A) -> A,
    combine_encoded: unsafe fn(*const (), A, A) -> A,
    encode: unsafe fn(*const (), A) -> A,
    decode: unsafe fn(*const (), A) -> A,
    neutral: unsafe fn(*const (), A) -> A,
    store: unsafe fn(*const (), A) -> O,
    store_encoded: unsafe fn(*const (), A) -> O,
}

/// Makes functions of a table from methods of the steps.
macro_rules! functions {
    ($($name:ident($($x:ident),*);)*) => { $(
        /// # Safety
        /// `functions` are those of `S`, and values the bits of its values.
        unsafe fn $name<S: Steps, A: Copy, R: Copy>(functions: *const (), $($x: A),*) -> R {
            // SAFETY: the functions are those of `S`, and the values' bits those of its values.
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

/// # Safety
/// As above; the element at `at` is in the input, and nothing writes it meanwhile.
unsafe fn load<S: Steps, A: Copy>(functions: *const (), at: usize, index: usize) -> A {
    // SAFETY: the element at `at` is in the input, and nothing writes it meanwhile.
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
                store: store::<S, A, O>,
                store_encoded: store_encoded::<S, A, O>,
            }
        }
    }
}

/// The steps of some job: see the [module](self).
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

// SAFETY: the functions are those of steps, which all threads may have, and of an input, which all threads read.
unsafe impl<A, O, const KIND: u8> Send for Erased<A, O, KIND> {}
// SAFETY: as above.
unsafe impl<A, O, const KIND: u8> Sync for Erased<A, O, KIND> {}

impl<A: Element, O: Element, const KIND: u8> Steps for Erased<A, O, KIND> {
    type In = Counting<u64>;
    type Acc = A;
    type Out = O;

    const LANES: bool = matches!(KIND, EXACT | ROWS);
    const NUMBERS: [usize; 3] = [0, A::NUMBERS, O::NUMBERS];
    const VECTORS: bool = KIND == VECTORS;
    const EXACT: bool = KIND == EXACT;
    const QUICK: bool = KIND == EXACT;

    fn same_map() -> bool {
        false
    }

    fn same_finish() -> bool {
        false
    }

    #[inline(always)]
    fn neutral(&self, x: A) -> A {
        // SAFETY: `call` has made the functions and the table, here and below.
        unsafe { (self.table.neutral)(self.functions, x) }
    }

    #[inline(always)]
    fn encode(&self, value: A) -> A {
        // SAFETY: as above.
        unsafe { (self.table.encode)(self.functions, value) }
    }

    #[inline(always)]
    fn decode(&self, value: A) -> A {
        // SAFETY: as above.
        unsafe { (self.table.decode)(self.functions, value) }
    }

    #[inline(always)]
    fn combine_encoded(&self, a: A, b: A) -> A {
        // SAFETY: as above.
        unsafe { (self.table.combine_encoded)(self.functions, a, b) }
    }

    #[inline(always)]
    fn load(&self, at: u64, index: usize) -> A {
        // SAFETY: as above; who has the position has read it, and so may read the element.
        unsafe { (self.table.load)(self.functions, at as usize, index) }
    }

    #[inline(always)]
    fn combine(&self, a: A, b: A) -> A {
        // SAFETY: as above.
        unsafe { (self.table.combine)(self.functions, a, b) }
    }

    #[inline(always)]
    fn store(&self, value: A) -> O {
        // SAFETY: as above.
        unsafe { (self.table.store)(self.functions, value) }
    }

    #[inline(always)]
    fn store_encoded(&self, value: A) -> O {
        // SAFETY: as above.
        unsafe { (self.table.store_encoded)(self.functions, value) }
    }
}

/// Runs `body` with a job's steps: as they are, or by pointer where that [applies].
///
/// # Safety
/// What the body says.
#[inline(always)]
pub(crate) unsafe fn call<S: Steps, B: Body<S>>(steps: S, memory: Memory<S::In, S::Out>, body: B) -> B::Result {
    // SAFETY: the memory is as the body says.
    unsafe { (const { way::<S, B>() })(steps, memory, body) }
}

/// A way to run a body.
type Way<S, B> = unsafe fn(S, Memory<<S as Steps>::In, <S as Steps>::Out>, B) -> <B as Body<S>>::Result;

/// The one for a job. It is chosen as a constant: a branch that is never taken would still be looked through, for each job, by the compiler.
const fn way<S: Steps, B: Body<S>>() -> Way<S, B> {
    match kind_of::<S>() {
        _ if !applies::<S>() => as_they_are::<S, B>,
        EXACT => by_pointer::<S, B, EXACT>,
        ROWS => by_pointer::<S, B, ROWS>,
        VECTORS => by_pointer::<S, B, VECTORS>,
        _ => by_pointer::<S, B, SWEEPS>,
    }
}

/// # Safety
/// As [`call`].
#[inline(always)]
unsafe fn as_they_are<S: Steps, B: Body<S>>(steps: S, memory: Memory<S::In, S::Out>, body: B) -> B::Result {
    // SAFETY: the memory is as the body says; values stay as they are.
    unsafe { body.run::<S>(steps, memory) }
}

/// # Safety
/// As [`call`]; it [applies], and `KIND` is that of the steps.
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
    // SAFETY: the memory is as the body says, and `KIND` is the steps'; the functions live until the body has run, and so does all that it is lent to.
    unsafe { body.run::<Of<S, KIND>>(steps, memory) }
}
