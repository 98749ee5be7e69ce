use upsweep::operator::{function, operator};

#[operator]
fn three(a: u32, b: u32, c: u32) -> u32 {
    a + b + c
}

#[operator]
fn two_types(a: u32, b: u64) -> u32 {
    a
}

#[operator]
fn other_output(a: u32, b: u32) -> u64 {
    u64::from(a)
}

#[operator(identify = 0)]
fn misspelt(a: u32, b: u32) -> u32 {
    a + b
}

#[function(fast)]
fn arguments(a: u32) -> u32 {
    a
}

#[function]
fn no_output(a: u32) {}

#[function]
fn nothing() -> u32 {
    1
}

#[function]
async fn later(a: u32) -> u32 {
    a
}

#[function]
unsafe fn dangerous(a: u32) -> u32 {
    a
}

#[function]
fn Upper(a: u32) -> u32 {
    a
}

#[function]
struct NotAFunction;

#[function(name = same)]
fn same(a: u32) -> u32 {
    a
}

#[function(identity = 0)]
fn with_identity(a: u32) -> u32 {
    a
}

#[operator(name = Named, identity = 0, name)]
fn option_without_value(a: u32, b: u32) -> u32 {
    a + b
}

struct Owner;

impl Owner {
    #[function]
    fn method(self, a: u32) -> u32 {
        a
    }

    #[operator]
    fn of_own_type(a: Self, b: Self) -> Self {
        a
    }
}

fn main() {}
