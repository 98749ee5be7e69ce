//! Tests of small machines: small warps and tiles, blocks in many orders, and the operator that shows ranges.

#![allow(clippy::expect_used, reason = "a test may panic")]

use upsweep_lab::algorithm::{Algorithm, Error, Input, Setup};
use upsweep_lab::algorithms::{ALGORITHMS, by_name};
use upsweep_lab::machine::{Banks, Machine, Order, Run, Shape};
use upsweep_lab::operator::{Affine, Operator, Stretch};
use upsweep_lab::sample;
use upsweep_lab::show::{Recording, small};

fn setup<T>(operator: Operator<T>, shape: Shape) -> Setup<T> {
    Setup { operator, shape, records: false }
}

/// Checks an algorithm on a machine at a length, with every operator that it takes.
fn agrees(algorithm: &Algorithm, shape: Shape, n: usize) {
    let heads: Vec<bool> = sample::heads(n as u64, n);
    let name = algorithm.name;
    let functions: Vec<Affine> = sample::values(n as u64, n);
    let input = Input { values: &functions, heads: &heads };
    let operator = Operator::affine();
    match algorithm.run(setup(operator, shape), &input) {
        Ok(outcome) => {
            assert_eq!(outcome.results, algorithm.computes.oracle(&operator, &input), "{name}, {n}, {shape:?}");
        }
        Err(Error::Order { .. }) => {
            let values: Vec<i64> = sample::values(n as u64, n);
            let (operator, input) = (Operator::<i64>::sum(), Input { values: &values, heads: &heads });
            let outcome = algorithm.run(setup(operator, shape), &input).expect("sums commute");
            assert_eq!(outcome.results, algorithm.computes.oracle(&operator, &input), "{name}, {n}, {shape:?}");
        }
        Err(Error::Length { limit, .. }) => assert!(n > limit, "{name}, {n}, {shape:?}"),
        Err(other) => assert_eq!(other.to_string(), "", "{name}, {n}, {shape:?}"),
    }
}

#[test]
fn every_algorithm_on_every_small_machine() {
    for algorithm in ALGORITHMS.iter().filter(|algorithm| !algorithm.is_faulty()) {
        for (warp, banks) in [(2, Banks::Two), (4, Banks::Four), (8, Banks::Four), (16, Banks::ThirtyTwo)] {
            let tiles = (0..=10).map(|log| 1 << log).filter(|&tile| (warp..=warp * warp).contains(&tile));
            for tile in tiles.map(Some).chain([None]).filter(|_| algorithm.has_tiles()).chain([None]) {
                let shape = Shape { warp, tile, ..Shape::from(banks) };
                for n in [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 100] {
                    agrees(algorithm, shape, n);
                }
            }
        }
    }
}

#[test]
fn blocks_in_any_order() {
    for algorithm in
        ALGORITHMS.iter().filter(|algorithm| !algorithm.is_faulty()).filter(|algorithm| algorithm.has_tiles())
    {
        for seed in 0..40 {
            agrees(algorithm, Shape { order: Order::Chance(seed), ..small() }, 150);
        }
    }
}

fn look_back(order: Order) -> Run {
    let values: Vec<i64> = sample::values(1, 200);
    let input = Input { values: &values, heads: &[false; 200] };
    let algorithm = by_name("look-back").expect("it is there");
    algorithm.run(setup(Operator::<i64>::sum(), Shape { order, ..small() }), &input).expect("no fault").run
}

/// A tile's look-back finds aggregates or a prefix, depending on the speed of other blocks.
#[test]
fn a_look_back_is_lucky_or_not() {
    let reads = |order| look_back(order).total_of(|step| step.label == "look").global_reads;
    let all = reads(Order::Phases);
    let some: Vec<u64> = (0..20).map(|seed| reads(Order::Chance(seed))).collect();
    assert!(some.iter().all(|&some| some <= all), "{all}: {some:?}");
    assert!(some.iter().min() < some.iter().max() && some.iter().min() < Some(&all), "{all}: {some:?}");
}

