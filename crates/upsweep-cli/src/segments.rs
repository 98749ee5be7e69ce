//! Segments: the options --by-key and --segments.

use crate::args::Common;
use crate::collect::push;
use crate::element::Values;
use crate::failure::{Failure, Result, called, quoted, shown};
use crate::input::{self, Input};
use crate::names;
use crate::number::not_a_number;
use crate::progress::Progress;
use crate::source::Source;
use crate::text::{self, TextForm};
use crate::words;
use std::path::Path;
use upsweep_dynamic::Segments;

/// Segments of an array, in the form in which the command line gives them.
#[derive(Debug)]
pub(crate) enum Given {
    Whole,
    /// Offsets of the segments in the array, of any integer type.
    Offsets(Values),
    HeadFlags(Vec<bool>),
}

impl Given {
    /// Reads the segments of `input` that the options give: from keys, from a file, or the whole array as one.
    pub(crate) fn new(args: &Common, input: &mut Input) -> Result<Self> {
        if let Some(keys) = &mut input.keys {
            return Ok(Self::HeadFlags(std::mem::take(&mut keys.heads)));
        }
        let Some(path) = &args.segments else {
            return Ok(Self::Whole);
        };
        let name = called(path);
        let given = read(path, &name)?;
        let len = input.values.len();
        match &given {
            Self::HeadFlags(flags) if flags.len() != len => {
                let reason =
                    format!("has {} flags, and {} has {len} values: give one for each", flags.len(), input.name);
                Err(Failure::input(&name, reason))
            }
            _ => Ok(given),
        }
    }

    pub(crate) fn segments(&self) -> Segments<'_> {
        match self {
            Self::Whole => Segments::Whole,
            Self::Offsets(offsets) => Segments::Offsets(offsets.view()),
            Self::HeadFlags(flags) => Segments::HeadFlags(flags),
        }
    }
}

fn read(path: &Path, name: &str) -> Result<Given> {
    let source = Source::open(path, name)?;
    let progress = Progress::new("reading segments", source.size());
    let array = match names::raw_type(path) {
        Some(element) => Some(input::load_raw(&source, element, element, name.to_owned(), &progress)?),
        None if names::is_npy(path) => {
            Some(input::load_npy(&mut source.reader(), Some(&source), None, name.to_owned(), &progress)?)
        }
        None => None,
    };
    if let Some(array) = array {
        return match array.values {
            Values::Bool(flags) => Ok(Given::HeadFlags(flags)),
            Values::F16(_) | Values::F32(_) | Values::F64(_) => {
                let found = array.values.element().name();
                Err(Failure::input(name, format!("has elements of {found}: offsets are integers and flags are bool")))
            }
            integers => Ok(Given::Offsets(integers)),
        };
    }
    enum Found {
        Offsets(Vec<u64>),
        HeadFlags(Vec<bool>),
    }
    let mut found = Found::Offsets(Vec::new());
    let mut text = text::open(source.reader(), TextForm::default(), name)?.reader;
    let take = |text: &str| {
        match (&mut found, text) {
            (Found::Offsets(offsets), "true" | "false") if offsets.is_empty() => {
                found = Found::HeadFlags(vec![text == "true"]);
            }
            (Found::HeadFlags(flags), "true" | "false") => push(flags, text == "true")?,
            (Found::HeadFlags(_), _) => {
                return Err(format!("{} where true or false is due", quoted(text)).into());
            }
            (Found::Offsets(offsets), _) => match text.parse() {
                Ok(offset) => push(offsets, offset)?,
                Err(_) if crate::number::is_number(text) => {
                    return Err(format!("{} is no offset: offsets are integers from 0", shown(text)).into());
                }
                Err(_) => return Err(not_a_number(text).into()),
            },
        }
        Ok(())
    };
    words::read(&mut text, name, &progress, &mut words::Each(take))?;
    source.check_unchanged(name)?;
    Ok(match found {
        Found::Offsets(offsets) => Given::Offsets(offsets.into()),
        Found::HeadFlags(flags) => Given::HeadFlags(flags),
    })
}
