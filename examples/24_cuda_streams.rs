//! 24: CUDA: a stream of your own, cudarc's buffers, and a graph that replays a whole pipeline with one call. Without a
//! GPU, or without the feature `cuda`, the program prints a message and ends.
//!
//! `cargo run --release -p upsweep --example 24_cuda_streams`

fn main() -> Result<(), Box<dyn std::error::Error>> {
    #[cfg(feature = "cuda")]
    return cuda::run();
    #[cfg(not(feature = "cuda"))]
    {
        println!("this was built without the feature `cuda`");
        Ok(())
    }
}

#[cfg(feature = "cuda")]
mod cuda {
    use cudarc::driver::CudaContext;
    use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
    use upsweep::prelude::*;

    pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
        if let Err(reason) = Device::cuda(0) {
            println!("there is no GPU to show this on: {reason}");
            return Ok(());
        }
        let context = CudaContext::new(0)?;
        // SAFETY: this program uses one stream, so nothing needs cudarc's events. A captured stream must not wait for
        // events from before the capture.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream()?;
        let device = Device::on_stream(&stream)?;

        // Slices and views of cudarc are inputs and outputs, without a conversion.
        let mut x = stream.clone_htod(&[1u32, 2, 3, 4, 5, 6])?;
        let mut sums = stream.alloc_zeros::<u32>(6)?;
        Scan::new(Sum).run(&device, &x, &mut sums)?;
        Scan::new(Sum).run_in_place(&device, &mut sums.slice_mut(3..))?;
        // The calls so far only enqueued work. The copy to the host waits for it.
        println!("scanned twice from element 3 on: {:?}", stream.clone_dtoh(&sums)?);
        assert_eq!(stream.clone_dtoh(&sums)?, [1, 3, 6, 10, 25, 46]);

        // Capture two calls in a graph, and replay it on new data.
        let mut total = stream.alloc_zeros::<u32>(1)?;
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
        let captured =
            Scan::new(Sum).run(&device, &x, &mut sums).and_then(|()| Reduce::new(Max).run(&device, &sums, &mut total));
        let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
        let graph = stream.end_capture(flags)?.ok_or("nothing was captured")?;
        captured?;
        for round in 1..=3u32 {
            stream.memcpy_htod(&[round; 6], &mut x)?;
            graph.launch()?;
            println!("round {round}: {:?}", stream.clone_dtoh(&sums)?);
            assert_eq!(stream.clone_dtoh(&total)?, [6 * round]);
        }
        Ok(())
    }
}
