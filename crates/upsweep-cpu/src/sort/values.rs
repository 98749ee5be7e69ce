//! Type-erased arguments of a sort, and its loads, stores and scratch memory.
//!
//! Keys and values are known by their sizes alone, so each kind of sort is compiled once, in this library.

use crate::tile::digits::{Line, store_lines};
use crate::tile::windows::{PAGE, fetch};
use std::marker::PhantomData;
use std::ops::Range;
use upsweep_core::error::Result;
use upsweep_core::key::{KeyBits, KeyOrder};
use upsweep_core::memory;
use upsweep_plan::cpu::SortLimits;

/// Value that is moved with a number, in memory of its own: nothing, or a value that does not fit in the number's lower
/// half.
pub(super) trait Moved: Copy + Default + Send + Sync {
    /// Converts `value`, a value in 64 bits, to a moved value. For `()` that is nothing.
    fn of(value: u64) -> Self;
    /// Returns the value in 64 bits, or 0 for `()`.
    fn value(self) -> u64;
}
impl Moved for () {
    fn of(_: u64) {}
    fn value(self) -> u64 {
        0
    }
}
impl Moved for u64 {
    #[inline(always)]
    fn of(value: u64) -> Self {
        value
    }
    #[inline(always)]
    fn value(self) -> u64 {
        self
    }
}

/// Arguments of a sort. Inputs are valid for reads and outputs for writes of `len` elements (keys, and values if there
/// are any). Input and output are the same memory, or disjoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sort {
    pub(super) order: KeyOrder,
    pub(super) descending: bool,
    pub(super) len: usize,
    pub(super) keys: *const u8,
    /// Null if only the values are stored. Otherwise the output of keys.
    pub(super) keys_out: *mut u8,
    pub(super) key_bytes: usize,
    /// Null if the values are the positions of the keys. Otherwise the input of values.
    pub(super) values: *const u8,
    pub(super) values_out: *mut u8,
    /// Bytes of a value, at most eight.
    pub(super) value_bytes: usize,
    pub(super) limits: SortLimits,
}

// SAFETY: a sort reads its input and writes its output, which nobody else uses in the meantime. Elements are `Send` and
// `Sync`. Threads write disjoint results.
unsafe impl Sync for Sort {}
// SAFETY: nobody else uses the buffers during the sort, and elements are `Send`.
unsafe impl Send for Sort {}

impl Sort {
    /// Whether a number `B`, by which a key is sorted, has the key in its upper half and the value in its lower half
    /// (packed).
    fn packs<B>(&self) -> bool {
        self.value_bytes > 0 && self.key_bytes < size_of::<B>()
    }

    /// Returns the number of low bits of a number that are not part of the key.
    pub(super) fn below<B: KeyBits>(&self) -> u32 {
        if self.packs::<B>() { B::BITS / 2 } else { 0 }
    }

    /// Returns the bytes of half a number, if keys and values are halves of one and their buffers are aligned for that.
    pub(super) fn halves<B>(&self) -> Option<usize> {
        let bytes = size_of::<B>() / 2;
        let buffers = [self.keys, self.values];
        let whole = buffers.iter().all(|buffer| !buffer.is_null() && buffer.addr().is_multiple_of(bytes));
        (self.key_bytes == bytes && self.value_bytes == bytes && whole).then_some(bytes)
    }

    /// Whether the order of the sort is that of the keys' bits as unsigned integers.
    fn is_plain(&self) -> bool {
        !self.order.signed && !self.descending
    }

    /// Borrows `len` keys from index `first` on as numbers, if the keys in memory are ordered as unsigned integers
    /// already.
    ///
    /// # Safety
    /// There are `len` keys from `first` on, which nobody writes meanwhile.
    pub(super) unsafe fn plain_numbers<B: KeyBits>(&self, first: usize, len: usize) -> Option<&[B]> {
        let plain = self.is_plain() && self.key_bytes == size_of::<B>();
        // SAFETY: there are `len` keys from `first` on, and a key has the size of a number.
        plain.then(|| unsafe { std::slice::from_raw_parts(self.keys.cast::<B>().add(first), len) })
    }

    /// Returns the output of keys, if it can hold numbers: there are no values, and keys are as wide as numbers.
    pub(super) fn output_has_room<B>(&self) -> Option<*mut B> {
        let to = self.keys_out.cast::<B>();
        (self.value_bytes == 0 && self.key_bytes == size_of::<B>() && to.is_aligned()).then_some(to)
    }

