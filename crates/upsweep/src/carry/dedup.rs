//! Equal neighbours and runs of an array in parts.

use super::kept::{Kept, VALUES, after, nothing, read, written};
use super::results::Results;
use super::selection::{expect_indices, expect_known, store, stored};
use super::{Call, Carry, numbers};
use crate::array::Array;
use crate::buffered::Buffered;
use crate::count::Count;
use crate::dedup::Dedup;
use crate::device::Device;
use crate::options::expect_length;
use crate::reduce::Reduce;
use crate::runs::Runs;
use crate::transform::{in_place, of_counted};
use std::any::{TypeId, type_name};
use upsweep_core::buffer::{Output, View, ViewMut};
use upsweep_core::call::select::{Choose, FirstOf, Indices, LastOf, Moved, Neighbour, Yields};
use upsweep_core::error::Result;
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::builtin::{First, Last, Sum};
use upsweep_core::operator::{Element, Function, Operator, Source};
use upsweep_core::outputs::Target;
use upsweep_core::segments::{Kind, Segments};

impl<C, V> Dedup<C, V> {
    /// Runs like [`run`](Self::run) on a part of an array, after the parts before it: see [`carry`](crate::carry).
    /// Indices are those in the whole array. A run that is open where the part ends has a result, the part's last. If the
    /// next part goes on with it, its first result takes the place of that: [`Results`] says so.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let parts = [[3u32, 3, 1], [1, 1, 3], [7, 7, 7]];
    /// let (mut values, mut lasts) = (Vec::new(), Vec::new());
    /// let (mut of_values, mut of_lasts) = (Carry::new(), Carry::new());
    /// for part in parts {
    ///     let (mut some, mut places) = ([0; 3], [0u64; 3]);
    ///     let results = Dedup::new().run_with_carry(&device, &part, &mut some, &mut of_values)?;
    ///     results.append(&some, &mut values)?;
    ///     let last = Dedup::new().last().indices();
    ///     last.run_with_carry(&device, &part, &mut places, &mut of_lasts)?.append(&places, &mut lasts)?;
    /// }
    /// assert_eq!((values, lasts), (vec![3, 1, 3, 7], vec![1, 4, 5, 8]));
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// **Cost.** As without a carry; indices of all parts but the first are written and read once more. On CUDA some ten
    /// launches of kernels for one or two values come to it.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Options`](crate::Error::Options) when the output's type cannot hold the indices of as
    /// many elements as all parts have, and with counted elements. [`Error::Carry`](crate::Error::Carry) when the carry is
    /// of another call. The carry is then as before, unless the device tells an error later. On CUDA, the next call that
    /// waits returns [`Error::Capacity`](crate::Error::Capacity) or [`Error::Index`](crate::Error::Index) for an output with
    /// too little room.
    pub fn run_with_carry<'x, X, O>(
        &self,
        device: &Device,
        input: X,
        output: &mut O,
        carry: &mut Carry,
    ) -> Result<Results>
    where
        X: Inputs<'x>,
        O: Output + ?Sized,
        C: Choose<X::Value>,
        V: Yields<X::Value, O::Item>,
    {
        expect_known::<X::Item>()?;
        let input = Buffered::<X::Item>::new(device, input.given())?;
        let input = input.room();
        expect_indices::<V, X::Value, O::Item>(carry.position(), input.len())?;
        let last = C::NEIGHBOUR == Some(Neighbour::After);
        let types = if last {
            TypeId::of::<(Dedup<LastOf<C::Same>, V>, X::Value, O::Item)>()
        } else {
            TypeId::of::<(Dedup<FirstOf<C::Same>, V>, X::Value, O::Item)>()
        };
        let same = self.choice.same();
        let what = if last { "the last" } else { "the first" };
        let call = || call::<X::Value, V, O::Item, _>(&format!("{what} of equal neighbours"), same);
        let (words, any_bits) = (const { words::<X::Value>(after::<O::Item>(VALUES)) }, numbers::<O::Item>());
        let any_bits = any_bits && numbers::<X::Value>();
        let carried = carry.open(device, (Some((types, Kind::Whole)), &call), words, any_bits)?;
        if input.is_empty() {
            return nothing(device, &carried);
        }
        let mut kept = Kept { device, carried };
        let mut output = output.view_mut();
        let count = store::<X::Value, C, V, O::Item>(&kept, &self.choice, input.clone(), (output.view_mut(), None))?;
        let end = after::<O::Item>(VALUES);
        let runs = joined(&kept, end, &input, same)?;
        // The last of a run is known by this part alone.
        if let Some((_, runs)) = runs.as_ref().filter(|_| !last) {
            kept.put(&kept.pair(VALUES, &read(&output))?, runs, output.view_mut())?;
        }
        kept.keep(VALUES, &read(&output), Some(&count))?;
        kept.keep(end, &input, None)?;
        let results = kept.count(count, runs.as_ref().map(|(_, runs)| runs))?;
        carry.advance(input.len());
        Ok(results)
    }
}

