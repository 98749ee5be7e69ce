//! Scan of an array in a file to another file.

use super::turns::Turns;
use super::{ArrayFile, in_file, resize, room};
use crate::device::Chosen;
use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::output::Places;
use crate::progress::Progress;
use crate::sums::Sums;
use std::mem;
use std::sync::{Mutex, PoisonError};
use upsweep_dynamic::{Carry, Error, RunningCheck, Scan};

/// Bytes of a chunk in the type of the computation: on the CPU ten blocks of a scan of floats, and whole pages; on a GPU so
/// many that a launch is short beside the copies.
const BYTES: usize = 960 << 10;
const BYTES_ON_GPU: usize = 8 << 20;

/// What is computed, and where its results go.
pub(crate) struct Job<'a> {
    pub(crate) file: &'a ArrayFile,
    pub(crate) device: &'a Chosen,
    /// Scan in the type of the computation.
    pub(crate) scan: Scan<'a>,
    pub(crate) sums: Sums,
    /// Check of the results in their type, if one is needed.
    pub(crate) check: Option<RunningCheck>,
    /// Whether the carry after the last value is used: then the total must fit, too.
    pub(crate) handed_on: bool,
    /// Offset in bytes of the first result.
    pub(crate) begin: u64,
}

/// State that goes from chunk to chunk.
struct State {
    carry: Carry,
    check: Option<RunningCheck>,
}

/// Memory of a thread.
struct Room {
    /// Values as the file has them.
    stored: Values,
    /// Values in the type of the computation, and their results.
    values: Option<Values>,
    results: Values,
}

impl Job<'_> {
    /// Scans the file into `places`, after `carry`, and returns the carry after it. `failed` and `overflow` say what errors
    /// mean.
    pub(crate) fn run(
        &self,
        carry: Carry,
        places: &Places<'_>,
        failed: &(dyn Fn(&Error) -> Failure + Sync),
    ) -> Result<Carry> {
        let Self { file, device, scan, sums, ref check, handed_on, begin } = *self;
        let chunk = if device.on_host { BYTES } else { BYTES_ON_GPU } / file.element.size().max(sums.computed.size());
        let chunks = file.len.div_ceil(chunk);
        let threads = rayon::current_num_threads().min(chunks).max(1);
        let mut rooms = Vec::new();
        for _ in 0..threads {
            let (len, name) = (chunk.min(file.len), &file.name);
            let results = room(sums.computed, len, name)?;
            rooms.push(Room { stored: room(file.element, len, name)?, values: None, results });
        }
        let progress = Progress::new("scanning", Some(file.len as u64 * file.element.size() as u64));
        let progress = Mutex::new(progress);
        let size = sums.results.size();
        let turns = Turns::new(chunks.max(1), State { carry, check: check.clone() });
        let state = turns.run(&mut rooms, |turns, ticket, memory| {
            let start = ticket * chunk;
            let range = start..(start + chunk).min(file.len);
            let Room { stored, values, results } = memory;
            resize(stored, range.len());
            file.read(&range, stored)?;
            let failed = |e: Error| failed(&in_file(e, start));
            if sums.computed != file.element {
                *values = Some(sums.in_computed(stored.view()).map_err(failed)?);
            }
            let x = values.as_ref().unwrap_or(stored).view();
            match results.len() < range.len() {
                true => *results = room(sums.computed, range.len(), &file.name)?,
                false => resize(results, range.len()),
            }
            let extent = match check {
                Some(check) => check.measure(x).map_err(failed)?,
                None => None,
            };
            let done = turns.in_turn(ticket, |State { carry, check }| {
                if let Some(check) = check {
                    check.part(x, extent).map_err(&failed)?;
                }
                scan.run_part(&device.device, x, results.view_mut(), carry).map_err(&failed)
            })?;
            if done.is_none() {
                return Ok(());
            }
            let offset = begin + start as u64 * size as u64;
            if sums.results == sums.computed {
                places.write(results.bytes(), offset)?;
            } else {
                let computed = mem::replace(results, Values::zeroed(sums.computed, 0).map_err(failed)?);
                places.write(sums.results(computed).map_err(failed)?.bytes(), offset)?;
            }
            let bytes = range.len() * file.element.size();
            progress.lock().unwrap_or_else(PoisonError::into_inner).step(bytes);
            Ok(())
        })?;
        file.check_unchanged()?;
        if let Some(check) = &state.check {
            check.finish(handed_on).map_err(|e| failed(&e))?;
        }
        Ok(state.carry)
    }
}
