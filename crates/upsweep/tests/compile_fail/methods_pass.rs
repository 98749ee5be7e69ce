use upsweep::operator::function;

#[function]
fn methods(x: f32) -> f32 {
    x.max(1.0).sqrt().mul_add(2.0, x.floor())
}

#[function]
fn transcendental(x: f32) -> f32 {
    let t = x.exp_m1();
    let sinh = (t + t / (t + 1.0)) * 0.5;
    sinh.ln() * std::f32::consts::LOG10_E + f32::powf(x, 2.0) + x.atan2(1.0)
}

pub(crate) fn main() {
    assert_eq!(methods(4.5), 2.0 * 4.5f32.sqrt() + 4.0);
    let x = 1.25f32;
    assert!((transcendental(x) - (x.sinh().log10() + x * x + x.atan())).abs() < 1e-6);
}
