//! What is refused, with the values that show why; and what is not.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use upsweep::Device;
use upsweep_dynamic::{Error, Number, Op, Reduce, Scan, Segments, Sort, Type, Values, View, plain};

const X: View<'_> = View::I16(&[3, -1, 300, 4]);

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, words: &str) {
    let error = result.unwrap_err().to_string();
    assert!(error.contains(words), "{error}");
}

/// The same from every way to run a scan, and from a reduction.
#[track_caller]
fn both_refuse(scan: Scan<'_>, reduce: Reduce<'_>, x: View<'_>, words: &str) {
    let device = Device::cpu();
    refused(scan.run(&device, x), words);
    refused(scan.prepare(&device, x), words);
    refused(scan.run_owned(&device, x.to_values().unwrap()), words);
    refused(scan.check_overflow(x), words);
    refused(reduce.run(&device, x), words);
    refused(reduce.check_overflow(x), words);
}

#[test]
fn names() {
    for &element in Type::ALL {
        assert_eq!(element.to_string().parse(), Ok(element));
    }
    for &op in Op::ALL {
        assert_eq!(op.to_string().parse(), Ok(op));
    }
    refused("int".parse::<Type>(), "there is no type \"int\": there are bool i8");
    refused("Sum".parse::<Op>(), "there is no operator \"Sum\": there are sum product");
}

#[test]
fn operators_that_a_type_has_not() {
    for op in [Op::Sum, Op::Product, Op::Min, Op::Max] {
        both_refuse(
            Scan::new(op),
            Reduce::new(op),
            View::Bool(&[true]),
            &format!("bool values have no {op}: bool has"),
        );
        refused(plain::reduce(op, View::Bool(&[])), "bool values have no");
    }
    for op in [Op::And, Op::Or, Op::Xor] {
        both_refuse(Scan::new(op), Reduce::new(op), View::F64(&[]), &format!("f64 values have no {op}: and, or"));
        // It is the type that is computed in that counts.
        let (scan, reduce) = (Scan::new(op).accumulate(Type::F32), Reduce::new(op).accumulate(Type::F32));
        refused(scan.run(&Device::cpu(), X), "f32 values have no");
        refused(reduce.run(&Device::cpu(), X), "f32 values have no");
    }
}

#[test]
fn initial_values() {
    let cases: [(Number, &str); 4] = [
        (40_000u64.into(), "the initial value is 40000, which is not exactly a value of type i16"),
        (Number::Float(1.5), "is 1.5, which"),
        (Number::Float(f64::NAN), "is NaN, which"),
        (Number::Integer(i128::MIN), "which is not exactly a value of type i16"),
    ];
    for (init, words) in cases {
        both_refuse(Scan::new(Op::Sum).init(init), Reduce::new(Op::Sum).init(init), X, words);
    }
    // A negative one of a type that is computed as an unsigned one, however it is written.
    for init in [Number::Integer(-5), Number::Float(-5.0)] {
        let scanned = Scan::new(Op::Sum).init(init).exclusive().run(&Device::cpu(), X);
        assert_eq!(scanned, Ok(Values::I16(vec![-5, -2, -3, 297])));
    }
    let widest = Scan::new(Op::Or).init(i64::MIN).run(&Device::cpu(), View::I64(&[0, 1]));
    assert_eq!(widest, Ok(Values::I64(vec![i64::MIN, i64::MIN + 1])));
}

#[test]
fn accumulating() {
    let device = Device::cpu();
    let flags = View::Bool(&[true, false, true]);
    assert_eq!(Scan::new(Op::Sum).accumulate(Type::U8).run(&device, flags), Ok(Values::U8(vec![1, 1, 2])));
    let many = vec![200u8; 1000];
    let total = Reduce::new(Op::Sum).accumulate(Type::U32).run(&device, View::U8(&many));
    assert_eq!(total, Ok(Values::U32(vec![200_000])));
    let scan = Scan::new(Op::Sum).accumulate(Type::I8);
    refused(scan.run(&device, X), "element 2 is 300, which is not exactly a value of type i8");
    refused(
        scan.run_in_place(&device, Values::I16(vec![1]).view_mut()),
        "accumulate in place: the results are of another",
    );
    refused(Scan::new(Op::Sum).accumulate(Type::F32).run(&device, View::F64(&[0.5, 0.1])), "element 1 is 0.1");
    // What lies past the first part that is converted.
    let mut long = vec![1i64; 600];
    long[599] = (1 << 53) + 1;
    refused(
        Reduce::new(Op::Max).accumulate(Type::F64).run(&device, View::I64(&long)),
        "element 599 is 9007199254740993",
    );
}

