//! Kernels that scan or reduce a block of rows along an axis that is not the last.
//!
//! ```text
//! group    rows that fit in a first-level cache
//! tile     a few columns of a group: their running values stay in registers from row to row
//! ```
//!
//! The loops over the columns of a tile are what LLVM vectorises. In memory the running values would be stored and
//! loaded again for each row, which takes longer than a row of few columns.

use super::hidden::hidden;
use super::lanes::{Lanes, Work};
use super::pairwise::Pairwise;
use super::run::{Memory, Storing};
use super::store::StreamingCopy;
use std::mem::MaybeUninit;
use std::ops::Range;
use upsweep_core::inputs::Read;
use upsweep_core::lanes::{CHAIN, LEAF};
use upsweep_core::outputs::Write;
use upsweep_core::shape::Shape;
use upsweep_core::steps::{In, Out, Steps};
use upsweep_plan::cpu::{STRIP_BYTES, Unit};

/// Bytes of a group of rows, which stays in a first-level cache.
const GROUP_BYTES: usize = 4 * STRIP_BYTES;
/// Number of levels of the tree over the leaves (`LEAF` rows) of a group. A row has at least one byte.
const GROUP_LEVELS: usize = (GROUP_BYTES / LEAF).ilog2() as usize + 2;

/// Calls `$self.$tile::<W, LANES>(...)` for tiles of `W` columns from `$c` on that cover all columns. This is a macro,
/// as a closure might not be inlined, and would then lack the instruction set. Each width is compiled for every
/// operator and type. So widths are left out that would not be vectors ([`wide`]) or do not fit in registers, and some
/// with `small-loops`.
macro_rules! tiles {
    ($L:ty, $S:ty, $columns:expr, $c:ident, $self:ident.$tile:ident($($argument:expr),*)) => {{
        let mut $c = 0;
        while $c < $columns {
            macro_rules! tile {
                ($W:literal, $LANES:literal) => {{
                    $self.$tile::<$W, $LANES>($($argument),*);
                    $W
                }};
            }
            $c += match $columns - $c {
                #[cfg(not(feature = "small-loops"))]
                64.. if const { wide::<$S>() && !<$L>::IN_MEMORY } => tile!(64, 64),
                16.. if const { wide::<$S>() } => tile!(16, 16),
                4.. => tile!(4, 4),
                #[cfg(not(feature = "small-loops"))]
                3 if <$S>::LANES => tile!(3, 4),
                #[cfg(not(feature = "small-loops"))]
                2 if <$S>::LANES => tile!(2, 4),
                _ if <$S>::LANES => tile!(1, 4),
                _ => tile!(1, 1),
            };
        }
    }};
}

/// Whether wide tiles (of many columns) are used. Their values must be contiguous, and small enough that the compiler
/// makes vectors of the combined values. For other types a narrow tile is as fast or faster, with a fraction of the
/// code.
const fn wide<S: Steps>() -> bool {
    S::In::SIDE_BY_SIDE && size_of::<S::Acc>() <= 8
}

/// Reduction of `rows`, at least one, of a unit (some columns of a matrix) into `values`, column by column, by the tree of
/// columns ([`lanes`](upsweep_core::lanes)): leaves of `LEAF` rows in a balanced tree, so that the error of float sums
/// grows with the logarithm of the number of rows. In a reduction the rows begin with a leaf.
///
/// # Safety
/// The rows of the unit are in memory, at least one, and nothing writes them meanwhile. `values` has room for the
/// unit's width and is disjoint from `parts`. Nobody else uses `values` and `parts`.
pub(crate) struct Fold<'a, S: Steps> {
    pub(crate) steps: &'a S,
    pub(crate) memory: &'a Memory<S::In, S::Out>,
    pub(crate) shape: Shape,
    pub(crate) unit: Unit,
    pub(crate) rows: Range<usize>,
    pub(crate) values: *mut S::Acc,
    /// Room for as many scratch vectors as [`Fold::parts`] returns, each as wide as the unit.
    pub(crate) parts: *mut S::Acc,
}

impl<S: Steps> Work for Fold<'_, S> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let width = self.unit.width;
        // `values` is the first vector, and `parts` has the others.
        // SAFETY: `parts` has room for as many vectors as the tree has levels.
        let vector = |i: usize| if i == 0 { self.values } else { unsafe { self.parts.add((i - 1) * width) } };
        let mut vectors = Pairwise::<*mut S::Acc>::new();
        let chunk = Self::chunk(width);
        for start in self.rows.clone().step_by(chunk) {
            // SAFETY: all vectors up to the height have been written, and do not overlap.
            unsafe {
                let free = vector(vectors.height());
                self.chunk_into::<L>(start..self.rows.end.min(start.saturating_add(chunk)), free);
                vectors.push(free, |a, b| combine_vectors(self.steps, width, a, b));
            }
        }
        // SAFETY: all vectors up to the height have been written, and do not overlap. The result is in the leftmost,
        // `values`.
        vectors.total(|a, b| unsafe { combine_vectors(self.steps, width, a, b) });
    }
}

