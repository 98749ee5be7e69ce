//! Launches of an algorithm on an array, with its buffers.

use super::device::Gpu;
use super::element::GpuElement;
use super::error::{Error, Result};
use super::forms::{ADD_BEFORE, Form, Kernels, SCAN_SUMS};
use crate::algorithm::{Algorithm, Input};
use crate::algorithms::MAX_THREADS;
use crate::machine::{Banks, WARP};
use crate::operator::Operator;
use cudarc::driver::{CudaFunction, CudaSlice, DevicePtr, DevicePtrMut, LaunchConfig, PushKernelArg};

/// Number of threads of each block of a launch that has several blocks.
const THREADS: usize = 256;

/// Largest shared memory, in bytes, of a block whose kernel has not asked the driver for more.
const SHARED: usize = 48 << 10;

/// Argument of a kernel: a number or an address of 64 bits, or a number of 32 bits.
#[derive(Clone, Copy, Debug)]
enum Arg {
    Word(u64),
    Half(u32),
}

#[derive(Debug)]
enum Command {
    Launch {
        function: CudaFunction,
        grid: u32,
        threads: u32,
        shared: u32,
        args: Vec<Arg>,
    },
    /// Clears a buffer to zeros.
    Clear {
        buffer: usize,
    },
    Library {
        operator: &'static str,
    },
}

impl Gpu {
    /// Runs an algorithm's kernels on the elements of `input`; returns the results.
    ///
    /// # Errors
    /// [`Error::Input`] as on the model; [`Error::NoKernel`]; [`Error::Library`], [`Error::Driver`].
    pub fn run<T: GpuElement>(
        &self,
        algorithm: &Algorithm,
        operator: &Operator<T>,
        input: &Input<'_, T>,
    ) -> Result<Vec<T>> {
        algorithm.check(operator, Banks::ThirtyTwo.into(), input).map_err(Error::Input)?;
        let heads: Vec<u8> = input.heads.iter().flat_map(|&head| u32::from(head).to_ne_bytes()).collect();
        let heads = self.stream.clone_htod(&heads)?;
        let values = self.stream.clone_htod(&T::to_bytes(input.values))?;
        let mut entrant = Entrant::prepare(self, algorithm, operator, &values, &heads, input.values.len())?;
        entrant.enqueue()?;
        let bytes = self.stream.clone_dtoh(entrant.results())?;
        Ok(T::from_bytes(&bytes))
    }
}

/// Algorithm prepared for the scan or reduction of one array: compiled kernels, buffers, and the commands to enqueue.
pub(super) struct Entrant<'a, T> {
    gpu: &'a Gpu,
    input: &'a CudaSlice<u8>,
    buffers: Vec<CudaSlice<u8>>,
    commands: Vec<Command>,
    results: usize,
    n: usize,
    kernels: Kernels,
    operator: Operator<T>,
}

impl<'a, T: GpuElement> Entrant<'a, T> {
    /// Compiles the kernels and allocates the buffers. `n` is not 0.
    pub(super) fn prepare(
        gpu: &'a Gpu,
        algorithm: &Algorithm,
        operator: &Operator<T>,
        input: &'a CudaSlice<u8>,
        heads: &CudaSlice<u8>,
        n: usize,
    ) -> Result<Self> {
        let kernels = Kernels::of(algorithm).ok_or(Error::NoKernel { algorithm: algorithm.name })?;
        let (buffers, commands) = (Vec::new(), Vec::new());
        let mut entrant = Self { gpu, input, buffers, commands, results: 0, n, kernels, operator: *operator };
        let x = input.device_ptr(&gpu.stream).0;
        match kernels.form {
            Form::Reduction { elements } => entrant.reduction(x, elements)?,
            Form::Scan { elements, words } => {
                let y = entrant.buffer(n)?;
                entrant.scan(x, y, n, elements, words)?;
            }
            Form::Segmented { elements, words, flags } => {
                let y = entrant.buffer(n)?;
                let heads = heads.device_ptr(&gpu.stream).0;
                let threads = threads_of(n, elements, n <= elements * MAX_THREADS);
                let shared = threads * elements * (words * size_of::<T>() + flags * size_of::<u32>());
                let args = [x, heads, entrant.address(y), n as u64].map(Arg::Word);
                entrant.main(1, threads, shared, &args)?;
            }
            Form::Sequential => {
                let y = entrant.buffer(n)?;
                let args = [x, entrant.address(y), n as u64].map(Arg::Word);
                entrant.main(1, 1, 0, &args)?;
            }
            Form::HillisSteele => entrant.hillis_steele(x)?,
            Form::ThreeKernel => entrant.three_kernel(x)?,
            Form::Fenwick => entrant.fenwick(x)?,
            Form::Chained | Form::LookBack => entrant.one_pass(x)?,
            Form::Production => {
                entrant.results = entrant.buffer(n)?;
                entrant.commands.push(Command::Library { operator: operator.name });
            }
        }
        Ok(entrant)
    }

