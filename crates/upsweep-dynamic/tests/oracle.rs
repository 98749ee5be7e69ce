//! Every operator on every type that has it, with every option, against a naive loop over numbers of 128 bits.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use upsweep::Device;
use upsweep_dynamic::{
    Error, Number, Op, Reduce, Scan, Segments, Type, Value, Values, View, plain, with_type, with_view,
};

fn numbers(values: View<'_>) -> Vec<Number> {
    with_view!(values, x => x.iter().map(|&x| Number::from(x)).collect())
}

fn values(element: Type, numbers: &[Number]) -> Values {
    with_type!(element, T => numbers.iter().map(|&n| T::exactly(n).unwrap()).collect::<Vec<T>>().into())
}

/// Integers of the type's whole range; floats of which no sum or product is rounded.
fn sample(element: Type, op: Op, n: usize) -> Vec<Number> {
    let mut state = n as u64 + 1;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 8
    };
    let one = |k: u64| match element {
        Type::Bool => Number::Integer(i128::from(k % 2)),
        Type::F16 | Type::F32 | Type::F64 if op == Op::Product => Number::Float([1.0, -1.0][(k % 2) as usize]),
        Type::F16 | Type::F32 | Type::F64 => Number::Float((k % 5) as f64 - 2.0),
        _ => Number::Integer(wrapped(i128::from(k) * 0x1_0001_0001, element)),
    };
    (0..n).map(|_| one(random())).collect()
}

fn wrapped(n: i128, element: Type) -> i128 {
    let size = 1i128 << (8 * element.size());
    let n = n.rem_euclid(size);
    if element.name().starts_with('i') && n >= size / 2 { n - size } else { n }
}

fn combine(op: Op, element: Type, a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => Number::Integer(wrapped(
            match op {
                Op::Sum => a + b,
                Op::Product => a.wrapping_mul(b),
                Op::Min => a.min(b),
                Op::Max => a.max(b),
                Op::And => a & b,
                Op::Or => a | b,
                Op::Xor => a ^ b,
            },
            element,
        )),
        (Number::Float(a), Number::Float(b)) => Number::Float(match op {
            Op::Sum => a + b,
            Op::Product => a * b,
            Op::Min => a.min(b),
            Op::Max => a.max(b),
            _ => panic!("no {op} of floats"),
        }),
        _ => panic!("two kinds of numbers"),
    }
}

fn identity(op: Op, element: Type) -> Number {
    let is_float = element.name().starts_with('f');
    let size = 1i128 << (8 * element.size());
    let (low, high) = if element.name().starts_with('i') { (-size / 2, size / 2 - 1) } else { (0, size - 1) };
    match op {
        Op::Sum | Op::Or | Op::Xor if !is_float => Number::Integer(0),
        Op::Sum => Number::Float(0.0),
        Op::Product if is_float => Number::Float(1.0),
        Op::Product => Number::Integer(1),
        Op::Min if is_float => Number::Float(f64::INFINITY),
        Op::Max if is_float => Number::Float(f64::NEG_INFINITY),
        Op::Min => Number::Integer(high),
        Op::Max => Number::Integer(low),
        Op::And if element == Type::Bool => Number::Integer(1),
        _ => Number::Integer(wrapped(-1, element)),
    }
}

/// The positions of each line or segment, in order.
fn lines(n: usize, axis: Option<(&[usize], usize)>, heads: Option<&[bool]>) -> Vec<Vec<usize>> {
    if let Some((shape, axis)) = axis {
        let inner: usize = shape[axis + 1..].iter().product();
        let outer: usize = shape[..axis].iter().product();
        let line = |o: usize, i: usize| (0..shape[axis]).map(|k| (o * shape[axis] + k) * inner + i).collect();
        return (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))).map(|(o, i)| line(o, i)).collect();
    }
    let Some(heads) = heads else { return vec![(0..n).collect()] };
    let mut lines: Vec<Vec<usize>> = Vec::new();
    for (k, &head) in heads.iter().enumerate() {
        if k == 0 || head {
            lines.push(Vec::new());
        }
        lines.last_mut().unwrap().push(k);
    }
    lines
}

struct Case {
    op: Op,
    element: Type,
    x: Vec<Number>,
    lines: Vec<Vec<usize>>,
    init: Option<Number>,
}

