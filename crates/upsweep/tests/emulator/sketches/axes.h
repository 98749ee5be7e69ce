// Cases of sketches/axes.cuh.

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 height = 1 + below(once_in(10) ? 40 * SIDE : 5 * SIDE), width = 1 + below(4 * WIDE);
    Guarded<u32> input(height * width);
    Guarded<u64> output(height * width);
    for (u64 i = 0; i < height * width; i++) input[i] = (u32)random_bits();
    Params p = {input.values, output.values, height, width, {}};
    const u64 tiles = bands(p) * stacks(p);
    const u64 entries = bands(p) * Chain<Sums>::entries(stacks(p)) + stacks(p) * WARPS * Chain<Sums>::entries(bands(p));
    Space space = Space::of<Sums>(entries);
    p.workspace = space.workspace();
    launch(min(tiles, 1 + (u64)below(4)), THREADS, 0, [&] { KERNEL(p); });
    output.check("sums");
    if (tiles > 1) space.check();
    std::vector<u64> above(width);
    for (u64 r = 0; r < height; r++) {
        u64 sum = 0;
        for (u64 c = 0; c < width; c++) {
            sum += input[r * width + c];
            above[c] += sum;
            if (output[r * width + c] != above[c]) fail("wrong at (%llu, %llu) of (%llu, %llu)", r, c, height, width);
        }
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
