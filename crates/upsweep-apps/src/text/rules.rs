//! DFA of a list of regular expressions: it reports the first one that a text matches.

use crate::error::{Error, Result};
use regex_automata::dfa::{Automaton as _, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};
use std::collections::HashMap;
use upsweep::automaton::{Automaton, Event, Step};

/// Limit, in bytes, of the size of an automaton that regular expressions are compiled to, and of the memory to compile
/// it. It is far above the need of an automaton of 64 states.
const MAX_BYTES: usize = 2 << 20;

/// Largest number of states before minimisation merges those with the same future.
pub(super) const MAX_STATES: usize = 2048;

/// Checks the number of states of an automaton.
///
/// # Errors
/// [`Error::States`] when `states` is above `MAX_STATES`.
pub(super) fn expect_states(states: usize) -> Result<()> {
    if states > MAX_STATES { Err(Error::States { states, most: MAX_STATES }) } else { Ok(()) }
}

/// DFA of the rules; it begins in state 0. A transition from which no rule's end can be reached is `None`.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) next: Vec<Vec<Option<usize>>>,
    /// For each state, the first rule that matches the texts which end in it.
    pub(super) accepts: Vec<Option<u8>>,
}

/// Syntax of rules and patterns: they match bytes, without Unicode.
pub(super) fn syntax() -> syntax::Config {
    syntax::Config::new().unicode(false).utf8(false)
}

/// Compiles patterns to an NFA.
pub(super) fn compile(name: &str, patterns: &[&str]) -> Result<thompson::NFA> {
    // The syntax error repeats the whole pattern, and names the fault after it.
    let wrong = |error: &dyn std::fmt::Display| {
        let said = error.to_string();
        let reason = said.rsplit_once("error: ").map_or(&*said, |(_, reason)| reason).trim_end().to_owned();
        Error::Rule { name: name.to_owned(), reason }
    };
    let mut compiler = thompson::Compiler::new();
    compiler.configure(thompson::Config::new().utf8(false).nfa_size_limit(Some(MAX_BYTES))).syntax(syntax());
    compiler.build_many(patterns).map_err(|error| match std::error::Error::source(&error) {
        Some(source) => wrong(&source),
        None => wrong(&error),
    })
}

/// Compiles an NFA to a DFA; `name` is that of the rules in error messages.
pub(super) fn determinise(name: &str, nfa: &thompson::NFA, anchored: Anchored) -> Result<dense::DFA<Vec<u32>>> {
    let kind =
        if anchored == Anchored::No { dense::Config::new() } else { dense::Config::new().match_kind(MatchKind::All) };
    let kind = kind.start_kind(match anchored {
        Anchored::No => regex_automata::dfa::StartKind::Unanchored,
        _ => regex_automata::dfa::StartKind::Anchored,
    });
    dense::Builder::new()
        .configure(kind.dfa_size_limit(Some(MAX_BYTES)).determinize_size_limit(Some(MAX_BYTES)))
        .build_from_nfa(nfa)
        .map_err(|error| {
            let too_large = "its automaton becomes too large while it is built: repeat less in it, as by {N} or *";
            let reason = if error.is_size_limit_exceeded() { too_large.to_owned() } else { error.to_string() };
            Error::Rule { name: name.to_owned(), reason }
        })
}

/// Returns the state of a DFA in which a text begins.
pub(super) fn start_of(name: &str, dfa: &dense::DFA<Vec<u32>>, anchored: Anchored) -> Result<StateID> {
    dfa.start_state(&start::Config::new().anchored(anchored))
        .map_err(|error| Error::Rule { name: name.to_owned(), reason: error.to_string() })
}

