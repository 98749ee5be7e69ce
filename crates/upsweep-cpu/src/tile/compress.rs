//! Stream compaction of chunks of 64 elements by a bit mask.

use super::lanes::Lanes;
use upsweep_core::operator::Element;

/// Number of elements of a chunk, one for each bit of a mask.
pub(crate) const CHUNK: usize = 64;

/// Largest number of selected values that are written one by one. Vector compaction of nearly empty vectors took twice
/// as long (2026-11-24).
const FEW: usize = 8;

/// Writes the values at `from` whose bits are set in `mask` contiguously to `to`, and returns the end of the written
/// values. Up to [`CHUNK`] values may be overwritten.
///
/// # Safety
/// `from` is valid for reads of [`CHUNK`] values and `to` for writes of [`CHUNK`] values, and they do not overlap. The
/// processor has the instructions of `L`.
#[inline(always)]
pub(crate) unsafe fn compress<L: Lanes, T: Element>(from: *const T, mask: u64, to: *mut T) -> *mut T {
    // Only numbers: other types may have padding between their fields, which is uninitialised and not a valid vector
    // lane.
    let number = T::LANE || T::HALVES.is_some();
    // SAFETY: `from` has [`CHUNK`] values and `to` has room for [`CHUNK`]. The processor has the instructions of `L`.
    unsafe {
        if mask.count_ones() as usize <= FEW {
            compress_few(|i| from.add(i).read(), mask, to)
        } else if number && L::compress::<T>(from.cast(), mask, to.cast()) {
            to.add(mask.count_ones() as usize)
        } else {
            compress_each(from, mask, to)
        }
    }
}

/// [`compress`] for computed values: value `i` is `of(i)`.
///
/// # Safety
/// `to` is valid for writes of [`CHUNK`] values. The processor has the instructions of `L`.
#[inline(always)]
pub(crate) unsafe fn compress_of<L: Lanes, T: Element>(of: impl Fn(usize) -> T, mask: u64, to: *mut T) -> *mut T {
    // SAFETY: the array has [`CHUNK`] values and `to` has room for [`CHUNK`]. The processor has the instructions of
    // `L`.
    unsafe {
        if mask.count_ones() as usize <= FEW {
            compress_few(of, mask, to)
        } else {
            compress::<L, T>(std::array::from_fn::<T, CHUNK, _>(of).as_ptr(), mask, to)
        }
    }
}

/// [`compress`] for up to [`FEW`] selected values. A branch for each would be mispredicted, so half of [`FEW`] values
/// are always written. Values after the selected ones are never read.
///
/// # Safety
/// `to` is valid for writes of [`CHUNK`] values.
#[inline(always)]
unsafe fn compress_few<T: Element>(of: impl Fn(usize) -> T, mut mask: u64, to: *mut T) -> *mut T {
    let count = mask.count_ones() as usize;
    let mut write = |k| {
        // SAFETY: `k` is less than [`FEW`], and `to` has room for [`CHUNK`] values.
        unsafe { to.add(k).write(of(mask.trailing_zeros() as usize % CHUNK)) };
        mask &= mask.wrapping_sub(1);
    };
    (0..FEW / 2).for_each(&mut write);
    if count > FEW / 2 {
        (FEW / 2..FEW).for_each(&mut write);
    }
    // SAFETY: `count` is at most [`CHUNK`], and `to` has room for [`CHUNK`] values.
    unsafe { to.add(count) }
}

/// [`compress`], one value after the other: only values whose bits are set are read or written.
///
/// # Safety
/// `from` is valid for reads of the values whose bits are set, and `to` for writes of this number of values.
#[inline(always)]
pub(crate) unsafe fn compress_each<T: Element>(from: *const T, mut mask: u64, mut to: *mut T) -> *mut T {
    while mask != 0 {
        // SAFETY: `from` has the values whose bits are set, and `to` has room for them.
        unsafe {
            to.write(from.add(mask.trailing_zeros() as usize).read());
            to = to.add(1);
        }
        mask &= mask - 1;
    }
    to
}

#[cfg(test)]
mod tests {
    use super::super::lanes::Work;
    use super::super::simd::Set;
    use super::*;

    struct Compressed<'a, T>(&'a [T; CHUNK], u64, &'a mut [T; CHUNK]);

    impl<T: Element> Work for Compressed<'_, T> {
        type Result = usize;
        #[inline(always)]
        unsafe fn run<L: Lanes>(self) -> usize {
            let to = self.2.as_mut_ptr();
            // SAFETY: both arrays have 64 values.
            unsafe { compress::<L, T>(self.0.as_ptr(), self.1, to).offset_from_unsigned(to) }
        }
    }

    /// Checks every instruction set of this processor.
    #[test]
    fn each_instruction_set_compresses_as_the_loop_does() {
        fn check<T: Element + PartialEq + std::fmt::Debug>(value: impl Fn(u8) -> T) {
            let from: [T; CHUNK] = std::array::from_fn(|i| value(i as u8));
            let mut masks = vec![0, !0, 1, 1 << 63, 0x5555_5555_5555_5555, 0xffff_0000_00ff_0f01];
            masks.extend((0..64).map(|i| 1u64 << i | 1 << (i * 7 % 64) | 1 << (i * 29 % 64)));
            masks.extend((0..20).map(|i| 0x0101_0101_0101_0101u64.rotate_left(i) >> (2 * i)));
            masks.extend((0..200u64).map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            for set in Set::all() {
                for &mask in &masks {
                    let mut to = [value(255); CHUNK];
                    // SAFETY: the set is this processor's.
                    let number = unsafe { set.compiled()(Compressed(&from, mask, &mut to)) };
                    let expected: Vec<T> = (0..CHUNK).filter(|i| mask >> i & 1 == 1).map(|i| from[i]).collect();
                    assert_eq!(to[..number], expected, "{mask:#x} of {}", std::any::type_name::<T>());
                }
            }
        }
        check(|x| x);
        check(|x| u16::from(x) * 257);
        check(|x| u32::from(x) * 0x0101_0101);
        check(|x| u64::from(x) * 0x0101_0101_0101_0101);
        check(|x| (x, !x, x));
        check(u128::from);
    }

    struct Bits<'a>(&'a [u8; CHUNK]);

    impl Work for Bits<'_> {
        type Result = u64;
        #[inline(always)]
        unsafe fn run<L: Lanes>(self) -> u64 {
            // SAFETY: the set is this processor's.
            unsafe { L::bits(self.0) }
        }
    }

    #[test]
    fn a_bit_for_each_byte() {
        for mask in [0u64, 1, 1 << 63, !0, 0x8000_0001_ff00_1234, 0x0123_4567_89ab_cdef] {
            let keep = std::array::from_fn(|i| (mask >> i & 1) as u8);
            for set in Set::all() {
                // SAFETY: the set is this processor's.
                assert_eq!(unsafe { set.compiled()(Bits(&keep)) }, mask);
            }
        }
    }
}
