//! Filter of an array in a file to another file.

use super::turns::Turns;
use super::{ArrayFile, resize, rooms};
use crate::element::Values;
use crate::failure::Result;
use crate::output::Places;
use crate::progress::Progress;
use std::sync::{Mutex, PoisonError};
use upsweep::Carry;

/// Values of a chunk: a megabyte of f64.
const CHUNK: usize = 1 << 17;

/// What is filtered, and how.
pub(crate) struct Job<'a> {
    pub(crate) file: &'a ArrayFile,
    /// Returns values, the first of which has this index in the file, as floats, unless they are.
    pub(crate) floats: &'a (dyn Fn(&Values, usize) -> Result<Option<Values>> + Sync),
    /// Computes the results of floats.
    pub(crate) compute: &'a (dyn Fn(&Values, &mut Carry) -> Result<Values> + Sync),
    /// Offset in bytes of the first result.
    pub(crate) begin: u64,
}

impl Job<'_> {
    /// Filters the file into `places`, after `carry`, and returns the carry after it.
    pub(crate) fn run(&self, carry: Carry, places: &Places<'_>) -> Result<Carry> {
        let Self { file, floats, compute, begin } = *self;
        let chunks = file.len.div_ceil(CHUNK).max(1);
        let mut rooms = rooms(file, CHUNK)?;
        let progress = Progress::new("filtering", Some(file.len as u64 * file.element.size() as u64));
        let progress = Mutex::new(progress);
        let carry = Turns::new(chunks, carry).run(&mut rooms, |turns, ticket, stored| {
            let start = ticket * CHUNK;
            let range = start..(start + CHUNK).min(file.len);
            resize(stored, range.len());
            file.read(&range, stored)?;
            let converted = floats(stored, start)?;
            let x = converted.as_ref().unwrap_or(stored);
            let results = turns.in_turn(ticket, |carry| compute(x, carry))?;
            let Some(results) = results else { return Ok(()) };
            places.write(results.bytes(), begin + start as u64 * results.element().size() as u64)?;
            let bytes = range.len() * file.element.size();
            progress.lock().unwrap_or_else(PoisonError::into_inner).step(bytes);
            Ok(())
        })?;
        file.check_unchanged()?;
        Ok(carry)
    }
}
