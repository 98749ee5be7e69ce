//! Evaluation of expression trees, by rake and compress.
//!
//! ```text
//! rank[v] = floor(log2(vertices below v, itself included))       of at most one child that of its parent
//! path    = vertices of the same rank, each the parent of the next
//! order   = the vertices by rank, those of a rank in postorder   a path is one piece, its lowest vertex first
//!
//! program, for each v in order:
//!     v begins a path:   x = own value of v
//!     else:              x = x ⊕ own value of v
//!     for each child c of v of a lower rank:
//!                        x = x ⊕ value of c                      ⊕ is what v does
//!
//! for each rank from 1 on:
//!     scan its part of the program                               each step is a function x -> a x + b
//!     value[v] = x behind the last step of v
//! ```
//!
//! Two children of their parent's rank would be two subtrees of 2^rank vertices below a vertex of less than twice as
//! many: so a path does not branch. A subtree that hangs on a path has a lower rank. It is evaluated before (rake), and
//! a path is evaluated at once (compress). The functions of a semiring compose:
//! `c (a x + b) + d = (c a) x + (c b + d)`. A function that begins a path forgets the x before it, so paths need no
//! boundaries.
//!
//! A function without `a` or without `b` says so by its `terms`, and does not hold the one or the zero of the semiring.
//! So an operator needs no identity, and there is no multiplication that a loop would not do.

use super::{OrSelf, Tree};
use crate::error::Result;
use crate::part::{Part, map};
use std::ops::Range;
use upsweep::operator::{Source, Values};
use upsweep::prelude::*;
use upsweep::{Error, Input};

/// Number of ranks that a tree can have: the rank of a vertex is the logarithm to base 2, rounded down, of the number
/// of vertices of its subtree.
const RANKS: u8 = 30;

/// Function `x -> a x + b` with the terms in `terms`: 1 for an x, 2 for an a, 4 for a b. Without an x, its a means
/// nothing.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Line<T> {
    a: T,
    b: T,
    terms: u32,
}

/// Function of a step of the program. The number of the step is that of its terms: 3 is `x * value`, 4 is `value`, 5 is
/// `x + value`.
#[function]
fn line_of<T: Element>(step: u8, value: T) -> Line<T> {
    Line { a: value, b: value, terms: step as u32 }
}

#[function]
fn factor<T: Element>(line: Line<T>) -> T {
    line.a
}

/// Constant b of a function. Without an x, it is the value of all steps since the begin of a path.
#[function]
fn constant<T: Element>(line: Line<T>) -> T {
    line.b
}

/// Constant of `f` after the function `g` has multiplied it: `product` (the constant times the factor of `g`) if `g`
/// has a factor, else the constant itself.
#[function]
fn scaled<T: Element>(f: Line<T>, g: Line<T>, product: T) -> T {
    if g.terms & 2 != 0 { product } else { f.b }
}

/// Constant of first `f`, then `g`: from `scaled`, the constant of `f` times the factor of `g`, and `sum`, which is
/// `scaled` plus the constant of `g`.
#[function]
fn added<T: Element>(f: Line<T>, g: Line<T>, scaled: T, sum: T) -> T {
    let other = if g.terms & 4 != 0 { g.b } else { scaled };
    if f.terms & g.terms & 4 != 0 { sum } else { other }
}

/// Function that applies first `f`, then `g`: from `product`, the product of their factors, and `b`, the constant of
/// both.
#[function]
fn joined<T: Element>(f: Line<T>, g: Line<T>, product: T, b: T) -> Line<T> {
    let other = if g.terms & 2 != 0 { g.a } else { f.a };
    let a = if f.terms & g.terms & 2 != 0 { product } else { other };
    if g.terms & 1 == 0 { g } else { Line { a, b, terms: f.terms & 1 | (f.terms | g.terms) & 6 } }
}

/// Composition of two functions: first `f`, then `g`. Values of absent terms are computed and not used.
#[derive(Clone, Copy, Debug)]
struct Then<P, M> {
    plus: P,
    times: M,
}

impl<T: Element, P: Operator<T>, M: Operator<T>> Operator<Line<T>> for Then<P, M> {
    fn combine(&self, f: Line<T>, g: Line<T>) -> Line<T> {
        let scaled = Scaled.call((f, g, self.times.combine(f.b, g.a)));
        let b = Added.call((f, g, scaled, self.plus.combine(scaled, g.b)));
        Joined.call((f, g, self.times.combine(f.a, g.a), b))
    }

