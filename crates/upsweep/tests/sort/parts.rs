//! Cases of lines and segments, each sorted by itself.

use crate::check::{expect_keys, expect_same, order};
use half::f16;
use upsweep::{Error, Segments, Sort};
use upsweep_testing::inputs::{Kind, SortKey, keys};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::sizes::reduced;

on_each_backend!(
    segments_of_each_length,
    segments_of_each_type,
    segments_of_equal_keys,
    segments_of_mixed_lengths,
    segments_of_long_ones,
    segments_of_nothing,
    segments_by_each_offset,
    segments_wrong,
    lines_of_each_length,
    lines_along_each_axis,
    lines_wrong,
);

/// Order of the elements of each part, `offsets[s] .. offsets[s + 1]`.
fn order_of_parts<K: SortKey>(keys: &[K], offsets: &[usize], descending: bool) -> Vec<usize> {
    let of = |range: &[usize]| {
        let begin = range[0];
        order(&keys[begin..range[1]], descending).into_iter().map(move |i| begin + i)
    };
    offsets.windows(2).flat_map(of).collect()
}

/// Offsets of parts of these lengths.
pub(crate) fn offsets_of(lengths: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut offsets = vec![0];
    offsets.extend(lengths.into_iter().scan(0, |end, length| {
        *end += length;
        Some(*end)
    }));
    offsets
}

/// Sorts keys, pairs and positions of segments, into other buffers and in place.
#[track_caller]
pub(crate) fn check_segments<K: SortKey, V: Sample>(place: &Place, keys: &[K], offsets: &[usize], what: &str) {
    let len = keys.len();
    let values = random_values::<V>(len);
    let offsets_in = place.upload(&offsets.iter().map(|at| *at as u64).collect::<Vec<_>>(), 0);
    let device = &place.device;
    for descending in [false, true] {
        let what = format!("{len} x {}, {what}, descending: {descending}", std::any::type_name::<(K, V)>());
        let order = order_of_parts(keys, offsets, descending);
        let expected: Vec<K> = order.iter().map(|i| keys[*i]).collect();
        let expected_values: Vec<V> = order.iter().map(|i| values[*i]).collect();
        let segments = Segments::Offsets(&offsets_in);
        let sort = if descending { Sort::new().descending() } else { Sort::new() };
        let input = place.upload(keys, 1);
        let mut output = place.poisoned::<K>(len, 3);
        assert_eq!(sort.segments(segments).run(device, &input, &mut output), Ok(()), "{what}");
        expect_keys(&output.check_guards(), &expected, &what);
        let mut data = place.upload(keys, 0);
        assert_eq!(sort.segments(Segments::Offsets(&offsets_in)).run_in_place(device, &mut data), Ok(()), "{what}");
        expect_keys(&data.check_guards(), &expected, &format!("{what}, in place"));

        let pairs = if descending { Sort::pairs().descending() } else { Sort::pairs() };
        let values_in = place.upload(&values, 0);
        let (mut keys_out, mut values_out) = (place.poisoned::<K>(len, 0), place.poisoned::<V>(len, 1));
        let result = pairs.segments(Segments::Offsets(&offsets_in)).run(
            device,
            (&input, &values_in),
            (&mut keys_out, &mut values_out),
        );
        assert_eq!(result, Ok(()), "{what}");
        expect_keys(&keys_out.check_guards(), &expected, &format!("keys of pairs of {what}"));
        expect_same(&values_out.check_guards(), &expected_values, V::same, &format!("values of {what}"));
        let (mut keys_in, mut values_in) = (place.upload(keys, 0), values_in);
        let result =
            pairs.segments(Segments::Offsets(&offsets_in)).run_in_place(device, (&mut keys_in, &mut values_in));
        assert_eq!(result, Ok(()), "{what}");
        expect_keys(&keys_in.check_guards(), &expected, &format!("keys of pairs of {what}, in place"));
        expect_same(&values_in.check_guards(), &expected_values, V::same, &format!("values of {what}, in place"));

        let begins: Vec<usize> = offsets.windows(2).flat_map(|s| vec![s[0]; s[1] - s[0]]).collect();
        let expected: Vec<u32> = order.iter().zip(&begins).map(|(i, begin)| (i - begin) as u32).collect();
        let mut positions = place.poisoned::<u32>(len, 0);
        let result = sort.indices().segments(Segments::Offsets(&offsets_in)).run(device, &input, &mut positions);
        assert_eq!(result, Ok(()), "{what}");
        expect_same(&positions.check_guards(), &expected, PartialEq::eq, &format!("positions of {what}"));
        expect_keys(&input.check_guards(), keys, &format!("the input of {what}"));
    }
}

