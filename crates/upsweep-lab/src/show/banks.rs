//! Accesses of a step to shared memory, with their words.

use crate::machine::{Run, Step};
use std::collections::BTreeMap;

/// Access to shared memory by all threads of a warp, or of half a warp, at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) array: usize,
    pub(super) write: bool,
    /// Number of turns that the access takes: the largest number of its words in one bank.
    pub(super) degree: u64,
    /// Threads that take part, in rising order, each with its word.
    pub(super) items: Vec<Item>,
}

/// Thread, and the word of shared memory that it accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) thread: usize,
    pub(super) word: usize,
}

/// Returns the accesses of a recorded step to shared memory, in their order.
pub(super) fn accesses(run: &Run, step: &Step) -> Vec<Access> {
    let mut found: BTreeMap<usize, Access> = BTreeMap::new();
    for event in &step.events {
        for (write, places) in [(false, &event.reads), (true, &event.writes)] {
            for place in places.iter().filter(|place| place.degree > 0) {
                let new = || Access { array: place.array, write, degree: place.degree, items: Vec::new() };
                let access = found.entry(place.together).or_insert_with(new);
                let word = run.arrays.get(place.array).map_or(0, |array| array.offset) + place.index;
                access.items.push(Item { thread: event.thread, word });
            }
        }
    }
    found.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Input;
    use crate::algorithms::{ALGORITHMS, by_name};
    use crate::machine::{Banks, Shape};
    use crate::operator::Operator;
    use crate::show::Recording;

    fn recording(name: &str, n: usize, shape: Shape) -> Recording {
        let input = Input { values: &vec![1; n], heads: &vec![false; n] };
        Recording::of(by_name(name).unwrap(), Operator::<i64>::sum(), shape, &input).unwrap()
    }

    /// A strided reduction's first step with 16 banks: threads 0 to 15 read words 0, 2, .., 30, two in each even bank.
    #[test]
    fn the_table_of_the_lecture() {
        let run = recording("reduce-strided", 64, Banks::Sixteen.into()).run;
        let access = &accesses(&run, &run.steps[1])[0];
        let words: Vec<_> = access.items.iter().map(|item| (item.thread, item.word)).collect();
        assert_eq!((words, access.degree, access.write), ((0..16).map(|t| (t, 2 * t)).collect(), 2, false));
    }

    /// A degree is the most words of one bank; conflicts are turns after the first; half-warps have a thread a bank.
    #[test]
    fn accesses_add_up_to_what_was_counted() {
        for algorithm in ALGORITHMS {
            for shape in [Shape::from(Banks::Sixteen), Banks::ThirtyTwo.into(), crate::show::small()] {
                if algorithm.takes_on(shape, 32).is_err() {
                    continue;
                }
                let Recording { run, .. } = recording(algorithm.name, 32, shape);
                let mut seen = 0;
                for step in &run.steps {
                    let found = accesses(&run, step);
                    seen += found.iter().map(|access| access.items.len() as u64).sum::<u64>();
                    let turns: u64 = found.iter().map(|access| access.degree - 1).sum();
                    assert_eq!(turns, step.counts.conflicts, "{} {}", algorithm.name, step.label);
                    for access in &found {
                        let banks = shape.banks.number();
                        let mut words: Vec<_> = access.items.iter().map(|item| item.word).collect();
                        words.sort_unstable();
                        words.dedup();
                        let of_bank = |bank: usize| words.iter().filter(|&&word| word % banks == bank).count() as u64;
                        assert_eq!((0..banks).map(of_bank).max(), Some(access.degree), "{}", algorithm.name);
                    }
                }
                assert_eq!(seen, run.total().shared_accesses(), "{}", algorithm.name);
            }
        }
    }
}
