//! Oracle of recurrences: the sequential loops.

use crate::support::random::Rng;
use std::fmt::Debug;

/// Integers modulo their number of values.
pub(crate) trait Integer: Copy + Debug + PartialEq {
    fn of(x: u64) -> Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn neg(self) -> Self;
}
macro_rules! integers {
    ($($t:ty)*) => { $(impl Integer for $t {
        fn of(x: u64) -> Self { x as $t }
        fn add(self, other: Self) -> Self { self.wrapping_add(other) }
        fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
        fn neg(self) -> Self { self.wrapping_neg() }
    })* };
}
integers! { u32 i32 u64 i64 }

/// Definition without states, on one line whose first states are 0.
pub(crate) fn by_definition<T: Integer>(b: &[T], a: &[T], x: &[T]) -> Vec<T> {
    let mut y: Vec<T> = Vec::new();
    for i in 0..x.len() {
        let of_x = b.iter().zip(x[..=i].iter().rev()).fold(T::of(0), |sum, (b, x)| sum.add(b.mul(*x)));
        let value = a.iter().skip(1).zip(y.iter().rev()).fold(of_x, |sum, (a, y)| sum.add(a.mul(*y).neg()));
        y.push(value);
    }
    y
}

/// Sequential loop in the transposed direct form II, on one line. The last states remain in `states`.
pub(crate) fn with_states<T: Integer>(b: &[T], a: &[T], states: &mut [T], x: &[T]) -> Vec<T> {
    let at = |list: &[T], i: usize| list.get(i).copied().unwrap_or(T::of(0));
    x.iter()
        .map(|&x| {
            let y = at(b, 0).mul(x).add(at(states, 0));
            for j in 0..states.len() {
                states[j] = at(b, j + 1).mul(x).add(at(a, j + 1).mul(y).neg()).add(at(states, j + 1));
            }
            y
        })
        .collect()
}

/// Unevaluated sum of two f64: some 106 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide(pub(crate) f64, f64);

impl Wide {
    pub(crate) fn of(x: f64) -> Self {
        Self(x, 0.0)
    }
    fn sum(a: f64, b: f64) -> Self {
        let s = a + b;
        let t = s - a;
        Self(s, (a - (s - t)) + (b - t))
    }
    pub(crate) fn add(self, other: Self) -> Self {
        let (s, t) = (Self::sum(self.0, other.0), Self::sum(self.1, other.1));
        let u = Self::sum(s.0, s.1 + t.0);
        Self::sum(u.0, u.1 + t.1)
    }
    pub(crate) fn mul(self, other: Self) -> Self {
        let p = self.0 * other.0;
        let e = self.0.mul_add(other.0, -p) + (self.0 * other.1 + self.1 * other.0);
        Self::sum(p, e)
    }
    pub(crate) fn minus(self, x: f64) -> f64 {
        self.add(Self(-x, 0.0)).0
    }
}

/// Results of the recurrence of these f64 coefficients, in more digits than f64. a[0] is 1.
pub(crate) fn wide(b: &[f64], a: &[f64], x: &[f64]) -> Vec<Wide> {
    let order = b.len().max(a.len()) - 1;
    let mut z = vec![Wide::of(0.0); order + 1];
    x.iter()
        .map(|&x| {
            let y = Wide::of(b[0]).mul(Wide::of(x)).add(z[0]);
            for j in 0..order {
                let of_x = Wide::of(b.get(j + 1).copied().unwrap_or(0.0)).mul(Wide::of(x));
                let of_y = Wide::of(-a.get(j + 1).copied().unwrap_or(0.0)).mul(y);
                z[j] = of_x.add(of_y).add(z[j + 1]);
            }
            y
        })
        .collect()
}

/// Filter of this order with random poles of radius at most `radius`, as b and a.
pub(crate) fn filter(rng: &mut Rng, order: usize, radius: f64) -> (Vec<f64>, Vec<f64>) {
    let unit = |rng: &mut Rng| rng.below(1 << 20) as f64 / f64::from(1 << 20);
    let mut a = vec![1.0];
    let mut by = |factor: &[f64]| {
        let mut product = vec![0.0; a.len() + factor.len() - 1];
        for (i, a) in a.iter().enumerate() {
            for (j, f) in factor.iter().enumerate() {
                product[i + j] += a * f;
            }
        }
        a = product;
    };
    let mut left = order;
    while left > 0 {
        // One pole on the circle, the others within.
        let r = if left == order { radius } else { radius * unit(rng) };
        if left == 1 || rng.once_in(4) {
            by(&[1.0, if rng.once_in(2) { r } else { -r }]);
            left -= 1;
        } else {
            by(&[1.0, -2.0 * r * (std::f64::consts::PI * unit(rng)).cos(), r * r]);
            left -= 2;
        }
    }
    let b = (0..=rng.below(order + 2).min(16)).map(|_| unit(rng) - 0.5).collect();
    (b, a)
}

/// Butterworth low pass with twice as many poles as sections, up to `edge` of the sampling rate; as in SciPy, the first
/// section has all of its gain.
pub(crate) fn butterworth(sections: usize, edge: f64) -> Vec<[f64; 6]> {
    let k = (std::f64::consts::PI * edge).tan();
    let mut gain = 1.0;
    let mut section = |s: usize| {
        let width = 2.0 * (std::f64::consts::PI * (2 * s + 1) as f64 / (4 * sections) as f64).cos() * k;
        let scale = 1.0 + width + k * k;
        gain *= k * k / scale;
        [1.0, 2.0, 1.0, 1.0, 2.0 * (k * k - 1.0) / scale, (1.0 - width + k * k) / scale]
    };
    let mut sos: Vec<_> = (0..sections).map(&mut section).collect();
    sos[0][..3].iter_mut().for_each(|b| *b *= gain);
    sos
}
