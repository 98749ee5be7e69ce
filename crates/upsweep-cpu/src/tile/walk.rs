//! Speculative parallel DFA on texts in the host's memory.
//!
//! Each step of a DFA depends on the load of the step before, so a single run waits for latency most of the time. A
//! thread interleaves several runs, on the parts of a block:
//!
//! 1. the initial state of each part is guessed from the bytes before it (`odds`), after the first blocks by the
//!    statistics of this text;
//! 2. all threads run the automaton on all parts of some blocks, from the guessed states. A report is stored for every
//!    byte, so no branch depends on the text. If the processor has byte shuffles and the automaton fits in them, 64
//!    parts run at once (`x86_walk`), else eight, by loads;
//! 3. one part after the other, the guess is compared with the final state of the part before it. After a wrong guess
//!    the part runs again. In blocks of 64 parts it runs only until both runs are in the same state. So wrong guesses
//!    cost time, but do not change results.
//!
//! **Cost.** By loads, for each byte: one load of the text, one load of a table of 512 bytes a state, and one byte
//! stored. A text for which all guesses are wrong and runs never converge is processed by one thread.

use super::odds::Odds;
use super::told::Told;
#[cfg(target_arch = "x86_64")]
use super::x86_walk::Shuffles;
#[cfg(not(target_arch = "x86_64"))]
use no_shuffles::Shuffles;
use rayon::prelude::*;
use upsweep_core::call::automaton::{Steps, Table};
use upsweep_core::error::Result;

/// Number of interleaved runs of a thread that looks up steps by loads.
const LANES: usize = 8;
/// Number of interleaved runs of a thread that looks up steps by byte shuffles.
const WIDE: usize = 64;
/// Bytes of a block that is run by shuffles: it has a part for each run. The bytes of a part are not a multiple of
/// 4096, so that parts do not compete for the same sets of a cache.
const SHUFFLED: usize = WIDE * 33 * WIDE;
/// Bytes of a large block that is run by loads.
const LARGE: usize = LANES * 8000;
/// Bytes of a small block, for what is left: less than a block of shuffles, or less than `FEW` large blocks of loads,
/// which would leave threads idle. What is then left, less than a small block, is one part.
const SMALL: usize = LANES * 2000;
/// Least number of large blocks of loads: if less of the text is left, it is cut into small blocks.
const FEW: usize = 16;
/// Bytes of text for each thread between two barriers: with their reports they fit in its cache.
const ROUND: usize = 1 << 19;
/// Number of preceding bytes from which a state is guessed.
const BEFORE: usize = 64;

/// Block of a text, with a report for each of its bytes: the number of a list of events, or 0.
#[derive(Debug, Default)]
struct Block {
    begin: usize,
    told: Vec<u8>,
    /// Run of the automaton on each part of the block. The parts, of equal length, are run at the same time.
    walks: Vec<Walk>,
    /// Checkpoints: states of the runs after each `WIDE` bytes of a part. Empty without shuffles.
    marks: Vec<[u8; WIDE]>,
}

/// Run of the automaton on a part of a block: its first state and its current state, each in the high byte of its
/// number. The low byte of the current state is the report of the last step.
#[derive(Clone, Copy, Debug)]
struct Walk {
    from: u16,
    state: u16,
}

