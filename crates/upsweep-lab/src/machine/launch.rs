//! Launches: the blocks of a kernel, one after the other or in waves.

use super::block::Block;
use super::memory::Word;
use super::model::Machine;
use super::shape::Order;
use super::state::State;
use crate::sample::Bits;

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

    /// Runs a kernel whose blocks communicate: `resident` of them at a time, each of which goes through phase 0, then
    /// each through phase 1, and so on. A block may wait for an earlier phase or an earlier block only.
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

    /// Part of the launches that depends on no kernel's closure type, so that it is compiled once.
    fn run_waves(
        &mut self,
        kernel: &'static str,
        [blocks, threads, resident, phases]: [usize; 4],
        body: &mut dyn FnMut(&mut Block<'_, T>, usize),
    ) {
        self.memory.begin_launch();
        // A GPU could begin all blocks at once, so the chain of each begins here: only the model runs them in waves.
        let (begin, mut end) = (self.clock, self.clock);
        for first in (0..blocks).step_by(resident) {
            let wave = first..blocks.min(first + resident);
            let mut states: Vec<_> = wave.map(|index| State::new(kernel, index, threads, begin)).collect();
            for (place, phase) in turns(self.shape.order, states.len(), phases) {
                body(&mut Block::new(self, &mut states[place]), phase);
            }
            end = states.iter().map(|state| state.clock).fold(end, |end, clock| end.max(clock));
            self.memory.free_shared();
            self.run.end_shared();
        }
        self.clock = end;
    }
}

/// Returns the order in which a wave runs: blocks, each with a phase. A block follows the block before it in a phase.
fn turns(order: Order, blocks: usize, phases: usize) -> Vec<(usize, usize)> {
    let Order::Chance(seed) = order else {
        return (0..phases).flat_map(|phase| (0..blocks).map(move |block| (block, phase))).collect();
    };
    let mut bits = Bits::new(seed);
    let mut done = vec![0; blocks];
    let mut turns = Vec::with_capacity(blocks * phases);
    while turns.len() < blocks * phases {
        let may = |&block: &usize| done[block] < phases && (block == 0 || done[block - 1] > done[block]);
        let free: Vec<usize> = (0..blocks).filter(may).collect();
        let block = free[(bits.next() % free.len().max(1) as u64) as usize];
        turns.push((block, done[block]));
        done[block] += 1;
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_keeps_the_order_within_a_phase() {
        let mut orders = Vec::new();
        for seed in 0..20 {
            let found = turns(Order::Chance(seed), 5, 3);
            for phase in 0..3 {
                let blocks: Vec<usize> = found.iter().filter(|turn| turn.1 == phase).map(|turn| turn.0).collect();
                assert_eq!(blocks, [0, 1, 2, 3, 4], "{found:?}");
            }
            for block in 0..5 {
                let phases: Vec<usize> = found.iter().filter(|turn| turn.0 == block).map(|turn| turn.1).collect();
                assert_eq!(phases, [0, 1, 2], "{found:?}");
            }
            orders.push(found);
        }
        orders.sort_unstable();
        orders.dedup();
        assert!(orders.len() > 10, "{}", orders.len());
        assert_eq!(turns(Order::Phases, 2, 2), [(0, 0), (1, 0), (0, 1), (1, 1)]);
    }
}
