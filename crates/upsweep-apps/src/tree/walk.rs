//! Linked list of an Euler tour around a tree, and the parents of a tree given by its edges.

use crate::error::{Error, Result};
use crate::part::{Part, PartMut, element, map, to_host};
use upsweep::Input;
use upsweep::prelude::*;
use upsweep_core::memory;

/// Parent of a root, which may also name itself; common ancestor of vertices in different trees.
pub const NONE: u32 = u32::MAX;

/// Index that entry `at` of a sorted list of keys is scattered to: its key if it is the first entry with that key,
/// else `none`.
#[function]
fn head(#[param] none: u32, near: [u32; 3], at: u32) -> u32 {
    if at == 0 || near[0] != near[1] { near[1] } else { none }
}

/// Step of an Euler tour after the step that enters `vertex`: it enters the first child, or leaves the vertex if it has
/// no child.
#[function]
fn down(#[param] up: u32, first_child: u32, vertex: u32) -> u32 {
    if first_child == u32::MAX { vertex + up } else { first_child }
}

/// Step of an Euler tour after the step that leaves a child: it enters the child's next sibling, or leaves the parent
/// if there is no next sibling.
#[function]
fn up(#[param] up: u32, #[param] n: u32, near: [u32; 3], sibling: u32, at: u32) -> u32 {
    if at + 1 < n && near[1] == near[2] { sibling } else { near[1] + up }
}

#[function]
fn next_at(#[param] n: u32, at: u32) -> u32 {
    if at + 1 < n { at + 1 } else { at }
}

#[function]
fn offset(#[param] by: u32, x: u32) -> u32 {
    x + by
}

/// Successor of each of the `2 (n + 1)` steps of the Euler tour around `n` vertices, where `parents[v]` is `n` for a
/// root: vertex `n` is above all roots. Step `v` enters vertex `v`, step `n + 1 + v` leaves it. Step 2 n + 1 is the
/// last, and its own successor.
pub(super) fn around(device: &Device, parents: &Array<u32>) -> Result<Array<u32>> {
    let n = parents.len() as u32;
    let leave = n + 1;
    let vertices: Array<u32> = Transform::copy().run_to_array(device, 0..n)?;
    let (mut sorted, mut children) = (device.room(n as usize)?, device.room(n as usize)?);
    Sort::pairs().run(device, (parents, &vertices), (&mut sorted, &mut children))?;
    let mut first_child = device.filled(n as usize + 2, NONE)?;
    let heads = Apply(Head { none: leave }, (Neighbours::of(&sorted), 0..n));
    Transform::copy().run(device, &children, Scatter::to(&mut first_child).at(heads))?;
    let mut next = device.filled(2 * leave as usize, 2 * leave - 1)?;
    let below = Part::of(&first_child, 0..leave as usize)?;
    let to = &mut PartMut::of(&mut next, 0..leave as usize)?;
    Transform::new(Down { up: leave }).run(device, (&below, 0..leave), to)?;
    let sibling = Gather::of(&children).at(Apply(NextAt { n }, 0..n));
    let to = Scatter::to(&mut next).at(Apply(Offset { by: leave }, &children));
    Transform::new(Up { up: leave, n }).run(device, (Neighbours::of(&sorted), sibling, 0..n), to)?;
    Ok(next)
}

/// Number of the arc that reverses `arc`. Edge `i`, between vertices `a` and `b`, is two arcs (directed edges): `i`,
/// from `a` to `b`, and `i + edges`, from `b` to `a`.
#[function]
fn back(#[param] edges: u32, arc: u32) -> u32 {
    if arc < edges { arc + edges } else { arc - edges }
}

/// Next arc in the circular list of the arcs that leave one vertex.
#[function]
fn around_vertex(#[param] arcs: u32, near: [u32; 3], following: u32, first: u32, at: u32) -> u32 {
    if at + 1 < arcs && near[1] == near[2] { following } else { first }
}

/// Index in the list of parents at which an arc's source is stored: the vertex `to` that the arc goes to, if the tour
/// takes the arc before its reverse; else `n`.
#[function]
fn below(#[param] n: u32, to: u32, there: u32, back: u32) -> u32 {
    if there < back { to } else { n }
}

