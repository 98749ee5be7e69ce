//! Algorithms, a file each: result, picture in text, pseudocode, cost, differences from the source, and the code on the
//! machine model. Pages show the text ([`Lesson`](crate::lesson::Lesson)). The CUDA kernel is in the file of the same
//! stem under `kernels/`.

mod blelloch;
mod blelloch_dividing;
mod block_scan;
mod brent_kung;
mod chained;
mod double_buffered;
mod fenwick;
mod fenwick_updates;
mod groups;
mod hillis_steele;
mod inverse;
mod kogge_stone;
mod look_back;
mod production;
mod quicksort;
mod recursive;
mod reduce_interleaved;
mod reduce_sequential;
mod reduce_shuffle;
mod reduce_strided;
mod reduce_unrolled;
mod second;
mod segmented_pairs;
mod segmented_sweep;
mod sequential;
mod three_kernel;
mod tile;
mod warp;

pub use crate::algorithm::MAX_THREADS;
pub use groups::{GROUPS, Group};
pub use second::with_second_forms;

use crate::algorithm::{Algorithm, Computes};
use crate::lesson::{beginning, text_of};
use crate::variant::{Barriers, Mapping, Order, Shift, Variant, Writing};

macro_rules! algorithm {
    ($file:ident, $variant:expr, $name:literal, $computes:ident, $limit:expr, $title:literal, $source:literal) => {
        Algorithm {
            name: $name,
            file: stringify!($file),
            title: $title,
            source: $source,
            computes: Computes::$computes,
            limit: $limit,
            variant: $variant,
            module: {
                const SOURCE: &str = include_str!(concat!(stringify!($file), ".rs"));
                // The text is a constant apart from the source, so that no program carries the code after it.
                const TEXT: [u8; text_of(SOURCE)] = beginning(SOURCE);
                match std::str::from_utf8(&TEXT) {
                    Ok(text) => text,
                    Err(_) => "",
                }
            },
            of_i64: $file::run,
            of_affine: $file::run,
            of_stretch: $file::run,
        }
    };
}

const PLAIN: Variant = Variant::PLAIN;
const HALVES: Variant = Variant::HALVES;
const DIVIDING: Variant = Variant { writing: Writing::Dividing, ..PLAIN };

