// Cases of sort/pass.cuh: one launch.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static KeyBits any_key(u32 kind, u64 i) {
    KeyBits key = 0;
    for (u32 at = 0; at < KEY_WIDTH; at += 8) key |= (KeyBits)((KeyBits)(u8)random_bits() << at);
    if (kind == 3) return (KeyBits)((KeyBits)(i / 11) * (KeyBits)0x9e3779b97f4a7c15ull);  // runs of equal keys, which rows cut
    return kind == 0 ? (KeyBits)7 : kind == 1 ? (KeyBits)i : kind == 2 ? (KeyBits)(key & 1) : key;
}

// Few distinct keys, which are filled in.
static void fill_case() {
    const u32 few = 2 + below(31);
    Guarded<SortHeader> header(1);
    memset((void*)header.values, 0, sizeof(SortHeader));
    header[0].steps[0] = {Deed::FILL, Place::INPUT, Place::RESULT, few};
    std::vector<KeyBits> expected;
    for (u32 i = 0; i < few; i++) {
        const KeyBits key = ((KeyBits*)header[0].counts[1])[i] = any_key(4, i);
        expected.insert(expected.end(), once_in(4) ? 0 : below(2000), key);
        header[0].counts[0][i] = expected.size();
    }
    const u64 n = expected.size();
    Guarded<KeyBits> keys_out(n);
    SortParams p = {nullptr, keys_out.values, nullptr, nullptr, nullptr, nullptr, n, 0, header.values, nullptr, nullptr};
    launch(1 + below(4), THREADS, SORT_SHARED_BYTES, [&] { KERNEL(p); });
    header.check("header"), keys_out.check("sorted keys");
    for (u64 i = 0; i < n; i++) {
        if (keys_out[i] != expected[i]) fail("wrong key at %llu of %llu", i, n);
    }
}

// Skewed keys, which are counted and scattered to buckets by octaves, or found to be in order.
static void octaves_case() {
    const u64 n = 1 + below(5 * SORT_TILE);
    const u32 order = below(6);
    Guarded<KeyBits> keys(n), keys_out(n);
    std::vector<KeyBits> numbers(n);
    for (KeyBits& number : numbers) number = any_key(4, 0) >> below(KEY_WIDTH);
    if (order < 2) std::sort(numbers.begin(), numbers.end());
    if (order == 1) std::reverse(numbers.begin(), numbers.end());
    // Some numbers may be above the octaves.
    const Octaves octaves = Octaves::of(1 + below(KEY_WIDTH));
    const u32 singles = octaves.singles(), number_of = octaves.number();
    std::vector<std::vector<KeyBits>> buckets(number_of);
    for (u64 i = 0; i < n; i++) {
        const u32 bucket = octaves.bucket(numbers[i]);
        keys[i] = out_of_order(numbers[i]);
        buckets[bucket].push_back(bucket < singles ? keys[i] : numbers[i]);
    }
    const bool sorted = std::is_sorted(numbers.begin(), numbers.end()), reversed = std::is_sorted(numbers.rbegin(), numbers.rend());
    // Buckets ascend as their keys do, and some have one key alone.
    KeyBits last = 0;
    for (u32 v = 0; v < number_of; v++) {
        for (const KeyBits number : numbers) {
            if (octaves.bucket(number) == v && (number < last || (v < singles && number != v))) fail("bucket %u has another key", v);
        }
        for (const KeyBits number : numbers) last = octaves.bucket(number) == v ? max(last, number) : last;
    }
    Guarded<u64> places(OCTAVE_BUCKETS + 1);
    memset(places.values, 0, 8 * places.number);
    Guarded<StatusWord> cursors(OCTAVE_BUCKETS);
    memset((void*)cursors.values, 0, sizeof(StatusWord) * OCTAVE_BUCKETS);
    Guarded<SortHeader> header(1);
    memset((void*)header.values, 0, sizeof(SortHeader));
    header[0].steps[0] = {Deed::COUNT_OCTAVES, Place::INPUT, Place::RESULT, singles, 0, 0, 0, 0, 0, octaves.width, 0, places.values, cursors.values};
    SortParams p = {keys.values, keys_out.values, nullptr, nullptr, nullptr, nullptr, n, 0, header.values, nullptr, nullptr};
    launch(1 + below(4), THREADS, SORT_SHARED_BYTES, [&] { KERNEL(p); });
    u64 begin = 0;
    for (u32 v = 0; v < number_of; begin += buckets[v++].size()) {
        if (places[v] != begin) fail("bucket %u begins at %llu instead of %llu", v, places[v], begin);
    }
    if (number_of < OCTAVE_BUCKETS && places[number_of] != n) fail("the buckets end at %llu", places[number_of]);
    if (header[0].tiles != singles || header[0].shift != number_of) fail("wrong number of buckets");
    if (header[0].road != (sorted || reversed ? Road::NONE : Road::OCTAVES)) fail("wrong road");
    p.launch = 1;
    launch(1 + below(4), THREADS, SORT_SHARED_BYTES, [&] { KERNEL(p); });
    header.check("header"), keys.check("keys"), keys_out.check("buckets"), places.check("places"), cursors.check("cursors");
    if (sorted || reversed) {
        std::sort(numbers.begin(), numbers.end());
        for (u64 i = 0; i < n; i++) {
            if (keys_out[i] != out_of_order(numbers[i])) fail("wrong key at %llu of %llu", i, n);
        }
        return;
    }
    for (u32 v = 0; v < number_of; v++) {
        std::sort(keys_out.values + places[v], keys_out.values + places[v + 1]);
        std::sort(buckets[v].begin(), buckets[v].end());
        if (!std::equal(buckets[v].begin(), buckets[v].end(), keys_out.values + places[v])) fail("bucket %u has other keys", v);
    }
}

