//! 21: arithmetic modulo a prime, as zero-knowledge provers need it (the Goldilocks field, p = 2^64 - 2^32 + 1): the
//! inverses of a whole batch with one division, a grand product, and the value of a polynomial at a point.
//!
//! `cargo run --release -p upsweep-apps --example 21_field`

use upsweep::prelude::*;
use upsweep_apps::poly::Polynomial;

const P: u64 = 0xffff_ffff_0000_0001;

/// Product modulo p.
#[operator(identity = 1)]
fn times(a: u64, b: u64) -> u64 {
    (a as u128 * b as u128 % P as u128) as u64
}

/// Quotient modulo p: `numerator` times the known inverse of the denominator.
#[function]
fn quotient(numerator: u64, inverse: u64) -> u64 {
    times(numerator, inverse)
}

/// Inverse of an element: the product of the elements before it, times the product of the elements after it, times
/// `of_all`, the inverse of the product of all elements.
#[function]
fn inverse(#[param] of_all: u64, before: u64, after: u64) -> u64 {
    times(of_all, times(before, after))
}

fn power(mut x: u64, mut exponent: u64) -> u64 {
    let mut product = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            product = times(product, x);
        }
        (x, exponent) = (times(x, x), exponent / 2);
    }
    product
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    let n = 100_000u64;
    let element = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (P - 1) + 1;
    let x = device.upload(&(0..n).map(element).collect::<Vec<u64>>())?;

    // Batch inversion: exclusive products from both sides, and the inverse of the product of all elements, give the
    // inverse of each element.
    let before: Array<u64> = Scan::new(Times).exclusive().run_to_array(&device, &x)?;
    let after: Array<u64> = Scan::new(Times).exclusive().reverse().run_to_array(&device, &x)?;
    let of_all = power(device.reduce(&x, Times)?, P - 2);
    let inverses: Array<u64> = Transform::new(Inverse { of_all }).run_to_array(&device, (&before, &after))?;
    println!("{:>20}  {:>20}  their product modulo p", "x", "1 / x");
    for (i, inverse) in inverses.to_vec()?.into_iter().enumerate() {
        let one = times(element(i as u64), inverse);
        assert_eq!(one, 1);
        if i < 4 {
            println!("{:20}  {inverse:20}  {one}", element(i as u64));
        }
    }

    // Permutation argument: if two arrays have the same elements, the running product of their quotients ends with 1.
    let turned: Vec<u64> = (0..n).map(|i| element(n - 1 - i)).collect();
    let turned = device.upload(&turned)?;
    let grand: Array<u64> = Scan::new(Times).map(Quotient).run_to_array(&device, (&turned, &inverses))?;
    let grand = grand.to_vec()?;
    assert_eq!(grand.last(), Some(&1));
    println!("running product of quotients: {} {} ... {}", grand[0], grand[1], grand[n as usize - 1]);

    // Value of the polynomial with the coefficients x at the point 7.
    let value = Polynomial::of(&x).evaluate_modulo(&device, 7, P)?;
    let expected = (0..n).rev().fold(0u128, |v, i| (v * 7 + u128::from(element(i))) % u128::from(P));
    assert_eq!(u128::from(value), expected);
    println!("{n} inverses with one division; the polynomial with these coefficients at 7: {value}");
    Ok(())
}
