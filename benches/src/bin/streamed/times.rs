//! Times of calls, and of copies between the host and a GPU.

use cudarc::driver::{CudaContext, CudaStream, DeviceRepr, PinnedHostSlice, ValidAsZeroBits, result};
use std::sync::Arc;
use std::time::Instant;
use upsweep_bench::{Outcome, median};

/// Number of elements that are copied at once, and number of calls.
const CHUNK: usize = 8 << 20;
pub(crate) const CALLS: usize = 5;

/// Returns the median time of `calls` calls in microseconds, after one call that is not counted.
pub(crate) fn timed(calls: usize, mut call: impl FnMut() -> Outcome) -> Outcome<f64> {
    call()?;
    let mut times = Vec::new();
    for _ in 0..calls {
        let begin = Instant::now();
        call()?;
        times.push(begin.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(times))
}

/// Returns the time in microseconds in which the GPU copies one array to its memory and as much to the other, at once.
pub(crate) fn copies<T: DeviceRepr + ValidAsZeroBits>(
    context: &Arc<CudaContext>,
    [x, y]: &mut [PinnedHostSlice<T>; 2],
) -> Outcome<f64> {
    let streams = [context.new_stream()?, context.new_stream()?];
    let memory = [streams[0].alloc_zeros::<T>(CHUNK)?, streams[1].alloc_zeros::<T>(CHUNK)?];
    let address = |i: usize| {
        use cudarc::driver::DevicePtr;
        memory[i].device_ptr(&streams[i]).0
    };
    let [up, down] = [address(0), address(1)];
    let (x, y) = (x.as_slice()?, y.as_mut_slice()?);
    let wait = |stream: &Arc<CudaStream>| stream.synchronize();
    streams.iter().try_for_each(wait)?;
    timed(CALLS, || {
        for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
            // SAFETY: a chunk fits the memory, and both live until the streams have been waited for.
            unsafe {
                result::memcpy_htod_async(up, x, streams[0].cu_stream())?;
                result::memcpy_dtoh_async(y, down, streams[1].cu_stream())?;
            }
        }
        Ok(streams.iter().try_for_each(wait)?)
    })
}
