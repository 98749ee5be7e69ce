//! Sorts, argsort, top-k, quantiles, and the order of rows by several columns.

use crate::buffer::{Buffer, on_host};
use crate::values::room;
use crate::{Error, Result, Type, Value, Values, View, ViewMut, with_view};
use upsweep::nth::{Interpolated, Readings};
use upsweep::{Between, Device, Input as _, Interpolate, Key, Nth, TopK};
use upsweep_core::key::KeyBits;

/// Sort of an array, with its options: see [`upsweep::Sort`]. NaN come last in both directions, and -0 equals +0.
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
    /// Makes the ascending sort of a whole array.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sorts in descending order. Equal values keep their order.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Sorts each line along `axis` of a row-major array of this `shape` by itself.
    pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
        self.axis = Some((shape, axis));
        self
    }

    /// Returns the sorted values.
    ///
    /// # Errors
    /// [`Error::Upsweep`](crate::Error::Upsweep): as [`upsweep::Sort::run`].
    pub fn run(&self, device: &Device, x: View<'_>) -> Result<Values> {
        with_view!(x, x => Ok(self.sorted(device, x)?.into()))
    }

    /// Sorts `x` into `out`, which has as many elements of the same type. A GPU sorts an array without an axis as
    /// [`streamed`](upsweep::Device::streamed) devices do, whatever its length.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`upsweep::Error::Length`] when `out` is shorter or longer than `x`; [`Error::Options`] when it
    /// has another type.
    pub fn run_to(&self, device: &Device, x: View<'_>, out: ViewMut<'_>) -> Result<()> {
        macro_rules! of_types {
            ($($variant:ident)*) => {
                match (x, out) {
                    $((View::$variant(x), ViewMut::$variant(out)) => self.sort_to(device, x, out),)*
                    _ => Err(Error::Options { options: "x and out", reason: "they have different types: give one" }),
                }
            };
        }
        of_types! { Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 }
    }

    /// Returns for each element of `x` the number by which it is sorted: lesser numbers come first, and elements with equal
    /// numbers keep their order. So the parts of an array that are sorted by themselves can be cut and joined.
    ///
    /// ```
    /// use upsweep_dynamic::{Sort, View};
    ///
    /// let of = |x: &[f32]| Sort::new().descending().numbers(View::F32(x));
    /// let numbers = of(&[0.0, -0.0, 7.5, f32::NAN, -1.0])?;
    /// assert!(numbers[0] == numbers[1] && numbers[2] < numbers[0] && numbers[0] < numbers[4] && numbers[4] < numbers[3]);
    /// # Ok::<(), upsweep_dynamic::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]
    pub fn numbers(&self, x: View<'_>) -> Result<Vec<u64>> {
        with_view!(x, x => self.numbers_of(x))
    }

    /// Returns, for each value in sorted order, its index in `x` (argsort). Along an axis, it is the index in the
    /// value's line.
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

    fn sort_to<T: Value + Key>(&self, device: &Device, x: &[T], out: &mut [T]) -> Result<()> {
        let Some((shape, axis)) = self.axis else {
            return Ok(self.builder().run(&device.streamed(), x, out)?);
        };
        if on_host(device) {
            return Ok(self.builder().axis(shape, axis).run(device, x, out)?);
        }
        let sorted = self.builder().axis(shape, axis).run_to_vec(device, &Buffer::new(device, x)?)?;
        let room = out.len();
        let wrong = upsweep::Error::Length { what: "output", found: room, expected: sorted.len() };
        out.get_mut(..sorted.len()).filter(|out| out.len() == room).ok_or(wrong)?.copy_from_slice(&sorted);
        Ok(())
    }

    fn numbers_of<T: Value + Key>(&self, x: &[T]) -> Result<Vec<u64>> {
        let mut numbers = room(x.len())?;
        numbers.extend(x.iter().map(|x| {
            let mut bits = [0; size_of::<u128>()];
            // A value takes 8 bytes at most.
            bits.iter_mut().zip(bytemuck::bytes_of(x)).for_each(|(bits, &x)| *bits = x);
            <T as Key>::Bits::of(u128::from_le_bytes(bits)).compared(T::ORDER, self.descending).wide() as u64
        }));
        Ok(numbers)
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

/// Returns the indices of the rows in sorted order: by the first column, rows with equal values there by the second,
/// and so on. Equal rows keep their order. Each column is given with its direction: `true` sorts it in descending
/// order.
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

/// Returns the `k` largest or least values in order, and their indices in `x`; of equal values the first ones. NaN come
/// last.
///
/// # Errors
/// [`upsweep::Error::Rank`] when there are fewer than `k`; as [`upsweep::TopK::run`].
pub fn top(device: &Device, x: View<'_>, k: usize, largest: bool) -> Result<(Values, Vec<u64>)> {
    with_view!(x, x => {
        let (values, places) = top_of(device, x, k, largest)?;
        Ok((values.into(), places))
    })
}

fn top_of<T: Value + Key>(device: &Device, x: &[T], k: usize, largest: bool) -> Result<(Vec<T>, Vec<u64>)> {
    let x = Buffer::new(device, x)?;
    // A `k` larger than the number of values is refused, before memory for its results is allocated.
    let room = k.min(x.view().len());
    let (mut values, mut places) = (Buffer::zeroed(device, room)?, Buffer::zeroed(device, room)?);
    let top = if largest { TopK::largest(k) } else { TopK::smallest(k) };
    top.sorted().with_indices().run(device, &x, (&mut values, &mut places))?;
    Ok((values.into_vec()?, places.into_vec()?))
}

/// Quantile: the value below which a share of all values lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantile {
    /// `f64` nearest to the quantile.
    pub value: f64,
    /// Decimal digits of the quantile, for integers from 2^52 on: `f64` does not hold all of their halves.
    pub digits: Option<String>,
    /// Whether `value` is exactly the quantile.
    pub is_exact: bool,
}

