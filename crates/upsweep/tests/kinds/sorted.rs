//! Merges and sets of each kind of sorted values, and sorts of structs that each kind makes.

use crate::kinds::{Parts, each_kind, lens};
use upsweep::prelude::*;
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend! { merges, sets, sorts_by_fields }

/// Values in ascending order, some of which are among those of every kind.
fn others(len: usize) -> Vec<u32> {
    let mut others: Vec<u32> =
        (0..len as u32).map(|i| if i % 2 == 0 { i } else { i.wrapping_mul(0x9E37_79B9) }).collect();
    others.sort_unstable();
    others
}

fn merges(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::sorted(place, len);
        let others = others(len / 2);
        let on_others = place.upload(&others, 1);
        each_kind!("merge", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let mut merged = [&values[..], &others].concat();
            merged.sort_unstable();
            assert_eq!(Merge::new().run_to_vec(device, (input(), &on_others)), Ok(merged.clone()), "{case}");
            let mut output = place.poisoned::<u32>(merged.len(), 1);
            Merge::new().run(device, (&on_others, input()), &mut output).unwrap();
            assert_eq!(output.check_guards(), merged, "{case}");
            // As elements of pairs and as their values: of equal elements, those of the first input come first.
            let from = values.iter().map(|&x| (x, 0)).chain(others.iter().map(|&x| (x, u32::MAX)));
            let mut pairs: Vec<(u32, u32)> = from.collect();
            pairs.sort_by_key(|pair| pair.0);
            let inputs = ((input(), Apply(Nothing, input())), (&on_others, Apply(All, &on_others)));
            assert_eq!(Merge::new().pairs().run_to_vecs(device, inputs), Ok(pairs.into_iter().unzip()), "{case}");
        });
    }
}

#[function]
fn nothing(_: u32) -> u32 {
    0
}
#[function]
fn all(_: u32) -> u32 {
    u32::MAX
}

fn sets(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::sorted(place, len);
        let others = others(len);
        let on_others = place.upload(&others, 1);
        each_kind!("sets", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            // An element is in both as often as in the one that has it less often.
            let (mut both, mut rest, mut j) = (vec![], vec![], 0);
            for &x in &values {
                j += others[j..].partition_point(|&other| other < x);
                if others.get(j) == Some(&x) {
                    both.push(x);
                    j += 1;
                } else {
                    rest.push(x);
                }
            }
            assert_eq!(Sets::intersection().run_to_vec(device, (input(), &on_others)), Ok(both), "{case}");
            let mut union = [&rest[..], &others].concat();
            union.sort_unstable();
            assert_eq!(Sets::difference().run_to_vec(device, (input(), &on_others)), Ok(rest), "{case}");
            assert_eq!(Sets::union().run_to_vec(device, (input(), &on_others)), Ok(union), "{case}");
        });
    }
}

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Row {
    #[key]
    group: u16,
    #[key]
    size: u32,
}
#[function]
fn row_of(size: u32, group: u16) -> Row {
    Row { group: group % 4, size }
}

fn sorts_by_fields(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("sort_by_fields", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let mut order: Vec<u32> = (0..len as u32).collect();
            order.sort_by_key(|&i| (parts.small[i as usize] % 4, values[i as usize]));
            let rows: Vec<Row> = order.iter().map(|&i| row_of(values[i as usize], parts.small[i as usize])).collect();
            let input = || Apply(RowOf, (input(), &parts.on.small));
            assert_eq!(Sort::by_fields().run_to_vec(device, input()), Ok(rows), "{case}");
            assert_eq!(Sort::by_fields().indices().run_to_vec::<_, u32>(device, input()), Ok(order), "{case}");
        });
    }
}