/// Lengths around those that lanes, warps, blocks and passes sort.
fn segments_of_each_length(place: &Place) {
    let lengths =
        [1, 2, 7, 8, 9, 16, 17, 33, 64, 65, 255, 256, 257, 1023, 1025, 4097, 5119, 5120, 5121, 16_384, 16_385];
    for length in lengths {
        if (reduced() || !place.is_cuda()) && length > 1025 && length != 5121 {
            continue;
        }
        let number = (3000 / length).max(2);
        let offsets = offsets_of(vec![length; number]);
        check_segments::<u32, u32>(place, &keys(Kind::Zipf, length * number), &offsets, &format!("of {length}"));
    }
}

fn segments_of_each_type(place: &Place) {
    fn of<K: SortKey, V: Sample>(place: &Place) {
        let offsets = offsets_of([3, 40, 0, 200, 300, 1200, 1, 17_000, 2, 0]);
        check_segments::<K, V>(place, &keys(Kind::Special, offsets[offsets.len() - 1]), &offsets, "special");
    }
    of::<u8, u16>(place);
    of::<i16, u8>(place);
    of::<f16, u64>(place);
    of::<f32, f32>(place);
    of::<f64, u64>(place);
    of::<i128, u8>(place);
    of::<u64, (u8, u8, u8)>(place);
    of::<u16, [u64; 3]>(place);
}

fn segments_of_equal_keys(place: &Place) {
    for kind in [Kind::AllEqual, Kind::TwoValues, Kind::LowDigit, Kind::Sorted, Kind::Reversed] {
        let offsets = offsets_of([5, 100, 256, 700, 5120, 17_000]);
        check_segments::<u32, u32>(place, &keys(kind, offsets[offsets.len() - 1]), &offsets, &format!("{kind:?}"));
    }
}

/// Lengths from 0 to many tiles, in one call.
fn segments_of_mixed_lengths(place: &Place) {
    let mut rng = Rng::new(7);
    for _ in 0..if reduced() || !place.is_cuda() { 1 } else { 2 } {
        // Half of the lengths are below 16, a quarter between 16 and 256, and so on.
        let mut length = || {
            let mut bits = 4;
            while bits < 15 && rng.next() & 1 == 1 {
                bits += 2;
            }
            (rng.next() % (1 << bits)) as usize
        };
        let offsets = offsets_of((0..1500).map(|_| length()));
        check_segments::<u32, u32>(place, &keys(Kind::Random, offsets[offsets.len() - 1]), &offsets, "mixed");
    }
}

fn segments_of_long_ones(place: &Place) {
    let lengths = if reduced() || !place.is_cuda() { vec![20_001, 3] } else { vec![40_001, 0, 16_385, 3, 90_007] };
    let offsets = offsets_of(lengths);
    check_segments::<u32, u32>(place, &keys(Kind::Random, offsets[offsets.len() - 1]), &offsets, "long");
    check_segments::<u8, u8>(place, &keys(Kind::Random, offsets[offsets.len() - 1]), &offsets, "long");
}

fn segments_of_nothing(place: &Place) {
    for offsets in [vec![0], vec![0, 0, 0]] {
        check_segments::<u32, u32>(place, &[], &offsets, "of nothing");
    }
}

fn segments_by_each_offset(place: &Place) {
    let x = keys::<u32>(Kind::Random, 1000);
    let expected: Vec<u32> = order_of_parts(&x, &[0, 300, 1000], false).into_iter().map(|i| x[i]).collect();
    let input = place.upload(&x, 0);
    macro_rules! by {
        ($($t:ty)*) => { $({
            let offsets = place.upload(&[0 as $t, 300, 1000], 0);
            let mut output = place.poisoned::<u32>(1000, 0);
            let sort = Sort::new().segments(Segments::Offsets(&offsets));
            assert_eq!(sort.run(&place.device, &input, &mut output), Ok(()));
            expect_keys(&output.check_guards(), &expected, stringify!($t));
        })* };
    }
    by! { u32 i32 u64 i64 usize }
}

