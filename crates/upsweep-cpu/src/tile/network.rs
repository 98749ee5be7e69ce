//! Sorting network for short parts of an array, each sorted by itself, one in each lane. Its comparisons do not depend
//! on the numbers.
//!
//! ```text
//! for each batch of parts, one in each lane of rows of 64 bytes:
//!     transpose squares of numbers: row i has number i of each part, or the largest number (padding) past its end
//!     sort each square, then merge runs of rows by compare-exchange: lesser numbers to one row, greater to the other
//!     transpose the squares back
//! ```
//!
//! The network is the merge exchange of K. E. Batcher (Sorting networks and their applications, 1968; Knuth, The Art of
//! Computer Programming 3, 5.3.4), without the comparisons with padding rows. Stability does not matter, as equal
//! numbers are identical.

use super::lanes::{Lanes, ROW_BYTES, Work};
use std::mem::MaybeUninit;
use std::ops::Range;
use upsweep_core::key::KeyBits;

/// Largest number of numbers in a part: a piece of the array that is sorted by itself.
pub(crate) const MOST: usize = 256;
/// Number of rows that are sorted in registers at once. Runs of this many rows are then merged.
const EIGHT: usize = 8;

/// Job that sorts the parts `begins[i] .. begins[i + 1]` of `numbers`, each into the same indices of `sorted`.
///
/// # Safety
/// Conditions of the call: the parts cover all of the numbers, and none has more than [`MOST`]. `sorted` is disjoint
/// from the numbers, and has room for them and one more row.
pub(crate) struct Network<'a, B> {
    pub(crate) numbers: &'a [B],
    pub(crate) sorted: *mut B,
    pub(crate) begins: &'a [usize],
}

/// Returns the number of lanes of a row, which is also the number of parts that are sorted at once.
pub(crate) const fn lanes<B>() -> usize {
    ROW_BYTES / size_of::<B>()
}

impl<B: KeyBits> Work for Network<'_, B> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the processor has the instructions of `L`. The parts cover all of the numbers and have at most
        // [`MOST`] each. `sorted` has room for one more row.
        unsafe {
            match const { size_of::<B>() } {
                4 => self.go::<L, 16>(),
                8 => self.go::<L, 8>(),
                _ => {}
            }
        }
    }
}

impl<B: KeyBits> Network<'_, B> {
    /// Runs the network with rows of `N` lanes.
    ///
    /// # Safety
    /// The conditions of [`Network`] hold. A row has `N` numbers, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn go<L: Lanes, const N: usize>(self) {
        let mut rows = [MaybeUninit::<L::Row>::uninit(); MOST];
        let rows = rows.as_mut_ptr().cast::<L::Row>();
        // A row that is read from index `N - k` on has `k` zeros, and then the largest number in the other lanes.
        let mut tails = [[B::default(); N], [B::of(u128::MAX); N]];
        let tails: *const B = tails.as_mut_ptr().cast();
        let parts = self.begins.len() - 1;
        // SAFETY: the processor has the instructions of `L`. All indices below are in a part of the numbers, or in the
        // additional row after the last part.
        unsafe {
            let most = tails.add(N).cast::<L::Row>().read_unaligned();
            for first in (0..parts).step_by(N) {
                let lanes = N.min(parts - first);
                let part = |lane: usize| {
                    let begin = *self.begins.get_unchecked(first + lane);
                    (begin, self.begins.get_unchecked(first + lane + 1) - begin)
                };
                let longest = (0..lanes).map(|lane| part(lane).1).max().unwrap_or(0);
                for row in (0..longest).step_by(N) {
                    let mut square = [most; N];
                    for (lane, to) in square.iter_mut().enumerate().take(lanes) {
                        let (begin, len) = part(lane);
                        if row < len {
                            *to = read_row::<L, B, N>(self.numbers.get_unchecked(begin + row..));
                            if row + N > len {
                                let mut tail = tails.add(N - (len - row)).cast::<L::Row>().read_unaligned();
                                L::exchange::<B>(&raw mut tail, to);
                            }
                        }
                    }
                    rows.add(row).cast::<[L::Row; N]>().write(L::transposed(square));
                }
                sort_rows::<L, B>(rows, longest.next_multiple_of(EIGHT), most);
                for row in (0..longest).step_by(N).rev() {
                    let square = L::transposed(rows.add(row).cast::<[L::Row; N]>().read());
                    for (lane, numbers) in square.iter().enumerate().take(lanes) {
                        let (begin, len) = part(lane);
                        if row < len {
                            // Numbers stored past the part are overwritten later, by the parts after it.
                            self.sorted.add(begin + row).cast::<L::Row>().write_unaligned(*numbers);
                        }
                    }
                }
            }
        }
    }
}

