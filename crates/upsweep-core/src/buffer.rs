//! Buffers of a call: the host's, upsweep's own arrays, cudarc's slices and views.

#[allow(unused_imports, reason = "without CUDA nothing can be in the wrong place")]
use crate::error::{Error, Result};
use crate::operator::Element;
use std::ops::Range;

/// Elements that a call reads, in place.
#[derive(Debug)]
pub enum View<'a, T> {
    /// Elements in the host's memory.
    Host(&'a [T]),
    /// Elements in a CUDA device's memory.
    #[cfg(feature = "cuda")]
    Cuda(cudarc::driver::CudaView<'a, T>),
}

/// Elements that a call writes, in place.
#[derive(Debug)]
pub enum ViewMut<'a, T> {
    /// Elements in the host's memory.
    Host(&'a mut [T]),
    /// Elements in a CUDA device's memory.
    #[cfg(feature = "cuda")]
    Cuda(cudarc::driver::CudaViewMut<'a, T>),
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Self::Host(x) => Self::Host(x),
            #[cfg(feature = "cuda")]
            Self::Cuda(x) => Self::Cuda(x.slice(..)),
        }
    }
}

macro_rules! lengths {
    ($($view:ident),*) => { $(
        impl<T> $view<'_, T> {
            /// Returns the number of elements.
            #[must_use]
            pub fn len(&self) -> usize {
                match self {
                    Self::Host(x) => x.len(),
                    #[cfg(feature = "cuda")]
                    Self::Cuda(x) => x.len(),
                }
            }

            /// Whether there are no elements.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }
    )* };
}
lengths! { View, ViewMut }

/// A buffer that a call can read: slices, vectors and arrays of the host, upsweep's `Array`, cudarc's slices and views.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a buffer that upsweep can read",
    label = "not a buffer",
    note = "inputs are slices, vectors, arrays, `upsweep::Array` and cudarc's slices and views; of ndarray and the like give \
            the slice: `x.as_slice().unwrap()`"
)]
pub trait Input {
    /// Type of the buffer's elements.
    type Item: Element;
    /// Borrows the elements in place.
    fn view(&self) -> View<'_, Self::Item>;
}

/// A buffer that a call can write: the mutable forms of [`Input`]'s buffers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a buffer that upsweep can write",
    label = "not a buffer",
    note = "outputs are mutable slices, vectors, arrays, `upsweep::Array` and cudarc's mutable slices and views; of ndarray and \
            the like give the slice: `x.as_slice_mut().unwrap()`"
)]
pub trait Output {
    /// Type of the buffer's elements.
    type Item: Element;
    /// Borrows the elements in place.
    fn view_mut(&mut self) -> ViewMut<'_, Self::Item>;
}

macro_rules! host_buffers {
    ($([$($generic:tt)*] $buffer:ty),* $(,)?) => { $(
        impl<T: Element, $($generic)*> Input for $buffer {
            type Item = T;
            fn view(&self) -> View<'_, T> {
                const { assert!(size_of::<T>() > 0, "an element has one byte at least") };
                View::Host(self.as_ref())
            }
        }
        impl<T: Element, $($generic)*> Output for $buffer {
            type Item = T;
            fn view_mut(&mut self) -> ViewMut<'_, T> {
                const { assert!(size_of::<T>() > 0, "an element has one byte at least") };
                ViewMut::Host(self.as_mut())
            }
        }
    )* };
}
host_buffers! { [] [T], [] Vec<T>, [] Box<[T]>, [const N: usize] [T; N] }

/// A view, such as a part of a buffer or its chunks, is read as a buffer is.
impl<T: Element> Input for View<'_, T> {
    type Item = T;
    fn view(&self) -> View<'_, T> {
        match self {
            Self::Host(x) => View::Host(x),
            #[cfg(feature = "cuda")]
            Self::Cuda(x) => View::Cuda(x.slice(..)),
        }
    }
}

impl<T: Element> Output for ViewMut<'_, T> {
    type Item = T;
    fn view_mut(&mut self) -> ViewMut<'_, T> {
        match self {
            Self::Host(x) => ViewMut::Host(x),
            #[cfg(feature = "cuda")]
            Self::Cuda(x) => ViewMut::Cuda(x.slice_mut(..)),
        }
    }
}

