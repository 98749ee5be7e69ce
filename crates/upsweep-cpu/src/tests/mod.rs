//! Tests of the CPU backend against a naive sequential oracle, with blocks so small that short arrays cross many.

mod any_order;
mod carry;
mod lanes;
mod numbers;
mod plan;
mod reduce;
mod rows;
mod scan;
mod select;
mod sort;
mod tree;

use crate::tile::body::{Body, bits};
#[cfg(feature = "small-loops")]
use crate::tile::erased;
use crate::tile::reduce::Reducer;
use crate::tile::run::{Memory, Run, Storing};
use crate::tile::scan::ScanRun;
use crate::tile::simd::Set;
use crate::tile::store::Ahead;
use crate::tile::tree::{ScanTree, State};
use upsweep_core::buffer::View;
use upsweep_core::call::{Elements, Job};
use upsweep_core::init::InitSource;
use upsweep_core::operator::{Element, Function, Map, Operator, Source};
use upsweep_core::outputs::Target;
use upsweep_core::segments::{SegmentKind, Segmentation};
use upsweep_core::shape::Shape;
use upsweep_core::steps::{JobSteps, Steps};
use upsweep_plan::cpu::Limits;

/// Generator of random numbers that are good enough for tests.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58476d1ce4e5b9) >> 17
    }
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }
}

/// Hash of a word, and the base to the power of its length. Concatenation is associative, not commutative, and depends
/// on the position of every element. It has no identity.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Word(u64, u64);

#[derive(Clone, Copy)]
struct Concat;

