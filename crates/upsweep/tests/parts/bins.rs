//! Histograms of an array in parts.

use crate::support::{cuts, moved_to};
use upsweep::{Carry, Device, Error, Histogram, function};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;

on_each_backend!(histograms_of_parts, histograms_of_nothing, histograms_by_way_of_bytes, histograms_that_are_refused);

#[function]
fn low(x: u32) -> u32 {
    x % 301
}

#[function]
fn high(x: u32) -> u32 {
    x / 301
}

fn histograms_of_parts(place: &Place) {
    let mut rng = Rng::new(1);
    let edges = [0u32, 5, 100, 1 << 20, 1 << 31, u32::MAX];
    let on_edges = place.upload(&edges, 0);
    for len in [1, 2, 100, 4097, 70_001, 300_000] {
        let x: Vec<u32> = (0..len).map(|_| rng.next() as u32 >> rng.below(32)).collect();
        let weights: Vec<i64> = (0..len).map(|_| rng.next() as i64).collect();
        let mut counts = vec![0u32; 301];
        let mut sums = vec![0i64; 301];
        let mut between = vec![0u64; 5];
        let mut by_channel = vec![0u64; 602];
        for (i, (&x, &weight)) in x.iter().zip(&weights).enumerate() {
            counts[x as usize % 301] += 1;
            sums[x as usize % 301] = sums[x as usize % 301].wrapping_add(weight);
            between[edges.partition_point(|&edge| edge <= x).clamp(1, 5) - 1] += 1;
            if i % 3 < 2 && i < len / 3 * 3 {
                by_channel[i % 3 * 301 + x as usize % 301] += 1;
            }
        }
        let cuts = cuts(&mut rng, len);
        let mut carries = [(); 4].map(|()| Carry::new());
        let (mut a, mut b) = (place.poisoned::<u32>(301, 1), place.poisoned::<i64>(301, 0));
        let (mut c, mut d) = (place.poisoned::<u64>(5, 2), place.poisoned::<u64>(602, 0));
        let [of_a, of_b, of_c, of_d] = &mut carries;
        for pair in cuts.windows(2) {
            let part = place.upload(&x[pair[0]..pair[1]], rng.below(3));
            let weights = place.upload(&weights[pair[0]..pair[1]], 0);
            Histogram::by(Low, 301).run_with_carry(&place.device, &part, &mut a, of_a).unwrap();
            let weighted = Histogram::by(Low, 301).weights(&weights);
            weighted.run_with_carry(&place.device, &part, &mut b, of_b).unwrap();
            Histogram::edges(&on_edges).run_with_carry(&place.device, &part, &mut c, of_c).unwrap();
            let pixels = place.upload(&x[pair[0] / 3 * 3..pair[1] / 3 * 3], 0);
            Histogram::by(Low, 301).channels(3, 2).run_with_carry(&place.device, &pixels, &mut d, of_d).unwrap();
        }
        assert_eq!(a.check_guards(), counts, "{len} elements cut at {cuts:?}");
        assert_eq!(b.check_guards(), sums, "{len} weights cut at {cuts:?}");
        assert_eq!(c.check_guards(), between, "{len} elements by edges, cut at {cuts:?}");
        assert_eq!(d.check_guards(), by_channel, "{len} pixels cut at {cuts:?}");
    }
}

fn histograms_of_nothing(place: &Place) {
    let (nothing, x) = (place.upload::<f32>(&[], 0), place.upload(&[0.5f32, 1.5, 1.5], 0));
    let even = Histogram::even(0.0..=2.0, 2);
    let mut carry = Carry::new();
    let mut run = |x, expected: [u32; 2]| {
        let mut counts = place.poisoned::<u32>(2, 0);
        even.run_with_carry(&place.device, x, &mut counts, &mut carry).unwrap();
        assert_eq!(counts.check_guards(), expected);
    };
    run(&nothing, [0, 0]);
    run(&x, [1, 2]);
    run(&nothing, [1, 2]);
    run(&x, [2, 4]);
}

fn histograms_by_way_of_bytes(place: &Place) {
    let x = [3u32, 302, 7, 3];
    let (mut counts, mut carry) = (place.poisoned::<u64>(301, 0), Carry::new());
    Histogram::by(Low, 301).run_with_carry(&place.device, &place.upload(&x, 0), &mut counts, &mut carry).unwrap();
    let mut carry = Carry::from_bytes(&carry.to_bytes().unwrap()).unwrap();
    let mut counts = [0u64; 301];
    Histogram::by(Low, 301).run_with_carry(&Device::cpu(), &x, &mut counts, &mut carry).unwrap();
    assert_eq!((counts[1], counts[3], counts[7], carry.position()), (2, 4, 2, 8));
    let mut carry = Carry::from_bytes(&carry.to_bytes().unwrap()).unwrap();
    let mut counts = place.poisoned::<u64>(301, 0);
    Histogram::by(Low, 301).run_with_carry(&place.device, &place.upload(&x, 0), &mut counts, &mut carry).unwrap();
    assert_eq!((counts.check_guards()[3], carry.position()), (6, 12));
}

fn histograms_that_are_refused(place: &Place) {
    let x = place.upload(&[3u32, 302, 7, 3], 0);
    let (mut counts, mut carry) = (place.poisoned::<u32>(10, 0), Carry::new());
    Histogram::by(Low, 10).run_with_carry(&place.device, &x, &mut counts, &mut carry).unwrap();
    let refused = |result: Result<(), Error>, word: &str| {
        let Err(Error::Carry { reason }) = result else { panic!("a carry of another call: {result:?}") };
        assert!(reason.contains(word), "{reason}");
    };
    refused(Histogram::by(High, 10).run_with_carry(&place.device, &x, &mut counts, &mut carry), "bins by High");
    let mut few = place.poisoned::<u32>(9, 0);
    refused(Histogram::by(Low, 9).run_with_carry(&place.device, &x, &mut few, &mut carry), "10 bins");
    let even = Histogram::even(0.0..=1.0, 10);
    refused(even.run_with_carry(&place.device, &x, &mut counts, &mut carry), "even bins from 0.0 to 1.0");
    let channels = Histogram::by(Low, 5).channels(2, 2);
    refused(channels.run_with_carry(&place.device, &x, &mut counts, &mut carry), "channels 2 of 2");
    let length = Histogram::by(Low, 10).run_with_carry(&place.device, &x, &mut few, &mut carry);
    assert_eq!(length, Err(Error::Length { what: "output", found: 9, expected: 10 }));
    // After an error the carry is as before.
    Histogram::by(Low, 10).run_with_carry(&place.device, &x, &mut counts, &mut carry).unwrap();
    assert_eq!((counts.check_guards()[3], carry.position()), (4, 8));
    // Counts of u32 hold as many elements as all parts have, or the call is an error.
    let mut far = moved_to(&carry, u64::from(u32::MAX) - 4);
    Histogram::by(Low, 10).run_with_carry(&place.device, &x, &mut counts, &mut far).unwrap();
    let more = Histogram::by(Low, 10).run_with_carry(&place.device, &x, &mut counts, &mut far);
    assert!(matches!(more, Err(Error::Options { options: "a histogram of u32", .. })), "{more:?}");
}
