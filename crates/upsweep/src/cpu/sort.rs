//! Sort on the CPU: by digits of eight bits from the lowest on, stable.
//!
//! ```text
//! count every digit of all keys in one reading, and whether they are in order already
//! for each digit that varies:
//!     each thread, for its part:     count the digit
//!     for each digit, part by part:  where the part's keys with it go
//!     each thread, for its part:     move each key there, by way of a line for each digit
//! ```
//!
//! 256 places of the output are written at once, more than a processor keeps open. So each digit has a line in the first-level
//! cache, which goes out as a whole, past the cache where the output is large. Values follow their keys.

use super::tile::store;
use crate::buffer::View;
use crate::error::{Error, Result};
use crate::job::{Elements, Target};
use crate::key::{Index, Key, KeyBits};
use crate::operator::Element;
use crate::plan::cpu::{NON_TEMPORAL_FROM_BYTES, PARALLEL_FROM_BYTES};
use std::mem::MaybeUninit;

const DIGITS: usize = 256;
const LINE_BYTES: usize = 64;
/// Fewer keys are sorted by comparisons.
const COMPARE_BELOW: usize = 512;

/// Sorts keys into `output`, or where they are.
pub(crate) fn keys<K: Key>(input: &Elements<'_, K>, output: &Target<'_, K>, descending: bool) -> Result<()> {
    let (keys, keys_out, len) = buffers("input", input, output)?;
    let values = Values::At(std::ptr::dangling::<()>());
    Sort { descending, len, keys, keys_out: Some(keys_out), values, values_out: std::ptr::dangling_mut() }.run()
}

/// Sorts values by keys.
pub(crate) fn pairs<K: Key, V: Element>(
    (keys, values): (&Elements<'_, K>, &Elements<'_, V>),
    (keys_out, values_out): (&Target<'_, K>, &Target<'_, V>),
    descending: bool,
) -> Result<()> {
    let (keys, keys_out, len) = buffers("keys", keys, keys_out)?;
    let (values, values_out, _) = buffers("values", values, values_out)?;
    Sort { descending, len, keys, keys_out: Some(keys_out), values: Values::At(values), values_out }.run()
}

/// Sorts the positions of keys by these.
pub(crate) fn indices<K: Key, I: Index>(keys: &View<'_, K>, output: &Target<'_, I>, descending: bool) -> Result<()> {
    let (keys, (values_out, len)) = (keys.on_host("input")?.as_ptr(), output.on_host()?);
    Sort { descending, len, keys, keys_out: None, values: Values::Positions(I::at), values_out }.run()
}

/// Where elements are, where results go, and how many.
fn buffers<T: Element>(
    what: &'static str,
    input: &Elements<'_, T>,
    output: &Target<'_, T>,
) -> Result<(*const T, *mut T, usize)> {
    let (to, len) = output.on_host()?;
    let from = match input {
        Elements::Buffer(view) => view.on_host(what)?.as_ptr(),
        Elements::OfOutput => to.cast_const(),
    };
    Ok((from, to, len))
}

/// The values of the input.
#[derive(Clone, Copy)]
enum Values<V> {
    At(*const V),
    /// What stands for a position.
    Positions(fn(usize) -> V),
}

/// One sort. Inputs are valid for reads and outputs for writes of `len` elements; input and output are the same memory, or apart.
struct Sort<K, V> {
    descending: bool,
    len: usize,
    keys: *const K,
    /// None where only the values are wanted.
    keys_out: Option<*mut K>,
    values: Values<V>,
    values_out: *mut V,
}

/// Memory that parallel parts of a call read, and write where no other part does.
struct Shared<T>(*mut T);
impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}
// SAFETY: see the struct; elements are `Send` and `Sync`.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

/// A buffer of keys and their values.
#[derive(Clone, Copy)]
struct Columns<B, V> {
    keys: Shared<B>,
    values: Shared<V>,
}

/// How many keys of one part have each value of each digit.
type Counts = Vec<[usize; DIGITS]>;

