//! 13: a gather as an input: a sparse matrix in compressed rows (CSR) times a vector, by one segmented reduction.
//!
//! `cargo run --release -p upsweep --example 13_sparse_product`

use upsweep::prelude::*;

#[function]
fn times(a: f64, x: f64) -> f64 {
    a * x
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    // 1,000 rows of 0 to 6 values each. The exclusive scan of the rows' lengths is the rows' offsets.
    let lengths: Vec<u32> = (0..1000).map(|row| row * 7 % 13 % 7).collect();
    let offsets: Vec<u32> = Scan::new(Sum).exclusive().with_total().run_to_vec(&Device::cpu(), &lengths)?;
    let n = offsets[1000];
    let columns: Vec<u32> = (0..n).map(|i| i * 7919 % 500).collect();
    let values: Vec<f64> = (0..n).map(|i| f64::from(i % 10) - 4.5).collect();
    let x: Vec<f64> = (0..500).map(|i| f64::from(i).sqrt()).collect();

    let (a, c, v) = (device.upload(&values)?, device.upload(&columns)?, device.upload(&x)?);
    let (rows, mut y) = (device.upload(&offsets)?, device.filled(1000, 0.0f64)?);
    let product = Reduce::new(Sum).map(Times).segments(Segments::Offsets(&rows));
    product.run(&device, (&a, Gather::of(&v).at(&c)), &mut y)?;

    println!("row  values of the row x elements of the vector");
    for (row, found) in y.to_vec()?.into_iter().enumerate() {
        let range = offsets[row] as usize..offsets[row + 1] as usize;
        let expected: f64 = range.clone().map(|i| values[i] * x[columns[i] as usize]).sum();
        assert!((found - expected).abs() < 1e-9, "row {row}: {found}, not {expected}");
        if (3..8).contains(&row) {
            let terms: Vec<String> = range.map(|i| format!("{} x v[{}]", values[i], columns[i])).collect();
            println!("{row:3}  {found:8.3} = {}", terms.join(" + "));
        }
    }
    println!("{n} values in 1,000 rows");
    Ok(())
}
