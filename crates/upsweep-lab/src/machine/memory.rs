//! Words, arrays of them, and the history of their accesses.

use super::counts::Span;
use super::fault::Access;
use std::fmt::{Debug, Display};
use std::num::NonZeroU32;

/// Contents of a word of memory.
pub trait Word: Copy + PartialOrd + Debug + Display {}
impl<T: Copy + PartialOrd + Debug + Display> Word for T {}

/// Memory space of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Shared memory of a block.
    Shared,
    /// Global memory.
    Global,
    /// Global memory by which blocks communicate, read and written by atomic operations.
    Status,
}

/// Array of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array(pub(super) usize);

/// Array of flags or counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(pub(super) usize);

/// Time and thread of an access to a word. It is small, as every word keeps three of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    /// Number of the launch. It is not 0, so an `Option` of a stamp takes no more memory than a stamp.
    pub(super) launch: NonZeroU32,
    pub(super) block: u32,
    pub(super) thread: u32,
    pub(super) warp: u32,
    /// Number of barriers that the block had passed before the access.
    pub(super) barriers: u32,
    /// Number of steps that the block had taken before the access.
    pub(super) step: u32,
}

impl Stamp {
    fn warp(&self) -> (u32, u32) {
        (self.block, self.warp)
    }

    /// Whether `later` comes after this access in every run, whatever the order of warps and blocks.
    fn comes_before(&self, later: &Self) -> bool {
        self.launch != later.launch
            || self.block == later.block
                && (self.thread == later.thread
                    || self.barriers != later.barriers
                    || self.warp() == later.warp() && self.step != later.step)
    }

    pub(super) fn access(&self, write: bool) -> Access {
        Access { write, block: self.block as usize, thread: self.thread as usize }
    }
}

/// Earlier accesses to a word that a later one could race with.
#[derive(Clone, Debug, Default)]
struct History {
    written: Option<Stamp>,
    /// Reads since the last write, two at most: any write that races with a reader left out here also races with one of
    /// the two. They are of different blocks, and no write is ordered after both; or, if one block reads, of different
    /// warps, and no later write before a barrier is in both; or, if one warp reads, of different threads in one step.
    read: [Option<Stamp>; 2],
}

impl History {
    /// Notes a read; returns the write that it races with.
    fn note_read(&mut self, now: Stamp) -> Option<Stamp> {
        for earlier in &mut self.read {
            if earlier.is_some_and(|stamp| stamp.comes_before(&now)) {
                *earlier = None;
            }
        }
        match &mut self.read {
            [free @ None, _] | [_, free @ None] => *free = Some(now),
            [Some(one), Some(other)]
                if one.block == other.block && now.block != one.block
                    || one.warp() == other.warp() && now.warp() != one.warp() =>
            {
                *other = now;
            }
            _ => {}
        }
        self.written.filter(|stamp| !stamp.comes_before(&now))
    }

    /// Notes a write; returns the access that it races with, and whether that was a write.
    fn note_write(&mut self, now: Stamp) -> Option<(Stamp, bool)> {
        let write = self.written.filter(|stamp| !stamp.comes_before(&now)).map(|stamp| (stamp, true));
        let read = self.read.iter().flatten().find(|stamp| !stamp.comes_before(&now)).map(|&stamp| (stamp, false));
        *self = Self { written: Some(now), read: [None; 2] };
        write.or(read)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Region<V> {
    pub(super) name: &'static str,
    pub(super) space: Space,
    /// Number of words before the array in its block's shared memory.
    pub(super) offset: usize,
    /// Index of the array in the run's list of arrays.
    pub(super) listed: usize,
    pub(super) words: Vec<Option<V>>,
    history: Vec<History>,
    /// For each word of a status array, the longest chain of steps up to its last write; empty for other arrays.
    set: Vec<Span>,
}

impl<V: Word> Region<V> {
    /// Notes an access. Returns the array's space, offset and length, and the earlier access that this one races with.
    pub(super) fn note(&mut self, index: usize, write: bool, now: Stamp) -> (Space, usize, usize, Option<Access>) {
        let races = match self.history.get_mut(index) {
            Some(history) if self.space != Space::Status => match write {
                true => history.note_write(now).map(|(stamp, write)| stamp.access(write)),
                false => history.note_read(now).map(|stamp| stamp.access(true)),
            },
            _ => None,
        };
        (self.space, self.offset, self.words.len(), races)
    }

    /// Writes a word at the end of a step; `after` is the longest chain of steps up to there.
    pub(super) fn set(&mut self, index: usize, value: V, after: Span) {
        self.words[index] = Some(value);
        if let Some(set) = self.set.get_mut(index) {
            *set = after;
        }
    }

    /// Returns the longest chain of steps up to the write of the word, if blocks can wait for it.
    pub(super) fn set_after(&self, index: usize) -> Span {
        self.set.get(index).copied().unwrap_or_default()
    }
}

/// All arrays that are allocated. Those in shared memory come last.
#[derive(Debug)]
pub(super) struct Memory<T> {
    pub(super) values: Vec<Region<T>>,
    pub(super) flags: Vec<Region<u32>>,
    pub(super) launch: NonZeroU32,
    listed: usize,
    kept: (usize, usize),
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self { values: Vec::new(), flags: Vec::new(), launch: NonZeroU32::MIN, listed: 0, kept: (0, 0) }
    }
}

impl<T: Word> Memory<T> {
    fn region<V: Word>(&mut self, name: &'static str, space: Space, offset: usize, words: Vec<Option<V>>) -> Region<V> {
        let listed = self.listed;
        self.listed += 1;
        let set = if space == Space::Status { vec![Span::default(); words.len()] } else { Vec::new() };
        Region { name, space, offset, listed, history: vec![History::default(); words.len()], words, set }
    }

