//! What is sorted, by sizes alone: so that each kind of sort is compiled once, in this library.

use super::pages::prefer_large;
use crate::cpu::tile::digits::{Line, store_lines};
use crate::error::{Error, Result};
use crate::key::{KeyBits, KeyOrder};
use crate::plan::cpu::SortLimits;
use std::marker::PhantomData;
use std::ops::Range;

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
    /// The values from place `first` on, as [`load`](Self::load) does.
    ///
    /// # Safety
    /// The places are valid for reads.
    unsafe fn load_all(from: *const u8, first: usize, bytes: usize, to: &mut [Self]);
    /// Stores values side by side, as [`store`](Self::store) does.
    ///
    /// # Safety
    /// The places are valid for writes.
    unsafe fn store_all(values: &[Self], to: *mut u8, bytes: usize);
    /// The position `i`, which it holds.
    fn position(i: usize) -> Self;
}

impl Moved for () {
    unsafe fn load_all(_: *const u8, _: usize, _: usize, _: &mut [Self]) {}
    unsafe fn store_all(_: &[Self], _: *mut u8, _: usize) {}
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
        unsafe fn load_all(from: *const u8, first: usize, bytes: usize, to: &mut [Self]) {
            // A loop for each size that is known.
            let load = |bytes: usize, to: &mut [Self]| {
                for (i, to) in to.iter_mut().enumerate() {
                    // SAFETY: the caller's.
                    *to = unsafe { Self::load(from, first + i, bytes) };
                }
            };
            if bytes == size_of::<Self>() {
                return load(size_of::<Self>(), to);
            }
            load(bytes, to);
        }
        unsafe fn store_all(values: &[Self], to: *mut u8, bytes: usize) {
            for (i, value) in values.iter().enumerate() {
                // SAFETY: the caller's.
                unsafe { value.store(to, i, bytes) };
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

    /// The numbers of the keys from `first` on.
    ///
    /// # Safety
    /// There are so many.
    pub(super) unsafe fn load_numbers(&self, first: usize, to: &mut [B]) {
        // SAFETY: the caller's.
        let keys = unsafe { std::slice::from_raw_parts(self.keys.add(first), to.len()) };
        for (to, key) in to.iter_mut().zip(keys) {
            *to = key.ordered(self.order, self.descending);
        }
    }

    /// The values from `first` on.
    ///
    /// # Safety
    /// There are so many.
    pub(super) unsafe fn load_values<V: Moved>(&self, first: usize, to: &mut [V]) {
        if self.values.is_null() {
            for (i, to) in to.iter_mut().enumerate() {
                *to = V::position(first + i);
            }
            return;
        }
        // SAFETY: the caller's.
        unsafe { V::load_all(self.values, first, self.value_bytes, to) };
    }

    /// Stores the results from place `at` on; with `streams` past the cache, so that nobody reads them before the thread has called
    /// [`fence`](crate::cpu::tile::store::fence).
    ///
    /// # Safety
    /// `from` and the results have `len` elements, which nobody else uses, and are apart.
    pub(super) unsafe fn store_all<V: Moved>(&self, at: usize, from: Columns<B, V>, len: usize, streams: bool) {
        let (mut keys, mut values) = (Block::new(B::default()), Block::new(0u64));
        // SAFETY: the caller's.
        unsafe {
            if !self.keys_out.is_null() {
                let to = self.keys_out.add(at);
                in_blocks(to.cast(), size_of::<B>(), len, |places| {
                    let (numbers, keys) =
                        (std::slice::from_raw_parts(from.keys.add(places.start), places.len()), keys.first(places.len()));
                    for (key, number) in keys.iter_mut().zip(numbers) {
                        *key = number.restored(self.order, self.descending);
                    }
                    let bytes = size_of_val(keys);
                    store_lines(to.add(places.start).cast(), keys.as_ptr().cast(), bytes, streams);
                });
            }
            if size_of::<V>() == 0 {
                return;
            }
            let to = self.values_out.add(at * self.value_bytes);
            in_blocks(to, self.value_bytes, len, |places| {
                let narrow: *mut u8 = values.first(places.len()).as_mut_ptr().cast();
                let wide = std::slice::from_raw_parts(from.values.add(places.start), places.len());
                V::store_all(wide, narrow, self.value_bytes);
                store_lines(to.add(places.start * self.value_bytes), narrow, places.len() * self.value_bytes, streams);
            });
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

/// Elements that are on their way at once.
pub(super) const BLOCK: usize = 256;

/// Room for some elements, in the first-level cache.
#[repr(C, align(64))]
pub(super) struct Block<T>([T; BLOCK]);

impl<T: Copy> Block<T> {
    pub(super) fn new(value: T) -> Self {
        Self([value; BLOCK])
    }

    /// The first `len` of them, which are no more than there are.
    #[inline(always)]
    pub(super) fn first(&mut self, len: usize) -> &mut [T] {
        self.0.get_mut(..len).unwrap_or_default()
    }
}

/// Calls `of` for places below `len`, as many at a time as a block has, so that all but the first begin at a line of the memory `to`
/// if elements of so many bytes allow that.
#[inline(always)]
fn in_blocks(to: *mut u8, bytes: usize, len: usize, mut of: impl FnMut(Range<usize>)) {
    let skew = to.addr() / bytes.max(1) % BLOCK;
    let (mut begin, mut end) = (0, (BLOCK - skew).min(len));
    while begin < end {
        of(begin..end);
        (begin, end) = (end, (end + BLOCK).min(len));
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
            prefer_large(self.lines.as_mut_ptr().cast(), bytes);
        }
        Ok(self.lines.as_mut_ptr().cast())
    }
}
