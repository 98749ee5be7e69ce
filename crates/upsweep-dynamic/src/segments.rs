//! Segments: boundaries by offsets, head flags or keys.

use crate::buffer::Buffer;
use crate::values::room;
use crate::{Error, Result, Type, Value, View};
use std::borrow::Cow;
use upsweep::Device;

/// Division of the elements into segments, each of which is scanned or reduced by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Segments<'a> {
    /// One segment: the whole array.
    #[default]
    Whole,
    /// Segment `s` is the elements `offsets[s] .. offsets[s + 1]`: integers that ascend from 0 to the number of
    /// elements.
    Offsets(View<'a>),
    /// One flag for each element: a segment begins at element 0 and at each element whose flag is `true`.
    HeadFlags(&'a [bool]),
    /// One key for each element: a segment is a run of elements with equal keys. NaN differs from itself.
    Keys(View<'a>),
}

/// Form of [`Segments`] that calls compute with, on the host: always offsets, so that each operator is compiled for one
/// kind of segments.
#[derive(Debug)]
pub(crate) enum Heads<'a> {
    Whole,
    /// Offsets of the segments, ascending from 0 to the number of elements.
    Offsets(Cow<'a, [u64]>),
}

impl<'a> Heads<'a> {
    /// Checks `segments` of `len` elements, and converts them to offsets.
    pub(crate) fn new(segments: Segments<'a>, len: usize) -> Result<Self> {
        let enough = |what, found| match found == len {
            true => Ok(()),
            false => Err(upsweep::Error::Length { what, found, expected: len }),
        };
        let offsets = match segments {
            Segments::Whole => return Ok(Self::Whole),
            Segments::Offsets(offsets) => checked_offsets(offsets, len)?,
            Segments::HeadFlags(flags) => {
                enough("head flags", flags.len())?;
                starts(len, |k| flags[k])?.into()
            }
            Segments::Keys(keys) => {
                enough("keys", keys.len())?;
                crate::with_view!(keys, keys => starts(len, |k| keys[k] != keys[k - 1]))?.into()
            }
        };
        Ok(Self::Offsets(offsets))
    }

    /// Copies the offsets to the memory of `device`.
    pub(crate) fn on(self, device: &Device) -> Result<Option<Buffer<'a, u64>>> {
        match self {
            Self::Whole => Ok(None),
            Self::Offsets(offsets) => Buffer::new(device, offsets).map(Some),
        }
    }
}

/// Returns the offsets of segments that begin at element 0 and at each element for which `begins` returns `true`.
fn starts(len: usize, begins: impl Fn(usize) -> bool) -> Result<Vec<u64>> {
    let heads = || (1..len).filter(|&k| begins(k)).map(|k| k as u64);
    let mut offsets = room(heads().count() + 2)?;
    offsets.push(0);
    offsets.extend(heads());
    // An array without elements has no segment.
    offsets.extend((len > 0).then_some(len as u64));
    Ok(offsets)
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
