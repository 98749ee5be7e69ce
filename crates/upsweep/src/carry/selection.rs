//! Selections from an array in parts.

use super::kept::{self, Kept, nothing, written};
use super::results::Results;
use super::{Call, Carry};
use crate::compaction::Chosen;
use crate::count::Count;
use crate::device::Device;
use crate::partition::Partition;
use crate::select::Select;
use crate::transform::{in_place, of_counted};
use std::any::{TypeId, type_name};
use upsweep_core::buffer::{Output, ViewMut};
use upsweep_core::call::select::{Choose, Moved, Others, Yields};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::{Inputs, Read, len_of};
use upsweep_core::operator::{Element, Map, Source};
use upsweep_core::outputs::Target;
use upsweep_core::segments::Kind;

impl<C, V> Select<C, V> {
    /// Runs like [`run`](Self::run) on a part of an array, after the parts before it: see [`carry`](crate::carry).
    /// Indices are those in the whole array.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// #[function]
    /// fn odd(x: u32) -> bool {
    ///     x % 2 == 1
    /// }
    ///
    /// let device = Device::cpu();
    /// let (mut all, mut carry) = (Vec::new(), Carry::new());
    /// for part in [[3u32, 1, 7], [0, 4, 1], [6, 3, 8]] {
    ///     let mut out = [0u64; 3];
    ///     let results = Select::new(Odd).indices().run_with_carry(&device, &part, &mut out, &mut carry)?;
    ///     assert_eq!(results.first.get()?, all.len());
    ///     results.append(&out, &mut all)?;
    /// }
    /// assert_eq!(all, [0, 1, 2, 5, 7]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// **Cost.** As without a carry; indices of all parts but the first are written and read once more.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Options`] when the output's type cannot hold the indices of as many elements as all
    /// parts have, and with counted elements. [`Error::Carry`] when the carry is of another call. The carry is then as
    /// before, unless the device tells an error later.
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
        C: Choose<X::Value, X::Args>,
        V: Yields<X::Value, O::Item>,
    {
        let types = TypeId::of::<(Select<(), V>, C::Predicate, C::Flag, X::Value, O::Item)>();
        let call = || call::<X::Item, C, V, O::Item>("a selection", &self.choice);
        part::<X::Item, C, V, O::Item>(
            (device, carry),
            (types, call),
            &self.choice,
            input.given(),
            (output.view_mut(), None),
        )
    }
}

impl<C, V> Partition<C, V> {
    /// Runs like [`run`](Self::run) into two outputs, on a part of an array, after the parts before it: see
    /// [`carry`](crate::carry). Returns where the selected ones stand among all selected ones, and the rejected ones among
    /// all rejected ones. Indices are those in the whole array.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// #[function]
    /// fn odd(x: u32) -> bool {
    ///     x % 2 == 1
    /// }
    ///
    /// let device = Device::cpu();
    /// let (mut odd, mut even, mut carry) = (Vec::new(), Vec::new(), Carry::new());
    /// for part in [[3u32, 1, 7], [0, 4, 1], [6, 3, 8]] {
    ///     let (mut yes, mut no) = ([0; 3], [0; 3]);
    ///     let (selected, rejected) =
    ///         Partition::new(Odd).run_with_carry(&device, &part, (&mut yes, &mut no), &mut carry)?;
    ///     selected.append(&yes, &mut odd)?;
    ///     rejected.append(&no, &mut even)?;
    /// }
    /// assert_eq!((odd, even), (vec![3, 1, 7, 1, 3], vec![0, 4, 6, 8]));
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// **Cost.** As without a carry; indices of all parts but the first are written and read once more.
    ///
    /// # Errors
    /// As [`Select::run_with_carry`].
    pub fn run_with_carry<'x, X, A, B>(
        &self,
        device: &Device,
        input: X,
        (selected, rejected): (&mut A, &mut B),
        carry: &mut Carry,
    ) -> Result<(Results, Results)>
    where
        X: Inputs<'x>,
        A: Output + ?Sized,
        B: Output<Item = A::Item> + ?Sized,
        C: Choose<X::Value, X::Args>,
        V: Yields<X::Value, A::Item>,
    {
        let types = TypeId::of::<(Partition<(), V>, C::Predicate, C::Flag, X::Value, A::Item)>();
        let call = || call::<X::Item, C, V, A::Item>("a partition", &self.choice);
        let (position, input) = (carry.position(), input.given());
        let len = len_of::<X::Item>(&input)?;
        let outputs = (selected.view_mut(), Some(rejected.view_mut()));
        let selected = part::<X::Item, C, V, A::Item>((device, carry), (types, call), &self.choice, input, outputs)?;
        let first = kept::rest(device, position, &selected.first)?;
        let rejected = Results { first, len: kept::rest(device, len as u64, &selected.len)? };
        Ok((selected, rejected))
    }
}

/// Outputs of the selected and of the rejected elements of a part.
type Outputs<'y, O> = (ViewMut<'y, O>, Option<ViewMut<'y, O>>);

