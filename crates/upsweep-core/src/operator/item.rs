//! What a call has at each position: an element of a buffer, one made of the position, or several side by side.

use super::Element;
use std::marker::PhantomData;

/// What an input has at one position, as a type. An [`Element`] stands for itself; several inputs of one call stand side
/// by side as [`Zip`].
pub trait Item: Copy + Send + Sync + 'static {
    /// The value at a position. Of several inputs, it is the tuple of theirs.
    type Value: Element + Spread<Self::Args>;
    /// The arguments of a map: as many as there are inputs.
    type Args;
}

/// An [`Item`] of one input: what may stand in a tuple of inputs.
pub trait Single: Item {}

/// A value that is given to a map as the arguments `Args`: itself, or of a tuple of several inputs each of its values.
pub trait Spread<Args> {
    /// The arguments.
    fn spread(self) -> Args;

    /// The same in CUDA C++, of the expression `value`.
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

/// The items of several inputs side by side: `P` is the tuple of them.
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
