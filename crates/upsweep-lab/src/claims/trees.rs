//! Claims about trees: the balanced trees of scans, and Fenwick's.

use super::measure::{Measured, Open, block, counts, formula, list, log, operations, run, steps};
use crate::algorithm::Computes;
use crate::algorithms::ALGORITHMS;
use crate::fenwick::Fenwick;
use crate::machine::Banks;
use crate::operator::Operator;
use std::cell::Cell;

const LENGTHS: [u64; 4] = [8, 64, 512, 1024];

fn balanced_steps() -> Result<Measured, String> {
    Ok(Measured::same(&[20, 20], &[steps("blelloch", 1024)?, steps("inverse", 1024)?]))
}

fn inverse() -> Result<Measured, String> {
    let found = operations("inverse", &LENGTHS)?;
    let limits = LENGTHS.map(|n| 2 * (n - 1));
    let holds = found.iter().zip(limits).all(|(&found, limit)| found < limit);
    Ok(Measured::new(format!("less than {}", list(&limits)), list(&found), holds))
}

fn threads_at_work() -> Result<Measured, String> {
    let run = run("brent-kung", 16, Banks::ThirtyTwo)?;
    let active = |label| counts(&run, &[label]).iter().map(|step| step.active_threads).collect::<Vec<_>>();
    let found = format!("up {}, down {}", list(&active("up")), list(&active("down")));
    let claimed = "up 4 2 1 0, down 2 4 8";
    Ok(Measured::new(claimed, &found, found == claimed))
}

/// Finds the words that the third and last level of the way down completes, for 16 elements.
fn third_level() -> Result<Measured, String> {
    let ones = [1; 16];
    let (before, after) = (levels_down(&ones, 2)?, levels_down(&ones, 3)?);
    let changed: Vec<_> = (0..16).filter(|&word| before[word] != after[word]).collect();
    Ok(Measured::same(&[2, 4, 6, 8, 10, 12], &changed))
}

/// Returns the words of Brent-Kung's scan after the way up and the first `levels` of the way down, of strides 4, 2, 1.
fn levels_down(elements: &[i64; 16], levels: usize) -> Result<Vec<i64>, String> {
    let (words, _) = block(elements, 8, |block, xy| {
        let up = [1, 2, 4, 8].map(|stride| (stride, 0));
        let down = [4, 2, 1].map(|stride| (stride, stride));
        for (stride, right) in up.into_iter().chain(down.into_iter().take(levels)) {
            block.step("add", |t| {
                let at = 2 * stride * (t.index + 1) - 1 + right;
                if t.branch(at < 16) {
                    let (left, own) = (t.read(xy, at - stride), t.read(xy, at));
                    let both = t.combine(left, own);
                    t.write(xy, at, both);
                }
            });
            block.barrier();
        }
    })?;
    Ok(words)
}

/// Counts the steps and the threads of a strided reduction of 512 elements.
fn reduction_steps() -> Result<Measured, String> {
    let run = run("reduce-strided", 512, Banks::ThirtyTwo)?;
    let adding = counts(&run, &["add"]);
    let threads = adding.first().map_or(0, |step| step.threads);
    Ok(Measured::same(&[9, 256], &[adding.len() as u64, threads]))
}

fn reductions_race() -> Result<Measured, String> {
    let mut races = Vec::new();
    let reductions = ALGORITHMS.iter().filter(|algorithm| algorithm.computes == Computes::Reduction);
    for (algorithm, n) in reductions.flat_map(|algorithm| [33, 512, 1000].map(|n| (algorithm, n))) {
        races.extend(run(algorithm.name, n, Banks::ThirtyTwo).err());
    }
    Ok(Measured::new("none", if races.is_empty() { "none".to_owned() } else { races.join("; ") }, races.is_empty()))
}

/// Counts the depth of 4 scans of 64 elements, one after the other.
fn segments_apart() -> Result<Measured, String> {
    let (m, n) = (4, 64);
    let one = run("kogge-stone", n as usize, Banks::ThirtyTwo)?.span().operations;
    Ok(Measured::same(&[n * log(m)], &[m * one]))
}

fn segments_together() -> Result<Measured, String> {
    let lengths = [64, 256, 1024];
    let found: Vec<_> = lengths.iter().map(|&n| steps("segmented-pairs", n)).collect::<Result<_, _>>()?;
    Ok(Measured::same(&lengths.map(|n| 2 * log(n)), &found))
}

thread_local! {
    static COMBINED: Cell<u64> = const { Cell::new(0) };
}

/// Sum that counts how often it is called.
const COUNTING: Operator<i64> = Operator { name: "sum", identity: 0, combine: counted, commutes: true };

fn counted(a: i64, b: i64) -> i64 {
    COMBINED.with(|count| count.set(count.get() + 1));
    a.wrapping_add(b)
}

/// Returns the result of `work`, and the number of times that it called the counting sum.
fn combined<R>(work: impl FnOnce() -> R) -> (R, u64) {
    COMBINED.with(|count| count.set(0));
    (work(), COMBINED.with(Cell::get))
}

fn building() -> Result<Measured, String> {
    let found = LENGTHS.map(|n| combined(|| Fenwick::build(COUNTING, &vec![1; n as usize])).1);
    Ok(Measured::same(&LENGTHS.map(|n| n * log(n)), &found))
}

