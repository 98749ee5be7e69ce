//! Sort of an array: by digits of eight bits from the lowest on, stable.
//!
//! ```text
//! keys that are in order, or in the reverse of it, are copied
//! count every digit of all keys in one reading
//! for each digit that varies:
//!     each thread, for its part:     count the digit
//!     for each digit, part by part:  where the part's keys with it go
//!     each thread, for its part:     move each key there, and its value
//! ```

use crate::cpu::tile::digits::{Counts, DIGITS, Direct, Lines, Sink, count_all, count_one};
use crate::error::{Error, Result};
use crate::key::{Key, KeyBits};
use crate::plan::cpu::{NON_TEMPORAL_FROM_BYTES, PARALLEL_FROM_BYTES};
use std::ops::Range;

/// Fewer keys are sorted by comparisons.
const COMPARE_BELOW: usize = 1024;
/// Outputs of fewer bytes are in a core's second-level cache: keys go straight to their places.
const DIRECT_BELOW_BYTES: usize = 256 << 10;

/// The values of the input.
#[derive(Clone, Copy)]
pub(in crate::cpu::sort) enum Values<V> {
    At(*const V),
    /// What stands for a position.
    Positions(fn(usize) -> V),
}

/// One sort. Inputs are valid for reads and outputs for writes of `len` elements; input and output are the same memory, or apart.
pub(in crate::cpu::sort) struct Sort<K, V> {
    pub(in crate::cpu::sort) descending: bool,
    pub(in crate::cpu::sort) len: usize,
    pub(in crate::cpu::sort) keys: *const K,
    /// None where only the values are wanted.
    pub(in crate::cpu::sort) keys_out: Option<*mut K>,
    pub(in crate::cpu::sort) values: Values<V>,
    pub(in crate::cpu::sort) values_out: *mut V,
}

// SAFETY: a sort reads its input and writes its output, which nobody else uses in the meantime; elements are `Send` and `Sync`. Threads
// share one only to make sorts of parts that are apart.
unsafe impl<K: Sync, V: Sync> Sync for Sort<K, V> {}

/// How keys lie in the input.
enum Found {
    InOrder,
    /// Each key before the one to its left, so that none are equal.
    Reversed,
    Unsorted,
}

impl<K: Key, V: Copy + Send + Sync> Sort<K, V> {
    pub(in crate::cpu::sort) fn run(&self) -> Result<()> {
        let len = self.len;
        let in_place = self.keys_out.is_some_and(|out| out.cast_const() == self.keys);
        match self.look() {
            Found::InOrder if in_place => return Ok(()),
            Found::InOrder => {
                self.copy(self.keys_out, self.values_out);
                return Ok(());
            }
            Found::Reversed => {
                self.reverse(in_place);
                return Ok(());
            }
            Found::Unsorted => {}
        }
        if len < COMPARE_BELOW {
            self.by_comparison();
            return Ok(());
        }
        let bytes = len.saturating_mul(size_of::<K>() + size_of::<V>());
        let parts = if bytes < PARALLEL_FROM_BYTES { 1 } else { rayon::current_num_threads() };
        let descending = self.descending;
        let order = |key: K::Bits| key.ordered(K::ORDER, descending);
        // SAFETY: the input has `len` keys, which nobody writes now.
        let keys = unsafe { std::slice::from_raw_parts(self.keys.cast::<K::Bits>(), len) };
        let counts: Vec<Counts> =
            in_parts(parts, |part| count_all(keys.get(part_of(len, parts, part)).unwrap_or_default(), order));
        let varies = |digit: &usize| {
            let of_all = |d: usize| counts.iter().map(|part| part[*digit][d]).sum::<usize>();
            !(0..DIGITS).any(|d| of_all(d) == len)
        };
        let digits: Vec<usize> = (0..size_of::<K>()).filter(varies).collect();

        let mut keys_scratch = uninitialised::<K::Bits>(len)?;
        let mut values_scratch = uninitialised::<V>(len)?;
        let mut keys_of_positions = uninitialised::<K::Bits>(if self.keys_out.is_none() { len } else { 0 })?;
        let scratch = Columns { keys: keys_scratch.as_mut_ptr(), values: values_scratch.as_mut_ptr() };
        let keys_result = self.keys_out.map_or(keys_of_positions.as_mut_ptr(), |out| out.cast());
        let result = Columns { keys: keys_result, values: self.values_out };
        // The last pass ends in the result. In place, an odd number of them begins with a copy.
        let mut from = self.input();
        if in_place && digits.len() % 2 == 1 {
            self.copy(Some(scratch.keys.cast()), scratch.values);
            from = scratch;
        }
        for (turn, &digit) in digits.iter().enumerate() {
            let left = digits.len() - 1 - turn;
            let to = if left.is_multiple_of(2) { result } else { scratch };
            // The parts' counts are those of the input; with one part, of every pass.
            let known = (turn == 0 || parts == 1).then(|| counts.iter().map(|part| part[digit]).collect());
            let positions = if let (0, Values::Positions(at)) = (turn, self.values) { Some(at) } else { None };
            let pass = Pass { parts, shift: 8 * digit as u32, descending: self.descending, len, from, to, positions };
            match (turn == 0, left == 0) {
                (true, true) => pass.run::<K, true, true>(known),
                (true, false) => pass.run::<K, true, false>(known),
                (false, true) => pass.run::<K, false, true>(known),
                (false, false) => pass.run::<K, false, false>(known),
            }
            from = to;
        }
        Ok(())
    }