impl<'a, T> View<'a, T> {
    /// Returns the elements, for the CPU backend.
    ///
    /// # Errors
    /// [`Error::Place`] when they are not in host memory.
    #[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "all memory is host memory without CUDA"))]
    pub fn on_host(&self, what: &'static str) -> Result<&'a [T]> {
        match self {
            Self::Host(x) => Ok(x),
            #[cfg(feature = "cuda")]
            Self::Cuda(_) => Err(Error::Place { what, found: "CUDA", expected: "host" }),
        }
    }
}

impl<'a, T: Element> View<'a, T> {
    /// Returns the buffer's bytes as words of 64 bits, in place: the number of elements before the first word, the
    /// words, and the number of elements after the last word. Both numbers are less than the elements of a word, unless
    /// there is no whole word. Returns `None` if the elements are not integers of 8 to 64 bits.
    ///
    /// A comparison of bytes for equality, or a search for set bits, is several times as fast on words. Buffers with
    /// equally many elements before their first words have the same elements in each word.
    ///
    /// ```
    /// use upsweep::{Input, View};
    ///
    /// let bytes = [7u8; 100];
    /// let (before, words, after) = bytes.view().words().unwrap();
    /// assert!(before < 8 && after < 8 && before + 8 * words.len() + after == 100);
    /// assert!(matches!(words, View::Host(words) if words.iter().all(|&word| word == 0x0707_0707_0707_0707)));
    /// // Floats can be equal, or unequal, whatever their bits say.
    /// assert!([0.0f32, -0.0].view().words().is_none());
    /// ```
    #[must_use]
    pub fn words(&self) -> Option<(usize, View<'a, u64>, usize)> {
        if !T::WHOLE {
            return None;
        }
        match self {
            Self::Host(x) => {
                // SAFETY: a whole element has no padding, so that all bytes are initialised, and any eight bytes are a
                // `u64`.
                let (before, words, after) = unsafe { x.align_to::<u64>() };
                Some((before.len(), View::Host(words), after.len()))
            }
            #[cfg(feature = "cuda")]
            Self::Cuda(x) => {
                use cudarc::driver::{DevicePtr, DeviceSlice};
                let (address, size) = (x.device_ptr(x.stream()).0, size_of::<T>());
                let gap = (address.next_multiple_of(size_of::<u64>() as u64) - address) as usize;
                // A whole number of elements precedes the first word wherever elements are aligned to their size.
                let before = if gap.is_multiple_of(size) { x.len().min(gap / size) } else { x.len() };
                let (_, aligned) = x.try_split_at(before)?;
                let words = aligned.num_bytes() / size_of::<u64>();
                // SAFETY: the view is empty or begins at a multiple of eight bytes, and it holds `words` words. A whole
                // element has no padding, and any eight bytes are a `u64`.
                let view = unsafe { aligned.transmute::<u64>(words) }?;
                Some((before, View::Cuda(view), aligned.len() - words * size_of::<u64>() / size))
            }
        }
    }
}

impl<'a, T> View<'a, T> {
    /// Returns the elements in chunks of `N` neighbours, and the rest after the last whole chunk, as
    /// [`slice::as_chunks`] does.
    ///
    /// A function of elements costs less if one call computes it for several of them.
    ///
    /// ```
    /// use upsweep::{Input, View};
    ///
    /// let x = [1.0f32, 2.0, 3.0, 4.0, 5.0];
    /// let (pairs, rest) = x.view().as_chunks::<2>();
    /// assert!(matches!(pairs, View::Host([[1.0, 2.0], [3.0, 4.0]])));
    /// assert!(matches!(rest, View::Host([5.0])));
    /// ```
    #[must_use]
    pub fn as_chunks<const N: usize>(&self) -> (View<'a, [T; N]>, Self) {
        const { assert!(N > 0, "chunks have elements") };
        match self {
            Self::Host(x) => {
                let (chunks, rest) = x.as_chunks();
                (View::Host(chunks), View::Host(rest))
            }
            #[cfg(feature = "cuda")]
            Self::Cuda(x) => {
                let (chunks, rest) = x.split_at(x.len() / N * N);
                // SAFETY: the view holds `len / N` whole chunks, and a chunk is aligned as its elements are.
                match unsafe { chunks.transmute(chunks.len() / N) } {
                    Some(chunks) => (View::Cuda(chunks), Self::Cuda(rest)),
                    None => (View::Host(&[]), Self::Cuda(x.slice(..))),
                }
            }
        }
    }
}

impl<T> View<'_, T> {
    /// Returns the elements of `range`; `None` if there are fewer.
    ///
    /// ```
    /// use upsweep::{Input, View};
    ///
    /// let x = [1, 2, 3, 4];
    /// assert!(matches!(x.view().part(1..3), Some(View::Host([2, 3]))));
    /// assert!(x.view().part(3..5).is_none());
    /// ```
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Option<View<'_, T>> {
        match self {
            Self::Host(x) => x.get(range).map(View::Host),
            #[cfg(feature = "cuda")]
            Self::Cuda(x) => x.try_slice(range).map(View::Cuda),
        }
    }

    /// Whether `other` begins at the same address as this view.
    pub fn is_at(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Host(this), Self::Host(other)) => std::ptr::eq(this.as_ptr(), other.as_ptr()),
            #[cfg(feature = "cuda")]
            (Self::Cuda(this), Self::Cuda(other)) => {
                use cudarc::driver::{DevicePtr, DeviceSlice};
                this.device_ptr(this.stream()).0 == other.device_ptr(other.stream()).0
            }
            #[cfg(feature = "cuda")]
            _ => false,
        }
    }
}

