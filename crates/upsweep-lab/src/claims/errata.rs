//! Claims that are code: results of the listings when they are run as printed.

use super::measure::{Measured, Open, block, counts, list, outcome};
use crate::machine::{Array, Banks, Block, Machine, Run, Thread};
use crate::operator::Operator;

/// Elements of the lectures' examples, and their inclusive and exclusive scans.
const ELEMENTS: [i64; 8] = [3, 1, 7, 0, 4, 1, 6, 3];
const INCLUSIVE: [i64; 8] = [3, 4, 11, 11, 15, 16, 22, 25];
const EXCLUSIVE: [i64; 8] = [0, 3, 4, 11, 11, 15, 16, 22];

/// Adds two words of shared memory as the lecture's listings write it: `s[to] = s[to] + s[from]`.
fn add(t: &mut Thread<'_, i64>, s: Array, to: usize, from: usize) {
    let (own, other) = (t.read(s, to), t.read(s, from));
    let both = t.combine(own, other);
    t.write(s, to, both);
}

/// Runs the printed sweeps, with line 3 of the up-sweep's listing and lines 4 to 6 of the down-sweep's.
fn down_sweep() -> Result<Measured, String> {
    let (found, _) = block(&ELEMENTS, 4, |block, x| {
        // Returns the two words of the kth node at level d, at which thread k works.
        let node = |k: usize, d: usize| (k * (2 << d) + (1 << d) - 1, k * (2 << d) + (2 << d) - 1);
        for d in 0..3 {
            block.step("up", |t| {
                if t.branch(node(t.index, d).1 < 8) {
                    let (left, right) = node(t.index, d);
                    add(t, x, right, left);
                }
            });
            block.barrier();
        }
        block.step("root", |t| {
            if t.branch(t.index == 0) {
                t.write(x, 7, 0);
            }
        });
        for d in (0..3).rev() {
            block.barrier();
            block.step("down", |t| {
                if t.branch(node(t.index, d).1 < 8) {
                    let (left, right) = node(t.index, d);
                    let kept = t.read(x, left);
                    t.copy(x, right, x, right);
                    let own = t.read(x, right);
                    let both = t.combine(kept, own);
                    t.write(x, left, both);
                }
            });
        }
    })?;
    Ok(Measured::same(&EXCLUSIVE, &found))
}

/// Scans in two buffers. In round k thread t adds the word `reach(k)` to its left, if `adds(t, k)`; else it copies.
fn two_buffers(
    rounds: std::ops::Range<u32>,
    reach: fn(u32) -> usize,
    adds: fn(usize, u32) -> bool,
) -> Result<(Vec<i64>, Run), String> {
    block(&ELEMENTS, 8, |block, s| {
        let (mut from, mut to) = (s, block.shared("out", 8));
        for round in rounds.clone() {
            block.barrier();
            block.step("add", |t| {
                if t.branch(adds(t.index, round)) {
                    let (left, own) = (t.read(from, t.index - reach(round)), t.read(from, t.index));
                    let both = t.combine(left, own);
                    t.write(to, t.index, both);
                } else {
                    t.copy(from, t.index, to, t.index);
                }
            });
            (from, to) = (to, from);
        }
        if from != s {
            block.barrier();
            block.step("swap", |t| t.copy(from, t.index, s, t.index));
        }
    })
}

fn naive_loop() -> Result<Measured, String> {
    Ok(Measured::same(&INCLUSIVE, &two_buffers(1..3, |i| 1 << (i - 1), |tid, i| tid >= 1 << i)?.0))
}

fn naive_threads() -> Result<Measured, String> {
    Ok(Measured::same(&INCLUSIVE, &two_buffers(0..3, |k| 1 << k, |tid, k| tid > 1 << k)?.0))
}

