//! Depths and sizes of trees, and Fenwick trees. The bytes of a tree's row in the record are its parents, depths and
//! sizes.

use crate::gpu::Gpu;
use std::cell::RefCell;
use std::time::Instant;
use upsweep_apps::tree::{Fenwick, Tree};
use upsweep_bench::{Outcome, Value, hash};

/// Number of updates, or of queries, in a batch.
const BATCH: usize = 1 << 20;

/// Measures trees of at most 2^24 vertices, and Fenwick trees of 2^`log2n` elements.
pub(crate) fn bench(gpu: &mut Gpu, log2n: u32) -> Outcome {
    let vertices = log2n.min(24);
    tree(gpu, "tree_star", vertices, |v| (v > 0).then_some(0), |v| v)?;
    // Neighbours in the chain are neighbours in memory, or scattered.
    tree(gpu, "tree_chain", vertices, |v| v.checked_sub(1), |v| v)?;
    let anywhere = move |v: usize| elsewhere(v, vertices);
    tree(gpu, "tree_chain_scattered", vertices, |v| v.checked_sub(1), anywhere)?;
    // The parent of each vertex is a random one of the vertices before it.
    let earlier = |v: usize| (v > 0).then(|| (hash(v) >> 8) as usize % v.max(1));
    tree(gpu, "tree_random", vertices, earlier, |v| v)?;
    tree(gpu, "tree_random_scattered", vertices, earlier, anywhere)?;
    fenwick(gpu, 1 << log2n)
}

/// Returns the new number of vertex `v` among 2^`bits` vertices. The numbers are a permutation, because each step can
/// be undone.
fn elsewhere(v: usize, bits: u32) -> usize {
    let mask = (1usize << bits) - 1;
    let half = bits.div_ceil(2);
    let mixed = v.wrapping_mul(0x9E37_79B1) & mask;
    let mixed = (mixed ^ mixed >> half).wrapping_mul(0x85EB_CA6B) & mask;
    mixed ^ mixed >> half
}

/// Measures the tree in which `parent` returns the parent of each vertex but the root, and `name` the number of a
/// vertex.
fn tree(
    gpu: &mut Gpu,
    algo: &str,
    log2n: u32,
    parent: impl Fn(usize) -> Option<usize>,
    name: impl Fn(usize) -> usize,
) -> Outcome {
    let n = 1usize << log2n;
    if !gpu.wants::<u32>(algo) || !gpu.fits::<u32>(n) {
        return Ok(());
    }
    let mut parents = vec![0u32; n];
    for v in 0..n {
        parents[name(v)] = name(parent(v).unwrap_or(v)) as u32;
    }
    let given = gpu.upload(&parents)?;
    let tree = Tree::build(gpu.device(), &given)?;
    let (depths, sizes) = (tree.depths().to_vec()?, tree.sizes().to_vec()?);
    let start = Instant::now();
    let walked = walk(&parents, name(0));
    let walk_micros = start.elapsed().as_secs_f64() * 1e6;
    for v in 0..n {
        let (found, expected) = ((depths[v], sizes[v]), (walked.0[v], walked.1[v]));
        if found != expected {
            return Err(format!("{algo}: depth and size of vertex {v} are {found:?}, not {expected:?}").into());
        }
    }
    gpu.waited::<u32>("walk", algo, n, walk_micros)?;
    gpu.work::<u32>(algo, n, 12 * n, |device| {
        Tree::build(device, &given)?;
        Ok(())
    })
}

/// Returns the depth and the size of each vertex, as one thread of the host computes them: breadth-first from each
/// vertex to its children, and back.
fn walk(parents: &[u32], root: usize) -> (Vec<u32>, Vec<u32>) {
    let n = parents.len();
    let (mut first, mut next) = (vec![u32::MAX; n], vec![u32::MAX; n]);
    for v in (0..n).filter(|&v| v != root) {
        let parent = parents[v] as usize;
        next[v] = first[parent];
        first[parent] = v as u32;
    }
    let (mut depths, mut sizes, mut order) = (vec![0; n], vec![1; n], vec![root as u32]);
    let mut met = 0;
    while let Some(&v) = order.get(met) {
        let mut child = first[v as usize];
        while child != u32::MAX {
            depths[child as usize] = depths[v as usize] + 1;
            order.push(child);
            child = next[child as usize];
        }
        met += 1;
    }
    for &v in order[1..].iter().rev() {
        sizes[parents[v as usize] as usize] += sizes[v as usize];
    }
    (depths, sizes)
}

fn fenwick(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.fits::<f32>(n) {
        return Ok(());
    }
    let names = ["fenwick_build", "fenwick_update", "fenwick_prefixes"];
    if names.iter().any(|name| gpu.wants::<f32>(name)) {
        let x = gpu.filled::<f32>(n)?;
        let (at, counts): (Vec<u64>, Vec<u64>) =
            (0..BATCH.min(n)).map(|i| (hash(2 * i) % n as u64, hash(2 * i + 1) % (n as u64 + 1))).unzip();
        let mut tree = Fenwick::build(gpu.device(), &x)?;
        let (places, ones) = (gpu.upload(&at)?, gpu.upload(&vec![1.0f32; at.len()])?);
        let questions = gpu.upload(&counts)?;
        // The elements are pairs that cancel, so a running total is its last element or 0, plus the number of updates
        // before it.
        let check = |tree: &Fenwick<f32>, added: &[u64]| -> Outcome {
            let found = tree.prefixes(gpu.device(), &questions)?.into_vec()?;
            for (&count, &found) in counts.iter().zip(&found) {
                let last = if count % 2 == 1 { f32::random(count as usize - 1) } else { 0.0 };
                let expected = last + added.partition_point(|&at| at < count) as f32;
                if found != expected {
                    return Err(
                        format!("fenwick: the first {count} elements are {found} in all, not {expected}").into()
                    );
                }
            }
            Ok(())
        };
        check(&tree, &[])?;
        tree.update(gpu.device(), &places, &ones)?;
        let mut sorted = at;
        sorted.sort_unstable();
        check(&tree, &sorted)?;
        let (batch, tree) = (sorted.len(), RefCell::new(tree));
        if gpu.wants::<f32>(names[0]) {
            gpu.work::<f32>(names[0], n, 2 * n * size_of::<f32>(), |device| {
                Fenwick::build(device, &x)?;
                Ok(())
            })?;
        }
        // Bytes: those of the batch's indices and of its values or results.
        if gpu.wants::<f32>(names[1]) {
            gpu.work::<f32>(names[1], batch, batch * 12, |device| {
                Ok(tree.borrow_mut().update(device, &places, &ones)?)
            })?;
        }
        if gpu.wants::<f32>(names[2]) {
            gpu.work::<f32>(names[2], batch, batch * 12, |device| {
                tree.borrow().prefixes(device, &questions)?;
                Ok(())
            })?;
        }
    }
    Ok(())
}
