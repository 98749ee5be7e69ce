// Cases of sort/scatter.cuh.

#include <algorithm>

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 n = 1 + (once_in(4) ? below(100) : below(4 * SCATTER_TILE));
    const u32 bits = 9 + below(4), shift = KEY_WIDTH - bits, buckets = 1 << bits, kind = below(3);
    const bool splits = !once_in(8);
    Guarded<KeyBits> keys(n), output(n);
    std::vector<KeyBits> expected;
    for (u64 i = 0; i < n; i++) {
        KeyBits key = 0;
        for (u32 at = 0; at < KEY_WIDTH; at += 8) key |= (KeyBits)((KeyBits)(u8)random_bits() << at);
        keys[i] = kind == 0 ? out_of_order((KeyBits)below(9)) : kind == 1 ? out_of_order((KeyBits)((KeyBits)below(50) << shift)) : key;
        expected.push_back(in_order(keys[i]));
        output[i] = (KeyBits)7;
    }
    std::sort(expected.begin(), expected.end());
    Guarded<u64> places(buckets + 1);
    for (u32 v = 0, i = 0; v <= buckets; v++) {
        while (i < n && (u32)(expected[i] >> shift) < v) i++;
        places[v] = v == buckets ? n : i;
    }
    Guarded<u32> cursors(buckets);
    memset(cursors.values, 0, 4 * buckets);
    Guarded<SortHeader> header(1);
    memset((void*)header.values, 0, sizeof(SortHeader));
    header[0].shift = shift;
    header[0].road = splits ? Road::SPLIT : Road::PASSES;
    SortScatterParams p = {keys.values, output.values, n, bits, header.values, places.values, cursors.values};
    launch(1 + (u64)below(3), THREADS, 8 * buckets + SCATTER_TILE * sizeof(KeyBits), [&] { KERNEL(p); });
    keys.check("keys"), output.check("output"), places.check("places"), cursors.check("cursors");
    for (u64 i = 0; !splits && i < n; i++) if (output[i] != (KeyBits)7) fail("%llu is written", i);
    if (!splits) return;
    for (u32 v = 0; v < buckets; v++) std::sort(output.values + places[v], output.values + places[v + 1]);
    for (u64 i = 0; i < n; i++) if (output[i] != expected[i]) fail("wrong at %llu of %llu", i, n);
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
