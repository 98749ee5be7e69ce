//! The lines of a text that match a pattern.

use super::automaton::{Automaton, END};
use super::rules::{compile, determinise, start_of};
use super::walk::Told;
use crate::error::Result;
use crate::part::{Part, map, on_host};
use regex_automata::Anchored;
use regex_automata::dfa::Automaton as _;
use std::collections::HashMap;
use upsweep::prelude::*;
use upsweep::{Array, Input};

/// Finds the lines that match a regular expression, which is one of bytes: Unicode is off, `^` and `$` are the begin and end of a line.
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
/// Lines end at `\n`; what follows the last one is a line if it has a byte. **Cost.** As a [`Lexer`](super::Lexer)'s.
#[derive(Clone, Debug)]
pub struct Grep {
    automaton: Automaton,
}

/// Some lines of a text, on the device.
#[derive(Debug)]
pub struct Lines {
    /// Which lines they are, counted from 0.
    pub numbers: Array<u64>,
    /// The place of the first byte of each.
    pub starts: Array<u64>,
    /// The place of the end of each, which is the `\n` or the end of the text.
    pub ends: Array<u64>,
}

/// What is told of the end of a line.
const MATCHES: u8 = 1;
const OTHER: u8 = 2;

impl Grep {
    /// For a regular expression.
    ///
    /// # Errors
    /// - [`Error::Rule`](crate::Error::Rule): it is none
    /// - [`Error::States`](crate::Error::States): its automaton has too many states
    pub fn new(pattern: &str) -> Result<Self> {
        let dfa = determinise(pattern, &compile(pattern, &[pattern])?, Anchored::No)?;
        let start = start_of(pattern, &dfa, Anchored::No)?;
        // The begin of a line is a state of its own, as what follows the last line is a line only if it has a byte. `None` has matched.
        let (begin, matched) = (0, 1);
        let (mut found, mut numbers) = (vec![Some(start), None], HashMap::from([(None, matched)]));
        let (mut next, mut tells) = (vec![], vec![]);
        while let Some(&state) = found.get(next.len()) {
            let matches = state.is_none_or(|state| dfa.is_match_state(dfa.next_eoi_state(state)));
            let says = if matches { MATCHES } else { OTHER };
            let mut to = Vec::with_capacity(END);
            for byte in 0..=255u8 {
                let after = state.map(|state| dfa.next_state(state, byte)).filter(|&after| !dfa.is_match_state(after));
                to.push(match byte {
                    b'\n' => begin,
                    _ => *numbers.entry(after).or_insert_with(|| {
                        found.push(after);
                        found.len() - 1
                    }),
                });
            }
            let mut told = vec![0; END + 1];
            told[usize::from(b'\n')] = says;
            told[END] = if next.len() == begin { 0 } else { says };
            next.push(to);
            tells.push(told);
        }
        Ok(Self { automaton: Automaton::new(&next, &tells, |_| false)? })
    }

    /// The number of states of the automaton.
    #[must_use]
    pub fn states(&self) -> usize {
        self.automaton.states()
    }

    /// How many lines match. On CUDA this waits for the number.
    ///
    /// # Errors
    /// [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own.
    pub fn count<B: Input<Item = u8> + ?Sized>(&self, device: &Device, text: &B) -> Result<u64> {
        self.number(device, &Part::all(text))
    }

    fn number(&self, device: &Device, text: &Part<'_, u8>) -> Result<u64> {
        if let Some(text) = on_host(device, &text.view()) {
            let mut count = 0;
            self.automaton.along(text, |parts| {
                let of = |part: &Told<'_>| part.bytes.iter().filter(|&&told| told == MATCHES).count();
                count += parts.iter().map(of).sum::<usize>() as u64;
                Ok(())
            })?;
            return Ok(count);
        }
        self.scan_number(device, text)
    }

    /// By a scan of functions of the automaton's states.
    fn scan_number(&self, device: &Device, text: &Part<'_, u8>) -> Result<u64> {
        let told = self.automaton.run(device, text)?;
        Ok(Reduce::new(Sum).map(IsMatch).run_to_host(device, &told)?)
    }

    /// The lines that match. On CUDA this waits for their number.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub fn run<B: Input<Item = u8> + ?Sized>(&self, device: &Device, text: &B) -> Result<Lines> {
        self.lines(device, &Part::all(text))
    }

    fn lines(&self, device: &Device, text: &Part<'_, u8>) -> Result<Lines> {
        if let Some(text) = on_host(device, &text.view()) {
            return Ok(self.walk(text)?);
        }
        self.scan(device, text)
    }

    /// By a scan of functions of the automaton's states.
    fn scan(&self, device: &Device, text: &Part<'_, u8>) -> Result<Lines> {
        let told = self.automaton.run(device, text)?;
        let ends: Array<u64> = Select::flags(&told).indices().run_to_array(device, &told)?;
        let flags: Array<bool> = map(device, Matches, Gather::of(&told).at(&ends))?;
        let starts: Array<u64> = map(device, Start, (Neighbours::of(&ends), 0..ends.len() as u64))?;
        let numbers: Array<u64> = Select::flags(&flags).indices().run_to_array(device, &flags)?;
        let of = |all: &Array<u64>| Transform::copy().run_to_array(device, Gather::of(all).at(&numbers));
        Ok(Lines { starts: of(&starts)?, ends: of(&ends)?, numbers })
    }

    /// By walks on the host.
    fn walk(&self, text: &[u8]) -> upsweep::Result<Lines> {
        let (mut numbers, mut starts, mut ends) = (vec![], vec![], vec![]);
        let (mut number, mut start) = (0, 0);
        self.automaton.along(text, |parts| {
            for part in parts {
                part.each(|end, told| {
                    if told == MATCHES {
                        numbers.push(number);
                        starts.push(start);
                        ends.push(end as u64);
                    }
                    (number, start) = (number + 1, end as u64 + 1);
                });
            }
            Ok(())
        })?;
        Ok(Lines { numbers: numbers.into(), starts: starts.into(), ends: ends.into() })
    }
}

#[function]
fn is_match(told: u8) -> u64 {
    if told == 1 { 1 } else { 0 }
}

#[function]
fn matches(told: u8) -> bool {
    told == 1
}

#[function]
fn start(near: [u64; 3], at: u64) -> u64 {
    if at == 0 { 0 } else { near[0] + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_find_what_walks_find() -> Result<()> {
        let device = Device::cpu();
        let text = b"Row 21st\nrow 22nd\n\nMile 1000 and more\nno\n".repeat(40);
        for pattern in ["[A-Z][a-z]+ [0-9]{2,4}(st|nd|th)?", "^$", "e|o"] {
            let grep = Grep::new(pattern)?;
            for text in [&text[..], &text[..60], b"\n", b""] {
                let (walked, scanned) = (grep.run(&device, text)?, grep.scan(&device, &Part::all(text))?);
                assert_eq!(walked.numbers.to_vec()?, scanned.numbers.to_vec()?, "{pattern}");
                assert_eq!(walked.starts.to_vec()?, scanned.starts.to_vec()?, "{pattern}");
                assert_eq!(walked.ends.to_vec()?, scanned.ends.to_vec()?, "{pattern}");
                assert_eq!(grep.count(&device, text)?, grep.scan_number(&device, &Part::all(text))?, "{pattern}");
            }
        }
        Ok(())
    }
}
