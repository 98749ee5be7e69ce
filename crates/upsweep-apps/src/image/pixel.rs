//! The values of pixels, and the types that hold their sums.

#![allow(unreachable_pub, reason = "the functions stay here; the trait names them")]

use super::extent::Extent;
use upsweep::operator::{Cast, Number};
use upsweep::prelude::*;
use upsweep::{Input, Result};

/// A value of a pixel: `u8`, `u16`, `f32` or `f64`.
///
/// It is implemented for these types alone.
pub trait Pixel: Number + Cast<f64> + sealed::Sealed {
    /// Whether values are whole numbers, and then the largest one.
    #[doc(hidden)]
    const MOST: Option<u64>;
    /// The brightest value: the largest whole number, or 1.
    #[doc(hidden)]
    const WHITE: f64;
    /// From f64: whole numbers half up.
    #[doc(hidden)]
    type Store: Function<(f64,), Output = Self>;
    #[doc(hidden)]
    const STORE: Self::Store;

    /// The largest sum of a channel of an image of whole numbers. On CUDA this waits for it.
    #[doc(hidden)]
    fn largest_sum<X: Input<Item = Self> + ?Sized>(device: &Device, image: &X, extent: Extent) -> Result<u64>;
}

/// What holds sums of pixels: `u32`, `u64`, `f32` or `f64`. Floats hold sums of whole numbers exactly to 2^24 and 2^53.
///
/// It is implemented for these types alone.
pub trait Accumulator: Number + Cast<f64> + sealed::Sealed {
    /// The largest whole number up to which it holds all.
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

macro_rules! whole {
    ($t:ident, $store:ident: $Store:ident) => {
        #[function]
        pub fn $store(x: f64) -> $t {
            (x + 0.5).floor() as $t
        }
        impl Pixel for $t {
            const MOST: Option<u64> = Some($t::MAX as u64);
            const WHITE: f64 = $t::MAX as f64;
            type Store = $Store;
            const STORE: $Store = $Store;
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
whole! { u8, store_u8: StoreU8 }
whole! { u16, store_u16: StoreU16 }

macro_rules! float {
    ($t:ident, $store:ident: $Store:ident) => {
        #[function]
        pub fn $store(x: f64) -> $t {
            x as $t
        }
        impl Pixel for $t {
            const MOST: Option<u64> = None;
            const WHITE: f64 = 1.0;
            type Store = $Store;
            const STORE: $Store = $Store;
            fn largest_sum<X: Input<Item = Self> + ?Sized>(_: &Device, _: &X, _: Extent) -> Result<u64> {
                Ok(0)
            }
        }
    };
}
float! { f32, store_f32: StoreF32 }
float! { f64, store_f64: StoreF64 }

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
