// Cases of device/sort_split.cuh.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    // Many equal keys of one block use up its counters.
    const bool many = once_in(6);
    const u64 n = many ? 33000 + below(40000) : 1 + (once_in(4) ? below(100) : below(20000)), part = many ? n : 16 * (1 + below(200));
    const u32 bits = COUNT_DIGITS ? 8 : 9 + below(4), shift = KEY_WIDTH - bits, values = 1 << bits, kind = many ? 0 : below(5);
    const u64 tile = 100 + below(900), room = once_in(2) ? n : 1 + below(n);
    const bool in_place = once_in(2), scatters = bits > 8 && once_in(3);
    Guarded<KeyBits> keys(n);
    for (u64 i = 0; i < n; i++) {
        KeyBits key = 0;
        for (u32 at = 0; at < KEY_WIDTH; at += 8) key |= (KeyBits)((KeyBits)(u8)random_bits() << at);
        keys[i] = kind == 0 ? out_of_order((KeyBits)(7 + (i == 0))) : kind == 1 ? out_of_order((KeyBits)i) : kind == 2 ? (KeyBits)(key & 0xff) : key;
    }
    std::vector<u64> counts(values + 1);
    bool sorted = true;
    for (u64 i = 0; i < n; i++) {
        counts[(u32)(in_order(keys[i]) >> shift) + 1]++;
        if (i > 0) sorted &= in_order(keys[i - 1]) <= in_order(keys[i]);
    }
    const u64 largest = *std::max_element(counts.begin(), counts.end());
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
    StatusWord* const cursors = VALUE_BYTES > 0 ? nullptr : status.values;  // an address that nobody reads
    SortSplitParams p = {keys.values, n, part, in_place, header.values, places.values, status.values, status_words, empty, cursors, bits <= 8 || scatters ? nullptr : tiles.values, tile, bits, room};
    launch((n + part - 1) / part, THREADS, (2 << bits) + (COUNT_DIGITS ? 4 * DIGITS * KEY_BYTES : 0), [&] { KERNEL(p); });
    keys.check("keys"), header.check("header"), status.check("status words"), places.check("places"), tiles.check("tiles");
    for (u64 i = 0; i < status_words; i++) {
        if (status[i] != DigitStatus::word(i < empty ? DigitStatus::EMPTY : DigitStatus::PREFIX, 0, 0)) fail("wrong status word %llu", i);
    }
    for (u32 v = 0; v <= values; v++) {
        if (places[v] != counts[v]) fail("place %u is %llu instead of %llu", v, places[v], counts[v]);
    }
    const Road road = sorted ? Road::NONE : largest <= room ? Road::SPLIT : Road::PASSES;
    if (header[0].road != road) fail("road %u instead of %u", (u32)header[0].road, (u32)road);
    const SortStep *const first = &header[0].steps[0], *const second = first + 1;
    if (road == Road::NONE && first->deed != (in_place ? Deed::NOTHING : Deed::COPY)) fail("wrong copy");
    if (road == Road::PASSES) {
        if (first->deed != (COUNT_DIGITS ? in_place && first->deed == Deed::COPY ? Deed::COPY : Deed::SORT : Deed::NOTHING)) fail("wrong pass");
        for (u32 digit = 0; COUNT_DIGITS && digit < KEY_BYTES; digit++) {
            u64 lower[DIGITS + 1] = {};
            for (u64 i = 0; i < n; i++) lower[digit_at(in_order(keys[i]), digit * 8) + 1]++;
            for (u32 d = 0; d < DIGITS; d++) {
                if (header[0].counts[digit][d] != lower[d]) fail("wrong place %u of digit %u", d, digit);
                lower[d + 1] += lower[d];
            }
        }
    }
    if (road != Road::SPLIT) return;
    if (scatters) {
        if (first->deed != Deed::NOTHING) fail("a pass by digits");
        return;
    }
    const Place to = bits > 8 || in_place ? Place::SCRATCH : Place::RESULT;
    if (first->deed != Deed::SORT || first->to != to || first->shift != KEY_WIDTH - first_bits || first->spread != second_bits || !first->first || first->parts || first->cursors != cursors) fail("wrong first pass");
    if (bits <= 8) return;
    if (second->deed != Deed::SORT || second->to != Place::RESULT || second->shift != shift || second->first || second->last || !second->parts || second->cursors != (cursors ? cursors + DIGITS : nullptr)) fail("wrong second pass");
    if (header[0].tiles != expected.size()) fail("%u tiles instead of %llu", header[0].tiles, (u64)expected.size());
    for (u64 i = 0; i < expected.size(); i++) {
        if (tiles[i].begin != expected[i].begin || tiles[i].at != expected[i].at || tiles[i].count != expected[i].count || tiles[i].row_and_first != expected[i].row_and_first) fail("wrong tile %llu", i);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
