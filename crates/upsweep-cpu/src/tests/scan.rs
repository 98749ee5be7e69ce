//! Tests of scans against the oracle.

use super::*;
use upsweep_core::call::Direction;
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::Same;
use upsweep_core::operator::builtin::Sum;
use upsweep_core::segments::{HeadFlags, Keys, Offsets, Whole};
use upsweep_core::steps::Parts;

/// Returns the expected results: each line scanned by itself in a plain loop.
fn oracle<T: Copy>(
    x: &[T],
    lines: &[Vec<usize>],
    direction: Direction,
    init: Option<T>,
    identity: Option<T>,
    combine: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut out = x.to_vec();
    for line in lines {
        let mut value = init;
        for &at in line {
            let next = value.map_or(x[at], |value| combine(value, x[at]));
            out[at] = if direction.exclusive { value.or(identity).unwrap() } else { next };
            value = Some(next);
        }
    }
    out
}

fn directions() -> impl Iterator<Item = Direction> {
    [(false, false), (false, true), (true, false), (true, true)].into_iter().map(|(exclusive, reverse)| Direction {
        exclusive,
        reverse,
        ..Direction::default()
    })
}

/// Scans words by concatenation, out of place and into uninitialised memory from an odd index on.
fn words<S: Segmentation>(
    x: &[u16],
    shape: Shape,
    segments: SegmentKind<'_, S::Key, S::Offset, S::Same>,
    direction: Direction,
    init: Option<Word>,
    limits: Limits,
) -> Result<Vec<u64>> {
    let mut output: Vec<u64> = Vec::with_capacity(x.len() + 1);
    let start = output.spare_capacity_mut()[1..].as_mut_ptr().cast::<u64>();
    let steps = Parts::new(Concat, Positioned, Hash);
    let job = job::<_, _, _, S>(steps, Some(x), (start, x.len()), shape, segments, init);
    crate::scan::run_within(job, direction, None, limits)?;
    // SAFETY: the scan has written all elements.
    Ok(unsafe { std::slice::from_raw_parts(start, x.len()) }.to_vec())
}

/// Returns an initial value, or sometimes none if the builder allows that: words have no identity.
fn some_init(random: &mut Random, direction: Direction) -> Option<Word> {
    (random.coin() || direction.exclusive).then_some(Word::letter(7))
}

/// Returns the expected result of [`words`], from a plain loop.
fn words_oracle(
    x: &[u16],
    lines: &[Vec<usize>],
    position: impl Fn(usize) -> usize,
    direction: Direction,
    init: Option<Word>,
) -> Vec<u64> {
    let letters: Vec<Word> = x.iter().enumerate().map(|(at, &x)| Positioned.apply(x, position(at) as u64)).collect();
    let words = oracle(&letters, lines, direction, init, None, |a, b| Concat.combine(a, b));
    words.into_iter().map(|word| Hash.call((word,))).collect()
}

fn letters(random: &mut Random, n: usize) -> Vec<u16> {
    (0..n).map(|_| random.next() as u16).collect()
}

fn same(found: Result<Vec<u64>>, expected: &[u64], what: impl Fn() -> String) {
    let found = found.unwrap();
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(differs, None, "{}", what());
    assert_eq!(found.len(), expected.len());
}

#[test]
fn whole_arrays() {
    let random = &mut Random(1);
    for threads in [1, 2, 8] {
        with_threads(threads, || {
            let random = &mut random.clone();
            for block in BLOCKS {
                for n in sizes(block) {
                    for direction in directions() {
                        let x = letters(random, n);
                        let init = some_init(random, direction);
                        let limits = limits(block, random.coin());
                        let found = words::<Whole>(&x, shape_of(n), SegmentKind::Whole, direction, init, limits);
                        let lines = lines_of_shape((1, n, 1), direction.reverse);
                        let expected = words_oracle(&x, &lines, |at| at, direction, init);
                        same(found, &expected, || format!("{n} elements, blocks of {block}, {direction:?}, {init:?}"));
                    }
                }
            }
        });
    }
}

#[test]
fn axes() {
    let shapes = [
        (1, 3000, 1),
        (40, 30, 1),
        (300, 7, 1),
        (7, 300, 1),
        (3, 1000, 1),
        (900, 1, 1),
        (1, 1, 900),
        (5, 0, 3),
        (0, 5, 3),
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
    ];
    for threads in [1, 2, 8] {
        with_threads(threads, || {
            let random = &mut Random(2);
            for block in BLOCKS {
                for (outer, len, inner) in shapes {
                    for direction in directions() {
                        let x = letters(random, outer * len * inner);
                        let shape = Shape { outer, len, inner };
                        let init = some_init(random, direction);
                        let limits = limits(block, random.coin());
                        let found = words::<Whole>(&x, shape, SegmentKind::Whole, direction, init, limits);
                        let lines = lines_of_shape((outer, len, inner), direction.reverse);
                        let expected = words_oracle(&x, &lines, |at| at / inner % len, direction, init);
                        same(found, &expected, || format!("{shape:?}, blocks of {block}, {direction:?}, {init:?}"));
                    }
                }
            }
        });
    }
}

