//! Histograms on the CPU: each thread counts parts of the array in private tables, which are added up.
//!
//! For elements of one byte the 256 values are counted, and these are mapped to bins afterwards. Other elements are
//! mapped to bins a few hundred at a time, and then counted. Large arrays of bytes are counted in `pairs`. If tables
//! are small, neighbouring elements are counted in different tables: an addition to a count that was just stored would
//! wait for that store.
//!
//! Rows and segments are a thread's each, but for those that are longer than a thread's share of all elements.

mod pairs;

use self::pairs::{PAIRS, Pairs};
use super::engine::apart;
use super::engine::chain::Tickets;
use super::tile::lanes::{Lanes, Work};
use super::tile::simd::Set;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use upsweep_core::bins::UNSURE;
use upsweep_core::call::bounds::Bounds;
use upsweep_core::error::Result;
use upsweep_core::memory;
use upsweep_core::operator::Element;
use upsweep_core::tally::Amount;
use upsweep_core::tally::{Count, Scale, Weight};
use upsweep_plan::cpu::PARALLEL_FROM_BYTES;

/// Largest number of elements in a part, which one thread counts at a time. Its tables have counts of 32 bits.
const PART: usize = 1 << 28;
/// Number of parts per thread, so that a slower thread gets fewer.
const PARTS: usize = 16;
/// Least number of elements in a part for each slot of its table, so that the work on the table is negligible.
const OF_SLOT: usize = 16;
/// Number of elements that are mapped to bins before they are counted.
const CHUNK: usize = 512;
/// Number of tables of a thread if they are small: a power of two.
const TABLES: usize = 4;
/// Largest number of slots in a small table. A slot is the count or the sum of a bin in a channel.
const SMALL: usize = 1 << 12;
const VALUES: usize = 256;
/// Least number of bytes that are counted in pairs: in smaller inputs the larger tables would cost more than they save.
const PAIRS_FROM: usize = 8 << 20;

/// Slots of a histogram: a count or a sum for each bin of each counted channel.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    pub bins: usize,
    /// Number of channels of the input, whose elements are interleaved.
    pub channels: usize,
    /// Number of channels that are counted: the first ones.
    pub counted: usize,
}

impl Slots {
    fn len(self) -> usize {
        self.counted * self.bins
    }

    /// Returns the index of the slot (the count or sum) of a bin in a channel, or `len` if there is no such bin.
    #[inline(always)]
    fn slot(self, bin: u32, channel: usize) -> usize {
        let bin = bin as usize;
        if bin < self.bins && channel < self.counted { channel * self.bins + bin } else { self.len() }
    }

    /// Calls `each` with the slot and the position of every element. `first` is the position of the first one.
    #[inline(always)]
    fn place<T: Copy>(
        self,
        input: &[T],
        first: usize,
        (quick, exact): (impl Fn(T) -> u32 + Copy, impl Fn(T) -> u32),
        mut each: impl FnMut(usize, usize),
    ) {
        let mut bins = [0u32; CHUNK];
        let set = Set::widest();
        let mut channel = first % self.channels;
        for (chunk, start) in input.chunks(CHUNK).zip((first..).step_by(CHUNK)) {
            // SAFETY: the processor has the instructions of every `Set`.
            unsafe { set.compiled()(Look { input: chunk, bins: &mut bins, quick }) };
            for (k, (&bin, &x)) in bins.iter().zip(chunk).enumerate() {
                let bin = if bin == UNSURE { exact(x) } else { bin };
                if self.channels == 1 {
                    each((bin as usize).min(self.bins), start + k);
                } else {
                    each(self.slot(bin, channel), start + k);
                    channel = if channel + 1 == self.channels { 0 } else { channel + 1 };
                }
            }
        }
    }
}

/// Kernel that maps the elements of a chunk to their bins, by the quick map.
///
/// # Safety
/// The processor has the instructions for which `run` is compiled. There are no other conditions.
struct Look<'a, T, F> {
    input: &'a [T],
    bins: &'a mut [u32; CHUNK],
    /// Quick map, by value: so the compiler knows that the loop does not change its captures.
    quick: F,
}

impl<T: Copy, F: Fn(T) -> u32> Work for Look<'_, T, F> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        for (bin, &x) in self.bins.iter_mut().zip(self.input) {
            *bin = (self.quick)(x);
        }
    }
}

/// Stores the number of elements of each slot, of each row or segment.
pub fn count<T: Element, C: Count>(
    input: &[T],
    bounds: &Bounds,
    slots: Slots,
    rules: (impl Fn(T) -> u32 + Sync + Copy, impl Fn(T) -> u32 + Sync + Copy),
    output: &mut [C],
) -> Result<()> {
    in_rows(input, bounds, output, |range, alone, output| {
        count_all(input.get(range).unwrap_or_default(), alone, slots, rules, output)
    })
}

