use upsweep::operator::function;

#[function]
fn untyped_let(x: u32) -> u32 {
    let y = 0;
    let z = 2.5;
    let t = (x, 1);
    let a = [1, 2, 3];
    let b = [0; 4];
    x
}

#[function]
fn untyped_operations(x: u32) -> u32 {
    let y = 1 + 2;
    let c = 1 < 2;
    let m = 3.max(4);
    let n = if x > 1 { 2 } else { 3 };
    x
}

#[function]
fn not_numbers(x: u32) -> u32 {
    let y = "text";
    let z = 'c';
    x
}

fn main() {}
