//! Segments: parts of an array that are scanned or reduced separately.

use crate::buffer::{Input, View};
use crate::error::{Error, Result};
use crate::operator::{Element, Function, Source};
use crate::sealed::Sealed;
use std::marker::PhantomData;

/// Constructors of segmentations: [`Segments::Offsets`], [`Segments::HeadFlags`], [`Segments::Keys`] and
/// [`Segments::KeysBy`].
#[derive(Debug)]
pub struct Segments;

#[allow(non_snake_case, reason = "they read as the variants they are: Segments::Offsets(&offsets)")]
impl Segments {
    /// Segments by offsets: segment `s` is the elements `offsets[s] .. offsets[s + 1]`. The offsets ascend (equal ones
    /// make an empty segment), the first is 0 and the last the number of elements.
    pub fn Offsets<B: Input<Item: Offset> + ?Sized>(offsets: &B) -> Offsets<'_, B> {
        Offsets(offsets)
    }

    /// Segments by head flags, one per element: a segment begins at element 0 and at each element whose flag is `true`.
    pub fn HeadFlags<B: Input<Item = bool> + ?Sized>(flags: &B) -> HeadFlags<'_, B> {
        HeadFlags(flags)
    }

    /// Segments by keys, one per element: a segment is a run of equal neighbours in `keys`.
    pub fn Keys<B: Input + ?Sized>(keys: &B) -> Keys<'_, B, Equal> {
        Keys(keys, Equal)
    }

    /// Segments by keys, one per element, and a relation: a segment is a run in which `same(keys[i - 1], keys[i])`
    /// holds.
    pub fn KeysBy<B, E>(keys: &B, same: E) -> Keys<'_, B, E>
    where
        B: Input + ?Sized,
        E: Function<(B::Item, B::Item), Output = bool>,
    {
        Keys(keys, same)
    }
}

/// Kind of a call's segments, as the CPU's plan distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuSegments {
    /// No segments.
    None,
    /// Segments by head flags or keys.
    Heads,
    /// Segments by offsets, and the number of segments.
    Offsets(usize),
}

/// An integer type that counts elements: `u32`, `u64`, `usize`, `i32`, `i64`. It is implemented for these types alone.
pub trait Offset: Element + Sealed {
    /// Returns the value as a `usize`, if it is not negative and `usize` holds it.
    fn to_usize(self) -> Option<usize>;
    /// Returns the value as an `i128`, for messages of errors.
    fn to_i128(self) -> i128;
    /// Largest value of the type.
    #[doc(hidden)]
    const LARGEST: u64;
    /// Whether the type has negative values.
    #[doc(hidden)]
    const SIGNED: bool;
}
macro_rules! offsets {
    ($($t:ty)*) => { $(impl Offset for $t {
        const LARGEST: u64 = Self::MAX as u64;
        #[inline(always)]
        fn to_usize(self) -> Option<usize> { usize::try_from(self).ok() }
        fn to_i128(self) -> i128 { self as i128 }
        const SIGNED: bool = <$t>::MIN != 0;
    })* };
}
offsets! { u32 u64 usize i32 i64 }

/// Checks that `offsets` ascend from 0 to `len`.
///
/// # Errors
/// [`Error::Offsets`] for the first offset that breaks a rule.
#[doc(hidden)]
pub fn check_offsets<I: Offset>(offsets: &[I], len: usize) -> Result<()> {
    let last = offsets.len().saturating_sub(1);
    let broken = |index: usize, rule| {
        let offset = offsets.get(index).map_or(0, |offset| offset.to_i128());
        Err(Error::Offsets { index, offset, rule })
    };
    let rule = |index: usize| {
        let offset = offsets[index].to_usize()?;
        let descends = index > 0 && offsets[index - 1].to_usize().is_none_or(|before| before > offset);
        (!descends).then_some(offset)
    };
    // Most offsets are right: all are tested without a branch each, and only a failure searches for the first wrong
    // one.
    let ascend = offsets.first().is_none_or(|first| first.to_usize().is_some())
        && offsets.windows(2).fold(true, |good, pair| {
            good & matches!((pair[0].to_usize(), pair[1].to_usize()), (Some(a), Some(b)) if a <= b)
        });
    if !ascend {
        let index = (0..offsets.len()).find(|&index| rule(index).is_none()).unwrap_or(0);
        return match offsets[index].to_usize() {
            None => broken(index, "is negative"),
            Some(_) => broken(index, "is less than the one before"),
        };
    }
    match (offsets.first().and_then(|x| x.to_usize()), offsets.last().and_then(|x| x.to_usize())) {
        (Some(0), Some(end)) if end == len => Ok(()),
        (Some(0), Some(_)) => broken(last, "is the last and is not the number of elements"),
        _ => broken(0, "is the first and is not 0"),
    }
}

