//! CUDA: cudarc's buffers as they are, memory in the wrong place, overlaps, and offsets that only the GPU sees.

use cudarc::driver::{CudaSlice, CudaStream};
use std::mem::ManuallyDrop;
use std::sync::Arc;
use upsweep::operator::builtin::Sum;
use upsweep::{Array, Count, Device, Error, Input, Output, Reduce, Scan, Segments, View, ViewMut};
use upsweep_testing::cuts;
use upsweep_testing::operators::{Affine, Then, then};
use upsweep_testing::oracle::{self, Cut, Rule};
use upsweep_testing::place::{Place, to_cuda};
use upsweep_testing::sample::{Sample, random_values};

fn place() -> (Place, Arc<CudaStream>) {
    let place = Place::cuda();
    let stream = place.stream.clone().unwrap();
    (place, stream)
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn cudarc_slices_and_views() {
    let (place, stream) = place();
    let x = stream.clone_htod(&[1u32, 2, 3, 4, 5, 6]).unwrap();
    let mut out = stream.alloc_zeros::<u32>(6).unwrap();
    Scan::new(Sum).run(&place.device, &x, &mut out).unwrap();
    assert_eq!(stream.clone_dtoh(&out).unwrap(), [1, 3, 6, 10, 15, 21]);
    Scan::new(Sum).run(&place.device, &x.slice(1..4), &mut out.slice_mut(2..5)).unwrap();
    assert_eq!(stream.clone_dtoh(&out).unwrap(), [1, 3, 2, 5, 9, 21]);
    Scan::new(Sum).run_in_place(&place.device, &mut out.slice_mut(3..6)).unwrap();
    assert_eq!(stream.clone_dtoh(&out).unwrap(), [1, 3, 2, 5, 14, 35]);
    Scan::new(Sum).run_in_place(&place.device, &mut out).unwrap();
    assert_eq!(stream.clone_dtoh(&out).unwrap(), [1, 4, 6, 11, 25, 60]);
    assert_eq!(place.device.reduce(&out.slice(4..), Sum), Ok(85));
    let sums: Array<u32> = Scan::new(Sum).run_to_array(&place.device, &out.as_view_mut()).unwrap();
    assert_eq!(sums.to_vec().unwrap(), [1, 5, 11, 22, 47, 107]);
}

/// A buffer that belongs to one stream, read and written on another: cudarc's events order them.
#[test]
#[ignore = "needs a CUDA GPU"]
fn cudarc_buffers_of_another_stream() {
    let (place, stream) = place();
    let other = {
        let _no_capture = upsweep_testing::place::CAPTURE.read();
        Place::on(stream.context().new_stream().unwrap())
    };
    let len = 5_000_000;
    for k in 1..=10u32 {
        let x = stream.clone_htod(&vec![k; len]).unwrap();
        let mut first = stream.alloc_zeros::<u32>(len).unwrap();
        Scan::new(Sum).run(&place.device, &x, &mut first).unwrap();
        let mut second = stream.alloc_zeros::<u32>(len).unwrap();
        Scan::new(Sum).exclusive().run(&other.device, &first, &mut second).unwrap();
        let found = stream.clone_dtoh(&second).unwrap();
        let right = |(i, &x): (usize, &u32)| x == (k as u64 * (i as u64 * (i as u64 + 1) / 2)) as u32;
        assert!(found.iter().enumerate().all(right), "round {k}");
    }
}

fn in_host_memory(what: &'static str) -> Result<(), Error> {
    Err(Error::Place { what, found: "host", expected: "CUDA" })
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn error_host_memory_on_cuda() {
    let (place, _) = place();
    let device = &place.device;
    let (x, mut out) = (place.upload(&[1u32, 2, 3], 0), place.poisoned::<u32>(3, 0));
    let mut host = [7u32; 3];
    assert_eq!(Scan::new(Sum).run(device, &[1u32, 2, 3], &mut out), in_host_memory("input"));
    assert_eq!(Scan::new(Sum).run(device, &x, &mut host), in_host_memory("output"));
    assert!(matches!(Scan::new(Sum).run_in_place(device, &mut host), Err(Error::Place { .. })));
    assert_eq!(Scan::new(Sum).init_from(&[1u32]).run(device, &x, &mut out), in_host_memory("initial value"));
    let flags = Segments::HeadFlags(&[true, false, true]);
    assert_eq!(Scan::new(Sum).segments(flags).run(device, &x, &mut out), in_host_memory("head flags"));
    let keys = Segments::Keys(&[1u8, 1, 2]);
    assert_eq!(Scan::new(Sum).segments(keys).run(device, &x, &mut out), in_host_memory("keys"));
    let offsets = Segments::Offsets(&[0u32, 3]);
    assert_eq!(Scan::new(Sum).segments(offsets).run(device, &x, &mut out), in_host_memory("offsets"));
    assert!(out.check_guards().iter().all(|x| x.same(&u32::poison())));

    let mut one = place.poisoned::<u32>(1, 0);
    assert_eq!(Reduce::new(Sum).run(device, &[1u32, 2, 3], &mut one), in_host_memory("input"));
    assert_eq!(Reduce::new(Sum).run(device, &x, &mut host[..1]), in_host_memory("output"));
    assert_eq!(Reduce::new(Sum).run_counted(device, &x, &mut one, &mut [0u64]), in_host_memory("count"));
    assert!(one.check_guards()[0].same(&u32::poison()));
    assert_eq!(host, [7; 3]);
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn error_cuda_memory_on_the_cpu() {
    let (place, _) = place();
    let cpu = Device::cpu();
    let (x, mut out) = (place.upload(&[1u32, 2, 3], 0), place.poisoned::<u32>(3, 0));
    let mut host = [7u32; 3];
    let in_cuda = |what| Err(Error::Place { what, found: "CUDA", expected: "host" });
    assert_eq!(Scan::new(Sum).run(&cpu, &x, &mut host), in_cuda("input"));
    assert_eq!(Scan::new(Sum).run(&cpu, &[1u32, 2, 3], &mut out), in_cuda("output"));
    assert_eq!(Scan::new(Sum).init_from(&x).run(&cpu, &[1u32, 2, 3], &mut host), in_cuda("initial value"));
    assert_eq!(Scan::new(Sum).segments(Segments::Keys(&x)).run(&cpu, &[1u32, 2, 3], &mut host), in_cuda("keys"));
    assert_eq!(Reduce::new(Sum).run(&cpu, &x, &mut host[..1]), in_cuda("input"));
    assert_eq!(
        Reduce::new(Sum).run(&cpu, &[1u32, 2, 3], &mut out),
        Err(Error::Length { what: "output", found: 3, expected: 1 })
    );
    assert_eq!(host, [7; 3]);
    assert!(out.check_guards().iter().all(|x| x.same(&u32::poison())));
}

/// Two slices of one allocation, which safe code cannot make of one cudarc slice.
struct Shared {
    memory: CudaSlice<u32>,
    twin: ManuallyDrop<CudaSlice<u32>>,
}

struct Window<'a>(&'a CudaSlice<u32>, usize, usize);
struct WindowMut<'a>(&'a mut CudaSlice<u32>, usize, usize);

impl Input for Window<'_> {
    type Item = u32;
    fn view(&self) -> View<'_, u32> {
        View::Cuda(self.0.slice(self.1..self.2))
    }
}

