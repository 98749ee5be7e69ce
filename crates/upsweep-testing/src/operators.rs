//! Operators of the suite: none of them commutes, and each reveals one kind of mistake.

use crate::oracle::Rule;
use crate::random::Rng;
use crate::sample::Sample;
use upsweep::{Element, function, operator};

/// Implements [`Sample`] for a struct, field by field. With `odd` and `even` fields, the structs whose operators
/// multiply are invertible. Products of many other values would be 0 modulo a power of two, and would not show the
/// elements long before.
macro_rules! sample_struct {
    ($name:ident { $($field:ident),* } $(odd ($($odd:ident)*))? $(even $even:ident)?) => { impl Sample for $name {
        fn random(rng: &mut Rng) -> Self {
            #[allow(unused_mut, reason = "not every struct has fields that must be odd")]
            let mut x = Self { $($field: Sample::random(rng)),* };
            $($(x.$odd |= 1;)*)?
            $(x.$even &= !1;)?
            x
        }
        fn poison() -> Self {
            Self { $($field: Sample::poison()),* }
        }
        fn same(&self, other: &Self) -> bool {
            $(self.$field.same(&other.$field))&&*
        }
    } };
}

/// The recurrence step x -> m x + c over the integers modulo 2^32: 8 bytes.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Affine {
    pub m: u32,
    pub c: u32,
}
sample_struct! { Affine { m, c } odd (m) }

/// Composition: `f` and then `g`.
#[operator(identity = Affine { m: 1, c: 0 })]
pub fn then(f: Affine, g: Affine) -> Affine {
    Affine { m: g.m.wrapping_mul(f.m), c: g.m.wrapping_mul(f.c).wrapping_add(g.c) }
}

/// A range of indices, `from .. to`: 8 bytes. It reveals every element that is lost, repeated, out of order or
/// invented.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Span {
    pub from: u32,
    pub to: u32,
}
sample_struct! { Span { from, to } }

/// Joins two ranges if the second begins where the first ends. Otherwise the result is an invalid range, and so is
/// every result that contains it. It has no identity.
#[operator]
pub fn join(a: Span, b: Span) -> Span {
    if a.from <= a.to && b.from <= b.to && a.to == b.from {
        Span { from: a.from, to: b.to }
    } else {
        Span { from: 0xFFFF_FFFF, to: 0xFFFF_FFFE }
    }
}

/// A text by its length and its polynomial hash: 12 bytes.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Text {
    pub len: u32,
    pub power: u32,
    pub hash: u32,
}
sample_struct! { Text { len, power, hash } odd (power) }

/// Concatenation: `a` followed by `b`. It is used without an identity.
#[operator]
pub fn concat(a: Text, b: Text) -> Text {
    Text {
        len: a.len.wrapping_add(b.len),
        power: a.power.wrapping_mul(b.power),
        hash: a.hash.wrapping_mul(b.power).wrapping_add(b.hash),
    }
}

/// An upper triangular 2 x 2 matrix modulo 256: 3 bytes, a size that no vector load has.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Triangle {
    pub a: u8,
    pub b: u8,
    pub c: u8,
}
sample_struct! { Triangle { a, b, c } odd (a c) }

#[operator(identity = Triangle { a: 1, b: 0, c: 1 })]
pub fn triangle_product(x: Triangle, y: Triangle) -> Triangle {
    Triangle {
        a: x.a.wrapping_mul(y.a),
        b: x.a.wrapping_mul(y.b).wrapping_add(x.b.wrapping_mul(y.c)),
        c: x.c.wrapping_mul(y.c),
    }
}

/// A 2 x 2 matrix modulo 2^32: 16 bytes.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Matrix {
    pub a: u32,
    pub b: u32,
    pub c: u32,
    pub d: u32,
}
sample_struct! { Matrix { a, b, c, d } odd (a d) even b }

#[operator(identity = Matrix { a: 1, b: 0, c: 0, d: 1 })]
pub fn matrix_product(x: Matrix, y: Matrix) -> Matrix {
    Matrix {
        a: x.a.wrapping_mul(y.a).wrapping_add(x.b.wrapping_mul(y.c)),
        b: x.a.wrapping_mul(y.b).wrapping_add(x.b.wrapping_mul(y.d)),
        c: x.c.wrapping_mul(y.a).wrapping_add(x.d.wrapping_mul(y.c)),
        d: x.c.wrapping_mul(y.b).wrapping_add(x.d.wrapping_mul(y.d)),
    }
}

/// A recurrence step modulo 2^64 and the number of steps: 24 bytes, 4 of which are padding.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Steps {
    pub m: u64,
    pub c: u64,
    pub count: u32,
}
sample_struct! { Steps { m, c, count } odd (m) }

