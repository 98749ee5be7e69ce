//! Stream compaction, runs, distinct values and expansion: results whose number depends on the data.

use crate::buffer::Buffer;
use crate::values::room;
use crate::{Error, Number, Result, Type, Value, Values, View, f16, with_view};
use bytemuck::allocation::cast_vec;
use upsweep::{Device, Expand, Gather, Runs, Select, Transform};

/// Operation that copies elements without computing with them.
trait Moves {
    fn moved<T: Value>(self, device: &Device, x: &[T]) -> Result<Vec<T>>;
}

/// Runs `moves` on the elements as unsigned integers with the same bits, so that it is compiled once for each size of
/// elements and not for each type.
fn moved(device: &Device, x: View<'_>, moves: impl Moves) -> Result<Values> {
    let element = x.element();
    Ok(match element.size() {
        1 => {
            let x = moves.moved::<u8>(device, bytemuck::cast_slice(x.bytes()))?;
            match element {
                Type::Bool => x.into_iter().map(|x| x != 0).collect::<Vec<bool>>().into(),
                Type::I8 => Values::I8(cast_vec(x)),
                _ => x.into(),
            }
        }
        2 => {
            let x = moves.moved::<u16>(device, bytemuck::cast_slice(x.bytes()))?;
            match element {
                Type::F16 => x.into_iter().map(f16::from_bits).collect::<Vec<f16>>().into(),
                Type::I16 => Values::I16(cast_vec(x)),
                _ => x.into(),
            }
        }
        4 => {
            let x = moves.moved::<u32>(device, bytemuck::cast_slice(x.bytes()))?;
            match element {
                Type::F32 => Values::F32(cast_vec(x)),
                Type::I32 => Values::I32(cast_vec(x)),
                _ => x.into(),
            }
        }
        _ => {
            let x = moves.moved::<u64>(device, bytemuck::cast_slice(x.bytes()))?;
            match element {
                Type::F64 => Values::F64(cast_vec(x)),
                Type::I64 => Values::I64(cast_vec(x)),
                _ => x.into(),
            }
        }
    })
}

struct Chosen<'a>(&'a Buffer<'a, bool>);

impl Moves for Chosen<'_> {
    fn moved<T: Value>(self, device: &Device, x: &[T]) -> Result<Vec<T>> {
        Ok(Select::flags(self.0).run_to_vec(device, &Buffer::new(device, x)?)?)
    }
}

/// Selects the elements of `x` whose flag is set, in their order. On CUDA the time includes the copies to the device
/// and back.
///
/// # Errors
/// [`Error::Upsweep`]: as [`upsweep::Select::run_to_vec`].
pub fn select(device: &Device, x: View<'_>, flags: &[bool]) -> Result<Values> {
    moved(device, x, Chosen(&Buffer::new(device, flags)?))
}

/// Returns the indices of the flags that are set.
///
/// # Errors
/// As [`select`].
pub fn select_indices(device: &Device, flags: &[bool]) -> Result<Vec<u64>> {
    let flags = Buffer::new(device, flags)?;
    Ok(Select::flags(&flags).indices().run_to_vec(device, &flags)?)
}

/// Returns the first element of each run of equal neighbours, and the length of the run. NaN differs from itself, and
/// -0 equals +0.
///
/// # Errors
/// [`Error::Upsweep`]: as [`upsweep::Runs::run_to_vecs`].
pub fn runs(device: &Device, x: View<'_>) -> Result<(Values, Vec<u64>)> {
    let element = x.element();
    with_view!(x.unsigned(), x => {
        let (values, lengths) = Runs::new().run_to_vecs::<_, u64>(device, &Buffer::new(device, x)?)?;
        Ok((Values::from(values).back_to(element), lengths))
    })
}

/// Results of [`unique`].
#[derive(Clone, Debug)]
pub struct Distinct {
    /// Distinct elements, ascending.
    pub values: Values,
    /// Number of occurrences of each of `values`.
    pub counts: Vec<u64>,
    /// Index in `values` of each element of the array, if requested.
    pub inverse: Option<Vec<u64>>,
}

/// Element type with a mapping to unsigned integers, the words. Words have the order of their elements, and elements
/// that count as equal, such as -0 and +0, have the same word.
trait Ordered: Value {
    type Word: Value + Ord;
    fn to_word(self) -> Self::Word;
    fn of_word(word: Self::Word) -> Self;
}
macro_rules! ordered {
    ($($t:ty as $bits:ty: $encode:expr, $decode:expr;)*) => { $(
        impl Ordered for $t {
            type Word = $bits;
            fn to_word(self) -> $bits {
                let encode: fn($t) -> $bits = $encode;
                encode(self)
            }
            fn of_word(word: $bits) -> $t {
                let decode: fn($bits) -> $t = $decode;
                decode(word)
            }
        }
    )* };
    (signed $($t:ident as $bits:ident)*) => {
        ordered! { $($t as $bits: |x| x as $bits ^ 1 << ($bits::BITS - 1), |x| (x ^ 1 << ($bits::BITS - 1)) as $t;)* }
    };
    // The bits of negative floats ascend where the floats descend.
    (float $($t:ident as $bits:ident)*) => {
        ordered! { $($t as $bits:
            |x| {
                let x = if x.is_nan() { $t::NAN } else if x == $t::default() { $t::default() } else { x };
                let bits = x.to_bits();
                if bits >> ($bits::BITS - 1) == 1 { !bits } else { bits | 1 << ($bits::BITS - 1) }
            },
            |x| $t::from_bits(if x >> ($bits::BITS - 1) == 1 { x ^ 1 << ($bits::BITS - 1) } else { !x });
        )* }
    };
}
ordered! { bool as u8: u8::from, |x| x != 0; u8 as u8: |x| x, |x| x; u16 as u16: |x| x, |x| x; u32 as u32: |x| x, |x| x; u64 as u64: |x| x, |x| x; }
ordered! { signed i8 as u8 i16 as u16 i32 as u32 i64 as u64 }
ordered! { float f16 as u16 f32 as u32 f64 as u64 }

