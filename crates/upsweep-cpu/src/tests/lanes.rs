//! Totals of float sums and products against the oracle of their tree, with equal bits: lengths around the ends of rows,
//! chunks, subtrees and blocks, lines, any number of threads, every instruction set.

use super::*;
use std::cell::Cell;
use std::fmt::Debug;
use upsweep_core::halves::InF32;
use upsweep_core::lanes::{ROWS, lanes};
use upsweep_core::operator::builtin::{Product, Sum};
use upsweep_core::operator::{Same, Widen, WidenFrom};
use upsweep_core::segments::Whole;
use upsweep_core::steps::Parts;

#[allow(unreachable_pub, reason = "it is public where it lies")]
#[path = "../../../upsweep-testing/src/lanes.rs"]
mod oracle;

/// Returns lengths around the ends of rows, chunks and subtrees of rows of `lanes` elements.
fn lengths(lanes: usize) -> Vec<usize> {
    let chunk = ROWS * lanes;
    let mut lengths: Vec<usize> = (1..=40).collect();
    for end in [lanes / 2, lanes, 2 * lanes, 7 * lanes, chunk, 2 * chunk, 3 * chunk, 4 * chunk, 7 * chunk, 16 * chunk] {
        lengths.extend([end - 1, end, end + 1, end + lanes + 3]);
    }
    lengths
}

/// Total of a subtree by the kernel of an instruction set.
#[derive(Clone, Copy)]
struct TotalBy {
    set: Set,
    run: Run,
}

impl<S: Steps> Body<S> for TotalBy {
    type Result = Option<S::Acc>;

    unsafe fn run<E: Steps>(self, steps: E, memory: Memory<E::In, E::Out>) -> Option<S::Acc> {
        let Self { set, run } = self;
        // SAFETY: the processor has the instructions of every `Set`. The run is in memory, and values have the same
        // bits.
        unsafe { Reducer::of_subtrees(set, &steps, &memory).reduce(run, Ahead::NOTHING).map(|total| bits(total)) }
    }
}

/// Checks jobs whose steps are `steps` against the oracle. `value` makes an element of random bits, and `bits` tells
/// results apart.
fn check<I, O, S>(steps: S, value: impl Fn(u64) -> I, bits: impl Fn(O) -> u64, seed: u64)
where
    I: Element,
    O: Element + Debug,
    S: JobSteps<In = I, Out = O>,
{
    let random = &mut Random(seed);
    let lanes = lanes(size_of::<I>(), size_of::<S::Acc>());
    for n in lengths(lanes) {
        let shift = random.below(3);
        let x: Vec<I> = (0..n + shift).map(|_| value(random.next())).collect();
        let x = &x[shift..];
        let line = (1..=n).rev().filter(|&len| n.is_multiple_of(len)).nth(random.below(3)).unwrap_or(n);
        for line in [n, line] {
            let given = random.coin();
            let init = if given { Some(steps.load(value(random.next()), 0)) } else { None };
            let expected = x.chunks(line).map(|line| {
                let elements = line.iter().enumerate().map(|(i, &x)| steps.load(x, i));
                bits(steps.store(oracle::reduce(elements, lanes, init, |a, b| steps.combine(a, b)).unwrap()))
            });
            let expected: Vec<u64> = expected.collect();
            for threads in [1, 2, 5] {
                let mut out = vec![steps.store(steps.load(x[0], 0)); n / line];
                let limits = limits([1, 3 * ROWS * lanes, 9 * ROWS * lanes][random.below(3)], false);
                let shape = Shape { outer: n / line, len: line, inner: 1 };
                let init = init.map(|x| steps.carried(x));
                with_threads(threads, || {
                    let to = (out.as_mut_ptr(), out.len());
                    let job = job::<_, _, _, Whole>(steps, Some(x), to, shape, SegmentKind::Whole, init);
                    crate::reduce::run_within(job, None, limits).unwrap();
                });
                let found: Vec<u64> = out.iter().map(|&x| bits(x)).collect();
                assert_eq!(found, expected, "{n} elements in lines of {line}, {threads} threads, {limits:?}");
            }
        }
        let elements = x.iter().enumerate().map(|(i, &x)| steps.load(x, i));
        let expected = bits(steps.store(oracle::reduce(elements, lanes, None, |a, b| steps.combine(a, b)).unwrap()));
        for set in Set::all() {
            let output = std::ptr::null_mut();
            let memory = Memory { input: x.as_ptr(), sink: output, output, len: n, reverse: false };
            let body = TotalBy { set, run: Run { start: 0, len: n, origin: 0 } };
            // SAFETY: the run is in the memory, and a reduction of it stores nothing.
            let total = unsafe { as_a_job(steps, memory, body) }.unwrap();
            assert_eq!(bits(steps.store(total)), expected, "{n} elements, {set:?}");
        }
    }
}