    fn values(&self, values: &mut Values) {
        self.plus.values(values);
        self.times.values(values);
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let (ty, line) = (T::cuda_type(source), Line::<T>::cuda_type(source));
        let (plus, times) = (self.plus.cuda_function(source), self.times.cuda_function(source));
        let factor = Function::<(Line<T>,)>::cuda_function(&Factor, source);
        let constant = Function::<(Line<T>,)>::cuda_function(&Constant, source);
        let scaled = Function::<(Line<T>, Line<T>, T)>::cuda_function(&Scaled, source);
        let added = Function::<(Line<T>, Line<T>, T, T)>::cuda_function(&Added, source);
        let joined = Function::<(Line<T>, Line<T>, T, T)>::cuda_function(&Joined, source);
        source.define(&format!("then {plus} {times} {line}"), "then", |_, name| {
            format!(
                "__device__ __forceinline__ {line} {name}({line} f, {line} g) {{\n  \
                 const {ty} s = {scaled}(f, g, {times}({constant}(f), {factor}(g)));\n  \
                 const {ty} b = {added}(f, g, s, {plus}(s, {constant}(g)));\n  \
                 return {joined}(f, g, {times}({factor}(f), {factor}(g)), b);\n}}"
            )
        })
    }
}

#[function]
fn rank(size: u32) -> u8 {
    31 - size.leading_zeros() as u8
}

/// Position, in the program's order, of the parent of a vertex that has a lower rank than the parent ("hangs on" it);
/// `n` for a root, and for a vertex of the parent's rank, which is on the parent's path.
#[function]
fn hangs_on(#[param] n: u32, parent: u32, size_above: u32, place_above: u32, size: u32) -> u32 {
    if parent == u32::MAX || rank(size_above) == rank(size) { n } else { place_above }
}

/// Index of the own step of the vertex `at` in the order: after the own steps of the `at` vertices before it, and the
/// steps of the `hanging` vertices that hang on those.
#[function]
fn own_place(hanging: u32, at: u32) -> u32 {
    hanging + at
}

/// Index of the step of a vertex that hangs on another, which is at `place_above` in the order: after the other's own
/// step, and after the `at` steps of vertices that hang before it. It is past the program for vertices that hang on
/// none.
#[function]
fn hanging_place(place_above: u32, at: u32) -> u32 {
    at + place_above + 1
}

#[function]
fn before(at: u32) -> u32 {
    if at == 0 { 0 } else { at - 1 }
}

/// Own step of a vertex: 4 at the begin of a path, else 3 if the vertex multiplies and 5 if it adds; see `line_of`.
#[function]
fn own_step(ranks: [u8; 3], above_before: u32, vertex: u32, multiplies: bool) -> u8 {
    if above_before != vertex || ranks[0] != ranks[1] {
        4
    } else if multiplies {
        3
    } else {
        5
    }
}

#[function]
fn hanging_step(multiplies: bool) -> u8 {
    if multiplies { 3 } else { 5 }
}

/// Index of the last step of a vertex, counted from step `from` on; `next` is the index of the next vertex's first
/// step.
#[function]
fn last_step(#[param] from: u32, next: u32) -> u32 {
    next - 1 - from
}

/// Program that evaluates an expression tree: its steps, in order.
#[derive(Debug)]
struct Program {
    /// Vertices by rank. A vertex comes after its child of the same rank.
    order: Array<u32>,
    /// Index of the first step of each vertex, in this order; last, the number of all steps.
    begins: Array<u32>,
    /// For each step, the vertex whose value it takes, and the operation (the number of its terms).
    sources: Array<u32>,
    steps: Array<u8>,
    /// For each rank from 1 on that has vertices: the positions of these vertices in `order`, and their steps.
    rounds: Vec<(Range<usize>, Range<usize>)>,
}

