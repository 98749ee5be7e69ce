//! Lexical analysis: splits a text into tokens, by a DFA.
//!
//! A token is the longest text, from its first byte on, that matches a rule; of rules that match the same text, the
//! first counts. Bytes that begin no token are an error token, [`ERROR`]: all bytes up to where no rule can match any
//! more, at least one. So tokens cover the whole text.
//!
//! ```
//! use upsweep::Device;
//! use upsweep_apps::text::Lexer;
//!
//! let device = Device::cpu();
//! let lexer = Lexer::new(&[("number", r"[0-9]+(\.[0-9]+)?"), ("range", r"\.\."), ("dot", r"\."), ("space", " +")])?;
//! let tokens = lexer.run(&device, b"1..2 3.25")?;
//! let names: Vec<&str> = tokens.kinds.to_vec()?.into_iter().map(|kind| lexer.name(kind)).collect();
//! assert_eq!(names, ["number", "range", "number", "space", "number"]);
//! assert_eq!(tokens.starts(&device)?.to_vec()?, [0, 1, 3, 4, 5]);
//! assert_eq!(tokens.ends.to_vec()?, [1, 3, 4, 5, 9]);
//! # Ok::<(), upsweep_apps::Error>(())
//! ```
//!
//! **Rules** are regular expressions over bytes, as the crate regex has them with Unicode off: `.` and `[^"]` match any
//! byte, also those of UTF-8, which passes through. Look-around (`^`, `$`, `\b`) is refused. The end of a token may be
//! known only after up to [`LOOK_AHEAD`] more bytes, as in `1..2`; rules that need more are refused, by name.
//!
//! **How.** The DFA of the rules becomes a transducer, which reports at each byte the tokens that ended at it or up to
//! four bytes before. It is an [`Automaton`](upsweep::automaton) of the library, which reads the text once.
//!
//! **Cost.** The cost of the library's automata; a token takes 9 bytes. [`Lexer::run_into`] waits for nothing.
//! [`Lexer::run`] needs the number of tokens before it stores them, so on CUDA it reads the text twice. New memory for
//! the tokens may take longer than the search: [`Lexer::run_again`] uses it again.

use super::rules::{Rules, automaton, expect_states};
use crate::error::{Error, Result};
use crate::part::{Part, map};
use std::collections::HashMap;
use upsweep::automaton::{Automaton, Event, Events, Step};
use upsweep::carry::Results;
use upsweep::prelude::*;
use upsweep::{Array, Indices, Input, Output, Yields};

/// Kind of an error token.
pub const ERROR: u8 = u8::MAX;

/// Largest number of bytes after a token that may be read before its end is known.
pub const LOOK_AHEAD: usize = 4;

/// Lexer for some rules, built once and run often: see the [module](self).
#[derive(Clone, Debug)]
pub struct Lexer {
    names: Vec<String>,
    /// DFA whose events are tokens, at the positions where the tokens end.
    automaton: Automaton,
}

/// Tokens of a text, on the device. They cover the text: each begins where the one before it ends.
#[derive(Debug)]
pub struct Tokens {
    /// Rule of each token, counted from 0, or [`ERROR`].
    pub kinds: Array<u8>,
    /// Position after the last byte of each token.
    pub ends: Array<u64>,
}

impl Tokens {
    /// Position of the first byte of each token.
    ///
    /// # Errors
    /// [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own.
    pub fn starts(&self, device: &Device) -> Result<Array<u64>> {
        Ok(map(device, EndBefore, (Neighbours::of(&self.ends), 0..self.ends.len() as u64))?)
    }
}

/// State of the search: the token that has begun, as far as later bytes depend on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Begun {
    /// No byte of a token has been read yet.
    Not,
    /// No rule has matched the bytes of the token yet.
    Open { state: usize },
    /// Rule `kind` has matched; the bytes read since then may belong to this token or to others.
    Matched { state: usize, kind: u8, since: Box<Since> },
}

/// Tokens of the bytes since a match, which count if no longer text matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Since {
    bytes: u8,
    begun: Begun,
    ends: Vec<Event>,
}

impl Since {
    fn nothing() -> Box<Self> {
        Box::new(Self { bytes: 0, begun: Begun::Not, ends: vec![] })
    }

