use upsweep::operator::function;

#[function]
fn with_match(x: u32) -> u32 {
    match x {
        0 => 1,
        _ => x,
    }
}

#[function]
fn with_if_let(x: u32) -> u32 {
    if let 3 = x { 1 } else { 2 }
}

#[function]
fn with_closure(x: u32) -> u32 {
    let f = |y: u32| y + 1;
    f(x)
}

#[function]
fn with_macro(x: u32) -> u32 {
    assert!(x > 0);
    debug_assert_eq!(x, 1);
    x
}

#[function]
fn with_unsafe(x: u32) -> u32 {
    let y = unsafe { std::mem::transmute::<u32, f32>(x) };
    y as u32
}

#[function]
fn with_option(x: u32) -> u32 {
    let y = Some(x);
    let z = y?;
    const ONE: u32 = 1;
    z + ONE
}

#[function]
fn without_else(x: u32) -> u32 {
    let y = x + if x > 1 { 2u32 };
    y
}

#[function]
fn hidden_return(x: u32) -> u32 {
    let y = if x > 1 { return 3 } else { 2u32 };
    y
}

fn main() {}