/// Finds the strides up to n = 8 for which any thread adds something.
fn strides() -> Result<Measured, String> {
    let (_, run) = two_buffers(0..4, |k| 1 << k, |tid, k| tid >= 1 << k)?;
    let steps = counts(&run, &["add"]);
    let used: Vec<_> = (0..steps.len()).filter(|&step| steps[step].operations > 0).map(|step| 1 << step).collect();
    Ok(Measured::same(&[1, 2, 4, 8], &used))
}

/// Runs the loop of "Reduction, version 2", with `stride >> 1` at its end made an assignment.
pub(super) fn sequential_loop(block: &mut Block<'_, i64>, partial_sum: Array) {
    let mut stride = block.threads;
    while stride > 1 {
        block.barrier();
        block.step("add", |t| {
            if t.branch(t.index < stride) {
                add(t, partial_sum, t.index, t.index + stride);
            }
        });
        stride >>= 1;
    }
}

fn sequential_sum() -> Result<Measured, String> {
    let (found, _) = block(&[1, 2, 3, 4, 5, 6, 7, 8], 4, sequential_loop)?;
    Ok(Measured::same(&[36], &found[..1]))
}

fn sequential_end() -> Result<Measured, String> {
    const PATIENCE: u32 = 1000;
    let (stride, mut rounds) = (4_u32, 0);
    while stride > 1 && rounds < PATIENCE {
        // This is the printed `stride >> 1`, whose result is assigned to nothing.
        let _ = stride >> 1;
        rounds += 1;
    }
    Ok(Measured::new("it ends after 2 rounds", format!("stride {stride} after {rounds} rounds"), rounds == 2))
}

/// Runs the loop of "Fixing Scan Bank Conflicts" for n = 8; `doubles` adds `s *= 2`, which the listing lacks.
fn padded_loop(doubles: bool) -> Result<i64, String> {
    let (found, _) = block(&[1, 2, 3, 4, 5, 6, 7, 8], 4, |block, shared| {
        let (mut s, mut d) = (1, 8 >> 1);
        while d > 0 {
            block.step("add", |t| {
                if t.branch(t.index <= d) {
                    let (a, b) = (s * (2 * t.index), s * (2 * t.index + 1));
                    add(t, shared, a + (a >> 4), b + (b >> 4));
                }
            });
            block.barrier();
            d >>= 1;
            if doubles {
                s *= 2;
            }
        }
    })?;
    Ok(found[0])
}

fn padded_bound() -> Result<Measured, String> {
    let found = padded_loop(true);
    let holds = found == Ok(36);
    Ok(Measured::new(36, found.map_or_else(|fault| fault, |sum| sum.to_string()), holds))
}

fn segment_sum() -> Result<Measured, String> {
    let scanned = outcome("brent-kung", Operator::<i64>::sum(), &ELEMENTS, Banks::ThirtyTwo)?.results;
    // A block of 4 threads has 8 words; the lecture takes the sum from word 4 - 1.
    Ok(Measured::same(&[ELEMENTS.iter().sum()], &scanned[4 - 1..4]))
}

/// Scans the pairs of the lecture's example, exclusively, in a loop; `f` picks the flag that the operator reads.
fn pairs(f: fn(bool, bool) -> bool) -> Vec<i64> {
    let values = [1, 2, 3, 4, 6, 5, 1, 3, 5];
    let heads = [0, 4, 6];
    let mut machine = Machine::new(Operator::<i64>::sum(), Banks::ThirtyTwo);
    let y = machine.empty("y", values.len());
    machine.launch("pairs", 1, 1, |block| {
        block.step("scan", |t| {
            let (mut flag, mut sum) = (false, 0);
            for (index, value) in values.into_iter().enumerate() {
                let head = heads.contains(&index);
                t.write(y, index, if head { 0 } else { sum });
                sum = if f(flag, head) { value } else { t.combine(sum, value) };
                flag |= head;
            }
        });
    });
    machine.read(y)
}

fn segmented_operator() -> Result<Measured, String> {
    let claimed = [0, 1, 3, 6, 0, 6, 0, 1, 4];
    let (left, right) = (pairs(|left, _| left), pairs(|_, right| right));
    let found = format!("f = f1: {}; f = f2: {}", list(&left), list(&right));
    Ok(Measured::new(list(&claimed), found, left == claimed && right == claimed))
}

