//! Fold of an array in a file: what is found in each chunk, put together in the order of the file.

use super::turns::Turns;
use super::{ArrayFile, resize, rooms};
use crate::element::Values;
use crate::failure::Result;
use crate::progress::Progress;

/// Values of a chunk: so few that the library does not share the work on them among threads. A thread that waits for shared work
/// may take another chunk, whose turn would wait for its own.
pub(super) const CHUNK: usize = 1 << 16;

/// Reads the file in chunks. `find` looks at the values of each, which begin at an index, by any thread; `add` adds what it
/// found to the state, in the order of the file. Returns the state in the end.
pub(crate) fn fold<S: Send, T>(
    file: &ArrayFile,
    doing: &'static str,
    state: S,
    find: impl Fn(usize, &Values) -> Result<T> + Sync,
    add: impl Fn(&mut S, T) -> Result<()> + Sync,
) -> Result<S> {
    let mut rooms = rooms(file, CHUNK)?;
    let progress = Progress::new(doing, Some(file.len as u64 * file.element.size() as u64));
    let turns = Turns::new(file.len.div_ceil(CHUNK), (state, progress));
    let (state, _) = turns.run(&mut rooms, |turns, ticket, stored| {
        let start = ticket * CHUNK;
        let range = start..(start + CHUNK).min(file.len);
        resize(stored, range.len());
        file.read(&range, stored)?;
        let found = find(start, stored)?;
        turns.in_turn(ticket, |(state, progress)| {
            add(state, found)?;
            progress.step(range.len() * file.element.size());
            Ok(())
        })?;
        Ok(())
    })?;
    file.check_unchanged()?;
    Ok(state)
}
