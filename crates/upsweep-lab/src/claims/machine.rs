//! Claims about the machine: arithmetic, no runs.

use super::measure::{Measured, Open};
use crate::machine::WARP;

fn warps() -> Result<Measured, String> {
    let (blocks, threads) = (3, 256usize);
    Ok(Measured::same(&[24], &[blocks * threads.div_ceil(WARP)]))
}

fn hiding() -> Result<Measured, String> {
    let (latency, cycles_an_instruction, instructions_an_access) = (200_u64, 4, 4);
    Ok(Measured::same(&[13], &[latency.div_ceil(cycles_an_instruction * instructions_an_access)]))
}

pub(super) static CLAIMS: &[Open] = &[
    Open {
        name: "warps-of-blocks",
        source: "Lensch and Strzodka, \"Thread Scheduling/Execution\"",
        statement: "3 blocks of 256 threads are 24 warps",
        remark: "3 x 256 / 32.",
        measure: warps,
    },
    Open {
        name: "latency-hiding",
        source: "Lensch and Strzodka, \"SM Warp Scheduling\"",
        statement: "13 warps hide 200 cycles, if every 4th instruction reads global memory",
        remark: "An instruction of a warp takes 4 cycles, so a warp has 16 to offer: 200 / 16, rounded up.",
        measure: hiding,
    },
];