impl<E> Runs<E> {
    /// Runs like [`run`](Self::run) on a part of an array, after the parts before it: see [`carry`](crate::carry). Indices
    /// are those in the whole array. A run that is open where the part ends has its length so far, as the part's last
    /// result. If the next part goes on with it, its first result is the run with all that came before, and takes the place
    /// of that: [`Results`] says so.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (mut values, mut lengths, mut carry) = (Vec::new(), Vec::new(), Carry::new());
    /// for part in [[3u32, 3, 1], [1, 1, 1], [1, 7, 7]] {
    ///     let (mut some, mut long) = ([0; 3], [0u64; 3]);
    ///     let results = Runs::new().run_with_carry(&device, &part, (&mut some, &mut long), &mut carry)?;
    ///     results.append(&some, &mut values)?;
    ///     results.append(&long, &mut lengths)?;
    /// }
    /// assert_eq!((values, lengths), (vec![3, 1, 7], vec![2, 5, 2]));
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// Of parts of a sorted array these are the distinct values and their numbers.
    ///
    /// **Cost.** As without a carry; with [`starts`](Self::starts) the indices of all parts but the first are written and
    /// read once more. On CUDA some ten launches of kernels for one or two values come to it.
    ///
    /// # Errors
    /// As [`Dedup::run_with_carry`].
    pub fn run_with_carry<'x, X, A, B>(
        &self,
        device: &Device,
        input: X,
        (values, numbers_of): (&mut A, &mut B),
        carry: &mut Carry,
    ) -> Result<Results>
    where
        X: Inputs<'x>,
        A: Output<Item = X::Value> + ?Sized,
        B: Output + ?Sized,
        E: Function<(X::Value, X::Value), Output = bool>,
        Indices: Yields<X::Value, B::Item>,
        Sum: Operator<B::Item>,
    {
        expect_known::<X::Item>()?;
        let input = Buffered::<X::Item>::new(device, input.given())?;
        let input = input.room();
        // One more, as a run may be as long as all parts together.
        expect_indices::<Indices, X::Value, B::Item>(carry.position(), input.len().saturating_add(1))?;
        let (types, what) = if self.lengths {
            (TypeId::of::<(Runs<E>, Last, X::Value, B::Item)>(), "the lengths of runs")
        } else {
            (TypeId::of::<(Runs<E>, First, X::Value, B::Item)>(), "the starts of runs")
        };
        let call = || call::<X::Value, Indices, B::Item, _>(what, self.same);
        let words = const { words::<X::Value>(last_of_runs::<X::Value, B::Item>()) };
        let any_bits = numbers::<X::Value>() && numbers::<B::Item>();
        let carried = carry.open(device, (Some((types, Kind::Whole)), &call), words, any_bits)?;
        if input.is_empty() {
            expect_length("second output", numbers_of.view_mut().len(), values.view_mut().len())?;
            return nothing(device, &carried);
        }
        let kept = Kept { device, carried };
        let results = self.part(&input, (values.view_mut(), numbers_of.view_mut()), kept)?;
        carry.advance(input.len());
        Ok(results)
    }

    /// Finds the runs of a part.
    fn part<I, N>(
        &self,
        input: &View<'_, I>,
        (mut values, mut numbers): (ViewMut<'_, I>, ViewMut<'_, N>),
        mut kept: Kept<'_>,
    ) -> Result<Results>
    where
        I: Element,
        N: Element,
        E: Function<(I, I), Output = bool>,
        Indices: Yields<I, N>,
        Sum: Operator<N>,
    {
        let (number, end) = (after::<I>(VALUES), last_of_runs::<I, N>());
        let (device, mut count) = (kept.device, Count::new(kept.device)?);
        let by = Moved::<Indices, I>::new(kept.carried.position);
        if self.lengths || !kept.goes_on() {
            self.run_counted(device, input, (&mut values, &mut numbers), &mut count)?;
        } else if device.is_cpu() {
            self.run_counted(device, input, (&mut values, &mut numbers), &mut count)?;
            in_place(numbers.view_mut(), count.get()?, by)?;
        } else {
            expect_length("second output", numbers.len(), values.len())?;
            let starts = device.compute_counted(numbers.len(), |starts| {
                let outputs = (Target::new(values.view_mut()), starts);
                self.dispatch::<I, N>(device, (input.clone(), None), Some(outputs), &mut count)?;
                written(device, &count)
            })?;
            of_counted::<N, N, _>(device, (&starts, &count), Target::new(numbers.view_mut()), by)?;
        }
        let runs = joined(&kept, end, input, self.same)?;
        if let Some((neighbours, runs)) = &runs {
            let two = kept.pair(number, &read(&numbers))?;
            if self.lengths {
                let mut lengths = kept.device.to_be_written::<N>(2)?;
                let segments = Segments::KeysBy(neighbours, self.same);
                Reduce::new(Sum).segments(segments).run(kept.device, &two, &mut lengths)?;
                kept.put(&lengths, runs, numbers.view_mut())?;
            } else {
                kept.put(&two, runs, numbers.view_mut())?;
            }
            kept.put(&kept.pair(VALUES, &read(&values))?, runs, values.view_mut())?;
        }
        kept.keep(VALUES, &read(&values), Some(&count))?;
        kept.keep(number, &read(&numbers), Some(&count))?;
        kept.keep(end, input, None)?;
        kept.count(count, runs.as_ref().map(|(_, runs)| runs))
    }
}