impl Program {
    fn of(device: &Device, tree: &Tree, multiplies: &Part<'_, bool>) -> Result<Self> {
        let n = tree.parents.len();
        let all = 0..n as u32;
        // The sort is stable: vertices of a rank stay in postorder, in which the vertices of a path are neighbours.
        let (mut ranks, mut order) = (device.room::<u8>(n)?, device.room::<u32>(n)?);
        let postorder = tree.postorder(device)?;
        let ranked: Array<u8> = map(device, Rank, Gather::of(&tree.sizes).at(&postorder))?;
        Sort::pairs().run(device, (&ranked, &postorder), (&mut ranks, &mut order))?;
        let mut places = device.room::<u32>(n)?;
        Transform::copy().run(device, all.clone(), Scatter::to(&mut places).at(&order))?;

        // Vertices that hang on another one (have a lower rank than their parent), sorted by their parent's position in
        // the order; last, all other vertices.
        let above = || Apply(OrSelf, (&tree.parents, all.clone()));
        let of_above =
            (&tree.parents, Gather::of(&tree.sizes).at(above()), Gather::of(&places).at(above()), &tree.sizes);
        let hangs: Array<u32> = map(device, HangsOn { n: n as u32 }, of_above)?;
        let vertices: Array<u32> = Transform::copy().run_to_array(device, all.clone())?;
        let (mut on, mut hanging) = (device.room::<u32>(n)?, device.room::<u32>(n)?);
        Sort::pairs().run(device, (&hangs, &vertices), (&mut on, &mut hanging))?;

        // Each vertex's own step comes first, and then the steps of the vertices that hang on it. After the program
        // come the steps of vertices that hang on none, which no round reads.
        let upto: Array<u32> = Transform::copy().run_to_array(device, 0..n as u32 + 1)?;
        let before_each: Array<u32> = Search::lower(&on).run_to_array(device, &upto)?;
        let begins: Array<u32> = map(device, OwnPlace, (&before_each, &upto))?;
        let (mut sources, mut steps) = (device.room::<u32>(2 * n + 1)?, device.room::<u8>(2 * n + 1)?);
        let own = &Part::of(&begins, 0..n)?;
        let hung = || Apply(HangingPlace, (&on, all.clone()));
        Transform::copy().run(device, &order, Scatter::to(&mut sources).at(own))?;
        Transform::copy().run(device, &hanging, Scatter::to(&mut sources).at(hung()))?;
        let above_before = Gather::of(&tree.parents).at(Gather::of(&order).at(Apply(Before, all.clone())));
        let what = (Neighbours::of(&ranks), above_before, &order, Gather::of(multiplies).at(&order));
        Transform::new(OwnStep).run(device, what, Scatter::to(&mut steps).at(own))?;
        let above_hanging = Apply(OrSelf, (Gather::of(&tree.parents).at(&hanging), &hanging));
        let what = Gather::of(multiplies).at(above_hanging);
        Transform::new(HangingStep).run(device, what, Scatter::to(&mut steps).at(hung()))?;

        // Rounds begin with rank 1: leaves have the rank 0, and their own values.
        let ranks_from_1: Vec<u8> = (1..=RANKS).collect();
        let bounds: Array<u32> = Search::lower(&ranks).run_to_array(device, &device.upload(&ranks_from_1)?)?;
        let step_bounds = Transform::copy().run_to_array(device, Gather::of(&begins).at(&bounds))?;
        let (bounds, step_bounds): (Vec<u32>, Vec<u32>) = (bounds.to_vec()?, step_bounds.to_vec()?);
        let range = |bounds: &[u32]| bounds[0] as usize..bounds[1] as usize;
        let rounds = bounds.windows(2).zip(step_bounds.windows(2)).map(|(places, steps)| (range(places), range(steps)));
        let rounds = rounds.filter(|(places, _)| !places.is_empty()).collect();
        Ok(Self { order, begins, sources, steps, rounds })
    }
}