    #[inline(always)]
    fn order(&self, key: K::Bits) -> K::Bits {
        key.ordered(K::ORDER, self.descending)
    }

    fn input(&self) -> Columns<K::Bits, V> {
        let values = match self.values {
            Values::At(values) => values.cast_mut(),
            Values::Positions(_) => std::ptr::null_mut(),
        };
        Columns { keys: self.keys.cast_mut().cast(), values }
    }

    /// # Safety
    /// `i` is less than the length.
    #[inline(always)]
    unsafe fn key(&self, i: usize) -> K::Bits {
        // SAFETY: the caller's; a key has the size and alignment of its bits.
        self.order(unsafe { self.keys.cast::<K::Bits>().add(i).read() })
    }

    /// # Safety
    /// As [`key`](Self::key).
    #[inline(always)]
    unsafe fn value(&self, i: usize) -> V {
        match self.values {
            // SAFETY: the caller's.
            Values::At(values) => unsafe { values.add(i).read() },
            Values::Positions(at) => at(i),
        }
    }

    /// Looks at the keys up to the first that is neither in order nor in the reverse.
    fn look(&self) -> Found {
        // SAFETY: both are below the length.
        let later = |i: usize| unsafe { (self.key(i - 1), self.key(i)) };
        let all = |holds: fn((K::Bits, K::Bits)) -> bool| (1..self.len).all(|i| holds(later(i)));
        if all(|(a, b)| a <= b) {
            Found::InOrder
        } else if all(|(a, b)| a > b) {
            Found::Reversed
        } else {
            Found::Unsorted
        }
    }

    fn by_comparison(&self) {
        if let (0, Some(out)) = (size_of::<V>(), self.keys_out) {
            // SAFETY: the output has as many keys, and each is written before it is read.
            let sorted = unsafe {
                let out = out.cast::<K::Bits>();
                (0..self.len).for_each(|i| out.add(i).write(self.key(i)));
                std::slice::from_raw_parts_mut(out, self.len)
            };
            // Keys that are equal in every bit cannot be told apart.
            sorted.sort_unstable();
            sorted.iter_mut().for_each(|key| *key = key.restored(K::ORDER, self.descending));
            return;
        }
        // SAFETY: all are below the length.
        let mut pairs: Vec<_> = (0..self.len).map(|i| unsafe { (self.key(i), self.value(i)) }).collect();
        pairs.sort_by_key(|(key, _)| *key);
        for (i, (key, value)) in pairs.into_iter().enumerate() {
            // SAFETY: the outputs have as many elements, and the inputs have been read.
            unsafe {
                if let Some(out) = self.keys_out {
                    out.cast::<K::Bits>().add(i).write(key.restored(K::ORDER, self.descending));
                }
                self.values_out.add(i).write(value);
            }
        }
    }

    /// Copies the input as it is, to other memory.
    fn copy(&self, keys: Option<*mut K>, values: *mut V) {
        // SAFETY: all have as many elements, and the output is another memory than the input.
        unsafe {
            if let Some(keys) = keys {
                keys.copy_from_nonoverlapping(self.keys, self.len);
            }
            match self.values {
                Values::At(from) => values.copy_from_nonoverlapping(from, self.len),
                Values::Positions(at) => (0..self.len).for_each(|i| values.add(i).write(at(i))),
            }
        }
    }

    /// Stores the input from the last to the first.
    fn reverse(&self, in_place: bool) {
        // SAFETY: the outputs have as many elements; in place nothing else reads or writes them, and else the input is other memory.
        unsafe {
            if let (true, Some(keys)) = (in_place, self.keys_out) {
                std::slice::from_raw_parts_mut(keys, self.len).reverse();
                std::slice::from_raw_parts_mut(self.values_out, self.len).reverse();
                return;
            }
            for i in 0..self.len {
                if let Some(keys) = self.keys_out {
                    keys.add(i).write(self.keys.add(self.len - 1 - i).read());
                }
                self.values_out.add(i).write(self.value(self.len - 1 - i));
            }
        }
    }
}

