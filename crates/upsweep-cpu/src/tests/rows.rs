//! Scans row by row in registers, on each instruction set of this processor. Builds with debug assertions have one set
//! alone.

use super::*;
use crate::tile::lanes::{AFTER, EVENS, LOWER, Lanes, ODDS, ROW_BYTES, UPPER, Work};
use crate::tile::run::NextBlock;
use crate::tile::{numbers, rows, store};
use std::fmt::Debug;
use std::marker::PhantomData;
use upsweep_core::operator::Same;
use upsweep_core::operator::builtin::{And, First, Last, Max, Min, Sum};
use upsweep_core::steps::Parts;

/// Composition of functions `x -> m x + c` in one number, with `m` in the upper half of its bits: not commutative.
#[derive(Clone, Copy)]
struct Packed;

macro_rules! packed {
    ($($t:ty),*) => { $(
        impl Operator<$t> for Packed {
            const LANES: bool = true;
            fn combine(&self, f: $t, g: $t) -> $t {
                const HALF: u32 = <$t>::BITS / 2;
                let (m, c) = ((f >> HALF).wrapping_mul(g >> HALF), f.wrapping_mul(g >> HALF).wrapping_add(g));
                (m << HALF) | (c & (<$t>::MAX >> HALF))
            }
            fn identity(&self) -> Option<$t> {
                Some(1 << (<$t>::BITS / 2))
            }
            fn cuda_function(&self, _: &mut Source) -> String {
                String::new()
            }
        }
    )* };
}
packed!(u8, u16, u32, u64);

/// Conversion of a number to the wider or narrower type `T`, used as a map or a finish of a scan.
#[derive(Clone, Copy)]
struct As<T>(PhantomData<fn() -> T>);

macro_rules! converted {
    ($($from:ty => $to:ty),*) => { $(
        impl Map<$from> for As<$to> {
            type Output = $to;
            fn apply(&self, x: $from, index: u64) -> $to {
                (x as $to).wrapping_mul(3).wrapping_add(index as $to)
            }
            fn cuda_function(&self, _: &mut Source) -> String {
                String::new()
            }
        }
        impl Function<($from,)> for As<$to> {
            type Output = $to;
            fn call(&self, (x,): ($from,)) -> $to {
                (x as $to).rotate_left(3)
            }
            fn cuda_function(&self, _: &mut Source) -> String {
                String::new()
            }
        }
    )* };
}
converted!(u8 => u32, u32 => u8, u64 => u16, u16 => u64, u64 => u32);

/// Returns the totals and results of scans of `x` on each instruction set, with the output `skew` bytes after a cache
/// line's start.
pub(super) fn on_each<I, O, Op, M, F>(
    (operator, map, finish): (Op, M, F),
    x: &[I],
    (exclusive, reverse): (bool, bool),
    prefix: Option<M::Output>,
    (non_temporal, skew): (bool, usize),
) -> Vec<(Option<M::Output>, Vec<O>)>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
{
    let steps = Parts::<I, O, Op, M, F>::new(operator, map, finish);
    let apply = rows::apply::<Parts<I, O, Op, M, F>>() || numbers::apply::<Parts<I, O, Op, M, F>>();
    assert!(apply, "the operator is not scanned in registers");
    let (n, size) = (x.len(), size_of::<O>());
    let mut room = vec![0xa5_u8; (n + 1) * size + 2 * ROW_BYTES];
    let from = room.as_ptr().align_offset(ROW_BYTES) + skew / size * size;
    let output = room[from..].as_mut_ptr().cast::<O>();
    let next = NextBlock { first: 64, len: n, stride: 0 };
    let storing = Storing { exclusive, identity: operator.identity(), non_temporal, block: 0, next };
    let memory = Memory::<I, O> { input: x.as_ptr(), sink: output, output, len: n, reverse };
    let run = Run { start: 0, len: n, origin: 0 };
    let run = |set: Set| {
        // SAFETY: the run is all of the memory, which nothing else uses.
        let total = unsafe { as_a_job(steps, memory, ScanBy { set, run, prefix, storing: &storing }) };
        store::fence();
        // SAFETY: the scan has written `n` results.
        (total, unsafe { std::slice::from_raw_parts(output, n) }.to_vec())
    };
    Set::all().into_iter().map(run).collect()
}

