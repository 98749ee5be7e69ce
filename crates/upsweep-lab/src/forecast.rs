//! How long an algorithm's CUDA kernels should take on a GPU, from what the model counts, what the compiler makes of the
//! kernels, and what data sheets say.
//!
//! A launch is as slow as the slowest of three things: the instructions that its warps issue, the turns of shared memory and the
//! lines of global memory, and the bytes that come from memory and go there. On top come the steps of a block that wait for each
//! other. Then launches add up. No number here is fitted to a race: each has its source beside it. What a block does, it does on
//! the model, at the size that it has in the race.
//!
//! It foresees an order, not times: the three things overlap less well than this says, so that the times come out too short. How they
//! are put together was chosen with a record in view; the numbers were not.

mod compiled;
mod record;

pub use record::{LOGS, raced, recorded};

use crate::algorithm::{Algorithm, Computes, Error, Input, Setup};
use crate::algorithms::MAX_THREADS;
use crate::machine::{Banks, Run, Shape};
use crate::operator::Operator;
use compiled::Compiled;

/// What is known of a GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// Its name.
    pub name: &'static str,
    /// Multiprocessors.
    pub multiprocessors: f64,
    /// Cycles a microsecond.
    pub clock: f64,
    /// Instructions of warps that a multiprocessor issues in a cycle.
    pub issue: f64,
    /// Threads that a multiprocessor holds.
    pub threads: f64,
    /// Bytes of memory a microsecond.
    pub bandwidth: f64,
    /// Cycles until a word of global memory is there, one of shared memory, and the result of an instruction.
    pub latency: Latency,
    /// Microseconds of a launch, and of each one that follows another, beside what its kernel takes.
    pub launch: [f64; 2],
}

/// Cycles until something is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// A word of global memory.
    pub global: f64,
    /// A word of shared memory.
    pub shared: f64,
    /// The result of an instruction.
    pub instruction: f64,
}

/// The GPU of the race's record.
pub const H200: Sheet = Sheet {
    name: "NVIDIA H200",
    // NVIDIA H200 data sheet and Hopper white paper: 132 multiprocessors of 4 schedulers, 1980 MHz at most, 4.8 TB/s.
    multiprocessors: 132.0,
    clock: 1980.0,
    issue: 4.0,
    bandwidth: 4.8e6,
    // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0.
    threads: 2048.0,
    // Ultrasonics Sonochemistry 99 (2023) 106546, table 3, Hopper.
    latency: Latency { global: 400.0, shared: 20.0, instruction: 4.0 },
    // The first: a copy of 2^10 elements in benches/record/nvidia-h200/2026-11-27-lab.csv, which is not compared here. It is the same
    // for all, so it changes no order. Those behind it: NVIDIA Technical Blog, "Getting Started with CUDA Graphs", where
    // kernels of 2.9 us, enqueued one behind the other, take 3.8 us each, on a V100. Not the time of a short kernel from one
    // launch to the next, as Hillis and Steele's in the record: what the kernel itself takes is in the four parts already.
    launch: [3.49, 0.9],
};

/// What holds a launch up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Instructions.
    Issue,
    /// Turns of shared memory, and lines of global memory on their way through the multiprocessor.
    Turns,
    /// Bytes from memory and to it.
    Bandwidth,
    /// Steps of a block that follow each other.
    Latency,
}

impl Bound {
    /// In words.
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

/// What is foreseen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The time of all launches.
    pub micros: f64,
    /// What the longest launch waits for.
    pub bound: Bound,
    /// For that launch: microseconds by instructions, turns, bandwidth, latency.
    pub parts: [f64; 4],
}

/// The threads of a block of a race.
const THREADS: usize = 256;
/// Bytes of an element of a race.
const BYTES: f64 = 4.0;

impl Sheet {
    /// How long the kernels take that scan or reduce `n` elements of 4 bytes with this algorithm, block by block, as a race does:
    /// the parts' sums are scanned, or reduced, in the same way. [`None`]: the algorithm is not one of a single block.
    ///
    /// # Errors
    /// What the model says to a block of it.
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
                // What lies before a part is put in front of its elements: they are read and written once more.
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

    /// What each of the four things takes; `issued`: the instructions of all warps of a block, and those of one; `idle`: the
    /// accesses that warps without a thread at work issue.
    fn launch(&self, run: &Run, issued: [f64; 2], idle: f64, threads: usize, blocks: usize, bytes: f64) -> [f64; 4] {
        let each = (blocks as f64 / self.multiprocessors).max(1.0);
        let resident = (self.threads / threads as f64).floor().max(1.0);
        let rounds = (each / resident).max(1.0);
        let cycles = |cycles: f64| cycles / self.clock;
        // A block's chain: its elements come, then in each round a word of shared memory, and its instructions one by one.
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

    /// The time of a launch. The longest of its parts is kept, if no launch before took longer.
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

/// What one block does to so many elements.
fn block(algorithm: &Algorithm, n: usize) -> Result<Run, Error> {
    let input = Input { values: &vec![1; n], heads: &vec![false; n] };
    let setup = Setup { operator: Operator::<i64>::sum(), shape: Shape::from(Banks::ThirtyTwo), records: false };
    Ok(algorithm.run(setup, &input)?.run)
}
