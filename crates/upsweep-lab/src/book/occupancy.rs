//! Occupancy of a multiprocessor, and the number of warps that hides the latency of memory: the lecture's arithmetic.

/// Limits of the multiprocessors of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Name of the GPU.
    pub name: &'static str,
    /// Largest number of threads that are resident on a multiprocessor.
    pub threads: u64,
    /// Largest number of blocks that are resident on a multiprocessor.
    pub blocks: u64,
    /// Number of registers of a multiprocessor.
    pub registers: u64,
    /// Number of bytes of shared memory of a multiprocessor.
    pub shared: u64,
    /// Granularity in which registers are allocated to a warp (or, on the G80, to a block).
    pub granule: u64,
    /// Largest number of threads of a block.
    pub block: u64,
    /// Number of bytes of shared memory that the system reserves in each block.
    pub reserved: u64,
    /// Number of warp schedulers of a multiprocessor; each issues for warps of its own.
    pub schedulers: u64,
}

/// G80 of the lectures, and H200 of the timings. From the CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability" 1.0 and 9.0, the Hopper Tuning Guide, "Shared Memory Capacity", and CUDA's Occupancy Calculator.
pub const GPUS: [Limits; 2] = [
    Limits {
        name: "G80 (2006)",
        threads: 768,
        blocks: 8,
        registers: 8192,
        shared: 16_384,
        granule: 256,
        block: 512,
        reserved: 0,
        schedulers: 1,
    },
    Limits {
        name: "H200 (2024)",
        threads: 2048,
        blocks: 32,
        registers: 65_536,
        shared: 233_472,
        granule: 256,
        block: 1024,
        reserved: 1024,
        schedulers: 4,
    },
];

/// Resources that a kernel needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Number of threads of a block.
    pub threads: u64,
    /// Number of registers of a thread.
    pub registers: u64,
    /// Number of bytes of shared memory of a block.
    pub shared: u64,
}

/// Blocks of a kernel that are resident on a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resident {
    /// Number of blocks that each resource allows: threads, number of blocks, registers, shared memory.
    pub allowed: [u64; 4],
    /// Smallest number in `allowed`; 0 if a block has no thread, or more than it may have.
    pub blocks: u64,
    /// Number of warps of the resident blocks.
    pub warps: u64,
    /// Occupancy: resident warps as a share of those that a multiprocessor can hold, in per cent, rounded down.
    pub occupancy: u64,
}

/// Names of the four resources of [`Resident::allowed`], in its order.
pub const WHAT: [&str; 4] = ["threads", "the number of blocks", "registers", "shared memory"];

impl Resident {
    /// Returns the names of the resources that allow the fewest blocks.
    #[must_use]
    pub fn bound(&self) -> Vec<&'static str> {
        let least = self.allowed.iter().min();
        WHAT.into_iter()
            .zip(&self.allowed)
            .filter(|(_, allowed)| Some(*allowed) == least)
            .map(|(what, _)| what)
            .collect()
    }
}

impl Limits {
    /// Returns the number of blocks of a kernel that a multiprocessor holds, and the number that each resource allows.
    #[must_use]
    pub fn holds(&self, kernel: &Kernel) -> Resident {
        let warps = kernel.threads.div_ceil(32).max(1);
        let registers = warps * (32 * kernel.registers).next_multiple_of(self.granule);
        let fits = |have: u64, need: u64| have.checked_div(need).unwrap_or(u64::MAX).min(self.blocks);
        let allowed = [
            fits(self.threads, 32 * warps),
            self.blocks,
            fits(self.registers, registers),
            fits(self.shared, kernel.shared + self.reserved),
        ];
        let is_block = (1..=self.block).contains(&kernel.threads);
        let blocks = if is_block { allowed.into_iter().min().unwrap_or(0) } else { 0 };
        let warps = blocks * warps;
        Resident { allowed, blocks, warps, occupancy: 100 * 32 * warps / self.threads }
    }
}

/// Number of warps that a scheduler needs to cover a wait of `latency` cycles, if each warp issues `instructions`
/// instructions, of `cycles` cycles each, between two waits.
#[must_use]
pub fn hiding(latency: u64, cycles: u64, instructions: u64) -> u64 {
    latency.div_ceil((cycles * instructions).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_warps() {
        // 256 threads of 8 registers: three blocks of the G80's 768 threads; 16 registers leave room for two.
        let [g80, h200] = GPUS;
        let kernel = |threads, registers, shared| Kernel { threads, registers, shared };
        let found = g80.holds(&kernel(256, 8, 1024));
        assert_eq!(found, Resident { allowed: [3, 8, 4, 8], blocks: 3, warps: 24, occupancy: 100 });
        assert_eq!(found.bound(), ["threads"]);
        assert_eq!(g80.holds(&kernel(256, 16, 1024)).blocks, 2);
        let found = g80.holds(&kernel(64, 8, 4096));
        assert_eq!(found, Resident { allowed: [8, 8, 8, 4], blocks: 4, warps: 8, occupancy: 33 });
        assert_eq!(found.bound(), ["shared memory"]);
        // A kernel of the timings has 256 threads a block, 16 registers a thread and 2 KiB of shared memory.
        let found = h200.holds(&kernel(256, 16, 2048));
        assert_eq!(found, Resident { allowed: [8, 32, 16, 32], blocks: 8, warps: 64, occupancy: 100 });
        // Of the 228 KiB of shared memory each block takes 1 KiB more than it asks for.
        assert_eq!(h200.holds(&kernel(32, 16, 8192)).allowed[3], 25);
        assert_eq!(h200.holds(&kernel(1024, 255, 0)).blocks, 0);
        assert_eq!(h200.holds(&kernel(1024, 32, 0)).bound(), ["threads", "registers"]);
        // A block has at least one thread, and no more than the limit.
        for (gpu, most) in [(g80, 512), (h200, 1024)] {
            let blocks = [0, 1, most, most + 1].map(|threads| gpu.holds(&kernel(threads, 8, 0)).blocks > 0);
            assert_eq!(blocks, [false, true, true, false], "{}", gpu.name);
        }
    }

    #[test]
    fn the_lecture_hides_200_cycles_with_13_warps() {
        assert_eq!((hiding(200, 4, 4), hiding(400, 1, 4), hiding(1, 0, 0)), (13, 100, 1));
    }
}
