//! Parts that are scanned one after the other, against one call on the whole array.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use upsweep::Device;
use upsweep_dynamic::{Carry, ColumnTotals, Error, Number, Op, Reduce, Scan, Type, Values, View, with_type, with_view};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Values of which float sums and products are rounded, and integers of the whole range.
fn sample(element: Type, random: &mut Random, n: usize) -> Values {
    let bits: Vec<u64> = (0..n).map(|_| random.next() << 32 ^ random.next()).collect();
    match element {
        Type::Bool => bits.iter().map(|&x| x % 2 == 0).collect::<Vec<bool>>().into(),
        Type::F16 | Type::F32 | Type::F64 => {
            let x: Vec<f64> = bits.iter().map(|&x| 0.9 + (x % 1000) as f64 / 4999.0).collect();
            View::F64(&x).nearest(element).unwrap()
        }
        _ => Values::from(bits).modulo(element).unwrap(),
    }
}

/// Operators whose parts have the bits of one call.
fn has_parts(op: Op, element: Type) -> bool {
    op.check(element).is_ok() && op.keeps_bits_in_parts(element)
}

fn part(x: &Values, from: usize, to: usize) -> View<'_> {
    let size = x.element().size();
    View::from_bytes(x.element(), &x.bytes()[from * size..to * size]).unwrap()
}

/// Ascending places at which an array of `n` elements is cut, its ends among them; some parts are empty.
fn cuts(random: &mut Random, n: usize) -> Vec<usize> {
    let mut cuts: Vec<usize> = (0..random.below(5)).map(|_| random.below(n + 1)).collect();
    cuts.extend([0, n]);
    cuts.sort_unstable();
    cuts
}

#[test]
fn parts_have_the_bits_of_one_call() {
    let (device, mut random) = (Device::cpu(), Random(7));
    for &element in Type::ALL {
        for &op in Op::ALL.iter().filter(|&&op| has_parts(op, element)) {
            for n in [0, 1, 2, 3071, 3072, 3073, 14_000] {
                for (exclusive, with_init) in [(false, false), (true, false), (false, true), (true, true)] {
                    let x = sample(element, &mut random, n);
                    let init = sample(element, &mut random, 1);
                    let reverse = random.below(3) == 0;
                    let mut scan = Scan::new(op);
                    scan = if exclusive { scan.exclusive() } else { scan };
                    scan = if reverse { scan.reverse() } else { scan };
                    if with_init {
                        scan = with_view!(init.view(), init => scan.init(init[0]));
                    }
                    let whole = scan.run(&device, x.view()).unwrap();
                    let (mut carry, mut bytes) = (Carry::new(), vec![0; n * element.size()]);
                    for cut in cuts(&mut random, n).windows(2) {
                        let cut = if reverse { [n - cut[1], n - cut[0]] } else { [cut[0], cut[1]] };
                        let mut out = Values::zeroed(element, cut[1] - cut[0]).unwrap();
                        scan.run_part(&device, part(&x, cut[0], cut[1]), out.view_mut(), &mut carry).unwrap();
                        bytes[cut[0] * element.size()..cut[1] * element.size()].copy_from_slice(out.bytes());
                        if element != Type::Bool {
                            carry = Carry::from_bytes(&carry.to_bytes().unwrap()).unwrap();
                        }
                    }
                    assert!(bytes == whole.bytes(), "{op} of {n} {element}, {exclusive} {reverse} {with_init}");
                    assert_eq!(carry.position(), n as u64);
                }
            }
        }
    }
}

