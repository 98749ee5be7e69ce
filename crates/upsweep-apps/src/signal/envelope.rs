//! Envelopes.

#![allow(unreachable_pub, reason = "what the public trait `Sample` stands on is public, but has no name outside")]

use super::filter::Along;
use super::sample::Sample;
use upsweep::{Device, Element, Error, Input, Output, Result, Scan, function, operator};

/// How loud a signal is: each result is the largest of all elements so far, without their signs, of which older ones have decayed.
///
/// ```text
/// y[i] = max(|x[i]|, r y[i-1]),    r = 2^(-1 / half-life)
/// ```
///
/// It rises at once and falls exponentially. An element that is NaN counts as 0; what follows an infinite one is of no use.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Envelope<'a> {
    half_life: f64,
    along: Along<'a>,
}

impl<'a> Envelope<'a> {
    /// Where nothing louder comes, a result is half of the one so many elements before it. It is more than 0.
    pub fn half_life(elements: f64) -> Self {
        Self { half_life: elements, along: Along::default() }
    }

    /// Along `axis` (counted from 0) of a row-major array of this `shape`: each line is a signal of its own.
    pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
        self.along.axis = Some((shape, axis));
        self
    }

    /// Follows `input` into `output`, which has as many elements.
    ///
    /// # Errors
    /// - [`Error::Coefficients`]: the half-life is not more than 0
    /// - [`Error::Length`], [`Error::Shape`], [`Error::Axis`], [`Error::Place`], and CUDA's: as of a [`Scan`]
    pub fn run<X, Y, T>(&self, device: &Device, input: &X, output: &mut Y) -> Result<()>
    where
        X: Input<Item = T> + ?Sized,
        Y: Output<Item = T> + ?Sized,
        T: Sample,
    {
        if !(self.half_life > 0.0 && self.half_life.is_finite()) {
            return Err(Error::Coefficients {
                what: "the half-life".to_owned(),
                value: self.half_life.to_string(),
                rule: "it is a finite number above 0",
            });
        }
        T::follow(device, (-std::f64::consts::LN_2 / self.half_life).exp(), self.along, input, output)
    }
}

/// What some elements make of the level before them: `level -> max(decay * level, peak)`.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Peak {
    decay: f64,
    peak: f64,
}

/// One after the other.
#[operator(identity = Peak { decay: 1.0, peak: 0.0 })]
pub fn louder(f: Peak, g: Peak) -> Peak {
    let left = g.decay * f.peak;
    Peak { decay: g.decay * f.decay, peak: if left > g.peak { left } else { g.peak } }
}

/// An envelope of elements of one type.
pub trait Follow: Element {
    /// Follows a signal with a decay of so much an element.
    #[doc(hidden)]
    fn follow<X, Y>(device: &Device, decay: f64, along: Along<'_>, input: &X, output: &mut Y) -> Result<()>
    where
        X: Input<Item = Self> + ?Sized,
        Y: Output<Item = Self> + ?Sized;
}

macro_rules! follow {
    ($t:ident, $of:ident: $Of:ident, $level:ident: $Level:ident) => {
        #[function]
        pub fn $of(#[param] decay: f64, x: $t) -> Peak {
            let level = x as f64;
            let loud = if level < 0.0 { -level } else { level };
            Peak { decay: decay, peak: if loud > 0.0 { loud } else { 0.0 } }
        }
        #[function]
        pub fn $level(of: Peak) -> $t {
            of.peak as $t
        }
        impl Follow for $t {
            fn follow<X, Y>(device: &Device, decay: f64, along: Along<'_>, input: &X, output: &mut Y) -> Result<()>
            where
                X: Input<Item = $t> + ?Sized,
                Y: Output<Item = $t> + ?Sized,
            {
                let scan = Scan::new(Louder).map($Of { decay }).finish($Level);
                match along.axis {
                    Some((shape, axis)) => scan.axis(shape, axis).run(device, input, output),
                    None => scan.run(device, input, output),
                }
            }
        }
    };
}
follow! { f32, peak_of_f32: PeakOfF32, level_as_f32: LevelAsF32 }
follow! { f64, peak_of_f64: PeakOfF64, level_as_f64: LevelAsF64 }
