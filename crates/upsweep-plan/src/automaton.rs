//! Plans of finite automata (DFAs) on a CUDA device: see `automaton/automaton.cuh`.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::{GROUP, LARGE, SPREAD, Sizes, TileShape, WARP};
use super::tuning::Tuning;
#[cfg(feature = "cuda")]
use upsweep_core::call::automaton::Table;

/// Largest number of classes of bytes (bytes that the automaton treats alike). For as many classes, four times a class
/// fits in a byte: the offset of the class in a state's row of the transition table, whose entries have four bytes.
const SCALED_CLASSES: usize = 64;
/// Number of byte values, whose classes come first in the automaton's numbers, which the host passes after a kernel's
/// parameters: the class of each byte value, then two bytes for each state, then two bytes for each list of events.
const CLASSES: usize = 256;
const TOLD_BYTES: usize = 2 * 256;
/// Sizes, in bytes, of the room for the automaton's numbers (tables of classes, states and events) for which kernels
/// are compiled.
const NUMBERS: [usize; 4] = [2 << 10, 6 << 10, 14 << 10, 31 << 10];

/// Largest number of blocks per multiprocessor. Below it, the number of tiles that a block holds while they wait for
/// their prefix. H200, 2026-11-23, JSON of 2^28 bytes: 2,809 us; two blocks with a lag of 2, which then fits, 3,538;
/// larger tiles no better.
const BLOCKS: usize = 3;
const LAG: usize = 1;
/// Largest number of threads of a block that computes the state maps of tiles, one tile per thread; a multiprocessor
/// has room for one such block. The state map of a tile is the state after it for each state before it.
const WAY_THREADS: usize = 768;
/// Number of tiles of the text whose state maps a warp composes one after the other, before warps exchange the results.
const TILES_A_WARP: usize = 16;

/// Parameters of a plan besides the number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutomatonSizes {
    /// Number of states of the automaton.
    pub states: usize,
    /// Number of classes of bytes that the automaton distinguishes.
    pub classes: usize,
    /// Number of events in all lists of several events.
    pub listed: usize,
    /// Number of bytes in which the position of an event is stored.
    pub index: usize,
}

/// A planned run of an automaton over a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutomatonPlan {
    /// Parameters that the plan was made for.
    pub sizes: AutomatonSizes,
    /// Shape of the tiles: their threads, and the elements of each thread.
    pub shape: TileShape,
    /// Number of tiles of the text.
    pub tiles: usize,
    /// Number of tiles of the kernel that finds the state before each tile of the text. The elements of these tiles are
    /// tiles of the text.
    pub entry_tiles: usize,
    /// Bytes of the number of events of a tile in the look-back.
    pub state: usize,
    /// Status words of the look-back over numbers of events.
    pub words: StatusWords,
    /// Status words of the look-back over state maps (the state after a tile for each state before it).
    pub entry_words: StatusWords,
    /// Tuning parameters of the device: see [`Tuning`].
    pub tuning: &'static Tuning,
}

