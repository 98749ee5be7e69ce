//! What the conformance suite has for every case.

#[path = "../conformance/support/backends.rs"]
pub(crate) mod backends;
#[path = "../conformance/support/place.rs"]
#[allow(dead_code, reason = "other suites use all of it")]
pub(crate) mod place;
#[path = "../conformance/support/random.rs"]
pub(crate) mod random;
#[path = "../conformance/support/sample.rs"]
#[allow(dead_code, reason = "other suites use all of it")]
pub(crate) mod sample;

pub(crate) use backends::on_each_backend;
