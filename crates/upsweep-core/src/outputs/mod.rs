//! Outputs of a call, as the backends see them. The users' documentation is in `upsweep::outputs`.

mod buffers;
#[cfg(feature = "cuda")]
mod cuda;
mod scatter;
mod target;
mod zip;

#[cfg(feature = "cuda")]
pub use self::cuda::{LendMut, Storing, WritingText};
pub use self::scatter::{Scatter, ScatterTo, Scattered};
pub use self::target::{Memory, Target};
use crate::error::Result;
use crate::inputs::Faults;
use crate::operator::{Element, Item};

/// An output of a call: see the [module](self). `'a` is the lifetime of the borrowed buffers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an output that upsweep can write",
    label = "not an output",
    note = "outputs are mutable references to slices, vectors, arrays, `upsweep::Array` and cudarc's mutable slices and views; \
            tuples of up to four of them, and `Scatter`; of ndarray and the like give the slice: `x.as_slice_mut().unwrap()`"
)]
pub trait Outputs<'a> {
    /// Result type; for a tuple of outputs, the tuple of their types.
    type Value: Element;
    /// Item type, which defines how the output is written.
    #[doc(hidden)]
    type Item: Write<Value = Self::Value>;

    /// Returns the host's description of the output.
    #[doc(hidden)]
    fn given(self) -> <Self::Item as Write>::Given<'a>;
}

/// Storage of the values of an [`Item`]. The module's own types implement it.
///
/// # Safety
/// [`write`](Write::write) and the CUDA text write only the [`len`](Write::len) results of the output, in buffers that
/// are borrowed.
#[doc(hidden)]
pub unsafe trait Write: Item {
    /// Host's description of an output: its buffers and numbers.
    type Given<'a>;
    /// Place in host memory to which the CPU writes the output: its pointers and numbers.
    type Place: Copy;

    /// Whether the output is one buffer, whose elements are the values.
    const PLAIN: bool = false;

    /// Returns the number of results that the output takes; `None` means any number. `what` names the output in errors.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) when outputs side by side have different lengths.
    fn len(given: &Self::Given<'_>, what: &'static str) -> Result<Option<usize>>;

    /// Returns the place of an output in host memory (its pointers and numbers), valid while `given` and `faults` live.
    ///
    /// # Errors
    /// [`Error::Place`](crate::Error::Place) when a buffer is not in host memory.
    fn place(given: &Self::Given<'_>, what: &'static str, faults: &Faults) -> Result<Self::Place>;

    /// Returns the address of the first value of a [`PLAIN`](Write::PLAIN) output; else null.
    fn start(_place: &Self::Place) -> *mut Self::Value {
        std::ptr::null_mut()
    }

    /// Stores the result at position `at`.
    ///
    /// # Safety
    /// The pointers of `place` are valid, `at` is less than the number of results, and no other thread reads any result
    /// or writes this one.
    unsafe fn write(place: &Self::Place, at: usize, value: Self::Value);

    /// Whether a kernel may find a fault in the output: a scatter index outside it.
    #[cfg(feature = "cuda")]
    const MAY_FAULT: bool = false;

    /// Functions that compute scatter indices; they generate the CUDA text of the output.
    #[cfg(feature = "cuda")]
    type Functions: Copy;

    /// Returns the functions that compute the scatter indices of an output.
    #[cfg(feature = "cuda")]
    fn functions(given: &Self::Given<'_>) -> Self::Functions;

    /// Adds the addresses and numbers that the CUDA text reads to `storing`, in the order in which it reads them.
    ///
    /// # Errors
    /// Errors of borrowing the buffers.
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
