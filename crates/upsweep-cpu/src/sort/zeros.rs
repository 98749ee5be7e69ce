//! Stable order of the zeros of floats, which are equal whatever their signs.
//!
//! Keys are restored from the sorted numbers, so the numbers must distinguish -0 from +0. The sort puts all zeros of
//! one sign before those of the other. If both signs occur, the zeros of the input are then copied once more, with
//! their values, in input order, to the results. If not, this costs one binary search in the results. A sort in place
//! overwrites its input, and saves the zeros in scratch memory first.

use super::values::{Columns, Memory, Sort};
use crate::engine::apart::{fork, forked, part_of};
use upsweep_core::error::Result;
use upsweep_core::key::KeyBits;

/// Copy of the zeros of an input, in input order.
pub(super) struct Zeros {
    keys: Memory<u8>,
    values: Memory<u8>,
    number: usize,
}

/// Calls a method of the sort with the unsigned type of the size of its float keys.
macro_rules! of_size {
    ($sort:ident.$method:ident($($argument:expr),*)) => {
        match $sort.key_bytes {
            2 => $sort.$method::<u16>($($argument),*),
            4 => $sort.$method::<u32>($($argument),*),
            _ => $sort.$method::<u64>($($argument),*),
        }
    };
}

impl Sort {
    /// Returns the numbers (keys as unsigned integers in the order of the sort) of the zeros of both signs, which are
    /// adjacent. Packed values are not part of them.
    pub(super) fn zeros<B: KeyBits>(&self) -> Option<[B; 2]> {
        self.order.zeros(8 * self.key_bytes as u32).map(|zeros| zeros.map(B::of))
    }

    pub(super) fn is_in_place(&self) -> bool {
        self.keys_out.cast_const() == self.keys
    }

    /// Restores the input order of zeros in the results, if both signs occur. All else is sorted, and the input is
    /// unchanged.
    pub(super) fn order_zeros(&self) {
        if self.order.mantissa > 0 {
            of_size!(self.order_zeros_of());
        }
    }

    fn order_zeros_of<K: KeyBits>(&self) {
        if let Some(first) = self.zeros_in_results::<K>() {
            let is_zero = zero_test::<K>();
            let counts =
                forked(self.threads(), &|part| self.share::<K>(part).iter().filter(|key| is_zero(key)).count());
            // SAFETY: the results from the first zero on have room for all zeros of the input, and are disjoint from
            // it.
            unsafe { self.copy_zeros::<K>(&counts, self.results_from(first)) };
        }
    }

