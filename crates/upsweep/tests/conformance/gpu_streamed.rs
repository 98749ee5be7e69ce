//! Arrays in host memory that pass a GPU in chunks: the bits of the CPU's scan, from pageable and from pinned memory.

use cudarc::driver::PinnedHostSlice;
use half::f16;
use std::fmt::Debug;
use upsweep::operator::builtin::{Max, Sum};
use upsweep::{Device, Element, Error, Operator, Scan, Segments};
use upsweep_testing::operators::{Affine, Then};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sizes;

/// Numbers of elements of 4 bytes: none, one chunk, several, and more chunks than are under way.
fn lengths() -> Vec<usize> {
    let all = [0, 1, 1000, (1 << 18) + 1, 3_000_000, 9_437_184, 20_000_003];
    all.into_iter().filter(|&len| !sizes::reduced() || len < 1_000_000).collect()
}

fn check<T, O, Op, B>(device: &Device, operator: Op, x: impl Fn(&mut Rng) -> T, bits: impl Fn(&O) -> B, init: Op::Init)
where
    T: Element,
    O: Element + Default,
    Op: Run<T, O>,
    B: PartialEq + Debug,
{
    let mut rng = Rng::new(5);
    for len in lengths() {
        let x: Vec<T> = (0..len + 3).map(|_| x(&mut rng)).collect();
        for (k, (exclusive, total)) in [(false, false), (true, false), (true, true)].into_iter().enumerate() {
            let results = len + usize::from(total);
            let (mut expected, mut found) = (vec![O::default(); results], vec![O::default(); results + 3]);
            // Neither array begins at a multiple of a vector.
            operator.run(&Device::cpu(), &x[k..k + len], &mut expected, init, (exclusive, total));
            operator.run(device, &x[k..k + len], &mut found[3 - k..][..results], init, (exclusive, total));
            let wrong = (0..results).find(|&i| bits(&expected[i]) != bits(&found[3 - k + i]));
            let wrong = wrong.map(|i| (i, bits(&expected[i]), bits(&found[3 - k + i])));
            assert!(wrong.is_none(), "{len} elements, exclusive {exclusive}, total {total}: {wrong:?}");
        }
    }
}

/// Scan from elements `T` to results `O`.
trait Run<T, O>: Copy {
    type Init: Copy;
    fn run(self, device: &Device, x: &[T], out: &mut [O], init: Self::Init, options: (bool, bool));
}

fn with<S, R>(scan: S, (exclusive, total): (bool, bool), set: [fn(S) -> S; 2], run: impl FnOnce(S) -> R) -> R {
    let scan = if exclusive { set[0](scan) } else { scan };
    run(if total { set[1](scan) } else { scan })
}

#[derive(Clone, Copy)]
struct By<Op>(Op);
impl<T: Element, Op: Operator<T>> Run<T, T> for By<Op> {
    type Init = T;
    fn run(self, device: &Device, x: &[T], out: &mut [T], init: T, options: (bool, bool)) {
        let scan = Scan::new(self.0).init(init);
        with(scan, options, [|scan| scan.exclusive(), |scan| scan.with_total()], |scan| scan.run(device, x, out))
            .unwrap();
    }
}

#[derive(Clone, Copy)]
struct Widened;
impl Run<u8, u64> for Widened {
    type Init = ();
    fn run(self, device: &Device, x: &[u8], out: &mut [u64], (): (), options: (bool, bool)) {
        let scan = Scan::new(Sum).accumulate::<u64>();
        with(scan, options, [|scan| scan.exclusive(), |scan| scan.with_total()], |scan| scan.run(device, x, out))
            .unwrap();
    }
}

