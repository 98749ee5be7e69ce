//! Claims about the number of operations and steps.

use super::measure::{Measured, Open, block, counts, formula, log, operations, outcome, run, steps};
use crate::machine::Banks;
use crate::operator::{Affine, Operator};

const LENGTHS: [u64; 4] = [8, 64, 512, 1024];

/// Number of operations of the naive scan: n log₂ n - (n - 1).
fn naive(n: u64) -> u64 {
    n * log(n) - (n - 1)
}

fn sequential() -> Result<Measured, String> {
    formula("sequential", &LENGTHS, |n| n)
}

fn reductions() -> Result<Measured, String> {
    let mut found = Vec::new();
    for name in ["reduce-interleaved", "reduce-strided", "reduce-sequential"] {
        found.extend(operations(name, &[512])?);
    }
    Ok(Measured::same(&[511; 3], &found))
}

/// Counts the operations of all threads together, if each thread adds up its prefix by itself.
fn unshared() -> Result<Measured, String> {
    let lengths = [8, 64, 512];
    let found = lengths.map(|n: u64| {
        let (_, run) = block(&vec![1; n as usize], n as usize, |block, s| {
            block.step("add", |t| {
                let mut sum = t.read(s, 0);
                for index in 1..=t.index {
                    let own = t.read(s, index);
                    sum = t.combine(sum, own);
                }
            });
        })?;
        Ok(run.total().operations)
    });
    let found: Vec<u64> = found.into_iter().collect::<Result<_, String>>()?;
    Ok(Measured::same(&lengths.map(|n| n * (n - 1) / 2), &found))
}

fn per_step() -> Result<Measured, String> {
    let run = run("kogge-stone", 512, Banks::ThirtyTwo)?;
    let found: Vec<_> = counts(&run, &["add"]).iter().map(|step| step.operations).collect();
    let claimed: Vec<_> = (0..9).map(|k| 512 - (1 << k)).collect();
    Ok(Measured::same(&claimed, &found))
}

/// Finds the largest word after each step of a naive scan of ones.
fn doubling() -> Result<Measured, String> {
    let (n, mut found) = (64, Vec::new());
    block(&vec![1; n], n, |block, s| {
        for stride in [1, 2, 4, 8, 16, 32] {
            let mut temp = vec![0; n];
            block.step("add", |t| {
                temp[t.index] = t.read(s, t.index);
                if t.branch(t.index >= stride) {
                    let left = t.read(s, t.index - stride);
                    temp[t.index] = t.combine(left, temp[t.index]);
                }
            });
            block.barrier();
            block.step("write", |t| t.write(s, t.index, temp[t.index]));
            block.barrier();
            found.push(temp.into_iter().max().unwrap_or(0));
        }
    })?;
    Ok(Measured::same(&[2, 4, 8, 16, 32, 64], &found))
}

fn first_attempt_steps() -> Result<Measured, String> {
    let run = run("double-buffered-exclusive", 8, Banks::ThirtyTwo)?;
    let found: Vec<_> = counts(&run, &["add"]).iter().map(|step| step.operations).collect();
    let claimed: Vec<_> = (1..=3).map(|k| (8 >> k) + 8 / 2 - 1).collect();
    Ok(Measured::same(&claimed, &found))
}

fn naive_steps() -> Result<Measured, String> {
    Ok(Measured::same(&[10, 10], &[steps("kogge-stone", 1024)?, steps("double-buffered", 1024)?]))
}

fn printed_scan() -> Result<Measured, String> {
    let values = [3, 1, 7, 0, 4, 1, 6, 3];
    let found = outcome("brent-kung", Operator::<i64>::sum(), &values, Banks::ThirtyTwo)?.results;
    Ok(Measured::same(&[3, 4, 11, 11, 14, 16, 22, 25], &found))
}

fn printed_exclusive_scan() -> Result<Measured, String> {
    let values = [3, 1, 7, 0, 4, 1, 6, 3];
    let found = outcome("blelloch", Operator::<i64>::sum(), &values, Banks::ThirtyTwo)?.results;
    Ok(Measured::same(&[0, 3, 4, 11, 11, 15, 16, 22], &found))
}

/// Computes Harris's Figure 1, with f(x) = x² + 1: by the loop, and by a scan of f of each element.
fn sequential_equivalent() -> Result<Measured, String> {
    let f = |x: i64| x * x + 1;
    let elements = [3, 1, 7, 0, 4, 1, 6, 3];
    let mut out = [0; 8];
    for j in 1..8 {
        out[j] = out[j - 1] + f(elements[j - 1]);
    }
    let temp = elements.map(f);
    Ok(Measured::same(&out, &outcome("blelloch", Operator::<i64>::sum(), &temp, Banks::ThirtyTwo)?.results))
}

