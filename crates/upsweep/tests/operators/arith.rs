//! Results of operations inside operators, against Rust's own arithmetic.

use crate::cases::{Sample, samples};
use half::{bf16, f16};
use upsweep::operator::builtin::*;
use upsweep::operator::{Element, Function, Operator, arith, check_laws_within};

const INPUTS: usize = 20_000;

fn pairs<T: Sample>() -> Vec<(T, T)> {
    samples(1, INPUTS)
}

#[test]
fn integers_wrap_and_never_panic() {
    macro_rules! check {
        ($($t:ident)*) => { $(for (a, b) in pairs::<$t>() {
            assert_eq!(arith::add(a, b), a.wrapping_add(b));
            assert_eq!(arith::sub(a, b), a.wrapping_sub(b));
            assert_eq!(arith::mul(a, b), a.wrapping_mul(b));
            assert_eq!(arith::div(a, b), a.checked_div(b).unwrap_or(if b == 0 { 0 } else { a }));
            assert_eq!(arith::rem(a, b), a.checked_rem(b).unwrap_or(if b == 0 { a } else { 0 }));
            assert_eq!(arith::div_euclid(a, b), a.checked_div_euclid(b).unwrap_or(if b == 0 { 0 } else { a }));
            assert_eq!(arith::rem_euclid(a, b), a.checked_rem_euclid(b).unwrap_or(if b == 0 { a } else { 0 }));
            assert_eq!(arith::shl(a, b), a.wrapping_shl(b as u32));
            assert_eq!(arith::shr(a, b), a.wrapping_shr(b as u32));
            assert_eq!(arith::pow(a, b as u32 & 31), a.wrapping_pow(b as u32 & 31));
            assert_eq!((arith::min(a, b), arith::max(a, b)), (a.min(b), a.max(b)));
            assert_eq!((arith::minimum(a, b), arith::maximum(a, b)), (a.min(b), a.max(b)));
            assert_eq!(arith::clamp(a, 3, 9), a.clamp(3, 9));
            assert_eq!((arith::bit_and(a, b), arith::bit_or(a, b)), (a & b, a | b));
            assert_eq!((arith::bit_xor(a, b), arith::bit_not(a)), (a ^ b, !a));
            assert_eq!((arith::lt(a, b), arith::le(a, b), arith::eq(a, b)), (a < b, a <= b, a == b));
            assert_eq!((arith::gt(a, b), arith::ge(a, b), arith::ne(a, b)), (a > b, a >= b, a != b));
            assert_eq!(arith::saturating_add(a, b), a.saturating_add(b));
            assert_eq!(arith::saturating_sub(a, b), a.saturating_sub(b));
            assert_eq!(arith::abs_diff(a, b), a.abs_diff(b));
            assert_eq!(arith::wrapping_neg(a), a.wrapping_neg());
            assert_eq!(arith::rotate_left(a, b as u32), a.rotate_left(b as u32));
            assert_eq!(arith::swap_bytes(a), a.swap_bytes());
            assert_eq!(arith::reverse_bits(a), a.reverse_bits());
            assert_eq!(arith::cast::<_, f32>(a).to_bits(), (a as f32).to_bits());
            assert_eq!(arith::cast::<_, i8>(a), a as i8);
        })* };
    }
    check! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
}

#[test]
fn extremes_of_signed_integers() {
    assert_eq!(arith::div(i32::MIN, -1), i32::MIN);
    assert_eq!(arith::rem(i32::MIN, -1), 0);
    assert_eq!(arith::neg(i8::MIN), i8::MIN);
    assert_eq!(arith::abs(i128::MIN), i128::MIN);
    assert_eq!(arith::signum(-7i64), -1);
    assert_eq!(arith::shl(1u8, 9), 2);
    assert_eq!(arith::cast::<_, u8>(300.0f32), 255);
    assert_eq!(arith::cast::<_, i64>(f64::NAN), 0);
}

