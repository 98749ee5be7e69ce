//! Comparison of two sequences: their order, and the first position where they differ.
//!
//! ```text
//! order    that of the elements at the first place where they differ; if one sequence begins with the other, the shorter is first
//! at       that place; the shorter length if one begins with the other; None if they are equal
//! ```
//!
//! This is Rust's order of slices. The string comparison of lectures, which drops the letters that one string lacks,
//! would find "par" and "parallel" equal. A NaN has no order, as in `partial_cmp`; -0 equals +0.
//!
//! ```
//! use std::cmp::Ordering;
//! use upsweep::Device;
//! use upsweep_apps::text::Compare;
//!
//! let device = Device::cpu();
//! let found = Compare::new().run(&device, b"parallax", b"parallel")?;
//! assert_eq!((found.order, found.at), (Some(Ordering::Less), Some(6)));
//! let found = Compare::new().run(&device, b"par", b"parallel")?;
//! assert_eq!((found.order, found.at), (Some(Ordering::Less), Some(3)));
//!
//! // Numbers that are close enough are equal.
//! let found = Compare::new().within(1e-6).run(&device, &[0.1 + 0.2, 5.0], &[0.3, 7.0])?;
//! assert_eq!(found.at, Some(1));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Cost.** Both sequences are read once up to the first difference, and some way beyond. They are read in waves, and
//! a wave reads nothing if one before it has found a difference. On the CPU the first wave is 256 KiB of each, and
//! every other one four times as long as the one before: at most three times as much as up to the difference, and a
//! first wave, are read beyond it. On CUDA a wave takes as long as some 30 MiB of each: the first is 64 MiB, and every
//! other one 16 times as long. The host waits once, for the order of the few elements that differ. Equal sequences are
//! read once.
//!
//! Integers of at most 64 bits are compared as words of 64 bits if both sequences begin at the same distance from a
//! multiple of eight bytes, as whole arrays do. Other elements are compared one by one.

use crate::part::{Part, element, map};
use std::cmp::Ordering;
use std::ops::Range;
use upsweep::prelude::*;
use upsweep::{Error, Input, Result};

#[allow(unreachable_pub, reason = "the functions stay here; what the macro makes of them is exported")]
mod definitions {
    use upsweep::operator::{Float, Number};
    use upsweep::prelude::*;

    /// Comparison of elements. The function itself returns the position and the order of elements that differ; another
    /// function, which is cheaper, returns the position only.
    pub trait Differs<T: Element>: Function<(T, T, u64), Output = u64> + Copy {
        /// Whether integers are equal exactly if their bits are equal.
        const BITWISE: bool;
        /// Function that returns the position of two elements that differ, and `u32::MAX` for equal ones.
        type Place: Function<(T, T, u32), Output = u32> + Copy;
        /// Returns the cheaper function of the same comparison.
        fn place(&self) -> Self::Place;
    }

    /// Returns `at`, the position of the elements `a` and `b`, if they differ, and `u32::MAX` if they are equal.
    #[function]
    pub fn unequal<T: Number>(a: T, b: T, at: u32) -> u32 {
        if a == b { u32::MAX } else { at }
    }

    /// Returns the position `at` of two elements whose difference exceeds `tolerance`, and `u32::MAX` for others.
    #[function]
    pub fn distant<T: Float>(#[param] tolerance: T, a: T, b: T, at: u32) -> u32 {
        if a == b || (a - b).abs() <= tolerance { u32::MAX } else { at }
    }

    impl<T: Number> Differs<T> for Exact {
        const BITWISE: bool = true;
        type Place = Unequal;
        fn place(&self) -> Unequal {
            Unequal
        }
    }

    impl<T: Float> Differs<T> for Near<T> {
        const BITWISE: bool = false;
        type Place = Distant<T>;
        fn place(&self) -> Distant<T> {
            Distant { tolerance: self.tolerance }
        }
    }

    /// Number of the first piece (a word, or an element) that differs, and number of pieces that the next wave reads, 0
    /// if one has differed, after a wave that began with piece `start` and found `piece`.
    #[function]
    pub fn reached(#[param] start: u64, #[param] next: u64, piece: u32, before: u64) -> (u64, u64) {
        let found: u64 = if before != u64::MAX || piece == u32::MAX { before } else { start + piece as u64 };
        let left: u64 = if found == u64::MAX { next } else { 0 };
        (found, left)
    }

    /// Position of element `i` of a piece, which is a word of `each` elements, or one element. The first piece begins
    /// with the element at `first`. If no piece differs, it is a position among the first elements, which are equal.
    #[function]
    pub fn in_piece(#[param] first: u64, #[param] each: u64, piece: u64, i: u64) -> u64 {
        let begin: u64 = if piece == u64::MAX { 0 } else { first + piece * each };
        begin + i
    }

