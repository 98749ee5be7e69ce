use upsweep::operator::function;

#[function]
fn from_inside(x: u32) -> u32 {
    let mut y = 0u32;
    let z = if x > 1 {
        y = 2;
        1
    } else {
        x
    };
    y + z
}

#[function]
fn several(x: u32) -> u32 {
    let mut a = x;
    let mut b = x;
    (a, b) = (b, a);
    a
}

#[function]
fn in_an_expression(x: u32) -> u32 {
    let mut a = x;
    let b = { a } + { a += 1; a };
    b
}

#[function]
fn immutable(x: u32) -> u32 {
    let a = x;
    a += 1;
    a
}

fn main() {}
