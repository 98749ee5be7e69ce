use upsweep::operator::function;

#[function]
fn transcendental(x: f32) -> f32 {
    let y = x.sinh();
    y.log10()
}

#[function]
fn unknown(x: u32) -> u32 {
    let y = x.checked_add(1);
    let z = x.clone();
    let w: u64 = x.into();
    z.frobnicate()
}

#[function]
fn wrong_count(x: f32) -> f32 {
    x.max()
}

#[function]
fn constructor(x: f32) -> f32 {
    let y = String::new();
    u32::checked_add(1, 2);
    x
}

#[function]
fn called_value(x: f32) -> f32 {
    x(1.0)
}

fn main() {}
