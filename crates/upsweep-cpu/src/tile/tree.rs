//! Scans of float sums and products, whose additions are grouped in one [tree](upsweep_core::tree).
//!
//! ```text
//! while there are elements
//!     whole groups of a tile       scan them in registers, a lane for each row: see groups
//!     else a part of a row         y = y ⊕ x, result = P ⊕ (G ⊕ (Q ⊕ (R ⊕ y))), one element after the other
//!     a row ends                   R = R ⊕ y
//!     a group ends                 Q = Q ⊕ R
//!     a tile ends                  G = G ⊕ Q
//!     a span ends                  P = P ⊕ G
//! ```
//!
//! A chain that is missing is the neutral value ([`Steps::tree`]): combined with it, a number keeps its bits. So no loop
//! has to know which levels there are. An initial value takes the place of the neutral y before the first element.
//!
//! A block begins with a head or at a multiple of a tile: then Q, R and y are missing. Only a scan that goes on where
//! another ended begins elsewhere, with the levels that were open there. The tree's levels are counted from the position
//! 0 of a whole array or line, so parts of rows remain at a segment's ends. They are scanned one element after the
//! other. The chains of neighbouring rows overlap.

use super::group::{Bases, Head};
use super::groups::ScanGroups;
use super::lanes::{Lanes, Work};
use super::run::{Memory, Run, Storing, load};
use upsweep_core::steps::Steps;
use upsweep_core::tree::{GROUPS, LEVELS, ROWS, TILES};

/// State before an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<A> {
    /// Whether the element is a head.
    pub(crate) is_head: bool,
    /// Chain that the element is combined with: the elements before it in its row, the initial value of a head, or the
    /// neutral value.
    pub(crate) y: A,
    /// Chains of the rows, groups, tiles and spans before the element.
    pub(crate) rows: A,
    pub(crate) groups: A,
    pub(crate) tiles: A,
    pub(crate) spans: A,
    /// Exclusive result of the element: the inclusive one of the element before. It is exact after any element, so it is
    /// the state after an array's last one, too.
    pub(crate) before: A,
}

impl<A: Copy> State<A> {
    /// Returns the state before a head. `init` is the initial value, and `identity` the exclusive result if there is
    /// none.
    #[inline(always)]
    pub(crate) fn of_head<S: Steps<Acc = A>>(steps: &S, init: Option<A>, identity: Option<A>) -> Self {
        let neutral = steps.tree().1;
        let before = init.or(identity).unwrap_or(neutral);
        Self { is_head: true, y: init.unwrap_or(neutral), before, ..Self::of_levels(steps, [neutral; LEVELS]) }
    }

    /// Returns the state before an element that is no head, with these [`levels`](Self::levels).
    #[inline(always)]
    pub(crate) fn of_levels<S: Steps<Acc = A>>(steps: &S, [y, rows, groups, tiles, spans]: [A; LEVELS]) -> Self {
        let combine = |a, b| steps.combine(a, b);
        let before = combine(spans, combine(tiles, combine(groups, combine(rows, y))));
        Self { is_head: false, y, rows, groups, tiles, spans, before }
    }

    /// Returns the open levels: all that the elements after these depend on.
    #[inline(always)]
    pub(crate) fn levels(&self) -> [A; LEVELS] {
        let Self { y, rows, groups, tiles, spans, .. } = *self;
        [y, rows, groups, tiles, spans]
    }

    /// Returns the state after a whole tile with this `total`, number `tile` of its array or line.
    #[inline(always)]
    pub(crate) fn after_tile<S: Steps<Acc = A>>(self, steps: &S, tile: usize, total: A) -> Self {
        let neutral = steps.tree().1;
        let Self { mut tiles, mut spans, .. } = self;
        tiles = steps.combine(tiles, total);
        if (tile + 1).is_multiple_of(TILES) {
            (tiles, spans) = (neutral, steps.combine(spans, tiles));
        }
        let (y, rows, groups, before) = (neutral, neutral, neutral, steps.combine(spans, tiles));
        Self { is_head: false, y, rows, groups, tiles, spans, before }
    }
}

/// Scan of `run`, whose first element has the position `position` in the tree. Returns the state after it. Without
/// `STORES` there are no results.
///
/// # Safety
/// The run is in `memory` and not empty. Nothing else writes its input, or uses its output if there are results, until
/// `store::fence`.
#[derive(Clone, Copy)]
pub(crate) struct ScanTree<'a, S: Steps, const STORES: bool> {
    pub(crate) steps: &'a S,
    pub(crate) memory: &'a Memory<S::In, S::Out>,
    pub(crate) run: Run,
    pub(crate) position: usize,
    pub(crate) state: State<S::Acc>,
    pub(crate) storing: &'a Storing<S::Acc>,
}

