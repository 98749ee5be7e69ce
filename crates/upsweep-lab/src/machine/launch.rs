//! Launches: the blocks of a kernel, one after the other or in waves.

use super::block::Block;
use super::memory::Word;
use super::model::Machine;
use super::state::State;

impl<T: Word> Machine<T> {
    /// Runs a kernel, one block after the other.
    pub fn launch(
        &mut self,
        kernel: &'static str,
        blocks: usize,
        threads: usize,
        mut body: impl FnMut(&mut Block<'_, T>),
    ) {
        self.run_waves(kernel, [blocks, threads, 1, 1], &mut |block, _| body(block));
    }

    /// Runs a kernel whose blocks talk to each other: `resident` of them at a time, each of which goes through phase 0, then
    /// each through phase 1, and so on. Whatever a block waits for must come from an earlier phase or an earlier block.
    pub fn launch_waves(
        &mut self,
        kernel: &'static str,
        blocks: usize,
        threads: usize,
        resident: usize,
        phases: usize,
        mut body: impl FnMut(&mut Block<'_, T>, usize),
    ) {
        self.run_waves(kernel, [blocks, threads, resident.max(1), phases], &mut body);
    }

    /// The same, compiled once for all kernels.
    fn run_waves(
        &mut self,
        kernel: &'static str,
        [blocks, threads, resident, phases]: [usize; 4],
        body: &mut dyn FnMut(&mut Block<'_, T>, usize),
    ) {
        self.memory.begin_launch();
        // All blocks could begin at the same time: that some come later than others is how the model runs them.
        let (begin, mut end) = (self.clock, self.clock);
        for first in (0..blocks).step_by(resident) {
            let wave = first..blocks.min(first + resident);
            let mut states: Vec<_> = wave.map(|index| State::new(kernel, index, threads, begin)).collect();
            for phase in 0..phases {
                for state in &mut states {
                    body(&mut Block::new(self, state), phase);
                }
            }
            end = states.iter().map(|state| state.clock).fold(end, |end, clock| end.max(clock));
            self.memory.free_shared();
            self.run.end_shared();
        }
        self.clock = end;
    }
}
