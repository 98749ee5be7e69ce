//! Signals: IIR filters, exponential averages, envelopes.
//!
//! ```
//! use upsweep::Device;
//! use upsweep_apps::signal::{Envelope, Filter, Smooth};
//!
//! let device = Device::cpu();
//! let x = [0.0f32, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0];
//! let mut y = [0.0; 8];
//! Filter::new(&[0.5, 0.5], &[1.0]).run(&device, &x, &mut y)?; // means of two neighbours
//! assert_eq!(y, [0.0, 0.5, 0.5, -0.5, -0.5, 0.5, 0.5, -0.5]);
//! Smooth::half_life(1.0).run(&device, &[8.0f64, 0.0, 0.0, 0.0], &mut [0.0; 4])?; // 8, 4, 2, 1
//! Envelope::half_life(2.0).run(&device, &x, &mut y)?;
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! Elements are `f32` or `f64`. All is computed in `f64` and rounded once, when it is stored: filters are often so
//! close to instability that `f32` is too coarse for them. Where `f32` is enough, [`Recurrence`](upsweep::Recurrence)
//! computes in it, in half the time on the CPU. Each call is a pass over memory or two; lines along any axis of an
//! array are signals of their own.
//!
//! The design of filters, which is to find coefficients for a wanted response, is not here: `scipy.signal` has it.

mod along;
mod envelope;
mod filter;
mod follow;
mod sample;
mod smooth;
mod steady;

pub use envelope::Envelope;
pub use filter::{BothWays, Filter, Padding};
pub use sample::Sample;
pub use smooth::Smooth;
