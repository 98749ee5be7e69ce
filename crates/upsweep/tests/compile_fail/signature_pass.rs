use upsweep::operator::{Operator, function, operator};

#[operator(identity = 0)]
fn or_more(a: u32, b: u32) -> u32 {
    (a | b) + 0
}

#[function]
fn four(a: u8, b: u16, c: u32, d: u64) -> u64 {
    u64::from(a) + u64::from(b) + u64::from(c) + d
}

pub(crate) fn main() {
    assert_eq!(OrMore.combine(1, 2), 3);
    assert_eq!(OrMore.identity(), Some(0));
    assert_eq!(four(1, 2, 3, 4), 10);
    let _ = Four;
}
