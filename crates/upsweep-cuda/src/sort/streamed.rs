//! Sorts of arrays in host memory, of any length.
//!
//! ```text
//! for each run k of the array:        copy it up, sort it in place; it stays on the device, or goes to host memory
//! find the cuts of all runs           (sort/cuts.cuh, or cuts.rs)
//! for each bucket k of the results:   gather its piece of each run, sort it in place, copy it down
//! ```
//!
//! The cuts are by rank, so each bucket has as many keys as a run, also if all keys are equal. Pieces lie in the order
//! of the runs, so equal keys stay in their order: zeros of both signs show it.
//!
//! Copies of a run or bucket overlap with the kernels of its neighbours (`runtime/steps.rs`). Of an array that stays on
//! the device, each key crosses the bus once in each direction, and what does not overlap is one copy up and one down.
//! Otherwise each key crosses it twice, and in both halves of the sort both directions are busy at once.

use super::cuts;
use super::kernels::Buffers;
use super::launch::{launch, types_of};
use crate::Cuda;
use crate::runtime::{HostArray, Move, Steps};
use upsweep_core::call::Unsorted;
use upsweep_core::call::sort::Cut;
use upsweep_core::error::{Error, Result};
use upsweep_core::key::Key;
use upsweep_core::memory;
use upsweep_core::outputs::{Memory, Target};
use upsweep_plan::sort::SortPlan;
use upsweep_plan::sort::streamed::{BUFFERS, StreamedPlan};
use upsweep_plan::sort::types::SortTypes;

const _: () = assert!(BUFFERS == crate::runtime::BUFFERS, "steps have as many buffers as the plan has room for");

/// Returns whether a sort into `output` is one of host memory by a device that takes it.
pub(super) fn takes<T>(cuda: &Cuda, output: &Target<'_, T>) -> bool {
    cuda.is_streamed() && matches!(output.0, Memory::Host { .. })
}

/// Returns the error of a sort of host memory that does more than to sort the keys of one array.
pub(super) fn refused() -> Error {
    let reason = "it takes keys of one line: upload the arrays, or sort on the CPU";
    Error::Options { options: "a sort of host memory by a GPU", reason }
}

/// Sorts keys in host memory into `output`, or in place, and waits for it.
pub(super) fn keys<K: Key, I>(
    cuda: &Cuda,
    input: &Unsorted<'_, K>,
    output: &Target<'_, K>,
    descending: bool,
    cut: &Cut<'_, I>,
) -> Result<()> {
    if !matches!(cut, Cut::Whole) {
        return Err(refused());
    }
    let (to, len) = output.on_host("output")?;
    let from = match input {
        Unsorted::Buffer(view) => view.on_host("input")?.as_ptr().cast_mut(),
        Unsorted::OfOutput => to,
    };
    let array = |start: *mut K| HostArray { address: start.cast(), size: size_of::<K>() };
    let types = types_of::<K>(descending, 0);
    let multiprocessors = cuda.multiprocessors() as usize;
    let scratch =
        |len: usize| SortPlan::new(len, types, true, cuda.compute_capability(), multiprocessors).scratch_bytes();
    let plan = StreamedPlan::new(len, size_of::<K>(), cuda.room()?, &scratch)?;
    if len == 0 {
        return Ok(());
    }
    let on_device = cuda.scratch::<u8>(plan.bytes())?;
    let call = Call { cuda, plan, types, on_device: on_device.address() };
    let (from, to) = (array(from), array(to));
    // SAFETY: the caller has borrowed `len` keys of the input, and of the output for this call alone. Nobody else knows
    // the device's memory, and the vector has room for `len` keys.
    unsafe {
        if plan.runs() == 1 {
            return call.sort_runs(from, Some(to));
        }
        if plan.resident {
            call.sort_runs(from, None)?;
            return call.sort_buckets(None, &call.cuts()?, to);
        }
        let mut sorted: Vec<K> = memory::room(len)?;
        let runs = array(sorted.as_mut_ptr());
        call.sort_runs(from, Some(runs))?;
        // All `len` keys have been written, and any key has the bits of a number.
        let numbers = std::slice::from_raw_parts(sorted.as_ptr().cast::<K::Bits>(), len);
        let cuts = cuts::on_host(&plan, (types.order, descending), numbers)?;
        call.sort_buckets(Some(runs), &cuts, to)
    }
}

