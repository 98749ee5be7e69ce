//! Tests of the wrap-around of epochs, which happens once in 2^32 launches, on a GPU.

use super::super::driver::Doing;
use super::*;
use crate::{Cuda, download};
use cudarc::driver::{CudaSlice, result};
use upsweep_core::buffer::{Input, Output, ViewMut};
use upsweep_core::call::{Direction, Elements, Job};
use upsweep_core::init::InitSource;
use upsweep_core::operator::builtin::Sum;
use upsweep_core::operator::{Number, Operator, Same};
use upsweep_core::outputs::Target;
use upsweep_core::segments::{SegmentKind, Whole};
use upsweep_core::shape::Shape;
use upsweep_core::steps::Parts;

/// Number of elements of a launch with many tiles and parts. The constant below it is that of a launch that leaves most
/// of the large launch's status words unchanged.
const LARGE: usize = 1 << 20;
const SMALL: usize = 100_000;

/// Returns values that differ between all seeds: a status word left by another launch is wrong in this one.
fn values<T: From<u32>>(len: usize, seed: u32) -> Vec<T> {
    (0..len as u32).map(|i| T::from((i ^ seed << 24).wrapping_mul(2_654_435_761) >> 7)).collect()
}

fn sums<'a, T: Number>(
    input: &'a CudaSlice<T>,
    output: ViewMut<'a, T>,
) -> Job<'a, 'a, 'static, Parts<T, T, Sum, Same, Same>, Whole> {
    let (input, output, shape) = (Elements::Given(input.view()), Target::new(output), Shape::line(input.len()));
    Job {
        input,
        output,
        shape,
        init: InitSource::None,
        segments: SegmentKind::Whole,
        steps: Parts::new(Sum, Same, Same),
    }
}

fn scan<T: Number + From<u32> + PartialEq>(cuda: &Cuda, len: usize, seed: u32) -> Result<()> {
    let x = values::<T>(len, seed);
    let mut sum = T::ZERO;
    let mut running = |&x: &T| {
        sum = Sum.combine(sum, x);
        sum
    };
    let expected: Vec<T> = x.iter().map(&mut running).collect();
    let (input, mut output) = (cuda.upload(&x)?, cuda.allocate::<T>(len)?);
    crate::scan::run(cuda, sums(&input, output.view_mut()), Direction::default(), None)?;
    let found = download(&output)?;
    assert!(found == expected, "scan of {len} x {} with seed {seed}", std::any::type_name::<T>());
    Ok(())
}

fn reduce<T: Number + From<u32> + PartialEq>(cuda: &Cuda, len: usize, seed: u32) -> Result<()> {
    let x = values::<T>(len, seed);
    let expected = x.iter().fold(T::ZERO, |sum, &x| Sum.combine(sum, x));
    let input = cuda.upload(&x)?;
    let found = cuda.compute_one(|one| crate::reduce::run(cuda, sums(&input, ViewMut::Cuda(one)), None, None))?;
    assert!(found == expected, "reduction of {len} x {} with seed {seed}", std::any::type_name::<T>());
    Ok(())
}

/// Calls of the kernels that use a workspace, scan and reduction, each with both sizes of status words. Each is one
/// launch.
const CALLS: [fn(&Cuda, usize, u32) -> Result<()>; 4] = [scan::<u32>, reduce::<u32>, scan::<u64>, reduce::<u64>];

/// Returns the words at `address` in the stream's workspace, in the stream's order: a copy in the order of the default
/// stream would end the captures of other tests.
fn read<T: Clone + Default>(cuda: &Cuda, address: u64, len: usize) -> Result<Vec<T>> {
    let mut values = vec![T::default(); len];
    let stream = cuda.stream();
    // SAFETY: callers pass words of a workspace that is alive, all of whose bits are values; the copy is done before
    // this function returns.
    unsafe { result::memcpy_dtoh_async(&mut values, address, stream.cu_stream()) }.doing("reading a workspace")?;
    stream.synchronize().doing("reading a workspace")?;
    Ok(values)
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn the_epochs_begin_again() -> Result<()> {
    let cuda = &Cuda::new(0)?;
    let mut seed = 0;
    let mut call = |turn: usize, len| {
        seed += 1;
        CALLS[turn % CALLS.len()](cuda, len, seed)
    };
    // Each of the calls comes once in the last epoch before the wrap-around, and once in the first epoch after it.
    for last in 0..CALLS.len() {
        // These calls leave words behind whose epochs come again after the wrap-around.
        for turn in 0..2 * CALLS.len() {
            call(turn, LARGE)?;
        }
        let workspace = lock(&cuda.stream.grown).current().unwrap();
        let end = workspace.words16 + 16 * u64::from(workspace.capacity16);
        // The ticket, which lies after the epoch, is 0 between launches.
        cuda.store_u64(workspace.header, u64::from(u32::MAX - last as u32))?;
        let mut epoch = u32::MAX - last as u32;
        for turn in 0..3 * CALLS.len() {
            let wraps = epoch == u32::MAX;
            call(turn, if turn <= last { SMALL } else { LARGE })?;
            epoch = if wraps { 1 } else { epoch + 1 };
            let header: Vec<u32> = read(cuda, workspace.header, 3)?;
            assert_eq!(header, [epoch, 0, 0], "epoch, ticket and finished blocks after call {turn}");
            if wraps {
                let words: Vec<u64> = read(cuda, workspace.words8, (end - workspace.words8) as usize / 8)?;
                assert!(words.iter().all(|&word| word == 0), "words that the last launch left behind");
            }
        }
        assert_eq!(lock(&cuda.stream.grown).current(), Some(workspace), "all calls had one workspace");
    }
    Ok(())
}