/// Segments by [`Segments::Offsets`].
#[derive(Debug)]
pub struct Offsets<'a, B: ?Sized>(pub &'a B);

impl<B: ?Sized> Clone for Offsets<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: ?Sized> Copy for Offsets<'_, B> {}

/// Segments by [`Segments::HeadFlags`].
#[derive(Debug)]
pub struct HeadFlags<'a, B: ?Sized>(pub &'a B);
/// Segments by [`Segments::Keys`] or [`Segments::KeysBy`].
#[derive(Debug)]
pub struct Keys<'a, B: ?Sized, E>(pub &'a B, pub E);
/// The whole input is one segment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Whole;

/// Equality of keys by `==` of every field; NaN differs from itself, and -0 equals +0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Equal;

impl<K: Element> Function<(K, K)> for Equal {
    type Output = bool;
    #[inline(always)]
    fn call(&self, (a, b): (K, K)) -> bool {
        a.equals(b)
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        let ty = K::cuda_type(source);
        source.define(&format!("equal {ty}"), "equal", |_, name| {
            format!("__device__ __forceinline__ bool {name}({ty} a, {ty} b) {{ return eq(a, b); }}")
        })
    }
}

/// A segmentation: the result of one of [`Segments`]' functions, or [`Whole`]. It is implemented for these types alone.
pub trait Segmentation: Sealed {
    /// Element type of the keys; `u8` where there are none.
    type Key: Element;
    /// Element type of the offsets; `u64` where there are none.
    type Offset: Offset;
    /// Function that compares neighbouring keys for equality.
    type Same: Function<(Self::Key, Self::Key), Output = bool>;

    /// Kind of the segmentation that [`kind`](Self::kind) returns: backends compile no other kind.
    const KIND: Kind;

    /// Whether the array may have several lines along an axis: backends then compile the code for lines, too.
    #[doc(hidden)]
    const LINES: bool = true;

    /// Returns the segmentation with its buffers, as both backends use it.
    fn kind(&self) -> SegmentKind<'_, Self::Key, Self::Offset, Self::Same>;
}

/// Kind of a segmentation: [`SegmentKind`] without its buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The whole input is one segment.
    Whole,
    /// Ascending offsets, at which segments begin and end.
    Offsets,
    /// One flag per element: whether a segment begins there.
    HeadFlags,
    /// One key per element: a segment is a run of equal keys.
    Keys,
}

impl Kind {
    /// Whether a segmentation whose declared kind is `known` may be of the kind `kind`.
    pub const fn may_be(known: Self, kind: Self) -> bool {
        known as u8 == kind as u8
    }

    /// Returns the error of a segmentation whose kind is not its declared one. The crate's own segmentations never
    /// return it.
    pub fn contradicts() -> Error {
        Error::Options { options: "segments", reason: "they are of another kind than their type" }
    }
}