/// Computes `left = left ⊕ right`, column by column. Returns `left`.
///
/// # Safety
/// `left` and `right` are valid for `width` values, are initialised, and do not overlap.
#[inline(always)]
pub(crate) unsafe fn combine_vectors<S: Steps>(
    steps: &S,
    width: usize,
    left: *mut S::Acc,
    right: *mut S::Acc,
) -> *mut S::Acc {
    for c in 0..width {
        // SAFETY: `left` and `right` have `width` values, initialised, and do not overlap.
        unsafe { left.add(c).write(steps.combine(left.add(c).read(), right.add(c).read())) };
    }
    left
}

impl<S: Steps> Fold<'_, S> {
    /// Returns the number of rows of `width` columns that are combined into one vector of the tree: a power of two of
    /// leaves, those of a group if it has any. It is unlimited if the grouping does not change the result and a serial
    /// chain is fastest.
    fn chunk(width: usize) -> usize {
        if S::QUICK { usize::MAX } else { LEAF << (group_rows::<S>(width) / LEAF).max(1).ilog2() }
    }

    /// Returns the number of scratch vectors that `rows` rows of `width` columns need.
    pub(crate) fn parts(rows: usize, width: usize) -> usize {
        rows.div_ceil(Self::chunk(width)).checked_ilog2().unwrap_or(0) as usize + 1
    }

    /// Reduces a chunk of rows, those that are combined into one vector of the tree, into `values`: a group at a time, or
    /// a chain of a leaf at a time if a leaf is longer than a group.
    ///
    /// # Safety
    /// The rows are in memory, and there is room for a vector at `values`.
    #[inline(always)]
    unsafe fn chunk_into<L: Lanes>(&self, chunk: Range<usize>, values: *mut S::Acc) {
        let group = group_rows::<S>(self.unit.width);
        let most = if S::QUICK {
            group
        } else if group < LEAF {
            CHAIN
        } else {
            Self::chunk(self.unit.width)
        };
        for start in chunk.clone().step_by(most) {
            let rows = start..chunk.end.min(start + most);
            // SAFETY: the tiles' columns are the unit's, and its rows are in memory.
            unsafe { tiles!(L, S, self.unit.width, c, self.tile(rows.clone(), c, start > chunk.start, values.add(c))) };
        }
    }

    /// Reduces rows of the `W` columns from `c` on into `values`. They are computed in `LANES` lanes, of which those
    /// after the first `W` are unused. If `begun`, they are combined with the values that are there.
    ///
    /// # Safety
    /// The columns are those of `self.unit`, and the rows are in memory. If `begun`, `values` has been written.
    #[inline(always)]
    unsafe fn tile<const W: usize, const LANES: usize>(
        &self,
        rows: Range<usize>,
        c: usize,
        begun: bool,
        values: *mut S::Acc,
    ) {
        // SAFETY: the columns are those of `self.unit`, and the rows are in memory. If `begun`, `values` has been
        // written.
        let value = unsafe {
            let before = || each(|i| values.add(column::<W>(i)).read());
            if S::QUICK {
                let (first, rest) = if begun {
                    (before(), rows)
                } else {
                    (self.load::<W, LANES>(rows.start, c), rows.start + 1..rows.end)
                };
                self.chain::<W, LANES>(first, rest, c)
            } else if rows.len() <= CHAIN {
                let own = self.short_chain::<W, LANES>(rows, c);
                if begun { self.combine(before(), own) } else { own }
            } else {
                let mut parts = Pairwise::<_, GROUP_LEVELS>::new();
                let mut start = rows.start;
                while start < rows.end {
                    let leaf = start..rows.end.min(start + LEAF);
                    parts.push(self.leaf::<W, LANES>(leaf, c), |a, b| self.combine(a, b));
                    start += LEAF;
                }
                // There is at least one row.
                parts.total(|a, b| self.combine(a, b)).unwrap_unchecked()
            }
        };
        // SAFETY: `values` has room for the columns.
        unsafe { write_first::<W, LANES, _>(values, value) };
    }

    // The functions below are not closures: these might not be inlined, and would then lack the instruction set.

    /// Loads and maps row `k` in the `W` columns from column `c` of the unit on, in `LANES` lanes.
    ///
    /// # Safety
    /// The columns are those of `self.unit`, and the row is in memory.
    #[inline(always)]
    unsafe fn load<const W: usize, const LANES: usize>(&self, k: usize, c: usize) -> [S::Acc; LANES] {
        // LLVM must not see that rows are consecutive: it would make vectors across rows, and shuffle them into vectors
        // across columns.
        // SAFETY: the row and the columns are those of `self.unit`, which is in memory.
        unsafe { load_row::<W, LANES, S>(self.steps, self.memory, self.shape, self.unit.start + c, hidden(k)) }
    }

    #[inline(always)]
    fn combine<const LANES: usize>(&self, a: [S::Acc; LANES], b: [S::Acc; LANES]) -> [S::Acc; LANES] {
        each(|i| self.steps.combine(a[i], b[i]))
    }

    /// Combines `value` with the rows, in the columns from column `c` of the unit on, one row after the other.
    ///
    /// # Safety
    /// The rows and columns are those of `self.unit`, which is in memory.
    // With `small-loops` there are no vectors, and the function is compiled once.
    #[cfg_attr(not(feature = "small-loops"), inline(always))]
    #[cfg_attr(feature = "small-loops", inline(never))]
    unsafe fn chain<const W: usize, const LANES: usize>(
        &self,
        mut value: [S::Acc; LANES],
        rows: Range<usize>,
        c: usize,
    ) -> [S::Acc; LANES] {
        for k in rows {
            // SAFETY: the rows and columns are those of `self.unit`, which is in memory.
            value = self.combine(value, unsafe { self.load::<W, LANES>(k, c) });
        }
        value
    }

    /// Reduces chains of [`CHAIN`] rows, and combines their totals one after the other.
    ///
    /// # Safety
    /// The rows and columns are those of `self.unit`, which is in memory. There is at least one row.
    #[inline(always)]
    unsafe fn leaf<const W: usize, const LANES: usize>(&self, rows: Range<usize>, c: usize) -> [S::Acc; LANES] {
        let mut total = None;
        for start in rows.clone().step_by(CHAIN) {
            // SAFETY: the rows and columns are those of `self.unit`, which is in memory.
            let value = unsafe { self.short_chain::<W, LANES>(start..rows.end.min(start + CHAIN), c) };
            total = Some(total.map_or(value, |total| self.combine(total, value)));
        }
        // SAFETY: there is at least one row.
        unsafe { total.unwrap_unchecked() }
    }

    /// # Safety
    /// As [`leaf`](Self::leaf), of which the rows are a chain.
    #[inline(always)]
    unsafe fn short_chain<const W: usize, const LANES: usize>(&self, rows: Range<usize>, c: usize) -> [S::Acc; LANES] {
        // SAFETY: the rows and columns are those of `self.unit`, which is in memory.
        unsafe {
            let mut value = self.load::<W, LANES>(rows.start, c);
            if W < 64 && wide::<S>() && rows.len() == CHAIN {
                // LLVM unrolls a constant number of rows. More columns would spill.
                for k in rows.start + 1..rows.start + CHAIN {
                    value = self.combine(value, self.load::<W, LANES>(k, c));
                }
                value
            } else {
                self.chain::<W, LANES>(value, rows.start + 1..rows.end, c)
            }
        }
    }
}