#[test]
fn the_running_check_finds_what_the_check_of_the_whole_finds() {
    let mut random = Random(3);
    let mut found = [0; 2];
    for round in 0..6000 {
        let element = [Type::I64, Type::U64, Type::I32, Type::U8, Type::Bool][random.below(5)];
        let results = [Type::I64, Type::U64, Type::I32, Type::U8, Type::I8][random.below(5)];
        let op = if random.below(4) == 0 { Op::Product } else { Op::Sum };
        let n = random.below(30);
        let small = random.below(2) == 0;
        let x: Vec<Number> = (0..n)
            .map(|_| {
                let range = element.integers().unwrap();
                let any = i128::from(random.next() << 32 ^ random.next()) * 2 - (1 << 64);
                let any = if small { any % 40 } else { any };
                Number::Integer(any.clamp(*range.start(), *range.end()))
            })
            .collect();
        let x: Values = with_type!(element, T => {
            x.iter().map(|&x| <T as upsweep_dynamic::Value>::exactly(x).unwrap()).collect::<Vec<T>>().into()
        });
        let mut scan = Scan::new(op).accumulate(results);
        let (exclusive, reverse) = (random.below(2) == 0, random.below(3) == 0);
        scan = if exclusive { scan.exclusive() } else { scan };
        scan = if reverse { scan.reverse() } else { scan };
        scan = if random.below(2) == 0 { scan.init(random.below(100) as u8) } else { scan };
        let whole = scan.check_overflow(x.view());
        let parts = || {
            let Some(mut check) = scan.running_check(&Carry::new(), element, n)? else { return Ok(()) };
            for cut in cuts(&mut Random(round), n).windows(2) {
                let x = if reverse { part(&x, n - cut[1], n - cut[0]) } else { part(&x, cut[0], cut[1]) };
                check.part(x, check.measure(x)?)?;
            }
            check.finish(false)
        };
        let mut parts = parts();
        if let (Err(Error::Overflow { index, .. }), true) = (&mut parts, reverse) {
            *index = n - 1 - *index;
        }
        found[usize::from(parts.is_err())] += 1;
        match (&whole, &parts) {
            // Several elements may be the first of a part of which the check is in doubt: the error is the same.
            (Err(Error::Inexact { .. }), _) => {}
            _ => assert_eq!(parts, whole, "{op} {exclusive} {reverse} of {x:?} in {results}"),
        }
    }
    assert!(found.iter().all(|&n| n > 1000), "{found:?}");
}

#[test]
fn a_total_that_is_handed_on_must_fit() {
    let (device, scan) = (Device::cpu(), Scan::new(Op::Sum).exclusive());
    let x = View::I64(&[i64::MAX, 1]);
    let mut check = scan.running_check(&Carry::new(), Type::I64, 2).unwrap().unwrap();
    check.part(x, check.measure(x).unwrap()).unwrap();
    assert!(check.finish(false).is_ok());
    assert!(matches!(check.finish(true), Err(Error::Overflow { index: 1, .. })));
    // A reduction goes on after a total of any sign, and may come back into the range of its type.
    let reduce = Reduce::new(Op::Sum).accumulate(Type::I64);
    for (first, next, fits) in [(-5, -125, false), (-5, -124, true), (500, -374, true), (500, -373, false)] {
        let mut carry = Carry::new();
        reduce.run_part(&device, View::I64(&[first]), &mut carry).unwrap();
        let next = [next];
        // An initial value that is no element, and is in no carry.
        let narrow = Reduce::new(Op::Sum).accumulate(Type::I8).init(1i8);
        let mut check = narrow.running_check(&carry, Type::I64, 1).unwrap().unwrap();
        check.part(View::I64(&next), check.measure(View::I64(&next)).unwrap()).unwrap();
        assert_eq!(check.finish(false).is_ok(), fits, "{first} {next:?}");
    }
    // The check of the next part begins with the total of those before, of whatever sign.
    for (first, next, fits) in [(-5, i64::MIN + 5, true), (-5, i64::MIN + 4, false), (5, i64::MIN, true)] {
        let (mut out, mut carry) = (Values::I64(vec![0]), Carry::new());
        scan.run_part(&device, View::I64(&[first]), out.view_mut(), &mut carry).unwrap();
        let inclusive = Scan::new(Op::Sum);
        let mut check = inclusive.running_check(&carry, Type::I64, 1).unwrap().unwrap();
        let next = [next];
        let x = View::I64(&next);
        assert_eq!(check.part(x, check.measure(x).unwrap()).is_ok(), fits, "{first} {next:?}");
    }
}