impl Rules {
    /// Builds the DFA of rules, pairs of a name and a regular expression.
    ///
    /// # Errors
    /// [`Error::Rule`] that names the rule which is not valid.
    pub(super) fn new(rules: &[(&str, &str)]) -> Result<Self> {
        for &(name, pattern) in rules {
            let nfa = compile(name, &[pattern])?;
            let refuse = |reason: &str| Err(Error::Rule { name: name.to_owned(), reason: reason.to_owned() });
            if !nfa.look_set_any().is_empty() {
                return refuse("a token is what it is made of: leave out ^, $, \\b and the like");
            }
        }
        let all = || rules.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let patterns: Vec<&str> = rules.iter().map(|(_, pattern)| *pattern).collect();
        let dfa = determinise(&all(), &compile(&all(), &patterns)?, Anchored::Yes)?;
        let start = start_of(&all(), &dfa, Anchored::Yes)?;
        // States of the DFA, in the order in which they are found.
        let (mut ids, mut numbers) = (vec![start], HashMap::from([(start, 0usize)]));
        let (mut next, mut accepts): (Vec<Vec<usize>>, Vec<Option<u8>>) = (vec![], vec![]);
        while let Some(&id) = ids.get(next.len()) {
            expect_states(ids.len())?;
            let to = (0..=255u8).map(|byte| {
                let to = dfa.next_state(id, byte);
                *numbers.entry(to).or_insert_with(|| {
                    ids.push(to);
                    ids.len() - 1
                })
            });
            let to = to.collect();
            next.push(to);
            // The DFA is a byte late: it reports a match at the end of the text.
            let end = dfa.next_eoi_state(id);
            let matches = if dfa.is_match_state(end) { dfa.match_len(end) } else { 0 };
            accepts.push((0..matches).map(|i| dfa.match_pattern(end, i).as_usize() as u8).min());
        }
        if let Some(rule) = accepts[0] {
            let reason = "it matches the empty text, and a token has at least one byte".to_owned();
            return Err(Error::Rule { name: rules[rule as usize].0.to_owned(), reason });
        }
        // Search, from the ends of rules backward, for the states from which one can be reached.
        let mut before: Vec<Vec<usize>> = vec![vec![]; next.len()];
        for (state, to) in next.iter().enumerate() {
            to.iter().for_each(|&to| {
                if before[to].last() != Some(&state) {
                    before[to].push(state);
                }
            });
        }
        let mut live = vec![false; next.len()];
        let mut left: Vec<usize> = (0..next.len()).filter(|&state| accepts[state].is_some()).collect();
        while let Some(state) = left.pop() {
            if !std::mem::replace(&mut live[state], true) {
                left.extend(&before[state]);
            }
        }
        let next = next.iter().map(|to| to.iter().map(|&to| live[to].then_some(to)).collect()).collect();
        Ok(Self { next, accepts })
    }

    /// Finds a rule that some text, continued from `state`, can still match.
    pub(super) fn ahead(&self, state: usize) -> Option<u8> {
        let (mut seen, mut left) = (vec![false; self.next.len()], vec![state]);
        while let Some(state) = left.pop() {
            if let Some(rule) = self.accepts[state] {
                return Some(rule);
            }
            if !std::mem::replace(&mut seen[state], true) {
                left.extend(self.next[state].iter().flatten());
            }
        }
        None
    }
}

/// Creates the automaton with these steps (a next state and the number of a list of events): for each state, those of
/// the 256 bytes and of the end of the text. `lists` has the lists of events.
///
/// # Errors
/// [`Error::States`], [`Error::Library`].
pub(super) fn automaton(steps: &[Vec<Step>], lists: &[Vec<Event>]) -> Result<Automaton> {
    let lists: Vec<&[Event]> = lists.iter().map(|list| &list[..]).collect();
    let step = |state: usize, byte: Option<u8>| steps[state][byte.map_or(256, usize::from)];
    Automaton::new(steps.len(), &lists, step).map_err(|error| match error {
        upsweep::Error::Automaton { what: "states", found, most } => Error::States { states: found, most },
        error => Error::Library(error),
    })
}
