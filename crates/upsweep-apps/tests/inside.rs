//! The tests that stand inside of the library: of the few files that have some, and not of all.
#![allow(
    missing_docs,
    dead_code,
    unreachable_pub,
    unused_imports,
    unused_macros,
    reason = "files of the library as modules of a test"
)]

use upsweep_apps::error;

#[path = "../src/poly/range.rs"]
mod range;
#[path = "../src/terrain/raster.rs"]
mod raster;
#[path = "../src/terrain/rays.rs"]
mod rays;
#[path = "../src/signal/steady.rs"]
mod steady;
#[path = "../src/twofold.rs"]
mod twofold;