    /// Returns the position and the order of two elements that differ, as `4 * at + (0 less, 1 greater, 2 neither)`;
    /// `u64::MAX` for equal ones.
    #[function]
    pub fn exact<T: Number>(a: T, b: T, at: u64) -> u64 {
        let order: u64 = if a < b {
            0
        } else if a > b {
            1
        } else {
            2
        };
        if a == b { u64::MAX } else { at * 4 + order }
    }

    /// Returns the position and the order, as `exact` does, of two elements whose difference exceeds `tolerance`, and
    /// `u64::MAX` for others.
    #[function]
    pub fn near<T: Float>(#[param] tolerance: T, a: T, b: T, at: u64) -> u64 {
        let order: u64 = if a < b {
            0
        } else if a > b {
            1
        } else {
            2
        };
        if a == b || (a - b).abs() <= tolerance { u64::MAX } else { at * 4 + order }
    }
}
pub use definitions::{Differs, Exact, Near};
use definitions::{InPiece, Reached, Unequal};

/// Largest length of sequences for which the order of every two elements is computed at once, without a search for the
/// first difference before.
const SHORT: usize = 1 << 12;
/// Bytes that the first wave reads, and the growth factor from a wave to the next. On the host starting a wave costs
/// nothing.
const ON_HOST: (usize, usize) = (1 << 18, 4);
const ON_CUDA: (usize, usize) = (1 << 26, 16);
/// Largest number of elements of a wave: their positions are numbers of 32 bits.
const LONGEST_WAVE: usize = 1 << 31;

/// Comparison with its options: see the [module](self) for its result. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is compared until it is run"]
pub struct Compare<F = Exact> {
    differs: F,
}

impl Compare {
    /// Comparison by `==`.
    pub fn new() -> Self {
        Self { differs: Exact }
    }

    /// Floats are also equal if their difference, rounded to their type, is at most `tolerance`. NaN equals nothing.
    pub fn within<T>(self, tolerance: T) -> Compare<Near<T>> {
        Compare { differs: Near { tolerance } }
    }
}

impl Default for Compare {
    fn default() -> Self {
        Self::new()
    }
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Order of the two sequences. `None` where NaN decides.
    pub order: Option<Ordering>,
    /// First position where they differ: the shorter length, if one is a prefix of the other. `None` if they are equal.
    pub at: Option<usize>,
}

/// Results of the comparison of many pairs, one for each pair, on the device.
#[derive(Debug)]
pub struct Pairs {
    /// -1, 0 or 1 where the first of the pair is less than, equal to or greater than the second; 2 where NaN decides.
    pub orders: Array<i8>,
    /// First position where a pair differs, counted from the begin of each sequence; the shorter length if there is
    /// none.
    pub places: Array<u64>,
}

impl<F: Copy> Compare<F> {
    /// Compares two sequences. On CUDA this waits for the result.
    ///
    /// # Errors
    /// [`Error::Place`] when a buffer is not in the memory of the device that computes; CUDA's own.
    pub fn run<A, B>(&self, device: &Device, a: &A, b: &B) -> Result<Comparison>
    where
        A: Input + ?Sized,
        B: Input<Item = A::Item> + ?Sized,
        F: Differs<A::Item>,
    {
        self.parts(device, &Part::all(a), &Part::all(b))
    }

    fn parts<T: Element>(&self, device: &Device, a: &Part<'_, T>, b: &Part<'_, T>) -> Result<Comparison>
    where
        F: Differs<T>,
    {
        let (a_len, b_len) = (a.view().len(), b.view().len());
        let common = a_len.min(b_len);
        let (x, y) = (Part::of(a, 0..common)?, Part::of(b, 0..common)?);
        let at = (a_len != b_len).then_some(common);
        Ok(self.differing(device, &x, &y)?.unwrap_or(Comparison { order: Some(a_len.cmp(&b_len)), at }))
    }

    /// Compares the first elements that differ, of two parts of the same length.
    fn differing<T: Element>(&self, device: &Device, x: &Part<'_, T>, y: &Part<'_, T>) -> Result<Option<Comparison>>
    where
        F: Differs<T>,
    {
        let len = x.view().len();
        if len <= SHORT {
            return self.first(device, x, y, 0..len);
        }
        let words = if F::BITWISE { x.words().zip(y.words()) } else { None };
        match words {
            Some(((before, u, after), (other, v, _))) if before == other => {
                let of_words = || {
                    let each = size_of::<u64>() / size_of::<T>();
                    match self.first(device, x, y, 0..before)? {
                        None => self.waves(device, Unequal, (&u, &v), (x, y), (before, each)),
                        found => Ok(found),
                    }
                };
                match of_words()? {
                    None => self.first(device, x, y, len - after..len),
                    found => Ok(found),
                }
            }
            _ => self.waves(device, self.differs.place(), (x, y), (x, y), (0, 1)),
        }
    }

