// Cases of device/expand.cuh.

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 n = once_in(4) ? below(40) : below(3 * TILE);
    const bool counted = once_in(2);  // the device knows the number of counts
    const u64 places = n + (counted && once_in(2) ? below(TILE) : 0);
    const u32 kind = below(4);
    Guarded<u64> offsets(places + 1), length(1), number(1);
    Guarded<In> values(places);
    std::vector<u64> owners;
    u64 sum = 0;
    for (u64 i = 0; i <= places; i++) {
        offsets[i] = sum;
        if (i == places) break;
        values[i] = any_value<In>();
        // Few, none but some, many at once, one.
        const u64 count = kind == 0 ? below(4) : kind == 1 ? (once_in(900) ? below(2 * TILE) : 0) : kind == 2 ? 1 : once_in(3) ? 0 : below(9);
        for (u64 j = 0; i < n && j < count; j++) owners.push_back(i);
        sum += count;
    }
    const u64 total = owners.size(), capacity = once_in(3) ? below(total + 1) : total + below(50);
    using Value = Result<EXPAND>::Type;
    Guarded<Value> output(capacity);
    length[0] = n, number[0] = ~0ull;
    Space space = Space::of<u32>(1);
    ExpandParams p = {};
    p.offsets = offsets.values, p.values = values.values, p.output = output.values, p.n = places;
    p.length = counted ? length.values : nullptr, p.capacity = capacity, p.asked = 1, p.count = number.values;
    p.workspace = space.workspace();
    launch((places + capacity) / TILE + 1, THREADS, 0, [&] { KERNEL(p); });

    output.check("output"), number.check("number"), offsets.check("offsets"), values.check("values");
    if (number[0] != total) fail("finds %llu results instead of %llu", number[0], total);
    if (space.header.fault != (total > capacity ? FAULT_CAPACITY : 0)) fail("says %u", space.header.fault);
    for (u64 i = 0; i < min(total, capacity); i++) {
        const Value wanted = Result<EXPAND>::of(p, owners[i], i);
        if (!same_bits(output[i], wanted)) fail("wrong at %llu of %llu of %llu counts", i, total, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
