//! What the record of the race on an NVIDIA H200 says, `benches/record/nvidia-h200/2026-11-21-lab.csv`.

/// Microseconds for 2^20 and for 2^26 elements. The record was made when reductions in halves read in bit-reversed order, under the
/// names of the forms that do not.
static MICROS: &[(&str, [Option<f64>; 2])] = &[
    ("copy", [Some(5.92), Some(128.032)]),
    ("reduce-interleaved", [Some(20.576), Some(673.92)]),
    ("reduce-strided", [Some(16.128), Some(415.296)]),
    ("reduce-strided-padded", [Some(16.064), Some(398.08)]),
    ("reduce-sequential-ordered", [Some(15.104), Some(381.376)]),
    ("reduce-unrolled-ordered", [Some(13.728), Some(309.696)]),
    ("reduce-shuffle", [Some(12.384), Some(217.472)]),
    ("hillis-steele", [Some(91.136), Some(5522.496)]),
    ("kogge-stone", [Some(21.568), Some(606.656)]),
    ("double-buffered", [Some(23.232), Some(736.48)]),
    ("brent-kung", [Some(22.048), Some(747.616)]),
    ("brent-kung-halves", [Some(22.08), Some(719.008)]),
    ("brent-kung-padded", [Some(18.336), Some(521.664)]),
    ("brent-kung-halves-padded", [Some(18.432), Some(528.288)]),
    ("brent-kung-modulo", [Some(36.928), Some(1455.744)]),
    ("inverse", [Some(30.688), Some(981.12)]),
    ("inverse-halves", [Some(31.2), Some(1001.344)]),
    ("inverse-padded", [Some(29.92), Some(971.04)]),
    ("inverse-halves-padded", [Some(30.496), Some(985.76)]),
    ("three-kernel", [Some(20.864), Some(912.8)]),
    ("chained", [Some(276.032), Some(18_043.615)]),
    ("look-back", [Some(14.176), Some(500.32)]),
    ("production", [Some(9.376), Some(137.888)]),
    ("sequential", [Some(43_915.329), None]),
    ("double-buffered-exclusive", [Some(22.976), Some(733.152)]),
    ("blelloch", [Some(30.08), Some(984.416)]),
    ("blelloch-padded", [Some(29.408), Some(975.36)]),
    ("blelloch-halves", [Some(30.336), Some(1006.528)]),
    ("blelloch-halves-padded", [Some(29.376), Some(984.192)]),
    ("recursive", [Some(30.368), Some(1006.528)]),
    ("fenwick", [Some(63.04), Some(1716.48)]),
];

/// The recorded microseconds of an algorithm, or of a copy, for 2^20 and for 2^26 elements.
#[must_use]
pub fn recorded(name: &str) -> Option<[Option<f64>; 2]> {
    MICROS.iter().find(|(own, _)| *own == name).map(|&(_, micros)| micros)
}