    /// Loads the keys from index `first` on as numbers, into `to`. Values packed in the lower halves of numbers are
    /// loaded if `with_values`; otherwise these halves are zero.
    ///
    /// # Safety
    /// There are `to.len()` elements from `first` on.
    pub(super) unsafe fn load_numbers<B: KeyBits>(&self, first: usize, to: &mut [B], with_values: bool) {
        // SAFETY: there are `to.len()` elements from `first` on, and a key has `key_bytes` bytes.
        unsafe {
            match self.halves::<B>() {
                Some(4) if with_values => return self.load_halves::<u32, B>(first, to),
                Some(8) if with_values => return self.load_halves::<u64, B>(first, to),
                _ => {}
            }
            match self.key_bytes {
                1 => self.load_keys::<u8, B>(first, to),
                2 => self.load_keys::<u16, B>(first, to),
                4 => self.load_keys::<u32, B>(first, to),
                8 => self.load_keys::<u64, B>(first, to),
                _ => self.load_keys::<u128, B>(first, to),
            }
            if self.packs::<B>() && !with_values {
                to.iter_mut().for_each(|to| *to = to.beside(0));
            } else if self.packs::<B>() {
                self.each_value(first, to.len(), |i, value| {
                    // SAFETY: `i` is below `to.len()`.
                    let to = to.get_unchecked_mut(i);
                    *to = to.beside(value);
                });
            }
        }
    }

    /// Loads keys of type `K` from index `first` on as numbers: unsigned integers in the order of the sort.
    ///
    /// # Safety
    /// There are `to.len()` keys from `first` on, and a key has the size of `K`.
    unsafe fn load_keys<K: KeyBits, B: KeyBits>(&self, first: usize, to: &mut [B]) {
        // SAFETY: there are `to.len()` keys from `first` on, and a key has the size of `K`.
        let keys = unsafe { std::slice::from_raw_parts(self.keys.cast::<K>().add(first), to.len()) };
        for (to, key) in to.iter_mut().zip(keys) {
            *to = B::of(key.ordered(self.order, self.descending).wide());
        }
    }

    /// Loads keys and values of type `H` from index `first` on, as numbers with the key in the upper half.
    ///
    /// # Safety
    /// There are `to.len()` elements from `first` on, and keys and values have the size and alignment of `H`.
    unsafe fn load_halves<H: KeyBits, B: KeyBits>(&self, first: usize, to: &mut [B]) {
        // SAFETY: there are `to.len()` elements from `first` on. `halves` has checked sizes and alignment.
        unsafe {
            let keys = std::slice::from_raw_parts(self.keys.cast::<H>().add(first), to.len());
            let values = std::slice::from_raw_parts(self.values.cast::<H>().add(first), to.len());
            for ((to, key), value) in to.iter_mut().zip(keys).zip(values) {
                *to = B::of(key.ordered(self.order, self.descending).wide()).beside(value.wide() as u64);
            }
        }
    }

    /// Loads the values from index `first` on into `to`.
    ///
    /// # Safety
    /// There are `to.len()` elements from `first` on.
    pub(super) unsafe fn load_values<V: Moved>(&self, first: usize, to: &mut [V]) {
        if size_of::<V>() > 0 {
            // SAFETY: there are `to.len()` values from `first` on, and `i` is below `to.len()`.
            unsafe { self.each_value(first, to.len(), |i, value| *to.get_unchecked_mut(i) = V::of(value)) };
        }
    }

    /// Calls `of` for `len` values from index `first` on, with the offset of each from `first`.
    ///
    /// # Safety
    /// There are `len` elements from `first` on.
    #[inline(always)]
    unsafe fn each_value(&self, first: usize, len: usize, mut of: impl FnMut(usize, u64)) {
        let (from, bytes) = (self.values, self.value_bytes);
        if from.is_null() {
            (0..len).for_each(|i| of(i, (first + i) as u64));
            return;
        }
        macro_rules! each {
            ($t:ty) => {
                for i in 0..len {
                    // SAFETY: there are `len` values from `first` on, of the size of `$t`.
                    of(i, u64::from(unsafe { from.cast::<$t>().add(first + i).read_unaligned() }));
                }
            };
        }
        match bytes {
            1 => each!(u8),
            2 => each!(u16),
            4 => each!(u32),
            8 => each!(u64),
            _ => {
                for i in 0..len {
                    let mut value = [0; 8];
                    // SAFETY: there are `len` values from `first` on, of less than eight bytes.
                    unsafe { value.as_mut_ptr().copy_from_nonoverlapping(from.add((first + i) * bytes), bytes) };
                    of(i, u64::from_le_bytes(value));
                }
            }
        }
    }

