//! Quicksort by segmented scans: the keys in their order, by one thread a key.
//!
//! Quicksort splits keys by a pivot, and then each part by a pivot of its own. The parts are segments that lie side by
//! side, so all of them are split at the same time. A thread marks whether its key is smaller than its segment's pivot,
//! or the same. The segmented sum of the marks says how many such keys lie before it, which is where it goes.
//!
//! ```text
//!    s        3   1   7   0   4   1   6   3      the pivot: the first, 3
//!    less     .   1   .   1   .   1   .   .      marks
//!    equal    1   .   .   .   .   .   .   1
//!    less     0   1   1   2   2   3   3   3      their segmented sums
//!    equal    1   1   1   1   1   1   1   2
//!
//!    s        1   0   1 | 3   3 | 7   4   6      pivots 1, 3, 7
//!    s        0 | 1   1 | 3   3 | 4   6 | 7      sorted
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[t] = x[t],  begin[t] = 0                                         # load
//! do:
//!     barrier
//!     pivot = s[begin[t]]                                            # mark
//!     less[t] = s[t] < pivot,  equal[t] = s[t] == pivot              # mark
//!     for stride = 1, 2, 4, ... < n:
//!         barrier
//!         if t - stride >= begin[t]:                                 # add
//!             sums = less, equal[t - stride] + less, equal[t]
//!         barrier
//!         if t - stride >= begin[t]: less, equal[t] = sums           # write
//!     if t + 1 == n or begin[t + 1] == t + 1:     the segment's last # total
//!         smaller, same[begin[t]] = less, equal[t]
//!     barrier
//!     b = begin[t],  l = less[t],  e = equal[t],  key = s[t]         # place
//!     if smaller:     first = b,  to = first + l - 1                 # place
//!     elif the same:  first = b + smaller[b],  to = first + e - 1    # place
//!     else:           first = b + smaller[b] + same[b]               # place
//!                     to = t + first - b - l - e                     # place
//!     barrier
//!     s[to] = key,  begin[to] = first                                # move
//!     barrier
//!     go on, if s[t] > s[t + 1] for any t                            # sorted
//! y[t] = s[t]                                                        # store
//! ```
//!
//! Keys that are larger than the pivot go behind all others of their segment, in their order: t moves right by the smaller
//! and the same ones behind it. So each round keeps equal keys in their order, and so does the sort.
//!
//! # Cost
//!
//! A round takes two comparisons a key and two segmented scans with up to n log₂ n additions each; its depth is
//! 2 log₂ n + 2. Random keys take some 2 log₂ n rounds: 20 for 1024 keys. Keys in reverse order are the worst case, n - 1
//! rounds, as the segment loses no more than its pivot in each. Keys that are in order take one round.
//!
//! # What differs from the lecture
//!
//! The lectures name quicksort among what a scan is good for, and print no code. Blelloch's (1990, section 1.5) has vector
//! operations: a segmented copy hands each segment's pivot to its keys, and a segmented split moves them. Here each thread
//! knows where its segment begins, and reads the pivot there. That place takes the part of the flag, too: a word is added if
//! it does not lie before it. What a round needs beside the scan is who is last in a segment, to tell the totals.
//!
//! There is no CUDA kernel of it, so it is in no race. For sorting with a comparison of one's own a merge sort has fewer
//! passes over memory, and for numbers a sort by digits: the library's `Sort` does these.

use crate::algorithm::Input;
use crate::machine::{Array, Block, Flags, Machine, Thread, Word};
use crate::variant::Variant;
use std::cmp::Ordering;

/// Arrays in shared memory, with a word for each key.
#[derive(Clone, Copy)]
struct Keys {
    s: Array,
    /// Index at which the segment of each key begins.
    begin: Flags,
    /// First marks, 1 for keys smaller than the pivot and for keys equal to it; then the marks' sums in each segment.
    counts: [Flags; 2],
    /// Numbers of a segment's smaller and equal keys, stored at the index where the segment begins.
    totals: [Flags; 2],
}

impl Keys {
    #[track_caller]
    fn begin<T: Word>(self, t: &mut Thread<'_, T>) -> usize {
        t.read_flag(self.begin, t.index) as usize
    }

