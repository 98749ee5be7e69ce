//! Race: every algorithm's kernels on one GPU, with a copy of the same bytes and the library's own scan.

use super::device::Gpu;
use super::element::GpuElement;
use super::error::{Error, Result};
use super::forms::{Form, Kernels};
use super::launch::Entrant;
use crate::algorithm::{Algorithm, Computes, Input};
use crate::operator::Operator;
use crate::show::plot::COPY;
use cudarc::driver::CudaSlice;
use cudarc::driver::sys::CUevent_flags;

/// Number of timed runs, whose median is reported, and number of warm-up runs before them.
const RUNS: usize = 15;
const WARM_UPS: usize = 3;
/// Number of bytes written before each run, so that the array is not in the L2 cache.
const FLUSHED: usize = 256 << 20;
/// Largest number of elements for which the scan by one thread is timed.
const SEQUENTIAL: usize = 1 << 20;

/// Time of an algorithm, or of a copy, for one number of elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Lap {
    /// Name of the algorithm, or [`COPY`] for the copy.
    pub name: &'static str,
    /// Number of elements of 4 bytes.
    pub n: usize,
    /// Median time on the GPU, in microseconds.
    pub micros: f64,
    /// Throughput in GB a second, of the bytes that no algorithm can avoid: those of the input and of the results.
    pub gbps: f64,
}

/// Times inclusive or exclusive sums, and reductions, of `n` 32-bit integers: each algorithm that takes `n`, and a
/// copy. Each result is compared with that of a plain loop before it is timed. `each` is called with every time.
///
/// Algorithms of one block scan any length in the recursive form. Segmented ones keep their limit, and the sequential
/// one is left out if one thread would take too long.
///
/// # Errors
/// [`Error::Wrong`] for a wrong result; [`Error::Library`], [`Error::Driver`].
pub fn race(gpu: &Gpu, algorithms: &[&Algorithm], n: usize, mut each: impl FnMut(&Lap)) -> Result<Vec<Lap>> {
    if n == 0 {
        return Ok(Vec::new());
    }
    let operator = Operator::<i32>::sum();
    let values: Vec<i32> = (0..n).map(|index| (index.wrapping_mul(0x9e37_79b9) >> 7) as i32 % 100).collect();
    let heads: Vec<bool> = (0..n).map(|index| index % 37 == 0).collect();
    let clock = Clock::new(gpu)?;
    let stream = &gpu.stream;
    let input = stream.clone_htod(&i32::to_bytes(&values))?;
    let flags: Vec<u8> = heads.iter().flat_map(|&head| u32::from(head).to_ne_bytes()).collect();
    let flags = stream.clone_htod(&flags)?;
    let bytes = size_of_val(values.as_slice());
    let mut laps = Vec::new();
    let mut lap = |name, micros: f64, moved: usize| {
        let lap = Lap { name, n, micros, gbps: moved as f64 / micros / 1e3 };
        each(&lap);
        laps.push(lap);
    };

    let mut to = gpu.bytes(bytes)?;
    let micros = clock.median(|| Ok(stream.memcpy_dtod(&input, &mut to)?))?;
    drop(to);
    lap(COPY, micros, 2 * bytes);

    let of = |computes: Computes| computes.oracle(&operator, &Input { values: &values, heads: &heads });
    let kinds = [Computes::Reduction, Computes::InclusiveScan, Computes::ExclusiveScan, Computes::SegmentedScan];
    for computes in kinds {
        let mut expected = None;
        for algorithm in algorithms.iter().filter(|algorithm| algorithm.computes == computes) {
            let most = match Kernels::of(algorithm).map(|kernels| kernels.form) {
                None => 0,
                Some(Form::Sequential) => SEQUENTIAL,
                Some(Form::Segmented { .. }) => algorithm.limit,
                Some(_) => usize::MAX,
            };
            if n > most {
                continue;
            }
            let expected = expected.get_or_insert_with(|| of(computes));
            let mut entrant = Entrant::prepare(gpu, algorithm, &operator, &input, &flags, n)?;
            entrant.enqueue()?;
            compare(algorithm, n, &stream.clone_dtoh(entrant.results())?, expected)?;
            let micros = clock.median(|| entrant.enqueue())?;
            lap(algorithm.name, micros, bytes + size_of_val(expected.as_slice()));
        }
    }
    Ok(laps)
}

fn compare(algorithm: &Algorithm, n: usize, found: &[u8], expected: &[i32]) -> Result<()> {
    // The bytes are compared in place, so that a billion of them need not be copied once more.
    let found = found.as_chunks().0;
    match found.iter().zip(expected).position(|(&found, &expected)| i32::from_ne_bytes(found) != expected) {
        None if found.len() >= expected.len() => Ok(()),
        index => {
            let index = index.unwrap_or(found.len());
            Err(Error::Wrong { algorithm: algorithm.name, n, index })
        }
    }
}

struct Clock<'a> {
    gpu: &'a Gpu,
    flushed: std::cell::RefCell<CudaSlice<u8>>,
}

impl<'a> Clock<'a> {
    fn new(gpu: &'a Gpu) -> Result<Self> {
        Ok(Self { gpu, flushed: gpu.bytes(FLUSHED)?.into() })
    }

    /// Returns the median time of a run in microseconds, between two events on the stream.
    fn median(&self, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
        let stream = &self.gpu.stream;
        let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
        let (begin, end) = (stream.context().new_event(timed)?, stream.context().new_event(timed)?);
        let mut times = Vec::with_capacity(RUNS);
        for index in 0..WARM_UPS + RUNS {
            // While the GPU clears this buffer the host enqueues the rest, so the events enclose the run alone.
            stream.memset_zeros(&mut *self.flushed.borrow_mut())?;
            begin.record(stream)?;
            run()?;
            end.record(stream)?;
            end.synchronize()?;
            if index >= WARM_UPS {
                times.push(f64::from(begin.elapsed_ms(&end)?) * 1e3);
            }
        }
        times.sort_by(f64::total_cmp);
        Ok(times[RUNS / 2])
    }
}
