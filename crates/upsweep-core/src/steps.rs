//! Functions of a job as one value: map, operator and finish, independent of the buffers.
//!
//! ```text
//! load       an element and its position to what is combined
//! combine    the operator
//! store      what is combined to a result
//! given      an initial value, as the caller has it, to what is combined; `carried` is the way back
//! ```
//!
//! The CPU backend is generic over [`JobSteps`]. The CUDA backend is not: it gets sizes and text ([`Code`]).

use crate::error::{Error, Result};
use crate::inputs::Read;
#[cfg(feature = "cuda")]
use crate::operator::Source;
#[cfg(feature = "cuda")]
use crate::operator::Widen;
use crate::operator::{Element, Form, Function, Item, MAX_VALUES_BYTES, Map, Operator, Same, Values};
use crate::outputs::Write;
use crate::segments::Segmentation;
use crate::{lanes, tree};
use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Element type of a job's input, and result type.
pub type In<S> = <<S as Steps>::In as Item>::Value;
pub type Out<S> = <<S as Steps>::Out as Item>::Value;

/// Functions of one job (a scan or reduction) behind one type parameter, so that the backends need not spell out their
/// bounds. The CPU's loops call them.
pub trait Steps: Copy + Send + Sync + 'static {
    /// Item of the input: the type that defines how its values, the arguments of the map, are read.
    type In: Read;
    /// Operand type of the operator.
    type Acc: Element;
    /// Item of the output: the type that defines how results are stored.
    type Out: Write;

    /// Bytes of an element, of an operand, and of a result.
    const BYTES: [usize; 3] = [size_of::<In<Self>>(), size_of::<Self::Acc>(), size_of::<Out<Self>>()];

    /// Whether the operator takes a few vector instructions to combine many operands. If so, an operand has 1, 2, 4 or
    /// 8 bytes.
    const LANES: bool;

    /// Number of vector numbers (numbers that a processor's vectors hold) that make up an element, an operand, and a
    /// result; 0 if there is anything else. Where the number of an element or a result is not 0, the buffer's values
    /// are contiguous.
    const NUMBERS: [usize; 3];

    /// Whether the operator takes vector instructions to combine operands that consist of several numbers.
    const VECTORS: bool;

    /// Whether the operator, one with [`LANES`](Steps::LANES), gives the same bits in every order and every grouping of
    /// operands.
    const EXACT: bool;

    /// Whether the results of scans have the grouping of [`tree`], and totals that of [`lanes`].
    const TREE: bool;

    /// Whether an exact operator has a latency of one cycle, as all exact operators but products have: values are then
    /// best combined one after the other; else several chains should be in flight.
    const QUICK: bool;

    /// Whether the map changes nothing and the input is a single buffer, so that operands are its elements
    /// (`same_map`). Whether the finish changes nothing, so that results are operands, but for NaN (`same_finish`).
    fn same_map() -> bool;
    fn same_finish() -> bool;

    /// Returns the number of elements of a row, and a value that changes no bits of a number that is combined with it on
    /// its right. For operators with [`TREE`](Steps::TREE).
    fn tree(&self) -> (usize, Self::Acc);

    /// Returns the number of lanes of the tree of a reduction: see [`lanes`]. For operators with [`TREE`](Steps::TREE).
    #[inline(always)]
    fn lanes(&self) -> usize {
        const { lanes::lanes(size_of::<In<Self>>(), size_of::<Self::Acc>()) }
    }

    /// Returns a start value `e` for a fold whose first operand is the encoded `x`: `combine_encoded(e, x)` is `x`. It
    /// is the identity of sums, exclusive ors and products, else `x` itself, as the other operators are idempotent. For
    /// [`EXACT`](Steps::EXACT) operators.
    fn neutral(&self, x: Self::Acc) -> Self::Acc;

    /// Encodes a value for [`combine_encoded`](Steps::combine_encoded). If the operator is the minimum or maximum of
    /// floats, they become integers in the same order, of which one instruction finds the larger one. For all other
    /// operators the value does not change.
    fn encode(&self, value: Self::Acc) -> Self::Acc;
    fn decode(&self, value: Self::Acc) -> Self::Acc;
    fn combine_encoded(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;

    /// Returns the operand for the element `x` at position `index`.
    fn load(&self, x: In<Self>, index: usize) -> Self::Acc;
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// Returns the stored form of the result `value`.
    fn store(&self, value: Self::Acc) -> Out<Self>;
    /// Returns the stored form of the result `value`, which is encoded as by [`encode`](Steps::encode).
    fn store_encoded(&self, value: Self::Acc) -> Out<Self>;

    /// Combines `a` and `b`, either of which may be missing: then the other one is returned.
    #[inline(always)]
    fn join(&self, a: Option<Self::Acc>, b: Option<Self::Acc>) -> Option<Self::Acc> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.combine(a, b)),
            (a, None) => a,
            (None, b) => b,
        }
    }
}

