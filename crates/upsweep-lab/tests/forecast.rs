//! Test of the model's forecast: the predicted order of algorithms against that of the recorded race.

#![allow(clippy::expect_used, reason = "a test may panic")]

use upsweep_lab::algorithm::Computes;
use upsweep_lab::algorithms::{ALGORITHMS, by_name, with_second_forms};
use upsweep_lab::forecast::{Bound, H200, Sheet, raced, recorded};

/// Ranks of numbers; equal numbers share theirs.
fn places(numbers: &[f64]) -> Vec<f64> {
    let place = |number: f64| {
        let lower = numbers.iter().filter(|&&other| other < number).count() as f64;
        let same = numbers.iter().filter(|&&other| (other - number).abs() < 1e-9).count() as f64;
        lower + (same + 1.0) / 2.0
    };
    numbers.iter().map(|&number| place(number)).collect()
}

/// Spearman's rank correlation.
fn agreement(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (places(a), places(b));
    let middle = (a.len() as f64 + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>();
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

/// Correlation between predicted and recorded times of the scans, or the reductions, of one block.
fn compare(sheet: &Sheet, reductions: bool, log: u32) -> f64 {
    let mut both = Vec::new();
    for algorithm in
        with_second_forms(ALGORITHMS).into_iter().filter(|a| (a.computes == Computes::Reduction) == reductions)
    {
        let micros = recorded(algorithm.name).and_then(|micros| micros[usize::from(log == 26)]);
        let foreseen = sheet.forecast(algorithm, 1 << log).expect("it runs");
        let (Some(recorded), Some(found)) = (micros, foreseen) else { continue };
        println!(
            "2^{log} {:26} {recorded:8.1} {:8.1} {} {:.1?}",
            algorithm.name,
            found.micros,
            found.bound.name(),
            found.parts
        );
        both.push((found.micros, recorded));
    }
    assert_eq!(both.len(), if reductions { 11 } else { 27 });
    let (foreseen, recorded): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
    agreement(&foreseen, &recorded)
}

#[test]
fn the_order_of_the_race_is_foreseen() {
    // At 2^20 the times of many scans lie within a twentieth. The fixed cost of a block, which is most of a reduction,
    // is not predicted.
    for (reductions, log, least) in [(false, 26, 0.95), (false, 20, 0.9), (true, 26, 0.85), (true, 20, 0.75)] {
        let found = compare(&H200, reductions, log);
        println!("Spearman {reductions} {log} {found:.3}");
        assert!(found >= least, "reductions: {reductions}, 2^{log}: {found:.3}");
    }
    // The cost of a launch after another was measured on another GPU: with half of it, or half more, the order is
    // predicted as well.
    for gap in [0.45, 1.35] {
        let sheet = Sheet { launch: [H200.launch[0], gap], ..H200 };
        for reductions in [false, true] {
            let found = compare(&sheet, reductions, 20);
            println!("Spearman gap {gap} {reductions} {found:.3}");
            assert!(found >= if reductions { 0.7 } else { 0.85 }, "reductions: {reductions}, {gap} us: {found:.3}");
        }
    }
}

#[test]
fn the_record_is_the_record() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/record/nvidia-h200/2026-11-27-lab.csv");
    // A published crate has no record beside it.
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let mut found = 0;
    for line in text.lines() {
        let cells: Vec<&str> = line.split(',').collect();
        let [name, "lab_sum", "i32", log, micros, ..] = cells[..] else { continue };
        let (log, micros): (u32, f64) = (log.parse().expect("a number"), micros.parse().expect("a number"));
        assert!(raced(name).any(|own| own == (log, micros)), "{name} {log}");
        if let (Some(place), Some(ours)) = ([20, 26].iter().position(|&own| own == log), recorded(name)) {
            assert_eq!(ours[place], Some(micros), "{name} {log}");
        }
        found += raced(name).filter(|own| own.0 == log).count();
    }
    // 51 names of 10 sizes; one thread stops at 2^20, and two algorithms of one block at 2^10.
    assert_eq!(found, 488);
}

/// The kernels' bottlenecks explain why padding saves a third for both trees, and nothing for one with divisions.
#[test]
fn what_holds_the_kernels_up() {
    let bound = |name: &str| {
        let found = H200.forecast(by_name(name).expect("it is there"), 1 << 26).expect("it runs");
        found.expect("it is one of a block").bound
    };
    for tree in ["brent-kung", "blelloch", "inverse"] {
        assert_eq!((bound(tree), bound(&format!("{tree}-padded"))), (Bound::Turns, Bound::Issue), "{tree}");
    }
    let dividing = (bound("blelloch-dividing"), bound("blelloch-dividing-padded"));
    assert_eq!(dividing, (Bound::Issue, Bound::Issue));
    assert_eq!(bound("brent-kung-modulo"), Bound::Issue);
    let none = H200.forecast(by_name("look-back").expect("it is there"), 1 << 26).expect("nothing ran");
    assert_eq!(none, None);
}

#[test]
fn spearman() {
    assert!((agreement(&[1.0, 2.0, 3.0], &[10.0, 20.0, 90.0]) - 1.0).abs() < 1e-9);
    assert!((agreement(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-9);
    assert_eq!(places(&[5.0, 1.0, 5.0]), [2.5, 1.0, 2.5]);
}
