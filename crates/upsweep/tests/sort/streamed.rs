//! Sorts of arrays in host memory by a GPU of which little memory may be used, so that short arrays take many runs: from
//! pageable and from pinned memory, with std's stable sort as the oracle.

use crate::check::{check_keys, expect_keys, order};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, PinnedHostSlice};
use half::{bf16, f16};
use upsweep::{Device, Error, Segments, Sort};
use upsweep_testing::inputs::{KINDS, Kind, SortKey, keys};
use upsweep_testing::place::{CAPTURE, Place};
use upsweep_testing::sizes;

/// Bytes of the GPU's memory for the buffers and the scratch of runs of 256 keys of `size` bytes or, with `len` keys
/// that would be too many runs, of some thousand.
fn few(len: usize, size: usize) -> usize {
    if len < 5000 { 4096 + 3328 * size } else { 192 << 10 }
}

/// Returns host memory that the GPU sorts with `bytes` bytes of its own.
fn within(bytes: usize) -> Place {
    Place { device: Place::cuda().device.streamed_within(bytes), stream: None }
}

/// Sorts keys of each kind: such that stay on the device, such that do not, and such of a single run.
fn check<K: SortKey>(kinds: &[Kind], len: usize) {
    let few = few(len, size_of::<K>());
    for room in [len * size_of::<K>() + few, few, usize::MAX] {
        let place = within(room);
        for &kind in kinds {
            check_keys::<K>(&place, &keys(kind, len), (1, 3), &format!("{kind:?}, within {room} bytes"));
        }
    }
}

/// Lengths around those of runs, which are multiples of 256 keys.
fn lengths() -> Vec<usize> {
    let all = [0, 1, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 8191, 8193, 12_288, 12_289, 65_536, 100_003];
    all.into_iter().filter(|&len| !sizes::reduced() || len < 5000).collect()
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn streamed_lengths() {
    for len in lengths() {
        check::<u32>(&[Kind::Random, Kind::AllEqual], len);
        check::<f64>(&[Kind::Random, Kind::Zeros], len);
    }
}

/// A test for each type, as each has many kernels to compile.
macro_rules! types {
    ($($name:ident: $key:ty;)*) => { $(
        #[test]
        #[ignore = "needs a CUDA GPU"]
        fn $name() {
            check::<$key>(&KINDS, 4097);
            check::<$key>(&KINDS, 100_003);
        }
    )* };
}
types! {
    streamed_u8: u8;
    streamed_i8: i8;
    streamed_u16: u16;
    streamed_i16: i16;
    streamed_u32: u32;
    streamed_i32: i32;
    streamed_u64: u64;
    streamed_i64: i64;
    streamed_usize: usize;
    streamed_u128: u128;
    streamed_i128: i128;
    streamed_bool: bool;
    streamed_char: char;
    streamed_f16: f16;
    streamed_bf16: bf16;
    streamed_f32: f32;
    streamed_f64: f64;
}

/// Runs of millions of keys, each of which takes several pieces of pinned memory.
#[test]
#[ignore = "needs a CUDA GPU"]
fn streamed_large() {
    if sizes::reduced() {
        return;
    }
    let mut x: Vec<f32> = keys(Kind::Random, 30_000_017);
    x[9_000_000..19_000_000].fill(-0.0);
    x[12_345_678] = 0.0;
    let expected: Vec<f32> = order(&x, false).into_iter().map(|i| x[i]).collect();
    for room in [300 << 20, 100 << 20, usize::MAX] {
        let device = Place::cuda().device.streamed_within(room);
        let mut out = vec![7.0; x.len()];
        for _ in 0..2 {
            Sort::new().run(&device, &x, &mut out).unwrap();
            expect_keys(&out, &expected, &format!("within {room} bytes"));
        }
    }
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn streamed_from_pinned_memory() {
    let context = CudaContext::new(0).unwrap();
    for len in lengths().into_iter().filter(|&len| len > 0) {
        let values: Vec<f64> = keys(Kind::Random, len);
        let expected: Vec<f64> = order(&values, false).into_iter().map(|i| values[i]).collect();
        for room in [8 * len + few(len, 8), few(len, 8)] {
            let device = within(room).device;
            // SAFETY: both arrays are filled before they are read.
            let [mut x, mut y]: [PinnedHostSlice<f64>; 2] =
                [(); 2].map(|()| unsafe { context.alloc_pinned(len) }.unwrap());
            let (x, y) = (x.as_mut_slice().unwrap(), y.as_mut_slice().unwrap());
            x.copy_from_slice(&values);
            y.fill(7.0);
            Sort::new().run(&device, &*x, &mut *y).unwrap();
            expect_keys(y, &expected, "from pinned to pinned memory");
            let mut pageable = vec![7.0; len];
            Sort::new().run(&device, &*x, &mut pageable).unwrap();
            expect_keys(&pageable, &expected, "to pageable memory");
            Sort::new().run_in_place(&device, x).unwrap();
            expect_keys(x, &expected, "in place");
        }
    }
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn streamed_errors() {
    let place = Place::cuda();
    let device = place.device.streamed_within(few(3, 4));
    let (x, mut out, mut more) = (vec![3u32, 1, 2], vec![0u32; 3], vec![0u32; 3]);
    let refused = |result: Result<(), Error>| {
        assert!(matches!(result, Err(Error::Options { options: "a sort of host memory by a GPU", .. })), "{result:?}");
    };
    refused(Sort::pairs().run(&device, (&x, &x), (&mut out, &mut more)));
    refused(Sort::new().indices().run(&device, &x, &mut out));
    refused(Sort::new().axis(&[3, 1], 1).run(&device, &x, &mut out));
    refused(Sort::new().segments(Segments::Offsets(&[0u32, 1, 3])).run(&device, &x, &mut out));
    let wrong = Sort::new().run(&device, &x, &mut [0u32; 4]);
    assert_eq!(wrong, Err(Error::Length { what: "output", found: 4, expected: 3 }));
    let on_gpu = place.device.upload(&x).unwrap();
    let wrong = Sort::new().run(&device, &on_gpu, &mut out);
    assert_eq!(wrong, Err(Error::Place { what: "input", found: "CUDA", expected: "host" }));
    let too_few = Sort::new().run(&place.device.streamed_within(1000), &vec![1u32; 5000], &mut vec![0u32; 5000]);
    assert!(matches!(too_few, Err(Error::OutOfMemory { bytes: 1001.. })), "{too_few:?}");
    // Without `streamed`, host memory is refused. With it, arrays on the device are sorted as ever.
    assert!(matches!(Sort::new().run(&place.device, &x, &mut out), Err(Error::Place { .. })));
    assert_eq!(Sort::new().run_to_vec(&device, &on_gpu).unwrap(), [1, 2, 3]);
    // The device works on as before, and is not hurt by a capture.
    let stream = place.stream.clone().unwrap();
    {
        let _capture = CAPTURE.write();
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        let captured = Sort::new().run(&device, &x, &mut out);
        let _graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap();
        assert!(matches!(captured, Err(Error::Driver { .. })), "{captured:?}");
    }
    Sort::new().run(&device, &x, &mut out).unwrap();
    assert_eq!((out, Device::cpu().upload(&x).unwrap().to_vec().unwrap()), (vec![1, 2, 3], x));
}