fn number(rng: &mut Rng) -> f64 {
    (rng.next() as u32 as f64 - 2e9) * 0.125f64.powi(rng.below(6) as i32)
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn streamed_from_pageable_memory() {
    let device = Place::cuda().device.streamed();
    check::<f32, f32, _, _>(&device, By(Sum), |rng| number(rng) as f32, |x| x.to_bits(), 0.5);
    check::<f64, f64, _, _>(&device, By(Sum), number, |x| x.to_bits(), 0.5);
    check::<f16, f16, _, _>(&device, By(Sum), |rng| f16::from_f64(number(rng) * 1e-10), |x| x.to_bits(), f16::ONE);
    check::<i64, i64, _, _>(&device, By(Max), |rng| rng.next() as i64, |&x| x, -7);
    check::<u8, u64, _, _>(&device, Widened, |rng| rng.next() as u8, |&x| x, ());
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn streamed_from_pinned_memory() {
    let place = Place::cuda();
    let (device, context) = (place.device.streamed(), place.stream.clone().unwrap().context().clone());
    let mut rng = Rng::new(6);
    for len in lengths().into_iter().filter(|&len| len > 0) {
        // SAFETY: both arrays are filled before they are read.
        let [mut x, mut y]: [PinnedHostSlice<f32>; 2] = [(); 2].map(|()| unsafe { context.alloc_pinned(len) }.unwrap());
        x.as_mut_slice().unwrap().fill_with(|| number(&mut rng) as f32);
        y.as_mut_slice().unwrap().fill(7.0);
        let mut expected = vec![0.0f32; len];
        let (x, y) = (x.as_mut_slice().unwrap(), y.as_mut_slice().unwrap());
        Scan::new(Sum).run(&Device::cpu(), &*x, &mut expected).unwrap();
        Scan::new(Sum).run(&device, &*x, &mut *y).unwrap();
        assert!(expected.iter().zip(&*y).all(|(a, b)| a.to_bits() == b.to_bits()), "{len} elements");
        // From pinned to pageable memory, and in place.
        let mut pageable = vec![0.0f32; len];
        Scan::new(Sum).run(&device, &*x, &mut pageable).unwrap();
        assert!(pageable == expected, "{len} elements, to pageable memory");
        Scan::new(Sum).run_in_place(&device, x).unwrap();
        assert!(*x == expected, "{len} elements in place");
    }
}

/// An operator whose order matters, in place, one call after the other with one device.
#[test]
#[ignore = "needs a CUDA GPU"]
fn streamed_in_place() {
    let device = Place::cuda().device.streamed();
    let mut rng = Rng::new(7);
    for len in lengths() {
        let mut x: Vec<Affine> = (0..len).map(|_| Affine { m: rng.next() as u32 | 1, c: rng.next() as u32 }).collect();
        let mut expected = x.clone();
        Scan::new(Then).exclusive().run_in_place(&Device::cpu(), &mut expected).unwrap();
        Scan::new(Then).exclusive().run_in_place(&device, &mut x).unwrap();
        assert!(x == expected, "{len} elements");
    }
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn streamed_errors() {
    let place = Place::cuda();
    let device = place.device.streamed();
    let (x, mut out) = (vec![1u32; 100], vec![0u32; 100]);
    let refused = |result: Result<(), Error>| {
        assert!(matches!(result, Err(Error::Options { options: "a scan of host memory by a GPU", .. })), "{result:?}");
    };
    refused(Scan::new(Sum).reverse().run(&device, &x, &mut out));
    refused(Scan::new(Sum).axis(&[10, 10], 1).run(&device, &x, &mut out));
    refused(Scan::new(Sum).segments(Segments::Keys(&x)).run(&device, &x, &mut out));
    let on_gpu = place.device.upload(&x).unwrap();
    let place_error = Scan::new(Sum).run(&device, &on_gpu, &mut out);
    assert!(matches!(place_error, Err(Error::Place { what: "input", .. })), "{place_error:?}");
    // The device works on as before.
    Scan::new(Sum).run(&device, &x, &mut out).unwrap();
    assert_eq!((out[0], out[99]), (1, 100));
    // Without `streamed`, host memory is refused.
    assert!(matches!(Scan::new(Sum).run(&place.device, &x, &mut out), Err(Error::Place { .. })));
}
