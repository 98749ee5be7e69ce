//! Scans and reductions whose element type, operator and options are chosen when the program runs.
//!
//! [`upsweep`] compiles a scan for its types and its operator. A program that reads both from a file or from a user,
//! such as a command line or a binding to another language, needs all of them compiled, and a choice at run time. This
//! crate has both.
//!
//! ```
//! use upsweep::Device;
//! use upsweep_dynamic::{Op, Reduce, Scan, Segments, Type, Values, View};
//!
//! // What another program has in memory: the bytes of eight numbers, and their type as text.
//! let bytes = [3u8, 1, 7, 0, 4, 1, 6, 3];
//! let x = View::from_bytes("u8".parse()?, &bytes)?;
//!
//! let device = Device::cpu();
//! let op: Op = "sum".parse()?;
//! let running = Scan::new(op).run(&device, x)?;
//! assert_eq!(running, Values::U8(vec![3, 4, 11, 11, 15, 16, 22, 25]));
//!
//! let of_rows = Reduce::new(Op::Max).axis(&[2, 4], 1).run(&device, x)?;
//! assert_eq!(of_rows, Values::U8(vec![7, 6]));
//!
//! let keys = Segments::Keys(View::U16(&[5, 5, 5, 9, 9, 5, 5, 5]));
//! let of_runs = Reduce::new(op).accumulate(Type::F64).segments(keys).run(&device, x)?;
//! assert_eq!(of_runs, Values::F64(vec![11.0, 4.0, 10.0]));
//!
//! let error = Scan::new(Op::Xor).run(&device, View::F32(&[1.0])).unwrap_err();
//! assert_eq!(error.to_string(), "f32 values have no xor: and, or and xor work on the bits of integers and bool");
//! # Ok::<(), upsweep_dynamic::Error>(())
//! ```
//!
//! **Compiled pairs.** Each operator is compiled for each type that has it, except that sums, products and bit
//! operations of signed integers run as the unsigned ones, which have the same bits. Each is the library's own built-in
//! operator, so it runs as fast as in a program that names it.
//!
//! **Memory.** The interface of the crate has no device arrays: inputs and results are on the host. On CUDA a call
//! copies the input to the device and the results back; [`Prepared`] copies once for many runs.
//!
//! **Parts.** [`Scan::run_part`] and [`Reduce::run_part`] take an array part by part, by a [`Carry`], with the bits of one call:
//! arrays longer than memory, and parts that several processes scan. [`Reduce::total`] reduces chunks in any order, and
//! [`GroupTotals`] groups whose elements come in batches.
//!
//! **Overflow.** Results of integers wrap around. Only this crate checks for overflow: `check_overflow` of a scan or a
//! reduction, before the call. It concludes from the types, or from the least and the largest element, that sums fit.
//! Otherwise it computes the results once more, in 128 bits. A [`RunningCheck`] does the same part by part.
//!
//! **Absent on purpose**: files and their formats, which belong to the command line.

#![forbid(unsafe_code)]

mod buffer;
mod carry;
mod check;
mod choice;
mod columns;
mod error;
mod groups;
mod histogram;
mod kernels;
mod number;
mod operator;
mod options;
mod parts;
pub mod plain;
mod prepared;
mod reduce;
mod running;
mod scan;
mod segments;
mod select;
mod sort;
mod totals;
mod types;
mod values;

pub use carry::{Carry, Operation};
pub use columns::{ColumnScan, ColumnTotals};
pub use error::{Error, Result};
pub use groups::GroupTotals;
#[doc(hidden)]
pub use half::f16;
pub use histogram::Histogram;
pub use number::Number;
pub use operator::Op;
pub use prepared::Prepared;
pub use reduce::Reduce;
pub use running::{Bounds, Extent, LineChecks, RunningCheck};
pub use scan::Scan;
pub use segments::Segments;
pub use select::{Distinct, expand, expand_values, runs, select, select_indices, unique};
pub use sort::{Quantile, Quantiles, Sort, lexsort, quantiles, top};
pub use types::{Type, Value};
pub use values::{Values, View, ViewMut};
