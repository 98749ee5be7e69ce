// Cases of sort_by/sort_by.cuh.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 n = 1 + (once_in(4) ? below(40) : below(3 * TILE));
    const u32 kind = below(3);
    Guarded<In> input(n), output(n);
    Guarded<MergeValue> values(PAIRS && !POSITIONS ? n : 0), values_output(PAIRS ? n : 0);
    struct Element { In key; u64 place; };
    std::vector<Element> expected;
    for (u64 i = 0; i < n; i++) {
        const u64 bits = kind == 0 ? below(3) : kind == 1 ? ~i : random_bits();
        memset((void*)&input[i], 0, sizeof(In));
        memcpy((void*)&input[i], &bits, min(sizeof bits, sizeof(In)));
        if (PAIRS && !POSITIONS) memcpy((void*)&values[i], &i, min(sizeof i, sizeof(MergeValue)));
        expected.push_back({input[i], i});
    }
    for (u64 i = 0; i < n; i += TILE) {
        std::stable_sort(expected.begin() + i, expected.begin() + min(n, i + TILE), [](const Element& a, const Element& b) { return comes_before(a.key, b.key); });
    }
    const bool in_place = !PAIRS && once_in(3);
    In* const to = in_place ? input.values : output.values;
    SortByParams p = {};
    p.input = input.values, p.output = to, p.values = values.values, p.values_output = values_output.values, p.n = n;
    launch((n + TILE - 1) / TILE, THREADS, 0, [&] { KERNEL(p); });
    input.check("input"), output.check("output"), values_output.check("output values");
    for (u64 i = 0; i < n; i++) {
        if (!same_bits(to[i], expected[i].key)) fail("wrong at %llu of %llu", i, n);
        if (PAIRS && memcmp(&values_output[i], &expected[i].place, min(sizeof(u64), sizeof(MergeValue))) != 0) fail("wrong value at %llu of %llu", i, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
