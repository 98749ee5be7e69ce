//! What is done to the elements, apart from where they lie.

use crate::operator::{Element, Form, Function, Map, Operator, Same};
use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// The functions of one job behind one type parameter, so that the kernels need not spell out their bounds.
pub(super) trait Steps: Copy + Send + Sync {
    type In: Copy + Send + Sync;
    type Acc: Copy + Send + Sync;
    type Out: Copy + Send + Sync;

    /// Whether many elements are combined by a few vector instructions. If so, they have 1, 2, 4 or 8 bytes.
    const LANES: bool;

    /// Whether every order and every grouping give the same bits, of operators with [`LANES`](Steps::LANES).
    const EXACT: bool;

    /// What changes no encoded value that `x` is one of, or has been combined with, of [`EXACT`](Steps::EXACT) operators.
    fn neutral(&self, x: Self::Acc) -> Self::Acc;

    /// A value as [`combine_encoded`](Steps::combine_encoded) takes it: extremes of floats are integers there, of which one
    /// instruction finds the larger. For all other operators nothing changes.
    fn encode(&self, value: Self::Acc) -> Self::Acc;
    fn decode(&self, value: Self::Acc) -> Self::Acc;
    fn combine_encoded(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;

    /// What is combined for the element `x` at position `index`.
    fn load(&self, x: Self::In, index: usize) -> Self::Acc;
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// What is stored for the result `value`.
    fn store(&self, value: Self::Acc) -> Self::Out;
    /// What is stored for the encoded result `value`.
    fn store_encoded(&self, value: Self::Acc) -> Self::Out;

    /// `a` and then `b`, either of which may be nothing.
    #[inline(always)]
    fn join(&self, a: Option<Self::Acc>, b: Option<Self::Acc>) -> Option<Self::Acc> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.combine(a, b)),
            (a, None) => a,
            (None, b) => b,
        }
    }
}

/// The steps of a job.
pub(super) struct Parts<I, O, Op, M, F> {
    pub(super) operator: Op,
    pub(super) map: M,
    pub(super) finish: F,
    pub(super) types: PhantomData<fn(I) -> O>,
}

impl<I, O, Op: Copy, M: Copy, F: Copy> Clone for Parts<I, O, Op, M, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I, O, Op: Copy, M: Copy, F: Copy> Copy for Parts<I, O, Op, M, F> {}

impl<I, O, Op, M, F> Steps for Parts<I, O, Op, M, F>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
{
    type In = I;
    type Acc = M::Output;
    type Out = O;

    const LANES: bool = Op::LANES && M::Output::LANE;
    // Of such elements, floats are those that can be encoded.
    const EXACT: bool = match Op::FORM {
        Form::Other => false,
        Form::Sum => !M::Output::ENCODED,
        Form::Minimum | Form::Maximum | Form::And | Form::Or | Form::Xor => true,
    };

    #[inline(always)]
    fn neutral(&self, x: M::Output) -> M::Output {
        match Op::FORM {
            // SAFETY: exact operators are of numbers, of which no bits are the number 0.
            Form::Sum | Form::Xor if Self::EXACT => unsafe { MaybeUninit::zeroed().assume_init() },
            // Combined with itself it is the same.
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
    fn load(&self, x: I, index: usize) -> M::Output {
        self.map.apply(x, index as u64)
    }

    #[inline(always)]
    fn combine(&self, a: M::Output, b: M::Output) -> M::Output {
        self.operator.combine(a, b)
    }

    #[inline(always)]
    fn store(&self, value: M::Output) -> O {
        self.finish.call((value,)).canonical()
    }

    #[inline(always)]
    fn store_encoded(&self, value: M::Output) -> O {
        let value = self.decode(value);
        if Self::ENCODED && Self::LATER && TypeId::of::<F>() == TypeId::of::<Same>() {
            // NaN has been encoded so that it is the canonical one again.
            self.finish.call((value,))
        } else {
            self.store(value)
        }
    }
}

impl<I, O, Op, M, F> Parts<I, O, Op, M, F>
where
    I: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
{
    /// Whether the operator is the larger or the smaller of two floats.
    const ENCODED: bool = M::Output::ENCODED && matches!(Op::FORM, Form::Minimum | Form::Maximum);
    /// Whether it is the larger.
    const LATER: bool = matches!(Op::FORM, Form::Maximum);
}

/// Where the elements are read and the results written.
///
/// Elements are counted in *scan order*: element `k` of a reversed scan lies at `len - 1 - k`. In place, `input` and
/// `output` are the same memory; therefore neither is ever a slice here.
pub(super) struct Memory<I, O> {
    pub(super) input: *const I,
    pub(super) output: *mut O,
    pub(super) len: usize,
    pub(super) reverse: bool,
}

impl<I, O> Clone for Memory<I, O> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I, O> Copy for Memory<I, O> {}

// SAFETY: the pointers are those of a job, which borrows the input shared and the output exclusively for as long as
// it runs; `I` is only read and `O` only written, from any thread, each element of the output by one thread.
unsafe impl<I: Sync, O: Send> Send for Memory<I, O> {}
// SAFETY: as above; sharing the pointers shares what sending copies of them does.
unsafe impl<I: Sync, O: Send> Sync for Memory<I, O> {}

impl<I, O> Memory<I, O> {
    /// Where the element `k` in scan order lies.
    #[inline(always)]
    pub(super) fn at(&self, k: usize) -> usize {
        if self.reverse { self.len - 1 - k } else { k }
    }

    /// Whether the output is the input's memory.
    pub(super) fn in_place(&self) -> bool {
        self.input.addr() == self.output.addr()
    }
}
