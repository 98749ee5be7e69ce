// Cases of the kernels that scan tiles, or reduce them by segment: scan/wave.cuh, scan/scan.cuh, scan/segments.cuh,
// reduce/runs.cuh. KERNEL is the kernel, IN_WAVE whether its blocks have neighbouring tiles, BY_RUNS whether it is the
// last of these.

#include "emulator/offsets.h"
#include "emulator/workspace.h"
#include "emulator/tree.h"

namespace emulator {

#if IN_WAVE
constexpr u64 MOST_TILES_OF_ALL = MOST_PARTS * MOST_TILES;
#else
constexpr u64 MOST_TILES_OF_ALL = (GROUPS + 2) * GROUP + 3;
#if BY_RUNS
constexpr u32 HELPERS = STORING_WARPS, DYNAMIC_BYTES = RunsTask::DYNAMIC_BYTES;
#else
constexpr u32 HELPERS = Pipeline<TASK>::HELPERS, DYNAMIC_BYTES = STAGES * Input::TILE_BYTES;
#endif
#endif

// Writes the flags or keys of the segments, as bytes.
static void put_sources(Guarded<Source>& sources, const std::vector<u64>& offsets) {
    const u8 first = random_bits();
    for (u64 s = 0; s + 1 < offsets.size(); s++) {
        for (u64 i = offsets[s]; i < offsets[s + 1]; i++) {
            if constexpr (HEADS == Heads::KEYS) sources[i] = (Source)(first + s * 37);
            else sources[i] = i == 0 ? once_in(2) : i == offsets[s];
        }
    }
}

// What comes before the first element of a scan that goes on where another ended, and what is left after the last.
struct States {
    u64 position = 0;
    bool first_is_head = true;
    static constexpr u64 ROOM = (KEY_AT + 16 + sizeof(Acc) - 1) / sizeof(Acc);
    Guarded<Acc> before = Guarded<Acc>(ROOM), after = Guarded<Acc>(ROOM);

