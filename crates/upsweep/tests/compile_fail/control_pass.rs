use upsweep::operator::function;

const ONE: u32 = 1;

#[function]
fn one_more(x: u32) -> u32 {
    x + ONE
}

#[function]
fn choices(x: u32) -> u32 {
    if x == 3 {
        return one_more(x);
    }
    let y = x + if x > 1 { 2u32 } else { 0 };
    if y == 0 { 1 } else { y }
}

pub(crate) fn main() {
    assert_eq!([choices(0), choices(3), choices(5)], [1, 4, 7]);
}
