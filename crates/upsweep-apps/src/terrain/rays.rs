//! Rays from a cell to all cells at the border of a raster.
//!
//! A ray goes by steps of one row or one column, whichever is more of them. Between two cells, its altitude is
//! interpolated. Rays are numbered clockwise from the upper left: along the top, down the right side, back along the
//! bottom, up the left side.
//!
//! Values along rays are stored step by step: step `s`, counted from 1, of ray `r` at `(s - 1) * rays + r`.
//! Neighbouring rays read neighbouring cells. So do neighbouring steps of a ray along a row; a device keeps their cells
//! for the few steps that it computes at once.
//!
//! Constants of a ray are computed once for each ray. Quotients of whole numbers are products with reciprocals in
//! `f64`: half of one is added before they are rounded down, which is far more than `f64` errs by.

use super::raster::Raster;
use upsweep::prelude::*;

/// Rays from an observer's cell to the border of a raster.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Rays {
    pub(super) raster: Raster,
    pub(super) row: i32,
    pub(super) column: i32,
    /// Reciprocal of the number of the raster's columns.
    inverse: f64,
    /// Distance by which the earth's curvature lowers a point at the distance 1. It grows with the square of the
    /// distance.
    pub(super) drop: f64,
    /// Height of the observer's eye over the ground.
    pub(super) observer: f64,
}

/// Constants of a ray, which are the same at all of its steps.
#[derive(Element, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(super) struct Ray {
    /// Number of steps (of one row or one column) from the observer's cell to the ray's end; 0 if the end is that cell.
    steps: i32,
    /// Difference of the cells' indices by one step along the axis on which a step goes one cell.
    ahead: i32,
    /// Fraction of a cell that a step goes along the other axis; `length` is the length of a step.
    aside: f64,
    length: f64,
    /// Altitude of the ground in the observer's cell.
    ground: f64,
}

impl Rays {
    pub(super) fn new(raster: Raster, row: usize, column: usize, drop: f64, observer: f64) -> Self {
        let inverse = 1.0 / raster.columns as f64;
        Self { raster, row: row as i32, column: column as i32, inverse, drop, observer }
    }

    /// Shape of an array with a value for each step of each ray: the number of steps of the longest ray, and the number
    /// of rays.
    pub(super) fn shape(&self) -> [usize; 2] {
        let Raster { rows, columns, .. } = self.raster;
        let longest = |from: i32, n: u64| (from as u64).max(n - 1 - from as u64);
        [longest(self.row, rows).max(longest(self.column, columns)) as usize, count(*self) as usize]
    }

    /// Layout of an array with the values of all rays to the border.
    pub(super) fn along(&self) -> Along {
        let rays = count(*self);
        self.along_of(rays)
    }

    /// Layout of an array with the values of this number of rays.
    pub(super) fn along_of(&self, rays: u64) -> Along {
        Along { rays, inverse: 1.0 / rays as f64, cell: self.cell() as i64, columns: self.raster.columns as i32 }
    }

    /// Index of the observer's cell.
    pub(super) fn cell(&self) -> u64 {
        self.row as u64 * self.raster.columns + self.column as u64
    }
}

/// Layout of an array with a value for each step of each ray: the number of rays and its reciprocal, the index of the
/// cell they begin at, and the number of the raster's columns. Step s, counted from 1, of ray r is at `(s - 1) * rays +
/// r`.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Along {
    rays: u64,
    inverse: f64,
    cell: i64,
    columns: i32,
}

/// Number of rays: there is one to each cell at the border.
#[function]
fn count(rays: Rays) -> u64 {
    let (rows, columns) = (rays.raster.rows, rays.raster.columns);
    if rows > 1 && columns > 1 { 2 * (rows + columns) - 4 } else { rows * columns }
}

/// Distance from the observer's cell to the end of a ray, in rows (down) and columns (right).
#[function]
pub(super) fn reach(rays: Rays, ray: u64) -> (i32, i32) {
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
    (row as i32 - rays.row, column as i32 - rays.column)
}

