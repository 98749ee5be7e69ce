//! Scans of an array in parts: `run_with_carry` has the results of one call, to the last bit.

use half::f16;
use upsweep::operator::builtin::{ArgMax, Max, Product, Sum};
use upsweep::{Carry, Device, Element, Error, Operator, Scan, Segments, function};
use upsweep_testing::on_each_backend;
use upsweep_testing::operators::{Affine, Then};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;

on_each_backend!(
    parts_of_arrays,
    parts_of_segments,
    parts_of_mapped_inputs,
    parts_of_one_element,
    parts_by_way_of_bytes,
    parts_of_nothing,
    parts_that_are_refused,
    parts_of_another_call,
);

/// Returns positions at which an array of `len` elements is cut: anywhere, or where tiles of `tile` elements end.
fn cuts(rng: &mut Rng, len: usize, tile: usize) -> Vec<usize> {
    let step = [1, tile, 8, len / 3 + 1][rng.below(4)];
    let mut cuts: Vec<usize> = (0..rng.below(5)).map(|_| rng.below(len + 1) / step * step).collect();
    cuts.extend([0, len]);
    cuts.sort_unstable();
    cuts
}

/// Numbers of elements: a few, around rows and groups, around tiles, some spans.
fn lengths(tile: usize) -> [usize; 10] {
    [1, 3, 130, tile - 1, tile, tile + 1, 3 * tile + 77, 33 * tile, 40 * tile + 5, 97 * tile + 1234]
}

fn check<T: Copy, B: PartialEq + std::fmt::Debug>(
    whole: &[T],
    parts: &[T],
    bits: impl Fn(T) -> B,
    cuts: &[usize],
    what: &str,
) {
    assert_eq!(whole.len(), parts.len());
    if let Some(at) = whole.iter().zip(parts).position(|(&a, &b)| bits(a) != bits(b)) {
        panic!(
            "{what}, {} elements cut at {cuts:?}: {at} is {:?} for {:?}",
            whole.len(),
            bits(parts[at]),
            bits(whole[at])
        );
    }
}

/// Checks a scan of elements `x` in parts, inclusive and exclusive, with and without an initial value.
fn of<T, Op, B>(
    place: &Place,
    operator: Op,
    x: impl Fn(&mut Rng) -> T,
    bits: impl Fn(T) -> B + Copy,
    init: T,
    tile: usize,
) where
    T: Element + Sample,
    Op: Operator<T>,
    B: PartialEq + std::fmt::Debug,
{
    let mut rng = Rng::new(tile as u64);
    for len in lengths(tile) {
        let x: Vec<T> = (0..len).map(|_| x(&mut rng)).collect();
        let input = place.upload(&x, 0);
        for exclusive in [false, true] {
            let scan = if exclusive { Scan::new(operator).exclusive() } else { Scan::new(operator) }.init(init);
            let mut whole = place.poisoned::<T>(len, 0);
            scan.run(&place.device, &input, &mut whole).unwrap();
            let whole = whole.check_guards();
            for _ in 0..3 {
                let cuts = cuts(&mut rng, len, tile);
                let (mut parts, mut carry) = (Vec::new(), Carry::new());
                for pair in cuts.windows(2) {
                    let part = place.upload(&x[pair[0]..pair[1]], rng.below(4));
                    let mut output = place.poisoned::<T>(pair[1] - pair[0], rng.below(3));
                    scan.run_with_carry(&place.device, &part, &mut output, &mut carry).unwrap();
                    parts.extend(output.check_guards());
                }
                assert_eq!(carry.position(), len as u64);
                check(&whole, &parts, bits, &cuts, std::any::type_name::<(T, Op)>());
            }
        }
    }
}

fn number(rng: &mut Rng) -> f64 {
    (rng.next() as u32 as f64 - 2e9) * 0.125f64.powi(rng.below(6) as i32)
}

fn parts_of_arrays(place: &Place) {
    of::<f32, _, _>(place, Sum, |rng| number(rng) as f32, f32::to_bits, 0.375, 3072);
    of::<f64, _, _>(place, Sum, number, f64::to_bits, 0.375, 1536);
    of::<f64, _, _>(place, Product, |rng| 1.0 + number(rng) * 1e-13, f64::to_bits, 1.5, 1536);
    of::<f16, _, _>(place, Sum, |rng| f16::from_f64(number(rng) * 1e-10), f16::to_bits, f16::ONE, 6144);
    of::<f64, _, _>(place, Max, number, f64::to_bits, -1e300, 1536);
    of::<i8, _, _>(place, Sum, |rng| rng.next() as i8, |x| x, 7, 6144);
    let affine = |rng: &mut Rng| Affine { m: rng.next() as u32 | 1, c: rng.next() as u32 };
    of::<Affine, _, _>(place, Then, affine, |x| (x.m, x.c), Affine { m: 3, c: 5 }, 1536);
}

