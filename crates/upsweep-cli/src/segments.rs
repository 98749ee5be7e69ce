//! Where the computation begins anew: --by-key and --segments.

use crate::args::Common;
use crate::device::{Chosen, Store};
use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::input::{self, Input};
use crate::number::{Number, not_a_number};
use crate::progress::Progress;
use crate::{element::Value, words};
use std::path::Path;
use upsweep::segments::{Kind, NoKeys, SegmentKind, Segmentation};

/// The segments of an array. One type for every way to give them, so that each operator is compiled once for all.
#[derive(Debug)]
pub(crate) enum Split {
    Whole,
    /// Ascending, from 0 to the number of elements.
    Offsets(Store<u64>),
    HeadFlags(Store<bool>),
}

impl Segmentation for &Split {
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

impl Split {
    /// The segments of `input` as the command line gives them, and their number.
    pub(crate) fn new(args: &Common, input: &mut Input, device: &Chosen) -> Result<(Self, usize)> {
        if let Some(keys) = &mut input.keys {
            let heads = std::mem::take(&mut keys.heads);
            let count = heads.iter().filter(|&&head| head).count();
            return Ok((Self::HeadFlags(device.store(heads, &input.name)?), count));
        }
        let Some(path) = &args.segments else {
            return Ok((Self::Whole, 1));
        };
        let name = path.display().to_string();
        let len = input.values.len();
        match read(path, &name)? {
            Given::Offsets(offsets) => {
                check(&offsets, len, &name)?;
                let count = offsets.len() - 1;
                Ok((Self::Offsets(device.store(offsets, &name)?), count))
            }
            Given::HeadFlags(flags) if flags.len() == len => {
                // The first element begins a segment whatever its flag says.
                let count = flags.iter().skip(1).filter(|&&flag| flag).count() + usize::from(len > 0);
                Ok((Self::HeadFlags(device.store(flags, &name)?), count))
            }
            Given::HeadFlags(flags) => {
                let reason =
                    format!("has {} flags, and {} has {len} values: give one for each", flags.len(), input.name);
                Err(Failure::input(&name, reason))
            }
        }
    }
}

enum Given {
    Offsets(Vec<u64>),
    HeadFlags(Vec<bool>),
}

fn read(path: &Path, name: &str) -> Result<Given> {
    let (mut file, metadata) = input::open(path, name)?;
    let progress = Progress::new("reading segments", Some(metadata.len()));
    if input::is_npy(path) {
        let size = metadata.is_file().then_some(metadata.len());
        let array = input::load_npy(&mut file, size, None, name.to_owned(), &progress)?;
        return match array.values {
            Values::Bool(flags) => Ok(Given::HeadFlags(flags)),
            Values::F16(_) | Values::F32(_) | Values::F64(_) => {
                let found = array.values.element().name();
                Err(Failure::input(name, format!("has elements of {found}: offsets are integers and flags are bool")))
            }
            integers => crate::element::with_values!(integers, x => offsets(&x, name)).map(Given::Offsets),
        };
    }
    let mut found = Given::Offsets(Vec::new());
    words::read(&mut file, name, &progress, |text| {
        match (&mut found, text) {
            (Given::Offsets(offsets), "true" | "false") if offsets.is_empty() => {
                found = Given::HeadFlags(vec![text == "true"]);
            }
            (Given::HeadFlags(flags), "true" | "false") => flags.push(text == "true"),
            (Given::HeadFlags(_), _) => {
                return Err(format!("{} where true or false is due", crate::failure::quoted(text)));
            }
            (Given::Offsets(offsets), _) => match text.parse() {
                Ok(offset) => offsets.push(offset),
                Err(_) if crate::number::is_number(text) => {
                    return Err(format!("{text} is no offset: offsets are integers from 0"));
                }
                Err(_) => return Err(not_a_number(text)),
            },
        }
        Ok(())
    })?;
    Ok(found)
}

fn offsets<T: Value>(values: &[T], name: &str) -> Result<Vec<u64>> {
    let offset = |(k, x): (usize, &T)| match x.number() {
        Number::Integer(n) => u64::try_from(n).map_err(|_| Failure::input(name, format!("offset {k} is {n}"))),
        Number::Float(x) => Err(Failure::input(name, format!("offset {k} is {x}"))),
    };
    values.iter().enumerate().map(offset).collect()
}

/// Checks that `offsets` ascend from 0 to `len`.
fn check(offsets: &[u64], len: usize, name: &str) -> Result<()> {
    let wrong = |reason: String| Err(Failure::input(name, format!("{reason}: offsets ascend from 0 to {len}")));
    match (offsets.first(), offsets.last()) {
        (Some(0), Some(&last)) => {
            if let Some(k) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
                return wrong(format!("offset {} is {} after {}", k + 1, offsets[k + 1], offsets[k]));
            }
            if last != len as u64 {
                return wrong(format!("the last offset is {last} and there are {len} values"));
            }
            Ok(())
        }
        (Some(first), _) => wrong(format!("the first offset is {first}")),
        (None, _) => wrong("has no offsets".to_owned()),
    }
}
