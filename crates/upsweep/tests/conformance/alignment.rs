//! Every misalignment of input and output, with guards on both sides; results have the same bits for each.

use upsweep::operator::builtin::{And, Max, Min, Or, Sum, Xor};
use upsweep::{Operator, Reduce, Scan};
use upsweep_testing::check::{Case, Cuts, Lines, Reach};
use upsweep_testing::operators::*;
use upsweep_testing::oracle::{Cut, Rule};
use upsweep_testing::place::Place;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::{cuts, on_each_backend, sizes};

on_each_backend!(
    scan_alignment_1_byte,
    scan_alignment_2_bytes,
    scan_alignment_3_bytes,
    scan_alignment_4_bytes,
    scan_alignment_8_bytes,
    scan_alignment_12_bytes,
    scan_alignment_other_sizes,
    scan_alignment_of_segments,
    reduce_alignment,
    reduce_alignment_small_integers,
    reduce_alignment_widened,
    reduce_alignment_same_bits,
);

/// Lengths that end at all places between vectors, within one block and past it.
fn lengths() -> &'static [usize] {
    if sizes::reduced() { &[1, 45, 1027] } else { &[1, 15, 16, 17, 45, 130, 1027, 8205] }
}

fn every_alignment<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, rule: &Rule<T, T, T>) {
    for &len in lengths() {
        let x = random_values::<T>(len);
        for input in 0..16 {
            let step = if sizes::reduced() || len > 2000 { 5 } else { 1 };
            for output in (input % step..16).step_by(step) {
                let case = Case::new().reverse(output % 2 == 1).offsets(input, output);
                Lines.scan(place, Scan::new(operator), rule, &x, &case);
            }
            Lines.scan_in_place(place, Scan::new(operator), rule, &x, &Case::new().offsets(input, 0));
            Lines.scan_in_place(place, Scan::new(operator), rule, &x, &Case::new().reverse(true).offsets(input, 0));
        }
    }
}

fn scan_alignment_1_byte(place: &Place) {
    every_alignment(place, Sum, &Rule::new(u8::wrapping_add, Some(0)));
}

fn scan_alignment_2_bytes(place: &Place) {
    every_alignment(place, Sum, &Rule::new(u16::wrapping_add, Some(0)));
}

fn scan_alignment_3_bytes(place: &Place) {
    every_alignment(place, TriangleProduct, &Rule::new(triangle_product, Some(Triangle { a: 1, b: 0, c: 1 })));
}

fn scan_alignment_4_bytes(place: &Place) {
    every_alignment(place, Sum, &Rule::new(i32::wrapping_add, Some(0)));
}

fn scan_alignment_8_bytes(place: &Place) {
    every_alignment(place, Then, &Rule::new(then, Some(Affine { m: 1, c: 0 })));
}

fn scan_alignment_12_bytes(place: &Place) {
    every_alignment(place, Concat, &Rule::new(concat, None));
}

/// Input of one byte and output of two: their vectors never line up.
fn scan_alignment_other_sizes(place: &Place) {
    let rule = byte_steps();
    for &len in lengths() {
        for offset in 0..16 {
            let case = Case::new().reverse(len % 2 == 0).offsets(offset, (offset * 7 + 3) % 16);
            let scan = Scan::new(Then).map(TripleAndAdd).finish(FromOne);
            Lines.scan(place, scan, &rule, &random_values::<u8>(len), &case);
        }
    }
}

/// Flags, keys and offsets are misaligned by their own lengths: see `check`.
fn scan_alignment_of_segments(place: &Place) {
    for len in 1000..1035 {
        let x = random_values::<Affine>(len);
        for cut in [cuts::head_flags(len, 20), cuts::keys(len, 20), Cut::Offsets(cuts::offsets(len, len % 40))] {
            for case in Case::new().cut(cut).offsets(len % 16, len / 2 % 16).directions(true) {
                let rule = Rule::new(then, Some(Affine { m: 1, c: 0 }));
                Cuts.scan(place, Scan::new(Then), &rule, &x, &case);
            }
        }
    }
}

fn reduce_alignment(place: &Place) {
    for &len in lengths() {
        for offset in 0..16 {
            let rule = Rule::new(u8::wrapping_add, Some(0));
            let case = Case::new().offsets(offset, 15 - offset);
            Lines.reduce(place, Reduce::new(Sum), &rule, &random_values(len), &case);
            let case = Case::new().offsets(offset, 15 - offset);
            Lines.reduce(place, Reduce::new(Concat), &Rule::new(concat, None), &random_values(len), &case);
        }
    }
}

/// Lengths of one vector, one part and several parts, with elements before and after the whole vectors.
fn reduced_lengths() -> &'static [usize] {
    if sizes::reduced() {
        &[1, 17, 70_001]
    } else {
        &[1, 7, 15, 16, 17, 31, 33, 1027, 32_767, 65_537, 70_001, 1_000_003]
    }
}

fn every_reduced_alignment<T: Sample, Op: Operator<T>>(
    place: &Place,
    operator: Op,
    combine: fn(T, T) -> T,
    identity: T,
) {
    for &len in reduced_lengths() {
        let x = random_values::<T>(len);
        for offset in 0..16 {
            let case = Case::new().offsets(offset, offset % 3);
            Lines.reduce(place, Reduce::new(operator), &Rule::new(combine, Some(identity)), &x, &case);
        }
    }
}

