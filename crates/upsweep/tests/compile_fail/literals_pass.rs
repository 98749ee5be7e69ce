use upsweep::operator::function;

#[function]
fn typed(x: u32) -> u32 {
    let y = 0u32;
    let z: f32 = 2.5;
    let t: (u32, u8) = (x, 1);
    let a = [1, x, 3];
    let b = [0u32; 4];
    let n = if x > 1 { 2 } else { x };
    let s: u32 = 1 + 2;
    y + z as u32 + t.0 + a[1] + b[3] + n + s + (1 << 2)
}

pub(crate) fn main() {
    assert_eq!(typed(5), 5 + 2 + 5 + 2 + 3 + 4);
}
