// Cases of reduce/gathered_starts.cuh.

#include "emulator/offsets.h"
#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 n = once_in(4) ? below(100) : below(20 * TILE);
    const std::vector<u64> segments = any_offsets(n);
    const u64 number = segments.size() - 1, tiles = n == 0 ? 1 : (n + TILE - 1) / TILE;
    Guarded<Offset> offsets(segments.size());
    for (u64 k = 0; k < offsets.number; k++) offsets[k] = (Offset)segments[k];
    const bool spoilt = once_in(4) && spoil(offsets, n);
    Guarded<Out> output(once_in(3) ? below(number + 1) : number);
    Guarded<u64> starts(tiles + 2);
    for (u64 i = 0; i < starts.number; i++) starts[i] = 0;
    Guarded<Given> init(1);
    init[0] = any_value<Given>();
    Space space = Space::of<u32>(0);
    GatheredParams launched;
    memset((void*)&launched, 0, sizeof launched);
    launched.n = n, launched.offsets = offsets.values, launched.segments = number, launched.output = output.values;
    launched.outputs = output.number, launched.starts = starts.values, launched.workspace = space.workspace();
    launched.given_init = launched.given_first = given_acc(init[0]);
    const Params p(launched);
    launch(1 + below(5), THREADS, 0, [&] { KERNEL(launched); });

    output.check("results"), offsets.check("offsets"), starts.check("starts");
    if (starts[tiles + 1] != space.epoch || space.header.epoch != space.epoch + (space.epoch != ~0u)) fail("takes epoch %llu of %u", starts[tiles + 1], space.epoch);
    // Offsets between the first and the last are checked by the next kernel, but for shares that seem to be empty.
    if (spoilt && (space.header.fault || (i64)offsets[0] != 0 || (u64)(i64)offsets[number] != n)) return check_fault(space.header, offsets, n);
    if (space.header.fault) fail("says that offset %llu, %lld, is wrong", space.header.fault_index, space.header.fault_value);
    if (starts[tiles] != number) fail("ends at offset %llu of %llu", starts[tiles], number);
    for (u64 tile = 0; tile < tiles; tile++) {
        const u64 element = tile * TILE, found = starts[tile];
        if (found > number || (found < number && (u64)(i64)offsets[found] < element) || (found > 0 && (u64)(i64)offsets[found - 1] >= element)) {
            fail("tile %llu of %llu begins at offset %llu of %llu", tile, n, found, number);
        }
    }
    if (spoilt) return;
    for (u64 share = 0; share * SHARE < number; share++) {
        const u64 end = min((share + 1) * SHARE, number);
        if (segments[share * SHARE] != segments[end]) continue;
        for (u64 s = share * SHARE; s < min(end, output.number); s++) if (!same_bits(output[s], result(p.first))) fail("wrong in the empty segment %llu of %llu", s, number);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
