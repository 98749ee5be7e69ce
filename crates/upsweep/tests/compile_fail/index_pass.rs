use upsweep::operator::function;

#[function]
fn clamped(x: [u32; 3], i: usize) -> u32 {
    x[i] * 10 + x[2]
}

pub(crate) fn main() {
    assert_eq!(clamped([1, 2, 3], 1), 23);
    assert_eq!(clamped([1, 2, 3], 100), 33);
}