impl<K: Key, V: Copy + Send + Sync> Sort<K, V> {
    fn run(&self) -> Result<()> {
        let Self { len, .. } = *self;
        let in_place = self.keys_out.is_some_and(|out| out.cast_const() == self.keys);
        if len < COMPARE_BELOW {
            self.by_comparison();
            return Ok(());
        }
        let bytes = len.saturating_mul(size_of::<K>() + size_of::<V>());
        let parts = if bytes < PARALLEL_FROM_BYTES { 1 } else { rayon::current_num_threads() };
        let (counts, sorted) = self.count(parts);
        let varies = |digit: &usize| {
            let alike = |d: usize| counts.iter().map(|part| part[*digit][d]).sum::<usize>() == len;
            !(0..DIGITS).any(alike)
        };
        let digits: Vec<usize> = if sorted { Vec::new() } else { (0..size_of::<K>()).filter(varies).collect() };
        if digits.is_empty() {
            if !in_place {
                self.copy(self.keys_out.unwrap_or(std::ptr::null_mut()), self.values_out);
            }
            return Ok(());
        }
        let mut keys_scratch = uninitialised::<K::Bits>(len)?;
        let mut values_scratch = uninitialised::<V>(len)?;
        let mut keys_result = uninitialised::<K::Bits>(if self.keys_out.is_none() { len } else { 0 })?;
        let scratch = Columns {
            keys: Shared(keys_scratch.as_mut_ptr()),
            values: Shared(values_scratch.as_mut_ptr()),
        };
        let result = Columns {
            keys: Shared(self.keys_out.map_or(keys_result.as_mut_ptr(), |out| out.cast())),
            values: Shared(self.values_out),
        };
        let input = Columns {
            keys: Shared(self.keys.cast_mut().cast()),
            values: Shared(match self.values {
                Values::At(values) => values.cast_mut(),
                Values::Positions(_) => std::ptr::null_mut(),
            }),
        };
        // The last pass ends in the result. In place, an odd number of them begins with a copy.
        let mut from = input;
        if in_place && digits.len() % 2 == 1 {
            self.copy(scratch.keys.0.cast(), scratch.values.0);
            from = scratch;
        }
        for (turn, &digit) in digits.iter().enumerate() {
            let left = digits.len() - 1 - turn;
            let to = if left % 2 == 0 { result } else { scratch };
            // The parts' counts are those of the input; with one part, of every pass.
            let known = (turn == 0 || parts == 1).then(|| counts.iter().map(|part| part[digit]).collect());
            let pass = Pass { shift: 8 * digit as u32, descending: self.descending, len };
            let positions = if let (0, Values::Positions(at)) = (turn, self.values) { Some(at) } else { None };
            match (turn == 0, left == 0) {
                (true, true) => pass.run::<K, V, true, true>(parts, known, from, to, positions),
                (true, false) => pass.run::<K, V, true, false>(parts, known, from, to, positions),
                (false, true) => pass.run::<K, V, false, true>(parts, known, from, to, positions),
                (false, false) => pass.run::<K, V, false, false>(parts, known, from, to, positions),
            }
            from = to;
        }
        Ok(())
    }

    fn order(&self, key: K::Bits) -> K::Bits {
        key.to_order(K::ORDER, self.descending)
    }

    /// # Safety
    /// `i` is less than the length.
    unsafe fn key(&self, i: usize) -> K::Bits {
        // SAFETY: the caller's; a key has the size and alignment of its bits.
        unsafe { self.keys.cast::<K::Bits>().add(i).read() }
    }

    /// # Safety
    /// As [`key`](Self::key).
    unsafe fn value(&self, i: usize) -> V {
        match self.values {
            // SAFETY: the caller's.
            Values::At(values) => unsafe { values.add(i).read() },
            Values::Positions(at) => at(i),
        }
    }

    fn by_comparison(&self) {
        // SAFETY: all are below the length.
        let mut pairs: Vec<_> = (0..self.len).map(|i| unsafe { (self.order(self.key(i)), self.value(i)) }).collect();
        pairs.sort_by_key(|(key, _)| *key);
        for (i, (key, value)) in pairs.into_iter().enumerate() {
            // SAFETY: the outputs have as many elements, and the inputs have been read.
            unsafe {
                if let Some(out) = self.keys_out {
                    out.cast::<K::Bits>().add(i).write(key.from_order(K::ORDER, self.descending));
                }
                self.values_out.add(i).write(value);
            }
        }
    }

    /// Copies the input as it is. Keys go nowhere where `keys` is null.
    fn copy(&self, keys: *mut K, values: *mut V) {
        // SAFETY: all have as many elements, and the output is another memory than the input.
        unsafe {
            if !keys.is_null() {
                keys.copy_from_nonoverlapping(self.keys, self.len);
            }
            match self.values {
                Values::At(from) => values.copy_from_nonoverlapping(from, self.len),
                Values::Positions(at) => (0..self.len).for_each(|i| values.add(i).write(at(i))),
            }
        }
    }

