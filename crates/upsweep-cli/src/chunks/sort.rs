//! Sort of an array in a file, in runs where memory does not hold the array.
//!
//! ```text
//! for each run of the array:       read it; sort it; write it to a file of runs
//! cut all runs at splitters from a sample of them: between two splitters is a bucket
//! for each bucket:                 read its piece of each run; sort them; write them at their place in the result
//! ```
//!
//! Each step is done by all threads, but that a GPU may sort, in two buffers of the length of a run. Runs are [`RUN`] bytes, whatever the length of
//! the file, up to [`MOST`] runs; less where there is little memory. A bucket has at most as many values as a run, also if
//! all are equal: a splitter is an element at its place, and of equal elements those of earlier runs come first. So is the
//! order of zeros of both signs kept. Pieces are sorted and not merged: the sort reads them in order, whatever their number.
//!
//! An array of which memory holds two copies is one run, and its result is written at once.

use super::runs::{Runs, Splitter};
use super::{ArrayFile, file, memory, resize};
use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::output::{Places, Scratch};
use crate::progress::Progress;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use upsweep::Device;
use upsweep_dynamic::Sort;

/// Bytes of a run of a file that memory does not hold.
const RUN: usize = 128 << 20;
/// Least number of bytes of a run.
const LEAST: usize = 1 << 20;
/// Number of runs from which they become longer, so that pieces are long enough to be read at the disk's speed.
const MOST: usize = 512;

/// What is sorted, and how.
pub(crate) struct Job<'a> {
    pub(crate) file: &'a ArrayFile,
    pub(crate) device: &'a Device,
    pub(crate) sort: Sort<'a>,
    /// Folder for sorted runs: that of the result, if it is a file.
    pub(crate) folder: Option<&'a Path>,
}

/// Taker of the sorted values, in their order: of some of them, and of the index of the first. It tells the bytes of what it
/// has worked on.
type Take<'a> = dyn FnMut(&Values, usize, &(dyn Fn(usize) + Sync)) -> Result<()> + 'a;

/// Buffers of one run.
struct Room {
    values: Values,
    sorted: Values,
}

