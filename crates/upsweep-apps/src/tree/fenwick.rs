//! Fenwick trees (binary indexed trees): prefix sums of an array whose elements change.
//!
//! ```text
//! build      node j is x[j - b] + .. + x[j - 1], where b is the lowest bit of j; j from 1 to n
//! update     x[at[i]] += by[i]
//! prefixes   x[0] + .. + x[count[i] - 1]
//! ranges     x[low[i]] + .. + x[high[i] - 1]
//! find       the first place at which the running sum reaches sum[i], of elements that are not negative
//! ```
//!
//! ```
//! use upsweep::Device;
//! use upsweep_apps::tree::Fenwick;
//!
//! let device = Device::cpu();
//! let mut tree = Fenwick::build(&device, &[3u32, 1, 7, 0, 4, 1, 6, 3])?;
//! assert_eq!(tree.nodes(&device)?, [3, 4, 7, 11, 4, 5, 6, 25]);
//! assert_eq!(tree.prefixes(&device, &[0u64, 3, 8])?.to_vec()?, [0, 11, 25]);
//! tree.update(&device, &[2u64, 7], &[10, 1])?;
//! assert_eq!(tree.ranges(&device, &[2u64, 0], &[4u64, 8])?.to_vec()?, [17, 36]);
//! assert_eq!(tree.find(&device, &[3u32, 4, 37])?.to_vec()?, [0, 1, 8]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Cost.** `build` is an [`UpSweep`]: one pass. Queries and updates come in batches: `q` prefixes take log2(n) random
//! reads each, in log2(n) / 12 passes; `q` updates take a sort and log2(n / q) / 4 passes over `4 q` numbers. Where
//! nothing changes, a [`Scan`] answers faster.
//!
//! Nodes of floats are sums of pairs, and thus as exact as pairwise summation. A range is the difference of two
//! prefixes: for floats it is rounded to the digits of the prefixes, however small it is itself. [`Reduce`] by segments
//! adds the elements of a range alone.

use crate::part::{Part, PartMut, element, map, to_host};
use upsweep::operator::Number;
use upsweep::prelude::*;
use upsweep::{Error, Input, Result};

/// Number of unused elements before the nodes in their array, so that the nodes begin where loads are fastest.
/// Discarded results are stored in them, at many positions, because stores to one position are serialised.
const BEFORE: usize = 4096;

/// Fenwick tree: sums over blocks of an array, which follow the changes of its elements. See the [module](self).
#[derive(Debug)]
pub struct Fenwick<T> {
    /// First [`BEFORE`] numbers: the last is 0, the others take discarded results. Then the nodes, from 1 on.
    nodes: Array<T>,
    len: usize,
}

#[function]
fn value<T: Number>(value: T, _at: u32) -> T {
    value
}
#[function]
fn subtract<T: Number>(a: T, b: T) -> T {
    a - b
}

/// Returns `at`, the position of the index `element` in the caller's list, if the tree of `len` elements has no such
/// element; else `u64::MAX`.
#[function]
fn outside(#[param] len: u64, element: u64, at: u64) -> u64 {
    if element < len { u64::MAX } else { at }
}

#[function]
fn shifted(#[param] high: u32, at: u64) -> u64 {
    at << high
}

/// Number of levels of the tree that an update changes in one pass.
const LEVELS: u32 = 4;

/// Run of sorted updates: the position of the last one, and for each of four sizes of blocks the sum of the run's
/// updates in the block of the last one. Blocks have 2^k elements, twice as many, and so on.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Blocks<T> {
    place: u64,
    sums: [T; 4],
}

#[function]
fn update_at<T: Number>(place: u64, by: T) -> Blocks<T> {
    Blocks { place, sums: [by, by, by, by] }
}

#[function]
fn sums_of<T: Number>(blocks: Blocks<T>) -> [T; 4] {
    blocks.sums
}

#[operator]
fn in_blocks<T: Number>(#[param] k: u32, a: Blocks<T>, b: Blocks<T>) -> Blocks<T> {
    // Two positions are in one block of a level if they differ in lower bits only.
    let differ = (a.place ^ b.place) >> k;
    let mut sums = b.sums;
    for level in 0..4 {
        sums[level] = if differ >> level as u32 == 0 { a.sums[level] + b.sums[level] } else { b.sums[level] };
    }
    Blocks { place: b.place, sums }
}

