//! Unit tests inside the library: only the few files with tests are compiled.
#![allow(
    missing_docs,
    dead_code,
    unreachable_pub,
    unused_imports,
    unused_macros,
    reason = "files of the library as modules of a test"
)]

use upsweep_apps::error;

#[path = "../src/sampling/random.rs"]
mod random;
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
