//! Sums of f16 and bf16: combined in f32, rounded once.

use half::{bf16, f16};
use upsweep::operator::builtin::Sum;
use upsweep::{Operator, Reduce, Scan, Segments};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;

on_each_backend!(half_sums_of_many, half_sums_round_once, half_sums_in_cuts, half_sums_last_prefix);

/// Sums that would stop growing at 256 and 2048 in their own type.
fn half_sums_of_many(place: &Place) {
    let sum = |x: &[bf16]| place.device.reduce(&place.upload(x, 3), Sum).unwrap();
    assert_eq!(sum(&vec![bf16::ONE; 65_000]), bf16::from_f32(65_000.0));
    assert_eq!(sum(&vec![bf16::from_f32(-3.0); 1_000_000]), bf16::from_f32(-3e6));
    let sum = |x: &[f16]| place.device.reduce(&place.upload(x, 3), Sum).unwrap();
    // 0.1 is 0.09997559 as f16: 5998.5 in all, between 5996 and 6000.
    assert_eq!(sum(&vec![f16::from_f32(0.1); 60_000]), f16::from_f32(6000.0));
    assert_eq!(sum(&vec![f16::ONE; 65_000]), f16::from_f32(65_000.0));
    assert_eq!(sum(&vec![f16::ONE; 70_000]), f16::INFINITY);
    assert_eq!(sum(&vec![f16::from_bits(1); 3000]), f16::from_f64(3000.0 * 0.5f64.powi(24)));
    assert_eq!(sum(&vec![f16::from_bits(1); 1000]), f16::from_bits(1000));
    // What is larger than any f16 on the way is none in the end.
    let up_and_down: Vec<f16> = (0..4000).map(|i| if i < 2000 { f16::MAX } else { f16::MIN }).collect();
    assert_eq!(sum(&up_and_down), f16::ZERO);
}

macro_rules! for_both {
    ($case:ident, $run:ident) => {
        fn $case(place: &Place) {
            $run(place, f16::from_f32, f16::to_f32);
            $run(place, bf16::from_f32, bf16::to_f32);
        }
    };
}
for_both!(half_sums_round_once, round_once);
for_both!(half_sums_in_cuts, in_cuts);
for_both!(half_sums_last_prefix, last_prefix);

/// Numbers of few bits, whose sums are exact in f32 in every grouping: so each result is the exact one, rounded.
fn exact<T>(len: usize, from: fn(f32) -> T) -> (Vec<T>, Vec<f32>) {
    let mut rng = Rng::new(len as u64);
    let values: Vec<f32> = (0..len).map(|_| (rng.below(23) as f32 - 9.0) / 8.0).collect();
    (values.iter().map(|&x| from(x)).collect(), values)
}

/// Prefix sums of `x`, with and without each element, after 0.5, from the left or the right.
fn prefixes(x: &[f32], reverse: bool) -> (Vec<f32>, Vec<f32>) {
    let (mut inclusive, mut exclusive, mut sum) = (x.to_vec(), x.to_vec(), 0.5);
    for k in 0..x.len() {
        let at = if reverse { x.len() - 1 - k } else { k };
        exclusive[at] = sum;
        sum += x[at];
        inclusive[at] = sum;
    }
    (inclusive, exclusive)
}

/// Checks results against exact ones, rounded.
fn expect<T: Copy>(found: &[T], exact: &[f32], from: fn(f32) -> T, to: fn(T) -> f32, what: &str) {
    assert_eq!(found.len(), exact.len());
    let rounded = |x: f32| to(from(x)).to_bits();
    let wrong = found.iter().zip(exact).position(|(&found, &exact)| to(found).to_bits() != rounded(exact));
    let wrong = wrong.map(|at| (at, to(found[at]), exact[at]));
    assert_eq!(wrong, None, "{what}, {} results: the first wrong one, and what it rounds", found.len());
}

