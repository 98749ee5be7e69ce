//! Trees and forests: depths, sizes, orders, path and subtree sums, ancestors, expressions; Fenwick trees over arrays.
//!
//! ```
//! use upsweep::prelude::*;
//! use upsweep_apps::tree::Tree;
//!
//! let device = Device::cpu();
//! // Vertex 0 is the root; 1 and 2 are its children, 3 and 4 those of 1, and 5 is that of 2.
//! let tree = Tree::build(&device, &[0u32, 0, 0, 1, 1, 2])?;
//! assert_eq!(tree.depths().to_vec()?, [0, 1, 1, 2, 2, 2]);
//! assert_eq!(tree.sizes().to_vec()?, [6, 3, 2, 1, 1, 1]);
//! assert_eq!(tree.preorder().to_vec()?, [0, 1, 3, 4, 2, 5]);
//! // What lies below each vertex, itself included; and what lies on the way to it.
//! let bytes = device.upload(&[1u64, 10, 20, 300, 400, 500])?;
//! assert_eq!(tree.sums_up(&device, Sum, &bytes)?.to_vec()?, [1231, 710, 520, 300, 400, 500]);
//! assert_eq!(tree.sums_down(&device, Sum, &bytes)?.to_vec()?, [1, 11, 21, 311, 411, 521]);
//! assert_eq!(tree.common_ancestors(&device, &[3u32, 3, 4], &[4u32, 5, 1])?.to_vec()?, [1, 0, 1]);
//! # Ok::<(), upsweep_apps::Error>(())
//! ```
//!
//! **How.** An Euler tour passes each vertex twice, when it enters the vertex and when it leaves it. The linked list of
//! these steps is built in parallel: the step after a vertex is entered goes to its first child, the one after it is
//! left to its next sibling. List ranking then gives the position of each step in the tour, and with it all results:
//! the subtree lies between the two positions of its root. Expressions are cut into paths; paths of subtrees of similar
//! sizes are evaluated at once: [`Tree::evaluate`].
//!
//! **Cost.** Children are found by a sort of the parents. The tour is a scan [along](upsweep::list_scan) a linked list
//! of 2 n steps. It reads each step twice, at random positions.

mod expression;
pub mod fenwick;
mod intervals;
mod walk;

pub use fenwick::Fenwick;
pub use walk::NONE;

use crate::error::{Error, Result};
use crate::part::{Part, element, map};
use intervals::Intervals;
use upsweep::operator::Source;
use upsweep::prelude::*;
use upsweep::{Input, operator::Values};

/// Tree or forest, built once and queried: see the [module](self).
///
/// Children are in the order of their numbers, and so are the roots of a forest.
#[derive(Debug)]
pub struct Tree {
    /// Parent of each vertex; [`NONE`] for roots.
    parents: Array<u32>,
    /// Position of each vertex in preorder; `left` has the positions in postorder.
    entered: Array<u32>,
    left: Array<u32>,
    depths: Array<u32>,
    sizes: Array<u32>,
    preorder: Array<u32>,
}

/// Parent of a vertex; for a root, the additional vertex `root`, which is above all roots of the forest.
#[function]
fn above(#[param] root: u32, parent: u32, vertex: u32) -> u32 {
    if parent == vertex || parent == u32::MAX { root } else { parent }
}

/// Returns the vertex if its parent is not one of the `n` vertices, and `u32::MAX` if it is or if there is none.
#[function]
fn astray(#[param] n: u32, parent: u32, vertex: u32) -> u32 {
    if parent >= n && parent != u32::MAX { vertex } else { u32::MAX }
}

#[function]
fn root_to_none(#[param] root: u32, parent: u32) -> u32 {
    if parent == root { u32::MAX } else { parent }
}

/// Addend of a step of the tour, for a scan that counts two things: the steps in the lower half of a number, and the
/// entered vertices in the upper half.
#[function]
fn step_at(#[param] down: u32, step: u32) -> u64 {
    if step < down { 1 << 32 | 1 } else { 1 }
}

