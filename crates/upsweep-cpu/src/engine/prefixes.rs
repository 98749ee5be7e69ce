//! Prefixes: what a block of a scan passes on to the next, and how a run is scanned from it.

use super::chain::Step;
use crate::tile::reduce::Reducer;
use crate::tile::run::{Memory, Run, Storing};
use crate::tile::scan::ScanRun;
use crate::tile::simd::Set;
use crate::tile::store::Ahead;
use crate::tile::tree::{ScanTree, State};
use upsweep_core::steps::Steps;
use upsweep_core::tree::{GROUPS, LEVELS, ROWS};

/// Operands of a scan that all of its runs have.
pub(super) struct Common<'a, S: Steps> {
    pub(super) steps: &'a S,
    pub(super) memory: &'a Memory<S::In, S::Out>,
    pub(super) init: Option<S::Acc>,
    pub(super) storing: &'a Storing<S::Acc>,
    pub(super) set: Set,
}

impl<S: Steps> Clone for Common<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Steps> Copy for Common<'_, S> {}

/// Way in which the blocks of a scan depend on each other.
pub(super) trait Prefixes<'a, S: Steps>: Sync {
    /// What is known of the elements before a run.
    type State: Copy + Send + Sync;
    /// What a block without heads adds to a state.
    type Added: Copy;

    fn new(common: Common<'a, S>) -> Self;

    /// Returns the state before a head.
    fn of_head(&self) -> Self::State;

    /// Returns the state with these [`levels`](Self::levels), before an element that is no head.
    fn of_levels(&self, levels: [S::Acc; LEVELS]) -> Self::State;

    /// Returns what the elements after a state depend on. Prefixes that are values have one level, several times.
    fn levels(&self, state: Self::State) -> Option<[S::Acc; LEVELS]>;

    /// Returns the effect of `run` on the state. The first element has the position `position` in its array or line. The
    /// run begins with a head, or is a whole block.
    ///
    /// # Safety
    /// The run is in the memory and not empty; nothing writes its input meanwhile.
    unsafe fn step(&self, run: Run, position: usize, is_head: bool) -> Step<Self::State, Self::Added>;

    /// Returns the state after a block that adds `added` to the `state` before it.
    fn advance(&self, state: Self::State, added: Self::Added) -> Self::State;

    /// Scans `run` and stores its results to the output of `memory`. Returns the state after it, if that is `wanted`
    /// (otherwise an arbitrary one).
    ///
    /// # Safety
    /// The run is in the memory and not empty, and this thread alone works on it. The state is the one before it.
    unsafe fn scan(
        &self,
        memory: &Memory<S::In, S::Out>,
        run: Run,
        position: usize,
        state: Self::State,
        wanted: bool,
        storing: &Storing<S::Acc>,
    ) -> Self::State;

    /// Returns the inclusive result of the element before a state.
    fn value(&self, state: Self::State) -> Option<S::Acc>;
}

/// Prefixes that are combined values. Runs are grouped from their own starts.
pub(super) struct Values<'a, S: Steps> {
    common: Common<'a, S>,
    reducer: Reducer<'a, S>,
}

impl<'a, S: Steps> Prefixes<'a, S> for Values<'a, S> {
    type State = Option<S::Acc>;
    type Added = Option<S::Acc>;

    #[inline(always)]
    fn new(common: Common<'a, S>) -> Self {
        Self { common, reducer: Reducer::new(common.set, common.steps, common.memory) }
    }

    #[inline(always)]
    fn of_head(&self) -> Option<S::Acc> {
        self.common.init
    }

    #[inline(always)]
    fn of_levels(&self, levels: [S::Acc; LEVELS]) -> Option<S::Acc> {
        Some(levels[0])
    }

    #[inline(always)]
    fn levels(&self, state: Option<S::Acc>) -> Option<[S::Acc; LEVELS]> {
        state.map(|value| [value; LEVELS])
    }

    #[inline(always)]
    unsafe fn step(&self, run: Run, _: usize, is_head: bool) -> Step<Option<S::Acc>, Option<S::Acc>> {
        // SAFETY: the run is in the memory; nothing writes its input meanwhile.
        let local = unsafe { self.reducer.reduce(run, Ahead::NOTHING) };
        if is_head { Step::Sets(self.advance(self.of_head(), local)) } else { Step::Adds(local) }
    }

    #[inline(always)]
    fn advance(&self, state: Option<S::Acc>, added: Option<S::Acc>) -> Option<S::Acc> {
        self.common.steps.join(state, added)
    }

    #[inline(always)]
    unsafe fn scan(
        &self,
        memory: &Memory<S::In, S::Out>,
        run: Run,
        _: usize,
        prefix: Option<S::Acc>,
        wanted: bool,
        storing: &Storing<S::Acc>,
    ) -> Option<S::Acc> {
        let Common { steps, set, .. } = self.common;
        // SAFETY: the processor has the instructions of every `Set`, and the run is in the memory.
        let local = unsafe { set.compiled()(ScanRun { steps, memory, run, prefix, wanted, storing }) };
        if wanted { steps.join(prefix, local) } else { None }
    }

    #[inline(always)]
    fn value(&self, state: Option<S::Acc>) -> Option<S::Acc> {
        state
    }
}

