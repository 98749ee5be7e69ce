// Cases of sort/split.cuh.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static KeyBits any_bits() {
    KeyBits key = 0;
    for (u32 at = 0; at < KEY_WIDTH; at += 8) key |= (KeyBits)((KeyBits)(u8)random_bits() << at);
    return key;
}

// Reference of the sample: its distinct keys, if they are few and a factor separates them.
static std::vector<KeyBits> few_of(std::vector<KeyBits> sample) {
    std::vector<KeyBits> of_warp(sample.begin(), sample.begin() + WARP);
    std::sort(of_warp.begin(), of_warp.end());
    if (std::unique(of_warp.begin(), of_warp.end()) - of_warp.begin() > MOST_DISTINCT) return {};
    std::sort(sample.begin(), sample.end());
    sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
    for (u32 tried = 0; sample.size() <= FEW && tried < FEW_TRIES * WARPS; tried++) {
        std::vector<u32> slots;
        for (const KeyBits key : sample) slots.push_back(FewKeys::slot(key, FewKeys::factor_of(tried)));
        std::sort(slots.begin(), slots.end());
        if (std::unique(slots.begin(), slots.end()) == slots.end()) return sample;
    }
    return {};
}

static KeyBits compared(KeyBits key) { return with_one_zero(in_order(key)); }

