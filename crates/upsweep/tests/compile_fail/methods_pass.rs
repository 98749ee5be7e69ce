use upsweep::operator::function;

#[function]
fn methods(x: f32) -> f32 {
    x.max(1.0).sqrt().mul_add(2.0, x.floor())
}

pub(crate) fn main() {
    assert_eq!(methods(4.5), 2.0 * 4.5f32.sqrt() + 4.0);
}
