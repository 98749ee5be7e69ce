use upsweep::operator::function;

#[function]
fn plain(x: u32) -> u32 {
    x
}

#[function]
fn converted(x: u32, y: f32) -> f32 {
    plain(x) as f32 + y
}

#[function]
fn negative(x: u32) -> u32 {
    x.wrapping_neg()
}

#[function]
fn nonzero(x: u32) -> bool {
    x != 0
}

pub(crate) fn main() {
    assert_eq!(converted(2, 0.5), 2.5);
    assert_eq!(negative(1), u32::MAX);
    assert!(nonzero(3));
}