/// Functions that run once for a job, before and after its loops, and the functions' text for CUDA.
pub trait JobSteps: Steps {
    /// Type of initial values, as the caller has them.
    type Given: Element;

    fn identity(&self) -> Option<Self::Acc>;
    fn given(&self, value: Self::Given) -> Self::Acc;
    fn carried(&self, value: Self::Acc) -> Self::Given;

    /// Adds the values that the functions hold (such as thresholds) to `held`, in the order in which
    /// [`code`](JobSteps::code) requests them.
    fn values(&self, held: &mut Held);

    /// Returns the known properties of the functions besides their text.
    #[cfg(feature = "cuda")]
    fn known() -> Known;

    /// Adds the functions to `source` and returns their C++ names.
    #[cfg(feature = "cuda")]
    fn code(&self, source: &mut Source) -> Code;
}

/// Values that the functions of a job hold.
#[derive(Debug)]
pub struct Held {
    pub values: Values,
    /// Whether the CUDA text of a function contains the values that the function holds, because it adds none to the
    /// values.
    pub in_text: bool,
}

impl Held {
    /// Creates an empty set of values. Values are added in place: the buffer is large, and copying it would take longer
    /// than the rest of a call.
    #[inline(always)]
    pub fn nothing() -> Self {
        Self { values: Values::new(), in_text: false }
    }

    /// Adds the values that the functions of a job hold, those of `steps` and of the equality of keys, `same`.
    ///
    /// # Errors
    /// [`Error::Values`] when the values exceed the room in a kernel's parameters.
    #[inline(always)]
    pub fn add_all<S: JobSteps, G: Segmentation>(&mut self, steps: &S, same: Option<&G::Same>) -> Result<()> {
        // Most functions hold no values.
        if const { size_of::<S>() + size_of::<G::Same>() == 0 } { Ok(()) } else { self.add_held::<S, G>(steps, same) }
    }

    fn add_held<S: JobSteps, G: Segmentation>(&mut self, steps: &S, same: Option<&G::Same>) -> Result<()> {
        steps.values(self);
        if let Some(same) = same {
            self.add::<G::Same>(|values| same.values(values));
        }
        self.check()
    }

    /// Adds the values that a function of the type `F` holds, the only one of its job: `add` adds them.
    ///
    /// # Errors
    /// [`Error::Values`], as for [`add_all`](Self::add_all).
    pub fn add_function<F>(&mut self, add: impl FnOnce(&mut Values)) -> Result<()> {
        self.add::<F>(add);
        self.check()
    }

    /// Checks that the values fit into a kernel's parameters.
    ///
    /// # Errors
    /// [`Error::Values`] when there are more bytes than fit into a kernel's parameters.
    pub fn check(&self) -> Result<()> {
        let bytes = self.values.len();
        if bytes > MAX_VALUES_BYTES { Err(Error::Values { bytes, most: MAX_VALUES_BYTES }) } else { Ok(()) }
    }

    /// Adds the values that a function of the type `F` holds: `add` adds them.
    fn add<F>(&mut self, add: impl FnOnce(&mut Values)) {
        if size_of::<F>() > 0 {
            let before = self.values.len();
            add(&mut self.values);
            self.in_text |= self.values.len() == before;
        }
    }
}

/// CUDA C++ names of the types and functions of [`JobSteps`].
#[cfg(feature = "cuda")]
#[derive(Clone, Debug)]
pub struct Code {
    /// Names of the types `In`, `Acc`, `Out` and `Given`.
    pub types: [String; 4],
    /// Name of the C++ function `Acc name(In, u64)`, the map from an element and its position to an operand.
    pub load: String,
    /// Name of the C++ function `Acc name(Acc, Acc)`, the operator.
    pub combine: String,
    /// Name of the C++ function `Out name(Acc)`, the finish from a combined value to a result.
    pub store: String,
    /// Name of the C++ function `Acc name(Given)` from an initial value, as the caller has it, to a combined value.
    pub given: String,
    /// Name of the C++ function `Given name(Acc)`, the inverse of `given`.
    pub carried: String,
}

