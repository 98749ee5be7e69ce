//! Scan by segments: head flags, keys with several equalities, offsets of every type, and difficult segments: empty
//! ones, one for everything, one for each element, edges on tile edges.

use upsweep::operator::builtin::Sum;
use upsweep::segments::{Offset, Segmentation};
use upsweep::{Operator, Scan, Segments};
use upsweep_testing::check::{Case, Cuts, Reach, Start};
use upsweep_testing::cuts;
use upsweep_testing::operators::*;
use upsweep_testing::oracle::{self, Cut, Line, Rule};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(
    scan_head_flags_lengths,
    scan_head_flags_extremes,
    scan_keys_lengths,
    scan_keys_types,
    scan_keys_by_custom_equality,
    scan_keys_nan,
    scan_offsets_lengths,
    scan_offsets_empty_segments,
    scan_offsets_types,
    scan_segments_element_sizes,
    scan_segments_invented_elements,
    scan_segments_tile_edges,
    scan_segments_init_in_each,
);

/// Lengths for segments: a reduced `large`, since each comes with several cuts.
fn lengths() -> Vec<usize> {
    let large = sizes::large(4).into_iter().filter(|n| !(50_000..900_000).contains(n));
    sizes::few().into_iter().chain(large.step_by(4)).collect()
}

fn check<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, rule: &Rule<T, T, T>, len: usize, cut: &Cut) {
    let x = random_values::<T>(len);
    for case in Case::new().cut(cut.clone()).offsets(len % 3, len % 2).directions(rule.identity.is_some()) {
        Cuts.scan(place, Scan::new(operator), rule, &x, &case);
    }
}

fn check_affine(place: &Place, len: usize, cut: &Cut) {
    check(place, Then, &Rule::new(then, Some(Affine { m: 1, c: 0 })), len, cut);
}

fn scan_head_flags_lengths(place: &Place) {
    for len in lengths() {
        for mean in [2, 50, 5000] {
            check_affine(place, len, &cuts::head_flags(len, mean));
        }
    }
}

fn scan_head_flags_extremes(place: &Place) {
    for len in sizes::few() {
        check_affine(place, len, &Cut::HeadFlags(vec![false; len]));
        check_affine(place, len, &Cut::HeadFlags(vec![true; len]));
        let last: Vec<bool> = (0..len).map(|i| i + 1 == len).collect();
        check_affine(place, len, &Cut::HeadFlags(last));
    }
}

fn scan_keys_lengths(place: &Place) {
    for len in lengths() {
        for mean in [1, 30, 3000] {
            check_affine(place, len, &cuts::keys(len, mean));
        }
    }
}

fn scan_offsets_lengths(place: &Place) {
    for len in lengths() {
        for segments in [0, 3, len / 100, len / 3] {
            check_affine(place, len, &Cut::Offsets(cuts::offsets(len, segments)));
        }
    }
}

fn scan_offsets_empty_segments(place: &Place) {
    check_affine(place, 0, &Cut::Offsets(vec![0]));
    check_affine(place, 0, &Cut::Offsets(vec![0; 1000]));
    for len in [1u64, 2, 33, 1025, 9000] {
        let n = len as usize;
        // Empty ones only: at the start, at the end, in the middle; more of them than a tile has elements.
        check_affine(place, n, &Cut::Offsets([vec![0; 20_000], vec![len]].concat()));
        check_affine(place, n, &Cut::Offsets([vec![0], vec![len; 20_000]].concat()));
        check_affine(place, n, &Cut::Offsets([vec![0], vec![len / 2; 20_000], vec![len]].concat()));
        // Every element its own segment, with an empty one after each.
        check_affine(place, n, &Cut::Offsets((0..=len).flat_map(|i| [i, i]).collect()));
        check_affine(place, n, &Cut::Offsets((0..=len).collect()));
    }
}

/// Scans `x` by `segments` in every direction and compares with the given lines.
fn by<S: Segmentation>(place: &Place, len: usize, lines: &[Line], segments: impl Fn() -> S) {
    let x = random_values::<u32>(len);
    let input = place.upload(&x, 1);
    let rule = Rule::new(u32::wrapping_add, Some(0));
    for (exclusive, reverse) in [(false, false), (false, true), (true, false), (true, true)] {
        let scan = Scan::new(Sum).segments(segments());
        let scan = if exclusive { scan.exclusive() } else { scan };
        let scan = if reverse { scan.reverse() } else { scan };
        let mut output = place.poisoned(len, 0);
        scan.run(&place.device, &input, &mut output).unwrap();
        let expected = oracle::scan(&x, lines, &rule, None, exclusive, reverse);
        assert_eq!(output.check_guards(), expected, "exclusive {exclusive}, reverse {reverse}, {len} elements");
    }
}

fn by_key<K: Sample + PartialEq>(place: &Place, key: impl Fn(usize) -> K) {
    for len in sizes::few() {
        let keys: Vec<K> = (0..len).map(&key).collect();
        let lines = oracle::runs(len, |i| keys[i] != keys[i - 1]);
        let buffer = place.upload(&keys, 2);
        by(place, len, &lines, || Segments::Keys(&buffer));
    }
}

