//! Float sums and products: the bits of `upsweep_core::tree`, and running sums that never descend.

use half::{bf16, f16};
use std::fmt::Debug;
use upsweep::operator::builtin::{Product, Sum};
use upsweep::{Element, Operator, Scan, Segments, function};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;
use upsweep_testing::{on_each_backend, sizes, tree};

on_each_backend!(
    tree_of_arrays,
    tree_of_segments,
    tree_of_rows,
    tree_of_halves,
    tree_of_mapped_inputs,
    tree_begins_alike_at_every_length,
    tree_is_monotone,
);

/// Numbers of elements around the ends of rows, groups, tiles and spans of `row` elements a row.
fn lengths(row: usize) -> Vec<usize> {
    let ends = [row, 8 * row, 192 * row, 32 * 192 * row];
    let near = ends.into_iter().flat_map(|end| [end - 1, end, end + 1, 2 * end + 3]);
    let all: Vec<usize> = [0, 1, 2, 7].into_iter().chain(near).collect();
    if sizes::reduced() { all.into_iter().filter(|&len| len < 400 * row).collect() } else { all }
}

/// Returns numbers around zero, of several magnitudes.
fn numbers(len: usize, seed: u64) -> impl Iterator<Item = f64> {
    let mut rng = Rng::new(seed ^ len as u64);
    (0..len).map(move |_| (rng.next() as u32 as f64 - 2e9) * 0.125f64.powi(rng.below(6) as i32))
}

/// Options of a scan besides its segments.
#[derive(Clone, Copy, Debug)]
struct Options<T> {
    exclusive: bool,
    reverse: bool,
    init: Option<T>,
}

impl<T: Copy> Options<T> {
    fn all(init: T) -> Vec<Self> {
        let both = [false, true];
        let flags = both.into_iter().flat_map(|exclusive| both.map(|reverse| (exclusive, reverse)));
        flags
            .flat_map(|(exclusive, reverse)| [None, Some(init)].map(|init| Self { exclusive, reverse, init }))
            .collect()
    }

    /// Returns the results by the oracle. `begins` are the indices at which segments begin.
    fn expected(self, x: &[T], begins: &[usize], row: usize, identity: T, combine: fn(T, T) -> T) -> Vec<T> {
        let Self { exclusive, reverse, init } = self;
        let len = x.len();
        let mut heads = vec![false; len + 1];
        for &begin in begins {
            heads[if reverse { len - begin } else { begin }] = true;
        }
        heads[0] = true;
        let elements = (0..len).map(|i| (x[if reverse { len - 1 - i } else { i }], heads[i]));
        let mut results = tree::scan(elements, row, init, combine);
        if exclusive {
            let before: Vec<T> = results.clone();
            for i in 0..len {
                results[i] = if heads[i] { init.unwrap_or(identity) } else { before[i - 1] };
            }
        }
        if reverse {
            results.reverse();
        }
        results
    }
}

/// Runs `$body` with the scan `$scan`, named `$with`, after its options are set.
macro_rules! with_options {
    ($scan:expr, $options:expr, |$with:ident| $body:expr) => {{
        let mut scan = $scan;
        if $options.exclusive {
            scan = scan.exclusive();
        }
        if $options.reverse {
            scan = scan.reverse();
        }
        match $options.init {
            None => {
                let $with = scan;
                $body
            }
            Some(init) => {
                let $with = scan.init(init);
                $body
            }
        }
        .unwrap()
    }};
}

fn check<T: Copy + Debug>(found: &[T], expected: &[T], bits: fn(T) -> u64, what: &dyn Debug) {
    assert_eq!(found.len(), expected.len());
    let different = found.iter().zip(expected).position(|(&a, &b)| bits(a) != bits(b));
    if let Some(i) = different {
        panic!("{what:?}: result {i} of {} is {:?} for {:?}", found.len(), found[i], expected[i]);
    }
}

/// A number type, with its bits and its operations.
trait Number: Sample + Element + Copy + Debug {
    const ROW: usize;
    fn of(x: f64) -> Self;
    fn bits(self) -> u64;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}
