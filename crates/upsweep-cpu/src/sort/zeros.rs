//! Zeros of floats, which are equal whatever their signs, so that each keeps its place among them.
//!
//! Keys are made of the numbers that are sorted, and so these tell zeros of one sign from those of the other: they lie one after the other
//! when all is sorted. Where there are both, the zeros of the input are then copied once more, in its order, to where they belong, with
//! their values. So a sort of other keys takes one search in its results. A sort in place, after which the input is gone, keeps its zeros
//! elsewhere meanwhile.

use super::threads::{in_parts, part_of};
use super::values::{Columns, Memory, Sort};
use upsweep_core::error::Result;
use upsweep_core::key::KeyBits;

/// The zeros of an input, in its order.
pub(super) struct Zeros {
    keys: Memory<u8>,
    values: Memory<u8>,
    number: usize,
}

/// Calls a method for keys of the sort's size, which are floats.
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
    /// The numbers of the zeros of both signs, which are neighbours; without values beside them.
    pub(super) fn zeros<B: KeyBits>(&self) -> Option<[B; 2]> {
        self.order.zeros(8 * self.key_bytes as u32).map(|zeros| zeros.map(B::of))
    }

    pub(super) fn is_in_place(&self) -> bool {
        self.keys_out.cast_const() == self.keys
    }

    /// Puts zeros in the order of the input, if there are such of both signs. All else is sorted, and the input is as it was.
    pub(super) fn order_zeros(&self) {
        if self.order.mantissa > 0 {
            of_size!(self.order_zeros_of());
        }
    }

    fn order_zeros_of<K: KeyBits>(&self) {
        if let Some(first) = self.zeros_in_results::<K>() {
            let is_zero = zero_test::<K>();
            let counts =
                in_parts(self.threads(), |part| self.share::<K>(part).iter().filter(|key| is_zero(key)).count());
            // SAFETY: as many results from the first zero on are zeros.
            unsafe { self.copy_zeros::<K>(&counts, self.results_from(first)) };
        }
    }

    /// Keeps the zeros of an input that will be overwritten, if there are such of both signs.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(super) fn keep_zeros(&self) -> Result<Option<Zeros>> {
        if self.order.mantissa == 0 || !self.is_in_place() { Ok(None) } else { of_size!(self.keep_zeros_of()) }
    }

    fn keep_zeros_of<K: KeyBits>(&self) -> Result<Option<Zeros>> {
        let (threads, is_zero, negative) = (self.threads(), zero_test::<K>(), negative_zero::<K>());
        // Most arrays have none, which `contains` tells by vectors.
        if !in_parts(threads, |part| self.share::<K>(part).contains(&negative)).contains(&true) {
            return Ok(None);
        }
        let counts = in_parts(threads, |part| {
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
        // SAFETY: it has room for as many keys and values as were counted.
        unsafe { self.copy_zeros::<K>(&counts, to) };
        Ok(Some(kept))
    }

    /// Puts zeros that were kept where they belong. All else is sorted.
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
        // SAFETY: the results have as many zeros from there on; both memories are apart, and hold what was copied to them.
        unsafe {
            to.keys.copy_from_nonoverlapping(from.0, key_bytes);
            to.values.copy_from_nonoverlapping(from.1, value_bytes);
        }
        Ok(())
    }

    /// Exchanges zeros of an array that has been reversed in place, and in which all keys differ in their bits.
    pub(super) fn exchange_zeros(&self) {
        if self.order.mantissa == 0 {
            return;
        }
        if let Some(first) = of_size!(self.zeros_in_results()) {
            let (own, next) = (self.results_from(first), self.results_from(first + 1));
            // SAFETY: there are two zeros, one of each sign; places of a buffer are apart.
            unsafe {
                std::ptr::swap_nonoverlapping(own.keys, next.keys, self.key_bytes);
                std::ptr::swap_nonoverlapping(own.values, next.values, self.value_bytes);
            }
        }
    }

    /// The place of the first zero in the results, if there are such of both signs.
    fn zeros_in_results<K: KeyBits>(&self) -> Option<usize> {
        let [one, other] = self.zeros::<K>()?;
        let first = self.results_before(one, 0);
        // Most arrays have no zero of the first kind.
        (first < self.len && self.result::<K>(first) == one).then_some(())?;
        let second = self.results_before(other, first);
        (second < self.len && self.result::<K>(second) == other).then_some(first)
    }

    /// How many results have lesser numbers, of which there are so many at least.
    fn results_before<K: KeyBits>(&self, number: K, at_least: usize) -> usize {
        let (mut low, mut high) = (at_least, self.len);
        while low < high {
            let middle = low.midpoint(high);
            (low, high) = if self.result::<K>(middle) < number { (middle + 1, high) } else { (low, middle) };
        }
        low
    }

    /// The number of a result; where positions are wanted, of the key there.
    fn result<K: KeyBits>(&self, place: usize) -> K {
        // SAFETY: results are as many as keys, and have been stored; positions are those of keys.
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

    /// The keys of a thread's share.
    fn share<K: KeyBits>(&self, part: usize) -> &[K] {
        let places = part_of(self.len, self.threads(), part);
        // SAFETY: there are as many keys, which nobody writes meanwhile.
        unsafe { std::slice::from_raw_parts(self.keys.cast::<K>().add(places.start), places.len()) }
    }

    fn results_from(&self, place: usize) -> Columns<u8, u8> {
        let keys =
            if self.keys_out.is_null() { self.keys_out } else { self.keys_out.wrapping_add(place * self.key_bytes) };
        Columns { keys, values: self.values_out.wrapping_add(place * self.value_bytes) }
    }

    /// Copies zeros, of which each share has so many, with their values, in the order of the input.
    ///
    /// # Safety
    /// There is room for so many values, and for as many keys or none at all; it is apart from the input, and nobody else uses it.
    unsafe fn copy_zeros<K: KeyBits>(&self, counts: &[usize], to: Columns<u8, u8>) {
        let (threads, is_zero) = (self.threads(), zero_test::<K>());
        in_parts(threads, |part| {
            let mut at = counts.iter().take(part).sum::<usize>();
            let (keys, values) = to.both();
            let first = part_of(self.len, threads, part).start;
            for (place, &key) in (first..).zip(self.share::<K>(part)) {
                if !is_zero(&key) {
                    continue;
                }
                // SAFETY: the caller's; the place is below the length, and that of the copy this share's.
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
