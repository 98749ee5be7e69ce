//! Recurrences on signals in parts.

use super::kept::{numbers_of, numbers_of_mut};
use super::{Call, Carry};
use crate::buffered::of_known_length;
use crate::device::Device;
use crate::recurrence::{InitialState, Recurrence, Signal};
use std::any::type_name;
use upsweep_core::buffer::Output;
use upsweep_core::call::carry::Carried;
use upsweep_core::call::recurrence::Coefficient;
use upsweep_core::call::{self, Elements};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::outputs::Target;

impl<C: Coefficient, Z> Recurrence<'_, C, Z> {
    /// Runs like [`run`](Self::run) on a part of a signal, after the parts before it: see [`carry`](crate::carry). Along an
    /// axis, a part has some positions of each line. The first part begins with the states that [`state`](Self::state)
    /// gives, if any.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let average = Recurrence::new(&[0.25, 0.25], &[1.0, -0.5]);
    /// let (mut y, mut carry) = ([0.0f64; 5], Carry::new());
    /// let (first, second) = y.split_at_mut(2);
    /// average.run_with_carry(&device, &[1.0, 2.0], first, &mut carry)?;
    /// average.run_with_carry(&device, &[3.0, 4.0, 5.0], second, &mut carry)?;
    /// assert_eq!(y.to_vec(), average.run_to_vec(&device, &[1.0, 2.0, 3.0, 4.0, 5.0])?);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// Integers have the results of one call, wherever the signal is cut. Results of floats may differ in their last bits, as
    /// each part is grouped anew.
    ///
    /// **Cost.** As without a carry.
    ///
    /// # Errors
    /// As [`run`](Self::run). [`Error::Carry`] when the carry is of another call, or of another number of lines.
    /// [`Error::Options`] in reverse, which counts from the signal's end. The carry is then as before, unless the device
    /// tells an error later.
    pub fn run_with_carry<'x, X, Y>(&self, device: &Device, input: X, output: &mut Y, carry: &mut Carry) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Output<Item = X::Value> + ?Sized,
        X::Value: Signal<C>,
        Z: InitialState<C>,
    {
        let input = of_known_length(device, input)?;
        let (input, output) = (input.room(), Target::new(output.view_mut()));
        let (len, found) = (input.len(), output.len());
        if self.reverse {
            let reason = "it counts from the signal's end, which is not known: filter the parts forward";
            return Err(Error::Options { options: "a part of a signal", reason });
        }
        if found != len {
            return Err(Error::Length { what: "output", found, expected: len });
        }
        let (system, shape) = self.system(len)?;
        let signals = <X::Value as Signal<C>>::SIGNALS;
        let states = shape.lines().saturating_mul(system.states).saturating_mul(signals);
        let words = states.saturating_mul(size_of::<C>()).div_ceil(8).max(1);
        let carried = carry.open(device, (None, &|| self.call::<X::Value>(shape.lines())), words, true)?;
        let Carried { position, before, mut after } = carried;
        let first = if position > 0 { Some(numbers_of::<C>(&before, states)?) } else { self.state.view() };
        let last = Some(numbers_of_mut::<C>(&mut after, states)?);
        let input = Elements::Given(input);
        let call = call::recurrence::Call { system, shape, reverse: false, input, output, first, last };
        X::Value::filter(device, call)?;
        carry.advance(len);
        Ok(())
    }

    /// Returns what calls that share a carry with this one have in common.
    fn call<T>(&self, lines: usize) -> Call {
        let (element, number) = (type_name::<T>(), type_name::<C>());
        let name = format!("a recurrence of {lines} signals of {element} in {number}");
        Call::of_bytes(name, self.text().bytes())
    }
}