impl Job<'_> {
    /// Sorts the file into `places`, from the offset `begin` on.
    pub(crate) fn to_places(&self, places: &Places<'_>, begin: u64) -> Result<()> {
        self.in_runs_to(self.bytes(), places, begin)
    }

    /// Sorts the file in runs of up to `bytes` bytes into `places`.
    fn in_runs_to(&self, bytes: usize, places: &Places<'_>, begin: u64) -> Result<()> {
        let size = self.file.element.size();
        let reserve = || places.reserve(begin + (self.file.len * size) as u64);
        self.in_runs(bytes, &reserve, &mut |sorted, start, done| {
            places.write_at_once(sorted.bytes(), begin + (start * size) as u64, done)
        })
    }

    /// Sorts the file, and lets `take` take the values.
    pub(crate) fn run(&self, take: &mut Take<'_>) -> Result<()> {
        self.in_runs(self.bytes(), &|| Ok(()), take)
    }

    /// Returns the bytes of a run.
    fn bytes(&self) -> usize {
        run_bytes(self.file.len.saturating_mul(self.file.element.size()), memory::left())
    }

    /// Sorts the file in runs of up to `bytes` bytes. While the only one is read, `reserve` makes room for its results.
    fn in_runs(&self, bytes: usize, reserve: &(dyn Fn() -> Result<()> + Sync), take: &mut Take<'_>) -> Result<()> {
        let (file, size) = (self.file, self.file.element.size());
        let (mut room, len) = self.room(bytes)?;
        let runs: Vec<Range<usize>> =
            (0..file.len).step_by(len).map(|start| start..(start + len).min(file.len)).collect();
        let passes = if runs.len() > 1 { 4 } else { 2 };
        let progress = Mutex::new(Progress::new("sorting", Some(passes * file.len as u64 * size as u64)));
        let done = |bytes| progress.lock().unwrap_or_else(PoisonError::into_inner).step(bytes);
        let read_sorted = |range: &Range<usize>, room: &mut Room| {
            resize(&mut room.values, range.len());
            file.read_at_once(range, &mut room.values, &done)?;
            self.sorted(room)
        };
        if let [] | [_] = runs[..] {
            for run in &runs {
                // New pages of a file take as long as the sort, so that a thread asks for them meanwhile.
                std::thread::scope(|scope| {
                    let reserving = std::thread::Builder::new().spawn_scoped(scope, reserve);
                    read_sorted(run, &mut room)?;
                    reserving.map_or(Ok(()), |thread| thread.join().unwrap_or(Ok(())))
                })?;
                file.check_unchanged()?;
                take(&room.sorted, 0, &done)?;
            }
            return Ok(());
        }
        let scratch = Scratch::new(self.folder, "sorted runs")?;
        let kept = scratch.places();
        let mut all = Runs::new(self.sort, runs.len());
        for run in &runs {
            read_sorted(run, &mut room)?;
            all.push(&room.sorted, run.start).map_err(|e| Failure::computing(&file.name, &e))?;
            kept.write_at_once(room.sorted.bytes(), (run.start * size) as u64, &done)?;
        }
        file.check_unchanged()?;
        let cuts = self.cuts(&all, &scratch, len)?;
        let mut start = 0;
        for ends in cuts.windows(2) {
            let [from, to] = ends else { continue };
            let pieces: Vec<Range<usize>> = from.iter().zip(to).map(|(&from, &to)| from..to).collect();
            let len = pieces.iter().map(Range::len).sum();
            self.grow(&mut room, len)?;
            file::read_ranges(&scratch.file, 0, &pieces, &mut room.values, &done)
                .map_err(|e| Failure::reading(&scratch.name, &e))?;
            self.sorted(&mut room)?;
            take(&room.sorted, start, &done)?;
            start += len;
        }
        Ok(())
    }

    /// Makes buffers for a run of up to `bytes` bytes, of less if there is no memory, and returns them with their length.
    fn room(&self, bytes: usize) -> Result<(Room, usize)> {
        let element = self.file.element;
        let mut len = (bytes / element.size()).max(1);
        loop {
            let values = Values::zeroed(element, len).and_then(|values| Ok((values, Values::zeroed(element, len)?)));
            match values {
                Ok((values, sorted)) => return Ok((Room { values, sorted }, len)),
                Err(_) if len * element.size() > LEAST => len /= 2,
                Err(e) => return Err(Failure::computing(&self.file.name, &e)),
            }
        }
    }

    /// Sets the number of values in both buffers. There is room for a run; a bucket is longer where runs are many for their
    /// length.
    fn grow(&self, room: &mut Room, len: usize) -> Result<()> {
        for buffer in [&mut room.values, &mut room.sorted] {
            upsweep_dynamic::with_values!(buffer, x => {
                let more = len.saturating_sub(x.len());
                upsweep_core::memory::ask(|| x.try_reserve_exact(more))
                    .map_err(|_| Failure::memory(&self.file.name, len.saturating_mul(self.file.element.size())))?;
            });
            resize(buffer, len);
        }
        Ok(())
    }

    /// Sorts the values in the buffers.
    fn sorted(&self, room: &mut Room) -> Result<()> {
        resize(&mut room.sorted, room.values.len());
        self.sort
            .run_to(self.device, room.values.view(), room.sorted.view_mut())
            .map_err(|e| Failure::computing(&self.file.name, &e))
    }

    /// Returns for each splitter where it cuts each run, with the beginnings before and the ends after them.
    fn cuts(&self, runs: &Runs<'_>, scratch: &Scratch, len: usize) -> Result<Vec<Vec<usize>>> {
        let element = self.file.element;
        let read = |range: Range<usize>| {
            let mut values = super::room(element, range.len(), &self.file.name)?;
            let size = element.size();
            file::read_values(&scratch.file, (range.start * size) as u64, &mut values)
                .map_err(|e| Failure::reading(&scratch.name, &e))?;
            self.sort.numbers(values.view()).map_err(|e| Failure::computing(&self.file.name, &e))
        };
        let splitters: Vec<Splitter> = runs.splitters(len);
        runs.cuts(&splitters, &read)
    }
}

