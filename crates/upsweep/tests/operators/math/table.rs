//! Functions of f64, against `table.txt`, which `xtask/math/oracle.py` computes with mpmath.

use std::collections::BTreeMap;
use upsweep::operator::arith;

/// Largest errors allowed, in units in the last place: a little more than the documentation of `Float` says.
const MOST: [(&str, f64); 15] = [
    ("exp", 1.1),
    ("exp2", 1.2),
    ("exp_m1", 1.4),
    ("tanh", 1.5),
    ("ln", 1.01),
    ("log2", 1.1),
    ("ln_1p", 1.0),
    ("sin", 0.85),
    ("cos", 0.85),
    ("tan", 1.6),
    ("atan", 1.3),
    ("cbrt", 0.85),
    ("atan2", 1.6),
    ("powf", 1.1),
    ("hypot", 1.2),
];

fn computed(name: &str, x: f64, y: f64) -> f64 {
    match name {
        "exp" => arith::exp(x),
        "exp2" => arith::exp2(x),
        "exp_m1" => arith::exp_m1(x),
        "tanh" => arith::tanh(x),
        "ln" => arith::ln(x),
        "log2" => arith::log2(x),
        "ln_1p" => arith::ln_1p(x),
        "sin" => arith::sin(x),
        "cos" => arith::cos(x),
        "tan" => arith::tan(x),
        "atan" => arith::atan(x),
        "cbrt" => arith::cbrt(x),
        "atan2" => arith::atan2(x, y),
        "powf" => arith::powf(x, y),
        "hypot" => arith::hypot(x, y),
        _ => panic!("the table has the function {name}"),
    }
}

/// Position of a float on a number line by its bits: neighbours differ by 1.
fn position(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

#[test]
fn as_mpmath_says() {
    let mut worst: BTreeMap<&str, f64> = BTreeMap::new();
    for line in include_str!("table.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let float = |word: &str| f64::from_bits(u64::from_str_radix(word, 16).expect("bits"));
        let [name, given @ .., value, rest] = &words[..] else { panic!("a line is {line}") };
        let (x, y) = (float(given[0]), given.get(1).map_or(0.0, |word| float(word)));
        let rest: f64 = rest.parse().expect("a number");
        let result = computed(name, x, y);
        let error = ((position(result) - position(float(value))) as f64 - rest / 1000.0).abs();
        let most = MOST.iter().find(|(of, _)| of == name).expect("it is in the list").1;
        assert!(error <= most, "{name}({x:e}, {y:e}) = {result:e} errs by {error}");
        let worst = worst.entry(*name).or_default();
        *worst = worst.max(error);
    }
    assert_eq!(worst.len(), MOST.len());
}
