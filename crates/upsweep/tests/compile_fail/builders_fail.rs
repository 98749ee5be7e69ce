use upsweep::prelude::*;

/// A buffer that lies as an array of ndarray does.
struct Matrix(Vec<f32>);

fn closures(device: &Device, x: &[u32], out: &mut [u32]) {
    let _ = Scan::new(|a: u32, b: u32| a + b).run(device, x, out);
    let _ = Scan::new(Sum).map(|x: u32| x * x).run(device, x, out);
    let _ = Scan::new(Sum).finish(|x: u32| x / 2).run(device, x, out);
}

fn positions(device: &Device, x: &[u32], out: &mut [(u32, u64)]) {
    let _ = Reduce::new(ArgMax).run(device, x, out);
}

fn wider(device: &Device, x: &[u32], out: &mut [u64]) {
    let _ = Scan::new(Sum).run(device, x, out);
    let _ = Reduce::new(Sum).run(device, x, out);
}

fn not_wider(device: &Device, x: &[u64], out: &mut [u32]) {
    let _ = Scan::new(Sum).accumulate::<u32>().run(device, x, out);
}

fn other_buffers(device: &Device, x: &Matrix, out: &mut Matrix) {
    let _ = Scan::new(Sum).run(device, x, &mut [0.0f32; 4]);
    let _ = Scan::new(Sum).run(device, &[0.0f32; 4], out);
}

#[function]
fn cheap(price: f32, stock: u32) -> bool {
    price < 2.0 && stock > 0
}

fn choices(device: &Device, price: &[f32], stock: &[u32], out: &mut [u32]) {
    let _ = Select::new(|x: u32| x > 1).run(device, stock, out);
    // A predicate of other columns, and values of two columns in an output of one.
    let _ = Select::new(Cheap).indices().run(device, (stock, price), out);
    let _ = Select::new(Cheap).run(device, (price, stock), out);
    let _ = Select::new(Cheap).run(device, (price, stock), (&mut [0.0f32; 4], out));
    let _ = Sort::new().run(device, (price, stock), out);
}

fn main() {}
