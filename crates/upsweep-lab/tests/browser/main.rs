//! Tests of the pages in a browser: each step shows the state of the run, and no request leaves the page.
//!
//! `cargo test -p upsweep-lab --test browser -- --include-ignored`, with `UPSWEEP_TEST_BROWSER` naming Chromium or its
//! headless shell (default `chromium`), and `UPSWEEP_TEST_AXE` naming `axe.min.js` of the npm package axe-core.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod book;
mod driver;
mod live;
mod shots;
mod steps;
mod views;
