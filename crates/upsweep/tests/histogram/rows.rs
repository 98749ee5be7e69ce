//! Histograms of rows and segments, whose oracle is the histogram of each alone.

use super::oracle::same;
use super::support::on_each_backend;
use super::support::place::Place;
use super::support::random::Rng;
use super::support::sample::Sample;
use upsweep::histogram::{Amounts, Bins};
use upsweep::operator::Same;
use upsweep::prelude::*;
use upsweep::{Error, Histogram};

on_each_backend!(rows_of_counts, segments_of_counts, segments_of_weights, rows_for_threads, rows_refused);

fn numbers(len: usize, below: usize) -> Vec<u32> {
    let mut rng = Rng::new(len as u64);
    (0..len).map(|_| rng.below(below) as u32).collect()
}

fn offsets(len: usize, count: usize, of: usize) -> Vec<u64> {
    let mut rng = Rng::new((len + count) as u64);
    let mut offsets: Vec<u64> = (1..count).map(|_| (rng.below(len / 2 + 1) / of * of) as u64).collect();
    offsets.extend([0, len as u64]);
    offsets.sort_unstable();
    offsets
}

/// Compares the histogram of rows of equal length, and of segments, with that of each alone.
fn check<T: Sample, O: Sample, B: Bins<T>>(
    place: &Place,
    histogram: Histogram<B>,
    (input, of_each, count, channels): (&[T], usize, usize, usize),
    what: &str,
) where
    upsweep::histogram::Ones: Amounts<O>,
{
    let cpu = Device::cpu();
    let buffer = place.upload(input, 1);
    let alone = |own: &[T]| -> Vec<O> { histogram.run_to_vec(&cpu, own).unwrap() };
    let row = input.len() / count;
    let expected: Vec<O> = (0..count).flat_map(|i| alone(&input[i * row..(i + 1) * row])).collect();
    let mut output = place.poisoned::<O>(count * of_each, 1);
    assert_eq!(histogram.axis(&[count, row], 1).run(&place.device, &buffer, &mut output), Ok(()), "{what}");
    same(&output.check_guards(), &expected, &format!("{count} rows, {what}"));
    let offsets = offsets(input.len(), count, channels);
    let expected: Vec<O> = offsets.windows(2).flat_map(|at| alone(&input[at[0] as usize..at[1] as usize])).collect();
    let offsets = place.upload(&offsets, 0);
    let of_segments = histogram.segments(Segments::Offsets(&offsets));
    let mut output = place.poisoned::<O>(count * of_each, 1);
    assert_eq!(of_segments.run(&place.device, &buffer, &mut output), Ok(()), "{what}");
    same(&output.check_guards(), &expected, &format!("{count} segments, {what}"));
}

fn rows_of_counts(place: &Place) {
    for (count, row) in [(1, 50), (2, 1), (7, 33), (40, 1000), (3, 20_000)] {
        let x = numbers(count * row, 12);
        check::<u32, u32, _>(place, Histogram::by(Same, 10), (&x, 10, count, 1), "by u32");
        let bytes: Vec<u8> = x.iter().map(|&x| x as u8).collect();
        check::<u8, u64, _>(place, Histogram::by(Same, 10), (&bytes, 10, count, 1), "by u8");
        let floats: Vec<f32> = x.iter().map(|&x| x as f32 / 7.0).collect();
        check::<f32, u32, _>(place, Histogram::even(0.1..=1.3, 5), (&floats, 5, count, 1), "even");
    }
    let x = numbers(6000, 60_000);
    check::<u32, u32, _>(place, Histogram::by(Same, 60_000), (&x, 60_000, 3, 1), "many bins");
    check::<u32, u32, _>(place, Histogram::by(Same, 200_000), (&x, 200_000, 2, 1), "slices");
}

