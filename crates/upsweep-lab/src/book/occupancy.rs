//! Occupancy of a multiprocessor, and the number of warps that hides the latency of memory: the lecture's arithmetic.

/// Resources of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Name of the GPU.
    pub name: &'static str,
    /// Number of threads.
    pub threads: u64,
    /// Number of blocks.
    pub blocks: u64,
    /// Number of registers.
    pub registers: u64,
    /// Number of bytes of shared memory.
    pub shared: u64,
    /// Granularity in which registers are allocated to a warp (or, on the G80, to a block).
    pub granule: u64,
    /// Largest number of threads of a block.
    pub block: u64,
    /// Number of bytes of shared memory that the system reserves in each block.
    pub reserved: u64,
    /// Number of schedulers; each issues for warps of its own.
    pub schedulers: u64,
}

/// GPU of the lectures, and GPU of the race. From the CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability" 1.0 and 9.0, the Hopper Tuning Guide, "Shared Memory Capacity", and the CUDA Occupancy Calculator.
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

/// Blocks resident on a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resident {
    /// Number of blocks that the threads, the blocks, the registers and the shared memory allow.
    pub allowed: [u64; 4],
    /// Smallest of these numbers; 0 if a block has no thread, or more than it may have.
    pub blocks: u64,
    /// Number of warps of these blocks.
    pub warps: u64,
    /// Occupancy: the share of the warps that a multiprocessor can hold, in per cent, rounded down.
    pub occupancy: u64,
}

/// Names of the resources of [`Resident::allowed`].
pub const WHAT: [&str; 4] = ["threads", "the number of blocks", "registers", "shared memory"];

impl Resident {
    /// Resources that allow no more blocks.
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
    /// Number of blocks of a kernel that a multiprocessor holds, and the resources that limit it.
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

/// Number of warps of a scheduler that hide a latency: while one waits `latency` cycles, the others issue. Each has
/// `instructions` between two waits, which take `cycles` each.
#[must_use]
pub fn hiding(latency: u64, cycles: u64, instructions: u64) -> u64 {
    latency.div_ceil((cycles * instructions).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_warps() {
        // 256 threads of 10 registers: three blocks of the G80's 768 threads; 11 registers leave room for two.
        let [g80, h200] = GPUS;
        let kernel = |threads, registers, shared| Kernel { threads, registers, shared };
        let found = g80.holds(&kernel(256, 8, 1024));
        assert_eq!(found, Resident { allowed: [3, 8, 4, 8], blocks: 3, warps: 24, occupancy: 100 });
        assert_eq!(found.bound(), ["threads"]);
        assert_eq!(g80.holds(&kernel(256, 16, 1024)).blocks, 2);
        let found = g80.holds(&kernel(64, 8, 4096));
        assert_eq!(found, Resident { allowed: [8, 8, 8, 4], blocks: 4, warps: 8, occupancy: 33 });
        assert_eq!(found.bound(), ["shared memory"]);
        // The race's kernels: 256 threads, 16 registers, 2 KiB.
        let found = h200.holds(&kernel(256, 16, 2048));
        assert_eq!(found, Resident { allowed: [8, 32, 16, 32], blocks: 8, warps: 64, occupancy: 100 });
        // 228 KiB; each block takes 1 KiB more than it asks for.
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
