//! Automata (DFAs) on a CUDA device: the state in which each tile of a text begins, and then the events of the text.
//!
//! | step | kernel | what |
//! |---|---|---|
//! | 1 | `automaton/ways.cuh` | for each tile, the function from the state before it to the state after it |
//! | 2 | `automaton/entries.cuh` | the composition of these functions: a pipeline whose state is such a function |
//! | 3 | `automaton/automaton.cuh` | the events: a pipeline whose tiles publish their number of events |
//!
//! **Step 1.** Most automata converge: after some bytes their state no longer depends on the initial state. So a thread
//! runs over the end of each tile from all states. If these do not converge to one state, the thread runs over the
//! whole tile, from the few states that the tile's first bytes leave. Shared memory bandwidth is the bound, so each
//! lane has a copy of the automaton in a bank of its own, and four lanes load together.
//!
//! **Step 3.** Each thread runs over its bytes from three guessed states (speculation). To find a guess, it runs over
//! the bytes before its own: from the first state, and from the two persistent states (left unchanged by most bytes) in
//! which most tiles begin. The right guess is a function of the choice of the thread before. So the choices are a scan
//! by composition of functions, of two bits each. If no guess is right, the missing state replaces the last guess of
//! all threads after it, and these run again.
//!
//! **Tables.** The text lies in shared memory as codes of its classes of bytes (`automaton/tile.cuh`). The automaton is
//! a table whose rows are permuted against bank conflicts. It is passed after the kernel's parameters, so a call
//! uploads nothing.

use super::borrow::Extent;
use super::code::Kernel;
use super::features::Features;
use super::job::{Functions, write, write_one};
use super::params::{WithNumbers, params};
use super::runtime::Grid;
use super::select::with_functions;
use super::{Cuda, KernelSource, Workspace};
use cudarc::driver::DeviceSlice;
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::automaton::{STATE_AT, Walking};
use upsweep_core::call::carry::Carried;
use upsweep_core::call::select::{Unasked, Where};
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;
use upsweep_plan::automaton::{AutomatonPlan, AutomatonSizes};

params! {
    /// Parameters of the three kernels of an automaton.
    struct AutomatonParams {
        text: "const u8*",
        /// Address for the kinds of the events; null if only the number of events is requested.
        kinds: "u8*",
        places: "void*",
        /// Address of a byte for each tile: the state in which the tile begins. The byte of the first tile is not read.
        entries: "u8*",
        /// Address of the transition function of each tile but the last one: the final state for each initial state.
        ways: "u8*",
        /// Address that the number of events is stored at.
        count: "u64*",
        /// Address of the state in which the text begins; null if that is the first one.
        before: "const u64*",
        /// Address for the state at the end of the text, and for the number of events that the end emits; or null.
        after: "u64*",
        /// Number of bytes before the text, which count in the events' places.
        position: "u64",
        /// Length of the text in bytes.
        n: "u64",
        /// Capacity of the output: number of events that it has room for.
        capacity: "u64",
        states: "u64",
        classes: "u64",
        /// Offset in bytes of the transition table (`steps`) in the numbers that follow the parameters.
        steps_at: "u64",
        /// Bit set of the states that most bytes leave unchanged.
        lasting: "u64",
        workspace: "Workspace",
    }
}

