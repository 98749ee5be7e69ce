// Cases of topk/store.cuh.

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 most_tiles = (GROUPS + 2) * GROUP + 3, whole = once_in(16) ? most_tiles - 1 - below(40) : below(12);
    const u64 n = 1 + (once_in(4) ? below(100) : whole * TILE + below(TILE)), tiles = tile_number(n);
    const u32 kind = below(4);
    const bool zeros = once_in(2);
    Guarded<In> keys(n);
    std::vector<KeyBits> numbers(n);
    for (u64 i = 0; i < n; i++) {
        const KeyBits bits = out_of_order(kind == 0 ? (KeyBits)7 : kind == 1 ? (KeyBits)below(3) : kind == 2 ? (KeyBits)i : (KeyBits)random_bits());
        memcpy((void*)&keys[i], &bits, sizeof bits);
        if (HAS_ZEROS && zeros && once_in(3)) {
            const KeyBits zero = out_of_order(once_in(2) ? NEGATIVE_ZERO : POSITIVE_ZERO);
            memcpy((void*)&keys[i], &zero, sizeof zero);
        }
        numbers[i] = key_in_order(keys[i]);
    }
    Guarded<RankHeader> header(1);
    memset((void*)header.values, 0, sizeof(RankHeader));
    const KeyBits wanted = header[0].low = header[0].high = numbers[below(n)];
    u64 before = 0, equal = 0;
    for (const KeyBits x : numbers) before += x < wanted, equal += x == wanted;
    const u64 ties = header[0].rank = 1 + below(equal), rank = before + ties;
    // Results may have been taken from candidates.
    const bool taken = once_in(6);
    header[0].candidates = taken ? n : 0;
    Guarded<In> values(rank);
    Guarded<KeyPlace> places(rank);
    const bool has_values = once_in(2), has_places = !has_values || once_in(2);
    Space space = Space::of<Taken>(Chain<Taken>::entries(tiles));
    TopKParams p = {};
    p.keys = keys.values, p.n = n, p.rank = rank, p.rows = 1, p.header = header.values, p.room = n, p.takes = taken;
    p.values = has_values ? values.values : nullptr, p.places = has_places ? places.values : nullptr, p.workspace = space.workspace();
    const u32 grid = min(tiles, 1 + (u64)below(4));
    launch(grid, THREADS + Pipeline<TopKTask>::HELPERS * WARP, STAGES * TopKTask::TILE_BYTES, [&] { KERNEL(p); });
    keys.check("keys"), values.check("values"), places.check("places");
    if (grid > 1) space.check();
    if (taken) return;
    u64 at = 0, left = ties;
    for (u64 i = 0; i < n; i++) {
        if (numbers[i] > wanted || (numbers[i] == wanted && left-- == 0)) {
            if (numbers[i] == wanted) left = 0;
            continue;
        }
        if (has_values && !same_bits(values[at], keys[i])) fail("wrong value %llu of %llu of %llu", at, rank, n);
        if (has_places && places[at] != (KeyPlace)i) fail("wrong place %llu of %llu of %llu", at, rank, n);
        at++;
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