    /// State after one more byte.
    fn step(&self, rules: &Rules, byte: u8) -> std::result::Result<Box<Self>, usize> {
        let (begun, new) = self.begun.step(rules, byte)?;
        let ends = self.ends.iter().copied().chain(new).map(|end| Event { back: end.back + 1, ..end }).collect();
        Ok(Box::new(Self { bytes: self.bytes + 1, begun, ends }))
    }
}

impl Begun {
    /// Returns the state after a byte, and the tokens that are then known to end before this byte. Fails with a state
    /// from which the rules look too far ahead.
    fn step(&self, rules: &Rules, byte: u8) -> std::result::Result<(Self, Vec<Event>), usize> {
        let state = match *self {
            Self::Not => 0,
            Self::Open { state } | Self::Matched { state, .. } => state,
        };
        if let Some(next) = rules.next[state][byte as usize] {
            let begun = match (rules.accepts[next], self) {
                (Some(kind), _) => Self::Matched { state: next, kind, since: Since::nothing() },
                (None, Self::Matched { since, .. }) if since.bytes as usize == LOOK_AHEAD => return Err(next),
                (None, Self::Matched { kind, since, .. }) => {
                    Self::Matched { state: next, kind: *kind, since: since.step(rules, byte)? }
                }
                (None, _) => Self::Open { state: next },
            };
            return Ok((begun, vec![]));
        }
        match self {
            // A byte that begins no token is a token of its own, from whose state no rule goes on.
            Self::Not => Ok((Self::Open { state: rules.next.len() - 1 }, vec![])),
            Self::Open { .. } => {
                let (begun, _) = Self::Not.step(rules, byte)?;
                Ok((begun, vec![Event { back: 0, kind: ERROR }]))
            }
            Self::Matched { kind, since, .. } => {
                let (begun, new) = since.begun.step(rules, byte)?;
                let first = Event { back: since.bytes, kind: *kind };
                Ok((begun, [first].into_iter().chain(since.ends.iter().copied()).chain(new).collect()))
            }
        }
    }

    /// Tokens that end with the text.
    fn finish(&self) -> Vec<Event> {
        match self {
            Self::Not => vec![],
            Self::Open { .. } => vec![Event { back: 0, kind: ERROR }],
            Self::Matched { kind, since, .. } => {
                let first = Event { back: since.bytes, kind: *kind };
                [first].into_iter().chain(since.ends.iter().copied()).chain(since.begun.finish()).collect()
            }
        }
    }
}

impl Lexer {
    /// Builds the lexer of rules, each a name and a regular expression.
    ///
    /// # Errors
    /// - [`Error::Rule`]: a rule that is not a regular expression, looks around, matches the empty text, or after which
    ///   more than [`LOOK_AHEAD`] bytes must be read; it names the rule
    /// - [`Error::States`]: rules whose automaton has too many states
    pub fn new(rules: &[(&str, &str)]) -> Result<Self> {
        if rules.len() >= usize::from(ERROR) {
            let reason = format!("there are {} rules, and a lexer has at most {}", rules.len(), ERROR - 1);
            return Err(Error::Rule { name: rules[usize::from(ERROR) - 1].0.to_owned(), reason });
        }
        let mut of_rules = Rules::new(rules)?;
        // One more state, after a byte that begins no token: no rule goes on from it.
        of_rules.next.push(vec![None; 256]);
        of_rules.accepts.push(None);
        let (mut found, mut numbers) = (vec![Begun::Not], HashMap::from([(Begun::Not, 0usize)]));
        let (mut ends, mut told) = (vec![vec![]], HashMap::from([(vec![], 0usize)]));
        let mut tell = |list: Vec<Event>| {
            let next = ends.len();
            let number = *told.entry(list.clone()).or_insert(next);
            if number == next {
                ends.push(list);
            }
            number
        };
        // For each state, for each of 256 bytes and the end of the text: the next state, and the number of the list of
        // tokens.
        let mut steps: Vec<Vec<Step>> = vec![];
        while let Some(begun) = found.get(steps.len()).cloned() {
            expect_states(found.len())?;
            let mut of_state = Vec::with_capacity(257);
            for byte in 0..=255 {
                let (begun, list) = begun.step(&of_rules, byte).map_err(|state| {
                    let rule = of_rules.ahead(state).and_then(|rule| rules.get(usize::from(rule)));
                    let reason = format!(
                        "it may go on more than {LOOK_AHEAD} bytes after the end of another token before it matches: let a rule match \
                         what comes in between, too"
                    );
                    Error::Rule { name: rule.map_or_else(String::new, |rule| rule.0.to_owned()), reason }
                })?;
                let next = *numbers.entry(begun.clone()).or_insert_with(|| {
                    found.push(begun);
                    found.len() - 1
                });
                of_state.push(Step { next, tells: tell(list) });
            }
            of_state.push(Step { next: 0, tells: tell(begun.finish()) });
            steps.push(of_state);
        }
        let names = rules.iter().map(|(name, _)| (*name).to_owned()).collect();
        Ok(Self { names, automaton: automaton(&steps, &ends)?.rare(|kind| kind == ERROR) })
    }

