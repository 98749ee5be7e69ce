//! Tests of the sources' claims, by number. The tests count on the model by themselves; [`claims`] is tested against
//! the same numbers.

#![allow(clippy::expect_used, reason = "a test may panic")]

use upsweep_lab::algorithm::{Input, Setup};
use upsweep_lab::algorithms::by_name;
use upsweep_lab::claims::claims;
use upsweep_lab::machine::{Banks, Counts, Run};
use upsweep_lab::operator::Operator;

fn run(name: &str, n: usize, banks: Banks) -> Run {
    let algorithm = by_name(name).expect("it is listed");
    let values: Vec<_> = (0..n as i64).collect();
    let setup = Setup { operator: Operator::<i64>::sum(), shape: banks.into(), records: false };
    algorithm.run(setup, &Input { values: &values, heads: &vec![false; n] }).expect("it runs").run
}

fn operations(name: &str, n: usize) -> u64 {
    run(name, n, Banks::ThirtyTwo).total().operations
}

/// One count of each step with this label.
fn each(run: &Run, label: &str, number: impl Fn(&Counts) -> u64) -> Vec<u64> {
    run.steps.iter().filter(|step| step.label == label).map(|step| number(&step.counts)).collect()
}

#[test]
fn operations_are_as_many_as_the_formulas_say() {
    // n, log n, n log n - (n - 1), 2 (n - 1), 2n - 2 - log n.
    let table = [(8, 3, 17, 14, 11), (64, 6, 321, 126, 120), (512, 9, 4097, 1022, 1013), (1024, 10, 9217, 2046, 2036)];
    for (n, levels, naive, balanced, brent_kung) in table {
        for name in ["kogge-stone", "double-buffered", "double-buffered-exclusive", "hillis-steele"] {
            assert_eq!(operations(name, n), naive, "{name} {n}");
            assert_eq!(naive, n as u64 * (levels - 1) + 1, "the lecture's total, {n}");
        }
        for name in ["blelloch", "blelloch-halves", "blelloch-padded", "blelloch-halves-padded"] {
            assert_eq!(operations(name, n), balanced, "{name} {n}");
        }
        let names =
            ["brent-kung", "brent-kung-halves", "brent-kung-padded", "brent-kung-halves-padded", "brent-kung-modulo"];
        let inverse = ["inverse", "inverse-halves", "inverse-padded", "inverse-halves-padded"];
        for name in names.into_iter().chain(inverse) {
            assert_eq!(operations(name, n), brent_kung, "{name} {n}");
        }
        for name in ["reduce-interleaved", "reduce-strided", "reduce-strided-padded", "reduce-sequential", "sequential"]
        {
            assert_eq!(operations(name, n), n as u64 - 1, "{name} {n}");
        }
    }
    assert_eq!(operations("brent-kung", 2048), 4083);
    assert_eq!(operations("hillis-steele", 4096), 45057);
}

#[test]
fn whole_warps_do_more_operations_than_needed() {
    // 512 - 64 before the last warp, and 6 times all of it.
    assert_eq!(operations("reduce-unrolled", 512), 448 + 192);
    // 5 steps of 16 warps, then of one.
    assert_eq!(operations("reduce-shuffle", 512), 5 * 512 + 5 * 32);
    for name in ["reduce-unrolled", "reduce-shuffle"] {
        let adding = run(name, 512, Banks::ThirtyTwo).total_of(|step| step.counts.operations > 0);
        assert_eq!((adding.divergent_branches, adding.conflicts), (0, 0), "{name}");
    }
}

#[test]
fn barriers() {
    let barriers = |name| run(name, 512, Banks::ThirtyTwo).total().barriers;
    assert_eq!((barriers("kogge-stone"), barriers("double-buffered")), (18, 9));
    assert_eq!((barriers("reduce-sequential"), barriers("reduce-unrolled"), barriers("reduce-shuffle")), (9, 4, 1));
}

