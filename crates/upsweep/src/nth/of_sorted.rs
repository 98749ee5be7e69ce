//! Elements at ranks of lines and segments on CUDA: these are sorted, and the elements gathered.

use crate::bounds::gathered::{store, upload, with_last};
use crate::device::Device;
use crate::sort::Sort;
use upsweep_core::buffer::Input;
use upsweep_core::call::bounds::Bounds;
use upsweep_core::call::topk::AtRanks;
use upsweep_core::error::Result;
use upsweep_core::key::Key;
use upsweep_core::memory;
use upsweep_core::segments::Segments;

/// Stores the keys of the wanted ranks of each line or segment.
pub(super) fn run<K: Key>(device: &Device, call: AtRanks<'_, K>) -> Result<()> {
    let (len, results) = (call.keys.len(), call.output.len());
    if results == 0 {
        return Ok(());
    }
    // Where the results are among the sorted keys. Behind these is what stands for a result of rank 0.
    let mut places = memory::room(results)?;
    let mut last = None;
    match call.bounds {
        Bounds::Lines(shape) => {
            for o in 0..shape.outer {
                for rank in call.ranks {
                    let first = (o * shape.len + rank - 1) * shape.inner;
                    places.extend(first..first + shape.inner);
                }
            }
        }
        Bounds::Segments(offsets) => {
            last = call.instead;
            for (begin, own) in offsets.iter().zip(call.begins.windows(2)) {
                places.extend(
                    call.ranks[own[0]..own[1]].iter().map(|&rank| if rank == 0 { len } else { begin + rank - 1 }),
                );
            }
        }
    }
    let places = upload(device, places.into_iter())?;
    let sorted = with_last(device, len, last, |mut sorted| match call.bounds {
        Bounds::Lines(shape) => {
            Sort::new().axis(&[shape.outer, shape.len, shape.inner], 1).run(device, &call.keys, &mut sorted)
        }
        Bounds::Segments(offsets) => {
            let offsets = upload(device, offsets.iter().copied())?;
            Sort::new().segments(Segments::Offsets(&offsets)).run(device, &call.keys, &mut sorted)
        }
    })?;
    store(device, &sorted.view(), &places, call.output)
}
