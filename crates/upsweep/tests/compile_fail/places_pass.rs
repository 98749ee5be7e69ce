use upsweep::operator::function;

#[function]
fn statements(x: u32) -> u32 {
    let mut y = 0u32;
    if x > 1 {
        y = 2;
    }
    let mut a = [x, y];
    let t = a[0];
    a[0] = a[1];
    a[1] = t;
    a[0] * 10 + a[1]
}

pub(crate) fn main() {
    assert_eq!(statements(3), 23);
}
