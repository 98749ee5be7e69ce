//! Polynomials: values at one point and at many, compensated or modulo a prime; division by `x - z`; interpolation.
//!
//! ```text
//! Polynomial::of(&c)       c[0] + c[1] x + c[2] x^2 + ...
//! .evaluate(x)             its value at one point; of no coefficients 0
//! .at(&points)             its values at many points
//! .evaluate_compensated(x) of f64, as if computed in twice the digits and then rounded
//! .evaluate_modulo(x, p)   of u64, modulo p
//! .divide(z)               [r, q[0], q[1], ..] with c(x) = (x - z) q(x) + r; so r = c(z)
//! ```
//!
//! ```
//! use upsweep::Device;
//! use upsweep_apps::poly::Polynomial;
//!
//! let device = Device::cpu();
//! let c = [2.0, 3.0, 1.0]; // 2 + 3x + x^2
//! let polynomial = Polynomial::of(&c);
//! assert_eq!(polynomial.evaluate(&device, 2.0)?, 12.0);
//! assert_eq!(polynomial.at(&device, &[0.0, 2.0, -1.0])?.to_vec()?, [2.0, 12.0, 0.0]);
//! // 2 + 3x + x^2 = (x - 2) (x + 5) + 12
//! assert_eq!(polynomial.divide(&device, 2.0)?.to_vec()?, [12.0, 5.0, 1.0]);
//! # Ok::<(), upsweep_apps::Error>(())
//! ```
//!
//! A run of coefficients `i..j` is an element `(x^(j-i), value)`. Runs combine to longer ones: `(p, v)` and then
//! `(q, w)` is `(p q, v + p w)`. So one reduction evaluates a polynomial, in one pass over its coefficients, and one
//! reverse scan of the same kind divides it. Integers compute modulo 2^b.
//!
//! **Exactness of floats.** The error of a result is about `log2(n)` roundings of the sum of `|c[i] x^i|`. Powers of
//! `x` are computed only as far as they keep away from the ends of the type's range. With more coefficients, a loop
//! joins the blocks, and overflows where the loop over all coefficients does. [`at`](Polynomial::at) is that loop, with
//! its bits. At an infinite `x` zero coefficients count as 0.

mod interpolant;
mod range;

pub use self::interpolant::{Interpolant, stable_order};

use self::interpolant::BLOCK;
use self::range::{Range, power_range};
use crate::error::{Error, Result};
use crate::part::{Part, map, to_host};
use crate::twofold::{plus, times};
use upsweep::Input;
use upsweep::operator::Number;
use upsweep::prelude::*;

/// Polynomial by its coefficients, the constant one first: see the [module](self).
#[derive(Debug)]
pub struct Polynomial<'a, B: ?Sized> {
    coefficients: &'a B,
}

impl<B: ?Sized> Clone for Polynomial<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: ?Sized> Copy for Polynomial<'_, B> {}

/// Element of the reduction that evaluates a polynomial at `x`. It stands for a run of neighbouring coefficients: `x`
/// to the power of their number, and the value at `x` of the polynomial with these coefficients alone.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Term<T> {
    power: T,
    value: T,
}

#[function]
fn term_at<T: Number>(#[param] x: T, c: T) -> Term<T> {
    Term { power: x, value: c }
}

/// Term of the run of four coefficients `c`. If `x` is not finite, zeros are not multiplied, as infinity times 0 is
/// NaN.
#[function]
fn terms_at<T: Number>(#[param] x: T, c: [T; 4]) -> Term<T> {
    let square = x * x;
    let mut value = c[3];
    if x - x == T::ZERO {
        for i in 1..4 {
            value = c[3 - i] + value * x;
        }
    } else {
        for i in 1..4 {
            let above = if value == T::ZERO { T::ZERO } else { value * x };
            value = c[3 - i] + above;
        }
    }
    Term { power: square * square, value }
}

#[function]
fn value_of<T: Number>(term: Term<T>) -> T {
    term.value
}

#[operator(identity = Term { power: T::ONE, value: T::ZERO })]
fn append<T: Number>(low: Term<T>, high: Term<T>) -> Term<T> {
    // Zero is not multiplied, as infinity times 0 is NaN.
    let above = if high.value == T::ZERO { T::ZERO } else { low.power * high.value };
    Term { power: low.power * high.power, value: low.value + above }
}

/// Function `append` with its arguments exchanged, for a scan from the highest coefficient down.
#[operator(identity = Term { power: T::ONE, value: T::ZERO })]
fn prepend<T: Number>(high: Term<T>, low: Term<T>) -> Term<T> {
    let above = if high.value == T::ZERO { T::ZERO } else { low.power * high.value };
    Term { power: low.power * high.power, value: low.value + above }
}

