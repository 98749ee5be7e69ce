//! Pass over an array in a file, whose chunks are computed one after the other, each by all threads.

use super::{ArrayFile, resize, room};
use crate::element::Values;
use crate::failure::Result;
use crate::progress::Progress;

/// Bytes of a chunk, unless more are asked for: so many that all threads have work.
const BYTES: usize = 8 << 20;

/// Reads the file in chunks of at least so many values, and lets `take` take each, with the index of its first value.
pub(crate) fn pass(
    file: &ArrayFile,
    least: usize,
    doing: &'static str,
    take: &mut dyn FnMut(usize, &Values) -> Result<()>,
) -> Result<()> {
    let size = file.element.size();
    let len = (BYTES / size).max(least).min(file.len.max(1));
    let mut chunk = room(file.element, len, &file.name)?;
    let progress = Progress::new(doing, Some(file.len as u64 * size as u64));
    for start in (0..file.len).step_by(len) {
        let range = start..(start + len).min(file.len);
        resize(&mut chunk, range.len());
        file.read_at_once(&range, &mut chunk, &|_| ())?;
        take(start, &chunk)?;
        progress.step(range.len() * size);
    }
    file.check_unchanged()
}