impl AutomatonPlan {
    /// Plans a run over `len` bytes on a device of this compute capability.
    #[must_use]
    pub fn new(len: usize, sizes: AutomatonSizes, capability: (u32, u32)) -> Self {
        let tuning = Tuning::of(capability);
        let shape = TileShape::new(Sizes::plain(1, 1, 1), LARGE);
        let tiles = len.div_ceil(shape.elements()).max(1);
        let entry_tiles = tiles.div_ceil(shape.warps() * TILES_A_WARP);
        // A byte emits up to 24 events, so that fewer than 2^27 bytes emit fewer than 2^32.
        let state = if len < 1 << 27 { 4 } else { 8 };
        let words = |tiles: usize, state| StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), state);
        let (words, entry_words) = (words(tiles, state), words(entry_tiles, sizes.states_of_kernel()));
        Self { sizes, shape, tiles, entry_tiles, state, words, entry_words, tuning }
    }

    /// Number of blocks that a multiprocessor should run: as many as fit.
    fn blocks(&self) -> usize {
        let fits = |blocks: &usize| self.shared_bytes() + self.fixed_bytes() <= self.tuning.shared_of_block(*blocks);
        (1..=BLOCKS).rev().find(fits).unwrap_or(1)
    }

    fn stages(&self) -> usize {
        self.tuning.ahead + LAG + 1
    }

    /// Bytes of shared memory per block besides dynamic shared memory: for each tile, a word per thread and some
    /// numbers per warp.
    fn fixed_bytes(&self) -> usize {
        self.stages() * (4 * self.shape.threads + 24 * (self.shape.warps() + 1)) + (1 << 10)
    }

    /// Number of events of a tile for which shared memory has room at once.
    fn at_once(&self) -> usize {
        self.shape.elements() * 3 / 8
    }

    /// Number of threads per block, with the helper warps of the look-back.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shape.threads + self.tuning.look_back_warps * WARP
    }

    /// Bytes of dynamic shared memory per block of the kernel that runs the automaton: the automaton, the tiles, and
    /// some events.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        self.automaton_bytes().next_multiple_of(128) + self.stages() * self.shape.bytes() + 4 * self.at_once()
    }

    /// Bytes of shared memory of the automaton, and of the lasting states (those that most bytes do not change), in
    /// which threads may begin.
    fn automaton_bytes(&self) -> usize {
        self.sizes.states_of_kernel() * self.sizes.state_bytes() + 256 + 16
    }

    /// Returns the number of blocks of the kernel that computes the state maps of all tiles but the last, one tile per
    /// thread, and the number of threads of a block. They give each multiprocessor the same number of tiles.
    #[must_use]
    pub fn way_blocks(&self, multiprocessors: usize) -> (usize, usize) {
        let fits = self.tuning.shared_of_block(1) / 2 / self.sizes.states / WARP * WARP;
        let (tiles, most) = (self.tiles - 1, fits.clamp(WARP, WAY_THREADS));
        let turns = tiles.div_ceil(multiprocessors * most).max(1);
        let threads = tiles.div_ceil(multiprocessors * turns).next_multiple_of(WARP).max(WARP);
        (tiles.div_ceil(threads), threads)
    }

    /// Bytes of shared memory per block of the kernel that computes state maps: copies of the offset of each byte's
    /// column and of the next states; and for each thread a byte per state.
    #[must_use]
    pub fn way_shared_bytes(&self, threads: usize) -> usize {
        self.copies() * (4 * 256 + self.sizes.states * self.sizes.way_bytes()) + self.sizes.states * threads
    }

    /// Number of copies of the automaton in the shared memory of the kernel that computes state maps, at most one per
    /// lane: they fill up to half of a multiprocessor's shared memory.
    fn copies(&self) -> usize {
        let one = 4 * 256 + self.sizes.states_of_kernel() * self.sizes.way_bytes();
        let fits = |copies: &usize| one * copies <= self.tuning.shared_of_block(1) / 2;
        (0..=WARP.ilog2()).rev().map(|log| 1 << log).find(fits).unwrap_or(1)
    }

    /// Bytes of the state maps of all tiles but the last, in device memory.
    #[must_use]
    pub fn ways_bytes(&self) -> usize {
        (self.tiles - 1) * self.sizes.states_of_kernel()
    }

    /// Constants of the kernel that runs the automaton.
    #[must_use]
    pub fn constants(&self) -> Constants {
        self.with_state(self.state, self.blocks(), LAG)
    }

    /// Constants of the kernels that find the entry states.
    #[must_use]
    pub fn entry_constants(&self) -> Constants {
        self.with_state(self.sizes.states_of_kernel(), 4, 1)
    }

    fn with_state(&self, state: usize, blocks: usize, lag: usize) -> Constants {
        let Tuning { ahead, look_back_warps, groups, .. } = *self.tuning;
        let ring = (lag + 1).next_multiple_of(look_back_warps);
        let sizes = self.sizes;
        let scaled = usize::from(sizes.classes <= SCALED_CLASSES);
        let mut constants = self.shape.constants(Sizes::plain(1, state, 1));
        constants!(constants; "BLOCKS" = blocks, "AHEAD" = ahead, "LAG" = lag, "STAGES" = ahead + lag + 1, "RING" = ring, "LOOK_BACK_WARPS" = look_back_warps, "GROUPS" = groups, "INDEX_BYTES" = sizes.index, "WAY_STATES" = sizes.states_of_kernel(), "TILES_A_WARP" = TILES_A_WARP, "STATE_BYTES" = sizes.state_bytes(), "COPIES" = self.copies(), "SCALED" = scaled, "ENDS_AT" = CLASSES, "TOLD_AT" = sizes.told_at(), "EVENTS_AT" = sizes.events_at(), "EVENTS_AT_ONCE" = self.at_once(), "NUMBERS_BYTES" = sizes.numbers());
        constants
    }
}

