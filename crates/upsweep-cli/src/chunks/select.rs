//! Selection of an array's values, or of their indices, from a file to another file.

use super::turns::Turns;
use super::{ArrayFile, resize, rooms};
use crate::elements::mark;
use crate::expression::Expression;
use crate::failure::{Failure, Result};
use crate::output::Places;
use crate::progress::Progress;
use std::sync::{Mutex, PoisonError};
use upsweep::Device;
use upsweep_dynamic::Values;

/// Values of a chunk: a megabyte of indices.
const CHUNK: usize = 1 << 17;

/// What is selected, and where it goes.
pub(crate) struct Job<'a> {
    pub(crate) file: &'a ArrayFile,
    pub(crate) condition: &'a Expression,
    /// Whether the indices of the values are written.
    pub(crate) indices: bool,
    /// Index of the first value.
    pub(crate) position: u64,
    /// Offset in bytes of the first result.
    pub(crate) begin: u64,
}

impl Job<'_> {
    /// Writes what is selected to `places`, and returns its number. Only that goes from chunk to chunk, so that threads
    /// test, select and write at the same time.
    pub(crate) fn run(&self, places: &Places<'_>) -> Result<usize> {
        let Self { file, condition, indices, position, begin } = *self;
        let (device, failed) = (Device::cpu(), |e| Failure::computing(&file.name, &e));
        let chunks = file.len.div_ceil(CHUNK);
        let mut rooms = rooms(file, CHUNK)?;
        let progress = Progress::new("selecting", Some(file.len as u64 * file.element.size() as u64));
        let progress = Mutex::new(progress);
        let selected = Turns::new(chunks, 0).run(&mut rooms, |turns, ticket, stored| {
            let start = ticket * CHUNK;
            let range = start..(start + CHUNK).min(file.len);
            resize(stored, range.len());
            file.read(&range, stored)?;
            let mut flags = upsweep_core::memory::filled(range.len(), false).map_err(|e| failed(e.into()))?;
            upsweep_dynamic::with_values!(&*stored, x => mark(condition, x, start, &mut flags, &file.name))?;
            let results = if indices {
                let mut found = upsweep_dynamic::select_indices(&device, &flags).map_err(failed)?;
                found.iter_mut().for_each(|index| *index += position + start as u64);
                Values::from(found)
            } else {
                upsweep_dynamic::select(&device, stored.view(), &flags).map_err(failed)?
            };
            let before = turns.in_turn(ticket, |count| {
                let before = *count;
                *count += results.len();
                Ok(before)
            })?;
            let Some(before) = before else { return Ok(()) };
            places.write(results.bytes(), begin + before as u64 * results.element().size() as u64)?;
            let bytes = range.len() * file.element.size();
            progress.lock().unwrap_or_else(PoisonError::into_inner).step(bytes);
            Ok(())
        })?;
        file.check_unchanged()?;
        Ok(selected)
    }
}
