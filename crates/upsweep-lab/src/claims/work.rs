//! Claims about the number of operations and steps.

use super::{Measured, Open, counts, list, log, operations, outcome, run};
use crate::machine::Banks;
use crate::operator::Operator;

const LENGTHS: [u64; 4] = [8, 64, 512, 1024];

/// n log₂ n - (n - 1).
fn naive(n: u64) -> u64 {
    n * log(n) - (n - 1)
}

/// The operations of an algorithm are those of a formula.
fn formula(name: &str, lengths: &[u64], formula: fn(u64) -> u64) -> Result<Measured, String> {
    let claimed: Vec<_> = lengths.iter().map(|&n| formula(n)).collect();
    Ok(Measured::same(&claimed, &operations(name, lengths)?))
}

/// How many steps combine.
fn steps(name: &str, n: u64) -> Result<u64, String> {
    let run = run(name, n as usize, Banks::ThirtyTwo)?;
    Ok(counts(&run, &["add", "up", "down"]).len() as u64)
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

fn per_step() -> Result<Measured, String> {
    let run = run("kogge-stone", 512, Banks::ThirtyTwo)?;
    let found: Vec<_> = counts(&run, &["add"]).iter().map(|step| step.operations).collect();
    let claimed: Vec<_> = (0..9).map(|k| 512 - (1 << k)).collect();
    Ok(Measured::same(&claimed, &found))
}

fn first_attempt_steps() -> Result<Measured, String> {
    let run = run("double-buffered-exclusive", 8, Banks::ThirtyTwo)?;
    let found: Vec<_> = counts(&run, &["add"]).iter().map(|step| step.operations).collect();
    let claimed: Vec<_> = (1..=3).map(|k| (8 >> k) + 8 / 2 - 1).collect();
    Ok(Measured::same(&claimed, &found))
}

fn twenty_times() -> Result<Measured, String> {
    // The formulas first have to be what is counted, as far as can be counted quickly.
    for n in (1..=12).map(|k| 1 << k) {
        let counted = (operations("hillis-steele", &[n])?, operations("sequential", &[n])?);
        if counted != (vec![naive(n)], vec![n - 1]) {
            return Ok(Measured::new(20, format!("at {n} elements the formula is wrong: {counted:?}"), false));
        }
    }
    let n = 1 << 20;
    let (levels, ratio) = (log(n), naive(n) as f64 / (n - 1) as f64);
    let to_one_digit = (ratio / 10.0).round() * 10.0;
    Ok(Measured::new("20", format!("{ratio:.2} (log n is {levels})"), to_one_digit == 20.0 && levels == 20))
}

fn naive_steps() -> Result<Measured, String> {
    Ok(Measured::same(&[10, 10], &[steps("kogge-stone", 1024)?, steps("double-buffered", 1024)?]))
}

fn balanced_steps() -> Result<Measured, String> {
    Ok(Measured::same(&[20, 20], &[steps("blelloch", 1024)?, steps("inverse", 1024)?]))
}

fn inverse() -> Result<Measured, String> {
    let found = operations("inverse", &LENGTHS)?;
    let limits = LENGTHS.map(|n| 2 * (n - 1));
    let holds = found.iter().zip(limits).all(|(&found, limit)| found < limit);
    Ok(Measured::new(format!("less than {}", list(&limits)), list(&found), holds))
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

fn threads_at_work() -> Result<Measured, String> {
    let run = run("brent-kung", 16, Banks::ThirtyTwo)?;
    let active = |label| counts(&run, &[label]).iter().map(|step| step.active_threads).collect::<Vec<_>>();
    let found = format!("up {}, down {}", list(&active("up")), list(&active("down")));
    let claimed = "up 4 2 1 0, down 2 4 8";
    Ok(Measured::new(claimed, &found, found == claimed))
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
        source: "CS121, \"Work analysis\"; Lensch and Strzodka, \"Work Efficiency Considerations\"",
        statement: "the naive scan is 20 times slower for a million elements",
        remark: "The formulas, checked against what is counted for n up to 4096, at n = 2^20: log n - 1 times the \
                 operations, 20 to the one digit that is given. It is work, not time: it takes as much longer only where the \
                 machine is busy with it.",
        measure: twenty_times,
    },
    Open {
        name: "naive-steps",
        source: "Lensch and Strzodka, \"A First-Attempt Parallel Scan Algorithm\"; CS121, \"Parallel prefix sum (naive)\"",
        statement: "the naive scan takes log n steps",
        remark: "In one buffer and in two, at n = 1024.",
        measure: naive_steps,
    },
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
        source: "Hwu, Kirk, El Hajj, Programming Massively Parallel Processors, \"Parallel scan\"",
        statement: "Brent-Kung does 2n - 2 - log n operations",
        remark: "At n = 8, 64, 512, 1024: n - 1 up, n - 1 - log n down.",
        measure: || formula("brent-kung", &LENGTHS, |n| 2 * n - 2 - log(n)),
    },
    Open {
        name: "brent-kung-steps",
        source: "CS121, \"Efficient parallel prefix sum\"",
        statement: "a reduction, followed by the reduction in reverse: 2 log n - 1 steps as its two loops count",
        remark: "At n = 1024. The way down begins a level below the root.",
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
        name: "inverse-work",
        source: "Lensch and Strzodka, \"Now the Inverse Direction\"",
        statement: "the inverse direction does less than 2 (n - 1) adds",
        remark: "Exactly 2n - 2 - log n, those of Brent-Kung. With the zero that the first element adds at each level it would \
                 be 2 (n - 1).",
        measure: inverse,
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
];
