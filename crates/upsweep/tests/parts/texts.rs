//! Automata on a text in parts.

use crate::support::{cuts, moved_to};
use upsweep::automaton::{Automaton, Event, Step};
use upsweep::{Carry, Device, Error};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;

on_each_backend!(texts_in_parts, texts_byte_by_byte, texts_by_way_of_bytes, texts_that_are_refused, texts_far_along);

/// An automaton of random steps.
struct Machine {
    automaton: Automaton,
    /// Next state and list of events of each state and byte, and of the end.
    steps: Vec<(usize, usize)>,
    lists: Vec<Vec<Event>>,
}

impl Machine {
    /// Makes an automaton of `states` states, whose steps are random, or hardly ever leave a state, or turn for ever.
    fn new(states: usize, rng: &mut Rng) -> Self {
        let mut lists = vec![vec![]];
        for _ in 1..20 {
            let event = |rng: &mut Rng| Event { kind: rng.below(256) as u8, back: rng.below(8) as u8 };
            lists.push((0..1 + rng.below(3)).map(|_| event(rng)).collect());
        }
        let (kind, rare) = (rng.below(3), 1 + rng.below(8));
        let classes: Vec<(Vec<usize>, Vec<usize>)> = (0..states)
            .map(|state| {
                let next = (0..5).map(|class| match kind {
                    0 => rng.below(states),
                    1 if rng.below(8) > 0 => state,
                    1 => rng.below(states),
                    _ => (state + class) % states,
                });
                let next = next.collect();
                (next, (0..6).map(|_| if rng.once_in(rare) { rng.below(20) } else { 0 }).collect())
            })
            .collect();
        let of = |state: usize, byte: usize| {
            let (next, tells): &(Vec<usize>, Vec<usize>) = &classes[state];
            if byte == 256 { (0, tells[5]) } else { (next[byte % 5], tells[byte % 5]) }
        };
        let steps: Vec<(usize, usize)> = (0..states * 257).map(|at| of(at / 257, at % 257)).collect();
        let of_lists: Vec<&[Event]> = lists.iter().map(|list| &list[..]).collect();
        let automaton = Automaton::new(states, &of_lists, |state, byte| {
            let (next, tells) = steps[state * 257 + byte.map_or(256, usize::from)];
            Step { next, tells }
        });
        Self { automaton: automaton.unwrap(), steps, lists }
    }

    /// Returns the events of a text by a loop.
    fn events(&self, text: &[u8]) -> (Vec<u8>, Vec<u64>) {
        let (mut state, mut found) = (0, (Vec::new(), Vec::new()));
        for i in 0..=text.len() {
            let (next, tells) = self.steps[state * 257 + text.get(i).map_or(256, |&byte| usize::from(byte))];
            for event in &self.lists[tells] {
                found.0.push(event.kind);
                found.1.push((i as u64).wrapping_sub(event.back.into()));
            }
            state = next;
        }
        found
    }

    /// Returns the events of a text in parts.
    fn in_parts(&self, place: &Place, text: &[u8], cuts: &[usize], rng: &mut Rng) -> (Vec<u8>, Vec<u64>) {
        let (mut found, mut carry) = (<(Vec<u8>, Vec<u64>)>::default(), Carry::new());
        for pair in cuts.windows(2) {
            let part = place.upload(&text[pair[0]..pair[1]], rng.below(17));
            let room = 3 * (pair[1] - pair[0] + 1);
            let (mut kinds, mut places) = (place.poisoned(room, 1), place.poisoned(room, 0));
            let results =
                self.automaton.run_with_carry(&place.device, &part, &mut kinds, &mut places, &mut carry).unwrap();
            results.append(&kinds.check_guards(), &mut found.0).unwrap();
            results.append(&places.check_guards(), &mut found.1).unwrap();
        }
        assert_eq!(carry.position(), text.len() as u64);
        found
    }
}

fn text(len: usize, rng: &mut Rng) -> Vec<u8> {
    let few = [2, 5, 256][rng.below(3)];
    (0..len).map(|_| rng.below(few) as u8).collect()
}

fn texts_in_parts(place: &Place) {
    let mut rng = Rng::new(1);
    for len in [0, 1, 2, 100, 16_000, 16_001, 140_000, 600_000] {
        for states in [1, 2, 7, 30, 64] {
            let (machine, text) = (Machine::new(states, &mut rng), text(len, &mut rng));
            let cuts = cuts(&mut rng, len);
            let found = machine.in_parts(place, &text, &cuts, &mut rng);
            assert!(found == machine.events(&text), "{states} states, {len} bytes cut at {cuts:?}");
        }
    }
}

