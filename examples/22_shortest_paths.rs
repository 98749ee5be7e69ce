//! 22: a graph as a sparse matrix: breadth-first levels, shortest paths and page ranks, each by products over a
//! semiring.
//!
//! `cargo run --release -p upsweep-apps --example 22_shortest_paths`

use upsweep::prelude::*;
use upsweep_apps::graph::{Matrix, page_rank};

/// Distance of a vertex that no path reaches.
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
    // Grid of streets: a street along a row has length 2, along a column length 5. Row v of the matrix has the streets
    // that lead to v.
    let (rows, columns) = (20u32, 30u32);
    let n = rows * columns;
    let (mut to, mut from, mut weights) = (vec![], vec![], vec![]);
    for v in 0..n {
        let streets = [(v % columns + 1 < columns).then(|| (v + 1, 2u64)), (v + columns < n).then(|| (v + columns, 5))];
        for (other, weight) in streets.into_iter().flatten() {
            to.extend([v, other]);
            from.extend([other, v]);
            weights.extend([weight, weight]);
        }
    }
    let (to, from, weights) = (device.upload(&to)?, device.upload(&from)?, device.upload(&weights)?);
    let streets = Matrix::build(&device, (n as usize, n as usize), (&to, &from, &weights))?;

    let mut start = vec![FAR; n as usize];
    start[0] = 0;
    let (mut levels, mut paths) = (device.upload(&start)?, device.upload(&start)?);
    for _ in 0..rows + columns {
        let next = streets.product(&device, Min, OneMore, &levels)?;
        levels = Transform::new(Shorter).run_to_array(&device, (&levels, &next))?;
        let next = streets.product(&device, Min, Longer, &paths)?;
        paths = Transform::new(Shorter).run_to_array(&device, (&paths, &next))?;
    }
    for (v, (level, length)) in levels.to_vec()?.into_iter().zip(paths.to_vec()?).enumerate() {
        let (row, column) = (v as u64 / u64::from(columns), v as u64 % u64::from(columns));
        assert_eq!((level, length), (row + column, 5 * row + 2 * column));
    }

    println!("of every sixth vertex in every fifth row: streets from the corner, length of the shortest path");
    let (on_levels, on_paths) = (levels.to_vec()?, paths.to_vec()?);
    for row in (0..rows).step_by(5) {
        let at = (0..columns).step_by(6).map(|column| (row * columns + column) as usize);
        println!("{}", at.map(|v| format!("{:4} {:3}", on_levels[v], on_paths[v])).collect::<Vec<_>>().join(" |"));
    }

    let ranks = page_rank(&device, streets.rows(), 0.85, 1e-12, 1000)?;
    let mean = 1.0 / f64::from(n);
    let ranks = ranks.ranks.to_vec()?;
    let (corner, middle) = (ranks[0] / mean, ranks[n as usize / 2 + 15] / mean);
    assert!(corner < 0.9 && middle > 0.95, "{corner} {middle}");
    println!("page rank over the mean rank: {corner:.2} in the corner, {middle:.2} in the middle");
    Ok(())
}
