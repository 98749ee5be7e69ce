//! Special values of the functions, where something is 0, infinite or NaN, and exact values.

use upsweep::operator::{Float, arith};

/// Defines the tests of one type.
macro_rules! of_type {
    ($module:ident, $t:ident, $digits:expr) => {
        mod $module {
            use super::*;

            const INF: $t = $t::INFINITY;
            const NAN: $t = $t::NAN;
            const PI: $t = std::$t::consts::PI;
            /// Exponent of the smallest subnormal number, and of the largest power of two.
            const LOWEST: i32 = $t::MIN_EXP - $t::MANTISSA_DIGITS as i32;
            const HIGHEST: i32 = $t::MAX_EXP - 1;

            /// Checks a result, with the sign of zeros; NaN equals NaN.
            fn check(what: &str, result: $t, expected: $t) {
                let same = result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan();
                assert!(same, "{what} is {result:e}, not {expected:e}");
            }

            fn power(k: i32) -> $t {
                // Of a subnormal power, the second factor is the smallest number.
                let normal = k.max($t::MIN_EXP - 1);
                (2 as $t).powi(normal) * (0.5 as $t).powi(normal - k)
            }

            #[test]
            fn of_one() {
                let cases: [(&str, fn($t) -> $t, &[($t, $t)]); 12] = [
                    (
                        "exp",
                        Float::exp,
                        &[
                            (0.0, 1.0),
                            (-0.0, 1.0),
                            (INF, INF),
                            (-INF, 0.0),
                            (800.0, INF),
                            ($t::MAX, INF),
                            (-800.0, 0.0),
                            (-$t::MAX, 0.0),
                        ],
                    ),
                    (
                        "exp2",
                        Float::exp2,
                        &[
                            (0.0, 1.0),
                            (-0.0, 1.0),
                            (INF, INF),
                            (-INF, 0.0),
                            (1024.0, INF),
                            ($t::MAX, INF),
                            (-1080.0, 0.0),
                            (-$t::MAX, 0.0),
                        ],
                    ),
                    (
                        "exp_m1",
                        Float::exp_m1,
                        &[(INF, INF), (-INF, -1.0), (800.0, INF), (-800.0, -1.0), (-$t::MAX, -1.0)],
                    ),
                    ("tanh", Float::tanh, &[(INF, 1.0), (-INF, -1.0), ($t::MAX, 1.0), (-40.0, -1.0)]),
                    (
                        "ln",
                        Float::ln,
                        &[(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1.0, NAN), (-INF, NAN), (-1e-30, NAN)],
                    ),
                    (
                        "log2",
                        Float::log2,
                        &[(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1.0, NAN), (-INF, NAN)],
                    ),
                    (
                        "ln_1p",
                        Float::ln_1p,
                        &[(-1.0, -INF), (INF, INF), (-INF, NAN), (-2.0, NAN), (-1.0 - $t::EPSILON, NAN)],
                    ),
                    ("sin", Float::sin, &[(INF, NAN), (-INF, NAN)]),
                    ("cos", Float::cos, &[(INF, NAN), (-INF, NAN), (0.0, 1.0), (-0.0, 1.0), (1e-20, 1.0)]),
                    ("tan", Float::tan, &[(INF, NAN), (-INF, NAN)]),
                    ("atan", Float::atan, &[(INF, PI / 2.0), (-INF, -PI / 2.0), (1.0, PI / 4.0), ($t::MAX, PI / 2.0)]),
                    ("cbrt", Float::cbrt, &[(INF, INF), (-INF, -INF), (-8.0, -2.0), (0.125, 0.5), (1.0, 1.0)]),
                ];
                for (name, function, values) in cases {
                    for &(x, expected) in values {
                        check(&format!("{name}({x:e})"), function(x), expected);
                    }
                    check(&format!("{name}(NaN)"), function(NAN), NAN);
                    check(&format!("{name}(-NaN)"), function(-NAN), NAN);
                    if !["exp", "exp2", "ln", "log2", "cos"].contains(&name) {
                        check(&format!("{name}(0)"), function(0.0), 0.0);
                        check(&format!("{name}(-0)"), function(-0.0), -0.0);
                        if name != "cbrt" {
                            let (least, normal) = ($t::from_bits(1), $t::MIN_POSITIVE);
                            check(&format!("{name} of the least"), function(-least), -least);
                            check(&format!("{name} of the least normal"), function(normal), normal);
                        }
                    }
                }
            }

            #[test]
            fn exact_values() {
                for k in LOWEST..=HIGHEST {
                    check(&format!("exp2({k})"), Float::exp2(k as $t), power(k));
                    check(&format!("log2(2^{k})"), Float::log2(power(k)), k as $t);
                    check(&format!("powf(2, {k})"), Float::powf(2.0, k as $t), power(k));
                    if k % 3 == 0 {
                        check(&format!("cbrt(2^{k})"), Float::cbrt(-power(k)), -power(k / 3));
                    }
                }
                // As many digits as the type has.
                for base in 3..20i64 {
                    let mut product = 1i64;
                    for n in 0..60 {
                        check(&format!("powf({base}, {n})"), Float::powf(base as $t, n as $t), product as $t);
                        product *= base;
                        if product >= 1 << $t::MANTISSA_DIGITS {
                            break;
                        }
                    }
                }
                for n in 1..=i64::from(1u32 << ($t::MANTISSA_DIGITS / 3)) {
                    check("cbrt of a cube", Float::cbrt((n * n * n) as $t), n as $t);
                }
                for k in LOWEST + 3..HIGHEST - 3 {
                    check(
                        &format!("hypot(3 2^{k}, ..)"),
                        Float::hypot(3.0 * power(k), -4.0 * power(k)),
                        5.0 * power(k),
                    );
                }
            }

            #[test]
            fn angles() {
                let cases: &[($t, $t, $t)] = &[
                    (0.0, 0.0, 0.0),
                    (0.0, -0.0, PI),
                    (0.0, 1.0, 0.0),
                    (0.0, -1.0, PI),
                    (1.0, 0.0, PI / 2.0),
                    (1.0, -0.0, PI / 2.0),
                    (0.0, INF, 0.0),
                    (0.0, -INF, PI),
                    (1.0, INF, 0.0),
                    (1.0, -INF, PI),
                    (INF, 1.0, PI / 2.0),
                    (INF, -1.0, PI / 2.0),
                    (INF, INF, PI / 4.0),
                    (INF, -INF, 3.0 * PI / 4.0),
                    (1.0, 1.0, PI / 4.0),
                    (2.0, -2.0, 3.0 * PI / 4.0),
                    ($t::MAX, $t::MAX, PI / 4.0),
                    ($t::MIN_POSITIVE, $t::MAX, 0.0),
                    ($t::MAX, $t::from_bits(1), PI / 2.0),
                    ($t::from_bits(3), $t::from_bits(3), PI / 4.0),
                    ($t::from_bits(1), 1.0, $t::from_bits(1)),
                    ($t::from_bits(2), 4.0, 0.0),
                    ($t::from_bits(1), -1.0, PI),
                    (NAN, 1.0, NAN),
                    (1.0, NAN, NAN),
                    (NAN, INF, NAN),
                    (INF, NAN, NAN),
                    (0.0, NAN, NAN),
                    (NAN, 0.0, NAN),
                ];
                for &(y, x, angle) in cases {
                    // In f32, three quarters of pi are not three times a rounded quarter.
                    let expected =
                        if angle > 2.0 && angle < 3.0 { (3.0 * std::f64::consts::FRAC_PI_4) as $t } else { angle };
                    check(&format!("atan2({y:e}, {x:e})"), Float::atan2(y, x), expected);
                    check(&format!("atan2(-{y:e}, {x:e})"), Float::atan2(-y, x), -expected);
                }
            }

            #[test]
            fn powers() {
                // C99, annex F.9.4.4, and what else has no rounding.
                let cases: &[($t, $t, $t)] = &[
                    (0.0, -1.0, INF),
                    (-0.0, -1.0, -INF),
                    (-0.0, -3.0, -INF),
                    (0.0, -2.0, INF),
                    (-0.0, -2.0, INF),
                    (-0.0, -0.5, INF),
                    (0.0, -INF, INF),
                    (-0.0, -INF, INF),
                    (0.0, 3.0, 0.0),
                    (-0.0, 3.0, -0.0),
                    (-0.0, 2.0, 0.0),
                    (-0.0, 0.5, 0.0),
                    (0.0, INF, 0.0),
                    (-1.0, INF, 1.0),
                    (-1.0, -INF, 1.0),
                    (1.0, NAN, 1.0),
                    (1.0, INF, 1.0),
                    (1.0, -7.5, 1.0),
                    (NAN, 0.0, 1.0),
                    (NAN, -0.0, 1.0),
                    (INF, 0.0, 1.0),
                    (0.0, 0.0, 1.0),
                    (-2.0, -0.0, 1.0),
                    (-1.5, 0.5, NAN),
                    (-$t::MAX, 1.5, NAN),
                    (-1.0, 0.5, NAN),
                    (NAN, 1.0, NAN),
                    (2.0, NAN, NAN),
                    (-0.0, NAN, NAN),
                    (0.5, -INF, INF),
                    (-0.5, -INF, INF),
                    (1.5, -INF, 0.0),
                    (-1.5, -INF, 0.0),
                    (0.5, INF, 0.0),
                    (-0.5, INF, 0.0),
                    (1.5, INF, INF),
                    (-1.5, INF, INF),
                    (-INF, -3.0, -0.0),
                    (-INF, -2.0, 0.0),
                    (-INF, -0.5, 0.0),
                    (-INF, 3.0, -INF),
                    (-INF, 2.0, INF),
                    (-INF, 0.5, INF),
                    (INF, -0.5, 0.0),
                    (INF, 0.5, INF),
                    (INF, INF, INF),
                    (INF, -INF, 0.0),
                    (-INF, INF, INF),
                    (-2.0, 3.0, -8.0),
                    (-2.0, 4.0, 16.0),
                    (-2.0, -1.0, -0.5),
                    (4.0, 0.5, 2.0),
                    // Large exponents: even from 2^digits on.
                    (-1.0, $t::MAX, 1.0),
                    (-1.0, $digits - 1.0, -1.0),
                    (-1.0, $digits, 1.0),
                    (-2.0, $t::MAX, INF),
                    (0.5, $t::MAX, 0.0),
                    (1.0 + $t::EPSILON, $t::MAX, INF),
                    (1.0 + $t::EPSILON, -$t::MAX, 0.0),
                    (1.0 - $t::EPSILON, $t::MAX, 0.0),
                    (2.0, $t::from_bits(1), 1.0),
                    ($t::MAX, $t::from_bits(1), 1.0),
                    ($t::from_bits(1), 1.0, $t::from_bits(1)),
                    (-$t::from_bits(1), 1.0, -$t::from_bits(1)),
                    ($t::MAX, 1.0, $t::MAX),
                    ($t::MAX, 2.0, INF),
                    (-$t::MAX, 3.0, -INF),
                    ($t::from_bits(1), 2.0, 0.0),
                    (-$t::from_bits(1), 3.0, -0.0),
                    ($t::from_bits(1), -2.0, INF),
                ];
                for &(x, y, expected) in cases {
                    check(&format!("powf({x:e}, {y:e})"), Float::powf(x, y), expected);
                }
            }

            #[test]
            fn lengths() {
                let cases: &[($t, $t, $t)] = &[
                    (0.0, 0.0, 0.0),
                    (-0.0, 0.0, 0.0),
                    (0.0, -5.0, 5.0),
                    (INF, NAN, INF),
                    (NAN, -INF, INF),
                    (NAN, 1.0, NAN),
                    (0.0, NAN, NAN),
                    (INF, 0.0, INF),
                    (-INF, INF, INF),
                    ($t::MAX, 0.0, $t::MAX),
                    ($t::MAX, $t::MAX, INF),
                    ($t::MAX, 1.0, $t::MAX),
                    ($t::from_bits(1), 0.0, $t::from_bits(1)),
                    ($t::from_bits(3), $t::from_bits(4), $t::from_bits(5)),
                    (1.0, $t::from_bits(1), 1.0),
                    ($t::MAX, NAN, NAN),
                ];
                for &(x, y, expected) in cases {
                    check(&format!("hypot({x:e}, {y:e})"), Float::hypot(x, y), expected);
                    check(&format!("hypot({y:e}, {x:e})"), Float::hypot(y, x), expected);
                }
            }
        }
    };
}
of_type! { of_f32, f32, 16_777_216.0 }
of_type! { of_f64, f64, 9_007_199_254_740_992.0 }

#[test]
fn sixteen_bits_go_by_way_of_f32() {
    use half::{bf16, f16};
    for bits in 0..=u16::MAX {
        let (x, y) = (f16::from_bits(bits), bf16::from_bits(bits));
        assert_eq!(arith::exp(x).to_bits(), f16::from_f32(arith::exp(x.to_f32())).to_bits());
        assert_eq!(arith::powf(y, bf16::ONE).to_bits(), bf16::from_f32(arith::powf(y.to_f32(), 1.0)).to_bits());
    }
}
