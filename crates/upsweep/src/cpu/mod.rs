//! The CPU backend.

pub(crate) mod reduce;
pub(crate) mod scan;
