//! Tests of the costs that the files of the algorithms state, for those of many blocks, the segmented ones and the
//! Fenwick tree; of depths; and of conflicts against the hardware's.

use upsweep_lab::algorithm::{Input, Setup};
use upsweep_lab::algorithms::by_name;
use upsweep_lab::machine::{Banks, Counts, Run};
use upsweep_lab::operator::Operator;

/// Runs an algorithm with segments of 5 elements.
fn run(name: &str, n: u64) -> Run {
    with_banks(name, n, Banks::ThirtyTwo)
}

fn with_banks(name: &str, n: u64, banks: Banks) -> Run {
    with_heads(name, &(0..n).map(|index| index % 5 == 0).collect::<Vec<_>>(), banks)
}

fn with_heads(name: &str, heads: &[bool], banks: Banks) -> Run {
    let n = heads.len();
    let values: Vec<_> = (0..n as i64).collect();
    let setup = Setup { operator: Operator::<i64>::sum(), shape: banks.into(), records: false };
    let input = Input { values: &values, heads };
    let outcome = by_name(name).map(|algorithm| algorithm.run(setup, &input));
    assert!(matches!(outcome, Some(Ok(_))), "{name} of {n} elements: {outcome:?}");
    outcome.and_then(Result::ok).map(|outcome| outcome.run).unwrap_or_default()
}

fn counts(name: &str, n: u64) -> Counts {
    run(name, n).total()
}

#[test]
fn three_kernels_touch_each_element_twice() {
    // 4 segments of 512. A segment takes 2 n - 2 - log₂ n operations; so does the kernel of the sums.
    let (n, total) = (2048, counts("three-kernel", 2048));
    assert_eq!(total.operations, 5 * (2 * 512 - 2 - 9) + 3 * 512);
    // The sums: read once, and once by each thread of the last kernel.
    assert_eq!(total.global_reads, n + 3 * 512 + 4 + 3 * 256);
    assert_eq!(total.global_writes, n + 3 * 512 + 4 + 4);
}

#[test]
fn recursion_has_ever_fewer_blocks() {
    // 512 · 512 + 1 elements: 513 blocks, then 2, then 1. Every block of a level but the first has the prefix added.
    let total = counts("recursive", 512 * 512 + 1);
    assert_eq!(total.operations, (513 + 2 + 1) * 2 * 511 + (511 * 512 + 1) + 1);
}

#[test]
fn one_pass_touches_each_element_once() {
    for tiles in [1, 2, 48, 100] {
        let n = tiles * 1024;
        let chained = counts("chained", n);
        assert_eq!(chained.global_reads, n + 2 * (tiles - 1));
        assert_eq!(chained.global_writes, n + 2 * tiles);
        // A thread takes 3 + 4 + 1 operations, fewer if nothing precedes it; a tile takes the scan of 256 totals, and
        // the chain.
        let scans = tiles * (256 * 8 + 2 * 256 - 2 - 8 + 1);
        assert_eq!(chained.operations, scans - tiles - 4 - 256);
        let look_back = counts("look-back", n);
        assert!(look_back.global_reads >= n + 2 * (tiles - 1) && look_back.global_reads <= n + 2 * 64 * tiles);
        assert_eq!(look_back.global_writes, n + 4 * tiles - 2);
    }
}

#[test]
fn a_tile_looks_back_as_far_as_blocks_are_resident() {
    // The 48th tile combines 47 words where `chained` combines one; the first of the next wave finds a prefix.
    let more = |tiles: u64| counts("look-back", tiles * 1024).operations - counts("chained", tiles * 1024).operations;
    assert_eq!(more(48) - more(47), 46);
    assert_eq!(more(49) - more(48), 0);
}

#[test]
fn production_keeps_its_elements_in_registers() {
    let n = 40 * 2048;
    let total = counts("production", n);
    assert!(total.global_reads < n + n / 40 && total.global_writes < n + n / 40);
    // Shared memory: one word a warp, written and read, twice, and the second one read by all lanes.
    assert_eq!(total.shared_writes, 40 * 16);
    assert_eq!(total.barriers, 40 * 2);
    // 15 operations for a thread's 8 elements, and some 5 for its sum.
    assert!(total.operations > n * 19 / 8 && total.operations < n * 21 / 8, "{}", total.operations as f64 / n as f64);
}

