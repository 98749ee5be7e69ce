//! Carry of a scan: parts that are scanned one after the other have the results of one scan.

use super::*;
use upsweep_core::buffer::{View, ViewMut};
use upsweep_core::call::Direction;
use upsweep_core::call::carry::{self, Carried};
use upsweep_core::operator::builtin::Sum;
use upsweep_core::operator::{Function, Same};
use upsweep_core::segments::{HeadFlags, Keys, Whole};
use upsweep_core::steps::Parts;

/// Options of a scan and the cut of its blocks.
#[derive(Clone, Copy, Debug)]
struct Options {
    exclusive: bool,
    block: usize,
    non_temporal: bool,
}

/// Segments of the whole array, which each part has its own part of.
#[derive(Clone, Copy, Debug)]
enum By<'a> {
    Nothing,
    Flags(&'a [bool]),
    Keys(&'a [u8]),
}

/// Scans `x` in the parts between `cuts`, each by itself, and returns the results.
fn in_parts<I, M, Op, F, O>(
    (map, operator, finish): (M, Op, F),
    x: &[I],
    init: Option<M::Output>,
    options: Options,
    by: By<'_>,
    cuts: &[usize],
) -> Vec<O>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
{
    type StepsOf<I, O, Op, M, F> = Parts<I, O, Op, M, F>;
    let Options { exclusive, block, non_temporal } = options;
    let steps = || StepsOf::<I, O, Op, M, F>::new(operator, map, finish);
    let words = carry::words::<StepsOf<I, O, Op, M, F>, Keys<'_, [u8], SameTens>>();
    // Words of a state that a call should not have read are poisoned.
    let (mut before, mut after) = (vec![!0; words], vec![!0; words]);
    let direction = Direction { exclusive, ..Direction::default() };
    let mut results: Vec<O> = Vec::with_capacity(x.len());
    for pair in cuts.windows(2) {
        let range = pair[0]..pair[1];
        let to = (results.spare_capacity_mut().as_mut_ptr().cast::<O>(), range.len());
        let part = Some(&x[range.clone()]);
        let carried =
            Carried { position: range.start as u64, before: View::Host(&before), after: ViewMut::Host(&mut after) };
        let (shape, limits) = (shape_of(range.len()), limits(block, non_temporal));
        match by {
            By::Nothing => {
                let job = job::<_, _, _, Whole>(steps(), part, to, shape, SegmentKind::Whole, init);
                crate::scan::run_within(job, direction, Some(carried), limits)
            }
            By::Flags(flags) => {
                let flags = SegmentKind::HeadFlags(View::Host(&flags[range.clone()]));
                let job = job::<_, _, _, HeadFlags<'_, [bool]>>(steps(), part, to, shape, flags, init);
                crate::scan::run_within(job, direction, Some(carried), limits)
            }
            By::Keys(keys) => {
                let keys = SegmentKind::Keys(View::Host(&keys[range.clone()]), SameTens);
                let job = job::<_, _, _, Keys<'_, [u8], SameTens>>(steps(), part, to, shape, keys, init);
                crate::scan::run_within(job, direction, Some(carried), limits)
            }
        }
        .unwrap();
        // SAFETY: the scan has written all results of the part.
        unsafe { results.set_len(range.end) };
        if !range.is_empty() {
            std::mem::swap(&mut before, &mut after);
        }
        after.fill(!0);
    }
    results
}

/// Checks parts against the whole, by every segmentation.
fn check<I, M, Op, F, O>(steps: (M, Op, F), element: impl Fn(u64) -> I + Sync, init: M::Output, lengths: &[usize])
where
    I: Element,
    O: Element + std::fmt::Debug,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
{
    let bytes = |results: &[O]| -> Vec<u8> {
        // SAFETY: the results are numbers or structs of equal numbers, without padding.
        unsafe { std::slice::from_raw_parts(results.as_ptr().cast(), size_of_val(results)) }.to_vec()
    };
    for threads in [1, 2, 8] {
        with_threads(threads, || {
            let random = &mut Random(22 + threads as u64);
            for &n in lengths {
                for exclusive in [false, true] {
                    let block = BLOCKS[random.next() as usize % BLOCKS.len()];
                    let options = Options { exclusive, block, non_temporal: random.coin() };
                    let x: Vec<I> = (0..n).map(|_| element(random.next())).collect();
                    let rare = 1 + random.next() % 300;
                    let flags: Vec<bool> = (0..n).map(|_| random.next().is_multiple_of(rare)).collect();
                    let mut key = 0u8;
                    let keys: Vec<u8> = flags
                        .iter()
                        .map(|&flag| {
                            // The last digit is not compared.
                            key = if flag { key.wrapping_add(10) % 250 } else { key / 10 * 10 + key % 3 };
                            key
                        })
                        .collect();
                    let init = (exclusive && operator_has_no_identity(steps.1) || random.coin()).then_some(init);
                    for by in [By::Nothing, By::Flags(&flags), By::Keys(&keys)] {
                        let cuts = random_offsets(random, n);
                        let whole = in_parts(steps, &x, init, options, by, &[0, n]);
                        let parts = in_parts(steps, &x, init, options, by, &cuts);
                        let at = bytes(&whole).iter().zip(bytes(&parts)).position(|(a, b)| *a != b);
                        let wrong =
                            at.map(|at| (at / size_of::<O>(), whole[at / size_of::<O>()], parts[at / size_of::<O>()]));
                        let by = match by {
                            By::Nothing => "nothing",
                            By::Flags(_) => "flags",
                            By::Keys(_) => "keys",
                        };
                        assert!(wrong.is_none(), "{n} elements by {by}, cut at {cuts:?}, {options:?}: {wrong:?}");
                    }
                }
            }
        });
    }
}

fn operator_has_no_identity<T: Element, Op: Operator<T>>(operator: Op) -> bool {
    operator.identity().is_none()
}

#[test]
fn parts_are_the_whole() {
    let lengths = [0, 1, 2, 65, 300, 2049, 9000];
    check((Same, Then, Same), |x| Affine(x as u32 | 1, (x >> 9) as u32), Affine(3, 5), &lengths);
    check((Same, Concat, Hash), Word::letter, Word::letter(9), &lengths);
    check((Same, Sum, Same), |x| x as i8, 7, &lengths);
    // Positions count through all parts.
    check((Positioned, Concat, Hash), |x| x as u16, Word::letter(9), &lengths);
}

/// Sums of floats have the bits of the whole wherever they are cut: in rows, groups, tiles and spans.
#[test]
fn parts_have_the_same_bits() {
    let number = |x: u64| (x as u32 as f64 - 2e9) * 0.125f64.powi((x >> 40) as i32 % 6);
    check((Same, Sum, Same), |x| number(x) as f32, 0.375, &[1, 15, 129, 3071, 3072, 3073, 9000, 99_000]);
    check((Same, Sum, Same), number, 0.375, &[7, 8, 65, 1535, 1536, 50_000]);
}
