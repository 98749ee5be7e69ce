//! 1: all prefix sums of an array. A scan turns steps into positions, amounts into a running total, lengths into
//! offsets.
//!
//! `cargo run --release -p upsweep --example 01_first_scan`

use upsweep::prelude::*;

fn main() -> upsweep::Result<()> {
    // A CUDA GPU if there is one, else every CPU core. The rest of the program is the same.
    let device = Device::best()?;

    let steps = device.upload(&[3u32, 1, 7, 0, 4, 1, 6, 3])?;
    let reached = device.inclusive_scan(&steps, Sum)?;
    println!("steps      {:?}", steps.to_vec()?);
    println!("reached    {:?}", reached.to_vec()?);
    assert_eq!(reached.to_vec()?, [3, 4, 11, 11, 15, 16, 22, 25]);

    // An exclusive scan leaves each element itself out. If the elements are lengths of pieces, it returns their starts.
    let begins = device.exclusive_scan(&steps, Sum)?;
    println!("begins at  {:?}", begins.to_vec()?);
    assert_eq!(begins.to_vec()?, [0, 3, 4, 11, 11, 15, 16, 22]);

    // Scan with another operator: the highest element so far.
    let highest = device.inclusive_scan(&steps, Max)?;
    println!("highest    {:?}", highest.to_vec()?);
    assert_eq!(highest.to_vec()?, [3, 3, 7, 7, 7, 7, 7, 7]);

    // On the CPU, slices and vectors are read and written as they are. `Scan` has every option.
    let x = [3u32, 1, 7, 0, 4, 1, 6, 3];
    let mut left = [0u32; 8];
    Scan::new(Sum).reverse().run(&Device::cpu(), &x, &mut left)?;
    println!("still left {left:?}");
    assert_eq!(left, [25, 22, 21, 14, 14, 10, 9, 3]);
    Ok(())
}
