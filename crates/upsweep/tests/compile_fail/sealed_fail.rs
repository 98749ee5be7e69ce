//! Traits whose answers unchecked code relies on cannot be implemented for a program's own types.

use upsweep::operator::{Element, Number};
use upsweep::segments::{Equal, Kind, Offset, SegmentKind, Segmentation};
use upsweep::{Flag, Index, Tally, Values, Yields};

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Mine(bool);

impl Offset for Mine {
    const LARGEST: u64 = u64::MAX;
    const SIGNED: bool = false;
    fn to_usize(self) -> Option<usize> {
        None
    }
    fn to_i128(self) -> i128 {
        0
    }
}

impl Index for Mine {
    const MOST: u64 = u64::MAX;
    fn at(_: usize) -> Self {
        Self(true)
    }
}

impl Tally for Mine {
    fn number(self) -> u64 {
        0
    }
}

impl Flag for Mine {
    fn is_set(self) -> bool {
        self.0
    }
}

impl upsweep::histogram::Count for Mine {
    const MOST: u64 = u64::MAX;
    const ZERO: Self = Self(false);
    fn add(&mut self, _: u32) {}
}

macro_rules! number {
    ($($name:ident $result:ty),*) => {
        impl Number for Mine {
            const ZERO: Self = Self(false);
            const ONE: Self = Self(true);
            const LOWEST: Self = Self(false);
            const HIGHEST: Self = Self(true);
            $(fn $name(a: Self, _: Self) -> $result { a.into() })*
        }
    };
}
number! { add Self, sub Self, mul Self, div Self, rem Self, lt bool, le bool, gt bool, ge bool, min Self, max Self, minimum Self, maximum Self, div_euclid Self, rem_euclid Self }

impl From<Mine> for bool {
    fn from(mine: Mine) -> bool {
        mine.0
    }
}

// Types of upsweep cannot have them for a program's own either.
impl Yields<u32, Mine> for Values {
    const INDEX: bool = false;
    const MOST: usize = usize::MAX;
    fn of(_: impl FnOnce() -> u32, _: usize) -> Mine {
        Mine(true)
    }
    fn moved(stored: Mine, _: usize) -> Mine {
        stored
    }
}

struct Segments;

impl Segmentation for Segments {
    type Key = u8;
    type Offset = u64;
    type Same = Equal;
    const KIND: Kind = Kind::Whole;
    fn kind(&self) -> SegmentKind<'_, u8, u64, Equal> {
        SegmentKind::Whole
    }
}

fn main() {}
