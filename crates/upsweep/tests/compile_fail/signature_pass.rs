use upsweep::operator::{Function, Number, Operator, function, operator};

#[operator(identity = 0)]
fn or_more(a: u32, b: u32) -> u32 {
    (a | b) + 0
}

#[function]
fn four(a: u8, b: u16, c: u32, d: u64) -> u64 {
    u64::from(a) + u64::from(b) + u64::from(c) + d
}

/// A struct of the name that the macro would choose.
struct Merge;

#[operator(name = Merged, identity = T::LOWEST)]
fn merge<T: Number>(a: T, b: T) -> T {
    a.max(b)
}

#[function(name = Halved)]
fn halve(#[param] by: u32, x: u32) -> u32 {
    merge::<u32>(x / by, 1)
}

pub(crate) fn main() {
    let _ = Merge;
    assert_eq!((Merged.combine(1, 2), Operator::<i8>::identity(&Merged)), (2, Some(-128)));
    assert_eq!((Halved { by: 2 }.call((7,)), halve(2, 1)), (3, 1));
    assert_eq!(OrMore.combine(1, 2), 3);
    assert_eq!(OrMore.identity(), Some(0));
    assert_eq!(four(1, 2, 3, 4), 10);
    let _ = Four;
}
