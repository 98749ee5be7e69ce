//! Elements of signals: numbers, and complex numbers by their parts.

use super::launch;
use crate::device::Device;
use std::num::Wrapping;
use upsweep_core::call::recurrence::{Call, Coefficient, ComputesOn};
use upsweep_core::error::Result;
use upsweep_core::operator::Element;

/// An element of a signal that a recurrence in numbers `C` filters: a number that [it computes on](ComputesOn), or, with
/// the feature `num-complex`, a complex number of these.
///
/// It is implemented for these types alone.
#[diagnostic::on_unimplemented(
    message = "a recurrence with coefficients of `{C}` does not filter elements of `{Self}`",
    label = "not the elements of such a recurrence",
    note = "coefficients have the type of the elements: f32, f64, integers of 32 and 64 bits, `Wrapping` of these; with the feature \
            `num-complex` that of the parts of complex elements; coefficients of f64 filter f32, too"
)]
pub trait Signal<C: Coefficient>: Element {
    /// Number of signals of real numbers that a signal of these elements is.
    #[doc(hidden)]
    const SIGNALS: usize;

    /// Runs a call whose output has the length of its input.
    #[doc(hidden)]
    fn filter(device: &Device, call: Call<'_, '_, '_, C, Self>) -> Result<()>;
}

macro_rules! numbers {
    ($($t:ty),*) => { $(
        #[diagnostic::do_not_recommend]
        impl<C: ComputesOn<$t>> Signal<C> for $t {
            const SIGNALS: usize = 1;

            fn filter(device: &Device, call: Call<'_, '_, '_, C, Self>) -> Result<()> {
                launch(device, call)
            }
        }
    )* };
}
numbers! { f32, f64, u32, i32, u64, i64, Wrapping<u32>, Wrapping<i32>, Wrapping<u64>, Wrapping<i64> }

/// Complex numbers. Coefficients are real, so the real and the imaginary parts are two signals: the lines of one call.
#[cfg(feature = "num-complex")]
mod complex {
    use super::{Call, ComputesOn, Device, Result, Signal, launch};
    use crate::transform::Transform;
    use num_complex::Complex;
    use upsweep_core::buffer::{Input, Output, View};
    use upsweep_core::call::Elements;
    use upsweep_core::error::Error;
    use upsweep_core::inputs::Inputs;
    use upsweep_core::operator::Number;
    use upsweep_core::outputs::{Memory, Target};
    use upsweep_core::shape::Shape;

    #[crate::function]
    fn real<T: Number>(z: Complex<T>) -> T {
        z.re
    }

    #[crate::function]
    fn imaginary<T: Number>(z: Complex<T>) -> T {
        z.im
    }

    #[crate::function]
    fn together<T: Number>(re: T, im: T) -> Complex<T> {
        Complex { re, im }
    }

    #[diagnostic::do_not_recommend]
    impl<C: ComputesOn<T>, T: Number> Signal<C> for Complex<T> {
        const SIGNALS: usize = 2;

        fn filter(device: &Device, call: Call<'_, '_, '_, C, Self>) -> Result<()> {
            let Call { system, shape, reverse, input, output, first, last } = call;
            let len = output.len();
            let mut parts = device.room::<T>(len.saturating_mul(2))?;
            {
                let input = match input {
                    Elements::Given(input) => input,
                    Elements::OfOutput => elements_of(&output),
                };
                let (mut view, lacks) = (parts.view_mut(), Error::OutOfMemory { bytes: 0 });
                let half = view.part_mut(0..len).ok_or(lacks.clone())?;
                Transform::new(Real).run(device, &input, &mut { half })?;
                let half = view.part_mut(len..2 * len).ok_or(lacks)?;
                Transform::new(Imaginary).run(device, &input, &mut { half })?;
            }
            let (shape, both) = (Shape { outer: 2 * shape.outer, ..shape }, Target::new(parts.view_mut()));
            launch(device, Call { system, shape, reverse, input: Elements::OfOutput, output: both, first, last })?;
            let parts = parts.view();
            let halves = parts.part(0..len).zip(parts.part(len..2 * len));
            let (re, im) = halves.ok_or(Error::OutOfMemory { bytes: 0 })?;
            Transform::new(Together).dispatch::<<(&View<'_, T>, &View<'_, T>) as Inputs<'_>>::Item, Self>(
                device,
                (&re, &im).given(),
                output,
                len,
            )
        }
    }

    /// Returns the elements of a call in place.
    fn elements_of<'a, T>(output: &'a Target<'_, T>) -> View<'a, T> {
        match &output.0 {
            // SAFETY: in place the memory holds the input, `len` elements, and it is the call's own.
            &Memory::Host { start, len, .. } => View::Host(unsafe { std::slice::from_raw_parts(start, len) }),
            #[cfg(feature = "cuda")]
            Memory::Cuda(x) => View::Cuda(x.as_view()),
        }
    }
}
