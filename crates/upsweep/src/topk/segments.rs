//! Top-k of segments on CUDA.
//!
//! ```text
//! sort the keys of each segment, with their places in the input
//! take the first k places of each segment, and sort them unless the results are wanted in the order of the keys
//! gather the keys at these places
//! ```

use crate::array::Array;
use crate::bounds::gathered::{store, store_of, upload, with_last};
use crate::device::Device;
use crate::sort::Sort;
use crate::transform::Transform;
use std::marker::PhantomData;
use upsweep_core::buffer::{Input, ViewMut};
use upsweep_core::call::topk::Ranking;
use upsweep_core::error::Result;
use upsweep_core::inputs::{Apply, Gather};
use upsweep_core::key::{Index, Key};
use upsweep_core::memory;
use upsweep_core::operator::{Function, Source};
use upsweep_core::outputs::Target;
use upsweep_core::segments::Segments;

/// Index, from the beginning of its segment, of the element at a place.
#[derive(Clone, Copy)]
struct Within<I>(PhantomData<I>);

impl<I: Index> Function<(u64, u64)> for Within<I> {
    type Output = I;
    fn call(&self, (begin, place): (u64, u64)) -> I {
        I::at(place.wrapping_sub(begin) as usize)
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        let ty = I::cuda_type(source);
        source.define(&format!("index within {ty}"), "index_within", |_, name| {
            format!("__device__ __forceinline__ {ty} {name}(u64 begin, u64 place) {{ return ({ty})(place - begin); }}")
        })
    }
}

/// Stores the first keys of the segments between `offsets`, their indices, or both.
pub(super) fn run<K: Key, I: Index>(device: &Device, offsets: &[usize], call: Ranking<'_, K, I>) -> Result<()> {
    let (keys, count, k) = (&call.keys, call.bounds.count(), call.rank);
    if count == 0 || k == 0 {
        return Ok(());
    }
    let taken_of = |segment: usize| k.min(call.bounds.range(segment).len());
    let total = (0..count).map(taken_of).sum();
    // Where the results of each segment begin among all that exist, and where each is among the sorted keys.
    let (mut begins, mut sorted_at) = (memory::room(count + 1)?, memory::room(total)?);
    // Of each place in the output, the number of the result that exists, and the beginning of its segment.
    let (mut results, mut of_segments) = (memory::room(count * k)?, memory::room(count * k)?);
    for segment in 0..count {
        let (begin, taken) = (call.bounds.range(segment).start, taken_of(segment));
        begins.push(sorted_at.len());
        results.extend(sorted_at.len()..sorted_at.len() + taken);
        results.resize((segment + 1) * k, total);
        of_segments.resize(segment * k + taken, begin);
        of_segments.resize((segment + 1) * k, 0);
        sorted_at.extend(begin..begin + taken);
    }
    begins.push(total);
    let offsets = upload(device, offsets.iter().copied())?;
    let (begins, sorted_at) = (upload(device, begins.into_iter())?, upload(device, sorted_at.into_iter())?);
    let (results, of_segments) = (upload(device, results.into_iter())?, upload(device, of_segments.into_iter())?);
    let sort = Sort::pairs().segments(Segments::Offsets(&offsets));
    let sort = if call.descending { sort.descending() } else { sort };
    let (_, order) = sort.run_to_arrays(device, (keys, 0..keys.len() as u64))?;
    let mut places: Array<u64> = Transform::copy().run_to_array(device, Gather::of(&order).at(&sorted_at))?;
    if !call.sorted {
        Sort::new().segments(Segments::Offsets(&begins)).run_in_place(device, &mut places)?;
    }
    if let Some(values) = call.values {
        let last = call.instead.filter(|_| total < count * k);
        let gathered = |all: ViewMut<'_, K>| store(device, keys, &places, Target::new(all));
        store(device, &with_last(device, total, last, gathered)?.view(), &results, values)?;
    }
    if let Some(indices) = call.indices {
        let copied = |mut all: ViewMut<'_, u64>| Transform::copy().run(device, &places, &mut all);
        let places = with_last(device, total, Some(u64::MAX), copied)?;
        let places = Gather::of(&places).at(&results);
        store_of(device, Apply(Within::<I>(PhantomData), (&of_segments, places)), count * k, indices)?;
    }
    Ok(())
}
