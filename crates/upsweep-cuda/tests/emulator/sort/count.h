// Cases of sort/count.cuh.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static KeyBits compared(KeyBits key) { return with_one_zero(in_order(key)); }

static void one_case() {
    const u64 n = 1 + (once_in(4) ? below(100) : below(20000)), part = 16 * (1 + below(200));
    const u32 kind = below(6);
    Guarded<KeyBits> keys(n);
    for (u64 i = 0; i < n; i++) {
        KeyBits key = 0;
        for (u32 at = 0; at < KEY_WIDTH; at += 8) key |= (KeyBits)((KeyBits)(u8)random_bits() << at);
        keys[i] = kind == 0 ? (KeyBits)7 : kind == 1 ? out_of_order((KeyBits)(n > 255 ? i * 255 / n : i)) : kind == 2 ? (KeyBits)(key & 0xff) : key;
    }
    bool told_apart = VALUE_BYTES > 0;
    if (HAS_ZEROS && once_in(2)) {
        for (u64 i = below(n); i < n; i += 1 + below(9)) keys[i] = out_of_order(once_in(2) ? NEGATIVE_ZERO : POSITIVE_ZERO);
    }
    if (kind == 3) {
        std::stable_sort(keys.values, keys.values + n, [](KeyBits a, KeyBits b) { return compared(a) < compared(b); });
        if (once_in(2)) std::reverse(keys.values, keys.values + n);
        if (n > 1 && once_in(2)) std::swap(keys[below(n)], keys[below(n)]);
    }
    Guarded<SortHeader> header(1);
    memset((void*)header.values, 0, sizeof(SortHeader));
    const u64 words = below(5000);
    const bool in_place = once_in(2);
    Guarded<StatusWord> status(words);
    void* const cursors = VALUE_BYTES > 0 ? nullptr : &status;  // an address that is never read
    SortCountParams p = {keys.values, n, part, in_place, header.values, status.values, words, cursors};
    launch((n + part - 1) / part, THREADS, SORT_COLUMNS * DIGITS * KEY_BYTES * 4, [&] { KERNEL(p); });
    header.check("header"), status.check("status words");
    for (u64 i = 0; i < words; i++) {
        if (status[i] != 0) fail("status word %llu is not cleared", i);
    }
    for (u64 i = 0; i < n; i++) told_apart |= is_negative_zero(in_order(keys[i]));
    bool sorted = true, reversed = !told_apart;
    for (u64 i = 1; i < n; i++) sorted &= compared(keys[i - 1]) <= compared(keys[i]), reversed &= compared(keys[i - 1]) >= compared(keys[i]);
    reversed &= !sorted;
    u32 launch_number = 0, passes = 0;
    std::vector<SortStep> steps;
    for (u32 digit = 0; digit < KEY_BYTES; digit++) {
        u64 counts[DIGITS] = {}, lower = 0;
        for (u64 i = 0; i < n; i++) counts[digit_at(compared(keys[i]), digit * 8)]++;
        bool varies = !sorted;
        for (u32 d = 0; d < DIGITS; d++) {
            if (counts[d] == n) varies = false;
            if (header[0].counts[digit][d] != lower) fail("wrong place %u of digit %u", d, digit);
            lower += counts[d];
        }
        passes += varies && !reversed;
        if (varies && !reversed) steps.push_back({Deed::SORT, Place::INPUT, Place::INPUT, digit * 8, (u32)steps.size() - (!told_apart && !steps.empty()), steps.empty(), 0, steps.empty(), 0, 0, 0, header[0].counts[digit], steps.empty() && !told_apart ? cursors : nullptr});
    }
    if (!steps.empty()) steps.back().last = 1;
    if (!reversed && (in_place ? passes % 2 == 1 : passes == 0)) steps.insert(steps.begin(), {Deed::COPY, Place::INPUT, Place::INPUT, 0, 0, 0, 0, 0, 0, 0, 0, header[0].counts[0]});
    if (reversed) {
        steps = {{Deed::REVERSE, Place::INPUT, Place::INPUT}};
        if (in_place) steps.insert(steps.begin(), {Deed::COPY, Place::INPUT, Place::INPUT});
    }
    // The last launch ends in the result, and no launch reads what it writes.
    Place from = Place::INPUT;
    for (SortStep& step : steps) {
        const u64 left = &steps.back() - &step;
        step.from = from, step.to = from = left % 2 == 0 ? Place::RESULT : Place::SCRATCH;
        if (in_place && step.from == Place::INPUT && step.to == Place::RESULT) fail("reads what it writes");
    }
    steps.resize(LAUNCHES);
    for (u32 i = 0; i < LAUNCHES; i++) {
        if (!same_bits(header[0].steps[i], steps[i])) fail("wrong step %u of %u passes, in place: %u", i, passes, (u32)in_place);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