/// Prefixes of the [tree](upsweep_core::tree). Blocks begin at multiples of a tile, or with a head.
pub(super) struct Levels<'a, S: Steps>(Common<'a, S>);

/// Totals of the tiles of a block.
#[derive(Clone, Copy)]
pub(super) struct Tiles<A> {
    /// Number of the first tile in its array or line.
    first: usize,
    count: usize,
    totals: [A; MOST_TILES],
}

/// Largest number of tiles of a block.
const MOST_TILES: usize = upsweep_plan::cpu::MOST_TILES;

impl<'a, S: Steps> Levels<'a, S> {
    /// Returns the state after `run`, without results.
    ///
    /// # Safety
    /// The run is in the memory and not empty; nothing writes its input meanwhile. It begins with a head or at a multiple
    /// of a tile, and the state is the one before it.
    #[inline(always)]
    unsafe fn after(&self, run: Run, position: usize, state: State<S::Acc>) -> State<S::Acc> {
        let Common { steps, memory, storing, set, .. } = self.0;
        // SAFETY: the processor has the instructions of every `Set`, and the run is in the memory.
        unsafe { set.compiled()(ScanTree::<S, false> { steps, memory, run, position, state, storing }) }
    }
}

impl<'a, S: Steps> Prefixes<'a, S> for Levels<'a, S> {
    type State = State<S::Acc>;
    type Added = Tiles<S::Acc>;

    #[inline(always)]
    fn new(common: Common<'a, S>) -> Self {
        Self(common)
    }

    #[inline(always)]
    fn of_head(&self) -> State<S::Acc> {
        State::of_head(self.0.steps, self.0.init, self.0.storing.identity)
    }

    #[inline(always)]
    fn of_levels(&self, levels: [S::Acc; LEVELS]) -> State<S::Acc> {
        State::of_levels(self.0.steps, levels)
    }

    #[inline(always)]
    fn levels(&self, state: State<S::Acc>) -> Option<[S::Acc; LEVELS]> {
        Some(state.levels())
    }

    #[inline(always)]
    unsafe fn step(&self, run: Run, position: usize, is_head: bool) -> Step<State<S::Acc>, Tiles<S::Acc>> {
        if is_head {
            // SAFETY: the run is in the memory; nothing writes its input meanwhile.
            return Step::Sets(unsafe { self.after(run, position, self.of_head()) });
        }
        let steps = self.0.steps;
        let (row, neutral) = steps.tree();
        let len = GROUPS * ROWS * row;
        let mut tiles = Tiles { first: position / len, count: run.len / len, totals: [neutral; MOST_TILES] };
        let nothing = self.of_levels([neutral; LEVELS]);
        for (i, total) in tiles.totals[..tiles.count].iter_mut().enumerate() {
            let tile = Run { start: run.start + i * len, len, origin: run.origin };
            // SAFETY: the tile is in the run.
            *total = unsafe { self.after(tile, 0, nothing) }.tiles;
        }
        Step::Adds(tiles)
    }

    #[inline(always)]
    fn advance(&self, mut state: State<S::Acc>, added: Tiles<S::Acc>) -> State<S::Acc> {
        for (i, &total) in added.totals[..added.count].iter().enumerate() {
            state = state.after_tile(self.0.steps, added.first + i, total);
        }
        state
    }

    #[inline(always)]
    unsafe fn scan(
        &self,
        memory: &Memory<S::In, S::Out>,
        run: Run,
        position: usize,
        state: State<S::Acc>,
        _: bool,
        storing: &Storing<S::Acc>,
    ) -> State<S::Acc> {
        let Common { steps, set, .. } = self.0;
        let scan = ScanTree::<S, true> { steps, memory, run, position, state, storing };
        // SAFETY: the processor has the instructions of every `Set`, and the run is in the memory.
        unsafe { scan.scan_short().unwrap_or_else(|| set.compiled()(scan)) }
    }

    #[inline(always)]
    fn value(&self, state: State<S::Acc>) -> Option<S::Acc> {
        Some(state.before)
    }
}
