// Cases of reduce/gathered.cuh.

#include "emulator/offsets.h"
#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 most = (GROUPS + 2) * GROUP + 3, whole = once_in(16) ? most - 1 - below(40) : below(12);
    const u64 n = once_in(4) ? below(100) : whole * TILE + (once_in(2) ? 0 : below(TILE));
    const std::vector<u64> segments = any_offsets(n);
    const u64 number = segments.size() - 1, tiles = n == 0 ? 1 : (n + TILE - 1) / TILE;
    Guarded<In> input(n);
    for (u64 i = 0; i < n; i++) input[i] = any_value<In>();
    Guarded<Offset> offsets(segments.size());
    for (u64 k = 0; k < offsets.number; k++) offsets[k] = (Offset)segments[k];
    const bool spoilt = once_in(8) && spoil(offsets, n);
    Guarded<Out> output(once_in(3) ? below(number + 1) : number);
    // Begins of tiles, which the kernel before finds.
    Guarded<u64> starts(tiles + 2);
    for (u64 tile = 0; tile <= tiles; tile++) {
        u64 low = 0, high = number + 1;
        while (low < high) {
            const u64 middle = (low + high) / 2;
            if ((u64)(i64)offsets[middle] < min(tile * TILE, n)) low = middle + 1;
            else high = middle;
        }
        starts[tile] = tile < tiles ? min(low, number) : number;
    }
    Guarded<Given> init(1);
    init[0] = any_value<Given>();
    Space space = Space::of<State>(Chain<State>::entries(tiles));
    starts[tiles + 1] = space.epoch;
    if (space.epoch != ~0u) space.header.epoch = space.epoch + 1;
    GatheredParams launched;
    memset((void*)&launched, 0, sizeof launched);
    launched.input = input.values, launched.n = n, launched.offsets = offsets.values, launched.segments = number;
    launched.output = output.values, launched.outputs = output.number, launched.starts = starts.values, launched.workspace = space.workspace();
    launched.given_init = launched.given_first = given_acc(init[0]);
    if (FORM == Form::SUM && !HAS_INIT) memset((void*)&launched.given_first, 0, sizeof(Acc));  // its identity: kernels may know it
    const Params p(launched);
    if (HAS_INIT && once_in(2)) launched.init_from = init.values, memset((void*)&launched.given_init, 0x77, sizeof(Acc));
    races_matter = !spoilt;  // overlapping segments have several writers, any of which may win
    // Blocks beyond the last tile: the device may know fewer elements than the host has room for.
    launch(tiles + below(3), THREADS, 0, [&] { KERNEL(launched); });

    output.check("results"), input.check("elements"), offsets.check("offsets"), starts.check("starts");
    space.check();
    // The launch before has checked the first and the last offset, and shares whose ends do not ascend.
    const auto looked_at = [&](u64 s) { return (i64)offsets[s / SHARE * SHARE] >= (i64)offsets[min((s / SHARE + 1) * SHARE, number)]; };
    if (spoilt) {
        bool seen = space.header.fault != 0 || offsets[0] != 0 || (u64)(i64)offsets[number] != n;
        for (u64 s = 0; s < number; s++) seen |= looked_at(s) && (i64)offsets[s] > (i64)offsets[s + 1];
        if (!seen) fail("does not see that offsets do not ascend");
        if (space.header.fault) check_fault(space.header, offsets, n);
        return;
    }
    if (space.header.fault) fail("says that offset %llu, %lld, is wrong", space.header.fault_index, space.header.fault_value);
    for (u64 s = 0; s < output.number; s++) {
        if (segments[s] == segments[s + 1]) {
            if (!looked_at(s) && !same_bits(output[s], result(p.first))) fail("wrong in the empty segment %llu of %llu", s, number);
            continue;
        }
        T acc = p.init;
        for (u64 i = segments[s]; i < segments[s + 1]; i++) {
            const T e = map(input[i], i, i);
            acc = HAS_INIT || i > segments[s] ? combine(acc, e) : e;
        }
        if (!same_bits(output[s], result(acc))) fail("wrong in segment %llu of %llu, %llu to %llu of %llu", s, number, segments[s], segments[s + 1], n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
