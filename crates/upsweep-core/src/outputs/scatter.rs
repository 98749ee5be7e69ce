//! A scatter: an output whose results are stored at indices (places) that are an input.

#[cfg(feature = "cuda")]
use super::{LendMut, Storing, WritingText};
use super::{Outputs, Target, Write};
use crate::buffer::Output;
use crate::error::Result;
use crate::inputs::{Faults, Inputs, Read};
use crate::operator::{Element, Item, Single};
use crate::segments::Offset;
use std::hint::spin_loop;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A scatter of results: `Scatter::to(&mut y).at(places)` stores result `i` in `y[places[i]]`.
///
/// Elements of `y` that no place names keep their values. Where several results have the same place, one of them is
/// stored, which may differ from run to run. Without such duplicates the output has the same bits in every run. A place
/// is a `u32`, `u64`, `usize`, `i32` or `i64`. A place outside the output is [`Error::Index`](crate::Error::Index),
/// with its position. On the CPU this call returns the error; on CUDA the next call that waits. The result of such a
/// place is not written.
#[derive(Debug)]
pub struct Scatter<'a, B: ?Sized>(&'a mut B);

impl<'a, B: Output + ?Sized> Scatter<'a, B> {
    /// Starts a scatter to elements of `output`.
    pub fn to(output: &'a mut B) -> Self {
        Self(output)
    }

    /// Scatters to `places`, which is any input of indices, as long as there are results.
    pub fn at<X>(self, places: X) -> ScatterTo<'a, B, X> {
        ScatterTo { output: self.0, places }
    }
}

/// A scatter to elements of `output` at the indices `places`, as [`Scatter::at`] returns it.
#[derive(Debug)]
pub struct ScatterTo<'a, B: ?Sized, X> {
    output: &'a mut B,
    places: X,
}

/// Type that stands for a result of a [`Scatter`] at one position (its `Item`): an element `T`, and an index of the
/// type `A`.
#[derive(Debug)]
pub struct Scattered<T, A>(PhantomData<fn() -> (T, A)>);
impl<T, A> Clone for Scattered<T, A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, A> Copy for Scattered<T, A> {}

impl<T: Element, A: Single> Item for Scattered<T, A> {
    type Value = T;
    type Args = (T,);
}
impl<T: Element, A: Single> Single for Scattered<T, A> {}

impl<'a, B, X> Outputs<'a> for ScatterTo<'a, B, X>
where
    B: Output + ?Sized,
    X: Inputs<'a>,
    X::Item: Single<Value: Offset>,
{
    type Value = B::Item;
    type Item = Scattered<B::Item, X::Item>;

    fn given(self) -> (Target<'a, B::Item>, <X::Item as Read>::Given<'a>) {
        (Target::new(self.output.view_mut()), self.places.given())
    }
}

/// An output in host memory, and the input of indices (places) at which results are stored.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Places<T, P> {
    start: *mut T,
    len: usize,
    places: P,
    faults: *const Faults,
}

// SAFETY: an index is compared with the output's length before a result is stored at it.
unsafe impl<T: Element, A: Single<Value: Offset> + Read> Write for Scattered<T, A> {
    type Given<'a> = (Target<'a, T>, A::Given<'a>);
    type Place = Places<T, A::Place>;

    fn len((_, places): &Self::Given<'_>, _: &'static str) -> Result<Option<usize>> {
        A::len(places, "places")
    }

    fn place((output, places): &Self::Given<'_>, what: &'static str, faults: &Faults) -> Result<Self::Place> {
        let (start, len) = output.on_host(what)?;
        Ok(Places { start, len, places: A::place(places, "places", faults)?, faults })
    }

    unsafe fn write(place: &Self::Place, at: usize, value: T) {
        // SAFETY: the caller guarantees that the pointers of `place.places`, the input of indices, are valid and that
        // `at` is less than its length, as `A::read` requires.
        let index = unsafe { A::read(&place.places, at) };
        match index.to_usize() {
            // SAFETY: `index` is less than the output's length, and nobody reads the element meanwhile.
            Some(index) if index < place.len => unsafe { store_shared(place.start.add(index), value) },
            // SAFETY: `place.faults` points to the call's faults, which live as long as `place`.
            _ => unsafe { (*place.faults).index(at, index.to_i128(), place.len) },
        }
    }

    #[cfg(feature = "cuda")]
    const MAY_FAULT: bool = true;

    #[cfg(feature = "cuda")]
    type Functions = A::Functions;
    #[cfg(feature = "cuda")]
    fn functions((_, places): &Self::Given<'_>) -> A::Functions {
        A::functions(places)
    }

    #[cfg(feature = "cuda")]
    fn open<'a, L: LendMut<'a>>(
        (output, places): &'a mut Self::Given<'_>,
        what: &'static str,
        storing: &mut Storing<'_, L>,
    ) -> Result<()> {
        let len = output.len();
        storing.buffer(what, output)?;
        storing.number(len as u64);
        A::open(places, "places", storing.opening())
    }

    #[cfg(feature = "cuda")]
    fn text(functions: &A::Functions, writing: &mut WritingText<'_>, value: &str) {
        let ty = T::cuda_type(writing.reading.source);
        let (output, len) = (writing.reading.number::<u64>(), writing.reading.number::<u64>());
        let place = A::text(functions, &mut writing.reading, "at");
        writing.check();
        writing.element(&format!("scatter(({ty}*){output}, {len}, {place}, {value}, at);"));
    }
}

/// Stores a value where other threads may store at the same time. One of the values remains.
///
/// # Safety
/// `to` is valid and aligned, and no thread reads it meanwhile.
#[inline(always)]
unsafe fn store_shared<T: Element>(to: *mut T, value: T) {
    macro_rules! store {
        ($Atomic:ty, $bits:ty) => {
            // SAFETY: the bits of a number are an integer of its size, all initialised and aligned to that size; the
            // caller guarantees that `to` is valid.
            unsafe {
                let bits = (&raw const value).cast::<$bits>().read();
                return <$Atomic>::from_ptr(to.cast()).store(bits, Ordering::Relaxed);
            }
        };
    }
    if T::LANE && align_of::<T>() == size_of::<T>() {
        match size_of::<T>() {
            1 => store!(AtomicU8, u8),
            2 => store!(AtomicU16, u16),
            4 => store!(AtomicU32, u32),
            8 => store!(AtomicU64, u64),
            _ => {}
        }
    }
    // The address chooses one of 64 locks. It is held for a single store, so threads rarely wait for it.
    static LOCKS: [AtomicBool; 64] = [const { AtomicBool::new(false) }; 64];
    let lock = &LOCKS[to.addr() / size_of::<T>().max(1) % LOCKS.len()];
    while lock.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
        spin_loop();
    }
    // SAFETY: the caller guarantees that `to` is valid, and the lock excludes other writers of the element.
    unsafe { to.write(value) };
    lock.store(false, Ordering::Release);
}
