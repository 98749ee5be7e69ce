//! Scans, reductions, selections and sorts on a CUDA GPU, and applications of them, beside a copy of the same elements.
//! The program needs the driver and NVRTC, nothing else: it can be copied to the machine with the GPU.

mod axes;
mod cliffs;
mod first;
mod gpu;
mod graphs;
mod histogram;
mod numbers;
mod pieces;
mod rankings;
mod recurrence;
mod segments;
mod select;
mod sorts;
mod step;
mod texts;
mod trees;

use cudarc::driver::{CudaView, CudaViewMut};
use gpu::{Gpu, Lines};
use half::{bf16, f16};
use std::process::ExitCode;
use step::{Affine, Offset, Then, then};
use upsweep::prelude::*;
use upsweep_bench::{Number, Options, Outcome, Value, exit_code, hash};

const SIZES: [u32; 11] = [10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
const FEW_SIZES: [u32; 4] = [10, 16, 22, 28];

fn main() -> ExitCode {
    let is_first_use = std::env::args().nth(1).is_some_and(|argument| argument == first::ARGUMENT);
    exit_code(if is_first_use { first::process() } else { run() })
}

fn run() -> Outcome {
    let options = Options::parse(std::env::args().skip(1))?;
    let sizes = options.sizes(&SIZES, &FEW_SIZES);
    let Some(&largest) = sizes.iter().max() else { return Err("no sizes".into()) };
    let mut gpu = Gpu::new(options, 8usize << largest)?;
    first::bench(&mut gpu)?;
    macro_rules! whole {
        ($($t:ident)*) => { $( whole::<$t>(&mut gpu, &sizes)?; )* };
    }
    whole! { i8 u8 i16 u16 f16 bf16 i32 u32 f32 i64 u64 f64 }
    let from_16: Vec<u32> = sizes.iter().copied().filter(|&size| size >= 16 || size == largest).collect();
    custom(&mut gpu, &from_16, "inclusive_affine", Then, then)?;
    custom(&mut gpu, &from_16, "inclusive_summary", Summarise, summarise)?;
    moving_average(&mut gpu, &from_16)?;
    pieces::bench(&mut gpu, largest.min(28))?;
    select::bench(&mut gpu, &from_16)?;
    cliffs::bench(&mut gpu, largest.min(28))?;
    // 2^28 elements are more than every level of the cache holds, so larger arrays tell nothing new.
    segments::bench(&mut gpu, largest.min(28))?;
    sorts::bench(&mut gpu, &from_16)?;
    sorts::shapes(&mut gpu, &sizes)?;
    rankings::bench(&mut gpu, &from_16)?;
    lines(&mut gpu, largest.min(28))?;
    axes::bench(&mut gpu, largest.min(28))?;
    histogram::bench(&mut gpu, &from_16)?;
    recurrence::bench(&mut gpu, &from_16)?;
    texts::bench(&mut gpu, largest.min(30))?;
    trees::bench(&mut gpu, largest.min(28))?;
    graphs::bench(&mut gpu, largest.min(26))?;
    numbers::bench(&mut gpu, largest.min(28))
}

/// Measures scans and reductions of a whole array.
fn whole<T>(gpu: &mut Gpu, sizes: &[u32]) -> Outcome
where
    T: Number,
    Sum: Operator<T>,
    Max: Operator<T>,
{
    for &log2n in sizes {
        let n = 1usize << log2n;
        if !gpu.fits::<T>(n) {
            continue;
        }
        let (line, moved) = (Lines::whole(), 2 * n * size_of::<T>());
        gpu.scan(
            "inclusive_sum",
            n,
            moved,
            &line.inclusive(T::plus),
            |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| Scan::new(Sum).run(device, x, out),
        )?;
        gpu.scan(
            "exclusive_sum",
            n,
            moved,
            &line.exclusive(T::ZERO, T::plus),
            |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| {
                Scan::new(Sum).exclusive().run(device, x, out)
            },
        )?;
        gpu.scan(
            "inclusive_max",
            n,
            moved,
            &line.inclusive(T::larger),
            |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| Scan::new(Max).run(device, x, out),
        )?;
        let (first, rest) = (T::random(0), 1..n);
        let sum = || rest.fold(first, |sum, at| sum.plus(T::random(at)));
        gpu.reduce("reduce_sum", n, sum, |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| {
            Reduce::new(Sum).run(device, x, out)
        })?;
    }
    Ok(())
}

/// Map of an element to a step of a moving average, in which the element has the weight `a`.
#[function]
fn pull(#[param] a: f32, x: f32) -> Affine {
    Affine { m: 1.0 - a, c: a * x }
}

/// Summary of elements in 16 bytes (least, greatest, sum and number): an example of a caller's own type.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Summary {
    least: f32,
    most: f32,
    sum: f32,
    count: u32,
}

#[operator]
fn summarise(a: Summary, b: Summary) -> Summary {
    Summary {
        least: a.least.minimum(b.least),
        most: a.most.maximum(b.most),
        sum: a.sum + b.sum,
        count: a.count + b.count,
    }
}

