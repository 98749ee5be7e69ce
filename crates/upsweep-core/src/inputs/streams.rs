//! Buffers that a kernel streams, by the sizes of their elements.

/// Largest number of buffers that a kernel streams (reads from one end to the other).
const MOST_STREAMS: usize = 4;

/// Sizes of the elements of the buffers that a kernel streams, in the order of the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Streams {
    sizes: [usize; MOST_STREAMS],
    len: usize,
}

impl Streams {
    /// Sizes of an input without streams.
    pub const NONE: Self = Self { sizes: [0; MOST_STREAMS], len: 0 };

    /// Returns the sizes of one stream of elements of `size` bytes.
    #[must_use]
    pub const fn of_size(size: usize) -> Self {
        Self { sizes: [size, 0, 0, 0], len: 1 }
    }

    /// Returns the sizes of one stream of elements `T`.
    pub(super) const fn of<T>() -> Self {
        Self::of_size(size_of::<T>())
    }

    /// Appends the sizes of the streams of `others`. Together there are at most four streams.
    pub const fn and(mut self, others: Self) -> Self {
        assert!(self.len + others.len <= MOST_STREAMS, "one call reads at most four buffers beside tables and bits");
        let mut i = 0;
        while i < others.len {
            self.sizes[self.len] = others.sizes[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// Returns the element size of each stream, in bytes.
    #[must_use]
    pub fn sizes(&self) -> &[usize] {
        self.sizes.get(..self.len).unwrap_or_default()
    }

    /// Returns the number of bytes of one element of each stream together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.sizes().iter().sum()
    }
}