#[function]
fn same_block(#[param] k: u32, a: u64, b: u64) -> bool {
    a >> k == b >> k
}

/// Index of the update that change `at` belongs to, where each update makes four changes (additions to nodes), one on
/// each of four levels; below, the index of the update after it.
#[function]
fn update_of(at: u64) -> u64 {
    at / 4
}
#[function]
fn update_behind(#[param] last: u64, at: u64) -> u64 {
    (at / 4 + 1).min(last)
}

/// Index of the node that change `at` adds to, if its update is the last one in a block that has a node; else the index
/// of an unused number before the nodes.
#[function]
fn changed(
    #[param] k: u32,
    #[param] high: u32,
    #[param] before: u64,
    #[param] len: u64,
    #[param] last: u64,
    place: u64,
    behind: u64,
    at: u64,
) -> u64 {
    let level = k + (at % 4) as u32;
    let block = place >> (high + level);
    let ends = at / 4 == last || block != behind >> (high + level);
    let node = (block + 1) << level;
    if ends && block % 2 == 0 && node <= len { before - 1 + node } else { at % (before - 1) }
}

#[function]
fn with_node<T: Number>(sums: [T; 4], node: T, at: u64) -> T {
    let level = at % 4;
    let low: T = if level == 0 { sums[0] } else { sums[1] };
    let high: T = if level == 2 { sums[2] } else { sums[3] };
    node + if level < 2 { low } else { high }
}

/// Index of the sum of a block, if update `at` is the last one in it and the block is whole; else the index of an
/// unused number before the sums.
#[function]
fn sum_at(
    #[param] k: u32,
    #[param] before: u64,
    #[param] blocks: u64,
    #[param] last: u64,
    place: u64,
    behind: u64,
    at: u64,
) -> u64 {
    let block = place >> k;
    let ends = at == last || block != behind >> k;
    if ends && block < blocks { before + block } else { at % before }
}

#[function]
fn behind(#[param] last: u64, at: u64) -> u64 {
    (at + 1).min(last)
}

/// Index of the node that ends with block number `block`, which has 2^k elements.
#[function]
fn node_of_block(#[param] k: u32, #[param] before: u64, block: u64) -> u64 {
    before - 1 + ((block + 1) << k)
}

#[function]
fn add<T: Number>(a: T, b: T) -> T {
    a + b
}

/// Number of the node for one bit of a count: the node of the 2^bit elements after those that the higher bits count.
/// Node 0 for a bit that is not set.
#[function]
fn node_of_bit(#[param] bit: u32, count: u64) -> u64 {
    if count >> bit & 1 == 1 { count >> bit << bit } else { 0 }
}

#[function]
fn add_four<T: Number>(a: T, b: T, c: T, d: T) -> T {
    a + b + c + d
}

#[function]
fn try_node(#[param] step: u64, #[param] len: u64, place: u64) -> u64 {
    if place + step <= len { place + step } else { 0 }
}

/// Moves on by `step` elements if their sum, `node`, is less than what is `left` of the searched sum.
#[function]
fn advance<T: Number>(#[param] step: u64, #[param] len: u64, place: u64, left: T, node: T) -> (u64, T) {
    if place + step <= len && node < left { (place + step, left - node) } else { (place, left) }
}

impl<T: Number> Fenwick<T> {
    /// Builds the tree over the elements of `x`. On CUDA the work is enqueued and the call returns at once.
    ///
    /// # Errors
    /// [`Error::Place`], [`Error::OutOfMemory`]; CUDA's own.
    pub fn build<X: Input<Item = T> + ?Sized>(device: &Device, x: &X) -> Result<Self> {
        let x = &Part::all(x);
        let len = x.view().len();
        let mut nodes = device.room(BEFORE + len)?;
        let zeros = (Repeat(T::ZERO), 0..BEFORE as u32);
        Transform::new(Value).run(device, zeros, &mut PartMut::of(&mut nodes, 0..BEFORE)?)?;
        UpSweep::new(Sum).run(device, x, &mut PartMut::of(&mut nodes, BEFORE..BEFORE + len)?)?;
        Ok(Self { nodes, len })
    }