/// Preorder, postorder, depth and size of a vertex from the sums over the tour where it is entered and left. The first
/// step enters the vertex above all roots.
#[function]
fn of_places(enter: u64, leave: u64) -> (u32, u32, u32, u32) {
    let (entered, place, last) = ((enter >> 32) as u32 - 1, enter as u32 - 1, leave as u32 - 1);
    let size = (last - place + 1) / 2;
    (entered - 1, last - entered - size, 2 * entered - place - 1, size)
}

#[function]
fn inside(above: u32, size: u32, below: u32) -> bool {
    below >= above && below - above < size
}

#[function]
fn last_of(first: u32, size: u32) -> u32 {
    first + size - 1
}

/// Position in preorder, counted from 1, of a vertex's parent, which is at `place` counted from 0; 0 for a root.
#[function]
fn place_above(parent: u32, place: u32) -> u32 {
    if parent == u32::MAX { 0 } else { place + 1 }
}

/// Parent of a vertex that is not on the path from the root to the vertex at the preorder position `at`; none for a
/// vertex on that path.
#[function]
fn parent_kept(#[param] at: u32, place: u32, size: u32, parent: u32) -> u32 {
    if at >= place && at - place < size { u32::MAX } else { parent }
}

/// Parent of a vertex on the path from the root to the vertex at the preorder position `at`; `n` for the root and for
/// vertices that are not on the path.
#[function]
fn above_on_way(#[param] at: u32, #[param] n: u32, place: u32, size: u32, parent: u32) -> u32 {
    if at >= place && at - place < size && parent != u32::MAX { parent } else { n }
}

#[function]
fn or_self(parent: u32, vertex: u32) -> u32 {
    if parent == u32::MAX { vertex } else { parent }
}

/// Interval of preorder positions in which the parents are looked for that have the common ancestor of the vertices at
/// `a` and `b`: from after the first of the two to the second.
#[function]
fn between(a: u32, b: u32) -> (u32, u32) {
    let (low, high) = (a.min(b), a.max(b));
    (if low == high { low } else { low + 1 }, high)
}

/// Position in preorder of the common ancestor of the vertices at `a` and `b`, from `place`, the smallest position of a
/// parent counted from 1; `u32::MAX` for vertices in different trees.
#[function]
fn place_of(place: u32, a: u32, b: u32) -> u32 {
    if a == b {
        a
    } else if place == 0 {
        u32::MAX
    } else {
        place - 1
    }
}

#[function]
fn at_least_0(place: u32) -> u32 {
    if place == u32::MAX { 0 } else { place }
}

#[function]
fn none_of(place: u32, vertex: u32) -> u32 {
    if place == u32::MAX { u32::MAX } else { vertex }
}

