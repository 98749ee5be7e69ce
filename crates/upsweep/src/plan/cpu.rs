//! What a scan or a reduction does on the CPU: its blocks and threads.

use std::fmt;

/// The larger of a block's input and its output, in bytes. A block is read twice, once from a core's second-level cache,
/// where the next block arrives meanwhile; these have 256 KiB or more.
pub(crate) const BLOCK_BYTES: usize = 128 << 10;
/// The bytes below which the calling thread does everything: waking another costs microseconds.
pub(crate) const PARALLEL_FROM_BYTES: usize = 2 << 20;
/// The bytes of output from which results are stored around the cache: what is smaller may be read again soon.
pub(crate) const AROUND_CACHE_FROM_BYTES: usize = 32 << 20;

/// A planned scan or reduction on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuPlan {
    /// Elements.
    pub len: usize,
    /// The larger of an element's and a result's bytes.
    pub size: usize,
    /// Elements a block.
    pub block: usize,
    /// Whether the threads of the pool share the work.
    pub parallel: bool,
    /// Whether a scan stores its results around the cache, where the processor can.
    pub around_cache: bool,
}

impl CpuPlan {
    /// The plan for `len` elements, of which an element or a result, whichever is larger, has `size` bytes.
    #[must_use]
    pub fn new(len: usize, size: usize) -> Self {
        let size = size.max(1);
        let bytes = len.saturating_mul(size);
        Self {
            len,
            size,
            block: (BLOCK_BYTES / size).max(1),
            parallel: len >= PARALLEL_FROM_BYTES / size,
            around_cache: bytes >= AROUND_CACHE_FROM_BYTES,
        }
    }
}

impl fmt::Display for CpuPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { len, size, block, parallel, around_cache } = self;
        writeln!(f, "one pass over memory (src/cpu/chain.rs)")?;
        writeln!(f, "  elements      {len} of {size} bytes")?;
        writeln!(
            f,
            "  blocks        {} of {block} elements, each reduced and rescanned in cache",
            len.div_ceil(*block)
        )?;
        writeln!(f, "  threads       {}", if *parallel { "all of the pool" } else { "the calling one" })?;
        write!(
            f,
            "  stores        {}",
            if *around_cache { "around the cache, where the processor can" } else { "plain" }
        )
    }
}