impl AutomatonSizes {
    /// Sizes of an automaton whose events have positions of `index` bytes.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn of(table: &Table, index: usize) -> Self {
        let listed = table.events.iter().map(Vec::len).filter(|&events| events > 1).sum();
        Self { states: table.states, classes: table.classes, listed, index }
    }

    /// Number of states that the kernel has room for, rounded up so that there are few kernels.
    fn states_of_kernel(&self) -> usize {
        self.states.next_power_of_two().max(8)
    }

    /// Bytes of a state's row of the transition table in shared memory.
    fn state_bytes(&self) -> usize {
        (4 * self.classes).next_power_of_two().max(64)
    }

    /// Bytes of a state's row of the transition table with the next states alone, without lists of events.
    fn way_bytes(&self) -> usize {
        self.state_bytes() / 4
    }

    fn told_at(&self) -> usize {
        CLASSES + 2 * self.states_of_kernel()
    }

    fn events_at(&self) -> usize {
        self.told_at() + TOLD_BYTES
    }

    /// Offset of the transition table in the automaton's numbers, after the events, in bytes.
    #[must_use]
    pub fn steps_at(&self) -> usize {
        self.events_at() + 2 * self.listed
    }

    /// Bytes of the automaton's numbers for which a kernel has room.
    #[must_use]
    pub fn numbers(&self) -> usize {
        let bytes = self.steps_at() + 2 * self.states * self.classes;
        NUMBERS.into_iter().find(|&room| room >= bytes).unwrap_or(bytes)
    }

    /// Returns the automaton's numbers for a kernel, which emits events of the kind `only`, or of all kinds.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn numbers_of(&self, table: &Table, only: Option<u8>) -> Vec<u8> {
        let mut listed: Vec<u16> = Vec::new();
        // Code of each list of events, as the kernel reads it: a number of events, with the event itself or the index
        // of the first one. See automaton/tile.cuh.
        let told: Vec<u16> = table
            .events
            .iter()
            .map(|all| {
                let events: Vec<u16> = all
                    .iter()
                    .filter(|event| only.is_none_or(|kind| kind == event.kind))
                    .map(|event| u16::from(event.kind) | u16::from(event.back) << 8)
                    .collect();
                match events[..] {
                    [] => 0,
                    [event] => 1 << 11 | event,
                    _ => {
                        let first = listed.len() as u16;
                        listed.extend(&events);
                        (events.len() as u16) << 11 | first
                    }
                }
            })
            .collect();
        let mut bytes = table.class.clone();
        let mut put = |at: usize, numbers: &mut dyn Iterator<Item = u16>| {
            bytes.resize(at, 0);
            numbers.for_each(|number| bytes.extend(number.to_le_bytes()));
        };
        put(CLASSES, &mut table.at_end.iter().map(|&end| told.get(usize::from(end)).copied().unwrap_or(0)));
        put(self.told_at(), &mut told.iter().copied());
        put(self.events_at(), &mut listed.iter().copied());
        let byte_of = |class: usize| table.class.iter().position(|&of| usize::from(of) == class).unwrap_or(0);
        let bytes_of: Vec<usize> = (0..table.classes).map(byte_of).collect();
        let steps = (0..table.states).flat_map(|state| bytes_of.iter().map(move |byte| 256 * state + byte));
        put(self.steps_at(), &mut steps.map(|step| table.steps.get(step).copied().unwrap_or(0)));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that kernels with room for different numbers have different constants: a kernel is identified by its
    /// constants, and reads no parameters beyond those that it was compiled for.
    #[test]
    fn kernels_with_room_for_other_numbers_are_others() {
        let constants = |states, classes| {
            let sizes = AutomatonSizes { states, classes, listed: 14, index: 8 };
            let plan = AutomatonPlan::new(30_000, sizes, (9, 0));
            (sizes.numbers(), plan.constants(), plan.entry_constants())
        };
        for (a, b) in [((9, 59), (16, 59)), ((9, 59), (10, 59)), ((5, 200), (8, 200))] {
            let ((few, walk, entries), (more, other_walk, other_entries)) = (constants(a.0, a.1), constants(b.0, b.1));
            assert_eq!((few == more, few == more), (walk == other_walk, entries == other_entries), "{a:?} {b:?}");
        }
        assert_ne!(constants(9, 59).0, constants(16, 59).0);
    }
}