impl Value for Summary {
    const NAME: &'static str = "16_bytes";

    /// Returns the summary of one element. Its `sum` is 1 or -1, so that sums are exact, however they are grouped.
    fn random(index: usize) -> Self {
        let x = hash(index);
        let value = f32::from((x >> 48) as u16);
        Self { least: value, most: value, sum: if x & 1 == 1 { 1.0 } else { -1.0 }, count: 1 }
    }
}

/// Measures scans with an operator of the caller's own.
fn custom<T: Value, Op: Operator<T>>(
    gpu: &mut Gpu,
    sizes: &[u32],
    name: &str,
    operator: Op,
    combine: fn(T, T) -> T,
) -> Outcome {
    for n in sizes.iter().map(|log2n| 1usize << log2n) {
        if gpu.fits::<T>(n) {
            let line = Lines::whole();
            gpu.scan(
                name,
                n,
                2 * n * size_of::<T>(),
                &line.inclusive(combine),
                |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| {
                    Scan::new(operator).run(device, x, out)
                },
            )?;
        }
    }
    Ok(())
}

/// Measures a moving average whose weight the map captures. Elements and results are floats; the scan combines steps.
fn moving_average(gpu: &mut Gpu, sizes: &[u32]) -> Outcome {
    // With this weight each result equals its element, exactly, however the steps are grouped. Other weights use the
    // same kernel.
    let step = Pull { a: 1.0 };
    for n in sizes.iter().map(|log2n| 1usize << log2n) {
        if gpu.fits::<f32>(n) {
            gpu.scan(
                "moving_average",
                n,
                2 * n * size_of::<f32>(),
                &Lines::whole().recurrence(|x| x, |_, x| x),
                |device: &Device, x: &CudaView<'_, f32>, out: &mut CudaViewMut<'_, f32>| {
                    Scan::new(Then).map(step).finish(Offset).run(device, x, out)
                },
            )?;
        }
    }
    Ok(())
}

/// Measures sums along an axis of matrices: of long rows, of columns, of many short rows, of few long rows, of rows that
/// are no whole vectors, of few columns. `log2n` bounds the number of elements.
fn lines(gpu: &mut Gpu, log2n: u32) -> Outcome {
    let many = [(1 << 12, 1 << 16, 1), (1 << 12, 1 << 16, 0), (1 << 20, 1 << 6, 1), (1 << 3, 1 << 25, 1)];
    let odd = [(1 << 26, 3, 1), (1 << 24, 10, 1), (1 << 21, 100, 1), (1 << 18, 1000, 1), (1 << 9, (1 << 19) - 1, 1)];
    let few = [(1 << 20, 1 << 6, 0), (1 << 24, 3, 0)];
    for (mut rows, mut columns, axis) in many.into_iter().chain(odd).chain(few) {
        // If the matrix has too many elements, its longer side is halved until it fits, so that it keeps its form.
        while rows * columns > 1usize << log2n {
            *(if rows > columns { &mut rows } else { &mut columns }) /= 2;
        }
        let n = rows * columns;
        if !gpu.fits::<f32>(n) {
            continue;
        }
        let (name, line) = match axis {
            1 => ("rows", Lines { stride: 1, is_head: Box::new(move |at| at % columns == 0) }),
            _ => ("columns", Lines { stride: columns, is_head: Box::new(move |at| at < columns) }),
        };
        gpu.scan(
            &format!("inclusive_sum_{name}_{rows}x{columns}"),
            n,
            2 * n * size_of::<f32>(),
            &line.inclusive(f32::plus),
            |device: &Device, x: &CudaView<'_, f32>, out: &mut CudaViewMut<'_, f32>| {
                Scan::new(Sum).axis(&[rows, columns], axis).run(device, x, out)
            },
        )?;
        if axis == 1 {
            gpu.scan(
                &format!("portable_sum_{name}_{rows}x{columns}"),
                n,
                2 * n * size_of::<f32>(),
                &line.inclusive(f32::plus),
                |device: &Device, x: &CudaView<'_, f32>, out: &mut CudaViewMut<'_, f32>| {
                    Scan::new(Sum).axis(&[rows, columns], axis).portable().run(device, x, out)
                },
            )?;
        }
        let (lines, len) = if axis == 1 { (rows, columns) } else { (columns, rows) };
        let place = move |i: usize, k: usize| if axis == 1 { i * columns + k } else { k * columns + i };
        let total = |i: usize| (1..len).fold(f32::random(place(i, 0)), |sum, k| sum.plus(f32::random(place(i, k))));
        gpu.reduce_segments(
            &format!("reduce_sum_{name}_{rows}x{columns}"),
            (n, (n + lines) * size_of::<f32>()),
            || (0..lines).map(total).collect(),
            |device: &Device, x: &CudaView<'_, f32>, out: &mut CudaViewMut<'_, f32>| {
                let mut out = out.slice_mut(..lines);
                Reduce::new(Sum).axis(&[rows, columns], axis).run(device, x, &mut out)
            },
        )?;
    }
    Ok(())
}
