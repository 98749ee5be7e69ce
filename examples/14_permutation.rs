//! 14: elements at computed indices: the transpose of a matrix by a gather, and the inverse by a scatter.
//!
//! `cargo run --release -p upsweep --example 14_permutation`

use upsweep::prelude::*;

/// Index in a matrix of `rows` x `columns` of element `i` of the transposed matrix.
#[function]
fn transposed(#[param] rows: u64, #[param] columns: u64, i: u64) -> u64 {
    i % rows * columns + i / rows
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (device, rows, columns) = (Device::best()?, 3, 7);
    let n = rows * columns;
    let matrix: Vec<u32> = (0..n as u32).collect();
    let x = device.upload(&matrix)?;
    let places = || Apply(Transposed { rows, columns }, 0..n);
    let by_gather: Array<u32> = Transform::copy().run_to_array(&device, Gather::of(&x).at(places()))?;
    let mut back = device.filled(n as usize, 0u32)?;
    Transform::copy().run(&device, &by_gather, Scatter::to(&mut back).at(places()))?;

    let transposed = by_gather.to_vec()?;
    let show = |name: &str, matrix: &[u32], width: u64| {
        println!("{name}");
        for row in matrix.chunks(width as usize) {
            println!("{}", row.iter().map(|x| format!("{x:4}")).collect::<String>());
        }
    };
    show("matrix", &matrix, columns);
    show("transposed, by a gather", &transposed, rows);
    show("and back, by a scatter", &back.to_vec()?, columns);
    assert_eq!(back.to_vec()?, matrix);
    for (i, found) in transposed.into_iter().enumerate() {
        let (row, column) = (i as u64 % rows, i as u64 / rows);
        assert_eq!(u64::from(found), row * columns + column);
    }
    Ok(())
}
