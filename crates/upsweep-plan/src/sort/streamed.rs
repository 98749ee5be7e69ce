//! Plans of sorts of arrays in host memory by a CUDA device: runs, buckets and the device's memory.
//!
//! The array is cut into runs, which the device sorts one after the other. Then it is cut into as many buckets, by rank:
//! bucket `k` has the keys whose ranks in the whole array are in `k * run .. (k + 1) * run`. So a bucket is exactly as
//! large as a run, whatever the keys are, and consists of one piece of each run.

use upsweep_core::error::{Error, Result};

/// Number of buffers that runs and buckets take in turn: one is copied up, one sorted, and one copied down.
pub const BUFFERS: usize = 3;
/// Number of runs that an array is cut into, if they are neither too short nor too long: then the copies of the first
/// and of the last one, which overlap with no copy in the other direction, take little of the time.
const WANTED_RUNS: usize = 16;
/// Bounds of the bytes of a run. A shorter one takes about as long for its launches and copies as for its keys; a longer
/// one gains nothing.
const LEAST_BYTES: usize = 64 << 20;
const MOST_BYTES: usize = 512 << 20;
/// Largest number of runs whose keys stay on the device: each bucket takes a copy of a piece of each run.
const MOST_RUNS: usize = 512;
/// Number of runs that are wanted at most if their keys go back to the host: a piece is then copied over the bus.
const WANTED_PIECES: usize = 128;
/// Runs are multiples of this number of keys, so that each begins at a multiple of 256 bytes.
const UNIT: usize = 256;
/// Bytes of a cut on the device: its place, and two bounds of it while it is searched for.
const CUT_BYTES: usize = 24;

/// Plan of a sort of an array in host memory by a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamedPlan {
    /// Number of keys.
    pub len: usize,
    /// Bytes of a key.
    pub key: usize,
    /// Number of keys of a run, and of a bucket; the last ones may have fewer.
    pub run: usize,
    /// Whether all keys stay on the device until the buckets are made; else sorted runs go back to the host.
    pub resident: bool,
}

impl StreamedPlan {
    /// Plans a sort of `len` keys of `key` bytes by a device of which `room` bytes may be used. `scratch` returns the
    /// bytes of scratch memory that the device takes to sort a number of keys in place.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] with the least number of bytes that would do, when `room` has fewer.
    pub fn new(len: usize, key: usize, room: usize, scratch: &dyn Fn(usize) -> usize) -> Result<Self> {
        let bytes = len.saturating_mul(key);
        let keys = |bytes: usize| (bytes / key).next_multiple_of(UNIT);
        let plan = |run: usize, resident: bool| Self { len, key, run, resident };
        let fits = |plan: &Self| plan.bytes().saturating_add(scratch(plan.run.min(len))) <= room;
        let halves = |run: usize| {
            std::iter::successors(Some(run), |run| (*run > UNIT).then(|| (run / 2).next_multiple_of(UNIT)))
        };
        let wanted = keys((bytes / WANTED_RUNS).clamp(LEAST_BYTES, MOST_BYTES));
        let few = |plan: &Self| plan.runs() <= MOST_RUNS;
        let resident = halves(wanted).map(|run| plan(run, true)).take_while(few).find(fits);
        let wanted = keys((bytes / WANTED_PIECES).max(MOST_BYTES));
        let several = |plan: &Self| plan.runs() > 1;
        let found = resident.or_else(|| halves(wanted).map(|run| plan(run, false)).filter(several).find(fits));
        // A single run stays on the device.
        let least = || [len, UNIT].map(|run| plan(run, run >= len).bytes() + scratch(run.min(len)));
        found.ok_or_else(|| Error::OutOfMemory { bytes: least().into_iter().min().unwrap_or(0) })
    }

