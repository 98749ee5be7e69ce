//! Elements in the order of what a function makes of them.

use crate::support::on_each_backend;
use crate::support::place::Place;
use crate::support::random::Rng;
use upsweep::{Sort, function};

on_each_backend!(sort_by_a_key, sort_by_two_columns);

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
