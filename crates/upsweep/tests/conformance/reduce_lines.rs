//! Reduce along axes and by segments.

use upsweep::operator::builtin::Sum;
use upsweep::segments::{Offset, Segmentation};
use upsweep::{Operator, Reduce, Segments};
use upsweep_testing::check::{Case, Cuts, Reach, Start};
use upsweep_testing::cuts;
use upsweep_testing::operators::*;
use upsweep_testing::oracle::{Cut, Rule};
use upsweep_testing::place::Place;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(
    reduce_axis_sum,
    reduce_axis_not_commutative,
    reduce_axis_no_identity,
    reduce_axis_element_sizes,
    reduce_axis_invented_elements,
    reduce_axis_init_and_empty_lines,
    reduce_head_flags,
    reduce_keys,
    reduce_offsets,
    reduce_empty_segments,
    reduce_segments_element_sizes,
    reduce_segments_invented_elements,
    reduce_segments_no_identity,
    reduce_segments_init_in_each,
    reduce_key_types,
    reduce_offset_types,
    reduce_counted_segments,
);

fn axes() -> impl Iterator<Item = (Vec<usize>, usize)> {
    sizes::shapes().into_iter().flat_map(|shape| (0..shape.len()).map(move |axis| (shape.clone(), axis)))
}

fn lengths() -> Vec<usize> {
    let large = sizes::large(4).into_iter().filter(|n| !(50_000..900_000).contains(n));
    sizes::few().into_iter().chain(large.step_by(4)).collect()
}

fn every_axis<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, rule: &Rule<T, T, T>) {
    for (shape, axis) in axes() {
        let x = random_values::<T>(shape.iter().product());
        let empty_lines = shape[axis] == 0 && x.is_empty();
        if rule.identity.is_some() || !empty_lines {
            let case = Case::new().cut(Cut::Axis(shape, axis)).offsets(axis, axis + 1);
            Cuts.reduce(place, Reduce::new(operator), rule, &x, &case);
        }
    }
}

fn reduce_axis_sum(place: &Place) {
    every_axis(place, Sum, &Rule::new(u32::wrapping_add, Some(0)));
}

fn reduce_axis_not_commutative(place: &Place) {
    every_axis(place, Then, &Rule::new(then, Some(Affine { m: 1, c: 0 })));
}

fn reduce_axis_no_identity(place: &Place) {
    every_axis(place, Concat, &Rule::new(concat, None));
}

fn reduce_axis_element_sizes(place: &Place) {
    every_axis(place, Sum, &Rule::new(u8::wrapping_add, Some(0)));
    every_axis(place, TriangleProduct, &Rule::new(triangle_product, Some(Triangle { a: 1, b: 0, c: 1 })));
    every_axis(place, Summarise, &Rule::new(summarise, None));
    every_axis(place, WideProduct, &Rule::new(wide_product, Some(Wide { a: 1, b: 0, c: 0, d: 1 })));
}

fn reduce_axis_invented_elements(place: &Place) {
    for (shape, axis) in axes().filter(|(shape, _)| !shape.contains(&0)) {
        let inner: usize = shape[axis + 1..].iter().product();
        let along = |i: usize| (i / inner % shape[axis]) as u32;
        let stretch = |i| Span { from: along(i), to: along(i) + 1 };
        let x: Vec<Span> = (0..shape.iter().product()).map(stretch).collect();
        Cuts.reduce(
            place,
            Reduce::new(Join),
            &Rule::new(join, None),
            &x,
            &Case::new().cut(Cut::Axis(shape.clone(), axis)),
        );
    }
}

/// An empty line yields the initial value; there may be many of them, and there may be no lines at all.
fn reduce_axis_init_and_empty_lines(place: &Place) {
    let init = Text { len: 1, power: 3, hash: 4 };
    for (shape, axis) in axes() {
        let x = random_values::<Text>(shape.iter().product());
        for start in [Start::Value(init), Start::Buffer(init)] {
            let case = Case::new().cut(Cut::Axis(shape.clone(), axis)).start(start);
            Cuts.reduce(place, Reduce::new(Concat), &Rule::new(concat, None), &x, &case);
        }
    }
    for shape in [[0, 5000], [5000, 0]] {
        for axis in [0, 1] {
            let case = Case::new().cut(Cut::Axis(shape.to_vec(), axis));
            Cuts.reduce(place, Reduce::new(Then), &Rule::new(then, Some(Affine { m: 1, c: 0 })), &[], &case);
        }
    }
}