    /// Compares the first elements that differ. They are found in waves of pieces `u` and `v`, which have `each`
    /// elements; the first piece begins with the element at `first`.
    fn waves<T: Element, U: Element, P>(
        &self,
        device: &Device,
        differs: P,
        (u, v): (&Part<'_, U>, &Part<'_, U>),
        (x, y): (&Part<'_, T>, &Part<'_, T>),
        (first, each): (usize, usize),
    ) -> Result<Option<Comparison>>
    where
        F: Differs<T>,
        P: Function<(U, U, u32), Output = u32> + Copy,
    {
        let len = u.view().len();
        let (bytes, growth) = if u.on_host() { ON_HOST } else { ON_CUDA };
        let (mut piece, mut left): (Array<u32>, _) = (device.room(1)?, Count::new(device)?);
        let (mut found, mut before): (Array<u64>, _) = (device.filled(1, u64::MAX)?, device.room(1)?);
        let (mut start, mut wave) = (0, bytes / size_of::<U>());
        while start < len {
            let end = len.min(start.saturating_add(wave));
            let (of_u, of_v, places) = (u.part(start..end)?, v.part(start..end)?, 0..(end - start) as u32);
            let reduce = Reduce::new(Min).map(differs);
            if start == 0 {
                reduce.run(device, (&of_u, &of_v, places), &mut piece)?;
            } else {
                reduce.run(device, (left.of(&of_u), left.of(&of_v), places), &mut piece)?;
            }
            wave = wave.saturating_mul(growth).min(LONGEST_WAVE);
            let next = wave.min(len - end) as u64;
            std::mem::swap(&mut found, &mut before);
            let reached = Reached { start: start as u64, next };
            Transform::new(reached).run(device, (&piece, &before), (&mut found, &mut left))?;
            start = end;
        }
        let in_piece = InPiece { first: first as u64, each: each as u64 };
        let places = || Apply(in_piece, (Gather::of(&found).at(Repeat(0u64)), 0..each as u64));
        let (of_x, of_y) = (Gather::of(x).at(places()), Gather::of(y).at(places()));
        Ok(comparison(Reduce::new(Min).map(self.differs).run_to_host(device, (of_x, of_y, places()))?))
    }

    /// Compares the first elements that differ within a piece. Every element's order is computed too, so the piece
    /// should be short.
    fn first<T: Element>(
        &self,
        device: &Device,
        x: &Part<'_, T>,
        y: &Part<'_, T>,
        piece: Range<usize>,
    ) -> Result<Option<Comparison>>
    where
        F: Differs<T>,
    {
        if piece.is_empty() {
            return Ok(None);
        }
        let (x, y) = (x.part(piece.clone())?, y.part(piece.clone())?);
        let first = Reduce::new(Min).map(self.differs);
        Ok(comparison(first.run_to_host(device, (&x, &y, piece.start as u64..piece.end as u64))?))
    }

    /// Compares many pairs: pair `i` is `a[a_offsets[i]..a_offsets[i + 1]]` and the same of `b`. On CUDA this waits
    /// once, for the number of elements to compare. Memory: 8 bytes for each element to compare.
    ///
    /// # Errors
    /// - [`Error::Length`]: different numbers of offsets for `a` and `b`, or none at all
    /// - [`Error::Offsets`]: offsets that do not ascend, or that leave their buffer
    /// - [`Error::Place`], [`Error::OutOfMemory`]; CUDA's own
    pub fn run_pairs<A, B, P, Q>(
        &self,
        device: &Device,
        (a, a_offsets): (&A, &P),
        (b, b_offsets): (&B, &Q),
    ) -> Result<Pairs>
    where
        A: Input + ?Sized,
        B: Input<Item = A::Item> + ?Sized,
        P: Input<Item = u64> + ?Sized,
        Q: Input<Item = u64> + ?Sized,
        F: Function<(A::Item, A::Item, u64), Output = u64>,
    {
        let (a_offsets, b_offsets) = (&Part::all(a_offsets), &Part::all(b_offsets));
        self.pairs(device, (&Part::all(a), a_offsets), (&Part::all(b), b_offsets))
    }

