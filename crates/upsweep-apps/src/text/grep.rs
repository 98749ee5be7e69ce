//! Lines of a text that match a regular expression, by a DFA.

use super::rules::{automaton, compile, determinise, expect_states, start_of};
use crate::error::Result;
use crate::part::map;
use regex_automata::Anchored;
use regex_automata::dfa::Automaton as _;
use std::collections::HashMap;
use upsweep::automaton::{Automaton, Event, Events, Step};
use upsweep::prelude::*;
use upsweep::{Array, Input};

/// Search for the lines that match a regular expression over bytes: Unicode is off, `^` and `$` are the begin and end
/// of a line.
///
/// ```
/// use upsweep::Device;
/// use upsweep_apps::text::Grep;
///
/// let device = Device::cpu();
/// let grep = Grep::new("^[A-Z][a-z]+ [0-9]{2,4}(st|nd|th)?")?;
/// let text = b"Row 21st\nrow 22nd\n\nMile 1000 and more";
/// assert_eq!(grep.count(&device, text)?, 2);
/// let lines = grep.run(&device, text)?;
/// assert_eq!(lines.numbers.to_vec()?, [0, 3]);
/// assert_eq!((lines.starts.to_vec()?, lines.ends.to_vec()?), (vec![0, 19], vec![8, 37]));
/// # Ok::<(), upsweep_apps::Error>(())
/// ```
///
/// Lines end at `\n`; bytes after the last `\n` are a line, if there are any.
///
/// **Cost.** [`count`](Self::count) reads the text once and stores nothing. [`run`](Self::run) stores 9 bytes for each
/// line of the text, and reads them some more times.
#[derive(Clone, Debug)]
pub struct Grep {
    automaton: Automaton,
}

/// Selected lines of a text, on the device.
#[derive(Debug)]
pub struct Lines {
    /// Number of each line, counted from 0.
    pub numbers: Array<u64>,
    /// Position of the first byte of each line.
    pub starts: Array<u64>,
    /// Position of the end of each line, which is the `\n` or the end of the text.
    pub ends: Array<u64>,
}

/// Kind of the event that the automaton emits at the end of a line that matches. Below: the kind for other lines, and
/// the numbers of the lists with these events.
const MATCHES: u8 = 1;
const OTHER: u8 = 0;
const ENDS_MATCH: usize = 1;
const ENDS_OTHER: usize = 2;

impl Grep {
    /// Compiles a regular expression.
    ///
    /// # Errors
    /// - [`Error::Rule`](crate::Error::Rule): it is not a regular expression
    /// - [`Error::States`](crate::Error::States): its automaton has too many states
    pub fn new(pattern: &str) -> Result<Self> {
        Self::compiled(pattern, [MATCHES, OTHER])
    }

    /// Compiles a regular expression, for the lines that it does not match.
    ///
    /// ```
    /// use upsweep::Device;
    /// use upsweep_apps::text::Grep;
    ///
    /// assert_eq!(Grep::inverted("a")?.count(&Device::cpu(), b"a\nb\nba\nc")?, 2);
    /// # Ok::<(), upsweep_apps::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn inverted(pattern: &str) -> Result<Self> {
        Self::compiled(pattern, [OTHER, MATCHES])
    }

    /// Compiles a regular expression. `kinds` are those of the events for a line that it matches, and for another one.
    fn compiled(pattern: &str, kinds: [u8; 2]) -> Result<Self> {
        let dfa = determinise(pattern, &compile(pattern, &[pattern])?, Anchored::No)?;
        let start = start_of(pattern, &dfa, Anchored::No)?;
        // The begin of a line is state 0, apart from the DFA's start, because an empty last line does not count. State
        // 1, found as `None`, is that of a line that has matched.
        let (begin, matched) = (0, 1);
        let (mut found, mut numbers) = (vec![Some(start), None], HashMap::from([(None, matched)]));
        let mut steps: Vec<Vec<Step>> = vec![];
        while let Some(&state) = found.get(steps.len()) {
            expect_states(found.len())?;
            let matches = state.is_none_or(|state| dfa.is_match_state(dfa.next_eoi_state(state)));
            let says = if matches { ENDS_MATCH } else { ENDS_OTHER };
            let mut of_state = Vec::with_capacity(257);
            for byte in 0..=255u8 {
                let after = state.map(|state| dfa.next_state(state, byte)).filter(|&after| !dfa.is_match_state(after));
                of_state.push(match byte {
                    b'\n' => Step { next: begin, tells: says },
                    _ => {
                        let next = *numbers.entry(after).or_insert_with(|| {
                            found.push(after);
                            found.len() - 1
                        });
                        Step { next, tells: 0 }
                    }
                });
            }
            of_state.push(Step { next: begin, tells: if steps.len() == begin { 0 } else { says } });
            steps.push(of_state);
        }
        let line = |kind| vec![Event { kind, back: 0 }];
        Ok(Self { automaton: automaton(&steps, &[vec![], line(kinds[0]), line(kinds[1])])? })
    }

    /// Number of states of the automaton.
    #[must_use]
    pub fn states(&self) -> usize {
        self.automaton.states()
    }

    /// Counts the lines that match. On CUDA this waits for the number.
    ///
    /// # Errors
    /// [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own.
    pub fn count<B: Input<Item = u8> + ?Sized>(&self, device: &Device, text: &B) -> Result<u64> {
        Ok(self.automaton.count_of(device, text, MATCHES)?.get()? as u64)
    }

    /// Finds the lines that match. On CUDA this waits for their number.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub fn run<B: Input<Item = u8> + ?Sized>(&self, device: &Device, text: &B) -> Result<Lines> {
        let Events { kinds, places: ends } = self.automaton.run_to_events(device, text)?;
        let starts: Array<u64> = map(device, Start, (Neighbours::of(&ends), 0..ends.len() as u64))?;
        let numbers: Array<u64> = Select::flags(&kinds).indices().run_to_array(device, &kinds)?;
        let of = |all: &Array<u64>| Transform::copy().run_to_array(device, Gather::of(all).at(&numbers));
        Ok(Lines { starts: of(&starts)?, ends: of(&ends)?, numbers })
    }
}

#[function]
fn start(near: [u64; 3], at: u64) -> u64 {
    if at == 0 { 0 } else { near[0] + 1 }
}
