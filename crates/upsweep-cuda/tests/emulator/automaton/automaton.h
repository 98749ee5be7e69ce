// Cases of automaton/automaton.cuh and automaton/entries.cuh: random automata, which forget their initial state or do
// not.

#include "emulator/machine.h"
#include "emulator/workspace.h"

namespace emulator {

// Selects one of the two kernels.
#ifdef OF_ENTRIES
constexpr bool MANY_TILES = false;
constexpr u32 TILES_OF_TASK = TILES_A_WARP;
#else
constexpr bool MANY_TILES = true;
constexpr u32 TILES_OF_TASK = 1;
#endif

static void one_case() {
    Machine m = Machine::any();
    m.give();
    const u64 n = once_in(4) ? below(200) : below(MANY_TILES && once_in(16) ? (GROUPS + 2) * GROUP : 3 * WARPS * TILES_OF_TASK) * TILE + (once_in(2) ? 0 : below(TILE));
    const u64 tiles = tile_number(n);
    Guarded<u8> text(n), entries(tiles);
    const u32 few = once_in(2) ? 256 : 1 + below(3);
    for (u64 i = 0; i < n; i++) text[i] = (u8)below(few);

    // Reference: a loop over the text.
    struct Found {
        u8 kind;
        u64 place;
    };
    std::vector<Found> found;
    std::vector<u8> states;
    // Some texts are parts of longer ones: they begin in any state, or in one that a carry of another automaton has.
    const bool part = once_in(2);
    const u64 position = part ? random_bits() >> 36 : 0;
    u32 state = part ? below(m.states + 1) : 0;
    Guarded<u64> before(1), after(2);
    before[0] = state, state = min(state, m.states - 1);
    for (u64 i = 0; i <= n; i++) {
        if (i % TILE == 0 && i < tiles * TILE) states.push_back((u8)state);
        const u32 at = i < n ? state * m.classes + m.class_of[text[i]] : 0;
        for (const Event& event : m.told[i < n ? m.tells[at] : m.ends[state]]) {
            if (event.back <= position + i) found.push_back({event.kind, position + i - event.back});
            else return;  // before the text: no automaton emits that
        }
        if (i < n) state = m.next[at];
    }

    AutomatonParams p = {};
    p.text = text.values, p.n = n, p.states = m.states, p.classes = m.classes, p.steps_at = m.steps_at, p.lasting = m.lasting;
    p.entries = entries.values, p.position = position;
    if (part) p.before = before.values, p.after = after.values;
#ifdef OF_ENTRIES
    Guarded<u8> ways((tiles - 1) * WAY_STATES);
    for (u64 t = 0; t + 1 < tiles; t++) {
        for (u32 i = 0; i < WAY_STATES; i++) {
            u32 end = min(i, m.states - 1);
            for (u64 at = t * TILE; at < (t + 1) * TILE; at++) end = m.next[end * m.classes + m.class_of[text[at]]];
            ways[t * WAY_STATES + i] = (u8)end;
        }
    }
    p.ways = ways.values;
    const u64 of_tiles = (tiles + WARPS * TILES_A_WARP - 1) / (WARPS * TILES_A_WARP);
    Space space = Space::of<Way>(Chain<Way>::entries(of_tiles));
    p.workspace = space.workspace();
    const u32 grid = min(of_tiles, 1 + (u64)below(4));
    launch(grid, THREADS + Pipeline<EntriesTask>::HELPERS * WARP, 0, [&] { KERNEL(p); });
    entries.check("states"), ways.check("ways"), text.check("text");
    if (grid > 1) space.check();
    for (u64 t = 0; t < tiles; t++) {
        if (entries[t] != states[t]) fail("tile %llu of %llu begins in state %u instead of %u", t, tiles, (u32)entries[t], (u32)states[t]);
    }
#else
    for (u64 t = 0; t < tiles; t++) entries[t] = t == 0 ? 0xff : states[t];
    const u64 room = once_in(3) ? below(found.size() + 1) : found.size();
    Guarded<u8> kinds(room);
    Guarded<EventPlace> places(room);
    Guarded<u64> number(1);
    const bool asked = !once_in(6);
    p.kinds = asked ? kinds.values : nullptr, p.places = places.values, p.capacity = asked ? room : ~0ull >> 1, p.count = number.values;
    Space space = Space::of<Number>(Chain<Number>::entries(tiles));
    p.workspace = space.workspace();
    const u32 grid = min(tiles, 1 + (u64)below(4));
    launch(grid, THREADS + Pipeline<AutomatonTask>::HELPERS * WARP, AutomatonTask::BUFFER_AT + 4 * EVENTS_AT_ONCE, [&] { KERNEL(p); });
    kinds.check("kinds"), places.check("places"), number.check("number"), text.check("text"), entries.check("states");
    if (grid > 1) space.check();
    before.check("state before"), after.check("state after");
    if (part && (after[0] != state || after[1] != m.told[m.ends[state]].size())) fail("ends in state %llu with %llu events", after[0], after[1]);
    if (number[0] != found.size()) fail("finds %llu instead of %llu", number[0], (u64)found.size());
    const u32 fault = p.capacity < found.size() ? FAULT_CAPACITY : 0;
    if (space.header.fault != fault) fail("says %u instead of %u", space.header.fault, fault);
    for (u64 i = 0; asked && i < room; i++) {
        if (kinds[i] != found[i].kind || places[i] != found[i].place) fail("event %llu of %llu in %llu is %u at %llu instead of %u at %llu", i, (u64)found.size(), n, (u32)kinds[i], (u64)places[i], (u32)found[i].kind, found[i].place);
    }
#endif
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
