//! Tests of scratch memory on a GPU.

use super::super::driver::lock;
use super::*;
use crate::Cuda;
use cudarc::driver::CudaContext;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use std::sync::Mutex;
use std::time::Duration;
use upsweep_core::error::Error;

/// Lock that each of these tests holds: they count memory, fill it and capture, and so must not run at once.
static ONE: Mutex<()> = Mutex::new(());

type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;

/// Returns a device on a stream that no other test uses.
fn device() -> std::result::Result<Cuda, Box<dyn std::error::Error>> {
    Ok(Cuda::on_stream(&CudaContext::new(0)?.new_stream()?)?)
}

/// Enqueues a store of `byte` in every byte of `scratch`.
fn fill<T>(scratch: &Scratch<'_, T>, byte: u8) -> Result<()> {
    let stream = scratch.cuda.stream().cu_stream();
    // SAFETY: the memory has `scratch.bytes` bytes.
    unsafe { result::memset_d8_async(scratch.address, byte, scratch.bytes, stream) }.doing("filling scratch")
}

/// Returns the bytes of `scratch` from the byte `from` on, after the commands enqueued so far.
fn bytes<T>(scratch: &Scratch<'_, T>, from: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0x77; scratch.bytes - from];
    let stream = scratch.cuda.stream();
    // SAFETY: `scratch` has as many bytes as `bytes` from `from` on, and the stream is waited for before `bytes` is
    // dropped.
    unsafe { result::memcpy_dtoh_async(&mut bytes, scratch.address + from as u64, stream.cu_stream()) }
        .doing("reading scratch")?;
    stream.synchronize().doing("reading scratch")?;
    Ok(bytes)
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn scratches_are_apart_aligned_and_large_enough() -> Outcome {
    let _one = lock(&ONE);
    let cuda = &device()?;
    for _ in 0..10 {
        let lengths = [0, 1, 255, 256, 257, 100_003, 1 << 20];
        let scratches = lengths.map(|len| cuda.scratch::<[u8; 3]>(len));
        let scratches = scratches.into_iter().collect::<Result<Vec<_>>>()?;
        for (number, scratch) in scratches.iter().enumerate() {
            fill(scratch, number as u8)?;
        }
        for ((number, scratch), len) in scratches.iter().enumerate().zip(lengths) {
            assert_eq!(scratch.address() % 256, 0);
            assert_eq!(bytes(scratch, 0)?, vec![number as u8; 3 * len], "{len} elements");
        }
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn zeroed_scratch_is_zero_where_other_bytes_were() -> Outcome {
    let _one = lock(&ONE);
    let cuda = &device()?;
    let mut addresses = Vec::new();
    for len in [1, 1000, 1 << 20, 1 << 20] {
        let dirty = cuda.scratch::<u64>(len)?;
        fill(&dirty, 0xa5)?;
        addresses.push(dirty.address());
        drop(dirty);
        let scratch = cuda.scratch::<u64>(len)?.zeroed()?;
        addresses.push(scratch.address());
        assert!(bytes(&scratch, 0)?.iter().all(|&byte| byte == 0), "{len} elements");
    }
    addresses.dedup();
    assert!(addresses.len() < 8, "memory is freed in the stream's order, without waiting: {addresses:x?}");
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn gigabytes_are_there_and_go_back() -> Outcome {
    let _one = lock(&ONE);
    let cuda = &device()?;
    let used = || -> std::result::Result<usize, Box<dyn std::error::Error>> {
        cuda.synchronize()?;
        let (free, total) = result::mem_get_info()?;
        Ok(total - free)
    };
    drop(cuda.scratch::<u8>(1)?);
    let before = used()?;
    // A sixteenth of the device's memory stays in the pool (`pool.rs`), so these scratches are larger than what stays.
    let memory = cuda.info().memory;
    let len = ((5 << 27) + 1).max(memory / 64);
    for _ in 0..3 {
        let scratch = cuda.scratch::<u64>(len)?.zeroed()?;
        assert_eq!(bytes(&scratch, 8 * len - 16)?, [0; 16], "bytes behind the first 4 GiB");
        drop(scratch);
        let after = used()?;
        assert!(after <= before + memory / 16 + (128 << 20), "{before} bytes were in use before, {after} afterwards");
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn out_of_memory_is_an_error_and_no_more() -> Outcome {
    let _one = lock(&ONE);
    let cuda = &device()?;
    let memory = cuda.info().memory;
    // Requests that fail: all of the memory, of which CUDA itself uses a part; one byte more; more than can be counted.
    for _ in 0..3 {
        for bytes in [memory, memory + 1, usize::MAX] {
            assert_eq!(cuda.scratch::<u8>(bytes).err(), Some(Error::OutOfMemory { bytes }));
        }
        assert_eq!(cuda.scratch::<u64>(1 << 61).err(), Some(Error::OutOfMemory { bytes: usize::MAX }));
        let scratch = cuda.scratch::<u8>(1000)?.zeroed()?;
        assert_eq!(bytes(&scratch, 0)?, [0; 1000]);
    }
    Ok(())
}

/// Checks a graph each of whose launches clears its scratch, copies it to the output, and leaves other bytes in it.
#[test]
#[ignore = "needs a CUDA GPU"]
fn scratch_in_a_graph() -> Outcome {
    let _one = lock(&ONE);
    let cuda = &device()?;
    let stream = cuda.stream();
    let len = 10_000;
    let output = cuda.scratch::<u8>(len)?;
    let mut addresses = Vec::new();
    let mut refused = None;
    // The capture is of this thread alone, because other tests of this process go on in other threads.
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    let enqueued = (|| {
        for len in [len, len / 2, len] {
            let (scratch, other) = (cuda.scratch::<u8>(len)?.zeroed()?, cuda.scratch::<u8>(len)?);
            fill(&other, 0xff)?;
            // SAFETY: `output` and `scratch` have at least `len` bytes and live as long as the graph is used.
            unsafe { result::memcpy_dtod_async(output.address(), scratch.address(), len, stream.cu_stream()) }
                .doing("copying scratch")?;
            fill(&scratch, 0xa5)?;
            addresses.push([scratch.address(), other.address()]);
        }
        // The capture is still valid after the refusal.
        refused = cuda.scratch::<u8>(cuda.info().memory).err();
        Ok::<_, Error>(())
    })();
    let graph = stream.end_capture(CUgraphInstantiate_flags(0));
    enqueued?;
    let graph = graph?.ok_or("the capture is empty")?;
    assert_eq!(refused, Some(Error::OutOfMemory { bytes: cuda.info().memory }));
    let [first, second, third] = addresses[..] else { return Err("three pairs".into()) };
    assert!(first[0] != first[1], "two at a time are apart");
    let sorted = |mut pair: [CUdeviceptr; 2]| {
        pair.sort_unstable();
        pair
    };
    assert_eq!(sorted(first), sorted(second), "what is released is used again");
    assert_eq!(sorted(first), sorted(third));
    for _ in 0..100 {
        fill(&output, 0x11)?;
        graph.launch()?;
        // A call outside of the graph gets other memory.
        let between = cuda.scratch::<u8>(len)?;
        fill(&between, 0x22)?;
        assert!(first.iter().all(|&address| address != between.address()));
        assert!(bytes(&output, 0)?.iter().all(|&byte| byte == 0));
    }
    // CUDA reports a little late that the graph is gone.
    assert!(cuda.state.captures.graphs() > 0);
    drop(graph);
    for _ in 0..100 {
        cuda.synchronize()?;
        if cuda.state.captures.graphs() == 0 {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err("a graph that is gone keeps its scratch".into())
}