fn texts_byte_by_byte(place: &Place) {
    let mut rng = Rng::new(2);
    for states in [2, 20] {
        let (machine, text) = (Machine::new(states, &mut rng), text(60, &mut rng));
        let cuts: Vec<usize> = (0..=60).collect();
        assert_eq!(machine.in_parts(place, &text, &cuts, &mut rng), machine.events(&text), "{states} states");
    }
}

/// A carry becomes bytes after each part, and goes on from them, on the host and here in turns.
fn texts_by_way_of_bytes(place: &Place) {
    let mut rng = Rng::new(3);
    let (machine, text) = (Machine::new(9, &mut rng), text(60_000, &mut rng));
    let (mut found, mut bytes) = (<(Vec<u8>, Vec<u64>)>::default(), Carry::new().to_bytes().unwrap());
    for (turn, range) in [0..1, 1..20_000, 20_000..20_000, 20_000..20_001, 20_001..60_000].into_iter().enumerate() {
        let mut carry = Carry::from_bytes(&bytes).unwrap();
        let room = 3 * (range.len() + 1);
        let (mut kinds, mut places) = (vec![0; room], vec![0; room]);
        let automaton = &machine.automaton;
        let results = if turn % 2 == 0 {
            let part = place.upload(&text[range], 0);
            let (mut a, mut b) = (place.poisoned(room, 0), place.poisoned(room, 0));
            let results = automaton.run_with_carry(&place.device, &part, &mut a, &mut b, &mut carry).unwrap();
            (kinds, places) = (a.check_guards(), b.check_guards());
            results
        } else {
            automaton.run_with_carry(&Device::cpu(), &text[range], &mut kinds, &mut places, &mut carry).unwrap()
        };
        results.append(&kinds, &mut found.0).unwrap();
        results.append(&places, &mut found.1).unwrap();
        bytes = carry.to_bytes().unwrap();
    }
    assert!(found == machine.events(&text));
    for len in 0..bytes.len() {
        assert!(matches!(Carry::from_bytes(&bytes[..len]), Err(Error::Carry { .. })), "{len} bytes");
    }
}

fn texts_that_are_refused(place: &Place) {
    let mut rng = Rng::new(4);
    let (machine, other) = (Machine::new(9, &mut rng), Machine::new(9, &mut rng));
    let part = place.upload(&text(100, &mut rng), 0);
    let (mut kinds, mut places) = (place.poisoned(400, 0), place.poisoned::<u64>(400, 0));
    let mut carry = Carry::new();
    machine.automaton.run_with_carry(&place.device, &part, &mut kinds, &mut places, &mut carry).unwrap();
    let found = other.automaton.run_with_carry(&place.device, &part, &mut kinds, &mut places, &mut carry);
    let Err(Error::Carry { reason }) = found else { panic!("a carry of another automaton") };
    assert!(reason.contains("an automaton of"), "{reason}");
    // After an error the carry is as before.
    machine.automaton.run_with_carry(&place.device, &part, &mut kinds, &mut places, &mut carry).unwrap();
    assert_eq!(carry.position(), 200);
}

/// Places count on from any position, and a type that cannot hold them is an error.
fn texts_far_along(place: &Place) {
    let lists: [&[Event]; 2] = [&[], &[Event { kind: 7, back: 2 }]];
    let found = Automaton::new(1, &lists, |_, byte| Step { next: 0, tells: usize::from(byte == Some(b'x')) });
    let found = found.unwrap();
    let part = place.upload(b"..x.", 0);
    let (mut kinds, mut places, mut carry) = (place.poisoned(4, 0), place.poisoned::<u64>(4, 0), Carry::new());
    found.run_with_carry(&place.device, &part, &mut kinds, &mut places, &mut carry).unwrap();
    let mut far = moved_to(&carry, 1 << 40);
    let results = found.run_with_carry(&place.device, &part, &mut kinds, &mut places, &mut far).unwrap();
    assert_eq!((places.check_guards()[0], results.first.get(), results.len.get()), (1 << 40, Ok(1), Ok(1)));
    let mut short = place.poisoned::<u32>(4, 0);
    let far = found.run_with_carry(&place.device, &part, &mut kinds, &mut short, &mut far);
    assert!(matches!(far, Err(Error::Options { options: "places", .. })), "{far:?}");
    let mut near = moved_to(&carry, u64::from(u32::MAX) - 4);
    found.run_with_carry(&place.device, &part, &mut kinds, &mut short, &mut near).unwrap();
    assert_eq!(short.check_guards()[0], u32::MAX - 4);
}