/// A segmentation with its buffers.
#[derive(Debug)]
pub enum SegmentKind<'a, K, I, E> {
    /// The whole input is one segment.
    Whole,
    /// Ascending offsets, at which segments begin and end.
    Offsets(View<'a, I>),
    /// One flag per element: whether a segment begins there.
    HeadFlags(View<'a, bool>),
    /// One key per element: a segment is a run of equal keys.
    Keys(View<'a, K>, E),
}

impl<K, I, E: Copy> SegmentKind<'_, K, I, E> {
    /// Returns the equality of keys, if there are keys.
    pub fn same(&self) -> Option<E> {
        match self {
            Self::Keys(_, same) => Some(*same),
            Self::Whole | Self::HeadFlags(_) | Self::Offsets(_) => None,
        }
    }
}

/// Placeholder equality of segmentations without keys; never called.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoKeys(PhantomData<()>);
impl Function<(u8, u8)> for NoKeys {
    type Output = bool;
    fn call(&self, (a, b): (u8, u8)) -> bool {
        a == b
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        Function::<(u8, u8)>::cuda_function(&Equal, source)
    }
}

impl Sealed for Whole {}
impl Segmentation for Whole {
    const KIND: Kind = Kind::Whole;
    type Key = u8;
    type Offset = u64;
    type Same = NoKeys;
    fn kind(&self) -> SegmentKind<'_, u8, u64, NoKeys> {
        SegmentKind::Whole
    }
}
impl<B: ?Sized> Sealed for Offsets<'_, B> {}
impl<B: Input<Item: Offset> + ?Sized> Segmentation for Offsets<'_, B> {
    const KIND: Kind = Kind::Offsets;
    type Key = u8;
    type Offset = B::Item;
    type Same = NoKeys;
    fn kind(&self) -> SegmentKind<'_, u8, B::Item, NoKeys> {
        SegmentKind::Offsets(self.0.view())
    }
}
impl<B: ?Sized> Sealed for HeadFlags<'_, B> {}
impl<B: Input<Item = bool> + ?Sized> Segmentation for HeadFlags<'_, B> {
    const KIND: Kind = Kind::HeadFlags;
    type Key = u8;
    type Offset = u64;
    type Same = NoKeys;
    fn kind(&self) -> SegmentKind<'_, u8, u64, NoKeys> {
        SegmentKind::HeadFlags(self.0.view())
    }
}
impl<B: ?Sized, E> Sealed for Keys<'_, B, E> {}
impl<B, E> Segmentation for Keys<'_, B, E>
where
    B: Input + ?Sized,
    E: Function<(B::Item, B::Item), Output = bool>,
{
    const KIND: Kind = Kind::Keys;
    type Key = B::Item;
    type Offset = u64;
    type Same = E;
    fn kind(&self) -> SegmentKind<'_, B::Item, u64, E> {
        SegmentKind::Keys(self.0.view(), self.1)
    }
}

/// Segmentation of a call with a single result, for which backends compile no code for lines along an axis.
pub struct OfOne<'a, G>(pub &'a G);

impl<G> Sealed for OfOne<'_, G> {}
impl<G: Segmentation> Segmentation for OfOne<'_, G> {
    type Key = G::Key;
    type Offset = G::Offset;
    type Same = G::Same;
    const KIND: Kind = G::KIND;
    const LINES: bool = false;

    fn kind(&self) -> SegmentKind<'_, G::Key, G::Offset, G::Same> {
        self.0.kind()
    }
}

impl<K, I, E> SegmentKind<'_, K, I, E> {
    /// Returns the kind of the segmentation and the number of its offsets, flags or keys, without their types.
    #[inline(always)]
    pub fn untyped(&self) -> SegmentsBy {
        let (kind, items) = match self {
            Self::Whole => (Kind::Whole, 0),
            Self::Offsets(offsets) => (Kind::Offsets, offsets.len()),
            Self::HeadFlags(flags) => (Kind::HeadFlags, flags.len()),
            Self::Keys(keys, _) => (Kind::Keys, keys.len()),
        };
        SegmentsBy { kind, items }
    }
}

/// Kind of a segmentation, and the number of its offsets, flags or keys.
#[derive(Clone, Copy, Debug)]
pub struct SegmentsBy {
    pub kind: Kind,
    pub items: usize,
}

impl SegmentsBy {
    /// Checks that the segmentation fits `len` elements. `along_axis`: the call scans along an axis, which excludes
    /// segments.
    #[inline]
    pub fn check(self, len: usize, along_axis: bool) -> Result<()> {
        if self.kind == Kind::Whole { Ok(()) } else { self.check_items(len, along_axis) }
    }

    // A function of its own, which is compiled once and not for each type of job.
    #[inline(never)]
    fn check_items(self, len: usize, along_axis: bool) -> Result<()> {
        let found = self.items;
        let (what, expected) = match self.kind {
            Kind::Whole => return Ok(()),
            Kind::Offsets => ("offsets", found.max(1)),
            Kind::HeadFlags => ("head flags", len),
            Kind::Keys => ("keys", len),
        };
        if along_axis {
            let reason = "lines along an axis are segments already: give all segments of the flat array instead";
            return Err(Error::Options { options: "axis with segments", reason });
        }
        match self.kind {
            _ if found == expected => Ok(()),
            Kind::Offsets => Err(Error::TooFew { what, found, least: expected }),
            _ => Err(Error::Length { what, found, expected }),
        }
    }
}

impl SegmentsBy {
    /// Returns the kind of segments for the CPU's plan.
    #[inline(always)]
    pub fn planned(self) -> CpuSegments {
        match self.kind {
            Kind::Whole => CpuSegments::None,
            Kind::Offsets => CpuSegments::Offsets(self.items.saturating_sub(1)),
            Kind::HeadFlags | Kind::Keys => CpuSegments::Heads,
        }
    }
}