#[test]
fn carries_of_other_calls_are_refused() {
    let device = Device::cpu();
    let mut carry = Carry::new();
    assert!(matches!(carry.to_bytes(), Err(Error::Carry { .. })));
    let mut out = Values::I64(vec![0; 2]);
    Scan::new(Op::Sum).run_part(&device, View::I64(&[3, 4]), out.view_mut(), &mut carry).unwrap();
    let bytes = carry.to_bytes().unwrap();
    let fails = |bytes: &[u8], words: &str| {
        let said = Carry::from_bytes(bytes).unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
    };
    fails(b"", "another file");
    fails(b"upsweep scan sum i3\n", "another file");
    fails(&bytes[..30], "cut off");
    fails(&bytes[..bytes.len() - 1], "cut off or damaged");
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fails(&damaged, "checksum");
    // Sums of signed integers run as those of unsigned ones, but their totals mean other numbers.
    let run = |op, x: View<'_>, out: &mut Values| {
        let mut carry = Carry::from_bytes(&bytes).unwrap();
        Scan::new(op).run_part(&device, x, out.view_mut(), &mut carry).map(|()| carry.position())
    };
    let mut unsigned = Values::U64(vec![0]);
    let said = run(Op::Sum, View::U64(&[1]), &mut unsigned).unwrap_err().to_string();
    assert_eq!(said, "the carry is of a scan with sum in i64, and this is a scan with sum in u64");
    let mut signed = Values::I64(vec![0]);
    let said = run(Op::Max, View::I64(&[1]), &mut signed).unwrap_err().to_string();
    assert_eq!(said, "the carry is of a scan with sum in i64, and this is a scan with max in i64");
    let said = Reduce::new(Op::Sum).run_part(&device, View::I64(&[1]), &mut carry).unwrap_err().to_string();
    assert_eq!(said, "the carry is of a scan with sum in i64, and this is a reduction with sum in i64");
    assert_eq!(run(Op::Sum, View::I64(&[1]), &mut signed), Ok(3));
    assert_eq!(signed, Values::I64(vec![8]));
    assert!(matches!(run(Op::Sum, View::I64(&[1]), &mut unsigned), Err(Error::Options { .. })));
    let mut two = Values::I64(vec![0; 2]);
    assert!(matches!(run(Op::Sum, View::I64(&[1]), &mut two), Err(Error::Upsweep(upsweep::Error::Length { .. }))));
}

#[test]
fn totals_of_chunks_have_the_bits_of_one_call() {
    let (device, mut random) = (Device::cpu(), Random(9));
    for &element in Type::ALL {
        for &op in Op::ALL.iter().filter(|&&op| has_parts(op, element)) {
            for n in [0, 1, 1023, 1024, 1025, 2048, 5 * 1024 + 1, 5 * 4096 + 7] {
                for (chunk, with_init) in [(Reduce::CHUNK, false), (Reduce::CHUNK, true), (4 * Reduce::CHUNK, true)] {
                    let (x, init) = (sample(element, &mut random, n), sample(element, &mut random, 1));
                    let mut reduce = Reduce::new(op);
                    if with_init {
                        reduce = with_view!(init.view(), init => reduce.init(init[0]));
                    }
                    let whole = reduce.run(&device, x.view()).unwrap();
                    let starts = (0..n).step_by(chunk);
                    let totals = starts.map(|at| reduce.total(&device, part(&x, at, (at + chunk).min(n))).unwrap());
                    let of_totals = reduce.of_totals(element, &totals.collect::<Vec<_>>()).unwrap();
                    let bits = |x: &Values| (x.element(), x.bytes().to_vec());
                    assert_eq!(bits(&of_totals), bits(&whole), "{op} of {n} {element} in chunks of {chunk}");
                    let (mut carry, mut last) = (Carry::new(), None);
                    for cut in cuts(&mut random, n).windows(2) {
                        last = Some(reduce.run_part(&device, part(&x, cut[0], cut[1]), &mut carry).unwrap());
                        if element != Type::Bool {
                            carry = Carry::from_bytes(&carry.to_bytes().unwrap()).unwrap();
                        }
                    }
                    assert_eq!(last.as_ref().map(bits), Some(bits(&whole)), "{op} of {n} {element} in parts");
                }
            }
        }
    }
    let lines = Reduce::new(Op::Sum).axis(&[1, 2], 1).total(&device, View::U8(&[1, 2]));
    assert!(matches!(lines, Err(Error::Options { .. })));
    assert!(matches!(Reduce::new(Op::Sum).total(&device, View::U32(&[])), Ok(Number::Integer(0))));
    let no_total = Reduce::new(Op::Sum).of_totals(Type::U8, &[Number::Integer(256)]);
    assert!(matches!(no_total, Err(Error::Inexact { .. })));
}

