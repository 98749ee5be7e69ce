//! The rays from a cell to all cells at the border of a raster.
//!
//! A ray goes by steps of one row or one column, whichever is more of them. Where it passes between two cells, it has the altitude between
//! theirs. Rays are numbered clockwise from the upper left: along the top, down the right side, back along the bottom, up the left side.
//!
//! Values along rays are stored step by step: step `s` of ray `r` at `s * rays + r`. Neighbouring rays read neighbouring cells, and so do
//! neighbouring steps of a ray along a row, which a device keeps for the few steps that it computes at once.
//!
//! Quotients of whole numbers are computed in `f64`, which has them exactly: products of a row and a column are not above the number of cells,
//! and a quotient that is no whole number is farther from one than `f64` rounds.

use super::raster::Raster;
use upsweep::prelude::*;

/// From where to where.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Rays {
    pub(super) raster: Raster,
    pub(super) row: i32,
    pub(super) column: i32,
    /// The most steps that a ray has.
    pub(super) steps: u64,
    /// How much the earth's curvature lowers a point at the distance 1.
    pub(super) drop: f64,
    /// The observer's height.
    pub(super) observer: f64,
}

impl Rays {
    pub(super) fn new(raster: Raster, row: usize, column: usize, drop: f64, observer: f64) -> Self {
        let (row, column) = (row as u64, column as u64);
        let Raster { rows, columns, .. } = raster;
        let steps = row.max(rows - 1 - row).max(column).max(columns - 1 - column);
        Self { raster, row: row as i32, column: column as i32, steps, drop, observer }
    }

    /// The shape of values along rays, of which the first axis goes along them.
    pub(super) fn shape(&self) -> [usize; 2] {
        [self.steps as usize, count(*self) as usize]
    }

    /// The observer's cell.
    pub(super) fn cell(&self) -> u64 {
        self.row as u64 * self.raster.columns + self.column as u64
    }
}

/// How many there are: one to each cell at the border.
#[function]
fn count(rays: Rays) -> u64 {
    let (rows, columns) = (rays.raster.rows, rays.raster.columns);
    if rows > 1 && columns > 1 { 2 * (rows + columns) - 4 } else { rows * columns }
}

/// How far the end of a ray is from its begin, in rows and columns.
#[function]
pub(super) fn reach(rays: Rays, ray: u64) -> (i64, i64) {
    let (rows, columns) = (rays.raster.rows as i64, rays.raster.columns as i64);
    let ray = ray as i64;
    let right = ray - columns + 1;
    let bottom = right - rows + 1;
    let left = bottom - columns + 1;
    let (row, column) = if ray < columns {
        (0, ray)
    } else if right < rows {
        (right, columns - 1)
    } else if bottom < columns {
        (rows - 1, columns - 1 - bottom)
    } else {
        (rows - 1 - left, 0)
    };
    (row - rays.row as i64, column - rays.column as i64)
}

/// The number of the ray that ends in a cell of the border.
#[function]
fn ray_to(rays: Rays, row: i64, column: i64) -> u64 {
    let (rows, columns) = (rays.raster.rows as i64, rays.raster.columns as i64);
    let ray = if row == 0 {
        column
    } else if column == columns - 1 {
        columns - 1 + row
    } else if row == rows - 1 {
        columns - 1 + rows - 1 + (columns - 1 - column)
    } else {
        2 * (columns - 1) + rows - 1 + (rows - 1 - row)
    };
    ray as u64
}

#[function]
pub(super) fn larger_of(a: i64, b: i64) -> i64 {
    let (a, b) = (if a < 0 { -a } else { a }, if b < 0 { -b } else { b });
    if a > b { a } else { b }
}

/// `at / n` and `at % n`.
#[function]
fn parted(at: u64, n: u64) -> (u64, u64) {
    let quotient = (at as f64 / n as f64) as u64;
    (quotient, at - quotient * n)
}

/// Where a ray that goes `reach` in `steps` steps is at a step: the whole part, and the rest in steps.
#[function]
fn place(reach: i64, step: i64, steps: i64) -> (f64, f64) {
    let (way, steps) = ((reach * step) as f64, steps as f64);
    let whole = (way / steps).floor();
    (whole, way - whole * steps)
}

