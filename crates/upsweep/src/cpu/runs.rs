//! Runs on the CPU: blocks are gone through twice where several threads share them, because where a block's runs go depends on
//! those before it. A thread by itself goes through them once.

use crate::choosing::{Choose, Choosing, Indices, Marks, Stretch, Yields};
use crate::error::{Error, Result};
use crate::job::Elements;
use crate::operator::Element;
use crate::outputs::Target;
use rayon::prelude::*;
use std::ops::Range;

/// The elements of a block, which are read again from a cache of the second level; of those, how many are marked at once.
const BLOCK: usize = 32 << 10;
const MARKED: usize = 2 << 10;
/// The blocks from which threads share them.
const PARALLEL_FROM: usize = 8;

/// Runs the call and returns how many runs there are.
pub(crate) fn run<C, I, N>(
    call: &Choosing<'_, C, I, I>,
    numbers: Option<&Target<'_, N>>,
    lengths: bool,
) -> Result<usize>
where
    I: Element,
    N: Element,
    C: Choose<I>,
    Indices: Yields<I, N>,
{
    run_within(call, numbers, lengths, BLOCK)
}

/// [`run`] with blocks of this size.
fn run_within<C, I, N>(
    call: &Choosing<'_, C, I, I>,
    numbers: Option<&Target<'_, N>>,
    lengths: bool,
    block: usize,
) -> Result<usize>
where
    I: Element,
    N: Element,
    C: Choose<I>,
    Indices: Yields<I, N>,
{
    let nowhere = (std::ptr::null_mut(), 0);
    let (values, room) = call.output.as_ref().map_or(Ok(nowhere), |target| target.on_host("output"))?;
    let (numbers, _) = numbers.map_or(Ok((std::ptr::null_mut(), 0)), |target| target.on_host("second output"))?;
    let Elements::Given(view) = &call.input else { return Err(crate::job::NOT_IN_PLACE) };
    let input = view.on_host("input")?;
    let len = match &call.length {
        None => input.len(),
        Some(view) => view.on_host("count of the input")?.first().map_or(0, |&number| number as usize),
    };
    let Some(input) = input.get(..len) else {
        return Err(Error::Capacity { what: "counted input", needed: len, capacity: input.len() });
    };
    let finding = Finding { marks: call.choice.marks()?, input, values, numbers, room, lengths };
    let blocks = len.div_ceil(block);
    let range = |i: usize| i * block..((i + 1) * block).min(len);
    let all = if blocks < PARALLEL_FROM || rayon::current_num_threads() == 1 {
        finding.store(0..len, Before::default())
    } else {
        let mut before = Vec::new();
        let bytes = blocks.saturating_mul(size_of::<Before>());
        before.try_reserve_exact(blocks).map_err(|_| Error::OutOfMemory { bytes })?;
        before.resize(blocks, Before::default());
        before.par_iter_mut().enumerate().for_each(|(i, of_block)| *of_block = finding.count(range(i)));
        let mut all = Before::default();
        for of_block in &mut before {
            let own = std::mem::replace(of_block, all);
            all = Before { runs: all.runs + own.runs, last: if own.runs > 0 { own.last } else { all.last } };
        }
        before.par_iter().enumerate().for_each(|(i, before)| {
            finding.store(range(i), *before);
        });
        all
    };
    finding.store_length(all.runs, len - all.last);
    if call.output.is_some() && all.runs > room {
        return Err(Error::Capacity { what: "output", needed: all.runs, capacity: room });
    }
    Ok(all.runs)
}

/// The runs that begin before a place, and where the last of them does.
#[derive(Clone, Copy, Default)]
struct Before {
    runs: usize,
    last: usize,
}

/// A call with its memory. Each output has room for `room` results.
struct Finding<'x, M, I, N> {
    marks: M,
    input: &'x [I],
    values: *mut I,
    numbers: *mut N,
    room: usize,
    lengths: bool,
}

// SAFETY: the pointers are those of a call, which borrows the outputs exclusively for as long as it runs; each result is written
// by one thread.
unsafe impl<M: Sync, I: Sync, N: Send> Sync for Finding<'_, M, I, N> {}

impl<M, I, N> Finding<'_, M, I, N>
where
    M: Marks<I>,
    I: Element,
    N: Element,
    Indices: Yields<I, N>,
{
    /// Calls `found` with where each run begins.
    #[inline(always)]
    fn each(&self, range: Range<usize>, mut found: impl FnMut(usize)) {
        let mut keep = [0u8; MARKED];
        let mut start = range.start;
        while let Some(own) = self.input.get(start..range.end.min(start + MARKED)).filter(|own| !own.is_empty()) {
            let before = start.checked_sub(1).and_then(|at| self.input.get(at)).copied();
            let after = self.input.get(start + own.len()).copied();
            let (marked, rest) = keep.split_at_mut(own.len());
            self.marks.mark(Stretch { start, own, before, after }, marked);
            rest.fill(0);
            let (words, _) = keep.as_chunks::<8>();
            for (i, word) in words.iter().enumerate() {
                let mut word = u64::from_le_bytes(*word);
                while word != 0 {
                    found(start + 8 * i + word.trailing_zeros() as usize / 8);
                    word &= word - 1;
                }
            }
            start += own.len();
        }
    }

    fn count(&self, range: Range<usize>) -> Before {
        let mut before = Before::default();
        self.each(range, |at| before = Before { runs: before.runs + 1, last: at });
        before
    }

    /// Stores the runs that begin in a range, and how long those are that end in it.
    fn store(&self, range: Range<usize>, mut before: Before) -> Before {
        self.each(range, |at| {
            self.store_length(before.runs, at - before.last);
            if let Some(&value) = self.input.get(at).filter(|_| before.runs < self.room) {
                // SAFETY: there is room for it.
                unsafe {
                    self.values.add(before.runs).write(value);
                    if !self.lengths {
                        self.numbers.add(before.runs).write(<Indices as Yields<I, N>>::of(value, at));
                    }
                }
            }
            before = Before { runs: before.runs + 1, last: at };
        });
        before
    }

    /// Stores the length of the last of so many runs.
    #[inline(always)]
    fn store_length(&self, runs: usize, length: usize) {
        let Some(at) = runs.checked_sub(1).filter(|&at| at < self.room && self.lengths) else { return };
        if let Some(&value) = self.input.first() {
            // SAFETY: there is room for it.
            unsafe { self.numbers.add(at).write(<Indices as Yields<I, N>>::of(value, length)) };
        }
    }
}
