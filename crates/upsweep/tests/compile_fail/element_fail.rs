use upsweep::operator::Element;

#[derive(Element, Clone, Copy)]
struct NoLayout {
    x: f32,
}

#[derive(Element, Clone, Copy)]
#[repr(C, packed)]
struct Packed {
    x: u8,
    y: u32,
}

#[derive(Element, Clone, Copy)]
#[repr(C)]
enum Choice {
    A,
    B,
}

#[derive(Element, Clone, Copy)]
#[repr(C)]
struct Empty;

#[derive(Element, Clone, Copy)]
#[repr(C)]
struct Borrowing<'a> {
    x: &'a f32,
}

#[derive(Element, Clone, Copy)]
#[repr(C)]
struct Numbers {
    x: std::num::NonZeroU8,
}

#[derive(Element, Clone, Copy)]
#[repr(C)]
struct Large {
    x: [f64; 8],
    y: u8,
}

#[derive(Element)]
#[repr(C)]
struct NotCopy {
    x: u8,
}

#[derive(Element, Clone, Copy)]
#[repr(C)]
struct OtherKey {
    #[key]
    x: [u8; 4],
}

#[derive(Element, Clone, Copy)]
#[repr(C)]
struct KeyWithMore {
    #[key(descending)]
    x: u8,
}

#[derive(Element, Clone, Copy)]
#[repr(C)]
struct Open<T> {
    #[key]
    x: u8,
    y: T,
}

fn main() {}
