//! Values of segments: the one that is there most often, and how many distinct ones there are.

use crate::element::Values;
use crate::expression::value::compare;
use std::cmp::Ordering;
use upsweep_dynamic::{Number, View, with_view};

/// Returns of each segment of `x` the value at the place that `pick` returns for its begin and its end. Segment `i` is from
/// `offsets[i]` to `offsets[i + 1]`. An empty one has any value; if all are empty, no one has.
fn picked(x: View<'_>, offsets: &[u64], pick: &dyn Fn(usize, usize) -> usize) -> Values {
    let segments = offsets.windows(2).map(|pair| (pair[0] as usize, pair[1] as usize));
    with_view!(x, x => {
        let at = |(begin, end): (usize, usize)| if begin < end { x.get(pick(begin, end)) } else { x.first() };
        segments.filter_map(at).copied().collect::<Vec<_>>().into()
    })
}

/// Returns of each segment of `x` the value that is there most often, of several the least. NaN is one value, the largest.
pub(crate) fn modes(x: View<'_>, offsets: &[u64]) -> Values {
    let numbers: Vec<Number> = with_view!(x, x => x.iter().map(|&x| x.into()).collect());
    picked(x, offsets, &|begin, end| {
        let order = |&a: &usize, &b: &usize| by_value(numbers[a], numbers[b]);
        let mut places: Vec<usize> = (begin..end).collect();
        places.sort_by(order);
        let runs = places.chunk_by(|a, b| order(a, b).is_eq());
        // Of runs that are equally long the first counts.
        let longest = runs.reduce(|longest, run| if run.len() > longest.len() { run } else { longest });
        longest.and_then(<[usize]>::first).copied().unwrap_or(begin)
    })
}

/// Returns the number of distinct values of each segment of `x`. NaN is one value; -0 and 0 are one.
pub(crate) fn distinct(x: View<'_>, offsets: &[u64]) -> Vec<u64> {
    let segments = offsets.windows(2).map(|pair| pair[0] as usize..pair[1] as usize);
    with_view!(x, x => segments.map(|segment| {
        let mut numbers: Vec<Number> = x[segment].iter().map(|&x| x.into()).collect();
        numbers.sort_unstable_by(|&a, &b| by_value(a, b));
        numbers.chunk_by(|&a, &b| by_value(a, b).is_eq()).count() as u64
    }).collect())
}

/// Compares two numbers. NaN equals itself, and is larger than others.
fn by_value(a: Number, b: Number) -> Ordering {
    let is_nan = |number: Number| matches!(number, Number::Float(x) if x.is_nan());
    compare(a, b).unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_segments() {
        let nan = f64::NAN;
        let x = [3.0, 1.0, 3.0, 1.0, 2.0, nan, nan, 5.0, 0.0, -0.0];
        let offsets = [0, 5, 8, 8, 10];
        let of = |values: Values| if let Values::F64(values) = values { values } else { Vec::new() };
        let first = of(picked(View::F64(&x), &offsets, &|begin, _| begin));
        assert!(first[0] == 3.0 && first[1].is_nan() && first[3] == 0.0);
        assert_eq!(of(picked(View::F64(&x), &[0, 5, 8], &|_, end| end - 1)), [2.0, 5.0]);
        let found = of(modes(View::F64(&x), &offsets));
        assert!(found[0] == 1.0 && found[1].is_nan() && found[3] == 0.0, "{found:?}");
        assert!(of(modes(View::F64(&[]), &[0, 0])).is_empty());
        assert_eq!(distinct(View::F64(&x), &offsets), [3, 2, 0, 1]);
        assert_eq!(distinct(View::U8(&[]), &[0, 0]), [0]);
    }
}
