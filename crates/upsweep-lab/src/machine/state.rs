//! State of a block from step to step, and between the phases of its kernel.

use super::counts::Span;
use super::memory::Array;

#[derive(Debug)]
pub(super) struct State {
    pub(super) kernel: &'static str,
    pub(super) index: usize,
    pub(super) threads: usize,
    pub(super) barriers: u32,
    pub(super) steps: u32,
    /// Index, in the run, of the last step that the block took.
    pub(super) last_step: Option<usize>,
    pub(super) shared_words: usize,
    pub(super) arrays: Vec<Array>,
    /// Longest chain of dependent steps up to the block's last one.
    pub(super) clock: Span,
}

impl State {
    /// Creates the state of a block that has done nothing yet; `clock` is the longest chain before its launch.
    pub(super) fn new(kernel: &'static str, index: usize, threads: usize, clock: Span) -> Self {
        let arrays = Vec::new();
        Self { kernel, index, threads, barriers: 0, steps: 0, last_step: None, shared_words: 0, arrays, clock }
    }
}