fn parts_of_segments(place: &Place) {
    fn of<T: Element + Sample, B: PartialEq + std::fmt::Debug>(
        place: &Place,
        x: impl Fn(&mut Rng) -> T,
        bits: impl Fn(T) -> B + Copy,
        tile: usize,
    ) where
        Sum: Operator<T>,
    {
        let mut rng = Rng::new(tile as u64 + 1);
        for len in lengths(tile) {
            let x: Vec<T> = (0..len).map(|_| x(&mut rng)).collect();
            let rare = [3, 200, 30_000][rng.below(3)];
            let flags: Vec<bool> = (0..len).map(|_| rng.below(rare) == 0).collect();
            let mut key = 0u64;
            let keys: Vec<u64> = flags.iter().map(|&flag| (key += u64::from(flag), key * 3).1).collect();
            let input = place.upload(&x, 0);
            for exclusive in [false, true] {
                let scan = if exclusive { Scan::new(Sum).exclusive() } else { Scan::new(Sum) };
                let mut whole = place.poisoned::<T>(len, 0);
                let on_keys = place.upload(&keys, 0);
                scan.segments(Segments::Keys(&on_keys)).run(&place.device, &input, &mut whole).unwrap();
                let whole = whole.check_guards();
                let cuts = cuts(&mut rng, len, tile);
                let (mut by_keys, mut by_flags) = ((Vec::new(), Carry::new()), (Vec::new(), Carry::new()));
                for pair in cuts.windows(2) {
                    let (range, shift) = (pair[0]..pair[1], rng.below(3));
                    let part = place.upload(&x[range.clone()], shift);
                    let (keys, flags) =
                        (place.upload(&keys[range.clone()], 1), place.upload(&flags[range.clone()], shift));
                    let mut output = place.poisoned::<T>(range.len(), 1);
                    let scan_by = scan.segments(Segments::Keys(&keys));
                    scan_by.run_with_carry(&place.device, &part, &mut output, &mut by_keys.1).unwrap();
                    by_keys.0.extend(output.check_guards());
                    let mut output = place.poisoned::<T>(range.len(), 0);
                    let scan_by = scan.segments(Segments::HeadFlags(&flags));
                    scan_by.run_with_carry(&place.device, &part, &mut output, &mut by_flags.1).unwrap();
                    by_flags.0.extend(output.check_guards());
                }
                check(&whole, &by_keys.0, bits, &cuts, "by keys");
                check(&whole, &by_flags.0, bits, &cuts, "by flags");
            }
        }
    }
    of::<f32, _>(place, |rng| number(rng) as f32, f32::to_bits, 3072);
    of::<f64, _>(place, number, f64::to_bits, 1536);
    of::<u32, _>(place, |rng| rng.next() as u32, |x| x, 3072);
}

#[function]
fn wide_product(a: f32, b: f32) -> f64 {
    f64::from(a) * f64::from(b)
}