/// Wrong offsets: nothing is written, and the error has the wrong offset.
fn segments_wrong(place: &Place) {
    let (none, mut out) = (place.upload::<u64>(&[], 0), place.poisoned::<u32>(0, 0));
    let result = Sort::new().segments(Segments::Offsets(&none)).run_in_place(&place.device, &mut out);
    assert_eq!(result, Err(Error::TooFew { what: "offsets", found: 0, least: 1 }));
    let x = keys::<u32>(Kind::Random, 1000);
    for (offsets, wrong) in [
        ([0i64, 700, 600, 1000], 2),
        ([1, 2, 3, 1000], 0),
        ([0, 1, 2, 999], 3),
        ([0, -1, 2, 1000], 1),
        ([0, 5, 2000, 1000], 3),
    ] {
        let (input, offsets_in) = (place.upload(&x, 0), place.upload(&offsets, 0));
        let mut output = place.poisoned::<u32>(1000, 0);
        let result = Sort::new().segments(Segments::Offsets(&offsets_in)).run(&place.device, &input, &mut output);
        let result = result.and_then(|()| place.device.synchronize());
        assert!(matches!(result, Err(Error::Offsets { index, .. }) if index == wrong), "{offsets:?}: {result:?}");
        assert_eq!(output.check_guards(), vec![0xABAB_ABAB; 1000], "{offsets:?}");
    }
}

/// Sorts keys, pairs and positions along an axis.
#[track_caller]
pub(crate) fn check_lines<K: SortKey, V: Sample>(place: &Place, keys: &[K], shape: &[usize], axis: usize) {
    let what = format!("{} along axis {axis} of {shape:?}", std::any::type_name::<(K, V)>());
    let len = keys.len();
    let (axis_len, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let values = random_values::<V>(len);
    let (mut expected, mut expected_values, mut expected_positions) = (keys.to_vec(), values.clone(), vec![0u64; len]);
    for line in 0..len.checked_div(axis_len).unwrap_or(0) {
        let at = |k: usize| (line / inner * axis_len + k) * inner + line % inner;
        let own: Vec<K> = (0..axis_len).map(|k| keys[at(k)]).collect();
        for (k, from) in order(&own, true).into_iter().enumerate() {
            expected[at(k)] = own[from];
            expected_values[at(k)] = values[at(from)];
            expected_positions[at(k)] = from as u64;
        }
    }
    let device = &place.device;
    let (input, values_in) = (place.upload(keys, 1), place.upload(&values, 0));
    let mut output = place.poisoned::<K>(len, 3);
    let sort = Sort::new().descending();
    assert_eq!(sort.axis(shape, axis).run(device, &input, &mut output), Ok(()), "{what}");
    expect_keys(&output.check_guards(), &expected, &what);
    let mut values_out = place.poisoned::<V>(len, 0);
    let pairs = Sort::pairs().descending().axis(shape, axis);
    assert_eq!(pairs.run(device, (&input, &values_in), (&mut output, &mut values_out)), Ok(()), "{what}");
    expect_keys(&output.check_guards(), &expected, &format!("keys of pairs, {what}"));
    expect_same(&values_out.check_guards(), &expected_values, V::same, &format!("values, {what}"));
    let mut positions = place.poisoned::<u64>(len, 0);
    assert_eq!(sort.indices().axis(shape, axis).run(device, &input, &mut positions), Ok(()), "{what}");
    expect_same(&positions.check_guards(), &expected_positions, PartialEq::eq, &format!("positions, {what}"));
    let mut data = place.upload(keys, 0);
    assert_eq!(sort.axis(shape, axis).run_in_place(device, &mut data), Ok(()), "{what}");
    expect_keys(&data.check_guards(), &expected, &format!("{what}, in place"));
}

fn lines_of_each_length(place: &Place) {
    for (rows, length) in
        [(1, 700), (40, 1), (100, 31), (35, 33), (10, 256), (21, 257), (9, 700), (2, 6000), (2, 17_000)]
    {
        check_lines::<u32, u32>(place, &keys(Kind::Zipf, rows * length), &[rows, length], 1);
        check_lines::<u32, u32>(place, &keys(Kind::Zipf, rows * length), &[length, rows], 0);
    }
}

fn lines_along_each_axis(place: &Place) {
    for axis in 0..4 {
        let shape = [3, 50, 1, 37];
        check_lines::<f32, u16>(place, &keys(Kind::Special, 5550), &shape, axis);
        check_lines::<i64, [u32; 5]>(place, &keys(Kind::Random, 5550), &shape, axis);
        check_lines::<u8, u8>(place, &keys(Kind::Random, 5550), &shape, axis);
    }
    check_lines::<u32, u32>(place, &[], &[4, 0, 3], 1);
    check_lines::<u32, u32>(place, &[], &[0, 4], 1);
}

fn lines_wrong(place: &Place) {
    let (x, mut out) = (place.upload(&[1u32; 12], 0), place.poisoned::<u32>(12, 0));
    let run = |shape: &[usize], axis, out: &mut _| Sort::new().axis(shape, axis).run(&place.device, &x, out);
    assert_eq!(run(&[3, 4], 2, &mut out), Err(Error::Axis { axis: 2, axes: 2 }));
    assert_eq!(run(&[3, 5], 1, &mut out), Err(Error::Shape { shape: vec![3, 5], len: 12 }));
}
