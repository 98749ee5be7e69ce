//! Automata as scans: what a byte does to the states of a deterministic automaton is a function, and functions compose associatively.

use crate::error::{Error, Result};
use crate::part::Part;
use std::collections::HashMap;
use upsweep::prelude::*;
use upsweep::{Array, Input};

/// The most states of an automaton.
pub(super) const MAX_STATES: usize = 64;

/// The place of the end of the text among the bytes.
pub(super) const END: usize = 256;

/// A deterministic automaton that tells something of each byte and of the end of the text: 0 for nothing. It begins in state 0.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    states: Vec<State>,
    steps: Box<Steps>,
    /// Whether what is told is an event that is rare in most texts.
    unlikely: [bool; 256],
}

/// At `256 state + byte`, the next state in the high byte and what is told in the low one.
pub(super) type Steps = [u16; 1 << 16];

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) next: Vec<u8>,
    /// Of 256 bytes and the end.
    pub(super) tells: Vec<u8>,
}

impl Automaton {
    /// The smallest automaton that tells the same as these states: those with the same future are one. Fails with the number of
    /// states where these are too many.
    ///
    /// What `unlikely` says of what is told makes walks faster, and changes nothing else.
    ///
    /// # Errors
    /// [`Error::States`].
    pub(super) fn new(next: &[Vec<usize>], tells: &[Vec<u8>], unlikely: impl Fn(u8) -> bool) -> Result<Self> {
        let mut classes = number(tells.iter());
        loop {
            let signatures: Vec<(usize, Vec<usize>)> = (0..next.len())
                .map(|state| (classes.0[state], next[state].iter().map(|&to| classes.0[to]).collect()))
                .collect();
            let finer = number(signatures.iter());
            let done = finer.1 == classes.1;
            classes = finer;
            if done {
                break;
            }
        }
        let (of, count) = classes;
        if count > MAX_STATES {
            return Err(Error::States { states: count, most: MAX_STATES });
        }
        // Classes are numbered as they come, so that the first state's is 0.
        let mut states = Vec::with_capacity(count);
        for state in 0..next.len() {
            if of[state] == states.len() {
                let next = next[state].iter().map(|&to| of[to] as u8).collect();
                states.push(State { next, tells: tells[state].clone() });
            }
        }
        let mut steps = Box::new([0; 1 << 16]);
        for (row, state) in steps.chunks_exact_mut(END).zip(&states) {
            for (step, (&to, &tells)) in row.iter_mut().zip(state.next.iter().zip(&state.tells)) {
                *step = u16::from(to) << 8 | u16::from(tells);
            }
        }
        Ok(Self { states, steps, unlikely: std::array::from_fn(|told| unlikely(told as u8)) })
    }

    pub(super) fn steps(&self) -> &Steps {
        &self.steps
    }

    pub(super) fn is_unlikely(&self, told: u8) -> bool {
        self.unlikely[usize::from(told)]
    }

    /// What is told of the end of a text.
    pub(super) fn at_end(&self, state: u16) -> u8 {
        self.states.get(usize::from(state)).map_or(0, |state| state.tells[END])
    }

    pub(super) fn states(&self) -> usize {
        self.states.len()
    }

    /// What it tells of each byte of a text, and of its end.
    ///
    /// # Errors
    /// The library's.
    pub(super) fn run(&self, device: &Device, text: &Part<'_, u8>) -> upsweep::Result<Array<u8>> {
        let n = text.view().len();
        let states = match self.states() {
            0..=8 => {
                let function = |byte| self.pack(byte) as u32;
                let table = device.upload(&(0..256).map(function).collect::<Vec<_>>())?;
                let scan = Scan::new(Then8).exclusive().with_total().finish(First8);
                scan.run_to_array(device, Gather::of(&table).at(Apply(Place, text)))?
            }
            9..=16 => {
                let table = device.upload(&(0..256).map(|byte| self.pack(byte)).collect::<Vec<_>>())?;
                let scan = Scan::new(Then16).exclusive().with_total().finish(First16);
                scan.run_to_array(device, Gather::of(&table).at(Apply(Place, text)))?
            }
            _ => {
                let function = |byte: usize| {
                    let mut to = IDENTITY;
                    to.iter_mut().zip(&self.states).for_each(|(to, state)| *to = state.next[byte]);
                    to
                };
                let table = device.upload(&(0..256).map(function).collect::<Vec<_>>())?;
                let scan = Scan::new(Then64).exclusive().with_total().finish(First64);
                scan.run_to_array(device, Gather::of(&table).at(Apply(Place, text)))?
            }
        };
        let states: Array<u8> = states;
        let tells: Vec<u8> = self.states.iter().flat_map(|state| state.tells[..END].to_vec()).collect();
        let at_end: Vec<u8> = self.states.iter().map(|state| state.tells[END]).collect();
        let (tells, at_end) = (device.upload(&tells)?, device.upload(&at_end)?);
        let mut told = device.filled(n + 1, 0u8)?;
        let before = Part::of(&states, 0..n)?;
        let cell = Gather::of(&tells).at(Apply(Cell, (&before, text)));
        Transform::copy().run(device, cell, Scatter::to(&mut told).at(0..n as u64))?;
        let last = Part::of(&states, n..n + 1)?;
        let cell = Gather::of(&at_end).at(Apply(Place, &last));
        Transform::copy().run(device, cell, Scatter::to(&mut told).at(n as u64..n as u64 + 1))?;
        Ok(told)
    }

