// Cases of sort/local.cuh: segments that blocks sort.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static KeyBits any_bits() {
    KeyBits key = 0;
    for (u32 at = 0; at < KEY_WIDTH; at += 8) key |= (KeyBits)((KeyBits)(u8)random_bits() << at);
    return key;
}

// Key `i` of `n`.
static KeyBits key_of(u32 kind, u32 i, u32 n, const std::vector<KeyBits>& few) {
    const KeyBits key = any_bits();
    switch (kind) {
    case 0: return 7;
    case 1: return key & 3;
    case 2: return (KeyBits)(key << (KEY_WIDTH - 3));
    case 3: return (KeyBits)i;
    case 4: return few[below(few.size())];
    case 5: return few[0] ^ (key & 63);
    case 6: return (KeyBits)(n - i);
    // Trees: parents in a binary and in a random one, arcs there and back, half of them one key, and a star whose
    // centre is the last.
    case 7: return (KeyBits)(i == 0 ? n : (i - 1) / 2);
    case 8: return (KeyBits)(i == 0 ? n : below(i));
    case 9: return (KeyBits)(i < n / 2 ? i + 1 : (i - n / 2 + 1) / 3);
    case 10: return (KeyBits)min(below(2 * n), n);
    case 11: return (KeyBits)(once_in(20) ? i : n);
    case 12: return (KeyBits)((few[i / 40 % few.size()] ^ (KeyBits)(i / 40 * 77)));  // runs of equal keys
    // Clusters of about five keys, as many as a fine bucket may have, or a few more.
    case 13: return (KeyBits)((KeyBits)((1 + below(n / 5 + 1)) * 0x9e3779b97f4a7c15ull >> (KEY_WIDTH < 64 ? 64 - KEY_WIDTH : 0)) ^ (KEY_WIDTH > 8 ? key & 255 : 0));
    default: return key;
    }
}

// Buckets of octaves: some are results already, and one may have more keys than a sample predicts.
static void octaves_case() {
    const u32 buckets = 3 + below(OCTAVE_BUCKETS - 3), singles = below(buckets);
    std::vector<u64> begins(buckets + 1);
    for (u32 i = below(8); i > 0; i--) begins[1 + below(buckets)] += below(LOCAL_TILE + 1);
    if (once_in(2)) begins[1 + below(buckets)] += LOCAL_TILE + below(LOCAL_TILE);
    for (u32 s = 0; s < buckets; s++) begins[s + 1] += begins[s];
    const u64 n = begins[buckets];
    Guarded<KeyBits> keys(n);
    for (u64 i = 0; i < n; i++) keys[i] = once_in(3) ? any_bits() : any_bits() & 7;
    std::vector<KeyBits> expected(keys.values, keys.values + n);
    for (u32 s = singles; s < buckets; s++) {
        std::sort(expected.begin() + begins[s], expected.begin() + begins[s + 1]);
        for (u64 i = begins[s]; i < begins[s + 1]; i++) expected[i] = out_of_order(expected[i]);
    }
    Guarded<u64> starts(buckets + 1);
    for (u32 s = 0; s <= buckets; s++) starts[s] = begins[s];
    Guarded<SortHeader> header(1);
    memset((void*)header.values, 0, sizeof(SortHeader));
    header[0].road = Road::OCTAVES, header[0].tiles = singles, header[0].shift = buckets;
    SortLocalParams p = {keys.values, keys.values, nullptr, nullptr, 256, starts.values, 0, nullptr, nullptr, 0, header.values};
    launch(1 + below(3), THREADS, SORT_SHARED_BYTES, [&] { KERNEL(p); });
    keys.check("keys"), starts.check("starts"), header.check("header");
    for (u64 i = 0; i < n; i++) {
        if (keys[i] != expected[i]) fail("wrong key at %llu of %llu", i, n);
    }
}