/// Returns the parents in the tree of `n` vertices with the edges `(a[i], b[i])`, rooted at `root`.
pub(super) fn parents(
    device: &Device,
    n: u32,
    (a, b): (&Part<'_, u32>, &Part<'_, u32>),
    root: u32,
) -> Result<Array<u32>> {
    let (edges, others) = (a.view().len(), b.view().len());
    if edges != others {
        return Err(upsweep::Error::Length { what: "ends of edges", found: others, expected: edges }.into());
    }
    if edges + 1 != n as usize {
        return Err(Error::Edges { edges, vertices: n });
    }
    if root >= n {
        return Err(upsweep::Error::Index { at: 0, index: i128::from(root), len: n as usize }.into());
    }
    let mut parents = device.filled(n as usize + 1, NONE)?;
    if edges == 0 {
        return Ok(parents);
    }
    let edges = n - 1;
    let arcs = 2 * edges;
    // Vertex that each arc leaves. The vertex that it goes to is the one that its reverse leaves.
    let mut from = device.filled(arcs as usize, 0u32)?;
    Transform::copy().run(device, a, Scatter::to(&mut from).at(0..edges))?;
    Transform::copy().run(device, b, Scatter::to(&mut from).at(edges..arcs))?;
    let (order, mut first) = (Sort::new().indices().run_to_array(device, &from)?, device.filled(n as usize + 1, NONE)?);
    let order: Array<u32> = order;
    let sorted: Array<u32> = Transform::copy().run_to_array(device, Gather::of(&from).at(&order))?;
    let heads = Apply(Head { none: n }, (Neighbours::of(&sorted), 0..arcs));
    Transform::copy().run(device, &order, Scatter::to(&mut first).at(heads))?;
    let start = element(device, &first, root as usize)?;
    if start == NONE {
        return Err(unreached(device, n, (a, b), root));
    }
    let mut circle = device.filled(arcs as usize, 0u32)?;
    let following = Gather::of(&order).at(Apply(NextAt { n: arcs }, 0..arcs));
    let first_of = Gather::of(&first).at(&sorted);
    let to = Scatter::to(&mut circle).at(&order);
    Transform::new(AroundVertex { arcs }).run(device, (Neighbours::of(&sorted), following, first_of, 0..arcs), to)?;
    let way_back = || Apply(Back { edges }, 0..arcs);
    let next: Array<u32> = map(device, Unless { start }, (Gather::of(&circle).at(way_back()), 0..arcs))?;
    let ranked = Scan::new(Sum).map(One).along(&next, start as usize).run_to_array(device, 0..arcs);
    let Some(places) = listed(device, ranked)? else {
        return Err(unreached(device, n, (a, b), root));
    };
    let below = Apply(Below { n }, (Gather::of(&from).at(way_back()), &places, Gather::of(&places).at(way_back())));
    Transform::copy().run(device, &from, Scatter::to(&mut parents).at(below))?;
    let roots: u32 = Reduce::new(Sum).map(IsRoot).run_to_host(device, &Part::of(&parents, 0..n as usize)?)?;
    if roots == 1 { Ok(parents) } else { Err(unreached(device, n, (a, b), root)) }
}

/// Successor of `arc` in the tour: `next`, its successor in the circle of all arcs, unless that is `start`, the first
/// arc of the tour. The last arc is its own successor.
#[function]
fn unless(#[param] start: u32, next: u32, arc: u32) -> u32 {
    if next == start { arc } else { next }
}

#[function]
fn one(_arc: u32) -> u32 {
    1
}

#[function]
fn is_root(parent: u32) -> u32 {
    if parent == u32::MAX { 1 } else { 0 }
}

/// Returns the error that names a vertex of a cycle; `up` is the parent of each vertex.
pub(super) fn cycle(up: &[u32]) -> Error {
    // For each vertex, the number of the climb that came by it first, counted from 1; 0 for none.
    let mut met = match memory::filled(up.len(), 0) {
        Ok(met) => met,
        Err(error) => return error.into(),
    };
    let mut vertex = 0;
    for from in 0..up.len() {
        let mut at = from;
        while met.get(at) == Some(&0) {
            met[at] = from + 1;
            at = up[at] as usize;
        }
        if met.get(at) == Some(&(from + 1)) {
            vertex = at as u32;
            break;
        }
    }
    Error::Cycle { vertex }
}

/// Returns the error that names a vertex which no edges connect with the root.
fn unreached(device: &Device, n: u32, (a, b): (&Part<'_, u32>, &Part<'_, u32>), root: u32) -> Error {
    let (a, b) = match (to_host(device, a), to_host(device, b)) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(error), _) | (_, Err(error)) => return error.into(),
    };
    // Union-find: each vertex points to another one of its component, and its representative to itself.
    let mut representative = match memory::collected(n as usize, 0..n) {
        Ok(representative) => representative,
        Err(error) => return error.into(),
    };
    fn find(representative: &mut [u32], mut vertex: u32) -> u32 {
        while representative[vertex as usize] != vertex {
            let up = representative[representative[vertex as usize] as usize];
            representative[vertex as usize] = up;
            vertex = up;
        }
        vertex
    }
    for (&a, &b) in a.iter().zip(&b) {
        if a < n && b < n {
            let (a, b) = (find(&mut representative, a), find(&mut representative, b));
            representative[a as usize] = b;
        }
    }
    let of_root = find(&mut representative, root);
    let vertex = (0..n).find(|&vertex| find(&mut representative, vertex) != of_root);
    Error::Unreached { vertex: vertex.unwrap_or(root), root }
}

/// Returns the result of a list scan; `None` if the list does not contain all elements. On CUDA this waits.
pub(super) fn listed<T: Element>(device: &Device, scanned: upsweep::Result<Array<T>>) -> Result<Option<Array<T>>> {
    match scanned.and_then(|found| device.synchronize().map(|()| found)) {
        Ok(found) => Ok(Some(found)),
        Err(upsweep::Error::List { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
