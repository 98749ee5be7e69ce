//! Scan that computes an envelope, for each type of element.

#![allow(unreachable_pub, reason = "what the public trait `Sample` stands on is public, but has no name outside")]

use super::along::Along;
use upsweep::{Device, Element, Input, Output, Result, Scan, function, operator};

/// Function that a run of elements applies to the level before it: `level -> max(decay * level, peak)`.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Peak {
    decay: f64,
    peak: f64,
}

/// Composition of two functions: first `f`, then `g`.
#[operator(identity = Peak { decay: 1.0, peak: 0.0 })]
pub fn louder(f: Peak, g: Peak) -> Peak {
    let left = g.decay * f.peak;
    Peak { decay: g.decay * f.decay, peak: if left > g.peak { left } else { g.peak } }
}

/// Type of the elements of a signal whose envelope can be computed.
pub trait Follow: Element {
    /// Writes the envelope of `input` to `output`; it falls by the factor `decay` with each element.
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
