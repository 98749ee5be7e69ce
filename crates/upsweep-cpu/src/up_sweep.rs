//! Upsweep on the CPU: threads sweep blocks of neighbours, and one thread then sweeps the last elements of the blocks.

use super::engine::apart;
use upsweep_core::buffer::View;
use upsweep_core::error::Result;
use upsweep_core::operator::{Element, Operator};
use upsweep_core::outputs::Target;

/// Number of elements in a block: a power of two, so that only the last element of a block takes part in later steps.
const BLOCK: usize = 1 << 12;

/// Runs an upsweep. Without an input it is in place. The output is as long as the input.
pub fn run<T: Element, Op: Operator<T>>(
    operator: Op,
    input: Option<View<'_, T>>,
    output: &Target<'_, T>,
) -> Result<()> {
    let (to, len) = output.on_host("output")?;
    if let Some(input) = &input {
        let input = input.on_host("input")?;
        // SAFETY: the output has room for the input's elements, and is borrowed exclusively.
        unsafe { to.copy_from_nonoverlapping(input.as_ptr(), len.min(input.len())) };
    }
    // SAFETY: the call borrows the output's `len` elements exclusively. All are initialised, by their owner or from the
    // input.
    let x = unsafe { std::slice::from_raw_parts_mut(to, len) };
    apart::each(&mut x.chunks_mut(BLOCK).collect::<Vec<_>>(), true, &|_, block| {
        block.iter_mut().for_each(|x| *x = x.canonical());
        sweep(operator, block, 1);
    });
    sweep(operator, x, BLOCK);
    Ok(())
}

/// Runs the steps from distance `first` on. A step combines elements with the elements at its distance to the left.
fn sweep<T: Element, Op: Operator<T>>(operator: Op, x: &mut [T], first: usize) {
    let mut d = first;
    while 2 * d <= x.len() {
        for i in (2 * d - 1..x.len()).step_by(2 * d) {
            x[i] = operator.combine(x[i - d], x[i]).canonical();
        }
        d *= 2;
    }
}