/// Sort in host memory, without the type of its keys.
struct Call<'a> {
    cuda: &'a Cuda,
    plan: StreamedPlan,
    types: SortTypes,
    /// Address of the plan's memory on the device.
    on_device: u64,
}

impl Call<'_> {
    /// Sorts each run of `from`. The sorted runs stay on the device, and go to `to` if it is given.
    ///
    /// # Safety
    /// Both arrays have the keys of the plan, and nobody else uses them meanwhile but to read `from`.
    unsafe fn sort_runs(&self, from: HostArray, to: Option<HostArray>) -> Result<()> {
        let up = |k: usize| self.of_range(from, k, self.plan.run_at(k));
        let down = |k: usize| to.map_or_else(Vec::new, |to| self.of_range(to, k, self.plan.run_at(k)));
        // SAFETY: the arrays are good for the plan's ranges, and the device's memory is the call's own. Runs have
        // memory of their own, or buffers in turn.
        unsafe { self.run(Some(from), to, &up, &down, &mut |k| self.sort(self.plan.run_at(k), k)) }
    }

    /// Gathers the pieces of each bucket, from the runs on the device or from `runs`, sorts them, and copies them to
    /// `to`.
    ///
    /// # Safety
    /// The runs are sorted, `to` has room for all keys, and nobody else uses them meanwhile.
    unsafe fn sort_buckets(&self, runs: Option<HostArray>, cuts: &[u64], to: HostArray) -> Result<()> {
        let plan = self.plan;
        let up = |k: usize| {
            let of_piece = |array: HostArray, (first, bytes, at): (usize, usize, usize)| Move {
                host: array.address.wrapping_add(first),
                device: self.on_device + (plan.bucket_at(k) + at) as u64,
                bytes,
            };
            let of_array = |array| pieces(&plan, cuts, k).map(|piece| of_piece(array, piece)).collect();
            runs.map_or_else(Vec::new, of_array)
        };
        let down = |k: usize| self.of_range(to, k, plan.bucket_at(k));
        let mut compute = |k: usize| {
            if runs.is_none() {
                for (first, bytes, at) in pieces(&plan, cuts, k) {
                    let to = self.on_device + (plan.bucket_at(k) + at) as u64;
                    self.cuda.copy(to, self.on_device + (plan.run_at(0) + first) as u64, bytes)?;
                }
            }
            self.sort(plan.bucket_at(k), k)
        };
        // SAFETY: the pieces are in the runs, and the buckets in `to`. Buckets have buffers in turn; the runs on the
        // device are only read.
        unsafe { self.run(runs, Some(to), &up, &down, &mut compute) }
    }

    /// # Safety
    /// The conditions of [`Cuda::steps`].
    unsafe fn run(
        &self,
        from: Option<HostArray>,
        to: Option<HostArray>,
        up: &dyn Fn(usize) -> Vec<Move>,
        down: &dyn Fn(usize) -> Vec<Move>,
        compute: &mut dyn FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        let pageable =
            |array: Option<HostArray>| array.map_or(Ok(false), |array| self.cuda.is_pageable(array, self.plan.len));
        let steps = Steps { number: self.plan.runs(), up, down, pageable: [pageable(from)?, pageable(to)?] };
        // SAFETY: the caller keeps these conditions.
        unsafe { self.cuda.steps(&steps, compute) }
    }

    /// Returns the move of the keys in the range of run or bucket `k`, which are at the offset `at` on the device.
    fn of_range(&self, array: HostArray, k: usize, at: usize) -> Vec<Move> {
        let range = self.plan.range(k);
        let host = array.address.wrapping_add(range.start * array.size);
        vec![Move { host, device: self.on_device + at as u64, bytes: range.len() * array.size }]
    }

    /// Enqueues the sort of run or bucket `k`, which is at the offset `at` on the device.
    fn sort(&self, at: usize, k: usize) -> Result<()> {
        let keys = self.on_device + at as u64;
        let buffers = Buffers { keys, keys_out: keys, ..Buffers::default() };
        launch(self.cuda, self.plan.range(k).len(), self.types, true, buffers)
    }

    /// Returns the cuts of the runs on the device.
    fn cuts(&self) -> Result<Vec<u64>> {
        let Self { cuda, plan, types, on_device } = *self;
        let at = on_device + plan.cuts_at() as u64;
        cuts::on_device(cuda, &plan, types, on_device + plan.run_at(0) as u64, at)?;
        let mut cuts = memory::filled(plan.cuts(), 0u64)?;
        cuda.read_u64s(at, &mut cuts)?;
        Ok(cuts)
    }
}

