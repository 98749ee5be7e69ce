// Cases of sort/cluster.cuh.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u32 n = 1 + below(once_in(4) ? 200 : CLUSTER * MOST_SHARE), of_keys = below(6);
    const bool zeros = HAS_ZEROS && !once_in(4), few_zeros = once_in(3);
    const bool in_place = KEYS_OUT && !INDICES && once_in(2);
    Guarded<KeyBits> keys(n), keys_out(in_place ? 0 : n);
    Guarded<Value> values(HAS_VALUES ? n : 0), values_out(HAS_VALUES && !in_place ? n : 0);
    struct Pair { KeyBits key; u64 value; };
    std::vector<Pair> expected(n);
    for (u32 i = 0; i < n; i++) {
        KeyBits key = 0;
        for (u32 at = 0; at < KEY_WIDTH; at += 8) key |= (KeyBits)((KeyBits)(u8)random_bits() << at);
        const KeyBits ones = (KeyBits)~(KeyBits)0;
        keys[i] = of_keys == 0 ? (KeyBits)7 : of_keys == 1 ? (KeyBits)(key & 3) : of_keys == 2 ? (KeyBits)(key << (KEY_WIDTH - 3)) : of_keys == 3 ? (KeyBits)i : of_keys == 4 && once_in(2) ? ones : key;
        if (zeros && once_in(few_zeros ? 1000 : 3)) keys[i] = out_of_order(once_in(2) ? NEGATIVE_ZERO : POSITIVE_ZERO);
        u64 value = i;
        if (HAS_VALUES) value = values[i] = (Value)random_bits();
        expected[i] = {in_order(keys[i]), INDICES ? i : value};
    }
    std::stable_sort(expected.begin(), expected.end(), [](const Pair& a, const Pair& b) { return with_one_zero(a.key) < with_one_zero(b.key); });
    const u32 unit = WARP * ROWS_AT_ONCE, share = ((n + CLUSTER - 1) / CLUSTER + unit - 1) / unit * unit;
    SortClusterParams p = {keys.values, in_place ? keys.values : keys_out.values, values.values, in_place ? values.values : values_out.values, n, share};
    launch(CLUSTER, THREADS, SORT_SHARED_BYTES, [&] { KERNEL(p); }, true);
    keys.check("keys"), keys_out.check("sorted keys"), values.check("values"), values_out.check("sorted values");
    const KeyBits* const found = in_place ? keys.values : keys_out.values;
    const Value* const found_values = in_place ? values.values : values_out.values;
    for (u32 i = 0; i < n; i++) {
        if (KEYS_OUT && found[i] != out_of_order(expected[i].key)) fail("wrong key at %u of %u", i, n);
        if (HAS_VALUES && found_values[i] != (Value)expected[i].value) fail("wrong value at %u of %u", i, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
