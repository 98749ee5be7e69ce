//! Plans of scans and reductions of interleaved lines on a CUDA device: number of lines per lane, and number of
//! elements of each line that a warp takes at once.
//!
//! The grouping of a line's elements depends on the types alone. The number of lines per lane, which changes nothing in
//! the result, is chosen for each call.

use super::constants::{Constants, constants};
use std::fmt;
use upsweep_core::shape::Shape;

/// Number of lanes of a warp.
const WARP: usize = 32;
/// Number of threads per block: 8 warps, which share the elements of the lines of 32 lanes.
const THREADS: usize = 256;
/// Number of registers for the elements that a thread is loading; as many more hold the elements that it combines
/// meanwhile.
const REGISTERS: usize = 16;
/// Largest number of bytes of the running values of a lane's lines together, if the lane has several: each thread holds
/// several copies of them. It is the size of one load.
const LINE_BYTES: usize = 16;
/// Number of blocks that a multiprocessor runs at once, if a thread has 64 registers.
const BLOCKS: usize = 4;
/// Number of blocks of a launch in which lines are cut into chunks: as many as an H200 runs at once.
const CHUNK_BLOCKS: usize = 512;
/// Number of blocks below which lines are split into chunks, which are read twice: fewer blocks cannot saturate memory
/// bandwidth. Derived: from 64 on, the blocks' loads use a third of the bandwidth, and a second read costs half as much
/// again.
const FEW_BLOCKS: usize = 64;
/// Largest number of chunks of a line, whose sums are scanned by few blocks. Below it, the smallest number of steps of
/// a block along a chunk (a step is the elements that its warps take at once). H200, 2026-11-26: with few lines, 256
/// chunks take a sixth longer, and 1,024 to 8,192 take the same time; 1 to 8 steps take the same time
/// (benches/notes/segments.md).
const MOST_CHUNKS: usize = 2048;
const CHUNK_STEPS: usize = 4;
/// Fraction of a wave (as many blocks as a device runs at once) that the blocks of a launch must fill on average, in
/// hundredths. In the measurement of [`MOST_CHUNKS`], 50 and 95 take the same time.
const FULL: usize = 75;

/// A planned scan or reduction of interleaved lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnsPlan {
    /// Bytes of an element, of a combined value, and of a result.
    pub sizes: (usize, usize, usize),
    /// Largest number of lines per lane.
    pub widest: usize,
    /// Number of neighbouring elements of a line that are combined with each other first.
    pub depth: usize,
}

impl ColumnsPlan {
    /// Returns the plan for elements of `input` bytes that are combined as values of `state` bytes to results of
    /// `output` bytes.
    #[must_use]
    pub fn new(input: usize, state: usize, output: usize) -> Self {
        // A load takes 16 bytes at most; more than 4 values, however small, need more registers than there are.
        let fits = |&lines: &usize| lines * input <= 16 && lines * state.max(output) <= LINE_BYTES;
        let widest = [4, 2].into_iter().filter(fits).find(|lines| (lines * input).is_multiple_of(4)).unwrap_or(1);
        let depth = (4 * REGISTERS / (widest * input)).clamp(1, 8);
        Self { sizes: (input, state, output), widest, depth: 1 << depth.ilog2() }
    }

    /// Returns the plan with one line per lane.
    #[must_use]
    pub fn by_line(self) -> Self {
        let depth = (4 * REGISTERS / self.sizes.0.max(1)).clamp(1, 8);
        Self { widest: 1, depth: 1 << depth.ilog2(), ..self }
    }

    /// Returns the possible numbers of lines per lane, the largest first: those for which neighbouring elements of the
    /// lines are whole words of 4 bytes, and one.
    pub fn vectors(&self) -> impl Iterator<Item = usize> {
        let Self { sizes: (input, ..), widest, .. } = *self;
        let several = [widest, widest / 2].into_iter().filter(move |n| *n > 1 && (n * input).is_multiple_of(4));
        several.chain([1])
    }

