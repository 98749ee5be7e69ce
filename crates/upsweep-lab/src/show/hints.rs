//! Hints at lengths that show something: found by running the algorithm, so that no hint is wrong.

use crate::algorithm::{Algorithm, Error, Input, Setup};
use crate::algorithms::by_name;
use crate::machine::{Banks, Counts, Shape};
use crate::operator::Operator;

/// Returns the length and the machine with which a page shows the idea of an algorithm best.
#[must_use]
pub fn telling(algorithm: &Algorithm) -> (usize, Shape) {
    let gpu = Shape::from(Banks::Sixteen);
    if algorithm.is_faulty() {
        return (first_fault(algorithm, gpu).unwrap_or(16), gpu);
    }
    if algorithm.has_tiles() {
        // 40 elements are five tiles on the small machine.
        return (40, small());
    }
    match algorithm.file {
        "sequential" | "fenwick_updates" | "quicksort" => (16, gpu),
        // Warps of 8 threads, so that 32 elements take several warps.
        "reduce_shuffle" | "reduce_unrolled" => (32, Shape { warp: 8, ..Shape::from(Banks::Eight) }),
        // In shared memory each element has a flag beside it.
        "segmented_pairs" | "segmented_sweep" => (32, gpu),
        // From 64 elements on, the threads at a tree's nodes access different words of one bank.
        _ => (64, gpu),
    }
}

/// Machine with warps of 4 threads and tiles of 8 elements, so that several tiles fit a screen.
#[must_use]
pub fn small() -> Shape {
    Shape { warp: 4, tile: Some(8), ..Shape::from(Banks::Four) }
}

/// Returns hints at lengths that show something: the options of `lab show`, and what there is to see.
#[must_use]
pub fn hints(algorithm: &Algorithm) -> Vec<(String, String)> {
    let mut hints = Vec::new();
    let mut hint = |options: String, words: String| hints.push((options, words));
    if algorithm.has_tiles() {
        hint("--n 40 --warp 4 --banks 4 --tile 8".to_owned(), "five tiles on a small machine".to_owned());
        if ["look_back", "production", "chained"].contains(&algorithm.file) {
            let options = "--n 64 --warp 4 --banks 4 --tile 8 --order 3".to_owned();
            hint(options, "blocks in another order: what a tile finds when it looks depends on it".to_owned());
        }
        return hints;
    }
    if let Some(n) = first_fault(algorithm, Banks::ThirtyTwo.into()) {
        hint(format!("--n {n}"), "the least that races; with one less a single warp's lockstep hides it".to_owned());
    }
    for banks in [Banks::Sixteen, Banks::ThirtyTwo] {
        let (number, shape) = (banks.number(), Shape::from(banks));
        let options = |n: usize| format!("--n {n} --banks {number}");
        let collides = |&n: &usize| found(algorithm, shape, n).counts().is_some_and(|counts| counts.conflicts > 0);
        if let Some(n) = lengths(algorithm, shape).find(collides) {
            hint(options(n), format!("the first conflicts of {number} banks"));
        }
        let Some(plain) = algorithm.name.strip_suffix("-padded").and_then(by_name) else { continue };
        let cycles = |algorithm, n| found(algorithm, shape, n).counts().map(|counts| counts.cycles);
        let pays = |&n: &usize| cycles(algorithm, n) < cycles(plain, n);
        if let Some(n) = lengths(algorithm, shape).find(pays) {
            hint(options(n), "from here on padding saves more cycles than its addresses cost".to_owned());
        }
    }
    hints
}

/// Outcome of a run: its counts, a fault of the kernel, or nothing if the algorithm does not take the input.
enum Found {
    Counts(Counts),
    Fault,
    Nothing,
}

impl Found {
    fn is_fault(&self) -> bool {
        matches!(self, Self::Fault)
    }

    fn counts(&self) -> Option<Counts> {
        if let Self::Counts(counts) = self { Some(*counts) } else { None }
    }
}

/// Returns the smallest length, of the powers of two and these plus 1, at which the model finds a fault.
fn first_fault(algorithm: &Algorithm, shape: Shape) -> Option<usize> {
    lengths(algorithm, shape).flat_map(|n| [n, n + 1]).find(|&n| found(algorithm, shape, n).is_fault())
}

/// Returns the powers of two that the algorithm takes, up to 256: pictures of longer runs are of no use.
fn lengths(algorithm: &Algorithm, shape: Shape) -> impl Iterator<Item = usize> {
    (2..=8).map(|log| 1 << log).filter(move |&n| algorithm.takes_on(shape, n).is_ok())
}

fn found(algorithm: &Algorithm, shape: Shape, n: usize) -> Found {
    let input = Input { values: &vec![1; n], heads: &vec![false; n] };
    match algorithm.run(Setup { operator: Operator::<i64>::sum(), shape, records: false }, &input) {
        Ok(outcome) => Found::Counts(outcome.run.inner()),
        Err(Error::Fault(_)) => Found::Fault,
        Err(_) => Found::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::ALGORITHMS;

    fn of(name: &str) -> Vec<(String, String)> {
        hints(by_name(name).unwrap())
    }

    #[test]
    fn what_shows_what() {
        let options = |name| of(name).into_iter().map(|(options, _)| options).collect::<Vec<_>>();
        // The 9th thread is 16 words from the first: one bank of 16. 16 elements have 8 threads, and 32 have 16.
        assert_eq!(options("blelloch"), ["--n 32 --banks 16", "--n 64 --banks 32"]);
        assert_eq!(options("kogge-stone"), [""; 0]);
        assert_eq!(options("kogge-stone-race"), ["--n 33"]);
        assert!(of("blelloch-padded").iter().any(|(_, words)| words.contains("saves")));
        assert!(of("look-back")[0].0.contains("--tile 8"));
    }

    #[test]
    fn telling_runs_are_taken() {
        for algorithm in ALGORITHMS {
            let (n, shape) = telling(algorithm);
            assert_eq!(algorithm.takes_on(shape, n), Ok(()), "{}", algorithm.name);
        }
        assert_eq!(telling(by_name("kogge-stone-race").unwrap()).0, 33);
    }
}