#[test]
fn segments() {
    for threads in [1, 2, 8] {
        with_threads(threads, || {
            let random = &mut Random(3);
            for block in BLOCKS {
                for n in sizes(block) {
                    for direction in directions() {
                        let x = letters(random, n);
                        let init = some_init(random, direction);
                        let limits = limits(block, random.coin());
                        let offsets = random_offsets(random, n);
                        let lines = lines_of_offsets(&offsets, direction.reverse);
                        let expected = words_oracle(&x, &lines, |at| at, direction, init);
                        let what = || format!("{n} elements, blocks of {block}, {direction:?}, {init:?}, {offsets:?}");
                        let shape = shape_of(n);

                        let kind = SegmentKind::Offsets(View::Host(&offsets));
                        let found = words::<Offsets<'_, Vec<usize>>>(&x, shape, kind, direction, init, limits);
                        same(found, &expected, || format!("offsets: {}", what()));

                        let flags = flags_of(&offsets, n, random.coin());
                        let kind = SegmentKind::HeadFlags(View::Host(&flags));
                        let found = words::<HeadFlags<'_, Vec<bool>>>(&x, shape, kind, direction, init, limits);
                        same(found, &expected, || format!("flags: {}", what()));

                        let mut tens = 0u8;
                        let keys: Vec<u8> = flags_of(&offsets, n, false)
                            .iter()
                            .map(|&head| {
                                tens = (tens + u8::from(head)) % 20;
                                tens * 10 + random.below(10) as u8
                            })
                            .collect();
                        let kind = SegmentKind::Keys(View::Host(&keys), SameTens);
                        let found = words::<Keys<'_, Vec<u8>, SameTens>>(&x, shape, kind, direction, init, limits);
                        same(found, &expected, || format!("keys: {}", what()));
                    }
                }
            }
        });
    }
}

/// Runs a job in place.
fn in_place<T: Element, Op: Operator<T>>(
    x: &mut [T],
    op: Op,
    direction: Direction,
    shape: Shape,
    limits: Limits,
) -> Result<()> {
    let steps = Parts::<T, T, _, _, _>::new(op, Same, Same);
    let job = job::<_, _, _, Whole>(steps, None, (x.as_mut_ptr(), x.len()), shape, SegmentKind::Whole, None);
    crate::scan::run_within(job, direction, None, limits)
}

fn out_of_place<T: Element, Op: Operator<T>>(
    x: &[T],
    out: &mut [T],
    op: Op,
    direction: Direction,
    shape: Shape,
    limits: Limits,
) -> Result<()> {
    let steps = Parts::<T, T, _, _, _>::new(op, Same, Same);
    let job = job::<_, _, _, Whole>(steps, Some(x), (out.as_mut_ptr(), out.len()), shape, SegmentKind::Whole, None);
    crate::scan::run_within(job, direction, None, limits)
}

#[test]
fn affine_in_place() {
    for threads in [1, 2, 8] {
        with_threads(threads, || {
            let random = &mut Random(4);
            for block in BLOCKS {
                for n in sizes(block) {
                    for direction in directions() {
                        let x: Vec<Affine> =
                            (0..n).map(|_| Affine(random.next() as u32 | 1, random.next() as u32)).collect();
                        let inner = [1, 3][random.below(2)];
                        let (len, inner) = if n % inner == 0 { (n / inner, inner) } else { (n, 1) };
                        let lines = lines_of_shape((1, len, inner), direction.reverse);
                        let expected = oracle(&x, &lines, direction, None, Then.identity(), |a, b| Then.combine(a, b));
                        let mut found = x;
                        let shape = Shape { outer: 1, len, inner };
                        in_place(&mut found, Then, direction, shape, limits(block, true)).unwrap();
                        assert_eq!(found, expected, "{n} elements, inner {inner}, blocks of {block}, {direction:?}");
                    }
                }
            }
        });
    }
}

/// Checks lines of all lengths around the sizes of a stage, in place and out of it, from any element of a buffer on.
#[test]
fn many_short_lines() {
    let random = &mut Random(6);
    for len in [1, 2, 3, 5, 7, 8, 10, 25, 63, 64, 65, 100, 128, 250, 255, 256, 257, 511, 1000, 1024, 1025] {
        for direction in directions() {
            let (outer, skew) = (1 + random.below(60), random.below(9));
            let (n, shape) = (outer * len, Shape { outer, len, inner: 1 });
            let x: Vec<u64> = (0..n).map(|_| random.next()).collect();
            let lines = lines_of_shape((outer, len, 1), direction.reverse);
            let expected = oracle(&x, &lines, direction, None, Some(0), |a, b| a.wrapping_add(b));
            let limits = limits([1, 300, 2500, 1 << 20][random.below(4)], random.coin());
            let what = format!("{outer} lines of {len}, {skew} further, {direction:?}, {limits:?}");
            let mut found = vec![u64::MAX; n + 9];
            out_of_place(&x, &mut found[skew..skew + n], Sum, direction, shape, limits).unwrap();
            assert_eq!(found[skew..skew + n], expected, "{what}");
            assert!(found[..skew].iter().chain(&found[skew + n..]).all(|&kept| kept == u64::MAX), "{what}");
            found[skew..skew + n].copy_from_slice(&x);
            in_place(&mut found[skew..skew + n], Sum, direction, shape, limits).unwrap();
            assert_eq!(found[skew..skew + n], expected, "in place, {what}");
        }
    }
}