impl Tree {
    /// Builds the tree in which `parents[v]` is the parent of vertex `v`; a root is its own parent, or has [`NONE`]. On
    /// CUDA this waits.
    ///
    /// # Errors
    /// - [`Error::Parent`]: a parent that is no vertex
    /// - [`Error::Cycle`]: vertices that are their own ancestors; it names one
    /// - [`Error::Vertices`]: more than [`MAX_VERTICES`]
    /// - [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn build<P: Input<Item = u32> + ?Sized>(device: &Device, parents: &P) -> Result<Self> {
        Self::build_on(device, &Part::all(parents))
    }

    fn build_on(device: &Device, parents: &Part<'_, u32>) -> Result<Self> {
        let n = count(parents.view().len())?;
        let first: u32 = Reduce::new(Min).map(Astray { n }).run_to_host(device, (parents, 0..n))?;
        if first != NONE {
            let parent = element(device, parents, first as usize)?;
            return Err(Error::Parent { vertex: first, parent, vertices: n });
        }
        let up: Array<u32> = map(device, Above { root: n }, (parents, 0..n))?;
        let next = walk::around(device, &up)?;
        let down = n + 1;
        let walk = Scan::new(Sum).map(StepAt { down }).along(&next, n as usize).run_to_array(device, 0..2 * down);
        match walk::listed(device, walk)? {
            Some(places) => Self::of(device, &up, &places),
            None => Err(walk::cycle(&up.to_vec()?)),
        }
    }

    /// Builds the tree of `n` vertices with the edges `(a[i], b[i])`, in either direction, rooted at `root`. On CUDA
    /// this waits.
    ///
    /// # Errors
    /// - [`Error::Edges`]: the number of edges is not one less than the number of vertices
    /// - [`Error::Unreached`]: a vertex that no edges connect with the root, so that others are on a cycle
    /// - [`Error::Vertices`]: more than [`MAX_VERTICES`]
    /// - [`Index`](upsweep::Error::Index): an edge of a vertex that does not exist
    /// - [`Length`](upsweep::Error::Length), [`Place`](upsweep::Error::Place),
    ///   [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn from_edges<A, B>(device: &Device, n: usize, (a, b): (&A, &B), root: u32) -> Result<Self>
    where
        A: Input<Item = u32> + ?Sized,
        B: Input<Item = u32> + ?Sized,
    {
        let n = count(n)?;
        let parents = walk::parents(device, n, (&Part::all(a), &Part::all(b)), root)?;
        Self::build_on(device, &Part::of(&parents, 0..n as usize)?)
    }

    /// Tree of the same edges with another root; the other trees of a forest are unchanged. On CUDA this waits. It
    /// costs as much as [`build`](Self::build), and two passes over the vertices before.
    ///
    /// # Errors
    /// - [`Index`](upsweep::Error::Index): a root that is no vertex
    /// - [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn rerooted(&self, device: &Device, root: u32) -> Result<Self> {
        let n = self.parents.len() as u32;
        let at = element(device, &self.entered, root as usize)?;
        // On the path to the new root each vertex becomes the parent of the one above it.
        let mut parents = device.filled(n as usize + 1, NONE)?;
        let on_way = || (&self.entered, &self.sizes, &self.parents);
        let kept = Apply(ParentKept { at }, on_way());
        Transform::copy().run(device, kept, Scatter::to(&mut parents).at(0..n))?;
        let above = Apply(AboveOnWay { at, n }, on_way());
        Transform::copy().run(device, 0..n, Scatter::to(&mut parents).at(above))?;
        Self::build_on(device, &Part::of(&parents, 0..n as usize)?)
    }

    fn of(device: &Device, up: &Array<u32>, places: &Array<u64>) -> Result<Self> {
        let n = up.len();
        let array = || device.room::<u32>(n);
        let (mut first, mut last, mut depths, mut sizes) = (array()?, array()?, array()?, array()?);
        let (enter, leave) = (Part::of(places, 0..n)?, Part::of(places, n + 1..2 * n + 1)?);
        Transform::new(OfPlaces).run(device, (&enter, &leave), (&mut first, &mut last, &mut depths, &mut sizes))?;
        let mut preorder = array()?;
        Transform::copy().run(device, 0..n as u32, Scatter::to(&mut preorder).at(&first))?;
        let parents = map(device, RootToNone { root: n as u32 }, up)?;
        Ok(Self { parents, entered: first, left: last, depths, sizes, preorder })
    }

    /// Number of edges between each vertex and its root.
    #[must_use]
    pub fn depths(&self) -> &Array<u32> {
        &self.depths
    }

    /// Number of vertices of each subtree, its root included.
    #[must_use]
    pub fn sizes(&self) -> &Array<u32> {
        &self.sizes
    }

    /// Parent of each vertex, [`NONE`] for roots.
    #[must_use]
    pub fn parents(&self) -> &Array<u32> {
        &self.parents
    }

    /// Vertices in preorder: each before its children.
    #[must_use]
    pub fn preorder(&self) -> &Array<u32> {
        &self.preorder
    }

    /// Position of each vertex in preorder.
    #[must_use]
    pub fn preorder_places(&self) -> &Array<u32> {
        &self.entered
    }

    /// Vertices in postorder: each after its children.
    ///
    /// # Errors
    /// [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own.
    pub fn postorder(&self, device: &Device) -> Result<Array<u32>> {
        let mut order = device.filled(self.left.len(), 0u32)?;
        Transform::copy().run(device, 0..self.left.len() as u32, Scatter::to(&mut order).at(&self.left))?;
        Ok(order)
    }

    /// Position of each vertex in postorder.
    #[must_use]
    pub fn postorder_places(&self) -> &Array<u32> {
        &self.left
    }

    /// Combines the values of each vertex's subtree, in preorder. The operator need not commute, and needs no inverse
    /// and no identity: so `Max` finds the largest file below each folder. On CUDA this waits once. At most 2 log2(n)
    /// passes over the values.
    ///
    /// # Errors
    /// [`Length`](upsweep::Error::Length): the number of values is not the number of vertices;
    /// [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own.
    pub fn sums_up<Op, X>(&self, device: &Device, operator: Op, values: &X) -> Result<Array<X::Item>>
    where
        X: Input + ?Sized,
        Op: Operator<X::Item>,
    {
        self.expect(values)?;
        self.up(device, operator, &Part::all(values))
    }

    fn up<T: Element, Op: Operator<T>>(&self, device: &Device, operator: Op, values: &Part<'_, T>) -> Result<Array<T>> {
        let ordered = Transform::copy().run_to_array(device, Gather::of(values).at(&self.preorder))?;
        let last: Array<u32> = map(device, LastOf, (&self.entered, &self.sizes))?;
        Ok(Intervals { values: ordered }.combine(device, operator, &self.entered, &last)?)
    }

    /// Combines the values on the path from the root to each vertex, both included, in this order. On CUDA this waits
    /// once, for the largest depth. log2(depth) passes of random reads.
    ///
    /// # Errors
    /// As [`sums_up`](Self::sums_up).
    pub fn sums_down<Op, X>(&self, device: &Device, operator: Op, values: &X) -> Result<Array<X::Item>>
    where
        X: Input + ?Sized,
        Op: Operator<X::Item>,
    {
        self.expect(values)?;
        self.down(device, operator, &Part::all(values))
    }

    fn down<T: Element, Op: Operator<T>>(
        &self,
        device: &Device,
        operator: Op,
        values: &Part<'_, T>,
    ) -> Result<Array<T>> {
        let n = values.view().len() as u32;
        let mut sums: Array<T> = Transform::copy().run_to_array(device, values)?;
        let mut ancestors: Array<u32> = map(device, RootToNone { root: NONE }, &self.parents)?;
        let mut left = device.reduce(&self.depths, Max)?;
        while left > 0 {
            let place = || Apply(OrSelf, (&ancestors, 0..n));
            sums = map(device, After { operator }, (&ancestors, Gather::of(&sums).at(place()), &sums))?;
            ancestors = map(device, NoneOf, (&ancestors, Gather::of(&ancestors).at(place())))?;
            left /= 2;
        }
        Ok(sums)
    }

    /// Whether `a[i]` is an ancestor of `b[i]`, or `b[i]` itself.
    ///
    /// # Errors
    /// [`Index`](upsweep::Error::Index) for an index that is no vertex; [`Length`](upsweep::Error::Length),
    /// [`Place`](upsweep::Error::Place); CUDA's own.
    pub fn are_ancestors<A, B>(&self, device: &Device, a: &A, b: &B) -> Result<Array<bool>>
    where
        A: Input<Item = u32> + ?Sized,
        B: Input<Item = u32> + ?Sized,
    {
        let (a, b) = (&Part::all(a), &Part::all(b));
        self.above(device, a, b)
    }

    fn above(&self, device: &Device, a: &Part<'_, u32>, b: &Part<'_, u32>) -> Result<Array<bool>> {
        let of = (Gather::of(&self.entered).at(a), Gather::of(&self.sizes).at(a), Gather::of(&self.entered).at(b));
        Ok(map(device, Inside, of)?)
    }

    /// Lowest common ancestor of `a[i]` and `b[i]`, which may be one of them; [`NONE`] where they are in different
    /// trees. On CUDA this waits once. Up to 2 log2(n) passes over the vertices, as few as the queries need.
    ///
    /// # Errors
    /// As [`are_ancestors`](Self::are_ancestors).
    pub fn common_ancestors<A, B>(&self, device: &Device, a: &A, b: &B) -> Result<Array<u32>>
    where
        A: Input<Item = u32> + ?Sized,
        B: Input<Item = u32> + ?Sized,
    {
        self.lowest(device, &Part::all(a), &Part::all(b))
    }

    fn lowest(&self, device: &Device, a: &Part<'_, u32>, b: &Part<'_, u32>) -> Result<Array<u32>> {
        let (of_a, of_b) = (|| Gather::of(&self.entered).at(a), || Gather::of(&self.entered).at(b));
        let questions = a.view().len();
        let (mut low, mut high) = (device.filled(questions, 0u32)?, device.filled(questions, 0u32)?);
        Transform::new(Between).run(device, (of_a(), of_b()), (&mut low, &mut high))?;
        // The vertices after the first of two vertices in preorder, up to the second, have parents: of these the first
        // in preorder is the lowest common ancestor.
        let n = self.parents.len() as u32;
        let parents = || Gather::of(&self.parents).at(&self.preorder);
        let vertices = Gather::of(&self.preorder).at(0..n);
        let places: Array<u32> =
            map(device, PlaceAbove, (parents(), Gather::of(&self.entered).at(Apply(OrSelf, (parents(), vertices)))))?;
        let first = Intervals { values: places }.combine(device, Min, &low, &high)?;
        let place: Array<u32> = map(device, PlaceOf, (&first, of_a(), of_b()))?;
        if n == 0 {
            return Ok(place);
        }
        Ok(map(device, NoneOf, (&place, Gather::of(&self.preorder).at(Apply(AtLeast0, &place))))?)
    }

    fn expect<X: Input + ?Sized>(&self, values: &X) -> Result<()> {
        let (found, expected) = (values.view().len(), self.parents.len());
        if found == expected {
            return Ok(());
        }
        Err(upsweep::Error::Length { what: "values of vertices", found, expected }.into())
    }
}