/// Of a step of a ray: how far it goes in rows and columns, the step or its last one, its number of steps, and its place at the step along the
/// axis on which it goes less than a cell a step. A ray to the observer's own cell has a step that goes nowhere.
#[function]
fn along(rays: Rays, at: u64) -> ((i64, i64), (i64, i64), (f64, f64)) {
    let (before, ray) = parted(at, count(rays));
    let (down, right) = reach(rays, ray);
    let length = larger_of(down, right);
    let steps = if length > 0 { length } else { 1 };
    let wanted = before as i64 + 1;
    let step = if wanted < steps { wanted } else { steps };
    let steep = larger_of(down, 0) > larger_of(right, 0);
    ((down, right), (step, steps), place(if steep { right } else { down }, step, steps))
}

/// One of the two cells between which a ray passes at a step; of a ray that has ended its last one.
#[function]
pub(super) fn cell_at(#[param] rays: Rays, #[param] second: bool, at: u64) -> u64 {
    let ((down, right), (step, _), (whole, rest)) = along(rays, at);
    let steep = larger_of(down, 0) > larger_of(right, 0);
    let beside = whole as i64 + (if second && rest > 0.0 { 1 } else { 0 });
    let ahead = if (if steep { down } else { right }) < 0 { -step } else { step };
    // Of a ray that goes nowhere neither is ahead.
    let ahead = if down == 0 && right == 0 { 0 } else { ahead };
    let row = rays.row as i64 + (if steep { ahead } else { beside });
    let column = rays.column as i64 + (if steep { beside } else { ahead });
    (row * (rays.raster.columns as i64) + column) as u64
}

/// The slope from the observer to what a ray passes at a step.
#[function]
pub(super) fn slope_at(#[param] rays: Rays, a: f32, b: f32, ground: f32, at: u64) -> f32 {
    let ((down, right), (step, steps), (_, rest)) = along(rays, at);
    let altitude = a as f64 + (b as f64 - a as f64) * (rest / steps as f64);
    let (y, x) = (down as f64 * rays.raster.dy, right as f64 * rays.raster.dx);
    let d = (x * x + y * y).sqrt() * (step as f64) / steps as f64;
    let slope = ((altitude - ground as f64) - rays.observer - rays.drop * d * d) / d;
    let ended = at >= steps as u64 * count(rays);
    if ended || slope.is_nan() { f32::NEG_INFINITY } else { slope as f32 }
}

/// How far a cell is from the observer, in rows and columns.
#[function]
pub(super) fn offset(rays: Rays, cell: u64) -> (i64, i64) {
    let (row, column) = parted(cell, rays.raster.columns);
    (row as i64 - rays.row as i64, column as i64 - rays.column as i64)
}

/// `a b / c` to the nearest whole number, of which `b` is not below and `c` above 0.
#[function]
fn scaled(a: i64, b: i64, c: i64) -> i64 {
    let positive = (((if a < 0 { -a } else { a }) * b * 2 + c) as f64 / (2 * c) as f64).floor() as i64;
    if a < 0 { -positive } else { positive }
}

/// Where the slopes of the ray that passes nearest to a cell are at the step before it.
#[function]
pub(super) fn before_cell(#[param] rays: Rays, cell: u64) -> u64 {
    let (down, right) = offset(rays, cell);
    let (rows, columns) = (rays.raster.rows as i64, rays.raster.columns as i64);
    let rows_left = if down > 0 { rows - 1 - rays.row as i64 } else { rays.row as i64 };
    let columns_left = if right > 0 { columns - 1 - rays.column as i64 } else { rays.column as i64 };
    let (height, width) = (if down < 0 { -down } else { down }, if right < 0 { -right } else { right });
    // The ray leaves at the top or bottom if there it needs less of its length than at a side.
    let vertical = height > 0 && (width == 0 || rows_left * width <= columns_left * height);
    let (row, column) = if vertical {
        (if down > 0 { rows - 1 } else { 0 }, rays.column as i64 + scaled(right, rows_left, height))
    } else {
        let of = if width > 0 { width } else { 1 };
        (rays.row as i64 + scaled(down, columns_left, of), if right > 0 { columns - 1 } else { 0 })
    };
    let step = larger_of(down, right);
    // Next to the observer there is nothing before a cell.
    if step > 1 { (step - 2) as u64 * count(rays) + ray_to(rays, row, column) } else { 0 }
}

/// How far away a cell is.
#[function]
pub(super) fn distance(rays: Rays, cell: u64) -> f64 {
    let (down, right) = offset(rays, cell);
    let (y, x) = (down as f64 * rays.raster.dy, right as f64 * rays.raster.dx);
    (x * x + y * y).sqrt()
}
