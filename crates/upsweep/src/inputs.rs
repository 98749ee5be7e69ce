//! Inputs of a call, read in the pass that needs them.
//!
//! ```text
//! &x                              x[i]                      a slice, vector, array, `Array`, view, cudarc's slices
//! (a, b), (a, b, c), (a, b, c, d) a[i], b[i], ..            inputs of one length, side by side: the map has as many arguments
//! 0..n                            i                         u32, u64, usize, i32, i64
//! Repeat(v)                       v
//! Gather::of(&table).at(index)    table[index[i]]           `index` is an input itself, so that it may be computed
//! Neighbours::of(&x)              [x[i-1], x[i], x[i+1]]    at the ends the end itself, or what `outside` says
//! Apply(f, x), Apply(f, (a, b))   f(x[i])                   a function of an input, where no map is: in a `Gather`, for instance
//! count.of(&x)                    x[i]                      the first `count` elements, whose number the device knows
//! Bits::of(&words, n)             bit i % b of word i / b   of words of b bits; from(k) begins with bit k
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[function]
//! fn times(a: f32, x: f32) -> f32 {
//!     a * x
//! }
//!
//! let device = Device::cpu();
//! // One row of a sparse matrix times a vector.
//! let (values, columns, x) = ([2.0f32, 3.0, 0.5], [4u32, 0, 2], [1.0f32, 0.0, 8.0, 0.0, 10.0]);
//! let mut y = [0.0f32];
//! Reduce::new(Sum).map(Times).run(&device, (&values, Gather::of(&x).at(&columns)), &mut y)?;
//! assert_eq!(y, [20.0 + 3.0 + 4.0]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! Several inputs without a map are combined as tuples. Every builder takes every input; of `count.of(&x)` those alone
//! that need not know the length.
//!
//! **Cost.** On CUDA, buffers are streamed: copied to shared memory asynchronously, in vectors as wide as their element
//! types allow, so that two buffers cost as much as one of the same number of bytes. Computed inputs (a range, a
//! repeated value) cost nothing. Elements of a table, neighbours and bits are read where the map needs them: a scan
//! reads them twice, the second time mostly from a cache. Builders that read elements more than once, or in an order of
//! their own (sorts, for instance), compute an input that is no buffer into memory of the device first: each says so.

pub use upsweep_core::inputs::{Apply, Bits, Counted, Gather, GatherOf, Inputs, Neighbours, Repeat};
