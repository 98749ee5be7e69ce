//! Scratch memory that is cut into parts.

/// The bytes of parts of a block of memory, each of which begins at a multiple of 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchParts<const N: usize>(pub [usize; N]);

impl<const N: usize> ScratchParts<N> {
    const ALIGN: usize = 256;

    /// Bytes of all of them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|bytes| bytes.next_multiple_of(Self::ALIGN)).sum()
    }

    /// Where the parts are in the block at `address`.
    #[must_use]
    pub fn starts(&self, address: u64) -> [u64; N] {
        let mut next = address;
        self.0.map(|bytes| {
            let start = next;
            next += bytes.next_multiple_of(Self::ALIGN) as u64;
            start
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_scratch_are_apart_and_aligned() {
        let parts = ScratchParts([1, 256, 0, 257, 10, 0]);
        assert_eq!(parts.starts(4096), [4096, 4352, 4608, 4608, 5120, 5376]);
        assert_eq!(parts.bytes(), 5376 - 4096);
    }
}
