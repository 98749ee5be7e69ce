//! Scans of many short contiguous lines, some of them side by side.
//!
//! ```text
//! for each ABREAST lines
//!     for i in 0..len
//!         the chain of each line = chain ⊕ x[i], and its result
//! results of some lines go to a stage in the cache, and from there past the cache
//! ```
//!
//! One line after the other would wait for each application of the operator. The grouping is that of a line by itself:
//! of float sums and products that of [`tree`](super::tree), of others that of a serial scan ([`scan`](super::scan)).

use super::reduce::tile_len;
use super::rows;
use super::run::{Memory, Storing, load};
use super::scan::PIECE;
use super::simd::Set;
use super::store;
use std::mem::MaybeUninit;
use upsweep_core::outputs::Write;
use upsweep_core::steps::{Out, Steps};
use upsweep_core::tree::ROWS;

/// Number of lines that are scanned side by side.
pub(crate) const ABREAST: usize = 4;
/// Bytes of the results that are staged.
const STAGE_BYTES: usize = 8 << 10;
/// Largest number of bytes of the results of a line.
const MOST_BYTES: usize = STAGE_BYTES / ABREAST;

/// Results of some lines.
#[repr(C, align(64))]
struct Stage([MaybeUninit<u8>; STAGE_BYTES]);

/// Lines of `len` elements from element `start` on.
#[derive(Clone, Copy)]
pub(crate) struct Lines {
    pub(crate) start: usize,
    pub(crate) count: usize,
    pub(crate) len: usize,
}

/// Whether lines of `len` elements are scanned by [`scan`] with the results of a line by itself.
#[inline(always)]
pub(crate) fn apply<S: Steps>(steps: &S, len: usize) -> bool {
    if len == 0 || len * const { size_of::<Out<S>>() } > MOST_BYTES || const { align_of::<Out<S>>() > 64 } {
        return false;
    }
    if const { S::TREE } {
        return len < 2 * ROWS * steps.tree().0;
    }
    let long = const { if rows::apply::<S>() { rows::group_len::<S>() } else { tile_len::<S>() } };
    (long == 0 || len < long) && len <= PIECE
}

/// Scans `lines`, each from its head, whose initial value is `init`.
///
/// # Safety
/// The lines are in the memory. Nothing else uses their results, or writes their elements, meanwhile. If `storing`
/// requests non-temporal stores, nothing reads the results before `store::fence`.
#[inline(always)]
pub(crate) unsafe fn scan<S: Steps>(
    set: Set,
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    init: Option<S::Acc>,
    lines: Lines,
    storing: &Storing<S::Acc>,
) {
    let Lines { start, count, len } = lines;
    let staged = storing.non_temporal && S::Out::PLAIN;
    let mut stage = Stage([MaybeUninit::uninit(); STAGE_BYTES]);
    let batch = if staged { MOST_BYTES / (len * size_of::<Out<S>>().max(1)) * ABREAST } else { count };
    let mut done = 0;
    while done < count {
        let some = Lines { start: start + done * len, count: batch.min(count - done), len };
        let lowest = memory.lowest(&(some.start..some.start + some.count * len));
        let to = if staged {
            // Address that result 0 would have if the lines' results lay at their indices.
            Memory { output: stage.0.as_mut_ptr().cast::<Out<S>>().wrapping_sub(lowest), ..*memory }
        } else {
            *memory
        };
        // SAFETY: the lines are in the memory, and their results in the stage or in the memory. The stage has room for
        // them, and does not overlap with the output.
        unsafe {
            if storing.exclusive {
                scan_some::<S, true>(steps, &to, init, some, storing.identity);
            } else {
                scan_some::<S, false>(steps, &to, init, some, storing.identity);
            }
            if staged {
                store::copy(set, stage.0.as_ptr().cast::<Out<S>>(), memory.output.add(lowest), some.count * len, true);
            }
        }
        done += some.count;
    }
}

/// Scans `lines` to the output of `memory`, [`ABREAST`] at a time, and the rest one by one.
///
/// # Safety
/// The lines are in the memory, and nothing else uses their results, or writes their elements.
#[inline(always)]
unsafe fn scan_some<S: Steps, const EXCLUSIVE: bool>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    init: Option<S::Acc>,
    Lines { start, count, len }: Lines,
    identity: Option<S::Acc>,
) {
    let mut line = 0;
    while line < count {
        let first = start + line * len;
        // SAFETY: the lines are in the memory.
        unsafe {
            if count - line >= ABREAST {
                abreast::<S, ABREAST, EXCLUSIVE>(steps, memory, (init, identity), first, len);
                line += ABREAST;
            } else {
                abreast::<S, 1, EXCLUSIVE>(steps, memory, (init, identity), first, len);
                line += 1;
            }
        }
    }
}

/// Scans `N` lines of `len` elements from element `start` on.
///
/// # Safety
/// The lines are in the memory, and nothing else uses their results, or writes their elements.
#[inline(always)]
unsafe fn abreast<S: Steps, const N: usize, const EXCLUSIVE: bool>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    (init, identity): (Option<S::Acc>, Option<S::Acc>),
    start: usize,
    len: usize,
) {
    // SAFETY: `i` is less than `len` below, so the element is in a line. Its own result is not stored yet.
    let element = |line: usize, i: usize| unsafe {
        let first = start + line * len;
        let origin = if memory.reverse { memory.at(first) + 1 - len } else { memory.at(first) };
        load(steps, memory, first + i, origin)
    };
    // SAFETY: as above.
    let put = |line: usize, i: usize, value: S::Acc| unsafe {
        memory.output.add(memory.at(start + line * len + i)).write(steps.store(value));
    };
    if const { S::TREE } {
        let (row, neutral) = steps.tree();
        let (mut y, mut rows, mut groups) = ([init.unwrap_or(neutral); N], [neutral; N], [neutral; N]);
        let mut before = [init.or(identity).unwrap_or(neutral); N];
        let mut i = 0;
        while i < len {
            let end = len.min(i + row);
            while i < end {
                for line in 0..N {
                    y[line] = steps.combine(y[line], element(line, i));
                    let with = steps.combine(groups[line], steps.combine(rows[line], y[line]));
                    put(line, i, if EXCLUSIVE { before[line] } else { with });
                    before[line] = with;
                }
                i += 1;
            }
            for line in 0..N {
                (rows[line], y[line]) = (steps.combine(rows[line], y[line]), neutral);
                if i.is_multiple_of(ROWS * row) {
                    (groups[line], rows[line]) = (steps.combine(groups[line], rows[line]), neutral);
                }
            }
        }
        return;
    }
    let encoded = |value: S::Acc| steps.encode(value);
    let (base, identity) = (init.map(encoded), identity.map(encoded));
    let result = |value: S::Acc| steps.decode(base.map_or(value, |base| steps.combine_encoded(base, value)));
    let mut values: [S::Acc; N] = std::array::from_fn(|line| encoded(element(line, 0)));
    for (line, &value) in values.iter().enumerate() {
        if !EXCLUSIVE {
            put(line, 0, result(value));
        } else if let Some(before) = base.or(identity) {
            put(line, 0, steps.decode(before));
        }
    }
    for i in 1..len {
        for (line, value) in values.iter_mut().enumerate() {
            let with = steps.combine_encoded(*value, encoded(element(line, i)));
            put(line, i, result(if EXCLUSIVE { *value } else { with }));
            *value = with;
        }
    }
}
