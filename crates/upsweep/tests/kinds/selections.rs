//! Selections and partitions of each kind of input.

use crate::kinds::{Parts, each_counted_kind, each_kind, lens};
use upsweep::Error;
use upsweep::prelude::*;
use upsweep_testing::on_each_backend;
use upsweep_testing::place::{Buffer, Place};
use upsweep_testing::sample::Sample;

on_each_backend! {
    selections,
    selections_by_several_inputs,
    selections_of_values_of_several_inputs,
    selections_by_flags,
    partitions,
    distinct_neighbours,
    runs,
    counted_inputs,
    faults_of_inputs,
}

#[function]
fn third(x: u32) -> bool {
    x % 3 == 0
}
#[function]
fn cheap(#[param] most: u32, price: u32, stock: u16) -> bool {
    price < most && stock % 2 == 1
}
#[function]
fn of_all(set: bool, i: u64, near: [u32; 3], x: u16) -> bool {
    set && (u64::from(near[0]) + u64::from(near[2]) + i) % 3 == u64::from(x % 3)
}
#[function]
fn near_equals(a: u32, b: u32) -> bool {
    a / (1 << 29) == b / (1 << 29)
}

/// Checks that an output has `expected` at its beginning, and is unchanged after that.
#[track_caller]
fn expect<T: Sample>(output: &Buffer<T>, expected: &[T], case: &str) {
    let found = output.check_guards();
    let (found, rest) = found.split_at(expected.len());
    assert!(found.iter().zip(expected).all(|(a, b)| a.same(b)), "{case}: {found:?} must be {expected:?}");
    assert!(rest.iter().all(|x| x.same(&T::poison())), "{case}: something is written behind the results");
}

fn of<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&i| values[i]).collect()
}

fn numbers(places: &[usize]) -> Vec<u32> {
    places.iter().map(|&i| i as u32).collect()
}

fn selections(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("compaction", &parts, |name, values, input| {
            let places: Vec<usize> = (0..len).filter(|&i| values[i] % 3 == 0).collect();
            let case = format!("{name}, {len} elements");
            let mut output = place.poisoned::<u32>(len, 1);
            let count = Select::new(Third).run(device, input(), &mut output).unwrap();
            assert_eq!(count.get(), Ok(places.len()), "{case}");
            expect(&output, &of(&values, &places), &case);
            let mut output = place.poisoned::<u64>(places.len(), 0);
            let count = Select::new(Third).indices().run(device, input(), &mut output).unwrap();
            assert_eq!(count.get(), Ok(places.len()), "{case}");
            expect(&output, &places.iter().map(|&i| i as u64).collect::<Vec<_>>(), &case);
            assert_eq!(Select::new(Third).run_to_vec::<_, u32>(device, input()), Ok(of(&values, &places)), "{case}");
            let found = Select::new(Third).indices().run_to_vec::<_, u32>(device, input());
            assert_eq!(found, Ok(numbers(&places)), "{case}");
        });
    }
}

/// A predicate takes an argument of each input.
fn selections_by_several_inputs(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        let (x, small, words) = (&parts.on.x, &parts.on.small, &parts.on.words);
        for most in [0, 1 << 30, u32::MAX] {
            let places: Vec<usize> = (0..len).filter(|&i| parts.x[i] < most && parts.small[i] % 2 == 1).collect();
            let select = Select::new(Cheap { most }).indices();
            assert_eq!(select.run_to_vec::<_, u32>(device, (x, small)), Ok(numbers(&places)), "{len}");
            let mut output = place.poisoned::<i64>(len, 1);
            let count = select.run(device, (x, small), &mut output).unwrap();
            assert_eq!(count.get(), Ok(places.len()));
            expect(&output, &places.iter().map(|&i| i as i64).collect::<Vec<_>>(), "two columns");
        }
        let holds = |i: usize| {
            let [a, _, b] = parts.near(i);
            parts.bit(i) && (u64::from(a) + u64::from(b) + i as u64) % 3 == u64::from(parts.small[i] % 3)
        };
        let places: Vec<usize> = (0..len).filter(|&i| holds(i)).collect();
        let all = (Bits::of(words, len), 0..len as u64, Neighbours::of(x), small);
        assert_eq!(Select::new(OfAll).indices().run_to_vec::<_, u32>(device, all), Ok(numbers(&places)), "{len}");
    }
}

