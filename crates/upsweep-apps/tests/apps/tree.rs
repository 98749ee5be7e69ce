//! Tests of trees, with a plain depth-first search as the oracle.

use crate::Random;
use upsweep::prelude::*;
use upsweep_apps::Error;
use upsweep_apps::tree::{NONE, Tree};

/// Operator like the concatenation of strings: another order gives another result. It is exact up to 8 letters of 4
/// bits, and a hash of longer strings.
#[operator(identity = (1, 0))]
fn join(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0 * b.0, a.1 * b.0 + b.1)
}

struct Walked {
    depths: Vec<u32>,
    sizes: Vec<u32>,
    preorder: Vec<u32>,
    postorder: Vec<u32>,
    up: Vec<(u64, u64)>,
    down: Vec<(u64, u64)>,
}

/// Reference: depth-first search with a stack.
fn walk(parents: &[u32], values: &[(u64, u64)]) -> Walked {
    let n = parents.len();
    let root = |v: usize| parents[v] == NONE || parents[v] as usize == v;
    let mut children = vec![vec![]; n];
    let mut stack = vec![];
    for v in (0..n).rev() {
        if root(v) { stack.push((v, false)) } else { children[parents[v] as usize].push(v) }
    }
    let mut w = Walked {
        depths: vec![0; n],
        sizes: vec![1; n],
        preorder: vec![],
        postorder: vec![],
        up: values.to_vec(),
        down: values.to_vec(),
    };
    while let Some((v, done)) = stack.pop() {
        if done {
            w.postorder.push(v as u32);
            for &c in children[v].iter().rev() {
                w.sizes[v] += w.sizes[c];
                w.up[v] = join(w.up[v], w.up[c]);
            }
            continue;
        }
        w.preorder.push(v as u32);
        stack.push((v, true));
        for &c in &children[v] {
            w.depths[c] = w.depths[v] + 1;
            w.down[c] = join(w.down[v], values[c]);
            stack.push((c, false));
        }
    }
    w
}

fn check(device: &Device, parents: &[u32], random: &mut Random) {
    let n = parents.len();
    let values: Vec<(u64, u64)> = (0..n).map(|_| (random.next() | 1, random.next())).collect();
    let tree = Tree::build(device, parents).unwrap();
    let expected = walk(parents, &values);
    let say = || format!("{:?}", &parents[..n.min(20)]);
    assert!(tree.depths().to_vec().unwrap() == expected.depths, "depths of {}", say());
    assert!(tree.sizes().to_vec().unwrap() == expected.sizes, "sizes of {}", say());
    assert!(tree.preorder().to_vec().unwrap() == expected.preorder, "preorder of {}", say());
    assert!(tree.postorder(device).unwrap().to_vec().unwrap() == expected.postorder, "postorder of {}", say());
    assert!(tree.sums_up(device, Join, &values).unwrap().to_vec().unwrap() == expected.up, "sums up of {}", say());
    assert!(
        tree.sums_down(device, Join, &values).unwrap().to_vec().unwrap() == expected.down,
        "sums down of {}",
        say()
    );
    let all = n.min(8);
    let pairs: Vec<(u32, u32)> = if n == 0 {
        vec![]
    } else if n <= 8 {
        (0..all * all).map(|i| ((i / all) as u32, (i % all) as u32)).collect()
    } else {
        (0..100).map(|_| (random.below(n) as u32, random.below(n) as u32)).collect()
    };
    let (a, b): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
    let common = tree.common_ancestors(device, &a, &b).unwrap().to_vec().unwrap();
    let above = tree.are_ancestors(device, &a, &b).unwrap().to_vec().unwrap();
    for i in 0..a.len() {
        let (mut x, mut y) = (a[i], b[i]);
        while x != y && x != NONE && y != NONE {
            let deeper = if expected.depths[x as usize] >= expected.depths[y as usize] { &mut x } else { &mut y };
            let parent = parents[*deeper as usize];
            *deeper = if parent == *deeper { NONE } else { parent };
        }
        let lowest = if x == y { x } else { NONE };
        assert_eq!(common[i], lowest, "{} and {} in {}", a[i], b[i], say());
        assert_eq!(above[i], lowest == a[i], "{} above {} in {}", a[i], b[i], say());
    }
    if n > 0 {
        let root = random.below(n) as u32;
        let mut turned = tree.parents().to_vec().unwrap();
        let (mut at, mut above) = (root, NONE);
        while at != NONE {
            let up = std::mem::replace(&mut turned[at as usize], above);
            (at, above) = (up, at);
        }
        let rerooted = tree.rerooted(device, root).unwrap();
        assert!(rerooted.parents().to_vec().unwrap() == turned, "{root} as the root of {}", say());
        let depth = expected.depths[root as usize];
        let old = (0..depth).fold(root, |v, _| parents[v as usize]);
        assert_eq!(rerooted.depths().to_vec().unwrap()[old as usize], depth, "{root} as the root of {}", say());
    }
}

/// Every choice of parents for 4 vertices (each another vertex or none), cycles included, and every shape of a forest
/// of 5 to 8.
#[test]
fn all_small_forests() {
    let device = Device::cpu();
    let mut random = Random(7);
    check(&device, &[], &mut random);
    for n in 1..=4usize {
        for code in 0..(n + 1).pow(n as u32) {
            let parents: Vec<u32> = (0..n)
                .map(|v| code / (n + 1).pow(v as u32) % (n + 1))
                .map(|p| if p == n { NONE } else { p as u32 })
                .collect();
            let on_cycle = |v: u32| {
                let (mut at, mut steps) = (parents[v as usize], 1);
                while at != v && at != NONE && parents[at as usize] != at && steps <= n {
                    (at, steps) = (parents[at as usize], steps + 1);
                }
                at == v && parents[v as usize] != v
            };
            if (0..n as u32).any(on_cycle) {
                let Err(Error::Cycle { vertex }) = Tree::build(&device, &parents) else { panic!("{parents:?}") };
                assert!(on_cycle(vertex), "{vertex} in {parents:?}");
            } else {
                check(&device, &parents, &mut random);
            }
        }
    }
    for n in 5..=8usize {
        for forest in forests(n, &mut random) {
            check(&device, &forest, &mut random);
        }
    }
}

