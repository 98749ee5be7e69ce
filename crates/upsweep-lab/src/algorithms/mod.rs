//! The algorithms, a file each: what it computes, a picture in text, pseudocode, cost, the code on the machine model. The
//! CUDA kernel is in the file of the same stem under `kernels/`.

mod blelloch;
mod kogge_stone;
mod layout;
mod reduce_sequential;

use crate::algorithm::{Algorithm, Computes};
use layout::{Loads, Padding};

/// The most threads of a block.
pub const MAX_THREADS: usize = 1024;

macro_rules! algorithm {
    ($file:ident, $body:expr, $name:literal, $computes:ident, $limit:expr, $title:literal, $source:literal) => {
        Algorithm {
            name: $name,
            file: stringify!($file),
            title: $title,
            source: $source,
            computes: Computes::$computes,
            limit: $limit,
            shorts: |machine, input| $file::run(machine, input, $body),
            ints: |machine, input| $file::run(machine, input, $body),
            affine: |machine, input| $file::run(machine, input, $body),
        }
    };
}

/// All algorithms, in the order in which they are taught.
pub static ALGORITHMS: &[Algorithm] = &[
    algorithm!(
        reduce_sequential,
        (),
        "reduce-sequential",
        Reduction,
        MAX_THREADS,
        "reduction, the threads of the lower half add the upper half",
        "Lensch and Strzodka, Massively Parallel Computing with CUDA, \"Reduction, version 2\""
    ),
    algorithm!(
        kogge_stone,
        kogge_stone::Buffer::TwoBarriers,
        "kogge-stone",
        InclusiveScan,
        MAX_THREADS,
        "Kogge-Stone in place, two barriers a step",
        "Hwu, Kirk, El Hajj, Programming Massively Parallel Processors, \"Parallel scan\""
    ),
    algorithm!(
        kogge_stone,
        kogge_stone::Buffer::OneBarrier,
        "kogge-stone-race",
        InclusiveScan,
        MAX_THREADS,
        "Kogge-Stone in place without the second barrier: the race that the model finds",
        "Lensch and Strzodka; CS121 Parallel Computing, \"Single buffer would have race condition (how?)\""
    ),
    algorithm!(
        blelloch,
        (Loads::Interleaved, Padding::None),
        "blelloch",
        ExclusiveScan,
        2 * MAX_THREADS,
        "Blelloch's work-efficient scan, neighbouring loads",
        "Blelloch 1990; Harris 2007"
    ),
    algorithm!(
        blelloch,
        (Loads::Interleaved, Padding::Padded),
        "blelloch-padded",
        ExclusiveScan,
        2 * MAX_THREADS,
        "Blelloch's scan, neighbouring loads, padded against bank conflicts",
        "Harris 2007"
    ),
    algorithm!(
        blelloch,
        (Loads::Halves, Padding::None),
        "blelloch-halves",
        ExclusiveScan,
        2 * MAX_THREADS,
        "Blelloch's scan, a load of each half",
        "Lensch and Strzodka, \"Initial bank conflicts on load\""
    ),
    algorithm!(
        blelloch,
        (Loads::Halves, Padding::Padded),
        "blelloch-halves-padded",
        ExclusiveScan,
        2 * MAX_THREADS,
        "Blelloch's scan, a load of each half, padded against bank conflicts",
        "Harris 2007; Lensch and Strzodka"
    ),
];

/// The algorithm of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().find(|algorithm| algorithm.name == name)
}
