//! Types of pixel values, and of the sums over them.

#![allow(unreachable_pub, reason = "the functions stay here; the trait names them")]

use super::extent::Extent;
use upsweep::operator::{Cast, Number};
use upsweep::prelude::*;
use upsweep::{Input, Result};

/// Value of a pixel: `u8`, `u16`, `f32` or `f64`.
///
/// It is implemented for these types alone.
pub trait Pixel: Number + Cast<f64> + sealed::Sealed {
    /// Largest value of a type of whole numbers; `None` for floats.
    #[doc(hidden)]
    const MOST: Option<u64>;
    /// Brightest value: the largest whole number, or 1.
    #[doc(hidden)]
    const WHITE: f64;
    /// Function that converts an f64 to a pixel. To whole numbers it rounds half up.
    #[doc(hidden)]
    type Store: Function<(f64,), Output = Self>;
    #[doc(hidden)]
    const STORE: Self::Store;
    /// Function that converts a pixel to f64. Pixels of f64 are scaled, so that their sum does not overflow if their
    /// mean does not.
    #[doc(hidden)]
    type Widen: Function<(Self,), Output = f64>;
    #[doc(hidden)]
    fn widen(scale: f64) -> Self::Widen;
    /// Function that computes the mean, as a pixel is stored, from a sum of converted pixels and their number.
    #[doc(hidden)]
    type MeanOfSum: Function<(f64, u64), Output = Self>;
    #[doc(hidden)]
    fn mean_of_sum(scale: f64) -> Self::MeanOfSum;
    /// Function that computes the mean, as a pixel is stored, of 2 x 2 values: the upper left, the upper right, the
    /// lower left and the lower right. Where f64 rounds, columns are added first.
    #[doc(hidden)]
    type Mean: Function<(Self, Self, Self, Self), Output = Self>;
    #[doc(hidden)]
    const MEAN: Self::Mean;
    /// Function that computes the sRGB value of the mean of the light that 2 x 2 sRGB values encode.
    #[doc(hidden)]
    type MeanOfLight: Function<(Self, Self, Self, Self), Output = Self>;
    #[doc(hidden)]
    const MEAN_OF_LIGHT: Self::MeanOfLight;
    /// Whether a sum of four pixels stays in the range of f64 whenever a sum of two does. Then the only row of a
    /// mipmap's level may stand for two equal rows, as doubling rounds nothing.
    #[doc(hidden)]
    const SUMS_DOUBLE: bool;

    /// Largest of the sums over all pixels of a channel and plane, for an image of whole numbers; 0 for floats. On CUDA
    /// this waits for it.
    #[doc(hidden)]
    fn largest_sum<X: Input<Item = Self> + ?Sized>(device: &Device, image: &X, extent: Extent) -> Result<u64>;
}

