//! Lexical analysis: a text cut into tokens.
//!
//! A token is the longest text from where it begins that is one of some rules; of rules that match the same, the first. What begins no
//! token is an error token, [`ERROR`]: all bytes up to where no rule can match any more, at least one. So tokens cover the whole text.
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
//! **Rules** are regular expressions over bytes, as the crate regex has them with Unicode off: `.` and `[^"]` match any byte, also those of
//! UTF-8, which passes through. Look-around (`^`, `$`, `\b`) is refused. After the end of a token up to [`LOOK_AHEAD`] bytes may have to be read
//! before it is known that it ended there, as in `1..2`; rules that need more are refused, by name.
//!
//! **How.** The automaton of the rules is made one that tells, at each byte, which tokens have ended at it or up to four bytes before. On CUDA, what a
//! byte does to its states is a function, packed in 32 bits (up to 8 states), 64 bits (16) or 64 bytes (64); these compose associatively,
//! so one scan finds the state before each byte. On the CPU each thread walks along eight parts of the text side by side, from states that it guesses
//! and that are checked afterwards. Where tokens ended is then selected.
//!
//! **Cost.** On CUDA a scan of 4, 8 or 64 bytes a byte of the text, and three passes over bytes; [`Lexer::states`] says which it is. On the CPU two
//! passes over parts that stay in the cache, and 9 bytes stored a token. New memory for the tokens may take longer than to find them:
//! [`Lexer::run_again`] uses it again.

pub use super::tokens::ERROR;

use super::automaton::{Automaton, END};
use super::rules::Rules;
use super::tokens::{End, Ends};
use crate::error::{Error, Result};
use crate::part::{Part, grow, map, on_host};
use rayon::prelude::*;
use std::collections::HashMap;
use upsweep::prelude::*;
use upsweep::{Array, Input};

/// How many bytes behind a token may be read before it is known that it ended.
pub const LOOK_AHEAD: usize = 4;

/// How many tokens at most end at one byte, or as little before that they become known there.
const AT_ONCE: usize = LOOK_AHEAD + 1;

/// A lexer for some rules, built once and run often: see the [module](self).
#[derive(Clone, Debug)]
pub struct Lexer {
    names: Vec<String>,
    automaton: Automaton,
    /// What the automaton tells.
    ends: Ends,
}

/// The tokens of a text, on the device. They cover it: each begins where the one before it ends.
#[derive(Debug)]
pub struct Tokens {
    /// The rule of each token, counted from 0, or [`ERROR`].
    pub kinds: Array<u8>,
    /// Behind the last byte of each token.
    pub ends: Array<u64>,
}

impl Tokens {
    /// The first byte of each token.
    ///
    /// # Errors
    /// [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own.
    pub fn starts(&self, device: &Device) -> Result<Array<u64>> {
        Ok(map(device, EndBefore, (Neighbours::of(&self.ends), 0..self.ends.len() as u64))?)
    }
}

/// A token that has begun, as far as what follows depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Begun {
    /// Nothing of it yet.
    Not,
    /// No rule has matched yet.
    Open { state: usize },
    /// A rule has matched; since then bytes have been read that may be another token.
    Matched { state: usize, kind: u8, since: Box<Since> },
}

/// What the bytes behind a match would be without it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Since {
    bytes: u8,
    begun: Begun,
    ends: Vec<End>,
}

impl Since {
    fn nothing() -> Box<Self> {
        Box::new(Self { bytes: 0, begun: Begun::Not, ends: vec![] })
    }

    /// After one more byte.
    fn step(&self, rules: &Rules, byte: u8) -> std::result::Result<Box<Self>, usize> {
        let (begun, new) = self.begun.step(rules, byte)?;
        let ends = self.ends.iter().copied().chain(new).map(|end| End { back: end.back + 1, ..end }).collect();
        Ok(Box::new(Self { bytes: self.bytes + 1, begun, ends }))
    }
}

impl Begun {
    /// What it becomes by a byte, and the tokens that end before this. Fails with a state from which the rules look too far ahead.
    fn step(&self, rules: &Rules, byte: u8) -> std::result::Result<(Self, Vec<End>), usize> {
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
            // A byte that begins nothing is a token of its own, from whose state no rule goes on.
            Self::Not => Ok((Self::Open { state: rules.next.len() - 1 }, vec![])),
            Self::Open { .. } => {
                let (begun, _) = Self::Not.step(rules, byte)?;
                Ok((begun, vec![End { back: 0, kind: ERROR }]))
            }
            Self::Matched { kind, since, .. } => {
                let (begun, new) = since.begun.step(rules, byte)?;
                let first = End { back: since.bytes, kind: *kind };
                Ok((begun, [first].into_iter().chain(since.ends.iter().copied()).chain(new).collect()))
            }
        }
    }

    /// The tokens that end with the text.
    fn finish(&self) -> Vec<End> {
        match self {
            Self::Not => vec![],
            Self::Open { .. } => vec![End { back: 0, kind: ERROR }],
            Self::Matched { kind, since, .. } => {
                let first = End { back: since.bytes, kind: *kind };
                [first].into_iter().chain(since.ends.iter().copied()).chain(since.begun.finish()).collect()
            }
        }
    }
}

