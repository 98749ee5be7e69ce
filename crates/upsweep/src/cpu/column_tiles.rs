//! Scans and reductions of a block of rows along an axis that is not the last.
//!
//! ```text
//! group    rows that fit into a first-level cache
//! tile     a few columns of a group: their running values stay in registers from row to row
//! ```
//!
//! The loops over the columns of a tile are what LLVM vectorises. In memory the running values would be stored and
//! loaded again for each row, which takes longer than a row of few columns.

use super::lanes::Lanes;
use super::pairwise::Pairwise;
use super::run::{Memory, Storing};
use super::simd::Work;
use super::store::{Ahead, StreamingCopy};
use super::tile::CHAIN;
use crate::plan::Shape;
use crate::plan::cpu::{STRIP_BYTES, Unit};
use crate::steps::Steps;
use std::mem::MaybeUninit;
use std::ops::Range;

/// The bytes of a group.
const GROUP_BYTES: usize = 4 * STRIP_BYTES;
/// The levels of a tree over the chains of a group, whose rows have at least one byte.
const GROUP_LEVELS: usize = (GROUP_BYTES / CHAIN).ilog2() as usize + 1;

/// Combines rows, of which there is at least one, into `values`: chains of [`CHAIN`] rows pairwise, so that the error of
/// float sums does not grow with the number of rows.
pub(super) struct Fold<'a, S: Steps> {
    pub(super) steps: &'a S,
    pub(super) memory: &'a Memory<S::In, S::Out>,
    pub(super) shape: Shape,
    pub(super) unit: Unit,
    pub(super) rows: Range<usize>,
    pub(super) values: *mut S::Acc,
    /// Room for [`Fold::parts`] vectors as wide as the unit.
    pub(super) parts: *mut S::Acc,
}

impl<S: Steps> Work for Fold<'_, S> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let width = self.unit.width;
        // A binary counter of vectors: see `pairwise`. `values` is the first, the others lie in `parts`.
        // SAFETY: `parts` has room for so many vectors.
        let part = |i: usize| if i == 0 { self.values } else { unsafe { self.parts.add((i - 1) * width) } };
        let (mut height, mut pushed) = (0_usize, 0_usize);
        let chunk = Self::chunk(width);
        for start in self.rows.clone().step_by(chunk) {
            // SAFETY: all vectors up to the height have been written, and do not overlap.
            unsafe {
                self.chunk_into(start..self.rows.end.min(start.saturating_add(chunk)), part(height));
                for _ in 0..pushed.trailing_ones() {
                    self.combine_into(part(height - 1), part(height));
                    height -= 1;
                }
            }
            height += 1;
            pushed += 1;
        }
        for i in 1..height {
            // SAFETY: as above.
            unsafe { self.combine_into(self.values, part(i)) };
        }
    }
}

