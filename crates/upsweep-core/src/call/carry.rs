//! Carry of a scan or a reduction: what a call hands on to the one of the elements that follow.
//!
//! ```text
//! bytes of a state of a scan         what
//! 0 ..                               the levels of the tree that are open (tree.rs): y, R, Q, G, P; one value where the
//!                                    operator has no tree
//! at a multiple of 16 ..             the last key, in scans by keys
//!
//! bytes of a state of a reduction    what
//! 0 ..                               the chains of the lanes of the open chunk (lanes.rs); then for each k the total of
//!                                    the 2^k chunks that wait for their right neighbours. One value where the operator
//!                                    has no tree
//! ```
//!
//! The position says which values of a reduction's state there are: lane l if more than l elements are in the open chunk,
//! the total of 2^k chunks if bit k of the number of whole chunks is set.

use crate::buffer::{View, ViewMut};
use crate::lanes::{FEWEST_LANES, ROWS, lanes};
use crate::operator::Element;
use crate::segments::Segmentation;
use crate::steps::{In, Steps};
use crate::tree::LEVELS;

/// State of a call between two calls, which lies where the device computes.
#[derive(Debug)]
pub struct Carried<'a> {
    /// Number of elements before the call's first. If it is 0, there is no state before the call.
    pub position: u64,
    /// State before the call's first element.
    pub before: View<'a, u64>,
    /// State after the call's last element, which the call writes if it has elements. There is room for two states.
    pub after: ViewMut<'a, u64>,
}

/// Returns the number of values that the results of later elements depend on.
#[must_use]
pub const fn levels<S: Steps>() -> usize {
    if S::TREE { LEVELS } else { 1 }
}

/// Returns the byte at which the last key begins.
#[must_use]
pub const fn key_at<S: Steps>() -> usize {
    (levels::<S>() * size_of::<S::Acc>()).next_multiple_of(16)
}

/// Number of totals of chunks that can wait for their right neighbours: as many as the number of chunks has bits.
pub const SUBTREES: usize = 64 - (ROWS * FEWEST_LANES).ilog2() as usize;

/// Returns the number of words of the state of a reduction, an even one.
#[must_use]
pub const fn words_of_total<S: Steps>() -> usize {
    let values = if S::TREE { lanes(size_of::<In<S>>(), size_of::<S::Acc>()) + SUBTREES } else { 1 };
    (values * size_of::<S::Acc>()).next_multiple_of(16) / 8
}

/// Returns the number of words of the state of a scan, an even one: states are aligned to 16 bytes in a GPU's memory.
#[must_use]
pub const fn words<S: Steps, G: Segmentation>() -> usize {
    (key_at::<S>() + size_of::<G::Key>()).next_multiple_of(16) / 8
}

/// Returns the value that begins at byte `at` of `words`.
///
/// # Safety
/// The words have such a value there.
pub unsafe fn read<T: Element>(words: &[u64], at: usize) -> Option<T> {
    let end = at.checked_add(size_of::<T>())?;
    // SAFETY: the value is within the words, and the caller vouches for its bits.
    (end <= size_of_val(words)).then(|| unsafe { words.as_ptr().byte_add(at).cast::<T>().read_unaligned() })
}

/// Writes a value to byte `at` of `words`, if there is room for it. Words in which the value has padding must not be read
/// as numbers any more.
pub fn write<T: Element>(words: &mut [u64], at: usize, value: T) {
    if at.checked_add(size_of::<T>()).is_some_and(|end| end <= size_of_val(words)) {
        // SAFETY: there is room for the value.
        unsafe { words.as_mut_ptr().byte_add(at).cast::<T>().write_unaligned(value) };
    }
}
