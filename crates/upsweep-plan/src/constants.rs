//! Constants that a kernel is compiled with.

use std::fmt;
use std::hash::{Hash, Hasher};

/// Largest number of constants of a kernel, and of calls in the code that add some of them.
const MOST: usize = 30;
const MOST_GROUPS: usize = 5;

/// Constants that a kernel is compiled with, by their names in it. Plans create them. The CUDA backend writes them into
/// the kernel's text and identifies kernels by them in every call, so that they are small and cheap to compare.
#[derive(Clone, Copy, Default)]
pub struct Constants {
    names: [&'static [&'static str]; MOST_GROUPS],
    values: [u32; MOST],
    groups: u32,
    len: u32,
}

impl Constants {
    /// Adds constants: their names, and their values in the order of the names. The macro [`constants`] calls it.
    pub fn add(&mut self, names: &'static [&'static str], values: &[usize]) {
        let (groups, len) = (self.groups as usize, self.len as usize);
        debug_assert!(groups < MOST_GROUPS && len + values.len() <= MOST && names.len() == values.len(), "{names:?}");
        if let Some(place) = self.names.get_mut(groups) {
            *place = names;
        }
        for (place, value) in self.values.iter_mut().skip(len).zip(values) {
            *place = u32::try_from(*value).unwrap_or(u32::MAX);
        }
        self.groups += 1;
        self.len += values.len() as u32;
    }

    /// Returns the names and values of the constants.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u32)> {
        self.names.iter().flat_map(|names| names.iter().copied()).zip(self.values)
    }
}

/// Adds values to a list of constants: `constants!(list; "NAME" = value, ..)`.
#[macro_export]
macro_rules! constants {
    ($list:ident; $($name:literal = $value:expr),* $(,)?) => { $list.add(&[$($name),*], &[$($value),*]) };
}
pub use constants;

impl PartialEq for Constants {
    fn eq(&self, other: &Self) -> bool {
        // Constants of one plan share their lists of names.
        let same = |(a, b): (&&[&str], &&[&str])| std::ptr::eq(*a, *b) || a == b;
        self.values == other.values && self.names.iter().zip(&other.names).all(same)
    }
}
impl Eq for Constants {}

impl Hash for Constants {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // FNV-1a over the numbers: one word for the map's own hash, which is slow over many.
        let step = |word: u64, value: &u32| (word ^ u64::from(*value)).wrapping_mul(0x0100_0000_01b3);
        self.values.iter().fold(0xcbf2_9ce4_8422_2325, step).hash(state);
    }
}

/// Writes the constants as C++ declarations.
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
