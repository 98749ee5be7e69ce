//! The banks of shared memory, and the accesses that collide in them.

/// Threads of a warp, which access the banks together.
pub const WARP: usize = 32;

/// The banks of shared memory: word i lies in bank i modulo their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Banks {
    /// 16 banks, one half of a warp at a time: the G80 of 2007.
    Sixteen,
    /// 32 banks, a whole warp at a time: every GPU since Fermi.
    ThirtyTwo,
}

impl Banks {
    /// How many there are, which is also how many threads access them at a time.
    #[must_use]
    pub fn number(self) -> usize {
        match self {
            Self::Sixteen => 16,
            Self::ThirtyTwo => 32,
        }
    }

    /// The degree of conflict of one access: the most different words of one bank. Threads at the same word are served
    /// together. At most [`number`](Self::number) words.
    pub(super) fn degree(self, words: &[usize]) -> u64 {
        let mut sorted = [0; WARP];
        let sorted = &mut sorted[..words.len()];
        sorted.copy_from_slice(words);
        sorted.sort_unstable();
        let mut in_bank = [0; WARP];
        let mut last = None;
        for &word in sorted.iter() {
            if last != Some(word) {
                in_bank[word % self.number()] += 1;
            }
            last = Some(word);
        }
        in_bank.into_iter().max().unwrap_or(0)
    }
}
