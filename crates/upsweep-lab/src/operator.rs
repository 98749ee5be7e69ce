//! Elements and operators of the laboratory as data, so that one algorithm runs with all of them.

use std::fmt::{self, Display};
use std::str::FromStr;

/// Associative operator with its identity.
#[derive(Clone, Copy, Debug)]
pub struct Operator<T> {
    /// Name on the command line.
    pub name: &'static str,
    /// Identity: combined with an element on either side it gives that element.
    pub identity: T,
    /// Function `combine(a, b)` = a ⊕ b.
    pub combine: fn(T, T) -> T,
    /// Whether a ⊕ b is always the same as b ⊕ a.
    pub commutes: bool,
}

macro_rules! integers {
    ($($integer:ident),*) => {$(
        impl Operator<$integer> {
            /// Addition that wraps around.
            #[must_use]
            pub fn sum() -> Self {
                Self { name: "sum", identity: 0, combine: $integer::wrapping_add, commutes: true }
            }

            /// Maximum of two numbers.
            #[must_use]
            pub fn max() -> Self {
                Self { name: "max", identity: $integer::MIN, combine: $integer::max, commutes: true }
            }
        }
    )*};
}
integers!(i32, i64);

/// Function x -> m x + c of the whole numbers modulo 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "cuda", derive(upsweep::Element))]
#[repr(C)]
pub struct Affine {
    /// Factor m of the function.
    pub m: i64,
    /// Summand c of the function.
    pub c: i64,
}

impl Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{:+}", self.m, self.c)
    }
}

impl FromStr for Affine {
    type Err = ();

    /// Parses `2x+3`, `x`, `-x-1`, or a number: a function without x.
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
    /// Composition of functions, the left one first: associative, and not commutative.
    #[must_use]
    pub const fn affine() -> Self {
        fn then(f: Affine, g: Affine) -> Affine {
            Affine { m: g.m.wrapping_mul(f.m), c: g.m.wrapping_mul(f.c).wrapping_add(g.c) }
        }
        Self { name: "affine", identity: Affine { m: 1, c: 0 }, combine: then, commutes: false }
    }
}

/// Symbolic run of elements: `x8..11` is the combination of x₈ to x₁₁, whatever they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stretch {
    /// No elements.
    Nothing,
    /// Elements from the first to the last of these indices, both included.
    Of(usize, usize),
    /// Elements combined out of their order, or twice.
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
    /// Returns the elements x₀, x₁, ..., xₙ₋₁, each as a run of its own.
    #[must_use]
    pub fn elements(n: usize) -> Vec<Self> {
        (0..n).map(|place| Self::Of(place, place)).collect()
    }
}

impl Operator<Stretch> {
    /// Joins two runs of which the second follows the first: no associative operator may combine any others.
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