/// Checks `on_each` against the oracle for some lengths, and that all instruction sets have equal results.
pub(super) fn check<I, O, Op, M, F>(steps: (Op, M, F), value: impl Fn(u64) -> I, equal: impl Fn(&O, &O) -> bool)
where
    I: Element,
    O: Element + Debug,
    M: Map<I>,
    M::Output: Debug,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
{
    let (operator, map, finish) = steps;
    let random = &mut Random(7);
    let tile = crate::tile::reduce::tile_len::<Parts<I, O, Op, M, F>>();
    for n in [tile - 1, tile, tile + 1, 3 * tile + 5] {
        for case in 0..16 {
            let (exclusive, reverse, non_temporal) = (case & 1 != 0, case & 2 != 0, case & 4 != 0);
            let x: Vec<I> = (0..n).map(|_| value(random.next())).collect();
            let mut mapped: Vec<_> = x.iter().enumerate().map(|(i, &x)| map.apply(x, i as u64)).collect();
            if reverse {
                mapped.reverse();
            }
            let prefix = (case & 8 != 0).then(|| map.apply(value(random.next()), 0));
            let mut state = prefix;
            let scanned = mapped.iter().map(|&x| {
                let before = state;
                state = Some(before.map_or(x, |before| operator.combine(before, x)));
                if exclusive { before.or(operator.identity()) } else { state }
            });
            let mut expected: Vec<_> = scanned.map(|value| value.map(|value| finish.call((value,)))).collect();
            if reverse {
                expected.reverse();
            }
            let skew = random.below(ROW_BYTES);
            let found = on_each(steps, &x, (exclusive, reverse), prefix, (non_temporal, skew));
            for (set, (_, found)) in found.iter().enumerate() {
                let wrong = (0..n).find(|&i| expected[i].as_ref().is_some_and(|expected| !equal(&found[i], expected)));
                let wrong = wrong.map(|i| (i, found[i], expected[i]));
                assert!(wrong.is_none(), "instruction set {set}, {n} elements, case {case}: {wrong:?}");
            }
        }
    }
}

#[test]
fn elements_of_every_width() {
    check((Packed, Same, Same), |x| x as u8 | 0x10, u8::eq);
    check((Packed, Same, Same), |x| x as u16 | 0x100, u16::eq);
    check((Packed, Same, Same), |x| x as u32 | 0x10000, u32::eq);
    check((Packed, Same, Same), |x| x | 1 << 32, u64::eq);
}

/// Checks the first elements of an array, which are scanned after a neutral value that is not the identity.
#[test]
fn operators_whose_grouping_does_not_show() {
    check((Max, Same, Same), |x| x as u8 | 1, u8::eq);
    check((Min, Same, Same), |x| x as i16, i16::eq);
    check((Sum, Same, Same), |x| x as u32, u32::eq);
    check((And, Same, Same), |x| x | 1 << (x % 64), u64::eq);
    check((Max, Same, Same), |x| f32::from_bits(x as u32), |a, b| a.canonical().to_bits() == b.canonical().to_bits());
    check((Min, Same, Same), |x| x as f64 - 1e9, |a, b| a.to_bits() == b.to_bits());
}

#[test]
fn operators_without_identity() {
    check((First, Same, Same), |x| x as u32, u32::eq);
    check((Last, Same, Same), |x| x as u8, u8::eq);
}

#[test]
fn maps_and_results_of_other_widths() {
    check((Packed, As::<u32>(PhantomData), As::<u8>(PhantomData)), |x| x as u8, u8::eq);
    check((Packed, As::<u64>(PhantomData), As::<u16>(PhantomData)), |x| x as u16, u16::eq);
    check((Packed, Same, As::<u32>(PhantomData)), |x| x, u32::eq);
}

/// Checks that the grouping of floats is the same on each instruction set, and in a scan and the reduction of its
/// elements unless scans alone have a tree.
#[test]
fn floats_have_the_same_bits_everywhere() {
    same(Sum, |x| x as f32 / 1e9 - 9.0, |x| u64::from(x.to_bits()));
    same(Sum, |x| x as f64 / 1e9 - 9.0, f64::to_bits);
    same(Max, |x| f32::from_bits(x as u32), |x| u64::from(x.canonical().to_bits()));
    same(Max, |x| f64::from_bits(x << 17), |x| x.canonical().to_bits());
}

