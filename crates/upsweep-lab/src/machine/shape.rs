//! Sizes of the machine, and the order in which its blocks run.

use super::banks::{Banks, WARP};

/// Sizes of the machine on which kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of threads of a warp: a power of two, from 2 to [`WARP`].
    pub warp: usize,
    /// Banks of shared memory.
    pub banks: Banks,
    /// Number of elements of a block, for algorithms of many blocks: a power of two, from a warp to the most threads of
    /// a block. [`None`]: that of their CUDA kernels; with small warps, the most threads of a block.
    pub tile: Option<usize>,
    /// Order in which blocks that run at the same time execute the phases (the successive parts) of a kernel.
    pub order: Order,
}

/// Order in which the model runs blocks that a GPU would run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All of these blocks go through a phase (a part of the kernel) before the first goes through the next one.
    Phases,
    /// A random order, with this seed: a block may go through a phase as soon as the block before it has gone through
    /// that phase.
    Chance(u64),
}

impl Shape {
    /// Largest number of threads of a block: as many warps as a warp has threads, which is 1024 on every GPU.
    #[must_use]
    pub fn most_threads(&self) -> usize {
        self.warp.saturating_mul(self.warp)
    }

    /// Whether the model has a machine of these sizes.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let power_within = |number: usize, least, most| number.is_power_of_two() && (least..=most).contains(&number);
        power_within(self.warp, 2, WARP)
            && self.tile.is_none_or(|tile| power_within(tile, self.warp, self.most_threads()))
    }

    /// Number of elements of a block, if it is not that of the CUDA kernel: given, or small because warps are small.
    #[must_use]
    pub fn own_tile(&self) -> Option<usize> {
        self.tile.or_else(|| (self.warp < WARP).then(|| self.most_threads()))
    }

    /// Number of elements of a block: the machine's own tile size if it has one, else `usual`, that of the CUDA kernel.
    pub(crate) fn tile_or(&self, usual: usize) -> usize {
        self.own_tile().unwrap_or(usual)
    }

    /// Number of elements of a thread in a tile: `most`, or fewer if the threads would not fill a warp.
    pub(crate) fn items(&self, tile: usize, most: usize) -> usize {
        (tile / self.warp).clamp(1, most)
    }
}

impl From<Banks> for Shape {
    /// Shape of a GPU with these banks.
    fn from(banks: Banks) -> Self {
        Self { warp: WARP, banks, tile: None, order: Order::Phases }
    }
}
