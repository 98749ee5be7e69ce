//! What the conformance suite has for every case.

pub(crate) use upsweep_testing::{on_each_backend, place, random, sample};
