//! Elements sorted by a key that a function computes, and by fields.

use std::cmp::Ordering;
use upsweep::{Element, Sort, function};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;

on_each_backend!(sort_by_a_key, sort_by_two_columns, sort_by_fields, sort_by_many_fields);

#[function]
fn remainder(#[param] by: u32, x: u32) -> f32 {
    (x % by) as f32 - 3.0
}

#[function]
fn both(town: u16, street: i32) -> i64 {
    ((town as i64) << 32) + (street as i64)
}

fn sort_by_a_key(place: &Place) {
    let mut rng = Rng::new(3);
    for len in [0, 1, 5, 1000, 30_001] {
        let x: Vec<u32> = (0..len).map(|_| rng.next() as u32).collect();
        let input = place.upload(&x, 1);
        for (by, descending) in [(10, false), (1000, true)] {
            let mut expected: Vec<u32> = x.clone();
            expected.sort_by_key(|x| if descending { by - x % by } else { x % by });
            let sort = Sort::by_key(Remainder { by });
            let sort = if descending { sort.descending() } else { sort };
            let mut output = place.poisoned::<u32>(len, 3);
            assert_eq!(sort.run(&place.device, &input, &mut output), Ok(()));
            assert_eq!(output.check_guards(), expected, "{len} by {by}");
            let mut order = place.poisoned::<u32>(len, 0);
            assert_eq!(sort.indices().run(&place.device, &input, &mut order), Ok(()));
            let found: Vec<u32> = order.check_guards().into_iter().map(|i| x[i as usize]).collect();
            assert_eq!(found, expected, "positions of {len} by {by}");
        }
    }
}

fn sort_by_two_columns(place: &Place) {
    let mut rng = Rng::new(4);
    let towns: Vec<u16> = (0..20_000).map(|_| (rng.next() % 50) as u16).collect();
    let streets: Vec<i32> = (0..20_000).map(|_| (rng.next() % 400) as i32 - 200).collect();
    let mut expected: Vec<u64> = (0..20_000).collect();
    expected.sort_by_key(|i| (towns[*i as usize], streets[*i as usize]));
    let (towns, streets) = (place.upload(&towns, 0), place.upload(&streets, 0));
    let mut order = place.poisoned::<u64>(20_000, 0);
    assert_eq!(Sort::by_key(Both).indices().run(&place.device, (&towns, &streets), &mut order), Ok(()));
    assert_eq!(order.check_guards(), expected);
}

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Sale {
    id: u64,
    #[key]
    sold: bool,
    #[key]
    price: f32,
    #[key]
    town: i16,
    #[key]
    letter: char,
}

/// Struct whose fields have more bits than one key.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Wide(#[key] i8, u64, #[key] f64, #[key] u128, #[key] u16);

/// Order of floats: NaN last in both directions, all of them equal, and zeros of both signs equal.
fn floats(a: f64, b: f64, descending: bool) -> Ordering {
    let order = if descending { b.partial_cmp(&a) } else { a.partial_cmp(&b) };
    a.is_nan().cmp(&b.is_nan()).then(order.unwrap_or(Ordering::Equal))
}

fn sort_by_fields(place: &Place) {
    let mut rng = Rng::new(5);
    let special = [f32::NAN, -f32::NAN, -0.0, 0.0, f32::INFINITY, -1.5, f32::NEG_INFINITY];
    let sales: Vec<Sale> = (0..3000)
        .map(|id| Sale {
            id,
            sold: rng.below(2) == 0,
            price: special[rng.below(7)],
            town: rng.below(5) as i16 - 2,
            letter: ['b', 'ä', 'a', '\u{10ffff}'][rng.below(4)],
        })
        .collect();
    let input = place.device.upload(&sales).unwrap();
    for descending in [false, true] {
        let directed = |order: Ordering| if descending { order.reverse() } else { order };
        let mut expected: Vec<u32> = (0..3000).collect();
        expected.sort_by(|&a, &b| {
            let (a, b) = (sales[a as usize], sales[b as usize]);
            directed(a.sold.cmp(&b.sold))
                .then(floats(a.price.into(), b.price.into(), descending))
                .then(directed(a.town.cmp(&b.town)))
                .then(directed(a.letter.cmp(&b.letter)))
        });
        let sort = if descending { Sort::by_fields().descending() } else { Sort::by_fields() };
        let mut output = place.device.upload(&sales).unwrap();
        assert_eq!(sort.run(&place.device, &input, &mut output), Ok(()));
        let found: Vec<u32> = output.to_vec().unwrap().iter().map(|sale| sale.id as u32).collect();
        assert_eq!(found, expected, "descending: {descending}");
        let mut order = place.poisoned::<u32>(3000, 1);
        assert_eq!(sort.indices().run(&place.device, &input, &mut order), Ok(()));
        assert_eq!(order.check_guards(), expected, "positions, descending: {descending}");
    }
}

fn sort_by_many_fields(place: &Place) {
    let mut rng = Rng::new(6);
    let wide: Vec<Wide> = (0..3000)
        .map(|id| {
            let (a, b) = (rng.below(3) as i8 - 1, [0.5, -0.5, f64::NAN][rng.below(3)]);
            Wide(a, id, b, u128::from(rng.next() % 3) << 100, rng.below(3) as u16)
        })
        .collect();
    let input = place.device.upload(&wide).unwrap();
    for descending in [false, true] {
        let directed = |order: Ordering| if descending { order.reverse() } else { order };
        let mut expected: Vec<u64> = (0..3000).collect();
        expected.sort_by(|&a, &b| {
            let (a, b) = (wide[a as usize], wide[b as usize]);
            directed(a.0.cmp(&b.0)).then(floats(a.2, b.2, descending)).then(directed((a.3, a.4).cmp(&(b.3, b.4))))
        });
        let sort = if descending { Sort::by_fields().descending() } else { Sort::by_fields() };
        let mut output = place.device.upload(&wide).unwrap();
        assert_eq!(sort.run(&place.device, &input, &mut output), Ok(()));
        let found: Vec<u64> = output.to_vec().unwrap().iter().map(|wide| wide.1).collect();
        assert_eq!(found, expected, "descending: {descending}");
        let mut order = place.poisoned::<u64>(3000, 0);
        assert_eq!(sort.indices().run(&place.device, &input, &mut order), Ok(()));
        assert_eq!(order.check_guards(), expected, "positions, descending: {descending}");
    }
}
