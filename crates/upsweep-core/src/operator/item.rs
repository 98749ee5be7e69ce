//! Items: types of the values of a call at each position.

use super::Element;
use std::marker::PhantomData;

/// The value of an input at one position, as a type. An [`Element`] stands for itself; several inputs of one call stand
/// side by side as [`Zip`].
pub trait Item: Copy + Send + Sync + 'static {
    /// Value at a position. For several inputs, it is the tuple of their values.
    type Value: Element + Spread<Self::Args>;
    /// Arguments of a map: one per input.
    type Args;
}

/// An [`Item`] of one input, which may be in a tuple of inputs.
pub trait Single: Item {}

/// A value that becomes the arguments `Args` of a map: itself, or each value of a tuple of several inputs.
#[diagnostic::on_unimplemented(
    message = "a function of the arguments `{Args}` takes no values `{Self}`",
    label = "not the function's arguments",
    note = "a function has an argument for each input, of its type and in its place"
)]
pub trait Spread<Args> {
    /// Returns the value as the arguments of a map.
    fn spread(self) -> Args;

    /// Returns the arguments of a map in CUDA C++, for a value that is the C++ expression `value`.
    fn cuda_args(value: &str) -> String;
}

impl<T: Element> Item for T {
    type Value = T;
    type Args = (T,);
}
impl<T: Element> Single for T {}

impl<T: Element> Spread<(T,)> for T {
    #[inline(always)]
    fn spread(self) -> (T,) {
        (self,)
    }

    fn cuda_args(value: &str) -> String {
        value.to_owned()
    }
}

/// Type that stands for the values of several inputs side by side at one position (their `Item`): `P` is the tuple of
/// the inputs' items.
#[derive(Debug)]
pub struct Zip<P>(PhantomData<fn() -> P>);
impl<P> Clone for Zip<P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P> Copy for Zip<P> {}

macro_rules! zips {
    ($($($P:ident $field:literal),*;)*) => { $(
        impl<$($P: Single),*> Item for Zip<($($P,)*)> {
            type Value = ($($P::Value,)*);
            type Args = ($($P::Value,)*);
        }

        impl<$($P: Element),*> Spread<($($P,)*)> for ($($P,)*) {
            #[inline(always)]
            fn spread(self) -> Self {
                self
            }

            fn cuda_args(value: &str) -> String {
                [$($field),*].map(|field| format!("{value}.{field}")).join(", ")
            }
        }
    )* };
}
zips! {
    A "f0", B "f1";
    A "f0", B "f1", C "f2";
    A "f0", B "f1", C "f2", D "f3";
}