impl Tree {
    /// Evaluates each vertex as an expression, over any semiring: its own value and those of its children, added, or
    /// multiplied where `multiplies` is set.
    ///
    /// ```text
    /// value[v] = values[v] times value[c] times value[d] ..   if multiplies[v]
    ///            values[v] plus  value[c] plus  value[d] ..   else, for the children c, d, .. of v
    /// ```
    ///
    /// A leaf has its own value, whatever its `multiplies`. An inner vertex without a constant of its own has the zero
    /// of the semiring if it adds, and the one if it multiplies. (3 + 4) * (2 + 1 * 5) is 49:
    ///
    /// ```
    /// use upsweep::prelude::*;
    /// use upsweep_apps::tree::Tree;
    ///
    /// let device = Device::cpu();
    /// // 0 is the product of 1 and 2; below 1 is 4, to which it adds 3; below 2 are 2 and 5, the product of 1 and 5.
    /// let tree = Tree::build(&device, &[0u32, 0, 0, 1, 2, 2, 5, 5])?;
    /// let multiplies = [true, false, false, false, false, true, false, false];
    /// let values = [1u64, 3, 0, 4, 2, 1, 1, 5];
    /// let found = tree.evaluate(&device, Sum, Product, &multiplies, &values)?;
    /// assert_eq!(found.to_vec()?, [49, 7, 7, 4, 2, 5, 1, 5]);
    /// // Minimum and sum are a semiring, too: here 1 + min(3, 4) + min(0, 2, 1 + 1 + 5).
    /// let found = tree.evaluate(&device, Min, Sum, &multiplies, &values)?;
    /// assert_eq!(found.to_vec()?, [4, 3, 0, 4, 2, 7, 1, 5]);
    /// # Ok::<(), upsweep_apps::Error>(())
    /// ```
    ///
    /// Both operators must commute, and `times` must distribute over `plus`. Examples are sum and product, also of
    /// integers that wrap; minimum and sum of numbers that do not overflow; [`Or`] and [`And`]. Neither needs an
    /// identity or an inverse. With such operators results are exact. Floats are rounded otherwise than in a loop, as
    /// `(x + a) * b` may be computed as `x * b + a * b`: that is about as exact where all values are positive, and
    /// worse where such products overflow or cancel out. Results are the same bits in every run.
    ///
    /// On CUDA this waits before the first round. There are at most log2(n) rounds, whatever the shape: for each k from
    /// 1 on, one for all subtrees of 2^k to 2^(k + 1) - 1 vertices, if there are any. A chain and a binary tree take
    /// all of them, a star one. A vertex is a step of its own round, and the upper end of a path is also a step of a
    /// later round: all rounds together scan less than 2 n functions, of two values each. Before the rounds, vertices
    /// are sorted twice, by a byte and by a position. Values have at most 28 bytes.
    ///
    /// Source: Cole and Vishkin, "The Accelerated Centroid Decomposition Technique for Optimal Parallel Tree Evaluation
    /// in Logarithmic Time", 1988, for the paths; Miller and Reif, "Parallel Tree Contraction and Its Application",
    /// 1985, for the functions.
    ///
    /// # Errors
    /// [`Length`](Error::Length): the number of values, or of flags, is not the number of vertices;
    /// [`Place`](Error::Place), [`OutOfMemory`](Error::OutOfMemory); CUDA's own.
    pub fn evaluate<P, M, K, X>(
        &self,
        device: &Device,
        plus: P,
        times: M,
        multiplies: &K,
        values: &X,
    ) -> Result<Array<X::Item>>
    where
        K: Input<Item = bool> + ?Sized,
        X: Input + ?Sized,
        P: Operator<X::Item>,
        M: Operator<X::Item>,
    {
        self.expect(values)?;
        let (found, expected) = (multiplies.view().len(), self.parents.len());
        if found != expected {
            return Err(Error::Length { what: "flags of vertices", found, expected }.into());
        }
        self.evaluated(device, Then { plus, times }, &Part::all(multiplies), &Part::all(values))
    }

    fn evaluated<T: Element, P: Operator<T>, M: Operator<T>>(
        &self,
        device: &Device,
        then: Then<P, M>,
        multiplies: &Part<'_, bool>,
        values: &Part<'_, T>,
    ) -> Result<Array<T>> {
        // All vertices begin with their own values; a round then stores the values of its vertices.
        let mut found: Array<T> = Transform::copy().run_to_array(device, values)?;
        let program = Program::of(device, self, multiplies)?;
        for (places, steps) in program.rounds {
            let sources = &Part::of(&program.sources, steps.clone())?;
            let taken = (&Part::of(&program.steps, steps.clone())?, Gather::of(&found).at(sources));
            let partial: Array<T> = Scan::new(then).map(LineOf).finish(Constant).run_to_array(device, taken)?;
            let next = &Part::of(&program.begins, places.start + 1..places.end + 1)?;
            let last = Gather::of(&partial).at(Apply(LastStep { from: steps.start as u32 }, next));
            let vertices = &Part::of(&program.order, places)?;
            Transform::copy().run(device, last, Scatter::to(&mut found).at(vertices))?;
        }
        Ok(found)
    }
}