/// Computes y = m y + c, from y = 1 on: by a loop, and by a scan of the functions, whose prefixes are applied to 1.
fn recurrence() -> Result<Measured, String> {
    let steps: Vec<Affine> =
        [2, 1, -1, 2, 1, -1, 2, 1].into_iter().zip([3, 1, 7, 0, 4, 1, 6, 3]).map(|(m, c)| Affine { m, c }).collect();
    let (mut y, mut values) = (1, Vec::new());
    for step in &steps {
        y = step.m * y + step.c;
        values.push(y);
    }
    let prefixes = outcome("brent-kung", Operator::affine(), &steps, Banks::ThirtyTwo)?.results;
    let found: Vec<_> = prefixes.iter().map(|prefix| prefix.m + prefix.c).collect();
    Ok(Measured::same(&values, &found))
}

/// Microseconds for 2^20 elements, as the laboratory's algorithms were timed on an NVIDIA H200.
const RECORD: Recorded = Recorded { naive: 90.848, brent_kung: 22.016, sequential: 43_912.193 };

struct Recorded {
    naive: f64,
    brent_kung: f64,
    sequential: f64,
}

/// Returns the naive scan's work for 2^20 elements, divided by the sequential scan's, and by Brent and Kung's.
fn more_work() -> Result<[f64; 2], String> {
    // The formulas first have to match the counts, for as many elements as can be counted quickly.
    for n in (1..=10).map(|k| 1 << k) {
        let counted = ["hillis-steele", "brent-kung", "sequential"].map(|name| operations(name, &[n]));
        if counted != [naive(n), 2 * n - 2 - log(n), n - 1].map(|formula| Ok(vec![formula])) {
            return Err(format!("at {n} elements the formula is wrong: {counted:?}"));
        }
    }
    let n = 1 << 20;
    Ok([n - 1, 2 * n - 2 - log(n)].map(|less| naive(n) as f64 / less as f64))
}

fn twenty_times_the_work() -> Result<Measured, String> {
    let [to_sequential, _] = more_work()?;
    let to_one_digit = (to_sequential / 10.0).round() * 10.0;
    Ok(Measured::new(20, format!("{to_sequential:.2}"), to_one_digit == 20.0))
}

fn twenty_times_slower() -> Result<Measured, String> {
    let [to_sequential, to_brent_kung] = more_work()?;
    let Recorded { naive, brent_kung, sequential } = RECORD;
    let slower = naive / brent_kung;
    let found = format!(
        "{naive:.1} us on an NVIDIA H200, Brent-Kung {brent_kung:.1} us: {slower:.1} times slower, for {to_brent_kung:.1} times \
         the work; one thread {sequential:.0} us: {:.0} times faster, for {to_sequential:.1} times the work",
        sequential / naive
    );
    Ok(Measured::new(20, found, slower.round() == 20.0))
}

