//! Options that scans and reductions share, and the conversion of elements to the type of the computation.

use crate::check::{Checked, Results};
use crate::segments::Heads;
use crate::{Error, Number, Op, Result, Segments, Type, Value, Values, View, with_type};

/// Options that scans and reductions share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common<'a> {
    pub(crate) op: Op,
    pub(crate) init: Option<Number>,
    pub(crate) axis: Option<(&'a [usize], usize)>,
    pub(crate) segments: Segments<'a>,
    pub(crate) accumulate: Option<Type>,
}

/// Defines the methods of a builder with a field `common`: methods that set these options, and `prepare`, which calls
/// the builder's own `ready`.
macro_rules! common_methods {
    ($noun:literal) => {
        /// Begins every line or segment with `value`, which must be a value of the type of the computation.
        pub fn init(mut self, value: impl Into<Number>) -> Self {
            self.common.init = Some(value.into());
            self
        }

        /// Scans or reduces each line along `axis` (counted from 0) of a row-major array of this `shape`.
        pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
            self.common.axis = Some((shape, axis));
            self
        }

        /// Scans or reduces each segment by itself.
        pub fn segments(mut self, segments: Segments<'a>) -> Self {
            self.common.segments = segments;
            self
        }

        /// Computes in the type `element`, which the results have, too. Each element must be exactly a value of that
        /// type. The host first converts all elements, in a pass over memory, to a new array. A reduction of integers
        /// in 64 bits without segments instead converts a part of them at a time.
        pub fn accumulate(mut self, element: Type) -> Self {
            self.common.accumulate = Some(element);
            self
        }

        #[doc = concat!("The ", $noun, " of `x`, ready to run: its arrays lie where the device computes.")]
        ///
        /// # Errors
        /// As [`run`](Self::run).
        pub fn prepare<'x>(&self, device: &Device, x: View<'x>) -> Result<Prepared<'x>>
        where
            'a: 'x,
        {
            let x = self.common.typed(x)?;
            let element = x.view().element();
            let heads = self.common.begin(x.view().len(), element)?;
            match x.computed(self.common.op) {
                Typed::Borrowed(x) => {
                    $crate::with_view!(x, x => self.ready(device, Buffer::new(device, x)?, element, heads))
                }
                Typed::Owned(x) => $crate::with_values!(x, x => self.ready(device, Buffer::new(device, x)?, element, heads)),
            }
        }
    };
}
pub(crate) use common_methods;

impl<'a> Common<'a> {
    pub(crate) fn new(op: Op) -> Self {
        Self { op, init: None, axis: None, segments: Segments::Whole, accumulate: None }
    }

    /// Converts `x` to the type of the computation.
    pub(crate) fn typed<'x>(&self, x: View<'x>) -> Result<Typed<'x>> {
        match self.accumulate {
            Some(element) if element != x.element() => {
                self.op.check(element)?;
                x.to_type(element).map(Typed::Owned)
            }
            _ => Ok(Typed::Borrowed(x)),
        }
    }

    /// Checks the operator, the initial value and the segments of `len` elements that are computed in the type
    /// `element`. Returns the segments.
    pub(crate) fn begin(&self, len: usize, element: Type) -> Result<Heads<'a>> {
        self.op.check(element)?;
        with_type!(element, T => self.value::<T>().map(drop))?;
        Heads::new(self.segments, len)
    }

    /// Checks that the results of a call of the kind `results` fit the type of the computation. The elements need not
    /// fit it.
    pub(crate) fn check_overflow(&self, x: View<'_>, results: Results) -> Result<()> {
        let Self { op, init, axis, .. } = *self;
        let element = self.accumulate.unwrap_or(x.element());
        let heads = self.begin(x.len(), element)?;
        Checked { op, init, element, axis, heads: &heads, results }.check(x)
    }

    /// Returns the initial value, if there is one, as a value of type `T`.
    fn value<T: Value>(&self) -> Result<Option<T>> {
        let Some(number) = self.init else { return Ok(None) };
        let inexact = Error::Inexact { what: "the initial value", index: None, number, element: T::TYPE };
        T::exactly(number).map(Some).ok_or(inexact)
    }

    /// Returns the initial value as a `T`, the type in which elements of type `element` are computed.
    pub(crate) fn initial<T: Value>(&self, element: Type) -> Result<Option<T>> {
        match self.init.and_then(Number::integer) {
            // A signed value is computed as the unsigned one with the same bits.
            Some(n) if n < 0 && T::TYPE != element => {
                let bits = Number::Integer(n + (1 << (8 * T::TYPE.size())));
                Common { init: Some(bits), ..*self }.value()
            }
            _ => self.value(),
        }
    }
}

/// Elements in the type of the computation: the caller's array, or a converted copy.
#[derive(Debug)]
pub(crate) enum Typed<'a> {
    Borrowed(View<'a>),
    Owned(Values),
}

impl Typed<'_> {
    pub(crate) fn view(&self) -> View<'_> {
        match self {
            Self::Borrowed(x) => *x,
            Self::Owned(x) => x.view(),
        }
    }

    /// Returns the elements in a type for which `op` is compiled: signed integers become unsigned ones with the same
    /// bits, except for minima and maxima.
    pub(crate) fn computed(self, op: Op) -> Self {
        match self {
            _ if !op.keeps_bits() => self,
            Self::Borrowed(x) => Self::Borrowed(x.unsigned()),
            Self::Owned(x) => Self::Owned(x.unsigned()),
        }
    }
}
