// Cases of sketches/select.cuh.

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 most_tiles = (GROUPS + 2) * GROUP + 3, whole = once_in(16) ? most_tiles - 1 - below(40) : below(12);
    const u64 n = once_in(4) ? below(100) : whole * TILE + (once_in(2) ? 0 : below(TILE));
    const u64 room = n + (once_in(2) ? 0 : below(3 * TILE)), tiles = tile_number(room);  // what the grid is sized for
    Guarded<u32> first(n);
    Guarded<u64> second(n);
    const u32 kind = below(4);
    std::vector<u64> kept;
    for (u64 i = 0; i < n; i++) {
        first[i] = kind == 0 ? 2 * (u32)i : kind == 1 ? 1 : (u32)random_bits(), second[i] = random_bits();
        if (first[i] & 1) kept.push_back(i);
    }
    const u64 capacity = once_in(3) ? below(kept.size() + 1) : kept.size();
    Guarded<u32> first_output(capacity);
    Guarded<u64> second_output(capacity), length(1), number(1);
    length[0] = n, number[0] = ~0ull;
    const u32 grid = min(tiles, 1 + (u64)below(4));
    Space space = Space::of<Count>(Chain<Count>::entries(tiles));
    Params p = {first.values, second.values, first_output.values, second_output.values, length.values, number.values, capacity, space.workspace(), 0};
    launch(grid, THREADS + Pipeline<SelectTask>::HELPERS * WARP, STAGES * SelectTask::TILE_BYTES, [&] { KERNEL(p); });

    first_output.check("first column"), second_output.check("second column"), number.check("number");
    if (grid > 1 || tile_number(n) > 1) space.check();
    if (number[0] != kept.size()) fail("keeps %llu of %llu instead of %llu", number[0], n, (u64)kept.size());
    for (u64 i = 0; i < capacity; i++) {
        if (first_output[i] != first[kept[i]] || second_output[i] != second[kept[i]]) fail("wrong in row %llu of %llu", i, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
