// Cases of topk/count.cuh: all passes, one after the other.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 n = 1 + (once_in(4) ? below(100) : below(20000));
    // The wanted key alone may be requested.
    const bool zeros = once_in(2), alone = once_in(2);
    const u32 kind = below(4);
    Guarded<In> keys(n);
    std::vector<KeyBits> numbers;
    for (u64 i = 0; i < n; i++) {
        const KeyBits bits = out_of_order(kind == 0 ? (KeyBits)7 : kind == 1 ? (KeyBits)below(3) : kind == 2 ? (KeyBits)(i * 37) : (KeyBits)random_bits());
        memcpy((void*)&keys[i], &bits, sizeof bits);
        if (HAS_ZEROS && zeros && once_in(3)) {
            const KeyBits zero = out_of_order(once_in(2) ? NEGATIVE_ZERO : POSITIVE_ZERO);
            memcpy((void*)&keys[i], &zero, sizeof zero);
        }
        numbers.push_back(key_in_order(keys[i], alone));
    }
    // Candidates: all keys from some number on, in any order.
    const bool among = once_in(2);
    KeyBits low = numbers[below(n)];
    if (is_zero(low)) low = FIRST_ZERO;
    Guarded<In> candidates(n);
    Guarded<KeyPlace> places(n);
    u64 of_window = 0, before = 0;
    for (u64 i = n; i-- > 0;) {
        if (numbers[i] < low) before++;
        else candidates[of_window] = keys[i], places[of_window] = (KeyPlace)i, of_window++;
    }
    Guarded<RankHeader> header(1);
    memset((void*)header.values, 0, sizeof(RankHeader));
    header[0].before = before, header[0].candidates = of_window, header[0].low = low;
    Guarded<In> wanted(1);
    TopKParams p = {};
    p.keys = keys.values, p.n = n, p.header = header.values, p.candidates = candidates.values, p.candidate_places = places.values;
    p.rank = among ? before + 1 + below(of_window) : 1 + below(n), p.room = among ? n : 0, p.takes = 1, p.wanted = alone ? wanted.values : nullptr;
    u64 ties_found = 0;
    for (u32 pass = 0; pass < RANK_PASSES + PLACE_PASSES; pass++) {
        p.pass = pass;
        launch(1 + below(4), THREADS, 0, [&] { KERNEL(p); });
        if (pass + 1 == RANK_PASSES) ties_found = header[0].rank;
    }
    header.check("header"), wanted.check("wanted");
    std::vector<KeyBits> sorted = numbers;
    std::sort(sorted.begin(), sorted.end());
    const KeyBits key = sorted[p.rank - 1];
    if (header[0].low != key || header[0].high != key || (alone && !is_zero(key) && key_in_order(wanted[0]) != key)) fail("finds another key of %llu", n);
    const u64 less = std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin(), ties = p.rank - less;
    if (ties_found != ties) fail("finds %llu ties, not %llu", ties_found, ties);
    if (alone && is_zero(key)) {
        // Expected: the key that a stable sort puts there.
        std::vector<u64> order(n);
        for (u64 i = 0; i < n; i++) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) { return with_one_zero(numbers[a]) < with_one_zero(numbers[b]); });
        if (!same_bits(wanted[0], keys[order[p.rank - 1]])) fail("finds the other zero of %llu", n);
    }
    if (!among) return;
    u64 taken = 0;
    for (u64 i = 0, left = ties; i < n; i++) {
        const bool equal = numbers[i] == key, takes = equal && left > 0;
        left -= takes;
        if (equal && takes != (i <= header[0].last_place)) fail("takes others up to place %llu", header[0].last_place);
        taken += takes;
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
