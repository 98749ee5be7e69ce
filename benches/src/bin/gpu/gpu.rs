//! GPU with the benches' buffers: filling, checking, timing.

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{
    CudaContext, CudaModule, CudaSlice, CudaStream, CudaView, CudaViewMut, DeviceRepr, LaunchConfig, PushKernelArg,
};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use upsweep::{Array, Count, Device, Element};
use upsweep_bench::{Options, Outcome, Record, Row, Value, cuda, median};

/// Bytes written before each call, more than any L2 cache holds: they evict the call's input from it.
const FLUSHED_BYTES: usize = 256 << 20;
const WARM_UPS: usize = 3;
/// Largest number of elements of an output that is checked whole. Of a longer one, [`WINDOWS`] windows of [`WINDOW`]
/// elements are checked.
const CHECKED_WHOLE: usize = 1 << 22;
const WINDOWS: usize = 64;
const WINDOW: usize = 1 << 14;

/// Names of the shapes (distributions of keys) that `fill.cu` knows, by their numbers there.
pub(crate) const SHAPES: [&str; 10] = [
    "random",
    "sorted",
    "reversed",
    "equal",
    "two_values",
    "organ_pipe",
    "zipf",
    "top_digit",
    "middle_digit",
    "runs_64",
];

pub(crate) struct Gpu {
    options: Options,
    record: Record,
    stream: Arc<CudaStream>,
    device: Device,
    fill: Arc<CudaModule>,
    input: CudaSlice<u8>,
    output: CudaSlice<u8>,
    flush: CudaSlice<u8>,
    /// Name of the type, and number, of the elements that the input holds.
    filled: Option<(&'static str, usize)>,
    /// Bandwidth of a copy in GB/s, by the number of bytes copied.
    copies: HashMap<usize, f64>,
}

impl Gpu {
    /// Opens the first GPU, with buffers of `bytes` bytes, or of as many as its memory allows.
    pub(crate) fn new(options: Options, bytes: usize) -> Outcome<Self> {
        let device = Device::cuda(0)?;
        drop(device);
        let context = CudaContext::new(0)?;
        let stream = context.default_stream();
        let fill = cudarc::nvrtc::compile_ptx(include_str!("fill.cu"))?;
        let fill = context.load_module(fill)?;
        let (free, _) = context.mem_get_info()?;
        // Half of the memory is left for arrays that are uploaded besides the buffers, and for the library.
        let bytes = bytes.min(free / 4);
        let record = Record::create(&options, &cuda::machine(&context)?, &cuda::versions())?;
        Ok(Self {
            device: Device::on_stream(&stream)?,
            input: stream.alloc_zeros(bytes)?,
            output: stream.alloc_zeros(bytes)?,
            flush: stream.alloc_zeros(FLUSHED_BYTES)?,
            filled: None,
            copies: HashMap::new(),
            options,
            record,
            stream,
            fill,
        })
    }

    /// Returns whether the buffers hold `n` elements; prints a message when they do not.
    pub(crate) fn fits<T: Value>(&self, n: usize) -> bool {
        let fits = n * size_of::<T>() <= self.input.len();
        if !fits {
            eprintln!("left out for want of memory: {n} elements of {}", T::NAME);
        }
        fits
    }