    static Acc* levels(Guarded<Acc>& state) { return state.values; }
    static Source& key(Guarded<Acc>& state) { return *(Source*)((u8*)state.values + KEY_AT); }
};

// Returns what a chain is that is missing; nothing for other operators.
template <class V>
static V neutral_of() {
    if constexpr (TREE) return PRODUCT ? (V)1 : (V)-0.0;
    else return V();
}
static T neutral() { return neutral_of<T>(); }

// Sets how lines lie in tiles, as upsweep-plan/src/line_tiles.rs does. A tile has as many rows as there are threads.
static void set_lines(ScanParams& p, u64 lines, u64 len) {
    const u64 stretch = max(ITEMS / len, 1ull) * len, rows = (stretch + ITEMS - 1) / ITEMS;
    p.stretch = stretch, p.tiles_of_line = max((len + TILE - 1) / TILE, 1ull), p.tiles_inverse = ~0u / p.tiles_of_line;
    p.unit_rows = rows <= 1 ? 1 : rows <= 8 ? 8 : THREADS;
    p.stretch_rows = rows > THREADS ? THREADS : rows > 8 ? (rows + 7) / 8 * 8 : rows;
    p.of_unit = p.unit_rows / p.stretch_rows;
    p.stretches = rows > THREADS ? 0 : THREADS / p.unit_rows * p.of_unit;
    p.unit_inverse = (65536 + p.unit_rows - 1) / p.unit_rows, p.stretch_inverse = (65536 + p.stretch_rows - 1) / p.stretch_rows;
    p.tiles = p.stretches == 0 ? lines * p.tiles_of_line : (lines * len + p.stretches * stretch - 1) / (p.stretches * stretch);
}

// Parameters as src/scan/mod.rs sets them, but for pointers.
static ScanParams params_of(u64 n, u64 row, u64 segments, u64 tiles) {
    ScanParams p;
    memset((void*)&p, 0, sizeof p);
    p.n = n, p.row = row, p.row_reciprocal = ~0ull / max(row, 1ull);
    for (u64 bit = 0; bit < 64; bit++) p.row_pattern |= (u64)(bit % max(row, 1ull) == 0) << bit;
    p.segments = HEADS == Heads::OFFSETS ? segments : 0, p.share = p.segments / tiles + 1;
    p.keys_room = NO_KEYS;
    if (LINED) set_lines(p, n / row, row);
    return p;
}

// Returns a random element: a float whose sums round.
template <class X>
static X any_element() {
    const double x = ((double)random_bits() - 9e18) * 1.2345e-20;
    if constexpr (TREE && arith::half<X>) return arith::narrow<X>((f32)x);
    else if constexpr (TREE && arith::floating<X>) return (X)(PRODUCT ? 1 + x / 8 : x);
    else return any_value<X>();
}

// Checks the results of a float scan, and the state that it leaves.
template <class V>
static void check_tree(const Params& p, const std::vector<In>& input, const std::vector<u64>& offsets, Guarded<Out>& output, States& states) {
    std::vector<bool> heads(p.n + 1);
    for (u64 s = 0; s + 1 < offsets.size(); s++) {
        if (offsets[s] < offsets[s + 1]) heads[REVERSE ? p.n - offsets[s + 1] : offsets[s]] = true;
    }
    TreeOracle<V> oracle;
    V last = p.first, chains[OPEN_LEVELS];
    if (CONTINUES) {
        for (u32 k = 0; k < OPEN_LEVELS; k++) chains[k] = States::levels(states.before)[k];
        oracle.go_on(states.position, chains);
        last = combine(chains[4], chains[3]);
    }
    for (u64 i = 0; i < p.n; i++) {
        const u64 at = REVERSE ? p.n - 1 - i : i;
        const bool head = i == 0 ? states.first_is_head : SEGMENTED && heads[i];
        V e = map(input[at], at + states.position, at);
        if (head && LINED) oracle = TreeOracle<V>();
        if (head) {
            oracle.begin();
            if (HAS_INIT) e = combine(p.init, e);
        }
        const V with = oracle.next(e);
        const Out expected = result(!EXCLUSIVE ? with : head ? p.first : last);
        if (!same_bits(output[at], expected)) fail("wrong at %llu of %llu, in the tree", at, p.n);
        last = with;
    }
    if (!CARRIES) return;
    for (u32 k = 0; k < OPEN_LEVELS; k++) {
        if (!same_bits(States::levels(states.after)[k], canonical(oracle.level(k, neutral())))) fail("wrong level %u after %llu elements", k, p.n);
    }
}

static void check_results(const Params& p, const std::vector<In>& input, const std::vector<u64>& offsets, Guarded<Out>& output, States& states) {
    const u64 segments = offsets.size() - 1;
    T last = CONTINUES ? ValueOfAcc::of(States::levels(states.before)[0]) : p.first;
    for (u64 s = 0; s < segments; s++) {
        const bool goes_on = offsets[s] == 0 && !states.first_is_head;
        T acc = goes_on ? last : p.init;
        bool any = HAS_INIT || goes_on;
        for (u64 i = offsets[s]; i < offsets[s + 1]; i++) {
            const u64 at = REVERSE ? offsets[s] + offsets[s + 1] - 1 - i : i;
            const T e = map(input[at], at + states.position, at), with = any ? combine(acc, e) : e;
            const Out expected = result(!EXCLUSIVE ? with : any ? acc : p.first);
            if (!BY_SEGMENT && !same_bits(output[at], expected)) fail("wrong at %llu of %llu, in segment %llu of %llu", at, p.n, s, segments);
            last = acc = with;
            any = true;
        }
        const Out expected = result(offsets[s] < offsets[s + 1] ? acc : p.first);
        if (BY_SEGMENT && s < output.number && !same_bits(output[s], expected)) {
            fail("wrong in segment %llu of %llu, %llu to %llu of %llu", s, segments, offsets[s], offsets[s + 1], p.n);
        }
    }
    if (CARRIES && !same_bits(States::levels(states.after)[0], canonical(ValueOfAcc::back(last)))) fail("wrong state after %llu elements", p.n);
}


static void one_case() {
    const u64 whole_tiles = once_in(16) ? MOST_TILES_OF_ALL - 1 - below(IN_WAVE ? 4 : 40) : below(min(MOST_TILES_OF_ALL, 12ull));
    u64 n = once_in(4) ? below(100) : whole_tiles * TILE + (once_in(2) ? 0 : below(TILE));
    if (HEADS != Heads::OFFSETS && !CARRIES) n += n == 0;
    if (TREE && CARRIES) n = max(1ull, whole_tiles) * TILE;  // open.cuh has the rest
    std::vector<u64> segments = any_offsets(n);
    // Lines that have tiles of their own may need more of them.
    while (LINED && params_of(segments.back(), segments[1], 0, 1).tiles > MOST_TILES_OF_ALL) segments.resize(segments.size() / 2 + 1);
    if (IN_ROWS) n = segments.back();
    const u64 number = segments.size() - 1, row = IN_ROWS ? segments[1] : n;
    const u64 tiles = tile_number(params_of(n, row, number, 1));

    // In place if possible.
    Guarded<Out> output(!BY_SEGMENT ? n : COUNTED && once_in(2) ? below(number + 1) : number);
    Guarded<In> separate(n);
    In* input = separate.values;
    if constexpr (arith::same_type<In, Out>) {
        if (!BY_SEGMENT && once_in(4)) input = (In*)output.values;
    }
    std::vector<In> elements;
    for (u64 i = 0; i < n; i++) elements.push_back(input[i] = any_element<In>());
    Guarded<Offset> offsets(HEADS == Heads::OFFSETS ? segments.size() : 0);
    for (u64 k = 0; k < offsets.number; k++) offsets[k] = (Offset)segments[k];
    const bool spoilt = HEADS == Heads::OFFSETS && once_in(4) && spoil(offsets, n);
    Guarded<Source> sources(HEADS == Heads::FLAGS || HEADS == Heads::KEYS ? n : 0);
    if constexpr (HEADS == Heads::FLAGS || HEADS == Heads::KEYS) put_sources(sources, segments);
    States states;
    if constexpr (CONTINUES) {
        states.position = 1 + below(3 * GROUP);
        for (u32 k = 0; k < OPEN_LEVELS; k++) States::levels(states.before)[k] = !TREE ? any_value<Acc>() : (Acc)neutral();
        if (TREE) {
            if (states.position % GROUP > 0) States::levels(states.before)[3] = any_element<Acc>();
            if (states.position >= GROUP) States::levels(states.before)[4] = any_element<Acc>();
            states.position *= TILE;
        }
        states.first_is_head = SEGMENTED && once_in(2);
        if (n > 0 && HEADS == Heads::FLAGS) sources[0] = (Source)states.first_is_head;
        if (n > 0 && HEADS == Heads::KEYS) States::key(states.before) = (Source)(sources[0] + states.first_is_head);
    }
    Guarded<Given> init(1);
    init[0] = any_value<Given>();
    u64 count = ~0ull;

#if IN_WAVE
    const u64 part = (tiles + MOST_PARTS - 1) / MOST_PARTS, grid = (tiles + part - 1) / part, values = TREE ? tiles : grid;
    const u32 threads = THREADS, dynamic = part * Input::TILE_BYTES;
    const bool alone = grid == 1;
#else
    const u64 grid = min(tiles, 1 + below(4)), each = row < TILE ? 1 : (row + TILE - 1) / TILE;
    const u64 entries_of_line = each == 1 ? 0 : each <= GROUP ? each : Chain<State>::entries(each);
    const u64 values = LINED ? max(tiles / each * entries_of_line, 1ull) : Chain<State>::entries(tiles + (CONTINUES ? GROUP : 0));
    const u32 threads = THREADS + HELPERS * WARP, dynamic = DYNAMIC_BYTES;
    const bool alone = tiles == 1;
#endif
    Space space = Space::of<State>(values);
    ScanParams launched = params_of(n, row, number, tiles);
    launched.input = input, launched.output = output.values, launched.outputs = output.number, launched.workspace = space.workspace();
    launched.head_source = sources.values, launched.offsets = offsets.values, launched.count = COUNTED ? &count : nullptr;
    const bool with_keys = COUNTED && HEADS == Heads::KEYS && once_in(2);
    Guarded<Source> keys(!with_keys ? 0 : once_in(2) ? below(number + 1) : number);
    if (with_keys) launched.keys = keys.values, launched.keys_room = keys.number;
    launched.before = CONTINUES ? States::levels(states.before) : nullptr, launched.position = states.position;
    launched.after = CARRIES ? States::levels(states.after) : nullptr;
    launched.given_init = launched.given_first = given_acc(init[0]);
    if (FORM == Form::SUM && !HAS_INIT) memset((void*)&launched.given_first, 0, sizeof(Acc));  // its identity: kernels may know it
    const Params p(launched);
    if (HAS_INIT && once_in(2)) launched.init_from = init.values, memset((void*)&launched.given_init, 0x77, sizeof(Acc));
    races_matter = !spoilt;  // overlapping segments have several writers, any of which may win
    launch(grid, threads, dynamic, [&] { KERNEL(launched); });

    output.check("results"), separate.check("elements"), offsets.check("offsets"), sources.check("flags or keys"), states.before.check("the state before"), states.after.check("the state after"), keys.check("first keys");
    if (!alone) space.check();
    if (spoilt) return check_fault(space.header, offsets, n);
    if (with_keys) {
        for (u64 k = 0; k < keys.number; k++) {
            if (!same_bits(keys[k], sources[segments[k]])) fail("another key than the first of segment %llu", k);
        }
        if (keys.number < number) {
            if (space.header.fault != FAULT_CAPACITY || space.header.fault_index != number || space.header.fault_value != (i64)keys.number) fail("says nothing of %llu keys that there is no room for", number - keys.number);
            space.header.fault = 0;
        }
    }
    if (space.header.fault) fail("says that offset %llu, %lld, is wrong", space.header.fault_index, space.header.fault_value);
    if constexpr (TREE) {
        check_tree<T>(p, elements, segments, output, states);
    } else {
        check_results(p, elements, segments, output, states);
    }
    if (CARRIES && HEADS == Heads::KEYS && n > 0 && !same_bits(States::key(states.after), sources[n - 1])) fail("not the last key");
    if (COUNTED && count != number) fail("counts %llu segments of %llu", count, number);
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
