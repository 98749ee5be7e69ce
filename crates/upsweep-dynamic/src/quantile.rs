//! Quantiles: exact, by histograms of digits.
//!
//! An element's place in the order is found 16 bits at a time, from the highest on: a histogram of those bits, of the elements whose
//! higher bits are the ones found so far, tells in which of 65,536 bins the place is. Four histograms of 64 bits do, and places
//! with the same high bits share them.

use crate::buffer::Buffer;
use crate::{Result, Value, View, f16, with_view};
use std::collections::HashMap;
use upsweep::{Device, Histogram, function};

/// The bits that one histogram looks at.
const DIGIT: u32 = 16;
const BINS: usize = 1 << DIGIT;

/// For each share from 0 to 1 the value below which so much of `x` lies, in linear interpolation between the two values around
/// the place `share * (n - 1)`: `numpy.quantile(x, shares)`, in `f64`. NaN where a value is NaN, where there are none, and for a
/// share that is none.
///
/// ```
/// use upsweep_dynamic::{View, quantiles};
///
/// let device = upsweep::Device::cpu();
/// assert_eq!(quantiles(&device, View::I32(&[3, 1, 7, 0, 4, 1, 6, 3]), &[0.0, 0.5, 0.9])?, [0.0, 3.0, 6.3]);
/// # Ok::<(), upsweep_dynamic::Error>(())
/// ```
///
/// # Errors
/// [`Error::Upsweep`](crate::Error::Upsweep): as [`upsweep::Histogram::run`].
pub fn quantiles(device: &Device, x: View<'_>, shares: &[f64]) -> Result<Vec<f64>> {
    with_view!(x, x => of_values(device, x, shares))
}

fn of_values<T: Ordered>(device: &Device, x: &[T], shares: &[f64]) -> Result<Vec<f64>> {
    if x.is_empty() || x.iter().any(|x| x.is_nan()) {
        return Ok(vec![f64::NAN; shares.len()]);
    }
    let keys: Vec<u64> = x.iter().map(|x| x.key()).collect();
    let keys = Buffer::new(device, keys)?;
    let mut places = Places { device, keys: &keys, counted: HashMap::new() };
    let last = x.len() - 1;
    let of_share = |share: &f64| {
        if !(0.0..=1.0).contains(share) {
            return Ok(f64::NAN);
        }
        let place = share * last as f64;
        let before = (place.floor() as usize).min(last);
        let low = T::value(places.key(before as u64)?);
        let high = T::value(places.key((before + 1).min(last) as u64)?);
        // In NumPy's two forms, neither of which leaves the interval.
        let (part, between) = (place - before as f64, high - low);
        Ok(if part >= 0.5 { high - between * (1.0 - part) } else { low + between * part })
    };
    shares.iter().map(of_share).collect()
}

/// The digit of an element whose higher bits are as wanted; of others none.
#[function]
fn digit(#[param] above: u64, #[param] wanted: u64, #[param] shift: u32, key: u64) -> u32 {
    if key & above == wanted { ((key >> shift) & 0xffff) as u32 } else { u32::MAX }
}

/// The elements by their places in the order.
struct Places<'a, 'k> {
    device: &'a Device,
    keys: &'a Buffer<'k, u64>,
    /// Counts that were made, by the higher bits and where the digit begins.
    counted: HashMap<(u64, u32), Vec<u64>>,
}

impl Places<'_, '_> {
    /// The key at a place, counted from 0.
    fn key(&mut self, place: u64) -> Result<u64> {
        let (mut found, mut place) = (0, place);
        for shift in (0..u64::BITS).step_by(DIGIT as usize).rev() {
            let counts = match self.counted.get(&(found, shift)) {
                Some(counts) => counts,
                None => {
                    let counts = self.count(found, shift)?;
                    self.counted.entry((found, shift)).or_insert(counts)
                }
            };
            for (digit, &count) in counts.iter().enumerate() {
                if place < count {
                    found |= (digit as u64) << shift;
                    break;
                }
                place -= count;
            }
        }
        Ok(found)
    }

    fn count(&self, wanted: u64, shift: u32) -> Result<Vec<u64>> {
        let above = u64::MAX.checked_shl(shift + DIGIT).unwrap_or(0);
        let mut counts = Buffer::zeroed(self.device, BINS)?;
        Histogram::by(Digit { above, wanted, shift }, BINS).run(self.device, self.keys, &mut counts)?;
        counts.into_vec()
    }
}

/// Values whose order is that of their keys.
pub(crate) trait Ordered: Value {
    fn key(self) -> u64;
    fn value(key: u64) -> f64;
    fn is_nan(self) -> bool {
        false
    }
}

const SIGN: u64 = 1 << 63;

macro_rules! ordered {
    ($($t:ty: $key:expr, $value:expr;)*) => { $(impl Ordered for $t {
        fn key(self) -> u64 {
            let key: fn($t) -> u64 = $key;
            key(self)
        }
        fn value(key: u64) -> f64 {
            let value: fn(u64) -> f64 = $value;
            value(key)
        }
    })* };
}
ordered! {
    bool: u64::from, |key| key as f64;
    u8: u64::from, |key| key as f64;
    u16: u64::from, |key| key as f64;
    u32: u64::from, |key| key as f64;
    u64: |x| x, |key| key as f64;
    i8: |x| i64::from(x) as u64 ^ SIGN, |key| (key ^ SIGN) as i64 as f64;
    i16: |x| i64::from(x) as u64 ^ SIGN, |key| (key ^ SIGN) as i64 as f64;
    i32: |x| i64::from(x) as u64 ^ SIGN, |key| (key ^ SIGN) as i64 as f64;
    i64: |x| x as u64 ^ SIGN, |key| (key ^ SIGN) as i64 as f64;
}

macro_rules! ordered_floats {
    ($($t:ty)*) => { $(impl Ordered for $t {
        fn key(self) -> u64 {
            // -0 and 0 are one value.
            let bits = (f64::from(self) + 0.0).to_bits();
            if bits & SIGN == 0 { bits | SIGN } else { !bits }
        }
        fn value(key: u64) -> f64 {
            f64::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
        }
        fn is_nan(self) -> bool {
            f64::from(self).is_nan()
        }
    })* };
}
ordered_floats! { f16 f32 f64 }
