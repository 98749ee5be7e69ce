// Cases of sort/short.cuh: segments that lanes of a warp sort, and lists of longer ones.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const bool rows = once_in(3), wrong = once_in(8), given = once_in(2);
    const u32 segments = 1 + below(200), length = 1 + below(once_in(2) ? 20 : MOST_SHORT), more = MOST_SHORT + 30, room = MOST_SHORT + 60, large_room = MOST_SHORT + 90;
    std::vector<u64> begins = {0};
    for (u32 s = 0; s < segments; s++) {
        const u64 own = rows ? length : once_in(20) ? below(MOST_SHORT + 150) : once_in(8) ? below(MOST_SHORT + 1) : below(40);
        begins.push_back(begins.back() + own);
    }
    const u64 n = begins.back();
    const bool in_place = KEYS_OUT && !INDICES && once_in(2);
    Guarded<KeyBits> keys(n), keys_out(in_place ? 0 : n);
    Guarded<Value> values(HAS_VALUES ? n : 0), values_out(HAS_VALUES && !in_place ? n : 0);
    struct Pair { KeyBits key; u64 value; };
    std::vector<Pair> expected(n);
    const u32 of_keys = below(4);
    const bool zeros = HAS_ZEROS && once_in(2);
    std::vector<u64> longer[4];
    for (u32 s = 0; s < segments; s++) {
        const u64 count = begins[s + 1] - begins[s];
        if (count > MOST_SHORT) longer[count <= more ? 0 : count <= room ? 1 : count <= large_room ? 2 : 3].push_back(begins[s]);
        for (u64 i = begins[s]; i < begins[s + 1]; i++) {
            KeyBits key = 0;
            for (u32 at = 0; at < KEY_WIDTH; at += 8) key |= (KeyBits)((KeyBits)(u8)random_bits() << at);
            keys[i] = of_keys == 0 ? (KeyBits)7 : of_keys == 1 ? (KeyBits)(key & 3) : of_keys == 2 ? (KeyBits)~(key & 1) : key;
            if (zeros && once_in(3)) {
                const KeyBits zero = once_in(2) ? NEGATIVE_ZERO : POSITIVE_ZERO;
                keys[i] = given ? out_of_order(zero) : zero;
            }
            u64 value = 0;
            if (HAS_VALUES) value = values[i] = (Value)random_bits();
            if (INDICES && given) value = INDICES == IN_ARRAY ? i : i - begins[s];
            expected[i] = {given ? in_order(keys[i]) : keys[i], value};
        }
        std::stable_sort(expected.begin() + begins[s], expected.begin() + begins[s + 1], [](const Pair& a, const Pair& b) { return with_one_zero(a.key) < with_one_zero(b.key); });
    }
    Guarded<u64> starts(rows ? 0 : segments + 1);
    for (u64 i = 0; i < starts.number; i++) starts[i] = begins[i];
    Guarded<SortSegment> lists[4] = {Guarded<SortSegment>(segments), Guarded<SortSegment>(segments), Guarded<SortSegment>(segments), Guarded<SortSegment>(segments)};
    Guarded<SegmentHeader> header(1);
    header[0] = {wrong, {0, 0, 0, 0}};
    SortShortParams p = {keys.values, in_place ? keys.values : keys_out.values, values.values, in_place ? values.values : values_out.values,
                         segments, rows ? nullptr : starts.values, length, 1 + below(WARP), given, nullptr, header.values, nullptr, more, room, large_room,
                         lists[0].values, lists[1].values, lists[2].values, lists[3].values};
    const KeyBits* const found = in_place ? keys.values : keys_out.values;
    const std::vector<KeyBits> before(found, found + n);
    launch(1 + below(3), THREADS, 0, [&] { KERNEL(p); });
    keys.check("keys"), keys_out.check("sorted keys"), values.check("values"), values_out.check("sorted values");
    starts.check("starts"), header.check("header");
    for (u32 way = 0; way < 4; way++) {
        lists[way].check("list");
        if (header[0].listed[way] != (wrong ? 0 : longer[way].size())) fail("lists %u instead of %llu", header[0].listed[way], (u64)longer[way].size());
        if (wrong) continue;
        std::sort(lists[way].values, lists[way].values + longer[way].size(), [](const SortSegment& a, const SortSegment& b) { return a.begin < b.begin; });
        for (u64 i = 0; i < longer[way].size(); i++) {
            const u64 end = *std::upper_bound(begins.begin(), begins.end(), longer[way][i]);
            if (lists[way][i].begin != longer[way][i] || lists[way][i].begin + lists[way][i].count != end) fail("wrong segment in list %u", way);
        }
    }
    const Value* const found_values = in_place ? values.values : values_out.values;
    for (u32 s = 0; s < segments; s++) {
        const bool kept = wrong || begins[s + 1] - begins[s] > MOST_SHORT;
        for (u64 i = begins[s]; i < begins[s + 1]; i++) {
            if (KEYS_OUT && found[i] != (kept ? before[i] : out_of_order(expected[i].key))) fail("wrong key at %llu of %llu", i, n);
            if (HAS_VALUES && !kept && found_values[i] != (Value)expected[i].value) fail("wrong value at %llu of %llu", i, n);
        }
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
