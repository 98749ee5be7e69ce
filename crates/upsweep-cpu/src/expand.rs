//! Expand on the CPU: prefix sums of blocks of counts, then stretches of results, each from a search in these sums.

use super::engine::apart;
use upsweep_core::call::expand::Expanded;
use upsweep_core::call::expand::{Expanding, Fills, Tally};
use upsweep_core::error::{Error, Result};
use upsweep_core::memory;
use upsweep_core::operator::Element;

/// Number of counts of a block. For each block the number of results before it, its exclusive prefix, is stored.
const BLOCK: usize = 4 << 10;
/// Number of results of a stretch, which one thread stores at a time.
const STRETCH: usize = 64 << 10;
/// Least number of counts or results for which several threads are used.
const PARALLEL_FROM: usize = 256 << 10;

/// Runs an expansion and returns the number of results.
pub fn run<F, C, O>(call: &Expanding<'_, C, F::Beside, O>) -> Result<u64>
where
    F: Fills<O>,
    C: Tally,
    O: Element,
{
    let nowhere = (std::ptr::null_mut(), 0);
    let (output, capacity) = call.output.as_ref().map_or(Ok(nowhere), |target| target.on_host("output"))?;
    let counts = call.counts.on_host("input")?;
    let len = match &call.length {
        None => counts.len(),
        Some(view) => view.on_host("count of the input")?.first().map_or(0, |&number| number as usize),
    };
    let Some(counts) = counts.get(..len) else {
        return Err(Error::Capacity { what: "counted input", needed: len, capacity: counts.len() });
    };
    let values = match &call.values {
        None => None,
        Some(view) => Some(view.on_host("values")?),
    };
    // Number of results before each block.
    let blocks = len.div_ceil(BLOCK);
    let mut before = memory::filled(blocks, 0u64)?;
    let many = len >= PARALLEL_FROM;
    apart::each(&mut before, many, &|block, sum| {
        let own = counts.iter().take((block + 1) * BLOCK).skip(block * BLOCK);
        *sum = own.fold(0u64, |sum, count| sum.saturating_add(count.number()))
    });
    let mut total = 0u64;
    for before in &mut before {
        let own = std::mem::replace(before, total);
        total = total.saturating_add(own);
    }
    let room = total.min(capacity as u64) as usize;
    let expanding = Stretches::<F, C, O> { counts, values, before: &before, output, expanded: call.expanded };
    let stretches = room.div_ceil(STRETCH);
    let store = |i: usize| expanding.store(i * STRETCH, room.min((i + 1) * STRETCH));
    apart::run(stretches, room >= PARALLEL_FROM, &store);
    if call.output.is_some() && total > capacity as u64 {
        return Err(Error::Capacity { what: "output", needed: total as usize, capacity });
    }
    Ok(total)
}

/// Operands of an expansion.
struct Stretches<'x, F: Fills<O>, C, O> {
    counts: &'x [C],
    values: Option<&'x [F::Beside]>,
    before: &'x [u64],
    output: *mut O,
    expanded: Expanded,
}

// SAFETY: the pointer is that of a call, which borrows the output exclusively for as long as it runs. Each result is
// written by one thread.
unsafe impl<F: Fills<O>, C: Sync, O: Send> Sync for Stretches<'_, F, C, O> {}

impl<F: Fills<O>, C: Tally, O: Element> Stretches<'_, F, C, O> {
    /// Stores the results at indices `begin .. end` of the output.
    fn store(&self, begin: usize, end: usize) {
        // The last block whose exclusive prefix is at most `begin`.
        let mut block = self.before.partition_point(|&before| before <= begin as u64).saturating_sub(1);
        let mut to = begin;
        while let Some(&before) = self.before.get(block).filter(|_| to < end) {
            let first = block * BLOCK;
            // A block without remaining results is skipped.
            let next = self.before.get(block + 1);
            block += 1;
            if next.is_some_and(|&next| next <= to as u64) {
                continue;
            }
            let mut at = before;
            let counts = self.counts.get(first..).unwrap_or_default();
            for (owner, count) in counts.iter().take(BLOCK).enumerate() {
                let behind = at.saturating_add(count.number());
                let until = behind.min(end as u64) as usize;
                if until > to {
                    self.fill(first + owner, at as usize, to, until);
                    to = until;
                }
                if to >= end {
                    return;
                }
                at = behind;
            }
        }
    }

    /// Stores the results `begin .. end` of the count of element `owner`, whose first result is `first`.
    #[inline(always)]
    fn fill(&self, owner: usize, first: usize, begin: usize, end: usize) {
        let value = self.values.and_then(|values| values.get(owner)).copied();
        for at in begin..end {
            let number = if self.expanded == Expanded::Rank { at - first } else { owner };
            if let Some(result) = F::of(number, value) {
                // SAFETY: `at` is below `end`, which is in the output.
                unsafe { self.output.add(at).write(result) };
            }
        }
    }
}
