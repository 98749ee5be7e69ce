// Cases of sort/counting.cuh: both kernels, one after the other.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 n = 1 + (once_in(4) ? below(100) : below(60000)), part = 16 * (1 + below(4000));
    const u32 kind = below(5);
    Guarded<KeyBits> keys(n), output(n);
    for (u64 i = 0; i < n; i++) keys[i] = (KeyBits)(kind == 0 ? 7 : kind == 1 ? i / 50 : kind == 2 ? below(2) * 40000 : random_bits());
    if (HAS_ZEROS && !once_in(3)) {
        const u32 distance = once_in(2) ? 2 : 2000, ones = once_in(2) ? 2 : 20;
        for (u64 i = below(n); i < n; i += 1 + below(distance)) keys[i] = out_of_order(once_in(ones) ? NEGATIVE_ZERO : POSITIVE_ZERO);
    }
    std::vector<KeyBits> expected(keys.values, keys.values + n);
    std::stable_sort(expected.begin(), expected.end(), [](KeyBits a, KeyBits b) { return with_one_zero(in_order(a)) < with_one_zero(in_order(b)); });
    Guarded<u64> counts(VALUES);
    memset(counts.values, 0, 8 * VALUES);
    u32 done = 0;
    const u64 parts = (n + part - 1) / part, signs_of_part = part / 32 + 1;
    Guarded<u64> zeros(HAS_ZEROS ? parts : 0);
    Guarded<u32> signs(HAS_ZEROS ? parts * signs_of_part : 0);
    SortTallyParams tally = {keys.values, n, part, counts.values, &done, zeros.values, signs.values, signs_of_part};
    launch((n + part - 1) / part, THREADS, 2 * VALUES, [&] { upsweep_sort_tally(tally); });
    SortFillParams fill = {output.values, n, counts.values, zeros.values, signs.values, signs_of_part, parts};
    launch(1 + below(3), THREADS, 0, [&] { upsweep_sort_fill(fill); });
    keys.check("keys"), counts.check("counts"), output.check("sorted keys"), zeros.check("zeros"), signs.check("signs");
    for (u64 i = 0; i < n; i++) {
        if (output[i] != expected[i]) fail("wrong at %llu of %llu", i, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