impl Operator<Word> for Concat {
    fn combine(&self, a: Word, b: Word) -> Word {
        Word(a.0.wrapping_mul(b.1).wrapping_add(b.0), a.1.wrapping_mul(b.1))
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}
impl Word {
    fn letter(x: u64) -> Self {
        Self(x + 1, 0x9e3779b97f4a7c15)
    }
}

/// Affine map `x -> m x + c`, with an identity.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Affine(u32, u32);

#[derive(Clone, Copy)]
struct Then;

impl Operator<Affine> for Then {
    fn combine(&self, f: Affine, g: Affine) -> Affine {
        Affine(g.0.wrapping_mul(f.0), g.0.wrapping_mul(f.1).wrapping_add(g.1))
    }
    fn identity(&self) -> Option<Affine> {
        Some(Affine(1, 0))
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

/// Map from an element to a word of one letter, which also depends on the element's position.
#[derive(Clone, Copy)]
struct Positioned;

impl Map<u16> for Positioned {
    type Output = Word;
    fn apply(&self, x: u16, index: u64) -> Word {
        Word::letter((u64::from(x) << 32) + index)
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

/// Finish to a result of another type.
#[derive(Clone, Copy)]
struct Hash;

impl Function<(Word,)> for Hash {
    type Output = u64;
    fn call(&self, (word,): (Word,)) -> u64 {
        word.0 ^ word.1.rotate_left(17)
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

/// Equality of keys that ignores the last decimal digit: keys with the same tens are equal.
#[derive(Clone, Copy)]
struct SameTens;

impl Function<(u8, u8)> for SameTens {
    type Output = bool;
    fn call(&self, (a, b): (u8, u8)) -> bool {
        a / 10 == b / 10
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

/// Runs `body`, a computation on `memory` with the given `steps`, as a job does.
///
/// # Safety
/// The conditions of [`Body::run`] and of this type of body hold.
unsafe fn as_a_job<S: Steps, B: Body<S>>(steps: S, memory: Memory<S::In, S::Out>, body: B) -> B::Result {
    #[cfg(not(feature = "small-loops"))]
    // SAFETY: the conditions of the body hold, and the steps are the job's.
    return unsafe { body.run(steps, memory) };
    #[cfg(feature = "small-loops")]
    // SAFETY: the conditions of the body hold, and the steps are the job's.
    unsafe {
        erased::call(steps, memory, body)
    }
}

/// Reduction of a run by the kernel of an instruction set.
#[derive(Clone, Copy)]
struct ReduceBy {
    set: Set,
    run: Run,
}

impl<S: Steps> Body<S> for ReduceBy {
    type Result = Option<S::Acc>;

    unsafe fn run<E: Steps>(self, steps: E, memory: Memory<E::In, E::Out>) -> Option<S::Acc> {
        // SAFETY: the processor has the instructions of every `Set`. The run is in memory, and values have the same
        // bits.
        unsafe { Reducer::new(self.set, &steps, &memory).reduce(self.run, Ahead::NOTHING).map(|total| bits(total)) }
    }
}

/// Scan of a run by the kernel of an instruction set. Its result is the kernel's return value.
struct ScanBy<'a, T> {
    set: Set,
    run: Run,
    prefix: Option<T>,
    storing: &'a Storing<T>,
}

impl<S: Steps> Body<S> for ScanBy<'_, S::Acc> {
    type Result = Option<S::Acc>;

    unsafe fn run<E: Steps>(self, steps: E, memory: Memory<E::In, E::Out>) -> Option<S::Acc> {
        let Self { set, run, prefix, storing: &Storing { exclusive, identity, non_temporal, block, next } } = self;
        // SAFETY: values have the same bits. The processor has the instructions of every `Set`. The run is in memory,
        // which nothing else uses.
        unsafe {
            let [prefix, identity] = [prefix, identity].map(|value| value.map(|value| bits(value)));
            let storing = &Storing { exclusive, identity, non_temporal, block, next };
            let (steps, memory) = (&steps, &memory);
            if const { E::TREE } {
                let state = State::of_head(steps, prefix, identity);
                let scan = ScanTree::<E, true> { steps, memory, run, position: 0, state, storing };
                return Some(bits(set.compiled()(scan).before));
            }
            let scan = ScanRun::<'_, E> { steps, memory, run, prefix, wanted: true, storing };
            set.compiled()(scan).map(|total| bits(total))
        }
    }
}

/// Returns numbers of elements for test arrays: short ones, and around the edges of blocks and tiles.
fn sizes(block: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = (0..70).collect();
    for edge in [block, 2 * block, 5 * block, 512, 1024, 2048] {
        sizes.extend(edge.saturating_sub(1)..edge + 2);
    }
    sizes.push(3333);
    sizes
}

fn limits(block: usize, non_temporal: bool) -> Limits {
    let tiles = 1 + block % 3;
    Limits { block, tiles, parallel_from: 0, non_temporal_from: if non_temporal { 0 } else { usize::MAX } }
}

/// Block sizes: one element, less than a tile, no round number, and more than a tile.
const BLOCKS: [usize; 5] = [1, 7, 64, 300, 2500];

/// Makes a job with `len` results from `start` on. Without `input` it is in place.
fn job<'a, I: Element, O: Element, S: JobSteps<In = I, Out = O>, G: Segmentation>(
    steps: S,
    input: Option<&'a [I]>,
    (start, len): (*mut O, usize),
    shape: Shape,
    segments: SegmentKind<'a, G::Key, G::Offset, G::Same>,
    init: Option<S::Given>,
) -> Job<'a, 'a, 'a, S, G> {
    let input = input.map_or(Elements::OfOutput, |input| Elements::Given(View::Host(input)));
    let output = Target::on_the_host(start, len);
    Job { input, output, shape, init: init.map_or(InitSource::None, InitSource::Value), segments, steps }
}

fn shape_of(n: usize) -> Shape {
    Shape { outer: 1, len: n, inner: 1 }
}

fn with_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// Returns the elements of each line, in scan order.
fn lines_of_shape((outer, len, inner): (usize, usize, usize), reverse: bool) -> Vec<Vec<usize>> {
    let mut lines = Vec::new();
    for o in 0..outer {
        for i in 0..inner {
            let mut line: Vec<_> = (0..len).map(|k| (o * len + k) * inner + i).collect();
            if reverse {
                line.reverse();
            }
            lines.push(line);
        }
    }
    lines
}

/// Returns the elements of each segment, in scan order.
fn lines_of_offsets(offsets: &[usize], reverse: bool) -> Vec<Vec<usize>> {
    let segment = |pair: &[usize]| {
        let mut line: Vec<_> = (pair[0]..pair[1]).collect();
        if reverse {
            line.reverse();
        }
        line
    };
    offsets.windows(2).map(segment).collect()
}

/// Makes ascending offsets for `n` elements, with empty segments.
fn random_offsets(random: &mut Random, n: usize) -> Vec<usize> {
    let most = [3, 40, 2 * n + 2][random.below(3)];
    let mut offsets: Vec<usize> = (0..random.below(most)).map(|_| random.below(n + 1)).collect();
    if random.coin() {
        offsets.extend([0, 0, n, n]);
    }
    offsets.extend([0, n]);
    offsets.sort_unstable();
    offsets
}

/// Converts the offsets, without empty segments, to head flags.
fn flags_of(offsets: &[usize], n: usize, first: bool) -> Vec<bool> {
    let mut flags = vec![false; n];
    for &offset in offsets {
        if offset < n && (offset > 0 || first) {
            flags[offset] = true;
        }
    }
    flags
}

fn without_empty(offsets: &[usize]) -> Vec<usize> {
    let mut offsets = offsets.to_vec();
    offsets.dedup();
    offsets
}
