//! Tests of kernels whose blocks communicate, whose warps shuffle, and whose threads diverge: faults, dependencies and
//! costs on the machine model.

#![allow(clippy::expect_used, reason = "a test may panic")]

use upsweep_lab::machine::{Array, Banks, Block, Counts, Fault, Flags, Machine, Thread};
use upsweep_lab::operator::Operator;

fn machine() -> Machine<i64> {
    Machine::new(Operator::<i64>::sum(), Banks::ThirtyTwo)
}

/// Lets one thread of a block read or write the word.
fn access(block: &mut Block<'_, i64>, thread: usize, word: Array, write: bool) {
    block.step("access", |t| {
        if t.index == thread {
            if write {
                t.write(word, 0, 1);
            } else {
                t.read(word, 0);
            }
        }
    });
}

#[test]
fn readers_of_two_warps_do_not_hide_a_reader_of_another_block() {
    let mut machine = machine();
    let x = machine.array("x", &[7]);
    machine.launch_waves("hidden", 2, 64, 2, 2, |block, phase| match (phase, block.index) {
        (0, 0) => {
            access(block, 0, x, false);
            access(block, 32, x, false);
            block.barrier();
        }
        (0, _) => access(block, 5, x, false),
        (_, 0) => access(block, 0, x, true),
        _ => {}
    });
    match machine.finish() {
        Err(Fault::Race { first, second, .. }) => {
            assert_eq!((first.block, first.thread, first.write), (1, 5, false));
            assert_eq!((second.block, second.thread, second.write), (0, 0, true));
        }
        other => panic!("{other:?}"),
    }
}

/// Lets block 1 wait for a flag that block 0 sets in phase `sets`.
fn waiting(flags: impl Fn(&mut Machine<i64>) -> Flags, sets: usize) -> Result<(), Fault> {
    let mut machine = machine();
    let flags = flags(&mut machine);
    machine.launch_waves("waiting", 2, 1, 2, 3, |block, phase| {
        let number = block.index;
        block.step("flag", |t| match (number, phase) {
            (0, phase) if phase == sets => t.write_flag(flags, 0, 3),
            (1, 1) => assert_eq!(t.wait(flags, 0), if sets <= 1 { 3 } else { 0 }),
            _ => {}
        });
    });
    machine.finish().map(|_| ())
}

#[test]
fn a_flag_that_nothing_sets_before_is_a_fault() {
    for sets in [0, 1] {
        assert_eq!(waiting(|machine| machine.status_flags("ready", 1), sets), Ok(()));
    }
    match waiting(|machine| machine.status_flags("ready", 1), 2) {
        Err(Fault::Stuck { at, by }) => assert_eq!((at.array, at.index, by.block, by.thread), ("ready", 0, 1, 0)),
        other => panic!("{other:?}"),
    }
    // Flags in plain global memory order nothing.
    assert!(matches!(waiting(|machine| machine.flags("ready", &[0]), 0), Err(Fault::Race { .. })));
}

#[test]
fn a_barrier_counts_in_a_step_of_its_own_block() {
    let mut machine = machine();
    machine.launch_waves("phases", 2, 32, 2, 2, |block, phase| {
        if phase == 1 {
            block.barrier();
        }
        block.step(if phase == 0 { "first" } else { "second" }, |_| {});
    });
    let run = machine.finish().expect("nothing is wrong");
    let steps: Vec<_> = run.steps.iter().map(|step| (step.label, step.block, step.counts.barriers)).collect();
    assert_eq!(steps, [("first", 0, 1), ("first", 1, 1), ("second", 0, 0), ("second", 1, 0)]);
}

#[test]
fn shuffles_stay_within_a_warp() {
    for (thread, from, right) in [(0, 31, true), (33, 32, true), (33, 31, false), (31, 32, false), (33, 40, false)] {
        let mut machine = machine();
        machine.launch("shuffles", 1, 40, |block| {
            let registers: Vec<_> = (0..40).collect();
            block.step("shuffle", |t| {
                if t.index == thread {
                    assert_eq!(t.shuffle(&registers, from), if right { from as i64 } else { 0 });
                }
            });
        });
        let expected = Fault::OtherWarp { kernel: "shuffles", step: "shuffle", block: 0, thread, from };
        assert_eq!(machine.finish().err(), (!right).then_some(expected));
    }
}

