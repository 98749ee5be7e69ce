//! Every construct that a body can contain.

use super::Check;
use super::sample::struct_sample;
use half::f16;
use upsweep::operator::{Element, Number, function, operator};

const MODULUS: u64 = 0xffff_fffb;
const WIDE: u128 = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210;
const ORIGIN: Affine = Affine { m: 1.5, c: -0.0 };

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Affine {
    m: f32,
    c: f32,
}
struct_sample! { Affine { m, c } }

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Pair<T> {
    class: T,
    r#for: T,
}
struct_sample! { Pair<T> { class, r#for } }

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Nested {
    flag: bool,
    line: Affine,
    counts: [u16; 3],
    pair: Pair<f64>,
    half: f16,
}
struct_sample! { Nested { flag, line, counts, pair, half } }

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Matrix([[u32; 2]; 2]);
struct_sample! { Matrix { 0 } }

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Point(f32, i64);
struct_sample! { Point { 0, 1 } }

/// x -> m*x + c, composed left to right.
#[operator(identity = Affine { m: 1.0, c: 0.0 })]
fn then(f: Affine, g: Affine) -> Affine {
    Affine { m: g.m * f.m, c: g.m * f.c + g.c }
}

#[operator(identity = Matrix([[1, 0], [0, 1]]))]
fn matrix_product(a: Matrix, b: Matrix) -> Matrix {
    let mut c = Matrix([[0u32; 2]; 2]);
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..2 {
                c.0[i][j] += a.0[i][k] * b.0[k][j];
            }
        }
    }
    c
}

#[operator(identity = 1)]
fn modular(a: u64, b: u64) -> u64 {
    (a as u128 * b as u128 % MODULUS as u128) as u64
}