    /// The states after a byte, four bits each.
    fn pack(&self, byte: usize) -> u64 {
        let of = |i: usize| self.states.get(i).map_or(i as u64, |state| u64::from(state.next[byte]));
        (0..16).map(|i| of(i) << (4 * i)).sum()
    }

    /// The same by a loop, for tests.
    #[cfg(test)]
    pub(super) fn walk(&self, text: &[u8]) -> Vec<u8> {
        let mut state = 0;
        let mut told: Vec<u8> = Vec::new();
        for &byte in text {
            told.push(self.states[state].tells[byte as usize]);
            state = self.states[state].next[byte as usize] as usize;
        }
        told.push(self.states[state].tells[END]);
        told
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

#[function]
fn place(byte: u8) -> u32 {
    byte as u32
}

#[function]
fn cell(state: u8, byte: u8) -> u32 {
    state as u32 * 256 + byte as u32
}

/// Functions of 8 states: the state that `i` goes to is in bits 4 i to 4 i + 3.
#[operator(identity = 0x7654_3210)]
fn then8(f: u32, g: u32) -> u32 {
    let mut both = 0u32;
    for i in 0u32..8u32 {
        let via = (f >> (4 * i)) & 7;
        both = both | ((g >> (4 * via)) & 7) << (4 * i);
    }
    both
}

#[function]
fn first8(f: u32) -> u8 {
    (f & 7) as u8
}

/// The same of 16 states.
#[operator(identity = 0xfedc_ba98_7654_3210)]
fn then16(f: u64, g: u64) -> u64 {
    let mut both = 0u64;
    for i in 0u32..16u32 {
        let via = ((f >> (4 * i)) & 15) as u32;
        both = both | ((g >> (4 * via)) & 15) << (4 * i);
    }
    both
}

#[function]
fn first16(f: u64) -> u8 {
    (f & 15) as u8
}

const IDENTITY: [u8; MAX_STATES] = {
    let mut identity = [0; MAX_STATES];
    let mut i = 0;
    while i < MAX_STATES {
        identity[i] = i as u8;
        i += 1;
    }
    identity
};

/// The same of 64 states, a byte each.
#[operator(identity = IDENTITY)]
fn then64(f: [u8; 64], g: [u8; 64]) -> [u8; 64] {
    let mut both = f;
    for i in 0..64 {
        both[i] = g[f[i] as usize];
    }
    both
}

#[function]
fn first64(f: [u8; 64]) -> u8 {
    f[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What walks side by side tell.
    fn along(automaton: &Automaton, text: &[u8]) -> Vec<u8> {
        let mut told = vec![];
        let found = automaton.along(text, |parts| {
            for part in parts {
                assert_eq!(part.first, told.len());
                told.extend(part.bytes);
            }
            Ok(())
        });
        assert_eq!(found, Ok(()));
        told
    }

    /// Automata of every kind of packing, with random steps, on random texts; by scans, and by walks that guess.
    #[test]
    fn scans_and_walks_side_by_side() {
        let device = Device::cpu();
        let mut seed = 1u64;
        let mut random = move |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % n
        };
        for states in [1, 2, 8, 9, 16, 17, 64] {
            let next: Vec<Vec<usize>> = (0..states).map(|_| (0..256).map(|_| random(states)).collect()).collect();
            let tells: Vec<Vec<u8>> = (0..states).map(|_| (0..257).map(|_| random(256) as u8).collect()).collect();
            let automaton = Automaton::new(&next, &tells, |told| told == 1).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(automaton.states(), states);
            for n in [0, 1, 31, 5000] {
                let text: Vec<u8> = (0..n).map(|_| random(256) as u8).collect();
                let found = automaton.run(&device, &Part::all(&text)).and_then(|told| told.to_vec());
                assert_eq!(found, Ok(automaton.walk(&text)), "{states} states, {n} bytes");
            }
            // Of random steps, some forget where they began; rotations never do, so that guesses are wrong.
            let rotate = |state: usize, byte: usize| (state + byte) % states;
            let turns: Vec<Vec<usize>> = (0..states).map(|s| (0..256).map(|byte| rotate(s, byte)).collect()).collect();
            let turning = Automaton::new(&turns, &tells, |told| told % 2 == 1);
            for n in [0, 1, 15_999, 16_000, 16_001, 100_000, 1_024_001, 2_500_000] {
                let text: Vec<u8> = (0..n).map(|_| random(256) as u8).collect();
                for automaton in [&automaton].into_iter().chain(&turning) {
                    assert!(along(automaton, &text) == automaton.walk(&text), "{states} states, {n} bytes");
                }
            }
        }
        let many: Vec<Vec<u8>> = (0..65u8).map(|i| vec![i; 257]).collect();
        assert_eq!(
            Automaton::new(&vec![vec![0; 256]; 65], &many, |_| false).err(),
            Some(Error::States { states: 65, most: 64 })
        );
        // Equal futures are one state.
        let same = Automaton::new(&[vec![1; 256], vec![2; 256], vec![1; 256]], &vec![vec![7; 257]; 3], |_| false);
        assert_eq!(same.map(|automaton| automaton.states()), Ok(1));
    }
}
