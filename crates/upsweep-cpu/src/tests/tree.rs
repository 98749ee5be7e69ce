//! Float sums and products against the oracle of their tree, with equal bits: lengths around the ends of each level,
//! every kind of segments, blocks of a few tiles.

use super::*;
use std::fmt::Debug;
use upsweep_core::call::Direction;
use upsweep_core::error::Result;
use upsweep_core::operator::builtin::{Product, Sum};
use upsweep_core::operator::{Same, Widen, WidenFrom};
use upsweep_core::segments::{HeadFlags, Keys, Offsets, Whole};
use upsweep_core::steps::Parts;
use upsweep_core::tree::{GROUPS, ROWS, TILES, row_len};

#[allow(unreachable_pub, reason = "it is public where it lies")]
#[path = "../../../upsweep-testing/src/tree.rs"]
mod oracle;

/// Number with bits to compare.
trait Bits: Element + Debug {
    fn bits(self) -> u64;
}
impl Bits for f32 {
    fn bits(self) -> u64 {
        u64::from(self.canonical().to_bits())
    }
}
impl Bits for f64 {
    fn bits(self) -> u64 {
        self.canonical().to_bits()
    }
}

const DIRECTIONS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// Segments of a test's array.
#[derive(Clone, Debug)]
enum By {
    Lines(usize),
    Offsets(Vec<usize>),
    Flags(Vec<usize>),
    Keys(Vec<usize>),
}

impl By {
    /// Whether the element `at` of `n` begins a segment in scan order.
    fn is_head(&self, at: usize, n: usize, reverse: bool) -> bool {
        match self {
            Self::Lines(len) => (if reverse { at + 1 } else { at }).is_multiple_of(*len) || reverse && at + 1 == n,
            Self::Offsets(offsets) | Self::Flags(offsets) | Self::Keys(offsets) => {
                offsets.binary_search(&if reverse { at + 1 } else { at }).is_ok()
            }
        }
    }
}

/// Returns the expected results of a scan of operands.
fn expected<A: Bits>(
    x: &[A],
    row: usize,
    by: &By,
    (exclusive, reverse): (bool, bool),
    (init, identity): (Option<A>, A),
    combine: impl Fn(A, A) -> A + Copy,
) -> Vec<A> {
    let n = x.len();
    let at = |k: usize| if reverse { n - 1 - k } else { k };
    let heads: Vec<bool> = (0..n).map(|k| k == 0 || by.is_head(at(k), n, reverse)).collect();
    let elements: Vec<(A, bool)> = (0..n).map(|k| (x[at(k)], heads[k])).collect();
    // Each line is a tree of its own.
    let line = if let By::Lines(len) = by { *len } else { n.max(1) };
    let scanned: Vec<A> =
        elements.chunks(line).flat_map(|line| oracle::scan(line.iter().copied(), row, init, combine)).collect();
    let mut results = scanned.clone();
    for k in 0..n {
        let before = if heads[k] { init.unwrap_or(identity) } else { scanned[k.saturating_sub(1)] };
        results[at(k)] = if exclusive { before } else { scanned[k] };
    }
    results
}

