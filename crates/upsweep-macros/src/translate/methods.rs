//! Methods of numbers that the body of an operator or function can call, and what errors suggest in place of other
//! methods.

use crate::cuda::{Cuda, cuda, source};
use proc_macro2::Ident;
use quote::quote;

/// Parameters of a method after the receiver, and its result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Method {
    /// Number of arguments after the receiver that have the receiver's own type.
    pub(super) same: usize,
    /// Whether one more argument follows, of type `u32`: a number of bits or an exponent.
    pub(super) count: bool,
    /// Whether the result has the receiver's type.
    pub(super) returns_same: bool,
}

/// Names of the mathematical methods of a float without an argument; `OF_TWO` has those with one argument. A kernel
/// contains only those that its bodies call. The last four here are for `SumOfPowers` and are not documented.
const OF_ONE: [&str; 16] = [
    "exp",
    "exp2",
    "exp_m1",
    "ln",
    "log2",
    "ln_1p",
    "tanh",
    "sin",
    "cos",
    "tan",
    "atan",
    "cbrt",
    "power_exponent",
    "power_of_rest",
    "power_over_distance",
    "power_below",
];
const OF_TWO: [&str; 3] = ["atan2", "powf", "hypot"];

/// Returns the C++ name of the method `name`.
pub(super) fn cuda_name(name: &Ident) -> Cuda {
    let text = name.to_string();
    if OF_ONE.contains(&&*text) || OF_TWO.contains(&&*text) {
        let source = source();
        Cuda::function(quote!(::upsweep::operator::arith::math::#name(#source)))
    } else {
        cuda!["arith::", &text]
    }
}

/// Returns the parameters of the method `name`, or `None` if bodies cannot call it.
pub(super) fn find(name: &str) -> Option<Method> {
    let (same, count, returns_same) = match name {
        name if OF_ONE.contains(&name) => (0, false, true),
        name if OF_TWO.contains(&name) => (1, false, true),
        "abs" | "signum" | "sqrt" | "floor" | "ceil" | "trunc" | "round" | "fract" | "recip" | "wrapping_neg"
        | "wrapping_abs" | "swap_bytes" | "reverse_bits" => (0, false, true),
        "is_nan" | "is_infinite" | "is_finite" | "is_sign_negative" | "is_sign_positive" | "to_bits" | "to_f32"
        | "to_f64" | "count_ones" | "count_zeros" | "leading_zeros" | "trailing_zeros" | "leading_ones"
        | "trailing_ones" | "is_power_of_two" => (0, false, false),
        "min" | "max" | "minimum" | "maximum" | "copysign" | "wrapping_add" | "wrapping_sub" | "wrapping_mul"
        | "wrapping_div" | "wrapping_rem" | "saturating_add" | "saturating_sub" | "rem_euclid" | "div_euclid" => {
            (1, false, true)
        }
        "abs_diff" => (1, false, false),
        "clamp" | "mul_add" => (2, false, true),
        "pow" | "wrapping_pow" | "wrapping_shl" | "wrapping_shr" | "rotate_left" | "rotate_right" => (0, true, true),
        _ => return None,
    };
    Some(Method { same, count, returns_same })
}

/// Returns the error message for the method `name`, which bodies cannot call: it suggests a replacement.
pub(super) fn advice(name: &str) -> String {
    let instead = match name {
        "log" => "divide two logarithms: `x.ln() / base.ln()`",
        "log10" => "scale another logarithm: `x.ln() * std::f32::consts::LOG10_E`",
        "sin_cos" => "write `(x.sin(), x.cos())`",
        "sinh" => "with `let t = x.exp_m1();` write `(t + t / (t + 1.0)) * 0.5`",
        "cosh" => "write `(x.exp() + (-x).exp()) * 0.5`",
        "asin" => "write `x.atan2(((1.0 - x) * (1.0 + x)).sqrt())`",
        "acos" => "write `((1.0 - x) * (1.0 + x)).sqrt().atan2(x)`",
        "asinh" => "write `(x.abs() + x * x / (x.hypot(1.0) + 1.0)).ln_1p().copysign(x)`",
        "acosh" => "write `(x + ((x - 1.0) * (x + 1.0)).sqrt()).ln()`",
        "atanh" => "write `(2.0 * x / (1.0 - x)).ln_1p() * 0.5`",
        "powi" => "multiply: `x * x * x`",
        "clone" | "to_owned" | "copied" | "cloned" => "elements are Copy: use the value itself",
        "into" | "try_into" => "name the target: `u64::from(x)` without loss, `x as u32` with loss",
        "eq" => "write `a == b`",
        "ne" => "write `a != b`",
        "lt" => "write `a < b`",
        "le" => "write `a <= b`",
        "gt" => "write `a > b`",
        "ge" => "write `a >= b`",
        "cmp" | "partial_cmp" | "total_cmp" => "compare with `<`, `==` and `>`, with if and else",
        "add" => "write `a + b`",
        "sub" => "write `a - b`",
        "mul" => "write `a * b`",
        "div" => "write `a / b`",
        "neg" => "write `-x`",
        "not" => "write `!x`",
        "checked_add" | "checked_sub" | "checked_mul" | "overflowing_add" | "overflowing_sub" | "overflowing_mul" => {
            "use `wrapping_..` or `saturating_..`, or a wider type"
        }
        "checked_div" | "checked_rem" => "test the divisor with if; `x / 0` is 0 in an operator",
        "saturating_mul" => "multiply in a wider type and use `clamp`",
        "unwrap" | "expect" | "unwrap_or" | "is_some" | "is_none" | "map" => {
            "there is no Option in an operator: use a value and a bool, with if and else"
        }
        "iter" | "into_iter" | "iter_mut" | "len" => "write a loop over the indices: `for i in 0..4 { a[i] .. }`",
        "rev" | "step_by" => "count upwards and compute the index: `for i in 0..n { a[n - 1 - i] .. }`",
        "swap" => "keep one value in a variable: `let t = a[i]; a[i] = a[j]; a[j] = t;`",
        "mul_add_fast" | "rsqrt" => "write the arithmetic out",
        "is_positive" => "write `x > 0`",
        "is_negative" => "write `x < 0`",
        "sum" | "product" | "fold" => "write a loop: `for i in 0..4 { total += a[i]; }`",
        _ => "write the arithmetic out, or call a function marked #[function] by its path: `helper(x)`",
    };
    format!("an operator's body cannot call the method `{name}`: {instead}")
}

/// Phrase for a number of values: "no value", "one value", "two values".
pub(super) fn values(count: usize) -> String {
    match count {
        0 => "no value".to_owned(),
        1 => "one value".to_owned(),
        2 => "two values".to_owned(),
        _ => format!("{count} values"),
    }
}
