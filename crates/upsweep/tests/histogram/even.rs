//! Even bins: elements at every edge, and their neighbours.

use super::oracle::{between, counts, linspace, run, same};
use super::support::on_each_backend;
use super::support::place::Place;
use super::support::random::Rng;
use super::support::sample::Sample;
use upsweep::Histogram;
use upsweep::histogram::Even;

on_each_backend!(edges_of_floats, edges_of_integers, wide_and_narrow_ranges);

/// Element type, and the type of the edges that it is compared with.
trait Sampled: Sample + Even {
    type Edge: PartialOrd + Copy;
    fn edge(x: f64) -> Self::Edge;
    fn compared(self) -> Self::Edge;
    /// Returns values at an edge and next to it.
    fn around(x: f64) -> Vec<Self>;
}

macro_rules! floats {
    ($($t:ident)*) => { $(impl Sampled for $t {
        type Edge = $t;
        fn edge(x: f64) -> $t { x as $t }
        fn compared(self) -> $t { self }
        fn around(x: f64) -> Vec<$t> {
            let x = x as $t;
            vec![x.next_down().next_down(), x.next_down(), x, x.next_up(), x.next_up().next_up()]
        }
    })* };
}
floats! { f32 f64 }
macro_rules! integers {
    ($($t:ident)*) => { $(impl Sampled for $t {
        type Edge = f64;
        fn edge(x: f64) -> f64 { x }
        fn compared(self) -> f64 { self as f64 }
        fn around(x: f64) -> Vec<$t> {
            let x = x as $t;
            vec![x.saturating_sub(1), x, x.saturating_add(1)]
        }
    })* };
}
integers! { i8 u8 i16 u32 i64 }

/// Checks a range: values at and around all edges, and random values.
fn check<T: Sampled>(place: &Place, low: f64, high: f64, bins: usize) {
    let (from, to) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
    let exact = linspace(from, to, bins);
    let edges: Vec<T::Edge> = exact.iter().map(|&x| T::edge(x)).collect();
    let mut input: Vec<T> = exact.iter().flat_map(|&x| T::around(x)).collect();
    let mut rng = Rng::new(bins as u64);
    input.extend((0..300).map(|_| T::random(&mut rng)));
    input.extend((0..300).map(|_| T::around(from + (to - from) * (rng.below(1 << 20) as f64 / f64::from(1 << 20)))[0]));
    // The naive search takes long where there are many edges.
    let bin = |x: T| if bins <= 300 { between(&edges, x.compared()) } else { halving(&edges, x.compared()) };
    let expected: Vec<u32> = counts(input.len(), bins, (1, 1), |i| bin(input[i]));
    let found = run(place, &Histogram::even(low..=high, bins), &input, bins, bins % 5);
    same(&found, &expected, &format!("{} from {low:?} to {high:?} in {bins}", std::any::type_name::<T>()));
}

fn halving<E: PartialOrd + Copy>(edges: &[E], x: E) -> Option<usize> {
    let last = edges.len() - 1;
    (edges[0] <= x && x <= edges[last]).then(|| edges[..last].partition_point(|&edge| edge <= x) - 1)
}

fn edges_of_floats(place: &Place) {
    for bins in [1, 2, 3, 7, 10, 255, 256, 1000] {
        for (low, high) in
            [(0.0, 1.0), (-1.0, 1.0), (0.1, 0.7), (-3.3, 12.7), (0.0, 0.0), (1e-3, 1e5), (1000.0, 1001.0)]
        {
            check::<f32>(place, low, high, bins);
            check::<f64>(place, low, high, bins);
        }
    }
    check::<f32>(place, -5.0, 5.0, 65_536);
    check::<f64>(place, 0.0, 0.3, 100_000);
}

/// Ranges for which no estimate of the bin is good: subnormal floats, edges that are neighbouring floats, infinite
/// scales, integers past 2^53.
fn wide_and_narrow_ranges(place: &Place) {
    let tiny = f64::from(f32::from_bits(1));
    check::<f32>(place, 0.0, 1000.0 * tiny, 1000);
    check::<f32>(place, 0.0, 1000.0 * tiny, 7);
    check::<f32>(place, 1.0, 1.0 + 64.0 * f64::from(f32::EPSILON), 64);
    check::<f32>(place, 1e6, 1e6 + 1.0, 16);
    check::<f32>(place, -16_777_216.0, -16_777_200.0, 8);
    check::<f32>(place, -3e38, 3e38, 100);
    check::<f64>(place, 0.0, f64::from_bits(900), 300);
    check::<f64>(place, 1e300, 1e300 + 1e287, 9);
    check::<f64>(place, -8e307, 8e307, 1000);
    check::<i64>(place, 0.0, 9.2e18, 1000);
    check::<i64>(place, 9e15, 9e15 + 64.0, 32);
}

fn edges_of_integers(place: &Place) {
    for bins in [1, 3, 16, 255, 256] {
        for (low, high) in [(0.0, 256.0), (-128.0, 127.0), (0.0, 255.0), (0.5, 99.25), (-0.1, 10.1), (3.0, 3.0)] {
            check::<u8>(place, low, high, bins);
            check::<i8>(place, low, high, bins);
            check::<i16>(place, low, high, bins);
            check::<u32>(place, low, high, bins);
            check::<i64>(place, low, high, bins);
        }
    }
    check::<i16>(place, -32_768.0, 32_768.0, 65_536);
    check::<u32>(place, 0.0, 4_294_967_296.0, 65_536);
}