impl Lexer {
    /// A lexer for rules, each a name and a regular expression.
    ///
    /// # Errors
    /// - [`Error::Rule`]: a rule that is no regular expression, looks around, matches the empty text, or after which more than
    ///   [`LOOK_AHEAD`] bytes must be read; it names the rule
    /// - [`Error::States`]: rules whose automaton has too many states
    pub fn new(rules: &[(&str, &str)]) -> Result<Self> {
        if rules.len() >= usize::from(ERROR) {
            let reason = format!("there are {} rules, and a lexer has at most {}", rules.len(), ERROR - 1);
            return Err(Error::Rule { name: rules[usize::from(ERROR) - 1].0.to_owned(), reason });
        }
        let mut automaton = Rules::new(rules)?;
        // The state of a byte that begins no token.
        automaton.next.push(vec![None; 256]);
        automaton.accepts.push(None);
        let (mut found, mut numbers) = (vec![Begun::Not], HashMap::from([(Begun::Not, 0usize)]));
        let (mut ends, mut told) = (vec![vec![]], HashMap::from([(vec![], 0usize)]));
        let mut tell = |list: Vec<End>| {
            let next = ends.len();
            let number = *told.entry(list.clone()).or_insert(next);
            if number == next {
                ends.push(list);
            }
            number
        };
        let (mut next, mut tells): (Vec<Vec<usize>>, Vec<Vec<usize>>) = (vec![], vec![]);
        while let Some(begun) = found.get(next.len()).cloned() {
            let (mut to, mut says) = (Vec::with_capacity(END), Vec::with_capacity(END + 1));
            for byte in 0..=255 {
                let (begun, list) = begun.step(&automaton, byte).map_err(|state| {
                    let rule = automaton.ahead(state).and_then(|rule| rules.get(usize::from(rule)));
                    let reason = format!(
                        "it may go on more than {LOOK_AHEAD} bytes after the end of another token before it matches: let a rule match \
                         what comes in between, too"
                    );
                    Error::Rule { name: rule.map_or_else(String::new, |rule| rule.0.to_owned()), reason }
                })?;
                says.push(tell(list));
                to.push(*numbers.entry(begun.clone()).or_insert_with(|| {
                    found.push(begun);
                    found.len() - 1
                }));
            }
            says.push(tell(begun.finish()));
            next.push(to);
            tells.push(says);
        }
        let most = 256;
        if ends.len() > most {
            return Err(Error::States { states: ends.len(), most });
        }
        // What is at most one token comes first.
        let mut order: Vec<usize> = (0..ends.len()).collect();
        order.sort_by_key(|&told| ends[told].len());
        let mut numbers = vec![0u8; ends.len()];
        order.iter().enumerate().for_each(|(number, &told)| numbers[told] = number as u8);
        let ends: Vec<Vec<End>> = order.iter().map(|&told| ends[told].clone()).collect();
        let tells: Vec<Vec<u8>> = tells.iter().map(|says| says.iter().map(|&told| numbers[told]).collect()).collect();
        let names = rules.iter().map(|(name, _)| (*name).to_owned()).collect();
        let has_error = |told| ends.get(usize::from(told)).is_some_and(|ends| ends.iter().any(|end| end.kind == ERROR));
        let automaton = Automaton::new(&next, &tells, has_error)?;
        Ok(Self { names, automaton, ends: Ends::new(ends) })
    }

    /// The name of a kind of tokens.
    #[must_use]
    pub fn name(&self, kind: u8) -> &str {
        self.names.get(usize::from(kind)).map_or("error", String::as_str)
    }

    /// The number of states of the automaton.
    #[must_use]
    pub fn states(&self) -> usize {
        self.automaton.states()
    }

    /// The tokens of a text. On CUDA this waits for their number.
    ///
    /// # Errors
    /// [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own.
    pub fn run<B: Input<Item = u8> + ?Sized>(&self, device: &Device, text: &B) -> Result<Tokens> {
        self.tokens(device, &Part::all(text))
    }

