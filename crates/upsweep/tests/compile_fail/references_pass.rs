use upsweep::operator::{function, operator};

#[function]
fn takes_value(x: (u32, u32)) -> u32 {
    let (a, b) = x;
    a + b
}

#[operator]
fn values(a: u32, b: u32) -> u32 {
    let c = a;
    c + c + b
}

pub(crate) fn main() {
    assert_eq!(takes_value((1, 2)), 3);
    assert_eq!(values(1, 2), 4);
}