impl Case {
    fn scanned(&self, exclusive: bool, reverse: bool) -> Vec<Number> {
        let mut out = self.x.clone();
        for line in &self.lines {
            let order: Vec<usize> = if reverse { line.iter().rev().copied().collect() } else { line.clone() };
            let mut so_far = self.init;
            for at in order {
                let with = so_far.map_or(self.x[at], |so_far| combine(self.op, self.element, so_far, self.x[at]));
                out[at] = if exclusive { so_far.unwrap_or(identity(self.op, self.element)) } else { with };
                so_far = Some(with);
            }
        }
        out
    }

    fn reduced(&self) -> Vec<Number> {
        let combine = |a, b| combine(self.op, self.element, a, b);
        let of = |line: &Vec<usize>| self.init.into_iter().chain(line.iter().map(|&at| self.x[at])).reduce(combine);
        self.lines.iter().map(|line| of(line).unwrap_or(identity(self.op, self.element))).collect()
    }
}

/// One way to divide the elements: an axis or segments, and which positions belong together.
type Division<'a> = (Option<(&'a [usize], usize)>, Segments<'a>, Vec<Vec<usize>>);

#[test]
fn every_operator_type_and_option() {
    let device = Device::cpu();
    let mut pairs = 0;
    for &element in Type::ALL {
        for &op in Op::ALL {
            if op.check(element).is_err() {
                continue;
            }
            pairs += 1;
            for n in [0usize, 1, 2, 60, 997] {
                let x = sample(element, op, n);
                let heads: Vec<bool> = (0..n).map(|k| k % 7 == 3 || k % 11 == 0).collect();
                let keys: Vec<u16> = heads
                    .iter()
                    .scan(0, |key, &head| {
                        *key += u16::from(head);
                        Some(*key)
                    })
                    .collect();
                let parts = lines(n, None, Some(&heads));
                // With an empty segment in front and one behind.
                let mut offsets = vec![0i32, 0];
                offsets.extend(parts.iter().scan(0, |end, part| {
                    *end += part.len() as i32;
                    Some(*end)
                }));
                offsets.push(n as i32);
                let mut with_empty = parts.clone();
                with_empty.insert(0, Vec::new());
                with_empty.push(Vec::new());
                let shape = [n / 30, 5, if n == 60 { 6 } else { 0 }];
                let mut divisions: Vec<Division<'_>> = vec![
                    (None, Segments::Whole, lines(n, None, None)),
                    (None, Segments::HeadFlags(&heads), parts.clone()),
                    (None, Segments::Keys(View::U16(&keys)), parts.clone()),
                    (None, Segments::Offsets(View::I32(&offsets)), with_empty),
                ];
                if n == 60 {
                    divisions.extend(
                        (0..3).map(|axis| {
                            (Some((&shape[..], axis)), Segments::Whole, lines(n, Some((&shape, axis)), None))
                        }),
                    );
                }
                for (axis, segments, lines) in divisions {
                    for with_init in [false, true] {
                        let init = with_init.then(|| sample(element, op, 3)[2]);
                        let case = Case { op, element, x: x.clone(), lines: lines.clone(), init };
                        check(&device, &case, axis, segments);
                    }
                }
                let input = values(element, &x);
                let mut out = Values::zeroed(element, n).unwrap();
                plain::scan(op, input.view(), out.view_mut()).unwrap();
                let whole = Case { op, element, x, lines: lines(n, None, None), init: None };
                assert_eq!(numbers(out.view()), whole.scanned(false, false), "plain {op} of {n} {element}");
                let total = plain::reduce(op, input.view()).unwrap();
                assert_eq!(total, (n > 0).then(|| whole.reduced()[0]), "plain {op} of {n} {element}");
            }
        }
    }
    assert_eq!(pairs, 8 * 7 + 3 * 4 + 3);
}