#[operator]
fn nested_operator(a: Nested, b: Nested) -> Nested {
    let Nested { flag, line, mut counts, .. } = a;
    counts[1] += b.counts[2];
    counts[0] -= 1;
    let line = if flag { then(line, b.line) } else { Affine { m: 2.0, ..b.line } };
    let pair = Pair::<f64> { r#for: a.pair.class - b.pair.r#for, class: -1.5e-3 };
    Nested { pair, counts, flag: flag ^ b.flag, line, half: f16::from_f32(a.half.to_f32() * 0.5) }
}

#[operator]
fn pair_sum<T: Number>(a: Pair<T>, b: Pair<T>) -> Pair<T> {
    Pair { class: super::constructs::twice::<T>(a.class), r#for: b.r#for + T::ONE }
}

#[function]
fn twice<T: Number>(x: T) -> T {
    x + x
}

#[function]
fn collatz(n: u32) -> (u32, u8) {
    let mut x = n | 1;
    let mut steps = 0u8;
    for _ in 0..20 {
        if x != 1 {
            x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
            steps += 1;
        }
    }
    (x, steps)
}

#[function]
fn early((x, y): (i32, i32)) -> i32 {
    if x < 0 {
        return -1;
    } else if y < 0 {
        return y;
    }
    for i in 0..8i32 {
        if x & (1 << i) != 0 && y >> i & 1 == 0 {
            return i;
        }
    }
    { x.max(y) }
}

#[function]
fn inclusive((low, n): (u8, u8)) -> u32 {
    let mut total = 0u32;
    for i in low..=low.saturating_add(n & 7) {
        total += u32::from(i) * 3;
    }
    for i in (n & 3)..5 {
        total ^= (i as u32) << 5;
    }
    for i in 250..=u8::MAX {
        total += i as u32;
    }
    total
}

#[function]
fn values((x, y): (f32, f32)) -> f32 {
    let magnitude = if x < 0.0 { -x } else { x };
    let bounded = {
        let limit = if y > 10.0 { 10.0 } else { y };
        magnitude.min(limit)
    };
    let chosen: f32 = if bounded.is_nan() {
        0.5
    } else if bounded > 1e-3 {
        let mut t = 1.0f32;
        t *= bounded;
        t
    } else {
        f32::EPSILON
    };
    chosen * 2.0 + if x > y { 1.0 } else { -1.0 }
}

#[function]
fn literals((a, b, c, d): (u8, i64, u128, f64)) -> (u8, i64, u128, f64) {
    let small: u8 = 200 + 100 / 7;
    let big = 0xffff_ffff_ffff_ffff_ffffu128;
    let negative: i64 = -9_223_372_036_854_775_808;
    (a + small + b'x' + !0, b + negative * -1, c * 3 + big + WIDE, d * 0.1 - 1e300 + -2.5 + 1f64)
}

#[function]
fn constants((x, k): (Affine, f32)) -> (f32, f32, bool) {
    let o = ORIGIN;
    (x.m * o.m + o.c, k.max(f32::MIN_POSITIVE) * std::f32::consts::PI, x == ORIGIN || x != x)
}

#[function]
fn arrays((x, i): ([u16; 4], usize)) -> [u16; 4] {
    let mut y = [1, x[0], 3, x[3]];
    y[i] = x[i & 3];
    y[2] <<= 3;
    let z = [y[i % 5]; 4];
    let mut total = 0u16;
    for j in 0..4 {
        total = total.wrapping_add(y[j] ^ z[j]);
    }
    y[y[0] as usize & 3] += total;
    [y[3], y[2], total, if x == y { 1 } else { 0 }]
}

#[function]
fn tuples((a, (b, c)): (i16, (f32, bool))) -> ((i16, f32), bool) {
    let mut t = (a, b);
    t.0 -= 5;
    t.1 /= 3.0;
    let (p, q) = if c { t } else { (a, 0.25) };
    let (mut r, s): (i16, f32) = (7, q);
    r %= p;
    ((r, s), (a, b) == t)
}

#[function]
fn point_function((x, n): (f32, i64)) -> Point {
    let p = Point(x, n);
    let Point(y, m) = p;
    Point(y.abs(), m.wrapping_neg() + p.1.pow(3))
}

#[function]
fn shadows(x: u32) -> u32 {
    let x = x + 1;
    let y = {
        let x = x * 2;
        x + 1
    };
    let mut x = x ^ y;
    if x > 100 {
        let x = y;
        let add = x;
        return add;
    } else {
        x >>= 2u8;
    }
    x |= 0x80;
    x &= !1;
    x
}

#[function]
fn four(a: u8, b: u16, c: u32, d: bool) -> u64 {
    let low = u64::from(a) << 16 | u64::from(b);
    if d { low ^ u64::from(c) } else { !low }
}
#[function]
fn calls((a, b): (u8, u16)) -> u64 {
    four(a, b, 7, a > 3) + four(3, b, u32::MAX, true) + u64::max(1, 2)
}

#[function]
fn repeated<const N: usize>(x: [i32; N]) -> i32 {
    let mut sum = 0i32;
    for i in 0..N {
        sum += x[N - 1 - i] * (i as i32 + 1);
    }
    sum
}

/// Every case.
pub(crate) fn all(check: &mut impl Check) {
    check.operator::<Affine, _>("Then", Then);
    check.operator::<Matrix, _>("MatrixProduct", MatrixProduct);
    check.operator::<u64, _>("Modular", Modular);
    check.operator::<Nested, _>("Nested", NestedOperator);
    check.operator::<Pair<f32>, _>("PairSum f32", PairSum);
    check.operator::<Pair<u8>, _>("PairSum u8", PairSum);
    check.function::<i128, _, _>("Twice", Twice);
    check.function::<u32, _, _>("Collatz", Collatz);
    check.function::<(i32, i32), _, _>("Early", Early);
    check.function::<(u8, u8), _, _>("Inclusive", Inclusive);
    check.function::<(f32, f32), _, _>("Values", Values);
    check.function::<(u8, i64, u128, f64), _, _>("Literals", Literals);
    check.function::<(Affine, f32), _, _>("Constants", Constants);
    check.function::<([u16; 4], usize), _, _>("Arrays", Arrays);
    check.function::<(i16, (f32, bool)), _, _>("Tuples", Tuples);
    check.function::<(f32, i64), _, _>("Point", PointFunction);
    check.function::<u32, _, _>("Shadows", Shadows);
    check.function::<(u8, u16), _, _>("Calls", Calls);
    check.function::<[i32; 5], _, _>("Repeated 5", Repeated);
    check.function::<[i32; 2], _, _>("Repeated 2", Repeated);
}
