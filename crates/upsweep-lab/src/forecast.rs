//! Forecast of the times of an algorithm's CUDA kernels on a GPU, from the model's counts, the compiled kernels'
//! instructions, and data sheets.
//!
//! A launch is as slow as the slowest of three things: the instructions that its warps issue, the turns of shared
//! memory and the lines of global memory, and the bytes that come from memory and go there. On top come the steps of a
//! block that wait for each other. Then launches add up. No number here is fitted to a race: each has its source beside
//! it. A block runs on the model, at the size that it has in the race.
//!
//! The forecast is of an order, not of times: the three things overlap less well than this says, so the times come out
//! too short. The formula that combines them was chosen with a record in view; the numbers were not.

mod compiled;
mod record;

pub use record::{LOGS, raced, recorded};

use crate::algorithm::{Algorithm, Computes, Error, Input, Setup};
use crate::algorithms::MAX_THREADS;
use crate::machine::{Banks, Run, Shape};
use crate::operator::Operator;
use compiled::Compiled;

/// Data of a GPU that bound a kernel's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// Name of the GPU.
    pub name: &'static str,
    /// Number of multiprocessors.
    pub multiprocessors: f64,
    /// Clock rate: the number of cycles in a microsecond.
    pub clock: f64,
    /// Number of warp instructions that a multiprocessor issues in a cycle.
    pub issue: f64,
    /// Largest number of threads that a multiprocessor holds.
    pub threads: f64,
    /// Bandwidth of global memory in bytes a microsecond.
    pub bandwidth: f64,
    /// Latency in cycles of a word of global memory, of one of shared memory, and of an instruction.
    pub latency: Latency,
    /// Overhead in microseconds of a launch, and of each one that follows another.
    pub launch: [f64; 2],
}

/// Latencies of a GPU, in cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// Latency of a word of global memory.
    pub global: f64,
    /// Latency of a word of shared memory.
    pub shared: f64,
    /// Latency of an instruction's result.
    pub instruction: f64,
}

/// Data of the GPU on which the recorded times were measured.
pub const H200: Sheet = Sheet {
    name: "NVIDIA H200",
    // NVIDIA H200 data sheet and Hopper white paper: 132 multiprocessors of 4 schedulers, 1980 MHz at most, 4.8 TB/s.
    multiprocessors: 132.0,
    clock: 1980.0,
    issue: 4.0,
    bandwidth: 4.8e6,
    // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0.
    threads: 2048.0,
    // Source of the latencies: Ultrasonics Sonochemistry 99 (2023) 106546, table 3, Hopper.
    latency: Latency { global: 400.0, shared: 20.0, instruction: 4.0 },
    // The first: a copy of 2^10 elements in benches/record/nvidia-h200/2026-11-27-lab.csv, which is not compared here.
    // It is equal for all, so it changes no order. The others: NVIDIA Technical Blog, "Getting Started with CUDA
    // Graphs": kernels of 2.9 us, enqueued one after the other, take 3.8 us each, on a V100. Not the time of a short
    // kernel from launch to launch, as Hillis and Steele's in the record: the kernel's own time is in the four parts.
    launch: [3.49, 0.9],
};

/// Resource that bounds a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Instructions that the warps issue.
    Issue,
    /// Turns of shared memory, and lines of global memory on their way through the multiprocessor.
    Turns,
    /// Bytes that come from global memory and go there.
    Bandwidth,
    /// Steps of a block that wait for each other.
    Latency,
}

impl Bound {
    /// Name of the resource.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Issue => "instructions",
            Self::Turns => "turns of shared memory",
            Self::Bandwidth => "memory bandwidth",
            Self::Latency => "latency",
        }
    }
}

/// Predicted time of an algorithm's CUDA kernels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Time of all launches, in microseconds.
    pub micros: f64,
    /// Resource that bounds the longest launch.
    pub bound: Bound,
    /// Times of the longest launch in microseconds, if instructions, turns, bandwidth or latency alone bounded it.
    pub parts: [f64; 4],
}

/// Number of threads of a block of a CUDA kernel in a race.
const THREADS: usize = 256;
/// Number of bytes of an element in a race.
const BYTES: f64 = 4.0;