    /// Stores the first `len` elements of `from` as results from index `at` on. With `streams` they are stored past the
    /// cache: nobody reads them before the thread has called [`fence`](crate::tile::store::fence).
    ///
    /// # Safety
    /// `from`, and the results from `at` on, have `len` elements. They are disjoint, and nobody else uses the results.
    pub(super) unsafe fn store<B: KeyBits, V: Moved>(&self, at: usize, from: Columns<B, V>, len: usize, streams: bool) {
        // SAFETY: there are `len` elements in `from`, and `len` results from `at` on. A key has `key_bytes` bytes.
        unsafe {
            let numbers = std::slice::from_raw_parts(from.keys, len);
            if !self.keys_out.is_null() {
                match self.key_bytes {
                    1 => self.store_keys::<u8, B>(at, numbers, streams),
                    2 => self.store_keys::<u16, B>(at, numbers, streams),
                    4 => self.store_keys::<u32, B>(at, numbers, streams),
                    8 => self.store_keys::<u64, B>(at, numbers, streams),
                    _ => self.store_keys::<u128, B>(at, numbers, streams),
                }
            }
            if self.packs::<B>() {
                self.store_values(at, len, streams, |i| numbers.get_unchecked(i).lower_half());
            } else if self.value_bytes > 0 {
                self.store_values(at, len, streams, |i| from.values.add(i).read().value());
            }
        }
    }

    /// Turns numbers back into the keys that they were made from, in place. Keys are as wide as numbers.
    pub(super) fn restore<B: KeyBits>(&self, numbers: &mut [B]) {
        if !self.is_plain() {
            numbers.iter_mut().for_each(|number| *number = number.restored(self.order, self.descending));
        }
    }

    /// Stores the keys of `numbers`, of type `K`, as results from index `at` on.
    ///
    /// # Safety
    /// There are `numbers.len()` results from `at` on, which nobody else uses, and a key has the size of `K`. For
    /// `streams` see [`store`](Self::store).
    unsafe fn store_keys<K: KeyBits, B: KeyBits>(&self, at: usize, numbers: &[B], streams: bool) {
        let (mut keys, below) = (Block::new(K::default()), self.below::<B>());
        // SAFETY: there are `numbers.len()` results from `at` on.
        let to = unsafe { self.keys_out.add(at * size_of::<K>()) };
        in_blocks(to, size_of::<K>(), numbers.len(), |places| {
            let keys = keys.first(places.len());
            for (key, number) in keys.iter_mut().zip(numbers.get(places.clone()).unwrap_or_default()) {
                *key = K::of(number.above(below).wide()).restored(self.order, self.descending);
            }
            // SAFETY: there are `numbers.len()` results from `at` on, which nobody else uses.
            unsafe {
                store_lines(to.add(places.start * size_of::<K>()), keys.as_ptr().cast(), size_of_val(keys), streams)
            };
        });
    }

    /// Stores `value(0)` to `value(len - 1)` as the values of the results from index `at` on.
    ///
    /// # Safety
    /// There are `len` results from `at` on, which nobody else uses. `value` is called with indices below `len`. For
    /// `streams` see [`store`](Self::store).
    #[inline(always)]
    unsafe fn store_values(&self, at: usize, len: usize, streams: bool, value: impl Fn(usize) -> u64) {
        let (bytes, mut narrow) = (self.value_bytes, Block::new(0u64));
        let narrow: *mut u8 = narrow.first(BLOCK).as_mut_ptr().cast();
        // SAFETY: there are `len` results from `at` on.
        let to = unsafe { self.values_out.add(at * bytes) };
        in_blocks(to, bytes, len, |places| {
            macro_rules! store {
                ($t:ty) => {
                    for (to, i) in places.clone().enumerate() {
                        // SAFETY: a block has room for this number of values of eight bytes.
                        unsafe { narrow.cast::<$t>().add(to).write(value(i) as $t) };
                    }
                };
            }
            match bytes {
                1 => store!(u8),
                2 => store!(u16),
                4 => store!(u32),
                8 => store!(u64),
                _ => {
                    for (to, i) in places.clone().enumerate() {
                        // SAFETY: a block has room for this number of values of eight bytes, and these are shorter.
                        unsafe {
                            narrow.add(to * bytes).copy_from_nonoverlapping(value(i).to_le_bytes().as_ptr(), bytes);
                        }
                    }
                }
            }
            // SAFETY: there are `len` results from `at` on, which nobody else uses.
            unsafe { store_lines(to.add(places.start * bytes), narrow, places.len() * bytes, streams) };
        });
    }

    /// Returns the bytes of `len` elements, each a number `B` and a moved value `V`.
    pub(super) fn bytes<B, V>(len: usize) -> usize {
        len.saturating_mul(size_of::<B>() + size_of::<V>())
    }

    pub(super) fn threads(&self) -> usize {
        let bytes = self.len.saturating_mul(self.key_bytes + self.value_bytes);
        if bytes < self.limits.parallel_from { 1 } else { self.limits.threads }
    }
}

