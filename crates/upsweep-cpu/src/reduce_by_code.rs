//! Reduction by codes on the CPU: the elements are cut into parts, and each part has a table with a total for each code.
//!
//! The tables of all parts are joined in the order of the parts. How elements are grouped is therefore a function of their
//! number and of the number of codes, and the operator need not commute.
//!
//! A part has so many elements for each entry of its table that the work on the tables is a small part of the whole. A
//! table that fits in a core's second-level cache costs a few cycles an element; a larger one costs a cache miss.

use super::engine::apart;
use std::mem::MaybeUninit;
use std::ops::Range;
use upsweep_core::bins::BinNumber;
use upsweep_core::error::{Error, Result};
use upsweep_core::init::InitSource;
use upsweep_core::inputs::{Faults, Read};
use upsweep_core::memory;
use upsweep_core::operator::{Element, Item};
use upsweep_core::outputs::Write;
use upsweep_core::segments::Whole;
use upsweep_core::steps::{Held, In, JobSteps, Out};
use upsweep_plan::cpu::PARALLEL_FROM_BYTES;

/// Largest number of parts, a power of two: few enough for their tables to take little memory.
const PARTS: usize = 64;
/// Least number of elements in a part for each entry of its table.
const OF_ENTRY: usize = 16;
/// Least number of elements in a part.
const PART: usize = 1 << 12;
/// Number of codes whose totals a thread joins at a time.
const JOINED: usize = 1 << 10;

/// Returns the number of elements in a part. The number of parts is a power of two, so that threads have equally many.
fn part_len(len: usize, codes: usize) -> usize {
    let most = len / OF_ENTRY.saturating_mul(codes).max(PART);
    len.div_ceil(1 << most.clamp(1, PARTS).ilog2()).max(1)
}

/// Reduces the elements of each code below `codes` to a result. The input and the input of codes have `len` elements, and
/// the output has `codes`. An element of another code is left out. The builder has checked that there is an identity or an
/// initial value.
pub fn run<S, C>(
    steps: S,
    (input, of_elements): (&<S::In as Read>::Given<'_>, &C::Given<'_>),
    output: &<S::Out as Write>::Given<'_>,
    init: &InitSource<'_, S::Given>,
    (len, codes): (usize, usize),
) -> Result<()>
where
    S: JobSteps,
    C: Read<Value: BinNumber>,
{
    Held::nothing().add_all::<_, Whole>(&steps, None)?;
    let faults = Faults::default();
    let places = Places::<S, C> {
        elements: S::In::place(input, "input", &faults)?,
        codes: C::place(of_elements, "codes", &faults)?,
        results: S::Out::place(output, "output", &faults)?,
    };
    let init = init.on_host()?.map(|value| steps.given(value));
    let part = part_len(len, codes);
    let parts = len.div_ceil(part);
    let mut tables = Tables::new(parts, codes)?;
    let bytes = len.saturating_mul(size_of::<In<S>>() + size_of::<<C as Item>::Value>());
    let many = bytes >= PARALLEL_FROM_BYTES;
    apart::each(&mut tables.each(), many, &|index, table| {
        let begin = index * part;
        // SAFETY: the range is within the elements and the codes, whose memory is valid while the call's buffers and
        // faults live; it is only read.
        unsafe { places.fill(&steps, begin..len.min(begin + part), table) };
    });
    let (tables, empty) = (&tables, init.or(steps.identity()));
    apart::run(codes.div_ceil(JOINED), many, &|index| {
        let begin = index * JOINED;
        for code in begin..codes.min(begin + JOINED) {
            let totals = (0..parts).map(|part| tables.total(part, code));
            let total = totals.fold(init, |total, next| steps.join(total, next)).or(empty);
            if let Some(total) = total {
                // SAFETY: the output has a result for each code, its memory is valid while the call's buffers and faults
                // live, and no other thread writes this result.
                unsafe { places.store(code, steps.store(total)) };
            }
        }
    });
    faults.check()
}

/// Memory of the elements, of their codes, and of the results.
struct Places<S: JobSteps, C: Read> {
    elements: <S::In as Read>::Place,
    codes: C::Place,
    results: <S::Out as Write>::Place,
}

// SAFETY: the memory is that of a call, which borrows the buffers for as long as it runs. Values are only read, and
// each result is written by one thread.
unsafe impl<S: JobSteps, C: Read> Sync for Places<S, C> {}

impl<S: JobSteps, C: Read<Value: BinNumber>> Places<S, C> {
    /// Combines each element of `range` with the total of its code in `table`, in order.
    ///
    /// # Safety
    /// The memory is valid and not written, and the range is within the elements and the codes.
    unsafe fn fill(&self, steps: &S, range: Range<usize>, table: &mut Table<'_, S::Acc>) {
        let mut table = Table { totals: &mut *table.totals, written: &mut *table.written };
        for at in range {
            // SAFETY: the memory is valid and not written, and `at` is within the codes: conditions of this function.
            let code = unsafe { C::read(&self.codes, at) }.index();
            table.change(code, |total| {
                // SAFETY: as above; `at` is within the elements.
                let x = steps.load(unsafe { S::In::read(&self.elements, at) }, at);
                total.map_or(x, |total| steps.combine(total, x))
            });
        }
    }

    /// Stores the result of a code.
    ///
    /// # Safety
    /// The memory is valid, `code` is less than the number of results, and no other thread writes this result.
    unsafe fn store(&self, code: usize, result: Out<S>) {
        // SAFETY: the conditions of this function.
        unsafe { S::Out::write(&self.results, code, result.canonical()) };
    }
}

/// Tables of all parts, one after the other.
struct Tables<T> {
    totals: Vec<MaybeUninit<T>>,
    /// Whether a total has been written. They are apart from the totals, so that the memory of totals need not be cleared.
    written: Vec<bool>,
    codes: usize,
}

/// Table of a part: a total for each code, once there is one.
struct Table<'a, T> {
    totals: &'a mut [MaybeUninit<T>],
    written: &'a mut [bool],
}

impl<T: Copy> Table<'_, T> {
    /// Replaces the total of `code` by what `new` makes of it. Other codes than those of the table have none.
    #[inline(always)]
    fn change(&mut self, code: usize, new: impl FnOnce(Option<T>) -> T) {
        let (Some(total), Some(written)) = (self.totals.get_mut(code), self.written.get_mut(code)) else { return };
        if *written {
            // SAFETY: the total has been written.
            let before = unsafe { total.assume_init() };
            total.write(new(Some(before)));
        } else {
            total.write(new(None));
            *written = true;
        }
    }
}

impl<T: Copy + Send> Tables<T> {
    fn new(parts: usize, codes: usize) -> Result<Self> {
        let len = parts.checked_mul(codes).ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        let mut totals = memory::room(len)?;
        // SAFETY: there is room for `len` values, which may be uninitialised.
        unsafe { totals.set_len(len) };
        Ok(Self { totals, written: memory::filled(len, false)?, codes })
    }

    /// Returns the tables of the parts.
    fn each(&mut self) -> Vec<Table<'_, T>> {
        let Self { totals, written, codes } = self;
        let tables = totals.chunks_mut((*codes).max(1)).zip(written.chunks_mut((*codes).max(1)));
        tables.map(|(totals, written)| Table { totals, written }).collect()
    }

    /// Returns the total of a code in a part.
    fn total(&self, part: usize, code: usize) -> Option<T> {
        let at = part * self.codes + code;
        let (total, true) = (self.totals.get(at)?, *self.written.get(at)?) else { return None };
        // SAFETY: the total has been written.
        Some(unsafe { total.assume_init() })
    }
}
