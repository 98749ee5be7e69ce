//! Support code of every case. Places, samples and sizes are the conformance suite's.

pub(crate) use upsweep_testing::{on_each_backend, place, random, sample, sizes};
