//! Top-k of segments, whose oracle is that of each segment alone.

use crate::whole::expected;
use upsweep::prelude::*;
use upsweep::{Error, Index};
use upsweep_testing::inputs::{Kind, SortKey, keys, some};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;

on_each_backend!(topk_segments, topk_segments_for_threads, topk_of_short_segments, topk_segments_refused);

/// Offsets of `count` segments, of which some are empty, and one has half of all elements.
pub(crate) fn offsets(len: usize, count: usize) -> Vec<u32> {
    let mut rng = Rng::new((len + 7 * count) as u64);
    let mut offsets: Vec<u32> = (1..count).map(|_| rng.below(len / 2 + 1) as u32).collect();
    offsets.extend([0, len as u32]);
    offsets.sort_unstable();
    offsets
}

fn check<K: SortKey, I: Index + Sample + PartialEq>(place: &Place, keys: &[K], offsets: &[u32], k: usize) {
    let (instead, count) = (upsweep_testing::inputs::keys::<K>(Kind::Random, 1)[0], offsets.len() - 1);
    let (input, on_device) = (place.upload(keys, 1), place.upload(offsets, 0));
    for (largest, sorted) in [(true, false), (true, true), (false, false), (false, true)] {
        let what = format!("{k} of {} in {count} segments, {largest}, {sorted}", keys.len());
        let (mut bits, mut places) = (vec![instead.bits(); count * k], vec![I::at(usize::MAX); count * k]);
        for (s, range) in offsets.windows(2).enumerate() {
            let own = &keys[range[0] as usize..range[1] as usize];
            let mut order = expected(own, own.len(), k, largest);
            if !sorted {
                order.sort_unstable();
            }
            for (i, at) in order.into_iter().enumerate() {
                (bits[s * k + i], places[s * k + i]) = (own[at].bits(), I::at(at));
            }
        }
        let topk = if largest { TopK::largest(k) } else { TopK::smallest(k) };
        let topk = if sorted { topk.sorted() } else { topk };
        let topk = topk.segments(Segments::Offsets(&on_device)).or(instead);
        let mut values = place.poisoned::<K>(count * k, 1);
        assert_eq!(topk.run(&place.device, &input, &mut values), Ok(()), "{what}");
        let found: Vec<u128> = values.check_guards().into_iter().map(SortKey::bits).collect();
        assert!(found == bits, "values alone: {what}");
        let topk = topk.with_indices();
        let mut indices = place.poisoned::<I>(count * k, 0);
        assert_eq!(topk.run(&place.device, &input, (&mut values, &mut indices)), Ok(()), "{what}");
        let found: Vec<u128> = values.check_guards().into_iter().map(SortKey::bits).collect();
        assert!(found == bits && indices.check_guards() == places, "both: {what}");
    }
}

fn topk_segments(place: &Place) {
    for (len, count) in [(0, 3), (1, 1), (40, 5), (3000, 40), (some(place, 20_000), 7)] {
        for k in [0, 1, 3, 70] {
            check::<f32, u32>(place, &keys(Kind::Special, len), &offsets(len, count), k);
        }
    }
    check::<f32, u32>(place, &keys(Kind::Random, 900), &offsets(900, 12), 5);
    check::<u8, u64>(place, &keys(Kind::Random, 2000), &offsets(2000, 90), 4);
    check::<i128, usize>(place, &keys(Kind::Zipf, 2000), &offsets(2000, 30), 4);
    check::<u32, u32>(place, &[], &[0], 4);
}

/// Segments that threads share on the CPU, and one that all threads have together.
fn topk_segments_for_threads(place: &Place) {
    let len = some(place, 20_000).max(if place.is_cuda() { 0 } else { 150_000 });
    check::<u128, u32>(place, &keys(Kind::Random, len), &offsets(len, 200), 9);
}

fn topk_of_short_segments(place: &Place) {
    let (device, input, offsets) = (&place.device, place.upload(&[4u8, 1, 3], 0), place.upload(&[0u64, 1, 3], 0));
    let topk = TopK::largest(2).segments(Segments::Offsets(&offsets));
    let short = Error::Segment { segment: 0, len: 1, needed: 2 };
    let words = "segment 0 has 1 elements, and 2 are needed: give by `or` the value that stands where there is none";
    assert_eq!(short.to_string(), words);
    assert_eq!(topk.run_to_vec(device, &input), Err(short.clone()));
    assert_eq!(topk.indices().run_to_vec::<_, u32>(device, &input), Err(short));
    assert_eq!(topk.or(7).run_to_vec(device, &input), Ok(vec![4, 7, 1, 3]));
    assert_eq!(topk.or(7).indices().run_to_vec(device, &input), Ok(vec![0, u32::MAX, 0, 1]));
    let one = TopK::largest(1).segments(Segments::Offsets(&offsets));
    assert_eq!(one.run_to_vec(device, &input), Ok(vec![4, 3]));
}

fn topk_segments_refused(place: &Place) {
    let (device, input) = (&place.device, place.upload(&[4u8, 1, 3], 0));
    let mut two = place.poisoned::<u8>(2, 0);
    for (offsets, index, offset, rule) in [
        (vec![0, 2], 1, 2, "is the last and is not the number of elements"),
        (vec![0, 2, 1, 3], 2, 1, "is less than the one before"),
        (vec![1, 3], 0, 1, "is the first and is not 0"),
        (vec![0, -1, 3], 1, -1, "is negative"),
    ] {
        let offsets = place.upload::<i32>(&offsets, 0);
        let topk = TopK::largest(1).segments(Segments::Offsets(&offsets)).or(0);
        assert_eq!(topk.run_to_vec(device, &input), Err(Error::Offsets { index, offset, rule }));
    }
    let offsets = place.upload(&[0u32, 1, 2, 3], 0);
    let topk = TopK::largest(1).segments(Segments::Offsets(&offsets));
    assert_eq!(topk.run(device, &input, &mut two), Err(Error::Length { what: "output", found: 2, expected: 3 }));
    let none = place.upload::<u32>(&[], 0);
    let topk = TopK::largest(1).segments(Segments::Offsets(&none));
    assert_eq!(topk.run_to_vec(device, &input), Err(Error::TooFew { what: "offsets", found: 0, least: 1 }));
    if place.is_cuda() {
        let topk = TopK::largest(1).segments(Segments::Offsets(&[0u32, 3]));
        let refused = topk.run_to_vec(device, &input);
        assert_eq!(refused, Err(Error::Place { what: "offsets", found: "host", expected: "CUDA" }));
    }
}
