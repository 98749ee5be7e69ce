//! Groups whose elements come in batches, against a reduction of each alone.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::ops::Range;
use upsweep::Device;
use upsweep_dynamic::{Error, GroupTotals, Op, Reduce, Type, Values, View};

/// Numbers that look random, of which float sums and products are rounded.
fn sample(element: Type, n: usize) -> Values {
    let bits: Vec<u64> = (0..n as u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7).collect();
    match element {
        Type::Bool => bits.iter().map(|&x| x % 3 == 0).collect::<Vec<bool>>().into(),
        Type::F16 | Type::F32 | Type::F64 => {
            let x: Vec<f64> = bits.iter().map(|&x| 0.9 + (x % 1000) as f64 / 4999.0).collect();
            View::F64(&x).nearest(element).unwrap()
        }
        _ => Values::from(bits).modulo(element).unwrap(),
    }
}

/// Ranges of groups of these lengths, one after the other.
fn ranges(lens: &[usize]) -> Vec<Range<usize>> {
    let mut end = 0;
    lens.iter()
        .map(|len| {
            end += len;
            end - len..end
        })
        .collect()
}

#[test]
fn batches_have_the_bits_of_each_group_alone() {
    let (device, chunk) = (Device::cpu(), Reduce::CHUNK);
    // In batches: the last has what is no multiple of a chunk, some groups come up late, one never.
    let batches = [
        vec![chunk, 0, 7 * chunk],
        vec![0, 300 * chunk, chunk, 0],
        vec![1, 5, chunk - 1, chunk + 1, 3 * chunk + 77, 0, 5, 1, 2],
    ];
    for &element in Type::ALL {
        let ops = Op::ALL.iter().filter(|op| op.check(element).is_ok() && op.keeps_bits_in_parts(element));
        for (&op, begins) in ops.flat_map(|op| [(op, false), (op, true)]) {
            let (mut totals, mut reduce) = (GroupTotals::new(op, element), Reduce::new(op));
            if begins {
                (totals, reduce) = (totals.init(1), reduce.init(1));
            }
            let mut alone = vec![Values::zeroed(element, 0).unwrap(); 10];
            for lens in &batches {
                let x = sample(element, lens.iter().sum());
                let ranges = ranges(lens);
                totals.add(&device, x.view(), &ranges).unwrap();
                for (range, alone) in ranges.into_iter().zip(&mut alone) {
                    alone.append(x.view().part(range)).unwrap();
                }
            }
            let mut expected = Values::zeroed(element, 0).unwrap();
            for x in &alone {
                expected.append(reduce.run(&device, x.view()).unwrap().view()).unwrap();
            }
            assert_eq!(totals.finish(&device, 10).unwrap(), expected, "{op} of {element}, {begins}");
        }
    }
}

#[test]
fn wider_totals_and_none() {
    let device = Device::cpu();
    let mut totals = GroupTotals::new(Op::Sum, Type::F64);
    totals.add(&device, View::F32(&[0.1; 30]), &ranges(&[20, 10])).unwrap();
    let sum = |n: usize| Reduce::new(Op::Sum).accumulate(Type::F64).run(&device, View::F32(&[0.1; 30][..n])).unwrap();
    let mut expected = sum(20);
    expected.append(sum(10).view()).unwrap();
    assert_eq!(totals.scaled(0.5).finish(&device, 2).unwrap().view().len(), 2);
    assert_eq!(totals.finish(&device, 2).unwrap(), expected);
    let none = GroupTotals::new(Op::Product, Type::I8);
    assert_eq!(none.clone().finish(&device, 0).unwrap(), Values::I8(vec![]));
    assert_eq!(none.finish(&device, 2).unwrap(), Values::I8(vec![1, 1]));
    let mut or = GroupTotals::new(Op::Or, Type::F32);
    assert!(matches!(or.add(&device, View::F32(&[1.0]), &ranges(&[1])), Err(Error::Operator { .. })));
    let mut x = Values::F32(vec![]);
    assert!(matches!(x.append(View::F64(&[1.0])), Err(Error::Options { .. })));
}
