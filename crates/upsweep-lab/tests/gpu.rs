//! Tests of every algorithm's CUDA kernels against the oracle: the same lengths and operators as on the model, and
//! lengths past a block for algorithms that take them. They need a GPU; without one they are ignored.
#![cfg(feature = "cuda")]

mod support;

use support::{LENGTHS, MILLION, affine, random};
use upsweep_lab::algorithm::{Algorithm, Computes, Input};
use upsweep_lab::algorithms::{ALGORITHMS, with_second_forms};
use upsweep_lab::gpu::{Gpu, GpuElement, race, variants};
use upsweep_lab::operator::Operator;

type Outcome = Result<(), upsweep_lab::gpu::Error>;

fn check<T: GpuElement>(
    gpu: &Gpu,
    algorithm: &Algorithm,
    operator: Operator<T>,
    value: impl Fn(usize) -> T,
    n: usize,
) -> Outcome {
    if !algorithm.suits(&operator) {
        return Ok(());
    }
    let values: Vec<_> = (0..n).map(value).collect();
    let heads: Vec<_> = (0..n).map(|index| random(index + 7) % 5 == 0).collect();
    let input = Input { values: &values, heads: &heads };
    let what = format!("{} of {n} elements, {}", algorithm.name, operator.name);
    let found = gpu.run(algorithm, &operator, &input)?;
    let expected = algorithm.computes.oracle(&operator, &input);
    let wrong = found.iter().zip(&expected).position(|(found, expected)| found != expected);
    assert_eq!((wrong, found.len()), (None, expected.len()), "{what}");
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn gpu_agrees_with_the_oracle() -> Outcome {
    let gpu = Gpu::open(0)?;
    for algorithm in with_second_forms(ALGORITHMS).into_iter().filter(|algorithm| algorithm.has_kernel()) {
        for n in LENGTHS.into_iter().chain([MILLION]).filter(|&n| n <= algorithm.limit) {
            check(&gpu, algorithm, Operator::<i64>::sum(), random, n)?;
            check(&gpu, algorithm, Operator::<i64>::max(), random, n)?;
            check(&gpu, algorithm, Operator::affine(), affine, n)?;
        }
    }
    Ok(())
}

/// The race compares every result with a plain loop's. It extends algorithms of one block to any length.
#[test]
#[ignore = "needs a CUDA GPU"]
fn gpu_race() {
    let gpu = Gpu::open(0).expect("a CUDA GPU");
    let all = with_second_forms(ALGORITHMS);
    for n in [1, 1000, 1 << 12, 3_000_017] {
        let laps = race(&gpu, &all, n, |_| {}).expect("every result is right");
        assert!(laps.iter().all(|lap| lap.micros > 0.0 && lap.n == n));
        assert_eq!(laps[0].name, "copy");
    }
}

/// Every kernel is in the list that `cargo xtask kernels` compiles.
#[test]
fn gpu_kernels_are_listed() {
    let variants = variants();
    let with_kernels = with_second_forms(ALGORITHMS).into_iter().filter(|algorithm| algorithm.has_kernel());
    for algorithm in with_kernels.filter(|algorithm| algorithm.name != "production") {
        let prefix = format!("lab {} ", algorithm.name);
        assert!(variants.iter().any(|(name, _)| name.starts_with(&prefix)), "{} has no kernel", algorithm.name);
    }
}

/// A kernel's compile-time constants match its algorithm's name and the variant on the model.
#[test]
fn gpu_kernels_are_told_their_variant() {
    let (variants, mut checked) = (variants(), 0);
    for algorithm in with_second_forms(ALGORITHMS) {
        let prefix = format!("lab {} ", algorithm.name);
        let says = |word| algorithm.name.contains(word);
        let halves = says("halves") || ["reduce_strided", "three_kernel", "recursive"].contains(&algorithm.file);
        let unordered = ["reduce-sequential", "reduce-unrolled"].contains(&algorithm.name);
        let constants = format!(
            "constexpr bool PADDED = {}, HALVES = {halves}, EXCLUSIVE = {}, MODULO = {}, ORDERED = {}, SECOND = {}, \
             DIVIDING = {};",
            says("padded"),
            algorithm.computes == Computes::ExclusiveScan,
            says("modulo"),
            !unordered,
            says("second"),
            says("dividing")
        );
        for (name, source) in variants.iter().filter(|(name, _)| name.starts_with(&prefix)) {
            assert!(source.prelude.contains(&constants), "{name}: not {constants}");
            checked += 1;
        }
        assert_eq!(algorithm.suits(&Operator::affine()), !unordered, "{}", algorithm.name);
    }
    assert_eq!(checked, variants.len());
}
