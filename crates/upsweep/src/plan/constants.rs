//! Numbers that a kernel is compiled with.

use std::fmt;
use std::hash::{Hash, Hasher};

/// The most numbers of a kernel.
const MOST: usize = 28;

/// Numbers that a kernel is compiled with, by their names in it. Plans make them; the CUDA backend writes them into the
/// kernel's text and tells kernels apart by them, in every call: so they are a fixed-size array, and cheap to compare.
#[derive(Clone, Copy)]
pub struct Constants {
    named: [(&'static str, u32); MOST],
    len: usize,
}

impl Constants {
    /// These.
    #[must_use]
    pub(crate) fn of(named: &[(&'static str, usize)]) -> Self {
        let mut constants = Self { named: [("", 0); MOST], len: 0 };
        constants.add(named);
        constants
    }

    /// Adds more.
    pub(crate) fn add(&mut self, named: &[(&'static str, usize)]) {
        debug_assert!(self.len + named.len() <= MOST, "{self:?} and {named:?}");
        for (place, (name, value)) in self.named.iter_mut().skip(self.len).zip(named) {
            *place = (name, u32::try_from(*value).unwrap_or(u32::MAX));
        }
        self.len += named.len();
    }

    /// The names and numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u32)> {
        self.named.iter().take(self.len).copied()
    }
}

impl PartialEq for Constants {
    fn eq(&self, other: &Self) -> bool {
        // The names of one plan are the same strings.
        let same = |((a, x), (b, y)): ((&str, u32), (&str, u32))| x == y && (std::ptr::eq(a, b) || a == b);
        self.len == other.len && self.iter().zip(other.iter()).all(same)
    }
}
impl Eq for Constants {}

impl Hash for Constants {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // FNV-1a over the numbers: one word for the map's own hash, which is slow over many.
        let word = self.iter().fold(0xcbf2_9ce4_8422_2325u64, |word, (_, value)| {
            (word ^ u64::from(value)).wrapping_mul(0x0100_0000_01b3)
        });
        word.hash(state);
    }
}

/// As C++ declares them.
impl fmt::Display for Constants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|(name, value)| writeln!(f, "constexpr u32 {name} = {value};"))
    }
}

impl fmt::Debug for Constants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
