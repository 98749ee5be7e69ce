//! How large the machine's parts are, and in which order its blocks run.

use super::banks::{Banks, WARP};

/// The machine on which kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Threads of a warp: a power of two, from 2 to [`WARP`].
    pub warp: usize,
    /// The banks of shared memory.
    pub banks: Banks,
    /// Elements of a block, for algorithms of many blocks: a power of two, from a warp to as many as a block may have
    /// threads. [`None`]: as many as their CUDA kernels have; with small warps, as many as a block may have threads.
    pub tile: Option<usize>,
    /// In which order blocks that run at the same time go through their phases.
    pub order: Order,
}

/// The order of blocks that run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All of them go through a phase before the first goes through the next one.
    Phases,
    /// A block goes on whenever chance, which depends on this number, has it: as soon as the block before it is through the
    /// same phase.
    Chance(u64),
}

impl Shape {
    /// The most threads of a block: as many warps as a warp has threads, which is 1024 on every GPU.
    #[must_use]
    pub fn most_threads(&self) -> usize {
        self.warp.saturating_mul(self.warp)
    }

    /// Whether there is such a machine.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let power_within = |number: usize, least, most| number.is_power_of_two() && (least..=most).contains(&number);
        power_within(self.warp, 2, WARP)
            && self.tile.is_none_or(|tile| power_within(tile, self.warp, self.most_threads()))
    }

    /// The elements of a block, where they are not those of the CUDA kernel: a small machine's blocks are small.
    #[must_use]
    pub fn own_tile(&self) -> Option<usize> {
        self.tile.or_else(|| (self.warp < WARP).then(|| self.most_threads()))
    }

    /// The elements of a block: those of the CUDA kernel, `usual`, unless another number was asked for.
    pub(crate) fn tile_or(&self, usual: usize) -> usize {
        self.own_tile().unwrap_or(usual)
    }

    /// The elements of a thread in a tile: `most`, or fewer where the threads would not fill a warp.
    pub(crate) fn items(&self, tile: usize, most: usize) -> usize {
        (tile / self.warp).clamp(1, most)
    }
}

impl From<Banks> for Shape {
    /// A GPU with these banks.
    fn from(banks: Banks) -> Self {
        Self { warp: WARP, banks, tile: None, order: Order::Phases }
    }
}
