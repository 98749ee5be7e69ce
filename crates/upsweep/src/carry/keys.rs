//! Reductions by keys of an array in parts.

use super::kept::{Kept, VALUES, after, nothing, read, written};
use super::results::Results;
use super::selection::expect_known;
use super::{Call, Carry, numbers};
use crate::array::Array;
use crate::count::Count;
use crate::device::Device;
use crate::options::Options;
use crate::reduce::Reduce;
use crate::transform::of_counted;
use std::any::{TypeId, type_name};
use upsweep_core::buffer::{Input, Output, ViewMut};
use upsweep_core::call::select::{Choose, FirstOf, Values, Yields};
use upsweep_core::error::Result;
use upsweep_core::init::NoInit;
use upsweep_core::inputs::{Inputs, Read, len_of};
use upsweep_core::operator::{From, Function, Map, Operator, Same, Source, Stores};
use upsweep_core::outputs::{Outputs, Write};
use upsweep_core::segments::{Keys, Kind, Segments};

impl<'k, Op, M, F, B, E> Reduce<'_, Op, M, F, Keys<'k, B, E>, NoInit>
where
    B: Input + ?Sized,
    E: Function<(B::Item, B::Item), Output = bool>,
{
    /// Runs like [`run_with_keys`](Self::run_with_keys) on a part of an array, after the parts before it: see
    /// [`carry`](crate::carry). The group that is open where the part ends has its total so far as the part's last
    /// result. If the next part goes on with it, its first result is the total with all that came before, and takes the
    /// place of that: [`Results`] says so.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (towns, sales) = ([3u8, 3, 3, 1, 1, 7], [10u64, 20, 5, 1, 2, 4]);
    /// let (mut keys, mut totals, mut carry) = ([0; 2], [0; 2], Carry::new());
    /// let (mut all_keys, mut all_totals) = (vec![], vec![]);
    /// for (towns, sales) in towns.chunks(2).zip(sales.chunks(2)) {
    ///     let by_town = Reduce::new(Sum).segments(Segments::Keys(towns));
    ///     let results = by_town.run_with_carry(&device, sales, (&mut keys, &mut totals), &mut carry)?;
    ///     results.append(&keys, &mut all_keys)?;
    ///     results.append(&totals, &mut all_totals)?;
    /// }
    /// assert_eq!((all_keys, all_totals), (vec![3, 1, 7], vec![35, 3, 4]));
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// A group's total is `a ⊕ b`, where `a` is what it had before the part, and `b` the total of its elements in the
    /// part. So exact operators have the results of one call, wherever the array is cut. Float sums and products have the
    /// bits of calls on the parts, joined so; those of f16 and bf16 are rounded at each cut: accumulate them in f32.
    ///
    /// **Cost.** One pass over keys and elements, as without a carry; each result is written and read once more. On CUDA
    /// some ten launches of kernels for one or two values come to it.
    ///
    /// # Errors
    /// As [`run_with_keys`](Self::run_with_keys). The carry is then as before, unless the device tells an error later.
    /// [`Error::Carry`](crate::Error::Carry) when it is of another call. [`Error::Options`](crate::Error::Options) with
    /// counted elements. On CUDA, the next call that waits returns [`Error::Capacity`](crate::Error::Capacity) or
    /// [`Error::Index`](crate::Error::Index) for an output with too little room.
    pub fn run_with_carry<'x, 'y, X, K, Y>(
        &self,
        device: &Device,
        input: X,
        (keys, output): (&mut K, Y),
        carry: &mut Carry,
    ) -> Result<Results>
    where
        X: Inputs<'x>,
        K: Output<Item = B::Item> + ?Sized,
        Y: Outputs<'y>,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        Y::Value: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = Y::Value>,
        FirstOf<E>: Choose<B::Item>,
        Values: Yields<B::Item, B::Item>,
    {
        let (input, outputs) = (input.given(), (keys.view_mut(), output.given()));
        let len = len_of::<X::Item>(&input)?;
        expect_known::<X::Item>()?;
        let types = TypeId::of::<(Reduce<'static, Op, M, F>, M::Output, X::Value, Y::Value, B::Item, E)>();
        let words = const { after::<B::Item>(last_key::<M::Output, B::Item>()) / 8 };
        let call = || self.call::<X::Item, Y::Item>();
        let any_bits = numbers::<M::Output>() && numbers::<B::Item>();
        let carried = carry.open(device, (Some((types, Kind::Keys)), &call), words, any_bits)?;
        if len == 0 {
            let Keys(of_elements, _) = &self.options.segments;
            crate::options::expect_length("keys", of_elements.view().len(), 0)?;
            return nothing(device, &carried);
        }
        let kept = Kept { device, carried };
        let results = (const { way::<X::Item, Y::Item, Op, M, F, B, E>() })(self, input, outputs, kept)?;
        carry.advance(len);
        Ok(results)
    }

    /// Reduces a part with the map `map`, which knows positions in the whole array.
    fn part<I, O, N>(
        &self,
        map: N,
        input: I::Given<'_>,
        (mut keys, output): (ViewMut<'_, B::Item>, O::Given<'_>),
        mut kept: Kept<'_>,
    ) -> Result<Results>
    where
        I: Read,
        O: Write,
        N: Map<I::Value, I::Args>,
        Op: Operator<N::Output>,
        F: Function<(N::Output,), Output = O::Value>,
        FirstOf<E>: Choose<B::Item>,
        Values: Yields<B::Item, B::Item>,
    {
        let Options { operator, finish, segments: Keys(of_elements, same), axis, .. } = &self.options;
        let (device, open) = (kept.device, VALUES);
        let (first_key, last_key) = (first_key::<N::Output>(), last_key::<N::Output, B::Item>());
        let segments = Keys(*of_elements, *same);
        let by_key =
            Reduce { options: Options { operator: *operator, map, finish: Same, segments, init: NoInit, axis: *axis } };
        let room = O::len(&output, "output")?.unwrap_or(len_of::<I>(&input)?);
        let mut len = Count::new(device)?;
        let mut totals: Array<N::Output> = device.compute_counted(room, |target| {
            by_key.dispatch_with_keys::<I, N::Output>(device, input, (keys.view_mut(), target), &mut len)?;
            written(device, &len)
        })?;
        let mut runs = None;
        if kept.goes_on() {
            let (keys_of_two, two) = (kept.pair(last_key, &of_elements.view())?, kept.pair(open, &totals.view())?);
            let first_keys = kept.pair(first_key, &read(&keys))?;
            let (mut joined, mut number) = (device.to_be_written::<N::Output>(2)?, Count::new(device)?);
            let of_two = Reduce::new(*operator).segments(Segments::KeysBy(&keys_of_two, *same));
            of_two.run_counted(device, &two, &mut joined, &mut number)?;
            kept.put(&joined, &number, totals.view_mut())?;
            kept.put(&first_keys, &number, keys.view_mut())?;
            runs = Some(number);
        }
        of_counted::<N::Output, O, F>(device, (&totals, &len), output, *finish)?;
        kept.keep(open, &totals.view(), Some(&len))?;
        kept.keep(first_key, &read(&keys), Some(&len))?;
        kept.keep(last_key, &of_elements.view(), None)?;
        kept.count(len, runs.as_ref())
    }

    /// Returns what calls that share a carry with this one have in common.
    fn call<I, O>(&self) -> Call
    where
        I: Read,
        O: Write,
        M: Map<I::Value, I::Args>,
        Op: Operator<M::Output>,
    {
        let Options { operator, map, segments: Keys(_, same), .. } = &self.options;
        let mut source = Source::new();
        map.cuda_function(&mut source);
        operator.cuda_function(&mut source);
        same.cuda_function(&mut source);
        let (operator, value, key) = (type_name::<Op>(), type_name::<M::Output>(), type_name::<B::Item>());
        let types = format!("{} to {}", type_name::<I::Value>(), type_name::<O::Value>());
        Call::new(&format!("a reduction by {operator} of {value} from {types} by keys of {key}"), &source)
    }
}

/// Returns the byte of a state at which the first key of the open group begins.
const fn first_key<A>() -> usize {
    after::<A>(VALUES)
}

/// Returns the byte of a state at which the key of the last element begins.
const fn last_key<A, K>() -> usize {
    after::<K>(first_key::<A>())
}

/// Function that reduces a part.
type Way<'k, I, O, Op, M, F, B, E> = for<'a, 'x, 'y, 'z, 'c> fn(
    &Reduce<'a, Op, M, F, Keys<'k, B, E>, NoInit>,
    <I as Read>::Given<'x>,
    (ViewMut<'y, <B as Input>::Item>, <O as Write>::Given<'z>),
    Kept<'c>,
) -> Result<Results>;

/// Returns the function that reduces a part: where the map needs no positions, it is taken as it is. It is chosen as a
/// constant, so that the compiler compiles one of them.
const fn way<'k, I, O, Op, M, F, B, E>() -> Way<'k, I, O, Op, M, F, B, E>
where
    I: Read,
    O: Write,
    M: Map<I::Value, I::Args>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O::Value>,
    B: Input + ?Sized,
    E: Function<(B::Item, B::Item), Output = bool>,
    FirstOf<E>: Choose<B::Item>,
    Values: Yields<B::Item, B::Item>,
{
    if M::INDEXED {
        |reduce, input, outputs, kept| {
            let map = From { map: reduce.options.map, position: kept.carried.position };
            reduce.part::<I, O, _>(map, input, outputs, kept)
        }
    } else {
        |reduce, input, outputs, kept| reduce.part::<I, O, _>(reduce.options.map, input, outputs, kept)
    }
}