/// A buffer of keys and their values, whose parts are read and written at once.
struct Columns<B, V> {
    keys: *mut B,
    values: *mut V,
}
impl<B, V> Clone for Columns<B, V> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B, V> Copy for Columns<B, V> {}

/// One pass over `len` keys and values, by the digit from bit `shift` on, in `parts` parts at once.
struct Pass<B, V> {
    parts: usize,
    shift: u32,
    descending: bool,
    len: usize,
    from: Columns<B, V>,
    to: Columns<B, V>,
    /// The values in the place of those that there are not.
    positions: Option<fn(usize) -> V>,
}

// SAFETY: a pass reads `from` and writes each place of `to` from one part alone; elements are `Send` and `Sync`.
unsafe impl<B: Send + Sync, V: Send + Sync> Sync for Pass<B, V> {}

impl<B: KeyBits, V: Copy + Send + Sync> Pass<B, V> {
    /// The FIRST pass puts keys into their order, the LAST one has their own bits again. `known` are the parts' counts.
    fn run<K: Key<Bits = B>, const FIRST: bool, const LAST: bool>(&self, known: Option<Vec<[usize; DIGITS]>>) {
        let Self { parts, len, .. } = *self;
        let order = |key: B| if FIRST { key.ordered(K::ORDER, self.descending) } else { key };
        let counted = known.unwrap_or_else(|| {
            in_parts(parts, |part| {
                let range = part_of(len, parts, part);
                // SAFETY: the part lies in the input of the pass, which nobody writes now.
                let keys = unsafe { std::slice::from_raw_parts(self.from.keys.add(range.start), range.len()) };
                count_one(keys, self.shift, order)
            })
        });
        let mut places = counted;
        let mut next = 0;
        for digit in 0..DIGITS {
            for part in &mut places {
                next += std::mem::replace(&mut part[digit], next);
            }
        }
        let bytes = len * size_of::<B>().max(size_of::<V>());
        let streams = cfg!(target_arch = "x86_64") && bytes >= NON_TEMPORAL_FROM_BYTES;
        in_parts(parts, |part| {
            let mut places = places.get(part).copied().unwrap_or([0; DIGITS]);
            let direct = Direct { keys: self.to.keys, values: self.to.values, places: &mut places };
            let range = part_of(len, parts, part);
            if bytes < DIRECT_BELOW_BYTES {
                self.push_all::<K, FIRST, LAST>(range, direct);
            } else {
                self.push_all::<K, FIRST, LAST>(range, Lines::new(direct, streams));
            }
        });
    }

    #[inline(always)]
    fn push_all<K: Key<Bits = B>, const FIRST: bool, const LAST: bool>(
        &self,
        range: Range<usize>,
        mut sink: impl Sink<B, V>,
    ) {
        for i in range {
            // SAFETY: `i` is below the length, and nobody writes there now.
            let (key, value) = unsafe {
                let value = self.positions.map_or_else(|| self.from.values.add(i).read(), |at| at(i));
                (self.from.keys.add(i).read(), value)
            };
            let key = if FIRST { key.ordered(K::ORDER, self.descending) } else { key };
            let digit = key.digit(self.shift);
            let key = if LAST { key.restored(K::ORDER, self.descending) } else { key };
            // SAFETY: the places are those of the part's keys with this digit, one after the other.
            unsafe { sink.push(digit, key, value) };
        }
        sink.finish();
    }
}

/// `of(0)`, `of(1)`, .. at once on the threads of the pool, of which the calling one is one.
pub(in crate::cpu::sort) fn in_parts<T: Send>(parts: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut results: Vec<Option<T>> = (0..parts).map(|_| None).collect();
    rayon::in_place_scope(|scope| {
        let mut work = results.iter_mut().enumerate().map(|(part, result)| {
            let of = &of;
            move || *result = Some(of(part))
        });
        let own = work.next();
        work.for_each(|mut work| scope.spawn(move |_| work()));
        own.into_iter().for_each(|mut work| work());
    });
    results.into_iter().flatten().collect()
}

/// The places of a part.
pub(in crate::cpu::sort) fn part_of(len: usize, parts: usize, part: usize) -> Range<usize> {
    let begin = |part: usize| (len as u128 * part as u128 / parts as u128) as usize;
    begin(part)..begin(part + 1)
}

/// Memory for `len` elements.
pub(in crate::cpu::sort) fn uninitialised<T>(len: usize) -> Result<Vec<T>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { bytes: len.saturating_mul(size_of::<T>()) })?;
    Ok(memory)
}
