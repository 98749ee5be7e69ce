//! Bank conflicts and divergence: what the threads of a warp did in one step, put side by side.
//!
//! A warp executes one instruction at a time. Here an instruction is a line of the kernel: the accesses of a warp's threads
//! that come from the same place in the source belong together, and where a thread comes by there several times, its first
//! time goes with the others' first time. So threads that take different branches never share an access, as on a GPU.

use super::WARP;
use super::counts::Counts;
use std::panic::Location;

/// The banks of shared memory: word i lies in bank i modulo their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Banks {
    /// 16 banks, one half of a warp at a time: the G80 of 2007.
    Sixteen,
    /// 32 banks, a whole warp at a time: every GPU since Fermi.
    ThirtyTwo,
}

impl Banks {
    /// How many there are, which is also how many threads access them at a time.
    #[must_use]
    pub fn number(self) -> usize {
        match self {
            Self::Sixteen => 16,
            Self::ThirtyTwo => 32,
        }
    }
}

/// Where in the kernel's source something is done.
type Line = (u32, u32);

/// One access of one thread to shared memory.
#[derive(Clone, Copy, Debug)]
struct SharedAccess {
    line: Line,
    /// How often the thread had been at that line.
    turn: u32,
    lane: usize,
    address: usize,
    /// Which access of the step it is.
    number: usize,
}

/// What a warp has done in a step so far.
#[derive(Debug, Default)]
pub(super) struct WarpTally {
    accesses: Vec<SharedAccess>,
    /// For each branch: whether it was taken, whether it was passed by.
    branches: Vec<(Line, u32, bool, bool)>,
    /// How often the current thread has been at a line.
    turns: Vec<(Line, u32)>,
    /// Whether an address was padded.
    pub(super) padded: bool,
    /// Threads that took part.
    pub(super) active: u64,
}

impl WarpTally {
    pub(super) fn begin_thread(&mut self) {
        self.turns.clear();
    }

    fn turn(&mut self, line: Line) -> u32 {
        match self.turns.iter_mut().find(|(known, _)| *known == line) {
            Some((_, turns)) => {
                *turns += 1;
                *turns
            }
            None => {
                self.turns.push((line, 0));
                0
            }
        }
    }

    pub(super) fn access(&mut self, at: &Location<'_>, lane: usize, address: usize, number: usize) {
        let line = (at.line(), at.column());
        let turn = self.turn(line);
        self.accesses.push(SharedAccess { line, turn, lane, address, number });
    }

    pub(super) fn branch(&mut self, at: &Location<'_>, taken: bool) {
        let line = (at.line(), at.column());
        let turn = self.turn(line);
        let known = self.branches.iter().position(|branch| (branch.0, branch.1) == (line, turn));
        let known = known.unwrap_or_else(|| {
            self.branches.push((line, turn, false, false));
            self.branches.len() - 1
        });
        let branch = &mut self.branches[known];
        if taken { branch.2 = true } else { branch.3 = true }
    }

    /// Adds the warp's part to `counts`, says of each access what its degree is, and begins anew. Returns whether the warp
    /// diverged.
    pub(super) fn finish(&mut self, banks: Banks, counts: &mut Counts, mut degree_of: impl FnMut(usize, u64)) -> bool {
        let together = banks.number();
        self.accesses.sort_unstable_by_key(|access| (access.line, access.turn, access.lane));
        let mut cycles = 0;
        for access in self.accesses.chunk_by(|a, b| (a.line, a.turn) == (b.line, b.turn)) {
            // The half-warps take turns; the lecture counts the slower one.
            let mut worst = 0;
            for group in access.chunk_by(|a, b| a.lane / together == b.lane / together) {
                let degree = conflict_degree(group, together);
                group.iter().for_each(|access| degree_of(access.number, degree));
                counts.conflicts += degree - 1;
                worst = worst.max(degree);
            }
            counts.worst_degree = counts.worst_degree.max(worst);
            cycles += 2 * worst;
        }
        let diverged = self.branches.iter().any(|branch| branch.2 && branch.3);
        counts.cycles += cycles + if self.padded { 8 } else { 0 };
        counts.warp_steps += u64::from(self.active > 0);
        counts.active_threads += self.active;
        counts.divergent_warps += u64::from(diverged);
        self.accesses.clear();
        self.branches.clear();
        self.padded = false;
        self.active = 0;
        diverged
    }
}

/// The most different words of one bank: threads at the same word are served together.
fn conflict_degree(group: &[SharedAccess], banks: usize) -> u64 {
    let mut words: [usize; WARP] = [0; WARP];
    let words = &mut words[..group.len()];
    for (word, access) in words.iter_mut().zip(group) {
        *word = access.address;
    }
    words.sort_unstable();
    let mut in_bank = [0; WARP];
    let mut last = None;
    for &word in words.iter() {
        if last != Some(word) {
            in_bank[word % banks] += 1;
        }
        last = Some(word);
    }
    in_bank.into_iter().max().unwrap_or(0)
}
