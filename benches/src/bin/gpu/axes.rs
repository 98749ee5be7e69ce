//! Scans along two axes, and applications of them: box blurs, mipmaps, viewsheds.

use super::gpu::Gpu;
use upsweep::operator::WidenFrom;
use upsweep::prelude::*;
use upsweep_apps::image::{BoxBlur, Extent, Mipmap};
use upsweep_apps::terrain::{Raster, Viewshed};
use upsweep_bench::{Number, Outcome, Value};

/// Number of rows of a result that are checked.
const CHECKED: usize = 16;
/// Radius of a box blur in pixels.
const RADIUS: usize = 50;

/// Measures images of at most 2^log2n values, and of at most 2^20.
pub(crate) fn bench(gpu: &mut Gpu, log2n: u32) -> Outcome {
    let sides = [1usize << (log2n / 2), 1 << (log2n.min(20) / 2)];
    for &side in if sides[0] == sides[1] { &sides[..1] } else { &sides } {
        table::<f32, f32>(gpu, side)?;
        table::<u8, u32>(gpu, side)?;
        table::<f32, f64>(gpu, side)?;
        blur(gpu, side)?;
        mipmap(gpu, side)?;
        viewshed(gpu, side * 3 / 4)?;
    }
    Ok(())
}

/// Measures the summed-area table: for each pixel the sum over the rectangle from the first pixel to this one.
fn table<I: Value, A: Number + WidenFrom<I>>(gpu: &mut Gpu, side: usize) -> Outcome
where
    Sum: Operator<A>,
{
    let (name, n) = (format!("axes_{side}_from_{}", I::NAME), side * side);
    if !gpu.wants::<A>(&name) {
        return Ok(());
    }
    let (x, mut out) = (gpu.filled::<I>(n)?, gpu.filled::<A>(n)?);
    let shape = [side, side];
    gpu.call::<A>(&name, n, n * (size_of::<I>() + size_of::<A>()), &mut out, |device, out| {
        Scan::new(Sum).accumulate::<A>().axes(&shape, &[1, 0]).run(device, &x, out)
    })?;
    // A table is right where each row equals the row above plus the running sums of its own values.
    for row in (0..CHECKED).map(|i| i * (side - 1) / (CHECKED - 1)) {
        let found = gpu.elements(&out, row * side..(row + 1) * side)?;
        let above = if row > 0 { gpu.elements(&out, (row - 1) * side..row * side)? } else { vec![A::ZERO; side] };
        let mut left = A::ZERO;
        for (column, (found, above)) in found.into_iter().zip(above).enumerate() {
            left = left.plus(A::widen_from(I::random(row * side + column)));
            if found != above.plus(left) {
                return Err(format!("{name}: ({row}, {column}) is {found:?}, not {:?}", above.plus(left)).into());
            }
        }
    }
    Ok(())
}

/// Measures the box blur from an image to another one, by moving sums in f64.
fn blur(gpu: &mut Gpu, side: usize) -> Outcome {
    let (name, n) = (format!("box_blur_{side}"), side * side);
    if !gpu.wants::<f32>(&name) {
        return Ok(());
    }
    let (x, mut out) = (gpu.filled::<f32>(n)?, gpu.filled::<f32>(n)?);
    let extent = Extent::new(side, side);
    gpu.work::<f32>(&name, n, 2 * n * size_of::<f32>(), |device| {
        Ok(BoxBlur::new(RADIUS as u32).run(device, &x, extent, &mut out)?)
    })?;
    for i in 0..100 {
        let (row, column) = (i * (side - 1) / 99, i * 7919 % side);
        let window = |at: usize| at.saturating_sub(RADIUS)..(at + RADIUS + 1).min(side);
        let (rows, columns) = (window(row), window(column));
        let pixels = rows.len() * columns.len();
        let sum: f64 = rows.flat_map(|r| columns.clone().map(move |c| f64::from(f32::random(r * side + c)))).sum();
        let (found, expected) = (f64::from(gpu.element(&out, row * side + column)?), sum / pixels as f64);
        if (found - expected).abs() > 8e-6 {
            return Err(format!("{name}: ({row}, {column}) is {found}, not {expected}").into());
        }
    }
    Ok(())
}

/// Measures the mipmaps of an image with four channels of one byte.
fn mipmap(gpu: &mut Gpu, side: usize) -> Outcome {
    const CHANNELS: usize = 4;
    let (name, n) = (format!("mipmap_rgba_{side}"), CHANNELS * side * side);
    if !gpu.wants::<u8>(&name) {
        return Ok(());
    }
    let x = gpu.filled::<u8>(n)?;
    let extent = Extent::new(side, side).channels(CHANNELS);
    let bytes: usize = (0..=side.ilog2()).map(|level| CHANNELS * (side >> level).pow(2)).sum();
    let mut made = None;
    gpu.work::<u8>(&name, n, n + bytes, |device| {
        made = Some(Mipmap::build(device, &x, extent)?);
        Ok(())
    })?;
    let Some(made) = made else { return Ok(()) };
    let values = |level: usize| made.level(gpu.device(), level);
    let mut above = values(0)?;
    for (level, found) in (1..made.levels()).map(|level| (level, values(level))) {
        let found = found?;
        let side = side >> level;
        for at in (0..found.len()).step_by(found.len() / 1000 + 1) {
            let (row, column, channel) = (at / CHANNELS / side, at / CHANNELS % side, at % CHANNELS);
            let of =
                |r: usize, c: usize| u32::from(above[((2 * row + r) * 2 * side + 2 * column + c) * CHANNELS + channel]);
            let expected = (of(0, 0) + of(0, 1) + of(1, 0) + of(1, 1) + 2) / 4;
            if u32::from(found[at]) != expected {
                return Err(format!("{name}: value {at} of level {level} is {}, not {expected}", found[at]).into());
            }
        }
        above = found;
    }
    Ok(())
}

/// Measures the viewshed of an observer in the middle of random heights.
fn viewshed(gpu: &mut Gpu, side: usize) -> Outcome {
    let (name, n) = (format!("viewshed_{side}"), side * side);
    if !gpu.wants::<f32>(&name) {
        return Ok(());
    }
    let (x, mut seen) = (gpu.filled::<f32>(n)?, gpu.array::<bool>(n)?);
    let (middle, raster) = (side / 2, Raster::new(side, side));
    gpu.work::<f32>(&name, n, n * (size_of::<f32>() + 1), |device| {
        Ok(Viewshed::new(middle, middle).observer(10.0).run(device, &x, raster, &mut seen)?)
    })?;
    // The rays along the observer's own row pass through the middle of each cell, so the result there is that of a
    // loop.
    let seen = gpu.elements(&seen, middle * side..(middle + 1) * side)?;
    let height = |column: usize| f32::random(middle * side + column);
    let eye = height(middle) + 10.0;
    let mut steepest = f32::NEG_INFINITY;
    for (column, &found) in seen.iter().enumerate().skip(middle + 1) {
        let slope = ((f64::from(height(column)) - f64::from(eye)) / (column - middle) as f64) as f32;
        if found != (slope > steepest || column == middle + 1) {
            return Err(format!("{name}: column {column} of the observer's row is seen: {found}").into());
        }
        steepest = steepest.max(slope);
    }
    Ok(())
}
