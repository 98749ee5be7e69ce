//! Inputs of a call, as the backends see them. The users' documentation is in `upsweep::inputs`.

mod apply;
mod bits;
mod buffers;
#[cfg(feature = "cuda")]
mod cuda;
mod faults;
mod first;
mod gather;
mod neighbours;
mod range;
mod repeat;
mod streams;
mod zip;

pub use self::apply::{Applied, Apply};
pub use self::bits::{Bit, Bits};
#[cfg(feature = "cuda")]
pub use self::cuda::{Lend, Opening, Reading};
pub use self::faults::Faults;
pub use self::first::{Counted, First};
pub use self::gather::{Gather, GatherOf, Gathered};
pub use self::neighbours::{Near, Neighbours};
pub use self::range::Counting;
pub use self::repeat::{Repeat, Repeated};
pub use self::streams::Streams;
pub use self::zip::same_length;
use crate::buffer::View;
use crate::error::{Error, Result};
use crate::operator::{Element, Item};

/// An input of a call: see the [module](self). `'a` is the lifetime of the borrowed buffers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an input that upsweep can read",
    label = "not an input",
    note = "inputs are references to slices, vectors, arrays, `upsweep::Array` and cudarc's slices and views; tuples of up to \
            four of them, ranges, `Repeat`, `Gather`, `Neighbours`, `Bits`, `Apply` and `count.of(..)`; of ndarray and the like give the slice: \
            `x.as_slice().unwrap()`"
)]
pub trait Inputs<'a> {
    /// Value at one position; for a tuple of inputs, the tuple of their values.
    type Value: Element;
    /// Arguments with which a map is called at one position: one per input.
    type Args;
    /// Item type, which defines how the input is read.
    #[doc(hidden)]
    type Item: Read<Value = Self::Value, Args = Self::Args>;

    /// Returns the host's description of the input.
    #[doc(hidden)]
    fn given(self) -> <Self::Item as Read>::Given<'a>;
}

/// Access to the values of an [`Item`]. The module's own types implement it.
///
/// # Safety
/// [`read`](Read::read) and the CUDA text access only the [`len`](Read::len) values of the input, and buffers that are
/// borrowed.
#[doc(hidden)]
pub unsafe trait Read: Item {
    /// Host's description of an input: its buffers and numbers.
    type Given<'a>;
    /// Place in host memory from which the CPU reads the input: its pointers and numbers.
    type Place: Copy;

    /// Whether the input is one buffer, whose elements are the values.
    const PLAIN: bool = false;

    /// Whether neighbouring values are neighbours in memory or need no memory, so that a vector of values can be
    /// loaded.
    const SIDE_BY_SIDE: bool = Self::PLAIN;

    /// Whether the values are the elements of one buffer, or of its beginning: [`buffer`](Read::buffer) returns it.
    const BUFFER: bool = Self::PLAIN;

    /// Returns the buffer whose elements are the values. `None` where the values are computed, or are in several
    /// buffers.
    fn buffer<'g>(_given: &'g Self::Given<'_>) -> Option<View<'g, Self::Value>> {
        None
    }

    /// Borrows the input once more, for one of several calls.
    fn again<'g>(given: &'g Self::Given<'_>) -> Self::Given<'g>;

    /// Returns the number of values; `None` means as many as are requested. `what` names the input in errors.
    ///
    /// # Errors
    /// [`Error::Length`] when inputs side by side have different lengths.
    fn len(given: &Self::Given<'_>, what: &'static str) -> Result<Option<usize>>;

    /// Whether the number of values is in device memory: [`len`](Read::len) is then the capacity.
    const COUNTED: bool = false;

