//! Reductions of an array in parts: `Reduce::run_with_carry` has the total of one call, to the last bit.

use half::{bf16, f16};
use upsweep::operator::builtin::{ArgMax, CompensatedSum, First, Max, Product, Sum};
use upsweep::prelude::{Compensate, Rounded};
use upsweep::{Carry, Device, Element, Error, Operator, Reduce, Scan, function};
use upsweep_testing::on_each_backend;
use upsweep_testing::operators::{Affine, Then};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;

on_each_backend!(
    totals_of_parts,
    totals_of_mapped_parts,
    totals_element_by_element,
    totals_by_way_of_bytes,
    totals_of_nothing,
    totals_that_are_refused,
);

/// Returns positions at which an array of `len` elements is cut: anywhere, or at the ends of chunks.
fn cuts(rng: &mut Rng, len: usize, chunk: usize) -> Vec<usize> {
    let step = [1, 1, chunk, 16 * chunk][rng.below(4)];
    let mut cuts: Vec<usize> = (0..rng.below(6)).map(|_| rng.below(len + 1) / step * step).collect();
    cuts.extend([0, len]);
    cuts.sort_unstable();
    cuts
}

fn number(rng: &mut Rng) -> f64 {
    (rng.next() as u32 as f64 - 2e9) * 0.125f64.powi(rng.below(6) as i32)
}

/// Checks reductions of elements `x` in parts, after each of which the total is that of all elements so far.
fn of<T, Op, B>(
    place: &Place,
    operator: Op,
    x: impl Fn(&mut Rng) -> T,
    bits: impl Fn(T) -> B + Copy,
    init: T,
    chunk: usize,
) where
    T: Element + Sample,
    Op: Operator<T>,
    B: PartialEq + std::fmt::Debug,
{
    let mut rng = Rng::new(chunk as u64);
    let few = [1, 2, chunk / 8 + 1, chunk - 1, chunk, chunk + 1, 7 * chunk, 8 * chunk + 3, 100 * chunk + 5];
    // On the CPU, also one that threads share.
    for len in few.into_iter().chain([1500 * chunk + 77]) {
        let x: Vec<T> = (0..len).map(|_| x(&mut rng)).collect();
        let input = place.upload(&x, 0);
        let total_of = |input: &_| {
            let mut total = place.poisoned::<T>(1, 0);
            Reduce::new(operator).init(init).run(&place.device, input, &mut total).unwrap();
            bits(total.check_guards()[0])
        };
        let whole = total_of(&input);
        for _ in 0..4 {
            let (cuts, mut carry) = (cuts(&mut rng, len, chunk), Carry::new());
            for (i, pair) in cuts.windows(2).enumerate() {
                let part = place.upload(&x[pair[0]..pair[1]], rng.below(4));
                let mut total = place.poisoned::<T>(1, rng.below(3));
                let reduce = Reduce::new(operator).init(init);
                reduce.run_with_carry(&place.device, &part, &mut total, &mut carry).unwrap();
                let found = bits(total.check_guards()[0]);
                let expected = match i + 2 == cuts.len() {
                    true => &whole,
                    false => &total_of(&place.upload(&x[..pair[1]], 0)),
                };
                let what = std::any::type_name::<(T, Op)>();
                assert_eq!(&found, expected, "{what}, {len} elements cut at {cuts:?}, the first {}", pair[1]);
            }
            assert_eq!(carry.position(), len as u64);
        }
    }
}

fn totals_of_parts(place: &Place) {
    of::<f32, _, _>(place, Sum, |rng| number(rng) as f32, f32::to_bits, 0.375, 1024);
    of::<f64, _, _>(place, Sum, number, f64::to_bits, 0.375, 512);
    of::<f64, _, _>(place, Product, |rng| 1.0 + number(rng) * 1e-13, f64::to_bits, 1.5, 512);
    of::<f16, _, _>(place, Sum, |rng| f16::from_f64(number(rng) * 1e-10), f16::to_bits, f16::ONE, 1024);
    of::<bf16, _, _>(place, Sum, |rng| bf16::from_f64(number(rng)), bf16::to_bits, bf16::ONE, 1024);
    of::<f64, _, _>(place, Max, number, f64::to_bits, -1e300, 512);
    of::<u8, _, _>(place, Sum, |rng| rng.next() as u8, |x| x, 7, 1024);
    of::<i64, _, _>(place, Sum, |rng| rng.next() as i64, |x| x, 7, 512);
    let affine = |rng: &mut Rng| Affine { m: rng.next() as u32 | 1, c: rng.next() as u32 };
    of::<Affine, _, _>(place, Then, affine, |x| (x.m, x.c), Affine { m: 3, c: 5 }, 512);
}

