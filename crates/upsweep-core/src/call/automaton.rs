//! Tables of a deterministic finite automaton (DFA), and the call that runs one over a text.

use super::carry::Carried;
use crate::buffer::{View, ViewMut};
use crate::error::{Error, Result};
use std::collections::HashMap;

/// Event that an automaton emits when it reads a byte: the number of the kind of thing found, and its distance before
/// that byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// Number of the kind of thing that is found.
    pub kind: u8,
    /// Distance from the event back to the byte that the automaton reads, in bytes: at most [`MOST_BACK`].
    pub back: u8,
}

/// Step of an automaton on a byte, or on the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Next state; not used at the end of the text.
    pub next: usize,
    /// Index, among the automaton's lists of events, of the list that the step emits.
    pub tells: usize,
}

/// Largest number of states of an automaton.
pub const MOST_STATES: usize = 64;
/// Largest distance of an event before the byte at which it is emitted, in bytes. Below it, the largest number of
/// events that a step emits.
pub const MOST_BACK: usize = 7;
pub const MOST_EVENTS: usize = 24;
/// Largest number of lists of events. Below it, the largest number of events in all lists together.
pub const MOST_TOLD: usize = 256;
const MOST_LISTED: usize = 2047;
/// Largest number of entries of the transition table: states times classes of bytes. A kernel's table has room for this
/// many.
pub const MOST_STEPS: usize = 14 << 10;

/// Smallest number of byte values, of 256, on which an automaton must stay in a state for the state to count as
/// lasting.
const LASTING: usize = 200;

/// Column of the end of the text in a state's row of the transition table, after the columns of the 256 byte values.
const END: usize = 256;

/// Transition table. Entry `256 state + byte` has the next state in its high byte, and the number of the list of events
/// that is emitted in its low byte.
pub type Steps = [u16; 1 << 16];

/// A deterministic automaton that emits a list of events at each byte and at the end of a text; list 0 is empty. It
/// begins in state 0.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "kernels are given more than the CPU asks for"))]
pub struct Table {
    pub states: usize,
    pub steps: Box<Steps>,
    /// Number of the list of events that the automaton emits if the text ends in a state, for each state.
    pub at_end: Vec<u8>,
    /// Lists of events: the empty list, then lists of one event, then lists of several.
    pub events: Vec<Vec<Event>>,
    /// Class of each byte, equal for bytes that all states treat alike; and the number of classes.
    pub class: Vec<u8>,
    pub classes: usize,
    /// Set of lasting states, a bit for each state: states that most bytes do not change, such as the inside of
    /// something long. The first state is never in it.
    pub lasting: u64,
    /// Whether most texts rarely lead to the emission of a list of events, for each list.
    pub rare: [bool; MOST_TOLD],
}

impl Table {
    /// Builds the smallest equivalent automaton: states with the same future are merged, and so are equal lists of
    /// events.
    ///
    /// # Errors
    /// [`Error::Automaton`] when the automaton has no states or exceeds a limit, [`Error::Step`] when a step names a
    /// state or a list of events that does not exist.
    pub fn new(states: usize, lists: &[&[Event]], step: &dyn Fn(usize, Option<u8>) -> Step) -> Result<Self> {
        let at_most =
            |what, found, most| if found > most { Err(Error::Automaton { what, found, most }) } else { Ok(()) };
        if states == 0 {
            return Err(Error::Automaton { what: "states", found: 0, most: MOST_STATES });
        }
        // The empty list comes first, then lists of one event.
        let (of, _) = number(lists.iter());
        let mut order: Vec<usize> =
            (0..lists.len()).filter(|&list| of.iter().position(|&other| other == of[list]) == Some(list)).collect();
        order.sort_by_key(|&list| lists[list].len());
        let mut events: Vec<Vec<Event>> = order.iter().map(|&list| lists[list].to_vec()).collect();
        if events.first().is_none_or(|first| !first.is_empty()) {
            events.insert(0, vec![]);
        }
        at_most("lists of events", events.len(), MOST_TOLD)?;
        at_most("events of all lists", events.iter().map(Vec::len).sum(), MOST_LISTED)?;
        for list in &events {
            at_most("events of a step", list.len(), MOST_EVENTS)?;
            list.iter().try_for_each(|event| at_most("bytes back of an event", event.back.into(), MOST_BACK))?;
        }
        let numbers: HashMap<&[Event], u8> =
            events.iter().enumerate().map(|(told, list)| (&list[..], told as u8)).collect();
        let told: Vec<u8> = lists.iter().map(|list| numbers.get(list).copied().unwrap_or(0)).collect();

        let (mut next, mut tells): (Vec<Vec<usize>>, Vec<Vec<u8>>) = (vec![], vec![]);
        for state in 0..states {
            let (mut to, mut says) = (Vec::with_capacity(END), Vec::with_capacity(END + 1));
            for byte in (0..=255).map(Some).chain([None]) {
                let step = step(state, byte);
                let (what, found, number) = ("list of events", step.tells, lists.len());
                says.push(*told.get(found).ok_or(Error::Step { what, found, number })?);
                if byte.is_some() {
                    if step.next >= states {
                        return Err(Error::Step { what: "state", found: step.next, number: states });
                    }
                    to.push(step.next);
                }
            }
            next.push(to);
            tells.push(says);
        }
        Self::smallest(&next, &tells, events)
    }