#[test]
fn work_of_each_step() {
    let (naive, first) = (run("kogge-stone", 512, Banks::Sixteen), run("double-buffered-exclusive", 8, Banks::Sixteen));
    assert_eq!(each(&naive, "add", |step| step.operations), [511, 510, 508, 504, 496, 480, 448, 384, 256]);
    // Not 7, 5, 4.
    assert_eq!(each(&first, "add", |step| step.operations), [7, 6, 4]);
    let brent_kung = run("brent-kung", 16, Banks::Sixteen);
    assert_eq!(each(&brent_kung, "up", |step| step.operations), [8, 4, 2, 1]);
    assert_eq!(each(&brent_kung, "down", |step| step.operations), [1, 3, 7]);
    let inverse = run("inverse", 16, Banks::Sixteen);
    assert_eq!(each(&inverse, "down", |step| step.operations), [0, 1, 3, 7]);
}

#[test]
fn steps_are_logarithms() {
    let steps = |name, label| each(&run(name, 1024, Banks::Sixteen), label, |_| 1).len();
    assert_eq!((steps("kogge-stone", "add"), steps("double-buffered", "add")), (10, 10));
    assert_eq!((steps("blelloch", "up"), steps("blelloch", "down")), (10, 10));
    assert_eq!((steps("inverse", "up"), steps("inverse", "down")), (10, 10));
    assert_eq!((steps("brent-kung", "up"), steps("brent-kung", "down")), (10, 9));
    assert_eq!(steps("sequential", "add"), 1023);
}

#[test]
fn divergence_of_reductions() {
    let divergent = |name| each(&run(name, 512, Banks::ThirtyTwo), "add", |step| step.divergent_branches);
    assert_eq!(divergent("reduce-sequential"), [0, 0, 0, 0, 1, 1, 1, 1, 1]);
    assert_eq!(divergent("reduce-strided"), [0, 0, 0, 0, 1, 1, 1, 1, 1]);
    assert_eq!(divergent("reduce-interleaved"), [16, 16, 16, 16, 16, 8, 4, 2, 1]);

    let (interleaved, sequential) =
        (run("reduce-interleaved", 512, Banks::ThirtyTwo), run("reduce-sequential", 512, Banks::ThirtyTwo));
    assert_eq!(each(&interleaved, "add", |step| step.warp_steps), [16, 16, 16, 16, 16, 8, 4, 2, 1]);
    assert_eq!(each(&interleaved, "add", |step| step.active_threads), [256, 128, 64, 32, 16, 8, 4, 2, 1]);
    assert_eq!(each(&sequential, "add", |step| step.warp_steps), [8, 4, 2, 1, 1, 1, 1, 1, 1]);
    let adding = interleaved.total_of(|step| step.label == "add");
    assert_eq!((adding.active_threads, adding.threads), (511, 4608));
    assert!(adding.activity() < 0.25);
}

#[test]
fn divergence_of_brent_kung() {
    let adding = |name| run(name, 512, Banks::ThirtyTwo).total_of(|step| ["up", "down"].contains(&step.label));
    let (contiguous, modulo, inverse) = (adding("brent-kung"), adding("brent-kung-modulo"), adding("inverse"));
    assert_eq!((contiguous.divergent_branches, modulo.divergent_branches, inverse.divergent_branches), (13, 185, 13));
    assert_eq!((contiguous.conflicts, modulo.conflicts), (438, 0));
    assert_eq!((adding("brent-kung-padded").conflicts, adding("inverse-padded").conflicts), (22, 11));
}

#[test]
fn cycles_of_the_lecture() {
    // 8 cycles for the addresses of each of the warp-steps 6, 8 and 20.
    for (leaves, plain, free, padded) in [(64, 102, 36, 84), (128, 186, 48, 112), (512, 570, 120, 304)] {
        let adding = |name| run(name, leaves, Banks::Sixteen).total_of(|step| step.label == "add");
        let (without, with) = (adding("reduce-strided"), adding("reduce-strided-padded"));
        assert_eq!((without.cycles, 6 * without.warp_steps, with.cycles), (plain, free, padded), "{leaves} leaves");
        assert_eq!(without.warp_steps, with.warp_steps);
    }
    let degrees = |name, leaves| each(&run(name, leaves, Banks::Sixteen), "add", |step| step.worst_degree);
    assert_eq!(degrees("reduce-strided", 64), [2, 4, 4, 4, 2, 1]);
    assert_eq!(degrees("reduce-strided", 128), [2, 4, 8, 8, 4, 2, 1]);
    assert_eq!(degrees("reduce-strided", 512), [2, 4, 8, 16, 16, 8, 4, 2, 1]);
    assert_eq!(degrees("reduce-strided-padded", 128), [1; 7]);
    assert_eq!(degrees("reduce-strided-padded", 512), [1, 1, 1, 1, 2, 2, 2, 2, 1]);
}

