//! Tests of selections and runs with blocks so small that short arrays cross many, by one thread and by several.

use super::{Random, with_threads};
use crate::{runs, select};
use std::fmt::Debug;
use upsweep_core::buffer::View;
use upsweep_core::call::select::{Among, Choose, Choosing, FirstOf, Indices, LastOf, Others, Values, Where, Yields};
use upsweep_core::error::Error;
use upsweep_core::operator::{Element, Function, Source};
use upsweep_core::outputs::Target;
use upsweep_core::segments::Equal;
use upsweep_plan::select::CpuSelectPlan;

#[derive(Clone, Copy)]
struct Nonzero;

impl<T: Element + PartialEq + From<u8>> Function<(T,)> for Nonzero {
    type Output = bool;
    fn call(&self, (x,): (T,)) -> bool {
        x != T::from(0)
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

fn target<T: Element>(x: &mut [T]) -> Target<'_, T> {
    Target::on_the_host(x.as_mut_ptr(), x.len())
}

/// Calls `check` with lengths and plans: blocks, threads, and the options of large arrays.
fn cases(mut check: impl FnMut(usize, CpuSelectPlan)) {
    for len in [0, 1, 63, 64, 65, 1000, 1024, 1025, 5000] {
        for block in [1, 7, 64, 100, 1500, 10_000] {
            for (threads, large) in [(1, false), (3, false), (3, true)] {
                check(len, CpuSelectPlan { block, threads, ahead: large, non_temporal: large });
            }
        }
    }
}

fn run<C, V, I, O>(
    choice: &C,
    x: &[I],
    plan: CpuSelectPlan,
    known: usize,
    (output, others): (Option<Target<'_, O>>, Others<'_, O>),
) -> upsweep_core::error::Result<usize>
where
    C: Choose<I>,
    V: Yields<I, O>,
    I: Element,
    O: Element,
{
    let input = Among::Buffer(View::Host(x));
    let call = Choosing { choice, input, length: None, output, others };
    select::run_within::<(I,), _, V, _, _>(&call, known, plan)
}

/// Checks that `kept` are the selected elements of `x`: with an output of just enough room, with one of too little,
/// with the rejected elements, and in place.
fn expect<C, V, I, O>(choice: &C, x: &[I], kept: &[O], others: &[O], plan: CpuSelectPlan)
where
    C: Choose<I> + Sync,
    V: Yields<I, O>,
    I: Element,
    O: Element + PartialEq + Debug + From<u8>,
{
    let poison = O::from(77);
    for room in [kept.len(), kept.len() / 2, kept.len() + 3] {
        let mut output = vec![poison; kept.len() + 9];
        let found = run::<_, V, _, _>(choice, x, plan, 0, (Some(target(&mut output[..room])), Others::Dropped));
        let stored = room.min(kept.len());
        assert_eq!(
            (&output[..stored], &output[stored..]),
            (&kept[..stored], &vec![poison; kept.len() + 9 - stored][..])
        );
        match found {
            Ok(found) => assert_eq!((found, stored), (kept.len(), kept.len())),
            Err(error) => assert_eq!(error, Error::Capacity { what: "output", needed: kept.len(), capacity: room }),
        }
    }
    assert_eq!(run::<_, V, _, _>(choice, x, plan, 0, (None, Others::Dropped)), Ok(kept.len()));
    let (mut output, mut rest) = (vec![poison; kept.len()], vec![poison; others.len()]);
    let both = (Some(target(&mut output)), Others::Apart(target(&mut rest)));
    assert_eq!(run::<_, V, _, _>(choice, x, plan, 0, both), Ok(kept.len()));
    assert_eq!((&output[..], &rest[..]), (kept, others));
    let mut output = vec![poison; x.len()];
    let both = (Some(target(&mut output)), Others::Behind);
    assert_eq!(run::<_, V, _, _>(choice, x, plan, kept.len(), both), Ok(kept.len()));
    assert_eq!(output, [kept, others].concat());
}

fn check<T: Element + PartialEq + Debug + From<u8> + Into<u128>>() {
    let mut random = Random(5);
    with_threads(3, || {
        cases(|len, plan| {
            let bound = [2, 3, 60][random.below(3)];
            let x: Vec<T> = (0..len).map(|_| T::from((random.below(bound) * random.below(3)) as u8)).collect();
            let split = |keep: &dyn Fn(usize) -> bool| -> (Vec<usize>, Vec<usize>) { (0..len).partition(|&i| keep(i)) };
            let of = |places: &[usize]| -> Vec<T> { places.iter().map(|&i| x[i]).collect() };
            let indices = |places: &[usize]| -> Vec<u64> { places.iter().map(|&i| i as u64).collect() };
            let (kept, others) = split(&|i| x[i] != T::from(0));
            expect::<_, Values, _, _>(&Where(Nonzero), &x, &of(&kept), &of(&others), plan);
            expect::<_, Indices, _, u64>(&Where(Nonzero), &x, &indices(&kept), &indices(&others), plan);
            let (last, others) = split(&|i| i + 1 == len || x[i] != x[i + 1]);
            expect::<_, Values, _, _>(&LastOf(Equal), &x, &of(&last), &of(&others), plan);
            let (first, others) = split(&|i| i == 0 || x[i] != x[i - 1]);
            expect::<_, Values, _, _>(&FirstOf(Equal), &x, &of(&first), &of(&others), plan);
            let mut data = x.clone();
            let choice = FirstOf(Equal);
            let output = Some(target(&mut data));
            let call =
                Choosing { choice: &choice, input: Among::OfOutput, length: None, output, others: Others::Dropped };
            assert_eq!(select::run_within::<(T,), _, Values, T, T>(&call, 0, plan), Ok(first.len()));
            assert_eq!(data[..first.len()], of(&first)[..]);
            let ends = first.iter().skip(1).copied().chain([len]);
            let lengths: Vec<u64> = first.iter().zip(ends).map(|(first, end)| (end - first) as u64).collect();
            expect_runs(&x, (&of(&first), &lengths), true, plan);
            expect_runs(&x, (&of(&first), &indices(&first)), false, plan);
        });
    });
}

fn expect_runs<T>(x: &[T], (values, numbers): (&[T], &[u64]), lengths: bool, plan: CpuSelectPlan)
where
    T: Element + PartialEq + Debug + From<u8>,
{
    let runs = values.len();
    for room in [runs, runs / 2, runs + 3] {
        let (mut firsts, mut found) = (vec![T::from(77); runs + 9], vec![77; runs + 9]);
        let (choice, input, output) = (FirstOf(Equal), Among::Buffer(View::Host(x)), Some(target(&mut firsts[..room])));
        let call = Choosing { choice: &choice, input, length: None, output, others: Others::Dropped };
        let number = runs::run_within(&call, Some(&target(&mut found[..room])), lengths, plan);
        let stored = room.min(runs);
        assert_eq!((&firsts[..stored], &found[..stored]), (&values[..stored], &numbers[..stored]), "{plan:?}");
        assert!(firsts[stored..].iter().all(|&x| x == T::from(77)) && found[stored..].iter().all(|&x| x == 77));
        match number {
            Ok(number) => assert_eq!((number, stored), (runs, runs)),
            Err(error) => assert_eq!(error, Error::Capacity { what: "output", needed: runs, capacity: room }),
        }
    }
}

#[test]
fn selections_and_runs_cross_blocks() {
    check::<u8>();
    check::<u32>();
    check::<u64>();
    check::<u128>();
}