#[operator(identity = Steps { m: 1, c: 0, count: 0 })]
pub fn then_steps(f: Steps, g: Steps) -> Steps {
    Steps { m: g.m.wrapping_mul(f.m), c: g.m.wrapping_mul(f.c).wrapping_add(g.c), count: f.count.wrapping_add(g.count) }
}

/// A one-pass summary of a series: 40 bytes of mixed types. The first and last element make it order-sensitive.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Summary {
    pub sum: i64,
    pub least: i64,
    pub most: i64,
    pub rises: u32,
    pub first: i16,
    pub last: i16,
    pub any: bool,
}
sample_struct! { Summary { sum, least, most, rises, first, last, any } }

/// Summary of two neighbouring series, from the summary of each. It has no identity.
#[operator]
pub fn summarise(a: Summary, b: Summary) -> Summary {
    let rise = if b.first > a.last { 1u32 } else { 0u32 };
    Summary {
        sum: a.sum.wrapping_add(b.sum),
        least: a.least.min(b.least),
        most: a.most.max(b.most),
        rises: a.rises.wrapping_add(b.rises).wrapping_add(rise),
        first: a.first,
        last: b.last,
        any: a.any || b.any,
    }
}

/// A 2 x 2 matrix modulo 2^128: 64 bytes, the largest element.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Wide {
    pub a: u128,
    pub b: u128,
    pub c: u128,
    pub d: u128,
}
sample_struct! { Wide { a, b, c, d } odd (a d) even b }

#[operator(identity = Wide { a: 1, b: 0, c: 0, d: 1 })]
pub fn wide_product(x: Wide, y: Wide) -> Wide {
    Wide {
        a: x.a.wrapping_mul(y.a).wrapping_add(x.b.wrapping_mul(y.c)),
        b: x.a.wrapping_mul(y.b).wrapping_add(x.b.wrapping_mul(y.d)),
        c: x.c.wrapping_mul(y.a).wrapping_add(x.d.wrapping_mul(y.c)),
        d: x.c.wrapping_mul(y.b).wrapping_add(x.d.wrapping_mul(y.d)),
    }
}

/// Sums of values and of indices: a wrong index shows in the second sum.
#[operator(identity = (0, 0))]
pub fn add_pairs(a: (u32, u64), b: (u32, u64)) -> (u32, u64) {
    (a.0.wrapping_add(b.0), a.1.wrapping_add(b.1))
}

/// The recurrence step that triples and adds `x`, modulo 2^32: a map from one byte to eight.
#[function]
pub fn triple_and_add(x: u8) -> Affine {
    Affine { m: 3, c: x as u32 }
}

/// State of the recurrence that began at 1 after the steps `f`: a finish from eight bytes to two.
#[function]
pub fn from_one(f: Affine) -> u16 {
    f.m.wrapping_add(f.c) as u16
}

/// Rule of the operator [`Then`] with the map [`TripleAndAdd`] and the finish [`FromOne`]: inputs of one byte, eight
/// bytes combined, results of two bytes.
pub fn byte_steps() -> Rule<u8, Affine, u16> {
    Rule {
        map: |x, _| Affine { m: 3, c: u32::from(x) },
        combine: then,
        identity: Some(Affine { m: 1, c: 0 }),
        finish: |f| f.m.wrapping_add(f.c) as u16,
    }
}

/// A recurrence step made of an integer: a scan in place can map integers to steps, and finish with [`ConstantTerm`]
/// back to integers.
#[function]
pub fn step_by(x: u32) -> Affine {
    Affine { m: x | 1, c: x }
}

#[function]
pub fn constant_term(f: Affine) -> u32 {
    f.c
}

#[function]
pub fn square(x: i32) -> i64 {
    let wide = x as i64;
    wide.wrapping_mul(wide)
}

#[function]
pub fn low_byte(x: u64) -> u8 {
    x as u8
}

/// Combines an index and a value to one number: the finish of test cases with `enumerate`.
#[function]
pub fn flatten(x: (u32, u64)) -> u64 {
    x.1.wrapping_mul(1000).wrapping_add(x.0 as u64)
}

/// Equality of the quotients of two keys by `unit`: keys that are not `==` can be equal.
#[function]
pub fn same_unit(#[param] unit: u32, a: u32, b: u32) -> bool {
    a / unit == b / unit
}

/// Relation of neighbours that differ by at most 1: no equality, since it is not transitive.
#[function]
pub fn close(a: i32, b: i32) -> bool {
    a.abs_diff(b) <= 1u32
}
