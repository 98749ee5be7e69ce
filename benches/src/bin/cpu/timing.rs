//! The time of a call, and the copy that it is measured beside.

use std::time::Instant;

/// The mean time of `calls` calls, in microseconds.
pub(crate) fn sample(calls: usize, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        call();
    }
    start.elapsed().as_secs_f64() * 1e6 / calls as f64
}

/// memcpy on every thread of the pool, each its own part, as upsweep divides the work.
pub(crate) fn copy_on_every_core<T: Copy + Send + Sync>(input: &[T], output: &mut [T]) {
    let part = input.len().div_ceil(rayon::current_num_threads()).max(1);
    rayon::scope(|scope| {
        for (from, to) in input.chunks(part).zip(output.chunks_mut(part)) {
            scope.spawn(move |_| to.copy_from_slice(from));
        }
    });
}