fn scan_keys_types(place: &Place) {
    by_key(place, |i| (i / 7) as u8);
    by_key(place, |i| i % 5 < 3);
    by_key(place, |i| -((i / 100) as i64));
    by_key(place, |i| u128::MAX - (i / 3) as u128);
    by_key(place, |i| (i as i32 / 50, (i / 8 % 2) as u8));
    by_key(place, |i| Affine { m: (i / 9) as u32, c: (i / 12) as u32 });
}

fn scan_keys_by_custom_equality(place: &Place) {
    for len in sizes::few() {
        let keys: Vec<u32> = (0..len as u32).map(|i| i * 3).collect();
        let lines = oracle::runs(len, |i| keys[i] / 10 != keys[i - 1] / 10);
        let buffer = place.upload(&keys, 0);
        by(place, len, &lines, || Segments::KeysBy(&buffer, SameUnit { unit: 10 }));

        let mut rng = Rng::new(len as u64);
        let mut height = 0;
        let keys: Vec<i32> = (0..len).map(|_| (height += [-1, 0, 1, 1, 5][rng.below(5)], height).1).collect();
        let lines = oracle::runs(len, |i| keys[i].abs_diff(keys[i - 1]) > 1);
        let buffer = place.upload(&keys, 0);
        by(place, len, &lines, || Segments::KeysBy(&buffer, Close));
    }
}

/// Keys that are NaN differ from themselves; -0 equals 0.
fn scan_keys_nan(place: &Place) {
    by_key(place, |i| [f32::NAN, f32::NAN, 1.0, 1.0, 1.0, -0.0, 0.0, 0.0][i / 2 % 8]);
}

fn scan_offsets_types(place: &Place) {
    fn of<T: Offset + Sample>(place: &Place, from: impl Fn(u64) -> T) {
        for len in sizes::few() {
            let offsets = cuts::offsets(len, len / 20);
            let lines = Cut::Offsets(offsets.clone()).lines(len);
            let offsets: Vec<T> = offsets.into_iter().map(&from).collect();
            let buffer = place.upload(&offsets, 1);
            by(place, len, &lines, || Segments::Offsets(&buffer));
        }
    }
    of(place, |i| i as u32);
    of(place, |i| i);
    of(place, |i| i as usize);
    of(place, |i| i as i32);
    of(place, |i| i as i64);
}

fn scan_segments_element_sizes(place: &Place) {
    for len in [1, 257, 1025, 40_000] {
        for cut in [cuts::head_flags(len, 30), cuts::keys(len, 300), Cut::Offsets(cuts::offsets(len, len / 60))] {
            check(place, Sum, &Rule::new(u8::wrapping_add, Some(0)), len, &cut);
            check(place, TriangleProduct, &Rule::new(triangle_product, Some(Triangle { a: 1, b: 0, c: 1 })), len, &cut);
            check(place, ThenSteps, &Rule::new(then_steps, Some(Steps { m: 1, c: 0, count: 0 })), len, &cut);
            check(place, WideProduct, &Rule::new(wide_product, Some(Wide { a: 1, b: 0, c: 0, d: 1 })), len, &cut);
        }
    }
}

/// Stretches of positions that join only within their own segment, and only in order.
fn scan_segments_invented_elements(place: &Place) {
    for len in lengths() {
        for cut in [cuts::head_flags(len, 600), cuts::keys(len, 40), Cut::Offsets(cuts::offsets(len, len / 90))] {
            for reverse in [false, true] {
                let x = in_order(&cut.lines(len), len, reverse);
                let case = Case::new().cut(cut.clone()).reverse(reverse);
                Cuts.scan_both(place, Scan::new(Join), &Rule::new(join, None), &x, &case);
            }
        }
    }
}

/// Expected results: one stretch for each element, counted from 0 in each line.
fn in_order(lines: &[Line], len: usize, reverse: bool) -> Vec<Span> {
    let mut x = vec![Span { from: 0, to: 0 }; len];
    for line in lines {
        for k in 0..line.len {
            let i = if reverse { line.len - 1 - k } else { k } as u32;
            x[line.at(k)] = Span { from: i, to: i + 1 };
        }
    }
    x
}

/// A segment that ends one element before, at, and one after each multiple of a power of two.
fn scan_segments_tile_edges(place: &Place) {
    for edge in [32u64, 128, 512, 1024, 4096, 8192] {
        for shift in [-1, 0, 1] {
            let len = 4 * edge + 40;
            let middle = (1..=4).map(|k| (k * edge).wrapping_add_signed(shift));
            let offsets: Vec<u64> = std::iter::once(0).chain(middle).chain([len]).collect();
            let mut flags = vec![false; len as usize];
            offsets[..5].iter().for_each(|&i| flags[i as usize] = true);
            check_affine(place, len as usize, &Cut::Offsets(offsets));
            check_affine(place, len as usize, &Cut::HeadFlags(flags));
        }
    }
}

fn scan_segments_init_in_each(place: &Place) {
    let rule = Rule::new(concat, None);
    let init = Text { len: 3, power: 27, hash: 99 };
    for len in sizes::few() {
        let x = random_values::<Text>(len);
        for cut in [cuts::head_flags(len, 9), cuts::keys(len, 4), Cut::Offsets(cuts::offsets(len, len / 5))] {
            for start in [Start::Value(init), Start::Buffer(init)] {
                for case in Case::new().cut(cut.clone()).start(start).directions(false) {
                    Cuts.scan_both(place, Scan::new(Concat), &rule, &x, &case);
                }
            }
        }
    }
}
