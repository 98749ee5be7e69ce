//! Tests of expression trees, with a plain loop from the leaves to the roots as the oracle.

use crate::Random;
use crate::tree::{forests, renamed};
use upsweep::prelude::*;
use upsweep_apps::Error;
use upsweep_apps::tree::{NONE, Tree};

#[operator]
fn plus_modulo(#[param] p: u64, a: u64, b: u64) -> u64 {
    (a + b) % p
}

#[operator]
fn times_modulo(#[param] p: u64, a: u64, b: u64) -> u64 {
    a * b % p
}

/// Expression, and the order of its vertices, children first.
struct Expression {
    parents: Vec<u32>,
    multiplies: Vec<bool>,
    order: Vec<usize>,
}

impl Expression {
    fn of(parents: Vec<u32>, multiplies: Vec<bool>) -> Self {
        let mut children = vec![vec![]; parents.len()];
        let mut order = vec![];
        for (v, &parent) in parents.iter().enumerate() {
            if parent == NONE || parent as usize == v { order.push(v) } else { children[parent as usize].push(v) }
        }
        let mut at = 0;
        while at < order.len() {
            order.extend(&children[order[at]]);
            at += 1;
        }
        order.reverse();
        Self { parents, multiplies, order }
    }

    fn random(parents: Vec<u32>, random: &mut Random) -> Self {
        let multiplies = parents.iter().map(|_| random.below(2) == 0).collect();
        Self::of(parents, multiplies)
    }

    fn by_loop<T: Copy>(&self, plus: impl Fn(T, T) -> T, times: impl Fn(T, T) -> T, values: &[T]) -> Vec<T> {
        let mut found = values.to_vec();
        for &v in &self.order {
            let parent = self.parents[v] as usize;
            if self.parents[v] != NONE && parent != v {
                let operation: &dyn Fn(T, T) -> T = if self.multiplies[parent] { &times } else { &plus };
                found[parent] = operation(found[parent], found[v]);
            }
        }
        found
    }

    /// Checks the results over semirings of exact numbers.
    fn check(&self, device: &Device, random: &mut Random) {
        let tree = Tree::build(device, &self.parents).unwrap();
        let n = self.parents.len();
        let say = || format!("{:?} {:?}", &self.parents[..n.min(20)], &self.multiplies[..n.min(20)]);
        let wide: Vec<u64> = (0..n).map(|_| random.next()).collect();
        let found = tree.evaluate(device, Sum, Product, &self.multiplies, &wide).unwrap();
        let expected = self.by_loop(u64::wrapping_add, u64::wrapping_mul, &wide);
        assert!(found.to_vec().unwrap() == expected, "64 bits, {}", say());
        let narrow: Vec<u32> = wide.iter().map(|&x| x as u32).collect();
        let found = tree.evaluate(device, Sum, Product, &self.multiplies, &narrow).unwrap();
        let expected = self.by_loop(u32::wrapping_add, u32::wrapping_mul, &narrow);
        assert!(found.to_vec().unwrap() == expected, "32 bits, {}", say());
        // Short values: only a sum with the minimum's identity would wrap, and that must not occur.
        let short: Vec<u64> = wide.iter().map(|x| x % 1000).collect();
        let found = tree.evaluate(device, Min, Sum, &self.multiplies, &short).unwrap();
        let expected = self.by_loop(u64::min, u64::wrapping_add, &short);
        assert!(found.to_vec().unwrap() == expected, "minimum and sum, {}", say());
        let bits: Vec<bool> = wide.iter().map(|x| x >> 13 & 1 == 1).collect();
        let found = tree.evaluate(device, Or, And, &self.multiplies, &bits).unwrap();
        let expected = self.by_loop(|a, b| a | b, |a, b| a & b, &bits);
        assert!(found.to_vec().unwrap() == expected, "or and and, {}", say());
    }
}

/// Every forest of up to 7 vertices: each with random operators, and all with all combinations of operators in one
/// forest.
#[test]
fn all_small_expressions() {
    let device = Device::cpu();
    let mut random = Random(11);
    Expression::of(vec![], vec![]).check(&device, &mut random);
    let (mut parents, mut multiplies) = (vec![], vec![]);
    for n in 1..=7 {
        for forest in forests(n, &mut random) {
            for does in 0..1 << n {
                let first = parents.len() as u32;
                parents.extend(forest.iter().map(|&parent| if parent == NONE { NONE } else { first + parent }));
                multiplies.extend((0..n).map(|v| does >> v & 1 == 1));
            }
            Expression::random(forest, &mut random).check(&device, &mut random);
        }
    }
    Expression::of(parents, multiplies).check(&device, &mut random);
}

