//! Automata along texts in the host's memory.
//!
//! The next step of a walk needs what the last one loaded, so a thread that walks along one text waits most of the time. It makes eight walks
//! side by side, along the parts of a block:
//!
//! 1. in which state a part begins is guessed: of the states that some state leads to by the bytes before it, the one with the fewest
//!    unlikely events on the way;
//! 2. all parts of some blocks are walked along from there, by all threads. What is told is stored at every byte, so no branch depends on the
//!    text;
//! 3. one part after the other, a guess is compared with the state in which the part before it ends. After a wrong one the part is walked along
//!    again, so guesses cost time and change nothing.
//!
//! **Cost.** A load of the text, one of a table of 512 bytes a state and a byte stored for each byte. Texts that make all guesses wrong are walked
//! along by one thread.

use super::told::Told;
use crate::error::Result;
use crate::walking::{MOST_STATES, Steps, Table};
use rayon::prelude::*;

/// How many walks a thread makes side by side.
const LANES: usize = 8;
/// The bytes of a block, which has a part for each walk: no multiple of 4096, so that parts are not in the same lines of a cache. What is left
/// of a text is one part.
const LARGE: usize = LANES * 8000;
/// The same of texts of less than `FEW * LARGE` bytes, of which less may be left.
const SMALL: usize = LANES * 2000;
const FEW: usize = 16;
/// The bytes that a guess looks at.
const BEFORE: usize = 64;

/// A block of a text, and what is told of it.
#[derive(Debug, Default)]
struct Block {
    begin: usize,
    told: Vec<u8>,
    walks: Vec<Walk>,
}

/// A walk along a part: in the high bytes of its states, where it begins and is.
#[derive(Clone, Copy, Debug)]
struct Walk {
    from: u16,
    state: u16,
}

/// Calls `take` with what is told of a text, block by block, several of them at a time; at last with what is told of its end.
///
/// # Errors
/// Those of `take`.
pub(crate) fn along(table: &Table, text: &[u8], mut take: impl FnMut(&[Told<'_>]) -> Result<()>) -> Result<()> {
    let is_small = text.len() < FEW * LARGE;
    let size = if is_small { SMALL } else { LARGE };
    // Several blocks a thread, so that threads wait for each other rarely.
    let most = 8 * rayon::current_num_threads();
    let (mut blocks, mut state) = (vec![], 0);
    for begin in (0..text.len()).step_by(most * size) {
        let count = (text.len() - begin).div_ceil(size).min(most);
        blocks.resize_with(count, Block::default);
        let fill = |(i, block): (usize, &mut Block)| match is_small {
            true => table.fill::<SMALL>(text, begin + i * size, block),
            false => table.fill::<LARGE>(text, begin + i * size, block),
        };
        match &mut blocks[..] {
            [one] => fill((0, one)),
            all => all.par_iter_mut().enumerate().for_each(fill),
        }
        for block in &mut blocks {
            let len = if block.walks.len() == LANES { size / LANES } else { size };
            let parts = text[block.begin..].chunks(len).zip(block.told.chunks_mut(len));
            for (walk, (part, told)) in block.walks.iter_mut().zip(parts) {
                if walk.from != state {
                    *walk = Walk::new(state);
                    walk.along(&table.steps, part, told);
                }
                state = walk.state & 0xff00;
            }
        }
        let told = blocks.iter().map(|block| Told { first: block.begin, bytes: &block.told });
        take(&told.collect::<Vec<_>>())?;
    }
    take(&[Told { first: text.len(), bytes: &[table.at_end(state >> 8)] }])
}

impl Table {
    /// Walks along the block of up to `N` bytes that begins at `begin`.
    fn fill<const N: usize>(&self, text: &[u8], begin: usize, block: &mut Block) {
        let guess = |at: usize| Walk::new(self.guess(&text[at.saturating_sub(BEFORE)..at]));
        let rest = &text[begin..];
        block.begin = begin;
        block.told.resize(rest.len().min(N), 0);
        block.walks.clear();
        if let (Some(bytes), Some(told)) = (rest.first_chunk::<N>(), block.told.first_chunk_mut()) {
            let mut walks: [Walk; LANES] = std::array::from_fn(|lane| guess(begin + lane * (N / LANES)));
            side_by_side(&self.steps, &mut walks, bytes, told);
            block.walks.extend(walks);
        } else {
            let mut walk = guess(begin);
            walk.along(&self.steps, rest, &mut block.told);
            block.walks.push(walk);
        }
    }

    /// The state behind some bytes to which the fewest unlikely events lead; of none, the first. At first all states are possible, and the
    /// automaton's first one is a little likelier.
    fn guess(&self, before: &[u8]) -> u16 {
        let (mut costs, mut live) = ([1u32; MOST_STATES], u64::MAX >> (MOST_STATES - self.states));
        costs[0] = 0;
        for &byte in before {
            let (mut after, mut reached) = ([0u32; MOST_STATES], 0u64);
            while live != 0 {
                let state = live.trailing_zeros() as usize;
                live &= live - 1;
                let entry = self.steps[state << 8 | usize::from(byte)];
                let (to, bit) = (usize::from(entry >> 8), 1u64 << (entry >> 8));
                let cost = costs[state] + 2 * u32::from(self.rare[usize::from(entry as u8)]);
                after[to] = if reached & bit == 0 { cost } else { cost.min(after[to]) };
                reached |= bit;
            }
            (costs, live) = (after, reached);
        }
        let best = (0..self.states).filter(|state| live >> state & 1 == 1).min_by_key(|&state| costs[state]);
        (best.unwrap_or(0) as u16) << 8
    }
}

impl Walk {
    fn new(from: u16) -> Self {
        Self { from, state: from }
    }

    /// What is told of a byte.
    #[inline(always)]
    fn step(&mut self, steps: &Steps, byte: u8) -> u8 {
        self.state = steps[usize::from(self.state & 0xff00 | u16::from(byte))];
        self.state as u8
    }

    fn along(&mut self, steps: &Steps, part: &[u8], told: &mut [u8]) {
        for (&byte, told) in part.iter().zip(told) {
            *told = self.step(steps, byte);
        }
    }
}

fn side_by_side<const N: usize>(steps: &Steps, walks: &mut [Walk; LANES], bytes: &[u8; N], told: &mut [u8; N]) {
    // As variables of the loop, they stay in registers.
    let mut now = *walks;
    for place in 0..N / LANES {
        for (lane, walk) in now.iter_mut().enumerate() {
            let at = lane * (N / LANES) + place;
            told[at] = walk.step(steps, bytes[at]);
        }
    }
    *walks = now;
}
