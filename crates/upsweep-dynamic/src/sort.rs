//! Sorts, positions, the first elements in order, and an order by several columns.

use crate::buffer::Buffer;
use crate::quantile::Ordered;
use crate::{Result, Value, Values, View, with_view};
use upsweep::{Device, Key, TopK};

/// A sort of an array, with its options: as [`upsweep::Sort`]. NaN come last in both directions, and -0 equals +0.
///
/// ```
/// use upsweep_dynamic::{Sort, Values, View};
///
/// let device = upsweep::Device::cpu();
/// let x = View::F32(&[2.5, f32::NAN, -1.0, 2.5]);
/// assert_eq!(Sort::new().descending().positions(&device, x)?, [0, 3, 2, 1]);
/// assert_eq!(Sort::new().axis(&[2, 2], 1).run(&device, View::U8(&[3, 1, 0, 7]))?, Values::U8(vec![1, 3, 0, 7]));
/// # Ok::<(), upsweep_dynamic::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "a sort does nothing until it is run"]
pub struct Sort<'a> {
    descending: bool,
    axis: Option<(&'a [usize], usize)>,
}

impl<'a> Sort<'a> {
    /// The ascending sort of a whole array.
    pub fn new() -> Self {
        Self::default()
    }

    /// From the largest value to the least. Equal ones keep their order.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Sorts each line along `axis` of a row-major array of this shape by itself.
    pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
        self.axis = Some((shape, axis));
        self
    }

    /// The sorted values.
    ///
    /// # Errors
    /// [`Error::Upsweep`](crate::Error::Upsweep): as [`upsweep::Sort::run`].
    pub fn run(&self, device: &Device, x: View<'_>) -> Result<Values> {
        with_view!(x, x => Ok(self.sorted(device, x)?.into()))
    }

    /// The positions that the sorted values had, along an axis those in the line.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn positions(&self, device: &Device, x: View<'_>) -> Result<Vec<u64>> {
        with_view!(x, x => self.positions_of(device, x))
    }

    fn builder(&self) -> upsweep::Sort {
        if self.descending { upsweep::Sort::new().descending() } else { upsweep::Sort::new() }
    }

    fn sorted<T: Value + Key>(&self, device: &Device, x: &[T]) -> Result<Vec<T>> {
        let x = Buffer::new(device, x)?;
        Ok(match self.axis {
            Some((shape, axis)) => self.builder().axis(shape, axis).run_to_vec(device, &x)?,
            None => self.builder().run_to_vec(device, &x)?,
        })
    }

    fn positions_of<T: Value + Key>(&self, device: &Device, x: &[T]) -> Result<Vec<u64>> {
        let x = Buffer::new(device, x)?;
        let sort = self.builder().indices();
        Ok(match self.axis {
            Some((shape, axis)) => sort.axis(shape, axis).run_to_array(device, &x)?.into_vec()?,
            None => sort.run_to_array(device, &x)?.into_vec()?,
        })
    }
}

/// The positions of rows in the order of their columns, of which the first counts most: those of equal rows keep their order. Each
/// column has its direction: descending or not.
///
/// ```
/// use upsweep_dynamic::{View, lexsort};
///
/// let device = upsweep::Device::cpu();
/// let (town, price) = (View::U8(&[2, 1, 2]), View::F64(&[5.0, 9.0, 7.0]));
/// assert_eq!(lexsort(&device, &[(town, false), (price, true)])?, [1, 2, 0]);
/// # Ok::<(), upsweep_dynamic::Error>(())
/// ```
///
/// # Errors
/// [`upsweep::Error::Length`] when columns differ in length; as [`Sort::run`].
pub fn lexsort(device: &Device, columns: &[(View<'_>, bool)]) -> Result<Vec<u64>> {
    let mut order: Option<Vec<u64>> = None;
    for &(column, descending) in columns.iter().rev() {
        let sort = Sort { descending, axis: None };
        order = Some(match order {
            None => sort.positions(device, column)?,
            Some(before) => {
                if before.len() != column.len() {
                    let (found, expected) = (column.len(), before.len());
                    return Err(upsweep::Error::Length { what: "a column", found, expected }.into());
                }
                let places = Buffer::new(device, before)?;
                let column = crate::select::fetched(device, column, &places)?;
                let moved = Buffer::new(device, sort.positions(device, column.view())?)?;
                crate::select::fetch(device, &places, &moved)?
            }
        });
    }
    Ok(order.unwrap_or_default())
}

/// The first `k` values from the largest, or from the least, on, and their places; of equal ones the first. NaN come last.
///
/// # Errors
/// [`upsweep::Error::Rank`] when there are not so many; as [`upsweep::TopK::run`].
pub fn top(device: &Device, x: View<'_>, k: usize, largest: bool) -> Result<(Values, Vec<u64>)> {
    let places = with_view!(x, x => {
        // NaN last: below -inf of the largest, above inf of the least.
        let last = if largest { 0 } else { u64::MAX };
        let keys: Vec<u64> = x.iter().map(|x| if x.is_nan() { last } else { x.key() }).collect();
        let keys = Buffer::new(device, keys)?;
        let top = if largest { TopK::largest(k) } else { TopK::smallest(k) };
        top.sorted().indices().run_to_array::<_, u64>(device, &keys)?.into_vec()?
    });
    let values = crate::select::fetched(device, x, &Buffer::new(device, &places[..])?)?;
    Ok((values, places))
}