/// Numbers and their values in scratch memory, or in an output that can hold them.
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
// SAFETY: threads that share columns access disjoint elements.
unsafe impl<B: Send, V: Send> Send for Columns<B, V> {}
// SAFETY: threads that share columns access disjoint elements.
unsafe impl<B: Sync, V: Sync> Sync for Columns<B, V> {}

impl<B, V> Columns<B, V> {
    pub(super) fn both(self) -> (*mut B, *mut V) {
        (self.keys, self.values)
    }

    /// Returns the columns without their first `at` elements.
    ///
    /// # Safety
    /// The columns of keys and of values have at least `at` elements.
    pub(super) unsafe fn behind(self, at: usize) -> Self {
        // SAFETY: both columns have at least `at` elements.
        unsafe { Self { keys: self.keys.add(at), values: self.values.add(at) } }
    }
}

/// Number of elements in a block, which is loaded or stored at once.
pub(super) const BLOCK: usize = 256;

/// Buffer of a block of elements, which stays in the first-level cache.
#[repr(C, align(64))]
pub(super) struct Block<T>([T; BLOCK]);

impl<T: Copy> Block<T> {
    pub(super) fn new(value: T) -> Self {
        Self([value; BLOCK])
    }

    /// Returns the first `len` elements of the buffer; none if `len` is greater than `BLOCK`.
    #[inline(always)]
    pub(super) fn first(&mut self, len: usize) -> &mut [T] {
        self.0.get_mut(..len).unwrap_or_default()
    }
}

/// Buffer of a block of numbers, and buffer of a block of their values.
pub(super) struct Blocks<B, V>(pub(super) Block<B>, pub(super) Block<V>);

impl<B: KeyBits, V: Moved> Blocks<B, V> {
    pub(super) fn new() -> Self {
        Self(Block::new(B::default()), Block::new(V::default()))
    }

    /// Loads `len` elements of the input from index `first` on, at most [`BLOCK`]. Returns the columns of the loaded
    /// elements.
    ///
    /// # Safety
    /// There are `len` elements from `first` on.
    pub(super) unsafe fn load(&mut self, sort: &Sort, first: usize, len: usize) -> Columns<B, V> {
        let (numbers, values) = (self.0.first(len), self.1.first(len));
        // SAFETY: there are `len` elements from `first` on.
        unsafe {
            sort.load_numbers(first, numbers, true);
            sort.load_values(first, values);
        }
        Columns { keys: numbers.as_mut_ptr(), values: values.as_mut_ptr() }
    }

    /// Reverses the first `len` numbers, and the first `len` values.
    pub(super) fn reverse(&mut self, len: usize) {
        self.0.first(len).reverse();
        self.1.first(len).reverse();
    }
}

/// Calls `of` for the indices below `len`, a range of at most a block at a time. All calls but the first begin at a
/// cache line of the memory `to`, if elements of `bytes` bytes allow that.
#[inline(always)]
fn in_blocks(to: *mut u8, bytes: usize, len: usize, mut of: impl FnMut(Range<usize>)) {
    let skew = to.addr() / bytes.max(1) % BLOCK;
    let (mut begin, mut end) = (0, (BLOCK - skew).min(len));
    while begin < end {
        of(begin..end);
        (begin, end) = (end, (end + BLOCK).min(len));
    }
}

/// Prefetches the elements of `bytes` bytes that lie one page after those at `places` in `memory`: the hardware
/// prefetcher stops at the end of a page.
#[inline(always)]
pub(super) fn fetch_ahead(memory: *const u8, places: Range<usize>, bytes: usize) {
    fetch(memory.wrapping_add(places.start * bytes + PAGE), places.len() * bytes);
}

/// Splits a range of indices into ranges of at most [`BLOCK`] indices.
pub(super) fn blocks(places: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    places.clone().step_by(BLOCK).map(move |begin| begin..places.end.min(begin + BLOCK))
}

/// Uninitialised scratch memory, aligned to a cache line.
#[derive(Debug)]
pub(super) struct Memory<T> {
    lines: Vec<Line>,
    holds: PhantomData<T>,
}

impl<T> Memory<T> {
    pub(super) const fn none() -> Self {
        Self { lines: Vec::new(), holds: PhantomData }
    }

    /// Returns memory for `len` elements, newly allocated if there is too little. Earlier contents are lost.
    pub(super) fn of(&mut self, len: usize) -> Result<*mut T> {
        let bytes = len.saturating_mul(size_of::<T>());
        let lines = bytes.div_ceil(size_of::<Line>());
        if lines > self.lines.capacity() {
            self.lines = Vec::new();
            memory::reserve(&mut self.lines, lines)?;
        }
        Ok(self.lines.as_mut_ptr().cast())
    }
}
