//! Closures as functions, on the CPU alone.

use super::{Function, Source};
use std::any::{TypeId, type_name};

/// A closure in the place of a [`Function`]: [`host`] makes it.
#[derive(Clone, Copy, Debug)]
pub struct Host<F>(F);

/// Makes a function of a closure, for devices that are the CPU. It may stand wherever a `#[function]` may: as a map, a
/// finish, a predicate, a key, an order. On CUDA a call with it is
/// [`Error::Options`](crate::error::Error::Options), as a closure has no text that a GPU could run.
///
/// The types of its arguments are written out. What it captures is `Copy`, and borrows nothing but what is `'static`.
///
/// ```
/// use upsweep::prelude::*;
///
/// let device = Device::cpu();
/// let least = std::env::args().count() as u32 + 1;
/// let kept: Vec<u32> = Select::new(host(move |x: u32| x > least)).run_to_vec(&device, &[1, 7, 2, 9])?;
/// assert_eq!(kept, [7, 9]);
/// let weighted = Scan::new(Sum).map(host(|x: u8, y: f64| f64::from(x) * y));
/// let scaled: Vec<f64> = weighted.run_to_vec(&device, (&[1u8, 2], &[0.5, 4.0]))?;
/// assert_eq!(scaled, [0.5, 8.5]);
/// # Ok::<(), upsweep::Error>(())
/// ```
///
/// A [`Carry`](crate::call::carry) does not see whether the values that a closure captures have changed from part to part.
pub fn host<F>(closure: F) -> Host<F> {
    Host(closure)
}

macro_rules! closures {
    ($($($arg:ident)*;)*) => { $(
        impl<F, R, $($arg),*> Function<($($arg,)*)> for Host<F>
        where
            F: Fn($($arg),*) -> R + Copy + Send + Sync + 'static,
        {
            type Output = R;

            #[inline(always)]
            #[allow(non_snake_case, reason = "an argument has the name of its type")]
            fn call(&self, ($($arg,)*): ($($arg,)*)) -> R {
                (self.0)($($arg),*)
            }

            fn cuda_function(&self, source: &mut Source) -> String {
                source.host_function();
                // The text tells closures apart where a carry compares calls, and is never compiled.
                let key = format!("host {:?}", TypeId::of::<F>());
                source.define(&key, "host", |_, name| format!("// {name}: {}", type_name::<F>()))
            }
        }
    )* };
}
closures! {
    A;
    A B;
    A B C;
    A B C D;
}
