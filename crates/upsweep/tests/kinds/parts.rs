//! Calls on an array in parts, each of which is of each kind of input: here, of the same input twice.

use crate::kinds::{Parts, each_kind, lens};
use upsweep::prelude::*;
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend! { scans_and_reductions, selections, groups, signals }

#[function]
fn third(x: u32) -> bool {
    x % 3 == 0
}
#[function]
fn near_equals(a: u32, b: u32) -> bool {
    a / (1 << 29) == b / (1 << 29)
}
#[function]
fn low_bits(x: u32) -> u32 {
    x % 16
}

fn twice(values: &[u32]) -> Vec<u32> {
    [values, values].concat()
}

fn scans_and_reductions(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("carry/scan, carry/reduce", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let (mut all, mut sum) = (vec![], 0u32);
            let mut output = place.poisoned::<u32>(len, 1);
            let mut total = place.poisoned::<u32>(1, 0);
            let (mut of_scan, mut of_total) = (Carry::new(), Carry::new());
            for _ in 0..2 {
                Scan::new(Sum).run_with_carry(device, input(), &mut output, &mut of_scan).unwrap();
                all.extend(output.check_guards());
                Reduce::new(Sum).run_with_carry(device, input(), &mut total, &mut of_total).unwrap();
            }
            let sums: Vec<u32> = twice(&values).iter().map(|&x| (sum = sum.wrapping_add(x), sum).1).collect();
            assert_eq!((all, total.check_guards()), (sums, vec![sum]), "{case}");
        });
    }
}

fn selections(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("carry/selection, carry/dedup", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let (mut kept, mut firsts) = (vec![], vec![]);
            let (mut of_kept, mut of_firsts) = (Carry::new(), Carry::new());
            let mut output = place.poisoned::<u32>(len, 1);
            for _ in 0..2 {
                let results = Select::new(Third).run_with_carry(device, input(), &mut output, &mut of_kept).unwrap();
                results.append(&output.check_guards(), &mut kept).unwrap();
                let dedup = Dedup::by(NearEquals);
                let results = dedup.run_with_carry(device, input(), &mut output, &mut of_firsts).unwrap();
                results.append(&output.check_guards(), &mut firsts).unwrap();
            }
            let mut distinct = twice(&values);
            distinct.dedup_by_key(|x| *x >> 29);
            let thirds: Vec<u32> = twice(&values).into_iter().filter(|x| x % 3 == 0).collect();
            assert_eq!((kept, firsts), (thirds, distinct), "{case}");
        });
    }
}

fn groups(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        let keys = vec![7u8; len];
        let on_keys = place.upload(&keys, 1);
        each_kind!("carry/keys, carry/histogram", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let (mut all_keys, mut sums) = (vec![], vec![]);
            let (mut of_keys, mut of_bins) = (Carry::new(), Carry::new());
            let (mut to_keys, mut to) = (place.poisoned::<u8>(len.min(1), 1), place.poisoned::<u32>(len.min(1), 0));
            let mut bins = place.poisoned::<u32>(16, 1);
            for _ in 0..2 {
                let by_key = Reduce::new(Sum).segments(Segments::Keys(&on_keys));
                let results = by_key.run_with_carry(device, input(), (&mut to_keys, &mut to), &mut of_keys).unwrap();
                results.append(&to_keys.check_guards(), &mut all_keys).unwrap();
                results.append(&to.check_guards(), &mut sums).unwrap();
                Histogram::by(LowBits, 16).run_with_carry(device, input(), &mut bins, &mut of_bins).unwrap();
            }
            let sum = twice(&values).into_iter().fold(0, u32::wrapping_add);
            let expected = if len == 0 { (vec![], vec![]) } else { (vec![7], vec![sum]) };
            assert_eq!((all_keys, sums), expected, "{case}");
            let mut counts = vec![0u32; 16];
            twice(&values).iter().for_each(|x| counts[(x % 16) as usize] += 1);
            assert_eq!(bins.check_guards(), counts, "{case}");
        });
    }
}

fn signals(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("carry/recurrence, carry/moving_sum", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let (mut signal, mut windows) = (vec![], vec![]);
            let (mut of_signal, mut of_windows) = (Carry::new(), Carry::new());
            for _ in 0..2 {
                let mut output = place.poisoned::<u32>(len, 1);
                let recurrence = Recurrence::new(&[1u32], &[1, 3]);
                recurrence.run_with_carry(device, input(), &mut output, &mut of_signal).unwrap();
                signal.extend(output.check_guards());
                let mut sums = place.poisoned::<u32>(len + 1, 0);
                let moving = MovingSum::new([1, len, 1, 1]).rows(1, 1);
                let results = moving.run_with_carry(device, input(), &mut sums, &mut of_windows).unwrap();
                results.append(&sums.check_guards(), &mut windows).unwrap();
            }
            let (values, mut y) = (twice(&values), 0u32);
            let filtered: Vec<u32> = values.iter().map(|x| (y = x.wrapping_sub(y.wrapping_mul(3)), y).1).collect();
            assert_eq!(signal, filtered, "{case}");
            let at = |i: Option<usize>| i.and_then(|i| values.get(i)).copied().unwrap_or(0);
            let around = |i: usize| at(i.checked_sub(1)).wrapping_add(at(Some(i))).wrapping_add(at(Some(i + 1)));
            assert_eq!(windows, (0..values.len()).map(around).collect::<Vec<_>>(), "{case}");
        });
    }
}
