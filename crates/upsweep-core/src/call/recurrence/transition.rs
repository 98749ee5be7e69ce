//! State transition of a recurrence on elements of 0: its powers, and the weights of elements in later states.

use super::{Coefficient, Exact, System};

/// State transition of a recurrence: how an element of 0 and an element of 1 change the states. If there is a basis, in
/// which rounding errors stay small, the states are those in the basis.
#[derive(Clone, Debug)]
pub struct Transition<C: Coefficient> {
    order: usize,
    /// States after an element of 0, as combinations of the states before, row by row.
    rows: Vec<C::Exact>,
    /// States after an element of 1 from zero states.
    input: Vec<C::Exact>,
    /// Matrices that convert states into the basis and back, upper triangles; `None` if states are their own basis.
    pub basis: Option<[Vec<C>; 2]>,
}

impl<C: Coefficient> Transition<C> {
    /// Computes the transition of a recurrence. There is no basis for integers, which are not rounded, for states
    /// without feedback, which vanish after `order` elements, and for a single state, which has one direction.
    pub fn of(system: &System<C>) -> Self {
        let order = system.order;
        let (rows, input) = (transition(system), after_one(system));
        let basis = (system.feedback && order > 1).then(|| basis(system, &rows)).flatten();
        let Some([into, back]) = basis else { return Self { order, rows, input, basis: None } };
        let input = applied::<C>(&into, &input);
        let rows = multiply::<C>(order, &multiply::<C>(order, &into, &rows), &back);
        let basis = [into, back].map(|matrix| matrix.iter().map(|x| x.number()).collect());
        Self { order, rows, input, basis: Some(basis) }
    }

    /// Returns the power `A^items` of the transition matrix A, rounded to numbers `C`, and the rounding error of each
    /// entry.
    pub fn power(&self, items: usize) -> [Vec<C>; 2] {
        let power = self.exact_power(items);
        let lacks = |x: &C::Exact| C::Exact::of(x.number().negated()).plus(*x).number();
        [power.iter().map(|x| x.number()).collect(), power.iter().map(lacks).collect()]
    }

    /// Returns the powers `A^(items 2^level)` of the transition matrix A for each level, which give the states after
    /// that number of elements that are 0.
    #[cfg(feature = "cuda")]
    pub fn powers(&self, items: usize, levels: usize) -> Vec<C> {
        let order = self.order;
        let mut result = self.exact_power(items);
        let mut all = Vec::with_capacity(levels * order * order);
        for level in 0..levels {
            if level > 0 {
                result = multiply::<C>(order, &result, &result);
            }
            all.extend(result.iter().map(|x| x.number()));
        }
        all
    }

    fn exact_power(&self, items: usize) -> Vec<C::Exact> {
        let order = self.order;
        let mut power = self.rows.clone();
        let mut result = identity::<C>(order);
        let mut left = items;
        while left > 0 {
            if left & 1 == 1 {
                result = multiply::<C>(order, &power, &result);
            }
            left >>= 1;
            if left > 0 {
                power = multiply::<C>(order, &power, &power);
            }
        }
        result
    }

    /// Returns the weight of each of `steps` elements in each state after the last of them: state by state, and for a
    /// state in the order of the elements.
    pub fn weights(&self, steps: usize) -> Vec<C> {
        let order = self.order;
        let mut all = vec![C::ZERO; order * steps];
        let mut left = self.input.clone();
        for step in (0..steps).rev() {
            all.iter_mut().skip(step).step_by(steps).zip(&left).for_each(|(to, x)| *to = x.number());
            left = applied::<C>(&self.rows, &left);
        }
        all
    }
}

/// Returns the matrices from states into the basis and back; for a cascade, those of each section's two states.
fn basis<C: Coefficient>(system: &System<C>, rows: &[C::Exact]) -> Option<[Vec<C::Exact>; 2]> {
    let System { order, sections, .. } = *system;
    if sections == 0 {
        return C::basis(order, rows);
    }
    let mut all = [(); 2].map(|()| vec![C::Exact::of(C::ZERO); order * order]);
    // Indices, in the matrix, of the four entries that combine the two states of section `s` of a cascade.
    let own = |s: usize| [0, 1, order, order + 1].map(|at| 2 * s * (order + 1) + at);
    for s in 0..sections {
        let rows: Vec<_> = own(s).iter().filter_map(|&at| rows.get(at).copied()).collect();
        for (all, of_section) in all.iter_mut().zip(C::basis(2, &rows)?) {
            for (at, x) in own(s).into_iter().zip(of_section) {
                if let Some(place) = all.get_mut(at) {
                    *place = x;
                }
            }
        }
    }
    Some(all)
}

