use upsweep::operator::function;

#[function]
fn halvings(x: u32) -> u32 {
    let mut y = x;
    for _ in 0..32 {
        if y > 1 {
            y /= 2;
        }
    }
    y
}

#[function]
fn backwards(x: [u32; 3]) -> u32 {
    let mut sum = 0u32;
    for i in 0..3 {
        sum = sum * 10 + x[2 - i];
    }
    sum
}

pub(crate) fn main() {
    assert_eq!(halvings(9), 1);
    assert_eq!(backwards([1, 2, 3]), 321);
}
