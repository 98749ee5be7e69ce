//! The tables of a deterministic automaton, and a call that goes along a text with one.

use crate::buffer::{View, ViewMut};
use crate::error::{Error, Result};
use std::collections::HashMap;

/// What an automaton says where it reads a byte: what kind of thing it found, and how many bytes before that byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// What was found.
    pub kind: u8,
    /// How many bytes back from the byte that is read: at most [`MOST_BACK`].
    pub back: u8,
}

/// What an automaton does when it reads a byte, or the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The next state. Of the end of the text nobody looks at it.
    pub next: usize,
    /// Which of the automaton's lists of events it tells.
    pub tells: usize,
}

/// The most states of an automaton.
pub const MOST_STATES: usize = 64;
/// The most bytes that an event lies back, and the most events of a step.
pub const MOST_BACK: usize = 7;
pub const MOST_EVENTS: usize = 24;
/// The most lists of events, and the most events in all of them.
pub const MOST_TOLD: usize = 256;
const MOST_LISTED: usize = 2047;
/// The most steps: states times classes of bytes. A kernel is given so many.
pub const MOST_STEPS: usize = 14 << 10;

/// So many bytes leave a state as it is that lasts.
const LASTING: usize = 200;

/// Of 256 bytes, where the end of the text comes among them.
const END: usize = 256;

/// At `256 state + byte`, the next state in the high byte and what is told in the low one.
pub type Steps = [u16; 1 << 16];

/// A deterministic automaton that tells something of each byte and of the end of a text: 0 for nothing. It begins in state 0.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "kernels are given more than the CPU asks for"))]
pub struct Table {
    pub states: usize,
    pub steps: Box<Steps>,
    /// What each state tells of the end.
    pub at_end: Vec<u8>,
    /// The events of what is told: nothing, then what is one event, then what is several.
    pub events: Vec<Vec<Event>>,
    /// For each byte, which of those it is that all states treat alike; and how many such classes there are.
    pub class: Vec<u8>,
    pub classes: usize,
    /// The states, a bit each, that most bytes leave as they are, but for the first one: inside of what may be long.
    pub lasting: u64,
    /// Whether what is told is rare in most texts.
    pub rare: [bool; MOST_TOLD],
}

impl Table {
    /// The smallest automaton that tells what this one does: states with the same future are one, and so are equal lists of events.
    ///
    /// # Errors
    /// [`Error::Automaton`].
    pub fn new(states: usize, lists: &[&[Event]], step: &dyn Fn(usize, Option<u8>) -> Step) -> Result<Self> {
        let at_most =
            |what, found, most| if found > most { Err(Error::Automaton { what, found, most }) } else { Ok(()) };
        if states == 0 {
            return Err(Error::Automaton { what: "states", found: 0, most: MOST_STATES });
        }
        // Nothing comes first, then what is one event.
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
                says.push(*told.get(step.tells).ok_or(Error::Automaton {
                    what: "the list of events of a step",
                    found: step.tells,
                    most: lists.len().saturating_sub(1),
                })?);
                if byte.is_some() {
                    at_most("the next state of a step", step.next, states - 1)?;
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
            // Classes only become more, so that too many of them end this early: else a chain of n states took n rounds.
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
        // They are numbered as they come, so that the first state's is 0.
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

    /// The events of a thing told.
    pub fn events(&self, told: u8) -> &[Event] {
        self.events.get(usize::from(told)).map_or(&[], |events| events)
    }

    /// What is told of the end of a text.
    pub fn at_end(&self, state: u16) -> u8 {
        self.at_end.get(usize::from(state)).copied().unwrap_or(0)
    }
}

/// A number for each, the same for equal ones, as they come; and how many there are.
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

/// A call with its buffers. Where these are `None`, only the number of events is asked for.
pub struct Walking<'a, P> {
    pub table: &'a Table,
    pub text: View<'a, u8>,
    pub events: Option<(ViewMut<'a, u8>, ViewMut<'a, P>)>,
    /// Of which kind events are counted, if not of all.
    pub only: Option<u8>,
}
