//! Moving sums of an image whose rows come in parts.

#[cfg(feature = "cuda")]
use super::kept::missing;
use super::kept::{part_of, part_of_mut};
use super::results::Results;
use super::{Call, Carry, numbers};
use crate::array::Array;
#[cfg(feature = "cuda")]
use crate::array::Storage;
use crate::buffered::of_known_length;
use crate::count::Count;
use crate::device::Device;
use crate::moving_sum::MovingSum;
use crate::transform::Transform;
use std::any::type_name;
use upsweep_core::buffer::{Input, Output, View, ViewMut};
use upsweep_core::call::carry::{self, Carried};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::{Element, Function, Map, Number, Source};
use upsweep_core::outputs::Target;
use upsweep_plan::moving_sum::Windows;

impl<M, F> MovingSum<M, F> {
    /// Runs like [`run`](Self::run) on some rows of an image, after those of the parts before: see
    /// [`carry`](crate::carry). The shape is that of the part, an image of one plane. Windows reach into the parts before,
    /// and into the next one: results of a part's last rows are those of an image that ends there, as many rows as a window
    /// has `below`. The next part has these rows again, first, and takes their place: [`Results`] says so. So `output` has
    /// room for the part's rows and, unless it is the first part, for those.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// // Each value and its neighbours above and below: an array is an image of one column.
    /// let (mut all, mut carry) = (Vec::new(), Carry::new());
    /// for part in [[3u64, 1], [7, 0], [4, 2]] {
    ///     let mut sums = [0; 3];
    ///     let moving = MovingSum::new([1, 2, 1, 1]).rows(1, 1);
    ///     moving.run_with_carry(&device, &part, &mut sums, &mut carry)?.append(&sums, &mut all)?;
    /// }
    /// assert_eq!(all, [4, 11, 8, 11, 6, 6]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// Integers have the results of one call, wherever the image is cut. Sums of floats down a column are rounded
    /// otherwise, as parts have running sums of their own; windows of one row have the bits of one call.
    ///
    /// **Cost.** As without a carry, and for each part but the first moving sums of an image of twice as many rows as a window
    /// has, which is computed into memory first.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Length`] when `output` has too little room. [`Error::Options`] for several planes.
    /// [`Error::Carry`] when the carry is of another call, or of an image of other rows. The carry is then as before, unless
    /// the device tells an error later.
    pub fn run_with_carry<'x, X, Y, A>(
        &self,
        device: &Device,
        input: X,
        output: &mut Y,
        carry: &mut Carry,
    ) -> Result<Results>
    where
        X: Inputs<'x>,
        Y: Output + ?Sized,
        A: Number,
        M: Map<X::Value, (X::Value,), Output = A>,
        F: Function<(A, u64), Output = Y::Item>,
    {
        let input = of_known_length(device, input)?;
        let input = input.room();
        let [planes, height, width, channels] = self.shape;
        if planes != 1 {
            let reason = "each plane has rows of its own: give the rows of one";
            return Err(Error::Options { options: "a part of an array", reason });
        }
        Windows::new(self.shape, input.len(), self.rows, self.columns)?;
        // The shape has as many values as the input, so that a row of any is no larger than that.
        let (row, [above, below]) = (width.saturating_mul(channels), self.rows);
        let most = above.checked_add(below).and_then(|rows| rows.checked_mul(row));
        let bytes = most.and_then(|most| most.checked_mul(size_of::<X::Value>()));
        let (Some(most), Some(bytes)) = (most, bytes) else { return Err(Error::OutOfMemory { bytes: usize::MAX }) };
        let words = bytes.max(1).div_ceil(16) * 2;
        let carried = carry.open(device, (None, &|| self.call::<X::Value, A>()), words, numbers::<X::Value>())?;
        let Carried { position, before, mut after } = carried;
        let rows_before = position / row.max(1) as u64;
        let kept = rows_before.min((above + below) as u64) as usize;
        let again = if height > 0 { rows_before.min(below as u64) as usize * row } else { 0 };
        let results = again + input.len();
        let mut output = output.view_mut();
        if output.len() < results {
            return Err(Error::Length { what: "output", found: output.len(), expected: results });
        }
        let first = Count::known(device, position - again as u64)?;
        let len = Count::known(device, results as u64)?;
        self.dispatch(device, &input, Target::new(part_of_mut(&mut output, again..results)?))?;
        if kept == 0 || input.is_empty() {
            keep(device, &input, most, &mut after)?;
        } else {
            // Only windows of the first rows reach into the rows before.
            let near = height.min(above + below);
            let rows = joined(device, &before, kept * row, &part_of(&input, 0..near * row)?)?;
            let image = MovingSum { shape: [1, kept + near, width, channels], ..*self };
            let sums = device.compute_array(rows.len(), |sums| image.dispatch(device, &rows.view(), sums))?;
            let from = kept * row - again..(kept + height.min(above)) * row;
            let mut to = part_of_mut(&mut output, 0..from.len())?;
            Transform::copy().run(device, &part_of(&sums.view(), from)?, &mut to)?;
            let last = if near < height { input.clone() } else { rows.view() };
            keep(device, &last, most, &mut after)?;
        }
        carry.advance(input.len());
        Ok(Results { first, len })
    }

    /// Returns what calls that share a carry with this one have in common.
    fn call<T: Element, A: Element>(&self) -> Call
    where
        M: Map<T, (T,), Output = A>,
    {
        let mut source = Source::new();
        self.map.cuda_function(&mut source);
        let Self { rows: [above, below], columns: [left, right], .. } = self;
        let window = format!("windows of {above} and {below} rows, {left} and {right} columns");
        let [_, _, width, channels] = self.shape;
        let (from, to) = (type_name::<T>(), type_name::<A>());
        Call::new(&format!("moving sums of {from} in {to}, {window}, of rows of {width} x {channels}"), &source)
    }
}

