//! Instructions of the kernels (sums of `int`) by NVRTC 13.0 for `sm_90`, counted in nvdisasm's listing. An instruction
//! is issued also if its predicate is false for all threads of a warp, unless a branch jumps over it.
//!
//! Two results. Rounds with `t < size / (2 * stride)`, or a remainder, take 28 to 33 instructions in every warp, 18 of
//! them for the division: instructions bound those kernels, and padding saves turns of shared memory, no instructions.
//! Rounds that count, or ask for a bound, take 9 to 17. The swapped buffers of `double_buffered` are pairs of 64-bit
//! addresses, of which a round moves 7 words: 20 instructions, where `kogge_stone` takes 12 with one barrier more.

use crate::algorithm::{Algorithm, Computes};
use crate::machine::{Run, Step, WARP};
use crate::variant::{Loads, Mapping, Order, Padding, Writing};

/// Numbers of instructions that the warps of a compiled kernel issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Compiled {
    /// Instructions outside of loops: those of each warp, and those that the last remaining warp has in addition.
    once: [u64; 2],
    /// Instructions in a round of the loop that adds, or goes up: of each warp, and those more of a warp that works.
    up: [u64; 2],
    /// The same two numbers for a round of the loop that goes down.
    down: [u64; 2],
}

impl Compiled {
    /// Returns the instructions of an algorithm's kernel, if it is one of a single block that was counted.
    pub(super) fn of(algorithm: &Algorithm) -> Option<Self> {
        let variant = algorithm.variant;
        let (padded, halves) = (variant.padding == Padding::Padded, variant.loads == Loads::Halves);
        let of = |once, up, down| Some(Self { once, up, down });
        if algorithm.is_faulty() {
            return None;
        }
        let second = variant.writing == Writing::Second;
        match (algorithm.file, padded, halves) {
            ("kogge_stone", ..) if second => of([41, 6], [13, 0], [0, 0]),
            ("kogge_stone", ..) => of([42, 5], [12, 0], [0, 0]),
            ("double_buffered", ..) if algorithm.computes == Computes::ExclusiveScan => of([44, 15], [20, 0], [0, 0]),
            ("double_buffered", ..) if second => of([45, 7], [18, 0], [0, 0]),
            ("double_buffered", ..) => of([44, 4], [20, 0], [0, 0]),
            ("brent_kung", ..) if variant.mapping == Mapping::Modulo && second => of([49, 9], [13, 0], [13, 0]),
            ("brent_kung", ..) if variant.mapping == Mapping::Modulo => of([49, 9], [29, 0], [30, 0]),
            ("brent_kung", false, false) if second => of([62, 9], [15, 0], [14, 0]),
            ("brent_kung", true, false) if second => of([65, 10], [10, 10], [9, 10]),
            ("brent_kung", false, false) => of([59, 9], [14, 0], [13, 0]),
            ("brent_kung", false, true) => of([69, 9], [14, 0], [13, 0]),
            ("brent_kung", true, false) => of([61, 10], [10, 9], [15, 0]),
            ("brent_kung", true, true) => of([68, 10], [10, 9], [15, 0]),
            ("inverse", false, false) if second => of([57, 9], [15, 0], [17, 0]),
            ("inverse", true, false) if second => of([59, 10], [11, 9], [13, 9]),
            ("inverse", false, false) => of([57, 9], [15, 0], [11, 10]),
            ("inverse", false, true) => of([67, 9], [15, 0], [11, 10]),
            ("inverse", true, false) => of([59, 10], [10, 10], [11, 12]),
            ("inverse", true, true) => of([67, 10], [10, 10], [11, 12]),
            ("blelloch", false, false) if second => of([67, 3], [15, 0], [16, 0]),
            ("blelloch", true, false) if second => of([70, 3], [11, 9], [12, 10]),
            ("blelloch", false, false) => of([67, 3], [15, 0], [10, 10]),
            ("blelloch", false, true) => of([72, 8], [15, 0], [10, 10]),
            ("blelloch", true, false) => of([70, 3], [10, 10], [10, 12]),
            ("blelloch", true, true) => of([73, 8], [10, 10], [10, 12]),
            ("blelloch_dividing", false, _) => of([68, 3], [33, 0], [28, 9]),
            ("blelloch_dividing", true, _) => of([70, 3], [28, 10], [28, 11]),
            ("reduce_interleaved", ..) if second => of([30, 11], [13, 0], [0, 0]),
            ("reduce_interleaved", ..) => of([30, 11], [29, 0], [0, 0]),
            ("reduce_strided", false, _) if second => of([43, 8], [14, 0], [0, 0]),
            ("reduce_strided", true, _) if second => of([45, 8], [16, 0], [0, 0]),
            ("reduce_strided", false, _) => of([43, 11], [14, 0], [0, 0]),
            ("reduce_strided", true, _) => of([45, 11], [9, 10], [0, 0]),
            ("reduce_sequential", ..) if variant.order == Order::Elements => of([36, 11], [11, 0], [0, 0]),
            ("reduce_sequential", ..) => of([30, 11], [11, 0], [0, 0]),
            ("reduce_unrolled", ..) if variant.order == Order::Elements => of([37, 61], [11, 0], [0, 0]),
            ("reduce_unrolled", ..) => of([31, 61], [11, 0], [0, 0]),
            ("reduce_shuffle", ..) => of([40, 27], [0, 0], [0, 0]),
            _ => None,
        }
    }

    /// Returns the accesses to shared memory by warps without a thread at work: if no branch of a round skips them.
    pub(super) fn idle(&self, run: &Run, threads: usize) -> f64 {
        let warps = threads.div_ceil(WARP) as u64;
        let of = |step: &Step| {
            let working = match step.label {
                "add" | "up" => self.up[1],
                "down" => self.down[1],
                _ => return 0.0,
            };
            let counts = &step.counts;
            if working > 0 || counts.warp_steps == 0 {
                return 0.0;
            }
            let each = (counts.turns - counts.conflicts) as f64 / counts.warp_steps as f64;
            each * warps.saturating_sub(counts.warp_steps) as f64
        };
        run.steps.iter().map(of).sum()
    }

    /// Returns the instructions of a block that takes a run's steps: of all warps, and of one that works to the end.
    pub(super) fn issued(&self, run: &Run, threads: usize) -> [f64; 2] {
        let warps = threads.div_ceil(WARP) as u64;
        let mut all = warps * self.once[0] + self.once[1];
        let mut one = self.once[0] + self.once[1];
        for step in &run.steps {
            let [each, working] = match step.label {
                "add" | "up" => self.up,
                "down" => self.down,
                _ => continue,
            };
            all += warps * each + step.counts.warp_steps * working;
            one += each + working;
        }
        [all as f64, one as f64]
    }
}