    /// Returns the number of lines per lane for `lines` lines, on a device with `multiprocessors` multiprocessors. It
    /// is the largest that `allows` accepts, which tells whether the arrays are aligned for it, unless a smaller one
    /// keeps more of the device busy. One line per lane is always allowed.
    #[must_use]
    pub fn vector(&self, lines: usize, multiprocessors: usize, allows: impl Fn(usize) -> bool) -> usize {
        let resident = BLOCKS * multiprocessors.max(1);
        // Fraction of the waves (as many blocks as the device runs at once) that the blocks fill, in hundredths.
        let full = |&vector: &usize| {
            let blocks = lines.div_ceil(WARP * vector).max(1);
            100 * blocks / blocks.next_multiple_of(resident)
        };
        let allowed = || self.vectors().filter(|&vector| vector == 1 || allows(vector));
        allowed().find(|vector| full(vector) >= FULL).or_else(|| allowed().max_by_key(full)).unwrap_or(1)
    }

    /// Returns the number of elements of a chunk of a line. Lines that are few and long are cut into chunks, which
    /// different blocks combine; any other line is one chunk. The number depends on the shape and the types alone.
    #[must_use]
    pub fn chunk(&self, shape: Shape) -> usize {
        let lines = shape.lines();
        let step = THREADS / WARP * self.groups(1) * self.depth;
        if lines == 0 || lines > FEW_BLOCKS * WARP || shape.len < 4 * CHUNK_STEPS * step {
            return shape.len;
        }
        let vector = self.vectors().find(|&vector| shape.inner.is_multiple_of(vector)).unwrap_or(1);
        let chunks = (CHUNK_BLOCKS * WARP * vector).div_ceil(lines).min(MOST_CHUNKS);
        shape.len.div_ceil(chunks).max(CHUNK_STEPS * step).next_multiple_of(step)
    }

    /// Returns the alignment in bytes that an array needs whose values of `size` bytes are accessed `vector` at once,
    /// as in `memory/access.cuh`.
    #[must_use]
    pub fn alignment(size: usize, vector: usize) -> u64 {
        1 << (vector * size).trailing_zeros().min(4)
    }

    /// Returns the number of blocks for `lines` lines, with `vector` lines per lane.
    #[must_use]
    pub fn blocks(lines: usize, vector: usize) -> usize {
        lines.div_ceil(WARP * vector)
    }

    /// Returns the number of threads per block.
    #[must_use]
    pub fn threads(&self) -> usize {
        THREADS
    }

    /// Number of groups of `depth` neighbouring elements of each line that a warp takes at once.
    fn groups(&self, vector: usize) -> usize {
        let (input, state, _) = self.sizes;
        // Elements that are not whole words are loaded byte by byte.
        let each = if vector * input > 2 && !(vector * input).is_multiple_of(4) {
            input
        } else {
            (vector * input).div_ceil(4)
        };
        let registers = REGISTERS / (self.depth * each);
        // The sums of the groups are in shared memory, which limits their number.
        registers.min(4 * LINE_BYTES / (vector * state)).max(1)
    }

    /// Constants of the kernel for `vector` lines per lane.
    #[must_use]
    pub fn constants(&self, vector: usize) -> Constants {
        // Values of more than 8 bytes get the registers that they need.
        let blocks = if self.sizes.1.max(self.sizes.2) <= 8 { BLOCKS } else { 1 };
        let mut constants = Constants::default();
        constants!(constants; "HOST_STATE_BYTES" = self.sizes.1, "THREADS" = THREADS, "VECTOR" = vector, "GROUPS" = self.groups(vector), "DEPTH" = self.depth, "BLOCKS" = blocks);
        constants
    }
}

/// A planned scan or reduction of the interleaved lines of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinesPlan {
    /// Plan of the types.
    pub columns: ColumnsPlan,
    /// Shape of the array.
    pub shape: Shape,
    /// Whether each line is reduced to one result.
    pub reduces: bool,
}

