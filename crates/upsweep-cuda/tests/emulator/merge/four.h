// Cases of merge/four.cuh.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 run = TILE * (1 + below(3)), n = 1 + (once_in(4) ? below(40) : below(6 * run));
    const bool sorted = !once_in(6);
    const u32 kind = below(4);
    Guarded<In> input(n), output(n);
    Guarded<MergeValue> values(PAIRS ? n : 0), values_output(PAIRS ? n : 0);
    struct Element { In key; u64 place; };
    std::vector<Element> expected;
    const auto less = [](const Element& a, const Element& b) { return comes_before(a.key, b.key); };
    for (u64 i = 0; i < n; i++) {
        const u64 bits = kind == 0 ? below(3) : kind == 1 ? ~i : kind == 2 ? i : random_bits();
        In key = {};
        memcpy((void*)&key, &bits, min(sizeof bits, sizeof key));
        expected.push_back({key, i});
    }
    const auto sort = [&](u64 width) {
        for (u64 i = 0; sorted && i < n; i += width) std::stable_sort(expected.begin() + i, expected.begin() + min(n, i + width), less);
    };
    sort(run);
    for (u64 i = 0; i < n; i++) {
        input[i] = expected[i].key;
        if (PAIRS) memcpy((void*)&values[i], &expected[i].place, min(sizeof i, sizeof(MergeValue)));
    }
    sort(WAYS * run);
    const u64 groups = (n + WAYS * run - 1) / (WAYS * run), pivots = WAYS * (1 + below(5));
    Guarded<u64> splits(groups * pivots * WAYS);
    // If the runs are not sorted, some splits are not written.
    for (u64 i = 0; i < splits.number; i++) splits[i] = random_bits();
    MergeFourParams p = {};
    p.input = input.values, p.values = values.values, p.output = output.values, p.values_output = values_output.values;
    p.n = n, p.run = run, p.pivots = pivots, p.splits = splits.values;
    launch((groups * pivots + 3) / 4, 128, 0, [&] { split_runs(p); });
    launch(groups * (pivots + 1), THREADS + FINDERS, 0, [&] { KERNEL(p); });
    input.check("input"), output.check("output"), values_output.check("output values"), splits.check("splits");
    for (u64 i = 0; sorted && i < n; i++) {
        if (!same_bits(output[i], expected[i].key)) fail("wrong at %llu of %llu, runs of %llu", i, n, run);
        if (PAIRS && memcmp(&values_output[i], &expected[i].place, min(sizeof(u64), sizeof(MergeValue))) != 0) fail("wrong value at %llu of %llu, runs of %llu", i, n, run);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