fn segments_of_counts(place: &Place) {
    let x = numbers(6000, 300);
    let bytes: Vec<u8> = x.iter().map(|&x| x as u8).collect();
    check::<u8, u32, _>(place, Histogram::by(Same, 200).channels(3, 2), (&bytes, 400, 50, 3), "channels of bytes");
    check::<u32, u32, _>(place, Histogram::by(Same, 200).channels(4, 3), (&x, 600, 10, 4), "channels");
    let edges = place.upload(&[0.5f64, 10.0, 10.0, 200.0], 0);
    let floats: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
    let offsets = place.upload(&[0u32, 0, 1000, 6000, 6000], 0);
    let floats = place.upload(&floats, 0);
    let of = |range: std::ops::Range<usize>, low: f64, high: f64, last: bool| {
        x[range].iter().filter(|&&x| (low..high).contains(&f64::from(x)) || (last && f64::from(x) == high)).count()
            as u32
    };
    let expected: Vec<u32> = [0..0, 0..1000, 1000..6000, 6000..6000]
        .into_iter()
        .flat_map(|r| [of(r.clone(), 0.5, 10.0, false), 0, of(r, 10.0, 200.0, true)])
        .collect();
    let by_edges = Histogram::edges(&edges).segments(Segments::Offsets(&offsets));
    assert_eq!(by_edges.run_to_vec::<_, u32>(&place.device, &floats), Ok(expected));
    let nothing = place.upload::<u32>(&[], 0);
    let none = place.upload(&[0u32], 0);
    let of_none = Histogram::by(Same, 4).segments(Segments::Offsets(&none));
    assert_eq!(of_none.run_to_vec::<_, u32>(&place.device, &nothing), Ok(vec![]));
    let empty = Histogram::by(Same, 2).axis(&[3, 0], 1).run_to_vec::<_, u32>(&place.device, &nothing);
    assert_eq!(empty, Ok(vec![0; 6]));
}

/// Sums of integers and floats, some of them infinite.
fn segments_of_weights(place: &Place) {
    let (x, count) = (numbers(5000, 6), 30);
    let offsets = offsets(5000, count, 1);
    let (input, on_device) = (place.upload(&x, 1), place.upload(&offsets, 0));
    let integers: Vec<i64> = x.iter().enumerate().map(|(i, &x)| (i as i64 % 700 - 300) * i64::from(x + 1)).collect();
    let mut floats: Vec<f64> = integers.iter().map(|&x| x as f64 * 0.125).collect();
    floats[4000] = f64::INFINITY;
    let (mut of_integers, mut of_floats) = (vec![0i64; count * 5], vec![0f64; count * 5]);
    for (s, at) in offsets.windows(2).enumerate() {
        for i in at[0] as usize..at[1] as usize {
            if x[i] < 5 {
                of_integers[s * 5 + x[i] as usize] += integers[i];
                of_floats[s * 5 + x[i] as usize] += floats[i];
            }
        }
    }
    let (integers, floats) = (place.upload(&integers, 0), place.upload(&floats, 1));
    let histogram = Histogram::by(Same, 5).segments(Segments::Offsets(&on_device));
    assert_eq!(histogram.weights(&integers).run_to_vec(&place.device, &input), Ok(of_integers));
    let histogram = Histogram::by(Same, 5).weights(&floats).segments(Segments::Offsets(&on_device));
    assert_eq!(histogram.run_to_vec(&place.device, &input), Ok(of_floats));
}

/// Rows that threads share on the CPU.
fn rows_for_threads(place: &Place) {
    let x = numbers(700_000, 20);
    check::<u32, u32, _>(place, Histogram::by(Same, 16), (&x, 16, 100, 1), "for threads");
    check::<u32, u32, _>(place, Histogram::by(Same, 16), (&x, 16, 2, 1), "for all threads");
}

fn rows_refused(place: &Place) {
    let (device, input) = (&place.device, place.upload(&[1u32, 2, 3, 0, 1, 2], 0));
    let mut five = place.poisoned::<u32>(5, 0);
    let histogram = Histogram::by(Same, 4);
    let length = Err(Error::Length { what: "output", found: 5, expected: 8 });
    assert_eq!(histogram.axis(&[2, 3], 1).run(device, &input, &mut five), length);
    let columns = histogram.axis(&[2, 3], 0).run(device, &input, &mut five);
    assert!(matches!(columns, Err(Error::Options { options: "the axis of a histogram", .. })));
    let pixels = histogram.channels(2, 2).axis(&[2, 3], 1).run_to_vec::<_, u32>(device, &input);
    assert_eq!(pixels, Err(Error::Pixels { len: 3, channels: 2 }));
    let offsets = place.upload(&[0u32, 7], 0);
    let refused = histogram.segments(Segments::Offsets(&offsets)).run_to_vec::<_, u32>(device, &input);
    let rule = "is the last and is not the number of elements";
    assert_eq!(refused, Err(Error::Offsets { index: 1, offset: 7, rule }));
}