/// Whether both are the same number, or both NaN; zeros by their signs.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[test]
fn floats_round_once() {
    macro_rules! check {
        ($($t:ident $wide:ident $to:expr, $from:expr;)*) => { $(for (a, b) in pairs::<$t>() {
            let (to, from): (fn($t) -> $wide, fn($wide) -> $t) = ($to, $from);
            let (x, y) = (to(a), to(b));
            let like = |ours: $t, wide: $wide| {
                assert!(same(to(ours) as f64, to(from(wide)) as f64), "{a} {b}: {ours} is not {wide}");
            };
            like(arith::add(a, b), x + y);
            like(arith::sub(a, b), x - y);
            like(arith::mul(a, b), x * y);
            like(arith::div(a, b), x / y);
            like(arith::rem(a, b), x % y);
            like(arith::sqrt(a), x.sqrt());
            like(arith::floor(a), x.floor());
            like(arith::ceil(a), x.ceil());
            like(arith::trunc(a), x.trunc());
            like(arith::round(a), x.round());
            like(arith::fract(a), x.fract());
            like(arith::recip(a), x.recip());
            like(arith::abs(a), x.abs());
            like(arith::neg(a), -x);
            like(arith::mul_add(a, b, a), x.mul_add(y, x));
            like(arith::rem_euclid(a, b), x.rem_euclid(y));
            like(arith::div_euclid(a, b), x.div_euclid(y));
            assert_eq!(arith::is_nan(a), x.is_nan());
            assert_eq!((arith::is_finite(a), arith::is_infinite(a)), (x.is_finite(), x.is_infinite()));
            assert_eq!((arith::lt(a, b), arith::eq(a, b), arith::ne(a, b)), (x < y, x == y, x != y));
            if !x.is_nan() {
                assert_eq!(arith::is_sign_negative(a), x.is_sign_negative());
                like(arith::signum(a), x.signum());
            }
            if !x.is_nan() && !y.is_nan() {
                like(arith::copysign(a, b), x.copysign(y));
            }
        })* };
    }
    check! {
        f32 f32 |x| x, |x| x;
        f64 f64 |x| x, |x| x;
        f16 f32 |x| x.to_f32(), |x| f16::from_f32(x);
        bf16 f32 |x| x.to_f32(), |x| bf16::from_f32(x);
    }
}

#[test]
fn the_smaller_and_the_larger_float() {
    for (a, b) in pairs::<f64>() {
        // Zeros in their order, and NaN after every number: the order of the bits.
        let smaller = if a.total_cmp(&b).is_le() { a } else { b };
        let larger = if a.total_cmp(&b).is_ge() { a } else { b };
        let (ignoring, propagating) = if a.is_nan() {
            ((b, b), (a, a))
        } else if b.is_nan() {
            ((a, a), (b, b))
        } else {
            ((smaller, larger), (smaller, larger))
        };
        assert!(same(arith::min(a, b), ignoring.0) && same(arith::max(a, b), ignoring.1), "{a} {b}");
        assert!(same(arith::minimum(a, b), propagating.0) && same(arith::maximum(a, b), propagating.1), "{a} {b}");
        assert!(same(Min.combine(a, b), propagating.0) && same(Max.combine(a, b), propagating.1), "{a} {b}");
    }
}

#[test]
fn payloads_of_nan_are_not_seen() {
    let odd = f32::from_bits(0xffc0_1234);
    assert_eq!(odd.canonical().to_bits(), 0x7fc0_0000);
    assert_eq!(arith::to_bits(odd), 0x7fc0_0000);
    assert!(!arith::is_sign_negative(odd));
    assert_eq!(arith::copysign(2.0, odd), 2.0);
    // Of the result of an operation too, which the compiler knows to be some NaN or other.
    assert_eq!((-std::hint::black_box(1.0f64)).sqrt().canonical().to_bits(), f64::NAN.to_bits());
    assert_eq!(arith::to_bits(arith::sqrt(-std::hint::black_box(1.0f32))), 0x7fc0_0000);
    assert_eq!((odd, [f16::NAN]).canonical().0.to_bits(), 0x7fc0_0000);
}

