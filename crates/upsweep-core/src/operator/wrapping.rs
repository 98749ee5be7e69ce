//! `Wrapping` integers as elements, and the built-in operators on them: those of the integers, which wrap, too.

use super::builtin::{And, Max, Min, Or, Product, Sum, Xor};
use super::{Element, Form, Integer, Operator, Source};
use std::num::Wrapping;

// SAFETY: `Wrapping` is transparent, so that it is the integer in Rust and in C++.
unsafe impl<T: Integer> Element for Wrapping<T> {
    type Carrier = T::Carrier;
    const LANE: bool = T::LANE;
    const WHOLE: bool = T::WHOLE;

    fn cuda_type(source: &mut Source) -> String {
        T::cuda_type(source)
    }

    fn cuda_value(self, source: &mut Source) -> String {
        self.0.cuda_value(source)
    }

    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self.0.equals(other.0)
    }
}

macro_rules! operators {
    ($($operator:ident)*) => { $(
        impl<T: Integer> Operator<Wrapping<T>> for $operator {
            const LANES: bool = <Self as Operator<T>>::LANES;
            const VECTORS: bool = <Self as Operator<T>>::VECTORS;
            const FORM: Form = <Self as Operator<T>>::FORM;

            #[inline(always)]
            fn combine(&self, a: Wrapping<T>, b: Wrapping<T>) -> Wrapping<T> {
                Wrapping(self.combine(a.0, b.0))
            }

            #[inline]
            fn identity(&self) -> Option<Wrapping<T>> {
                self.identity().map(Wrapping)
            }

            fn cuda_function(&self, source: &mut Source) -> String {
                Operator::<T>::cuda_function(self, source)
            }
        }
    )* };
}
operators! { Sum Product Min Max And Or Xor }