fn check<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, rule: &Rule<T, T, T>, len: usize, cut: Cut) {
    let case = Case::new().cut(cut).offsets(len % 3, len % 2);
    Cuts.reduce(place, Reduce::new(operator), rule, &random_values::<T>(len), &case);
}

fn check_affine(place: &Place, len: usize, cut: Cut) {
    check(place, Then, &Rule::new(then, Some(Affine { m: 1, c: 0 })), len, cut);
}

fn reduce_head_flags(place: &Place) {
    for len in lengths() {
        for mean in [2, 50, 5000] {
            check_affine(place, len, cuts::head_flags(len, mean));
        }
        check_affine(place, len, Cut::HeadFlags(vec![false; len]));
        check_affine(place, len, Cut::HeadFlags(vec![true; len]));
        check_affine(place, len, Cut::HeadFlags((0..len).map(|i| i + 1 == len).collect()));
    }
}

fn reduce_keys(place: &Place) {
    for len in lengths() {
        for mean in [1, 30, 3000] {
            check_affine(place, len, cuts::keys(len, mean));
        }
    }
}

fn reduce_offsets(place: &Place) {
    for len in lengths() {
        for segments in [0, 3, len / 100, len / 3] {
            check_affine(place, len, Cut::Offsets(cuts::offsets(len, segments)));
        }
    }
}

fn reduce_empty_segments(place: &Place) {
    check_affine(place, 0, Cut::Offsets(vec![0]));
    check_affine(place, 0, Cut::Offsets(vec![0; 1000]));
    check_affine(place, 0, Cut::Offsets(vec![0; 100_000]));
    for len in [1u64, 2, 33, 1025, 9000] {
        let n = len as usize;
        check_affine(place, n, Cut::Offsets([vec![0; 20_000], vec![len]].concat()));
        check_affine(place, n, Cut::Offsets([vec![0], vec![len; 20_000]].concat()));
        check_affine(place, n, Cut::Offsets([vec![0], vec![len / 2; 20_000], vec![len]].concat()));
        check_affine(place, n, Cut::Offsets((0..=len).flat_map(|i| [i, i]).collect()));
        check_affine(place, n, Cut::Offsets((0..=len).collect()));
    }
}

fn reduce_segments_element_sizes(place: &Place) {
    for len in [1, 257, 1025, 40_000] {
        for cut in [cuts::head_flags(len, 30), cuts::keys(len, 300), Cut::Offsets(cuts::offsets(len, len / 60))] {
            check(place, Sum, &Rule::new(u8::wrapping_add, Some(0)), len, cut.clone());
            check(place, Sum, &Rule::new(i16::wrapping_add, Some(0)), len, cut.clone());
            let identity = Triangle { a: 1, b: 0, c: 1 };
            check(place, TriangleProduct, &Rule::new(triangle_product, Some(identity)), len, cut.clone());
            let identity = Wide { a: 1, b: 0, c: 0, d: 1 };
            check(place, WideProduct, &Rule::new(wide_product, Some(identity)), len, cut);
        }
    }
}

fn reduce_segments_invented_elements(place: &Place) {
    for len in lengths() {
        for cut in [cuts::head_flags(len, 600), cuts::keys(len, 40)] {
            let mut x = vec![Span { from: 0, to: 0 }; len];
            for line in cut.lines(len) {
                for k in 0..line.len {
                    x[line.at(k)] = Span { from: k as u32, to: k as u32 + 1 };
                }
            }
            Cuts.reduce(place, Reduce::new(Join), &Rule::new(join, None), &x, &Case::new().cut(cut));
        }
    }
}

/// Segments by flags and keys are never empty, so no identity is needed; by offsets an initial value replaces it.
fn reduce_segments_no_identity(place: &Place) {
    for len in sizes::few() {
        check(place, Concat, &Rule::new(concat, None), len, cuts::head_flags(len, 9));
        check(place, Concat, &Rule::new(concat, None), len, cuts::keys(len, 9));
    }
}

fn reduce_segments_init_in_each(place: &Place) {
    let init = Text { len: 3, power: 27, hash: 99 };
    for len in [sizes::few(), vec![100_000]].concat() {
        let x = random_values::<Text>(len);
        for cut in [cuts::head_flags(len, 9), cuts::keys(len, 4), Cut::Offsets(cuts::offsets(len, len / 5))] {
            for start in [Start::Value(init), Start::Buffer(init)] {
                let case = Case::new().cut(cut.clone()).start(start);
                Cuts.reduce(place, Reduce::new(Concat), &Rule::new(concat, None), &x, &case);
            }
        }
    }
}

