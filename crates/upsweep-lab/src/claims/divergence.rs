//! Claims about branches, barriers and idle threads.

use super::errata::sequential_loop;
use super::measure::{Measured, Open, block, counts, list, run};
use crate::machine::{Banks, Counts, WARP};

/// Returns the counts of the steps that add, in a run of the reduction `name` on 512 elements.
fn adding(name: &str) -> Result<Vec<Counts>, String> {
    Ok(counts(&run(name, 512, Banks::ThirtyTwo)?, &["add"]))
}

fn divergent(name: &str) -> Result<Vec<u64>, String> {
    Ok(adding(name)?.iter().map(|step| step.divergent_branches).collect())
}

fn sequential_divergence() -> Result<Measured, String> {
    let found: Vec<_> = divergent("reduce-sequential")?.iter().map(|&warps| u64::from(warps > 0)).collect();
    Ok(Measured::same(&[0, 0, 0, 0, 1, 1, 1, 1, 1], &found))
}

fn sub_sums() -> Result<Measured, String> {
    let steps = adding("reduce-sequential")?;
    let first = steps.iter().find(|step| step.divergent_branches > 0).map_or(0, |step| step.operations);
    Ok(Measured::new("the first step that diverges makes less than 16", first, first < 16))
}

/// Counts the rounds of the lecture's loop, with two elements a thread, in which more than one warp works.
fn retiring() -> Result<Measured, String> {
    let (_, run) = block(&[1; 1024], 512, sequential_loop)?;
    let warps: Vec<_> = counts(&run, &["add"]).iter().map(|step| step.warp_steps).collect();
    let shut_down = warps.iter().filter(|&&warps| warps > 1).count();
    Ok(Measured::new(4, format!("{shut_down} (warps at work: {})", list(&warps)), shut_down == 4))
}

fn last_loops() -> Result<Measured, String> {
    let alone = adding("reduce-sequential")?.iter().filter(|step| step.warp_steps == 1).count();
    Ok(Measured::same(&[6], &[alone]))
}

fn interleaved_first() -> Result<Measured, String> {
    let found = divergent("reduce-interleaved")?;
    Ok(Measured::same(&[16; 5], &found[..5.min(found.len())]))
}

fn interleaved_later() -> Result<Measured, String> {
    let found = divergent("reduce-interleaved")?;
    Ok(Measured::same(&[0; 4], &found[5.min(found.len())..]))
}

fn interleaved_per_warp() -> Result<Measured, String> {
    let steps = adding("reduce-interleaved")?;
    let found: Vec<_> = steps.iter().skip(5).map(|step| step.active_threads / step.warp_steps.max(1)).collect();
    Ok(Measured::same(&[1; 4], &found))
}

fn interleaved_activity() -> Result<Measured, String> {
    let mut total = Counts::default();
    adding("reduce-interleaved")?.into_iter().for_each(|step| total += step);
    Ok(Measured::new("less than 0.250", format!("{:.3}", total.activity()), total.activity() < 0.25))
}

fn interleaved_half() -> Result<Measured, String> {
    let busiest = adding("reduce-interleaved")?.iter().map(Counts::activity).fold(0.0, f64::max);
    Ok(Measured::new("at most 0.500", format!("{busiest:.3}"), busiest <= 0.5))
}

/// Returns the sum of 64 `elements` by the lecture's lines for the last warp, after one round that leaves 32 sums. The
/// threads up to number `last` run these lines.
fn printed_lines(elements: &[i64], last: usize) -> Result<i64, String> {
    let (found, _) = block(elements, 2 * WARP, |block, s| {
        let mut temp = [0; 2 * WARP];
        for distance in [32, 1, 2, 3, 4, 5] {
            block.step("add", |t| {
                if t.branch(t.index < WARP || distance < WARP && t.index <= last) {
                    let (own, other) = (t.read(s, t.index), t.read(s, t.index + distance));
                    temp[t.index] = t.combine(own, other);
                }
            });
            block.step("write", |t| {
                if t.branch(t.index < WARP || distance < WARP && t.index <= last) {
                    t.write(s, t.index, temp[t.index]);
                }
            });
            if distance == WARP {
                block.barrier();
            }
        }
    })?;
    found.first().copied().ok_or_else(|| "no sum".to_owned())
}

fn unrolled() -> Result<Measured, String> {
    let (ones, numbers): (Vec<_>, Vec<_>) = (vec![1; 64], (1..=64).collect());
    let sums: [i64; 2] = [ones.iter().sum(), numbers.iter().sum()];
    Ok(Measured::same(&sums, &[printed_lines(&ones, WARP - 1)?, printed_lines(&numbers, WARP - 1)?]))
}

fn unrolled_bound() -> Result<Measured, String> {
    let fault = printed_lines(&[1; 64], WARP).err();
    Ok(Measured::new("lockstep orders them", fault.as_deref().unwrap_or("it does"), fault.is_none()))
}

/// Counts divergent warps and cycles if 512 threads add to their words, those that `other` names in another branch.
fn two_paths(other: fn(usize) -> bool) -> Result<[u64; 2], String> {
    let (_, run) = block(&[1; 512], 512, |block, s| {
        block.step("add", |t| {
            let index = t.index;
            if t.branch(other(index)) {
                let own = t.read(s, index);
                let twice = t.combine(own, own);
                t.write(s, index, twice);
            } else {
                let own = t.read(s, index);
                let more = t.combine(own, 1);
                t.write(s, index, more);
            }
        });
    })?;
    let [add] = counts(&run, &["add"])[..] else { return Err("not one step".to_owned()) };
    Ok([add.divergent_branches, add.cycles])
}