pub fn run<P: Element>(cuda: &Cuda, call: Walking<'_, P>, count: ViewMut<'_, u64>) -> Result<()> {
    let Walking { table, text, events, only, mut carried } = call;
    let n = text.len();
    let (kinds, places) = events.unzip();
    let asked = kinds.is_some();
    let (mut kinds, mut places) = (kinds.map(Target::new), places.map(Target::new));
    let mut count = Some(count);
    let reader = if let Some(ViewMut::Cuda(view)) = &count { view.stream().clone() } else { cuda.stream().clone() };
    let (count, _count) = write_one(cuda, "count", &mut count)?;
    let (kinds, of_kinds, _kinds) = write(cuda, "kinds", kinds.as_mut())?;
    let (places, of_places, _places) = write(cuda, "places", places.as_mut())?;
    let (text, _text) = cuda.read("text", &text)?;
    let all = [
        Extent::new::<u8>(kinds, of_kinds),
        Extent::new::<P>(places, of_places),
        Extent::new::<u64>(count, 1),
        Extent::new::<u8>(text, n),
    ];
    let position = carried.as_ref().map_or(0, |carried| carried.position);
    let (before, after, _state) = match carried.as_mut() {
        None => (0, 0, None),
        Some(Carried { position, before, after }) => {
            let (before, of_before) = cuda.read("carry", before)?;
            let ViewMut::Cuda(after) = after else {
                return Err(Error::Place { what: "carry", found: "host", expected: "CUDA" });
            };
            let (after, of_after) = cuda.write("carry", after)?;
            let at = 8 * STATE_AT as u64;
            (if *position > 0 { before + at } else { 0 }, after + at, Some((of_before, of_after)))
        }
    };
    for (i, extent) in all.iter().enumerate() {
        all.iter().take(i).try_for_each(|other| extent.must_not_meet(*other))?;
    }
    let sizes = AutomatonSizes::of(table, size_of::<P>().max(4));
    let plan = AutomatonPlan::new(n, sizes, cuda.compute_capability());
    if asked {
        cuda.mark_may_fault(&reader)?;
    }
    with_functions::<u8, _, _>(&Where(Unasked), |functions| {
        let entries = cuda.scratch::<u8>(if plan.tiles > 1 { plan.tiles } else { 0 })?;
        let ways = cuda.scratch::<u8>(plan.ways_bytes())?;
        let [way_kernel, entry_kernel, kernel] = kernels(&plan, functions);
        let fixed = |workspace| AutomatonParams {
            text,
            kinds,
            places,
            entries: entries.address(),
            ways: ways.address(),
            count,
            before,
            after,
            position,
            n: n as u64,
            capacity: if asked { of_kinds.min(of_places) as u64 } else { i64::MAX as u64 },
            states: sizes.states as u64,
            classes: sizes.classes as u64,
            steps_at: sizes.steps_at() as u64,
            lasting: table.lasting,
            workspace,
        };
        let numbers = sizes.numbers_of(table, only);
        // The only tile of a short text begins in the first state, so no kernel has to find its state.
        if plan.tiles > 1 {
            let loaded = cuda.kernel(way_kernel.key(), || source_of(&way_kernel, &plan))?;
            let params = WithNumbers::new(fixed(Workspace::NONE), functions, &[&numbers]);
            let (blocks, threads) = plan.way_blocks(cuda.multiprocessors() as usize);
            // SAFETY: the parameters begin with the kernel's layout (its text asserts it). The loan of the text and the
            // scratch keep its pointers good for `n` bytes and the tiles' functions until the kernel is enqueued in the
            // stream's order.
            unsafe {
                cuda.launch(
                    &loaded,
                    Grid::new(blocks as u32, threads as u32, plan.way_shared_bytes(threads) as u32),
                    &params,
                )
            }?;
        }
        let threads = plan.threads() as u32;
        for (kernel, tiles, words, shared) in [
            (entry_kernel, plan.entry_tiles, plan.entry_words, 0),
            (kernel, plan.tiles, plan.words, plan.shared_bytes()),
        ] {
            if kernel.kernel == ENTRIES && plan.tiles == 1 {
                continue;
            }
            let loaded = cuda.kernel(kernel.key(), || source_of(&kernel, &plan))?;
            let shared = shared as u32;
            let resident = loaded.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
            let workspace = cuda.workspace(words.words8, words.words16)?;
            let params = WithNumbers::new(fixed(workspace), functions, &[&numbers]);
            // SAFETY: the parameters begin with the kernel's layout (its text asserts it). The loans and the scratch
            // keep its pointers good for `n` bytes, the tiles' states, the events up to the capacity, and their number,
            // until the kernel is enqueued in the stream's order.
            unsafe { cuda.launch(&loaded, Grid::new(tiles.min(resident as usize) as u32, threads, shared), &params) }?;
        }
        Ok(())
    })
}

const ENTRIES: (&str, &str) = ("automaton/entries.cuh", "upsweep_automaton_entries");

/// Returns the three kernels of a plan in the order of their launches: the one that finds the functions of the tiles
/// (final state for each initial state), the one that finds the state in which each tile begins, and the one that
/// stores the events.
pub(super) fn kernels<'a>(plan: &AutomatonPlan, functions: &'a Functions<'a>) -> [Kernel<'a>; 3] {
    let ways = ("automaton/ways.cuh", "upsweep_automaton_ways");
    let features = Features::PLAIN;
    let walk = ("automaton/automaton.cuh", "upsweep_automaton");
    [
        Kernel { functions, kernel: ways, features, constants: plan.entry_constants() },
        Kernel { functions, kernel: ENTRIES, features, constants: plan.entry_constants() },
        Kernel { functions, kernel: walk, features, constants: plan.constants() },
    ]
}

/// Returns the source text of one of the three kernels.
pub(super) fn source_of(kernel: &Kernel<'_>, plan: &AutomatonPlan) -> Result<KernelSource> {
    kernel.source_with_numbers::<AutomatonParams>(plan.sizes.numbers())
}
