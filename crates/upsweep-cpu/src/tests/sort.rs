//! Tests of sorts with limits so small that short arrays are partitioned more than once, by several threads, with
//! non-temporal stores.

use super::Random;
use crate::sort::tests::sort_within;
use std::fmt::Debug;
use upsweep_core::key::{Key, KeyBits};
use upsweep_core::operator::Element;
use upsweep_plan::cpu::SortLimits;

/// Makes keys with distributions that are partitioned in different ways.
fn keys<K>(kind: usize, len: usize, random: &mut Random, of_bits: fn(u64) -> K) -> Vec<K> {
    let mut bits = || random.next().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ random.next() << 40;
    (0..len)
        .map(|i| {
            of_bits(match kind {
                0 => bits(),
                // One part has nearly all keys, most of them equal.
                1 => 1 << (bits() % 20 * (bits() % 20) % 20),
                2 => bits() & 0xff | 0x4142_4300,
                3 => bits() & !0xff00 | 0x1200,
                4 => u64::from(bits() % 2 == 0) << 63 | bits() & 7,
                5 => i as u64,
                6 => (len - i) as u64,
                // Zeros of both signs, and some other keys.
                7 if bits() % 16 == 0 => bits(),
                7 => (bits() & 1) << (8 * size_of::<K>() - 1).min(63),
                _ => (i / 700) as u64,
            })
        })
        .collect()
}

/// Makes offsets of short segments, some of them too long for a network, and of a few longer segments.
fn short_segments(len: usize, random: &mut Random) -> Vec<usize> {
    let mut offsets = vec![0];
    while let Some(&end) = offsets.last()
        && end < len
    {
        let own = match random.below(40) {
            0 => 300,
            1..4 => 0,
            _ => random.below(10),
        };
        offsets.push(len.min(end + own));
    }
    offsets
}

fn check<K: Key + Debug, V: Element + Debug + PartialEq>(of_bits: fn(u64) -> K, value: fn(usize) -> V, seed: u64) {
    let mut random = Random(seed);
    let small = SortLimits {
        compare_below: 20,
        network: 8,
        cached: 1024,
        parallel_from: 5000,
        non_temporal_from: 10_000,
        threads: 3,
    };
    let one = SortLimits { threads: 1, non_temporal_from: usize::MAX, ..small };
    // So many ranges that are partitioned again that each is one thread's.
    let again = SortLimits { cached: 16, ..small };
    for kind in 0..9 {
        for (len, offset, limits) in
            [(3001, 0, small), (9003, 1, small), (2500, 3, one), (300, 0, small), (30_007, 0, again)]
        {
            let x = keys(kind, len + offset, &mut random, of_bits);
            let values: Vec<V> = (0..len + offset).map(value).collect();
            let offsets = match (kind, offset) {
                (0, 1) => vec![0, 0, 7, 100, 7000, len],
                (0..3, 1..) => short_segments(len, &mut random),
                _ => vec![],
            };
            for descending in [false, true] {
                let bits: Vec<K::Bits> = x.iter().map(|&x| bits_of(x).compared(K::ORDER, descending)).collect();
                let mut order: Vec<usize> = (offset..len + offset).collect();
                let segments = if offsets.is_empty() { vec![0, len] } else { offsets.clone() };
                for segment in segments.windows(2) {
                    order[segment[0]..segment[1]].sort_by_key(|&i| bits[i]);
                }
                let expected: Vec<K::Bits> = order.iter().map(|&i| bits_of(x[i])).collect();
                let expected_values: Vec<V> = order.iter().map(|&i| values[i]).collect();
                let (mut out, mut values_out) = (x.clone(), values.clone());
                let what = format!("{kind} of {len}, {}, {descending}", std::any::type_name::<(K, V)>());
                let (from, to) = ((&x[offset..], &values[offset..]), (&mut out[offset..], &mut values_out[offset..]));
                sort_within(limits, from, to, descending, &offsets).unwrap();
                assert!(out[offset..].iter().map(|&x| bits_of(x)).eq(expected.iter().copied()), "keys, {what}");
                assert!(values_out[offset..] == expected_values, "values, {what}");
                assert!(
                    out[..offset].iter().map(|&x| bits_of(x)).eq(x[..offset].iter().map(|&x| bits_of(x))),
                    "{what}"
                );
                // Sorts in place.
                let (mut out, mut values_out) = (x.clone(), values.clone());
                let (at, values_at) = (out[offset..].as_mut_ptr(), values_out[offset..].as_mut_ptr());
                // SAFETY: input and output of a sort may be the same memory, which it detects by the addresses.
                let (from, to) = unsafe {
                    let (keys, values) =
                        (std::slice::from_raw_parts(at, len), std::slice::from_raw_parts(values_at, len));
                    (
                        (keys, values),
                        (
                            &mut *std::ptr::slice_from_raw_parts_mut(at, len),
                            &mut *std::ptr::slice_from_raw_parts_mut(values_at, len),
                        ),
                    )
                };
                sort_within(limits, from, to, descending, &offsets).unwrap();
                assert!(out[offset..].iter().map(|&x| bits_of(x)).eq(expected.iter().copied()), "in place, {what}");
                assert!(values_out[offset..] == expected_values, "values in place, {what}");
            }
        }
    }
}

fn bits_of<K: Key>(key: K) -> K::Bits {
    // SAFETY: a key has the bits of its `Bits`.
    unsafe { std::mem::transmute_copy(&key) }
}

#[test]
fn sorts_of_many_keys() {
    // Values are in no order, so that a sort by values would be detected.
    check::<u32, u32>(|bits| bits as u32, |i| (i as u32).wrapping_mul(0x9e37_79b1), 1);
    check::<u32, [u8; 0]>(|bits| bits as u32, |_| [], 2);
    check::<f64, u64>(f64::from_bits, |i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15), 3);
    check::<u8, u16>(|bits| bits as u8, |i| (i as u16).wrapping_mul(40_503), 4);
    check::<i128, [u8; 3]>(|bits| i128::from(bits) << 60, |i| [i as u8, (i >> 8) as u8, 7], 5);
    check::<i16, [u64; 3]>(|bits| bits as i16, |i| [i as u64, 5, 6], 6);
    check::<u16, [u8; 0]>(|bits| bits as u16, |_| [], 7);
    check::<f32, [u8; 0]>(|bits| f32::from_bits(bits as u32), |_| [], 8);
    check::<i64, [u8; 0]>(|bits| bits as i64, |_| [], 9);
}
