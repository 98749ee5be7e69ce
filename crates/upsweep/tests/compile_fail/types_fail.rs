use upsweep::operator::function;

fn plain(x: u32) -> u32 {
    x
}

#[function]
fn mixed(x: u32, y: f32) -> f32 {
    x + y
}

#[function]
fn negative(x: u32) -> u32 {
    -x
}

#[function]
fn bits_of_a_float(x: f32) -> f32 {
    x & x
}

#[function]
fn root_of_an_integer(x: u32) -> u32 {
    x.sqrt()
}

#[function]
fn lossy(x: u64) -> u32 {
    u32::from(x)
}

#[function]
fn not_a_function(x: u32) -> u32 {
    plain(x)
}

#[function]
fn strange_cast(x: u32) -> bool {
    x as bool
}

#[function]
fn whole(x: std::num::NonZeroU8) -> std::num::NonZeroU8 {
    x
}

#[function]
fn sum_of_pairs(x: (u32, u32)) -> (u32, u32) {
    x + x
}

fn main() {}