#[cfg(feature = "cuda")]
impl Code {
    /// Creates the names of the types `In`, `Acc` and `Out` and of the functions `combine`, `load`, `store` and
    /// `given`; `carried` is `given`, which is its own inverse. The arguments are the closures that add each of them to
    /// `source`, so that this function is compiled once for all jobs.
    fn of(
        source: &mut Source,
        [input, acc, output]: [fn(&mut Source) -> String; 3],
        functions: [&dyn Fn(&mut Source) -> String; 4],
    ) -> Self {
        let acc = acc(source);
        let types = [input(source), acc.clone(), output(source), acc];
        let [combine, load, store, given] = functions.map(|add| add(source));
        Self { types, load, combine, store, carried: given.clone(), given }
    }
}

/// Properties of the functions that backends use besides their text. By default nothing is known.
#[cfg(feature = "cuda")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    pub form: Form,
    /// Whether there is no map: operands are the elements.
    pub same_map: bool,
    /// Whether there is no finish: results are operands.
    pub same_finish: bool,
    /// Whether the map only widens numbers.
    pub widens: bool,
    /// Whether the functions accept operands of any bits, even bits that are no element.
    pub any_bits: bool,
    /// Whether the operator is a product: [`form`](Known::form) does not tell.
    pub product: bool,
    /// Whether a result is NaN if and only if its operand is: there is no finish, or it rounds.
    pub same_nan: bool,
}

/// Functions of a job, as a builder's options give them.
pub struct Parts<I, O, Op, M, F> {
    pub operator: Op,
    pub map: M,
    pub finish: F,
    pub types: PhantomData<fn(I) -> O>,
}

impl<I, O, Op, M, F> Parts<I, O, Op, M, F> {
    pub fn new(operator: Op, map: M, finish: F) -> Self {
        Self { operator, map, finish, types: PhantomData }
    }
}

impl<I, O, Op: Copy, M: Copy, F: Copy> Clone for Parts<I, O, Op, M, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I, O, Op: Copy, M: Copy, F: Copy> Copy for Parts<I, O, Op, M, F> {}

impl<I, O, Op, M, F> Steps for Parts<I, O, Op, M, F>
where
    I: Read,
    O: Write,
    M: Map<I::Value, I::Args>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O::Value>,
{
    type In = I;
    type Acc = M::Output;
    type Out = O;

    const LANES: bool = Op::LANES && M::Output::LANE;
    const NUMBERS: [usize; 3] = [
        if I::PLAIN { I::Value::NUMBERS } else { 0 },
        M::Output::NUMBERS,
        if O::PLAIN { O::Value::NUMBERS } else { 0 },
    ];
    const VECTORS: bool = Op::VECTORS;
    // A sum is exact for integers: among elements with `LANE`, floats are those that can be encoded.
    const EXACT: bool = match Op::FORM {
        Form::Other => false,
        Form::Sum => !M::Output::ENCODED,
        // f16 and bf16 are neither encoded nor integers: no product of theirs is exact.
        Form::Product => M::Output::WHOLE,
        Form::Minimum | Form::Maximum | Form::And | Form::Or | Form::Xor => true,
    };
    const QUICK: bool = Self::EXACT && !matches!(Op::FORM, Form::Product);
    const TREE: bool = tree::applies(Op::FORM, M::Output::ENCODED);

    #[inline(always)]
    fn same_map() -> bool {
        I::PLAIN && TypeId::of::<M>() == TypeId::of::<Same>()
    }

    #[inline(always)]
    fn same_finish() -> bool {
        TypeId::of::<F>() == TypeId::of::<Same>()
    }

    #[inline(always)]
    fn tree(&self) -> (usize, M::Output) {
        (const { tree::row_len(size_of::<I::Value>(), size_of::<O::Value>()) }, tree::neutral(Op::FORM))
    }

    #[inline(always)]
    fn neutral(&self, x: M::Output) -> M::Output {
        match Op::FORM {
            // SAFETY: zero bits are a value of every element.
            Form::Sum | Form::Xor if Self::EXACT => unsafe { MaybeUninit::zeroed().assume_init() },
            // SAFETY: a product is exact for whole elements alone, which are integers.
            Form::Product if Self::EXACT => unsafe { one() },
            // Minima, maxima, and, or are idempotent: combined with itself, `x` stays `x`.
            _ => x,
        }
    }

    #[inline(always)]
    fn encode(&self, value: M::Output) -> M::Output {
        if Self::ENCODED { value.encode(Self::LATER) } else { value }
    }

    #[inline(always)]
    fn decode(&self, value: M::Output) -> M::Output {
        if Self::ENCODED { value.decode() } else { value }
    }

    #[inline(always)]
    fn combine_encoded(&self, a: M::Output, b: M::Output) -> M::Output {
        if Self::ENCODED { a.extreme_encoded(b, Self::LATER) } else { self.operator.combine(a, b) }
    }

    #[inline(always)]
    fn load(&self, x: I::Value, index: usize) -> M::Output {
        self.map.apply(x, index as u64)
    }

    #[inline(always)]
    fn combine(&self, a: M::Output, b: M::Output) -> M::Output {
        self.operator.combine(a, b)
    }

    #[inline(always)]
    fn store(&self, value: M::Output) -> O::Value {
        self.finish.call((value,)).canonical()
    }

    #[inline(always)]
    fn store_encoded(&self, value: M::Output) -> O::Value {
        let value = self.decode(value);
        if Self::ENCODED && Self::LATER && TypeId::of::<F>() == TypeId::of::<Same>() {
            // NaN is encoded so that decoding gives the canonical NaN.
            self.finish.call((value,))
        } else {
            self.store(value)
        }
    }
}

