// Cases of merge/merge.cuh.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static bool before(const In& a, const In& b) { return comes_before(a, b); }

static void one_case() {
    const u64 of_a = once_in(4) ? below(40) : below(12 * TILE), of_b = once_in(4) ? below(40) : below(10 * TILE), n = of_a + of_b;
    if (n == 0) return;
    const bool sorted = !once_in(6);
    const u32 kind = below(4);
    std::vector<In> x(n);
    for (u64 i = 0; i < n; i++) {
        const u64 bits = kind == 0 ? below(3) : kind == 1 ? i : random_bits();
        memcpy((void*)&x[i], &bits, min(sizeof bits, sizeof x[i]));
    }
    if (sorted) std::stable_sort(x.begin(), x.begin() + of_a, before), std::stable_sort(x.begin() + of_a, x.end(), before);
    // Values identify the sources of elements.
    Guarded<In> a(of_a), b(of_b), output(n);
    Guarded<MergeValue> values_a(PAIRS ? of_a : 0), values_b(PAIRS ? of_b : 0), values_output(PAIRS ? n : 0);
    struct Element { In key; u64 place; };
    std::vector<Element> expected;
    for (u64 i = 0; i < n; i++) {
        (i < of_a ? a[i] : b[i - of_a]) = x[i];
        if (PAIRS) memcpy((void*)&(i < of_a ? values_a[i] : values_b[i - of_a]), &i, min(sizeof i, sizeof(MergeValue)));
        expected.push_back({x[i], i});
    }
    if (sorted) std::stable_sort(expected.begin(), expected.end(), [](const Element& a, const Element& b) { return comes_before(a.key, b.key); });
    const bool few = once_in(2);
    const u64 cell = few ? TILE : TILE * (2 + below(4)), tiles = (n + TILE - 1) / TILE, cells = (n + cell - 1) / cell;
    Guarded<u64> cell_splits(cells), tile_splits(tiles);
    MergeParams p = {};
    p.a = a.values, p.b = b.values, p.values_a = values_a.values, p.values_b = values_b.values, p.output = output.values, p.values_output = values_output.values;
    p.of_a = of_a, p.of_b = of_b, p.cell = cell, p.cell_splits = few ? tile_splits.values : cell_splits.values, p.tile_splits = tile_splits.values;
    if (cells > 1) launch((cells - 1 + 3) / 4, SPLITTERS, 0, [&] { split_cells(p); });
    if (tiles > 1 && !few) launch((tiles + SPLITTERS - 1) / SPLITTERS, SPLITTERS, 0, [&] { split_tiles(p); });
    launch(tiles, THREADS, 0, [&] { KERNEL(p); });
    a.check("first input"), b.check("second input"), output.check("output"), values_output.check("output values");
    cell_splits.check("cells' splits"), tile_splits.check("tiles' splits");
    for (u64 i = 0; sorted && i < n; i++) {
        if (!same_bits(output[i], expected[i].key)) fail("wrong at %llu of %llu and %llu", i, of_a, of_b);
        if (PAIRS && memcmp(&values_output[i], &expected[i].place, min(sizeof(u64), sizeof(MergeValue))) != 0) fail("wrong value at %llu of %llu and %llu", i, of_a, of_b);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
