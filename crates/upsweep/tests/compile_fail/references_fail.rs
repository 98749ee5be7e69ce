use upsweep::operator::{function, operator};

#[function]
fn takes_reference(x: &u32) -> u32 {
    *x
}

#[function]
fn takes_slice(x: [f32]) -> f32 {
    0.0
}

#[operator]
fn with_references(a: u32, b: u32) -> u32 {
    let c = &a;
    let d = *c;
    c + d + b
}

#[function]
fn with_ref_pattern(x: (u32, u32)) -> u32 {
    let (ref a, b) = x;
    b
}

#[function]
fn with_lifetime<'a>(x: u32) -> u32 {
    x
}

fn main() {}