/// Splits `rows` of `width` columns into groups that fit in a first-level cache.
#[inline(always)]
fn groups<S: Steps>(rows: Range<usize>, width: usize) -> impl Iterator<Item = Range<usize>> {
    let most = group_rows::<S>(width);
    rows.clone().step_by(most).map(move |start| start..rows.end.min(start + most))
}

pub(crate) fn group_rows<S: Steps>(width: usize) -> usize {
    (GROUP_BYTES / (width * size_of::<In<S>>().max(size_of::<Out<S>>())).max(1)).max(1)
}

/// Returns the array of `value(i)` for each `i`, in a loop that LLVM vectorises.
#[inline(always)]
fn each<T: Copy, const W: usize>(value: impl Fn(usize) -> T) -> [T; W] {
    let mut values = [const { MaybeUninit::uninit() }; W];
    for (i, to) in values.iter_mut().enumerate() {
        to.write(value(i));
    }
    // SAFETY: all elements have been written. `values.map(..)` would be six functions to compile for each type and
    // width.
    unsafe { (&raw const values).cast::<[T; W]>().read() }
}

/// Returns the column of a lane. Excess lanes repeat the last column. LLVM makes vectors of four lanes, but handles
/// fewer one by one, which is slow for compare-and-select.
#[inline(always)]
fn column<const W: usize>(lane: usize) -> usize {
    lane.min(W - 1)
}