/// All algorithms, in the order in which they are taught.
pub static ALGORITHMS: &[Algorithm] = &[
    algorithm!(
        reduce_interleaved,
        PLAIN,
        "reduce-interleaved",
        Reduction,
        MAX_THREADS,
        "reduction, every second thread adds, then every fourth, and so on: divergent",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"A Simple Implementation\""
    ),
    algorithm!(
        reduce_strided,
        HALVES,
        "reduce-strided",
        Reduction,
        2 * MAX_THREADS,
        "reduction, the first threads add words that are ever further apart: bank conflicts",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Scan Bank Conflicts\""
    ),
    algorithm!(
        reduce_strided,
        HALVES.padded(),
        "reduce-strided-padded",
        Reduction,
        2 * MAX_THREADS,
        "reduction, the first threads add words that are ever further apart: padded against bank conflicts",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Fixing Scan Bank Conflicts\""
    ),
    algorithm!(
        reduce_sequential,
        Variant { order: Order::Halves, ..PLAIN },
        "reduce-sequential",
        Reduction,
        MAX_THREADS,
        "reduction, the threads of the lower half add the upper half: for operators that commute",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Reduction, version 2\""
    ),
    algorithm!(
        reduce_sequential,
        PLAIN,
        "reduce-sequential-ordered",
        Reduction,
        MAX_THREADS,
        "reduction, the lower half adds the upper half in element order, for any operator: bit-reversed loads",
        "after Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Reduction, version 2\""
    ),
    algorithm!(
        reduce_unrolled,
        Variant { order: Order::Halves, ..PLAIN },
        "reduce-unrolled",
        Reduction,
        MAX_THREADS,
        "reduction, the last warp without barriers: for operators that commute",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Implicit Synchronization in a Warp\""
    ),
    algorithm!(
        reduce_unrolled,
        PLAIN,
        "reduce-unrolled-ordered",
        Reduction,
        MAX_THREADS,
        "reduction, the last warp without barriers, in element order, for any operator: bit-reversed loads",
        "after Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Implicit Synchronization in a Warp\""
    ),
    algorithm!(
        reduce_shuffle,
        PLAIN,
        "reduce-shuffle",
        Reduction,
        MAX_THREADS,
        "reduction by shuffles within warps, in element order",
        "after Harris, \"Faster Parallel Reductions on Kepler\", 2014"
    ),
    algorithm!(
        sequential,
        PLAIN,
        "sequential",
        ExclusiveScan,
        usize::MAX,
        "the scan on a CPU, one thread",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Scan on the CPU\""
    ),
    algorithm!(
        hillis_steele,
        PLAIN,
        "hillis-steele",
        InclusiveScan,
        usize::MAX,
        "the naive parallel scan over global memory, a launch a step",
        "Hillis and Steele 1986; CS121 Parallel Computing, \"Parallel prefix sum (naive)\""
    ),
    algorithm!(
        kogge_stone,
        PLAIN,
        "kogge-stone",
        InclusiveScan,
        MAX_THREADS,
        "Kogge-Stone in place, two barriers a step",
        "Hwu, Kirk, El Hajj, Programming Massively Parallel Processors, \"Parallel scan\""
    ),
    algorithm!(
        kogge_stone,
        Variant { barriers: Barriers::One, ..PLAIN },
        "kogge-stone-race",
        InclusiveScan,
        MAX_THREADS,
        "Kogge-Stone in place without the second barrier: the race that the model finds",
        "Lensch and Strzodka; CS121 Parallel Computing, \"Single buffer would have race condition (how?)\""
    ),
    algorithm!(
        double_buffered,
        PLAIN,
        "double-buffered",
        InclusiveScan,
        MAX_THREADS,
        "Kogge-Stone in two buffers, one barrier a step",
        "Hwu, Kirk, El Hajj, Programming Massively Parallel Processors, \"Parallel scan\""
    ),
    algorithm!(
        double_buffered,
        Variant { shift: Shift::ByOne, ..PLAIN },
        "double-buffered-exclusive",
        ExclusiveScan,
        MAX_THREADS,
        "Kogge-Stone in two buffers, of the elements shifted by one",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"A First-Attempt Parallel Scan Algorithm\""
    ),
    algorithm!(
        brent_kung,
        PLAIN,
        "brent-kung",
        InclusiveScan,
        2 * MAX_THREADS,
        "Brent-Kung, neighbouring loads",
        "Brent and Kung 1982; Hwu, Kirk, El Hajj; CS121 Parallel Computing, \"Efficient parallel prefix sum\""
    ),
    algorithm!(
        brent_kung,
        HALVES,
        "brent-kung-halves",
        InclusiveScan,
        2 * MAX_THREADS,
        "Brent-Kung, a load of each half",
        "Brent and Kung 1982; Hwu, Kirk, El Hajj; CS121 Parallel Computing, \"Efficient parallel prefix sum\""
    ),
    algorithm!(
        brent_kung,
        PLAIN.padded(),
        "brent-kung-padded",
        InclusiveScan,
        2 * MAX_THREADS,
        "Brent-Kung, neighbouring loads, padded against bank conflicts",
        "Brent and Kung 1982; Hwu, Kirk, El Hajj; CS121 Parallel Computing, \"Removing bank conflicts\""
    ),
    algorithm!(
        brent_kung,
        HALVES.padded(),
        "brent-kung-halves-padded",
        InclusiveScan,
        2 * MAX_THREADS,
        "Brent-Kung, a load of each half, padded against bank conflicts",
        "Brent and Kung 1982; Hwu, Kirk, El Hajj; CS121 Parallel Computing, \"Removing bank conflicts\""
    ),
    algorithm!(
        brent_kung,
        Variant { mapping: Mapping::Modulo, ..PLAIN },
        "brent-kung-modulo",
        InclusiveScan,
        MAX_THREADS,
        "Brent-Kung, each thread at its own word: divergent",
        "Hwu, Kirk, El Hajj, Programming Massively Parallel Processors, \"Parallel scan\""
    ),
    algorithm!(
        inverse,
        PLAIN,
        "inverse",
        InclusiveScan,
        2 * MAX_THREADS,
        "the sums handed on by who takes them, neighbouring loads",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Now the Inverse Direction\""
    ),
    algorithm!(
        inverse,
        HALVES,
        "inverse-halves",
        InclusiveScan,
        2 * MAX_THREADS,
        "the sums handed on by who takes them, a load of each half",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Now the Inverse Direction\""
    ),
    algorithm!(
        inverse,
        PLAIN.padded(),
        "inverse-padded",
        InclusiveScan,
        2 * MAX_THREADS,
        "the sums handed on by who takes them, neighbouring loads, padded against bank conflicts",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Now the Inverse Direction\""
    ),
    algorithm!(
        inverse,
        HALVES.padded(),
        "inverse-halves-padded",
        InclusiveScan,
        2 * MAX_THREADS,
        "the sums handed on by who takes them, a load of each half, padded against bank conflicts",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Now the Inverse Direction\""
    ),
    algorithm!(
        blelloch,
        PLAIN,
        "blelloch",
        ExclusiveScan,
        2 * MAX_THREADS,
        "Blelloch's work-efficient scan, neighbouring loads",
        "Blelloch 1990; Harris 2007"
    ),
    algorithm!(
        blelloch,
        PLAIN.padded(),
        "blelloch-padded",
        ExclusiveScan,
        2 * MAX_THREADS,
        "Blelloch's scan, neighbouring loads, padded against bank conflicts",
        "Harris 2007"
    ),
    algorithm!(
        blelloch,
        HALVES,
        "blelloch-halves",
        ExclusiveScan,
        2 * MAX_THREADS,
        "Blelloch's scan, a load of each half",
        "Lensch and Strzodka, \"Initial bank conflicts on load\""
    ),
    algorithm!(
        blelloch,
        HALVES.padded(),
        "blelloch-halves-padded",
        ExclusiveScan,
        2 * MAX_THREADS,
        "Blelloch's scan, a load of each half, padded against bank conflicts",
        "Harris 2007; Lensch and Strzodka"
    ),
    algorithm!(
        blelloch_dividing,
        DIVIDING,
        "blelloch-dividing",
        ExclusiveScan,
        2 * MAX_THREADS,
        "Blelloch's scan, a division in every round",
        "after CS121 Parallel Computing, \"Efficient parallel prefix sum\", which says it in words"
    ),
    algorithm!(
        blelloch_dividing,
        DIVIDING.padded(),
        "blelloch-dividing-padded",
        ExclusiveScan,
        2 * MAX_THREADS,
        "Blelloch's scan, a division in every round, padded against bank conflicts",
        "after CS121 Parallel Computing, \"Efficient parallel prefix sum\", which says it in words"
    ),
    algorithm!(
        three_kernel,
        HALVES,
        "three-kernel",
        InclusiveScan,
        usize::MAX,
        "three kernels: segments, their sums, what lies before them",
        "CS121 Parallel Computing, \"Arbitrary input size\""
    ),
    algorithm!(
        recursive,
        HALVES,
        "recursive",
        ExclusiveScan,
        usize::MAX,
        "blocks, whose sums are scanned by recursion",
        "Compute Exclusive Prefix Sum with CUDA, \"Acceleration with Shared Memory\""
    ),
    algorithm!(
        segmented_pairs,
        PLAIN,
        "segmented-pairs",
        SegmentedScan,
        2 * MAX_THREADS,
        "segmented scan as a scan of pairs of flag and value",
        "CS121 Parallel Computing, \"Segmented scan\""
    ),
    algorithm!(
        segmented_sweep,
        PLAIN,
        "segmented-sweep",
        SegmentedScan,
        2 * MAX_THREADS,
        "work-efficient segmented scan, an up- and a down-sweep with flags",
        "CS121 Parallel Computing, \"Work-efficient segmented scan\"; Sengupta and others 2007"
    ),
    algorithm!(
        quicksort,
        PLAIN,
        "quicksort",
        Sort,
        MAX_THREADS,
        "quicksort: all segments are split at the same time, by segmented sums of marks",
        "Blelloch 1990, \"Prefix Sums and Their Applications\"; Lensch and Strzodka, \"Applications of Scan\""
    ),
    algorithm!(
        fenwick,
        PLAIN,
        "fenwick",
        ExclusiveScan,
        2 * MAX_THREADS,
        "a Fenwick tree by an up-sweep, each prefix by a walk",
        "Compute Exclusive Prefix Sum with CUDA, \"Fenwick Tree\"; Fenwick 1994"
    ),
    algorithm!(
        fenwick_updates,
        PLAIN,
        "fenwick-updates",
        ExclusiveScan,
        MAX_THREADS,
        "a Fenwick tree by updates, one element after the other, each prefix by a walk",
        "Compute Exclusive Prefix Sum with CUDA, \"Fenwick Tree\"; Fenwick 1994"
    ),
    algorithm!(
        chained,
        PLAIN,
        "chained",
        InclusiveScan,
        usize::MAX,
        "one pass, each tile waits for the prefix of the one before it",
        "Hwu, Kirk, El Hajj, \"Single-pass scan for memory access efficiency\"; Yan and others 2013"
    ),
    algorithm!(
        look_back,
        PLAIN,
        "look-back",
        InclusiveScan,
        usize::MAX,
        "one pass, tiles look back over each other's aggregates",
        "Merrill and Garland 2016, \"Single-pass Parallel Prefix Scan with Decoupled Look-back\""
    ),
    algorithm!(
        production,
        PLAIN,
        "production",
        InclusiveScan,
        usize::MAX,
        "the library's CUDA scan, simplified: registers, shuffles, look-back of a fixed shape",
        "upsweep, scan/scan.cuh; Merrill and Garland 2016"
    ),
];

/// Finds the algorithm with this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().find(|algorithm| algorithm.name == name)
}