static void one_case() {
    if (BY_OCTAVES && once_in(2)) return octaves_case();
    // Each kind of keys in turn, as some have code of their own.
    const u32 of_keys = seed % 15;
    // Segments by their starts, in a list, or rows; the keys converted into sort order, or not.
    const u32 kind = below(3), segments = 1 + below(5), length = 1 + below(LOCAL_TILE);
    std::vector<u64> begins = {0};
    for (u32 s = 0; s < segments; s++) begins.push_back(begins.back() + (kind == 0 ? length : once_in(3) ? below(20) : below(LOCAL_TILE + 1)));
    const u64 n = begins.back();
    const bool given = once_in(2), in_place = KEYS_OUT && !INDICES && once_in(2);
    Guarded<KeyBits> keys(n), keys_out(in_place ? 0 : n);
    Guarded<Value> values(HAS_VALUES ? n : 0), values_out(HAS_VALUES && !in_place ? n : 0);
    const bool zeros = HAS_ZEROS && once_in(2);
    const auto any_zero = [] { return once_in(2) ? NEGATIVE_ZERO : POSITIVE_ZERO; };
    std::vector<KeyBits> few(1 + below(9));
    for (KeyBits& key : few) key = any_bits();
    struct Pair { KeyBits key; u64 value; };
    std::vector<Pair> expected(n);
    for (u32 s = 0; s < segments; s++) {
        for (u64 i = begins[s]; i < begins[s + 1]; i++) {
            keys[i] = key_of(of_keys, i - begins[s], begins[s + 1] - begins[s], few);
            if (zeros && once_in(3)) keys[i] = given ? out_of_order(any_zero()) : any_zero();
            u64 value = 0;
            if (HAS_VALUES) value = values[i] = (Value)random_bits();
            if (INDICES && given) value = INDICES == IN_ARRAY ? i : i - begins[s];
            expected[i] = {given ? in_order(keys[i]) : keys[i], value};
        }
        std::stable_sort(expected.begin() + begins[s], expected.begin() + begins[s + 1], [](const Pair& a, const Pair& b) { return with_one_zero(a.key) < with_one_zero(b.key); });
    }
    Guarded<u64> starts(kind == 1 ? segments + 1 : 0);
    for (u64 i = 0; i < starts.number; i++) starts[i] = begins[i];
    Guarded<SortSegment> list(kind == 2 ? segments : 0);
    for (u64 i = 0; i < list.number; i++) list[i] = {begins[i], begins[i + 1] - begins[i]};
    u32 listed = segments;
    Guarded<SortHeader> header(1);
    memset((void*)header.values, 0, sizeof(SortHeader));
    const bool by_header = once_in(2), nothing = by_header && once_in(4);
    header[0].road = nothing ? Road::PASSES : Road::SPLIT;
    SortLocalParams p = {keys.values, in_place ? keys.values : keys_out.values, values.values, in_place ? values.values : values_out.values,
                         segments, kind == 1 ? starts.values : nullptr, length, kind == 2 ? list.values : nullptr, &listed, given,
                         by_header ? header.values : nullptr};
    const std::vector<KeyBits> before(in_place ? keys.values : keys_out.values, (in_place ? keys.values : keys_out.values) + n);
    launch(1 + below(3), THREADS, SORT_SHARED_BYTES, [&] { KERNEL(p); });
    keys.check("keys"), keys_out.check("sorted keys"), values.check("values"), values_out.check("sorted values");
    starts.check("starts"), list.check("list"), header.check("header");
    const KeyBits* const found = in_place ? keys.values : keys_out.values;
    const Value* const found_values = in_place ? values.values : values_out.values;
    for (u64 i = 0; i < n; i++) {
        if (KEYS_OUT && found[i] != (nothing ? before[i] : out_of_order(expected[i].key))) fail("wrong key at %llu of %llu", i, n);
        if (HAS_VALUES && !nothing && found_values[i] != (Value)expected[i].value) fail("wrong value at %llu of %llu", i, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
