//! What parallel scans are for: applications on [`upsweep`]'s public face alone, one module each.
//!
//! Every application has one of two shapes. *A builder runs*: `Noun::new(what it needs).option(..).run(&device, &input, ..)`.
//! *A table is built and asked*: `Noun::build(&device, &input)?` owns memory of the device, and its methods answer batches of
//! questions. Devices, slices, views and errors are the library's own.
//!
//! - [`signal`]: filters in one direction and in both, exponential averages, envelopes

pub mod signal;
