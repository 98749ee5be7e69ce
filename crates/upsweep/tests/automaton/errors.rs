//! Invalid automata, and calls that are refused.

use upsweep::Error;
use upsweep::automaton::{Automaton, Event, Step};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend!(places_that_are_too_narrow);

fn refused(what: &'static str, found: usize, most: usize, automaton: upsweep::Result<Automaton>) {
    assert_eq!(automaton.err(), Some(Error::Automaton { what, found, most }));
}

#[test]
fn automata_that_cannot_be() {
    let step = |next, tells| move |_: usize, _: Option<u8>| Step { next, tells };
    refused("states", 0, 64, Automaton::new(0, &[&[]], step(0, 0)));
    let no_state = Error::Step { what: "state", found: 3, number: 3 };
    assert_eq!(Automaton::new(3, &[&[]], step(3, 0)).err(), Some(no_state));
    for lists in [&[&[][..]][..], &[]] {
        let no_list = Error::Step { what: "list of events", found: 1, number: lists.len() };
        assert_eq!(Automaton::new(1, lists, step(0, 1)).err(), Some(no_list));
    }
    let back = |back| [Event { kind: 0, back }];
    assert!(Automaton::new(1, &[&back(7)], step(0, 0)).is_ok());
    refused("bytes back of an event", 8, 7, Automaton::new(1, &[&back(8)], step(0, 0)));
    let many = [Event { kind: 1, back: 0 }; 25];
    assert!(Automaton::new(1, &[&many[..24]], step(0, 0)).is_ok());
    refused("events of a step", 25, 24, Automaton::new(1, &[&many], step(0, 0)));
    let all: Vec<[Event; 1]> = (0..=255).map(|kind| [Event { kind, back: 0 }]).collect();
    let lists: Vec<&[Event]> = all.iter().map(|list| &list[..]).collect();
    assert!(Automaton::new(1, &lists[1..], step(0, 0)).is_ok());
    refused("lists of events", 257, 256, Automaton::new(1, &lists, step(0, 0)));
    // Each state tells which byte comes next, so that no two are one, and all bytes are different.
    let tells = |states: usize| {
        Automaton::new(states, &lists[1..], move |state, byte| {
            let byte = byte.map_or(0, usize::from);
            Step { next: (state + 1) % states, tells: if byte % states == state { byte % 255 } else { 0 } }
        })
    };
    refused("states", 65, 64, tells(65));
    refused("steps: states times kinds of bytes", 64 * 255, 14 << 10, tells(64));
    let error = Error::Automaton { what: "states", found: 65, most: 64 };
    assert_eq!(error.to_string(), "an automaton: states: 65, and may be at most 64");
}

/// States with the same future count as one.
#[test]
fn states_that_are_one() {
    let lists = [&[][..], &[Event { kind: 1, back: 0 }], &[Event { kind: 1, back: 0 }]];
    let automaton = Automaton::new(3, &lists, |state, _| Step { next: (state + 1) % 3, tells: 1 + state % 2 });
    assert_eq!(automaton.map(|automaton| automaton.states()), Ok(1));
}

/// Outputs of 32 bits for longer texts are refused, though this test makes no text of that length. Outputs in another
/// memory are refused, too.
fn places_that_are_too_narrow(place: &Place) {
    let automaton = Automaton::new(1, &[&[]], |_, _| Step { next: 0, tells: 0 }).unwrap();
    let text = place.upload(&[1u8, 2, 3], 0);
    let (mut kinds, mut places) = (place.poisoned::<u8>(3, 0), place.poisoned::<i32>(3, 0));
    assert_eq!(automaton.run(&place.device, &text, &mut kinds, &mut places).and_then(|count| count.get()), Ok(0));
    if place.is_cuda() {
        let host = [1u8, 2, 3];
        let found = automaton.run(&place.device, &host, &mut kinds, &mut places).map(drop);
        assert_eq!(found, Err(Error::Place { what: "text", found: "host", expected: "CUDA" }));
        let mut host = [0u8; 3];
        let found = automaton.run(&place.device, &text, &mut host, &mut places).map(drop);
        assert_eq!(found, Err(Error::Place { what: "kinds", found: "host", expected: "CUDA" }));
    }
}
