//! Banks of shared memory, and their conflicts.

/// Number of threads of a warp on every GPU, which access the banks together; the most that the model's warps have.
pub const WARP: usize = 32;

/// Banks of shared memory: word i lies in bank i modulo their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Banks {
    /// 16 banks, one half of a warp at a time: the G80 of 2007.
    Sixteen,
    /// 32 banks, a whole warp at a time: every GPU since Fermi.
    ThirtyTwo,
    /// 2 banks, of no GPU: few enough for a picture of all.
    Two,
    /// 4 banks.
    Four,
    /// 8 banks.
    Eight,
}

impl Banks {
    /// Number of banks, which is also the number of threads that access them at a time.
    #[must_use]
    pub fn number(self) -> usize {
        match self {
            Self::Sixteen => 16,
            Self::ThirtyTwo => 32,
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// Returns the banks if the model has this number of them.
    #[must_use]
    pub fn of(number: usize) -> Option<Self> {
        [Self::Two, Self::Four, Self::Eight, Self::Sixteen, Self::ThirtyTwo].into_iter().find(|b| b.number() == number)
    }

    /// Degree of conflict of one access: the largest number of different words in one bank. Threads at the same word
    /// are served together. `words` has at most [`number`](Self::number) entries.
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
