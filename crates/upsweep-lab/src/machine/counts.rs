//! What is counted.

use std::ops::AddAssign;

/// What a step, or a whole run, did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Steps: what all threads of one block do in lockstep.
    pub steps: u64,
    /// Steps of a warp of which at least one thread took part.
    pub warp_steps: u64,
    /// Threads that took part, summed over the steps: they read, wrote, combined or shuffled.
    pub active_threads: u64,
    /// Threads that could have, summed over the steps.
    pub threads: u64,
    /// Applications of the operator.
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
    /// Barriers of a block.
    pub barriers: u64,
    /// Warp-steps in which the threads of the warp went both ways at a branch.
    pub divergent_warps: u64,
    /// Accesses of a warp, or half-warp, to shared memory that had to be repeated, each time they were.
    pub conflicts: u64,
    /// The most threads with different words of one bank in one access of a warp or half-warp; 1: no conflict.
    pub worst_degree: u64,
    /// The lecture's cost of shared memory: 2 cycles an access of a warp, times its conflict degree; so 6 for the two
    /// reads and the write of `s[a] += s[b]`. And 8 for each warp-step with padded addresses.
    pub cycles: u64,
}

impl Counts {
    /// The share of the threads that took part in a step, on average; 0 if there was none.
    #[must_use]
    pub fn activity(&self) -> f64 {
        if self.threads == 0 { 0.0 } else { self.active_threads as f64 / self.threads as f64 }
    }

    /// Words read and written in shared memory.
    #[must_use]
    pub fn shared_accesses(&self) -> u64 {
        self.shared_reads + self.shared_writes
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
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
        self.divergent_warps += other.divergent_warps;
        self.conflicts += other.conflicts;
        self.worst_degree = self.worst_degree.max(other.worst_degree);
        self.cycles += other.cycles;
    }
}
