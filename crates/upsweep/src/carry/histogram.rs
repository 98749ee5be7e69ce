//! Histograms of an array in parts.

use super::kept::{numbers_of, numbers_of_mut, read};
use super::{Call, Carry};
use crate::buffered::of_known_length;
use crate::device::Device;
use crate::histogram::{Amounts, Bins, Histogram};
use crate::options::expect_length;
use crate::transform::Transform;
use std::any::type_name;
use upsweep_core::buffer::{Output, View};
use upsweep_core::call::carry::Carried;
use upsweep_core::error::Result;
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::{Element, Integer, Number, Source};

/// Contents of a bin after two parts.
#[crate::function]
fn both<T: Number>(before: T, part: T) -> T {
    before + part
}

impl<B, W> Histogram<B, W> {
    /// Runs like [`run`](Self::run) on a part of an array, after the parts before it, and stores the bins of all of them in
    /// `output`: see [`carry`](crate::carry).
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (mut counts, mut carry) = ([0u32; 3], Carry::new());
    /// let waits = Histogram::even(0.0..=9.0, 3);
    /// waits.run_with_carry(&device, &[0.5f32, 4.0, 8.0], &mut counts, &mut carry)?;
    /// assert_eq!(counts, [1, 1, 1]);
    /// waits.run_with_carry(&device, &[1.0f32, 2.0], &mut counts, &mut carry)?;
    /// assert_eq!(counts, [3, 1, 1]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// Weights are integers: sums of floats are rounded, and so would be once for each part.
    ///
    /// **Cost.** As without a carry, and for each part a pass over the bins.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Options`](crate::Error::Options) for counts of `u32` of more than `u32::MAX` elements
    /// of all parts. [`Error::Carry`](crate::Error::Carry) when the carry is of another call. The carry is then as before,
    /// unless the device tells an error later.
    pub fn run_with_carry<'x, X, O>(&self, device: &Device, input: X, output: &mut O, carry: &mut Carry) -> Result<()>
    where
        X: Inputs<'x>,
        O: Output<Item: Integer> + ?Sized,
        B: Bins<X::Value, X::Args>,
        W: Amounts<O::Item>,
    {
        let input = of_known_length(device, input)?;
        let input = input.room();
        let bins = self.results::<X::Value, X::Args>()?.1;
        self.weights.check(carry.position(), input.len())?;
        expect_length("output", output.view_mut().len(), bins)?;
        let words = (bins * size_of::<O::Item>()).next_multiple_of(16) / 8;
        let call = || self.call::<X::Value, X::Args, O::Item>(bins);
        let carried = carry.open(device, (None, &call), words, true)?;
        self.part::<X::Value, X::Args, O>(device, &input, output, carried)?;
        carry.advance(input.len());
        Ok(())
    }

    /// Adds a part to the bins of those before.
    fn part<T, A, O>(
        &self,
        device: &Device,
        input: &View<'_, T>,
        output: &mut O,
        mut carried: Carried<'_>,
    ) -> Result<()>
    where
        T: Element,
        O: Output<Item: Integer> + ?Sized,
        B: Bins<T, A>,
        W: Amounts<O::Item>,
    {
        let bins = output.view_mut().len();
        let mut after = numbers_of_mut::<O::Item>(&mut carried.after, bins)?;
        if carried.position == 0 {
            self.dispatch::<T, A, O::Item>(device, input.clone(), after.view_mut())?;
        } else {
            let mut part = device.to_be_written::<O::Item>(bins)?;
            self.dispatch::<T, A, O::Item>(device, input.clone(), part.view_mut())?;
            let before = numbers_of::<O::Item>(&carried.before, bins)?;
            Transform::new(Both).run(device, (&before, &part), &mut after)?;
        }
        Transform::copy().run(device, &read(&after), &mut output.view_mut())
    }

    /// Returns what calls that share a carry with this one have in common.
    fn call<T, A, O>(&self, bins: usize) -> Call
    where
        T: Element,
        B: Bins<T, A>,
    {
        let mut source = Source::new();
        let (by, (of, counted)) = (Bins::<T, A>::name(&self.bins, &mut source), self.channels);
        let (from, to) = (type_name::<T>(), type_name::<O>());
        Call::new(&format!("a histogram of {bins} {by} from {from} to {to}, channels {counted} of {of}"), &source)
    }
}