impl Output for WindowMut<'_> {
    type Item = u32;
    fn view_mut(&mut self) -> ViewMut<'_, u32> {
        ViewMut::Cuda(self.0.slice_mut(self.1..self.2))
    }
}

fn shared(stream: &Arc<CudaStream>, values: &[u32]) -> Shared {
    let address = to_cuda(stream, values).leak();
    // SAFETY: the address is this allocation, which `memory` frees; `twin` does not. The tests read and write it
    // through the library alone, which refuses partial overlap and is meant to bear the full one.
    let [memory, twin] = [(); 2].map(|()| unsafe { stream.upgrade_device_ptr(address, values.len()) });
    Shared { memory, twin: ManuallyDrop::new(twin) }
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn error_partial_overlap() {
    let (place, stream) = place();
    let values: Vec<u32> = (0..100).collect();
    let mut shared = shared(&stream, &values);
    for (input, output) in [((0, 50), (1, 51)), ((1, 51), (0, 50)), ((0, 50), (49, 99)), ((49, 99), (0, 50))] {
        let x = Window(&shared.memory, input.0, input.1);
        let result = Scan::new(Sum).run(&place.device, &x, &mut WindowMut(&mut shared.twin, output.0, output.1));
        assert_eq!(result, Err(Error::Overlap), "{input:?} {output:?}");
    }
    assert_eq!(stream.clone_dtoh(&shared.memory).unwrap(), values);
    // Side by side is no overlap.
    let x = Window(&shared.memory, 0, 50);
    Scan::new(Sum).run(&place.device, &x, &mut WindowMut(&mut shared.twin, 50, 100)).unwrap();
    let mut sum = 0;
    let expected = values[..50].iter().map(|x| (sum += x, sum).1);
    assert_eq!(
        stream.clone_dtoh(&shared.memory).unwrap(),
        values[..50].iter().copied().chain(expected).collect::<Vec<_>>()
    );
}

/// Input and output that are the same memory are a scan in place.
/// A reduction by keys that yields the keys has two outputs and two inputs.
#[test]
#[ignore = "needs a CUDA GPU"]
fn error_overlap_of_first_keys() {
    let (place, stream) = place();
    let values: Vec<u32> = (0..100).map(|i| i / 3).collect();
    let mut shared = shared(&stream, &values);
    let (other, mut apart) = (place.upload(&values[..50], 0), place.poisoned::<u32>(50, 0));
    let run = |reduce: Result<Count, Error>| reduce.map(drop);
    for (input, output) in [((0, 50), (0, 50)), ((0, 50), (49, 99)), ((49, 99), (0, 50))] {
        let x = Window(&shared.memory, input.0, input.1);
        let mut found = WindowMut(&mut shared.twin, output.0, output.1);
        let by_window = Reduce::new(Sum).segments(Segments::Keys(&x));
        let by_other = Reduce::new(Sum).segments(Segments::Keys(&other));
        let told = [
            ("keys and their output", run(by_window.run_with_keys(&place.device, &other, (&mut found, &mut apart)))),
            ("keys and results", run(by_window.run_with_keys(&place.device, &other, (&mut apart, &mut found)))),
            (
                "elements and the output of keys",
                run(by_other.run_with_keys(&place.device, &x, (&mut found, &mut apart))),
            ),
            ("elements and results", run(by_other.run_with_keys(&place.device, &x, (&mut apart, &mut found)))),
        ];
        for (what, result) in told {
            assert_eq!(result, Err(Error::Overlap), "{what}: {input:?} {output:?}");
        }
    }
    assert!(apart.check_guards().iter().all(|x| x.same(&u32::poison())));
    let by_other = Reduce::new(Sum).segments(Segments::Keys(&other));
    for first in [49, 50] {
        let (mut keys, mut sums) =
            (WindowMut(&mut shared.memory, 0, 50), WindowMut(&mut shared.twin, first, first + 50));
        let result = by_other.run_with_keys(&place.device, &other, (&mut keys, &mut sums));
        // Side by side is no overlap.
        let expected = if first == 50 { Ok(17) } else { Err(Error::Overlap) };
        assert_eq!(result.and_then(|count| count.get()), expected, "both outputs, {first}");
    }
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn scan_full_overlap_is_in_place() {
    let (place, stream) = place();
    for len in [5, 1000, 100_000, 3_000_001] {
        for (exclusive, reverse) in [(false, false), (true, true)] {
            let x = random_values::<u32>(len);
            let mut shared = shared(&stream, &x);
            let scan = if exclusive { Scan::new(Sum).exclusive() } else { Scan::new(Sum) };
            let scan = if reverse { scan.reverse() } else { scan };
            scan.run(&place.device, &Window(&shared.memory, 0, len), &mut WindowMut(&mut shared.twin, 0, len)).unwrap();
            let rule = Rule::new(u32::wrapping_add, Some(0));
            let expected = oracle::scan(&x, &Cut::Whole.lines(len), &rule, None, exclusive, reverse);
            assert!(stream.clone_dtoh(&shared.memory).unwrap() == expected, "{len} elements");
        }
    }
}

/// Offsets lie on the device, so the host does not check them: wrong ones may give any result, and do no harm.
#[test]
#[ignore = "needs a CUDA GPU"]
fn segments_wrong_offsets_do_no_harm() {
    let (place, _) = place();
    for len in [10, 1000, 100_000] {
        let x = random_values::<Affine>(len);
        let input = place.upload(&x, 0);
        let good = cuts::offsets(len, len / 3);
        let mut descending = good.clone();
        descending.reverse();
        let mut beyond = good.clone();
        beyond.iter_mut().skip(3).step_by(5).for_each(|offset| *offset = offset.wrapping_mul(1 << 40) | 1 << 35);
        for wrong in [descending, beyond, vec![5; good.len()], vec![u64::MAX; good.len()]] {
            let offsets = place.upload(&wrong, 0);
            let mut out = place.poisoned::<Affine>(len, 0);
            let mut totals = place.poisoned::<Affine>(wrong.len() - 1, 0);
            let by = Segments::Offsets(&offsets);
            // The wrong offsets may be reported by these calls or by a later one; nothing else may be.
            let scan = Scan::new(Then).segments(by).run(&place.device, &input, &mut out);
            let reduce =
                Reduce::new(Then).segments(Segments::Offsets(&offsets)).run(&place.device, &input, &mut totals);
            for result in [scan, reduce] {
                assert!(matches!(result, Ok(()) | Err(Error::Offsets { .. })), "{result:?}");
            }
            out.check_guards();
            totals.check_guards();
            let later = place.device.upload(&[0u8]).and_then(|x| place.device.inclusive_scan(&x, Sum)?.to_vec());
            assert!(matches!(later, Ok(_) | Err(Error::Offsets { .. })), "{later:?}");
        }
        // The device works as before.
        let good = place.upload(&good, 0);
        let mut out = place.poisoned::<Affine>(len, 0);
        Scan::new(Then).segments(Segments::Offsets(&good)).run(&place.device, &input, &mut out).unwrap();
        let lines = Cut::Offsets(good.check_guards()).lines(len);
        let rule = Rule::new(then, Some(Affine { m: 1, c: 0 }));
        assert_eq!(out.check_guards(), oracle::scan(&x, &lines, &rule, None, false, false));
    }
}

/// More memory than any GPU has is an error, and the device goes on.
#[test]
#[ignore = "needs a CUDA GPU"]
fn device_out_of_memory_is_an_error() {
    let (place, stream) = place();
    let (free, _) = stream.context().mem_get_info().unwrap();
    let len = free / 4 * 3;
    // SAFETY: nothing reads the memory before the scan that fails.
    let Ok(huge) = (unsafe { stream.alloc::<u8>(len) }) else { return };
    let result: upsweep::Result<Array<u64>> = Scan::new(Sum).accumulate::<u64>().run_to_array(&place.device, &huge);
    assert!(matches!(result, Err(Error::OutOfMemory { bytes }) if bytes == len * 8), "{:?}", result.err());
    drop(huge);
    assert_eq!(place.device.reduce(&place.device.upload(&[2u8, 3]).unwrap(), Sum), Ok(5));
}