/// Runs a job on the elements of `input` with these segments; without `input` in place.
fn run<I, O, S>(
    steps: S,
    input: Option<&[I]>,
    out: &mut [O],
    by: &By,
    (exclusive, reverse): (bool, bool),
    init: Option<S::Given>,
    limits: Limits,
) -> Result<()>
where
    I: Element,
    O: Element,
    S: JobSteps<In = I, Out = O>,
{
    let n = out.len();
    let to = (out.as_mut_ptr(), n);
    let direction = Direction { exclusive, reverse, ..Direction::default() };
    match by {
        By::Lines(len) => {
            let shape = Shape { outer: n / len.max(&1), len: *len, inner: 1 };
            let job = job::<_, _, _, Whole>(steps, input, to, shape, SegmentKind::Whole, init);
            crate::scan::run_within(job, direction, None, limits)
        }
        By::Offsets(offsets) => {
            let kind = SegmentKind::Offsets(View::Host(offsets));
            let job = job::<_, _, _, Offsets<'_, Vec<usize>>>(steps, input, to, shape_of(n), kind, init);
            crate::scan::run_within(job, direction, None, limits)
        }
        By::Flags(offsets) => {
            let flags = flags_of(offsets, n, true);
            let kind = SegmentKind::HeadFlags(View::Host(&flags));
            let job = job::<_, _, _, HeadFlags<'_, Vec<bool>>>(steps, input, to, shape_of(n), kind, init);
            crate::scan::run_within(job, direction, None, limits)
        }
        By::Keys(offsets) => {
            let mut key = 0u8;
            let heads = flags_of(offsets, n, false);
            let keys: Vec<u8> = heads
                .iter()
                .map(|&head| {
                    key = (key + 10 * u8::from(head)) % 200;
                    key
                })
                .collect();
            let kind = SegmentKind::Keys(View::Host(&keys), SameTens);
            let job = job::<_, _, _, Keys<'_, Vec<u8>, SameTens>>(steps, input, to, shape_of(n), kind, init);
            crate::scan::run_within(job, direction, None, limits)
        }
    }
}

/// Returns lengths around the ends of the levels of a tree with rows of `row` elements.
fn lengths(row: usize) -> Vec<usize> {
    let (group, tile) = (row * ROWS, row * ROWS * GROUPS);
    let mut lengths = vec![1, 2, 3];
    for end in [row, 2 * row, 3 * row, group, 2 * group, 5 * group, tile - group, tile, 3 * tile] {
        lengths.extend([end.saturating_sub(1).max(1), end, end + 1]);
    }
    lengths.extend([tile + group + row + 1, 5 * tile / 2 + 7]);
    lengths
}

/// Returns segments of `n` elements: few, many, at the ends of levels, or none.
fn segments(random: &mut Random, n: usize, row: usize) -> Vec<By> {
    let tile = row * ROWS * GROUPS;
    let mut ends: Vec<usize> =
        (0..=n).filter(|k| k % tile == 0 || random.below(8) == 0 && k % (row * 4) == 0).collect();
    ends.push(n);
    ends.dedup();
    let short: Vec<usize> = (0..=n).filter(|&k| k == 0 || k == n || random.below(9) == 0).collect();
    let random_offsets = without_empty(&random_offsets(random, n));
    let line = (1..=n).rev().filter(|&len| n.is_multiple_of(len)).nth(random.below(3)).unwrap_or(n);
    let few = (1..=n).filter(|&len| n.is_multiple_of(len)).nth(random.below(5)).unwrap_or(n);
    vec![By::Lines(n), By::Lines(line), By::Lines(few), By::Offsets(ends), By::Flags(random_offsets), By::Keys(short)]
}

/// Checks jobs against the oracle.
fn check<I, O, Op, M, F>(
    (operator, map, finish): (Op, M, F),
    value: impl Fn(u64) -> I,
    bits: impl Fn(&O) -> u64,
    seed: u64,
) where
    I: Element,
    O: Element,
    M: Map<I>,
    M::Output: Bits,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
{
    let random = &mut Random(seed);
    let row = row_len(size_of::<I>(), size_of::<O>());
    let steps = Parts::<I, O, Op, M, F>::new(operator, map, finish);
    let identity = operator.identity().unwrap();
    for n in lengths(row) {
        let x: Vec<I> = (0..n).map(|_| value(random.next())).collect();
        let mapped: Vec<_> = x.iter().enumerate().map(|(i, &x)| map.apply(x, i as u64)).collect();
        for by in segments(random, n, row) {
            // Positions are counted from the line.
            let mapped: Vec<_> = match by {
                By::Lines(len) => x.iter().enumerate().map(|(i, &x)| map.apply(x, (i % len) as u64)).collect(),
                _ => mapped.clone(),
            };
            for direction in DIRECTIONS {
                let init = random.coin().then(|| map.apply(value(random.next()), 0));
                let expected = expected(&mapped, row, &by, direction, (init, identity), |a, b| operator.combine(a, b));
                let expected: Vec<O> = expected.into_iter().map(|value| finish.call((value,))).collect();
                let skew = random.below(4);
                let limits = limits(random.below(3), random.coin());
                let threads = [1, 1, 2, 5][random.below(4)];
                let mut out = vec![expected[0]; n + 4];
                with_threads(threads, || {
                    run(steps, Some(&x), &mut out[skew..skew + n], &by, direction, init, limits).unwrap();
                });
                let wrong = (0..n).find(|&i| bits(&out[skew + i]) != bits(&expected[i]));
                assert_eq!(wrong, None, "{n} elements, {threads} threads, {direction:?}, {init:?}, {by:?}");
            }
        }
    }
}