/// Returns the pieces of bucket `k`, one of each run: its first byte in the array of all runs, its bytes, and its offset
/// in the bucket. `cuts` are those of all runs, as [`cuts::on_host`] returns them.
fn pieces(plan: &StreamedPlan, cuts: &[u64], k: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let (plan, runs) = (*plan, plan.runs());
    let row = |k: usize| cuts.get(k * runs..(k + 1) * runs);
    let (before, after) = (k.checked_sub(1).and_then(row), row(k));
    let mut at = 0;
    (0..runs).map(move |q| {
        let run = plan.range(q);
        let begin = before.map_or(0, |row| row[q] as usize);
        let end = after.map_or(run.len(), |row| row[q] as usize);
        let bytes = (end - begin) * plan.key;
        at += bytes;
        ((run.start + begin) * plan.key, bytes, at - bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use upsweep_core::key::KeyBits;

    /// Sorts keys as a device does, with sorts of runs and buckets by the standard library.
    fn sorted(plan: StreamedPlan, keys: &[u32]) -> Vec<u32> {
        let order = <f32 as Key>::ORDER;
        let number = |key: &u32| key.compared(order, false);
        let mut runs = keys.to_vec();
        for k in 0..plan.runs() {
            runs[plan.range(k)].sort_by_key(number);
        }
        let cuts = cuts::on_host(&plan, (order, false), &runs).unwrap();
        let mut all = Vec::new();
        for k in 0..plan.runs() {
            let mut bucket = vec![0; plan.range(k).len()];
            let mut room = bucket.len();
            for (first, bytes, at) in pieces(&plan, &cuts, k) {
                let keys = &runs[first / 4..(first + bytes) / 4];
                bucket[at / 4..][..keys.len()].copy_from_slice(keys);
                room -= keys.len();
            }
            assert_eq!(room, 0, "a bucket is full");
            bucket.sort_by_key(number);
            all.extend(bucket);
        }
        all
    }

    #[test]
    fn buckets_of_runs_are_a_stable_sort() {
        let hash = |i: usize| (i as u32).wrapping_mul(2_654_435_769) ^ (i as u32) << 13;
        for len in [1, 2, 10, 255, 256, 257, 1000] {
            for run in [1, 7, 128, 256, 300, 1000] {
                for kind in 0..5 {
                    let key = |i: usize| match kind {
                        0 => hash(i),
                        1 => (hash(i) >> 9 & 1) << 31,
                        2 => hash(i) >> 29 << 29,
                        3 => 0x3f80_0000 + i as u32,
                        _ => 0x4f80_0000 - i as u32,
                    };
                    let keys: Vec<u32> = (0..len).map(key).collect();
                    let plan = StreamedPlan { len, key: 4, run, resident: false };
                    let mut expected = keys.clone();
                    expected.sort_by_key(|key| key.compared(<f32 as Key>::ORDER, false));
                    assert!(sorted(plan, &keys) == expected, "{len} keys of kind {kind} in runs of {run}");
                }
            }
        }
    }
}
