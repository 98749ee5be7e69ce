//! Recurrences captured in a graph, which is replayed with other elements and states.

use crate::oracle::with_states;
use crate::support::place::{CAPTURE, Place, to_cuda};
use crate::support::random::Rng;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use upsweep::prelude::*;

#[test]
#[ignore = "needs a CUDA GPU"]
fn cuda_graphs_filter_other_elements_each_time() {
    const LEN: usize = 100_000;
    let place = Place::cuda();
    let (device, stream) = (&place.device, place.stream.as_ref().unwrap());
    let (b, a) = ([3u32, 5, 7], [1u32, 11, 13]);
    let mut input = to_cuda(stream, &vec![0u32; LEN]);
    let (mut output, mut first) = (device.filled(LEN, 0u32).unwrap(), to_cuda(stream, &[0u32; 2]));
    let mut last = device.filled(2, 0u32).unwrap();
    let graph = {
        let _alone = CAPTURE.write();
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        let captured = Recurrence::new(&b, &a).state(&first).run_with_state(device, &input, &mut output, &mut last);
        let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
        captured.unwrap();
        graph
    };
    let mut rng = Rng::new(5);
    for round in 0..20 {
        let x: Vec<u32> = (0..LEN).map(|_| rng.next() as u32).collect();
        let mut states = [rng.next() as u32, rng.next() as u32];
        stream.memcpy_htod(&x, &mut input).unwrap();
        stream.memcpy_htod(&states, &mut first).unwrap();
        graph.launch().unwrap();
        let expected = with_states(&b, &a, &mut states, &x);
        assert!(output.to_vec().unwrap() == expected, "round {round}");
        assert_eq!(last.to_vec().unwrap(), states, "round {round}");
    }
}
