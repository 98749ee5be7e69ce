use upsweep::operator::Element;

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Inner<T> {
    x: T,
    y: [T; 2],
}

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C, align(16))]
struct Outer {
    inner: Inner<f64>,
    flag: bool,
    tuple: (u8, u32),
}

pub(crate) fn main() {
    let value = Outer { inner: Inner { x: f64::NAN, y: [1.0, -f64::NAN] }, flag: true, tuple: (1, 2) };
    assert_eq!(value.canonical().inner.y[1].to_bits(), f64::NAN.to_bits());
    assert!(!value.equals(value));
}