    /// Returns the number of runs, which is the number of buckets, too.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.len.div_ceil(self.run.max(1))
    }

    /// Returns the range of the keys of run `k`, or of the ranks of bucket `k`.
    #[must_use]
    pub fn range(&self, k: usize) -> std::ops::Range<usize> {
        (k * self.run).min(self.len)..((k + 1) * self.run).min(self.len)
    }

    /// Returns the offset in the device's memory of the keys of run `k`.
    #[must_use]
    pub fn run_at(&self, k: usize) -> usize {
        if self.resident { k * self.run * self.key } else { self.buffer_at(k) }
    }

    /// Returns the offset in the device's memory of the keys of bucket `k`. A single run is the bucket itself.
    #[must_use]
    pub fn bucket_at(&self, k: usize) -> usize {
        if self.runs() <= 1 { self.run_at(k) } else { self.buffer_at(k) }
    }

    /// Returns the offset in the device's memory of the numbers by which runs that stay on the device are cut.
    #[must_use]
    pub fn cuts_at(&self) -> usize {
        self.buffer_at(0) + if self.runs() > 1 { BUFFERS * self.run * self.key } else { 0 }
    }

    /// Returns the number of places of cuts: one in each run, after each bucket but the last.
    #[must_use]
    pub fn cuts(&self) -> usize {
        self.runs().saturating_sub(1) * self.runs()
    }

    /// Returns the bytes of the device's memory, without the scratch of a sort.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.cuts_at() + if self.resident { CUT_BYTES * self.cuts() } else { 0 }
    }

    fn buffer_at(&self, k: usize) -> usize {
        let first = if self.resident { (self.len * self.key).next_multiple_of(UNIT) } else { 0 };
        first + k % BUFFERS * self.run * self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(len: usize) -> usize {
        4 * len + 4096
    }

    #[test]
    fn an_array_that_fits_stays_on_the_device() {
        let plan = StreamedPlan::new(1 << 32, 4, 24_000_000_000, &scratch).unwrap();
        assert_eq!((plan.run, plan.resident, plan.runs()), (1 << 27, true, 32));
        assert!(plan.bytes() + scratch(plan.run) < 20_000_000_000);
        let plan = StreamedPlan::new(1 << 33, 4, 24_000_000_000, &scratch).unwrap();
        assert!(!plan.resident && plan.bytes() + scratch(plan.run) < 24_000_000_000);
        // A single run is sorted where it is.
        let plan = StreamedPlan::new(1000, 4, 24_000, &scratch).unwrap();
        assert_eq!((plan.resident, plan.runs(), plan.bytes(), plan.bucket_at(0)), (true, 1, 4096, 0));
        assert_eq!(StreamedPlan::new(0, 4, 1 << 20, &scratch).unwrap().runs(), 0);
    }

    #[test]
    fn plans_take_no_more_than_their_room() {
        for len in [0, 1, 255, 256, 257, 5000, 100_000, 1_000_003, 1 << 31] {
            for key in [1, 2, 4, 8, 16] {
                for room in [0, 1 << 12, 1 << 14, 1 << 16, 1 << 20, 1 << 24, 1 << 33, len * key + (1 << 17)] {
                    match StreamedPlan::new(len, key, room, &scratch) {
                        Err(error) => {
                            let single = (len * key).next_multiple_of(256) + scratch(len);
                            let several = if len > UNIT { 3 * UNIT * key + scratch(UNIT) } else { single };
                            let bytes = single.min(several);
                            assert_eq!(error, Error::OutOfMemory { bytes });
                            assert!(room < bytes, "{len} keys of {key} bytes in {room}");
                        }
                        Ok(plan) => {
                            assert!(plan.bytes() + scratch(plan.run.min(len)) <= room, "{plan:?}");
                            let ends: Vec<_> = (0..plan.runs()).map(|k| plan.range(k)).collect();
                            assert!(ends.windows(2).all(|two| two[0].end == two[1].start && two[0].len() == plan.run));
                            assert_eq!(ends.iter().map(ExactSizeIterator::len).sum::<usize>(), len);
                            // Runs that stay are apart from the buffers, and buffers from each other.
                            let buffers: Vec<_> = (0..BUFFERS).map(|k| plan.buffer_at(k)).collect();
                            assert!(!plan.resident || buffers[0] >= len * key);
                            assert!(buffers.windows(2).all(|two| two[1] - two[0] == plan.run * key));
                            assert!(plan.runs() <= 1 || plan.cuts_at() == buffers[2] + plan.run * key);
                            assert!((plan.run * key).is_multiple_of(256) && plan.cuts_at().is_multiple_of(8));
                        }
                    }
                }
            }
        }
    }
}