impl<S: Steps> Fold<'_, S> {
    /// The rows that go to one vector: a group, but at least [`CHAIN`]; all of them where no grouping shows.
    fn chunk(width: usize) -> usize {
        let group = group_rows::<S>(width);
        if S::EXACT { usize::MAX } else { group * CHAIN.div_ceil(group) }
    }

    /// The vectors that `rows` rows of `width` columns need beside the result.
    pub(super) fn parts(rows: usize, width: usize) -> usize {
        rows.div_ceil(Self::chunk(width)).checked_ilog2().unwrap_or(0) as usize + 1
    }

    /// `to = to ⊕ from`, column by column.
    ///
    /// # Safety
    /// Both have the unit's width and are initialised, and do not overlap.
    #[inline(always)]
    unsafe fn combine_into(&self, to: *mut S::Acc, from: *const S::Acc) {
        for c in 0..self.unit.width {
            // SAFETY: the caller's promise.
            unsafe { to.add(c).write(self.steps.combine(to.add(c).read(), from.add(c).read())) };
        }
    }

    /// Combines a chunk of rows into `values`.
    ///
    /// # Safety
    /// The rows are in memory, and there is room for a vector at `values`.
    #[inline(always)]
    unsafe fn chunk_into(&self, chunk: Range<usize>, values: *mut S::Acc) {
        for rows in groups::<S>(chunk.clone(), self.unit.width) {
            let begun = rows.start > chunk.start;
            // SAFETY: the tiles' columns are the unit's, whose rows are in memory: see `scan` and `reduce`.
            tiles::<S>(self.unit.width, |c, width| unsafe {
                let values = values.add(c);
                if S::LANES {
                    match width {
                        64 => self.tile::<64, 64>(rows.clone(), c, begun, values),
                        16 => self.tile::<16, 16>(rows.clone(), c, begun, values),
                        4 => self.tile::<4, 4>(rows.clone(), c, begun, values),
                        3 => self.tile::<3, 4>(rows.clone(), c, begun, values),
                        2 => self.tile::<2, 4>(rows.clone(), c, begun, values),
                        _ => self.tile::<1, 4>(rows.clone(), c, begun, values),
                    }
                } else {
                    match width {
                        64 => self.tile::<64, 64>(rows.clone(), c, begun, values),
                        16 => self.tile::<16, 16>(rows.clone(), c, begun, values),
                        4 => self.tile::<4, 4>(rows.clone(), c, begun, values),
                        _ => self.tile::<1, 1>(rows.clone(), c, begun, values),
                    }
                }
            });
        }
    }

    /// Combines rows of the `W` columns from `c` on, in `LANES` lanes, into `values`, which come first if they have
    /// `begun`.
    ///
    /// # Safety
    /// The columns are the unit's, and the rows in memory.
    #[inline(always)]
    unsafe fn tile<const W: usize, const LANES: usize>(
        &self,
        rows: Range<usize>,
        c: usize,
        begun: bool,
        values: *mut S::Acc,
    ) {
        let combine = |a: [S::Acc; LANES], b: [S::Acc; LANES]| each(|i| self.steps.combine(a[i], b[i]));
        let load = |k| {
            // SAFETY: the caller's promise.
            unsafe { load_row::<W, LANES, S>(self.steps, self.memory, self.shape, self.unit.start + c, k) }
        };
        // SAFETY: if something has begun, the values of the columns have been written.
        let before = begun.then(|| each(|i| unsafe { values.add(column::<W>(i)).read() }));
        let value = if S::EXACT || begun || rows.len() <= CHAIN {
            // What has begun are groups of fewer rows than a chain.
            rows.map(load).fold(before, |value, x| Some(value.map_or(x, |value| combine(value, x))))
        } else {
            let mut parts = Pairwise::<_, GROUP_LEVELS>::new();
            for start in rows.clone().step_by(CHAIN) {
                if let Some(value) = (start..rows.end.min(start + CHAIN)).map(load).reduce(combine) {
                    parts.push(value, combine);
                }
            }
            parts.total(combine)
        };
        if let Some(value) = value {
            // SAFETY: there is room for the columns.
            unsafe { write_first::<W, LANES, _>(values, value) };
        }
    }
}

/// `rows` in groups, for rows of `width` columns.
#[inline(always)]
fn groups<S: Steps>(rows: Range<usize>, width: usize) -> impl Iterator<Item = Range<usize>> {
    let most = group_rows::<S>(width);
    rows.clone().step_by(most).map(move |start| start..rows.end.min(start + most))
}

pub(super) fn group_rows<S: Steps>(width: usize) -> usize {
    (GROUP_BYTES / (width * size_of::<S::In>().max(size_of::<S::Out>())).max(1)).max(1)
}

/// Calls `tile(c, width)` for columns `c .. c + width` until all of them have had their turn.
#[inline(always)]
fn tiles<S: Steps>(columns: usize, tile: impl Fn(usize, usize)) {
    let mut c = 0;
    while c < columns {
        let width = match columns - c {
            64.. => 64,
            16.. => 16,
            4.. => 4,
            left if S::LANES => left,
            _ => 1,
        };
        tile(c, width);
        c += width;
    }
}

/// `value(i)` for each `i`, in a loop that LLVM vectorises.
#[inline(always)]
fn each<T: Copy, const W: usize>(value: impl Fn(usize) -> T) -> [T; W] {
    let mut values = [const { MaybeUninit::uninit() }; W];
    for (i, to) in values.iter_mut().enumerate() {
        to.write(value(i));
    }
    // SAFETY: all have been written.
    values.map(|value| unsafe { value.assume_init() })
}

/// The column of a lane: lanes that are left over do the last one's work again. LLVM makes vectors of four lanes, but takes
/// fewer one by one, which is slow where a number is compared and chosen.
#[inline(always)]
fn column<const W: usize>(lane: usize) -> usize {
    lane.min(W - 1)
}

/// Writes the values of `W` columns.
///
/// # Safety
/// There is room for them.
#[inline(always)]
unsafe fn write_first<const W: usize, const LANES: usize, T: Copy>(to: *mut T, values: [T; LANES]) {
    for (i, value) in values.into_iter().take(W).enumerate() {
        // SAFETY: the caller's promise.
        unsafe { to.add(i).write(value) };
    }
}

/// The mapped elements of row `k` in scan order, in the `W` columns from `start` of the first row on, in `LANES` lanes.
///
/// # Safety
/// They are in memory, and initialised.
#[inline(always)]
unsafe fn load_row<const W: usize, const LANES: usize, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    shape: Shape,
    start: usize,
    k: usize,
) -> [S::Acc; LANES] {
    let row = if memory.reverse { shape.len - 1 - k } else { k };
    // SAFETY: the caller's promise.
    each(|i| steps.load(unsafe { memory.input.add(start + row * shape.inner + column::<W>(i)).read() }, row))
}