/// Parents in every forest of `n` vertices, found by their depths in preorder, with shuffled names.
pub(crate) fn forests(n: usize, random: &mut Random) -> Vec<Vec<u32>> {
    let (mut depths, mut forests) = (vec![0usize; n], vec![]);
    loop {
        let mut names: Vec<u32> = (0..n as u32).collect();
        (1..n).for_each(|i| names.swap(i, random.below(i + 1)));
        let mut parents = vec![NONE; n];
        for v in 0..n {
            let above = (0..v).rev().find(|&u| depths[u] + 1 == depths[v]);
            parents[names[v] as usize] = above.map_or(NONE, |above| names[above]);
        }
        forests.push(parents);
        // The last vertex that can be deeper becomes so.
        let Some(last) = (1..n).rev().find(|&v| depths[v] <= depths[v - 1]) else { return forests };
        depths[last] += 1;
        depths[last + 1..].fill(0);
    }
}

/// Renames the vertices at random, so that their numbers show nothing about the depth.
pub(crate) fn renamed(device: &Device, parents: &[u32], random: &mut Random) -> Vec<u32> {
    let keys: Vec<u64> = parents.iter().map(|_| random.next()).collect();
    let names: Array<u32> = Sort::new().indices().run_to_array(device, &keys).unwrap();
    let names = names.to_vec().unwrap();
    let mut renamed = vec![NONE; parents.len()];
    for (v, &parent) in parents.iter().enumerate().filter(|&(_, &parent)| parent != NONE) {
        renamed[names[v] as usize] = names[parent as usize];
    }
    renamed
}

#[test]
fn large_trees() {
    let device = Device::cpu();
    let mut random = Random(8);
    let n = 100_000;
    let chain: Vec<u32> = (0..n).map(|v| if v == 0 { NONE } else { v - 1 }).collect();
    check(&device, &chain, &mut random);
    let reversed: Vec<u32> = (0..n).map(|v| (v + 1).min(n - 1)).collect();
    check(&device, &reversed, &mut random);
    check(&device, &vec![n / 2; n as usize], &mut random);
    for spread in [3usize, 1000, n as usize] {
        let parents: Vec<u32> = (0..n).map(|v| v - 1.min(v) - random.below(spread.min(v as usize)) as u32).collect();
        let mut renamed = renamed(&device, &parents, &mut random);
        check(&device, &renamed, &mut random);
        // The same tree by its edges, in both directions.
        let root = (0..n).find(|&v| renamed[v as usize] == v).unwrap();
        let (mut a, mut b) = (vec![], vec![]);
        for (v, &parent) in renamed.iter().enumerate().filter(|&(v, _)| v as u32 != root) {
            let swap = random.below(2) == 0;
            a.push(if swap { parent } else { v as u32 });
            b.push(if swap { v as u32 } else { parent });
        }
        let by_edges = Tree::from_edges(&device, n as usize, (&a, &b), root).unwrap();
        renamed[root as usize] = NONE;
        assert!(by_edges.parents().to_vec().unwrap() == renamed);
    }
}

#[test]
fn what_is_no_tree() {
    let device = Device::cpu();
    let build = |parents: &[u32]| Tree::build(&device, parents).err();
    assert_eq!(build(&[0, 7, 9]), Some(Error::Parent { vertex: 1, parent: 7, vertices: 3 }));
    let edges = |n, a: &[u32], b: &[u32], root| Tree::from_edges(&device, n, (a, b), root).err();
    assert_eq!(edges(1, &[], &[], 0), None);
    assert_eq!(edges(3, &[0], &[1], 0), Some(Error::Edges { edges: 1, vertices: 3 }));
    assert_eq!(edges(4, &[0, 1, 2], &[1, 2, 0], 0), Some(Error::Unreached { vertex: 3, root: 0 }));
    assert_eq!(edges(4, &[0, 1, 2], &[1, 2, 0], 3), Some(Error::Unreached { vertex: 0, root: 3 }));
    // Three edges between two vertices, in an order in which one tour passes all of them.
    assert_eq!(edges(4, &[0, 1, 0], &[1, 0, 1], 0), Some(Error::Unreached { vertex: 2, root: 0 }));
    let index = |at, index| Some(Error::Library(upsweep::Error::Index { at, index, len: 2 }));
    assert_eq!(edges(2, &[0], &[1], 2), index(0, 2));
    assert!(matches!(edges(2, &[0], &[5], 0), Some(Error::Library(upsweep::Error::Index { .. }))));
    let tree = Tree::build(&device, &[0u32, 0]).unwrap();
    assert_eq!(tree.rerooted(&device, 2).err(), index(0, 3));
    let length = upsweep::Error::Length { what: "values of vertices", found: 3, expected: 2 };
    assert_eq!(tree.sums_up(&device, Sum, &[1u64, 2, 3]).err(), Some(Error::Library(length)));
    assert!(matches!(
        tree.common_ancestors(&device, &[0u32], &[2u32]).err(),
        Some(Error::Library(upsweep::Error::Index { .. }))
    ));
}