/// Returns the bytes of a run of a file of `all` bytes, where so much memory is `left`, if that is known.
fn run_bytes(all: usize, left: Option<u64>) -> usize {
    let half = left.map_or(usize::MAX, |left| usize::try_from(left / 2).unwrap_or(usize::MAX));
    // Two buffers, in half of the memory: the rest is for the system's copies of the files, and for others.
    match all <= half / 2 {
        true => all,
        false => RUN.max(all.div_ceil(MOST)).min(half / 2).max(LEAST),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::args::{Common, Reading};
    use crate::device::DeviceChoice;
    use crate::element::Type;
    use crate::output::Destination;
    use upsweep_dynamic::View;

    #[test]
    fn runs_are_as_long_as_memory_allows() {
        assert_eq!(run_bytes(0, None), 0);
        assert_eq!(run_bytes(1 << 40, None), 1 << 40);
        assert_eq!(run_bytes(1 << 30, Some(4 << 30)), 1 << 30);
        assert_eq!(run_bytes((1 << 30) + 1, Some(4 << 30)), RUN);
        assert_eq!(run_bytes(1 << 40, Some(64 << 30)), 1 << 31);
        assert_eq!(run_bytes(1 << 40, Some(1 << 30)), 1 << 28);
        assert_eq!(run_bytes(1 << 30, Some(1 << 26)), 1 << 24);
        assert_eq!(run_bytes(1 << 30, Some(0)), LEAST);
    }

    /// Sorts a file of `bytes` in runs of `len` elements, and compares it with a sort in memory.
    fn check(folder: &Path, (element, bytes): (Type, &[u8]), sort: Sort<'_>, len: usize) {
        let (x, y) = (folder.join(format!("x.{element}")), folder.join("y.bin"));
        std::fs::write(&x, bytes).unwrap();
        let file =
            ArrayFile::open(&Common::of(&Reading::of(&x, Default::default()), DeviceChoice::Cpu)).unwrap().unwrap();
        let job = Job { file: &file, device: &Device::cpu(), sort, folder: Some(folder) };
        let destination = Destination::of("-o", &y).unwrap();
        destination.write_places(|places| job.in_runs_to(len * element.size(), places, 3)).unwrap();
        let expected = sort.run(&Device::cpu(), View::from_bytes(element, bytes).unwrap()).unwrap();
        let found = std::fs::read(&y).unwrap();
        // Some file systems wait for the disk when a file is replaced.
        [x, y].iter().for_each(|path| std::fs::remove_file(path).unwrap());
        assert!(found[..3] == [0; 3] && found[3..] == *expected.bytes(), "{element} in runs of {len}: {sort:?}");
    }

    #[test]
    fn runs_have_the_order_of_one_sort() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        for &element in Type::ALL {
            // Zeros of both signs, NaN and infinities among few values; bits that are anything; all equal; in order.
            for kind in 0..4 {
                for (n, len) in [(1, 1), (2, 1), (1000, 999), (600, 20), (9000, 3000), (40_000, 8191)] {
                    let mut bytes: Vec<u8> = (0..n)
                        .flat_map(|i| {
                            let few = [0.0, -0.0, 1.0, 2.0, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
                            let number = match kind {
                                0 => few[random() % few.len()],
                                2 => 1.0,
                                _ => i as f64,
                            };
                            let value = View::F64(&[number]).nearest(element);
                            value.or_else(|_| Values::zeroed(element, 1)).unwrap().bytes().to_vec()
                        })
                        .collect();
                    if kind == 1 && element != Type::Bool {
                        bytes.iter_mut().for_each(|byte| *byte = random() as u8);
                    }
                    for sort in [Sort::new(), Sort::new().descending()] {
                        check(folder.path(), (element, &bytes), sort, len);
                    }
                }
            }
        }
    }
}
