//! CUDA: one and several streams, the caller's own streams and buffers.

#![cfg(feature = "cuda")]

use cudarc::driver::CudaContext;
use upsweep::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Values whose prefix sums do not repeat.
fn values(len: usize, seed: u32) -> Vec<u32> {
    (0..len as u32).map(|i| (i ^ seed).wrapping_mul(2_654_435_761) >> 7).collect()
}

/// Prefix sums by the sequential loop, the oracle.
fn prefixes(x: &[u32]) -> Vec<u32> {
    let running = |sum: &mut u32, &x: &u32| {
        *sum = sum.wrapping_add(x);
        Some(*sum)
    };
    x.iter().scan(0, running).collect()
}

#[test]
fn best_device_computes_with_or_without_a_gpu() -> Outcome {
    let device = Device::best()?;
    let x = device.upload(&[3u32, 1, 7, 0])?;
    assert_eq!(device.inclusive_scan(&x, Sum)?.to_vec()?, [3, 4, 11, 11]);
    Ok(())
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    let error = Device::cuda(1_000_000).err().map(|error| error.to_string());
    assert!(error.is_some_and(|reason| reason.contains("CUDA")));
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn a_device_of_its_own() -> Outcome {
    let device = Device::cuda(0)?;
    for len in [0, 1, 2, 1000, 1 << 20] {
        let x = values(len, 1);
        assert_eq!(device.upload(&x)?.to_vec()?, x);
        assert!(device.inclusive_scan(&device.upload(&x)?, Sum)?.to_vec()? == prefixes(&x), "{len} elements");
    }
    Ok(())
}

/// Runs `work` in four threads at once, each of which is given its number.
fn in_threads(work: impl Fn(u32) -> upsweep::Result<()> + Sync) -> Outcome {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..4).map(|number| scope.spawn(move || work(number))).collect();
        for thread in threads {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(())
    })
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn many_threads_each_with_a_device() -> Outcome {
    in_threads(|seed| {
        let device = Device::cuda(0)?;
        for round in 0..50 {
            let x = values(100_000 + 1000 * round, seed);
            assert!(device.inclusive_scan(&device.upload(&x)?, Sum)?.to_vec()? == prefixes(&x));
        }
        Ok(())
    })
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn one_device_in_many_threads() -> Outcome {
    let device = Device::cuda(0)?;
    in_threads(|seed| {
        for round in 0..50 {
            let x = values(1 << (round % 20), seed);
            assert!(device.inclusive_scan(&device.upload(&x)?, Sum)?.to_vec()? == prefixes(&x));
        }
        Ok(())
    })
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn two_streams_at_once_do_not_share_a_workspace() -> Outcome {
    let context = CudaContext::new(0)?;
    let devices = [Device::on_stream(&context.new_stream()?)?, Device::on_stream(&context.new_stream()?)?];
    let len = 1 << 22;
    let inputs = [values(len, 1), values(len, 2)];
    let expected = [prefixes(&inputs[0]), prefixes(&inputs[1])];
    let arrays = [devices[0].upload(&inputs[0])?, devices[1].upload(&inputs[1])?];
    for _ in 0..20 {
        // Enqueued without waiting, so that the kernels of both streams run at the same time.
        let mut results = Vec::new();
        for _ in 0..4 {
            for i in 0..2 {
                results.push((i, devices[i].inclusive_scan(&arrays[i], Sum)?));
            }
        }
        for (i, result) in results {
            assert!(result.to_vec()? == expected[i]);
        }
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn an_array_goes_from_one_devices_stream_to_anothers() -> Outcome {
    let (first, second) = (Device::cuda(0)?, Device::cuda(0)?);
    let x = values(1 << 22, 3);
    let twice = prefixes(&prefixes(&x));
    for _ in 0..20 {
        // Nothing waits on the host: the second stream must wait for the first, and the first free `once` after it.
        let once = first.inclusive_scan(&first.upload(&x)?, Sum)?;
        let result = second.inclusive_scan(&once, Sum)?;
        drop(once);
        let overwritten = first.filled(1 << 22, u32::MAX)?;
        assert!(result.to_vec()? == twice);
        drop(overwritten);
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn a_buffer_of_the_default_stream_on_another_stream() -> Outcome {
    // A context in which cudarc orders nothing, as it has created no stream.
    let context = CudaContext::new(0)?;
    let default = context.default_stream();
    let device = Device::cuda(0)?;
    let x = values(1 << 22, 4);
    let expected = prefixes(&x);
    for _ in 0..20 {
        let input = default.clone_htod(&x)?;
        let mut output = default.alloc_zeros::<u32>(x.len())?;
        Scan::new(Sum).run(&device, &input, &mut output)?;
        assert!(default.clone_dtoh(&output)? == expected);
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn the_callers_stream_and_slices() -> Outcome {
    let context = CudaContext::new(0)?;
    for stream in [context.default_stream(), context.new_stream()?] {
        let device = Device::on_stream(&stream)?;
        let x = values(123_457, 5);
        let input = stream.clone_htod(&x)?;
        let mut output = stream.alloc_zeros::<u32>(x.len())?;
        Scan::new(Sum).run(&device, &input, &mut output)?;
        assert!(stream.clone_dtoh(&output)? == prefixes(&x));
        let mut data = input;
        Scan::new(Sum).run_in_place(&device, &mut data)?;
        assert!(stream.clone_dtoh(&data)? == prefixes(&x));
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn the_callers_views_at_every_alignment() -> Outcome {
    const POISON: u8 = 0xa5;
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let device = Device::on_stream(&stream)?;
    let len = 40_000;
    let x: Vec<u8> = values(len + 16, 6).iter().map(|x| *x as u8).collect();
    let input = stream.clone_htod(&x)?;
    for from in 0..16 {
        for to in 0..16 {
            let mut output = stream.clone_htod(&vec![POISON; len + 32])?;
            Scan::new(Sum).run(&device, &input.slice(from..from + len), &mut output.slice_mut(to..to + len))?;
            let result = stream.clone_dtoh(&output)?;
            let mut sum = 0u8;
            for i in 0..len {
                sum = sum.wrapping_add(x[from + i]);
                assert_eq!(result[to + i], sum, "element {i}, from offset {from} to offset {to}");
            }
            let outside = result[..to].iter().chain(&result[to + len..]);
            assert!(outside.into_iter().all(|&byte| byte == POISON), "written outside, from {from} to {to}");
        }
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn host_memory_is_refused() -> Outcome {
    let device = Device::cuda(0)?;
    let mut output = device.filled(4, 0u32)?;
    let error = Scan::new(Sum).run(&device, &[1u32, 2, 3, 4], &mut output);
    assert!(matches!(error, Err(upsweep::Error::Place { what: "input", .. })), "{error:?}");
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn the_per_thread_stream_is_refused() -> Outcome {
    let context = CudaContext::new(0)?;
    let error = Device::on_stream(&context.per_thread_stream());
    assert!(matches!(error, Err(upsweep::Error::Device { .. })), "{error:?}");
    Ok(())
}

/// The kernels of one call on few long interleaved lines pass carries on: another thread's kernels must not come
/// between.
#[test]
#[ignore = "needs a CUDA GPU"]
fn interleaved_lines_of_several_threads_on_one_stream() -> Outcome {
    let device = Device::cuda(0)?;
    let (len, inner) = (20_000usize, 40usize);
    in_threads(|number| {
        let x = values(len * inner, number);
        let mut expected = x.clone();
        for i in inner..expected.len() {
            expected[i] = expected[i].wrapping_add(expected[i - inner]);
        }
        let input = device.upload(&x)?;
        let mut output = device.filled(x.len(), 0u32)?;
        for _ in 0..100 {
            Scan::new(Sum).axis(&[len, inner], 0).run(&device, &input, &mut output)?;
        }
        assert!(output.to_vec()? == expected, "thread {number}");
        Ok(())
    })
}