macro_rules! number {
    ($($t:ident, $row:literal);*) => { $(
        impl Number for $t {
            const ROW: usize = $row;
            fn of(x: f64) -> Self { x as Self }
            fn bits(self) -> u64 { self.to_bits().into() }
            fn plus(self, other: Self) -> Self { self + other }
            fn times(self, other: Self) -> Self { self * other }
        }
    )* };
}
number!(f32, 16; f64, 8);

fn tree_of_arrays(place: &Place) {
    fn of<T: Number, Op: Operator<T>>(place: &Place, operator: Op, identity: T, combine: fn(T, T) -> T, small: f64) {
        for len in lengths(T::ROW) {
            let x: Vec<T> = numbers(len, 1).map(|x| T::of(if small > 0.0 { 1.0 + x * small } else { x })).collect();
            for (k, options) in Options::all(T::of(1.375)).into_iter().enumerate() {
                let expected = options.expected(&x, &[], T::ROW, identity, combine);
                let input = place.upload(&x, k % 4);
                let mut output = place.poisoned::<T>(len, (k + len) % 5);
                with_options!(Scan::new(operator), options, |scan| scan.run(&place.device, &input, &mut output));
                check(&output.check_guards(), &expected, T::bits, &(len, options));
                let mut in_place = place.upload(&x, k % 3);
                with_options!(Scan::new(operator), options, |scan| scan.run_in_place(&place.device, &mut in_place));
                check(&in_place.check_guards(), &expected, T::bits, &("in place", len, options));
            }
        }
    }
    of::<f32, _>(place, Sum, 0.0, f32::plus, 0.0);
    of::<f64, _>(place, Sum, 0.0, f64::plus, 0.0);
    of::<f32, _>(place, Product, 1.0, f32::times, 1e-13);
    of::<f64, _>(place, Product, 1.0, f64::times, 1e-13);
}

fn tree_of_segments(place: &Place) {
    fn of<T: Number>(place: &Place)
    where
        Sum: Operator<T>,
    {
        for (len, few) in
            lengths(T::ROW).into_iter().filter(|&len| len > 2).flat_map(|len| [3, 40, 5000].map(|few| (len, few)))
        {
            let x: Vec<T> = numbers(len, 2).map(T::of).collect();
            let mut rng = Rng::new((len * few) as u64);
            let mut begins = vec![0];
            begins.extend((1..len).filter(|i| rng.below(few) == 0 || (i % (8 * T::ROW) == 0 && rng.below(3) == 0)));
            let flags: Vec<bool> = (0..len).map(|i| begins.binary_search(&i).is_ok()).collect();
            let offsets: Vec<u32> = begins.iter().chain([&len]).map(|&at| at as u32).collect();
            let mut key = 0;
            let keys: Vec<u32> = flags
                .iter()
                .map(|&flag| {
                    key += u32::from(flag);
                    key * 7
                })
                .collect();
            let (flags, offsets, keys) = (place.upload(&flags, 1), place.upload(&offsets, 0), place.upload(&keys, 2));
            let input = place.upload(&x, len % 3);
            for options in Options::all(T::of(-0.4375)) {
                let expected = options.expected(&x, &begins, T::ROW, T::of(0.0), T::plus);
                macro_rules! check_by {
                    ($segments:expr, $name:literal) => {{
                        let mut output = place.poisoned::<T>(len, 1);
                        let scan = Scan::new(Sum).segments($segments);
                        with_options!(scan, options, |scan| scan.run(&place.device, &input, &mut output));
                        check(&output.check_guards(), &expected, T::bits, &($name, len, few, options));
                    }};
                }
                check_by!(Segments::HeadFlags(&flags), "flags");
                check_by!(Segments::Offsets(&offsets), "offsets");
                check_by!(Segments::Keys(&keys), "keys");
            }
        }
    }
    of::<f32>(place);
    of::<f64>(place);
}