    fn pairs<T: Element>(
        &self,
        device: &Device,
        (a, a_offsets): (&Part<'_, T>, &Part<'_, u64>),
        (b, b_offsets): (&Part<'_, T>, &Part<'_, u64>),
    ) -> Result<Pairs>
    where
        F: Function<(T, T, u64), Output = u64>,
    {
        let pairs = check(device, a_offsets, a.view().len())?;
        let others = check(device, b_offsets, b.view().len())?;
        if others != pairs {
            return Err(Error::Length { what: "offsets of b", found: others + 1, expected: pairs + 1 });
        }
        let (a_begin, a_end) = (Part::of(a_offsets, 0..pairs)?, Part::of(a_offsets, 1..pairs + 1)?);
        let (b_begin, b_end) = (Part::of(b_offsets, 0..pairs)?, Part::of(b_offsets, 1..pairs + 1)?);
        // Elements to compare: of each pair as many as its shorter sequence has, one pair after the other.
        let common: Array<u64> = map(device, CommonLength, (&a_begin, &a_end, &b_begin, &b_end))?;
        let offsets: Array<u64> = Scan::new(Sum).exclusive().with_total().run_to_array(device, &common)?;
        let owner: Array<u64> = Expand::new().run_to_array(device, &common)?;
        let to_a: Array<u64> = map(device, Shift, (&a_begin, &Part::of(&offsets, 0..pairs)?))?;
        let to_b: Array<u64> = map(device, Shift, (&b_begin, &Part::of(&offsets, 0..pairs)?))?;
        let n = owner.len() as u64;
        let mut first = device.filled(pairs, u64::MAX)?;
        let x = Gather::of(a).at(Apply(Shifted, (Gather::of(&to_a).at(&owner), 0..n)));
        let y = Gather::of(b).at(Apply(Shifted, (Gather::of(&to_b).at(&owner), 0..n)));
        let reduce = Reduce::new(Min).map(self.differs).segments(Segments::Offsets(&offsets));
        reduce.run(device, (x, y, 0..n), &mut first)?;
        // The first difference decides about a pair, or else the lengths of its sequences.
        let lengths: Array<i8> = map(device, ByLength, (&a_begin, &a_end, &b_begin, &b_end))?;
        let (mut orders, mut places) = (device.filled(pairs, 0i8)?, device.filled(pairs, 0u64)?);
        let begins = Part::of(&offsets, 0..pairs)?;
        Transform::new(Decide).run(device, (&first, &lengths, &common, &begins), (&mut orders, &mut places))?;
        Ok(Pairs { orders, places })
    }
}

/// Returns the order and the position that the number returned by a [`Differs`] stands for.
fn comparison(first: u64) -> Option<Comparison> {
    let order = [Some(Ordering::Less), Some(Ordering::Greater), None][(first % 4).min(2) as usize];
    (first != u64::MAX).then_some(Comparison { order, at: Some((first / 4) as usize) })
}

/// Returns the number of segments, after checking that the offsets ascend and stay within `len` elements.
fn check(device: &Device, offsets: &Part<'_, u64>, len: usize) -> Result<usize> {
    let Some(segments) = offsets.view().len().checked_sub(1) else {
        return Err(Error::TooFew { what: "offsets", found: 0, least: 1 });
    };
    let fault = |index: usize, rule| {
        let offset = i128::from(element(device, offsets, index)?);
        Err(Error::Offsets { index, offset, rule })
    };
    let (begin, end) = (Part::of(offsets, 0..segments)?, Part::of(offsets, 1..segments + 1)?);
    let falls: u64 = Reduce::new(Min).map(Falls).run_to_host(device, (&begin, &end, 1..segments as u64 + 1))?;
    if falls != u64::MAX {
        return fault(falls as usize, "is less than the one before it");
    }
    if element(device, offsets, segments)? > len as u64 {
        return fault(segments, "is past the end of the elements");
    }
    Ok(segments)
}

/// Index `at` of an offset, `end`, that is less than the one before it, `begin`; `u64::MAX` for any other.
#[function]
fn falls(begin: u64, end: u64, at: u64) -> u64 {
    if end < begin { at } else { u64::MAX }
}

#[function]
fn common_length(a_begin: u64, a_end: u64, b_begin: u64, b_end: u64) -> u64 {
    (a_end - a_begin).min(b_end - b_begin)
}

#[function]
fn by_length(a_begin: u64, a_end: u64, b_begin: u64, b_end: u64) -> i8 {
    let (a, b) = (a_end - a_begin, b_end - b_begin);
    if a < b {
        -1
    } else if a > b {
        1
    } else {
        0
    }
}

/// Number, modulo 2^64, that leads from positions among the compared elements of all pairs to positions in the buffer:
/// for a pair whose elements begin at `begin` in the buffer and at `place` among the compared ones.
#[function]
fn shift(begin: u64, place: u64) -> u64 {
    begin - place
}

#[function]
fn shifted(by: u64, place: u64) -> u64 {
    place + by
}

#[function]
fn decide(first: u64, by_length: i8, common: u64, begin: u64) -> (i8, u64) {
    let order: i8 = if first % 4 == 0 {
        -1
    } else if first % 4 == 1 {
        1
    } else {
        2
    };
    if first == u64::MAX { (by_length, common) } else { (order, first / 4 - begin) }
}
