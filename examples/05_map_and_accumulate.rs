//! 5: a function before the operator (map) and after it (finish), and sums in a wider type. None of these options takes
//! another pass over memory.
//!
//! `cargo run --release -p upsweep --example 05_map_and_accumulate`

use upsweep::prelude::*;

#[function]
fn square(x: f32) -> f32 {
    x * x
}

#[function]
fn square_root(x: f32) -> f32 {
    x.sqrt()
}

/// Sum of numbers, and their count.
#[operator(identity = (0.0, 0))]
fn add_and_count(a: (f64, u32), b: (f64, u32)) -> (f64, u32) {
    (a.0 + b.0, a.1 + b.1)
}

#[function]
fn counted(x: u8) -> (f64, u32) {
    (x as f64, 1)
}

#[function]
fn mean(x: (f64, u32)) -> f64 {
    x.0 / x.1 as f64
}

fn main() -> upsweep::Result<()> {
    let device = Device::best()?;

    // Length (norm) of each prefix of a vector: square, add, square root.
    let x = device.upload(&[3.0f32, 4.0, 12.0, 84.0])?;
    let norms = Scan::new(Sum).map(Square).finish(SquareRoot).run_to_array(&device, &x)?.to_vec()?;
    println!("norms          {norms:?}");
    assert_eq!(norms, [3.0, 5.0, 13.0, 85.0]);

    // A sum of bytes wraps in a byte, unless it is accumulated in a wider type.
    let bytes = device.upload(&[200u8, 100, 50, 250])?;
    let wrapped = device.inclusive_scan(&bytes, Sum)?.to_vec()?;
    let wide = Scan::new(Sum).accumulate::<u64>().run_to_array(&device, &bytes)?.to_vec()?;
    println!("in bytes       {wrapped:?}\nin 64 bits     {wide:?}");
    assert_eq!(wrapped, [200, 44, 94, 88]);
    assert_eq!(wide, [200, 300, 350, 600]);

    // Running mean: from bytes to pairs to floats. Each byte is read once.
    let means = Scan::new(AddAndCount).map(Counted).finish(Mean).run_to_array(&device, &bytes)?.to_vec()?;
    println!("mean so far    {means:?}");
    assert_eq!(means, [200.0, 150.0, 350.0 / 3.0, 150.0]);

    // Compensated sum: it carries the rounding errors along.
    let x = device.upload(&[1.0f64, 1e100, -1e100, 1.0])?;
    let exact = Reduce::new(CompensatedSum).map(Compensate).finish(Rounded).run_to_host(&device, &x)?;
    println!("compensated    {exact}, plain {}", device.reduce(&x, Sum)?);
    assert_eq!(exact, 2.0);
    Ok(())
}