/// Each line along the last axis of a portable scan has the tree of that line alone.
fn tree_of_rows(place: &Place) {
    fn of<T: Number>(place: &Place)
    where
        Sum: Operator<T>,
    {
        // Around the lengths of lines that share a row, a group or a tile; and two such lengths of many lines.
        let row = T::ROW;
        let ends =
            [1, 2, 3, 5, row / 2, row, 2 * row, 3 * row, 8 * row, 16 * row, 40 * row, 96 * row, 192 * row, 384 * row];
        let near = ends.into_iter().flat_map(|end| [end - 1, end, end + 1]).filter(|&len| len > 0);
        let shapes = near.flat_map(|len| [2, 7, 30_000 / len + 2].map(|lines| [lines, len]));
        let more = [[40_000, 3], [3_001, 100], [401, 5_000], [3, 33 * 192 * row + 5], [67, 2 * 192 * row + 1]];
        for [lines, len] in shapes.chain(more).filter(|[lines, len]| !sizes::reduced() || lines * len < 3_000) {
            let x: Vec<T> = numbers(lines * len, 9).map(T::of).collect();
            let input = place.upload(&x, len % 3);
            for options in Options::all(T::of(0.8125)) {
                let by_line = |line: &[T]| options.expected(line, &[], row, T::of(0.0), T::plus);
                let expected: Vec<T> = x.chunks(len).flat_map(by_line).collect();
                let mut output = place.poisoned::<T>(lines * len, (lines + len) % 5);
                let shape = [lines, len];
                let scan = Scan::new(Sum).axis(&shape, 1).portable();
                with_options!(scan, options, |scan| scan.run(&place.device, &input, &mut output));
                check(&output.check_guards(), &expected, T::bits, &(lines, len, options));
            }
        }
    }
    of::<f32>(place);
    of::<f64>(place);
    // Elements of several buffers, and of a type that is mapped to a larger one.
    for [lines, len] in [[50, 7], [9, 100], [5, 2_000], [300, 20]] {
        let a: Vec<f32> = numbers(lines * len, 10).map(|x| x as f32).collect();
        let b: Vec<f64> = numbers(lines * len, 11).collect();
        let products: Vec<f64> = a.iter().zip(&b).map(|(&a, &b)| f64::from(a) * b).collect();
        let by_line = |line: &[f64]| tree::scan(line.iter().map(|&x| (x, false)), 4, None, f64::plus);
        let expected: Vec<f64> = products.chunks(len).flat_map(by_line).collect();
        let mut output = place.poisoned::<f64>(lines * len, 0);
        let (a, b) = (place.upload(&a, 1), place.upload(&b, 0));
        Scan::new(Sum)
            .map(Weighed)
            .axis(&[lines, len], 1)
            .portable()
            .run(&place.device, (&a, &b), &mut output)
            .unwrap();
        check(&output.check_guards(), &expected, f64::to_bits, &("pairs", lines, len));
    }
    let bytes: Vec<u8> = numbers(3_000, 12).map(|x| (x as i64 & 0xff) as u8).collect();
    let by_line = |line: &[u8]| tree::scan(line.iter().map(|&x| (f32::from(x) * 0.3, false)), 16, None, f32::plus);
    let expected: Vec<f32> = bytes.chunks(30).flat_map(by_line).collect();
    let mut output = place.poisoned::<f32>(3_000, 3);
    let scan = Scan::new(Sum).map(HalfOf).axis(&[100, 30], 1).portable();
    scan.run(&place.device, &place.upload(&bytes, 5), &mut output).unwrap();
    check(&output.check_guards(), &expected, |x| x.to_bits().into(), &"bytes");
}

/// Sums of f16 and bf16 have rows of 32 elements, are combined in f32, and rounded once.
fn tree_of_halves(place: &Place) {
    fn of<T: Sample + Element + Copy + Debug>(place: &Place, from: fn(f32) -> T, to: fn(T) -> f32, bits: fn(T) -> u64)
    where
        Sum: Operator<T>,
    {
        for len in lengths(32) {
            let x: Vec<T> = numbers(len, 3).map(|x| from((x * 1e-9) as f32)).collect();
            let wide: Vec<f32> = x.iter().map(|&x| to(x)).collect();
            for options in Options::all(0.5f32) {
                let expected: Vec<T> = options.expected(&wide, &[], 32, 0.0, f32::plus).into_iter().map(from).collect();
                let mut output = place.poisoned::<T>(len, len % 7);
                let Options { exclusive, reverse, init } = options;
                let given = Options { exclusive, reverse, init: init.map(from) };
                let input = place.upload(&x, len % 9);
                with_options!(Scan::new(Sum), given, |scan| scan.run(&place.device, &input, &mut output));
                check(&output.check_guards(), &expected, bits, &(len, options));
            }
        }
    }
    of::<f16>(place, f16::from_f32, f16::to_f32, |x| x.to_bits().into());
    of::<bf16>(place, bf16::from_f32, bf16::to_f32, |x| x.to_bits().into());
}

