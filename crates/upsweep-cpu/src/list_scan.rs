//! Scan of a linked list (list ranking) on the CPU: the list is divided into pieces, which threads traverse in
//! parallel.
//!
//! A first traversal finds the total of each piece, and the piece after it. From the first piece on the totals are
//! scanned one after the other, and a second traversal stores results.
//!
//! No two threads write one result in the second traversal. Two pieces that meet have the same successor, or both end.
//! So if the path from the first piece on visits no piece twice, and its pieces have as many elements in total as the
//! list, each element is on exactly one of them.
//!
//! Each thread interleaves eight pieces, so that the latencies of its reads overlap.

use super::engine::apart;
use std::sync::atomic::{AtomicUsize, Ordering};
use upsweep_core::buffer::View;
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::{Faults, Read};
use upsweep_core::memory;
use upsweep_core::operator::Element;
use upsweep_core::outputs::Write;
use upsweep_core::segments::Whole;
use upsweep_core::steps::{Held, JobSteps};
use upsweep_plan::list_scan::{chosen, pieces};

/// Number of pieces of the list that a thread traverses at a time, a step of each in turn.
const AT_A_TIME: usize = 8;
/// Value that marks the end of the list: no piece follows.
const NOTHING: usize = usize::MAX;

/// List divided into pieces. Piece 0 begins with `first`, and each other piece with one of `spacing` neighbouring
/// elements.
#[derive(Clone, Copy)]
struct List<'a> {
    next: &'a [u32],
    first: usize,
    spacing: usize,
}

impl List<'_> {
    fn pieces(self) -> usize {
        pieces(self.next.len(), self.spacing)
    }

    /// Returns the element that begins a piece, if there is one.
    fn begin(self, piece: usize) -> Option<usize> {
        let Some(slot) = piece.checked_sub(1) else { return Some(self.first) };
        let at = slot * self.spacing + chosen(slot, self.spacing);
        (at < self.next.len() && at != self.first).then_some(at)
    }

    /// Returns the piece that begins with the element at index `at`, if there is one.
    fn piece_at(self, at: usize) -> Option<usize> {
        let slot = at / self.spacing;
        let begins = at % self.spacing == chosen(slot, self.spacing);
        if at == self.first { Some(0) } else { begins.then_some(slot + 1) }
    }
}

/// State of the traversal of a piece, which is the elements from the one that begins it up to the next piece.
#[derive(Clone, Copy)]
struct Walk<T> {
    piece: usize,
    at: usize,
    sum: Option<T>,
    len: usize,
    behind: usize,
}

/// Scans a list from element `first` on: `next` has the index of the element after each, and for the last element its
/// own index. The length of the list is that of the input and the output.
pub fn run<S: JobSteps>(
    steps: S,
    (input, output): (&<S::In as Read>::Given<'_>, &<S::Out as Write>::Given<'_>),
    next: &View<'_, u32>,
    (len, first): (usize, usize),
    exclusive: bool,
) -> Result<()> {
    Held::nothing().add_all::<_, Whole>(&steps, None)?;
    let faults = Faults::default();
    let list = List { next: next.on_host("list")?, first, spacing: (len / 4096).clamp(32, 1 << 12) };
    let places =
        Places::<S> { from: S::In::place(input, "input", &faults)?, to: S::Out::place(output, "output", &faults)? };
    let load = |at: usize| {
        let places = &places;
        // SAFETY: the memory is valid while the call's buffers and faults live, and the input has as many elements as
        // the list.
        let x = unsafe { S::In::read(&places.from, at) };
        steps.load(x, at)
    };

    let wrong = AtomicUsize::new(len);
    let total = |piece: &mut Walk<S::Acc>| {
        let x = load(piece.at);
        piece.sum = Some(piece.sum.map_or(x, |sum| steps.combine(sum, x)));
        piece.len += 1;
        let after = list.next[piece.at] as usize;
        if after >= len {
            wrong.fetch_min(piece.at, Ordering::Relaxed);
        }
        if after >= len || after == piece.at {
            return true;
        }
        if let Some(behind) = list.piece_at(after) {
            piece.behind = behind;
            return true;
        }
        piece.at = after;
        // More steps than elements: a cycle.
        piece.len > len
    };
    let mut of_piece = memory::filled(list.pieces(), None)?;
    apart::each(&mut of_piece.chunks_mut(AT_A_TIME).collect::<Vec<_>>(), true, &|group, of_piece| {
        let first = group * AT_A_TIME;
        let ids = (first..first + of_piece.len()).filter_map(|piece| Some((piece, list.begin(piece)?)));
        let walk = |(piece, at)| Walk { piece, at, sum: None, len: 0, behind: NOTHING };
        for walk in together(ids.map(walk).collect(), total) {
            of_piece[walk.piece - first] = Some(walk);
        }
    });
    let wrong = wrong.into_inner();
    if wrong < len {
        return Err(Error::Index { at: wrong, index: list.next[wrong].into(), len });
    }

    // Exclusive prefix of each piece, from the first one on.
    let mut path = memory::room(list.pieces())?;
    let (mut piece, mut before, mut listed) = (0, None, 0);
    while let Some(walk) = of_piece.get_mut(piece).and_then(Option::take) {
        path.push(Walk { at: list.begin(piece).unwrap_or(0), sum: before, ..walk });
        listed += walk.len;
        before = steps.join(before, walk.sum);
        piece = walk.behind;
    }
    // A circular list ends at piece 0. A path that ends at another piece is no list.
    if listed != len || (piece != NOTHING && piece != 0) {
        return Err(Error::List { len });
    }

    let store = |piece: &mut Walk<S::Acc>| {
        let (x, places) = (load(piece.at), &places);
        let with = piece.sum.map_or(x, |sum| steps.combine(sum, x));
        let result = if exclusive { piece.sum.or_else(|| steps.identity()).unwrap_or(with) } else { with };
        // SAFETY: the memory is valid while the call's buffers and faults live, and no other thread writes this result:
        // see the head of the file.
        unsafe { S::Out::write(&places.to, piece.at, steps.store(result).canonical()) };
        piece.sum = Some(with);
        piece.len -= 1;
        piece.at = list.next[piece.at] as usize;
        piece.len == 0
    };
    let groups: Vec<_> = path.chunks(AT_A_TIME).collect();
    apart::run(groups.len(), true, &|group| drop(together(groups[group].to_vec(), store)));
    faults.check()
}

/// Interleaves all `walks`, a step of each in turn, until `step` returns true for each.
fn together<T: Copy>(mut walks: Vec<Walk<T>>, step: impl Fn(&mut Walk<T>) -> bool) -> Vec<Walk<T>> {
    let mut active = walks.len();
    while active > 0 {
        let mut at = 0;
        while at < active {
            if step(&mut walks[at]) {
                active -= 1;
                walks.swap(at, active);
            } else {
                at += 1;
            }
        }
    }
    walks
}

/// Memory of the elements and of the results.
struct Places<S: JobSteps> {
    from: <S::In as Read>::Place,
    to: <S::Out as Write>::Place,
}

// SAFETY: the memory is that of a call, which borrows the buffers for as long as it runs. Values are only read, and
// each result is written by one thread.
unsafe impl<S: JobSteps> Sync for Places<S> {}
