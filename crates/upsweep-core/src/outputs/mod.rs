//! Outputs: what a call writes, as the backends see it. `upsweep::outputs` says what users know of them.

mod buffers;
#[cfg(feature = "cuda")]
mod cuda;
mod scatter;
mod target;
mod zip;

#[cfg(feature = "cuda")]
pub use self::cuda::{LendMut, Storing, WritingText};
pub use self::scatter::{Scatter, ScatterTo, Scattered};
#[cfg(feature = "cuda")]
pub use self::target::Memory;
pub use self::target::Target;
use crate::error::Result;
use crate::inputs::Faults;
use crate::operator::{Element, Item};

/// Where results go: see the [module](self). `'a` is how long its buffers are borrowed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an output that upsweep can write",
    label = "not an output",
    note = "outputs are mutable references to slices, vectors, arrays, `upsweep::Array` and cudarc's mutable slices and views; \
            tuples of up to four of them, and `Scatter`; of ndarray and the like give the slice: `x.as_slice_mut().unwrap()`"
)]
pub trait Outputs<'a> {
    /// A result; of several outputs, the tuple of theirs.
    type Value: Element;
    /// How it is written.
    #[doc(hidden)]
    type Item: Write<Value = Self::Value>;

    /// What is known of it on the host.
    #[doc(hidden)]
    fn given(self) -> <Self::Item as Write>::Given<'a>;
}

/// How the values of an [`Item`] are written. The module's own types implement it.
///
/// # Safety
/// [`write`](Write::write) and the text write only what [`len`](Write::len) says that there is, in buffers that are lent.
#[doc(hidden)]
pub unsafe trait Write: Item {
    /// What the host knows of an output: its buffers and numbers.
    type Given<'a>;
    /// Where the CPU writes it.
    type Place: Copy;

    /// Whether it is one buffer, whose elements are the values.
    const PLAIN: bool = false;

    /// How many results it takes; `None` says as many as there are. `what` names the output in errors.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) when outputs side by side have not the same number.
    fn len(given: &Self::Given<'_>, what: &'static str) -> Result<Option<usize>>;

    /// The place of an output on the host, which is good while `given` and `faults` live.
    ///
    /// # Errors
    /// [`Error::Place`](crate::Error::Place) when a buffer is not in host memory.
    fn place(given: &Self::Given<'_>, what: &'static str, faults: &Faults) -> Result<Self::Place>;

    /// Where the first value lies, of a [`PLAIN`](Write::PLAIN) output; else null.
    fn start(_place: &Self::Place) -> *mut Self::Value {
        std::ptr::null_mut()
    }

    /// Stores the result at position `at`.
    ///
    /// # Safety
    /// The place is good, `at` is less than the number of results, and no other thread reads any or writes this one.
    unsafe fn write(place: &Self::Place, at: usize, value: Self::Value);

    /// Whether a kernel may find something wrong with it.
    #[cfg(feature = "cuda")]
    const MAY_FAULT: bool = false;

    /// The functions that compute places, which make the text.
    #[cfg(feature = "cuda")]
    type Functions: Copy;

    /// Those of an output.
    #[cfg(feature = "cuda")]
    fn functions(given: &Self::Given<'_>) -> Self::Functions;

    /// Adds the addresses and numbers that the text asks for, in its order.
    ///
    /// # Errors
    /// Those of lending the buffers.
    #[cfg(feature = "cuda")]
    fn open<'a, L: LendMut<'a>>(
        given: &'a mut Self::Given<'_>,
        what: &'static str,
        storing: &mut Storing<'_, L>,
    ) -> Result<()>;

    /// Adds the C++ statements that store `value`, an expression, at position `at`, an expression of a `u64`.
    #[cfg(feature = "cuda")]
    fn text(functions: &Self::Functions, writing: &mut WritingText<'_>, value: &str);
}
