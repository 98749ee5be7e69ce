// Cases of select/select.cuh, and of select/partition.cuh.

#include "emulator/workspace.h"

namespace emulator {

#ifdef PARTITIONS
constexpr bool OTHERS = true;
constexpr bool RUN_LENGTHS = false;
using Run = u32;
constexpr u32 HELPERS = Pipeline<SelectTask>::HELPERS;
#else
constexpr bool OTHERS = false;
using Run = SelectTask::Run;
constexpr u32 HELPERS = STORING_WARPS;
#endif

// Reference: whether element i is selected.
static bool is_kept(const std::vector<In>& x, Guarded<u8>& flags, u64 i) {
    if constexpr (SelectTask::Chosen::BY_FLAGS) return flags[i] != 0;
    else if constexpr (!SelectTask::Chosen::BY_NEIGHBOUR) return load_acc(x[i], i, i);
    else if constexpr (KEEP_LAST) return i + 1 == x.size() || !same_key(x[i], x[i + 1]);
    else return i == 0 || !same_key(x[i - 1], x[i]);
}

template <bool INDEX> struct Result {
    static const In& of(u64, const In& x) { return x; }
};
template <> struct Result<true> {
    static Stored of(u64 index, const In&) { return (Stored)index; }
};
static Stored stored(const std::vector<In>& x, u64 i) { return Result<(INDEX_BYTES > 0)>::of(i, x[i]); }

static void one_case() {
    const u64 most_tiles = (GROUPS + 2) * GROUP + 3, whole = once_in(16) ? most_tiles - 1 - below(40) : below(12);
    const u64 n = once_in(4) ? below(100) : whole * TILE + (once_in(2) ? 0 : below(TILE));
    const bool counted = once_in(2);  // the device knows the length
    const u64 room = n + (counted && once_in(2) ? below(3 * TILE) : 0), tiles = tile_number(room);

    // In place if possible.
    Guarded<In> separate(room);
    Guarded<u8> flags(SelectTask::Chosen::BY_FLAGS ? room : 0);
    // Flags: all equal, runs, few between many zeros, any.
    const u32 run = below(3) == 0 ? 1 + below(300) : 1, kind = below(7);
    const bool few = kind > 4;
    std::vector<In> x;
    In last = any_value<In>();
    for (u64 i = 0; i < n; i++) {
        if (!once_in(run)) last = i > 0 ? x.back() : last;
        else last = any_value<In>();
        if (kind == 0) memset((void*)&last, 0xff, sizeof last);
        if (kind == 1 || (few && !once_in(20))) memset((void*)&last, 0, sizeof last);
        x.push_back(last);
        if (SelectTask::Chosen::BY_FLAGS) flags[i] = kind == 0 ? 1 + below(255) : kind == 1 || (few && !once_in(20)) ? 0 : once_in(2) ? 0 : 1 << below(8);
    }
    std::vector<Stored> kept, others;
    std::vector<u64> begins;
    for (u64 i = 0; i < n; i++) {
        const bool keep = is_kept(x, flags, i);
        (keep ? kept : others).push_back(stored(x, i));
        if (keep) begins.push_back(i);
    }
    begins.push_back(n);

    const u64 capacity = once_in(3) ? below(kept.size() + 1) : kept.size();
    const u64 others_capacity = once_in(3) ? below(others.size() + 1) : others.size();
    Guarded<Stored> output(capacity), others_output(OTHERS ? others_capacity : 0);
    Guarded<Run> runs(RUN_BYTES ? capacity : 0);
    In* input = separate.values;
    const bool in_place = INDEX_BYTES == 0 && !OTHERS && RUN_BYTES == 0 && once_in(4);
    void* const to = in_place ? (void*)input : output.values;
    for (u64 i = 0; i < n; i++) input[i] = x[i];
    const bool asked = in_place || OTHERS || !once_in(8) || capacity < kept.size();

    Guarded<u64> number(1), length(1);
    number[0] = ~0ull, length[0] = n;
    const bool too_long = counted && once_in(8);
    if (too_long) length[0] = room + 1 + below(1000);
    if (too_long && room > n) return;
    const u32 grid = min(tiles, 1 + (u64)below(4));
    Space space = Space::of<Kept>(Chain<Kept>::entries(tiles));
    SelectParams p = {};
    p.input = input, p.flags = flags.values, p.output = asked ? to : nullptr, p.others = others_output.values;
    p.runs = runs.values;
    p.n = room, p.length = counted ? length.values : nullptr;
    p.capacity = asked && !in_place ? capacity : n, p.others_capacity = others_capacity;
    const bool behind = OTHERS && once_in(2);
    Guarded<Stored> both(behind ? n : 0);
    if (behind) p.output = both.values, p.capacity = n, p.others_capacity = n, number[0] = kept.size(), p.behind = number.values;
    p.count = number.values, p.workspace = space.workspace();
    launch(grid, THREADS + HELPERS * WARP, SelectTask::DYNAMIC_BYTES, [&] { KERNEL(p); });

    separate.check("input"), flags.check("flags"), output.check("output"), others_output.check("second output"), both.check("both"), number.check("number"), runs.check("runs");
    if (grid > 1) space.check();
    if (number[0] != kept.size()) fail("keeps %llu of %llu instead of %llu", number[0], n, (u64)kept.size());
    const u32 fault = too_long ? FAULT_LENGTH : p.capacity < kept.size() ? FAULT_CAPACITY : OTHERS && p.others_capacity < others.size() ? FAULT_OTHERS : 0;
    if (space.header.fault != fault && !(too_long && space.header.fault == FAULT_CAPACITY)) fail("says %u instead of %u", space.header.fault, fault);
    if (fault == FAULT_CAPACITY && (space.header.fault_index != kept.size() || (u64)space.header.fault_value != capacity)) fail("says other numbers");
    if (!asked) return;
    const Stored* const found = (const Stored*)p.output;
    const Stored* const found_others = behind ? found + kept.size() : others_output.values;
    for (u64 i = 0; i < min(p.capacity, (u64)kept.size()); i++) {
        if (!same_bits(found[i], kept[i])) fail("wrong at %llu of %llu kept of %llu", i, (u64)kept.size(), n);
    }
    for (u64 i = 0; RUN_BYTES && i < min(p.capacity, (u64)kept.size()); i++) {
        const u64 wanted = RUN_LENGTHS ? begins[i + 1] - begins[i] : begins[i];
        if (runs[i] != (Run)wanted) fail("run %llu of %llu of %llu is %llu", i, (u64)kept.size(), n, (u64)runs[i]);
    }
    for (u64 i = 0; OTHERS && i < min(p.others_capacity, (u64)others.size()); i++) {
        if (!same_bits(found_others[i], others[i])) fail("wrong at %llu of %llu others of %llu", i, (u64)others.size(), n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