/// Calls `work` for each row or segment, with its range, whether it is the calling thread's alone, and its part of
/// `output`.
fn in_rows<T: Sync, O: Send>(
    input: &[T],
    bounds: &Bounds,
    output: &mut [O],
    work: impl Fn(Range<usize>, bool, &mut [O]) -> Result<()> + Sync,
) -> Result<()> {
    let rows = bounds.count();
    if rows == 1 {
        return work(bounds.range(0), false, output);
    }
    let slots = output.len() / rows.max(1);
    let results = Results(output.as_mut_ptr());
    let results = &results;
    let many = size_of_val(input) >= PARALLEL_FROM_BYTES;
    apart::run_uneven(rows, (input.len(), many), &|row| bounds.range(row).len(), &|row, alone| {
        // SAFETY: each row has `slots` results of its own, in the output that is borrowed exclusively.
        let own = unsafe { std::slice::from_raw_parts_mut(results.0.add(row * slots), slots) };
        work(bounds.range(row), alone, own)
    })
}

/// Address of the results.
struct Results<O>(*mut O);

// SAFETY: each result belongs to one row, which one thread processes.
unsafe impl<O: Send> Sync for Results<O> {}

/// Stores the number of elements of each slot. `alone`: the calling thread does it.
fn count_all<T: Element, C: Count>(
    input: &[T],
    alone: bool,
    slots: Slots,
    (quick, exact): (impl Fn(T) -> u32 + Sync + Copy, impl Fn(T) -> u32 + Sync + Copy),
    output: &mut [C],
) -> Result<()> {
    output.fill(C::ZERO);
    let by_value = size_of::<T>() == 1;
    let width = if by_value { slots.channels * VALUES } else { slots.len() };
    let many = by_value || width <= SMALL;
    let tables = if many { TABLES } else { 1 };
    // Each table has one more slot, for elements without a bin. The stride of small tables is a power of two, so that a
    // table's start is a shift.
    let stride = if many { (width + 1).next_power_of_two() } else { width + 1 };
    let shift = stride.ilog2();
    // Slot of table index `value`: of byte `value % VALUES` in channel `value / VALUES`. It is called only for bytes
    // that occur in the input, so the byte is a valid `T`.
    let slot_of_value = |value: usize| {
        let byte = (value % VALUES) as u8;
        // SAFETY: `T` has one byte, and this byte is a value of an element.
        slots.slot(exact(unsafe { std::mem::transmute_copy::<u8, T>(&byte) }), value / VALUES)
    };
    if by_value && slots.channels == 1 && input.len() >= PAIRS_FROM {
        for (value, &total) in count_in_pairs(input, alone)?.iter().enumerate().filter(|(_, total)| **total > 0) {
            if let Some(count) = output.get_mut(slot_of_value(value)) {
                let most = u64::from(u32::MAX);
                (0..total / most).for_each(|_| count.add(u32::MAX));
                count.add((total % most) as u32);
            }
        }
        return Ok(());
    }
    let output = Mutex::new(output);
    in_parts((input, alone), tables * stride, |first, part| {
        let mut counts = memory::filled(tables * stride, 0u32)?;
        if by_value {
            count_values(bytes_of(part), first % slots.channels, slots.channels, stride, &mut counts);
        } else {
            let mut add = |at: usize| {
                if let Some(count) = counts.get_mut(at) {
                    *count += 1;
                }
            };
            if many {
                slots.place(part, first, (quick, exact), |slot, at| add(slot | (at % TABLES) << shift));
            } else {
                slots.place(part, first, (quick, exact), |slot, _| add(slot));
            }
        }
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        for slot in 0..width {
            let sum: u32 = counts.iter().skip(slot).step_by(stride).sum();
            if sum == 0 {
                continue;
            }
            let to = if by_value { slot_of_value(slot) } else { slot };
            if let Some(count) = output.get_mut(to) {
                count.add(sum);
            }
        }
        Ok(())
    })
}

/// Returns the elements, which have one byte each, as bytes.
fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: an element of one byte has no padding, and the length is that of the slice.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast::<u8>(), size_of_val(elements)) }
}

/// Counts the occurrences of each value of a byte.
fn count_in_pairs<T: Element>(input: &[T], alone: bool) -> Result<[u64; VALUES]> {
    let all = Mutex::new(Vec::<Pairs>::new());
    let all = || all.lock().unwrap_or_else(PoisonError::into_inner);
    in_parts((input, alone), 0, |_, part| {
        // At most one table per thread is allocated.
        let own = all().pop();
        let mut own = match own {
            Some(own) => own,
            None => Pairs::of(memory::filled(PAIRS, 0)?, memory::filled(PAIRS, 0)?),
        };
        own.count(bytes_of(part));
        all().push(own);
        Ok(())
    })?;
    let mut totals = [0; VALUES];
    for of_thread in all().iter().map(Pairs::totals) {
        totals.iter_mut().zip(of_thread).for_each(|(total, number)| *total += number);
    }
    Ok(totals)
}

