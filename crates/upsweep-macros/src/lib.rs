//! The macros of upsweep.