/// Trees of `n` vertices: chains, stars, caterpillars, binary trees, random ones and forests of them.
fn shapes(n: u32, random: &mut Random) -> Vec<Vec<u32>> {
    let of = |parent: &dyn Fn(u32) -> u32| (0..n).map(|v| if v == 0 { NONE } else { parent(v) }).collect::<Vec<u32>>();
    let mut shapes = vec![
        of(&|v| v - 1),
        (0..n).map(|v| (v + 1).min(n - 1)).collect(),
        of(&|_| 0),
        // Legs on every second vertex; legs below a chain; a chain below legs.
        of(&|v| if v % 2 == 0 { v - 2 } else { v - 1 }),
        of(&|v| (v - 1).min(n / 2)),
        of(&|v| if v <= n / 2 { 0 } else { v - 1 }),
        of(&|v| (v - 1) / 2),
        of(&|v| (v - 1) / 3),
        vec![NONE; n as usize],
    ];
    for (spread, roots) in [(3, 0), (1000, 0), (n as usize, 0), (5, 100), (n as usize, 10)] {
        let parent = |v: u32, random: &mut Random| {
            let root = roots > 0 && random.below(n as usize) < roots;
            if v == 0 || root { v } else { v - 1 - random.below(spread.min(v as usize)) as u32 }
        };
        shapes.push((0..n).map(|v| parent(v, random)).collect());
    }
    shapes
}

#[test]
fn large_expressions() {
    let device = Device::cpu();
    let mut random = Random(12);
    for n in [1000, 4095, 4096, 4097, 100_000] {
        for shape in shapes(n, &mut random) {
            let shape = renamed(&device, &shape, &mut random);
            Expression::random(shape, &mut random).check(&device, &mut random);
        }
    }
    let chain: Vec<u32> = (0..1 << 17).map(|v: u32| v.saturating_sub(1)).collect();
    Expression::random(chain, &mut random).check(&device, &mut random);
}

#[test]
fn operators_of_ones_own() {
    let device = Device::cpu();
    let mut random = Random(13);
    let p = 1_000_003;
    let parents: Vec<u32> = (0..20_000).map(|v: u32| v - 1.min(v) - random.below(4.min(v as usize)) as u32).collect();
    let expression = Expression::random(parents, &mut random);
    let values: Vec<u64> = (0..20_000).map(|_| random.next() % p).collect();
    let tree = Tree::build(&device, &expression.parents).unwrap();
    let (plus, times) = (PlusModulo { p }, TimesModulo { p });
    let found = tree.evaluate(&device, plus, times, &expression.multiplies, &values).unwrap();
    assert!(found.to_vec().unwrap() == expression.by_loop(|a, b| (a + b) % p, |a, b| a * b % p, &values));
}

#[test]
fn floats() {
    let device = Device::cpu();
    let mut random = Random(14);
    let n = 1 << 16;
    // Positive numbers that neither grow nor vanish: half of a sum, plus something.
    for spread in [1, 2] {
        let parents = (0..n as u32).map(|v| v - 1.min(v) - random.below(spread.min(v as usize)) as u32).collect();
        let multiplies: Vec<bool> = (0..n).map(|v| v % 2 == 0).collect();
        let expression = Expression::of(parents, multiplies);
        let values: Vec<f64> = (0..n).map(|v| if v % 2 == 0 { 0.5 } else { 1.5 + random.unit() }).collect();
        let tree = Tree::build(&device, &expression.parents).unwrap();
        let evaluate = || {
            let found = tree.evaluate(&device, Sum, Product, &expression.multiplies, &values).unwrap();
            found.to_vec().unwrap()
        };
        let (found, expected) = (evaluate(), expression.by_loop(|a, b| a + b, |a, b| a * b, &values));
        for (v, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!((found - expected).abs() <= 1e-12 * expected, "{found} and {expected} at {v}, {spread}");
        }
        assert!(evaluate() == found, "the same bits");
    }
    // No value is multiplied by a zero that stands for a missing one: an infinity would become NaN.
    let tree = Tree::build(&device, &[0u32, 0, 1, 2, 3]).unwrap();
    let values = [2.0, f64::INFINITY, f64::INFINITY, 1.0, 3.0];
    let found = tree.evaluate(&device, Sum, Product, &[true, true, false, false, false], &values).unwrap();
    assert_eq!(found.to_vec().unwrap(), [f64::INFINITY, f64::INFINITY, f64::INFINITY, 4.0, 3.0]);
}

#[test]
fn what_is_no_expression() {
    let device = Device::cpu();
    let tree = Tree::build(&device, &[0u32, 0]).unwrap();
    let length = |what, found| Some(Error::Library(upsweep::Error::Length { what, found, expected: 2 }));
    let evaluate = |multiplies: &[bool], values: &[u64]| tree.evaluate(&device, Sum, Product, multiplies, values).err();
    assert_eq!(evaluate(&[true, true], &[1]), length("values of vertices", 1));
    assert_eq!(evaluate(&[true; 3], &[1, 2]), length("flags of vertices", 3));
    assert_eq!(evaluate(&[], &[1, 2]), length("flags of vertices", 0));
}
