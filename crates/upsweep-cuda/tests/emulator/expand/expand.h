// Cases of expand/expand.cuh, with expand/large.cuh.

#include "emulator/workspace.h"

namespace emulator {

// Random number of results: few, none but for some, many at once, one, or one large count.
static u64 any_count(u32 kind) {
    switch (kind) {
        case 0: return below(4);
        case 1: return once_in(900) ? below(2 * LARGE_TILE) : 0;
        case 2: return 1;
        case 3: return once_in(400) ? below(7 * LARGE_TILE) : below(3);
        default: return once_in(3) ? 0 : below(9);
    }
}

static void one_case() {
    const u64 n = once_in(4) ? below(40) : below((once_in(9) ? 20 : 5) * TILE);
    const bool counted = once_in(2);  // the device knows the number of counts
    const u64 places = n + (counted && once_in(2) ? below(TILE) : 0);
    const u32 kind = below(5);
    Guarded<Count> counts(places);
    Guarded<u64> length(1), number(1);
    Guarded<In> values(places);
    std::vector<u64> owners, ranks;
    for (u64 i = 0; i < places; i++) {
        values[i] = any_value<In>(), counts[i] = (Count)any_count(kind);
        for (u64 j = 0; i < n && j < counts[i]; j++) owners.push_back(i), ranks.push_back(j);
    }
    const u64 total = owners.size(), capacity = once_in(3) ? below(total + 1) : total + below(50);
    Guarded<Result> output(capacity);
    Guarded<Stretch> large(1 + capacity / LARGE_TILE + 2 * min(tile_number(places), capacity / LARGE_TILE + 1));
    *(u64*)large.values = 0, length[0] = n, number[0] = ~0ull;
    const u64 tiles = tile_number(places);
    const u32 grid = min(tiles, 1 + (u64)below(4));
    Space space = Space::of<Number>(Chain<Number>::entries(tiles));
    ExpandParams p = {};
    p.counts = counts.values, p.values = values.values, p.output = output.values, p.large = large.values, p.n = places;
    p.length = counted ? length.values : nullptr, p.capacity = capacity, p.asked = 1, p.count = number.values;
    p.workspace = space.workspace();
    constexpr u32 STARTS = EXPAND == RANKS ? TILE * sizeof(Result) : 0;
    launch(grid, THREADS + Pipeline<ExpandTask>::HELPERS * WARP, STAGES * ExpandTask::TILE_BYTES + sizeof(TileResults::Marks) + STARTS, [&] { KERNEL(p); });
    if (grid > 1) space.check();
    if (number[0] != total) fail("finds %llu results instead of %llu", number[0], total);
    if (space.header.fault != (total > capacity ? FAULT_CAPACITY : 0)) fail("says %u", space.header.fault);
    launch(1 + (u64)below(4), THREADS, 0, [&] { upsweep_expand_large(p); });

    output.check("output"), number.check("number"), counts.check("counts"), values.check("values"), large.check("stretches");
    for (u64 i = 0; i < min(total, capacity); i++) {
        Result wanted;
        if constexpr (EXPAND == OWNERS) wanted = (Result)owners[i];
        else if constexpr (EXPAND == RANKS) wanted = (Result)ranks[i];
        else wanted = values[owners[i]];
        if (!same_bits(output[i], wanted)) fail("wrong at %llu of %llu of %llu counts", i, total, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