impl<I, O, Op, M, F> JobSteps for Parts<I, O, Op, M, F>
where
    I: Read,
    O: Write,
    M: Map<I::Value, I::Args>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O::Value>,
{
    type Given = M::Output;

    #[inline(always)]
    fn identity(&self) -> Option<M::Output> {
        self.operator.identity()
    }

    #[inline(always)]
    fn given(&self, value: M::Output) -> M::Output {
        value
    }

    #[inline(always)]
    fn carried(&self, value: M::Output) -> M::Output {
        value.canonical()
    }

    fn values(&self, held: &mut Held) {
        held.add::<Op>(|values| self.operator.values(values));
        held.add::<M>(|values| self.map.values(values));
        held.add::<F>(|values| self.finish.values(values));
    }

    #[cfg(feature = "cuda")]
    fn known() -> Known {
        let same = TypeId::of::<Same>();
        let (same_map, same_finish) = (I::PLAIN && TypeId::of::<M>() == same, O::PLAIN && TypeId::of::<F>() == same);
        let widens = I::PLAIN && TypeId::of::<M>() == TypeId::of::<Widen<M::Output>>();
        // CUDA kernels have no special code for products: to them a product is an operator of form `Other`.
        let form = if matches!(Op::FORM, Form::Product) { Form::Other } else { Op::FORM };
        let (product, same_nan) = (matches!(Op::FORM, Form::Product), TypeId::of::<F>() == same);
        Known { form, same_map, same_finish, widens, any_bits: (same_map || widens) && same_finish, product, same_nan }
    }

    #[cfg(feature = "cuda")]
    fn code(&self, source: &mut Source) -> Code {
        let types = [I::Value::cuda_type, M::Output::cuda_type, O::Value::cuda_type];
        let (combine, load) =
            (|to: &mut Source| self.operator.cuda_function(to), |to: &mut Source| self.map.cuda_function(to));
        let store = |to: &mut Source| self.finish.cuda_function(to);
        let given = |to: &mut Source| Function::<(M::Output,)>::cuda_function(&Same, to);
        Code::of(source, types, [&combine, &load, &store, &given])
    }
}

/// Returns the number 1.
///
/// # Safety
/// `T` is an integer.
#[inline(always)]
const unsafe fn one<T>() -> T {
    let mut one = MaybeUninit::<T>::zeroed();
    let lowest = if cfg!(target_endian = "little") { 0 } else { size_of::<T>() - 1 };
    // SAFETY: the byte is within the integer, all of whose bytes are initialised.
    unsafe {
        one.as_mut_ptr().cast::<u8>().add(lowest).write(1);
        one.assume_init()
    }
}

impl<I, O, Op, M, F> Parts<I, O, Op, M, F>
where
    I: Read,
    M: Map<I::Value, I::Args>,
    Op: Operator<M::Output>,
{
    /// Whether operands are combined in encoded form, as integers: the operator is the maximum or the minimum, of
    /// floats.
    const ENCODED: bool = M::Output::ENCODED && matches!(Op::FORM, Form::Minimum | Form::Maximum);
    /// Whether the operator is the maximum, which keeps the larger one of two encoded operands.
    const LATER: bool = matches!(Op::FORM, Form::Maximum);
}