/// Loads the first `N` of `numbers` as a row. Lanes past the last number have any value.
///
/// # Safety
/// A row has `N` numbers.
#[inline(always)]
unsafe fn read_row<L: Lanes, B: KeyBits, const N: usize>(numbers: &[B]) -> L::Row {
    let mut few = [B::default(); N];
    let from = if numbers.len() < N {
        few.iter_mut().zip(numbers).for_each(|(to, from)| *to = *from);
        few.as_ptr()
    } else {
        numbers.as_ptr()
    };
    // SAFETY: `from` has the `N` numbers of a row.
    unsafe { from.cast::<L::Row>().read_unaligned() }
}

/// Compare-exchanges pairs of rows, one after the other. Not a loop, so that rows stay in registers.
macro_rules! exchange {
    ($rows:ident; $($low:literal $high:literal),*) => {
        $(L::exchange::<B>($rows.add($low), $rows.add($high));)*
    };
}

/// Sorts the numbers of each lane of `len` rows, a multiple of eight.
///
/// # Safety
/// There are `len` rows of numbers `B`, and `most` is a row of the largest number.
#[inline(always)]
unsafe fn sort_rows<L: Lanes, B: KeyBits>(rows: *mut L::Row, len: usize, most: L::Row) {
    // SAFETY: there are `len` rows of numbers `B`, and all rows below are among them.
    unsafe {
        for first in (0..len).step_by(EIGHT) {
            let mut eight = rows.add(first).cast::<[L::Row; EIGHT]>().read();
            let own = eight.as_mut_ptr();
            exchange!(own; 0 1, 2 3, 4 5, 6 7, 0 2, 1 3, 4 6, 5 7, 1 2, 5 6);
            exchange!(own; 0 4, 1 5, 2 6, 3 7, 2 4, 3 5, 1 2, 3 4, 5 6);
            rows.add(first).cast::<[L::Row; EIGHT]>().write(eight);
        }
        // Merges pairs of sorted runs. The last run may be shorter.
        let mut run = EIGHT;
        while run < len {
            for begin in (0..len - run).step_by(2 * run) {
                let end = len.min(begin + 2 * run);
                let step = run / EIGHT;
                for first in begin..begin + step {
                    merge_eights::<L, B>(rows.add(first), step, (end - first).div_ceil(step), most);
                }
                if step > 8 {
                    exchange_all::<L, B, 8>(rows, begin..end);
                }
                if step > 4 {
                    exchange_all::<L, B, 4>(rows, begin..end);
                }
                if step > 2 {
                    exchange_all::<L, B, 2>(rows, begin..end);
                }
                if step > 1 {
                    exchange_all::<L, B, 1>(rows, begin..end);
                }
            }
            run *= 2;
        }
    }
}

/// Merges two sorted runs of eight rows at a stride of `step` rows. Only the first `there` of the 16 rows exist; the
/// others count as padding.
///
/// # Safety
/// The first `there` rows exist and are rows of numbers `B`, and `most` is a row of the largest number.
#[inline(always)]
unsafe fn merge_eights<L: Lanes, B: KeyBits>(rows: *mut L::Row, step: usize, there: usize, most: L::Row) {
    // SAFETY: the first `there` rows exist.
    unsafe {
        let mut both = [most; 2 * EIGHT];
        for (i, row) in both.iter_mut().enumerate() {
            if i < there {
                *row = rows.add(i * step).read();
            }
        }
        let own = both.as_mut_ptr();
        exchange!(own; 0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15, 4 8, 5 9, 6 10, 7 11);
        exchange!(own; 2 4, 3 5, 6 8, 7 9, 10 12, 11 13, 1 2, 3 4, 5 6, 7 8, 9 10, 11 12, 13 14);
        for (i, row) in both.iter().enumerate() {
            if i < there {
                rows.add(i * step).write(*row);
            }
        }
    }
}