/// Returns the last element before the part and the part's first one, and how many runs they are: 1 if the part goes on
/// with a run. Returns nothing for the first part.
fn joined<I: Element, E>(kept: &Kept<'_>, at: usize, input: &View<'_, I>, same: E) -> Result<Option<(Array<I>, Count)>>
where
    E: Function<(I, I), Output = bool>,
{
    if !kept.goes_on() {
        return Ok(None);
    }
    let neighbours = kept.pair(at, input)?;
    let mut runs = Count::new(kept.device)?;
    let mut firsts = kept.device.to_be_written::<I>(2)?;
    Dedup::by(same).run_counted(kept.device, &neighbours, &mut firsts, &mut runs)?;
    Ok(Some((neighbours, runs)))
}

/// Returns the byte of a state of runs at which the last element begins.
const fn last_of_runs<I, N>() -> usize {
    after::<N>(after::<I>(VALUES))
}

/// Returns the number of words of a state whose last element begins at byte `at`.
const fn words<I>(at: usize) -> usize {
    after::<I>(at) / 8
}

/// Returns what calls that share a carry with one by `same` have in common: `what` they store.
fn call<I: Element, V: Yields<I, O>, O, E: Function<(I, I), Output = bool>>(what: &str, same: E) -> Call {
    let mut source = Source::new();
    same.cuda_function(&mut source);
    let (by, to) = (type_name::<E>(), stored::<V, I, O>());
    Call::new(&format!("{what} by {by} from {} to {to}", type_name::<I>()), &source)
}