fn round_once<T>(place: &Place, from: fn(f32) -> T, to: fn(T) -> f32)
where
    T: Sample,
    Sum: Operator<T>,
{
    let scan = Scan::new(Sum).init(from(0.5));
    for len in [1, 15, 300, 4099, 200_003] {
        let (x, values) = exact(len, from);
        let input = place.upload(&x, len % 5);
        let run = |inclusive, reverse| {
            let scan = if inclusive { scan } else { scan.exclusive() };
            let scan = if reverse { scan.reverse() } else { scan };
            let mut out = place.poisoned::<T>(len + 1, 1);
            let mut data = place.upload(&x, 2);
            scan.run_in_place(&place.device, &mut data).unwrap();
            scan.with_total().run(&place.device, &input, &mut out).unwrap();
            let all = prefixes(&values, reverse);
            let expected = if inclusive { &all.0 } else { &all.1 };
            let what = format!("inclusive {inclusive}, reverse {reverse}");
            let found = out.check_guards();
            expect(&found[..len], expected, from, to, &what);
            expect(&data.check_guards(), expected, from, to, &format!("in place, {what}"));
            let total = 0.5 + values.iter().sum::<f32>();
            expect(&found[len..], &[total], from, to, &format!("total, {what}"));
        };
        for (inclusive, reverse) in [(true, false), (true, true), (false, false), (false, true)] {
            run(inclusive, reverse);
        }
        let total = Reduce::new(Sum).run_to_host(&place.device, &input).unwrap();
        expect(&[total], &[values.iter().sum()], from, to, "reduction");
    }
}

fn in_cuts<T>(place: &Place, from: fn(f32) -> T, to: fn(T) -> f32)
where
    T: Sample,
    Sum: Operator<T>,
{
    let (x, values) = exact(6000, from);
    let input = place.upload(&x, 1);
    for (rows, columns) in [(6, 1000), (300, 20), (2000, 3)] {
        let shape = [rows, columns];
        let mut sums = place.poisoned::<T>(columns, 0);
        Reduce::new(Sum).axis(&shape, 0).run(&place.device, &input, &mut sums).unwrap();
        let column = |c: usize| values.iter().skip(c).step_by(columns).copied();
        let expected: Vec<f32> = (0..columns).map(|c| column(c).sum()).collect();
        expect(&sums.check_guards(), &expected, from, to, "columns");
        let mut sums = place.poisoned::<T>(rows, 0);
        Reduce::new(Sum).axis(&shape, 1).run(&place.device, &input, &mut sums).unwrap();
        let expected: Vec<f32> = values.chunks(columns).map(|row| row.iter().fold(0.0, |sum, x| sum + x)).collect();
        expect(&sums.check_guards(), &expected, from, to, "rows");
        let mut out = place.poisoned::<T>(6000, 0);
        Scan::new(Sum).axis(&shape, 0).run(&place.device, &input, &mut out).unwrap();
        let mut expected = values.clone();
        (columns..6000).for_each(|at| expected[at] += expected[at - columns]);
        expect(&out.check_guards(), &expected, from, to, "scan of columns");
    }
    let offsets = [0u32, 0, 7, 3000, 3001, 6000];
    let mut sums = place.poisoned::<T>(5, 0);
    let ends = place.upload(&offsets, 0);
    Reduce::new(Sum).segments(Segments::Offsets(&ends)).run(&place.device, &input, &mut sums).unwrap();
    let segment = |pair: &[u32]| values[pair[0] as usize..pair[1] as usize].iter().fold(0.0, |sum, x| sum + x);
    let expected: Vec<f32> = offsets.windows(2).map(segment).collect();
    expect(&sums.check_guards(), &expected, from, to, "segments");
}

/// The last prefix and the reduction differ by at most a rounding where sums are not exact.
fn last_prefix<T>(place: &Place, from: fn(f32) -> T, to: fn(T) -> f32)
where
    T: Sample,
    Sum: Operator<T>,
{
    for len in [100, 5000, 300_000] {
        let mut rng = Rng::new(len as u64);
        let x: Vec<T> = (0..len).map(|_| from(rng.below(1000) as f32 / len as f32)).collect();
        let input = place.upload(&x, 0);
        let mut out = place.poisoned::<T>(len, 0);
        Scan::new(Sum).run(&place.device, &input, &mut out).unwrap();
        let last = to(out.check_guards()[len - 1]);
        let total = to(place.device.reduce(&input, Sum).unwrap());
        let exact: f64 = x.iter().map(|&x| f64::from(to(x))).sum();
        let next =
            |x: f32| (1..).map(|k| to(from(x * (1.0 + k as f32 / 4096.0)))).find(|&next| next > x).unwrap() / x - 1.0;
        let rounding = next(1.0);
        assert!((last - total).abs() <= rounding * total, "{len} elements: {last} and {total}");
        assert!((f64::from(total) - exact).abs() <= f64::from(rounding) / 2.0 * exact, "{total}, not {exact}");
    }
}