    /// Marks keys that are smaller than the pivot or equal to it; returns the comparison of each key with its pivot.
    fn mark<T: Word>(self, block: &mut Block<'_, T>, n: usize) -> Vec<Ordering> {
        let mut orders = vec![Ordering::Equal; n];
        block.step("mark", |t| {
            let begin = self.begin(t);
            let (pivot, own) = (t.read(self.s, begin), t.read(self.s, t.index));
            let order = t.compare(own, pivot);
            orders[t.index] = order;
            for (counts, marked) in self.counts.into_iter().zip([Ordering::Less, Ordering::Equal]) {
                t.write_flag(counts, t.index, u32::from(order == marked));
            }
        });
        orders
    }

    /// Scans the two arrays of counts in each segment (Kogge-Stone): a word is added unless it is before the segment.
    fn scan<T: Word>(self, block: &mut Block<'_, T>, n: usize) {
        let mut sums = vec![[0; 2]; n];
        let mut stride = 1;
        while stride < n {
            block.barrier();
            block.step("add", |t| {
                let begin = self.begin(t);
                if t.branch(t.index >= begin + stride) {
                    for (place, counts) in self.counts.into_iter().enumerate() {
                        let (left, own) = (t.read_flag(counts, t.index - stride), t.read_flag(counts, t.index));
                        let sum = t.add(left, own);
                        sums[t.index][place] = t.keep(["less", "equal"][place], sum);
                    }
                }
            });
            block.barrier();
            block.step("write", |t| {
                let begin = self.begin(t);
                if t.branch(t.index >= begin + stride) {
                    for (place, counts) in self.counts.into_iter().enumerate() {
                        t.write_flag(counts, t.index, sums[t.index][place]);
                    }
                }
            });
            stride *= 2;
        }
    }

    /// Stores the two counts of each whole segment, which the segment's last thread has.
    fn total<T: Word>(self, block: &mut Block<'_, T>, n: usize) {
        block.step("total", |t| {
            let is_last = t.index + 1 == n || t.read_flag(self.begin, t.index + 1) as usize == t.index + 1;
            if t.branch(is_last) {
                let begin = self.begin(t);
                for (counts, totals) in self.counts.into_iter().zip(self.totals) {
                    let all = t.read_flag(counts, t.index);
                    t.write_flag(totals, begin, all);
                }
            }
        });
    }

    /// Moves each key to its position, where another segment may begin.
    fn split<T: Word>(self, block: &mut Block<'_, T>, n: usize, orders: &[Ordering]) {
        let mut moves = vec![(block.operator().identity, 0, 0); n];
        block.step("place", |t| {
            let begin = self.begin(t);
            let [less, equal] = self.counts.map(|counts| t.read_flag(counts, t.index) as usize);
            let [smaller, same] = self.totals.map(|totals| t.read_flag(totals, begin) as usize);
            let own = t.read(self.s, t.index);
            let (to, first) = match orders[t.index] {
                Ordering::Less => (begin + less - 1, begin),
                Ordering::Equal => (begin + smaller + equal - 1, begin + smaller),
                Ordering::Greater => (t.index + smaller - less + same - equal, begin + smaller + same),
            };
            moves[t.index] = (t.keep("key", own), t.keep("to", to), t.keep("first", first));
        });
        block.barrier();
        block.step("move", |t| {
            let (key, to, first) = moves[t.index];
            t.write(self.s, to, key);
            t.write_flag(self.begin, to, first as u32);
        });
    }

    /// Returns whether any key is larger than the next one: a barrier with a vote, like `__syncthreads_or`.
    fn goes_on<T: Word>(self, block: &mut Block<'_, T>, n: usize) -> bool {
        let mut any = false;
        block.step("sorted", |t| {
            if t.branch(t.index + 1 < n) {
                let (own, next) = (t.read(self.s, t.index), t.read(self.s, t.index + 1));
                any |= t.compare(own, next) == Ordering::Greater;
            }
        });
        any
    }
}

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    machine.launch("quicksort", 1, n, |block| {
        let keys = Keys {
            s: block.shared("s", n),
            begin: block.shared_flags("begin", n),
            counts: ["less", "equal"].map(|name| block.shared_flags(name, n)),
            totals: ["smaller", "same"].map(|name| block.shared_flags(name, n)),
        };
        block.step("load", |t| {
            t.copy(x, t.index, keys.s, t.index);
            t.write_flag(keys.begin, t.index, 0);
        });
        loop {
            block.barrier();
            let orders = keys.mark(block, n);
            keys.scan(block, n);
            keys.total(block, n);
            block.barrier();
            keys.split(block, n, &orders);
            block.barrier();
            if !keys.goes_on(block, n) {
                break;
            }
        }
        block.step("store", |t| t.copy(keys.s, t.index, y, t.index));
    });
    y
}
