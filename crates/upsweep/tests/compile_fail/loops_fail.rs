use upsweep::operator::function;

#[function]
fn with_while(x: u32) -> u32 {
    let mut y = x;
    while y > 1 {
        y /= 2;
    }
    y
}

#[function]
fn with_loop(x: u32) -> u32 {
    loop {
        return x;
    }
}

#[function]
fn with_break(x: u32) -> u32 {
    for i in 0..4u32 {
        if i > x {
            break;
        }
        if i == x {
            continue;
        }
    }
    x
}

#[function]
fn over_an_array(x: [u32; 3]) -> u32 {
    let mut sum = 0u32;
    for y in x {
        sum += y;
    }
    for i in (0..3).rev() {
        sum += x[i];
    }
    for i in 1.. {
        sum += i;
    }
    sum
}

fn main() {}
