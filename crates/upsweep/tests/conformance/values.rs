//! Functions that capture values, in every place that takes a function. (An equality of keys that captures one is in
//! `scan_segments` and `reduce_lines`.)

use upsweep::operator::{MAX_VALUES_BYTES, check_laws};
use upsweep::{Error, Reduce, Scan, function, operator};
use upsweep_testing::check::{Case, Cuts, Reach, Start};
use upsweep_testing::cuts::one_of_each;
use upsweep_testing::operators::Affine;
use upsweep_testing::oracle::Rule;
use upsweep_testing::place::Place;
use upsweep_testing::sample::random_values;
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(values_everywhere, values_of_most_bytes);

const MASK: u32 = 0xf_ffff;
const ADD: u32 = 77;
const BY: u16 = 3;
const SHIFT: u128 = 5 << 64 | 2;

/// Table that is read at a computed index, a value that is captured besides smaller ones.
const fn table() -> [u8; 251] {
    let mut table = [0; 251];
    let mut i = 0;
    while i < 251 {
        table[i] = (i * 7 % 256) as u8;
        i += 1;
    }
    table
}

#[function]
fn step_of(#[param] table: [u8; 251], #[param] add: u32, x: u8) -> Affine {
    // The last element for what lies beyond.
    Affine { m: u32::from(table[x as usize]) | 1, c: u32::from(x) + add }
}

#[operator(identity = Affine { m: mask & 1, c: 0 })]
fn then_masked(#[param] mask: u32, f: Affine, g: Affine) -> Affine {
    Affine { m: g.m * f.m & mask, c: (g.m * f.c + g.c) & mask }
}

#[function]
fn scaled(#[param] by: u16, f: Affine, #[param] shift: u128) -> u16 {
    (f.m ^ f.c) as u16 * by + (shift >> 64) as u16 + shift as u16
}

fn rule() -> Rule<u8, Affine, u16> {
    Rule {
        map: |x, _| Affine { m: u32::from(table()[usize::from(x).min(250)]) | 1, c: u32::from(x) + ADD },
        combine: |f, g| Affine { m: g.m.wrapping_mul(f.m) & MASK, c: g.m.wrapping_mul(f.c).wrapping_add(g.c) & MASK },
        identity: Some(Affine { m: 1, c: 0 }),
        finish: |f| ((f.m ^ f.c) as u16).wrapping_mul(BY).wrapping_add(7),
    }
}

/// Input of one byte, eight bytes combined, output of two; with every cut, direction and start.
fn values_everywhere(place: &Place) {
    let (map, operator) = (StepOf { table: table(), add: ADD }, ThenMasked { mask: MASK });
    let finish = Scaled { by: BY, shift: SHIFT };
    let init = Affine { m: 5, c: 6 };
    for len in [sizes::few(), vec![33_000]].concat() {
        let x = random_values::<u8>(len);
        for cut in one_of_each(len) {
            for start in [Start::Nothing, Start::Value(init), Start::Buffer(init)] {
                let case = Case::new().cut(cut.clone()).start(start).offsets(len % 7, len % 3);
                for case in case.clone().directions(true) {
                    Cuts.scan(place, Scan::new(operator).map(map).finish(finish), &rule(), &x, &case);
                }
                Cuts.reduce(place, Reduce::new(operator).map(map).finish(finish), &rule(), &x, &case);
            }
        }
    }
}

const MOST: usize = MAX_VALUES_BYTES / 4;

#[function]
fn all_of(#[param] values: [u32; MOST], x: u32) -> u32 {
    values[(x % 512) as usize] ^ x
}

#[function]
fn one_more(#[param] value: u8, x: u32) -> u32 {
    x + u32::from(value)
}

/// Values of the most bytes allowed, and of one more.
fn values_of_most_bytes(place: &Place) {
    let values: [u32; MOST] = std::array::from_fn(|i| (i as u32).wrapping_mul(0x9e37_79b9));
    let x = random_values::<u32>(5000);
    let (input, mut out) = (place.upload(&x, 0), place.upload(&vec![0u32; 5000], 0));
    let scan = Scan::new(upsweep::operator::builtin::Xor).map(AllOf { values });
    scan.run(&place.device, &input, &mut out).unwrap();
    let mut all = 0;
    let expected: Vec<u32> = x.iter().map(|x| (all ^= values[(x % 512) as usize] ^ x, all).1).collect();
    assert_eq!(out.check_guards(), expected);
    let found = scan.finish(OneMore { value: 1 }).run(&place.device, &input, &mut out);
    assert_eq!(found, Err(Error::Values { bytes: MAX_VALUES_BYTES + 1, most: MAX_VALUES_BYTES }));
}

#[test]
fn values_keep_the_laws() {
    let laws = check_laws(&ThenMasked { mask: 7 }, &[Affine { m: 3, c: 4 }, Affine { m: 7, c: 1 }]);
    assert!(laws.is_ok_and(|laws| laws.not_commutative.is_some()));
    assert_eq!(format!("{:?}", StepOf { table: table(), add: 1 }), "StepOf { .. }");
    assert_eq!(step_of(table(), 1, 2), Affine { m: 15, c: 3 });
}
