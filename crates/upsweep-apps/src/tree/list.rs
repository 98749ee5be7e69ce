//! The place of each element of a linked list (list ranking).
//!
//! On the host, threads walk along pieces of the list, some at a time so that their reads of memory overlap (Helman and JaJa). Elsewhere
//! each element's successor is replaced by the successor's successor until all are at the end (Wyllie).

use crate::part::{element, map};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use upsweep::Result;
use upsweep::prelude::*;

/// What is known of a list.
#[derive(Debug)]
pub(super) enum Ranked {
    /// The place of each element.
    All(Array<u32>),
    /// An element that is not on the list.
    Cycle(u32),
}

/// The places of elements, `next[e]` behind `e`, counted from `start` on. The last element is its own successor. No two others have the
/// same successor, so what is not on the list is on circles.
///
/// # Errors
/// The library's.
pub(super) fn places(device: &Device, next: &Array<u32>, start: u32) -> Result<Ranked> {
    match next.as_slice() {
        Some(next) => walk(device, next, start),
        None => jump(device, next, start),
    }
}

#[function]
fn with_distance(next: u32, at: u32) -> u64 {
    let distance: u64 = if next == at { 0 } else { 1 };
    (next as u64) << 32 | distance
}

#[function]
fn successor(state: u64) -> u32 {
    (state >> 32) as u32
}

/// Twice as far.
#[function]
fn double(state: u64, there: u64) -> u64 {
    there + (state & 0xffff_ffff)
}

/// The place, and the element if it is not at the end.
#[function]
fn place(#[param] first: u64, state: u64) -> u32 {
    (first - state) as u32
}

#[function]
fn elsewhere(#[param] end: u32, state: u64, at: u32) -> u32 {
    if (state >> 32) as u32 == end { u32::MAX } else { at }
}

/// By pointer jumping: log2(n) passes.
pub(super) fn jump(device: &Device, next: &Array<u32>, start: u32) -> Result<Ranked> {
    let n = next.len() as u32;
    // The successor in the high half, and how far it is in the low one.
    let mut states: Array<u64> = map(device, WithDistance, (next, 0..n))?;
    for _ in 0..u32::BITS - (n - 1).leading_zeros() {
        states = map(device, Double, (&states, Gather::of(&states).at(Apply(Successor, &states))))?;
    }
    let first = element(device, &states, start as usize)?;
    let end = (first >> 32) as u32;
    match Reduce::new(Min).map(Elsewhere { end }).run_to_host(device, (&states, 0..n))? {
        u32::MAX => Ok(Ranked::All(map(device, Place { first }, &states)?)),
        element => Ok(Ranked::Cycle(element)),
    }
}

/// How many pieces a thread walks along at a time.
const AT_A_TIME: usize = 8;

/// A piece as it is walked along.
struct Piece {
    id: u32,
    at: u32,
    len: u32,
}