#[test]
fn segments_and_axes() {
    let cases: [(View<'_>, &str); 7] = [
        (View::I8(&[0, -1, 4]), "offset 1 is -1: offsets ascend from 0 to 4"),
        (View::U64(&[0, 3, 2, 4]), "offset 2 is 2 after 3"),
        (View::U32(&[0, 3]), "the last offset is 3 and there are 4 values"),
        (View::I64(&[0, 5]), "the last offset is 5"),
        (View::U8(&[1, 4]), "the first offset is 1"),
        (View::U8(&[]), "there are no offsets"),
        (View::F32(&[0.0, 4.0]), "there are values of f32 where integers are due"),
    ];
    let mut cases: Vec<(Segments<'_>, &str)> = cases.map(|(x, words)| (Segments::Offsets(x), words)).into();
    cases.push((Segments::HeadFlags(&[true; 5]), "head flags is 5, and must be 4"));
    cases.push((Segments::Keys(View::F64(&[1.0; 3])), "keys is 3, and must be 4"));
    for (segments, words) in cases {
        both_refuse(Scan::new(Op::Sum).segments(segments), Reduce::new(Op::Sum).segments(segments), X, words);
    }
    let device = Device::cpu();
    for (shape, axis, words) in [(&[2, 3][..], 0, "the shape [2, 3]"), (&[2, 2], 2, "axis 2"), (&[], 0, "axis 0")] {
        refused(Scan::new(Op::Sum).axis(shape, axis).run(&device, X), words);
        refused(Scan::new(Op::Sum).axis(shape, axis).check_overflow(X), words);
        refused(Reduce::new(Op::Sum).axis(shape, axis).run(&device, X), words);
    }
    let flags = [true; 4];
    let both = Scan::new(Op::Sum).axis(&[2, 2], 0).segments(Segments::HeadFlags(&flags));
    refused(both.run(&device, X), "axis with segments");
    // NaN differs from itself, and the zeros are equal.
    let keys = View::F32(&[f32::NAN, f32::NAN, 0.0, -0.0]);
    let runs = Reduce::new(Op::Sum).segments(Segments::Keys(keys)).run(&device, X);
    assert_eq!(runs, Ok(Values::I16(vec![3, -1, 304])));
}

#[test]
fn bytes() {
    let words: Vec<u32> = vec![1, 2, 3];
    let view = View::U32(&words);
    let bytes = view.bytes();
    assert_eq!(View::from_bytes(Type::U32, bytes), Ok(view));
    assert_eq!(View::from_bytes(Type::I64, &[]), Ok(View::I64(&[])));
    refused(View::from_bytes(Type::U32, &bytes[..11]), "11 bytes are no values of u32: their number is not a multiple");
    refused(View::from_bytes(Type::U32, &bytes[1..9]), "8 bytes are no values of u32: their address is not");
    refused(View::from_bytes(Type::Bool, &[0, 1, 2]), "3 bytes are no values of bool: a byte is neither 0 nor 1");
    assert_eq!(View::from_bytes(Type::Bool, &[0, 1]), Ok(View::Bool(&[false, true])));
    refused(Values::zeroed(Type::F64, usize::MAX), "not enough memory for 18446744073709551615 bytes");
    refused(Values::zeroed(Type::U8, 1 << 60), "not enough memory for 1152921504606846976 bytes");
    let mut out = Values::U8(vec![0; 3]);
    refused(plain::scan(Op::Sum, X, out.view_mut()), "they have different types");
    refused(plain::scan(Op::Sum, View::U8(&[1]), out.view_mut()), "output is 3, and must be 1");
}

#[test]
fn values_become_those_of_other_types() {
    let bits = Values::U64(vec![u64::MAX, 256, 3]);
    assert_eq!(bits.clone().modulo(Type::U8), Ok(Values::U8(vec![255, 0, 3])));
    assert_eq!(bits.clone().modulo(Type::I16), Ok(Values::I16(vec![-1, 256, 3])));
    assert_eq!(bits.clone().modulo(Type::I64), Ok(Values::I64(vec![-1, 256, 3])));
    assert_eq!(bits.clone().modulo(Type::F32), Ok(bits));
    assert_eq!(Values::I64(vec![-1]).modulo(Type::U32), Ok(Values::U32(vec![u32::MAX])));
    // Rounded once, not to f64 and then to f32.
    let twice = (1i64 << 60) + (1 << 36) + 1;
    assert_eq!(View::I64(&[twice]).nearest(Type::F32), Ok(Values::F32(vec![twice as f32])));
    assert_ne!(twice as f32, twice as f64 as f32);
    assert_eq!(View::F64(&[0.1, f64::INFINITY]).nearest(Type::F32), Ok(Values::F32(vec![0.1, f32::INFINITY])));
    refused(View::F64(&[0.1, 1e39]).nearest(Type::F32), "element 1 is 1e39, which is not exactly a value of type f32");
    refused(View::I32(&[65504, 65520]).nearest(Type::F16), "element 1 is 65520");
    refused(View::F64(&[1.0, 0.5]).nearest(Type::U8), "element 1 is 0.5");
}

#[test]
fn overflow_says_where_and_what() {
    let factors: Vec<i64> = (1..=25).collect();
    let at = |index, value| Err(Error::Overflow { op: Op::Product, element: Type::I64, index, value: Some(value) });
    assert_eq!(Scan::new(Op::Product).check_overflow(View::I64(&factors)), at(20, 51_090_942_171_709_440_000));
    let all = 15_511_210_043_330_985_984_000_000;
    assert_eq!(Reduce::new(Op::Product).check_overflow(View::I64(&factors)), at(20, all));
    // An intermediate total may leave the type if the result does not.
    let there_and_back = View::I64(&[i64::MAX, 1, -2]);
    assert_eq!(Reduce::new(Op::Sum).check_overflow(there_and_back), Ok(()));
    assert!(Scan::new(Op::Sum).check_overflow(there_and_back).is_err());
    let mut with_zero = vec![3i64; 200];
    refused(
        Reduce::new(Op::Product).check_overflow(View::I64(&with_zero)),
        "the product at element 39 does not fit i64",
    );
    with_zero.push(0);
    assert_eq!(Reduce::new(Op::Product).check_overflow(View::I64(&with_zero)), Ok(()));
    // The lowest number is the type's only one without a counterpart.
    assert_eq!(Scan::new(Op::Product).check_overflow(View::I8(&[-128, 1])), Ok(()));
    refused(Scan::new(Op::Product).check_overflow(View::I8(&[-128, -1])), "the product at element 1 is 128");
    // Along an axis, and with an initial value; what wraps nowhere is never refused.
    let matrix = View::U8(&[200, 1, 50, 255]);
    let along = |axis| Scan::new(Op::Sum).axis(&[2, 2], axis).check_overflow(matrix);
    refused(along(0), "the sum at element 3 is 256, which does not fit u8");
    refused(along(1), "the sum at element 3 is 305");
    refused(Scan::new(Op::Sum).init(56u8).exclusive().check_overflow(matrix), "the sum at element 1 is 256");
    // In the type of the results, in which the elements need not be.
    let wide = |op| Reduce::new(op).accumulate(Type::U64).check_overflow(View::I32(&[-3, 5]));
    assert_eq!(wide(Op::Sum), Ok(()));
    refused(wide(Op::Product), "the product at element 0 is -15, which does not fit u64");
    assert_eq!(Scan::new(Op::Sum).accumulate(Type::I64).check_overflow(View::I32(&[i32::MAX, i32::MAX])), Ok(()));
    refused(Scan::new(Op::Sum).accumulate(Type::I8).check_overflow(View::Bool(&[true; 130])), "at element 127 is 128");
    assert_eq!(Scan::new(Op::Max).check_overflow(matrix), Ok(()));
    assert_eq!(Scan::new(Op::Sum).check_overflow(View::F64(&[f64::MAX, f64::MAX])), Ok(()));
}

/// Lines without elements, of which there are more than can be counted, or stored.
#[test]
fn lines_of_no_elements() {
    let (device, none) = (Device::cpu(), View::I16(&[]));
    for shape in [&[usize::MAX, 2, 0][..], &[3, usize::MAX / 3 + 1, 0], &[1 << 60, 0]] {
        let axis = shape.len() - 1;
        Scan::new(Op::Sum).axis(shape, axis).check_overflow(none).unwrap();
        assert_eq!(Scan::new(Op::Sum).axis(shape, axis).run(&device, none).unwrap(), Values::I16(vec![]));
        Reduce::new(Op::Sum).axis(shape, axis).check_overflow(none).unwrap();
        refused(Reduce::new(Op::Sum).axis(shape, axis).run(&device, none), "not enough memory for");
    }
    refused(Scan::new(Op::Sum).axis(&[usize::MAX, 2], 0).run(&device, none), "another number of elements");
}

/// A sort to memory of the caller's takes what fits and nothing else, for every type; numbers have its order.
#[test]
fn sorts_to_other_memory() {
    let device = Device::cpu();
    for &element in Type::ALL {
        let (mut out, mut short) = (Values::zeroed(element, 3).unwrap(), Values::zeroed(element, 2).unwrap());
        let x = View::U8(&[1, 0, 1]).to_type(element).unwrap();
        for (sort, sorted) in [(Sort::new(), [0, 1, 1]), (Sort::new().descending(), [1, 1, 0])] {
            sort.run_to(&device, x.view(), out.view_mut()).unwrap();
            assert_eq!(out, View::U8(&sorted).to_type(element).unwrap());
            let numbers = sort.numbers(x.view()).unwrap();
            assert!(numbers[0] == numbers[2] && (numbers[1] < numbers[0]) == (sorted[0] == 0), "{element}");
        }
        refused(Sort::new().run_to(&device, x.view(), short.view_mut()), "2");
        let other = if element == Type::I8 { Type::U8 } else { Type::I8 };
        let mut other = Values::zeroed(other, 3).unwrap();
        refused(Sort::new().run_to(&device, x.view(), other.view_mut()), "x and out: they have different types");
    }
}
