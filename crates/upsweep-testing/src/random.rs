//! Seeded random numbers: the same inputs in every run and on every machine.

/// Random number generator SplitMix64 (Steele, Lea, Flood 2014), which mixes a counter to 64 random bits.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    // Always inlined, like other small functions of the suite's longest loops: at the tests' level of optimisation LLVM
    // inlines nothing else.
    #[inline(always)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to `bound - 1`; `bound` is not 0.
    #[inline(always)]
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Returns `true` with the probability `1 / n`.
    #[inline(always)]
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}
