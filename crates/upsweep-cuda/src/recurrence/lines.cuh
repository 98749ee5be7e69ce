// Linear recurrence along any axis but the last: a thread traverses a line, and its neighbours the neighbouring lines.
// See recurrence.cuh.

#pragma once

#include "recurrence/states.cuh"
#include "warp/index.cuh"

constexpr u32 AT_ONCE = 8;  // elements of a line that a thread loads together

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_recurrence_lines(const __grid_constant__ RecurrenceLinesParams p) {
    for (u64 line = blockIdx.x * (u64)THREADS + threadIdx.x; line < p.lines; line += (u64)gridDim.x * THREADS) {
        const u64 outer = line / p.inner, inner = line - outer * p.inner;
        const u64 begin = outer * p.len * p.inner + inner, states_at = outer * STATES * p.inner + inner;
        States states = States::none();
        if (HAS_INIT) {
#pragma unroll
            for (u32 j = 0; j < STATES; j++) states.z[j] = given_acc(p.init_from[states_at + j * p.inner]);
        }
        for (u64 k = 0; k < p.len; k += AT_ONCE) {
            const u32 count = (u32)min(p.len - k, (u64)AT_ONCE);
            const auto place = [&](u32 i) { return begin + (REVERSE ? p.len - 1 - k - i : k + i) * p.inner; };
            In x[AT_ONCE];
#pragma unroll
            for (u32 i = 0; i < AT_ONCE; i++) {
                if (i < count) x[i] = p.input[place(i)];
            }
#pragma unroll
            for (u32 i = 0; i < AT_ONCE; i++) {
                if (i < count) store_result(p.output + place(i), result(step(states, map(x[i], 0, 0))));
            }
        }
        if (CARRIES) {
#pragma unroll
            for (u32 j = 0; j < STATES; j++) store_carry(p.carry + states_at + j * p.inner, states.z[j]);
        }
    }
}