#[test]
fn arguments_of_the_extremes() {
    let nan = (f32::NAN, 4u64);
    assert_eq!(ArgMin.combine((1.0f32, 9), (1.0, 3)), (1.0, 3));
    assert_eq!(ArgMin.combine((0.0f32, 1), (-0.0, 0)), (-0.0, 0));
    assert_eq!(ArgMin.combine((-1.0, 0), nan).1, 4);
    assert_eq!(ArgMax.combine(nan, (f32::NAN, 2)).1, 2);
    assert_eq!(ArgMax.combine((3u8, 1), (5, 0)), (5, 0));
    assert_eq!(Operator::<(i16, u64)>::identity(&ArgMax), Some((i16::MIN, u64::MAX)));
}

#[test]
fn compensated_sums() {
    let terms = [1.0f32, 1e8, -1e8, 1e-3, 5e7, -5e7];
    let sum = terms
        .map(|x| Compensate.call((x,)))
        .into_iter()
        .fold(Operator::<Compensated<f32>>::identity(&CompensatedSum).expect("it has one"), |a, b| {
            CompensatedSum.combine(a, b)
        });
    assert_eq!(Rounded.call((sum,)), 1.001);
    let infinite = CompensatedSum.combine(Compensate.call((f32::MAX,)), Compensate.call((f32::MAX,)));
    assert_eq!(Rounded.call((infinite,)), f32::INFINITY);
}

#[test]
fn sums_of_logarithms() {
    const INF: f64 = f64::INFINITY;
    let cases = [
        (INF, INF, INF),
        (-INF, -INF, -INF),
        (-INF, INF, INF),
        (-INF, 2.5, 2.5),
        (INF, 2.5, INF),
        (-f64::MAX, f64::MAX, f64::MAX),
        (f64::MAX, f64::MAX, f64::MAX),
        (0.0, 0.0, std::f64::consts::LN_2),
        (1000.0, 1000.0, 1000.0 + std::f64::consts::LN_2),
        (0.0, -50.0, (-50f64).exp()),
        (1.0, f64::NAN, f64::NAN),
        (INF, f64::NAN, f64::NAN),
        (-INF, f64::NAN, f64::NAN),
    ];
    for (a, b, expected) in cases {
        assert!(same(LogSumExp.combine(a, b), expected), "{a} {b}");
        assert!(same(LogSumExp.combine(b, a), expected), "{b} {a}");
        // As f32 the largest numbers are infinite, and one result is rounded.
        let single = LogSumExp.combine(a as f32, b as f32);
        assert!(same(f64::from(single), f64::from(expected as f32)), "{a} {b}: {single}");
    }
    // Close to the exact value for every size of the two.
    let mut worst = 0f64;
    for (a, b) in pairs::<f32>().into_iter().filter(|(a, b)| a.abs() < 600.0 && b.abs() < 600.0) {
        let exact = (f64::from(a).exp() + f64::from(b).exp()).ln();
        let size = (exact.abs().max(f64::from(a.max(b).abs())).max(1.0) as f32).to_bits();
        let unit = f64::from(f32::from_bits(size + 1) - f32::from_bits(size));
        worst = worst.max((f64::from(LogSumExp.combine(a, b)) - exact).abs() / unit);
    }
    assert!(worst > 0.3 && worst <= 1.0, "{worst}");
    // Associative but for rounding.
    let samples = [0.0, -1.0, 3.5, -20.0, 88.0, 1e-8, -745.0, -INF, 36.7, -0.5, 1e5, -1e5];
    let laws = check_laws_within(&LogSumExp, &samples, |a, b| a == b || (a - b).abs() <= 4e-16 * a.abs().max(1.0));
    let laws = laws.expect("it keeps the laws");
    assert!(laws.identity && laws.not_commutative.is_none());
}

