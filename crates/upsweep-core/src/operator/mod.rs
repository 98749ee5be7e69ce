//! Operators, functions and elements. The users' documentation is in `upsweep::operator`.

#[doc(hidden)]
pub mod arith;
pub mod builtin;
#[cfg(feature = "num-complex")]
mod complex;
mod element;
mod form;
mod halves;
mod host;
mod item;
mod laws;
mod map;
mod source;
mod values;
mod wrapping;

pub use arith::{Cast, Float, Half, Integer, Logic, Number, Signed, Unsigned, WidenFrom};
pub use element::{Element, MAX_ELEMENT_BYTES};
#[doc(hidden)]
pub use element::{Field, Halves, Layout, numbers_of};
#[doc(hidden)]
pub use form::Form;
pub use host::{Host, host};
pub use item::{Item, Single, Spread, Zip};
pub use laws::{Laws, Violation, check_laws, check_laws_within};
#[doc(hidden)]
pub use map::From;
pub use map::{Enumerate, Map, MapWith, OnlySum, Same, Stores, Widen};
pub use source::Source;
#[doc(hidden)]
pub use source::{Argument, Piece};
pub use upsweep_macros::{Element, function, operator};
pub use values::{MAX_VALUES_BYTES, Values};

/// An associative operator on `T`: `combine(combine(a, b), c) == combine(a, combine(b, c))`.
///
/// It need not be commutative and need not have an identity. [`#[operator]`](macro@crate::operator::operator)
/// implements it from a Rust function; write it by hand only to give the CUDA source yourself.
///
/// On the CPU it must not block, and neither must a map, a finish or an equality of keys. An operator that calls into
/// rayon yields its thread to work that may wait for this very combination, which is slow at best and can deadlock.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operator on these elements",
    label = "not an operator on `{T}`",
    note = "an operator is made of a function, as it runs on the GPU too; a closure is none. Write `#[operator] fn name(a: T, \
            b: T) -> T {{ .. }}` and give `Name`",
    note = "ArgMin and ArgMax combine pairs of a value and its position: write `.enumerate()`"
)]
pub trait Operator<T: Element>: Copy + Send + Sync + 'static {
    /// Whether `combine` is a few vector instructions where `T` is a number: the CPU then applies it more often, but to
    /// many elements at once. [`#[operator]`](macro@crate::operator::operator) derives it from the body.
    #[doc(hidden)]
    const LANES: bool = false;
    /// Whether `combine` is vector instructions, however many, where `T` consists of numbers; also derived from the
    /// body.
    #[doc(hidden)]
    const VECTORS: bool = false;
    /// Form of the operation, for backends that have better instructions for it; also derived from the body.
    #[doc(hidden)]
    const FORM: Form = Form::Other;

    /// Combines `a` and `b`, in this order: the elements of `a` come before those of `b`.
    fn combine(&self, a: T, b: T) -> T;

    /// Returns the element `e` with `combine(e, x) == x == combine(x, e)`, if there is one. It is the first result of
    /// an exclusive scan without an initial value, and the result of an empty reduction; it is never used as padding.
    fn identity(&self) -> Option<T> {
        None
    }

    /// Adds the values that the operator holds to `values`, in the order in which
    /// [`cuda_function`](Operator::cuda_function) requests them from `source`. Values are kernel parameters, so that
    /// other values need no other kernel. An operator that holds values and adds none has them in its text: then each
    /// call generates the text again, to see whether it has changed.
    fn values(&self, _values: &mut Values) {}

    /// Adds the operator to `source` and returns the name of a CUDA C++ device function `T name(T, T)` that computes
    /// the same bits as [`combine`](Operator::combine).
    fn cuda_function(&self, source: &mut Source) -> String;
}

/// A function of the arguments `Args` (a tuple), for the CPU and for the GPU.
/// [`#[function]`](macro@crate::operator::function) implements it from a Rust function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function of these elements",
    label = "not a function of `{Args}`",
    note = "a map, a predicate, a finish and an equality are made of a function, as they run on the GPU too; a closure is none. Write \
            `#[function] fn name(x: T) -> U {{ .. }}` and give `Name`; for the CPU alone, `host(|x: T| ..)`"
)]
pub trait Function<Args>: Copy + Send + Sync + 'static {
    /// Result type.
    type Output;

    /// Computes the function's value.
    fn call(&self, args: Args) -> Self::Output;

    /// Adds the function's values, as [`Operator::values`] does.
    fn values(&self, _values: &mut Values) {}

    /// Adds the function to `source` and returns the name of a CUDA C++ device function that computes the same bits.
    fn cuda_function(&self, source: &mut Source) -> String;
}