fn aligned() -> Result<Measured, String> {
    let (none, aligned) = (two_paths(|_| false)?, two_paths(|thread| thread / WARP % 2 == 1)?);
    let [warps, cycles] = two_paths(|thread| thread % 2 == 1)?;
    let words = |[warps, cycles]: [u64; 2]| format!("{warps} warps diverge, {cycles} cycles");
    let found = format!("{}; every second thread: {warps} warps, {cycles} cycles", words(aligned));
    Ok(Measured::new(words(none), found, aligned == none && warps > 0 && cycles > none[1]))
}

fn race() -> Result<Measured, String> {
    let racing =
        |n: &usize| run("kogge-stone-race", *n, Banks::ThirtyTwo).is_err_and(|error| error.starts_with("race"));
    let first = (1..=64).find(racing).unwrap_or(0);
    Ok(Measured::new("a race", format!("from {first} elements on"), first > 0))
}

pub(super) static CLAIMS: &[Open] = &[
    Open {
        name: "aligned-branches",
        source: "Lensch and Strzodka, \"Task-Parallel Programming\"",
        statement: "branches that are aligned with warps cost nothing; within a warp they do",
        remark: "512 threads on two paths, by whole warps: no more than on one path. By every second thread each warp takes both.",
        measure: aligned,
    },
    Open {
        name: "interleaved-first-steps",
        source: "Lensch and Strzodka, \"Some Observations\"",
        statement: "with interleaved addressing each warp takes both paths in the first 5 steps",
        remark: "Divergent warps of 16, for 512 threads.",
        measure: interleaved_first,
    },
    Open {
        name: "interleaved-later-steps",
        source: "Lensch and Strzodka, \"Some Observations\"",
        statement: "after the 5th step there is no divergence",
        remark: "Divergent warps of 16. The warps that have nothing to do do not diverge. Those that work do: one thread adds, and 31 \
                 wait.",
        measure: interleaved_later,
    },
    Open {
        name: "interleaved-one-thread",
        source: "Lensch and Strzodka, \"Some Observations\"",
        statement: "4 more steps have one thread each at work",
        remark: "One in each warp that works, of which there are 8, 4, 2 and 1.",
        measure: interleaved_per_warp,
    },
    Open {
        name: "interleaved-half",
        source: "Lensch and Strzodka, \"Some Observations\"",
        statement: "no more than half of the threads execute at any time",
        remark: "The share that adds in the busiest step, for 512 threads.",
        measure: interleaved_half,
    },
    Open {
        name: "interleaved-quarter",
        source: "Lensch and Strzodka, \"Some Observations\"",
        statement: "on average less than a quarter of the threads is active",
        remark: "For 512 threads, over the 9 steps that add: 511 of 4608.",
        measure: interleaved_activity,
    },
    Open {
        name: "sequential-divergence",
        source: "Lensch and Strzodka, \"Observations About the New Implementation\"",
        statement: "with sequential addressing only the last 5 steps diverge",
        remark: "The 9 steps of 512 threads; 1: a warp diverges.",
        measure: sequential_divergence,
    },
    Open {
        name: "sequential-sub-sums",
        source: "Lensch and Strzodka, \"Reduction, version 2\"",
        statement: "no divergence until there are less than 16 sub-sums",
        remark: "The step that makes 16 of them has half a warp at work already. Less than 32, it should be.",
        measure: sub_sums,
    },
    Open {
        name: "sequential-retiring",
        source: "Lensch and Strzodka, \"Observations About the New Implementation\"",
        statement: "for a block of 512 threads, 4 iterations shut down all but one warp",
        remark: "With the slide's loop, whose first stride is blockDim.x, on 1024 elements.",
        measure: retiring,
    },
    Open {
        name: "last-loops",
        source: "Lensch and Strzodka, \"Implicit Synchronization in a Warp\"",
        statement: "in the last 6 steps only one warp is active",
        remark: "And so it is 6 that can go without barriers. The same slide unrolls 5.",
        measure: last_loops,
    },
    Open {
        name: "unrolled-lines",
        source: "Lensch and Strzodka, \"Implicit Synchronization in a Warp\"",
        statement: "the last 5 steps are s[t] += s[t + 1], s[t + 2], ..., s[t + 5]",
        remark: "The sums of 64 ones and of 1 to 64, behind a loop that stops in time. The lines add up 32 words, but only from the \
                 first 16, so ones do not show that they are wrong. The distances are 16, 8, 4, 2, 1.",
        measure: unrolled,
    },
    Open {
        name: "unrolled-bound",
        source: "Lensch and Strzodka, \"Implicit Synchronization in a Warp\"",
        statement: "threads tid <= 32 are one warp, which needs no barrier",
        remark: "They are 33. Thread 32 belongs to the second warp. tid < 32 is meant.",
        measure: unrolled_bound,
    },
    Open {
        name: "single-buffer-race",
        source: "CS121, \"Parallel prefix sum (naive)\"",
        statement: "a single buffer would have a race condition",
        remark: "With one barrier a step. Up to 32 elements lockstep hides it.",
        measure: race,
    },
];