#[test]
fn ranges_say_what_every_word_combines() {
    let n = 21;
    let values = Stretch::elements(n);
    let heads: Vec<bool> = (0..n).map(|index| index % 5 == 0).collect();
    let input = Input { values: &values, heads: &heads };
    let operator = Operator::ranges();
    for algorithm in
        ALGORITHMS.iter().filter(|algorithm| !algorithm.is_faulty()).filter(|algorithm| algorithm.suits(&operator))
    {
        let shape = if algorithm.has_tiles() { small() } else { Banks::ThirtyTwo.into() };
        let outcome = algorithm.run(setup(operator, shape), &input).expect("no fault");
        assert_eq!(outcome.results, algorithm.computes.oracle(&operator, &input), "{}", algorithm.name);
    }
    let text = |stretch: Stretch| stretch.to_string();
    let [a, b, c] = [Stretch::Of(8, 9), Stretch::Of(10, 11), Stretch::Of(12, 12)];
    let join = operator.combine;
    assert_eq!(text(join(a, b)), "x8..11");
    assert_eq!([join(join(a, b), c), join(a, join(b, c))].map(text), ["x8..12", "x8..12"]);
    assert_eq!([join(Stretch::Nothing, c), join(c, Stretch::Nothing)].map(text), ["x12", "x12"]);
    // Out of order, twice, with a gap.
    assert_eq!([join(b, a), join(a, a), join(a, c), join(join(a, c), c)].map(text), ["?"; 4]);
}

#[test]
fn machines_that_there_are_not() {
    let algorithm = by_name("look-back").expect("it is there");
    let takes = |warp, tile| algorithm.takes_on(Shape { warp, tile, ..Shape::from(Banks::Four) }, 8);
    for (warp, tile, words) in [
        (3, None, "warps of 3 threads: a warp has a power of two from 2 to 32"),
        (64, None, "warps of 64 threads"),
        (1, None, "warps of 1 threads"),
        (4, Some(24), "tiles of 24 elements: with warps of 4 threads a tile has a power of two from 4 to 16"),
        (4, Some(32), "from 4 to 16"),
        (4, Some(2), "from 4 to 16"),
        (0, Some(0), "warps of 0 threads"),
    ] {
        let error = takes(warp, tile).expect_err("no such machine");
        assert!(error.to_string().contains(words), "{error}");
    }
    assert_eq!(takes(4, Some(16)), Ok(()));
    // Blocks have fewer threads.
    let shuffle = by_name("reduce-shuffle").expect("it is there");
    let limit = |n| shuffle.takes_on(Shape { warp: 4, ..Shape::from(Banks::Four) }, n);
    assert_eq!(
        (limit(16), limit(17)),
        (Ok(()), Err(Error::Length { algorithm: "reduce-shuffle", found: 17, limit: 16 }))
    );
}

/// A register lasts as long as its kernel, in the block that has it.
#[test]
fn registers_are_those_of_the_block() {
    let values = [3, 1, 7, 0];
    let input = Input { values: &values, heads: &[false; 4] };
    let kogge_stone = by_name("kogge-stone").expect("it is there");
    let run = Recording::of(kogge_stone, Operator::<i64>::sum(), Banks::ThirtyTwo, &input).expect("no fault").run;
    let after = |steps| {
        let registers = run.registers_after(steps);
        let line = |values: Vec<Option<String>>| {
            values.iter().map(|word| word.as_deref().unwrap_or(".")).collect::<Vec<_>>().join(" ")
        };
        registers.into_iter().map(|(name, values)| (name, line(values))).collect::<Vec<_>>()
    };
    // Step 1 loads, step 2 adds, step 3 writes, step 4 adds.
    assert_eq!((after(0), after(1)), (vec![], vec![]));
    assert_eq!((after(2), after(3)), (vec![("temp", ". 4 8 7".to_owned())], vec![("temp", ". 4 8 7".to_owned())]));
    assert_eq!(after(4), [("temp", ". 4 11 11".to_owned())]);

    // Another kernel begins without registers.
    let mut machine = Machine::new(Operator::<i64>::sum(), Banks::Four).recording();
    for (kernel, name, value) in [("one", "a", 1), ("two", "b", 2)] {
        machine.launch(kernel, 1, 1, |block| block.step("keep", |t| assert_eq!(t.keep(name, value), value)));
    }
    let run = machine.finish().expect("no fault");
    let held = |name, value: &str| vec![(name, vec![Some(value.to_owned())])];
    assert_eq!((run.registers_after(1), run.registers_after(2)), (held("a", "1"), held("b", "2")));
}
