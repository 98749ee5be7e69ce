// Gather of values by the positions of the sorted keys: output[i] = values[positions[i]]. For values whose size is too
// large or too odd for the passes of a sort. A thread moves one of UNITS parts of a value, so that stores are
// coalesced.

#include "sort/radix.cuh"

using Unit = Number<UNIT_BYTES>::type;
using Position = Number<VALUE_BYTES>::type;

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_values(const __grid_constant__ SortValuesParams p) {
    const Unit* const values = (const Unit*)p.values;
    const Position* const positions = (const Position*)p.positions;
    Unit* const output = (Unit*)p.output;
    const u64 threads = (u64)gridDim.x * THREADS;
    for (u64 i = blockIdx.x * (u64)THREADS + threadIdx.x; i < p.n * UNITS; i += threads) {
        // Without positions, value i of the output is value i of the input.
        const u64 position = p.positions ? (u64)positions[i / UNITS] : i / UNITS;
        output[i] = values[position * UNITS + i % UNITS];
    }
}