pub(super) fn same<T: Element, Op: Operator<T>>(operator: Op, value: impl Fn(u64) -> T, bits: impl Fn(T) -> u64) {
    let random = &mut Random(3);
    for n in [1000, 2048, 9000] {
        let x: Vec<T> = (0..n).map(|_| value(random.next())).collect();
        for case in 0..8 {
            let (exclusive, reverse) = (case & 1 != 0, case & 2 != 0);
            let prefix = Some(value(random.next()));
            let found = on_each((operator, Same, Same), &x, (exclusive, reverse), prefix, (case & 4 != 0, 16));
            let found: Vec<_> = found
                .into_iter()
                .map(|(total, out): (_, Vec<T>)| (total.map(&bits), out.into_iter().map(&bits).collect::<Vec<_>>()))
                .collect();
            assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{n} elements, case {case}");
            if Parts::<T, T, Op, Same, Same>::TREE {
                continue;
            }
            let output = std::ptr::null_mut::<T>();
            let memory = Memory::<T, T> { input: x.as_ptr(), sink: output, output, len: n, reverse };
            let steps = Parts::<T, T, _, _, _>::new(operator, Same, Same);
            let reduce = ReduceBy { set: Set::widest(), run: Run { start: 0, len: n, origin: 0 } };
            // SAFETY: the run is all of `x`, and a reduction writes nothing.
            let total: Option<T> = unsafe { as_a_job(steps, memory, reduce) };
            assert_eq!(found[0].0, total.map(&bits), "{n} elements, case {case}");
        }
    }
}

/// Operands of the shuffles of rows.
#[derive(Clone, Copy)]
struct Shuffles<T>([T; 64], [T; 64]);

impl<T: Copy + Default> Work for Shuffles<T> {
    type Result = Vec<Vec<T>>;

    unsafe fn run<L: Lanes>(self) -> Vec<Vec<T>> {
        let lanes = ROW_BYTES / size_of::<T>();
        // SAFETY: rows are read and written in their 64 bytes, and `Set` has checked for the instructions of `L`.
        unsafe {
            let row = |from: &[T; 64]| from.as_ptr().cast::<L::Row>().read_unaligned();
            let (a, b) = (row(&self.0), row(&self.1));
            let mut rows = vec![L::last::<T>(a), L::shifted::<T>(a, b), L::reversed::<T>(a), L::opaque(a)];
            macro_rules! spans {
                ($($span:literal)*) => { $(
                    if $span >= size_of::<T>() {
                        rows.push(L::halves::<T, $span>(a, L::spread::<T, $span>(b), false));
                        rows.push(L::halves::<T, $span>(a, b, true));
                    }
                )* };
            }
            spans!(1 2 4 8 16 32);
            if size_of::<T>() >= 4 {
                rows.extend([L::two::<T, EVENS>(a, b), L::two::<T, ODDS>(a, b), L::two::<T, AFTER>(a, b)]);
                rows.extend([L::two::<T, LOWER>(a, b), L::two::<T, UPPER>(a, b)]);
            }
            let lanes_of = |row: &L::Row| std::slice::from_raw_parts((&raw const *row).cast::<T>(), lanes).to_vec();
            rows.iter().map(lanes_of).collect()
        }
    }
}

#[test]
fn shuffles() {
    fn check<T: Copy + Default + PartialEq + Debug>(value: impl Fn(usize) -> T) {
        let (a, b): (Vec<T>, Vec<T>) = (0..64).map(|i| (value(i + 1), value(i + 101))).unzip();
        let lanes = ROW_BYTES / size_of::<T>();
        let mut expected = vec![
            vec![a[lanes - 1]; lanes],
            std::iter::once(a[lanes - 1]).chain(b[..lanes - 1].iter().copied()).collect(),
            a[..lanes].iter().rev().copied().collect(),
            a[..lanes].to_vec(),
        ];
        let mut half = 1;
        while half < lanes {
            let lane = |i: usize, upper: T| if (i / half).is_multiple_of(2) { a[i] } else { upper };
            expected.push((0..lanes).map(|i| lane(i, b[(i / half * half).saturating_sub(1)])).collect());
            expected.push((0..lanes).map(|i| lane(i, b[i])).collect());
            half *= 2;
        }
        if size_of::<T>() >= 4 {
            let both = [&a[..lanes], &b[..lanes]].concat();
            expected.extend([0, 1].map(|first| both.iter().skip(first).step_by(2).copied().collect()));
            expected.push(both[1..=lanes].to_vec());
            let pairs: Vec<T> = a[..lanes].iter().zip(&b).flat_map(|(&a, &b)| [a, b]).collect();
            expected.extend(pairs.chunks(lanes).map(<[T]>::to_vec));
        }
        let work = Shuffles(a.try_into().unwrap(), b.try_into().unwrap());
        for set in Set::all() {
            // SAFETY: the processor has the instructions of every `Set`.
            assert_eq!(unsafe { set.compiled()(work) }, expected, "lanes of {} bytes", size_of::<T>());
        }
    }
    check(|i| i as u8);
    check(|i| i as u16 * 257);
    check(|i| i as u32 * 0x0101_0101);
    check(|i| i as u64 * 0x0101_0101_0101_0101);
    check(|i| i as f32);
}