/// Positions that a map gets count through all parts; pairs of buffers and widened elements go on like one buffer.
fn parts_of_mapped_inputs(place: &Place) {
    let mut rng = Rng::new(9);
    let len = 50_001;
    let x: Vec<f32> = (0..len).map(|_| number(&mut rng) as f32).collect();
    let input = place.upload(&x, 0);
    let (mut largest, mut sums) = (place.poisoned::<(f32, u64)>(len, 0), place.poisoned::<f64>(len, 0));
    Scan::new(ArgMax).enumerate().run(&place.device, &input, &mut largest).unwrap();
    Scan::new(Sum).map(WideProduct).run(&place.device, (&input, &input), &mut sums).unwrap();
    let (largest, sums) = (largest.check_guards(), sums.check_guards());
    let mut widened = place.poisoned::<f64>(len, 0);
    Scan::new(Sum).accumulate::<f64>().run(&place.device, &input, &mut widened).unwrap();
    let widened = widened.check_guards();
    let cuts = [0, 1, 3072, 9216, 9216, 30_000, len];
    let (mut found, mut carries) = ((Vec::new(), Vec::new(), Vec::new()), [(); 3].map(|()| Carry::new()));
    for pair in cuts.windows(2) {
        let part = place.upload(&x[pair[0]..pair[1]], 1);
        let count = pair[1] - pair[0];
        let (mut a, mut b, mut c) = (place.poisoned(count, 0), place.poisoned(count, 1), place.poisoned(count, 0));
        let [of_a, of_b, of_c] = &mut carries;
        Scan::new(ArgMax).enumerate().run_with_carry(&place.device, &part, &mut a, of_a).unwrap();
        let products = Scan::new(Sum).map(WideProduct);
        products.run_with_carry(&place.device, (&part, &part), &mut b, of_b).unwrap();
        Scan::new(Sum).accumulate::<f64>().run_with_carry(&place.device, &part, &mut c, of_c).unwrap();
        found.0.extend(a.check_guards());
        found.1.extend(b.check_guards());
        found.2.extend(c.check_guards());
    }
    check(&largest, &found.0, |(x, at): (f32, u64)| (x.to_bits(), at), &cuts, "enumerated");
    check(&sums, &found.1, f64::to_bits, &cuts, "of two buffers");
    check(&widened, &found.2, f64::to_bits, &cuts, "widened");
}

fn parts_of_one_element(place: &Place) {
    let mut rng = Rng::new(10);
    let x: Vec<f32> = (0..300).map(|_| number(&mut rng) as f32).collect();
    let mut whole = place.poisoned::<f32>(x.len(), 0);
    Scan::new(Sum).run(&place.device, &place.upload(&x, 0), &mut whole).unwrap();
    let (mut parts, mut carry) = (Vec::new(), Carry::new());
    for x in &x {
        let mut output = place.poisoned::<f32>(1, 0);
        Scan::new(Sum).run_with_carry(&place.device, &place.upload(&[*x], 0), &mut output, &mut carry).unwrap();
        parts.extend(output.check_guards());
    }
    check(&whole.check_guards(), &parts, f32::to_bits, &[], "one by one");
}

/// A carry becomes bytes after each part, and goes on from them, on the host and here in turns.
fn parts_by_way_of_bytes(place: &Place) {
    let mut rng = Rng::new(11);
    let x: Vec<f64> = (0..20_000).map(|_| number(&mut rng)).collect();
    let keys: Vec<u32> = (0..20_000).map(|i| i / 7000).collect();
    let mut whole = place.poisoned::<f64>(x.len(), 0);
    let on_keys = place.upload(&keys, 0);
    Scan::new(Sum).segments(Segments::Keys(&on_keys)).run(&place.device, &place.upload(&x, 0), &mut whole).unwrap();
    let (mut parts, mut bytes) = (Vec::new(), Carry::new().to_bytes().unwrap());
    for (turn, range) in [0..1, 1..1536, 1536..9000, 9000..9001, 9001..20_000].into_iter().enumerate() {
        let mut carry = Carry::from_bytes(&bytes).unwrap();
        assert_eq!(carry.position(), range.start as u64);
        let mut out = vec![0.0; range.len()];
        if turn % 2 == 0 {
            let (part, keys) = (place.upload(&x[range.clone()], 0), place.upload(&keys[range.clone()], 0));
            let mut output = place.poisoned::<f64>(range.len(), 0);
            let scan = Scan::new(Sum).segments(Segments::Keys(&keys));
            scan.run_with_carry(&place.device, &part, &mut output, &mut carry).unwrap();
            out = output.check_guards();
        } else {
            let scan = Scan::new(Sum).segments(Segments::Keys(&keys[range.clone()]));
            scan.run_with_carry(&Device::cpu(), &x[range], &mut out, &mut carry).unwrap();
        }
        parts.extend(out);
        bytes = carry.to_bytes().unwrap();
    }
    check(&whole.check_guards(), &parts, f64::to_bits, &[], "by way of bytes");
}

fn parts_of_nothing(place: &Place) {
    let run = |x: &[f32], carry: &mut Carry| {
        let mut output = place.poisoned::<f32>(x.len() + 1, 0);
        let scan = Scan::new(Sum).exclusive().with_total();
        scan.run_with_carry(&place.device, &place.upload(x, 0), &mut output, carry).unwrap();
        output.check_guards()
    };
    let mut carry = Carry::new();
    assert_eq!(run(&[], &mut carry), [0.0]);
    assert_eq!(run(&[], &mut carry), [0.0]);
    assert_eq!(run(&[1.0, 2.0], &mut carry), [0.0, 1.0, 3.0]);
    assert_eq!(run(&[], &mut carry), [3.0]);
    assert_eq!(run(&[4.0], &mut carry), [3.0, 7.0]);
    assert_eq!(carry.position(), 3);
}

