//! Selections captured in a graph, which is replayed with other data.

use crate::support::place::{CAPTURE, Place, to_cuda};
use crate::support::random::Rng;
use crate::support::{Below, GRAPH_FAULTS, Odd};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use upsweep::prelude::*;

/// Two selections in turn; the second one has as many elements as the first one selected.
#[test]
#[ignore = "needs a CUDA GPU"]
fn cuda_graphs_select_other_data_each_time() {
    const LEN: usize = 100_000;
    let _no_faults = GRAPH_FAULTS.read();
    let place = Place::cuda();
    let (device, stream) = (&place.device, place.stream.as_ref().unwrap());
    let mut input = to_cuda(stream, &vec![0u32; LEN]);
    let (mut some, mut few) = (device.filled(LEN, 0u32).unwrap(), device.filled(LEN, 0u32).unwrap());
    let (mut first, mut second) = (Count::new(device).unwrap(), Count::new(device).unwrap());
    let graph = {
        let _alone = CAPTURE.write();
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        let captured = Select::new(Odd).run_counted(device, &input, &mut some, &mut first).and_then(|()| {
            Select::new(Below { bound: 1 << 31 }).run_counted(device, &first.of(&some), &mut few, &mut second)
        });
        let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
        captured.unwrap();
        graph
    };
    let mut rng = Rng::new(5);
    for round in 0..40 {
        let share = [2, 3, 17, 1000][round % 4];
        let x: Vec<u32> = (0..LEN).map(|_| (rng.next() as u32) << 1 | u32::from(rng.once_in(share))).collect();
        stream.memcpy_htod(&x, &mut input).unwrap();
        graph.launch().unwrap();
        let odd: Vec<u32> = x.iter().copied().filter(|x| x % 2 == 1).collect();
        let low: Vec<u32> = odd.iter().copied().filter(|&x| x < 1 << 31).collect();
        assert_eq!((first.get(), second.get()), (Ok(odd.len()), Ok(low.len())), "round {round}");
        assert!(some.to_vec().unwrap()[..odd.len()] == odd && few.to_vec().unwrap()[..low.len()] == low);
    }
}

/// Next numbers of a sequence that can be computed many steps ahead.
#[function]
fn next_of(x: u32) -> u32 {
    x * 1_664_525 + 1_013_904_223
}