/// Scans rows after the running values, which are initialised if something has `begun`.
pub(super) struct Rows<'a, S: Steps> {
    pub(super) steps: &'a S,
    pub(super) memory: &'a Memory<S::In, S::Out>,
    pub(super) shape: Shape,
    pub(super) unit: Unit,
    pub(super) rows: Range<usize>,
    pub(super) begun: bool,
    /// The running values, and room for a group of results if stores are non-temporal.
    pub(super) vectors: (*mut S::Acc, *mut S::Out),
    pub(super) storing: Storing<S::Acc>,
}

impl<S: Steps> Work for Rows<'_, S> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { memory, shape, unit, storing, .. } = self;
        let mut begun = self.begun;
        for rows in groups::<S>(self.rows.clone(), unit.width) {
            let first = if memory.reverse { shape.len - rows.end } else { rows.start };
            // SAFETY: the unit's rows are in memory, and the vectors have room for it: see `scan`.
            unsafe {
                let output = memory.output.add(unit.start + first * shape.inner);
                let to = if storing.non_temporal { (self.vectors.1, unit.width) } else { (output, shape.inner) };
                let to = (to.0, first, to.1);
                tiles::<S>(unit.width, |c, width| {
                    if S::LANES {
                        match width {
                            64 => self.tile::<64, 64>(rows.clone(), c, begun, to),
                            16 => self.tile::<16, 16>(rows.clone(), c, begun, to),
                            4 => self.tile::<4, 4>(rows.clone(), c, begun, to),
                            3 => self.tile::<3, 4>(rows.clone(), c, begun, to),
                            2 => self.tile::<2, 4>(rows.clone(), c, begun, to),
                            _ => self.tile::<1, 4>(rows.clone(), c, begun, to),
                        }
                    } else {
                        match width {
                            64 => self.tile::<64, 64>(rows.clone(), c, begun, to),
                            16 => self.tile::<16, 16>(rows.clone(), c, begun, to),
                            4 => self.tile::<4, 4>(rows.clone(), c, begun, to),
                            _ => self.tile::<1, 1>(rows.clone(), c, begun, to),
                        }
                    }
                });
                if storing.non_temporal {
                    // Rows that are neighbours go as one: lines of the cache that they share would go in two parts.
                    let copies = if unit.width == shape.inner { 1 } else { rows.len() };
                    let len = rows.len() / copies * unit.width;
                    for i in 0..copies {
                        let (from, output) = (to.0.add(i * len), output.add(i * shape.inner));
                        let bytes = len * size_of::<S::Out>();
                        StreamingCopy::<L>::new(from.cast_const().cast(), output.cast(), bytes, Ahead::NOTHING)
                            .finish(false);
                    }
                }
            }
            begun = true;
        }
    }
}

impl<S: Steps> Rows<'_, S> {
    /// Scans rows of the `W` columns from `c` on, and stores the results of the row that is number `first` in memory at
    /// `to`, those of the next one `stride` further on.
    ///
    /// # Safety
    /// The columns are the unit's, the rows are in memory, and there is room for their results.
    #[inline(always)]
    unsafe fn tile<const W: usize, const LANES: usize>(
        &self,
        mut rows: Range<usize>,
        c: usize,
        begun: bool,
        (to, first, stride): (*mut S::Out, usize, usize),
    ) {
        let Self { steps, memory, shape, unit, storing, .. } = *self;
        // SAFETY: the caller's promise; the running values are initialised if something has begun.
        unsafe {
            let values = self.vectors.0.add(c);
            let load = |k| load_row::<W, LANES, S>(steps, memory, shape, unit.start + c, k);
            // In place a row's results are stored after its elements have been read.
            let store = |k, value: [S::Acc; LANES]| {
                let row = if memory.reverse { shape.len - 1 - k } else { k };
                let to = to.add((row - first) * stride + c);
                for (i, value) in value.into_iter().take(W).enumerate() {
                    to.add(i).write(steps.store(value));
                }
            };
            let mut value = if begun {
                each(|i| values.add(column::<W>(i)).read())
            } else {
                let x = load(rows.start);
                if !storing.exclusive {
                    store(rows.start, x);
                } else if let Some(identity) = storing.identity {
                    store(rows.start, [identity; LANES]);
                }
                rows.start += 1;
                x
            };
            for k in rows {
                let x = load(k);
                let before = value;
                value = each(|i| steps.combine(value[i], x[i]));
                store(k, if storing.exclusive { before } else { value });
            }
            write_first::<W, LANES, _>(values, value);
        }
    }
}
