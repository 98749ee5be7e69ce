//! Arrays filled with one value.
//!
//! A value whose bytes repeat within a word (all numbers of up to four bytes, and every zero) is stored by the driver's
//! memset, which the host does not wait for. Of another value, up to 64 KiB are copied from the host; copies on the
//! device then double the number of elements until the array is full.

use super::device::Cuda;
use super::driver::{Doing, OutsideCapture};
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtrMut, sys};
use half::{bf16, f16};
use std::any::Any;
use upsweep_core::error::Result;
use upsweep_core::operator::Element;

/// Number of bytes of copies of the value that are uploaded: so few that the bus does not matter, and so many that few
/// copies on the device follow.
const FROM_HOST: usize = 64 << 10;

impl Cuda {
    /// Returns an array of `len` copies of `value`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](upsweep_core::error::Error::OutOfMemory); the device stays usable.
    pub fn filled<T: Element>(&self, len: usize, value: T) -> Result<CudaSlice<T>> {
        const DOING: &str = "filling an array";
        self.refuse_in_capture(DOING)?;
        // Another thread's capture is not disturbed by this stream's copies and waits.
        let _outside = OutsideCapture::enter()?;
        let mut array = self.allocate(len)?;
        if len == 0 {
            return Ok(array);
        }
        let stream = self.stream();
        let (address, _write) = array.device_ptr_mut(stream);
        if let Some(word) = Word::of(value) {
            // SAFETY: the array has `len * size_of::<T>()` bytes, which are a multiple of the word's.
            unsafe { word.repeat(address, len * size_of::<T>(), stream) }.doing(DOING)?;
        } else {
            let mut there = len.min(FROM_HOST / size_of::<T>());
            let host = vec![value; there];
            // SAFETY: the array has room for `host`, which outlives the copy because the stream is waited for.
            unsafe { result::memcpy_htod_async(address, &host, stream.cu_stream()) }.doing(DOING)?;
            stream.synchronize().doing(DOING)?;
            while there < len {
                let more = there.min(len - there);
                let (behind, bytes) = (address + (there * size_of::<T>()) as u64, more * size_of::<T>());
                // SAFETY: the first `there` elements are written in the stream's order, and the array has room for
                // `more` after them.
                unsafe { result::memcpy_dtod_async(behind, address, bytes, stream.cu_stream()) }.doing(DOING)?;
                there += more;
            }
        }
        drop(_write);
        Ok(array)
    }
}

/// Word whose repetition fills the array: the driver's memset takes one of 1, 2 or 4 bytes.
enum Word {
    One(u8),
    Two(u16),
    Four(u32),
}

impl Word {
    /// Returns the word whose repetition is `value`: the value itself, or for a longer value a word of 4 bytes. None if
    /// there is none.
    fn of<T: Element>(value: T) -> Option<Self> {
        let bits = bits(&value)?;
        let words = size_of::<T>() / 4;
        match size_of::<T>() {
            1 => Some(Self::One(bits as u8)),
            2 => Some(Self::Two(bits as u16)),
            _ if (1..words).all(|at| (bits >> (32 * at)) as u32 == bits as u32) => Some(Self::Four(bits as u32)),
            _ => None,
        }
    }

    /// Enqueues the store of the word in all of `bytes` bytes.
    ///
    /// # Safety
    /// There are `bytes` bytes at `address`, a multiple of the word's, and nobody else uses them.
    unsafe fn repeat(self, address: u64, bytes: usize, stream: &CudaStream) -> std::result::Result<(), DriverError> {
        let stream = stream.cu_stream();
        // SAFETY: `bytes` bytes at `address` are exclusively the caller's, as `# Safety` requires.
        unsafe {
            match self {
                Self::One(word) => sys::cuMemsetD8Async(address, word, bytes, stream),
                Self::Two(word) => sys::cuMemsetD16Async(address, word, bytes / 2, stream),
                Self::Four(word) => sys::cuMemsetD32Async(address, word, bytes / 4, stream),
            }
        }
        .result()
    }
}

/// Returns the bits of a number, the lowest byte first. None for a type of several fields, which may have padding
/// between them.
fn bits(value: &dyn Any) -> Option<u128> {
    macro_rules! of {
        ($($t:ty: $x:ident => $bits:expr;)*) => { $( if let Some(&$x) = value.downcast_ref::<$t>() { return Some($bits as u128); } )* };
    }
    of! {
        u8: x => x; u16: x => x; u32: x => x; u64: x => x; u128: x => x; usize: x => x;
        i8: x => x; i16: x => x; i32: x => x; i64: x => x; i128: x => x; isize: x => x;
        bool: x => x; char: x => u32::from(x);
        f16: x => x.to_bits(); bf16: x => x.to_bits(); f32: x => x.to_bits(); f64: x => x.to_bits();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_memory() {
        let word = |word: Option<Word>| match word {
            Some(Word::One(x)) => (1, u32::from(x)),
            Some(Word::Two(x)) => (2, u32::from(x)),
            Some(Word::Four(x)) => (4, x),
            None => (0, 0),
        };
        assert_eq!(word(Word::of(-2i8)), (1, 0xfe));
        assert_eq!(word(Word::of(true)), (1, 1));
        assert_eq!(word(Word::of(bf16::ONE)), (2, 0x3f80));
        assert_eq!(word(Word::of(1.0f32)), (4, 0x3f80_0000));
        assert_eq!(word(Word::of(0.0f64)), (4, 0));
        assert_eq!(word(Word::of(-1i128)), (4, u32::MAX));
        assert_eq!(word(Word::of(0x1234_5678_1234_5678u64)), (4, 0x1234_5678));
        for none in
            [word(Word::of(1.0f64)), word(Word::of(1u64)), word(Word::of(1u128 << 96)), word(Word::of((0u32, 0u8)))]
        {
            assert_eq!(none, (0, 0));
        }
    }
}