/// Returns the transition matrix, row by row: a row combines the states before an element of 0 to a state after it.
fn transition<C: Coefficient>(system: &System<C>) -> Vec<C::Exact> {
    let System { order, sections, ref coefficients, .. } = *system;
    let exact = |x: C| C::Exact::of(x);
    let mut rows = vec![exact(C::ZERO); order * order];
    let mut put = |i: usize, j: usize, x: C::Exact| {
        if let Some(place) = rows.get_mut(i * order + j) {
            *place = place.plus(x);
        }
    };
    if sections == 0 {
        for (i, &a) in coefficients.iter().skip(order + 1).enumerate() {
            put(i, 0, exact(a));
            if i + 1 < order {
                put(i, i + 1, exact(C::ONE));
            }
        }
        return rows;
    }
    // The input of a section is a combination of the first states of all sections before it.
    let mut input = vec![exact(C::ZERO); order];
    for (s, &[b0, b1, b2, a1, a2]) in coefficients.as_chunks::<5>().0.iter().enumerate() {
        let [b0, b1, b2, a1, a2] = [b0, b1, b2, a1, a2].map(exact);
        let mut output: Vec<C::Exact> = input.iter().map(|x| b0.times(*x)).collect();
        if let Some(own) = output.get_mut(2 * s) {
            *own = own.plus(exact(C::ONE));
        }
        for (j, (x, y)) in input.iter().zip(&output).enumerate() {
            put(2 * s, j, b1.times(*x).plus(a1.times(*y)));
            put(2 * s + 1, j, b2.times(*x).plus(a2.times(*y)));
        }
        put(2 * s, 2 * s + 1, exact(C::ONE));
        input = output;
    }
    rows
}

/// Returns the states after an element of 1 from zero states. In a cascade, the first section reads the element, and
/// each other section reads the result of the section before.
fn after_one<C: Coefficient>(system: &System<C>) -> Vec<C::Exact> {
    let exact = |x: C| C::Exact::of(x);
    if system.sections > 0 {
        let mut states = Vec::with_capacity(system.order);
        let mut x = exact(C::ONE);
        for &[b0, b1, b2, a1, a2] in system.coefficients.as_chunks::<5>().0 {
            let y = exact(b0).times(x);
            states.extend([(b1, a1), (b2, a2)].map(|(b, a)| exact(b).times(x).plus(exact(a).times(y))));
            x = y;
        }
        return states;
    }
    let (b, a) = system.coefficients.split_at(system.order + 1);
    let y = exact(b.first().copied().unwrap_or(C::ZERO));
    b.iter().skip(1).zip(a).map(|(&b, &a)| exact(b).plus(exact(a).times(y))).collect()
}

/// Returns the product of a square matrix, row by row, and a column.
fn applied<C: Coefficient>(square: &[C::Exact], column: &[C::Exact]) -> Vec<C::Exact> {
    let sum =
        |row: &[C::Exact]| row.iter().zip(column).fold(C::Exact::of(C::ZERO), |sum, (a, x)| sum.plus(a.times(*x)));
    square.chunks_exact(column.len().max(1)).map(sum).collect()
}

fn identity<C: Coefficient>(order: usize) -> Vec<C::Exact> {
    (0..order * order).map(|at| C::Exact::of(if at % (order + 1) == 0 { C::ONE } else { C::ZERO })).collect()
}

/// Returns the product of a matrix with rows of `order` numbers and a square matrix, both row by row.
fn multiply<C: Coefficient>(order: usize, rows: &[C::Exact], square: &[C::Exact]) -> Vec<C::Exact> {
    let mut product = Vec::with_capacity(rows.len());
    for row in rows.chunks_exact(order) {
        for j in 0..order {
            let terms = row.iter().zip(square.iter().skip(j).step_by(order));
            product.push(terms.fold(C::Exact::of(C::ZERO), |sum, (a, b)| sum.plus(a.times(*b))));
        }
    }
    product
}
