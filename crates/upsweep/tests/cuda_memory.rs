//! CUDA: the device's memory, in tests that need it exclusively.

#![cfg(feature = "cuda")]

use cudarc::driver::CudaContext;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use std::sync::{Mutex, MutexGuard, PoisonError};
use upsweep::Error;
use upsweep::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn out_of_memory_is_an_error_and_no_more() -> Outcome {
    let _one = one_at_a_time();
    let context = CudaContext::new(0)?;
    let device = Device::cuda(0)?;
    let x = vec![1u32; 64 << 20];
    let input = device.upload(&x)?;
    assert_eq!(device.reduce(&input, Sum)?, 64 << 20);
    // Nearly all of what is left is taken by someone else: neither an upload nor a result fits.
    let (free, _) = context.mem_get_info()?;
    let mut taken = Vec::new();
    let mut piece = free;
    while piece >= 32 << 20 {
        // SAFETY: nobody reads the memory.
        match unsafe { context.default_stream().alloc::<u8>(piece) } {
            Ok(memory) => taken.push(memory),
            Err(_) => piece /= 2,
        }
    }
    let bytes = x.len() * size_of::<u32>();
    for _ in 0..3 {
        assert_eq!(device.upload(&x).err(), Some(Error::OutOfMemory { bytes }));
        assert_eq!(device.inclusive_scan(&input, Sum).err(), Some(Error::OutOfMemory { bytes }));
    }
    assert_eq!(device.reduce(&input, Sum)?, 64 << 20, "what needs no memory works meanwhile");
    drop(taken);
    context.synchronize()?;
    let result = device.inclusive_scan(&input, Sum)?.to_vec()?;
    assert!(result.iter().zip(1..).all(|(&found, expected)| found == expected));
    Ok(())
}