/// Selects other data in each replay; the graph computes them from the last ones.
#[test]
#[ignore = "needs a CUDA GPU"]
fn cuda_ten_thousand_replays_of_selections_of_other_data() {
    const LEN: usize = 100_000;
    let _no_faults = GRAPH_FAULTS.read();
    let place = Place::cuda();
    let (device, stream) = (&place.device, place.stream.as_ref().unwrap());
    let mut x: Vec<u32> = (0..LEN as u32).map(|i| i.wrapping_mul(40_503).wrapping_mul(i)).collect();
    let (mut now, mut next) = (device.upload(&x).unwrap(), device.filled(LEN, 0u32).unwrap());
    let (mut some, mut few) = (device.filled(LEN, 0u32).unwrap(), device.filled(LEN, 0u32).unwrap());
    let (mut first, mut second) = (Count::new(device).unwrap(), Count::new(device).unwrap());
    let mut sum = device.filled(1, 0u32).unwrap();
    let graph = {
        let _alone = CAPTURE.write();
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        let captured = Transform::new(NextOf)
            .run(device, &now, &mut next)
            .and_then(|()| Transform::copy().run(device, &next, &mut now))
            .and_then(|()| Select::new(Below { bound: 1 << 30 }).run_counted(device, &now, &mut some, &mut first))
            .and_then(|()| Select::new(Odd).run_counted(device, &first.of(&some), &mut few, &mut second))
            .and_then(|()| Reduce::new(Sum).run(device, second.of(&few), &mut sum));
        let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
        captured.unwrap();
        graph
    };
    // `REPLAYS` steps at once are a step of the same kind.
    const REPLAYS: usize = 100;
    let (times, plus) = (0..REPLAYS).fold((1u32, 0u32), |(times, plus), _| {
        (times.wrapping_mul(1_664_525), plus.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
    });
    for round in 0..10_000 / REPLAYS {
        for _ in 0..REPLAYS {
            graph.launch().unwrap();
        }
        x.iter_mut().for_each(|x| *x = x.wrapping_mul(times).wrapping_add(plus));
        let low: Vec<u32> = x.iter().copied().filter(|&x| x < 1 << 30).collect();
        let odd: Vec<u32> = low.iter().copied().filter(|x| x % 2 == 1).collect();
        assert_eq!((first.get(), second.get()), (Ok(low.len()), Ok(odd.len())), "round {round}");
        assert!(some.to_vec().unwrap()[..low.len()] == low && few.to_vec().unwrap()[..odd.len()] == odd);
        let expected = odd.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
        assert_eq!(sum.to_vec(), Ok(vec![expected]), "round {round}");
    }
}

/// Run-length encoding and decoding; only the device knows the number of runs.
#[test]
#[ignore = "needs a CUDA GPU"]
fn cuda_graphs_encode_and_decode_other_data_each_time() {
    const LEN: usize = 60_000;
    let _no_faults = GRAPH_FAULTS.read();
    let place = Place::cuda();
    let (device, stream) = (&place.device, place.stream.as_ref().unwrap());
    let mut input = to_cuda(stream, &vec![0u32; LEN]);
    let [mut values, mut lengths, mut again] = [(); 3].map(|()| device.filled(LEN, 0u32).unwrap());
    let (mut runs, mut total) = (Count::new(device).unwrap(), Count::new(device).unwrap());
    let graph = {
        let _alone = CAPTURE.write();
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        let captured = Runs::new()
            .run_counted(device, &input, (&mut values, &mut lengths), &mut runs)
            .and_then(|()| Expand::values(&values).run_counted(device, &runs.of(&lengths), &mut again, &mut total));
        let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
        captured.unwrap();
        graph
    };
    let mut rng = Rng::new(9);
    for mean in [1, 2, 50, 30_000, 3] {
        let mut last = 0;
        let x: Vec<u32> = (0..LEN)
            .map(|_| {
                last += u32::from(rng.once_in(mean));
                last
            })
            .collect();
        stream.memcpy_htod(&x, &mut input).unwrap();
        graph.launch().unwrap();
        assert_eq!((runs.get(), total.get()), (Ok(x.windows(2).filter(|x| x[0] != x[1]).count() + 1), Ok(LEN)));
        assert!(again.to_vec().unwrap() == x, "runs of {mean}");
    }
}

/// A fault in a graph is reported after each replay that has it.
#[test]
#[ignore = "needs a CUDA GPU"]
fn cuda_graphs_tell_of_too_little_room() {
    let _alone = GRAPH_FAULTS.write();
    let place = Place::cuda();
    let (device, stream) = (&place.device, place.stream.as_ref().unwrap());
    let mut input = to_cuda(stream, &vec![1u32; 5000]);
    let (mut output, mut count) = (device.filled(100, 0u32).unwrap(), Count::new(device).unwrap());
    let graph = {
        let _no_new_streams = CAPTURE.write();
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        let captured = Select::new(Odd).run_counted(device, &input, &mut output, &mut count);
        let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
        captured.unwrap();
        graph
    };
    for kept in [5000, 100, 101, 3] {
        let x: Vec<u32> = (0..5000).map(|i| u32::from(i < kept)).collect();
        stream.memcpy_htod(&x, &mut input).unwrap();
        graph.launch().unwrap();
        let wanted = if kept <= 100 {
            Ok(kept)
        } else {
            Err(upsweep::Error::Capacity { what: "output", needed: kept, capacity: 100 })
        };
        assert_eq!(count.get(), wanted);
    }
}