fn check<'a>(device: &Device, case: &Case, axis: Option<(&'a [usize], usize)>, segments: Segments<'a>) {
    let Case { op, element, ref x, init, .. } = *case;
    let what = format!("{op} of {} {element}, {axis:?}, {segments:?}, init {init:?}", x.len());
    let input = values(element, x);
    for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut scan = Scan::new(op).segments(segments);
        if exclusive {
            scan = scan.exclusive();
        }
        if reverse {
            scan = scan.reverse();
        }
        if let Some((shape, axis)) = axis {
            scan = scan.axis(shape, axis);
        }
        if let Some(init) = init {
            scan = scan.init(init);
        }
        let results = scan.run(device, input.view()).unwrap();
        assert_eq!(results.element(), element);
        assert_eq!(numbers(results.view()), case.scanned(exclusive, reverse), "scan {exclusive} {reverse} {what}");
        assert_eq!(scan.run_owned(device, input.clone()).unwrap(), results, "owned {what}");
        let mut in_place = input.clone();
        scan.run_in_place(device, in_place.view_mut()).unwrap();
        assert_eq!(in_place, results, "in place {what}");
    }
    let mut reduce = Reduce::new(op).segments(segments);
    if let Some((shape, axis)) = axis {
        reduce = reduce.axis(shape, axis);
    }
    if let Some(init) = init {
        reduce = reduce.init(init);
    }
    let results = reduce.run(device, input.view()).unwrap();
    assert_eq!((results.element(), numbers(results.view())), (element, case.reduced()), "reduce {what}");
}

#[test]
fn overflow_is_found_where_128_bits_leave_the_type() {
    for element in [Type::I8, Type::U8, Type::I16, Type::U64, Type::I64] {
        for op in [Op::Sum, Op::Product] {
            for n in 1..25usize {
                // Small numbers, so that some scans fit and others do not; a zero leads products back.
                let x: Vec<Number> = sample(Type::U8, Op::Sum, n)
                    .into_iter()
                    .map(|x| match x {
                        Number::Integer(k) if element.name().starts_with('i') => Number::Integer(k % 29 - 9),
                        Number::Integer(k) => Number::Integer(k % 29),
                        Number::Float(_) => panic!(),
                    })
                    .collect();
                let heads: Vec<bool> = (0..n).map(|k| k % 9 == 5).collect();
                for (segments, lines) in [
                    (Segments::Whole, lines(n, None, None)),
                    (Segments::HeadFlags(&heads), lines(n, None, Some(&heads))),
                ] {
                    let exact = |n: Number| with_type!(element, T => T::exactly(n).is_some());
                    // In a type that no result leaves.
                    let wide = Case { op, element: Type::F64, x: x.clone(), lines, init: None };
                    let input = values(element, &x);
                    for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
                        let results = in_i128(&wide, exclusive, reverse);
                        let order: Vec<usize> = wide
                            .lines
                            .iter()
                            .flat_map(|line| {
                                let mut line = line.clone();
                                if reverse {
                                    line.reverse();
                                }
                                line
                            })
                            .collect();
                        let first = order.into_iter().find(|&at| !exact(Number::Integer(results[at])));
                        let mut scan = Scan::new(op).segments(segments);
                        scan = if exclusive { scan.exclusive() } else { scan };
                        scan = if reverse { scan.reverse() } else { scan };
                        let found = match scan.check_overflow(input.view()) {
                            Ok(()) => None,
                            Err(Error::Overflow { index, value, .. }) => {
                                assert_eq!(value, Some(results[index]));
                                Some(index)
                            }
                            Err(e) => panic!("{e}"),
                        };
                        assert_eq!(found, first, "{op} {element} {x:?} {exclusive} {reverse}");
                    }
                    let results = in_i128(&wide, false, false);
                    let totals: Vec<i128> = wide.lines.iter().map(|line| results[*line.last().unwrap()]).collect();
                    let first = totals.into_iter().find(|&total| !exact(Number::Integer(total)));
                    match Reduce::new(op).segments(segments).check_overflow(input.view()) {
                        Ok(()) => assert_eq!(first, None, "{op} {element} {x:?}"),
                        Err(Error::Overflow { value, .. }) => assert_eq!(value, first, "{op} {element} {x:?}"),
                        Err(e) => panic!("{e}"),
                    }
                }
            }
        }
    }
}

/// The scan of integers that are too small to leave 128 bits.
fn in_i128(case: &Case, exclusive: bool, reverse: bool) -> Vec<i128> {
    let mut out = vec![0; case.x.len()];
    for line in &case.lines {
        let mut so_far = i128::from(case.op == Op::Product);
        let order: Vec<usize> = if reverse { line.iter().rev().copied().collect() } else { line.clone() };
        for at in order {
            let x = case.x[at].integer().unwrap();
            let with = if case.op == Op::Sum { so_far + x } else { so_far * x };
            out[at] = if exclusive { so_far } else { with };
            so_far = with;
        }
    }
    out
}
