// Cases of sketches/digits.cuh.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static_assert(TILE >= 32 << 10, "tiles of 32 K keys");

static void one_case() {
    const u64 n = once_in(4) ? below(100) : below(4 * TILE), tiles = tile_number(n);
    const u32 shift = 8 * below(4), kind = below(4);
    Guarded<u32> keys(n), output(n);
    for (u64 i = 0; i < n; i++) keys[i] = kind == 0 ? 7 : kind == 1 ? (u32)i : (u32)random_bits();
    std::vector<u64> bases(DIGITS + 1);
    for (u64 i = 0; i < n; i++) bases[(keys[i] >> shift & (DIGITS - 1)) + 1]++;
    for (u32 d = 0; d < DIGITS; d++) bases[d + 1] += bases[d];
    std::vector<u32> expected(keys.values, keys.values + n);
    std::stable_sort(expected.begin(), expected.end(), [&](u32 a, u32 b) { return (a >> shift & 255) < (b >> shift & 255); });
    const u32 grid = min(tiles, 1 + (u64)below(3));
    Space space = Space::of<u32>(DigitChains<DIGITS>::entries(tiles));
    Params p = {keys.values, output.values, n, shift, bases.data(), space.workspace()};
    launch(grid, THREADS, (AHEAD + 1) * DigitTask::Keys::SLOTS * sizeof(DigitTask::Keys::Slot), [&] { KERNEL(p); });
    output.check("keys");
    if (tiles > 1) space.check();
    for (u64 i = 0; i < n; i++) {
        if (output[i] != expected[i]) fail("wrong at %llu of %llu", i, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
