//! Tests of the machine model itself: its faults and its counts.

#![allow(clippy::expect_used, reason = "a test may panic")]

use upsweep_lab::machine::{Array, Banks, Block, Counts, Fault, Machine, Thread};
use upsweep_lab::operator::Operator;

fn machine(banks: Banks) -> Machine<i64> {
    Machine::new(Operator::<i64>::sum(), banks)
}

/// Runs one block of `threads` with `words` words of shared memory, written before a barrier.
fn block(threads: usize, words: usize, mut body: impl FnMut(&mut Block<'_, i64>, Array)) -> Result<(), Fault> {
    let mut machine = machine(Banks::ThirtyTwo);
    machine.launch("kernel", 1, threads, |block| {
        let s = block.shared("s", words);
        block.step("fill", |t| {
            for index in (t.index..words).step_by(threads) {
                t.write(s, index, 1);
            }
        });
        block.barrier();
        body(block, s);
    });
    machine.finish().map(|_| ())
}

/// Parts of a race: index, first thread and whether it writes, second thread and whether it does.
fn race(result: &Result<(), Fault>) -> Option<(usize, (usize, bool), (usize, bool))> {
    match *result {
        Err(Fault::Race { at, first, second }) => {
            Some((at.index, (first.thread, first.write), (second.thread, second.write)))
        }
        _ => None,
    }
}

/// Lets one thread act in a step.
fn only(block: &mut Block<'_, i64>, thread: usize, mut action: impl FnMut(&mut Thread<'_, i64>)) {
    block.step("step", |t| {
        if t.index == thread {
            action(t);
        }
    });
}

#[test]
fn accesses_of_two_warps_race() {
    let found = block(64, 8, |block, s| {
        only(block, 3, |t| t.write(s, 5, 2));
        only(block, 40, |t| t.write(s, 5, 3));
    });
    assert_eq!(race(&found), Some((5, (3, true), (40, true))), "write, write");
    let found = block(64, 8, |block, s| {
        only(block, 3, |t| t.write(s, 5, 2));
        only(block, 40, |t| assert_eq!(t.read(s, 5), 2));
    });
    assert_eq!(race(&found), Some((5, (3, true), (40, false))), "write, read");
    let found = block(64, 8, |block, s| {
        only(block, 3, |t| assert_eq!(t.read(s, 5), 1));
        only(block, 40, |t| t.write(s, 5, 2));
    });
    assert_eq!(race(&found), Some((5, (3, false), (40, true))), "read, write");
}

#[test]
fn reads_do_not_race_and_barriers_order() {
    let reads = block(64, 8, |block, s| {
        only(block, 3, |t| assert_eq!(t.read(s, 5), 1));
        only(block, 40, |t| assert_eq!(t.read(s, 5), 1));
    });
    assert_eq!(reads, Ok(()));
    let ordered = block(64, 8, |block, s| {
        only(block, 3, |t| t.write(s, 5, 2));
        block.barrier();
        only(block, 40, |t| assert_eq!(t.read(s, 5), 2));
        block.barrier();
        only(block, 3, |t| t.write(s, 5, 3));
    });
    assert_eq!(ordered, Ok(()));
}

#[test]
fn steps_order_the_threads_of_a_warp() {
    let across = block(64, 8, |block, s| {
        only(block, 3, |t| t.write(s, 5, 2));
        only(block, 31, |t| assert_eq!(t.read(s, 5), 2));
        only(block, 0, |t| t.write(s, 5, 3));
    });
    assert_eq!(across, Ok(()));
    let within = block(64, 8, |block, s| {
        block.step("step", |t| match t.index {
            3 => t.write(s, 5, 2),
            31 => assert_eq!(t.read(s, 5), 1),
            _ => {}
        });
    });
    assert_eq!(race(&within), Some((5, (3, true), (31, false))));
    // A thread's own accesses are in order.
    let own = block(64, 8, |block, s| {
        only(block, 3, |t| {
            t.write(s, 5, 2);
            assert_eq!(t.read(s, 5), 2);
            t.write(s, 5, 3);
            assert_eq!(t.read(s, 5), 3);
        });
    });
    assert_eq!(own, Ok(()));
}

