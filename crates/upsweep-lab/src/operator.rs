//! What the laboratory combines: elements and operators as data, so that one algorithm runs with all of them.

use std::fmt::{self, Display};
use std::str::FromStr;

/// An associative operator with its identity.
#[derive(Clone, Copy, Debug)]
pub struct Operator<T> {
    /// Its name on the command line.
    pub name: &'static str,
    /// What leaves every element as it is, on either side.
    pub identity: T,
    /// `combine(a, b)` is a ⊕ b.
    pub combine: fn(T, T) -> T,
    /// Whether a ⊕ b is always b ⊕ a.
    pub commutes: bool,
}

macro_rules! integers {
    ($($integer:ident),*) => {$(
        impl Operator<$integer> {
            /// Addition, wrapping.
            #[must_use]
            pub fn sum() -> Self {
                Self { name: "sum", identity: 0, combine: $integer::wrapping_add, commutes: true }
            }

            /// The larger of two.
            #[must_use]
            pub fn max() -> Self {
                Self { name: "max", identity: $integer::MIN, combine: $integer::max, commutes: true }
            }
        }
    )*};
}
integers!(i32, i64);

/// The function x -> m x + c of the whole numbers modulo 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "cuda", derive(upsweep::Element))]
#[repr(C)]
pub struct Affine {
    /// The factor.
    pub m: i64,
    /// The summand.
    pub c: i64,
}

impl Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{:+}", self.m, self.c)
    }
}

impl FromStr for Affine {
    type Err = ();

    /// `2x+3`, `x`, `-x-1`, or a number: a function without x.
    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |text: &str| text.parse().map_err(|_| ());
        let Some((m, c)) = text.split_once('x') else {
            return Ok(Self { m: 0, c: number(text)? });
        };
        let m = match m {
            "" | "+" => 1,
            "-" => -1,
            _ => number(m)?,
        };
        let c = match c.as_bytes() {
            [] => 0,
            [b'+' | b'-', ..] => number(c)?,
            _ => return Err(()),
        };
        Ok(Self { m, c })
    }
}

impl Operator<Affine> {
    /// One function after the other: associative, and not commutative.
    #[must_use]
    pub const fn affine() -> Self {
        fn then(f: Affine, g: Affine) -> Affine {
            Affine { m: g.m.wrapping_mul(f.m), c: g.m.wrapping_mul(f.c).wrapping_add(g.c) }
        }
        Self { name: "affine", identity: Affine { m: 1, c: 0 }, combine: then, commutes: false }
    }
}

/// Neighbouring elements, by their places alone: `x8..11` is what x₈ to x₁₁ combine to, whatever they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stretch {
    /// No elements.
    Nothing,
    /// The elements of these places, the first and the last.
    Of(usize, usize),
    /// Elements that were combined out of their order, or twice.
    Broken,
}

impl Display for Stretch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("-"),
            Self::Of(first, last) if first == last => write!(f, "x{first}"),
            Self::Of(first, last) => write!(f, "x{first}..{last}"),
            Self::Broken => f.write_str("?"),
        }
    }
}

impl Stretch {
    /// x₀, x₁, ..., xₙ₋₁.
    #[must_use]
    pub fn elements(n: usize) -> Vec<Self> {
        (0..n).map(|place| Self::Of(place, place)).collect()
    }
}

impl Operator<Stretch> {
    /// Puts stretches that follow each other together: what any associative operator may do, and no more.
    #[must_use]
    pub const fn ranges() -> Self {
        fn join(a: Stretch, b: Stretch) -> Stretch {
            match (a, b) {
                (Stretch::Nothing, other) | (other, Stretch::Nothing) => other,
                (Stretch::Of(first, middle), Stretch::Of(next, last)) if middle + 1 == next => Stretch::Of(first, last),
                _ => Stretch::Broken,
            }
        }
        Self { name: "ranges", identity: Stretch::Nothing, combine: join, commutes: false }
    }
}
