use upsweep::prelude::*;

// Kinds of inputs whose values a builder does not take: columns side by side have no order and no arithmetic of their
// own, and flags are no numbers.
fn values(device: &Device, price: &[f32], stock: &[u32], out: &mut [u32]) {
    let _ = TopK::largest(1).run(device, (price, stock), out);
    let _ = Nth::median().run_to_vec(device, (price, stock));
    let _ = Unique::new().run_to_vec(device, Neighbours::of(stock));
    let _ = Search::lower(stock).run(device, (price, stock), out);
    let _ = Recurrence::new(&[1u32], &[1]).run_to_vec(device, (price, stock));
    let _ = MovingSum::new([1, 1, 8, 1]).columns(1, 1).run_to_vec(device, Bits::of(stock, 8));
    let _ = Histogram::even(0.0..=9.0, 10).run(device, (price, stock), out);
    let _ = Expand::new().run(device, Bits::of(stock, 8), out);
}

// Calls that take buffers alone.
fn buffers(device: &Device, x: &[f64], out: &mut [f64]) {
    let _ = Tridiagonal::new(x, x, x).run(device, &Repeat(1.0), out);
    let _ = RangeHistogram::build(device, &(0..3u32));
    let _ = Scan::new(Sum).segments(Segments::Keys(&(0..3u32))).run(device, x, out);
}

fn main() {}
