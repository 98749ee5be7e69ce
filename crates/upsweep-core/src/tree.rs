//! The tree of a float scan: which partial results are added, and in which order.
//!
//! The grouping of integers and extremes does not show. That of float sums and products does, in their last bits. So
//! the order of their additions is one tree, the same on every backend and processor, for every number of threads and
//! every schedule. It depends on an element's position in the array, on the types and on where segments begin, and on
//! nothing that comes later: the first k results of an array are the results of its first k elements.
//!
//! ```text
//! level    consists of                                  bytes of elements, or of results if these are larger
//! row      E elements, see row_len                      64
//! group    ROWS rows                                    512
//! tile     GROUPS groups                                12 Ki
//! span     TILES tiles                                  384 Ki
//! array    any number of spans
//!
//! total of a row, group, tile, span     the chain of its parts' totals: ((t0 ⊕ t1) ⊕ t2) ⊕ ..
//! result of element i                   P ⊕ (G ⊕ (Q ⊕ (R ⊕ y)))
//!     y    chain of the elements of i's row, up to i         R    chain of the rows before it in i's group
//!     Q    chain of the groups before that in i's tile       G    chain of the tiles before that in i's span
//!     P    chain of the spans before that
//! ```
//!
//! Where nothing comes before, there is nothing to add: the chain is missing. An initial value is combined with the
//! first element. In a scan by segments every chain begins anew at a head (the first element of a segment): what comes
//! before a segment's head is missing, and levels are still counted from the beginning of the array. A scan in reverse
//! counts from the array's end. An exclusive result is the inclusive result of the element before.
//!
//! Lines along the last axis have the same tree. The CPU counts positions from a line's beginning, so that a line has the
//! results that it has alone; so does CUDA in a portable scan. Else CUDA counts through the array, with a head at each
//! line. Lines along another axis have other groupings.
//!
//! **Monotone.** Every base (R, Q, G, P) is the last result of the level below it, because each level is a chain, and
//! each base is added to finished results. Rounding is monotone. So sums of elements that are not negative never
//! descend, and an element of zero does not move the sum: with `f(y) = P ⊕ (G ⊕ (Q ⊕ (R ⊕ y)))`,
//!
//! - inside a row, `y' = y ⊕ x >= y` if `x >= 0`, with equality if `x = 0`; and f is monotone;
//! - from a row to the next, R' = R ⊕ y is what the last result of the row adds to Q. The first result of the next row
//!   adds R' ⊕ x, and the bases Q, G and P are the same;
//! - from a group to the next, Q' = Q ⊕ R' for the same reason, and so on up to P.
//!
//! **Error.** An element goes through at most E + ROWS + GROUPS + TILES + (number of spans) additions.

use crate::operator::{Element, Form};
use std::any::TypeId;
use std::mem::MaybeUninit;

/// Number of rows in a group, of groups in a tile, and of tiles in a span.
pub const ROWS: usize = 8;
pub const GROUPS: usize = 24;
pub const TILES: usize = 32;

/// Number of values that the results after an element depend on: the chains y, R, Q, G and P after it.
pub const LEVELS: usize = 5;

/// Returns the number of elements of a row: a power of two up to 32, of 64 bytes of elements or of results, whichever are
/// larger. `input` and `output` are the bytes of an element and of a result.
#[must_use]
pub const fn row_len(input: usize, output: usize) -> usize {
    let size = if input > output { input } else { output };
    match 64 / if size > 2 { size } else { 2 } {
        0 => 1,
        most => 1 << most.ilog2(),
    }
}

/// Returns the number of elements of a tile, or 1 for jobs without a tree. `bytes`: those of an element, an operand and a
/// result.
#[must_use]
pub const fn tile_len(tree: bool, [input, _, output]: [usize; 3]) -> usize {
    if tree { GROUPS * ROWS * row_len(input, output) } else { 1 }
}

/// Whether scans by an operator of this form have this tree. `floats`: whether it combines f32 or f64.
#[must_use]
pub const fn applies(form: Form, floats: bool) -> bool {
    floats && matches!(form, Form::Sum | Form::Product)
}

/// Returns the value that changes no bits of a number that is combined with it on its right: -0 for sums, as `-0 + x` is
/// `x` for zeros, too; 1 for products. Zero bits for other types than f32 and f64.
#[must_use]
#[inline(always)]
pub fn neutral<T: Element>(form: Form) -> T {
    let number = if matches!(form, Form::Sum) { -0.0 } else { 1.0 };
    let mut value = MaybeUninit::<T>::zeroed();
    if TypeId::of::<T>() == TypeId::of::<f32>() {
        // SAFETY: `T` is f32.
        unsafe { value.as_mut_ptr().cast::<f32>().write(number as f32) };
    } else if TypeId::of::<T>() == TypeId::of::<f64>() {
        // SAFETY: `T` is f64.
        unsafe { value.as_mut_ptr().cast::<f64>().write(number) };
    }
    // SAFETY: zero bits are a value of every element.
    unsafe { value.assume_init() }
}