/// Checks arrays of `value`, of all lengths that are filled in another way.
fn holds<T: Element + PartialEq + std::fmt::Debug>(device: &Device, value: T) -> Outcome {
    for len in [0, 1, 3, 1000, (64 << 10) / size_of::<T>(), (64 << 10) / size_of::<T>() + 1, (1 << 20) + 5] {
        let found = device.filled(len, value)?.to_vec()?;
        assert!(found.len() == len && found.iter().all(|&x| x == value), "{len} times {value:?}");
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn filled_arrays_hold_their_value() -> Outcome {
    let _one = one_at_a_time();
    let device = Device::cuda(0)?;
    holds(&device, -2i8)?;
    holds(&device, true)?;
    holds(&device, 0x1234u16)?;
    holds(&device, -1.5f32)?;
    holds(&device, 0u64)?;
    holds(&device, 1.5f64)?;
    holds(&device, 1u128 << 100)?;
    holds(&device, (7u8, 1u32, -2.5f64))?;
    holds(&device, [1u16, 2, 3])
}

/// Runs `work` 300 times. After the first 100, the device's memory in use grows by no more than `slack` bytes.
fn keeps_no_memory(context: &CudaContext, slack: usize, mut work: impl FnMut() -> Outcome) -> Outcome {
    let mut used = Vec::new();
    for round in 0..300 {
        work()?;
        if round % 100 == 99 {
            context.synchronize()?;
            let (free, total) = context.mem_get_info()?;
            used.push(total - free);
        }
    }
    assert!(used[2] <= used[0] + slack, "memory is kept: {used:?}");
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn many_captures_use_their_workspaces_again() -> Outcome {
    let _one = one_at_a_time();
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let device = Device::on_stream(&stream)?;
    let input = device.upload(&vec![1u64; 1 << 22])?;
    let mut output = device.filled(1 << 22, 0u64)?;
    // CUDA reports the end of a graph a little late, so that a few more workspaces than one may exist.
    keeps_no_memory(&context, 8 << 20, || {
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL)?;
        let enqueued = Scan::new(Sum).run(&device, &input, &mut output);
        let graph = stream.end_capture(CUgraphInstantiate_flags(0))?.ok_or("the capture is empty")?;
        enqueued?;
        graph.launch()?;
        Ok(stream.synchronize()?)
    })?;
    assert_eq!(output.to_vec()?[(1 << 22) - 1], 1 << 22);
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn streams_that_are_gone_keep_no_workspace() -> Outcome {
    let _one = one_at_a_time();
    let context = CudaContext::new(0)?;
    keeps_no_memory(&context, 64 << 20, || {
        let device = Device::on_stream(&context.new_stream()?)?;
        let x = device.upload(&vec![1u32; 1 << 20])?;
        assert_eq!(device.inclusive_scan(&x, Sum)?.to_vec()?[(1 << 20) - 1], 1 << 20);
        Ok(())
    })
}

/// Values whose prefix sums do not repeat.
fn values(len: usize, seed: u32) -> Vec<u32> {
    (0..len as u32).map(|i| (i ^ seed << 26).wrapping_mul(2_654_435_761) >> 3).collect()
}

/// Prefix sums along the first axis.
fn along_columns(x: &[u32], inner: usize) -> Vec<u32> {
    let mut sums = x.to_vec();
    for i in inner..sums.len() {
        sums[i] = sums[i].wrapping_add(sums[i - inner]);
    }
    sums
}

/// The kernels of a call on few long strided lines pass sums on through memory of the call. Kernels of different calls
/// interleave.
#[test]
#[ignore = "needs a CUDA GPU"]
fn calls_of_many_threads_on_one_stream_have_memory_each() -> Outcome {
    let _one = one_at_a_time();
    let device = Device::cuda(0)?;
    std::thread::scope(|scope| {
        let device = &device;
        let work = |number: u32| -> upsweep::Result<()> {
            let shape = [1 << (20 - number), 64];
            let x = values(shape[0] * shape[1], number);
            let input = device.upload(&x)?;
            let (mut sums, mut totals) = (device.filled(x.len(), 0u32)?, device.filled(shape[1], 0u32)?);
            for _ in 0..100 {
                Scan::new(Sum).axis(&shape, 0).run(device, &input, &mut sums)?;
                Reduce::new(Sum).axis(&shape, 0).run(device, &input, &mut totals)?;
            }
            let expected = along_columns(&x, shape[1]);
            assert!(sums.to_vec()? == expected, "sums of thread {number}");
            assert!(totals.to_vec()? == expected[x.len() - shape[1]..], "totals of thread {number}");
            Ok(())
        };
        let threads: Vec<_> = (0..6).map(|number| scope.spawn(move || work(number))).collect();
        for thread in threads {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(())
    })
}

/// Calls as in the test above, on streams that run at the same time: memory that one call has freed goes to another
/// only after its kernels.
#[test]
#[ignore = "needs a CUDA GPU"]
fn calls_on_several_streams_have_memory_each() -> Outcome {
    let _one = one_at_a_time();
    let context = CudaContext::new(0)?;
    let shape = [1 << 15, 64];
    let mut calls = Vec::new();
    for number in 0..4 {
        let device = Device::on_stream(&context.new_stream()?)?;
        let x = values(shape[0] * shape[1], number);
        calls.push((device.upload(&x)?, device.filled(x.len(), 0u32)?, along_columns(&x, shape[1]), device));
    }
    for _ in 0..200 {
        for (input, sums, _, device) in &mut calls {
            Scan::new(Sum).axis(&shape, 0).run(device, &*input, sums)?;
        }
    }
    for (_, sums, expected, _) in &calls {
        assert!(sums.to_vec()? == *expected);
    }
    Ok(())
}

/// The driver may take back a call's memory pool where the device is full: then the call returns an error, writes
/// nothing wrong, and works again once there is room.
#[test]
#[ignore = "needs a CUDA GPU"]
fn a_call_without_memory_for_itself_says_so() -> Outcome {
    let _one = one_at_a_time();
    let context = CudaContext::new(0)?;
    let device = Device::cuda(0)?;
    let shape = [1 << 16, 64];
    let x = [0, 1].map(|seed| values(shape[0] * shape[1], seed));
    let inputs = [device.upload(&x[0])?, device.upload(&x[1])?];
    let mut sums = device.filled(x[0].len(), 0u32)?;
    // The kernels are loaded, and the pool is made.
    Scan::new(Sum).axis(&shape, 0).run(&device, &inputs[1], &mut sums)?;
    device.synchronize()?;
    let mut taken = Vec::new();
    let mut piece = context.mem_get_info()?.0;
    while piece >= 1 << 16 {
        // SAFETY: nobody reads the memory.
        match unsafe { context.default_stream().alloc::<u8>(piece) } {
            Ok(memory) => taken.push(memory),
            Err(_) => piece /= 2,
        }
    }
    for (x, input) in x.iter().zip(&inputs) {
        match Scan::new(Sum).axis(&shape, 0).run(&device, input, &mut sums) {
            Ok(()) => assert!(sums.to_vec()? == along_columns(x, shape[1])),
            Err(upsweep::Error::OutOfMemory { bytes }) => assert!(bytes > 0),
            Err(other) => return Err(other.into()),
        }
    }
    drop(taken);
    context.synchronize()?;
    for (x, input) in x.iter().zip(&inputs) {
        Scan::new(Sum).axis(&shape, 0).run(&device, input, &mut sums)?;
        assert!(sums.to_vec()? == along_columns(x, shape[1]));
    }
    Ok(())
}

/// Arrays with locked pages: their values, copies, a call between two of them, and their life after the device's.
#[test]
#[ignore = "needs a CUDA GPU"]
fn pinned_arrays() -> Outcome {
    let _one = one_at_a_time();
    let device = Device::cuda(0)?;
    for len in [0, 1, 1000, (3 << 20) + 5] {
        let (mut x, mut sums) = (device.pinned::<u32>(len)?, device.pinned::<u32>(len)?);
        assert!(x.len() == len && x.as_slice() == Some(&vec![0; len][..]), "{len} zeros");
        let values: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        x.as_mut_slice().ok_or("no memory of the host")?.copy_from_slice(&values);
        let expected = Scan::new(Sum).run_to_vec(&Device::cpu(), &values)?;
        Scan::new(Sum).run(&device.streamed(), &x, &mut sums)?;
        assert_eq!(sums.to_vec()?, expected, "{len} elements between pinned arrays");
        let there = device.upload(x.as_slice().ok_or("no memory of the host")?)?;
        Scan::new(Sum).run_to_array(&device, &there)?.copy_to(x.as_mut_slice().ok_or("no memory of the host")?)?;
        assert_eq!(x.into_vec()?, expected, "{len} elements copied");
        // The CPU takes them as any other array; a kernel does not, as it does no memory of the host.
        Scan::new(Sum).run_in_place(&Device::cpu(), &mut sums)?;
        assert_eq!(sums.to_vec()?, Scan::new(Sum).run_to_vec(&Device::cpu(), &expected)?);
        assert!(matches!(Scan::new(Sum).run_in_place(&device, &mut sums), Err(Error::Place { .. })));
    }
    let bytes = 1 << 52;
    assert_eq!(device.pinned::<u8>(bytes).err(), Some(Error::OutOfMemory { bytes }));
    let left = device.pinned::<u64>(1000)?;
    drop(device);
    assert_eq!(left.as_slice(), Some(&[0; 1000][..]));
    Ok(())
}
