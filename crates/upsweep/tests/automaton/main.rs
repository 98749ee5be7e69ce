//! Automata on texts: one set of cases, run against each backend and compared with a sequential loop.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test --test automaton -- --include-ignored` runs it
//! there too. `UPSWEEP_TEST_SIZES=reduced` keeps few and short texts, for a run under compute-sanitizer.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[cfg(feature = "cuda")]
mod cuda;
mod errors;
mod texts;

use upsweep::automaton::{Automaton, Event, Step};
use upsweep_testing::random::Rng;

/// Automaton in the form that the sequential loop runs.
struct Machine {
    lists: Vec<Vec<Event>>,
    /// Steps of each state, for 256 bytes and the end of the text.
    steps: Vec<[Step; 257]>,
}

/// Kind of the transitions between states.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Random: a run soon forgets its first state.
    Random,
    /// Circular: a run never forgets its first state, and each guess is wrong.
    Circle,
    /// Mostly to the same state.
    Lasting,
}

impl Machine {
    /// Makes a random automaton with `states` states and `classes` classes of bytes, which emits events at one step in
    /// `rare`.
    fn new(kind: Kind, states: usize, classes: usize, rare: usize, rng: &mut Rng) -> Self {
        let mut event = || Event { kind: rng.below(200) as u8, back: rng.below(8) as u8 };
        let single = (0..30).map(|_| vec![event()]).collect::<Vec<_>>();
        let several = (2..6).map(|many| (0..many).map(|_| event()).collect());
        let lists: Vec<Vec<Event>> = [vec![]].into_iter().chain(single).chain(several).collect();
        let class: Vec<usize> = (0..256).map(|_| rng.below(classes)).collect();
        let steps = (0..states).map(|state| {
            let of_class: Vec<Step> = (0..classes)
                .map(|class| {
                    let next = match kind {
                        Kind::Random => rng.below(states),
                        Kind::Circle => (state + class) % states,
                        Kind::Lasting if rng.once_in(20) => rng.below(states),
                        Kind::Lasting => state,
                    };
                    Step { next, tells: if rng.once_in(rare) { rng.below(lists.len()) } else { 0 } }
                })
                .collect();
            let end = Step { next: 0, tells: rng.below(lists.len()) };
            std::array::from_fn(|byte| class.get(byte).map_or(end, |&class| of_class[class]))
        });
        Self { steps: steps.collect(), lists }
    }

    fn automaton(&self) -> upsweep::Result<Automaton> {
        let lists: Vec<&[Event]> = self.lists.iter().map(|list| &list[..]).collect();
        Automaton::new(self.steps.len(), &lists, |state, byte| self.steps[state][byte.map_or(256, usize::from)])
    }

    /// Returns the kinds and places of the events of a text.
    fn events(&self, text: &[u8]) -> Vec<(u8, u64)> {
        let (mut state, mut found) = (0, vec![]);
        for at in 0..=text.len() {
            let step = self.steps[state][text.get(at).map_or(256, |&byte| usize::from(byte))];
            let place = |event: &Event| (event.kind, (at as u64).wrapping_sub(event.back.into()));
            found.extend(self.lists[step.tells].iter().map(place));
            state = step.next;
        }
        found
    }
}

/// Text with `different` different bytes.
fn text(len: usize, different: usize, rng: &mut Rng) -> Vec<u8> {
    (0..len).map(|_| rng.below(different) as u8).collect()
}