/// Counts the values of bytes in tables of `stride`. Channels are interleaved, and the first byte is of `channel`.
fn count_values(bytes: &[u8], channel: usize, channels: usize, stride: usize, counts: &mut [u32]) {
    let (a, rest) = counts.split_at_mut(stride);
    let (b, rest) = rest.split_at_mut(stride);
    let (c, d) = rest.split_at_mut(stride);
    if channels == 1
        && let (Some(a), Some(b)) = (a.first_chunk_mut::<VALUES>(), b.first_chunk_mut::<VALUES>())
        && let (Some(c), Some(d)) = (c.first_chunk_mut::<VALUES>(), d.first_chunk_mut::<VALUES>())
    {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            let word = u64::from_le_bytes(*word);
            let byte = |k: u32| usize::from((word >> (8 * k)) as u8);
            a[byte(0)] += 1;
            b[byte(1)] += 1;
            c[byte(2)] += 1;
            d[byte(3)] += 1;
            a[byte(4)] += 1;
            b[byte(5)] += 1;
            c[byte(6)] += 1;
            d[byte(7)] += 1;
        }
        rest.iter().for_each(|&byte| a[usize::from(byte)] += 1);
        return;
    }
    let mut channel = channel;
    for &byte in bytes {
        if let Some(count) = a.get_mut(channel * VALUES + usize::from(byte)) {
            *count += 1;
        }
        channel = if channel + 1 == channels { 0 } else { channel + 1 };
    }
}

/// Stores the sum of the weights of each slot's elements, of each row or segment.
pub fn sum<T: Element, W: Weight>(
    (input, weights): (&[T], &[W]),
    bounds: &Bounds,
    slots: Slots,
    rules: (impl Fn(T) -> u32 + Sync + Copy, impl Fn(T) -> u32 + Sync + Copy),
    output: &mut [W],
) -> Result<()> {
    in_rows(input, bounds, output, |range, alone, output| {
        let own = (input.get(range.clone()).unwrap_or_default(), weights.get(range).unwrap_or_default());
        sum_all(own, (weights.len(), alone), slots, rules, output)
    })
}

/// Stores the sum of the weights of each slot's elements, which are some of `total`.
fn sum_all<T: Element, W: Weight>(
    (input, weights): (&[T], &[W]),
    (total, alone): (usize, bool),
    slots: Slots,
    (quick, exact): (impl Fn(T) -> u32 + Sync + Copy, impl Fn(T) -> u32 + Sync + Copy),
    output: &mut [W],
) -> Result<()> {
    // Fixed-point sums: each slot has a unit of its own, so that the weights of other slots make no difference.
    let units = if W::AMOUNT == Amount::Float { slots.len() } else { 0 };
    let largest = Mutex::new(memory::filled(units, 0)?);
    if units > 0 {
        in_parts((input, alone), units, |first, part| {
            let mut own = memory::filled(units, 0)?;
            slots.place(part, first, (quick, exact), |slot, at| {
                if let (Some(most), Some(&weight)) = (own.get_mut(slot), weights.get(at)) {
                    *most = weight.exponent().max(*most);
                }
            });
            let mut largest = largest.lock().unwrap_or_else(PoisonError::into_inner);
            largest.iter_mut().zip(own).for_each(|(most, own)| *most = own.max(*most));
            Ok(())
        })?;
    }
    let largest = largest.into_inner().unwrap_or_else(PoisonError::into_inner);
    let scale = |slot| Scale::new(largest.get(slot).copied().unwrap_or_default(), total);
    let sums = Mutex::new(memory::filled(slots.len(), W::Sum::default())?);
    in_parts((input, alone), slots.len(), |first, part| {
        let mut own = memory::filled(slots.len(), W::Sum::default())?;
        slots.place(part, first, (quick, exact), |slot, at| {
            if let (Some(sum), Some(&weight)) = (own.get_mut(slot), weights.get(at)) {
                weight.add(sum, scale(slot));
            }
        });
        let mut sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
        sums.iter_mut().zip(own).for_each(|(sum, own)| W::join(sum, own));
        Ok(())
    })?;
    let sums = sums.into_inner().unwrap_or_else(PoisonError::into_inner);
    output.iter_mut().zip(sums).enumerate().for_each(|(slot, (to, sum))| *to = W::finish(sum, scale(slot)));
    Ok(())
}

/// Calls `work` for each part of the input with the position of its first element, on several threads unless it is the
/// calling thread's `alone`. `slots` is the
/// number of slots of the table of a part.
fn in_parts<T: Sync>(
    (input, alone): (&[T], bool),
    slots: usize,
    work: impl Fn(usize, &[T]) -> Result<()> + Sync,
) -> Result<()> {
    let threads =
        if alone || size_of_val(input) < PARALLEL_FROM_BYTES { 1 } else { rayon::current_num_threads().max(1) };
    let of_thread = input.len().div_ceil(threads);
    let part = of_thread.div_ceil(PARTS).max(OF_SLOT * slots).min(of_thread).clamp(1, PART);
    let count = input.len().div_ceil(part);
    let failed = Mutex::new(None);
    Tickets::new(count).run(threads, &|index, _| {
        let start = index * part;
        let part = input.get(start..input.len().min(start + part)).unwrap_or_default();
        if let Err(error) = work(start, part) {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        Ok(())
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}