/// Compare-exchanges rows `DISTANCE` apart, among the rows `places`. Runs of `DISTANCE` rows are paired with the runs
/// after them; the first and the last run are left out.
///
/// # Safety
/// The rows `places` exist and are rows of numbers `B`. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn exchange_all<L: Lanes, B: KeyBits, const DISTANCE: usize>(rows: *mut L::Row, places: Range<usize>) {
    for first in (places.start + DISTANCE..places.end - DISTANCE).step_by(2 * DISTANCE) {
        for low in first..first + DISTANCE {
            // SAFETY: the rows `places` exist, and both rows are among them.
            unsafe { L::exchange::<B>(rows.add(low), rows.add(low + DISTANCE)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simd::Set;
    use super::*;
    use std::fmt::Debug;

    /// Checks the sorted parts with each instruction set.
    fn check<B: KeyBits + Debug>(numbers: &[B], begins: &[usize], what: &str) {
        let mut expected = numbers.to_vec();
        begins.windows(2).for_each(|part| expected[part[0]..part[1]].sort_unstable());
        for set in Set::all() {
            let mut sorted = vec![B::default(); numbers.len() + lanes::<B>()];
            // SAFETY: there is room for one more row, and the set is this processor's.
            unsafe { set.compiled()(Network { numbers, sorted: sorted.as_mut_ptr(), begins }) };
            let wrong = begins.windows(2).find(|part| sorted[part[0]..part[1]] != expected[part[0]..part[1]]);
            assert_eq!(wrong, None, "{what}");
        }
    }

    /// Checks zeros and ones: a network that sorts all of these sorts all numbers (Knuth, 5.3.4, theorem Z). Pairs of
    /// sorted runs of zeros and ones are few.
    fn check_zeros_and_ones<B: KeyBits + Debug>() {
        let longest = if cfg!(feature = "small-loops") { 72 } else { MOST };
        for len in (EIGHT..=longest).step_by(EIGHT) {
            let run = (len.div_ceil(2)).next_power_of_two();
            let mut numbers = Vec::new();
            if len == EIGHT {
                (0..1 << EIGHT).for_each(|bits| (0..EIGHT).for_each(|i| numbers.push(B::of(bits >> i & 1))));
            } else {
                for (ones, others) in (0..=run).flat_map(|ones| (0..=len - run).map(move |others| (ones, others))) {
                    let is_one = |i: usize| if i < run { i + ones >= run } else { i + others >= len };
                    numbers.extend((0..len).map(|i| B::of(u128::from(is_one(i)))));
                }
            }
            let begins: Vec<usize> = (0..=numbers.len() / len).map(|part| part * len).collect();
            check(&numbers, &begins, &format!("{len} zeros and ones of {} bits", B::BITS));
        }
    }

    #[test]
    fn zeros_and_ones() {
        check_zeros_and_ones::<u32>();
        check_zeros_and_ones::<u64>();
    }

    /// Checks parts up to each length, with the least and the largest numbers among them, and a last batch that does
    /// not fill a row.
    fn check_each_length<B: KeyBits + Debug>() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 17
        };
        for len in 0..=MOST {
            let mut begins = vec![0];
            for part in 0..=lanes::<B>() + len % lanes::<B>() {
                let own = if part % 3 == 2 { random() as usize % (len + 1) } else { len };
                begins.push(begins[part] + own);
            }
            let number = |random: u64| match random % 5 {
                0 => B::of(u128::MAX),
                1 => B::default(),
                _ => B::of(u128::from(random.wrapping_mul(0x9e37_79b9_7f4a_7c15))),
            };
            let numbers: Vec<B> = (0..begins[begins.len() - 1]).map(|_| number(random())).collect();
            check(&numbers, &begins, &format!("up to {len} numbers of {} bits", B::BITS));
        }
    }

    #[test]
    fn parts_of_each_length() {
        check_each_length::<u32>();
        check_each_length::<u64>();
    }
}
