// Cases of device/sort_by_counting.cuh: both kernels, one after the other.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 n = 1 + (once_in(4) ? below(100) : below(60000)), part = 16 * (1 + below(4000));
    const u32 kind = below(5);
    Guarded<KeyBits> keys(n), output(n);
    for (u64 i = 0; i < n; i++) keys[i] = (KeyBits)(kind == 0 ? 7 : kind == 1 ? i / 50 : kind == 2 ? below(2) * 40000 : random_bits());
    std::vector<KeyBits> expected(keys.values, keys.values + n);
    std::sort(expected.begin(), expected.end(), [](KeyBits a, KeyBits b) { return in_order(a) < in_order(b); });
    Guarded<u64> counts(VALUES);
    memset(counts.values, 0, 8 * VALUES);
    u32 done = 0;
    SortTallyParams tally = {keys.values, n, part, counts.values, &done};
    launch((n + part - 1) / part, THREADS, 2 * VALUES, [&] { upsweep_sort_tally(tally); });
    SortFillParams fill = {output.values, n, counts.values};
    launch(1 + below(3), THREADS, 0, [&] { upsweep_sort_fill(fill); });
    keys.check("keys"), counts.check("counts"), output.check("sorted keys");
    for (u64 i = 0; i < n; i++) {
        if (output[i] != expected[i]) fail("wrong at %llu of %llu", i, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
