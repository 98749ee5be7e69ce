//! Sparse products: reductions by offsets of elements that are gathered from a table, near and far.

use upsweep::Error;
use upsweep::prelude::*;

#[function]
fn times(a: f64, x: f64) -> f64 {
    a * x
}

/// Offsets of segments of 0 to 40 elements, now and then of some hundreds, up to `len`.
fn offsets(len: u32) -> Vec<u32> {
    let lengths =
        (0u32..).map(|i| if i % 97 == 5 { 400 + i % 200 } else { i.wrapping_mul(2_654_435_761) >> 16 }.min(600));
    let lengths = lengths.map(|length| if length < 400 { length % 41 } else { length });
    let ends = lengths.scan(0, |end, length| Some(std::mem::replace(end, *end + length)));
    ends.take_while(|&end| end < len).chain([len]).collect()
}

/// All numbers are whole and small, so that every order gives the same sums. Tables of more than 8 MiB are fetched ahead.
#[test]
fn sparse_products() {
    for (rows, len) in [(1, 1), (10, 1_000), (1_300_000, 50_000), (1_300_000, 3_000_000)] {
        let offsets = offsets(len as u32);
        let index: Vec<u32> =
            (0..len).map(|i| ((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as u32 % rows).collect();
        let values: Vec<f64> = (0..len).map(|i| (i % 13) as f64).collect();
        let table: Vec<f64> = (0..rows).map(|i| f64::from(i % 1_001)).collect();
        let product = Reduce::new(Sum).map(Times).segments(Segments::Offsets(&offsets));
        let found = product.run_to_vec(&Device::cpu(), (&values, Gather::of(&table).at(&index))).unwrap();
        let of = |at: usize| values[at] * table[index[at] as usize];
        let expected: Vec<f64> = offsets.windows(2).map(|r| (r[0] as usize..r[1] as usize).map(of).sum()).collect();
        assert_eq!(found, expected, "{len} elements of a table of {rows}");

        let mut outside = index;
        let at = len / 2;
        outside[at] = rows;
        let error = product.run_to_vec(&Device::cpu(), (&values, Gather::of(&table).at(&outside))).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Index { .. }) && text.contains(&at.to_string()), "{text}");
    }
}