/// Checks sums of floats, which show every difference in grouping.
#[test]
fn same_bits_however_it_runs() {
    let random = &mut Random(5);
    for block in [7, 200, 2500] {
        for n in [1, 63, 64, 65, 199, 200, 1000, 2048, 5001, 12345] {
            let x: Vec<f32> = (0..n + 3).map(|_| (random.next() as f32).sqrt() - 1e3).collect();
            for direction in directions() {
                for shape in [shape_of(n), Shape { outer: 1, len: n / 5, inner: 5 }] {
                    let n = shape.len * shape.inner;
                    let mut all: Vec<Vec<u32>> = Vec::new();
                    for threads in [1, 2, 3, 8] {
                        for shift in [0, 1, 3] {
                            for around in [false, true] {
                                let limits = limits(block, around);
                                let mut aligned = vec![0.0; n + 3];
                                let mut place = vec![0.0; n + 3];
                                place[shift..shift + n].copy_from_slice(&x[..n]);
                                with_threads(threads, || {
                                    let out = &mut aligned[shift..shift + n];
                                    out_of_place(&x[..n], out, Sum, direction, shape, limits).unwrap();
                                    in_place(&mut place[shift..shift + n], Sum, direction, shape, limits).unwrap();
                                });
                                all.push(aligned[shift..shift + n].iter().map(|x| x.to_bits()).collect());
                                all.push(place[shift..shift + n].iter().map(|x| x.to_bits()).collect());
                            }
                        }
                    }
                    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{n}, blocks of {block}, {direction:?}");
                }
            }
        }
    }
}

#[test]
fn misaligned_bytes() {
    let random = &mut Random(6);
    for n in [1, 15, 16, 17, 100, 8191, 8192, 8193, 30000] {
        for shift in [0, 1, 15, 33] {
            for direction in directions() {
                let x: Vec<i8> = (0..n + 64).map(|_| random.next() as i8).collect();
                let lines = lines_of_shape((1, n, 1), direction.reverse);
                let expected = oracle(&x[3..n + 3], &lines, direction, None, Some(0), i8::wrapping_add);
                let mut out = vec![99i8; n + 64];
                let slot = &mut out[shift..shift + n];
                out_of_place(&x[3..n + 3], slot, Sum, direction, shape_of(n), limits(10_000, true)).unwrap();
                let differs = (0..n).find(|&i| slot[i] != expected[i]);
                assert_eq!(differs, None, "{n} at {shift}, {direction:?}");
                assert!(
                    out[..shift].iter().chain(&out[shift + n..]).all(|&x| x == 99),
                    "{n} at {shift}: written outside"
                );
            }
        }
    }
}

#[test]
fn offsets_are_checked() {
    let x = [1u16, 2, 3, 4];
    let direction = Direction::default();
    let run = |offsets: &[i64]| {
        let kind = SegmentKind::Offsets(View::Host(offsets));
        words::<Offsets<'_, Vec<i64>>>(&x, shape_of(4), kind, direction, None, limits(2, false))
    };
    for (offsets, index, offset, rule) in [
        (&[0, 3, 2, 4][..], 2, 2, "is less than the one before"),
        (&[0, -1, 4], 1, -1, "is negative"),
        (&[1, 2, 4], 0, 1, "is the first and is not 0"),
        (&[0, 2, 3], 2, 3, "is the last and is not the number of elements"),
        (&[0, 2, 5], 2, 5, "is the last and is not the number of elements"),
        (&[0], 0, 0, "is the last and is not the number of elements"),
    ] {
        assert_eq!(run(offsets), Err(Error::Offsets { index, offset, rule }));
    }
    assert!(run(&[0, 4]).is_ok());
}

/// Operator that panics at an element.
#[derive(Clone, Copy)]
struct Panics;

impl Operator<u32> for Panics {
    fn combine(&self, a: u32, b: u32) -> u32 {
        assert!(b != 12345, "the operator panics");
        a.wrapping_add(b)
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

#[test]
fn a_panic_reaches_the_caller() {
    let direction = Direction::default();
    for threads in [1, 2, 8] {
        for at in [1, 499, 5000, 99_999] {
            for inner in [1, 4] {
                let mut x: Vec<u32> = vec![1; 100_000];
                x[at] = 12345;
                let mut out = vec![0; x.len()];
                let run = || {
                    let shape = Shape { outer: 1, len: x.len() / inner, inner };
                    out_of_place(&x, &mut out, Panics, direction, shape, limits(500, false))
                };
                let caught = with_threads(threads, || std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)));
                assert!(caught.is_err() || at < inner);
            }
        }
    }
}
