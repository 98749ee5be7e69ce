//! Support code of the conformance suite.

pub(crate) use upsweep_testing::{on_each_backend, place, random, sample};
