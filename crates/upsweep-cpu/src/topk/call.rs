//! Operands of a call, without the types of keys.

use super::keys::Keys;
use crate::engine::apart;
use upsweep_core::error::Result;
use upsweep_core::key::{Key, KeyBits, KeyOrder};
use upsweep_plan::cpu::PARALLEL_FROM_BYTES;

/// Type-erased operands of a call: keys by their size alone, and outputs.
pub(super) struct Call<B> {
    keys: *const B,
    len: usize,
    order: KeyOrder,
    descending: bool,
    /// Bits of a result for which a segment has no key.
    pub(super) instead: B,
    outputs: Outputs<B>,
}

// SAFETY: threads read the keys, which are `Sync`.
unsafe impl<B: Sync + Send> Sync for Call<B> {}

impl<B: KeyBits> Call<B> {
    pub(super) fn new<K: Key<Bits = B>>(keys: &[K], descending: bool, instead: Option<K>, outputs: Outputs<B>) -> Self {
        // SAFETY: a key has the bits of its `Bits`, of the same size.
        let instead = instead.map(|key| unsafe { std::mem::transmute_copy::<K, B>(&key) }).unwrap_or_default();
        Self { keys: keys.as_ptr().cast(), len: keys.len(), order: K::ORDER, descending, instead, outputs }
    }

    /// Returns the same call with keys of type `C`, which is the same type as `B`.
    pub(super) fn of_bits<C>(&self) -> Call<C> {
        let Self { keys, len, order, descending, instead, outputs: Outputs { values, places, place_bytes } } = *self;
        Call {
            keys: keys.cast(),
            len,
            order,
            descending,
            // SAFETY: both are one type.
            instead: unsafe { std::mem::transmute_copy::<B, C>(&instead) },
            outputs: Outputs { values: values.cast(), places, place_bytes },
        }
    }

    /// Returns the keys from `begin` on, with `alone` in one part for the calling thread.
    pub(super) fn keys(&self, begin: usize, len: usize, alone: bool) -> Keys<'_, B> {
        // SAFETY: the call borrows the keys `begin .. begin + len`.
        let bits = unsafe { std::slice::from_raw_parts(self.keys.add(begin), len) };
        self.with_bits(bits, alone)
    }

    pub(super) fn with_bits<'a>(&self, bits: &'a [B], alone: bool) -> Keys<'a, B> {
        let parts = if alone || size_of_val(bits) < PARALLEL_FROM_BYTES { 1 } else { rayon::current_num_threads() };
        Keys { bits, order: self.order, descending: self.descending, parts }
    }

    /// Calls `work` for each of `count` tasks on disjoint keys: `keys_of` is how many these are. The second argument is
    /// whether the task is the calling thread's alone.
    pub(super) fn each(
        &self,
        count: usize,
        keys_of: impl Fn(usize) -> usize + Sync,
        work: impl Fn(usize, bool) -> Result<()> + Sync,
    ) -> Result<()> {
        let many = self.len * size_of::<B>() >= PARALLEL_FROM_BYTES;
        apart::run_uneven(count, (self.len, many), &keys_of, &work)
    }

    /// Stores `results`, which are keys and their indices, from output index `first` on.
    ///
    /// # Safety
    /// The outputs that are not null have room for `results` from `first` on, which no other thread writes.
    pub(super) unsafe fn store(&self, first: usize, results: &[(B, usize)]) {
        let Outputs { values, places, place_bytes } = self.outputs;
        for (i, &(key, at)) in results.iter().enumerate() {
            // SAFETY: the outputs have room for all results from `first` on, which no other thread writes.
            unsafe {
                if !values.is_null() {
                    values.add(first + i).write(key);
                }
                if !places.is_null() && place_bytes == size_of::<u32>() {
                    places.cast::<u32>().add(first + i).write(at as u32);
                } else if !places.is_null() {
                    places.cast::<u64>().add(first + i).write(at as u64);
                }
            }
        }
    }
}

/// Outputs of a call, null if they are not wanted.
#[derive(Clone, Copy)]
pub(super) struct Outputs<B> {
    pub(super) values: *mut B,
    pub(super) places: *mut u8,
    pub(super) place_bytes: usize,
}

// SAFETY: the pointers are those of a call, which borrows the outputs exclusively for as long as it runs. Each result
// is written by one thread.
unsafe impl<B: Send> Sync for Outputs<B> {}