/// Sums `len` elements by `segments` and compares with the lines of `cut`.
fn by<S: Segmentation>(place: &Place, len: usize, cut: &Cut, segments: S) {
    let x = random_values::<u32>(len);
    let sum = |line: &upsweep_testing::oracle::Line| (0..line.len).fold(0u32, |sum, k| sum.wrapping_add(x[line.at(k)]));
    let expected: Vec<u32> = cut.lines(len).iter().map(sum).collect();
    let (mut output, mut count) = (place.poisoned(expected.len(), 1), place.poisoned(1, 0));
    let reduce = Reduce::new(Sum).segments(segments);
    reduce.run_counted(&place.device, &place.upload(&x, 3), &mut output, &mut count).unwrap();
    assert_eq!(output.check_guards(), expected, "{cut:?}");
    assert_eq!(count.check_guards(), [expected.len() as u64], "{cut:?}");
}

fn reduce_key_types(place: &Place) {
    fn of<K: Sample + PartialEq>(place: &Place, key: impl Fn(usize) -> K) {
        for len in sizes::few() {
            let keys: Vec<K> = (0..len).map(&key).collect();
            let flags = Cut::HeadFlags((0..len).map(|i| i == 0 || keys[i] != keys[i - 1]).collect());
            by(place, len, &flags, Segments::Keys(&place.upload(&keys, 2)));
        }
    }
    of(place, |i| (i / 7) as u8);
    of(place, |i| (i as i32 / 50, (i / 8 % 2) as u8));
    of(place, |i| [f32::NAN, f32::NAN, 1.0, 1.0, -0.0, 0.0][i / 2 % 6]);
    for len in sizes::few() {
        let keys: Vec<u32> = (0..len as u32).map(|i| i * 3).collect();
        let flags = Cut::HeadFlags((0..len).map(|i| i == 0 || keys[i] / 10 != keys[i - 1] / 10).collect());
        by(place, len, &flags, Segments::KeysBy(&place.upload(&keys, 0), SameUnit { unit: 10 }));
    }
}

fn reduce_offset_types(place: &Place) {
    fn of<T: Offset + Sample>(place: &Place, from: impl Fn(u64) -> T) {
        for len in sizes::few() {
            let offsets = cuts::offsets(len, len / 20);
            let typed: Vec<T> = offsets.iter().map(|&i| from(i)).collect();
            by(place, len, &Cut::Offsets(offsets), Segments::Offsets(&place.upload(&typed, 1)));
        }
    }
    of(place, |i| i as u32);
    of(place, |i| i);
    of(place, |i| i as usize);
    of(place, |i| i as i32);
    of(place, |i| i as i64);
}

/// The count is the number of segments, whatever the room of the output; the rest of the output is unchanged.
fn reduce_counted_segments(place: &Place) {
    for len in lengths() {
        let Cut::HeadFlags(flags) = cuts::head_flags(len, 11) else { unreachable!() };
        let expected = Cut::HeadFlags(flags.clone()).lines(len).len();
        let mut output = place.poisoned::<u32>(len, 0);
        let mut count = place.poisoned::<u64>(2, 0);
        let flags = place.upload(&flags, 0);
        let reduce = Reduce::new(Sum).segments(Segments::HeadFlags(&flags));
        let ones = place.upload(&vec![1u32; len], 0);
        reduce.run_counted(&place.device, &ones, &mut output, &mut count).unwrap();
        assert_eq!(count.check_guards(), [expected as u64, u64::poison()], "{len} elements");
        let found = output.check_guards();
        assert_eq!(found[..expected].iter().sum::<u32>(), len as u32);
        assert!(found[expected..].iter().all(|&x| x == u32::poison()));
    }
    // An array and an axis are counted too.
    let (mut output, mut count) = (place.poisoned::<u32>(3, 0), place.poisoned::<u64>(1, 0));
    let x = place.upload(&[1u32, 2, 3, 4, 5, 6], 0);
    Reduce::new(Sum).axis(&[3, 2], 1).run_counted(&place.device, &x, &mut output, &mut count).unwrap();
    assert_eq!((output.check_guards(), count.check_guards()), (vec![3, 7, 11], vec![3]));
}