    /// Saves the zeros of an input that will be overwritten, if both signs occur.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(super) fn keep_zeros(&self) -> Result<Option<Zeros>> {
        if self.order.mantissa == 0 || !self.is_in_place() { Ok(None) } else { of_size!(self.keep_zeros_of()) }
    }

    fn keep_zeros_of<K: KeyBits>(&self) -> Result<Option<Zeros>> {
        let (threads, is_zero, negative) = (self.threads(), zero_test::<K>(), negative_zero::<K>());
        // Most arrays have no negative zero: `contains` finds that with vector instructions.
        if !forked(threads, &|part| self.share::<K>(part).contains(&negative)).contains(&true) {
            return Ok(None);
        }
        let counts = forked(threads, &|part| {
            let zeros = || self.share::<K>(part).iter().filter(|key| is_zero(key));
            (zeros().count(), zeros().filter(|&&key| key == negative).count())
        });
        let (counts, negative): (Vec<usize>, Vec<usize>) = counts.into_iter().unzip();
        let number = counts.iter().sum();
        if number == negative.into_iter().sum() {
            return Ok(None);
        }
        let mut kept = Zeros { keys: Memory::none(), values: Memory::none(), number };
        let to = Columns {
            keys: kept.keys.of(number * size_of::<K>())?,
            values: kept.values.of(number.saturating_mul(self.value_bytes))?,
        };
        // SAFETY: `to` has room for all keys and values that were counted.
        unsafe { self.copy_zeros::<K>(&counts, to) };
        Ok(Some(kept))
    }

    /// Copies the saved zeros of `kept` to their indices in the results, which are sorted otherwise.
    pub(super) fn put_zeros(&self, kept: Option<Zeros>) -> Result<()> {
        if let Some(kept) = kept {
            of_size!(self.put_zeros_of(kept))?;
        }
        Ok(())
    }

    fn put_zeros_of<K: KeyBits>(&self, Zeros { mut keys, mut values, number }: Zeros) -> Result<()> {
        let Some(first) = self.zeros_in_results::<K>() else { return Ok(()) };
        let (key_bytes, value_bytes) = (number * size_of::<K>(), number * self.value_bytes);
        let (from, to) = ((keys.of(key_bytes)?, values.of(value_bytes)?), self.results_from(first));
        // SAFETY: the results have `number` zeros from `first` on. The copies are in other memory, and hold that many
        // keys and values.
        unsafe {
            to.keys.copy_from_nonoverlapping(from.0, key_bytes);
            to.values.copy_from_nonoverlapping(from.1, value_bytes);
        }
        Ok(())
    }

    /// Swaps the two zeros of an array that has been reversed in place, in which all keys differ in their bits.
    pub(super) fn exchange_zeros(&self) {
        if self.order.mantissa == 0 {
            return;
        }
        if let Some(first) = of_size!(self.zeros_in_results()) {
            let (own, next) = (self.results_from(first), self.results_from(first + 1));
            // SAFETY: there are two adjacent zeros, one of each sign, which are disjoint in memory.
            unsafe {
                std::ptr::swap_nonoverlapping(own.keys, next.keys, self.key_bytes);
                std::ptr::swap_nonoverlapping(own.values, next.values, self.value_bytes);
            }
        }
    }

    /// Returns the index of the first zero in the results, if zeros of both signs occur in them.
    fn zeros_in_results<K: KeyBits>(&self) -> Option<usize> {
        let [one, other] = self.zeros::<K>()?;
        let first = self.results_before(one, 0);
        // Most arrays have no zero of the sign that comes first in the results.
        (first < self.len && self.result::<K>(first) == one).then_some(())?;
        let second = self.results_before(other, first);
        (second < self.len && self.result::<K>(second) == other).then_some(first)
    }

    /// Returns the number of results that are less than `number`, by a binary search among the results from index
    /// `at_least` on.
    fn results_before<K: KeyBits>(&self, number: K, at_least: usize) -> usize {
        let (mut low, mut high) = (at_least, self.len);
        while low < high {
            let middle = low.midpoint(high);
            (low, high) = if self.result::<K>(middle) < number { (middle + 1, high) } else { (low, middle) };
        }
        low
    }

    /// Returns the key of the result at index `place` as a number. If the results are positions only, it is the key at
    /// this position of the input.
    fn result<K: KeyBits>(&self, place: usize) -> K {
        // SAFETY: there are `self.len` results, which have been stored, and positions are below `self.len`.
        let key = unsafe {
            if !self.keys_out.is_null() {
                self.keys_out.cast::<K>().add(place).read()
            } else if self.value_bytes == 4 {
                self.keys.cast::<K>().add(self.values_out.cast::<u32>().add(place).read() as usize).read()
            } else {
                self.keys.cast::<K>().add(self.values_out.cast::<u64>().add(place).read() as usize).read()
            }
        };
        key.ordered(self.order, self.descending)
    }

    /// Returns the keys of share `part`: the input is divided equally among the threads.
    fn share<K: KeyBits>(&self, part: usize) -> &[K] {
        let places = part_of(self.len, self.threads(), part);
        // SAFETY: the indices `places` are below `self.len`, and nobody writes the keys meanwhile.
        unsafe { std::slice::from_raw_parts(self.keys.cast::<K>().add(places.start), places.len()) }
    }

    fn results_from(&self, place: usize) -> Columns<u8, u8> {
        let keys =
            if self.keys_out.is_null() { self.keys_out } else { self.keys_out.wrapping_add(place * self.key_bytes) };
        Columns { keys, values: self.values_out.wrapping_add(place * self.value_bytes) }
    }

    /// Copies all zeros of the input with their values to `to`, in input order. `counts` has the number of zeros in the
    /// share of each thread.
    ///
    /// # Safety
    /// `to` has room for the sum of `counts` values and keys, or its keys are null. It is disjoint from the input, and
    /// nobody else uses it.
    unsafe fn copy_zeros<K: KeyBits>(&self, counts: &[usize], to: Columns<u8, u8>) {
        let (threads, is_zero) = (self.threads(), zero_test::<K>());
        fork(threads, &|part| {
            let mut at = counts.iter().take(part).sum::<usize>();
            let (keys, values) = to.both();
            let first = part_of(self.len, threads, part).start;
            for (place, &key) in (first..).zip(self.share::<K>(part)) {
                if !is_zero(&key) {
                    continue;
                }
                // SAFETY: `place` is below the length. `at` is an index in `to` that only this thread uses, and `to`
                // has room for all zeros.
                unsafe {
                    if !keys.is_null() {
                        keys.cast::<K>().add(at).write(key);
                    }
                    let (bytes, value) = (self.value_bytes, values.add(at * self.value_bytes));
                    match bytes {
                        4 if self.values.is_null() => value.cast::<u32>().write(place as u32),
                        _ if self.values.is_null() && bytes > 0 => value.cast::<u64>().write(place as u64),
                        _ => value.copy_from_nonoverlapping(self.values.add(place * bytes), bytes),
                    }
                }
                at += 1;
            }
        });
    }
}

fn negative_zero<K: KeyBits>() -> K {
    K::of(1 << (K::BITS - 1))
}

fn zero_test<K: KeyBits>() -> impl Fn(&K) -> bool + Copy + Sync {
    let negative = negative_zero::<K>();
    move |&key| key == K::default() || key == negative
}