/// Counts the most operations that the update of any element takes, in trees of 8, 64 and 512 elements.
fn updating() -> Result<Measured, String> {
    let lengths = [8, 64, 512];
    let found = lengths.map(|n: u64| {
        let mut tree = Fenwick::build(COUNTING, &vec![1; n as usize]);
        (0..n as usize).map(|element| combined(|| tree.update(element, 1)).1).max().unwrap_or(0)
    });
    let claimed = format!("at most log n + 1: {}", list(&lengths.map(|n| log(n) + 1)));
    let holds = lengths.iter().zip(found).all(|(&n, found)| found <= log(n) + 1);
    Ok(Measured::new(claimed, list(&found), holds))
}

pub(super) static CLAIMS: &[Open] = &[
    Open {
        name: "blelloch-work",
        source: "Lensch and Strzodka, \"Build Scan From Partial Sums\"",
        statement: "the balanced trees do 2 (n - 1) adds",
        remark: "At n = 8, 64, 512, 1024.",
        measure: || formula("blelloch", &LENGTHS, |n| 2 * (n - 1)),
    },
    Open {
        name: "balanced-steps",
        source: "Lensch and Strzodka, \"Build Scan From Partial Sums\"",
        statement: "the balanced trees take 2 log n steps",
        remark: "Exclusive and in the inverse direction, at n = 1024.",
        measure: balanced_steps,
    },
    Open {
        name: "brent-kung-work",
        source: "derived from Hwu, Kirk, El Hajj, \"The Brent-Kung algorithm\"",
        statement: "Brent-Kung does 2n - 2 - log n operations",
        remark: "At n = 8, 64, 512, 1024: n - 1 up, which the text has, and n - 1 - log n down, which follows from its figure.",
        measure: || formula("brent-kung", &LENGTHS, |n| 2 * n - 2 - log(n)),
    },
    Open {
        name: "brent-kung-steps",
        source: "derived from CS121, \"Efficient parallel prefix sum\"",
        statement: "a reduction, followed by the reduction in reverse: 2 log n - 1 steps as its two loops count",
        remark: "Printed nowhere, counted by the loops' bounds, at n = 1024. The way down begins a level below the root.",
        measure: || Ok(Measured::same(&[19], &[steps("brent-kung", 1024)?])),
    },
    Open {
        name: "brent-kung-threads",
        source: "CS121, \"Efficient parallel prefix sum\"",
        statement: "with b threads, b / (2 stride) of them work in a step up, b / stride in a step down",
        remark: "At b = 8, n = 16. By its own code it is b / stride up, and b / stride - 1 down.",
        measure: threads_at_work,
    },
    Open {
        name: "brent-kung-third-level",
        source: "Hwu, Kirk, El Hajj, \"The Brent-Kung algorithm\"",
        statement: "the third level of the reverse tree completes XY[2], XY[4], XY[6], XY[8], XY[10] and XY[12]",
        remark: "And XY[14]: all even positions but the first. n = 16.",
        measure: third_level,
    },
    Open {
        name: "inverse-work",
        source: "Lensch and Strzodka, \"Now the Inverse Direction\"",
        statement: "the inverse direction does less than 2 (n - 1) adds",
        remark: "Exactly 2n - 2 - log n, those of Brent-Kung. With the zero that the first element adds at each level it would \
                 be 2 (n - 1).",
        measure: inverse,
    },
    Open {
        name: "reduction-steps",
        source: "Lensch and Strzodka, \"Example: Parallel Reduction\"",
        statement: "a reduction of n elements takes log n steps and n/2 threads",
        remark: "reduce-strided, n = 512.",
        measure: reduction_steps,
    },
    Open {
        name: "reductions-do-not-race",
        source: "Hwu, Kirk, El Hajj, \"Parallel scan with the Kogge-Stone algorithm\"",
        statement: "reductions have no race: no thread reads what another one writes in the same step",
        remark: "All reductions of the laboratory, at n = 33, 512 and 1000.",
        measure: reductions_race,
    },
    Open {
        name: "segments-apart",
        source: "CS121, \"Segmented scan\"",
        statement: "m scans of n elements each take O(n log m) time",
        remark: "A scan takes log n, so m of them take m log n. 4 scans of 64 elements by Kogge-Stone, one after the other.",
        measure: segments_apart,
    },
    Open {
        name: "segments-together",
        source: "CS121, \"Segmented scan\"",
        statement: "a segmented scan does all the scans in O(log mn) time",
        remark: "2 log mn steps, at mn = 64, 256 and 1024.",
        measure: segments_together,
    },
    Open {
        name: "fenwick-build",
        source: "Compute Exclusive Prefix Sum with CUDA, \"Up Sweep\"",
        statement: "in the sequential world building the tree takes O(n log n)",
        remark: "By n updates it does. The up-sweep, one node after the other, takes n - 1 operations. n = 8, 64, 512, 1024.",
        measure: building,
    },
    Open {
        name: "fenwick-update",
        source: "Compute Exclusive Prefix Sum with CUDA, \"Fenwick Tree\"",
        statement: "an update of one element takes O(log n), where an array of prefixes takes O(n)",
        remark: "The most of any element, at n = 8, 64 and 512: a node of each size. The first element is in all n prefixes.",
        measure: updating,
    },
];