#[test]
fn sums_of_powers() {
    const INF: f32 = f32::INFINITY;
    let of = |terms: &[f32]| {
        let none = Operator::<Powers<f32>>::identity(&SumOfPowers).expect("it has one");
        Logarithm.call((terms.iter().map(|x| Power.call((*x,))).fold(none, |a, b| SumOfPowers.combine(a, b)),))
    };
    let of_four = |terms: &[f32]| Logarithm.call((FourPowers.call((four(terms),)),));
    let cases: [(&[f32], f32); 11] = [
        (&[], -INF),
        (&[-INF, -INF], -INF),
        (&[INF, INF], INF),
        (&[INF, -INF, 1.0], INF),
        (&[-INF, 2.5], 2.5),
        (&[f32::MAX, f32::MAX], f32::MAX),
        (&[f32::MIN, f32::MIN], f32::MIN),
        (&[f32::MIN, f32::MAX], f32::MAX),
        (&[0.0, 0.0, 0.0, 0.0], 4f32.ln()),
        (&[f32::NAN, INF], f32::NAN),
        (&[-INF, f32::NAN, 3.0], f32::NAN),
    ];
    for (terms, expected) in cases {
        let turned: Vec<f32> = terms.iter().rev().copied().collect();
        for found in [of(terms), of(&turned), of_four(terms), of_four(&turned)] {
            assert!(same(found.into(), expected.into()), "{terms:?}: {found}");
        }
    }
    // As exact as sums of a thousand terms are, wherever they lie.
    for offset in [-3e6f32, -700.0, 0.0, 90.0, 1e5] {
        let terms: Vec<f32> = (0..1000).map(|i| offset + ((i * 7919) % 1000) as f32 * 0.0625).collect();
        let largest = terms.iter().copied().fold(-INF, f32::max);
        let sum: f64 = terms.iter().map(|x| f64::from(x - largest).exp()).sum();
        let exact = f64::from(largest) + sum.ln();
        let error = (f64::from(of(&terms)) - exact).abs();
        assert!(error <= exact.abs().max(1.0) * 1e-6, "{offset}: {error}");
    }
    let samples = [0.0, -1.0, 3.5, -20.0, 88.0, -745.0, -f64::INFINITY, 36.7].map(|x: f64| Power.call((x,)));
    // Whatever the sum, it is 0 beside an exponent of minus infinity.
    let close = |a: Powers<f64>, b: Powers<f64>| {
        a.exponent == b.exponent && (b.exponent.is_infinite() || (a.sum - b.sum).abs() <= 1e-15 * b.sum)
    };
    let laws = check_laws_within(&SumOfPowers, &samples, close).expect("it keeps the laws");
    assert!(laws.identity && laws.not_commutative.is_none());
}

/// Four terms; missing ones are powers that are 0.
fn four(terms: &[f32]) -> [f32; 4] {
    std::array::from_fn(|i| terms.get(i).copied().unwrap_or(f32::NEG_INFINITY))
}