    /// Counts each digit, by part, and finds out whether the keys are in order.
    fn count(&self, parts: usize) -> (Vec<Counts>, bool) {
        let (len, descending, keys) = (self.len, self.descending, Shared(self.keys.cast_mut().cast::<K::Bits>()));
        let mut counted: Vec<(Counts, bool)> = (0..parts).map(|_| (vec![[0; DIGITS]; size_of::<K>()], true)).collect();
        rayon::in_place_scope(|scope| {
            for (part, (counts, sorted)) in counted.iter_mut().enumerate() {
                spawn_unless_last(scope, part + 1 == parts, move || {
                    let range = part_of(len, parts, part);
                    // SAFETY: the range lies within the input, which nobody writes now.
                    let keys = unsafe { std::slice::from_raw_parts({ keys }.0.add(range.start), range.len()) };
                    let order = |key: K::Bits| key.to_order(K::ORDER, descending);
                    // SAFETY: there is a key before the part.
                    let mut before = if part > 0 { order(unsafe { *keys.as_ptr().sub(1) }) } else { K::Bits::default() };
                    for &key in keys {
                        let key = order(key);
                        *sorted &= before <= key;
                        before = key;
                        for (digit, counts) in counts.iter_mut().enumerate() {
                            counts[key.digit(8 * digit as u32)] += 1;
                        }
                    }
                });
            }
        });
        let sorted = counted.iter().all(|(_, sorted)| *sorted);
        (counted.into_iter().map(|(counts, _)| counts).collect(), sorted)
    }
}

/// One pass over all keys, by the digit from bit `shift` on.
#[derive(Clone, Copy)]
struct Pass {
    shift: u32,
    descending: bool,
    len: usize,
}

impl Pass {
    /// Moves keys and values, in `parts` parts at once. The FIRST pass puts keys into their order, the LAST one has their own bits
    /// again. `known` are the parts' counts; `positions` are the values in the place of those that there are not.
    fn run<K: Key, V: Copy + Send + Sync, const FIRST: bool, const LAST: bool>(
        self,
        parts: usize,
        known: Option<Vec<[usize; DIGITS]>>,
        from: Columns<K::Bits, V>,
        to: Columns<K::Bits, V>,
        positions: Option<fn(usize) -> V>,
    ) {
        let mut places = known.unwrap_or_else(|| self.counts::<K, FIRST>(parts, from.keys));
        let mut next = 0;
        for digit in 0..DIGITS {
            for part in &mut places {
                next += std::mem::replace(&mut part[digit], next);
            }
        }
        let streams = cfg!(target_arch = "x86_64") && self.len * size_of::<K>() >= NON_TEMPORAL_FROM_BYTES;
        rayon::in_place_scope(|scope| {
            for (part, places) in places.iter_mut().enumerate() {
                spawn_unless_last(scope, part + 1 == parts, move || {
                    let mut lines = Lines::<K::Bits, V>::new(to, places, streams);
                    for i in part_of(self.len, parts, part) {
                        // SAFETY: `i` is below the length, and nobody writes there now.
                        let (key, value) = unsafe {
                            let value = match positions {
                                Some(at) => at(i),
                                None => { from }.values.0.add(i).read(),
                            };
                            ({ from }.keys.0.add(i).read(), value)
                        };
                        let key = if FIRST { key.to_order(K::ORDER, self.descending) } else { key };
                        let digit = key.digit(self.shift);
                        let key = if LAST { key.from_order(K::ORDER, self.descending) } else { key };
                        // SAFETY: the places are those of the part's keys with this digit, one after the other.
                        unsafe { lines.push(digit, key, value) };
                    }
                    lines.finish();
                });
            }
        });
    }

    fn counts<K: Key, const FIRST: bool>(self, parts: usize, keys: Shared<K::Bits>) -> Vec<[usize; DIGITS]> {
        let mut counts = vec![[0; DIGITS]; parts];
        rayon::in_place_scope(|scope| {
            for (part, counts) in counts.iter_mut().enumerate() {
                spawn_unless_last(scope, part + 1 == parts, move || {
                    for i in part_of(self.len, parts, part) {
                        // SAFETY: `i` is below the length, and nobody writes there now.
                        let key = unsafe { { keys }.0.add(i).read() };
                        let key = if FIRST { key.to_order(K::ORDER, self.descending) } else { key };
                        counts[key.digit(self.shift)] += 1;
                    }
                });
            }
        });
        counts
    }
}

