//! Results of calls: errors, empty inputs, and new arrays.

use crate::check::expect_keys;
use upsweep::{Error, Sort};
use upsweep_testing::inputs::{Kind, keys};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend!(sort_wrong_lengths, sort_of_nothing, sort_to_arrays);

fn sort_wrong_lengths(place: &Place) {
    let length = |what, found, expected| Err(Error::Length { what, found, expected });
    let (x, ids) = (place.upload(&[5u32, 3, 4], 0), place.upload(&[0u8, 1], 0));
    let (mut two, mut three) = (place.poisoned::<u32>(2, 0), place.poisoned::<u32>(3, 0));
    let (mut two_ids, mut three_ids) = (place.poisoned::<u8>(2, 0), place.poisoned::<u8>(3, 0));
    let (device, pairs) = (&place.device, Sort::pairs());
    assert_eq!(Sort::new().run(device, &x, &mut two), length("output", 2, 3));
    assert_eq!(Sort::new().indices().run(device, &x, &mut two), length("output", 2, 3));
    assert_eq!(pairs.run(device, (&x, &ids), (&mut three, &mut three_ids)), length("values", 2, 3));
    assert_eq!(pairs.run(device, (&x, &ids), (&mut two, &mut three_ids)), length("output keys", 2, 3));
    assert_eq!(pairs.run(device, (&x, &ids), (&mut three, &mut two_ids)), length("output values", 2, 3));
    assert_eq!(pairs.run_in_place(device, (&mut three, &mut two_ids)), length("output values", 2, 3));
    // Nothing is written.
    assert_eq!(two.check_guards(), [0xABAB_ABAB; 2]);
    assert_eq!(three_ids.check_guards(), [0xAB; 3]);
}

fn sort_of_nothing(place: &Place) {
    let (x, ids) = (place.upload::<f32>(&[], 0), place.upload::<u64>(&[], 0));
    let (mut keys, mut values) = (place.poisoned::<f32>(0, 0), place.poisoned::<u64>(0, 0));
    assert_eq!(Sort::new().run(&place.device, &x, &mut keys), Ok(()));
    assert_eq!(Sort::pairs().run(&place.device, (&x, &ids), (&mut keys, &mut values)), Ok(()));
    assert_eq!(Sort::new().indices().run(&place.device, &x, &mut values), Ok(()));
    assert_eq!(Sort::new().run_in_place(&place.device, &mut keys), Ok(()));
}

fn sort_to_arrays(place: &Place) {
    for len in [0, 1, 700, 5003] {
        let x = keys::<i64>(Kind::Random, len);
        let (mut sorted, input) = (x.clone(), place.upload(&x, 0));
        sorted.sort();
        let device = &place.device;
        expect_keys(&Sort::new().run_to_array(device, &input).unwrap().to_vec().unwrap(), &sorted, "an array");
        sorted.reverse();
        let found = Sort::new().descending().run_to_vec(device, &input).unwrap();
        expect_keys(&found, &sorted, "a vector, descending");
        let order = Sort::new().indices().run_to_array::<_, u64>(device, &input).unwrap().to_vec().unwrap();
        let mut expected: Vec<u64> = (0..len as u64).collect();
        expected.sort_by_key(|i| x[*i as usize]);
        assert_eq!(order, expected);
    }
}

/// Calls on CUDA only.
#[cfg(feature = "cuda")]
mod gpu {
    use cudarc::driver::CudaContext;
    use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
    use upsweep::{Device, Error, Sort};
    use upsweep_testing::inputs::{KINDS, keys};
    use upsweep_testing::place::CAPTURE;

    /// One graph sorts any input of its buffer: the device finds out which passes it needs.
    #[test]
    #[ignore = "needs a CUDA GPU"]
    fn cuda_replays_of_a_graph() {
        let context = CudaContext::new(0).unwrap();
        let stream = {
            let _no_capture = CAPTURE.read();
            context.new_stream().unwrap()
        };
        let device = Device::on_stream(&stream).unwrap();
        for len in [700usize, 30_011, 270_337] {
            let mut x = stream.clone_htod(&vec![0u32; len]).unwrap();
            let (mut sorted, mut order) =
                (stream.alloc_zeros::<u32>(len).unwrap(), stream.alloc_zeros::<u32>(len).unwrap());
            let (mut kept, mut ids) =
                (stream.alloc_zeros::<u32>(len).unwrap(), stream.alloc_zeros::<u32>(len).unwrap());
            let positions: Vec<u32> = (0..len as u32).collect();
            let graph = {
                let _capture = CAPTURE.write();
                stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
                let sorts = Sort::new().run(&device, &x, &mut sorted);
                let orders = Sort::new().descending().indices().run(&device, &x, &mut order);
                let pairs = Sort::pairs().run_in_place(&device, (&mut kept, &mut ids));
                let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
                assert_eq!((sorts, orders, pairs), (Ok(()), Ok(()), Ok(())));
                graph
            };
            for kind in KINDS {
                let values = keys::<u32>(kind, len);
                stream.memcpy_htod(&values, &mut x).unwrap();
                stream.memcpy_htod(&values, &mut kept).unwrap();
                stream.memcpy_htod(&positions, &mut ids).unwrap();
                for _ in 0..3 {
                    graph.launch().unwrap();
                }
                let mut expected = positions.clone();
                expected.sort_by_key(|i| values[*i as usize]);
                let in_order: Vec<u32> = expected.iter().map(|i| values[*i as usize]).collect();
                assert_eq!(stream.clone_dtoh(&sorted).unwrap(), in_order, "{kind:?} of {len}");
                assert_eq!(stream.clone_dtoh(&kept).unwrap(), in_order, "pairs of {kind:?} of {len}");
                assert_eq!(stream.clone_dtoh(&ids).unwrap(), expected, "values of {kind:?} of {len}");
                expected = positions.clone();
                expected.sort_by_key(|i| !values[*i as usize]);
                assert_eq!(stream.clone_dtoh(&order).unwrap(), expected, "positions of {kind:?} of {len}");
            }
        }
    }

    #[test]
    #[ignore = "needs a CUDA GPU"]
    fn cuda_wrong_places() {
        let device = Device::cuda(0).unwrap();
        let (x, mut out) = (device.upload(&[3u32, 1, 2]).unwrap(), device.upload(&[0u32; 3]).unwrap());
        let on_host = |what| Err(Error::Place { what, found: "host", expected: "CUDA" });
        assert_eq!(Sort::new().run(&device, &[3u32, 1, 2], &mut out), on_host("input"));
        assert_eq!(Sort::new().run(&device, &x, &mut [0u32; 3]), on_host("output"));
        let on_cuda = Err(Error::Place { what: "input", found: "CUDA", expected: "host" });
        assert_eq!(Sort::new().run(&Device::cpu(), &x, &mut [0u32; 3]), on_cuda);
    }
}