#[test]
fn no_reader_is_forgotten() {
    // Many readers of one warp, then of another; a writer of either warp races with a reader of the other.
    for (writer, reader) in [(1, 33), (34, 0)] {
        let found = block(64, 8, |block, s| {
            block.step("first warp", |t| {
                if t.index < 4 {
                    assert_eq!(t.read(s, 5), 1);
                }
            });
            block.step("second warp", |t| {
                if t.index >= 33 {
                    assert_eq!(t.read(s, 5), 1);
                }
            });
            only(block, writer, |t| t.write(s, 5, 2));
        });
        let (_, first, second) = race(&found).expect("a race");
        assert_eq!((first.0 / 32, second), (reader / 32, (writer, true)));
    }
    // In one step any two threads of a warp race.
    for writer in 0..8 {
        let found = block(32, 8, |block, s| {
            block.step("step", |t| {
                if t.index < 8 {
                    assert_eq!(t.read(s, 5), 1);
                }
                if t.index == writer {
                    t.write(s, 5, 2);
                }
            });
        });
        let (_, first, second) = race(&found).expect("a race");
        assert!(first.0 == writer || second.0 == writer, "{writer}");
    }
}

#[test]
fn faults_name_array_index_and_thread() {
    let outside = block(64, 8, |block, s| only(block, 40, |t| t.write(s, 8, 1)));
    assert_eq!(
        outside.expect_err("a fault").to_string(),
        "thread 40 of block 0 writes s[8] in step \"step\" of kernel: the array has 8 words"
    );
    let outside = block(64, 8, |block, s| only(block, 2, |t| assert_eq!(t.read(s, 9), 0)));
    assert_eq!(
        outside.expect_err("a fault").to_string(),
        "thread 2 of block 0 reads s[9] in step \"step\" of kernel: the array has 8 words"
    );
    let unwritten = block(64, 8, |block, _| {
        let empty = block.shared("empty", 4);
        only(block, 7, |t| assert_eq!(t.read(empty, 3), 0));
    });
    assert_eq!(
        unwritten.expect_err("a fault").to_string(),
        "thread 7 of block 0 reads empty[3] in step \"step\" of kernel: nothing was written there before"
    );
    let racing = block(64, 8, |block, s| {
        only(block, 3, |t| t.write(s, 5, 2));
        only(block, 40, |t| t.write(s, 5, 3));
    });
    assert_eq!(
        racing.expect_err("a fault").to_string(),
        "race at s[5] in step \"step\" of kernel: thread 3 of block 0 writes and thread 40 of block 0 writes, and no barrier \
         lies between"
    );
}

#[test]
fn only_the_first_fault_is_kept() {
    let found = block(64, 8, |block, s| {
        only(block, 1, |t| t.write(s, 100, 1));
        only(block, 2, |t| t.write(s, 200, 1));
    });
    assert!(matches!(found, Err(Fault::Outside { at, .. }) if at.index == 100));
}

/// Blocks 0 and 1 access word 0 of an array, in one launch or in two.
fn blocks(array: impl Fn(&mut Machine<i64>) -> Array, together: bool, second_writes: bool) -> Result<(), Fault> {
    let mut machine = machine(Banks::ThirtyTwo);
    let array = array(&mut machine);
    let launches: &[&[usize]] = if together { &[&[0, 1]] } else { &[&[0], &[1]] };
    for at_work in launches {
        machine.launch("kernel", 2, 1, |block| {
            block.step("step", |t| match t.block {
                block if !at_work.contains(&block) => {}
                1 if !second_writes => assert_eq!(t.read(array, 0), 1),
                _ => t.write(array, 0, 1),
            });
            // This barrier is the block's own only.
            block.barrier();
        });
    }
    machine.finish().map(|_| ())
}