    /// Enqueues all commands of the algorithm: launches, and buffers to clear.
    pub(super) fn enqueue(&mut self) -> Result<()> {
        for command in &self.commands {
            match command {
                Command::Launch { function, grid, threads, shared, args } => {
                    let mut launch = self.gpu.stream.launch_builder(function);
                    for arg in args {
                        match arg {
                            Arg::Word(word) => launch.arg(word),
                            Arg::Half(half) => launch.arg(half),
                        };
                    }
                    let config = LaunchConfig {
                        grid_dim: (*grid, 1, 1),
                        block_dim: (*threads, 1, 1),
                        shared_mem_bytes: *shared,
                    };
                    // SAFETY: `prepare` passes each kernel the parameters that it declares; the pointers are those of
                    // buffers that this entrant owns or borrows, as long as the kernel takes them to be.
                    unsafe { launch.launch(config) }?;
                }
                Command::Clear { buffer } => self.gpu.stream.memset_zeros(&mut self.buffers[*buffer])?,
                Command::Library { operator } => {
                    let output = &mut self.buffers[self.results];
                    T::library_scan(operator, &self.gpu.device, self.input, output, self.n)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the results, as bytes on the device.
    pub(super) fn results(&self) -> &CudaSlice<u8> {
        &self.buffers[self.results]
    }

    /// Allocates a buffer for `len` elements; returns its index in `buffers`.
    fn buffer(&mut self, len: usize) -> Result<usize> {
        self.buffers.push(self.gpu.bytes(len * size_of::<T>())?);
        Ok(self.buffers.len() - 1)
    }

    fn address(&mut self, buffer: usize) -> u64 {
        self.buffers[buffer].device_ptr_mut(&self.gpu.stream).0
    }

    fn main(&mut self, grid: usize, threads: usize, shared: usize, args: &[Arg]) -> Result<()> {
        debug_assert!(shared <= SHARED, "{shared} bytes of shared memory for {}", self.kernels.entry);
        let function = self.gpu.function(&self.kernels.text(&self.operator), self.kernels.entry)?;
        self.push(function, grid, threads, shared, args);
        Ok(())
    }

    fn other(
        &mut self,
        kernel: (&str, &'static str),
        grid: usize,
        threads: usize,
        shared: usize,
        args: &[Arg],
    ) -> Result<()> {
        let function = self.gpu.function(&self.kernels.text_of(kernel.0, &self.operator), kernel.1)?;
        self.push(function, grid, threads, shared, args);
        Ok(())
    }

    fn push(&mut self, function: CudaFunction, grid: usize, threads: usize, shared: usize, args: &[Arg]) {
        let args = args.to_vec();
        self.commands.push(Command::Launch {
            function,
            grid: grid as u32,
            threads: threads as u32,
            shared: shared as u32,
            args,
        });
    }

    fn shared(&self, elements: usize, words: usize) -> usize {
        let padding = if self.kernels.padded() { elements / Banks::ThirtyTwo.number() } else { 0 };
        (elements * words + padding) * size_of::<T>()
    }

    /// Adds launches that reduce each part of the array, then the parts' results in the same way, until one is left.
    fn reduction(&mut self, x: u64, elements: usize) -> Result<()> {
        let (mut from, mut n) = (x, self.n);
        loop {
            let alone = n <= elements * MAX_THREADS;
            let least = if self.kernels.entry == "reduce_shuffle" { WARP } else { 1 };
            let threads = threads_of(n, elements, alone).max(least);
            let parts = n.div_ceil(threads * elements);
            let to = self.buffer(parts)?;
            let address = self.address(to);
            let shared = self.shared(threads * elements, 1);
            self.main(parts, threads, shared, &[from, address, n as u64].map(Arg::Word))?;
            (from, n, self.results) = (address, parts, to);
            if parts == 1 {
                return Ok(());
            }
        }
    }

    /// Adds launches that scan parts of the array, then the parts' sums likewise, and add the prefixes to the parts.
    fn scan(&mut self, x: u64, y: usize, n: usize, elements: usize, words: usize) -> Result<()> {
        let threads = threads_of(n, elements, n <= elements * MAX_THREADS);
        let size = threads * elements;
        let parts = n.div_ceil(size);
        let (out, shared) = (self.address(y), self.shared(size, words));
        self.results = y;
        if parts == 1 {
            return self.main(1, threads, shared, &[x, out, 0, n as u64].map(Arg::Word));
        }
        let (sums, scanned) = (self.buffer(parts)?, self.buffer(parts)?);
        let (sums_at, scanned_at) = (self.address(sums), self.address(scanned));
        self.main(parts, threads, shared, &[x, out, sums_at, n as u64].map(Arg::Word))?;
        self.scan(sums_at, scanned, parts, elements, words)?;
        self.results = y;
        let args = [Arg::Word(out), Arg::Word(scanned_at), Arg::Word(n as u64), Arg::Half(size as u32)];
        self.other(ADD_BEFORE, parts, THREADS, 0, &args)
    }

    fn hillis_steele(&mut self, x: u64) -> Result<()> {
        let n = self.n;
        let buffers = [self.buffer(n)?, self.buffer(n)?];
        let (mut from, mut turn, mut stride) = (x, 0, 1);
        loop {
            let to = self.address(buffers[turn]);
            let args = [from, to, n as u64, stride as u64].map(Arg::Word);
            self.main(n.div_ceil(THREADS), THREADS, 0, &args)?;
            self.results = buffers[turn];
            (from, turn, stride) = (to, 1 - turn, 2 * stride);
            if stride >= n {
                return Ok(());
            }
        }
    }

    fn three_kernel(&mut self, x: u64) -> Result<()> {
        let (n, size) = (self.n, 2 * THREADS);
        let parts = n.div_ceil(size);
        let (y, sums) = (self.buffer(n)?, self.buffer(parts)?);
        let (out, sums) = (self.address(y), self.address(sums));
        let shared = self.shared(size, 1);
        self.main(parts, THREADS, shared, &[x, out, sums, n as u64].map(Arg::Word))?;
        let args = [sums, parts as u64].map(Arg::Word);
        self.other(SCAN_SUMS, 1, MAX_THREADS, 2 * MAX_THREADS * size_of::<T>(), &args)?;
        let args = [Arg::Word(out), Arg::Word(sums), Arg::Word(n as u64), Arg::Half(size as u32)];
        self.other(ADD_BEFORE, parts, THREADS, 0, &args)?;
        self.results = y;
        Ok(())
    }

    fn fenwick(&mut self, x: u64) -> Result<()> {
        let n = self.n;
        let (tree, y) = (self.buffer(n)?, self.buffer(n)?);
        let (nodes, out) = (self.address(tree), self.address(y));
        let copy = (FENWICK, "fenwick_copy");
        self.other(copy, n.div_ceil(THREADS), THREADS, 0, &[x, nodes, n as u64].map(Arg::Word))?;
        let mut stride = 1;
        while stride < n {
            let blocks = (n / (2 * stride)).div_ceil(THREADS).max(1);
            self.main(blocks, THREADS, 0, &[nodes, n as u64, stride as u64].map(Arg::Word))?;
            stride *= 2;
        }
        let prefixes = (FENWICK, "fenwick_prefixes");
        self.other(prefixes, n.div_ceil(THREADS), THREADS, 0, &[nodes, out, n as u64].map(Arg::Word))?;
        self.results = y;
        Ok(())
    }

    fn one_pass(&mut self, x: u64) -> Result<()> {
        // Elements of 16 bytes get half of the threads, as their tile would not fit shared memory.
        let threads = const { if size_of::<T>() > 8 { THREADS / 2 } else { THREADS } };
        let n = self.n;
        // Number of elements a thread, which `lab.cuh` calls ITEMS.
        let items = if self.kernels.is_second() { 7 } else { 15 };
        let parts = n.div_ceil(threads * items);
        let (y, prefixes) = (self.buffer(n)?, self.buffer(parts)?);
        // The buffer holds the counter that numbers the blocks, and after it a status for each part of the array.
        self.buffers.push(self.gpu.bytes((1 + parts) * size_of::<u32>())?);
        let status = self.buffers.len() - 1;
        self.commands.push(Command::Clear { buffer: status });
        let (out, tickets, prefixes) = (self.address(y), self.address(status), self.address(prefixes));
        let mut args = vec![x, out, n as u64, tickets, tickets + size_of::<u32>() as u64];
        // Number of words for the scan of the threads' values, in addition to those of the tile.
        let mut words = 2 * threads;
        if self.kernels.form == Form::LookBack {
            let aggregates = self.buffer(parts)?;
            args.push(self.address(aggregates));
            words = threads / WARP;
        }
        args.push(prefixes);
        let shared = (threads * items + words) * size_of::<T>();
        let args: Vec<_> = args.into_iter().map(Arg::Word).collect();
        self.results = y;
        self.main(parts, threads, shared, &args)
    }
}

const FENWICK: &str = include_str!("../../kernels/fenwick.cuh");

/// Returns the number of threads of a block. If it is the only block, it has as many as `n` elements need.
fn threads_of(n: usize, elements: usize, alone: bool) -> usize {
    if alone { (n.next_power_of_two() / elements).max(1) } else { THREADS }
}
