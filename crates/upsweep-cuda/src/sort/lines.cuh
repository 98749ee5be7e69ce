// Transpose of interleaved lines into rows, and back:
//
//   output[(o * inner + i) * len + k] = input[(o * len + k) * inner + i]
//
// A block moves a square of SIDE x SIDE elements through shared memory, so that it accesses rows of both the input and
// the output.

#include "word/number.cuh"

using Unit = Number<UNIT_BYTES>::type;
struct Element {
    Unit units[UNITS];
};
static_assert(THREADS % SIDE == 0);

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_lines(const __grid_constant__ SortLinesParams p) {
    __shared__ Element square[SIDE][SIDE + 1];
    const Element* const input = (const Element*)p.input;
    Element* const output = (Element*)p.output;
    const u64 across = (p.inner + SIDE - 1) / SIDE, down = (p.len + SIDE - 1) / SIDE;
    const u32 column = threadIdx.x % SIDE, first_row = threadIdx.x / SIDE;
    for (u64 s = blockIdx.x; s < p.outer * across * down; s += gridDim.x) {
        const u64 i = s % across * SIDE, k = s / across % down * SIDE, lines = s / across / down * p.len * p.inner;
        for (u32 row = first_row; row < SIDE; row += THREADS / SIDE) {
            if (k + row < p.len && i + column < p.inner) square[row][column] = input[lines + (k + row) * p.inner + i + column];
        }
        __syncthreads();
        for (u32 row = first_row; row < SIDE; row += THREADS / SIDE) {
            if (i + row < p.inner && k + column < p.len) output[lines + (i + row) * p.len + k + column] = square[column][row];
        }
        __syncthreads();
    }
}
