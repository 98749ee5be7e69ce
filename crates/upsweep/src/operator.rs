//! Elements, functions and operators: written once in Rust, run on the CPU and on the GPU.
//!
//! ```
//! use upsweep::operator::{Element, Operator, check_laws, operator};
//!
//! #[derive(Element, Clone, Copy, PartialEq, Debug)]
//! #[repr(C)]
//! struct Affine {
//!     m: i32,
//!     c: i32,
//! }
//!
//! /// `x -> m * x + c`, composed left to right.
//! #[operator(identity = Affine { m: 1, c: 0 })]
//! fn then(f: Affine, g: Affine) -> Affine {
//!     Affine { m: g.m * f.m, c: g.m * f.c + g.c }
//! }
//!
//! let (f, g) = (Affine { m: 2, c: 1 }, Affine { m: -3, c: 5 });
//! assert_eq!(Then.combine(f, g), Affine { m: -6, c: 2 });
//! assert!(check_laws(&Then, &[f, g])?.not_commutative.is_some());
//! # Ok::<(), upsweep::operator::Violation<Affine>>(())
//! ```
//! The documentation of [`macro@function`] lists what a body can contain, and what exactly it computes.

pub use upsweep_core::operator::{
    Cast, Element, Enumerate, Float, Function, Half, Host, Integer, Laws, Logic, MAX_ELEMENT_BYTES, MAX_VALUES_BYTES,
    Map, MapWith, Number, Operator, Same, Signed, Source, Unsigned, Values, Violation, Widen, WidenFrom, builtin,
    check_laws, check_laws_within, function, host, operator,
};

// Names in the code that the macros generate.
#[doc(hidden)]
pub use upsweep_core::operator::{Argument, Field, Form, Halves, Item, Layout, Piece, Single, arith, numbers_of};
