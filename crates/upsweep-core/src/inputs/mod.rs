//! Inputs: what a call reads, as the backends see it. `upsweep::inputs` says what users know of them.

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
pub use self::first::{Counted, CountedInput, First};
pub use self::gather::{Gather, GatherOf, Gathered};
pub use self::neighbours::{Near, Neighbours};
pub use self::range::Counting;
pub use self::repeat::{Repeat, Repeated};
pub use self::streams::Streams;
pub use self::zip::same_length;
use crate::buffer::View;
use crate::error::{Error, Result};
use crate::operator::{Element, Item};

/// What stands as an input: see the [module](self). `'a` is how long its buffers are borrowed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an input that upsweep can read",
    label = "not an input",
    note = "inputs are references to slices, vectors, arrays, `upsweep::Array` and cudarc's slices and views; tuples of up to \
            four of them, ranges, `Repeat`, `Gather`, `Neighbours`, `Bits`, `Apply` and `count.of(..)`; of ndarray and the like give the slice: \
            `x.as_slice().unwrap()`"
)]
pub trait Inputs<'a> {
    /// The value at one position; of several inputs, the tuple of theirs.
    type Value: Element;
    /// The arguments of a map: as many as there are inputs.
    type Args;
    /// How it is read.
    #[doc(hidden)]
    type Item: Read<Value = Self::Value, Args = Self::Args>;

    /// What is known of it on the host.
    #[doc(hidden)]
    fn given(self) -> <Self::Item as Read>::Given<'a>;
}

/// How the values of an [`Item`] are read. The module's own types implement it.
///
/// # Safety
/// [`read`](Read::read) and the text read only what [`len`](Read::len) says that there is, and buffers that are lent.
#[doc(hidden)]
pub unsafe trait Read: Item {
    /// What the host knows of an input: its buffers and numbers.
    type Given<'a>;
    /// Where the CPU reads it.
    type Place: Copy;

    /// Whether it is one buffer, whose elements are the values.
    const PLAIN: bool = false;

    /// Whether neighbouring values are neighbours in memory or need none, so that a vector of them can be loaded.
    const SIDE_BY_SIDE: bool = Self::PLAIN;

    /// How many values there are; `None` says as many as are asked for. `what` names the input in errors.
    ///
    /// # Errors
    /// [`Error::Length`] when inputs side by side have not the same number.
    fn len(given: &Self::Given<'_>, what: &'static str) -> Result<Option<usize>>;

    /// Whether the device knows how many values there are: [`len`](Read::len) says how many there is room for.
    const COUNTED: bool = false;

    /// Where that number lies.
    fn length<'g>(_given: &'g Self::Given<'_>) -> Option<&'g View<'g, u64>> {
        None
    }

    /// The place of an input on the host, which is good while `given` and `faults` live.
    ///
    /// # Errors
    /// [`Error::Place`] when a buffer is not in host memory.
    fn place(given: &Self::Given<'_>, what: &'static str, faults: &Faults) -> Result<Self::Place>;

    /// The place of an input that is the output's own memory, which begins at `start`; `None` where it cannot be.
    fn in_place(_start: *const u8) -> Option<Self::Place> {
        None
    }

    /// The value at position `at`.
    ///
    /// # Safety
    /// The place is good, `at` is less than the number of values, and nothing writes the buffers meanwhile.
    unsafe fn read(place: &Self::Place, at: usize) -> Self::Value;

    /// The address of the value at position `at`, which need not exist, and its bytes; of several inputs, of the first one
    /// that is a buffer. Null where there is none.
    fn address(_place: &Self::Place, _at: usize) -> (*const u8, usize) {
        (std::ptr::null(), 0)
    }

    /// Calls `fetch` for the memory of `len` values from position `at` on, which need not exist.
    fn fetch(_place: &Self::Place, _at: usize, _len: usize, _fetch: impl Fn(*const u8, usize) + Copy) {}

    /// The buffers that a kernel streams.
    const STREAMS: Streams = Streams::NONE;

    /// Whether a kernel may find something wrong with it.
    #[cfg(feature = "cuda")]
    const MAY_FAULT: bool = false;

    /// Whether a kernel reads memory for it that it does not stream.
    #[cfg(feature = "cuda")]
    const APART: bool = false;

    /// The functions that compute values, which make the text.
    #[cfg(feature = "cuda")]
    type Functions: Copy;

    /// Those of an input.
    #[cfg(feature = "cuda")]
    fn functions(given: &Self::Given<'_>) -> Self::Functions;

    /// Those of an input that is the output's own memory.
    #[cfg(feature = "cuda")]
    fn functions_in_place() -> Option<Self::Functions> {
        None
    }

    /// Adds the addresses and numbers that the text asks for, in its order.
    ///
    /// # Errors
    /// Those of lending the buffers.
    #[cfg(feature = "cuda")]
    fn open<'a, L: Lend<'a>>(
        given: &'a Self::Given<'_>,
        what: &'static str,
        opening: &mut Opening<'_, L>,
    ) -> Result<()>;

    /// A C++ expression for the value at position `at`, an expression of a `u64`.
    #[cfg(feature = "cuda")]
    fn text(functions: &Self::Functions, reading: &mut Reading<'_>, at: &str) -> String;
}

/// How many values an input has.
///
/// # Errors
/// Those of [`Read::len`], and [`Error::Options`] where the input has no number of its own.
pub fn len_of<I: Read>(given: &I::Given<'_>) -> Result<usize> {
    I::len(given, "input")?.ok_or(Error::Options {
        options: "an input without a length",
        reason: "a repeated value goes on for ever: put it into a tuple with a buffer or a range",
    })
}

/// How many values an input on the host has, of which there is room for `room`.
///
/// # Errors
/// [`Error::Capacity`] when a count says more.
#[inline(always)]
pub fn len_on_host<I: Read>(given: &I::Given<'_>, room: usize) -> Result<usize> {
    let Some(length) = I::length(given) else { return Ok(room) };
    let needed = length.on_host("count")?.first().map_or(0, |&count| usize::try_from(count).unwrap_or(usize::MAX));
    if needed > room { Err(Error::Capacity { what: "counted input", needed, capacity: room }) } else { Ok(needed) }
}

/// The C++ type of a value.
#[cfg(feature = "cuda")]
fn type_of<T: Element>(reading: &mut Reading<'_>) -> String {
    T::cuda_type(reading.source)
}