/// Type of sums of pixels: `u32`, `u64`, `f32` or `f64`. Floats hold sums of whole numbers exactly to 2^24 and 2^53.
///
/// It is implemented for these types alone.
pub trait Accumulator: Number + Cast<f64> + sealed::Sealed {
    /// Largest whole number up to which the type is exact.
    #[doc(hidden)]
    const MOST: u64;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// Converts the pixel `x` to f64.
#[function]
pub fn wide<P: Cast<f64>>(x: P) -> f64 {
    x as f64
}

/// Converts the pixel `x` to f64, multiplied by `scale`.
#[function]
pub fn scaled<P: Cast<f64>>(#[param] scale: f64, x: P) -> f64 {
    x as f64 * scale
}

/// Power of two by which values of f64 are scaled before `values` of them are added, so that no sum overflows; 1 for
/// other types, whose sums have room in f64. The mean has the same bits as without scaling, unless values are below
/// some 1e-290.
pub(super) fn room_for<P: Pixel>(values: f64) -> f64 {
    if P::MOST.is_some() || P::SUMS_DOUBLE { 1.0 } else { 0.5f64.powi(values.log2().ceil() as i32) }
}

/// Amount of light that the sRGB value `s` encodes, where 1 is white.
#[function]
pub(super) fn light_of(s: f64) -> f64 {
    if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
}

/// Value in sRGB that encodes an amount of light, where 1 is white.
#[function]
pub(super) fn srgb_of_light(light: f64) -> f64 {
    if light <= 0.0031308 { 12.92 * light } else { 1.055 * light.powf(1.0f64 / 2.4) - 0.055 }
}

/// Defines the function that computes the sRGB value of the mean of the light of 2 x 2 values of a type.
macro_rules! mean_of_light {
    ($t:ident, $white:literal, $store:ident, $light:ident) => {
        #[function]
        pub fn $light(a: $t, b: $t, c: $t, d: $t) -> $t {
            let left = light_of((a as f64) / $white) + light_of((c as f64) / $white);
            let right = light_of((b as f64) / $white) + light_of((d as f64) / $white);
            $store(srgb_of_light((left + right) / 4.0) * $white)
        }
    };
}

macro_rules! whole {
    ($t:ident, $white:literal, $store:ident: $Store:ident, $of_sum:ident: $OfSum:ident, $mean:ident: $Mean:ident, $light:ident: $Light:ident) => {
        #[function]
        pub fn $mean(a: $t, b: $t, c: $t, d: $t) -> $t {
            ((a as u32 + b as u32 + c as u32 + d as u32 + 2) / 4) as $t
        }
        mean_of_light! { $t, $white, $store, $light }
        #[function]
        pub fn $store(x: f64) -> $t {
            (x + 0.5).floor() as $t
        }
        #[function]
        pub fn $of_sum(sum: f64, values: u64) -> $t {
            $store(sum / values as f64)
        }
        impl Pixel for $t {
            const MOST: Option<u64> = Some($t::MAX as u64);
            const WHITE: f64 = $white;
            const SUMS_DOUBLE: bool = true;
            type Store = $Store;
            const STORE: $Store = $Store;
            type Widen = Wide;
            fn widen(_: f64) -> Wide {
                Wide
            }
            type MeanOfSum = $OfSum;
            fn mean_of_sum(_: f64) -> $OfSum {
                $OfSum
            }
            type Mean = $Mean;
            const MEAN: $Mean = $Mean;
            type MeanOfLight = $Light;
            const MEAN_OF_LIGHT: $Light = $Light;
            fn largest_sum<X: Input<Item = Self> + ?Sized>(device: &Device, image: &X, extent: Extent) -> Result<u64> {
                let [planes, height, width, channels] = extent.shape();
                let shape = [planes, height * width, channels];
                let mut of_channels = device.filled(planes * channels, 0u64)?;
                Reduce::new(Sum).accumulate::<u64>().axis(&shape, 1).run(device, image, &mut of_channels)?;
                Ok(of_channels.to_vec()?.into_iter().max().unwrap_or(0))
            }
        }
    };
}
whole! { u8, 255.0, store_u8: StoreU8, mean_of_sum_u8: MeanOfSumU8, mean_u8: MeanU8, light_u8: LightU8 }
whole! { u16, 65535.0, store_u16: StoreU16, mean_of_sum_u16: MeanOfSumU16, mean_u16: MeanU16, light_u16: LightU16 }

macro_rules! float {
    ($t:ident, $store:ident: $Store:ident, $Widen:ident: |$scale:ident| $widen:expr, $OfSum:ident: $of_sum:expr, $mean:ident: $Mean:ident, $light:ident: $Light:ident) => {
        #[function]
        pub fn $mean(a: $t, b: $t, c: $t, d: $t) -> $t {
            let sum = (a as f64 + c as f64) + (b as f64 + d as f64);
            // The sum of four values may overflow though their mean does not.
            if sum.is_finite() {
                (sum * 0.25) as $t
            } else {
                ((a as f64 * 0.25 + c as f64 * 0.25) + (b as f64 * 0.25 + d as f64 * 0.25)) as $t
            }
        }
        mean_of_light! { $t, 1.0, $store, $light }
        #[function]
        pub fn $store(x: f64) -> $t {
            x as $t
        }
        impl Pixel for $t {
            const MOST: Option<u64> = None;
            const WHITE: f64 = 1.0;
            const SUMS_DOUBLE: bool = size_of::<$t>() < size_of::<f64>();
            type Store = $Store;
            const STORE: $Store = $Store;
            type Widen = $Widen;
            fn widen($scale: f64) -> $Widen {
                $widen
            }
            type MeanOfSum = $OfSum;
            fn mean_of_sum($scale: f64) -> $OfSum {
                $of_sum
            }
            type Mean = $Mean;
            const MEAN: $Mean = $Mean;
            type MeanOfLight = $Light;
            const MEAN_OF_LIGHT: $Light = $Light;
            fn largest_sum<X: Input<Item = Self> + ?Sized>(_: &Device, _: &X, _: Extent) -> Result<u64> {
                Ok(0)
            }
        }
    };
}
// The sum is multiplied by the reciprocal of the number: in f64 the error of that is below the digits of f32, and a GPU
// divides once for all windows of one size.
#[function]
pub fn mean_of_sum_f32(sum: f64, values: u64) -> f32 {
    (sum * (1.0 / values as f64)) as f32
}
/// Mean from the sum of values that were multiplied by `scale`. Their number is multiplied by it, too: `scale` is a
/// power of two, so that rounds nothing.
#[function]
pub fn mean_of_sum_f64(#[param] scale: f64, sum: f64, values: u64) -> f64 {
    sum / (values as f64 * scale)
}
float! { f32, store_f32: StoreF32, Wide: |_scale| Wide, MeanOfSumF32: MeanOfSumF32, mean_f32: MeanF32, light_f32: LightF32 }
float! { f64, store_f64: StoreF64, Scaled: |scale| Scaled { scale }, MeanOfSumF64: MeanOfSumF64 { scale }, mean_f64: MeanF64, light_f64: LightF64 }

impl Accumulator for u32 {
    const MOST: u64 = u32::MAX as u64;
}
impl Accumulator for u64 {
    const MOST: u64 = u64::MAX;
}
impl Accumulator for f32 {
    const MOST: u64 = 1 << 24;
}
impl Accumulator for f64 {
    const MOST: u64 = 1 << 53;
}