/// Values of several inputs are stored as tuples.
fn selections_of_values_of_several_inputs(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        let pairs: Vec<(u32, u16)> = parts.x.iter().copied().zip(parts.small.iter().copied()).collect();
        let kept: Vec<(u32, u16)> = pairs.iter().copied().filter(|&(a, b)| a < 1 << 31 && b % 2 == 1).collect();
        let select = Select::new(Cheap { most: 1 << 31 });
        let mut output = place.poisoned::<(u32, u16)>(len, 1);
        let count = select.run(device, (&parts.on.x, &parts.on.small), &mut output).unwrap();
        assert_eq!(count.get(), Ok(kept.len()));
        expect(&output, &kept, &format!("pairs, {len} elements"));
        let found: Vec<(u32, u16)> = select.run_to_vec(device, (&parts.on.x, &parts.on.small)).unwrap();
        assert_eq!(found, kept);
    }
}

fn selections_by_flags(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        let keep: Vec<bool> = (0..len).map(|i| parts.bit(i)).collect();
        let places: Vec<usize> = (0..len).filter(|&i| keep[i]).collect();
        let flags = place.upload(&keep, 1);
        each_kind!("compaction", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let select = Select::flags(&flags);
            assert_eq!(select.run_to_vec::<_, u32>(device, input()), Ok(of(&values, &places)), "{case}");
            let found = select.indices().run_to_vec::<_, u32>(device, input());
            assert_eq!(found, Ok(numbers(&places)), "{case}");
        });
        let (other, mut output) = (place.upload(&vec![true; len + 1], 0), place.poisoned::<u32>(len, 0));
        let error = Select::flags(&other).indices().run(device, (&parts.on.x, &parts.on.small), &mut output).map(drop);
        assert_eq!(error, Err(Error::Length { what: "flags", found: len + 1, expected: len }));
    }
}

fn partitions(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("partition", &parts, |name, values, input| {
            let (yes, no): (Vec<usize>, Vec<usize>) = (0..len).partition(|&i| values[i] % 3 == 0);
            let case = format!("{name}, {len} elements");
            let partition = Partition::new(Third);
            let mut both = place.poisoned::<u32>(len, 1);
            assert_eq!(partition.run(device, input(), &mut both).unwrap().get(), Ok(yes.len()), "{case}");
            expect(&both, &[of(&values, &yes), of(&values, &no)].concat(), &case);
            let (mut a, mut b) = (place.poisoned::<u32>(len, 0), place.poisoned::<u32>(no.len(), 1));
            partition.run(device, input(), (&mut a, &mut b)).unwrap();
            expect(&a, &of(&values, &yes), &case);
            expect(&b, &of(&values, &no), &case);
            let (mut a, mut b) = (place.poisoned::<u32>(yes.len(), 1), place.poisoned::<u32>(len, 0));
            partition.indices().run(device, input(), (&mut a, &mut b)).unwrap();
            expect(&a, &numbers(&yes), &case);
            expect(&b, &numbers(&no), &case);
            let found = partition.run_to_vecs(device, input());
            assert_eq!(found, Ok((of(&values, &yes), of(&values, &no))), "{case}");
            let found = partition.indices().run_to_vecs(device, input());
            assert_eq!(found, Ok((numbers(&yes), numbers(&no))), "{case}");
            let mut both = place.poisoned::<u32>(len, 0);
            partition.indices().run(device, input(), &mut both).unwrap();
            expect(&both, &numbers(&[yes, no].concat()), &case);
        });
    }
}

fn distinct_neighbours(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("compaction", &parts, |name, values, input| {
            let first = |i: usize| i == 0 || values[i - 1] >> 29 != values[i] >> 29;
            let places: Vec<usize> = (0..len).filter(|&i| first(i)).collect();
            let case = format!("{name}, {len} elements");
            let dedup = Dedup::by(NearEquals);
            assert_eq!(dedup.run_to_vec::<_, u32>(device, input()), Ok(of(&values, &places)), "{case}");
            assert_eq!(dedup.indices().run_to_vec::<_, u32>(device, input()), Ok(numbers(&places)), "{case}");
        });
        // Tuples are equal where all of their elements are.
        let (halves, quarters): (Vec<u32>, Vec<u8>) = (0..len).map(|i| (i as u32 / 2, i as u8 / 4)).unzip();
        let pairs = (&place.upload(&halves, 1), &place.upload(&quarters, 0));
        let expected: Vec<(u32, u8)> = (0..len).step_by(2).map(|i| (halves[i], quarters[i])).collect();
        assert_eq!(Dedup::new().run_to_vec::<_, (u32, u8)>(device, pairs), Ok(expected));
    }
}

