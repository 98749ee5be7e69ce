// Cases of topk/collect.cuh.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 n = 1 + (once_in(4) ? below(100) : below(STEP_VECTORS * KEY_VECTOR * 3));
    Guarded<In> keys(n);
    const bool zeros = once_in(2);
    for (u64 i = 0; i < n; i++) {
        const KeyBits bits = out_of_order((KeyBits)(once_in(2) ? i : random_bits()));
        memcpy((void*)&keys[i], &bits, sizeof bits);
        if (HAS_ZEROS && zeros && once_in(3)) {
            const KeyBits zero = out_of_order(once_in(2) ? NEGATIVE_ZERO : POSITIVE_ZERO);
            memcpy((void*)&keys[i], &zero, sizeof zero);
        }
    }
    Guarded<RankHeader> header(1);
    memset((void*)header.values, 0, sizeof(RankHeader));
    KeyBits low = once_in(2) ? (KeyBits)0 : key_in_order(keys[below(n)]), high = key_in_order(keys[below(n)]);
    if (high < low) std::swap(low, high);
    header[0].low = low, header[0].high = high;
    std::vector<u64> within;
    u64 before = 0;
    for (u64 i = 0; i < n; i++) {
        const KeyBits key = key_in_order(keys[i]);
        before += key < low;
        if (key >= low && key <= high) within.push_back(i);
    }
    const u64 room = once_in(4) ? below(within.size() + 1) : within.size();
    const bool with_places = once_in(2);
    Guarded<In> candidates(room);
    Guarded<KeyPlace> places(room);
    TopKParams p = {};
    p.keys = keys.values, p.n = n, p.header = header.values, p.candidates = candidates.values, p.room = room;
    p.candidate_places = with_places ? places.values : nullptr;
    launch(1 + below(4), THREADS, 0, [&] { KERNEL(p); });
    header.check("header"), candidates.check("candidates"), places.check("places"), keys.check("keys");
    if (header[0].candidates != within.size()) fail("finds %llu of %llu", header[0].candidates, (u64)within.size());
    if (header[0].before != before) fail("finds %llu before, not %llu", header[0].before, before);
    if (room < within.size() || !with_places) return;
    std::vector<u64> found;
    for (u64 i = 0; i < room; i++) {
        found.push_back(places[i]);
        if (places[i] >= n || !same_bits(candidates[i], keys[places[i]])) fail("candidate %llu is not that of its place", i);
    }
    std::sort(found.begin(), found.end());
    if (sizeof(KeyPlace) >= 4 && found != within) fail("has other candidates");
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