    /// Returns the nodes as a table that their numbers index; number 0 is 0.
    fn table(&self) -> Result<Part<'_, T>> {
        Part::of(&self.nodes, BEFORE - 1..BEFORE + self.len)
    }

    /// Number of elements of the array whose sums the tree holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Copies the nodes from 1 on to the host.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; CUDA's own.
    pub fn nodes(&self, device: &Device) -> Result<Vec<T>> {
        to_host(device, &Part::of(&self.nodes, BEFORE..BEFORE + self.len)?)
    }

    /// Adds `by[i]` to element `at[i]`; an element may be named more than once. On CUDA this waits once.
    ///
    /// # Errors
    /// - [`Error::Length`]: the number of amounts is not the number of elements
    /// - [`Error::Index`]: an element that does not exist; then nothing is changed
    /// - [`Error::Place`], [`Error::OutOfMemory`]; CUDA's own
    pub fn update<A, B>(&mut self, device: &Device, at: &A, by: &B) -> Result<()>
    where
        A: Input<Item = u64> + ?Sized,
        B: Input<Item = T> + ?Sized,
    {
        let (at, by) = (&Part::all(at), &Part::all(by));
        let updates = at.view().len();
        let len = self.len as u64;
        let keys: Array<u64> = map(device, Shifted { high: self.high() }, at)?;
        let (mut places, mut amounts) = (device.room(updates)?, device.room(updates)?);
        Sort::pairs().run(device, (&keys, by), (&mut places, &mut amounts))?;
        let wrong: u64 = Reduce::new(Min).map(Outside { len }).run_to_host(device, (at, 0..updates as u64))?;
        if wrong != u64::MAX {
            let index = i128::from(element(device, at, wrong as usize)?);
            return Err(Error::Index { at: wrong as usize, index, len: self.len });
        }
        if updates == 0 {
            return Ok(());
        }
        let in_order = (&places, &amounts);
        let mut k = 0;
        while self.len >> k > updates {
            self.change(device, k, in_order)?;
            k += LEVELS;
        }
        if self.len >> k > 0 { self.change_above(device, k, in_order) } else { Ok(()) }
    }

    /// Number of bits by which positions are shifted, so that they have the highest bits, where a sort looks first.
    fn high(&self) -> u32 {
        self.len.saturating_sub(1).leading_zeros().min(63)
    }

    /// Adds sorted updates to the nodes of `LEVELS` levels of the tree: blocks of 2^k elements, and larger ones.
    fn change(&mut self, device: &Device, k: u32, (places, amounts): (&Array<u64>, &Array<T>)) -> Result<()> {
        let sums: Array<[T; 4]> = Scan::new(InBlocks { k: k + self.high() })
            .map(UpdateAt)
            .finish(SumsOf)
            .run_to_array(device, (places, amounts))?;
        let (last, changes) = (places.len() as u64 - 1, 0..places.len() as u64 * u64::from(LEVELS));
        let changed = Changed { k, high: self.high(), before: BEFORE as u64, len: self.len as u64, last };
        let update = || Apply(UpdateOf, changes.clone());
        let node = || {
            let behind = Gather::of(places).at(Apply(UpdateBehind { last }, changes.clone()));
            Apply(changed, (Gather::of(places).at(update()), behind, changes.clone()))
        };
        let of_nodes = (Gather::of(&sums).at(update()), Gather::of(&self.nodes).at(node()), changes.clone());
        let nodes: Array<T> = map(device, WithNode, of_nodes)?;
        Transform::copy().run(device, &nodes, Scatter::to(&mut self.nodes).at(node()))
    }

    /// Adds sorted updates to the nodes of all levels from `k` on, where there are no more blocks than updates. The
    /// amounts by which the nodes of these blocks change are the nodes of a Fenwick tree over the sums of updates in
    /// the blocks.
    fn change_above(&mut self, device: &Device, k: u32, (places, amounts): (&Array<u64>, &Array<T>)) -> Result<()> {
        let sums: Array<T> = Scan::new(Sum)
            .segments(Segments::KeysBy(places, SameBlock { k: k + self.high() }))
            .run_to_array(device, amounts)?;
        let (blocks, last) = (self.len >> k, places.len() as u64 - 1);
        let mut of_blocks = device.filled(BEFORE + blocks, T::ZERO)?;
        let sum_at = SumAt { k: k + self.high(), before: BEFORE as u64, blocks: blocks as u64, last };
        let places_behind = Gather::of(places).at(Apply(Behind { last }, 0..last + 1));
        let at = Apply(sum_at, (places, places_behind, 0..last + 1));
        Transform::copy().run(device, &sums, Scatter::to(&mut of_blocks).at(at))?;
        UpSweep::new(Sum).run_in_place(device, &mut PartMut::of(&mut of_blocks, BEFORE..BEFORE + blocks)?)?;
        let changes = &Part::of(&of_blocks, BEFORE..BEFORE + blocks)?;
        let node = || Apply(NodeOfBlock { k, before: BEFORE as u64 }, 0..blocks as u64);
        let nodes: Array<T> = map(device, Add, (changes, Gather::of(&self.nodes).at(node())))?;
        Transform::copy().run(device, &nodes, Scatter::to(&mut self.nodes).at(node()))
    }

    /// Computes the sums of the first `counts[i]` elements. On CUDA the work is enqueued and the call returns at once.
    ///
    /// # Errors
    /// [`Error::Index`]: a count above the number of elements; [`Error::Place`], [`Error::OutOfMemory`]; CUDA's own.
    pub fn prefixes<C: Input<Item = u64> + ?Sized>(&self, device: &Device, counts: &C) -> Result<Array<T>> {
        let counts = &Part::all(counts);
        let nodes = &self.table()?;
        let questions = counts.view().len();
        let mut sums = device.filled(questions, T::ZERO)?;
        for bit in (0..usize::BITS - self.len.leading_zeros()).step_by(12) {
            // The counts are gathered, as from a table: a call has room for few streams.
            let count = || Gather::of(counts).at(0..questions as u64);
            let node = |bit| Gather::of(nodes).at(Apply(NodeOfBit { bit }, count()));
            let four = |bit| Apply(AddFour, (node(bit), node(bit + 1), node(bit + 2), node(bit + 3)));
            sums = map(device, AddFour, (&sums, four(bit), four(bit + 4), four(bit + 8)))?;
        }
        Ok(sums)
    }

    /// Sums of the elements from `low[i]` to before `high[i]`, negated where `low[i]` is the higher position. On CUDA
    /// the work is enqueued and the call returns at once.
    ///
    /// # Errors
    /// As [`prefixes`](Self::prefixes); [`Error::Length`]: different numbers of low and high positions.
    pub fn ranges<L, H>(&self, device: &Device, low: &L, high: &H) -> Result<Array<T>>
    where
        L: Input<Item = u64> + ?Sized,
        H: Input<Item = u64> + ?Sized,
    {
        map(device, Subtract, (&self.prefixes(device, high)?, &self.prefixes(device, low)?))
    }

    /// Finds the first position at which the running sum `x[0] + .. + x[position]` is at least `sums[i]`; the number of
    /// elements where it is nowhere. Elements must not be negative. With random `sums`, up to the total, this draws
    /// positions in proportion to their weights. On CUDA the work is enqueued and the call returns at once.
    ///
    /// # Errors
    /// [`Error::Place`], [`Error::OutOfMemory`]; CUDA's own.
    pub fn find<S: Input<Item = T> + ?Sized>(&self, device: &Device, sums: &S) -> Result<Array<u64>> {
        let sums = &Part::all(sums);
        let (n, len) = (sums.view().len(), self.len as u64);
        let (mut places, mut left): (_, Array<T>) =
            (device.filled(n, 0u64)?, Transform::copy().run_to_array(device, sums)?);
        let table = self.table()?;
        for k in (0..u64::BITS - len.leading_zeros()).rev() {
            let step = 1 << k;
            let (mut next, mut less) = (device.room(n)?, device.room(n)?);
            let nodes = Gather::of(&table).at(Apply(TryNode { step, len }, &places));
            Transform::new(Advance { step, len }).run(device, (&places, &left, nodes), (&mut next, &mut less))?;
            (places, left) = (next, less);
        }
        Ok(places)
    }
}