#[test]
fn conflicts_elsewhere() {
    for name in ["reduce-interleaved", "reduce-sequential", "reduce-unrolled", "reduce-shuffle", "brent-kung-modulo"] {
        for banks in [Banks::Sixteen, Banks::ThirtyTwo] {
            assert_eq!(run(name, 512, banks).total().conflicts, 0, "{name}");
        }
    }
    for (name, degree) in [("brent-kung", 2), ("brent-kung-halves", 1), ("inverse", 2), ("inverse-halves", 1)] {
        assert_eq!(each(&run(name, 512, Banks::Sixteen), "load", |step| step.worst_degree), [degree], "{name}");
    }
}

#[test]
fn the_printed_example() {
    for (name, scan) in [
        ("brent-kung", [3, 4, 11, 11, 15, 16, 22, 25]),
        ("inverse-padded", [3, 4, 11, 11, 15, 16, 22, 25]),
        ("hillis-steele", [3, 4, 11, 11, 15, 16, 22, 25]),
        ("sequential", [0, 3, 4, 11, 11, 15, 16, 22]),
        ("double-buffered-exclusive", [0, 3, 4, 11, 11, 15, 16, 22]),
    ] {
        let setup = Setup { operator: Operator::<i64>::sum(), shape: Banks::ThirtyTwo.into(), records: false };
        let input = Input { values: &[3, 1, 7, 0, 4, 1, 6, 3], heads: &[false; 8] };
        assert_eq!(by_name(name).expect("it is listed").run(setup, &input).expect("it runs").results, scan, "{name}");
    }
}