/// Small integers, of which a GPU loads several in a word.
fn reduce_alignment_small_integers(place: &Place) {
    every_reduced_alignment(place, Sum, i8::wrapping_add, 0);
    every_reduced_alignment(place, Sum, i16::wrapping_add, 0);
    every_reduced_alignment(place, Xor, |a: i8, b| a ^ b, 0);
    every_reduced_alignment(place, Xor, |a: u16, b| a ^ b, 0);
    // What decides lies at one place alone, which goes through the array.
    let lonely = |place: &Place, len: usize, at: usize| {
        let mut x = vec![0u8; len];
        x[at] = 1;
        let low: Vec<i8> = x.iter().map(|&x| x as i8 - 2).collect();
        let wide: Vec<i16> = x.iter().map(|&x| i16::from(x) - 300).collect();
        let (full, full_wide): (Vec<u8>, Vec<u16>) = x.iter().map(|&x| (!x, !u16::from(x))).unzip();
        let offset = at % 16;
        let shown = |what: &str| format!("{what} of {len} at offset {offset}, element {at}");
        let of = |x: &[u8]| place.upload(x, offset);
        assert_eq!(place.device.reduce(&of(&x), Max), Ok(1), "{}", shown("u8 max"));
        assert_eq!(place.device.reduce(&of(&x), Or), Ok(1), "{}", shown("u8 or"));
        assert_eq!(place.device.reduce(&of(&full), Min), Ok(254), "{}", shown("u8 min"));
        assert_eq!(place.device.reduce(&of(&full), And), Ok(254), "{}", shown("u8 and"));
        assert_eq!(place.device.reduce(&place.upload(&low, offset), Max), Ok(-1), "{}", shown("i8 max"));
        let low: Vec<i8> = low.iter().map(|x| -x).collect();
        assert_eq!(place.device.reduce(&place.upload(&low, offset), Min), Ok(1), "{}", shown("i8 min"));
        assert_eq!(place.device.reduce(&place.upload(&wide, offset), Max), Ok(-299), "{}", shown("i16 max"));
        let wide: Vec<i16> = wide.iter().map(|x| -x).collect();
        assert_eq!(place.device.reduce(&place.upload(&wide, offset), Min), Ok(299), "{}", shown("i16 min"));
        assert_eq!(place.device.reduce(&place.upload(&full_wide, offset), Min), Ok(0xfffe), "{}", shown("u16 min"));
        assert_eq!(place.device.reduce(&place.upload(&full_wide, offset), And), Ok(0xfffe), "{}", shown("u16 and"));
    };
    for &len in reduced_lengths() {
        for at in [0, 1, 2, 3, 5, 13, 14, 15, 16, 17, 30, 31, 1025].into_iter().filter(|&at| at < len) {
            lonely(place, len, at);
            lonely(place, len, len - 1 - at);
        }
    }
}

/// Bytes and halves summed up in wider types.
fn reduce_alignment_widened(place: &Place) {
    for &len in reduced_lengths() {
        for offset in 0..16 {
            // The extremes, so that what does not fit into 32 or 16 bits on the way shows.
            let most = vec![u8::MAX; len];
            let sum = Reduce::new(Sum).accumulate::<u64>().run_to_host(&place.device, &place.upload(&most, offset));
            assert_eq!(sum, Ok(255 * len as u64), "u8 as u64, {len} at offset {offset}");
            let least = vec![i8::MIN; len];
            let sum = Reduce::new(Sum).accumulate::<i32>().run_to_host(&place.device, &place.upload(&least, offset));
            assert_eq!(sum, Ok(-128 * len as i32), "i8 as i32, {len} at offset {offset}");
            let x = random_values::<i16>(len);
            let sum = Reduce::new(Sum).accumulate::<i64>().run_to_host(&place.device, &place.upload(&x, offset));
            assert_eq!(sum, Ok(x.iter().map(|&x| i64::from(x)).sum()), "i16 as i64, {len} at offset {offset}");
            let x = random_values::<u16>(len);
            let sum = Reduce::new(Sum).accumulate::<u32>().run_to_host(&place.device, &place.upload(&x, offset));
            assert_eq!(
                sum,
                Ok(x.iter().fold(0, |sum: u32, &x| sum.wrapping_add(x.into()))),
                "u16 as u32, {len} at offset {offset}"
            );
        }
    }
}

/// Sums of floats are grouped in the same way wherever the array begins.
fn reduce_alignment_same_bits(place: &Place) {
    for &len in reduced_lengths() {
        let x: Vec<f32> = random_values::<u32>(len).into_iter().map(|x| x as f32 * 1e-3).collect();
        let bits = |offset: usize| place.device.reduce(&place.upload(&x, offset), Sum).map(f32::to_bits);
        let aligned = bits(0);
        assert!(aligned.is_ok(), "{aligned:?}");
        for offset in 1..16 {
            assert_eq!(bits(offset), aligned, "{len} elements at offset {offset}");
        }
    }
}
