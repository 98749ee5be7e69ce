//! 22: a graph as a sparse matrix: levels from a vertex, shortest ways and page ranks, each by products over a semiring.
//!
//! `cargo run --release -p upsweep-apps --example 22_ways`

use upsweep::prelude::*;
use upsweep_apps::graph::{Matrix, page_rank};

/// No way.
const FAR: u64 = u64::MAX;

#[function]
fn one_more(_weight: u64, distance: u64) -> u64 {
    distance.saturating_add(1)
}

#[function]
fn longer(weight: u64, distance: u64) -> u64 {
    distance.saturating_add(weight)
}

#[function]
fn shorter(a: u64, b: u64) -> u64 {
    a.min(b)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    // A grid of streets, of which those along a row are short; as a matrix, each row says from where one comes.
    let (rows, columns) = (20u32, 30u32);
    let n = rows * columns;
    let (mut to, mut from, mut weights) = (vec![], vec![], vec![]);
    for v in 0..n {
        let beside = [(v % columns + 1 < columns).then(|| (v + 1, 2u64)), (v + columns < n).then(|| (v + columns, 5))];
        for (other, weight) in beside.into_iter().flatten() {
            to.extend([v, other]);
            from.extend([other, v]);
            weights.extend([weight, weight]);
        }
    }
    let (to, from, weights) = (device.upload(&to)?, device.upload(&from)?, device.upload(&weights)?);
    let streets = Matrix::build(&device, (n as usize, n as usize), (&to, &from, &weights))?;

    let mut start = vec![FAR; n as usize];
    start[0] = 0;
    let (mut levels, mut ways) = (device.upload(&start)?, device.upload(&start)?);
    for _ in 0..rows + columns {
        let next = streets.product(&device, Min, OneMore, &levels)?;
        levels = Transform::new(Shorter).run_to_array(&device, (&levels, &next))?;
        let next = streets.product(&device, Min, Longer, &ways)?;
        ways = Transform::new(Shorter).run_to_array(&device, (&ways, &next))?;
    }
    for (v, (level, way)) in levels.to_vec()?.into_iter().zip(ways.to_vec()?).enumerate() {
        let (row, column) = (v as u64 / u64::from(columns), v as u64 % u64::from(columns));
        assert_eq!((level, way), (row + column, 5 * row + 2 * column));
    }

    let ranks = page_rank(&device, streets.rows(), 0.85, 1e-12, 1000)?;
    let mean = 1.0 / f64::from(n);
    let (corner, middle) = (ranks.ranks.to_vec()?[0] / mean, ranks.ranks.to_vec()?[n as usize / 2 + 15] / mean);
    assert!(corner < 0.9 && middle > 0.95, "{corner} {middle}");
    println!(
        "to the far corner: {} streets; ranks after {} steps: corner {corner:.2}, middle {middle:.2}",
        rows + columns - 2,
        ranks.steps
    );
    Ok(())
}
