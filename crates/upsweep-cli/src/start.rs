//! First bytes of a stream, by which its kind is told.

use std::io::{self, Read};

/// Reads the first bytes of `reader`: `most` at most, and no more than are needed, as `is_open` says of those so far whether
/// more of them would tell more. So a stream is not waited for that has begun with one short line.
pub(crate) fn start(reader: &mut dyn Read, most: usize, is_open: impl Fn(&[u8]) -> bool) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(most);
    while start.len() < most && is_open(&start) && (&mut *reader).take(1).read_to_end(&mut start)? > 0 {}
    Ok(start)
}

/// Whether more bytes behind `start` can make it `mark`.
pub(crate) fn may_become(mark: &[u8], start: &[u8]) -> bool {
    start.len() < mark.len() && mark.starts_with(start)
}