    pub(crate) fn wants<T: Value>(&self, algo: &str) -> bool {
        self.options.wants(algo, T::NAME)
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn upload<T: Element>(&self, host: &[T]) -> Outcome<Array<T>> {
        Ok(self.device.upload(host)?)
    }

    pub(crate) fn count(&self) -> Outcome<Count> {
        Ok(Count::new(&self.device)?)
    }

    /// Checks and times a scan of `n` elements that must read and write `bytes` bytes.
    pub(crate) fn scan<T: Value>(
        &mut self,
        algo: &str,
        n: usize,
        bytes: usize,
        check: &Check<'_, T>,
        call: impl Fn(&Device, &CudaView<'_, T>, &mut CudaViewMut<'_, T>) -> upsweep::Result<()>,
    ) -> Outcome {
        if !self.wants::<T>(algo) {
            return Ok(());
        }
        self.run_once(n, &call)?;
        self.check(algo, n, check)?;
        self.time(algo, n, bytes, call)
    }

    /// Checks and times a reduction of `n` elements to one. The check takes the host a while, so long inputs have none.
    pub(crate) fn reduce<T: Value>(
        &mut self,
        algo: &str,
        n: usize,
        expected: impl FnOnce() -> T,
        call: impl Fn(&Device, &CudaView<'_, T>, &mut CudaViewMut<'_, T>) -> upsweep::Result<()>,
    ) -> Outcome {
        let one = |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| {
            call(device, x, &mut out.slice_mut(..1))
        };
        self.reduce_segments(algo, (n, (n + 1) * size_of::<T>()), || vec![expected()], one)
    }

    /// Checks and times a reduction of `n` elements to several, or a selection, which must move `bytes`. The first
    /// results must equal those `expected`.
    pub(crate) fn reduce_segments<T: Value>(
        &mut self,
        algo: &str,
        (n, bytes): (usize, usize),
        expected: impl FnOnce() -> Vec<T>,
        call: impl Fn(&Device, &CudaView<'_, T>, &mut CudaViewMut<'_, T>) -> upsweep::Result<()>,
    ) -> Outcome {
        if !self.wants::<T>(algo) {
            return Ok(());
        }
        self.run_once(n, &call)?;
        let expected = expected();
        let found = self.download::<T>(0, expected.len())?;
        if let Some(at) = (0..found.len()).find(|&at| found[at] != expected[at]) {
            return Err(wrong(algo, at, found[at], expected[at]));
        }
        self.time(algo, n, bytes, call)
    }

    /// Times a sort of `n` elements that must read and write `bytes` bytes. Checks by `in_order` pieces of the output.
    pub(crate) fn sort<T: Value>(
        &mut self,
        algo: &str,
        (n, bytes): (usize, usize),
        in_order: impl Fn(&[T]) -> bool,
        call: impl Fn(&Device, &CudaView<'_, T>, &mut CudaViewMut<'_, T>) -> upsweep::Result<()>,
    ) -> Outcome {
        if !self.wants::<T>(algo) {
            return Ok(());
        }
        self.run_once(n, &call)?;
        let (count, len) = if n <= CHECKED_WHOLE { (1, n) } else { (WINDOWS, WINDOW) };
        for window in 0..count {
            let start = if window + 1 == count { n - len } else { (n - len) / count * window };
            if !in_order(&self.download::<T>(start, len)?) {
                return Err(format!("{algo} of {n} {}: the results from {start} on are not in order", T::NAME).into());
            }
        }
        self.time(algo, n, bytes, call)
    }

    /// Times a call on `n` elements that stores results in `output`, and must read and write `bytes` bytes.
    pub(crate) fn call<T: Value>(
        &mut self,
        algo: &str,
        n: usize,
        bytes: usize,
        output: &mut CudaSlice<T>,
        call: impl Fn(&Device, &mut CudaSlice<T>) -> upsweep::Result<()>,
    ) -> Outcome {
        self.work::<T>(algo, n, bytes, |device| Ok(call(device, output)?))
    }

    /// Times work on `n` elements that must read and write `bytes` bytes. The caller checks its results.
    pub(crate) fn work<T: Value>(
        &mut self,
        algo: &str,
        n: usize,
        bytes: usize,
        mut work: impl FnMut(&Device) -> Outcome,
    ) -> Outcome {
        let copy_gbps = self.copy_gbps::<T>(n)?;
        let once = || work(&self.device);
        let (micros, enqueue) = clock(&self.stream, &mut self.flush, calls(&self.options), once)?;
        let (log2n, bytes, ty) = (n.ilog2(), bytes as f64, T::NAME);
        let enqueue_micros = Some(enqueue);
        self.record.row(&Row { lib: "upsweep", algo, ty, log2n, micros, bytes, copy_gbps, enqueue_micros })
    }

    /// Times a kernel of `fill.cu` on two arrays of `n` elements, with `per_block` elements a block, beside a call that
    /// must move as many `bytes`.
    pub(crate) fn plain<T: Value>(
        &mut self,
        algo: &str,
        (kernel, per_block): (&str, usize),
        n: usize,
        bytes: usize,
        (a, b): (&CudaSlice<T>, &CudaSlice<T>),
    ) -> Outcome {
        let copy_gbps = self.copy_gbps::<T>(n)?;
        let kernel = self.fill.load_function(kernel)?;
        let (log2, len) = (n.ilog2(), n as u64);
        let shape = LaunchConfig {
            grid_dim: ((n / per_block).max(1) as u32, 1, 1),
            block_dim: (256, 1, 1),
            shared_mem_bytes: 0,
        };
        let once = || {
            // SAFETY: the kernels access only elements below `n`, which both arrays have.
            unsafe { self.stream.launch_builder(&kernel).arg(a).arg(b).arg(&len).arg(&log2).launch(shape) }?;
            Ok(())
        };
        let (micros, enqueue) = clock(&self.stream, &mut self.flush, calls(&self.options), once)?;
        let (log2n, bytes, ty) = (n.ilog2(), bytes as f64, T::NAME);
        let enqueue_micros = Some(enqueue);
        self.record.row(&Row { lib: "plain", algo, ty, log2n, micros, bytes, copy_gbps, enqueue_micros })
    }

    /// Returns a new array of `n` random elements.
    pub(crate) fn filled<T: Value>(&mut self, n: usize) -> Outcome<CudaSlice<T>> {
        let kernel = self.fill.load_function(&fill_kernel::<T>())?;
        // SAFETY: the kernel writes all elements.
        let mut array = unsafe { self.stream.alloc::<u8>(n * size_of::<T>()) }?;
        let shape = LaunchConfig { grid_dim: (1024, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the array has room for `n` elements of the type `T`.
        unsafe { self.stream.launch_builder(&kernel).arg(&mut array).arg(&n).launch(shape) }?;
        // SAFETY: the memory is exclusively this array's and holds `n` elements.
        Ok(unsafe { self.stream.upgrade_device_ptr(array.leak(), n) })
    }

    /// Returns a new array with the elements of `host`.
    pub(crate) fn copied<T: DeviceRepr>(&self, host: &[T]) -> Outcome<CudaSlice<T>> {
        Ok(self.stream.clone_htod(host)?)
    }

    /// Returns a new array of `n` keys of the shape `shape`, one of the [`SHAPES`].
    pub(crate) fn shaped(&self, n: usize, shape: &str) -> Outcome<CudaSlice<u32>> {
        let shape = SHAPES.iter().position(|name| *name == shape).ok_or(format!("no shape {shape}"))? as u32;
        let kernel = self.fill.load_function("fill_shape")?;
        let mut array = self.array::<u32>(n)?;
        let grid = LaunchConfig { grid_dim: (1024, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the kernel writes `n` elements.
        unsafe { self.stream.launch_builder(&kernel).arg(&mut array).arg(&(n as u64)).arg(&shape).launch(grid) }?;
        Ok(array)
    }

    /// Returns a new array of `n` zeros.
    pub(crate) fn array<T: Element>(&self, n: usize) -> Outcome<CudaSlice<T>> {
        let bytes = self.stream.alloc_zeros::<u8>(n * size_of::<T>())?;
        // SAFETY: the memory is exclusively this array's and has room for `n` elements; zeros are elements of all types
        // that callers use.
        Ok(unsafe { self.stream.upgrade_device_ptr(bytes.leak(), n) })
    }

    /// Returns the elements of an array in the range `range`.
    pub(crate) fn elements<T: Element>(&self, array: &CudaSlice<T>, range: Range<usize>) -> Outcome<Vec<T>> {
        let size = size_of::<T>();
        // SAFETY: the view covers the array's own memory, as bytes.
        let bytes = unsafe { array.transmute::<u8>(array.len() * size) }.ok_or("too short")?;
        let bytes = self.stream.clone_dtoh(&bytes.slice(range.start * size..range.end * size))?;
        // SAFETY: each chunk has the size of an element, and was written as one.
        Ok(bytes.chunks_exact(size).map(|bytes| unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }).collect())
    }

    /// Returns element `at` of an array.
    pub(crate) fn element<T: Element>(&self, array: &CudaSlice<T>, at: usize) -> Outcome<T> {
        self.elements(array, at..at + 1)?.pop().ok_or("too short".into())
    }

    /// Fills the input with `n` random elements, clears the output and makes the call `call`.
    fn run_once<T: Value>(
        &mut self,
        n: usize,
        call: &impl Fn(&Device, &CudaView<'_, T>, &mut CudaViewMut<'_, T>) -> upsweep::Result<()>,
    ) -> Outcome {
        self.fill::<T>(n)?;
        self.stream.memset_zeros(&mut self.output)?;
        let (input, mut output) = views(&self.input, &mut self.output, n)?;
        Ok(call(&self.device, &input, &mut output)?)
    }

    /// Fills the input with `n` random elements, if it does not hold them yet.
    fn fill<T: Value>(&mut self, n: usize) -> Outcome {
        if self.filled == Some((T::NAME, n)) {
            return Ok(());
        }
        let kernel = self.fill.load_function(&fill_kernel::<T>())?;
        let shape = LaunchConfig { grid_dim: (1024, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the kernel writes `n` elements of the type `T`, for which `fits` found room in the input.
        unsafe { self.stream.launch_builder(&kernel).arg(&mut self.input).arg(&n).launch(shape) }?;
        self.filled = Some((T::NAME, n));
        Ok(())
    }

    fn check<T: Value>(&self, algo: &str, n: usize, check: &Check<'_, T>) -> Outcome {
        let (count, len) = if n <= CHECKED_WHOLE { (1, n) } else { (WINDOWS, WINDOW) };
        for window in 0..count {
            // Windows from the first element to the last, at uneven distances.
            let start = if window + 1 == count { n - len } else { (n - len) / count * window };
            let stride = check.lines.stride;
            let before_start = start.saturating_sub(stride);
            let output = self.download::<T>(start, len)?;
            let before = self.download::<T>(before_start, (start + len).saturating_sub(stride + before_start))?;
            for (offset, &found) in output.iter().enumerate() {
                let at = start + offset;
                let is_head = (check.lines.is_head)(at);
                let expected = match at.checked_sub(stride).filter(|_| !is_head) {
                    Some(last) => (check.next)(before[last - before_start], at),
                    None => (check.first)(at),
                };
                if found != expected {
                    return Err(wrong(algo, at, found, expected));
                }
            }
        }
        Ok(())
    }

    /// Returns `len` elements of the output from the index `start` on.
    fn download<T: Value>(&self, start: usize, len: usize) -> Outcome<Vec<T>> {
        let size = size_of::<T>();
        let bytes = self.stream.clone_dtoh(&self.output.slice(start * size..(start + len) * size))?;
        let element = |bytes: &[u8]| {
            // SAFETY: each chunk has the size of an element, and the library has written it as one.
            unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
        };
        Ok(bytes.chunks_exact(size).map(element).collect())
    }

    /// Times a call, and writes its row to the record.
    pub(crate) fn time<T: Value>(
        &mut self,
        algo: &str,
        n: usize,
        bytes: usize,
        call: impl Fn(&Device, &CudaView<'_, T>, &mut CudaViewMut<'_, T>) -> upsweep::Result<()>,
    ) -> Outcome {
        let copy_gbps = self.copy_gbps::<T>(n)?;
        let (input, mut output) = views(&self.input, &mut self.output, n)?;
        let once = || Ok(call(&self.device, &input, &mut output)?);
        let (micros, enqueue) = clock(&self.stream, &mut self.flush, calls(&self.options), once)?;
        let (log2n, bytes, ty) = (n.ilog2(), bytes as f64, T::NAME);
        self.record.row(&Row {
            lib: "upsweep",
            algo,
            ty,
            log2n,
            micros,
            bytes,
            copy_gbps,
            enqueue_micros: Some(enqueue),
        })
    }

    /// Writes a row for work of `lib` on `n` elements, which took `micros` microseconds until its result was there.
    pub(crate) fn waited<T: Value>(&mut self, lib: &str, algo: &str, n: usize, micros: f64) -> Outcome {
        let copy_gbps = self.copy_gbps::<T>(n)?;
        let (log2n, bytes, ty) = (n.ilog2(), (2 * n * size_of::<T>()) as f64, T::NAME);
        self.record.row(&Row { lib, algo, ty, log2n, micros, bytes, copy_gbps, enqueue_micros: None })
    }

    /// Returns GB/s of a copy of `n` elements, measured on first use.
    fn copy_gbps<T: Value>(&mut self, n: usize) -> Outcome<f64> {
        let len = n * size_of::<T>();
        if let Some(&gbps) = self.copies.get(&len) {
            return Ok(gbps);
        }
        let (input, mut output) = views::<u8>(&self.input, &mut self.output, len)?;
        let once = || Ok(self.stream.memcpy_dtod(&input, &mut output)?);
        let (micros, enqueue) = clock(&self.stream, &mut self.flush, calls(&self.options), once)?;
        let bytes = (2 * len) as f64;
        let copy_gbps = bytes / micros / 1e3;
        self.copies.insert(len, copy_gbps);
        let (log2n, enqueue_micros) = (n.ilog2(), Some(enqueue));
        let row = Row { lib: "copy", algo: "copy", ty: T::NAME, log2n, micros, bytes, copy_gbps, enqueue_micros };
        self.record.row(&row)?;
        Ok(copy_gbps)
    }
}

/// Returns the name of the kernel in `fill.cu` that fills arrays of the type `T`.
fn fill_kernel<T: Value>() -> String {
    match T::NAME {
        "i8" | "u8" => "fill_8".to_owned(),
        "i16" | "u16" => "fill_16".to_owned(),
        "i32" | "u32" => "fill_32".to_owned(),
        "i64" | "u64" => "fill_64".to_owned(),
        name => format!("fill_{name}"),
    }
}

fn calls(options: &Options) -> usize {
    if options.smoke { 1 } else { 15 }
}

/// Returns the medians over `calls` calls of the time on the GPU, by events, and of the time for which the host is
/// busy.
fn clock(
    stream: &Arc<CudaStream>,
    flush: &mut CudaSlice<u8>,
    calls: usize,
    mut once: impl FnMut() -> Outcome,
) -> Outcome<(f64, f64)> {
    for _ in 0..WARM_UPS {
        once()?;
    }
    let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
    let (begin, end) = (stream.context().new_event(timed)?, stream.context().new_event(timed)?);
    let (mut on_gpu, mut on_host) = (Vec::new(), Vec::new());
    for _ in 0..calls {
        // While this runs the host enqueues the rest, so the events enclose the work and not the host's latency.
        stream.memset_zeros(flush)?;
        begin.record(stream)?;
        let start = Instant::now();
        once()?;
        on_host.push(start.elapsed().as_secs_f64() * 1e6);
        end.record(stream)?;
        end.synchronize()?;
        on_gpu.push(f64::from(begin.elapsed_ms(&end)?) * 1e3);
    }
    Ok((median(on_gpu), median(on_host)))
}

/// Returns the input and the output as `n` elements of the type `T` each.
fn views<'a, T: Element>(
    input: &'a CudaSlice<u8>,
    output: &'a mut CudaSlice<u8>,
    n: usize,
) -> Outcome<(CudaView<'a, T>, CudaViewMut<'a, T>)> {
    // SAFETY: the input was filled with elements of this type and the output is written before it is read; both are
    // aligned as the driver aligns every allocation, and their lengths are checked.
    let views = unsafe { (input.transmute(n), output.transmute_mut(n)) };
    let (Some(input), Some(output)) = views else { return Err("the buffers are too small".into()) };
    Ok((input, output))
}

/// Layout of the lines that are scanned: their stride, and where they begin.
pub(crate) struct Lines<'a> {
    /// Stride from an element to the next one of its line.
    pub(crate) stride: usize,
    /// Whether a line begins at this position.
    pub(crate) is_head: Box<dyn Fn(usize) -> bool + 'a>,
}

/// Check of an output: if each element of a line is right, given the one before it, the line is a scan.
pub(crate) struct Check<'a, T> {
    lines: &'a Lines<'a>,
    /// Function that returns the expected result at the index where a line begins.
    first: Box<dyn Fn(usize) -> T + 'a>,
    /// Function that returns the expected result at an index, from the result before it in the line.
    next: Box<dyn Fn(T, usize) -> T + 'a>,
}

impl Lines<'_> {
    /// Returns the layout of an array that is one line.
    pub(crate) fn whole() -> Self {
        Self { stride: 1, is_head: Box::new(|at| at == 0) }
    }

    pub(crate) fn inclusive<T: Value>(&self, combine: fn(T, T) -> T) -> Check<'_, T> {
        let next = move |last, at| combine(last, T::random(at));
        Check { lines: self, first: Box::new(T::random), next: Box::new(next) }
    }

    /// Returns the check of `out[0] = first(x[0])`, `out[i] = next(out[i - 1], x[i])`.
    pub(crate) fn recurrence<T: Value>(&self, first: fn(T) -> T, next: fn(T, T) -> T) -> Check<'_, T> {
        let next = move |last, at| next(last, T::random(at));
        Check { lines: self, first: Box::new(move |at| first(T::random(at))), next: Box::new(next) }
    }

    pub(crate) fn exclusive<T: Value>(&self, identity: T, combine: fn(T, T) -> T) -> Check<'_, T> {
        let next = move |last, at| combine(last, T::random(at - self.stride));
        Check { lines: self, first: Box::new(move |_| identity), next: Box::new(next) }
    }
}

fn wrong<T: Value>(algo: &str, at: usize, found: T, expected: T) -> Box<dyn std::error::Error> {
    format!("{algo} of {}: element {at} is {found:?}, not {expected:?}", T::NAME).into()
}
