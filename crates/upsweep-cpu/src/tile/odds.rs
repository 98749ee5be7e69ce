//! Guess of an automaton's state from the preceding bytes (Viterbi's algorithm).
//!
//! ```text
//! cost[s] = first[s] for each state s
//! for each byte:  cost'[next(s, byte)] = min over s of cost[s] + costs[byte, s]
//! the guess is the state of the least cost
//! ```
//!
//! Costs are minus the logarithms of probabilities, so this is Viterbi's algorithm for a hidden Markov chain whose
//! transitions are known once the state is. The probabilities are estimated from a part of the text that the automaton
//! has already read: quotation marks alone do not distinguish the inside of a string from its outside, but the bytes
//! between them do. Before any text has been read, a step that is rare in most texts costs 2, and the automaton's first
//! state costs 1 less than others.
//!
//! Source: A. J. Viterbi, "Error bounds for convolutional codes and an asymptotically optimum decoding algorithm"
//! (1967).

use upsweep_core::call::automaton::{MOST_STATES, Table};

/// Costs of bytes in states: minus the logarithm of their probability, in bits.
#[derive(Clone, Debug)]
pub(super) struct Odds {
    /// Cost of each state before any byte.
    pub(super) first: [u8; MOST_STATES],
    /// Cost of a byte in each state, for each class of bytes.
    pub(super) costs: Vec<[u8; MOST_STATES]>,
}

/// Number of bytes of each text from which probabilities are estimated.
const LEARNED: usize = 256;
/// Pseudo-count that is added to each count, so that bytes that did not occur have a finite cost.
const UNSEEN: f32 = 0.02;

impl Odds {
    pub(super) fn of_rare(table: &Table) -> Self {
        let (mut costs, mut classes) = (vec![[0; MOST_STATES]; table.classes], 0);
        for (byte, &class) in table.class.iter().enumerate() {
            // Classes are numbered in the order of their first bytes. One byte of each class is enough.
            if usize::from(class) < classes {
                continue;
            }
            classes += 1;
            for (state, cost) in costs[usize::from(class)].iter_mut().enumerate().take(table.states) {
                *cost = 2 * u8::from(table.rare[usize::from(table.steps[state << 8 | byte] as u8)]);
            }
        }
        Self { first: std::array::from_fn(|state| u8::from(state > 0)), costs }
    }

    /// Estimates the costs from texts. Each begins in a given state, in the high byte.
    pub(super) fn of_texts(table: &Table, mut walks: Vec<(u16, &[u8])>) -> Self {
        let mut counts = vec![[0u32; MOST_STATES]; table.classes];
        // Texts are interleaved, as each step has the latency of a dependent load.
        for place in 0..LEARNED {
            for (state, text) in &mut walks {
                let Some(&byte) = text.get(place) else { continue };
                counts[usize::from(table.class[usize::from(byte)])][usize::from(*state >> 8)] += 1;
                *state = table.steps[usize::from(*state & 0xff00 | u16::from(byte))];
            }
        }
        let seen: [f32; MOST_STATES] =
            std::array::from_fn(|state| counts.iter().map(|of_class| of_class[state] as f32).sum());
        let unseen = UNSEEN * table.classes as f32;
        // Costs are relative to the least of all states, so that sums stay small.
        let costs = |bits: [f32; MOST_STATES]| {
            let least = bits[..table.states].iter().copied().fold(f32::INFINITY, f32::min);
            bits.map(|bits| (bits - least).round() as u8)
        };
        let of_class = |counts: &[u32; MOST_STATES]| {
            costs(std::array::from_fn(|state| -((counts[state] as f32 + UNSEEN) / (seen[state] + unseen)).log2()))
        };
        Self { first: costs(seen.map(|seen| -(seen + UNSEEN).log2())), costs: counts.iter().map(of_class).collect() }
    }

    /// Guesses the state after the bytes `before`, in the high byte. Of states with equal costs it is the first.
    /// Without bytes it is the first state.
    pub(super) fn guess(&self, table: &Table, before: &[u8]) -> u16 {
        if before.is_empty() {
            return 0;
        }
        let (mut costs, mut live) = (self.first, u64::MAX >> (MOST_STATES - table.states));
        for &byte in before {
            let (mut after, mut reached) = ([0u8; MOST_STATES], 0u64);
            let of_byte = &self.costs[usize::from(table.class[usize::from(byte)])];
            while live != 0 {
                let state = live.trailing_zeros() as usize;
                live &= live - 1;
                let entry = table.steps[state << 8 | usize::from(byte)];
                let (to, bit) = (usize::from(entry >> 8), 1u64 << (entry >> 8));
                let cost = costs[state].saturating_add(of_byte[state]);
                after[to] = if reached & bit == 0 { cost } else { cost.min(after[to]) };
                reached |= bit;
            }
            (costs, live) = (after, reached);
        }
        let best = (0..table.states).filter(|state| live >> state & 1 == 1).min_by_key(|&state| costs[state]);
        (best.unwrap_or(0) as u16) << 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upsweep_core::call::automaton::{Event, Step};

    /// Checks an estimate. `x` is rare in words, and frequent in words between bars: after twelve letters, six of them
    /// `x`, the guess is the state between bars.
    #[test]
    fn what_is_frequent_is_learned() {
        let text = b"abcdefgh|xxaxxbxx|hgfedcba|xbxxaxxx|abxcefgh|";
        let lists: [&[Event]; 3] = [&[], &[Event { kind: 0, back: 0 }], &[Event { kind: 1, back: 0 }]];
        let step = |state: usize, byte: Option<u8>| match byte {
            Some(b'|') => Step { next: 1 - state, tells: 1 - state },
            Some(b'x') => Step { next: state, tells: 2 },
            _ => Step { next: state, tells: 0 },
        };
        let table = Table::new(2, &lists, &step).unwrap();
        assert_eq!(table.states, 2);
        let odds = Odds::of_texts(&table, vec![(0, text), (0x100, &text[9..])]);
        assert_eq!(odds.guess(&table, b"axbxcxaxdxex"), 0x100);
        assert_eq!(odds.guess(&table, b"abcxdefghabc"), 0);
        assert_eq!(odds.guess(&table, b"abcxdefghabc|"), 0x100);
        assert_eq!(Odds::of_rare(&table).guess(&table, b"axbxcxaxdxex"), 0);
        assert_eq!(odds.guess(&table, b""), 0);
    }
}
