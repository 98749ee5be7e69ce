//! Results that are wanted, as places among the sorted elements.

use upsweep_core::error::{Error, Result};
use upsweep_core::memory;

/// Results that an [`Nth`](super::Nth) wants: places among the sorted elements, or shares of all.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'a> {
    Places(&'a [usize]),
    Shares(&'a [f64]),
}

impl<'a> Wanted<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Places(places) => places.len(),
            Self::Shares(shares) => shares.len(),
        }
    }

    /// Returns, for each result, an index (place) among `len` sorted elements, and a fraction of the distance to the
    /// next index. `at` computes both from a share, which is checked to be from 0 to 1.
    fn places(&self, len: usize, at: impl Fn(f64) -> (usize, f64)) -> Result<Vec<(usize, f64)>> {
        let mut found = memory::room(self.len())?;
        match self {
            Self::Places(places) => {
                for &place in *places {
                    if place >= len {
                        return Err(Error::Rank { what: "place", rank: place, len });
                    }
                    found.push((place, 0.0));
                }
            }
            Self::Shares(shares) => {
                for &share in *shares {
                    if !(0.0..=1.0).contains(&share) {
                        let reason = "a share is a number from 0 to 1";
                        return Err(Error::Options { options: "quantiles", reason });
                    }
                    if len == 0 {
                        return Err(Error::Rank { what: "place", rank: 0, len });
                    }
                    found.push(at(share));
                }
            }
        }
        Ok(found)
    }

    /// Returns the places (sorted indices) of elements, with the fraction 0; for a share `q` of `n` elements, the place
    /// of the `ceil(q n)`-th smallest.
    pub(super) fn of_elements(&self, len: usize) -> Result<Vec<(usize, f64)>> {
        self.places(len, |share| (((share * len as f64).ceil() as usize).clamp(1, len) - 1, 0.0))
    }

    /// Returns, for each interpolated value, the place (sorted index) of the element before it, and its fraction of the
    /// distance to the next element.
    pub(super) fn between(&self, len: usize) -> Result<Vec<(usize, f64)>> {
        let last = len.saturating_sub(1);
        self.places(len, |share| {
            let place = share * last as f64;
            let before = (place as usize).min(last);
            // The last element has no next one.
            (before, if before < last { place - before as f64 } else { 0.0 })
        })
    }

    /// Returns for each result the one of `of` in a segment that has no more than `len` elements, or none where it has no
    /// element.
    pub(super) fn in_segment(
        &self,
        len: usize,
        of: fn(&Wanted<'a>, usize) -> Result<Vec<(usize, f64)>>,
    ) -> Result<Vec<Option<(usize, f64)>>> {
        let mut found = memory::room(self.len())?;
        for i in 0..self.len() {
            let one = match self {
                Self::Places(places) => Wanted::Places(&places[i..=i]),
                Self::Shares(shares) => Wanted::Shares(&shares[i..=i]),
            };
            found.push(match of(&one, len) {
                Ok(places) => places.first().copied(),
                Err(Error::Rank { .. }) => None,
                Err(error) => return Err(error),
            });
        }
        Ok(found)
    }

    /// Returns the error of a segment without an element at the place of result `i`.
    pub(super) fn missing(&self, segment: usize, len: usize, i: usize) -> Error {
        let needed = if let Self::Places(places) = self { places[i].saturating_add(1) } else { 1 };
        Error::Segment { segment, len, needed }
    }
}