impl Sheet {
    /// Predicts the time to scan or reduce `n` elements of 4 bytes, block by block, as in a race: the parts' sums are
    /// scanned, or reduced, in the same way. [`None`]: the algorithm is not one of a single block.
    ///
    /// # Errors
    /// Error of the model's run of a block.
    pub fn forecast(&self, algorithm: &Algorithm, n: usize) -> Result<Option<Forecast>, Error> {
        let elements = match algorithm.limit / MAX_THREADS {
            elements @ 1..=2 if algorithm.computes != Computes::SegmentedScan && algorithm.file != "fenwick" => {
                elements
            }
            _ => return Ok(None),
        };
        let mut longest: Option<(f64, Bound, [f64; 4])> = None;
        let Some(compiled) = Compiled::of(algorithm) else { return Ok(None) };
        let (mut micros, mut launches, mut left) = (0.0, 0, n);
        loop {
            let alone = left <= elements * MAX_THREADS;
            let size = if alone { left.next_power_of_two().max(elements) } else { elements * THREADS };
            let parts = left.div_ceil(size);
            let run = block(algorithm, size)?;
            let is_scan = algorithm.computes != Computes::Reduction;
            let bytes = left as f64 * BYTES * if is_scan { 2.0 } else { 1.0 };
            let threads = size / elements;
            let idle = compiled.idle(&run, threads);
            let times = self.launch(&run, compiled.issued(&run, threads), idle, threads, parts, bytes);
            micros += self.longest(times, &mut longest);
            launches += 1;
            if is_scan && parts > 1 {
                // The prefix of a part is put in front of its elements: they are read and written once more.
                micros += self.longest([0.0, 0.0, bytes / self.bandwidth, 0.0], &mut longest);
                launches += 1;
            }
            if parts == 1 {
                break;
            }
            left = parts;
        }
        micros += self.launch[0] + self.launch[1] * f64::from(launches - 1);
        Ok(longest.map(|(_, bound, parts)| Forecast { micros, bound, parts }))
    }

    /// Times of a launch by instructions, turns, bandwidth, latency. `issued` counts the instructions of all warps of a
    /// block, and of one warp; `idle`, the accesses that warps without a thread at work issue.
    fn launch(&self, run: &Run, issued: [f64; 2], idle: f64, threads: usize, blocks: usize, bytes: f64) -> [f64; 4] {
        let each = (blocks as f64 / self.multiprocessors).max(1.0);
        let resident = (self.threads / threads as f64).floor().max(1.0);
        let rounds = (each / resident).max(1.0);
        let cycles = |cycles: f64| cycles / self.clock;
        // A block waits for its elements, for a word of shared memory in each round, and for a warp's instructions.
        let Latency { global, shared, instruction } = self.latency;
        let counts = run.total();
        let chain = global + counts.barriers as f64 * shared + issued[1] * instruction;
        [
            cycles(each * issued[0] / self.issue),
            cycles(each * ((counts.turns + counts.lines) as f64 + idle)),
            bytes / self.bandwidth,
            cycles(rounds * chain),
        ]
    }

    /// Returns the time of a launch from its four `parts`, which are kept in `longest` if no launch before took longer.
    fn longest(&self, parts: [f64; 4], longest: &mut Option<(f64, Bound, [f64; 4])>) -> f64 {
        let bounds = [Bound::Issue, Bound::Turns, Bound::Bandwidth, Bound::Latency];
        let (_, bound) = parts.into_iter().zip(bounds).fold((0.0, Bound::Issue), |a, b| if b.0 > a.0 { b } else { a });
        let [issue, turns, bandwidth, latency] = parts;
        let time = issue.max(turns).max(bandwidth) + latency;
        if longest.is_none_or(|(most, ..)| time > most) {
            *longest = Some((time, bound, parts));
        }
        time
    }
}

/// Runs an algorithm on the model for one block of `n` elements.
fn block(algorithm: &Algorithm, n: usize) -> Result<Run, Error> {
    let input = Input { values: &vec![1; n], heads: &vec![false; n] };
    let setup = Setup { operator: Operator::<i64>::sum(), shape: Shape::from(Banks::ThirtyTwo), records: false };
    Ok(algorithm.run(setup, &input)?.run)
}