/// Largest number of vertices of a tree.
pub const MAX_VERTICES: usize = (1 << 30) - 1;

fn count(n: usize) -> Result<u32> {
    match u32::try_from(n) {
        Ok(n) if n as usize <= MAX_VERTICES => Ok(n),
        _ => Err(Error::Vertices { vertices: n, most: MAX_VERTICES }),
    }
}

/// Function of (ancestor, a, b): `operator(a, b)`, or `b` if there is no ancestor.
#[derive(Clone, Copy, Debug)]
struct After<Op> {
    operator: Op,
}

impl<T: Element, Op: Operator<T>> Function<(u32, T, T)> for After<Op> {
    type Output = T;

    fn call(&self, (ancestor, a, b): (u32, T, T)) -> T {
        if ancestor == NONE { b } else { self.operator.combine(a, b) }
    }

    fn values(&self, values: &mut Values) {
        self.operator.values(values);
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let (ty, operator) = (T::cuda_type(source), self.operator.cuda_function(source));
        source.define(&format!("after {operator} {ty}"), "after", |_, name| {
            format!(
                "__device__ __forceinline__ {ty} {name}(u32 ancestor, {ty} a, {ty} b) {{ return ancestor == {NONE}u ? b : \
                 {operator}(a, b); }}"
            )
        })
    }
}
