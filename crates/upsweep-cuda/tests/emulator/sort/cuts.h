// Cases of sort/cuts.cuh.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static KeyBits compared(KeyBits key) { return with_one_zero(in_order(key)); }

static void one_case() {
    const u64 n = 2 + (once_in(4) ? below(20) : below(5000));
    const u64 run = once_in(3) ? 1 + below(n - 1) : std::max<u64>(1, n / (2 + below(60)));
    const u64 runs = (n + run - 1) / run, blocks = runs - 1;
    if (blocks > 200) return;
    const u32 kind = below(5);
    Guarded<KeyBits> keys(n);
    for (u64 i = 0; i < n; i++) {
        KeyBits key = 0;
        for (u32 at = 0; at < KEY_WIDTH; at += 8) key |= (KeyBits)((KeyBits)(u8)random_bits() << at);
        keys[i] = kind == 0 ? (KeyBits)7 : kind == 1 ? (KeyBits)(key & 3) : kind == 2 ? (KeyBits)i : kind == 3 ? (KeyBits)~(KeyBits)0 : key;
        if (HAS_ZEROS && kind != 0 && once_in(3)) keys[i] = out_of_order(once_in(2) ? NEGATIVE_ZERO : POSITIVE_ZERO);
    }
    for (u64 q = 0; q < runs; q++) {
        std::stable_sort(keys.values + q * run, keys.values + std::min(n, (q + 1) * run), [](KeyBits a, KeyBits b) { return compared(a) < compared(b); });
    }
    std::vector<u64> ranked;
    for (u64 i = 0; i < n; i++) ranked.push_back(i);
    std::stable_sort(ranked.begin(), ranked.end(), [&](u64 a, u64 b) { return compared(keys[a]) < compared(keys[b]); });
    Guarded<u64> cuts(3 * blocks * runs);
    SortCutsParams p = {keys.values, n, run, cuts.values};
    launch(blocks, THREADS, 0, [&] { KERNEL(p); });
    keys.check("keys"), cuts.check("cuts");
    for (u64 block = 0; block < blocks; block++) {
        std::vector<u64> expected(runs);
        for (u64 i = 0; i < (block + 1) * run; i++) expected[ranked[i] / run]++;
        for (u64 q = 0; q < runs; q++) {
            if (cuts[block * runs + q] != expected[q]) fail("run %llu of %llu is cut at %llu instead of %llu", q, runs, (u64)cuts[block * runs + q], expected[q]);
        }
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