/// By pieces that begin at elements chosen from all places.
fn walk(device: &Device, next: &[u32], start: u32) -> Result<Ranked> {
    let n = next.len();
    let spacing = (n / 4096).clamp(32, 1 << 12);
    // Which piece an element begins; `start` the first one.
    let begins = |e: u32| {
        if e == start { Some(0) } else { (e as usize).is_multiple_of(spacing).then(|| e / spacing as u32 + 1) }
    };
    let pieces = n.div_ceil(spacing) + 1;
    // Each element's piece in the high half, and its place in it in the low one.
    let found: Vec<AtomicU64> = (0..n).into_par_iter().map(|_| AtomicU64::new(u64::MAX)).collect();
    let first_of = |id: usize| if id == 0 { start } else { ((id - 1) * spacing) as u32 };
    let groups: Vec<usize> = (0..pieces).step_by(AT_A_TIME).collect();
    // Of each piece its length, and the one behind it, or none.
    let walked: Vec<[(u32, u32); AT_A_TIME]> = groups
        .into_par_iter()
        .map(|group| {
            let mut results = [(0, u32::MAX); AT_A_TIME];
            let ids = group..pieces.min(group + AT_A_TIME);
            // `start` is a piece of its own, also where one of the others would begin.
            let ids = ids.filter(|&id| id == 0 || first_of(id) != start);
            let mut active: Vec<Piece> = ids.map(|id| Piece { id: id as u32, at: first_of(id), len: 0 }).collect();
            while !active.is_empty() {
                active.retain_mut(|piece| {
                    let word = u64::from(piece.id) << 32 | u64::from(piece.len);
                    found[piece.at as usize].store(word, Ordering::Relaxed);
                    piece.len += 1;
                    let after = next[piece.at as usize];
                    let last = after == piece.at;
                    let behind = if last { Some(u32::MAX) } else { begins(after) };
                    piece.at = after;
                    match behind {
                        Some(behind) => results[piece.id as usize - group] = (piece.len, behind),
                        None => return true,
                    }
                    false
                });
            }
            results
        })
        .collect();
    // The places of the pieces, along the list.
    let mut places = vec![None; pieces];
    let (mut piece, mut place) = (0, 0u32);
    while let Some(slot) = places.get_mut(piece as usize).filter(|slot| slot.is_none()) {
        *slot = Some(place);
        let (len, behind) = walked[piece as usize / AT_A_TIME][piece as usize % AT_A_TIME];
        (piece, place) = (behind, place + len);
    }
    let place_of = |e: usize| {
        let word = found[e].load(Ordering::Relaxed);
        places.get((word >> 32) as usize).copied().flatten().map(|first| first + word as u32)
    };
    if place as usize != n {
        let off = (0..n).find(|&e| place_of(e).is_none());
        return Ok(Ranked::Cycle(off.unwrap_or(0) as u32));
    }
    let all: Vec<u32> = (0..n).into_par_iter().map(|e| place_of(e).unwrap_or(0)).collect();
    Ok(Ranked::All(device.upload(&all)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of `n` elements in an order that jumps about, and where each is.
    fn list(n: usize) -> (Vec<u32>, u32, Vec<u32>) {
        let step = (0..)
            .map(|i| n * 5 / 8 + 1 + i)
            .find(|&step| (1..=step).rev().find(|&d| n.is_multiple_of(d) && step.is_multiple_of(d)) == Some(1));
        let step = step.unwrap_or(1);
        let order: Vec<u32> = (0..n).map(|i| (i * step % n) as u32).collect();
        let (mut next, mut places) = (vec![0; n], vec![0; n]);
        for (place, &e) in order.iter().enumerate() {
            next[e as usize] = *order.get(place + 1).unwrap_or(&e);
            places[e as usize] = place as u32;
        }
        (next, order[0], places)
    }

    #[test]
    fn both_ways_rank_lists_and_find_circles() -> Result<()> {
        let device = Device::cpu();
        for n in [1, 2, 3, 31, 32, 33, 255, 1000, 4097, 100_003] {
            let (mut next, start, expected) = list(n);
            for rank in [walk_it, jump] {
                let Ranked::All(found) = rank(&device, &device.upload(&next)?, start)? else {
                    return Err(upsweep::Error::Overlap);
                };
                assert!(found.to_vec()? == expected, "{n} elements");
            }
            if n >= 31 {
                // The elements behind the first ten go round; those ten go to the end.
                let element = |place: u32| expected.iter().position(|&p| p == place).unwrap_or(0);
                let (tenth, eleventh, last) = (element(9), element(10), element(n as u32 - 1));
                (next[tenth], next[last]) = (tenth as u32, eleventh as u32);
                for rank in [walk_it, jump] {
                    let Ranked::Cycle(found) = rank(&device, &device.upload(&next)?, start)? else {
                        return Err(upsweep::Error::Overlap);
                    };
                    assert!(expected[found as usize] >= 10, "{n} elements: {found}");
                }
            }
        }
        Ok(())
    }

    fn walk_it(device: &Device, next: &Array<u32>, start: u32) -> Result<Ranked> {
        walk(device, next.as_slice().unwrap_or(&[]), start)
    }
}