/// Columns in parts of rows, of all shapes of which the grouping differs, have the bits of one call.
#[test]
fn parts_of_columns_have_the_bits_of_one_call() {
    let (device, mut random) = (Device::cpu(), Random(21));
    let (mut with_blocks, mut chains) = (0, 0);
    for &element in Type::ALL {
        for &op in Op::ALL.iter().filter(|&&op| has_parts(op, element)) {
            let is_sum = matches!(op, Op::Sum | Op::Product) && element.integers().is_none();
            for round in 0..if is_sum { 16 } else { 2 } {
                // Few columns, those of a strip, and more.
                let inner = [2, 3, 17, 100, 1 << 10, (1 << 10) + 3, 3000][random.below(7)];
                let most = [3, 100, 200_000 / inner][random.below(3)];
                let len = 1 + random.below(most);
                let most = [1, 3, 100_000 / (len * inner) + 1][random.below(3)];
                // So many slabs longer than a block that none is cut into blocks; or others.
                let [outer, len, inner] = match random.below(8) {
                    0 if is_sum => [66, 140_000 / element.size() / 10, 10],
                    _ => [1 + random.below(most), len, inner],
                };
                let shape = [outer, len, inner];
                let x = sample(element, &mut random, outer * len * inner);
                let (exclusive, reverse) = (random.below(2) == 0, random.below(3) == 0);
                let init = sample(element, &mut random, 1);
                let mut scan = Scan::new(op).axis(&shape, 1);
                let mut reduce = Reduce::new(op).axis(&shape, 1);
                scan = if exclusive { scan.exclusive() } else { scan };
                scan = if reverse { scan.reverse() } else { scan };
                if random.below(2) == 0 {
                    scan = with_view!(init.view(), init => scan.init(init[0]));
                    reduce = with_view!(init.view(), init => reduce.init(init[0]));
                }
                let whole = scan.run(&device, x.view()).unwrap();
                let totals = reduce.run(&device, x.view()).unwrap();
                let unit = scan.rows_of_parts(element).unwrap();
                with_blocks += usize::from(unit > 1);
                let slab = len * inner;
                chains += usize::from(!scan.keeps_bits_in_slabs(element).unwrap());
                if scan.keeps_bits_in_slabs(element).unwrap() {
                    let slabs = 1 + random.below(outer);
                    let shape = [slabs, len, inner];
                    let some = scan.axis(&shape, 1).run(&device, x.view().part(0..slabs * slab)).unwrap();
                    assert!(some.view() == whole.view().part(0..slabs * slab), "{op} of {element} {shape:?} {round}");
                }
                // Some columns of a slab.
                let from = random.below(outer);
                let columns = random.below(inner);
                let width = 2.max(random.below(inner - columns) + 1);
                let columns = columns.min(inner - width);
                let index = |row: usize| (from * len + row) * inner + columns;
                let of = |x: &Values, rows: std::ops::Range<usize>| {
                    let mut some = Values::zeroed(element, rows.len() * width).unwrap();
                    for (k, row) in rows.enumerate() {
                        some.view_mut().put(k * width, x.view().part(index(row)..index(row) + width));
                    }
                    some
                };
                let rows = unit * (1 + random.below(3 + 200 / unit));
                let mut parts = scan.columns(element, width, rows).unwrap();
                for start in (0..len).step_by(rows) {
                    let end = (start + rows).min(len);
                    let part = if reverse { len - end..len - start } else { start..end };
                    let (x, expected) = (of(&x, part.clone()), of(&whole, part.clone()));
                    let mut out = Values::zeroed(element, x.len()).unwrap();
                    parts.part(x.view(), out.view_mut()).unwrap();
                    let what =
                        format!("{op} of {element} {shape:?}, {exclusive} {reverse}, {width} columns, {rows} rows");
                    assert!(out.bytes() == expected.bytes(), "{what} at {start}");
                }
                let rows = Reduce::ROWS << random.below(3);
                let mut parts = ColumnTotals::default();
                for start in (0..len).step_by(rows) {
                    let x = of(&x, start..(start + rows).min(len));
                    parts.push(&reduce, reduce.totals_of_columns(&device, x.view(), width).unwrap()).unwrap();
                }
                let found = parts.finish(&reduce, element).unwrap();
                let first = from * inner + columns;
                assert!(found.view() == totals.view().part(first..first + width), "{op} of {element} {shape:?} {rows}");
            }
        }
    }
    assert!(with_blocks > 8 && chains > 3, "{with_blocks} {chains}");
}