/// Name, claimed numbers, found numbers; and whether the claim holds.
const EXPECTED: &[(&str, &str, &str, bool)] = &[
    ("sequential-work", "8 64 512 1024", "7 63 511 1023", false),
    ("reduction-work", "511 511 511", "511 511 511", true),
    ("unshared-work", "28 2016 130816", "28 2016 130816", true),
    ("naive-work-per-step", "511 510 508 504 496 480 448 384 256", "511 510 508 504 496 480 448 384 256", true),
    ("kogge-stone-work", "17 321 4097 9217", "17 321 4097 9217", true),
    ("hillis-steele-work", "17 4097 45057", "17 4097 45057", true),
    ("first-attempt-work", "17 321 4097 9217", "17 321 4097 9217", true),
    ("first-attempt-work-per-step", "7 5 4", "7 6 4", false),
    ("twenty-times-the-work", "20", "19.00", true),
    (
        "twenty-times-slower",
        "20",
        "90.8 us on an NVIDIA H200, Brent-Kung 22.0 us: 4.1 times slower, for 9.5 times the work; one thread 43912 us: 483 times \
         faster, for 19.0 times the work",
        false,
    ),
    ("naive-steps", "10 10", "10 10", true),
    ("words-double", "2 4 8 16 32 64", "2 4 8 16 32 64", true),
    ("inclusive-example", "3 4 11 11 14 16 22 25", "3 4 11 11 15 16 22 25", false),
    ("exclusive-example", "0 3 4 11 11 15 16 22", "0 3 4 11 11 15 16 22", true),
    ("sequential-equivalent", "0 10 12 62 63 80 82 119", "0 10 12 62 63 80 82 119", true),
    ("recurrence", "5 6 1 2 6 -5 -4 -1", "5 6 1 2 6 -5 -4 -1", true),
    ("blelloch-work", "14 126 1022 2046", "14 126 1022 2046", true),
    ("balanced-steps", "20 20", "20 20", true),
    ("brent-kung-work", "11 120 1013 2036", "11 120 1013 2036", true),
    ("brent-kung-steps", "19", "19", true),
    ("brent-kung-threads", "up 4 2 1 0, down 2 4 8", "up 8 4 2 1, down 1 3 7", false),
    ("brent-kung-third-level", "2 4 6 8 10 12", "2 4 6 8 10 12 14", false),
    ("inverse-work", "less than 14 126 1022 2046", "11 120 1013 2036", true),
    ("reduction-steps", "9 256", "9 256", true),
    ("reductions-do-not-race", "none", "none", true),
    ("segments-apart", "128", "24", false),
    ("segments-together", "12 16 20", "12 16 20", true),
    ("fenwick-build", "24 384 4608 10240", "7 63 511 1023", false),
    ("fenwick-update", "at most log n + 1: 4 7 10", "4 7 10", true),
    ("naive-loop", "3 4 11 11 15 16 22 25", "3 1 8 7 12 12 11 14", false),
    ("naive-threads", "3 4 11 11 15 16 22 25", "3 1 8 8 12 13 19 22", false),
    ("naive-strides", "1 2 4 8", "1 2 4", false),
    ("down-sweep", "0 3 4 11 11 15 16 22", "18 15 18 11 9 5 6 0", false),
    ("segment-sum", "25", "11", false),
    ("segmented-operator", "0 1 3 6 0 6 0 1 4", "f = f1: 0 1 2 3 0 6 0 1 3; f = f2: 0 1 3 6 0 6 0 1 4", false),
    ("sequential-loop", "36", "16", false),
    ("sequential-loop-end", "it ends after 2 rounds", "stride 4 after 1000 rounds", false),
    ("padded-loop", "36", "7", false),
    (
        "padded-loop-bound",
        "36",
        "thread 2 of block 0 reads s[8] in step \"add\" of printed: the array has 8 words",
        false,
    ),
    (
        "aligned-branches",
        "0 warps diverge, 64 cycles",
        "0 warps diverge, 64 cycles; every second thread: 16 warps, 128 cycles",
        true,
    ),
    ("interleaved-first-steps", "16 16 16 16 16", "16 16 16 16 16", true),
    ("interleaved-later-steps", "0 0 0 0", "8 4 2 1", false),
    ("interleaved-one-thread", "1 1 1 1", "1 1 1 1", true),
    ("interleaved-half", "at most 0.500", "0.500", true),
    ("interleaved-quarter", "less than 0.250", "0.111", true),
    ("sequential-divergence", "0 0 0 0 1 1 1 1 1", "0 0 0 0 1 1 1 1 1", true),
    ("sequential-sub-sums", "the first step that diverges makes less than 16", "16", false),
    ("sequential-retiring", "4", "4 (warps at work: 16 8 4 2 1 1 1 1 1)", true),
    ("last-loops", "6", "6", true),
    ("unrolled-lines", "64 2080", "64 1568", false),
    (
        "unrolled-bound",
        "lockstep orders them",
        "race at s[32] in step \"write\" of printed: thread 31 of block 0 reads and thread 32 of block 0 writes, and no \
         barrier lies between",
        false,
    ),
    ("single-buffer-race", "a race", "from 33 elements on", true),
    ("interleaved-conflicts", "conflicts", "0", false),
    ("sequential-conflicts", "0", "0", true),
    ("loads-conflicts", "2 1", "2 1", true),
    ("tree-64-degrees", "2 4 4 4 2 1", "2 4 4 4 2 1", true),
    ("tree-64", "102 36 84", "102 36 84", true),
    ("tree-128", "186 48 106", "186 48 112", false),
    ("tree-512", "570 120 304", "570 120 304", true),
    ("tree-512-padded-degrees", "1 1 1 1 2 2 2 2 1", "1 1 1 1 2 2 2 2 1", true),
    ("brent-kung-conflicts", "2 4", "2 4", true),
    ("brent-kung-padded-conflicts", "1", "1", true),
    ("tree-128-addresses", "112 116 120 122; banks 0 4 8 10", "112 116 120 124; banks 0 4 8 12", false),
    ("tree-64-padded-addresses", "31 addresses, the last is 63", "32 addresses, the last is 65", false),
    ("tree-128-padded-banks", "0 4 8 12 17 21 25 29", "0 4 8 12 1 5 9 13", false),
    (
        "tree-crowds",
        "2 at each of 8: 0 8 at bank 0; 4 at each of 4: 0 4 8 12 at bank 1",
        "2 at each of 8: 0 8 at bank 0; 4 at each of 4: 0 4 8 12 at bank 1",
        true,
    ),
    ("padding-waste", "about 3 %", "3.1 % (1056 words for 1024)", true),
    ("double-buffer-in-place", "16", "32", false),
    ("warps-of-blocks", "24", "24", true),
    ("latency-hiding", "13", "13", true),
];

