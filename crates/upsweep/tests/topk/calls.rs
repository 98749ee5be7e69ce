//! Results of calls: errors, empty outputs, and new arrays.

use upsweep::{Error, TopK};
use upsweep_testing::inputs::{Kind, keys};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend!(topk_refused, topk_of_nothing, topk_to_arrays);

fn topk_refused(place: &Place) {
    let (x, device) = (place.upload(&[5u32, 3, 4, 1, 2, 6], 0), &place.device);
    let mut two = place.poisoned::<u32>(2, 0);
    let mut three = place.poisoned::<u32>(3, 0);
    let length = |what, found, expected| Err(Error::Length { what, found, expected });
    let rank = |rank, len| Err(Error::Rank { what: "the first", rank, len });
    assert_eq!(TopK::largest(7).run(device, &x, &mut two), rank(7, 6));
    assert_eq!(TopK::largest(4).axis(&[2, 3], 1).run(device, &x, &mut two), rank(4, 3));
    assert_eq!(TopK::largest(3).run(device, &x, &mut two), length("output", 2, 3));
    assert_eq!(TopK::largest(1).axis(&[2, 3], 1).run(device, &x, &mut three), length("output", 3, 2));
    assert_eq!(TopK::largest(3).indices().run(device, &x, &mut two), length("output of indices", 2, 3));
    let both = TopK::largest(3).with_indices().run(device, &x, (&mut three, &mut two));
    assert_eq!(both, length("output of indices", 2, 3));
    let columns = TopK::largest(1).axis(&[2, 3], 0).run(device, &x, &mut three);
    assert!(matches!(columns, Err(Error::Options { options: "the axis of a top-k", .. })), "{columns:?}");
    assert_eq!(TopK::largest(1).axis(&[2, 3], 2).run(device, &x, &mut two), Err(Error::Axis { axis: 2, axes: 2 }));
    let shape = TopK::largest(1).axis(&[2, 2], 1).run(device, &x, &mut two);
    assert_eq!(shape, Err(Error::Shape { shape: vec![2, 2], len: 6 }));
    // Nothing is written.
    assert_eq!(two.check_guards(), [0xABAB_ABAB; 2]);
    assert_eq!(three.check_guards(), [0xABAB_ABAB; 3]);
}

fn topk_of_nothing(place: &Place) {
    let mut none = place.poisoned::<f32>(0, 0);
    assert_eq!(TopK::largest(0).run(&place.device, &place.upload::<f32>(&[], 0), &mut none), Ok(()));
    assert_eq!(TopK::smallest(0).sorted().run(&place.device, &place.upload(&[1.0f32], 0), &mut none), Ok(()));
    assert_eq!(TopK::smallest(0).axis(&[0, 3], 1).run(&place.device, &place.upload(&[], 0), &mut none), Ok(()));
}

fn topk_to_arrays(place: &Place) {
    let x = keys::<i64>(Kind::Random, 5003);
    let (mut sorted, input) = (x.clone(), place.upload(&x, 0));
    sorted.sort_unstable();
    let smallest = TopK::smallest(9).sorted();
    assert_eq!(smallest.run_to_vec(&place.device, &input), Ok(sorted[..9].to_vec()));
    let places = smallest.indices().run_to_array::<_, u64>(&place.device, &input).unwrap().to_vec().unwrap();
    assert_eq!(places.iter().map(|&at| x[at as usize]).collect::<Vec<_>>(), sorted[..9]);
}

/// Calls on CUDA only.
#[cfg(feature = "cuda")]
mod gpu {
    use crate::whole::expected;
    use cudarc::driver::CudaContext;
    use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
    use upsweep::{Device, Error, Nth, TopK};
    use upsweep_testing::inputs::{KINDS, keys};
    use upsweep_testing::place::CAPTURE;

    /// One graph finds the results for any input of its buffer: the device finds out whether a guess was right.
    #[test]
    #[ignore = "needs a CUDA GPU"]
    fn cuda_replays_of_a_graph() {
        let context = CudaContext::new(0).unwrap();
        let stream = {
            let _no_capture = CAPTURE.read();
            context.new_stream().unwrap()
        };
        let device = Device::on_stream(&stream).unwrap();
        for (len, k) in [(700usize, 20), (30_011, 500), ((1 << 20) + 3, 500)] {
            let mut x = stream.clone_htod(&vec![0u32; len]).unwrap();
            let mut best = stream.alloc_zeros::<u32>(k).unwrap();
            let mut places = stream.alloc_zeros::<u32>(k).unwrap();
            let mut median = stream.alloc_zeros::<u32>(1).unwrap();
            let graph = {
                let _capture = CAPTURE.write();
                stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
                let topk = TopK::largest(k).sorted().with_indices().run(&device, &x, (&mut best, &mut places));
                let nth = Nth::median().run(&device, &x, &mut median);
                let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
                assert_eq!((topk, nth), (Ok(()), Ok(())));
                graph
            };
            for kind in KINDS {
                let values = keys::<u32>(kind, len);
                stream.memcpy_htod(&values, &mut x).unwrap();
                for _ in 0..3 {
                    graph.launch().unwrap();
                }
                let order = expected(&values, len, k, true);
                let found: Vec<usize> = stream.clone_dtoh(&places).unwrap().iter().map(|&at| at as usize).collect();
                assert_eq!(found, order, "{kind:?} of {len}");
                let keys: Vec<u32> = order.iter().map(|&at| values[at]).collect();
                assert_eq!(stream.clone_dtoh(&best).unwrap(), keys, "{kind:?} of {len}");
                let mut sorted = values;
                sorted.sort_unstable();
                assert_eq!(stream.clone_dtoh(&median).unwrap(), [sorted[len.div_ceil(2) - 1]], "{kind:?} of {len}");
            }
        }
    }

    #[test]
    #[ignore = "needs a CUDA GPU"]
    fn cuda_wrong_places() {
        let device = Device::cuda(0).unwrap();
        let (x, mut out) = (device.upload(&[3u32, 1, 2]).unwrap(), device.upload(&[0u32; 3]).unwrap());
        let on_host = |what| Err(Error::Place { what, found: "host", expected: "CUDA" });
        assert_eq!(TopK::largest(3).run(&device, &[3u32, 1, 2], &mut out), on_host("input"));
        assert_eq!(TopK::largest(3).run(&device, &x, &mut [0u32; 3]), on_host("output"));
        let on_cuda = Err(Error::Place { what: "input", found: "CUDA", expected: "host" });
        assert_eq!(TopK::largest(3).run(&Device::cpu(), &x, &mut [0u32; 3]), on_cuda);
    }
}