static void one_case() {
    if (BY_OCTAVES && !once_in(4)) return octaves_case();
    if (!HAS_VALUES && KEY_BYTES >= 4 && once_in(6)) return fill_case();
    const u64 n = 1 + (once_in(4) ? below(100) : below(6 * SORT_TILE));
    // The whole array, or parts of it with a row of bases each.
    const bool cut = once_in(2);
    std::vector<u64> begins = {0};
    for (u32 i = cut ? below(5) : 0; i > 0; i--) begins.push_back(below(n));
    std::sort(begins.begin(), begins.end());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    begins.push_back(n);
    const u32 parts = begins.size() - 1, stride = DIGITS * (1 + below(3));
    std::vector<SortTile> cut_tiles;
    for (u32 part = 0; part < parts; part++) {
        for (u64 at = 0; at < begins[part + 1] - begins[part]; at += SORT_TILE) {
            const u32 count = min((u64)SORT_TILE, begins[part + 1] - begins[part] - at);
            cut_tiles.push_back({begins[part] + at, at, count, part << 1 | (at == 0)});
        }
    }
    const u64 tiles = cut_tiles.size();
    Guarded<SortTile> tile_list(tiles);
    for (u64 i = 0; i < tiles; i++) tile_list[i] = cut_tiles[i];
    Guarded<u64> bases((u64)parts * stride);
    memset((void*)bases.values, 0, 8 * parts * stride);
    Guarded<SortHeader> header(1);
    memset((void*)header.values, 0, sizeof(SortHeader));
    const u32 launch_number = below(LAUNCHES), digit_number = below(KEY_BYTES);
    const bool in_place = KEYS_OUT && once_in(4), first = once_in(2), last = once_in(2), copies = once_in(8);
    const Place from = first && !in_place ? Place::INPUT : Place::SCRATCH, to = Place::RESULT;
    const u32 turn = first ? 0 : 1 + below(4);
    header[0].tiles = tiles;
    // Without the flag no key is a zero with a sign.
    const bool zeros = HAS_ZEROS && once_in(2);
    if (zeros) header[0].order = NEGATIVE_ZEROS;
    // Tiles in any order by cursors, or by look-back.
    const bool by_cursors = !HAS_VALUES && first && !zeros && once_in(2);
    Guarded<StatusWord> cursors(parts * DIGITS);
    memset((void*)cursors.values, 0, parts * DIGITS * sizeof(StatusWord));
    const bool reverses = copies && !HAS_VALUES && once_in(2);
    header[0].steps[launch_number] = {reverses ? Deed::REVERSE : copies ? Deed::COPY : Deed::SORT, from, to, digit_number * 8, turn, first, last, first, cut, 0, stride, bases.values, by_cursors ? cursors.values : nullptr};
    Guarded<KeyBits> keys(n), keys_out(n), keys_scratch(n);
    Guarded<Value> values(HAS_VALUES ? n : 0), values_out(HAS_VALUES ? n : 0), values_scratch(HAS_VALUES ? n : 0);
    Guarded<KeyBits>& source = from == Place::INPUT ? keys : keys_scratch;
    Guarded<Value>& source_values = from == Place::INPUT ? values : values_scratch;
    const u32 kind = below(5);
    struct Pair { KeyBits key; u64 value; };
    std::vector<Pair> expected(n);
    for (u64 i = 0; i < n; i++) {
        source[i] = any_key(kind, i);
        if (HAS_ZEROS) {
            const bool puts = copies || !first;
            KeyBits number = puts ? source[i] : in_order(source[i]);
            if (once_in(3)) number = once_in(2) ? NEGATIVE_ZERO : POSITIVE_ZERO;
            if (!zeros) number = with_one_zero(number);
            source[i] = puts ? number : out_of_order(number);
        }
        u64 value = 0;
        if (HAS_VALUES) value = source_values[i] = (Value)random_bits();
        const u64 part_begin = *(std::upper_bound(begins.begin(), begins.end() - 1, i) - 1);
        if (INDICES && (first || copies)) value = (Value)(copies || INDICES == IN_ARRAY ? i : i - part_begin);
        expected[i] = {copies || !first ? source[i] : in_order(source[i]), value};
    }
    if (reverses) std::reverse(expected.begin(), expected.end());
    if (!copies) {
        const u32 shift = digit_number * 8;
        const auto less = [&](const Pair& a, const Pair& b) { return digit_at<DIGIT_BITS, true>(a.key, shift) < digit_at<DIGIT_BITS, true>(b.key, shift); };
        for (u32 part = 0; part < parts; part++) {
            u64* const places = bases.values + (u64)part * stride;
            for (u32 d = 0; d < DIGITS; d++) places[d] = begins[part];
            for (u64 i = begins[part]; i < begins[part + 1]; i++) {
                for (u32 d = digit_at<DIGIT_BITS, true>(expected[i].key, shift) + 1; d < DIGITS; d++) places[d]++;
            }
            std::stable_sort(expected.begin() + begins[part], expected.begin() + begins[part + 1], less);
        }
        if (last) {
            for (Pair& pair : expected) pair.key = out_of_order(pair.key);
        }
    }
    // EMPTY words as initialised, or as the pass before has left them.
    Guarded<StatusWord> status(tiles * DIGITS);
    for (u64 i = 0; i < tiles * DIGITS; i++) {
        status[i] = turn == 0 ? 0 : DigitStatus::word(DigitStatus::PREFIX, (u32)random_bits() >> 2, DigitStatus::flip(turn - 1));
    }
    SortParams p = {keys.values, keys_out.values, keys_scratch.values, values.values, values_out.values, values_scratch.values, n, launch_number, header.values, status.values, tile_list.values};
    launch(min(tiles, 1 + (u64)below(4)), THREADS, SORT_SHARED_BYTES, [&] { KERNEL(p); });
    header.check("header"), status.check("status words"), bases.check("places"), tile_list.check("tiles");
    keys.check("keys"), keys_out.check("sorted keys"), keys_scratch.check("keys in scratch");
    values.check("values"), values_out.check("sorted values"), values_scratch.check("values in scratch");
    cursors.check("cursors");
    if (!copies && first && !HAS_VALUES && !zeros) {
        // Keys alone: the first pass need not be stable.
        const auto digit = [&](const Pair& x) { return digit_at(last ? in_order(x.key) : x.key, digit_number * 8); };
        const auto less = [&](const Pair& a, const Pair& b) {
            if (a.value != b.value) return a.value < b.value;
            return digit(a) != digit(b) ? digit(a) < digit(b) : a.key < b.key;
        };
        std::vector<Pair> found(n);
        for (u32 part = 0; part < parts; part++) {
            for (u64 i = begins[part]; i < begins[part + 1]; i++) found[i] = {keys_out[i], part}, expected[i].value = part;
        }
        for (u64 i = 1; i < n; i++) {
            if (found[i].value == found[i - 1].value && digit(found[i]) < digit(found[i - 1])) fail("digits are not in order at %llu of %llu", i, n);
        }
        std::sort(found.begin(), found.end(), less);
        std::sort(expected.begin(), expected.end(), less);
        for (u64 i = 0; i < n; i++) keys_out[i] = found[i].key;
    }
    for (u64 i = 0; i < n; i++) {
        const bool unwanted = !KEYS_OUT && (last || copies);
        if (!unwanted && keys_out[i] != expected[i].key) fail("wrong key at %llu of %llu", i, n);
        if (HAS_VALUES && values_out[i] != (Value)expected[i].value) fail("wrong value at %llu of %llu", i, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