/// Number of the ray that ends in the cell of the border in this row and column.
#[function]
fn ray_to(rays: Rays, row: i32, column: i32) -> u64 {
    let (row, column) = (row as i64, column as i64);
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
pub(super) fn larger_of(a: i32, b: i32) -> i32 {
    let (a, b) = (if a < 0 { -a } else { a }, if b < 0 { -b } else { b });
    if a > b { a } else { b }
}

/// Quotient of `at` by a divisor, rounded down; `inverse` is the divisor's reciprocal. The quotient is the number of a
/// step, a row or a column, so it is less than 2^31.
#[function]
fn quotient(at: u64, inverse: f64) -> u32 {
    ((at as f64 + 0.5) * inverse) as u32
}

/// Constants of the ray with the number `ray`, which ends at the border; `ground` is the altitude of the observer's
/// cell.
#[function]
pub(super) fn to_border(#[param] rays: Rays, ray: u64, ground: f32) -> Ray {
    let (down, right) = reach(rays, ray);
    toward(rays, down, right, ground)
}

/// Constants of a ray that ends `down` rows and `right` columns from the observer's cell. Rays to two cells in one
/// direction have equal lengths of a step and equal steps aside, to the last bit, as both are quotients of whole
/// numbers.
#[function]
pub(super) fn toward(rays: Rays, down: i32, right: i32, ground: f32) -> Ray {
    let length = larger_of(down, right);
    let steps = if length > 0 { length } else { 1 };
    let steep = larger_of(down, 0) > larger_of(right, 0);
    let (most, least) = if steep { (down, right) } else { (right, down) };
    let cells = if steep { rays.raster.columns as i32 } else { 1 };
    let ahead = if most < 0 { -cells } else { cells };
    Ray {
        steps: length,
        ahead: if length > 0 { ahead } else { 0 },
        aside: least as f64 / steps as f64,
        length: step_length(rays, down, right),
        ground: ground as f64,
    }
}

/// Number of the ray that the value with the index `at` belongs to.
#[function]
pub(super) fn ray_of(#[param] along: Along, at: u64) -> u64 {
    at - quotient(at, along.inverse) as u64 * along.rays
}

/// Returns three numbers for the value of `ray` with the index `at`: its step, which is the last one for a ray that has
/// ended; the number of whole cells that the ray is aside there; and the rest, the fraction of a cell that it is
/// further aside, 0 if it goes through a cell's centre. The distance aside is a fraction with the number of steps as
/// its denominator, so a rest of less than 2^-30 is an error of `f64`.
#[function]
fn place(along: Along, ray: Ray, at: u64) -> (i32, f64, f64) {
    let wanted = quotient(at, along.inverse) as i32 + 1;
    let step = if wanted < ray.steps { wanted } else { ray.steps };
    let aside = step as f64 * ray.aside;
    let whole = (aside + 1.0 / 1073741824.0).floor();
    let rest = aside - whole;
    (step, whole, if rest > 1.0 / 1073741824.0 { rest } else { 0.0 })
}

/// Index in the raster of the first, or the `second`, of the two cells between which `ray` passes at the step of the
/// value with the index `at`.
#[function]
pub(super) fn cell_at(#[param] along: Along, #[param] second: bool, ray: Ray, at: u64) -> u64 {
    cell_at_step(along, second, ray, at)
}

#[function]
fn cell_at_step(along: Along, second: bool, ray: Ray, at: u64) -> u64 {
    let (step, whole, rest) = place(along, ray, at);
    // Cells beside a ray that steps by columns are a row apart. With one column, rows are 1 apart, too, but no ray goes
    // aside.
    let beside: i32 = if ray.ahead == 1 || ray.ahead == -1 { along.columns } else { 1 };
    let cells = whole as i32 + (if second && rest > 0.0 { 1 } else { 0 });
    (along.cell + step as i64 * ray.ahead as i64 + cells as i64 * beside as i64) as u64
}

/// Slope from the observer to a point at the distance `d` that is `target` above an altitude. It is the one rule of
/// visibility, for rays and for cells.
#[function]
pub(super) fn slope(altitudes: (f32, f32), heights: (f64, f64), drop: f64, d: f64) -> f64 {
    let (altitude, ground) = altitudes;
    let (observer, target) = heights;
    ((altitude as f64 - ground as f64) - observer - drop * d * d + target) / d
}

/// Linear interpolation of two altitudes at the fraction `rest` of the way from `a` to `b`, rounded to `f32`.
#[function]
pub(super) fn between(a: f32, b: f32, rest: f64) -> f32 {
    (a as f64 + (b as f64 - a as f64) * rest) as f32
}

/// Slope from the observer to the altitude of a ray at the step of the value `at`; minus infinity where that is
/// unknown, and after the ray's end.
#[function]
pub(super) fn slope_at(
    #[param] along: Along,
    #[param] drop: f64,
    #[param] observer: f64,
    a: f32,
    b: f32,
    ray: Ray,
    at: u64,
) -> f64 {
    let (step, _, rest) = place(along, ray, at);
    let slope = slope((between(a, b, rest), ray.ground as f32), (observer, 0.0f64), drop, step as f64 * ray.length);
    let ended = quotient(at, along.inverse) >= ray.steps as u32;
    if ended || slope.is_nan() { f64::NEG_INFINITY } else { slope }
}

/// Altitude of a ray at the step of the value `at`, in a layout with one ray; `a` and `b` are the altitudes of the two
/// cells between which the ray passes.
#[function]
pub(super) fn altitude_at(#[param] along: Along, #[param] ray: Ray, a: f32, b: f32, at: u64) -> f32 {
    let (_, _, rest) = place(along, ray, at);
    between(a, b, rest)
}

/// Index of the first or the `second` of the two cells between which a ray passes at the step of the value `at`, in a
/// layout with one ray.
#[function]
pub(super) fn cell_of(#[param] along: Along, #[param] ray: Ray, #[param] second: bool, at: u64) -> u64 {
    cell_at_step(along, second, ray, at)
}

/// Distance of a cell from the observer's, in rows (down) and columns (right).
#[function]
pub(super) fn offset(rays: Rays, cell: u64) -> (i32, i32) {
    let row = quotient(cell, rays.inverse);
    let column = (cell - row as u64 * rays.raster.columns) as i32;
    (row as i32 - rays.row, column - rays.column)
}

/// `a b / c` rounded to the nearest whole number; `b` is at least 0, and `c` above 0.
#[function]
fn scaled(a: i32, b: i32, c: i32) -> i32 {
    let twice = (if a < 0 { -a } else { a }) as i64 * b as i64 * 2 + c as i64;
    let positive = (twice as f64 / (2.0 * c as f64)).floor() as i32;
    if a < 0 { -positive } else { positive }
}

/// Index of the steepest slope that a cell is compared with: on the ray that passes nearest to the cell, at the step
/// before it.
#[function]
pub(super) fn before_cell(#[param] rays: Rays, cell: u64) -> u64 {
    let (down, right) = offset(rays, cell);
    let (rows, columns) = (rays.raster.rows as i32, rays.raster.columns as i32);
    let rows_left = if down > 0 { rows - 1 - rays.row } else { rays.row };
    let columns_left = if right > 0 { columns - 1 - rays.column } else { rays.column };
    let (height, width) = (if down < 0 { -down } else { down }, if right < 0 { -right } else { right });
    // The ray ends at the top or bottom if it gets there with less of its length than to a side.
    let vertical = height > 0 && (width == 0 || rows_left as i64 * width as i64 <= columns_left as i64 * height as i64);
    // Where the ray ends, it is `aside * left / of` cells aside of the observer's column, or row.
    let (aside, left, of) = if vertical { (right, rows_left, height) } else { (down, columns_left, width) };
    let aside = scaled(aside, left, if of > 0 { of } else { 1 });
    let (row, column) = if vertical {
        (if down > 0 { rows - 1 } else { 0 }, rays.column + aside)
    } else {
        (rays.row + aside, if right > 0 { columns - 1 } else { 0 })
    };
    let step = if height > width { height } else { width };
    // A cell next to the observer has no step before it, and its value is not used.
    if step > 1 { (step - 2) as u64 * count(rays) + ray_to(rays, row, column) } else { 0 }
}

/// Length of a step on the line from the observer to the cell `down` rows and `right` columns from it.
#[function]
pub(super) fn step_length(rays: Rays, down: i32, right: i32) -> f64 {
    let length = larger_of(down, right);
    let steps = (if length > 0 { length } else { 1 }) as f64;
    let (y, x) = (down as f64 / steps * rays.raster.dy, right as f64 / steps * rays.raster.dx);
    (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the two cells between which a ray passes at a step, and the fraction of the way between them, computed
    /// with whole numbers.
    fn expected(rays: Rays, ray: u64, step: i64) -> ([u64; 2], f64) {
        let (down, right) = reach(rays, ray);
        let (down, right, length) = (i64::from(down), i64::from(right), i64::from(larger_of(down, right)));
        let (steps, step) = (length.max(1), step.min(length));
        let cell = |second: bool| {
            let along = |from: i32, reach: i64| {
                let (way, rest) = ((reach * step).div_euclid(steps), (reach * step).rem_euclid(steps));
                (i64::from(from) + way + i64::from(second && rest > 0)) as u64
            };
            along(rays.row, down) * rays.raster.columns + along(rays.column, right)
        };
        let rest = (down * step).rem_euclid(steps) + (right * step).rem_euclid(steps);
        ([cell(false), cell(true)], rest as f64 / steps as f64)
    }

    fn check(rows: usize, columns: usize, (row, column): (usize, usize), every: usize) {
        let rays = Rays::new(Raster::new(rows, columns), row, column, 0.0, 0.0);
        let ([steps, count], along) = (rays.shape(), rays.along());
        for ray in (0..count).step_by(every).chain([count - 1]) {
            let same = to_border(rays, ray as u64, 0.0);
            for step in (0..steps).step_by(every).chain(steps.checked_sub(1)) {
                let at = (step * count + ray) as u64;
                assert_eq!(ray_of(along, at), ray as u64, "value {at} of {rows} x {columns}");
                let (cells, rest) = expected(rays, ray as u64, step as i64 + 1);
                let found = [false, true].map(|second| cell_at(along, second, same, at));
                assert_eq!(found, cells, "ray {ray}, step {step} from ({row}, {column}) of {rows} x {columns}");
                assert!((place(along, same, at).2 - rest).abs() < 1e-9, "ray {ray}, step {step}");
                assert!(found.iter().all(|&cell| cell < (rows * columns) as u64));
            }
        }
    }

    #[test]
    fn rays_pass_between_the_cells_of_whole_numbers() {
        for (rows, columns) in (1..=7).flat_map(|rows| (1..=7).map(move |columns| (rows, columns))) {
            (0..rows * columns).for_each(|cell| check(rows, columns, (cell / columns, cell % columns), 1));
        }
        check(300, 400, (17, 311), 1);
        check(4096, 4096, (2048, 2047), 61);
        check(3, 1_000_003, (1, 499_999), 7919);
        check(1 << 20, 1 << 20, (12_345, 1 << 19), 104_729);
        check(1, 10_000_000, (0, 5), 999_983);
    }

    #[test]
    fn cells_lie_where_they_are() {
        for columns in [1usize, 2, 3, 7, 1000, 12_288, 99_991, 1 << 20] {
            let rays = Rays::new(Raster::new(1 << 20, columns), 3, 0, 0.0, 0.0);
            for row in [0u64, 1, 2, 7, 12_287, 99_990, (1 << 20) - 1] {
                for column in [0, columns as u64 / 2, columns as u64 - 1] {
                    assert_eq!(offset(rays, row * columns as u64 + column), (row as i32 - 3, column as i32));
                }
            }
        }
    }
}