/// Runs the automaton on a text, from the state `from` on. Calls `take` with the reports (numbers of lists of events) of
/// several blocks at a time, and last with the report of the end of the text. Returns the state there.
///
/// # Errors
/// Errors of `take`.
pub(crate) fn along(
    table: &Table,
    from: u8,
    text: &[u8],
    mut take: impl FnMut(&[Told<'_>]) -> Result<()> + Send,
) -> Result<u8> {
    let from = u16::from(from) << 8;
    if text.len() <= SMALL {
        // One part, whose first state is known: no guess is needed.
        let (mut walk, mut told) = (Walk::new(from), vec![0; text.len()]);
        walk.along(&table.steps, text, &mut told);
        take(&[Told { first: 0, bytes: &told }])?;
        return end(table, walk.state, text, take);
    }
    // On a thread of the pool: another thread would sleep and be woken up at every barrier.
    rayon::scope(|_| along_blocks(table, from, text, take))
}

/// Calls `take` with the report of the end of a text in `state`, and returns the state's number.
fn end(table: &Table, state: u16, text: &[u8], mut take: impl FnMut(&[Told<'_>]) -> Result<()>) -> Result<u8> {
    take(&[Told { first: text.len(), bytes: &[table.at_end(state >> 8)] }])?;
    Ok((state >> 8) as u8)
}

fn along_blocks(
    table: &Table,
    mut state: u16,
    text: &[u8],
    mut take: impl FnMut(&[Told<'_>]) -> Result<()>,
) -> Result<u8> {
    let shuffles = if text.len() < SHUFFLED { None } else { Shuffles::new(table) };
    let mut odds = Odds::of_rare(table);
    let (mut blocks, mut begin) = (vec![], 0);
    while begin < text.len() {
        let left = text.len() - begin;
        let (size, count) = match shuffles {
            Some(_) if left >= SHUFFLED => (SHUFFLED, left / SHUFFLED),
            None if left >= FEW * LARGE => (LARGE, left / LARGE),
            _ => (SMALL, left.div_ceil(SMALL)),
        };
        // Several blocks a thread, so that barriers are rare.
        blocks.resize_with(count.min(ROUND / size * rayon::current_num_threads()), Block::default);
        let fill = |(i, block): (usize, &mut Block)| {
            let at = begin + i * size;
            match &shuffles {
                Some(shuffles) if size == SHUFFLED => block.fill_by_shuffles(shuffles, &odds, text, at),
                _ if size == LARGE => block.fill::<LARGE>(table, &odds, text, at),
                _ => block.fill::<SMALL>(table, &odds, text, at),
            }
        };
        match &mut blocks[..] {
            [one] => fill((0, one)),
            all => all.par_iter_mut().enumerate().for_each(fill),
        }
        for block in &mut blocks {
            state = block.mend(&table.steps, text, state);
        }
        let told = blocks.iter().map(|block| Told { first: block.begin, bytes: &block.told });
        take(&told.collect::<Vec<_>>())?;
        if begin == 0 && text.len() > size * blocks.len() {
            odds = Odds::of_texts(table, blocks[0].walks(text));
        }
        begin += size * blocks.len();
    }
    end(table, state, text, take)
}

/// Returns the bytes before index `at`, from which the state there is guessed.
fn before(text: &[u8], at: usize) -> &[u8] {
    &text[at.saturating_sub(BEFORE)..at]
}

impl Block {
    /// Runs the automaton by loads on the block of up to `N` bytes that begins at `begin`: in eight parts at once, or
    /// in one part if the text has fewer than `N` bytes left.
    fn fill<const N: usize>(&mut self, table: &Table, odds: &Odds, text: &[u8], begin: usize) {
        let guess = |at: usize| Walk::new(odds.guess(table, before(text, at)));
        let rest = &text[begin..];
        self.begin = begin;
        self.told.resize(rest.len().min(N), 0);
        self.walks.clear();
        self.marks.clear();
        if let (Some(bytes), Some(told)) = (rest.first_chunk::<N>(), self.told.first_chunk_mut()) {
            let mut walks: [Walk; LANES] = std::array::from_fn(|lane| guess(begin + lane * (N / LANES)));
            side_by_side(&table.steps, &mut walks, bytes, told);
            self.walks.extend(walks);
        } else {
            let mut walk = guess(begin);
            walk.along(&table.steps, rest, &mut self.told);
            self.walks.push(walk);
        }
    }

    /// Runs the automaton on the block of 64 parts that begins at `begin`, by shuffles.
    fn fill_by_shuffles(&mut self, shuffles: &Shuffles, odds: &Odds, text: &[u8], begin: usize) {
        let part = SHUFFLED / WIDE;
        self.begin = begin;
        self.told.resize(SHUFFLED, 0);
        self.marks.resize(part / WIDE, [0; WIDE]);
        let mut states = [0; WIDE];
        for (four, guessed) in states.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            // The text's first part has no bytes before it. Its state is set below.
            let at = |lane: usize| begin + (4 * four + lane) * part;
            *guessed = shuffles.guess(odds, std::array::from_fn(|lane| before(text, at(lane).max(BEFORE))));
        }
        if begin == 0 {
            states[0] = 0;
        }
        let from = states;
        shuffles.walk(&text[begin..begin + SHUFFLED], &mut self.told, &mut states, &mut self.marks);
        let walk = |(from, state): (u8, u8)| Walk { from: u16::from(from) << 8, state: u16::from(state) << 8 };
        self.walks.clear();
        self.walks.extend(from.into_iter().zip(states).map(walk));
    }

    /// Returns the number of bytes in each part of the block. The last part may be shorter.
    fn part(&self) -> usize {
        self.told.len().div_ceil(self.walks.len().max(1)).max(1)
    }

    /// Returns the first state and the text of each part of the block.
    fn walks<'a>(&self, text: &'a [u8]) -> Vec<(u16, &'a [u8])> {
        let parts = text[self.begin..].chunks(self.part());
        self.walks.iter().zip(parts).map(|(walk, part)| (walk.from, part)).collect()
    }

    /// Repairs the block: runs parts again whose first state is not the final state of the part before. The first part
    /// must begin with `state`. Returns the final state of the last part.
    fn mend(&mut self, steps: &Steps, text: &[u8], mut state: u16) -> u16 {
        let part = self.part();
        let group = if self.marks.is_empty() { part } else { WIDE };
        let parts = text[self.begin..].chunks(part).zip(self.told.chunks_mut(part));
        for (lane, (walk, (text, told))) in self.walks.iter_mut().zip(parts).enumerate() {
            if walk.from != state {
                let mut again = Walk::new(state);
                // Once this run is in the state of the first run at a checkpoint, the remaining reports are right
                // already.
                let mut groups = text.chunks(group).zip(told.chunks_mut(group)).enumerate();
                let differs = groups.all(|(group, (text, told))| {
                    again.along(steps, text, told);
                    self.marks.get(group).is_none_or(|mark| u16::from(mark[lane]) != again.state >> 8)
                });
                let end = if differs { again.state } else { walk.state };
                *walk = Walk { from: state, state: end };
            }
            state = walk.state & 0xff00;
        }
        state
    }
}

impl Walk {
    fn new(from: u16) -> Self {
        Self { from, state: from }
    }

    /// Makes the step for `byte`, and returns its report: the index of a list of events, or 0.
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
    // As local variables the runs stay in registers.
    let mut now = *walks;
    for place in 0..N / LANES {
        for (lane, walk) in now.iter_mut().enumerate() {
            let at = lane * (N / LANES) + place;
            told[at] = walk.step(steps, bytes[at]);
        }
    }
    *walks = now;
}

/// Placeholder for processors without an implementation by shuffles.
#[cfg(not(target_arch = "x86_64"))]
mod no_shuffles {
    use super::{Odds, Table, WIDE};

    pub(super) enum Shuffles {}

    impl Shuffles {
        pub(super) fn new(_: &Table) -> Option<Self> {
            None
        }

        pub(super) fn guess(&self, _: &Odds, _: [&[u8]; 4]) -> [u8; 4] {
            match *self {}
        }

        pub(super) fn walk(&self, _: &[u8], _: &mut [u8], _: &mut [u8; WIDE], _: &mut [[u8; WIDE]]) {
            match *self {}
        }
    }
}
