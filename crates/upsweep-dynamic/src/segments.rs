//! Where one segment ends and the next begins.

use crate::buffer::Buffer;
use crate::values::room;
use crate::{Error, Result, Type, Value, View};
use std::borrow::Cow;
use upsweep::segments::{Kind, NoKeys, SegmentKind, Segmentation};
use upsweep::{Device, Input};

/// How the elements are divided into segments, each of which is scanned or reduced by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Segments<'a> {
    /// They are not.
    #[default]
    Whole,
    /// Segment `s` is the elements `offsets[s] .. offsets[s + 1]`: integers that ascend from 0 to the number of elements.
    Offsets(View<'a>),
    /// A segment begins at element 0 and at each element whose flag is `true`.
    HeadFlags(&'a [bool]),
    /// A segment is a run of equal neighbours in the keys; NaN differs from itself.
    Keys(View<'a>),
}

/// [`Segments`] in the two forms that are computed with, on the host.
#[derive(Debug)]
pub(crate) enum Heads<'a> {
    Whole,
    Offsets(Cow<'a, [u64]>),
    Flags(Cow<'a, [bool]>),
}

impl<'a> Heads<'a> {
    /// The segments of `len` elements.
    pub(crate) fn new(segments: Segments<'a>, len: usize) -> Result<Self> {
        let enough = |what, found| match found == len {
            true => Ok(()),
            false => Err(upsweep::Error::Length { what, found, expected: len }),
        };
        Ok(match segments {
            Segments::Whole => Self::Whole,
            Segments::Offsets(offsets) => Self::Offsets(checked_offsets(offsets, len)?),
            Segments::HeadFlags(flags) => {
                enough("head flags", flags.len())?;
                Self::Flags(flags.into())
            }
            Segments::Keys(keys) => {
                enough("keys", keys.len())?;
                Self::Flags(crate::with_view!(keys, keys => heads(keys))?.into())
            }
        })
    }

    /// The number of segments of `len` elements; of a whole array, one.
    pub(crate) fn count(&self, len: usize) -> usize {
        match self {
            Self::Whole => 1,
            Self::Offsets(offsets) => offsets.len() - 1,
            // The first element begins a segment whatever its flag says.
            Self::Flags(flags) => flags.iter().skip(1).filter(|&&flag| flag).count() + usize::from(len > 0),
        }
    }

    /// The same, where the device computes.
    pub(crate) fn on(self, device: &Device) -> Result<Split<'a>> {
        Ok(match self {
            Self::Whole => Split::Whole,
            Self::Offsets(offsets) => Split::Offsets(Buffer::new(device, offsets)?),
            Self::Flags(flags) => Split::HeadFlags(Buffer::new(device, flags)?),
        })
    }
}

fn checked_offsets(offsets: View<'_>, len: usize) -> Result<Cow<'_, [u64]>> {
    let wrong = |reason: String| Err(Error::Offsets { len, reason });
    let element = offsets.element();
    if matches!(element, Type::Bool | Type::F16 | Type::F32 | Type::F64) {
        return wrong(format!("there are values of {element} where integers are due"));
    }
    let offsets = match offsets {
        View::U64(offsets) => Cow::Borrowed(offsets),
        other => crate::with_view!(other, x => unsigned(x, len)).map(Cow::Owned)?,
    };
    match (offsets.first(), offsets.last()) {
        (Some(0), Some(&last)) => {
            if let Some(k) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
                return wrong(format!("offset {} is {} after {}", k + 1, offsets[k + 1], offsets[k]));
            }
            if last != len as u64 {
                return wrong(format!("the last offset is {last} and there are {len} values"));
            }
            Ok(offsets)
        }
        (Some(first), _) => wrong(format!("the first offset is {first}")),
        (None, _) => wrong("there are no offsets".to_owned()),
    }
}

fn unsigned<T: Value>(offsets: &[T], len: usize) -> Result<Vec<u64>> {
    let mut unsigned = room(offsets.len())?;
    for (k, offset) in offsets.iter().enumerate() {
        let negative = || Error::Offsets { len, reason: format!("offset {k} is {}", offset.number()) };
        unsigned.push(u64::exactly(offset.number()).ok_or_else(negative)?);
    }
    Ok(unsigned)
}

/// A flag for each key that differs from the one before.
fn heads<K: PartialEq>(keys: &[K]) -> Result<Vec<bool>> {
    let mut heads = room(keys.len())?;
    heads.extend(keys.first().map(|_| true));
    heads.extend(keys.windows(2).map(|pair| pair[0] != pair[1]));
    Ok(heads)
}

/// Segments where a device computes. One type for every way to give them, so that each operator is compiled once for all.
#[derive(Debug)]
pub(crate) enum Split<'a> {
    Whole,
    Offsets(Buffer<'a, u64>),
    HeadFlags(Buffer<'a, bool>),
}

impl Segmentation for &Split<'_> {
    // Known when the program runs.
    const KIND: Option<Kind> = None;
    type Key = u8;
    type Offset = u64;
    type Same = NoKeys;
    fn kind(&self) -> SegmentKind<'_, u8, u64, NoKeys> {
        match self {
            Split::Whole => SegmentKind::Whole,
            Split::Offsets(offsets) => SegmentKind::Offsets(offsets.view()),
            Split::HeadFlags(flags) => SegmentKind::HeadFlags(flags.view()),
        }
    }
}
