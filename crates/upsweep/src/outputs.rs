//! Outputs of a call: the buffers for its results.
//!
//! ```text
//! &mut y                          y[i] = r[i]               a slice, vector, array, `Array`, view, cudarc's slices
//! (y, z), (y, z, u), (y, z, u, v) y[i] = r[i].0, ..         outputs of one length: the results (of the finish) are tuples
//! Scatter::to(&mut y).at(places)  y[places[i]] = r[i]       `places` is an input, so that it may be computed
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let mut sorted = [0u32; 4];
//! // The running sums, each at the place that a permutation says.
//! Scan::new(Sum).run(&device, &[1, 2, 3, 4], Scatter::to(&mut sorted).at(&[2u32, 0, 3, 1]))?;
//! assert_eq!(sorted, [3, 10, 1, 6]);
//! # Ok::<(), upsweep::Error>(())
//! ```

pub use upsweep_core::outputs::{Outputs, Scatter};