pub(super) static CLAIMS: &[Open] = &[
    Open {
        name: "naive-loop",
        source: "CS121, \"Parallel prefix sum (naive)\"",
        statement: "for i = 1 while i < log n: a thread tid >= 2^i adds word tid - 2^(i-1); the scan of 3 1 7 0 4 1 6 3",
        remark: "The loop is a step short, and it leaves out the threads from 2^(i-1) to 2^i - 1. It needs i <= log n and \
                 tid >= 2^(i-1).",
        measure: naive_loop,
    },
    Open {
        name: "naive-threads",
        source: "CS121, \"Parallel prefix sum (naive)\"",
        statement: "threads > stride add the value from stride below; the scan of 3 1 7 0 4 1 6 3",
        remark: "Thread stride has a word stride below it, too, which is word 0: it has to be >=.",
        measure: naive_threads,
    },
    Open {
        name: "naive-strides",
        source: "CS121, \"Parallel prefix sum (naive)\"",
        statement: "set stride to 1, 2, 4, ..., n",
        remark: "Up to n/2: with stride n no thread has anything to add. n = 8.",
        measure: strides,
    },
    Open {
        name: "down-sweep",
        source: "CS121, \"Exclusive scans\", lines 5 and 6 of the down-sweep",
        statement: "x[right] <- x[right], x[left] <- t + x[right]; the exclusive scan of 3 1 7 0 4 1 6 3",
        remark: "Each result is stored in the other's place: x[left] <- x[right], then x[right] <- t + x[right].",
        measure: down_sweep,
    },
    Open {
        name: "segment-sum",
        source: "CS121, \"Arbitrary input size\"",
        statement: "the sum of a whole segment is in sum[blockDim.x - 1]",
        remark: "That is the middle of the 2 x blockDim.x words: the sum is in the last one. 3 1 7 0 4 1 6 3 and 4 threads.",
        measure: segment_sum,
    },
    Open {
        name: "segmented-operator",
        source: "CS121, \"Segmented scan\"",
        statement: "the values of two pairs are added if f = 0, and the right one is taken if f = 1; \
                    [1 2 3 4] [6 5] [1 3 5]",
        remark: "There are two flags, f1 and f2: it is the right pair's that cuts off what lies to the left.",
        measure: segmented_operator,
    },
    Open {
        name: "sequential-loop",
        source: "Lensch and Strzodka, \"Reduction, version 2\"",
        statement: "strides from blockDim.x while stride > 1: the sum of 1 to 8",
        remark: "With 4 threads, and with stride >>= 1. It stops before stride 1, with two sums left.",
        measure: sequential_sum,
    },
    Open {
        name: "sequential-loop-end",
        source: "Lensch and Strzodka, \"Reduction, version 2\"",
        statement: "for (stride = blockDim.x; stride > 1; stride >> 1)",
        remark: "It never does: stride >> 1 is assigned to nothing. stride >>= 1 is meant. 4 threads.",
        measure: sequential_end,
    },
    Open {
        name: "padded-loop",
        source: "Lensch and Strzodka, \"Fixing Scan Bank Conflicts\"",
        statement: "the padded tree adds up shared[s * 2 thid] and shared[s * (2 thid + 1)]: the sum of 1 to 8",
        remark: "s is 1 in every round: s *= 2 is missing.",
        measure: || Ok(Measured::same(&[36], &[padded_loop(false)?])),
    },
    Open {
        name: "padded-loop-bound",
        source: "Lensch and Strzodka, \"Fixing Scan Bank Conflicts\"",
        statement: "threads thid <= d work, for d = n/2, n/4, ..., 1: the sum of 1 to 8",
        remark: "With s *= 2 in the loop. It is a thread too many: thid < d.",
        measure: padded_bound,
    },
];
