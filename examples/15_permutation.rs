//! 15: results at places that are computed: a permutation and its inverse, by scatter and by gather.
//!
//! `cargo run --release -p upsweep --example 15_permutation`

use upsweep::prelude::*;

/// Where element `i` of the transposed matrix lies in a matrix of `rows` x `columns`.
#[function]
fn transposed(#[param] rows: u64, #[param] columns: u64, i: u64) -> u64 {
    i % rows * columns + i / rows
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (device, rows, columns) = (Device::best()?, 300, 70);
    let n = rows * columns;
    let matrix: Vec<u32> = (0..n as u32).collect();
    let x = device.upload(&matrix)?;
    let places = || Apply(Transposed { rows, columns }, 0..n);
    // `Last` of everything up to an element is the element.
    let by_gather: Array<u32> = Scan::new(Last).run_to_array(&device, Gather::of(&x).at(places()))?;
    let mut back = device.filled(n as usize, 0u32)?;
    Scan::new(Last).run(&device, &by_gather, Scatter::to(&mut back).at(places()))?;

    assert_eq!(back.to_vec()?, matrix);
    let transposed = by_gather.to_vec()?;
    for (i, found) in transposed.into_iter().enumerate() {
        let (row, column) = (i as u64 % rows, i as u64 / rows);
        assert_eq!(u64::from(found), row * columns + column);
    }
    println!("{rows} x {columns} and back");
    Ok(())
}
