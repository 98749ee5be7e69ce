//! Histogram of an array in a file, and its least and largest value.

use super::turns::Turns;
use super::{ArrayFile, resize, rooms};
use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use upsweep::Device;
use upsweep_dynamic::{Error, Histogram, Number, Reduce};

/// Bytes of a chunk.
const BYTES: usize = 1 << 20;

/// Counts the values of the file in each bin. `failed` says what errors mean.
pub(crate) fn counts(
    file: &ArrayFile,
    histogram: &Histogram,
    failed: &(dyn Fn(&Error) -> Failure + Sync),
) -> Result<Vec<u64>> {
    let device = Device::cpu();
    // A chunk has twice as many values as there are bins, as it costs an addition a bin.
    let chunk = (BYTES / file.element.size()).max(histogram.bins().saturating_mul(2)).min(file.len.max(1));
    let mut rooms = rooms(file, chunk)?;
    let progress = Progress::new("counting", Some(file.len as u64 * file.element.size() as u64));
    // A file without values has counts, too, or an error in its bins.
    let turns = Turns::new(file.len.div_ceil(chunk).max(1), (Vec::new(), progress));
    let (counts, _) = turns.run(&mut rooms, |turns, ticket, stored| {
        let start = ticket * chunk;
        let range = start..(start + chunk).min(file.len);
        resize(stored, range.len());
        file.read(&range, stored)?;
        let counted = histogram.run(&device, stored.view()).map_err(|e| failed(&e))?;
        turns.at_once(|(counts, progress): &mut (Vec<u64>, Progress)| {
            if counts.is_empty() {
                *counts = counted;
            } else {
                counts.iter_mut().zip(&counted).for_each(|(count, more)| *count += more);
            }
            progress.step(range.len() * file.element.size());
        });
        Ok(())
    })?;
    file.check_unchanged()?;
    Ok(counts)
}

/// Reduces the file by each of two operators of which the order of elements does not show, in one pass.
pub(crate) fn totals(
    file: &ArrayFile,
    of: [Reduce<'_>; 2],
    failed: &(dyn Fn(&Error) -> Failure + Sync),
) -> Result<[Values; 2]> {
    let device = Device::cpu();
    let chunk = BYTES / file.element.size();
    let mut rooms = rooms(file, chunk)?;
    let progress = Progress::new("reducing", Some(file.len as u64 * file.element.size() as u64));
    let turns = Turns::new(file.len.div_ceil(chunk), ([Vec::new(), Vec::new()], progress));
    let (found, _) = turns.run(&mut rooms, |turns, ticket, stored| {
        let start = ticket * chunk;
        let range = start..(start + chunk).min(file.len);
        resize(stored, range.len());
        file.read(&range, stored)?;
        let [low, high] = of.each_ref().map(|reduce| reduce.total(&device, stored.view()).map_err(|e| failed(&e)));
        let (low, high) = (low?, high?);
        turns.at_once(|([lows, highs], progress): &mut ([Vec<Number>; 2], Progress)| {
            lows.push(low);
            highs.push(high);
            progress.step(range.len() * file.element.size());
        });
        Ok(())
    })?;
    file.check_unchanged()?;
    let [lows, highs] = found;
    let total = |reduce: &Reduce<'_>, totals: &[Number]| reduce.of_totals(file.element, totals).map_err(|e| failed(&e));
    Ok([total(&of[0], &lows)?, total(&of[1], &highs)?])
}