impl fmt::Display for LinesPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { columns, shape, reduces } = *self;
        let chunk = columns.chunk(shape);
        let chunks = shape.len.div_ceil(chunk.max(1)).max(1);
        let what = if reduces { "reduction" } else { "scan" };
        let launches = match (chunks > 1, reduces) {
            (false, _) => "one kernel",
            (true, true) => "two launches of one kernel's forms",
            (true, false) => "three launches of one kernel's forms",
        };
        let lanes: Vec<String> = columns.vectors().map(|lines| lines.to_string()).collect();
        writeln!(f, "{what} of interleaved lines, {launches}")?;
        writeln!(f, "  lines         {} of {} elements, {} side by side", shape.lines(), shape.len, shape.inner)?;
        writeln!(
            f,
            "  lanes         {} neighbouring lines each, as addresses and the device's size allow",
            lanes.join(" or ")
        )?;
        writeln!(f, "  groups        of {} elements of a line", columns.depth)?;
        if chunks == 1 {
            write!(f, "  chunks        none: each block goes along whole lines")
        } else {
            write!(
                f,
                "  chunks        {chunks} of {chunk} elements a line, reduced first: elements are read {}",
                if reduces { "once" } else { "twice" }
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_whole_words_and_fit_in_registers() {
        for (sizes, vectors) in [
            ((1, 1, 1), vec![4, 1]),
            ((1, 8, 8), vec![1]),
            ((2, 2, 2), vec![4, 2, 1]),
            ((3, 3, 3), vec![4, 1]),
            ((4, 4, 4), vec![4, 2, 1]),
            ((4, 8, 4), vec![2, 1]),
            ((8, 8, 8), vec![2, 1]),
            ((8, 16, 16), vec![1]),
            ((1, 16, 16), vec![1]),
            ((12, 12, 12), vec![1]),
            ((64, 64, 64), vec![1]),
        ] {
            let plan = ColumnsPlan::new(sizes.0, sizes.1, sizes.2);
            assert_eq!(plan.vectors().collect::<Vec<_>>(), vectors, "{sizes:?}");
            for vector in vectors {
                let sums = 2 * (THREADS / WARP) * plan.groups(vector) * WARP * vector * sizes.1;
                assert!(sums <= 32 << 10, "{sizes:?}: {sums} bytes of shared memory");
            }
        }
    }

    #[test]
    fn lanes_have_fewer_lines_where_more_would_leave_the_device_idle() {
        let plan = ColumnsPlan::new(4, 4, 4);
        let vector = |lines| plan.vector(lines, 132, |_| true);
        assert_eq!(vector(1 << 20), 4);
        assert_eq!(vector(65536), 4, "512 blocks, of which 528 run at once");
        assert_eq!(vector(32768), 2);
        assert_eq!(vector(16384), 1);
        assert_eq!(vector(100), 1);
        assert_eq!(vector(0), 1);
        // With 4 lines per lane, 12 of 540 blocks are a second wave. Two lines per lane fill 68% of their waves, one
        // fills 81%.
        assert_eq!(vector(540 * 128), 1);
    }

    #[test]
    fn few_long_lines_are_cut() {
        let plan = ColumnsPlan::new(4, 4, 4);
        let shape = |outer, len, inner| Shape { outer, len, inner };
        // Number of chunks, and elements of one.
        let cut = |shape: Shape| (shape.len.div_ceil(plan.chunk(shape)), plan.chunk(shape));
        assert_eq!(cut(shape(1, 1 << 20, 64)), (1024, 1024), "512 blocks of 128 lines");
        assert_eq!(cut(shape(1, 1 << 24, 17)).0, 964, "each lane has one line");
        assert_eq!(cut(shape(1, 1 << 24, 2)).0, 2048);
        assert_eq!(cut(shape(1, 4096, 64)), (8, 512), "four steps a chunk");
        for (outer, len, inner) in [(1, 2000, 64), (1, 1 << 20, 2049), (700, 1 << 20, 3), (1, 0, 3), (0, 1 << 20, 3)] {
            assert_eq!(plan.chunk(shape(outer, len, inner)), len);
        }
        for bytes in [1, 2, 3, 8, 12, 64] {
            let plan = ColumnsPlan::new(bytes, bytes, bytes);
            assert!(plan.chunk(shape(2, 5000, 30)) < 5000, "{bytes} bytes");
        }
    }

    #[test]
    fn lanes_have_one_line_where_the_arrays_allow_no_more() {
        let plan = ColumnsPlan::new(4, 4, 4);
        assert_eq!(plan.vector(1 << 20, 132, |_| false), 1);
        assert_eq!(plan.vector(1 << 20, 132, |vector| vector < 4), 2);
        assert_eq!(ColumnsPlan::alignment(4, 4), 16);
        assert_eq!(ColumnsPlan::alignment(3, 4), 4);
        assert_eq!(ColumnsPlan::alignment(8, 4), 16);
        assert_eq!(ColumnsPlan::alignment(1, 4), 4);
    }
}
