//! Claims about bank conflicts.

use super::measure::{Measured, Open, counts, run};
use crate::machine::{Banks, Counts};

/// Sums the counts of the steps with these labels, in a run of `n` elements with 16 banks, as in the lecture.
fn with_16(name: &str, n: usize, labels: &[&str]) -> Result<Counts, String> {
    let mut total = Counts::default();
    counts(&run(name, n, Banks::Sixteen)?, labels).into_iter().for_each(|step| total += step);
    Ok(total)
}

/// Counts the cycles of a tree's additions three times: as they are, without conflicts, and with padding.
fn tree(leaves: usize, claimed: [u64; 3]) -> Result<Measured, String> {
    let plain = with_16("reduce-strided", leaves, &["add"])?;
    let padded = with_16("reduce-strided-padded", leaves, &["add"])?;
    Ok(Measured::same(&claimed, &[plain.cycles, 6 * plain.warp_steps, padded.cycles]))
}

/// Counts the conflict degree of each step of a reduction tree of 64 leaves.
fn degrees() -> Result<Measured, String> {
    let run = run("reduce-strided", 64, Banks::Sixteen)?;
    let found: Vec<_> = counts(&run, &["add"]).iter().map(|step| step.worst_degree).collect();
    Ok(Measured::same(&[2, 4, 4, 4, 2, 1], &found))
}

fn padded_degrees() -> Result<Measured, String> {
    let run = run("reduce-strided-padded", 512, Banks::Sixteen)?;
    let found: Vec<_> = counts(&run, &["add"]).iter().map(|step| step.worst_degree).collect();
    Ok(Measured::same(&[1, 1, 1, 1, 2, 2, 2, 2, 1], &found))
}

/// Returns the conflict degrees of Brent-Kung's first two steps up; the course writes out their words for 16 threads.
fn course(name: &str) -> Result<Vec<u64>, String> {
    let run = run(name, 64, Banks::Sixteen)?;
    Ok(counts(&run, &["up"]).iter().take(2).map(|step| step.worst_degree).collect())
}

fn loads() -> Result<Measured, String> {
    let interleaved = with_16("blelloch", 512, &["load"])?;
    let halves = with_16("blelloch-halves", 512, &["load"])?;
    Ok(Measured::same(&[2, 1], &[interleaved.worst_degree, halves.worst_degree]))
}

fn interleaved() -> Result<Measured, String> {
    let found = with_16("reduce-interleaved", 512, &["add"])?;
    Ok(Measured::new("conflicts", found.conflicts, found.conflicts > 0))
}

fn sequential() -> Result<Measured, String> {
    Ok(Measured::same(&[0], &[with_16("reduce-sequential", 512, &["add"])?.conflicts]))
}

pub(super) static CLAIMS: &[Open] = &[
    Open {
        name: "interleaved-conflicts",
        source: "Lensch and Strzodka, \"Shortcomings of the implementation\"",
        statement: "interleaved addressing has bank conflicts due to its stride",
        remark: "None: thread t stays at word t, so the 16 threads of a half-warp have 16 different banks, whoever of them works. \
                 They come with contiguous threads, as in reduce-strided.",
        measure: interleaved,
    },
    Open {
        name: "sequential-conflicts",
        source: "Lensch and Strzodka, \"Observations About the New Implementation\"",
        statement: "sequential addressing has no bank conflicts",
        remark: "",
        measure: sequential,
    },
    Open {
        name: "loads-conflicts",
        source: "Lensch and Strzodka, \"Initial Bank Conflicts on Load\"",
        statement: "interleaved loads go to banks 0, 2, 4, ..., 0, 2, 4, ..., a load of each half avoids it",
        remark: "The degree of the conflicts, for 512 elements and 16 banks.",
        measure: loads,
    },
    Open {
        name: "tree-64-degrees",
        source: "Lensch and Strzodka, \"Scan Bank Conflicts (1)\"",
        statement: "a tree with 64 leaves has conflicts of 2, 4, 4, 4, 2 and 1 threads",
        remark: "16 banks.",
        measure: degrees,
    },
    Open {
        name: "tree-64",
        source: "Lensch and Strzodka, \"Scan Bank Conflicts (1)\", \"Fixing Scan Bank Conflicts\"",
        statement: "64 leaves: 102 cycles, 36 without conflicts, 84 padded",
        remark: "6 (2 + 4 + 4 + 4 + 2 + 1); 6 x 6; 36 + 8 x 6.",
        measure: || tree(64, [102, 36, 84]),
    },
    Open {
        name: "tree-128",
        source: "Lensch and Strzodka, \"Scan Bank Conflicts (2)\", \"Fixing Scan Bank Conflicts\"",
        statement: "128 leaves: 186 cycles, 48 without conflicts, 106 padded",
        remark: "12 x 2 + 6 (4 + 8 + 8 + 4 + 2 + 1); 12 + 6 x 6. Padded it is 112: 8 warp-steps, two in the first of the 7 steps, \
                 at 6 + 8 cycles each. 8 cycles a step instead of a warp-step would make it 104. The other two sizes follow the rule.",
        measure: || tree(128, [186, 48, 106]),
    },
    Open {
        name: "tree-512",
        source: "Lensch and Strzodka, \"Scan Bank Conflicts (3)\", \"Fixing Scan Bank Conflicts\"",
        statement: "512 leaves: 570 cycles, 120 without conflicts, 304 padded",
        remark: "48 x 2 + 24 x 4 + 12 x 8 + 6 (16 + 16 + 8 + 4 + 2 + 1); 6 x 20 warp-steps; 48 + 24 + 12 + \
                 6 (1 + 2 + 2 + 2 + 2 + 1) + 8 x 20.",
        measure: || tree(512, [570, 120, 304]),
    },
    Open {
        name: "tree-512-padded-degrees",
        source: "Lensch and Strzodka, \"Fixing Scan Bank Conflicts\"",
        statement: "padding is not foolproof: with 512 leaves conflicts of 2 threads remain in 4 steps",
        remark: "16 banks, the 9 steps.",
        measure: padded_degrees,
    },
    Open {
        name: "brent-kung-conflicts",
        source: "CS121, \"Bank conflicts\"",
        statement: "16 banks: conflicts of 2 threads at stride 1, of 4 at stride 2",
        remark: "The steps up, 64 elements.",
        measure: || Ok(Measured::same(&[2, 4], &course("brent-kung")?)),
    },
    Open {
        name: "brent-kung-padded-conflicts",
        source: "CS121, \"Removing bank conflicts\"",
        statement: "padded, there are none at stride 2",
        remark: "The second step up, 64 elements.",
        measure: || Ok(Measured::same(&[1], &course("brent-kung-padded")?[1..])),
    },
];
