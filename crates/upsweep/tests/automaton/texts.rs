//! Events of texts, and their numbers.

use crate::{Kind, Machine, text};
use upsweep::Error;
use upsweep::automaton::Events;
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sizes::reduced;

on_each_backend!(
    events_of_every_kind_of_automaton,
    events_of_texts_around_tiles_and_blocks,
    events_anywhere_in_memory,
    events_in_memory_that_is_too_small,
    events_of_one_text_after_the_other,
    numbers_of_events,
    a_byte_that_no_state_forgets,
);

#[track_caller]
fn check(place: &Place, machine: &Machine, text: &[u8], offsets: [usize; 3], what: &str) {
    let expected = machine.events(text);
    let automaton = machine.automaton().unwrap();
    let input = place.upload(text, offsets[0]);
    let (mut kinds, mut places) =
        (place.poisoned::<u8>(expected.len(), offsets[1]), place.poisoned::<u64>(expected.len(), offsets[2]));
    let found = automaton.run(&place.device, &input, &mut kinds, &mut places).and_then(|count| count.get());
    assert_eq!(found, Ok(expected.len()), "{what}");
    let (kinds, places) = (kinds.check_guards(), places.check_guards());
    let wrong = (0..expected.len()).find(|&at| (kinds[at], places[at]) != expected[at]);
    assert_eq!(wrong.map(|at| (at, kinds[at], places[at], expected[at])), None, "{what}, of {}", expected.len());
}

fn events_of_every_kind_of_automaton(place: &Place) {
    let mut rng = Rng::new(1);
    for states in [1, 2, 3, 8, 9, 16, 17, 31, 40, 64] {
        for (kind, classes, rare) in [
            (Kind::Random, 5, 1),
            (Kind::Random, 200, 8),
            (Kind::Circle, 3, 3),
            (Kind::Lasting, 60, 5),
            (Kind::Circle, 256, 50),
        ] {
            let machine = Machine::new(kind, states, classes, rare, &mut rng);
            for n in [0, 1, 40, 30_000] {
                let text = text(n, [256, 3][n % 2], &mut rng);
                check(
                    place,
                    &machine,
                    &text,
                    [0; 3],
                    &format!("{states} states, {kind:?}, {classes} classes, {n} bytes"),
                );
            }
        }
    }
}

fn events_of_texts_around_tiles_and_blocks(place: &Place) {
    let mut rng = Rng::new(2);
    let tile = 12 << 10;
    let mut sizes = vec![1, 2, 15, 16, 17, 47, 48, 49, 1535, 1536, 1537, 15_999, 16_001, 64_001];
    for tiles in [1, 2, 8, 9, 32, 33, 300] {
        sizes.extend([tile * tiles - 1, tile * tiles, tile * tiles + 1]);
    }
    sizes.retain(|&n| n < 100_000 || !reduced());
    for kind in [Kind::Random, Kind::Circle, Kind::Lasting] {
        let machine = Machine::new(kind, 20, 12, 4, &mut rng);
        for &n in &sizes {
            check(place, &machine, &text(n, 256, &mut rng), [0; 3], &format!("{kind:?}, {n} bytes"));
        }
    }
}

fn events_anywhere_in_memory(place: &Place) {
    let mut rng = Rng::new(3);
    let machine = Machine::new(Kind::Random, 12, 20, 2, &mut rng);
    for offset in 0..17 {
        let text = text(40_000 + offset, 256, &mut rng);
        check(place, &machine, &text, [offset, 3 * offset % 16, offset % 5], &format!("{offset} bytes behind"));
    }
}

/// Outputs that are too short are filled, and nothing past them is written.
fn events_in_memory_that_is_too_small(place: &Place) {
    let mut rng = Rng::new(4);
    let machine = Machine::new(Kind::Random, 12, 20, 2, &mut rng);
    let text = text(50_000, 256, &mut rng);
    let (automaton, needed) = (machine.automaton().unwrap(), machine.events(&text).len());
    for room in [0, 1, needed / 2, needed - 1] {
        let (mut kinds, mut places) = (place.poisoned::<u8>(room, 1), place.poisoned::<u32>(needed, 0));
        let found = automaton.run(&place.device, &place.upload(&text, 0), &mut kinds, &mut places);
        let found = found.and_then(|count| count.get());
        assert_eq!(found, Err(Error::Capacity { what: "output", needed, capacity: room }));
        kinds.check_guards();
        places.check_guards();
    }
    // The device is as good as before.
    check(place, &machine, &text, [0; 3], "afterwards");
}

fn events_of_one_text_after_the_other(place: &Place) {
    let mut rng = Rng::new(5);
    let machine = Machine::new(Kind::Random, 12, 20, 3, &mut rng);
    let automaton = machine.automaton().unwrap();
    let mut events: Option<Events> = None;
    for n in [1000, 50_000, 0, 7, 100_000] {
        let text = text(n, 256, &mut rng);
        let input = place.upload(&text, 0);
        match &mut events {
            None => events = Some(automaton.run_to_events(&place.device, &input).unwrap()),
            Some(events) => automaton.run_again(&place.device, &input, events).unwrap(),
        }
        let found = events.as_ref().map(|events| (events.kinds.to_vec().unwrap(), events.places.to_vec().unwrap()));
        assert_eq!(found, Some(machine.events(&text).into_iter().unzip()), "{n} bytes");
    }
}

fn numbers_of_events(place: &Place) {
    let mut rng = Rng::new(6);
    for n in [0, 1, 5000, 200_000] {
        let machine = Machine::new(Kind::Random, 30, 40, 3, &mut rng);
        let (automaton, text) = (machine.automaton().unwrap(), text(n, 256, &mut rng));
        let (input, expected) = (place.upload(&text, 5), machine.events(&text));
        assert_eq!(automaton.count(&place.device, &input).and_then(|count| count.get()), Ok(expected.len()));
        for kind in [expected.first().map_or(0, |event| event.0), 3, 255] {
            let of_kind = expected.iter().filter(|event| event.0 == kind).count();
            assert_eq!(automaton.count_of(&place.device, &input, kind).and_then(|count| count.get()), Ok(of_kind));
        }
    }
}

/// Event at the end that depends on the first byte alone.
fn a_byte_that_no_state_forgets(place: &Place) {
    use upsweep::automaton::{Automaton, Event, Step};
    let lists = [&[][..], &[Event { kind: 7, back: 0 }], &[Event { kind: 8, back: 1 }]];
    let automaton = Automaton::new(3, &lists, |state, byte| match (state, byte) {
        (0, Some(byte)) => Step { next: 1 + usize::from(byte % 2), tells: 0 },
        (state, Some(_)) => Step { next: state, tells: 0 },
        (state, None) => Step { next: 0, tells: state },
    })
    .unwrap();
    for n in [1, 12_288, 12_289, if reduced() { 50_000 } else { 20_000_000 }] {
        for first in [0u8, 1] {
            let mut text = vec![6u8; n];
            text[0] = first;
            let events = automaton.run_to_events(&place.device, &place.upload(&text, 0)).unwrap();
            let expected = (7 + first, n as u64 - u64::from(first));
            assert_eq!(
                (events.kinds.to_vec().unwrap(), events.places.to_vec().unwrap()),
                (vec![expected.0], vec![expected.1])
            );
        }
    }
}