fn single(x: u64) -> f32 {
    ((x % 2_000_003) as f32 - 900_000.0) / 37.0
}

fn double(x: u64) -> f64 {
    ((x % 2_000_000_011) as f64 - 900_000_000.0) / 37.0
}

/// Returns a factor near 1, now and then zero or negative.
fn factor(x: u64) -> f64 {
    let signed = if x.is_multiple_of(2) { 1.0 / 1.017 } else { -1.0 };
    if x.is_multiple_of(5003) { 0.0 } else { (1.0 + (x % 1009) as f64 / 3e4) * signed }
}

#[test]
fn sums() {
    check((Sum, Same, Same), single, |x: &f32| x.bits(), 1);
    check((Sum, Same, Same), double, |x: &f64| x.bits(), 2);
}

#[test]
fn products() {
    check((Product, Same, Same), |x| factor(x) as f32, |x: &f32| x.bits(), 3);
    check((Product, Same, Same), factor, |x: &f64| x.bits(), 4);
}

/// Finish to another type.
#[derive(Clone, Copy)]
struct Rounded;

impl Function<(f32,)> for Rounded {
    type Output = i16;
    fn call(&self, (x,): (f32,)) -> i16 {
        x as i16
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}
impl Function<(f64,)> for Rounded {
    type Output = f32;
    fn call(&self, (x,): (f64,)) -> f32 {
        x as f32
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

/// Map that uses the position, of pairs and quadruples: rows of 8, 4 and 2 elements.
#[derive(Clone, Copy)]
struct Weighed;

macro_rules! weighed {
    ($($t:ty),*) => { $(
        impl Map<$t> for Weighed {
            type Output = f32;
            fn apply(&self, x: $t, index: u64) -> f32 {
                x[0] as f32 * (index % 7) as f32 + x[1] as f32 / 3.0
            }
            fn cuda_function(&self, _: &mut Source) -> String {
                String::new()
            }
        }
    )* };
}
weighed!([f32; 2], [f64; 2], [f64; 4]);

#[test]
fn maps_and_finishes() {
    fn widen<I: Element, U: WidenFrom<I>>() -> Widen<U> {
        Widen::new()
    }
    check((Sum, widen::<u8, f64>(), Same), |x| x as u8, |x: &f64| x.bits(), 5);
    check((Sum, widen::<f32, f64>(), Same), single, |x: &f64| x.bits(), 6);
    check((Sum, widen::<u16, f32>(), Rounded), |x| x as u16, |&x| x as u64, 7);
    check((Sum, Same, Rounded), double, |x: &f32| x.bits(), 8);
    check((Sum, Weighed, Same), |x| [single(x), single(x / 7)], |x: &f32| x.bits(), 9);
    check((Sum, Weighed, Same), |x| [double(x), double(x / 7)], |x: &f32| x.bits(), 10);
    check((Sum, Weighed, Same), |x| [double(x); 4], |x: &f32| x.bits(), 11);
}

/// Checks scans in place, with totals, over several spans.
#[test]
fn spans() {
    let random = &mut Random(12);
    let tile = 16 * ROWS * GROUPS;
    for n in [TILES * tile - 1, TILES * tile, TILES * tile + 1, 2 * TILES * tile + 5 * tile + 1234] {
        let x: Vec<f32> = (0..n).map(|_| single(random.next())).collect();
        for direction in DIRECTIONS {
            let by = By::Lines(n);
            let expected = expected(&x, 16, &by, direction, (None, 0.0), |a, b| a + b);
            for threads in [1, 2, 3] {
                let mut out = [&x[..], &[0.0]].concat();
                let steps = Parts::<f32, f32, _, _, _>::new(Sum, Same, Same);
                with_threads(threads, || {
                    let to = (out.as_mut_ptr(), n + 1);
                    let job = job::<_, _, _, Whole>(steps, None, to, shape_of(n), SegmentKind::Whole, None);
                    let direction =
                        Direction { exclusive: direction.0, reverse: direction.1, total: true, portable: false };
                    crate::scan::run_within(job, direction, None, limits(random.clone().below(3), false)).unwrap();
                });
                let wrong = (0..n).find(|&i| out[i].bits() != expected[i].bits());
                assert_eq!(wrong, None, "{n} elements, {threads} threads, {direction:?}");
                if !direction.0 {
                    let last = if direction.1 { expected[0] } else { expected[n - 1] };
                    assert_eq!(out[n].bits(), last.bits(), "{n} elements, {threads} threads, {direction:?}");
                }
            }
        }
    }
}

/// Checks that sums of elements that are not negative never descend, and that zeros do not move them.
#[test]
fn monotone() {
    fn check<T: Bits + PartialOrd>(value: impl Fn(u64) -> T, zero: T)
    where
        Sum: Operator<T>,
    {
        let random = &mut Random(13);
        let n = 1 << 20;
        let x: Vec<T> = (0..n).map(|_| if random.below(10) < 3 { zero } else { value(random.next()) }).collect();
        for threads in [1, 2] {
            let mut out = vec![zero; n];
            let steps = Parts::<T, T, _, _, _>::new(Sum, Same, Same);
            with_threads(threads, || {
                run(steps, Some(&x), &mut out, &By::Lines(n), (false, false), None, Limits::of([size_of::<T>(); 3]))
                    .unwrap();
            });
            for i in 1..n {
                assert!(out[i] >= out[i - 1], "element {i}: {:?} after {:?}", out[i], out[i - 1]);
                assert!(x[i] != zero || out[i] == out[i - 1], "zero {i}: {:?} after {:?}", out[i], out[i - 1]);
            }
        }
    }
    check(|x| (x % 1_000_003) as f32 / 999_983.0, 0.0f32);
    check(|x| (x % 1_000_003) as f64 / 999_983.0, 0.0f64);
}

/// Checks the kernels of each instruction set, and rows that follow a prefix.
#[test]
fn on_each_set() {
    let random = &mut Random(14);
    for n in lengths(16) {
        let x: Vec<f32> = (0..n).map(|_| single(random.next())).collect();
        for direction in DIRECTIONS {
            for prefix in [None, Some(single(random.next()))] {
                let expected = expected(&x, 16, &By::Lines(n), direction, (prefix, 0.0), |a, b| a + b);
                let how = (random.coin(), random.below(64));
                let found = rows::on_each((Sum, Same, Same), &x, direction, prefix, how);
                for (set, (total, found)) in found.into_iter().enumerate() {
                    let wrong = (0..n).find(|&i| found[i].bits() != expected[i].bits());
                    assert_eq!(wrong, None, "instruction set {set}, {n} elements, {direction:?}, {prefix:?}");
                    if !direction.0 {
                        let last = if direction.1 { expected[0] } else { expected[n - 1] };
                        assert_eq!(total.map(Bits::bits), Some(last.bits()), "instruction set {set}, {n} elements");
                    }
                }
            }
        }
    }
}

/// Checks NaN, infinities and negative zeros.
#[test]
fn special_values() {
    let value = |x: u64| match x % 3001 {
        0 => f32::NAN,
        1 => f32::INFINITY,
        2 => f32::NEG_INFINITY,
        _ => -0.0,
    };
    check((Sum, Same, Same), value, |x: &f32| x.bits(), 15);
    check((Sum, Same, Same), |_| -0.0, |x: &f64| x.bits(), 16);
}
