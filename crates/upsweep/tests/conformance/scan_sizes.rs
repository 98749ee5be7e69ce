//! Scan: every length around the edges of vectors, warps, blocks, tiles and groups of tiles, for elements of each
//! size. Except for sums the operators do not commute, so an element out of order shows too.

use upsweep::operator::builtin::{Max, Min, Sum};
use upsweep::{Operator, Scan};
use upsweep_testing::check::{Case, Lines, Reach, Start};
use upsweep_testing::operators::*;
use upsweep_testing::oracle::{Cut, Rule};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(
    scan_tile_edges_1_byte,
    scan_tile_edges_2_bytes,
    scan_tile_edges_3_bytes,
    scan_tile_edges_4_bytes,
    scan_tile_edges_8_bytes,
    scan_tile_edges_8_byte_struct,
    scan_tile_edges_12_bytes,
    scan_tile_edges_16_bytes,
    scan_tile_edges_24_bytes,
    scan_tile_edges_40_bytes,
    scan_tile_edges_64_bytes,
    scan_past_caches,
    scan_invented_elements,
    scan_extremes_of_small_integers,
);

/// Running extremes that change along the whole array: random values would soon reach the type's own extremes.
fn scan_extremes_of_small_integers(place: &Place) {
    fn ramps<T: Sample>(place: &Place, most: usize, value: impl Fn(i32) -> T, max: fn(T, T) -> T, min: fn(T, T) -> T)
    where
        Max: Operator<T>,
        Min: Operator<T>,
    {
        let highest = value(most as i32 / 2 - 1);
        let lowest = value(-(most as i32) / 2);
        for len in [1000, 12_288 / size_of::<T>(), 5003, 12_345, 61_440, 100_003] {
            for rising in [true, false] {
                let mut rng = Rng::new(len as u64);
                let at = |i: usize| if rising { i } else { len - 1 - i };
                let noise = most / 16;
                let x: Vec<T> = (0..len)
                    .map(|i| value((at(i) * (most - noise) / len + rng.below(noise)) as i32 - most as i32 / 2))
                    .collect();
                for start in [Start::Nothing, Start::Value(value(3)), Start::Value(highest), Start::Value(lowest)] {
                    for case in Case::new().start(start).directions(true) {
                        Lines.scan(place, Scan::new(Max), &Rule::new(max, Some(lowest)), &x, &case);
                        Lines.scan_in_place(place, Scan::new(Min), &Rule::new(min, Some(highest)), &x, &case);
                    }
                }
            }
        }
    }
    ramps::<i8>(place, 256, |x| x as i8, i8::max, i8::min);
    ramps::<u8>(place, 256, |x| (x + 128) as u8, u8::max, u8::min);
    ramps::<i16>(place, 65_536, |x| x as i16, i16::max, i16::min);
    ramps::<u16>(place, 65_536, |x| (x + 32_768) as u16, u16::max, u16::min);
}

fn scan_tile_edges_1_byte(place: &Place) {
    edges(place, Sum, &Rule::new(u8::wrapping_add, Some(0)));
}

fn scan_tile_edges_2_bytes(place: &Place) {
    edges(place, Sum, &Rule::new(i16::wrapping_add, Some(0)));
}

fn scan_tile_edges_3_bytes(place: &Place) {
    edges(place, TriangleProduct, &Rule::new(triangle_product, Some(Triangle { a: 1, b: 0, c: 1 })));
}

fn scan_tile_edges_4_bytes(place: &Place) {
    edges(place, Sum, &Rule::new(u32::wrapping_add, Some(0)));
}

fn scan_tile_edges_8_bytes(place: &Place) {
    edges(place, Sum, &Rule::new(i64::wrapping_add, Some(0)));
}

fn scan_tile_edges_8_byte_struct(place: &Place) {
    edges(place, Then, &Rule::new(then, Some(Affine { m: 1, c: 0 })));
}

fn scan_tile_edges_12_bytes(place: &Place) {
    edges(place, Concat, &Rule::new(concat, None));
}

fn scan_tile_edges_16_bytes(place: &Place) {
    edges(place, MatrixProduct, &Rule::new(matrix_product, Some(Matrix { a: 1, b: 0, c: 0, d: 1 })));
}

fn scan_tile_edges_24_bytes(place: &Place) {
    edges(place, ThenSteps, &Rule::new(then_steps, Some(Steps { m: 1, c: 0, count: 0 })));
}

fn scan_tile_edges_40_bytes(place: &Place) {
    edges(place, Summarise, &Rule::new(summarise, None));
}

fn scan_tile_edges_64_bytes(place: &Place) {
    edges(place, WideProduct, &Rule::new(wide_product, Some(Wide { a: 1, b: 0, c: 0, d: 1 })));
}

fn edges<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, rule: &Rule<T, T, T>) {
    for len in sizes::small() {
        let x = random_values::<T>(len);
        for case in Case::new().directions(rule.identity.is_some()) {
            Lines.scan_both(place, Scan::new(operator), rule, &x, &case);
        }
    }
    // Longer arrays take turns with the directions, so that each length has one and each direction many.
    let long = [sizes::large(size_of::<T>()), sizes::groups(size_of::<T>())].concat();
    for (turn, len) in long.into_iter().enumerate() {
        let x = random_values::<T>(len);
        let cases = Case::new().directions(rule.identity.is_some());
        Lines.scan(place, Scan::new(operator), rule, &x, &cases[turn % cases.len()]);
        Lines.scan_in_place(place, Scan::new(operator), rule, &x, &cases[(turn / 4 + 1) % cases.len()]);
    }
}

/// Outputs larger than the caches, that begin and end anywhere.
fn scan_past_caches(place: &Place) {
    fn check<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, rule: &Rule<T, T, T>) {
        for len in sizes::past_caches(size_of::<T>()) {
            let x = random_values::<T>(len);
            for (k, case) in Case::new().directions(rule.identity.is_some()).into_iter().enumerate().step_by(3) {
                Lines.scan(place, Scan::new(operator), rule, &x, &case.offsets(k + 1, 2 * k + 1));
            }
        }
    }
    check(place, Sum, &Rule::new(u8::wrapping_add, Some(0)));
    check(place, Sum, &Rule::new(u32::wrapping_add, Some(0)));
    check(place, TriangleProduct, &Rule::new(triangle_product, Some(Triangle { a: 1, b: 0, c: 1 })));
    check(place, Then, &Rule::new(then, Some(Affine { m: 1, c: 0 })));
    check(place, ThenSteps, &Rule::new(then_steps, Some(Steps { m: 1, c: 0, count: 0 })));
    check(place, WideProduct, &Rule::new(wide_product, Some(Wide { a: 1, b: 0, c: 0, d: 1 })));
}

/// Stretches of positions that [`Join`] can join only in order, each once, and with nothing between.
fn scan_invented_elements(place: &Place) {
    let rule = Rule::new(join, None);
    for len in [sizes::small(), sizes::large(8), sizes::groups(8)].concat() {
        for reverse in [false, true] {
            let stretch = |i: usize| {
                let i = if reverse { len - 1 - i } else { i } as u32;
                Span { from: i, to: i + 1 }
            };
            let x: Vec<Span> = (0..len).map(stretch).collect();
            let case = Case::new().reverse(reverse).cut(Cut::Whole);
            Lines.scan_both(place, Scan::new(Join), &rule, &x, &case);
        }
    }
}
