//! What a block keeps from step to step, and between the phases of its kernel.

use super::counts::Span;
use super::memory::Array;

#[derive(Debug)]
pub(super) struct State {
    pub(super) kernel: &'static str,
    pub(super) index: usize,
    pub(super) threads: usize,
    pub(super) barriers: u32,
    pub(super) steps: u32,
    /// Where the block's last step is among the run's.
    pub(super) last_step: Option<usize>,
    pub(super) shared_words: usize,
    pub(super) arrays: Vec<Array>,
    /// The longest chain that leads up to here.
    pub(super) clock: Span,
}

impl State {
    /// A block that has done nothing yet, in a launch before which `clock` had passed.
    pub(super) fn new(kernel: &'static str, index: usize, threads: usize, clock: Span) -> Self {
        let arrays = Vec::new();
        Self { kernel, index, threads, barriers: 0, steps: 0, last_step: None, shared_words: 0, arrays, clock }
    }
}