    pub(super) fn new_values(
        &mut self,
        name: &'static str,
        space: Space,
        offset: usize,
        words: Vec<Option<T>>,
    ) -> Array {
        let region = self.region(name, space, offset, words);
        self.values.push(region);
        Array(self.values.len() - 1)
    }

    pub(super) fn new_flags(
        &mut self,
        name: &'static str,
        space: Space,
        offset: usize,
        words: Vec<Option<u32>>,
    ) -> Flags {
        let region = self.region(name, space, offset, words);
        self.flags.push(region);
        Flags(self.flags.len() - 1)
    }

    pub(super) fn words(&self, array: Array) -> &[Option<T>] {
        &self.values[array.0].words
    }

    pub(super) fn begin_launch(&mut self) {
        self.launch = self.launch.saturating_add(1);
        self.kept = (self.values.len(), self.flags.len());
    }

    /// Frees the shared memory of the blocks that have run.
    pub(super) fn free_shared(&mut self) {
        self.values.truncate(self.kept.0);
        self.flags.truncate(self.kept.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every access to a word, and whether it was a write: what `History` has to agree with.
    #[derive(Default)]
    struct All(Vec<(Stamp, bool)>);

    impl All {
        /// Notes an access; returns whether it races with an earlier one.
        fn note(&mut self, now: Stamp, write: bool) -> bool {
            let races = self.0.iter().any(|(stamp, wrote)| (write || *wrote) && !stamp.comes_before(&now));
            self.0.push((now, write));
            races
        }
    }

    #[test]
    fn three_stamps_find_the_first_race_that_all_stamps_find() {
        let mut seed = 1u64;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as u32 % below
        };
        let (mut raced, mut clean) = (0, 0);
        for _ in 0..300_000 {
            let (mut all, mut history) = (All::default(), History::default());
            // For each block, the numbers of its steps and of its barriers so far. A barrier also begins a new step.
            let mut times = [(0, 0); 3];
            let (blocks, threads, length) = (1 + random(3), [2, 34, 98][random(3) as usize], 2 + random(9));
            let mut launch = NonZeroU32::MIN;
            let mut race = false;
            for _ in 0..length {
                let block = random(blocks);
                let (step, barriers) = &mut times[block as usize];
                *step += u32::from(random(2) == 0);
                if random(4) == 0 {
                    (*step, *barriers) = (*step + 1, *barriers + 1);
                }
                if random(16) == 0 {
                    launch = launch.saturating_add(1);
                }
                let thread = random(threads) / 32 * 32 + random(2);
                let now = Stamp { launch, block, thread, warp: thread / 32, barriers: *barriers, step: *step };
                let write = random(4) == 0;
                let expected = all.note(now, write);
                let found = if write { history.note_write(now).is_some() } else { history.note_read(now).is_some() };
                assert_eq!(found, expected, "{now:?} {write} after {:?}", &all.0);
                if found {
                    race = true;
                    break;
                }
            }
            *(if race { &mut raced } else { &mut clean }) += 1;
        }
        assert!(raced > 50_000 && clean > 50_000, "{raced} {clean}");
    }
}