/// Returns for each share from 0 to 1 the quantile of `x`, interpolated linearly between the two sorted values around
/// the index `share * (n - 1)`, where `n` is their number: see [`upsweep::nth`]. With a NaN among the values, every
/// quantile is NaN.
///
/// ```
/// use upsweep_dynamic::{View, quantiles};
///
/// let device = upsweep::Device::cpu();
/// let found = quantiles(&device, View::I32(&[3, 1, 7, 0, 4, 1, 6, 3]), &[0.0, 0.5, 0.9])?;
/// assert_eq!(found.iter().map(|quantile| quantile.value).collect::<Vec<_>>(), [0.0, 3.0, 6.3]);
/// let found = quantiles(&device, View::I64(&[i64::MAX, i64::MAX - 1]), &[0.5])?;
/// assert_eq!(found[0].digits.as_deref(), Some("9223372036854775806.5"));
/// # Ok::<(), upsweep_dynamic::Error>(())
/// ```
///
/// # Errors
/// [`upsweep::Error::Rank`] when there are no values; as [`upsweep::Nth::run`].
pub fn quantiles(device: &Device, x: View<'_>, shares: &[f64]) -> Result<Vec<Quantile>> {
    with_view!(x, x => quantiles_of(device, x, shares))
}

fn quantiles_of<T: Value + Interpolate>(device: &Device, x: &[T], shares: &[f64]) -> Result<Vec<Quantile>> {
    let x = Buffer::new(device, x)?;
    let places = Nth::quantiles(shares).interpolated().run_to_neighbours(device, &x)?;
    Ok(places.into_iter().map(quantile).collect())
}

fn quantile<T: Interpolate>(place: Between<T>) -> Quantile {
    let (value, digits, is_exact) = (place.value(), place.digits(), place.is_exact());
    Quantile { value, digits, is_exact }
}

/// Quantiles of values that come in chunks, and come again: for data larger than memory. They are those that [`quantiles`] returns;
/// each reading has the same values.
///
/// ```
/// use upsweep_dynamic::{Quantiles, Type, View};
///
/// let mut found = Quantiles::new(Type::I32, &[0.0, 0.5, 0.9])?;
/// while found.again()? {
///     found.push(View::I32(&[3, 1, 7, 0]))?;
///     found.push(View::I32(&[4, 1, 6, 3]))?;
/// }
/// assert_eq!(found.finish()?.iter().map(|quantile| quantile.value).collect::<Vec<_>>(), [0.0, 3.0, 6.3]);
/// # Ok::<(), upsweep_dynamic::Error>(())
/// ```
#[must_use = "quantiles do nothing until they are given values"]
pub struct Quantiles<'a>(Box<dyn Reading + 'a>);

impl std::fmt::Debug for Quantiles<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Quantiles").finish()
    }
}

impl<'a> Quantiles<'a> {
    /// Starts the quantiles of values of type `element` for each share from 0 to 1.
    ///
    /// # Errors
    /// [`Error::Upsweep`]: as [`upsweep::Nth::in_chunks`].
    pub fn new(element: Type, shares: &'a [f64]) -> Result<Self> {
        crate::with_type!(element, T => {
            Ok(Self(Box::new(Nth::quantiles(shares).interpolated().in_chunks::<T>()?)))
        })
    }

    /// Ends a reading, and returns whether another one begins. The first call begins the first one.
    ///
    /// # Errors
    /// [`Error::Upsweep`]: as [`upsweep::nth::Readings::again`].
    pub fn again(&mut self) -> Result<bool> {
        self.0.again()
    }

    /// Takes a chunk of the values into the current reading.
    ///
    /// # Errors
    /// [`Error::Bytes`] for values of another type; [`Error::Upsweep`]: as [`upsweep::nth::Readings::push`].
    pub fn push(&mut self, chunk: View<'_>) -> Result<()> {
        self.0.push(chunk)
    }

    /// Returns the quantiles, after the last reading.
    ///
    /// # Errors
    /// [`Error::Upsweep`]: as [`upsweep::nth::Readings::finish`].
    pub fn finish(self) -> Result<Vec<Quantile>> {
        self.0.finish()
    }
}

/// Readings of values whose type is known.
trait Reading {
    fn again(&mut self) -> Result<bool>;
    fn push(&mut self, chunk: View<'_>) -> Result<()>;
    fn finish(self: Box<Self>) -> Result<Vec<Quantile>>;
}

impl<T: Value + Interpolate> Reading for Readings<'_, T, Interpolated> {
    fn again(&mut self) -> Result<bool> {
        Ok(Readings::again(self)?)
    }

    fn push(&mut self, chunk: View<'_>) -> Result<()> {
        let chunk = bytemuck::checked::try_cast_slice(chunk.bytes()).map_err(|_| Error::Bytes {
            element: T::TYPE,
            len: chunk.bytes().len(),
            reason: "they are values of another type",
        })?;
        Ok(Readings::push(self, chunk)?)
    }

    fn finish(self: Box<Self>) -> Result<Vec<Quantile>> {
        Ok((*self).finish_neighbours()?.into_iter().map(quantile).collect())
    }
}
