//! Page rank: the stationary probabilities of a random surfer.

use super::{Csr, Matrix};
use crate::error::{Error, Result};
use crate::part::{element, map};
use upsweep::prelude::*;

/// Result of [`page_rank`].
#[derive(Debug)]
pub struct PageRank {
    /// Rank of each vertex; their sum is 1.
    pub ranks: Array<f64>,
    /// Number of iterations.
    pub steps: usize,
    /// Sum of the absolute changes of the ranks in the last iteration.
    pub change: f64,
}

#[function]
fn share(rank: f64, degree: u32) -> f64 {
    if degree == 0 { 0.0 } else { rank / degree as f64 }
}

#[function]
fn kept(rank: f64, degree: u32) -> f64 {
    if degree == 0 { rank } else { 0.0 }
}

#[function]
fn next_rank(#[param] damping: f64, #[param] rest: f64, given: f64) -> f64 {
    rest + damping * given
}

#[function]
fn change(before: f64, after: f64) -> f64 {
    (after - before).abs()
}

/// Page rank: the probability that a random surfer is at each vertex. With the probability `damping` the surfer follows
/// a random edge. Otherwise, and from a vertex without edges, it moves to a random vertex. Iterates until the ranks
/// change by less than `tolerance` in sum, for at most `most` steps. On CUDA this waits in each step.
///
/// # Errors
/// [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own.
pub fn page_rank(device: &Device, graph: &Csr, damping: f64, tolerance: f64, most: usize) -> upsweep::Result<PageRank> {
    let (degrees, incoming) = (graph.degrees(device)?, graph.transposed(device)?);
    walk(device, graph.vertices(), (damping, tolerance, most), |ranks| {
        let shares: Array<f64> = map(device, Share, (ranks, &degrees))?;
        let reduce = Reduce::new(Sum).segments(Segments::Offsets(incoming.offsets()));
        let given = reduce.run_to_array(device, Gather::of(&shares).at(incoming.targets()))?;
        Ok((given, Reduce::new(Sum).map(Kept).run_to_host(device, (ranks, &degrees))?))
    })
}

/// Index `at` of a weight that is negative, infinite or NaN; `u64::MAX` for any other.
#[function]
fn no_weight(weight: f64, at: u64) -> u64 {
    if weight >= 0.0 && weight.is_finite() { u64::MAX } else { at }
}

/// Quotient `weight / whole`, and 0 for a whole of 0. If `whole` is the largest weight of a row, sums of the row's
/// quotients neither overflow nor vanish.
#[function]
fn part_of(weight: f64, whole: f64) -> f64 {
    if whole > 0.0 { weight / whole } else { 0.0 }
}

#[function]
fn stuck(rank: f64, leaving: f64) -> f64 {
    if leaving > 0.0 { 0.0 } else { rank }
}

#[function]
fn times(chance: f64, rank: f64) -> f64 {
    chance * rank
}

/// [`page_rank`] with weighted edges: the probability of an edge is proportional to its weight. The value in row `i`
/// and column `j` is the weight of the edge from `i` to `j`. A vertex whose edges all weigh 0 counts as one without
/// edges.
///
/// ```
/// use upsweep::Device;
/// use upsweep_apps::graph::{Matrix, page_rank_weighted};
///
/// let device = Device::cpu();
/// // From 0 to 1 ten times as often as from 0 to 2; from both back to 0.
/// let graph = Matrix::build(&device, (3, 3), (&[0u32, 0, 1, 2], &[1u32, 2, 0, 0], &[10.0, 1.0, 1.0, 1.0]))?;
/// let ranks = page_rank_weighted(&device, &graph, 0.85, 1e-12, 1000)?.ranks.to_vec()?;
/// assert!(ranks[0] > ranks[1] && ranks[1] > ranks[2]);
/// # Ok::<(), upsweep_apps::Error>(())
/// ```
///
/// # Errors
/// - [`Error::Square`]: there are not as many columns as rows
/// - [`Error::Number`]: a weight is negative, infinite or NaN
/// - as [`page_rank`]
pub fn page_rank_weighted(
    device: &Device,
    graph: &Matrix<f64>,
    damping: f64,
    tolerance: f64,
    most: usize,
) -> Result<PageRank> {
    let (n, columns) = (graph.rows.vertices(), graph.columns);
    if n != columns {
        return Err(Error::Square { rows: n, columns });
    }
    let edges = graph.values.len();
    let wrong: u64 = Reduce::new(Min).map(NoWeight).run_to_host(device, (&graph.values, 0..edges as u64))?;
    if let Some(at) = usize::try_from(wrong).ok().filter(|&at| at < edges) {
        let value = element(device, &graph.values, at)?;
        return Err(Error::Number { what: "the weight of an edge", value, rule: "it is a finite number from 0 on" });
    }
    // Two divisions, by the row's largest weight and by the row's sum: sums of the raw weights may overflow, and
    // quotients by the largest weight of the whole matrix may vanish.
    let of_rows = || Segments::Offsets(&graph.rows.offsets);
    let sources = graph.rows.sources(device)?;
    let largest: Array<f64> = Reduce::new(Max).segments(of_rows()).run_to_array(device, &graph.values)?;
    let parts: Array<f64> = map(device, PartOf, (&graph.values, Gather::of(&largest).at(&sources)))?;
    let sums: Array<f64> = Reduce::new(Sum).segments(of_rows()).run_to_array(device, &parts)?;
    let chances: Array<f64> = map(device, PartOf, (&parts, Gather::of(&sums).at(&sources)))?;
    let incoming = Matrix::build(device, (n, n), (&graph.rows.targets, &sources, &chances))?;
    let found = walk(device, n, (damping, tolerance, most), |ranks| {
        let given = incoming.product(device, Sum, Times, ranks)?;
        Ok((given, Reduce::new(Sum).map(Stuck).run_to_host(device, (ranks, &sums))?))
    });
    Ok(found?)
}

/// Power iteration. For given ranks, `step` returns two things: for each vertex, the sum of what the edges to it bring;
/// and the sum of the ranks of the vertices without edges.
fn walk(
    device: &Device,
    n: usize,
    (damping, tolerance, most): (f64, f64, usize),
    mut step: impl FnMut(&Array<f64>) -> upsweep::Result<(Array<f64>, f64)>,
) -> upsweep::Result<PageRank> {
    let mut found = PageRank { ranks: device.filled(n, 1.0 / n as f64)?, steps: 0, change: f64::INFINITY };
    while n > 0 && found.steps < most && found.change >= tolerance {
        let (given, stuck) = step(&found.ranks)?;
        let rest = (1.0 - damping + damping * stuck) / n as f64;
        let next: Array<f64> = map(device, NextRank { damping, rest }, &given)?;
        found.change = Reduce::new(Sum).map(Change).run_to_host(device, (&found.ranks, &next))?;
        found.ranks = next;
        found.steps += 1;
    }
    Ok(found)
}