#[function]
fn horner<T: Number>(#[param] c: [T; 8], value: T, x: T) -> T {
    let mut value = value;
    for i in 0..8 {
        value = value * x + c[7 - i];
    }
    value
}

#[function]
fn horner_once<T: Number>(#[param] c: T, value: T, x: T) -> T {
    value * x + c
}

/// Returns the value at `x` of the polynomial with the coefficients `c`, by a loop from the highest coefficient down.
fn horner_loop<T: Number>(c: &[T], x: T) -> T {
    c.iter().rev().fold(T::ZERO, |value, &c| Number::add(Number::mul(value, x), c))
}

impl<'a, B: Input<Item: Number> + ?Sized> Polynomial<'a, B> {
    /// Polynomial `c[0] + c[1] x + c[2] x^2 + ...`
    pub fn of(coefficients: &'a B) -> Self {
        Self { coefficients }
    }

    /// Value at one point. On CUDA this waits for the value, and for that of the last coefficients if their number is
    /// not a multiple of four. One pass over the coefficients.
    ///
    /// # Errors
    /// [`Place`](upsweep::Error::Place) when the coefficients are not in the memory of the device that computes; CUDA's
    /// own.
    pub fn evaluate(&self, device: &Device, x: B::Item) -> Result<B::Item> {
        let all = Part::all(self.coefficients);
        let n = all.view().len();
        match power_range(x, n) {
            Range::All => Self::evaluate_part(device, &all, x),
            Range::None => Ok(horner_loop(&to_host(device, &all)?, x)),
            Range::Blocks { len, power } => {
                let (blocks, whole) = (n / len, n / len * len);
                let shape = [blocks, len];
                let reduce = Reduce::new(Append).map(TermAt { x }).finish(ValueOf).axis(&shape, 1);
                let values: Array<B::Item> = reduce.run_to_array(device, &all.part(0..whole)?)?;
                let mut values = values.into_vec()?;
                values.push(Self::evaluate_part(device, &all.part(whole..n)?, x)?);
                Ok(horner_loop(&values, power))
            }
        }
    }

    /// Returns the value by one reduction, at an `x` whose powers stay in the range of the type.
    fn evaluate_part(device: &Device, all: &Part<'_, B::Item>, x: B::Item) -> Result<B::Item> {
        let (fours, rest) = all.chunks();
        let low: Term<B::Item> = Reduce::new(Append).map(TermsAt { x }).run_to_host(device, &fours)?;
        if rest.view().is_empty() {
            return Ok(low.value);
        }
        let high: Term<B::Item> = Reduce::new(Append).map(TermAt { x }).run_to_host(device, &rest)?;
        Ok(Append.combine(low, high).value)
    }

    /// Values at many points, each computed like a loop from the highest coefficient down: `v = v x + c[i]`. The
    /// coefficients may lie on the host or on the device, from which this waits for them. A pass over the points for 8
    /// coefficients.
    ///
    /// # Errors
    /// [`Place`](upsweep::Error::Place) when the points are not in the memory of the device that computes; CUDA's own.
    pub fn at<X>(&self, device: &Device, points: &X) -> Result<Array<B::Item>>
    where
        X: Input<Item = B::Item> + ?Sized,
    {
        let (c, points) = (to_host(device, self.coefficients)?, &Part::all(points));
        let Some((&highest, rest)) = c.split_last() else {
            return Ok(device.filled(points.view().len(), <B::Item as Number>::ZERO)?);
        };
        let mut values = device.filled(points.view().len(), highest)?;
        let (blocks, first) = (rest.len() / BLOCK, rest.len() % BLOCK);
        for &c in rest[blocks * BLOCK..].iter().rev().take(first) {
            values = map(device, HornerOnce { c }, (&values, points))?;
        }
        for block in rest[..blocks * BLOCK].chunks_exact(BLOCK).rev() {
            let mut c = [<B::Item as Number>::ZERO; BLOCK];
            c.copy_from_slice(block);
            values = map(device, Horner { c }, (&values, points))?;
        }
        Ok(values)
    }