/// Finds the distinct elements of `x`, ascending, their counts, and with `inverse` the index of each element among
/// them. All NaN are one value, the last; -0 and +0 are one value, with the sign of its first occurrence.
///
/// # Errors
/// [`Error::OutOfMemory`]; [`Error::Upsweep`]: as [`runs`].
pub fn unique(device: &Device, x: View<'_>, inverse: bool) -> Result<Distinct> {
    /// Finds the distinct elements of `x`, their counts, and with `inverse` the index of each element among them. It is
    /// compiled once for each size of elements.
    fn distinct<T: Value + Ord>(
        device: &Device,
        mut x: Vec<T>,
        inverse: bool,
    ) -> Result<(Vec<T>, Vec<u64>, Option<Vec<u64>>)> {
        if !inverse {
            x.sort_unstable();
            let (values, counts) = Runs::new().run_to_vecs::<_, u64>(device, &Buffer::new(device, x)?)?;
            return Ok((values, counts, None));
        }
        let mut sorted = room(x.len())?;
        sorted.extend_from_slice(&x);
        let (values, counts, _) = distinct(device, sorted, false)?;
        let mut places = room(x.len())?;
        places.extend(x.iter().map(|x| values.partition_point(|value| value < x) as u64));
        Ok((values, counts, Some(places)))
    }
    fn of<T: Ordered>(device: &Device, x: &[T], inverse: bool) -> Result<Distinct>
    where
        Values: From<Vec<T>>,
    {
        let mut bits = room(x.len())?;
        bits.extend(x.iter().map(|&x| x.to_word()));
        let (words, counts, inverse) = distinct(device, bits, inverse)?;
        let mut values: Vec<T> = words.iter().map(|&word| T::of_word(word)).collect();
        // A word has lost the sign of a zero.
        let zero = T::default().to_word();
        let place = words.binary_search(&zero).ok().and_then(|at| values.get_mut(at));
        if let Some((place, &first)) = place.zip(x.iter().find(|x| x.to_word() == zero)) {
            *place = first;
        }
        Ok(Distinct { values: values.into(), counts, inverse })
    }
    with_view!(x, x => of(device, x, inverse))
}

struct Fetched<'a>(&'a Buffer<'a, u64>);

impl Moves for Fetched<'_> {
    fn moved<T: Value>(self, device: &Device, x: &[T]) -> Result<Vec<T>> {
        fetch(device, &Buffer::new(device, x)?, self.0)
    }
}

/// Returns the values of `x` at the indices `places`, which are less than the number of values.
pub(crate) fn fetched(device: &Device, x: View<'_>, places: &Buffer<'_, u64>) -> Result<Values> {
    moved(device, x, Fetched(places))
}

/// Returns the values of `x` at the indices `places`, as a vector on the host.
pub(crate) fn fetch<T: Value>(device: &Device, x: &Buffer<'_, T>, places: &Buffer<'_, u64>) -> Result<Vec<T>> {
    if let (Some(x), Some(places)) = (x.as_slice(), places.as_slice()) {
        let mut found = room(places.len())?;
        found.extend(places.iter().filter_map(|&at| x.get(at as usize)));
        return Ok(found);
    }
    Ok(Transform::copy().run_to_array(device, Gather::of(x).at(places))?.to_vec()?)
}

struct Repeated<'a>(&'a Buffer<'a, u64>);

impl Moves for Repeated<'_> {
    fn moved<T: Value>(self, device: &Device, x: &[T]) -> Result<Vec<T>> {
        Ok(Expand::values(&Buffer::new(device, x)?).run_to_vec(device, self.0)?)
    }
}

/// Converts counts of any type to `u64`, which the library takes.
fn counts(x: View<'_>) -> Result<Vec<u64>> {
    let mut counts = room(x.len())?;
    with_view!(x, x => for (index, &x) in x.iter().enumerate() {
        let number: Number = x.into();
        let count = number.integer().and_then(|count| u64::try_from(count).ok());
        let wrong = Error::Inexact { what: "count", index: Some(index), number, element: Type::U64 };
        counts.push(count.ok_or(wrong)?);
    });
    Ok(counts)
}

/// Repeats the index `i` of each count `x[i]` as often as the count says. With `ranks`, the results for a count are
/// instead the numbers 0, 1, 2, .. up to `x[i] - 1`.
///
/// # Errors
/// [`Error::Inexact`] when a count is no integer or negative; [`Error::Upsweep`]: as [`upsweep::Expand::run_to_vec`].
pub fn expand(device: &Device, x: View<'_>, ranks: bool) -> Result<Vec<u64>> {
    let counts = Buffer::new(device, counts(x)?)?;
    Ok(if ranks {
        Expand::new().ranks().run_to_vec(device, &counts)?
    } else {
        Expand::new().run_to_vec(device, &counts)?
    })
}

/// Repeats each of `values` as often as the count at the same index of `x` says.
///
/// # Errors
/// As [`expand`]; [`upsweep::Error::Length`] when there are not as many values as counts.
pub fn expand_values(device: &Device, x: View<'_>, values: View<'_>) -> Result<Values> {
    let counts = Buffer::new(device, counts(x)?)?;
    moved(device, values, Repeated(&counts))
}