/// Writes the values of `W` columns, which are in the first `W` lanes.
///
/// # Safety
/// `to` has room for `W` values.
#[inline(always)]
unsafe fn write_first<const W: usize, const LANES: usize, T: Copy>(to: *mut T, values: [T; LANES]) {
    for (i, value) in values.into_iter().take(W).enumerate() {
        // SAFETY: `to` has room for `W` values.
        unsafe { to.add(i).write(value) };
    }
}

/// Loads and maps the elements of row `k` in scan order, in the `W` columns from index `start` in the first row on, in
/// `LANES` lanes.
///
/// # Safety
/// The elements are in memory, and initialised.
// With `small-loops` there are no vectors, and the function is compiled once.
#[cfg_attr(not(feature = "small-loops"), inline(always))]
#[cfg_attr(feature = "small-loops", inline(never))]
unsafe fn load_row<const W: usize, const LANES: usize, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    shape: Shape,
    start: usize,
    k: usize,
) -> [S::Acc; LANES] {
    let row = if memory.reverse { shape.len - 1 - k } else { k };
    // SAFETY: the row's elements are in memory, and initialised.
    each(|i| steps.load(unsafe { S::In::read(&memory.input, start + row * shape.inner + column::<W>(i)) }, row))
}

/// Scan of rows of a unit (some columns of a matrix), which continues from the running value of each column. These are
/// initialised if `begun`.
///
/// # Safety
/// The rows of the unit are in memory, and nobody else uses their elements or results meanwhile. The first of `vectors`
/// has room for the unit's width, the second for a group of its results.
pub(crate) struct Rows<'a, S: Steps> {
    pub(crate) steps: &'a S,
    pub(crate) memory: &'a Memory<S::In, S::Out>,
    pub(crate) shape: Shape,
    pub(crate) unit: Unit,
    pub(crate) rows: Range<usize>,
    pub(crate) begun: bool,
    /// Running value of each column, and room for a group of results if these are staged.
    pub(crate) vectors: (*mut S::Acc, *mut Out<S>),
    pub(crate) storing: Storing<S::Acc>,
}

impl<S: Steps> Work for Rows<'_, S> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { memory, shape, unit, storing, .. } = self;
        let mut begun = self.begun;
        for rows in groups::<S>(self.rows.clone(), unit.width) {
            let first = if memory.reverse { shape.len - rows.end } else { rows.start };
            // SAFETY: the unit's rows are in memory, and `vectors` have room for its width and a group of results.
            unsafe {
                let start = unit.start + first * shape.inner;
                let output = memory.output.wrapping_add(start);
                let staged = storing.non_temporal || !S::Out::PLAIN;
                let to = if staged { (self.vectors.1, unit.width) } else { (output, shape.inner) };
                let to = (to.0, first, to.1);
                tiles!(L, S, unit.width, c, self.tile(rows.clone(), c, begun, to));
                if !S::Out::PLAIN {
                    for (row, c) in (0..rows.len()).flat_map(|row| (0..unit.width).map(move |c| (row, c))) {
                        let result = to.0.add(row * unit.width + c).read();
                        S::Out::write(&memory.sink, start + row * shape.inner + c, result);
                    }
                } else if storing.non_temporal {
                    // Contiguous rows are copied as one: a cache line shared by two rows would otherwise be stored in
                    // two parts.
                    let copies = if unit.width == shape.inner { 1 } else { rows.len() };
                    let len = rows.len() / copies * unit.width;
                    for i in 0..copies {
                        let (from, output) = (to.0.add(i * len), output.add(i * shape.inner));
                        let bytes = len * size_of::<Out<S>>();
                        StreamingCopy::<L>::new(from.cast_const().cast(), output.cast(), bytes).finish(false);
                    }
                }
            }
            begun = true;
        }
    }
}

impl<S: Steps> Rows<'_, S> {
    /// Scans rows of the `W` columns from `c` on. The results of row `first`, counted in memory order, are stored at
    /// `to`, and those of the next row `stride` elements further.
    ///
    /// # Safety
    /// The columns are those of `self.unit`, the rows are in memory, and there is room for their results.
    #[inline(always)]
    unsafe fn tile<const W: usize, const LANES: usize>(
        &self,
        mut rows: Range<usize>,
        c: usize,
        begun: bool,
        (to, first, stride): (*mut Out<S>, usize, usize),
    ) {
        let Self { steps, memory, shape, unit, storing, .. } = *self;
        // SAFETY: the tile's columns are the unit's, and its rows are in memory. The running values are initialised if
        // `begun`.
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
