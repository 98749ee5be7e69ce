//! Arrays in plain files that are read, computed and written at the same time, in chunks and in bounded memory.
//!
//! Each thread of the CPU's pool takes the next chunk, reads it, computes it, writes it at its place in the output, and
//! takes another. Reading and writing need no order. Computing does: it waits for its turn, and hands a carry to the next
//! chunk. A chunk is so small that it stays in the second-level cache of the core that reads, computes and writes it,
//! and that its computation takes a fraction of the time of its reading and writing.
//!
//! ```text
//! thread 0   read 0 | compute 0 |  write 0          | read 3 | compute 3 |  write 3
//! thread 1   read 1 |           | compute 1 |  write 1      | read 4 |   | compute 4 | ..
//! thread 2   read 2 |                       | compute 2 |  write 2    | read 5 | ..
//! ```
//!
//! A GPU computes scans in longer chunks, which a thread copies there and back in its turn.
//!
//! A selection carries the number of its results, a histogram nothing: the counts of its chunks are added. A reduction has
//! no carry: its chunks are subtrees of the tree of the whole array, whose totals need no order. [Runs](run_lengths) of equal
//! neighbours carry the one that is open, and are written in turns, as nobody knows their number before.
//!
//! Along an axis, a chunk has some [slabs](lines), and no carry. A longer slab is cut into strips of columns, whose rows carry
//! their running values. From the end of an array chunks come from there, too.
//!
//! A [`sort`] takes longer parts, which all threads read, sort and write together. Distinct values are the runs of what it has
//! sorted.
//!
//! Files are read by calls and not mapped: a file that shrinks while it is read is an error and no signal.

mod file;
mod fold;
pub(crate) mod histogram;
mod lines;
mod memory;
mod pass;
mod piped;
pub(crate) mod reduce;
pub(crate) mod reduce_lines;
pub(crate) mod run_lengths;
mod runs;
pub(crate) mod scan;
pub(crate) mod scan_lines;
pub(crate) mod select;
pub(crate) mod signal;
pub(crate) mod sort;
mod turns;

pub(crate) use file::ArrayFile;
pub(crate) use fold::fold;
pub(crate) use pass::pass;
pub(crate) use piped::{FEW, Loaded, load, load_npy, of_array};

use crate::element::{Values, with_values};
use crate::failure::{Failure, Result};
use upsweep_dynamic::{Error, Type};

/// Makes room for `len` values of type `element`.
fn room(element: Type, len: usize, name: &str) -> Result<Values> {
    Values::zeroed(element, len).map_err(|e| Failure::computing(name, &e))
}

/// Makes a room for a chunk of up to `len` values of the file for each thread that takes chunks.
fn rooms(file: &ArrayFile, len: usize) -> Result<Vec<Values>> {
    let threads = rayon::current_num_threads().min(file.len.div_ceil(len)).max(1);
    (0..threads).map(|_| room(file.element, len.min(file.len), &file.name)).collect()
}

/// Sets the number of values in a room for at least so many.
fn resize(values: &mut Values, len: usize) {
    with_values!(values, x => x.resize(len, Default::default()));
}

/// Returns the error of a chunk that begins at element `start` with the index of its element in the file.
pub(crate) fn in_file(error: Error, start: usize) -> Error {
    match error {
        Error::Inexact { what, index: Some(index), number, element } => {
            Error::Inexact { what, index: Some(start + index), number, element }
        }
        other => other,
    }
}
