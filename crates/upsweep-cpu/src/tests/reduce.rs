//! Reductions against the oracle.

use super::*;
use upsweep_core::buffer::ViewMut;
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::Same;
use upsweep_core::operator::builtin::Sum;
use upsweep_core::segments::{HeadFlags, Keys, Offsets, Whole};
use upsweep_core::steps::Parts;

/// Returns `results` reductions of affine maps, and the count. Results that are not written stay `None`.
fn maps<S: Segmentation>(
    x: &[Affine],
    shape: Shape,
    segments: SegmentKind<'_, S::Key, S::Offset, S::Same>,
    init: Option<Affine>,
    results: usize,
    limits: Limits,
) -> Result<(Vec<Option<Affine>>, u64)> {
    const UNTOUCHED: Affine = Affine(0xdead, 0xbeef);
    let mut output = vec![UNTOUCHED; results];
    let mut count = [u64::MAX];
    let steps = Parts::<Affine, Affine, _, _, _>::new(Then, Same, Same);
    let job = job::<_, _, _, S>(steps, Some(x), (output.as_mut_ptr(), results), shape, segments, init);
    crate::reduce::run_within(job, Some(ViewMut::Host(&mut count)), limits)?;
    Ok((output.into_iter().map(|x| (x != UNTOUCHED).then_some(x)).collect(), count[0]))
}

fn oracle(x: &[Affine], lines: &[Vec<usize>], init: Option<Affine>) -> Vec<Option<Affine>> {
    let fold = |line: &Vec<usize>| {
        let start = init.or(Then.identity()).unwrap();
        Some(line.iter().fold(start, |value, &at| Then.combine(value, x[at])))
    };
    lines.iter().map(fold).collect()
}

fn random_maps(random: &mut Random, n: usize) -> Vec<Affine> {
    (0..n).map(|_| Affine(random.next() as u32 | 1, random.next() as u32)).collect()
}

#[test]
fn whole_arrays_and_axes() {
    let mut shapes = vec![
        (40, 30, 1),
        (300, 7, 1),
        (7, 300, 1),
        (3, 1000, 1),
        (900, 1, 1),
        (1, 1, 900),
        (5, 0, 3),
        (0, 5, 3),
        (5, 3, 0),
        (1, 900, 3),
        (3, 100, 2),
        (1, 50, 70),
        (70, 5, 2),
        (2, 9, 1200),
        (1, 4, 700),
        (100, 3, 5),
        (1, 2000, 2),
        (2, 64, 64),
        (1, 70, 2048),
        (2, 2500, 1),
        (3, 2501, 1),
        (1, 5000, 1),
        (0, 0, 0),
        (1, 0, 1),
    ];
    shapes.extend(sizes(200).into_iter().map(|n| (1, n, 1)));
    for threads in [1, 2, 8] {
        with_threads(threads, || {
            let random = &mut Random(1);
            for block in BLOCKS {
                for &(outer, len, inner) in &shapes {
                    let x = random_maps(random, outer * len * inner);
                    let init = random.coin().then_some(Affine(3, 5));
                    let shape = Shape { outer, len, inner };
                    let expected = oracle(&x, &lines_of_shape((outer, len, inner), false), init);
                    let lines = outer * inner;
                    let found = maps::<Whole>(&x, shape, SegmentKind::Whole, init, lines, limits(block, false));
                    assert_eq!(found, Ok((expected, lines as u64)), "{shape:?}, blocks of {block}, {init:?}");
                }
            }
        });
    }
}

