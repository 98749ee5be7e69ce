//! Bases of states in which powers of the transition do not grow.
//!
//! The results that the states z alone lead to, up to some element, have the energy z' O z. With O = R' R for an upper
//! triangle R, the states w = R z have that energy as the square of their length. So the relative rounding error of w
//! is about as small as that of the results. For a stable recurrence the length of w falls from element to element. In
//! the states z themselves, results are small differences of large terms where poles are close to each other.
//!
//! ```text
//! O[1] = c' c,   O[2 n] = O[n] + (A^n)' O[n] A^n         c: the result that the states lead to next
//! ```
//!
//! Each section of a cascade has its own basis, for its own results. The energy of the last section's results alone
//! would hide what sections undo of each other: states that lead to little in the end would lose more digits than in
//! the loop, which rounds each section's states relative to themselves.
//!
//! The doubling ends where more elements make no difference, or, for an unstable recurrence, too much of one. It
//! continues for as long as there are fewer elements than states: some states then lead to no result yet.

use super::exact::Double;

/// The matrix R and its inverse, row by row: upper triangles.
pub(super) struct Basis {
    pub(super) into: Vec<Double>,
    pub(super) back: Vec<Double>,
}

const MOST_DOUBLINGS: usize = 14;
/// Factor of growth of the energy, when the number of elements is doubled, above which a recurrence counts as unstable.
const UNSTABLE: f64 = 64.0;
/// Energy, relative to the largest one, below which a direction in the space of states counts as zero.
const NOTHING: f64 = 1e-28;

/// Returns the basis for the states of a transition matrix (row by row), of `order` states, whose first state is the
/// next result. `None` if numbers are too large for a basis.
pub(super) fn of(order: usize, transition: &[Double]) -> Option<Basis> {
    let energy = energy(order, transition);
    let scale = Double::of_power_of_two(-(energy.iter().fold(0.0f64, |most, x| most.max(x.high().abs())).log2() / 2.0));
    let into: Vec<_> = triangle(order, energy)?.into_iter().map(|x| x.times(scale)).collect();
    let back = inverse(order, &into);
    let usable = |x: &Double| x.high().is_finite() && x.high().abs() < 1e30;
    into.iter().chain(&back).all(usable).then_some(Basis { into, back })
}

/// Returns the product of two matrices of `order` rows and columns; all matrices are stored row by row.
pub(super) fn product(order: usize, a: &[Double], b: &[Double]) -> Vec<Double> {
    let mut product = Vec::with_capacity(order * order);
    for row in a.chunks_exact(order) {
        for j in 0..order {
            let terms = row.iter().zip(b.iter().skip(j).step_by(order));
            product.push(terms.fold(Double::ZERO, |sum, (a, b)| sum.plus(a.times(*b))));
        }
    }
    product
}

fn transposed(order: usize, a: &[Double]) -> Vec<Double> {
    (0..order * order).map(|at| a[at % order * order + at / order]).collect()
}

fn energy(order: usize, transition: &[Double]) -> Vec<Double> {
    let mut energy = vec![Double::ZERO; order * order];
    energy[0] = Double::of(1.0);
    let mut power = transition.to_vec();
    let trace = |energy: &[Double]| energy.iter().step_by(order + 1).map(|x| x.high()).sum::<f64>();
    for doubling in 0..MOST_DOUBLINGS {
        let later = product(order, &transposed(order, &power), &product(order, &energy, &power));
        let both: Vec<_> = energy.iter().zip(&later).map(|(a, b)| a.plus(*b)).collect();
        let (before, after) = (trace(&energy), trace(&both));
        let enough = 1 << doubling >= 2 * order;
        if enough && (!after.is_finite() || after > UNSTABLE * before) {
            break;
        }
        energy = both;
        if enough && after <= before * (1.0 + 1e-6) {
            break;
        }
        power = product(order, &power, &power);
    }
    energy
}

/// Returns the Cholesky decomposition of `left`: the upper triangle R with R' R = `left`.
fn triangle(order: usize, mut left: Vec<Double>) -> Option<Vec<Double>> {
    let mut r = vec![Double::ZERO; order * order];
    let largest = (0..order).map(|i| left[i * order + i].high()).fold(0.0, f64::max);
    for i in 0..order {
        let energy = left[i * order + i];
        let root = if energy.high() > largest * NOTHING { energy } else { Double::of(largest * NOTHING) }.root()?;
        r[i * order + i] = root;
        for j in i + 1..order {
            r[i * order + j] = left[i * order + j].over(root);
        }
        for j in i + 1..order {
            for k in i + 1..order {
                let taken = r[i * order + j].times(r[i * order + k]);
                left[j * order + k] = left[j * order + k].plus(taken.negated());
            }
        }
    }
    Some(r)
}

/// Returns the inverse of `r`, an upper triangular matrix.
fn inverse(order: usize, r: &[Double]) -> Vec<Double> {
    let mut inverse = vec![Double::ZERO; order * order];
    for column in 0..order {
        for i in (0..=column).rev() {
            let own = if i == column { Double::of(1.0) } else { Double::ZERO };
            let terms = (i + 1..=column)
                .fold(own, |sum, j| sum.plus(r[i * order + j].times(inverse[j * order + column]).negated()));
            inverse[i * order + column] = terms.over(r[i * order + i]);
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_numbers(x: &[f64]) -> Vec<Double> {
        x.iter().map(|&x| Double::of(x)).collect()
    }

    #[test]
    fn powers_of_a_stable_recurrence_make_nothing_larger() {
        // Three poles at 0.99: without a basis, powers of the transition have entries of thousands.
        let a = [3.0 * 0.99, -3.0 * 0.99 * 0.99, 0.99 * 0.99 * 0.99];
        let transition = of_numbers(&[a[0], 1.0, 0.0, a[1], 0.0, 1.0, a[2], 0.0, 0.0]);
        let basis = of(3, &transition).unwrap();
        let unit = product(3, &basis.into, &basis.back);
        for (at, x) in unit.iter().enumerate() {
            assert!((x.high() - if at % 4 == 0 { 1.0 } else { 0.0 }).abs() < 1e-25, "{unit:?}");
        }
        let mut power = product(3, &product(3, &basis.into, &transition), &basis.back);
        for _ in 0..12 {
            for column in 0..3 {
                let length = power.iter().skip(column).step_by(3).map(|x| x.high() * x.high()).sum::<f64>().sqrt();
                assert!(length <= 1.0 + 1e-6, "{length}");
            }
            power = product(3, &power, &power);
        }
    }

    #[test]
    fn unstable_and_unobservable_recurrences_have_one() {
        for a in [2.5, -40.0, 1e9] {
            let transition = of_numbers(&[a, 1.0, 0.5, 0.0]);
            assert!(of(2, &transition).is_some(), "{a}");
        }
        // The second state has no effect on any result.
        let transition = of_numbers(&[0.5, 0.0, 0.0, 0.25]);
        assert!(of(2, &transition).is_none_or(|basis| basis.back.iter().all(|x| x.high().is_finite())));
    }
}