/// Selects from a part.
fn part<I, C, V, O>(
    (device, carry): (&Device, &mut Carry),
    (types, call): (TypeId, impl Fn() -> Call),
    choice: &C,
    input: I::Given<'_>,
    outputs: Outputs<'_, O>,
) -> Result<Results>
where
    I: Read,
    O: Element,
    C: Choose<I::Value, I::Args>,
    V: Yields<I::Value, O>,
{
    let len = len_of::<I>(&input)?;
    expect_known::<I>()?;
    expect_indices::<V, I::Value, O>(carry.position(), len)?;
    let carried = carry.open(device, (Some((types, Kind::Whole)), &call), 2, true)?;
    if len == 0 {
        return nothing(device, &carried);
    }
    let kept = Kept { device, carried };
    let count = store::<I, C, V, O>(&kept, choice, input, outputs)?;
    let results = kept.count(count, None)?;
    carry.advance(len);
    Ok(results)
}

/// Checks that the host knows how many elements a part has.
pub(super) fn expect_known<I: Read>() -> Result<()> {
    if I::COUNTED {
        let reason = "the device knows how many they are: give a slice of them";
        return Err(Error::Options { options: "a part of an array", reason });
    }
    Ok(())
}

/// Checks that results hold the indices of `len` elements after `position`.
pub(super) fn expect_indices<V: Yields<I, O>, I, O>(position: u64, len: usize) -> Result<()> {
    if V::INDEX && position.saturating_add(len as u64).saturating_sub(1) > V::MOST as u64 {
        let reason = "the output's type cannot hold the indices of so many elements: take u64 or usize";
        return Err(Error::Options { options: "indices", reason });
    }
    Ok(())
}

/// Stores what `V` says of the selected elements of a part, and of the rejected ones. Returns how many are selected.
pub(super) fn store<I, C, V, O>(
    kept: &Kept<'_>,
    choice: &C,
    input: I::Given<'_>,
    outputs: Outputs<'_, O>,
) -> Result<Count>
where
    I: Read,
    O: Element,
    C: Choose<I::Value, I::Args>,
    V: Yields<I::Value, O>,
{
    let chosen = Chosen::<C, V, I, O>::new(kept.device, choice, input)?;
    // The first part's indices are those of the whole array.
    if !kept.goes_on() {
        return here(&chosen, kept, outputs);
    }
    (const { if V::INDEX { moved::<I, C, V, O> } else { here::<I, C, V, O> } })(&chosen, kept, outputs)
}

/// Stores results as they are.
fn here<I, C, V, O>(
    chosen: &Chosen<'_, '_, C, V, I, O>,
    kept: &Kept<'_>,
    (output, others): Outputs<'_, O>,
) -> Result<Count>
where
    I: Read,
    O: Element,
    C: Choose<I::Value, I::Args>,
    V: Yields<I::Value, O>,
{
    let mut count = Count::new(kept.device)?;
    let others = others.map_or(Others::Dropped, |others| Others::Apart(Target::new(others)));
    chosen.run(kept.device, Some(Target::new(output)), others, &mut count)?;
    Ok(count)
}

/// Stores results that count from the beginning of the part, and then those that count from that of the array.
fn moved<I, C, V, O>(
    chosen: &Chosen<'_, '_, C, V, I, O>,
    kept: &Kept<'_>,
    (output, others): Outputs<'_, O>,
) -> Result<Count>
where
    I: Read,
    O: Element,
    C: Choose<I::Value, I::Args>,
    V: Yields<I::Value, O>,
{
    let device = kept.device;
    let by = Moved::<V, I::Value>::new(kept.carried.position);
    if device.is_cpu() {
        let (mut output, mut others) = (output, others);
        let count = here(chosen, kept, (output.view_mut(), others.as_mut().map(Output::view_mut)))?;
        let len = count.get()?;
        in_place(output, len, by)?;
        others.map_or(Ok(()), |others| in_place(others, chosen.room().saturating_sub(len), by))?;
        return Ok(count);
    }
    let (mut count, mut rest) = (Count::new(device)?, None);
    let in_part = device.compute_counted(output.len(), |target| {
        match &others {
            None => chosen.run(device, Some(target), Others::Dropped, &mut count)?,
            Some(others) => {
                rest = Some(device.compute_counted(others.len(), |others| {
                    chosen.run(device, Some(target), Others::Apart(others), &mut count)?;
                    Ok(chosen.room().saturating_sub(written(device, &count)?))
                })?);
            }
        }
        written(device, &count)
    })?;
    of_counted::<O, O, _>(device, (&in_part, &count), Target::new(output), by)?;
    if let (Some(rest), Some(others)) = (rest, others) {
        of_counted::<O, O, _>(
            device,
            (&rest, &kept::rest(device, chosen.room() as u64, &count)?),
            Target::new(others),
            by,
        )?;
    }
    Ok(count)
}

/// Returns what calls that share a carry with one of `choice` have in common: `what` it does.
fn call<I, C, V, O>(what: &str, choice: &C) -> Call
where
    I: Read,
    C: Choose<I::Value, I::Args>,
    V: Yields<I::Value, O>,
{
    let mut source = Source::new();
    let by = if C::ALONE {
        Map::<I::Value, I::Args>::cuda_function(&choice.predicate(), &mut source);
        type_name::<C::Predicate>()
    } else {
        "flags"
    };
    Call::new(&format!("{what} by {by} from {} to {}", type_name::<I::Value>(), stored::<V, I::Value, O>()), &source)
}

/// Returns what is stored of selected elements, for the name of a call.
pub(super) fn stored<V: Yields<I, O>, I, O>() -> String {
    format!("{}{}", if V::INDEX { "indices of " } else { "" }, type_name::<O>())
}
