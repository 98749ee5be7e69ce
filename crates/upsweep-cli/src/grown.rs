//! Results of which nobody knows the number before the last one: they are written part by part.

use crate::collect::append;
use crate::element::{Type, Values};
use crate::failure::{Failure, Result};
use crate::npy;
use crate::output::Destination;
use crate::progress::Progress;
use crate::write::{self, OutputForm};

/// Writer of the next values.
pub(crate) type Next<'a> = dyn FnMut(&Values) -> Result<()> + Send + 'a;

/// Lets `act` write all values, which have the type `element`. The header of a .npy has their number: it is written last, or,
/// where the output goes to a pipe, after all were collected.
pub(crate) fn write(
    destination: &Destination,
    (form, element): (OutputForm, Type),
    act: impl FnOnce(&mut Next<'_>) -> Result<()>,
) -> Result<()> {
    let name = destination.name();
    if form != OutputForm::Npy {
        return destination.write_by_threads(|out| {
            let progress = Progress::new("writing", None);
            act(&mut move |values| write::write(form, values, &[values.len()], (&mut *out, name), &progress))
        });
    }
    if !destination.has_places() {
        let mut all = Values::zeroed(element, 0).map_err(|e| Failure::computing(name, &e))?;
        act(&mut |values| append(&mut all, values, name))?;
        return write::write_values(destination, form, &all);
    }
    destination.write_places(|places| {
        // Headers of one axis are equally long.
        let begin = npy::header(element, &[0]).len() as u64;
        let mut len = 0;
        act(&mut |values| {
            let offset = begin + (len * element.size()) as u64;
            len += values.len();
            places.write(values.bytes(), offset)
        })?;
        places.write(&npy::header(element, &[len]), 0)
    })
}