#[test]
fn blocks_race_in_one_launch_and_not_in_two() {
    let global = |machine: &mut Machine<i64>| machine.array("x", &[0]);
    for second_writes in [false, true] {
        match blocks(global, true, second_writes) {
            Err(Fault::Race { at, first, second }) => {
                assert_eq!((at.array, at.index, first.block, second.block), ("x", 0, 0, 1));
                assert_eq!((first.write, second.write), (true, second_writes));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(blocks(global, false, second_writes), Ok(()));
    }
}

#[test]
fn status_arrays_do_not_race() {
    for second_writes in [false, true] {
        assert_eq!(blocks(|machine| machine.status("status", 1), true, second_writes), Ok(()));
    }
    let mut machine = machine(Banks::ThirtyTwo);
    let flags = machine.status_flags("flags", 1);
    machine.launch("kernel", 3, 64, |block| block.step("step", |t| t.write_flag(flags, 0, 1)));
    assert!(machine.finish().is_ok());
}

#[test]
fn flags_race_as_words_do() {
    let mut machine = machine(Banks::ThirtyTwo);
    let flags = machine.flags("flags", &[0]);
    machine.launch("kernel", 2, 1, |block| block.step("step", |t| t.write_flag(flags, 0, 1)));
    assert!(matches!(machine.finish(), Err(Fault::Race { .. })));
}

/// Counts of a warp whose 32 threads read one word each.
fn reading(banks: Banks, word: impl Fn(usize) -> usize) -> Counts {
    let mut machine = machine(banks);
    let words = (0..32).map(&word).max().map_or(0, |last| last + 1);
    machine.launch("kernel", 1, 32, |block| {
        let s = block.shared("s", words);
        block.step("fill", |t| {
            for index in (t.index..words).step_by(32) {
                t.write(s, index, 0);
            }
        });
        block.barrier();
        block.step("read", |t| {
            let index = word(t.index);
            assert_eq!(t.read(s, index), 0);
        });
    });
    machine.finish().expect("no fault").total_of(|step| step.label == "read")
}

#[test]
fn strides_conflict_as_their_common_divisors_with_the_banks() {
    // Strides, and the degree with 16 and with 32 banks.
    let table =
        [(1, 1, 1), (2, 2, 2), (4, 4, 4), (8, 8, 8), (16, 16, 16), (32, 16, 32), (33, 1, 1), (3, 1, 1), (12, 4, 4)];
    for (stride, sixteen, thirty_two) in table {
        let (half, whole) = (reading(Banks::Sixteen, |t| t * stride), reading(Banks::ThirtyTwo, |t| t * stride));
        assert_eq!((half.worst_degree, whole.worst_degree), (sixteen, thirty_two), "stride {stride}");
        // Accesses of two half-warps, or of one warp, are repeated degree - 1 times.
        assert_eq!((half.conflicts, whole.conflicts), (2 * (sixteen - 1), thirty_two - 1), "stride {stride}");
        assert_eq!((half.cycles, whole.cycles), (2 * sixteen, 2 * thirty_two), "stride {stride}");
        assert_eq!((half.shared_reads, half.warp_steps, half.active_threads), (32, 1, 32));
    }
}

#[test]
fn threads_at_one_word_do_not_conflict() {
    for banks in [Banks::Sixteen, Banks::ThirtyTwo] {
        let all = reading(banks, |_| 7);
        assert_eq!((all.worst_degree, all.conflicts, all.cycles), (1, 0, 2));
        let two_words = reading(banks, |t| 64 * (t % 2));
        assert_eq!(two_words.worst_degree, 2);
    }
}

#[test]
fn arrays_lie_behind_each_other() {
    // Word 0 of the second array is in bank 5. So its 27 words from 0 or 32 on share no bank with the first array, and
    // those from 27 on do.
    for (from, degree) in [(0, 1), (32, 1), (27, 2)] {
        let mut machine = machine(Banks::ThirtyTwo);
        machine.launch("kernel", 1, 32, |block| {
            let (a, b) = (block.shared("a", 5), block.shared("b", 64));
            block.step("both", |t| {
                let (array, index) = if t.index < 5 { (a, t.index) } else { (b, from + t.index - 5) };
                t.write(array, index, 0);
            });
        });
        assert_eq!(machine.finish().expect("no fault").total().worst_degree, degree, "{from}");
    }
}

#[test]
fn padding_costs_8_cycles_once_a_warp_step() {
    let mut machine = machine(Banks::Sixteen);
    machine.launch("kernel", 1, 64, |block| {
        let s = block.shared("s", 136);
        block.step("write", |t| {
            for index in [t.index, t.index + 64] {
                let place = t.padded(index);
                assert_eq!(place, index + index / 16);
                t.write(s, place, 0);
            }
        });
    });
    let total = machine.finish().expect("no fault").total();
    // Two warps; two accesses of 2 cycles and 8 for the addresses each.
    assert_eq!((total.cycles, total.conflicts), (2 * (2 * 2 + 8), 0));
}

#[test]
fn divergence_is_counted_at_every_branch() {
    let mut machine = machine(Banks::ThirtyTwo);
    machine.launch("kernel", 1, 128, |block| {
        // At the first branch warps 1 and 2 diverge, at the second one warp 2 only.
        block.step("two branches", |t| {
            t.branch(t.index.is_multiple_of(2) || t.index < 32 || t.index >= 96);
            t.branch(t.index < 64 + 16);
        });
        block.step("whole warps", |t| {
            t.branch(t.index < 64);
        });
    });
    let run = machine.finish().expect("no fault");
    assert_eq!(run.steps[0].divergent, [1, 2]);
    assert_eq!((run.steps[0].counts.divergent_branches, run.steps[1].counts.divergent_branches), (3, 0));
    assert_eq!(run.total().divergent_branches, 3);
}

#[test]
fn steps_count_who_takes_part() {
    let mut machine = machine(Banks::ThirtyTwo);
    let x = machine.array("x", &[1; 40]);
    machine.launch("kernel", 2, 64, |block| {
        block.step("read", |t| {
            if t.index < 20 {
                let value = t.read(x, t.index);
                t.combine(value, value);
            }
        });
        block.barrier();
    });
    let total = machine.finish().expect("no fault").total();
    assert_eq!((total.warp_steps, total.active_threads, total.threads), (2, 40, 128));
    assert_eq!((total.operations, total.global_reads, total.barriers), (40, 40, 2));
    assert!((total.activity() - 40.0 / 128.0).abs() < 1e-12);
}

#[test]
fn shuffles_see_the_registers_before_the_step() {
    let mut machine = machine(Banks::ThirtyTwo);
    let y = machine.empty("y", 32);
    machine.launch("kernel", 1, 32, |block| {
        let before: Vec<i64> = (0..32).collect();
        let mut registers = before.clone();
        block.step("shuffle", |t| {
            registers[t.index] = t.shuffle(&before, (t.index + 31) % 32);
        });
        block.step("store", |t| t.write(y, t.index, registers[t.index]));
    });
    assert_eq!(machine.read(y)[..3], [31, 0, 1]);
    assert_eq!(machine.finish().expect("no fault").total().shuffles, 32);
}

#[test]
fn blocks_have_shared_memory_of_their_own() {
    let mut machine = machine(Banks::ThirtyTwo);
    machine.launch("kernel", 2, 1, |block| {
        let s = block.shared("s", 1);
        let second = block.index == 1;
        block.step("step", |t| {
            // Words written by block 0 are gone.
            if second {
                t.read(s, 0)
            } else {
                0
            };
            t.write(s, 0, 1);
        });
    });
    match machine.finish() {
        Err(Fault::Unwritten { at, by }) => assert_eq!((at.array, by.block, by.thread), ("s", 1, 0)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_recorded_run_knows_what_memory_held() {
    let mut machine = machine(Banks::ThirtyTwo).recording();
    let x = machine.array("x", &[3, 1]);
    machine.launch("kernel", 1, 2, |block| {
        let s = block.shared("s", 4);
        block.step("load", |t| t.copy(x, t.index, s, 2 * t.index));
    });
    let run = machine.finish().expect("no fault");
    let text = |words: &[Option<&str>]| words.iter().map(|word| word.map(str::to_owned)).collect::<Vec<_>>();
    assert_eq!(run.memory_after(0), [text(&[Some("3"), Some("1")]), text(&[None; 4])]);
    assert_eq!(run.memory_after(1)[1], text(&[Some("3"), None, Some("1"), None]));
    let event = &run.steps[0].events[1];
    assert_eq!((event.thread, event.reads[0].degree, event.writes[0].degree, event.writes[0].index), (1, 0, 1, 2));
}

/// Lines of 32 words: 1 line an access if neighbours access neighbours, 32 lines if each accesses a line of its own.
#[test]
fn turns_and_lines() {
    let count = |place: fn(usize) -> usize| {
        let mut machine = machine(Banks::ThirtyTwo);
        let x = machine.array("x", &[1; 1024]);
        machine.launch("kernel", 1, 32, |block| {
            let s = block.shared("s", 1024);
            block.step("load", |t| t.copy(x, place(t.index), s, place(t.index)));
        });
        let counts = machine.finish().expect("no fault").total();
        (counts.lines, counts.turns, counts.conflicts)
    };
    assert_eq!(count(|thread| thread), (1, 1, 0));
    assert_eq!(count(|thread| thread + 16), (2, 1, 0));
    assert_eq!(count(|thread| 32 * thread), (32, 32, 31));
    assert_eq!(count(|thread| 31 - thread), (1, 1, 0));
    assert_eq!(count(|thread| 2 * thread), (2, 2, 1));
}