fn parts_that_are_refused(place: &Place) {
    let (x, mut out) = (place.upload(&[1, 2, 3, 4], 0), place.poisoned::<i32>(4, 0));
    let offsets = place.upload(&[0u32, 2, 4], 0);
    let mut carry = Carry::new();
    let refused = |result: Result<(), Error>| {
        let Err(Error::Options { options: "a part of an array", reason }) = result else { panic!("{result:?}") };
        reason
    };
    let reverse = Scan::new(Sum).reverse().run_with_carry(&place.device, &x, &mut out, &mut carry);
    assert!(refused(reverse).contains("forward"));
    let rows = Scan::new(Sum).axis(&[2, 2], 1).run_with_carry(&place.device, &x, &mut out, &mut carry);
    assert!(refused(rows).contains("each line"));
    let by = Scan::new(Sum).segments(Segments::Offsets(&offsets));
    assert!(refused(by.run_with_carry(&place.device, &x, &mut out, &mut carry)).contains("keys"));
    assert_eq!(carry.position(), 0);
    // After an error the carry is as before.
    Scan::new(Sum).run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
    let mut short = place.poisoned::<i32>(3, 0);
    let length = Scan::new(Sum).run_with_carry(&place.device, &x, &mut short, &mut carry);
    assert_eq!(length, Err(Error::Length { what: "output", found: 3, expected: 4 }));
    Scan::new(Sum).run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
    assert_eq!(out.check_guards(), [11, 13, 16, 20]);
    assert_eq!(carry.position(), 8);
}

fn parts_of_another_call(place: &Place) {
    let (x, mut out) = (place.upload(&[1, 2, 3, 4], 0), place.poisoned::<i32>(4, 0));
    let mut carry = Carry::new();
    Scan::new(Sum).run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
    let bytes = carry.to_bytes().unwrap();
    for mut carry in [carry, Carry::from_bytes(&bytes).unwrap()] {
        let Err(Error::Carry { reason }) = Scan::new(Max).run_with_carry(&place.device, &x, &mut out, &mut carry)
        else {
            panic!("a carry of a sum for a maximum")
        };
        assert!(reason.contains("Sum of i32") && reason.contains("Max of i32"), "{reason}");
        Scan::new(Sum).run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
        assert_eq!(out.check_guards(), [11, 13, 16, 20]);
    }
    // No bytes are trusted: each cut, and each changed bit.
    for len in 0..bytes.len() {
        assert!(matches!(Carry::from_bytes(&bytes[..len]), Err(Error::Carry { .. })), "{len} bytes");
    }
    for bit in 0..8 * bytes.len() {
        let mut bytes = bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(matches!(Carry::from_bytes(&bytes), Err(Error::Carry { .. })), "bit {bit}");
    }
    // No position from which later ones would overflow.
    let mut far = bytes.clone();
    far[32..40].fill(0xff);
    assert!(matches!(Carry::from_bytes(&far), Err(Error::Carry { reason }) if reason.contains("18446744073709551615")));
    // A carry of an array is none of segments.
    let (flags, x) = (place.upload(&[true, false], 0), place.upload(&[1, 2], 0));
    let mut carry = Carry::from_bytes(&bytes).unwrap();
    let mut out = place.poisoned::<i32>(2, 0);
    for _ in 0..2 {
        let by_flags = Scan::new(Sum).segments(Segments::HeadFlags(&flags));
        let refused = by_flags.run_with_carry(&place.device, &x, &mut out, &mut carry);
        assert!(matches!(&refused, Err(Error::Carry { reason }) if reason.contains("head flags")), "{refused:?}");
        Scan::new(Sum).run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
    }
    // Values that may have padding become no bytes.
    let (x, mut out) = (place.upload(&[(1u8, 2u32)], 0), place.poisoned::<(u8, u32)>(1, 0));
    let mut carry = Carry::new();
    let scan = Scan::new(upsweep::operator::builtin::First);
    scan.run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
    let refused = carry.to_bytes();
    assert!(matches!(&refused, Err(Error::Carry { reason }) if reason.contains("no numbers")), "{refused:?}");
    scan.run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
}