#[function]
fn wide_product(a: f32, b: f32) -> f64 {
    f64::from(a) * f64::from(b)
}

#[function]
fn half_of(x: f64) -> f64 {
    x * 0.5
}

/// Positions that a map gets count through all parts; pairs of buffers, widened elements and a finish go on like one
/// buffer.
fn totals_of_mapped_parts(place: &Place) {
    let mut rng = Rng::new(9);
    let len = 50_001;
    let x: Vec<f32> = (0..len).map(|_| number(&mut rng) as f32).collect();
    let input = place.upload(&x, 0);
    let device = &place.device;
    let largest = Reduce::new(ArgMax).enumerate().run_to_host::<_, (f32, u64)>(device, &input).unwrap();
    let products = Reduce::new(Sum).map(WideProduct).finish(HalfOf);
    let product: f64 = products.run_to_host(device, (&input, &input)).unwrap();
    let widened: f64 = Reduce::new(Sum).accumulate::<f64>().run_to_host(device, &input).unwrap();
    let compensated: f32 =
        Reduce::new(CompensatedSum).map(Compensate).finish(Rounded).run_to_host(device, &input).unwrap();
    for cuts in [[0, 1, 512, 9216, 9216, 30_000, len], [0, 1024, 2048, 4096, 8192, 16_384, len]] {
        let mut carries = [(); 4].map(|()| Carry::new());
        let (mut a, mut b) = (place.poisoned::<(f32, u64)>(1, 0), place.poisoned::<f64>(1, 1));
        let (mut c, mut d) = (place.poisoned::<f64>(1, 0), place.poisoned::<f32>(1, 0));
        for pair in cuts.windows(2) {
            let part = place.upload(&x[pair[0]..pair[1]], 1);
            let [of_a, of_b, of_c, of_d] = &mut carries;
            Reduce::new(ArgMax).enumerate().run_with_carry(device, &part, &mut a, of_a).unwrap();
            products.run_with_carry(device, (&part, &part), &mut b, of_b).unwrap();
            Reduce::new(Sum).accumulate::<f64>().run_with_carry(device, &part, &mut c, of_c).unwrap();
            let sum = Reduce::new(CompensatedSum).map(Compensate).finish(Rounded);
            sum.run_with_carry(device, &part, &mut d, of_d).unwrap();
        }
        assert_eq!(a.check_guards()[0], largest);
        assert_eq!(b.check_guards()[0].to_bits(), product.to_bits(), "of two buffers, cut at {cuts:?}");
        assert_eq!(c.check_guards()[0].to_bits(), widened.to_bits(), "widened, cut at {cuts:?}");
        // Its parts are grouped anew.
        let error = (d.check_guards()[0] - compensated).abs();
        assert!(error <= 1e-6 * compensated.abs(), "compensated, cut at {cuts:?}: {error}");
    }
}

fn totals_element_by_element(place: &Place) {
    let mut rng = Rng::new(10);
    let x: Vec<f32> = (0..1300).map(|_| number(&mut rng) as f32).collect();
    let (mut total, mut carry) = (place.poisoned::<f32>(1, 0), Carry::new());
    for x in &x {
        Reduce::new(Sum).run_with_carry(&place.device, &place.upload(&[*x], 0), &mut total, &mut carry).unwrap();
    }
    let whole: f32 = Reduce::new(Sum).run_to_host(&place.device, &place.upload(&x, 0)).unwrap();
    assert_eq!(total.check_guards()[0].to_bits(), whole.to_bits());
}