#[test]
fn segments() {
    for threads in [1, 2, 8] {
        with_threads(threads, || {
            let random = &mut Random(2);
            for block in BLOCKS {
                for n in sizes(block) {
                    let x = random_maps(random, n);
                    let init = random.coin().then_some(Affine(3, 5));
                    let limits = limits(block, false);
                    let shape = Shape { outer: 1, len: n, inner: 1 };
                    let offsets = random_offsets(random, n);
                    let what = || format!("{n} elements, blocks of {block}, {init:?}, {offsets:?}");

                    let expected = oracle(&x, &lines_of_offsets(&offsets, false), init);
                    let kind = SegmentKind::Offsets(View::Host(&offsets));
                    let count = offsets.len() - 1;
                    let found = maps::<Offsets<'_, Vec<usize>>>(&x, shape, kind, init, count, limits);
                    assert_eq!(found, Ok((expected, count as u64)), "offsets: {}", what());

                    // With more room than segments, and with less.
                    let offsets = without_empty(&offsets);
                    let count = offsets.len() - 1;
                    let mut expected = oracle(&x, &lines_of_offsets(&offsets, false), init);
                    let room = count + random.below(3);
                    expected.resize(room, None);
                    let flags = flags_of(&offsets, n, random.coin());
                    let kind = || SegmentKind::HeadFlags(View::Host(&flags[..]));
                    let found = maps::<HeadFlags<'_, Vec<bool>>>(&x, shape, kind(), init, room, limits);
                    assert_eq!(found, Ok((expected.clone(), count as u64)), "flags: {}", what());
                    if count > 0 {
                        let short = random.below(count);
                        let found = maps::<HeadFlags<'_, Vec<bool>>>(&x, shape, kind(), init, short, limits);
                        let error = Error::Length { what: "output", found: short, expected: count };
                        assert_eq!(found, Err(error), "too short: {}", what());
                    }

                    let mut tens = 0u8;
                    let heads = flags_of(&offsets, n, false);
                    let key = |&head: &bool| {
                        tens = (tens + u8::from(head)) % 20;
                        tens * 10 + random.below(10) as u8
                    };
                    let keys: Vec<u8> = heads.iter().map(key).collect();
                    let kind = SegmentKind::Keys(View::Host(&keys), SameTens);
                    let found = maps::<Keys<'_, Vec<u8>, SameTens>>(&x, shape, kind, init, room, limits);
                    assert_eq!(found, Ok((expected, count as u64)), "keys: {}", what());
                }
            }
        });
    }
}

/// Checks words, which have no identity: the operator must see elements only. Without an initial value the builder
/// refuses empty segments.
#[test]
fn without_identity() {
    let run = |x: &[u16], offsets: &[u32], init: Option<Word>| {
        let mut output = vec![0u64; offsets.len() - 1];
        let segments = SegmentKind::Offsets(View::Host(offsets));
        let results = (output.as_mut_ptr(), output.len());
        let steps = Parts::new(Concat, Positioned, Hash);
        let job = job::<_, _, _, Offsets<'_, Vec<u32>>>(steps, Some(x), results, shape_of(x.len()), segments, init);
        crate::reduce::run_within(job, None, limits(2, false)).map(|()| output)
    };
    let word =
        |at: &[u64]| at.iter().map(|&at| Positioned.apply(at as u16 + 1, at)).reduce(|a, b| Concat.combine(a, b));
    let expected = [word(&[0, 1]).unwrap(), word(&[2]).unwrap()].map(|word| Hash.call((word,)));
    assert_eq!(run(&[1, 2, 3], &[0, 2, 3], None), Ok(expected.to_vec()));
    let letter = |x: u16, at: u64| Positioned.apply(x, at);
    let start = Word::letter(9);
    let first = Concat.combine(Concat.combine(start, letter(1, 0)), letter(2, 1));
    let expected = [first, start, Concat.combine(start, letter(3, 2))].map(|word| Hash.call((word,)));
    assert_eq!(run(&[1, 2, 3], &[0, 2, 2, 3], Some(start)), Ok(expected.to_vec()));
}

/// Checks sums of floats, which show every difference in grouping.
#[test]
fn same_bits_with_any_number_of_threads() {
    let random = &mut Random(3);
    for block in [7, 200, 2500] {
        for n in [1, 64, 199, 1000, 2048, 5000, 12345] {
            let x: Vec<f32> = (0..n + 1).map(|_| (random.next() as f32).sqrt() - 1e3).collect();
            for shape in [Shape { outer: 1, len: n, inner: 1 }, Shape { outer: 1, len: n / 5, inner: 5 }] {
                let n = shape.len * shape.inner;
                let mut all: Vec<Vec<u32>> = Vec::new();
                for threads in [1, 2, 8] {
                    for shift in [0, 1] {
                        let mut moved = vec![0.0; n + 1];
                        moved[shift..n + shift].copy_from_slice(&x[..n]);
                        let mut output = vec![0.0f32; shape.inner];
                        with_threads(threads, || {
                            let (x, results) = (&moved[shift..n + shift], (output.as_mut_ptr(), output.len()));
                            let steps = Parts::<f32, f32, _, _, _>::new(Sum, Same, Same);
                            let job = job::<_, _, _, Whole>(steps, Some(x), results, shape, SegmentKind::Whole, None);
                            crate::reduce::run_within(job, None, limits(block, false)).unwrap();
                        });
                        all.push(output.iter().map(|x| x.to_bits()).collect());
                    }
                }
                assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{shape:?}, blocks of {block}");
            }
        }
    }
}