static void one_case() {
    // Many equal keys of one block overflow its counters.
    const bool many = once_in(6);
    const u64 n = many ? 33000 + below(40000) : 1 + (once_in(4) ? below(100) : below(20000)), part = many ? n : 16 * (1 + below(200));
    const u32 bits = COUNT_DIGITS ? 8 : 9 + below(4), values = 1 << bits, kind = many ? 0 : below(BY_OCTAVES ? 12 : 8);
    // Skewed keys from kind 8 on: most buckets of octaves are small enough, but for one of equal keys, and other
    // buckets are too large.
    const u64 tile = 100 + below(900), room = kind >= 8 && !once_in(4) ? 40 + n / 20 : once_in(5) ? 0 : once_in(2) ? n : 1 + below(n);
    const bool lists = once_in(2);
    const u64 most_listed = below(20), large_room = room + below(room + 1);
    const bool in_place = once_in(2), scatters = bits > 8 && once_in(3);
    Guarded<KeyBits> keys(n);
    std::vector<KeyBits> some(1 + below(40));
    for (KeyBits& key : some) key = any_bits();
    const u64 other = once_in(2) ? below(n) : n;
    for (u64 i = 0; i < n; i++) {
        const KeyBits key = any_bits();
        // Key `other` is none of the few, or outside of the window of the rest, if it is not in the sample.
        keys[i] = kind >= 8 ? out_of_order(kind >= 10 && once_in(3) ? (KeyBits)5 : (KeyBits)((KeyBits)(key >> 12) >> below(KEY_WIDTH - 12))) : kind == 7 ? out_of_order((KeyBits)(n - i - (i == other))) : kind == 5 && i != other ? some[below(some.size())] : kind == 6 && i != other ? out_of_order((KeyBits)(key & 0xfffff) | (KeyBits)3 << (KEY_WIDTH - 8)) : kind == 0 ? out_of_order((KeyBits)(7 + (i == 0))) : kind == 1 ? out_of_order((KeyBits)i) : kind == 2 ? (KeyBits)(key & 0xff) : key;
    }
    if (HAS_ZEROS && once_in(3)) {
        for (u64 i = below(n); i < n; i += 1 + below(once_in(2) ? 9 : 9000)) keys[i] = out_of_order(once_in(2) ? NEGATIVE_ZERO : POSITIVE_ZERO);
    }
    bool told_apart = false;
    for (u64 i = 0; i < n; i++) told_apart |= is_negative_zero(in_order(keys[i]));
    const u32 zeros_seen = told_apart ? NEGATIVE_ZEROS : 0;
    told_apart &= VALUE_BYTES == 0;
    std::vector<KeyBits> sample;
    KeyBits differ = 0;
    for (u32 thread = 0; thread < THREADS; thread++) {
        sample.push_back(in_order(keys[sampled(thread, n)]));
        differ |= sample[thread] ^ sample[0];
    }
    const u32 width = max(highest_bit(differ) + 1, bits), shift = width - bits;
    std::vector<u32> of_sample(values / 2);
    bool crowded = false, overfull = false, skewed = true;
    const Octaves octaves = Octaves::of(width);
    std::vector<u32> of_octaves(OCTAVE_BUCKETS);
    for (const KeyBits key : sample) {
        const u32 before = of_sample[(u32)(key >> shift) % values / 2]++;
        const bool many_before = before >= CROWDED + (8 * THREADS >> bits);
        crowded |= many_before, overfull |= many_before && before * n / THREADS > OVERFULL * room;
    }
    for (const KeyBits key : sample) {
        const u32 bucket = octaves.bucket(key);
        skewed &= bucket < octaves.singles() || of_octaves[bucket]++ * n / THREADS <= 2 * room;
    }
    const std::vector<KeyBits> few = crowded && VALUE_BYTES == 0 ? few_of(sample) : std::vector<KeyBits>();
    skewed &= BY_OCTAVES && overfull && few.empty();
    std::vector<u64> counts(values + 1);
    bool sorted = true, descends = VALUE_BYTES == 0, outside = false, others = false;
    for (u64 i = 0; i < n; i++) {
        const KeyBits key = compared(keys[i]);
        outside |= width < KEY_WIDTH && (KeyBits)(key ^ sample[0]) >> (width < KEY_WIDTH ? width : 0) != 0;
        others |= !std::binary_search(few.begin(), few.end(), key);
        counts[(u32)(key >> shift) % values + 1]++;
        if (i > 0) sorted &= compared(keys[i - 1]) <= key, descends &= compared(keys[i - 1]) >= key;
    }
    const u64 largest = *std::max_element(counts.begin(), counts.end());
    std::vector<u64> large;
    for (u32 v = 0; v < values; v++) {
        if (counts[v + 1] > room) large.push_back(v);
    }
    for (u32 v = 0; v < values; v++) counts[v + 1] += counts[v];
    const u32 first_bits = bits > 8 ? (bits + 1) / 2 : bits, second_bits = bits - first_bits;
    std::vector<SortTile> expected;
    for (u32 bucket = 0; bucket < 1u << first_bits; bucket++) {
        const u64 begin = counts[bucket << second_bits], end = counts[(bucket + 1) << second_bits];
        for (u64 at = 0; at < end - begin; at += tile) {
            expected.push_back({begin + at, at, (u32)min(tile, end - begin - at), bucket << second_bits >> 8 << 1 | (at == 0)});
        }
    }
    Guarded<SortHeader> header(1);
    memset((void*)header.values, 0, sizeof(SortHeader));
    const u64 status_words = below(3000), empty = below(status_words + 1);
    Guarded<StatusWord> status(status_words);
    Guarded<u64> places(values + 1);
    memset(places.values, 0, 8 * (values + 1));
    Guarded<SortTile> tiles(scatters ? 0 : expected.size());
    Guarded<SortSegment> list(most_listed);
    StatusWord* const cursors = VALUE_BYTES > 0 ? nullptr : status.values;  // an address that is never read
    SortSplitParams p = {keys.values, n, part, in_place, header.values, places.values, status.values, status_words, empty, cursors, bits <= 8 || scatters ? nullptr : tiles.values, tile, bits, room, lists ? list.values : nullptr, most_listed, large_room};
    launch((n + part - 1) / part, THREADS, max((WIDE_COUNTERS ? 4 : 2) << bits, VALUE_BYTES == 0 ? 4 * FEW_SLOTS * FEW_LANES : 0) + (COUNT_DIGITS ? 4 * DIGITS * KEY_BYTES : 0), [&] { KERNEL(p); });
    keys.check("keys"), header.check("header"), status.check("status words"), places.check("places"), tiles.check("tiles"), list.check("list");
    for (u64 i = 0; i < status_words; i++) {
        if (status[i] != DigitStatus::word(i < empty ? DigitStatus::EMPTY : DigitStatus::PREFIX, 0, 0)) fail("wrong status word %llu", i);
    }
    if (skewed) {
        const SortStep& count = header[0].steps[0];
        if (count.deed != Deed::COUNT_OCTAVES || count.from != Place::INPUT || count.to != Place::RESULT || count.shift != octaves.singles() || count.spread != octaves.width || count.bases != places.values || count.cursors != cursors) fail("wrong count of octaves");
        if (header[0].order != 0 || header[0].split_done != 0 || std::any_of(places.values, places.values + places.number, [](u64 count) { return count > 0; })) fail("more has been done than to look at the sample");
        return;
    }
    // Separate checks: one warp may have seen both, as when the only key out of order is outside of the window.
    const bool left = !COUNT_DIGITS && (crowded || room == 0) && few.empty();
    const u32 found = left ? 0 : (sorted ? 0 : LESS) + (descends ? 0 : MORE) + zeros_seen + ((few.empty() ? outside : others) ? OUTSIDE : 0);
    if (header[0].order != found) fail("what was seen of the keys is %u instead of %u", header[0].order, found);
    const bool filled = !few.empty() && !others && !sorted && !told_apart;
    for (u32 v = 0; v <= values && few.empty() && !left; v++) {
        if (places[v] != counts[v]) fail("place %u is %llu instead of %llu", v, places[v], counts[v]);
    }
    const bool reversed = descends && zeros_seen == 0 && !sorted && !filled;
    const bool fits = largest <= room || (lists && largest <= large_room && large.size() <= most_listed);
    const bool splits = few.empty() && !outside && fits && !told_apart;
    const Road road = left ? Road::PASSES : sorted || reversed || filled ? Road::NONE : splits ? Road::SPLIT : Road::PASSES;
    if (header[0].road != road) fail("road %u instead of %u", (u32)header[0].road, (u32)road);
    const SortStep *const first = &header[0].steps[0], *const second = first + 1;
    if (filled) {
        if (first->deed != Deed::FILL || first->to != Place::RESULT || first->shift != few.size()) fail("wrong filling");
        std::vector<KeyBits> ordered;
        for (u64 i = 0; i < n; i++) ordered.push_back(in_order(keys[i]));
        std::sort(ordered.begin(), ordered.end());
        for (u64 i = 0; i < few.size(); i++) {
            const u64 end = std::upper_bound(ordered.begin(), ordered.end(), few[i]) - ordered.begin();
            if (header[0].counts[0][i] != end) fail("key %llu ends at %llu instead of %llu", i, header[0].counts[0][i], end);
            if (((const KeyBits*)header[0].counts[1])[i] != out_of_order(few[i])) fail("wrong key %llu of few", i);
        }
        return;
    }
    if (reversed && !left) {
        const SortStep& reversal = in_place ? *second : *first;
        if (in_place && (first->deed != Deed::COPY || first->to != Place::SCRATCH || first->from != Place::INPUT)) fail("wrong copy");
        if (reversal.deed != Deed::REVERSE || reversal.from != (in_place ? Place::SCRATCH : Place::INPUT) || reversal.to != Place::RESULT) fail("wrong reversal");
        return;
    }
    if (road == Road::NONE && first->deed != (in_place ? Deed::NOTHING : Deed::COPY)) fail("wrong copy");
    if (left) return;
    if (road == Road::PASSES) {
        if (first->deed != (COUNT_DIGITS ? in_place && first->deed == Deed::COPY ? Deed::COPY : Deed::SORT : Deed::NOTHING)) fail("wrong pass");
        for (u32 digit = 0; COUNT_DIGITS && digit < KEY_BYTES; digit++) {
            u64 lower[DIGITS + 1] = {};
            for (u64 i = 0; i < n; i++) lower[digit_at(compared(keys[i]), digit * 8) + 1]++;
            for (u32 d = 0; d < DIGITS; d++) {
                if (header[0].counts[digit][d] != lower[d]) fail("wrong place %u of digit %u", d, digit);
                lower[d + 1] += lower[d];
            }
        }
    }
    if (road != Road::SPLIT) return;
    if (lists) {
        if (header[0].listed != large.size()) fail("%u buckets are listed instead of %llu", header[0].listed, (u64)large.size());
        std::vector<u64> begins, of_list;
        for (u64 i = 0; i < large.size(); i++) {
            begins.push_back(counts[large[i]]), of_list.push_back(list[i].begin);
            if (!std::binary_search(counts.begin(), counts.end(), list[i].begin + list[i].count) || list[i].count <= room) fail("wrong bucket %llu on the list", i);
        }
        std::sort(of_list.begin(), of_list.end());
        if (of_list != begins) fail("other buckets are listed");
    }
    if (header[0].shift != shift) fail("buckets are told from bit %u on instead of %u", header[0].shift, shift);
    if (scatters) {
        if (first->deed != Deed::NOTHING) fail("a pass by digits");
        return;
    }
    const Place to = bits > 8 || in_place ? Place::SCRATCH : Place::RESULT;
    if (first->deed != Deed::SORT || first->to != to || first->shift != width - first_bits || first->spread != 0 || !first->first || first->parts || first->cursors != cursors) fail("wrong first pass");
    const u64* const firsts = bits <= 8 ? places.values : header[0].counts[0];
    if (first->bases != firsts) fail("wrong bases");
    if (bits <= 8) return;
    for (u32 d = 0; d < DIGITS; d++) {
        if (firsts[d] != counts[(d & ((1 << first_bits) - 1)) << second_bits]) fail("wrong base of digit %u", d);
    }
    if (second->deed != Deed::SORT || second->to != Place::RESULT || second->shift != shift || second->first || second->last || !second->parts || second->cursors != (cursors ? cursors + DIGITS : nullptr)) fail("wrong second pass");
    if (header[0].tiles != expected.size()) fail("%u tiles instead of %llu", header[0].tiles, (u64)expected.size());
    for (u64 i = 0; i < expected.size(); i++) {
        if (tiles[i].begin != expected[i].begin || tiles[i].at != expected[i].at || tiles[i].count != expected[i].count || tiles[i].row_and_first != expected[i].row_and_first) fail("wrong tile %llu", i);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
