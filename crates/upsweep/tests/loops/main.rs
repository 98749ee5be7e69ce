//! Loops of the CPU as they ship, through the builders: a release build runs them under each instruction set.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic, reason = "tests")]

mod accuracy;
mod gathered;
mod recurrence;