pub(super) static CLAIMS: &[Open] = &[
    Open {
        name: "sequential-work",
        source: "Lensch and Strzodka, \"Scan on the CPU\"",
        statement: "the sequential scan does exactly n adds",
        remark: "Its loop runs from 1 to n - 1. One of the n - 1 additions adds the first element to zero.",
        measure: sequential,
    },
    Open {
        name: "reduction-work",
        source: "Hwu, Kirk, El Hajj, \"The Brent-Kung algorithm\"; CS121, \"Efficient parallel prefix sum\"",
        statement: "a reduction tree does n - 1 operations",
        remark: "Counted for reduce-interleaved, reduce-strided and reduce-sequential at n = 512. The unrolled and the \
                 shuffled form do more: all lanes of a warp combine, for the price of one.",
        measure: reductions,
    },
    Open {
        name: "unshared-work",
        source: "Hwu, Kirk, El Hajj, \"Parallel scan with the Kogge-Stone algorithm\"",
        statement: "the reduction tree of element i takes i additions, so a tree for each element takes O(N^2)",
        remark: "n (n - 1) / 2, at n = 8, 64, 512. Kogge-Stone shares partial sums: 17, 321, 4097.",
        measure: unshared,
    },
    Open {
        name: "naive-work-per-step",
        source: "CS121, \"Work analysis\"",
        statement: "the naive scan does n - stride operations in a step",
        remark: "At n = 512.",
        measure: per_step,
    },
    Open {
        name: "kogge-stone-work",
        source: "CS121, \"Work analysis\"",
        statement: "the naive scan does (n - 1) + (n - 2) + (n - 4) + ... + n/2 operations",
        remark: "Which is n log n - (n - 1); at n = 8, 64, 512, 1024.",
        measure: || formula("kogge-stone", &LENGTHS, naive),
    },
    Open {
        name: "hillis-steele-work",
        source: "CS121, \"Work analysis\"; Harris 2007",
        statement: "the same over global memory",
        remark: "At n = 8, 512, 4096.",
        measure: || formula("hillis-steele", &[8, 512, 4096], naive),
    },
    Open {
        name: "first-attempt-work",
        source: "Lensch and Strzodka, \"Work Efficiency Considerations\"",
        statement: "the first attempt does n (log n - 1) + 1 adds",
        remark: "The same number as n log n - (n - 1).",
        measure: || formula("double-buffered-exclusive", &LENGTHS, |n| n * (log(n) - 1) + 1),
    },
    Open {
        name: "first-attempt-work-per-step",
        source: "Lensch and Strzodka, \"Work Efficiency Considerations\"",
        statement: "its steps do n/2 + n/2 - 1, n/4 + n/2 - 1, ..., 1 + n/2 - 1 adds",
        remark: "At n = 8. The first and the last are right; in general it is n - 1, n - 2, n - 4, ..., n/2. The total beside it \
                 is the sum of these, not of those.",
        measure: first_attempt_steps,
    },
    Open {
        name: "twenty-times-the-work",
        source: "Lensch and Strzodka, \"Work Efficiency Considerations\"",
        statement: "a factor of log n hurts: 20 times the work for a million elements",
        remark: "The formulas, checked against what is counted for n up to 1024, at n = 2^20: log n - 1 times the operations of \
                 the sequential scan, 20 to the one digit that is given.",
        measure: twenty_times_the_work,
    },
    Open {
        name: "twenty-times-slower",
        source: "CS121, \"Work analysis\"",
        statement: "the naive scan is 20 times slower for a million elements",
        remark: "That is its work, not its time: work takes as much longer only where the machine is busy with it. Measured at \
                 n = 2^20 by `upsweep lab race`; the record is in benches/record.",
        measure: twenty_times_slower,
    },
    Open {
        name: "naive-steps",
        source: "Lensch and Strzodka, \"A First-Attempt Parallel Scan Algorithm\"; CS121, \"Parallel prefix sum (naive)\"",
        statement: "the naive scan takes log n steps",
        remark: "In one buffer and in two, at n = 1024.",
        measure: naive_steps,
    },
    Open {
        name: "words-double",
        source: "Hwu, Kirk, El Hajj, \"Parallel scan with the Kogge-Stone algorithm\"",
        statement: "after k steps a word holds the sum of up to 2^k elements",
        remark: "The largest word after each step, for 64 ones.",
        measure: doubling,
    },
    Open {
        name: "inclusive-example",
        source: "Harris 2007, \"Introduction\"",
        statement: "the inclusive scan of 3 1 7 0 4 1 6 3",
        remark: "A misprint: 11 + 4 is 15.",
        measure: printed_scan,
    },
    Open {
        name: "exclusive-example",
        source: "Lensch and Strzodka, \"Parallel Prefix Sum (Scan)\"",
        statement: "the exclusive scan of 3 1 7 0 4 1 6 3",
        remark: "",
        measure: printed_exclusive_scan,
    },
    Open {
        name: "sequential-equivalent",
        source: "Harris 2007, Figure 1; Lensch and Strzodka, \"Applications of Scan\"",
        statement: "the loop out[j] = out[j-1] + f(in[j-1]) is a map by f and an exclusive scan",
        remark: "With f(x) = x² + 1 and 3 1 7 0 4 1 6 3.",
        measure: sequential_equivalent,
    },
    Open {
        name: "recurrence",
        source: "derived from Harris 2007, Figure 1; Hwu, Kirk, El Hajj, \"Parallel scan\": \"solving recurrences\"",
        statement: "the loop y = m[j] y + c[j], whose steps differ, is a scan, too",
        remark: "Of functions: `--op affine` puts one behind the other, which is associative. y = 1 at first; each prefix of the functions is \
                 applied to it.",
        measure: recurrence,
    },
];
