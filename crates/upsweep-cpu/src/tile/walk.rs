//! Automata along texts in the host's memory.
//!
//! The next step of a walk needs what the last one loaded, so a thread that walks along one text waits most of the time. It makes several walks
//! side by side, along the parts of a block:
//!
//! 1. in which state a part begins is guessed by the bytes before it (`odds`), after the first blocks by what is likely in this text;
//! 2. all parts of some blocks are walked along from there, by all threads. What is told is stored at every byte, so no branch depends on the
//!    text. Where the processor has shuffles of bytes and the automaton fits these, 64 parts are walked along at once (`x86_walk`), else eight,
//!    by loads;
//! 3. one part after the other, a guess is compared with the state in which the part before it ends. After a wrong one the part is walked along
//!    again, by shuffles' blocks only to where both walks are in the same state. So guesses cost time and change nothing.
//!
//! **Cost.** By loads: one of the text, one of a table of 512 bytes a state and a byte stored for each byte. Texts that make all guesses wrong
//! and never lead to the same state are walked along by one thread.

use super::odds::Odds;
use super::told::Told;
#[cfg(target_arch = "x86_64")]
use super::x86_walk::Shuffles;
#[cfg(not(target_arch = "x86_64"))]
use no_shuffles::Shuffles;
use rayon::prelude::*;
use upsweep_core::call::automaton::{Steps, Table};
use upsweep_core::error::Result;

/// How many walks a thread makes side by side, by loads and by shuffles.
const LANES: usize = 8;
const WIDE: usize = 64;
/// The bytes of a block, which has a part for each walk: no multiple of 4096 a part, so that these are not in the same lines of a cache.
const SHUFFLED: usize = WIDE * 33 * WIDE;
const LARGE: usize = LANES * 8000;
/// The same of what is less than a block, or than `FEW` blocks, which some threads would wait for. What is left then is one part.
const SMALL: usize = LANES * 2000;
const FEW: usize = 16;
/// The bytes that a thread walks along before all threads meet: with what is told of them they are in its cache.
const ROUND: usize = 1 << 19;
/// The bytes that a guess looks at.
const BEFORE: usize = 64;

/// A block of a text, and what is told of it.
#[derive(Debug, Default)]
struct Block {
    begin: usize,
    told: Vec<u8>,
    /// One for each part.
    walks: Vec<Walk>,
    /// The states of walks by shuffles after each so many bytes.
    marks: Vec<[u8; WIDE]>,
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
pub(crate) fn along(table: &Table, text: &[u8], mut take: impl FnMut(&[Told<'_>]) -> Result<()> + Send) -> Result<()> {
    if text.len() <= SMALL {
        // One part, which begins in the first state: there is nothing to guess.
        let (mut walk, mut told) = (Walk::new(0), vec![0; text.len()]);
        walk.along(&table.steps, text, &mut told);
        take(&[Told { first: 0, bytes: &told }])?;
        return take(&[Told { first: text.len(), bytes: &[table.at_end(walk.state >> 8)] }]);
    }
    // By a thread of the pool: another one would sleep and be woken up with every meeting.
    rayon::scope(|_| along_blocks(table, text, take))
}

fn along_blocks(table: &Table, text: &[u8], mut take: impl FnMut(&[Told<'_>]) -> Result<()>) -> Result<()> {
    let shuffles = if text.len() < SHUFFLED { None } else { Shuffles::new(table) };
    let mut odds = Odds::of_rare(table);
    let (mut blocks, mut state, mut begin) = (vec![], 0, 0);
    while begin < text.len() {
        let left = text.len() - begin;
        let (size, count) = match shuffles {
            Some(_) if left >= SHUFFLED => (SHUFFLED, left / SHUFFLED),
            None if left >= FEW * LARGE => (LARGE, left / LARGE),
            _ => (SMALL, left.div_ceil(SMALL)),
        };
        // Several blocks a thread, so that threads wait for each other rarely.
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
    take(&[Told { first: text.len(), bytes: &[table.at_end(state >> 8)] }])
}

/// The bytes by which the state at a place is guessed.
fn before(text: &[u8], at: usize) -> &[u8] {
    &text[at.saturating_sub(BEFORE)..at]
}

impl Block {
    /// Walks along the block of up to `N` bytes that begins at `begin`.
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

    /// The same of a block of 64 parts.
    fn fill_by_shuffles(&mut self, shuffles: &Shuffles, odds: &Odds, text: &[u8], begin: usize) {
        let part = SHUFFLED / WIDE;
        self.begin = begin;
        self.told.resize(SHUFFLED, 0);
        self.marks.resize(part / WIDE, [0; WIDE]);
        let mut states = [0; WIDE];
        for (four, guessed) in states.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            // Before the text's first part there is nothing, and nothing to guess.
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

    /// The bytes of a part.
    fn part(&self) -> usize {
        self.told.len().div_ceil(self.walks.len().max(1)).max(1)
    }

    /// For each walk the state in which it begins, and what it goes along.
    fn walks<'a>(&self, text: &'a [u8]) -> Vec<(u16, &'a [u8])> {
        let parts = text[self.begin..].chunks(self.part());
        self.walks.iter().zip(parts).map(|(walk, part)| (walk.from, part)).collect()
    }

    /// Walks again along the parts whose walks did not begin in the state in which those before them end, the first part in this one.
    /// Returns the state in which the last one ends.
    fn mend(&mut self, steps: &Steps, text: &[u8], mut state: u16) -> u16 {
        let part = self.part();
        let group = if self.marks.is_empty() { part } else { WIDE };
        let parts = text[self.begin..].chunks(part).zip(self.told.chunks_mut(part));
        for (lane, (walk, (text, told))) in self.walks.iter_mut().zip(parts).enumerate() {
            if walk.from != state {
                let mut again = Walk::new(state);
                // From where both are in the same state, all is told already.
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

/// What processors have whose shuffles nobody has written yet.
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