/// One and two elements of every magnitude, and many that are closer to each other the larger they are.
#[test]
fn sums_of_powers_are_exact_everywhere() {
    let of = |terms: &[f32]| {
        let sum = terms.iter().map(|x| Power.call((*x,))).reduce(|a, b| SumOfPowers.combine(a, b));
        f64::from(Logarithm.call((sum.expect("there are terms"),)))
    };
    let of_fours = |terms: &[f32]| {
        let sum = terms.chunks(4).map(|terms| FourPowers.call((four(terms),))).reduce(|a, b| SumOfPowers.combine(a, b));
        f64::from(Logarithm.call((sum.expect("there are terms"),)))
    };
    // The distance of floats at the largest term, at the result or at 1, whichever is largest.
    let check = |terms: &[f32]| {
        let largest = terms.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = terms.iter().map(|x| (f64::from(*x) - f64::from(largest)).exp()).sum();
        let exact = f64::from(largest) + sum.ln();
        let size = (exact as f32).abs().max(largest.abs()).max(1.0);
        let unit = f64::from(f32::from_bits(size.to_bits() & 0x7f80_0000)) * f64::from(f32::EPSILON);
        let error =
            [of(terms), of_fours(terms)].map(|found| (found - exact).abs() / unit).into_iter().fold(0.0, f64::max);
        assert!(error <= 2.0, "{terms:?}: {} and {}, not {exact}: {error} units", of(terms), of_fours(terms));
        error
    };
    let (mut of_one, mut of_two) = (0f64, 0f64);
    for i in 0..400_000u32 {
        // Every magnitude and both signs; every second pair is close to each other.
        let x = f32::from_bits(i.wrapping_mul(0x9e37_79b1) & 0xbfff_ffff | (i & 1) << 30);
        if !x.is_finite() {
            continue;
        }
        let apart = (i % 1013) as f32 / 37.0;
        of_one = of_one.max(check(&[x]));
        let near = if i % 3 == 0 { x - apart } else { x + apart * x.abs() * f32::EPSILON };
        if near.is_finite() {
            of_two = of_two.max(check(&[x, near])).max(check(&[near, x]));
        }
    }
    println!("largest errors: {of_one} units of one, {of_two} of two");
    for start in [-1.2e7f32, -4.3e6, -2.95e6, -1e6, 0.0, 7e5, 1.5e6, 2.9e6, 4.19e6, 8.3e6] {
        for step in [0.0625f32, 0.25, 0.5, 1.0] {
            let rising: Vec<f32> = (0..2000).map(|i| start + step * i as f32).collect();
            let falling: Vec<f32> = rising.iter().rev().copied().collect();
            check(&rising);
            check(&falling);
        }
    }
}

/// Sums of powers of f64 against another computation, and of 16 bits against the exact sum.
#[test]
fn sums_of_powers_of_other_floats() {
    macro_rules! check {
        ($($t:ty, $digits:expr, |$x:ident| $wide:expr;)*) => { $(
            for i in 0..100_000u32 {
                // Up to 11 in every other pair, up to 60,000 in the others; both signs.
                let size = if i % 2 == 0 { 11.0 } else { 60_000.0 };
                let [$x, second] = [0x9e37_79b1, 0x85eb_ca77].map(|factor: u32| {
                    <$t as Cast>::of((f64::from(i.wrapping_mul(factor)) / f64::from(1u32 << 31) - 1.0) * size)
                });
                let a: f64 = $wide;
                let found = Logarithm.call((SumOfPowers.combine(Power.call(($x,)), Power.call((second,))),));
                let $x = second;
                let exact = LogSumExp.combine(a, $wide);
                let $x = found;
                let unit = exact.abs().max(a.abs()).max(1.0) * 0.5f64.powi($digits - 1);
                assert!(($wide - exact).abs() <= 2.0 * unit, "{a} and {second}: {found}, not {exact}");
            }
        )* };
    }
    trait Cast {
        fn of(x: f64) -> Self;
    }
    impl Cast for f64 {
        fn of(x: f64) -> Self {
            x
        }
    }
    impl Cast for f16 {
        fn of(x: f64) -> Self {
            Self::from_f64(x)
        }
    }
    impl Cast for bf16 {
        fn of(x: f64) -> Self {
            Self::from_f64(x)
        }
    }
    check! { f64, 53, |x| x; f16, 11, |x| x.to_f64(); bf16, 8, |x| x.to_f64(); }
}

#[test]
fn identities() {
    assert_eq!(Operator::<u8>::identity(&Sum), Some(0));
    assert_eq!(Operator::<f16>::identity(&Product), Some(f16::ONE));
    assert_eq!(Operator::<bf16>::identity(&Product), Some(bf16::ONE));
    assert_eq!(Operator::<f32>::identity(&Max), Some(f32::NEG_INFINITY));
    assert_eq!(Operator::<i8>::identity(&Min), Some(i8::MAX));
    assert_eq!(Operator::<bool>::identity(&And), Some(true));
    assert_eq!(Operator::<u16>::identity(&And), Some(u16::MAX));
    assert_eq!(Operator::<u16>::identity(&Xor), Some(0));
    assert_eq!(Operator::<f64>::identity(&LogSumExp), Some(f64::NEG_INFINITY));
    assert_eq!(Operator::<u16>::identity(&First), None);
}
