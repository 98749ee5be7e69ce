//! Support code of every case. Places, samples and sizes are the conformance suite's.

#[cfg(feature = "cuda")]
pub(crate) use upsweep_testing::backends::GRAPH_FAULTS;
pub(crate) use upsweep_testing::{on_each_backend, place, random, sample, sizes};

use place::{Buffer, Place};
use random::Rng;
use sample::Sample;
use upsweep::function;

#[function]
pub(crate) fn odd(x: u32) -> bool {
    x % 2 == 1
}

#[function]
pub(crate) fn below(#[param] bound: u32, x: u32) -> bool {
    x < bound
}

/// Distribution of the selected elements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spread {
    All,
    None,
    Half,
    Sixteenth,
    /// The first half of the array, and no others.
    Front,
    /// Runs of hundreds.
    Runs,
}

pub(crate) const SPREADS: [Spread; 6] =
    [Spread::All, Spread::None, Spread::Half, Spread::Sixteenth, Spread::Front, Spread::Runs];

/// Flags of the selected ones of `len` elements.
pub(crate) fn kept(spread: Spread, len: usize) -> Vec<bool> {
    let mut rng = Rng::new(len as u64);
    let mut left = 0;
    let mut run = true;
    (0..len)
        .map(|i| match spread {
            Spread::All => true,
            Spread::None => false,
            Spread::Half => rng.once_in(2),
            Spread::Sixteenth => rng.once_in(16),
            Spread::Front => i < len / 2,
            Spread::Runs => {
                if left == 0 {
                    (left, run) = (1 + rng.below(900), !run);
                }
                left -= 1;
                run
            }
        })
        .collect()
}

/// Checks that an output has `expected` at its beginning, and is unchanged after that.
#[track_caller]
pub(crate) fn expect_beginning<T: Sample>(output: &Buffer<T>, expected: &[T], case: &str) {
    let found = output.check_guards();
    assert!(found.len() >= expected.len(), "{case}: no room");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(found.same(expected), "{case}: result {i} is {found:?} and must be {expected:?}");
    }
    let rest = &found[expected.len()..];
    assert!(rest.iter().all(|x| x.same(&T::poison())), "{case}: something is written behind the results");
}

/// Returns the selected elements of `x`.
pub(crate) fn chosen<T: Copy>(x: &[T], keep: &[bool]) -> Vec<T> {
    x.iter().zip(keep).filter(|(_, keep)| **keep).map(|(x, _)| *x).collect()
}

/// Elements whose lowest bit is the flag.
pub(crate) fn with_low_bit(keep: &[bool]) -> Vec<u32> {
    let mut rng = Rng::new(keep.len() as u64 ^ 77);
    keep.iter().map(|&keep| (rng.next() as u32) << 1 | u32::from(keep)).collect()
}

/// Lengths to try: around every boundary on a GPU and on the CPU.
pub(crate) fn lengths(element: usize) -> Vec<usize> {
    let mut lengths = sizes::small();
    lengths.extend(sizes::large(element));
    lengths
}

pub(crate) fn on_gpu(place: &Place) -> bool {
    place.is_cuda()
}