    /// As [`run`](Self::run), in place of other tokens: on the CPU in their memory, which a program that cuts one text after the other asks
    /// for once.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_again<B: Input<Item = u8> + ?Sized>(
        &self,
        device: &Device,
        text: &B,
        tokens: &mut Tokens,
    ) -> Result<()> {
        match on_host(device, &text.view()) {
            Some(text) => self.walk(text, tokens)?,
            None => *tokens = self.run(device, text)?,
        }
        Ok(())
    }

    fn tokens(&self, device: &Device, text: &Part<'_, u8>) -> Result<Tokens> {
        if let Some(text) = on_host(device, &text.view()) {
            let mut tokens = Tokens { kinds: vec![].into(), ends: vec![].into() };
            self.walk(text, &mut tokens)?;
            return Ok(tokens);
        }
        self.scan(device, text)
    }

    /// By a scan of functions of the automaton's states.
    fn scan(&self, device: &Device, text: &Part<'_, u8>) -> Result<Tokens> {
        let told = self.automaton.run(device, text)?;
        // Where the automaton tells something, and what.
        let places: Array<u64> = Select::flags(&told).indices().run_to_array(device, &told)?;
        let told: Array<u8> = Transform::copy().run_to_array(device, Gather::of(&told).at(&places))?;
        let counts: Vec<u32> = (0..256).map(|told| self.ends.of(told).len() as u32).collect();
        let counts = device.upload(&counts)?;
        let counts: Array<u32> = Transform::copy().run_to_array(device, Gather::of(&counts).at(Apply(Place, &told)))?;
        let events: Array<u64> = Expand::new().run_to_array(device, &counts)?;
        let ranks: Array<u32> = Expand::new().ranks().run_to_array(device, &counts)?;
        let of = |part: fn(&End) -> u8| {
            let rows = (0..256).flat_map(|told| {
                let ends = self.ends.of(told);
                (0..AT_ONCE).map(move |rank| ends.get(rank).map_or(0, part))
            });
            rows.collect::<Vec<u8>>()
        };
        let (backs, kinds) = (device.upload(&of(|end| end.back))?, device.upload(&of(|end| end.kind))?);
        let cell = || Apply(Row, (Gather::of(&told).at(&events), &ranks));
        let kinds: Array<u8> = Transform::copy().run_to_array(device, Gather::of(&kinds).at(cell()))?;
        let ends: Array<u64> = map(device, Before, (Gather::of(&places).at(&events), Gather::of(&backs).at(cell())))?;
        Ok(Tokens { kinds, ends })
    }

    /// By walks on the host.
    fn walk(&self, text: &[u8], tokens: &mut Tokens) -> upsweep::Result<()> {
        let taken = std::mem::replace(tokens, Tokens { kinds: vec![].into(), ends: vec![].into() });
        let (mut kinds, mut ends, mut found) = (taken.kinds.into_vec()?, taken.ends.into_vec()?, 0);
        self.automaton.along(text, |parts| {
            let counts: Vec<usize> = match parts {
                [one] => vec![self.ends.count(one)],
                all => all.par_iter().map(|part| self.ends.count(part)).collect(),
            };
            let more = found + counts.iter().sum::<usize>();
            // As many as there will be if the rest of the text is like this.
            let done = parts.last().map_or(1, |part| part.first.max(1));
            let likely = (more as f64 * text.len() as f64 / done as f64 * 1.02) as usize;
            grow(&mut kinds, more, likely)?;
            grow(&mut ends, more, likely)?;
            let (mut kinds, mut ends) = (&mut kinds[found..more], &mut ends[found..more]);
            found = more;
            let mut shares = Vec::with_capacity(parts.len());
            for (part, count) in parts.iter().zip(counts) {
                let ((of_kinds, kinds_left), (of_ends, ends_left)) =
                    (kinds.split_at_mut(count), ends.split_at_mut(count));
                shares.push((part, of_kinds, of_ends));
                (kinds, ends) = (kinds_left, ends_left);
            }
            match &mut shares[..] {
                [(part, kinds, ends)] => self.ends.write(part, kinds, ends),
                all => all.par_iter_mut().for_each(|(part, kinds, ends)| self.ends.write(part, kinds, ends)),
            }
            Ok(())
        })?;
        kinds.truncate(found);
        ends.truncate(found);
        *tokens = Tokens { kinds: kinds.into(), ends: ends.into() };
        Ok(())
    }
}

#[function]
fn end_before(near: [u64; 3], at: u64) -> u64 {
    if at == 0 { 0 } else { near[0] }
}

#[function]
fn place(told: u8) -> u32 {
    told as u32
}

#[function]
fn row(told: u8, rank: u32) -> u32 {
    told as u32 * 5 + rank
}

#[function]
fn before(place: u64, back: u8) -> u64 {
    place - back as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::GRAMMARS;

    #[test]
    fn scans_find_what_walks_find() -> Result<()> {
        let device = Device::cpu();
        let text =
            b"{\"k\\u00e9\": [1, -2.5e+10, true, nul]}\n1.e 12..5 ?\"a, \"\"b\"\"\r\n'c' b'\\n' 'life /* a */ x->y"
                .repeat(50);
        for grammar in GRAMMARS {
            let lexer = grammar.lexer()?;
            for text in [&text[..], &text[..100], b"1.", b""] {
                let (walked, scanned) = (lexer.run(&device, text)?, lexer.scan(&device, &Part::all(text))?);
                assert_eq!(walked.kinds.to_vec()?, scanned.kinds.to_vec()?, "{}", grammar.name);
                assert_eq!(walked.ends.to_vec()?, scanned.ends.to_vec()?, "{}", grammar.name);
            }
        }
        Ok(())
    }
}
