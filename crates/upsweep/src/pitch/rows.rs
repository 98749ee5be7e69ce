//! Rows of the last axis with gaps behind them, and what is done to them.

use crate::array::Array;
use crate::device::Device;
use crate::transform::Transform;
use rayon::prelude::*;
use upsweep_core::buffer::View;
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::{Apply, Gather};
use upsweep_core::memory;
use upsweep_core::operator::Element;
use upsweep_core::shape::{Pitch, Shape, product};

/// Bytes of rows that are brought together in a core's cache.
const BAND_BYTES: usize = 32 << 10;

/// Bytes of a row from which rows are computed where they lie, one by one.
const ROW_BYTES: usize = 16 << 10;

/// Bytes of a row from which all threads work on one row after the other.
const LONG_BYTES: usize = 8 << 20;

/// Rows of the last axis, and the axis along which they are scanned or reduced.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    /// Number of rows.
    pub(super) count: usize,
    pub(super) columns: usize,
    pub(super) pitch: usize,
    /// Whether the axis is the last one.
    pub(super) along: bool,
    /// Shape along another axis, with the gaps.
    pub(super) shape: Shape,
    /// Number of lines.
    pub(super) results: usize,
}

/// Index of element `at` of rows without gaps in rows with gaps.
#[crate::function]
pub(super) fn with_gaps(#[param] columns: u64, #[param] pitch: u64, at: u64) -> u64 {
    at / columns * pitch + at % columns
}

impl Rows {
    /// # Errors
    /// [`Error::Options`] without an axis, and with a pitch less than a row; [`Error::Axis`] when there is no such axis;
    /// [`Error::Length`] when a buffer ends before the last row, or goes on behind its gap.
    pub(super) fn of(axis: Option<(&[usize], usize)>, pitch: usize, buffers: &[(&'static str, usize)]) -> Result<Self> {
        let options = "a pitch";
        let Some((shape, axis)) = axis else {
            return Err(Error::Options {
                options,
                reason: "it is the distance of rows: say by `axis` what the rows are",
            });
        };
        let Some((&columns, before)) = shape.split_last().filter(|_| axis < shape.len()) else {
            return Err(Error::Axis { axis, axes: shape.len() });
        };
        if pitch < columns {
            let reason = "rows would overlap: it is at least the length of the last axis";
            return Err(Error::Options { options, reason });
        }
        let count = product(before);
        let last =
            if count == 0 || columns == 0 { 0 } else { (count - 1).saturating_mul(pitch).saturating_add(columns) };
        for &(what, found) in buffers {
            if found < last || found > count.saturating_mul(pitch) {
                return Err(Error::Length { what, found, expected: last });
            }
        }
        let along = axis + 1 == shape.len();
        let between = before.get(axis + 1..).map_or(1, product);
        let inner = between.saturating_mul(pitch);
        let outer = product(&before[..axis]);
        let results = if along { count } else { outer.saturating_mul(between).saturating_mul(columns) };
        Ok(Self { count, columns, pitch, along, shape: Shape { outer, len: shape[axis], inner }, results })
    }

    pub(super) fn elements(&self) -> usize {
        self.count.saturating_mul(self.columns)
    }

    pub(super) fn gaps(&self) -> Pitch {
        Pitch { columns: self.columns, pitch: self.pitch }
    }

    /// Indices of the elements.
    pub(super) fn places(&self) -> Apply<WithGaps, std::ops::Range<u64>> {
        let function = WithGaps { columns: self.columns as u64, pitch: self.pitch as u64 };
        Apply(function, 0..self.elements() as u64)
    }

    /// Runs on a copy without gaps, in memory of the device.
    pub(super) fn copied<T: Element>(
        &self,
        device: &Device,
        input: &View<'_, T>,
        run: impl FnOnce(&Array<T>) -> Result<()>,
    ) -> Result<()> {
        run(&Transform::copy().run_to_array(device, Gather::of(input).at(self.places()))?)
    }

    /// Calls `run` for bands of rows, on all threads: with the number of its rows, its part of `input` and of `output`,
    /// which has `each` elements for each row, and memory that it may use again.
    pub(super) fn each_band<T: Element, O: Element>(
        &self,
        output: &mut [O],
        each: usize,
        input: Option<&[T]>,
        run: impl Fn(usize, &[T], &mut [O], &mut Vec<T>) -> Result<()> + Sync,
    ) -> Result<()> {
        let bytes = self.columns.saturating_mul(size_of::<T>().max(size_of::<O>()).max(1));
        let rows = if bytes >= ROW_BYTES { 1 } else { (BAND_BYTES / bytes).clamp(1, self.count) };
        let band = |stage: &mut Vec<T>, (index, output): (usize, &mut [O])| {
            let lines = rows.min(self.count - index * rows);
            if lines > 1 {
                stage.clear();
                memory::reserve(stage, lines * self.columns)?;
            }
            let begin = index * rows * self.pitch;
            run(lines, input.and_then(|input| input.get(begin..)).unwrap_or_default(), output, stage)
        };
        if bytes >= LONG_BYTES || self.count <= rows {
            return output.chunks_mut(rows * each).enumerate().try_for_each(|part| band(&mut vec![], part));
        }
        output.par_chunks_mut(rows * each).enumerate().try_for_each_init(Vec::new, band)
    }

    /// Returns `lines` rows without the gaps behind them: a single one where it lies, more in `stage`.
    pub(super) fn together<'s, T: Element>(&self, rows: &'s [T], lines: usize, stage: &'s mut Vec<T>) -> &'s [T] {
        if lines == 1 {
            return &rows[..self.columns];
        }
        stage.clear();
        rows.chunks(self.pitch).take(lines).for_each(|row| stage.extend_from_slice(&row[..self.columns]));
        stage
    }

    /// Stores rows without gaps in rows with gaps.
    pub(super) fn apart<T: Element>(&self, together: &[T], rows: &mut [T]) {
        for (from, to) in together.chunks(self.columns).zip(rows.chunks_mut(self.pitch)) {
            to[..self.columns].copy_from_slice(from);
        }
    }
}