fn single(x: u64) -> f32 {
    ((x % 2_000_003) as f32 - 900_000.0) / 37.0
}

fn double(x: u64) -> f64 {
    ((x % 2_000_000_011) as f64 - 900_000_000.0) / 37.0
}

/// Returns a factor near 1, now and then negative.
fn factor(x: u64) -> f64 {
    (1.0 + (x % 1009) as f64 / 3e4) * if x.is_multiple_of(2) { 1.0 / 1.017 } else { -1.0 }
}

fn of<I: Element, O: Element, Op, M, F>(operator: Op, map: M, finish: F) -> Parts<I, O, Op, M, F> {
    Parts::new(operator, map, finish)
}

#[test]
fn sums() {
    check(of::<f32, f32, _, _, _>(Sum, Same, Same), single, |x| x.to_bits().into(), 1);
    check(of::<f64, f64, _, _, _>(Sum, Same, Same), double, f64::to_bits, 2);
}

#[test]
fn products() {
    check(of::<f32, f32, _, _, _>(Product, Same, Same), |x| factor(x) as f32, |x| x.to_bits().into(), 3);
    check(of::<f64, f64, _, _, _>(Product, Same, Same), factor, f64::to_bits, 4);
}

/// Sums of f16 and bf16 have 128 lanes, as they are combined in f32, and are rounded once. Large numbers that cancel each
/// other leave what their sums with small ones lost: else the rounding would hide every grouping.
#[test]
fn halves() {
    let (f16, bf16) = (half::f16::from_f32, half::bf16::from_f32);
    let sign = Cell::new(60_000.0);
    let cancelling = |x: u64| {
        if x.is_multiple_of(2) {
            sign.set(-sign.get());
            return sign.get();
        }
        single(x) / 500_000.0
    };
    check(InF32(of::<_, half::f16, _, _, _>(Sum, Same, Same)), |x| f16(cancelling(x)), |x| x.to_bits().into(), 5);
    check(InF32(of::<_, half::bf16, _, _, _>(Sum, Same, Same)), |x| bf16(cancelling(x)), |x| x.to_bits().into(), 6);
}

/// NaN, infinities and zeros of both signs. Without them every sum would be the same whatever is left out.
#[test]
fn special_values() {
    let rare = |x: u64| match x % 1500 {
        0 => f32::INFINITY,
        1 => f32::NEG_INFINITY,
        2 => f32::from_bits(0xff80_0001),
        _ => single(x),
    };
    check(of::<f32, f32, _, _, _>(Sum, Same, Same), rare, |x| x.to_bits().into(), 7);
    check(of::<f64, f64, _, _, _>(Sum, Same, Same), |_| -0.0, f64::to_bits, 8);
    let zeros = |x: u64| if x.is_multiple_of(300) { 0.0 } else { -0.0 };
    check(of::<f32, f32, _, _, _>(Sum, Same, Same), zeros, |x| x.to_bits().into(), 9);
}

/// Finish to another type.
#[derive(Clone, Copy)]
struct Rounded;

impl Function<(f64,)> for Rounded {
    type Output = f32;
    fn call(&self, (x,): (f64,)) -> f32 {
        x as f32
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

/// Map that uses the position.
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
weighed!([f32; 2], [f32; 3], [f64; 4]);

#[test]
fn maps_and_finishes() {
    fn widen<I: Element, U: WidenFrom<I>>() -> Widen<U> {
        Widen::new()
    }
    check(of::<u8, f64, _, _, _>(Sum, widen::<u8, f64>(), Same), |x| x as u8, f64::to_bits, 10);
    check(of::<u16, f32, _, _, _>(Sum, widen::<u16, f32>(), Same), |x| x as u16, |x| x.to_bits().into(), 11);
    check(of::<f32, f64, _, _, _>(Sum, widen::<f32, f64>(), Same), single, f64::to_bits, 12);
    check(of::<f64, f32, _, _, _>(Sum, Same, Rounded), double, |x| x.to_bits().into(), 13);
    let pair = |x| [single(x), single(x / 7)];
    check(of::<[f32; 2], f32, _, _, _>(Sum, Weighed, Same), pair, |x| x.to_bits().into(), 14);
    let three = |x| [single(x), single(x / 7), 0.0];
    check(of::<[f32; 3], f32, _, _, _>(Sum, Weighed, Same), three, |x| x.to_bits().into(), 15);
    check(of::<[f64; 4], f32, _, _, _>(Sum, Weighed, Same), |x| [double(x); 4], |x| x.to_bits().into(), 16);
}