#[test]
fn segments_do_not_change_the_number_of_steps() {
    let (n, plain) = (1024, run("blelloch", 1024));
    for name in ["segmented-pairs", "segmented-sweep"] {
        let run = run(name, n);
        assert_eq!((run.steps.len(), run.total().barriers), (plain.steps.len(), plain.total().barriers), "{name}");
        assert!(run.total().operations < 2 * (n - 1), "{name}");
    }
}

#[test]
fn depths_are_those_of_the_texts() {
    let depth = |name, n| run(name, n).span().operations;
    assert_eq!((depth("kogge-stone", 1024), depth("double-buffered", 1024)), (10, 10));
    assert_eq!((depth("blelloch", 1024), depth("inverse", 1024), depth("brent-kung", 1024)), (20, 19, 19));
    assert_eq!((depth("hillis-steele", 16_384), depth("sequential", 1024)), (14, 1023));
    // A block scan of 512, that of the sums, and two additions a thread.
    assert_eq!((depth("three-kernel", 16_384), depth("three-kernel", 512)), (17 + 17 + 2, 17));
    // The longest loops of a thread: elements 511 and 1023, of 9 and 10 bits.
    assert_eq!(depth("fenwick", 1024), 10 + 8 + 9);
}

#[test]
fn a_chain_is_deep_and_a_look_back_is_not() {
    for tiles in [48, 480] {
        let [chained, look_back, production] =
            ["chained", "look-back", "production"].map(|name| run(name, tiles * 1024).span());
        // A thread's 4 elements, the scan of 256 totals, a link a tile, and the prefix combined with the elements.
        assert_eq!(chained.operations, 3 + 15 + (tiles - 1) + 5);
        assert!(look_back.operations < 3 + 15 + 5 + 12 * tiles / 48 && look_back.cycles < chained.cycles);
        assert!(production.operations < look_back.operations, "{production:?} {look_back:?}");
    }
}

#[test]
fn conflicts_of_walks_are_those_of_lockstep() {
    for (n, thirty_two, sixteen) in [(64, 15, 40), (128, 50, 104), (512, 310, 568), (1024, 710, 1272)] {
        let conflicts = |banks| with_banks("fenwick", n, banks).total().conflicts;
        assert_eq!((conflicts(Banks::ThirtyTwo), conflicts(Banks::Sixteen)), (thirty_two, sixteen), "{n}");
    }
}

/// Conflicts against a record measured by Nsight Compute on an NVIDIA H200. The exceptions are those of the five
/// algorithms that the guide's chapter on the laboratory names, and of their second forms.
#[test]
fn conflicts_are_those_of_the_hardware() {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/record/nvidia-h200/2026-11-27-lab-counters.md");
    let record = std::fs::read_to_string(record).expect("the record");
    let (mut equal, mut different) = (0, Vec::new());
    for row in record.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let number = |text: &str| text.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
        let (name, n, gpu) = (cells[1], number(cells[2]).expect("elements"), number(cells[4]).expect("conflicts"));
        let heads: Vec<_> = (0..n).map(|index| index % 37 == 0).collect();
        // A second form has the accesses of the first one.
        let first = name.strip_suffix("-second").unwrap_or(name);
        match with_heads(first, &heads, Banks::ThirtyTwo).total().conflicts == gpu {
            true => equal += 1,
            false => different.push((name, n)),
        }
    }
    let exceptions = [
        [("recursive", 64), ("fenwick", 64), ("chained", 64), ("chained-second", 64)].as_slice(),
        &[("look-back", 64), ("look-back-second", 64), ("segmented-pairs", 512), ("fenwick", 512)],
        &[("chained", 512), ("chained-second", 512), ("look-back", 512), ("look-back-second", 512)],
    ];
    assert_eq!((equal, different), (86, exceptions.concat()));
}

#[test]
fn walks_are_not_work_efficient() {
    for log in [1, 5, 10] {
        let n = 1 << log;
        let total = counts("fenwick", n);
        assert_eq!(total.operations, n / 2 * log);
        assert_eq!(total.barriers, log + 1);
    }
}
