//! Sort on the CPU: of a whole array (`array.rs`), or of its parts (`parts.rs`).

mod array;
mod parts;

use self::array::{Sort, Values};
use crate::buffer::View;
use crate::error::Result;
use crate::job::Unsorted;
use crate::key::{Index, Key};
use crate::operator::Element;
use crate::outputs::Target;
use crate::segments::Offset;
use crate::sorting::Cut;

/// Sorts keys into `output`, or where they are; each part by itself.
pub(crate) fn keys<K: Key, I: Offset>(
    input: &Unsorted<'_, K>,
    output: &Target<'_, K>,
    descending: bool,
    cut: &Cut<'_, I>,
) -> Result<()> {
    let (keys, keys_out, len) = buffers("input", input, output)?;
    let values = Values::At(std::ptr::dangling::<()>());
    let sort = Sort { descending, len, keys, keys_out: Some(keys_out), values, values_out: std::ptr::dangling_mut() };
    parts::run(&sort, cut)
}

/// Sorts values by keys.
pub(crate) fn pairs<K: Key, V: Element, I: Offset>(
    (keys, values): (&Unsorted<'_, K>, &Unsorted<'_, V>),
    (keys_out, values_out): (&Target<'_, K>, &Target<'_, V>),
    descending: bool,
    cut: &Cut<'_, I>,
) -> Result<()> {
    let (keys, keys_out, len) = buffers("keys", keys, keys_out)?;
    let (values, values_out, _) = buffers("values", values, values_out)?;
    let sort = Sort { descending, len, keys, keys_out: Some(keys_out), values: Values::At(values), values_out };
    parts::run(&sort, cut)
}

/// Sorts the positions of keys by these.
pub(crate) fn indices<K: Key, I: Index, O: Offset>(
    keys: &View<'_, K>,
    output: &Target<'_, I>,
    descending: bool,
    cut: &Cut<'_, O>,
) -> Result<()> {
    let (keys, (values_out, len)) = (keys.on_host("input")?.as_ptr(), output.on_host("output")?);
    let sort = Sort { descending, len, keys, keys_out: None, values: Values::Positions(I::at), values_out };
    parts::run(&sort, cut)
}

/// Where elements are, where results go, and how many.
fn buffers<T: Element>(
    what: &'static str,
    input: &Unsorted<'_, T>,
    output: &Target<'_, T>,
) -> Result<(*const T, *mut T, usize)> {
    let (to, len) = output.on_host("output")?;
    let from = match input {
        Unsorted::Buffer(view) => view.on_host(what)?.as_ptr(),
        Unsorted::OfOutput => to.cast_const(),
    };
    Ok((from, to, len))
}