/// Returns the values of the rows that a state keeps, `kept` of them, and then those of `input`.
#[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "only GPUs have memory of their own"))]
fn joined<T: Element>(device: &Device, state: &View<'_, u64>, kept: usize, input: &View<'_, T>) -> Result<Array<T>> {
    match (state, input) {
        (View::Host(words), View::Host(input)) => {
            let mut all = upsweep_core::memory::room(kept.saturating_add(input.len()))?;
            // SAFETY: the carry is one of calls of these types, whose state has these values.
            all.extend((0..kept).filter_map(|i| unsafe { carry::read::<T>(words, i * size_of::<T>()) }));
            all.extend_from_slice(input);
            Ok(all.into())
        }
        #[cfg(feature = "cuda")]
        (View::Cuda(words), View::Cuda(input)) => {
            let mut all = device.to_be_written::<T>(kept + input.len())?;
            let Storage::Cuda(memory) = &mut all.0 else { return Err(missing()) };
            // SAFETY: what is copied are bits of elements, and any bits are a value of the carrier.
            let mut bits = unsafe { memory.transmute_mut::<T::Carrier>(kept + input.len()) }.ok_or_else(missing)?;
            let (mut first, mut second) = bits.try_split_at_mut(kept).ok_or_else(missing)?;
            // SAFETY: any bits are a value of the carrier, which has the element's size.
            let (kept, input) =
                unsafe { (words.transmute::<T::Carrier>(kept), input.transmute::<T::Carrier>(input.len())) };
            Transform::copy().run(device, &kept.ok_or_else(missing)?, &mut first)?;
            Transform::copy().run(device, &input.ok_or_else(missing)?, &mut second)?;
            Ok(all)
        }
        #[cfg(feature = "cuda")]
        _ => Err(missing()),
    }
}

/// Keeps the last values of `rows`, up to `most` of them, as the next state.
#[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "only GPUs have memory of their own"))]
fn keep<T: Element>(device: &Device, rows: &View<'_, T>, most: usize, state: &mut ViewMut<'_, u64>) -> Result<()> {
    let len = rows.len().min(most);
    match (part_of(rows, rows.len() - len..rows.len())?, state) {
        (View::Host(rows), ViewMut::Host(words)) => {
            rows.iter().enumerate().for_each(|(i, &x)| carry::write(words, i * size_of::<T>(), x));
            Ok(())
        }
        #[cfg(feature = "cuda")]
        (View::Cuda(rows), ViewMut::Cuda(words)) => {
            // SAFETY: words may have any bits, and the carrier has the element's size.
            let (rows, to) = unsafe { (rows.transmute::<T::Carrier>(len), words.transmute_mut::<T::Carrier>(len)) };
            Transform::copy().run(device, &rows.ok_or_else(missing)?, &mut to.ok_or_else(missing)?)
        }
        #[cfg(feature = "cuda")]
        _ => Err(missing()),
    }
}