impl<'a, T> ViewMut<'a, T> {
    /// Returns the elements, for the CPU backend.
    ///
    /// # Errors
    /// [`Error::Place`] when they are not in host memory.
    #[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "all memory is host memory without CUDA"))]
    pub fn into_host(self, what: &'static str) -> Result<&'a mut [T]> {
        match self {
            Self::Host(x) => Ok(x),
            #[cfg(feature = "cuda")]
            Self::Cuda(_) => Err(Error::Place { what, found: "CUDA", expected: "host" }),
        }
    }
}

impl<T> ViewMut<'_, T> {
    /// Returns the elements of `range`, to be written; `None` if there are fewer.
    #[must_use]
    pub fn part_mut(&mut self, range: Range<usize>) -> Option<ViewMut<'_, T>> {
        match self {
            Self::Host(x) => x.get_mut(range).map(ViewMut::Host),
            #[cfg(feature = "cuda")]
            Self::Cuda(x) => x.try_slice_mut(range).map(ViewMut::Cuda),
        }
    }
}

impl<T: Element> ViewMut<'_, T> {
    /// Returns the elements as an input.
    pub fn as_view(&self) -> View<'_, T> {
        match self {
            Self::Host(x) => View::Host(x),
            #[cfg(feature = "cuda")]
            Self::Cuda(x) => View::Cuda(x.as_view()),
        }
    }
}

#[cfg(feature = "cuda")]
mod cuda {
    use super::{Input, Output, View, ViewMut};
    use crate::operator::Element;
    use cudarc::driver::{CudaSlice, CudaView, CudaViewMut};

    impl<T: Element> Input for CudaSlice<T> {
        type Item = T;
        fn view(&self) -> View<'_, T> {
            View::Cuda(self.as_view())
        }
    }
    impl<T: Element> Output for CudaSlice<T> {
        type Item = T;
        fn view_mut(&mut self) -> ViewMut<'_, T> {
            ViewMut::Cuda(self.as_view_mut())
        }
    }
    impl<T: Element> Input for CudaView<'_, T> {
        type Item = T;
        fn view(&self) -> View<'_, T> {
            View::Cuda(self.slice(..))
        }
    }
    impl<T: Element> Input for CudaViewMut<'_, T> {
        type Item = T;
        fn view(&self) -> View<'_, T> {
            View::Cuda(self.as_view())
        }
    }
    impl<T: Element> Output for CudaViewMut<'_, T> {
        type Item = T;
        fn view_mut(&mut self) -> ViewMut<'_, T> {
            ViewMut::Cuda(self.slice_mut(..))
        }
    }
}
