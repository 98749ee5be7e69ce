//! Cases of histograms on a GPU only: graphs, and memory for more than 2^32 elements.

use super::support::place::{CAPTURE, Place};
use cudarc::driver::CudaGraph;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use upsweep::operator::Same;
use upsweep::prelude::*;

fn capture(place: &Place, enqueue: impl FnOnce() -> upsweep::Result<()>) -> CudaGraph {
    let _no_new_streams = CAPTURE.write();
    let stream = place.stream.as_ref().unwrap();
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    let enqueued = enqueue();
    let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = stream.end_capture(flags).unwrap();
    enqueued.unwrap();
    graph.unwrap()
}

/// Counts, and sums of floats, whose sums and marks lie in memory of the call.
#[test]
#[ignore = "needs a CUDA GPU"]
fn graphs_count_other_data_anew() {
    let place = Place::cuda();
    let device = &place.device;
    let mut input = place.upload(&[3u32; 5000], 0);
    let mut weights = place.upload(&[0.5f32; 5000], 0);
    let (mut counts, mut sums) = (place.poisoned::<u64>(8, 0), place.poisoned::<f32>(8, 0));
    let histogram = Histogram::by(Same, 8);
    let graph = capture(&place, || {
        histogram.run(device, &input, &mut counts)?;
        histogram.weights(&weights).run(device, &input, &mut sums)
    });
    for (bin, weight) in [(3, 0.5), (5, 1e30), (5, 2.0), (0, -3.0)] {
        input.overwrite(bin);
        weights.overwrite(weight);
        for _ in 0..3 {
            graph.launch().unwrap();
        }
        device.synchronize().unwrap();
        let mut expected = ([0; 8], [0.0; 8]);
        expected.0[bin as usize] = 5000;
        expected.1[bin as usize] = (5000.0 * f64::from(weight)) as f32;
        assert_eq!(counts.check_guards(), expected.0);
        assert_eq!(sums.check_guards(), expected.1);
    }
}

#[test]
#[ignore = "needs a CUDA GPU with 5 GiB of memory"]
fn counts_past_2_pow_32() {
    let device = Device::cuda(0).unwrap();
    let len = (1usize << 32) + 3;
    let input = device.filled(len, 7u8).unwrap();
    let mut counts = device.filled(256, 1u64).unwrap();
    Histogram::by(Same, 256).run(&device, &input, &mut counts).unwrap();
    let counts = counts.to_vec().unwrap();
    assert_eq!((counts[7], counts.iter().sum::<u64>()), (len as u64, len as u64));
}
