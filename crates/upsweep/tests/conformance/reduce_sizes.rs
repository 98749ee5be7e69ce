//! Reduce of whole arrays: every length around the edges, for elements of each size.

use upsweep::operator::builtin::Sum;
use upsweep::{Operator, Reduce};
use upsweep_testing::check::{Case, Lines, Reach, Start};
use upsweep_testing::operators::*;
use upsweep_testing::oracle::Rule;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(
    reduce_tile_edges_1_byte,
    reduce_tile_edges_2_bytes,
    reduce_tile_edges_3_bytes,
    reduce_tile_edges_4_bytes,
    reduce_tile_edges_8_bytes,
    reduce_tile_edges_12_bytes,
    reduce_tile_edges_16_bytes,
    reduce_tile_edges_24_bytes,
    reduce_tile_edges_40_bytes,
    reduce_tile_edges_64_bytes,
    reduce_invented_elements,
    reduce_empty_array,
);

fn reduce_tile_edges_1_byte(place: &Place) {
    edges(place, Sum, &Rule::new(i8::wrapping_add, Some(0)));
}

fn reduce_tile_edges_2_bytes(place: &Place) {
    edges(place, Sum, &Rule::new(u16::wrapping_add, Some(0)));
}

fn reduce_tile_edges_3_bytes(place: &Place) {
    edges(place, TriangleProduct, &Rule::new(triangle_product, Some(Triangle { a: 1, b: 0, c: 1 })));
}

fn reduce_tile_edges_4_bytes(place: &Place) {
    edges(place, Sum, &Rule::new(i32::wrapping_add, Some(0)));
}

fn reduce_tile_edges_8_bytes(place: &Place) {
    edges(place, Then, &Rule::new(then, Some(Affine { m: 1, c: 0 })));
}

fn reduce_tile_edges_12_bytes(place: &Place) {
    edges(place, Concat, &Rule::new(concat, None));
}

fn reduce_tile_edges_16_bytes(place: &Place) {
    edges(place, MatrixProduct, &Rule::new(matrix_product, Some(Matrix { a: 1, b: 0, c: 0, d: 1 })));
}

fn reduce_tile_edges_24_bytes(place: &Place) {
    edges(place, ThenSteps, &Rule::new(then_steps, Some(Steps { m: 1, c: 0, count: 0 })));
}

fn reduce_tile_edges_40_bytes(place: &Place) {
    edges(place, Summarise, &Rule::new(summarise, None));
}

fn reduce_tile_edges_64_bytes(place: &Place) {
    edges(place, WideProduct, &Rule::new(wide_product, Some(Wide { a: 1, b: 0, c: 0, d: 1 })));
}

fn edges<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, rule: &Rule<T, T, T>) {
    let element = size_of::<T>();
    let init = T::random(&mut Rng::new(5));
    for len in [sizes::small(), sizes::large(element), sizes::groups(element)].concat() {
        let x = random_values::<T>(len);
        if len > 0 || rule.identity.is_some() {
            Lines.reduce(place, Reduce::new(operator), rule, &x, &Case::new().offsets(len % 3, 0));
        }
        Lines.reduce(place, Reduce::new(operator), rule, &x, &Case::new().start(Start::Value(init)));
        Lines.reduce(place, Reduce::new(operator), rule, &x, &Case::new().start(Start::Buffer(init)));
    }
}

fn reduce_invented_elements(place: &Place) {
    for len in [sizes::small(), sizes::large(8), sizes::groups(8)].concat() {
        let x: Vec<Span> = (0..len as u32).map(|i| Span { from: i, to: i + 1 }).collect();
        if len > 0 {
            Lines.reduce(place, Reduce::new(Join), &Rule::new(join, None), &x, &Case::new());
            let whole = place.device.reduce(&place.upload(&x, len % 4), Join);
            assert_eq!(whole, Ok(Span { from: 0, to: len as u32 }));
        }
        let before = Start::Value(Span { from: 0, to: 0 });
        Lines.reduce(place, Reduce::new(Join), &Rule::new(join, None), &x, &Case::new().start(before));
    }
}

/// An empty array reduces to the initial value, else to the identity.
fn reduce_empty_array(place: &Place) {
    let nothing = place.upload::<u32>(&[], 0);
    assert_eq!(place.device.reduce(&nothing, Sum), Ok(0));
    assert_eq!(Reduce::new(Sum).init(7).run_to_host(&place.device, &nothing), Ok(7));
    assert_eq!(Reduce::new(Sum).init_from(&place.upload(&[8u32], 3)).run_to_host(&place.device, &nothing), Ok(8));
}
