//! CUDA: calls captured in graphs and replayed.

#![cfg(feature = "cuda")]

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaGraph, CudaStream, result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use upsweep::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const MODES: [CUstreamCaptureMode; 3] = [
    CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL,
    CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
    CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED,
];

fn values(len: usize) -> Vec<u64> {
    (0..len as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20).collect()
}

fn prefixes(x: &[u64]) -> Vec<u64> {
    let running = |sum: &mut u64, &x: &u64| {
        *sum = sum.wrapping_add(x);
        Some(*sum)
    };
    x.iter().scan(0, running).collect()
}

/// Lock for captures: while a capture in the global mode is in progress, CUDA refuses some calls in every thread, also
/// cudarc's.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a stream for a test that captures.
fn start() -> Result<(MutexGuard<'static, ()>, Arc<CudaStream>, Device), Box<dyn std::error::Error>> {
    let one = one_at_a_time();
    let stream = CudaContext::new(0)?.new_stream()?;
    let device = Device::on_stream(&stream)?;
    Ok((one, stream, device))
}

/// Captures the work that `enqueue` enqueues on `stream` in a graph.
fn capture(
    stream: &Arc<CudaStream>,
    mode: CUstreamCaptureMode,
    enqueue: impl FnOnce() -> upsweep::Result<()>,
) -> Result<CudaGraph, Box<dyn std::error::Error>> {
    stream.begin_capture(mode)?;
    let enqueued = enqueue();
    // The capture is ended also after a failure, so that the next test finds no stream that is still captured.
    let graph = stream.end_capture(CUgraphInstantiate_flags(0));
    enqueued?;
    Ok(graph?.ok_or("the capture is empty")?)
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn a_hundred_thousand_replays() -> Outcome {
    let (_one, stream, device) = start()?;
    // Below, at and above the sizes that one block, one cluster and one wave of blocks do.
    for len in [1000, 100_000, 1 << 20] {
        let x = values(len);
        let input = device.upload(&x)?;
        let mut output = device.filled(len, 0u64)?;
        let scan = Scan::new(Sum);
        let graph = capture(&stream, MODES[0], || scan.run(&device, &input, &mut output))?;
        for _ in 0..100_000 {
            graph.launch()?;
        }
        assert!(output.to_vec()? == prefixes(&x), "{len} elements");
        // A call outside of the graph, between its replays, has another workspace.
        assert!(device.inclusive_scan(&input, Sum)?.to_vec()? == prefixes(&x));
        graph.launch()?;
        assert!(output.to_vec()? == prefixes(&x));
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn a_graph_reads_its_input_anew_each_time() -> Outcome {
    let (_one, stream, device) = start()?;
    let mut data = device.upload(&vec![1u64; 300_000])?;
    let graph = capture(&stream, MODES[0], || Scan::new(Sum).run_in_place(&device, &mut data))?;
    let mut expected = vec![1u64; 300_000];
    for _ in 0..10 {
        graph.launch()?;
        expected = prefixes(&expected);
        assert!(data.to_vec()? == expected);
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn the_first_use_of_a_kernel_may_be_in_a_capture() -> Outcome {
    // Compiling, loading, allocating the workspace and growing it all happen in the capture. Each mode has an operator
    // and element type of its own, so that none finds the other's kernel.
    let (_one, stream, device) = start()?;
    macro_rules! check {
        ($mode:expr, $t:ty) => {{
            let (small, large) = (vec![1 as $t; 10_000], vec![1 as $t; 1 << 24]);
            let inputs = (device.upload(&small)?, device.upload(&large)?);
            let mut outputs = (device.filled(small.len(), 0 as $t)?, device.filled(large.len(), 0 as $t)?);
            let graph = capture(&stream, $mode, || {
                Scan::new(Max).run(&device, &inputs.0, &mut outputs.0)?;
                Scan::new(Max).run(&device, &inputs.1, &mut outputs.1)?;
                Scan::new(Max).run(&device, &inputs.0, &mut outputs.0)
            })?;
            graph.launch()?;
            assert!(outputs.0.to_vec()? == small && outputs.1.to_vec()? == large);
        }};
    }
    check!(MODES[0], u16);
    check!(MODES[1], i32);
    check!(MODES[2], i8);
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn an_array_made_in_a_capture_outlives_it() -> Outcome {
    let (_one, stream, device) = start()?;
    let x = values(200_000);
    let input = device.upload(&x)?;
    let mut result = None;
    let graph = capture(&stream, MODES[0], || {
        result = Some(device.inclusive_scan(&input, Sum)?);
        Ok(())
    })?;
    let result = result.ok_or("no result")?;
    for _ in 0..3 {
        graph.launch()?;
        assert!(result.to_vec()? == prefixes(&x));
    }
    drop(graph);
    assert!(result.to_vec()? == prefixes(&x));
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn several_graphs_on_several_streams() -> Outcome {
    let _one = one_at_a_time();
    let context = CudaContext::new(0)?;
    let x = values(1 << 20);
    let expected = prefixes(&x);
    let mut graphs = Vec::new();
    for _ in 0..3 {
        let stream = context.new_stream()?;
        let device = Device::on_stream(&stream)?;
        let input = device.upload(&x)?;
        let mut output = device.filled(x.len(), 0u64)?;
        let graph = capture(&stream, MODES[0], || Scan::new(Sum).run(&device, &input, &mut output))?;
        graphs.push((graph, output, device, input));
    }
    for _ in 0..200 {
        for (graph, ..) in &graphs {
            graph.launch()?;
        }
    }
    for (_, output, ..) in &graphs {
        assert!(output.to_vec()? == expected);
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn what_waits_for_the_host_is_refused_and_the_capture_goes_on() -> Outcome {
    let (_one, stream, device) = start()?;
    let x = values(5000);
    let input = device.upload(&x)?;
    let mut output = device.filled(x.len(), 0u64)?;
    let mut refused = Vec::new();
    let graph = capture(&stream, MODES[0], || {
        refused.push(device.upload(&x).err());
        refused.push(input.to_vec().err());
        refused.push(device.reduce(&input, Sum).err());
        Scan::new(Sum).run(&device, &input, &mut output)
    })?;
    for error in refused {
        assert!(error.is_some_and(|error| error.to_string().contains("captured")));
    }
    graph.launch()?;
    assert!(output.to_vec()? == prefixes(&x));
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn bad_offsets_in_a_graph_are_reported_at_each_launch() -> Outcome {
    let (_one, stream, device) = start()?;
    let input = device.upload(&values(1000))?;
    let bad = device.upload(&[0u32, 700, 300, 1000])?;
    let mut output = device.filled(1000, 0u64)?;
    let scan = Scan::new(Sum).segments(Segments::Offsets(&bad));
    let graph = capture(&stream, MODES[0], || scan.run(&device, &input, &mut output))?;
    assert!(input.to_vec().is_ok(), "nothing has run yet");
    for _ in 0..3 {
        graph.launch()?;
        let error = output.to_vec();
        assert!(matches!(error, Err(upsweep::Error::Offsets { .. })), "{error:?}");
        assert!(output.to_vec().is_ok(), "a fault is reported once");
    }
    Ok(())
}

/// Few long interleaved lines take several kernels, which pass carries on.
#[test]
#[ignore = "needs a CUDA GPU"]
fn interleaved_lines_in_a_graph() -> Outcome {
    let (_one, stream, device) = start()?;
    let (len, inner) = (30_000, 40);
    let x = values(len * inner);
    let along = |x: &[u64]| along_columns(x, inner);
    let mut data = device.upload(&x)?;
    let mut totals = device.filled(inner, 0u64)?;
    let shape = [len, inner];
    let graph = capture(&stream, MODES[0], || {
        Scan::new(Sum).axis(&shape, 0).run_in_place(&device, &mut data)?;
        Reduce::new(Sum).axis(&shape, 0).run(&device, &data, &mut totals)
    })?;
    let mut expected = x.clone();
    for _ in 0..5 {
        graph.launch()?;
        // A call outside of the graph, between its replays, has memory of its own.
        let mut other = device.filled(x.len(), 0u64)?;
        Scan::new(Sum).axis(&shape, 0).run(&device, &device.upload(&x)?, &mut other)?;
        expected = along(&expected);
        assert!(data.to_vec()? == expected && other.to_vec()? == along(&x));
        assert!(totals.to_vec()? == along(&expected)[x.len() - inner..]);
    }
    Ok(())
}

#[function]
fn of_four(a: u64, b: u64, c: u64, d: u64) -> u64 {
    a + b * 3 + c * 5 + d * 7
}

/// Several launches, each of which reads the results of the one before.
#[test]
#[ignore = "needs a CUDA GPU"]
fn a_pyramid_in_a_graph() -> Outcome {
    let (_one, stream, device) = start()?;
    let x = values(256 * 512 * 4);
    let pyramid = Pyramid::new(OfFour, [1, 256, 512, 4], 9).with_input();
    let mut data = device.upload(&x)?;
    let mut levels = device.filled(pyramid.results()?, 0u64)?;
    let graph = capture(&stream, MODES[0], || {
        Scan::new(Sum).run_in_place(&device, &mut data)?;
        pyramid.run(&device, &data, &mut levels)
    })?;
    let mut expected = x;
    for _ in 0..3 {
        graph.launch()?;
        expected = prefixes(&expected);
        let host = Device::cpu();
        assert!(levels.to_vec()? == pyramid.run_to_array(&host, &expected)?.to_vec()?);
    }
    Ok(())
}

/// Values that change from launch to launch.
#[test]
#[ignore = "needs a CUDA GPU"]
fn a_moving_sum_in_a_graph() -> Outcome {
    let (_one, stream, device) = start()?;
    let x = values(300 * 400);
    let moving = MovingSum::new([1, 300, 400, 1]).rows(20, 3).columns(7, 30);
    let (mut data, mut sums) = (device.upload(&x)?, device.filled(x.len(), 0u64)?);
    let graph = capture(&stream, MODES[0], || {
        Scan::new(Sum).run_in_place(&device, &mut data)?;
        moving.run(&device, &data, &mut sums)
    })?;
    let mut expected = x;
    for _ in 0..3 {
        graph.launch()?;
        expected = prefixes(&expected);
        assert!(sums.to_vec()? == moving.run_to_array(&Device::cpu(), &expected)?.to_vec()?);
    }
    Ok(())
}

/// Prefix sums along the first axis.
fn along_columns(x: &[u64], inner: usize) -> Vec<u64> {
    let mut sums = x.to_vec();
    for i in inner..sums.len() {
        sums[i] = sums[i].wrapping_add(sums[i - inner]);
    }
    sums
}

/// Few long strided lines take several kernels, which pass carries on through memory of the graph.
#[test]
#[ignore = "needs a CUDA GPU"]
fn ten_thousand_replays_of_strided_lines_with_other_data() -> Outcome {
    let (_one, stream, device) = start()?;
    let shape = [8192, 40];
    let len = shape[0] * shape[1];
    let mut input = stream.clone_htod(&values(len))?;
    let mut sums = stream.alloc_zeros::<u64>(len)?;
    let mut totals = stream.alloc_zeros::<u64>(shape[1])?;
    let graph = capture(&stream, MODES[0], || {
        Scan::new(Sum).axis(&shape, 0).run(&device, &input, &mut sums)?;
        Reduce::new(Sum).axis(&shape, 0).run(&device, &input, &mut totals)
    })?;
    let other = device.upload(&values(len))?;
    let of_other = along_columns(&values(len), shape[1]);
    for round in 0..50u64 {
        let x: Vec<u64> = values(len).iter().map(|x| x.wrapping_mul(2 * round + 1)).collect();
        stream.memcpy_htod(&x, &mut input)?;
        stream.memset_zeros(&mut sums)?;
        stream.memset_zeros(&mut totals)?;
        for _ in 0..200 {
            graph.launch()?;
        }
        // A call outside of the graph, between its replays, has memory of its own.
        let mut beside = device.filled(len, 0u64)?;
        Scan::new(Sum).axis(&shape, 0).run(&device, &other, &mut beside)?;
        graph.launch()?;
        let expected = along_columns(&x, shape[1]);
        assert!(stream.clone_dtoh(&sums)? == expected, "sums of round {round}");
        assert!(stream.clone_dtoh(&totals)? == expected[len - shape[1]..], "totals of round {round}");
        assert!(beside.to_vec()? == of_other, "the call beside the graph, in round {round}");
    }
    Ok(())
}

/// Allocations as graph nodes would limit a graph to one executable.
#[test]
#[ignore = "needs a CUDA GPU"]
fn two_executables_of_one_graph_in_turn() -> Outcome {
    let (_one, stream, device) = start()?;
    let another = stream.context().new_stream()?;
    let shape = [8192, 40];
    let len = shape[0] * shape[1];
    let mut data = stream.clone_htod(&values(len))?;
    let first = capture(&stream, MODES[0], || Scan::new(Sum).axis(&shape, 0).run_in_place(&device, &mut data))?;
    // SAFETY: the graph is not used by another thread.
    let second = unsafe { result::graph::instantiate(first.cu_graph(), CUgraphInstantiate_flags(0)) }?;
    let mut expected = values(len);
    for _ in 0..5 {
        first.launch()?;
        another.join(&stream)?;
        // SAFETY: the executable was made above, and is destroyed below.
        unsafe { result::graph::launch(second, another.cu_stream()) }?;
        stream.join(&another)?;
        expected = along_columns(&along_columns(&expected, shape[1]), shape[1]);
        assert!(stream.clone_dtoh(&data)? == expected);
    }
    // The second one keeps its memory when the graph and the first are gone: a graph that is captured then has
    // another's, and may run at the same time.
    drop(first);
    let mut other = stream.clone_htod(&values(len))?;
    let mut expected_of_other = values(len);
    let third = capture(&stream, MODES[0], || Scan::new(Sum).axis(&shape, 0).run_in_place(&device, &mut other))?;
    another.join(&stream)?;
    for _ in 0..50 {
        third.launch()?;
        // SAFETY: as above.
        unsafe { result::graph::launch(second, another.cu_stream()) }?;
        expected = along_columns(&expected, shape[1]);
        expected_of_other = along_columns(&expected_of_other, shape[1]);
    }
    stream.join(&another)?;
    assert!(stream.clone_dtoh(&data)? == expected);
    assert!(stream.clone_dtoh(&other)? == expected_of_other);
    // SAFETY: it is not launched again.
    Ok(unsafe { result::graph::exec_destroy(second) }?)
}
