//! What is sorted, by sizes alone: so that each kind of sort is compiled once, in this library.

use crate::cpu::tile::digits::Line;
use crate::error::{Error, Result};
use crate::key::{KeyBits, KeyOrder};
use crate::plan::cpu::SortLimits;
use std::marker::PhantomData;

/// A value while it is sorted.
pub(super) trait Moved: Copy + Default + Send + Sync {
    /// The value at place `i` of values of so many bytes, which are no more than this type's.
    ///
    /// # Safety
    /// The place is valid for reads.
    unsafe fn load(from: *const u8, i: usize, bytes: usize) -> Self;
    /// Stores it there.
    ///
    /// # Safety
    /// The place is valid for writes.
    unsafe fn store(self, to: *mut u8, i: usize, bytes: usize);
    /// The position `i`, which it holds.
    fn position(i: usize) -> Self;
}

impl Moved for () {
    unsafe fn load(_: *const u8, _: usize, _: usize) {}
    unsafe fn store(self, _: *mut u8, _: usize, _: usize) {}
    fn position(_: usize) {}
}

macro_rules! moved {
    ($($t:ty: $($narrow:ty)*;)*) => { $(impl Moved for $t {
        #[inline(always)]
        unsafe fn load(from: *const u8, i: usize, bytes: usize) -> Self {
            // SAFETY: the caller's; a local has as many bytes as are copied.
            unsafe {
                if bytes == size_of::<Self>() {
                    return from.cast::<Self>().add(i).read_unaligned();
                }
                $(if bytes == size_of::<$narrow>() {
                    return Self::from(from.cast::<$narrow>().add(i).read_unaligned());
                })*
                let mut value = Self::default().to_ne_bytes();
                value.as_mut_ptr().copy_from_nonoverlapping(from.add(i * bytes), bytes.min(size_of::<Self>()));
                Self::from_ne_bytes(value)
            }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut u8, i: usize, bytes: usize) {
            // SAFETY: as above.
            unsafe {
                if bytes == size_of::<Self>() {
                    return to.cast::<Self>().add(i).write_unaligned(self);
                }
                $(if bytes == size_of::<$narrow>() {
                    return to.cast::<$narrow>().add(i).write_unaligned(self as $narrow);
                })*
                to.add(i * bytes).copy_from_nonoverlapping(self.to_ne_bytes().as_ptr(), bytes.min(size_of::<Self>()));
            }
        }
        #[inline(always)]
        fn position(i: usize) -> Self {
            i as Self
        }
    })* };
}
moved! { u32: u8 u16; u64:; }

/// One sort. Inputs are valid for reads and outputs for writes of `len` elements; input and output are the same memory, or apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sort<B> {
    pub(super) order: KeyOrder,
    pub(super) descending: bool,
    pub(super) len: usize,
    pub(super) keys: *const B,
    /// Null where only the values are wanted.
    pub(super) keys_out: *mut B,
    /// Null where the values are the positions of the keys.
    pub(super) values: *const u8,
    pub(super) values_out: *mut u8,
    pub(super) value_bytes: usize,
    pub(super) limits: SortLimits,
}

// SAFETY: a sort reads its input and writes its output, which nobody else uses in the meantime; elements are `Send` and `Sync`. Threads
// write places that are apart.
unsafe impl<B: Sync> Sync for Sort<B> {}
// SAFETY: as above.
unsafe impl<B: Send> Send for Sort<B> {}

impl<B: KeyBits> Sort<B> {
    /// The number in order of key `i`.
    ///
    /// # Safety
    /// `i` is less than the length.
    #[inline(always)]
    pub(super) unsafe fn number(&self, i: usize) -> B {
        // SAFETY: the caller's.
        unsafe { self.keys.add(i).read() }.ordered(self.order, self.descending)
    }

    /// # Safety
    /// As [`number`](Self::number).
    #[inline(always)]
    pub(super) unsafe fn value<V: Moved>(&self, i: usize) -> V {
        if self.values.is_null() {
            return V::position(i);
        }
        // SAFETY: the caller's.
        unsafe { V::load(self.values, i, self.value_bytes) }
    }

    /// Stores the results at place `i`.
    ///
    /// # Safety
    /// As [`number`](Self::number), and nobody else writes this place.
    #[inline(always)]
    pub(super) unsafe fn store<V: Moved>(&self, i: usize, number: B, value: V) {
        // SAFETY: the caller's.
        unsafe {
            if !self.keys_out.is_null() {
                self.keys_out.add(i).write(number.restored(self.order, self.descending));
            }
            value.store(self.values_out, i, self.value_bytes);
        }
    }

    /// The bytes of so many elements.
    pub(super) fn bytes(&self, len: usize) -> usize {
        len.saturating_mul(size_of::<B>() + self.value_bytes)
    }

    pub(super) fn threads(&self) -> usize {
        if self.bytes(self.len) < self.limits.parallel_from { 1 } else { self.limits.threads }
    }
}

/// Numbers and their values in memory of the sort's own.
#[derive(Debug)]
pub(super) struct Columns<B, V> {
    pub(super) keys: *mut B,
    pub(super) values: *mut V,
}
impl<B, V> Clone for Columns<B, V> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B, V> Copy for Columns<B, V> {}
// SAFETY: whoever shares them gives each thread places of its own.
unsafe impl<B: Send, V: Send> Send for Columns<B, V> {}
// SAFETY: as above.
unsafe impl<B: Sync, V: Sync> Sync for Columns<B, V> {}

impl<B, V> Columns<B, V> {
    pub(super) fn both(self) -> (*mut B, *mut V) {
        (self.keys, self.values)
    }

    /// # Safety
    /// Both have more than `at` elements, or as many.
    pub(super) unsafe fn behind(self, at: usize) -> Self {
        // SAFETY: the caller's.
        unsafe { Self { keys: self.keys.add(at), values: self.values.add(at) } }
    }
}

/// Uninitialised memory, which begins at a line of the processor's.
#[derive(Debug)]
pub(super) struct Memory<T> {
    lines: Vec<Line>,
    holds: PhantomData<T>,
}

impl<T> Memory<T> {
    pub(super) const fn none() -> Self {
        Self { lines: Vec::new(), holds: PhantomData }
    }

    /// Room for `len` elements; what was there before is lost.
    pub(super) fn of(&mut self, len: usize) -> Result<*mut T> {
        let bytes = len.saturating_mul(size_of::<T>());
        let lines = bytes.div_ceil(size_of::<Line>());
        if lines > self.lines.capacity() {
            self.lines = Vec::new();
            self.lines.try_reserve_exact(lines).map_err(|_| Error::OutOfMemory { bytes })?;
        }
        Ok(self.lines.as_mut_ptr().cast())
    }
}