    /// Name of a kind of tokens.
    #[must_use]
    pub fn name(&self, kind: u8) -> &str {
        self.names.get(usize::from(kind)).map_or("error", String::as_str)
    }

    /// Number of states of the automaton.
    #[must_use]
    pub fn states(&self) -> usize {
        self.automaton.states()
    }

    /// Finds the tokens of a text. On CUDA this waits for their number.
    ///
    /// # Errors
    /// [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own.
    pub fn run<B: Input<Item = u8> + ?Sized>(&self, device: &Device, text: &B) -> Result<Tokens> {
        let mut tokens = Tokens { kinds: vec![].into(), ends: vec![].into() };
        self.run_again(device, text, &mut tokens)?;
        Ok(tokens)
    }

    /// [`run`](Self::run) that replaces other tokens: on the CPU in their memory, which a program that splits one text
    /// after the other allocates once.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_again<B: Input<Item = u8> + ?Sized>(
        &self,
        device: &Device,
        text: &B,
        tokens: &mut Tokens,
    ) -> Result<()> {
        let taken = std::mem::replace(tokens, Tokens { kinds: vec![].into(), ends: vec![].into() });
        let mut events = Events { kinds: taken.kinds, places: taken.ends };
        self.automaton.run_again(device, &Part::all(text), &mut events)?;
        *tokens = Tokens { kinds: events.kinds, ends: events.places };
        Ok(())
    }

    /// Stores the kind of each token of a text, and the position where it ends (`u32`, `u64`, `usize`, `i32` or `i64`).
    /// Returns the number of tokens. On CUDA the work is enqueued on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Capacity`](upsweep::Error::Capacity) when the outputs are shorter than the number of
    /// tokens: on CUDA from the next call that waits; [`Options`](upsweep::Error::Options) when `ends` cannot hold the
    /// positions of so long a text.
    pub fn run_into<B, K, E>(&self, device: &Device, text: &B, kinds: &mut K, ends: &mut E) -> Result<Count>
    where
        B: Input<Item = u8> + ?Sized,
        K: Output<Item = u8> + ?Sized,
        E: Output + ?Sized,
        Indices: Yields<u8, E::Item>,
    {
        Ok(self.automaton.run(device, text, kinds, ends)?)
    }

    /// Stores the tokens of a part of a text as [`run_into`](Self::run_into) does, after the parts before it: see
    /// [`upsweep::carry`]. Positions are those in the whole text, and a token may begin in a part before. The last tokens are
    /// those of a text that ends with the part. If another part follows, its first tokens take their place:
    /// [`Results`] says so.
    ///
    /// # Errors
    /// As [`run_into`](Self::run_into); [`Carry`](upsweep::Error::Carry) when the carry is of another call.
    pub fn run_with_carry<B, K, E>(
        &self,
        device: &Device,
        text: &B,
        kinds: &mut K,
        ends: &mut E,
        carry: &mut Carry,
    ) -> Result<Results>
    where
        B: Input<Item = u8> + ?Sized,
        K: Output<Item = u8> + ?Sized,
        E: Output + ?Sized,
        Indices: Yields<u8, E::Item>,
    {
        Ok(self.automaton.run_with_carry(device, text, kinds, ends, carry)?)
    }
}

#[function]
fn end_before(near: [u64; 3], at: u64) -> u64 {
    if at == 0 { 0 } else { near[0] }
}