fn runs(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("runs", &parts, |name, values, input| {
            let first = |i: usize| i == 0 || values[i - 1] >> 29 != values[i] >> 29;
            let begins: Vec<usize> = (0..len).filter(|&i| first(i)).collect();
            let ends = begins.iter().skip(1).copied().chain([len]);
            let lengths: Vec<u32> = begins.iter().zip(ends).map(|(begin, end)| (end - begin) as u32).collect();
            let found = Runs::by(NearEquals).run_to_vecs::<_, u32>(device, input());
            assert_eq!(found, Ok((of(&values, &begins), lengths)), "{name}, {len} elements");
            let (mut first, mut at) = (place.poisoned::<u32>(len, 1), place.poisoned::<u32>(len, 0));
            let count = Runs::by(NearEquals).starts().run(device, input(), (&mut first, &mut at)).unwrap();
            assert_eq!(count.get(), Ok(begins.len()));
            expect(&first, &of(&values, &begins), name);
            expect(&at, &numbers(&begins), name);
        });
    }
}

fn counted_inputs(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        for number in [0, len / 2, len] {
            each_counted_kind!("compaction, partition, runs", place, &parts, number, |name, values, input| {
                let (yes, no): (Vec<usize>, Vec<usize>) = (0..number).partition(|&i| values[i] % 3 == 0);
                let case = format!("{name}, {number} of {len} elements");
                assert_eq!(Select::new(Third).run_to_vec::<_, u32>(device, input()), Ok(of(&values, &yes)), "{case}");
                let found = Select::new(Third).indices().run_to_vec::<_, u32>(device, input());
                assert_eq!(found, Ok(numbers(&yes)), "{case}");
                let (mut a, mut b) = (place.poisoned::<u32>(len, 0), place.poisoned::<u32>(len, 1));
                Partition::new(Third).run(device, input(), (&mut a, &mut b)).unwrap();
                expect(&a, &of(&values, &yes), &case);
                expect(&b, &of(&values, &no), &case);
                let (mut a, mut b) = (place.poisoned::<u32>(len, 0), place.poisoned::<u32>(len, 1));
                Partition::new(Third).indices().run(device, input(), (&mut a, &mut b)).unwrap();
                expect(&a, &numbers(&yes), &case);
                expect(&b, &numbers(&no), &case);
                let first = |i: usize| i == 0 || values[i - 1] >> 29 != values[i] >> 29;
                let begins: Vec<usize> = (0..number).filter(|&i| first(i)).collect();
                let found = Dedup::by(NearEquals).run_to_vec::<_, u32>(device, input());
                assert_eq!(found, Ok(of(&values, &begins)), "{case}");
                let found = Runs::by(NearEquals).starts().run_to_vecs::<_, u32>(device, input());
                assert_eq!(found, Ok((of(&values, &begins), numbers(&begins))), "{case}");
            });
        }
    }
}

/// Faults of an input: told by the call itself, or by the next one that waits.
fn faults_of_inputs(place: &Place) {
    let device = &place.device;
    let (x, y) = (place.upload(&[1u32; 500], 0), place.upload(&[2u16; 499], 0));
    let (mut out, mut places) = (place.poisoned::<(u32, u16)>(500, 0), place.poisoned::<u32>(500, 0));
    let length = Err(Error::Length { what: "second input", found: 499, expected: 500 });
    let select = Select::new(Cheap { most: 7 });
    assert_eq!(select.run(device, (&x, &y), &mut out).map(drop), length);
    assert_eq!(select.indices().run(device, (&x, &y), &mut places).map(drop), length);
    assert_eq!(Runs::new().run_to_vecs::<_, u32>(device, (&x, &y)).map(drop), length.clone());
    let endless = Select::new(Third).indices().run(device, Repeat(3u32), &mut places).map(drop);
    assert!(matches!(endless, Err(Error::Options { .. })), "{endless:?}");
    let mut index = vec![0i64; 3000];
    index[2222] = 500;
    let (at, mut room) = (place.upload(&index, 1), place.poisoned::<u32>(3000, 0));
    let told = |result: upsweep::Result<Count>| result.and_then(|_| device.synchronize());
    let wrong = Err(Error::Index { at: 2222, index: 500, len: 500 });
    assert_eq!(told(Select::new(Third).run(device, Gather::of(&x).at(&at), &mut room)), wrong);
    assert_eq!(told(Select::new(Third).indices().run(device, Gather::of(&x).at(&at), &mut room)), wrong);
    room.check_guards();
    // A count above the capacity of its buffer.
    let count = crate::kinds::counted(place, 900, 800);
    let mut room = place.poisoned::<u32>(900, 0);
    let wrong = Err(Error::Capacity { what: "counted input", needed: 800, capacity: 500 });
    let pair = || (count.of(&x), Repeat(1u16));
    assert_eq!(told(select.indices().run(device, pair(), &mut room)), wrong);
    assert_eq!(told(Select::new(Third).run(device, Apply(crate::kinds::Mixed { by: 2 }, pair()), &mut room)), wrong);
}