#[test]
fn claims_are_settled() {
    let claims = claims();
    let found: Vec<_> = claims.iter().map(|c| (c.name, c.claimed.as_str(), c.found.as_str(), c.holds)).collect();
    for (found, expected) in found.iter().zip(EXPECTED) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), EXPECTED.len());
}

/// Listings as plain loops over their words.
#[test]
fn listings_as_printed() {
    let elements = [3, 1, 7, 0, 4, 1, 6, 3];
    let found = |name: &str| claims().into_iter().find(|claim| claim.name == name).expect("it is listed").found;
    let text = |words: &[i64]| words.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");

    let mut x = elements;
    for d in 0..3 {
        for k in (0..8).step_by(2 << d) {
            x[k + (2 << d) - 1] += x[k + (1 << d) - 1];
        }
    }
    x[7] = 0;
    for d in (0..3).rev() {
        for k in (0..8).step_by(2 << d) {
            let t = x[k + (1 << d) - 1];
            // Line 5 stores the right word to itself.
            x[k + (1 << d) - 1] = t + x[k + (2 << d) - 1];
        }
    }
    assert_eq!(found("down-sweep"), text(&x));

    let (mut loops, mut threads) = (elements, elements);
    for i in 1..3 {
        let before = loops;
        (1 << i..8).for_each(|tid| loops[tid] = before[tid - (1 << (i - 1))] + before[tid]);
    }
    for stride in [1, 2, 4] {
        let before = threads;
        (stride + 1..8).for_each(|tid| threads[tid] = before[tid - stride] + before[tid]);
    }
    assert_eq!((found("naive-loop"), found("naive-threads")), (text(&loops), text(&threads)));

    let mut sums = [1, 2, 3, 4, 5, 6, 7, 8];
    for stride in [4, 2] {
        (0..stride).for_each(|t| sums[t] += sums[t + stride]);
    }
    let mut padded = [1, 2, 3, 4, 5, 6, 7, 8];
    for d in [4, 2, 1] {
        (0..4).filter(|thid| *thid <= d).for_each(|thid| padded[2 * thid] += padded[2 * thid + 1]);
    }
    assert_eq!((found("sequential-loop"), found("padded-loop")), (text(&sums[..1]), text(&padded[..1])));
}

#[test]
fn measured_times_are_those_of_the_record() {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/record/nvidia-h200/2026-11-27-lab.csv");
    let record = std::fs::read_to_string(record).expect("the record");
    let micros = |name: &str| -> f64 {
        let row = record.lines().find(|row| row.starts_with(&format!("{name},lab_sum,i32,20,"))).expect("a row");
        row.split(',').nth(4).expect("a time").parse().expect("a number")
    };
    let claims = claims();
    let found = &claims.iter().find(|claim| claim.name == "twenty-times-slower").expect("it is listed").found;
    let [naive, tree, alone] = ["hillis-steele", "brent-kung", "sequential"].map(micros);
    for words in [
        format!("{naive:.1} us on"),
        format!("Brent-Kung {tree:.1} us: {:.1} times slower", naive / tree),
        format!("one thread {alone:.0} us: {:.0} times faster", alone / naive),
    ] {
        assert!(found.contains(&words), "{words}: {found}");
    }
}

#[test]
fn claims_have_names_of_their_own_and_sources() {
    let claims = claims();
    let mut names: Vec<_> = claims.iter().map(|claim| claim.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), claims.len());
    assert!(claims.iter().all(|claim| !claim.source.is_empty() && !claim.statement.is_empty()));
    // Claims that are printed nowhere are marked as derived.
    let derived: Vec<_> =
        claims.iter().filter(|claim| claim.source.starts_with("derived from ")).map(|claim| claim.name).collect();
    assert_eq!(derived, ["recurrence", "brent-kung-work", "brent-kung-steps"]);
    // A claim that is wrong has a remark with the right numbers.
    assert!(claims.iter().all(|claim| claim.holds || !claim.remark.is_empty()));
}
