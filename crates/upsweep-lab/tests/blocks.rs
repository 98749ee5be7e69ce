//! What the machine model finds wrong with kernels whose blocks talk to each other, and whose warps shuffle.

use upsweep_lab::machine::{Array, Banks, Block, Fault, Flags, Machine};
use upsweep_lab::operator::Operator;

fn machine() -> Machine<i64> {
    Machine::new(Operator::<i64>::sum(), Banks::ThirtyTwo)
}

/// One thread of a block reads or writes the word.
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

/// Block 1 waits for a flag; block 0 sets it in phase `sets`.
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
