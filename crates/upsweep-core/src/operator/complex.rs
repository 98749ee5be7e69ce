//! Complex numbers of the crate `num-complex`, with the feature of that name: elements, their sums and products.

use super::builtin::{Product, Sum};
use super::{Element, Field, Form, Layout, Number, Operator, Source, numbers_of, operator};
use num_complex::Complex;
use std::mem::{offset_of, size_of};

// SAFETY: `Complex` is `repr(C)`. The C++ struct has its offsets, size and alignment, which the text asserts, and both
// fields are elements.
unsafe impl<T: Number> Element for Complex<T> {
    type Carrier = Self;
    const NUMBERS: usize = numbers_of(&[(size_of::<T>(), T::NUMBERS); 2], size_of::<Self>());

    fn cuda_type(source: &mut Source) -> String {
        Layout::define::<Self>(source, "complex", |source| {
            // As the macros name fields.
            let field = |name: &str, ty, offset| Field { name: name.to_owned(), ty, offset };
            let ty = T::cuda_type(source);
            Layout::of::<Self>(vec![
                field("re_", ty.clone(), offset_of!(Self, re)),
                field("im_", ty, offset_of!(Self, im)),
            ])
        })
    }

    fn cuda_value(self, source: &mut Source) -> String {
        let ty = Self::cuda_type(source);
        let [re, im] = [self.re, self.im].map(|part| part.cuda_value(source));
        format!("{ty}::make({re}, {im})")
    }

    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self.re.equals(other.re) && self.im.equals(other.im)
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        Self { re: self.re.canonical(), im: self.im.canonical() }
    }
}

#[allow(unreachable_pub, reason = "the operators stay here: `Sum` and `Product` stand for them")]
mod definitions {
    use super::{Complex, Number, operator};

    #[operator(identity = Complex { re: T::ZERO, im: T::ZERO })]
    pub fn complex_sum<T: Number>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
        Complex { re: a.re + b.re, im: a.im + b.im }
    }

    #[operator(identity = Complex { re: T::ONE, im: T::ZERO })]
    pub fn complex_product<T: Number>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
        Complex { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }
    }
}
use definitions::{ComplexProduct, ComplexSum};

macro_rules! operators {
    ($($operator:ident is $of_complex:ident),*) => { $(
        impl<T: Number> Operator<Complex<T>> for $operator {
            const LANES: bool = <$of_complex as Operator<Complex<T>>>::LANES;
            const VECTORS: bool = <$of_complex as Operator<Complex<T>>>::VECTORS;
            const FORM: Form = <$of_complex as Operator<Complex<T>>>::FORM;

            #[inline(always)]
            fn combine(&self, a: Complex<T>, b: Complex<T>) -> Complex<T> {
                $of_complex.combine(a, b)
            }

            #[inline]
            fn identity(&self) -> Option<Complex<T>> {
                $of_complex.identity()
            }

            fn cuda_function(&self, source: &mut Source) -> String {
                Operator::<Complex<T>>::cuda_function(&$of_complex, source)
            }
        }
    )* };
}
operators! { Sum is ComplexSum, Product is ComplexProduct }