    /// Returns the number of values, if it is in device memory.
    fn length<'g>(_given: &'g Self::Given<'_>) -> Option<&'g View<'g, u64>> {
        None
    }

    /// Returns the place of an input in host memory (its pointers and numbers), valid while `given` and `faults` live.
    ///
    /// # Errors
    /// [`Error::Place`] when a buffer is not in host memory.
    fn place(given: &Self::Given<'_>, what: &'static str, faults: &Faults) -> Result<Self::Place>;

    /// Returns the place of an input that is the output's own memory, which begins at `start`; `None` for inputs that
    /// cannot be in the output's memory.
    fn in_place(_start: *const u8) -> Option<Self::Place> {
        None
    }

    /// Reads the value at position `at`.
    ///
    /// # Safety
    /// The pointers of `place` are valid, `at` is less than the number of values, and nothing writes the buffers
    /// meanwhile.
    unsafe fn read(place: &Self::Place, at: usize) -> Self::Value;

    /// Returns the address of the value at position `at`, which need not exist, and the value's number of bytes. If the
    /// input has several buffers, these are of the first one; if it has none, the address is null.
    fn address(_place: &Self::Place, _at: usize) -> (*const u8, usize) {
        (std::ptr::null(), 0)
    }

    /// Calls `fetch`, which prefetches, on the memory of `len` values from position `at` on. The values need not exist.
    fn fetch(_place: &Self::Place, _at: usize, _len: usize, _fetch: impl Fn(*const u8, usize) + Copy) {}

    /// Returns the number of bytes of the largest table that values are gathered from; 0 if there is none.
    fn gathered_from(_place: &Self::Place) -> usize {
        0
    }

    /// Calls `fetch`, which prefetches, on the addresses of what the value at position `at` is gathered from.
    ///
    /// # Safety
    /// As for [`read`](Read::read).
    unsafe fn fetch_gathered(_place: &Self::Place, _at: usize, _fetch: impl Fn(*const u8) + Copy) {}

    /// Element sizes of the buffers that a kernel streams (reads from one end to the other).
    const STREAMS: Streams = Streams::NONE;

    /// Whether a kernel may find a fault in the input: an index outside its table, or a count above the capacity.
    #[cfg(feature = "cuda")]
    const MAY_FAULT: bool = false;

    /// Whether a kernel gathers the input: reads memory for it, at computed indices, that it does not stream.
    #[cfg(feature = "cuda")]
    const APART: bool = false;

    /// Functions that compute values; they generate the CUDA text of the input.
    #[cfg(feature = "cuda")]
    type Functions: Copy;

    /// Returns the functions that compute the values of an input.
    #[cfg(feature = "cuda")]
    fn functions(given: &Self::Given<'_>) -> Self::Functions;

    /// Returns the functions of an input that is the output's own memory; `None` for inputs that cannot be in the
    /// output's memory.
    #[cfg(feature = "cuda")]
    fn functions_in_place() -> Option<Self::Functions> {
        None
    }

    /// Adds the addresses and numbers that the CUDA text reads to `opening`, in the order in which it reads them.
    ///
    /// # Errors
    /// Errors of borrowing the buffers.
    #[cfg(feature = "cuda")]
    fn open<'a, L: Lend<'a>>(
        given: &'a Self::Given<'_>,
        what: &'static str,
        opening: &mut Opening<'_, L>,
    ) -> Result<()>;

    /// Returns a C++ expression for the value at position `at`, an expression of a `u64`.
    #[cfg(feature = "cuda")]
    fn text(functions: &Self::Functions, reading: &mut Reading<'_>, at: &str) -> String;
}

/// Returns the number of values of an input.
///
/// # Errors
/// Errors of [`Read::len`], and [`Error::Options`] where the input has no length of its own.
pub fn len_of<I: Read>(given: &I::Given<'_>) -> Result<usize> {
    I::len(given, "input")?.ok_or(Error::Options {
        options: "an input without a length",
        reason: "a repeated value goes on for ever: put it into a tuple with a buffer or a range",
    })
}

/// Returns the number of values of an input in host memory that has room for `room` values.
///
/// # Errors
/// [`Error::Capacity`] when the count exceeds the capacity.
#[inline(always)]
pub fn len_on_host<I: Read>(given: &I::Given<'_>, room: usize) -> Result<usize> {
    let Some(length) = I::length(given) else { return Ok(room) };
    let needed = length.on_host("count")?.first().map_or(0, |&count| usize::try_from(count).unwrap_or(usize::MAX));
    if needed > room { Err(Error::Capacity { what: "counted input", needed, capacity: room }) } else { Ok(needed) }
}

/// Returns the C++ type of values `T`.
#[cfg(feature = "cuda")]
fn type_of<T: Element>(reading: &mut Reading<'_>) -> String {
    T::cuda_type(reading.source)
}
