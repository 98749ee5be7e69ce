//! Totals of float sums and products along an axis: each line has the tree of `upsweep_core::lanes`, as if it were alone.

use half::bf16;
use std::fmt::Debug;
use upsweep::operator::builtin::{Product, Sum};
use upsweep::{Element, Operator, Reduce};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;
use upsweep_testing::{lanes, on_each_backend, sizes};

on_each_backend!(totals_of_rows, totals_of_columns);

/// Returns numbers around zero, of several magnitudes.
fn numbers(len: usize, seed: u64) -> impl Iterator<Item = f64> {
    let mut rng = Rng::new(seed ^ len as u64);
    (0..len).map(move |_| (rng.next() as u32 as f64 - 2e9) * 0.125f64.powi(rng.below(6) as i32))
}

/// What a test knows of a type: how an element is made and combined, and how what is combined is stored.
struct Kind<T, A> {
    from: fn(f64) -> T,
    widen: fn(T) -> A,
    combine: fn(A, A) -> A,
    store: fn(A) -> T,
    bits: fn(T) -> u64,
}

/// Checks the totals along axis 1 of an array of this shape, by the oracle `total` of a line.
fn check<T: Sample + Element + Debug, A: Copy, Op: Operator<T>>(
    place: &Place,
    operator: Op,
    shape: [usize; 3],
    kind: &Kind<T, A>,
    total: impl Fn(&[A], Option<A>) -> A,
) {
    let [outer, len, inner] = shape;
    let x: Vec<T> = numbers(outer * len * inner, 7).map(kind.from).collect();
    let input = place.upload(&x, len % 3);
    let mut output = place.poisoned::<T>(outer * inner, len % 2);
    for init in [None, Some((kind.from)(1.375))] {
        let reduction = Reduce::new(operator).axis(&shape, 1);
        match init {
            Some(init) => reduction.init(init).run(&place.device, &input, &mut output),
            None => reduction.run(&place.device, &input, &mut output),
        }
        .unwrap();
        for (line, found) in output.check_guards().into_iter().enumerate() {
            let first = line / inner * len * inner + line % inner;
            let own: Vec<A> = (0..len).map(|k| (kind.widen)(x[first + k * inner])).collect();
            let expected = (kind.bits)((kind.store)(total(&own, init.map(kind.widen))));
            assert_eq!((kind.bits)(found), expected, "line {line} of {shape:?}, from {init:?}");
        }
    }
}

/// Checks sums of f32, f64 and bf16, and products of f64. `number_of_lanes`: that of f32, f64 and bf16, or 0 for columns.
fn check_types(place: &Place, shape: [usize; 3], number_of_lanes: [usize; 3]) {
    macro_rules! kind {
        ($t:ident, $add:expr, $from:expr) => {
            &Kind::<$t, $t> { from: $from, widen: |x| x, combine: $add, store: |x| x, bits: |x| x.to_bits().into() }
        };
    }
    macro_rules! of {
        ($operator:expr, $lanes:expr, $kind:expr) => {{
            let (lanes, kind) = ($lanes, $kind);
            check(place, $operator, shape, kind, |line, init| {
                let line = line.iter().copied();
                let total = if lanes > 0 {
                    lanes::reduce(line, lanes, init, kind.combine)
                } else {
                    lanes::reduce_column(line, init, kind.combine)
                };
                total.unwrap()
            });
        }};
    }
    let [single, double, narrow] = number_of_lanes;
    of!(Sum, single, kind!(f32, |a, b| a + b, |x| x as f32));
    of!(Sum, double, kind!(f64, |a, b| a + b, |x| x));
    of!(Product, double, kind!(f64, |a, b| a * b, |x| 1.0 + x * 1e-13));
    let halves = Kind::<bf16, f32> {
        from: |x| bf16::from_f64(x * 1e-9),
        widen: bf16::to_f32,
        combine: |a, b| a + b,
        store: bf16::from_f32,
        bits: |x| x.to_bits().into(),
    };
    of!(Sum, narrow, &halves);
}

fn totals_of_rows(place: &Place) {
    let elements = if sizes::reduced() { 20_000 } else { 300_000 };
    let ends = [16, 32, 64, 128, 200, 512, 1024, 4096, 32 * 1024, 200_000];
    let near = ends.into_iter().flat_map(|end| [end - 1, end, end + 1, end + 71]);
    for len in (1usize..20).chain(near).filter(|len| 2 * len <= elements.max(270_000)) {
        // One row is a whole array. There are fewer rows than a GPU runs warps, and more.
        for rows in [2, elements / len, 17 * elements / len.pow(2)] {
            check_types(place, [rows.clamp(2, 20_000), len, 1], [128, 64, 128]);
        }
    }
}

fn totals_of_columns(place: &Place) {
    let elements = if sizes::reduced() { 40_000 } else { 400_000 };
    for inner in [2, 3, 4, 17, 64, 100, 1000, 2051] {
        let most = elements / inner;
        let ends = [8, 16, 64, 128, 512, 4096, 64 * 100, 64 * 1500].into_iter();
        let lengths = [1, 2, 7, 70, 3000].into_iter().chain(ends.flat_map(|end| [end - 1, end, end + 1]));
        for len in lengths.filter(|&len| len <= most) {
            check_types(place, [1, len, inner], [0; 3]);
        }
        check_types(place, [3, 75, inner], [0; 3]);
    }
    // More columns than threads of a GPU, and a column of more parts than one launch joins.
    check_types(place, [2, 3, if sizes::reduced() { 1000 } else { 140_000 }], [0; 3]);
    check_types(place, [1, if sizes::reduced() { 5000 } else { 400_000 }, 2], [0; 3]);
}
