//! Results of a part of an array, where the data say how many there are.

use crate::count::Count;
use upsweep_core::error::Result;
use upsweep_core::operator::Element;

/// Where the results of a part stand among those of the whole array, in the memory of the device that computes.
///
/// A group or run of equal neighbours that is open where a part ends has its result so far there, as the part's last. The
/// part that goes on with it has it again, as its first, with all that came before. So the first result of a part may
/// take the place of the last result before: [`first`](Self::first) says so, and no result is lost, also if nobody knows
/// which part is the last one. All results but the last are final. An automaton tells the events of the text's end, and a
/// moving sum the last rows of the image, with each part as if it was the last: results of the next part take their place.
///
/// ```
/// use upsweep::prelude::*;
///
/// let device = Device::cpu();
/// let (mut all, mut carry) = (Vec::new(), Carry::new());
/// for part in [[7, 7, 1], [1, 1, 1], [1, 4, 4]] {
///     let (mut keys, mut lengths) = ([0; 3], [0; 3]);
///     let of_equal = Reduce::new(Sum).segments(Segments::Keys(&part));
///     let results = of_equal.run_with_carry(&device, &[1; 3], (&mut keys, &mut lengths), &mut carry)?;
///     results.append(&lengths, &mut all)?;
/// }
/// assert_eq!(all, [2, 5, 2]);
/// # Ok::<(), upsweep::Error>(())
/// ```
#[derive(Debug)]
pub struct Results {
    /// Index that the part's first result has among the results of the whole array: their number before the part without
    /// those whose place the part's results take.
    pub first: Count,
    /// Number of the part's results.
    pub len: Count,
}

impl Results {
    /// Appends the part's results, which lie on the host at the beginning of `part`, to `all` results before, from
    /// [`first`](Self::first) on. On CUDA this waits for the numbers.
    ///
    /// # Errors
    /// Those of [`Count::get`].
    pub fn append<T: Element>(&self, part: &[T], all: &mut Vec<T>) -> Result<()> {
        let (first, len) = (self.first.get()?, self.len.get()?);
        all.truncate(first);
        all.extend(part.iter().take(len));
        Ok(())
    }
}
