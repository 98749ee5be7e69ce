//! Scans and reductions along an axis that is not the last: all columns of a strip at once, row by row.
//!
//! The plan divides the shape into strips, units and blocks ([`Strips`]), by the shape and the types alone. The kernels
//! of a block are in [`tile::columns`](super::tile::columns).

use super::engine::chain::{States, Tickets};
use super::engine::results::Results;
use super::tile::columns::{Fold, Rows, combine_vectors, group_rows};
use super::tile::pairwise::Pairwise;
use super::tile::run::{Memory, Storing};
use super::tile::simd::Set;
use super::tile::store;
use upsweep_core::error::Result;
use upsweep_core::memory;
use upsweep_core::outputs::Write;
use upsweep_core::steps::{Out, Steps};
use upsweep_plan::cpu::{Strips, Unit};

/// Memory for one value per column of a strip (neighbouring columns). The length of the `Vec` stays 0.
struct Vector<T>(Vec<T>);

impl<T> Vector<T> {
    /// Allocates room for the columns of a strip.
    fn new(width: usize) -> Self {
        Self(Vec::with_capacity(width))
    }

    /// Allocates room that grows with the input, and reports a lack of memory.
    fn large(width: usize) -> Result<Self> {
        memory::room(width).map(Self)
    }

    fn start(&mut self) -> *mut T {
        self.0.as_mut_ptr()
    }
}

/// Vectors that workers pass to each other: one for each ticket (block), with a value for each column.
struct Vectors<T>(*mut T);
// SAFETY: a vector is written by the worker that holds its ticket, before it publishes the ticket. Other workers read
// it only after that.
unsafe impl<T: Send + Sync> Sync for Vectors<T> {}

impl<T> Vectors<T> {
    fn of(&self, ticket: usize, width: usize) -> *mut T {
        self.0.wrapping_add(ticket * width)
    }
}

/// Scans along an axis that is not the last.
///
/// # Safety
/// The memory is valid, used by nothing else, as large as the shape, and not empty.
pub(super) unsafe fn scan<S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    init: Option<S::Acc>,
    storing: Storing<S::Acc>,
    cut: &Strips,
    threads: usize,
) -> Result<()> {
    let (shape, count) = (cut.shape, cut.tickets());
    let set = Set::widest();
    let (fold, scan) = (set.compiled::<Fold<'_, S>>(), set.compiled::<Rows<'_, S>>());
    let chained = cut.blocks_per_unit > 1;
    let states = States::<()>::new(if chained { count } else { 0 })?;
    let mut prefixes = Vector::<S::Acc>::large(if chained { count * cut.width } else { 0 })?;
    let prefixes = Vectors(prefixes.start());
    let tickets = Tickets::new(count);
    tickets.run(threads, &|ticket, _| {
        let (units, block) = cut.ticket(ticket);
        let rows = cut.rows(block);
        for unit in units {
            let unit = cut.unit(unit);
            let mut values = Vector::<S::Acc>::new(unit.width);
            let staged =
                if storing.non_temporal || !S::Out::PLAIN { group_rows::<S>(unit.width).min(rows.len()) } else { 0 };
            let mut stage = Vector::<Out<S>>::new(staged * unit.width);
            let needed = block + 1 < cut.blocks_per_unit;
            let mine = prefixes.of(ticket, cut.width);
            if needed {
                let mut parts = Vector::new(Fold::<S>::parts(rows.len(), unit.width) * unit.width);
                let (values, parts) = (values.start(), parts.start());
                // SAFETY: the processor has the instructions of every `Set`, and the vectors have the unit's width.
                unsafe { fold(Fold { steps, memory, shape, unit, rows: rows.clone(), values, parts }) };
            }
            let across = cut.tickets_across();
            let before = match block {
                0 => None,
                _ => {
                    states.wait(ticket - across, &tickets)?;
                    Some(prefixes.of(ticket - across, cut.width).cast_const())
                }
            };
            // Writes the block's exclusive prefix, if there is one, to a vector of the unit's width.
            let begin = |to: *mut S::Acc| match (before, init) {
                // SAFETY: the vector has been published, has the width of this unit, and is not `to`.
                (Some(before), _) => unsafe { to.copy_from_nonoverlapping(before, unit.width) },
                // SAFETY: `to` has room for the unit's width.
                (None, Some(init)) => (0..unit.width).for_each(|c| unsafe { to.add(c).write(init) }),
                (None, None) => {}
            };
            let begun = before.is_some() || init.is_some();
            if needed {
                // SAFETY: both vectors have the unit's width, `Fold` has written `values`, and this worker holds the
                // ticket.
                unsafe {
                    if begun {
                        begin(mine);
                        combine_vectors(steps, unit.width, mine, values.start());
                    } else {
                        mine.copy_from_nonoverlapping(values.start(), unit.width);
                    }
                }
                states.publish(ticket, ());
            }
            begin(values.start());
            let vectors = (values.start(), stage.start());
            // SAFETY: the processor has the instructions of every `Set`, and the vectors have the unit's width.
            unsafe { scan(Rows { steps, memory, shape, unit, rows: rows.clone(), begun, vectors, storing }) };
        }
        if storing.non_temporal {
            store::fence();
        }
        Ok(())
    });
    Ok(())
}

/// Reduces along an axis that is not the last.
///
/// # Safety
/// The memory is valid, used by nothing else, as large as the shape, and not empty. There is a result for each line.
pub(super) unsafe fn reduce<S: Steps>(job: &Results<S>, cut: &Strips) -> Result<()> {
    let (shape, count) = (cut.shape, cut.tickets());
    let fold = Set::widest().compiled::<Fold<'_, S>>();
    let chained = cut.blocks_per_unit > 1;
    let mut parts = Vector::<S::Acc>::large(if chained { count * cut.width } else { 0 })?;
    let parts = Vectors(parts.start());
    let tickets = Tickets::new(count);
    tickets.run(job.threads, &|ticket, _| {
        let (units, block) = cut.ticket(ticket);
        let rows = cut.rows(block);
        for unit in units {
            let unit = cut.unit(unit);
            let mut own = Vector::new(if chained { 0 } else { unit.width });
            let values = if chained { parts.of(ticket, cut.width) } else { own.start() };
            let mut parts = Vector::new(Fold::<S>::parts(rows.len(), unit.width) * unit.width);
            let (steps, memory, parts) = (&job.steps, &job.memory, parts.start());
            // SAFETY: the processor has the instructions of every `Set`, and the vectors have the unit's width.
            unsafe { fold(Fold { steps, memory, shape, unit, rows: rows.clone(), values, parts }) };
            if !chained {
                for c in 0..unit.width {
                    // SAFETY: `c` is less than the width, and only this worker stores the unit's results.
                    unsafe { job.store(unit.result + c, Some(values.add(c).read())) };
                }
            }
        }
        Ok(())
    });
    for unit in if chained { 0..cut.units } else { 0..0 } {
        let Unit { width, result, .. } = cut.unit(unit);
        let mut total = Pairwise::<*mut S::Acc>::new();
        // SAFETY: the unit's vectors have this width and are distinct, and their workers are done.
        let combine = |a, b| unsafe { combine_vectors(&job.steps, width, a, b) };
        (0..cut.blocks_per_unit).for_each(|block| total.push(parts.of(block * cut.units + unit, cut.width), combine));
        if let Some(total) = total.total(combine) {
            for c in 0..width {
                // SAFETY: `c` is less than the width, there is a result for each line, and only this thread works.
                unsafe { job.store(result + c, Some(total.add(c).read())) };
            }
        }
    }
    Ok(())
}