    fn smallest(next: &[Vec<usize>], tells: &[Vec<u8>], events: Vec<Vec<Event>>) -> Result<Self> {
        let mut classes = number(tells.iter());
        loop {
            let signatures: Vec<(usize, Vec<usize>)> = (0..next.len())
                .map(|state| (classes.0[state], next[state].iter().map(|&to| classes.0[to]).collect()))
                .collect();
            let finer = number(signatures.iter());
            let done = finer.1 == classes.1;
            classes = finer;
            // The number of classes of equivalent states only grows, so that too many states end the loop early: else a
            // chain of n states would take n rounds.
            if classes.1 > MOST_STATES {
                return Err(Error::Automaton { what: "states", found: classes.1, most: MOST_STATES });
            }
            if done {
                break;
            }
        }
        let (of, states) = classes;
        let mut steps = Box::new([0; 1 << 16]);
        let mut at_end = Vec::with_capacity(states);
        // Classes of equivalent states are numbered in order of their first member, so that the first state gets number
        // 0.
        for state in 0..next.len() {
            if of[state] == at_end.len() {
                let row = steps.iter_mut().skip(END * at_end.len());
                for (step, (&to, &told)) in row.zip(next[state].iter().zip(&tells[state])) {
                    *step = (of[to] as u16) << 8 | u16::from(told);
                }
                at_end.push(tells[state][END]);
            }
        }
        let columns: Vec<Vec<u16>> =
            (0..END).map(|byte| (0..states).map(|state| steps[END * state + byte]).collect()).collect();
        let (class, classes) = number(columns.iter());
        if states * classes > MOST_STEPS {
            return Err(Error::Automaton {
                what: "steps: states times kinds of bytes",
                found: states * classes,
                most: MOST_STEPS,
            });
        }
        let stays = |state: usize| (0..END).filter(|byte| usize::from(steps[END * state + byte]) == state << 8).count();
        let lasting = (1..states).filter(|&state| stays(state) >= LASTING).fold(0, |all, state| all | 1 << state);
        let class = class.into_iter().map(|class| class as u8).collect();
        Ok(Self { states, steps, at_end, events, class, classes, lasting, rare: [false; MOST_TOLD] })
    }

    /// Returns the events of list number `told`; none for an unknown number.
    pub fn events(&self, told: u8) -> &[Event] {
        self.events.get(usize::from(told)).map_or(&[], |events| events)
    }

    /// Returns the number of the list of events that the automaton emits if the text ends in `state`; 0, the empty
    /// list, for an unknown state.
    pub fn at_end(&self, state: u16) -> u8 {
        self.at_end.get(usize::from(state)).copied().unwrap_or(0)
    }
}

/// Numbers the items in order of first occurrence, equal items alike; returns the number of each item, and how many
/// different numbers there are.
fn number<T: std::hash::Hash + Eq>(items: impl Iterator<Item = T>) -> (Vec<usize>, usize) {
    let mut numbers = HashMap::new();
    let of: Vec<usize> = items
        .map(|item| {
            let next = numbers.len();
            *numbers.entry(item).or_insert(next)
        })
        .collect();
    (of, numbers.len())
}

/// Call that runs an automaton over a text, with its buffers. Without `events`, only the number of events is computed.
pub struct Walking<'a, P> {
    pub table: &'a Table,
    pub text: View<'a, u8>,
    pub events: Option<(ViewMut<'a, u8>, ViewMut<'a, P>)>,
    /// Kind of the events that are counted; `None` counts events of all kinds.
    pub only: Option<u8>,
    /// State between this text and the part of a longer text before it; `None` for a whole text. From word [`STATE_AT`] on
    /// it has the automaton's state, and the number of events that the end of the text would emit, or emits.
    pub carried: Option<Carried<'a>>,
}

/// Word of a state between two calls at which the automaton's state lies.
pub const STATE_AT: usize = 2;
/// Number of words of a state between two calls.
pub const STATE_WORDS: usize = 4;