/// A line for each digit on its way to the output: as many keys as have 64 bytes, and their values.
struct Lines<'a, B, V> {
    keys: Vec<Line>,
    values: Vec<MaybeUninit<V>>,
    to: Columns<B, V>,
    /// Where the next key of a digit goes, and where its first one went.
    places: &'a mut [usize; DIGITS],
    begins: [usize; DIGITS],
    /// Of the first place in its line.
    skew: usize,
    streams: bool,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([MaybeUninit<u8>; LINE_BYTES]);

impl<'a, B: KeyBits, V: Copy> Lines<'a, B, V> {
    const LEN: usize = LINE_BYTES / size_of::<B>();

    fn new(to: Columns<B, V>, places: &'a mut [usize; DIGITS], streams: bool) -> Self {
        let begins = *places;
        let keys = vec![Line([MaybeUninit::uninit(); LINE_BYTES]); DIGITS];
        let values = vec![MaybeUninit::uninit(); DIGITS * Self::LEN];
        Self { keys, values, to, places, begins, skew: to.keys.0.addr() / size_of::<B>() % Self::LEN, streams }
    }

    /// # Safety
    /// The digit is one, and its place is in the output and nobody else's.
    #[inline(always)]
    unsafe fn push(&mut self, digit: usize, key: B, value: V) {
        // SAFETY: there are as many places as digits, and as many elements in their lines.
        unsafe {
            let next = self.places.get_unchecked_mut(digit);
            let place = *next;
            *next = place + 1;
            let in_line = (place + self.skew) % Self::LEN;
            self.keys.as_mut_ptr().add(digit).cast::<B>().add(in_line).write(key);
            self.values.as_mut_ptr().add(digit * Self::LEN + in_line).write(MaybeUninit::new(value));
            if in_line == Self::LEN - 1 {
                self.flush(digit, place + 1);
            }
        }
    }

    /// Stores what the line of a digit holds before place `end`.
    ///
    /// # Safety
    /// As [`push`](Self::push).
    #[inline(always)]
    unsafe fn flush(&self, digit: usize, end: usize) {
        let line_begin = (end - 1 + self.skew) / Self::LEN * Self::LEN;
        let begin = line_begin.saturating_sub(self.skew).max(self.begins[digit]);
        let (in_line, len) = (begin + self.skew - line_begin, end - begin);
        // SAFETY: the line holds so many elements, whose places are in the output.
        unsafe {
            let keys = self.keys.as_ptr().add(digit).cast::<B>().add(in_line);
            store(self.to.keys.0.add(begin), keys, len, self.streams);
            let values = self.values.as_ptr().add(digit * Self::LEN + in_line).cast::<V>();
            store(self.to.values.0.add(begin), values, len, self.streams);
        }
    }

    fn finish(self) {
        for digit in 0..DIGITS {
            let end = self.places[digit];
            if end > self.begins[digit] && (end + self.skew) % Self::LEN > 0 {
                // SAFETY: these keys have been pushed.
                unsafe { self.flush(digit, end) };
            }
        }
        store::fence();
    }
}

/// Copies `len` elements, by stores past the cache where it is asked for and they are whole lines.
///
/// # Safety
/// Both are valid for `len` elements and apart. Until [`store::fence`] nobody reads what is written.
#[inline(always)]
unsafe fn store<T: Copy>(to: *mut T, from: *const T, len: usize, streams: bool) {
    #[cfg(target_arch = "x86_64")]
    if streams && len * size_of::<T>() % LINE_BYTES == 0 && to.addr() % LINE_BYTES == 0 && size_of::<T>() > 0 {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        for i in 0..len * size_of::<T>() / 16 {
            // SAFETY: SSE2 is part of the x86-64 baseline; the caller's elements have these bytes, the output's aligned.
            unsafe { _mm_stream_si128(to.cast::<__m128i>().add(i), _mm_loadu_si128(from.cast::<__m128i>().add(i))) };
        }
        return;
    }
    // SAFETY: the caller's.
    unsafe { to.copy_from_nonoverlapping(from, len) };
}

/// Runs `work` on another thread of the pool, or, the last one, on this.
fn spawn_unless_last<'scope>(scope: &rayon::Scope<'scope>, last: bool, work: impl FnOnce() + Send + 'scope) {
    if last {
        work();
    } else {
        scope.spawn(|_| work());
    }
}

/// The places of a part.
fn part_of(len: usize, parts: usize, part: usize) -> std::ops::Range<usize> {
    let begin = |part: usize| (len as u128 * part as u128 / parts as u128) as usize;
    begin(part)..begin(part + 1)
}

/// Memory for `len` elements.
fn uninitialised<T>(len: usize) -> Result<Vec<T>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { bytes: len.saturating_mul(size_of::<T>()) })?;
    Ok(memory)
}