/// Counts of one step of a warp that may read 64 words of shared memory.
fn warp(body: impl Fn(&mut Thread<'_, i64>, Array)) -> Counts {
    let mut machine = machine();
    machine.launch("kernel", 1, 32, |block| {
        let s = block.shared("s", 64);
        block.step("fill", |t| {
            t.write(s, t.index, 0);
            t.write(s, t.index + 32, 0);
        });
        block.barrier();
        block.step("loops", |t| body(t, s));
    });
    machine.finish().expect("no fault").total_of(|step| step.label == "loops")
}

#[test]
fn threads_wait_behind_a_loop_for_those_that_stay_longer() {
    // Thread t goes round t % 4 times. In round k the threads with t % 4 > k read words 0 and 32, of one bank.
    let counts = warp(|t, s| {
        let mut left = t.index % 4;
        while t.branch(left > 0) {
            t.read(s, 32 * (t.index / 4 % 2));
            left -= 1;
        }
        // All threads together again, with a word of its own each.
        t.read(s, t.index);
    });
    // 4 evaluations of the branch: at the last one all remaining threads leave, at the others some do.
    assert_eq!((counts.conflicts, counts.divergent_branches, counts.cycles), (3, 3, 3 * 4 + 2));
}

#[test]
fn a_round_of_the_outer_loop_begins_when_all_have_left_the_inner_one() {
    // Even threads skip the inner loop in the first round of the outer one, and odd threads in the second. The other
    // threads read words of a bank of their own, so nothing conflicts, unless rounds are mixed up: the words are 32
    // apart.
    let counts = warp(|t, s| {
        for round in 0..2 {
            let mut left = if t.branch(t.index % 2 == round) { 0 } else { 2 };
            while t.branch(left > 0) {
                t.read(s, t.index / 2 + 32 * round);
                left -= 1;
            }
        }
    });
    // In each of the two rounds: the condition, then the loop's branch once; later branches are taken by all threads
    // there.
    assert_eq!((counts.conflicts, counts.divergent_branches, counts.cycles), (0, 4, 2 * 2 * 2));
}

#[test]
fn depth_is_the_longest_chain() {
    let mut machine = machine();
    let (x, status, flag) = (machine.array("x", &[1; 4]), machine.status("sum", 4), machine.status_flags("set", 4));
    // A launch of independent blocks: 3 operations by thread 0, 1 by the others.
    machine.launch("apart", 4, 32, |block| {
        block.step("add", |t| {
            for _ in 0..if t.index == 0 { 3 } else { 1 } {
                t.combine(1, 1);
            }
        });
        block.step("load", |t| {
            t.read(x, t.block);
        });
    });
    // A chain: each block adds two, waits for the one before it, and adds one.
    machine.launch("chain", 4, 1, |block| {
        let number = block.index;
        let s = block.shared("s", 1);
        block.step("own", |t| {
            let two = t.combine(1, 1);
            let two = t.combine(two, 1);
            t.write(s, 0, two);
        });
        block.step("link", |t| {
            let own = t.read(s, 0);
            if number > 0 {
                t.wait(flag, number - 1);
                let before = t.read(status, number - 1);
                t.combine(before, own);
            }
            t.write(status, number, own);
            t.write_flag(flag, number, 1);
        });
    });
    let run = machine.finish().expect("no fault");
    assert_eq!(run.total().operations, 4 * (3 + 31) + 4 * 2 + 3);
    // 3 in the first launch; 2 in all blocks of the second one at once; then three links.
    assert_eq!(run.span().operations, 3 + 2 + 3);
    // Word 0 is written in 2 cycles, by all blocks at once, and read in 2 by each link, of which there are 4.
    assert_eq!((run.span().cycles, run.total().cycles), (2 + 2 * 4, 4 * 4));
}

#[test]
fn loads_and_stores_are_apart() {
    let mut machine = machine();
    let (x, y) = (machine.array("x", &[1; 64]), machine.empty("y", 64));
    machine.launch("kernel", 1, 32, |block| {
        let s = block.shared("s", 64);
        block
            .step("load", |t| [0, 1].into_iter().for_each(|half| t.copy(x, 2 * t.index + half, s, 2 * t.index + half)));
        block.step("add", |t| {
            let (own, other) = (t.read(s, t.index), t.read(s, t.index + 32));
            let both = t.combine(own, other);
            t.write(s, t.index, both);
        });
        block.step("store", |t| t.copy(s, t.index, y, t.index));
    });
    let run = machine.finish().expect("no fault");
    assert_eq!(run.steps.iter().map(|step| step.is_transfer).collect::<Vec<_>>(), [true, false, true]);
    // Both halves of the load are 2-way conflicts.
    assert_eq!((run.total().cycles, run.total().conflicts), (4 + 4 + 6 + 2, 2));
    assert_eq!((run.inner().cycles, run.inner().conflicts, run.span().cycles), (6, 0, 6));
}
