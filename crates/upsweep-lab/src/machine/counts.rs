//! Counts of a run.

use std::ops::AddAssign;

/// Counts of a step, or of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Steps of a warp in which at least one thread took part.
    pub warp_steps: u64,
    /// Threads that took part, summed over the steps: they read, wrote, combined, shuffled or kept something.
    pub active_threads: u64,
    /// Threads of the block, active or not, summed over the steps.
    pub threads: u64,
    /// Applications of the operator, and comparisons and additions of counts: the work.
    pub operations: u64,
    /// Words read from shared memory.
    pub shared_reads: u64,
    /// Words written to shared memory.
    pub shared_writes: u64,
    /// Words read from global memory.
    pub global_reads: u64,
    /// Words written to global memory.
    pub global_writes: u64,
    /// Values taken from another thread's register.
    pub shuffles: u64,
    /// Barriers that blocks passed.
    pub barriers: u64,
    /// Branches at which the threads of a warp diverged, counted in each round of a loop.
    pub divergent_branches: u64,
    /// Accesses of a warp, or half-warp, to shared memory that had to be repeated, counted each time.
    pub conflicts: u64,
    /// Largest number of threads with different words of one bank in one access of a warp or half-warp; 1: no conflict.
    pub worst_degree: u64,
    /// Cycles of shared memory by the lecture's rule: 2 cycles an access of a warp, times its conflict degree; so 6 for
    /// the two reads and the write of `s[a] += s[b]`. And 8 for each warp-step with padded addresses.
    pub cycles: u64,
    /// Turns of shared memory: the sum of the degrees of all accesses of a warp or half-warp.
    pub turns: u64,
    /// Lines of 32 words that the accesses of warps to global memory touch: 1 an access, if neighbours read neighbours.
    pub lines: u64,
}

impl Counts {
    /// Share of the threads that took part in a step, on average; 0 without threads.
    #[must_use]
    pub fn activity(&self) -> f64 {
        if self.threads == 0 { 0.0 } else { self.active_threads as f64 / self.threads as f64 }
    }

    /// Number of words read and written in shared memory.
    #[must_use]
    pub fn shared_accesses(&self) -> u64 {
        self.shared_reads + self.shared_writes
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.warp_steps += other.warp_steps;
        self.active_threads += other.active_threads;
        self.threads += other.threads;
        self.operations += other.operations;
        self.shared_reads += other.shared_reads;
        self.shared_writes += other.shared_writes;
        self.global_reads += other.global_reads;
        self.global_writes += other.global_writes;
        self.shuffles += other.shuffles;
        self.barriers += other.barriers;
        self.divergent_branches += other.divergent_branches;
        self.conflicts += other.conflicts;
        self.worst_degree = self.worst_degree.max(other.worst_degree);
        self.cycles += other.cycles;
        self.turns += other.turns;
        self.lines += other.lines;
    }
}

/// Critical path: operations and cycles on the longest chain, however many blocks run at the same time. A block's steps
/// follow each other, and so do launches; a block that waits for a flag goes on after the step that set it. Loads and
/// stores ([`Step::is_transfer`](super::Step::is_transfer)) take no time here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Operations: the depth. A step counts those of the thread that has most of them.
    pub operations: u64,
    /// Cycles of shared memory. A step counts those of all warps of the block, which share it.
    pub cycles: u64,
}

impl Span {
    /// Returns the larger number of operations and the larger number of cycles of the two chains.
    pub(super) fn max(self, other: Self) -> Self {
        Self { operations: self.operations.max(other.operations), cycles: self.cycles.max(other.cycles) }
    }
}