/// A carry becomes bytes after each part, and goes on from them, on the host and here in turns.
fn totals_by_way_of_bytes(place: &Place) {
    let mut rng = Rng::new(11);
    let x: Vec<f64> = (0..20_000).map(|_| number(&mut rng)).collect();
    let (mut bytes, mut total) = (Carry::new().to_bytes().unwrap(), [0.0]);
    for (turn, range) in [0..1, 1..1536, 1536..9000, 9000..9001, 9001..20_000].into_iter().enumerate() {
        let mut carry = Carry::from_bytes(&bytes).unwrap();
        if turn % 2 == 0 {
            let mut output = place.poisoned::<f64>(1, 0);
            let part = place.upload(&x[range], 0);
            Reduce::new(Sum).run_with_carry(&place.device, &part, &mut output, &mut carry).unwrap();
            total[0] = output.check_guards()[0];
        } else {
            Reduce::new(Sum).run_with_carry(&Device::cpu(), &x[range], &mut total, &mut carry).unwrap();
        }
        bytes = carry.to_bytes().unwrap();
    }
    assert_eq!(total[0].to_bits(), Device::cpu().reduce(&x, Sum).unwrap().to_bits());
}

fn totals_of_nothing(place: &Place) {
    fn run<T: Element + Sample, Op: Operator<T>>(place: &Place, operator: Op, x: &[T], carry: &mut Carry) -> T {
        let mut output = place.poisoned::<T>(1, 0);
        Reduce::new(operator).run_with_carry(&place.device, &place.upload(x, 0), &mut output, carry).unwrap();
        output.check_guards()[0]
    }
    let (mut floats, mut wholes) = (Carry::new(), Carry::new());
    assert_eq!(run::<f32, _>(place, Sum, &[], &mut floats), 0.0);
    assert_eq!(run::<f32, _>(place, Sum, &[1.0, 2.0], &mut floats), 3.0);
    assert_eq!(run::<f32, _>(place, Sum, &[], &mut floats), 3.0);
    assert_eq!(run::<f32, _>(place, Sum, &[4.0], &mut floats), 7.0);
    assert_eq!(run::<u32, _>(place, Sum, &[], &mut wholes), 0);
    assert_eq!(run::<u32, _>(place, Sum, &[1, 2], &mut wholes), 3);
    assert_eq!(run::<u32, _>(place, Sum, &[], &mut wholes), 3);
    assert_eq!((floats.position(), wholes.position()), (3, 2));
}

fn totals_that_are_refused(place: &Place) {
    let (x, mut out) = (place.upload(&[1, 2, 3, 4], 0), place.poisoned::<i32>(1, 0));
    let mut carry = Carry::new();
    let rows = Reduce::new(Sum).axis(&[2, 2], 1).run_with_carry(&place.device, &x, &mut out, &mut carry);
    assert!(matches!(rows, Err(Error::Options { options: "a part of an array", .. })), "{rows:?}");
    let mut two = place.poisoned::<i32>(2, 0);
    let length = Reduce::new(Sum).run_with_carry(&place.device, &x, &mut two, &mut carry);
    assert_eq!(length, Err(Error::Length { what: "output", found: 2, expected: 1 }));
    let nothing = Reduce::new(First).run_with_carry(
        &place.device,
        &place.upload::<i32>(&[], 0),
        &mut place.poisoned::<i32>(1, 0),
        &mut Carry::new(),
    );
    assert!(matches!(nothing, Err(Error::NoIdentity { .. })), "{nothing:?}");
    // After an error the carry is as before.
    Reduce::new(Sum).run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
    let Err(Error::Carry { reason }) = Reduce::new(Max).run_with_carry(&place.device, &x, &mut out, &mut carry) else {
        panic!("a carry of a sum for a maximum")
    };
    assert!(reason.contains("Sum of i32") && reason.contains("Max of i32"), "{reason}");
    let mut all = place.poisoned::<i32>(4, 0);
    let Err(Error::Carry { reason }) = Scan::new(Sum).run_with_carry(&place.device, &x, &mut all, &mut carry) else {
        panic!("a carry of a reduction for a scan")
    };
    assert!(reason.contains("a reduction by") && reason.contains("a scan by"), "{reason}");
    Reduce::new(Sum).run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
    assert_eq!(out.check_guards(), [20]);
    assert_eq!(carry.position(), 8);
}