#[function]
fn weighed(a: f32, b: f64) -> f64 {
    f64::from(a) * b
}

#[function]
fn half_of(x: u8) -> f32 {
    x as f32 * 0.3f32
}

/// Rows of an input of several buffers, and of elements that are mapped to larger ones.
fn tree_of_mapped_inputs(place: &Place) {
    for len in lengths(16) {
        let a: Vec<f32> = numbers(len, 4).map(|x| x as f32).collect();
        let b: Vec<f64> = numbers(len, 5).collect();
        let products: Vec<f64> = a.iter().zip(&b).map(|(&a, &b)| f64::from(a) * b).collect();
        // A pair has 16 bytes: four elements a row.
        let expected = tree::scan(products.iter().map(|&x| (x, false)), 4, None, f64::plus);
        let mut output = place.poisoned::<f64>(len, 0);
        let (a, b) = (place.upload(&a, 1), place.upload(&b, 0));
        Scan::new(Sum).map(Weighed).run(&place.device, (&a, &b), &mut output).unwrap();
        check(&output.check_guards(), &expected, f64::to_bits, &("pairs", len));

        let bytes: Vec<u8> = numbers(len, 6).map(|x| (x as i64 & 0xff) as u8).collect();
        let expected = tree::scan(bytes.iter().map(|&x| (f32::from(x) * 0.3, false)), 16, None, f32::plus);
        let mut output = place.poisoned::<f32>(len, 3);
        Scan::new(Sum).map(HalfOf).run(&place.device, &place.upload(&bytes, 5), &mut output).unwrap();
        check(&output.check_guards(), &expected, |x| x.to_bits().into(), &("bytes", len));
    }
}

/// The first results do not depend on what follows.
fn tree_begins_alike_at_every_length(place: &Place) {
    let x: Vec<f32> = numbers(250_007, 7).map(|x| x as f32).collect();
    let scan = |len: usize| {
        let mut output = place.poisoned::<f32>(len, 0);
        Scan::new(Sum).run(&place.device, &place.upload(&x[..len], 0), &mut output).unwrap();
        output.check_guards()
    };
    let whole = scan(x.len());
    let mut rng = Rng::new(8);
    for _ in 0..if sizes::reduced() { 2 } else { 20 } {
        let len = rng.below(x.len());
        check(&scan(len), &whole[..len], |x| x.to_bits().into(), &len);
    }
}

/// Sums of numbers that are not negative never descend, and a zero does not move them.
fn tree_is_monotone(place: &Place) {
    fn of<T: Number>(place: &Place, len: usize)
    where
        Sum: Operator<T>,
    {
        let mut rng = Rng::new(len as u64);
        let x: Vec<T> =
            (0..len).map(|_| if rng.below(10) < 3 { T::of(0.0) } else { T::of(rng.next() as f64 * 1e-19) }).collect();
        let mut output = place.poisoned::<T>(len, 0);
        Scan::new(Sum).run(&place.device, &place.upload(&x, 0), &mut output).unwrap();
        let sums = output.check_guards();
        for (i, pair) in sums.windows(2).enumerate() {
            // The bits of numbers that are not negative are in the numbers' order.
            let (before, after) = (pair[0].bits(), pair[1].bits());
            assert!(before <= after, "the sum descends at {} of {len}", i + 1);
            assert!(before == after || x[i + 1].bits() != 0, "a zero moves the sum at {} of {len}", i + 1);
        }
    }
    for len in if sizes::reduced() { vec![20_000] } else { vec![20_000, 1_000_003, 4_000_037] } {
        of::<f32>(place, len);
        of::<f64>(place, len);
    }
}