    /// Remainder and quotient of a division by `x - z`: `[r, q[0], q[1], ..]`, as many numbers as coefficients. One
    /// pass over the coefficients; if a power of `z` leaves the range of the type, a loop over them on the host.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn divide(&self, device: &Device, z: B::Item) -> Result<Array<B::Item>> {
        let n = self.coefficients.view().len();
        if !matches!(power_range(z, n), Range::All) {
            let mut c = to_host(device, self.coefficients)?;
            let mut value = <B::Item as Number>::ZERO;
            for c in c.iter_mut().rev() {
                value = Number::add(Number::mul(value, z), *c);
                *c = value;
            }
            return Ok(device.upload(&c)?);
        }
        let scan = Scan::new(Prepend).reverse().map(TermAt { x: z }).finish(ValueOf);
        Ok(scan.run_to_array(device, &Part::all(self.coefficients))?)
    }
}

/// Double-double version of [`Term`]: each number is a sum of two floats.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Exact {
    power: f64,
    power_rest: f64,
    value: f64,
    value_rest: f64,
}

#[function]
fn exact_term(#[param] x: f64, c: f64) -> Exact {
    Exact { power: x, power_rest: 0.0, value: c, value_rest: 0.0 }
}

#[function]
fn rounded(term: Exact) -> f64 {
    term.value + term.value_rest
}

#[operator(identity = Exact { power: 1.0, power_rest: 0.0, value: 0.0, value_rest: 0.0 })]
fn append_exact(low: Exact, high: Exact) -> Exact {
    let (power, power_rest) = times(low.power, low.power_rest, high.power, high.power_rest);
    let (above, above_rest) =
        if high.value == 0.0 { (0.0, 0.0) } else { times(low.power, low.power_rest, high.value, high.value_rest) };
    let (value, value_rest) = plus(low.value, low.value_rest, above, above_rest);
    Exact { power, power_rest, value, value_rest }
}

impl<B: Input<Item = f64> + ?Sized> Polynomial<'_, B> {
    /// Value at one point as if computed with twice the digits of f64 and then rounded: where terms cancel, it is right
    /// where [`evaluate`](Self::evaluate) has no digit left. On CUDA this waits for the value.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn evaluate_compensated(&self, device: &Device, x: f64) -> Result<f64> {
        let all = Part::all(self.coefficients);
        let (n, reduce) = (all.view().len(), Reduce::new(AppendExact).map(ExactTerm { x }));
        let (values, len) = match power_range(x, n) {
            Range::All => return Ok(reduce.finish(Rounded).run_to_host(device, &all)?),
            Range::None => (to_host(device, &all)?.into_iter().map(|c| (c, 0.0)).collect(), 1),
            Range::Blocks { len, .. } => {
                let (blocks, whole) = (n / len, n / len * len);
                let terms: Array<Exact> = reduce.axis(&[blocks, len], 1).run_to_array(device, &all.part(0..whole)?)?;
                let rest: Exact = reduce.run_to_host(device, &all.part(whole..n)?)?;
                let values = terms.into_vec()?.into_iter().chain([rest]).map(|term| (term.value, term.value_rest));
                (values.collect::<Vec<(f64, f64)>>(), len)
            }
        };
        let power = (0..len.ilog2()).fold((x, 0.0), |(p, rest), _| times(p, rest, p, rest));
        let value = values.iter().rev().fold((0.0, 0.0), |(value, rest), c| {
            let (above, above_rest) = times(value, rest, power.0, power.1);
            plus(c.0, c.1, above, above_rest)
        });
        Ok(value.0 + value.1)
    }
}

#[function]
fn product_modulo(p: u64, a: u64, b: u64) -> u64 {
    (a as u128 * b as u128 % p as u128) as u64
}

#[function]
fn term_modulo(#[param] p: u64, #[param] x: u64, c: u64) -> Term<u64> {
    Term { power: x, value: c % p }
}

#[operator(identity = Term { power: 1, value: 0 })]
fn append_modulo(#[param] p: u64, low: Term<u64>, high: Term<u64>) -> Term<u64> {
    let above = product_modulo(p, low.power, high.value);
    let room = p - low.value;
    let value = if above < room { low.value + above } else { above - room };
    Term { power: product_modulo(p, low.power, high.power), value }
}

impl<B: Input<Item = u64> + ?Sized> Polynomial<'_, B> {
    /// Value at one point modulo `p`, which may be any number but 0. On CUDA this waits for the value.
    ///
    /// # Errors
    /// [`Error::Modulus`] when `p` is 0; as [`evaluate`](Self::evaluate).
    pub fn evaluate_modulo(&self, device: &Device, x: u64, p: u64) -> Result<u64> {
        let Some(x) = x.checked_rem(p) else { return Err(Error::Modulus) };
        let reduce = Reduce::new(AppendModulo { p }).map(TermModulo { p, x }).finish(ValueOf);
        Ok(reduce.run_to_host(device, &Part::all(self.coefficients))?)
    }
}