impl<S: Steps, const STORES: bool> ScanTree<'_, S, STORES> {
    /// Scans a short run, which begins with a head and ends inside a group, and returns the state after it. Does nothing
    /// if it is another run. Such a run has no bases but R, and needs no vectors: the call of the kernel of an
    /// instruction set would take as long as the scan.
    ///
    /// # Safety
    /// The conditions of [`ScanTree`] hold.
    #[inline(always)]
    pub(crate) unsafe fn scan_short(&self) -> Option<State<S::Acc>> {
        let Self { steps, memory, run: Run { start, len, origin }, position, state, storing } = *self;
        let (row, neutral) = steps.tree();
        if !state.is_head || len >= ROWS * row - position % (ROWS * row) {
            return None;
        }
        let (end, mut next) = (start + len, start + len.min(row - position % row));
        let mut run = Run { start, len: next - start, origin };
        let before = (state.y, state.before);
        let mut rows = neutral;
        // SAFETY: the parts are in the run.
        let (mut y, mut before) =
            unsafe { part_of_row::<S, STORES>(steps, memory, run, before, |y| y, storing.exclusive) };
        while next < end {
            // The last result of a row is the chain of the rows up to it.
            rows = before;
            run = Run { start: next, len: row.min(end - next), origin };
            next += run.len;
            let result = |y| steps.combine(rows, y);
            // SAFETY: the parts are in the run.
            (y, before) =
                unsafe { part_of_row::<S, STORES>(steps, memory, run, (neutral, before), result, storing.exclusive) };
        }
        if (position + len).is_multiple_of(row) {
            (y, rows) = (neutral, before);
        }
        Some(State { is_head: false, y, rows, before, ..state })
    }
}

impl<S: Steps, const STORES: bool> Work for ScanTree<'_, S, STORES> {
    type Result = State<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> State<S::Acc> {
        let Self { steps, memory, run, position: mut at, mut state, storing } = self;
        let (row, neutral) = steps.tree();
        let (group, tile) = (ROWS * row, GROUPS * ROWS * row);
        let combine = |a, b| steps.combine(a, b);
        let (mut k, end) = (run.start, run.start + run.len);
        while k < end {
            let rest = end - k;
            let State { is_head, y, rows, groups, tiles, spans, before } = state;
            // SAFETY: the parts are in the run.
            let len = unsafe {
                if at.is_multiple_of(group) && rest >= group {
                    let len = rest.min(tile - at % tile) / group * group;
                    let run = Run { start: k, len, origin: run.origin };
                    let head = is_head.then_some(Head { y, before });
                    let bases = Bases { groups, tiles, spans };
                    state.groups = L::call(ScanGroups::<S, STORES> { steps, memory, run, bases, head, storing });
                    state.before = combine(spans, combine(tiles, state.groups));
                    state.y = neutral;
                    len
                } else {
                    let len = rest.min(row - at % row);
                    let run = Run { start: k, len, origin: run.origin };
                    let (y, before) = if is_head {
                        part_of_row::<S, STORES>(steps, memory, run, (y, before), |y| y, storing.exclusive)
                    } else {
                        let result = |y| combine(spans, combine(tiles, combine(groups, combine(rows, y))));
                        part_of_row::<S, STORES>(steps, memory, run, (y, before), result, storing.exclusive)
                    };
                    (state.y, state.before) = (y, before);
                    if (at + len).is_multiple_of(row) {
                        (state.y, state.rows) = (neutral, combine(rows, y));
                    }
                    if (at + len).is_multiple_of(group) {
                        (state.groups, state.rows) = (combine(groups, state.rows), neutral);
                    }
                    len
                }
            };
            (k, at) = (k + len, at + len);
            state.is_head = false;
            if at.is_multiple_of(tile) {
                state = state.after_tile(steps, at / tile - 1, state.groups);
            }
        }
        state
    }
}

/// Scans `run`, a part of a row, one element after the other. `y` is the chain before it, and `before` its first
/// exclusive result. `result` adds the bases to a chain. Returns the chain and the result of the last element.
///
/// # Safety
/// The run is in the memory and not empty. Nothing else writes its input, or uses its output if there are results.
#[inline(always)]
unsafe fn part_of_row<S: Steps, const STORES: bool>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    (mut y, mut before): (S::Acc, S::Acc),
    result: impl Fn(S::Acc) -> S::Acc,
    exclusive: bool,
) -> (S::Acc, S::Acc) {
    // SAFETY: `k` is in the run below, so `memory.at(k)` is in the output.
    let store = |k: usize, value| unsafe { memory.output.add(memory.at(k)).write(steps.store(value)) };
    // SAFETY: `k` is in the run below, and its own result is not stored yet.
    let element = |k: usize| unsafe { load(steps, memory, k, run.origin) };
    let elements = run.start..run.start + run.len;
    // A loop for each case: LLVM must know which value is stored.
    if !STORES {
        for k in elements {
            y = steps.combine(y, element(k));
        }
        before = result(y);
    } else if exclusive {
        for k in elements {
            let x = element(k);
            store(k, before);
            y = steps.combine(y, x);
            before = result(y);
        }
    } else {
        for k in elements {
            y = steps.combine(y, element(k));
            before = result(y);
            store(k, before);
        }
    }
    (y, before)
}
