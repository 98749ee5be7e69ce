// Cases of device/merge.cuh: of two arrays, and of the runs of one.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static bool before(const In& a, const In& b) { return comes_before(a, b); }

static void one_case() {
    const u64 of_a = once_in(4) ? below(40) : below(6 * TILE), of_b = once_in(4) ? below(40) : below(4 * TILE), n = of_a + of_b;
    if (n == 0) return;
    const bool runs = once_in(2), sorted = !once_in(6);
    const u64 run = 1 + below(n);
    const u32 kind = below(3);
    std::vector<In> x(n);
    for (In& key : x) {
        const u64 bits = kind == 0 ? below(3) : random_bits();
        memcpy((void*)&key, &bits, min(sizeof bits, sizeof key));
    }
    const auto sort = [&](u64 begin, u64 end) { std::stable_sort(x.begin() + begin, x.begin() + end, before); };
    if (sorted && runs) for (u64 i = 0; i < n; i += run) sort(i, min(n, i + run));
    else if (sorted) sort(0, of_a), sort(of_a, n);
    // Values tell where elements are from.
    Guarded<In> a(runs ? n : of_a), b(runs ? 0 : of_b), output(n);
    Guarded<MergeValue> values_a(PAIRS ? a.number : 0), values_b(PAIRS ? b.number : 0), values_output(PAIRS ? n : 0);
    struct Element { In key; u64 place; };
    std::vector<Element> expected;
    for (u64 i = 0; i < n; i++) {
        (i < a.number ? a[i] : b[i - a.number]) = x[i];
        if (PAIRS) memcpy((void*)&(i < a.number ? values_a[i] : values_b[i - a.number]), &i, min(sizeof i, sizeof(MergeValue)));
        expected.push_back({x[i], i});
    }
    const auto less = [](const Element& a, const Element& b) { return comes_before(a.key, b.key); };
    if (sorted && runs) for (u64 i = 0; i < n; i += 2 * run) std::stable_sort(expected.begin() + i, expected.begin() + min(n, i + 2 * run), less);
    else if (sorted) std::stable_sort(expected.begin(), expected.end(), less);
    const u64 part = TILE * (1 + below(4));
    MergeParams p = {};
    p.a = a.values, p.b = runs ? a.values : b.values, p.values_a = values_a.values, p.values_b = runs ? values_a.values : values_b.values;
    p.output = output.values, p.values_output = values_output.values, p.of_a = a.number, p.of_b = b.number, p.run = runs ? run : 0, p.part = part;
    launch((n + part - 1) / part, THREADS + FINDERS, 0, [&] { KERNEL(p); });
    a.check("first input"), b.check("second input"), output.check("output"), values_output.check("output values");
    for (u64 i = 0; sorted && i < n; i++) {
        if (!same_bits(output[i], expected[i].key)) fail("wrong at %llu of %llu and %llu, runs of %llu", i, of_a, of_b, p.run);
        if (PAIRS && memcmp(&values_output[i], &expected[i].place, min(sizeof(u64), sizeof(MergeValue))) != 0) fail("wrong value at %llu of %llu and %llu, runs of %llu", i, of_a, of_b, p.run);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
